"""What a statement changes, and which statements may change places."""

import pytest

from astad.compiler.ir.dependence import Dependence
from astad.compiler.ir.nodes import GENERATED, Bind, Branch, Call, Const, Exit, Loop, Prim, Ref


def call(target, fn, *args, **keywords):
    return Call(target, fn, args, tuple(keywords.items()), 1)


METHOD = Prim("method")
POP = call("t", METHOD, "xs", Const("pop"))
ITEM = call("u", Prim("getitem"), "xs", Const(-1))
ADDED = call(None, Prim("accumulate"), "xs", Const(-1), "g")
PULLED = call("x_bar", Ref(GENERATED, "f_pullback"), "kept", "g", "xs_bar")


@pytest.mark.parametrize(
    ("node", "changed"),
    [
        (POP, ("xs",)),
        (ITEM, ()),
        (ADDED, ("xs",)),
        (PULLED, ("xs_bar",)),
        (call("y", Ref(GENERATED, "f_forward"), "xs"), ()),
        (call("y", METHOD, "xs", Const("copy")), ()),
        (call("y", METHOD, "o", Const("move"), "xs"), ("o", "xs")),
        (call("y", Ref("numpy", "add"), "a", "b", out="c"), ("c",)),
        (call(None, Ref("numpy.add", "at"), "a", "i", "b"), ("a",)),
        (call("y", "f", "xs"), ("f", "xs")),
        (call("y", "sin", "xs"), ()),
        (Loop("x", "xs", (POP,), (), 1), ("xs", "xs")),
        (Bind("y", "xs", 1), ()),
    ],
)
def test_changed(node, changed):
    assert Dependence(harmless=["sin"]).changed(node) == changed


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [
        (POP, ITEM, False),
        (ITEM, POP, False),
        (ITEM, call("v", Prim("getitem"), "ys", Const(0)), True),
        (POP, call("v", Prim("getitem"), "ys", Const(0)), False),  # perhaps the same list
        (POP, call("v", Prim("mul"), "g", "g"), True),
        (POP, call("g", Prim("neg"), "h"), True),
        (ADDED, call("g", Prim("neg"), "h"), False),
        (call("g", Prim("neg"), "h"), call("g", Prim("neg"), "k"), False),
        (call("k", Prim("neg"), "g"), Branch("b", (Bind("g", "h", 1),), (), 1), False),
        (call("k", Prim("neg"), "g"), Branch("b", (Exit("break", None, 1),), (), 1), False),
        (call(None, Prim("update"), "g", Const("iadd"), "h"), Bind("k", "g", 1), False),
    ],
)
def test_may_swap(first, second, free):
    dependence = Dependence(numbers={"g", "h", "k", "v"})
    assert dependence.may_swap(first, second) is free
    assert dependence.may_swap(second, first) is free
