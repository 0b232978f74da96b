"""Adjoints of differential equations along a trajectory that a solver of SciPy has found.

With dy/dt = f(t, y; p) and the cotangents of y at the output times, the adjoint z solves

    dz/dt = -J^T z,   J = df/dy,   z jumps by the cotangent of an output where it passes it,

backwards; then y0_bar = z(t0) and p_bar = int (df/dp)^T z dt. On each step of the solver both are
done by Gauss collocation with three stages, of order six and stable for stiff equations, with f
recorded at its nodes on the solver's own interpolant: three calls a step besides the solver's. So
gradients are as accurate as the trajectory, and are not those of the choice of steps.
Source: Hairer, Lubich and Wanner 2006, II.1.3; Sanz-Serna 2016, SIAM Review 58, 3.

>>> from scipy import integrate
>>> from astad import gradient
>>> def left(rate):
...     return integrate.odeint(lambda y, t: -rate * y, [1.0], [0.0, 2.0])[-1, 0]
>>> round(float(gradient(left, 0.5)[0]), 6), round(-2 * float(np.exp(-1)), 6)
(-0.735759, -0.735759)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from astad.runtime.core.full_rules import Value
from astad.runtime.core.seeded import seeded
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.scipy.recorded import Array, Point, at_point, jacobian, pull_back
from astad.runtime.unseen.additional import put_back
from astad.tangents.add import add
from astad.tangents.zero import has_identity

__all__ = ["Step", "Trajectory", "follow", "give_start", "pull_trajectory"]

ROOT = 15**0.5
NODES = np.array([0.5 - ROOT / 10, 0.5, 0.5 + ROOT / 10])
WEIGHTS = np.array([5 / 18, 4 / 9, 5 / 18])
STAGES = np.array([
    [5 / 36, 2 / 9 - ROOT / 15, 5 / 36 - ROOT / 30],
    [5 / 36 + ROOT / 24, 2 / 9, 5 / 36 - ROOT / 24],
    [5 / 36 + ROOT / 30, 2 / 9 + ROOT / 15, 5 / 36],
])  # fmt: skip


class Step(NamedTuple):
    """From one point of the grid to the next: its length and the recorded calls at its nodes."""

    length: float
    points: list[Point]


class Trajectory(NamedTuple):
    """Steps between the points of a grid; which output lies at each, or None; the slopes dy/dt at
    the outputs and at the start; ``place``: of y among the operands of the function.
    """

    steps: list[Step]
    outputs: list[list[int]]
    slopes: Array
    start_slope: Array
    place: int


def follow(
    versions: Versions, fn: Value, args: tuple[Value, ...], sol: Value, times: Array,
    y_first: bool = False,
) -> Trajectory:  # fmt: skip
    """Record what the reverse sweep needs.

    Parameters
    ----------
    fn : callable
        ``fn(t, y, *args)``, or ``fn(y, t, *args)`` if ``y_first``.
    sol : OdeSolution
        The interpolant.
    times : ndarray
        Of the outputs.
    """
    grid = np.unique(np.concatenate([sol.ts, times]))
    if sol.ts[0] > sol.ts[-1]:
        grid = grid[::-1]

    start = sol(float(sol.ts[0]))
    like = (start, 0.0, *args) if y_first else (0.0, start, *args)
    texts = seeded(versions, fn, like)

    def point(t: float) -> Point:
        t = float(t)
        first, more = ((), (t, *args)) if y_first else ((t,), args)
        return at_point(versions, fn, sol(t), more, first=first, texts=texts)

    steps = [
        Step(b - a, [point(a + (b - a) * c) for c in NODES])
        for a, b in zip(grid[:-1], grid[1:], strict=True)
    ]
    outputs = [[int(k) for k in np.flatnonzero(times == t)] for t in grid]

    def slope(t: float) -> Any:
        given = (sol(t), t, *args) if y_first else (t, sol(t), *args)
        with put_back(fn, given):
            return np.ravel(np.asarray(fn(*given)))

    slopes = np.array([slope(float(t)) for t in times]).reshape(len(times), -1)
    return Trajectory(steps, outputs, slopes, slope(float(sol.ts[0])), 0 if y_first else 1)


def pull_trajectory(shadows: Shadows, path: Trajectory, bars: Array) -> tuple[Array, list[Value]]:
    """The cotangent of the start, and the parts of what comes behind t and y.

    Parameters
    ----------
    bars : ndarray, shape (outputs, n)
        Cotangents of y at the output times.
    """
    z = np.zeros(bars.shape[1])
    parts: list[Value] = []
    for at in range(len(path.outputs) - 1, -1, -1):
        for k in path.outputs[at]:
            z = z + bars[k]
        if at > 0 and np.any(z):
            z, parts = _back_over(shadows, path.steps[at - 1], z, path.place, parts)
    return z, parts


def _back_over(
    shadows: Shadows, step: Step, z: Array, place: int, parts: list[Value]
) -> tuple[Array, list[Value]]:
    """The adjoint at the other end of a step: ``Z_i = z + h sum_j (b_j - a_ij) J_j^T Z_j``."""
    h, n, s = step.length, z.size, len(NODES)
    turned = np.array([jacobian(point, place).T for point in step.points])
    mixed = (WEIGHTS - STAGES)[:, None, :, None] * turned.transpose(1, 0, 2)
    system = np.eye(s * n) - h * mixed.reshape(s * n, s * n)
    stages = np.linalg.solve(system, np.tile(z, s)).reshape(s, n)
    for j, point in enumerate(step.points):
        more = pull_back(shadows, point, h * WEIGHTS[j] * stages[j], place)
        more = more if place else more[1:]
        parts = [add(p, q) for p, q in zip(parts, more, strict=True)] if parts else more
    return z + h * np.einsum("j,jab,jb->a", WEIGHTS, turned, stages), parts


def give_start(shadows: Shadows, y0: Value, z: Array) -> Value:
    """The cotangent of the start to what it was given as; by value for a number."""
    if issubclass(type(y0), np.ndarray):
        shadows.add(y0, z.reshape(y0.shape))
    elif has_identity(y0):
        shadows.add(y0, z.tolist())
    else:
        return float(z[0]) if z.size == 1 else None
    return None
