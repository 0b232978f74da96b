"""May a program write containers that come in, on ways that its own text does not show?"""

from __future__ import annotations

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.nodes import Call, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.rules.registry import lookup

__all__ = ["may_write_containers"]

READING = {*BINARY, *UNARY, *COMPARE, "tuple", "list", "dict", "slice", "unpack", "format", "join"}
"""Operations that write none of their operands."""


def may_write_containers(program: Program, facts: Facts) -> bool:
    """Is anything called, with a derivative, that could write what it is not even given?"""
    text = outline(program)
    given = [param.name for param in program.params]
    found = [str(node.target) for node in text.calls_of("global") if node.target not in facts.known]
    strange = any(facts.kind_of(name) == UNKNOWN for name in (*given, *found))
    return any(
        facts.treatment.get(id(node)) == "dispatch" and not _is_harmless(node, facts, strange)
        for node in text.calls
    )


def _is_harmless(node: Call, facts: Facts, strange: bool) -> bool:
    """Numbers and arrays come of it, or what has been made here; an operator on an object of the
    user's may do anything.
    """
    operands_known = all(facts.kind_of(arg) != UNKNOWN for arg in node.args)
    if isinstance(node.fn, Prim):
        return operands_known or (node.fn.name in READING and not strange)
    known = facts.known.get(str(node.fn))
    return lookup(known) is not None and (operands_known or not strange)
