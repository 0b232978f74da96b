"""Functions that are arguments or captured: each call is of the one that is there then."""

import math

import numpy as np
import pytest

from astad import grad, gradient, value_and_grad
from astad.runtime.core.variants import variants_of

pytestmark = pytest.mark.order_matters


def square(t):
    return t * t + 1.0


def shifted(t, by=2.0):
    return t * by


def recursive(t):
    return t if t < 1.0 else recursive(t / 2.0) * t


SCALE = 3.0


def scaled(t):
    return SCALE * t * t


def simpson(f, a, b, n):
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total = total + (4.0 if i % 2 else 2.0) * f(a + i * h)
    return total * h / 3.0


def composed(f, g):
    def both(x):
        return f(g(x))

    return both


def twice(f, x):
    return f(f(x))


def handed_on(f, x):
    return twice(f, x) + f(x)


def chosen(f, g, x):
    return (f if x > 1.0 else g)(x)


def bound_anew(f, x):
    y = f(x)
    f = square
    return y + f(x)


def compared(f, x):
    return f(x) * 2.0 if f is square else f(x)


def listed(f, x):
    total = 0.0
    for each in [f, square]:
        total = total + each(x)
    return total


def by_keyword(x, *, f=square):
    return f(x) * x


CASES = [
    (twice, (square, 1.3)),
    (twice, (math.sin, 1.3)),
    (twice, (shifted, 1.3)),
    (twice, (recursive, 3.3)),
    (twice, (np.tanh, 1.3)),
    (twice, (grad(square), 1.3)),
    (twice, (lambda t: t**3, 1.3)),
    (twice, (abs, -1.3)),
    (twice, (float, 1.3)),
    (handed_on, (square, 1.3)),
    (handed_on, (math.exp, 0.3)),
    (chosen, (square, math.sin, 1.3)),
    (chosen, (square, math.sin, 0.3)),
    (chosen, (square, square, 0.3)),
    (bound_anew, (math.cos, 0.7)),
    (compared, (square, 0.7)),
    (compared, (scaled, 0.7)),
    (listed, (math.sin, 0.7)),
    (by_keyword, (0.7,)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_against_differences(f, args):
    y, bar = value_and_grad(f, len(args) - 1)(*args)
    assert y == f(*args)
    *held, x = args
    want = (f(*held, x + 1e-6) - f(*held, x - 1e-6)) / 2e-6
    assert bar == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("f", [square, math.sin, np.exp])
def test_captured(f):
    g = composed(f, square)
    want = (g(0.7 + 1e-6) - g(0.7 - 1e-6)) / 2e-6
    assert gradient(g, 0.7)[0] == pytest.approx(want, rel=1e-6)


def test_a_text_for_each():
    for f in (square, math.sin, scaled):
        found = gradient(simpson, f, 0.5, 2.0, 10)
        assert found[:1] == (None,) and found[2] == pytest.approx(f(2.0), rel=1e-3)
    assert len(variants_of(simpson).fused[0, 1, 2, 3]) == 3


def test_more_functions_than_there_are_texts():
    fs = [math.sin, math.cos, math.tan, math.exp, math.log, math.sqrt, math.atan, math.sinh]
    fs += [math.cosh, math.tanh, math.asinh, square, scaled]
    for _ in range(2):
        for f in fs:
            want = (twice(f, 2.0 + 1e-6) - twice(f, 2.0 - 1e-6)) / 2e-6
            assert gradient(twice, f, 2.0)[1] == pytest.approx(want, rel=1e-5), f


def test_a_function_of_that_name_is_another_by_now(monkeypatch):
    old = square
    assert gradient(twice, square, 1.0) == (None, 8.0)
    monkeypatch.setitem(globals(), "square", lambda t: t**3)
    assert gradient(twice, square, 1.0)[1] == 9.0
    assert gradient(twice, old, 1.0) == (None, 8.0)


def test_what_the_function_reads_changes(monkeypatch):
    assert gradient(twice, scaled, 1.0)[1] == 4 * 27.0
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    assert gradient(twice, scaled, 1.0)[1] == 4.0
    monkeypatch.setitem(globals(), "SCALE", np.float64(2.0))
    assert gradient(twice, scaled, 1.0)[1] == 4 * 8.0


def test_its_code_is_replaced():
    def fresh(t):
        return t * t

    space = {"__name__": __name__}
    exec("def h(t):\n    return t\n", space)
    h = space["h"]
    assert twice(h, 2.0) == 2.0
    h.__code__ = fresh.__code__
    assert gradient(twice, h, 2.0)[1] == 32.0
