"""Run random programs through astad and compare with finite differences.

    python -m tests.fuzz.runner --count 5000 --seed 0
    python -m tests.fuzz.runner --show 137
    python -m tests.fuzz.runner --forms --count 200 --seed 0      every form of each derivative
    python -m tests.fuzz.runner --attempts --count 200 --seed 0   exceptions, contexts, generators
    python -m tests.fuzz.runner --everything --count 200          these, classes, closures, aliases
    python -m tests.fuzz.runner --idioms --count 200 --seed 0     what people write, and mutated
    python -m tests.fuzz.runner --merged --forms --count 200      any of these, one name for two

Exit code 1 if a gradient was wrong, something crashed, a refusal lacks one of its four parts, or
two forms of a derivative differ.
"""

import argparse
import collections
import functools
import sys
import tempfile
import traceback
import warnings

from astad import settings
from astad.api.gradients.pullbacks import pullback
from astad.errors import AstadError
from astad.testing import compare
from astad.testing.agreement import disagreements

from .attempts import program_with_attempts
from .equivalence import check_forms, same_fault, text_of
from .everything import program_with_everything
from .generator import program
from .idioms import program_of_idioms
from .merged import merged
from .minimise import minimised
from .verdicts import Endless, Verdict, at_most, load

PLAIN_SECONDS = 0.2
"""A drawn program takes milliseconds; one in twenty of the mutated ones never ends."""
DRAFTS, APART = 20, 10**9
"""Where a drawn program may fail by itself, so many are drawn, their seeds so far apart."""
FAULTS = ("wrong", "crash", "bad refusal", "broken", "forms differ")


def check(source, folder, seed=0, take_pullback=pullback):
    """The verdict on one program.

    Parameters
    ----------
    source : str
    folder : path
        Where to put the module.
    seed : int
        Names the module, and draws the cotangent.
    take_pullback : callable
        ``(f, *args) -> (y, back)``: what is tested.
    """
    name = f"p{seed}_{abs(hash(source)) % 10**8}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = load(source, folder, name)
            with at_most(PLAIN_SECONDS):
                module.f(*module.arguments())
        except Endless:
            return Verdict(seed, "endless")
        except Exception:
            return Verdict(seed, "broken", last_line())
        try:
            f, args = module.f, module.arguments()
            result = compare(functools.partial(take_pullback, f), f, args, seed=seed)
            if take_pullback is pullback:
                result.problems += disagreements(f, args, {}, seed % len(args))
        except AstadError as err:
            return refusal(seed, err)
        except Exception as err:
            beside = is_beside(err)
            text = f"not defined beside its point: {last_line()}" if beside else last_line()
            return Verdict(seed, "inconclusive" if beside else "crash", text)
        finally:
            del sys.modules[name]
    return Verdict(seed, result.outcome, "" if result.outcome == "right" else str(result))


def check_all(source, folder, seed=0):
    """The verdict by differences; if that is no fault, the one by all forms."""
    verdict = check(source, folder, seed)
    if verdict.outcome in (*FAULTS, "endless"):
        return verdict
    forms = check_forms(source, folder, seed)
    return forms if forms.outcome in FAULTS else verdict


def is_beside(err):
    """Was it raised by the plain program, at a point where a difference is taken?"""
    frames = traceback.extract_tb(err.__traceback__)
    return any(
        frame.name == "evaluate" and frame.filename.endswith("finite_differences.py")
        for frame in frames
    )


def last_line():
    """The message of the error being handled, then the end of its traceback."""
    kind, err, trace = sys.exc_info()
    frames = traceback.extract_tb(trace)[-6:]
    return "".join([f"{kind.__name__}: {err}\n", *traceback.format_list(frames)])


def refusal(seed, err):
    """A refusal must say where, what, why, what instead; where is a line of the program."""
    parts = [str(getattr(err, part, "") or "") for part in ("where", "what", "why", "instead")]
    complete = all(parts) and str(err) == ": ".join(parts)
    if not complete:
        return Verdict(seed, "bad refusal", f"{type(err).__name__}: {err}")
    return Verdict(seed, "refused", f"{type(err).__name__}: {': '.join(parts[1:])}")


def first_that_runs(write, judge, seed, folder):
    """The text and the verdict of the first draft that neither fails nor runs on by itself."""
    for draft in range(seed, seed + DRAFTS * APART, APART):
        source = write(draft)
        verdict = judge(source, folder, draft)
        if verdict.outcome not in ("broken", "endless"):
            break
    return source, verdict


def run(seeds, folder, report=None):
    """Verdicts on the programs of these seeds."""
    for seed in seeds:
        source = program(seed)
        verdict = check(source, folder, seed)
        if report:
            report(verdict, source)
        yield verdict


def print_fault(verdict, source, folder, minimise=True):
    """Print a faulty program, as short as it can be made cheaply."""
    if minimise and verdict.outcome != "broken":
        source = minimised(source, same_as(verdict, folder))
        judge = check_forms if verdict.outcome == "forms differ" else check
        verdict = judge(source, folder, verdict.seed)
    print(
        f"---- seed {verdict.seed}: {verdict.outcome}\n{body(source)}\n{verdict.text}\n", flush=True
    )


def same_as(verdict, folder):
    """Whether a text has the fault of a verdict."""
    if verdict.outcome == "forms differ":
        return same_fault(verdict, verdict.seed, folder)
    wanted = (verdict.outcome, kind_of(verdict))

    def same(text):
        found = check(text, folder, verdict.seed)
        return (found.outcome, kind_of(found)) == wanted

    return same


def kind_of(verdict):
    """What must stay the same while a program is made shorter."""
    if verdict.outcome == "crash":
        return verdict.reason
    return [word for word in ("the arguments", "the result", "back ") if word in verdict.text]


def body(source):
    """A program without its fixed head."""
    if "class Box:\n    def __init__" in source:
        at = source.find("\n\n\n", source.find("class Box"))
        return source[at:].strip("\n") if at > 0 else source
    lines = [line for line in source.splitlines() if not line.startswith(("import ", '"""'))]
    return "\n".join(lines).strip("\n")


def summary(verdicts):
    """Lines with the number of each outcome, and of each reason to refuse."""
    counts = collections.Counter(v.outcome for v in verdicts)
    lines = [", ".join(f"{n} {outcome}" for outcome, n in counts.most_common())]
    for outcome in ("refused", "crash", "inconclusive", "nothing checked"):
        reasons = collections.Counter(v.reason for v in verdicts if v.outcome == outcome)
        examples = {v.reason: v.seed for v in verdicts if v.outcome == outcome}
        lines += [
            f"  {outcome} {n:4d}  {r}  (seed {examples[r]})" for r, n in reasons.most_common(25)
        ]
    return "\n".join(lines)


def with_merged(write):
    """The writer of the same programs with one name for two."""
    return lambda seed: merged(write(seed), seed)


def main(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.runner", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--show", type=int, metavar="SEED", help="print one program and its verdict"
    )
    parser.add_argument("--whole", action="store_true", help="print faulty programs as they are")
    parser.add_argument(
        "--stop",
        type=int,
        default=10,
        help="after so many faults; of equal crashes the first is printed",
    )
    parser.add_argument("--forms", action="store_true", help="compare all forms of each program")
    parser.add_argument(
        "--attempts", action="store_true", help="with exceptions, contexts and generators"
    )
    parser.add_argument(
        "--everything", action="store_true", help="these, and classes, closures, aliases by calls"
    )
    parser.add_argument(
        "--idioms",
        action="store_true",
        help="idioms put together and mutated; drawn until one runs",
    )
    parser.add_argument(
        "--merged",
        action="store_true",
        help="with one name for two variables; drawn until one runs",
    )
    options = parser.parse_args(arguments)
    write, judge = (text_of, check_all) if options.forms else (program, check)
    write = program_with_attempts if options.attempts else write
    write = program_with_everything if options.everything else write
    write = program_of_idioms if options.idioms else write
    write = with_merged(write) if options.merged else write
    verdicts, faults, seen = [], [], set()
    with tempfile.TemporaryDirectory() as folder:
        settings.cache_directory = folder
        if options.show is not None:
            source = write(options.show)
            print(source, judge(source, folder, options.show), sep="\n")
            return 0
        for seed in range(options.seed, options.seed + options.count):
            if options.merged or options.idioms:
                source, verdict = first_that_runs(write, judge, seed, folder)
            else:
                source = write(seed)
                verdict = judge(source, folder, seed)
            verdicts.append(verdict)
            if verdict.outcome in FAULTS:
                faults.append(seed)
                if verdict.outcome == "wrong" or verdict.reason not in seen:
                    print_fault(verdict, source, folder, not options.whole)
                seen.add(verdict.reason)
                if len(faults) >= options.stop:
                    break
    print(summary(verdicts))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
