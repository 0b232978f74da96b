"""Another name of an array, bound in a branch or further down in a loop, where code found at run
time writes the array before: the name may stand for nothing then.
"""

import numpy as np
import pytest

from astad import gradient


def in_a_branch(x, a, c):
    if c > 0:
        b = a
    np.copyto(a, np.sin(x) * a)
    y = a[0, 1]
    if c > 0:
        y = y + b[0, 0] * 2
    return y


def in_the_iteration_before(x, a, c):
    y = a[0, 1]
    for k in range(2):
        np.copyto(a, np.sin(x) * a)
        if k > 0:
            y = y + b[0, 0] * 2  # noqa: F821
        b = a
    return y


def in_a_loop_within(x, a, c):
    y = a[0, 1]
    for _ in range(2):
        np.copyto(a, np.sin(x) * a)
        for j in range(2):
            if j > 0:
                y = y + b[0, 0] * 2  # noqa: F821
            b = a
    return y


def in_a_loop_behind(x, a, c):
    np.copyto(a, np.sin(x) * a)
    k = 0
    while True:
        k += 1
        if k > 2:
            break
        b = a
        if b[0, 0] > c:
            return b[0, 0] * a[1, 1]
        np.copyto(a, np.sin(x) * b)
    return a[1, 0]


def in_two_loops(x, a, c):
    y = a[0, 1]
    for _ in range(2):
        np.copyto(a, np.sin(x) * a)
        k = 0
        while True:
            k += 1
            if k > 2:
                break
            b = a
            if b[0, 0] > c:
                return b[0, 0] * a[1, 1]
            y = y + b[0, 0]
            np.copyto(a, np.sin(x) * b)
    return y


def the_variable_of_a_loop(x, a, c):
    y = a[0, 1]
    np.copyto(a, np.sin(x) * a)
    for row in a:
        np.copyto(a, np.sin(x) * a)
        y = y + row[0]
        if y > c:
            break
    return y * row[1]


def deleted(x, a, c):
    y = a[0, 1]
    for _ in range(2):
        np.copyto(a, np.sin(x) * a)
        b = a
        y = y + b[0, 0]
        del b
    return y


PROGRAMS = [
    in_a_branch, in_the_iteration_before, in_a_loop_within, in_a_loop_behind, in_two_loops,
    the_variable_of_a_loop, deleted,
]  # fmt: skip


@pytest.mark.parametrize("c", [-1.0, 0.1, 100.0])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_against_differences(fn, c):
    def f(x, a):
        return fn(x, a.copy(), c)

    a = np.array([[0.4, 0.6], [0.3, 0.2]])
    x_bar, a_bar = gradient(f, 0.7, a)
    assert x_bar == pytest.approx((f(0.7 + 1e-6, a) - f(0.7 - 1e-6, a)) / 2e-6, rel=1e-7)
    slopes = np.zeros((2, 2))
    for at in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[at] = 1e-6
        slopes[at] = (f(0.7, a + step) - f(0.7, a - step)) / 2e-6
    np.testing.assert_allclose(a_bar, slopes, rtol=1e-7, atol=1e-9)
