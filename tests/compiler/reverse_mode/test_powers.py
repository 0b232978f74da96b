"""Powers written out: of real floats and of arrays; what turns complex is left to dispatch."""

import math

import numpy as np
import pytest

import astad
from astad.compiler.ir.kinds import array
from astad.compiler.pipeline import compile_function
from astad.errors import Unsupported


def power(x, y):
    return x**y


def roots(x):
    return 3.0 * x**0.5 + x**-2 + x ** (1 / 3) + 2.0**x


def series(x, n):
    total = 0.0
    for i in range(n):
        total = total + x ** (n - 2 * i)
    return total


@pytest.mark.parametrize(
    "x, y",
    [
        (2.5, 1.7), (2.0, -3), (2, -3), (2, 3), (2, 0.5), (np.float64(2.0), 0.5),
        (2.0, np.float64(-0.5)),
    ],
)  # fmt: skip
def test_of_numbers(forms_agree, x, y):
    forms_agree(power, x, y)


def test_expected_derivatives():
    assert astad.gradient(power, 2.0, 3.0) == pytest.approx((12.0, 8.0 * math.log(2.0)))
    assert astad.gradient(power, 0.0, 0.5) == (math.inf, 0.0)
    expected = 1.5 / math.sqrt(2.0) - 0.25 + 2 ** (-2 / 3) / 3 + 4.0 * math.log(2.0)
    assert astad.gradient(roots, 2.0) == pytest.approx((expected,), rel=1e-14)
    assert astad.grad(series)(1.3, 4) == pytest.approx(4 * 1.3**3 + 2 * 1.3 - 2 * 1.3**-3)


def test_a_power_that_turns_complex():
    """The variant for real ones is left half-way, and the call is answered by another."""

    def f(x):
        y = (x - 3.0) ** 0.5
        return abs(y * y)

    for x, expected in ((4.0, 1.0), (1.0, -1.0), (5.0, 1.0), (2.0, -1.0)):
        value, slope = astad.value_and_grad(f)(x)
        assert value == pytest.approx(abs(x - 3.0))
        assert slope == pytest.approx(expected)
    with pytest.raises(TypeError, match="complex result"):
        astad.gradient(power, -2.0, 0.5)
    with pytest.raises(ZeroDivisionError):
        astad.gradient(power, 0.0, -1.0)


def test_what_was_written_before_is_not_written_twice():
    def f(x, log):
        log[0] += 1.0
        return abs(x**0.5)

    log = np.zeros(1)
    assert astad.value_and_grad(f)(-4.0, log)[0] == pytest.approx(2.0)
    assert log[0] == 1.0
    assert astad.value_and_grad(f)(4.0, log)[0] == pytest.approx(2.0)
    assert log[0] == 2.0


def of_arrays(a, e):
    return np.sum(a**e + a**-0.5 + 2.0**a + a**a + (-a) ** 3)


def test_of_arrays(forms_agree):
    a = np.array([1.5, 2.0, 0.3])
    forms_agree(of_arrays, a, 1.3)
    forms_agree(of_arrays, a, 2)
    forms_agree(lambda a, e: np.sum((a**e) * 2.0), a, np.array([0.5, 1.0, 2.0]))


@pytest.mark.parametrize(
    "args", [(-2.0, 3.0), (0.0, 2.0), (0.0, 1.0), (0.0, 0.5), (-2, 3), (np.float64(0.0), 2.0)]
)
def test_where_differences_leave_the_domain(args):
    expected = astad.pullback(power, *args)[1](1.0)
    np.testing.assert_array_equal(astad.gradient(power, *args), expected)


def test_of_arrays_at_zero():
    a = np.array([0.0, 1.0])
    for e in (1.0, 1.5, 2.0, 2, 3):
        expected = [float(e == 1.0), float(e)]
        np.testing.assert_array_equal(astad.grad(lambda a: np.sum(a**e))(a), expected)
        np.testing.assert_array_equal(astad.grad(lambda a, e: np.sum(a**e))(a, e), expected)


def test_a_power_times_numbers_of_the_text_needs_no_care_at_zeros(forms_agree):
    def f(x):
        return 2.0 * -np.sum(x**1.5)

    text = compile_function(f, [array(1)], [True], fused=True).text.source
    assert "safe" not in text and "regular" not in text
    forms_agree(f, np.array([0.5, 2.0]))


def chosen(x):
    return np.sum(np.where(x > 0.0, x**2.5, 0.0) * x)


def left_out(x):
    y = x**1.5
    return np.sum(y[1:])


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("fn", [chosen, left_out])
def test_a_power_that_is_nan_where_nobody_reads_it(fn):
    x = np.array([-1.0, 1.0])
    (fused,), (pulled,) = astad.gradient(fn, x), astad.pullback(fn, x)[1](1.0)
    np.testing.assert_array_equal(fused, pulled)
    assert fused.tolist() == [0.0, 3.5 if fn is chosen else 1.5]


def by_built_in(x, p):
    return pow(x, p)


def in_place(x, p):
    x **= p
    return x


def in_a_loop(x, p):
    y = x
    for _ in range(2):
        y = y**p + x
    return y


def of_both_twice(x, p):
    return x**p * p**x


def slopes(f, x, p, step=1e-5):
    """Mixed and second derivative by the exponent, by differences."""
    by_x = (f(x + step, p + step) - f(x + step, p - step)) / 2
    by_x -= (f(x - step, p + step) - f(x - step, p - step)) / 2
    return by_x / 2 / step**2, (f(x, p + step) + f(x, p - step) - 2 * f(x, p)) / step**2


@pytest.mark.parametrize("f", [power, by_built_in, in_place, in_a_loop, of_both_twice])
def test_the_slope_by_the_exponent_is_differentiated(f):
    def slope(x, p):
        return astad.grad(f, argnums=1)(x, p)

    def of_pullback(x, p):
        return astad.pullback(f, x, p)[1](1.0)[1]

    for x, p in ((2.0, 1.3), (0.7, 2.5), (1.2, 0.4)):
        expected = slopes(f, x, p)
        assert astad.gradient(slope, x, p) == pytest.approx(expected, rel=1e-4)
        assert astad.gradient(of_pullback, x, p) == pytest.approx(expected, rel=1e-4)
        assert astad.hessian(f, x, p, argnums=1) == pytest.approx(expected[1], rel=1e-4)
        assert astad.hvp(f, x, (0.0, 1.0), p, argnums=(0, 1)) == pytest.approx(expected, rel=1e-4)


def test_the_slope_by_the_exponent_at_base_zero():
    """0 nearby where the exponent is larger than 1, and without a derivative where it is not."""

    def slope(x, p):
        return astad.grad(power, argnums=1)(x, p)

    assert astad.gradient(slope, 0.0, 2.5) == (0.0, 0.0)
    with pytest.raises(Unsupported):
        astad.gradient(slope, 0.0, 0.5)
