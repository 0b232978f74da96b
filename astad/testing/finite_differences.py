"""Derivatives by central differences, each with an estimate of its error.

The step comes from an estimate of the fifth derivative and of the rounding in the function, as in
FiniteDifferences.jl: seven points first, which give both, then the five-point formula with the step
at which its two errors are equal. The two formulas use different points, so what they disagree by
is part of the error; so is the jump between the one-sided derivatives, which shows a kink. What
varies on a scale far below the step is a little noise to all of these: before a gradient is called
wrong, `second_opinion` asks finer steps.

>>> import math
>>> found = derivative(lambda t: (math.exp(1.3 + t) - math.exp(1.3), 4e-16), scale=1.3)
>>> abs(found.value / math.exp(1.3) - 1) < 1e-11, found.error < 1e-9
(True, True)
>>> derivative(lambda t: (abs(t), 0.0)).error > 1.9  # a kink: the derivatives of both sides
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from astad.slotted import dataclass
from astad.testing.copies import moved
from astad.testing.leaves import Entry
from astad.testing.randomness import with_same_randomness
from astad.testing.seeds import project

__all__ = [
    "NOTHING", "Difference", "at_step", "derivative", "directional", "is_flat", "line_along",
    "second_opinion",
]  # fmt: skip

Line = Callable[[float], tuple[float, float]]
"""``t`` to the change of the function from ``t = 0``, and the rounding in it."""

FIRST_STEP = float(np.finfo(float).eps) ** (1 / 7)  # 0.0058: both errors of seven points are equal
# tried in turn until the error is small enough: finer for kinks nearby, wider for a noisy function
TRIES = (1.0, 1 / 8, 8.0, 1 / 64, 64.0, 1 / 512, 1e-4)
FINER = (2.0**-9, 2.0**-18, 2.0**-27, 2.0**-36)


@dataclass(frozen=True, slots=True)
class Difference:
    """A derivative, the estimate of its error, the step that gave it."""

    value: float
    error: float
    step: float


NOTHING = Difference(math.nan, math.inf, math.nan)


def derivative(
    line: Line, scale: float = 1.0, *, rtol: float = 1e-9, atol: float = 1e-12
) -> Difference:
    """The derivative at 0 of a function of one variable.

    Parameters
    ----------
    line : callable
        ``t`` to ``(f(t) - f(0), rounding of f)``; nan, or an ArithmeticError or ValueError, where
        f has no value.
    scale : float
        The size of the variable: steps are about 1 % of it. Others are tried after it.
    rtol, atol : float
        An error below ``rtol * abs(value) + atol`` is small enough to stop.

    Returns
    -------
    Difference
        The best one found; its error is infinite where no step gave finite values.
    """
    best = NOTHING
    steps = [FIRST_STEP * scale * factor for factor in TRIES]
    if scale < 0.1:
        steps.insert(1, FIRST_STEP)  # small by accident, not by its unit
    for step in steps:
        found = at_step(line, step)
        if found.error < best.error:
            best = found
        if best.error <= rtol * abs(best.value) + atol:
            break
    return best


def at_step(line: Line, step: float) -> Difference:
    """Seven points with this step, then five with the step that they suggest."""
    f, rounding = sample(line, step, (-3, -2, -1, 1, 2, 3))
    if not (step**5) or not all(map(math.isfinite, f.values())):
        return NOTHING
    seven = (45 * (f[1] - f[-1]) - 9 * (f[2] - f[-2]) + (f[3] - f[-3])) / (60 * step)
    fifth = (f[3] - 4 * f[2] + 5 * f[1] - 5 * f[-1] + 4 * f[-2] - f[-3]) / (2 * step**5)
    sixth = f[3] - 6 * f[2] + 15 * f[1] + 15 * f[-1] - 6 * f[-2] + f[-3]
    rounding = max(rounding, float(np.finfo(float).eps) * max(map(abs, f.values())))
    # what a smooth function leaves in the sixth difference is below its rounding
    noise = max(rounding, abs(sixth) / 10)
    short = five_point_step(noise, fifth, step)
    g, _ = sample(line, short, (-2, -1, 1, 2))
    if not all(map(math.isfinite, g.values())):
        return Difference(seven, abs(seven) + 2 * noise / step, step)
    five = (8 * (g[1] - g[-1]) - (g[2] - g[-2])) / (12 * short)
    own = 1.5 * noise / short + abs(fifth) * short**4 / 30
    error = max(own, abs(five - seven), jump(f, step, rounding))
    return Difference(five, error, short)


def sample(line: Line, step: float, points: Sequence[int]) -> tuple[dict[int, float], float]:
    """Values at multiples of a step; nan where the function has none."""
    values, rounding = {}, 0.0
    for k in points:
        try:
            values[k], noise = line(k * step)
        except (ArithmeticError, ValueError):  # outside the domain, or another shape of result
            values[k], noise = math.nan, 0.0
        rounding = max(rounding, noise)
    return values, rounding


def five_point_step(noise: float, fifth: float, step: float) -> float:
    """Where rounding ``1.5 noise / h`` and truncation ``fifth h**4 / 30`` add to the least."""
    widest = 4 * step
    if not abs(fifth) * widest**5 > 12 * noise:
        return widest
    return max(math.pow(1.5 * noise / (4 * abs(fifth) / 30), 0.2), step / 8)


def jump(f: Mapping[int, float], step: float, rounding: float) -> float:
    """The difference of the one-sided derivatives, 0 where rounding could make it.

    ``(f(kh) + f(-kh)) / kh`` is ``jump + a k + b k**3`` for a function smooth on both sides.
    """
    gaps = [(f[k] + f[-k]) / (k * step) for k in (1, 2, 3)]
    found = abs(2.5 * gaps[0] - 2 * gaps[1] + 0.5 * gaps[2])
    return found if found > 20 * rounding / step else 0.0


def directional(
    f: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    seed: object,
    moves: Sequence[tuple[Entry, float]],
    *,
    rtol: float = 1e-9,
    atol: float = 1e-12,
) -> Difference:
    """The derivative of the projected result along a direction in the arguments.

    Each evaluation runs on deep copies of all arguments and with the same random numbers.

    Parameters
    ----------
    f, args, kwargs
        The function and the point.
    seed : object
        The cotangent by which a result that is no scalar is projected.
    moves : sequence of (Entry, float)
        The direction: numbers and how fast each moves.
    rtol, atol : float
        As for `derivative`.

    Raises
    ------
    TypeError, IndexError : what f raises when an integer moves that can only be one.
    """
    line = line_along(f, args, kwargs, seed, moves)
    return derivative(line, scale_of(moves), rtol=rtol, atol=atol)


def line_along(
    f: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    seed: object,
    moves: Sequence[tuple[Entry, float]],
) -> Line:
    """The projected result along a direction; arguments as for `directional`."""
    start = evaluate(f, args, kwargs, [(entry, 0.0) for entry, _ in moves])

    def line(t: float) -> tuple[float, float]:
        there = evaluate(f, args, kwargs, [(entry, speed * t) for entry, speed in moves])
        return project(there, start, seed)

    project(start, start, seed)
    return line


def second_opinion(line: Line, first: Difference) -> Difference:
    """The derivative once more, at steps so fine that only what they contradict is in doubt.

    A function that varies on a scale below the step of ``first`` looks flat and a little noisy to
    it: its error says nothing of that. Of the first and four finer ones, each with the error that
    the others finer than it leave it, the best is returned.

    >>> import math
    >>> fast = lambda t: (math.sin(1e8 * t + 1.0) - math.sin(1.0), 2e-16)
    >>> again = second_opinion(fast, at_step(fast, FIRST_STEP))
    >>> abs(again.value / (1e8 * math.cos(1.0)) - 1) < 1e-6
    True
    """
    if leaps(line, first.step):
        return Difference(first.value, math.inf, first.step)
    asked = [first, *(at_step(line, first.step * factor) for factor in FINER)]
    grain = grain_of(line, max(first.step / FINER[0], FIRST_STEP))
    asked = [Difference(one.value, max(one.error, grain / one.step), one.step) for one in asked]
    found = []
    for i, one in enumerate(asked):
        gaps = [
            abs(one.value - other.value)
            for other in asked[i + 1 :]
            if abs(one.value - other.value) > 10 * (one.error + other.error)
        ]
        found.append(Difference(one.value, max([one.error, *gaps]), one.step))
    return min(found, key=lambda one: one.error)


def is_flat(line: Line, found: Difference, least: float = 0.0) -> bool:
    """Whether nothing moves, within a reach in which this slope moves it by 1000 roundings.

    So it is on a stair, of a program that rounds what it computes; it is as well where digits
    cancel, and so no proof that the derivative is 0. ``least``: the spacing of the argument, below
    which nothing can move.

    >>> def rounded(t: float) -> tuple[float, float]:
    ...     return round(math.exp(t), 10) - 1.0, 2e-16
    >>> is_flat(rounded, derivative(rounded))
    True
    >>> exact = lambda t: (math.exp(t) - 1.0, 2e-16)
    >>> is_flat(exact, derivative(exact))
    False
    """
    reach = found.step * FINER[0]
    rounding = max(change_at(line, side)[1] for side in (found.step, -found.step))  # of what moves
    while reach > max(32 * least, found.step * FINER[-1] ** 2):
        sides = [change_at(line, k * reach / 4)[0] for k in (4, -4, 1, -1, 2, -2, 3, -3)]
        if not any(sides):
            return abs(found.value) * reach > 1e3 * rounding
        reach /= 4
    return False


def grain_of(line: Line, wide: float) -> float:
    """The least change of a function that cancelled digits on its way; 0 of any other.

    Near the point it is flat, and leaves its plateau by a jump; one that is left steadily is that
    of a function with a kink, and a large jump is meant.

    >>> grain_of(lambda t: ((1e9 + t) - 1e9, 2e-16), 1.0) > 1e-8
    True
    >>> grain_of(lambda t: (max(t - 0.1, 0.0), 2e-16), 1.0) < 1e-11
    True
    >>> grain_of(lambda t: (math.floor(t + 0.5), 2e-16), 1.0)
    0.0
    """
    found = []
    for far in (wide, -wide):
        near, size, (change, rounding) = 0.0, 0.0, change_at(line, far)
        for _ in range(45 if change and math.isfinite(change) else 0):
            middle = (near + far) / 2
            moved_by, _ = change_at(line, middle)
            near, far = (near, middle) if moved_by else (middle, far)
            size = abs(moved_by) or size or abs(change)
        limit = 1e-6 * rounding / float(np.finfo(float).eps)
        found += [size] if 0 < size < limit else []
    return min(found, default=0.0)


def change_at(line: Line, t: float) -> tuple[float, float]:
    """One value, and the rounding in it; nan where the function has none."""
    values, rounding = sample(line, t, (1,))
    return values[1], rounding


def leaps(line: Line, step: float) -> bool:
    """Whether the function jumps at the point: its change is the same at steps 500 times finer.

    >>> leaps(lambda t: (t + (t > 0.1), 2e-16), 1.0), leaps(lambda t: (t + (t > 0), 2e-16), 1.0)
    (False, True)
    """
    (wide, _), (fine, rounding) = (sample(line, step * factor, (-1, 1)) for factor in FINER[-2:])
    return any(abs(fine[k]) > 1e3 * max(rounding, abs(wide[k] - fine[k])) for k in (-1, 1))


def evaluate(
    f: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    moves: Sequence[tuple[Entry, float]],
) -> object:
    """The result at a moved point, with warnings off: the stencil may touch the domain's edge."""
    *there, keywords = moved([*args, dict(kwargs)], moves)
    return with_same_randomness(f, *there, **keywords)


def scale_of(moves: Sequence[tuple[Entry, float]]) -> float:
    """The size of the numbers that move: the smaller half counts, 1 where they are 0."""
    sizes = sorted(float(abs(complex(entry.value))) for entry, _ in moves)
    size = sizes[len(sizes) // 4] if sizes else 0.0
    return size if size > 0 and math.isfinite(size) else 1.0
