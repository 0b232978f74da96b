"""Check the second derivative of a rule: its pullback, differentiated by reverse mode.

What astad writes is in the language it reads, so a pullback has a pullback: in the cotangent of
the result that is the tangent, in the arguments it is the second derivative.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any

import harness
import numpy as np

import astad
from astad.rules.formula import Rule

STEP = 1e-4
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
