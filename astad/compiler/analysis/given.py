"""What a call hands to each parameter of a known function: kinds, and options that are literals.

>>> from astad.compiler.ir.nodes import Const
>>> nothing = Knowledge(lambda operand: Kind("unknown"), {}, {})
>>> signature = signature_of("a, axis=None, *, keepdims=False")
>>> given = bound(signature, ("x",), (("axis", Const(1)),), nothing)
>>> given.operands["a"], given.literal("axis"), given.literal("keepdims"), given.literal("a")
('x', 1, False, OPEN)

Ranks and literal options of a call: what the entries of `result_kinds` are made of.

>>> reduced_to(0).text, reduced_to(2).text, array_of(0)
('floating', 'ndarray2', None)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import FLOATING, INT, Kind
from astad.compiler.ir.nodes import Call, Const, Operand, Star, immutable
from astad.rules.signature import Signature

__all__ = [
    "Given",
    "Knowledge",
    "OPEN",
    "array_of",
    "bound",
    "is_float",
    "is_of_complex",
    "length_of_shape",
    "literal_axes",
    "rank_of",
    "ranks_of",
    "reduced_to",
    "signature_of",
]

OPEN: Any = type("Open", (), {"__repr__": lambda self: "OPEN"})()
"""The value of an option that no literal gives."""


@immutable
class Knowledge:
    """What is known of names: kinds, the objects they stand for, the displays that alone bind
    them.
    """

    kind_of: Callable[[Operand | Star], Kind]
    known: Mapping[str, object]
    displays: Mapping[str, Call]

    def literal(self, operand: Operand) -> Any:
        """The value of a literal, of a tuple or list of literals, of a known global; else OPEN."""
        if isinstance(operand, Const):
            return operand.value
        if isinstance(operand, str) and operand in self.known:
            return self.known[operand]
        items = self.items(operand)
        parts = [OPEN] if items is None else [self.literal(item) for item in items]
        return OPEN if any(part is OPEN for part in parts) else tuple(parts)

    def items(self, operand: Operand) -> tuple[Operand, ...] | None:
        """The items of a display of tuple or list."""
        made = self.displays.get(operand) if isinstance(operand, str) else None
        if made is None:
            return None
        items = tuple(arg for arg in made.args if not isinstance(arg, Star))
        assert len(items) == len(made.args), made
        return items


@immutable
class Given:
    """``operands`` by parameter; a tuple of them for ``*xs``; none for what is left out."""

    operands: Mapping[str, Any]
    defaults: Mapping[str, Any]
    knowledge: Knowledge

    def has(self, name: str) -> bool:
        return name in self.operands

    def kind(self, name: str) -> Kind | None:
        """None for what is left out."""
        operand = self.operands.get(name)
        return self.knowledge.kind_of(operand) if isinstance(operand, (str, Const)) else None

    def literal(self, name: str) -> Any:
        """The value of an option, its default where it is left out, OPEN where nothing tells."""
        if name not in self.operands:
            return self.defaults.get(name)
        operand = self.operands[name]
        if isinstance(operand, tuple):
            parts = tuple(self.knowledge.literal(part) for part in operand)
            return OPEN if any(part is OPEN for part in parts) else parts
        return self.knowledge.literal(operand)


@functools.cache
def signature_of(text: str) -> Signature:
    """A signature whose defaults are literals."""
    return Signature(text, {})


def bound(
    known: Signature,
    args: Sequence[Operand],
    keywords: Sequence[tuple[str, Operand]],
    knowledge: Knowledge,
) -> Given | None:
    """The call's operands by parameter; None where the signature does not know one of them."""
    given: dict[str, Any] = dict(zip(known.positional, args, strict=False))
    rest = tuple(args[len(known.positional) :])
    if rest and known.star is None:
        return None
    if known.star is not None:
        given[known.star] = rest
    for word, operand in keywords:
        if word in given or word not in known.parameters:
            return None
        given[word] = operand
    missing = set(known.positional[: known.required]) - set(given)
    return None if missing else Given(given, known.defaults, knowledge)


# --- ranks and what formulas of known rank ask for


FLOATS = (None, float, np.float64)


def rank_of(given: Given, name: str = "a") -> int | None:
    """The rank of an operand that is an array, at least 1; else None."""
    kind = given.kind(name)
    return kind.rank or None if kind is not None and k.is_array(kind) else None


def array_of(rank: int | None) -> Kind | None:
    return k.array(rank) if rank is not None and rank > 0 else None


def reduced_to(rank: int) -> Kind:
    """A reduction to nothing gives a NumPy number."""
    return k.array(rank) if rank else FLOATING


def length_of_shape(given: Given, name: str = "shape") -> int | None:
    """Length of a shape: an int, a tuple of ints, or the shape of another array."""
    operand = given.operands.get(name)
    if isinstance(operand, tuple):  # of a method: either one shape or the lengths one by one
        kinds = [given.knowledge.kind_of(part) for part in operand]
        if len(operand) != 1:
            return len(operand) if all(kind == INT for kind in kinds) else None
        operand = operand[0]
    kind = given.knowledge.kind_of(operand) if operand is not None else None
    if kind == INT:
        return 1
    items = given.knowledge.items(operand) if isinstance(operand, str) else None
    if items is not None:
        ints = all(given.knowledge.kind_of(item) == INT for item in items)
        return len(items) if ints else None
    return kind.rank if kind is not None and kind.tag == "shape" else None


def literal_axes(given: Given, rank: int, name: str = "axis") -> tuple[int, ...] | None:
    """The axes that a literal names, counted from 0; None where no literal does."""
    axis = given.literal(name)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(type(each) is int and -rank <= each < rank for each in axes):
        return None
    found = {each % rank for each in axes}
    return tuple(sorted(found)) if len(found) == len(axes) else None


def is_float(given: Given) -> bool:
    """Is the dtype float64, as far as a keyword says?"""
    return not given.has("dtype") or any(given.literal("dtype") is each for each in FLOATS)


def is_of_complex(given: Given) -> bool:
    """Does a keyword ask for complex numbers of double precision?"""
    return any(given.literal("dtype") is each for each in (complex, np.complex128))


def ranks_of(given: Given, *names: str) -> tuple[int, ...] | None:
    """Ranks of operands that are arrays, some perhaps of whole numbers that carry no derivative,
    but not all of them.
    """
    kinds = [given.kind(name) or Kind("unknown") for name in names]
    known = all(kind.rank and (k.is_array(kind) or kind.tag == "counts") for kind in kinds)
    return (
        tuple(kind.rank or 0 for kind in kinds) if known and any(map(k.is_array, kinds)) else None
    )
