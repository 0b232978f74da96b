"""Cotangents of complex numbers: conjugates of the rules' factors."""

import numpy as np
import pytest

import astad

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


def steered(x):
    return np.sum(np.abs(np.exp(1j * x * np.arange(3)) + 0.5))


def shifted_by_counts(x):
    z = 1j * x
    return np.sum(np.real((z + np.arange(3)) ** 2))


def counts_less_a_number(x):
    return np.sum(np.abs(np.arange(1, 4) - (x + 2j)))


def over_counts(x):
    return np.sum(np.real(((x + 1j) / np.arange(1, 4)) ** 2))


def counts_over_a_number(x):
    return np.sum(np.imag(np.arange(1, 4) / (x + 1j)))


def power_of_counts(x):
    return np.sum(np.real((x + 1j) ** np.arange(3)))


def by_truths(x):
    return np.sum(np.abs((x + 1j) * (np.arange(3.0) > 0.5) + x))


def by_places(x):
    places = np.array([2, 0, 1])
    return np.sum(np.real(np.exp(1j * x) * places[::-1] ** 2))


def by_a_table(x):
    z = x * np.exp(0.3j)
    return np.sum(np.abs(z * np.arange(6).reshape(2, 3) + 1.0))


def by_ufuncs(x):
    z = np.exp(1j * x)
    return np.sum(np.real(np.multiply(np.arange(3), z) + np.subtract(z, np.arange(3))))


def given_places(x, places):
    return np.sum(np.abs(np.exp(1j * x * places) + places * x))


WHOLE = [
    steered, shifted_by_counts, counts_less_a_number, over_counts, counts_over_a_number,
    power_of_counts, by_truths, by_places, by_a_table, by_ufuncs,
]  # fmt: skip


@pytest.mark.order_matters
@pytest.mark.parametrize("f", WHOLE)
def test_a_complex_number_beside_arrays_of_whole_numbers_and_truths(f):
    step = 1e-6
    for x in (0.7, 1.9, 0.7, -0.4):
        slope = (f(x + step) - f(x - step)) / (2 * step)
        (bar,) = astad.gradient(f, x)
        assert np.ndim(bar) == 0
        assert bar == pytest.approx(slope, abs=1e-6)


@pytest.mark.order_matters
def test_whole_numbers_that_are_given():
    places, step = np.array([0, 1, 3]), 1e-6
    for x in (0.7, 1.9, 0.7, -0.4):
        slope = given_places(x + step, places) - given_places(x - step, places)
        bar, _ = astad.gradient(given_places, x, places)
        assert bar == pytest.approx(slope / (2 * step), abs=1e-6)
