"""Iterators of an OrderedDict: one type for keys, values and pairs, forwards and backwards.

>>> d = OrderedDict(a=1.0, b=2.0)
>>> [route[0].__name__ for _, route in ordered_steps(None, iter(d.values()))]
['add_key', 'add_key']
"""

from __future__ import annotations

from collections import OrderedDict
from operator import is_

from astad.runtime.full_rules import Value, flows, opaque
from astad.runtime.iterate import FEEDS, Feed, add_key, key_route, mapping_of, pair_route
from astad.runtime.versions import Versions

__all__ = ["ordered_steps"]


def ordered_steps(versions: Versions | None, iterator: Value) -> Feed:
    """What is left of the iterator tells which it is: the keys, the values, or pairs of them."""
    mapping = mapping_of(iterator)
    left = iterator.__reduce__()[1][0]
    keys, part = _found(mapping, left) if mapping is not None else ([], "")
    for i, v in enumerate(iterator):
        if part == "keys":
            yield v, key_route(mapping, v)
        elif part == "values":
            yield v, (add_key, mapping, keys[i]) if flows(v) else None
        elif part == "pairs":
            yield v, pair_route(v, mapping)
        else:
            yield v, opaque("an element of an OrderedDict", v)


def _found(mapping: Value, left: list[Value]) -> tuple[list[Value], str]:
    """The keys in the order of the iterator, and what it gives; nothing where that is in doubt."""
    for order in (list(mapping), list(reversed(mapping))):
        keys = order[len(order) - len(left) :]
        values = [mapping[key] for key in keys]
        found = [
            name
            for name, items in (("keys", keys), ("values", values))
            if all(map(is_, items, left))
        ]
        if not found and all(map(_is_pair, left, keys, values)):
            found = ["pairs"]
        if len(found) == 1:
            return keys, found[0]
    return [], ""


def _is_pair(item: Value, key: Value, value: Value) -> bool:
    return type(item) is tuple and len(item) == 2 and item[0] is key and item[1] is value


FEEDS[type(iter(OrderedDict()))] = ordered_steps
