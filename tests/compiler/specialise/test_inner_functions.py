"""Functions made by a function, and functions handed to others, are written out where they are
known; all else is left as it was.
"""

import functools
import math

import numpy as np
import pytest

import astad
from astad.runtime.core.variants import variants_of


def is_fused(f, *args):
    astad.gradient(f, *args)
    return any(variants_of(f).fused.values())


def rk4(f, y, dt, n):
    for _ in range(n):
        k1 = f(y)
        k2 = f(y + 0.5 * dt * k1)
        k3 = f(y + 0.5 * dt * k2)
        k4 = f(y + dt * k3)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def with_lambda(a, y0):
    return rk4(lambda y: -a * y + math.sin(y), y0, 0.1, 5)


def with_inner(a, b, y0):
    def rhs(y):
        growth = a * y
        return growth - b * y * y

    return rk4(rhs, y0, 0.1, 5)


def compose(f, g):
    return lambda x: f(g(x))


def composed(x):
    h = compose(math.sin, math.exp)
    return h(x) * h(0.5 * x)


def composed_twice(x):
    return compose(compose(math.sin, lambda t: t * x), lambda t: t + x)(x)


def counting(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for i in range(4):
        add(x + i)
    return total


def late_binding(x):
    scale = 2.0
    f = lambda t: scale * t
    y = f(x)
    scale = x
    return y + f(x)


def with_defaults(x):
    def power(t, n=2, shift=0.5):
        return t**n + shift

    return power(x) + power(x, 3) + power(x, shift=x) + power(n=1, t=x)


def default_of_then(x):
    y = x * x
    f = lambda t, y=y: t * y
    y = 3.0
    return f(x) + y


def branching(x):
    def clipped(t):
        if t > 1.0:
            return 1.0 + 0.1 * t
        return t * t

    return clipped(x) * clipped(2.0 * x)


def looping(x):
    def power(t, n):
        y = 1.0
        for _ in range(n):
            y = y * t
        return y

    return power(x, 3) + power(x + 1.0, 2)


def of_inner(x):
    def outer(t):
        def inner(u):
            return u * t

        return inner(t) + inner(x)

    return outer(x) * outer(2.0)


def newton(f, df, x):
    for _ in range(6):
        x = x - f(x) / df(x)
    return x


def root(a):
    return newton(lambda x: x**3 - a, lambda x: 3.0 * x**2, 1.0)


def scaled(x, factor=2.0, *, shift):
    return x * factor + shift


def keywords(x, y):
    return scaled(x, shift=y) * scaled(y, shift=x, factor=x) + scaled(factor=3.0, x=x, shift=1.0)


def squares(*xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


def starred(a, b, c):
    return squares(a, b, c) * squares(a * b) + squares()


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (with_lambda, (0.7, 1.0)),
        (with_inner, (0.7, 0.3, 1.0)),
        (composed, (0.3,)),
        (composed_twice, (0.3,)),
        (counting, (0.5,)),
        (late_binding, (0.5,)),
        (with_defaults, (0.5,)),
        (branching, (0.8,)),
        (looping, (0.8,)),
        (of_inner, (0.8,)),
        (root, (3.0,)),
        (keywords, (1.1, 0.6)),
        (starred, (1.0, 2.0, 3.0)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_written_out(f, args, forms_agree):
    assert is_fused(f, *args)
    forms_agree(f, *args)


def test_a_default_is_the_value_of_then(forms_agree):
    forms_agree(default_of_then, 0.5)


def test_arrays_through_a_function_that_is_handed_over(forms_agree):
    matrix = np.array([[0.0, 1.0], [-1.0, -0.1]])

    def f(a, y):
        return np.sum(rk4(lambda y: a @ y, y, 0.1, 3) ** 2)

    forms_agree(f, matrix, np.array([1.0, 0.5]))


# --- left to the dispatcher ---------------------------------------------------------------------


def maybe_unbound(x, n):
    if n > 0:
        f = lambda t: t * x
    return f(x)


def test_a_function_bound_in_one_arm():
    assert astad.gradient(maybe_unbound, 2.0, 1) == (4.0, None)
    with pytest.raises(UnboundLocalError, match="'f'"):
        astad.gradient(maybe_unbound, 2.0, 0)


def unbound_variable(x):
    f = lambda: later * x
    y = f() if x < 0.0 else x
    later = 2.0
    return y * f() * later


def test_a_captured_variable_that_is_not_bound_yet(forms_agree):
    forms_agree(unbound_variable, 2.0)
    with pytest.raises(NameError, match="'later'"):
        astad.gradient(unbound_variable, -2.0)


def recursive(x, n):
    def go(v, k):
        if k == 0:
            return v
        return go(math.sin(v) + x, k - 1)

    return go(x, n)


def rebound(x):
    f = lambda t: t * x
    y = f(x)
    f = lambda t: t + x
    return f(y)


def kept(x):
    fs = []
    for i in range(3):
        fs.append(lambda t, i=i: t * x + i)
    return fs[0](x) + fs[2](x)


def handed_to_builtins(a, b):
    values = sorted([a, b], key=lambda v: -v)
    return functools.reduce(lambda acc, v: acc * a + v, values, 0.0) + sum(
        map(lambda v: v * b, values)
    )


def rebound_from_inside(x):
    f = lambda t: t * x

    def other():
        nonlocal f
        f = lambda t: t + x

    y = f(x)
    other()
    return y * f(x)


def doubled(f):
    return lambda t: 2.0 * f(t)


def decorated(x):
    @doubled
    def f(t):
        return t * x

    return f(x)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (recursive, (0.4, 3)),
        (rebound, (0.4,)),
        (kept, (0.4,)),
        (handed_to_builtins, (0.4, 0.9)),
        (rebound_from_inside, (0.4,)),
        (decorated, (0.4,)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_right_in_any_case(f, args, forms_agree):
    forms_agree(f, *args)


def test_what_is_handed_over_may_be_bound_anew(monkeypatch):
    assert astad.gradient(composed, 0.3) != (0.0,)
    monkeypatch.setitem(globals(), "compose", lambda f, g: lambda x: 3.0 * x)
    assert astad.gradient(composed, 0.5) == (4.5,)


def test_defaults_may_be_bound_anew(monkeypatch):
    assert is_fused(keywords, 1.0, 2.0)
    before = astad.gradient(keywords, 1.0, 2.0)
    monkeypatch.setattr(scaled, "__defaults__", (5.0,))
    after = astad.gradient(keywords, 1.0, 2.0)
    assert after != before
    x, y, h = 1.0, 2.0, 1e-6
    near = (keywords(x + h, y) - keywords(x - h, y)) / (2 * h)
    assert math.isclose(after[0], near, rel_tol=1e-6)


def shifted(x, *, shift=0.5, name="plain"):
    return x * shift


def by_word(x):
    return shifted(x) * shifted(x, shift=x) + x


def chosen(x, shift=0.5, name="plain"):
    if name == "plain":
        return x * shift
    return x


def with_branches(x):
    return chosen(x) * chosen(x, shift=x) + chosen(name="other", x=x)


def test_keywords_of_a_function_that_is_called_by_name(monkeypatch, forms_agree):
    assert is_fused(with_branches, 2.0)
    forms_agree(with_branches, 2.0)
    assert astad.gradient(with_branches, 2.0) == (0.5 * 3 * 4.0 + 1.0,)
    monkeypatch.setattr(chosen, "__defaults__", (2.0, "plain"))
    assert astad.gradient(with_branches, 2.0) == (2.0 * 3 * 4.0 + 1.0,)
    monkeypatch.setattr(chosen, "__defaults__", (2.0, "other"))
    assert astad.gradient(with_branches, 2.0) == (2.0 * 2.0 + 1.0,)


def wrongly(x):
    return chosen(x, 2.0, shift=3.0)


def test_python_says_what_does_not_fit():
    with pytest.raises(TypeError, match="got multiple values for argument 'shift'"):
        astad.gradient(wrongly, 1.0)


def test_defaults_of_keywords_may_change_in_place(monkeypatch, forms_agree):
    assert is_fused(by_word, 2.0)
    forms_agree(by_word, 2.0)
    assert astad.gradient(by_word, 2.0) == (0.5 * 3 * 4.0 + 1.0,)
    monkeypatch.setitem(shifted.__kwdefaults__, "shift", 2.0)
    assert astad.gradient(by_word, 2.0) == (2.0 * 3 * 4.0 + 1.0,)


def failing(x):
    def inner(t):
        return math.log(t - x)

    return inner(x)


def test_an_error_shows_the_line_of_the_inner_function():
    with pytest.raises(ValueError, match="math domain error") as caught:
        astad.gradient(failing, 2.0)
    names = [entry.name for entry in caught.traceback]
    assert names[-2:] == ["failing", "inner"] or names[-1] == "inner"
    first = failing.__code__.co_firstlineno
    assert caught.traceback[-1].lineno + 1 == first + 2


def solved(f, slope, x, most=20):
    if most < 1:
        raise ValueError("no steps")
    steps = 0
    while abs(f(x)) > 1e-10 and steps < most:
        x = x - f(x) / slope(x)
        steps = steps + 1
    return x


def cube_root(a, most):
    return solved(lambda t: t * t * t - a, lambda t: 3.0 * t * t, 1.0 + a, most)


def test_loops_with_conditions_and_errors_of_what_is_handed_a_function(forms_agree):
    assert is_fused(cube_root, 2.0, 20)
    forms_agree(cube_root, 2.0, 20)
    with pytest.raises(ValueError, match="no steps"):
        astad.gradient(cube_root, 2.0, 0)


def scaling(step):
    return lambda t: step * t


def product(value):
    def times(t):
        nonlocal value
        value = value * t
        return value

    return times


def swapped_behind_a_maker(x, y):
    scaled = scaling(y)
    x, y = y, x
    return scaled(y) + x * x


def bound_anew_in_a_loop(x, y):
    scaled = scaling(y)
    for _ in range(3):
        y = y * 0.5 + scaled(x)
    return scaled(x) + y


def one_start_of_two_variables(x, y):
    first, second = product(y), product(y)
    return (first(x) + second(x) * first(x)) * y


@pytest.mark.parametrize(
    "f", [swapped_behind_a_maker, bound_anew_in_a_loop, one_start_of_two_variables]
)
def test_a_maker_keeps_what_it_was_handed(f, forms_agree):
    """Its variable is its own, whatever becomes of the caller's name for the argument."""
    forms_agree(f, 1.3, 0.7)
