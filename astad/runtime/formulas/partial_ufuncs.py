"""Universal functions applied to some of the elements: ``where=`` and ``ufunc.at``.

>>> from astad.runtime.cotangents.shadows import Shadows
>>> a, shadows = np.array([1.0, 2.0, 3.0]), Shadows()
>>> _, (pull, *data) = at_forward(Versions(), np.multiply, a, [0, 2, 0], 5.0)
>>> a
array([25.,  2., 15.])
>>> shadows.add(a, np.ones(3))
>>> [float(g) for g in pull(shadows, None, *data) if g is not None], shadows.take(a)
([13.0], array([25.,  1.,  5.]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from astad.errors import MissingRule, Unsupported
from astad.rules.formula import Rule
from astad.rules.registry import lookup
from astad.runtime.core.full_rules import Cotangents, Record, Value, full
from astad.runtime.core.listings import deliver, deliver_array, frozen_index, hold
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.array_shadows import may_repeat
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.object_arrays import not_for_objects
from astad.runtime.formulas.rule_plans import as_floats
from astad.runtime.formulas.whole_numbers import is_whole, whole_targets
from astad.tangents.add import add
from astad.tangents.arrays import project
from astad.tangents.refused import Refused
from astad.tangents.zero import is_differentiable

__all__ = ["apply_where", "is_partial"]


def _wanted(rule: Rule, operands: Sequence[Value]) -> tuple[str, ...]:
    pairs = zip(rule.parameters, operands, strict=False)
    return tuple(name for name, x in pairs if name in rule.back and is_differentiable(x))


def _values(x: Value) -> Value:
    """The values of an operand as they are now; a number itself."""
    return np.array(x) if issubclass(type(x), (np.ndarray, list, tuple)) else x


def _at_places(x: Value, shape: tuple[int, ...], places: Value) -> Value:
    """The values that meet these places, along one axis."""
    return np.broadcast_to(x, shape)[places].reshape(-1) if issubclass(type(x), np.ndarray) else x


def _parts(rule: Rule, wanted: Sequence[str], g: Value, y: Value, *xs: Value) -> dict[str, Value]:
    if not wanted:
        return {}
    values = (y, *xs) if rule.selects else map(as_floats, (y, *xs))
    return dict(zip(wanted, rule.pull(tuple(wanted))(g, *values), strict=True))


# --- where= ---------------------------------------------------------------------------------------


def is_partial(rule: Rule, keywords: Mapping[str, Value]) -> bool:
    """Is it a call of a universal function with a mask?"""
    if keywords.get("where", True) is True or not isinstance(rule.fn, np.ufunc):
        return False
    rest = keywords.keys() - {"where", "out", "casting", "order", "subok"}
    return not rest and rule.form in ("scalar", "zero") and rule.fn.nout == 1


def apply_where(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record]:
    """``np.divide(x, y, out=z, where=mask)``: the formulas see the elements of the mask alone."""
    ufunc: Value = rule.fn
    count = ufunc.nin
    out = keywords.get("out", args[count] if len(args) > count else None)
    out = out[0] if type(out) is tuple else out
    mask, operands = np.array(keywords["where"], bool), args[:count]
    values = [_values(x) for x in operands]
    if out is not None:
        versions.writing(out)
    y = rule.fn(*args, **keywords)
    if issubclass(type(y), np.ndarray) and y.dtype.kind == "O":
        raise not_for_objects(f"where= in a call of {rule.name}")
    if not issubclass(type(y), np.ndarray) or y.dtype.kind not in "fciu":
        return y, None if issubclass(type(y), np.ndarray) else _of_number(rule, mask, args, y)
    wanted = _wanted(rule, operands) if rule.form == "scalar" else ()
    if not wanted and out is None:
        return y, None
    held = [hold(versions, x, False) for x in operands]
    if is_whole(y):
        held = whole_targets(rule, (args, keywords), held)
    total = len(args) + len(keywords)
    record = (pull_where, rule, wanted, y, y.copy(), out is not None, mask, values, held, total)
    return y, record


def _of_number(rule: Rule, mask: Value, args: tuple[Value, ...], y: Value) -> Record:
    if not _wanted(rule, args):
        return None
    raise Unsupported(
        rule.name,
        f"where= in a call of {rule.name} on numbers",
        why="where the mask is false the result has no value",
        instead="choose by if, or give arrays and out=",
    )


def pull_where(
    shadows: Shadows, y_bar: Value, rule: Rule, wanted: tuple[str, ...], y: Value, then: Value,
    stays: bool, mask: Value, values: list[Value], held: list[Value], total: int,
) -> Cotangents:  # fmt: skip
    g = shadows.take_slot(y, ...)
    if y_bar is not None:
        g = add(g, y_bar if type(y_bar) is Refused else project(y_bar, y))
    if g is None:
        return None
    bars: list[Value] = [None] * total
    if type(g) is Refused:
        parts: dict[str, Value] = dict.fromkeys(wanted, g)
        if stays:
            shadows.add(y, g)
    else:
        mask = np.broadcast_to(mask, g.shape)
        if stays:
            shadows.add(y, np.where(mask, 0, g))
        chosen = [_at_places(x, g.shape, mask) for x in values]
        parts = _parts(rule, wanted, g[mask], then[mask], *chosen)
    for name, part in parts.items():
        k = rule.parameters.index(name)
        bars[k] = deliver_array(shadows, _spread(part, mask), held[k], np.shape(values[k]))
    return bars


def _spread(part: Value, mask: Value) -> Value:
    """Zeros but where the mask is true; of a number all has been added up."""
    if np.ndim(part) == 0 or type(part) is Refused:
        return part
    whole = np.zeros(mask.shape, part.dtype)
    whole[mask] = part
    return whole


# --- ufunc.at -------------------------------------------------------------------------------------


@full(np.ufunc.at)
def at_forward(
    versions: Versions, ufunc: Value, a: Value, indices: Value, *b: Value
) -> tuple[None, Record]:
    """Repeated places are worked on one after the other: in rounds, each place once in a round."""
    rule = lookup(ufunc)
    operands = (a, *b)
    count = len(operands) + 1
    if issubclass(type(a), np.ndarray) and a.dtype.kind == "O":
        raise not_for_objects(f"np.{ufunc.__name__}.at")
    if not issubclass(type(a), np.ndarray) or a.dtype.kind not in "fciu":
        ufunc.at(a, indices, *b)
        return None, None
    versions.writing(a)
    if ufunc in (np.add, np.subtract):
        places = frozen_index(indices)
        ufunc.at(a, indices, *b)
        held, minus = hold(versions, b[0], False), ufunc is np.subtract
        return None, (pull_added_at, a, places, held, np.shape(b[0]), minus, count)
    index, numbers = _distinct(a, indices)
    work = np.array(a[index]).reshape(-1)
    given = [_values(x) for x in b]
    ufunc.at(a, indices, *b)
    if rule is None or rule.form not in ("scalar", "zero"):
        return None, (pull_unknown_at, a, index, ufunc.__name__)
    rounds = _rounds(ufunc, work, numbers, given)
    wanted = _wanted(rule, operands) if rule.form == "scalar" else ()
    held = [hold(versions, x, False) for x in b]
    return None, (pull_at, rule, wanted, a, index, rounds, numbers.shape, held, given, count)


def _distinct(a: Value, indices: Value) -> tuple[Value, Value]:
    """An index that names each place once, and for each of the indices which of these it is."""
    if not may_repeat(indices):
        index = frozen_index(indices)
        shape = np.shape(a[index])
        return index, np.arange(int(np.prod(shape))).reshape(shape)
    places = np.arange(a.size).reshape(a.shape)[indices]
    distinct, numbers = np.unique(places, return_inverse=True)
    return np.unravel_index(distinct, a.shape), numbers.reshape(np.shape(places))


def _rounds(
    ufunc: Value, work: Value, numbers: Value, given: list[Value]
) -> list[tuple[Value, Value, list[Value]]]:
    """For each round: which of the indices, the numbers of their places, the values after and
    before.
    """
    shape, numbers = numbers.shape, numbers.reshape(-1)
    found = []
    for mine in _turns(numbers):
        where = np.unravel_index(mine, shape) if shape else ()
        here = numbers[mine]
        xs = [work[here], *(_at_places(x, shape, where) for x in given)]
        with np.errstate(all="ignore"):  # the warnings came with the call itself
            y = ufunc(*xs).astype(work.dtype, copy=False)
        work[here] = y
        found.append((mine, here, [y, *xs]))
    return found


def _turns(numbers: Value) -> list[Value]:
    """The indices of which each place is met for the first time, the second time, and so on."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    starts = np.flatnonzero(new[: numbers.size])
    lengths = np.diff(np.r_[starts, numbers.size]).astype(int)
    turn = np.empty(numbers.size, int)
    turn[order] = np.arange(numbers.size) - np.repeat(starts, lengths)
    return [np.flatnonzero(turn == k) for k in range(max(lengths, default=0))]


def pull_at(
    shadows: Shadows, y_bar: Value, rule: Rule, wanted: tuple[str, ...], a: Value, index: Value,
    rounds: Value, shape: tuple[int, ...], held: list[Value], given: list[Value], count: int,
) -> Cotangents:  # fmt: skip
    g = shadows.take_slot(a, index)
    bars: list[Value] = [None] * (count + 1)
    if g is None:
        return None
    if type(g) is Refused:
        shadows.add(a, g)
        bars[3:] = [deliver(shadows, x, g, rule.name) for x in held]
        return bars
    flat = np.array(g).reshape(-1)
    parts_of: dict[str, Value] = {}
    for mine, here, (y, *xs) in reversed(rounds):
        parts = _parts(rule, wanted, flat[here], y, *xs)
        flat[here] = parts.pop(rule.parameters[0], 0)
        for name, part in parts.items():
            parts_of[name] = add(parts_of.get(name), _at_mine(part, mine, shape))
    shadows.index_add(a, index, flat.reshape(np.shape(g))[()])
    for name, part in parts_of.items():
        k = rule.parameters.index(name) - 1
        bars[3 + k] = deliver_array(shadows, part, held[k], np.shape(given[k]))
    return bars


def _at_mine(part: Value, mine: Value, shape: tuple[int, ...]) -> Value:
    """Zeros but at the indices of one round; of a number all has been added up."""
    if np.ndim(part) == 0:
        return part
    whole = np.zeros(int(np.prod(shape)), part.dtype)
    whole[mine] = part
    return whole.reshape(shape)


def pull_added_at(
    shadows: Shadows, y_bar: Value, a: Value, places: Value, b: Value, shape: tuple[int, ...],
    minus: bool, count: int,
) -> Cotangents:  # fmt: skip
    """The array keeps its cotangent, each value has that of its place."""
    g = shadows.read(a)
    if g is None:
        return None
    if type(g) is not Refused:
        g = np.negative(g[places]) if minus else np.array(g[places])
    return None, None, None, deliver_array(shadows, g, b, shape)


def pull_unknown_at(
    shadows: Shadows, y_bar: Value, a: Value, indices: Value, name: str
) -> Cotangents:
    g = shadows.take_slot(a, indices)
    if g is None or type(g) is Refused or not np.any(g):
        return None
    raise MissingRule(
        f"{name}.at",
        f"a derivative through np.{name}.at",
        why="astad has no rule of the function",
        instead="write it with other operations, or compute the places one by one",
    )
