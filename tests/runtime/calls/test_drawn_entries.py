"""Entries that are drawn from an array, in an order of the source's, and draws about a mean."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.programs.ways import check_ways

X, V = np.array([1.0, 2.5, 4.0]), np.array([1.0, 2.0, 5.0])


def rng():
    return np.random.default_rng(7)


def of_numpys_own(x):
    np.random.seed(3)
    return np.random.permutation(x) @ V + np.random.choice(x, 3) @ V


def several_in_turn(x):
    source = rng()
    y = source.permutation(x)
    return y @ V + source.choice(y * y, 2).sum() + source.normal(x).sum()


def changed_afterwards(x):
    x = x * 1.0
    y = rng().permutation(x)
    x[0] = x[1] ** 2
    y[0] *= 2.0
    return y @ V + x.sum()


PROGRAMS = [
    of_numpys_own,
    several_in_turn,
    changed_afterwards,
    lambda x: rng().permutation(x) @ V,
    lambda x: rng().permutation([x[0], x[1] * x[2], 2.0])[0] ** 2,
    lambda x: rng().permutation(np.outer(x, x), axis=1)[0] @ V,
    lambda x: rng().permutation(x=np.outer(x, x))[0] @ V,
    lambda x: rng().permuted(x) @ V,
    lambda x: rng().permuted(np.outer(x, x), axis=1)[0] @ V,
    lambda x: rng().choice(x) ** 2,
    lambda x: rng().choice(x, 4).sum() ** 2,
    lambda x: rng().choice(a=x, size=(2, 2)).sum() ** 2,
    lambda x: rng().choice(x, 2, replace=False) @ V[:2],
    lambda x: rng().choice(x, 2, p=[0.2, 0.3, 0.5]) @ V[:2],
    lambda x: rng().choice(np.outer(x, x), 2, axis=1)[0] @ V[:2],
    lambda x: np.random.RandomState(5).permutation(x) @ V,
    lambda x: np.random.RandomState(5).choice(x, 3) @ V,
    lambda x: rng().multivariate_normal(x, np.eye(3)) ** 2 @ V,
    lambda x: np.sum(rng().multivariate_normal(x, np.eye(3) * 2, size=4) ** 2),
    lambda x: np.sum(rng().multivariate_normal([x[0], 2 * x[1]], np.eye(2)) ** 2),
    lambda x: np.random.RandomState(5).multivariate_normal(x, np.eye(3)) @ V,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_each_entry_has_its_share(f):
    check_ways(f, X)


def test_ints():
    k = np.array([2, 3, 5])
    order = rng().permutation(3)
    wanted = np.zeros(3)
    wanted[order] = V
    check_ways(lambda k: rng().permutation(k) @ V, k, wanted=[wanted])


def test_the_state_goes_on_as_in_the_plain_run():
    def f(x):
        source = rng()
        source.permutation(x)
        return x.sum() * source.random()

    assert gradient(f, X)[0].tolist() == [f(X) / X.sum()] * 3


def test_a_covariance_matrix_is_refused():
    with pytest.raises(Unsupported, match="by its covariance matrix"):
        gradient(lambda x: rng().multivariate_normal(x, np.diag(x)).sum(), X)
