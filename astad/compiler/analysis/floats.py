"""Names of a derived program that hold a Python float, or some number, whenever they are read.

What the forward sweep binds has its kind already; a cotangent is a float where everything that
binds it gives one. For floats alone `tidy/` may use what holds for them: ``1.0 * y`` is y, of the
same type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import BOOL, FLOAT, INT, Kind, is_real
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BY_VALUE, PLAIN
from astad.slotted import replace

__all__ = ["find_floats"]

OTHERS = {
    "ceil", "comb", "factorial", "floor", "frexp", "gcd", "isclose", "isfinite", "isinf", "isnan",
    "isqrt", "lcm", "modf", "perm", "prod", "sumprod", "trunc",
}  # fmt: skip
"""Functions of ``math`` that may give something else."""
KEEP = {"add", "sub", "mul"}
"""Give a float where one operand is one and the other a number."""


Needs = Callable[[Node, Mapping[str, Kind]], Sequence[str] | None]
"""The names that must all be of a sort for a statement to give one; None if it never does."""


def find_floats(derived: Derived) -> Derived:
    """The program with its ``floats`` and ``numbers`` filled in."""
    floats = {name for name, kind in derived.kinds.items() if kind is FLOAT}
    numbers = {name for name, kind in derived.kinds.items() if kind is BOOL or is_real(kind)}
    for function in derived.functions:
        makers = _makers(function, derived.kinds)
        all_makers = makers
        if derived.seed:
            all_makers = {**makers, derived.seed: _makers_of(derived.seed, function)}
        numbers |= _greatest(all_makers, numbers, _number_needs, derived.kinds)
        of_numbers = {name: nodes for name, nodes in makers.items() if name in numbers}
        floats |= _greatest(of_numbers, floats, _float_needs, derived.kinds)  # all are numbers
    return replace(derived, floats=frozenset(floats), numbers=frozenset(numbers))


def _makers(function: Function, kinds: Mapping[str, Kind]) -> dict[str, list[Node]]:
    """The statements that bind each name of unknown kind, where all of them may give numbers."""
    makers: dict[str, list[Node]] = {}
    others = {*kinds, *function.params}
    for node in outline(function).nodes:
        if not _may_give_number(node):
            others.update(node.bound)
            continue
        for name in node.bound:
            if name not in others:
                makers.setdefault(name, []).append(node)
    return {name: nodes for name, nodes in makers.items() if name not in others}


def _makers_of(name: str, function: Function) -> list[Node]:
    return [node for node in outline(function).nodes if name in node.bound]


def _greatest(
    makers: Mapping[str, Sequence[Node]], base: set[str], needs: Needs, kinds: Mapping[str, Kind]
) -> set[str]:
    """The greatest set of names that agrees with every statement that binds one of them."""
    found = base | makers.keys()
    users: dict[str, list[str]] = {}
    gone: list[str] = []
    for name, nodes in makers.items():
        for node in nodes:
            needed = needs(node, kinds)
            if needed is None or not found.issuperset(needed):
                found.discard(name)  # in the order of the text most are seen at once
                gone.append(name)
                break
            for other in [each for each in needed if each in makers]:  # the rest stay
                users.setdefault(other, []).append(name)
    while gone:
        for name in users.pop(gone.pop(), ()):
            if name in found:
                found.discard(name)
                gone.append(name)
    return found


def _float_needs(node: Node, kinds: Mapping[str, Kind]) -> Sequence[str] | None:
    """Operands that are whole numbers, by their kind, need not be floats, if not all are."""
    if type(node) is Bind:
        return _needed((node.source,), FLOATS) if isinstance(node.target, str) else None
    if type(node) is not Call or not _may_give_float(node):
        return None
    name = node.fn.name if type(node.fn) is Prim else ""
    given = [arg for arg in node.args if not _is_whole(arg, kinds)]
    if name in BY_VALUE:
        return _needed(given, FLOATS) if given == [node.args[0]] else None
    return _needed(given, FLOATS) if given or name in ("", "truediv") else None


def _may_give_float(node: Call) -> bool:
    if type(node.fn) is Prim:
        return node.fn.name in ARITHMETIC
    return type(node.fn) is Ref and node.fn.module == "math" and node.fn.name not in OTHERS


def _needed(operands: Sequence[Operand | Star], literals: Collection[type]) -> Sequence[str] | None:
    """The names among operands of which the others are literals of these types."""
    names = []
    for operand in operands:
        if isinstance(operand, str):
            names.append(operand)
        elif type(operand) is not Const or type(operand.value) not in literals:
            return None
    return names


def _is_whole(operand: Operand | Star, kinds: Mapping[str, Kind]) -> bool:
    if type(operand) is Const:
        return type(operand.value) in (int, bool)
    return isinstance(operand, str) and kinds.get(operand) in (INT, BOOL)


def _number_needs(node: Node, kinds: Mapping[str, Kind]) -> Sequence[str] | None:
    if not _may_give_number(node):
        return None
    return _needed(node.args if type(node) is Call else node.operands, NUMBERS)


def _may_give_number(node: Node) -> bool:
    """If the operands are numbers."""
    if type(node) is Bind:
        return isinstance(node.target, str)
    if type(node) is not Call:
        return False
    if type(node.fn) is Prim:
        return node.fn.name in ARITHMETIC
    if type(node.fn) is not Ref:
        return False
    if node.fn.module == "numpy":
        return isinstance(getattr(np, node.fn.name), np.ufunc)
    return node.fn.module in ("math", "astad.rules.safe")


FLOATS, NUMBERS = (float,), (int, float, bool)
ARITHMETIC = {*PLAIN, *BY_VALUE}
