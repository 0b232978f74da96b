"""math.sumprod of lists and of what is drawn item by item (Python 3.12)."""

import math
import statistics

import pytest

from astad import gradient
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


def two_generators_that_change_what_both_read(xs, ys):
    state = [1.0]

    def grown(items):
        for item in items:
            state[0] = state[0] * 1.5 + item
            yield item * state[0]

    return math.sumprod(grown(xs), grown(ys)) + state[0]


def one_generator_twice(xs, ys):
    both = (x * y for x, y in zip(xs + ys, ys + [0.5, *xs]))
    return math.sumprod(both, both)


def written_out(xs, ys):
    return math.sumprod((x * x for x in xs), (y + xs[0] for y in ys))


PROGRAMS = [
    of_a_generator_bound_before,
    the_other_way,
    two_generators,
    two_generators_that_change_what_both_read,
    one_generator_twice,
    written_out,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_against_differences(program):
    check_gradient(program, [0.5, 1.2, -0.7], [2.0, 0.3, 1.1])


def test_covariance_of_the_standard_library():
    check_gradient(statistics.covariance, [0.5, 1.2, -0.7], [2.0, 0.3, 1.1])


@pytest.mark.order_matters  # what was run in parts before is not written out
def test_other_lengths_raise_as_in_python():
    for xs, ys in (([1.0], [1.0, 2.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(ValueError, match="^Inputs are not the same length$"):
            gradient(two_generators, xs, ys)
