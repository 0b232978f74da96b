"""Records of cotangents."""

import copy
import pickle

import numpy as np
import pytest

from astad.tangents.objects import Tangent


def test_names_values_and_text():
    t = Tangent(w=np.ones(2), b=None)
    assert list(t) == ["w", "b"] and len(t) == 2 and "w" in t and "x" not in t
    assert t["w"] is t.w and repr(Tangent(b=None, a=1.0)) == "Tangent(b=None, a=1.0)"
    with pytest.raises(AttributeError, match="'x'.*w, b"):
        t.x


def test_equality_looks_into_arrays_and_containers():
    assert Tangent(a=[np.ones(2)], b={"k": np.zeros(1)}) == Tangent(
        b={"k": np.zeros(1)}, a=[np.ones(2)]
    )
    assert Tangent(a=np.ones(2)) != Tangent(a=np.zeros(2))
    assert (
        Tangent(a=1) != Tangent(a=1, b=None)
        and Tangent(a=[1]) != Tangent(a=(1,))
        and Tangent() != 1
    )


def test_attributes_named_like_anything():
    t = Tangent(self=1, name=2, attributes=3)
    assert (t.self, t.name, t.attributes) == (1, 2, 3)


def test_copies_and_pickles():
    t = Tangent(w=np.ones(2), inner=Tangent(b=1.0))
    assert copy.deepcopy(t) == t and pickle.loads(pickle.dumps(t)) == t and copy.copy(t) == t
