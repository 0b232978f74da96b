"""Fused variants made of what one run did, where the text of a program alone gives none.

The second gradient that the pair has to give for a function is followed by a recorded run of it
(`astad/recording`). What it leaves is differentiated as any function, and taken as a variant only
if it gives what the pair has given. At most `MOST` runs of a function are recorded, each for one
way through it; where none fits, the pair answers as before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from time import perf_counter
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad import settings
from astad.api.variants.arguments import contents_of
from astad.api.variants.finishing import finished
from astad.api.variants.kinds_of_values import kinds_of
from astad.api.variants.loading import InnerFunction, fill_compiler
from astad.api.variants.whole import whole
from astad.api.variants.wiring import fused_for
from astad.code_objects import STARRED, parameters_of
from astad.errors import AstadError, Unsupported, WrongCall
from astad.runtime.core.variants import Fused, Variants, bound_arguments, variants_of
from astad.tangents.objects import Tangent
from astad.threads import importing, with_room, without_collection

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = [
    "Answer",
    "Recorded",
    "flat_of",
    "is_same_way",
    "key_of",
    "note",
    "note_of_pair",
    "record",
    "recorded_text",
    "same",
    "why_not",
]

MOST = 4
"""Ways through one function that are recorded."""
FIRST = 2
"""Gradients by the pair before the first recording; each further one takes twice as many."""
GAIN = 0.7
"""Of a text that is not fused: its time over that of the pair, at most."""
STRICT = False
"""Whether an error of a recording itself is raised: in astad's own tests."""
TRIES = 2
"""Runs that could not be recorded before no more are tried."""


class Recorded:
    """What is known of the recordings of one function: derivatives by the pair since the last one,
    how many were made and how many failed, and why the last one did; no more are made of one that
    ``is_closed``. ``tried``: which text could have been of use for what, by its place and a key;
    ``vain``: how often what was recorded was of no use, by what it should have been for.
    """

    __slots__ = ("calls", "failed", "is_closed", "made", "texts", "tried", "vain", "why")

    def __init__(self) -> None:
        self.tried: set[Any] = set()
        self.vain: dict[str, int] = {}
        self.is_closed = False
        self.calls = 0
        self.made = 0
        self.failed = 0
        self.why = ""
        self.texts: list[Straight] = []


def recorded_text(f: Callable[..., Any], /, *args: Any) -> str:
    """What is recorded of a run of ``f`` at these arguments, where its text alone gives no fused
    form: three functions, the tests of what the run has read from outside, the straight text of
    what it has done with numbers, and the gradient of that.

    Raises
    ------
    Unsupported : where such a run cannot be recorded, with the reason.
    Whatever ``f`` raises.

    Examples
    --------
    >>> import astad
    >>> prices = {"tea": 2.0, "cake": 3.5}
    >>> def bill(order, tip):
    ...     total = 0.0
    ...     for word in order.split():
    ...         total = total + prices[word] * tip
    ...     return total
    >>> tests, text, gradient = astad.recorded_text(bill, "tea cake", 1.1).split("\\n\\n\\n")
    >>> print(text)
    def bill_recorded(tip, tea_1, cake_4):
        # ...
        t_2 = tea_1 * tip
        t_3 = 0.0 + t_2
        t_5 = cake_4 * tip
        t_6 = t_3 + t_5
        return t_6
    """
    method: Any = f
    if type(f) is MethodType:
        method, args = method.__func__, (method.__self__, *args)
    if type(method) is not FunctionType:
        raise WrongCall(
            type(f).__name__, "astad.recorded_text of what is no Python function",
            why="what is recorded is a run of a function",
            instead="call it with the function or method that runs",
        )  # fmt: skip
    fn: FunctionType = method
    flat = flat_of(fn, args, {})
    if flat is None:
        raise Unsupported(
            fn.__qualname__, "a recorded run of it",
            why="it has captured what is not there yet, or has *args and keywords of its own",
            instead="record a function that calls it",
        )  # fmt: skip
    numbers = [at for at, kind in enumerate(kinds_of(flat, (), open_=True)) if kind in _MOVING]
    straight = with_room(lambda: record(fn, flat, tuple(numbers), ()))
    if isinstance(straight, str):
        raise Unsupported(
            fn.__qualname__, "a recorded run of it", why=straight,
            instead="astad.explain tells what is left to the run time, and what would help",
        )  # fmt: skip
    given, wanted = straight.given(flat), tuple(range(len(numbers)))
    assert given is not None  # nothing has run in between
    fused = fused_for(straight.function, variants_of(straight.function), given, wanted)
    gradient = fused.text.source if fused is not None else ""
    parts = [straight.text_of_head, straight.text, gradient]
    return "\n\n".join(part for part in parts if part)


_MOVING = ("float", "ndarray0", "ndarray1", "ndarray2", "ndarray3")


def why_not(f: FunctionType) -> str:
    """Why the last run of a function could not be recorded; "" where one was, or none was tried."""
    found = variants_of(f).recorded
    return "" if found is None else found.why


class Answer(NamedTuple):
    """What the pair has given: ``out`` is value and gradients, behind the arguments stands what
    ``f`` has captured.
    """

    f: FunctionType
    args: tuple[Any, ...]
    wanted: tuple[int, ...]
    out: tuple[Any, tuple[Any, ...]]


OF_OTHERS = "a derivative by what is no float, as an int"


def _moving_in(x: Any, bar: Any) -> Iterator[type]:
    """The types of the numbers in ``x`` to which a derivative comes, by its gradient, be it zero at
    this point; ``object`` where it is not seen what lies there.
    """
    if bar is None:
        return
    if type(x) in (list, tuple) and isinstance(bar, (list, tuple)) and len(x) == len(bar):
        for part, of in zip(x, bar, strict=True):
            yield from _moving_in(part, of)
    elif type(x) is dict and type(bar) is dict:
        for key, of in bar.items():
            yield from _moving_in(x.get(key, _UNSEEN), of)
    elif type(bar) is Tangent:
        for name in bar:
            held = vars(x).get(name, _UNSEEN) if hasattr(x, "__dict__") else _UNSEEN
            yield from _moving_in(held, bar[name])
    elif isinstance(x, np.ndarray):
        yield float if x.dtype.kind in "fc" else np.ndarray
    else:
        yield type(x)


_UNSEEN = object()
_FOLLOWED = frozenset({float, complex, np.float64, np.complex128, np.float32})


def _recorded_of(
    f: FunctionType, args: tuple[Any, ...], wanted: tuple[int, ...], bars: Sequence[Any]
) -> Any:
    """The straight text of a run; ints in containers are followed where a derivative comes to one,
    other numbers that are no floats cannot be.
    """
    moved = {at for at, bar in zip(wanted, bars, strict=True) if bar is not None}
    found = {
        kind for at, bar in zip(wanted, bars, strict=True) for kind in _moving_in(args[at], bar)
    }
    if not found <= _FOLLOWED | {int}:
        return OF_OTHERS
    return record(f, args, wanted, moved, wholes=int in found)


def key_of(f: FunctionType, wanted: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Under which the variants for these positions are kept: one that was recorded of a function
    of ``*args`` is for so many arguments.
    """
    return (*wanted, -count) if f.__code__.co_flags & STARRED else wanted


def flat_of(
    f: FunctionType, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """What a recorded run of this call is given: the arguments in the order of the parameters, and
    behind them what ``f`` has captured; None where that is not there yet, or where ``*args`` or
    ``**keywords`` take what is given by keyword.
    """
    code = f.__code__
    if code.co_flags & STARRED:
        if code.co_kwonlyargcount or keywords:
            return None
        if len(args) < code.co_argcount:
            args = bound_arguments(f, args, {})[: code.co_argcount]
    else:
        args = bound_arguments(f, args, keywords)
    captured = contents_of(f.__closure__) if f.__closure__ else ()
    return None if captured is None else (*args, *captured)


def _names_of(f: FunctionType, count: int) -> list[str]:
    """Names for what `flat_of` gives, so many."""
    code = f.__code__
    names = [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *code.co_freevars]
    stem = str(parameters_of(code).rest)
    while any(name.startswith(stem) for name in names):
        stem += "_"
    more = [f"{stem}{at}" for at in range(count - len(names))]
    first = len(names) - len(code.co_freevars)
    return [*names[:first], *more, *names[first:]]


def _run_pair(f: FunctionType, args: tuple[Any, ...]) -> Any:
    """The pullback for what `flat_of` gives."""
    code = f.__code__
    first, last = code.co_argcount, len(args) - len(code.co_freevars)
    if not code.co_kwonlyargcount:
        return whole.run(f, args[:last], {}, self_too=False)
    keywords = dict(zip(parameters_of(code).only, args[first:last], strict=True))
    return whole.run(f, args[:first], keywords, self_too=False)


def note_of_pair(answer: Answer, variants: Variants) -> None:
    """The pair had to answer: what it did may be recorded."""

    def use(straight: Straight) -> str:
        made = _made(straight, answer)
        if isinstance(made, str):
            return made
        variants.fused.setdefault(key_of(f, answer.wanted, len(args)), []).append(made)
        variants.missed = ()
        return ""

    f, args, wanted, (_, bars) = answer
    note(
        variants, ("gradient", wanted), use, args,
        lambda: _recorded_of(f, args, wanted, bars),
        lambda straight: (
            straight.wanted == wanted
            and not straight.inside
            and len(straight.pieces.names) == len(args)
        ),
    )  # fmt: skip


def note(
    variants: Variants,
    key: Any,
    use: Callable[[Straight], str],
    args: tuple[Any, ...],
    make: Callable[[], Any],
    fits: Callable[[Straight], bool],
    *,
    first: int = FIRST,
) -> None:
    """Something slow had to answer: a text that is recorded may serve for it, else one is made once
    it has been slow often enough, at the ``first`` time. ``use`` tells why a text does not serve.
    """
    about: Recorded | None = variants.recorded
    if about is None:
        about = variants.recorded = Recorded()
    about.calls += 1
    known = [at for at in range(len(about.texts)) if (at, key) not in about.tried]
    due = not about.is_closed and about.calls >= first << about.made
    due = due and about.vain.get(key[0], 0) < TRIES
    if not (due or known) or settings.checks or settings.only_generic or settings.verify:
        return
    if not variants.lock.acquire(blocking=False):
        return  # another thread is at it
    try:
        if any(_serves(about, at, key, use, args, fits) for at in known):
            about.calls = 0
        elif due:
            about.calls = 0
            about.why = _tried(lambda: _recorded(make, use, about, key))
            about.is_closed = len(about.texts) >= MOST or about.failed >= TRIES
    finally:
        variants.lock.release()


def _serves(
    about: Recorded,
    at: int,
    key: Any,
    use: Callable[[Straight], str],
    args: tuple[Any, ...],
    fits: Callable[[Straight], bool],
) -> bool:
    """Is a text of use that is there already? It is tried once, where its tests hold."""
    straight = about.texts[at]
    if fits(straight) and not is_same_way(straight, args):
        return False
    about.tried.add((at, key))
    return fits(straight) and not _tried(lambda: use(straight))


def is_same_way(straight: Straight, args: tuple[Any, ...]) -> bool:
    """Do the tests hold, before the text and in it?"""
    given = straight.given(args)
    try:
        return given is not None and bool(straight.function(*given) is not None)
    except Exception:  # it is `Left`, or raises what the function would
        return False


def _recorded(
    make: Callable[[], Any], use: Callable[[Straight], str], about: Recorded, key: Any
) -> str:
    """A text that does not serve for this may serve for something else."""
    about.failed += 1
    straight = with_room(lambda: without_collection(make))
    if isinstance(straight, str):
        return straight
    why = use(straight)
    about.failed -= 1
    about.tried.add((len(about.texts), key))
    about.texts.append(straight)
    if why:
        about.vain[key[0]] = about.vain.get(key[0], 0) + 1
    else:
        about.made += 1
    return why


def _tried(run: Callable[[], str]) -> str:
    """The derivative is there already, whatever a recording runs into."""
    try:
        return run()
    except Exception as error:
        if STRICT:
            raise
        return f"the recording ended in {error!r}"


def _made(straight: Straight, answer: Answer) -> Fused | str:
    """A variant, or why there is none."""
    f, args, wanted, (_, bars) = answer
    moved = {at for at, bar in zip(wanted, bars, strict=True) if bar is not None}
    given = straight.given(args)
    if given is None:
        return "what was read from outside is not the same a moment later"
    inner = variants_of(straight.function)
    try:
        fused = fused_for(straight.function, inner, given, tuple(range(len(wanted))))
    except AstadError as error:
        return str(error)
    if fused is None and "unknown" in kinds_of(given, (), open_=True):
        return "what was recorded has no fused form, and is given what has no kind"
    run = fused.run if fused is not None else _by_pair(straight.function, given, len(wanted))
    straight.set_run(run)
    reaches = tuple([at not in wanted or at in moved for at in range(len(args))])
    kinds = kinds_of(args, (), open_=True, code=f.__code__)
    text = fused.text if fused is not None else None
    made = Fused(straight.head, reaches, text, kinds, tentative=True)
    if why := _difference(made, answer):
        return why
    if fused is None and not straight.acts and not _is_faster(made.run, answer):
        return "what was recorded has no fused form, and its pair is no faster"
    straight.set_run(run, acts=True)
    return made


def _difference(made: Fused, answer: Answer) -> str:
    """What speaks against a variant that shall give what the pair has given; "" for nothing."""
    _, args, wanted, out = answer
    try:
        found = made.run(*args)
    except Exception as error:
        return f"what was recorded raises {error!r}"
    if found is NotImplemented:
        return "what was recorded does not fit its own arguments"
    bars = finished(found[1], [args[at] for at in wanted], [made.reaches[at] for at in wanted])
    if type(found[0]) is not type(out[0]) or not same((found[0], bars), out):
        return "what was recorded gives something else than the pair"
    made.plain = all(map(_is_ready, found[1], bars))
    return ""


def _is_ready(bar: Any, finished: Any) -> bool:
    """Numbers, or containers of them made in each run, which finishing leaves as they are: so they
    are in every run, for a straight text has no ways of its own.
    """
    if type(bar) is not type(finished):
        return False
    if type(bar) in (list, tuple):
        return len(bar) == len(finished) and all(map(_is_ready, bar, finished))
    if type(bar) is dict:
        return list(bar) == list(finished) and all(map(_is_ready, bar.values(), finished.values()))
    return bar is None or (type(bar) is float and (bar == finished or bar != bar))


def _by_pair(fn: FunctionType, first: tuple[Any, ...], count: int) -> Callable[..., Any]:
    """A straight text that is not all written out has fewer calls left to the run time; it is for
    arguments of the same kinds as the ``first``.
    """
    wanted, kinds, types = tuple(range(count)), kinds_of(first, (), open_=True), [*map(type, first)]

    def run(*given: Any) -> Any:
        if [*map(type, given)] != types or kinds_of(given, (), open_=True) != kinds:
            return NotImplemented
        y, back = whole.run(fn, given, {}, self_too=False)
        return y, whole.of_scalar(fn, back, given, wanted)

    return run


def _is_faster(run: Callable[..., Any], answer: Answer) -> bool:
    """In three turns each, the least time."""
    f, args, wanted, _ = answer

    def by_pair() -> None:
        y, back = _run_pair(f, args)
        whole.of_scalar(f, back, args, wanted)

    times = {each: min(_time_of(each) for _ in range(3)) for each in (by_pair, lambda: run(*args))}
    own, other = times.values()
    return other < GAIN * own


def _time_of(run: Callable[[], Any]) -> float:
    started = perf_counter()
    run()
    return perf_counter() - started


def record(
    f: FunctionType,
    args: tuple[Any, ...],
    wanted: tuple[int, ...],
    moved: Collection[int],
    *,
    by_leaves: bool = False,
    wholes: bool = False,
) -> Any:
    """The straight text of one run, or the reason why there is none, as a text. ``moved`` are the
    positions of arguments with a derivative; ``by_leaves``: it is given the numbers in them;
    ``wholes``: ints in them have a derivative, too.
    """
    importing(fill_compiler)
    from astad.compiler.lower.function import lower_function
    from astad.recording.interpreter import Interpreter
    from astad.recording.recording import Recording, Unrecordable
    from astad.recording.straight import argument_names, straight_of

    programs: dict[CodeType, Any] = {}

    def lower(fn: FunctionType) -> Any:
        if fn.__code__ not in programs:
            programs[fn.__code__] = lower_function(fn)
        return programs[fn.__code__]

    code, recording = f.__code__, Recording()
    run = Interpreter(recording, lower, _inner, by_leaves=by_leaves, wholes=wholes)
    inside = [at for at in wanted if by_leaves and type(args[at]) not in _DIRECT]
    names = argument_names(_names_of(f, len(args)))
    last = len(args) - len(code.co_freevars)
    try:
        if by_leaves and any(type(args[at]) is int for at in moved):
            recording.refuse("an int that is differentiated")
        with np.errstate():
            given = [
                run.outside.argument(name, arg, wanted=at in wanted)
                for at, (name, arg) in enumerate(zip(names, args, strict=True))
            ]
            for at in [at for at in moved if type(args[at]) is int]:
                given[at] = recording.whole(args[at], names[at])
            y = run.start(f, given[:last], given[last:])
        if not recording.is_followed(y) or type(y) not in (float, np.float64):
            recording.refuse("a result that is no number which depends on the arguments")
        return straight_of(recording, code.co_name, names, wanted, y, inside)
    except (Unrecordable, AstadError) as error:
        return str(error)
    except RecursionError:
        return "calls are nested too deeply"
    except Exception as error:
        if settings.debug:
            raise
        return f"the run ended in {error!r}"


_DIRECT = (float, np.float64, np.ndarray)
"""Types of arguments which a text is given as they are."""


def _inner(fn: FunctionType, what: tuple[str, int, int]) -> InnerFunction:
    return InnerFunction(fn, " ".join(map(str, what)))


def same(a: Any, b: Any) -> bool:
    """Equal but for rounding, in structure too."""
    if type(a) is not type(b) and not (_is_number(a) and _is_number(b)):
        return False
    if _is_number(a):
        if a == b or (a != a and b != b):
            return True
        return bool(abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300) or abs(a - b) < 1e-13)
    if isinstance(a, np.ndarray):
        if a.shape != b.shape:
            return False
        sizes = np.abs(b)[np.isfinite(b)]
        scale = float(np.max(sizes, initial=0.0))
        return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12 * max(scale, 1e-3), equal_nan=True))
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if a is None or isinstance(a, (str, bool)):
        return bool(a == b)
    return same(_attributes(a), _attributes(b))


def _is_number(v: Any) -> bool:
    return isinstance(v, (int, float, complex, np.generic)) and not isinstance(v, bool)


def _attributes(v: Any) -> dict[str, Any]:
    return dict(vars(v)) if hasattr(v, "__dict__") else {n: getattr(v, n) for n in v.__slots__}
