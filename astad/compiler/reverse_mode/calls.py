"""Calls whose rule is found at run time.

Forward ``y, y_kept = call(versions, fn, a, b)``, in reverse
``a_bar, b_bar = pull(shadows, y_kept, y_bar, 2)``.

Calls of the user's functions whose pairs stand in the same text.

Forward ``y, y_kept = f_forward(a, b)``, in reverse ``a_bar = f_pullback(y_kept, y_bar)``: one part
for each operand that carries a derivative. An array that the callee reads by element has its buffer
handed over instead: ``f_pullback(y_kept, y_bar, a_bar)``.
"""

from __future__ import annotations

import functools

from astad.compiler.analysis.callees import Known
from astad.compiler.ir.kinds import COMPLEX, UNKNOWN, is_array, is_real
from astad.compiler.ir.nodes import GENERATED, Bind, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.ir.prims import BINARY, CALLABLES, COMPARE, IN_PLACE, UNARY
from astad.compiler.reverse_mode.adjoint_accumulators import NONE
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.structured import Bar, where_present
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = [
    "PULL",
    "flush",
    "forward_dispatch",
    "forward_pair",
    "forward_ref",
    "function_of",
    "pullback_ref",
    "reverse_dispatch",
    "reverse_pair",
    "to_shadow",
]

CALL = Ref("astad.runtime.dispatch", "call")
ADD_PART = Ref("astad.runtime.dispatch", "add_part")
ADD_SLOT = Ref("astad.runtime.dispatch", "add_slot")
PULL = Ref("astad.runtime.dispatch", "pull")


@functools.cache
def function_of(prim: Prim) -> Ref:
    """The callable that stands for an operation of the language in a dispatched call."""
    name = prim.name
    if name in BINARY or name in IN_PLACE or name in UNARY or name in COMPARE:
        return Ref("operator", name)
    if name in ("getitem", "setitem", "delitem", "contains"):
        return Ref("operator", name)
    if name in ("getattr", "setattr", "delattr"):
        return Ref("builtins", name)
    return Ref("astad.runtime.language", CALLABLES.get(name, name))


def forward_dispatch(node: Call, sweep: Sweep) -> Call:
    """The call through the dispatcher."""
    result = node.target if isinstance(node.target, str) else sweep.unused
    target = result, _record_of(node, sweep.structure.at(node), sweep)
    fn = function_of(node.fn) if isinstance(node.fn, Prim) else node.fn
    return Call(target, CALL, (sweep.versions, fn, *node.args), node.keywords, node.line)


def _record_of(node: Call, position: int, sweep: Sweep) -> str:
    """What a dispatched call keeps; named for the result."""
    if position not in sweep.records:
        stem = node.target if isinstance(node.target, str) else "step"
        sweep.records[position] = sweep.names.fresh(f"{stem}_kept")
        sweep.residuals.bind(sweep.records[position], position)
    return sweep.records[position]


def reverse_dispatch(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """``a_bar, b_bar = pull(shadows, y_kept, y_bar, 2)``, added to what a and b have."""
    sweep.uses_shadows = True
    position = sweep.structure.at(node)
    kept = _record_of(node, position, sweep)
    bar = _bar_of_result(node, sweep, out)
    flush(position, sweep, node.line, out, after=True)
    given = [*node.args, *(value for _, value in node.keywords)]
    record = sweep.residuals.use(kept, position, after=True)
    targets: list[str] = []
    parts: list[tuple[str, str]] = []
    for operand in given:
        if _has_local_part(operand, sweep):
            assert isinstance(operand, str)
            is_first = (operand, sweep.bars.name(operand)) not in parts
            part = sweep.bars.first(operand) if is_first else None
            part = part or sweep.names.numbered(f"{operand}_part")
            parts.append((operand, part))
            targets.append(part)
        else:
            targets.append(sweep.unused)
    pulled = (sweep.shadows, record, bar, Const(len(given)))
    out.append(Call(tuple(targets) if parts else None, PULL, pulled, (), node.line))
    for name, part in parts:
        sweep.bars.give(name, part, node.line, out, certain=False)


def _bar_of_result(node: Call, sweep: Sweep, out: list[Node]) -> Operand:
    """What is handed to ``pull``; an array may be a view: its part belongs in the shadow."""
    if not isinstance(node.target, str):
        return NONE
    bar = sweep.bars.take(node.target)
    if bar is None or not is_array(sweep.facts.kind_of(node.target)):
        return bar or NONE
    held = sweep.value(node.target, node, after=True)
    out.append(Call(None, ADD_PART, (sweep.shadows, held, bar), (), node.line))
    return NONE


def flush(
    position: int,
    sweep: Sweep,
    line: int,
    out: list[Node],
    *,
    after: bool,
    names: frozenset[str] | None = None,
) -> None:
    """Move the cotangents of arrays that code found at run time may write, all or those named, into
    their shadows; these are the arrays before or after the statement at this position.
    """
    for name in sorted(sweep.bars.state):
        if names is not None and name not in names:
            continue
        if name in sweep.facts.shared and is_array(sweep.facts.kind_of(name)):
            bar = sweep.bars.take(name)
            assert bar is not None
            held = sweep.residuals.use_if_bound(name, position, after=after)
            if held is not None:
                out.append(Call(None, ADD_PART, (sweep.shadows, held, bar), (), line))


def to_shadow(
    node: Node, sweep: Sweep, value: str, index: Operand, part: Operand, out: list[Node]
) -> None:
    """``add_slot(shadows, a, i, part)`` for an array that the node reads."""
    sweep.uses_shadows = True
    held = sweep.value(value, node)
    out.append(Call(None, ADD_SLOT, (sweep.shadows, held, index, part), (), node.line))


def _has_local_part(operand: Operand | Star, sweep: Sweep) -> bool:
    """By-value operands get their part back; arrays have theirs in the shadow."""
    if not isinstance(operand, str) or operand not in sweep.facts.active:
        return False
    kind = sweep.facts.kind_of(operand)
    return kind in (UNKNOWN, COMPLEX) or is_real(kind)


# --- functions whose pairs stand in the same text


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
