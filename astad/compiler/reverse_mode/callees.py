"""Calls of the user's functions whose pairs stand in the same text.

Forward ``y, y_kept = f_forward(a, b)``, in reverse ``a_bar = f_pullback(y_kept, y_bar)``: one part
for each operand that carries a derivative. An array that the callee reads by element has its buffer
handed over instead: ``f_pullback(y_kept, y_bar, a_bar)``.
"""

from __future__ import annotations

import functools

from astad.compiler.analysis.callees import Known
from astad.compiler.ir.nodes import GENERATED, Bind, Call, Node, Operand, Prim, Ref
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.structured import Bar, where_present
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["forward_pair", "forward_ref", "pullback_ref", "reverse_pair"]


def forward_ref(known: Known) -> Ref:
    return Ref(GENERATED, f"{known.stem}_forward")


def pullback_ref(known: Known) -> Ref:
    return Ref(GENERATED, f"{known.stem}_pullback")


def forward_pair(node: Call, sweep: Sweep) -> list[Node]:
    """By the forward sweep where the reverse sweep reads its record, or where it may leave, else
    the function itself.
    """
    about = sweep.facts.about[id(node)]
    record = sweep.records.get(sweep.structure.at(node), sweep.unused if about.leaves else None)
    if record is None:
        return [node]
    both = (node.target if isinstance(node.target, str) else sweep.unused, record)
    if not about.leaves:
        return [Call(both, forward_ref(about), node.args, (), node.line)]
    out = list[Node]()
    to = Writer(sweep.names, out, node.line)
    out.append(
        Call(result := sweep.names.numbered("t"), forward_ref(about), node.args, (), node.line)
    )
    left = to.call(Prim("is_"), result, Ref("builtins", "NotImplemented"))
    return [
        *out,
        Call(None, Prim("leave_if"), (left,), (), node.line),
        Bind(both, result, node.line),  # type: ignore[arg-type]
    ]


def reverse_pair(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """Hand the result's cotangent to the pullback, if there is one."""
    assert isinstance(node.target, str)
    state = sweep.bars.state.get(node.target)
    bar = sweep.bars.take(node.target)
    if bar is None:
        return
    position = sweep.structure.at(node)
    if position not in sweep.records:
        sweep.records[position] = sweep.names.fresh(f"{node.target}_kept")
        sweep.residuals.bind(sweep.records[position], position)
    where_present(node, bar, state, functools.partial(_pull, node, sweep), sweep, out)


def _pull(node: Call, sweep: Sweep, whole: Bar, out: list[Node]) -> None:
    bar = whole.full(node, sweep, Writer(sweep.names, out, node.line))
    about = sweep.facts.about[id(node)]
    position = sweep.structure.at(node)
    given: list[Operand] = [sweep.residuals.use(sweep.records[position], position, after=True), bar]
    parts: list[tuple[str, str, bool]] = []
    for arg, is_active, buffered, certain in zip(
        node.args, sweep.facts.callees[id(node)].active, about.buffered, about.certain, strict=True
    ):
        if not is_active or not isinstance(arg, str):
            continue
        if buffered:
            if arg == node.target:  # the buffer takes the name of the result's cotangent
                aside = given[1] = sweep.names.numbered("t")
                out.append(Bind(aside, bar, node.line))
            sweep.bars.own(arg, node.line, out)
            given.append(sweep.bars.name(arg))
        else:
            parts.append((arg, sweep.names.numbered(f"{arg}_part"), certain))
    names = tuple(part for _, part, _ in parts)
    target = None if not names else names[0] if len(names) == 1 else names
    out.append(Call(target, pullback_ref(about), tuple(given), (), node.line))
    for arg, part, certain in parts:
        sweep.bars.give(arg, part, node.line, out, certain=certain)
