import numpy as np
import pytest

from astad.rules import lookup
from astad.testing import check_gradient


def pull(method, y_bar, *args, wrt="array", **keywords):
    rule = lookup(method)
    values = rule.bind(args, keywords)
    with np.errstate(all="ignore"):
        y = method(*args, **keywords)
    return rule.pull((wrt,))(y_bar, y, *values)[0]


@pytest.mark.parametrize("a, wanted", [([-np.inf, -np.inf], [0, 0]), ([-np.inf, 1.0], [0, 1])])
def test_log_sum_exp_of_minus_infinities(a, wanted):
    assert pull(np.ufunc.reduce, 1.0, np.logaddexp, np.array(a)).tolist() == wanted


def test_log_sum_exp_does_not_overflow():
    assert pull(np.ufunc.reduce, 1.0, np.logaddexp, np.array([0.0, 1000.0])).tolist() == [0, 1]


@pytest.mark.parametrize("ufunc", [np.maximum, np.fmax])
def test_ties_share_evenly(ufunc):
    assert pull(np.ufunc.reduce, 1.0, ufunc, np.array([2.0, 5.0, 5.0])).tolist() == [0, 0.5, 0.5]


def test_hypot_at_the_origin():
    assert pull(np.ufunc.reduce, 1.0, np.hypot, np.zeros(3)).tolist() == [0, 0, 0]


def test_running_maximum_shares_between_the_ties_so_far():
    a = np.array([2.0, 1.0, 2.0, 3.0, 0.0])
    # results: a[0], a[0], a[0] or a[2], a[3], a[3]
    assert pull(np.ufunc.accumulate, np.ones(5), np.maximum, a).tolist() == [2.5, 0, 0.5, 2, 0]


def test_running_maximum_after_a_nan():
    a = np.array([1.0, np.nan, 5.0])
    assert pull(np.ufunc.accumulate, np.ones(3), np.maximum, a).tolist() == [1, 2, 0]


def test_running_product_with_a_zero():
    found = pull(np.ufunc.accumulate, np.ones(3), np.multiply, np.array([2.0, 0.0, 3.0]))
    assert found.tolist() == [1, 8, 0]


def test_a_segment_that_ends_before_it_starts_is_one_entry():
    a, seed = np.arange(5.0), np.array([1.0, 10.0, 100.0])
    assert pull(np.ufunc.reduceat, seed, np.add, a, [0, 3, 1]).tolist() == [1, 101, 101, 110, 100]


def test_reductions_without_a_rule_are_refused():
    for method, ufunc in [(np.ufunc.reduce, np.subtract), (np.ufunc.accumulate, np.divide)]:
        rule = lookup(method)
        assert rule.refuses(rule.bind((ufunc, np.ones(2)), {}))
    rule = lookup(np.ufunc.reduceat)
    assert rule.refuses(rule.bind((np.multiply, np.ones(2), [0]), {}))
    rule = lookup(np.ufunc.outer)
    assert rule.refuses(rule.bind((np.floor_divide, np.ones(2), np.ones(2)), {}))


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.logaddexp])
def test_what_a_reduction_starts_from(ufunc):
    def f(a, start):
        return np.sum(ufunc.reduce(a, axis=1, initial=start) * np.array([1.0, 2.0]))

    check_gradient(f, np.arange(1.0, 7.0).reshape(2, 3), 2.5)


def test_what_a_reduction_under_a_mask_starts_from():
    def f(a, start):
        return np.sum(np.add.reduce(a, initial=start, where=a > 1.5, keepdims=True))

    check_gradient(f, np.arange(1.0, 7.0).reshape(2, 3), 2.5)
