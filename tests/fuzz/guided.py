"""Fuzzing that is guided by coverage: a program is kept, and mutated further, when it reaches a
line of the compiler or of the run time that none before it reached.

    python -m tests.fuzz.guided --count 2000 --seed 0 --left unreached.txt     Python 3.12 or later

At the end the share of lines reached is printed; ``--left`` names a file for the others. A line
that no program reaches wants a test, or is to be deleted.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from astad import settings
from tests.reached import Reached

from .everything import program_with_everything
from .generator import program
from .idioms import mutated, program_of_idioms
from .numeric import numeric_program
from .runner import FAULTS, check_all, print_fault, summary

ROOT = Path(__file__).resolve().parents[2]
WATCHED = [str(ROOT / "astad" / name) for name in ("compiler", "runtime")]
WRITERS = (program_of_idioms, program_of_idioms, program_with_everything, program, numeric_program)
SHARE_NEW = 0.4
"""Of the programs, so many are written anew; the others are kept ones, mutated."""


def lines_of_functions():
    """All lines inside functions of the watched folders that have an instruction."""
    found = set()
    for folder in WATCHED:
        for path in Path(folder).rglob("*.py"):
            whole = compile(path.read_text(encoding="utf-8"), str(path), "exec")
            waiting = [each for each in whole.co_consts if hasattr(each, "co_code")]
            while waiting:
                code = waiting.pop()
                waiting += [each for each in code.co_consts if hasattr(each, "co_code")]
                lines = {line for _, _, line in code.co_lines() if line}
                found |= {(str(path), line) for line in lines - {code.co_firstlineno}}
    return found


def explore(seeds, folder, judge=check_all, report=None):
    """Verdicts on the programs of these seeds, and the lines they reached."""
    kept, verdicts = [], []
    with Reached(WATCHED) as reached:
        for seed in seeds:
            rng = random.Random(f"guided {seed}")
            is_new = not kept or rng.random() < SHARE_NEW
            source = rng.choice(WRITERS)(seed) if is_new else mutated(rng.choice(kept), rng)
            before = len(reached.lines)
            verdict = judge(source, folder, seed)
            if len(reached.lines) > before and verdict.outcome not in ("broken", "endless"):
                kept.append(source)
            if verdict.outcome in FAULTS and (is_new or verdict.outcome != "broken") and report:
                report(verdict, source)
            verdicts.append(verdict)
    return verdicts, reached.lines, kept


def main(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--left", type=Path, help="write the lines that nothing reached here")
    options = parser.parse_args(arguments)
    if sys.version_info < (3, 12):
        sys.exit("Lines are watched by sys.monitoring: Python 3.12 or later.")
    with tempfile.TemporaryDirectory() as folder:
        settings.cache_directory = folder
        seeds = range(options.seed, options.seed + options.count)
        verdicts, lines, kept = explore(
            seeds, folder, report=lambda verdict, source: print_fault(verdict, source, folder)
        )
    all_lines = lines_of_functions()
    left = sorted(all_lines - lines)
    print(summary(verdicts))
    share = 100 * (1 - len(left) / len(all_lines))
    print(f"{len(kept)} programs kept; {share:.1f} % of {len(all_lines)} lines reached")
    if options.left:
        text = "".join(f"{Path(p).relative_to(ROOT).as_posix()}:{n}\n" for p, n in left)
        options.left.write_text(text, encoding="utf-8")
    wrong = [each for each in verdicts if each.outcome in FAULTS and each.outcome != "broken"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
