"""Iterators of C that draw from others and ask functions: groupby, compress, dropwhile, batched,
``iter(function, sentinel)``.

They run as they are, on iterators that note the route of each element which they draw, and on
functions whose calls are noted.
"""

from __future__ import annotations

import gc
import itertools
from types import WrapperDescriptorType

from astad.errors import Unsupported
from astad.runtime.containers.list_methods import pull_pop
from astad.runtime.core.full_rules import Record, Value, callbacks, flows, full, opaque
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.bases import count_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration import (  # noqa: F401  (fills the table of iterators)
    drawn_again,
)
from astad.runtime.iteration.ends import ended
from astad.runtime.iteration.iterate import (
    FEEDS,
    Feed,
    add_key,
    deliver,
    iterator_of,
    pull_call,
    steps,
    take_gathered,
    until_end,
)
from astad.runtime.iteration.iterators import (
    Shown,
    drawn_by_c,
    iter_forward,
    next_forward,
    one_after_another,
    pull_iterators,
    route_of_last,
)
from astad.runtime.operations.comparisons import truth_forward
from astad.runtime.python.functional import pull_asked
from astad.runtime.unseen.drawn_from import state_of
from astad.runtime.unseen.foreign_iterators import unknown_steps
from astad.runtime.unseen.writing_code import STANDS_FOR, writes_in
from astad.tangents.add import add
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["Asked"]


def _noted(versions: Versions, iterable: Value) -> tuple[Shown, Record]:
    iterator, record = iterator_of(versions, iterable)
    kept = None if record is None else (pull_iterators, [record])
    return Shown(versions, iterator), kept


class Asked:
    """A function as compiled code calls it; the record of its last call."""

    __slots__ = ("fn", "record", "versions")

    def __init__(self, versions: Versions, fn: Value) -> None:
        self.versions = versions
        self.fn = fn
        self.record: Record = None

    def __call__(self, *args: Value) -> Value:
        self.record = None
        y, self.record = callbacks.call(self.versions, self.fn, *args)
        return y


class Judge(Asked):
    """A function that is asked about the element which was drawn last: its call is an event."""

    __slots__ = ("noted",)

    def __init__(self, versions: Versions, fn: Value, noted: Shown) -> None:
        super().__init__(versions, fn)
        self.noted = noted

    def __call__(self, *args: Value) -> Value:
        y = super().__call__(*args)
        events = self.noted.events
        if self.record is not None:
            events[-1] = (pull_asked, self.record, events[-1])
        return y


STANDS_FOR.update(dict.fromkeys((Asked, Judge), lambda asked: asked.fn))


# --- groupby --------------------------------------------------------------------------------------


class Numbered(Shown):
    """What a groupby draws: an element is handed out later than it is drawn, and so is its key.
    Their cotangents wait under the number of the element until the sweep comes to the events.
    ``keys``: the elements themselves are compared.
    """

    __slots__ = ("keys", "number")

    def __init__(self, versions: Versions, iterator: Value, *, keys: bool = False) -> None:
        super().__init__(versions, iterator)
        self.number, self.keys = 0, keys

    def put(self, v: Value, route: Record) -> None:
        if self.keys:
            check_compared(v)
        self.number += 1
        self.events.append(None if route is None else (pull_numbered, self, self.number, route))

    def route_of(self, v: Value, *what: Value) -> Record:
        """Of the element that was drawn last, or of its key."""
        return (add_key, self, (self.number, *what)) if flows(v) else None


def pull_numbered(
    shadows: Shadows, v_bar: Value, noted: Numbered, number: int, route: Record
) -> None:
    deliver(shadows, route, shadows.key_take(noted, (number,)))


def check_compared(v: Value) -> None:
    """Raise for a key whose ``__eq__`` may write: a groupby compares keys where nothing is
    recorded.
    """
    kind = type(v)
    if kind.__flags__ & MADE_BY_CLASS and writes_in(kind, ("__eq__",)):
        raise Unsupported(
            "itertools.groupby", f"a key of class {kind.__name__}, whose __eq__ stores something",
            why="compiled code compares the keys, and what that stores is not recorded",
            instead="group by a number or a text",
        )  # fmt: skip


class KeyOf(Judge):
    """The key function of a groupby."""

    __slots__ = ()

    def __call__(self, *args: Value) -> Value:
        y = Asked.__call__(self, *args)
        check_compared(y)
        if self.record is not None:
            number = self.noted.number  # type: ignore[attr-defined]
            self.noted.events.append((pull_key, self.noted, number, self.record))
        return y


STANDS_FOR.update({Numbered: STANDS_FOR[Shown], KeyOf: STANDS_FOR[Judge]})


def pull_key(shadows: Shadows, v_bar: Value, noted: Numbered, number: int, record: Record) -> None:
    parts = callbacks.pull(shadows, record, shadows.key_take(noted, (number, "key")), 1)
    if parts is not None and parts[0] is not None:
        shadows.key_add(noted, (number,), parts[0])


@full(itertools.groupby)
def groupby(versions: Versions, iterable: Value, key: Value = None) -> tuple[Value, Record]:
    iterator, record = iterator_of(versions, iterable)
    noted = Numbered(versions, iterator, keys=key is None)
    asked = None if key is None else KeyOf(versions, key, noted)
    return itertools.groupby(noted, asked), record and (pull_iterators, [record])


def _group_steps(versions: Versions, iterator: Value) -> Feed:
    """The keys, with the groups."""
    noted, asked = state_of(iterator)[1]
    if type(noted) is not Numbered:  # made by others
        return (yield from unknown_steps(versions, iterator))
    what = () if asked is None else ("key",)

    def route_of(pair: Value, events: list[Record]) -> Record:
        way = noted.route_of(pair[0], *what)
        made = None if way is None else (take_gathered, pair, (way, None))
        return one_after_another([*events, made])

    return (yield from drawn_by_c(versions, iterator, noted, route_of))


def _grouped_steps(versions: Versions, iterator: Value) -> Feed:
    """One group: the element that comes is the last one that was drawn."""
    parent = state_of(iterator)[1][0]
    noted = state_of(parent)[1][0] if type(parent) is itertools.groupby else None
    if type(noted) is not Numbered:
        return (yield from unknown_steps(versions, iterator))

    def route_of(v: Value, events: list[Record]) -> Record:
        return one_after_another([*events, noted.route_of(v)])

    return (yield from drawn_by_c(versions, iterator, noted, route_of))


# --- those that choose and those that pack --------------------------------------------------------


@full(itertools.compress)
def compress(versions: Versions, data: Value, selectors: Value) -> tuple[Value, Record]:
    noted, record = _noted(versions, data)
    iterator, more = iterator_of(versions, selectors)
    both = [record, None if more is None else (pull_iterators, [more])]
    made = itertools.compress(noted, Told(versions, iterator, noted.events))
    return made, (pull_both, both) if any(both) else None


class Told(Shown):
    """Selectors: whether each is true is asked here."""

    __slots__ = ()

    def __next__(self) -> Value:
        y, asked = truth_forward(self.versions, super().__next__())
        if asked is not None:
            self.events[-1] = (pull_asked, asked, self.events[-1])
        return y


STANDS_FOR[Told] = STANDS_FOR[Shown]


def pull_both(shadows: Shadows, y_bar: Value, records: list[Record]) -> None:
    for record in reversed(records):
        callbacks.pull(shadows, record, None, 1)


def _compress_steps(versions: Versions, iterator: Value) -> Feed:
    noted, asked = state_of(iterator)[1]
    if type(noted) is not Shown or type(asked) is not Told:  # made by others
        return (yield from _compressed(versions, noted, asked))
    return (yield from drawn_by_c(versions, iterator, noted, _route_of_chosen))


def _route_of_chosen(v: Value, events: list[Record]) -> Record:
    return one_after_another(events, -2)  # behind the element its selector was drawn


def _compressed(versions: Versions, data: Value, selectors: Value) -> Feed:
    chosen = steps(versions, selectors)
    for v, route in steps(versions, data):
        selector, _ = next(chosen, (_END, None))
        if selector is _END:
            return
        if selector:
            yield v, route


_END = object()


@full(itertools.dropwhile)
def dropwhile(versions: Versions, predicate: Value, iterable: Value) -> tuple[Value, Record]:
    noted, record = _noted(versions, iterable)
    return itertools.dropwhile(Judge(versions, predicate, noted), noted), record


def _dropwhile_steps(versions: Versions, iterator: Value) -> Feed:
    noted = state_of(iterator)[1][1]
    if type(noted) is not Shown:  # made by others
        return (yield from unknown_steps(versions, iterator))
    return (yield from drawn_by_c(versions, iterator, noted, route_of_last))


def _batched(versions: Versions, iterable: Value, n: int, **strict: Value) -> tuple[Value, Record]:
    noted, record = _noted(versions, iterable)
    return itertools.batched(noted, n, **strict), record  # type: ignore[attr-defined]


def _batch_steps(versions: Versions, iterator: Value) -> Feed:
    noted = next((o for o in gc.get_referents(iterator) if type(o) is Shown), None)
    if noted is None:
        return (yield from unknown_steps(versions, iterator))
    return (yield from drawn_by_c(versions, iterator, noted, _route_of_batch))


def _route_of_batch(batch: Value, events: list[Record]) -> Record:
    n = len(batch)
    made = (take_gathered, batch, events[:n]) if any(events[:n]) else None
    return one_after_another([made, *events[n:]], 0)


# --- count ----------------------------------------------------------------------------------------


@full(itertools.count, names="start step")
def count(versions: Versions, start: Value = 0, step: Value = 1) -> tuple[Value, Record]:
    y = itertools.count(start, step)
    return y, (pull_count, y) if flows(start) or flows(step) else None


def pull_count(shadows: Shadows, y_bar: Value, y: Value) -> dict[str, Value]:
    return {"start": shadows.key_take(y, "now"), "step": shadows.key_take(y, "step")}


def _count_steps(versions: Versions, iterator: Value) -> Feed:
    for v in iterator:
        yield v, (pull_counted, iterator) if flows(v) else None


def pull_counted(shadows: Shadows, v_bar: Value, iterator: Value) -> None:
    """The number to come is this one and a step."""
    later = shadows.key_take(iterator, "now")
    shadows.key_add(iterator, "step", later)
    shadows.key_add(iterator, "now", add(v_bar, later))


# --- iter(function, sentinel) ---------------------------------------------------------------------


@full(iter)
def iterator_or_until(
    versions: Versions, iterable: Value, *sentinel: Value
) -> tuple[Value, Record]:
    if not sentinel or not callable(iterable):
        return iter_forward(versions, iterable, *sentinel)
    return iter(Asked(versions, iterable), *sentinel), None


def _until_steps(versions: Versions, iterator: Value) -> Feed:
    parts = iterator.__reduce__()
    asked = parts[1][0] if len(parts[1]) == 2 else None
    ends: list[StopIteration] = []
    for v in until_end(iterator, ends):
        record = asked.record if type(asked) is Asked else None
        if type(asked) is not Asked:
            yield v, opaque("an element of an iterator made by others", v)
        else:
            yield v, None if record is None else (pull_call, record, 0)
    if type(asked) is Asked and not _took_from_end(asked.record):
        ended(versions, asked.record, "iter(function, sentinel)", asked.fn)
    return ends[0] if ends else None


def _took_from_end(record: Record) -> bool:
    """Was the sentinel the last element of a list or deque? Nobody else has moved for it."""
    while record is not None and record[0].__name__ in ("_pull_rest", "pull_with_owner"):
        record = record[1]
    if record is None or record[0] is not pull_pop:
        return False
    _, sequence, i = record
    return bool(count_of(sequence) == i)


FEEDS.update({
    itertools.compress: _compress_steps, itertools.dropwhile: _dropwhile_steps,
    itertools.groupby: _group_steps, type(next(itertools.groupby("a"))[1]): _grouped_steps,
    itertools.count: _count_steps, type(iter(int, 1)): _until_steps,
})  # fmt: skip
if hasattr(itertools, "batched"):
    full(itertools.batched)(_batched)
    FEEDS[itertools.batched] = _batch_steps

for _kind in [kind for kind in FEEDS if type(vars(kind).get("__next__")) is WrapperDescriptorType]:
    full(vars(_kind)["__next__"])(next_forward)  # called by hand, as heapq.merge does
    full(vars(_kind)["__iter__"])(iter_forward)
