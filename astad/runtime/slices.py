"""Slices whose ends are floats, as ``np.mgrid[a:b:5j]`` and ``np.r_[a:b:5j]`` take them.

The ends of a slice wait under their names; where all of them are ints they are places, and carry
nothing, unless the step tells a number of points: ``np.r_[1:n:5j]``.

>>> from astad.runtime.shadows import Shadows
>>> y, (pull, *data) = slice_forward(Versions(), 0.5, 2)
>>> shadows, (end, record) = Shadows(), read_end(y, "start")
>>> end, tuple(record[0](shadows, 3.0, *record[1:]))
(0.5, (None, None))
>>> pull(shadows, None, *data)
[3.0, None]
"""

from __future__ import annotations

import numpy as np

from astad.runtime.attributes import READERS
from astad.runtime.full_rules import Cotangents, Record, Value, flows, full, opaque
from astad.runtime.language import build_slice
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["read_end", "slice_forward"]

_ENDS = ("start", "stop", "step")


@full(slice, build_slice)
def slice_forward(versions: Versions, *ends: Value) -> tuple[slice, Record]:
    y = slice(*ends)
    if not any(map(_is_inexact, ends)):
        return y, None
    names = ("stop",) if len(ends) == 1 else _ENDS[: len(ends)]
    return y, (pull_slice, y, names)


def _is_inexact(end: Value) -> bool:
    return isinstance(end, float | complex | np.inexact)


def pull_slice(shadows: Shadows, y_bar: Value, y: slice, names: tuple[str, ...]) -> Cotangents:
    return [shadows.key_take(y, name) for name in names]


def read_end(s: slice, name: str) -> tuple[Value, Record]:
    y = getattr(s, name)
    if name not in _ENDS:
        return y, opaque(f"slice.{name}", y, (s, name))
    return y, (pull_end, s, name) if flows(y) and _is_of_numbers(s) else None


def _is_of_numbers(s: slice) -> bool:
    return any(map(_is_inexact, (s.start, s.stop, s.step)))


def pull_end(shadows: Shadows, y_bar: Value, s: slice, name: str) -> Cotangents:
    shadows.key_add(s, name, y_bar)
    return None, None


READERS[slice] = read_end
