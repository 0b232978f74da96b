"""What is added up as it is drawn: arrays and lists that change from one item to the next."""

import math
from functools import reduce

import numpy as np
import pytest

from tests.compiler.forms import check_forms

VECTOR = np.array([1.3, 0.7, -0.4, 2.1])
MATRIX = np.arange(12.0).reshape(3, 4) / 7 + 0.3


def state_written_in_place(x):
    s = x.copy()

    def step():
        s[:] = s * x
        return s

    return np.sum(sum(step() for _ in range(3)))


def one_buffer(x, W):
    buf = np.zeros(4)
    return np.sum(sum(np.multiply(w, x, out=buf) for w in W))


def state_of_a_generator(x):
    s = x * 1.0

    def it():
        for k in range(3):
            s[k] *= 2.0
            yield s

    return np.sum(sum(it()))


def list_of_one_array(x):
    s = x * 1.0
    return np.sum(sum([s.__imul__(2.0) for k in range(3)]))


def largest(x):
    s = x * 1.0
    return float(max((s.__imul__(1.5)[0] for k in range(3))))


def one_list(x):
    l = [x[0]]

    def g():
        for k in range(3):
            l[0] = l[0] * x[1]
            yield l

    return sum(sum(g(), []))


def rows_of_one_array(x):
    s = x * 1.0

    def step(k):
        s[k] = s[k - 1] * 2
        return s

    return float(np.sum(np.sum(np.array([step(k) for k in range(3)]), axis=0)))


def smallest_list(x):
    s = [x[0], x[1]]

    def step(k):
        s[k % 2] = s[0] * s[1]
        return s

    a = min(step(k) for k in range(3))
    return a[0] + s[1]


def largest_tuple(x):
    s = [x[0], x[1]]

    def step(k):
        s[k % 2] = s[0] * s[1]
        return tuple(s)

    a = max(step(k) for k in range(3))
    return a[0] + s[1]


def added_by_a_loop(x):
    s = x * 1.0

    def step():
        s[0] *= 2
        return s

    r = 0
    for v in (step() for _ in range(3)):
        r = r + v
    return np.sum(r)


def lengths(x):
    s = [x[0]]

    def step():
        s.append(s[-1] * x[1])
        return s

    return sum(map(len, (step() for _ in range(3)))) * s[-1]


def reduced(x):
    s = [x]

    def step():
        s[0] *= 2
        return s

    return reduce(lambda a, b: a + b[0], (step() for _ in range(3)), 0.0)


def rounded_once(x):
    s = [x]

    def step():
        s[0] *= 2
        return s

    return math.fsum(v[0] for v in (step() for _ in range(3)))


def sorted_items(x):
    s = x * 1.0

    def step():
        s[0] *= 2
        return s

    return float(sorted((step()[0] - k * 20 for k in range(3)))[0])


def list_of_one_buffer(x, W):
    buf = np.zeros(4)
    return np.sum(sum([np.multiply(w, x, out=buf) for w in W]))


def rows_times_a_vector(x, W):
    return np.sum(sum(w * x for w in W) * x)


def with_a_start(x, W):
    return np.sum(sum((w * x for w in W), x) * x)


def numbers(x):
    return sum(v * v for v in x) + sum((v for v in x), x[0])


def product(x, W):
    return math.prod(v * 2.0 for v in x) + math.fsum(v for v in W[0])


def sums_of_rows(W):
    return sum(sum(r) for r in W) + sum(W)[1]


def rows_themselves(W):
    return np.sum(sum(w for w in W) * W[0])


def mapped(x):
    return np.sum(sum(map(np.sin, [x, x * 2]))) + sum(filter(None, [x[0], 0.0, x[1]]))


def half_drawn(x):
    it = iter([x[0], x[1], x[2]])
    a = sum(v for v in it if v > 0)
    return a * sum(zip_ for zip_ in (x[0], x[1]))


def lists(x):
    return sum([[x[0]], [x[1], x[2]]], [x[3]])[2] * sum((v,)[0] for v in x)


def complex_numbers(x):
    return sum(complex(v, 1.0) for v in x).real * sum((v * 1j for v in x)).imag


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (state_written_in_place, (VECTOR,)),
        (
            one_buffer,
            (
                VECTOR,
                MATRIX,
            ),
        ),
        (state_of_a_generator, (VECTOR,)),
        (list_of_one_array, (VECTOR,)),
        (largest, (VECTOR,)),
        (one_list, (VECTOR,)),
        (rows_of_one_array, (VECTOR,)),
        (smallest_list, (VECTOR,)),
        (largest_tuple, (VECTOR,)),
        (added_by_a_loop, (VECTOR,)),
        (lengths, (VECTOR,)),
        (reduced, (1.3,)),
        (rounded_once, (1.3,)),
        (sorted_items, (VECTOR,)),
        (
            list_of_one_buffer,
            (
                VECTOR,
                MATRIX,
            ),
        ),
        (
            rows_times_a_vector,
            (
                VECTOR,
                MATRIX,
            ),
        ),
        (
            with_a_start,
            (
                VECTOR,
                MATRIX,
            ),
        ),
        (numbers, (VECTOR,)),
        (
            product,
            (
                VECTOR,
                MATRIX,
            ),
        ),
        (sums_of_rows, (MATRIX,)),
        (rows_themselves, (MATRIX,)),
        (mapped, (VECTOR,)),
        (half_drawn, (VECTOR,)),
        (lists, (VECTOR,)),
        (complex_numbers, (VECTOR,)),
    ],
)
def test_right(fn, args):
    check_forms(fn, *args)
