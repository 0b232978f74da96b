import numpy as np
import pytest

from astad.rules.numpy.cumulative import cumprod_back, cumprod_dot, later, others


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8])
def test_recurrence_in_doubling_steps_is_that_of_a_loop(n):
    random = np.random.default_rng(n)
    factor, g = random.normal(size=n), random.normal(size=n)
    wanted, s = np.zeros(n), 0.0
    factor[n - 1 :] = 0
    for k in reversed(range(n)):
        s = g[k] + factor[k] * s
        wanted[k] = s
    np.testing.assert_allclose(later(factor, g), wanted)


def test_products_of_the_others_with_zeros():
    assert others(np.array([2.0, 0.0, 3.0])).tolist() == [0, 6, 0]
    assert others(np.array([[2.0, 0.0, 0.0], [1.0, 2.0, 3.0]])).tolist() == [[0, 0, 0], [6, 3, 2]]
    assert others(np.zeros((2, 0))).shape == (2, 0)


def test_running_product_with_zeros_in_both_modes():
    a = np.array([2.0, 0.0, 3.0, 0.0, 5.0])
    slopes = np.array([cumprod_dot(a, e, 0) for e in np.eye(5)])
    for k, seed in enumerate(np.eye(5)):
        np.testing.assert_allclose(cumprod_back(seed, a, 0), slopes[:, k])
    assert slopes[1].tolist() == [0, 2, 6, 0, 0]
