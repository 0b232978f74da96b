"""A loop under a memory budget: states of it are kept, and the reverse sweep runs rounds again.

The text of a function under a budget hands each of its outermost loops to ``in_rounds``, as
`compiler/frontend/outlined_loops.py` writes it. As long as all fits into half of what is left of
the budget, all is recorded, as without one. Else the loop runs as it is, and states of it are kept:
at the places of `api/memory/rounds.py` where the number of rounds is known, else at distances that
are doubled when there are too many. The reverse sweep records a chunk of rounds at a time, from the
state before it, the last chunk first.

>>> def rounds(first, last, y, x):
...     for _ in range(first, last):
...         y = y * x
...     return 0, y
>>> in_rounds("range", rounds, range(3), (1.0,), (), (), (2.0,))
(0, 8.0)

Where to keep states of a loop so that few rounds run again: Griewank & Walther, Algorithm 799:
Revolve, ACM TOMS 26 (2000).

With ``s`` states besides the first, and no round running forward more than ``r`` times before it is
reversed, ``C(s + r, s)`` rounds can be gone back through.

>>> reach(2, 3), next_state(10, 2), first_states(10, 2)
(10, 6, [6, 9])
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from math import comb
from types import FunctionType, MappingProxyType, MethodType
from typing import Any, NoReturn

import numpy as np

from astad.api.memory.loop_states import Copies, Known, arrays_in, digest, hand_to, taken, weight
from astad.api.memory.surroundings import Surroundings, held_by, sources_in
from astad.api.memory.twice import refuse_what_cannot_run_twice
from astad.errors import AstadError, Location, Unsupported
from astad.runtime.core.budgets import Budget
from astad.runtime.core.full_rules import Cotangents, Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.contents import Content, changed, fingerprint, is_same
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import Node, snapshot
from astad.runtime.dispatch import call, pull
from astad.runtime.iteration.let_go import close_left
from astad.runtime.unseen.chances import Chance, is_source_of_chance
from astad.runtime.unseen.severed import check_twins
from astad.tangents.add import add
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import has_identity

__all__ = ["first_states", "in_rounds", "listed", "next_state", "reach", "unbound"]

GOES_ON, BROKEN_OFF, RETURNED, ENDED = range(4)
FIRST = 64
"""Rounds that are recorded to find out how much one keeps."""
CHUNK = 1 << 15
"""Rounds that are recorded at a time: more are no faster."""


class unbound:
    """Stands for a variable that is bound in the first round of a loop."""


def in_rounds(
    mode: str,
    rounds: Callable[..., tuple[Any, ...]],
    items: Any,
    carried: tuple[Any, ...],
    written: tuple[Any, ...],
    given: tuple[Any, ...],
    read: tuple[Any, ...],
) -> tuple[Any, ...]:
    """All rounds of a loop, as they run without a budget.

    Parameters
    ----------
    mode : str
        ``'range'`` and ``'steps'`` for a loop over a range without and with a step, ``'items'`` for
        one over a sequence, ``'while'``.
    rounds : function
        ``rounds(first, last, *variables)`` runs those rounds; gives how they were left, and the
        carried variables, or what is returned.
    items : range, sequence or None
        Over what the loop goes.
    carried, written, given, read : tuple
        The variables: bound anew in a round, stored into, handed on, only read.
    """
    loop = _Loop(mode, rounds, items, (carried, written, given, read))
    values = [*carried, *written, *given, *read]
    out: tuple[Any, ...] = (GOES_ON, *carried)
    at, step = 0, CHUNK
    while out[0] == GOES_ON and (loop.count is None or at < loop.count):
        out = loop.run(at, loop.end(at + step), values)
        values = loop.after(values, out)
        at += step
    return (GOES_ON, *out[1:]) if out[0] == ENDED else out


class _Loop:
    """What is fixed of a loop: what runs its rounds, and which of its variables make its state."""

    def __init__(
        self, mode: str, rounds: Any, items: Any, groups: tuple[tuple[Any, ...], ...]
    ) -> None:
        self.mode = mode
        self.rounds = rounds
        self.items = items
        self.where = Location(rounds.__code__.co_filename, rounds.__code__.co_firstlineno)
        self.count = None if mode == "while" else self._count()
        carried, written, given, read = groups
        self.carried = len(carried)
        self.states = [True] * len(carried) + [_may_change(each) for each in (*written, *given)]
        self.states += [False] * len(read)
        self.written = range(len(carried), len(carried) + len(written))
        count = self.rounds.__code__.co_argcount
        self.names = self.rounds.__code__.co_varnames[count - len(self.states) : count]
        self.doubtful = range(len(carried) + len(written), len(self.states) - len(read))

    def share(self, values: Sequence[Value], moved: Sequence[int]) -> list[int]:
        """The places of other variables that hold an object which one of these holds too."""
        held = {id(each) for each, _ in held_by([values[at] for at in moved])}
        others = [at for at in range(self.carried, len(values)) if at not in moved]
        return (
            [at for at in others if any(id(each) in held for each, _ in held_by([values[at]]))]
            if held
            else []
        )

    def refuse_shared(self, at: int) -> NoReturn:
        self.refuse(
            f"a loop that writes into an object which {self.names[at]} holds too",
            "rounds that run again write into copies of their state, which it would not see",
            "hand the object to it as an argument",
        )  # fmt: skip

    def _count(self) -> int:
        if self.mode != "items" and type(self.items) is not range:
            self.refuse(
                "a loop over a range that is none", "range stands for something else",
                "leave the name range to Python",
            )  # fmt: skip
        return len(self.items)

    def refuse(self, what: str, why: str, instead: str) -> NoReturn:
        raise Unsupported(self.where, f"{what}, under a memory budget", why=why, instead=instead)

    def end(self, at: int) -> int:
        return at if self.count is None else min(at, self.count)

    def lead(self, first: int, last: int) -> tuple[Any, ...]:
        """The arguments that say which rounds."""
        if self.mode == "while":
            return first, last
        if self.mode == "items":
            return first, last, self.items
        steps = self.items[first:last]
        return (steps.start, steps.stop, steps.step)[: 2 if self.mode == "range" else 3]

    def run(self, first: int, last: int, values: Sequence[Value]) -> tuple[Any, ...]:
        out: tuple[Any, ...] = self.rounds(*self.lead(first, last), *values)
        return out

    def after(self, values: Sequence[Value], out: tuple[Any, ...]) -> list[Value]:
        """The variables behind rounds; as they were where the function has returned."""
        if out[0] == RETURNED:
            return list(values)
        return [*out[1:], *values[self.carried :]]

    def moving(self, values: Sequence[Value], outs: Sequence[Value] | None = None) -> list[Value]:
        """The part of the variables that is the state; ``outs``: in the place of those carried."""
        here = list(values[: self.carried]) if outs is None else list(outs)
        more = zip(values[self.carried :], self.states[self.carried :], strict=True)
        return here + [value for value, moves in more if moves]

    def with_state(self, values: Sequence[Value], state: Sequence[Value]) -> list[Value]:
        """The variables with a state in its place."""
        left = iter(state)
        both = zip(values, self.states, strict=True)
        return [next(left) if moves else value for value, moves in both]


_CALLED = (FunctionType, MethodType)


def _may_change(value: Value) -> bool:
    """May rounds write into it? What a function has captured is looked at when all have run; of a
    source of chance the state is kept by itself.
    """
    return has_identity(value) and not (isinstance(value, _CALLED) or is_source_of_chance(value))


class _State:
    """The state before a round, and those of the sources of chance; ``extra``: made on the way
    back; ``made``: the copies by what they are of, for the next.
    """

    __slots__ = ("at", "chance", "digest", "extra", "made", "size", "values")

    def __init__(
        self, at: int, values: Sequence[Value], sweep: _Sweep, known: Known | None, extra: bool
    ) -> None:
        self.at = at
        self.extra = extra
        copies = Copies(values, sweep.loop.where, known)
        self.values, self.made = copies.values, copies.made
        self.digest = digest(values)
        self.chance = sweep.chances()
        own = 0 if self.chance is sweep.first_chance else weight(self.chance.states, set())
        self.size = copies.size + own + _OF_A_STATE + sys.getsizeof(self.values)

    def settle(self) -> None:
        """It is not copied from any more."""
        self.made = {}


_OF_A_STATE = 120


@full(in_rounds)
def rounds_forward(
    versions: Versions, mode: str, rounds: Value, items: Value, *groups: Value
) -> tuple[Value, Record]:
    """Record all of a loop that fits into the budget; of another, keep states."""
    items, listed = _as_sequence(versions, rounds, items, mode)
    sweep = _Sweep(versions.budget, _Loop(mode, rounds, items, groups), groups)
    out = sweep.forward(versions)
    y = (GOES_ON, *out[1:]) if out[0] == ENDED else tuple(out)
    return y, (pull_rounds, sweep, y, listed)


def listed(fn: Callable[..., Any], /, *sequences: Any, **options: Any) -> Any:
    """``tuple(zip(...))``, and the like for ``enumerate`` and ``reversed``."""
    made = fn(*sequences, **options)
    return tuple(made) if fn in (zip, enumerate, reversed) else made


@full(listed)
def listed_forward(
    versions: Versions, fn: Value, /, *sequences: Value, **options: Value
) -> tuple[Value, Record]:
    """The same, of sequences that stay as they are."""
    made, record = call(versions, fn, *sequences, **options)
    if fn not in (zip, enumerate, reversed):
        return made, None if record is None else (pull_called, record)
    if any(_is_drained(each) for each in sequences):
        return made, None if record is None else (pull_called, record)
    y, gone = call(versions, tuple, made)
    if versions.budget is not None:
        known = versions.budget.sources
        inner = [part for each in sequences for part in known.get(id(each), (None, ()))[1]]
        known[id(y)] = y, (*sequences, *inner)
    return y, (pull_listed, made, record, gone, len(sequences) + len(options))


def pull_called(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    """The function itself is an operand here."""
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else [None, *parts]


def pull_listed(
    shadows: Shadows, y_bar: Value, made: Value, record: Record, gone: Record, count: int
) -> Cotangents:
    bar = pull(shadows, gone, y_bar, 1)[0]
    return [None, *pull(shadows, record, bar, count)]


def _is_drained(items: Value) -> bool:
    return not issubclass(type(items), type) and has_in_class(type(items), "__next__")


def _as_sequence(
    versions: Versions, rounds: FunctionType, items: Value, mode: str
) -> tuple[Value, Record]:
    """What can be gone through more than once, by numbers."""
    kind = type(items)
    if mode == "while" or issubclass(kind, (range, list, tuple, str, bytes, np.ndarray)):
        return items, None
    if _is_drained(items):
        code = rounds.__code__
        raise Unsupported(
            Location(code.co_filename, code.co_firstlineno),
            f"a loop over a {kind.__name__}, under a memory budget",
            why="a second run would find it drained",
            instead="loop over a list, as list(...) makes it, or over a range",
        )
    made, record = call(versions, tuple, items)
    if versions.budget is not None:
        source = getattr(items, "mapping", items)  # of a view of a dict
        versions.budget.sources[id(made)] = made, (source,)
    return made, record


class _Source:
    """What a loop goes over: is it what it was when the loop began?"""

    def __init__(self, budget: Budget, items: Value) -> None:
        known = budget.sources.pop(id(items), (None, ()))[1]
        self.listed = bool(known)
        self.parts = [(each, _shown(each)) for each in (*known, items)]

    def changed(self) -> bool:
        """Would Python's own loop have seen others? Of one sequence it sees what is written ahead,
        as here.
        """
        if not self.listed:
            items, before = self.parts[0]
            return before is not None and len(before) != len(_shown(items) or ())
        return any(not _are_same(before, _shown(each)) for each, before in self.parts)


def _shown(items: Value) -> Sequence[Value] | None:
    if issubclass(type(items), np.ndarray):
        return items.shape if items.ndim != 1 else (*items.shape, fingerprint(items))
    if issubclass(type(items), (dict, MappingProxyType)):
        return [part for pair in items.items() for part in pair]
    return list(items) if issubclass(type(items), (list, deque, set)) else None


def _are_same(before: Sequence[Value] | None, now: Sequence[Value] | None) -> bool:
    if before is None or now is None or len(before) != len(now):
        return before is now
    return all(map(is_same, before, now))


class _Sweep:
    """A loop that has run, and what is kept of it.

    Attributes
    ----------
    records : list
        Of chunks that were recorded: record, operands, result.
    kept : list of _State
        Else the states that are kept.
    entry, exit : Node
        What the state held before the loop and behind it; ``finals`` are the objects of the latter.
    chunk : int
        How many rounds are recorded at a time on the way back.
    last, last_digest : int
        Up to which round it ran, and the digest of the state there.
    rebinds : bool
        Whether numbers were stored in classes by then: those that run again have to know it.
    """

    def __init__(
        self, budget: Budget | None, loop: _Loop, groups: tuple[tuple[Value, ...], ...]
    ) -> None:
        self.budget = budget
        self.loop = loop
        self.groups = groups
        self.given = [each for group in groups for each in group]
        self.records: list[tuple[Record, Sequence[Value], tuple[Any, ...]]] = []
        self.kept: list[_State] = []
        self.chunk, self.each = CHUNK, 0
        self.last = self.last_digest = 0
        self.finals: list[Value] = []
        self.rebinds = False

    # --- forward

    def forward(self, versions: Versions) -> tuple[Any, ...]:
        loop = self.loop
        if loop.count == 0:
            return (GOES_ON, *self.groups[0])
        if self.budget is None:
            return self._record(versions, 0, loop.end(1 << 62), self.given)[0]
        self.around = Surroundings(
            [loop.rounds, loop.items, *self.given, *sources_in([loop.items, *self.given])]
        )
        self.first_chance = self.around.chance()
        self._move_what_is_shared()
        self.entry = snapshot(tuple(loop.moving(self.given)))
        named = zip(loop.names, self.given, loop.states, strict=True)
        fixed = {name: held_by((value,)) for name, value, moves in named if not moves}
        fixed["what it goes over"] = held_by((loop.items,))
        source = _Source(self.budget, loop.items)
        doubted = {loop.names[at]: held_by((self.given[at],)) for at in loop.doubtful}
        start = _State(0, loop.moving(self.given), self, None, extra=False)
        try:
            first = self._record_what_fits(versions, self.budget, start)
            if source.changed():
                self._refuse_other_items()
            if first.is_kept:
                return first.out
            refuse_what_cannot_run_twice(loop.where, loop.rounds, self.given)
            self._check_known(versions)
            self.rebinds = versions.rebinds
            same = {n: each for n, each in doubted.items() if not changed(each, strict=True)}
            self._leave(start, same.keys())
            fixed |= same
            self._check_size(start.size)
            self.kept = [start]
            out, values = first.out, first.values
            if first.goes_on:
                out, values = self._run_on(versions, self.budget, first)
        except Exception as error:
            if versions.catching:
                versions.refused = _caught(loop, error)
            raise
        if source.changed():
            self._refuse_other_items()
        self._check(fixed)
        self.kept[-1].settle()
        self.first_chance.forget_if_unmoved()
        self.budget.kept += sum(state.size for state in self.kept)
        self.finals = loop.moving(values, out[1:])
        self.last_digest, self.exit = digest(self.finals), snapshot(tuple(self.finals))
        return out

    def chances(self) -> Chance:
        """The sources of chance as they are now."""
        return self.around.chance() if self.first_chance.moved() else self.first_chance

    def _record(
        self, versions: Versions, first: int, last: int, values: Sequence[Value]
    ) -> tuple[tuple[Any, ...], list[Value]]:
        loop = self.loop
        operands = (*loop.lead(first, last), *values)
        out, record = call(versions, loop.rounds, *operands)
        self.records.append((record, operands, out))
        return out, loop.after(values, out)

    def _record_what_fits(self, versions: Versions, budget: Budget, start: _State) -> _First:
        """Rounds recorded as without a budget: all of them, or as many as show what one keeps."""
        loop, inner = self.loop, versions.nested()
        known = {id(each) for each in (*self.given, *arrays_in(self.given), loop.items)}
        room, step = budget.left // 2, 1
        made = _First(self.given, loop.count)
        inner.budget = None
        try:
            while made.goes_on and step:
                stop = loop.end(made.at + step)
                made.out, made.values = self._record(inner, made.at, stop, made.values)
                made.at = stop
                size = weight(self.records, known)
                each = max(size // stop, 1)
                step = made.next_step(max(room - size, 0) // each)
        finally:
            inner.leave()
        made.is_kept = size <= room and not made.goes_on
        if made.is_kept:
            inner.join()
            budget.kept += size
        else:
            self.records.clear()
            budget.reserve()
        self.last, self.each = made.at, each
        self.chunk = max(min(budget.for_chunk // each, CHUNK), 1)
        return made

    def _move_what_is_shared(self) -> None:
        """What holds an object that the loop writes is a part of the state."""
        loop = self.loop
        for at in loop.share(self.given, loop.written):
            if isinstance(self.given[at], _CALLED):
                loop.refuse_shared(at)
            loop.states[at] = True

    def _check_size(self, state: int) -> None:
        budget = self.budget
        assert budget is not None
        if self.each > budget.for_chunk or 2 * state > budget.left:
            needs, has = map(_in_kilobytes, (self.each, budget.for_chunk))
            takes, left = map(_in_kilobytes, (state, budget.left))
            self.loop.refuse(
                f"a loop of which a round keeps {needs} and the state takes {takes}",
                f"of the budget of {budget.total:,} bytes there are {has} for rounds, and {left} "
                "for states, of which there have to be two",
                "allow more memory, or keep less from round to round",
            )  # fmt: skip

    def _leave(self, start: _State, names: Collection[str]) -> None:
        """Variables that are handed on, and that the first rounds have not changed, are taken to be
        only read; at the end it is looked whether they were.
        """
        loop = self.loop
        moved = [at for at in loop.doubtful if loop.states[at] and loop.names[at] not in names]
        kept = loop.share(self.given, [*loop.written, *moved])
        for at in kept:
            if not loop.states[at]:
                loop.refuse_shared(at)
        names = {*names} - {loop.names[at] for at in kept}
        stays = [name not in names for name in loop.names]
        keeps = [stays[at] for at, moves in enumerate(loop.states) if moves]
        loop.states = [moves and stays[at] for at, moves in enumerate(loop.states)]
        start.values = list(compress(start.values, keeps))
        start.size = Copies(start.values, loop.where).size + _OF_A_STATE
        entry = Node(self.entry.kind, tuple(loop.moving(self.given)))
        entry.parts = tuple(compress(self.entry.parts, keeps))
        self.entry = entry

    def _run_on(
        self, versions: Versions, budget: Budget, first: _First
    ) -> tuple[tuple[Any, ...], list[Value]]:
        """The rest of the loop as it is; states are kept."""
        loop, out, values, at = self.loop, first.out, first.values, first.at
        for each in arrays_in(loop.moving(values)):
            versions.writing(each)
        places = _Places(loop.count, self.chunk, self.kept, budget.left * 2 // 3)
        while True:
            stop = loop.end(places.next(at))
            out = loop.run(at, stop, values)
            values, self.last = loop.after(values, out), stop
            if out[0] != GOES_ON or stop == loop.count:
                return out, values
            at = stop
            known = self.kept[-1].made
            places.keep(_State(at, loop.moving(values), self, known, extra=False))

    def _check_known(self, versions: Versions) -> None:
        if versions.refused is not None:
            raise versions.refused
        known = versions.knows_more()
        if known:
            self._refuse_known(known)

    def _refuse_known(self, known: str) -> None:
        self.loop.refuse(
            f"a loop of a program where {known}",
            "the reverse sweep runs a part of the rounds alone, which does not know of the others",
            "keep numbers, arrays and containers of them from round to round",
        )  # fmt: skip

    def _refuse_other_items(self) -> None:
        self.loop.refuse(
            "a loop that writes to what it goes over", "what comes next is not known at its head",
            "loop over a copy, as list(...) makes it",
        )  # fmt: skip

    def _check(self, fixed: dict[str, list[Content]]) -> None:
        """What the rounds only read is what it was."""
        written = (name for name, before in fixed.items() if changed(before, strict=True))
        name = next(written, "")
        what = f"{name} in its later rounds" if name else self.around.changed()
        if what or self.around.bound_anew():
            self.loop.refuse(
                f"a loop that writes to {what or 'a global name'}",
                "the reverse sweep runs rounds again, which would write once more",
                "let the loop write to what only it knows, and copy that behind it",
            )  # fmt: skip

    # --- backward

    def back(
        self, shadows: Shadows, slots: Sequence[Value], totals: list[Value]
    ) -> Sequence[Value]:
        """From the cotangents of numbers among the results to those of the first variables; what
        comes to numbers that are no carried variables is added to ``totals``.
        """
        if self.records:
            return self._back_recorded(shadows, slots, totals)
        if not self.kept:
            return slots
        found = taken(shadows, self.finals, self.exit, self.loop.where)
        more = len(found) - len(slots)
        bars = [add(*pair) for pair in zip([*slots, *[None] * more], found, strict=True)]
        bars = self._back_in_chunks(shadows, bars, totals)
        hand_to(shadows, self.entry, bars)
        return bars[: self.loop.carried]

    def _back_recorded(
        self, shadows: Shadows, slots: Sequence[Value], totals: list[Value]
    ) -> Sequence[Value]:
        """Through chunks that were recorded, whose objects are those of the program."""
        for record, operands, out in reversed(self.records):
            parts = self._pulled(shadows, record, operands, out[1:], slots, totals)
            slots = parts[: self.loop.carried]
        return slots

    def _pulled(
        self,
        shadows: Shadows,
        record: Record,
        operands: Sequence[Value],
        outs: Sequence[Value],
        slots: Sequence[Value],
        totals: list[Value],
    ) -> Sequence[Value]:
        """Cotangents of the numbers among the variables before a chunk."""
        both = zip(outs, slots, strict=True)
        numbers = [None if has_identity(value) else bar for value, bar in both]
        some = any(bar is not None for bar in numbers)
        parts = pull(shadows, record, [None, *numbers] if some else None, len(operands))
        parts = parts[len(operands) - len(self.given) :]
        for at in range(self.loop.carried, len(parts)):
            totals[at] = add(totals[at], parts[at])
        return parts

    def _back_in_chunks(
        self, shadows: Shadows, bars: list[Value], totals: list[Value]
    ) -> list[Value]:
        assert self.budget is not None
        spare = self.budget.for_states // max(state.size for state in self.kept)
        ends = [(state.at, state.digest) for state in self.kept[1:]]
        last = self.last
        ends.append((last, self.last_digest))
        work = list(zip(self.kept, ends, strict=True))
        while work:
            state, (stop, known) = work.pop()
            units = -(-(stop - state.at) // self.chunk)
            if units == 1:
                bars = self._back_through(shadows, state, stop, known, bars, totals)
                continue
            used = sum(each.extra for each, _ in work)
            middle = state.at + next_state(units, spare - used) * self.chunk
            further = self._advanced(state, middle)
            if further is not None:
                work += [(state, (middle, further.digest)), (further, (stop, known))]
            elif stop == last:  # the loop ends before, which it does not tell
                last = middle
                work.append((state, (last, known)))
            else:
                raise _other_run(self.loop)
        return bars

    def _advanced(self, state: _State, stop: int) -> _State | None:
        """The state some rounds later, by running them again; None where the loop has ended."""
        loop = self.loop
        with _as_then(state.chance), _again(loop):
            values = loop.with_state(self.given, Copies(state.values, loop.where).values)
            out = loop.run(state.at, stop, values)
            if out[0] != GOES_ON:
                return None
            return _State(stop, loop.moving(loop.after(values, out)), self, None, extra=True)

    def _back_through(
        self,
        shadows: Shadows,
        state: _State,
        stop: int,
        known: int,
        bars: list[Value],
        totals: list[Value],
    ) -> list[Value]:
        """A chunk, recorded anew and gone back through."""
        loop = self.loop
        mine = Copies(state.values, loop.where).values
        values = loop.with_state(self.given, mine)
        entry = snapshot(tuple(mine))
        operands = (*loop.lead(state.at, stop), *values)
        again = Versions()
        again.is_additional = True
        again.rebinds = self.rebinds
        with _as_then(state.chance), _again(loop):
            out, record = call(again, loop.rounds, *operands)
            again.settle()
            close_left(again)
        check_twins(again.twins)
        self._check_known(again)
        if again.found:
            self._refuse_known("an entry of a dict is found by a number")
        outs = loop.moving(values, out[1:])
        if digest(outs) != known:
            raise _other_run(loop)
        hand_to(shadows, snapshot(tuple(outs)), bars)
        slots = bars[: len(out) - 1]
        parts = self._pulled(shadows, record, operands, out[1:], slots, totals)
        found = taken(shadows, mine, entry, loop.where)
        return [add(*pair) for pair in zip(loop.moving(parts), found, strict=True)]


def _in_kilobytes(size: int) -> str:
    return f"{max(round(size / 1000), 1):,} kB"


class _First:
    """The first rounds: how they were left, the variables behind them, how many they are."""

    def __init__(self, values: list[Value], count: int | None) -> None:
        self.out: tuple[Any, ...] = (GOES_ON,)
        self.values = values
        self.at = 0
        self.count = count
        self.is_kept = False

    @property
    def goes_on(self) -> bool:
        return bool(self.out[0] == GOES_ON) and self.at != self.count

    def next_step(self, fits: int) -> int:
        """How many rounds more to record, of which ``fits`` have room; none where it is known that
        not all do.
        """
        left = fits if self.count is None else self.count - self.at
        if self.at < FIRST:
            return min(self.at, fits, left)
        if self.count is not None:
            return left if left <= fits else 0
        return min(self.at, fits)


class _Places:
    """Where states are kept on the way forward: all together within ``room`` bytes."""

    def __init__(self, count: int | None, chunk: int, kept: list[_State], room: int) -> None:
        self.kept = kept
        self.room = room
        self.distance = chunk
        self.planned: list[int] | None = None
        if count is not None:
            states = room // max(kept[0].size, 1)
            rounds = first_states(-(-count // chunk), states)
            self.planned = [*(each * chunk for each in rounds), count][::-1]

    def next(self, at: int) -> int:
        """Up to which round to run."""
        if self.planned is None:
            return (at // self.distance + 1) * self.distance
        while self.planned[-1] <= at:
            self.planned.pop()
        return self.planned[-1]

    def keep(self, state: _State) -> None:
        """One more, or of those that there are every other one."""
        self.kept[-1].settle()
        self.kept.append(state)
        if sum(each.size for each in self.kept) > self.room:
            del self.kept[1:-1:2]
            self.distance *= 2


def pull_rounds(
    shadows: Shadows, y_bar: Value, sweep: _Sweep, y: tuple[Any, ...], listed: Record
) -> Cotangents:
    """To the variables, in the tuples in which they were handed over."""
    if y_bar is not None:
        shadows.add(y, y_bar)
    slots = shadows.slots_take(y, len(y))[1:]
    totals: list[Value] = [None] * len(sweep.given)
    first = sweep.back(shadows, slots, totals)
    totals[: sweep.loop.carried] = first
    for group in sweep.groups:
        parts, totals = totals[: len(group)], totals[len(group) :]
        for at, (value, part) in enumerate(zip(group, parts, strict=True)):
            if part is not None and not has_identity(value):
                shadows.slot_add(group, at, part)
    if listed is not None:
        pull(shadows, listed, None, 1)
    return None


@contextmanager
def _as_then(chance: Chance) -> Iterator[None]:
    """With the sources of chance as they were; behind it they are as they are now."""
    now = chance.now()
    chance.put_back()
    try:
        yield
    finally:
        now.put_back()


@contextmanager
def _again(loop: _Loop) -> Iterator[None]:
    """A second run, of which NumPy has told before what there is to warn of."""
    try:
        with np.errstate(all="ignore"):
            yield
    except AstadError:
        raise
    except Exception as error:
        raise _other_run(loop) from error


def _other_run(loop: _Loop) -> Unsupported:
    return Unsupported(
        loop.where, "a loop that runs otherwise when it runs again, under a memory budget",
        why="it reads what has changed meanwhile, as the time, a file, or an object of another "
        "part of the program",
        instead="hand all over as variables of the loop, or do without the budget",
    )  # fmt: skip


def _caught(loop: _Loop, error: Exception) -> Unsupported:
    made = Unsupported(
        loop.where, "a loop of which an exception is caught, under a memory budget",
        why="what its rounds did before is not recorded",
        instead="put the try into the loop, or do without the budget",
    )  # fmt: skip
    made.__cause__ = error
    return made


# --- where to keep states -------------------------------------------------------------------------


def reach(states: int, runs: int) -> int:
    """The most rounds that can be gone back through."""
    return comb(states + runs, states) if runs >= 0 else 0


def next_state(rounds: int, states: int) -> int:
    """After how many of the rounds the next state is to be kept, ``states`` being free for it."""
    if states < 1:
        return rounds - 1
    if rounds <= states + 1:
        return 1
    runs = 1
    while reach(states, runs) < rounds:
        runs += 1
    return max(1, min(reach(states, runs - 1), rounds - 1))


def first_states(rounds: int, states: int) -> list[int]:
    """After how many rounds states are kept on the first way forward."""
    found: list[int] = []
    at = 0
    while states > 0 and rounds - at > 1:
        at += next_state(rounds - at, states)
        found.append(at)
        states -= 1
    return found
