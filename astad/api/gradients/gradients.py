"""What users call for gradients: gradient, grad, value_and_grad.

By a fused text where there is one for such arguments; else by the pullback, which reads the
dispatcher: a program that needs it not is spared the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import gettrace
from time import perf_counter
from types import CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from astad import settings
from astad.api.variants.argument_numbers import among, check_keywords, positions_of
from astad.api.variants.arguments import contents_of
from astad.api.variants.derived import Derived, as_function, called, calling
from astad.api.variants.finishing import apart, are_ready, finished, finished_leaf
from astad.api.variants.ruled import LIBRARIES, is_ruled
from astad.api.variants.tracebacks import in_users_words
from astad.api.variants.whole import pass_over_ours, verifier, whole
from astad.api.variants.wiring import attempt_tentative, fused_for, kinds_of, put_back
from astad.code_objects import STARRED
from astad.errors import Unsupported, WrongCall
from astad.rules.in_force import CUSTOM
from astad.runtime.core.variants import (
    TABLE,
    Fused,
    Variants,
    bound_arguments,
    is_from_guard,
    variants_of,
)
from astad.runtime.cotangents.owners import are_apart
from astad.tangents.unasked import lookup_in_class

__all__ = ["grad", "gradient", "gradient_if_fused", "value_and_grad"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


def gradient(f: Callable[..., Any], /, *args: Any, **keywords: Any) -> tuple[Any, ...]:
    """Gradients of a scalar function, one per positional argument.

    Returns
    -------
    tuple
        Each in the structure of its argument; ``None`` where no derivative leads to it. In the
        place of arguments there may be `Params`: then it is `Grads`.

    Raises
    ------
    AstadError : where the derivative cannot be carried.
    TypeError : if the result is no real scalar.

    Examples
    --------
    >>> gradient(lambda x: 3*x**2 + 2*x + 1, 5)
    (32,)
    >>> gradient(lambda a, b: a * b, 2.0, 3.0)
    (3.0, 2.0)
    """
    wanted = _ALL[len(args)] if len(args) < 8 else tuple(range(len(args)))
    try:
        is_plain = type(f) is FunctionType and not keywords and gettrace() is None
        is_plain = is_plain and not settings.budgets
        variants = TABLE.get(id(f.__code__)) if is_plain and id(f) not in CUSTOM else None
        if variants and variants.globals is f.__globals__:
            given = args if variants.count == len(args) else _with_captured(f, variants, args)
            known = variants.fused.get(wanted, ()) if given is not None else ()
            out = _short_way(known, given, wanted)
            if out is not NotImplemented:
                return out[1]  # type: ignore[no-any-return]
        elif not keywords and (calls := called(f, len(args))) is not None:
            out = _short_way_of_rule(f, calls, args, wanted)
            if out is not NotImplemented:
                return out[1]  # type: ignore[no-any-return]
        return _value_and_gradients(f, args, keywords, wanted)[1]
    except BaseException as error:
        in_users_words(error)
        raise


_ALL = tuple(tuple(range(count)) for count in range(8))


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The function that gives the gradient of ``f`` in the arguments at ``argnums``.

    Examples
    --------
    >>> grad(lambda x, y: x * y * y, argnums=1)(2.0, 3.0)
    12.0
    """
    both = _of_both(f, argnums)
    return Derived(lambda *args, **keywords: both(*args, **keywords)[1], grad, f, argnums)


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., tuple[Any, Any]]:
    """The function that gives the value of ``f`` and its gradient in the arguments at ``argnums``;
    no other is computed.

    Examples
    --------
    >>> value_and_grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (6.0, (3.0, 2.0))
    """
    return Derived(_of_both(f, argnums), value_and_grad, f, argnums)


def _of_both(f: Any, argnums: Any) -> Callable[..., tuple[Any, Any]]:
    try:
        positions, single = positions_of(f, argnums)
    except WrongCall as error:
        in_users_words(error)
        raise
    variants = variants_of(f) if type(f) is FunctionType else None
    known = variants.fused.setdefault(positions, []) if variants is not None else []
    code = variants.code if variants is not None else None
    count = variants.count if variants is not None else -1
    captures = variants.captures if variants is not None else -1

    def both(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        try:
            short = known and len(args) in (count, captures) and not keywords and gettrace() is None
            short = short and not settings.budgets
            if short and f.__code__ is code and id(f) not in CUSTOM:
                given = args if captures < 0 else _with_captured(f, variants, args)
                out = NotImplemented if given is None else _short_way(known, given, positions)
                if out is not NotImplemented:
                    return (out[0], out[1][0]) if single else out
            wanted = among(f, positions, args, keywords)
            y, found = _value_and_gradients(f, args, keywords, wanted)
            return y, found[0] if single and type(found) is tuple else found
        except BaseException as error:
            in_users_words(error)
            raise

    return both


def _with_captured(f: Any, variants: Any, args: tuple[Any, ...]) -> Any:
    """The arguments and behind them what the function has captured; None where more is to be put
    in its place.
    """
    if variants.captures != len(args) or f.__closure__ is None:
        return None
    captured = contents_of(f.__closure__)
    return None if captured is None else (*args, *captured)


def _short_way(known: Sequence[Fused], args: tuple[Any, ...], wanted: tuple[int, ...]) -> Any:
    """By a fused variant that is there."""
    for made in known:
        try:
            out = made.run(*args)
        except Exception as error:
            excused = is_from_guard(error) or any(other.tentative for other in known)
            if not excused:
                raise
            if not made.tentative:
                return NotImplemented
            out = NotImplemented
        if out is not NotImplemented:
            return out if made.plain else (out[0], _finished(out[1], args, wanted, made))
        if made.tentative:
            put_back(made, known)
    return NotImplemented


def _value_and_gradients(
    f: Any, args: tuple[Any, ...], keywords: dict[str, Any], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]]:
    if gettrace() is not None:
        pass_over_ours()
    if whole.params is not None and any(type(arg) is whole.params for arg in args):
        y, back = whole.run(f, args, keywords, self_too=False)
        return y, whole.of_scalar(f, back, args, wanted)
    if settings.verify:
        verifier.before("gradient", f, args, keywords, wanted)
    if keywords:
        check_keywords(f, args, keywords)
    if type(f) is Derived:
        f = as_function(f, len(args)) or f
    given = None
    if settings.budgets and _has_budget():
        pass  # of what is kept, the pair tells
    elif type(f) is FunctionType and not is_ruled(f):
        # a fused function answers in the order of the parameters
        order = wanted if len(wanted) < 2 else tuple(sorted(set(wanted)))
        found = _fused(f, args, keywords, order)
        if found is not None:
            return _in_order(found, order, wanted)
        given = (f, args, order) if order == wanted else None
    elif (bound := _bound(f)) is not None:
        found = _fused_with_object(*bound, args, keywords, wanted)
        if found is not None:
            return found
        shifted = tuple(at + 1 for at in wanted)
        is_in_order = tuple(sorted(set(wanted))) == wanted
        given = (bound[0], (bound[1], *args), shifted) if is_in_order else None
    elif not keywords and (calls := _calling_rule(f, len(args))) is not None:
        order = tuple(sorted(set(wanted)))
        found = _fused_with_rule(calls, args, order)
        if found is not None:
            return _in_order(found, order, wanted)
        given = (calls, args, order) if order == wanted else None
    return _by_pair(f, args, keywords, wanted, given)


def _in_order(
    found: tuple[Any, tuple[Any, ...]], order: tuple[int, ...], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]]:
    """The gradients as they are wanted, of those in the order of the parameters."""
    if order == wanted:
        return found
    return found[0], tuple(apart([found[1][order.index(at)] for at in wanted]))


def _by_pair(
    f: Any,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    wanted: tuple[int, ...],
    given: tuple[FunctionType, tuple[Any, ...], tuple[int, ...]] | None,
) -> tuple[Any, tuple[Any, ...]]:
    """Where there is no fused form; ``given``: function, arguments and places by which a run of it
    may be recorded.
    """
    watched = None
    if given is not None and gettrace() is None:
        watched = _watched(*given[:2])
    started = perf_counter()
    try:
        y, back = whole.run(f, args, keywords, self_too=False)
        out = y, whole.of_scalar(f, back, args, wanted)
    except Unsupported as error:
        known = None
        if given is None or watched is None or not error.is_inside:
            raise
        if not watched.has_written():
            known = _recorded_instead(*given, keywords)
        if known is None:
            raise
        return known
    if given is not None:
        _note_of_pair(*given, keywords, out, perf_counter() - started)
    return out


def _watched(f: FunctionType, args: tuple[Any, ...]) -> Any:
    """Where a derivative inside may be refused in the middle of a run, and what has been done by
    then is seen by the run that is recorded in its place.
    """
    code = f.__code__
    if code not in _TAKING:
        from astad.api.memory.watched import may_take_derivatives  # late: so too

        _TAKING[code] = may_take_derivatives(f)
    if not _TAKING[code]:
        return None
    from astad.api.memory.watched import Watched  # late: few take derivatives

    return Watched(f, args)


_TAKING: WeakKeyDictionary[CodeType, bool] = WeakKeyDictionary()


def gradient_if_fused(
    f: Any, args: tuple[Any, ...], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]] | None:
    """Value and gradients of a function that gives a number, in the order of the parameters; None
    where there is no fused variant.
    """
    if type(f) is not FunctionType or is_ruled(f) or settings.budgets or settings.verify:
        return None
    return _fused(f, args, {}, wanted)


def _note_of_pair(
    f: FunctionType,
    args: tuple[Any, ...],
    wanted: tuple[int, ...],
    keywords: dict[str, Any],
    out: tuple[Any, tuple[Any, ...]],
    took: float,
) -> None:
    """The pair had to answer: what it did may be recorded."""
    variants = variants_of(f)
    if variants.recorded is not None and variants.recorded.is_done():
        return
    if gettrace() is not None:
        return
    from astad.api.gradients import recorded  # late: only where there is no fused form

    flat = recorded.flat_of(f, args, keywords)
    if flat is not None:
        recorded.note_of_pair(recorded.Answer(f, flat, wanted, out), variants, took)


def _recorded_instead(
    f: FunctionType, args: tuple[Any, ...], wanted: tuple[int, ...], keywords: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]] | None:
    """The pair cannot answer: what the function does may be recorded."""
    if gettrace() is not None:
        return None
    from astad.api.gradients import recorded  # late: only where there is no fused form

    flat = recorded.flat_of(f, args, keywords)
    return None if flat is None else recorded.instead_of_pair(f, flat, wanted, variants_of(f))


def _has_budget() -> bool:
    from astad.api.memory.memory_budgets import budget_in_force  # late: few need it

    return budget_in_force() is not None


def _bound(f: Any) -> tuple[FunctionType, Any] | None:
    """The function of a method, or of an object of the user's that is called, and the object."""
    kind = type(f)
    if kind is MethodType:
        fn, own = f.__func__, f.__self__
    else:
        fn, own = lookup_in_class(kind, "__call__"), f
        if id(f) in CUSTOM or str(kind.__module__).partition(".")[0] in LIBRARIES:
            return None
    return (fn, own) if type(fn) is FunctionType and not is_ruled(fn) else None


def _short_way_of_rule(
    f: Any, calls: FunctionType, args: tuple[Any, ...], wanted: tuple[int, ...]
) -> Any:
    """The same of a function without a text, by what ``calls`` it."""
    if id(f) in CUSTOM or settings.budgets or gettrace() is not None:
        return NotImplemented
    return _short_way(variants_of(calls).fused.get(wanted, ()), args, wanted)


def _calling_rule(f: Any, count: int) -> FunctionType | None:
    """A function with a text that calls ``f``, of which there is a rule: it has variants, too."""
    if id(f) in CUSTOM or id(f) in _OF_FRAMES or not count:
        return None
    known = called(f, count)
    if known is not None:
        return known
    from astad.rules.registry import lookup  # late, as the whole

    return calling(f, count) if id(f) in whole.full or lookup(f) is not None else None


def _fused_with_rule(
    calls: FunctionType, args: tuple[Any, ...], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]] | None:
    """By a fused variant of what calls a function with a rule; what had none is not looked through
    in every call.
    """
    variants, asked = variants_of(calls), (wanted, *map(type, args))
    if variants.missed == asked:
        return None
    found = _fused(calls, args, {}, wanted)
    if found is None and gettrace() is None and not settings.checks and not settings.only_generic:
        variants.missed = asked
    return found


_OF_FRAMES = frozenset(map(id, (dir, eval, exec, globals, locals, super, vars)))
"""What these give depends on the function that calls them."""


def _fused_with_object(
    fn: FunctionType,
    own: Any,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    wanted: tuple[int, ...],
) -> tuple[Any, tuple[Any, ...]] | None:
    """By a fused variant of a method, with the object before its arguments."""
    variants, asked = variants_of(fn), (id(own), *map(type, args))
    if variants.missed == asked:
        return None  # the object is looked through once, not in every call
    order = tuple(sorted({at + 1 for at in wanted}))
    found = _fused(fn, (own, *args), keywords, order)
    if found is None:
        if gettrace() is None and not settings.checks and not settings.only_generic:
            variants.missed = asked
        return None
    bars = found[1]
    if list(order) == [at + 1 for at in wanted]:
        return found[0], bars
    return found[0], tuple(apart([bars[order.index(at + 1)] for at in wanted]))


def _fused(
    f: FunctionType, args: tuple[Any, ...], keywords: dict[str, Any], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]] | None:
    """By a fused variant, if there is one for such arguments; not while a tracer is active."""
    variants = variants_of(f)
    code = f.__code__
    if gettrace() is not None:
        return None  # 15 ns; pdb and coverage then see the user's lines, once and in order
    if code.co_flags & STARRED:
        return _by_recorded_run(f, args, keywords, wanted)
    if len(args) != code.co_argcount or code.co_kwonlyargcount or keywords:
        flat = bound_arguments(f, args, keywords)  # with the defaults
        if not _are_apart(args, flat[len(args) :]):
            return None
        args = flat
    if f.__closure__:
        captured = contents_of(f.__closure__)
        if captured is None:
            return None
        args = (*args, *captured)
    found = _by_variant(f, variants, args, wanted, ())
    if found is not None:
        return found
    if variants.held is None:
        from astad.api.variants.held_globals import held_globals  # late: few need it

        variants.held = held_globals(f)
    names, space = variants.held, f.__globals__
    if not names or any(name not in space for name in names):
        return None
    found = _by_variant(f, variants, (*args, *[space[name] for name in names]), wanted, names)
    if found is None and not any(variants.holding.values()):
        variants.patience -= 1
        if not variants.patience:
            variants.held = ()  # to look through them costs more than it has brought
    return found


def _by_recorded_run(
    f: FunctionType, args: tuple[Any, ...], keywords: dict[str, Any], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]] | None:
    """Of a function of ``*args`` or ``**keywords``, by what was recorded with so many arguments."""
    variants = variants_of(f)
    if variants.recorded is None or not variants.recorded.made:
        return None
    from astad.api.gradients import recorded  # late: only where there is no fused form

    flat = recorded.flat_of(f, args, keywords)
    if flat is None:
        return None
    for made in variants.fused.get(recorded.key_of(f, wanted, len(flat)), ()):
        out = attempt_tentative(made, flat)
        if out is not NotImplemented:
            return out if made.plain else (out[0], _finished(out[1], flat, wanted, made))
    return None


def _by_variant(
    f: FunctionType,
    variants: Variants,
    args: tuple[Any, ...],
    wanted: tuple[int, ...],
    held: tuple[str, ...],
) -> tuple[Any, tuple[Any, ...]] | None:
    """By a fused variant that is there or is made; ``held``: the globals whose contents come last
    among the arguments.
    """
    known = variants.holding if held else variants.fused
    try:
        for made in known.get(wanted, ()):
            out = attempt_tentative(made, args) if made.tentative else made.run(*args)
            if out is not NotImplemented:
                return out if made.plain else (out[0], _finished(out[1], args, wanted, made))
        fresh = fused_for(f, variants, args, wanted, held)
        out = attempt_tentative(fresh, args) if fresh is not None else NotImplemented
        if fresh is not None and fresh.tentative and out is NotImplemented:
            fresh = fused_for(f, variants, args, wanted, held)
            out = fresh.run(*args) if fresh is not None else NotImplemented
    except Exception as error:
        if is_from_guard(error):
            return None
        raise
    if fresh is None:
        return None
    if out is NotImplemented:  # one array under two names: no kind tells
        variants.no_fused.add((kinds_of(args, variants.whole, code=variants.code), wanted))
        return None
    return out[0], _finished(out[1], args, wanted, fresh)


def _are_apart(args: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Does no array among the arguments come in a second time, by keyword or as a default?"""
    arrays = [arg for arg in args if issubclass(type(arg), np.ndarray)]
    found = [other for other in others if issubclass(type(other), np.ndarray)]
    return all(are_apart(array, other) for array in arrays for other in found)


def _finished(
    bars: tuple[Any, ...], args: tuple[Any, ...], wanted: tuple[int, ...], made: Fused
) -> tuple[Any, ...]:
    """Gradients as promised: floats as they are, arrays dense and apart, zeros where a path
    exists.
    """
    if made.leaves:  # a zero may stand for no path
        reaches = made.reaches
        return tuple(
            [
                bar if type(bar) is float and bar else finished_leaf(bar, args[at], reaches[at])
                for bar, at in zip(bars, wanted, strict=True)
            ]
        )
    finish = made.finish
    if finish is not None:
        try:
            return finish(bars)
        except ValueError:
            made.finish = None  # cotangents of other types than is usual: so they are in each call
    first = made.reached is None
    if first:
        made.reached = all(made.reaches[at] for at in wanted)
    if made.reached and are_ready(bars, args, wanted):
        # so it is in every run: kinds are guarded
        made.plain = all(type(args[at]) in (float, list) for at in wanted)
        return bars
    if first and made.kinds:
        words = [made.kinds[at] for at in wanted]
        made.leaves = _LEAVES.issuperset(words)
        if not made.leaves:
            from astad.api.variants.finishing_plans import plan_of  # late: many have no containers

            paths = [made.reaches[at] for at in wanted]
            made.finish = plan_of([args[at] for at in wanted], words, paths)
    return finished(bars, [args[at] for at in wanted], [made.reaches[at] for at in wanted])


_LEAVES = frozenset({"float", "int", "real", "inert", "None"})
"""Kinds of arguments whose gradients are numbers or None."""
