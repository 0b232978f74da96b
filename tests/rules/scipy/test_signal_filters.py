"""Filters of signals as users meet them; the kernels are compared in test_registry.py."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

signal = pytest.importorskip("scipy.signal")
X = np.cos(np.arange(12.0) ** 1.2)
B, A = np.array([0.3, -0.2, 0.5]), np.array([1.2, -0.4, 0.2])


def test_a_filter_in_pieces_is_the_filter():
    def whole(x):
        return np.sum(signal.lfilter(B, A, x) ** 2)

    def pieces(x):
        first, state = signal.lfilter(B, A, x[:5], zi=np.zeros(2))
        second, _ = signal.lfilter(B, A, x[5:], zi=state)
        return np.sum(first**2) + np.sum(second**2)

    np.testing.assert_allclose(gradient(whole, X)[0], gradient(pieces, X)[0], rtol=1e-12)


def test_coefficients_to_learn():
    def misfit(b, a, z):
        y, end = signal.lfilter(b, a, X, zi=z)
        return np.sum((y - X) ** 2) + np.sum(end**2)

    check_gradient(misfit, B, A, np.array([0.1, -0.3]))


def test_single_precision_stays():
    x = X.astype(np.float32)
    for f in (lambda x: signal.lfilter(B, A, x), lambda x: signal.upfirdn(B, x, 2)):
        assert gradient(lambda x: np.sum(f(x) ** 2), x)[0].dtype == np.float32


def test_signals_reversed_and_in_columns():
    x = np.asfortranarray(np.stack([X, X**2]))[:, ::-1]
    check_gradient(lambda x: np.sum(signal.lfilter(B, A, x, axis=0) ** 2), x)
    check_gradient(lambda x: np.sum(signal.correlate(x, x[:, :3], "same") ** 2), x)


def test_lists():
    (g,) = gradient(lambda x: np.sum(signal.lfilter([1.0, 2.0], [1.0, 0.5], [x, 2 * x, 3.0])), 1.0)
    assert g == pytest.approx(6.75)
