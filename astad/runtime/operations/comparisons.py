"""Comparisons, truth, length and membership: of classes of the user's calls of their methods, which
may give anything and write anything; of all else plain operations that carry no derivative.

>>> from astad.runtime import dispatch
>>> callbacks.call(Versions(), operator.lt, 1.0, 2.0), callbacks.call(Versions(), len, [1.0])
((True, None), (1, None))
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType

import numpy as np

from astad.runtime.core.full_rules import (
    MISSING,
    NUMBERS,
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    full,
    lookup_in_class,
    method_of,
    name_in_errors,
    python_method,
)
from astad.runtime.core.stand_ins import is_in, original, with_items
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import object_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import FEEDS, InStep, deliver, pull_folded, pull_stays
from astad.runtime.operations.array_overrides import asks_one_of, by_array_ufunc
from astad.runtime.operations.dataclass_methods import rule_of_made
from astad.tangents.add import add

__all__ = ["asks_method", "not_contains", "truth"]

_PLAIN: frozenset[type] = NUMBERS | {bool, np.bool_, np.ndarray, str, type(None), list, tuple, dict}
"""Types of operands whose comparison with each other runs nothing of the user's."""


Step = tuple[Record, tuple[int, ...] | None]
"""The record of a call and for each of its operands the place among those of the whole, -1 where
it is none; no places for the route of an element.
"""


def pull_effects(shadows: Shadows, y_bar: Value, steps: list[Step], n: int) -> Cotangents:
    """Back through calls of which only what they wrote matters."""
    bars: list[Value] = [None] * n
    for record, places in reversed(steps):
        if places is None:
            deliver(shadows, record, None)
            continue
        parts = callbacks.pull(shadows, record, None, len(places)) or ()
        for place, part in zip(places, parts, strict=False):
            if place >= 0:
                bars[place] = add(bars[place], part)
    return bars


def _effects(n: int, *steps: Step) -> Record:
    found = [step for step in steps if step[0] is not None]
    return (pull_effects, found, n) if found else None


# --- comparisons ----------------------------------------------------------------------------------


def comparison(fn: Callable[[Value, Value], Value], name: str, swapped: str) -> Forward:
    """Full rule of ``a < b`` and the like; ``swapped`` names the method of b that is asked as
    well."""

    def forward(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        kind_a, kind_b = type(a), type(b)
        if kind_a in _PLAIN and kind_b in _PLAIN:
            if versions.stand_ins:
                a, b = with_items(versions, a), with_items(versions, b)
            return fn(a, b), None
        a, b = object_of(a), object_of(b)
        kind_a, kind_b = type(a), type(b)
        if not (_is_own(kind_a, name) or _is_own(kind_b, swapped)):
            answer = by_array_ufunc(versions, fn, (a, b), {}) if asks_one_of(a, b) else None
            return answer or (fn(with_items(versions, a), with_items(versions, b)), None)
        tries = [(a, name, b, False), (b, swapped, a, True)]
        if kind_a is not kind_b and issubclass(kind_b, kind_a):
            tries.reverse()
        effects: list[Step] = []
        for first, method, second, is_swapped in tries:
            y, record = _asked(versions, first, method, second)
            if y is not NotImplemented:
                return y, _compared(record, is_swapped, effects)
            effects.append((record, (1, 0) if is_swapped else (0, 1)))
        if fn in (operator.eq, operator.ne):
            is_one = original(versions, a) is original(versions, b)
            return is_one is (fn is operator.eq), _effects(2, *effects)
        raise TypeError(
            f"{_SIGNS[name]!r} not supported between instances of {kind_a.__name__!r} and "
            f"{kind_b.__name__!r}"
        )

    return forward


def asks_method(fn: Callable[[Value, Value], Value], a: Value, b: Value) -> bool:
    """Does a comparison of these call a method that is written in Python?"""
    names = {operator.lt: ("__lt__", "__gt__"), operator.gt: ("__gt__", "__lt__")}[fn]
    return any(_is_own(type(object_of(o)), name) for o, name in zip((a, b), names, strict=True))


def _is_own(kind: type, name: str) -> bool:
    if kind in _PLAIN:
        return False
    return python_method(kind, name) is not None or (
        name == "__ne__" and python_method(kind, "__eq__") is not None
    )


def _asked(versions: Versions, o: Value, name: str, other: Value) -> tuple[Value, Record]:
    """``o.__lt__(other)``, looked up on the class."""
    found = lookup_in_class(type(o), name)
    if name == "__ne__" and found is object.__ne__:
        y, record = _asked(versions, o, "__eq__", other)
        return (y, record) if y is NotImplemented else _not(versions, y, record)
    own = method_of(found, name)
    if own is None or type(o) in NUMBERS:
        if o is None:  # a descriptor takes it for no object at all, and binds nothing
            return getattr(o, name)(other), None
        return (NotImplemented if found is None else found.__get__(o, type(o))(other)), None
    made = rule_of_made(own) if type(own) is FunctionType else None
    if made is not None:
        return made(versions, own, o, other)
    return callbacks.call(versions, own, o, other)


def _not(versions: Versions, y: Value, record: Record) -> tuple[bool, Record]:
    found, then = truth_forward(versions, y)
    return not found, _effects(2, (record, (0, 1)), (then, (-1,)))


def _compared(record: Record, is_swapped: bool, before: list[Step]) -> Record:
    if record is None:
        return _effects(2, *before)
    if not is_swapped and all(step[0] is None for step in before):
        return record
    return (pull_compared, record, is_swapped, before)


def pull_compared(
    shadows: Shadows, y_bar: Value, record: Record, is_swapped: bool, before: list[Step]
) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, 2) or (None, None)
    earlier = pull_effects(shadows, None, before, 2) or (None, None)
    last = operands[::-1] if is_swapped else operands
    return [add(a, b) for a, b in zip(last, earlier, strict=True)]


_SIGNS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}

for _fn, _name, _swapped in (
    (operator.lt, "__lt__", "__gt__"), (operator.le, "__le__", "__ge__"),
    (operator.gt, "__gt__", "__lt__"), (operator.ge, "__ge__", "__le__"),
    (operator.eq, "__eq__", "__eq__"), (operator.ne, "__ne__", "__ne__"),
):  # fmt: skip
    full(_fn)(comparison(_fn, _name, _swapped))


# --- truth and length -----------------------------------------------------------------------------


def truth(x: Value) -> bool:
    """What a test asks for."""
    return bool(x)


@full(truth, bool, operator.truth)
def truth_forward(versions: Versions, x: Value = False) -> tuple[bool, Record]:
    kind = type(x)
    if kind in _PLAIN:
        return bool(x), None
    own = python_method(kind, "__bool__")
    if own is not None:
        y, record = callbacks.call(versions, own, x)
        if type(y) is not bool:
            raise TypeError(f"__bool__ should return bool, returned {name_in_errors(type(y))}")
        return y, _effects(1, (record, (0,)))
    if lookup_in_class(kind, "__bool__") is None and python_method(kind, "__len__") is not None:
        count, record = length(versions, x)
        return count > 0, record
    return bool(x), None


@full(operator.not_)
def not_forward(versions: Versions, x: Value) -> tuple[bool, Record]:
    y, record = truth_forward(versions, x)
    return not y, record


@full(len)
def length(versions: Versions, x: Value) -> tuple[int, Record]:
    own = python_method(type(x), "__len__")
    if own is None:
        return len(x), None
    y, record = callbacks.call(versions, own, x)
    return len(range(y)) if type(y) is int and y >= 0 else _checked(y), _effects(1, (record, (0,)))


def _checked(y: Value) -> int:
    """The length that ``__len__`` gave, or Python's own error."""
    return len(type("_Sized", (), {"__len__": lambda self: y})())


# --- membership -----------------------------------------------------------------------------------


def not_contains(container: Value, item: Value) -> bool:
    return item not in container


@full(operator.contains)
def contains(versions: Versions, container: Value, item: Value) -> tuple[bool, Record]:
    kind = type(container)
    if kind in _PLAIN:
        return is_in(versions, container, item), None
    own = python_method(kind, "__contains__")
    if own is not None:
        y, record = callbacks.call(versions, own, container, item)
        found, then = truth_forward(versions, y)
        return found, _effects(2, (record, (0, 1)), (then, (-1,)))
    has_none = lookup_in_class(kind, "__contains__", MISSING) is MISSING
    asks = python_method(kind, "__iter__") or python_method(kind, "__getitem__")
    if has_none and (kind in FEEDS or asks):
        return _found(versions, container, item)
    return is_in(versions, container, item), None


def _found(versions: Versions, container: Value, item: Value) -> tuple[bool, Record]:
    """One element after the other, as far as needed."""
    found = False
    with InStep(versions, container) as drawn:
        for v in drawn:
            found = original(versions, v) is original(versions, item)
            if found:
                drawn.note((pull_stays,))
                break
            y, record = callbacks.call(versions, operator.eq, v, item)
            found, then = truth_forward(versions, y)
            drawn.note((pull_met, record, then))
            if found:
                break
    return found, (pull_found, drawn.handed) if drawn.handed else None


def pull_found(shadows: Shadows, y_bar: Value, handed: list[tuple[Record, Record]]) -> Cotangents:
    return None, pull_folded(shadows, None, handed)


def pull_met(shadows: Shadows, item_bar: Value, record: Record, then: Record) -> Cotangents:
    """Back through the comparison of an element with the item: both may have been written."""
    y_bar = (callbacks.pull(shadows, then, None, 1) or (None,))[0]
    element_bar, part = callbacks.pull(shadows, record, y_bar, 2) or (None, None)
    return add(item_bar, part), element_bar


@full(not_contains)
def not_contains_forward(versions: Versions, container: Value, item: Value) -> tuple[bool, Record]:
    found, record = contains(versions, container, item)
    return not found, record
