"""Integrals of Struve functions."""

import math

import pytest

from astad import gradient

special = pytest.importorskip("scipy.special")


def test_integral_of_the_struve_function_over_its_argument_at_0():
    def slope(x):
        return gradient(lambda x: special.it2struve0(x), x)[0]

    assert slope(0.0) == pytest.approx(-2 / math.pi)
    assert gradient(slope, 0.0) == (0.0,)
    for x in (1e-3, 0.4, 0.9999, 1.0001, 3.0, -0.4):
        value = special.struve(0, x) / x
        assert slope(x) == pytest.approx(-value, rel=1e-14)
        wanted = value / x - (2 / math.pi - special.struve(1, x)) / x  # DLMF 11.4.29
        assert gradient(slope, x) == (pytest.approx(wanted, rel=1e-9, abs=1e-12),)
