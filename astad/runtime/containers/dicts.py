"""Dicts: making, merging, and the methods. Each by-value element is the slot of its key."""

from __future__ import annotations

import functools
import operator
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from astad.runtime.core.full_rules import (
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
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.bases import factory_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    Feed,
    add_key,
    behind_end,
    deliver,
    gather,
    hand_over,
    is_iterable,
    items_of,
    iterate,
    key_route,
    key_slot,
    pair_route,
    pull_call,
)
from astad.runtime.operations.operators import UNITED
from astad.runtime.unseen.memos import noted
from astad.tangents.add import add

__all__ = [
    "copied_dict", "make_dict", "merge_dicts", "plain_items", "pull_made_anew", "update_dict",
]  # fmt: skip

inert([
    dict.keys, dict.values, dict.items, dict.__contains__, dict.__len__, dict.clear,
    OrderedDict.move_to_end, OrderedDict.clear,
])  # fmt: skip


# --- copying and merging --------------------------------------------------------------------------


class Entry(NamedTuple):
    """Key and value that a dict takes over, and the ways back of both."""

    key: Value
    value: Value
    way: Record
    key_way: Record = None
    is_new: bool = False


def _entries_by_keys(
    versions: Versions, source: Value, fits: Callable[[Value], None] | None = None
) -> Feed:
    """What ``dict()`` asks a mapping for: its keys, and the value of each."""
    keys, record = callbacks.call(versions, source.keys)
    asked = None if record is None else (pull_call, record, 0)
    for key, key_way in iterate(versions, keys):
        if fits is not None:
            fits(key)
        v, record = callbacks.call(versions, operator.getitem, source, key)
        way = None if record is None else (pull_call, record, 2)
        yield Entry(key, v, way, key_way), asked
        asked = None


def copied_dict(y: Value, source: Value) -> Record:
    """Record of a fresh dict `y` whose values are those of the dict `source`."""
    moved = [(slot, source) for key, v in items_of(y) for slot in _slots_of(key, v)]
    return (pull_moved, y, moved) if moved else None


def _slots_of(key: Value, v: Value) -> list[Value]:
    """The slots of an entry in which a cotangent may lie."""
    if type(key) is str or not flows(key):
        return [key] if flows(v) else []
    return [key, key_slot(key)] if flows(v) else [key_slot(key)]


def plain_items(source: Value) -> Value:
    """The items of a dict that compiled code takes over as they lie there; None where it asks for
    the keys, and for the value of each: that is told by the ``__iter__`` alone.
    """
    kind: Value = type(source)
    if not issubclass(kind, dict):
        return None
    if kind.__iter__ is dict.__iter__:
        return dict.items(source)
    is_ordered = issubclass(kind, OrderedDict) and kind.__getitem__ is OrderedDict.__getitem__
    return OrderedDict.items(source) if is_ordered and kind.keys is OrderedDict.keys else None


def _items_for(d: Value, source: Value) -> Value:
    """The same for the dict that takes them over: an ordered one asks any other than a dict."""
    if not _is_ordered(d):
        return plain_items(source)
    kind: Value = type(source)
    asks = kind is not dict and (
        not issubclass(kind, dict)
        or kind.keys not in (dict.keys, OrderedDict.keys)
        or kind.__getitem__ is not dict.__getitem__
    )
    return None if asks else items_of(source)


def _is_ordered(d: Value) -> bool:
    return issubclass(type(d), OrderedDict)


def _sets_by_method(d: Value) -> bool:
    """An ordered dict stores by the ``__setitem__`` of its class, a dict past it."""
    return _is_ordered(d) and python_method(type(d), "__setitem__") is not None


def merge_dicts(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
    """``a | b``, by the class of which Python asks the operator."""
    is_of_b = _merging(type(a)) is dict and issubclass(type(b), type(a))
    return _merge_by(versions, b if is_of_b else a, a, b)


def _merging(kind: type) -> type:
    """The class that has the ``|`` of dicts of this kind."""
    return next(base for base in (OrderedDict, defaultdict, dict) if issubclass(kind, base))


def _merge_by(versions: Versions, maker: Value, a: Value, b: Value) -> tuple[Value, Record]:
    """``a | b`` where that of ``maker``, one of the two, is called.

    Of equal keys the first is kept, with the second value.
    """
    base = _merging(type(maker))
    if base is dict and (plain_items(a) is None or plain_items(b) is None):
        y: Value = {}
        records = [update_dict(versions, y, each)[1] for each in (a, b)]
        return y, (pull_merged, records) if any(records) else None
    is_asked = _items_for(maker, a) is None or _items_for(maker, b) is None
    if base is not dict and (type(maker) is not base or is_asked):
        factory = [factory_of(maker)] if base is defaultdict else []
        y, made = callbacks.call(versions, type(maker), *factory, a)
        _, record = update_dict(versions, y, b)
        moves = made is not None or record is not None
        return y, (pull_made_and_updated, made, record, len(factory) + 1) if moves else None
    y = dict.__or__(a, b) if base is dict else a | b
    moved = [
        (
            slot,
            b if slot is key and dict.__contains__(b, key) or not dict.__contains__(a, key) else a,
        )
        for key, v in items_of(y)
        for slot in _slots_of(key, v)
    ]
    return y, (pull_moved, y, moved) if moved else None


def pull_made_and_updated(
    shadows: Shadows, y_bar: Value, made: Record, record: Record, n: int
) -> Cotangents:
    deliver(shadows, record, None)
    callbacks.pull(shadows, made, y_bar, n)
    return None


def _own_merging(base: Value) -> None:
    """What ``super().__or__(b)`` of a subclass calls."""

    @full(base.__or__)
    def merged(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        if not issubclass(type(b), dict):
            return NotImplemented, None
        return _merge_by(versions, {} if base is dict else a, a, b)

    @full(base.__ror__)
    def merged_into(versions: Versions, b: Value, a: Value) -> tuple[Value, Record]:
        if not issubclass(type(a), dict):
            return NotImplemented, None
        maker = a if issubclass(type(a), base) else b
        return _merge_by(versions, {} if base is dict else maker, a, b)


for _base in (dict, OrderedDict, defaultdict):
    _own_merging(_base)


def pull_merged(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    for record in reversed(records):
        deliver(shadows, record, None)
    return None


def pull_moved(
    shadows: Shadows, y_bar: Value, y: Value, moved: list[tuple[Value, Value]]
) -> Cotangents:
    for slot, source in moved:
        g = shadows.key_take(y, slot)
        if g is not None:
            shadows.key_add(source, slot, g)
    return None


def update_dict(
    versions: Versions, d: Value, *source: Value, fits: Callable[[Value], None] | None = None
) -> tuple[None, Record]:
    """``d.update(source)``: entry by entry, each there before the next one is asked for.

    ``fits`` raises where a key may not be put; the value of that key is not asked for.
    """
    if not source:
        return None, None
    (given,) = source
    items = _items_for(d, given)
    if items is not None:
        if fits is not None:
            for key, _ in items:
                fits(key)
        entries = [
            Entry(key, v, (add_key, given, key) if flows(v) else None, key_route(given, key))
            for key, v in items
        ]
        if _sets_by_method(d):
            records = [_record_of_entry(versions, d, entry) for entry in entries]
            return None, (pull_merged, records) if any(records) else None
        moved = [kept for entry in entries if (kept := _put_entry(d, entry)) is not None]
        return None, (pull_entries, d, moved) if moved else None
    if issubclass(type(given), Mapping) or hasattr(given, "keys"):
        feed = functools.partial(_entries_by_keys, fits=fits)
        return None, hand_over(
            versions, given, lambda entry: _record_of_entry(versions, d, entry), feed
        )
    count = 0

    def put_pair(pair: Value) -> Record:
        nonlocal count
        if not is_iterable(type(pair)):
            dict([*[(0, 0)] * count, pair])  # raises Python's own TypeError
        items, ways = gather(versions, pair)
        if len(items) != 2:
            # raises Python's own ValueError, which counts the pairs
            dict([*[(0, 0)] * count, items])  # type: ignore[arg-type]
        count += 1
        return _record_of_entry(versions, d, Entry(items[0], items[1], ways[1], ways[0]))

    return None, hand_over(versions, given, put_pair)


def _record_of_entry(versions: Versions, d: Value, entry: Entry) -> Record:
    if _sets_by_method(d):
        _, record = callbacks.call(versions, operator.setitem, d, entry.key, entry.value)
        return (pull_set_entry, record, entry)
    kept = _put_entry(d, entry)
    return None if kept is None else (pull_entry, d, kept)


def _put_entry(d: Value, entry: Entry) -> Entry | None:
    """Put it; what is to be kept of it, if anything."""
    if entry.key_way is not None and not dict.__contains__(
        d, entry.key
    ):  # else the key that is there stays
        entry = entry._replace(is_new=True)
    _put(d)(d, entry.key, entry.value)
    moves = entry.way is not None or entry.key_way is not None or flows(entry.value)
    return entry if moves else None


def _put(d: Value) -> Callable[[Value, Value, Value], None]:
    """How the methods of dict store: past a ``__setitem__`` of a subclass."""
    return OrderedDict.__setitem__ if _is_ordered(d) else dict.__setitem__


def pull_entries(shadows: Shadows, y_bar: Value, d: Value, moved: list[Entry]) -> Cotangents:
    for entry in reversed(moved):
        pull_entry(shadows, None, d, entry)
    return None


def pull_set_entry(shadows: Shadows, y_bar: Value, record: Record, entry: Entry) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 3) or (None, None, None)
    deliver(shadows, entry.way, operands[2])
    deliver(shadows, entry.key_way, operands[1])
    return None


def pull_entry(shadows: Shadows, y_bar: Value, d: Value, entry: Entry) -> Cotangents:
    deliver(shadows, entry.way, shadows.key_take(d, entry.key))
    if entry.key_way is not None:
        slot = key_slot(entry.key)
        deliver(shadows, entry.key_way, shadows.key_take(d, slot) if entry.is_new else None)
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


@full(dict.__dict__["fromkeys"], OrderedDict.__dict__["fromkeys"], order="cls iterable value")
def fromkeys_forward(
    versions: Versions, cls: Value, keys: Value, *value: Value
) -> tuple[Value, Record]:
    end: list[Call] = []
    items, routes = gather(versions, keys, end=end)
    y, record = _filled_from_keys(versions, cls, items, routes, value)
    return y, behind_end(record, end)


def _filled_from_keys(
    versions: Versions,
    cls: Value,
    items: list[Value],
    routes: list[Record],
    value: tuple[Value, ...],
) -> tuple[Value, Record]:
    if python_method(cls, "__setitem__") or python_method(cls, "__init__"):
        return _fromkeys_by_methods(versions, cls, items, routes, value)
    y = vars(dict)["fromkeys"].__get__(None, cls)(items, *value)
    of_keys = _routes_of_new(y, items, routes, ())
    carries = bool(value) and flows(value[0])
    if not of_keys and not carries:
        return y, None
    return y, (pull_fromkeys, y, list(y) if carries else [], of_keys, len(value))


def _fromkeys_by_methods(
    versions: Versions,
    cls: Value,
    items: list[Value],
    routes: list[Record],
    value: tuple[Value, ...],
) -> tuple[Value, Record]:
    y, made = callbacks.call(versions, cls)
    v = value[0] if value else None
    records = [callbacks.call(versions, operator.setitem, y, item, v)[1] for item in items]
    return y, (pull_set_each, made, records, routes, len(value))


def pull_set_each(
    shadows: Shadows,
    y_bar: Value,
    made: Record,
    records: list[Record],
    routes: list[Record],
    given: int,
) -> Cotangents:
    total = None
    for record, route in zip(reversed(records), reversed(routes), strict=True):
        _, key_bar, v_bar = callbacks.pull(shadows, record, None, 3) or (None, None, None)
        total = add(total, v_bar)
        deliver(shadows, route, key_bar)
    callbacks.pull(shadows, made, None, 0)
    return None, None, *[total] * given


def _routes_of_new(
    d: Value, items: Sequence[Value], routes: Sequence[Record], before: Collection[Value]
) -> list[tuple[Value, Record]]:
    """The way back of each item: with its key where it became a new key of the dict."""
    if not any(route is not None for route in routes):
        return []
    kept: dict[Value, int] = {}
    for k, item in enumerate(items):
        if item not in before:
            kept.setdefault(item, k)
    first = set(kept.values())
    return [
        (key_slot(item) if k in first and key_route(d, item) is not None else None, route)
        for k, (item, route) in enumerate(zip(items, routes, strict=True))
        if route is not None
    ]


def _pull_keys(shadows: Shadows, d: Value, of_keys: Sequence[tuple[Value, Record]]) -> None:
    for slot, route in reversed(of_keys):
        deliver(shadows, route, None if slot is None else shadows.key_take(d, slot))


def pull_fromkeys(
    shadows: Shadows,
    y_bar: Value,
    y: Value,
    keys: list[Value],
    of_keys: list[tuple[Value, Record]],
    given: int,
) -> Cotangents:
    total = None
    for key in keys:
        total = add(total, shadows.key_take(y, key))
    _pull_keys(shadows, y, of_keys)
    return None, None, *[total] * given


# --- methods --------------------------------------------------------------------------------------


@full(dict.copy)
def copy_forward(versions: Versions, d: Value) -> tuple[Value, Record]:
    if plain_items(d) is None:
        y: Value = {}
        return y, update_dict(versions, y, d)[1]
    y = dict.copy(d)
    return y, copied_dict(y, d)


@full(OrderedDict.copy)
def copy_ordered(versions: Versions, d: Value) -> tuple[Value, Record]:
    """Of a subclass: item by item, by the methods of the class."""
    if type(d) is OrderedDict:
        y = OrderedDict.copy(d)
        return y, copied_dict(y, d)
    y, made = callbacks.call(versions, type(d))
    moves = []
    for key in OrderedDict.__iter__(d):
        v, found = callbacks.call(versions, operator.getitem, d, key)
        _, stored = callbacks.call(versions, operator.setitem, y, key, v)
        moves.append((found, stored, key_route(d, key)))
    return y, (pull_copied_items, made, moves)


def pull_copied_items(
    shadows: Shadows, y_bar: Value, made: Record, moves: list[tuple[Record, Record, Record]]
) -> Cotangents:
    for found, stored, key_way in reversed(moves):
        _, key_bar, v_bar = callbacks.pull(shadows, stored, None, 3) or (None, None, None)
        operands = callbacks.pull(shadows, found, v_bar, 2) or (None, None)
        deliver(shadows, key_way, add(key_bar, operands[1]))
    callbacks.pull(shadows, made, y_bar, 0)
    return None


@full(defaultdict.copy, defaultdict.__copy__)
def copy_default(versions: Versions, d: Value) -> tuple[Value, Record]:
    if type(d) is defaultdict:
        y = defaultdict.copy(d)
        return y, copied_dict(y, d)
    y, record = callbacks.call(versions, type(d), factory_of(d), d)
    return y, None if record is None else (pull_made_anew, record, 2)


def pull_made_anew(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, n)
    return None


@full(dict.update, OrderedDict.update, dict.__init__, OrderedDict.__init__)
def update_forward(
    versions: Versions, d: Value, /, *args: Value, **keywords: Value
) -> tuple[None, Record]:
    if len(args) > 1:
        {}.update(*args)  # raises Python's own TypeError
    _, record = update_dict(versions, d, *args)
    if _sets_by_method(d):
        named = [
            callbacks.call(versions, operator.setitem, d, *item)[1] for item in keywords.items()
        ]
        return None, (pull_set_words, record, named, len(args))
    put = _put(d)
    for name, v in keywords.items():
        put(d, name, v)
    if record is None and not any(map(flows, keywords.values())):
        return None, None
    return None, (pull_updated, d, record, len(args), tuple(keywords))


def pull_set_words(
    shadows: Shadows, y_bar: Value, record: Record, named: list[Record], n: int
) -> Cotangents:
    bars = [(callbacks.pull(shadows, each, None, 3) or (None,))[-1] for each in reversed(named)]
    deliver(shadows, record, None)
    return [*[None] * (n + 1), *reversed(bars)]


def pull_updated(
    shadows: Shadows, y_bar: Value, d: Value, record: Record, n: int, names: tuple[str, ...]
) -> Cotangents:
    named = [shadows.key_take(d, name) for name in names]
    deliver(shadows, record, None)
    return [*[None] * (n + 1), *named]


@full(dict.get, names="self key default")
def get_forward(versions: Versions, d: Value, key: Value, *default: Value) -> tuple[Value, Record]:
    y, found = dict.get(d, key, *default), dict.__contains__(d, key)
    record = (pull_got, d, key, found, False) if flows(y) else None
    return y, noted(versions.found, d, key, y, record, named=True) if found else record


@full(dict.pop, OrderedDict.pop, names="self key default")
def pop_forward(
    versions: Versions, d: Value, key: Value, *default: Value, **named: Value
) -> tuple[Value, Record]:
    found = dict.__contains__(d, key)
    y = (OrderedDict if issubclass(type(d), OrderedDict) else dict).pop(d, key, *default, **named)
    return y, (pull_got, d, key, found, False) if flows(y) else None


@full(dict.setdefault, names="self key default")
def setdefault_forward(
    versions: Versions, d: Value, key: Value, *default: Value, **named: Value
) -> tuple[Value, Record]:
    found = dict.__contains__(d, key)
    y = dict.setdefault(d, key, *default, **named)
    is_kept = flows(y) or not (found or key_route(d, key) is None)
    record = (pull_got, d, key, found, True) if is_kept else None
    return y, noted(versions.found, d, key, y, record, named=True) if found else record


@full(OrderedDict.setdefault, names="self key default")
def setdefault_ordered(
    versions: Versions, d: Value, key: Value, default: Value = None
) -> tuple[Value, Record]:
    """By the methods of the class; those of OrderedDict itself have rules of their own."""
    is_there, asked = callbacks.call(versions, operator.contains, d, key)
    if is_there:
        y, found = callbacks.call(versions, operator.getitem, d, key)
        return y, (pull_found_by_methods, asked, found)
    _, stored = callbacks.call(versions, operator.setitem, d, key, default)
    return default, (pull_set_by_methods, asked, stored)


def pull_found_by_methods(
    shadows: Shadows, y_bar: Value, asked: Record, found: Record
) -> dict[str, Value]:
    key = (callbacks.pull(shadows, found, y_bar, 2) or (None, None))[1]
    more = (callbacks.pull(shadows, asked, None, 2) or (None, None))[1]
    return {"key": add(key, more)}


def pull_set_by_methods(
    shadows: Shadows, y_bar: Value, asked: Record, stored: Record
) -> dict[str, Value]:
    _, key, v = callbacks.pull(shadows, stored, None, 3) or (None, None, None)
    more = (callbacks.pull(shadows, asked, None, 2) or (None, None))[1]
    return {"key": add(key, more), "default": add(y_bar, v)}


def pull_got(
    shadows: Shadows, y_bar: Value, d: Value, key: Value, found: bool, stored: bool
) -> dict[str, Value]:
    """What came out of the dict goes back to its slot; what was the default, to the default."""
    if found:
        if y_bar is not None:
            shadows.key_add(d, key, y_bar)
        return {}
    if not stored:
        return {"default": y_bar}
    new_key = {} if key_route(d, key) is None else {"key": shadows.key_take(d, key_slot(key))}
    return {"default": add(y_bar, shadows.key_take(d, key)), **new_key}


@full(dict.popitem, OrderedDict.popitem)
def popitem_forward(
    versions: Versions, d: Value, *last: Value, **options: Value
) -> tuple[Value, Record]:
    kind = OrderedDict if issubclass(type(d), OrderedDict) else dict
    pair: Value = kind.popitem(d, *last, **options)
    return pair, pair_route(pair, d)


@full(vars(sys.modules[Counter.__module__])["_count_elements"])
def count_elements(versions: Versions, d: Value, iterable: Value) -> tuple[None, Record]:
    """What ``Counter.update`` calls: counts that are there grow by one, the others are new."""
    kind: Value = type(d)
    is_dict = issubclass(kind, dict) and kind.get is dict.get
    if is_dict and kind.__setitem__ is dict.__setitem__:
        return None, hand_over(versions, iterable, lambda item: _counted(d, item))
    return None, hand_over(versions, iterable, lambda item: _counted_by_methods(versions, d, item))


def _counted(d: Value, item: Value) -> Record:
    is_new = not dict.__contains__(d, item)
    dict.__setitem__(d, item, dict.get(d, item, 0) + 1)
    return (pull_counted, d, item, key_route(d, item) is not None) if is_new else None


def _counted_by_methods(versions: Versions, d: Value, item: Value) -> Record:
    found, got = callbacks.call(versions, d.get, item, 0)
    count, grown = callbacks.call(versions, operator.add, found, 1)
    _, record = callbacks.call(versions, operator.setitem, d, item, count)
    moves = any(each is not None for each in (got, grown, record))
    return (pull_counted_by_methods, got, grown, record) if moves else None


def pull_counted_by_methods(
    shadows: Shadows, y_bar: Value, got: Record, grown: Record, record: Record
) -> Cotangents:
    operands = callbacks.pull(shadows, record, None, 3) or (None, None, None)
    count = (callbacks.pull(shadows, grown, operands[2], 2) or (None,))[0]
    key = (callbacks.pull(shadows, got, count, 2) or (None,))[0]
    return None, add(operands[1], key)


def pull_counted(shadows: Shadows, y_bar: Value, d: Value, key: Value, has_way: bool) -> Cotangents:
    shadows.key_take(d, key)
    return None, shadows.key_take(d, key_slot(key)) if has_way else None


UNITED[dict] = merge_dicts
