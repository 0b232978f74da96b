"""Subclasses of ndarray of which NumPy calls methods of the user's for each new array."""

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.testing import check_gradient


class Scaled(np.ndarray):
    def __array_finalize__(self, source):
        self.scale = getattr(source, "scale", 1.0)


class Wrapped(np.ndarray):
    def __array_wrap__(self, out, context=None, return_scalar=False):
        made = np.asarray(out).view(Wrapped)
        made.scale = self.scale
        return made


class Doubling(np.ndarray):
    def __array_finalize__(self, source):
        self.scale = 2 * getattr(source, "scale", 1.0)


def scaled(x):
    a = np.ones(3).view(Scaled)
    a.scale = x
    return a


MADE = {
    "times": lambda a: a * 2,
    "slice": lambda a: a[1:],
    "transposed": lambda a: a.T,
    "sine": lambda a: np.sin(a),
    "copy": lambda a: a.copy(),
    "of a slice": lambda a: (a[1:] + 1.0)[::-1],
    "reshaped": lambda a: a.reshape(3, 1),
}


@pytest.mark.parametrize("name", MADE)
def test_numbers_that_are_handed_on(name):
    def f(x):
        made = MADE[name](scaled(x))
        y = made.scale * np.sum(np.asarray(made)) * x
        made.scale = x * x
        return y + made.scale

    check_gradient(f, 1.5)


def test_numbers_that_a_wrapper_hands_on():
    def f(x):
        a = np.ones(3).view(Wrapped)
        a.scale = x
        return np.add(a, 2.0).scale * x

    check_gradient(f, 1.5)


def test_numbers_that_are_computed_are_refused():
    def f(x):
        a = np.ones(3).view(Doubling)
        a.scale = x
        return (a * 2).scale

    with pytest.raises(Unsupported, match="__array_finalize__"):
        astad.gradient(f, 1.5)
