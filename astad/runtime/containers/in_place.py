"""Containers changed by an operator: ``xs += ys``, ``xs *= n``, ``d |= e``, ``s -= t``.

>>> xs = [1.0]
>>> y, record = CHANGED[list]["add"](Versions(), xs, (2.0,))
>>> y is xs, y
(True, [1.0, 2.0])

``del o[i]``: elements that go take no cotangent with them, those behind them move back.
"""

from __future__ import annotations

import operator
from collections import OrderedDict, deque
from collections.abc import Callable

from astad.runtime.containers.dicts import update_dict
from astad.runtime.containers.sets import set_in_place
from astad.runtime.core.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.bases import BASES, base_of, plain_place
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    deliver,
    gather,
    hand_over,
    is_iterable,
    iterate_sized,
    take_gathered,
)
from astad.runtime.operations.operators import CHANGED
from astad.tangents.unasked import has_in_class

__all__ = [
    "append", "delete_from_base", "delete_item", "deque_append", "extend_deque", "extend_list",
]  # fmt: skip


def _extend(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
    if not is_iterable(type(b)):
        return list.__iadd__(a, b), None  # raises Python's own TypeError
    return a, extend_list(versions, a, b)


def extend_list(versions: Versions, a: Value, b: Value) -> Record:
    """``a.extend(b)``: a list or a tuple at once, anything else item by item."""
    if type(b) is not list and type(b) is not tuple and b is not a:
        return hand_over(versions, b, lambda v: append(versions, a, v)[1], iterate_sized)
    n = list.__len__(a)
    items, routes = gather(versions, b)
    list.extend(a, items)
    return (pull_extend, a, n, routes) if any(routes) or any(map(flows, items)) else None


def append(versions: Versions, xs: Value, v: Value) -> tuple[None, Record]:
    """Rule of ``xs.append(v)``."""
    n = list.__len__(xs)
    list.append(xs, v)
    return None, (pull_append, xs, n) if flows(v) else None


def pull_append(shadows: Shadows, y_bar: Value, xs: Value, n: int) -> Cotangents:
    return None, shadows.unappend(xs, n)


def pull_extend(
    shadows: Shadows, y_bar: Value, a: Value, n: int, routes: list[Record]
) -> Cotangents:
    slots = shadows.unextend(a, n, len(routes))
    for g, route in zip(reversed(slots), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


def _extend_deque(versions: Versions, d: Value, b: Value) -> tuple[Value, Record]:
    return d, extend_deque(versions, d, b, deque_append)


def extend_deque(
    versions: Versions, d: Value, b: Value, put: Callable[[Versions, Value, Value], Value]
) -> Record:
    """``d.extend(b)``, or ``d.extendleft(b)``: item by item; ``put`` is the rule for one."""
    if b is not d:
        return hand_over(versions, b, lambda v: put(versions, d, v)[1])
    copy, routes = gather(versions, d)
    return pull_own_items, extend_deque(versions, d, copy, put), copy, routes


def pull_own_items(
    shadows: Shadows, y_bar: Value, put: Record, copy: Value, routes: list[Record]
) -> Cotangents:
    """Back through ``d.extend(d)``, which adds the items of a copy."""
    deliver(shadows, put, None)
    return take_gathered(shadows, None, copy, routes)


def deque_append(versions: Versions, d: Value, v: Value) -> tuple[None, Record]:
    """Rule of ``d.append(v)``."""
    n = deque.__len__(d)
    full_up = n == d.maxlen
    deque.append(d, v)
    return None, (pull_deque_append, d, n, full_up) if flows(v) or full_up else None


def pull_deque_append(
    shadows: Shadows, y_bar: Value, d: Value, n: int, full_up: bool
) -> Cotangents:
    """Appending to a full deque drops the first element: its position is there again, without
    cotangent."""
    if n == 0 and full_up:
        return None
    g = shadows.unappend(d, n - 1 if full_up else n)
    if full_up:
        shadows.unpop(d, 0, None)
    return None, g


def _repeat(versions: Versions, a: Value, count: Value) -> tuple[Value, Record]:
    n = list.__len__(a)
    list.__imul__(a, count)
    return a, (pull_repeat, a, n, list.__len__(a)) if n else None


def _repeat_deque(versions: Versions, d: Value, count: Value) -> tuple[Value, Record]:
    n, count = deque.__len__(d), operator.index(count)
    deque.__imul__(d, count)
    total = n * max(count, 0)
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
    if not has_in_class(type(b), "keys") and not has_in_class(type(b), "__iter__"):
        return dict.__ior__(d, b), None  # raises Python's own TypeError
    _, record = update_dict(versions, d, b)
    return d, record


def _set_operator(method: Value) -> Forward:
    def forward(versions: Versions, s: Value, t: Value) -> tuple[Value, Record]:
        if issubclass(type(t), (set, frozenset)):
            return set_in_place(versions, method, s, t)
        return method(s, t), None  # NotImplemented

    return forward


CHANGED.update(
    {
        list: {"add": _extend, "mul": _repeat},
        deque: {"add": _extend_deque, "mul": _repeat_deque},
        OrderedDict: {"or": _merge},
        dict: {"or": _merge},
        set: {
            name: _set_operator(getattr(set, f"__i{name}__"))
            for name in ("or", "and", "sub", "xor")
        },
    }
)

for _base, _forwards in CHANGED.items():
    for _name, _forward in _forwards.items():
        full(getattr(_base, f"__i{_name}__"))(_forward)


# --- elements deleted -----------------------------------------------------------------------------


DELETERS: dict[type, Forward] = {}
"""Classes of C beside these, and what ``del o[i]`` does to their objects."""


@full(operator.delitem)
def delete_item(versions: Versions, o: Value, i: Value) -> tuple[None, Record]:
    method = python_method(type(o), "__delitem__")
    if method is not None:
        _, record = callbacks.call(versions, method, o, i)
        return None, record
    if isinstance(o, BASES):
        return delete_from_base(versions, o, i)
    del o[i]
    return None, None


def delete_from_base(versions: Versions, o: Value, i: Value) -> tuple[None, Record]:
    """``del o[i]`` by the builtin class of `o`."""
    base = base_of(o)
    if base is not list and base is not deque:
        if base in DELETERS:
            return DELETERS[base](versions, o, i)
        if base is tuple:
            del o[i]  # raises Python's own TypeError
        base.__delitem__(o, i)
        return None, None
    i = plain_place(i)
    n = base.__len__(o)
    if type(o) is deque:
        del o[i]
    else:
        base.__delitem__(o, i)
    if base is list and type(i) is slice:
        return None, (pull_delete, o, sorted(range(*i.indices(n))))
    i = operator.index(i)
    i = i if i >= 0 else i + n
    return None, (pull_delete, o, [i]) if i < n - 1 else None


def pull_delete(shadows: Shadows, y_bar: Value, o: Value, places: list[int]) -> Cotangents:
    shadows.undelete(o, places)
    return None
