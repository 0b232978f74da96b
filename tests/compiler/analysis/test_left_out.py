"""Only where entries may be left out is a cotangent of exactly 0 looked for."""

import numpy as np
import pytest

from astad.api.showing import Request, show_source

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
