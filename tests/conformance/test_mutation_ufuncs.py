"""``out=`` and ``where=`` of universal functions and others, ``ufunc.at``, shuffles, fields."""

import random

import numpy as np
import pytest

from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()


def vector(n=5):
    return np.array([1.3, 0.4, 2.2, 0.7, 1.6, 0.9, 3.1])[:n]


def matrix(n=3, m=4):
    return np.cos(np.arange(1.0, n * m + 1)).reshape(n, m) + 2.0


@PROGRAMS.at(vector())
def out_of_a_fresh_buffer(a):
    buffer = np.empty(5)
    y = np.sin(a, out=buffer)
    z = np.sum(y * a)
    np.exp(a, out=buffer)
    return z + np.sum(buffer * y)


@PROGRAMS.at(vector())
def out_onto_the_input(a):
    np.multiply(a, a, out=a)
    np.sqrt(a, a)
    np.exp(a, out=(a,))
    np.negative(a, out=a)
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector())
def out_to_overlapping_views_of_the_input(a):
    np.add(a[:-1], a[1:], out=a[1:])
    np.multiply(a[::-1], 2.0, out=a)
    np.subtract(a[1:], a[0], out=a[:-1])
    np.divide(a, a[-1], out=a)
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(matrix())
def out_to_a_transposed_and_a_broadcast_place(a):
    b = np.zeros((4, 3))
    np.add(a, 1.0, out=b.T)
    np.multiply(a[0], 2.0, out=a)
    np.add(b, b[0], out=b)
    return np.sum(a * b.T)


@PROGRAMS.at(vector(), vector()[::-1].copy())
def where_with_out_keeps_the_rest(a, b):
    c = a * 2
    mask = a > 1
    np.divide(a, b, out=c, where=mask)
    np.log(c, out=c, where=~mask)
    np.add(c, a, out=c, where=[True, True, False, False, True])
    np.power(a, 3, where=mask, out=b)
    return np.sum(c * b)


@PROGRAMS.at(vector(), 2.0)
def where_broadcast_against_a_matrix(a, v):
    m = np.outer(a, a)
    np.multiply(m, v, out=m, where=a > 1)
    np.maximum(m, a[:, None], out=m, where=np.array([[True], [False], [True], [False], [True]]))
    return np.sum(m * m)


@PROGRAMS.at(vector())
def where_that_changes_afterwards(a):
    mask = a > 1
    np.multiply(a, a, out=a, where=mask)
    mask[:] = ~mask
    np.sqrt(a, out=a, where=mask)
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(matrix())
def reductions_with_out(a):
    s, m = np.empty(4), np.empty(3)
    np.sum(a, axis=0, out=s)
    a.max(axis=1, out=m)
    np.mean(a, 1, out=a[:, 0])
    np.prod(a, axis=0, out=a[0])
    np.cumsum(s, out=s)
    return np.sum(s * s) + np.sum(m * a[:, 0]) + a[0, 2]


@PROGRAMS.at(matrix())
def products_with_out(a):
    c = np.empty((3, 3))
    np.dot(a, a.T.copy(), out=c)
    d = np.matmul(c, c)
    np.matmul(c, d, out=d)
    np.einsum("ij,kj->ik", a, a, out=c)
    return np.sum(d) / 1e3 + np.sum(c * c)


@PROGRAMS.at(vector())
def clipped_and_rounded_with_out(a):
    np.clip(a, 0.5, 2.0, out=a)
    b = a * 3.3
    b.clip(1.0, 4.0, out=b)
    np.floor(a, out=a)
    c = np.empty(5)
    np.take(b, [4, 0, 1, 1, 2], out=c)
    return np.sum(b * c) + np.sum(a)


@PROGRAMS.at(vector())
def two_results_with_out(a):
    fraction, whole = np.empty(5), np.empty(5)
    fraction, whole = np.modf(a * 3)
    m, e = np.frexp(a)
    q, r = np.divmod(a, 0.3)
    return np.sum(fraction * whole) + np.sum(m * e) + np.sum(q * r)


@PROGRAMS.at(vector())
def two_results_into_buffers(a):
    fraction, whole = np.empty(5), np.empty(5)
    np.modf(a * 3.1, fraction, whole)
    a += fraction
    np.divmod(a, 0.37, out=(whole, fraction))
    return np.sum(fraction * whole) + np.sum(a * fraction)


@PROGRAMS.at(vector(), vector(3))
def added_at_repeated_places(a, b):
    i = np.array([0, 2, 0])
    np.add.at(a, i, b)
    np.subtract.at(a, [1, 1, 4], b[0] * b)
    np.add.at(a, 3, b[1])
    i[:] = 1
    return np.sum(a * a)


@PROGRAMS.at(matrix(), vector(3))
def added_at_rows_pairs_and_masks(a, b):
    np.add.at(a, (np.array([0, 1, 0]), np.array([2, 2, 2])), b)
    np.add.at(a, [0, 0], a[1])
    np.add.at(a, (slice(None), [1, 1]), b[:, None])
    np.add.at(a, a > 3, b[0])
    np.add.at(a[:, 1:], ([0, 0], [0, 0]), b[:2])
    return np.sum(a * a)


@PROGRAMS.at(vector(), vector(3))
def multiplied_and_divided_at(a, b):
    np.multiply.at(a, [0, 2, 0], b)
    np.divide.at(a, [1, 3, 1], b)
    np.multiply.at(a, [4], 2.0)
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector(), vector(3))
def extremes_at(a, b):
    np.maximum.at(a, [1, 1, 3], b)
    np.minimum.at(a, [2, 0, 2], b * 0.9)
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector())
def functions_of_one_operand_at(a):
    np.negative.at(a, [0, 1])
    np.exp.at(a, [2])
    np.square.at(a, [3, 3])
    np.sin.at(a, [0, 4])
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector(), 1.5)
def powers_at(a, v):
    np.power.at(a, [0, 2], v)
    np.hypot.at(a, [1, 3], [v, 2.0])
    np.arctan2.at(a, [4], v)
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector(7))
def histogram_of_weights(a):
    bins = np.zeros(3)
    np.add.at(bins, np.array([0, 1, 2, 0, 1, 2, 0]), a**2)
    sizes = np.zeros(3, int)
    np.add.at(sizes, [0, 1, 2, 0, 1, 2, 0], 1)
    return np.sum(bins**2 / sizes)


@PROGRAMS.at(vector())
def shuffled_with_a_seed(a):
    rng = np.random.default_rng(3)
    rng.shuffle(a)
    m = np.outer(a, a)
    rng.shuffle(m)
    rng.shuffle(m, axis=1)
    return np.sum(a * np.arange(5.0)) + np.sum(m * np.arange(25.0).reshape(5, 5))


@PROGRAMS.at(vector())
def shuffled_by_the_old_generator(a):
    state = np.random.RandomState(5)
    state.shuffle(a)
    np.random.seed(7)
    np.random.shuffle(a[1:])
    return np.sum(a * np.arange(5.0) ** 2)


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0])
def lists_shuffled_with_a_seed(xs):
    rng = random.Random(3)
    rng.shuffle(xs)
    other = xs[:2]
    np.random.default_rng(1).shuffle(xs)
    return sum(k * x for k, x in enumerate(xs)) + other[0] * other[1]


@PROGRAMS.at(vector())
def order_shuffled_and_values_visited(a):
    rng = np.random.default_rng(0)
    order = np.arange(5)
    y = 0.0
    for _ in range(2):
        rng.shuffle(order)
        for i in order:
            y = 0.5 * y + a[i] * a[0]
    return y


@PROGRAMS.at(vector())
def drawn_into_a_buffer(a):
    rng = np.random.default_rng(2)
    noise = np.empty(5)
    rng.standard_normal(out=noise)
    y = np.sum(a * noise)
    rng.random(out=noise)
    return y + np.sum(a**2 * noise)


@PROGRAMS.at(vector())
def ufunc_results_by_position_and_by_dtype(a):
    b = np.empty(5)
    np.multiply(a, 2.0, b, casting="same_kind")
    c = np.add(a, b, None)
    d = np.add(a, 1, dtype=np.float64)
    return float(np.sum(c * d)) + float(b[0])


@PROGRAMS.at(vector())
def accumulated_and_reduced_into_places(a):
    np.add.accumulate(a, out=a)
    b = np.empty(5)
    np.multiply.accumulate(a, out=b)
    s = np.array(0.0)
    np.add.reduce(b, out=s)
    return s[()] + np.sum(a)


@PROGRAMS.at(vector())
def put_on_diagonal_by_strides_and_by_fancy(a):
    m = np.zeros((5, 5))
    m.flat[::6] = a
    m[np.arange(4), np.arange(1, 5)] = a[1:] * a[:-1]
    m[np.tril_indices(5, -1)] = a[0]
    m[np.diag_indices(5)] *= 2
    return np.sum(m @ m)


@PROGRAMS.at(vector())
def concatenated_into_a_place(a):
    out = np.empty(10)
    np.concatenate([a, a * a], out=out)
    two = np.empty((2, 5))
    np.stack([a, a + 1], out=two)
    two[0] *= out[5:]
    return np.sum(two * two[::-1]) + out[7]


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)
