"""Points drawn from a domain."""

import numpy as np
import pytest

from astad.rules.domain import sampler


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_points_have_the_shape_asked_for(shape):
    (x,) = sampler("x > 0", ("x",), np.random.default_rng(0))(shape)
    assert x.shape == shape and (x > 0).all()


def test_points_keep_a_distance_from_the_limits_and_come_near_them():
    (x,) = sampler("-1 < x < 1", ("x",), np.random.default_rng(0))((500,))
    assert 0.9 < np.abs(x).max() < 0.99


def test_a_domain_without_points_is_an_error():
    with pytest.raises(AssertionError, match="no points"):
        sampler("x > 0 and x < 0", ("x",), np.random.default_rng(0))((1,))
