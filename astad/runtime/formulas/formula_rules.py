"""Formula rules at run time: the call itself, what its pullback must keep, and the pullback.

>>> import math, astad.rules
>>> from astad.rules.registry import lookup
>>> from astad.runtime.cotangents.shadows import Shadows
>>> y, (pull, *data) = apply_rule(Versions(), lookup(math.sin), (0.0,), {})
>>> y, tuple(pull(Shadows(), 2.0, *data))
(0.0, (2.0,))
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from astad.errors import AstadError, Unsupported
from astad.rules.formula import Rule
from astad.rules.numpy.step_by_step import into_several, stands_in
from astad.rules.uncovered import case_in_words
from astad.runtime.core.full_rules import callbacks
from astad.runtime.core.listings import Listing, hold, target
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import aliases_any, fresh_parts
from astad.runtime.formulas.fast_paths import QUICK, learn
from astad.runtime.formulas.object_arrays import (
    apply_steps,
    holds_objects,
    is_one_object,
    may_make_objects,
    refuse_new_objects,
    steps_for,
    write_steps,
)
from astad.runtime.formulas.overlapping_writes import order_of_result
from astad.runtime.formulas.partial_ufuncs import apply_where, is_partial
from astad.runtime.formulas.rule_plans import PLANS, REAL, Plan, plan_of
from astad.runtime.formulas.rule_pulls import (
    as_made,
    pull_direct,
    pull_floats,
    pull_into,
    pull_into_in_order,
    pull_kept,
    pull_overwriting,
    pull_overwritten,
    pull_refused,
    pull_refused_into,
)
from astad.runtime.formulas.whole_numbers import (
    KEEPING_WHOLE,
    is_whole,
    lost_in_steps,
    lost_parts,
    note_whole,
    of_whole_result,
    whole_targets,
)
from astad.tangents.zero import BY_VALUE, has_identity, is_differentiable, is_number

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
        ``pull(shadows, y_bar, *data) -> one cotangent per operand``; None where no derivative
        passes, or the result is an operand or a view of one, whose shadow it shares.
    """
    if rule.form == "scalar" and id(rule.fn) not in QUICK:
        learn(rule, _record)
    if not keywords:
        plan = PLANS.get((id(rule), *map(type, args)))
        if plan is not None and plan.floats:
            y = rule.fn(*args)
            if type(y) in REAL:
                return y, (pull_floats, plan, y, args)
            return y, _record_of_parts(versions, rule, args, keywords, y)
        steps = steps_for(rule.fn, args)
        if steps is not None:
            return apply_steps(versions, steps, args)
    if keywords and is_partial(rule, keywords):
        return apply_where(versions, rule, args, keywords)
    if type(ufunc := rule.fn) is np.ufunc and ufunc.nout > 1:
        outs = _outs_of(rule, args, keywords)
        if any(out is not None and out is not ... for out in outs):
            return _apply_into_several(versions, rule, args, keywords, outs)
    if len(args) == 1 and not keywords and rule.form == "scalar" and _asks_for_method(rule, *args):
        return _by_method(versions, rule, args[0])
    if "overwrite_" in rule.refuse and (flags := _overwrites(rule, args, keywords)):
        return _apply_overwriting(versions, rule, args, keywords, flags)
    out = _out_of(rule, args, keywords)
    if out is ...:
        return _apply_to_array(versions, rule, args, keywords)
    if out is None and (rule.refuse or rule.missing):
        source = _source_of(rule, args, keywords)
        if source is not None:
            return callbacks.call(versions, source, *args, **keywords)
    if out is not None:
        return _apply_into(versions, rule, args, keywords, out)
    y = rule.fn(*args, **keywords)
    if rule.fn is np.unique:
        y = _as_numbers(y)
    if rule.form == "zero":
        return y, _step_of_ints(rule, args, y) if versions and versions.exact else None
    return y, _record_of_parts(versions, rule, args, keywords, y)


def _as_numbers(y: Value) -> Value:
    """The distinct rows of an array as numbers of their own, not as those of the structures by
    which NumPy sorted them, which no one else has.
    """
    values = y[0] if type(y) is tuple else y
    if type(values) is not np.ndarray or values.base is None or values.dtype.kind not in "fciu":
        return y
    values = values.copy("K")
    return (values, *y[1:]) if type(y) is tuple else values


def _source_of(
    rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> FunctionType | None:
    """The Python function behind one of NumPy's, for a call that its rule does not cover: not
    those of linalg, which are thin over compiled code."""
    source = stands_in(rule.fn, args, keywords) or getattr(rule.fn, "_implementation", None)
    if type(source) is not FunctionType or rule.form == "zero" or "linalg" in rule.name:
        return None
    try:
        bound = rule.bind(args, keywords)
    except Unsupported:
        return source
    asked = rule.fn in _BY_SOURCE and bool(plan_of(rule, args, keywords).missing)
    return source if asked or (rule.refuse and rule.refuses(bound)) else None


_BY_SOURCE = (np.cov, np.histogram, np.ufunc.reduce)
"""Of these a parameter without a formula has its derivative by the Python of the function."""


def _asks_for_method(rule: Rule, x: Value) -> bool:
    """Does the ufunc look for the method of its name, as of a sparse array?"""
    return type(rule.fn) is np.ufunc and is_one_object(x)


def _by_method(versions: Versions, rule: Rule, x: Value) -> tuple[Value, Record]:
    sign = _SIGNS.get(rule.fn)
    if sign is not None:
        return callbacks.call(versions, sign, x)
    method = getattr(type(x), rule.fn.__name__, None)
    if method is None:
        return rule.fn(x), None  # raises its own error
    return callbacks.call(versions, method, x)


_SIGNS: dict[Value, Value] = {
    np.absolute: operator.abs,
    np.negative: operator.neg,
    np.positive: operator.pos,
}


def _record_of_parts(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value], y: Value
) -> Record:
    if versions and versions.exact and rule.fn in _IN_PARTS:
        record = _step_of_ints(rule, args, y)
        if record is not None:
            return record
    return _record(versions, rule, args, keywords, y)


_IN_PARTS = (divmod, np.divmod)
"""Of the parts of their results, one is a step function."""


def _step_of_ints(rule: Rule, args: tuple[Value, ...], y: Value) -> Record:
    """Of ints a step function may be the derivative of a numerator: the root of a whole number."""
    parts = y if type(y) is tuple else (y,)
    if not all(type(each) is int or is_whole(each) for each in (*parts, *args)):
        return None
    fresh = (True,) * len(y) if type(y) is tuple else None
    return (pull_refused, lost_in_steps(rule), y, fresh, list(args))


def _record(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value], y: Value
) -> Record:
    operands = (*args, *keywords.values()) if keywords else args
    if not _has_cotangent(y) or (issubclass(type(y), np.ndarray) and aliases_any(y, operands)):
        return None
    fresh = fresh_parts(y, operands) if issubclass(type(y), (list, tuple)) else None
    if fresh is not None and not any(fresh):
        return None
    plan, whole = plan_of(rule, args, keywords), is_whole(y)
    if plan.direct and fresh is None:
        return (
            pull_direct,
            plan,
            y,
            _held(versions, y, plan.y_by_value),
            _values(versions, plan, args),
            whole_targets(rule, (args, {}), args) if whole else args,
        )
    kept = _keep(versions, plan, args, keywords)
    if kept is None:
        return None
    if not isinstance(kept, AstadError):
        kept = lost_parts(rule, (args, keywords), y, plan.y_by_value) or kept
    if isinstance(kept, AstadError):
        return (pull_refused, kept, as_made(y), fresh, _targets(versions, operands))
    values, targets = kept
    if whole:
        values, targets = of_whole_result(versions, rule, (args, keywords), values, targets)
    elif plan.keeps_whole or (versions.of_ints and rule.fn in KEEPING_WHOLE):
        note_whole(versions, operands, y)
    held = _held(versions, y, plan.y_by_value)
    record = (pull_kept, plan, as_made(y), fresh, held, values, targets)
    if fresh is None and may_make_objects(y, operands):
        return refuse_new_objects(rule, y, operands, _targets(versions, operands), record)
    return record


def _held(versions: Versions, y: Value, by_value: bool) -> Value:
    return hold(versions, y, True) if by_value else None


def _values(versions: Versions, plan: Plan, args: tuple[Value, ...]) -> list[Value]:
    """What the formulas read of numbers and arrays."""
    kept = zip(args, plan.by_value, plan.by_shape, strict=True)
    return [
        hold(versions, x, by_value) if by_value or by_shape else None
        for x, by_value, by_shape in kept
    ]


def _has_cotangent(y: Value) -> bool:
    """Whether this result may have one: no text, bool, or array of bools."""
    if type(y) in BY_VALUE:
        return True
    if issubclass(type(y), np.ndarray):
        return y.dtype.kind in "fciuO"
    return has_identity(y) or is_number(y)


def _keep(
    versions: Versions, plan: Plan, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[list[Value], list[Value]] | AstadError | None:
    """What the pullback reads: ``values of the parameters, operands to deliver to``.

    None if there is no one to deliver to; an error if the rule does not cover this call.
    """
    rule = plan.rule
    if not plan.places and not plan.missing and not _carries_beyond(rule, args, keywords):
        return None
    try:
        bound = rule.bind(args, keywords)
    except Unsupported as error:
        return error
    if rule.refuse and rule.refuses(bound):
        return Unsupported(
            rule.name,
            f"call of {rule.name}",
            why=f"its rule does not cover {case_in_words(rule, bound)}",
            instead="write it with other operations, or declare a rule with astad.adjoint",
        )
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
            targets[k] = made = target(versions, operands[k], held.get(k))
            if type(made) is Listing and made.converts and _asks_floats(rule):
                return _of_converted(rule)
    return values, targets


def _asks_floats(rule: Rule) -> bool:
    home = str(getattr(rule.fn, "__module__", "")).partition(".")[0]
    return isinstance(rule.fn, np.ufunc) or home in ("numpy", "scipy")


def _of_converted(rule: Rule) -> Unsupported:
    return Unsupported(
        rule.name,
        f"a list for {rule.name} with floats that have a __float__ of their own",
        why="NumPy asks each of them for the number that it takes, which is not recorded",
        instead="convert them first, as by [float(v) for v in values]",
    )


def _targets(versions: Versions, operands: Sequence[Value]) -> list[Value]:
    return [target(versions, operand, None) for operand in operands]


# ------------------------------------------------------------------------- out=


def _carries_beyond(rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> bool:
    """Whether a keyword that the rule does not know may carry a derivative."""
    names = rule.signature.unknown(args, keywords) if keywords else ()
    return any(is_differentiable(keywords[name]) for name in names if name in keywords)


def _out_of(rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """What the call writes its result into, or None."""
    if keywords and keywords.get("out") is not None:
        return keywords["out"]
    place = _out_place(rule, args)
    out = None if place is None else args[place]
    is_shape = type(out) is tuple and all(type(n) is int for n in out)  # of what `filling` makes
    return None if is_shape else out


def _out_place(rule: Rule, args: tuple[Value, ...]) -> int | None:
    """Position of an ``out`` given by position."""
    if isinstance(rule.fn, np.ufunc):
        return rule.fn.nin if len(args) > rule.fn.nin else None
    if len(args) < 2:
        return None
    if rule.form == "zero":
        place = _place_of_out(rule.fn)
        return place if place is not None and place < len(args) else None
    if "out" not in rule.parameters:
        return None
    place = rule.parameters.index("out")
    if any(name.startswith("*") for name in rule.parameters[:place]):
        return None
    return place if place < len(args) else None


@functools.cache
def _place_of_out(fn: Any) -> int | None:  # Any: NumPy's functions
    """The position of ``out`` among the parameters of a function whose rule names none.

    >>> _place_of_out(np.round), _place_of_out(len)
    (2, None)
    """
    import inspect  # late: a warm process has no use for it

    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # compiled, without a signature
        return None
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = [p.name for p in parameters if p.kind in by_position]
    return given.index("out") if "out" in given else None


def _outs_of(rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """What a ufunc of several results writes them into, None for those that are made."""
    out = keywords.get("out") if keywords else None
    if out is not None:
        return out if type(out) is tuple else (out,)
    ufunc: Value = rule.fn
    given = args[ufunc.nin :]
    return (*given, *[None] * (ufunc.nout - len(given)))


def _apply_into_several(
    versions: Versions,
    rule: Rule,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    outs: tuple[Value, ...],
) -> tuple[Value, Record]:
    """The results of the plain call, each copied into its array."""
    if not keywords.keys() <= {"out"} or not _take_results(rule, args, outs):
        raise Unsupported(
            rule.name,
            f"out= of {rule.name} with arrays that overlap or are of another kind, or where=",
            why="its results are followed where each is written to an array of its own",
            instead="use what the call returns",
        )
    return callbacks.call(versions, functools.partial(into_several, rule.fn), *args, **keywords)


def _take_results(rule: Rule, args: tuple[Value, ...], outs: tuple[Value, ...]) -> bool:
    """Whether these are plain arrays, apart from each other, that NumPy casts the results to."""
    ufunc: Value = rule.fn
    arrays = [out for out in outs if out is not None]
    given = args[: ufunc.nin]
    if any(type(out) is not np.ndarray for out in arrays) or len(outs) != ufunc.nout:
        return False
    if any(map(holds_objects, (*arrays, *given))):
        return False
    shape = np.broadcast_shapes(*map(np.shape, given))
    kinds = [type(each) if type(each) in (int, float, complex) else np.asarray(each).dtype
             for each in given]  # fmt: skip
    made = ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout))[ufunc.nin :]
    return all(
        out is None or out.shape == shape and np.can_cast(dtype, out.dtype, "same_kind")
        for out, dtype in zip(outs, made, strict=True)
    ) and not any(np.may_share_memory(*both) for both in itertools.combinations(arrays, 2))


def _apply_to_array(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record]:
    """``out=...``: the plain result, as an array also where it has no axes."""
    y = rule.fn(*args, **keywords)
    plain = {name: None if value is ... else value for name, value in keywords.items()}
    return y, None if rule.form == "zero" else _record(versions, rule, args, plain, y)


def _apply_into(
    versions: Versions,
    rule: Rule,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    out: Value,
) -> tuple[Value, Record]:
    """A call with ``out=``: a write, into an array, of the result of the plain call."""
    array = out[0] if type(out) is tuple and len(out) == 1 else out
    if not issubclass(type(array), np.ndarray):
        rule.fn(*args, **keywords)  # most raise Python's own error
        raise Unsupported(
            rule.name,
            f"out= of a {type(out).__name__} in {rule.name}",
            why="one array is followed when written to",
            instead="use what the call returns",
        )
    place = _out_place(rule, args)
    plain = args if place is None else (*args[:place], None, *args[place + 1 :])
    if array.dtype.kind == "O" and any(map(holds_objects, (array, *args))):
        return write_steps(versions, rule.fn, array, args if place is None else args[:place])
    given = {name: None if value is out else value for name, value in keywords.items()}
    alone = len(args) == 1 == len(keywords) and args[0] is array
    if alone and rule.fn in _ROUNDING and is_whole(array):
        return rule.fn(*args, **keywords), None  # ints are rounded already
    plan = plan_of(rule, plain, given)
    kept = None if rule.form == "zero" else _keep(versions, plan, plain, given)
    if isinstance(kept, tuple):
        kept = _cast(versions, rule, plan, (args, keywords), array, kept)
    versions.writing(array)
    y = rule.fn(*args, **keywords)
    if kept is None:
        return y, (pull_overwritten, array)
    if isinstance(kept, AstadError):
        return y, (pull_refused_into, kept, array, _targets(versions, (*plain, *given.values())))
    values, targets = kept
    record = (pull_into, plan, array, _held(versions, array, plan.y_by_value), values, targets)
    order = _order_of_parts(rule, args, keywords, array) if rule.fn in _PART_BY_PART else None
    return y, record if order is None else (pull_into_in_order, order, *record)


_ROUNDING = (np.round, np.around, np.ndarray.round)

_PART_BY_PART = (np.concatenate, np.stack)
"""They write each part before they read the next; others read what they are given first."""


def _order_of_parts(
    rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value], array: Value
) -> Value:
    name = rule.parameters[0]
    parts = args[0] if args else keywords[name]

    def write(a: Value, parts: Value) -> None:
        given = [a if each is array else each for each in args[1:]]
        words = {key: a if each is array else each for key, each in keywords.items()}
        if args:
            rule.fn(parts, *given, **words)
        else:
            rule.fn(**{**words, name: parts})

    return order_of_result(array, parts, write)


def _cast(
    versions: Versions,
    rule: Rule,
    plan: Plan,
    given: tuple[tuple[Value, ...], Mapping[str, Value]],
    array: Value,
    kept: tuple[list[Value], list[Value]],
) -> tuple[list[Value], list[Value]] | AstadError:
    """What the pullback reads where the result is cast to the dtype of an array."""
    if is_whole(array):
        return of_whole_result(versions, rule, given, *kept)
    return lost_parts(rule, given, array, plan.y_by_value) or kept


# ------------------------------------------------------------------------- overwrite_a=


def _overwrites(rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> set[str]:
    """The flags of the call by which SciPy may write into what it is given."""
    given = dict(zip(rule.parameters, args, strict=False), **keywords)
    return {name for name, flag in given.items() if name.startswith("overwrite_") and flag}


def _apply_overwriting(
    versions: Versions,
    rule: Rule,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    flags: set[str],
) -> tuple[Value, Record]:
    """The call on copies, of which the changed ones are then written into the operands."""
    plain = tuple(
        False if name in flags else x for name, x in zip(rule.parameters, args, strict=False)
    )
    words = {name: False if name in flags else x for name, x in keywords.items()}
    plan = plan_of(rule, plain, words)
    kept = _keep(versions, plan, plain, words)
    copied: dict[int, tuple[Value, Value]] = {
        id(x): (x, np.array(x, order="K"))
        for x in (*args, *keywords.values())
        if issubclass(type(x), np.ndarray) and x.flags.writeable
    }
    y = rule.fn(
        *[copied.get(id(x), (x, x))[1] for x in args],
        **{name: copied.get(id(x), (x, x))[1] for name, x in keywords.items()},
    )
    changed = [x for x, c in copied.values() if not np.array_equal(x, c, equal_nan=True)]
    for x in changed:
        versions.writing(x)
        x[...] = copied[id(x)][1]
    record: Record = None
    if isinstance(kept, AstadError):
        record = (pull_refused, kept, y, None, _targets(versions, (*plain, *words.values())))
    elif kept is not None:
        fresh = fresh_parts(y, ()) if issubclass(type(y), (list, tuple)) else None
        held = _held(versions, y, plan.y_by_value)
        record = (pull_kept, plan, as_made(y), fresh, held, *kept)
    return y, (pull_overwriting, rule.name, changed, record) if changed else record
