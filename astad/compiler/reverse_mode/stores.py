"""Reverse of writes into local arrays: what was stored takes the cotangent of the place.

And of arrays taken apart: the place takes the cotangent of what it was bound to.

``u[i] = v`` becomes ``v_bar = u_bar[i]; u_bar[i] = 0.0``, ``u[i] += v`` ``v_bar = u_bar[i]``.
"""

from __future__ import annotations

from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.sweep import Sweep, place_of

__all__ = ["reverse_store", "reverse_unpack"]

TO_SHAPE = Ref("astad.tangents.arrays", "sum_to_shape")


def reverse_store(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """The part of what was stored; what the place held before has none."""
    array = str(node.args[0])
    if array not in sweep.bars.state:
        return  # nobody reads it afterwards
    sweep.bars.own(array, node.line, out)
    index = node.args[1]
    assert not isinstance(index, Star)
    place = place_of(index, node, sweep, out)
    triple = sweep.facts.augmented.get(id(node))
    if triple is None:
        _take(node, place, sweep, out)
    elif triple.works.fn == Prim("imul"):
        _scale(node, place, triple.value, sweep, out)
    else:
        negated = triple.works.fn == Prim("isub")
        _give(node, place, triple.value, sweep, out, negated=negated)


def reverse_unpack(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """``x, y = v``: each part's cotangent to its place; a name bound twice stands for the last."""
    array = str(node.args[0])
    targets = sweep.facts.unpackings[id(node)].targets
    for place in reversed(range(len(targets))):
        bar = sweep.bars.take(targets[place])
        part = sweep.facts.unpackings[id(node)].parts[place]
        if bar is not None and not sweep.is_row(targets[place], part):
            sweep.bars.give_slot(array, Const(place), bar, node.line, out)


def _take(node: Call, place: Operand, sweep: Sweep, out: list[Node]) -> None:
    """``u[i] = v``; of ``u[i] = u`` the place is emptied before u takes its part."""
    array, value = node.args[0], node.args[2]
    part = _part(node, place, value, sweep, out)
    if part is not None and value != array:
        _add(node, value, part, sweep, out)
    bar = sweep.bars.name(str(array))
    out.append(Call(None, Prim("setitem"), (bar, place, Const(0.0)), (), node.line))
    if part is not None and value == array:
        _add(node, value, part, sweep, out)


def _scale(
    node: Call, place: Operand, value: Operand | Star, sweep: Sweep, out: list[Node]
) -> None:
    """``u[i] *= v``: v's part needs what the place held before."""
    to = Writer(sweep.names, out, node.line)
    bar = sweep.bars.name(str(node.args[0]))
    if sweep.facts.is_active(value):
        part = to.call(Prim("mul"), to.call(Prim("getitem"), bar, place), _before(node, sweep))
        _add(node, value, part, sweep, out)
    assert not isinstance(value, Star)
    factor = sweep.value(value, node)
    out.append(Call(None, Prim("augment"), (bar, place, Const("imul"), factor), (), node.line))


def _before(node: Call, sweep: Sweep) -> Operand:
    """A copy of what the place held, made before the write."""
    position = sweep.structure.at(node)
    view, old = sweep.names.numbered("t"), sweep.names.fresh(f"{node.args[0]}_old")
    sweep.residuals.before[position] += [
        Call(view, Prim("getitem"), node.args[:2], (), 0),
        Call(old, Prim("method"), (view, Const("copy")), (), 0),
    ]
    sweep.residuals.bind(old, position)
    return sweep.residuals.use(old, position, after=True)


def _give(
    node: Call,
    place: Operand,
    value: Operand | Star,
    sweep: Sweep,
    out: list[Node],
    *,
    negated: bool = False,
) -> None:
    """The cotangent of the place to the value."""
    part = _part(node, place, value, sweep, out, negated=negated)
    if part is not None:
        _add(node, value, part, sweep, out)


def _part(
    node: Call,
    place: Operand,
    value: Operand | Star,
    sweep: Sweep,
    out: list[Node],
    *,
    negated: bool = False,
) -> Operand | None:
    """The cotangent of the place as a copy, for the buffer will change; None for a constant."""
    if not sweep.facts.is_active(value):
        return None
    to = Writer(sweep.names, out, node.line)
    part = to.call(Prim("getitem"), sweep.bars.name(str(node.args[0])), place)
    kind = sweep.facts.kind_of(value)
    if negated:
        part = to.call(Prim("neg"), part)
    elif k.has_entries(kind):
        part = to.call(Prim("method"), part, Const("copy"))
    if k.is_complex(sweep.facts.kind_of(node.args[0])) and not k.is_complex(kind):
        part = to.call(Prim("getattr"), part, Const("real"))
    return part


def _add(node: Call, value: Operand | Star, part: Operand, sweep: Sweep, out: list[Node]) -> None:
    """Summed to the shape of what was stored."""
    assert isinstance(value, str)
    to = Writer(sweep.names, out, node.line)
    triple = sweep.facts.augmented.get(id(node))
    if triple is not None and sweep.extents.repeated(triple.works, value) == ():
        sweep.bars.give(value, part, node.line, out)
        return
    slot = k.subscripted(*(sweep.facts.kind_of(arg) for arg in node.args[:2]))
    if k.has_entries(sweep.facts.kind_of(value)):
        shaped = sweep.shape(node, value) or value
        shape = (
            shaped
            if isinstance(shaped, Const)
            else to.call(Prim("getattr"), shaped, Const("shape"))
        )
        part = to.call(TO_SHAPE, part, shape)
    elif slot is not None and k.has_entries(slot):
        part = to.call(Ref("numpy", "sum"), part)
    sweep.bars.give(value, part, node.line, out)
