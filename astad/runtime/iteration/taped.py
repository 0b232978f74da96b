"""Steps of a program that an exception may leave anywhere, on a tape.

A step is ``(number, record)``, its record like any other. Where a callee raises, what it had done
so far is on its own tape: that becomes the record of the call, and stays if somebody catches.

>>> import operator
>>> from astad.runtime.core.versions import Versions
>>> versions = Versions()
>>> tape = new_tape(versions)
>>> record(versions, tape, 1, operator.mul, 2.0, 5.0)
10.0
>>> [number for number, _ in tape]
[1]

Calls of which an exception is expected, as ``hasattr`` and iterators expect one: what was done
before it was raised counts, so its record stays.

>>> from astad.runtime import dispatch
>>> class Empty:
...     pass
>>> attempt(Versions(), AttributeError, getattr, Empty(), "x")[2]
AttributeError("'Empty' object has no attribute 'x'")
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from astad.errors import AstadError, Unsupported
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows, has_arrived
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import iterate
from astad.runtime.unseen.unrecorded import Reach
from astad.tangents.add import add
from astad.tangents.zero import has_identity

__all__ = [
    "Tape", "attempt", "bound", "catching", "new_tape", "note", "pull_stray", "pull_through",
    "record", "walk", "watched",
]  # fmt: skip

Tape = list[tuple[int, Record]]


def new_tape(versions: Versions) -> Tape:
    """The tape of a call that begins."""
    tape: Tape = []
    versions.tape = tape
    return tape


def catching(versions: Versions, now: bool, caught: BaseException | None = None) -> bool:
    """Set whether somebody may catch what a callee raises; what was set before.

    Where it is astad that raised, nobody may: the plain program would have gone on.
    """
    before, versions.catching = versions.catching, now
    if isinstance(caught, AstadError):
        versions.refused = caught
        raise caught
    return before


def record(
    versions: Versions, tape: Tape, step: int, fn: Value, /, *args: Value, **keywords: Value
) -> Value:
    """``fn(*args, **keywords)``, as a step of the tape, also where it raises."""
    if not versions.catching:
        y, kept = callbacks.call(versions, fn, *args, **keywords)
    else:
        given = (*args, *keywords.values())
        y, kept = watched(
            versions, tape, lambda: callbacks.call(versions, fn, *args, **keywords), step, given
        )
    tape.append((step, kept))
    return y


def note(tape: Tape, step: int) -> None:
    """A step that keeps nothing."""
    tape.append((step, None))


def walk(versions: Versions, tape: Tape, step: int, iterable: Value) -> Iterator[Value]:
    """The elements; the way back of each is a step."""
    feed = watched(versions, tape, lambda: iterate(versions, iterable), step, ())
    while True:
        found = watched(versions, tape, lambda: next(feed, None), step, ())
        if found is None:
            return
        tape.append((step, found[1]))
        yield found[0]


def watched(
    versions: Versions,
    tape: Tape,
    run: Callable[[], Value],
    step: int,
    given: Sequence[Value],
) -> Value:
    """What ``run`` gives. Calls in it that raised, and if it raises all of them, are steps too."""
    outer, calls = versions.calls, list[Call]()
    versions.calls = calls
    try:
        y = run()
    except BaseException as error:
        versions.calls = outer
        last = calls.pop() if calls and calls[-1].raised else None
        tape += [(0, (pull_through, *call.made, ())) for call in calls]
        if last is not None:
            tape.append((step, (pull_through, *last.made, given)))
        elif given and (places := _places_in(error, given)):
            tape.append((step, (pull_raised, error, places, len(given))))
        elif _is_raised_unseen(error):
            tape.append((step, (pull_unseen, error, _fresh_in(error, given))))
        raise
    versions.calls = outer
    tape += [(0, (pull_through, *call.made, ())) for call in calls if call.raised]
    return y


def bound(kept: Record, bar: Value) -> tuple[Value, Value]:
    """The cotangent of what a step has bound, and the one that its name had before it.

    A step that raised has bound nothing.
    """
    return (None, bar) if kept is not None and kept[0] in _RAISED else (bar, None)


def pull_stray(shadows: Shadows, kept: Record) -> None:
    """Back through a call that no step of its caller names."""
    assert kept is not None
    kept[0](shadows, None, *kept[1:])


def pull_through(
    shadows: Shadows,
    y_bar: Value,
    made: Record,
    operands: Sequence[Value],
    given: Sequence[Value],
) -> Sequence[Value]:
    """Back through a call whose result nobody got; the parts of its operands go to the same objects
    among those of the step.
    """
    assert made is not None
    parts = made[0](shadows, None, *made[1:])
    bars: list[Value] = [None] * len(given)
    # a method's own object is one operand more, or less: arguments are counted from the end
    for back, (value, part) in enumerate(zip(operands[::-1], (parts or ())[::-1], strict=False), 1):
        if part is None:
            continue
        if back <= len(given) and given[-back] is value:
            bars[-back] = part
        elif not _deliver(shadows, given, back, value, part):
            raise Unsupported(
                "a call", "an exception that went through compiled code and was caught",
                why="a number given to a function that it called has a derivative, and nothing "
                "tells where that number came from",
                instead="call the function from Python code",
            )  # fmt: skip
    return bars


def _deliver(
    shadows: Shadows, given: Sequence[Value], back: int, value: Value, part: Value
) -> bool:
    """Bring it to the place where an operand, as the tuple of ``f(*args)``, holds this number: the
    one as far from the end, where it is there, else the only one.
    """
    held = [*_held_in(given)]
    places = [each for each in held[-back:][:1] if back <= len(held) and each[2] is value]
    if not places and type(value) is not int:  # another may be the same object
        places = [each for each in held if each[2] is value]
    if len(places) != 1:
        return False
    holder, key, _ = places[0]
    add_to = shadows.key_add if type(holder) is dict else shadows.slot_add
    add_to(holder, key, part)
    return True


def _held_in(given: Sequence[Value]) -> Iterator[tuple[Value, Value, Value]]:
    """Container, place and item of what lies in tuples, lists and dicts among the operands."""
    for holder in given:
        if type(holder) is dict:
            yield from ((holder, key, item) for key, item in holder.items())
        elif type(holder) in (tuple, list):
            yield from ((holder, at, item) for at, item in enumerate(holder))


def _places_in(error: Value, given: Sequence[Value]) -> list[tuple[Value, int]]:
    """Where an exception of compiled code, a KeyError, shows the numbers that it was given: places
    in ``args`` or attributes, each with that of the operand.
    """
    shown = [*enumerate(error.args), ("obj", getattr(error, "obj", None))]
    return [
        (place, next(at for at, value in enumerate(given) if value is shown_there))
        for place, shown_there in shown
        if flows(shown_there) and any(value is shown_there for value in given)
    ]


def pull_raised(
    shadows: Shadows, y_bar: Value, error: Value, places: list[tuple[Value, int]], n: int
) -> Sequence[Value]:
    """Back through an operation that raised: what is read of the exception is its operands."""
    bars: list[Value] = [None] * n
    found = shadows.slots_take(error.args, len(error.args))
    for place, at in places:
        g = shadows.key_take(error, place) if type(place) is str else found[place]
        bars[at] = add(bars[at], g)
    return bars


def _is_raised_unseen(error: BaseException) -> bool:
    """Was it raised by code of the program that ran as it is, since compiled code called it?"""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    names = {} if step is None else step.tb_frame.f_globals
    home = str(names.get("__name__")).partition(".")[0]
    return "__astad__" not in names and home != "astad" and home not in sys.stdlib_module_names


def _shown_by(error: BaseException) -> dict[Value, Value]:
    """What is read of an exception: its arguments by their places, and its attributes."""
    store = stored_in(error)
    return {**dict(enumerate(error.args)), **(store if type(store) is dict else {})}


def _fresh_in(error: BaseException, given: Sequence[Value]) -> list[Value]:
    """What it holds that cannot be reached from the operands."""
    reached = Reach(given)
    return [v for v in _shown_by(error).values() if has_identity(v) and v not in reached]


def pull_unseen(
    shadows: Shadows, y_bar: Value, error: BaseException, fresh: Sequence[Value]
) -> None:
    """Back through a call that raised in code which was not recorded."""
    names = [name for name in _shown_by(error) if type(name) is str]
    bars = [shadows.key_take(stored_in(error), name) for name in names]
    bars += shadows.slots_take(error.args, len(error.args))
    if any(bar is not None for bar in bars) or has_arrived(shadows, *fresh):
        raise Unsupported(
            "a call", "a number that an exception carried out of code which compiled code called",
            why="that code, as a method that a comparison calls, runs as it is and is not recorded",
            instead="call it from Python code, or keep the number beside the call",
        )  # fmt: skip


_RAISED = (pull_through, pull_raised, pull_unseen)


# --- calls of which an exception is expected ------------------------------------------------------


Raised = TypeVar("Raised", bound=BaseException)


def attempt(
    versions: Versions, expected: type[Raised] | tuple[type[Raised], ...], fn: Value, *args: Value
) -> tuple[Value, Record, Raised | None]:
    """``fn(*args)`` and its record; or None, the record of what it had done, and what it raised."""
    tape: Tape = []
    before, outer = versions.catching, versions.calls
    versions.catching = True
    try:
        y, record = watched(versions, tape, lambda: callbacks.call(versions, fn, *args), 0, args)
    except expected as error:
        return None, (pull_tape, tape) if tape else None, error
    except BaseException:
        if outer is not None and tape:
            outer.append(Call(((pull_tape, tape), ()), True))
        raise
    finally:
        versions.catching = before
    return y, (pull_after, record, tape, len(args)) if tape else record, None


def pull_tape(shadows: Shadows, y_bar: Value, tape: Tape) -> Cotangents:
    """Back through the steps of a call that raised; the last has the parts of its operands."""
    (_, last), parts = tape[-1], None
    if last is not None:
        parts = last[0](shadows, None, *last[1:])
    for _, kept in reversed(tape[:-1]):
        pull_stray(shadows, kept)
    return parts or None


def pull_after(shadows: Shadows, y_bar: Value, record: Record, tape: Tape, n: int) -> Cotangents:
    """Back through a call, and through those in it that raised, which somebody caught."""
    operands = callbacks.pull(shadows, record, y_bar, n)
    pull_tape(shadows, None, tape)
    return operands
