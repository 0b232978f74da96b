"""Generators that were left before their end, and that nobody holds any more.

A plain run closes such a generator as soon as it is let go: its ``finally`` runs then, and the ends
of its ``with``. In a sweep the records hold it to the end. So what it changes then comes too late.
"""

from __future__ import annotations

import gc
import sys
from types import CellType, FrameType, ModuleType

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.contents import changed, contents
from astad.runtime.cotangents.owners import is_namespace
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.iteration.generators import (
    HOLDING,
    Began,
    ends_by_itself,
    is_harmless,
    is_record,
)
from astad.runtime.unseen.harmless import counts

__all__ = ["close_left"]

_OURS = 3
"""References to an object while it is looked at: from a list, a variable, and `getrefcount`."""
_MOST = 100
"""Holders of holders that are looked at; one of the program's own is met soon."""


def close_left(versions: Versions, *, raised: bool = False) -> None:
    """Close those that records alone hold, at the end of the forward sweep; where that has
    ``raised`` an error, those that its frames hold too.

    Raises
    ------
    Unsupported : if that changes anything.
    """
    left = [kept for kept in versions.generators.values() if kept.generator.gi_frame is not None]
    if not any(ends_by_itself(versions, kept) for kept in left):
        return  # whoever holds it: to ask the collector takes long
    while left:
        alone = [kept for kept in left if _is_let_go(kept, raised)]
        for kept in alone:
            _close_late(versions, kept)
        left = [kept for kept in left if kept not in alone] if alone else []


def _close_late(versions: Versions, kept: Began) -> None:
    ends, count = ends_by_itself(versions, kept), len(kept.tape)
    before = contents(_held_by(kept)) if ends else []
    kept.generator.close()
    steps = kept.tape[count:]
    if (
        any(map(counts, (record for _, record in steps)))
        or not is_harmless(steps)
        or changed(before, strict=True)
    ):
        raise Unsupported(
            kept.generator.__qualname__,
            "a generator that is left before its end, and changes things when it is closed",
            why="Python closes it when nobody holds it any more, astad not before the end",
            instead="close it with contextlib.closing, or draw from it by a for loop over it alone",
        )


def _held_by(kept: Began) -> list[Value]:
    """What the variables of the generator hold, those that it shares with others included."""
    held = kept.generator.gi_frame.f_locals.values()
    cells = [each for part in held for each in (part if type(part) is tuple else (part,))]
    shared = [each.cell_contents for each in cells if type(each) is CellType and is_full(each)]
    return shared + [v for v in held if v is not kept.tape and type(v) is not Versions]


def _is_let_go(kept: Began, frames: bool) -> bool:
    """Do records alone lead to the generator? Or ``frames``."""
    waiting = [kept.generator]
    known = {id(kept.generator), id(waiting)}
    at = 0
    while at < len(waiting):
        holders = _holders(waiting[at], waiting, frames)
        if holders is None or len(waiting) > _MOST:
            return False
        waiting += [each for each in holders if id(each) not in known]
        known.update(map(id, holders))
        del holders
        at += 1
    return True


def _holders(held: Value, waiting: list[Value], frames: bool) -> list[Value] | None:
    """What holds it besides records; None where that is the program: a variable, a module."""
    found = [each for each in gc.get_referrers(held) if each is not waiting]
    if sys.getrefcount(held) > len(found) + _OURS:
        return None
    others = [
        each
        for each in found
        if type(each) not in HOLDING
        and not is_record(each)
        and not (frames and type(each) is FrameType)
    ]
    of_program = any(isinstance(each, _OF_PROGRAM) or is_namespace(each) for each in others)
    return None if of_program else others


_OF_PROGRAM = (FrameType, ModuleType, type)
