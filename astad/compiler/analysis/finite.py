"""Which values are finite, each entry of them, whenever the result is.

``y = np.sum(a * b)`` is finite only if a and b are: an infinity or a nan goes through sums and
products to the end. So one look at the result may stand for a look at every array.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from astad.compiler.analysis.applied import applied
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.operations import row_of
from astad.compiler.ir.kinds import is_array, is_floating, is_real
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Exit,
    Loop,
    Node,
    Prim,
    Program,
    While,
)
from astad.compiler.ir.prims import BINARY, IN_PLACE, UNARY, WRITES
from astad.compiler.ir.walk import binds, bound_inside, walk

__all__ = ["find_finite"]


def find_finite(program: Program, facts: Facts) -> frozenset[int]:
    """The calls, by ``id``, of which the result is finite if the function's own is.

    Empty where the function has no single result that is a float, or no arrays.
    """
    last = program.body[-1] if program.body else None
    result = last.value if isinstance(last, Exit) else None
    if not isinstance(result, str) or not is_floating(facts.kind_of(result)):
        return frozenset()
    if not any(map(is_array, facts.kind.values())) or _returns(program.body) != 1:
        return frozenset()
    study = _Study(facts)
    study.block(program.body[:-1], {result})
    return frozenset(study.finite)


def _returns(block: Block) -> int:
    return sum(isinstance(node, Exit) and node.how == "return" for node in walk(block))


class _Study:
    """Goes backwards with the names that are finite where it stands, if the result is."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.finite: set[int] = set()
        self.steady: set[str] = set()

    def block(self, block: Block, names: set[str]) -> None:
        """``names`` at the end of the block become those at its head."""
        for node in reversed(block):
            self._node(node, names)

    def _node(self, node: Node, names: set[str]) -> None:
        if isinstance(node, Bind):
            if node.target in names:
                names.discard(node.target)
                names.update(_names([node.source]))
        elif isinstance(node, Call):
            self._call(node, names)
        elif isinstance(node, Branch):
            other = set(names)
            self.block(node.body, names)
            self.block(node.orelse, other)
            names &= other
        elif isinstance(node, Exit):
            names.clear()
            names.update(self.steady)  # it goes on behind the loop, or at its head
        elif isinstance(node, Loop | While):
            self._loop(node, names)

    def _loop(self, node: Loop | While, names: set[str]) -> None:
        """At the end of an iteration: what the loop does not bind, and running sums."""
        after, bound = set(names), bound_inside(node)
        self.block(node.orelse, names)
        if any(isinstance(inner, Exit) for inner in walk((node,))):
            steady = names & after - bound
        else:
            steady = {n for n in names if n not in bound or _is_running_sum(n, node)}
        outer, self.steady = self.steady, steady
        inside = set(steady)
        self.block(node.body, inside)
        if isinstance(node, While):
            self.block(node.head, inside)
        self.steady = outer
        names.intersection_update(steady)

    def _call(self, node: Call, names: set[str]) -> None:
        is_finite = node.target in names
        names.difference_update(binds(node))
        if self._may_write(node):
            kind_of = self.facts.kind_of
            names.intersection_update([name for name in names if is_real(kind_of(name))])
        if is_finite:
            self.finite.add(id(node))
            names.update(self._passed_on(node))

    def _may_write(self, node: Call) -> bool:
        """May an array be written, perhaps under another name?"""
        if self.facts.treatment.get(id(node)) in ("dispatch", "pair"):
            return True
        name = node.fn.name if isinstance(node.fn, Prim) else ""
        if name == "method":
            return applied(node, self.facts.known) is None
        if name in IN_PLACE:
            return not is_real(self.facts.kind_of(node.args[0]))
        return name in (*WRITES, "delitem", "setattr")

    def _passed_on(self, node: Call) -> set[str]:
        """The operands that are finite when the result is."""
        if self.facts.treatment.get(id(node)) in ("dispatch", "pair"):
            return set()
        name = node.fn.name if isinstance(node.fn, Prim) else ""
        if name and name not in OPERATORS:
            return set()
        what = applied(node, self.facts.known)
        rule = None if what is None else row_of(what.fn, what.args)
        if what is None or rule is None:
            return set()
        passing = rule.finite.split()
        given = zip(rule.parameters, what.args, strict=False)
        return _names(arg for name, arg in given if name in passing)


def _is_running_sum(name: str, loop: Loop | While) -> bool:
    """Is it bound inside the loop only as ``s = s + ...``, so that what it was before is finite?"""
    return all(
        isinstance(node, Call) and node.fn in RUNNING and name in node.args
        for node in walk((loop,))
        if name in binds(node)
    )


def _names(operands: Iterable[Any]) -> set[str]:
    return {operand for operand in operands if isinstance(operand, str)}


RUNNING = (Prim("add"), Prim("sub"), Prim("iadd"), Prim("isub"))
OPERATORS = {*BINARY, *UNARY, "iadd", "isub", "imul", "itruediv", "ipow", "method"}
