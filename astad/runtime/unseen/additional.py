"""Calls of a function of the user's beyond those of the plain run: a solver's rule asks once more
at the solution. What such a call stores is put back, and the way back through it leaves the
cotangents alone that belong to what the plain run has stored there.

>>> seen = []
>>> def asked(x):
...     seen.append(x)
...     return 2.0 * x
>>> y, record, holders = put_back(asked, (), lambda: (asked(3.0), None))

"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from types import CellType

import numpy as np

from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.unseen.unrecorded import Reach
from astad.runtime.unseen.writing_code import may_write
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["additional", "apart", "holders_of", "put_back"]

Parts = dict[Value, Value]


def apart(versions: Versions, fn: Value, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    """A recorded call that may be undone in any order: what functions with a cache compute in it
    is computed for it alone.
    """
    outer, versions.cached = versions.cached, {}
    try:
        return callbacks.call(versions, fn, *args, **keywords)
    finally:
        versions.cached = outer


def additional(
    versions: Versions, fn: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """A recorded call that the plain run does not make."""
    if not _may_keep(fn):
        return apart(versions, fn, *args, **keywords)

    def run() -> tuple[Value, Record]:
        y, record = apart(versions, fn, *args, **keywords)
        copied = np.array if type(y) is np.ndarray else list
        if type(y) not in (np.ndarray, list):
            return y, record
        z, of_copy = apart(versions, copied, y)  # what it gives may be what it keeps
        return z, (pull_copied, of_copy, record)

    y, record, holders = put_back(fn, (*args, *keywords.values()), run)
    return y, None if record is None else (pull_additional, record, holders)


def put_back(
    fn: Value, given: Sequence[Value], run: Callable[[], tuple[Value, Record]]
) -> tuple[Value, Record, list[Value]]:
    """What ``run`` gives, which calls the function; and all that it may have written to, which is
    again as it was before.
    """
    if not _may_keep(fn):
        return *run(), []
    before = Reach((fn, *given))
    try:
        y, record = run()
    finally:
        for one, read, parts in before.held():
            _put_back(one, parts, read())
    return y, record, [one for one, _, _ in before.held()]


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
    """An object holds again what it held."""
    kind = type(one)
    if issubclass(kind, np.ndarray):
        one[...] = before[None]
    elif kind is CellType:
        for content in before.values():
            one.cell_contents = content
        if not before:
            del one.cell_contents
    elif issubclass(kind, list):
        list.__setitem__(one, slice(None), list(before.values()))
    elif issubclass(kind, deque):
        deque.clear(one)
        deque.extend(one, before.values())
    elif issubclass(kind, set):
        set.clear(one)
        set.update(one, before)
    elif issubclass(kind, dict):
        for key in now.keys() - before.keys():
            dict.__delitem__(one, key)
        dict.update(one, before)
    else:
        own: Value = type if issubclass(kind, type) else object
        for name in now.keys() - before.keys():
            own.__delattr__(one, name)
        for name, value in before.items():
            if now.get(name, one) is not value:
                own.__setattr__(one, name, value)


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
