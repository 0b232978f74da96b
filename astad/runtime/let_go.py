"""Generators that were left before their end, and that nobody holds any more.

A plain run closes such a generator as soon as it is let go: its ``finally`` runs then, and the ends
of its ``with``. In a sweep the records hold it to the end. So what it changes then comes too late.
"""

from __future__ import annotations

from types import CellType

from astad.errors import Unsupported
from astad.runtime.contents import changed, contents
from astad.runtime.full_rules import Value
from astad.runtime.generators import Began, ends_by_itself, is_alone, is_harmless
from astad.runtime.snapshots import is_full
from astad.runtime.versions import Versions

__all__ = ["close_left"]

_BY_CALLS = 2
"""How often `is_alone` and its caller's list hold a generator."""


def close_left(versions: Versions, *, raised: bool = False) -> None:
    """Close those that records alone hold, at the end of the forward sweep; where that has
    ``raised`` an error, those that its frames hold too.

    Raises
    ------
    Unsupported : if that changes anything.
    """
    left = [kept for kept in versions.generators.values() if kept.generator.gi_frame is not None]
    if not any(ends_by_itself(kept.generator) for kept in left):
        return  # whoever holds it: to ask the collector takes long
    while left:
        alone = [kept for kept in left if is_alone(kept.generator, _BY_CALLS, frames=raised)]
        for kept in alone:
            _close_late(kept)
        left = [kept for kept in left if kept not in alone] if alone else []


def _close_late(kept: Began) -> None:
    ends, count = ends_by_itself(kept.generator), len(kept.tape)
    before = contents(_held_by(kept)) if ends else []
    kept.generator.close()
    if not is_harmless(kept.tape[count:]) or changed(before, strict=True):
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
