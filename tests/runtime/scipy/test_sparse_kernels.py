"""Sparse arrays as users meet them; the calls are in tests/coverage."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
from astad.testing import check_gradient

sparse = pytest.importorskip("scipy.sparse")

INDPTR, INDICES = np.array([0, 2, 4, 7]), np.array([0, 1, 1, 2, 0, 1, 2])
X = np.array([2.1, 0.4, 1.7, 0.6, 0.9, -0.5, 3.3])
B = np.array([0.7, -1.2, 0.4])


def rows(x):
    return sparse.csr_array((x, INDICES, INDPTR), shape=(3, 3))


def test_diffusion_on_a_graph_step_by_step():
    def f(weights, start):
        a = rows(weights)
        u = start
        for _ in range(4):
            u = u + 0.1 * (a @ u - a.sum(axis=1) * u)
        return np.sum(u * u)

    check_gradient(f, X, B)


def test_one_array_twice_and_written_after_its_product():
    def f(x):
        data = x * 1.0
        a = sparse.csr_array((data, INDICES, INDPTR), shape=(3, 3))
        y = a @ B
        data[:] = 7.0
        return np.sum(np.sin(y)) + np.sum(a @ B)

    check_gradient(f, X)

    def g(x):
        a = rows(x)
        return np.sum(np.sin((a @ a + a.T).toarray()))

    check_gradient(g, X)


def test_an_empty_array_and_a_column_without_entries():
    def f(x, v):
        a = sparse.csr_array((x[:0], INDICES[:0], np.zeros(4, int)), shape=(3, 3))
        b = sparse.csc_array((x[:1], np.array([1]), np.array([0, 0, 1, 1])), shape=(3, 3))
        return np.sum(a @ v) + np.sum(b @ v)

    check_gradient(f, X, B)


def test_duplicate_entries_are_summed():
    places = (np.array([0, 0, 1, 2, 2, 2, 0]), np.array([1, 1, 0, 2, 2, 2, 1]))

    def f(x):
        a = sparse.coo_array((x, places), shape=(3, 3))
        return np.sum(np.sin(a.tocsr().toarray())) + np.sum(np.cos(a @ B))

    check_gradient(f, X)


def test_a_number_not_stored_has_no_derivative():
    (g,) = gradient(lambda d: np.sum(sparse.csr_array(d) @ B), np.diag([1.0, 2.0, 0.0]))
    np.testing.assert_array_equal(g, np.diag([0.7, -1.2, 0.0]))


def test_single_precision_and_whole_numbers():
    (g,) = gradient(lambda x: np.sum(rows(x) @ B), X.astype(np.float32))
    assert g.dtype == np.float32
    (g,) = gradient(lambda v: np.sum(rows(np.arange(7)) @ v), B)
    np.testing.assert_allclose(g, rows(np.arange(7)).T @ np.ones(3))


def test_a_loop_without_a_rule_is_refused():
    with pytest.raises(AstadError, match="bsr"):
        gradient(lambda x: np.sum(rows(x).tobsr((3, 3)) @ B), X)


def test_functions_of_numpy_on_a_sparse_array_are_its_methods():
    def f(x):
        a = rows(x)
        return np.sum(np.abs(a) @ B) + np.sum(np.negative(a) @ B) + np.sum(np.sin(a) @ B)

    check_gradient(f, X)


FORMATS = ("csr_array", "csr_matrix", "csc_array", "coo_array", "dok_array", "dia_array")
OF_INTS = {
    "times ints": lambda a, v, b: np.sum(a @ b),
    "times a dense array": lambda a, v, b: np.sum((a @ np.outer(b, b))[1]),
    "turned": lambda a, v, b: np.sum(a.T @ b),
    "dense": lambda a, v, b: np.sum(a.toarray() * b),
    "sum": lambda a, v, b: a.sum() * b[0],
    "scaled": lambda a, v, b: np.sum((a * b[0]).toarray()),
    "by elements": lambda a, v, b: np.sum(a.tocsr().multiply(a.tocsr()).toarray() * b),
    "diagonal": lambda a, v, b: np.sum(a.diagonal() * b),
    "an element": lambda a, v, b: a.tocsr()[1, 2] * b[2],
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", OF_INTS)
def test_sparse_arrays_of_ints(name, kind):
    def f(v, b):
        made = sparse.coo_array((v, ([0, 0, 1, 2], [0, 2, 2, 0])), shape=(3, 3))
        return OF_INTS[name](getattr(sparse, kind)(made), v, b) * 1.0

    v, b = np.array([1, 2, 3, 4]), np.array([5, 3, 2])
    wanted = gradient(f, v * 1.0, b * 1.0)
    for args in ((v, b), (v * 1.0, b), (v, b * 1.0)):
        for found, like in zip(gradient(f, *args), wanted, strict=True):
            np.testing.assert_allclose(found, like)


def test_ints_times_a_sparse_array_of_floats():
    def f(b):
        return np.sum(sparse.csr_matrix(np.eye(3) * 2) @ b)

    assert gradient(f, np.array([1, 2, 3]))[0].tolist() == [2.0, 2.0, 2.0]


def test_kernels_without_a_rule_are_refused_for_ints_too():
    def f(v):
        made = sparse.coo_array((v, ([0, 0, 1, 2], [0, 2, 2, 0])), shape=(3, 3))
        return np.sum(sparse.bsr_array(made) @ np.ones(3, int)) * 1.0

    with pytest.raises(AstadError):
        gradient(f, np.array([1, 2, 3, 4]))
