"""Sources of chance that write: ``shuffle`` moves elements, ``out=`` is drawn anew.

What a shuffle does is found out by one more, from the same state, of the numbers of the rows.
"""

from __future__ import annotations

import numpy as np

from astad.runtime.calls.draw_sizes import without_sizes
from astad.runtime.containers.list_methods import pull_permuted
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, opaque
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused

__all__ = ["draw_into", "is_shuffle", "shuffle", "state_of"]


def is_shuffle(fn: Value) -> bool:
    """Is it a method of NumPy's that shuffles its argument?"""
    return getattr(fn, "__name__", "") == "shuffle" and hasattr(fn, "__self__")


def shuffle(
    versions: Versions, fn: Value, xs: Value, axis: int | None = None
) -> tuple[None, Record]:
    """``rng.shuffle(xs)``; of an array along an axis."""
    along = () if axis is None else (axis,)
    rng = fn.__self__
    before = state_of(rng)
    order = _numbers(xs, axis or 0)
    fn(order, *along)
    _set_state(rng, before)
    versions.writing(xs)
    fn(xs, *along)
    if issubclass(type(xs), list):
        return None, (pull_permuted, xs, order) if any(map(flows, xs)) else None
    return None, (pull_shuffled, xs, _first_of(order, axis or 0), axis or 0)


def _numbers(xs: Value, axis: int) -> Value:
    """What is shuffled as `xs` is and tells afterwards where each row was."""
    if not issubclass(type(xs), np.ndarray):
        return list(range(len(xs)))
    rows = np.arange(xs.shape[axis]).reshape([-1 if k == axis else 1 for k in range(xs.ndim)])
    return np.broadcast_to(rows, xs.shape).copy()


def _first_of(order: Value, axis: int) -> Value:
    rows = np.moveaxis(order, axis, 0)
    return rows.reshape(len(rows), -1)[:, 0] if order.size else np.arange(len(rows))


def state_of(rng: Value) -> Value:
    """All that its next draws depend on."""
    return rng.bit_generator.state if hasattr(rng, "bit_generator") else rng.get_state(legacy=False)


def _set_state(rng: Value, state: Value) -> None:
    if hasattr(rng, "bit_generator"):
        rng.bit_generator.state = state
    else:
        rng.set_state(state)


def pull_shuffled(shadows: Shadows, y_bar: Value, a: Value, order: Value, axis: int) -> Cotangents:
    g = shadows.take_slot(a, ...)
    if type(g) is Refused:
        shadows.add(a, g)
    elif g is not None:
        before = np.empty_like(g)
        np.moveaxis(before, axis, 0)[order] = np.moveaxis(g, axis, 0)
        shadows.add(a, before)
    return None


def draw_into(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """``rng.random(out=a)``."""
    a = keywords["out"]
    versions.writing(a)
    y = fn(*args, **keywords)
    given = without_sizes(fn, args, keywords)
    unknown = opaque(fn.__name__, 0.0, tuple(x if x is not a else None for x in given))
    return y, (pull_drawn, a, unknown)


def pull_drawn(shadows: Shadows, y_bar: Value, a: Value, unknown: tuple[Value, ...]) -> Cotangents:
    g = shadows.take_slot(a, ...)
    operands: Cotangents = unknown[0](shadows, g, *unknown[1:])
    return operands
