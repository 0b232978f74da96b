"""A loop whose results nobody reads gives no cotangent, not a zero times infinity."""

import math

import numpy as np
import pytest

import astad


def unread(x, y):
    z = x
    for _ in range(4):
        z = z / x
    return y * 2.0


def unread_beside(x, y):
    z = x
    for _ in range(4):
        z = z / x
        y = y * 1.1
    return y * 2.0


def unread_while(x, y):
    z, k = x, 0
    while k < 3:
        z, k = z * z / x, k + 1
    return y * y


def unread_in_the_outer_loop(x, y):
    z = x
    for _ in range(2):
        for _ in range(2):
            z = z / x
        y = y * y
    return y


def no_result(x, y):
    for _ in range(4):
        x /= x


def read_in_the_next_iteration(x, y):
    """What is read last in one iteration leads on in the next."""
    z = w = x
    for _ in range(3):
        y = y * w
        w = z * 0.5
        z = z * x
    return y


def read_by_a_return(x, y):
    z = x
    for k in range(5):
        z = z * x
        if k == 3:
            return z
    return y


def stored_in_a_list(x, y):
    xs = []
    z = x
    for _ in range(3):
        z = z * x
        xs.append(z)
    return xs[1] * y


def stored_in_an_array(x, y):
    u = np.zeros(3)
    v = u[1:]
    z = x
    for k in range(3):
        z = z * x
        u[k] = z
    return v[0] * y


def stored_in_an_object(x, y):
    class Box:
        pass

    box = Box()
    z = x
    for _ in range(3):
        z = z * x
        box.z = z
    return box.z * y


def found_by_a_callee(x, y):
    seen = {}

    def note(k, v):
        seen[k] = v

    z = x
    for k in range(3):
        z = z * x
        note(k, z)
    return seen[2] * y


UNREAD = [unread, unread_beside, unread_while, unread_in_the_outer_loop, no_result]
READ = [
    read_in_the_next_iteration, read_by_a_return, stored_in_a_list, stored_in_an_array,
    stored_in_an_object, found_by_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("f", READ)
def test_what_leads_to_the_result_some_other_way(f, forms_agree):
    forms_agree(f, 1.3, 0.7)


@pytest.mark.parametrize("x", [1.3, math.inf, math.nan])
@pytest.mark.parametrize("f", UNREAD)
def test_what_is_not_read_has_no_cotangent(f, x):
    _, back = astad.pullback(f, x, 0.7)
    assert not back(None if f is no_result else 1.0)[0]
    if f is not no_result:
        assert not astad.gradient(f, x, 0.7)[0]
