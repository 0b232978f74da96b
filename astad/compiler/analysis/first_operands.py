"""First operands that nothing else reads: shapes of arrays that are made, displays of arrays that
are joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from astad.compiler.analysis.result_kinds import JOINS, makes_array
from astad.compiler.ir.nodes import Call, Program
from astad.compiler.ir.walk import reads, walk

__all__ = ["displays_joined", "names_of_shapes"]


def names_of_shapes(program: Program, known: Mapping[str, object]) -> set[str]:
    """Names that are read once, as the shape of an array that is made."""
    return _first_operands(program, lambda node: makes_array(known.get(str(node.fn))))


def displays_joined(program: Program, known: Mapping[str, object]) -> set[str]:
    """Names that are read once, by a call that joins the arrays in them."""

    def joins(node: Call) -> bool:
        return any(known.get(str(node.fn)) is each for each in JOINS)

    return _first_operands(program, joins)


def _first_operands(program: Program, chosen: Callable[[Call], bool]) -> set[str]:
    """First operands of the chosen calls, of those that nothing else reads."""
    nodes = list(walk(program.body))
    count = Counter(name for node in nodes for name in reads(node))
    first = [node.args[0] for node in nodes if isinstance(node, Call) and node.args if chosen(node)]
    return {name for name in first if isinstance(name, str) and count[name] == 1}
