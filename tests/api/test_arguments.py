"""Arguments that share lists and arrays with others, or within themselves."""

import numpy as np
import pytest

from astad import gradient


def shared(depth, kind=list):
    """A list that holds one list twice, and so on: 2**depth ways to one number."""
    made = [1.5]
    for _ in range(depth):
        made = kind((made, made))
    return made


def first_of(nested):
    while isinstance(nested, list | tuple):
        nested = nested[0]
    return nested


@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_that_share_sublists_with_a_second_argument(kind):
    nested = shared(60, kind)
    bar, x_bar = gradient(lambda l, x: first_of(l) ** 2 * x, nested, 2.0)
    assert first_of(bar) == 6.0
    assert x_bar == 2.25


def test_the_same_shared_list_in_two_arguments():
    nested = shared(40)
    first, second = gradient(lambda a, b: first_of(a) ** 2 * first_of(b), nested, nested)
    assert first_of(first) == 4.5
    assert first_of(second) == 2.25


def test_dicts_that_share_dicts():
    nested = {"v": 1.5}
    for _ in range(40):
        nested = {"a": nested, "b": nested}

    def last(d):
        while "a" in d:
            d = d["a"]
        return d["v"]

    bar, x_bar = gradient(lambda d, x: last(d) * x, nested, 2.0)
    assert last(bar) == 2.0
    assert x_bar == 1.5


def test_array_that_is_twice_in_the_second_argument():
    a = np.array([2.0, 3.0])
    a_bar, (first, second) = gradient(lambda a, p: np.sum(a * p[0] * p[1]), a, [a, a])
    assert a_bar.tolist() == [4.0, 9.0]
    assert first.tolist() == second.tolist() == [8.0, 18.0]


def test_list_of_numbers_that_is_twice_in_the_second_argument():
    row = [2.0, 3.0]
    row_bar, pair_bar = gradient(lambda r, p: r[0] * p[0][0] * p[1][0], row, (row, row))
    assert row_bar == [4.0, 0.0]
    assert pair_bar == ([8.0, 0.0], [8.0, 0.0])
