"""Loops, both sweeps side by side.

Forward, each iteration appends what its reverse reads to one list; reverse, the list is walked from
its end. A loop over a range counts its index again instead of keeping it.

Loops over what may run code as it is gone through: its end is a step behind them.

There a generator, or an iterator of a class, changes what it changes after its last value. Where
the loop was left, a generator that a call gave, and that nobody holds any more, is closed, as
Python closes it.
"""

from __future__ import annotations

import functools
from collections.abc import Collection

from astad.compiler.analysis.iterator_recognition import WALK, Leaf
from astad.compiler.analysis.paths import find_useful, is_followed
from astad.compiler.ir import kinds as k
from astad.compiler.ir.flow import Live
from astad.compiler.ir.kinds import (
    COMPLEX,
    RANGE,
    UNKNOWN,
    holds_memory,
    is_array,
    is_listing,
    is_real,
)
from astad.compiler.ir.nodes import (
    Bind,
    Branch,
    Call,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Raise,
    Ref,
    Target,
    While,
)
from astad.compiler.ir.walk import breaks, walk
from astad.compiler.reverse_mode.adjoint_accumulators import ADD, NONE, weaker
from astad.compiler.reverse_mode.calls import flush, to_shadow
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.sweep import ReverseBlock, Sweep

__all__ = [
    "ITERATE",
    "LOOP_END",
    "PULL_END",
    "WALK_TO_END",
    "find_countable",
    "is_drawn",
    "is_named",
    "loop_behind",
    "record_fields",
    "reverse_loop",
    "walk_of",
    "walks_by_item",
]

# --- ends of loops that may run code


WALK_TO_END = Ref("astad.runtime.iteration.generators", "walk_to_end")
LOOP_END = Ref("astad.runtime.iteration.generators", "loop_end")
PULL_END = Ref("astad.runtime.iteration.generators", "pull_loop_end")
_GIVING_ALL = (list, tuple, dict, set, frozenset, range, sorted)


def ends_behind(node: Loop, sweep: Sweep) -> bool:
    """May something be gone through here that runs code at its end?"""
    name, facts = node.iterable, sweep.facts
    if not isinstance(name, str) or facts.kind_of(name) != UNKNOWN:
        return False
    found = sweep.structure.bindings[name]
    made = sweep.structure.nodes[found[0].position] if len(found) == 1 else None
    if not isinstance(made, Call) or facts.treatment.get(id(made)) != "dispatch":
        return True
    return isinstance(made.fn, Prim) or facts.known.get(str(made.fn)) not in _GIVING_ALL


def is_named(node: Loop, sweep: Sweep) -> bool:
    """Has what it goes through a name of the user's? Others may hold it."""
    return node.iterable in sweep.program.taken


def reverse_end(node: Loop, position: int, sweep: Sweep, out: list[Node]) -> None:
    """What the generator did at its end goes back before the last iteration."""
    sweep.uses_shadows = True
    if position not in sweep.ends:
        sweep.ends[position] = sweep.names.fresh("end")
        sweep.residuals.bind(sweep.ends[position], position)
    end = sweep.residuals.use(sweep.ends[position], position, after=True)
    out.append(Call(None, PULL_END, (sweep.shadows, end), (), node.line))


ITERATE = Ref("astad.runtime.iteration.iterate", "iterate")
DELIVER = Ref("astad.runtime.iteration.iterate", "deliver")
RECORD = "record@"
"""What stands for the target of a loop of the reverse sweep until its record is known."""


def find_countable(sweep: Sweep) -> None:
    """Note the loops over ranges whose iterations can be counted again."""
    for position, node in enumerate(sweep.structure.nodes):
        if not isinstance(node, Loop) or not is_counted(node, sweep) or _may_stop(node):
            continue
        if len(sweep.structure.bindings[str(node.target)]) == 1:
            sweep.residuals.countable.add(position)


def reverse_loop(
    node: Loop | While, sweep: Sweep, reverse_block: ReverseBlock, out: list[Node]
) -> None:
    """Else first (it ran last), then the iterations from the end."""
    position = sweep.structure.at(node)
    if node.orelse:
        _reverse_else(node, sweep, reverse_block, out)
    sweep.bars.shape_of = functools.partial(sweep.shape_after, node)
    outer, sweep.bars.in_shadow = sweep.bars.in_shadow, _in_shadow(node, sweep)
    flush(position, sweep, node.line, out, after=True, names=sweep.bars.in_shadow)
    if isinstance(node, Loop) and is_drawn(node, sweep) and ends_behind(node, sweep):
        reverse_end(node, position, sweep, out)
    before = set(sweep.bars.state)
    carried, unasked = _carried(node, sweep)
    for name in carried:
        sweep.bars.make_present(name, node.line, out)
        stays = name in sweep.facts.indexed and not sweep.binds_in(node, name)
        if stays and sweep.shape(node, name, certain=True) is not None:
            sweep.bars.own(name, node.line, out)  # once, and not in each iteration
    for leaf in active_leaves(node, sweep):
        if leaf.source not in sweep.bars.in_shadow and leaf.source not in unasked:
            sweep.bars.own(str(leaf.source), node.line, out)
    body = _body_with_buffers(node, sweep, reverse_block, before, out)
    assert unasked.isdisjoint(sweep.bars.state), "a cotangent that goes round starts nowhere"
    sweep.bars.in_shadow = outer
    if position in sweep.left_read:
        sweep.residuals.record_later.append(position)
    else:
        sweep.left.pop(position, None)
    if body:
        out.append(Loop(f"{RECORD}{position}", f"walk@{position}", tuple(body), (), node.line))
        _need_trips(node, sweep)


def _body_with_buffers(
    node: Loop | While,
    sweep: Sweep,
    reverse_block: ReverseBlock,
    before: Collection[str],
    out: list[Node],
) -> list[Node]:
    """The reverse of one iteration. Arrays from outside to which it adds get a buffer before the
    loop, so that no iteration makes another array for the sum. Names not in ``before`` have been
    bound to None.
    """
    start = dict(sweep.bars.state)
    body = _repeatable_body(node, sweep, reverse_block)
    bars = {name: sweep.bars.name(name) for name in start}
    sums = {
        part.target
        for part in walk(tuple(body))
        if isinstance(part, Call) and part.fn in SUMS and part.target == part.args[0]
    }
    added = sorted(name for name in start if bars[name] in sums and _is_outside(name, node, sweep))
    if not added:
        return body
    sweep.bars.state = start
    sweep.bars.shape_of = functools.partial(sweep.shape_after, node)
    for name in added:
        nothing = Bind(bars[name], NONE, node.line)
        if name not in before and nothing in out:
            out.remove(nothing)
            del sweep.bars.state[name]
        sweep.bars.own(name, node.line, out)
    return _repeatable_body(node, sweep, reverse_block)


SUMS = (Prim("add"), ADD)


def _is_outside(name: str, node: Loop | While, sweep: Sweep) -> bool:
    """Is it an array that the loop only reads, of a shape at hand, with no shadow?"""
    kind = sweep.facts.kind_of(name)
    if not is_array(kind) or kind.rank is None or name in sweep.facts.shared:
        return False
    return not sweep.binds_in(node, name) and sweep.shape(node, name, certain=True) is not None


def _repeatable_body(node: Loop | While, sweep: Sweep, reverse_block: ReverseBlock) -> list[Node]:
    """The reverse of one iteration, written for what is known of the cotangents at the head of
    every iteration: at first what is known before the loop, then the weaker knowledge at its
    own end.
    """
    head = dict(sweep.bars.state)
    while True:
        sweep.bars.state = dict(head)
        sweep.bars.sizes.clear()
        body, sweep.scope = _reverse_body(node, sweep, reverse_block)
        sweep.bars.shape_of = functools.partial(sweep.shape_past, node)
        for name in sorted(head):
            sweep.bars.make_present(name, node.line, body)
        after = {name: weaker(head[name], sweep.bars.state[name]) for name in head}
        sweep.bars.state.update(after)
        if after == head:
            sweep.bars.sizes.clear()
            return body
        head = after


def _reverse_body(
    node: Loop | While, sweep: Sweep, reverse_block: ReverseBlock
) -> tuple[list[Node], int]:
    position = sweep.structure.at(node)
    outer, sweep.scope = sweep.scope, position
    if sweep.structure.exits[position]:
        sweep.left[position] = sweep.left.get(position) or sweep.names.numbered("left")
    body: list[Node] = []
    if isinstance(node, While):
        reverse_block(node.body, sweep, body)
        reverse_block(node.head, sweep, body)
    else:
        reverse_block(node.body, sweep, body)
        _reverse_target(node, sweep, body)
    flush(position, sweep, node.line, body, after=False, names=sweep.bars.in_shadow)
    return body, outer


def _in_shadow(node: Loop | While, sweep: Sweep) -> frozenset[str]:
    """Arrays from outside the loop whose parts go straight to their shadow, where code found at run
    time may look for them in every iteration: a buffer would have to be moved there each time.
    """
    meets = sweep.draws or any(
        sweep.facts.treatment.get(id(part)) == "dispatch" for part in walk((node,))
    )
    found = {
        name
        for name in sweep.facts.shared & sweep.facts.active
        if meets and is_array(sweep.facts.kind_of(name)) and not sweep.binds_in(node, name)
    }
    return sweep.bars.in_shadow | found


def _reverse_target(node: Loop, sweep: Sweep, body: list[Node]) -> None:
    """What came to the loop's variable goes back to where the element came from."""
    assert isinstance(node.target, str)
    position = sweep.structure.at(node)
    if walks_by_item(node, sweep):
        _reverse_leaves(node, sweep, body)
        return
    bar = sweep.bars.take(node.target)
    if not is_drawn(node, sweep):
        return
    sweep.uses_shadows = True
    if position not in sweep.routes:
        sweep.routes[position] = sweep.names.fresh(f"{node.target}_route")
        sweep.residuals.bind_in_body(sweep.routes[position], position)
    route = sweep.residuals.use(sweep.routes[position], position, after=True, inside=True)
    body.append(Call(None, DELIVER, (sweep.shadows, route, bar or NONE), (), node.line))


def _reverse_else(
    node: Loop | While, sweep: Sweep, reverse_block: ReverseBlock, out: list[Node]
) -> None:
    position = sweep.structure.at(node)
    holder: list[Node] = []
    sweep.bars.shape_of = functools.partial(sweep.shape_after, node)
    sweep.bars.branch(
        "?", lambda arm: reverse_block(node.orelse, sweep, arm), lambda arm: None, node.line, holder
    )
    for written in holder:
        assert isinstance(written, Branch)
        sweep.completed[position] = sweep.completed.get(position) or sweep.names.numbered(
            "completed"
        )
        sweep.residuals.bind(sweep.completed[position], position)
        test = sweep.residuals.use(sweep.completed[position], position, after=True)
        out.append(Branch(test, written.body, written.orelse, node.line))


def is_counted(node: Loop | While, sweep: Sweep) -> bool:
    """A loop over a range: its iterations can be counted again."""
    return isinstance(node, Loop) and sweep.facts.kind_of(node.iterable) == RANGE


def is_drawn(node: Loop, sweep: Sweep) -> bool:
    """Are the elements drawn one by one, each with its way back?"""
    if walks_by_item(node, sweep) or is_counted(node, sweep):
        return False
    return sweep.facts.is_active(node.iterable)


def _reverse_leaves(node: Loop, sweep: Sweep, body: list[Node]) -> None:
    """``for x in xs``: ``xs_bar[x_at] += x_bar``, where x_at counts the iterations again."""
    active = active_leaves(node, sweep)
    sweep.bars.to_shadow = functools.partial(to_shadow, node, sweep)
    for leaf in reversed(sweep.facts.walks[id(node)].leaves):
        state = sweep.bars.state.get(leaf.name)
        bar = sweep.bars.take(leaf.name)
        if bar is None or leaf not in active or sweep.is_row(leaf.name, node):
            continue
        made: list[Node] = []
        place = sweep.place_in_walk(leaf.name, node, made, backwards=leaf.backwards)
        source = str(leaf.source)
        sweep.bars.give_slot(source, place, bar, node.line, made)
        if state == "maybe":
            test = Writer(sweep.names, body, node.line).call(Prim("is_not"), bar, NONE)
            body.append(Branch(test, tuple(made), (), node.line))
        else:
            body += made


def walks_by_item(node: Loop | While, sweep: Sweep) -> bool:
    """A loop over lists of numbers and arrays whose items have a place in a cotangent of ours."""
    if not isinstance(node, Loop):
        return False  # no program is known: of a ``while`` nobody asks it
    facts, found = sweep.facts, sweep.facts.walks[id(node)]
    if found.calls:
        return facts.kind_of(node.iterable) == WALK
    kind = facts.kind_of(node.iterable)
    known = k.is_array(kind) and facts.kind_of(str(node.target)) != UNKNOWN
    return is_listing(kind) or (known and node.iterable not in facts.shared)


def active_leaves(node: Loop | While, sweep: Sweep) -> list[Leaf]:
    """What such a loop goes through with a derivative."""
    if not isinstance(node, Loop) or not walks_by_item(node, sweep):
        return []
    leaves = sweep.facts.walks[id(node)].leaves
    return [leaf for leaf in leaves if leaf.source and sweep.facts.is_active(leaf.source)]


def _counts_itself(node: Loop | While, sweep: Sweep) -> bool:
    """Does the cotangent of what a loop goes through to its end tell how often it ran?"""
    if not isinstance(node, Loop) or _may_stop(node):
        return False
    sources = [leaf for leaf in sweep.facts.walks[id(node)].leaves if leaf.source is not None]
    return len(sources) == 1 and bool(active_leaves(node, sweep))


def _need_trips(node: Loop | While, sweep: Sweep) -> None:
    """The reverse loop runs as often as the range itself says, or the length of the record."""
    position = sweep.structure.at(node)
    if isinstance(node, Loop) and is_counted(node, sweep) and not _may_stop(node):
        assert isinstance(node.iterable, str)
        sweep.ranges[position] = sweep.residuals.use_range(node.iterable, position)
    elif not _counts_itself(node, sweep):
        sweep.residuals.record_later.append(position)


def _may_stop(node: Loop) -> bool:
    """Is there an exit other than continue?"""
    return breaks(node.body) or any(
        isinstance(part, Exit) and part.how == "return" for part in walk(node.body)
    )


def _carried(node: Loop | While, sweep: Sweep) -> tuple[list[str], set[str]]:
    """Active names that an iteration may read as at its head: those whose cotangents go round, and
    those that lead to no cotangent.
    """
    head = node.head if isinstance(node, While) else ()
    found = _Going().block(head + node.body, set()) or set()
    found -= {*node.bound}
    found = {
        n for n in (found & sweep.facts.active) - sweep.bars.in_shadow if _is_by_value(n, sweep)
    }
    asked = {*sweep.bars.state, *sweep.bars.in_shadow}
    unasked = {n for n in found - asked if is_followed(n, sweep.facts)}
    if unasked:
        unasked -= find_useful(node, sweep.facts, asked)
    return sorted(found - unasked), unasked


class _Going(Live):
    """As if the text went on behind ``break`` and the like: a cotangent more that goes round."""

    def leads_to(self, node: Exit | Raise, after: set[str] | None) -> set[str] | None:
        return after


def _is_by_value(name: str, sweep: Sweep) -> bool:
    kind = sweep.facts.kind_of(name)
    return kind in (UNKNOWN, COMPLEX) or is_real(kind) or holds_memory(kind) or is_listing(kind)


def walk_of(node: Loop | While, sweep: Sweep) -> tuple[Target, list[Node], Operand]:
    """Target and iterable of the reverse loop, with the statements that make the iterable."""
    position = sweep.structure.at(node)
    record = sweep.residuals.records.get(position)
    fields = record_fields(position, sweep)
    made: list[Node] = []

    def call(name: str, *args: Operand) -> str:
        target = sweep.names.numbered("t")
        made.append(Call(target, Ref("builtins", name), args, (), node.line))
        return target

    indexed = position in sweep.residuals.indices
    if position in sweep.ranges and not indexed and not fields:
        return sweep.unused, [], sweep.ranges[position]
    walks: list[tuple[Target, str]] = []
    if indexed:
        assert isinstance(node, Loop)
        walks.append((node.target, call("reversed", sweep.ranges[position])))
    itself = _counts_itself(node, sweep)
    if position in sweep.places or (itself and not fields):
        leaves = active_leaves(node, sweep)
        if itself:
            whole = sweep.bars.name(str(leaves[0].source))
        else:
            assert record is not None
            whole = record.called
        places = call("range", call("len", whole))
        walks.append((sweep.places.get(position, sweep.unused), call("reversed", places)))
    if fields or not walks:
        assert record is not None
        target: Target = (
            (fields[0] if len(fields) == 1 else tuple(fields)) if fields else sweep.unused
        )
        walks.append((target, call("reversed", record.called)))
    if len(walks) == 1:
        return walks[0][0], made, walks[0][1]
    return tuple(target for target, _ in walks), made, call("zip", *(walk for _, walk in walks))


def loop_behind(node: Loop) -> int:
    """The position of the loop that a loop of the reverse sweep goes through again."""
    return int(str(node.target).removeprefix(RECORD))


def record_fields(position: int, sweep: Sweep) -> list[str]:
    """Names in an iteration's record: the exit taken first, where the reverse sweep asks for it."""
    record = sweep.residuals.records.get(position)
    fields = list(record.fields) if record else []
    return [sweep.left[position], *fields] if position in sweep.left else fields
