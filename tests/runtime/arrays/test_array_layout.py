"""Windows and other views by strides, of real and of complex numbers.

Rows, columns and entries of an ``np.matrix``.
"""

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


pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
A = np.array([[1.0, 2.0], [3.0, 4.0]])


def written_of_matrices(a):
    m = np.matrix(a)
    m[0] = m[1] * 2
    return (m[:, 0].T * m[0, :].T)[0, 0]


def through_a_row(a):
    m = np.asmatrix(a * 1.0)
    row = m[0]
    row[0, 1] = a[1, 1] ** 2
    return m.sum()


def columns_written(a):
    m = np.matrix(a)
    m[:, 0] = m[:, 1] * a[1, 0]
    m[1, :] = np.array([1.0, 2.0]) * a[0, 1]
    return (np.asarray(m) ** 3).sum()


PROGRAMS = [
    written_of_matrices,
    columns_written,
    through_a_row,
    lambda a: np.matrix(a)[0].sum() ** 2,
    lambda a: np.matrix(a)[:, 0].sum() ** 2,
    lambda a: np.matrix(a)[0, 1] ** 2,
    lambda a: (np.matrix(a)[0] * np.matrix(a)[:, 1])[0, 0],
    lambda a: np.matrix(a)[np.array([True, False])].sum() ** 2,
    lambda a: np.matrix(a)[[0, 1], [1, 0]].sum() ** 2,
    lambda a: np.matrix(a)[a > 1.5].sum() ** 2,
    lambda a: sum((row * row.T)[0, 0] for row in np.matrix(a)),
    lambda a: np.matrix(a)[:, 0].sum() * np.matrix(a)[0].shape[1],
    lambda a: np.matrix(a)[:1].sum() * np.matrix(a)[1:, :].sum(),
    lambda a: np.matrix(a)[None].sum() ** 2,
    lambda a: np.matrix(a)[:0].sum() + a[0, 0] ** 2,
    lambda a: np.matrix(a)[0].tolist()[0][1] ** 2,
    lambda a: (np.matrix(a)[0].A1 ** 2).sum(),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_items(f):
    check_ways(f, A)


@pytest.mark.parametrize("index", [0, (0,), (slice(None), 1), (0, slice(None)), ([0, 1],), (1, 1)])
def test_they_are_what_numpy_gives(index):
    from astad.runtime.arrays.array_layout import item

    m = np.asmatrix(A)
    found, plain = item(m, index), m[index]
    assert type(found) is type(plain) and np.shape(found) == np.shape(plain)
    assert np.array_equal(found, plain)
