"""Calls of a user's function at points that a solver has found, and the way back through them.

A solver calls the function as often as it likes, unrecorded; what counts for the derivative are a
few calls afterwards, each with a copy of the point as its first argument.

>>> from astad.runtime import dispatch
>>> point = at_point(Versions(), lambda x, a: a * x * x, 3.0, (2.0,))
>>> float(point.value), jacobian(point)
(18.0, array([[12.]]))
>>> pull_back(Shadows(), point, np.array([1.0]))
[9.0]
"""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from astad.errors import AstadError, Unsupported
from astad.runtime.core.full_rules import Record, Value, callbacks, pull_opaque
from astad.runtime.core.seeded import Seeded, seed_for, seeded, shape_of
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.cotangents.structures import collect, scatter, snapshot
from astad.runtime.unseen.additional import additional
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

__all__ = [
    "Handed", "Point", "announce", "at_point", "deliver_args", "given_to",
    "handed_out", "jacobian", "packed",
    "part_of_point", "pull_back", "refuse_arrived", "refuse_through", "texts_of",
]  # fmt: skip

Array = np.ndarray[Any, Any]


class Handed(NamedTuple):
    """A solver's result as it was handed out: the user may put other things in it."""

    owner: Value
    parts: dict[Any, Value]


def handed_out(y: Value) -> Value:
    """What a record keeps of a solver's result: the parts of a dict or a tuple, or it itself."""
    if issubclass(type(y), tuple):
        return Handed(y, {at: handed_out(part) for at, part in enumerate(y)})
    return Handed(y, dict(y)) if issubclass(type(y), dict) else y


class Point(NamedTuple):
    """One call ``fn(x, *args)``: recorded, or by the text of the function that ``texts`` are of.

    ``pick``: which item of the result is meant where it is a tuple; ``value`` is that item;
    ``kept``: the operands, as they were, of a call that is not recorded, and ``given`` they
    themselves; ``shape``: of its value, as `shape_of` names it.
    """

    x: Value
    operands: int
    result: Value
    value: Value
    record: Record
    pick: int | None
    texts: Seeded | None = None
    kept: tuple[Value, ...] = ()
    given: tuple[Value, ...] = ()
    shape: str = ""


def at_point(
    versions: Versions, fn: Value, x: Value, args: tuple[Value, ...], pick: int | None = None,
    first: tuple[Value, ...] = (), keywords: dict[str, Value] | None = None,
    texts: Seeded | None = None,
) -> Point:  # fmt: skip
    """Call the function at a copy of x, recorded if need be; ``first`` comes before it."""
    at = np.array(x) if issubclass(type(x), np.ndarray) else x
    given = keywords or {}
    if texts is not None:
        operands = (*first, at, *args)
        result = fn(*operands)
        shape = shape_of(result)
        if shape and texts.text(shape, operands) is not None:
            kept = (*first, at, *map(texts.kept, args))
            return Point(at, len(kept), result, result, None, None, texts, kept, operands, shape)
    result, record = additional(versions, fn, *first, at, *args, **given)
    value = result if pick is None else result[pick]
    return Point(at, len(first) + 1 + len(args) + len(given), result, value, record, pick)


def announce(versions: Versions, fn: Value, args: Iterable[Value] = ()) -> None:
    """The function will be called unrecorded: it may write into what it has captured or is
    given.
    """
    for value in args:
        versions.writing(value)
    while issubclass(type(fn), MethodType):
        for value in vars(fn.__self__).values() if hasattr(fn.__self__, "__dict__") else ():
            versions.writing(value)
        fn = fn.__func__
    if type(fn) is not FunctionType:
        return
    for cell in fn.__closure__ or ():
        versions.writing(cell.cell_contents if is_full(cell) else None)
    for name in fn.__code__.co_names:
        versions.writing(fn.__globals__.get(name))


def packed(flat: Array, value: Value) -> Value:
    """A flat cotangent in the structure of a value: array, number, list or tuple."""
    if issubclass(type(value), np.ndarray):
        return flat.reshape(value.shape)
    if issubclass(type(value), (list, tuple)):
        parts, start = [], 0
        for item in value:
            size = np.size(item)
            parts.append(packed(flat[start : start + size], item))
            start += size
        return parts
    return float(flat[0]) if not np.iscomplexobj(flat) else complex(flat[0])


def texts_of(
    versions: Versions, fn: Value, x: Value, args: tuple[Value, ...], pick: int | None = None,
    keywords: dict[str, Value] | None = None,
) -> Seeded | None:  # fmt: skip
    """What gives the derivatives of a callback without a record of its calls, if there is such."""
    return None if pick is not None or keywords else seeded(versions, fn, (x, *args))


def _by_text(point: Point, flat: Array) -> list[Value]:
    """All cotangents of a call that is not recorded."""
    assert point.texts is not None
    seeds = seed_for(point.shape, flat, point.value)
    return point.texts.must(point.shape, seeds, point.kept)


def _pull(shadows: Shadows, point: Point, flat: Array) -> list[Value]:
    if point.texts is not None:
        bars = _by_text(point, flat)
        point.texts.deliver(shadows, bars)
        return list(point.texts.of_args(bars))
    seed = packed(flat, point.value)
    if point.pick is not None:
        seed = [seed if at == point.pick else None for at in range(len(point.result))]
    local = scatter(shadows, point.result, seed)
    return list(callbacks.pull(shadows, point.record, local, point.operands) or ())


def part_of_point(point: Point, flat: Array, place: int = 0) -> Array:
    """The cotangent of x alone, flat, for a cotangent of the value."""
    if point.texts is not None:
        bar = point.texts.of_args(_by_text(point, flat))[place]
        return np.zeros(np.size(point.x)) if bar is None else np.ravel(np.asarray(bar))
    shadows = Shadows()
    parts = _pull(shadows, point, flat)
    found = collect(shadows, point.x, snapshot(point.x), parts[place], True)
    return np.ravel(np.asarray(found))


def jacobian(point: Point, place: int = 0) -> Array:
    """Derivatives of the value, flat, in x, flat: one row for each part of the value."""
    m = int(np.size(np.asarray(point.value)))
    rows = [part_of_point(point, row, place) for row in np.eye(m)]
    return np.array(rows).reshape(m, int(np.size(point.x)))


def pull_back(shadows: Shadows, point: Point, flat: Array, place: int = 0) -> list[Value]:
    """Cotangents of what comes behind x, by value; what has identity, and what the function has
    captured, gets its part in its shadow. That of x is dropped.
    """
    parts = _pull(shadows, point, flat)
    if point.texts is not None:
        return [
            given_to(shadows, value, part)
            for value, part in zip(point.given[place + 1 :], parts[place + 1 :], strict=True)
        ]
    if has_identity(point.x):
        shadows.take(point.x)
    return parts[place + 1 :]


def given_to(shadows: Shadows, value: Value, bar: Value) -> Value:
    """The cotangent of an operand: what has identity gets it in its shadow."""
    if bar is None or not has_identity(value):
        return bar
    shadows.add(value, bar)
    return None


def refuse_through(shadows: Shadows, point: Point, error: AstadError) -> list[Value]:
    """The same where there is no derivative: the error is raised when one of them is asked for."""
    refused = Refused(error)
    local = None
    if point.texts is not None:
        count = len(point.texts.places) + point.operands
        point.texts.deliver(shadows, [refused] * count)
        return [given_to(shadows, value, refused) for value in point.given[1:]]
    if has_identity(point.result):
        shadows.add(point.result, refused)
    else:
        local = refused
    parts = list(callbacks.pull(shadows, point.record, local, point.operands) or ())
    if has_identity(point.x):
        shadows.take(point.x)
    return parts[1:]


def deliver_args(shadows: Shadows, args: Value, parts: list[Value]) -> Value:
    """Parts of the elements of ``args=``; of what is no tuple, and stands for one element, the part
    comes back.
    """
    if not issubclass(type(args), tuple):
        return parts[0] if parts else None
    for at, part in enumerate(parts[: len(args)]):
        if part is not None:
            shadows.slot_add(args, at, part)
    return None


def refuse_arrived(shadows: Shadows, what: str, value: Value, y_bar: Value = None) -> None:
    """Raise if a cotangent has come to a part of a solver's result that has no derivative here."""
    why = "only the solution itself is differentiated, not what else the solver reports"
    instead = "compute it from the solution"
    pull_opaque(shadows, y_bar, value, what, why, instead, None)
    held = stored_in(value)
    if type(held) is dict and held:  # an operator, an interpolant
        refuse_arrived(shadows, what, list(held.values()))


def not_there(what: str, why: str, instead: str) -> Unsupported:
    return Unsupported(what, "the derivative of a solution", why=why, instead=instead)
