import numpy as np
import pytest

from astad.rules import lookup
from astad.rules.numpy import cholesky
from astad.rules.numpy.cholesky import cholesky_back, half_lower
from astad.rules.numpy.triangles import onto_triangle
from astad.testing import check_gradient


def pull(fn, y_bar, *args):
    rule = lookup(fn)
    return rule.pull((rule.parameters[0],))(y_bar, fn(*args), *rule.bind(args, {}))[0]


def test_the_other_triangle_is_not_read():
    a = np.array([[2.0, 9.0], [1.0, 3.0]])
    found = pull(np.linalg.cholesky, np.ones((2, 2)), a)
    assert found[0, 1] == 0
    np.testing.assert_allclose(found, pull(np.linalg.cholesky, np.ones((2, 2)), np.tril(a)))


def closed(low, low_bar):
    """The formula over the whole matrix."""
    inverse = np.linalg.inv(low)
    inner = half_lower(np.conj(np.swapaxes(low, -1, -2)) @ np.tril(low_bar))
    return onto_triangle(np.conj(np.swapaxes(inverse, -1, -2)) @ inner @ inverse, "L")


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize(
    "shape", [(1, 1), (7, 7), (48, 48), (49, 49), (150, 150), (2, 3, 100, 100)]
)
def test_blocks_give_what_the_closed_formula_gives(kind, shape):
    rng = np.random.default_rng(4)

    def draw():
        return rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "complex" else 0.0)

    a, bar = draw(), draw()
    low = np.linalg.cholesky(a @ np.conj(np.swapaxes(a, -1, -2)) / shape[-1] + np.eye(shape[-1]))
    seed = bar.copy()
    found = cholesky_back(low, bar, False)
    np.testing.assert_allclose(found, closed(low, bar), atol=1e-9)
    assert np.array_equal(bar, seed)
    upper = np.conj(np.swapaxes(low, -1, -2))
    above = cholesky_back(upper, np.conj(np.swapaxes(bar, -1, -2)), True)
    np.testing.assert_allclose(above, np.conj(np.swapaxes(found, -1, -2)), atol=1e-12)


def test_an_empty_matrix_and_a_real_cotangent_of_a_complex_factor():
    assert cholesky_back(np.ones((0, 0)), np.ones((0, 0)), False).shape == (0, 0)
    low = np.array([[1.0, 0.0], [1j, 2.0]])
    assert cholesky_back(low, np.ones((2, 2)), False).dtype == complex


def test_second_derivatives_through_several_blocks(monkeypatch):
    monkeypatch.setattr(cholesky, "BLOCK", 2)
    weights = np.arange(25.0).reshape(5, 5) % 7
    base = np.linalg.inv(np.eye(5) + 0.1)

    def slope(a):
        low = np.linalg.cholesky(a @ a.T + base)
        return (cholesky_back(low, weights, False) * weights).sum()

    check_gradient(slope, np.random.default_rng(1).normal(size=(5, 5)))
