"""Check the second derivative of a rule: its pullback, differentiated by reverse mode.

What astad writes is in the language it reads, so a pullback has a pullback: in the cotangent of
the result that is the tangent, in the arguments it is the second derivative.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import harness
import numpy as np

import astad
from astad.errors import AstadError
from astad.rules.formula import Rule

STEP = 1e-4
NEAR = 1e-6
Pull = Callable[[Any, list[Any]], Any]


def parts(rule: Rule, arguments: harness.Arguments) -> tuple[Pull, Any, list[Any], list[str]]:
    """The cotangents as a function of that of the result and of the arguments that move; the
    result, those arguments and their names."""
    args, keywords = arguments
    values = rule.bind(args, keywords)
    names = [name.lstrip("*") for name in rule.parameters]
    given = {*names[: len(args)], *keywords}
    wanted = tuple(
        n
        for n, v in zip(names, values, strict=True)
        if n in given and n in rule.back and harness.is_smooth(v)
    )
    places = [names.index(name) for name in wanted]
    pull, fn = rule.pull(wanted), rule.fn
    call_arguments = rule.signature.call_arguments

    def cotangents(y_bar: Any, moved: list[Any]) -> Any:
        now = list(values)
        for place, value in zip(places, moved):
            now[place] = value
        positional, by_name = call_arguments(now)
        return pull(y_bar, fn(*positional, **by_name), *now)

    return cotangents, rule.fn(*args, **keywords), [values[p] for p in places], list(wanted)


def check(rule: Rule, arguments: harness.Arguments, *, at_zero: bool = False) -> bool:
    """Whether there was anything to compare: differences of two steps must agree first.

    With `at_zero` the cotangent of the result is 0, as at a minimum.
    """
    with np.errstate(all="ignore"):
        cotangents, y, moved, names = parts(rule, arguments)
        random = np.random.default_rng(zlib.crc32(rule.name.encode()))
        y_bar = harness.direction(y, random)
        if not moved or y_bar is None:
            return False
        given = [zeros(y_bar) if at_zero else y_bar, moved]
        dots = [harness.direction(y, random), [harness.direction(v, random) for v in moved]]
        for k, name in enumerate(names):
            if name in harness.HERMITIAN.get(rule.name, set()):
                dots[1][k] = dots[1][k] + np.conj(dots[1][k].T)
        found, back = astad.pullback(cotangents, *given)
        weights = harness.direction(found, random)
        bars = back(weights)

        def along(t: float) -> float:
            return harness.inner(cotangents(*harness.moved_by(given, dots, t)), weights)

        wanted, again = differences(along, STEP), differences(along, STEP / 2)
        size = 1 + abs(wanted)
        if not abs(wanted - again) <= 1e-5 * size:
            return False
        claimed = sum(harness.inner(bar, dot) for bar, dot in zip(bars, dots, strict=True))
    assert math.isclose(claimed, again, rel_tol=0, abs_tol=1e-5 * size), (
        f"second derivative: {claimed!r}, by differences {again!r}"
    )
    return True


def zeros(y_bar: Any) -> Any:
    """The same with 0 for each number."""
    if isinstance(y_bar, (list, tuple)):
        return tuple(map(zeros, y_bar))
    return None if y_bar is None else y_bar * 0


def differences(along: Callable[[float], float], step: float) -> float:
    """The slope at 0, by five points."""
    return sum(weight * along(k * step) for k, weight in harness.POINTS) / step


# --- exact zeros


def check_zeros(rule: Rule, arguments: harness.Arguments, group: str = "") -> int:
    """How many second derivatives there were to compare, of pullback and tangent, where operands,
    cotangents and tangents are exactly 0 in some places: a formula says of such places that what
    comes there is 0, and that is no constant. ``group``: one of `GROUPS`, for some of the places.
    """
    args, keywords = arguments
    found = 0
    for label, zero in _zeroed_arguments(args):
        if not label.startswith(group):
            continue
        try:
            with np.errstate(all="ignore"):
                if rule.refuses(rule.bind(zero, keywords)):
                    continue
                back, y, moved, names = parts(rule, (zero, keywords))
        except Exception:  # the function itself has no value there
            continue
        random = np.random.default_rng(zlib.crc32(f"{rule.name} {label}".encode()))
        bar = harness.direction(y, random)
        if not moved or bar is None or not _is_smooth(rule, (zero, keywords), names, random):
            continue
        push = _pushed(rule, (zero, keywords), names)
        for where in ("nowhere", *PLACES):
            at = f"{label}, zeros of what comes: {where}"
            found += _agree(back, [with_zeros(bar, where), moved], random, at)
            dots = [harness.direction(value, random) for value in moved]
            found += _agree(push, [with_zeros(dots, where), moved], random, f"{at}, tangent")
    return found


PLACES = ("everywhere", "first", "last")
GROUPS = (*PLACES, "row", "off the diagonal", "operand")


def _zeroed_arguments(args: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for where in (*PLACES, "row", "off the diagonal"):
        yield where, tuple(with_zeros(value, where) for value in args)
    for at in range(len(args) if len(args) > 1 else 0):
        zero = with_zeros(args[at], "everywhere")
        yield f"operand {at + 1}", (*args[:at], zero, *args[at + 1 :])


def with_zeros(value: Any, where: str) -> Any:
    """The same with exact zeros there; numbers are 0 but for `row` and `off the diagonal`."""
    if type(value) in (list, tuple):
        return type(value)(with_zeros(each, where) for each in value)
    if not harness.is_smooth(value) or where == "nowhere":
        return value
    if not isinstance(value, np.ndarray):
        return type(value)(0) if where in PLACES else value
    made = np.array(value)
    if where == "everywhere":
        made[...] = 0
    elif not made.ndim or not made.size:
        pass
    elif where == "row":
        made[0] = 0
    elif where == "off the diagonal":
        if made.ndim > 1:
            made[..., ~np.eye(*made.shape[-2:], dtype=bool)] = 0
        else:
            made[1:] = 0
    else:
        made[(0 if where == "first" else -1,) * made.ndim] = 0
    return made


def _is_smooth(
    rule: Rule, arguments: harness.Arguments, names: list[str], random: np.random.Generator
) -> bool:
    """Is the function continuous there, and its derivative linear along two directions?

    Where a singular value is 0 the factors may jump along one direction and not along another, so
    three more are looked along.
    """
    args, keywords = arguments
    values = rule.bind(args, keywords)
    places = [[n.lstrip("*") for n in rule.parameters].index(name) for name in names]
    moved = [values[place] for place in places]
    here = rule.fn(*args, **keywords)
    weights = harness.direction(here, random)

    def at(dots: list[Any], t: float) -> float:
        now = list(values)
        for place, value, dot in zip(places, moved, dots, strict=True):
            now[place] = harness.moved_by(value, dot, t)
        positional, by_name = rule.signature.call_arguments(now)
        y = rule.fn(*positional, **by_name)
        shapes = ([*map(np.shape, harness.leaves(found))] for found in (y, here))
        if next(shapes) != next(shapes):
            raise ValueError("a result of another shape")
        return harness.inner(y, weights)

    one, other = ([harness.direction(v, random) for v in moved] for _ in range(2))
    both = [_sum(a, b) for a, b in zip(one, other, strict=True)]
    own = np.random.default_rng(7)
    more = [[harness.direction(v, own) for v in moved] for _ in range(3)]
    try:
        with np.errstate(all="ignore"):
            slopes = []
            for dots in (one, other, both, *more):
                up, down = ((at(dots, t) - at(dots, 0.0)) / t for t in (NEAR, -NEAR))
                if not abs(up - down) <= 1e-3 * (1 + abs(up)):
                    return False
                slopes.append(up)
    except Exception:
        return False
    return abs(slopes[0] + slopes[1] - slopes[2]) <= 1e-3 * (1 + abs(slopes[2]))


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, (list, tuple)):
        return type(a)(map(_sum, a, b))
    return None if a is None else a + b


def _pushed(rule: Rule, arguments: harness.Arguments, names: list[str]) -> Pull:
    """The tangent as a function of those of the arguments that move, and of these."""
    values = rule.bind(*arguments)
    places = [[n.lstrip("*") for n in rule.parameters].index(name) for name in names]
    push, fn, call_arguments = rule.push(tuple(names)), rule.fn, rule.signature.call_arguments

    def tangent(dots: Any, moved: list[Any]) -> Any:
        now = list(values)
        for place, value in zip(places, moved):
            now[place] = value
        positional, by_name = call_arguments(now)
        return push(tuple(dots), fn(*positional, **by_name), *now)

    return tangent


def _agree(fn: Pull, given: list[Any], random: np.random.Generator, label: str) -> bool:
    """Whether there was something to compare: the differences of two steps and of either side have
    to agree, and those along two directions to add.
    """
    try:
        with np.errstate(all="ignore"):
            value = fn(*given)
        weights = harness.direction(value, random)
        one, other = ([harness.direction(part, random) for part in given] for _ in range(2))
        slopes = [_slope(fn, given, d, weights) for d in (one, other, _sum(one, other))]
        if None in slopes or not math.isclose(
            slopes[0] + slopes[1],
            slopes[2],
            abs_tol=1e-4,
            rel_tol=1e-4,  # type: ignore[operator]
        ):
            return False
        _, back = astad.pullback(fn, *given)
        with np.errstate(all="ignore"):
            bars = back(weights)
    except AstadError:
        return False  # a refusal is no wrong number
    except (ArithmeticError, ValueError, TypeError, IndexError, AttributeError):
        with np.errstate(all="ignore"):
            try:
                fn(*given)
            except Exception:
                return False  # it is the formula that has no value
        raise
    claimed = sum(harness.inner(bar, dot) for bar, dot in zip(bars, one, strict=True))
    assert math.isclose(claimed, slopes[0], rel_tol=1e-4, abs_tol=1e-4), (  # type: ignore[arg-type]
        f"zeros of operands: {label}: second derivative {claimed!r}, by differences {slopes[0]!r}"
    )
    return True


def _slope(fn: Pull, given: list[Any], dots: Any, weights: Any) -> float | None:
    """By differences; None where there is none."""

    def along(t: float) -> float:
        return harness.inner(fn(*harness.moved_by(given, dots, t)), weights)

    with np.errstate(all="ignore"):
        here, slope = along(0.0), differences(along, STEP)
        if not (math.isfinite(here) and abs(slope - differences(along, STEP / 2)) <= 1e-5):
            return None
        sides = [(along(t) - here) / t for t in (NEAR, -NEAR)]
    is_one = all(abs(side - slope) <= 1e-3 * (1 + abs(slope)) for side in sides)
    return slope if is_one else None
