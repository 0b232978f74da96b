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
    "cross", "determinant", "dot", "einsum", "has_einsum_parts", "inner", "kron", "letters",
    "outer", "power", "product", "solution", "spectrum", "tensordot", "vdot",
]  # fmt: skip


def _of_product(given: Given) -> tuple[int, ...] | None:
    """Ranks of two operands, of which one may be an array of whole numbers made here."""
    kinds = [given.kind(name) or k.UNKNOWN for name in ("a", "b")]
    known = all(kind.rank and (k.is_array(kind) or kind.tag == "counts") for kind in kinds)
    return (
        tuple(kind.rank or 0 for kind in kinds) if known and any(map(k.is_array, kinds)) else None
    )


def dot(given: Given) -> Kind | None:
    ranks = _of_product(given)
    if ranks is None:
        return None
    return reduced_to(ranks[0] - 1 if ranks[1] == 1 else ranks[0] + ranks[1] - 2)


def product(given: Given) -> Kind | None:
    """``matmul``: a vector takes an axis away."""
    ranks = _of_product(given)
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


def tensordot(given: Given) -> Kind | None:
    """Over a literal number of axes."""
    ranks, axes = ranks_of(given, "a", "b"), given.literal("axes")
    if ranks is None or type(axes) is not int or not 0 <= axes <= min(ranks):
        return None
    rank = sum(ranks) - 2 * axes
    return k.array(rank) if rank else None


def einsum(given: Given) -> Kind | None:
    """``einsum`` with subscripts spelled out; that of one operand may be a view."""
    operands = given.operands.get("operands", ())
    found = letters(given)
    if found is None:
        return None
    kinds = [given.knowledge.kind_of(operand) for operand in operands]
    if not all(k.is_array(kind) and kind.rank for kind in kinds):
        return None
    if [len(part) for part in found[0]] != [kind.rank for kind in kinds]:
        return None
    return reduced_to(len(found[1]))


def letters(given: Given) -> tuple[list[str], str] | None:
    """Letters of each operand of ``einsum``, and of the result."""
    text, operands = given.literal("subscripts"), given.operands.get("operands", ())
    if len(operands) < 2 or type(text) is not str or text.count("->") != 1 or "." in text:
        return None
    wanted, _, result = text.replace(" ", "").partition("->")
    return wanted.split(","), result


def spectrum(given: Given) -> Kind | None:
    """Of a matrix its eigenvalues or singular values; of a stack those of each."""
    rank = rank_of(given) or 0
    return k.array(rank - 1) if rank >= 2 else None


def power(given: Given) -> Kind | None:
    rank = rank_of(given) or 0
    return k.array(rank) if rank >= 2 and given.kind("n") == k.INT else None


def has_einsum_parts(given: Given) -> bool:
    """Is the cotangent of each operand an ``einsum`` of the others: do all its letters come in
    them or in the result, and none twice?
    """
    found = letters(given)
    if found is None or given.literal("optimize") not in (True, False):
        return False
    terms, out = found
    for at, term in enumerate(terms):
        others = out + "".join(terms[:at] + terms[at + 1 :])
        if len(set(term)) != len(term) or not set(term) <= set(others):
            return False
    return True
