"""Containers that a call may write unseen are read anew after it."""

import math

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported
from astad.runtime.core.variants import forget_all


class Writer:
    """Each operator writes into the dict that is differentiated."""

    def __init__(self, held):
        self.held = held

    def __neg__(self):
        self.held["a"] = 5.0
        return 1.0

    __abs__ = __float__ = __neg__

    def __array__(self, dtype=None, copy=None):
        self.held["a"] = 5.0
        return np.array(1.0)


HELD = {"a": 0.3}
WRITER = Writer(HELD)


def negated(p, w):
    y = p["a"] * 3.0
    return y * -w * p["a"]


def absolute(p, w):
    y = p["a"] * 3.0
    abs(w)
    return y * p["a"]


def converted(p, w):
    y = p["a"] * 3.0
    return y * float(w) * p["a"]


def summed(p, w):
    y = p["a"] * 3.0
    return y * np.sum(w) * p["a"]


def global_negated(p, w):
    y = p["a"] * 3.0
    return y * -WRITER * p["a"]


def global_absolute(p, w):
    y = p["a"] * 3.0
    return y * abs(WRITER) * p["a"]


def global_summed(p, w):
    y = p["a"] * 3.0
    np.sum(WRITER)
    return y * p["a"]


class Scale:
    def __call__(self, x):
        HELD["a"] = 5.0
        return x


scale = Scale()


def called(p, w):
    y = p["a"] * 3.0
    scale(p["a"])
    return y * p["a"]


WRITING = [
    negated, absolute, converted, summed, global_negated, global_absolute, global_summed, called,
]  # fmt: skip


@pytest.mark.parametrize("fn", WRITING)
def test_operators_and_calls_that_write_the_argument(fn):
    """3 a times 5, which it is by then."""
    for form in (gradient, lambda *args: pullback(*args)[1](1.0)):
        forget_all()
        HELD["a"] = 0.3
        assert math.isclose(form(lambda p: fn(p, WRITER), HELD)[0]["a"], 15.0)


@pytest.mark.parametrize("fn", WRITING)
def test_what_an_argument_holds_and_is_one_too_may_not_be_written(fn):
    for form in (gradient, lambda *args: pullback(*args)[1](1.0)):
        forget_all()
        HELD["a"] = 0.3
        with pytest.raises(Unsupported, match="a write to an argument that is passed twice"):
            form(fn, HELD, WRITER)
