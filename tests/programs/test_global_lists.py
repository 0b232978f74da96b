"""Lists and tuples of numbers among the globals: tables, weights, pairs of places."""

import numpy as np
import pytest

from astad import gradient, settings
from astad.runtime.core.variants import forget_all
from astad.testing import check_gradient
from tests.compiler.forms import check_forms, only_generic

WEIGHTS = [0.5, 0.2, 0.3]
EDGES = [(0, 1), (1, 2), (0, 1)]
TABLE = ((1.0, 0.5), (2.0, -0.3))
SIZE = (3, 2)
OTHER = WEIGHTS


def weighted(x):
    s = WEIGHTS[1] * x
    for w in WEIGHTS:
        s += w * x * x
    return s


def coefficients(x):
    return WEIGHTS[0] + x * (WEIGHTS[1] + x * WEIGHTS[2])


def along(xs):
    return sum((xs[i] - 2.0 * xs[j]) ** 2 for i, j in EDGES)


def tabled(x):
    s = 0.0
    for a, b in TABLE:
        s += a * x**2 + b
    return s * TABLE[1][0] * len(EDGES)


def shaped(x):
    return np.sum(np.ones(SIZE) * x) * SIZE[0]


def beside_itself(xs):
    return sum(x * w for x, w in zip(xs, WEIGHTS))


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (weighted, (0.7,)),
        (coefficients, (0.7,)),
        (along, ([0.3, 0.7, -0.2],)),
        (tabled, (0.7,)),
        (beside_itself, ([0.3, 0.7, -0.2],)),
        (beside_itself, (WEIGHTS,)),
    ],
)
def test_written_out(fn, args):
    check_forms(fn, *args, fused=True)


def test_a_shape():
    check_forms(shaped, 0.7)


def written(x):
    WEIGHTS[0] = x * 2.0
    s = WEIGHTS[0] * x
    WEIGHTS[0] = 0.5
    return s


def written_by_another_name(x):
    ws = WEIGHTS
    ws[1] = x * 2.0
    s = OTHER[1] * WEIGHTS[1]
    ws[1] = 0.2
    return s


def grown(x):
    WEIGHTS.append(x * x)
    s = WEIGHTS[-1] * OTHER[-1]
    WEIGHTS.pop()
    return s


def grown_in_a_loop(x):
    s = 0.0
    for w in WEIGHTS:
        if len(WEIGHTS) < 6:
            WEIGHTS.append(w * x)
        s += w
    del WEIGHTS[3:]
    return s


def put_into(xs):
    rows = [WEIGHTS, xs]
    rows[0][0] = xs[1] * 2.0
    s = WEIGHTS[0] * rows[0][0]
    WEIGHTS[0] = 0.5
    return s


def helper(x):
    WEIGHTS[2] = x * 3.0
    return x


def written_by_a_callee(x):
    s = helper(x) * WEIGHTS[2]
    WEIGHTS[2] = 0.3
    return s


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (written, (0.7,)),
        (written_by_another_name, (0.7,)),
        (grown, (0.7,)),
        (grown_in_a_loop, (0.7,)),
        (put_into, ([0.3, 0.7],)),
        (written_by_a_callee, (0.7,)),
    ],
)
def test_written_ones_are_variables(fn, args):
    try:
        check_gradient(fn, *args)
        found = gradient(fn, *args)
        with only_generic():
            assert repr(found) == repr(gradient(fn, *args))
    finally:
        WEIGHTS[:] = [0.5, 0.2, 0.3]


def of_pairs(xs):
    return sum(xs[i] * xs[j] for i, j in OTHERS)


OTHERS = [(0, 1), (1, 2)]


@pytest.mark.parametrize("odd", [[(0, np.int64(1))], [], [(True, 1)]])
def test_what_was_there_before_leaves_nothing_on_disk(odd, monkeypatch, tmp_path):
    """The text for pairs of ints is another than the one for what is none."""
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path))
    for pairs in (odd, OTHERS):
        monkeypatch.setitem(globals(), "OTHERS", pairs)
        forget_all()
        gradient(of_pairs, [0.3, 0.7, -0.2])
    check_forms(of_pairs, [0.3, 0.7, -0.2], fused=True)


def test_another_list_from_now_on(monkeypatch):
    xs = [0.3, 0.7, -0.2]
    for pairs in (EDGES, [(2, 2)], [[0, 1]], [(0, np.int64(1))], [], [(True, 1)], EDGES):
        monkeypatch.setitem(globals(), "EDGES", pairs)
        found = gradient(along, xs)
        with only_generic():
            assert repr(found) == repr(gradient(along, xs))
    monkeypatch.setitem(globals(), "EDGES", [(0, 1, 2)])
    with pytest.raises(ValueError, match="unpack"):
        gradient(along, xs)
    monkeypatch.setitem(globals(), "EDGES", None)
    with pytest.raises(TypeError, match="iterable"):
        gradient(along, xs)
