"""Print the table: each gradient's time and peak memory over the one written by hand.

    python -m tests.benchmarks
    python -m tests.benchmarks --only kepler,ridge --budget 2
    python -m tests.benchmarks --operations        what each elementary operation costs
    python -m tests.benchmarks --compile           what compiling costs, by length of function
    python -m tests.benchmarks --second-order      jvp over plain, hvp and hessian over a gradient
    python -m tests.benchmarks --memory            loops under a memory budget: time and peak

One thread. Ratios are medians over rounds in which all are timed in turn; compile: milliseconds
from the source to functions, with nothing in the disk cache; warm: of the first gradient in a
process that finds them there.
"""

import argparse
import os
import sys

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # else nothing goes into the disk cache
    # the same allocator settings as ../shared runs with: no page faults by chance
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TOP_PAD_": "67108864",
}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="comma-separated parts of names")
    parser.add_argument("--budget", type=float, default=1.5, help="seconds per row, about")
    parser.add_argument("--operations", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--second-order", action="store_true")
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args(arguments)
    if any(os.environ.get(name, "") != value for name, value in ONE_THREAD.items()):
        command = [sys.executable, "-m", "tests.benchmarks", *(arguments or sys.argv[1:])]
        os.execve(sys.executable, command, {**os.environ, **ONE_THREAD})
    # late: the threads of NumPy's libraries are set by then
    if options.second_order:
        from .second_order import print_table as print_second_order

        print_second_order([part for part in options.only.split(",") if part], options.budget)
        return
    if options.memory:
        from .memory_budgets import print_table as print_memory

        print_memory([part for part in options.only.split(",") if part], options.budget)
        return
    if options.operations:
        from .operations import print_operations

        print_operations()
    elif options.compile:
        from .compiling import print_compiling

        print_compiling()
    else:
        from .table import print_table

        print_table([part for part in options.only.split(",") if part], options.budget)


if __name__ == "__main__":
    main()
