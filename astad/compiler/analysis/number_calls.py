"""Functions of numbers alone: the kind of what they give, and whether a derivative passes them.

``round(x)`` is an int and constant between its jumps; ``max(x, 0.0)`` is a float whose cotangent
is written out.

>>> number_call(round, [FLOAT], active=True), number_call(max, [FLOAT, INT], active=True)
(('plain', Kind(tag='int', rank=None)), ('inline', Kind(tag='real', rank=None)))
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import BOOL, FLOAT, FLOATING, INT, Kind
from astad.rules.python.of_numbers import parts_of

__all__ = ["is_draw", "number_call"]


def number_call(fn: Any, kinds: Sequence[Kind], *, active: bool) -> tuple[str, Kind] | None:
    """Treatment and kind of a call of a known function with operands of these kinds; None for
    other functions, and where one may be no number.
    """
    if not all(map(k.is_real, kinds)):
        return None
    if (jumps := _JUMPS.get(id(fn))) is not None:
        kind = jumps(kinds)
        return None if kind is None else ("plain", kind)
    if id(fn) in _DRAWN:
        return None if active else ("plain", _DRAWN[id(fn)])
    if not kinds or parts_of(fn, len(kinds)) is None:
        return None
    made = _KINDS[id(fn)](kinds)
    return None if made is None else ("inline" if active else "plain", made)


def _joined(kinds: Sequence[Kind]) -> Kind:
    return functools.reduce(k.join, kinds)


_KINDS: dict[int, Callable[[Sequence[Kind]], Kind | None]] = {
    id(max): _joined,
    id(min): _joined,
    id(math.hypot): lambda kinds: FLOAT,
    id(math.log): lambda kinds: FLOAT,
    id(np.clip): lambda kinds: FLOATING if any(map(k.is_floating, kinds)) else None,
}
"""Of those whose cotangents are written out by `rules/python/of_numbers.py`."""


# --- constant between their jumps


def _rounded(kinds: Sequence[Kind]) -> Kind | None:
    if len(kinds) == 1:
        return INT
    return kinds[0] if len(kinds) == 2 and kinds[1] == INT else None


def _truncated(kinds: Sequence[Kind]) -> Kind | None:
    """An int passes its derivative on."""
    return INT if len(kinds) == 1 and k.is_floating(kinds[0]) else None


def _stepped(kinds: Sequence[Kind]) -> Kind | None:
    """By a NumPy function, which leaves ints alone."""
    return FLOATING if len(kinds) == 1 and k.is_floating(kinds[0]) else None


def _counted(kinds: Sequence[Kind]) -> Kind | None:
    return INT if kinds and all(kind == INT for kind in kinds) else None


_JUMPS: dict[int, Callable[[Sequence[Kind]], Kind | None]] = {
    id(round): _rounded,
    id(int): _truncated,
    **{
        id(fn): lambda kinds: INT if len(kinds) == 1 else None
        for fn in (math.floor, math.ceil, math.trunc)
    },
    **{id(fn): _stepped for fn in (np.floor, np.ceil, np.rint, np.trunc, np.sign)},
    **{
        id(fn): lambda kinds: BOOL if len(kinds) == 1 else None
        for fn in (math.isnan, math.isinf, math.isfinite)
    },
    id(math.isclose): lambda kinds: BOOL if len(kinds) == 2 else None,
    **{
        id(fn): _counted
        for fn in (math.comb, math.perm, math.gcd, math.lcm, math.factorial, math.isqrt)
    },
}

_FLOAT_DRAWS = (
    random.random, random.uniform, random.gauss, random.normalvariate, random.expovariate,
    random.betavariate, random.gammavariate, random.lognormvariate, random.triangular,
)  # fmt: skip
_DRAWN: dict[int, Kind] = {
    **{id(fn): FLOAT for fn in _FLOAT_DRAWS},
    **{id(fn): INT for fn in (random.randint, random.randrange, random.getrandbits)},
}
"""Drawn by numbers that carry no derivative: run as they are."""


def is_draw(fn: object) -> bool:
    """Does a function draw a random number?"""
    return id(fn) in _DRAWN
