"""Shapes, dtypes and kinds of cotangents."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from astad.errors import RuleError
from astad.tangents.arrays import project, sum_to_shape


def test_sum_to_shape_is_the_transpose_of_broadcasting():
    rng = np.random.default_rng(4)
    for ndim in range(4):
        for full in product((1, 2, 3), repeat=ndim):
            g = rng.standard_normal(full)
            for cut in range(ndim + 1):
                for ones in product((False, True), repeat=ndim - cut):
                    shape = tuple(1 if one else n for one, n in zip(ones, full[cut:]))
                    found = sum_to_shape(g, shape)
                    v = rng.standard_normal(shape)
                    assert np.shape(found) == shape
                    assert np.allclose(np.sum(g * np.broadcast_to(v, full)), np.sum(found * v))


def test_sum_to_shape_of_empty_arrays_and_numbers():
    assert sum_to_shape(np.zeros((0, 3)), (3,)).tolist() == [0, 0, 0]
    assert sum_to_shape(np.zeros((0, 3)), (1, 3)).tolist() == [[0, 0, 0]]
    assert sum_to_shape(2.0, ()) == 2.0
    g = np.ones((2, 3))
    assert sum_to_shape(g, (2, 3)) is g
    assert not isinstance(sum_to_shape(g, ()), np.ndarray)


@pytest.mark.parametrize(
    "g, like, expected",
    [
        (1 + 2j, 0.5, 1.0),
        (np.complex128(3j), 1, np.float64(0.0)),
        (np.array(2.0), 0.5, np.float64(2.0)),
        (np.array([[2.0]]), 0.5, np.float64(2.0)),
        (2.0, np.float32(1), np.float32(2)),
        (np.float64(2), np.float16(1), np.float16(2)),
        (2.0, 1j, 2 + 0j),
        (3, 0.5, 3),
        (2, Fraction(1, 2), 2),
        (np.float32(2), 1.0, np.float64(2)),
        (2.0, np.longdouble(1), np.longdouble(2)),
        (1 + 1j, np.complex64(1), np.complex64(1 + 1j)),
        (1 + 1j, np.float32(1), np.float32(1)),
        (1j, Fraction(1, 2), 0.0),
    ],
)
def test_numbers_get_numbers_of_their_kind(g, like, expected):
    found = project(g, like)
    assert found == expected and type(found) is type(expected)


def test_arrays_get_their_own_shape_and_dtype():
    like = np.zeros((2, 1), np.float32)
    for g in (
        1.0,
        np.ones((2, 1)),
        np.ones((2, 1), complex),
        np.ones(1),
        np.ones((1, 2, 1)),
        [[1], [1]],
    ):
        found = project(g, like)
        assert found.dtype == np.float32 and found.shape == (2, 1) and (found == 1).all()
    exact = np.ones((2, 1), np.float32)
    assert project(exact, like) is exact
    assert project(np.ones(3), np.zeros(3, ">f8")).dtype.isnative
    assert project(np.ones(3, int), np.zeros(3, int)).dtype == np.float64
    assert project(2.0, np.array(1.0)).shape == ()


def test_what_does_not_fit_is_an_error():
    for g, like in (
        (np.ones(3), np.zeros(2)),
        (np.ones((4, 3)), np.zeros(3)),
        (np.ones((2, 3)), np.zeros((3, 2))),
        (np.ones(2), 1.0),
    ):
        with pytest.raises(RuleError, match="np.thing"):
            project(g, like, "np.thing")
