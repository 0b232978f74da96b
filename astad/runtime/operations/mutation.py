"""Arrays changed in place: ``a += b`` and its kin, ``fill``, ``sort``, ``np.copyto``.

The old value is kept by reference only where the formula reads it, and copied by `versions.writing`
before the write. In the reverse sweep the whole cotangent of the array is taken, and what belongs
to the old value is put back.
"""

from __future__ import annotations

import operator
from typing import TypeAlias

import numpy as np

from astad.errors import Unsupported
from astad.rules.formula import Rule
from astad.rules.registry import lookup
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, full, opaque
from astad.runtime.core.listings import deliver_array, hold, plain_array
from astad.runtime.core.versions import Box, Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.object_arrays import holds_objects, in_place
from astad.runtime.formulas.overlapping_writes import gathered, order_of_write
from astad.runtime.formulas.rule_plans import as_floats
from astad.runtime.formulas.rule_pulls import pull_refused_into
from astad.runtime.formulas.whole_numbers import hold_for, is_whole, lost_in_steps
from astad.runtime.operations.indexing import write_array
from astad.tangents.add import add
from astad.tangents.arrays import project
from astad.tangents.refused import Refused

__all__ = ["array_in_place"]

Named: TypeAlias = dict[str, Value] | None
"""Cotangents by the names of the parameters."""


# --- operators ------------------------------------------------------------------------------------


def array_in_place(
    versions: Versions, fn: Value, plain: Value, a: Value, b: Value
) -> tuple[Value, Record]:
    """``fn(a, b)`` for an array `a` that `fn` overwrites; `plain` is the operator that makes a new
    array."""
    if a.dtype.kind == "O" and (holds_objects(a) or holds_objects(b)):
        return in_place(versions, plain, a, b)
    if plain is operator.add or plain is operator.sub:
        versions.writing(a)
        y = fn(a, b)
        minus = plain is operator.sub
        record: Record = (pull_shift, a, hold(versions, b, False), np.shape(b), minus)
        return y, record if y is a else opaque(f"ndarray {fn.__name__}", y, (a, b))
    rule = lookup(plain)
    if rule is None or rule.form == "zero":
        held = [a, hold(versions, b, False)]
        versions.writing(a)
        y = fn(a, b)
        if rule is not None and versions.exact and is_whole(a):
            return y, (pull_refused_into, lost_in_steps(rule), a, held)
        return y, (pull_overwritten, a, "" if rule is not None else fn.__name__)
    first, second = rule.parameters
    wanted = (first, second) if flows(b) or not issubclass(type(b), (bool, np.bool_)) else (first,)
    needs = rule.needs(wanted)
    old = hold(versions, a, True) if first in needs else [a]
    other = [np.array(b)] if issubclass(type(b), list) else [b]
    if second in needs and issubclass(type(b), np.ndarray):
        other = hold(versions, b, True)
    versions.writing(a)
    y = fn(a, b)
    if y is not a:
        return y, opaque(f"ndarray {fn.__name__}", y, (a, b))
    new = hold(versions, a, True) if "y" in needs else [a]
    held = hold(versions, b, False)
    return y, (pull_by_rule, rule, wanted, a, held, np.shape(b), old, other, new)


def pull_shift(
    shadows: Shadows, y_bar: Value, a: Value, b: Value, shape: tuple[int, ...], minus: bool
) -> Cotangents:
    """Reverse of ``a += b`` or ``a -= b``: the cotangent of `a` stays and goes to `b` as well."""
    if y_bar is not None:
        shadows.add(a, y_bar)
    g = shadows.take(a)
    if g is None:
        return None
    shadows.add(a, g)
    return None, deliver_array(shadows, -g if minus else g, b, shape)


def pull_by_rule(
    shadows: Shadows, y_bar: Value, rule: Rule, wanted: tuple[str, ...], a: Value, b: Value,
    shape: tuple[int, ...], old: Box, other: list[Value], new: Box,
) -> Cotangents:  # fmt: skip
    g = add(y_bar, shadows.take(a))
    if g is None:
        return None
    if type(g) is Refused:
        parts = (g,) * len(wanted)
    else:
        values = (new[0], old[0], other[0])
        parts = rule.pull(wanted)(g, *(map(as_floats, values) if is_whole(a) else values))
    if parts[0] is not None:
        shadows.add(a, g if type(g) is Refused else project(parts[0], a))
    if len(parts) == 1 or parts[1] is None:
        return None
    return None, deliver_array(shadows, parts[1], b, shape)


def pull_overwritten(shadows: Shadows, y_bar: Value, a: Value, name: str) -> Cotangents:
    """Nothing of the old value is left; `name` is given where that is not known, so that a
    cotangent is refused."""
    g = add(y_bar, shadows.take(a))
    if name and g is not None:
        raise Unsupported(
            name,
            "a derivative through this",
            why="astad has no rule of the operator for arrays",
            instead="write the array by an expression of + - * / **",
        )
    return None


# --- methods and functions that write -------------------------------------------------------------


@full(np.ndarray.fill, names="self value")
def fill_forward(versions: Versions, a: Value, value: Value) -> tuple[None, Record]:
    versions.writing(a)
    a.fill(value)
    return None, (pull_fill, a, hold_for(versions, a, value), np.shape(value))


def pull_fill(
    shadows: Shadows, y_bar: Value, a: Value, value: Value, shape: tuple[int, ...]
) -> Named:
    g = shadows.take(a)
    return None if g is None else {"value": deliver_array(shadows, g, value, shape)}


@full(np.copyto, names="dst src casting where")
def copyto_forward(
    versions: Versions, dst: Value, src: Value, casting: Value = "same_kind", where: Value = True
) -> tuple[None, Record]:
    versions.writing(dst)
    where = np.array(where)
    np.copyto(dst, src, casting=casting, where=where)
    if not _is_broadcast(where.shape, dst.shape):
        return None, None  # NumPy copies nothing of an array onto itself, and asks for no shape
    order = order_of_write(
        dst, src, lambda dst, src: np.copyto(dst, src, casting="unsafe", where=where)
    )
    return None, (pull_copyto, dst, hold_for(versions, dst, src), np.shape(src), where, order)


def _is_broadcast(of: tuple[int, ...], to: tuple[int, ...]) -> bool:
    pairs = zip(reversed(of), reversed(to), strict=False)
    return len(of) <= len(to) and all(n in (1, m) for n, m in pairs)


def pull_copyto(
    shadows: Shadows, y_bar: Value, dst: Value, src: Value, shape: tuple[int, ...], where: Value,
    order: Value,
) -> Named:  # fmt: skip
    g = shadows.take(dst)
    if g is None:
        return None
    if not where.all():
        stays = g if type(g) is Refused else np.where(where, 0, g)
        shadows.add(dst, stays)
        g = g if stays is g else np.where(where, g, 0)
    if order is not None and type(g) is not Refused:
        g = gathered(g, order, shape)
    return {"src": deliver_array(shadows, g, src, shape)}


# --- rearranged in place --------------------------------------------------------------------------


@full(np.ndarray.sort)
def sort_forward(
    versions: Versions,
    a: Value,
    axis: int = -1,
    kind: Value = None,
    order: Value = None,
    **stable: Value,
) -> tuple[None, Record]:
    if a.dtype.kind not in "fciu" or not stable.keys() <= {"stable"}:
        a.sort(axis, kind, order, **stable)  # raises NumPy's own TypeError
        return None, None
    places = np.argsort(plain_array(a), axis, kind, order, **stable)
    return _rearrange(versions, a, axis, places)


@full(np.ndarray.partition)
def partition_forward(
    versions: Versions,
    a: Value,
    kth: Value,
    axis: int = -1,
    kind: Value = "introselect",
    order: Value = None,
) -> tuple[None, Record]:
    places = np.argpartition(plain_array(a), kth, axis, kind, order)
    return _rearrange(versions, a, axis, places)


def _rearrange(versions: Versions, a: Value, axis: int, places: Value) -> tuple[None, Record]:
    versions.writing(a)
    plain = plain_array(a)
    plain[...] = np.take_along_axis(plain, places, axis)
    return None, (pull_rearranged, a, axis, places)


def pull_rearranged(
    shadows: Shadows, y_bar: Value, a: Value, axis: int, places: Value
) -> Cotangents:
    g = shadows.take(a)
    if type(g) is Refused:
        shadows.add(a, g)
    elif g is not None:
        before = np.empty_like(g)
        np.put_along_axis(before, places, g, axis)
        shadows.add(a, before)
    return None


# --- refused --------------------------------------------------------------------------------------


@full(np.ndarray.resize)
def resize_forward(versions: Versions, a: Value, *shape: Value, **options: Value) -> Value:
    raise Unsupported(
        "ndarray.resize",
        "an array that changes its own size",
        why="its cotangent has the size that the array has",
        instead="make a new array with np.resize, np.concatenate or a slice",
    )


@full(np.ndarray.setfield, names="self value dtype offset")
def setfield_forward(
    versions: Versions, a: Value, value: Value, dtype: Value, offset: int = 0
) -> tuple[None, Record]:
    """Writes into the part of each element that is a field of its own dtype, if that is the
    whole."""
    if np.dtype(dtype) != a.dtype:
        raise Unsupported(
            "ndarray.setfield",
            f"bytes of {a.dtype} written as {np.dtype(dtype)}",
            why="the bits of one kind have no derivative as numbers of the other",
            instead="assign to .real, .imag or to the elements",
        )
    _, record = write_array(versions, a, ..., value)
    return None, None if record is None else (pull_setfield, record)


def pull_setfield(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Named:
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else {"value": parts[2]}
