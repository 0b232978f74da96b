"""Variants of the user's functions, by code object: compiled at need by what
`api/variants/wiring.py` puts into the slot. What was compiled of a function goes with its code.

A variant's guard returns ``NotImplemented`` for arguments it is not made for; then the next is
asked, at last the generic one, which has no guard. Keyed by ``id(code)`` for as long as the code
lives: code objects of equal text in two files compare equal.

What a guard reads of the user's globals as they are now.

An attribute of a `Live` is read in 4 ns, of an object with a ``__getattr__`` in 22. So a guard that
misses a global, or an attribute of a class behind one, raises before it has run anything, and
whoever asked the variant takes that for "not made for this" (`is_from_guard`).
"""

from __future__ import annotations

import sys
from _thread import RLock, allocate_lock
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from sys import gettrace
from types import CodeType, FrameType, FunctionType, MappingProxyType
from typing import Any
from weakref import ref

from astad.code_objects import STARRED
from astad.runtime.cotangents.snapshots import snapshot
from astad.threads import after_fork

__all__ = [
    "MISSING", "MOST", "TABLE", "WRITTEN", "Compiler", "Fused", "Live", "Pair", "Variants",
    "attempt", "compiler", "forget_all", "is_from_guard", "is_monitored", "note_written",
    "run_forward", "run_known", "variants_of",
]  # fmt: skip

MOST = 8
"""Variants per function before the generic one answers all."""
AT_ONCE = 6
"""Kinds of arguments without a fused form before others are tried less and less often."""
PATIENCE = 8
"""Calls for which what globals hold is looked through without a fused variant."""


# Written out: `dataclass` compiles its methods anew in each process, 0.4 ms a class.


class Pair:
    """Forward and pullback of one variant.

    ``local_result``: an array result's cotangent is handed over by value; ``shadows``: the pullback
    reads the table of shadows; ``reaches``: for each parameter whether a derivative can reach it;
    ``opened``: the places of containers of which the pullback returns cotangents of what they hold;
    ``text``: the `Loaded` that it is from.
    """

    __slots__ = ("forward", "local_result", "opened", "pullback", "reaches", "shadows", "text")

    def __init__(
        self,
        forward: Callable[..., Any],
        pullback: Callable[..., Any],
        local_result: bool,
        shadows: bool,
        reaches: tuple[bool, ...],
        text: Any = None,
        opened: tuple[int, ...] = (),
    ) -> None:
        self.forward = forward
        self.opened = opened
        self.pullback = pullback
        self.local_result = local_result
        self.shadows = shadows
        self.reaches = reaches
        self.text = text

    def held(self, flat: Sequence[Any]) -> list[Any]:
        """The arguments; of containers that are taken apart what they hold now, for the cotangents
        are of that.
        """
        found = list(flat)
        for at in self.opened:
            found[at] = snapshot(found[at])
        return found


class Fused:
    """A fused variant: ``run(*args)`` gives ``(y, cotangents)``.

    ``plain`` when these are floats that need no finishing, which the first run shows; ``leaves``
    when they are numbers of several kinds, or None; ``reached`` when a path leads to each;
    ``finish`` finishes them where they are of the usual types. What a
    ``tentative`` one raises, another for the same ``kinds`` has to raise; ``failed`` counts how
    often.
    """

    __slots__ = (
        "failed", "finish", "kinds", "leaves", "plain", "reached", "reaches", "run", "tentative",
        "text",
    )  # fmt: skip

    def __init__(
        self,
        run: Callable[..., Any],
        reaches: tuple[bool, ...],
        text: Any,
        kinds: tuple[str, ...] = (),
        tentative: bool = False,
    ) -> None:
        self.failed = 0
        self.finish: Callable[[Sequence[Any]], tuple[Any, ...]] | None = None
        self.kinds = kinds
        self.tentative = tentative
        self.run = run
        self.reaches = reaches
        self.text = text
        self.plain = False
        self.leaves = False
        self.reached: bool | None = None


class Variants:
    """What is compiled of one function; ``fused`` by the wanted positions, ``tangents`` by those
    that move; ``holding`` those fused ones that take behind all arguments what the globals ``held``
    hold, None before these were looked for; ``patience`` is how often more this is tried in vain.

    ``whole`` are the positions of containers that could not be taken apart in a fused text,
    ``pairs_whole`` in a pair, ``holding_whole`` in the ones that are ``holding``; ``recorded`` is
    what is known of runs that were recorded (`api/gradients/recorded.py`); ``count`` is the number
    of positional arguments that a fused variant takes as they come, -1 where others may have to be
    put beside them; ``captures`` is that number where what the function has captured comes behind
    them, else -1. ``missed``: the object, by number, and the types of arguments that came last to
    a method that is not fused for them; ``pause``: calls for which no other fused form is tried.

    ``rounds``: the code with the loops in functions of their own, False where there are none, None
    before it was asked for; ``reaches``: of such a code, for each parameter whether a derivative
    can reach it by the text of the user's.
    """

    __slots__ = (
        "bind",
        "captures",
        "count",
        "error",
        "fused",
        "generic",
        "globals",
        "held",
        "holding",
        "holding_whole",
        "lock",
        "missed",
        "modules",
        "no_fused",
        "pairs",
        "pairs_whole",
        "patience",
        "pause",
        "reaches",
        "recorded",
        "ref",
        "rounds",
        "tangents",
        "taped",
        "whole",
    )

    def __init__(self, code: CodeType, space: dict[str, Any], key: int | None = None) -> None:
        self.ref = ref(code, partial(_forget, key))
        self.count = -1 if _is_bound_first(code) or code.co_freevars else code.co_argcount
        may = code.co_freevars and not _is_bound_first(code)
        self.captures = code.co_argcount if may else -1
        self.globals = space
        self.pairs: list[Pair] = []
        self.pairs_whole: set[int] = set()
        self.fused: dict[tuple[int, ...], list[Fused]] = {}
        self.held: tuple[str, ...] | None = None
        self.holding: dict[tuple[int, ...], list[Fused]] = {}
        self.holding_whole: set[int] = set()
        self.patience = PATIENCE
        self.recorded: Any = None
        self.tangents: dict[tuple[Any, ...], list[Callable[..., Any]]] = {}
        self.modules: dict[Any, Any] = {}
        self.no_fused: set[Any] = set()
        self.pause = 0
        self.missed: tuple[Any, ...] = ()
        self.generic: Pair | None = None
        self.taped: Pair | None = None
        self.error: Exception | None = None
        self.reaches: tuple[bool, ...] | None = None
        self.rounds: CodeType | bool | None = None
        self.bind: Callable[..., tuple[Any, ...]] | None = None
        self.whole: set[int] = set()
        self.lock = RLock()

    @property
    def code(self) -> CodeType | None:
        """The code, while it lives."""
        return self.ref()

    def lacks(self, kinds: Any) -> None:
        """There is no fused form for these. Each call may have others, as those of trees and
        graphs: to find that out takes a hundred times as long as the pair.
        """
        self.no_fused.add(kinds)
        vain = len(self.no_fused) - AT_ONCE
        if vain >= 0:
            self.pause = 8 << min(vain, 12)

    def pauses(self) -> bool:
        """Are fused forms for other kinds not looked for in this call?"""
        if not self.pause:
            return False
        self.pause -= 1
        return True


TABLE: dict[int, Variants] = {}


def _forget(key: int | None, gone: ref[CodeType], table: dict[int, Variants] = TABLE) -> None:
    """Called when a code object goes, before another may have its number; at the end of the process
    too, when the names of this module are gone.
    """
    found = table.get(key) if key is not None else None
    if key is not None and found is not None and found.ref is gone:
        del table[key]


def _is_bound_first(code: CodeType) -> bool:
    """Do its parameters take more than positional arguments?"""
    return bool(code.co_kwonlyargcount or code.co_flags & STARRED)


class Compiler:
    """The slot: what the run time asks for, filled from above."""

    pair: Callable[[FunctionType, Variants, Sequence[Any] | None], Pair]
    """For arguments like these; for None the one for any."""
    taped: Callable[[FunctionType, Variants], Pair]
    """For any arguments, with a tape that stays where the function raises."""
    binder: Callable[[FunctionType], Callable[..., tuple[Any, ...]]]
    in_rounds: Callable[[FunctionType], FunctionType]
    """The same function with its loops in functions of their own; itself where it has none."""
    seeded: Callable[[Any, Sequence[Any]], Any]
    """Texts for the derivatives of a callback (`runtime/core/seeded.py`), or None."""


compiler = Compiler()

_lock = allocate_lock()


def variants_of(fn: FunctionType) -> Variants:
    """The variants of this function's code under this function's globals."""
    code = fn.__code__
    found = TABLE.get(id(code))
    if found is not None and found.globals is fn.__globals__:
        return found
    with _lock:
        found = TABLE.get(id(code))
        if found is None:
            found = TABLE[id(code)] = Variants(code, fn.__globals__, id(code))
            _take_the_place(fn)
        elif found.globals is not fn.__globals__:
            key = hash((id(code), id(fn.__globals__)))
            found = TABLE.setdefault(key, Variants(code, fn.__globals__, key))
            if found.globals is not fn.__globals__ or found.code is not code:
                found = Variants(code, fn.__globals__)
    return found


_named: dict[tuple[int, str], ref[CodeType]] = {}
"""The code of the functions that modules have under their names."""


def _take_the_place(fn: FunctionType) -> None:
    """What was compiled of the function that had this name before goes: text of one that calls
    itself holds the function, which would then live for ever.
    """
    space, code = fn.__globals__, fn.__code__
    if space.get(code.co_name) is not fn:
        return
    place = id(space), code.co_name
    held = _named.get(place)
    _named[place] = ref(code, partial(_leave_the_place, place))
    old = held() if held is not None else None  # numbers come again, of what has gone
    if old is not None and old is not code and id(old) in TABLE and TABLE[id(old)].globals is space:
        del TABLE[id(old)]


def _leave_the_place(
    place: tuple[int, str],
    gone: ref[CodeType],
    named: dict[tuple[int, str], ref[CodeType]] = _named,
) -> None:
    if named.get(place) is gone:
        del named[place]


def _free_locks() -> None:
    """Of a child: the threads that held them are not here."""
    global _lock
    _lock = allocate_lock()
    for variants in list(TABLE.values()):
        if variants.lock.acquire(blocking=False):  # free, or held by this very thread
            variants.lock.release()
        else:
            variants.lock = RLock()


after_fork(_free_locks)


def forget_all() -> None:
    """Drop every variant: after a rule was declared, inlined formulas may be old. Whoever holds a
    table sees it empty.
    """
    with _lock:
        for variants in list(TABLE.values()):
            variants.pairs.clear()
            variants.no_fused.clear()
            variants.missed = ()
            variants.pause = 0
            variants.modules.clear()
            variants.tangents.clear()
            variants.whole.clear()
            variants.pairs_whole.clear()
            variants.generic = variants.taped = variants.error = None
            variants.held = variants.recorded = None
            variants.holding_whole.clear()
            variants.patience = PATIENCE
            for made in (*variants.fused.values(), *variants.holding.values()):
                made.clear()


def bound_arguments(
    fn: FunctionType, args: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Any, ...]:
    """The arguments flat, in the order of the parameters; Python's own TypeError where they do not
    fit.
    """
    code = fn.__code__
    if (
        len(args) == code.co_argcount
        and not keywords
        and not code.co_kwonlyargcount
        and not code.co_flags & STARRED
    ):
        return tuple(args)
    variants = variants_of(fn)
    if variants.bind is None:
        variants.bind = compiler.binder(fn)
    bind = FunctionType(variants.bind.__code__, fn.__globals__, fn.__name__, fn.__defaults__)
    bind.__kwdefaults__ = fn.__kwdefaults__
    bind.__qualname__ = fn.__qualname__
    return bind(*args, **keywords)  # type: ignore[no-any-return]


def run_forward(fn: FunctionType, flat: Sequence[Any], versions: Any) -> tuple[Any, Any, Pair]:
    """``(y, kept, pair)`` by the first variant whose guard lets the arguments pass.

    While a tracer is active (pdb, coverage) the generic one answers: there no callee is written
    out in the place of its call, so that breakpoints are met and lines counted. So it does once
    a number was stored in a class: it alone reads such numbers as what may carry a derivative. And
    where one was taken apart, for what may have ints in it: the others take step functions of ints
    for constants.
    """
    variants = variants_of(fn)
    closure: tuple[Any, ...] = (fn.__closure__,) if fn.__closure__ else ()
    tried = 0
    is_plain = gettrace() is None and not versions.rebinds and versions.budget is None
    if versions.exact and is_plain:
        is_plain = not closure and _WITHOUT_INTS.issuperset(map(type, flat))
    pairs = (variants.pairs or _more_pairs(fn, variants, flat, 0)) if is_plain else []
    while pairs:
        for pair in pairs:
            out = attempt(pair.forward, (versions, *closure, *flat))
            if out is not NotImplemented:
                return out[0], out[1], pair
        tried += len(pairs)
        pairs = _more_pairs(fn, variants, flat, tried)
    return _run_generic(fn, variants, (versions, *closure, *flat))


_WITHOUT_INTS: frozenset[type] = frozenset([float, str, bool, type(None)])


def run_known(fn: FunctionType, args: tuple[Any, ...], versions: Any) -> Any:
    """``(y, kept, pair)`` by a variant that is there already; None where there is none, or where
    arguments, captured variables or a tracer ask for more.
    """
    variants = TABLE.get(id(fn.__code__))
    if variants is None or variants.count != len(args) or variants.globals is not fn.__globals__:
        return None
    if gettrace() is not None or versions.rebinds or versions.exact or versions.budget is not None:
        return None
    for pair in variants.pairs:
        try:
            out = pair.forward(versions, *args)
        except MISSING as error:
            if not is_from_guard(error):
                raise
            continue
        if out is not NotImplemented:
            return out[0], out[1], pair
    return None


def run_taped(fn: FunctionType, flat: Sequence[Any], versions: Any) -> tuple[Any, Any, Pair]:
    """The same by the pair that leaves a tape where the function raises."""
    variants = variants_of(fn)
    closure: tuple[Any, ...] = (fn.__closure__,) if fn.__closure__ else ()
    return _run_generic(fn, variants, (versions, *closure, *flat), taped=True)


def is_monitored() -> bool:
    """Does a tool ask `sys.monitoring` which lines run, as coverage may from Python 3.12 on?"""
    return _get_tool is not None and any(map(_get_tool, _WATCHERS))


_get_tool: Callable[[int], str | None] | None = getattr(
    getattr(sys, "monitoring", None), "get_tool", None
)
_WATCHERS = (0, 1, 3, 4)
"""Debuggers, coverage, and who finds these numbers taken; not profilers, which ask for no lines."""


def _more_pairs(
    fn: FunctionType, variants: Variants, flat: Sequence[Any], tried: int
) -> list[Pair]:
    """Those that another thread has made meanwhile, or else a new one, if there is room; none for a
    tool that asks for lines, as `run_forward` says.
    """
    if is_monitored():
        return []
    with variants.lock:
        if len(variants.pairs) == tried < MOST:
            variants.pairs = [*variants.pairs, compiler.pair(fn, variants, flat)]
        return variants.pairs[tried:]


def _run_generic(
    fn: FunctionType, variants: Variants, given: tuple[Any, ...], *, taped: bool = False
) -> tuple[Any, Any, Pair]:
    """By the pair for arguments of any kind, made anew where a global that it relies on has been
    bound anew.
    """
    for _ in range(MOST):
        generic = variants.taped if taped else variants.generic
        out = NotImplemented if generic is None else attempt(generic.forward, given)
        if generic is not None and out is not NotImplemented:
            return out[0], out[1], generic
        with variants.lock:
            if taped and variants.taped is generic:
                variants.taped = compiler.taped(fn, variants)
            elif not taped and variants.generic is generic:
                variants.generic = compiler.pair(fn, variants, None)
    raise RuntimeError(
        f"{fn.__qualname__}: a name that it reads stands for another object at each look-up"
    )


# --- what guards read -----------------------------------------------------------------------------


WRITTEN: dict[int, tuple[dict[str, Any], set[str]]] = {}
"""Globals that a text may not take for constants. By the id of a namespace: the namespace, and the
names in it that have held an active number, or are bound anew.
"""


def note_written(space: dict[str, Any], name: str) -> bool:
    """From now on no text takes this global for a constant; True where that is new."""
    names = WRITTEN.setdefault(id(space), (space, set()))[1]
    is_new = name not in names
    names.add(name)
    return is_new


class Live:
    """A module's live globals, then builtins, as attributes; ``__dict__`` is that of the module."""

    __dict__: dict[str, Any]


def is_from_guard(error: Exception) -> bool:
    """Did the guard of the function just called raise this, and no function that it called?

    To be asked in the frame that called it.
    """
    if not isinstance(error, MISSING):
        return False
    frames = error.__traceback__
    called = frames.tb_next if frames else None
    if called is None or called.tb_next is not None:
        return False
    if isinstance(error, AttributeError) and isinstance(error.obj, Live):
        return True
    return _reads_behind(called.tb_frame, called.tb_lasti)


MISSING = (AttributeError, KeyError, TypeError, ValueError)
"""What a guard may meet: a name or a key that is gone, no closure, an empty cell."""
_STEPS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_CONST", "BINARY_SUBSCR", "CACHE", "EXTENDED_ARG")


def _reads_behind(frame: FrameType, at: int) -> bool:
    """Is what is read there an attribute or an item behind what only guards name: the user's live
    globals, or what a class holds? By then that may be another thing, or nothing.
    """
    from dis import get_instructions  # late: only where a guard has failed in this way

    before = [step for step in get_instructions(frame.f_code) if step.offset <= at]
    while before and before[-1].opname in _STEPS:
        before.pop()
    first = before[-1] if before else None
    if first is None or first.opname != "LOAD_GLOBAL":
        return False
    return isinstance(frame.f_globals.get(first.argval), (Live, MappingProxyType))


def attempt(forward: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a variant gives; NotImplemented as well where its guard misses a global."""
    try:
        return forward(*given)
    except MISSING as error:
        if not is_from_guard(error):
            raise
        return NotImplemented
