import numpy as np
import pytest

from astad.rules import lookup


def pull(fn, y_bar, *args, **keywords):
    rule = lookup(fn)
    values = rule.bind(args, keywords)
    return rule.pull((rule.parameters[0],))(y_bar, fn(*args, **keywords), *values)[0]


def test_equal_entries_share_the_cotangent_of_their_value():
    assert pull(np.unique, np.array([1.0, 4.0]), np.array([2.0, 7.0, 2.0])).tolist() == [
        0.5,
        4,
        0.5,
    ]


def test_equal_rows_share_the_cotangent_of_their_row():
    a = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    seed = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert pull(np.unique, seed, a, axis=0).tolist() == [[0.5, 1], [3, 4], [0.5, 1]]


def test_tangent_of_a_value_is_the_mean_over_its_entries():
    rule = lookup(np.unique)
    a = np.array([2.0, 7.0, 2.0])
    y = np.unique(a, return_counts=True)
    y_dot = rule.push(("ar",))(
        (np.array([1.0, 5.0, 3.0]),), y, *rule.bind((a,), {"return_counts": True})
    )
    assert y_dot[0].tolist() == [2, 5]
    assert y_dot[1] is None


def test_only_the_indices_used():
    a = np.array([2.0, 7.0])
    y = np.unique(a, return_inverse=True)
    assert lookup(np.unique).pull(("ar",))(
        (None, None), y, *lookup(np.unique).bind((a,), {"return_inverse": True})
    )[0].tolist() == [0, 0]


@pytest.mark.parametrize("axis", [0, 1, None])
def test_sorting_back_undoes_the_permutation(axis):
    a = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    assert np.array_equal(pull(np.sort, np.sort(a, axis=axis), a, axis=axis), a)


def test_order_of_fields_is_refused():
    rule = lookup(np.sort)
    assert rule.refuses(rule.bind((np.ones(2),), {"order": "f"}))


def test_indices_have_no_derivative():
    for fn in (np.argsort, np.argmax, np.searchsorted, np.count_nonzero, np.any, np.ndarray.argmin):
        assert lookup(fn).form == "zero"


def test_values_of_two_arrays_share_with_their_equals():
    first, second = np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0])
    rule = lookup(np.union1d)
    y = np.union1d(first, second)
    found = rule.pull(("ar1", "ar2"))(np.array([1.0, 9.0, 5.0]), y, first, second)
    assert [part.tolist() for part in found] == [[1, 3, 3], [3, 5]]


def test_what_is_in_both_and_in_one_alone():
    first, second = np.array([1.0, 2.0]), np.array([2.0, 3.0])
    both = lookup(np.intersect1d)
    values = both.bind((first, second), {})
    assert both.pull(("ar1",))(np.array([4.0]), np.array([2.0]), *values)[0].tolist() == [0, 2]
    rest = lookup(np.setdiff1d)
    values = rest.bind((first, second), {})
    assert rest.pull(("ar1",))(np.array([4.0]), np.array([1.0]), *values)[0].tolist() == [4, 0]
