import numpy as np
import pytest

import astad
from astad.rules import lookup


def pull(fn, y_bar, *args, **keywords):
    rule = lookup(fn)
    values = rule.bind(args, keywords)
    return rule.pull((rule.parameters[0],))(y_bar, fn(*args, **keywords), *values)[0]


def test_rounding_to_integers_stops_the_derivative():
    assert pull(np.array, np.ones(2), [1.5, 2.5], dtype=int).tolist() == [0, 0]
    assert pull(np.ndarray.astype, np.ones(2), np.array([1.5, 2.5]), np.int32).tolist() == [0, 0]
    assert pull(np.ndarray.astype, np.ones(2), np.array([1.5, 2.5]), bool).tolist() == [0, 0]


def test_integers_as_floats_pass():
    assert pull(np.ndarray.astype, np.ones(2), np.array([1, 2]), float).tolist() == [1, 1]
    assert pull(np.array, np.ones(2), [1, 2]).tolist() == [1, 1]


def test_the_stop_of_a_range_moves_only_its_length():
    assert pull(np.arange, np.ones(4), 3.5) == 0
    assert pull(np.arange, np.ones(3), 0.5, 3.2) == 3


def test_the_step_alone():
    rule = lookup(np.linspace)
    values = rule.bind((0.0, 1.0, 5), {"retstep": True})
    y = np.linspace(0.0, 1.0, 5, retstep=True)
    assert rule.pull(("start", "stop"))((None, 1.0), y, *values) == (-0.25, 0.25)


def test_shapes_have_no_derivative():
    for fn in (np.zeros_like, np.ones, np.eye, np.shape, np.result_type, np.indices):
        assert lookup(fn).form == "zero"


@pytest.mark.parametrize("endpoint", [True, False])
def test_a_truth_that_counts_the_points(endpoint):
    def f(x, n):
        return np.linspace(2.0 * x, x, n, endpoint=endpoint).sum()

    for _ in range(4):
        assert astad.gradient(f, 1.5, True)[0] == 2.0
        assert astad.gradient(f, 1.5, 2)[0] == (3.0 if endpoint else 3.5)
