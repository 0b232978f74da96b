"""Lists of numbers, None and texts that go into places of arrays of objects one by one."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.conformance.harness import conforms

pytestmark = pytest.mark.order_matters


def whole(x, z):
    a = np.full(2, None)
    a[:] = [x, None]
    return a[0] ** 2 * z


def with_a_text(x, z):
    a = np.empty(3, dtype=object)
    a[1:] = [x * z, "label"]
    return a[1] ** 2


def row_and_column(x, z):
    a = np.full((2, 2), None)
    a[0] = [x, None]
    a[:, 1] = (z, x)
    return a[0, 0] * a[1, 1] * a[0, 1]


def by_places_and_by_a_mask(x, z):
    a = np.full(3, None)
    a[[0, 2]] = [x, None]
    first = a[0] ** 2
    a[np.array([True, False, True])] = [None, z]
    return first * a[2]


def of_other_numbers(x, z):
    a = np.full(3, None)
    a[:] = [x, True, 1j * x]
    held = [None] * 2
    held[0] = z
    b = np.full(2, None)
    b[:] = held
    return a[0] ** 2 + a[2].imag * b[0]


def of_lists(x, z):
    a = np.full((2, 2), None)
    a[:] = [[x, None], ["b", x * z]]
    return a[0, 0] * a[1, 1]


@pytest.mark.parametrize(
    "program",
    [whole, with_a_text, row_and_column, by_places_and_by_a_mask, of_other_numbers, of_lists],
    ids=lambda program: program.__name__,
)
def test_programs(program):
    conforms(program, 1.3, 0.7)


@pytest.mark.parametrize("beside", [lambda x: {"k": x}, lambda x: [x, x], lambda x: np.array([x])])
def test_numbers_beside_objects_are_refused(beside):
    def f(x):
        a = np.full(2, None)
        a[:] = [x, beside(x)]
        return a[0] ** 2

    with pytest.raises(Unsupported, match="numbers beside objects"):
        gradient(f, 1.3)
