"""Where the time of a gradient goes, and what it keeps, by line of the user's: ``astad.profile``.

The run that is measured is the ordinary one: the same texts for the same kinds of arguments, with
a clock between their statements. What is compiled for it is compiled with the clock stopped.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from astad import settings
from astad.api.inspection.kept_bytes import Weighing
from astad.api.inspection.timed_texts import TimedTexts
from astad.api.inspection.timing import OUTSIDE, Clock, Line, Node
from astad.api.rules.custom_rules import declare_without_path
from astad.api.variants.generated import OBSERVERS
from astad.api.variants.tracebacks import in_users_words
from astad.api.variants.whole import whole
from astad.errors import Unsupported, WrongCall
from astad.rules.in_force import AROUND
from astad.rules.registry import read_more
from astad.runtime.core.variants import TABLE, Fused, Pair, Variants
from astad.slotted import dataclass
from astad.tangents.zero import is_number, seed_of
from astad.threads import restoring

__all__ = ["Profile", "Row", "profile", "profiled"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone

Result = TypeVar("Result")
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


@dataclass(frozen=True, slots=True)
class Row:
    """What one line took; ``shared`` are the seconds of it that were measured for several lines at
    once, of which this one was given an equal part.
    """

    filename: str
    line: int
    forward: float
    backward: float
    bytes: int
    shared: float

    @property
    def text(self) -> str:
        """The line as it stands in its file."""
        return linecache.getline(self.filename, self.line).strip()


class Profile(Sequence[Row]):
    """The rows, the most expensive first; ``print`` shows them as a table.

    Attributes
    ----------
    value, gradient
        What ``f`` returned, and one gradient per positional argument, for a cotangent of ones; None
        where a script was profiled.
    outside : float
        Seconds between start and end that belong to no line: getting ready, and handing over.
    """

    def __init__(self, clock: Clock, weighing: Weighing) -> None:
        self.value: Any = None
        self.gradient: tuple[Any, ...] | None = None
        self._clock = clock
        self._times = list(clock.times())
        self._rows = _rows(clock, self._times, weighing)
        self.outside = sum(seconds for node, seconds in self._times if node.spot == OUTSIDE)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        return self._rows[at]

    def __len__(self) -> int:
        return len(self._rows)

    def table(self, rows: int | None = None) -> str:
        """The table as text, of so many rows."""
        shown = self._rows[:rows]
        lines = [_HEAD.format("forward", "backward", "kept", "line")]
        for row in shown:
            place = f"{os.path.basename(row.filename)}:{row.line}"
            mark = "~" if row.shared * 10 > row.forward + row.backward else " "
            times = _seconds(row.forward), mark + _seconds(row.backward)
            lines.append(f"{_HEAD.format(*times, _size(row.bytes), place)}  {row.text}".rstrip())
        if len(shown) < len(self._rows):
            lines.append(f"and {len(self._rows) - len(shown)} more lines")
        sums = [sum(getattr(row, name) for row in self._rows) for name in ("forward", "backward")]
        kept = _size(sum(row.bytes for row in self._rows))
        lines.append(_HEAD.format(*map(_seconds, sums), kept, "all lines"))
        return "\n".join(lines)

    __str__ = table

    def __repr__(self) -> str:
        return f"<profile of {len(self._rows)} lines: print it, or save it by speedscope(file)>"

    def speedscope(self, path: str | os.PathLike[str]) -> None:
        """Write a file for speedscope.app: both sweeps by call and line, and the bytes by line.

        Parameters
        ----------
        path : path of the file, which is written anew.
        """
        frames: dict[Line, int] = {}
        profiles = []
        for name, is_reverse in (("forward sweep", False), ("reverse sweep", True)):
            samples = [
                (self._clock.frames(node), seconds)
                for node, seconds in self._times
                if node.spot != OUTSIDE and seconds > 0
                if self._clock.spots[node.spot].is_reverse is is_reverse
            ]
            profiles.append(_sampled(name, "seconds", samples, frames))
        kept = [([Line(row.filename, "", row.line)], float(row.bytes)) for row in self if row.bytes]
        profiles.append(_sampled("kept for the reverse sweep", "bytes", kept, frames))
        shared = {"frames": [_frame(line) for line in frames]}
        text = {"$schema": SCHEMA, "shared": shared, "profiles": profiles, "exporter": "astad"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(text, file)


_HEAD = "{:>10} {:>10} {:>10}  {}"


def profile(f: Callable[..., Any], /, *args: Any, **keywords: Any) -> Profile:
    """Run ``f`` and its pullback once, and measure both by line of the user's.

    The cotangent of the result is 1, or ones in its shape. The clock is stopped while astad
    compiles. Reading it takes some 0.5 us for each time that a line runs, of which up to 0.1 us
    stays in the figures: nothing beside an array function, more than the line itself where it
    adds two numbers.

    Parameters
    ----------
    f : callable
        Any that `pullback` takes; numbers, arrays, and tuples, lists and dicts of them come back.
    *args, **keywords
        Its arguments; keyword arguments are not differentiated.

    Returns
    -------
    Profile
        A sequence of rows with ``filename``, ``line``, ``forward`` and ``backward`` in seconds,
        ``bytes`` that the reverse sweep of the line reads; also ``value`` and ``gradient``.

    Raises
    ------
    AstadError : where the derivative cannot be carried, or a profile is being made already.
    Whatever ``f`` raises.

    Examples
    --------
    >>> import numpy as np
    >>> def loss(x):
    ...     y = np.sin(x)
    ...     return np.sum(y)
    >>> found = profile(loss, np.zeros(1000))
    >>> found.value, found.gradient[0].sum()
    (np.float64(0.0), np.float64(1000.0))
    >>> sorted((row.line, row.bytes // 1000) for row in found)
    [(1, 0), (2, 8), (3, 0)]
    """
    try:
        (value, found), made = profiled(lambda clock: _both(clock, f, args, keywords))
    except BaseException as error:
        in_users_words(error)
        raise
    made.value, made.gradient = value, found
    return made


declare_without_path(profile)


def _both(
    clock: Clock, f: Any, args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    run = whole.run  # all is read before the clock starts
    clock.start()
    y, back = run(f, args, keywords, self_too=False)
    seed = clock.paused(lambda: _ones(y, back.name))
    found = back(seed)
    clock.stop()
    return y, found


def _ones(y: Any, name: str) -> Any:
    """The cotangent that is 1 wherever there may be one."""
    if y is None or isinstance(y, (bool, str, bytes)):
        return None
    if is_number(y):
        return seed_of(y)
    if issubclass(type(y), np.ndarray) and y.dtype.kind in "fciu":
        return np.ones_like(y, dtype=float if y.dtype.kind in "iu" else None)
    if type(y) in (tuple, list):
        return type(y)(_ones(part, name) for part in y)
    if issubclass(type(y), tuple) and hasattr(y, "_make"):
        return y._make(_ones(part, name) for part in y)
    if type(y) is dict:
        return {key: _ones(part, name) for key, part in y.items()}
    raise Unsupported(
        name, f"a profile of a function whose result is of type {type(y).__name__}",
        why="there is no cotangent of ones for it",
        instead="profile a function of the same arguments that returns a number or an array",
    )  # fmt: skip


# --- measuring


_one = Lock()
_DEEPER = 20
"""Levels of the stack that the clock may need."""


def profiled(
    measured: Callable[[Clock], Result], *, every_thread: bool = False
) -> tuple[Result, Profile]:
    """Run with timed texts in the place of all others, which come back; ``measured`` starts and
    stops the clock.
    """
    clock, weighing = Clock(every_thread), Weighing()
    texts = TimedTexts(clock, weighing)
    around, observe = clock.paused, texts.time  # held, to be found again
    stashed: dict[Variants, _Taken] = {}
    held: list[bool] = []
    limit = sys.getrecursionlimit()

    def put_back() -> None:
        clock.stop()
        if around in AROUND:
            AROUND.remove(around)
        if observe in OBSERVERS:
            OBSERVERS.remove(observe)
        if held:
            for variants in list(TABLE.values()):
                _refill(variants, stashed.pop(variants, None))
            if sys.getrecursionlimit() == limit + _DEEPER:
                sys.setrecursionlimit(limit)
            held.clear()
            _one.release()

    def go() -> Result:
        if not _one.acquire(blocking=False):
            raise WrongCall(
                "astad.profile", "a profile while another is made",
                why="texts with a clock of one take the place of all others in this process",
                instead="profile the outer function: it shows the lines of the inner one too",
            )  # fmt: skip
        held.append(True)
        sys.setrecursionlimit(limit + _DEEPER)
        while read_more():  # rules of libraries, which a first call would read
            continue
        for variants in list(TABLE.values()):
            stashed[variants] = _Taken.of(variants)
            _empty(variants)
        OBSERVERS.append(observe)
        AROUND.append(around)
        return measured(clock)

    out = restoring(go, put_back)
    return out, Profile(clock, weighing)


class _Taken(NamedTuple):
    """The texts of a function, while others stand in their place."""

    pairs: list[Pair]
    generic: Pair | None
    taped: Pair | None
    fused: dict[tuple[int, ...], list[Fused]]
    modules: dict[Any, Any]

    @classmethod
    def of(cls, variants: Variants) -> _Taken:
        variants.no_fused.add(_HERE)
        fused = {wanted: list(known) for wanted, known in variants.fused.items()}
        modules = dict(variants.modules)
        return cls(variants.pairs, variants.generic, variants.taped, fused, modules)


_HERE = "the texts are kept elsewhere"
"""Among what has no fused form; who forgets all texts, as after a new rule, forgets it too."""


def _empty(variants: Variants) -> None:
    """Whoever holds a list of fused variants sees it empty."""
    with variants.lock:
        variants.pairs, variants.generic, variants.taped = [], None, None
        variants.modules.clear()
        for known in variants.fused.values():
            known.clear()


def _refill(variants: Variants, taken: _Taken | None) -> None:
    """Timed texts go, and what was there before comes back, if it still holds."""
    _empty(variants)
    if taken is None or _HERE not in variants.no_fused:
        return
    with variants.lock:
        variants.no_fused.discard(_HERE)
        variants.pairs, variants.generic, variants.taped = taken[:3]
        variants.modules.update(taken.modules)
        for wanted, known in taken.fused.items():
            variants.fused[wanted][:] = known


# --- what is told


def _rows(clock: Clock, times: Sequence[tuple[Node, float]], weighing: Weighing) -> list[Row]:
    found: dict[tuple[str, int], list[float]] = {}
    for node, seconds in times:
        if node.spot == OUTSIDE:
            continue
        spot = clock.spots[node.spot]
        part = seconds / len(spot.chains)
        for chain in spot.chains:
            sums = found.setdefault((chain[-1].file, chain[-1].line), [0.0, 0.0, 0.0])
            sums[spot.is_reverse] += part
            sums[2] += part if len(spot.chains) > 1 else 0.0
    for at in weighing.bytes:
        found.setdefault(at, [0.0, 0.0, 0.0])
    rows = [
        Row(*at, forward, backward, weighing.bytes.get(at, 0), shared)
        for at, (forward, backward, shared) in found.items()
    ]
    return sorted(rows, key=lambda row: (-row.forward - row.backward, row.filename, row.line))


def _seconds(value: float) -> str:
    """Four digits and a unit.

    >>> _seconds(0.00123456), _seconds(2.5e-6)
    ('1.235 ms', '2.500 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3f} {unit}"
    return f"{value / 1e-6:.3f} us"


def _size(value: int) -> str:
    """
    >>> _size(800), _size(1_600_000)
    ('800 B', '1.600 MB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if value >= size:
            return f"{value / size:.3f} {unit}"
    return f"{value} B"


def _sampled(
    name: str, unit: str, samples: Sequence[tuple[Sequence[Line], float]], frames: dict[Line, int]
) -> dict[str, Any]:
    """One profile of a speedscope file: stacks and their weights."""
    stacks = [[frames.setdefault(line, len(frames)) for line in stack] for stack, _ in samples]
    weights = [weight for _, weight in samples]
    return {
        "type": "sampled", "name": name, "unit": unit, "startValue": 0, "endValue": sum(weights),
        "samples": stacks, "weights": weights,
    }  # fmt: skip


def _frame(line: Line) -> dict[str, Any]:
    file = os.path.basename(line.file)
    text = linecache.getline(line.file, line.line).strip()
    return {"name": f"{file}:{line.line} {text}".rstrip(), "file": line.file, "line": line.line}
