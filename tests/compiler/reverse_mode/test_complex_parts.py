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


@pytest.mark.parametrize("f", [raised, raised_by_itself, raised_by_another, inverse, logarithm])
def test_rules_that_are_singular_somewhere(f, forms_agree):
    forms_agree(f, X, fused=True)
