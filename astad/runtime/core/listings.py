"""What a record holds of an operand, how its value comes back, and how a cotangent is delivered to
it.

>>> from astad.runtime.cotangents.shadows import Shadows
>>> l = [1.0, [2.0, 3.0]]
>>> held = hold(Versions(), l, True)
>>> l[1][0] = 9.0
>>> restore(held)
[1.0, [2.0, 3.0]]
>>> shadows = Shadows()
>>> deliver(shadows, held, [10.0, [20.0, 30.0]], "np.sum")
>>> shadows.take(l), shadows.take(l[1])
([10.0, None], [20.0, 30.0])
"""

from __future__ import annotations

import enum
from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from astad.errors import RuleError, Unsupported
from astad.runtime.core.full_rules import Cotangents, Record, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.bases import items_in
from astad.runtime.cotangents.owners import class_dict, has_numbers, numbers_in
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.arrays import project, sum_to_shape
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class, lookup_in_class
from astad.tangents.zero import (
    BY_VALUE,
    ITEMS,
    MADE_BY_CLASS,
    has_identity,
    is_number,
    plain_number,
)

__all__ = [
    "Listing", "WholeItems", "add_at", "as_it_was", "deliver", "deliver_array", "frozen_index",
    "hold", "member_record", "plain_array", "pull_attribute", "restore", "target",
]  # fmt: skip

Value: TypeAlias = Any
"""Any object of the user's program, or a cotangent of it: there is nothing narrower to say."""

_FLAT: frozenset[type] = BY_VALUE | {bool, str, type(None), np.bool_}


class Listing:
    """A list or tuple as it was when a rule read it.

    Attributes
    ----------
    sequence : list or tuple or None
        The object itself, under which its slots lie; None for the arguments ``*xs`` of a call.
    items : tuple
        Its elements; lists and tuples among them as listings.
    values : tuple
        The elements' values: arrays in boxes.
    converts : bool
        Is there a float among them whose class has a ``__float__`` of its own?
    """

    __slots__ = ("converts", "items", "sequence", "values")

    def __init__(self, versions: Versions, sequence: Sequence[Value], by_value: bool) -> None:
        self.sequence = sequence
        items: Sequence[Value] = tuple(sequence)
        self.converts = False
        if not _FLAT.issuperset(map(type, items)):
            items = [
                Listing(versions, x, by_value) if issubclass(type(x), (list, tuple)) else x
                for x in items
            ]
            self.converts = any(map(converts, items))
        self.items = tuple(items)
        self.values = self.items
        if by_value and not _FLAT.issuperset(map(type, self.items)):
            self.values = tuple(
                versions.keep(plain_array(x))
                if issubclass(type(x), np.ndarray)
                else plain_number(x)
                for x in self.items
            )

    @classmethod
    def of_parts(cls, sequence: Sequence[Value], parts: tuple[Value, ...]) -> Listing:
        """Of a sequence of numbers, of which a cotangent is delivered to these parts alone."""
        made = object.__new__(cls)
        made.sequence, made.items, made.values = sequence, parts, tuple(sequence)
        made.converts = any(map(converts, sequence))
        return made

    def restored(self) -> Value:
        """The list or tuple again, of its own kind."""
        parts = [restore(x) for x in self.values]
        if issubclass(type(self.sequence), list):
            return parts
        return (
            type(self.sequence)(*parts)
            if has_in_class(type(self.sequence), "_fields")
            else tuple(parts)
        )


class WholeItems:
    """An array of objects of which only some, those that are ints, have a cotangent."""

    __slots__ = ("array", "ints")

    def __init__(self, array: Value, ints: Sequence[bool]) -> None:
        self.array = array
        self.ints = np.reshape(ints, array.shape)


class Asked:
    """What has been written into an array: a float with a ``__float__`` of its own, which NumPy
    asks for another number, or a list with such floats.
    """

    __slots__ = ("held",)

    def __init__(self, held: Value) -> None:
        self.held = held


def converts(item: Value) -> bool:
    """Is it a float whose class has a ``__float__`` of its own, or a listing with such floats?"""
    kind = type(item)
    if kind is Listing:
        return bool(item.converts)
    if kind in _FLAT or not issubclass(kind, float) or issubclass(kind, np.generic):
        return False
    return lookup_in_class(kind, "__float__") is not float.__float__


def hold(versions: Versions, value: Value, by_value: bool) -> Value:
    """``value`` for a record: arrays in a box if their values are to be read, lists as listings."""
    kind = type(value)
    if kind in BY_VALUE:
        return value
    if issubclass(type(value), np.ndarray):
        if by_value and value.dtype.kind == "O" and holds_numbers(value):
            return [as_numbers(value)]
        plain = plain_array(value)  # also for its shape: np.shape asks a class with its own ways
        return versions.keep(plain) if by_value else plain
    if issubclass(type(value), list) or (
        issubclass(type(value), tuple)
        and (kind is not tuple or not _FLAT.issuperset(map(type, value)))
    ):
        return Listing(versions, value, by_value)
    if issubclass(kind, (array, memoryview)) and has_numbers(value):
        return [np.array(numbers_in(value))] if by_value else value
    return plain_number(value) if kind.__flags__ & MADE_BY_CLASS else value


def plain_array(a: Value) -> Value:
    """The array for formulas, which are of arrays: a matrix has another ``*``."""
    return a if type(a) is np.ndarray else np.ndarray.view(a, np.ndarray)


def holds_numbers(a: Value) -> bool:
    """Whether all elements of an array of objects are numbers."""
    return ITEMS.issuperset(map(type, a.flat))


def as_numbers(a: Value) -> Value:
    """An array of objects that are numbers, as an array of floats or of complex numbers."""
    is_complex = any(issubclass(type(x), (complex, np.complexfloating)) for x in a.flat)
    return a.astype(complex if is_complex else float)


def restore(held: Value) -> Value:
    """What ``hold`` was given, with the values of then."""
    kind = type(held)
    if kind is list:  # a box of Versions: no other list is ever held
        return held[0]
    return held.restored() if kind is Listing else held


def target(versions: Versions, operand: Value, held: Value) -> Value:
    """``operand`` as something that a cotangent can be delivered to; ``held``: what ``hold`` made
    of it, or None."""
    if type(held) is Listing:
        return held
    return (
        Listing(versions, operand, False) if issubclass(type(operand), (list, tuple)) else operand
    )


def deliver(shadows: Shadows, operand: Value, g: Value, where: str) -> Value:
    """Bring the cotangent ``g`` to an operand (or its listing), in the operand's shape, dtype and
    kind.

    Returns
    -------
    The by-value part: that of a number. None for what has identity, whose part goes to its shadow,
    and for what carries no derivative.
    """
    if g is None:
        return None
    if type(operand) in BY_VALUE or is_number(operand):
        return g if type(g) is Refused else project(g, operand, where)
    if type(operand) is Listing:
        _deliver_items(shadows, operand.items, operand.sequence, g, where)
    elif issubclass(type(operand), tuple):  # of numbers alone, which is held as it is
        _deliver_items(shadows, operand, operand, g, where)
    elif issubclass(type(operand), np.ndarray) and (
        operand.dtype.kind in "fciu" or (operand.dtype.kind == "O" and holds_numbers(operand))
    ):
        shadows.add(operand, g if type(g) is Refused else project(g, operand, where))
    elif issubclass(type(operand), np.ndarray) and operand.dtype.kind not in "OV":
        return None
    elif type(operand) is Asked:
        return deliver(shadows, operand.held, Refused(_asked(where)), where)
    elif type(operand) is WholeItems:
        g = g if type(g) is Refused else np.where(operand.ints, g, 0.0)
        deliver(shadows, operand.array, g, where)
    elif issubclass(type(operand), (array, memoryview)) and has_numbers(operand):
        _deliver_to_memory(shadows, operand, g, where)
    elif has_identity(operand):
        shadows.add(operand, g if type(g) is Refused else Refused(_not_numbers(operand, where)))
    return None


def _deliver_items(
    shadows: Shadows, items: Sequence[Value], sequence: Value, g: Value, where: str
) -> None:
    if sequence is not None and _hands_out_others(type(sequence), where):
        items = tuple(items_in(sequence))
        g = g if type(g) is Refused else Refused(_not_numbers(sequence, where))
    if type(g) is Refused:
        g = [g] * len(items)
    if is_number(g) or (issubclass(type(g), np.ndarray) and not g.ndim):
        g = [g]  # of a list of one
    if len(g) != len(items):
        raise RuleError(
            where,
            f"{len(g)} cotangents for {len(items)} values",
            why="each value has one",
            instead="return as many, None where there is no derivative",
        )
    for i, item in enumerate(items):
        shadows.slot_add(sequence, i, deliver(shadows, item, g[i], where))


def _deliver_to_memory(shadows: Shadows, memory: Value, g: Value, where: str) -> None:
    """An ``array.array`` may have become longer or shorter since."""
    numbers = numbers_in(memory)
    if type(g) is Refused or np.shape(g) == numbers.shape:
        deliver(shadows, numbers, g, where)
        return
    del numbers
    for k, part in enumerate(project(np.asarray(g), np.zeros(len(g)), where).tolist()):
        add_at(shadows, memory, k, part)


def add_at(shadows: Shadows, a: Value, i: int, g: Value) -> None:
    """To an element of an ``array.array``, or to where it was."""
    if g is None:
        return
    if i < array.__len__(a):
        shadows.index_add(numbers_in(a), i, g)
    else:
        shadows.key_add(a, i, g)


def _hands_out_others(kind: type, where: str) -> bool:
    """Whether the items that a list or tuple of this class hands out may not be those in it; NumPy
    asks it for an array first.
    """
    if kind is list or kind is tuple:
        return False
    if kind.__iter__ not in (list.__iter__, tuple.__iter__):  # type: ignore[attr-defined]
        return True
    return not where.startswith("math.") and any(has_in_class(kind, name) for name in _AS_ARRAY)


_AS_ARRAY = ("__array__", "__array_interface__", "__array_struct__")


def _asked(where: str) -> Unsupported:
    return Unsupported(
        where,
        "a derivative through a float with a __float__ of its own, written into an array",
        why="NumPy asks it for the number that it writes, which is not recorded",
        instead="write float(v)",
    )


def _not_numbers(operand: Value, where: str) -> Unsupported:
    kind = (
        f"array of {operand.dtype}"
        if issubclass(type(operand), np.ndarray)
        else type(operand).__name__
    )
    return Unsupported(
        where,
        f"derivative with respect to a {kind} in {where}",
        why="the rule gives a cotangent for numbers and arrays of numbers",
        instead="convert it to an array of floats or a list of numbers first",
    )


def pull_attribute(shadows: Shadows, y_bar: Value, store: Value, name: str) -> Cotangents:
    if y_bar is not None:
        shadows.key_add(store, name, y_bar)
    return None


def member_record(member: Value) -> Record:
    """The record of a member of an Enum, which its class holds wherever it is met.

    >>> import enum
    >>> level = enum.Enum("level", {"LOW": 1.5}, type=float)
    >>> member_record(level.LOW)[2], member_record(level)
    ('LOW', None)
    """
    cls = type(member)
    if not issubclass(type(cls), enum.EnumType) or not flows(member):
        return None
    return pull_attribute, class_dict(cls), member._name_


def frozen_index(i: Value) -> Value:
    """An index that stays as it is: arrays and lists copied.

    >>> frozen_index(([0, 1], slice(2)))
    (array([0, 1]), slice(None, 2, None))
    """
    if issubclass(type(i), np.ndarray):
        return np.array(i)  # without its class, which may have ways of its own
    if type(i) is list:
        return np.array(i) if i else np.zeros(0, np.intp)
    if type(i) is tuple:
        return tuple(map(frozen_index, i))
    return i


def as_it_was(v: Value) -> Value:
    """An operand that carries no derivative, as it stays when it is written to."""
    if issubclass(type(v), np.ndarray):
        return v.copy()
    if type(v) is list or type(v) is dict:
        return v.copy()
    return tuple(map(as_it_was, v)) if type(v) is tuple else v


def deliver_array(shadows: Shadows, g: Value, v: Value, shape: tuple[int, ...]) -> Value:
    """Give a value that was broadcast into a place of an array its part of the cotangent of that
    place.

    Parameters
    ----------
    g : ndarray or number
    v : what `hold` made of the value
    shape : tuple of int
        The value's own shape.

    Returns
    -------
    The cotangent of a number; None for what has identity, whose part goes to its shadow.
    """
    if type(g) is not Refused:
        g = np.reshape(g, (1,) * (len(shape) - np.ndim(g)) + np.shape(g))
        g = sum_to_shape(g, shape) if shape else g.sum()
    return deliver(shadows, v, g, "assignment")
