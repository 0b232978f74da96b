"""Fused variants made of what one run did, where the text of a program alone gives none.

The second gradient that the pair has to give for a function is followed by a recorded run of it
(`astad/recording`). What it leaves is differentiated as any function, and taken as a variant only
if it gives what the pair has given. At most `MOST` runs of a function are recorded, each for one
way through it; where none fits, the pair answers as before.

A long text is dear to compile. When it is tells `worthwhile.py`.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from time import perf_counter
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad import settings
from astad.api.gradients.worthwhile import FREE, Dear, Worth
from astad.api.variants.arguments import contents_of
from astad.api.variants.finishing import finished
from astad.api.variants.kinds_of_values import kinds_of
from astad.api.variants.loading import InnerFunction, fill_compiler
from astad.api.variants.whole import whole
from astad.api.variants.wiring import fused_for, is_stored
from astad.code_objects import STARRED, parameters_of
from astad.errors import AstadError, Unsupported, WrongCall
from astad.recording.bounds import LONG, SHORT, VIEWED, Bounds
from astad.rules.kept import taken
from astad.runtime.core.variants import Fused, Variants, bound_arguments, variants_of
from astad.tangents.objects import Tangent
from astad.tangents.unasked import attributes_as_they_lie
from astad.tangents.zero import MADE_BY_CLASS, seed_of
from astad.threads import importing, with_room, without_collection

if TYPE_CHECKING:
    from astad.recording.interpreter import Interpreter
    from astad.recording.straight import Straight

__all__ = [
    "Answer",
    "Noted",
    "Recorded",
    "exact_kinds",
    "flat_of",
    "is_same_way",
    "key_of",
    "loses",
    "note",
    "note_of_pair",
    "otherwise_written",
    "record",
    "recorded_text",
    "same",
    "time_of",
    "why_not",
]

MOST = 8
"""Ways through one function that are recorded."""
FIRST = 2
"""Gradients by the pair before the first recording; each further one takes twice as many."""
GAIN = 0.7
"""Of a text that is not fused: its time over that of the pair, at most."""
STRICT = False
"""Whether an error of a recording itself is raised: in astad's own tests."""
OF_OTHERS = "a derivative by what is no float, as an int"
OF_NO_KIND = "what was recorded has no fused form, and is given what has no kind"
OF_PARTS = "what was recorded has no fused form, and is given containers"
OF_VIEWS = "what was recorded writes into views"
DIFFERENT = "what was recorded gives something else than the pair"
TRIES = 2
"""Runs that could not be recorded before no more are tried."""


class Recorded:
    """What is known of the recordings of one function: derivatives by the pair since the last one,
    how many were made and how many failed, and why the last one did; no more are made of one that
    ``is_closed``. ``tried``: which text could have been of use for what, by its place and a key;
    ``vain``: how often what was recorded was of no use, by what it should have been for; ``worth``:
    what speaks for texts that are not compiled yet, as ``tried``; ``is_long``: a run has been
    longer than is recorded at first; ``pullbacks``: the texts that give value and pullback, by
    the arguments with a derivative.
    """

    __slots__ = (
        "calls", "failed", "is_closed", "is_long", "made", "pullbacks", "texts", "tried", "vain",
        "why", "worth",
    )  # fmt: skip

    def __init__(self) -> None:
        self.tried: set[Any] = set()
        self.worth = Worth()
        self.pullbacks: dict[tuple[int, ...], list[Callable[..., Any]]] = {}
        self.is_long = False
        self.vain: dict[str, int] = {}
        self.is_closed = False
        self.calls = 0
        self.made = 0
        self.failed = 0
        self.why = ""
        self.texts: list[Straight] = []

    def is_done(self) -> bool:
        """Is there nothing more to note?"""
        return self.is_closed and not self.worth.paid

    def bounds(self) -> Bounds:
        return LONG if self.is_long else SHORT


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
    straight = with_room(lambda: record(fn, flat, tuple(numbers), (), bounds=LONG))
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


def _moving_in(x: Any, bar: Any) -> Iterator[tuple[Any, Any]]:
    """The numbers and arrays in ``x`` to which a derivative comes, each with it, be it zero at this
    point; an object of no kind where it is not seen what lies there.
    """
    left, met = [(x, bar)], {id(None)}
    while left:
        part, of = left.pop()
        if id(of) in met:  # nothing comes, or the objects hold each other
            continue
        inner = _inside(part, of)
        if inner is None:
            yield part, of
        else:
            met.add(id(of))
            left += inner


def _inside(x: Any, bar: Any) -> list[tuple[Any, Any]] | None:
    """What a container holds, each with its gradient; None for what is none."""
    if isinstance(x, (list, tuple)) and isinstance(bar, (list, tuple)) and len(x) == len(bar):
        return [*zip(x, bar, strict=True)]
    if type(x) is dict and type(bar) is dict:
        return [(x.get(key, _UNSEEN), of) for key, of in bar.items()]
    if type(bar) is Tangent:
        held = _attributes(x)
        return [(held.get(name, _UNSEEN), bar[name]) for name in bar]
    return None


def _kind_of(x: Any) -> type:
    """That of its entries, of an array of numbers that are no floats `np.ndarray`."""
    if isinstance(x, np.ndarray):
        return float if x.dtype.kind in "fc" else np.ndarray
    return type(x)


_UNSEEN = object()
_FOLLOWED = frozenset({float, complex, np.float64, np.complex128, np.float32})


def _recorded_of(
    f: FunctionType,
    args: tuple[Any, ...],
    wanted: tuple[int, ...],
    bars: Sequence[Any],
    bounds: Bounds,
) -> Any:
    """The straight text of a run; ints in containers are followed where a derivative comes to one,
    other numbers that are no floats cannot be.
    """
    from astad.recording.outside import is_lost  # late: with the rest of what records

    gradients = dict(zip(wanted, bars, strict=True))
    moved = {at for at, bar in gradients.items() if bar is not None}
    still = {at for at in moved if is_lost(args[at]) and not np.any(gradients[at])}
    if still:  # a count, a key or a label: no derivative comes to it at all, if it is so
        made = _with_kinds(f, args, wanted, moved - still, gradients, bounds)
        if not isinstance(made, str) and not loses(made, f, args, wanted):
            made.loses = False
            return made
    return _with_kinds(f, args, wanted, moved, gradients, bounds)


def _with_kinds(
    f: FunctionType,
    args: tuple[Any, ...],
    wanted: tuple[int, ...],
    moved: Collection[int],
    gradients: Mapping[int, Any],
    bounds: Bounds,
) -> Any:
    labels = _labels_among(args, moved)
    held = [pair for at in {*moved} - labels for pair in _moving_in(args[at], gradients[at])]
    found = {_kind_of(x) for x, _ in held}
    if not found <= _FOLLOWED | {int, np.ndarray}:
        return OF_OTHERS
    if int in found and not any(bar != 0 for x, bar in held if type(x) is int):
        made = record(f, args, wanted, moved, labels=labels, bounds=bounds)
        if not isinstance(made, str) and not loses(made, f, args, wanted):
            made.loses = False
            return made
    return record(f, args, wanted, moved, wholes=int in found, labels=labels, bounds=bounds)


def _labels_among(args: Sequence[Any], moved: Collection[int]) -> set[int]:
    """Which of them are arrays of whole numbers."""
    return {at for at in moved if type(args[at]) is np.ndarray and args[at].dtype.kind == "i"}


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


def note_of_pair(answer: Answer, variants: Variants, took: float) -> None:
    """The pair had to answer, in ``took`` seconds: what it did may be recorded."""
    f, args, wanted, (_, bars) = answer

    def use(straight: Straight, pair_too: bool) -> str:
        made: Fused | str = OF_OTHERS
        if not loses(straight, f, args, wanted):
            made = _made(straight, answer, pair_too)
        if made in (OF_NO_KIND, OF_OTHERS, OF_PARTS, DIFFERENT):  # as None for a zero, in the last
            first, made = made, _made_of_leaves(answer, variants.recorded.bounds())
            if isinstance(made, str) and first == OF_PARTS:
                straight.parts_tried = True
                made = _made(straight, answer, pair_too)
        if made == OF_VIEWS:
            made = _made_by_value(straight, answer, variants.recorded.bounds(), pair_too)
        return kept(made)

    def use_at_once(straight: Straight, seconds: float) -> str:
        return kept(_made_at_once(straight, answer, variants, seconds))

    def kept(made: Fused | str) -> str:
        if isinstance(made, str):
            return made
        variants.fused.setdefault(key_of(f, answer.wanted, len(args)), []).append(made)
        variants.missed = ()
        return ""

    def fits(straight: Straight) -> bool:
        alike = straight.wanted == wanted and not straight.inside and straight.is_number
        return alike and len(straight.pieces.names) == len(args)

    def stored(straight: Straight) -> bool:
        given = straight.given(args)
        return given is not None and is_stored(straight.function, given, len(wanted), fused=True)

    def make(bounds: Bounds) -> Any:
        return _recorded_of(f, args, wanted, bars, bounds)

    noted = Noted(("gradient", wanted), args, took, make, fits, use, stored, use_at_once)
    note(variants, noted)


def instead_of_pair(
    f: FunctionType, args: tuple[Any, ...], wanted: tuple[int, ...], variants: Variants
) -> tuple[Any, tuple[Any, ...]] | None:
    """Value and gradients where the pair cannot answer, as it takes no derivative of one inside:
    by what is recorded of this very run, or by nothing.
    """
    found: list[tuple[Any, tuple[Any, ...]]] = []

    def attempt() -> str:
        def run(bounds: Bounds) -> Any:
            return record(f, args, wanted, wanted, wholes=True, bounds=bounds)

        straight: Straight | str = with_room(lambda: without_collection(lambda: run(LONG)))
        if isinstance(straight, str) and straight.endswith(VIEWED):
            straight = with_room(lambda: run(LONG._replace(by_value=True)))
        if isinstance(straight, str):
            return straight
        if straight.loses:
            return OF_OTHERS
        straight.views, straight.parts_tried = False, True
        made = _variant(straight, f, args, wanted, wanted, pair_too=True)
        if isinstance(made, str):
            return made
        if straight.acts or not _goes_with(straight, f, args):
            return "what was recorded gives something else beside the arguments"
        y, bars = made.run(*args)
        still = {at for at, bar in zip(wanted, bars, strict=True) if bar is None}
        made.reaches = tuple([at not in still for at in range(len(args))])
        variants.fused.setdefault(wanted, []).append(made)
        reaches = [at not in still for at in wanted]
        found.append((y, finished(bars, [args[at] for at in wanted], reaches)))
        return ""

    if not settings.checks and not settings.only_generic:
        _tried(attempt)
    return found[0] if found else None


def _goes_with(straight: Straight, f: FunctionType, args: tuple[Any, ...]) -> bool:
    """Does the text give what the function gives, a little beside these arguments too? So it
    depends on them as the function does.
    """
    count = f.__code__.co_argcount
    own = [*map(moved_a_little, args[:count], itertools.count()), *args[count:]]
    for each in (args, tuple(own)):
        given = straight.given(each)
        try:
            with np.errstate(all="ignore"):
                y = straight.function(*given) if given is not None else None
        except Exception:  # it goes another way there
            continue
        if y is None:
            continue
        expected = f(*each[:count])
        if not np.allclose(y, expected, rtol=1e-10, atol=1e-12 * (1.0 + abs(expected))):
            return False
    return True


def _little(kind: type) -> Any:
    return 1e-7 + 0.6e-7j if issubclass(kind, (complex, np.complexfloating)) else 1e-7


def moved_a_little(v: Any, at: int, depth: int = 8) -> Any:
    """Numbers as near as they are, by no pattern; containers and objects of such anew."""
    kind = type(v)
    is_array = kind is np.ndarray and v.dtype.kind in "fc"
    if is_array or kind in (float, np.float64, complex, np.complex128):
        places: Any = at + np.arange(v.size).reshape(v.shape) if is_array else at
        some = 0.5 + places * GOLDEN % 1.0
        return v * (1.0 + 1e-6 * some) + _little(v.dtype.type if is_array else kind) * some

    def parts(values: Iterable[Any]) -> list[Any]:
        return [moved_a_little(part, at + 1 + k, depth - 1) for k, part in enumerate(values)]

    if not depth:
        return v
    if kind is list or isinstance(v, tuple) and hasattr(kind, "_fields") or kind is tuple:
        found = parts(v)
        return found if kind is list else tuple.__new__(kind, found)
    if kind is dict:
        return dict(zip(v, parts(v.values()), strict=True))
    own = attributes_as_they_lie(v) if kind.__flags__ & MADE_BY_CLASS else None
    if own is None or isinstance(v, (type, list, dict, set, np.ndarray, Enum)):
        return v
    try:
        made = object.__new__(kind)
    except TypeError:  # what it holds lies in memory that C lays out, or its class is abstract
        return v
    new: dict[str, Any] = object.__getattribute__(made, "__dict__")
    new.update(zip(own, parts(own.values()), strict=True))
    return made


GOLDEN = 0.6180339887498949


class Noted(NamedTuple):
    """Something slow that had to answer for ``args``, in ``took`` seconds, and what a text that is
    recorded may do: ``key`` tells what it is for. ``make`` records one, ``fits`` tells whether one
    can serve, ``use`` makes it, or tells why it does not; of a `Dear` one another step is asked,
    ``True``. ``is_stored``: it lies in the disk cache. ``use_at_once`` makes one of a long text by
    a baseline, which the compiler takes so many seconds to replace, or tells why it does not.
    """

    key: Any
    args: tuple[Any, ...]
    took: float
    make: Callable[[Bounds], Any]
    fits: Callable[[Straight], bool]
    use: Callable[[Straight, bool], str]
    is_stored: Callable[[Straight], bool]
    use_at_once: Callable[[Straight, float], str] | None = None


def note(variants: Variants, noted: Noted, *, first: int = FIRST) -> None:
    """A text that is recorded may serve for what was slow, else one is made once it has been slow
    often enough, at the ``first`` time.
    """
    about: Recorded | None = variants.recorded
    if about is None:
        about = variants.recorded = Recorded()
    about.calls += 1
    if not about.texts:
        about.worth.spent += noted.took
    key = noted.key
    known = [at for at in range(len(about.texts)) if (at, key) not in about.tried]
    due = not about.is_closed and about.calls >= first << (about.made + about.is_long)
    due = due and about.vain.get(key[0], 0) < TRIES
    if not (due or known) or settings.checks or settings.only_generic or settings.verify:
        return
    if not variants.lock.acquire(blocking=False):
        return  # another thread is at it
    try:
        if any(_serves_at_once(about, at, noted) for at in known):
            about.calls = 0
        elif any(_waits(about, at, noted) for at in known):
            about.calls -= 1
        elif any(_serves(about, at, noted) for at in known):
            about.calls = 0
        elif due:
            about.calls = 0
            about.why = _tried(lambda: _recorded(about, noted))
            about.is_closed = len(about.texts) >= MOST or about.failed >= TRIES
    finally:
        variants.lock.release()


def _serves_at_once(about: Recorded, at: int, noted: Noted) -> bool:
    """Is a long text that is there already of use by a baseline?"""
    straight, use = about.texts[at], (at, noted.key)
    if not _may_serve_at_once(about, use, straight, noted) or not noted.fits(straight):
        return False
    return is_same_way(straight, noted.args) and _is_used_at_once(about, use, straight, noted)


def _may_serve_at_once(about: Recorded, use: Any, straight: Straight, noted: Noted) -> bool:
    """Is it long, its baseline paid for and not tried yet? What lies in the cache needs none."""
    worth = about.worth
    is_due = straight.lines > FREE and use not in worth.vain and worth.owed.get(use) != 0.0
    return noted.use_at_once is not None and is_due and worth.pays_baseline(use, straight)


def _is_used_at_once(about: Recorded, use: Any, straight: Straight, noted: Noted) -> bool:
    """Does a text that may serve so do it? It is tried once."""
    assert noted.use_at_once is not None  # else it may not
    use_at_once, seconds = noted.use_at_once, about.worth.foretold(straight)
    if _tried(lambda: use_at_once(straight, seconds)):
        about.worth.vain.add(use)
        return False
    about.tried.add(use)
    about.worth.forget(use)
    return True


def _waits(about: Recorded, at: int, noted: Noted) -> bool:
    """Would a text have been of use that is not worth its time yet?"""
    straight, use = about.texts[at], (at, noted.key)
    if straight.lines <= FREE or not noted.fits(straight):
        return False
    if not is_same_way(straight, noted.args):
        return False
    about.worth.add(use, noted.took)
    return not about.worth.pays(use, straight)


def _serves(about: Recorded, at: int, noted: Noted) -> bool:
    """Is a text of use that is there already? Each step is tried once, where its tests hold."""
    straight, use = about.texts[at], (at, noted.key)
    fits = noted.fits(straight)
    if fits and not is_same_way(straight, noted.args):
        return False
    about.tried.add(use)
    return fits and not _tried(lambda: _used(about, use, straight, noted))


def _used(about: Recorded, use: Any, straight: Straight, noted: Noted) -> str:
    """Why a text does not serve, after its next step."""
    is_last, started = use in about.worth.halfway, perf_counter()
    why = noted.use(straight, is_last)
    took = perf_counter() - started
    if type(why) is Dear:
        about.tried.discard(use)
        about.worth.go_on(use, straight, took)
        return why
    about.tried.add(use)
    about.worth.close(use, straight, took)
    if why and is_last:
        _note_vain(about, noted)
    return why


def _note_vain(about: Recorded, noted: Noted) -> None:
    about.vain[noted.key[0]] = about.vain.get(noted.key[0], 0) + 1


def loses(straight: Straight, f: FunctionType, args: Sequence[Any], moved: Collection[int]) -> bool:
    """Does the result depend on what is a constant of the text, as on a whole number in a list? A
    comparison of derivatives does not tell: this one may be zero here. The program has been
    recorded, so it may run once more.
    """
    if not straight.loses or straight.acts:  # what writes is not run once more
        return straight.loses
    y, back = _run_pair(f, tuple(args))
    return bool(back.reaches_others(seed_of(y), {*moved} - straight.labels))


def is_same_way(straight: Straight, args: tuple[Any, ...]) -> bool:
    """Do the tests hold, before the text and in it?"""
    given = straight.given(args)
    try:
        with np.errstate(all="ignore"):  # it is only tried
            return given is not None and bool(straight.function(*given) is not None)
    except Exception:  # it is `Left`, or raises what the function would
        return False


def _recorded(about: Recorded, noted: Noted) -> str:
    """A text that does not serve for this may serve for something else."""
    about.failed += 1
    straight = with_room(lambda: without_collection(lambda: noted.make(about.bounds())))
    if isinstance(straight, TooLong) and not about.is_long:
        about.is_long = True  # the next one may be
        about.failed -= 1
    if isinstance(straight, str):
        return straight
    use = len(about.texts), noted.key
    about.worth.begin(use, noted.took, is_first=not about.texts)
    if straight.lines > FREE and noted.is_stored(straight):
        about.worth.is_stored(use)
    may_serve = _may_serve_at_once(about, use, straight, noted)
    if may_serve and _is_used_at_once(about, use, straight, noted):
        why = ""
    elif about.worth.pays(use, straight):
        why = _used(about, use, straight, noted)
    else:
        why = Dear(f"a text of {straight.lines:,} lines is compiled once that pays")
    about.failed -= 1
    about.texts.append(straight)
    if why and type(why) is not Dear:
        _note_vain(about, noted)
    else:
        about.made += 1
    return why


class TooLong(str):
    """Why a run is not recorded which is longer than its bounds allow."""

    __slots__ = ()


def _tried(run: Callable[[], str]) -> str:
    """The derivative is there already, whatever a recording runs into."""
    try:
        return run()
    except AstadError as error:
        return str(error)
    except Exception as error:
        if STRICT:
            raise
        return f"the recording ended in {error!r}"


def _made(straight: Straight, answer: Answer, pair_too: bool) -> Fused | str:
    """A variant, or why there is none; ``pair_too``: it may be by the pair."""
    f, args, wanted, (_, bars) = answer
    moved = {at for at, bar in zip(wanted, bars, strict=True) if bar is not None}
    made = _variant(straight, f, args, wanted, moved, pair_too=pair_too)
    if isinstance(made, str):
        return made
    return _checked(made, straight, answer)


def _checked(made: Fused, straight: Straight, answer: Answer) -> Fused | str:
    """A variant that does what the pair has done, or why it does not serve."""
    if why := _difference(made, answer) or otherwise_written(straight):
        return why
    if made.text is None and not straight.acts and not _is_faster(made.run, answer):
        return "what was recorded has no fused form, and its pair is no faster"
    straight.set_run(straight.head.__globals__[straight.call], acts=True)
    return made


Form = Callable[[Sequence[Any], tuple[int, ...]], Fused | None]
"""Of what a text is given, and of the places of what has a derivative."""


def _made_of_leaves(answer: Answer, bounds: Bounds) -> Fused | str:
    """The same by a text that is given the numbers in what has no kind, in a run of its own."""
    from astad.api.gradients.recorded_leaves import variant_of_leaves  # late: few need it

    f, args, wanted, (_, bars) = answer
    moved = {at for at, bar in zip(wanted, bars, strict=True) if bar is not None}
    labels = _labels_among(args, moved)
    straight = record(f, args, wanted, moved, by_leaves=True, labels=labels, bounds=bounds)
    if isinstance(straight, str):
        return straight
    if loses(straight, f, args, wanted):
        return OF_OTHERS
    made = variant_of_leaves(straight, args, wanted, [*moved], bars)
    return made if isinstance(made, str) else _checked(made, straight, answer)


IMPROVED = 3
"""Times as long as the compiler takes a baseline has run before it is asked, which makes of it one
that takes half as long."""


def _made_at_once(
    straight: Straight, answer: Answer, variants: Variants, seconds: float
) -> Fused | str:
    """A variant by a baseline, which the compiler replaces once that has paid."""
    from astad.api.gradients.baseline import Improved, baseline_of  # late: for long texts
    from astad.api.gradients.lines_apart import fused_form

    f, args, wanted, (_, bars) = answer
    if loses(straight, f, args, wanted):
        return OF_OTHERS
    if straight.overlaps:
        again = _again_by_value(answer, variants.recorded.bounds())
        if isinstance(again, str):
            return again
        straight.instead = straight = again

    def form(given: Sequence[Any], places: tuple[int, ...]) -> Fused | None:
        run = baseline_of(straight, given, places, bars)
        if run is None:
            return None
        try:
            took = time_of(lambda: run(*given))
        except Exception:  # the pair tells, if it is so for it as well
            return None
        made = Improved(run, IMPROVED * seconds / took)

        def better(given: Sequence[Any]) -> str:
            if not variants.lock.acquire(blocking=False):
                return ""  # another thread is at it
            try:
                fused = fused_form(straight, given, places)
                made.run = fused.run if fused is not None else run
                return ""
            finally:
                variants.lock.release()

        made.better = lambda *given: _tried(lambda: better(given))
        return Fused(made, (True,) * len(given), None, tentative=True)

    moved = {at for at, bar in zip(wanted, bars, strict=True) if bar is not None}
    found = _variant(straight, f, args, wanted, moved, pair_too=False, form=form)
    return found if isinstance(found, str) else _checked(found, straight, answer)


def _again_by_value(answer: Answer, bounds: Bounds) -> Straight | str:
    """The text of a run of its own in which a write makes an array anew."""
    f, args, wanted, (_, bars) = answer
    again: Straight | str = _recorded_of(f, args, wanted, bars, bounds._replace(by_value=True))
    return OF_OTHERS if not isinstance(again, str) and loses(again, f, args, wanted) else again


def _made_by_value(
    straight: Straight, answer: Answer, bounds: Bounds, pair_too: bool
) -> Fused | str:
    """The same by a text in which a write makes an array anew, in a run of its own; where that is
    of no use, by the pair.
    """
    again = _again_by_value(answer, bounds)
    if not isinstance(again, str):
        again.views = False
        again.parts_tried = True
        made = _made(again, answer, pair_too)
        if not isinstance(made, str) and made.text is not None:
            straight.instead = again
            return made
    straight.views = False
    return _made(straight, answer, pair_too)


def _variant(
    straight: Straight,
    f: FunctionType,
    args: tuple[Any, ...],
    wanted: tuple[int, ...],
    moved: Collection[int],
    *,
    pair_too: bool,
    form: Form | None = None,
) -> Fused | str:
    """A variant behind the tests; of another ``form`` than the fused one there is it or none."""
    given = straight.given(args)
    if given is None:
        return "what was read from outside is not the same a moment later"
    from astad.api.gradients.lines_apart import fused_form  # late: with what records

    pays = pair_too or straight.lines <= FREE
    places = tuple(range(len(wanted)))
    try:
        fused = form(given, places) if form else fused_form(straight, given, places, apart=pays)
    except AstadError as error:
        return str(error)
    if fused is None and form:
        return "there is no baseline"
    if fused is None and "unknown" in kinds_of(given, (), open_=True):
        return OF_NO_KIND
    if fused is None and not pays:
        return Dear(f"a text of {straight.lines:,} lines has no fused form: another waits to pay")
    if fused is None and not straight.parts_tried and any(type(v) in _HOLDING for v in given):
        return OF_PARTS
    if fused is None and straight.views:
        return OF_VIEWS
    run = fused.run if fused is not None else _by_pair(straight.function, given, len(wanted))
    straight.set_run(run)
    reaches = tuple([at not in wanted or at in moved for at in range(len(args))])
    kinds = kinds_of(args, (), open_=True, code=f.__code__)
    text = fused.text if fused is not None else None
    return Fused(straight.head, reaches, text, kinds, tentative=True)


def _difference(made: Fused, answer: Answer) -> str:
    """What speaks against a variant that shall give what the pair has given; "" for nothing."""
    _, args, wanted, out = answer
    try:
        found = made.run(*args)
    except Exception as error:
        return f"what was recorded raises {error!r}"
    if found is NotImplemented:
        return "what was recorded does not fit its own arguments"
    bars = found[1]
    if not made.plain:
        bars = finished(bars, [args[at] for at in wanted], [made.reaches[at] for at in wanted])
    if type(found[0]) is not type(out[0]) or not same((found[0], bars), out):
        return DIFFERENT
    made.plain = made.plain or all(map(_is_ready, found[1], bars))
    return ""


def otherwise_written(straight: Straight) -> str:
    """Why a form of the text, which has just run, does not serve: it has handed over something else
    than the recorded run would write; "" where it has not.
    """
    is_same = not straight.kept or same(taken(), straight.kept)
    return "" if is_same else "what was recorded writes something else than the run"


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
    """A straight text that is not all written out has fewer calls left to the run time."""
    wanted, kinds = tuple(range(count)), exact_kinds(first)

    def run(*given: Any) -> Any:
        if exact_kinds(given) != kinds:
            return NotImplemented
        y, back = whole.run(fn, given, {}, self_too=False)
        return y, whole.of_scalar(fn, back, given, wanted)

    return run


def exact_kinds(given: Sequence[Any]) -> tuple[Any, ...]:
    """What tells whether a straight text is for these arguments: it is written for the types that
    the recorded run has met.
    """
    types = [(v.dtype, v.ndim) if type(v) is np.ndarray else type(v) for v in given]
    return (*types, *kinds_of(given, (), open_=True))


def _is_faster(run: Callable[..., Any], answer: Answer) -> bool:
    """In three turns each, the least time."""
    f, args, wanted, _ = answer

    def by_pair() -> None:
        y, back = _run_pair(f, args)
        whole.of_scalar(f, back, args, wanted)

    times = {each: min(time_of(each) for _ in range(3)) for each in (by_pair, lambda: run(*args))}
    own, other = times.values()
    return other < GAIN * own


def time_of(run: Callable[[], Any]) -> float:
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
    bounds: Bounds = SHORT,
    any_result: bool = False,
    wholes: bool = False,
    labels: Collection[int] = (),
) -> Any:
    """The straight text of one run, or the reason why there is none, as a text. ``moved`` are the
    positions of arguments with a derivative; ``by_leaves``: it is given the numbers in them;
    ``bounds``: how long the run may be; ``any_result``: it need not give a number; ``wholes``: ints
    in the arguments have a derivative, too; ``labels``: so have these arrays of whole numbers.
    """
    code = f.__code__
    inside = [at for at in wanted if by_leaves and type(args[at]) not in _DIRECT]
    last = len(args) - len(code.co_freevars)
    kinds = kinds_of(args, (), open_=True)

    def run_it(run: Interpreter) -> tuple[list[str], Sequence[int], Any]:
        from astad.recording.results import parted
        from astad.recording.straight import argument_names

        recording, names = run.recording, argument_names(_names_of(f, len(args)))
        if by_leaves and any(type(args[at]) is int for at in moved):
            recording.refuse(OF_OTHERS)
        ints = {at for at in moved if type(args[at]) is int}
        given = [
            run.outside.whole_numbers(name, arg)
            if at in labels
            else run.outside.argument(
                name, arg, wanted=at in wanted and at not in ints, known=kind != "unknown"
            )
            for at, (name, arg, kind) in enumerate(zip(names, args, kinds, strict=True))
        ]
        for at in ints:
            given[at] = recording.whole(args[at], names[at], arrived=True)
        y = run.start(f, given[:last], given[last:])
        run.end(y)
        is_number = recording.is_followed(y) and type(y) in (float, np.float64)
        if not (is_number or any_result):
            recording.refuse("a result that is no number which depends on the arguments")
        return names, wanted, parted(run.outside, y)

    return run_recorded(
        code.co_name, run_it, inside, labels, by_leaves=by_leaves, bounds=bounds, wholes=wholes
    )


MOST_COUNTS = 8
"""Whole numbers that a run counts on."""
ENDED = "the run ended in "
AN_EXCEPTION_LEAVES = "an exception leaves a function whose derivative is taken"


def run_recorded(
    name: str,
    run_it: Callable[[Interpreter], tuple[list[str], Sequence[int], Any]],
    inside: Collection[int] = (),
    labels: Collection[int] = (),
    *,
    by_leaves: bool = True,
    bounds: Bounds = LONG,
    wholes: bool = False,
) -> Any:
    """The straight text of what an interpreter is made to run, or the reason why there is none, as
    a text. ``run_it`` tells the names of the arguments, which of them have a derivative, and the
    `Result`; ``inside``, ``labels``: see `straight_of`.
    """
    importing(fill_compiler)
    from astad.recording.writes import Counted

    counts: set[Any] | None = set()
    while True:
        try:
            made = _told(
                name, run_it, inside, labels, bounds, counts, by_leaves=by_leaves, wholes=wholes
            )
        except Counted as found:
            assert counts is not None  # else nothing is counted
            counts = {*counts, found.args[0]} if len(counts) < MOST_COUNTS else None
            continue
        if type(made) is not str or not counts:
            return made
        counts = None  # more is asked of a number than that it is counted on


def _told(
    name: str,
    run_it: Callable[[Interpreter], tuple[list[str], Sequence[int], Any]],
    inside: Collection[int],
    labels: Collection[int],
    bounds: Bounds,
    counts: Collection[Any] | None,
    *,
    by_leaves: bool,
    wholes: bool,
) -> Any:
    from astad.recording import recording as recordings
    from astad.recording.interpreter import Interpreter
    from astad.recording.recording import Recording, Unrecordable
    from astad.recording.straight import straight_of

    recording = Recording(bounds)
    run = Interpreter(
        recording, _lowering(), _inner,
        by_leaves=by_leaves, wholes=wholes, labels=by_leaves, counts=counts,
    )  # fmt: skip
    try:
        with np.errstate():
            names, wanted, result = run_it(run)
        straight = straight_of(
            recording, name, names, wanted, result, inside, labels, loses=run.outside.loses
        )
        straight.sources = run.outside.sources
        return straight
    except recordings.TooLong as error:
        return TooLong(error)
    except (Unrecordable, AstadError) as error:
        return str(error)
    except RecursionError:
        return "calls are nested too deeply"
    except Exception as error:
        if settings.debug:
            raise
        return f"{ENDED}{error!r}"


def _lowering() -> Callable[[FunctionType], Any]:
    """The program of each function that a run meets."""
    from astad.compiler.lower.function import lower_function  # late: as the rest of the compiler

    programs: dict[CodeType, Any] = {}

    def lower(fn: FunctionType) -> Any:
        if fn.__code__ not in programs:
            programs[fn.__code__] = lower_function(fn)
        return programs[fn.__code__]

    return lower


_HOLDING = (list, tuple, dict)
_DIRECT = (float, np.float64, np.ndarray)
"""Types of arguments which a text is given as they are."""


def _inner(fn: FunctionType, what: tuple[str, int, int]) -> InnerFunction:
    return InnerFunction(fn, " ".join(map(str, what)))


def same(a: Any, b: Any, met: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Equal but for rounding, in structure too; ``met``: what they are parts of."""
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
    if a is None or isinstance(a, (str, bool, bytes, set, frozenset)):
        return bool(a == b)
    if (id(a), id(b)) in met:
        return True
    met |= {(id(a), id(b))}
    if isinstance(a, (tuple, list, deque)):
        return len(a) == len(b) and all(same(v, w, met) for v, w in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], met) for key in a)
    if not (hasattr(a, "__dict__") or hasattr(a, "__slots__")):
        return a is b
    return same(_attributes(a), _attributes(b), met)


def _is_number(v: Any) -> bool:
    return isinstance(v, (int, float, complex, np.generic)) and not isinstance(v, bool)


def _attributes(v: Any) -> dict[str, Any]:
    return dict(vars(v)) if hasattr(v, "__dict__") else {n: getattr(v, n) for n in v.__slots__}
