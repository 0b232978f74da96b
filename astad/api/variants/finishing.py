"""Cotangents of a fused function become gradients as promised.

Floats stay as they are, arrays are dense and apart, containers have the user's structure, and there
is a zero wherever a path exists.

>>> finished(({"w": np.ones(2), "n": None},), ({"w": np.zeros(2), "n": 3, "s": "a"},), (True,))
({'w': array([1., 1.]), 'n': 0},)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from astad.runtime.guarded import FLOATS
from astad.tangents.objects import Tangent
from astad.tangents.unasked import has_in_class, items_of, pairs_of
from astad.tangents.zero import handed_out, is_differentiable, zero_like

__all__ = ["apart", "are_ready", "finished", "finished_leaf", "is_none", "real_path"]

CONTAINERS = (dict, list, tuple)


def are_ready(bars: Sequence[Any], args: Sequence[Any], wanted: Sequence[int]) -> bool:
    """Are all floats, or arrays that nobody else has, dense and of their argument's shape?"""
    taken: set[int] = set()
    for bar, at in zip(bars, wanted, strict=True):
        if type(bar) is not float and not taken:
            taken.update(map(id, args))
        if not _is_leaf_ready(bar, args[at], taken):
            return False
    return True


def _is_leaf_ready(bar: Any, arg: Any, taken: set[int]) -> bool:
    """``taken`` has the ids of arrays that somebody has, from now on this one too."""
    if type(bar) is float:
        return type(arg) is float
    if type(bar) is list:
        return type(arg) is list and (_are_floats(bar, arg) or _are_rows(bar, arg))
    if type(bar) is not np.ndarray:
        return False
    if type(arg) is not np.ndarray or bar.shape != arg.shape or bar.base is not None:
        return False
    if bar is arg or id(bar) in taken:
        return False
    taken.add(id(bar))
    return True


def _are_floats(bar: list[Any], arg: list[Any]) -> bool:
    """Has a list of floats a cotangent of as many floats?"""
    same = len(bar) == len(arg) and bar is not arg
    return same and FLOATS.issuperset(map(type, bar)) and FLOATS.issuperset(map(type, arg))


def _are_rows(bar: list[Any], arg: list[Any]) -> bool:
    """The same of lists of floats in a list."""
    return len(bar) == len(arg) and all(
        type(part) is list and type(row) is list and _are_floats(part, row)
        for part, row in zip(bar, arg, strict=True)
    )


def _are_tuples(bar: list[Any], arg: list[Any]) -> bool:
    """The same of tuples of floats in a list: each has a list for its cotangent."""
    if len(bar) != len(arg) or {*map(type, arg)} != {tuple} or {*map(type, bar)} != {list}:
        return False
    values = (chain.from_iterable(rows) for rows in (bar, arg))
    are_floats = all(FLOATS.issuperset(map(type, each)) for each in values)
    return are_floats and [*map(len, bar)] == [*map(len, arg)]


def finished(bars: Sequence[Any], args: Sequence[Any], reaches: Sequence[bool]) -> tuple[Any, ...]:
    """Each gradient, from its cotangent and its argument; ``reaches``: a path leads to it."""
    seen: set[int] = set()
    return tuple(
        _finish(bar, arg, path, seen) for bar, arg, path in zip(bars, args, reaches, strict=True)
    )


def finished_leaf(bar: Any, arg: Any, reaches: bool) -> Any:
    """The gradient of an argument that is no array and no container."""
    if type(bar) is np.float64 and type(arg) is float and (reaches or bar):
        return float(bar)
    return None if bar is None and not reaches else _finish(bar, arg, reaches, set())


def _finish(bar: Any, arg: Any, reaches: bool, seen: set[int]) -> Any:
    if issubclass(type(arg), np.ndarray):
        return _array(bar, arg, reaches, seen)
    if isinstance(arg, CONTAINERS):
        bar = real_path(bar, reaches)
        return _container(bar, arg, seen) if reaches or bar is not None else None
    if type(bar) is dict:
        bar = real_path(bar, reaches)
        return _object(bar, arg, seen) if bar is not None else None
    bar = real_path(bar, reaches)
    if bar is None:
        return zero_like(arg) if reaches else None
    if type(bar) is int and not bar:
        return zero_like(arg)  # nothing has come, to whichever kind of number
    return handed_out(bar if not isinstance(bar, np.ndarray) else bar[()], arg)


def _array(bar: Any, arg: Any, reaches: bool, seen: set[int]) -> Any:
    if not reaches:
        bar = real_path(bar, reaches)
    if type(bar) is np.ndarray and bar.shape == arg.shape and bar.base is None:
        if bar is arg or id(bar) in seen:
            bar = bar.copy()
        seen.add(id(bar))
        return bar
    if bar is None:
        return zero_like(arg) if reaches else None
    if type(bar) is float:
        made = np.empty(arg.shape)
        made.fill(bar)
        return made
    return np.array(np.broadcast_to(bar, arg.shape))


def _container(bar: Any, arg: Any, seen: set[int]) -> Any:
    """In the structure of the argument; a dict has its differentiable keys."""
    mine = set(seen)
    if type(bar) is dict and type(arg) is dict and _is_ready(bar, arg, mine):
        seen |= mine
        return bar
    if issubclass(type(arg), dict):
        known = bar if bar is not None else {}
        return {
            key: _finish(known.get(key), part, True, seen)
            for key, part in pairs_of(arg)
            if is_differentiable(part)
        }
    if type(bar) is list and type(arg) is list and _are_tuples(bar, arg):
        return [*map(tuple, bar)]
    parts = bar if bar is not None else (None,) * len(arg)
    found = [_finish(part, of, True, seen) for part, of in zip(parts, items_of(arg), strict=True)]
    if type(arg) is list:
        return found
    kind = type(arg)
    return kind(*found) if has_in_class(kind, "_fields") else tuple(found)


def _is_ready(bar: dict[Any, Any], arg: dict[Any, Any], seen: set[int]) -> bool:
    """Is it all as it is to be handed out?"""
    if len(bar) != len(arg):
        return False
    for part, of in zip(bar.values(), arg.values(), strict=True):
        if type(part) is dict:
            if type(of) is not dict or not _is_ready(part, of, seen):
                return False
        elif not _is_leaf_ready(part, of, seen):
            return False
    return True


def _object(bar: dict[str, Any], arg: Any, seen: set[int]) -> Tangent:
    """A record with the attributes' names; None for what no derivative came to."""
    parts = {
        name: None if is_none(part) else _finish(part, vars(arg)[name], True, seen)
        for name, part in bar.items()
    }
    return Tangent(**parts)


def is_none(bar: Any) -> bool:
    """Did nothing come, to it or to any part of it?"""
    if isinstance(bar, CONTAINERS):
        return all(map(is_none, bar.values() if isinstance(bar, dict) else bar))
    return bar is None


def real_path(bar: Any, reaches: bool) -> Any:
    """A zero that no text leads to is none.

    >>> real_path({"w": [0.0, None]}, False), real_path({"w": [0.0, None]}, True)
    (None, {'w': [0.0, None]})
    """
    return None if not reaches and _is_zero(bar) else bar


def _is_zero(bar: Any) -> bool:
    if isinstance(bar, (int, float)):
        return bar == 0
    if isinstance(bar, np.ndarray):
        return not bar.any()
    if isinstance(bar, Tangent):
        return all(_is_zero(bar[name]) for name in bar)
    if isinstance(bar, CONTAINERS):
        return all(map(_is_zero, bar.values() if isinstance(bar, dict) else bar))
    return bar is None


def apart(found: list[Any]) -> list[Any]:
    """No two gradients share memory."""
    seen: set[int] = set()
    for at, gradient in enumerate(found):
        if isinstance(gradient, np.ndarray):
            if id(gradient) in seen or gradient.base is not None:
                found[at] = gradient.copy()
            seen.add(id(found[at]))
    return found
