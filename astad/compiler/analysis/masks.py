"""Kinds of arrays of bools and of ints, which carry no derivative: masks, subscripts, counts.

>>> comparison_kind([k.array(2), k.FLOAT]).text, mask_kind([k.bools(1), k.bools(2)]).text
('bools2', 'bools2')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.given import Given
from astad.compiler.analysis.ranks import array_of, is_float, literal_axes, rank_of
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import BOOL, INERT, INT, REAL, UNKNOWN, Kind

__all__ = ["ENTRIES", "comparison_kind", "mask_kind", "of_argument", "total"]  # fmt: skip


def of_argument(kind: Kind, alone: bool, wanted: bool) -> Kind:
    """What may be relied on of an argument: where somebody else may write it before it is read
    again, of a list and of an array of ints or bools nothing.
    """
    if k.is_listing(kind):
        return kind if alone else UNKNOWN
    if not k.has_axes(kind) or k.is_array(kind):
        return kind
    if not alone:
        return UNKNOWN
    return k.counts(kind.rank or 0) if kind.tag == "ints" and not wanted else kind


def comparison_kind(kinds: Sequence[Kind]) -> Kind:
    """Of ``a < b``: a bool, a mask, or what carries no derivative in any case."""
    if all(k.is_real(kind) or kind in (BOOL, k.COUNT) for kind in kinds):
        return BOOL
    ranks = [kind.rank or 0 for kind in kinds if k.has_axes(kind)]
    whole = all(k.is_real(kind) or kind == BOOL or k.has_axes(kind) for kind in kinds)
    return k.bools(max(ranks)) if whole and all(ranks) else INERT


def mask_kind(kinds: Sequence[Kind]) -> Kind | None:
    """Of ``a & b`` of masks."""
    if not kinds or not all(kind == BOOL or kind.tag == "bools" for kind in kinds):
        return None
    ranks = [kind.rank or 0 for kind in kinds if kind.tag == "bools"]
    return k.bools(max(ranks)) if ranks else None


# entries of `result_kinds`


def mask_of(given: Given) -> Kind | None:
    """Of ``isfinite`` and other functions that ask something of each entry."""
    kinds = [given.kind(name) for name in ("a", "b") if given.has(name)]
    if any(
        kind is None or not (k.is_real(kind) or kind == BOOL or k.has_axes(kind)) for kind in kinds
    ):
        return None
    found = comparison_kind([kind for kind in kinds if kind is not None])
    return found if found.tag in ("bool", "bools") else None


def chosen(given: Given) -> Kind | None:
    """``where`` with three operands, of which one holds floats."""
    kinds = [given.kind(name) or UNKNOWN for name in ("condition", "x1", "x2")]
    if not all(k.is_real(kind) or kind == BOOL or _may_mix(kind) for kind in kinds):
        return None
    ranks = [kind.rank or 0 for kind in kinds if k.has_axes(kind)]
    floats = any(k.is_array(kind) or k.is_floating(kind) for kind in kinds[1:])
    return array_of(max(ranks)) if floats and ranks and all(ranks) else None


def _may_mix(kind: Kind) -> bool:
    return kind.tag in ("ndarray", "counts", "bools")


def among(given: Given) -> Kind | None:
    """``all`` and ``any`` of a whole array."""
    kind = given.kind("a")
    return BOOL if kind is not None and k.has_axes(kind) else None


def total(given: Given) -> Kind | None:
    """Of whole numbers, a NumPy number."""
    kind = given.kind("a")
    is_whole = kind is not None and kind.tag in ("bools", "counts")
    return (
        REAL if is_whole and given.literal("axis") is None and not given.has("keepdims") else None
    )


def place(given: Given) -> Kind | None:
    """``argmax``: a subscript."""
    return k.index(1, 0) if rank_of(given) == 1 else None


def ordered(given: Given) -> Kind | None:
    """``argsort``."""
    rank = rank_of(given)
    return k.counts(rank) if rank and literal_axes(given, rank) is not None else None


def bounds(given: Given) -> Kind | None:
    """``arange`` of ints, or of numbers of which one is a float."""
    kinds = [given.kind(name) or UNKNOWN for name in ("start", "stop", "step") if given.has(name)]
    by_name = given.has("dtype")
    if (by_name and not is_float(given)) or not all(map(k.is_real, kinds)):
        return None
    if by_name or any(map(k.is_floating, kinds)):
        return k.array(1)
    return k.counts(1) if all(kind == INT for kind in kinds) else None


def converted(given: Given) -> Kind | None:
    """``astype``."""
    kind, wanted = given.kind("a"), given.literal("dtype")
    if kind is None or not _may_mix(kind) or not kind.rank:
        return None
    return k.array(kind.rank) if any(wanted is each for each in FLOATS) else None


FLOATS: tuple[Any, ...] = (float, np.float64)


def tested(given: Given) -> Kind | None:
    """``flatnonzero``."""
    kind = given.kind("a")
    return k.counts(1) if kind is not None and k.has_axes(kind) else None


ENTRIES: tuple[tuple[Any, ...], ...] = (
    ("condition, x1, x2", chosen, "where"),
    ("a, b", mask_of, "logical_and", "logical_or", "logical_xor", "greater", "greater_equal"),
    ("a, b", mask_of, "less", "less_equal", "equal", "not_equal"),
    ("a", mask_of, "isfinite", "isnan", "isinf", "signbit", "logical_not"),
    ("a", among, "all", "any", "ndarray.all", "ndarray.any"),
    ("a", total, "count_nonzero"),
    ("a", place, "argmax", "argmin", "ndarray.argmax", "ndarray.argmin"),
    ("a, axis=-1", ordered, "argsort", "ndarray.argsort"),
    ("a", tested, "flatnonzero"),
    ("start, stop=None, step=None, dtype=None", bounds, "arange"),
    ("a, dtype", converted, "ndarray.astype"),
)
"""Signature, kind of the result, and names in NumPy, for `result_kinds.py`."""
