"""Cotangents of arrays that a call joins: each gets its piece of the result's.

``y = np.concatenate([a, b], axis=1)`` becomes ``a_bar = y_bar[:, :n]``, ``b_bar = y_bar[:, n:]``
with ``n = a.shape[1]``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from astad.compiler.analysis.applied import Applied
from astad.compiler.analysis.given import bound, literal_axes, signature_of
from astad.compiler.ir.nodes import Call, Const, Operand, Prim
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.structured import Bar
from astad.compiler.reverse_mode.sweep import Sweep, shape_of

__all__ = ["parts_of_join"]


def parts_of_join(
    node: Call, what: Applied, bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each item and its piece; that of one which is not active is dead code."""
    knowledge = sweep.facts.knowledge
    items = knowledge.items(what.args[0]) or ()
    made = knowledge.displays[str(what.args[0])]
    stacks, axis, rank = _axis(what, sweep)
    whole = bar.full(node, sweep, to)
    found: list[tuple[str, Callable[[], Bar]]] = []
    start: Operand = Const(0)
    for number, item in enumerate(items):
        is_last = number == len(items) - 1
        is_number = not knowledge.kind_of(item).rank
        stop: Operand = Const(None)
        if not stacks and not is_last:
            length: Operand = Const(1)
            if not is_number:
                shape = shape_of(item, made, sweep, to, after=False)
                length = to.call(Prim("getitem"), shape, Const(axis))
            stop = length if start == Const(0) else to.call(Prim("add"), start, length)
        if isinstance(item, str):
            first = Const(None) if start == Const(0) else start
            place: tuple[Operand, ...] = (first, stop, Const(None))
            if stacks or is_number:
                place = (Const(number) if stacks else start,)
            found.append((item, functools.partial(_piece, whole, place, axis, to)))
        start = stop
    return found


def _piece(whole: Operand, place: tuple[Operand, ...], axis: int, to: Writer) -> Bar:
    """``whole[:, first:stop]`` or ``whole[:, number]``, with as many colons as there are axes
    before this one.
    """
    every = [to.call(Prim("slice"), *[Const(None)] * 3) for _ in range(axis)]
    own = place[0] if len(place) == 1 else to.call(Prim("slice"), *place)
    index = to.call(Prim("tuple"), *every, own) if every else own
    return Bar(to.call(Prim("getitem"), whole, index), thin=False)


def _axis(what: Applied, sweep: Sweep) -> tuple[bool, int, int]:
    """Is there a new axis, which one it is, and how many axes the result has."""
    knowledge = sweep.facts.knowledge
    items = knowledge.items(what.args[0]) or ()
    rank = knowledge.kind_of(items[0]).rank or 0
    if what.fn in (np.vstack, np.column_stack):
        axis = 0 if what.fn is np.vstack else 1
        return rank == 1, axis, max(rank, 2)
    if what.fn is np.dstack:
        return rank == 2, 2, 3
    if what.fn is np.hstack:
        rank = max(rank, 1)
        return False, min(rank - 1, 1), rank
    stacks = what.fn in (np.stack, np.array)
    given = bound(signature_of("arrays, axis=0"), what.args, what.keywords, knowledge)
    assert given is not None
    axes = literal_axes(given, rank + stacks)
    assert axes is not None
    return stacks, axes[0], rank + stacks
