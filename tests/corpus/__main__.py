"""Differentiate real calls: of the public functions of installed packages.

    python -m tests.corpus stdlib chemicals fluids
    python -m tests.corpus --list tests/corpus/packages.txt --without numba --results /tmp/results
    python -m tests.corpus --results /tmp/results --table docs/corpus.md

Calls with floats among their arguments are taken from the examples in docstrings and from the test
files of a package, which are run for that, and are drawn for its public functions. Each is then
differentiated in a fork of a process that has imported the package, and compared with the plain
run and with differences (`tests.corpus.judging`). ``stdlib`` stands for Python's own library.

Exit code 1 if a gradient or a value was wrong, or something crashed.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import sys
import tempfile
import time

import numpy as np  # noqa: F401  (warm before each fork)

import astad

from .calls import Call, as_file
from .drawing import draw
from .judging import judge
from .limits import at_most, in_child
from .packages import callables_of, in_random_order, modules_of, package_named
from .recording import record, silent
from .tables import COUNTED, counts, page, reasons

FAULTS = ("wrong", "crashed")


def main(arguments=None):
    options = parser().parse_args(arguments)
    sys.modules.update(dict.fromkeys(options.without))
    names = list(options.packages)
    if options.list:
        names += listed(options.list)
    results = pathlib.Path(options.results or tempfile.mkdtemp(prefix="astad-corpus-"))
    results.mkdir(parents=True, exist_ok=True)
    astad.settings.cache_directory = os.environ["ASTAD_CACHE_DIR"] = str(results / "cache")
    for name in names:
        how, what = in_child(lambda: survey(name, options, results), options.package_seconds, 16)
        if how != "done":
            print(f"{name}: {how} {what}", flush=True)
        else:
            print(what, flush=True)
    by_package = read(results)
    if options.table:
        pathlib.Path(options.table).write_text(page(by_package), encoding="utf-8")
    everything = [record for records in by_package.values() for record in records]
    for outcome in ("refused", *FAULTS, "timeout", "special point"):
        for reason, count in reasons(everything, outcome, 40 if options.reasons else 0):
            print(f"{outcome:9} {count:4}  {reason}")
    return 1 if any(counts(everything)[fault] for fault in FAULTS) else 0


def parser():
    made = argparse.ArgumentParser("python -m tests.corpus", description=__doc__.splitlines()[0])
    made.add_argument(
        "packages", nargs="*", help="distributions or modules that are installed; stdlib"
    )
    made.add_argument("--list", help="a file of packages, one name==version a line")
    made.add_argument("--results", help="the folder for outcomes, and failures as files that run")
    made.add_argument(
        "--sources", help="a folder of unpacked source distributions, for their tests"
    )
    made.add_argument("--most", type=int, default=120, help="calls a package")
    made.add_argument("--seconds", type=float, default=40, help="for one call")
    made.add_argument("--recording", type=float, default=60, help="seconds for examples and tests")
    made.add_argument("--package-seconds", type=float, default=3600)
    made.add_argument(
        "--only", default="", help="a regular expression that the function's name matches"
    )
    made.add_argument(
        "--without", action="append", default=[], help="a module that cannot be imported, as numba"
    )
    made.add_argument("--table", help="write the page of outcomes to this file")
    made.add_argument("--reasons", action="store_true", help="print the reasons of each outcome")
    return made


def listed(file):
    """The names in a list of packages."""
    lines = [line.partition("#")[0].strip() for line in pathlib.Path(file).read_text().splitlines()]
    return [line.partition("==")[0] for line in lines if line]


def survey(name, options, results):
    """Collect the calls of a package and judge each; a line on what became of them."""
    start = time.monotonic()
    package = package_named(name, options.sources)
    os.chdir(tempfile.mkdtemp(prefix="astad-corpus-run-"))
    with silent():
        modules = list(modules_of(package, at_most))
    recorded = record(modules, package.tests, options.recording)
    judge(Call("colorsys", "rgb_to_hls", [0.25, 0.5, 0.75]))  # imports the compiler, before forks
    callables = in_random_order(callables_of(modules))
    if options.only:
        recorded = [call for call in recorded if re.search(options.only, call.name)]
        callables = [each for each in callables if re.search(options.only, ".".join(each[0]))]
    made = draw(callables, options.most - min(len(recorded), options.most // 2))
    chosen = mixed(recorded, made, options.most)
    collected = time.monotonic() - start
    records = []
    folder = results / package.name
    for old in folder.glob("*.py"):
        old.unlink()
    with open(results / f"{package.name}.jsonl", "w", encoding="utf-8") as file:
        print(json.dumps({"package": package.name, "version": package.version}), file=file)
        for group in groups(chosen):
            records += outcomes_of(group, len(records), options.seconds, folder)
            print("\n".join(map(json.dumps, records[-len(group) :])), file=file, flush=True)
    told = ", ".join(f"{counts(records)[o]} {o}" for o in COUNTED if counts(records)[o])
    spent = time.monotonic() - start
    return (
        f"{package.name} {package.version}: {len(records)} calls: {told}  "
        f"({len(recorded)} recorded, {len(made)} drawn in {collected:.0f} s, {spent:.0f} s)"
    )


def mixed(recorded, made, most):
    """At most so many calls: half of them recorded where there are, few of each function first."""
    recorded, made = in_random_order(recorded), in_random_order(made)
    half = max(most // 2, most - len(made))
    rank, ranked = {}, []
    for call in recorded:
        rank[call.name] = rank.get(call.name, 0) + 1
        ranked.append((rank[call.name], call))
    chosen = [call for _, call in sorted(ranked, key=lambda pair: pair[0])][:half]
    return chosen + made[: most - len(chosen)]


def groups(calls):
    """The calls of each function, so that they are judged one after another."""
    found = {}
    for call in calls:
        found.setdefault(call.name, []).append(call)
    return [group[i : i + 12] for group in found.values() for i in range(0, len(group), 12)]


def outcomes_of(group, number, seconds, folder):
    """The records of some calls of a function: from one fork, or from one each if that fails."""
    together = seconds * (1 + len(group) / 3)
    how, found = in_child(lambda: [vars(judge(call)) for call in group], together)
    if how != "done":
        found = [None] * len(group)
    return [
        recorded_outcome(call, number + i, seconds, folder, known)
        for i, (call, known) in enumerate(zip(group, found))
    ]


def recorded_outcome(call, number, seconds, folder, known=None):
    """The record of one call, for the results; ``known``: its outcome; a failure becomes a file."""
    how, found = ("done", known) if known else in_child(lambda: vars(judge(call)), seconds)
    if how == "done":
        record = dict(found)
    elif how == "timeout":
        record = {"outcome": "timeout", "reason": "", "text": ""}
    else:
        record = {"outcome": "crashed", "reason": f"the process died: {found}", "text": ""}
    record |= {"call": call.name, "found": call.found}
    if record["outcome"] in (*FAULTS, "refused", "timeout", "special point", "inconclusive"):
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^0-9A-Za-z]+", "_", f"{record['outcome']}_{number:04}_{call.path}")
        file = folder / f"{name}.py"
        title = f"{call.name}, {record['outcome']}: {record['reason']}"[:300].replace("\n", " ")
        with contextlib.suppress(Exception):  # values whose repr fails
            file.write_text(as_file(call, title, record["text"], file.name), encoding="utf-8")
    return record


def read(results):
    """The records of all packages in a folder of results."""
    found = {}
    for path in sorted(pathlib.Path(results).glob("*.jsonl")):
        text = path.read_text(encoding="utf-8")
        lines = text[: text.rfind("\n") + 1].splitlines()  # a line is cut where it was stopped
        if lines:
            head, *records = map(json.loads, lines)
            found[head["package"], head["version"]] = records
    return found


if __name__ == "__main__":
    sys.exit(main())
