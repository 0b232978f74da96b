"""The state of a loop between two rounds: copies from which it runs again, and a digest that tells
whether two states are equal.

>>> u, path = np.zeros(2), [1.0]
>>> first = Copies((u, path, u), "loop").values
>>> u[0] = 5.0; path.append(2.0)
>>> first[0], first[0] is first[2], first[1]
(array([0., 0.]), True, [1.0])
>>> digest((u, path)) == digest(Copies((u, path), "loop").values)
True

How many bytes a value takes with what it holds.

>>> weight([1.5], set()), weight([1.5] * 2, set()), weight([1.5, 2.5], set())
(88, 96, 120)
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from astad.errors import Location, Unsupported
from astad.rules.formula import Rule
from astad.runtime.core.full_rules import Value
from astad.runtime.core.variants import Pair
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.contents import copied_with, fingerprint, parts_of
from astad.runtime.cotangents.owners import address_of, memory_of, owner_of, slots_of, stored_in
from astad.runtime.cotangents.shadows import UNCHANGING, Shadows
from astad.runtime.cotangents.snapshots import Node, attributes_of, snapshot
from astad.runtime.cotangents.structures import collect
from astad.runtime.formulas.rule_plans import Plan
from astad.runtime.unseen.chances import is_source_of_chance
from astad.runtime.unseen.out_of_sight import parts_within
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import MADE_BY_CLASS, has_identity, home_of

__all__ = ["Copies", "Known", "arrays_in", "digest", "hand_to", "taken", "weight"]

_AS_THEY_ARE = (BuiltinFunctionType, ModuleType, type, np.ufunc, Enum)
_CONTAINERS = (list, tuple, dict, deque, set, frozenset)
Known = dict[int, tuple[Value, Value]]
"""By the id of an object: it, and a copy of it."""


class Copies:
    """``values`` with copies of all arrays and containers in them, and the ``size`` of these in
    bytes.

    One object in two places is one copy; of an array and a view of it the copies share memory.

    Parameters
    ----------
    values : sequence
    where : Location
        Of the loop, for errors.
    known : dict, optional
        The ``made`` of earlier copies: where nothing has changed since, theirs are taken.

    Raises
    ------
    Unsupported : for what cannot be copied, as a file or an iterator.
    """

    def __init__(
        self, values: Sequence[Value], where: Location | str, known: Known | None = None
    ) -> None:
        self.where = where
        self.known = known or {}
        self.size = 0
        self.made: Known = {}
        self.values = [self._of(value) for value in values]

    def _of(self, value: Value) -> Value:
        kind = type(value)
        if kind is float:
            self.size += 24
            return value
        if not has_identity(value) or is_source_of_chance(value) or isinstance(value, _AS_THEY_ARE):
            return value
        if home_of(kind).partition(".")[0] in UNCHANGING:
            return value
        if id(value) not in self.made:
            self.made[id(value)] = value, value  # where it holds itself
            self.made[id(value)] = value, self._copy(value)
        return self.made[id(value)][1]

    def _copy(self, value: Value) -> Value:
        kind = type(value)
        if issubclass(kind, np.ndarray):
            return self._array(value)
        if kind is FunctionType and not value.__closure__:
            return value
        if not issubclass(kind, _CONTAINERS) and not self._is_of_attributes(value):
            raise self._refused(value)
        if issubclass(kind, _CONTAINERS) and attributes_of(value):
            raise self._refused(value)
        parts = parts_of(value)
        self.size += sys.getsizeof(value)
        mine = {key: self._of(part) for key, part in parts.items()}
        if issubclass(kind, (tuple, frozenset)) and all(mine[key] is parts[key] for key in parts):
            return value
        return copied_with(value, mine, str(self.where))

    def _is_of_attributes(self, value: Value) -> bool:
        kind = type(value)
        if has_in_class(kind, "__next__") or issubclass(kind, BaseException):
            return False
        has_room = type(stored_in(value)) is dict or bool(slots_of(value))
        return bool(kind.__flags__ & MADE_BY_CLASS) and has_room or kind is SimpleNamespace

    def _array(self, a: Value) -> Value:
        if a.dtype.hasobject or type(a) not in (np.ndarray, np.matrix, np.memmap):
            raise self._refused(a)
        owner = a if a.base is None else memory_of(a)
        if owner is a:
            return self._whole(a)
        if not isinstance(owner, np.ndarray) or owner.dtype.hasobject:
            raise self._refused(a)
        whole = self._of(owner)
        flat = whole.reshape(-1, order="A")
        if not np.may_share_memory(flat, whole) or owner.strides != whole.strides:
            raise self._refused(a)
        start = address_of(a) - address_of(owner)
        view: Value = np.ndarray(a.shape, a.dtype, flat.view(np.uint8), start, a.strides)
        return view if type(a) is np.ndarray else view.view(type(a))

    def _whole(self, a: Value) -> Value:
        before, copy = self.known.get(id(a), (None, None))
        is_alike = before is a and copy.shape == a.shape and copy.dtype == a.dtype
        if is_alike and fingerprint(a) == fingerprint(copy):
            return copy
        self.size += a.nbytes
        return np.array(a, order="K", subok=True)

    def _refused(self, value: Value) -> Unsupported:
        return Unsupported(
            self.where, f"a loop whose rounds may change a {type(value).__name__}, under a memory "
            "budget",
            why="the reverse sweep runs rounds again from copies of their state, and of this there "
            "is none",
            instead="keep numbers, arrays and containers of them from round to round, or do "
            "without the budget",
        )  # fmt: skip


def arrays_in(values: Sequence[Value]) -> Iterator[Value]:
    """All arrays in the values."""
    for part in parts_within([snapshot(tuple(values))]):
        if issubclass(type(part), np.ndarray):
            yield part


def digest(values: Sequence[Value]) -> int:
    """Equal for equal numbers, arrays and containers, those that were copied included."""
    places: dict[int, int] = {}
    found: list[Value] = []
    waiting: list[Value] = [snapshot(tuple(values))]
    while waiting:
        part = waiting.pop()
        value = part.value if type(part) is Node else part
        kind = type(value)
        if kind is float or kind is np.float64:
            found.append(float(value).hex())  # a nan is equal to itself
        elif not issubclass(kind, np.ndarray) and type(part) is not Node:
            found.append((kind, repr(value) if _has_text(value) else ""))
        elif isinstance(value, (FunctionType, MethodType)) or is_source_of_chance(value):
            continue  # what it has captured is looked at by whoever asks what has changed
        elif id(value) in places:
            found.append(places[id(value)])
        else:
            if not issubclass(kind, tuple):  # of a tuple it is nothing who made it
                places[id(value)] = len(places)
            if type(part) is Node:
                found += (
                    kind,
                    len(part.parts),
                    tuple(part.parts) if part.kind == "mapping" else (),
                )
                waiting += part.children()
            else:
                found.append((value.shape, value.dtype.str, fingerprint(value)))
    return hash(tuple(found))


def _has_text(value: Value) -> bool:
    return value is None or isinstance(value, (int, float, complex, str, bytes, np.generic))


def taken(
    shadows: Shadows, values: Sequence[Value], node: Node, where: Location | str
) -> Sequence[Value]:
    """The cotangents of values with identity, in the structure that ``node`` tells, which are no
    longer in the table; None where nothing came and for numbers.

    Raises
    ------
    Unsupported : where a derivative is by numbers that are keys of a dict.
    """
    found = collect(shadows, tuple(values), node, None, False, once=True)
    for part in parts_within([node]):
        if issubclass(type(part), np.ndarray):
            shadows.take_array(part)
        elif type(part) is not Node:
            continue
        elif part.kind == "sequence":
            shadows.slots_take(part.value, len(part.parts))
        elif part.kind == "object":
            for store, key in part.stores.values():
                shadows.key_take(store, key)
        else:
            _check_keys(shadows.keys_take(part.value), part, where)
    bars = [None] * len(values) if found is None else found
    return [
        bar if has_identity(value) else None for value, bar in zip(values, bars, strict=True)
    ]  # fmt: skip


def _check_keys(bars: Mapping[Value, Value], node: Node, where: Location | str) -> None:
    if any(bar is not None and key not in node.parts for key, bar in bars.items()):
        raise Unsupported(
            where, "a derivative by the keys of a dict that a loop changes, under a memory budget",
            why="a state of the loop has cotangents of the entries alone",
            instead="keep the numbers as entries, or do without the budget",
        )  # fmt: skip


def hand_to(shadows: Shadows, node: Node, bars: Sequence[Value]) -> None:
    """Add cotangents to the values of a ``snapshot`` of them, numbers left out."""
    for part, bar in zip(node.parts, bars, strict=True):
        if bar is not None and (type(part) is Node or has_identity(part)):
            shadows.add(part, bar)


# --- how many bytes a value takes -----------------------------------------------------------------


_FIXED = (
    bool, type, ModuleType, CodeType, FunctionType, BuiltinFunctionType, np.ufunc, Pair, Plan, Rule,
    Versions,
)  # fmt: skip
_MOST = 64
"""Elements of a long list that are weighed: the rounds of a loop are much alike."""


def weight(value: Any, known: set[int]) -> int:
    """Bytes of a value with what it holds; ``known``: ids of what is not counted, nor looked into.

    Of a long list some elements are weighed for all.
    """
    seen = set(known)
    total = 0.0
    waiting: list[tuple[Any, float]] = [(value, 1.0)]
    while waiting:
        each, times = waiting.pop()
        if each is None or id(each) in seen or isinstance(each, _FIXED):
            continue
        seen.add(id(each))
        kind = type(each)
        if issubclass(kind, np.ndarray):
            owner = owner_of(each)
            if owner is not each and id(owner) in seen:
                continue
            seen.add(id(owner))
            total += times * (
                sys.getsizeof(each) + getattr(owner, "nbytes", 0) * (each is not owner)
            )
            continue
        total += times * sys.getsizeof(each)
        if issubclass(kind, (tuple, list, deque)):
            count = len(each)
            step = max(count // _MOST, 1)
            some = list(each)[::step] if count > _MOST else each
            waiting += [(part, times * count / len(some)) for part in some] if count else []
        elif issubclass(kind, dict):
            waiting += [(part, times) for part in each.values()]
        elif kind.__module__.startswith("astad.") and hasattr(kind, "__slots__"):
            waiting += [(getattr(each, name, None), times) for name in kind.__slots__]
    return int(total)
