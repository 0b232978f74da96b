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

from astad.compiler.analysis.given import Given
from astad.compiler.analysis.ranks import literal_axes
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import Kind

__all__ = ["in_columns", "in_rows", "joined", "stacked"]


def _item_ranks(given: Given) -> list[int]:
    """Ranks of the arrays in a display; none where one of them is no array of known rank."""
    items = given.knowledge.items(given.operands["arrays"]) or ()
    kinds = [given.knowledge.kind_of(item) for item in items]
    if given.kind("arrays") != k.ITEMS or not all(k.is_array(kind) and kind.rank for kind in kinds):
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
    ranks = _item_ranks(given)
    if len(set(ranks)) != 1 or not _names_axis(given, ranks[0] + 1):
        return None
    return k.array(ranks[0] + 1)


def in_rows(given: Given) -> Kind | None:
    ranks = _item_ranks(given)
    return k.array(max(ranks[0], 2)) if len(set(ranks)) == 1 else None


def in_columns(given: Given) -> Kind | None:
    return k.array(2) if set(_item_ranks(given)) in ({1}, {2}) else None
