import numpy as np
import pytest

from astad.errors import MissingRule
from astad.rules import lookup
from astad.rules.numpy.finite_differences import undiffed


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_adjoint_of_differences(n, axis):
    random = np.random.default_rng(n)
    a = random.normal(size=(4, 5))
    g = random.normal(size=np.diff(a, n, axis).shape)
    np.testing.assert_allclose(np.sum(g * np.diff(a, n, axis)), np.sum(undiffed(g, n, axis) * a))


def test_the_period_of_unwrap_is_missing_and_says_so():
    with pytest.raises(MissingRule, match="number of turns"):
        lookup(np.unwrap).pull(("period",))


def test_jumps_of_unwrap_are_constant():
    assert lookup(np.unwrap).pull(("p",))(np.ones(2), None, np.zeros(2), None, -1, 1.0)[
        0
    ].tolist() == [1, 1]
