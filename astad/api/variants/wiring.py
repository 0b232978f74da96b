"""Fills the slot of the run time with the compiler: the one file that knows both.

Variants that may fail where the function does not: another for the same kinds answers then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import CodeType, FunctionType
from typing import Any

from astad import settings
from astad.api.variants.kinds_of_values import (
    kinds_of,
    may_change,
    open_word,
    word_of,
    word_of_data,
)
from astad.api.variants.loading import Asked, code_in_rounds, has_entry, load_or_compile
from astad.code_objects import parameters_of
from astad.errors import AstadError
from astad.runtime.core.variants import (
    MOST,
    Fused,
    Pair,
    Variants,
    compiler,
    is_monitored,
    variants_of,
)

__all__ = ["attempt_tentative", "fused_for", "is_stored", "kinds_of", "put_back", "word_of"]

LENGTHS = 3
"""Variants made for lists of certain lengths, before those for lists of any."""


def _compile_taped(fn: FunctionType, variants: Variants) -> Pair:
    """The pair, for any arguments, that leaves a tape where the function raises."""
    return _compile_pair(fn, variants, None, taped=True)


def _copied(error: Exception) -> Exception:
    """With no traceback, which would keep what it goes through."""
    from copy import copy  # late: errors are few

    return copy(error)


def _compile_pair(
    fn: FunctionType, variants: Variants, flat: Sequence[Any] | None, *, taped: bool = False
) -> Pair:
    """A new pair for arguments like these; for None, the generic one."""
    if variants.error is not None:
        again = _copied(variants.error)
        again.of_code = id(fn.__code__)  # type: ignore[attr-defined]
        raise again
    count = len(parameters_of(fn.__code__).flat)
    checks = settings.checks
    kinds = (
        ("unknown",) * count
        if flat is None or checks or settings.only_generic
        else kinds_of(flat, variants.pairs_whole, tied=True, code=fn.__code__)
    )
    try:
        asked = Asked(
            kinds, (True,) * count, fused=False, taped=taped, checked=checks, given=flat or ()
        )
        loaded = load_or_compile(fn, asked)
    except AstadError as error:
        variants.error = _copied(error)
        error.of_code = id(fn.__code__)  # type: ignore[attr-defined]
        raise
    variants.pairs_whole.update(loaded.whole)
    forward, pullback = loaded.functions[:2]
    if checks:
        from astad.runtime.iteration.checked import (
            checked_pair,  # late: it is for those who look for a nan
        )

        forward, pullback = checked_pair(forward, pullback)
    opened = tuple(
        at for at, word in enumerate(kinds) if may_change(word) and at not in loaded.whole
    )
    reaches = loaded.reaches if variants.reaches is None else variants.reaches
    facts = loaded.local_result, loaded.shadows, reaches, loaded, opened
    return Pair(forward, pullback, *facts)


def fused_for(
    fn: FunctionType,
    variants: Variants,
    args: Sequence[Any],
    wanted: tuple[int, ...],
    held: tuple[str, ...] = (),
    *,
    wide: bool = False,
) -> Fused | None:
    """A new fused variant for arguments like these, or None where the pair must serve; ``held``:
    the globals whose contents come last among the arguments; ``wide``: a dict among them may have
    many entries.
    """
    existing = (variants.holding if held else variants.fused).setdefault(wanted, [])
    tried = len(existing)
    if tried >= MOST or settings.checks or settings.only_generic or is_monitored():
        return None
    if variants.pauses():
        return None
    whole = variants.holding_whole if held else variants.whole
    kinds = _fused_kinds(args, variants, tried, whole, wide)
    if "unknown" in kinds or (kinds, wanted) in variants.no_fused:
        return None
    exact = any(made.tentative and made.kinds == kinds for made in existing)
    with variants.lock:
        if len(existing) > tried:
            return existing[-1]  # made by another thread meanwhile, most likely for the same kinds
        asked = tuple(at in wanted for at in range(len(args)))
        try:
            variant = Asked(
                kinds, asked, fused=True, word_of=word_of_data, exact=exact, held=held, given=args
            )
            loaded = load_or_compile(fn, variant)
        except AstadError:
            variants.lacks((kinds, wanted))
            return None
        if loaded.whole and not whole.issuperset(loaded.whole):
            whole.update(loaded.whole)  # perhaps a list of numbers of any length
            return fused_for(fn, variants, args, wanted, held, wide=wide)
        if loaded.form != "fused" or loaded.whole:
            variants.lacks((kinds, wanted))
            return None
        run = loaded.functions[0]
        if any(type(args[at]) in (list, dict, tuple) for at in wanted):
            from astad.api.variants.held_globals import where_apart  # late: few need it

            run = where_apart(fn, run, args, wanted)
        made = Fused(run, loaded.reaches, loaded, kinds, loaded.tentative)
        existing.append(made)
    return made


def is_stored(fn: FunctionType, args: Sequence[Any], count: int, *, fused: bool) -> bool:
    """Does the disk cache hold what is asked for first for arguments like these: the fused variant
    by the first ``count`` of them, or the pair?
    """
    kinds = kinds_of(args, open_=fused, tied=not fused, code=fn.__code__)
    asked = [not fused or at < count for at in range(len(args))]
    return has_entry(fn, kinds, asked, fused)


def _fused_kinds(
    args: Sequence[Any], variants: Variants, tried: int, whole: Collection[int], wide: bool
) -> tuple[str, ...]:
    """Lists of numbers have their lengths told in a few variants; more are for any length."""
    kinds = kinds_of(args, whole, open_=True, code=variants.code, wide=wide)
    if tried < LENGTHS:
        return kinds
    words = map(open_word, args)
    return tuple(
        kind if word == "unknown" else word for kind, word in zip(kinds, words, strict=True)
    )


def _compile_binder(fn: FunctionType) -> Callable[..., tuple[Any, ...]]:
    """A function of the same parameters that returns them flat: Python itself binds and objects."""
    parameters = parameters_of(fn.__code__)
    parts = list(parameters.plain)
    if fn.__code__.co_posonlyargcount:
        parts.insert(fn.__code__.co_posonlyargcount, "/")
    if parameters.rest or parameters.only:
        parts.append(f"*{parameters.rest or ''}")
    parts += parameters.only
    parts += [f"**{parameters.more}"] if parameters.more else []
    flat = "".join(f"{name}, " for name in parameters.flat)
    space: dict[str, Any] = {}
    exec(f"def bind({', '.join(parts)}):\n    return ({flat})", space)
    made: Callable[..., tuple[Any, ...]] = space["bind"]
    code: CodeType = made.__code__
    made.__code__ = code.replace(co_name=fn.__name__, co_qualname=fn.__qualname__)
    return made


def _in_rounds(fn: FunctionType) -> FunctionType:
    """The function with its loops in functions of their own; itself where it has none."""
    variants = variants_of(fn)
    code = variants.rounds
    if code is None:
        code = code_in_rounds(fn) or False
    if not isinstance(code, CodeType):
        variants.rounds = code
        return fn
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    closure = tuple([cells[name] for name in code.co_freevars]) or None
    made = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    made.__kwdefaults__, made.__module__ = fn.__kwdefaults__, fn.__module__
    if variants.rounds is None:
        with variants.lock:
            count = len(parameters_of(fn.__code__).flat)
            asked = Asked(("unknown",) * count, (True,) * count, fused=False)
            found = load_or_compile(fn, asked)
            variants_of(made).reaches, variants.rounds = found.reaches, code
    return made


def _seeded(fn: Any, args: Sequence[Any]) -> Any:
    from astad.api.variants.seeded_callbacks import opened  # late: few programs call solvers

    return opened(fn, args)


compiler.in_rounds = _in_rounds
compiler.seeded = _seeded
compiler.pair = _compile_pair
compiler.taped = _compile_taped
compiler.binder = _compile_binder


# --- variants that may fail


PATIENCE = 8
"""Failures of a tentative variant."""


def put_back(made: Fused, known: Sequence[Fused]) -> None:
    """A tentative variant that fails again and again comes behind the one that does not."""
    made.failed += 1
    if (
        made.failed == PATIENCE
        and isinstance(known, list)
        and any(other.kinds == made.kinds != () for other in known[1:])
    ):
        known.sort(key=lambda each: each is made)


def attempt_tentative(made: Fused, args: tuple[Any, ...]) -> Any:
    """What a variant gives; where a tentative one raises, nothing."""
    try:
        return made.run(*args)
    except Exception:
        if not made.tentative:
            raise
        return NotImplemented
