"""Which columns of a sparse matrix one sweep may take together: colourings of its pattern.

A colouring gives each column a number, its colour. The sum of the columns of one colour is one
product with the matrix, and from all such sums the matrix is read.

>>> rows, columns = [0, 0, 1, 1, 1, 2, 2], [0, 1, 0, 1, 2, 1, 2]     # a band of three, cut at 3
>>> colours_of_columns(rows, columns, (3, 3)).tolist()
[0, 1, 2]
>>> colours_of_star(rows, columns, 3).tolist()
[0, 1, 0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["colours_of_columns", "colours_of_star"]

Integers = np.ndarray[Any, Any]
Groups = list[list[int]]


def colours_of_columns(rows: ArrayLike, columns: ArrayLike, shape: tuple[int, int]) -> Integers:
    """Two columns of one colour have no row in common: each entry stands alone in the sum.

    Parameters
    ----------
    rows, columns : array of int, shape (entries,)
        Where the pattern has an entry, each once.
    shape : (int, int)
        Numbers of rows and columns.

    Returns
    -------
    array of int, shape (shape[1],)
        Colours from 0; those of columns without an entry are -1.

    Notes
    -----
    Greedy, in the order of the columns and from the fullest to the emptiest; the better of the two
    is taken. Source: Curtis, Powell and Reid 1974; as a colouring at distance two: Coleman and Moré
    1983. Sets of colours are ints, a bit for each, so that time goes with the entries.
    """
    held = _groups(columns, rows, shape[1])
    fewest = max(np.bincount(np.asarray(rows, np.int64), minlength=1))
    return _better(held, lambda order: _at_distance_two(order, held, shape[0]), int(fewest))


def colours_of_star(rows: ArrayLike, columns: ArrayLike, size: int) -> Integers:
    """For a symmetric pattern: neighbours differ, and a path of four has three colours or more.

    So the vertices of any two colours are stars, and of an entry ``(i, j)`` either ``j`` is the one
    neighbour of ``i`` of its colour, or ``i`` is that of ``j``: the entry stands alone in one of
    the two rows.

    Parameters
    ----------
    rows, columns : array of int, shape (entries,)
        Where the pattern has an entry, each once, and with ``(i, j)`` also ``(j, i)``.
    size : int
        The number of rows.

    Returns
    -------
    array of int, shape (size,)
        Colours from 0; those of rows without an entry are -1.

    Notes
    -----
    Greedy, as `colours_of_columns`. Source: Coleman and Moré 1984, who call it a path colouring;
    the stars are kept as they grow, as by Gebremedhin, Tarafdar, Manne and Pothen 2007.
    """
    first, second = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
    apart = first != second
    beside = _groups(first[apart], second[apart], size)
    found = _better(beside, lambda order: _by_stars(order, beside), _fewest_of_stars(beside))
    alone = np.bincount(first, minlength=size) == 0
    found[alone] = -1
    return found


def _fewest_of_stars(beside: Groups) -> int:
    """Three where an edge has others at both ends: a path of four, or a triangle."""
    longer = (len(beside[near]) > 1 for each in beside if len(each) > 1 for near in each)
    return 3 if any(longer) else 2 if any(beside) else 1


def _groups(keys: ArrayLike, values: ArrayLike, count: int) -> Groups:
    """For each key from 0 its values."""
    by = np.asarray(keys, np.int64)
    order = np.argsort(by, kind="stable")
    ends = [0, *np.cumsum(np.bincount(by, minlength=count)).tolist()]
    every = np.asarray(values, np.int64)[order].tolist()
    return [every[start:end] for start, end in pairwise(ends)]


def _better(
    groups: Groups, coloured: Callable[[Sequence[int]], list[int]], fewest: int
) -> Integers:
    """In the order given, which is best for a band; or, where that takes more than the fewest that
    are thinkable, from the fullest on, which is best for a hub.
    """
    found = coloured(range(len(groups)))
    if max(found, default=0) >= fewest:
        other = coloured(sorted(range(len(groups)), key=lambda at: -len(groups[at])))
        found = min(found, other, key=lambda each: max(each, default=0))
    return np.array(found, np.int64)


def _at_distance_two(order: Sequence[int], held: Groups, height: int) -> list[int]:
    used = [0] * height  # the colours that a row has
    colours = [-1] * len(held)
    for column in order:
        taken = 0
        for row in held[column]:
            taken |= used[row]
        bit = _lowest_free(taken)
        for row in held[column]:
            used[row] |= bit
        if held[column]:
            colours[column] = bit.bit_length() - 1
    return colours


def _by_stars(order: Sequence[int], beside: Groups) -> list[int]:
    size = len(beside)
    bits = [0] * size  # the colour of each vertex; none yet
    once, twice = [0] * size, [0] * size  # colours that one of its neighbours has, and two have
    hubs = [0] * size  # colours of the hubs of stars in which it is not the only leaf
    leaves: dict[tuple[int, int], int] = {}  # the first neighbour of a vertex of a colour
    for vertex in order:
        taken = once[vertex]
        for near in beside[vertex]:
            taken |= hubs[near]  # vertex - leaf - hub - leaf
            if bits[near] & twice[vertex]:
                taken |= once[near]  # leaf - vertex - leaf - another
        bit = bits[vertex] = _lowest_free(taken)
        for near in beside[vertex]:
            if bits[near] & twice[vertex]:
                hubs[near] |= bit
            if not once[near] & bit:
                once[near] |= bit
                leaves[near, bit] = vertex
                continue
            hubs[vertex] |= bits[near]
            hubs[leaves[near, bit]] |= bits[near]
            twice[near] |= bit
    return [bit.bit_length() - 1 for bit in bits]


def _lowest_free(taken: int) -> int:
    return ~taken & (taken + 1)
