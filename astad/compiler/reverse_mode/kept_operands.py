"""Operands of a statement as its reverse reads them: kept where a formula names them, by shape
alone where it asks for no more.
"""

from __future__ import annotations

from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Operand, Prim
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["kept", "shape_of"]


def kept(operand: Operand, node: Call, sweep: Sweep, to: Writer, *, after: bool) -> Operand:
    """The operand just before the statement (or the result just after it), read through its box
    where somebody may write it later.
    """
    if not isinstance(operand, str) or operand not in sweep.facts.shared:
        return (
            sweep.value(operand, node, after=True) if after else sweep.again(operand, node, to.out)
        )
    position = sweep.structure.at(node)
    key = (position, operand + ">" * after)
    if key not in sweep.boxes:
        box = sweep.boxes[key] = sweep.names.fresh(f"{operand}_box")
        keep = Call(box, Prim("method"), (sweep.versions, Const("keep"), operand), (), node.line)
        (sweep.residuals.after if after else sweep.residuals.before)[position].append(keep)
        sweep.residuals.bind(box, position)
    held = sweep.residuals.use(sweep.boxes[key], position, after=True)
    return to.call(Prim("getitem"), held, Const(0))


def shape_of(operand: Operand, node: Call, sweep: Sweep, to: Writer, *, after: bool) -> Operand:
    """The shape of an array, asked where it is at hand; ``()`` for a number."""
    kind = sweep.facts.kind_of(operand)
    if not isinstance(operand, str) or not (k.holds_memory(kind) or k.has_axes(kind)):
        return Const(())
    found = sweep.shape_elsewhere(operand, node, after=after)
    if isinstance(found, Const):
        return found
    if found is not None:
        return to.call(Prim("getattr"), found, Const("shape"))
    position = sweep.structure.at(node)
    held = sweep.residuals.use_shape(operand, position, after=after)
    return to.call(Prim("getattr"), held, Const("shape"))
