"""Operands that NumPy asks for what it computes with."""

import math

import numpy as np
import pytest

from astad import pullback
from astad.errors import Unsupported
from astad.testing import check_gradient


class Scaled(list):
    """NumPy asks such a list for an array before it takes it for a sequence."""

    def __array__(self, dtype=None, copy=None):
        return 2.0 * np.array(list(self))


class ScaledTuple(tuple):
    @property
    def __array_interface__(self):
        return (2.0 * np.array(list(self))).__array_interface__


def stored(kind, x):
    a = np.zeros(2)
    a[:] = kind([x, x * x])
    return a


@pytest.mark.parametrize("kind", [Scaled, ScaledTuple])
@pytest.mark.parametrize(
    "program",
    [
        lambda kind, x: np.array([x, 1.0]) + kind([x, x * x]),
        lambda kind, x: np.concatenate([kind([x, x * x]), kind([1.0, x])]),
        lambda kind, x: np.array([kind([x, x * x]), kind([1.0, x])]),
        lambda kind, x: np.add.reduce(kind([x, x * x])),
        lambda kind, x: np.multiply.outer(kind([x, x * x]), [1.0, 2.0]),
        stored,
    ],
)
def test_lists_that_numpy_asks_for_an_array_in_passing_are_refused(kind, program):
    y, back = pullback(lambda x: np.sum(program(kind, x)), 1.5)
    assert y == np.sum(program(kind, 1.5))
    with pytest.raises(Unsupported, match="convert it to an array"):
        back(1.0)


@pytest.mark.parametrize("program", [math.fsum, lambda v: math.hypot(*v), sum, np.sum, np.sin])
def test_such_lists_where_they_are_asked_or_never(program):
    check_gradient(lambda x: np.sum(program(Scaled([x, x * x]))), 1.5)
