"""`odeint` and `solve_ivp` with the methods of which the source cannot be differentiated.

The explicit methods and BDF are differentiated as written; LSODA is compiled code, and of Radau
the roots of its step control have no derivative. Source: `trajectories`.
"""

from __future__ import annotations

from inspect import signature
from types import FunctionType
from typing import Any

import numpy as np
from scipy import integrate

from astad.errors import AstadError, Unsupported
from astad.runtime.calls.custom_calls import total
from astad.runtime.core.full_rules import Record, Value, callbacks, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.scipy.recorded import (
    Handed,
    announce,
    deliver_args,
    handed_out,
    refuse_arrived,
)
from astad.runtime.scipy.trajectories import Trajectory, follow, give_start, pull_trajectory
from astad.runtime.unseen.additional import put_back
from astad.runtime.unseen.unrecorded import watch_rules
from astad.tangents.zero import has_identity

__all__: list[str] = []

Cotangents = dict[str, Value]
ADJOINT = ("Radau", "LSODA", integrate.Radau, integrate.LSODA)
_IVP, _ODEINT = signature(integrate.solve_ivp), signature(integrate.odeint)
_SOURCE = FunctionType(
    integrate.solve_ivp.__code__, integrate.solve_ivp.__globals__, "solve_ivp",
    integrate.solve_ivp.__defaults__, integrate.solve_ivp.__closure__,
)  # fmt: skip
_SOURCE.__module__ = integrate.solve_ivp.__module__


def tuple_of(args: Value) -> tuple[Value, ...]:
    return () if args is None else args if isinstance(args, tuple) else (args,)


@full(integrate.solve_ivp, names="fun t_span y0 method t_eval dense_output events vectorized args")
def solve_ivp(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    bound = _IVP.bind(*args, **keywords)
    given: dict[str, Any] = dict(bound.arguments)
    if given.get("method", "RK45") not in ADJOINT:
        y, record = callbacks.call(versions, _SOURCE, *args, **keywords)
        return y, None if record is None else (pull_source, record, len(args), tuple(keywords))
    fn, more = given["fun"], tuple_of(given.get("args"))
    announce(versions, fn, more)
    bound.arguments["dense_output"] = True
    y = integrate.solve_ivp(*bound.args, **bound.kwargs)
    sol = y.sol
    if not given.get("dense_output"):
        y["sol"] = None
    if given.get("events") is not None or given.get("vectorized"):
        found: Trajectory | AstadError = Unsupported(
            "scipy.integrate.solve_ivp", "events= and vectorized= with this method",
            why="its adjoint knows neither", instead="use RK45, DOP853 or BDF, or leave them out",
        )  # fmt: skip
    else:
        found = follow(versions, fn, more, sol, np.asarray(y.t))
    return y, (
        pull_ivp,
        handed_out(y),
        found,
        given["y0"],
        given["t_span"],
        given.get("t_eval"),
        given.get("args"),
    )


def pull_source(
    shadows: Shadows, y_bar: Value, record: Record, count: int, words: tuple[str, ...]
) -> Cotangents | None:
    parts = callbacks.pull(shadows, record, y_bar, count + len(words))
    names = (*list(_IVP.parameters)[:count], *words)
    return None if parts is None else dict(zip(names, parts, strict=True))


def pull_ivp(
    shadows: Shadows, y_bar: Value, y: Handed, found: Trajectory | AstadError, y0: Value,
    t_span: Value, t_eval: Value, args: Value,
) -> Cotangents | None:  # fmt: skip
    solution, parts = y
    bars, t_bar = total(shadows, parts["y"], shadows.key_take(solution, "y")), None
    for key, value in parts.items():
        if key == "t":
            t_bar = total(shadows, value, shadows.key_take(solution, key))
        elif key != "y":
            refuse_arrived(shadows, f"solve_ivp: {key}", value, shadows.key_take(solution, key))
    for interpolant in parts["sol"].interpolants if parts["sol"] is not None else ():
        refuse_arrived(shadows, "solve_ivp: sol", interpolant)
    if bars is None and t_bar is None:
        return None
    if isinstance(found, AstadError):
        raise found
    bars = np.zeros_like(parts["y"]) if bars is None else bars
    z, of_args = pull_trajectory(shadows, found, bars.T)
    moved = np.sum(found.slopes * bars.T, axis=1) + (0 if t_bar is None else t_bar)
    ends = [-float(z @ found.start_slope), 0.0]
    if t_eval is not None:
        give_start(shadows, t_eval, moved)
    else:
        ends = [ends[0] + float(moved[0]), float(moved[-1])]
    if has_identity(t_span):
        shadows.add(t_span, np.array(ends) if isinstance(t_span, np.ndarray) else ends)
    return {"y0": give_start(shadows, y0, z), "args": deliver_args(shadows, args, of_args)}


@full(integrate.odeint, names=" ".join(_ODEINT.parameters))
def odeint(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    given: dict[str, Any] = dict(_ODEINT.bind(*args, **keywords).arguments)
    fn, more = given["func"], tuple_of(given.get("args", ()))
    announce(versions, fn, more)
    y = integrate.odeint(*args, **keywords)
    times, y_first = np.asarray(given["t"], float), not given.get("tfirst")

    def turned(t: float, y: Value) -> Value:
        return fn(y, t, *more) if y_first else fn(t, y, *more)

    tolerance = [np.min(given.get(name) or 1.49012e-8) for name in ("rtol", "atol")]
    with put_back(fn, more):  # the same once more, for its interpolant
        path = integrate.solve_ivp(
            turned, (times[0], times[-1]), np.ravel(np.asarray(given["y0"], float)), "LSODA",
            dense_output=True, rtol=tolerance[0], atol=tolerance[1],
        )  # fmt: skip
    found = follow(versions, fn, more, path.sol, times, y_first)
    return y, (pull_odeint, y, found, given["y0"], given["t"], given.get("args", ()))


def pull_odeint(
    shadows: Shadows, y_bar: Value, y: Value, found: Trajectory, y0: Value, t: Value, args: Value
) -> Cotangents | None:
    if isinstance(y, tuple):
        refuse_arrived(shadows, "odeint: its messages", y[1], shadows.slot_take(y, 1))
        y, y_bar = y[0], shadows.slot_take(y, 0)
    bars = total(shadows, y, y_bar)
    if bars is None:
        return None
    z, parts = pull_trajectory(shadows, found, bars)
    moved = np.sum(found.slopes * bars, axis=1)
    moved[0] -= float(z @ found.start_slope)
    give_start(shadows, t, moved)
    return {"y0": give_start(shadows, y0, z), "args": deliver_args(shadows, args, parts)}


watch_rules(integrate.odeint, integrate.solve_ivp)
