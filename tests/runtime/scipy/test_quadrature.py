"""Integrals in their limits, arguments, and what the integrand has captured."""

import math
import warnings

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported
from astad.testing import check_gradient

integrate = pytest.importorskip("scipy.integrate")


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 2.0), (2.0, -1.0), (0.5, np.inf), (-np.inf, 0.7), (-np.inf, np.inf)]
)
def test_finite_and_infinite_ranges(low, high):
    def f(a, shift):
        bell = lambda t: math.exp(-a * (t - shift) ** 2)
        return integrate.quad(bell, low + shift, high)[0]

    check_gradient(f, 1.3, 0.2)


def test_arguments_in_a_tuple_and_alone():
    def f(a, b):
        return integrate.quad(lambda t, c, d: np.exp(-c * t) * d[0], a, 2, args=(a, b))[0]

    check_gradient(f, 1.3, np.array([0.7]))
    check_gradient(lambda a: integrate.quad(lambda t, c: math.exp(-c * t), 5, 2, args=a)[0], 1.3)


def test_an_integrand_with_a_kink_and_one_that_is_singular_at_a_limit():
    check_gradient(lambda a: integrate.quad(lambda t: abs(t - a) ** 1.5, 0, 3)[0], 1.3, rtol=1e-5)
    (bar,) = gradient(lambda a: integrate.quad(lambda t: t ** (-a), 0, 1)[0], 0.3)
    assert math.isclose(bar, 1 / 0.49, rel_tol=1e-7)
    (bar,) = gradient(lambda a: integrate.quad(lambda t: a * math.log(t), 0, 1)[0], 0.3)
    assert math.isclose(bar, -1.0, rel_tol=1e-9)


def test_a_limit_at_which_the_integrand_is_not_finite_is_refused_when_asked_for():
    def f(a, b):
        return integrate.quad(lambda t: math.log(t), a, b)[0]

    with pytest.raises(Unsupported, match="not finite there"):
        gradient(f, 0.0, 1.5)
    assert math.isclose(gradient(lambda b: f(0.0, b), 1.5)[0], math.log(1.5))


@pytest.mark.slow
def test_integrals_over_two_and_three_variables():
    check_gradient(
        lambda a: integrate.dblquad(lambda y, x: a * x * y, 0, 2, 0, lambda x: a)[0], 1.3
    )
    check_gradient(lambda a: integrate.nquad(lambda y, x: a * x * y * y, [[0, 2], [0, a]])[0], 1.3)
    check_gradient(
        lambda a: integrate.tplquad(lambda z, y, x: a * x * y * z, 0, 2, 0, 1, 0, a)[0], 1.3
    )


def test_functions_that_capture_the_variable_of_a_loop():
    def f(a):
        total = 0.0
        for k in range(3):
            total += integrate.quad(lambda t: a * t**k, 0, a)[0]
        return total

    check_gradient(f, 1.3)


def test_the_results_and_warnings_are_those_of_the_plain_call():
    wild = lambda t: math.sin(1 / t)
    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        wanted = integrate.quad(wild, 1e-6, 1, limit=5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, _ = pullback(lambda a: integrate.quad(wild, 1e-6, 1, limit=5), 1.0)
    assert found == wanted
    assert [w.category for w in caught] == [w.category for w in plain]
    full, _ = pullback(lambda a: integrate.quad(lambda t: a * t, 0, 1, full_output=1), 1.0)
    assert full[2]["neval"] == 21


def test_what_is_not_differentiated_is_refused():
    with pytest.raises(Unsupported, match="item 1"):
        gradient(lambda a: integrate.quad(lambda t: a * t, 0, 1)[1], 1.0)
    with pytest.raises(Unsupported, match="weight="):
        gradient(lambda a: integrate.quad(lambda t: a * t, 0, 1, weight="cos", wvar=2.0)[0], 1.0)


def test_sums_over_samples_by_source():
    x, t = np.array([0.3, 1.2, 0.8, -0.5, 0.9]), np.array([0, 0.3, 0.5, 1.1, 1.7])
    for name in ("trapezoid", "simpson"):
        check_gradient(lambda x, t, name=name: getattr(integrate, name)(x * x, x=t), x, t)
    check_gradient(lambda a: integrate.fixed_quad(lambda s: np.exp(-a * s), 0, a, n=6)[0], 1.3)
    check_gradient(lambda a: integrate.quad_vec(lambda s: np.exp(-a * s), 0, a)[0], 1.3)


@pytest.mark.parametrize(
    ("weight", "wvar"),
    [
        ("cos", lambda w: w),
        ("sin", lambda w: w),
        ("cauchy", lambda w: w),
        ("alg", lambda w: (w, 0.5)),
        ("alg-loga", lambda w: (0.5, w)),
        ("alg-logb", lambda w: [w, w]),
        ("alg-log", lambda w: np.array([w, 0.5])),
    ],
)
def test_the_variables_of_a_weight_are_refused_by_name(weight, wvar):
    def f(w):
        return integrate.quad(np.exp, 0.0, 1.0, weight=weight, wvar=wvar(w))[0]

    with pytest.raises(Unsupported, match="weight="):
        gradient(f, 0.4)


def ratio_of_roots(x, r2):
    return math.asin(0.5 * math.sqrt(max((r2 - x * x) / (3.0 - x * x), 0.0)))


def cap_of_a_tank(r):
    """Its slope in ``r`` goes as one over the root of the distance from the limit."""
    return integrate.quad(ratio_of_roots, r - 0.5, r, args=(r * r,))[0]


def half_disk(r):
    return integrate.quad(lambda x: math.sqrt(r * r - x * x), -r, r)[0]


def root_of_the_distance(c, p):
    return integrate.quad(lambda x: c * (1.0 - x) ** p, 0.0, 1.0)[0]


class Beam:
    def __init__(self, length):
        self.length = length

    def load(self, x):
        return math.sqrt(x * (self.length - x))

    def total(self):
        return integrate.quad(self.load, 0.0, self.length)[0]


def beams(length):
    return sum(Beam(length * k).total() for k in (1.0, 2.0))


def quarter(r):
    found = []
    for end in (0.0, 0.5 * r):
        found.append(integrate.quad(lambda x, s: (s - x * x) ** 0.5, end, r, (r * r,))[0])
    return found[0] + 2.0 * found[1]


def backwards(r):
    return integrate.quad(lambda x: math.sqrt(r - x), r, 0.0)[0]


@pytest.mark.parametrize(
    ("f", "args", "slopes"),
    [
        (cap_of_a_tank, (1.0,), (0.08807654884,)),
        (half_disk, (1.5,), (math.pi * 1.5,)),
        (root_of_the_distance, (2.0, 0.5), (1 / 1.5, -2.0 / 1.5**2)),
        (root_of_the_distance, (2.0, 1.5), (1 / 2.5, -2.0 / 2.5**2)),
        (beams, (1.2,), (2.0 * math.pi / 8 * 1.2 * 5.0,)),
        (quarter, (1.5,), (math.pi / 2 * 1.5 + 4.0 * 1.5 * (math.pi / 6 - math.sqrt(3) / 8),)),
        (backwards, (1.7,), (-math.sqrt(1.7),)),
    ],
)
def test_a_slope_that_is_singular_at_a_limit(f, args, slopes):
    assert np.allclose(gradient(f, *args), slopes, rtol=2e-7)


LIMITS = {
    "above, captured too": lambda b: integrate.quad(lambda t: b * t, 0, b)[0],
    "below": lambda b: integrate.quad(lambda t: t * t, b, 3.0)[0],
    "of a half-line": lambda b: integrate.quad(lambda t: b * np.exp(-t), b, np.inf)[0],
    "both, and an argument": lambda b: integrate.quad(lambda t, c: c * t, -b, b * b, args=(b,))[0],
    "outer": lambda b: integrate.dblquad(lambda y, x: x * y, 0, b, 0, 1.0)[0],
    "inner": lambda b: integrate.dblquad(lambda y, x: x * y * b, 0, 1.0, lambda x: b * x, b)[0],
    "of three variables": lambda b: integrate.tplquad(lambda z, y, x: x + z, 0, b, 0, 1, 0, b)[0],
    "in ranges": lambda b: integrate.nquad(lambda x, y: x * y, [[0, b], (0, 1.0)])[0],
    "in a range that is a function": lambda b: integrate.nquad(
        lambda x, y: x * y * b, [lambda y: (0.0, y * b), (0, b)]
    )[0],
}


@pytest.mark.parametrize("kind", [float, np.array, np.float64])
@pytest.mark.parametrize("integral", LIMITS.values(), ids=LIMITS)
def test_limits_that_are_arrays_without_axes(integral, kind):
    step = 1e-4
    want = (integral(1.7 + step) - integral(1.7 - step)) / (2 * step)
    (bar,) = gradient(integral, kind(1.7))
    assert math.isclose(bar, want, rel_tol=1e-6)
    assert np.shape(bar) == ()


def test_a_limit_without_axes_that_is_overwritten_afterwards():
    def f(x):
        b = x[0, ...]
        area = integrate.quad(lambda t: b * t, 0, b)[0]
        b[...] = x[1]
        return area * b

    check_gradient(f, np.array([1.7, 0.4]))


def test_infinite_limits_that_are_products_of_parameters():
    def f(s):
        return integrate.quad(lambda t: np.exp(-t / s), 0.0, s * np.inf)[0] * s

    assert gradient(f, 1.3)[0] == pytest.approx(2.6)


@pytest.mark.slow
def test_expectations_of_distributions_with_a_scale():
    stats = pytest.importorskip("scipy.stats")
    found = gradient(lambda m, s: stats.norm(m, s).expect(lambda t: t**2), 0.5, 1.2)
    assert found == pytest.approx((1.0, 2.4))
