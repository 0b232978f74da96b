"""What is left of a derivative where numbers are cast: among whole numbers that of ints alone.

``o[0] = x`` writes a float into an array of ints, ``np.sum(x, dtype=int)`` adds up what is left of
floats: both are constant between their jumps. An int that goes there stays what it is.

>>> whole_part(3), whole_part(2.5), whole_part(np.ones(2)), whole_part(np.arange(2))
(3, None, None, array([0, 1]))
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from astad.errors import Unsupported
from astad.rules.formula import Rule
from astad.runtime.core.listings import Asked, Listing, WholeItems, converts, hold
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import Array, owner_of
from astad.tangents.zero import is_number

__all__ = [
    "KEEPING_WHOLE", "hold_for", "is_whole", "lost_in_steps", "lost_parts", "note_whole",
    "of_whole_result", "whole_part", "whole_targets",
]  # fmt: skip

Value: TypeAlias = Any
"""Any object of the user's program: there is nothing narrower to say."""

Given: TypeAlias = tuple[Sequence[Value], Mapping[str, Value]]
"""What a call was given: by position, by name."""

_CASTING = ("dtype", "out", "casting", "sig", "signature")

_CONVERTING = frozenset([
    np.array, np.asarray, np.asanyarray, np.asarray_chkfinite, np.ascontiguousarray,
    np.asfortranarray, np.require, np.astype, np.ndarray.astype, np.generic.astype, np.full,
    np.full_like, np.ndarray.view, np.generic.view,
])  # fmt: skip
"""They compute nothing: an int that they make of an int was not rounded, whatever ``dtype`` is."""

KEEPING_WHOLE = _CONVERTING | {np.bincount, np.copy, np.ndarray.copy}
"""Floats that they make of ints, or of such floats, are whole numbers that were not rounded."""

_SUMMING = ("correlate", "correlate1d", "min_or_max_filter", "min_or_max_filter1d", "rank_filter")
"""Filters of scipy.ndimage which give whole numbers of whole ones; others take means of them, or
interpolate but of order 0."""

_OF_WHOLE_EXPONENTS = frozenset(["scipy.linalg.fractional_matrix_power"])
"""Of floats that are whole numbers they compute as of ints: the result is no step function."""


def is_whole(y: Value) -> bool:
    """An integer of NumPy's or an array of these; Python's own ints may be numerators."""
    return (
        y.dtype.kind in "iu" if issubclass(type(y), np.ndarray) else issubclass(type(y), np.integer)
    )


def hold_for(versions: Versions, a: Value, v: Value) -> Value:
    """What the record of a write into the array `a` holds of what was written."""
    held = hold(versions, v, False)
    if a.dtype.kind in "iu":
        return whole_part(held)
    is_asked = a.dtype.kind != "O" and converts(held if type(held) is Listing else v)
    return Asked(held) if is_asked else held


def whole_part(held: Value) -> Value:
    """Of an operand, or its listing, what keeps its derivative among whole numbers; None for
    nothing.
    """
    if issubclass(type(held), np.ndarray):
        if held.dtype.kind != "O":
            return held if held.dtype.kind in "iu" else None
        ints = [isinstance(x, (int, np.integer)) for x in held.flat]
        return held if all(ints) else WholeItems(held, ints) if any(ints) else None
    if type(held) is Listing:
        found = copy.copy(held)
        found.items = tuple(map(whole_part, held.items))
        return found
    if issubclass(type(held), tuple):  # of numbers alone
        parts = tuple(map(whole_part, held))
        return held if None not in parts else Listing.of_parts(held, parts)
    return None if is_number(held) and not issubclass(type(held), (int, np.integer)) else held


def note_whole(versions: Versions, args: Sequence[Value], y: Value) -> None:
    """Keep in mind that an array of floats holds ints: SciPy converts those that it is given, and
    casts what it has computed back.
    """
    if issubclass(type(y), np.ndarray) and y.dtype.kind == "f":
        ints = all(_holds_ints(versions, x) for x in args if issubclass(type(x), np.ndarray))
        if ints:
            if versions.of_ints is None:
                versions.of_ints = {}
            versions.of_ints[id(y)] = y


def _holds_ints(versions: Versions, a: Array) -> bool:
    if a.dtype.kind != "f":
        return a.dtype.kind in "iu"
    known = versions.of_ints is not None and id(owner_of(a)) in versions.of_ints
    return known and _has_whole_values(a)  # it may have been written to


def of_whole_result(
    versions: Versions, rule: Rule, given: Given, values: list[Value], targets: Sequence[Value]
) -> tuple[list[Value], list[Value]]:
    """What the pullback of a call with a whole result reads, and the operands it goes to."""
    if rule.name.startswith("scipy.ndimage."):
        filtered = _of_filter(versions, rule, given, targets)
        if filtered is not None:
            return values, filtered
    if rule.fn not in _CONVERTING or "dtype" not in rule.parameters:
        return values, whole_targets(rule, given, targets)
    values = list(values)
    values[rule.parameters.index("dtype")] = None  # what is cast is known here
    return values, [
        x if type(x) is np.ndarray and _holds_ints(versions, x) else whole_part(x) for x in targets
    ]


def _of_filter(
    versions: Versions, rule: Rule, given: Given, targets: Sequence[Value]
) -> list[Value] | None:
    """The same of a filter that gives whole numbers of whole ones; None where it may round."""
    bound = dict(zip(rule.parameters, rule.bind(*given), strict=True))
    if rule.name.rpartition(".")[2] not in _SUMMING:
        return [whole_part(each) for each in targets] if bound.get("order") == 0 else None
    if not all(map(_has_whole_values, (bound[name] for name in rule.back))):
        return None
    return [
        x if issubclass(type(x), np.ndarray) and _holds_ints(versions, x) else whole_part(x)
        for x in targets
    ]


def _has_whole_values(x: Value) -> bool:
    return x is None or bool(np.all(np.equal(x, np.rint(x))))


def whole_targets(rule: Rule, given: Given, targets: Sequence[Value]) -> list[Value]:
    """Of the operands of a call with a whole result, those that a derivative goes to."""
    if rule.name in _OF_WHOLE_EXPONENTS:
        return list(targets)
    found = [whole_part(each) for each in targets]
    if rule.fn not in _CONVERTING and any(each is not None for each in found):
        natural = _natural(rule, *given)
        if natural is not None and natural.dtype.kind in "fc":
            return [None] * len(found)  # it was rounded, whatever it came from
    return found


def lost_parts(rule: Rule, given: Given, y: Value, reads_result: bool) -> Unsupported | None:
    """The refusal of a call with a real result that drops imaginary parts before its end, or that
    dropped them from a result that its formulas read.
    """
    args, keywords = given
    if getattr(y, "dtype", _OBJECT).kind != "f" or not (keywords or "dtype" in rule.parameters):
        return None
    if rule.form == "linear" or not any(map(_is_complex, (*args, *keywords.values()))):
        return None
    natural = _natural(rule, args, keywords)
    if natural is None or natural.dtype.kind != "c":
        return None
    if not reads_result and keywords.get("dtype") is None:
        return None
    return Unsupported(
        rule.name,
        f"a complex result of {rule.name} cast to real numbers",
        why="its rule is for the complex result",
        instead="leave dtype= and out= out, and take .real of what it returns",
    )


def lost_in_steps(rule: Rule) -> Unsupported:
    """The refusal of a step function of a numerator."""
    return Unsupported(
        rule.name,
        "a step function of ints, where numbers were taken apart into ints",
        why="a numerator carries the derivative of its number, which is lost here",
        instead="compute with the number itself",
    )


_OBJECT = np.dtype(object)


def _is_complex(value: Value) -> bool:
    if issubclass(type(value), list):
        return any(map(_is_complex, value))
    return issubclass(type(value), (complex, np.ndarray, np.generic)) and np.iscomplexobj(value)


def _natural(rule: Rule, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The result without a word on its dtype; None where that is what the call was."""
    names = list(rule.parameters)
    star = next((k for k, name in enumerate(names) if name.startswith("*")), len(names))
    rest_of = "*" if star < len(names) else "out"  # that of a ufunc is no parameter of its rule
    names = names[:star][: len(args)]
    names += [rest_of] * (len(args) - len(names))
    dropped = [name in _CASTING for name in names]
    plain = [None if drop else x for drop, x in zip(dropped, args, strict=True)]
    rest = {name: x for name, x in keywords.items() if name not in _CASTING}
    if len(rest) == len(keywords) and not any(dropped):
        return None
    with np.errstate(all="ignore"):
        return np.asarray(rule.fn(*plain, **rest))
