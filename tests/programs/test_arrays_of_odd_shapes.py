"""Calls of NumPy and SciPy with arrays that a program rarely means, and sometimes has: empty ones,
numbers in the place of arrays, one entry along an axis, an axis more, fractions."""

from fractions import Fraction

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.programs.ways import check_ways

X = np.array([1.0, 2.0, 3.0])
A = np.array([[1.0, 2.0], [3.0, 5.0]])


def copied_onto_itself(x):
    x = x * 1.0
    np.copyto(x, x, where=np.ones((2, 2), bool))  # NumPy does not even look at the mask
    return np.sum(x**2)


EMPTY = [
    lambda x: np.sum(np.diff(x[:1], n=2)) + x[0] ** 2,
    lambda x: np.sum(np.diff(x[:2], n=3)) + x[0] ** 2,
    lambda x: np.sum(np.diff(x.reshape(1, 3), n=2, axis=0)) + x[0] ** 2,
    lambda x: np.sum(np.diff(x[:1], n=3, prepend=x[1], append=x[:1])) + x[0] ** 2,
    lambda x: np.trapezoid(x[:0]) + x[0] ** 2,
    lambda x: np.trapezoid(x[:0], x[:0]) + x[0] ** 2,
    lambda x: np.sum(np.resize(x[:0], 3)) + x[0] ** 2,
    lambda x: np.sum(np.bincount([], weights=x[:0], minlength=2)) + x[0] ** 2,
    lambda x: np.sum(np.polyval(x.reshape(1, 3)[:0], 0.5)) + x[0] ** 2,
    lambda x: np.sum(np.polyder(x[:1].reshape(1, 1))) + x[0] ** 2,
    lambda x: np.sum(np.median(x[:0].reshape(0, 0), axis=0)) + x[0] ** 2,
    lambda x: np.sum(np.linalg.pinv(x[:0].reshape(0, 1), hermitian=True)) + x[0] ** 2,
]

NUMBERS = [
    lambda s: np.sum(np.repeat(s, 2, axis=0) ** 2),
    lambda s: np.sum(np.repeat(s, [2], axis=0) ** 2),
    lambda s: np.sum(np.polymul(s, [1.0, s])),
    lambda s: np.sum(np.polymul([s, 2.0], s)),
    lambda s: np.sum(np.full(3, [[s]]) ** 2),
    lambda s: np.sum(np.setdiff1d(s, [1.0]) ** 2),
    lambda s: np.sum(np.polyint([s, 1.0], 2, [s])),
    lambda s: np.linalg.norm([s, 2.0], [3]).sum(),
    lambda s: np.linalg.norm([s, 2.0], 3),
    lambda s: np.linalg.norm([[s, 2.0], [0.5, s]], 1),
]

ARRAYS = [
    lambda x: np.sum(np.maximum.accumulate(x, axis=None) ** 2),
    lambda x: np.sum(np.logaddexp.accumulate(x, axis=None)),
    lambda x: np.sum(np.full_like(x, x[:1].reshape(1, 1)) ** 2),
    lambda x: np.sum(np.full(2, x[:1].reshape(1, 1, 1)) ** 2),
    lambda x: np.sum(np.polyadd(x.reshape(3, 1), x[:2]) ** 2),
    lambda x: np.var(x.reshape(1, 3), axis=1, mean=x[:2].reshape(2, 1)).sum(),
    lambda x: np.trapezoid(x.reshape(3, 1), np.sin(np.ones((3, 4)).cumsum(0)), axis=0).sum(),
    copied_onto_itself,
]


@pytest.mark.parametrize("f", [*EMPTY, *ARRAYS[:-1]])
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_an_array(f):
    check_ways(f, X)


def test_an_array_copied_onto_itself():
    check_ways(copied_onto_itself, X[:2])


@pytest.mark.parametrize("f", NUMBERS)
def test_a_number(f):
    check_ways(f, 1.5)


@pytest.mark.parametrize("shape", [(2, 2, 2), (2, 1, 2, 2)])
def test_columns_of_stacks(shape):
    a = np.sin(np.arange(8.0)).reshape(shape)
    check_ways(lambda a: np.sum(np.column_stack([a, a * a]) ** 2), a)


def test_scipy():
    special, ndimage = pytest.importorskip("scipy.special"), pytest.importorskip("scipy.ndimage")
    linalg = pytest.importorskip("scipy.linalg")
    check_ways(lambda s: special.logsumexp(s, axis=0) ** 2, 1.5)
    for f in (ndimage.gaussian_filter, ndimage.median_filter, ndimage.uniform_filter):
        check_ways(lambda x, f=f: np.sum(f(x[:0], 3)) + x[0] ** 2, X)
    stack = np.sin(np.arange(12.0) + 0.3).reshape(2, 3, 2)
    check_ways(lambda a: np.sum(linalg.qr(a, mode="r")[0] ** 3), stack)


def test_what_scipy_computes_otherwise_is_refused():
    linalg = pytest.importorskip("scipy.linalg")
    with pytest.raises(Unsupported, match="does not cover"):  # LAPACK reads the other row
        gradient(lambda ab: np.sum(linalg.eigvals_banded(ab) ** 2), A[:, :1])
    with pytest.raises(Unsupported, match="does not cover"):  # SciPy 1.17 gives exp
        gradient(lambda s: np.sum(linalg.sqrtm(s)), 1.5)


FRACTIONS = [
    (lambda s: float(np.median([s, 1])), 0.5),
    (lambda s: float(np.ptp([s, 1])), 1.0),
    (lambda s: float(np.percentile([s, 1], 25)), 0.25),
    (lambda s: float(np.quantile([s, 1], 0.25)), 0.25),
    (lambda s: float(np.nan_to_num(s)), 1.0),
    (lambda s: float(np.average([s, 1], weights=[1, 3])), 0.25),
    (lambda s: float(np.average([2, 1], weights=[s, 3])), 1 / 12),
    (lambda s: float(np.sum(s ** np.arange(3))), 7.0),
    (lambda s: float(np.dot([s, 1], [s, 2])), 6.0),
]


@pytest.mark.parametrize(("f", "wanted"), FRACTIONS)
def test_a_fraction(f, wanted):
    check_ways(f, Fraction(3), wanted=[wanted])


def test_shapes_that_no_formula_was_written_for_are_refused():
    def f(a):
        return np.linalg.multi_dot([a, a]).sum()

    with pytest.raises(Unsupported, match="does not cover arrays"):
        gradient(f, np.ones((2, 2, 2)))
