"""Points where an operator has no derivative, and numbers that are not floats."""

import math
import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad.errors import AstadError
from astad.rules import lookup
from astad.rules.safe import safe_product, safe_quotient


def pull(fn, wanted, y_bar, *args):
    found = lookup(fn)
    return found.pull(wanted)(y_bar, fn(*args), *found.bind(args, {}))


def slope(fn, *args, of="x1"):
    return pull(fn, (of,), 1.0, *args)[0]


def exactly(a, b):
    return type(a) is type(b) and a == b


def test_ints_stay_ints():
    assert exactly(pull(operator.pow, ("x1",), 1, 5, 2)[0], 10)
    assert exactly(pull(operator.pow, ("x1",), 1, 5, 0)[0], 0.0)  # 0 * 5 ** -1, a float
    assert exactly(pull(operator.mul, ("x1",), 1, 5, 2)[0], 2)
    assert exactly(pull(operator.sub, ("x2",), 1, 5, 2)[0], -1)
    assert exactly(pull(abs, ("x",), 1, -5)[0], -1)
    assert exactly(pull(pow, ("base",), 1, 5, 3)[0], 75)


def test_fractions_stay_fractions():
    third = Fraction(1, 3)
    assert exactly(pull(operator.pow, ("x1",), Fraction(1), third, 2)[0], Fraction(2, 3))
    assert exactly(pull(operator.truediv, ("x2",), Fraction(1), third, 2)[0], Fraction(-1, 12))
    assert exactly(pull(operator.mod, ("x2",), Fraction(1), Fraction(7, 3), 2)[0], Fraction(-1))
    assert exactly(pull(abs, ("x",), Fraction(1), -third)[0], Fraction(-1))


def test_decimals_stay_decimals():
    assert pull(operator.pow, ("x1",), Decimal(1), Decimal(3), 2)[0] == Decimal(6)
    growth = pull(operator.pow, ("x2",), Decimal(1), Decimal(3), Decimal(2))[0]
    assert float(growth) == pytest.approx(9 * math.log(3))


@pytest.mark.parametrize("kind", [float, np.float64, np.array])
@pytest.mark.parametrize(
    ("exponent", "expected"), [(0, 0.0), (0.0, 0.0), (1, 1.0), (2, 0.0), (0.5, math.inf)]
)
def test_power_at_base_zero(kind, exponent, expected):
    assert slope(operator.pow, kind(0.0), exponent) == expected
    assert slope(operator.pow, kind(0.0), np.array([exponent]))[()] == expected


@pytest.mark.parametrize("kind", [float, np.float64, np.array])
def test_power_of_a_negative_base(kind):
    for exponent in (3, 3.0):
        assert slope(operator.pow, kind(-2.0), exponent) == 12
        assert math.isnan(slope(operator.pow, kind(-2.0), exponent, of="x2"))


@pytest.mark.parametrize("kind", [float, np.float64, np.array])
def test_zero_to_a_power_in_the_power(kind):
    assert slope(operator.pow, kind(0.0), 2.0, of="x2") == 0
    assert slope(operator.pow, kind(0.0), 0.0, of="x2") == 0


def test_fractional_power_at_zero_is_silent_where_no_cotangent_arrives():
    assert pull(operator.pow, ("x1",), 0.0, 0.0, 0.5) == (0.0,)
    x = np.array([0.0, 4.0])
    np.testing.assert_array_equal(
        pull(operator.pow, ("x1",), np.array([0.0, 1.0]), x, 0.5)[0], [0.0, 0.25]
    )


def test_division_by_zero_where_no_cotangent_arrives():
    x1, x2 = np.array([1.0, 0.0, 3.0]), np.array([0.0, 0.0, 2.0])
    with np.errstate(all="ignore"):
        y = x1 / x2
    first, second = lookup(operator.truediv).pull(("x1", "x2"))(
        np.array([0.0, 0.0, 1.0]), y, x1, x2
    )
    np.testing.assert_array_equal(first, [0, 0, 0.5])
    np.testing.assert_array_equal(second, [0, 0, -0.75])


def test_abs_at_zero_real_and_complex():
    assert slope(abs, 0.0, of="x") == 0
    assert slope(abs, 0j, of="x") == 0
    np.testing.assert_array_equal(
        pull(abs, ("x",), np.ones(2), np.array([0j, 3 + 4j]))[0], [0, 0.6 + 0.8j]
    )
    assert slope(abs, 3 + 4j, of="x") == pytest.approx(0.6 + 0.8j)


def test_modular_power_has_no_slope():
    assert pull(pow, ("base",), 1, 5, 3, 7) == (0,)


def test_texts_for_floats_do_not_raise_where_the_slope_is_infinite():
    found = lookup(operator.pow)
    text = found.inline("x1", "float")
    for x1, x2, expected in [
        (0.0, 0.5, math.inf),
        (0.0, 0.0, 0.0),
        (0.0, 1.0, 1.0),
        (-2.0, 3.0, 12.0),
    ]:
        assert eval(text, found.globals_of(text), {"x1": x1, "x2": x2, "y": x1**x2}) == expected
    text = found.inline("x2", "float")
    values = [
        eval(text, found.globals_of(text), {"x1": b, "x2": 2.0, "y": b**2.0}) for b in (0.0, -1.0)
    ]
    assert values[0] == 0 and math.isnan(values[1])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ((-1.5) ** x).real,
        lambda x: ((-1.5) ** x).imag,
        lambda x: abs((-1.5) ** x + 1.0),
        lambda x: pow(-1.5, x).imag,
        lambda x: ((-x) ** x).real,
        lambda x: ((-x) ** 0.3 * 1j + x).imag,
        lambda x: ((-1.5) ** (x + 1j * x)).real,
        lambda x: sum(((-k) ** (x / k)).imag for k in (1.0, 2.0)),
    ],
)
def test_a_complex_power_of_a_negative_number(f):
    h = 1e-5
    (slope,) = astad.gradient(f, 0.7)
    assert abs(slope - (f(0.7 + h) - f(0.7 - h)) / (2 * h)) < 1e-8


INF = math.inf


@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (lambda b: safe_product(b, INF), 1.0, INF),
        (lambda b: safe_quotient(b, 1, 0.0), 1.0, INF),
        (lambda b: safe_product(b, 2.0), 0.0, 2.0),
        (lambda b: safe_quotient(b, 3.0, 4.0), 0.0, 0.75),
        (lambda b: np.sum(safe_product(b, np.array([INF, 2.0]))), np.array([1.0, 0.0]), [INF, 2]),
        (lambda b: np.sum(safe_quotient(b, 1, np.array([0, 2.0]))), np.ones(2), [INF, 0.5]),
        (
            lambda d: np.sum(safe_quotient(np.array([0, 2.0]), 3.0, d)),
            np.array([0, 2.0]),
            [0, -1.5],
        ),
        (lambda n: np.sum(safe_quotient(np.array([0, 2.0]), n, np.array([0, 4.0]))), 1.0, 0.5),
        (lambda b: np.sum(safe_quotient(b, 1, np.array([[0.5, 2.0]]))), 2.0, 2.5),
        (lambda b: np.sum(safe_quotient(b, np.array([1.0, 3.0]), 2.0)), 0.0, 2.0),
    ],
)
def test_products_that_are_safe_at_zero_have_the_slope_of_products(f, at, slope):
    (found,) = astad.gradient(f, at)
    assert np.array_equal(found, slope)


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda b: safe_product(b, INF), 0.0),
        (lambda b: safe_quotient(b, 1, 0.0), 0.0),
        (lambda b: np.sum(safe_product(b, np.array([INF, 2.0]))), np.array([0.0, 1.0])),
        (lambda b: np.sum(safe_quotient(b, 1, np.array([0, 2.0]))), np.zeros(2)),
    ],
)
def test_where_a_product_is_zero_by_convention_it_has_no_slope(f, at):
    with pytest.raises(AstadError, match="a slope is infinite and its cotangent"):
        astad.gradient(f, at)
