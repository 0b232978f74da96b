"""Each new variant against the form for arguments of any kind, and the differentiated run against
the plain one.

The three runs are done in copies of the process (`forked`), which have everything as it is: what
they change of the user's goes with them, and the run that he asked for is the ordinary one.

>>> import math, astad
>>> with verified() as report:
...     astad.gradient(lambda x: x * math.sin(x), 0.5)[0] > 0
True
>>> print(report)
1 verified, 0 refused by astad, 0 inconclusive
"""

from __future__ import annotations

import functools
import inspect
import io
import random
import sys
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients import sweeps
from astad.api.gradients.gradients import _value_and_gradients
from astad.api.rules.hooks import isderiving, nestlevel
from astad.api.variants.generated import OBSERVERS, Loaded
from astad.api.variants.kinds_of_values import kinds_of
from astad.api.variants.whole import verifier
from astad.errors import AstadError, Disagreement, Location
from astad.rules.in_force import CUSTOM, has_custom_rule
from astad.runtime.core.variants import forget_all
from astad.tangents.unasked import callable_name
from astad.tangents.zero import MADE_BY_CLASS
from astad.testing.check import claimed_at
from astad.testing.conduct import cotangent_at
from astad.testing.described import Record, described, difference, numbers_in
from astad.testing.finite_differences import directional
from astad.testing.forked import NotRepeatable, apart
from astad.testing.leaves import Entry, entries_of, held_in, leaves_of, size_of
from astad.testing.seeds import random_cotangent
from astad.testing.statements import Formed, first_difference, noting

__all__ = ["TOTAL", "Report", "verified"]

# Any in this file: arguments, results and cotangents of every kind

SECONDS = 60.0
"""Of one run in a copy; what takes longer is inconclusive."""
LIBRARIES = {"astad", "numpy", "scipy"}
"""Whose globals are not looked at."""
MOST_REACHED = 500
"""Objects that a function leads to."""
MOST_MOVED = 2000
"""Numbers that move in a check by differences."""
SAME = "value, writes, output, warnings, exceptions are those of the plain run"
FLOATS = {"builtins.float", "numpy.float64"}
COMPLEX = {"builtins.complex", "numpy.complex128"}


@dataclass
class Report:
    """What was compared: ``verified`` agreed, ``refused`` have no derivative by astad, and of each
    that is ``inconclusive`` the function and the reason.
    """

    verified: int = 0
    refused: int = 0
    inconclusive: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = f"{self.verified} verified, {self.refused} refused by astad"
        return f"{counts}, {len(self.inconclusive)} inconclusive"

    def reasons(self) -> Counter[str]:
        """How often each reason stands among the inconclusive."""
        return Counter(each.partition(": ")[2] for each in self.inconclusive)


TOTAL = Report()
"""Of the whole process."""
_reports: list[Report] = [TOTAL]
_seen: dict[Any, list[CodeType | None]] = {}
"""What was looked at; whose ids stand in a key is held."""
_differences: list[bool] = [False]


@contextmanager
def verified(on: bool = True, *, differences: bool = False) -> Iterator[Report]:
    """Inside, the first gradient of each new variant is looked at before it is computed.

    In copies of the process it is computed by the specialised text and by the text for arguments
    of any kind, and the function is run as it is. Value, gradients, writes, output, warnings and
    exceptions have to agree. What cannot be repeated there (other threads run, files are written,
    each run gives another result) is inconclusive, which the report counts and no error tells.
    It is on in all threads; ``ASTAD_VERIFY=1`` puts it on for a whole program.

    Parameters
    ----------
    on : bool
        False: nothing is compared inside.
    differences : bool
        Whether the gradient is compared with central differences along a random direction too.

    Yields
    ------
    Report : what was compared so far.

    Raises
    ------
    Disagreement : from the gradients that are asked for inside.

    Examples
    --------
    >>> import math, astad
    >>> with astad.verified(differences=True) as report:
    ...     astad.gradient(math.sin, 0.0)
    (1.0,)
    >>> report.verified
    1
    """
    before, settings.verify = settings.verify, on
    report = Report()
    _reports.append(report)
    _differences.append(differences)
    if on:
        _seen.clear()
        forget_all()
    try:
        yield report
    finally:
        settings.verify = before
        _reports.remove(report)
        _differences.pop()


# --- what is asked --------------------------------------------------------------------------------


@dataclass
class Request:
    """A differentiation that is about to be done; ``moves``: a direction for differences."""

    api: str
    f: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]
    wanted: tuple[int, ...] | None
    moves: list[tuple[Entry, float]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return callable_name(self.f)

    @property
    def where(self) -> Location | str:
        code = _code_of(self.f)
        return Location(code.co_filename, code.co_firstlineno) if code else self.name


def _before(
    api: str,
    f: Any,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    wanted: tuple[int, ...] | None,
) -> None:
    """Look at a differentiation, unless it was done by the same variant before."""
    if not callable(f) or sys.gettrace() is not None or settings.checks:
        return
    request = Request(api, f, args, keywords, wanted)
    reports = list(_reports)
    try:
        key = (api, wanted, len(CUSTOM), _differences[-1], *_kind_of_call(f, args, keywords))
        if key in _seen:
            return
        _seen[key] = [_code_of(each) for each in (f, *args, *keywords.values(), *_captured(f))]
        outcome = _verify(request)
        for report in reports:
            setattr(report, outcome, getattr(report, outcome) + 1)
    except Disagreement:
        raise
    except NotRepeatable as reason:
        for report in reports:
            report.inconclusive.append(f"{request.name}: {reason}")
    except Exception as failure:  # the user's run is not for it to stop
        for report in reports:
            report.inconclusive.append(f"{request.name}: the check failed: {failure!r}")


verifier.before = _before


def _kind_of_call(f: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """What tells which variants a call is answered by."""
    code = _code_of(f)
    given = [*args, *keywords.values(), *_captured(f)]
    words = kinds_of(given, code=code)
    told = [_type_word(v) if w == "unknown" else w for v, w in zip(given, words, strict=True)]
    return (id(code) if code else type(f).__qualname__, len(args), tuple(keywords), *told)


def _type_word(value: Any) -> Any:
    code = _code_of(value)
    return id(code) if code else type(value).__qualname__


def _captured(f: Any) -> list[Any]:
    found = []
    for cell in f.__closure__ or () if type(f) is FunctionType else ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append(None)
    return found


def _code_of(f: Any) -> CodeType | None:
    """The code of what runs when ``f`` is called, where Python code does."""
    while type(f) in (MethodType, functools.partial):
        f = f.__func__ if type(f) is MethodType else f.func
    if type(f) is not FunctionType:  # statically: it may stand for another, as proxies do
        is_class = issubclass(type(f), type)
        owner, name = (f, "__init__") if is_class else (type(f), "__call__")
        f = inspect.getattr_static(owner, name, None)
    return f.__code__ if type(f) is FunctionType else None


# --- one run, in a copy of the process ------------------------------------------------------------


@dataclass
class Phase:
    """What one half of a run did: a value, or an exception by type and text; ``refusal``: what
    astad says of what it does not differentiate; ``state``: what can be written, after it.
    """

    value: list[Record] | None = None
    raised: str | None = None
    refusal: str | None = None
    state: list[Record] | None = None
    output: str = ""
    warned: tuple[str, ...] = ()


@dataclass
class Run:
    """Forward sweep and reverse sweep; ``whole``: they were done as one. ``texts`` of the variants
    that were made, ``formed`` their cotangents where these were asked for, ``slope`` the derivative
    along the direction of the request.
    """

    forward: Phase = field(default_factory=Phase)
    reverse: Phase = field(default_factory=Phase)
    whole: bool = False
    texts: list[str] = field(default_factory=list)
    formed: list[Formed] = field(default_factory=list)
    slope: float | None = None


class _Watch:
    """The copy that it runs in: output and warnings are collected, nothing is verified."""

    def __init__(self, request: Request, run: Run) -> None:
        self.request = request
        self.run = run
        self.warned: set[str] = set()
        self.stream = io.TextIOWrapper(io.BytesIO(), "utf-8", "replace", write_through=True)
        self.roots = _roots(request)
        settings.verify = False
        sys.stdout = sys.stderr = self.stream
        warnings.showwarning = self._warn  # type: ignore[assignment]
        OBSERVERS.append(self._made)

    def _warn(self, message: Any, category: type, *place: Any) -> None:
        self.warned.add(f"{category.__name__}: {message}")

    def _made(self, loaded: Loaded) -> None:
        self.run.texts.append(loaded.source)

    def phase(self, phase: Phase, work: Callable[[], Any], shown: Callable[[Any], Any]) -> Any:
        """Do one half and note what it did."""
        found = None
        try:
            found = work()
            phase.value = described(shown(found))
        except AstadError as error:
            phase.refusal = f"{type(error).__name__}: {error}"
        except NotRepeatable:
            raise
        except (RecursionError, MemoryError, KeyboardInterrupt) as error:
            raise NotRepeatable(f"it ends by {type(error).__name__}") from error
        except BaseException as error:
            phase.raised = _text_of(error)
        phase.state = described([root() for root in self.roots])
        raw = self.stream.buffer.getvalue()
        phase.output = raw.decode("utf-8", "replace")
        phase.warned = tuple(sorted(self.warned))
        return found


def _text_of(error: BaseException) -> str:
    args = described(error.args)
    plain = all(record.value is not None or record.parts for record in args)
    return f"{type(error).__qualname__}{tuple(map(_short, error.args)) if plain else '(...)'}"


def _short(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else type(value).__name__


def _ordinary(request: Request, formed: list[Formed] | None = None) -> Run:
    """As the user gets it."""
    run = Run()
    watch = _Watch(request, run)
    if formed is not None:
        _note_all(run)
    if request.wanted is None:
        return _in_halves(request, watch)
    run.whole = True
    f, args, keywords, wanted = request.f, request.args, request.keywords, request.wanted
    out = watch.phase(
        run.reverse, lambda: _value_and_gradients(f, args, keywords, wanted), lambda out: out[1]
    )
    if out is not None:
        run.forward.value = described(out[0])
        run.slope = _slope(request, dict(zip(wanted, out[1], strict=True)))
    return run


def _generic(request: Request, formed: list[Formed] | None = None) -> Run:
    """By the variants for arguments of any kind alone."""
    settings.only_generic = True
    forget_all()
    run = Run()
    watch = _Watch(request, run)
    if formed is not None:
        _note_all(run)
    return _in_halves(request, watch)


def _note_all(run: Run) -> None:
    forget_all()
    OBSERVERS.append(noting(run.formed))


def _in_halves(request: Request, watch: _Watch) -> Run:
    run, f = watch.run, request.f
    self_too = request.api == "pullback_self"
    out = watch.phase(
        run.forward,
        lambda: sweeps.run(f, request.args, request.keywords, self_too=self_too),
        lambda out: out[0],
    )
    if out is None:
        return run
    y, back = out

    def reverse() -> Any:
        if request.wanted is not None:
            return sweeps.of_scalar(f, back, request.args, request.wanted)
        return back(random_cotangent(y, np.random.default_rng(0)))

    bars = watch.phase(run.reverse, reverse, lambda bars: bars)
    if bars is not None:
        places = request.wanted if request.wanted is not None else range(len(request.args))
        run.slope = _slope(request, dict(zip(places, bars[-len(places) :], strict=False)))
    return run


def _plain(request: Request) -> Run:
    """The function itself."""
    run = Run()
    watch = _Watch(request, run)
    watch.phase(run.forward, lambda: request.f(*request.args, **request.keywords), lambda y: y)
    return run


# --- what can be written --------------------------------------------------------------------------


def _roots(request: Request) -> list[Callable[[], Any]]:
    """Arguments, the callable, random numbers, and the globals that it and its callees name: how
    each is got when it is looked at.
    """
    found: list[Callable[[], Any]] = [
        lambda: request.args,
        lambda: request.keywords,
        lambda: request.f,
        lambda: hash(random.getstate()),
        lambda: zlib.crc32(repr(np.random.get_state()).encode()),
    ]
    for space, name in _names_read(request.f):
        found.append(functools.partial(_global, space, name))
    return found


def _global(space: dict[str, Any], name: str) -> Any:
    value = space.get(name, "(not bound)")
    if isinstance(value, type):
        names = vars(value).items()
        return {k: v for k, v in names if not callable(v) and not k.startswith("__")}
    return value


def _names_read(f: Any) -> list[tuple[dict[str, Any], str]]:
    """The globals named in the text of a function and of those it leads to."""
    found: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
    for fn in _reached(f):
        for name, part in _named_by(fn):
            if not isinstance(part, FunctionType):
                found[id(fn.__globals__), name] = fn.__globals__, name
    return list(found.values())


def _reached(*given: Any) -> Iterator[FunctionType]:
    """Functions, and those they lead to, each code once."""
    waiting: list[Any] = [*given]
    met: set[int] = set()
    for value in waiting:
        for fn in _functions_in(value) if len(waiting) < MOST_REACHED else ():
            if id(fn.__code__) not in met and str(fn.__module__).split(".")[0] not in LIBRARIES:
                met.add(id(fn.__code__))
                waiting += [*_captured(fn), *(part for _, part in _named_by(fn))]
                yield fn


def _named_by(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    for name in _all_names(fn.__code__):
        part = fn.__globals__.get(name)
        if part is not None and not isinstance(part, ModuleType):
            yield name, part


def _functions_in(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, functools.partial):
        value = value.func
    if isinstance(value, MethodType):
        yield from _functions_in(value.__func__)
        value = value.__self__
    if isinstance(value, FunctionType):
        yield value
        return
    kind = value if isinstance(value, type) else type(value)
    if kind.__flags__ & MADE_BY_CLASS:
        for each in list(vars(kind).values()):
            inner = getattr(each, "__func__", getattr(each, "fget", each))
            if isinstance(inner, FunctionType):
                yield inner


def _all_names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_all_names, inner))


def _asks_whether_derived(*given: Any) -> bool:
    """May the plain run differ, as the function asks whether it is being differentiated, or how
    often?
    """
    return any(
        not _TELLING.isdisjoint(_all_names(fn.__code__))
        or any(part in (isderiving, nestlevel) for part in _functions_named(fn))
        for fn in _reached(*given)
    )


_TELLING = {"isderiving", "nestlevel"}


def _functions_named(fn: FunctionType) -> list[FunctionType]:
    parts = [*_captured(fn), *(part for _, part in _named_by(fn))]
    return [part for part in parts if isinstance(part, FunctionType)]


def _has_rules(*given: Any) -> bool:
    """May the plain run differ, as a rule of the user's stands for a function on the way?"""
    return any(
        has_custom_rule(part)
        for fn in _reached(*given)
        for part in (fn, *_captured(fn), *(named for _, named in _named_by(fn)))
    )


# --- comparing ------------------------------------------------------------------------------------


@dataclass
class Found:
    """A difference: what differs, of which run, and what must be so."""

    what: str
    other: str
    why: str


def _verify(request: Request) -> str:
    """The name of the count of a report that goes up.

    Raises
    ------
    Disagreement : where two runs differ. NotRepeatable : where nothing can be said.
    """
    if _differences[-1]:
        request.moves = _direction(request)
    start = time.perf_counter()
    ordinary: Run = apart(lambda: _ordinary(request), SECONDS)
    limit = SECONDS + 30 * (time.perf_counter() - start)
    if ordinary.reverse.refusal and (ordinary.whole or not ordinary.forward.value):
        return "refused"
    if ordinary.forward.refusal:
        return "refused"
    plain: Run = apart(lambda: _plain(request), limit)
    generic: Run = apart(lambda: _generic(request), limit)
    found = _first_found(request, ordinary, generic, plain)
    if found is not None:
        _raise(request, found, ordinary, generic, plain, limit)
    if request.moves and ordinary.slope is not None:
        _compare_with_differences(request, ordinary)
    return "verified"


def _first_found(request: Request, ordinary: Run, generic: Run, plain: Run) -> Found | None:
    from_plain = None
    given = (request.f, *(arg for arg in request.args if isinstance(arg, FunctionType)))
    if not _asks_whether_derived(*given) and not plain.forward.refusal:
        from_plain = _from_plain(ordinary, generic, plain)
        if from_plain is not None and not _has_rules(*given):
            return from_plain
    if not (generic.forward.refusal or generic.reverse.refusal):
        found = _sweeps(request, ordinary, generic)
        if found is not None:
            return Found(found, "generic", "both texts are of one derivative")
    if from_plain is not None:
        raise NotRepeatable("a rule of its own gives another value than the function does")
    return None


def _from_plain(ordinary: Run, generic: Run, plain: Run) -> Found | None:
    if not (ordinary.whole and generic.forward.refusal):
        forward = ordinary.forward if generic.forward.refusal else generic.forward
        found = _phases(forward, plain.forward)
        if found is not None:
            return Found(found, "plain", SAME)
    found = _values(ordinary, plain)
    return None if found is None else Found(found, "plain", "the value is that of the plain run")


def _phases(ours: Phase, theirs: Phase) -> str | None:
    if ours.raised != theirs.raised:
        return f"an exception: {ours.raised} and {theirs.raised}"
    if (ours.value is None) != (theirs.value is None):
        return "one gives a value and one none"
    if ours.value is not None and theirs.value is not None:
        found = difference(ours.value, theirs.value)
        if found is not None:
            return f"the value{found}"
    return _effects(ours, theirs)


def _effects(ours: Phase, theirs: Phase) -> str | None:
    if ours.output != theirs.output:
        return f"the output: {ours.output[-200:]!r} and {theirs.output[-200:]!r}"
    if ours.warned != theirs.warned:
        return f"the warnings: {ours.warned} and {theirs.warned}"
    if ours.state is not None and theirs.state is not None:
        found = difference(ours.state, theirs.state)
        if found is not None:
            return f"what it leaves: {found}"
    return None


def _values(ordinary: Run, plain: Run) -> str | None:
    ours, theirs = ordinary.forward.value, plain.forward.value
    if plain.forward.raised is not None:
        raised = ordinary.reverse.raised if ordinary.whole else ordinary.forward.raised
        same = raised == plain.forward.raised
        return None if same else f"an exception: {raised} and {plain.forward.raised}"
    if ours is None or theirs is None:
        return None  # the reverse sweep raised: compared with that of the other text
    found = difference(ours, theirs)
    return None if found is None else f"the value{found}"


def _sweeps(request: Request, ordinary: Run, generic: Run) -> str | None:
    ours, theirs = ordinary.reverse, generic.reverse
    if ordinary.whole and generic.forward.raised is not None:
        theirs = generic.forward
    if _overflows(ours, theirs) or _overflows(theirs, ours):
        return None
    if ours.raised != theirs.raised:
        return f"an exception: {ours.raised} and {theirs.raised}"
    if ours.value is not None and theirs.value is not None:
        scale = _scale(theirs.value)
        close, alike = _close_to(scale), _alike(request)
        found = difference(ours.value, theirs.value, close, alike, of_gradients=True)
        if found is not None:
            return f"the gradient {found}"
    return _effects(ours, theirs)


def _overflows(raising: Phase, other: Phase) -> bool:
    """Does one raise for a number that the other has as inf or nan, as Python's floats do and
    NumPy's do not?
    """
    raised = (raising.raised or "").partition("(")[0]
    if raised not in ("OverflowError", "ZeroDivisionError") or other.value is None:
        return False
    kinds = (int, float, complex, np.inexact, np.ndarray)
    numbers = [each for each in numbers_in(other.value) if isinstance(each, kinds)]
    return not all(np.all(np.isfinite(each)) for each in numbers)


def _alike(request: Request) -> Callable[[str, str], bool]:
    """Whether gradients of two types may stand for each other: a float for NumPy's, and a float
    for an int where ints are differentiated.
    """
    has_ints = any(type(each) is int for each in held_in([*request.args, *_captured(request.f)]))
    reals = FLOATS | {"builtins.int"} if has_ints else FLOATS
    return lambda a, b: a == b or {a, b} <= reals or {a, b} <= COMPLEX


def _scale(records: Sequence[Record]) -> float:
    sizes = [_size(value) for value in numbers_in(list(records))]
    return max((size for size in sizes if np.isfinite(size)), default=0.0)


def _size(value: Any) -> float:
    try:
        return size_of(value)
    except (OverflowError, TypeError):
        return 0.0


def _close_to(scale: float) -> Callable[[Any, Any], bool]:
    """Whether two numbers agree but for rounding in sums of terms of this size."""

    def close(a: Any, b: Any) -> bool:
        try:
            x, y = np.asarray(a, complex), np.asarray(b, complex)
        except (OverflowError, TypeError, ValueError):
            return bool(np.all(a == b))
        sizes = [
            np.asarray(each).dtype.itemsize for each in (a, b) if np.asarray(each).dtype != object
        ]
        narrow = min(sizes, default=8)
        rtol = 1e-9 if narrow >= 8 else 1e-4 if narrow == 4 else 3e-2
        with np.errstate(all="ignore"):
            return bool(np.allclose(x, y, rtol=rtol, atol=1e-3 * rtol * scale, equal_nan=True))

    return close


def _nan_aside(close: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """The same comparison of the entries that are no nan in either."""

    def agree(a: Any, b: Any) -> bool:
        x, y = np.asarray(a), np.asarray(b)
        if x.shape != y.shape or x.dtype == object or y.dtype == object:
            return close(a, b)
        rest = ~(np.isnan(x) | np.isnan(y))
        return close(x[rest], y[rest])

    return agree


def _met_infinity(request: Request, run: Run) -> bool:
    """Is an argument, a captured number or the value infinite?"""
    given = held_in([*request.args, *_captured(request.f)])
    kinds = (float, complex, np.inexact, np.ndarray)
    numbers = [*numbers_in(run.forward.value or []), *given]
    inexact = [np.asarray(each) for each in numbers if isinstance(each, kinds)]
    return any(each.dtype.kind in "fc" and bool(np.isinf(each).any()) for each in inexact)


# --- where they differ ----------------------------------------------------------------------------


def _raise(
    request: Request, found: Found, ordinary: Run, generic: Run, plain: Run, limit: float
) -> None:
    """The error, unless a run differs from itself, or from the other by what rounding explains."""
    again: Run = apart(lambda: _ordinary(request, []), limit)
    plain_again: Run = apart(lambda: _plain(request), limit)
    generic_again: Run = apart(lambda: _generic(request, []), limit)
    if (
        _phases(plain.forward, plain_again.forward)
        or _sweeps(request, generic, generic_again)
        or _sweeps(request, ordinary, again)
        or _values(ordinary, again)
    ):
        raise NotRepeatable("each run gives another result")
    where, statement = request.where, ""
    if found.other == "generic" and found.what.startswith("the gradient"):
        sizes = [_size(each.value) for each in (*again.formed, *generic_again.formed)]
        largest = max((size for size in sizes if np.isfinite(size)), default=0.0)
        close = _close_to(largest)
        ours, theirs = ordinary.reverse.value, generic.reverse.value
        same = functools.partial(difference, alike=_alike(request), of_gradients=True)
        if ours and theirs and same(ours, theirs, close) is None:
            return
        if (
            _met_infinity(request, generic)
            and same(ours or [], theirs or [], _nan_aside(close)) is None
        ):
            raise NotRepeatable("an infinity in a product has nan for its slope in one form alone")
        first = first_difference(again.formed, generic_again.formed, close)
        if first is not None:
            file, _, line = first[0].line.rpartition(":")
            where = Location(file, int(line))
            statement = f"; the first cotangent that differs is {first[0].name} at "
            statement += f"{where}: {first[0].value!r}, in the other text {first[1][:4]!r}"
    runs = {"generic": "the text for arguments of any kind", "plain": "the plain run"}
    raise Disagreement(
        where,
        f"{found.what}, of the derivative of {request.name} and of {runs[found.other]}",
        why=found.why + statement,
        instead="this is a fault of astad: report it with both texts, the error's "
        "texts['ordinary'] and texts['generic']",
        texts={"ordinary": "\n\n".join(again.texts), "generic": "\n\n".join(generic.texts)},
    )


# --- differences ----------------------------------------------------------------------------------


def _direction(request: Request) -> list[tuple[Entry, float]]:
    """Every number of the arguments that moves by steps as small as one likes, with a speed."""
    rng = np.random.default_rng(0)
    wanted = request.wanted if request.wanted is not None else range(len(request.args))
    found = [
        entry
        for at in sorted({*wanted})
        for leaf in leaves_of(request.args[at])
        if np.asarray(leaf.value).dtype.kind in "fc"
        for entry in entries_of(at, leaf)
    ]
    if len(found) > MOST_MOVED:
        return []
    speeds = rng.choice((-1.0, 0.5), len(found)).tolist()
    return list(zip(found, speeds, strict=True))


def _slope(request: Request, bars: dict[int, Any]) -> float | None:
    """The derivative along the direction, by the gradients; None where they do not tell."""
    total = 0.0
    for entry, speed in request.moves:
        try:
            bar = cotangent_at(bars.get(entry.argument), entry.leaf)
            part = claimed_at(bar, entry)
        except (LookupError, TypeError, ValueError):
            return None
        total += speed * (part or 0.0)
    return total if request.moves and np.isfinite(total) else None


def _compare_with_differences(request: Request, ordinary: Run) -> None:
    def numbers(*args: Any, **keywords: Any) -> list[Any]:
        def work() -> list[Any]:
            _Watch(request, Run())
            y = request.f(*args, **keywords)
            return [leaf.value for leaf in leaves_of(y)]

        found: list[Any] = apart(work, SECONDS)
        return found

    y = numbers(*request.args, **request.keywords)
    seed = [1.0] if request.wanted is not None else random_cotangent(y, np.random.default_rng(0))
    try:
        said = directional(numbers, request.args, request.keywords, seed, request.moves)
    except (NotRepeatable, TypeError, IndexError, ArithmeticError, ValueError) as reason:
        raise NotRepeatable(f"differences: {reason}") from None
    slope = ordinary.slope
    assert slope is not None
    size = abs(slope) + abs(said.value)
    if not said.error <= 1e-4 * size + 1e-9:
        raise NotRepeatable("differences: they cannot tell, as at a kink or a jump")
    if abs(slope - said.value) > 10 * said.error + 1e-5 * size + 1e-9:
        raise Disagreement(
            request.where,
            f"the gradient of {request.name} along a direction is {slope!r}, "
            f"by central differences {said.value!r}",
            why="both are the derivative of one function",
            instead="look for a kink, a rule of your own or dropgrad on the way; else it is a "
            "fault of astad: report it with the error's texts['ordinary']",
            texts={"ordinary": "\n\n".join(ordinary.texts)},
        )
