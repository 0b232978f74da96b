"""First operands that nothing else reads: shapes of arrays that are made, displays of arrays that
are joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from astad.compiler.analysis.result_kinds import joins, makes_array
from astad.compiler.ir.nodes import Program
from astad.compiler.ir.outline import outline

__all__ = ["displays_joined", "names_of_shapes"]


def names_of_shapes(program: Program, known: Mapping[str, object]) -> set[str]:
    """Names that are read once, as the shape of an array that is made."""
    return _first_operands(program, {name for name, fn in known.items() if makes_array(fn)})


def displays_joined(program: Program, known: Mapping[str, object]) -> set[str]:
    """Names that are read once, by a call that joins the arrays in them."""
    return _first_operands(program, {name for name, fn in known.items() if joins(fn)})


def _first_operands(program: Program, functions: Set[str]) -> set[str]:
    """First operands of the calls of these, as far as nothing else reads them."""
    text = outline(program)
    calls = [node for node in text.calls if node.fn in functions] if functions else []
    first = [node.args[0] for node in calls if node.args]
    return {name for name in first if isinstance(name, str) and text.read[name] == 1}
