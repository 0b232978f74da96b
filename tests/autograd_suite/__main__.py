"""``python -m tests.autograd_suite``: autograd's own tests, with astad in the place of autograd.

    python -m tests.autograd_suite --order 1            # half a minute
    python -m tests.autograd_suite --only graphs dict   # these files, at their full level

The tests are fetched by pip into a temporary folder and run as they are. Those that do not carry
over are told in ``expected.txt``, each with a reason. Printed: a line for each other test that
fails, and a table; the exit code is 1 if one fails that is not told there, or passes though it is.
At the second order a test may be refused as well, with an error of astad's that says why: these are
counted, and printed with ``--refused``.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .checks import COMPLEX
from .fetched import fetch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.autograd_suite", description=__doc__)
    parser.add_argument("--order", type=int, default=2, help="the highest order that is checked")
    parser.add_argument("--only", nargs="*", default=[], help="files: graphs for test_graphs.py")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--seconds", type=float, default=300.0, help="of the processor, for a test")
    parser.add_argument("--refused", action="store_true", help="print the tests that are refused")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(fetch(folder), given, Path(folder))
    verdicts = judged(found, expected(), given.order)
    for what, count in sorted(collections.Counter(verdicts.values()).items()):
        print(f"{what}: {count}")
    wrong = [name for name, what in verdicts.items() if what in (FAILED, PASSED_THOUGH)]
    shown = [name for name, what in verdicts.items() if what.startswith(REFUSED)]
    for name in sorted(wrong + (shown if given.refused else [])):
        print(f"{name}: {verdicts[name]}: {found[name][1]}")
    return 1 if wrong or not found else 0


def run(tests, given, folder):
    """The outcome of each test, by its name."""
    (folder / "empty.ini").write_text("[pytest]\n", encoding="utf-8")
    files = [str(tests / f"test_{name}.py") for name in given.only] or [str(tests)]
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(folder / "empty.ini")]
    command += ["--rootdir", str(tests), "-p", "tests.autograd_suite.plugin", "-p", "no:randomly"]
    command += ["-p", "no:cacheprovider", "--tb=short", "-n", given.workers, *files]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "ASTAD_AUTOGRAD_FOUND": str(folder / "found.json"),
        "ASTAD_AUTOGRAD_ORDER": str(given.order),
        "ASTAD_AUTOGRAD_SECONDS": str(given.seconds),
    }
    subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
    return json.loads((folder / "found.json").read_text(encoding="utf-8"))


def expected():
    """Reasons, by the names of the tests that do not carry over.

    >>> expected()["test_misc.py::test_const_graph"]
    'it looks into the graph of a trace, and astad keeps none'
    """
    lines = (HERE / "expected.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    return {name: reason.strip() for name, reason in pairs}


FAILED, PASSED_THOUGH = "failed", "passed, though it is told that it does not carry over"
REFUSED = "refused"


def judged(found, reasons, order):
    """What became of each test.

    >>> told = {
    ...     "test_a.py::test_sum": ["passed", "", 0.1],
    ...     "test_a.py::test_view": ["failed", "astad.errors.Unsupported: ...", 0.1],
    ...     "test_a.py::test_graph": ["failed", "AttributeError: ...", 0.1],
    ... }
    >>> judged(told, {"test_a.py::test_graph": "astad keeps no graph"}, 2)
    {'test_a.py::test_sum': 'passed', 'test_a.py::test_view': 'refused', \
'test_a.py::test_graph': 'does not carry over'}
    """
    return {
        name: verdict(outcome, line, name in reasons, order)
        for name, (outcome, line, _) in found.items()
    }


def verdict(outcome, line, is_told, order):
    if outcome != "failed":
        return PASSED_THOUGH if is_told and outcome == "passed" else outcome
    if is_told:
        return "does not carry over"
    if order > 1 and line.startswith(COMPLEX):
        return f"{REFUSED}: for complex numbers alone"
    return REFUSED if order > 1 and line.startswith("astad.errors.Unsupported") else FAILED


if __name__ == "__main__":
    sys.exit(main())
