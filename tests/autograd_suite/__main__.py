"""``python -m tests.autograd_suite``: autograd's own tests, with astad in the place of autograd.

    python -m tests.autograd_suite --order 1            # half a minute
    python -m tests.autograd_suite --only graphs dict   # these files, at their full level

The tests are fetched by pip into a temporary folder and run as they are. Those that do not carry
over are told in ``expected.txt``, each with a reason. Printed: a line for each other test that
fails, and a table; the exit code is 1 if one fails that is not told there, or passes though it is.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .fetched import fetch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.autograd_suite", description=__doc__)
    parser.add_argument("--order", type=int, default=2, help="the highest order that is checked")
    parser.add_argument("--only", nargs="*", default=[], help="files: graphs for test_graphs.py")
    parser.add_argument("--workers", default="2")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(fetch(folder), given, Path(folder))
    unexpected = judged(found, expected())
    for name, (outcome, line, _) in unexpected:
        print(f"{name}: {outcome}: {line}")
    return 1 if unexpected or not found else 0


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


def judged(found, reasons):
    """Prints the table; what is not as told."""
    counts = collections.Counter(
        "does not carry over" if name in reasons and outcome == "failed" else outcome
        for name, (outcome, _, _) in found.items()
    )
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    return [
        (name, told)
        for name, told in sorted(found.items())
        if (told[0] == "failed") != (name in reasons) and told[0] != "skipped"
    ]


if __name__ == "__main__":
    sys.exit(main())
