import numpy as np
import pytest

from astad.rules import lookup


def cotangent(fn, a, y_bar=1.0, **keywords):
    rule = lookup(fn)
    return rule.pull(("a",))(y_bar, fn(a, **keywords), *rule.bind((a,), keywords))[0]


def test_each_row_has_its_own_ties():
    a = np.array([[1.0, 1.0, 0.0], [2.0, 3.0, 1.0]])
    assert cotangent(np.max, a, np.array([1.0, 10.0]), axis=1).tolist() == [
        [0.5, 0.5, 0],
        [0, 10, 0],
    ]


def test_an_initial_value_that_wins_takes_all_and_one_that_ties_its_share():
    assert cotangent(np.max, np.array([1.0, 2.0]), initial=3.0).tolist() == [0, 0]
    assert cotangent(np.max, np.array([1.0, 2.0]), initial=2.0).tolist() == [0, 0.5]


def test_entries_outside_of_where_get_nothing():
    some = np.array([True, False])
    assert cotangent(np.max, np.array([1.0, 2.0]), initial=0.0, where=some).tolist() == [1, 0]


@pytest.mark.parametrize("fn", [np.nanmax, np.nanmin])
def test_nan_entries_get_zeros_even_from_a_nan_seed(fn):
    found = cotangent(fn, np.array([np.nan, 2.0]), np.nan)
    assert found[0] == 0
    assert np.isnan(found[1])


def test_distance_from_least_to_greatest():
    assert cotangent(np.ptp, np.array([1.0, 3.0, 3.0])).tolist() == [-1, 0.5, 0.5]
    assert cotangent(np.ptp, np.array([2.0, 2.0])).tolist() == [0, 0]
