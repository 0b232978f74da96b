"""Decorated functions, and closures under global names: what a wrapper is given is handed on, and
what a function has captured is read in every call.
"""

import functools
import math

import numpy as np
import pytest

from astad import gradient
from tests.compiler.forms import check_forms, close, differences


def traced(f):
    @functools.wraps(f)
    def wrapper(*args, **words):
        return f(*args, **words)

    return wrapper


def twice(f):
    def wrapper(x, *args, **words):
        return f(x, *args, **words) * 2.0

    return wrapper


def scaled(s):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **words):
            return s * f(*args, **words)

        return wrapper

    return decorate


def logged(f):
    calls = []

    def wrapper(*args):
        calls.append(len(args))
        return f(*args)

    wrapper.calls = calls
    return wrapper


def with_z_three(f):
    def wrapper(*args, **words):
        words.setdefault("z", 3.0)
        return f(*args, **words)

    return wrapper


def times_the_number_of_arguments(f):
    def wrapper(*args):
        if len(args) > 1:
            return f(*args) * len(args)
        return f(*args)

    return wrapper


def with_scale_two(f):
    def wrapper(*args, **words):
        return f(*args, scale=2.0, **words)

    return wrapper


@traced
def product(x, y):
    return x * y


@twice
@scaled(1.5)
def line(x, y=2.0, *, z=1.0):
    return x * y + z


@logged
def noted(x, y):
    return x * y * y


@with_z_three
def times_z(x, z=1.0):
    return x * z


@times_the_number_of_arguments
def counted(x, y=2.0):
    return x * y


@with_scale_two
def moved(x, scale=1.0, off=0.0):
    return x * scale + off


def kernel_of(scale, f):
    @traced
    def kernel(a, b, jitter=0.01):
        return math.exp(-scale * (a - b) ** 2) * f(a) + jitter

    return kernel


def with_weight():
    weight = 1.0

    def set_weight(value):
        nonlocal weight
        weight = value

    def weighted(x):
        return weight * x

    return set_weight, weighted


KERNEL = kernel_of(0.5, math.cos)
STEEP = (lambda s: lambda x: s * x)(3.0)
AFFINE = (lambda A: lambda x: float(A[0]) * x + float(A[1]))(np.array([2.0, 5.0]))
TABLED = (lambda t: lambda i, x: t[i] * x)([1.0, 2.0, 4.0])
SET_WEIGHT, WEIGHTED = with_weight()


def a_kernel_summed(x, y):
    return sum(KERNEL(x, 0.1 * i) for i in range(4)) * y


def a_kernel_in_a_loop(x, y):
    t = 0.0
    for i in range(30):
        t += KERNEL(x, y * i, jitter=x)
    return t


def lambdas_that_captured(x, y):
    return STEEP(x) * AFFINE(y) + TABLED(1, x)


def decorated_by_place_and_keyword(x, y):
    return product(x, y) + product(y=x, x=y)


def decorated_twice(x, y):
    return line(x) + line(x, y) + line(y, z=x) + line(x, y=y)


def a_weight_set_and_read(x, y):
    SET_WEIGHT(x)
    r = WEIGHTED(y) * WEIGHTED(2.0)
    SET_WEIGHT(1.0)
    return r


def a_weight_read(x, y):
    return WEIGHTED(x) * y


def calls_noted(x, y):
    t = 0.0
    for i in range(3):
        t += noted(x, y)
    r = t * len(noted.calls)
    noted.calls.clear()
    return r


def a_keyword_put_in(x, y):
    return times_z(x) + times_z(y, z=x)


def arguments_counted(x, y):
    return counted(x) + counted(x, y)


def a_keyword_added(x, y):
    return moved(x) + moved(y, off=x)


def decorated_in_the_function(x, y):
    f = traced(product)
    return f(x, y) * KERNEL(y, x)


def a_partial_of_a_decorated_function(x, y):
    return functools.partial(product, x)(y) + KERNEL(a=x, b=y)


FUSED = [
    a_kernel_summed,
    a_kernel_in_a_loop,
    decorated_by_place_and_keyword,
    decorated_twice,
    a_weight_read,
    a_keyword_added,
]
OTHERS = [
    lambdas_that_captured,
    a_weight_set_and_read,
    calls_noted,
    a_keyword_put_in,
    arguments_counted,
    decorated_in_the_function,
    a_partial_of_a_decorated_function,
]


@pytest.mark.parametrize("args", [(1.3, 0.7), (0.4, 2.1)])
@pytest.mark.parametrize("fn", FUSED + OTHERS, ids=lambda fn: fn.__name__)
def test_right(fn, args):
    check_forms(fn, *args)


@pytest.mark.parametrize("fn", FUSED, ids=lambda fn: fn.__name__)
def test_fused(fn):
    check_forms(fn, 1.3, 0.7, fused=True)


def same_as_differences(fn, *args):
    """By what is compiled already, as a program that calls twice has it."""
    close(gradient(fn, *args), differences(fn, args, 1.0), "gradient", 2e-7, 1e-8)


def with_any_weight():
    weight = 1.0

    def set_weight(value):
        nonlocal weight
        weight = value

    return set_weight, lambda x: weight * x


SET_OTHER, OTHER_WEIGHTED = with_any_weight()


def another_weight_read(x, y):
    return OTHER_WEIGHTED(x) * y


@pytest.mark.order_matters
def test_what_was_captured_changes_between_two_calls():
    for weight in (1.0, 3.0, 2, np.float64(0.5), True, np.array(4.0), 1.5):
        SET_OTHER(weight)
        same_as_differences(another_weight_read, 1.3, 0.7)
        same_as_differences(OTHER_WEIGHTED, 1.3)
    SET_OTHER(3.0)
    assert gradient(another_weight_read, 2.0, 0.5) == (1.5, 6.0)
    assert gradient(OTHER_WEIGHTED, 1.3) == (3.0,)
    SET_OTHER(1.0)


@pytest.mark.order_matters
def test_what_was_captured_becomes_none():
    same_as_differences(another_weight_read, 1.3, 0.7)
    SET_OTHER(None)
    for fn, args in [(another_weight_read, (1.3, 0.7)), (OTHER_WEIGHTED, (1.3,))]:
        with pytest.raises(TypeError, match="NoneType"):
            gradient(fn, *args)
    SET_OTHER(1.0)
    same_as_differences(another_weight_read, 1.3, 0.7)


SET_THIRD, THIRD_WEIGHTED = with_any_weight()


def a_third_weight_read(x, y):
    return THIRD_WEIGHTED(x) * y


@pytest.mark.order_matters
def test_fused_again_after_a_number_of_numpy_was_captured():
    check_forms(a_third_weight_read, 1.3, 0.7, fused=True)
    SET_THIRD(np.float64(0.5))
    check_forms(a_third_weight_read, 1.3, 0.7)
    SET_THIRD(1.0)
    check_forms(a_third_weight_read, 1.3, 0.7, fused=True)


def test_an_array_that_was_captured_changes():
    values = AFFINE.__closure__[0].cell_contents
    same_as_differences(lambdas_that_captured, 1.3, 0.7)
    before = values.copy()
    values[:] = [-1.0, 0.25]
    same_as_differences(lambdas_that_captured, 1.3, 0.7)
    values[:] = before
    same_as_differences(lambdas_that_captured, 1.3, 0.7)


def test_a_function_that_was_captured_changes(monkeypatch):
    cells = dict(zip(KERNEL.__wrapped__.__code__.co_freevars, KERNEL.__wrapped__.__closure__))
    same_as_differences(a_kernel_summed, 1.3, 0.7)
    for name, value in [("f", math.sin), ("f", lambda t: t * t), ("scale", 2), ("scale", 0.25)]:
        monkeypatch.setattr(cells[name], "cell_contents", value)
        same_as_differences(a_kernel_summed, 1.3, 0.7)
        same_as_differences(a_kernel_in_a_loop, 1.3, 0.7)
    monkeypatch.undo()
    same_as_differences(a_kernel_summed, 1.3, 0.7)


def test_the_decorated_function_changes(monkeypatch):
    (cell,) = product.__closure__
    same_as_differences(decorated_by_place_and_keyword, 1.3, 0.7)
    monkeypatch.setattr(cell, "cell_contents", lambda x, y: x * x * y)
    same_as_differences(decorated_by_place_and_keyword, 1.3, 0.7)


REBOUND = product


def a_name_bound_anew(x, y):
    return REBOUND(x, y) * y


@pytest.mark.order_matters  # which of the wrapper's texts is kept depends on who called it before
@pytest.mark.parametrize(
    "new",
    [
        product.__wrapped__,
        traced(lambda x, y: x * x * y),
        twice(product),
        logged(product),
        (lambda s: lambda x, y: s * x + y)(3.0),
        (lambda s: lambda x, y: s[0] * x + y)([3.0]),
        math.atan2,
        functools.partial(line, z=2.0),
    ],
    ids=["bare", "traced", "twice", "logged", "a number", "a list", "builtin", "partial"],
)
def test_the_name_of_a_decorated_function_is_bound_anew(monkeypatch, new):
    same_as_differences(a_name_bound_anew, 1.3, 0.7)
    monkeypatch.setitem(globals(), "REBOUND", new)
    same_as_differences(a_name_bound_anew, 1.3, 0.7)
    monkeypatch.undo()
    same_as_differences(a_name_bound_anew, 1.3, 0.7)


@traced
def with_default(x, y=2.0, *, z=1.0):
    return x * x * y + z


def by_its_defaults(x, y):
    return with_default(x) * with_default(y, z=x)


def test_defaults_of_a_decorated_function_change(monkeypatch):
    inner = with_default.__wrapped__
    same_as_differences(by_its_defaults, 1.3, 0.7)
    for value in (5.0, 3, np.float64(0.5), 0.25):
        monkeypatch.setattr(inner, "__defaults__", (value,))
        same_as_differences(by_its_defaults, 1.3, 0.7)
        same_as_differences(with_default, 1.3)
    for value in (4.0, 2):
        monkeypatch.setattr(inner, "__kwdefaults__", {"z": value})
        same_as_differences(by_its_defaults, 1.3, 0.7)
    monkeypatch.setattr(inner, "__defaults__", (5.0, 6.0))
    assert gradient(lambda x: with_default(), 1.3) in ((None,), (0.0,))
    monkeypatch.setattr(inner, "__defaults__", None)
    for fn, args in [(by_its_defaults, (1.3, 0.7)), (with_default, (1.3,))]:
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
            gradient(fn, *args)
    monkeypatch.undo()
    same_as_differences(by_its_defaults, 1.3, 0.7)


def with_slope_later():
    def set_slope(value):
        nonlocal slope
        slope = value

    def forget_slope():
        nonlocal slope
        del slope

    def sloped(x):
        return slope * x * x

    if False:
        slope = 0.0
    return set_slope, forget_slope, sloped


SET_SLOPE, FORGET_SLOPE, SLOPED = with_slope_later()


def a_slope_read(x, y):
    return SLOPED(x) * y


def test_nothing_was_captured_yet():
    for _ in range(2):
        for fn, args in [(a_slope_read, (1.3, 0.7)), (SLOPED, (1.3,))]:
            with pytest.raises(NameError) as plain:
                fn(*args)
            with pytest.raises(NameError) as found:
                gradient(fn, *args)
            assert str(found.value) == str(plain.value)
        SET_SLOPE(2.0)
        same_as_differences(a_slope_read, 1.3, 0.7)
        same_as_differences(SLOPED, 1.3)
        FORGET_SLOPE()
