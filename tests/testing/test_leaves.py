"""Numbers inside nested values, and equality of such values."""

import dataclasses
from fractions import Fraction

import numpy as np

from astad.testing.leaves import entries_of, leaves_of, name_of, same


@dataclasses.dataclass(frozen=True)
class Layer:
    W: np.ndarray
    name: str = "first"


def names(value):
    return [name_of("p", leaf.path) for leaf in leaves_of(value)]


def test_every_number_is_found_and_nothing_else():
    value = {
        "l": [1, (2.0, 3j)],
        "layer": Layer(np.ones(2)),
        "no": [True, None, "x", np.array(["y"])],
    }
    assert names(value) == ["p['l'][0]", "p['l'][1][0]", "p['l'][1][1]", "p['layer'].W"]
    assert names(Fraction(1, 4)) == ["p"]
    assert names([np.bool_(True), len, np.ones(2, bool), np.array([1.0], object)]) == []


def test_entries_of_arrays_and_of_complex_numbers():
    assert len(entries_of(0, leaves_of(np.ones((2, 3)))[0])) == 6
    assert [e.imaginary for e in entries_of(0, leaves_of(1j)[0])] == [False, True]
    assert [e.index for e in entries_of(0, leaves_of(np.array(2.0))[0])] == [()]


def test_equality_sees_types_structure_and_nan():
    assert same([1.0, float("nan")], [1.0, float("nan")])
    assert not same([1.0], [1])
    assert not same((1.0,), [1.0])
    assert not same(np.zeros(2), np.zeros(2, np.float32))
    assert not same({"a": 1.0}, {"b": 1.0})
    assert same(Layer(np.ones(2)), Layer(np.ones(2)))
    assert not same(Layer(np.ones(2)), Layer(np.ones(2), "other"))
