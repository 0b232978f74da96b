"""What a check found: the outcome, a row for each entry, and the table a failure shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from astad.slotted import dataclass, field

__all__ = [
    "CheckFailed", "CheckResult", "GradientInconclusive", "GradientWrong", "NothingChecked", "Row",
]  # fmt: skip

__tracebackhide__ = True  # pytest shows the frames of the test alone

WORST_ROWS = 10


class CheckFailed(AssertionError):
    """A gradient that was not shown to be right; `result` holds what was found."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(str(result))
        self.result = result


class GradientWrong(CheckFailed):
    """The gradient differs from the differences, or the pullback breaks a promise."""


class GradientInconclusive(CheckFailed):
    """The differences are not exact enough to tell: a kink, a jump, noise, or the domain's edge."""


class NothingChecked(CheckFailed):
    """Every gradient and every difference is zero, or there is no number to differentiate by."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entry: its name, what astad says (None: no path), what the differences say."""

    name: str
    claimed: float | None
    difference: float
    error: float
    tolerance: float
    enough: float = 0.0  # an error of the difference that is small enough, if larger

    @property
    def value(self) -> float:
        """What astad says, None as 0."""
        return 0.0 if self.claimed is None else self.claimed

    @property
    def verdict(self) -> str:
        """``right``, ``wrong`` or ``inconclusive``."""
        if not math.isfinite(self.error) or not math.isfinite(self.difference):
            return "inconclusive"
        if not abs(self.value - self.difference) <= self.tolerance + 10 * self.error:
            return "wrong"  # also for nan
        exact = self.value == self.difference == 0  # nothing moved, and nothing was claimed to
        enough = exact or self.error <= max(self.tolerance, self.enough)
        return "right" if enough else "inconclusive"

    @property
    def badness(self) -> float:
        """The disagreement in units of what is allowed; infinite for nan."""
        gap = abs(self.value - self.difference)
        return math.inf if math.isnan(gap) else gap / (self.tolerance + self.error + 1e-300)


@dataclass(slots=True)
class CheckResult:
    """The outcome of a check.

    Attributes
    ----------
    outcome : str
        ``right``, ``wrong``, ``inconclusive`` or ``nothing checked``.
    rows : sequence of Row
        The entries that were compared.
    problems : list of str
        Promises of a pullback that were broken, in words.
    hints : list of str
        Patterns in the wrong entries.
    function, place : str
        The name of the function, and its file and line.
    """

    function: str
    place: str
    rows: Sequence[Row] = ()
    problems: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    expect_zero: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """The worst that was found."""
        verdicts = {row.verdict for row in self.rows}
        if self.problems or "wrong" in verdicts:
            return "wrong"
        if "inconclusive" in verdicts:
            return "inconclusive"
        touched = any(row.value != 0 or row.difference != 0 for row in self.rows)
        return "right" if touched or self.expect_zero else "nothing checked"

    @property
    def largest_error(self) -> float:
        """The largest disagreement, relative to the larger of the two values."""
        return max((relative(row) for row in self.rows), default=0.0)

    def verify(self) -> CheckResult:
        """This result, if it is right.

        Raises
        ------
        GradientWrong, GradientInconclusive, NothingChecked : the other outcomes.
        """
        if self.outcome == "wrong":
            raise GradientWrong(self)
        if self.outcome == "inconclusive":
            raise GradientInconclusive(self)
        if self.outcome == "nothing checked":
            raise NothingChecked(self)
        return self

    def __str__(self) -> str:
        outcome = self.outcome
        lines = [f"gradient of {self.function}: {outcome}{self.share(outcome)}"]
        lines += [f"  {problem}" for problem in self.problems]
        if outcome in ("wrong", "inconclusive"):
            lines += table([row for row in self.rows if row.verdict == outcome])
        if outcome == "inconclusive":
            lines.append(
                "  the differences are uncertain here: a kink, a jump or noise; move the point"
            )
        if outcome == "nothing checked":
            lines.append(
                "  no number to differentiate by, or all gradients and differences are 0; "
                "expect_zero=True if that is meant"
            )
        lines += [f"  hint: {hint}" for hint in self.hints]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join([*lines, f"  function at {self.place}"])

    def share(self, outcome: str) -> str:
        """How many of the entries have this verdict."""
        count = sum(row.verdict == outcome for row in self.rows)
        if not count:
            return f", {len(self.rows)} entries checked" if outcome == "right" else ""
        percent = 100 * count / len(self.rows)
        return f", {count} of {len(self.rows)} entries ({percent:.0f} %)"


def relative(row: Row) -> float:
    """The disagreement relative to the larger value."""
    size = max(abs(row.value), abs(row.difference))
    return abs(row.value - row.difference) / size if size else 0.0


def table(rows: Sequence[Row]) -> list[str]:
    """The ten worst rows in columns."""
    if not rows:
        return []
    worst = sorted(rows, key=lambda row: -row.badness)[:WORST_ROWS]
    cells = [("argument", "astad", "difference", "absolute", "relative", "its error")]
    for row in worst:
        claimed = "None" if row.claimed is None else f"{row.claimed:.9g}"
        gap = f"{abs(row.value - row.difference):.2g}"
        cells.append(
            (
                row.name,
                claimed,
                f"{row.difference:.9g}",
                gap,
                f"{relative(row):.2g}",
                f"{row.error:.1g}",
            )
        )
    widths = [max(len(line[i]) for line in cells) for i in range(6)]
    lines = [
        "  "
        + "  ".join(
            [
                line[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)),
            ]
        )
        for line in cells
    ]
    left = len(rows) - len(worst)
    return lines + ([f"  ... and {left} more"] if left else [])
