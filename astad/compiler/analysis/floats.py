"""Names of a derived program that hold a Python float, or some number, whenever they are read.

What the forward sweep binds has its kind already; a cotangent is a float where everything that
binds it gives one. For floats alone `tidy/` may use what holds for them: ``1.0 * y`` is y, of the
same type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import BOOL, FLOAT, INT, Kind, is_real
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.ir.outline import outline

__all__ = ["find_floats"]

OTHERS = {
    "ceil", "comb", "factorial", "floor", "frexp", "gcd", "isclose", "isfinite", "isinf", "isnan",
    "isqrt", "lcm", "modf", "perm", "prod", "sumprod", "trunc",
}  # fmt: skip
"""Functions of ``math`` that may give something else."""
KEEP = {"add", "sub", "mul"}
"""Give a float where one operand is one and the other a number."""


Gives = Callable[[Node, set[str], Mapping[str, Kind]], bool]
"""Does a statement give a value of this sort, if these names have one?"""


def find_floats(derived: Derived) -> Derived:
    """The program with its ``floats`` and ``numbers`` filled in."""
    floats = {name for name, kind in derived.kinds.items() if kind == FLOAT}
    numbers = {name for name, kind in derived.kinds.items() if is_real(kind) or kind == BOOL}
    for function in derived.functions:
        makers = _makers(function, derived.kinds)
        floats |= _greatest(makers, floats, _gives_float, derived.kinds)
        seed = {derived.seed: _makers_of(derived.seed, function)} if derived.seed else {}
        numbers |= _greatest(makers | seed, numbers, _gives_number, derived.kinds)
    return replace(derived, floats=frozenset(floats), numbers=frozenset(numbers))


def _makers(function: Function, kinds: Mapping[str, Kind]) -> dict[str, list[Node]]:
    """The statements that bind each name of which the kind is not known."""
    makers: dict[str, list[Node]] = {}
    known = {*kinds, *function.params}
    for node in outline(function).nodes:
        for name in node.bound:
            if name not in known:
                makers.setdefault(name, []).append(node)
    return makers


def _makers_of(name: str, function: Function) -> list[Node]:
    return [node for node in outline(function).nodes if name in node.bound]


def _greatest(
    makers: Mapping[str, Sequence[Node]], base: set[str], gives: Gives, kinds: Mapping[str, Kind]
) -> set[str]:
    """The greatest set of names that agrees with every statement that binds one of them."""
    found = base | makers.keys()

    def fails(name: str) -> bool:
        return not all(gives(node, found, kinds) for node in makers[name])

    gone: list[str] = []
    for name in makers:  # in the order of the text most see at once that what they read is gone
        if fails(name):
            found.discard(name)
            gone.append(name)
    users: dict[str, list[str]] = {}
    for name in makers if gone else ():
        for operand in (operand for node in makers[name] for operand in _inputs(node)):
            users.setdefault(operand, []).append(name)
    while gone:
        for name in users.get(gone.pop(), ()):
            if name in found and fails(name):
                found.discard(name)
                gone.append(name)
    return found


def _inputs(node: Node) -> list[str]:
    if type(node) is Bind:
        return [node.source] if isinstance(node.source, str) else []
    return [arg for arg in node.args if isinstance(arg, str)] if isinstance(node, Call) else []


def _gives_float(node: Node, floats: set[str], kinds: Mapping[str, Kind]) -> bool:
    if type(node) is Bind:
        return _is_float(node.source, floats)
    if type(node) is not Call or not _may_give_float(node):
        return False
    given = [_is_float(arg, floats) for arg in node.args]
    for arg, is_float in zip(node.args, given, strict=True):
        if not is_float and not _is_whole(arg, kinds):
            return False
    name = node.fn.name if type(node.fn) is Prim else ""
    if name == "pow":
        return given[0] and _is_int(node.args[1], kinds)
    return name in ("", "truediv") or any(given)


def _may_give_float(node: Call) -> bool:
    if type(node.fn) is Prim:
        return node.fn.name in ARITHMETIC
    return type(node.fn) is Ref and node.fn.module == "math" and node.fn.name not in OTHERS


def _is_float(operand: Operand | Star, floats: set[str]) -> bool:
    return type(operand.value) is float if type(operand) is Const else operand in floats


def _is_whole(operand: Operand | Star, kinds: Mapping[str, Kind]) -> bool:
    if type(operand) is Const:
        return type(operand.value) in (int, bool)
    return isinstance(operand, str) and kinds.get(operand) in (INT, BOOL)


def _is_int(operand: Operand | Star, kinds: Mapping[str, Kind]) -> bool:
    if isinstance(operand, Const):
        return type(operand.value) is int
    return isinstance(operand, str) and kinds.get(operand) == INT


def _gives_number(node: Node, numbers: set[str], kinds: Mapping[str, Kind]) -> bool:
    if type(node) is Bind:
        return _is_number(node.source, numbers)
    if type(node) is not Call:
        return False
    can = False
    if type(node.fn) is Prim:
        can = node.fn.name in ARITHMETIC
    elif type(node.fn) is Ref and node.fn.module == "numpy":
        can = isinstance(getattr(np, node.fn.name), np.ufunc)
    elif type(node.fn) is Ref:
        can = node.fn.module in ("math", "astad.rules.safe")
    return can and all(_is_number(arg, numbers) for arg in node.args)


def _is_number(operand: Operand | Star, numbers: set[str]) -> bool:
    if type(operand) is Const:
        return type(operand.value) in (int, float, bool)
    return operand in numbers


ARITHMETIC = {*KEEP, "truediv", "neg", "pos", "pow"}
