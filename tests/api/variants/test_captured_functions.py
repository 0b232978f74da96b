"""Derivatives of derivatives of functions that have captured functions: against the formula, worked
out by hand, or against differences of the first derivative.
"""

import functools
import math

import numpy as np
import pytest

import astad
from astad import grad, gradient, jvp, pullback
from astad.errors import Unsupported

pytestmark = pytest.mark.order_matters

SCALE = 3.0


def line(slope):
    return lambda x: slope * x


def shifted(f, by):
    return lambda x: f(x) + by


def slope_along(f, x, v):
    return jvp(f, (x,), (v,))[1]


def pulled(f, x, y_bar):
    _, back = pullback(f, x)
    return back(y_bar)[0]


# --- each kind of function that may be captured


def test_a_lambda_of_the_same_module():
    def squared(f):
        return lambda x: f(x) ** 2

    inner = squared(lambda x: x * x * x)  # x**6
    assert gradient(lambda x: grad(inner)(x), 2.0) == (480.0,)
    assert jvp(lambda x: grad(inner)(x), (2.0,), (0.5,))[1] == 240.0


def test_a_closure_keeps_the_derivative_by_what_it_has_captured():
    def second(x, slope):
        f = shifted(line(slope), 1.0)
        return grad(lambda x: f(x) ** 3)(x)  # 3 slope (slope x + 1)**2

    found = gradient(second, 2.0, 0.5)
    assert found == pytest.approx((6 * 0.25 * 2.0, 3 * 4.0 + 6 * 0.5 * 2.0 * 2.0))


def test_closures_in_closures():
    def second(x, a, b):
        inner = line(a)
        middle = shifted(inner, b)
        outer = lambda x: middle(x) * inner(x)  # (a x + b) a x
        return grad(outer)(x)  # 2 a**2 x + a b

    x, a, b = 1.5, 0.7, -0.4
    expected = 2 * a * a, 4 * a * x + b, a
    assert gradient(second, x, a, b) == pytest.approx(expected)


def test_a_function_of_a_text_with_loops_and_branches():
    def powered(n):
        def power(x):
            y = 1.0
            for _ in range(n):
                y = y * x
            return y if y > 0.0 else -y

        return power

    def second(x):
        f = powered(4)
        return grad(lambda x: 2.0 * f(x))(x)

    assert gradient(second, 1.5) == pytest.approx((24 * 1.5**2,))
    assert gradient(second, -1.5) == pytest.approx((24 * 1.5**2,))


def test_arrays_in_a_closure():
    x, target = np.array([1.0, 2.0]), np.array([0.5, 0.25])

    def second(x, target, weight):
        def model(x):
            return weight * x**2

        def loss(x):
            return np.sum((model(x) - target) ** 2)

        return np.sum(grad(loss)(x))  # 4 w x (w x**2 - t)

    w = 0.5
    bars = gradient(second, x, target, w)
    np.testing.assert_allclose(bars[0], 12 * w * w * x**2 - 4 * w * target)
    np.testing.assert_allclose(bars[1], -4 * w * x)
    assert bars[2] == pytest.approx(np.sum(8 * w * x**3 - 4 * x * target))


def test_defaults_are_parts_of_a_function():
    def second(x, rate):
        fs = [lambda x, rate=rate, n=n: rate * x**n for n in (2, 3)]
        first, other = fs
        return grad(lambda x: first(x) + other(x))(x)  # rate (2 x + 3 x**2)

    assert gradient(second, 2.0, 0.5) == pytest.approx((0.5 * 14.0, 16.0))


def test_a_ufunc_and_a_function_of_numpy():
    def made(f):
        return lambda x: f(x) * 2.0

    x = np.array([0.3, 0.4])
    found = slope_along(lambda x: slope_along(made(np.sin), x, x), x, np.ones(2))
    np.testing.assert_allclose(found, 2 * (np.cos(x) - x * np.sin(x)))
    (bar,) = gradient(lambda x: np.sum(grad(made(np.sum))(x) * x), x)
    np.testing.assert_allclose(bar, [2.0, 2.0])


def test_what_a_wrapper_hands_on():
    def logged(f):
        @functools.wraps(f)
        def wrapper(*args, **words):
            return f(*args, **words) + 0.0

        return wrapper

    def second(x):
        f = logged(lambda x, k: k * math.sin(x))
        return grad(lambda x: f(x, k=2.0))(x)

    assert gradient(second, 0.5) == pytest.approx((-2 * math.sin(0.5),))


def test_globals_are_those_of_the_module_of_each_function():
    space = {"SCALE": 5.0, "__name__": "nowhere"}
    exec(compile("def scaled(x):\n    return SCALE * x * x\n", "nowhere.py", "exec"), space)
    own = lambda x: SCALE * x * x
    assert gradient(lambda x: grad(lambda x: own(x))(x), 2.0) == (6.0,)
    with pytest.raises(Unsupported):
        scaled = space["scaled"]
        gradient(lambda x: grad(lambda x: scaled(x))(x), 2.0)


def test_each_of_two_closures_of_one_text_is_its_own():
    def second(x, a, b):
        f, g = line(a), line(b)
        return grad(lambda x: f(x) * g(x))(x)  # 2 a b x

    assert gradient(second, 1.5, 2.0, 3.0) == pytest.approx((12.0, 9.0, 6.0))
    assert gradient(second, 1.5, 4.0, 3.0) == pytest.approx((24.0, 9.0, 12.0))


def test_a_pullback_of_a_closure_and_its_own():
    def both(x, y_bar):
        return pulled(shifted(line(2.0), 1.0), x, y_bar)

    f = shifted(lambda x: x * x * x, 1.0)
    assert gradient(both, 3.0, 0.5) == (0.0, 2.0)
    assert gradient(lambda x, y_bar: pulled(f, x, y_bar), 2.0, 0.5) == (6.0, 12.0)


def test_hessians_and_products_with_them():
    inner = shifted(lambda v: np.sum(v**3), 1.0)
    x = np.array([1.0, 2.0])

    def trace(x):
        return np.trace(astad.hessian(lambda v: inner(v), x))

    np.testing.assert_allclose(gradient(trace, x)[0], [6.0, 6.0])
    np.testing.assert_allclose(astad.hvp(lambda v: inner(v), x, np.ones(2)), 6 * x)


# --- what is refused


def test_a_captured_function_that_counts():
    def second(x):
        count = 0

        def f(x):
            nonlocal count
            count += 1
            return count * x * x

        return grad(lambda x: f(x))(x)

    for _ in range(3):
        assert gradient(second, 2.0) == (2.0,)


def test_a_captured_function_that_goes_elsewhere_is_refused():
    kept = []

    def second(x):
        f = line(2.0)
        return grad(lambda x: (kept.append(f), f(x) ** 2)[1])(x)

    with pytest.raises(Unsupported, match="inside a function that is being differentiated"):
        gradient(second, 2.0)


def test_a_function_that_captures_itself():
    def power(n):
        def f(x, left):
            return x if left == 0 else x * f(x, left - 1)

        return lambda x: f(x, n)

    try:
        found = gradient(lambda x: grad(power(2))(x), 2.0)
    except Unsupported:
        return
    assert found == pytest.approx((12.0,))


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [(200, -2.4685215345269826), (2000, -2.5963575676003847), (20000, -2.596357564950201)],
)
def test_a_captured_function_of_many_rounds_is_not_written_out_round_by_round(rounds, expected):
    """By hand: the recurrences of z and of its derivatives in x, a, and both."""

    def slope(a, x):
        def orbit(z):
            for _ in range(rounds):
                z = z + 0.01 * math.sin(a * z)
            return z

        return astad.grad(lambda q: orbit(q) * q)(x)

    assert gradient(slope, 1.1, 0.7)[0] == pytest.approx(expected, rel=1e-10)
    assert expected == pytest.approx(_mixed_slope(1.1, 0.7, rounds), rel=1e-10)


def _mixed_slope(a, x, rounds):
    z, of_x, of_a, of_both = x, 1.0, 0.0, 0.0
    for _ in range(rounds):
        s, c = math.sin(a * z), math.cos(a * z)
        turn, bend = z + a * of_a, a * of_x
        of_both += 0.01 * (-s * turn * bend + c * (of_x + a * of_both))
        of_x, of_a, z = of_x + 0.01 * c * bend, of_a + 0.01 * c * turn, z + 0.01 * s
    return of_both * x + of_a
