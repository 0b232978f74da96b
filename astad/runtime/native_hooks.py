"""Methods of the user's that compiled code calls: ``__hash__`` and ``__eq__`` of keys, ``__lt__``
of what is sorted, ``__str__`` of what is printed.

They run once, as in the plain program, but not step by step. Where one may write, what it has
stored is looked for; a derivative through that is refused.

>>> class Counting:
...     def __init__(self, x):
...         self.x = x
...     def __hash__(self):
...         return self._twice()
...     def _twice(self):
...         self.x = self.x * 2
...         return 1
>>> class Plain:
...     def __hash__(self):
...         return 1
>>> writes_in_hooks(Counting), writes_in_hooks(Plain)
(True, False)
"""

from __future__ import annotations

import bisect
import dis
import heapq
import operator
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from weakref import WeakKeyDictionary

from astad.runtime.comparisons import not_contains
from astad.runtime.full_rules import FULL, Record, Value, lookup_in_class
from astad.runtime.snapshots import is_full
from astad.runtime.unrecorded import run_unrecorded
from astad.runtime.versions import Versions
from astad.tangents.held import items_of

__all__ = [
    "HOOKING", "objects_met", "run_comparing", "run_with_hooks", "use_items", "writes_in_hooks",
]  # fmt: skip

HOOKS = (
    "__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__str__", "__repr__",
    "__format__",
)  # fmt: skip
BY_KEY = frozenset(map(id, (
    operator.getitem, operator.setitem, operator.delitem, operator.contains, not_contains,
    dict.get, dict.pop, dict.setdefault, set.add, set.discard, set.remove, list.index, list.count,
    list.remove, deque.remove, heapq.heappush, heapq.heapreplace, heapq.heappushpop, bisect.bisect,
    bisect.bisect_left, bisect.bisect_right, bisect.insort, bisect.insort_left,
    bisect.insort_right,
)))  # fmt: skip
"""These compare, or look up, their second operand."""
BY_ITEM: set[int] = set()
"""These compare, look up or print what is in their operands."""
COMPARING = frozenset(map(id, (operator.eq, operator.ne)))
HOOKING = {*BY_KEY, *COMPARING, id(heapq.heappop)}
_ASKING = frozenset(map(id, (operator.contains, not_contains, operator.getitem)))
_WRITING = frozenset({
    "DELETE_ATTR", "DELETE_SUBSCR", "STORE_ATTR", "STORE_DEREF", "STORE_GLOBAL", "STORE_SUBSCR",
})  # fmt: skip
_WRITERS = frozenset({
    "__setattr__", "__setitem__", "add", "append", "appendleft", "clear", "difference_update",
    "discard", "extend", "extendleft", "fill", "heappush", "insert", "insort", "pop", "popitem",
    "popleft", "put", "put_nowait", "remove", "reverse", "send", "setattr", "setdefault", "sort",
    "update", "write", "writelines",
})  # fmt: skip
"""Names of methods and functions that write."""
_HEAP = 1 << 9
_HOLDING = (list, tuple, set, frozenset, deque, dict)
_known: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def use_items(*callables: Value) -> None:
    """These compare, look up or print what is in their operands."""
    BY_ITEM.update(map(id, callables))
    HOOKING.update(map(id, callables))


use_items(
    sorted, min, max, list.sort, heapq.heapify, set, frozenset, dict, dict.fromkeys, str, repr,
    ascii, format, hash, print, str.format, operator.mod,
)  # fmt: skip


def writes_in_hooks(cls: type) -> bool:
    """May one of these methods write, by its own text or that of functions it names?"""
    if not cls.__flags__ & _HEAP:
        return False
    found = _known.get(cls)
    if found is None:
        _known[cls] = found = any(_writes(lookup_in_class(cls, name), cls, 3) for name in HOOKS)
    return found


def _writes(fn: Value, cls: type, depth: int) -> bool:
    if type(fn) is not FunctionType:
        return False
    code = fn.__code__
    names = _names_in(code)
    if not _WRITERS.isdisjoint(names) or _stores(code):
        return True
    if not depth:
        return False
    called = [lookup_in_class(cls, name) for name in names]
    called += [fn.__globals__.get(name) for name in names]
    called += [cell.cell_contents for cell in fn.__closure__ or () if is_full(cell)]
    return any(_writes(each, cls, depth - 1) for each in called if each is not fn)


def _names_in(code: CodeType) -> set[str]:
    return set(code.co_names).union(
        *[_names_in(each) for each in code.co_consts if type(each) is CodeType]
    )


def _stores(code: CodeType) -> bool:
    return any(step.opname in _WRITING for step in dis.get_instructions(code))


def objects_in(operands: Iterable[Value]) -> list[Value]:
    """The operands, and items of operands, whose hooks may write."""
    found: list[Value] = []
    for value in operands:
        if issubclass(type(value), _HOLDING):
            items = list(items_of(value))
            kinds = {kind for kind in set(map(type, items)) if writes_in_hooks(kind)}
            if kinds:
                found += [item for item in items if type(item) in kinds]
        elif writes_in_hooks(type(value)):
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
    return objects_in(args[:2]) if first and writes_in_hooks(type(first[0])) else []


def run_with_hooks(
    fn: Value,
    objects: Sequence[Value],
    versions: Versions,
    args: Sequence[Value],
    keywords: dict[str, Value],
) -> tuple[Value, Record]:
    """The call, and what the hooks of these objects stored meanwhile."""
    records: list[Record] = []

    def run() -> Value:
        forward = FULL.get(id(fn))
        if forward is None:
            return fn(*args, **keywords)
        y, record = forward(versions, *args, **keywords)
        records.append(record)
        return y

    y, refusing = run_unrecorded(versions, fn.__name__, run, (), objects, gives=False)
    return y, refusing(records[0] if records else None)


def run_comparing(
    versions: Versions, run: Callable[[list[Value]], list[int]], keys: list[Value]
) -> tuple[list[int], Record]:
    """What ``run`` gives as it compares the keys, and the record of what that has stored."""
    objects = objects_in([keys])
    if not objects:
        return run(keys), None
    name = f"comparisons of {type(objects[0]).__name__}"
    order: list[int] = []
    _, refusing = run_unrecorded(
        versions, name, lambda: order.extend(run(keys)), (), objects, gives=False
    )
    return order, refusing(None)
