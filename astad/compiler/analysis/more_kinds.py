"""Kinds of what is repeated, padded, interpolated, taken by subscripts, made of vectors.

>>> from astad.compiler.analysis.given import Given, Knowledge
>>> from astad.compiler.ir.nodes import Const
>>> knowledge = Knowledge(lambda o: k.array(2) if o == "m" else k.INT, {}, {})
>>> repetition(Given({"a": "m", "reps": Const(3)}, {}, knowledge)).text
'ndarray2'
"""

from __future__ import annotations

from typing import Any

from astad.compiler.analysis.given import Given
from astad.compiler.analysis.ranks import literal_axes, rank_of
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import FLOATING, INT, Kind

__all__ = ["ENTRIES", "repetition"]  # fmt: skip


def repetition(given: Given) -> Kind | None:
    """``tile`` and ``repeat``, so many times."""
    rank = rank_of(given)
    times = given.kind("reps") or given.kind("repeats")
    if not rank or times != INT:
        return None
    if not given.has("repeats"):
        return k.array(rank)
    if given.literal("axis") is None:
        return k.array(1)
    return k.array(rank) if literal_axes(given, rank) is not None else None


def padded(given: Given) -> Kind | None:
    rank = rank_of(given)
    known = given.literal("mode") in ("constant", "edge", "reflect", "wrap", "symmetric")
    return k.array(rank) if rank and known else None


def interpolated(given: Given) -> Kind | None:
    """``interp`` and ``polyval``: as many axes as the places have."""
    names = [name for name in ("xp", "fp", "p") if given.has(name)]
    if not all(_is_row(given, name) for name in names):
        return None
    kind = given.kind("x")
    if kind is None or given.has("p") and k.is_floating(kind):
        return None  # the polynomial without coefficients gives a 0-d array
    if k.is_floating(kind):
        return FLOATING
    return k.array(kind.rank) if k.is_array(kind) and kind.rank else None


def _is_row(given: Given, name: str) -> bool:
    """An array of one axis, or a display of literal numbers."""
    numbers = given.literal(name)
    literal = isinstance(numbers, tuple) and {type(each) for each in numbers} <= {int, float}
    return rank_of(given, name) == 1 or (literal and bool(numbers))


def from_vector(given: Given) -> Kind | None:
    """A number, of one array of one axis, or of two."""
    weights = given.kind("weights")
    plain = weights is None or weights == k.array(1)
    dx = given.kind("dx")
    return FLOATING if rank_of(given) == 1 and plain and (dx is None or k.is_real(dx)) else None


def vector_of_vector(given: Given) -> Kind | None:
    other = given.kind("v")
    known = given.literal("mode") in (None, "full", "same", "valid")
    plain = known and (other is None or other == k.array(1))
    return k.array(1) if rank_of(given) == 1 and plain else None


def taken(given: Given) -> Kind | None:
    """``take``, by arrays of ints or a display of literal ones."""
    rank, by, places = rank_of(given), given.kind("indices"), given.literal("indices")
    if isinstance(places, tuple) and places and {type(each) for each in places} == {int}:
        by = k.counts(1)
    if not rank or by is None or not by.rank or by.tag not in ("ints", "counts"):
        return None
    if given.literal("axis") is None:
        return k.array(by.rank)
    axes = literal_axes(given, rank)
    return k.array(rank - 1 + by.rank) if axes is not None and len(axes) == 1 else None


def with_powers(given: Given) -> Kind | None:
    """``vander``, of a vector."""
    return k.array(2) if rank_of(given) == 1 and given.kind("N") == INT else None


def at_share(given: Given) -> Kind | None:
    """``quantile`` and ``percentile`` at one literal share, of all entries."""
    whole = given.literal("axis") is None and given.literal("keepdims") is False
    one = type(given.literal("q")) in (int, float)
    return FLOATING if rank_of(given) and whole and one else None


ENTRIES: tuple[tuple[Any, ...], ...] = (
    ("a, reps", repetition, "tile"),
    ("a, repeats, axis=None", repetition, "repeat"),
    ("a, pad_width, mode='constant'", padded, "pad"),
    ("x, xp, fp", interpolated, "interp"),
    ("p, x", interpolated, "polyval"),
    ("a, dx=1.0", from_vector, "trapezoid"),
    ("a, weights=None", from_vector, "average"),
    ("a", vector_of_vector, "gradient"),
    ("a, v, mode='valid'", vector_of_vector, "correlate"),
    ("a, N", with_powers, "vander"),
    ("a, q, axis=None, *, keepdims=False", at_share, "quantile", "percentile"),
    ("a, v, mode='full'", vector_of_vector, "convolve"),
    ("a, indices, axis=None", taken, "take"),
)
"""Signature, kind of the result, and names in NumPy, for `result_kinds.py`."""
