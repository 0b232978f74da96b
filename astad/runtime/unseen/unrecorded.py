"""What a call that runs as it is, of the standard library or compiled, stores where it can be read
again: in objects that it was given, in what these lead to, or in what it gives.

A log handler of the user's keeps a record, a parser fills a list, a hook adds to what it has
captured. Nothing of that is recorded. What can be reached is compared before and after the call; a
cotangent that comes to a number which was stored by it is refused to what it was given. A number
that is stored and not asked for costs nothing.

>>> seen = []
>>> before = Reach((seen, 1.5))
>>> seen.append(1.5)
>>> before.stored(None)
[Place(holder=[1.5], at=0, number=1.5)]
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import CellType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from astad.code_objects import own_names
from astad.errors import Unsupported
from astad.runtime.core.departed import Departed, Origin, is_of_user, keys_of
from astad.runtime.core.full_rules import FULL, Cotangents, Forward, Record, Value, flows
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.owners import attribute_store, mapping_of, slots_of, stored_in
from astad.runtime.cotangents.shadows import Shadows, may_hold
from astad.runtime.cotangents.snapshots import CELL, LEAVES, is_full
from astad.tangents.refused import Refused
from astad.tangents.unasked import items_of, pairs_of
from astad.tangents.zero import OF_PROGRAMS, has_identity, home_of, is_number

__all__ = [
    "LIBRARIES", "Reach", "as_it_is", "hooks_of", "refuse_places", "run_unrecorded", "take_places",
    "watch_rules",
]  # fmt: skip

MOST = 1000
"""Objects that are looked at; the nearest first."""
LARGEST = 100_000
"""Items of an array or a list that is compared."""
_FLAT = LEAVES - {np.ndarray, type}
_MISSING = object()
_RESULT = object()
"""The place of the result of the call, if it is a number."""
Parts = dict[Any, Any]
"""Of a container its items by place, key or name."""


class Place(NamedTuple):
    """Where a number lies: a container and the place in it.

    The place in an array is None; an operand of the call is in none. ``number`` may be the array.
    """

    holder: Value
    at: Any  # an index, a key, a name
    number: Value


class Reach:
    """What can be reached from the operands of a call, as it is before.

    Attributes
    ----------
    numbers : list of Place
        The numbers and arrays of numbers that were found.
    departed : Departed
        The numbers that have left before.
    runs_code : bool
        Whether there is a function of the program among it, or an object with such methods.
    """

    __slots__ = ("_held", "_ids", "_keys", "_waiting", "departed", "numbers", "runs_code")

    def __init__(
        self,
        starts: Iterable[Value],
        known: Iterable[int] = (),
        departed: Departed | None = None,
    ) -> None:
        self.departed = Departed() if departed is None else departed
        self._held: list[tuple[Value, Callable[[], Parts], Parts]] = []
        self._ids: dict[int, Value] = {}
        self._keys: set[Any] | None = None
        self.numbers: list[Place] = []
        self.runs_code = False
        self._waiting = deque[Value]()
        self._meet(None, dict(enumerate(starts)))
        passed = set(known)
        while self._waiting and len(self._ids) < MOST:
            one = self._waiting.popleft()
            if id(one) not in self._ids and id(one) not in passed:
                self._ids[id(one)] = one
                self._look_at(one)

    def _meet(self, holder: Value, parts: Parts) -> None:
        for at, value in parts.items():
            if is_number(value):
                self.numbers.append(Place(holder, at, value))
            elif type(value) not in _FLAT:
                self._waiting.append(value)

    def _look_at(self, one: Value) -> None:
        kind = type(one)
        if home_of(kind).partition(".")[0] == "astad":
            return  # what it leads to is recorded
        if issubclass(kind, (list, tuple, deque, dict, set)) and is_of_user(kind):
            self._waiting += (kind, stored_in(one))  # it may have methods, and attributes
        if issubclass(kind, np.ndarray):
            if one.dtype.kind in "fc" and one.size <= LARGEST:
                self.numbers.append(Place(one, None, one))
                self._held.append((one, lambda: {None: np.array(one)}, {None: np.array(one)}))
            elif one.dtype.kind == "O":
                self._waiting.extend(one.ravel().tolist())
        elif issubclass(kind, (list, tuple, deque)):
            self._hold(one, lambda: dict(enumerate(items_of(one))))
        elif issubclass(kind, dict):
            self._hold(one, lambda: dict(pairs_of(one)))
        elif issubclass(kind, (set, frozenset)):
            self._hold(one, lambda: {each: each for each in items_of(one)})
        elif kind is CellType:
            self._hold(one, lambda: _content_of(one))
        elif kind is FunctionType:
            self._look_at_function(one)
        elif kind is MappingProxyType:
            self._waiting.append(mapping_of(one))
        elif kind is MethodType:
            self._waiting += (one.__self__, one.__func__)
        elif issubclass(kind, type):
            if _is_class(one):
                self._hold(one, lambda: dict(vars(one)))
        elif not issubclass(kind, ModuleType):
            self._look_at_object(one)

    def _look_at_function(self, fn: FunctionType) -> None:
        self._waiting += fn.__closure__ or ()
        if not is_of_program(fn):
            return
        self.runs_code = True
        names = [name for name in own_names(fn.__code__) if name in fn.__globals__]
        self._hold(fn.__globals__, lambda: _named(fn.__globals__, names))
        self._waiting += (fn.__defaults__, fn.__kwdefaults__)

    def _look_at_object(self, one: Value) -> None:
        if is_of_user(type(one)):
            self._waiting.append(type(one))
        if issubclass(type(one), BaseException):
            self._waiting.append(one.args)
        if type(stored_in(one)) is dict or slots_of(one):
            self._hold(one, lambda: _attributes(one))
        if may_hold(type(one)):
            # what has code alone: lists inside of compiled objects may be half filled
            self._waiting += filter(_may_run, gc.get_referents(one))

    def _hold(self, one: Value, read: Callable[[], Parts]) -> None:
        parts = read()
        if len(parts) <= LARGEST:
            self._held.append((one, read, parts))
            self._meet(one, parts)

    def __contains__(self, value: Value) -> bool:
        return id(value) in self._ids

    def met(self) -> Iterable[Value]:
        """All but numbers and the like, the nearest first."""
        return self._ids.values()

    def held(self) -> list[tuple[Value, Callable[[], Parts], Parts]]:
        """All that holds something: what reads its parts, and what these were."""
        return self._held

    def stored(self, y: Value) -> list[Place]:
        """Where the call, which gave ``y``, has put numbers that may depend on what it was given.

        Those are the numbers that it was given itself, and what functions of the program may have
        computed from them.
        """
        found: list[Place] = []
        fresh: list[Value] = []
        for one, read, before in self._held:
            for at, value in read().items():
                if _is_other(value, before.get(at, _MISSING)):
                    fresh += self._note(found, one, at, value)
        self._note_all(found, fresh)
        self.departed = Departed()  # one that comes out of a text is refused by `texts.py`
        self._note_all(found, self._note(found, y, _RESULT, y))
        return found

    def _note_all(self, found: list[Place], fresh: Iterable[Value]) -> None:
        """What lies in objects that were not there before."""
        for one, _, parts in Reach(fresh, self._ids)._held:
            for at, value in parts.items():
                self._note(found, one, at, value)

    def _note(self, found: list[Place], one: Value, place: Any, value: Value) -> Sequence[Value]:
        """Put it among those found if it may depend on them; else what it is may hold such."""
        is_array = issubclass(type(value), np.ndarray) and value.dtype.kind in "fc"
        if is_array and place is not None and id(value) in self._ids:
            return ()  # it has its shadow, wherever it is held
        if not is_array and not is_number(value):
            return (value,) if has_identity(value) or _is_class(value) else ()
        computed = self.runs_code and self.numbers and type(value) is not int
        if computed or self._has(value):
            found.append(Place(value if is_array and place is not None else one, place, value))
        return ()

    def _has(self, value: Value) -> bool:
        """Is it, or has it, one of the numbers from before? An int may be any count."""
        if type(value) is int:
            return any(each.holder is None and each.number is value for each in self.numbers)
        if self._keys is None:
            self._keys = {key for each in self.numbers for key in keys_of(each.number)}
        return not self._keys.isdisjoint(keys_of(value)) or bool(self.departed.of(value))


def _is_class(value: Value) -> bool:
    return issubclass(type(value), type) and is_of_program(value)


def _may_run(value: Value) -> bool:
    """Is it a function, or an object with methods of the program's?"""
    kind = type(value)
    return kind in (FunctionType, MethodType) or (is_of_user(kind) and has_identity(value))


def is_of_program(what: Value) -> bool:
    """Is it a function or class of neither astad nor the libraries that it knows?"""
    home = what.__module__
    known = type(home) is str and home.partition(".")[0] in LIBRARIES
    return not known or home == OF_PROGRAMS


LIBRARIES = frozenset({*sys.stdlib_module_names, "astad", "numpy", "scipy"}) - {"__main__"}
"""Modules in which no program keeps its numbers."""


def _content_of(cell: CellType) -> Parts:
    return {CELL: cell.cell_contents} if is_full(cell) else {}


def _named(names_of: Parts, names: Iterable[str]) -> Parts:
    return {name: names_of[name] for name in names if name in names_of}


def _attributes(one: Value) -> Parts:
    store = stored_in(one)
    return {**(store if type(store) is dict else {}), **dict(slots_of(one))}


def _is_other(value: Value, before: Value) -> bool:
    if issubclass(type(value), np.ndarray) and type(before) is np.ndarray:
        return value is not before and not np.array_equal(value, before, equal_nan=True)
    return value is not before


def run_unrecorded(
    versions: Versions,
    name: str,
    run: Callable[[], Value],
    given: Sequence[Value],
    beside: Iterable[Value] = (),
    *,
    gives: bool = True,
) -> tuple[Value, Callable[[Record], Record]]:
    """What ``run`` gives, and what makes of the record of the call one that refuses what it has
    stored.

    ``beside``: what is no operand and may be asked, as the object of a method and hooks are; so is
    an exception that is being handled. ``gives``: its result is looked at too.
    """
    operands = (*given, *beside, sys.exc_info()[1])
    if not any(map(_may_lead_on, operands)):
        return run(), as_it_is
    before = Reach(operands, departed=versions.departed)
    if not before.numbers and not versions.departed:
        return run(), as_it_is
    known: tuple[Value, ...] | None = None

    def look(y: Value) -> None:
        nonlocal known
        stored = before.stored(y)
        if stored:
            origins = [each for place in stored for each in versions.departed.of(place.number)]
            known = (stored, before.numbers, origins, name, tuple(map(flows, given)))

    try:
        y = run()
    except BaseException:
        look(None)
        if known is not None and versions.calls is not None:  # the program may catch it
            versions.calls.append(Call(((pull_unrecorded, None, *known), given), True))
        raise
    look(y if gives else None)
    if known is None:
        return y, as_it_is
    found = known
    return y, lambda record: (pull_unrecorded, record, *found)


def watch_rules(
    *callables: Value, first: Callable[..., tuple[Value, Record] | None] | None = None
) -> None:
    """Of these, full rules call functions of the user's as they like, and record not all of the
    calls: what such a function stores is refused where it is read again. ``first``: the rule for
    functions that are known to store nothing; it gives None for others.
    """
    for fn in callables:
        FULL[id(fn)] = _watched(FULL[id(fn)], fn.__name__, first)


def _watched(forward: Forward, name: str, first: Value) -> Forward:
    def watched(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        found: tuple[Value, Record] | None = first and first(versions, *args, **keywords)
        if found is not None:
            return found
        records: list[Record] = []

        def run() -> Value:
            y, record = forward(versions, *args, **keywords)
            records.append(record)
            return y

        given = (*args, *keywords.values())
        y, refusing = run_unrecorded(versions, name, run, given, gives=False)
        stored = refusing(None)
        return y, records[0] if stored is None else (pull_watched, records[0], stored)

    return watched


def pull_watched(shadows: Shadows, y_bar: Value, record: Record, stored: Record) -> Cotangents:
    """First back through the calls that were recorded, which take what came to their own writes."""
    parts = None if record is None else record[0](shadows, y_bar, *record[1:])
    refused = None if stored is None else stored[0](shadows, None, *stored[1:])
    return parts if refused is None else refused


def hooks_of(home: str) -> list[Value]:
    """Functions of the program's that a library has among its globals."""
    names = vars(sys.modules[home]) if home in sys.modules else {}
    return [v for v in [*names.values()] if type(v) is FunctionType and is_of_program(v)]


def as_it_is(record: Record) -> Record:
    return record


def _may_lead_on(value: Value) -> bool:
    if _is_class(value):
        return True
    return has_identity(value) and not issubclass(type(value), np.ndarray)


def pull_unrecorded(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    stored: list[Place],
    numbers: list[Place],
    origins: list[Origin],
    name: str,
    flowing: tuple[bool, ...],
) -> Cotangents:
    """Refused to all that could be reached before, where something has come to what was stored."""
    has_come = take_places(shadows, stored, y_bar)
    parts = None if record is None else record[0](shadows, y_bar, *record[1:])
    if not any(has_come):
        return parts
    refused = Refused(Unsupported(
        name, "a derivative through what this call has stored",
        why="it runs as it is, and what becomes of the numbers it is given is not recorded",
        instead="keep the numbers yourself, beside the call, or call astad.dropgrad on them first",
    ))  # fmt: skip
    for origin in origins:
        shadows.refuse(origin, refused)
    refuse_places(shadows, numbers, refused)
    return [refused if each else None for each in flowing] or parts


def take_places(shadows: Shadows, stored: Iterable[Place], y_bar: Value = None) -> list[bool]:
    """To which of them something has come. It is no longer there before the call."""
    return [
        y_bar is not None if each.at is _RESULT else _take(shadows, each.holder, each.at)
        for each in stored
    ]


def refuse_places(shadows: Shadows, numbers: Iterable[Place], refused: Refused) -> None:
    for holder, at, _ in numbers:
        _refuse(shadows, holder, at, refused)


def _take(shadows: Shadows, holder: Value, at: Any) -> bool:
    """Has a cotangent come to what was stored there? It is no longer there before the call."""
    if issubclass(type(holder), np.ndarray):
        bar = shadows.read(holder)
        return type(bar) is Refused or bool(np.any(bar))  # of None it is False
    if issubclass(type(holder), (list, tuple, deque)):
        return shadows.slot_take(holder, at) is not None
    return shadows.key_take(_store_of(holder, at), at) is not None


def _refuse(shadows: Shadows, holder: Value, at: Any, refused: Refused) -> None:
    if issubclass(type(holder), np.ndarray):
        shadows.add(holder, refused)
    elif issubclass(type(holder), (list, tuple, deque)):
        shadows.slot_add(holder, at, refused)
    elif holder is not None:
        shadows.key_add(_store_of(holder, at), at, refused)


def _store_of(holder: Value, at: Any) -> Value:
    if issubclass(type(holder), (dict, set, frozenset)) or type(holder) is CellType:
        return holder
    return attribute_store(holder, at)
