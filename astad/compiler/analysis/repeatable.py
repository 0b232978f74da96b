"""May a program run more often than once, so that nobody sees it and it gives the same each time?

>>> from astad.compiler.analysis.findings import Facts
>>> from astad.compiler.lower.function import program_of
>>> facts = Facts({}, set())
>>> is_repeatable(program_of("return x * x"), facts), is_repeatable(program_of("x[0] = 2.0"), facts)
(True, False)
"""

from __future__ import annotations

import numpy as np

from astad.compiler.analysis.applied import applied
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.operations import is_draw
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Call, Loop, Node, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.compiler.ir.walk import walk
from astad.rules.in_force import has_custom_rule
from astad.rules.registry import lookup

__all__ = ["is_repeatable"]

READS = {
    *BINARY, *UNARY, *COMPARE, "tuple", "list", "dict", "slice", "unpack", "global", "getattr",
    "getitem", "not", "truth", "cell_new", "cell_get", "cell_get_local",
}  # fmt: skip
WRITES = {*IN_PLACE, "setitem", "list_append", "list_extend", "augment", "update"}
PLAIN = (abs, bool, divmod, enumerate, float, int, len, list, max, min, range, reversed, round, sum,
         tuple, zip)  # fmt: skip


def is_repeatable(program: Program, facts: Facts) -> bool:
    """What is not known to be so is taken not to be; of what it calls by a pair, its own program
    tells.
    """
    outer = _from_outside(program)
    return all(
        facts.treatment.get(id(node)) == "pair" or _repeats(node, facts, outer)
        for node in walk(program.body)
        if isinstance(node, Call)
    )


def _from_outside(program: Program) -> set[str]:
    """Names of what the program has not made itself, or that may be part of such."""
    found = {param.name for param in program.params}
    found |= {str(node.target) for node in outline(program).calls_of("global")}
    before = -1
    while len(found) != before:
        before = len(found)
        for node in walk(program.body):
            if _hands_on(node, found):
                found |= set(node.bound)
    return found


def _hands_on(node: Node, found: set[str]) -> bool:
    """May what it binds be one of these, or share memory with one? Arithmetic is new."""
    if isinstance(node, Bind):
        return node.source in found
    if isinstance(node, Loop):
        return node.iterable in found
    if not isinstance(node, Call):
        return False
    is_new = isinstance(node.fn, Prim) and node.fn.name in (*BINARY, *UNARY, *COMPARE)
    return not is_new and any(arg in found for arg in node.args)


def _repeats(node: Call, facts: Facts, outer: set[str]) -> bool:
    if isinstance(node.fn, Prim) and node.fn.name in READS:
        return True
    if isinstance(node.fn, Prim) and node.fn.name in WRITES:
        whole = node.args[0]
        return whole not in outer or k.is_real(facts.kind_of(whole))
    if isinstance(node.fn, Prim) and node.fn.name != "method":
        return False
    what = applied(node, facts.known)
    if what is None or any(word == "out" for word, _ in what.keywords):
        return False
    if isinstance(what.fn, np.ufunc) and len(what.args) > what.fn.nin:
        return False  # the last is written
    is_known = lookup(what.fn) is not None or what.fn in PLAIN
    return is_known and not is_draw(what.fn) and not has_custom_rule(what.fn)
