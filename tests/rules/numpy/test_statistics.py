import numpy as np

from astad.rules import lookup


def pull(fn, y_bar, wrt, *args, **keywords):
    rule = lookup(fn)
    return rule.pull((wrt,))(y_bar, fn(*args, **keywords), *rule.bind(args, keywords))[0]


def test_covariance_of_one_variable_is_its_variance():
    a = np.array([1.0, 2.0, 4.0])
    wanted = pull(np.var, 1.0, "a", a, ddof=1)
    np.testing.assert_allclose(pull(np.cov, 1.0, "m", a), wanted)


def test_the_second_variable_may_be_given_as_y():
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.5, -1.0, 3.0])
    seed = np.array([[0.0, 1.0], [0.0, 0.0]])
    found = pull(np.cov, seed, "more", a, y=b)
    np.testing.assert_allclose(found, (a - a.mean()) / 2)


def test_correlation_does_not_move_with_the_scale():
    a = np.array([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]])
    found = pull(np.corrcoef, np.array([[0.0, 1.0], [0.0, 0.0]]), "x", a)
    np.testing.assert_allclose(np.sum(found * a, axis=1), 0, atol=1e-12)


def test_weights_of_a_histogram_go_to_their_bins():
    a, weights = np.array([0.1, 0.9, 0.5, 2.0]), np.ones(4)
    seed = (np.array([1.0, 10.0]), None)
    found = pull(np.histogram, seed, "weights", a, 2, (0.0, 1.0), weights=weights)
    assert found.tolist() == [1, 10, 10, 0]


def test_the_last_edge_belongs_to_the_last_bin():
    seed = (np.array([1.0, 10.0]), None)
    found = pull(np.histogram, seed, "weights", np.array([0.0, 1.0]), 2, weights=np.ones(2))
    assert found.tolist() == [1, 10]


def test_densities_and_named_bins_are_refused():
    rule = lookup(np.histogram)
    assert rule.refuses(rule.bind((np.ones(2),), {"density": True}))
    assert rule.refuses(rule.bind((np.ones(2), "auto"), {}))
