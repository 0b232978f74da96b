"""Lists that a function of NumPy gives, and that the program changes afterwards."""

import numpy as np
import pytest

from tests.compiler.forms import check_forms

VECTOR = np.array([1.3, 0.7, -0.4, 2.1])
MATRIX = np.arange(12.0).reshape(3, 4) / 7 + 0.3


def tolist(x):
    l = x.tolist()
    l.append(l[-1] * l[0])
    l[0] += l[-1]
    return sum(l) * x[0]


def split(x):
    p = np.split(x, 2)
    p[0] = p[1] * 3
    p.append(p[0] * p[1])
    return np.sum(p[-1]) + np.sum(p[0])


def array_split(x):
    p = np.array_split(x * 2, 3)
    p.reverse()
    q = p.pop()
    p[0] = q[0] * p[0]
    return np.sum(p[0]) * np.sum(p[1])


def rows_of_tolist(m):
    l = m.tolist()
    l[0].append(l[1][0])
    l[1] = l[0]
    l.pop()
    return sum(l[0]) * sum(l[1]) + m[2, 1]


def meshgrid(x):
    a = np.meshgrid(x, x * 2)
    a = list(a)
    a[0] = a[1] * a[0]
    a.insert(0, a[1])
    return np.sum(a[0] * a[1])


def sorted_list(x):
    l = sorted(x.tolist())
    l[0] = l[-1] * l[1]
    l.append(l[0])
    return sum(l)


def sorted_in_place(x):
    l = x.tolist()
    del l[0]
    l.sort()
    l[1:2] = [l[0] * l[1], 9.0]
    return sum(k * v for k, v in enumerate(l))


def broadcast_arrays(x):
    l = list(np.broadcast_arrays(x, x[0]))
    l[0] = l[1] * l[0]
    return np.sum(l[0])


def atleast_2d(x):
    l = np.atleast_2d(x, x * x)
    l = list(l)
    l[1] = l[0] * 2
    return np.sum(l[0] * l[1])


def vsplit(m):
    r = np.vsplit(m * 1.0, 3)
    r[0] = r[1]
    r[1] = r[2] * r[0]
    r += [r[1]]
    return np.sum(r[0] * r[1] * r[3])


def cleared(x):
    l = x.tolist()
    l.clear()
    return x[0] + len(l)


def histogram(x):
    h, e = np.histogram(x, bins=3, weights=x * x)
    h = h.tolist()
    h[0] += h[-1]
    h.append(h[0])
    return sum(h)


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (tolist, VECTOR),
        (split, VECTOR),
        (array_split, VECTOR),
        (rows_of_tolist, MATRIX),
        (meshgrid, VECTOR),
        (sorted_list, VECTOR),
        (sorted_in_place, VECTOR),
        (broadcast_arrays, VECTOR),
        (atleast_2d, VECTOR),
        (vsplit, MATRIX),
        (cleared, VECTOR),
        (histogram, VECTOR),
    ],
)
def test_right(fn, x):
    check_forms(fn, x)
