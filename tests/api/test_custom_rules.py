"""Rules that users declare, by formula and by function."""

import math

import numpy as np
import pytest

import astad
from astad.errors import RuleError

scale = 3.0


def power(x, n=2.0):
    return scale * x**n


def test_a_formula_for_each_parameter_of_a_function():
    astad.scalar_rule(power, "scale * n * x ** (n - 1)", "y * math.log(x)")
    assert astad.gradient(power, 2.0) == (12.0,)
    assert astad.gradient(power, 2.0, 3.0) == (36.0, 24.0 * math.log(2.0))
    assert astad.gradient(lambda x: power(x, n=3.0), 2.0) == (36.0,)


def test_globals_of_a_formula_are_read_live(monkeypatch):
    astad.scalar_rule(power, "scale * n * x ** (n - 1)", None)
    assert astad.gradient(power, 2.0) == (12.0,)
    monkeypatch.setitem(globals(), "scale", 5.0)
    assert astad.gradient(power, 2.0) == (20.0,)


def test_arrays_are_summed_to_their_shape():
    def area(width, height):
        return width * height

    astad.scalar_rule(area, "height", "width")
    width, height = np.array([1.0, 2.0]), np.array([[3.0], [4.0]])
    bars = astad.gradient(lambda a, b: np.sum(area(a, b)), width, height)
    assert bars[0].tolist() == [7.0, 7.0] and bars[1].tolist() == [[3.0], [3.0]]


def test_a_compiled_function_without_names_of_parameters():
    squared = np.frompyfunc(lambda x: x * x, 1, 1)
    astad.scalar_rule(squared, "2 * x")
    assert astad.gradient(lambda x: 3 * squared(x), 2.0) == (12.0,)


def test_what_is_declared_last_is_in_force():
    def f(x):
        return 2 * x

    outer = lambda x: f(x)
    assert astad.gradient(outer, 1.0) == (2,)
    astad.scalar_rule(f, "3.0")
    assert astad.gradient(outer, 1.0) == (3.0,)

    @astad.adjoint(f)
    def rule(x):
        return 2 * x, lambda y_bar: (4.0 * y_bar,)

    assert astad.gradient(outer, 1.0) == (4.0,)
    astad.scalar_rule(f, "5.0")
    assert astad.gradient(outer, 1.0) == astad.gradient(f, 1.0) == (5.0,)


def test_a_rule_of_astads_own_is_replaced():
    sigmoid = np.frompyfunc(math.tanh, 1, 1)
    astad.scalar_rule(sigmoid, "1 - y**2")
    old = astad.gradient(lambda x: np.sum(np.arctan(x)), np.array([1.0]))[0]
    assert old == 0.5
    from astad.rules.registry import add, lookup

    own = lookup(np.arctan)
    try:
        astad.scalar_rule(np.arctan, "100.0")
        assert astad.gradient(lambda x: np.sum(np.arctan(x)), np.array([1.0]))[0] == 100.0
        assert astad.gradient(lambda x: np.arctan(x) * 2.0, 1.0) == (200.0,)
        assert abs(astad.gradient(lambda x: np.arctan(x * 1j).imag, 0.5)[0] - 100.0) < 1e-12
    finally:
        add(own)
        astad.api.custom_rules.forget_all()
    assert astad.gradient(lambda x: np.sum(np.arctan(x)), np.array([1.0]))[0] == 0.5


def test_zero_times_a_singular_slope_is_zero():
    def root(x):
        return np.sqrt(x)

    astad.scalar_rule(root, "0.5 / y", zero_safe=True)
    bar = astad.gradient(lambda x: np.sum(root(x) * np.array([0.0, 1.0])), np.array([0.0, 4.0]))[0]
    assert bar.tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("slope", "why"),
    [("k * x", "it names k"), ("2 *", "no expression"), ("(1", "no expression")],
)
def test_a_formula_that_is_none_is_refused_at_once(slope, why):
    def f(x):
        return x

    with pytest.raises(RuleError, match=why):
        astad.scalar_rule(f, slope)


def test_a_parameter_called_y_wants_another_name():
    def f(x, y):
        return x * y

    with pytest.raises(RuleError, match="y stands for the result"):
        astad.scalar_rule(f, "y", "x")
    with pytest.raises(RuleError, match="2 formulas for the parameters"):
        astad.scalar_rule(f, "b", "a", parameters="a")
    astad.scalar_rule(f, "b", "a", parameters="a, b")
    assert astad.gradient(f, 2.0, 3.0) == (3.0, 2.0)
