"""Kinds of products of arrays and of what linear algebra makes of matrices.

>>> from astad.compiler.analysis.given import Given, Knowledge
>>> knowledge = Knowledge({"m": k.array(2), "v": k.array(1)}.get, {}, {})
>>> dot(Given({"a": "m", "b": "v"}, {}, knowledge)).text
'ndarray1'
"""

from __future__ import annotations

from astad.compiler.analysis.given import Given
from astad.compiler.analysis.ranks import rank_of, ranks_of, reduced_to
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import FLOATING, Kind

__all__ = [
    "cross", "determinant", "dot", "einsum", "inner", "kron", "outer", "product", "solution",
    "vdot",
]  # fmt: skip


def dot(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    if ranks is None:
        return None
    return reduced_to(ranks[0] - 1 if ranks[1] == 1 else ranks[0] + ranks[1] - 2)


def product(given: Given) -> Kind | None:
    """``matmul``: a vector takes an axis away."""
    ranks = ranks_of(given, "a", "b")
    return reduced_to(max(ranks) - (min(ranks) == 1)) if ranks else None


def outer(given: Given) -> Kind | None:
    return k.array(2) if ranks_of(given, "a", "b") else None


def inner(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    return reduced_to(sum(ranks) - 2) if ranks else None


def vdot(given: Given) -> Kind | None:
    return FLOATING if ranks_of(given, "a", "b") else None


def kron(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    return k.array(max(ranks)) if ranks else None


def solution(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    return k.array(ranks[1]) if ranks in ((2, 1), (2, 2)) else None


def cross(given: Given) -> Kind | None:
    """``np.linalg.cross``, of vectors in space alone."""
    ranks = ranks_of(given, "a", "b")
    return k.array(max(ranks)) if ranks else None


def determinant(given: Given) -> Kind | None:
    rank = rank_of(given)
    return reduced_to(rank - 2) if rank is not None and rank >= 2 else None


def einsum(given: Given) -> Kind | None:
    """``einsum`` with subscripts spelled out; that of one operand may be a view."""
    text, operands = given.literal("subscripts"), given.operands.get("operands", ())
    if len(operands) < 2 or type(text) is not str or text.count("->") != 1 or "." in text:
        return None
    wanted, _, result = text.replace(" ", "").partition("->")
    kinds = [given.knowledge.kind_of(operand) for operand in operands]
    if not all(k.is_array(kind) and kind.rank for kind in kinds):
        return None
    if [len(part) for part in wanted.split(",")] != [kind.rank for kind in kinds]:
        return None
    return reduced_to(len(result))
