"""Structures of derivatives: what lies in dicts with keys of any kind."""

import datetime
import enum
from dataclasses import dataclass

import numpy as np
import pytest

import astad

Spin = enum.Enum("Spin", ["UP", "DOWN"])


class Tag(str, enum.Enum):
    A = "a"


@dataclass
class Model:
    rates: dict
    scale: float


PAIRS = {
    "strings": ("a", "b"),
    "tuples": (("N", "V"), ("V", "N")),
    "tuples of ints": ((0, 1), (1, 0)),
    "tuples in tuples": (("N", (1, -1)), ("N", (1, None))),
    "negative ints": (-1, -2),
    "bool and None": (True, None),
    "members": (Spin.UP, Spin.DOWN),
    "tuples of members": ((Spin.UP, 1), (Spin.DOWN, 1)),
    "members that are texts": (Tag.A, "b"),
    "braces": ("{0}", "{"),
}
OTHERS = {
    "floats": (0.5, 1e400),
    "dates": (datetime.date(2024, 1, 1), datetime.date(2025, 1, 1)),
    "sets": (frozenset({1}), frozenset({2})),
    "ints of NumPy": (np.int64(3), np.int64(4)),
}


@pytest.mark.parametrize("kind", [*PAIRS, *OTHERS])
def test_tangents_by_keys_of_any_kind(kind):
    a, b = {**PAIRS, **OTHERS}[kind]

    def f(T):
        return T[a] ** 3 * T[b]

    for x, y in ((2.0, 3.0), (1.5, 0.5), (2.0, 3.0)):
        found = astad.jvp(f, ({a: x, b: y},), ({a: 1.0, b: 10.0},))
        assert found == pytest.approx((x**3 * y, 3 * x**2 * y + 10 * x**3))
        assert astad.gradient(f, {a: x, b: y})[0] == pytest.approx({a: 3 * x**2 * y, b: x**3})
        assert astad.jacobian(f, {a: x, b: y}) == pytest.approx({a: 3 * x**2 * y, b: x**3})


@pytest.mark.parametrize("kind", PAIRS)
def test_second_derivatives_by_keys_of_any_kind(kind):
    a, b = PAIRS[kind]

    def f(T):
        return T[a] ** 3 * T[b]

    for x, y in ((2.0, 3.0), (1.5, 0.5)):
        mixed = pytest.approx(3 * x**2)
        expected = {a: {a: pytest.approx(6 * x * y), b: mixed}, b: {a: mixed, b: 0.0}}
        assert astad.hessian(f, {a: x, b: y}) == expected
        product = astad.hvp(f, {a: x, b: y}, {a: 1.0, b: 10.0})
        assert product == pytest.approx({a: 6 * x * y + 30 * x**2, b: 3 * x**2})
        of_one = astad.hessian(lambda T: astad.gradient(f, T)[0][a], {a: x, b: y})
        assert of_one == {a: {a: 6 * y, b: 6 * x}, b: {a: 6 * x, b: 0.0}}


@pytest.mark.parametrize("kind", PAIRS)
def test_derivatives_inside_by_keys_of_any_kind(kind):
    a, b = PAIRS[kind]

    def f(T):
        return T[a] ** 3 * T[b]

    def product(T):
        return astad.hvp(f, T, {a: 1.0, b: 1.0})[a]

    def tangent(T):
        return astad.jvp(f, (T,), ({a: 1.0, b: 1.0},))[1]

    def cotangent(T):
        return astad.pullback(f, T)[1](1.0)[0][a]

    for _ in range(3):
        x = {a: 2.0, b: 3.0}
        assert astad.gradient(product, x) == ({a: 30.0, b: 12.0},)
        assert astad.gradient(tangent, x) == ({a: 48.0, b: 12.0},)
        assert astad.gradient(cotangent, x) == ({a: 36.0, b: 12.0},)


def test_tuple_keys_in_what_holds_dicts():
    def f(model):
        total = 0.0
        for (i, j), layer in model.rates.items():
            total += model.scale * layer["w"][j] ** 2 * (i + 1) + layer.get("b", 0.0) ** 3
        return total

    layers = {(0, 1): {"w": [1.0, 2.0]}, (2, 0): {"w": [3.0, 4.0], "b": 5.0}}
    found = astad.hessian(f, Model(layers, 0.5)).rates[2, 0]["b"]
    assert found.rates[2, 0]["b"] == 30.0 and found.scale == 0.0
    tangent = astad.Tangent(
        rates={(0, 1): {"w": [0.0, 1.0]}, (2, 0): {"w": [0.0, 0.0], "b": 1.0}}, scale=1.0
    )
    _, dot = astad.jvp(f, (Model(layers, 0.5),), (tangent,))
    assert dot == pytest.approx(4.0 * 0.5 + 75.0 + 4.0 + 27.0)


def test_results_with_tuple_keys():
    def f(x):
        return {(i, j): x**i * (j + 1) for i in range(3) for j in (0, -1)}

    _, dot = astad.jvp(f, (2.0,), (1.0,))
    assert dot == {(0, 0): 0.0, (0, -1): 0.0, (1, 0): 1.0, (1, -1): 0.0, (2, 0): 4.0, (2, -1): 0.0}
    assert astad.jacobian(f, 2.0)[2, 0] == 4.0

    def through(x):
        return astad.jacobian(f, x)[2, 0] ** 2 + astad.jvp(f, (x,), (1.0,))[1][2, 0]

    assert astad.gradient(through, 2.0) == (18.0,)


def test_members_of_two_classes_of_one_name_are_refused():
    def made():
        return enum.Enum("Spin", ["UP"], module="spins")

    first, second = made(), made()
    with pytest.raises(astad.errors.Unsupported, match="what lies in a dict"):
        astad.jvp(len, ({first.UP: 1.0, second.UP: 2.0},), ({first.UP: 1.0, second.UP: 2.0},))


def test_a_tangent_under_other_keys_is_refused():
    def f(T):
        return T[0, 1] ** 2

    with pytest.raises(astad.errors.WrongCall):
        astad.jvp(f, ({(0, 1): 2.0},), ({(1, 0): 1.0},))
    with pytest.raises(astad.errors.WrongCall, match=r"\(0, 1\)"):
        astad.jvp(f, ({(0, 1): 2.0},), ({(0, 1): "x"},))


def test_keys_that_are_equal_and_of_other_types():
    def f(T):
        total = 0.0
        for key, value in T.items():
            total += value**3 * (2.0 if key is True or type(key) is Tag else 1.0)
        return total

    for key, slope in ((1, 6.0), (True, 12.0), (1, 6.0), ("a", 6.0), (Tag.A, 12.0), ("a", 6.0)):
        for _ in range(3):
            assert astad.hessian(f, {key: 1.0}) == {key: {key: slope}}
            assert astad.jvp(f, ({key: 1.0},), ({key: 1.0},))[1] == slope / 2
