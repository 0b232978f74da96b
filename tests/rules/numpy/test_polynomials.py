import numpy as np
import pytest

from astad.rules import lookup
from astad.testing import check_gradient


def pull(fn, y_bar, wrt, *args):
    rule = lookup(fn)
    return rule.pull((wrt,))(y_bar, fn(*args), *rule.bind(args, {}))[0]


def test_of_unequal_degrees_the_last_coefficients_meet():
    seed = np.array([1.0, 2.0, 3.0])
    assert pull(np.polysub, seed, "a2", np.ones(3), np.ones(2)).tolist() == [-2, -3]
    assert pull(np.polyadd, seed, "a1", np.ones(3), np.ones(2)).tolist() == [1, 2, 3]


def test_the_constant_is_lost_by_a_derivative():
    assert pull(np.polyder, np.array([1.0, 10.0]), "p", np.ones(3)).tolist() == [2, 10, 0]


def test_roots_of_a_quadratic():
    found = pull(np.roots, np.array([1.0, 0.0]), "p", np.array([1.0, -3.0, 2.0]))
    np.testing.assert_allclose(found.real, [-4, -2, -1])  # -[r**2, r, 1] / p'(r) at r = 2


@pytest.mark.parametrize("fn", [np.polyadd, np.polysub, np.polymul])
def test_polynomial_objects_are_refused(fn):
    rule = lookup(fn)
    assert rule.refuses(rule.bind((np.poly1d([1.0, 2.0]), np.ones(2)), {}))


def test_products_that_drop_a_leading_zero_are_refused():
    rule = lookup(np.polymul)
    assert rule.refuses(rule.bind((np.array([0.0, 1.0]), np.ones(2)), {}))


def test_tangents_of_a_product_keep_their_leading_zeros():
    rule, a, b = lookup(np.polymul), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])
    found = rule.push(("a1",))((np.array([0.0, 1.0, 1.0]),), np.polymul(a, b), a, b)
    assert found.tolist() == [0, 4, 9, 5]
    found = rule.push(("a1", "a2"))((0 * a, np.array([0.0, 1.0])), np.polymul(a, b), a, b)
    assert found.tolist() == [0, 1, 2, 3]


def test_fit_through_as_many_points_as_coefficients():
    x, y = np.array([0.0, 2.0]), np.array([1.0, 5.0])
    np.testing.assert_allclose(
        pull(np.polyfit, np.array([1.0, 0.0]), "values", x, y, 1), [-0.5, 0.5]
    )


@pytest.mark.parametrize(
    "composed",
    [
        lambda p, q: np.poly1d(p)(np.poly1d(q)).c,
        lambda p, q: np.polyval(p, np.poly1d(q)).c,
        lambda p, q: np.polyval(np.poly1d(p), np.poly1d(q)).c,
    ],
)
def test_polynomial_of_a_polynomial(composed):
    def f(p, q):
        return np.sum(composed(p, q) * np.array([1.0, 2.0, 3.0]))

    check_gradient(f, np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0]))
