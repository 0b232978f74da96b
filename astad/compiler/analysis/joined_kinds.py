"""Kinds of what joins the arrays of a display: ``np.concatenate([a, b])``.

>>> from astad.compiler.analysis.given import Given, Knowledge
>>> from astad.compiler.ir.nodes import Call, Prim
>>> display = Call("t", Prim("list"), ("a", "b"), (), 1)
>>> kinds = {"t": k.ITEMS, "a": k.array(1), "b": k.array(1)}
>>> knowledge = Knowledge(kinds.get, {}, {"t": display})
>>> stacked(Given({"arrays": "t"}, {"axis": 0}, knowledge)).text
'ndarray2'
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.compiler.analysis.given import Given
from astad.compiler.analysis.ranks import literal_axes
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import Kind

__all__ = ["ENTRIES", "JOINS", "stacked"]


def _item_ranks(given: Given, least: int = 1) -> list[int]:
    """Ranks of the arrays in a display; none where one of them is no array of known rank.

    Where the least is 0, there may be numbers among them.
    """
    items = given.knowledge.items(given.operands["arrays"]) or ()
    kinds = [given.knowledge.kind_of(item) for item in items]
    numbers = 0 if least else sum(map(k.is_floating, kinds))
    known = numbers + sum(k.is_array(kind) and bool(kind.rank) for kind in kinds) == len(kinds)
    if given.kind("arrays") != k.ITEMS or not known:
        return []
    return [kind.rank or 0 for kind in kinds]


def joined(given: Given) -> Kind | None:
    ranks = _item_ranks(given)
    if len(set(ranks)) != 1 or not _names_axis(given, ranks[0]):
        return None
    return k.array(ranks[0])


def _names_axis(given: Given, rank: int) -> bool:
    return not given.has("axis") or literal_axes(given, rank) is not None


def stacked(given: Given) -> Kind | None:
    """``stack``, of numbers as well."""
    ranks = _item_ranks(given, 0)
    if len(set(ranks)) != 1 or not _names_axis(given, ranks[0] + 1):
        return None
    return k.array(ranks[0] + 1)


def in_a_row(given: Given) -> Kind | None:
    """``hstack``, where a number is an array of one."""
    ranks = {max(rank, 1) for rank in _item_ranks(given, 0)}
    return k.array(*ranks) if len(ranks) == 1 else None


def in_depth(given: Given) -> Kind | None:
    """``dstack``, of matrices and of stacks of them."""
    return k.array(3) if set(_item_ranks(given)) in ({2}, {3}) else None


def in_rows(given: Given) -> Kind | None:
    ranks = _item_ranks(given)
    return k.array(max(ranks[0], 2)) if len(set(ranks)) == 1 else None


def in_columns(given: Given) -> Kind | None:
    return k.array(2) if set(_item_ranks(given)) in ({1}, {2}) else None


ENTRIES: tuple[tuple[Any, ...], ...] = (
    ("arrays, axis=0", joined, "concatenate"),
    ("arrays, axis=0", stacked, "stack"),
    ("arrays", stacked, "array"),
    ("arrays", in_a_row, "hstack"),
    ("arrays", in_rows, "vstack"),
    ("arrays", in_depth, "dstack"),
    ("arrays", in_columns, "column_stack"),
)
"""Signature, kind of the result, and names in NumPy, for `result_kinds.py`."""
JOINS = tuple(getattr(np, name) for _, _, name in ENTRIES)
