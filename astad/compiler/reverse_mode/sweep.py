"""What the files of this folder share while they write one pair: facts, cotangents, residuals, fresh names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.structure import Structure
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Block, Node, Operand, Program
from astad.compiler.reverse_mode.bars import Bars
from astad.compiler.reverse_mode.residuals import Residuals

__all__ = ["ReverseBlock", "Sweep"]


@dataclass(slots=True)
class Sweep:
    """The state of writing one function's two sweeps.

    ``records`` maps the position of a dispatched call to the name of its record, ``boxes`` that of an inline call and
    an operand to the name of the operand's box, ``left`` a scope (a loop's position, or -1) to the name that tells
    which exit was taken, ``took`` a branch to the name that tells which arm ran.
    """

    program: Program
    structure: Structure
    facts: Facts
    names: Names
    bars: Bars
    residuals: Residuals
    versions: str = "versions"
    shadows: str = "shadows"
    unused: str = "_"
    scope: int = -1
    result_bar: str = "y_bar"
    result_bar_is_certain: bool = False
    records: dict[int, str] = field(default_factory=dict)
    boxes: dict[tuple[int, str], str] = field(default_factory=dict)
    left: dict[int, str] = field(default_factory=dict)
    took: dict[int, str] = field(default_factory=dict)
    completed: dict[int, str] = field(default_factory=dict)
    routes: dict[int, str] = field(default_factory=dict)
    ranges: dict[int, Operand] = field(default_factory=dict)
    uses_shadows: bool = False
    flush_position: int = 0

    def value(self, operand: Operand, node: Node, *, after: bool = False) -> Operand:
        """The operand as the reverse sweep of this node reads it: a constant itself, a name as a residual."""
        if not isinstance(operand, str):
            return operand
        return self.residuals.use(operand, self.structure.at(node), after=after)


ReverseBlock = Callable[[Block, "Sweep", list[Node]], None]
