"""`check_gradient`: a gradient against finite differences, and the promises of its pullback."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients.pullbacks import pullback
from astad.slotted import dataclass
from astad.tangents.unasked import callable_name
from astad.testing.agreement import disagreements
from astad.testing.bounded import bounded
from astad.testing.conduct import Claimed, Run, cotangent_at, run, wrong_kind
from astad.testing.copies import are_moved
from astad.testing.finite_differences import (
    NOTHING,
    Difference,
    at_step,
    directional,
    evaluate,
    is_flat,
    line_along,
    second_opinion,
)
from astad.testing.leaves import Entry, entries_of, leaves_of, name_of
from astad.testing.patterns import describe
from astad.testing.report import CheckResult, Row
from astad.testing.seeds import combine, project

__all__ = ["check_gradient", "compare"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone

RTOL, ATOL = 1e-6, 1e-13
STEP = 0.125  # moves any number but the largest
UNRESOLVED = 1e-9  # of the largest entry: differences that are as exact as that can tell
NARROW_RTOL, NARROW_ATOL = 1e-3, 1e-9  # float32: only the differences are in float64
CLAIMED_CHANGE = 1e-3  # of the result
FULL_CHECK = 200
DIRECTIONS, SINGLE_ENTRIES = 5, 20
# each of 5 directions sees a swap of two entries with probability 1/2, any other fault with about 1


def check_gradient(
    f: Callable[..., object],
    *args: object,
    argnums: int | Sequence[int] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    kwargs: Mapping[str, object] | None = None,
    expect_zero: bool = False,
    seed: int = 0,
) -> CheckResult:
    """Check the gradient of ``f`` at ``args`` against five-point central differences.

    Also checked: the result and the mutations of arguments are those of a plain run; there is a
    cotangent for each argument, of its kind, dtype and shape; ``back`` may be called twice, is
    linear in the seed and changes nothing; no two of the arrays involved share memory; `gradient`
    and `value_and_grad` agree with `pullback` where the result is a real number.

    Parameters
    ----------
    f : callable
        The function. Its result may be any structure of numbers and arrays; it is projected by a
        random cotangent.
    *args : object
        The point: numbers, arrays, lists, tuples, dicts, dataclasses, objects. None of them is
        changed; every run has deep copies.
    argnums : int or sequence of int, optional
        The positional arguments to check; all of them when not given.
    rtol, atol : float, optional
        Largest disagreement, relative to the entry and to the largest entry of the gradient,
        besides what the differences do not resolve. 1e-6 and 1e-13, where float32 takes part 1e-3
        and 1e-9, when not given.
    kwargs : mapping, optional
        Keyword arguments for ``f``.
    expect_zero : bool
        Whether a gradient that is 0 everywhere is what is meant.
    seed : int
        For the random cotangent and, above 200 entries, the random directions.

    Returns
    -------
    CheckResult
        Outcome, rows, largest error.

    Raises
    ------
    GradientWrong : the gradient is wrong, or a promise is broken.
    GradientInconclusive : the differences cannot tell: a kink, a jump, noise.
    NothingChecked : all gradients and differences are 0, or no argument holds a number.

    Examples
    --------
    >>> import math
    >>> from astad.testing import check_gradient
    >>> check_gradient(lambda x, y: x * math.sin(y), 2.0, 0.5).outcome
    'right'
    """
    keywords = dict(kwargs or {})
    claimed = functools.partial(pullback, f)
    result = compare(
        claimed, f, args, argnums=argnums, rtol=rtol, atol=atol, kwargs=keywords,
        expect_zero=expect_zero, seed=seed,
    )  # fmt: skip
    result.problems += disagreements(
        f, args, keywords, wanted(argnums, len(args))[0] if args else 0
    )
    return result.verify()


def compare(
    claimed: Claimed,
    f: Callable[..., object],
    args: Sequence[object],
    *,
    argnums: int | Sequence[int] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    kwargs: Mapping[str, object] | None = None,
    expect_zero: bool = False,
    seed: int = 0,
) -> CheckResult:
    """Check any pullback of ``f``, wherever it comes from; raises nothing for a wrong one.

    Parameters
    ----------
    claimed : callable
        ``(*args, **kwargs) -> (y, back)``, as ``functools.partial(astad.pullback, f)``.
    f, args, argnums, rtol, atol, kwargs, expect_zero, seed
        As for `check_gradient`.

    Returns
    -------
    CheckResult
    """
    keywords = dict(kwargs or {})
    rng = np.random.default_rng(seed)
    result = CheckResult(*described(f), expect_zero=expect_zero)
    made = run(claimed, f, args, keywords, rng)
    result.problems += made.problems
    if len(made.cotangents) != len(args):
        return result
    if narrow(args):
        result.notes.append("float32: differences in float64, rtol at least 1e-3")
        rtol = max(rtol or RTOL, NARROW_RTOL)
        atol = atol or NARROW_ATOL
    point = Point(f, args, keywords, made, names_of(f, args), rtol or RTOL, atol or ATOL)
    entries = point.entries(wanted(argnums, len(args)), result.problems)
    if len(entries) > FULL_CHECK:
        result.rows = point.sampled_rows(entries, rng)
    else:
        result.rows = point.rows([[(entry, 1.0)] for entry, _ in entries], entries)
    if result.outcome == "wrong" and len(entries) <= FULL_CHECK:
        result.hints += describe(point.whole_arrays(entries, result.rows))
    return result


@dataclass(slots=True)
class Point:
    """A function at a point, with what its pullback says there."""

    f: Callable[..., object]
    args: Sequence[object]
    kwargs: Mapping[str, object]
    run: Run
    names: Sequence[str]
    rtol: float
    atol: float

    def entries(
        self, argnums: Sequence[int], problems: list[str]
    ) -> list[tuple[Entry, float | None]]:
        """Every number of the arguments with what astad says; misfits go to ``problems``."""
        found: list[tuple[Entry, float | None]] = []
        for i in argnums:
            for leaf in leaves_of(self.args[i]):
                name = name_of(self.names[i], leaf.path)
                try:
                    cotangent = cotangent_at(self.run.cotangents[i], leaf)
                except (LookupError, TypeError) as err:
                    problems.append(f"{name}: the cotangent has another structure ({err})")
                    continue
                misfit = wrong_kind(leaf.value, cotangent)
                problems += [f"{name}: {misfit}"] if misfit else []
                found += [(entry, claimed_at(cotangent, entry)) for entry in entries_of(i, leaf)]
        return found

    def rows(
        self,
        directions: Sequence[Sequence[tuple[Entry, float]]],
        claims: Sequence[tuple[Entry, float | None]],
        names: Sequence[str] = (),
    ) -> list[Row]:
        """A row for each direction; one that moves a number that counts only is left out."""
        said = {id(entry): value for entry, value in claims}
        largest = max(
            (abs(v) for v in said.values() if v is not None and np.isfinite(v)), default=0.0
        )
        found = []
        small = largest or self.magnitude()
        for k, moves in enumerate(directions):
            difference = self.difference(moves, small)
            if difference is None:
                continue
            name = names[k] if names else self.name(moves[0][0])
            claimed = claimed_along(moves, said)
            row = self.row(name, claimed, difference, largest, small)
            if row.verdict == "wrong":
                again = self.once_more(moves, difference, claimed)
                row = self.row(name, claimed, again, largest, small)
            if claimed is None and is_integer(moves[0][0]) and row.verdict == "inconclusive":
                continue  # it only counts
            found.append(row)
        return found

    def row(
        self, name: str, claimed: float | None, found: Difference, largest: float, small: float
    ) -> Row:
        """What is claimed of a direction beside the difference along it."""
        size = max(abs(claimed or 0.0), abs(found.value))
        tolerance = self.rtol * size + self.atol * max(largest, size)
        enough = max(tolerance, UNRESOLVED * small)
        return Row(name, claimed, found.value, found.error, tolerance, enough)

    def magnitude(self) -> float:
        """The size of the projected result."""
        parts: list[float] = []
        combine(
            lambda s, y: parts.append(float(np.sum(np.abs(s * y)))), self.run.seed, self.run.result
        )
        return max(1.0, sum(parts))

    def difference(self, moves: Sequence[tuple[Entry, float]], largest: float) -> Difference | None:
        """The derivative along a direction; None where an integer can't move."""
        whole = any(is_integer(entry) for entry, _ in moves)
        if not are_moved(self.args, [(entry, STEP * speed) for entry, speed in moves]):
            return None if whole else NOTHING
        try:
            if whole and not self.same_as_float(moves):
                return None
            return directional(
                bounded(self.f) if whole else self.f, self.args, self.kwargs, self.run.seed, moves,
                rtol=self.rtol / 20, atol=self.atol * largest / 20,
            )  # fmt: skip
        except Exception:  # what a program does with a fraction for a count is anything
            if whole:
                return None
            raise

    def same_as_float(self, moves: Sequence[tuple[Entry, float]]) -> bool:
        """Whether the result is the same where integers are floats of the same value.

        It is not where an integer counts: a program may catch what ``range(4.0)`` raises.
        """
        there = evaluate(
            bounded(self.f), self.args, self.kwargs, [(entry, 0.0) for entry, _ in moves]
        )
        change, _ = project(there, self.run.result, self.run.seed)
        return abs(change) <= 1e-9 * self.magnitude()

    def once_more(
        self, moves: Sequence[tuple[Entry, float]], first: Difference, claimed: float | None
    ) -> Difference:
        """Before a gradient is called wrong: the difference by steps much finer.

        Where a thousand of the least steps of the argument would change the result by more than its
        own size, differences see nothing of the derivative: a program may be that chaotic. Nor do
        they of a program that rounds, the slope of whose stairs is not their derivative. An
        argument that is small by its unit, as 1e-41 beside times of 1e8, asks for steps by what
        they are claimed to change of the result, not by its own size.
        """
        least = max(float(np.spacing(abs(complex(entry.value)))) for entry, _ in moves)
        if claimed is not None and self.magnitude() < abs(claimed) * 1000 * least < math.inf:
            return Difference(first.value, math.inf, first.step)
        if not claimed and abs(first.value) * least >= 1:
            # steps of whole numbers, as of floor at 1e23, are no wider than the numbers lie apart
            return Difference(first.value, math.inf, first.step)
        f = bounded(self.f) if any(is_integer(entry) for entry, _ in moves) else self.f
        line = line_along(f, self.args, self.kwargs, self.run.seed, moves)
        if (
            not claimed
            and is_flat(line, first, least)
            and not narrow([evaluate(f, self.args, self.kwargs, [])])
        ):
            return Difference(first.value, math.inf, first.step)
        if claimed and math.isfinite(claimed):
            found = at_step(line, CLAIMED_CHANGE * self.magnitude() / abs(claimed))
            if max(found.error, abs(found.value - claimed)) < self.rtol * abs(claimed):
                return found
        return second_opinion(line, first)

    def sampled_rows(
        self, entries: Sequence[tuple[Entry, float | None]], rng: np.random.Generator
    ) -> list[Row]:
        """Five random directions through all numbers, and twenty single entries."""
        floats = [pair for pair in entries if not is_integer(pair[0])]
        signs = rng.choice((-1.0, 1.0), (DIRECTIONS, len(floats)))
        along = [
            [(entry, float(sign)) for (entry, _), sign in zip(floats, row, strict=True)]
            for row in signs
            if len(floats)
        ]
        names = [f"random direction {k + 1}" for k in range(len(along))]
        order = sorted(range(len(entries)), key=lambda i: -abs(entries[i][1] or 0.0))
        quarter = SINGLE_ENTRIES // 4
        drawn = rng.choice(len(entries), SINGLE_ENTRIES - 2 * quarter, replace=False).tolist()
        chosen = dict.fromkeys([*order[:quarter], *order[-quarter:], *drawn])
        single = [[(entries[i][0], 1.0)] for i in chosen]
        return self.rows(along, entries, names) + self.rows(single, entries)

    def name(self, entry: Entry) -> str:
        """The name of an entry, as the user would write it."""
        index = "" if not entry.index else f"[{', '.join(map(str, entry.index))}]"
        part = ".imag" if entry.imaginary else ".real" if np.iscomplexobj(entry.value) else ""
        return name_of(self.names[entry.argument], entry.leaf.path) + index + part

    def whole_arrays(
        self, entries: Sequence[tuple[Entry, float | None]], rows: Sequence[Row]
    ) -> dict[str, tuple[Any, Any]]:  # arrays of any dtype
        """What was claimed and what the differences say, whole arrays by the leaf's name."""
        by_name = {row.name: row for row in rows}
        found: dict[str, tuple[Any, Any]] = {}
        for entry, _ in entries:
            row = by_name.get(self.name(entry))
            name = name_of(self.names[entry.argument], entry.leaf.path)
            if row is None:
                continue
            if name not in found:
                said = cotangent_at(self.run.cotangents[entry.argument], entry.leaf)
                zeros = np.zeros(np.shape(entry.leaf.value), complex)
                found[name] = zeros if said is None else np.asarray(said, complex), zeros.copy()
            found[name][1][entry.index or ()] += row.difference * (1j if entry.imaginary else 1.0)
        return found


def claimed_along(
    moves: Sequence[tuple[Entry, float]], said: Mapping[int, float | None]
) -> float | None:
    """What is claimed of a direction, from what is ``said`` of each entry; None without a path."""
    values = [(said[id(entry)], speed) for entry, speed in moves]
    known = [value * speed for value, speed in values if value is not None]
    return float(sum(known)) if known else None


def is_integer(entry: Entry) -> bool:
    """Whether an entry may be one that only counts."""
    return isinstance(entry.value, (int, np.integer))


def claimed_at(cotangent: Any, entry: Entry) -> float | None:  # a cotangent of any kind
    """The part of a cotangent that belongs to an entry."""
    if cotangent is None:
        return None
    if np.shape(cotangent) != np.shape(entry.leaf.value) or isinstance(cotangent, (list, tuple)):
        return math.nan
    value = cotangent if entry.index is None else cotangent[entry.index]
    if entry.imaginary or np.iscomplexobj(value):
        return float(value.imag if entry.imaginary else value.real)
    return float(value)


def wanted(argnums: int | Sequence[int] | None, count: int) -> list[int]:
    """The positions to check."""
    if argnums is None:
        return list(range(count))
    listed = [argnums] if isinstance(argnums, int) else list(argnums)
    return [range(count)[i] for i in listed]


def narrow(args: Sequence[object]) -> bool:
    """Whether a float narrower than float64 takes part."""
    values = [leaf.value for leaf in leaves_of(list(args))]
    return any(np.asarray(v).dtype.str[1:] in ("f2", "f4", "c8") for v in values)


def described(f: Callable[..., object]) -> tuple[str, str]:
    """The name of a function, and its file and line."""
    code = getattr(inspect.unwrap(f), "__code__", None)
    name = callable_name(f)
    return name, f"{code.co_filename}:{code.co_firstlineno}" if code else "no source"


def names_of(f: Callable[..., object], args: Sequence[object]) -> list[str]:
    """The names of the positional arguments."""
    names: list[str] = []
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):  # a builtin without signature
        parameters = []
    for p in parameters:
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
        elif p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}[{i}]" for i in range(len(args) - len(names))]
    return names[: len(args)] + [f"argument {i}" for i in range(len(names), len(args))]
