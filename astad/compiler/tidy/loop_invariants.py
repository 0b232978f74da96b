"""Move what every iteration computes anew before the loop.

``for ...: y_bar = y_bar * (h / 6.0)`` becomes ``t = h / 6.0; for ...: y_bar = y_bar * t``. Only
operations on floats that cannot raise, on names that are certain to be bound: nobody can tell,
not even where the loop never runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    COMPOUND,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Star,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, with_blocks
from astad.slotted import replace

__all__ = ["hoist_invariants"]

CANNOT_RAISE = {"add", "sub", "mul", "neg"}


def hoist_invariants(derived: Derived) -> Derived:
    """In every loop of every generated function, from the innermost outwards."""
    ours = derived.floats - derived.taken
    if not ours:
        return derived
    return derived.with_bodies(lambda function: _hoisted(function, derived, ours))


def _hoisted(function: Function, derived: Derived, ours: Set[str]) -> Block:
    nodes = outline(function).nodes
    loops = [node for node in nodes if type(node) is Loop or type(node) is While]
    parts = [part for node in loops for part in node.body]
    if not any(type(part) is Call and part.target in ours for part in parts):
        return function.body
    count = Counter(
        [
            name
            for node in nodes
            for name in node.bound
            if not (type(node) is Loop and is_reverse(node))  # handed on from the forward sweep
        ]
    )
    hoister = _Hoister(derived, {name for name in ours if count[name] == 1})
    return hoister.block(function.body, dict.fromkeys(function.params))


class _Hoister:
    """``movable`` are floats of ours that one statement binds."""

    def __init__(self, derived: Derived, movable: set[str]) -> None:
        self.floats = derived.floats
        self.movable = movable

    def block(self, body: Block, bound: dict[str, None]) -> Block:
        """``bound`` has the names that are bound for certain at the head; it grows."""
        out: list[Node] = []
        for node in body:
            if type(node) not in COMPOUND:
                bound.update(dict.fromkeys(node.bound))
                out.append(node)
                continue
            node = with_blocks(node, lambda block: self._inner(block, bound))
            if isinstance(node, (Loop, While)):
                moved, node = self._apart(node, bound)
                out += moved
            out.append(node)
        return kept(body, out)

    def _inner(self, body: Block, bound: dict[str, None]) -> Block:
        """A block that may never run: what it binds is forgotten, last first, after it."""
        before = len(bound)
        made = self.block(body, bound)
        while len(bound) > before:
            bound.popitem()
        return made

    def _apart(self, node: Loop | While, bound: dict[str, None]) -> tuple[list[Node], Node]:
        """What may stand before the loop, and the loop without it."""
        changed = bound_inside(node)
        moved: list[Node] = []
        left: list[Node] = []
        for part in node.body:
            if isinstance(part, Call) and self._is_invariant(part, changed, bound):
                moved.append(part)
                changed.discard(str(part.target))
                bound[str(part.target)] = None
            else:
                left.append(part)
        return moved, replace(node, body=tuple(left)) if moved else node

    def _is_invariant(self, node: Call, changed: set[str], bound: dict[str, None]) -> bool:
        if node.target not in self.movable or node.keywords:
            return False
        if not isinstance(node.fn, Prim) or not all(map(self._is_float, node.args)):
            return False
        if any(arg in changed or arg not in bound for arg in node.args if isinstance(arg, str)):
            return False
        return node.fn.name in CANNOT_RAISE or _divides_by_literal(node)

    def _is_float(self, operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (int, float) and abs(operand.value) < 2**53  # type: ignore[arg-type]
        return operand in self.floats


def _divides_by_literal(node: Call) -> bool:
    divisor = node.args[1] if node.fn == Prim("truediv") else None
    return isinstance(divisor, Const) and divisor.value != 0
