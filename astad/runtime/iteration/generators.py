"""Generator functions: each step of the consumer runs a stretch of the generator's tape.

Forward, the generator is one of Python's own. In reverse it is another, which reads the tape from
its end and stops at each ``yield`` to be given the cotangent of the value that was handed out
there: so the two sweeps of generator and consumer meet in the same places.

``yield from``: what goes to the inner generator.

>>> def inner():
...     yield 1
...     return 2
>>> run = inner()
>>> resume(run, None)
1
>>> try:
...     resume(run, None)
... except StopIteration as end:
...     print(end.value)
2
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator, Sequence
from types import FunctionType, GeneratorType
from typing import Any

from astad.errors import Unsupported
from astad.runtime.core.depth import deeper
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows, full
from astad.runtime.core.versions import Call, OwnCalls, Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.begun_before import refused, step
from astad.runtime.iteration.iterate import FEEDS, SOURCES, Feed, iterate, pull_since
from astad.runtime.iteration.iterators import next_forward, pull_default
from astad.runtime.unseen.foreign_iterators import unknown_steps
from astad.runtime.unseen.harmless import writes_nothing
from astad.tangents.add import add

__all__ = [
    "HOLDING", "Began", "began", "ends_by_itself", "finished", "is_harmless", "is_record",
    "loop_end", "loop_left", "pause", "pull_loop_end", "resume", "throw_in", "walk_to_end",
]  # fmt: skip

Tape = list[tuple[int, Any]]
Back = Generator[tuple[int, Value], Value, tuple[Value, ...]]


class Began:
    """A generator that runs forward; ``back`` makes the one that runs its tape backwards;
    ``closing``: what is done where it is closed before its end: it ``"ends"`` by itself, or
    ``"delegates"`` to what it draws from.
    """

    __slots__ = ("back", "closing", "generator", "tape")

    def __init__(
        self, generator: Value, tape: Tape, back: Callable[..., Back], closing: str
    ) -> None:
        self.generator = generator
        self.tape = tape
        self.back = back
        self.closing = closing


class Returning:
    """The reverse of one: ``at`` is the length of the tape at the ``yield`` where it waits; 0 when
    it is through, with the cotangents of the arguments in ``parts``.
    """

    __slots__ = ("at", "parts", "run")

    def __init__(self, run: Back) -> None:
        self.run = run
        self.at = 0
        self.parts: tuple[Value, ...] = ()

    def go(self, bar: Value) -> Value:
        """Back to the next ``yield``: the cotangent of what was sent in there."""
        try:
            self.at, sent_bar = self.run.send(bar)
        except StopIteration as end:
            self.at, self.parts, sent_bar = 0, end.value, None
        return sent_bar


def began(
    versions: Versions,
    generator: Value,
    tape: Tape,
    back: Callable[..., Back],
    closing: str = "",
) -> Began:
    """Note a generator that a call has made."""
    made = versions.tape = Began(generator, tape, back, closing)
    versions.generators[id(generator)] = made
    return made


def pause(tape: Tape, step: int) -> None:
    """A step that hands a value out: it keeps the length of the tape."""
    tape.append((step, len(tape) + 1))


def finished(shadows: Shadows, kept: Began) -> tuple[Value, ...]:
    """The cotangents of the arguments, all values and what was sent accounted for."""
    returning, _ = _returning(shadows, kept, None)
    while returning.at:
        returning.go(None)
    return returning.parts


def _returning(shadows: Shadows, kept: Began, end: Value) -> tuple[Returning, Value]:
    """The reverse of a generator, begun at need: with what comes after its last value; ``end`` is
    the exception with the value it returned.
    """
    found = shadows.returning.get(id(kept))
    if found is not None:
        return found, None
    bar = None
    if end is not None:
        (shown,) = shadows.slots_take(end.args, 1) if end.args else (None,)
        bar = add(shadows.key_take(end, "value"), shown)
    found = shadows.returning[id(kept)] = Returning(kept.back(kept.tape, bar, shadows))
    return found, deeper(shadows, lambda: found.go(None))


# --- what a consumer does -------------------------------------------------------------------------


def _resume(
    versions: Versions,
    kept: Began,
    run: Callable[[], Value],
    *sent: Value,
    drops: bool = False,
    ends: bool = False,
) -> tuple[Value, Record]:
    """The next value, and the way back of what ran until it came; ``sent``: what goes in. Who asks
    may drop what the generator returns, or see to its end.
    """
    before = len(kept.tape)
    try:
        y = deeper(versions, run)
    except BaseException as end:
        if ends and isinstance(end, StopIteration):
            raise
        is_seen = not drops or versions.calls is not None
        carries = is_seen and flows(getattr(end, "value", None))
        carries = carries or (versions.calls is not None and _is_caught(end, sent))
        if not carries and _is_unseen(versions, kept.tape[before:]):
            raise
        if versions.calls is not None:
            versions.calls.append(Call(((pull_end, kept, end), sent), True))
        elif isinstance(end, StopIteration):
            raise Unsupported(
                getattr(kept.generator, "__qualname__", "a generator"),
                "a generator that goes on to change things after its last value",
                why="what draws from it does not record what happens when it ends",
                instead="write a loop over it, or put this into a try",
            ) from None
        raise
    return y, (pull_value, kept, len(kept.tape))


def _is_caught(end: BaseException, sent: Sequence[Value]) -> bool:
    """May what came in with the last question leave with the exception?"""
    return any(map(flows, sent)) or not isinstance(end, StopIteration)


def _is_unseen(versions: Versions, steps: Tape) -> bool:
    """May it be undone with what the generator did before? A container that it has put somewhere
    has no record: so nothing is to have been computed for one, where somebody records the end.
    """
    if versions.calls is None:
        return is_harmless(steps)
    return all(record is None for _, record in steps)


def is_harmless(steps: Tape) -> bool:
    """Do the steps write nothing?"""
    return all(writes_nothing(record) for _, record in steps)


def pull_value(shadows: Shadows, y_bar: Value, kept: Began, at: int) -> Value:
    """Back to where the generator was asked: the cotangent of what was sent in."""
    returning, _ = _returning(shadows, kept, None)
    while returning.at > at:  # values that compiled code took
        returning.go(None)
    if returning.at < at:
        raise Unsupported(
            getattr(kept.generator, "__qualname__", "a generator"),
            "a generator from which two loops draw in turn",
            why="the end of one of them is undone too late for the order of the values",
            instead="draw the values into a list first",
        )
    return deeper(shadows, lambda: returning.go(y_bar))


def pull_end(shadows: Shadows, y_bar: Value, kept: Began, end: Value) -> Cotangents:
    """Into the reverse, to its first stop: the cotangent of what was sent in last."""
    _, sent_bar = _returning(shadows, kept, end if isinstance(end, StopIteration) else None)
    return (sent_bar,)


def _feed(versions: Versions, generator: Value) -> Feed:
    kept = versions.generators.get(id(generator))
    if kept is None:
        steps = unknown_steps(versions, generator)
        while (found := step(generator, lambda: next(steps, None))) is not None:
            yield found
        return
    while True:
        try:
            y, route = _resume(versions, kept, lambda: next(generator), drops=True)
        except StopIteration as over:
            return over
        yield y, route


@full(next)
def next_of(versions: Versions, generator: Value, *default: Value) -> tuple[Value, Record]:
    if len(default) > 1:
        return next(generator, *default), None  # raises Python's own TypeError
    kept = versions.generators.get(id(generator))
    if kept is None:
        if type(generator) is not GeneratorType:
            return next_forward(versions, generator, *default)
        found: tuple[Value, Record] = step(
            generator, lambda: next_forward(versions, generator, *default)
        )
        return found
    if default:
        return _next_or(versions, kept, default[0])
    y, record = _resume(versions, kept, lambda: next(generator))
    return y, (pull_next, record)


def _next_or(versions: Versions, kept: Began, default: Value) -> tuple[Value, Record]:
    with OwnCalls(versions) as ends:
        try:
            y, record = _resume(versions, kept, lambda: next(kept.generator))
        except StopIteration:
            if not ends:
                return default, (pull_default,) if flows(default) else None
            return default, (pull_default_at_end, ends)
    return y, (pull_next, record)


def pull_default_at_end(shadows: Shadows, y_bar: Value, ends: list[Call]) -> Cotangents:
    """Back to the default, through what the generator had done before it ended."""
    pull_since(shadows, None, None, ends)
    return None, y_bar


def pull_next(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    assert record is not None
    record[0](shadows, y_bar, *record[1:])
    return None


@full(GeneratorType.send)
def send(versions: Versions, generator: Value, value: Value) -> tuple[Value, Record]:
    kept = versions.generators.get(id(generator))
    if kept is None:
        y = step(generator, lambda: generator.send(value))
        return y, refused(generator, y)
    y, record = _resume(versions, kept, lambda: generator.send(value), value)
    return y, (pull_send, record)


def pull_send(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    assert record is not None
    return None, record[0](shadows, y_bar, *record[1:])


@full(GeneratorType.__next__)
def dunder_next(versions: Versions, generator: Value) -> tuple[Value, Record]:
    return next_of(versions, generator)


@full(GeneratorType.throw)
def throw(versions: Versions, generator: Value, *error: Value) -> tuple[Value, Record]:
    kept = versions.generators.get(id(generator))
    if kept is None:
        y = step(generator, lambda: generator.throw(*error))
        return y, refused(generator, y)
    y, record = _resume(versions, kept, lambda: generator.throw(*error))
    return y, (pull_next, record)


@full(GeneratorType.close)
def close(versions: Versions, generator: Value) -> tuple[Value, Record]:
    over = generator.gi_frame is None
    generator.close()
    kept = versions.generators.get(id(generator))
    return None, None if kept is None or over else (pull_next, (pull_end, kept, None))


FEEDS[GeneratorType] = _feed


# --- a loop over a generator that nothing else knows ----------------------------------------------


def walk_to_end(versions: Versions, iterable: Value) -> Feed:
    """As `iterate`, where `loop_end` follows the loop."""
    kind = type(iterable)
    if kind in SOURCES:
        return iterate(versions, iterable)
    kept = versions.generators.get(id(iterable)) if kind is GeneratorType else None
    if kept is not None:
        return _feed_to_end(versions, kept)
    return _with_end(versions, iterate(versions, iterable))


def _feed_to_end(versions: Versions, kept: Began) -> Feed:
    tape, generator = kept.tape, kept.generator
    while generator.gi_frame is not None:
        before = len(tape)
        try:
            y, route = _resume(versions, kept, lambda: next(generator), ends=True)
        except StopIteration:
            versions.ended = (pull_end, kept, None) if len(tape) > before else None
            return
        yield y, route


def _with_end(versions: Versions, feed: Feed) -> Feed:
    """What is done to find the end of another iterator is kept for the loop."""
    calls = list[Call]()
    while True:
        outer, versions.calls = versions.calls, calls
        try:
            drawn = next(feed, None)
        except BaseException:
            if outer is not None:
                outer += calls
            raise
        finally:
            versions.calls = outer
        if drawn is None:
            ends = [call for call in calls if call.raised]
            versions.ended = (pull_since, None, ends) if ends else None
            return
        if calls:
            ends = [call for call in calls if call.raised]
            calls = []
            yield drawn[0], (pull_since, drawn[1], ends) if ends else drawn[1]
        else:
            yield drawn


def loop_left(versions: Versions, tape: Tape, step: int, walked: Value, iterable: Value) -> None:
    """As `loop_end`, as a step of a tape. ``walked`` has gone through it: nothing of ours is to
    hold the generator any more.
    """
    walked.close()
    end = loop_end(versions, iterable, held=_HELD + 1)
    if end is not None:
        tape.append((step, end))


def loop_end(versions: Versions, iterable: Value, found: Record = None, *, held: int = 0) -> Record:
    """What was done after the last value; where the loop was left and nobody else holds its
    generator, that is closed. ``found``: what is known from the head of the loop's ``else``.
    """
    if found is not None:
        return found
    if versions.ended is not None:
        end, versions.ended = versions.ended, None
        return end
    kept = versions.generators.get(id(iterable)) if type(iterable) is GeneratorType else None
    if kept is None:
        return None
    if (
        iterable.gi_frame is None
        or not ends_by_itself(versions, kept)
        or not _is_alone(iterable, held or _HELD)
    ):
        return None
    return close(versions, iterable)[1]


def ends_by_itself(versions: Versions, kept: Began) -> bool:
    """Does closing it do something? It has a ``finally`` or a ``with``, or what it draws from."""
    frame = kept.generator.gi_frame
    if kept.closing != "delegates" or frame is None or kept.generator.gi_running:
        return kept.closing == "ends"
    inner = [each for each in frame.f_locals.values() if hasattr(each, "close")]
    known = [versions.generators.get(id(each)) for each in inner]
    return any(
        each is None or each is not kept and ends_by_itself(versions, each) for each in known
    )


HOLDING: set[type] = {Began}
"""Classes of what astad keeps."""


def _is_alone(generator: Value, held: int) -> bool:
    """Is it held by records, and by the variable behind the loop, alone?"""
    known = [r for r in gc.get_referrers(generator) if type(r) in HOLDING or is_record(r)]
    return sys.getrefcount(generator) == len(known) + held


_HELD = 4
"""By the variable and three calls."""


def is_record(holder: Value) -> bool:
    if type(holder) is not tuple or not holder or type(holder[0]) is not FunctionType:
        return False
    return (holder[0].__module__ or "astad.").startswith("astad.")


def pull_loop_end(shadows: Shadows, end: Record) -> None:
    if end is not None:
        end[0](shadows, None, *end[1:])


# --- yield from -----------------------------------------------------------------------------------


def resume(inner: Value, sent: Value) -> Value:
    """The next value of the inner generator, ``sent`` sent in unless it is None."""
    return next(inner) if sent is None else inner.send(sent)


@full(resume)
def resume_forward(versions: Versions, inner: Value, sent: Value) -> tuple[Value, Record]:
    if sent is None:
        y, record = callbacks.call(versions, next, inner)
        return y, None if record is None else (pull_resumed, record)
    y, record = callbacks.call(versions, inner.send, sent)
    return y, None if record is None else (pull_sent, record)


def pull_resumed(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 1)
    return None


def pull_sent(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    return None, *(callbacks.pull(shadows, record, y_bar, 1) or (None,))


def throw_in(inner: Value, error: BaseException) -> Value:
    """The next value after an exception that the outer generator got."""
    return _thrower(inner, error)(error)


@full(throw_in)
def throw_in_forward(
    versions: Versions, inner: Value, error: BaseException
) -> tuple[Value, Record]:
    if isinstance(error, GeneratorExit):
        close = getattr(inner, "close", None)
        if close is not None:
            callbacks.call(versions, close)
        raise error
    y, record = callbacks.call(versions, _thrower(inner, error), error)
    return y, None if record is None else (pull_resumed, record)


def _thrower(inner: Value, error: BaseException) -> Value:
    throw = getattr(inner, "throw", None)
    if throw is None:
        raise error
    return throw
