"""Calls of functions for which the user has declared a rule."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

import numpy as np

from astad.errors import RuleError
from astad.rules.in_force import CUSTOM, NO_PATH, run_rule
from astad.runtime.calls import library
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows, full
from astad.runtime.core.stand_ins import stand_in
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import Node, snapshot
from astad.runtime.cotangents.structures import collect
from astad.runtime.unseen.severed import Twin, check_twins, held_apart, sever
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.unasked import callable_name
from astad.tangents.zero import has_identity

__all__ = ["by_custom_rule", "total"]


def total(shadows: Shadows, value: Value, bar: Value) -> Value:
    """The whole cotangent of a fresh array at its definition: the local part and what lies in its
    shadow.
    """
    return add(bar, shadows.take(value)) if has_identity(value) else bar


def by_custom_rule(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    order: Sequence[int | None] = range(len(args))
    if keywords:
        args, keywords, order = _by_position(fn, args, keywords)
    held = tuple([snapshot(arg) for arg in args])  # the rule may write them
    words = tuple([snapshot(value) for value in keywords.values()])
    y, back = _run_rule(fn, args, keywords)
    y, twins = sever(versions, fn, y, (*held, *words), passes=id(fn) not in NO_PATH)
    versions.twins += twins
    for each in twins:
        stand_in(versions, each.copy, each.original)
    entry = held_apart(y) if type(y) is np.ndarray else snapshot(y)
    return y, (
        _pull_custom,
        fn,
        entry,
        back,
        held,
        order,
        dict(zip(keywords, words, strict=True)),
        twins,
    )


def _by_position(
    fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[tuple[Value, ...], dict[str, Value], Sequence[int | None]]:
    """A call of a rule with the parameters that have a place given by position, as its ``back``
    counts them; the rest by keyword; and for each operand of the call its place, None by keyword.
    """
    places, defaults = _places_of(fn)
    given, rest = [*args], dict(keywords)
    last = max((places.index(name) for name in rest if name in places), default=-1)
    for name in places[len(args) : last + 1]:
        if name not in rest and name not in defaults:
            break
        given.append(rest.pop(name) if name in rest else defaults[name])
    order = [places.index(name) if name in places[: len(given)] else None for name in keywords]
    return tuple(given), rest, [*range(len(args)), *order]


def _places_of(fn: Value) -> tuple[Sequence[str], dict[str, Value]]:
    """The names of the parameters that have a place, of the rule or else of its function, and
    their defaults.
    """
    for each in (CUSTOM[id(fn)][1], fn):
        if type(each) is FunctionType and each.__code__.co_argcount:
            names = each.__code__.co_varnames[: each.__code__.co_argcount]
            values = each.__defaults__ or ()
            return names, dict(zip(names[len(names) - len(values) :], values, strict=True))
    return (), {}


def _run_rule(
    fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Value]:
    made = CUSTOM[id(fn)][1](*args, **keywords)
    if not issubclass(type(made), tuple) or len(made) != 2 or not callable(made[1]):
        raise RuleError(
            callable_name(fn), "the rule declared with astad.adjoint",
            why=f"it returned {type(made).__name__}, not a pair (y, back)",
            instead="return the value and a function from its cotangent to those of the arguments",
        )  # fmt: skip
    return made


def _pull_custom(
    shadows: Shadows,
    y_bar: Value,
    fn: Value,
    entry: Value,
    back: Value,
    args: tuple[Value, ...],
    order: Sequence[int | None],
    words: dict[str, Value],
    twins: tuple[Twin, ...],
) -> Sequence[Value] | None:
    """The user's ``back``, called once with the whole cotangent, and only if there is one (or no
    argument).

    The cotangent is its own: it may write into it. ``entry`` is the snapshot of the result.
    """
    check_twins(twins)
    if type(entry) is Node or has_identity(entry):
        y_bar = _structured(shadows, entry, y_bar)
    if y_bar is None and args and not getattr(back, "wants_none", False):
        return None
    parts = back(y_bar)
    if parts is None and args:
        raise RuleError(
            callable_name(fn), "the rule declared with astad.adjoint",
            why=f"its back returned None for {len(args)} arguments, as without a return statement",
            instead="return a tuple, one for each positional argument, None where there is none",
        )  # fmt: skip
    parts = parts if issubclass(type(parts), tuple) else (parts,)
    if len(parts) > len(args) and _are_left_out(fn, len(args), len(parts)):
        parts = parts[: len(args)]
    if len(parts) != len(args):
        raise RuleError(
            callable_name(fn), "the rule declared with astad.adjoint",
            why=f"its back returned {len(parts)} cotangents for {len(args)} arguments",
            instead="return one for each positional argument, None where there is none",
        )  # fmt: skip
    given: list[Value] = []
    for value, part in zip(args, parts, strict=True):
        given.append(library.deliver_structure(shadows, value, part, fn))
    left = {} if id(fn) in NO_PATH else words
    named = iter([_refused(shadows, fn, *each) for each in left.items()])
    return [next(named, None) if place is None else given[place] for place in order]


def _are_left_out(fn: Value, start: int, stop: int) -> bool:
    """Have the parameters at these places defaults, so that a call may leave them out?"""
    places, defaults = _places_of(fn)
    return stop <= len(places) and all(name in defaults for name in places[start:stop])


def _refused(shadows: Shadows, fn: Value, name: str, held: Value) -> Value:
    """What goes to a number or an array that has no place: ``back`` gives no cotangent of it."""
    value = held.value if type(held) is Node else held
    is_array = issubclass(type(value), np.ndarray) and value.dtype.kind in "fc"
    if not flows(value) and not is_array:
        return None
    refused = Refused(
        RuleError(
            callable_name(fn), f"a derivative by {name} in the rule declared with astad.adjoint",
            why="it is given by keyword alone, and back returns cotangents of the parameters that "
            "have a place",
            instead=f"let the rule, and the function, take {name} by position as well",
        )
    )  # fmt: skip
    if is_array:
        shadows.add(value, refused)
    return None if is_array else refused


def _structured(shadows: Shadows, entry: Value, y_bar: Value) -> Value:
    """The cotangent of a structured result as the user's rule expects it."""
    if issubclass(type(entry), np.ndarray):
        found = total(shadows, entry, y_bar)
        return found.copy() if type(found) is np.ndarray else found
    y = entry.value if type(entry) is Node else entry
    if type(entry) is not Node and not shadows.has(y):
        return y_bar
    return add(y_bar, collect(shadows, y, entry, None, False, once=True))


# --- the rule itself as a function that is differentiated


@full(run_rule)
def run_rule_forward(versions: Versions, fn: Value, /, *args: Value) -> tuple[Value, Record]:
    y, record = callbacks.call(versions, CUSTOM[id(fn)][1], *args)
    return y, (_pull_rule, record, len(args))


def _pull_rule(shadows: Shadows, y_bar: Value, record: Record, count: int) -> Cotangents:
    return [None, *(callbacks.pull(shadows, record, y_bar, count) or ())]
