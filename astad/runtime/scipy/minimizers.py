"""The minimisers of scipy.optimize: minimize, minimize_scalar, least_squares, leastsq and fmin's.

Constraints are refused, and so is all that a solver reports besides the solution and the value of
the objective there. Source: `minima`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from astad.errors import AstadError
from astad.runtime.core.full_rules import Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.scipy.minima import (
    Minimum,
    Seed,
    at_minimum,
    flat,
    one,
    pull_minimum,
    sum_of_parts,
)
from astad.runtime.scipy.recorded import (
    Array,
    Point,
    announce,
    at_point,
    deliver_args,
    handed_out,
    jacobian,
    not_there,
    pull_back,
    refuse_through,
)
from astad.runtime.scipy.roots import arrived_in_result, solution_of, solve_adjoint
from astad.runtime.unseen.unrecorded import watch_rules
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

__all__: list[str] = []

Given = dict[str, Any]
Cotangents = dict[str, Value]
LOSS_SLOPES: dict[str, Callable[[Array], Array]] = {
    "linear": np.ones_like,
    "soft_l1": lambda z: (1 + z) ** -0.5,
    "huber": lambda z: np.where(z <= 1, 1.0, np.maximum(z, 1.0) ** -0.5),
    "cauchy": lambda z: 1 / (1 + z),
    "arctan": lambda z: 1 / (1 + z * z),
}
"""Derivatives of the losses of least_squares; `scipy.optimize.least_squares`, Notes."""


HOLDING = ("bounds", "constraints", "x1", "x2")
"""Operands that may hold a component of the solution."""


class Stationary(NamedTuple):
    """Recorded calls of the objective and of the gradient that the user gives."""

    centre: Point
    slopes: Point
    free: Array


def tuple_of(args: Value) -> tuple[Value, ...]:
    return args if issubclass(type(args), tuple) else (args,)


def free_of(x: Value, bounds: Value) -> Array:
    """Which components no bound holds."""
    at = flat(x)
    if bounds is None:
        return np.ones(at.size, bool)
    if hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    else:
        low, high = zip(*[(_limit(a, -np.inf), _limit(b, np.inf)) for a, b in bounds], strict=True)
    low, high = np.broadcast_to(low, at.shape), np.broadcast_to(high, at.shape)
    near = 1e-6 * np.maximum(np.abs(at), 1e-2)
    free: Array = (at - low > near) & (high - at > near)
    return free


def _limit(value: Value, otherwise: float) -> float:
    """A bound as a number; SciPy takes it out of an array of one element, too."""
    return otherwise if value is None else float(np.asarray(value).item())


def held_by_a_bound(what: str) -> AstadError:
    return not_there(
        what, "a bound or a constraint that holds the solution is not differentiated",
        "substitute a variable without bounds",
    )  # fmt: skip


def refuse(shadows: Shadows, error: AstadError, operand: Value) -> Value:
    """What may hold a component of the solution has a derivative that is not known."""
    refused = Refused(error)
    if has_identity(operand):
        shadows.add(operand, refused)
        return None
    return refused if operand is not None else None


# --- minimize and its kin


def _declare(solver: Value, function: str, keys: tuple[str, ...] = ("x",)) -> None:
    """A rule for a minimiser of ``function(x, *args)``."""
    shape = signature(solver)

    @full(solver, names=" ".join(shape.parameters))
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        given: Given = dict(shape.bind(*args, **keywords).arguments)
        fn, more = given[function], given.get("args", ())
        announce(versions, fn, tuple_of(more))
        y = _on_its_own(solver(*args, **keywords))
        found = _recorded(versions, fn, y, given, keys, _bounds_of(solver, given))
        operands = {name: given.get(name) for name in HOLDING if name in shape.parameters}
        return y, (pull_minimized, solver.__name__, keys, handed_out(y), found, more, operands)

    watch_rules(solver)


def _bounds_of(solver: Value, given: Given) -> Value:
    """The bounds of a call, as a pair for each variable or an object."""
    if solver is optimize.fminbound:
        return [(given["x1"], given["x2"])]
    bounds = given.get("bounds")
    return bounds if bounds is None or solver is not optimize.minimize_scalar else [bounds]


def _on_its_own(y: Value) -> Value:
    """The solution apart from what else holds its memory, as the last simplex does."""
    if (
        issubclass(type(y), dict)
        and issubclass(type(y["x"]), np.ndarray)
        and y["x"].base is not None
    ):
        y["x"] = y["x"].copy()
    return y


def _recorded(
    versions: Versions, fn: Value, y: Value, given: Given, keys: tuple[str, ...], bounds: Value
) -> Minimum | Stationary:
    """The calls to be pulled."""
    x, jac = solution_of(y, keys), given.get("jac", given.get("fprime"))
    args, pick = tuple_of(given.get("args", ())), 0 if jac is True else None
    free = free_of(x, bounds)
    if callable(jac) or jac is True:
        slopes = at_point(versions, fn if jac is True else jac, x, args, 1 if jac is True else None)
        return Stationary(at_point(versions, fn, x, args, pick), slopes, free)
    return at_minimum(versions, fn, x, args, free, one, pick)


def pull_minimized(
    shadows: Shadows, y_bar: Value, what: str, keys: tuple[str, ...], y: Value,
    found: Minimum | Stationary, args: Value, operands: dict[str, Value],
) -> Cotangents | None:  # fmt: skip
    bars: Cotangents = {}
    try:
        arrived = arrived_in_result(shadows, what, y, y_bar, (*keys, "fun"))
        if all(bar is None for bar in arrived.values()):
            return None
        constraints = operands.get("constraints")
        if constraints is not None and np.size(constraints) > 0:
            raise not_there(
                what, "constraints are not differentiated", "put them into the objective"
            )
        if not np.all(found.free):
            bars = _refused(shadows, held_by_a_bound(what), operands)
        parts = _pulled(shadows, what, found, arrived.get(keys[0]), arrived.get("fun"))
    except AstadError as error:
        bars = _refused(shadows, error, operands)
        parts = refuse_through(shadows, found.centre, error)
    bars["args"] = deliver_args(shadows, args, parts)
    return bars


def _refused(shadows: Shadows, error: AstadError, operands: Cotangents) -> Cotangents:
    return {name: refuse(shadows, error, value) for name, value in operands.items()}


def _pulled(
    shadows: Shadows, what: str, found: Minimum | Stationary, x_bar: Value, value_bar: Value
) -> list[Value]:
    x_bar = np.zeros(found.free.size) if x_bar is None else flat(x_bar)
    value_bar = None if value_bar is None else flat(value_bar)
    if isinstance(found, Minimum):
        return pull_minimum(shadows, what, found, x_bar, value_bar)
    parts = _pulled_by_slopes(shadows, what, found, x_bar)
    if value_bar is None:
        return parts
    return sum_of_parts(parts, pull_back(shadows, found.centre, value_bar))


def _pulled_by_slopes(shadows: Shadows, what: str, found: Stationary, x_bar: Array) -> list[Value]:
    """By the gradient that the user gives, which is zero in the free components."""
    slopes, free = found.slopes, found.free
    if not np.any(x_bar[free]):
        return []
    curvature = jacobian(slopes)[np.ix_(free, free)]
    x, residual = flat(slopes.x)[free], flat(slopes.value)[free]
    z = np.zeros(free.size)
    z[free] = solve_adjoint(what, curvature, residual, x, x_bar[free])
    return pull_back(shadows, slopes, -z)


# --- sums of squares


def _declare_squares(solver: Value, function: str) -> None:
    shape = signature(solver)

    @full(solver, names=" ".join(shape.parameters))
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        given: Given = dict(shape.bind(*args, **keywords).arguments)
        fn, more, words = given[function], given.get("args", ()), given.get("kwargs") or {}
        announce(versions, fn, (*tuple_of(more), *words.values()))
        y = solver(*args, **keywords)
        x, bounds = solution_of(y, ("x",)), given.get("bounds")
        pairs = bounds if bounds is None or hasattr(bounds, "lb") else zip(
            *[np.broadcast_to(each, np.shape(x)) for each in bounds], strict=True
        )  # fmt: skip
        seed = _seed_of(given.get("loss", "linear"), given.get("f_scale", 1.0))
        found = at_minimum(versions, fn, x, tuple_of(more), free_of(x, pairs), seed, keywords=words)
        return y, (pull_squares, solver.__name__, handed_out(y), found, more, words, bounds, seed)

    watch_rules(solver)


def _seed_of(loss: Value, scale: float) -> Seed:
    """The derivative of the cost in the residuals."""
    slope = LOSS_SLOPES.get(loss) if issubclass(type(loss), str) else None
    if slope is None:
        return lambda r: np.full(r.size, np.nan)  # a loss of the user's: refused as not finite
    return lambda r: r * slope((r / scale) ** 2)


def pull_squares(
    shadows: Shadows, y_bar: Value, what: str, y: Value, found: Minimum, args: Value,
    words: dict[str, Value], bounds: Value, seed: Seed,
) -> Cotangents | None:  # fmt: skip
    bars: Cotangents = {}
    try:
        arrived = arrived_in_result(shadows, what, y, y_bar, ("x", "fun", "cost"))
        if all(bar is None for bar in arrived.values()):
            return None
        if not np.all(found.free):
            bars["bounds"] = refuse(shadows, held_by_a_bound(what), bounds)
        parts = _pulled_squares(shadows, what, found, arrived, seed)
    except AstadError as error:
        bars["bounds"] = refuse(shadows, error, bounds)
        parts = refuse_through(shadows, found.centre, error)
    count = len(tuple_of(args))
    for word, part in zip(words, parts[count:], strict=False):
        shadows.key_add(words, word, part)
    bars["args"] = deliver_args(shadows, args, parts[:count])
    return bars


def _pulled_squares(
    shadows: Shadows, what: str, found: Minimum, arrived: Cotangents, seed: Seed
) -> list[Value]:
    x_bar = arrived.get("x")
    x_bar = np.zeros(found.free.size) if x_bar is None else flat(x_bar)
    value_bar = None if arrived.get("fun") is None else flat(arrived["fun"])
    if arrived.get("cost") is not None:
        of_cost = seed(flat(found.centre.value)) * arrived["cost"]
        value_bar = of_cost if value_bar is None else value_bar + of_cost
    return pull_minimum(shadows, what, found, x_bar, value_bar)


_declare(optimize.minimize, "fun")
_declare(optimize.minimize_scalar, "fun")
for _name in ("fmin", "fmin_powell", "fminbound", "brent", "golden"):
    _declare(getattr(optimize, _name), "func")
for _name in ("fmin_bfgs", "fmin_cg"):
    _declare(getattr(optimize, _name), "f")
_declare_squares(optimize.least_squares, "fun")
_declare_squares(optimize.leastsq, "func")
