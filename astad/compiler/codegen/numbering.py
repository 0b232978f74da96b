"""Number the temporaries that are written in the order in which they stand in the text.

Most of those that the passes have made stand inside expressions and have no name: ``t_7`` and
``t_19_bar`` alone become ``t_1`` and ``t_2_bar``.

>>> written = Numbers({"t_2", "x"})
>>> written["t_7"], written["x"], written["t_2"], written["t_19_bar"], written["t_7_bar"]
('t_1', 'x', 't_2', 't_3_bar', 't_1_bar')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["Numbers"]

STARTS = ("t_", "minus_t_")
TEMPORARY = re.compile(r"^(minus_)?t_(\d+)(?=_|$)")


class Numbers(dict[str, str]):
    """Each name as it is written, asked for in the order of the text; ``others`` are the names
    which are not ours to change.
    """

    def __init__(self, others: Iterable[str]) -> None:
        super().__init__((name, name) for name in others)
        self._numbers: dict[str, str] = {}
        self._free = _free_numbers([*self])

    def __missing__(self, name: str) -> str:
        found = self[name] = _renumbered(name, self._numbers, self._free)
        return found


def _renumbered(name: str, numbers: dict[str, str], free: Iterator[str]) -> str:
    found = TEMPORARY.match(name) if name.startswith(STARTS) else None
    if found is None:
        return name
    number = found[2]
    if number not in numbers:
        numbers[number] = next(free)
    return f"{name[: found.start(2)]}{numbers[number]}{name[found.end(2) :]}"


def _free_numbers(names: Iterable[str]) -> Iterator[str]:
    used = {found[2] for name in names if (found := TEMPORARY.match(name))}
    number = 0
    while True:
        number += 1
        if str(number) not in used:
            yield str(number)
