"""Kinds of arrays of bools and of ints, which carry no derivative: masks, subscripts, counts.

>>> comparison_kind([k.array(2), k.FLOAT]).text, mask_kind([k.bools(1), k.bools(2)]).text
('bools2', 'bools2')
"""

from __future__ import annotations

from collections.abc import Sequence

from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import BOOL, INERT, UNKNOWN, Kind

__all__ = ["comparison_kind", "mask_kind", "of_argument"]


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
