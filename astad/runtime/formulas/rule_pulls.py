"""Pullbacks of formula rules: take the cotangent of the result, apply the formulas, deliver.

The first entry of a record of ``formula_rules.apply_rule`` is one of these functions, the others
its arguments after ``shadows`` and ``y_bar``. Each returns one by-value cotangent per operand, or
None for all None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from astad.errors import AstadError, MissingRule, RuleError, Unsupported
from astad.rules.formula import Rule
from astad.runtime.core.listings import as_numbers, deliver, holds_numbers, restore
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.overlapping_writes import gathered
from astad.runtime.formulas.rule_plans import PLAIN, Plan
from astad.tangents.add import add
from astad.tangents.arrays import project, sum_to_shape
from astad.tangents.refused import Refused
from astad.tangents.zero import BY_VALUE, has_identity, is_number

__all__ = [
    "as_made",
    "pull_direct",
    "pull_floats",
    "pull_into",
    "pull_into_in_order",
    "pull_kept",
    "pull_overwriting",
    "pull_overwritten",
    "pull_refused",
    "pull_refused_into",
]

Value: TypeAlias = Any
"""Any object of the user's program, or a cotangent of it: there is nothing narrower to say."""


def pull_floats(
    shadows: Shadows, y_bar: Value, plan: Plan, y: Value, args: tuple[Value, ...]
) -> Value:
    if y_bar is None:
        return None
    if plan.pull_plain is not None and type(y_bar) in PLAIN:
        try:
            return plan.pull_plain(y_bar, y, *args)
        except (ZeroDivisionError, OverflowError, ValueError):
            pass  # at a pole: the general way gives inf or nan
    if type(y_bar) is Refused:
        return (y_bar,) * len(args)
    try:
        bars = plan.pull(project(y_bar, y), y, *args)
    except _UNFORESEEN as error:
        _refuse_unforeseen(plan.rule, error)
        raise
    return [None if bar is None else project(bar, x) for bar, x in zip(bars, args, strict=True)]


def pull_direct(
    shadows: Shadows,
    y_bar: Value,
    plan: Plan,
    y: Value,
    y_held: Value,
    values: list[Value],
    operands: Sequence[Value],
) -> Value:
    """``pull_kept`` where all operands are numbers and arrays."""
    g = _cotangent_of(shadows, y, y_bar, None)
    if g is None:
        return None
    if type(g) is Refused:
        return [deliver(shadows, operand, g, plan.rule.name) for operand in operands]
    y_then = y_held[0] if type(y_held) is list else y_held
    try:
        bars = plan.pull(g, y_then, *[v[0] if type(v) is list else v for v in values])
    except _UNFORESEEN as error:
        _refuse_unforeseen(plan.rule, error)
        raise
    result: list[Value] = []
    for operand, bar in zip(operands, bars, strict=True):
        if type(operand) is np.ndarray and type(bar) is np.ndarray and bar.shape == operand.shape:
            shadows.add_array(operand, bar)
            result.append(None)
        else:
            result.append(deliver(shadows, operand, bar, plan.rule.name))
    return result


def pull_kept(
    shadows: Shadows,
    y_bar: Value,
    plan: Plan,
    y: Value,
    fresh: tuple[bool, ...] | None,
    y_held: Value,
    values: list[Value],
    targets: list[Value],
) -> Value:
    """Cotangents of the operands: returned for numbers, added to the shadows of what has
    identity."""
    g = _cotangent_of(shadows, y, y_bar, fresh)
    return None if g is None else _pull_through(shadows, g, plan, y_held, values, targets)


def _pull_through(
    shadows: Shadows, g: Value, plan: Plan, y_held: Value, values: list[Value], targets: list[Value]
) -> list[Value]:
    bars: Sequence[Value]
    if type(g) is Refused:
        bars = [g] * len(plan.places)
    else:
        try:
            bars = plan.pull(g, restore(y_held), *map(restore, values))
        except _UNFORESEEN as error:
            _refuse_unforeseen(plan.rule, error)
            raise
    result: list[Value] = [None] * plan.count
    where = plan.rule.name
    for place, bar in zip(plan.places, bars, strict=True):
        if type(place) is int:
            result[place] = deliver(shadows, targets[place], bar, where)
        elif bar is not None:
            _deliver_variadic(shadows, result, place, targets, bar, where)  # type: ignore[arg-type]
    for name, place in plan.missing:
        refused = Refused(_missing(plan.rule, name))
        for k in (place,) if isinstance(place, int) else place:
            result[k] = deliver(shadows, targets[k], refused, where)
    return result


def _refuse_unforeseen(rule: Rule, error: Exception) -> None:
    """Shapes or kinds that NumPy or SciPy take and that a formula of astad's was not written for
    are refused; the error of a user's rule is his.
    """
    if rule.is_own and not isinstance(error, np.linalg.LinAlgError):
        raise Unsupported(
            rule.name,
            "a derivative for arguments of such shapes or kinds",
            why=f"the formulas of its rule do not cover them ({type(error).__name__}: {error})",
            instead="write it with other operations, or declare a rule with astad.adjoint",
        ) from error


_UNFORESEEN = (AttributeError, IndexError, TypeError, ValueError, ZeroDivisionError)


def _deliver_variadic(
    shadows: Shadows,
    result: list[Value],
    place: tuple[int, ...],
    targets: list[Value],
    bar: Value,
    where: str,
) -> None:
    parts = [bar] * len(place) if type(bar) is Refused else bar
    if len(parts) != len(place):
        raise RuleError(
            where,
            f"{len(parts)} cotangents for {len(place)} arguments",
            why="each argument has one",
            instead="return as many, None where there is no derivative",
        )
    for k, part in zip(place, parts, strict=True):
        result[k] = deliver(shadows, targets[k], part, where)


def _missing(rule: Rule, name: str) -> MissingRule:
    try:
        rule.pull((name,))
    except MissingRule as error:
        return error
    raise AssertionError(f"{rule.name} has a rule for {name}")


def pull_refused(
    shadows: Shadows,
    y_bar: Value,
    error: AstadError,
    y: Value,
    fresh: tuple[bool, ...] | None,
    targets: list[Value],
) -> Value:
    """The rule does not cover the call: whoever asks for a cotangent of an operand gets the
    error."""
    if _cotangent_of(shadows, y, y_bar, fresh) is None:
        return None
    refused = Refused(error)
    return [deliver(shadows, operand, refused, str(error.where)) for operand in targets]


def _cotangent_of(
    shadows: Shadows, y: Value, y_bar: Value, fresh: tuple[bool, ...] | None
) -> Value:
    """The whole cotangent of a fresh result, in its own shape and kind; of a tuple result a
    tuple."""
    if fresh is not None:
        return _cotangent_of_parts(shadows, y, y_bar, fresh)
    if issubclass(type(y), np.ndarray):
        g = shadows.take(y)
        g = _of_its_kind(g, y)
        if y_bar is None:
            return g
        return add(g, y_bar if type(y_bar) is Refused else project(y_bar, y))
    if type(y) in BY_VALUE or is_number(y):
        return y_bar if y_bar is None or type(y_bar) is Refused else project(y_bar, y)
    if type(y) is AsMade:
        return _cotangent_of_parts(shadows, y, y_bar, (True,) * len(y.parts))
    return add(shadows.take(y), y_bar) if has_identity(y) else None


class AsMade(NamedTuple):
    """A list that a rule has made, with the parts of then: the program may change it."""

    whole: Value
    parts: tuple[Value, ...]


def as_made(y: Value) -> Value:
    """What a record holds of a result."""
    return AsMade(y, tuple(map(as_made, y))) if type(y) is list else y


def _of_its_kind(g: Value, y: Value) -> Value:
    """The cotangent of an array of objects that are all real numbers is real."""
    if y.dtype.kind != "O" or not issubclass(type(g), np.ndarray) or not holds_numbers(y):
        return g
    return g if np.iscomplexobj(as_numbers(y)) else g.real


def _cotangent_of_parts(shadows: Shadows, y: Value, y_bar: Value, fresh: tuple[bool, ...]) -> Value:
    """Cotangents of the parts, None where there is none; None if there is none at all."""
    if type(y_bar) is Refused:
        return y_bar
    whole, made = y if type(y) is AsMade else (y, y)
    given = [None] * len(made) if y_bar is None else y_bar
    slots = shadows.slots_take(whole, len(made))
    parts: list[Value] = []
    for part, own, slot, local in zip(made, fresh, slots, given, strict=True):
        total = add(slot, local)
        if own:
            parts.append(_cotangent_of(shadows, part, total, None))
        else:
            shadows.add(part, total)  # a view of an operand: they have one shadow
            parts.append(None)
    for part in parts:
        if type(part) is Refused:
            return part
    return None if all(part is None for part in parts) else tuple(parts)


def _take_written(shadows: Shadows, array: Value, y_bar: Value) -> Value:
    g = _of_its_kind(shadows.take_slot(array, ...), array)
    if y_bar is None or type(y_bar) is Refused:
        return add(g, y_bar)
    return add(g, project(y_bar, array))


def pull_overwritten(shadows: Shadows, y_bar: Value, array: Value) -> Value:
    _take_written(shadows, array, y_bar)
    return None


def pull_overwriting(
    shadows: Shadows, y_bar: Value, name: str, changed: list[Value], record: Value
) -> Value:
    """What is left in an overwritten array has no derivative: one that was asked for is refused."""
    for array in changed:
        g = shadows.take_slot(array, ...)
        if g is not None and (type(g) is Refused or np.any(g)):
            raise Unsupported(
                name,
                "derivative through what is left in an array that may be overwritten",
                why="SciPy leaves there what its algorithm happened to write",
                instead="leave overwrite_a and overwrite_b out",
            )
    return None if record is None else record[0](shadows, y_bar, *record[1:])


def pull_into(
    shadows: Shadows,
    y_bar: Value,
    plan: Plan,
    array: Value,
    y_held: Value,
    values: list[Value],
    targets: list[Value],
) -> Value:
    g = _take_written(shadows, array, y_bar)
    if g is None:
        return None
    if not _is_stretched(plan, array, g, targets):
        return _pull_through(shadows, g, plan, y_held, values, targets)
    [bar] = plan.pull(g, restore(y_held), *map(restore, values))
    bar = sum_to_shape(bar, np.shape(targets[0]))
    return [deliver(shadows, targets[0], bar, plan.rule.name), *[None] * (plan.count - 1)]


def pull_into_in_order(
    shadows: Shadows, y_bar: Value, order: Value, pull: Value, plan: Plan, array: Value,
    *record: Value,
) -> Value:  # fmt: skip
    """As ``pull_into``, where the elements that were written are others of the plain result."""
    g = _take_written(shadows, array, y_bar)
    if g is not None and type(g) is not Refused:
        g = gathered(g, order, g.shape)
    return pull(shadows, g, plan, array, *record)


def _is_stretched(plan: Plan, array: Value, g: Value, targets: list[Value]) -> bool:
    """Whether the operand of a function of one is broadcast to the array that is written into;
    where there are two, the rule sums."""
    fn: Any = plan.rule.fn
    if type(g) is Refused or not issubclass(type(fn), np.ufunc) or fn.nin != 1:
        return False
    return list(plan.places) == [0] and array.shape != np.shape(targets[0])


def pull_refused_into(
    shadows: Shadows, y_bar: Value, error: AstadError, array: Value, targets: list[Value]
) -> Value:
    if _take_written(shadows, array, y_bar) is None:
        return None
    refused = Refused(error)
    return [deliver(shadows, operand, refused, str(error.where)) for operand in targets]
