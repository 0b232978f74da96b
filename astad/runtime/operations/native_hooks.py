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
>>> writes_in(Counting, HOOKS), writes_in(Plain, HOOKS)
(True, False)
"""

from __future__ import annotations

import bisect
import copyreg
import heapq
import operator
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType

from astad.rules.formula import Rule
from astad.runtime.core.full_rules import FULL, Record, Value, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.iteration.drawn import drawn_operands, pull_drawn, what_was_drawn
from astad.runtime.operations.comparisons import not_contains
from astad.runtime.text.texts import TEXTS, follow
from astad.runtime.unseen.unrecorded import is_of_program, run_unrecorded
from astad.runtime.unseen.writing_code import QUIET, writers_behind, writes_in
from astad.tangents.unasked import items_of
from astad.tangents.zero import MADE_BY_CLASS

__all__ = [
    "HOOKING", "objects_met", "registered", "run_asking", "run_comparing", "run_noting",
    "run_rule_asking", "run_with_hooks", "use_items",
]  # fmt: skip

HOOKS = (
    "__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__str__", "__repr__",
    "__format__", "__bool__", "__len__", "__index__",
)  # fmt: skip
SEARCHING = frozenset(map(id, (
    operator.contains, not_contains, list.index, list.count, list.remove, tuple.index, tuple.count,
    deque.index, deque.count, deque.remove, operator.countOf, operator.indexOf,
)))  # fmt: skip
"""These compare their second operand with each item of the first, or look it up by its hash."""
BY_KEY = SEARCHING | frozenset(map(id, (
    operator.getitem, operator.setitem, operator.delitem, dict.get, dict.pop, dict.setdefault,
    set.add, set.discard, set.remove, heapq.heappush, heapq.heapreplace, heapq.heappushpop,
    bisect.bisect, bisect.bisect_left, bisect.bisect_right, bisect.insort, bisect.insort_left,
    bisect.insort_right,
)))  # fmt: skip
"""These compare, or look up, their second operand."""
BY_ITEM: set[int] = set()
"""These compare, look up or print what is in their operands."""
COMPARING = frozenset(map(id, (
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
)))  # fmt: skip
IN_FIELDS = frozenset(map(id, (str.format, str.format_map, operator.mod, operator.imod)))
"""These ask their operands for items and attributes."""
HOOKING = {*BY_KEY, *COMPARING, *IN_FIELDS, id(heapq.heappop)}
_ASKING = frozenset(map(id, (operator.contains, not_contains, operator.getitem)))
_PRINTING: set[int] = set(IN_FIELDS)
_ELEMENTWISE = QUIET - {list, tuple, dict, set, frozenset, deque}
_CALM = QUIET - {dict, FunctionType}
_HASHED = (set, frozenset, dict)
_HOLDING = (list, tuple, deque, *_HASHED)
_SILENT = frozenset(map(id, (
    id, callable, isinstance, issubclass, property, staticmethod, classmethod, object.__new__,
    object.__init__, object.__hash__, object.__init_subclass__, BaseException.__new__,
    BaseException.with_traceback, operator.is_, operator.is_not, dict.keys, dict.values, dict.items,
    dict.__len__, dict.clear, OrderedDict.clear, OrderedDict.move_to_end, list.clear,
    deque.clear, set.clear,
    *(kind.__len__ for kind in (list, tuple, deque, set, frozenset)),
    FunctionType.__get__, classmethod.__get__, staticmethod.__get__,
)))  # fmt: skip
"""Of the functions that run as they are, those that call nothing of the user's."""
_MOST = 1000
"""Containers and objects that are looked into."""


def use_items(*callables: Value, prints: bool = False) -> None:
    """These compare, look up or print what is in their operands."""
    BY_ITEM.update(map(id, callables))
    HOOKING.update(map(id, callables))
    if prints:
        _PRINTING.update(map(id, callables))


use_items(sorted, list.sort, heapq.heapify, set, frozenset, dict, dict.fromkeys, hash)
use_items(str, repr, ascii, format, print, prints=True)


# --- which objects a call asks --------------------------------------------------------------------


def objects_in(operands: Iterable[Value], names: tuple[str, ...] | None = HOOKS) -> list[Value]:
    """The operands, and what is in them, whose hooks may write: items of containers, attributes of
    objects that compare or print them.
    """
    found: list[Value] = []
    waiting, left = [each for each in operands if type(each) not in _ELEMENTWISE], _MOST
    seen: set[int] = set()  # objects lead to each other
    while waiting and left:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        left -= 1
        kind = type(value)
        if kind.__flags__ & MADE_BY_CLASS and writes_in(kind, names):
            found.append(value)
            continue
        held: list[Value] = []
        if issubclass(kind, _HOLDING):
            held = list(items_of(value))
        if issubclass(kind, dict):
            held += dict.values(value)
        elif kind.__flags__ & MADE_BY_CLASS and type(own := stored_in(value)) is dict:
            held += own.values()
        kinds = set(map(type, held)) - _ELEMENTWISE
        if kinds:
            waiting += [each for each in held if type(each) in kinds]
    return found


def objects_met(versions: Versions, key: int, args: Sequence[Value]) -> list[Value]:
    """Those whose hooks a call of this function may run."""
    if key in COMPARING and len(args) == 2 and all(map(_is_calm, args)):
        return []
    if versions.installed and key in _PRINTING:
        return [*_objects_met(key, args), *versions.installed]
    return _objects_met(key, args)


def _is_calm(value: Value) -> bool:
    """A number or the like, or a sequence of such: soon told, as comparisons are many."""
    kind = type(value)
    if kind is tuple or kind is list:
        return _ELEMENTWISE.issuperset(map(type, value))
    return kind in _ELEMENTWISE


def _objects_met(key: int, args: Sequence[Value]) -> list[Value]:
    if key in IN_FIELDS:
        return objects_in(args, None) if args and type(args[0]) in TEXTS else []
    if key in BY_ITEM:
        return objects_in(args)
    if key in COMPARING:  # methods of the operands themselves go step by step
        return objects_in(args) if all(issubclass(type(each), _HOLDING) for each in args) else []
    if key in _ASKING and not issubclass(type(args[0]), _HOLDING):
        return []
    if key not in BY_KEY:
        return objects_in(args) if objects_in(args[0][:1] if args else ()) else []
    goes_through = key in SEARCHING and not issubclass(type(args[0]), _HASHED)
    if not goes_through and len(args) > 1 and type(args[1]) in _ELEMENTWISE:
        return []
    searched = args if goes_through and type(args[0]) in _HOLDING else args[1:2]
    return objects_in(args[:2]) if objects_in(searched) else []


# --- the calls ------------------------------------------------------------------------------------


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

    given = _without_counts(args, keywords)
    if id(fn) in FULL:  # what it writes into containers itself is recorded
        given = tuple(v if flows(v) else None for v in given)
    y, refusing = run_unrecorded(versions, fn.__name__, run, given, objects, gives=False)
    record = records[0] if records else None
    if not records and (versions.departed or type(y) in TEXTS):
        record = follow(versions, fn, y, None, args, keywords)
    return y, refusing(record)


def _without_counts(args: Sequence[Value], keywords: dict[str, Value]) -> tuple[Value, ...]:
    """The operands; no int, which a counter of the user's may be equal to."""
    return tuple(None if type(v) is int else v for v in (*args, *keywords.values()))


def run_asking(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """A call of a function through which no derivative passes, and what code of the user's that it
    runs has stored meanwhile.
    """
    if id(fn) in _SILENT:
        return fn(*args, **keywords), None
    drawn, args, keywords = drawn_operands(versions, fn, args, keywords)
    asked = [each for each in args if type(each) not in QUIET]
    writers = writers_behind((*asked, *keywords.values()))
    if not writers and not versions.installed:
        y, record = fn(*args, **keywords), None
    else:
        name = getattr(fn, "__name__", type(fn).__name__)
        given = _without_counts(args, keywords)
        y, refusing = run_noting(
            versions, name, lambda: fn(*args, **keywords), given, writers, gives=False
        )
        record = refusing(None)
    if versions.departed or type(y) in TEXTS:
        record = follow(versions, fn, y, record, *what_was_drawn(args, keywords))
    return y, (pull_drawn, record, drawn) if drawn else record


def run_rule_asking(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """By a rule through which no derivative passes, of a function that may call what it is given,
    or what was given to another.
    """
    operands = (*args, *keywords.values())
    if not versions.installed and _CALM.issuperset(map(type, operands)):
        return apply_rule(versions, rule, args, keywords)
    records: list[Record] = []

    def run() -> Value:
        y, record = apply_rule(versions, rule, args, keywords)
        records.append(record)
        return y

    writers = writers_behind(operands)
    given = _without_counts(args, keywords)
    y, refusing = run_noting(versions, rule.name, run, given, writers, gives=False)
    return y, refusing(records[0])


def run_noting(
    versions: Versions,
    name: str,
    run: Callable[[], Value],
    given: Sequence[Value],
    beside: Sequence[Value] = (),
    *,
    gives: bool = True,
) -> tuple[Value, Callable[[Record], Record]]:
    """As `run_unrecorded`, with the functions that compiled code has kept; those that it keeps now
    are noted.
    """
    writers = [each for each in writers_behind((*given, *beside)) if not _is_known(versions, each)]
    counts = [sys.getrefcount(each) for each in writers]
    beside = (*beside, *versions.installed)
    y, refusing = run_unrecorded(versions, name, run, given, beside, gives=gives)
    versions.installed += [
        each for each, n in zip(writers, counts, strict=True) if sys.getrefcount(each) > n
    ]
    return y, refusing


def _is_known(versions: Versions, writer: Value) -> bool:
    return any(each is writer for each in versions.installed)


def registered(fn: Value) -> list[Value]:
    """Functions of the program's that pickling calls, by `copyreg`."""
    if "ickle" not in str(getattr(fn, "__module__", "")) and type(fn).__name__ != "Pickler":
        return []
    return [each for each in copyreg.dispatch_table.values() if is_of_program(each)]


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
