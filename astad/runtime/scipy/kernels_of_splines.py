"""Kernels of scipy.interpolate that write into an argument, and splines through points."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.interpolate._rgi import _ndim_coords_from_arrays

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Record, Value, callbacks, full
from astad.runtime.core.listings import deliver, hold
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import aliases_any
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused

__all__: list[str] = []


# --- points as one array --------------------------------------------------------------------------


@full(_ndim_coords_from_arrays)
def coordinates(versions: Versions, points: Value, ndim: Value = None) -> tuple[Value, Record]:
    """An array is handed back, or a view of it; of coordinates one by one an array is made."""
    y = _ndim_coords_from_arrays(points, ndim)
    if aliases_any(y, (points,)):
        return y, None  # it has its part of the shadow
    return callbacks.call(versions, gathered, points, ndim)


def gathered(points: Value, ndim: Value) -> Value:
    """The same in Python.

    >>> gathered(([0.5, 1.5], 2.0), 2)
    array([[0.5, 2. ],
           [1.5, 2. ]])
    """
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        each = np.broadcast_arrays(*points)
        found = np.empty((*each[0].shape, len(points)))
        for k in range(len(points)):
            found[..., k] = each[k]
        return found
    points = np.asanyarray(points)
    if points.ndim == 1:
        points = points.reshape(-1, 1 if ndim is None else ndim)
    return points


# --- splines through points: linear in the values ------------------------------------------------


@full(make_interp_spline, names="x y k t bc_type axis check_finite")
def interpolated_forward(
    versions: Versions, x: Value, y: Value, k: int = 3, t: Value = None, bc_type: Value = None,
    axis: int = 0, check_finite: bool = True,
) -> tuple[Value, Record]:  # fmt: skip
    if not (bc_type is None or (issubclass(type(bc_type), str) and bc_type != "periodic")):
        raise Unsupported(
            "make_interp_spline",
            "a spline that is periodic, or with derivatives given at its ends",
            why="the rule has the values alone",
            instead="use natural or clamped ends",
        )
    spline = make_interp_spline(x, y, k, t, bc_type, axis, check_finite)
    points = np.array(x), None if t is None else np.array(t), bc_type
    given = [hold(versions, value, False) for value in (x, y, t)]
    return spline, (pull_interpolated, spline.c, np.shape(y), k, axis, points, given)


def pull_interpolated(
    shadows: Shadows, y_bar: Value, c: Value, of: Value, k: int, axis: int, points: Value,
    given: Value,
) -> dict[str, Value]:  # fmt: skip
    g = shadows.take(c)
    if g is None:
        return {}
    x, t, bc_type = points
    refused = Refused(
        Unsupported(
            "make_interp_spline",
            "a derivative by the points or knots of a spline",
            why="there is a rule for the values and for where it is evaluated",
            instead="hold the points constant",
        )
    )
    bars: list[Value] = [refused, g, refused]
    if type(g) is not Refused:
        matrix = make_interp_spline(x, np.eye(len(x)), k, t, bc_type).c
        rows = matrix.T @ g.reshape(len(g), -1)
        bars[1] = np.moveaxis(rows.reshape(len(x), *g.shape[1:]), 0, axis).reshape(of)
    names = ("x", "y", "t")
    pairs = zip(names, given, bars, strict=True)
    return {name: deliver(shadows, to, bar, "make_interp_spline") for name, to, bar in pairs}
