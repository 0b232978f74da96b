"""Points where a derivative is a decision: kinks, ties, singular points, degenerate spectra.

The expected numbers are the conventions of docs/conventions.md.
"""

import math

import numpy as np
import pytest

from astad import gradient, value_and_grad

nan, inf = math.nan, math.inf


def check(f, x, expected, **tolerance):
    with np.errstate(all="ignore"):
        (found,) = gradient(f, np.array(x, float) if isinstance(x, list) else x)
    assert np.shape(found) == np.shape(expected)
    assert np.allclose(found, expected, equal_nan=True, **({"rtol": 1e-7} | tolerance)), found


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: np.linalg.norm(x), [0.0, 0.0, 0.0], [0, 0, 0]),
        (lambda x: np.linalg.norm(x) ** 2, [0.0, 0.0, 0.0], [0, 0, 0]),
        (
            lambda x: np.linalg.norm(x, axis=1).sum(),
            [[0.0, 0.0], [3.0, 4.0]],
            [[0, 0], [0.6, 0.8]],
        ),
        (lambda x: np.linalg.norm(x, 1), [0.0, -2.0], [0, -1]),
        (lambda x: np.linalg.norm(x, np.inf), [2.0, -2.0, 1.0], [0.5, -0.5, 0]),
        (lambda x: np.abs(x).sum(), [0.0, -2.0], [0, -1]),
        (lambda x: abs(x), 0.0, 0),
        (lambda x: np.hypot(x[0], x[1]), [0.0, 0.0], [0, 0]),
        (lambda x: math.hypot(x[0], x[1]), [0.0, 0.0], [0, 0]),
        (lambda x: np.arctan2(x[0], x[1]), [0.0, 0.0], [0, 0]),
        (lambda x: math.atan2(x[0], x[1]), [0.0, 0.0], [0, 0]),
        (lambda x: np.std(x), [2.0, 2.0, 2.0], [0, 0, 0]),
        (lambda x: x.std(), [2.0, 2.0], [0, 0]),
    ],
)
def test_kink_gives_the_smallest_subgradient(f, x, expected):
    check(f, x, expected)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (np.max, [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
        (lambda x: x.max(), [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
        (lambda x: np.maximum.reduce(x), [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
        (np.nanmax, [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
        (np.min, [2.0, 2.0, 5.0], [0.5, 0.5, 0]),
        (lambda x: np.maximum(x, 0.0).sum(), [0.0, 1.0, -1.0], [0.5, 1, 0]),
        (lambda x: np.clip(x, 0.0, 1.0).sum(), [0.0, 1.0, 0.5, 2.0], [1, 1, 1, 0]),
        (lambda x: np.median(x), [4.0, 1.0, 3.0, 2.0], [0, 0, 0.5, 0.5]),
        (lambda x: (np.sort(x) * np.arange(3.0)).sum(), [1.0, 1.0, 0.5], [1, 2, 0]),
    ],
)
def test_ties_are_split_evenly_and_sorting_follows_its_permutation(f, x, expected):
    check(f, x, expected)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (np.sqrt, 0.0, inf),
        (lambda x: 0 * np.sqrt(x), 0.0, 0),
        (lambda x: np.sqrt(x**2), 0.0, nan),
        (lambda x: np.where(x > 0, np.sqrt(x), 0).sum(), [0.0, -1.0, 4.0], [0, 0, 0.25]),
        (lambda x: np.where(x > 0, np.log(x), 0).sum(), [0.0, 2.0], [0, 0.5]),
        (lambda x: np.nansum(x**2), [1.0, nan, 3.0], [2, 0, 6]),
        (lambda x: np.max(x), [1.0, nan, 3.0], [0, nan, 0]),
        (lambda x: np.log1p(np.exp(x)), 1000.0, nan),
        (lambda x: np.logaddexp(0.0, x), 1000.0, 1),
    ],
)
def test_singular_points_and_exact_zero_cotangents(f, x, expected):
    check(f, x, expected)


def test_logaddexp_at_infinity():
    with np.errstate(all="ignore"):
        assert gradient(np.logaddexp, -inf, -inf) == (0.5, 0.5)
        assert gradient(np.logaddexp, inf, 1.0) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("x", "p", "expected"),
    [
        (0.0, 0, 0),
        (0.0, 0.0, 0),
        (0.0, 1, 1),
        (0.0, 2, 0),
        (-2.0, 3, 12),
        (-2.0, 3.0, 12),
    ],
)
def test_powers_in_their_base(x, p, expected):
    for power in (lambda x: x**p, lambda x: np.power(x, p)):
        check(power, x, expected)
        check(power, np.float64(x), expected)
    check(lambda x: (x**p).sum(), [x, x], [expected, expected])


def test_root_of_an_array_at_zero_is_infinite():
    check(lambda x: (x**0.5).sum(), [0.0, 4.0], [inf, 0.25])


def test_powers_in_their_exponent():
    with np.errstate(all="ignore"):
        assert gradient(lambda x, p: x**p, 0.0, 2.0)[1] == 0
        assert gradient(lambda x, p: x**p, 0.0, 0.0)[1] == 0
        assert math.isnan(gradient(lambda x, p: x**p, -2.0, 3.0)[1])


def test_negative_base_warns_only_when_the_exponents_gradient_is_wanted(recwarn):
    value, x_bar = value_and_grad(lambda x, p: x**p, 0)(np.float64(-2.0), np.float64(3.0))
    assert (value, x_bar) == (-8.0, 12.0)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (np.prod, [2.0, 0.0, 3.0], [0, 6, 0]),
        (np.prod, [0.0, 0.0, 3.0], [0, 0, 0]),
        (math.prod, [2.0, 0.0, 3.0], [0, 6, 0]),
        (lambda x: np.cumprod(x).sum(), [2.0, 0.0, 3.0], [1, 8, 0]),
        (np.sinc, 0.0, 0),
        (lambda x: np.linalg.det(x), [[1.0, 2.0], [2.0, 4.0]], [[4, -2], [-2, 1]]),
    ],
)
def test_products_with_zeros(f, x, expected):
    check(f, x, expected, atol=1e-12)


def test_complex_conventions():
    assert gradient(lambda z: abs(z), 0j) == (0j,)
    assert gradient(lambda z: abs(z), 3 + 4j)[0] == pytest.approx(0.6 + 0.8j)
    assert gradient(lambda z: np.angle(z), np.complex128(0)) == (0j,)
    assert gradient(lambda z: np.log(z).real, np.complex128(1 + 2j))[0] == pytest.approx(0.2 + 0.4j)


def test_singular_values_that_are_equal():
    check(lambda A: np.linalg.svd(A, compute_uv=False).sum(), [[1.0, 0.0], [0.0, 1.0]], np.eye(2))
    check(lambda A: np.linalg.svd(A)[1].sum(), [[1.0, 0.0], [0.0, 1.0]], np.eye(2))


def test_vectors_of_equal_singular_values_are_nan_with_a_warning():
    def f(A):
        U, s, Vh = np.linalg.svd(A)
        return ((U * s) @ Vh).sum()

    with pytest.warns(RuntimeWarning):
        (bar,) = gradient(f, np.eye(2))
    assert not np.all(np.isfinite(bar))


def test_vectors_of_equal_eigenvalues_are_nan_with_a_warning():
    def f(A):
        w, V = np.linalg.eigh(A)
        return ((V * np.exp(w)) @ V.T)[0, 1]

    check(lambda A: np.linalg.eigh(A)[0].sum(), [[1.0, 0.0], [0.0, 1.0]], np.eye(2))
    with pytest.warns(RuntimeWarning):
        (bar,) = gradient(f, np.eye(2))
    assert not np.all(np.isfinite(bar))


def test_triangle_that_is_read():
    A = [[2.0, 1.0], [1.0, 3.0]]
    check(lambda A: np.linalg.eigvalsh(A)[0], A, [[0.723607, 0], [-0.894427, 0.276393]], atol=1e-6)
    (bar,) = gradient(lambda A: np.linalg.cholesky(A).sum(), np.array(A))
    assert bar[0, 1] == 0
    assert bar[1, 0] == pytest.approx(1 / math.sqrt(2) - 1 / math.sqrt(10))


def test_pseudoinverse_of_rank_one():
    check(
        lambda A: np.linalg.pinv(A)[0, 0],
        [[1.0, 0.0], [0.0, 0.0]],
        [[-1, 0], [0, 0]],
        atol=1e-12,
    )
    check(lambda A: np.linalg.pinv(A).sum(), [[1.0, 0.0], [0.0, 0.0]], [[-1, 1], [1, 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.longdouble])
def test_width_of_floats_is_kept(dtype):
    x = np.array([0.5, 1.5], dtype)
    (bar,) = gradient(lambda x: (np.tanh(x) * np.array([1.0, 2.0])).sum(), x)
    assert bar.dtype == dtype
    (bar,) = gradient(lambda x: np.sin(x) * 2.0, dtype(0.5))
    assert np.asarray(bar).dtype == dtype


def test_kinds_of_arguments_and_gradients():
    assert gradient(lambda x: 3 * x**2 + 2 * x + 1, 5) == (32,)
    assert type(gradient(lambda x: 3 * x**2 + 2 * x + 1, 5)[0]) is int
    assert gradient(lambda x, flag: x * 2.0 if flag else x, 1.5, True) == (2.0, None)
    (bar,) = gradient(lambda n: (n * n * 0.5).sum(), np.array([1, 2]))
    assert bar.dtype == np.float64
    (bar,) = gradient(lambda x: x * 2.0, np.array(1.5))
    assert isinstance(bar, np.ndarray) and bar.shape == ()
    (bar,) = gradient(lambda x: np.sin(x), 1.5)
    assert not isinstance(bar, np.ndarray)


def test_unusual_arrays_are_neither_written_nor_misread():
    x = np.arange(12.0).reshape(3, 4)
    x.flags.writeable = False
    for a in (x, x.T, x[::-1, ::2], np.broadcast_to(x[0], (3, 4)), np.asfortranarray(x), x[:0]):
        (bar,) = gradient(lambda a: (a * a).sum(), a)
        assert np.array_equal(bar, 2 * a)
        assert bar.shape == a.shape


# --- what is not chosen has a slope of 0, however steep the way behind it


def best_of(x, limit):
    best = np.minimum(x, limit)
    return np.sum(np.sqrt(best - limit) + x)


def one_by_one(x, limit):
    total = 0.0
    for value in x:
        total += np.sqrt(np.minimum(value, limit) - limit) + value
    return total


class Tank:
    def __init__(self, level):
        self.level = level

    def outflow(self):
        return np.sqrt(np.fmax(0.0, self.level))


def tanks(x, limit):
    found = {"a": Tank(x - limit), "b": Tank(limit - x)}
    return np.sum(found["b"].outflow() + x) + 0.0 * np.sum(found["a"].level)


def column(x, limit):
    return np.sum(np.sqrt(np.maximum(-x.reshape(-1, 1), [-limit, -limit]) + limit)) + np.sum(x)


@pytest.mark.parametrize("f", [best_of, one_by_one, tanks, column])
def test_an_infinite_cotangent_does_not_come_to_what_was_not_chosen(f):
    (found,) = gradient(lambda x: f(x, 2.0), np.array([3.0, 2.5]))
    np.testing.assert_array_equal(found, [1.0, 1.0])


def test_the_same_of_numbers():
    f = lambda x: np.sqrt(np.minimum(x, 2.0) - 2.0) + x
    assert gradient(f, 2.5) == gradient(f, np.float64(2.5)) == (1.0,)
    assert gradient(lambda x: np.sqrt(np.fmin(x, 2.0) - 2.0) + x, 2.5) == (1.0,)
    ways = {"upper": lambda x: np.sqrt(np.maximum(x, 0.0)), "own": lambda x: x}
    assert gradient(lambda x: sum(ways[key](x) for key in sorted(ways)), -2.0) == (1.0,)


def test_the_ways_to_both_operands():
    with np.errstate(all="ignore"):
        found = gradient(lambda x, y: np.sqrt(np.maximum(x, y)).sum(), np.array([0.0, -1]), -1.0)
    np.testing.assert_array_equal(found[0], [inf, nan])
    assert math.isnan(found[1])  # at the tie both have a share
