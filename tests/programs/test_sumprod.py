"""math.sumprod of lists and of what is drawn item by item (Python 3.12)."""

import math

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

pytestmark = pytest.mark.skipif(not hasattr(math, "sumprod"), reason="new in Python 3.12")


def of_a_generator_bound_before(xs, ys):
    mean = sum(ys) / len(ys)
    moved = (y - mean for y in ys)
    return math.sumprod(xs, moved) + math.sumprod(xs, xs)


def the_other_way(xs, ys):
    moved = map(lambda y: y * y, ys)
    return math.sumprod(moved, tuple(xs))


def two_generators(xs, ys):
    first, second = (x * 2 for x in xs), (y * 3 for y in ys)
    return math.sumprod(first, second)


@pytest.mark.parametrize("program", [of_a_generator_bound_before, the_other_way])
def test_against_differences(program):
    check_gradient(program, [0.5, 1.2, -0.7], [2.0, 0.3, 1.1])


def test_two_iterators_are_refused():
    with pytest.raises(Unsupported, match="drawn from in turn"):
        gradient(two_generators, [0.5, 1.2], [2.0, 0.3])
