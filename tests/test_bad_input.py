"""Wrong calls, wrong rules, functions out of reach: one clear error each, never a wrong number."""

import functools
import math
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import astad
from astad.errors import AstadError, Location, MissingRule, NoSource, RuleError, Unsupported


def square(x):
    return x * x


def product(x, y=2.0, *, scale=1.0):
    return x * y * scale


class Power:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        return x**self.n

    def of(self, x):
        return x**self.n


def outcome(call):
    with pytest.raises(Exception) as caught:
        call()
    return type(caught.value), str(caught.value)


def refusal(call, kind=AstadError):
    """The error, which has its four parts and says them in one line."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert isinstance(error, AstadError)
    assert all(str(part) for part in (error.where, error.what, error.why, error.instead))
    assert "\n" not in str(error)
    return str(error)


# --- calls that do not fit ------------------------------------------------------------------------

CALLS = {
    "none": (square, (), {}),
    "too many": (square, (1.0, 2.0), {}),
    "too many with defaults": (product, (1.0, 2.0, 3.0), {}),
    "unknown keyword": (square, (1.0,), {"z": 2.0}),
    "twice": (square, (1.0,), {"x": 2.0}),
    "lambda": (lambda x: x, (), {}),
    "method, none": (Power(2).of, (), {}),
    "method, too many": (Power(2).of, (1.0, 2.0), {}),
    "object": (Power(2), (1.0, 2.0), {}),
    "class": (Power, (), {}),
    "builtin": (math.sin, (), {}),
    "builtin, too many": (math.sin, (1.0, 2.0), {}),
    "ufunc": (np.sin, (), {}),
    "partial": (functools.partial(square), (1.0, 2.0), {}),
    "no function": (3.0, (1.0,), {}),
    "inside": (lambda x: product(x, x, x), (1.0,), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_raise_what_python_raises(name):
    """Type and text."""
    f, arguments, keywords = CALLS[name]
    expected = outcome(lambda: f(*arguments, **keywords))
    assert expected[0] is TypeError
    for _ in range(2):
        assert outcome(lambda: astad.gradient(f, *arguments, **keywords)) == expected
        assert outcome(lambda: astad.pullback(f, *arguments, **keywords)) == expected


@pytest.mark.parametrize("argnums", [1, -2, (0, 1), "x", 1.5, None, [None]])
def test_wrong_argnums(argnums):
    kind, text = outcome(lambda: astad.grad(square, argnums)(1.0))
    assert issubclass(kind, TypeError)
    assert text


def test_errors_of_the_users_function_come_through():
    def f(x):
        if x < 0.0:
            raise KeyError("negative")
        return {"a": x}["b"]

    assert outcome(lambda: astad.gradient(f, -1.0)) == (KeyError, "'negative'")
    assert outcome(lambda: astad.gradient(f, 1.0)) == (KeyError, "'b'")


# --- results that have no gradient ----------------------------------------------------------------

RESULTS = {
    "vector": (lambda a: a * 2.0, np.ones(3)),
    "matrix": (lambda a: a * 2.0, np.ones((1, 1))),
    "slice": (lambda a: a[:1], np.ones(2)),
    "tuple": (lambda x: (x, x), 1.0),
    "list": (lambda x: [x], 1.0),
    "dict": (lambda x: {"a": x}, 1.0),
    "nothing": (lambda x: None, 1.0),
    "text": (lambda x: f"{x}", 1.0),
    "object": (Power, 2.0),
    "complex": (lambda x: x * 1j, 1.0),
    "complex argument": (square, 1j),
    "complex 0-d": (lambda a: (a * 1j).sum(), np.ones(2)),
    "complex vector": (lambda a: a * 1j, np.ones(2)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_gradient_of_a_result_that_is_no_real_scalar(name):
    """The error says to use pullback; it is a TypeError too."""
    f, x = RESULTS[name]
    for call in (astad.gradient, lambda f, x: astad.value_and_grad(f)(x)):
        text = refusal(lambda call=call: call(f, x), TypeError)
        assert "astad.pullback" in text
        assert ("complex" in text) == name.startswith("complex")


def test_zero_dimensional_arrays_and_numbers_are_scalars():
    assert astad.gradient(lambda a: np.array(a.sum()), np.ones(2))[0].tolist() == [1.0, 1.0]
    assert astad.gradient(lambda x: np.float64(x) * 2.0, 1.0) == (2.0,)
    assert astad.gradient(lambda x: x > 0.0, 1.0) == (None,)


# --- functions out of reach -----------------------------------------------------------------------


def test_function_without_source():
    space = {}
    exec("def area(x):\n    for _ in range(2):\n        x = x * x\n    return x", space)
    text = refusal(lambda: astad.gradient(space["area"], 1.0), NoSource)
    assert re.match(r"test_bad_input\.py:\d+: area: source in <string>:", text)
    assert "astad.adjoint" in text
    callee = space["area"]
    within = refusal(lambda: astad.gradient(lambda x: callee(x) + x, 1.0), NoSource)
    assert within.partition(": ")[2] == text.partition(": ")[2]


def test_compiled_function_without_rule():
    drawn = np.random.default_rng(0).standard_gamma
    calls = [
        lambda: astad.gradient(drawn, 0.25),
        lambda: astad.gradient(lambda x: drawn(x) * 2.0, 0.25),
    ]
    for call in calls:
        text = refusal(call, Unsupported)
        assert re.match(r"test_bad_input\.py:\d+: Generator\.standard_gamma", text)
        assert "astad.adjoint" in text
    (found,) = astad.gradient(lambda x: drawn(0.25) * x, 2.0)
    assert np.isfinite(found)  # no derivative goes through it


def test_builtins_that_carry_no_derivative_give_none():
    assert astad.gradient(len, [1.0]) == (None,)
    assert astad.gradient(lambda a: len(a) * 1.0, [1.0]) == (None,)


# --- rules that return what does not fit ----------------------------------------------------------


def ruled(back, result=lambda a, b: a * b):
    """A function of two arguments with this rule."""

    def target(a, b):
        return a * b

    @astad.adjoint(target)
    def rule(a, b):
        return result(a, b), back

    return target


COUNTS = {
    "none": lambda y_bar: None,
    "empty": lambda y_bar: (),
    "one": lambda y_bar: (y_bar,),
    "bare": lambda y_bar: y_bar,
    "three": lambda y_bar: (y_bar, y_bar, y_bar),
    "list": lambda y_bar: [y_bar, y_bar],
}


@pytest.mark.parametrize("name", COUNTS)
def test_rule_with_the_wrong_number_of_cotangents(name):
    target = ruled(COUNTS[name])
    for call in (
        lambda: astad.gradient(target, 2.0, 3.0),
        lambda: astad.gradient(lambda x: target(x, 3.0) * x, 2.0),
        lambda: astad.pullback(target, 2.0, 3.0)[1](1.0),
    ):
        text = refusal(call, RuleError)
        assert "target" in text
        assert "2 arguments" in text


PARTS = {
    "shape of a number": (np.ones(3), 2.0),
    "one element for a number": (np.ones(1), 2.0),
    "short": (np.ones(2), np.ones(3)),
    "column": (np.ones((3, 1)), np.ones(3)),
    "one axis more": (np.ones((1, 3)), np.ones(3)),
    "text": ("a", 2.0),
    "text for an array": ("a", np.ones(3)),
    "dict": ({"a": 1.0}, 2.0),
    "object": (Power(2), 2.0),
    "inside a list": ([1.0, "a"], [1.0, 2.0]),
    "inside a tuple": ((1.0, np.ones(2)), (1.0, np.ones(3))),
    "number for a list": (1.0, [1.0, 2.0]),
    "short list": ([1.0], [1.0, 2.0]),
    "key": ({"b": 1.0}, {"a": 1.0}),
}


@pytest.mark.parametrize("name", PARTS)
def test_rule_with_the_wrong_shape_or_kind_of_cotangent(name):
    part, value = PARTS[name]
    target = ruled(lambda y_bar: (part, 1.0), result=lambda a, b: b * 1.0)
    refusal(lambda: astad.gradient(target, value, 3.0), RuleError)
    refusal(lambda: astad.gradient(lambda a, x: target(a, x) * x, value, 3.0), RuleError)


def test_rule_with_cotangents_that_fit():
    """A number for an array is the same everywhere; None is none; of complex the real part."""
    fits = [
        (1.0, np.ones(3), [1.0, 1.0, 1.0]),
        (np.array(2.0), 1.0, 2.0),
        (np.ones(3, np.float32), np.ones(3), [1.0, 1.0, 1.0]),
        (2.0 + 1j, 1.0, 2.0),
        ([None, 1.0], [1.0, 2.0], [0.0, 1.0]),
        ({"a": 1.0}, {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 0.0}),
    ]
    for part, value, expected in fits:
        target = ruled(lambda y_bar, part=part: (part, None), result=lambda a, b: b * 1.0)
        found = astad.gradient(target, value, 3.0)[0]
        assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


def test_rule_that_returns_no_pair():
    def target(a):
        return a

    astad.adjoint(target)(lambda a: a)
    assert "(y, back)" in refusal(lambda: astad.gradient(target, 1.0), RuleError)


def test_rule_of_other_arguments_raises_what_python_raises():
    def target(a):
        return a

    @astad.adjoint(target)
    def rule():
        return 1.0, lambda y_bar: ()

    kind, text = outcome(lambda: astad.gradient(target, 1.0))
    assert kind is TypeError
    assert "rule() takes 0 positional arguments but 1 was given" in text


# --- seeds that do not fit ------------------------------------------------------------------------

SEEDS = {
    "shape": (lambda a: a * 2.0, np.ones(3), np.ones(2)),
    "axes": (lambda a: a * 2.0, np.ones(3), np.ones((1, 3))),
    "text": (lambda a: a * 2.0, np.ones(3), "abc"),
    "text for a number": (square, 2.0, "a"),
    "array for a number": (square, 2.0, np.ones(3)),
    "short tuple": (lambda x: (x, x), 2.0, (1.0,)),
    "number for a tuple": (lambda x: (x, x), 2.0, 1.0),
    "key": (lambda x: {"a": x}, 2.0, {"b": 1.0}),
}


@pytest.mark.parametrize("name", SEEDS)
def test_seed_that_does_not_fit_the_result(name):
    f, x, seed = SEEDS[name]
    _, back = astad.pullback(f, x)
    refusal(lambda: back(seed), RuleError)
    with pytest.raises(RuleError):  # and has left nothing behind
        back(seed)


# --- errors as objects ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Unsupported, NoSource, MissingRule, RuleError])
def test_errors_pickle_with_their_parts_and_notes(kind):
    error = kind(Location("/home/ada/walk.py", 41), "what", why="why", instead="instead")
    error.add_note("in the reverse sweep of walk.py:6")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error) == "walk.py:41: what: why: instead"
    assert (copy.why, copy.instead, copy.__notes__) == (error.why, error.instead, error.__notes__)


def refused_in_a_worker(x):
    def path():
        assert vars()

        return [x]

    return astad.gradient(lambda x: sum(path()) * x, x)


@pytest.mark.slow
def test_error_comes_back_from_a_worker():
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert "vars()" in refusal(lambda: pool.submit(refused_in_a_worker, 1.0).result())


def test_a_pullback_inside_a_differentiated_function_is_refused():
    _, back = astad.pullback(lambda z: z * z, 3.0)
    with pytest.raises(Unsupported, match="a call inside a function"):
        astad.gradient(lambda x: back(x)[0], 2.0)
