"""Derivatives of functions of complex numbers, against differences along directions."""

import cmath

import numpy as np
import pytest

from astad import jacobian, jvp, wirtinger
from astad.errors import WrongCall

RNG = np.random.default_rng(0)
Z = RNG.normal(size=3) + 1j * RNG.normal(size=3)
M = np.arange(9.0).reshape(3, 3) + 1j

HOLOMORPHIC = {
    "exponential": lambda z: np.exp(z) * z,
    "polynomial": lambda z: z**3 + 2 * z,
    "matrix": lambda z: M @ z,
    "transform": lambda z: np.fft.fft(z) ** 2,
    "sum": lambda z: np.sum(z**2) * z,
    "quotient": lambda z: 1 / (z + 2),
}
OTHERS = {
    "conjugate": lambda z: np.conj(z) * z,
    "real part": lambda z: z.real * z,
    "phase": lambda z: z / np.abs(z),
    "imaginary part": lambda z: z.imag + 0j,
}
DIRECTIONS = [RNG.normal(size=3) + 1j * RNG.normal(size=3), np.ones(3) + 0j, 1j * np.ones(3)]


def along(f, z, v, step=1e-6):
    return (f(z + step * v) - f(z - step * v)) / (2 * step)


@pytest.mark.parametrize("f", [*HOLOMORPHIC.values(), *OTHERS.values()])
def test_a_tangent_is_linear_over_the_reals(f):
    for v in DIRECTIONS:
        np.testing.assert_allclose(jvp(f, (Z,), (v,))[1], along(f, Z, v), rtol=1e-6, atol=1e-8)
    first, second = DIRECTIONS[:2]
    both = jvp(f, (Z,), (2.0 * first - 3.0 * second,))[1]
    parts = 2.0 * jvp(f, (Z,), (first,))[1] - 3.0 * jvp(f, (Z,), (second,))[1]
    np.testing.assert_allclose(both, parts, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", HOLOMORPHIC.values(), ids=HOLOMORPHIC)
def test_where_there_is_a_complex_derivative(f):
    whole = jacobian(f, Z, holomorphic=True)
    for v in DIRECTIONS:
        np.testing.assert_allclose(whole @ v, along(f, Z, v), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(wirtinger(f, Z)[1], 0.0, atol=1e-12)


@pytest.mark.parametrize("f", OTHERS.values(), ids=OTHERS)
def test_where_there_is_none_it_is_said(f):
    with pytest.raises(WrongCall, match="Cauchy-Riemann"):
        jacobian(f, Z, holomorphic=True)
    first, second = wirtinger(f, Z)
    for v in DIRECTIONS:
        found = first @ v + second @ np.conj(v)
        np.testing.assert_allclose(found, along(f, Z, v), rtol=1e-6, atol=1e-7)


def test_numbers_and_structures():
    f = lambda z: z * z + cmath.exp(z)
    z = 1.3 - 0.4j
    assert jacobian(f, z, holomorphic=True) == pytest.approx(2 * z + cmath.exp(z), rel=1e-14)
    for v in (1 + 0j, 1j, 2 - 1j):
        assert jvp(f, (z,), (v,))[1] == pytest.approx((2 * z + cmath.exp(z)) * v, rel=1e-14)
    found = jacobian(lambda p: {"a": p["x"] * p["y"]}, {"x": 1 + 1j, "y": 2j}, holomorphic=True)
    assert found == {"a": {"x": 2j, "y": 1 + 1j}}
