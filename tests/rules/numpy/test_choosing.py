"""Kinks and choices of NumPy's elementwise functions, complex parts, sinc and i0."""

import numpy as np
import pytest

from astad.rules import lookup
from astad.rules.numpy.choosing import bessel_i1, sinc_slope


def pull(fn, wanted, y_bar, *args, **keywords):
    found = lookup(fn)
    return found.pull(wanted)(y_bar, fn(*args, **keywords), *found.bind(args, keywords))


def test_clip_passes_at_its_bounds():
    a = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    g, low, high = pull(np.clip, ("a", "a_min", "a_max"), np.ones(5), a, 0.0, 1.0)
    assert g.tolist() == [0, 1, 1, 1, 0]
    assert (low, high) == (1, 1)


def test_clip_between_crossed_bounds_follows_the_upper_one():
    g, low, high = pull(
        np.clip, ("a", "a_min", "a_max"), np.ones(3), np.array([0.0, 2.0, 4.0]), 3.0, 1.0
    )
    assert g.tolist() == [0, 0, 0]
    assert (low, high) == (0, 3)


def test_clip_keeps_nan_open():
    assert pull(np.clip, ("a",), np.ones(1), np.array([np.nan]), 0.0, 1.0)[0].tolist() == [1]


def test_clip_by_its_newer_names():
    a = np.array([-1.0, 0.5])
    assert pull(np.clip, ("min",), np.ones(2), a, min=0.0)[0] == 1
    assert pull(np.ndarray.clip, ("a",), np.ones(2), a, 0.0)[0].tolist() == [0, 1]


def test_where_sends_an_exact_zero_down_the_dead_branch():
    x = np.array([4.0, 0.0, -1.0])
    with np.errstate(all="ignore"):
        roots = np.sqrt(x)
    (r_bar,) = pull(np.where, ("x1",), np.ones(3), x > 0, roots, 0.0)
    (x_bar,) = lookup(np.sqrt).pull(("x",))(r_bar, roots, x)
    assert x_bar.tolist() == [0.25, 0, 0]


def test_kinks_at_zero():
    zero = np.zeros(1)
    assert pull(np.absolute, ("x",), np.ones(1), zero)[0] == 0
    assert pull(np.absolute, ("x",), np.ones(1), zero + 0j)[0] == 0
    assert pull(np.angle, ("z",), np.ones(1), zero + 0j)[0] == 0
    assert pull(np.angle, ("z",), np.ones(1), zero)[0] == 0
    assert pull(np.sign, ("x",), np.ones(1), zero + 0j)[0] == 0
    assert pull(np.copysign, ("x1",), np.ones(1), zero, -1.0)[0] == 0


def test_sinc_near_zero():
    assert pull(np.sinc, ("x",), 1.0, np.float64(0.0))[0] == 0
    curvature = sinc_slope(np.array([1e-5]))[0] / 1e-5
    assert curvature == pytest.approx(-(np.pi**2) / 3, rel=1e-9)
    near, far = 0.5 / np.pi * (1 - 1e-12), 0.5 / np.pi * (1 + 1e-12)
    assert sinc_slope(np.float64(near)) == pytest.approx(sinc_slope(np.float64(far)), rel=1e-11)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, 0.0),
        (1e-3, 5.0000006250000260e-4),
        (1.0, 0.56515910399248503),
        (30.0, 7.6853203893894720e11),
    ],
)
def test_bessel_function_of_order_one(x, expected):
    assert bessel_i1(np.float64(x)) == pytest.approx(expected, rel=1e-13)
    assert bessel_i1(np.float64(-x)) == pytest.approx(-expected, rel=1e-13)


def test_real_inputs_of_complex_functions_get_real_cotangents():
    assert np.real(pull(np.imag, ("val",), 1.0, 2.0)[0]) == 0
    assert np.real(pull(np.real, ("val",), 1.0, 2.0)[0]) == 1
