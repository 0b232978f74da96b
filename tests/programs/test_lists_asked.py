"""What a list is asked as a whole: its largest item, its exact sum, where a number would stand."""

import bisect
import math

import numpy as np
import pytest

from astad import gradient, pullback
from tests.compiler.forms import check_forms, only_generic

FUSED = [
    (lambda xs: max(xs) * min(xs), ([0.3, 1.7, -0.4],)),
    (lambda xs: max(xs) + xs[0], ([2.0, 1.0],)),
    (lambda xs, t: max([x * t for x in xs]) + t, ([0.3, 1.7, -0.4], 0.9)),
    (lambda xs: max(max(xs), min(xs) * 2.0), ([0.3, 1.7],)),
    (lambda xs: math.fsum(xs) * math.fsum([x * x for x in xs]), ([0.3, 1.7, -0.4],)),
    (lambda xs, x: xs[bisect.bisect(xs, x)] * x, ([0.1, 0.6, 0.9], 0.7)),
    (lambda xs, x: xs[bisect.bisect_left(xs, x, 0, 2) - 1] * x, ([0.1, 0.6, 0.9], 0.7)),
]


def written_after(xs, t):
    """The places of the largest items are found before the list changes."""
    ys = [x * t for x in xs]
    first = max(ys)
    ys[1] = 5.0 * t
    ys.append(t * t)
    return first * max(ys)


def written_between_rounds(xs, t):
    ys = [0.0] * 4
    total = 0.0
    for i in range(4):
        ys[i] = math.sin(xs[i] * t + total)
        total = total + max(ys) * min(ys)
    return total


def grown(t, n):
    out = []
    for i in range(n):
        t = t * (1.9 - t)
        out.append(t)
        t = t + 0.1 * max(out)
    return max(out) - min(out)


def in_bins(xs, ws, edges):
    acc = [0.0] * (len(edges) + 1)
    for x, w in zip(xs, ws, strict=True):
        acc[bisect.bisect(edges, x)] += w * x
    return sum(a * a for a in acc)


FUSED += [
    (written_after, ([0.3, 1.7, -0.4], 0.8)),
    (written_between_rounds, ([0.3, 1.7, -0.4, 2.0], 0.8)),
    (grown, (0.3, 7)),
    (in_bins, ([0.1, 0.5, 0.8, 0.2], [1.0, 2.0, 0.5, 0.3], [0.15, 0.45])),
]


@pytest.mark.parametrize(("fn", "args"), FUSED)
def test_written_out(fn, args):
    check_forms(fn, *args, fused=True)


@pytest.mark.parametrize(
    "xs", [[2.0, 1.0, 2.0], [1.0, 1.0, 1.0], [math.nan, 1.0], [1.0, math.nan, 3.0], [0.0, -0.0]]
)
def test_equal_items_and_nan(xs):
    for fn in (lambda xs: max(xs) * 3.0, lambda xs: min([x for x in xs]) * 3.0):
        found = pullback(fn, xs)[1](1.0)
        with only_generic():
            assert repr(found) == repr(pullback(fn, xs)[1](1.0))


def test_of_no_items():
    with pytest.raises(ValueError, match="empty"):
        gradient(lambda xs: max(xs), [])
    with pytest.raises(ValueError, match="empty"):
        gradient(lambda x, n: max([x * i for i in range(n)]), 1.0, 0)


def test_the_list_may_change_before_the_pullback_runs():
    xs = [1.0, 3.0, 2.0]
    _, back = pullback(lambda xs: max(xs), xs)
    xs[2] = 7.0
    assert back(1.0) == ([0.0, 1.0, 0.0],)


def test_rounds_of_a_loop_that_is_written_out_know_their_functions():
    def mixture(p, xs):
        total = 0.0
        for x in xs:
            t = 0.0
            for w, mu, s in zip(p["w"], p["mu"], p["s"], strict=True):
                t += w * math.exp(-0.5 * ((x - mu) / s) ** 2) / s
            total += math.log(t)
        return total

    p = {"w": [0.2, 0.3, 0.5], "mu": [0.0, 0.5, 1.0], "s": [0.3, 0.4, 0.5]}
    check_forms(mixture, p, np.array([0.1, 0.7, 1.3]).tolist(), fused=True)


def test_lists_of_different_lengths_walked_strictly():
    def f(xs, ys):
        return sum([x * y for x, y in zip(xs, ys, strict=True)])

    check_forms(f, [1.5, 2.0, 0.3], [0.7, -1.0, 0.4], fused=True)
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter than argument 1"):
        gradient(f, [1.5, 2.0, 0.3], [0.7, -1.0])
