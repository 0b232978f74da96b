"""``np.pad`` as users meet it: each way to pad, of floats and of whole numbers."""

import numpy as np
import pytest

from astad import gradient
from tests.programs.ways import check_ways

X = np.array([1.0, 2.5, 0.5])
WHOLE = np.array([2, 3, 5])
A = np.sin(np.arange(6.0)).reshape(2, 3)


@pytest.mark.parametrize("mode", ["maximum", "minimum", "median", "mean", "linear_ramp", "edge"])
@pytest.mark.parametrize("a", [X, A])
def test_floats(mode, a):
    check_ways(lambda a: np.sum(np.pad(a, (1, 2), mode=mode) ** 2), a)


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("maximum", [1, 1, 3]),
        ("minimum", [3, 1, 1]),
        ("median", [1, 3, 1]),
        ("mean", [1, 1, 1]),  # rounded
        ("linear_ramp", [1, 1, 1]),
        ("edge", [2, 1, 2]),
        ("reflect", [1, 3, 1]),
    ],
)
def test_whole_numbers(mode, wanted):
    check_ways(lambda a: np.sum(np.pad(a, 1, mode=mode)) * 1.0, WHOLE, wanted=[wanted])


def test_the_ends_of_a_ramp_of_whole_numbers():
    def f(a):
        return np.sum(np.pad(a, (0, 2), mode="linear_ramp", end_values=3)) * 0.5

    check_ways(f, WHOLE, wanted=[[0.5, 0.5, 0.5]])


@pytest.mark.parametrize("mode", ["maximum", "minimum", "median"])
@pytest.mark.parametrize("length", [None, 1, 3, ((1, 3),), 9])
def test_whole_numbers_of_two_axes_as_floats(mode, length):
    a = np.array([[2, 7, 1], [2, 8, 4], [9, 0, 3]])  # an odd number of each line is chosen from
    weights = np.arange(6 * 6.0).reshape(6, 6)

    def f(a):
        return np.sum(np.pad(a, ((1, 2), (2, 1)), mode, stat_length=length) * weights)

    (wanted,) = gradient(f, a * 1.0)
    check_ways(f, a, wanted=[wanted])


def test_an_even_number_is_rounded():
    a = np.array([2, 4, 7, 9])
    check_ways(lambda a: np.sum(np.pad(a, 1, "median")) * 1.0, a, wanted=[[1, 1, 1, 1]])
