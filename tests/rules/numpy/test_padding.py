import numpy as np
import pytest

from astad.rules import lookup


@pytest.mark.parametrize("mode", ["mean", "maximum", "median", "linear_ramp"])
def test_modes_that_compute_are_refused(mode):
    rule = lookup(np.pad)
    assert rule.refuses(rule.bind((np.ones(3), 1, mode), {}))


def test_odd_reflection_is_refused():
    rule = lookup(np.pad)
    assert rule.refuses(rule.bind((np.ones(3), 1, "reflect"), {"reflect_type": "odd"}))


def test_the_last_axis_owns_the_corners():
    rule = lookup(np.pad)
    a, keywords = np.zeros((1, 1)), {"constant_values": ((1.0, 2.0), (3.0, 4.0))}
    y = np.pad(a, 1, **keywords)
    found = rule.pull(("constant_values",))(np.ones((3, 3)), y, *rule.bind((a, 1), keywords))[0]
    assert found.tolist() == [[1, 1], [3, 3]]
    assert np.sum(y) == np.sum(found * [[1, 2], [3, 4]])
