"""Arrays that a run makes of constants alone, their parts, and what is written to them."""

import numpy as np
import pytest

import astad
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


def used_by_a_function_inside(x):
    x = opaque(x)
    g = np.linspace(0, 1, 25)
    f = lambda t: ((g[:3] * t) ** 2).sum()
    d = astad.grad(f)(x)
    h = np.exp(x[0]) * np.eye(3)
    return (h @ d).sum()


def names_of_a_function_inside(x):
    x = opaque(x)
    w = np.zeros(3)

    def f(t):
        e = np.eye(3)
        k = e * 2.0
        return (k @ t) @ t

    g1 = astad.grad(f)(x)
    e = np.exp(x[0]) * np.eye(3)
    k = e * 3.0 + np.ones((3, 3)) * x[1]
    return g1.sum() + (k @ x).sum()


def put_and_copied(x):
    x = opaque(x)
    t = np.arange(20.0)
    np.put(t, [1, 2], [5.0, 6.0])
    t[3] += x[0]
    np.copyto(t[5:8], x)
    r = np.resize(t, (4, 5))
    return (r**2).sum()


def filled_diagonals(x):
    x = opaque(x)
    a = np.full((5, 5), 2.0)
    np.fill_diagonal(a, x[0])
    b = np.triu(np.ones((5, 5)))
    b[np.tril_indices(5, -1)] = x[1]
    return np.linalg.det(a * b)


def rows_and_columns_in_loops(x):
    x = opaque(x)
    a = np.ones((4, 5))
    for i, row in enumerate(a):
        row[i] = x[i % 3]
    for v in a.T:
        v += x[0]
    return (a**2).sum()


def draws_changed_in_place(x):
    x = opaque(x)
    rng = np.random.default_rng(3)
    z = rng.normal(size=30)
    z -= z.mean()
    z /= z.std()
    z.shape
    q = np.sort(z)
    z[0] = x[0]
    return (z**2).sum() * x[1] + q[0] * x[2]


def buffers_under_two_names(x):
    x = opaque(x)
    buf = [np.zeros(20) for _ in range(3)]
    alias = buf[1]
    buf[1][4] = x[0]
    alias[5] = x[1]
    buf[0] += alias
    return sum((b**2).sum() for b in buf) * x[2]


def exchanged(x):
    x = opaque(x)
    a = np.zeros(20)
    b = a
    a = a + 1.0
    b[3] = x[0]
    a[3] = x[1]
    a, b = b, a
    return a.sum() * b.sum() * x[2]


def part_of_a_part(x):
    x = opaque(x)
    a = np.arange(12.0).reshape(3, 4)
    b = a[1]
    c = b[1:3]
    a *= 2.0
    c += x[0]
    s = a.sum(axis=0)
    b[0] = x[1]
    return (s**2).sum() + (a**2).sum() + (c * x[2]).sum()


def branch_on_a_grid(x):
    x = opaque(x)
    t = np.linspace(0, 1, 20)
    if t.mean() > 0.4:
        t = t**2
    t = t if t[-1] > 0.9 else t * x[0]
    n = int(t.sum())
    return (t[:n] * x[0]).sum() + n * x[1]


def masks_that_change(x):
    x = opaque(x)
    a = np.zeros(20)
    m = np.arange(20) % 3 == 0
    a[m] = 1.0
    a[~m] = x[0]
    m[0] = False
    a[m] += x[1]
    return (a**2).sum()


def written_through_a_transpose(x):
    x = opaque(x)
    a = np.zeros((3, 20))
    v = a.T
    v[2] = x
    w = v[3:5]
    w[...] = x * 2
    np.add(a[0], 1.0, out=a[0])
    return (a**2).sum()


def complex_waves(x):
    x = opaque(x)
    z = np.exp(1j * np.linspace(0, 3, 20))
    z[0] = x[0]
    z *= x[1]
    return np.abs(z.sum()) ** 2


def empty_then_filled(x):
    x = opaque(x)
    a = np.empty((4, 4))
    a[:] = 0.5
    a.flat[::5] = x[0]
    a[0] += a[1]
    b = a.copy()
    a.T[1] = x[1]
    return (a @ b).sum()


def sorted_in_place(x):
    c = np.array([3.0, 1.0, 2.0] * 7)
    c.sort()
    x = opaque(x)
    rows = np.outer([2.0, 1.0, 3.0], x)
    rows.sort(axis=0)
    rows[1].sort()
    c.put([0, -1], x[:2])
    return (c * x[0]).sum() + (rows * np.arange(9.0).reshape(3, 3)).sum()


PROGRAMS = [
    sorted_in_place,
    used_by_a_function_inside,
    names_of_a_function_inside,
    put_and_copied,
    filled_diagonals,
    rows_and_columns_in_loops,
    draws_changed_in_place,
    buffers_under_two_names,
    exchanged,
    part_of_a_part,
    branch_on_a_grid,
    masks_that_change,
    written_through_a_transpose,
    complex_waves,
    empty_then_filled,
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


def listed(x):
    x = opaque(x)
    total = 0.0
    for row in np.outer(x, x).tolist():
        for v in row:
            total += v * v
    first, second, *_ = x.tolist()
    return total * first + second


@pytest.mark.parametrize("f", [listed], ids=lambda f: f.__name__)
def test_arrays_of_other_lengths(f):
    for n in (3, 3, 3, 3, 4, 4, 4, 2, 3):
        x, v, h = np.linspace(0.5, 1.5, n), np.cos(np.arange(n)), 1e-5
        y, (bar,) = agree(f, x)
        slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
        assert y == f(x)
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
