"""Cotangents are looked at as they are formed: what is not finite, or of another shape or dtype
than its value, is an error at the user's line.

Where the seed is not finite, a line is named only if what came to it was finite.

>>> import operator
>>> from astad.runtime.core.versions import Versions
>>> from astad.runtime.iteration.taped import new_tape
>>> versions = Versions()
>>> tape = new_tape(versions)
>>> record(versions, tape, 1, (0, 1), operator.mul, 2.0, 5.0)
10.0
>>> tape[0][1][0].__name__
'_pull_checked'
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from astad.errors import Location, WrongCotangent
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration import taped
from astad.runtime.iteration.generators import HOLDING
from astad.runtime.iteration.taped import Tape
from astad.tangents.unasked import callable_name
from astad.tangents.zero import has_identity

__all__ = ["checked_pair", "record"]

_STRICT = object()
"""Under its id a table of shadows notes whether the seed was finite."""

Forward = Callable[..., Any]
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@", "neg": "-",
    "getitem": "a subscript", "getattr": "an attribute", "mod": "%", "floordiv": "//",
}  # fmt: skip


def checked_pair(forward: Forward, pullback: Forward) -> tuple[Forward, Forward]:
    """The same pair; the pullback that is called first notes whether the seed is finite."""

    def checked_forward(*args: Value) -> Value:
        out = forward(*args)
        return out if out is NotImplemented else (out[0], (_Kept(out[0]), out[1]))

    def checked_pullback(kept: Value, y_bar: Value, shadows: Shadows) -> Cotangents:
        if type(kept) is tuple and len(kept) == 2 and type(kept[0]) is _Kept:
            y, kept = kept[0].y, kept[1]
            if id(_STRICT) not in shadows.own_types:
                is_finite = _came_finite(shadows, y, y_bar) and _holds_finite(shadows, y)
                shadows.own_types[id(_STRICT)] = is_finite
        found: Cotangents = pullback(kept, y_bar, shadows)
        return found

    return checked_forward, checked_pullback


class _Kept:
    """The result of a function, beside what its pair keeps."""

    __slots__ = ("y",)

    def __init__(self, y: Value) -> None:
        self.y = y


HOLDING.add(_Kept)


def record(
    versions: Versions,
    tape: Tape,
    step: int,
    active: Sequence[int],
    fn: Value,
    /,
    *args: Value,
    **keywords: Value,
) -> Value:
    """As `taped.record`; on its way back the step looks at what comes and what it gives to the
    operands at the places ``active``.
    """
    y = taped.record(versions, tape, step, fn, *args, **keywords)
    number, kept = tape[-1]
    if kept is not None and number == step:
        frame = sys._getframe(1)
        where = Location(frame.f_code.co_filename, frame.f_lineno)
        given = (*args, *keywords.values())
        own = [*active]  # the tuple is one of the text, which others hold
        tape[-1] = (step, (_pull_checked, kept, y, fn, given, own, where))
    return y


def _pull_checked(
    shadows: Shadows,
    y_bar: Value,
    kept: Record,
    y: Value,
    fn: Value,
    given: Sequence[Value],
    active: Sequence[int],
    where: Location,
) -> Cotangents:
    assert kept is not None
    is_strict = shadows.own_types.get(id(_STRICT), False)
    came_finite = _came_finite(shadows, y, y_bar)
    if not is_strict:
        came_finite = came_finite and _holds_finite(shadows, y)
    if is_strict and not came_finite:
        raise _not_finite(
            where, f"the cotangent of the result of {_name(fn)}", _bar(shadows, y, y_bar), y
        )
    before = {at: _came_finite(shadows, given[at], None) for at in active}
    parts: Cotangents = kept[0](shadows, y_bar, *kept[1:])
    for at in active:
        value = given[at]
        part = parts[at] if parts is not None and at < len(parts) else None
        what = f"the cotangent of operand {at + 1} of {_name(fn)}"
        _check_fit(part, value, where, what)
        if came_finite and before[at] and not _came_finite(shadows, value, part):
            raise _not_finite(where, what, _bar(shadows, value, part), value)
    return parts


# --- what has come --------------------------------------------------------------------------------


def _bars(shadows: Shadows, value: Value, part: Value) -> Iterator[Any]:
    """What has come to a value so far: handed over, and in the shadow of an array."""
    if part is not None:
        yield part
    has_own = (
        issubclass(type(value), np.ndarray) and value.dtype.kind in "fc" and shadows.has(value)
    )
    if has_own and shadows.refused_of(value) is None:
        yield shadows.of(value)


def _came_finite(shadows: Shadows, value: Value, part: Value) -> bool:
    return all(map(_is_finite, _bars(shadows, value, part)))


def _holds_finite(shadows: Shadows, value: Value, depth: int = 4) -> bool:
    """The same for the slots of a container or of an object, and what lies inside."""
    if not has_identity(value) or issubclass(type(value), np.ndarray) or not depth:
        return _came_finite(shadows, value, None)
    store: Value = value if issubclass(type(value), dict) else stored_in(value)
    inside: list[Value] = list(store.values()) if type(store) is dict else []
    parts = list(shadows.keys_of(store).values())
    if issubclass(type(value), (list, tuple)):
        inside += value
        parts += shadows.slots_of(value, len(value))
    return all(map(_is_finite, parts)) and all(
        _holds_finite(shadows, each, depth - 1) for each in inside if has_identity(each)
    )


def _is_finite(bar: Any) -> bool:
    if issubclass(type(bar), np.ndarray):
        return bar.dtype.kind not in "fc" or bool(np.isfinite(bar).all())
    if isinstance(bar, (float, complex, np.inexact)):
        return bool(np.isfinite(bar))
    return True


def _bar(shadows: Shadows, value: Value, part: Value) -> Any:
    """The one that is not finite."""
    return next(bar for bar in _bars(shadows, value, part) if not _is_finite(bar))


def _check_fit(part: Value, value: Value, where: Location, what: str) -> None:
    """An array may have one cotangent for all its items, or one that broadcasts to it."""
    if part is None or not (issubclass(type(value), np.ndarray) or flows(value)):
        return
    if not issubclass(type(part), (np.ndarray, np.generic, float, int, complex)):
        return
    wanted, got = np.shape(value), np.shape(part)
    try:
        fits = np.broadcast_shapes(got, wanted) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise WrongCotangent(
            where, f"{what} has the shape {got}", why=f"its value has the shape {wanted}",
            instead="sum it over the axes along which the value was broadcast",
        )  # fmt: skip
    if np.iscomplexobj(part) and not np.iscomplexobj(value):
        raise WrongCotangent(
            where, f"{what} is complex", why="its value is real", instead="take its real part"
        )


# --- words ----------------------------------------------------------------------------------------


def _name(fn: Value) -> str:
    name = callable_name(fn)
    return SIGNS.get(name, name)


def _not_finite(where: Location, what: str, bar: Any, value: Value) -> WrongCotangent:
    shown, at, of = bar, "", value
    if issubclass(type(bar), np.ndarray) and bar.ndim:
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(bar))[0])
        shown, at = bar[place], f" at {place if len(place) > 1 else place[0]}"
        of = value[place] if np.shape(value) == bar.shape else value
    value_is = f"the value there is {of}" if np.ndim(of) == 0 else "at such an operand"
    return WrongCotangent(
        where,
        f"{what} is {shown}{at}",
        why=f"{value_is}, where the derivative is not finite",
        instead="keep the operand away from there: np.where round its argument, not its result",
    )
