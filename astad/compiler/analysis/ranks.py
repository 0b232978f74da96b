"""Ranks and literal options of a call: what the entries of `result_kinds` are made of.

>>> reduced_to(0).text, reduced_to(2).text, array_of(0)
('floating', 'ndarray2', None)
"""

from __future__ import annotations

import numpy as np

from astad.compiler.analysis.given import Given
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import FLOATING, INT, Kind

__all__ = [
    "array_of", "is_float", "length_of_shape", "literal_axes", "rank_of", "ranks_of", "reduced_to",
]  # fmt: skip

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


def ranks_of(given: Given, *names: str) -> tuple[int, ...] | None:
    ranks = tuple(rank_of(given, name) or 0 for name in names)
    return ranks if all(ranks) else None
