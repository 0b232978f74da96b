"""Methods of the user's that compiled code calls: ``__hash__`` and ``__eq__`` of keys, ``__lt__``
of what is sorted, ``__str__`` of what is printed.

They run once, as in the plain program, but not step by step. Where one binds an attribute anew, a
derivative through what it bound is refused.

>>> class Counting:
...     def __init__(self, x):
...         self.x = x
...     def __hash__(self):
...         self.x = self.x * 2
...         return 1
>>> class Plain:
...     def __hash__(self):
...         return 1
>>> binds_in_hooks(Counting), binds_in_hooks(Plain)
(True, False)
"""

from __future__ import annotations

import bisect
import dis
import heapq
import operator
from collections import deque
from collections.abc import Iterable, Sequence
from types import FunctionType
from weakref import WeakKeyDictionary

from astad.errors import Unsupported
from astad.runtime import language
from astad.runtime.full_rules import FULL, Cotangents, Record, Value, lookup_in_class
from astad.runtime.owners import attribute_store, slots_of
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.held import items_of

__all__ = ["HOOKING", "binds_in_hooks", "objects_met", "run_with_hooks"]

HOOKS = (
    "__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__str__", "__repr__",
    "__format__",
)  # fmt: skip
BY_KEY = frozenset(map(id, (
    operator.getitem, operator.setitem, operator.delitem, operator.contains, language.not_contains,
    dict.get, dict.pop, dict.setdefault, set.add, set.discard, set.remove, list.index, list.count,
    list.remove, deque.remove, heapq.heappush, heapq.heapreplace, heapq.heappushpop, bisect.bisect,
    bisect.bisect_left, bisect.bisect_right, bisect.insort, bisect.insort_left,
    bisect.insort_right,
)))  # fmt: skip
"""These compare, or look up, their second operand."""
BY_ITEM = frozenset(map(id, (
    sorted, min, max, list.sort, heapq.heapify, set, frozenset, dict, dict.fromkeys, str,
    repr, ascii, format, hash, print, str.format, operator.mod,
    language.format_value, language.build_dict, language.build_set,
)))  # fmt: skip
"""These compare, look up or print what is in their operands."""
COMPARING = frozenset(map(id, (operator.eq, operator.ne)))
HOOKING = BY_KEY | BY_ITEM | COMPARING | {id(heapq.heappop)}
_ASKING = frozenset(map(id, (operator.contains, language.not_contains, operator.getitem)))
_BINDING = frozenset({"STORE_ATTR", "DELETE_ATTR"})
_HEAP = 1 << 9
_HOLDING = (list, tuple, set, frozenset, deque, dict)
_known: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def binds_in_hooks(cls: type) -> bool:
    """Does one of these methods bind attributes, by its own text?"""
    if not cls.__flags__ & _HEAP:
        return False
    found = _known.get(cls)
    if found is None:
        _known[cls] = found = any(_binds(lookup_in_class(cls, name)) for name in HOOKS)
    return found


def _binds(fn: Value) -> bool:
    return type(fn) is FunctionType and any(
        step.opname in _BINDING for step in dis.get_instructions(fn.__code__)
    )


def objects_in(operands: Iterable[Value]) -> list[Value]:
    """The operands, and items of operands, whose hooks bind attributes."""
    found: list[Value] = []
    for value in operands:
        if issubclass(type(value), _HOLDING):
            items = list(items_of(value))
            kinds = {kind for kind in set(map(type, items)) if binds_in_hooks(kind)}
            if kinds:
                found += [item for item in items if type(item) in kinds]
        elif binds_in_hooks(type(value)):
            found.append(value)
    return found


def objects_met(key: int, args: Sequence[Value]) -> list[Value]:
    """Those whose hooks a call of this function may run."""
    if key in BY_ITEM:
        return objects_in(args)
    if key in COMPARING:  # methods of the operands themselves go step by step
        return objects_in(args) if all(issubclass(type(each), _HOLDING) for each in args) else []
    if key in _ASKING and not issubclass(type(args[0]), _HOLDING):
        return []
    first = args[1:2] if key in BY_KEY else args[0][:1] if args else ()
    return objects_in(args[:2]) if first and binds_in_hooks(type(first[0])) else []


def run_with_hooks(
    fn: Value,
    objects: Sequence[Value],
    versions: Versions,
    args: Sequence[Value],
    keywords: dict[str, Value],
) -> tuple[Value, Record]:
    """The call, and what it bound in these objects."""
    before = [(each, _attributes(each)) for each in objects]
    forward = FULL.get(id(fn))
    if forward is not None:
        y, record = forward(versions, *args, **keywords)
    else:
        y, record = fn(*args, **keywords), None
    bound = [
        (attribute_store(each, name), name, type(value) is int)
        for each, old in before
        for name, value in _attributes(each).items()
        if name not in old or old[name] is not value
    ]
    return y, (pull_bound, bound, record) if bound else record


def _attributes(value: Value) -> dict[str, Value]:
    own = getattr(value, "__dict__", None)
    return {**(own if type(own) is dict else {}), **dict(slots_of(value))}


def pull_bound(
    shadows: Shadows, y_bar: Value, bound: list[tuple[Value, str, bool]], record: Record
) -> Cotangents:
    for store, name, is_count in bound:
        if shadows.key_take(store, name) is not None and not is_count:
            raise Unsupported(
                name,
                "an attribute that a method bound while it was called by compiled code",
                why="what it was computed from is not recorded there",
                instead="bind it outside of __hash__, __str__ and comparisons",
            )
    return None if record is None else record[0](shadows, y_bar, *record[1:])
