"""The table of outcomes, a row for each package, and the reasons of what was refused."""

import collections
import statistics

COUNTED = (
    "right",
    "refused",
    "wrong",
    "crashed",
    "timeout",
    "special point",
    "inconclusive",
    "nothing to check",
)


def counts(records):
    """How many calls had each outcome."""
    return collections.Counter(record["outcome"] for record in records)


def ratios(records):
    """Median and 90 % of the ratio of the gradient's time to that of the plain call."""
    found = sorted(r["ratio"] for r in records if r.get("ratio"))
    if not found:
        return None, None
    return statistics.median(found), found[min(len(found) - 1, int(0.9 * len(found)))]


def row(name, version, records):
    """The cells of a package's row."""
    by = counts(records)
    total = sum(by[outcome] for outcome in COUNTED)
    median, most = ratios(records)
    times = [f"{value:.1f}" if value else "" for value in (median, most)]
    return [name, version, str(total), *(str(by[outcome] or "") for outcome in COUNTED), *times]


def table(by_package):
    """All rows in Markdown; ``by_package``: (name, version) to the records of its calls."""
    titles = ["package", "version", "calls", *COUNTED, "median ratio", "90 %"]
    lines = ["| " + " | ".join(titles) + " |", "|---|---|" + "---:|" * (len(titles) - 2)]
    everything = []
    for (name, version), records in sorted(by_package.items(), key=lambda item: item[0][0].lower()):
        lines.append("| " + " | ".join(row(name, version, records)) + " |")
        everything += records
    lines.append("| " + " | ".join(row("**all**", "", everything)) + " |")
    return "\n".join(lines)


def reasons(records, outcome, most=25):
    """The reasons of an outcome, the most frequent first."""
    found = collections.Counter(r["reason"] for r in records if r["outcome"] == outcome)
    return found.most_common(most)


def page(by_package):
    """The page of the documentation; a package of which no call was found has no row."""
    by_package = {name: records for name, records in by_package.items() if records}
    everything = [record for records in by_package.values() for record in records]
    total = sum(counts(everything)[outcome] for outcome in COUNTED)
    share = 100 * counts(everything)["refused"] / max(total, 1)
    by = counts(everything)
    silent = sum(by[outcome] for outcome in ("timeout", "inconclusive", "nothing to check"))
    lines = [
        INTRODUCTION.format(
            total=total,
            compared=total - silent,
            packages=sum(name != "stdlib" for name, _ in by_package),
        ),
        table(by_package),
        "",
    ]
    lines += [f"Refused: {share:.1f} %. The reasons, and how many calls each:", ""]
    lines += [f"- {count}: {reason}" for reason, count in reasons(everything, "refused", 30)]
    failed = [r for r in everything if r["outcome"] in ("wrong", "crashed")]
    if failed:
        lines += ["", "Wrong or crashed:", ""]
        lines += [f"- `{r['call']}`: {r['outcome']}, {r['reason']}" for r in failed]
    return "\n".join(lines) + "\n"


INTRODUCTION = """# Corpus

{total} real calls of the public functions of Python's standard library and {packages} packages,
none of which was written for astad: from the examples in their docstrings, from their own tests,
and with drawn arguments. Each is differentiated as it stands, and compared with the plain run
(value, what is written, what is printed, what is raised), with differences, and with the generic
form. Of {compared} calls the outcome is known; the last columns say why it is not of the rest.

`python -m tests.corpus --list tests/corpus/packages.txt --without numba --results FOLDER --table
docs/corpus.md` makes this page; the packages have to be installed (`--without`: they run as where
Numba is not installed; what it compiles is refused). What fails is kept in the folder as files that
run.

- **right**: all of this agrees. **refused**: an error that says where, what, why, what instead.
- **wrong**, **crashed**: a gradient, value or side effect that differs; an error not of astad's.
- **special point**: differs from differences, but is right beside the point, as where the program
  branches on `a == b`, or finds the number in a table that an earlier call filled; or nan, where it
  takes one infinite slope from another.
- **timeout**: the check was not done in its time. **inconclusive**: differences cannot tell (a
  kink, a jump, noise, terms that cancel so that the last digits of the arguments decide), or the
  plain run is not deterministic. **nothing to check**: no number in the result, or every derivative
  is zero, or an exception, the same one.
- **ratio**: the time of a gradient that is compiled or recorded already, over that of the plain
  call; where the result is not one number, of a pullback and a call of it.
"""
