"""Elementwise rules written out give what the general way gives, and step aside for all else."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad.rules.registry import QUICK
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull

NUMBERS = [2.0, -1.5, 0.0, -0.0, 3, 0, np.float64(0.7), math.inf, math.nan, 1e308]
VECTOR = np.array([1.0, -2.0, 0.5])
ARRAYS = [
    VECTOR,
    VECTOR[::-1],
    np.ones((2, 3)),
    np.array([[2.0], [3.0]]),
    np.zeros((0, 3)),
    np.array(1.5),
    VECTOR.astype(np.float32),
    np.arange(3),
    VECTOR + 1j,
]
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, np.hypot]


def through(fn, operands, y_bar):
    """Value and all cotangents, by value and from the shadows."""
    try:
        y, record = call(Versions(), fn, *operands)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        return type(error), str(error)
    shadows = Shadows()
    if isinstance(y, np.ndarray):
        shadows.add(y, np.broadcast_to(y_bar, y.shape).astype(y.dtype))
        y_bar = None
    with np.errstate(all="ignore"):
        parts = pull(shadows, record, y_bar, len(operands))
        found = [shadows.read(x) if isinstance(x, np.ndarray) else None for x in operands]
    return y, [*parts], found


def same(a, b):
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    return type(a) is type(b) and (a == b or (a != a and b != b))


def assert_as_in_general(monkeypatch, fn, operands, y_bar):
    with np.errstate(all="ignore"):
        call(Versions(), fn, *([2.0] * len(operands)))
        count, quick = QUICK[id(fn)]
        assert count == len(operands)
        short = through(fn, operands, y_bar)
        monkeypatch.setitem(QUICK, id(fn), (-1, quick))
        general = through(fn, operands, y_bar)
        monkeypatch.undo()
    assert same(short, general), (fn, operands, short, general)


def seeds(*operands):
    """At poles the formulas for Python numbers may differ from those for NumPy's."""
    plain = all(type(x) in (float, int) for x in operands)
    return (1.0, 0.3, 0.0, 2) if plain else (np.float64(0.3), 1.0, 0.0)


@pytest.mark.parametrize("fn", BINARY, ids=lambda fn: fn.__name__)
def test_two_numbers(fn, monkeypatch):
    for a in NUMBERS:
        for b in NUMBERS:
            for y_bar in seeds(a, b):
                assert_as_in_general(monkeypatch, fn, (a, b), y_bar)


@pytest.mark.parametrize("fn", [np.sin, np.exp, math.sin, np.sqrt, operator.neg, abs, math.exp])
def test_one_number(fn, monkeypatch):
    for a in NUMBERS:
        for y_bar in seeds(a):
            assert_as_in_general(monkeypatch, fn, (a,), y_bar)


@pytest.mark.parametrize("fn", BINARY, ids=lambda fn: fn.__name__)
def test_arrays_and_numbers(fn, monkeypatch):
    for a in [*ARRAYS, 2.0, np.float64(0.5), 3]:
        for b in [*ARRAYS, 2.0]:
            complex_hypot = fn is np.hypot and any(np.iscomplexobj(x) for x in (a, b))
            if not complex_hypot:
                assert_as_in_general(monkeypatch, fn, (a, b), 0.5)


def test_one_array_twice(monkeypatch):
    for fn in BINARY:
        assert_as_in_general(monkeypatch, fn, (VECTOR, VECTOR), 1.0)


def test_what_was_read_is_kept_when_it_is_written_later():
    versions, shadows, a = Versions(), Shadows(), np.array([2.0, 3.0])
    for _ in range(2):
        y, record = call(versions, operator.mul, a, a)
    versions.writing(a)
    a[:] = 0.0
    shadows.add(y, np.ones(2))
    pull(shadows, record, None, 2)
    assert shadows.read(a).tolist() == [4.0, 6.0]


def test_in_place_on_an_array_writes_it():
    a = np.ones(2)
    call(Versions(), operator.add, 1.0, 2.0)
    assert call(Versions(), operator.iadd, 1.0, 2.0)[0] == 3.0
    assert call(Versions(), operator.iadd, a, 2.0)[0] is a
    assert a.tolist() == [3.0, 3.0]


def test_other_numbers_are_left_to_the_general_way():
    call(Versions(), operator.mul, 1.0, 2.0)
    y, record = call(Versions(), operator.mul, Fraction(1, 2), Fraction(3))
    assert y == Fraction(3, 2)
    assert pull(Shadows(), record, Fraction(1), 2) == [Fraction(3), Fraction(1, 2)]


def test_a_rule_declared_later_counts():
    held = {"f": math.cosh}

    def f(x):
        return held["f"](x) * 1.0

    assert astad.gradient(f, 0.5) == (math.sinh(0.5),)
    call(Versions(), math.cosh, 0.5)
    try:
        astad.adjoint(math.cosh)(lambda x: (math.cosh(x), lambda y_bar: (7.0 * y_bar,)))
        assert astad.gradient(f, 0.5) == (7.0,)
    finally:
        from astad.rules.in_force import CUSTOM
        from astad.runtime.core.variants import forget_all

        del CUSTOM[id(math.cosh)]
        forget_all()
