"""What the user writes between ``pullback`` and ``back``.

Results are the user's: an array of the result that the reverse sweep reads is handed out as a
copy. Everything else that the reverse sweep reads and somebody else holds as well, an argument, a
captured or global array, must be as it was when ``back`` is called.
"""

from __future__ import annotations

import functools
import gc
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import getrefcount
from types import CellType, FunctionType, MappingProxyType
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.calls.custom_calls import _pull_custom
from astad.runtime.core.listings import Listing
from astad.runtime.core.variants import Compiler, Fused, Live, Pair, Variants
from astad.runtime.cotangents.contents import copied_with, fingerprint, parts_of
from astad.runtime.cotangents.owners import Array, Severed, is_namespace, memory_of
from astad.runtime.cotangents.snapshots import Node
from astad.runtime.dispatch import _pull_compiled
from astad.runtime.formulas.rule_plans import Plan
from astad.runtime.iteration.drawn_again import Again
from astad.tangents.zero import BY_VALUE, home_of

__all__ = ["Guards", "calls_rules", "handed_out", "is_of_numbers"]

_CONTAINERS = (tuple, list, dict, deque, CellType, functools.partial)
_OF_TEXTS = (Plan, Pair, Fused, Variants, Compiler, Live, Listing)
"""Classes of ours whose objects belong to a program, not to a run of it."""
_FIXED = (tuple, MappingProxyType)
_OURS = 4
"""References to an array while it is looked at: from a table, two variables, and `getrefcount`."""


def _is_walked(kind: type) -> bool:
    """Containers, and objects in which the runtime puts what a reverse sweep reads."""
    ours = home_of(kind).startswith(("astad.runtime.", "astad.api."))
    return issubclass(kind, _CONTAINERS) or (ours and not issubclass(kind, _OF_TEXTS))


class _Kept:
    """The arrays that a record refers to, and how often."""

    def __init__(self, record: Any) -> None:
        self.arrays: dict[int, Array] = {}
        self.times: defaultdict[int, int] = defaultdict(int)
        self.containers: set[int] = set()
        self.by_rule = False
        seen: set[int] = set()
        level: list[Any] = [] if record is None else [record]
        while level:
            seen.update(map(id, level))
            found = gc.get_referents(*self._opened(level))
            kinds = set(map(type, found))
            self._note_containers(found, kinds)
            if any(issubclass(kind, np.ndarray) for kind in kinds):
                self._note(found)
            level = []
            if FunctionType in kinds:
                found += [fn.__closure__ for fn in found if type(fn) is FunctionType]
            walked = frozenset(filter(_is_walked, kinds))
            if walked:
                fresh = {id(each): each for each in found if type(each) in walked}
                level = [
                    each
                    for key, each in fresh.items()
                    if key not in seen and not is_namespace(each)
                ]

    def _opened(self, level: Sequence[Any]) -> list[Any]:
        """Of a call of a compiled function what it kept; result and arguments are only names."""
        found = []
        for each in level:
            if type(each) is tuple and len(each) > 4 and each[0] is _pull_compiled:
                found.append((each[2],))
                self.count((each[1], *each[4]))
            elif type(each) is tuple and each and each[0] is _pull_custom:
                self.by_rule = True  # what the back of a user's rule holds is not known
                found.append(each)
            else:
                found.append(each)
        return found

    def _note_containers(self, found: Sequence[Any], kinds: set[type]) -> None:
        """A rule may look into its result, which must stay as it is then."""
        named = tuple(kind for kind in kinds if issubclass(kind, (list, dict, deque)))
        if named:
            self.containers.update(id(each) for each in found if type(each) in named)

    def _note(self, found: Sequence[Any]) -> None:
        for each in found:
            if not issubclass(type(each), np.ndarray):
                continue
            self.times[id(each)] += 1
            if id(each) not in self.arrays and each.base is not None:
                self.times[id(each.base)] += 1
            self.arrays[id(each)] = each

    def count(self, values: Iterable[Any]) -> None:
        """A reference of ours to each."""
        for value in values:
            self.times[id(value)] += 1

    def memory(self) -> set[int]:
        return {id(memory_of(each)) for each in self.arrays.values()}


def is_of_numbers(record: Any) -> bool:
    """Is it that of one call, for which nothing but numbers and texts was kept?"""
    if type(record) is not tuple or record[0] is not _pull_compiled:
        return False
    kept = record[2]
    return BY_VALUE.issuperset(map(type, kept if type(kept) is tuple else (kept,)))


def calls_rules(record: Any) -> bool:
    """Is there a call in it by a rule of the user's?"""
    return _Kept(record).by_rule


def handed_out(entry: Any, record: Any, entries: Iterable[Any]) -> tuple[Any, Guards]:
    """The result for the user, and what must not be written until ``back`` is called.

    Parameters
    ----------
    entry : snapshot
        The result.
    record : record
        What was kept for the reverse sweep.
    entries : iterable of snapshots
        The arguments: an array of theirs is not copied.
    """
    kept = _Kept(record)
    if not kept.arrays and not kept.by_rule and not Again.was_made:
        return entry.value if type(entry) is Node else entry, Guards(kept)
    given = list(_parts_in(entries))
    mine = list(_parts_in([entry])) if kept.by_rule else []
    held, memory = kept.containers, kept.memory()
    held.update(id(part.value) for part in mine if type(part) is Node and part.kind != "object")
    memory.update(id(memory_of(part)) for part in mine if type(part) is not Node)
    memory -= {id(memory_of(a)) for a in given if type(a) is not Node}
    held -= {id(node.value) for node in given if type(node) is Node}
    del given, mine
    y = _copied(entry, memory, held, {})
    kept.count(_arrays_in(entry))
    if type(entry) is not Node:
        kept.times[id(entry)] += 1
    return y, Guards(kept)


def _arrays_in(entry: Any) -> list[Array]:
    """All arrays in a snapshot."""
    return [part for part in _parts_in([entry]) if type(part) is not Node]


def _parts_in(entries: Iterable[Any]) -> Iterator[Any]:
    """All arrays and nodes in snapshots."""
    seen, waiting = set(), list(entries)
    while waiting:
        part = waiting.pop()
        if type(part) is not Node:
            if issubclass(type(part), np.ndarray):
                yield part
                waiting += _elements(part)
        elif id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting += part.children()


def _copied(part: Any, memory: set[int], held: set[int], made: dict[int, Any]) -> Any:
    """What a snapshot is of, with copies of the arrays of this memory in it.

    A tuple is made anew, and a container that the record holds too; any other stays itself.
    Iterators of ours become Python's.
    """
    if type(part) is not Node:
        return _copied_array(part, memory, made) if issubclass(type(part), np.ndarray) else part
    value = part.value
    if id(value) in made:
        return made[id(value)]
    if issubclass(type(value), Again):
        made[id(value)] = value.of_python()
        return made[id(value)]
    made[id(value)] = value  # where it holds itself
    parts, is_new = parts_of(value), issubclass(type(value), _FIXED) or id(value) in held
    is_changed = False
    keys = range(len(part.parts)) if part.kind == "sequence" else part.parts
    for key, child in zip(keys, part.children(), strict=True):
        mine = _copied(child, memory, held, made)
        if mine is parts[key]:
            continue
        parts[key] = mine
        is_changed = True
        if not is_new:
            _put(part, key, mine)
    if is_changed and is_new:
        made[id(value)] = copied_with(value, parts, "pullback")
    return made[id(value)]


def _is_only_one(a: Array) -> bool:
    """Is it NumPy's mark of what is masked?"""
    return type(a) is not np.ndarray and a is np.ma.masked


def _copied_array(a: Array, memory: set[int], made: dict[int, Any]) -> Array:
    """An array, or a copy of it; of objects with copies of the arrays in it."""
    owner: object = a.base
    if type(owner) is Severed:
        return owner.original
    if id(a) not in made:
        elements = _elements(a)
        inside = any(_copied_array(each, memory, made) is not each for each in elements)
        is_kept = id(memory_of(a)) in memory
        is_copied = (is_kept or inside) and not _is_only_one(a)
        made[id(a)] = np.array(a, order="K", subok=True) if is_copied else a
        for at in np.ndindex(a.shape) if inside else ():
            if issubclass(type(a[at]), np.ndarray):
                made[id(a)][at] = _copied_array(a[at], memory, made)
    return made[id(a)]  # type: ignore[no-any-return]


def _elements(a: Array) -> list[Array]:
    """The arrays in an array of objects."""
    if not a.dtype.hasobject or a.dtype.names is not None:
        return []
    return [each for each in a.flat if issubclass(type(each), np.ndarray)]


def _put(node: Node, key: Any, part: Any) -> None:
    """Into a container, whatever its class says of it."""
    value = node.value
    if node.kind == "mapping":
        dict.__setitem__(value, key, part)
    elif node.kind == "sequence":
        (list if issubclass(type(value), list) else deque).__setitem__(value, key, part)
    elif node.kind == "object":
        store, name = node.stores[key]
        if type(store) is dict:
            store[name] = part
        else:
            object.__setattr__(store, name, part)


class Guards:
    """The kept arrays that somebody else holds too, as they were after the forward sweep."""

    __slots__ = ("_prints",)

    def __init__(self, kept: _Kept) -> None:
        self._prints = [
            (a, fingerprint(a)) for a in kept.arrays.values() if _is_held(a, kept.times)
        ]

    def check(self, name: str) -> None:
        """Raise if one was written since."""
        for a, before in self._prints:
            if fingerprint(a) != before:
                raise Unsupported(
                    name, f"an array of shape {a.shape} was overwritten before back was called",
                    why="the reverse sweep reads what it held in the forward sweep",
                    instead="call back first, or hand a copy over",
                )  # fmt: skip


def _is_held(a: Array, ours: Mapping[int, int]) -> bool:
    """Has somebody else a reference to an array, or to the memory of which it is a view?"""
    if getrefcount(a) > ours[id(a)] + _OURS:
        return True
    base = a.base
    return base is not None and (
        not issubclass(type(base), np.ndarray) or getrefcount(base) > ours[id(base)] + _OURS - 1
    )
