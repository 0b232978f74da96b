"""Roots of scipy.optimize, by the implicit function theorem at the solution.

With F(x; p) = 0, and the cotangent of x: solve J^T z = x_bar for J = dF/dx, then p_bar is that of
F for the cotangent -z. F is called once more, at the solution, to be recorded. The start, the
bracket and the tolerances have no derivative. Source: Krantz and Parks 2003, theorem 3.3.1.

>>> import math
>>> from scipy import optimize
>>> from astad import gradient
>>> def half_life(rate):
...     return optimize.brentq(lambda t: math.exp(-rate * t) - 0.5, 0.0, 100.0)
>>> round(gradient(half_life, 0.25)[0], 9), round(-math.log(2) / 0.25**2, 9)
(-11.090354889, -11.090354889)
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from scipy import optimize

from astad.errors import AstadError
from astad.runtime.calls.custom_calls import total
from astad.runtime.core.full_rules import Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.scipy.recorded import (
    Array,
    Handed,
    Point,
    announce,
    at_point,
    deliver_args,
    handed_out,
    jacobian,
    not_there,
    pull_back,
    refuse_arrived,
    refuse_through,
    texts_of,
)
from astad.runtime.unseen.unrecorded import watch_rules
from astad.tangents.add import add

__all__ = ["arrived_in_result", "solve_adjoint"]

Cotangents = dict[str, Value]
CLOSE = 1e-3
"""A Newton step from a solution is at most this part of its size, or it is none."""


def solve_adjoint(what: str, slopes: Array, residual: Array, x: Array, x_bar: Array) -> Array:
    """``z`` of ``slopes.T @ z = x_bar``.

    Raises
    ------
    Unsupported : where there is no unique solution nearby, or x is none.
    """
    if slopes.shape[0] != slopes.shape[1]:
        raise not_there(
            what, f"there are {slopes.shape[0]} equations for {slopes.shape[1]} unknowns",
            "use a least-squares solver",
        )  # fmt: skip
    try:
        step = np.linalg.solve(slopes, residual)
        found = np.linalg.solve(slopes.T, x_bar)
    except np.linalg.LinAlgError:
        step = found = np.full_like(x_bar, np.nan)
    if not np.all(np.isfinite(found)):
        raise not_there(
            what, "the derivative of the equation is singular, or not finite, at the solution",
            "solve an equation with a simple root",
        )  # fmt: skip
    if np.linalg.norm(step) > CLOSE * (np.linalg.norm(x) + 1e-2):
        raise not_there(
            what, "the solver has not converged", "tighten its tolerance, or start closer"
        )
    return found


def arrived_in_result(
    shadows: Shadows, what: str, y: Value, y_bar: Value, keys: tuple[str, ...]
) -> dict[str, Value]:
    """Cotangents that have come to parts of a solver's result: to the solution under the first of
    `keys`, whether it stands alone, first in a tuple, or in a result object with these keys; ``y``
    is what `handed_out` made of the result.
    """
    if not isinstance(y, Handed):
        return {keys[0]: total(shadows, y, y_bar)}
    if issubclass(type(y.owner), dict):
        found = {}
        for key, value in y.parts.items():
            part = shadows.key_take(y.owner, key)
            if key in keys:
                found[key] = total(shadows, value, part)
            else:
                refuse_arrived(shadows, f"{what}: {key}", value, part)
        return found
    found = {keys[0]: total(shadows, y.parts[0], shadows.slot_take(y.owner, 0))}
    for at, value in list(y.parts.items())[1:]:
        if isinstance(value, Handed) and value.parts.get(keys[0]) is not None:
            inner = arrived_in_result(shadows, what, value, None, keys)[keys[0]]
            found[keys[0]] = add(found[keys[0]], inner)
        else:
            whole = value.owner if isinstance(value, Handed) else value
            refuse_arrived(shadows, f"{what}: item {at}", whole, shadows.slot_take(y.owner, at))
    return found


def solution_of(y: Value, keys: tuple[str, ...]) -> Value:
    if issubclass(type(y), dict):
        return y[next(key for key in keys if key in y)]
    return y[0] if issubclass(type(y), tuple) else y


def _declare(solver: Value, function: str, fixed: bool = False) -> None:
    """A rule for a solver of ``function(x, *args) = 0``; of ``= x`` for a fixed point."""
    shape = signature(solver)
    keys = ("root", "x")

    @full(solver, names=" ".join(shape.parameters))
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        given: dict[str, Any] = dict(shape.bind(*args, **keywords).arguments)
        fn, more = given[function], given.get("args", ())
        announce(versions, fn, more if issubclass(type(more), tuple) else (more,))
        y = solver(*args, **keywords)
        both = any(given.get(name) is True for name in ("fprime", "fprime2", "jac"))
        flat = more if issubclass(type(more), tuple) else (more,)
        x, pick = solution_of(y, keys), 0 if both else None
        texts = texts_of(versions, fn, x, flat, pick)
        point = at_point(versions, fn, x, flat, pick, texts=texts)
        return y, (pull_root, solver.__name__, keys, handed_out(y), point, more, fixed)

    watch_rules(solver)


def pull_root(
    shadows: Shadows, y_bar: Value, what: str, keys: tuple[str, ...], y: Value, point: Point,
    args: Value, fixed: bool,
) -> Cotangents | None:  # fmt: skip
    try:
        parts = _pulled(shadows, y_bar, what, keys, y, point, fixed)
    except AstadError as error:
        parts = refuse_through(shadows, point, error)
    return None if parts is None else {"args": deliver_args(shadows, args, parts)}


def _pulled(
    shadows: Shadows, y_bar: Value, what: str, keys: tuple[str, ...], y: Value, point: Point,
    fixed: bool,
) -> list[Value] | None:  # fmt: skip
    arrived = arrived_in_result(shadows, what, y, y_bar, keys)
    bars = [bar for bar in arrived.values() if bar is not None]
    if not bars:
        return None
    x_bar = np.ravel(np.asarray(sum(bars)))
    slopes, x = jacobian(point), np.ravel(np.asarray(point.x))
    residual = np.ravel(np.asarray(point.value))
    if fixed:
        slopes, residual = slopes - np.eye(x.size), residual - x
    z = solve_adjoint(what, slopes, residual, x, x_bar)
    return pull_back(shadows, point, -z)


for _name in ("brentq", "brenth", "bisect", "ridder", "toms748", "root_scalar"):
    _declare(getattr(optimize, _name), "f")
for _name in ("newton", "fsolve"):
    _declare(getattr(optimize, _name), "func")
_declare(optimize.fixed_point, "func", fixed=True)
_declare(optimize.root, "fun")
for _name in (
    "broyden1",
    "broyden2",
    "anderson",
    "newton_krylov",
    "linearmixing",
    "diagbroyden",
    "excitingmixing",
):
    _declare(getattr(optimize, _name), "F")
