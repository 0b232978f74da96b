"""Arrays of which entries may be left out of the result: by a slice, a mask, a write, a choice, a
function that passes nan over. Their cotangents are exactly 0 there, whatever the value is.

``y = x * np.log(x); return np.sum(y[1:])``: of y, and of what y is computed from entry by entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from astad.compiler.analysis.applied import Applied, applied
from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import is_array, is_real
from astad.compiler.ir.nodes import Bind, Call, Exit, Loop, Node, Prim, Program
from astad.compiler.ir.prims import BINARY, IN_PLACE, UNARY, WRITES
from astad.compiler.ir.walk import walk
from astad.rules.formula import Rule
from astad.rules.registry import lookup

__all__ = ["entries_of", "find_left_out"]


def find_left_out(program: Program, facts: Facts, *, handed: bool) -> frozenset[str]:
    """Names of such arrays; ``handed``: the cotangent of the result comes from outside, and may
    have zeros.
    """
    if not any(map(is_array, facts.kind.values())):
        return frozenset()
    nodes = list(walk(program.body))[::-1]  # zeros go from results to operands
    found: set[str] = set()
    for node in nodes:
        found.update(_names(_lost(node, facts)))
        if handed and isinstance(node, Exit) and node.how == "return":
            found.update(_names([node.value]))
    links = [link for node in nodes if (link := _link(node, facts))] if found else []
    before = -1
    while len(found) > before:
        before = len(found)
        for targets, operands in links:
            if not found.isdisjoint(targets):
                found.update(operands)
    return frozenset(found)


def _names(operands: Iterable[Any]) -> list[str]:
    return [each for each in operands if isinstance(each, str)]


def _lost(node: Node, facts: Facts) -> Iterable[Any]:
    """The operands of which the node may not read every entry."""
    if isinstance(node, Loop):
        return [node.iterable]  # it may be left before the end
    if not isinstance(node, Call) or node.fn in UNREAD or _is_whole(node, facts):
        return ()
    return [*node.args, *(value for _, value in node.keywords)]


def _is_whole(node: Call, facts: Facts) -> bool:
    """Does every entry of each operand that gets a cotangent go into the result?"""
    if facts.treatment.get(id(node)) in ("dispatch", "pair"):
        return False
    rule = _rule(node, facts)
    return rule is not None and (rule.form == "zero" or bool(rule.entries))


def _rule(node: Call, facts: Facts) -> Rule | None:
    what = _applied(node, facts)
    return None if what is None else lookup(what.fn)


def _applied(node: Call, facts: Facts) -> Applied | None:
    if isinstance(node.fn, Prim) and node.fn.name not in OPERATORS:
        return None
    return applied(node, facts.known)


def _link(node: Node, facts: Facts) -> tuple[list[str], list[str]] | None:
    """The names that a statement binds or writes, and those that their zeros go on to."""
    if isinstance(node, Bind):
        return (_targets(node.target), _names([node.source]))
    if not isinstance(node, Call):
        return None
    written = isinstance(node.fn, Prim) and node.fn.name in WRITES
    into = node.args[0] if written else node.target
    operands = {*node.args} - _mixed(node, facts)
    return _targets(into), _names([*operands, *(value for _, value in node.keywords)])


def _targets(target: Any) -> list[str]:
    return _names([target] if isinstance(target, str) else target or ())


def _mixed(node: Call, facts: Facts) -> set[Any]:
    """The operands of which each entry goes into every entry of the result."""
    rule, what = _rule(node, facts), _applied(node, facts)
    if rule is None or what is None:
        return set()
    is_number = is_real(facts.kind_of(str(node.target)))
    found = set()
    for name, operand in zip(rule.parameters, what.args, strict=False):
        how, kind = entries_of(rule, name), facts.kind_of(operand)
        into_all = {"mixed": kind.rank == 2, "contracted": is_number or kind.rank == 1}
        if is_array(kind) and into_all.get(how):
            found.add(operand)
    return found


def entries_of(rule: Rule, parameter: str) -> str:
    """What the row says of the entries of one operand.

    >>> import numpy as np
    >>> entries_of(lookup(np.linalg.solve), "b"), entries_of(lookup(np.linalg.inv), "a")
    ('contracted', 'mixed')
    """
    if "=" not in rule.entries:
        return rule.entries
    told = dict(part.strip().split("=") for part in rule.entries.split(","))
    return told.get(parameter, "")


OPERATORS = {*BINARY, *UNARY, *IN_PLACE, "method", "getattr"}
UNREAD = (Prim("global"), Prim("tuple"), Prim("list"))
