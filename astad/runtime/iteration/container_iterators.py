"""Iterators of containers: they know what they go over and where they stand.

>>> from astad.runtime.iteration.iterate import steps
>>> prices = [1.5, 2.5]
>>> rest = iter(prices)
>>> next(rest)
1.5
>>> [(price, route[2]) for price, route in steps(Versions(), rest)]
[(2.5, 1)]

Iterators of an OrderedDict: one type for keys, values and pairs, forwards and backwards.

Each shows the dict, the key that comes next, and that of pairs a pair to be used again.

>>> d = OrderedDict(a=1.0, b=2.0)
>>> [route[0].__name__ for _, route in ordered_steps(None, iter(d.values()))]
['add_key', 'add_key']
"""

from __future__ import annotations

import gc
from collections import OrderedDict, deque
from collections.abc import Callable

import numpy as np

from astad.runtime.core.full_rules import Record, Value, flows, opaque, python_method
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import mapping_of
from astad.runtime.iteration.ends import ended
from astad.runtime.iteration.iterate import (
    FEEDS,
    SOURCES,
    Feed,
    add_key,
    element_route,
    key_route,
    pair_route,
    pull_call,
)
from astad.runtime.iteration.taped import attempt
from astad.runtime.text.texts import element_read, is_text

__all__ = ["located_steps", "ordered_routes_left", "ordered_steps", "protocol_steps", "routes_left"]


def located_steps(iterator: Value, route: Callable[[Value, int, Value], Record]) -> Feed:
    """Of an iterator that knows its sequence and its position; ``route`` gives the route of an
    element from these two and the element.
    """
    while True:
        state = iterator.__reduce__()
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, route(state[1][0], state[2], v) if len(state) > 2 else None


_END = object()


def _sequence_steps(versions: Versions, iterator: Value) -> Feed:
    """Of a list or a tuple, also backwards through a list."""
    return located_steps(iterator, element_route)


def protocol_steps(versions: Versions, iterator: Value) -> Feed:
    """``iter`` of a class that has ``__getitem__`` only, and ``reversed`` of a class of the
    user's."""
    while True:
        state = iterator.__reduce__()
        sequence = state[1][0]
        method = python_method(type(sequence), "__getitem__") if len(state) > 2 else None
        if method is None:
            v = next(iterator, _END)
            if v is _END:
                return
            if len(state) > 2 and versions.departed and is_text(sequence):
                yield v, element_read(versions, sequence, v)
            else:
                yield v, element_route(sequence, state[2], v) if len(state) > 2 else None
            continue
        backwards = state[0] is reversed
        if backwards and state[2] < 0:
            return
        over = IndexError, StopIteration
        v, record, end = attempt(versions, over, method, sequence, state[2])
        if end is not None:
            ended(versions, record, f"{type(sequence).__qualname__}.__getitem__", sequence)
            return
        iterator.__setstate__(state[2] - 1 if backwards else state[2] + 1)
        yield v, None if record is None else (pull_call, record, 2)


def _deque_steps(versions: Versions, iterator: Value) -> Feed:
    """Iterators of a deque; a backward one counts from the right."""
    backwards = type(iterator) is type(reversed(deque()))
    while True:
        items, done = iterator.__reduce__()[1]
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, element_route(items, deque.__len__(items) - 1 - done if backwards else done, v)


def _plain_steps(versions: Versions, iterator: Value) -> Feed:
    for v in iterator:
        yield v, None


def _text_steps(versions: Versions, iterator: Value) -> Feed:
    text = iterator.__reduce__()[1][0]
    for v in iterator:
        yield v, element_read(versions, text, v) if versions.departed else None


def _set_steps(versions: Versions, iterator: Value) -> Feed:
    items = _set_of(iterator)
    for v in iterator:
        yield v, (add_key, items, v) if flows(v) else None


def _set_of(iterator: Value) -> Value:
    return next((o for o in gc.get_referents(iterator) if isinstance(o, (set, frozenset))), None)


def _dict_steps(versions: Versions, iterator: Value) -> Feed:
    """Iterators over keys, values or items of a dict: the keys that are left are those at the
    end."""
    mapping = mapping_of(iterator)
    if mapping is None:
        return
    order = _keys_in_order(iterator, mapping)
    while left := iterator.__length_hint__():  # asked anew: others may draw from it in between
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, _entry_route(iterator, mapping, order[-left], v)
    for v in iterator:  # only to raise what Python raises when the dict has changed its size
        yield v, None


def _keys_in_order(iterator: Value, mapping: Value) -> list[Value]:
    keys = dict.keys(mapping)  # whatever a subclass says of its keys
    return list(reversed(keys)) if type(iterator) in _BACKWARD else list(keys)


def _entry_route(iterator: Value, mapping: Value, key: Value, v: Value) -> Record:
    kind = type(iterator)
    if kind in _KEYS:
        return key_route(mapping, key)
    if kind in _PAIRS:
        return pair_route(v, mapping)
    return (add_key, mapping, key) if flows(v) else None


def routes_left(iterator: Value, left: list[Value]) -> list[Record]:
    """The routes of what is left of an iterator of a dict or a set, which moves nothing."""
    if type(iterator) is type(iter(set())):
        return [(add_key, _set_of(iterator), v) if flows(v) else None for v in left]
    mapping = mapping_of(iterator)
    order = [] if mapping is None else _keys_in_order(iterator, mapping)[-len(left) :]
    found = zip(order, left, strict=False)
    return [_entry_route(iterator, mapping, key, v) for key, v in found]


_NO_ITEMS: dict[Value, Value] = {}
_KEYS = frozenset([type(iter(_NO_ITEMS)), type(reversed(_NO_ITEMS))])
_PAIRS = frozenset([type(iter(_NO_ITEMS.items())), type(reversed(_NO_ITEMS.items()))])
_BACKWARD = frozenset(
    type(reversed(view)) for view in (_NO_ITEMS, _NO_ITEMS.values(), _NO_ITEMS.items())
)


FEEDS.update({
    type(iter([])): _sequence_steps, type(iter(())): _sequence_steps,
    type(reversed([])): _sequence_steps,
    type(iter(deque())): _deque_steps, type(reversed(deque())): _deque_steps,
    type(iter(np.zeros(0))): protocol_steps, reversed: protocol_steps,
    type(iter("")): _text_steps, type(iter("é")): _text_steps, type(iter(b"")): _text_steps,
    type(iter(range(0))): _plain_steps, type(iter(range(1 << 70, 1 << 71))): _plain_steps,
    type(iter(set())): _set_steps,
    type(iter({})): _dict_steps, type(iter({}.values())): _dict_steps,
    type(iter({}.items())): _dict_steps, type(reversed({})): _dict_steps,
    type(reversed({}.values())): _dict_steps, type(reversed({}.items())): _dict_steps,
})  # fmt: skip


# --- iterators of ordered dicts -------------------------------------------------------------------


def ordered_steps(versions: Versions | None, iterator: Value) -> Feed:
    while True:
        mapping, *rest = gc.get_referents(iterator) or (None,)
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, _route(mapping, rest, v)


def _route(mapping: Value, rest: list[Value], v: Value) -> Record:
    key = rest[0]
    if len(rest) > 1:
        return pair_route(v, mapping)
    if v is not key:
        return (add_key, mapping, key) if flows(v) else None
    if v is not mapping[key]:
        return key_route(mapping, key)
    return opaque("an element of an OrderedDict that is its own key", v)


def ordered_routes_left(iterator: Value, left: list[Value]) -> list[Record]:
    """The routes of what is left of such an iterator, which moves nothing."""
    mapping, *rest = gc.get_referents(iterator) or ({},)
    if not left or not rest:
        return [None] * len(left)
    keys, at = list(mapping), next(i for i, key in enumerate(mapping) if key is rest[0])
    ways = [each for each in (keys[at:], keys[at::-1]) if len(each) == len(left)]
    is_of = _is_pair if len(rest) > 1 else _is_part
    order = next(each for each in ways if all(map(is_of, [mapping] * len(left), each, left)))
    return [_route(mapping, [key, *rest[1:]], v) for key, v in zip(order, left, strict=True)]


def _is_part(mapping: Value, key: Value, v: Value) -> bool:
    return v is key or v is mapping[key]


def _is_pair(mapping: Value, key: Value, v: Value) -> bool:
    return v[0] is key


def _source(mapping: Value) -> Feed:
    for key in mapping:
        yield key, key_route(mapping, key)


FEEDS[type(iter(OrderedDict()))] = ordered_steps
SOURCES[OrderedDict] = _source
