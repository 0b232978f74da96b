"""Context variables: what was set outside is constant, what was set inside has its derivative."""

from __future__ import annotations

import contextlib
import contextvars

import numpy as np
import pytest

import astad
from astad.errors import Unsupported

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


def test_a_value_read_out_of_the_context_is_refused():
    def f(x):
        RATE.set(x * x)
        return contextvars.copy_context()[RATE] * x

    with pytest.raises(Unsupported):
        alone(lambda x: astad.gradient(f, x), 2.0)


def test_the_old_value_of_a_token_is_refused():
    def f(x):
        RATE.set(x * x)
        return RATE.set(2.0).old_value * x

    with pytest.raises(Unsupported):
        alone(lambda x: astad.gradient(f, x), 2.0)


def test_a_variable_without_a_value():
    with pytest.raises(LookupError):
        astad.gradient(lambda x: UNSET.get() * x, 2.0)
