"""Formula rules at run time: the call itself, what its pullback must keep, and the pullback.

>>> import math, astad.rules
>>> from astad.rules.registry import lookup
>>> y, (pull, *data) = apply_rule(Versions(), lookup(math.sin), (0.0,), {})
>>> y, pull(Shadows(), 2.0, *data)
(0.0, [2.0])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from astad.errors import AstadError, MissingRule, RuleError, Unsupported
from astad.rules.registry import Rule
from astad.runtime.aliases import aliases_any, fresh_parts
from astad.runtime.listings import deliver, hold, restore, target
from astad.runtime.rule_plans import PLAIN, PLANS, REAL, Place, Plan, plan_of
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.add import add
from astad.tangents.arrays import project
from astad.tangents.refused import Refused
from astad.tangents.zero import BY_VALUE, has_identity, is_number

__all__ = ["apply_rule"]

Value: TypeAlias = Any
"""Any object of the user's program, or a cotangent of it: there is nothing narrower to say."""

Record: TypeAlias = tuple[Any, ...] | None
"""``(pull function, *data)``."""


def apply_rule(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record]:
    """Call the function of a rule.

    Parameters
    ----------
    versions : Versions
    rule : Rule
    args, keywords
        As the user's program gives them.

    Returns
    -------
    y, record
        The result of ``rule.fn(*args, **keywords)``, and ``(pull, *data)`` for
        ``pull(shadows, y_bar, *data) -> one cotangent per operand``; None where no derivative passes, or the result is
        an operand or a view of one, whose shadow it shares.
    """
    if not keywords:
        plan = PLANS.get((id(rule), *map(type, args)))
        if plan is not None and plan.floats:
            y = rule.fn(*args)
            if type(y) in REAL:
                return y, (_pull_floats, plan, y, args)
            return y, _record(versions, rule, args, keywords, y)
    out = _out_of(rule, args, keywords)
    if out is not None:
        return _apply_into(versions, rule, args, keywords, out)
    y = rule.fn(*args, **keywords)
    return y, None if rule.form == "zero" else _record(versions, rule, args, keywords, y)


def _pull_floats(shadows: Shadows, y_bar: Value, plan: Plan, y: Value, args: tuple[Value, ...]) -> Value:
    if y_bar is None:
        return None
    if plan.pull_plain is not None and type(y_bar) in PLAIN:
        try:
            return plan.pull_plain(y_bar, y, *args)
        except (ZeroDivisionError, OverflowError, ValueError):
            pass  # at a pole: the general way gives inf or nan
    if type(y_bar) is Refused:
        return (y_bar,) * len(args)
    bars = plan.pull(project(y_bar, y), y, *args)
    return [None if bar is None else project(bar, x) for bar, x in zip(bars, args, strict=True)]


def _record(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value], y: Value
) -> Record:
    operands = (*args, *keywords.values()) if keywords else args
    if not _has_cotangent(y) or (isinstance(y, np.ndarray) and aliases_any(y, operands)):
        return None
    fresh = fresh_parts(y, operands) if isinstance(y, list | tuple) else None
    if fresh is not None and not any(fresh):
        return None
    plan = plan_of(rule, args, keywords)
    if plan.direct and fresh is None:
        return (_pull_direct, plan, y, _held(versions, y, plan.y_by_value), _values(versions, plan, args), args)
    kept = _keep(versions, plan, args, keywords)
    if kept is None:
        return None
    if isinstance(kept, AstadError):
        return (_pull_refused, kept, y, fresh, _targets(versions, operands))
    values, targets = kept
    return (_pull, plan, y, fresh, _held(versions, y, plan.y_by_value), values, targets)


def _held(versions: Versions, y: Value, by_value: bool) -> Value:
    return hold(versions, y, True) if by_value else None


def _values(versions: Versions, plan: Plan, args: tuple[Value, ...]) -> list[Value]:
    """What the formulas read of numbers and arrays."""
    kept = zip(args, plan.by_value, plan.by_shape, strict=True)
    return [hold(versions, x, by_value) if by_value or by_shape else None for x, by_value, by_shape in kept]


def _has_cotangent(y: Value) -> bool:
    """Whether this result may have one: no text, bool, or array of bools."""
    if type(y) in BY_VALUE:
        return True
    if isinstance(y, np.ndarray):
        return y.dtype.kind in "fciuO"
    return has_identity(y) or is_number(y)


def _keep(
    versions: Versions, plan: Plan, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[list[Value], list[Value]] | AstadError | None:
    """What the pullback reads: ``values of the parameters, operands to deliver to``.

    None if there is no one to deliver to; an error if the rule does not cover this call.
    """
    rule = plan.rule
    if not plan.places and not plan.missing:
        return None
    try:
        bound = rule.bind(args, keywords)
    except Unsupported as error:
        return error
    if rule.refuse and rule.refuses(bound):
        return Unsupported(
            rule.name, f"call of {rule.name}", why=f"its rule does not cover the case {rule.refuse}",
            instead="write it with other operations, or declare a rule with astad.adjoint",
        )  # fmt: skip
    operands = (*args, *keywords.values()) if keywords else args
    targets: list[Value] = [None] * plan.count
    values: list[Value] = [None] * len(bound)
    held: dict[int, Value] = {}
    for k, value in enumerate(bound):
        if plan.by_value[k] or plan.by_shape[k]:
            values[k] = hold(versions, value, plan.by_value[k])
            source = plan.sources[k]
            if source is not None:
                held[source] = values[k]
    for place in (*plan.places, *[place for _, place in plan.missing]):
        for k in (place,) if isinstance(place, int) else place:
            targets[k] = target(versions, operands[k], held.get(k))
    return values, targets


def _targets(versions: Versions, operands: Sequence[Value]) -> list[Value]:
    return [target(versions, operand, None) for operand in operands]


def _pull_direct(
    shadows: Shadows, y_bar: Value, plan: Plan, y: Value, y_held: Value, values: list[Value], operands: Sequence[Value]
) -> Value:
    """``_pull`` where all operands are numbers and arrays."""
    g = _cotangent_of(shadows, y, y_bar, None)
    if g is None:
        return None
    if type(g) is Refused:
        return [deliver(shadows, operand, g, plan.rule.name) for operand in operands]
    bars = plan.pull(
        g, y_held[0] if type(y_held) is list else y_held, *[v[0] if type(v) is list else v for v in values]
    )
    result: list[Value] = []
    for operand, bar in zip(operands, bars, strict=True):
        if type(operand) is np.ndarray and type(bar) is np.ndarray and bar.shape == operand.shape:
            shadows.add_array(operand, bar)
            result.append(None)
        else:
            result.append(deliver(shadows, operand, bar, plan.rule.name))
    return result


def _pull(
    shadows: Shadows, y_bar: Value, plan: Plan, y: Value, fresh: tuple[bool, ...] | None, y_held: Value,
    values: list[Value], targets: list[Value],
) -> Value:  # fmt: skip
    """Cotangents of the operands: returned for numbers, added to the shadows of what has identity."""
    g = _cotangent_of(shadows, y, y_bar, fresh)
    return None if g is None else _pull_through(shadows, g, plan, y_held, values, targets)


def _pull_through(
    shadows: Shadows, g: Value, plan: Plan, y_held: Value, values: list[Value], targets: list[Value]
) -> list[Value]:
    bars: Sequence[Value]
    if type(g) is Refused:
        bars = [g] * len(plan.places)
    else:
        bars = plan.pull(g, restore(y_held), *map(restore, values))
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


def _deliver_variadic(
    shadows: Shadows, result: list[Value], place: tuple[int, ...], targets: list[Value], bar: Value, where: str
) -> None:
    parts = [bar] * len(place) if type(bar) is Refused else bar
    if len(parts) != len(place):
        raise RuleError(
            where, f"{len(parts)} cotangents for {len(place)} arguments", why="each argument has one",
            instead="return as many, None where there is no derivative",
        )  # fmt: skip
    for k, part in zip(place, parts, strict=True):
        result[k] = deliver(shadows, targets[k], part, where)


def _missing(rule: Rule, name: str) -> MissingRule:
    try:
        rule.pull((name,))
    except MissingRule as error:
        return error
    raise AssertionError(f"{rule.name} has a rule for {name}")


def _pull_refused(
    shadows: Shadows, y_bar: Value, error: AstadError, y: Value, fresh: tuple[bool, ...] | None, targets: list[Value]
) -> Value:
    """The rule does not cover the call: whoever asks for a cotangent of an operand gets the error."""
    if _cotangent_of(shadows, y, y_bar, fresh) is None:
        return None
    refused = Refused(error)
    return [deliver(shadows, operand, refused, str(error.where)) for operand in targets]


def _cotangent_of(shadows: Shadows, y: Value, y_bar: Value, fresh: tuple[bool, ...] | None) -> Value:
    """The whole cotangent of a fresh result, in its own shape and kind; of a tuple result a tuple."""
    if fresh is not None:
        return _cotangent_of_parts(shadows, y, y_bar, fresh)
    if isinstance(y, np.ndarray):
        g = shadows.take(y)
        if y_bar is None:
            return g
        return add(g, y_bar if type(y_bar) is Refused else project(y_bar, y))
    if type(y) in BY_VALUE or is_number(y):
        return y_bar if y_bar is None or type(y_bar) is Refused else project(y_bar, y)
    return add(shadows.take(y), y_bar) if has_identity(y) else None


def _cotangent_of_parts(shadows: Shadows, y: Value, y_bar: Value, fresh: tuple[bool, ...]) -> Value:
    """Cotangents of the parts, None where there is none; None if there is none at all."""
    if type(y_bar) is Refused:
        return y_bar
    given = [None] * len(y) if y_bar is None else y_bar
    parts: list[Value] = []
    for part, own, slot, local in zip(y, fresh, shadows.slots_take(y, len(y)), given, strict=True):
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


# ------------------------------------------------------------------------- out=


def _out_of(rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """What the call writes its result into, or None."""
    if keywords and keywords.get("out") is not None:
        return keywords["out"]
    place = _out_place(rule, args)
    return None if place is None else args[place]


def _out_place(rule: Rule, args: tuple[Value, ...]) -> int | None:
    """Position of an ``out`` given by position."""
    if isinstance(rule.fn, np.ufunc):
        return rule.fn.nin if len(args) > rule.fn.nin else None
    if len(args) < 2 or "out" not in rule.parameters:
        return None
    place = rule.parameters.index("out")
    return place if place < len(args) else None


def _apply_into(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value], out: Value
) -> tuple[Value, Record]:
    """A call with ``out=``: a write, into an array, of the result of the plain call."""
    array = out[0] if type(out) is tuple and len(out) == 1 else out
    if not isinstance(array, np.ndarray):
        raise Unsupported(
            rule.name, f"out= of a {type(out).__name__} in {rule.name}", why="one array is followed when written to",
            instead="use what the call returns",
        )  # fmt: skip
    place = _out_place(rule, args)
    plain = args if place is None else (*args[:place], None, *args[place + 1 :])
    given = {name: None if value is out else value for name, value in keywords.items()}
    plan = plan_of(rule, plain, given)
    kept = None if rule.form == "zero" else _keep(versions, plan, plain, given)
    versions.writing(array)
    y = rule.fn(*args, **keywords)
    if kept is None:
        return y, (_pull_overwritten, array)
    if isinstance(kept, AstadError):
        return y, (_pull_refused_into, kept, array, _targets(versions, (*plain, *given.values())))
    values, targets = kept
    return y, (_pull_into, plan, array, _held(versions, array, plan.y_by_value), values, targets)


def _take_written(shadows: Shadows, array: Value, y_bar: Value) -> Value:
    g = shadows.take_slot(array, ...)
    if y_bar is None or type(y_bar) is Refused:
        return add(g, y_bar)
    return add(g, project(y_bar, array))


def _pull_overwritten(shadows: Shadows, y_bar: Value, array: Value) -> Value:
    _take_written(shadows, array, y_bar)
    return None


def _pull_into(
    shadows: Shadows, y_bar: Value, plan: Plan, array: Value, y_held: Value, values: list[Value], targets: list[Value]
) -> Value:
    g = _take_written(shadows, array, y_bar)
    return None if g is None else _pull_through(shadows, g, plan, y_held, values, targets)


def _pull_refused_into(
    shadows: Shadows, y_bar: Value, error: AstadError, array: Value, targets: list[Value]
) -> Value:
    if _take_written(shadows, array, y_bar) is None:
        return None
    refused = Refused(error)
    return [deliver(shadows, operand, refused, str(error.where)) for operand in targets]
