"""How the cotangents of one variant become gradients, made once of the arguments it came for: its
guard lets arguments of the same structure pass alone, whose leaves are of the same types.

>>> kinds = ["{'a': float, 'b': float}", "float"]
>>> plan = plan_of([{"a": 2.0, "b": 3.0}, 1.0], kinds, [True, False])
>>> plan([{"a": 1.0, "b": 0.0}, None])
({'a': 1.0, 'b': 0.0}, None)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from astad.api.variants.finishing import is_none
from astad.runtime.guarded import FLOATS, INERT_TYPES
from astad.tangents.objects import Tangent
from astad.tangents.unasked import has_in_class, items_of, pairs_of
from astad.tangents.zero import has_identity, is_differentiable, zero_like

__all__ = ["Plan", "Unplanned", "plan_of"]

Plan = Callable[[Sequence[Any]], tuple[Any, ...]]
Finish = Callable[[Any], Any]

VARYING = ("...", "real", "array", "ints", "bools", "complex", "unknown", "function", "counts")
"""In the words of kinds, what leaves open how long or of which types the arguments are, and what
takes the argument to be finished by."""
new = object.__new__
PARTS = FLOATS | {type(None)}
PLAIN = {*INERT_TYPES, int}


class Unplanned(ValueError):
    """A cotangent of another type than the plan is for."""


class _NoPlan(Exception):
    pass


def plan_of(args: Sequence[Any], kinds: Sequence[str], reaches: Sequence[bool]) -> Plan | None:
    """For arguments of these kinds; ``reaches``: a path leads to it. None where there is none."""
    if any(mark in word for word in kinds for mark in VARYING):
        return None
    try:
        every = [_argument(arg, path) for arg, path in zip(args, reaches, strict=True)]
    except _NoPlan:
        return None

    def plan(bars: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([finish(bar) for finish, bar in zip(every, bars, strict=True)])

    return plan


def _argument(arg: Any, path: bool) -> Finish:
    if path:
        return _part(arg)
    if type(arg) is float or type(arg) in PLAIN:
        return _constant(None)
    raise _NoPlan


def _part(arg: Any) -> Finish:
    kind = type(arg)
    if kind is float:
        return _number
    if kind in PLAIN:
        return _constant(zero_like(arg))
    if kind is dict:
        return _dict(arg)
    if kind is list or issubclass(kind, tuple):
        return _sequence(arg)
    if issubclass(kind, (dict, list)) or not has_identity(arg):
        raise _NoPlan
    return _record(arg)


def _number(bar: Any) -> Any:
    if type(bar) is float:
        return bar
    if bar is None:
        return 0.0
    raise Unplanned


def _constant(zero: Any) -> Finish:
    def finish(bar: Any) -> Any:
        if bar is None:
            return zero
        raise Unplanned

    return finish


def _dict(arg: dict[Any, Any]) -> Finish:
    parts = {key: _part(part) for key, part in pairs_of(arg) if is_differentiable(part)}
    count = len(arg)
    if len(parts) == count and all(each is _number for each in parts.values()):

        def floats(bar: Any) -> Any:
            if type(bar) is dict and FLOATS.issuperset(map(type, bar.values())):
                return bar
            raise Unplanned

        return floats

    def finish(bar: Any) -> Any:
        if type(bar) is dict and len(bar) == count:
            return {key: part(bar[key]) for key, part in parts.items()}
        raise Unplanned

    return finish


def _sequence(arg: Any) -> Finish:
    kind, parts = type(arg), [_part(part) for part in items_of(arg)]
    made = kind if kind in (list, tuple) else None
    if made is None and not has_in_class(kind, "_fields"):
        raise _NoPlan

    def finish(bar: Any) -> Any:
        if type(bar) is not list and type(bar) is not tuple:
            raise Unplanned
        found = [part(each) for part, each in zip(parts, bar, strict=True)]
        if made is None:
            return kind(*found)
        return found if made is list else tuple(found)

    return finish


def _record(arg: Any) -> Finish:
    parts = {name: _part(part) for name, part in vars(arg).items()}
    plain = all(type(part) is float for part in vars(arg).values())

    def finish(bar: Any) -> Any:
        if type(bar) is not dict:
            raise Unplanned
        if not plain or not PARTS.issuperset(map(type, bar.values())):
            bar = {name: None if is_none(part) else parts[name](part) for name, part in bar.items()}
        made = new(Tangent)
        made.__dict__ = bar
        return made

    return finish
