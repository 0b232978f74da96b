"""Random cotangents have the structure of the result."""

import dataclasses

import numpy as np
import pytest

from astad.tangents.objects import Tangent
from astad.testing.seeds import ResultChanged, combine, project, random_cotangent


@dataclasses.dataclass
class Fit:
    slope: float
    label: str


def cotangent(y):
    return random_cotangent(y, np.random.default_rng(1))


def test_kinds_of_numbers_and_structure_are_kept():
    y = (1.0, np.float32(2), np.ones(3, np.float32), [np.arange(2)], {"z": 1j}, True, Fit(1.0, "a"))
    seed = cotangent(y)
    assert [type(s) for s in seed[:2]] == [float, np.float32]
    assert seed[2].dtype == np.float32 and seed[3][0].dtype == np.float64
    assert isinstance(seed[4]["z"], complex)
    assert seed[5] is None
    assert isinstance(seed[6], Tangent) and seed[6].label is None


def test_projection_of_a_complex_result_is_a_real_inner_product():
    assert project(np.array([3 + 1j]), np.array([1 + 1j]), np.array([1 - 1j]))[0] == 2.0
    assert project(np.array([1 + 3j]), np.array([1 + 1j]), np.array([1 - 1j]))[0] == -2.0


def test_result_of_another_shape_is_refused():
    y = np.ones(3)
    with pytest.raises(ResultChanged):
        project(np.ones(4), y, cotangent(y))
    with pytest.raises(ResultChanged):
        project([1.0], [1.0, 2.0], cotangent([1.0, 2.0]))
    with pytest.raises(ResultChanged):
        project(1j, 1.0, 1.0)


def test_combination_of_records():
    seed = cotangent(Fit(1.0, "a"))
    assert combine(lambda a, b: a + b, seed, seed) == Tangent(slope=2 * seed.slope, label=None)


def test_what_does_not_change_adds_no_rounding_unless_nothing_changes():
    eps = np.finfo(float).eps
    start, there, seed = np.array([1e6, 2.0]), np.array([1e6, 3.0]), np.array([1.0, 1.0])
    assert project(there, start, seed) == (1.0, 2.0 * eps)
    assert project(start, start, seed)[1] == pytest.approx(1e6 * eps, rel=1e-9)
    assert project(0.0, 0.0, 1.0) == (0.0, eps)


class Turned(np.ndarray):
    """An array that has no product with a number."""

    def __mul__(self, other):
        raise NotImplementedError

    __rmul__ = __sub__ = __mul__


def test_arrays_with_operators_of_their_own_are_projected_as_numbers():
    start, there = (np.array([1.0, x]).view(Turned) for x in (2.0, 2.5))
    seed = random_cotangent(start, np.random.default_rng(0))
    assert project(there, start, seed)[0] == 0.5 * seed[1]
