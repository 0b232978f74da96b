"""Methods that `dataclass` and `namedtuple` wrote: no source of theirs can be read, but what each
does is known.

>>> @dataclasses.dataclass
... class Point:
...     x: float
>>> is_made(Point.__init__), is_made(Point.__eq__)
(True, True)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import FunctionType
from typing import Any, NamedTuple

from astad.runtime.core.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import attribute_store
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.add import add

__all__ = ["is_made", "rule_of_made", "to_defaults"]


def is_made(fn: FunctionType) -> bool:
    """Did `dataclass` write this method?"""
    code = fn.__code__
    if code.co_filename != "<string>":
        return False
    return code.co_qualname == f"__create_fn__.<locals>.{code.co_name}"


def rule_of_made(fn: FunctionType) -> Forward | None:
    """The rule of a method that `dataclass` or `namedtuple` wrote, None for any other function."""
    if fn.__module__ is not None and fn.__module__.startswith("namedtuple_"):
        return _namedtuple if fn.__name__ == "__new__" else None
    if not is_made(fn):
        return None
    return _RULES.get(fn.__code__.co_name, _plain)


# --- namedtuple -----------------------------------------------------------------------------------


def _namedtuple(
    versions: Versions, new: Value, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y = new(cls, *args, **keywords)
    if not any(map(flows, y)):
        return y, None
    places = [*range(len(args)), *(cls._fields.index(word) for word in keywords)]
    return y, (pull_fields, y, places)


def pull_fields(shadows: Shadows, y_bar: Value, y: Value, places: list[int]) -> Cotangents:
    if y_bar is not None:
        shadows.add(y, y_bar)
    slots = shadows.slots_take(y, len(y))
    to_defaults(shadows, type(y), slots, places)
    return [None, *(slots[i] for i in places)]


# --- what the others do ---------------------------------------------------------------------------


def _plain(versions: Versions, fn: Value, *args: Value) -> tuple[Value, Record]:
    """``__eq__``, ``__lt__``, ``__hash__``: a truth or a number that carries no derivative."""
    y = fn(*args)
    return y, opaque(fn.__qualname__, y, args)


def _set(versions: Versions, fn: Value, o: Value, name: str, v: Value) -> tuple[None, Record]:
    """``__setattr__`` of a frozen one: of its fields it raises."""
    fn(o, name, v)
    store = attribute_store(o, name)
    return None, (pull_set, store, name) if flows(v) else None


def pull_set(shadows: Shadows, y_bar: Value, store: Value, name: str) -> Cotangents:
    return None, None, shadows.key_take(store, name)


# --- __init__ -------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """A call that ``__init__`` makes: for each operand, the place of its cotangent, and the place
    of that of the result, -1 where there is none.
    """

    record: Record
    operands: tuple[int, ...]
    result: int


class _Given(NamedTuple):
    """Values by the name of the parameter, with the place of each one's cotangent; cotangents of
    defaults go to ``defaulted``: place, holder, key.
    """

    values: dict[str, Value]
    places: dict[str, int]
    defaulted: list[tuple[int, Value, Value]]


def _init(
    versions: Versions, fn: Value, y: Value, /, *args: Value, **keywords: Value
) -> tuple[None, Record]:
    """Field by field as they are declared, then ``__post_init__``."""
    owner: Any = next(base for base in type(y).__mro__ if base.__dict__.get("__init__") is fn)
    given = _bound(fn, y, args, keywords)
    count, steps = 1 + len(args) + len(keywords) + len(given.defaulted), list[_Step]()
    plain = object.__setattr__ if owner.__dataclass_params__.frozen else setattr
    after: list[tuple[Value, int]] = []
    for field in _fields(owner):
        value, place = given.values.get(field.name), given.places.get(field.name, -1)
        if _is_to_be_made(field, given.values):
            place, count = count, count + 1
            value, record = callbacks.call(versions, field.default_factory)
            steps.append(_Step(record, (), place))
        elif not field.init:
            if not _has_slot(owner, field):
                continue
            value = field.default
        if field._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            after.append((value, place))
        else:
            _, record = callbacks.call(versions, plain, y, field.name, value)
            steps.append(_Step(record, (-1, -1, place), -1))
    if "__post_init__" in fn.__code__.co_names:  # as it was when the class was decorated
        steps.append(_post_init(versions, y, after))
    taken = [step for step in steps if step.record is not None]
    if not taken:
        return None, None
    return None, (pull_init, taken, count, 1 + len(args) + len(keywords), given.defaulted)


def _post_init(versions: Versions, y: Value, after: list[tuple[Value, int]]) -> _Step:
    values, places = [value for value, _ in after], [place for _, place in after]
    own = python_method(type(y), "__post_init__")
    if own is None:
        _, record = callbacks.call(versions, y.__post_init__, *values)
        return _Step(record, tuple(places), -1)
    _, record = callbacks.call(versions, own, y, *values)
    return _Step(record, (-1, *places), -1)


def pull_init(
    shadows: Shadows,
    y_bar: Value,
    steps: list[_Step],
    count: int,
    n: int,
    defaulted: list[tuple[int, Value, Value]],
) -> Cotangents:
    bars: list[Value] = [None] * count
    for step in reversed(steps):
        bar = bars[step.result] if step.result >= 0 else None
        parts = callbacks.pull(shadows, step.record, bar, len(step.operands)) or ()
        for place, part in zip(step.operands, parts, strict=False):
            if place >= 0:
                bars[place] = add(bars[place], part)
    for place, holder, key in defaulted:
        if issubclass(type(holder), tuple):
            shadows.slot_add(holder, key, bars[place])
        else:
            shadows.key_add(holder, key, bars[place])
    return bars[:n]


def _fields(owner: Any) -> list[Any]:
    fields = owner.__dict__["__dataclass_fields__"].values()
    found = [f for f in fields if f._field_type is not dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]
    # as `dataclass` orders the parameters; fields that are keywords come behind
    return [f for f in found if not f.kw_only] + [f for f in found if f.kw_only]


def _is_to_be_made(field: Any, values: dict[str, Value]) -> bool:
    if field.default_factory is dataclasses.MISSING:
        return False
    return not field.init or values[field.name] is dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]


def _has_slot(owner: Any, field: Any) -> bool:
    """Is the default of a field without parameter set on the object, there being no class
    attribute?
    """
    return "__slots__" in owner.__dict__ and field.default is not dataclasses.MISSING


def _bound(fn: Value, y: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> _Given:
    """Values of all parameters; Python's TypeError where the operands do not fit."""
    code = fn.__code__
    wanted = code.co_varnames[1 : code.co_argcount]
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    names = [*wanted[: len(args)], *keywords]
    values = dict(zip(names, (*args, *keywords.values()), strict=False))
    defaults, of_words = fn.__defaults__ or (), fn.__kwdefaults__ or {}
    late = dict(zip(wanted[len(wanted) - len(defaults) :], range(len(defaults)), strict=True))
    missing = [n for n in (*wanted, *only) if n not in values and n not in {*late, *of_words}]
    fits = len(args) <= len(wanted) and len(values) == len(args) + len(keywords)
    if not fits or missing or set(values) - {*wanted, *only}:
        fn(y, *args, **keywords)  # raises what Python raises
    places = {name: 1 + at for at, name in enumerate(names)}
    defaulted: list[tuple[int, Value, Value]] = []
    for name in (*wanted, *only):
        if name in values:
            continue
        holder, key = (defaults, late[name]) if name in late else (of_words, name)
        values[name], places[name] = holder[key], 1 + len(names) + len(defaulted)
        defaulted.append((places[name], holder, key))
    return _Given(values, places, defaulted)


_RULES: dict[str, Forward] = {"__init__": _init, "__setattr__": _set}


def to_defaults(
    shadows: Shadows, cls: Value, slots: Sequence[Value], places: Sequence[int]
) -> None:
    """The parts of the fields that were not given."""
    for at, (name, part) in enumerate(zip(cls._fields, slots, strict=True)):
        if part is not None and at not in places:
            shadows.key_add(cls._field_defaults, name, part)
