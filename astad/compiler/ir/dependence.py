"""The one test of dependence: what a statement changes, and whether two may change places.

Whoever moves, merges or drops statements asks here, printing included. Python evaluates from left
to right, and an augmented assignment reads its target first: in ``xs[-1] += xs.pop()`` the item is
that before the pop, although it is written after it.

>>> from astad.compiler.ir.nodes import Const
>>> pop = Call("t", METHOD, ("xs", Const("pop")), (), 1)
>>> item = Call("u", Prim("getitem"), ("ys", Const(0)), (), 1)
>>> Dependence().changed(pop), Dependence().may_swap(pop, item)
(('xs',), False)
>>> double = Call("v", Prim("mul"), ("x", "x"), (), 1)
>>> Dependence(numbers={"x", "v"}).may_swap(pop, double)
True
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import (
    COMPOUND,
    GENERATED,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Prim,
    Raise,
    Ref,
)
from astad.compiler.ir.prims import ANSWERS, BINARY, COMPARE, IN_PLACE, UNARY, WRITES

__all__ = ["Dependence", "written"]

METHOD = Prim("method")
LOOKING = frozenset([
    *BINARY, *UNARY, *COMPARE, *ANSWERS, "contains", "not_contains", "truth", "getitem", "getattr",
    "slice", "tuple", "list", "set", "dict", "global", "namespace", "unpack", "cell_new",
    "cell_get", "cell_get_local", "function", "still", "leave_if_complex", "leave_if",
    "leave_unless_usual", "leave_if_empty", "leave_unless_finite",
])  # fmt: skip
"""Operations of the language that change no object. On objects of the user's, whose operators may
do anything, generated text has them as calls of the dispatcher.
"""
FIRST = frozenset([
    *WRITES, *IN_PLACE, "delitem", "setattr", "delattr", "list_append", "value_append",
    "list_extend", "set_add", "dict_merge", "cell_set", "cell_clear",
])  # fmt: skip
"""Those that change their first operand alone."""
ASKING = frozenset([
    "copy", "tolist", "sum", "prod", "max", "min", "mean", "std", "var", "cumsum", "cumprod",
    "argmax", "argmin", "argsort", "reshape", "ravel", "transpose", "swapaxes", "squeeze",
    "repeat", "take", "trace", "diagonal", "astype", "conj", "item", "keys", "values", "items",
    "get", "index", "count",
])  # fmt: skip
"""Methods of arrays and of Python's containers that change nothing."""
STORING = frozenset(["append", "appendleft", "pop", "popleft", "extend", "insert", "keep"])
"""Methods that change their object alone."""
READING = frozenset(
    ["len", "zip", "reversed", "list", "tuple", "float", "complex", "type", "slice"]
)
"""Builtins that change nothing."""
ADDING = frozenset(["add_items", "add_rows", "add_shares", "add_slice", "at"])
"""Functions that add to their first operand."""
HARMLESS = ("math", "numpy", "astad.tangents", "astad.rules")
"""Modules whose other functions change nothing."""


class Dependence:
    """``numbers`` are names that hold a number, which nobody can change; ``harmless`` names of
    functions that change nothing. Any two other names may stand for one object.
    """

    __slots__ = ("harmless", "numbers")

    def __init__(
        self, numbers: Set[str] = frozenset(), harmless: Iterable[str] = frozenset()
    ) -> None:
        self.numbers = numbers
        self.harmless = frozenset(harmless)

    @classmethod
    def of(cls, derived: Derived) -> Dependence:
        """With what is known of the names of a derived program."""
        known = (derived.called, derived.ufuncs, derived.numpy, derived.sums)
        return cls(derived.numbers, [name for names in known for name in names])

    def changed(self, node: Node) -> tuple[str, ...]:
        """Names of the objects that a statement, or one inside it, may change in place."""
        if type(node) is Call:
            found = self._changed(node)
            return tuple([name for name in found if name not in self.numbers]) if found else ()
        if type(node) in COMPOUND:
            drawn = node.read if type(node) is Loop else ()  # an iterator moves on
            return (*drawn, *[name for part in node.inside for name in self.changed(part)])
        return ()

    def _changed(self, node: Call) -> tuple[str, ...]:
        fn = node.fn
        if type(fn) is Prim:
            if fn.name in LOOKING:
                return ()
            if fn is METHOD:
                return _of_method(node)
            return _names(node.args[:1]) if fn.name in FIRST else node.read
        if type(fn) is Ref:
            return _of_function(fn, node)
        return _given_out(node) if fn in self.harmless else node.read

    def may_swap(self, first: Node, second: Node) -> bool:
        """Do two statements that follow each other come to the same in the other order?"""
        if _leaves(first) or _leaves(second):
            return False
        if not (_bound(first).isdisjoint(_taken(second) | _bound(second))):
            return False
        if not _bound(second).isdisjoint(_taken(first)):
            return False
        return not (
            (self.changed(first) and self._looks(second))
            or (self.changed(second) and self._looks(first))
        )

    def _looks(self, node: Node) -> bool:
        """Does it read an object that somebody may change?"""
        return not _taken(node) <= self.numbers


def written(node: Node) -> str | None:
    """The name that a statement changes in place, as ``x_bar += g`` does: a number's is bound
    again by that.
    """
    if type(node) is Call and type(node.fn) is Prim and node.fn.name in WRITES:
        return str(node.args[0])
    return None


def _names(operands: Iterable[object]) -> tuple[str, ...]:
    return tuple([operand for operand in operands if isinstance(operand, str)])


def _of_method(node: Call) -> tuple[str, ...]:
    name = node.args[1].value if isinstance(node.args[1], Const) else None
    if name in ASKING:
        return _given_out(node)
    return _names(node.args[:1]) if name in STORING else node.read


def _of_function(fn: Ref, node: Call) -> tuple[str, ...]:
    """Of what generated text calls. A pullback of the text's own adds to the buffers behind what it
    kept and a cotangent; a forward sweep is handed everything by value.
    """
    if fn.module == GENERATED:
        return _names(node.args[2:]) if fn.name.endswith("_pullback") else ()
    if fn.name in ADDING:
        return _names(node.args[:1])
    if fn.module == "builtins":
        return () if fn.name in READING else node.read
    return _given_out(node) if fn.module.startswith(HARMLESS) else node.read


def _given_out(node: Call) -> tuple[str, ...]:
    """``out=a`` of NumPy's functions."""
    return _names([value for word, value in node.keywords if word == "out"])


def _leaves(node: Node) -> bool:
    """May the text be left here, or is everything else decided here?"""
    if type(node) is Call:
        return type(node.fn) is Prim and node.fn.name in LEAVING
    return any(isinstance(part, (Exit, Raise)) for part in (node, *node.inside))


LEAVING = frozenset([
    "yield", "still", "leave_if", "leave_if_complex", "leave_unless_usual", "leave_if_empty",
    "leave_unless_finite", "attempt", "attempted", "caught",
])  # fmt: skip


def _bound(node: Node) -> frozenset[str]:
    name = written(node)
    if name is not None:
        return frozenset((name,))
    return node.all_bound if type(node) in COMPOUND else frozenset(node.bound)


def _taken(node: Node) -> frozenset[str]:
    """The names that it, or a statement inside it, reads; copies hand an object on unseen."""
    if type(node) in COMPOUND:
        return frozenset(node.read).union(*[part.read for part in node.inside])
    return frozenset(node.read)
