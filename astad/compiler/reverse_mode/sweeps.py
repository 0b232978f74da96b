"""Reverse mode: a program and its facts become a forward sweep and a reverse sweep, or both in one.

The reverse sweep is written first, with placeholders for what it reads of the forward sweep; then
each placeholder is settled; then the forward sweep is written with what is to be kept.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from astad.compiler.analysis.callees import Known
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.finite import find_finite
from astad.compiler.analysis.paths import reached_at_times
from astad.compiler.analysis.result_kinds import is_reduction, method_of
from astad.compiler.analysis.structure import study
from astad.compiler.analysis.symbolic_shapes import find_extents
from astad.compiler.ir import kinds as k
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import ReversedLines, reversed_line
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    COMPOUND,
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
    Ref,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, substituted_at, with_blocks
from astad.compiler.reverse_mode.adjoint_accumulators import Bars
from astad.compiler.reverse_mode.branches import reverse_branch, reverse_exit, reverse_segments
from astad.compiler.reverse_mode.calls import (
    flush,
    forward_ref,
    pullback_ref,
    reverse_dispatch,
    reverse_pair,
    to_shadow,
)
from astad.compiler.reverse_mode.forward_sweep import ForwardSweep
from astad.compiler.reverse_mode.lists import is_of_lists, reverse_list
from astad.compiler.reverse_mode.loops import find_countable, loop_behind, reverse_loop, walk_of
from astad.compiler.reverse_mode.residuals import Residuals
from astad.compiler.reverse_mode.stores import reverse_store, reverse_unpack
from astad.compiler.reverse_mode.straight_line import (
    meets_tuple,
    reverse_bind,
    reverse_inline,
    reverse_tuple,
)
from astad.compiler.reverse_mode.sweep import Sweep
from astad.slotted import replace

__all__ = ["to_fused", "to_pair", "to_plain_pair"]

IS_FINITE = Ref("math", "isfinite")


def to_pair(program: Program, facts: Facts, wanted: Sequence[str], names: Names) -> Derived:
    """``f_forward(versions, *args) -> (y, kept)``, ``f_pullback(kept, y_bar, shadows) -> bars``."""
    sweep, kept = _prepare(program, facts, names), names.fresh("kept")
    closure = (names.fresh("closure"),) if program.free else ()
    if sweep.structure.exits[-1] > 1:
        sweep.left[-1] = names.numbered("left")
    result = _single_result(program)
    sweep.result_bar = names.fresh("y_bar") if result is None else sweep.bars.name(result)
    sweep.result_bar_is_certain = result is not None and k.is_real(facts.kind_of(result))
    head, body, reverse = _both(sweep, fused=False)
    head += _cells(program, closure)
    fields = [*([sweep.left[-1]] if -1 in sweep.left else []), *sweep.residuals.top]
    unpack = [Bind(tuple(fields), kept, 0)] if fields else []  # type: ignore[arg-type]
    back = (*unpack, *reverse, *_result(sweep, wanted, names))
    params = (sweep.versions, *closure, *(param.name for param in program.params))
    stem = _stem(program)
    forward = Function(names.fresh(f"{stem}_forward"), params, (*head, *body))
    handed = (kept, sweep.result_bar, sweep.shadows)
    pullback = Function(names.fresh(f"{stem}_pullback"), handed, back)
    is_local = result is not None and _is_local(result, facts)
    return _derived((forward, pullback), sweep, is_local)


def to_fused(program: Program, facts: Facts, wanted: Sequence[str], names: Names) -> Derived | None:
    """``f_gradient(*args) -> (y, bars)``, if no table is needed and one return ends it all."""
    result = _single_result(program)
    if facts.dispatches or facts.for_debugger or program.free or result is None:
        return None
    kind = facts.kind_of(result)
    if not k.is_real(kind):
        return None
    sweep = _prepare(program, facts, names)
    sweep.is_alone = True
    sweep.result_bar, sweep.result_bar_is_certain = sweep.bars.name(result), True
    sweep.bars.sizes[sweep.result_bar] = 1.0
    head, body, reverse = _both(sweep, fused=True)
    if sweep.uses_shadows:
        return None  # no program is known: without dispatch there is no table
    line = program.body[-1].line
    value = result
    if program.boxed:
        value = names.fresh("value")
        body = (*body, Call(value, Ref("numpy", "float64"), (result,), (), line))
    elif result in bound_inside(*reverse):
        value = names.fresh("value")
        body = (*body, Bind(value, result, line))
    seed = Bind(sweep.result_bar, Const(1 if kind == k.INT else 1.0), reversed_line(line))
    end = _result(sweep, wanted, names, value)
    params = tuple(param.name for param in program.params)
    name = names.fresh(f"{_stem(program)}_gradient")
    function = Function(name, params, (*head, *body, seed, *reverse, *end))
    return _derived((function,), sweep, is_local=True)


def _derived(functions: tuple[Function, ...], sweep: Sweep, is_local: bool) -> Derived:
    """The functions, with what is known of the names of the forward sweep."""
    facts = sweep.facts
    sweep.bars.leave()
    kinds = facts.kind | {
        copy: facts.kind_of(name) for copy, name in sweep.residuals.copies_made.items()
    }
    called = {
        name: Ref("math", fn.__name__)  # type: ignore[attr-defined]
        for name, fn in facts.known.items()
        if getattr(fn, "__module__", "") == "math"
    }
    shadows, taken = sweep.uses_shadows, sweep.program.taken
    seed = sweep.result_bar if sweep.result_bar_is_certain and len(functions) == 2 else ""
    changing = facts.shared | facts.writes.of.keys()
    arrays = {name for name, kind in facts.kind.items() if k.is_array(kind)}
    made = Derived(functions, shadows, is_local, taken, kinds, called, seed=seed)
    named = {name: getattr(fn, "__name__", "") for name, fn in facts.known.items()}
    numpy = {name: own for name, own in named.items() if facts.known[name] is vars(np).get(own)}
    methods = {name: method for name in numpy if (method := method_of(facts.known[name]))}
    made = replace(made, steady=frozenset(arrays - changing), numpy=numpy, methods=methods)
    if len(functions) == 2:
        return made
    ufuncs = {name: fn.nin for name, fn in facts.known.items() if isinstance(fn, np.ufunc)}
    sums = {name for name, fn in facts.known.items() if is_reduction(fn)}
    lengths = sweep.extents.final.items()
    floats = {name: dims for name, dims in lengths if facts.kind_of(name).tag == "ndarray"}
    return replace(made, shapes=floats, ufuncs=ufuncs, sums=frozenset(sums))


def to_plain_pair(
    program: Program, facts: Facts, wanted: Sequence[str], known: Known, names: Names
) -> tuple[Derived, tuple[bool, ...]] | None:
    """``f_forward(*args) -> (y, kept)``, ``f_pullback(kept, y_bar, *buffers) -> bars`` of those
    wanted, one alone as it is; which of these are certain. None if a table is needed.
    """
    sweep, kept = _prepare(program, facts, names), names.fresh("kept")
    if sweep.structure.exits[-1] > 1:
        sweep.left[-1] = names.numbered("left")
    result = _single_result(program)
    params = tuple(param.name for param in program.params)
    buffers = [name for name, is_one in zip(params, known.buffered, strict=True) if is_one]
    own = result is None or result in buffers
    sweep.result_bar = names.fresh("y_bar") if own else sweep.bars.name(str(result))
    sweep.result_bar_is_certain = True  # whoever has none does not ask
    sweep.bars.lend(buffers)
    head, body, reverse = _both(sweep, fused=False, plain=True)
    if sweep.uses_shadows:
        return None  # no program is known: `callees.Callees` refuses what asks for a table
    fields = [*([sweep.left[-1]] if -1 in sweep.left else []), *sweep.residuals.top]
    single = fields[0] if len(fields) == 1 else kept
    unpack = [Bind(tuple(fields), kept, 0)] if len(fields) > 1 else []  # type: ignore[arg-type]
    asked = [name for name in wanted if name not in buffers]
    end, certain = _parts(asked, sweep, names)
    handed = (single, sweep.result_bar, *(sweep.bars.name(name) for name in buffers))
    forward = Function(forward_ref(known).name, params, (*head, *body))
    pullback = Function(pullback_ref(known).name, handed, (*unpack, *reverse, *end))
    made = _derived((forward, pullback), sweep, is_local=True)
    return made, tuple(name in buffers or name in certain for name in params)


def _parts(asked: Sequence[str], sweep: Sweep, names: Names) -> tuple[list[Node], set[str]]:
    """``return x_bar``, and the names whose cotangent is never None."""
    out: list[Node] = []
    line = sweep.program.line
    for name in asked:
        sweep.bars.make_present(name, line, out)
    certain = {name for name in asked if sweep.bars.state[name] in ("live", "owned")}
    bars = tuple(sweep.bars.name(name) for name in asked)
    if len(bars) == 1:
        return [*out, Exit("return", bars[0], line)], certain
    packed = names.numbered("t")
    pack = Call(packed, Prim("tuple"), bars, (), line)
    return [*out, pack, Exit("return", packed, line)], certain


def _prepare(program: Program, facts: Facts, names: Names) -> Sweep:
    structure = study(program)
    residuals = Residuals(structure, names, program.taken)
    residuals.note_writes(facts.writes)
    own = (names.fresh("versions"), names.fresh("shadows"), names.fresh("_"))
    bars, extents = Bars(facts, names), find_extents(program, facts)
    bars.at_times = reached_at_times(program, facts)
    finite = find_finite(program, facts)
    made = Sweep(program, structure, facts, names, bars, residuals, *own, extents, finite)
    made.draws = _draws(program, facts)
    bars.place_of, bars.position = made.place_of_row, made.position
    return made


def _both(sweep: Sweep, *, fused: bool, plain: bool = False) -> tuple[list[Node], Block, Block]:
    """What stands at the head; the forward sweep; the reverse sweep, written first."""
    find_countable(sweep)
    reverse: list[Node] = []
    _reverse_block(sweep.program.body, sweep, reverse)
    if sweep.is_finite:
        end = sweep.program.body[-1]
        assert isinstance(end, Exit) and isinstance(end.value, str)
        test = Call(sweep.is_finite, IS_FINITE, (sweep.value(end.value, end),), (), end.line)
        reverse.insert(0, test)
    sweep.residuals.settle()
    forward = ForwardSweep(sweep, fused=fused, plain=plain)
    body = tuple(forward.block(sweep.program.body))
    settled = _settled(reverse, sweep, ReversedLines())
    unbound = forward.unbound.union(sweep.residuals.held.values())
    head: list[Node] = [Bind(name, Const(None), 0) for name in sorted(unbound)]
    return head, body, settled


def _stem(program: Program) -> str:
    """The function's name as an identifier: a lambda has none."""
    return program.name if program.name.isidentifier() else "lambda_"


def _single_result(program: Program) -> str | None:
    """The name returned, where the only return is the last statement."""
    last = program.body[-1] if program.body else None
    exits = [node for node in outline(program).nodes if type(node) is Exit]
    if not isinstance(last, Exit) or sum(node.how == "return" for node in exits) != 1:
        return None
    return last.value if isinstance(last.value, str) else None


def _is_local(result: str, facts: Facts) -> bool:
    kind = facts.kind_of(result)
    return k.is_real(kind) or (k.is_array(kind) and result not in facts.shared)


def _reverse_block(block: Block, sweep: Sweep, out: list[Node]) -> None:
    reverse_segments(block, sweep, _reverse_nodes, out)


def _reverse_nodes(segment: Block, sweep: Sweep, out: list[Node]) -> None:
    for node in reversed(segment):
        sweep.bars.shape_of = functools.partial(sweep.shape, node)
        sweep.bars.to_shadow = functools.partial(to_shadow, node, sweep)
        if isinstance(node, Call):
            _reverse_call(node, sweep, out)
        elif isinstance(node, Bind):
            reverse_bind(node, sweep, out)
        elif isinstance(node, Branch):
            reverse_branch(node, sweep, _reverse_block, out)
        elif isinstance(node, (Loop, While)):
            reverse_loop(node, sweep, _reverse_block, out)
        elif isinstance(node, Exit):
            reverse_exit(node, sweep, out)
        if sweep.draws and isinstance(node, (Bind, Call, Exit)):
            flush(sweep.structure.at(node), sweep, node.line, out, after=False)


def _draws(program: Program, facts: Facts) -> bool:
    """Is there a loop over what may be an iterator of the user's? Each of its elements may come
    with writes: then no array that code found at run time knows has a part of its own.
    """
    loops = [node for node in outline(program).nodes if isinstance(node, Loop)]
    unknown = [node.iterable for node in loops if facts.kind_of(node.iterable) == k.UNKNOWN]
    return any(map(facts.is_active, unknown))


def _reverse_call(node: Call, sweep: Sweep, out: list[Node]) -> None:
    treatment = sweep.facts.treatment[id(node)]
    if treatment == "inline" and is_of_lists(node, sweep):
        reverse_list(node, sweep, out)
    elif treatment == "inline" and node.fn is SETITEM:
        reverse_store(node, sweep, out)
    elif treatment == "inline" and meets_tuple(node, sweep):
        reverse_tuple(node, sweep, out)
    elif treatment == "inline" and node.fn is UNPACK:
        reverse_unpack(node, sweep, out)
    elif treatment == "merged":
        return  # belongs to another statement
    elif treatment == "inline":
        reverse_inline(node, sweep, out)
    elif treatment == "pair":
        reverse_pair(node, sweep, out)
    elif treatment == "dispatch":
        reverse_dispatch(node, sweep, out)
    elif isinstance(node.target, str):
        sweep.bars.take(node.target)  # bound to what carries no derivative


def _settled(nodes: Sequence[Node], sweep: Sweep, lines: ReversedLines) -> Block:
    """Placeholders replaced by the names they were settled to, lines marked as reverse ones."""
    settled, shapes = sweep.residuals.settled, sweep.residuals.shapes
    out: list[Node] = []
    for node in nodes:
        if type(node) is Call and node.fn is GETATTR:
            array = node.args[0]
            if isinstance(array, str) and settled.get(array, array) in shapes:
                node = Bind(str(node.target), array, node.line)
        if type(node) is Loop:
            source = sweep.structure.nodes[loop_behind(node)]
            assert isinstance(source, (Loop, While))
            target, made, walk = walk_of(source, sweep)
            out += [substituted_at(each, settled, lines.of(each.line)) for each in made]
            node = replace(node, target=target, iterable=walk)
        if type(node) in COMPOUND:
            node = with_blocks(node, lambda block: _settled(block, sweep, lines))
        out.append(substituted_at(node, settled, lines.of(node.line)))
    return tuple(out)


GETATTR, SETITEM, UNPACK = Prim("getattr"), Prim("setitem"), Prim("unpack")


def _result(
    sweep: Sweep, wanted: Sequence[str], names: Names, value: str | None = None
) -> list[Node]:
    """``return x_bar, None``, one entry a parameter.

    With a value ``return y, (x_bar,)``, one entry for each that is wanted.
    """
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
