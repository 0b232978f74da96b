"""Value and pullback by what one run did, where the pair leaves much to the run time.

The second pullback of such a function is followed by a recorded run (`recorded.py`), whatever it
gives: numbers, arrays, lists, dicts, objects. The straight text that this leaves gives the numbers
and arrays of the result; its own pair is the pullback, from cotangents of these to those of the
arguments. It is taken only if it gives what the pair has given for a cotangent that is nowhere
zero.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from time import perf_counter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad.api.gradients.params import Params
from astad.api.gradients.recorded import (
    GAIN,
    OF_OTHERS,
    Noted,
    exact_kinds,
    flat_of,
    note,
    otherwise_written,
    record,
    same,
    time_of,
)
from astad.api.gradients.sweeps import Pullback, handed_over, run
from astad.api.variants.ruled import is_ruled
from astad.api.variants.tracebacks import in_users_words
from astad.api.variants.wiring import is_stored
from astad.code_objects import STARRED
from astad.recording.bounds import Bounds
from astad.runtime.core.variants import variants_of
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import attributes_of
from astad.runtime.cotangents.structures import collect, scatter, snapshot
from astad.tangents.objects import Tangent
from astad.tangents.unasked import has_in_class

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["Asked", "asked_of", "note_of_pullback", "recorded_pullback"]

MISFIT = "what was recorded does not fit its own arguments"
FAST = 8
"""A forward sweep of so many times the plain text has nothing left to the run time."""


class Asked(NamedTuple):
    """The function of a call, its arguments with the captured values behind them, and which of them
    have a cotangent.
    """

    fn: FunctionType
    given: tuple[Any, ...]
    wanted: tuple[int, ...]
    name: str


def asked_of(f: Any, args: tuple[Any, ...]) -> Asked | None:
    """None for what has no recorded runs."""
    fn: Any = f
    given = args
    if type(f) is MethodType:
        fn, given = f.__func__, (f.__self__, *args)
    if type(fn) is not FunctionType or is_ruled(f) or is_ruled(fn):
        return None
    code = fn.__code__
    if code.co_flags & STARRED or code.co_kwonlyargcount or Params in map(type, args):
        return None
    try:
        flat = flat_of(fn, given, {})
    except TypeError:
        return None  # the call itself says so
    if flat is None:
        return None
    first = 1 if fn is not f else 0
    wanted = tuple(range(first, first + len(args)))
    return Asked(fn, flat, wanted, f.__qualname__)


def recorded_pullback(asked: Asked) -> tuple[Any, Pullback] | None:
    """By a text that is there, if its tests hold."""
    fn, given, wanted, name = asked
    about = variants_of(fn).recorded
    for known in about.pullbacks.get(wanted, ()) if about is not None else ():
        try:
            found = known(*given)
        except Exception:  # whatever a recorded text runs into, the pair tells
            continue
        if found is not NotImplemented:
            y, back = found
            return y, back.named(name, [given[at] for at in wanted])
    return None


def note_of_pullback(asked: Asked, back: Pullback, took: float) -> None:
    """The pair had to answer, its forward sweep in ``took`` seconds: what it did may be
    recorded.
    """
    fn, given, wanted, _ = asked
    answer = _Answer(back, took, len(wanted))

    def make(bounds: Bounds) -> Any:
        moved = {at for at, bar in zip(wanted, answer.bars(), strict=True) if bar is not None}
        return record(fn, given, wanted, moved, bounds=bounds, any_result=True)

    def use(straight: Straight, is_last: bool) -> str:
        found = _made(straight, given, answer)
        if isinstance(found, str):
            return found
        variants_of(fn).recorded.pullbacks.setdefault(wanted, []).append(found)
        return ""

    def fits(straight: Straight) -> bool:
        return straight.wanted == wanted and not straight.inside

    def stored(straight: Straight) -> bool:
        own = straight.given(given)
        return own is not None and is_stored(straight.function, own, len(own), fused=False)

    noted = Noted(("pullback", wanted), given, took, make, fits, use, stored)
    note(variants_of(fn), noted, first=1)  # the first one has told that it is slow


class _Answer:
    """What the pair has given, and how long it took."""

    def __init__(self, back: Pullback, took: float, count: int) -> None:
        self.back, self.took, self.count = back, took, count
        self._bars: Sequence[Any] | None = None
        self.y_bar: Any = None

    def bars(self) -> Sequence[Any]:
        """The cotangents of the arguments for ``y_bar``, one that is nowhere zero."""
        if self._bars is None:
            self.y_bar, started = somewhere(self.back._y, count(1)), perf_counter()
            self._bars = self.back.gradients(self.y_bar, range(self.count))
            self.took += perf_counter() - started
        return self._bars


def _made(straight: Straight, args: tuple[Any, ...], answer: _Answer) -> Callable[..., Any] | str:
    """Value and pullback by a text, or why it does not serve."""
    forward, bars, back = answer.took, answer.bars(), answer.back
    asked = range(answer.count)
    own = straight.given(args)
    if own is None:
        return MISFIT
    if straight.loses and back.reaches_others(answer.y_bar, asked):
        return OF_OTHERS
    if not straight.acts and _is_fast(straight.function, own, forward):
        return "its pair leaves little to the run time"
    head = straight.before(_run_of(straight, own, [bar is not None for bar in bars]))

    def by_text() -> Any:
        found = head(*args)
        if found is NotImplemented:
            return found
        return found[0], found[1].gradients(answer.y_bar, asked)

    try:
        out = by_text()
    except Exception as error:
        return f"what was recorded raises {error!r}"
    if out is NotImplemented:
        return MISFIT
    if not (_are_alike(out[0], back._y) and same(out[1], bars)):
        return "what was recorded gives something else than the pair"
    if why := otherwise_written(straight):
        return why
    if not straight.acts and min(time_of(by_text) for _ in range(3)) > GAIN * answer.took:
        return "what was recorded is no faster than the pair"
    head.__globals__["acts"] = True
    return head


def _is_fast(function: FunctionType, given: Sequence[Any], took: float) -> bool:
    with np.errstate(all="ignore"):  # it is only tried
        return took < FAST * min(time_of(lambda: function(*given)) for _ in range(3))


def _run_of(straight: Straight, first: Sequence[Any], reach: Sequence[bool]) -> Callable[..., Any]:
    """From what the text is given to the result and its pullback; the recorded run has given it
    the ``first``.
    """

    kinds = exact_kinds(first)

    def by_text(*given: Any) -> Any:
        if exact_kinds(given) != kinds:
            return NotImplemented
        inner = run(straight.function, given, {}, self_too=False)[1]
        inner.reach = [*reach, *[False] * (len(given) - len(reach))]
        out, inner = handed_over(inner)
        if straight.build is None:
            return out, _ByText(inner, out, None, (), len(reach))
        # one that nobody else has, whose arrays share no memory
        own = straight.build([np.empty_like(v) if type(v) is np.ndarray else v for v in out])
        return straight.build(out), _ByText(inner, out, own, straight.parts, len(reach))

    return by_text


class _ByText(Pullback):
    """The pullback of a recorded text: ``inner`` is that of its numbers and arrays, which lie at
    ``parts`` of ``own``, a structure like the result; None: it gives the result itself.
    """

    __slots__ = ("_inner", "_own", "_parts")

    def __init__(self, inner: Pullback, y: Any, own: Any, parts: Any, count: int) -> None:
        self._inner = inner
        self._own = own
        self._parts = parts
        self._y = y if own is None else own
        self._count = count

    def named(self, name: str, args: Sequence[Any]) -> Pullback:
        self.name = self._inner.name = name
        self._args = args
        return self

    def gradients(self, y_bar: Any, wanted: Collection[int]) -> tuple[Any, ...]:
        try:
            seeds = y_bar if self._own is None else tuple(self._seeds(y_bar))
        except BaseException as error:
            in_users_words(error)
            raise
        return self._inner.gradients(seeds, wanted)[: self._count]

    def _seeds(self, y_bar: Any) -> Iterator[Any]:
        """The cotangent of each number and array in the result."""
        shadows, entry = Shadows(), snapshot(self._own)
        local = scatter(shadows, entry, y_bar)
        whole = collect(shadows, self._own, entry, local, False)
        for path in self._parts:
            yield _read(whole, path)


def _read(whole: Any, path: Sequence[tuple[str, Any]]) -> Any:
    """What lies there in a cotangent; None where nothing does."""
    for how, key in path:
        if whole is None:
            return None
        if how == "attribute":
            whole = getattr(whole, key, None)
        else:
            whole = whole.get(key) if issubclass(type(whole), dict) else whole[key]
    return whole


def somewhere(y: Any, steps: Iterator[int]) -> Any:
    """A cotangent of a result that is nowhere zero, by no pattern."""
    kind = type(y)
    if isinstance(y, (np.ndarray, float, complex, np.inexact)):
        found: Any = 0.5 + (next(steps) + np.arange(np.size(y))) * 0.6180339887498949 % 1.0
        if np.asarray(y).dtype.kind == "c":
            found = found * (1.0 - 0.25j)
        return found.reshape(y.shape) if isinstance(y, np.ndarray) else found.tolist()[0]
    if isinstance(y, dict):
        return {key: somewhere(part, steps) for key, part in y.items()}
    if isinstance(y, (list, tuple, deque)):
        parts = [somewhere(part, steps) for part in y]
        return kind(*parts) if has_in_class(kind, "_fields") else kind(parts)
    if kind.__module__ == "builtins" or isinstance(y, np.generic):
        return None
    return Tangent(**{k: somewhere(v, steps) for k, (_, _, v) in attributes_of(y).items()})


def _are_alike(a: Any, b: Any) -> bool:
    """Results of the same types, and equal but for rounding."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and same(a, b)
    if isinstance(a, (list, tuple, deque)):
        return len(a) == len(b) and all(map(_are_alike, a, b))
    if isinstance(a, dict):
        return [*a] == [*b] and all(_are_alike(a[key], b[key]) for key in a)
    if a is b or type(a).__module__ == "builtins" or isinstance(a, np.generic):
        return a is b or same(a, b) if not isinstance(a, bytes) else a == b
    own, other = attributes_of(a), attributes_of(b)
    return [*own] == [*other] and all(_are_alike(own[k][2], other[k][2]) for k in own)
