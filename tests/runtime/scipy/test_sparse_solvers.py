"""Direct solvers of sparse systems as users meet them; the calls are in tests/coverage."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
from astad.testing import check_gradient

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

INDPTR, INDICES = np.array([0, 2, 4, 7]), np.array([0, 1, 1, 2, 0, 1, 2])
X = np.array([2.1, 0.4, 1.7, 0.6, 0.9, -0.5, 3.3])
B = np.array([0.7, -1.2, 0.4])


def columns(x):
    return sparse.csr_array((x, INDICES, INDPTR), shape=(3, 3)).tocsc()


def test_heat_by_implicit_steps_with_one_factorization():
    def f(x, u):
        solve = linalg.factorized(columns(x))
        for _ in range(3):
            u = solve(u)
        return np.sum(u * u)

    check_gradient(f, X, B)


def test_several_systems_and_transposes():
    def f(x, b):
        lu = linalg.splu(columns(x))
        y = linalg.spsolve(columns(x), b)
        return np.sum(lu.solve(b, "T") * y) + np.sum(lu.solve(np.outer(y, b)))

    check_gradient(f, X, B)


def test_factors_made_outside_are_constant():
    lu = linalg.splu(columns(X))
    check_gradient(lambda b: np.sum(lu.solve(b) ** 2), B)


def test_what_has_no_rule_is_refused():
    with pytest.raises(AstadError, match="incomplete"):
        gradient(lambda x: np.sum(linalg.spilu(columns(x)).solve(B)), X)
    with pytest.raises(AstadError):
        gradient(lambda x: np.sum(linalg.splu(columns(x)).U.toarray()), X)
