"""Seeded faults must fail and name the argument; right functions must pass, on every seed."""

import math
from decimal import Decimal

import numpy as np
import pytest

from astad.tangents.objects import Tangent
from astad.testing import GradientInconclusive, GradientWrong, NothingChecked, compare

W = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
X = np.array([0.3, -0.2, 0.9])
B = np.array([0.1])


def layer(W, x, b):
    return np.tanh(W @ x + b)


def pullback_of_layer(fault=None):
    def claimed(W, x, b):
        y = np.tanh(W @ x + b)

        def back(g):
            z = g if fault == "dropped term" else g * (1 - y**2)
            W_bar, x_bar, b_bar = np.outer(z, x), W.T @ z, z.sum(keepdims=True)
            if fault == "sign":
                x_bar = -x_bar
            elif fault == "factor 2":
                W_bar = 2 * W_bar
            elif fault == "missing sum":
                b_bar = z.copy()
            elif fault == "zero":
                b_bar = 0 * b_bar
            elif fault == "none":
                b_bar = None
            elif fault == "one row":
                W_bar[1] = 0
            elif fault == "reversed":
                x_bar = x_bar[::-1].copy()
            elif fault == "nan":
                x_bar[1] = np.nan
            return W_bar, x_bar, b_bar

        return y, back

    return claimed


@pytest.mark.parametrize("seed", range(20))
def test_right_pullback_passes(seed):
    result = compare(pullback_of_layer(), layer, (W, X, B), seed=seed)
    assert result.outcome == "right"
    assert len(result.rows) == 10
    assert result.largest_error < 1e-8


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("sign", "hint: x: the sign is wrong"),
        ("factor 2", "hint: W: all off by the factor 2"),
        ("dropped term", "W[0, 0]"),
        ("missing sum", "hint: b: right after a sum over the broadcast axes (0,)"),
        ("zero", "hint: b: zero where it should not be"),
        ("none", "hint: b: zero where it should not be"),
        ("one row", "hint: W: zero in 3 of 6 entries, the first (1, 0)"),
        ("reversed", "hint: x: in reverse order"),
        ("nan", "x[1]"),
    ],
)
def test_seeded_fault_is_found_and_named(fault, text):
    result = compare(pullback_of_layer(fault), layer, (W, X, B))
    assert result.outcome == "wrong"
    assert text in str(result)
    with pytest.raises(GradientWrong, match="layer: wrong"):
        result.verify()


def test_transposed_gradient():
    A = np.array([[1.0, 2.0], [-0.5, 3.0]])
    x = np.array([0.5, -2.0])

    def claimed(A):
        return A @ x, lambda g: (np.outer(x, g),)

    assert "hint: A: transposed" in str(compare(claimed, lambda A: A @ x, (A,)))


def test_branch_of_another_point():
    def f(x):
        return x * x if x > 1.0 else 3.0 * x

    result = compare(lambda x: (f(x), lambda g: (3.0 * g,)), f, (2.0,))
    assert result.outcome == "wrong"
    assert "x" in str(result) and "0.75" in str(result)


def test_gradient_of_another_argument():
    def claimed(a, b):
        return a * a * b, lambda g: (g * a * a, g * 2 * a * b)

    text = str(compare(claimed, lambda a, b: a * a * b, (2.0, 5.0)))
    assert "hint: a: this is the gradient of b" in text


def test_kink_and_jump_are_inconclusive():
    for f, at in ((abs, 0.0), (lambda x: x * math.floor(x), 2.0)):
        result = compare(lambda x, f=f: (f(x), lambda g: (g * 1.0,)), f, (at,))
        assert result.outcome == "inconclusive"
        with pytest.raises(GradientInconclusive, match="kink"):
            result.verify()


def test_jump_on_one_side_of_the_point_is_inconclusive():
    """Beyond a narrow strip the function is smooth again: wide steps do not see the strip."""

    def f(x):
        return math.sin(x) + (2.0 if 1.33 < x < 1.34 else 0.0)

    result = compare(lambda x: (f(x), lambda g: (g * 5.0,)), f, (1.33,))
    assert result.outcome == "inconclusive"


def test_wrong_by_more_than_a_kink_can_explain():
    assert compare(lambda x: (abs(x), lambda g: (40.0 * g,)), abs, (0.0,)).outcome == "wrong"


def test_what_varies_faster_than_the_step_is_not_called_wrong():
    """Steps of a percent see a few units of noise where the derivative is 5e8."""

    def fast(x):
        return math.sin(1e9 * x)

    def outcome(factor):
        claimed = lambda x: (fast(x), lambda g: (g * factor * 1e9 * math.cos(1e9 * x),))
        return compare(claimed, fast, (0.7,)).outcome

    assert outcome(1.0) != "wrong"
    assert outcome(1.01) == outcome(-1.0) == "wrong"


def test_what_varies_within_the_last_place_of_the_argument_is_not_called_wrong():
    def chaotic(x):
        return math.sin(1e19 * x)

    def outcome(factor):
        claimed = lambda x: (chaotic(x), lambda g: (g * factor * math.cos(1e19 * x),))
        return compare(claimed, chaotic, (0.7,)).outcome

    assert outcome(1e19) == "inconclusive"
    assert outcome(1e9) == "wrong"


def test_a_coefficient_that_is_small_by_its_unit_is_moved_by_what_it_changes():
    """As the drag terms of a satellite, of 1e-41, beside minutes to the fifth power."""

    def angle(c, t):
        return 1e4 * math.cos(c * t**5 + 0.3)

    def outcome(factor):
        slope = lambda c, t: -1e4 * math.sin(c * t**5 + 0.3) * factor * t**5
        claimed = lambda c, t: (
            angle(c, t),
            lambda g: (g * slope(c, t), g * slope(c, t) * c * 5 / t),
        )
        return compare(claimed, angle, (6.08e-41, 3960.0)).outcome

    assert outcome(1.0) == "right"
    assert outcome(1.01) == outcome(-1.0) == outcome(1e-5) == "wrong"


def test_rounding_where_the_result_does_not_move_is_not_called_wrong():
    def flat(x):
        return math.tanh(100.0 + x) * 0.3

    claimed = lambda bar: lambda x: (flat(x), lambda g: (g * bar,))
    assert compare(claimed(2e-17), flat, (0.7,)).outcome == "inconclusive"
    assert compare(claimed(2e-8), flat, (0.7,)).outcome == "wrong"
    assert compare(claimed(0.0), flat, (0.7,)).outcome == "nothing checked"


def test_cancelled_result_does_not_say_how_large_its_rounding_is():
    def cancelled(x):
        return x - x

    claimed = lambda bar: lambda x: (cancelled(x), lambda g: (g * bar,))
    assert compare(claimed(3e-17), cancelled, (0.7,)).outcome == "inconclusive"
    assert compare(claimed(1e-9), cancelled, (0.7,)).outcome == "wrong"


def test_nothing_checked():
    constant = lambda x: (1.0, lambda g: (0.0,))
    with pytest.raises(NothingChecked, match="expect_zero"):
        compare(constant, lambda x: 1.0, (2.0,)).verify()
    assert compare(constant, lambda x: 1.0, (2.0,), expect_zero=True).outcome == "right"
    result = compare(lambda s: (len(s), lambda g: (None,)), len, ("text",))
    assert result.outcome == "nothing checked"


def test_path_that_is_zero_at_this_point_only():
    result = compare(lambda x, y: (x * y, lambda g: (g * y, 0.0)), lambda x, y: x * y, (0.0, 0.0))
    assert result.outcome == "nothing checked"


def test_integer_that_only_counts_is_left_out():
    def power(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    claimed = lambda x, n: (power(x, n), lambda g: (g * n * x ** (n - 1), None))
    result = compare(claimed, power, (1.5, 4))
    assert result.outcome == "right"
    assert [row.name for row in result.rows] == ["x"]


def test_integer_by_which_a_loop_or_a_recursion_ends():
    def loop(x, n):
        while n != 0:
            x, n = x * 1.1, n - 1
        return x

    def recursion(x, n):
        return x if n == 0 else 1.1 * recursion(x, n - 1)

    for f in (loop, recursion):
        result = compare(lambda x, n: (f(x, n), lambda g: (g * 1.1**n, None)), f, (1.5, 3))
        assert result.outcome == "right"
        assert [row.name for row in result.rows] == ["x"]


def test_integer_whose_fraction_raises_what_the_function_catches():
    def f(x, n):
        try:
            y = 0.0
            for _ in range(n):
                y += x * n
        except TypeError:
            y = 5.0 * n
        return y

    result = compare(lambda x, n: (f(x, n), lambda g: (g * n * n, g * x * n)), f, (1.5, 3))
    assert result.outcome == "right"
    assert [row.name for row in result.rows] == ["x"]


def test_integer_that_is_differentiated():
    claimed = lambda x: (3 * x**2, lambda g: (6 * x * g,))
    assert compare(claimed, lambda x: 3 * x**2, (5,)).outcome == "right"
    assert (
        compare(lambda x: (3 * x**2, lambda g: (None,)), lambda x: 3 * x**2, (5,)).outcome
        == "wrong"
    )


def test_float32_is_checked_at_its_own_precision():
    x = np.array([0.3, 1.2], np.float32)

    def claimed(x):
        return np.exp(x), lambda g: (g * np.exp(x),)

    result = compare(claimed, np.exp, (x,))
    assert result.outcome == "right"
    assert "float32" in str(result)
    wrong = lambda x: (np.exp(x), lambda g: (g * np.exp(x) * np.float32(1.01),))
    assert compare(wrong, np.exp, (x,)).outcome == "wrong"


def test_nested_structure_and_records():
    class Model:
        def __init__(self):
            self.w = np.array([1.0, 2.0])
            self.layers = [{"b": 0.5}]
            self.name = "m"

    def f(model, xs):
        return float(model.w @ np.array(xs)) * model.layers[0]["b"]

    def claimed(model, xs, fault=1.0):
        b, x = model.layers[0]["b"], np.array(xs)

        def back(g):
            at = float(model.w @ x)
            bars = Tangent(w=g * b * x, layers=[{"b": g * at * fault}], name=None)
            return bars, (g * b * model.w).tolist()

        return f(model, xs), back

    assert compare(claimed, f, (Model(), [0.3, 0.7])).outcome == "right"
    text = str(compare(lambda *a: claimed(*a, fault=2.0), f, (Model(), [0.3, 0.7])))
    assert "model.layers[0]['b']: all off by the factor 2" in text


def test_cotangent_of_another_structure():
    claimed = lambda xs: (xs[0] * xs[1], lambda g: ([g * xs[1]],))
    text = str(compare(claimed, lambda xs: xs[0] * xs[1], ([2.0, 3.0],)))
    assert "xs[1]: the cotangent has another structure" in text


def test_complex_gradient_convention():
    f = lambda z: z.real**2 + z.imag**2
    right = lambda z: (f(z), lambda g: (2 * z * g,))
    conjugated = lambda z: (f(z), lambda g: (2 * z.conjugate() * g,))
    assert compare(right, f, (1 + 2j,)).outcome == "right"
    result = compare(conjugated, f, (1 + 2j,))
    assert [row.name for row in result.rows if row.verdict == "wrong"] == ["z.imag"]
    holomorphic = lambda z: (z * z, lambda g: (g * 2 * z.conjugate(),))
    assert compare(holomorphic, lambda z: z * z, (1 + 2j,)).outcome == "right"


def test_argnums_and_keyword_arguments():
    def f(a, b, *, c):
        return a * b * c

    claimed = lambda a, b, *, c: (a * b * c, lambda g: (g * b * c, 0.0))
    assert compare(claimed, f, (2.0, 3.0), argnums=0, kwargs={"c": 1.5}).outcome == "right"
    assert compare(claimed, f, (2.0, 3.0), argnums=-1, kwargs={"c": 1.5}).outcome == "wrong"


def large(fault):
    n = 400
    a = np.linspace(0.5, 1.5, n)

    def claimed(x):
        def back(g):
            bar = g * a * np.cos(x)
            fault(bar)
            return (bar,)

        return a * np.sin(x), back

    x = np.random.default_rng(5).normal(size=n)
    return compare(claimed, lambda x: a * np.sin(x), (x,))


def test_large_input_is_checked_along_random_directions():
    result = large(lambda bar: None)
    assert result.outcome == "right"
    assert 20 <= len(result.rows) <= 25
    assert result.rows[0].name == "random direction 1"


@pytest.mark.parametrize("index", [0, 17, 399])
def test_one_wrong_entry_of_many_is_found(index):
    def scaled(bar):
        bar[index] *= 1.1

    def swapped(bar):
        bar[index], bar[200] = bar[200], bar[index]

    assert large(scaled).outcome == "wrong"
    assert large(swapped).outcome == "wrong"


def test_failure_table_shows_the_ten_worst():
    x = np.linspace(1.0, 2.0, 30)
    text = str(compare(lambda x: (x * x, lambda g: (3 * g * x,)), lambda x: x * x, (x,)))
    assert "30 of 30 entries (100 %)" in text
    assert "... and 20 more" in text
    assert "hint: x: all off by the factor 1.5" in text
    assert "test_check.py" in text


def test_exact_decimals():
    def square(xs):
        return xs[0] * xs[1]

    def claimed(factor):
        return lambda xs: (square(xs), lambda g: ([factor * xs[1] * g, factor * xs[0] * g],))

    at = [Decimal("1.5"), Decimal("-2.25")]
    assert compare(claimed(1), square, (at,)).outcome == "right"
    assert compare(claimed(2), square, (at,)).outcome == "wrong"


def zeros_of(f):
    """A pullback that is zero everywhere."""
    return lambda *args: (f(*args), lambda g: (0.0,) * len(args))


ROUNDING = (
    lambda x: round(math.exp(x), 10),
    lambda x: math.floor(365.25 * (x + 4716)) + math.floor(30.6001 * (x + 1)) - 1524.5,
    lambda x: divmod(round(86400.0 * x, 6), 60.0)[1],
    lambda x: tuple(round(part, 9) for part in (x, x * x, math.sin(x))),
    lambda x: np.round(np.array([x, 2 * x]), 8),
    lambda x: (np.array([2441497.5, 2441498.5]), round(44.8 - x, 7)),
)


@pytest.mark.parametrize("f", ROUNDING)
def test_stairs_finer_than_the_step_are_not_called_wrong(f):
    assert compare(zeros_of(f), f, (0.6844,)).outcome != "wrong"


SMOOTH = (
    lambda x: math.exp(x),
    lambda x: 1e-9 * math.sin(1e3 * x),
    lambda x: [x * x, 5.0, "text"],
    lambda x: round(x * 10) + 1e-6 * x,
    lambda x: (x - 0.6844 + 1e-7) ** 2,
    lambda x: np.cumsum(np.array([x, 1.0, 2.0]))[::-1],
    lambda x: np.float32(x) * np.float32(2.0),
)


@pytest.mark.parametrize("f", SMOOTH)
def test_a_silent_zero_is_called_wrong(f):
    assert compare(zeros_of(f), f, (0.6844,)).outcome == "wrong"


class Element:
    """One of each kind, which a copy is as well."""

    table = {}

    def __init__(self, name, mass):
        self.name, self.mass = name, mass
        self.table[name] = self

    def __reduce__(self):
        return Element.table.get, (self.name,)


def test_what_cannot_be_moved_in_a_copy_is_inconclusive_and_stays_as_it_is():
    iron = Element("Fe", 55.8)
    right = lambda element, x: (
        element.mass * x, lambda g: (Tangent(name=None, mass=g * x), g * element.mass)
    )  # fmt: skip
    result = compare(right, lambda element, x: element.mass * x, (iron, 2.0))
    assert [row.verdict for row in result.rows] == ["inconclusive", "right"]
    assert iron.mass == 55.8


class Composition(dict):
    """Counts: what is put in becomes whole."""

    def __setitem__(self, key, value):
        super().__setitem__(key, round(value))


def test_a_count_that_its_class_makes_whole_is_left_out():
    f = lambda counts, x: counts["A"] * x
    claimed = lambda counts, x: (f(counts, x), lambda g: ({"A": g * x}, g * counts["A"]))
    assert [row.name for row in compare(claimed, f, (Composition(A=2), 3.0)).rows] == ["x"]


def test_a_result_that_contains_itself():
    def f(x):
        found = {"value": x * x}
        found["self"] = found
        return found

    claimed = lambda x: (f(x), lambda g: (2 * x * g["value"],))
    assert compare(claimed, f, (3.0,)).outcome == "right"
    assert compare(zeros_of(f), f, (3.0,)).outcome == "wrong"


def test_narrow_complex_numbers_have_the_rounding_of_their_precision():
    weights = np.array([1.0, 1e4, -1e4], np.complex64)
    f = lambda x: np.sum(x * weights)
    claimed = lambda x: (
        f(x), lambda g: ((np.conj(weights) * (np.complex64(g) + g - g)).astype(x.dtype),)
    )  # fmt: skip
    x = np.array([0.1 + 0.2j, 1.1, 0.7j], np.complex64)
    assert compare(claimed, f, (x,)).outcome == "right"
