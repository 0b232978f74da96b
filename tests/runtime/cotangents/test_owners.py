"""Owners of memory and where views lie in it."""

import types

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad import gradient
from astad.errors import AstadError, Unsupported
from astad.runtime.cotangents.owners import (
    attribute_store,
    class_dict,
    may_overlap_itself,
    owner_of,
    shadow_dtype,
)


def test_owner_is_found_through_dummies_and_exporters():
    a = np.arange(6.0)
    for view in (
        a[1:],
        a.reshape(2, 3).T,
        as_strided(a, (2, 2), (8, 8)),
        np.broadcast_to(a, (2, 6)),
        a.view(np.recarray),
    ):
        assert owner_of(view) is a
        assert owner_of(view[:1]) is a
    memory = bytearray(16)
    assert owner_of(np.frombuffer(memory)) is memory
    assert owner_of(np.frombuffer(memoryview(memory)[8:])) is memory
    assert owner_of(np.frombuffer(a)) is a


class Answering:
    """Like an array that Cython makes: the memoryview that answers for it has it as its base."""

    def __init__(self, memory):
        self.__array_interface__ = memory.__array_interface__
        self.memory = memory

    @property
    def base(self):
        return self


def test_an_exporter_that_is_its_own_base_is_the_owner():
    own = Answering(np.arange(3.0))
    assert owner_of(np.asarray(own)[1:]) is own


def test_exporters_that_are_the_bases_of_each_other():
    one, other = (types.SimpleNamespace(**vars(Answering(np.arange(3.0)))) for _ in range(2))
    one.base, other.base = other, one
    assert owner_of(np.asarray(one)[1:]) is other


def test_a_rotation_of_scipy_is_refused_and_does_not_hang():
    transform = pytest.importorskip("scipy.spatial.transform")

    def turned(angle):
        turn = transform.Rotation.from_euler("xyz", [angle, 0.2, 0.3])
        return np.sum(turn.apply(np.array([1.0, 2.0, 3.0])))

    with pytest.raises(AstadError, match="from_euler: a derivative through this"):
        gradient(turned, 0.4)
    still = transform.Rotation.from_rotvec([0.1, 0.2, 0.3])
    (slope,) = gradient(lambda x: x * np.sum(still.as_matrix()[0]), 2.0)
    assert slope == np.sum(still.as_matrix()[0])


def test_overlap_is_never_missed():
    rng = np.random.default_rng(3)
    memory = np.arange(200)
    for _ in range(500):
        shape = tuple(rng.integers(1, 4, rng.integers(1, 4)))
        strides = tuple(8 * int(s) for s in rng.integers(-6, 7, len(shape)))
        a = as_strided(memory[100:], shape, strides)
        if np.unique(a).size < a.size:
            assert may_overlap_itself(a)


def test_ordinary_views_do_not_overlap():
    a = np.zeros((4, 6))
    for view in (
        a,
        a.T,
        a[::-1, ::2],
        a[1:, 2:].T,
        a[:, None],
        a[:0],
        a[:1, :1],
        np.asfortranarray(a)[1:],
    ):
        assert not may_overlap_itself(view)
    assert may_overlap_itself(sliding_window_view(a, 2, axis=0))


def test_dtype_of_cotangents():
    assert (
        shadow_dtype(np.dtype(">f8")) == np.dtype("=f8") and shadow_dtype(np.dtype(">f8")).isnative
    )
    assert (
        shadow_dtype(np.dtype(bool)) == np.float64
        and shadow_dtype(np.dtype(np.float16)) == np.float16
    )
    assert shadow_dtype(np.dtype(np.clongdouble)) == np.clongdouble
    with pytest.raises(Unsupported):
        shadow_dtype(np.dtype("U3"))


def test_attributes_lie_with_the_dict_of_the_object():
    class Point:
        __slots__ = ("x", "__dict__")

        def __init__(self):
            self.x, self.y = 1.0, 2.0

        @property
        def total(self):
            return self.x + self.y

    class Table(dict):
        pass

    p, table, plain = Point(), Table(), {}
    assert attribute_store(p, "x") is p
    assert attribute_store(p, "y") is vars(p)
    assert attribute_store(table, "rows") is vars(table)
    assert attribute_store(types, "a global") is vars(types)
    assert attribute_store(Point, "z") is class_dict(Point)
    assert attribute_store(plain, "z") is plain
    assert attribute_store((1,), "z") == (1,)
