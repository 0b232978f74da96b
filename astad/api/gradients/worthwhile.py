"""When a text that was recorded is compiled: as soon as that may have paid.

To compile a text takes a hundred to a thousand times as long as to run it, and saves nothing to a
program that goes another way each time. So it is done by the rule of who may rent or buy: once the
slow answers that the text would have spared have taken as long as the compiler will. Whatever the
program does next, nobody waits for more than twice as long as without the text or with it from the
start. What counts for a text is all that was slow before the first one of its function, the first
call with its compiler too; for one that follows, its own run and those that go its way, as a way
that was gone once may never come again.

There are two steps, each paid by itself: the fused text, and, where there is none, the pair of the
recorded text, which may be faster than that of the program.

A text that waits serves by a baseline meanwhile (`baseline.py`), where each of its lines has one:
that takes a tenth of the time to make, and is paid in the same manner.

What takes little (`FREE`), and what lies in the disk cache, waits for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["FREE", "Dear", "Worth"]

COMPILER = 30
"""Times as long as Python takes to read a text, which has just been measured, the compiler takes
for it: 20 to 100 in texts of 300 to 7,000 lines, on an idle machine as on a busy one."""
BASELINE = 4
"""Times as long takes a baseline to be made."""
ARRAYS = 3
"""Times as long takes a line that gives an array."""
PAIR = 3
"""Times as long as the search for a fused text in vain takes the pair, to be made and tried."""
FREE = 200
"""Lines that take a moment."""


class Dear(str):
    """Why a text is not used yet: the next step for it takes long."""

    __slots__ = ()


class Worth:
    """Of the recorded texts of one function: ``spent`` are the seconds of slow answers before the
    first one, ``paid`` those that count for a text, by its place and what it is for; ``owed`` is
    what the next step for it will take, where that is known; ``halfway`` are those of which the
    first step is done, ``vain`` those that have no baseline. ``pace``: how many times as long as
    foretold a step has taken here.
    """

    __slots__ = ("halfway", "owed", "paid", "pace", "spent", "vain")

    def __init__(self) -> None:
        self.spent = 0.0
        self.pace = 1.0
        self.paid: dict[Any, float] = {}
        self.owed: dict[Any, float] = {}
        self.halfway: set[Any] = set()
        self.vain: set[Any] = set()

    def begin(self, use: Any, took: float, *, is_first: bool) -> None:
        """A text is there, recorded after an answer of ``took`` seconds."""
        self.paid[use] = self.spent if is_first else took

    def is_stored(self, use: Any) -> None:
        """What its first step gives lies in the disk cache."""
        self.owed[use] = 0.0

    def pays(self, use: Any, straight: Straight) -> bool:
        """May its next step be done?"""
        if straight.lines <= FREE:
            return True
        owed = self.owed.get(use)
        return self.paid.get(use, 0.0) >= (self.foretold(straight) if owed is None else owed)

    def pays_baseline(self, use: Any, straight: Straight) -> bool:
        """May one be made?"""
        return self.paid.get(use, 0.0) >= BASELINE * straight.took

    def add(self, use: Any, took: float) -> None:
        """It would have spared an answer of ``took`` seconds."""
        self.paid[use] = self.paid.get(use, 0.0) + took

    def go_on(self, use: Any, straight: Straight, took: float) -> None:
        """The search for a fused text was in vain and took so long."""
        self._measure(straight, took)
        self.paid[use] = self.paid.get(use, 0.0) - took
        self.owed[use] = max(PAIR * took, self.foretold(straight))
        self.halfway.add(use)

    def close(self, use: Any, straight: Straight, took: float) -> None:
        """The last step took so long: there is nothing more to be done for it."""
        self._measure(straight, took)
        self.paid.pop(use, None)
        self.owed.pop(use, None)

    def _measure(self, straight: Straight, took: float) -> None:
        if straight.lines > FREE:
            self.pace = max(self.pace, took / max(_seconds(straight), 1e-9))

    def forget(self, use: Any) -> None:
        """It serves by a baseline."""
        self.paid.pop(use, None)

    def foretold(self, straight: Straight) -> float:
        """The seconds that the compiler will take."""
        return self.pace * _seconds(straight)


def _seconds(straight: Straight) -> float:
    """What the compiler takes for a text."""
    arrays = straight.arrays / straight.lines
    return COMPILER * straight.took * (1.0 + (ARRAYS - 1) * arrays)
