"""Rules of scipy.special as users meet them; the formulas are compared in test_registry.py."""

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


def test_drum_of_a_bessel_function():
    def height(r, k):
        return special.j0(k * r) * math.cos(k) + special.jv(2, k * r)

    check_gradient(height, 0.7, 2.405)


def test_slopes_of_elliptic_integrals_where_their_formula_is_0_over_0():
    check_gradient(lambda m: special.ellipk(m) - 2.0 * special.ellipe(m), 0.0)
