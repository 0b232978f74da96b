"""Functions that one text holds with their caller: what it relies on of them."""

import numpy as np
import pytest

from astad import gradient, pullback
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


def looked_up(x, key):
    table = {"p": np.tanh, "q": lambda t: t * t}
    return table[key](x)


def unused(x):
    made = [lambda t: t, 1.0]
    return x * made[1]


def keeps(x):
    def inner(t):
        return t * x

    kept = [inner]
    return x * len(kept)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: looked_up(x, "q") * x,
        lambda x: looked_up(x, "p"),
        lambda x: unused(x) * x,
        lambda x: keeps(x) + x,
        lambda x: unused(unused(x)) * looked_up(x, "q"),
    ],
)
def test_a_callee_that_makes_functions(f):
    """The code of these lies in the callee's own, not in the caller's."""
    check_gradient(f, 1.3)


def unpacked(z, u, w):
    total = 0.0
    for _ in z:
        p, q, r = z
        if u.ndim == 1:
            p += w**2
            total = total + p * r
    return total + q


def unpacked_to_nothing(z, u, w):
    for _ in z:
        p, q, r = z
        if u.ndim == 1:
            p += w**2


def test_elements_to_which_nothing_has_come():
    z, u = np.array([0.3, 0.5, -0.7]), np.ones((3, 2))
    assert pullback(unpacked_to_nothing, z, u, 2.0)[1](None) == (None, None, None)
    np.testing.assert_array_equal(gradient(unpacked, z, u, 2.0)[0], [0.0, 1.0, 0.0])
    check_gradient(unpacked, z, np.ones(2), 2.0)
