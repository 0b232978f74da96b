"""The rows of the table and its foot."""

import inspect
import statistics
import tempfile
import time

from astad import settings, value_and_grad
from astad.runtime.core.variants import forget_all

from .arrays import ARRAYS
from .measure import FLOOR, geometric_mean, in_turns, median_ratio, peak
from .scalar import SCALAR
from .start_up import start_up_lines

WORKLOADS = SCALAR + ARRAYS
GROUPS = ("scalar", "small", "large")
HEAD = (
    f"{'workload':<17}{'group':<8}{'by hand':>10}{'plain':>7}{'astad':>7}{'memory':>8}"
    f"{'compile':>9}{'warm':>7}\n"
    f"{'':<25}{'us':>10}{'/hand':>7}{'/hand':>7}{'/hand':>8}{'ms':>9}{'ms':>7}"
)


def row_of(workload, budget):
    """The figures of one workload."""
    args = workload.arguments()
    compiled = first_call(workload, args)
    gradient = value_and_grad(workload.program, workload.wrt)
    calls = {
        "hand": lambda: workload.by_hand(*args),
        "plain": lambda: workload.program(*args),
        "astad": lambda: gradient(*args),
    }
    rounds = in_turns(calls, budget)
    memory = (peak(calls["astad"]) + FLOOR) / (peak(calls["hand"]) + FLOOR)
    return {
        "hand": statistics.median(each["hand"] for each in rounds),
        "plain": median_ratio(rounds, "plain", "hand"),
        "astad": median_ratio(rounds, "astad", "hand"),
        "memory": memory,
        **compiled,
    }


def first_call(workload, args, times=5):
    """Milliseconds that the first gradient takes longer than the next, the least of some: with an
    empty disk cache, and with a full one.
    """
    found = {"compile": [], "warm": [], "again": []}
    before = settings.cache_directory
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            settings.cache_directory = folder
            for name in ("compile", "warm"):
                forget_all()
                found[name].append(seconds_of(workload, args))
            found["again"].append(seconds_of(workload, args))
    settings.cache_directory = before
    least = {name: min(each) for name, each in found.items()}
    return {name: 1e3 * max(least[name] - least["again"], 0.0) for name in ("compile", "warm")}


def seconds_of(workload, args):
    """Of the processor: whatever else the machine does is not counted."""
    start = time.process_time()
    value_and_grad(workload.program, workload.wrt)(*args)
    return time.process_time() - start


def print_table(parts, budget):
    """All rows, the geometric means, and what start-up costs."""
    seconds_of(WORKLOADS[0], WORKLOADS[0].arguments())  # the compiler is imported
    print(HEAD)
    rows = {}
    for workload in WORKLOADS:
        if parts and not any(part in workload.name for part in parts):
            continue
        row = rows[workload.name] = row_of(workload, budget)
        print(
            f"{workload.name:<17}{workload.group:<8}{1e6 * row['hand']:>10.1f}{row['plain']:>7.2f}"
            f"{row['astad']:>7.2f}{row['memory']:>8.2f}{row['compile']:>9.1f}{row['warm']:>7.2f}",
            flush=True,
        )
    print_means(rows)
    if not parts:
        print(*start_up_lines(), sep="\n")


def print_means(rows):
    """Geometric means by group, and compile time by length of source."""
    print()
    for group in GROUPS:
        found = [rows[w.name] for w in WORKLOADS if w.group == group and w.name in rows]
        if found:
            time_, memory = (
                geometric_mean([r[name] for r in found]) for name in ("astad", "memory")
            )
            print(f"geometric mean, {group:<8} time {time_:.2f}, memory {memory:.2f}")
    # a large workload's own time hides that of the compiler
    compiled = [w for w in WORKLOADS if w.name in rows and w.group != "large"]
    if not compiled:
        return
    chosen = {w.program: rows[w.name]["compile"] for w in compiled}
    lines = sum(len(inspect.getsource(program).splitlines()) for program in chosen)
    print(f"compile: {100 * sum(chosen.values()) / lines:.0f} ms per 100 source lines")
