"""Cotangents of functions with several results: one for each part, packed where the rule reads
them.

``sign, y = np.linalg.slogdet(a)`` becomes ``a_bar = ... log_bar(t, (None, y_bar))``.
"""

from __future__ import annotations

from astad.compiler.analysis.applied import applied
from astad.compiler.ir.kinds import PARTS
from astad.compiler.ir.nodes import Call, Node, Operand, Prim, Ref
from astad.compiler.reverse_mode.bars import NONE
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.straight_line import give_in_order
from astad.compiler.reverse_mode.structured import Bar, parts_by_rule
from astad.compiler.reverse_mode.sweep import Sweep
from astad.rules.registry import lookup

__all__ = ["meets_tuple", "reverse_tuple"]

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
