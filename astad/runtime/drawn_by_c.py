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
from astad.runtime import drawn_again  # noqa: F401  (fills the table of iterators)
from astad.runtime.bases import count_of
from astad.runtime.endings import ended
from astad.runtime.foreign_iterators import unknown_steps
from astad.runtime.full_rules import Record, Value, callbacks, flows, full, opaque
from astad.runtime.harmless import writes_nothing
from astad.runtime.iterate import (
    FEEDS,
    Feed,
    add_index,
    add_key,
    add_slot,
    iterator_of,
    pull_call,
    steps,
    take_gathered,
    until_end,
)
from astad.runtime.iterators import (
    Shown,
    fresh_tuple,
    iter_forward,
    next_forward,
    pull_iterators,
    pull_pending,
    taking_along,
)
from astad.runtime.itertools_feeds import state_of
from astad.runtime.list_methods import pull_pop
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.runtime.writing_code import STANDS_FOR
from astad.tangents.add import add
from astad.tangents.unasked import callable_name

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
    """A function whose answer only decides: what it computes is not undone, so it may not write."""

    __slots__ = ()

    def __call__(self, *args: Value) -> Value:
        y = super().__call__(*args)
        if not writes_nothing(self.record):
            raise Unsupported(
                callable_name(self.fn),
                "a function given to itertools that writes what a derivative may pass through",
                why="nothing tells between which elements it is called",
                instead="write the loop out",
            )
        return y


STANDS_FOR.update(dict.fromkeys((Asked, Judge), lambda asked: asked.fn))


# --- groupby --------------------------------------------------------------------------------------


@full(itertools.groupby)
def groupby(versions: Versions, iterable: Value, key: Value = None) -> tuple[Value, Record]:
    noted, record = _noted(versions, iterable)
    return itertools.groupby(noted, None if key is None else Judge(versions, key)), record


def _group_steps(versions: Versions, iterator: Value) -> Feed:
    """The keys, with the groups; of elements passed over, the routes go back with the key."""
    noted, judge = state_of(iterator)[1]
    if type(noted) is not Shown:  # made by others
        yield from unknown_steps(versions, iterator)
        return
    behind: list[Record] | None = None
    for pair in iterator:
        passed = [route for route in reversed(noted.passed()) if route is not None]
        route = _route_of_key(pair[0], judge, noted.last)
        made: Record = None if route is None else (take_gathered, pair, (route, None))
        made = (pull_pending, made, passed) if passed else made
        made, behind = taking_along(made, (noted.last,))
        yield pair, made
    noted.put_behind(versions, behind, "itertools.groupby")


def _route_of_key(key: Value, judge: Value, last: Record) -> Record:
    if not flows(key):
        return None
    if judge is None and last is not None and last[0] in (add_slot, add_key, add_index):
        return last  # the key is the element
    return opaque("the key of a groupby", key)


def _grouped_steps(versions: Versions, iterator: Value) -> Feed:
    """One group: the element that comes is the last one that was drawn."""
    parent = state_of(iterator)[1][0]
    noted = state_of(parent)[1][0] if type(parent) is itertools.groupby else None
    if type(noted) is not Shown:
        yield from unknown_steps(versions, iterator)
        return
    for v in iterator:
        noted.routes()
        yield v, noted.last


# --- those that choose and those that pack --------------------------------------------------------


@full(itertools.compress)
def compress(versions: Versions, data: Value, selectors: Value) -> tuple[Value, Record]:
    noted, record = _noted(versions, data)
    asked, more = _noted(versions, selectors)
    both = [each for each in (record, more) if each is not None]
    return itertools.compress(noted, asked), (pull_both, both) if both else None


def pull_both(shadows: Shadows, y_bar: Value, records: list[Record]) -> None:
    for record in reversed(records):
        callbacks.pull(shadows, record, None, 1)


def _compress_steps(versions: Versions, iterator: Value) -> Feed:
    noted, asked = state_of(iterator)[1]
    if type(noted) is not Shown or type(asked) is not Shown:  # made by others
        return (yield from _compressed(versions, noted, asked))
    behind: list[Record] | None = None
    ends: list[StopIteration] = []
    for v in until_end(iterator, ends):
        *passed, route = noted.routes()
        others = [each for each in (*reversed(passed), *reversed(asked.routes())) if each]
        route, behind = taking_along((pull_pending, route, others) if others else route, (route,))
        yield v, route
    asked.put_behind(versions, behind, "itertools.compress")
    noted.put_behind(versions, behind, "itertools.compress")
    return ends[0] if ends else None


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
    return itertools.dropwhile(Judge(versions, predicate), noted), record


def _dropwhile_steps(versions: Versions, iterator: Value) -> Feed:
    noted = state_of(iterator)[1][1]
    if type(noted) is not Shown:  # made by others
        return (yield from unknown_steps(versions, iterator))
    behind: list[Record] | None = None
    ends: list[StopIteration] = []
    for v in until_end(iterator, ends):
        *passed, route = noted.routes()
        others = [each for each in reversed(passed) if each is not None]
        route, behind = taking_along((pull_pending, route, others) if others else route, (route,))
        yield v, route
    noted.put_behind(versions, behind, "itertools.dropwhile")
    return ends[0] if ends else None


def _batched(versions: Versions, iterable: Value, n: int, **strict: Value) -> tuple[Value, Record]:
    noted, record = _noted(versions, iterable)
    return itertools.batched(noted, n, **strict), record  # type: ignore[attr-defined]


def _batch_steps(versions: Versions, iterator: Value) -> Feed:
    noted = next((o for o in gc.get_referents(iterator) if type(o) is Shown), None)
    if noted is None:
        yield from unknown_steps(versions, iterator)
        return
    for batch in iterator:
        yield fresh_tuple(list(batch), tuple(noted.routes()))


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
        ended(versions, asked.record, "iter(function, sentinel)")
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
