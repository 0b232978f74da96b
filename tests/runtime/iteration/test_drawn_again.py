"""Iterators made before the differentiation, and kept at module level."""

import itertools

import pytest

from astad import gradient

turns = itertools.cycle([1.0, 2.0, 3.0])
in_pairs = zip(itertools.cycle([1.0, 2.0, 3.0]), itertools.count(1), strict=False)
over_a_map = itertools.cycle(map(abs, [-1.0, -2.0, -3.0]))
chosen = itertools.compress(
    itertools.cycle([1.0, 5.0, 2.0, 5.0, 3.0, 5.0]), itertools.cycle([1, 0])
)
sliced = itertools.islice(itertools.cycle([1.0, 2.0, 3.0]), 0, None)


def weights_of(iterator):
    return [v[0] if isinstance(v, tuple) else v for v in itertools.islice(iterator, 3)]


def in_a_loop(x, iterator):
    total = 0.0
    for v, _ in zip(iterator, range(3), strict=False):
        total += x * (v[0] if isinstance(v, tuple) else v)
    next(iterator)
    next(iterator)
    return total


def by_hand(x, iterator):
    total = 0.0
    for _ in range(3):
        v = next(iterator)
        total += x * (v[0] if isinstance(v, tuple) else v)
    return total


@pytest.mark.parametrize("f", [in_a_loop, by_hand])
@pytest.mark.parametrize("iterator", [turns, in_pairs, over_a_map, chosen, sliced])
def test_iterators_at_module_level(iterator, f):
    def program(x):
        return f(x, iterator)

    for _ in range(2):  # each draws a whole number of rounds
        assert gradient(program, 2.0) == (6.0,)
    assert weights_of(iterator) == [1.0, 2.0, 3.0]
