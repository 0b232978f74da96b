"""Dicts: making, merging, and the methods. Each by-value element is the slot of its key."""

from __future__ import annotations

import operator
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping

from astad.runtime.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
    python_method,
)
from astad.runtime.iterate import add_key, deliver, gather, iterate, pair_route, pull_call
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add

__all__ = ["copied_dict", "entries_of", "make_dict", "merge_dicts", "pull_entries", "update_dict"]

inert([
    dict.keys, dict.values, dict.items, dict.__contains__, dict.__len__, dict.clear,
    OrderedDict.move_to_end,
])  # fmt: skip


# --- copying and merging --------------------------------------------------------------------------


def entries_of(versions: Versions, source: Value) -> list[tuple[Value, Value, Record]]:
    """Key, value and route of what ``dict(source)`` or ``d.update(source)`` takes over, in
    order."""
    kind = type(source)
    if isinstance(source, dict) and python_method(kind, "keys") is None:
        return [(key, v, (add_key, source, key) if flows(v) else None) for key, v in source.items()]
    if isinstance(source, Mapping) or hasattr(source, "keys"):
        return [(key, v, way) for key, v, way in _entries_by_keys(versions, source)]
    found: list[tuple[Value, Value, Record]] = []
    for pair, route in iterate(versions, source):
        items, ways = gather(versions, pair)
        if len(items) != 2:
            # raises Python's own ValueError, which counts the pairs
            dict([*[(0, 0)] * len(found), items])  # type: ignore[arg-type]
        key, v = items
        found.append((key, v, (pull_pair, ways[1], route)))
    return found


def _entries_by_keys(versions: Versions, source: Value) -> list[tuple[Value, Value, Record]]:
    found: list[tuple[Value, Value, Record]] = []
    for key in source.keys():  # noqa: SIM118  # what dict() itself asks a mapping for
        v, record = callbacks.call(versions, operator.getitem, source, key)
        found.append((key, v, None if record is None else (pull_call, record, 2)))
    return found


def pull_pair(shadows: Shadows, v_bar: Value, way: Record, route: Record) -> None:
    """Back to the second element of a pair, then through the pair."""
    deliver(shadows, way, v_bar)
    deliver(shadows, route, None)


def copied_dict(y: Value, source: Value) -> Record:
    """Record of a fresh dict `y` whose values are those of the dict `source`."""
    keys = [key for key, v in y.items() if flows(v)]
    return (pull_copied_dict, y, source, keys) if keys else None


def pull_copied_dict(
    shadows: Shadows, y_bar: Value, y: Value, source: Value, keys: list[Value]
) -> Cotangents:
    for key in keys:
        g = shadows.key_take(y, key)
        if g is not None:
            shadows.key_add(source, key, g)
    return None


def merge_dicts(a: Value, b: Value) -> tuple[Value, Record]:
    """``a | b``."""
    y = a | b
    keys = [(key, b if key in b else a) for key, v in y.items() if flows(v)]
    return y, (pull_merged, y, keys) if keys else None


def pull_merged(
    shadows: Shadows, y_bar: Value, y: Value, keys: list[tuple[Value, Value]]
) -> Cotangents:
    for key, source in keys:
        g = shadows.key_take(y, key)
        if g is not None:
            shadows.key_add(source, key, g)
    return None


def update_dict(versions: Versions, d: Value, *sources: Value) -> tuple[None, Record]:
    """``d.update(source)``."""
    entries = [entry for source in sources for entry in entries_of(versions, source)]
    put = _put(d)
    for key, v, _ in entries:
        put(d, key, v)
    return None, _entries_record(d, entries)


def _put(d: Value) -> Callable[[Value, Value, Value], None]:
    """How the methods of dict store: past a ``__setitem__`` of a subclass."""
    return OrderedDict.__setitem__ if isinstance(d, OrderedDict) else dict.__setitem__


def _entries_record(d: Value, entries: list[tuple[Value, Value, Record]]) -> Record:
    moved = [(key, route) for key, v, route in entries if route is not None or flows(v)]
    return (pull_entries, d, moved) if moved else None


def pull_entries(
    shadows: Shadows, y_bar: Value, d: Value, moved: list[tuple[Value, Record]]
) -> Cotangents:
    for key, route in reversed(moved):
        deliver(shadows, route, shadows.key_take(d, key))
    return None


# --- making ---------------------------------------------------------------------------------------


def make_dict(kind: Callable[[], Value]) -> Forward:
    """Full rule of ``dict(source, **keywords)`` and of ``OrderedDict``."""

    def forward(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        if len(args) > 1:
            dict(*args)  # raises Python's own TypeError
        y = kind()
        _, record = update_dict(versions, y, *args)
        y.update(keywords)
        named = [name for name, v in keywords.items() if flows(v)]
        if record is None and not named:
            return y, None
        return y, (pull_made_dict, y, record, len(args), tuple(keywords))

    return forward


def pull_made_dict(
    shadows: Shadows, y_bar: Value, y: Value, record: Record, n: int, names: tuple[str, ...]
) -> Cotangents:
    named = [shadows.key_take(y, name) for name in names]
    deliver(shadows, record, None)
    return [*[None] * n, *named]


full(dict)(make_dict(dict))
full(OrderedDict)(make_dict(OrderedDict))


@full(defaultdict)
def defaultdict_forward(
    versions: Versions, factory: Value = None, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y, record = make_dict(lambda: defaultdict(factory))(versions, *args, **keywords)
    return y, None if record is None else (pull_defaultdict, record)


@full(defaultdict.__init__)
def init_defaultdict(
    versions: Versions, d: Value, factory: Value = None, /, *args: Value, **keywords: Value
) -> tuple[None, Record]:
    """What the ``__init__`` of a subclass of defaultdict calls."""
    defaultdict.__init__(d, factory)
    _, record = update_forward(versions, d, *args, **keywords)
    return None, None if record is None else (pull_defaultdict, record)


def pull_defaultdict(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    return [None, *record[0](shadows, None, *record[1:])]


@full(dict.__dict__["fromkeys"])
def fromkeys_forward(
    versions: Versions, cls: Value, keys: Value, *value: Value
) -> tuple[Value, Record]:
    y = cls.fromkeys(keys, *value)
    return y, (pull_fromkeys, y, list(y)) if value and flows(value[0]) else None


def pull_fromkeys(shadows: Shadows, y_bar: Value, y: Value, keys: list[Value]) -> Cotangents:
    total = None
    for key in keys:
        total = add(total, shadows.key_take(y, key))
    return None, None, total


# --- methods --------------------------------------------------------------------------------------


@full(dict.copy, OrderedDict.copy, defaultdict.copy)
def copy_forward(versions: Versions, d: Value) -> tuple[Value, Record]:
    y = d.copy()
    return y, copied_dict(y, d)


@full(dict.update, OrderedDict.update, dict.__init__, OrderedDict.__init__)
def update_forward(
    versions: Versions, d: Value, /, *args: Value, **keywords: Value
) -> tuple[None, Record]:
    if len(args) > 1:
        {}.update(*args)  # raises Python's own TypeError
    _, record = update_dict(versions, d, *args)
    put = _put(d)
    for name, v in keywords.items():
        put(d, name, v)
    if record is None and not any(map(flows, keywords.values())):
        return None, None
    return None, (pull_updated, d, record, len(args), tuple(keywords))


def pull_updated(
    shadows: Shadows, y_bar: Value, d: Value, record: Record, n: int, names: tuple[str, ...]
) -> Cotangents:
    named = [shadows.key_take(d, name) for name in names]
    deliver(shadows, record, None)
    return [*[None] * (n + 1), *named]


@full(dict.get, names="self key default")
def get_forward(versions: Versions, d: Value, key: Value, *default: Value) -> tuple[Value, Record]:
    y = d.get(key, *default)
    if not flows(y):
        return y, None
    return y, (pull_got, d, key, key in d, False)


@full(dict.pop, OrderedDict.pop, names="self key default")
def pop_forward(
    versions: Versions, d: Value, key: Value, *default: Value, **named: Value
) -> tuple[Value, Record]:
    found = key in d
    y = (OrderedDict if isinstance(d, OrderedDict) else dict).pop(d, key, *default, **named)
    return y, (pull_got, d, key, found, False) if flows(y) else None


@full(dict.setdefault, OrderedDict.setdefault, names="self key default")
def setdefault_forward(
    versions: Versions, d: Value, key: Value, *default: Value, **named: Value
) -> tuple[Value, Record]:
    found = key in d
    y = (OrderedDict if isinstance(d, OrderedDict) else dict).setdefault(d, key, *default, **named)
    return y, (pull_got, d, key, found, True) if flows(y) else None


def pull_got(
    shadows: Shadows, y_bar: Value, d: Value, key: Value, found: bool, stored: bool
) -> dict[str, Value]:
    """What came out of the dict goes back to its slot; what was the default, to the default."""
    if found:
        if y_bar is not None:
            shadows.key_add(d, key, y_bar)
        return {}
    return {"default": add(y_bar, shadows.key_take(d, key)) if stored else y_bar}


@full(dict.popitem, OrderedDict.popitem)
def popitem_forward(
    versions: Versions, d: Value, *last: Value, **options: Value
) -> tuple[Value, Record]:
    pair = d.popitem(*last, **options)
    return pair, pair_route(pair, d)


@full(vars(sys.modules[Counter.__module__])["_count_elements"])
def count_elements(versions: Versions, d: Value, iterable: Value) -> tuple[None, Record]:
    """What ``Counter.update`` calls: counts that are there grow by one, the others are new."""
    items, _ = gather(versions, iterable)
    before = set(d)
    for item in items:
        put(d, item, d.get(item, 0) + 1)
    return None, (pull_counted, d, [key for key in dict.fromkeys(items) if key not in before])


def put(d: Value, key: Value, v: Value) -> None:
    dict.__setitem__(d, key, v) if isinstance(d, dict) else d.__setitem__(key, v)


def pull_counted(shadows: Shadows, y_bar: Value, d: Value, keys: list[Value]) -> Cotangents:
    for key in keys:
        shadows.key_take(d, key)
    return None
