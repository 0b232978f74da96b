import numpy as np

from astad.rules import lookup


def test_determinant_of_singular_matrices_in_a_stack():
    a = np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]])
    found = lookup(np.linalg.det).pull(("a",))(np.ones(2), np.linalg.det(a), a)[0]
    np.testing.assert_allclose(found, [[[4, -2], [-2, 1]], [[2, 0], [0, 1]]], atol=1e-12)


def test_the_sign_of_a_real_determinant_is_constant():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    y = np.linalg.slogdet(a)
    pull = lookup(np.linalg.slogdet).pull(("a",))
    assert np.array_equal(pull((1.0, None), y, a)[0], np.zeros((2, 2)))
    np.testing.assert_allclose(pull((None, 1.0), y, a)[0], np.linalg.inv(a).T)


def test_parts_of_least_squares_that_were_not_used():
    a, b = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 0.0, 2.0])
    rule, y = lookup(np.linalg.lstsq), np.linalg.lstsq(a, b, None)
    found = rule.pull(("a", "b"))((None, None, None, np.ones(2)), y, a, b, None)
    assert np.array_equal(found[1], np.zeros(3))
    np.testing.assert_allclose(
        found[0], lookup(np.linalg.svdvals).pull(("x",))(np.ones(2), None, a)[0]
    )


def test_rank_has_no_derivative():
    assert lookup(np.linalg.matrix_rank).form == "zero"
