"""What users call to differentiate what a solver finds, by the equation that it solves.

>>> root = implicit(lambda a: a**0.5, lambda x, a: x * x - a)
>>> from astad import gradient
>>> gradient(root, 9.0)
(0.16666666666666666,)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients.pullbacks import Pullback, pullback
from astad.api.memory.surroundings import Surroundings, state_of
from astad.api.variants.leaves import kind_of
from astad.api.variants.tracebacks import in_users_words
from astad.errors import Unsupported, WrongCall
from astad.runtime.core.full_rules import CALLED, FULL, Cotangents, Record, Value
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.contents import Content, changed, contents, refuse_writes
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.structures import scatter
from astad.runtime.dispatch import call, pull
from astad.tangents.add import add
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number, seed_of

__all__ = ["Implicit", "implicit"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


def implicit(
    solver: Callable[..., Any], residual: Callable[..., Any], /, *, tolerance: float = 1e-3
) -> Implicit:
    """A solver that is differentiated by the equation it solves, never through its iterations.

    Parameters
    ----------
    solver : callable
        ``solver(*args)`` gives ``x``, a real number or an array of floats.
    residual : callable
        ``residual(x, *args)``, of the shape of ``x``, in any unit; it is zero at the solution.
        For a fixed point it is ``g(x, *args) - x``, for a minimum the gradient of what is
        minimal: the residual is differentiated once, and has to be one function of ``x``.
    tolerance : float
        How far the solution may lie from that of ``residual``, as a part of ``1 + abs(x)``: a
        Newton step that is longer is an error where the derivative is asked for, since the
        derivative is as far off as the solution is.

    Returns
    -------
    A function of ``*args`` that gives what ``solver`` gives. Its derivative with respect to what
    ``residual`` depends on, in its arguments, captured or in objects, is that of the implicit
    function theorem; by what the solver alone depends on (a first guess) it is zero.

    Raises
    ------
    WrongCall : where it is called with something of another shape or kind, or derived at an ``x``
        that does not solve the equation.
    Unsupported : if the residual's jacobian by ``x`` is singular at the solution, or one of the two
        writes what outlives its run.

    Notes
    -----
    From ``dr/dx dx + dr/da da = 0``: the reverse sweep solves one linear system with the transpose
    of ``dr/dx``, which takes ``x.size`` reverse sweeps of the residual, and pulls its solution back
    through the residual.

    Examples
    --------
    The root of Kepler's equation, and how it moves with the eccentricity:

    >>> import math
    >>> import astad
    >>> def anomaly(mean, eccentricity):
    ...     x = mean
    ...     while abs(x - eccentricity * math.sin(x) - mean) > 1e-14:
    ...         x -= (x - eccentricity * math.sin(x) - mean) / (1 - eccentricity * math.cos(x))
    ...     return x
    >>> solve = astad.implicit(anomaly, lambda x, mean, e: x - e * math.sin(x) - mean)
    >>> slope = astad.gradient(solve, 1.0, 0.3)[1]
    >>> x = anomaly(1.0, 0.3)
    >>> abs(slope - math.sin(x) / (1 - 0.3 * math.cos(x))) < 1e-12
    True
    """
    for each in (solver, residual):
        if not callable(each):
            error = WrongCall(
                "astad.implicit", f"a solver or residual that is a {type(each).__name__}",
                why="both are called with the same arguments", instead="hand over two functions",
            )  # fmt: skip
            in_users_words(error)
            raise error
    return Implicit(solver, residual, tolerance)


class Implicit:
    """What `implicit` returns: a call is one of the solver."""

    def __init__(
        self, solver: Callable[..., Any], residual: Callable[..., Any], tolerance: float
    ) -> None:
        self.solver = solver
        self.residual = residual
        self.tolerance = tolerance
        functools.update_wrapper(self, solver, updated=())

    def __call__(self, /, *args: Any) -> Any:
        return self.solver(*args)

    def __repr__(self) -> str:
        names = callable_name(self.solver), callable_name(self.residual)
        return f"astad.implicit({', '.join(names)})"


class _Equation:
    """The residual at a solution, and what it takes to move with it."""

    def __init__(self, solve: Implicit, x: Any, residual: Any, back: Pullback) -> None:
        self.name = repr(solve)
        self.tolerance = solve.tolerance
        self.x = x
        self.residual = residual
        self.shape, self.size = np.shape(x), int(np.size(x))
        self.back = back
        self._jacobian: Any = None

    def transposed(self, x_bar: Any) -> Any:
        """The adjoint of the residual for that of the solution."""
        if self._jacobian is None:
            self._jacobian = self._checked()
        found = np.linalg.solve(self._jacobian.T, -np.reshape(x_bar, self.size))
        return float(found[0]) if is_number(self.x) else found.reshape(self.shape)

    def _checked(self) -> Any:
        """The jacobian by the solution, where it has an inverse.

        Raises
        ------
        Unsupported, WrongCall : where it has none, or the point is no solution.
        """
        residual = self.residual
        units = (
            [seed_of(residual)] if is_number(residual)
            else np.eye(self.size).reshape(self.size, *self.shape)
        )  # fmt: skip
        rows = [self.back.gradients(unit, (0,))[0] for unit in units]
        whole = [np.zeros(self.shape) if row is None else row for row in rows]
        jacobian = np.reshape(whole, (self.size, self.size)).astype(float)
        finite = np.isfinite(jacobian).all()
        if not finite or (self.size and np.linalg.cond(jacobian) > 0.1 / np.finfo(float).eps):
            raise Unsupported(
                self.name, "a derivative where the jacobian of the residual by the solution is "
                f"{'singular' if finite else 'not finite'}",
                why="the solution does not move smoothly there: it may branch, or not be one point",
                instead="hand over a residual with as many independent equations as unknowns, or "
                "stay away from such points",
            )  # fmt: skip
        step = np.linalg.solve(jacobian, np.reshape(residual, self.size).astype(float))
        far = np.max(np.abs(step) / (1.0 + np.abs(np.reshape(self.x, self.size))), initial=0.0)
        if not far <= self.tolerance:
            raise WrongCall(
                self.name, f"a derivative at an x that is no solution: a Newton step changes it by "
                f"{np.max(np.abs(step)):.3g}",
                why="the implicit function theorem holds where the residual is zero",
                instead="let the solver go on until it is, or see that residual(x, *args) is of "
                "the equation that it solves; a larger tolerance= of astad.implicit allows more",
            )  # fmt: skip
        return jacobian


# --- its derivative


def implicit_forward(
    versions: Versions, solve: Implicit, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """One run of the solver, of which nothing is recorded, and one of the residual, which is."""
    if keywords:
        raise WrongCall(
            repr(solve), f"a call with keyword arguments ({', '.join(keywords)})",
            why="solver and residual are called with the same arguments, in one order",
            instead="hand them over by position; what the solver alone needs it may capture",
        )  # fmt: skip
    before, around = contents(args), Surroundings([solve.solver, solve.residual])
    own = state_of((solve.solver, solve.residual))
    x = solve.solver(*args)
    refuse_writes(solve.solver, before)
    is_array = issubclass(type(x), np.ndarray)
    if not _is_real(x) or not (is_array or is_number(x)):
        raise _wrong(solve, f"a solution of kind {kind_of(x)}")
    _check_apart(solve, x, args, around, own)
    fixed = np.array(x) if is_array else x
    held = [(arg, arg.copy()) for arg in args if issubclass(type(arg), np.ndarray)]
    try:
        at, back = pullback(solve.residual, fixed, *args)
        if np.shape(at) != np.shape(x) or not _is_real(at):
            raise _wrong(
                solve, f"a residual of kind {kind_of(at)} and shape {np.shape(at)} for a solution "
                f"of shape {np.shape(x)}",
            )  # fmt: skip
        residual, record = call(versions, solve.residual, fixed, *args)
        refuse_writes(solve.residual, before)
    finally:  # the plain run never calls it
        for arg, copy in held:
            if not np.array_equal(arg, copy, equal_nan=copy.dtype.kind in "fc"):
                arg[...] = copy
    _check_apart(solve, x, args, around, own)
    equation = _Equation(solve, fixed, at, back)
    return x, (_pull, x if is_array else None, equation, residual, record, len(args))


def _check_apart(
    solve: Implicit,
    x: Value,
    args: Sequence[Value],
    around: Surroundings,
    own: list[Content],
) -> None:
    """Refuse what the run leaves behind beside its result, which has no derivative."""
    left = around.changed()
    if not left and around.bound_anew():
        left = "a global"
    if not left and changed(own, strict=True):
        left = "what it is bound to"
    if left:
        raise Unsupported(
            repr(solve), f"a solver or residual that leaves something behind ({left})",
            why="nothing of their runs is recorded, so what they write has no derivative, and the "
            "residual runs once more than in the plain run",
            instead="let them write nothing that outlives them, and return what is needed",
        )  # fmt: skip
    others = [each for each in (*args, *around.values()) if issubclass(type(each), np.ndarray)]
    if issubclass(type(x), np.ndarray) and any(np.may_share_memory(x, each) for each in others):
        raise Unsupported(
            repr(solve), "a solution that shares memory with what the solver was given or keeps",
            why="it is one array under two names, with two derivatives",
            instead="return a copy from the solver",
        )  # fmt: skip


def _pull(
    shadows: Shadows,
    y_bar: Value,
    y: Value,
    equation: _Equation,
    residual: Value,
    record: Record,
    count: int,
) -> Cotangents:
    """To the adjoint of the residual, and back through it; what it has captured gets its part
    where it lies.
    """
    x_bar = y_bar if y is None else add(y_bar, shadows.take(y))
    if x_bar is None:
        return None
    local = scatter(shadows, residual, equation.transposed(x_bar))
    return list(pull(shadows, record, local, count + 1))[1:]


def _is_real(value: Any) -> bool:
    return bool(np.asarray(value).dtype.kind in "fiu")


def _make_forward(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    """The rule of `implicit`: what it gives holds the functions themselves."""
    return implicit(*args, **keywords), None


def _wrong(solve: Implicit, what: str) -> WrongCall:
    return WrongCall(
        repr(solve), what,
        why="there has to be one real equation for each number of the solution",
        instead="return a real number or an array of floats from the solver, and from "
        "residual(x, *args) one of the same shape",
    )  # fmt: skip


CALLED[Implicit] = implicit_forward
FULL[id(implicit)] = _make_forward
