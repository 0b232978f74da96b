"""Sums of products of vectors, gathered into one product after the loop."""

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

W, U = np.arange(9.0).reshape(3, 3) / 10 - 0.4, np.arange(1.0, 10.0).reshape(3, 3) / 12
X = np.arange(12.0).reshape(4, 3) / 9 - 0.5


def recurrent(w, u, x):
    h = np.zeros(3)
    total = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ u + w @ h)
        total = total + np.sum(h * h)
    return total


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    return compile_function(fn, parsed, (True,) * len(kinds), fused=True).text.source


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_one_product_after_the_loop(steps, forms_agree):
    forms_agree(recurrent, W, U, X[:steps].copy(), fused=True)
    text = source(recurrent, "ndarray2", "ndarray2", "ndarray2")
    assert text.count("w_bar += np.array(rows_1).T @ np.array(rows_2)") == 1
    assert text.count("multiply.outer") == 0


def in_slices(w, x):
    h = x[0] * 1.0
    total = 0.0
    for t in range(x.shape[0]):
        z = h @ w
        h = np.concatenate([z[1:], z[:1] * 2.0]) + x[t]
        total = total + np.sum(z[:2] ** 2) + np.sum(h * x[t])
    return total


def twice(w, x):
    total = 0.0
    for t in range(x.shape[0]):
        y = w @ x[t]
        total = total + np.sum(y * (w @ y))
    return total


def read_otherwise(w, x):
    total = 0.0
    for t in range(x.shape[0]):
        total = total + np.sum((w @ x[t]) ** 2) + np.sum(w * w)
    return total


def nested(w, x):
    total = 0.0
    for s in range(2):
        h = x[s]
        for t in range(x.shape[0]):
            h = np.sin(w @ h) + x[t]
        total = total + np.sum(h)
    return total


def sometimes(w, x):
    total = 0.0
    for t in range(x.shape[0]):
        if t != 1:
            total = total + np.sum(w @ x[t])
        else:
            total = total * 2.0
    return total


def rewritten(w, x):
    h = np.zeros(3)
    for t in range(x.shape[0]):
        h += w @ (h + x[t])
        h[0] = 0.5
    return np.sum(h * h)


def put_into_rows(w, x):
    out = np.zeros((x.shape[0] + 1, 3))
    out[0] = x[0]
    for t in range(x.shape[0]):
        out[t + 1] = w @ out[t] + w @ x[t]
    return np.sum(out * out * 0.1)


def one_buffer(w, x):
    z = np.zeros(3)
    total = 0.0
    for t in range(x.shape[0]):
        z[:] = w @ x[t]
        z[1:] = z[1:] * z[:-1]
        total = total + np.sum(np.sin(z))
    return total


def gates(w, x):
    """Cotangents of slices of a product, put together in one array before it is gathered."""
    h, total = np.zeros(2), 0.0
    for t in range(x.shape[0]):
        z = x[t] @ w + 0.1
        h = np.tanh(z[:2]) * h + z[1:]
        total = total + np.sum(h * h)
    return total


def relaxed(w, x):
    """The cotangent of h goes on in new arrays only."""
    h = np.zeros(3)
    for t in range(x.shape[0]):
        h += w @ h + x[t]
    return np.sum(h * h)


def with_a_fixed_end(w, x):
    """The cotangent of the product is that of h, which the next iteration writes."""
    h = np.ones(3)
    for t in range(x.shape[0]):
        h += w @ x[t]
        h[t % 3] = 0.5
    return np.sum(h * h)


OTHERS = [
    in_slices, twice, read_otherwise, nested, sometimes, rewritten, put_into_rows, one_buffer,
    gates, relaxed, with_a_fixed_end,
]  # fmt: skip


@pytest.mark.parametrize("fn", [gates, relaxed])
def test_a_cotangent_that_is_made_anew_and_left_alone_is_not_copied(fn):
    assert "rows_1.append(" in (text := source(fn, "ndarray2", "ndarray2"))
    assert ".copy())" not in text


@pytest.mark.parametrize("fn", OTHERS)
def test_other_loops(fn, forms_agree):
    forms_agree(fn, W, X)


def weighted(w, x):
    """A vector times a matrix, elementwise, is no product of vectors."""
    total = 0.0
    for t in range(x.shape[0]):
        total = total + np.sum(np.sum(w * w, axis=1) * x[t])
    return total


def test_elementwise_products_of_a_row_stay(forms_agree):
    forms_agree(weighted, W, X)
