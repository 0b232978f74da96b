"""Reverse of operations on lists of numbers, whose cotangents are lists.

``ys.append(x)`` becomes ``x_bar = x_bar + ys_bar.pop()``: going back, the cotangent has at every
point as many items as the list had there, so that an index means the same place in both.
"""

from __future__ import annotations

import functools

import numpy as np

from astad.compiler.analysis.lists import is_append
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.stores import reverse_unpack
from astad.compiler.reverse_mode.structured import Bar, taken, where_present
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["is_of_lists", "reverse_list"]

HOME = "astad.tangents.lists"
ADD_ITEMS = Ref(HOME, "add_items")
EVEN_SHARES = Ref(HOME, "even_shares")
ADD_SLICE = Ref(HOME, "add_slice")
REPEATED = Ref(HOME, "repeated")
ARRAY = Ref("numpy", "array")
LEN = Ref("builtins", "len")
TIES, ADD_SHARES = Ref(HOME, "ties"), Ref(HOME, "add_shares")


def is_of_lists(node: Call, sweep: Sweep) -> bool:
    """Does it make, read or write a list of numbers?"""
    kind_of = sweep.facts.kind_of
    makes = isinstance(node.target, str) and k.is_listing(kind_of(node.target))
    return makes or any(k.is_listing(kind_of(arg)) for arg in node.args)


def reverse_list(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """By the operation."""
    to = Writer(sweep.names, out, node.line)
    if node.target is None:
        _unwrite(node, sweep, to)
        return
    assert isinstance(node.target, str)
    if node.fn == Prim("unpack"):
        reverse_unpack(node, sweep, out)
        return
    if sweep.is_row(node.target, node):
        sweep.bars.take(node.target)  # a part of the list's own
        return
    if k.is_array(sweep.facts.kind_of(node.target)):  # ``np.array(xs)``: others may have it too
        found, state = taken(node, sweep, out)
        if found is not None:
            where_present(node, found, state, functools.partial(_whole, node, sweep), sweep, out)
        return
    if node.target not in sweep.bars.state:
        return
    is_list = k.is_listing(sweep.facts.kind_of(node.target))
    thin = sweep.bars.state[node.target] in ("maybe", "thin")
    if is_list:
        _own_result(node.target, node, sweep, out)
    bar = sweep.bars.take(node.target)
    assert bar is not None
    if node.fn in (Prim("list"), Prim("tuple")):
        _display(node, bar, sweep, to)
    elif node.fn == Prim("getitem"):
        _item(node, bar, is_list, sweep, to)
    elif node.fn == Prim("mul"):
        _multiple(node, bar, sweep, to)
    elif node.fn == Prim("add"):
        _joined(node, bar, sweep, to)
    elif sweep.facts.known.get(str(node.fn)) in (max, min):
        _extreme(node, bar, sweep, to)
    else:
        _whole(node, sweep, Bar(bar, thin=thin), out)


def _own_result(target: str, node: Call, sweep: Sweep, out: list[Node]) -> None:
    """The cotangent may be None: then it is as long as the list that the statement has bound, not
    the one that the name stood for before.
    """
    before = sweep.bars.shape_of
    sweep.bars.shape_of = lambda name, certain: sweep.value(name, node, after=True)
    sweep.bars.own(target, node.line, out)
    sweep.bars.shape_of = before


def _unwrite(node: Call, sweep: Sweep, to: Writer) -> None:
    """``ys.append(x)`` and ``ys[i] = x``: what came to the place is x's; before, there is none."""
    name, value = str(node.args[0]), node.args[-1]
    sweep.bars.own(name, node.line, to.out)
    bar = sweep.bars.name(name)
    if is_append(node):
        part = to.call(Prim("method"), bar, Const("pop"))
        _give(value, part, node, sweep, to)
        return
    place = _place(node, sweep, to)
    part = to.call(Prim("getitem"), bar, place)
    zero = Const(0.0 if sweep.bars.is_of_floats(name) else 0)
    to.out.append(Call(None, Prim("setitem"), (bar, place, zero), (), node.line))
    _give(value, part, node, sweep, to)


def _place(node: Call, sweep: Sweep, to: Writer) -> Operand:
    index = node.args[1]
    assert not isinstance(index, Star)
    return sweep.again(index, node, to.out)


def _give(value: Operand | Star, part: Operand, node: Call, sweep: Sweep, to: Writer) -> None:
    if value in sweep.facts.active:
        sweep.bars.give(str(value), part, node.line, to.out)


def _display(node: Call, bar: str, sweep: Sweep, to: Writer) -> None:
    for place, value in enumerate(node.args):
        if value in sweep.facts.active:
            _give(value, to.call(Prim("getitem"), bar, Const(place)), node, sweep, to)


def _item(node: Call, bar: str, is_list: bool, sweep: Sweep, to: Writer) -> None:
    """To the item, or to those of a slice."""
    name = str(node.args[0])
    if name == node.target:  # ``xs = xs[1:]``
        bar = _aside(bar, node, to)
    sweep.bars.own(name, node.line, to.out)
    place = _place(node, sweep, to)
    if not is_list:
        sweep.bars.give_slot(name, place, bar, node.line, to.out)
        return
    args = (sweep.bars.name(name), place, bar)
    to.out.append(Call(None, ADD_SLICE, args, (), node.line))


def _aside(bar: str, node: Call, to: Writer) -> str:
    aside = to.names.numbered("t")
    to.out.append(Bind(aside, bar, node.line))
    return aside


def _multiple(node: Call, bar: str, sweep: Sweep, to: Writer) -> None:
    name = str(next(arg for arg in node.args if k.is_listing(sweep.facts.kind_of(arg))))
    if name in sweep.facts.active:
        bar = _aside(bar, node, to) if name == node.target else bar
        count = _length(name, node, sweep, to)
        _add(name, to.call(REPEATED, bar, count), node, sweep, to)


def _joined(node: Call, bar: str, sweep: Sweep, to: Writer) -> None:
    """``zs = xs + ys``."""
    first, second = map(str, node.args)
    bar = _aside(bar, node, to) if node.target in node.args else bar
    if first in sweep.facts.active:
        count = _length(first, node, sweep, to)
    else:
        count = to.call(Prim("sub"), to.call(LEN, bar), _length(second, node, sweep, to))
    for name, ends in ((first, (Const(None), count)), (second, (count, Const(None)))):
        if name in sweep.facts.active:
            where = to.call(Prim("slice"), *ends, Const(None))
            _add(name, to.call(Prim("getitem"), bar, where), node, sweep, to)


def _whole(node: Call, sweep: Sweep, whole: Bar, out: list[Node]) -> None:
    """``sum(xs)``, ``sum(xs, start)``, ``np.mean(xs)``, ``list(xs)``, ``np.array(xs)``."""
    to = Writer(sweep.names, out, node.line)
    name = str(node.args[0])
    kind = sweep.facts.kind_of(str(node.target))
    bar = whole.operand
    if k.is_listing(kind) and k.is_listing(sweep.facts.kind_of(name)):
        part = bar
    elif k.is_array(sweep.facts.kind_of(name)):  # ``x.tolist()``
        sweep.bars.give(name, to.call(ARRAY, bar), node.line, to.out)
        return
    elif k.is_array(kind):
        part = to.call(Prim("method"), whole.full(node, sweep, to), Const("tolist"))
    elif sweep.facts.known.get(str(node.fn)) is np.mean:
        part = to.call(EVEN_SHARES, bar, _length(name, node, sweep, to))
    else:
        if len(node.args) > 1:
            _give(node.args[1], bar, node, sweep, to)
        once = to.call(Prim("list"), bar)
        part = to.call(Prim("mul"), once, _length(name, node, sweep, to))
    if name in sweep.facts.active:
        _add(name, part, node, sweep, to)


def _extreme(node: Call, bar: str, sweep: Sweep, to: Writer) -> None:
    """``max(xs)``: to the items that are equal to it, whose places the forward sweep keeps."""
    name = str(node.args[0])
    position = sweep.structure.at(node)
    held = sweep.names.fresh(f"{name}_ties")
    find = Call(held, TIES, (name, str(node.target)), (), node.line)
    sweep.residuals.after[position].append(find)
    sweep.residuals.bind(held, position)
    places = sweep.residuals.use(held, position, after=True)
    sweep.bars.own(name, node.line, to.out)
    args = (sweep.bars.name(name), places, bar)
    to.out.append(Call(None, ADD_SHARES, args, (), node.line))


def _length(name: str, node: Call, sweep: Sweep, to: Writer) -> str:
    """Of an active list as the statement finds it; its cotangent tells, where more comes later."""
    if sweep.bars.is_lent(name) or any(_grows(other, name) for other in sweep.structure.nodes):
        sweep.bars.own(name, node.line, to.out)
        return to.call(LEN, sweep.bars.name(name))
    return to.call(LEN, sweep.value(name, node))


def _grows(node: Node, name: str) -> bool:
    return is_append(node) and node.args[0] == name


def _add(name: str, part: Operand, node: Call, sweep: Sweep, to: Writer) -> None:
    """Add a list that nobody else has."""
    sweep.bars.give(name, part, node.line, to.out)
