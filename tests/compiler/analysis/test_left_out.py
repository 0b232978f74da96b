"""Only where entries may be left out is a cotangent of exactly 0 looked for."""

import math

import numpy as np
import pytest

import astad
from astad.api.inspection.showing import Request, show_source

LATER = np.array([2.0, 3.0])


def cell(x, w):
    h = np.zeros(2)
    for k in range(3):
        z = h @ w + x[k]
        h = np.tanh(z) * np.exp(-z)
    return np.sum(h * h)


def tail(x, w):
    y = x * np.log(x)
    return np.sum(y[1:] * w)


def scaled(x, w):
    y = w * np.log(x)
    return np.sum(y[1:])


def whole(x, w):
    y = x * np.log(x)
    return np.sum(y.reshape(-1, 1) * w) + np.max(y)


def later(x, w):
    y = x[1:] * w
    return np.sum(y * np.exp(y))


@pytest.mark.parametrize(
    "fn, ranks, looks",
    [(cell, (2, 2), False), (tail, (1, 1), True), (whole, (1, 2), False), (later, (1, 1), False)],
)
def test_products_above_a_slice_are_looked_at(fn, ranks, looks):
    kinds = tuple(f"ndarray{rank}" for rank in ranks)
    text = show_source(Request(fn, kinds, fused=True))
    assert "_gradient(" in text
    assert ("alive(" in text) == looks


def test_a_sum_over_what_is_left_out_is_looked_at_as_a_number():
    text = show_source(Request(scaled, ("ndarray1", "float"), fused=True))
    assert "alive_sum(" in text and "alive(" not in text
    with np.errstate(all="ignore"):
        x_bar, w_bar = astad.gradient(scaled, np.array([-1.0, 2.0, 3.0]), 2.0)
        assert math.isnan(astad.gradient(scaled, np.array([1.0, -2.0, 3.0]), 2.0)[1])
    assert w_bar == pytest.approx(np.log(6.0), rel=1e-14)
    np.testing.assert_allclose(x_bar, [0.0, 1.0, 2.0 / 3.0])


def one_column(x, w):
    y = x * np.log(x)
    return np.sum(np.linalg.solve(w + 1.0, y)[:, 0])


def test_zeros_go_on_through_what_does_not_mix_all_entries():
    x = np.array([[1.0, 0.0], [2.0, 3.0]])
    w = np.array([[1.0, 0.0], [0.0, 2.0]])
    with np.errstate(all="ignore"):
        x_bar = astad.gradient(one_column, x, w)[0]
    assert x_bar[0, 1] == 0.0
    assert x_bar[0, 0] == pytest.approx(0.4, rel=1e-12)
