"""Sums of exponentials, entropies and powers as users meet them."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")
X = np.array([[0.3, -1.2, 2.0], [0.1, 0.4, -0.7]])


def test_cross_entropy_of_a_softmax():
    def loss(logits, labels):
        return -np.sum(labels * special.log_softmax(logits, axis=1))

    labels = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    check_gradient(loss, X, labels, argnums=0)
    both = gradient(loss, X, labels)[0], special.softmax(X, axis=1) - labels
    np.testing.assert_allclose(*both, atol=1e-15)


def test_log_of_a_sum_of_exponentials():
    check_gradient(lambda a: special.logsumexp(a) * special.logsumexp(a, axis=(0, 1)), X)
    check_gradient(lambda a: np.sum(special.logsumexp(a, axis=-1) ** 2), X)
    large = np.array([1000.0, 1000.0])
    np.testing.assert_allclose(gradient(lambda a: special.logsumexp(a), large)[0], [0.5, 0.5])


def test_log_of_a_weighted_sum_whose_sign_is_returned():
    def f(a, b):
        size, sign = special.logsumexp(a, axis=1, b=b, return_sign=True)
        return np.sum(sign * size)

    check_gradient(f, X, np.array([-2.0, 0.5, 1.0]))
    check_gradient(lambda a, b: special.logsumexp(a, b=b), X, np.abs(X) + 0.1)


def test_log_of_no_sum_at_all():
    none = np.array([-np.inf, -np.inf])
    np.testing.assert_array_equal(gradient(lambda a: special.logsumexp(a), none)[0], [0.0, 0.0])
    one = np.array([-np.inf, 1.0])
    np.testing.assert_array_equal(gradient(lambda a: special.logsumexp(a), one)[0], [0.0, 1.0])


def test_box_cox_at_exponent_zero_and_near():
    check_gradient(lambda x: special.boxcox(x, 0.0), 2.0)
    (slope,) = gradient(lambda e: special.boxcox(2.0, e), 0.0)
    assert slope == pytest.approx(math.log(2) ** 2 / 2)
    (slope,) = gradient(lambda e: special.boxcox(2.0, e), 1e-9)
    assert slope == pytest.approx(math.log(2) ** 2 / 2, rel=1e-8)


def test_box_cox_and_back_is_the_identity():
    for there, back in (
        (special.boxcox, special.inv_boxcox),
        (special.boxcox1p, special.inv_boxcox1p),
    ):
        both = gradient(lambda x, e, f=there, g=back: g(f(x, e), e), 1.7, 0.3)
        np.testing.assert_allclose(both, (1.0, 0.0), atol=1e-15)
        both = gradient(lambda x, e, f=there, g=back: g(f(x, e), e), 1.7, 0.0)
        np.testing.assert_allclose(both, (1.0, 0.0), atol=1e-15)


def test_relative_exponential_near_0():
    for x in (0.0, 1e-9, -1e-4):
        (slope,) = gradient(lambda x: special.exprel(x), x)
        assert slope == pytest.approx(0.5 + x / 3 + x * x / 8, rel=1e-14)
