"""Globals that a differentiated function binds anew: slots of its module's namespace.

What has identity has its shadow under whatever name. A number has none, so a function that reads
such a global as a constant would lose its derivative: each that may is compiled so that it looks.

>>> from astad.runtime.core.versions import Versions
>>> space = {"last": 1.0}
>>> _, record = write_global_forward(Versions(), space, "last", 6.0)
>>> shadows = Shadows()
>>> pull_read(shadows, 2.0, space, "last")
>>> tuple(record[0](shadows, None, *record[1:]))
(None, None, 2.0)
"""

from __future__ import annotations

import builtins
import re
import sys
from types import FrameType

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, full
from astad.runtime.core.rebound import GENERATED
from astad.runtime.core.variants import forget_all, note_written
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows

__all__ = [
    "delete_global",
    "look_from_now_on",
    "namespace",
    "read_global",
    "write_global",
]


def namespace(space: Value) -> dict[str, Value]:
    """The globals of the user's module; ``space`` holds them as attributes."""
    found: dict[str, Value] = space.__dict__
    return found


def read_global(space: dict[str, Value], name: str) -> Value:
    try:
        return space[name]
    except KeyError:
        pass
    try:
        return getattr(builtins, name)
    except AttributeError:
        raise NameError(f"name {name!r} is not defined", name=name) from None


@full(read_global)
def read_global_forward(versions: Versions, space: Value, name: str) -> tuple[Value, Record]:
    y = read_global(space, name)
    return y, (pull_read, space, name) if flows(y) else None


def pull_read(shadows: Shadows, y_bar: Value, space: Value, name: str) -> Cotangents:
    if y_bar is not None:
        shadows.key_add(space, name, y_bar)
    return None


def write_global(space: dict[str, Value], name: str, v: Value) -> None:
    space[name] = v


@full(write_global)
def write_global_forward(
    versions: Versions, space: Value, name: str, v: Value
) -> tuple[None, Record]:
    was_number = flows(space.get(name))
    if flows(v):
        look_from_now_on(space, name)
    space[name] = v
    return None, (pull_written, space, name) if was_number or flows(v) else None


def pull_written(shadows: Shadows, y_bar: Value, space: Value, name: str) -> Cotangents:
    return None, None, shadows.key_take(space, name)


def delete_global(space: dict[str, Value], name: str) -> None:
    try:
        del space[name]
    except KeyError:
        raise NameError(f"name {name!r} is not defined", name=name) from None


@full(delete_global)
def delete_global_forward(versions: Versions, space: Value, name: str) -> tuple[None, Record]:
    delete_global(space, name)
    return None, (pull_deleted, space, name)


def pull_deleted(shadows: Shadows, y_bar: Value, space: Value, name: str) -> Cotangents:
    shadows.key_take(space, name)
    return None


# --- who reads it ---------------------------------------------------------------------------------


def look_from_now_on(space: Value, name: str) -> None:
    """Have functions that read this global compiled anew; one that runs already is an error."""
    if note_written(space, name):
        forget_all()
    _refuse_running_readers(space, name)


def _refuse_running_readers(space: Value, name: str) -> None:
    frame: FrameType | None = sys._getframe(1)
    plain: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    while frame is not None:
        text = frame.f_globals.get(GENERATED)
        if text is not None:
            plain = plain or _plain_reads(name)
            if plain[text.globals is not space].search(text.source):
                raise Unsupported(
                    name,
                    "a global bound anew while a function that reads it is differentiated",
                    why="it is taken for a constant there already",
                    instead="keep it in an object, or bind it in a function of its own module that "
                    "declares it global",
                )
        frame = frame.f_back


def _plain_reads(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How a text of the same module spells it, and how one of another."""
    head = r"\b(?:g|live)(?:_\d+)?\."
    own = re.compile(rf"{head}(?:\w+\.)*{re.escape(name)}\b")
    return own, re.compile(rf"{head}(?:\w+\.)+{re.escape(name)}\b")
