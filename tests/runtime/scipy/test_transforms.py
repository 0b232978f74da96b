"""Transforms that may destroy what they are given, and those differentiated as written."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

fft = pytest.importorskip("scipy.fft")
X = np.array([0.3, -1.2, 0.7, 2.0])


def power(z):
    return np.sum(z.real**2 - z.imag)


def test_input_that_may_be_overwritten_is_still_read_afterwards():
    def f(x):
        z = x * (1 + 2j)
        w = z * z
        spectrum = fft.fft(z, overwrite_x=True)
        return power(w) + power(spectrum * w)

    check_gradient(f, X)


def test_overwriting_by_position():
    check_gradient(lambda x: power(fft.ifft(x * 1j, None, -1, None, True)), X)
    check_gradient(lambda x: np.sum(fft.dct(x * 2, 2, None, -1, None, True) ** 2), X)


def test_ends_that_scipy_does_not_weigh_are_refused():
    with pytest.raises(Unsupported, match="orthogonalize"):
        gradient(lambda x: power(fft.dct(x * 1j, orthogonalize=True)), X)


def test_hankel_transform_in_all_its_arguments():
    check_gradient(
        lambda a, d, mu, o, b: np.sum(fft.fht(a, d, mu, o, b) ** 2), X, 0.4, 1.2, 0.1, 0.3
    )


def test_single_precision_stays():
    x = X.astype(np.float32)
    assert gradient(lambda x: power(fft.rfft(x)), x)[0].dtype == np.float32
    assert gradient(lambda x: np.sum(fft.idst(x, 3) ** 2), x)[0].dtype == np.float32
