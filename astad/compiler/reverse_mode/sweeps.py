"""Reverse mode: a program and its facts become a forward sweep and a reverse sweep, or both fused
in one function.

The reverse sweep is written first, with placeholders for what it reads of the forward sweep;
then each placeholder is settled; then the forward sweep is written with what is to be kept.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.structure import study
from astad.compiler.ir import kinds as k
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import reversed_block, reversed_line
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
    While,
)
from astad.compiler.reverse_mode.bars import Bars
from astad.compiler.reverse_mode.branches import reverse_branch, reverse_exit, reverse_segments
from astad.compiler.reverse_mode.calls import reverse_dispatch
from astad.compiler.reverse_mode.forward_sweep import ForwardSweep
from astad.compiler.reverse_mode.loops import find_countable, reverse_loop, walk_of
from astad.compiler.reverse_mode.residuals import Residuals
from astad.compiler.reverse_mode.straight_line import reverse_bind, reverse_inline
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["to_fused", "to_pair"]


def to_pair(program: Program, facts: Facts, wanted: Sequence[str], names: Names) -> Derived:
    """``f_forward(versions, *params) -> (y, kept)`` and ``f_pullback(kept, y_bar, shadows) ->
    cotangents``.
    """
    sweep, kept_name = _prepare(program, facts, names), names.fresh("kept")
    closure = (names.fresh("closure"),) if program.free else ()
    if sweep.structure.exits[-1] > 1:
        sweep.left[-1] = names.numbered("left")
    result = _single_result(program)
    sweep.result_bar = names.fresh("y_bar") if result is None else sweep.bars.name(result)
    sweep.result_bar_is_certain = result is not None and k.is_real(
        facts.kind.get(result, k.UNKNOWN)
    )
    reverse = _reverse(sweep)
    forward = ForwardSweep(sweep, fused=False)
    body = forward.block(program.body)
    reverse = _settled(reverse, sweep)
    head: list[Node] = [Bind(name, Const(None), 0) for name in sorted(forward.unbound)]
    head += _cells(program, closure)
    fields = [*([sweep.left[-1]] if -1 in sweep.left else []), *sweep.residuals.top]
    unpack: list[Node] = []
    if fields:
        unpack.append(Bind(tuple(fields), kept_name, 0))  # type: ignore[arg-type]
    back = [*unpack, *reversed_block(tuple(reverse)), *_result(sweep, wanted, names)]
    params = tuple(param.name for param in program.params)
    first = Function(
        names.fresh(f"{_stem(program)}_forward"),
        (sweep.versions, *closure, *params),
        (*head, *body),
    )
    second = Function(
        names.fresh(f"{_stem(program)}_pullback"),
        (kept_name, sweep.result_bar, sweep.shadows),
        tuple(back),
    )
    return Derived((first, second), sweep.uses_shadows, _is_local(result, facts), program.taken)


def to_fused(program: Program, facts: Facts, wanted: Sequence[str], names: Names) -> Derived | None:
    """``f_gradient(*params) -> (y, cotangents)``, where no table is needed and one return ends the
    function.
    """
    result = _single_result(program)
    if (
        facts.dispatches
        or facts.for_debugger
        or program.free
        or result is None
        or not k.is_real(facts.kind.get(result, k.UNKNOWN))
    ):
        return None
    sweep = _prepare(program, facts, names)
    sweep.result_bar, sweep.result_bar_is_certain = sweep.bars.name(result), True
    kind = facts.kind[result]
    reverse = _reverse(sweep)
    forward = ForwardSweep(sweep, fused=True)
    body = forward.block(program.body)
    reverse = _settled(reverse, sweep)
    if sweep.uses_shadows:
        return None
    line = program.body[-1].line
    value: str | Const = result
    saved: list[Node] = []
    if any(result in _bound_in(node) for node in reverse):
        value = names.fresh("value")
        saved.append(Bind(value, result, line))
    seed = Bind(sweep.result_bar, Const(1 if kind == k.INT else 1.0), reversed_line(line))
    end = _result(sweep, wanted, names, value)
    start = [Bind(name, Const(None), 0) for name in sorted(forward.unbound)]
    params = tuple(param.name for param in program.params)
    name = names.fresh(f"{_stem(program)}_gradient")
    return Derived(
        (
            Function(
                name, params, (*start, *body, *saved, seed, *reversed_block(tuple(reverse)), *end)
            ),
        ),
        False,
        True,
        program.taken,
    )


def _prepare(program: Program, facts: Facts, names: Names) -> Sweep:
    structure = study(program)
    residuals = Residuals(structure, names, program.taken)
    sweep = Sweep(program, structure, facts, names, Bars(facts, names), residuals)
    sweep.versions, sweep.shadows, sweep.unused = (
        names.fresh("versions"),
        names.fresh("shadows"),
        names.fresh("_"),
    )
    return sweep


def _stem(program: Program) -> str:
    """The function's name as an identifier: a lambda has none."""
    return program.name if program.name.isidentifier() else "lambda_"


def _single_result(program: Program) -> str | None:
    """The name returned, where the only return is the last statement."""
    last = program.body[-1] if program.body else None
    alone = isinstance(last, Exit) and isinstance(last.value, str) and study(program).exits[-1] == 1
    return last.value if alone else None  # type: ignore[union-attr,return-value]


def _is_local(result: str | None, facts: Facts) -> bool:
    kind = facts.kind.get(result, k.UNKNOWN) if result else k.UNKNOWN
    return k.is_real(kind) or (k.is_array(kind) and result not in facts.shared)


def _reverse(sweep: Sweep) -> list[Node]:
    out: list[Node] = []
    find_countable(sweep)
    _reverse_block(sweep.program.body, sweep, out)
    sweep.residuals.settle()
    return out


def _reverse_block(block: Block, sweep: Sweep, out: list[Node]) -> None:
    reverse_segments(block, sweep, _reverse_nodes, out)


def _reverse_nodes(segment: Block, sweep: Sweep, out: list[Node]) -> None:
    for node in reversed(segment):
        sweep.bars.value_of = functools.partial(_value_before, sweep, node)
        if isinstance(node, Bind):
            reverse_bind(node, sweep, out)
        elif isinstance(node, Call):
            _reverse_call(node, sweep, out)
        elif isinstance(node, Branch):
            reverse_branch(node, sweep, _reverse_block, out)
        elif isinstance(node, Loop | While):
            reverse_loop(node, sweep, _reverse_block, out)
        elif isinstance(node, Exit):
            reverse_exit(node, sweep, out)


def _value_before(sweep: Sweep, node: Node, name: str) -> Operand:
    return sweep.value(name, node)


def _reverse_call(node: Call, sweep: Sweep, out: list[Node]) -> None:
    treatment = sweep.facts.treatment[id(node)]
    if treatment == "inline":
        reverse_inline(node, sweep, out)
    elif treatment == "dispatch":
        reverse_dispatch(node, sweep, out)
    elif isinstance(node.target, str):
        sweep.bars.take(node.target)  # bound to what carries no derivative


def _settled(nodes: Sequence[Node], sweep: Sweep) -> list[Node]:
    """Placeholders replaced by the names they were settled to."""
    out: list[Node] = []
    for node in nodes:
        if (
            isinstance(node, Loop)
            and isinstance(node.target, str)
            and node.target.startswith("record@")
        ):
            source = sweep.structure.nodes[int(node.target[7:])]
            assert isinstance(source, Loop | While)
            target, made, walk = walk_of(source, sweep)
            out += [_renamed(statement, sweep) for statement in made]
            body = tuple(_settled(node.body, sweep))
            out.append(Loop(target, _name(walk, sweep), body, (), node.line))
        elif isinstance(node, Branch):
            body, orelse = tuple(_settled(node.body, sweep)), tuple(_settled(node.orelse, sweep))
            out.append(Branch(_name(node.test, sweep), body, orelse, node.line))
        else:
            out.append(_renamed(node, sweep))
    return out


def _renamed(node: Node, sweep: Sweep) -> Node:
    if isinstance(node, Bind):
        return replace(node, source=_name(node.source, sweep))
    if isinstance(node, Call):
        args = tuple(arg if isinstance(arg, Star) else _name(arg, sweep) for arg in node.args)
        words = tuple((word, _name(value, sweep)) for word, value in node.keywords)
        fn = node.fn if isinstance(node.fn, Prim) else _name(node.fn, sweep)
        return replace(node, fn=fn, args=args, keywords=words)
    return node


def _name(operand: Operand, sweep: Sweep) -> Any:
    return sweep.residuals.settled.get(operand, operand) if isinstance(operand, str) else operand


def _result(
    sweep: Sweep, wanted: Sequence[str], names: Names, value: str | Const | None = None
) -> list[Node]:
    """``return x_bar, None``: one entry per parameter, or per wanted one with the value "
    "before it."""
    entries: list[Operand] = []
    line = sweep.program.line
    for param in sweep.program.params:
        if param.name in wanted:
            has = param.name in sweep.bars.state
            entries.append(sweep.bars.name(param.name) if has else Const(None))
        elif value is None:
            entries.append(Const(None))
    packed, result = names.numbered("t"), names.numbered("t")
    made: list[Node] = [Call(packed, Prim("tuple"), tuple(entries), (), line)]
    if value is None:
        return [*made, Exit("return", packed, line)]
    made.append(Call(result, Prim("tuple"), (value, packed), (), line))
    return [*made, Exit("return", result, line)]


def _cells(program: Program, closure: Sequence[str]) -> list[Node]:
    """Names of the cells of captured variables."""
    cells = tuple(cell for _, cell in program.free)
    return [Bind(cells, closure[0], 0)] if cells else []  # type: ignore[arg-type]


def _bound_in(node: Node) -> set[str]:
    from astad.compiler.analysis.structure import blocks, bound_names

    found = set(bound_names(node))
    for block in blocks(node):
        for part in block:
            found |= _bound_in(part)
    return found
