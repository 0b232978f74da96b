"""Second-order sections, applied in place."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

signal = pytest.importorskip("scipy.signal")
X = np.cos(np.arange(12.0) ** 1.2).reshape(2, 6)
SOS = np.array([[0.3, 0.1, -0.2, 1.0, -0.4, 0.2], [0.5, 0.2, 0.1, 1.0, 0.3, -0.1]])


def test_coefficients_signals_and_states():
    def f(rows, x, zi):
        sos = np.concatenate([rows[:, :3], np.ones((2, 1)), rows[:, 3:]], axis=1)
        y, end = signal.sosfilt(sos, x, zi=zi)
        return np.sum(y**2) + np.sum(end**3)

    check_gradient(f, np.delete(SOS, 3, axis=1), X, np.cos(np.arange(8.0)).reshape(2, 2, 2))


def test_what_was_read_before_stays():
    def f(x):
        y = x * 2
        return np.sum(y * signal.sosfilt(SOS, y) * y)

    check_gradient(f, X)


def test_sections_are_the_filter_they_make():
    (by_sections,) = gradient(lambda x: np.sum(signal.sosfilt(SOS, x) ** 2), X)
    b, a = signal.sos2tf(SOS)
    (at_once,) = gradient(lambda x: np.sum(signal.lfilter(b, a, x) ** 2), X)
    np.testing.assert_allclose(by_sections, at_once, rtol=1e-9)
