"""Programs that other packages get silently wrong, or refuse: plain NumPy and Python."""

import math

import numpy as np
import pytest

import astad
from astad.errors import AstadError

X = np.array([1.0, 2.0, 3.0])
MASK = np.array([True, False, True])


def slice_of_zeros(x):
    b = np.zeros(4)
    b[:2] = x[:2]
    return np.sum(b * b)


def element_from_the_next(x):
    b = x * 1
    b[0] = 2 * b[1]
    return np.sum(b * b)


def overlapping(x):
    b = x * 1
    b[1:] += b[:-1]
    return np.sum(b * b)


def through_a_view(x):
    b = x * 1
    v = b[1:]
    v *= 3
    return np.sum(b * b)


def into_out(x):
    o = np.zeros(3)
    np.multiply(x, x, out=o)
    return np.sum(o)


def added_at(x):
    o = np.zeros(3)
    np.add.at(o, [0, 0, 2], x)
    return np.sum(o * o)


def sorted_in_place(x):
    b = x[::-1] * 1
    b.sort()
    return b @ np.array([1.0, 10.0, 100.0])


def objects(x):
    return np.array([v**2 for v in x], dtype=object).sum()


def structured(x):
    s = np.zeros(3, [("a", float), ("n", int)])
    s["a"] = x
    return np.sum(s["a"] ** 2)


PROGRAMS = {
    slice_of_zeros: [2, 4, 0],
    element_from_the_next: [0, 20, 6],
    overlapping: [8, 16, 10],
    through_a_view: [2, 36, 54],
    into_out: [2, 4, 6],
    added_at: [6, 6, 6],
    sorted_in_place: [1, 10, 100],
    (lambda x: float(x[0]) * x[1]): [2, 1, 0],
    (lambda x: math.sin(x[0]) * x[1]): [2 * math.cos(1), math.sin(1), 0],
    (lambda x: x[0].item() * x[1]): [2, 1, 0],
    (lambda x: np.array([[x[0], x[1]], [x[1] * x[2], 0]]).sum()): [1, 4, 2],
    (lambda x: np.arange(3.0).dot(x)): [0, 1, 2],
    (lambda x: np.sum(np.sin(x))): np.cos(X),
    (lambda x: x[0] * len(f"{x[1]:.3f}")): [5, 0, 0],
    (lambda x: x[0] * len("%.3f" % x[1])): [5, 0, 0],
    (lambda x: np.sum(x, where=MASK)): [1, 0, 1],
    (lambda x: np.sum(np.full_like(np.ones(2), x[0]))): [2, 0, 0],
    (lambda x: np.unique(x[::-1]) @ np.array([1.0, 10.0, 100.0])): [1, 10, 100],
    (lambda x: np.polydiv(x, np.array([1.0, 2.0]))[1].sum()): [4, -2, 1],
    objects: [2, 4, 6],
    (lambda x: np.partition(x[::-1], 1)[0]): [1, 0, 0],
}
RIGHT_OR_LOUD = {
    structured: [2, 4, 6],
    (lambda x: np.ma.masked_array(x, ~MASK).sum()): [1, 0, 1],
    (lambda x: np.sum(np.matrix(x) * np.matrix(np.ones((3, 1))))): [1, 1, 1],
}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right(f):
    for _ in range(3):
        np.testing.assert_allclose(astad.gradient(f, X)[0], PROGRAMS[f], rtol=1e-12)


@pytest.mark.parametrize("f", RIGHT_OR_LOUD, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_right_or_loud(f):
    try:
        (found,) = astad.gradient(f, X)
    except AstadError:
        return
    np.testing.assert_allclose(found, RIGHT_OR_LOUD[f], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("f", [np.mean, np.std, np.max, lambda x: np.sum(np.sin(x) * 2.0)])
def test_precision_is_kept(f, dtype):
    (found,) = astad.gradient(lambda x: f(x), X.astype(dtype))
    assert found.dtype == dtype
    (wanted,) = astad.gradient(lambda x: f(x), X)
    np.testing.assert_allclose(found.astype(float), wanted, rtol=4e-3)


def test_integers_have_a_gradient():
    (g,) = astad.gradient(lambda x: np.sum(x * x), np.array([1, 2, 3]))
    assert g.tolist() == [2.0, 4.0, 6.0]
    assert astad.gradient(lambda n: n**2, 3) == (6,)


@pytest.mark.parametrize("name", ["jv", "iv", "ive"])
def test_the_order_of_a_bessel_function(name):
    function = getattr(pytest.importorskip("scipy.special._ufuncs"), name)
    (found,) = astad.gradient(lambda order: function(order, 1.3), 1.5)
    wanted = (function(1.5 + 1e-6, 1.3) - function(1.5 - 1e-6, 1.3)) / 2e-6
    assert found == pytest.approx(wanted, rel=1e-7)


def test_spence_where_it_is_finite():
    special = pytest.importorskip("scipy.special._ufuncs")
    (found,) = astad.gradient(lambda x: special.spence(x), 1.92)
    assert found == pytest.approx(-math.log(1.92) / 0.92, rel=1e-12)
