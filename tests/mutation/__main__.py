"""``python -m tests.mutation``: change single lines of the compiler's passes, and see which changes
the fast tests do not notice.

    python -m tests.mutation --count 300 --seed 1        # an hour; Python 3.12 or later
    python -m tests.mutation --count 20 --reached lines.json

First the fast tests run once, and all that they compile is compiled again with each change: most
changes are noticed by a text (`texts.py`). Then those that are not are looked at by mypy, since
some conditions are there for the types alone, and made in a copy of the tree, in which all tests
that reach the line run until one fails. Which they are is noted by another run of the fast tests,
and kept in the file named by ``--reached``. Printed: survivors, lines that no test reaches, and the
shares: of lines removed or negated, and of conditions without one of their operands.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .mutants import ROOT, SORTS, Mutant, drawn

OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly"]
LONGEST = 600
"""Seconds for a batch of tests; a change may make the compiler go on for ever."""
FIRST = 150
"""So many run in one process; more than these in parallel."""
LEFT = ("survives", "not reached")
NOTES_TOO = "tests/fuzz/test_idioms.py::test_a_program_is_kept_when_it_reaches_a_new_line"
"""It would take the notes over."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reached", type=Path, default=Path("reached.json"))
    parser.add_argument("--tests", nargs="*", default=["tests"], help="the tests that may notice")
    given = parser.parse_args()
    if sys.version_info < (3, 12):
        sys.exit("Which test reaches which line is noted by sys.monitoring: Python 3.12 or later.")
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    by_texts = _by_texts(given.seed, given.count, given.tests)
    if not given.reached.exists():
        _note_reached(given.reached.resolve(), given.tests)
    tests, lines = json.loads(given.reached.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        tree = _copied(Path(folder))
        for mutant, outcome in zip(drawn(given.seed, given.count), by_texts, strict=True):
            how = "by a text"
            if outcome != "noticed":
                found = lines.get(f"{mutant.place}:{mutant.line}", [])
                outcome, how = _outcome(mutant, [tests[each] for each in found], tree)
            told = f"{outcome} {how}" if outcome == "noticed" else outcome
            counts[mutant.sort, told] += 1
            if outcome != "noticed":
                print(f"{outcome}: {mutant}", flush=True)
    for sort in SORTS:
        _print_share(sort, {what: n for (of, what), n in counts.items() if of == sort})
    return 1 if any(what in LEFT for _, what in counts) else 0


def _print_share(sort: str, counts: dict[str, int]) -> None:
    """
    >>> _print_share("line", {"noticed by a text": 3, "survives": 1})
    line: 4 changes: 3 noticed by a text, 1 survives: 25.0 % survive
    """
    total, left = sum(counts.values()), sum(counts.get(what, 0) for what in LEFT)
    outcomes = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    print(f"{sort}: {total} changes: {outcomes}: {100 * left / max(total, 1):.1f} % survive")


def _by_texts(seed: int, count: int, tests: list[str]) -> list[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "tests.mutation.texts"]
    command += tests
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder, "changes.json")
        asked.write_text(json.dumps({"seed": seed, "count": count}), encoding="utf-8")
        environment = {**os.environ, "ASTAD_CHANGES": str(asked)}
        subprocess.run(command, cwd=ROOT, env=environment, check=False)
        found = json.loads(asked.with_suffix(".found").read_text(encoding="utf-8"))
    return [found[str(number)] for number in range(len(found))]


def _note_reached(path: Path, tests: list[str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutation.reached", *tests]
    command += ["--deselect", NOTES_TOO]
    numbers: dict[str, int] = {}
    lines: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ASTAD_REACHED": folder}
        subprocess.run(command, cwd=ROOT, env=environment, check=False)
        for each in Path(folder).glob("*.json"):
            for line, names in json.loads(each.read_text(encoding="utf-8")).items():
                found = [numbers.setdefault(name, len(numbers)) for name in names]
                lines.setdefault(line, []).extend(found)
    path.write_text(json.dumps([list(numbers), lines]), encoding="utf-8")


def _copied(folder: Path) -> Path:
    ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "dist")
    tree = Path(shutil.copytree(ROOT, folder / "tree", ignore=ignored))
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(tree / "astad")], check=True)
    return tree


def _outcome(mutant: Mutant, tests: list[str], tree: Path) -> tuple[str, str]:
    """``noticed`` by the types or by a test that fails or does not end, ``survives``, or ``not
    reached``.
    """
    path = tree / mutant.place
    before = path.read_text(encoding="utf-8")
    path.write_text(mutant.changed, encoding="utf-8")
    try:
        if _has_other_types(tree):
            return "noticed", "by its types"
        if any(_fails(batch, tree) for batch in _batches(mutant, tests)):
            return "noticed", "by a test"
    finally:
        path.write_text(before, encoding="utf-8")
    return ("survives" if tests else "not reached"), ""


def _has_other_types(tree: Path) -> bool:
    """Whether mypy finds an error in the compiler, which has none as it is."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "astad/compiler"]
    told = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False).stdout
    where = str(Path("astad", "compiler", ""))
    return any(line.startswith(where) and ": error: " in line for line in told.splitlines())


def _batches(mutant: Mutant, tests: list[str]) -> Iterator[list[str]]:
    """The tests to run, in turns: first the file that mirrors the one changed. Files that are named
    run whole: of a long table the rows that are slow as well.
    """
    folder, _, name = mutant.place.removeprefix("astad/").rpartition("/")
    files = [file for file in (f"tests/{folder}/test_{name}",) if (ROOT / file).exists()]
    yield files
    others = [test for test in tests if test.partition("::")[0] not in files]
    waiting = random.Random(0).sample(others, len(others))
    yield waiting[:FIRST]
    yield waiting[FIRST:]


def _fails(tests: list[str], tree: Path) -> bool:
    if not tests:
        return False
    asked = tree / "asked.txt"
    asked.write_text("\n".join(tests), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    workers = "0" if len(tests) <= FIRST else "auto"
    command = [sys.executable, "-m", "pytest", *OPTIONS, f"--numprocesses={workers}", f"@{asked}"]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


if __name__ == "__main__":
    raise SystemExit(main())
