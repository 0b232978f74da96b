"""Reverse of copies and of calls whose rule is written out in place.

``y = sin(x)`` becomes ``x_bar = x_bar + y_bar * cos(x)``.

Cotangents of functions with several results: one for each part, packed where the rule reads
them.

``sign, y = np.linalg.slogdet(a)`` becomes ``a_bar = ... log_bar(t, (None, y_bar))``.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import applied
from astad.compiler.analysis.complex_kinds import meets_complex
from astad.compiler.analysis.result_kinds import joins
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import PARTS
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref
from astad.compiler.reverse_mode.adjoint_accumulators import NONE, is_new
from astad.compiler.reverse_mode.complex_parts import complex_parts
from astad.compiler.reverse_mode.elementwise import (
    are_alike,
    elementwise_part,
    has_part,
    part_of_square,
    parts_of_numbers,
    texts_of_numbers,
)
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.structured import (
    Bar,
    give_elements,
    parts_by_rule,
    parts_of_einsum,
    parts_of_join,
    taken,
    where_present,
)
from astad.compiler.reverse_mode.sweep import Sweep, place_of
from astad.rules.registry import lookup

__all__ = ["meets_tuple", "reverse_bind", "reverse_inline", "reverse_tuple"]

GETITEM = Prim("getitem")


def reverse_bind(node: Bind, sweep: Sweep, out: list[Node]) -> None:
    """``y = x``: what came to y goes to x."""
    state = sweep.bars.state.get(node.target)
    if node.source == node.target:
        return
    bar = sweep.bars.take(node.target)
    if bar is not None and isinstance(node.source, str) and node.source in sweep.facts.active:
        certain, thin = state != "maybe", state in ("maybe", "thin")
        owned = state == "owned"
        sweep.bars.give(node.source, bar, node.line, out, certain=certain, thin=thin, owned=owned)


def reverse_inline(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """Take the result's cotangent, add each operand's part; under a test where the cotangent may
    be None.
    """
    bar, state = taken(node, sweep, out)
    if bar is None:
        return
    give = functools.partial(_give_parts, node, sweep)
    where_present(node, bar, state, give, sweep, out)


def _give_parts(node: Call, sweep: Sweep, bar: Bar, out: list[Node]) -> None:
    """By the rule of what the node applies."""
    if isinstance(node.target, str) and sweep.facts.kind_of(node.target).tag in k.LISTED:
        give_elements(node, bar.operand, sweep, out)
        return
    what = applied(node, sweep.facts.known)
    assert what is not None
    is_complex = meets_complex(node, sweep.facts)
    if node.fn is GETITEM:
        _give_item(node, bar, sweep, out)
        return
    to = Writer(sweep.names, out, node.line)
    first = what.args[0]
    if isinstance(first, str) and sweep.facts.kind_of(first).tag in k.LISTED:
        whole = bar.full(node, sweep, to)
        if is_complex and sweep.facts.kind_of(first).tag == "floats":
            whole = to.call(Prim("getattr"), whole, Const("real"))
        listed = to.call(Prim("method"), whole, Const("tolist"))
        sweep.bars.give(first, listed, node.line, out)
        return
    if is_complex:
        parts = complex_parts(node, what, bar, sweep, to)
        give_in_order(node, parts, Bar(bar.operand, thin=bar.thin), sweep, to)
        return
    if (texts := texts_of_numbers(node, sweep)) is not None:
        give_in_order(node, parts_of_numbers(node, texts, bar, sweep, to), bar, sweep, to)
        return
    rule = lookup(what.fn)
    if rule is not None and rule.form in ("linear", "structured") and not rule.on_arrays:
        if joins(what.fn, sweep.facts.kind_of(first)):
            parts = parts_of_join(node, what, bar, sweep, to)
        elif what.fn is np.einsum:
            parts = parts_of_einsum(node, what, bar, sweep, to)
        else:
            parts = parts_by_rule(node, what, rule, bar, sweep, to)
        give_in_order(node, parts, bar, sweep, to)
        return
    alike = are_alike(node, sweep, to)
    if not isinstance(alike, str):
        _give_elementwise(node, what.fn, bar, alike, sweep, out)
        return
    sweep.bars.branch(
        alike,
        lambda arm: _give_elementwise(node, what.fn, bar, True, sweep, arm),
        lambda arm: _give_elementwise(node, what.fn, bar, False, sweep, arm),
        node.line,
        out,
    )


def _give_elementwise(
    node: Call,
    fn: Any,  # the operator or function
    bar: Bar,
    alike: bool | None,
    sweep: Sweep,
    out: list[Node],
) -> None:
    to, own = Writer(sweep.names, out, node.line), Bar(bar.operand, thin=bar.thin, owned=bar.owned)
    parts = [
        (arg, functools.partial(elementwise_part, node, fn, place, own, alike, sweep, to))
        for place, arg in enumerate(node.args)
        if isinstance(arg, str) and arg in sweep.facts.active and has_part(fn, node, place)
    ]
    if fn is operator.mul and node.args[0] == node.args[1]:
        parts = [(parts[0][0], functools.partial(part_of_square, node, own, sweep, to))]
    give_in_order(node, parts, own, sweep, to)


def give_in_order(
    node: Call, parts: Sequence[tuple[str, Callable[[], Bar]]], bar: Bar, sweep: Sweep, to: Writer
) -> None:
    """Part by part; those of one operand are added first, and one that is also the target comes
    last: its cotangent takes the place of the result's.
    """
    names = sorted(dict.fromkeys(name for name, _ in parts), key=lambda name: name == node.target)
    owns = bar.owned and (len(names) == 1 or _hands_on(names, parts, bar, to))
    made = {name: _whole_part(name, parts, to) for name in names if owns}
    for name in names:
        whole = made.get(name) or _whole_part(name, parts, to)
        owned = owns and whole.operand == bar.operand
        sweep.bars.give(name, whole.operand, node.line, to.out, thin=whole.thin, owned=owned)


def _hands_on(
    names: Sequence[str], parts: Sequence[tuple[str, Callable[[], Bar]]], bar: Bar, to: Writer
) -> bool:
    """May one operand have the buffer that is the result's cotangent, to add to it, since all
    others get new arrays, which are made before it is given away? Tried, and not written.
    """
    start, before = len(to.out), None if to.made is None else dict(to.made)
    made = [_whole_part(name, parts, to).operand for name in names]
    new = {node.target for node in to.out[start:] if isinstance(node, Call) and is_new(node)}
    del to.out[start:]
    to.made = before
    bar.forget()
    others = [part for part in made if part != bar.operand]
    return len(others) == len(made) - 1 and all(part in new for part in others)


def _whole_part(name: str, parts: Sequence[tuple[str, Callable[[], Bar]]], to: Writer) -> Bar:
    """The sum of the parts of one operand."""
    first, *rest = [make() for operand, make in parts if operand == name]
    whole, thin = first.operand, first.thin
    for part in rest:
        whole = to.call(Prim("add"), whole, part.operand)
        thin = thin and part.thin
    return Bar(whole, thin=thin)


def _give_item(node: Call, bar: Bar, sweep: Sweep, out: list[Node]) -> None:
    """To the element or slice; an index has no derivative."""
    name, index = node.args
    assert isinstance(name, str) and isinstance(index, (str, Const))
    if name in sweep.facts.active:
        part = bar.operand
        if name == node.target:  # a = a[::-1]: the buffer of parts would take the cotangent's name
            part = sweep.names.fresh(f"{name}_part")
            out.append(Bind(part, bar.operand, node.line))
        first = not sweep.bars.has_shadow(name) and sweep.bars.own(name, node.line, out)
        place, fancy = place_of(index, node, sweep, out), k.is_fancy(sweep.facts.kind_of(index))
        view = k.has_entries(sweep.facts.kind_of(str(node.target)))
        view = view and not k.makes_copy(sweep.facts.kind_of(index))
        to = (name, place, part, node.line, out)
        sweep.bars.give_slot(*to, twice=fancy, view=view, first=first)


# --- functions with several results


ANY_GIVEN = Ref("astad.tangents.arrays", "any_given")


def meets_tuple(node: Call, sweep: Sweep) -> bool:
    """Does it make a tuple of results, or read one?"""
    names = (node.target, *node.args[:1])
    return any(isinstance(x, str) and sweep.facts.kind_of(x) is PARTS for x in names)


def reverse_tuple(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """Of a read: to the part; of the call: by its rule."""
    first, target = node.args[0], str(node.target)
    if not (isinstance(first, str) and sweep.facts.kind_of(first) is PARTS):
        _call(node, sweep, out)
        return
    if node.fn == Prim("unpack"):
        for place in range(len(sweep.facts.parts[target].kinds)):
            _hand_on(
                part_name(target, place, sweep), part_name(first, place, sweep), node, sweep, out
            )
        return
    at = sweep.facts.parts[first].place(node)
    assert at is not None
    _hand_on(target, part_name(first, at, sweep), node, sweep, out)


def part_name(whole: str, place: int, sweep: Sweep) -> str:
    """What the part is called in the table of cotangents."""
    key = whole, place
    if key not in sweep.parts:
        name = sweep.parts[key] = sweep.names.fresh(f"{whole}_{place}")
        sweep.facts.kind[name] = sweep.facts.parts[whole].kinds[place]
    return sweep.parts[key]


def _hand_on(of: str, to_name: str, node: Call, sweep: Sweep, out: list[Node]) -> None:
    state = sweep.bars.state.get(of)
    bar = sweep.bars.take(of)
    if bar is None:
        return
    certain = state != "maybe"
    part: Operand = bar
    if of == node.target and state == "thin":
        part = Bar(bar, thin=True).full(node, sweep, Writer(sweep.names, out, node.line))
    thin = not certain
    sweep.bars.give(to_name, part, node.line, out, certain=certain, thin=thin)


def _call(node: Call, sweep: Sweep, out: list[Node]) -> None:
    target = str(node.target)
    names = [
        part_name(target, place, sweep) for place in range(len(sweep.facts.parts[target].kinds))
    ]
    states = [sweep.bars.state.get(name) for name in names]
    bars: list[Operand] = [sweep.bars.take(name) or NONE for name in names]
    if all(state is None for state in states):
        return
    to = Writer(sweep.names, out, node.line)
    packed = to.call(Prim("tuple"), *bars)
    if any(state not in (None, "maybe") for state in states):
        _give(node, packed, sweep, out)
        return
    test = to.call(ANY_GIVEN, packed)
    sweep.bars.branch(
        test, lambda arm: _give(node, packed, sweep, arm), lambda arm: None, node.line, out
    )


def _give(node: Call, packed: str, sweep: Sweep, out: list[Node]) -> None:
    what = applied(node, sweep.facts.known)
    rule = lookup(what.fn) if what is not None else None
    assert what is not None and rule is not None
    to = Writer(sweep.names, out, node.line)
    parts = parts_by_rule(node, what, rule, Bar(packed, thin=False), sweep, to)
    give_in_order(node, parts, Bar(NONE, thin=False), sweep, to)
