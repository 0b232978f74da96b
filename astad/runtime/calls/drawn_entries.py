"""Draws that pick entries of what they are given: ``rng.permutation(x)``, ``permuted``, ``choice``;
and ``multivariate_normal(mean, cov)``, which adds the mean to what it draws.

Forward the state of the source is kept. Back, where a cotangent comes, another source with that
state picks from the numbered entries, and tells where each came from. Which entries are picked
moves in steps, with ``p`` as well.

>>> rng = np.random.default_rng(3)
>>> before = state_of(rng)
>>> a = np.array([2.5, 4.5, 8.5])
>>> y = rng.permutation(a)
>>> bool(np.all(a[replayed(np.random.Generator, before).permutation(np.arange(3))] == y))
True
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from astad.errors import Unsupported
from astad.runtime.calls.shuffles import state_of
from astad.runtime.calls.smooth_draws import replayed
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.add import add
from astad.tangents.arrays import sum_to_shape
from astad.tangents.refused import Refused
from astad.tangents.unasked import as_it_lies
from astad.tangents.zero import has_identity, is_number

__all__ = ["EntryDraw", "entry_draw", "permuted_into"]

_FIRST = {"permutation": "x", "permuted": "x", "choice": "a", "multivariate_normal": "mean"}
"""Methods of a source of chance, and the name of their first parameter."""
CLOSE = 1e-12
"""Of what is added: C may round differently."""


class EntryDraw(NamedTuple):
    """What a draw that has not run needs to go back: its method, the class and state of its source,
    the array that it draws from with the record of how it was made, its entries as they are now,
    and the other arguments.
    """

    method: str
    source: type
    state: dict[str, Value]
    array: Value
    record: Record
    entries: Value
    place: int
    args: tuple[Value, ...]
    keywords: dict[str, Value]

    def back(self, y: Value, refused: Record) -> Record:
        """The record of the result; ``refused`` is that of a draw without a derivative."""
        drawn = y.copy() if issubclass(type(y), np.ndarray) else y
        return None if refused is None else (pull_entries, self, y, drawn, refused)


def entry_draw(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> EntryDraw | None:
    """None where it is no such method, or its source cannot be made again."""
    method = as_it_lies(fn, "__name__")
    name = _FIRST.get(method)
    if name is None or not (args or name in keywords):
        return None
    given = args[0] if args else keywords[name]
    kinds = (np.random.Generator, np.random.RandomState)
    source: Any = next((kind for kind in kinds if issubclass(type(fn.__self__), kind)), None)
    if source is None or not (has_identity(given) or flows(given)) or is_number(given):
        return None
    state = state_of(fn.__self__)
    if not hasattr(np.random, state["bit_generator"]):
        return None  # of the user's own bits
    array, record = callbacks.call(versions, np.asarray, given)
    if array.dtype.kind not in "fciu":
        return None
    rest = {word: value for word, value in keywords.items() if word != name}
    place = 0 if args else [*keywords].index(name)
    return EntryDraw(method, source, state, array, record, array.copy(), place, args[1:], rest)


def permuted_into(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """``rng.permuted(x, out=y)``, where both may be one array: a draw, and a copy of it."""
    rest = {word: value for word, value in keywords.items() if word != "out"}
    y, draw = callbacks.call(versions, fn, *args, **rest)
    _, copied = callbacks.call(versions, np.copyto, keywords["out"], y)
    at = len(args) + [*keywords].index("out")
    return keywords["out"], (pull_permuted_into, draw, copied, len(args) + len(rest), at)


def pull_permuted_into(
    shadows: Shadows, y_bar: Value, draw: Record, copied: Record, count: int, at: int
) -> Cotangents:
    back = callbacks.pull(shadows, copied, None, 2)
    parts = callbacks.pull(shadows, draw, None if back is None else back[1], count)
    parts = [None] * count if parts is None else [*parts]
    return [*parts[:at], None, *parts[at:]]


def pull_entries(
    shadows: Shadows, y_bar: Value, draw: EntryDraw, y: Value, drawn: Value, refused: Value
) -> Cotangents:
    g = add(y_bar, shadows.take(y)) if issubclass(type(y), np.ndarray) else y_bar
    if g is None:
        return None
    bar = None if type(g) is Refused else _bar(draw, g, drawn)
    if bar is None:
        found: Cotangents = refused[0](shadows, g, *refused[1:])
        return found
    shadows.add(draw.array, bar)
    others: list[Value] = [*draw.args, *draw.keywords.values()]
    if draw.method == "multivariate_normal":
        others = [_refuse(shadows, each) for each in others]
    else:
        others = [None] * len(others)
    parts = None if draw.record is None else callbacks.pull(shadows, draw.record, None, 1)
    others.insert(draw.place, None if parts is None else parts[0])
    return others


def _refuse(shadows: Shadows, operand: Value) -> Value:
    """The cotangent of a covariance matrix, or of another argument that is no mean."""
    refused = Refused(
        Unsupported(
            "multivariate_normal",
            "derivative of a draw by its covariance matrix",
            why="the decomposition by which it is drawn is not recorded",
            instead="write mean + np.linalg.cholesky(cov) @ rng.standard_normal(n)",
        )
    )
    if has_identity(operand):
        shadows.add(operand, refused)
        return None
    return refused if flows(operand) else None


def _bar(draw: EntryDraw, g: Value, drawn: Value) -> Value:
    """The cotangent of the array; None where the draw is not what it is taken for."""
    pick = getattr(replayed(draw.source, draw.state), draw.method)
    entries, of = draw.entries, draw.entries.shape
    if draw.method == "multivariate_normal":
        noise = pick(np.zeros(of), *draw.args, **draw.keywords)
        again, size = noise + entries, np.abs(noise) + np.abs(entries)
        is_same = np.all(np.abs(again - drawn) <= CLOSE * size)
        return sum_to_shape(np.asarray(g), of) if is_same else None
    places = np.asarray(pick(np.arange(entries.size).reshape(of), *draw.args, **draw.keywords))
    if not np.array_equal(entries.ravel()[places], drawn, equal_nan=entries.dtype.kind in "fc"):
        return None
    bar = np.zeros(entries.size, np.result_type(np.asarray(g), np.float16))
    np.add.at(bar, places.ravel(), np.ravel(g))
    return bar.reshape(of)
