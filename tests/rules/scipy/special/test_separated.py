"""Sequences of parabolic cylinder and of Bessel functions; functions of spheroids."""

import math

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
from astad.rules import lookup

special = pytest.importorskip("scipy.special")


def slope(fn, n, x, k):
    """Derivative of the k-th of the second values, by the rule."""
    y = fn(n, x)
    return lookup(fn).pull(("x",))((None, np.eye(len(y[1]))[k]), y, n, x)[0]


@pytest.mark.parametrize("fn", [special.pbdv_seq, special.pbvv_seq])
def test_sequences_of_two_orders(fn):
    one = special.pbdv if fn is special.pbdv_seq else special.pbvv
    for v in (0.0, 0.3, 1.0, 1.3, 2.5, -1.0, -2.0):
        first = max(v, 0.0) % 1  # of a negative order SciPy gives those of 0 and 1
        values = fn(v, 0.7)[0]
        for k, value in enumerate(values):
            order = first + k
            assert value == pytest.approx(one(order, 0.7)[0], rel=1e-6)
            wanted = (0.25 * 0.7**2 - order - 0.5) * value
            assert slope(fn, v, 0.7, k) == pytest.approx(wanted)
    with pytest.raises(AstadError):
        gradient(lambda x: fn(-0.5, x)[0][1], 0.7)


def test_functions_of_riccati_at_0():
    fn = special.riccati_jn
    seconds, thirds = (0.0, 2 / 3, 0.0, 0.0), (-1.0, 0.0, 2 / 5, 0.0)
    for k in range(4):
        assert slope(fn, 3, 0.0, k) == pytest.approx(seconds[k])
        assert gradient(lambda x, k=k: slope(fn, 3, x, k), 0.0) == (pytest.approx(thirds[k]),)
    x = 0.7
    assert slope(fn, 3, x, 0) == pytest.approx(-math.sin(x))
    wanted = (2 / x**2 - 1) * (math.sin(x) / x - math.cos(x))
    assert slope(fn, 3, x, 1) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("name", "x"), [("pro_ang1", 0.3), ("obl_ang1", 0.3), ("pro_rad1", 1.4), ("obl_rad1", 0.4)]
)
def test_functions_of_spheroids_of_their_own_value(name, x):
    fn, values = getattr(special, name + "_cv"), getattr(special, name[:3] + "_cv")
    for c in (0.0, 1.5):
        value = values(1, 2, c)
        (found,) = gradient(lambda x, c=c, value=value: fn(1, 2, c, value, x)[1], x)
        near = [fn(1, 2, c, value, x + h)[1] for h in (-2e-3, -1e-3, 1e-3, 2e-3)]
        wanted = (8 * (near[2] - near[1]) - (near[3] - near[0])) / 12e-3
        assert found == pytest.approx(wanted, rel=1e-8, abs=1e-12)
