"""Rule of ``numpy.einsum`` with subscripts as text.

The cotangent of an operand is the einsum of the result's with the other operands, to its letters.

>>> letters("i...,j", [3, 1])
(['iAB', 'j'], 'ABij')
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import broadcast_to, einsum, ndim, reshape, shape

from astad.rules.numpy.products import bar
from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.registry import Keywords, linear
from astad.tangents.arrays import sum_to_shape

SPARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def letters(subscripts: str, ranks: list[int]) -> tuple[list[str], str]:
    """Letters of each operand and of the result, an ellipsis written out."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    spare = [each for each in SPARE if each not in subscripts]
    hidden = 0
    for k in range(len(terms)):
        if "..." in terms[k]:
            hidden = max(hidden, ranks[k] - len(terms[k]) + 3)
    dots = "".join(spare[:hidden])
    named = []
    for k in range(len(terms)):
        width = ranks[k] - len(terms[k]) + 3
        named.append(terms[k].replace("...", dots[len(dots) - width :]))
    if arrow:
        return named, right.replace("...", dots)
    every = left.replace("...", "").replace(",", "")
    return named, dots + "".join([each for each in sorted(set(every)) if every.count(each) == 1])


def operand_back(
    y_bar: Any, terms: list[str], out: str, operands: Any, k: int, optimize: Any
) -> Any:
    """Cotangent of the k-th operand."""
    of = shape(operands[k])
    mine = "".join(dict.fromkeys(terms[k]))
    others = [j for j in range(len(terms)) if j != k]
    known = out + "".join([terms[j] for j in others])
    reached = "".join([each for each in mine if each in known])
    text = ",".join([out] + [terms[j] for j in others]) + "->" + reached
    g = einsum(text, y_bar, *[bar(operands[j]) for j in others], optimize=bool(optimize))
    if reached == terms[k] and shape(g) == of:
        return g
    lengths = dict(zip(terms[k], of, strict=True))
    there = dict(zip(reached, shape(g), strict=True))
    g = reshape(g, [there.get(each, 1) for each in mine])
    small = tuple([lengths[each] for each in mine])
    g = broadcast_to(
        sum_to_shape(g, tuple([1 if lengths[each] == 1 else there.get(each, 1) for each in mine])),
        small,
    )
    if len(mine) == len(terms[k]):
        return g
    return scattered(g, einsum(terms[k] + "->" + mine, numbered(of)), of)


def einsum_back(y_bar: Any, subscripts: str, operands: Any, optimize: Any) -> list[Any]:
    """Cotangents of all operands."""
    terms, out = letters(subscripts, [ndim(each) for each in operands])
    return [operand_back(y_bar, terms, out, operands, k, optimize) for k in range(len(terms))]


def einsum_dot(subscripts: str, operands: Any, dots: Any, optimize: Any) -> Any:
    """Tangent: one operand at a time replaced by its own."""
    total: Any = 0.0
    for k in range(len(operands)):
        replaced = [*operands[:k], dots[k], *operands[k + 1 :]]
        total = total + einsum(subscripts, *replaced, optimize=optimize)
    return total


def fitted(g: Any, of: tuple[int, ...]) -> Any:
    """A cotangent in the shape of its operand, of which axes of length 1 were repeated, or whose
    axes were summed with such of the others.

    >>> fitted(np.ones((2, 3)), (1, 3)), fitted(np.ones((1, 2)), (2, 2)).shape
    (array([[2., 2., 2.]]), (2, 2))
    """
    g = sum_to_shape(g, of)
    return g if shape(g) == of else broadcast_to(g, of)


linear(
    np.einsum,
    "subscripts, *operands, optimize=False, dtype=None, order='K', casting='safe'",
    operands="einsum_back(y_bar, subscripts, operands, optimize)",
    dot="einsum_dot(subscripts, operands, operands_dot, optimize)",
    refuse="not isinstance(subscripts, str)",
    gives="einsum(subscripts, operands, optimize)",
    entries="whole",
    source="product rule on the sum over products",
    examples=lambda: [
        ("ij,jk->ik", real(2, 3), real(3, 4)),
        ("ij,jk", real(2, 3), real(3, 4)),
        ("ba", real(2, 3)),
        ("ii", real(3, 3)),
        ("ii->i", real(3, 3)),
        ("iij->j", real(2, 2, 3)),
        ("ij->", real(2, 3)),
        ("i,i,i->i", real(3), real(3, seed=1), real(3, seed=2)),
        ("...ij,...jk->...ik", real(2, 2, 3), real(3, 2)),
        ("...i,...i", real(4, 3), real(3)),
        ("i...->...", real(2, 3)),
        ("ij,kl->k", real(2, 3), real(2, 2)),
        ("ij,ij->j", real(1, 3), real(2, 3)),
        ("ij, jk -> ki", imaginary(2, 3), imaginary(3, 2)),
        ("i,j,k->kji", real(2), real(3), real(2), Keywords(optimize=True)),
        ("iij,j", real(2, 2, 3), real(3)),
        ("...", real(2, 3)),
        ("i,i->", real(3), real(3, seed=1)),
        ("i,i->", real(3), real(3, seed=1), Keywords(optimize=True)),
        ("ij,ji->", real(2, 3), real(3, 2), Keywords(optimize="greedy")),
    ],
)
