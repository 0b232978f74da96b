"""The numbers inside nested arguments: where they are, their names, whether two values agree.

>>> [name_of("p", leaf.path) for leaf in leaves_of({"w": [1.0, 2.0], "label": "a", "b": 3})]
["p['w'][0]", "p['w'][1]", "p['b']"]
"""

from __future__ import annotations

import collections
import contextlib
import types
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from astad.slotted import dataclass

__all__ = [
    "Array", "Entry", "Leaf", "Step", "attributes_of", "children", "entries_of", "held_in",
    "is_array", "is_narrow", "is_number", "leaves_of", "name_of", "same", "size_of", "tuple_like",
]  # fmt: skip

# Any: arrays of every dtype and shape are met here
Array = np.ndarray[Any, Any]
Step = tuple[str, object]
"""``("item", key)`` or ``("attribute", name)``."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A number, or an array of numbers: its path from the argument, the object that holds it."""

    path: tuple[Step, ...]
    holder: object
    value: Any  # a number or an array, of any kind


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One real degree of freedom: a number or an element, its real or imaginary part."""

    argument: int
    leaf: Leaf
    index: tuple[int, ...] | None
    imaginary: bool = False

    @property
    def value(self) -> Any:  # a number of any kind
        """The number before it is moved."""
        return self.leaf.value if self.index is None else self.leaf.value[self.index]


def is_array(value: object) -> bool:
    """Whether a value is an array of numbers that can move (bool, object and text arrays can't)."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "iufc"


def is_number(value: object) -> bool:
    """Whether a value is a number that can move."""
    if isinstance(value, np.generic):
        return value.dtype.kind in "iufc"
    return isinstance(value, (int, float, complex, Fraction, Decimal)) and not isinstance(
        value, bool
    )


def tuple_like(value: tuple[object, ...], parts: Iterable[object]) -> tuple[object, ...]:
    """A tuple of another one's class; its constructor, which may ask for more, is not called."""
    try:
        return tuple.__new__(type(value), parts)
    except TypeError:  # of a class in C
        return type(value)(parts)


def is_narrow(dtype: np.dtype[Any]) -> bool:
    """Whether it is of floats narrower than float64, or of complex numbers made of such."""
    return dtype.str[1:] in ("f2", "f4", "c8")


def size_of(value: Any) -> float:  # a number or an array, of any kind
    """The largest magnitude in it, 0 of an empty array.

    >>> size_of(Decimal("-1.5")), size_of(np.array([]))
    (1.5, 0.0)
    """
    if isinstance(value, Decimal):  # its method max is not NumPy's
        return float(abs(value))
    return float(np.max(np.abs(np.asarray(value)), initial=0.0))  # a matrix has its own max


def attributes_of(value: object) -> dict[str, object] | None:
    """The instance attributes of an object of a Python class, None for anything else."""
    kind = type(value)
    if isinstance(
        value, (type, types.ModuleType, types.FunctionType, np.ndarray, np.generic, BaseException)
    ):
        return None
    if (
        kind.__module__ == "builtins" or is_number(value) or not kind.__flags__ & (1 << 9)
    ):  # not a heap type
        return None
    found: dict[str, object] = {}
    with contextlib.suppress(AttributeError):  # all has slots
        found.update(object.__getattribute__(value, "__dict__"))
    slotted = [base for base in reversed(kind.__mro__) if "__slots__" in base.__dict__]
    members = [each for base in slotted for each in base.__dict__.items()]
    for name, member in members:
        if type(member) is types.MemberDescriptorType:
            with contextlib.suppress(AttributeError):  # empty
                found[name] = member.__get__(value, kind)
    return found


def children(value: object) -> list[tuple[Step, object]]:
    """What a container or object holds, in its own order."""
    if isinstance(value, (list, tuple, collections.deque)):
        return [(("item", i), child) for i, child in enumerate(value)]
    if isinstance(value, dict):
        return [(("item", key), child) for key, child in value.items()]
    return [(("attribute", name), child) for name, child in (attributes_of(value) or {}).items()]


def held_in(value: object) -> Iterator[object]:
    """The value and all that it holds, each object once, however many ways lead to it.

    >>> shared = [1.5]
    >>> len(list(held_in([shared, shared, {"a": shared}])))
    4
    """
    seen: dict[int, object] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen[id(each)] = each  # held, so that no other object has its id
            yield each
            waiting += [child for _, child in children(each)]


def leaves_of(value: object, path: tuple[Step, ...] = (), holder: object = None) -> list[Leaf]:
    """All numbers and arrays of numbers inside a value; what contains itself is entered once."""
    found: list[Leaf] = []

    def visit(
        value: object, path: tuple[Step, ...], holder: object, inside: frozenset[int]
    ) -> None:
        if is_array(value) or is_number(value):
            found.append(Leaf(path, holder, value))
        elif id(value) not in inside:
            for step, child in children(value):
                visit(child, (*path, step), value, inside | {id(value)})

    visit(value, path, holder, frozenset())
    return found


def entries_of(argument: int, leaf: Leaf) -> list[Entry]:
    """Every real degree of freedom of a leaf."""
    indices: Iterable[tuple[int, ...] | None]
    indices = np.ndindex(leaf.value.shape) if is_array(leaf.value) else [None]
    parts = (False, True) if np.iscomplexobj(leaf.value) else (False,)
    return [Entry(argument, leaf, index, part) for index in indices for part in parts]


def name_of(root: str, path: Iterable[Step]) -> str:
    """The path as the user would write it."""
    return root + "".join(f"[{key!r}]" if kind == "item" else f".{key}" for kind, key in path)


def same(a: Any, b: Any, equal: Callable[[Any, Any], bool] | None = None) -> bool:  # any two values
    """Whether two values have equal types, structure and numbers (nan equals nan).

    Parameters
    ----------
    a, b : object
        The two values.
    equal : callable, optional
        How to compare two numbers or two arrays of one shape; exactly when not given. A Python
        float and a NumPy one of its precision are one kind then.
    """
    pairs: set[tuple[int, int]] = set()

    def visit(a: Any, b: Any) -> bool:  # any two values
        if a is b or (id(a), id(b)) in pairs:
            return True
        if type(a) is not type(b) and not (equal and {type(a), type(b)} == {float, np.float64}):
            return False
        pairs.add((id(a), id(b)))
        if isinstance(a, np.ndarray):
            return same_arrays(a, b, equal)
        if is_number(a):
            return bool(equal(a, b) if equal else a == b or (a != a and b != b))
        parts_a, parts_b = children(a), children(b)
        if parts_a or parts_b or isinstance(a, (list, tuple, dict)) or attributes_of(a) is not None:
            return [s for s, _ in parts_a] == [s for s, _ in parts_b] and all(
                visit(p, q) for (_, p), (_, q) in zip(parts_a, parts_b, strict=True)
            )
        return same_atoms(a, b)

    return visit(a, b)


def same_arrays(a: Array, b: Array, equal: Callable[[Any, Any], bool] | None) -> bool:
    """Whether two arrays agree in dtype, shape and content."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype == object:
        return same(a.tolist(), b.tolist(), equal)
    if equal is not None and is_array(a):
        return equal(a, b)
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def same_atoms(a: object, b: object) -> bool:
    """Whether two values without parts are equal; what can't be compared counts as equal."""
    try:
        return bool(a == b) or repr(a) == repr(b) or type(a).__eq__ is object.__eq__
    except Exception:
        return True
