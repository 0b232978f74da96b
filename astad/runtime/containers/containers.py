"""Tuples, lists, sets and deques: displays, conversions, namedtuples, subclasses.

Making one moves each number into its slot; what has identity moves nothing.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from types import SimpleNamespace

from astad.runtime.containers.sets import own_elements
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    python_method,
)
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.bases import count_of, items_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    behind_end,
    deliver,
    gather,
    in_its_order,
    iterate_sized,
    take_gathered,
)
from astad.runtime.operations.indexing import pull_window

__all__ = [
    "copied_sequence", "copied_set", "display", "is_container_class",
    "make_container", "pull_display", "set_display",
]  # fmt: skip


# --- displays -------------------------------------------------------------------------------------


def display(y: Value, items: tuple[Value, ...]) -> tuple[Value, Record]:
    """A fresh list or tuple `y` of these operands."""
    return y, (pull_display, y, len(items)) if any(map(flows, items)) else None


def pull_display(shadows: Shadows, y_bar: Value, y: Value, n: int) -> Cotangents:
    if y_bar is not None:
        shadows.add(y, y_bar)
    return shadows.slots_take(y, n)


def set_display(y: Value, items: tuple[Value, ...]) -> tuple[Value, Record]:
    """A fresh set `y` of these operands: of equal ones the first is in it."""
    return y, (pull_set_display, y, items) if any(map(flows, items)) else None


def pull_set_display(
    shadows: Shadows, y_bar: Value, y: Value, items: tuple[Value, ...]
) -> Cotangents:
    return [shadows.key_take(y, v) if flows(v) else None for v in items]


def copied_sequence(y: Value, source: Value) -> Record:
    """Record of a fresh list, tuple or deque `y` with the elements of `source` in the same
    positions."""
    if y is source or not any(map(flows, items_in(y))):
        return None
    return (pull_window, y, source, range(count_of(y)))


def copied_set(y: Value, source: Value) -> Record:
    """Record of a fresh set `y` whose numbers come from `source`."""
    keys = [v for v in items_in(y) if flows(v)]
    return (pull_copied_keys, y, source, keys) if keys else None


def pull_copied_keys(
    shadows: Shadows, y_bar: Value, y: Value, source: Value, keys: list[Value]
) -> Cotangents:
    for key in keys:
        shadows.key_add(source, key, shadows.key_take(y, key))
    return None


# --- conversions ----------------------------------------------------------------------------------


@full(list)
def list_forward(versions: Versions, *iterable: Value) -> tuple[Value, Record]:
    if len(iterable) != 1:
        return list(*iterable), None  # raises Python's own TypeError for more
    if type(iterable[0]) in (list, tuple):
        y = list(iterable[0])
        return y, copied_sequence(y, iterable[0])
    end: list[Call] = []
    y, routes = gather(versions, iterable[0], feed=iterate_sized, end=end)
    return y, behind_end((take_gathered, y, routes) if any(routes) else None, end)


@full(tuple)
def tuple_forward(versions: Versions, *iterable: Value) -> tuple[Value, Record]:
    if len(iterable) != 1:
        return tuple(*iterable), None
    if type(iterable[0]) in (list, tuple):
        y = tuple(iterable[0])
        return y, copied_sequence(y, iterable[0])
    end: list[Call] = []
    items, routes = gather(versions, iterable[0], feed=iterate_sized, end=end)
    y = tuple(items)
    return y, behind_end((take_gathered, y, routes) if any(routes) else None, end)


@full(deque, names="iterable maxlen")
def deque_forward(
    versions: Versions, iterable: Value = (), maxlen: Value = None
) -> tuple[Value, Record]:
    end: list[Call] = []
    items, routes = gather(versions, iterable, end=end)
    y = deque(items, maxlen)
    return y, behind_end(_filled(y, items, routes), end)


@full(deque.__init__, names="self iterable maxlen")
def init_deque(
    versions: Versions, d: Value, iterable: Value = (), maxlen: Value = None
) -> tuple[Value, Record]:
    """What the ``__init__`` of a subclass of deque calls."""
    end: list[Call] = []
    items, routes = gather(versions, iterable, end=end)
    deque.__init__(d, items, maxlen)
    return None, behind_end(_filled(d, items, routes), end)


def _filled(y: Value, items: list[Value], routes: list[Record]) -> Record:
    dropped = len(items) - deque.__len__(y)
    return (take_deque, y, routes, dropped) if any(routes) else None


def take_deque(
    shadows: Shadows, y_bar: Value, y: Value, routes: list[Record], dropped: int
) -> None:
    """A deque of bounded length keeps only the last ones; the others still go back, without
    cotangent."""
    take_gathered(shadows, y_bar, y, routes[dropped:])
    for route in reversed(routes[:dropped]):
        deliver(shadows, route, None)


def _make_set(kind: Value) -> None:
    @full(kind)
    def forward(versions: Versions, *iterable: Value) -> tuple[Value, Record]:
        if len(iterable) != 1:
            return kind(*iterable), None
        items, routes, end = _gathered_for_set(versions, iterable[0])
        y = kind(in_its_order(iterable[0], items))
        is_new = y is not iterable[0]
        record = (take_set, y, items, routes) if any(routes) and is_new else None
        return y, behind_end(record, end)


def _gathered_for_set(
    versions: Versions, source: Value
) -> tuple[list[Value], list[Record], list[Call]]:
    end: list[Call] = []
    if not issubclass(type(source), (set, frozenset)):
        return *gather(versions, source, end=end), end
    pairs = [*own_elements(source)]
    return [v for v, _ in pairs], [route for _, route in pairs], end


def take_set(
    shadows: Shadows, y_bar: Value, y: Value, items: list[Value], routes: list[Record]
) -> Cotangents:
    """Of equal elements the first one is in the set and gets the cotangent."""
    taken = [shadows.key_take(y, v) if flows(v) else None for v in items]
    for g, route in zip(reversed(taken), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


for _kind in (set, frozenset):
    _make_set(_kind)


# --- classes of tuples ----------------------------------------------------------------------------


@full(tuple.__new__)
def new_tuple(versions: Versions, cls: Value, *iterable: Value) -> tuple[Value, Record]:
    """What the ``__new__`` of a subclass of tuple calls."""
    if len(iterable) != 1:
        return tuple.__new__(cls, *iterable), None
    end: list[Call] = []
    items, routes = gather(versions, iterable[0], end=end)
    y = tuple.__new__(cls, items)
    return y, behind_end((take_gathered, y, routes) if any(routes) else None, end)


@full(SimpleNamespace)
def make_namespace(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    y = SimpleNamespace(*args, **keywords)
    if args or not any(map(flows, keywords.values())):
        return y, None
    return y, (pull_namespace, y.__dict__, tuple(keywords))


@full(SimpleNamespace.__init__)
def init_namespace(
    versions: Versions, o: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """What a subclass calls, or Python after its ``__new__``."""
    SimpleNamespace.__init__(o, *args, **keywords)
    if not any(map(flows, keywords.values())):
        return None, None
    return None, (pull_init_namespace, o.__dict__, tuple(keywords), 1 + len(args))


def pull_init_namespace(
    shadows: Shadows, y_bar: Value, held: Value, names: tuple[str, ...], before: int
) -> Cotangents:
    return [*[None] * before, *[shadows.key_take(held, name) for name in names]]


@full(SimpleNamespace.__new__)
def new_namespace(
    versions: Versions, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return SimpleNamespace.__new__(cls), None


def pull_namespace(
    shadows: Shadows, y_bar: Value, held: Value, names: tuple[str, ...]
) -> Cotangents:
    return [shadows.key_take(held, name) for name in names]


# --- classes of lists, dicts, sets and deques ----------------------------------------------------


@full(list.__init__)
def init_list(versions: Versions, xs: Value, *iterable: Value) -> tuple[Value, Record]:
    """What the ``__init__`` of a subclass of list calls."""
    if len(iterable) != 1:
        list.__init__(xs, *iterable)
        return None, None
    end: list[Call] = []
    items, routes = gather(versions, iterable[0], end=end)
    list.__init__(xs, items)
    return None, behind_end((take_gathered, xs, routes) if any(routes) else None, end)


@full(set.__init__)
def init_set(versions: Versions, s: Value, *iterable: Value) -> tuple[Value, Record]:
    """What the ``__init__`` of a subclass of set calls."""
    if len(iterable) != 1:
        set.__init__(s, *iterable)
        return None, None
    items, routes, end = _gathered_for_set(versions, iterable[0])
    set.__init__(s, in_its_order(iterable[0], items))
    return None, behind_end((take_set, s, items, routes) if any(routes) else None, end)


def is_container_class(cls: type) -> bool:
    """Whether `cls` is a subclass of list, dict, set or deque that is made as these are."""
    return cls.__new__ in _MAKERS


_MAKERS = (list.__new__, dict.__new__, set.__new__, deque.__new__, OrderedDict.__new__)


def make_container(
    versions: Versions, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """``cls(*args, **keywords)`` of such a subclass: its own ``__init__``, or that of its base."""
    y = cls.__new__(cls)
    own = python_method(cls, "__init__") or cls.__init__
    nothing, record = callbacks.call(versions, own, y, *args, **keywords)
    if nothing is not None:
        raise TypeError(f"__init__() should return None, not {type(nothing).__name__!r}")
    return y, None if record is None else (pull_made_container, record)


def pull_made_container(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    operands = record[0](shadows, None, *record[1:])
    return None if operands is None else operands[1:]
