import warnings

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.rules import lookup
from astad.testing import check_gradient


def pull(fn, y_bar, *args):
    rule = lookup(fn)
    return rule.pull((rule.parameters[0],))(y_bar, fn(*args), *rule.bind(args, {}))[0]


TALL = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.2]])


def test_vectors_beyond_the_singular_values_are_refused():
    with pytest.raises(Unsupported, match="full_matrices=False"):
        pull(np.linalg.svd, (np.arange(16.0).reshape(4, 4), None, None), np.ones((4, 1)))


def test_the_first_vectors_of_a_full_svd_are_those_of_the_thin_one():
    seed = np.arange(9.0).reshape(3, 3)
    seed[:, 2] = 0
    full = pull(np.linalg.svd, (seed, None, None), TALL)
    np.testing.assert_allclose(full, pull(np.linalg.svd, (seed[:, :2], None, None), TALL, False))


def test_values_alone_divide_by_no_gap():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(pull(np.linalg.svd, (None, np.ones(2), None), np.eye(2)), np.eye(2))
        assert pull(np.linalg.svdvals, np.ones(3), np.zeros((3, 3))).shape == (3, 3)


def test_a_factor_of_qr_without_cotangent():
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    both = pull(np.linalg.qr, (np.zeros((2, 2)), np.ones((2, 2))), a)
    assert np.array_equal(pull(np.linalg.qr, (None, np.ones((2, 2))), a), both)


@pytest.mark.parametrize("shape", [(3, 2), (4, 2), (4, 1)])
def test_the_basis_that_completes_a_decomposition_by_what_no_choice_of_it_changes(shape):
    a = np.arange(1.0, 1 + np.prod(shape)).reshape(shape) ** 1.5
    n, w = shape[0], np.arange(1.0 * shape[0] ** 2).reshape(shape[0], shape[0])

    def beyond(q):
        rest = q[:, shape[1] :]
        return np.sum(w * (rest @ rest.T))

    check_gradient(lambda a: beyond(np.linalg.svd(a)[0]), a)
    check_gradient(lambda a: beyond(np.linalg.qr(a, mode="complete")[0]), a)
    check_gradient(lambda a: np.sum(np.linalg.qr(a, mode="complete")[1]), a)
    if n - shape[1] > 1:
        with pytest.raises(Unsupported, match="any basis of the rest"):
            gradient(lambda a: np.sum(w * np.linalg.qr(a, mode="complete")[0]), a)
