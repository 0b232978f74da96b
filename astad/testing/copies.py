"""Deep copies of arguments, one or more of their numbers moved on the way.

A copy keeps what the original has in common with itself: an object found twice stays one object,
and a view stays a view of its (copied) owner. So a number that two names share is moved under
both, as it would be in the user's program.
"""

from __future__ import annotations

import collections
import copy
import types
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from astad.testing.leaves import Array, Entry, Step, attributes_of, children, is_number, tuple_like

__all__ = ["are_moved", "copy_of", "moved", "owner_of"]

PARTED = (list, collections.deque, dict)
WIDER = {"f2": "f8", "f4": "f8", "c8": "c16"}


def owner_of(array: Array) -> Array:
    """The last array in the chain of bases, through whatever dummy objects NumPy puts between."""
    owner, base = array, array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            owner = base
        base = getattr(base, "base", None)
    return owner


class Copier:
    """Deep copies of one argument, aliases and views kept.

    Parameters
    ----------
    numbers : mapping
        New values of numbers, by the id of what holds them and the step to them.
    widen : bool
        Whether narrow floats become float64 (differences in float32 are worth nothing).
    promoted : ids
        Owners of integer arrays that are to become float64.
    """

    def __init__(
        self,
        numbers: Mapping[tuple[int, Step], object] | None = None,
        *,
        widen: bool = False,
        promoted: Iterable[int] = (),
    ) -> None:
        self.numbers = numbers or {}
        self.widen = widen
        self.promoted = frozenset(promoted)
        self.memo: dict[
            int, tuple[object, Any]
        ] = {}  # the original is held, so that its id stays its own
        self.read_only: list[Array] = []

    def child(self, holder: object, step: Step, value: object) -> Any:
        """The copy of what a container holds at one step."""
        if self.numbers and (id(holder), step) in self.numbers:
            return self.numbers[id(holder), step]
        return self.copy(value)

    def copy(self, value: Any) -> Any:  # any value of the user's
        """The copy of a value, the same one each time."""
        if isinstance(value, (np.float16, np.float32, np.complex64)) and self.widen:
            return np.complex128(value) if isinstance(value, np.complex64) else np.float64(value)
        if value is None or isinstance(value, (bool, str, bytes, np.generic)) or is_number(value):
            return value
        if id(value) not in self.memo:
            self.memo[id(value)] = (value, None)
            made = self.make(value)
            self.memo[id(value)] = (value, made)
        return self.memo[id(value)][1]

    def make(self, value: Any) -> Any:  # any value of the user's
        """A new copy of a value met for the first time."""
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, tuple):
            parts = [self.child(value, ("item", i), part) for i, part in enumerate(value)]
            return self.with_attributes(tuple_like(value, parts), value)
        try:
            if isinstance(value, PARTED) or attributes_of(value) is not None:
                return self.container(value)
            return copy.deepcopy(value)
        except Exception:  # a lock, an open file, a copy() of its own: shared, as none can be made
            return value

    def with_attributes(self, made: Any, value: Any) -> Any:  # tuples of any class
        """A tuple with copies of what its class keeps beside the elements."""
        for name, part in getattr(value, "__dict__", {}).items():
            object.__setattr__(made, name, self.copy(part))
        return made

    def container(self, value: Any) -> Any:  # a mutable container or object of any class
        """A copy entered in the memo before its content is made, as it may contain itself."""
        made = copy.copy(value)
        if made is value:  # one of a kind, as an element of a table is: shared
            return value
        self.memo[id(value)] = (value, made)
        own = attributes_of(value) or {}
        for name in set(attributes_of(made) or ()) - own.keys():
            vars(made).pop(name, None)  # of its class, put there by its own way to be copied
        for step, part in children(value):
            new = self.child(value, step, part)
            if step[0] == "item":
                made[step[1]] = new
            else:
                put_attribute(made, str(step[1]), new)
        return made

    def array(self, array: Array) -> Array:
        """A copy of an array; of a view, the same view of the copy of its owner."""
        owner = owner_of(array)
        made: Array
        if array.dtype == object:
            made = np.empty_like(array)
            for index in np.ndindex(array.shape):
                made[index] = self.copy(array[index])
        elif owner is array or not is_plain_view(array, owner):
            made = array.astype(self.dtype_of(array, owner), order="K", copy=True)
        else:
            made = self.view(array, owner)
        if not array.flags.writeable:
            self.read_only.append(made)
        return made

    def dtype_of(self, array: Array, owner: Array) -> np.dtype[Any]:
        """The dtype of the copy."""
        if id(owner) in self.promoted and array.dtype.kind in "iu":
            return np.dtype("f8")
        if self.widen and array.dtype.str[1:] in WIDER:
            return np.dtype(WIDER[array.dtype.str[1:]])
        dtype: np.dtype[Any] = array.dtype  # Any: of any kind of number
        return dtype

    def view(self, array: Array, owner: Array) -> Array:
        """The same view of the copied owner, strides scaled by the ratio of the item sizes."""
        flat = self.copy(owner).ravel(order="K")
        dtype = self.dtype_of(array, owner)
        offset = (address(array) - address(owner)) * dtype.itemsize // array.dtype.itemsize
        strides = [stride * dtype.itemsize // array.dtype.itemsize for stride in array.strides]
        return np.ndarray(array.shape, dtype, buffer=flat, offset=offset, strides=strides)

    def finish(self) -> None:
        """Make the copies of read-only arrays read-only, after the last number was moved."""
        for array in self.read_only:
            array.flags.writeable = False


def put_attribute(made: Any, name: str, value: object) -> None:  # any object of the user's
    """Where the object has it: in its own dict, though a property of that name refuses, or a slot.

    >>> class Cached:
    ...     length = property(lambda self: vars(self)["length"])
    >>> one = Cached()
    >>> vars(one)["length"] = 2.0
    >>> put_attribute(one, "length", 3.0)
    >>> one.length
    3.0
    """
    found = next(
        (vars(base)["__dict__"] for base in type(made).__mro__ if "__dict__" in vars(base)), None
    )
    store = found.__get__(made) if isinstance(found, types.GetSetDescriptorType) else {}
    if name in store:
        store[name] = value
    else:
        object.__setattr__(made, name, value)


def address(array: Array) -> int:
    """Where the first element of an array lies."""
    return int(array.__array_interface__["data"][0])


def is_plain_view(array: Array, owner: Array) -> bool:
    """Whether a view can be repeated on a copy of its owner: one dtype, no overlap with itself."""
    if (
        type(array) is not np.ndarray
        or type(owner) is not np.ndarray
        or array.dtype != owner.dtype
        or not array.size
    ):
        return False
    if owner.base is not None and not owner.flags.forc:
        return False
    spans = sorted(
        (abs(stride), size)
        for stride, size in zip(array.strides, array.shape, strict=True)
        if size > 1
    )
    reach = array.dtype.itemsize
    for stride, size in spans:
        if stride < reach:
            return False
        reach += stride * (size - 1)
    return True


def copy_of(value: Any) -> Any:  # any value of the user's
    """A deep copy that keeps aliases and views.

    >>> a = np.zeros(3)
    >>> b, v = copy_of((a, a[1:]))
    >>> v[0] = 7.0; b.tolist(), a.tolist()
    ([0.0, 7.0, 0.0], [0.0, 0.0, 0.0])
    """
    copier = Copier()
    made = copier.copy(value)
    copier.finish()
    return made


def moved(args: Sequence[object], moves: Iterable[tuple[Entry, float]]) -> list[Any]:
    """Copies of all arguments, narrow floats widened, some numbers moved.

    Each argument is copied for itself: of one object passed twice, only the named slot moves.
    """
    moves = list(moves)
    made = []
    for i, arg in enumerate(args):
        mine = [(entry, delta) for entry, delta in moves if entry.argument == i]
        numbers = moved_numbers(mine)
        promoted = {id(owner_of(e.leaf.value)) for e, _ in mine if e.index is not None}
        copier = Copier(numbers, widen=True, promoted=promoted)
        made.append(copier.child(None, ("argument", i), arg))
        for entry, delta in mine:
            if entry.index is not None:
                there = _without_units(copier.copy(entry.leaf.value))
                there[entry.index] += delta * 1j if entry.imaginary else delta
        copier.finish()
    return made


def _without_units(a: Array) -> Array:
    """The array as one of NumPy's: a class of its own may not add plain numbers to its elements."""
    return a if isinstance(a, np.ma.MaskedArray) else a.view(np.ndarray)


def are_moved(args: Sequence[object], moves: Sequence[tuple[Entry, float]]) -> bool:
    """Whether these numbers are other ones in a moved copy, and the originals the same.

    They are not where a class takes whole numbers only, or has its objects in a table, of which a
    copy is the object itself.

    >>> from astad.testing.leaves import entries_of, leaves_of
    >>> class Counts(dict):
    ...     def __setitem__(self, key, value):
    ...         dict.__setitem__(self, key, round(value))
    >>> counts, plain = Counts(a=2), dict(a=2)
    >>> [
    ...     are_moved([each], [(entries_of(0, leaves_of(each)[0])[0], 0.1)])
    ...     for each in (counts, plain)
    ... ]
    [False, True]
    """
    there = moved(args, moves)
    return all(_is_moved(there[entry.argument], args[entry.argument], entry) for entry, _ in moves)


def _is_moved(there: object, here: object, entry: Entry) -> bool:
    """Whether a number is another one there, and here the same."""
    try:
        new, old = at(there, entry.leaf.path), at(here, entry.leaf.path)
    except LookupError:
        return False
    if entry.index is not None:
        new, old = new[entry.index], old[entry.index]
    return bool(new != old and (old == entry.value or old != old))


def at(value: object, path: Iterable[Step]) -> Any:  # a number or an array
    """What lies at the end of a path."""
    for step in path:
        value = dict(children(value))[step]
    return value


def moved_numbers(moves: Iterable[tuple[Entry, float]]) -> dict[tuple[int, Step], object]:
    """New values of the numbers that are held by value, by their place."""
    numbers: dict[tuple[int, Step], Any] = {}  # numbers of any kind
    for entry, delta in moves:
        if entry.index is None:
            step = entry.leaf.path[-1] if entry.leaf.path else ("argument", entry.argument)
            place = (id(entry.leaf.holder), step)
            numbers[place] = plus(
                numbers.get(place, entry.leaf.value), delta * 1j if entry.imaginary else delta
            )
    return numbers


def plus(value: Any, delta: complex) -> Any:  # numbers of any kind
    """The sum, in a type wide enough for it; exact types stay exact."""
    if isinstance(value, (Fraction, Decimal, np.longdouble, np.clongdouble)):
        exact: Any = value  # Any: the four have no type in common
        return exact + type(exact)(delta)
    return (float(value) if isinstance(value, np.floating) else value) + delta
