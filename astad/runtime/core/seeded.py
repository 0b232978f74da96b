"""The derivative of a callback at many points, by one text.

A solver asks a function of the user's for its values; its rule asks for the derivatives at points
that the solver has found. `seeded` gives these by a text that calls nothing at run time: it takes
the seed first, then the operands of the call, then what the function has captured. There is one for
functions that do nothing but give a value, so that to call them again is seen by nobody; for others
the answer is None, and the rule records calls as it does of any function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import gettrace
from typing import Any, NamedTuple

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value
from astad.runtime.core.variants import WRITTEN, attempt, compiler
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import CELL, snapshot
from astad.tangents.zero import has_identity

__all__ = ["Place", "Seeded", "fits", "seed_for", "seeded", "seeds_of", "shape_of", "times"]

MOST = 16
"""Numbers in a list that a function gives; each has a seed."""


class Place(NamedTuple):
    """Where a number lies that a function has captured or bound: in a cell, a tuple or a dict."""

    holder: Value
    key: Value
    value: Value

    def give(self, shadows: Shadows, bar: Value) -> None:
        """Its cotangent, to where it is looked for; ``value`` is what lay there at the call."""
        if bar is None or type(self.value) in _WITHOUT:
            return
        if has_identity(self.value):
            shadows.add(self.value, bar)
        elif isinstance(self.holder, tuple):
            shadows.slot_add(self.holder, self.key, bar)
        else:
            shadows.key_add(self.holder, CELL if self.key is None else self.key, bar)


_WITHOUT = (type(None), str, bool)
"""Types of what has no derivative."""


class Seeded:
    """A callback with texts for its derivatives.

    Attributes
    ----------
    count : int
        Operands of a call.
    before, behind : tuple
        What the text is given before them, as a partial has bound it, and behind.
    places : list of Place or None
        Where the cotangents of these belong.
    shaped : callable
        From a value of the callback to the text for results like it, or None.
    """

    __slots__ = ("before", "behind", "copies", "count", "places", "shaped", "texts")

    def __init__(
        self,
        count: int,
        before: Sequence[Value],
        behind: Sequence[Value],
        places: Sequence[Place],
        shaped: Callable[[str, Sequence[Value]], Callable[..., Any] | None],
    ) -> None:
        self.count = count
        self.before = tuple(map(_kept, before))
        self.behind = tuple(map(_kept, behind))
        self.places = [each._replace(value=snapshot(each.value)) for each in places]
        self.shaped = shaped
        self.copies: dict[int, tuple[Value, Value]] = {}
        self.texts: dict[str, Callable[..., Any] | None] = {}

    def kept(self, value: Value) -> Value:
        """An operand of many calls as it is now, should somebody write it before the way back."""
        if type(value) is not np.ndarray and type(value) is not list:
            return value
        if id(value) not in self.copies:
            self.copies[id(value)] = value, _kept(value)
        return self.copies[id(value)][1]

    def text(self, shape: str, args: Sequence[Value]) -> Callable[..., Any] | None:
        """The text for results of this shape, if there is one for such operands."""
        if shape not in self.texts:
            operands = (*seeds_of(shape), *self.before, *args, *self.behind)
            found = self.shaped(shape, operands)
            self.texts[shape] = found if found is not None and fits(found, operands) else None
        return self.texts[shape]

    def run(self, shape: str, seeds: Sequence[Value], args: Sequence[Value]) -> Any:
        """The product of seed and value, and the cotangents; NotImplemented where the text is not
        for such operands.
        """
        text = self.text(shape, args)
        if text is None:
            return NotImplemented
        out = attempt(text, (*seeds, *self.before, *args, *self.behind))
        return out if out is NotImplemented else (out[0], [_none(bar) for bar in out[1]])

    def must(self, shape: str, seeds: Sequence[Value], args: Sequence[Value]) -> list[Value]:
        """The cotangents, where the text has been found to be for such operands."""
        out = self.run(shape, seeds, args)
        if out is NotImplemented:
            raise Unsupported(
                "a callback of a solver", "a derivative after what it reads was bound anew",
                why="its text was made for other functions and types",
                instead="bind them before the solver is called",
            )  # fmt: skip
        return out[1]  # type: ignore[no-any-return]

    def of_args(self, bars: Sequence[Value]) -> Sequence[Value]:
        """Those among the cotangents that are the operands' own."""
        return bars[len(self.before) : len(self.before) + self.count]

    def deliver(self, shadows: Shadows, bars: Sequence[Value]) -> None:
        """Give the cotangents of what it has bound and captured to their places."""
        outer = (*bars[: len(self.before)], *bars[len(self.before) + self.count :])
        for place, bar in zip(self.places, outer, strict=True):
            place.give(shadows, bar)


def seeded(versions: Versions, fn: Value, args: Sequence[Value]) -> Seeded | None:
    """What gives derivatives of ``fn`` for operands like ``args``, if there is a text for it.

    Not while a debugger looks on, loops are kept by a budget, or numbers lie in globals and
    classes: then calls have to be recorded.
    """
    if gettrace() is not None or versions.rebinds or versions.exact or versions.budget is not None:
        return None
    if WRITTEN or versions.stand_ins or versions.installed:
        return None
    found: Seeded | None = compiler.seeded(fn, args)
    return found


def fits(text: Callable[..., Any], operands: Sequence[Value]) -> bool:
    """Does the guard of a text let these pass?"""
    try:
        with np.errstate(all="ignore"):
            return attempt(text, tuple(operands)) is not NotImplemented
    except Exception:
        return True  # of the program: at a point as any, where it need not have a value


def shape_of(value: Value) -> str:
    """What a callback gives, in a word: the text is for that. "" for what none is for.

    >>> shape_of(2.0), shape_of(np.ones(3)), shape_of([1.0, 2.0]), shape_of([[1.0]])
    ('number', 'array', '2', '')
    """
    kind = type(value)
    if kind in (float, np.float64):
        return "number"
    if kind is np.ndarray:
        return "array" if value.dtype.char == "d" and value.ndim else ""
    is_flat = kind in (list, tuple) and all(type(each) in _NUMBERS for each in value)
    return str(len(value)) if is_flat and 0 < len(value) <= MOST else ""


_NUMBERS = (float, int, np.float64)


def seeds_of(shape: str) -> tuple[Value, ...]:
    """Seeds such as a text for this shape is given."""
    return (np.ones(1),) if shape == "array" else (1.0,) * (1 if shape == "number" else int(shape))


def seed_for(shape: str, flat: Any, value: Value) -> tuple[Value, ...]:
    """A flat cotangent as the seeds of a text."""
    if shape == "array":
        return (np.ascontiguousarray(flat, float).reshape(np.shape(value)),)
    return tuple(flat.tolist())


def _kept(value: Value) -> Value:
    """As it is now, should somebody write it before the way back."""
    kind = type(value)
    if kind is np.ndarray:
        return value.copy()
    if kind is list:
        return list(value)
    held = stored_in(value) if has_identity(value) else None
    if type(held) is not dict:
        return value
    made = object.__new__(kind)  # of the user's class, of which the text reads attributes alone
    stored_in(made).update({name: _kept(each) for name, each in held.items()})
    return made


def _none(bar: Value) -> Value:
    """A text has the number zero where nothing comes."""
    return None if type(bar) is int and not bar else bar


def times(bar: Value, factor: float) -> Value:
    """A cotangent of numbers, arrays, lists and objects, times a number."""
    if bar is None:
        return None
    if isinstance(bar, dict):
        return {name: times(part, factor) for name, part in bar.items()}
    if isinstance(bar, (list, tuple)):
        return [times(part, factor) for part in bar]
    return bar * factor
