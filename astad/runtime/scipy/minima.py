"""Minima of scipy.optimize, by the implicit function theorem at the solution.

At a minimum the gradient g(x; p) of the objective is zero. With the cotangent of x: solve H z =
x_bar for H = dg/dx, then p_bar is -z . dg/dp. Where the user gives the gradient (``jac=``), that
function is the equation. Else the gradients are those of astad, at x and at points beside it: H and
dg/dp are their central differences of fourth order (to about ten digits), so that no second
derivative is asked of the user's function. Components that a bound holds stay where they are.

>>> from scipy import optimize
>>> from astad import gradient
>>> def lowest(a):
...     return optimize.minimize(lambda x: (x[0] - a) ** 2 + a * x[0], [0.0]).x[0]
>>> round(float(gradient(lowest, 3.0)[0]), 6)
0.5
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from astad.runtime.core.full_rules import Value
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.scipy.recorded import (
    Array,
    Point,
    at_point,
    not_there,
    part_of_point,
    pull_back,
    texts_of,
)
from astad.runtime.scipy.roots import CLOSE
from astad.tangents.add import add

__all__ = ["Minimum", "at_minimum", "flat", "pull_minimum", "sum_of_parts"]

STENCIL = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))
"""Steps and weights of the central difference of fourth order."""

Seed = Callable[[Array], Array]
"""From the value of the user's function to the cotangent that gives the objective's gradient."""


class Minimum(NamedTuple):
    """Recorded calls at the solution and, for each free component, beside it."""

    centre: Point
    beside: list[list[Point]]
    steps: Array
    free: Array
    seed: Seed


def flat(value: Value) -> Array:
    return np.ravel(np.asarray(value))


def one(value: Array) -> Array:
    """The objective is the value itself."""
    return np.ones(value.size)


def at_minimum(
    versions: Versions, fn: Value, x: Value, args: tuple[Value, ...], free: Array, seed: Seed,
    pick: int | None = None, keywords: dict[str, Value] | None = None,
) -> Minimum:  # fmt: skip
    """Record the calls that a derivative needs."""
    steps = 1e-3 * np.maximum(np.abs(flat(x)), 1e-2)
    texts = texts_of(versions, fn, x, args, pick, keywords)

    def point(at: Value) -> Point:
        return at_point(versions, fn, at, args, pick, keywords=keywords, texts=texts)

    def moved(k: int, by: float) -> Value:
        if not issubclass(type(x), np.ndarray):
            return x + by
        at = np.array(x, float)
        at.reshape(-1)[k] += by
        return at

    with np.errstate(all="ignore"):
        beside = [
            [point(moved(k, by * steps[k])) for by, _ in STENCIL] if free[k] else []
            for k in range(steps.size)
        ]
    return Minimum(point(x), beside, steps, free, seed)


def gradient_at(point: Point, seed: Seed) -> Array:
    return part_of_point(point, seed(flat(point.value)))


def hessian(minimum: Minimum) -> Array:
    """Of the free components."""
    rows = []
    for k in np.flatnonzero(minimum.free):
        near = zip(STENCIL, minimum.beside[k], strict=True)
        parts = [w * gradient_at(point, minimum.seed) for (_, w), point in near]
        rows.append(sum(parts) / minimum.steps[k])
    found: Array = np.array(rows)[:, minimum.free]
    return np.asarray((found + found.T) / 2)


def pull_minimum(
    shadows: Shadows, what: str, minimum: Minimum, x_bar: Array, value_bar: Array | None
) -> list[Value]:
    """Parts of what comes behind x.

    Parameters
    ----------
    x_bar : ndarray
        The cotangent of the solution, flat.
    value_bar : ndarray or None
        That of the value of the user's function there.
    """
    parts: list[Value] = []
    if value_bar is not None:
        x_bar = x_bar + part_of_point(minimum.centre, value_bar)
        parts = pull_back(shadows, minimum.centre, value_bar)
    free = minimum.free
    if np.any(x_bar[free]):
        z = _solved(what, minimum, x_bar[free])
        for k, z_k in zip(np.flatnonzero(free), z, strict=True):
            for (_, weight), point in zip(STENCIL, minimum.beside[k], strict=True):
                seed = minimum.seed(flat(point.value)) * (-z_k * weight / minimum.steps[k])
                parts = sum_of_parts(parts, pull_back(shadows, point, seed))
    return parts


def sum_of_parts(parts: list[Value], more: list[Value]) -> list[Value]:
    """Cotangents of the same operands, added; an empty list stands for none."""
    if not more:
        return parts
    return [add(a, b) for a, b in zip(parts, more, strict=True)] if parts else more


def _solved(what: str, minimum: Minimum, x_bar: Array) -> Array:
    curvature, slope = hessian(minimum), gradient_at(minimum.centre, minimum.seed)[minimum.free]
    try:
        step, z = np.linalg.solve(curvature, slope), np.linalg.solve(curvature, x_bar)
    except np.linalg.LinAlgError:
        step = z = np.full_like(x_bar, np.nan)
    if not np.all(np.isfinite(z)):
        raise not_there(
            what, "the second derivative of the objective is singular, or not finite, there",
            "minimise a function with a single, curved minimum",
        )  # fmt: skip
    x = flat(minimum.centre.x)[minimum.free]
    if np.linalg.norm(step) > CLOSE * (np.linalg.norm(x) + 1e-1):
        raise not_there(
            what, "the solver has not converged: the gradient is not zero there",
            "tighten its tolerance, or start closer",
        )  # fmt: skip
    return z
