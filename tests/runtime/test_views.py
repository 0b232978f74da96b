"""Windows and other views by strides, of real and of complex numbers."""

import numpy as np
import pytest

from tests.programs.ways import check_ways

X = np.array([1.0, 2.0, 3.0, 4.0])
windows = np.lib.stride_tricks.sliding_window_view


def written(x):
    c = x * (1 + 2j)
    w = windows(c, 2, writeable=True)
    w.real[1] = x[0] ** 2
    return abs(np.sum(c**2))


def written_by_strides(x):
    c = x * (1 + 2j)
    w = np.lib.stride_tricks.as_strided(c, (3, 2), (16, 16))
    w.imag[:, 1] = x[1:] ** 2
    return np.sum(abs(c) ** 2) + w.imag.sum()


@pytest.mark.parametrize(
    "f",
    [
        written,
        written_by_strides,
        lambda x: windows(x, 2).sum() ** 2,
        lambda x: windows(x * (1 + 2j), 2).real.sum() ** 2,
        lambda x: np.sum(np.imag(windows(x * (1 + 2j), 2)) ** 2),
        lambda x: windows(x * (1 + 2j), 2).imag[1, 1] ** 2 + windows(x * 1j, 2).imag[2, 0] ** 2,
        lambda x: np.broadcast_to(x * (1 + 2j), (2, 4)).real.sum() ** 2,
    ],
)
def test_parts_of_windows(f):
    check_ways(f, X)
