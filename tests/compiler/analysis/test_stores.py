"""What a write needs so that its reverse is written out: kinds that fit for certain."""

import pytest

from astad.compiler.analysis.stores import Stores
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Prim

KINDS = {
    "v": k.array(1), "m": k.array(2), "a": k.array(None), "i": k.INT, "x": k.FLOAT, "b": k.BOOL,
    "s": k.index(1, 1), "p": k.index(2, 0), "z": k.UNKNOWN,
}  # fmt: skip


def treatment(prim, *names):
    target = None if prim == "setitem" else names[0]
    stores = Stores(lambda name: KINDS.get(name, k.UNKNOWN), lambda name: True, {"v", "m"}, {}, {})
    found = stores.treat(Call(target, Prim(prim), names, (), 1))
    return found and found.treatment


@pytest.mark.parametrize(
    "written",
    [("v", "i", "x"), ("v", "i", "b"), ("m", "p", "i"), ("m", "i", "v"), ("m", "s", "m"),
     ("m", "s", "v"), ("v", "s", "x")],
    ids=" ".join,
)  # fmt: skip
def test_what_fits(written):
    assert treatment("setitem", *written) == "inline"


@pytest.mark.parametrize(
    "written",
    [("v", "i", "v"), ("v", "s", "m"), ("v", "p", "x"), ("v", "z", "x"), ("v", "i", "z"),
     ("v", "s", "a"), ("a", "i", "x"), ("x", "i", "x")],
    ids=" ".join,
)  # fmt: skip
def test_what_may_not_fit(written):
    assert treatment("setitem", *written) is None


def test_whole_arrays():
    assert treatment("iadd", "m", "v") == "inline"
    assert treatment("itruediv", "v", "x") == "inline"
    assert treatment("iadd", "v", "m") is None
    assert treatment("ipow", "v", "x") is None
    assert treatment("iadd", "x", "x") is None
