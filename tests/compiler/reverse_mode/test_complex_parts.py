"""Cotangents of complex numbers: conjugates of the rules' factors."""

import numpy as np
import pytest

X = np.array([0.3, 0.4, 1.2])


def raised(x):
    return np.sum(np.abs(np.power(np.fft.fft(x), 2.5)))


def raised_by_itself(x):
    z = np.fft.fft(x)
    return np.sum(np.abs(np.power(z, z)))


def raised_by_another(x):
    w = np.fft.fft(x * x)
    return np.sum(np.abs(np.float_power(np.fft.fft(x), w)))


def inverse(x):
    return np.sum(np.abs(np.reciprocal(np.fft.fft(x)) + x))


def logarithm(x):
    return np.sum(np.abs(np.log(np.fft.fft(x))))


def phases(x):
    """The factor reads ``deg``, which is left to its default."""
    z = np.exp(1j * np.linspace(0.0, 1.0, 3)) * x
    return np.sum(np.angle(z + x * x) * np.abs(z))


SINGULAR = [raised, raised_by_itself, raised_by_another, inverse, logarithm, phases]


@pytest.mark.parametrize("f", SINGULAR)
def test_rules_that_are_singular_somewhere(f, forms_agree):
    forms_agree(f, X, fused=True)


def power_of_spectrum(v, c):
    z, s = np.fft.fft(v), 0.0
    for k in range(len(v)):
        s = s + abs(z[k]) ** 2 * z[k].real
    return s * np.sum(z.imag * v)


def where_there_is_one(v, c):
    z = np.fft.fft(v)
    s = np.sum(z.real)
    if c > 0.0:
        for k in range(2):
            s = s + abs(z[k]) * z[k].imag
    return s


def tails(v, c):
    z, s = np.fft.fft(v), 0.0
    for k in range(len(v)):
        if v[k] > 0.0:
            s = s + np.sum(np.abs(z[k:]))
    return s


def of_each_round(v, c):
    s = 0.0
    for k in range(3):
        z = np.fft.fft(v * k)
        for j in range(len(v)):
            s = s + abs(z[j] + c)
    return s


@pytest.mark.parametrize("fn", [power_of_spectrum, where_there_is_one, tails, of_each_round])
@pytest.mark.parametrize("c", [1.0, -0.5])
def test_elements_that_are_read_in_a_loop(fn, c, forms_agree):
    forms_agree(fn, np.array([0.5, 1.5, -0.4, 0.2]), c)
