"""``funm``: by divided differences, and by slopes where eigenvalues agree."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

linalg = pytest.importorskip("scipy.linalg")
RNG = np.random.default_rng(0)
A, W = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 4))
TWICE = np.linalg.inv(A) @ np.diag([1.0, 1.0, 2.0, 3.0]) @ A
CLOSE = np.diag([1.0, 1.0, 2.0, 3.0]) + 1e-7 * np.diag(RNG.normal(size=4))


@pytest.mark.parametrize(
    "matrix",
    [A, A + A.T, TWICE, CLOSE, np.eye(4), np.diag([1.0, 1.0, 2.0, 2.0]), np.array([[0.7]])],
)
def test_agrees_with_the_rule_of_the_exponential(matrix):
    weights = W[: len(matrix), : len(matrix)]
    found = gradient(lambda a: np.sum(weights * linalg.funm(a, np.exp)), matrix)[0]
    known = gradient(lambda a: np.sum(weights * linalg.expm(a)), matrix)[0]
    np.testing.assert_allclose(found, known, rtol=1e-9, atol=1e-9)


def test_what_the_function_captures():
    def f(a, k):
        return np.sum(W * linalg.funm(a, lambda t: np.exp(k * t) + t))

    def with_error(a, k):
        return np.sum(W * linalg.funm(a, lambda t: np.sin(k * t), disp=False)[0])

    check_gradient(f, A + A.T, 0.7)
    check_gradient(with_error, A, 0.7)


def test_complex_matrices_lists_and_results_written_later():
    z = A + 1j * W
    check_gradient(lambda x: np.sum((W * linalg.funm(x * z, np.cos)).real), 0.3)
    check_gradient(lambda x: np.sum(linalg.funm([[x, 1.0], [1.0, 2.0]], np.exp)), 0.3)

    def written(a):
        y = linalg.funm(a, np.exp)
        s = np.sum(W * y)
        y[0] = 0.0
        return s + y.sum()

    check_gradient(written, A)


def test_single_precision():
    part = gradient(lambda a: np.sum(linalg.funm(a, np.exp)), np.eye(2, dtype=np.float32))[0]
    assert part.dtype == np.float32
    np.testing.assert_allclose(part, np.full((2, 2), np.e), rtol=1e-6)


@pytest.mark.parametrize("matrix", [np.array([[1.0, 1.0], [0.0, 1.0]]), np.ones((2, 3, 3))])
def test_without_a_basis_of_eigenvectors_and_stacks(matrix):
    with pytest.raises(Unsupported, match="funm"):
        gradient(lambda a: np.sum(linalg.funm(a, np.exp)), matrix)
