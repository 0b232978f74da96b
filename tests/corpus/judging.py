"""What becomes of a call when it is differentiated: value, side effects, gradient, time.

An outcome is ``right``, ``refused`` (by an error of astad's in four parts), ``wrong``, ``crashed``
(any other error that the plain run does not raise), ``inconclusive``, ``nothing to check`` (no
number in the result, or every derivative is zero), ``special point`` (right beside it) or
``skipped`` (the plain run is too slow). A fork's own ends, ``crashed`` for death and ``timeout``,
are told by the runner.
"""

import contextlib
import functools
import inspect
import io
import logging
import re
import time
import traceback
import warnings
from dataclasses import dataclass

import numpy as np

from astad import checked, pullback
from astad.api.gradients.gradients import gradient
from astad.errors import AstadError, WrongCotangent
from astad.testing.agreement import differences, disagreements
from astad.testing.check import ATOL, NARROW_RTOL, RTOL, Point, is_integer, names_of, narrow
from astad.testing.conduct import Run, run
from astad.testing.copies import copy_of, moved
from astad.testing.leaves import entries_of, is_array, is_number, leaves_of, same
from astad.testing.leaves import name_of as name_of_leaf
from astad.testing.randomness import with_same_randomness
from astad.testing.report import CheckResult
from astad.testing.seeds import ResultChanged, random_cotangent

from ..compiler.forms import only_generic
from .calls import size

SLOW = 1.5
"""Seconds: a plain run that takes longer is left out."""
BUDGET = 4.0
"""Seconds for differences of every entry; where it does not do, directions are drawn."""
LAST_DIGITS = (-(2**-51), -(2**-52), 2**-52, 2**-51)
"""Parts of a number by which it is changed in its last digits, and how often that is done."""
DRAWN = 16
TINY = 1e-150
"""Derivatives below it, the square root of what underflows, are not compared."""


@dataclass
class Outcome:
    """What became of a call; ``ratio``: the gradient's time over that of the plain call."""

    outcome: str
    reason: str = ""
    text: str = ""
    ratio: float | None = None


@dataclass
class Plain:
    """A plain run: result or exception, what it leaves of its arguments, prints, and takes."""

    value: object
    error: BaseException | None
    args: list
    output: str
    seconds: float


def judge(call):
    """The outcome of one call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            return judged(call)


def judged(call):
    function, args, kwargs = positional(call)
    plain, again = (observed(function, args, kwargs) for _ in range(2))
    if plain.seconds > SLOW:
        return Outcome("skipped", "the plain run is slow")
    if plain.error is not None or again.error is not None:
        if not same_message(plain.error, again.error):
            return Outcome("inconclusive", "the plain run is not deterministic")
        return raising(function, args, kwargs, plain)
    if not same([plain.value, plain.args], [again.value, again.args]):
        return Outcome("inconclusive", "the plain run is not deterministic")
    if not size(plain.value):
        return Outcome("nothing to check", "no float in the result")
    try:
        return compared(function, args, kwargs, plain)
    except AstadError as error:
        return refusal(error)
    except RecursionError as error:
        return Outcome("inconclusive", "a result that contains itself", last_frames(error))
    except Exception as error:
        return beside(error) or Outcome("crashed", crash_reason(error), last_frames(error))


def positional(call):
    """The function, and its arguments with as many positional ones as can be."""
    function, args, kwargs = call.function, list(call.args), dict(call.kwargs)
    with contextlib.suppress(TypeError, ValueError):
        bound = inspect.signature(function).bind(*args, **kwargs)
        args, kwargs = list(bound.args), dict(bound.kwargs)
    return function, args, kwargs


def observed(function, args, kwargs):
    """A run on copies of the arguments."""
    mine, keywords = copy_of([args, kwargs])
    value, error = None, None
    with captured() as text:
        start = time.perf_counter()
        try:
            value = with_same_randomness(function, *mine, **keywords)
        except Exception as raised:
            error = raised
        seconds = time.perf_counter() - start
    return Plain(value, error, [mine, keywords], text.getvalue(), seconds)


@contextlib.contextmanager
def captured():
    """What is printed meanwhile. A handler that the first `logging.warning` makes writes to this
    text for ever: it goes with it.
    """
    text, handlers = io.StringIO(), logging.root.handlers[:]
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            yield text
        finally:
            logging.root.handlers[:] = handlers


def raising(function, args, kwargs, plain):
    """A call that raises: its gradient raises the same."""

    def differentiated(*args, **kwargs):
        return pullback(function, *args, **kwargs)

    mine = observed(differentiated, args, kwargs)
    if type(mine.error) is type(plain.error) and same_message(mine.error, plain.error):
        return Outcome(
            "nothing to check", f"raises {type(plain.error).__name__}, as the plain run does"
        )
    if isinstance(mine.error, AstadError):
        return refusal(mine.error)
    return Outcome(
        "wrong",
        "another exception",
        f"{mine.error!r} for {plain.error!r}\n{last_frames(mine.error)}",
    )


def same_message(mine, plain):
    """Equal texts, addresses left out."""
    texts = [re.sub(r"0x[0-9a-f]+", "", str(error)) for error in (mine, plain)]
    return texts[0] == texts[1]


def compared(function, args, kwargs, plain):
    """A call that gives numbers: promises, differences, the other forms."""
    result, special, rounding = CheckResult(name_of(function), ""), "", False
    claimed = functools.partial(pullback, function)
    with captured():
        made = run(claimed, function, args, kwargs, np.random.default_rng(0))
        result.problems += made.problems
        if len(made.cotangents) == len(args):
            result.problems += more_forms(function, args, kwargs, plain, made)
            result.rows = rows(function, args, kwargs, made, plain, result.problems)
            if not result.problems and result.outcome == "wrong":
                special = why_special(function, args, kwargs, plain, result)
            if result.outcome == "wrong" and not special:
                rounding = is_rounding(function, args, kwargs, made, result)
    mine = observed(lambda *a, **k: pullback(function, *a, **k), args, kwargs)
    if mine.output != plain.output:
        result.problems.append(f"the output is {mine.output!r}, and not {plain.output!r}")
    if result.outcome == "right":
        return Outcome("right", ratio=ratio(function, args, kwargs, plain))
    if rounding:
        return Outcome("inconclusive", "the last digits of the arguments decide", str(result))
    outcome = result.outcome.replace("nothing checked", "nothing to check")
    if outcome == "wrong" and special:
        return Outcome("special point", special, str(result))
    reason = {"nothing to check": "every derivative is zero", "inconclusive": "kink, jump or noise"}
    return Outcome(outcome, reason.get(outcome, wrong_reason(result)), str(result))


def more_forms(function, args, kwargs, plain, made):
    """What the fused form, and the generic pair, do otherwise than the pullback."""
    found = disagreements(function, args, kwargs, first_active(args))
    y = plain.value
    if type(y) is np.ndarray and y.dtype.kind == "f" and y.size:
        weights = np.random.default_rng(1).uniform(0.5, 1.5, y.shape)

        def weighted(*args, **kwargs):
            return (weights * function(*args, **kwargs)).sum()

        found += disagreements(weighted, args, kwargs, first_active(args))
    with only_generic():
        mine, keywords = copy_of([args, kwargs])
        value, back = with_same_randomness(pullback, function, *mine, **keywords)
        if not same(value, plain.value):
            found.append(f"the generic form gives {value!r}, and not {plain.value!r}")
        cotangents = back(made.seed)
    finite = all(np.all(np.isfinite(np.asarray(l.value, complex))) for l in leaves_of(cotangents))
    return found + (differences("generic", cotangents, made.cotangents) if finite else [])


def first_active(args):
    """The first argument that holds a number."""
    return next((i for i, arg in enumerate(args) if leaves_of(arg)), 0)


def rows(function, args, kwargs, made, plain, problems, names=None):
    """The derivatives beside differences: of every entry, or along a few directions; ``names``: of
    these entries alone.
    """
    rtol = NARROW_RTOL if narrow([*args, kwargs, plain.value]) else RTOL
    point = Point(function, args, kwargs, made, names_of(function, args), rtol, ATOL)
    entries = point.entries(range(len(args)), problems)
    # beside an infinite number there is no other to take a difference with
    entries = [pair for pair in entries if np.isfinite(complex(pair[0].value))]
    if names is not None:
        entries = [pair for pair in entries if point.name(pair[0]) in names]
    if len(entries) > 200 or (len(entries) >= 20 and len(entries) * 30 * plain.seconds > BUDGET):
        found = point.sampled_rows(entries, np.random.default_rng(0))
    else:
        few = entries[:3] if len(entries) * 30 * plain.seconds > BUDGET else entries
        found = point.rows([[(entry, 1.0)] for entry, _ in few], few)
    # the square root of what underflows: a slope on the way may be zero for that
    return [row for row in found if not 0 < max(abs(row.value), abs(row.difference)) < TINY]


def why_special(function, args, kwargs, plain, result):
    """Why derivatives may differ from differences at this point; empty where there is no reason.

    They are right beside it where the program branches on ``a == b``; they are no numbers where it
    multiplies an infinite slope by zero, or takes one from another.
    """
    if all(row.value != row.value for row in faults(result.rows)):
        if why := why_nan(function, args, kwargs, plain):
            return why
    call = function, args, kwargs, plain
    leaves = [(i, leaf) for i, arg in enumerate(args) for leaf in leaves_of(arg)]
    entries = [entry for i, leaf in leaves for entry in entries_of(i, leaf)]
    entries = [entry for entry in entries if np.isfinite(complex(entry.value))]
    fractions = [entry for entry in entries if not is_integer(entry)]
    held = of_faults(entries, names_of(function, args), result.rows)
    wrong = {row.name for row in faults(result.rows)}
    return (
        beside_is_right(call, entries)
        or beside_is_right(call, fractions)
        or beside_is_right(call, held, wrong)
    )


def of_faults(entries, names, found):
    """The entries of the leaves in which an entry is wrong: what else they may not be moved with,
    as the equidistant times of a simulation, stays where it is.
    """
    wrong = {row.name for row in faults(found)}  # of an entry that is a leaf, or with its index
    wrong |= {re.sub(r"(\[[\d, ]*\])?(\.real|\.imag)?$", "", name) for name in wrong}
    return [e for e in entries if name_of_leaf(names[e.argument], e.leaf.path) in wrong]


def why_nan(function, args, kwargs, plain):
    """Why derivatives are nan: the first cotangent that is no finite number is an infinity, or a
    warning says that vectors of equal eigenvalues have none.
    """
    mine, keywords = copy_of([args, kwargs])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with checked():
                _, back = with_same_randomness(pullback, function, *mine, **keywords)
                back(random_cotangent(plain.value, np.random.default_rng(0)))
        except WrongCotangent as error:
            if re.search(r" -?inf( at .*)?$", error.what):
                return "nan, of an infinite slope"
    if any("have no derivative" in str(each.message) for each in told):
        return "nan, of vectors of equal eigenvalues"
    return ""


def beside_is_right(call, entries, names=None):
    """The reason, if derivatives are right where these numbers are moved a little; ``names``: of
    those that are asked for.
    """
    function, args, kwargs, plain = call
    rng = np.random.default_rng(2)
    moves = [(e, (abs(complex(e.value)) + 0.1) * rng.uniform(1e-3, 3e-3)) for e in entries]
    try:
        there = moved(args, moves)
        made = differentiated(function, there, kwargs, rng)
        found = rows(function, there, kwargs, made, plain, [], names)
    except Exception:  # outside of the domain
        return ""
    numbers = [row for row in found if row.value == row.value]
    right = any(row.verdict == "right" for row in numbers)
    return "right beside the point" if right and not faults(numbers) else ""


def is_rounding(function, args, kwargs, made, result):
    """Whether every derivative that is wrong changes about as much where the last digits of the
    arguments change: its terms cancel, as in programs that compute with pairs of floats, which have
    32 digits, and derivatives of 16.
    """
    if not all(problem.startswith("back is not linear") for problem in result.problems):
        return False
    names, rng = names_of(function, args), np.random.default_rng(3)
    point = Point(function, args, kwargs, made, names, RTOL, ATOL)
    base = point.entries(range(len(args)), [])
    entries = [entry for entry, _ in base if np.isfinite(complex(entry.value))]
    found = {point.name(entry): [] for entry, _ in base}
    for _ in range(DRAWN):
        there = moved(args, [(e, abs(complex(e.value)) * rng.choice(LAST_DIGITS)) for e in entries])
        try:
            beside = differentiated(function, there, kwargs, rng, made.seed)
        except Exception:  # outside of the domain
            return False
        other = Point(function, there, kwargs, beside, names, RTOL, ATOL)
        for entry, value in other.entries(range(len(args)), []):
            found.get(other.name(entry), []).append(value or 0.0)
    wrong = faults(result.rows)
    return bool(wrong) and all(is_explained(row, found.get(row.name)) for row in wrong)


def is_explained(row, values):
    """Whether a derivative is as wrong as its values there differ."""
    return bool(values) and abs(row.value - row.difference) <= 3 * (max(values) - min(values))


def differentiated(function, args, kwargs, rng, seed=None):
    """Result and cotangents, with a random seed where none is given.

    No plain run at this point has filled a cache before.
    """
    mine, keywords = copy_of([args, kwargs])
    result, back = with_same_randomness(pullback, function, *mine, **keywords)
    seed = random_cotangent(result, rng) if seed is None else seed
    return Run(result, seed, back, back(seed), [])


def faults(found):
    """The rows that are wrong."""
    return [row for row in found if row.verdict == "wrong"]


def ratio(function, args, kwargs, plain):
    """The gradient's time over that of the plain call; None where the call writes arguments."""
    mine, keywords = copy_of([args, kwargs])
    if not same([mine, keywords], plain.args):
        return None
    y = plain.value
    if is_number(y) and not is_array(y) and not np.iscomplexobj(y):
        taken = lambda: gradient(function, *mine, **keywords)
    else:
        seed = random_cotangent(y, np.random.default_rng(0))
        taken = lambda: pullback(function, *mine, **keywords)[1](seed)
    try:
        return best_of(taken) / best_of(lambda: function(*mine, **keywords))
    except Exception:  # a function that can be called so often only
        return None


FIRST = 4
"""Calls before one is timed: the second one may be recorded, which is tried twice."""
LEAST = 3
"""Calls that are timed, unless they take seconds: in one alone something else may be compiled."""


def best_of(function):
    """Seconds for one call: the least of some, after those that may have to compile or record."""
    for _ in range(FIRST):
        function()
    best, spent = float("inf"), 0.0
    for count in range(1, 11):
        start = time.perf_counter()
        function()
        taken = time.perf_counter() - start
        best, spent = min(best, taken), spent + taken
        if spent > (0.02 if count >= LEAST else 1.0):
            break
    return best


def name_of(function):
    return getattr(function, "__qualname__", type(function).__qualname__)


def refusal(error):
    """A refusal has four parts; one that lacks any is a crash."""
    parts = [str(getattr(error, part, "") or "") for part in ("where", "what", "why", "instead")]
    if not all(parts):
        return Outcome("crashed", "a refusal without its four parts", str(error))
    return Outcome("refused", f"{parts[1]}: {parts[2]}", str(error) + "\n" + last_frames(error))


def beside(error):
    """A point near the call's own at which the plain program has no value, or None."""
    if isinstance(error, ResultChanged):
        return Outcome("inconclusive", "the result changes its structure nearby")
    frames = traceback.extract_tb(error.__traceback__)
    if any(f.name == "evaluate" and f.filename.endswith("finite_differences.py") for f in frames):
        return Outcome("inconclusive", "not defined nearby", repr(error))
    return None


def crash_reason(error):
    """The kind of an error, its text without numbers, and the place in astad where it arose."""
    text = re.sub(r"\d+", "#", str(error).splitlines()[0] if str(error) else "")
    return f"{type(error).__name__}: {text}"[:160]


def wrong_reason(result):
    """The first line that says what is wrong, without its numbers."""
    if result.problems:
        return re.sub(r"[-+]?\d[\d.e+-]*", "#", result.problems[0])[:120]
    return "gradient: " + "; ".join(result.hints)[:100]


def last_frames(error):
    """The end of the traceback."""
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return "".join([f"{type(error).__name__}: {error}\n"[:600], *traceback.format_list(frames)])
