"""What adds one item to a container, for a loop in place of ``xs.extend(... for ...)``.

Each item is there before the next one is computed, as with Python's own ``extend``.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Collection
from functools import partial
from types import BuiltinFunctionType, FunctionType

from astad.errors import Unsupported
from astad.runtime.containers.dicts import update_dict
from astad.runtime.core.full_rules import Cotangents, Record, Value, descriptor_of, full, inert
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import key_route, key_slot

__all__ = ["adder"]


def put_pair(d: dict[Value, Value], pair: Value) -> None:
    """One step of ``d.update(pairs)``."""
    d.update((pair,))


@full(put_pair)
def put_pair_forward(versions: Versions, d: Value, pair: Value) -> tuple[None, Record]:
    return update_dict(versions, d, (pair,))


def count_one(counts: Counter[Value], item: Value) -> None:
    """One step of ``counts.update(items)``."""
    counts.update((item,))


@full(count_one)
def count_one_forward(versions: Versions, counts: Value, item: Value) -> tuple[None, Record]:
    is_new = key_route(counts, item) is not None and item not in counts
    counts.update((item,))
    return None, (pull_counted_one, counts, item) if is_new else None


def pull_counted_one(shadows: Shadows, y_bar: Value, counts: Value, item: Value) -> Cotangents:
    shadows.key_take(counts, item)
    return None, shadows.key_take(counts, key_slot(item))


_ADDERS: dict[Value, Value] = {
    list.extend: list.append,
    deque.extend: deque.append,
    deque.extendleft: deque.appendleft,
    array.extend: array.append,
    set.update: set.add,
    dict.update: put_pair,
    Counter.update: count_one,
}
"""What each method does with one item of its argument."""


def adder(o: Value, name: str) -> Value:
    """What adds one item to ``o`` as ``o.name(items)`` adds each.

    >>> xs = [1]
    >>> adder(xs, "extend")(2)
    >>> xs
    [1, 2]
    """
    method = getattr(o, name)  # Python's own error where there is none
    step = None
    if issubclass(type(method), BuiltinFunctionType):  # of an object of `super`, too
        found, o = descriptor_of(method)
        step = _ADDERS.get(found)
    elif name not in _own_names(o):
        step = _ADDERS.get(getattr(type(o), name, None))
    if step is None:
        raise Unsupported(
            f"{type(o).__name__}.{name}",
            "a call with a generator expression",
            why="when it asks for the items is not known",
            instead="write a list, [... for ... in ...], in its place",
        )
    return partial(step, o) if type(step) is FunctionType else step.__get__(o)


def _own_names(o: Value) -> Collection[str]:
    found: Collection[str] = getattr(o, "__dict__", ())
    return found


inert([adder])
