"""How long a recorded run may be."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LONG", "SHORT", "VIEWED", "Bounds"]


class Bounds(NamedTuple):
    """``lines`` of the text, ``steps`` of the interpreter, ``inputs``: numbers that are read from
    outside; ``by_value``: a write into an array of which something else has a part makes a new one.
    """

    lines: int
    steps: int
    inputs: int
    by_value: bool = False


SHORT = Bounds(1500, 50_000, 250)
"""Of the first run that is recorded."""
LONG = Bounds(40_000, 1_000_000, 4_000)
"""Of a later one. To record it takes some three runs of the pair."""
VIEWED = "the reverse of a write into what has a view"
"""Why a run is not recorded which one ``by_value`` may stand for."""
