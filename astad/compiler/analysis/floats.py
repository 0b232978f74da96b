"""Names of a derived program that hold a Python float whenever they are read.

What the forward sweep binds has its kind already; a cotangent is a float where everything that
binds it gives one. For floats alone `tidy/` may use what holds for them: ``1.0 * y`` is y, of the
same type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.kinds import BOOL, FLOAT, INT, Kind
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.ir.walk import binds, walk

__all__ = ["find_floats"]

OTHERS = {
    "ceil", "comb", "factorial", "floor", "frexp", "gcd", "isclose", "isfinite", "isinf", "isnan",
    "isqrt", "lcm", "modf", "perm", "prod", "sumprod", "trunc",
}  # fmt: skip
"""Functions of ``math`` that may give something else."""
KEEP = {"add", "sub", "mul"}
"""Give a float where one operand is one and the other a number."""


def find_floats(derived: Derived) -> Derived:
    """The program with its ``floats`` filled in."""
    found: set[str] = {name for name, kind in derived.kinds.items() if kind == FLOAT}
    for function in derived.functions:
        found |= _floats(function.body, function.params, derived.kinds)
    return replace(derived, floats=frozenset(found))


def _floats(body: Block, params: Iterable[str], kinds: Mapping[str, Kind]) -> set[str]:
    """The greatest set of names that agrees with every statement that binds one of them."""
    makers: dict[str, list[Node]] = {}
    for node in walk(body):
        for name in binds(node):
            if name not in kinds:
                makers.setdefault(name, []).append(node)
    floats = {name for name, kind in kinds.items() if kind == FLOAT} | set(makers) - set(params)
    users: dict[str, set[str]] = {}
    for name, nodes in makers.items():
        for node in nodes:
            for operand in _inputs(node):
                users.setdefault(operand, set()).add(name)
    left = sorted(set(makers) & floats)
    while left:
        name = left.pop()
        if name in floats and not all(_gives_float(node, floats, kinds) for node in makers[name]):
            floats.discard(name)
            left += sorted(users.get(name, ()))
    return floats


def _inputs(node: Node) -> list[str]:
    if isinstance(node, Bind):
        return [node.source] if isinstance(node.source, str) else []
    return [arg for arg in node.args if isinstance(arg, str)] if isinstance(node, Call) else []


def _gives_float(node: Node, floats: set[str], kinds: Mapping[str, Kind]) -> bool:
    def is_float(operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) is float
        return operand in floats

    def is_number(operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (int, float, bool)
        return operand in floats or kinds.get(str(operand)) in (INT, BOOL)

    if isinstance(node, Bind):
        return isinstance(node.target, str) and is_float(node.source)
    if not isinstance(node, Call):
        return False
    if isinstance(node.fn, Ref):
        is_known = node.fn.module == "math" and node.fn.name not in OTHERS
        return is_known and all(map(is_number, node.args))
    if not isinstance(node.fn, Prim) or not all(map(is_number, node.args)):
        return False
    name = node.fn.name
    if name in KEEP:
        return any(map(is_float, node.args))
    if name == "pow":
        return is_float(node.args[0]) and _is_int(node.args[1], kinds)
    return name == "truediv" or (name in ("neg", "pos") and is_float(node.args[0]))


def _is_int(operand: Operand | Star, kinds: Mapping[str, Kind]) -> bool:
    if isinstance(operand, Const):
        return type(operand.value) is int
    return isinstance(operand, str) and kinds.get(operand) == INT
