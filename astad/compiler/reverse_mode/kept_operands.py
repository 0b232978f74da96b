"""Operands of a statement as its reverse reads them: kept where a formula names them, by shape
alone where it asks for no more.
"""

from __future__ import annotations

from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Ref
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["kept", "place_of", "shape_of"]

FROZEN = Ref("astad.runtime.indexing", "frozen_index")


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


def place_of(index: Operand, node: Call, sweep: Sweep, out: list[Node]) -> Operand:
    """The subscript of a statement as its reverse reads it: a copy, made before the statement,
    where somebody may write an array in it.
    """
    if not isinstance(index, str) or not _may_be_written(index, sweep):
        return sweep.again(index, node, out)
    position = sweep.structure.at(node)
    key = (position, index + "[]")
    if key not in sweep.boxes:
        frozen = sweep.boxes[key] = sweep.names.fresh(f"{index}_then")
        copies = Call(frozen, FROZEN, (index,), (), node.line)
        sweep.residuals.before[position].append(copies)
        sweep.residuals.bind(frozen, position)
    return sweep.residuals.use(sweep.boxes[key], position, after=True)


def _may_be_written(index: str, sweep: Sweep) -> bool:
    """Is it an array that others reach, or a tuple that may hold one?"""
    shared, kind = sweep.facts.shared, sweep.facts.kind_of(index)
    if index in shared:
        return True
    if kind.tag != "fancy" or not any(k.makes_copy(sweep.facts.kind_of(name)) for name in shared):
        return False
    nodes = [
        sweep.structure.nodes[binding.position]
        for binding in sweep.structure.bindings[index]
        if binding.position >= 0
    ]
    tuples = [made for made in nodes if isinstance(made, Call) and made.fn == Prim("tuple")]
    return len(tuples) < len(nodes) or any(
        not shared.isdisjoint(map(str, made.args)) for made in tuples
    )


def shape_of(operand: Operand, node: Call, sweep: Sweep, to: Writer, *, after: bool) -> Operand:
    """The shape of an array, asked where it is at hand; ``()`` for a number."""
    kind = sweep.facts.kind_of(operand)
    if not isinstance(operand, str) or not (k.holds_memory(kind) or k.has_axes(kind)):
        return Const(())  # no program is known: a rule that asks for the shape of a number
    found = sweep.shape_elsewhere(operand, node, after=after)
    if isinstance(found, Const):
        return found
    if found is not None:
        return to.call(Prim("getattr"), found, Const("shape"))
    position = sweep.structure.at(node)
    held = sweep.residuals.use_shape(operand, position, after=after)
    return to.call(Prim("getattr"), held, Const("shape"))
