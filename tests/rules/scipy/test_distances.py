"""Rules of scipy.spatial.distance as users meet them; the calls are in tests/coverage."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError, MissingRule
from astad.testing import check_gradient

distance = pytest.importorskip("scipy.spatial.distance")

A = np.array([[0.3, 1.2, 0.7], [1.1, 0.4, 0.2], [0.9, 0.5, 1.7]])
B = A[:2] * 1.3 + 0.1


def test_a_kernel_matrix_of_points_with_themselves():
    def f(x, scale):
        return np.sum(
            np.exp(-distance.cdist(x, x, "sqeuclidean") / scale) * np.arange(9.0).reshape(3, 3)
        )

    check_gradient(f, A, 0.7)


def test_points_that_coincide_have_a_slope_of_zero():
    for name in ("euclidean", "minkowski", "chebyshev", "cityblock", "canberra"):
        (g,) = gradient(lambda x, name=name: np.sum(distance.cdist(x, A, name)), A[:1])
        assert np.isfinite(g).all()
        (g,) = gradient(lambda x, name=name: distance.cdist(x, A[:1], name)[0, 0], A[:1])
        assert np.all(g == 0)


def test_a_function_of_the_users_and_what_it_closes_over():
    def f(x, s):
        return np.sum(distance.pdist(x, lambda a, b: s * np.sum(abs(a - b) ** 1.5)))

    check_gradient(f, A, 0.3)


def test_weights_have_no_rule_and_bits_no_derivative():
    with pytest.raises(MissingRule, match="of weights"):
        gradient(lambda w: np.sum(distance.cdist(A, B, w=w)), np.ones(3))
    assert not np.any(gradient(lambda x: np.sum(distance.cdist(x, B, "hamming")), A)[0])


def test_a_scale_made_of_the_points_is_refused():
    with pytest.raises(AstadError, match="cdist"):
        gradient(lambda x: np.sum(distance.cdist(x, B, "seuclidean")), A)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, np.inf])
@pytest.mark.parametrize("threshold", [10**6, 1])
def test_a_matrix_of_distances_has_a_slope_of_zero_where_points_coincide(p, threshold):
    """As ``cdist`` has, by either way of SciPy's to make it."""
    spatial = pytest.importorskip("scipy.spatial")
    scale = np.cos(np.arange(6.0)).reshape(3, 2)

    def f(a):
        return np.sum(scale * spatial.distance_matrix(a, a[:2], p, threshold))

    def by_cdist(a):
        named = ("chebyshev", {}) if p == np.inf else ("minkowski", {"p": p})
        return np.sum(scale * distance.cdist(a, a[:2], named[0], **named[1]))

    np.testing.assert_allclose(gradient(f, A)[0], gradient(by_cdist, A)[0], rtol=1e-12, atol=1e-15)
    check_gradient(lambda a, b: np.sum(spatial.distance_matrix(a, b, p, threshold)), A, B)


def test_the_exponent_of_distances():
    spatial = pytest.importorskip("scipy.spatial")

    def f(a, b, p):
        return np.sum(np.sin(spatial.minkowski_distance(a[:, None], b, p)))

    check_gradient(f, A, B, 2.5)
    assert np.isfinite(gradient(f, A, A, 2.5)[2])
