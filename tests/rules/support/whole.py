"""One call on whole numbers, given as floats and given as ints: the gradients are the same.

Left out is what the function does not do alike: where a result is another one, where it is a whole
number only of ints, so that a step of one moves it by something else (``np.mean(n, dtype=int)``),
or where the call on floats has no gradient that could be compared.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import astad
from astad.errors import AstadError

__all__ = ["as_ints", "as_whole_floats", "differs", "each_alone", "numbers"]

Function = Callable[..., Any]
NEIGHBOURS = 8
"""So many numbers of an argument are moved by one, to see whether the function rounds."""


def as_whole_floats(value: Any, scale: float) -> Any:
    """Floats, also those in arrays and lists, as whole numbers near to ``scale`` times them."""
    if type(value) in (list, tuple):
        return type(value)(as_whole_floats(each, scale) for each in value)
    if type(value) is np.ndarray and value.dtype == np.float64:
        return np.rint(value * scale, out=np.empty_like(value)) + 0.0
    if type(value) in (float, np.float64) and np.isfinite(value):
        return type(value)(np.rint(value * scale) + 0.0)
    return value


def as_ints(value: Any) -> Any:
    """The same numbers as ints: arrays of int64, numbers of Python's and of NumPy's."""
    if type(value) in (list, tuple):
        return type(value)(map(as_ints, value))
    if type(value) is np.ndarray and value.dtype == np.float64 and np.isfinite(value).all():
        return value.astype(np.int64, order="K")
    if type(value) is float and np.isfinite(value):
        return int(value)
    return np.int64(value) if type(value) is np.float64 and np.isfinite(value) else value


def each_alone(floats: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """All arguments as ints; one of them as ints, the others as floats."""
    ints = list(map(as_ints, floats))
    changed = [k for k in range(len(ints)) if ints[k] is not floats[k]]
    if changed:
        yield "all ints", ints
    for place in changed if len(changed) > 1 else ():
        yield f"argument {place} of ints", [*floats[:place], ints[place], *floats[place + 1 :]]


def numbers(value: Any) -> list[Any]:
    """The numbers of a result or a gradient, in order; None for what has none."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [each for part in value for each in numbers(part)]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fciuO":
        return list(value.ravel())
    return [value] if isinstance(value, int | float | complex | np.number) else [None]


def called(f: Function, args: Sequence[Any]) -> list[Any] | None:
    """Numbers of the result, None where there is an error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return numbers(f(*fresh(args)))
        except Exception:
            return None


def fresh(value: Any) -> Any:
    """A copy in which each array is another one, and may be written to."""
    if type(value) in (list, tuple):
        return type(value)(map(fresh, value))
    return value.copy("K") if isinstance(value, np.ndarray) else value


def alike(a: list[Any] | None, b: list[Any] | None) -> bool:
    if a is None or b is None or len(a) != len(b):
        return False
    try:
        one, other = (np.array([0 if v is None else v for v in each], complex) for each in (a, b))
    except (TypeError, ValueError, OverflowError):
        return a == b
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True))


def bar_of(y: Any, random: np.random.Generator) -> Any:
    """A cotangent for a result of floats, or of ints that stand for these."""
    if isinstance(y, list | tuple):
        return [bar_of(each, random) for each in y]
    if isinstance(y, np.ndarray) and y.dtype.kind in "fc":
        return random.standard_normal(y.shape)
    return float(random.standard_normal()) if isinstance(y, float | complex | np.inexact) else None


def fitted(bar: Any, y: Any) -> Any:
    """The same for the result of a call on ints."""
    if isinstance(y, list | tuple):
        return (
            type(y)(fitted(b, each) for b, each in zip(bar, y, strict=True))
            if type(y) in (list, tuple)
            else tuple(fitted(b, each) for b, each in zip(bar, y, strict=True))
        )
    return bar


def back_through(f: Function, args: Sequence[Any], bar: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        y, back = astad.pullback(f, *fresh(args))
        return back(fitted(bar, y))


def differs(
    f: Function, floats: Sequence[Any], ints: Sequence[Any], of_ints: Function | None = None,
    times: int = 2,
) -> str:  # fmt: skip
    """What is wrong with the gradients of a call on ints; empty where nothing is.

    `of_ints`: what is called with the ints, where that is another function.
    """
    g = f if of_ints is None else of_ints
    plain, whole = called(f, floats), called(g, ints)
    if not alike(plain, whole):
        return ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        bar = bar_of(f(*fresh(floats)), np.random.default_rng(len(floats)))
    try:
        wanted = back_through(f, floats, bar)
    except Exception:  # asked of the rule elsewhere
        return ""
    for _ in range(times):  # for a new and for a known kind of operands
        try:
            found = back_through(g, ints, bar)
        except AstadError as error:
            return "" if rounds(f, g, floats, ints) else f"refused: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        says = "; ".join(filter(None, map(unlike, found, wanted, range(len(ints)))))
        if says and not rounds(f, g, floats, ints):
            return says
    return ""


def unlike(found: Any, wanted: Any, place: int) -> str:
    """The words for two gradients of one argument that are not the same."""
    a, b = numbers(found), numbers(wanted)
    a = [None] * len(b) if found is None else a
    b = [None] * len(a) if wanted is None else b
    values = np.array([0 if v is None else v for v in b], complex)
    if not np.isfinite(values).all():
        return ""
    if len(a) == len(b):
        if np.allclose(
            np.array([0 if v is None else v for v in a], complex), values, rtol=1e-7, atol=1e-9
        ):
            return ""
    return f"argument {place}: {found!r}, of floats {wanted!r}".replace("\n", " ")


def rounds(f: Function, g: Function, floats: Sequence[Any], ints: Sequence[Any]) -> bool:
    """Does a step in some number, of one in an int, show that one call rounds and the other does
    not?"""
    for place in range(len(ints)):
        steps = (0.5, -0.5) if ints[place] is floats[place] else (1, -1)
        for at, by in itertools.product(range(min(count(ints[place]), NEIGHBOURS)), steps):
            near, moved = (
                [*args[:place], stepped(args[place], at, by), *args[place + 1 :]]
                for args in (floats, ints)
            )
            a, b = called(f, near), called(g, moved)
            if a is not None and b is not None and not alike(a, b):
                return True
    return False


def count(value: Any) -> int:
    if type(value) in (list, tuple):
        return sum(map(count, value))
    return value.size if isinstance(value, np.ndarray) else int(not isinstance(value, bool | str))


def stepped(value: Any, at: int, by: float) -> Any:
    """The argument with one of its numbers moved."""
    if type(value) in (list, tuple):
        parts = list(value)
        for k, part in enumerate(parts):
            if at < count(part):
                parts[k] = stepped(part, at, by)
                break
            at -= count(part)
        return type(value)(parts)
    if isinstance(value, np.ndarray):
        moved = value.copy("K")
        if moved.dtype.kind == "f" or (moved.dtype.kind in "iu" and type(by) is int):
            moved.flat[at] += by
        return moved
    is_moved = isinstance(value, float) or (type(value) in (int, np.int64) and type(by) is int)
    return value + by if is_moved else value
