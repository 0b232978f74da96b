"""Noncentral distributions: inverses whose own digits are too few for differences."""

import numpy as np
import pytest

from astad import gradient
from astad.rules import lookup
from astad.testing import check_gradient

special = pytest.importorskip("scipy.special")
POINT = (4.0, 6.0, 0.7, 1.1)  # dfn, dfd, nc, f
STEP = 1e-4


def slopes_by_differences() -> np.ndarray:
    """Derivatives of the noncentral F distribution function."""
    found = []
    for k in range(4):
        above, below = list(POINT), list(POINT)
        above[k] += STEP
        below[k] -= STEP
        found.append((special.ncfdtr(*above) - special.ncfdtr(*below)) / (2 * STEP))
    return np.array(found)


@pytest.mark.parametrize(
    ("name", "order", "place"),
    [
        ("ncfdtridfd", (0, 4, 2, 3), 1),
        ("ncfdtridfn", (4, 1, 2, 3), 0),
        ("ncfdtrinc", (0, 1, 4, 3), 2),
    ],
)
def test_inverse_in_a_parameter_of_noncentral_f(name, order, place):
    slopes = slopes_by_differences()
    values = (*POINT, special.ncfdtr(*POINT))
    inverse = getattr(special, name)
    args = [values[k] for k in order]
    np.testing.assert_allclose(inverse(*args), POINT[place], rtol=1e-3)
    found = gradient(lambda *args: inverse(*args), *args)
    wanted = [1 / slopes[place] if k == 4 else -slopes[k] / slopes[place] for k in order]
    np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_power_of_a_test_of_student():
    def power(shift, df):
        return 1 - special.nctdtr(df, shift, special.stdtrit(df, 0.95))

    check_gradient(power, 1.7, 9.0)


def test_noncentral_chi_square_of_many_rates():
    rates = np.array([0.0, 0.3, 30.0, 400.0])
    (slopes,) = gradient(lambda nc: np.sum(special.chndtr(nc + 4.0, 3.0, nc)), rates[1:])
    h = 1e-4
    up, down = (special.chndtr(r + 4.0, 3.0, r) for r in (rates[1:] + h, rates[1:] - h))
    np.testing.assert_allclose(slopes, (up - down) / (2 * h), rtol=1e-6, atol=1e-9)
    central = gradient(lambda x, nc: special.chndtr(x, 4.0, nc), 2.0, 0.0)
    half = np.exp(-1.0) * np.array([0.5, -0.25])
    np.testing.assert_allclose(central, half, rtol=1e-13)


def test_noncentrality_of_student_at_0():
    df, p = 7.5, 0.4  # of t = 0 the distribution function is ndtr(-nc)
    root = special.ndtri(p)
    found = gradient(lambda p, t: special.nctdtrinc(df, p, t), p, 0.0)
    density = np.exp(-0.5 * root * root) / np.sqrt(2 * np.pi)
    mean = np.sqrt(2 / df) * special.gamma(0.5 * df + 0.5) / special.gamma(0.5 * df)
    np.testing.assert_allclose(found, [-1 / density, mean], rtol=1e-6)
    rule = lookup(special.nctdtrinc)

    def slope(p):
        return rule.pull(("p",))(1.0, special.nctdtrinc(df, p, 0.0), df, p, 0.0)[0]

    np.testing.assert_allclose(gradient(slope, p), -root / density**2, rtol=1e-6)


def test_noncentrality_of_student_that_scipy_gives_too_coarsely_for_differences():
    assert special.nctdtrinc(7.5, 0.4, 1e-4) == special.nctdtrinc(7.5, 0.4, 0.0)


@pytest.mark.parametrize(
    ("df", "nc", "t", "slopes"),
    [
        (3.0, 0.5, 0.75, (0.00815504951026, -0.376996109375, 0.337322430083)),
        (0.3, 0.5, 0.75, (0.2172127171, -0.347659485062, 0.154894204301)),
        (0.05, 0.0, 0.75, (0.6401215366, -0.374719818989, 0.02901101039295)),
    ],
)
def test_few_degrees_of_freedom_of_student(df, nc, t, slopes):  # by mpmath, with 25 digits
    found = gradient(lambda df, nc, t: special.nctdtr(df, nc, t), df, nc, t)
    np.testing.assert_allclose(found, slopes, rtol=1e-9)
