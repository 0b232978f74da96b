"""Lists of lists and of tuples, of any length: read by rows, walked, made, and written.

``FUSED`` are the programs whose lists are taken for what they are; the others do something with a
row that only the general way knows.
"""

import math

import numpy as np
import pytest

from astad import grad, gradient
from astad.api.variants import kinds_of_values
from astad.testing import check_gradient
from tests.compiler.forms import check_forms, only_generic


@pytest.fixture(autouse=True)
def _open(monkeypatch):
    """Short lists are taken for lists of any length as well."""
    monkeypatch.setattr(kinds_of_values, "MOST", 0)


A = [[0.3, 1.7, -0.4], [0.9, 0.2, 1.1]]
RAGGED = [[0.3], [0.9, 0.2, 1.1], [0.5, 0.8]]
PAIRS = [(0, 1), (1, 2), (0, 2), (2, 2)]
X = [0.4, 1.3, -0.7]


def by_index(a, t):
    s = 0.0
    for i in range(len(a)):
        for j in range(len(a[i])):
            s += a[i][j] * a[i - 1][0] * (i + j * t)
    return s


def by_row(a, t):
    s = t
    for row in a:
        for x in row:
            s += math.sin(x * s)
        s *= row[0] + sum(row)
    return s


def by_row_and_index(a, t):
    s = t
    for i, row in enumerate(a):
        s += max(row) * len(row) + i * row[-1]
    for row in reversed(a):
        s = s * 0.5 + row[0]
    for row, other in zip(a, a[1:]):
        s += row[0] * other[-1]
    return s


def row_kept(a, t):
    first, s = a[0], 0.0
    for i in range(len(a)):
        row = a[i]
        for j in range(len(row)):
            s += row[j] * first[0] * t
    return s + sum(first) * a[0][0]


def row_rebound(a, t):
    row = a[0]
    s = row[0]
    row = a[1]
    s += row[0] * row[1]
    row = [x * t for x in row]
    return s * row[1]


def row_of_a_branch(a, t):
    row = a[0] if t > 0 else a[1]
    return row[0] * row[1] * t


def parted(a, t):
    s = 0.0
    for x, y, z in a:
        s += x * y - z * t
    first, other = a
    p, q, r = first
    return s * p + q * r * other[1]


def edges(pairs, x):
    s = 0.0
    for i, j in pairs:
        s += x[i] * x[j]
    for pair in pairs:
        s += x[pair[0]] * pair[1]
    return s


def weighted(pairs, x):
    s = 0.0
    for i, j, w in pairs:
        s += w * (x[i] - x[j]) ** 2
    for k, (i, j, w) in enumerate(pairs):
        s += k * w * x[i] * pairs[k][2]
    return s


def product(a, b):
    n, m = len(a), len(b[0])
    c = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for k in range(len(b)):
                c[i][j] += a[i][k] * b[k][j]
    return sum(sum(row) * row[0] for row in c)


def written_by_rows(a, t):
    c = [list(row) for row in a]
    for row in c:
        for j in range(len(row)):
            row[j] *= t + row[0]
    for i in range(len(c)):
        row = c[i]
        row[0] = row[-1] * t
        row[-1] += c[0][0]
    return sum(sum(row) for row in c) * c[1][1]


def eliminated(a, t):
    u = [[x + 2.0 * (i == j) for j, x in enumerate(row)] for i, row in enumerate(a)]
    for k in range(len(u)):
        for i in range(k + 1, len(u)):
            f = u[i][k] / u[k][k]
            for j in range(len(u[i])):
                u[i][j] = u[i][j] - f * u[k][j]
    return u[0][0] * u[1][1] + u[-1][-1] * t


def neighbours(pairs, x):
    near = [[] for _ in x]
    for i, j in pairs:
        near[i].append(x[j])
        near[j].append(x[i] * 2.0)
    s = 0.0
    for at, row in enumerate(near):
        for y in row:
            s += y * x[at]
        s += len(row) * x[0]
    return s


def curve(p, t):
    pts = [list(q) for q in p]
    while len(pts) > 1:
        pts = [[(1 - t) * a + t * b for a, b in zip(u, v)] for u, v in zip(pts, pts[1:])]
    return pts[0][0] ** 2 + pts[0][1]


def tuples_made(a, t):
    pts = []
    for i in range(3):
        pts.append((a[0][i] * t, i, a[1][i]))
    s = 0.0
    for x, n, y in pts:
        s += x * y * n
    for k in range(len(pts)):
        s += pts[k][0] * pts[k][2] * a[0][pts[k][1]]
    return s


def same_row_twice(a, t):
    row = [x * t for x in a[0]]
    c = [row, row]
    c.append(row)
    return c[0][0] * c[1][0] * c[2][1] + row[2]


def row_of_another(a, t):
    c = [row for row in a]
    c.append(a[0])
    return c[0][0] * c[-1][1] * t + sum(c[1])


def with_exits(a, t):
    s = 0.0
    for row in a:
        if row[0] > 0.8:
            continue
        for x in row:
            if x < 0:
                break
            s += x * t
        s += row[1]
        if s > 1.5:
            s *= row[0]
            break
        s -= 0.1 * row[2]
    return s


def zero_rounds(a, t):
    s = t
    for row in a[:0]:
        s += row[0]
    c = [[0.0] * 0 for _ in range(2)]
    for row in c:
        for x in row:
            s += x
    return s * a[0][0]


def of_a_while(a, t):
    i, s = 0, t
    while i < len(a) and a[i][0] < 5.0:
        row = a[i]
        i += 1
        s = s * row[0] + row[1] + a[i - 1][2]
    return s


def helper(m, x):
    return [sum(c * y for c, y in zip(row, x)) for row in m]


def handed(a, x):
    y = helper(a, x)
    return y[0] * y[1]


def deep(cube, t):
    s = 0.0
    for plane in cube:
        for row in plane:
            s += row[0] * row[1] * t
    return s + cube[0][1][0] * cube[-1][0][1]


FUSED = [
    (by_index, (A, 0.8)),
    (by_index, (RAGGED, 0.8)),
    (by_row, (A, 0.8)),
    (by_row, (RAGGED, 0.8)),
    (by_row_and_index, (RAGGED, 0.8)),
    (row_kept, (RAGGED, 0.8)),
    (row_rebound, (A, 0.8)),
    (parted, (A, 0.8)),
    (parted, ([tuple(row) for row in A], 0.8)),
    (by_row, (tuple(map(tuple, RAGGED)), 0.8)),
    (by_row, ([[1, 2], [3, 4]], 0.8)),
    (by_row, ([[1, 2.5], [3, 4]], 0.8)),
    (by_row, (np.array(A)[:, :2].tolist(), np.float64(0.8))),
    (product, (A, [[0.5, 0.1], [0.2, 0.7], [1.1, 0.4]])),
    (written_by_rows, (RAGGED, 0.8)),
    (eliminated, (A, 0.8)),
    (curve, ([(0.0, 0.1), (1.0, 2.0), (2.0, -1.0), (3.0, 0.5)], 0.3)),
    (tuples_made, (A, 0.8)),
    (same_row_twice, (A, 0.8)),
    (row_of_another, (A, 0.8)),
    (with_exits, (A, 0.8)),
    (zero_rounds, (A, 0.8)),
    (of_a_while, (A, 0.8)),
    (deep, ([A, [[1.0, 2.0], [0.5, 0.3]]], 0.8)),
]


@pytest.mark.parametrize(("fn", "args"), FUSED)
def test_written_out(fn, args):
    check_forms(fn, *args, fused=True)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (edges, (PAIRS, X)),
        (edges, ([list(pair) for pair in PAIRS], X)),
        (weighted, ([(0, 1, 0.5), (1, 2, 1.5), (0, 1, 0.5)], X)),
        (neighbours, (PAIRS, X)),
        (handed, (A, X)),
    ],
)
def test_places(fn, args):
    """Pairs that tell places are no variables."""
    found = grad(fn, argnums=1)(*args)
    with only_generic():
        assert np.allclose(found, grad(fn, argnums=1)(*args), rtol=1e-12)
    check_gradient(fn, *args, argnums=1)


def alias_of_a_row(a, t):
    c = [[x * t for x in row] for row in a]
    row = c[0]
    c[0][1] = 5.0 * t
    return row[1] * c[0][0]


def written_through_two_lists(a, t):
    row = [x * t for x in a[0]]
    c, d = [row], [row, row]
    c[0][0] = a[1][0] * 3.0
    return d[0][0] * d[1][1] + row[0]


def written_after_it_was_put_in(a, t):
    row, c = [a[0][0], t], []
    c.append(row)
    row[0] = a[0][1] * t
    return c[0][0] * c[0][1]


def one_row_in_all_places(a, t):
    row, c = [0.0, 0.0], []
    for i in range(3):
        row[0] += a[0][i] * t
        c.append(row)
    return c[0][0] * c[2][0] + c[1][1]


def argument_written(a, t):
    c = [row for row in a]
    c[0][0] = t * t
    s = a[0][0] * c[1][0]
    c[0][0] = 0.3
    return s


def slice_written(a, t):
    c = [[x * t for x in row] for row in a]
    d = c[1:]
    d[0][0] = t
    return c[1][0] * c[0][1]


def row_put_elsewhere(a, t):
    c = [[x * t for x in row] for row in a]
    c[0] = [t, a[0][1]]
    return c[0][0] * c[0][1] * c[1][0]


def list_rebound(a, t):
    row, s = a[0], 0.0
    for i in range(2):
        s += row[0] * t
        a = [[x * 2.0 for x in other] for other in a]
        row = a[1]
    return s + row[0]


def grown_while_read(a, t):
    c = [[x * t for x in row] for row in a]
    row = c[-1]
    c.append([t])
    return row[0] * c[-1][0]


def list_before_it_grew(a, t):
    """The row is the last one only until another is appended."""
    c, s = [[t, a[0][0]]], 0.0
    for i in range(3):
        row = c[-1]
        s += row[0]
        c.append([row[0] * a[0][i], row[1]])
        s += row[1] * c[-1][0]
    return s


def swapped(a, t):
    c = [[x * t for x in row] for row in a]
    c[0], c[1] = c[1], c[0]
    c[0][0] *= 2.0
    return c[0][0] + c[1][1] * a[0][0]


def repeated(a, t):
    c = [[a[0][0], t]] * 3
    c[0][1] = a[1][1]
    return c[2][1] * c[1][0]


GENERAL = [
    alias_of_a_row, written_through_two_lists, written_after_it_was_put_in, one_row_in_all_places,
    argument_written, slice_written, row_put_elsewhere, list_rebound, grown_while_read,
    list_before_it_grew, swapped, repeated, row_of_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("fn", GENERAL)
def test_aliases(fn):
    check_forms(fn, A, 0.8)


@pytest.mark.parametrize("fn", [by_row, by_index])
def test_one_row_in_two_places_of_an_argument(fn):
    """What comes twice has the total for its derivative, in both places."""
    row = [0.3, 0.7]
    twice, apart = [row, row, [0.5, 0.4]], [[0.5, 0.1], [0.2, 0.7], [1.1, 0.4]]
    with only_generic():
        expected = gradient(fn, twice, 0.8), gradient(fn, apart, 0.8)
    for at in (0, 1, 0):
        found = gradient(fn, (twice, apart)[at], 0.8)
        assert np.allclose(found[0], expected[at][0], rtol=1e-12)


@pytest.mark.parametrize(
    "other", [[[1, 2], [3, "a"]], [[1.0], 2.0], [[1.0], (2.0,)], [[True, 1.0]], [[None, 1.0]], [[]]]
)
def test_what_is_something_else(other):
    """A variant for rows of numbers is not taken for anything else."""

    def f(a, t):
        s = t
        for row in a if isinstance(a[0], list) else []:
            for x in row if isinstance(row, (list, tuple)) else [row]:
                s = s * t + (x if isinstance(x, float) else 1.0)
        return s

    gradient(f, A, 0.8)
    found = gradient(f, other, 0.8)
    with only_generic():
        assert repr(found) == repr(gradient(f, other, 0.8))


def test_errors_are_pythons_own():
    gradient(parted, A, 0.8)
    for wrong in ([[0.1, 0.2]], [[0.1, 0.2, 0.3, 0.4]], [[0.1, 0.2, 0.3]]):
        with pytest.raises(ValueError, match="unpack") as plain:
            parted(wrong, 0.8)
        with pytest.raises(ValueError, match="unpack") as found:
            gradient(parted, wrong, 0.8)
        assert str(found.value) == str(plain.value)
    with pytest.raises(IndexError, match="list index out of range"):
        gradient(row_kept, [], 0.8)


def rows_of_the_next_round(x, n):
    rows = [[x, x * x], [x, 2.0 * x]]
    for _ in range(n):
        new = []
        for row in rows:
            new.append([row[0] * x, row[1]])
        rows = new
        rows[0][1] = x
    return sum_of_products(rows)


def rows_of_one_arm(x, n):
    rows = []
    for i in range(n):
        rows.append([x, x * i])
    table = rows
    table[1][0] = x * 3.0
    if n > 7:
        table = []
        table.append([x, x])
    return sum_of_products(table)


def rows_written_as_they_are_walked(x, n):
    table = [[x, x]]
    for i in range(n):
        rows = []
        for _ in range(3):
            rows.append([x, x * i])
        table = rows
        for row in table:
            row[0] = row[1] * x
    return sum_of_products(table)


def sum_of_products(rows):
    s = 0.0
    for row in rows:
        s = s + row[0] * row[1]
    return s


@pytest.mark.parametrize(
    "fn", [rows_of_the_next_round, rows_of_one_arm, rows_written_as_they_are_walked]
)
def test_a_name_of_several_lists_whose_rows_are_written(fn):
    check_forms(fn, 1.3, 3)
    check_forms(fn, 0.7, 8)
