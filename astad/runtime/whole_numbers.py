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
from astad.rules.registry import Rule
from astad.runtime.listings import Listing, hold
from astad.runtime.versions import Versions
from astad.tangents.zero import is_number

__all__ = [
    "hold_for",
    "is_whole",
    "lost_in_steps",
    "lost_parts",
    "uncast",
    "whole_part",
    "whole_targets",
]

Value: TypeAlias = Any
"""Any object of the user's program: there is nothing narrower to say."""

Given: TypeAlias = tuple[Sequence[Value], Mapping[str, Value]]
"""What a call was given: by position, by name."""

_CASTING = ("dtype", "out", "casting", "sig", "signature")


def is_whole(y: Value) -> bool:
    """An integer of NumPy's or an array of these; Python's own ints may be numerators."""
    return (
        y.dtype.kind in "iu" if issubclass(type(y), np.ndarray) else issubclass(type(y), np.integer)
    )


def hold_for(versions: Versions, a: Value, v: Value) -> Value:
    """What the record of a write into the array `a` holds of what was written."""
    held = hold(versions, v, False)
    return whole_part(held) if a.dtype.kind in "iu" else held


def whole_part(held: Value) -> Value:
    """Of an operand, or its listing, what keeps its derivative among whole numbers; None for
    nothing.
    """
    if issubclass(type(held), np.ndarray):
        is_mixed = held.dtype.kind == "O" and any(isinstance(x, int) for x in held.flat)
        return held if held.dtype.kind in "iu" or is_mixed else None
    if type(held) is Listing:
        found = copy.copy(held)
        found.items = tuple(map(whole_part, held.items))
        return found
    if issubclass(type(held), tuple):  # of numbers alone
        return held if all(whole_part(each) is not None for each in held) else None
    return None if is_number(held) and not issubclass(type(held), int | np.integer) else held


def whole_targets(rule: Rule, given: Given, targets: Sequence[Value]) -> list[Value]:
    """Of the operands of a call with a whole result, those that a derivative goes to."""
    found = [whole_part(each) for each in targets]
    if any(each is not None for each in found):
        natural = _natural(rule, *given)
        if natural is not None and natural.dtype.kind in "fc":
            return [None] * len(found)  # it was rounded, whatever it came from
    return found


def uncast(rule: Rule, values: list[Value]) -> list[Value]:
    """What the formulas read, where they need not ask what is left of a number that is cast: whole
    numbers that become whole numbers, ``np.asarray(3, dtype=np.int64)``, stay what they are.
    """
    return [
        None if name == "dtype" else value
        for name, value in zip(rule.parameters, values, strict=True)
    ]


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
    return issubclass(type(value), complex | np.ndarray | np.generic) and np.iscomplexobj(value)


def _natural(rule: Rule, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The result without a word on its dtype; None where that is what the call was."""
    if "dtype" in rule.parameters and "dtype" not in rule.defaults:  # ``a.astype(int)``
        return np.asarray(args[0])
    dropped = [name in _CASTING for name in rule.parameters[: len(args)]]
    dropped += [True] * (len(args) - len(dropped))
    plain = [None if drop else x for drop, x in zip(dropped, args, strict=True)]
    rest = {name: x for name, x in keywords.items() if name not in _CASTING}
    if len(rest) == len(keywords) and not any(dropped):
        return None
    with np.errstate(all="ignore"):
        return np.asarray(rule.fn(*plain, **rest))
