"""The thirty-six numerical cases as users meet them, by number: gradients of whole programs."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import astad
from astad.rules import lookup

NAN, INF = math.nan, math.inf
A = np.array
TIES = A([2.0, 5.0, 5.0])
EYE, SYMMETRIC = np.eye(2), A([[2.0, 1.0], [1.0, 3.0]])
SINGULAR = A([[1.0, 2.0], [2.0, 4.0]])
RANK_ONE = A([[1.0, 1.0], [1.0, 1.0]])


def total(f):
    return lambda *args: np.sum(f(*args))


def matrix_again(a):
    u, s, vt = np.linalg.svd(a)
    return np.sum(u @ np.diag(s) @ vt)


def exponential(a):
    w, v = np.linalg.eigh(a)
    return np.sum(v @ np.diag(np.exp(w)) @ v.T)


CASES = [
    (1, lambda x: np.linalg.norm(x), (np.zeros(3),), [0, 0, 0]),
    (1, lambda x: np.sqrt(np.sum(x * x)) * 0.0, (np.zeros(3),), [0, 0, 0]),
    (2, lambda x: np.linalg.norm(x) ** 2, (np.zeros(3),), [0, 0, 0]),
    (
        3,
        lambda x: np.sum(np.linalg.norm(x, axis=1)),
        (A([[3.0, 4.0], [0, 0]]),),
        [[0.6, 0.8], [0, 0]],
    ),
    (4, lambda x: np.linalg.norm(x, 1), (np.zeros(3),), [0, 0, 0]),
    (4, lambda x: np.linalg.norm(x, np.inf), (A([2.0, -2.0, 1.0]),), [0.5, -0.5, 0]),
    (5, lambda x: np.sqrt(x), (0.0,), INF),
    (5, lambda x: np.sum(np.sqrt(x)), (A([0.0, 4.0]),), [INF, 0.25]),
    (6, lambda x: 0 * np.sqrt(x), (0.0,), 0),
    (6, lambda x: np.sum(0 * np.sqrt(x)), (np.zeros(2),), [0, 0]),
    (6, lambda x: np.sqrt(x**2), (0.0,), NAN),
    (6, lambda x: np.sum(np.sqrt(x**2)), (np.zeros(1),), [NAN]),
    (7, lambda x: abs(x), (0.0,), 0),
    (7, lambda x: np.sum(np.abs(x)), (A([0.0, -2.0]),), [0, -1]),
    (8, lambda z: abs(z), (0j,), 0),
    (9, lambda z: abs(z), (3 + 4j,), 0.6 + 0.8j),
    (9, lambda z: np.sum(np.abs(z)), (A([3 + 4j]),), [0.6 + 0.8j]),
    (10, lambda z: np.angle(z), (0j,), 0),
    (11, lambda x: x**0, (0.0,), 0),
    (11, lambda x: x**0.0, (0.0,), 0),
    (11, lambda x: np.sum(x**0), (np.zeros(2),), [0, 0]),
    (11, lambda x: np.sum(x**0.0), (np.zeros(2),), [0, 0]),
    (12, lambda x: x**1, (0.0,), 1),
    (12, lambda x: x**2, (0.0,), 0),
    (12, lambda x: np.sum(x**0.5), (np.zeros(1),), [INF]),
    (13, lambda x: x**3, (-2.0,), 12),
    (13, lambda x: x**3.0, (-2.0,), 12),
    (14, lambda p: np.float64(-2.0) ** p, (3.0,), NAN),
    (15, lambda p: np.float64(0.0) ** p, (2.0,), 0),
    (15, lambda p: np.float64(0.0) ** p, (0.0,), 0),
    (16, lambda y, x: np.arctan2(y, x), (0.0, 0.0), 0),
    (16, lambda y, x: math.atan2(y, x), (0.0, 0.0), 0),
    (16, lambda x, y: np.arctan2(y, x), (0.0, 0.0), 0),
    (16, lambda x, y: math.atan2(y, x), (0.0, 0.0), 0),
    (17, lambda x, y: np.hypot(x, y), (0.0, 0.0), 0),
    (17, lambda y, x: np.hypot(x, y), (0.0, 0.0), 0),
    (17, lambda x, y: math.hypot(x, y), (0.0, 0.0), 0),
    (18, lambda x: np.prod(x), (A([2.0, 0.0, 3.0]),), [0, 6, 0]),
    (18, lambda x: np.prod(x), (A([2.0, 0.0, 0.0]),), [0, 0, 0]),
    (18, lambda x: math.prod(x.tolist()), (A([2.0, 0.0, 3.0]),), [0, 6, 0]),
    (19, total(np.cumprod), (A([2.0, 0.0, 3.0]),), [1, 8, 0]),
    (20, lambda x: np.std(x), (np.full(3, 2.5),), [0, 0, 0]),
    (20, lambda x: np.var(x, ddof=1), (np.ones(1),), [NAN]),
    *[
        (21, f, (TIES,), [0, 0.5, 0.5])
        for f in (
            lambda x: np.max(x),
            lambda x: np.amax(x),
            lambda x: x.max(),
            lambda x: np.maximum.reduce(x),
            lambda x: np.nanmax(x),
        )
    ],
    (21, lambda x: np.sum(np.maximum(x, 0)), (A([0.0, 1.0, -1.0]),), [0.5, 1, 0]),
    (22, lambda x: np.sum(np.clip(x, 0, 1)), (A([0.0, 0.5, 1.0, 2.0]),), [1, 1, 1, 0]),
    (23, lambda x: np.sort(x) @ A([1.0, 2.0, 3.0]), (A([2.0, 1.0, 1.0]),), [3, 1, 2]),
    (24, lambda x: np.median(x), (A([4.0, 1.0, 2.0, 3.0]),), [0, 0, 0.5, 0.5]),
    (25, lambda x: np.max(x), (A([1.0, NAN, 3.0]),), [0, NAN, 0]),
    (26, lambda x: np.nanmax(x), (A([1.0, NAN, 3.0]),), [0, 0, 1]),
    (26, lambda x: np.nansum(x**2), (A([1.0, NAN, 3.0]),), [2, 0, 6]),
    (27, lambda x: np.sinc(x), (0.0,), 0),
    (28, lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0)), (A([0.0, -1.0, 4.0]),), [0, 0, 0.25]),
    (28, lambda x: np.sum(np.where(x > 0, np.log(x), 0)), (A([0.0, 2.0]),), [0, 0.5]),
    (31, lambda x, y: np.logaddexp(x, y), (-INF, -INF), 0.5),
    (31, lambda x, y: np.logaddexp(x, y), (INF, 1.0), 1),
    (31, lambda y, x: np.logaddexp(x, y), (1.0, INF), 0),
    (32, lambda x: np.log1p(np.exp(x)), (np.float64(1000.0),), NAN),
    (32, lambda x: np.logaddexp(0.0, x), (1000.0,), 1),
    (33, lambda a: np.sum(np.linalg.svd(a)[1]), (EYE,), EYE),
    (33, lambda a: np.sum(np.linalg.svd(a, compute_uv=False)), (EYE,), EYE),
    (34, lambda a: np.sum(np.linalg.eigh(a)[0]), (EYE,), EYE),
    (34, lambda a: np.sum(np.linalg.matrix_power(a, 3)), (EYE,), np.full((2, 2), 3.0)),
    (
        35,
        lambda a: np.linalg.eigvalsh(a)[0],
        (SYMMETRIC,),
        [[0.7236068, 0], [-0.8944272, 0.2763932]],
    ),
    (36, lambda a: np.linalg.det(a), (SINGULAR,), [[4, -2], [-2, 1]]),
    (36, total(np.linalg.pinv), (RANK_ONE,), np.full((2, 2), -0.25)),
]


@pytest.mark.parametrize(
    ("number", "f", "args", "wanted"), CASES, ids=[f"{c[0]}-{k}" for k, c in enumerate(CASES)]
)
def test_a_case(number, f, args, wanted):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(3):  # the generic pair, then those for the kinds that were met
            found = astad.gradient(f, *args)[0]
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-12)


def test_a_power_of_a_negative_base_warns_only_when_its_exponent_is_asked():  # case 14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert astad.gradient(lambda x: x**3.0, np.float64(-2.0)) == (12.0,)
        assert astad.gradient(lambda x: np.sum(x**3), A([-2.0]))[0].tolist() == [12.0]


@pytest.mark.parametrize("f", [matrix_again, exponential])
def test_factors_of_equal_values_are_nan_and_say_so(f):  # cases 33, 34
    with pytest.warns(RuntimeWarning, match="are equal"):
        (found,) = astad.gradient(f, EYE)
    assert np.isnan(found).any()


def test_the_triangle_that_cholesky_reads():  # case 35
    (found,) = astad.gradient(lambda a: np.sum(np.linalg.cholesky(a)), A([[2.0, 1.0], [1.0, 4.0]]))
    assert found[0, 1] == 0 and found[1, 0] == pytest.approx(math.sqrt(0.5) - 0.5 / math.sqrt(3.5))


def test_cases_of_scipy():  # 29 and 30
    special = pytest.importorskip("scipy.special")
    with np.errstate(all="ignore"):
        assert astad.gradient(lambda x: special.xlogy(x, x), 0.0) == (-INF,)
        assert astad.gradient(lambda y: special.xlogy(0.0, y), 0.0) == (0.0,)
        for lows, wanted in (([-INF, -INF], [0, 0]), ([-INF, 1.0], [0, 1])):
            (found,) = astad.gradient(lambda x: special.logsumexp(x), A(lows))
            np.testing.assert_array_equal(found, wanted)


def test_functions_of_matrices_never_divide_by_gaps():  # case 34
    linalg = pytest.importorskip("scipy.linalg")
    for function, slope in (
        (linalg.expm, math.e),
        (linalg.sqrtm, 0.5),
        (linalg.logm, 1.0),
        (linalg.pinv, -1.0),
        (lambda a: linalg.funm(a, lambda t: t**3), 3.0),
    ):
        (found,) = astad.gradient(total(function), EYE)
        np.testing.assert_allclose(found, np.full((2, 2), slope), rtol=1e-12)


def test_second_derivative_of_sinc():  # case 27
    """By the pullback of its rule; a gradient of a gradient is refused by name."""
    rule = lookup(np.sinc)
    back = rule.pull(rule.parameters[:1])
    (second,) = astad.gradient(lambda x: back(1.0, np.sinc(x), x)[0], 0.0)
    assert second == pytest.approx(-(math.pi**2) / 3)


def test_every_case_is_here():
    elsewhere = {29, 30}
    assert {case[0] for case in CASES} | elsewhere == set(range(1, 37))
