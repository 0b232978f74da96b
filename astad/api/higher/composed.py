"""Second derivatives and jacobians over gradients and directions, as a run that is recorded goes
through them: of one number or one array; `jvp` of containers of these, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # whatever a function takes

import numpy as np

from astad.api.gradients.gradients import gradient
from astad.api.gradients.pullbacks import pullback
from astad.api.higher.directions import jvp

__all__ = ["hessian", "hessian_diag", "hvp", "jacobian", "value_and_jacobian"]


def hvp(f: Any, x: Any, v: Any, /, *args: Any, argnums: int = 0) -> Any:
    at, given = _place(argnums, (x, *args))
    return jvp(_slope(f, given, at), (given[at],), (v,))[1]


def hessian(f: Any, x: Any, /, *args: Any, argnums: int = 0) -> Any:
    at, given = _place(argnums, (x, *args))
    return _columns(_slope(f, given, at), given[at])[1]


def hessian_diag(f: Any, x: Any, /, *args: Any, argnums: int = 0) -> Any:
    at, given = _place(argnums, (x, *args))
    rows = _columns(_slope(f, given, at), given[at])[1]
    if type(given[at]) is not np.ndarray:
        return rows
    count = given[at].size
    return np.diagonal(rows.reshape((count, count))).reshape(given[at].shape)


def jacobian(f: Any, x: Any, /, *args: Any, argnums: int = 0) -> Any:
    return value_and_jacobian(f, x, *args, argnums=argnums)[1]


def value_and_jacobian(f: Any, x: Any, /, *args: Any, argnums: int = 0) -> Any:
    at, given = _place(argnums, (x, *args))

    def along(t: Any) -> Any:
        return f(*given[:at], t, *given[at + 1 :])

    return _columns(along, given[at])


def by_reverse(f: Any, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """`jvp`: the derivative by its cotangent of what the pullback gives along the tangents."""
    moved = [at for at, dot in enumerate(tangents) if dot is not None]

    def of_moved(*given: Any) -> Any:
        whole = [*primals]
        for at, x in zip(moved, given, strict=True):
            whole[at] = x
        return f(*whole)

    y, back = pullback(of_moved, *[primals[at] for at in moved])

    def along(y_bar: Any) -> Any:
        total = 0.0
        for bar, at in zip(back(y_bar), moved, strict=True):
            total = total + _inner(bar, tangents[at])
        return total

    (y_dot,) = gradient(along, _ones(y))
    return y, _filled(y_dot, y)


def written(a: Any, index: Any, v: Any) -> Any:
    """A copy of an array, into which is written."""
    own = a.copy()
    own[index] = v
    return own


def _inner(bar: Any, dot: Any) -> Any:
    """What a cotangent gives along a tangent of the same structure."""
    if bar is None or dot is None:
        return 0.0
    if type(dot) is dict:
        return _added([_inner(bar[key], dot[key]) for key in dot])
    if type(dot) in (list, tuple):
        return _added([_inner(part, other) for part, other in zip(bar, dot, strict=True)])
    if np.iscomplexobj(bar) or np.iscomplexobj(dot):
        return np.sum(np.real(np.conj(bar) * dot))
    return np.sum(bar * dot)


def _ones(y: Any) -> Any:
    if type(y) is dict:
        return {key: _ones(y[key]) for key in y}
    if type(y) is list:
        return [_ones(part) for part in y]
    if type(y) is tuple:
        return tuple([_ones(part) for part in y])
    if type(y) is np.ndarray:
        return np.ones_like(y)
    return 1.0 + 0.0j if isinstance(y, complex) else 1.0


def _filled(dot: Any, y: Any) -> Any:
    """With zeros where no path leads."""
    if type(y) is dict:
        return {key: _filled(None if dot is None else dot[key], y[key]) for key in y}
    if type(y) in (list, tuple):
        own = [None] * len(y) if dot is None else dot
        found = [_filled(part, of) for part, of in zip(own, y, strict=True)]
        return found if type(y) is list else tuple(found)
    return 0.0 * y if dot is None else dot


def _place(argnums: int, given: tuple[Any, ...]) -> tuple[int, tuple[Any, ...]]:
    if type(argnums) is not int:
        raise NotImplementedError("derivatives by several arguments")
    at = argnums if argnums >= 0 else argnums + len(given)
    return at, given


def _slope(f: Any, given: tuple[Any, ...], at: int) -> Callable[[Any], Any]:
    def value(t: Any) -> Any:
        return f(*given[:at], t, *given[at + 1 :])

    def slope(t: Any) -> Any:
        (bar,) = gradient(value, t)
        return 0.0 * t if bar is None else bar

    return slope


def _columns(f: Any, x: Any) -> tuple[Any, Any]:
    """The value, and what each unit vector gives, along the last axes."""
    if type(x) is not np.ndarray:
        return jvp(f, (x,), (1.0,))
    found = []
    for at in range(x.size):
        unit = np.zeros(x.size)
        unit[at] = 1.0
        y, y_dot = jvp(f, (x,), (unit.reshape(x.shape),))
        found.append(y_dot)
    return y, np.stack(found, axis=-1).reshape(np.shape(y) + x.shape)


def _added(parts: list[Any]) -> Any:
    """One after the other: from 3.12 on Python's sum of floats does more, and has no text."""
    total = 0.0
    for part in parts:
        total = total + part
    return total
