"""Rules that users declare, by formula and by function."""

import functools
import math

import numpy as np
import pytest

import astad
from astad.errors import RuleError
from astad.rules.in_force import CUSTOM
from astad.runtime.core.variants import forget_all
from tests.programs.everywhere import right_everywhere

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
        astad.api.rules.custom_rules.forget_all()
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


def test_a_back_without_return_is_an_error():
    def f(x):
        return x * x

    @astad.adjoint(f)
    def rule(x):
        def back(y_bar):
            y_bar * 2 * x

        return x * x, back

    with pytest.raises(RuleError, match="its back returned None for 1 arguments"):
        astad.gradient(f, 3.0)


def test_one_formula_for_two_parameters_is_an_error():
    def f(a, b):
        return a + b

    with pytest.raises(RuleError, match="1 formulas for the parameters"):
        astad.scalar_rule(f, "1.0")
    with pytest.raises(RuleError, match="0 formulas"):
        astad.scalar_rule(f)
    astad.scalar_rule(f, "1.0", None)
    assert astad.gradient(f, 3.0, 4.0)[0] == 1.0


class Circle:
    def __init__(self, radius):
        self.radius = radius
        self.name = "circle"

    @property
    def area(self):
        return math.pi * self.radius**2


SEEDS = [
    (lambda x: x * x, np.ones(3), np.ones(1)),
    (lambda x: x * x, np.ones((2, 3)), np.ones(3)),
    (lambda x: x * x, np.ones((2, 3)), np.ones((2, 1))),
    (lambda x: x * x, np.ones(1), np.ones((1, 1))),
    (lambda x: x * x, np.ones(2), "a"),
    (lambda x: x * x, np.ones(2), {"x": 1.0}),
    (lambda x: [x, x], 2.0, {"a": 1.0}),
    (lambda x: [x, x], 2.0, 1.0),
    (lambda x: [x, x], 2.0, [1.0]),
    (lambda x: {"a": x}, 2.0, [1.0]),
    (lambda x: {"a": x}, 2.0, {"b": 1.0}),
    (lambda x: Circle(x), 2.0, astad.Tangent(diameter=1.0)),
    (lambda x: Circle(x), 2.0, astad.Tangent(area=1.0)),
    (lambda x: Circle(x), 2.0, 1.0),
    (lambda x: (x, "text"), 2.0, (1.0, 1.0)),
]


@pytest.mark.parametrize("case", range(len(SEEDS)))
def test_seeds_that_do_not_fit_the_result(case):
    f, x, seed = SEEDS[case]
    _, back = astad.pullback(f, x)
    with pytest.raises(RuleError, match="seed|cotangent"):
        back(seed)


def test_seeds_that_fit_the_result():
    assert astad.pullback(lambda x: Circle(x), 2.0)[1](astad.Tangent(radius=3.0)) == (3.0,)
    assert astad.pullback(lambda x: (x, "text"), 2.0)[1]((1.0, None)) == (1.0,)
    assert astad.pullback(lambda x: x * x, np.ones(2))[1](3.0)[0].tolist() == [6.0, 6.0]


def test_an_unknown_attribute_in_the_cotangent_of_a_rule():
    def area(circle):
        return math.pi * circle.radius**2

    @astad.adjoint(area)
    def rule(circle):
        return area(circle), lambda y_bar: (astad.Tangent(raduis=y_bar),)

    with pytest.raises(RuleError, match="'raduis'"):
        astad.gradient(area, Circle(2.0))


PARTS = [np.ones(1), np.ones((2, 1)), np.ones((1, 2)), np.ones(3)]


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_a_cotangent_of_another_shape_from_a_rule(part):
    def f(x):
        return np.sum(x)

    @astad.adjoint(f)
    def rule(x):
        return np.sum(x), lambda y_bar: (y_bar * part,)

    with pytest.raises(RuleError, match="cotangent of shape"):
        astad.gradient(f, np.ones(2))


def normalise(x):
    x /= x.sum()
    return x


def overwrite_first(v):
    v[0] = 5.0


def store(d, x):
    d["w"] = x


def halve(layer):
    layer.radius *= 0.5


WRITERS = [
    (normalise, lambda: np.ones(2), lambda x: np.sum(x * x)),
    (overwrite_first, lambda: [1.0, 2.0], lambda x: x[0] * x[1]),
    (lambda d: store(d, 3.0), lambda: {"w": 1.0}, lambda x: x["w"]),
    (halve, lambda: Circle(2.0), lambda x: x.radius),
]


@pytest.mark.parametrize("case", range(len(WRITERS)))
def test_a_function_without_derivative_that_writes_its_argument(case):
    writer, made, read = WRITERS[case]
    writer = astad.nondifferentiable(writer)

    def f(x):
        writer(x)
        return read(x)

    with pytest.raises(RuleError, match="a write to an argument"):
        astad.gradient(f, made())


def test_a_function_without_derivative_may_log_and_count():
    class Log:
        def __init__(self):
            self.seen, self.count = [], 0

    @astad.nondifferentiable
    def note(log, x):
        log.seen.append(float(x))
        log.count += 1

    def f(x, log):
        note(log, x)
        note(log, x * x)
        return x * x

    log = Log()
    assert astad.gradient(f, 3.0, log)[0] == 6.0
    assert log.seen == [3.0, 9.0] and log.count == 2


def test_rules_with_defaults_keywords_and_varargs():
    def f(a, b=2.0, *rest, scale=1.0):
        return (a * b + sum(rest)) * scale

    @astad.adjoint(f)
    def rule(a, b=2.0, *rest, scale=1.0):
        def back(y_bar):
            parts = [b, a, *[1.0] * len(rest)][:count]
            return tuple(y_bar * scale * part for part in parts)

        count = rule.count
        return f(a, b, *rest, scale=scale), back

    rule.count = 1
    assert astad.gradient(f, 3.0) == (2.0,)
    assert astad.gradient(f, 3.0, scale=5.0) == (10.0,)
    rule.count = 2
    assert astad.gradient(f, 3.0, 4.0) == (4.0, 3.0)
    assert astad.gradient(lambda a, b: f(a, b, scale=2.0) * 2, 3.0, 4.0) == (16.0, 12.0)
    rule.count = 4
    assert astad.gradient(f, 3.0, 4.0, 5.0, 6.0) == (4.0, 3.0, 1.0, 1.0)


def area(a, b, c=1.0):
    return a * b * c


@astad.adjoint(area)
def area_rule(a, b, c=1.0):
    return a * b * c, lambda y_bar: (y_bar * b * c, y_bar * a * c, y_bar * a * b)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x, y: area(x, b=y, c=1.0), (5.0, 2.0)),
        (lambda x, y: area(c=x, b=y, a=x), (20.0, 4.0)),
        (lambda x, y: area(x, c=y, b=3.0), (15.0, 6.0)),
        (lambda x, y: functools.partial(area, c=2.0)(b=x, a=y), (10.0, 4.0)),
        (lambda x, y: area(x, x, **{"c": y}), (20.0, 4.0)),
    ],
)
def test_arguments_of_a_rule_by_keyword(program, expected):
    right_everywhere(program, 2.0, 5.0, expected=expected)


def test_arguments_by_keyword_before_a_default():
    def scaled(a, b=2.0, c=3.0):
        return a * b * c

    @astad.adjoint(scaled)
    def rule(a, b=2.0, c=3.0):
        return a * b * c, lambda y_bar: (y_bar * b * c, y_bar * a * c, y_bar * a * b)

    right_everywhere(lambda x, y: scaled(x, c=y), 2.0, 5.0, expected=(10.0, 4.0))
    right_everywhere(lambda x, y: scaled(c=x, a=y), 2.0, 5.0, expected=(10.0, 4.0))


def test_a_derivative_by_what_is_given_by_keyword_alone_is_refused():
    def scaled(x, *, factor):
        return np.sum(x * factor)

    @astad.adjoint(scaled)
    def rule(x, *, factor):
        return np.sum(x * factor), lambda y_bar: (np.sum(y_bar * factor),)

    assert astad.gradient(lambda x: scaled(x, factor=3.0), 2.0) == (3.0,)
    for given in (5.0, np.array([1.0, 4.0])):
        with pytest.raises(RuleError, match="a derivative by factor"):
            astad.gradient(lambda x, y: scaled(x, factor=y * 2), 2.0, given)


class Scale:
    def __init__(self, k):
        self.k = k

    def apply(self, x):
        return self.k * x

    @astad.nondifferentiable
    @staticmethod
    def level(x):
        return round(x)

    @astad.nondifferentiable
    @classmethod
    def named(cls, x):
        return x * len(cls.__name__)


def test_static_and_class_methods_in_a_class():
    assert astad.gradient(lambda x: Scale.level(x) * x, 2.2) == (2.0,)
    assert astad.gradient(lambda x: Scale(1.0).level(x) * x, 2.2) == (2.0,)
    assert astad.gradient(lambda x: Scale.named(x) * x, 2.0) == (10.0,)


def test_what_no_rule_can_be_declared_for():
    scale = Scale(2.0)
    for declare in (
        lambda: astad.adjoint(scale.apply),
        lambda: astad.nondifferentiable(scale.apply),
        lambda: astad.scalar_rule(scale.apply, "k"),
    ):
        with pytest.raises(RuleError, match="a rule for a bound method"):
            declare()
    for declare in (
        lambda: astad.adjoint(3),
        lambda: astad.adjoint(lambda x: x)(3),
        lambda: astad.nondifferentiable("f"),
        lambda: astad.scalar_rule(None, "1.0"),
    ):
        with pytest.raises(RuleError, match="it cannot be called"):
            declare()
    with pytest.raises(RuleError, match="it is a float"):
        astad.scalar_rule(lambda x: x, 2.0)
    held = scale.apply
    astad.nondifferentiable(held)
    assert astad.gradient(lambda x: held(x) * x, 3.0) == (6.0,)


def test_a_function_without_derivative_has_no_path():
    assert astad.gradient(Scale.level, 2.2) == (None,)
    assert astad.gradient(astad.dropgrad, 2.2) == (None,)


def test_a_gradient_inside_a_rule():
    def cube(x):
        return x**3

    @astad.adjoint(cube)
    def rule(x):
        return x**3, lambda y_bar: (y_bar * astad.gradient(lambda v: v**3, x)[0],)

    assert astad.gradient(lambda x: cube(x) * 2, 2.0) == (24.0,)


def test_parameters_left_out_of_a_call_of_a_rule():
    def wave(x, k=2.0, shift=0.0):
        return k * math.sin(x + shift)

    @astad.adjoint(wave)
    def wave_rule(x, k=2.0, shift=0.0):
        slope = k * math.cos(x + shift)
        return wave(x, k, shift), lambda g: (g * slope, g * math.sin(x + shift), g * slope)

    for call in (lambda x: wave(x), lambda x: wave(x, 2.0), lambda x: wave(x, shift=0.0)):
        assert astad.gradient(call, 0.5) == (pytest.approx(2 * math.cos(0.5)),)
    both = astad.gradient(lambda x: wave(x, shift=x) * wave(x), 0.3)
    expected = 2 * math.cos(0.6) * 2 * 2 * math.sin(0.3) + 2 * math.sin(0.6) * 2 * math.cos(0.3)
    assert both == (pytest.approx(expected),)

    @astad.adjoint(wave)
    def wrong_rule(x, k=2.0, shift=0.0):
        return 0.0, lambda g: (g, g, g, g)

    with pytest.raises(RuleError, match="4 cotangents for 1 arguments"):
        astad.gradient(lambda x: wave(x), 0.5)


def through_a_helper(x):
    return half_of_erf(x) * x


def half_of_erf(x):
    return math.erf(x) / 2.0


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + np.sin(x) * k
    return total


@pytest.fixture
def no_rule_stays():
    """What is declared for functions of Python and NumPy meanwhile is gone after the test."""
    before = set(CUSTOM)
    yield
    for key in set(CUSTOM) - before:
        del CUSTOM[key]
    forget_all()


@pytest.mark.parametrize(
    "fn, program",
    [
        (np.sin, lambda x: np.sin(x) * x),
        (np.sin, in_a_loop),
        (abs, lambda x: abs(x) * x),
        (float, lambda x: float(x) * x),
        (math.erf, lambda x: math.erf(x) * x),
        (math.erf, through_a_helper),
        (np.floor, lambda x: np.floor(x) * x),
        (math.floor, lambda x: math.floor(x) * x),
        (np.sign, lambda x: np.sign(x) * x),
        (np.round, lambda x: np.round(x) * x),
        (max, lambda x: max(x, 0.1) * x),
        (np.sum, lambda x: np.sum(np.array([x, x])) * x),
        (np.cumsum, lambda x: np.cumsum(np.array([x, x]))[1] * x),
        (np.linalg.norm, lambda x: np.linalg.norm(np.array([x, x])) * x),
    ],
)
def test_a_rule_of_the_users_goes_before_one_of_astads(fn, program, no_rule_stays):
    """Also where the text was made before, and where astad writes its own rule out."""
    own = astad.gradient(program, 0.3)
    pulled = []

    @astad.adjoint(fn)
    def rule(*args):
        y = fn(*args)

        def back(y_bar):
            pulled.append(y_bar)
            return tuple(0.0 * arg for arg in args)

        return y, back

    held = program(0.3) / 0.3  # where what the rule is of is the factor of x
    for _ in range(2):
        (x_bar,) = astad.gradient(program, 0.3)
        assert x_bar == pytest.approx(0.0 if program is in_a_loop else held, rel=1e-12)
    assert pulled
    (y, back) = astad.pullback(program, 0.3)
    assert back(1.0)[0] == pytest.approx(x_bar, rel=1e-12)
    assert own[0] != pytest.approx(x_bar) or fn in (np.floor, math.floor, np.sign, np.round)
