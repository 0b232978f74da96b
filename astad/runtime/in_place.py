"""Containers changed by an operator: ``xs += ys``, ``xs *= n``, ``d |= e``, ``s -= t``.

>>> xs = [1.0]
>>> y, record = CHANGED[list]["add"](Versions(), xs, (2.0,))
>>> y is xs, y
(True, [1.0, 2.0])
"""

from __future__ import annotations

import operator
from collections import OrderedDict, deque

from astad.runtime.dicts import update_dict
from astad.runtime.full_rules import Cotangents, Forward, Record, Value, flows, full
from astad.runtime.iterate import deliver, gather
from astad.runtime.sets import set_in_place
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["CHANGED", "pull_extend"]


def _extend(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
    n = list.__len__(a)
    if not hasattr(type(b), "__iter__") and not hasattr(type(b), "__getitem__"):
        return list.__iadd__(a, b), None  # raises Python's own TypeError
    items, routes = gather(versions, b)
    list.__iadd__(a, items)
    moves = any(routes) or any(map(flows, items))
    return a, (pull_extend, a, n, routes) if moves else None


def pull_extend(
    shadows: Shadows, y_bar: Value, a: Value, n: int, routes: list[Record]
) -> Cotangents:
    slots = shadows.unextend(a, n, len(routes))
    for g, route in zip(reversed(slots), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


def _extend_deque(versions: Versions, d: Value, b: Value) -> tuple[Value, Record]:
    """What does not fit into a deque of bounded length is dropped at its left end."""
    n = deque.__len__(d)
    items, routes = gather(versions, b)
    deque.__iadd__(d, items)
    dropped = n + len(items) - deque.__len__(d)
    return d, (pull_extend_deque, d, n, routes, dropped) if items else None


def pull_extend_deque(
    shadows: Shadows, y_bar: Value, d: Value, n: int, routes: list[Record], dropped: int
) -> Cotangents:
    shadows.splice(d, 0, dropped, 0)
    return pull_extend(shadows, y_bar, d, n, routes)


def _repeat(versions: Versions, a: Value, count: Value) -> tuple[Value, Record]:
    n = list.__len__(a)
    list.__imul__(a, count)
    return a, (pull_repeat, a, n, list.__len__(a)) if n else None


def _repeat_deque(versions: Versions, d: Value, count: Value) -> tuple[Value, Record]:
    n = deque.__len__(d)
    deque.__imul__(d, count)
    total = n * max(operator.index(count), 0)
    return d, (pull_repeat_deque, d, n, total, total - deque.__len__(d)) if n else None


def pull_repeat_deque(
    shadows: Shadows, y_bar: Value, d: Value, n: int, total: int, dropped: int
) -> Cotangents:
    shadows.splice(d, 0, dropped, 0)
    return pull_repeat(shadows, y_bar, d, n, total)


def pull_repeat(shadows: Shadows, y_bar: Value, a: Value, n: int, total: int) -> Cotangents:
    for k, g in enumerate(shadows.slots_take(a, total)):
        if g is not None:
            shadows.slot_add(a, k % n, g)
    return None


def _merge(versions: Versions, d: Value, b: Value) -> tuple[Value, Record]:
    if not hasattr(type(b), "keys") and not hasattr(type(b), "__iter__"):
        return dict.__ior__(d, b), None  # raises Python's own TypeError
    _, record = update_dict(versions, d, b)
    return d, record


def _set_operator(method: Value) -> Forward:
    def forward(versions: Versions, s: Value, t: Value) -> tuple[Value, Record]:
        return (
            set_in_place(versions, method, s, t)
            if isinstance(t, (set, frozenset))
            else (
                method(s, t),
                None,
            )
        )

    return forward


CHANGED: dict[type, dict[str, Forward]] = {
    list: {"add": _extend, "mul": _repeat},
    deque: {"add": _extend_deque, "mul": _repeat_deque},
    OrderedDict: {"or": _merge},
    dict: {"or": _merge},
    set: {
        name: _set_operator(getattr(set, f"__i{name}__")) for name in ("or", "and", "sub", "xor")
    },
}
"""For each class its operators in place; also what ``super().__iadd__(b)`` of a subclass calls."""

for _base, _forwards in CHANGED.items():
    for _name, _forward in _forwards.items():
        full(getattr(_base, f"__i{_name}__"))(_forward)
