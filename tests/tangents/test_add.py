"""Sums of cotangents (acceptance 003.04)."""

from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest

from astad.errors import MissingRule, RuleError
from astad.tangents.add import accum, add
from astad.tangents.objects import Tangent
from astad.tangents.refused import Refused

Pair = namedtuple("Pair", "x y")


def test_numbers_with_none_tuples_and_mappings():
    assert accum(1, 2, None, 3) == 6
    assert accum((1, 2), (3, 4)) == (4, 6)
    assert accum({"a": 1}, {"a": 3, "b": 2}) == {"a": 4, "b": 2}
    assert accum(None, None) is None and accum() is None


def test_every_structure():
    assert add([1.0, None], [2.0, 3.0]) == [3.0, 3.0]
    assert add(Pair(1, (2, None)), Pair(3, (4, None))) == Pair(4, (6, None))
    assert type(add(Pair(1, 2), Pair(1, 2))) is Pair
    assert add(Tangent(a=1, b=None), Tangent(b=2, c=3)) == Tangent(a=1, b=2, c=3)
    assert add(Fraction(1, 2), Fraction(1, 3)) == Fraction(5, 6)
    assert add(np.ones(2), 1.0).tolist() == [2, 2]
    assert add({"a": [1]}, {"a": [2]}) == {"a": [3]}


def test_no_operand_is_changed():
    a, b, l = np.ones(2), np.ones(2), [1.0]
    assert add(a, b) is not a and a.tolist() == [1, 1]
    add(l, [2.0])
    d = {"a": 1}
    add(d, {"b": 2})
    assert l == [1.0] and d == {"a": 1}
    assert add(None, a) is a and add(a, None) is a


def test_different_structures_are_errors():
    for a, b in (((1, 2), (1,)), ([1], {"a": 1}), (1.0, [1.0]), (Tangent(a=1), 2.0)):
        with pytest.raises(RuleError):
            add(a, b)


def test_refused_absorbs():
    refused = Refused(MissingRule("f", "call of f", why="no rule", instead="hold it constant"))
    for other in (1.0, np.ones(2), np.float64(1), [1.0], (1,), None, Tangent(a=1)):
        assert add(refused, other) is refused and add(other, refused) is refused


@pytest.mark.parametrize(
    "pair",
    [
        (np.ones(2), np.ones(3)), (np.ones(2), np.ones((2, 2))), (np.ones(2), 1.0), ("a", "b"),
        ([np.ones(2)], [np.ones(1)]), ({"a": np.ones(2)}, {"a": 1.0}),
    ],
)  # fmt: skip
def test_arrays_of_other_shapes_are_not_broadcast(pair):
    with pytest.raises(RuleError, match="sum of"):
        accum(*pair)
