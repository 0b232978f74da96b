"""Calls of a function of the user's beyond those of the plain run: a solver's rule asks once more
at the solution. What such a call stores is put back, and the way back through it leaves the
cotangents alone that belong to what the plain run has stored there.

>>> def keeping(seen):
...     return lambda x: seen.append(x) or 2.0 * x
>>> seen = []
>>> asked = keeping(seen)
>>> with put_back(asked, ()) as holders:
...     y = asked(3.0)
>>> y, seen, any(holder is seen for holder in holders)
(6.0, [], True)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from types import CellType, FunctionType

import numpy as np

from astad.code_objects import inner_codes
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.contents import fill
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.unseen.chances import Chance, everywhere, is_source_of_chance
from astad.runtime.unseen.drawn_from import Outside, names_one, near
from astad.runtime.unseen.unrecorded import Reach
from astad.runtime.unseen.writing_code import may_write, names_run
from astad.tangents.unasked import callable_name
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["additional", "apart", "holders_of", "may_be_repeated", "put_back", "undrawn"]

Parts = dict[Value, Value]


def apart(versions: Versions, fn: Value, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    """A recorded call that may be undone in any order: what functions with a cache compute in it
    is computed for it alone.
    """
    outer, was_additional = versions.cached, versions.is_additional
    versions.cached, versions.is_additional = {}, True
    try:
        return callbacks.call(versions, fn, *args, **keywords)
    finally:
        versions.cached, versions.is_additional = outer, was_additional


def additional(
    versions: Versions, fn: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """A recorded call that the plain run does not make."""
    with put_back(fn, (*args, *keywords.values())) as holders:
        y, record = apart(versions, fn, *args, **keywords)
        if holders and type(y) in (np.ndarray, list):  # which may be what it keeps
            copied = np.array if type(y) is np.ndarray else list
            z, of_copy = apart(versions, copied, y)
            y, record = z, (pull_copied, of_copy, record)
    if record is None or not holders:
        return y, record
    return y, (pull_additional, record, holders)


@contextlib.contextmanager
def put_back(fn: Value, given: Sequence[Value]) -> Iterator[list[Value]]:
    """What calls of the function inside write is as it was before, behind it; gives all that they
    may write to.

    Raises
    ------
    Unsupported
        If they have drawn from an iterator of the program's.
    """
    if names_nothing(fn) and all(map(flows, given)):
        yield []
        return
    reach = Reach((fn, *given)) if _may_keep(fn) else None
    held = [] if reach is None else reach.held()
    outside = Outside(near((fn, *given)) if reach is None else reach.met())
    try:
        yield [one for one, _, _ in held]
    finally:
        for one, read, parts in held:
            _put_back(one, parts, read())
        outside.put_back()
    outside.check(callable_name(fn))


def may_be_repeated(fn: Value, given: Sequence[Value]) -> bool:
    """Can what a call draws from outside be put back? Not where it names an iterator there."""
    return not names_one(Reach((fn, *given)).held(), names_run(fn))


@contextlib.contextmanager
def undrawn(fn: Value, given: Sequence[Value]) -> Iterator[None]:
    """The generators of random numbers that calls of the function may draw from inside are as they
    were before, behind it.
    """
    if names_nothing(fn) and all(map(flows, given)):
        yield
        return
    near = filter(is_source_of_chance, Reach((fn, *given)).met())
    chance = Chance([*everywhere(), *near])
    try:
        yield
    finally:
        if chance.moved():
            chance.put_back()


def names_nothing(fn: Value) -> bool:
    """Is it a function that works with its arguments and what it makes of them alone?"""
    if type(fn) is not FunctionType or fn.__closure__ or fn.__defaults__ or fn.__kwdefaults__:
        return False
    return not fn.__code__.co_names and not any(inner_codes(fn.__code__))


def holders_of(fn: Value, given: Sequence[Value]) -> list[Value]:
    """All that a call of the function may write to."""
    return [one for one, _, _ in Reach((fn, *given)).held()] if _may_keep(fn) else []


def _may_keep(fn: Value) -> bool:
    """May a call of it write anything? Of an object nobody looks at all that its class does."""
    return may_write(fn) or bool(type(fn).__flags__ & MADE_BY_CLASS)


def _put_back(one: Value, before: Parts, now: Parts) -> None:
    if issubclass(type(one), np.ndarray):
        is_same = np.array_equal(now[None], before[None], equal_nan=True)
    else:
        is_same = before.keys() == now.keys() and all(now[at] is before[at] for at in before)
    if not is_same:
        _fill(one, before, now)


def _fill(one: Value, before: Parts, now: Parts) -> None:
    """It holds again what it held."""
    kind = type(one)
    if issubclass(kind, np.ndarray):
        one[...] = before[None]
    elif kind is CellType:
        for content in before.values():
            one.cell_contents = content
        if not before:
            del one.cell_contents
    elif issubclass(kind, dict):  # of the names of a module some were looked at
        for key in now.keys() - before.keys():
            dict.__delitem__(one, key)
        dict.update(one, before)
    elif issubclass(kind, type):
        for name in now.keys() - before.keys():
            type.__delattr__(one, name)
        for name, value in before.items():
            if now.get(name, one) is not value:
                type.__setattr__(one, name, value)
    else:
        fill(one, before)


def pull_copied(shadows: Shadows, y_bar: Value, of_copy: Record, record: Record) -> Cotangents:
    bars: Value = callbacks.pull(shadows, of_copy, y_bar, 1)
    parts: Cotangents = None if record is None else record[0](shadows, bars[0], *record[1:])
    return parts


def pull_additional(
    shadows: Shadows, y_bar: Value, record: Record, holders: list[Value]
) -> Cotangents:
    assert record is not None
    aside = shadows.set_aside(holders)
    parts: Cotangents = record[0](shadows, y_bar, *record[1:])
    shadows.bring_back(aside)
    return parts
