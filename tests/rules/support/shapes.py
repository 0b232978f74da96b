"""The calls of the examples again, with their arguments in other shapes: numbers, lists, nothing,
one entry along an axis, an axis more, an axis less.

A shape that NumPy or SciPy does not take is left out: what is asked is only that a call which works
has its derivative, or an error of astad's.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import harness
import numpy as np

import astad
from astad.errors import AstadError, RuleError
from astad.rules.formula import Rule

__all__ = ["check_shapes"]

STEP = 1e-5
Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def in_other_shapes(a: np.ndarray[Any, Any]) -> Iterator[tuple[str, Any]]:
    """One array, and what it is called."""
    if a.size:
        yield "number", a.flat[0].item()
    for axis in range(a.ndim):
        yield f"nothing along {axis}", a[(slice(None),) * axis + (slice(0, 0),)]
        yield f"one along {axis}", a[(slice(None),) * axis + (slice(0, 1),)]
    if a.ndim > 1:
        yield "nothing at all", a[(slice(0, 0),) * a.ndim]
        yield "one entry", a[(slice(0, 1),) * a.ndim]
    yield "an axis more before", a[None]
    yield "an axis more behind", a[..., None]
    if a.ndim:
        yield "lists", a.tolist()
        if len(a):
            yield "an axis less", a[0]


def calls(rule: Rule) -> Iterator[Call]:
    """The examples, with one of the arrays, or with all of them, in another shape."""
    for label, (args, keywords) in harness.cases(rule):
        arrays = [k for k, x in enumerate(args) if is_array(x)]
        for k in arrays:
            for what, x in in_other_shapes(args[k]):
                yield f"{label}: {k} {what}", (*args[:k], x, *args[k + 1 :]), keywords
        if len(arrays) > 1:
            for changed in zip(*[in_other_shapes(args[k]) for k in arrays], strict=False):
                every = list(args)
                for k, (_, x) in zip(arrays, changed, strict=True):
                    every[k] = x
                yield f"{label}: all {changed[0][0]}", tuple(every), keywords
        for k, x in enumerate(args):
            if type(x) is float:
                for what, other in (("0-d", np.array(x)), ("vector", np.array([x])),
                                    ("matrix", np.array([[x]])), ("list", [x])):  # fmt: skip
                    yield f"{label}: {k} {what}", (*args[:k], other, *args[k + 1 :]), keywords
            if is_listed(x):
                for what, other in in_other_lists(x):
                    yield f"{label}: {k} {what}", (*args[:k], other, *args[k + 1 :]), keywords


def is_array(x: Any) -> bool:
    return type(x) is np.ndarray and x.dtype.kind in "fc"


def is_listed(x: Any) -> bool:
    return type(x) in (list, tuple) and bool(x) and all(map(is_array, x))


def in_other_lists(arrays: Any) -> Iterator[tuple[str, Any]]:
    """All arrays of a list in another shape."""
    yield "one in the list", type(arrays)(arrays[:1])
    for changed in zip(*map(in_other_shapes, arrays), strict=False):
        yield f"list of {changed[0][0]}", type(arrays)([x for _, x in changed])


def called(fn: Any, args: Any, keywords: Any) -> Any:
    """The program that is differentiated."""
    return fn(*args, **keywords)


def check_shapes(rule: Rule) -> list[str]:
    """What is wrong with a rule, a line each."""
    found = []
    for label, args, keywords in calls(rule):
        trouble = trouble_with(rule, args, keywords)
        if trouble:
            found.append(f"{rule.name} {label}: {trouble}")
    return found


def trouble_with(rule: Rule, args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """What is wrong with the derivative of one call; nothing where the call itself does not
    work."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            y = rule.fn(*args, **keywords)
        except Exception:
            return ""
        if not all(
            np.all(np.isfinite(each)) for each in harness.leaves(y) if harness.is_smooth(each)
        ):
            return ""
        random = np.random.default_rng(zlib.crc32(repr((rule.name, args)).encode()))
        try:
            y_bar = harness.direction(y, random)
            _, back = astad.pullback(called, rule.fn, args, keywords)
            g = back(y_bar)[1]
        except RuleError as error:
            return f"RuleError {error}"
        except (AstadError, np.linalg.LinAlgError):
            return ""
        except Exception as error:
            return f"{type(error).__name__} {error}"
        return difference(rule, args, keywords, g, y_bar, random)


def difference(rule: Any, args: Any, keywords: Any, g: Any, y_bar: Any, random: Any) -> str:
    """The cotangents against differences along one direction."""
    dots = [harness.direction(x, random) for x in args]
    g = [None] * len(args) if g is None else g

    def at(t: float) -> Any:
        moved = [harness.moved_by(x, dot, t) for x, dot in zip(args, dots, strict=True)]
        return rule.fn(*moved, **keywords)

    try:
        steps = [(w, harness.inner(y_bar, at(k * STEP))) for k, w in harness.POINTS]
    except Exception:
        return ""
    wanted = sum(w * part for w, part in steps) / STEP
    if not np.isfinite(wanted):
        return ""
    moved = [(a, b) for a, b in zip(g, dots, strict=True) if b is not None]
    got = sum(harness.inner(a, b) for a, b in moved)
    size = sum(harness.inner(harness.magnitude(a), harness.magnitude(b)) for a, b in moved)
    near = abs(got - wanted) <= 2e-5 * (size + abs(wanted)) + 1e-6
    return "" if near else f"{got} and by differences {wanted}"
