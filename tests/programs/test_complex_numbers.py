"""Complex numbers in the middle of real functions: cmath, complex(), powers; their cuts."""

import cmath
import math

import numpy as np
import pytest

import astad
from astad import settings


def exponentials_in_a_loop(a):
    s = 0.0
    for k in range(20):
        z = complex(a, k)
        s += cmath.exp(z * 0.1).real
    return s


def of_real_numbers(a):
    return cmath.exp(a).real + cmath.sqrt(a - 2.0).imag


def beside_the_cuts(a):
    return (
        abs(cmath.asin(a * 2.0)) + cmath.acos(a).real + cmath.log(-a).imag * a + cmath.log(-a).real
    )


def escape_time(a):
    z = 0j
    n = 0
    d = 0.0
    c = complex(a * 0.3, 0.5)
    while abs(z) < 2 and n < 12:
        z = z * z + c
        d += abs(z)
        n += 1
    return d


def polar_forms(a):
    return (
        cmath.phase(cmath.rect(a, a * 2)) * a
        + abs(cmath.log(a, 3.0))
        + abs(cmath.log(complex(a, 1), a))
    )


def partial_sum_of_zeta(a):
    return abs(sum(n ** (-a - 2j) for n in range(1, 8)))


def all_of_the_module(a):
    z = complex(a, a * a)
    w = (
        cmath.sinh(z) / cmath.cosh(z)
        - cmath.tanh(z) * 2
        + cmath.atan(z)
        + cmath.asinh(z) * cmath.atanh(z)
        + cmath.acosh(z)
        + cmath.log10(z)
        + cmath.tan(z)
    )
    return (w * w.conjugate()).real


def list_of_phasors(a):
    r = [complex(math.cos(a * k), math.sin(a * k)) for k in range(5)]
    return abs(sum(r)) + abs(r[2] * a - cmath.exp(1j * a))


def made_of_parts(a):
    z = complex(a)
    y = complex(1.0, a)
    x = complex(y)
    q = complex(imag=a, real=2.0)
    return (z * y * x * q).real + (z - y).imag


def on_the_cuts(a):
    return cmath.sqrt(-a).imag * cmath.cos(a).real + cmath.sin(a).real - cmath.acos(3 * a).imag


def powers_by_literals(a):
    z = complex(a, 1.0)
    return (z**2.5).real + (z**-1).imag + abs(z**0.5) + (z**3).real + (z**0).real * a + (z**1).imag


def powers_by_complex_numbers(a):
    z = complex(a, -0.5)
    w = complex(0.3, a)
    return (z**w).real + (2.0**z).imag + (a**w).real + ((-a) ** w).imag + (z**a).real


def powers_in_a_loop(a):
    s = 0
    for k in range(1, 6):
        s += complex(a, k) ** k / k + k ** complex(0, a)
    return abs(s)


def powers_of_arrays(a):
    z = np.array([a, a * a]) + 1j * np.array([1.0, a])
    return (
        np.sum(np.abs(z**2.5))
        + np.sum((z**z).real)
        + np.sum((2.0**z).imag)
        + np.sum((np.array([1.5, a]) ** (a * 1j)).real)
    )


def squares_in_a_loop(a):
    z = 0j
    for k in range(4):
        z = (z + a) ** 2 + 1j
    return z.real


def powers_by_a_list(a):
    z = complex(a, 0.0)
    y = 0.0
    for n in (2, -1, 0.5):
        y += (z**n).real
    return y + pow(z, 2).imag + pow(z, 1.5).real


FUNCTIONS = [
    exponentials_in_a_loop,
    of_real_numbers,
    beside_the_cuts,
    escape_time,
    polar_forms,
    partial_sum_of_zeta,
    all_of_the_module,
    list_of_phasors,
    made_of_parts,
    on_the_cuts,
    powers_by_literals,
    powers_by_complex_numbers,
    powers_in_a_loop,
    powers_of_arrays,
    squares_in_a_loop,
    powers_by_a_list,
]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("x", [0.7, 0.45])
def test_each_way_against_differences(f, x):
    h = 1e-4
    slope = 8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))
    right = pytest.approx(slope / (12 * h), rel=1e-7)
    for _ in range(4):
        assert astad.value_and_grad(f)(x) == (pytest.approx(f(x), rel=1e-14), right)
    assert astad.pullback(f, x)[1](1.0)[0] == right
    assert astad.gradient(f, np.float64(x))[0] == right
    assert astad.jvp(f, (x,), (1.0,))[1] == right


ALONE = pytest.mark.skipif(settings.verify, reason="the slope between is a number of NumPy's")
BENT = [f for f in FUNCTIONS if f is not list_of_phasors]
NUMPYS = (powers_of_arrays, partial_sum_of_zeta)


@pytest.mark.parametrize("f", [pytest.param(f, marks=[ALONE] * (f in NUMPYS)) for f in BENT])
def test_second_derivatives_against_differences(f):
    x, h = 0.7, 1e-3
    outer, inner = f(x + 2 * h) + f(x - 2 * h), f(x + h) + f(x - h)
    bend = (16 * inner - outer - 30 * f(x)) / (12 * h * h)
    assert astad.hessian(f, x) == pytest.approx(bend, rel=1e-5)


SIDES = [
    lambda a: cmath.acos(3 * a).imag,
    lambda a: cmath.asin(3 * a).imag,
    lambda a: cmath.acos(-3 * a).imag,
    lambda a: cmath.asin(-3 * a).imag,
    lambda a: cmath.asinh(3 * a).real,
    lambda a: cmath.acosh(0.2 * a).imag,
    lambda a: cmath.acosh(-3 * a).real,
    lambda a: cmath.acosh(complex(0.2 * a, -0.0)).imag,
    lambda a: cmath.atanh(3 * a).real,
    lambda a: cmath.acos(complex(3 * a, 0.0)).imag,
    lambda a: cmath.acos(complex(3 * a, -0.0)).imag,
    lambda a: cmath.asin(complex(-3 * a, -0.0)).imag,
    lambda a: cmath.asinh(complex(0.0, 3 * a)).real,
    lambda a: cmath.asinh(complex(-0.0, 3 * a)).real,
    lambda a: cmath.atan(complex(-0.0, 3 * a)).imag,
    lambda a: cmath.sqrt(-3 * a).imag,
]


@pytest.mark.parametrize("f", SIDES)
def test_on_a_cut_the_side_is_that_of_the_value(f):
    slope = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert astad.gradient(f, 0.7)[0] == pytest.approx(slope, rel=1e-7)


def test_a_power_of_zero():
    assert astad.gradient(lambda a: ((a + 0j) ** 2.0).real + a, 0.0) == (1.0,)
    assert astad.gradient(lambda a: ((a + 0j) ** 0).real + a, 0.0) == (1.0,)
    with np.errstate(all="ignore"):
        (slope,) = astad.gradient(lambda a: ((a * 0j) ** 0.5).real * a + a, 0.7)
    assert math.isnan(slope)


def test_a_loop_over_complex_numbers_is_written_out():
    told = str(astad.explain(exponentials_in_a_loop, 0.7))
    assert "nothing is left to the run time" in told


def differences(f, x, step=1e-6):
    moved = step * np.eye(len(x))
    return np.array([(f(x + by) - f(x - by)) / (2 * step) for by in moved])


def transformed_by_hand(v):
    k = np.arange(5)
    turned = np.exp(-2j * np.pi * k[:, None] * k / 5) @ (v + 0j)
    return np.sum(np.abs(turned * np.exp(-1j * k * 0.3) + k) ** 2)


def powers_and_masks(v):
    z = v * (0.6 + 0.8j)
    powers = z ** np.arange(5)
    return np.sum(powers.real) + np.sum(np.abs(z * (v > 1.0) + 1j) ** 2)


def term_by_term(v):
    total = 0j
    for k in np.arange(5):
        total += v[k] * np.exp(0.4j * k)
    return abs(total) ** 2


@pytest.mark.parametrize("f", [transformed_by_hand, powers_and_masks, term_by_term])
def test_complex_numbers_beside_whole_ones(f):
    v = np.array([0.7, 1.3, 0.9, 1.8, 1.1])
    assert "nothing is left to the run time" in str(astad.explain(f, v))
    wanted = differences(f, v)
    for given in (v, np.repeat(v, 2)[::2]):
        np.testing.assert_allclose(astad.gradient(f, given)[0], wanted, rtol=1e-6)
    np.testing.assert_allclose(astad.jvp(f, (v,), (np.ones(5),))[1], np.sum(wanted), rtol=1e-6)
    assert astad.gradient(f, v.astype(np.float32))[0].dtype == np.float32
    ends = [astad.gradient(f, v + way)[0] for way in (1e-5, -1e-5)]
    np.testing.assert_allclose(
        astad.hvp(f, v, np.ones(5)), (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-4
    )
