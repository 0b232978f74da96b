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
from astad.compiler.ir.flow import Backward
from astad.compiler.ir.kinds import is_array, is_floating, is_real
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Exit,
    Prim,
    Program,
)
from astad.compiler.ir.prims import BINARY, IN_PLACE, UNARY, WRITES
from astad.compiler.ir.walk import walk

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
    study = _Finite(facts)
    study.block(program.body[:-1], {result})
    return frozenset(study.finite)


def _returns(block: Block) -> int:
    return sum(isinstance(node, Exit) and node.how == "return" for node in walk(block))


class _Finite(Backward):
    """The names that are finite if the result is; ``finite`` are the calls that give such."""

    must = True

    def __init__(self, facts: Facts) -> None:
        super().__init__()
        self.facts = facts
        self.finite: set[int] = set()

    def step(self, node: Call | Bind, facts: set[str]) -> None:
        is_finite = node.target in facts
        facts.difference_update(node.bound)
        if type(node) is Bind:
            facts.update(node.read if is_finite else ())
            return
        assert type(node) is Call
        if self._may_write(node):
            kind_of = self.facts.kind_of
            facts.intersection_update([name for name in facts if is_real(kind_of(name))])
        self.finite.discard(id(node))  # a further round of a loop may know better
        if is_finite:
            self.finite.add(id(node))
            facts.update(self._passed_on(node))

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


def _names(operands: Iterable[Any]) -> set[str]:
    return {operand for operand in operands if isinstance(operand, str)}


OPERATORS = {*BINARY, *UNARY, "iadd", "isub", "imul", "itruediv", "ipow", "method"}
