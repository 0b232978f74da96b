import numpy as np
import pytest

from astad import jvp
from astad.rules import lookup


def cotangent(fn, *args, wrt="a", **keywords):
    rule = lookup(fn)
    with np.errstate(all="ignore"):
        y = fn(*args, **keywords)
    return rule.pull((wrt,))(np.ones(np.shape(y)), y, *rule.bind(args, keywords))[0]


def test_ties_at_the_median_share_evenly():
    assert cotangent(np.median, np.array([1.0, 2.0, 2.0, 5.0])).tolist() == [0, 0.5, 0.5, 0]
    assert cotangent(np.median, np.array([2.0, 1.0, 2.0, 2.0, 5.0])).tolist() == [
        1 / 3,
        0,
        1 / 3,
        1 / 3,
        0,
    ]


def test_a_nan_spoils_the_median_and_gets_the_nan():
    found = cotangent(np.median, np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 4.0]]), axis=1)
    assert np.array_equal(found, [[0, np.nan, 0], [0, 1, 0]], equal_nan=True)


def test_nan_entries_are_left_out_row_by_row():
    a = np.array([[1.0, np.nan, 3.0, 9.0], [1.0, 2.0, 4.0, 8.0]])
    assert cotangent(np.nanmedian, a, axis=1).tolist() == [[0, 0, 1, 0], [0, 0.5, 0.5, 0]]


@pytest.mark.parametrize("q", [0.0, 1.0])
def test_the_ends_are_least_and_greatest(q):
    a = np.array([3.0, 1.0, 2.0])
    assert cotangent(np.quantile, a, q).tolist() == (a == np.quantile(a, q)).tolist()


def test_slope_in_the_level():
    assert cotangent(np.quantile, np.array([0.0, 1.0, 4.0]), 0.75, wrt="q") == 6
    assert cotangent(np.percentile, np.array([0.0, 1.0, 4.0]), 75.0, wrt="q") == 0.06
    assert cotangent(np.quantile, np.array([0.0, 1.0, 4.0]), 0.75, wrt="q", method="lower") == 0


def test_weights_are_refused():
    rule = lookup(np.quantile)
    assert rule.refuses(
        rule.bind((np.ones(2), 0.5), {"weights": np.ones(2), "method": "inverted_cdf"})
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("fn", [np.median, np.nanmedian, np.nanquantile])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_of_nothing_is_nan_in_forward_mode_too(fn, shape):
    levels = () if fn is not np.nanquantile else (0.5,)

    def f(a, b):
        return fn(a, *levels) * b

    empty = np.zeros(shape)
    y, y_dot = jvp(f, (empty, 1.5), (empty, 1.0))
    assert np.isnan(y) and np.isnan(f(empty, 1.5)) and np.isnan(y_dot)
    assert jvp(lambda a, b: fn(a, *levels), (empty, 1.5), (empty, 1.0))[1] == 0.0
