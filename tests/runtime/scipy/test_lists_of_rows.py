"""Sparse matrices that are filled entry by entry, row by row, or by lists of places."""

import numpy as np
import pytest

from astad import gradient
from tests.programs.ways import check_ways

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

X, V = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])
pytestmark = pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")


def by_entries(kind, x):
    m = kind((3, 3))
    m[0, 1] = x[0]
    m[2, -1] = x[1] * 2
    m[0, 1] = x[0] ** 2
    return np.sum((m.tocsr() @ V) ** 2)


def by_rows(kind, x):
    m = kind((3, 3))
    m[0, :] = x
    m[:, 1] = x * 2
    m[1, 2] = x[2]
    return np.sum((m.tocsc() @ V) ** 2)


def by_lists(kind, x):
    m = kind((3, 3))
    m[[0, 1, 2], [2, 1, 0]] = x
    m[0, 2] += x[1]
    return np.sum((m @ V) ** 2)


def read_in_parts(kind, x):
    m = kind((3, 3))
    m.setdiag(x)
    m[0, 1] = x[0]
    y = np.sum(m[:2, 1:].toarray() ** 3) + m[1:, ::-1].toarray()[0, 1] ** 2
    return y + m[1, 1] * m[0, 1] + m[2, 0] + np.sum(m[[0, 1]].toarray() ** 2)


def solved(kind, x):
    m = kind((3, 3))
    for i in range(3):
        for j in range(3):
            if i != j:
                m[i, j] = x[i] * x[j]
    m[0, 1] = 0
    return np.sum(linalg.spsolve((m + sparse.eye(3) * 5).tocsc(), V))


def of_a_dense_one(kind, x):
    m = kind(np.outer(x, x))
    m[1, 1] = x[0]
    return np.sum(m.toarray() ** 2) + m.T.tocsr().sum() + (m * 2.0).sum()


PROGRAMS = [by_entries, by_rows, by_lists, read_in_parts, solved, of_a_dense_one]


@pytest.mark.parametrize("kind", [sparse.lil_matrix, sparse.lil_array])
@pytest.mark.parametrize("f", PROGRAMS)
def test_each_number_has_its_share(f, kind):
    check_ways(lambda x: f(kind, x), X)


def test_a_place_outside_raises_what_scipy_raises():
    def f(x):
        m = sparse.lil_matrix((3, 3))
        m[5, 1] = x[0]
        return m.sum()

    with pytest.raises(IndexError) as plain:
        f(X)
    with pytest.raises(IndexError) as raised:
        gradient(f, X)
    assert str(raised.value) == str(plain.value)
