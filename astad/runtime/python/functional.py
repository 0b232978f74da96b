"""Functions that call a function of the user's: map, filter, reduce, partial and their kin."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TypeAlias

from astad.runtime.calls.inert_modules import calls_back
from astad.runtime.calls.library import pull_with_first
from astad.runtime.core.full_rules import (
    CALLED,
    MISSING,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    swallowed,
)
from astad.runtime.core.paths_of_records import PATHS, paths_of
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration import (  # noqa: F401  (fills the table)
    drawn_again,
)
from astad.runtime.iteration.ends import ended
from astad.runtime.iteration.iterate import (
    FEEDS,
    Feed,
    InStep,
    deliver,
    following,
    gather,
    leave,
    pull_call,
    pull_folded,
    steps,
)
from astad.runtime.iteration.iterators import (
    Ended,
    before_end,
    draw,
    iterators_of,
    one_after_another,
    pull_one_after_another,
)
from astad.runtime.iteration.itertools_feeds import set_state
from astad.runtime.iteration.own_iterators import asked, stopped
from astad.runtime.operations.class_attributes import BOUND
from astad.runtime.operations.comparisons import truth
from astad.runtime.unseen.drawn_from import state_of
from astad.tangents.add import add
from astad.tangents.zero import has_identity

__all__: list[str] = []


# --- map, filter, starmap, takewhile --------------------------------------------------------------


@full(map)
def map_forward(versions: Versions, fn: Value, *iterables: Value) -> tuple[Value, Record]:
    iterators, record = iterators_of(versions, iterables)
    return map(fn, *iterators), record


def _map_steps(versions: Versions, iterator: Value) -> Feed:
    fn, *inner = iterator.__reduce__()[1]
    feeds = [steps(versions, one) for one in inner]
    while not isinstance(drawn := draw(versions, feeds), Ended):
        values, routes = drawn
        v, record, end = _asked_of(versions, routes, fn, *values)
        if end is not None:
            return stopped(versions, fn, (pull_mapped, record, len(values), routes), end)
        has_way = record is not None or any(routes)
        yield v, (pull_mapped, record, len(values), routes) if has_way else None
    return drawn.by


def _asked_of(
    versions: Versions, routes: Sequence[Record], fn: Value, *values: Value
) -> tuple[Value, Record, StopIteration | None]:
    """What the function answers; ``routes``: of the elements that were drawn for it."""
    try:
        return asked(versions, fn, *values)
    except BaseException:
        leave(versions, routes)
        raise


def pull_mapped(
    shadows: Shadows, v_bar: Value, record: Record, n: int, routes: tuple[Record, ...]
) -> None:
    """As `pull_call`; without a record the routes still go back, for what they have written."""
    if record is not None:
        pull_call(shadows, v_bar, record, n, routes)
        return
    for route in reversed(routes):
        deliver(shadows, route, None)


def _predicate_feed(keep: Value) -> Value:
    """Feed of an iterator that asks the user's predicate; ``keep(truth)`` is True, False (skip) or
    None (stop)."""

    def feed(versions: Versions, iterator: Value) -> Feed:
        state: Value = iterator.__reduce__() if type(iterator) is filter else state_of(iterator)
        predicate, inner = state[1]
        if state[2:] == (1,):  # a takewhile that is over
            return None
        skipped: list[Record] = []
        feed = steps(versions, inner)
        while (drawn := following(versions, feed))[0] is not None:
            v, route = drawn[0]
            # of an object of the user's a call of its `__bool__`
            fn = truth if predicate is None and has_identity(v) else predicate
            record: Record = None
            if fn is None:
                answer = v
            else:
                answer, record, end = _asked_of(versions, [*skipped, route], fn, v)
                if end is not None:
                    events = [*skipped, (pull_asked, record, route)]
                    return stopped(versions, fn, (pull_one_after_another, events, -1), end)
            kept = keep(answer)
            event = route if record is None else (pull_asked, record, route)
            if kept:
                yield v, one_after_another([*skipped, event])
                skipped = []
                continue
            if event is not None:
                skipped.append(event)
            if kept is None:
                set_state(iterator, 1)
                break
        if drawn[0] is None:
            before_end(versions, skipped, type(iterator).__name__, predicate)
        elif skipped:  # a takewhile that has found its end
            way = (pull_one_after_another, skipped, -1)
            ended(versions, way, type(iterator).__name__, predicate)
        return drawn[1]

    return feed


def pull_asked(shadows: Shadows, v_bar: Value, record: Record, route: Record) -> None:
    """Back through the question, then the element."""
    if record is not None:
        parts = callbacks.pull(shadows, record, None, 1)
        v_bar = v_bar if parts is None else add(v_bar, parts[0])
    deliver(shadows, route, v_bar)


def _kept_if_true(truth: Value) -> bool | None:
    return bool(truth)


def _kept_if_false(truth: Value) -> bool | None:
    return not truth


def _until_false(truth: Value) -> bool | None:
    return True if truth else None


def _predicate_forward(kind: Value) -> None:
    @full(kind)
    def forward(versions: Versions, predicate: Value, iterable: Value) -> tuple[Value, Record]:
        iterators, record = iterators_of(versions, (iterable,))
        return kind(predicate, *iterators), record


def _starmap_steps(versions: Versions, iterator: Value) -> Feed:
    fn, inner = state_of(iterator)[1]
    feed = steps(versions, inner)
    while (drawn := following(versions, feed))[0] is not None:
        values, routes = gather(versions, drawn[0][0])
        v, record, end = _asked_of(versions, [drawn[0][1], *routes], fn, *values)
        way = (pull_starred, record, len(values), tuple(routes), drawn[0][1])
        if end is not None:
            return stopped(versions, fn, way, end)
        yield v, way
    return drawn[1]


def pull_starred(
    shadows: Shadows,
    v_bar: Value,
    record: Record,
    n: int,
    routes: tuple[Record, ...],
    route: Record,
) -> None:
    pull_mapped(shadows, v_bar, record, n, routes)
    deliver(shadows, route, None)


for _kind in (filter, itertools.takewhile, itertools.filterfalse, itertools.starmap):
    _predicate_forward(_kind)
FEEDS.update({
    map: _map_steps,
    filter: _predicate_feed(_kept_if_true),
    itertools.takewhile: _predicate_feed(_until_false),
    itertools.filterfalse: _predicate_feed(_kept_if_false),
    itertools.starmap: _starmap_steps,
})  # fmt: skip


# --- reduce ---------------------------------------------------------------------------------------


@full(functools.reduce)
def reduce_forward(
    versions: Versions, fn: Value, iterable: Value, *initial: Value
) -> tuple[Value, Record]:
    if len(initial) > 1:
        functools.reduce(fn, (), *initial)  # raises Python's own TypeError
    with InStep(versions, iterable) as drawn:
        y = initial[0] if initial else MISSING
        for v in drawn:
            if y is MISSING:
                y = v
                drawn.note((pull_started,))
                continue
            y, record = callbacks.call(versions, fn, y, v)
            drawn.note(record)
        if y is MISSING:
            functools.reduce(fn, [])  # raises Python's own TypeError
    return y, (pull_reduce, drawn.handed, bool(initial))


def pull_started(shadows: Shadows, y_bar: Value) -> Cotangents:
    """The first element is what is there so far."""
    return None, y_bar


def pull_reduce(
    shadows: Shadows, y_bar: Value, handed: list[tuple[Record, Record]], has_initial: bool
) -> Cotangents:
    y_bar = pull_folded(shadows, y_bar, handed)
    return (None, None, y_bar) if has_initial else None


# --- keys that compare ----------------------------------------------------------------------------


@full(functools.cmp_to_key)
def key_forward(versions: Versions, mycmp: Value) -> tuple[Value, Record]:
    if not calls_back(mycmp):
        return functools.cmp_to_key(mycmp), None
    return callbacks.call(versions, compared_by, mycmp)


def compared_by(compare: Callable[[Value, Value], Value]) -> type:
    """A class of keys in the order of the function, as ``functools.cmp_to_key`` makes it.

    >>> sorted([3, 1, 2], key=compared_by(lambda a, b: b - a))
    [3, 2, 1]
    """

    class K:
        __slots__ = ("obj",)
        __module__ = compare.__module__  # it is of the program
        __hash__ = None  # type: ignore[assignment]

        def __init__(self, obj: Value) -> None:
            self.obj = obj

        def __lt__(self, other: Value) -> bool:
            return bool(compare(self.obj, other.obj) < 0)

        def __gt__(self, other: Value) -> bool:
            return bool(compare(self.obj, other.obj) > 0)

        def __le__(self, other: Value) -> bool:
            return bool(compare(self.obj, other.obj) <= 0)

        def __ge__(self, other: Value) -> bool:
            return bool(compare(self.obj, other.obj) >= 0)

        def __eq__(self, other: object) -> bool:
            return bool(compare(self.obj, other.obj) == 0)  # type: ignore[attr-defined]

    return K


# --- partial and the getters of operator ----------------------------------------------------------


@full(functools.partial.__new__)
def new_partial(
    versions: Versions, cls: Value, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """What makes one of a class of the user's."""
    y = functools.partial.__new__(cls, fn, *args, **keywords)
    record = _bound(y, fn, args, keywords)
    return y, None if record is None else (pull_with_first, record)


@full(functools.partial)
def partial_forward(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y = functools.partial(fn, *args, **keywords)
    return y, _bound(y, fn, args, keywords)


def _bound(y: Value, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Record:
    if not any(map(flows, args)) and not any(map(flows, keywords.values())):
        return None
    inner: Inner = None
    if len(y.args) > len(args) or y.func is not fn:  # a partial of a partial is flattened
        inner = fn.args, fn.keywords, tuple(fn.keywords)
    return pull_partial, y.args, y.keywords, inner, len(args), tuple(keywords)


Inner: TypeAlias = tuple[Value, Value, tuple[str, ...]] | None
"""What a partial of which another is made has bound, and by which names."""


def pull_partial(
    shadows: Shadows, y_bar: Value, args: Value, held: Value, inner: Inner, n: int,
    names: tuple[str, ...],
) -> Cotangents:  # fmt: skip
    """The bound values are slots of the partial's ``args`` and keys of its ``keywords``, which a
    ``__setstate__`` may have put others for by now.
    """
    first = len(args) - n
    named = [shadows.key_take(held, name) for name in names]
    if inner is not None:
        for i in range(first):
            shadows.slot_add(inner[0], i, shadows.slot_take(args, i))
        for key in inner[2]:
            shadows.key_add(inner[1], key, shadows.key_take(held, key))
    return [None, *[shadows.slot_take(args, first + i) for i in range(n)], *named]


def _called_partial(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    bound, held = fn.args, fn.keywords
    words = tuple(held)
    y, record = callbacks.call(versions, fn.func, *bound, *args, **{**held, **keywords})
    if record is None:
        return y, None
    return y, (pull_called_partial, record, bound, held, words, len(args), tuple(keywords))


def pull_called_partial(
    shadows: Shadows, y_bar: Value, record: Record, bound: Value, held: Value,
    words: tuple[str, ...], n: int, names: tuple[str, ...],
) -> Cotangents:  # fmt: skip
    """``bound``, ``held``, ``words``: what the partial had bound when it was called."""
    first = len(bound)
    order = [*words, *[name for name in names if name not in words]]
    operands = callbacks.pull(shadows, record, y_bar, first + n + len(order))
    if operands is None:
        return None
    for i in range(first):
        shadows.slot_add(bound, i, operands[i])
    by_name = dict(zip(order, operands[first + n :], strict=True))
    for name in words:
        if name not in names:
            shadows.key_add(held, name, by_name[name])
    return [*operands[first : first + n], *[by_name[name] for name in names]]


def _paths_of_partial(record: tuple[Value, ...], count: int) -> Sequence[bool]:
    _, inner, bound, _, words, n, names = record
    first = len(bound)
    found = paths_of(inner, first + n + len({*words, *names}))[first : first + n]
    return [*found, *[True] * len(names)]


CALLED[functools.partial] = _called_partial
PATHS[pull_called_partial] = _paths_of_partial


@full(vars(functools.partial)["__call__"])
def call_partial(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """What runs one of a class of the user's."""
    y, record = _called_partial(versions, fn, *args, **keywords)
    return y, None if record is None else (pull_with_first, record)


@full(functools.partial.__reduce__)
def reduce_partial(versions: Versions, fn: Value) -> tuple[Value, Record]:
    return functools.partial.__reduce__(fn), None  # what it binds, not copies of that


_SET_STATE: Value = vars(functools.partial)["__setstate__"]


@full(_SET_STATE)
def set_partial(versions: Versions, fn: Value, state: Value) -> tuple[None, Record]:
    _SET_STATE(fn, state)
    if fn.args is not state[1] or fn.keywords is not state[2]:
        return None, swallowed(fn, "functools.partial.__setstate__", 2, {1: state})
    return None, None


def _called_static(
    versions: Versions, method: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y, record = callbacks.call(versions, method.__func__, *args, **keywords)
    return y, record


CALLED[staticmethod] = _called_static


def _called_getter(read: Value) -> Value:
    """``itemgetter`` and ``attrgetter``: one read, or a tuple of several."""

    def forward(versions: Versions, getter: Value, o: Value) -> tuple[Value, Record]:
        names = getter.__reduce__()[1]
        values, records = [], []
        for name in names:
            v, chain = _read_path(versions, read, o, name)
            values.append(v)
            records.append(chain)
        if len(names) == 1:
            return values[0], (pull_path, records[0])
        y = tuple(values)
        return y, (pull_paths, y, records)

    return forward


def _read_path(
    versions: Versions, read: Value, o: Value, name: Value
) -> tuple[Value, list[Record]]:
    """One item, or the attributes of a dotted name one after the other."""
    records = []
    for part in name.split(".") if read is getattr else [name]:
        o, record = callbacks.call(versions, read, o, part)
        records.append(record)
    return o, records


def pull_path(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    for record in reversed(records):
        operands = callbacks.pull(shadows, record, y_bar, 2)
        y_bar = None if operands is None else operands[0]
    return (y_bar,)


def pull_paths(shadows: Shadows, y_bar: Value, y: Value, paths: list[list[Record]]) -> Cotangents:
    total = None
    for i in range(len(paths) - 1, -1, -1):
        (part,) = pull_path(shadows, shadows.slot_take(y, i), paths[i]) or (None,)
        total = add(total, part)
    return (total,)


@full(operator.methodcaller)
def methodcaller_forward(
    versions: Versions, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y = operator.methodcaller(*args, **keywords)
    if not any(map(flows, args)) and not any(map(flows, keywords.values())):
        return y, None
    return y, (pull_methodcaller, y, len(args), tuple(keywords))


def pull_methodcaller(
    shadows: Shadows, y_bar: Value, y: Value, n: int, names: tuple[str, ...]
) -> Cotangents:
    """The bound values lie under their place or name."""
    places: tuple[Value, ...] = (*range(1, n), *names)
    return [None, *[shadows.key_take(y, place) for place in places]]


def _called_method(versions: Versions, caller: Value, o: Value) -> tuple[Value, Record]:
    """``methodcaller(name, *args)``."""
    maker, args = caller.__reduce__()
    if type(maker) is functools.partial:
        name, rest, keywords = maker.args[0], args, maker.keywords
    else:
        (name, *rest), keywords = args, {}
    method, found = callbacks.call(versions, getattr, o, name)
    y, record = callbacks.call(versions, method, *rest, **keywords)
    places = (*range(1, 1 + len(rest)), *keywords)
    return y, (pull_method, caller, found, record, places)


def pull_method(
    shadows: Shadows,
    y_bar: Value,
    caller: Value,
    found: Record,
    record: Record,
    places: tuple[Value, ...],
) -> Cotangents:
    bound = callbacks.pull(shadows, record, y_bar, len(places))
    for place, part in zip(places, bound or (), strict=False):
        shadows.key_add(caller, place, part)
    operands = callbacks.pull(shadows, found, None, 2)
    return None if operands is None else operands[:1]


CALLED[operator.itemgetter] = _called_getter(operator.getitem)
CALLED[operator.attrgetter] = _called_getter(getattr)
CALLED[operator.methodcaller] = _called_method


# --- operator.call, f.__call__, and methods that are bound by hand --------------------------------


def _called(versions: Versions, fn: Value, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    y, record = callbacks.call(versions, fn, *args, **keywords)
    return y, None if record is None else (pull_call_of, record, len(args) + len(keywords))


def pull_call_of(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n)
    return None if operands is None else (None, *operands)


full(*(kind.__call__ for kind in (FunctionType, BuiltinFunctionType, MethodType)))(_called)
if hasattr(operator, "call"):
    full(operator.call)(_called)


@full(FunctionType.__get__)
def bound_by_hand(versions: Versions, fn: Value, o: Value, *cls: Value) -> tuple[Value, Record]:
    y = fn.__get__(o, *cls)
    return y, (pull_bound_by_hand, y, len(cls)) if flows(o) and y is not fn else None


@full(MethodType)
def made_method(versions: Versions, fn: Value, o: Value) -> tuple[Value, Record]:
    y = MethodType(fn, o)
    return y, (pull_bound_by_hand, y, 0) if flows(o) else None


def pull_bound_by_hand(shadows: Shadows, y_bar: Value, method: Value, n: int) -> Cotangents:
    return None, shadows.key_take(method, BOUND), *[None] * n
