"""Context variables: what was set outside is constant, what was set inside has its derivative."""

from __future__ import annotations

import contextlib
import contextvars
import functools

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from tests.programs.everywhere import right_everywhere

SCALE = contextvars.ContextVar("scale", default=2.0)
RATE = contextvars.ContextVar("rate")
UNSET = contextvars.ContextVar("unset")
RATE.set(3.0)


def by_default(x):
    return x**2 * SCALE.get()


def set_outside(x):
    return x**2 * RATE.get()


def of_the_call(x):
    return UNSET.get(x * x) * x


def set_inside(x):
    SCALE.set(x * x)
    SCALE.set(SCALE.get() * x)
    return SCALE.get() * x


def set_back(x):
    token = RATE.set(x * x)
    inner = RATE.get() * x
    RATE.reset(token)
    return inner * RATE.get()


@contextlib.contextmanager
def scaled(value):
    token = SCALE.set(value)
    try:
        yield
    finally:
        SCALE.reset(token)


def step(x):
    return x * SCALE.get()


def nested(x):
    with scaled(x * x):
        first = step(x)
        with scaled(3.0 * x):
            second = step(x)
        third = step(x)
    return first * second + third * step(x)


def in_a_loop(x):
    total = 0.0
    for k in range(1, 4):
        with scaled(k * x):
            total += step(x) * SCALE.get()
    return total


def in_another_context(x):
    RATE.set(x * x)
    other = contextvars.copy_context()
    inner = other.run(set_inside, x)
    other.run(RATE.set, x * x * x)
    return inner * RATE.get() * other.run(RATE.get)


def of_arrays(x):
    held = contextvars.ContextVar("held")
    held.set({"a": np.array([x, x * x])})
    held.get()["a"][0] *= 2.0
    return np.sum(held.get()["a"]) * x


PROGRAMS = [
    by_default, set_outside, of_the_call, set_inside, set_back, nested, in_a_loop,
    in_another_context, of_arrays,
]  # fmt: skip


def alone(f, x):
    """In a context that is not changed for others."""
    return contextvars.copy_context().run(f, x)


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_context_variable(f):
    y, back = alone(lambda x: astad.pullback(f, x), 1.7)
    assert y == alone(f, 1.7)
    step = (alone(f, 1.7 + 1e-6) - alone(f, 1.7 - 1e-6)) / 2e-6
    assert back(1.0)[0] == pytest.approx(step, rel=1e-7)
    assert (alone(f, 1.7), RATE.get(), SCALE.get()) == (y, 3.0, 2.0)


def test_what_a_context_from_before_holds_is_refused():
    other = contextvars.copy_context()
    other.run(RATE.set, 7.0)
    with pytest.raises(Unsupported, match="ContextVar.get"):
        astad.gradient(lambda x: other.run(lambda: RATE.get() * x), 2.0)


# --- one number that is set at two places


def read_out(x, y):
    RATE.set(x)
    other = contextvars.copy_context()
    RATE.set(y)
    return other[RATE] * RATE.get() ** 2 * other.get(RATE)


def old_values(x, y):
    first = RATE.set(x)
    second = RATE.set(y)
    total = second.old_value**2 * RATE.get()
    RATE.reset(second)
    total *= RATE.get()
    RATE.reset(first)
    return total * RATE.get()


def contexts_apart(x, y):
    other = contextvars.copy_context()
    RATE.set(x)
    other.run(RATE.set, y)
    copied = other.copy()
    return RATE.get() ** 2 * other.run(RATE.get) * copied.run(RATE.get) * copied[RATE]


def put_back_to_what_was_there(x, y):
    RATE.reset(RATE.set(x))
    return RATE.get() * x * y


def put_back_in_a_copy(x, y):
    def product():
        token = RATE.set(x * y)
        held = RATE.get()
        RATE.reset(token)
        return held * RATE.get()

    RATE.set(y)
    other = contextvars.copy_context()
    RATE.set(x)
    return other.run(product) * RATE.get() ** 2


def put_back_in_a_loop(x, y):
    for k in range(3):
        token = RATE.set(x if k % 2 else y)
        SCALE.set(RATE.get() * SCALE.get())
        if k:
            RATE.reset(token)
    return SCALE.get() * RATE.get()


def put_back_after_an_error(x, y):
    token = RATE.set(x)
    try:
        RATE.set("nothing")
        raise ValueError(RATE.get())
    except ValueError:
        RATE.reset(token)
    return RATE.get() * x * y * token.old_value


def a_default_of_the_call(x, y):
    return contextvars.copy_context().get(UNSET, x) * y * contextvars.copy_context()[RATE]


@pytest.mark.parametrize("args", [(1.3, 0.8), (3.0, 3.0), (2, 2)], ids=repr)
@pytest.mark.parametrize(
    "f",
    [
        read_out, old_values, contexts_apart, put_back_to_what_was_there, put_back_in_a_copy,
        put_back_in_a_loop, put_back_after_an_error, a_default_of_the_call,
    ],
)  # fmt: skip
def test_a_number_that_was_set_at_two_places(f, args):
    if args[0] is args[1]:
        RATE.set(args[0])  # was there before, too
    try:
        right_everywhere(functools.partial(in_a_copy, f), *args)
    finally:
        RATE.set(3.0)


def in_a_copy(f, *args):
    return contextvars.copy_context().run(f, *args)


def test_a_variable_without_a_value():
    with pytest.raises(LookupError):
        astad.gradient(lambda x: UNSET.get() * x, 2.0)


def default_read(x):
    v = contextvars.ContextVar("v", default=x)
    return v.get() * x


def default_put_back(x):
    v = contextvars.ContextVar("v", default=x * x)
    t = v.set(3 * x)
    a = v.get()
    v.reset(t)
    return a * v.get()


def default_beside_another(x):
    v = contextvars.ContextVar("v", default=x * x)
    return v.get(2 * x) * v.get()


def default_in_a_copy(x):
    v = contextvars.ContextVar("v", default=x * x)
    return contextvars.copy_context().run(v.get) * x


def defaults_in_a_dict(x):
    vs = {k: contextvars.ContextVar(k, default=x * i) for i, k in enumerate("abc")}
    return sum((v.get() * v.get() for v in vs.values()))


def default_in_an_object(x):

    class S:
        def __init__(s, y):
            s.v = contextvars.ContextVar("v", default=y)
            s.w = contextvars.ContextVar("w")

        def get(s):
            return s.v.get() + s.w.get(2 * x)

    return S(x * x).get() * x


def two_of_one_name(x):
    a = contextvars.ContextVar("a", default=x)
    b = contextvars.ContextVar("a", default=x * x)
    c = contextvars.copy_context()
    a.set(5 * x)
    return a.get() * b.get() * c.run(a.get)


def default_set_over(x):
    a = contextvars.ContextVar("a", default=x * x)
    t = a.set(x)
    o = t.old_value
    return a.get() * (1 if o is contextvars.Token.MISSING else 2)


@pytest.mark.parametrize(
    "f",
    [
        default_read,
        default_put_back,
        default_beside_another,
        default_in_a_copy,
        defaults_in_a_dict,
        default_in_an_object,
        two_of_one_name,
        default_set_over,
    ],
)
def test_a_default_that_is_given_inside(f):
    right_everywhere(f, 1.3)
