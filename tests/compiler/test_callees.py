"""Functions that one text holds with their caller: what it relies on of them."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient

TABLE = np.array([0.5, 1.5, -1.0])


def fallen(x, n):
    if n == 0:
        return np.sum(TABLE * x * x)
    return fallen(x * 0.5, n - 1)


def twice(x):
    return fallen(x, 2) + fallen(x, 1)


@pytest.mark.parametrize(
    "table", [2.0, np.ones((2, 2)), np.array([1, 2]), np.array([1.0 + 2j, 0.5]), 3]
)
def test_a_global_of_a_callee_that_is_of_another_kind_by_then(table, monkeypatch):
    assert gradient(twice, 1.5)[0] == pytest.approx(2 * 1.5 * (1 / 16 + 1 / 4), rel=1e-15)
    monkeypatch.setitem(globals(), "TABLE", table)
    if np.iscomplexobj(table):
        with pytest.raises(TypeError, match="complex"):
            gradient(twice, 1.5)
    else:
        check_gradient(twice, 1.5)
