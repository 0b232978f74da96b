"""NumPy's number types called as functions."""

import numpy as np
import pytest

from astad import gradient
from astad.rules import lookup


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.longdouble, np.complex64])
def test_conversion_passes_the_cotangent(kind):
    assert lookup(kind).pull(("x",))(2.0, kind(1.5), 1.5) == (2.0,)


def test_conversion_to_integers_stops_it_unless_they_were_integers():
    pull = lookup(np.int64).pull(("x",))
    assert pull(2.0, np.int64(1), 1.5) == (0,)
    assert pull(2.0, np.int64(3), 3) == (2,)
    assert pull(np.ones(2), np.array([1, 2]), np.array([1, 2]))[0].tolist() == [1, 1]


def test_bool_has_no_slope():
    assert lookup(np.bool_).form == "zero"


def mixed(n, x):
    return (np.int64([n, 2, x]) * x).sum()


def nested(rows):
    return np.int32(rows).sum() * rows[0][1]


def of_a_tuple(x):
    counts = np.int64((x, 2.5 * x, 3.0))
    return (counts[:-1] / x).sum()


def kept(taus, rate):
    steps = np.int64(taus)
    steps = steps[:-1][np.array([True, False])]
    return (steps / float(rate)).sum()


class Histogram:
    def __init__(self, edges):
        self.edges = np.int16(edges)

    def width(self, x):
        return (self.edges[1:] - self.edges[:-1]).sum() * x


def of_an_object(edges, x):
    return Histogram(edges).width(x)


def by_rows(rows, x):
    return sum((np.uint8(row) * x).sum() for row in rows)


@pytest.mark.parametrize(
    ("f", "args", "wanted"),
    [
        (mixed, (3, 1.25), (1.25, 6.0)),
        (nested, ([[1.5, 2.5], [3.5, 4.25]],), ([[0.0, 10.0], [0.0, 0.0]],)),
        (of_a_tuple, (2.0,), (-1.75,)),
        (kept, ([1.5, 2.5, 3.5], 2.0), ([0.0, 0.0, 0.0], -0.25)),
        (of_an_object, ((1.2, 3.7, 8.1), 2.0), ((0.0, 0.0, 0.0), 7.0)),
        (by_rows, ([[1.5, 2.5], [3, 4.5]], 2.0), ([[0.0, 0.0], [2.0, 0.0]], 10.0)),
    ],
)
def test_lists_become_integers(f, args, wanted):
    assert gradient(f, *args) == wanted
