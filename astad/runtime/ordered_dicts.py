"""Iterators of an OrderedDict: one type for keys, values and pairs, forwards and backwards.

Each shows the dict, the key that comes next, and that of pairs a pair to be used again.

>>> d = OrderedDict(a=1.0, b=2.0)
>>> [route[0].__name__ for _, route in ordered_steps(None, iter(d.values()))]
['add_key', 'add_key']
"""

from __future__ import annotations

import gc
from collections import OrderedDict

from astad.runtime.full_rules import Record, Value, flows, opaque
from astad.runtime.iterate import FEEDS, SOURCES, Feed, add_key, key_route, pair_route
from astad.runtime.versions import Versions

__all__ = ["ordered_routes_left", "ordered_steps"]

_END = object()


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
