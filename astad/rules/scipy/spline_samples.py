"""Values of a spline image at points between its entries: what each point takes from which entry.

A point is mapped into the image by the mode, sees ``order + 1`` entries along each axis, and those
beyond the edge are again found by the mode.

>>> b_spline(np.array(0.5), 2)
[np.float64(0.125), np.float64(0.75), np.float64(0.125)]
>>> one = taps(np.array([0.25, 2.9]), 3, 1, MODES["constant"])
>>> one.index.tolist(), one.weight.tolist(), one.dead.tolist()
([[0, 0], [1, 1]], [[0.75, 1.0], [0.25, 0.0]], [False, True])
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.slotted import dataclass

__all__ = [
    "MODES",
    "Taps",
    "b_spline",
    "back_to_constant",
    "back_to_image",
    "back_to_points",
    "taps",
]

MODES = {
    "nearest": 0, "wrap": 1, "reflect": 2, "grid-mirror": 2, "mirror": 3, "constant": 4,
    "grid-wrap": 5, "grid-constant": 6,
}  # fmt: skip
"""SciPy's codes of the modes of interpolation."""

NEAREST, WRAP, REFLECT, _, MIRROR, CONSTANT, GRID_WRAP, GRID_CONSTANT = MODES.values()


@dataclass(frozen=True, slots=True)
class Taps:
    """Along one axis: arrays with ``order + 1`` entries along a first axis before those of the
    points.

    Attributes
    ----------
    index : ndarray of int
        The entries; -1 where there is only the constant.
    weight, slope : ndarray
        What the points take of them, and its derivative by the coordinate.
    dead : ndarray of bool
        Points outside, which have the constant.
    """

    index: Any
    weight: Any
    slope: Any
    dead: Any


def taps(at: Any, n: int, order: int, mode: int) -> Taps:
    """What points at these coordinates take of a line of n entries."""
    at, sign, dead = mapped(np.asarray(at, float), n, mode)
    shifted = at + 0.5 * (1 - order % 2)
    start = np.floor(shifted)
    u = shifted - start
    below = [0.0, *b_spline(u, order - 1), 0.0] if order else []
    slopes = [sign * (below[j] - below[j + 1]) for j in range(order + 1)] if order else [0.0 * u]
    places = np.stack([start.astype(np.intp) - order // 2 + j for j in range(order + 1)])
    return Taps(beyond(places, n, mode), np.stack(b_spline(u, order)), np.stack(slopes), dead)


def b_spline(u: Any, order: int) -> list[Any]:
    """The weights of the entries, by the recursion of B-splines; u from 0 to 1.

    Source: de Boor 1978, A Practical Guide to Splines, X.
    """
    weights: list[Any] = [1.0 + 0 * u]
    for n in range(1, order + 1):
        below = [0.0, *weights, 0.0]
        weights = [((u + n - j) * below[j] + (1 - u + j) * below[j + 1]) / n for j in range(n + 1)]
    return weights


def mapped(at: Any, n: int, mode: int) -> tuple[Any, Any, Any]:
    """Coordinates inside the image, the sign of their change, and which of them are outside."""
    low, high = at < 0, at > n - 1
    out = low | high
    if mode in (NEAREST, GRID_CONSTANT):
        return at, np.ones(at.shape), np.zeros(at.shape, bool)
    if mode == CONSTANT:
        return np.where(out, 0.0, at), np.where(out, 0.0, 1.0), out
    alive = np.zeros(at.shape, bool)
    if n <= 1:
        return np.zeros(at.shape), np.where(out, 0.0, 1.0), alive
    if mode in (WRAP, GRID_WRAP):
        period = n - 1 if mode == WRAP else n
        first = -at / period if mode == WRAP else (-1 - at) / period
        inner = np.where(low, at + period * (np.trunc(first) + 1), at)
        inner = np.where(high, at - period * np.trunc(at / period), inner)
        return inner, np.ones(at.shape), alive
    period, turn = (2 * n, 1) if mode == REFLECT else (2 * n - 2, 0)
    turned = at % period
    back = turned >= n
    inner = np.where(out, np.where(back, period - turn - turned, turned), at)
    return inner, np.where(out & back, -1.0, 1.0), alive


def beyond(places: Any, n: int, mode: int) -> Any:
    """The entries found at whole coordinates; -1 for the constant."""
    if mode == GRID_CONSTANT:
        return np.where((places >= 0) & (places < n), places, -1)
    if n <= 1:
        return 0 * places
    if mode == NEAREST:
        return np.clip(places, 0, n - 1)
    if mode == GRID_WRAP:
        return places % n
    period, turn = (2 * n, 1) if mode == REFLECT else (2 * n - 2, 0)
    turned = places % period
    return np.where(turned < n, turned, period - turn - turned)


def combined(along: Sequence[Taps], axis: int | None, of: Sequence[int]) -> Any:
    """For each choice of an entry along every axis: where it is, whether it is the constant, what
    it counts; along `axis` the slope of that.
    """
    steps = [int(np.prod(of[k + 1 :])) for k in range(len(of))]
    for choice in itertools.product(*[range(len(each.index)) for each in along]):
        chosen = [each.index[j] for each, j in zip(along, choice, strict=True)]
        parts = [
            (each.slope if k == axis else each.weight)[j]
            for k, (each, j) in enumerate(zip(along, choice, strict=True))
        ]
        weight = parts[0]
        for part in parts[1:]:
            weight = weight * part
        constant = chosen[0] < 0
        for places in chosen[1:]:
            constant = constant | (places < 0)
        flat = sum(np.maximum(places, 0) * step for places, step in zip(chosen, steps, strict=True))
        yield flat, constant, weight


def alive(y_bar: Any, along: Sequence[Taps]) -> Any:
    """The cotangent, 0 at points outside."""
    for each in along:
        y_bar = np.where(each.dead, 0.0, y_bar)
    return y_bar


def back_to_image(y_bar: Any, along: Sequence[Taps], of: Sequence[int]) -> Any:
    """The cotangent of the entries."""
    g = alive(y_bar, along)
    total = np.zeros(int(np.prod(of)))
    for flat, constant, weight in combined(along, None, of):
        share = np.where(constant, 0.0, g * weight)
        flat = np.broadcast_to(flat, share.shape)
        total = total + np.bincount(flat.ravel(), share.ravel(), len(total))
    return np.reshape(total, of)


def back_to_points(y_bar: Any, along: Sequence[Taps], image: Any, cval: Any) -> list[Any]:
    """The cotangents of the coordinates, one array an axis."""
    g = alive(y_bar, along)
    entries = np.ravel(image)
    found = []
    for axis in range(len(along)):
        total = np.zeros(np.shape(y_bar))
        for flat, constant, weight in combined(along, axis, np.shape(image)):
            total = total + weight * np.where(constant, cval, entries[flat])
        found.append(g * total)
    return found


def back_to_constant(y_bar: Any, along: Sequence[Taps], of: Sequence[int], mode: int) -> Any:
    """The cotangent of the constant beyond the edges."""
    if mode == CONSTANT:
        return np.sum(y_bar - alive(y_bar, along))
    if mode != GRID_CONSTANT:
        return 0.0
    return sum(
        np.sum(np.where(constant, y_bar * weight, 0.0))
        for _, constant, weight in combined(along, None, of)
    )
