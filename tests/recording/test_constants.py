"""Arrays that a run makes of constants alone, their parts, and what is written to them."""

import numpy as np
import pytest

from astad.runtime.core.variants import variants_of

from .recorded_runs import agree, opaque, recorded_backwards

pytestmark = pytest.mark.order_matters


def assembled_by_constants(x):
    x = opaque(x)
    D = np.zeros((3, 3))
    for i in range(3):
        D[i, i] = -2.0
        if i:
            D[i, i - 1] = 1.0
    return (D @ x).sum() + (np.linspace(0, 1, 20) ** 2).sum() * x[0]


def rows_of_constants(x):
    x = opaque(x)
    D = np.zeros((3, 3))
    for row in D:
        row[0] = 1.0
    return (D @ x).sum()


def rows_of_numbers(x):
    x = opaque(x)
    D = np.zeros((3, 3))
    for row in D:
        row[0] = x[1]
    return (D @ x).sum()


def part_taken_before(x):
    x = opaque(x)
    D = np.ones((3, 3))
    r = D[1]
    D[1, 1] = x[0]
    return (r * x).sum()


def transposed_before(x):
    x = opaque(x)
    D = np.ones((3, 3))
    T = D.T
    D[1, 2] = x[0]
    return (T @ x).sum()


def rows_in_a_list(x):
    x = opaque(x)
    D = np.ones((3, 3))
    rows = list(D)
    rows[1][2] = x[0]
    return (D @ x).sum()


def row_taken_before(x):
    x = opaque(x)
    D = np.ones((3, 3))
    rows = list(D)
    D[1, 2] = x[0]
    return (rows[1] @ x).sum()


def row_written_by_a_constant(x):
    x = opaque(x)
    D = np.ones((3, 3))
    rows = [r for r in D]
    s = rows[1].sum() * x[0]
    D[1, 2] = 5.0
    return (rows[1] @ x).sum() + s


def reshaped(x):
    x = opaque(x)
    D = np.ones(40)
    E = D.reshape(4, 10)
    D[3] = x[0]
    E[1] = x[1]
    return (D * D).sum() * x[2] + E[0].sum()


def split(x):
    x = opaque(x)
    D = np.ones(40)
    E = np.split(D, 4)
    D[3] = x[0]
    E[1][:] = x[1]
    return (D * D).sum() * x[2] + E[0].sum()


def changed_in_place(x):
    x = opaque(x)
    D = np.linspace(0, 1, 30)
    D += 1.0
    E = D
    E *= 2.0
    E[3] += x[0]
    return (D * D).sum() * x[2]


def copied_and_masked(x):
    x = opaque(x)
    D = np.linspace(0, 1, 30)
    E = D.copy()
    D[::2] = 0.0
    F = np.where(D > 0.2, D, E)
    return (F * x[0]).sum() + D.sum() * x[1] + E[3] * x[2]


def rows_divided(x):
    x = opaque(x)
    D = np.linspace(0, 1, 30).reshape(5, 6)
    for r in D:
        r /= r.sum() + 1.0
    q = D.flatten()
    w = D.ravel()
    w[0] = x[0]
    return (D * x[1]).sum() + q.sum() * x[2]


def normal_equations(x):
    x = opaque(x)
    out = []
    D = np.zeros((20, 2))
    for t in range(20):
        D[t] = [t * 0.1, 1.0]
    G = D.T @ D
    return np.linalg.solve(G + np.eye(2) * x[0], D.T @ np.sin(D[:, 0] * x[1])).sum()


def buffer_filled_by_time(x):
    x = opaque(x)
    buf = np.zeros(25)
    acc = 0.0
    for t in range(5):
        buf[t * 5 : (t + 1) * 5] = t
        acc += buf.sum() * x[0]
    buf[7] = x[1]
    return acc + (buf**2).sum()


def view_of_a_table(x):
    x = opaque(x)
    D = np.zeros((4, 25))
    v = D[2]
    v[3] = 1.0
    D[2, 4] = 2.0
    w = v.copy()
    v[5] = x[0]
    return (D**2).sum() * x[1] + w.sum() * x[2] + v.sum()


def three_views(x):
    x = opaque(x)
    a = np.zeros(20)
    b = a[5:10]
    c = a.view()
    b += 1.0
    c[6] = 3.0
    a[7] = x[0]
    return a.sum() * x[1] + b.sum() * x[2] + c.sum()


def given_out(x):
    x = opaque(x)
    a = np.linspace(0, 1, 20)
    o = np.empty(20)
    np.multiply(a, 2.0, out=o)
    np.add(o, x[0], out=a)
    return (o * a).sum()


def written_by_flat(x):
    x = opaque(x)
    a = np.linspace(0, 1, 20)
    f = a.flat
    f[3] = 2.0
    f[4] = x[0]
    return (a * a).sum() * x[1]


def diagonal_by_einsum(x):
    x = opaque(x)
    a = np.zeros(20)
    d = np.diag(np.ones(5))
    dd = np.einsum("ii->i", d)
    d[2, 2] = x[0]
    return dd.sum() * x[1]


PROGRAMS = [
    assembled_by_constants,
    rows_of_constants,
    rows_of_numbers,
    part_taken_before,
    transposed_before,
    rows_in_a_list,
    row_taken_before,
    row_written_by_a_constant,
    reshaped,
    split,
    changed_in_place,
    copied_and_masked,
    rows_divided,
    normal_equations,
    buffer_filled_by_time,
    view_of_a_table,
    three_views,
    given_out,
    written_by_flat,
    diagonal_by_einsum,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_right(f):
    for x in (np.array([0.7, 1.2, 0.9]), np.array([1.4, 0.6, 1.1]), np.array([0.7, 1.2, 0.9])):
        recorded_backwards(f, x)
        y, (bar,) = agree(f, x)
        v, h = np.array([0.3, -0.8, 0.5]), 1e-5
        assert y == f(x)
        slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
        np.testing.assert_allclose(np.sum(bar * v), slope, rtol=1e-7)


def test_what_constants_give_is_no_line_of_the_text():
    def f(x):
        t = np.linspace(0.0, 1.0, 30)
        window = 0.5 - 0.5 * np.cos(2.0 * np.pi * t)
        second = np.zeros((30, 30))
        for i in range(1, 29):
            second[i, i - 1 : i + 2] = [1.0, -2.0, 1.0]
        if window.sum() > 10.0:
            x = opaque(x) * 2.0
        return np.sum((second @ (window * x)) ** 2) / window[3]

    recorded_backwards(f, np.sin(np.arange(30.0)))
    (text, *_) = variants_of(f).recorded.texts
    assert text.lines < 20
    assert not any(word in text.text for word in ("linspace", "cos", "raise Left"))
