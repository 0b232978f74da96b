"""What users call in reverse mode: pullback, gradient, grad, value_and_grad."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from sys import gettrace
from types import FunctionType
from typing import Any

import numpy as np

from astad import settings
from astad.api.argument_numbers import among, check_keywords, named, positions_of
from astad.api.arguments import contents_of, separated, written_twice
from astad.api.derived import Derived
from astad.api.finishing import apart, are_ready, finished, real_path
from astad.api.overwriting import Guards, handed_out
from astad.api.scalar_results import check_scalar
from astad.api.stepping import pass_over_ours
from astad.api.tentative import attempt_tentative, put_back
from astad.api.tracebacks import in_users_words
from astad.api.wiring import fused_for, kinds_of
from astad.code_objects import STARRED
from astad.errors import AstadError, Unsupported, WrongCall
from astad.rules.custom import CUSTOM, NO_PATH
from astad.runtime.aliases import aliases_any
from astad.runtime.dispatch import call, pull
from astad.runtime.drawn_again import Again
from astad.runtime.guarded import are_apart
from astad.runtime.hidden import has_come, hidden_in
from astad.runtime.library import in_own_type
from astad.runtime.live import is_from_guard
from astad.runtime.memos import doubted
from astad.runtime.namespaces import namespaces_in
from astad.runtime.ruled import is_ruled
from astad.runtime.severed import check_twins
from astad.runtime.shadows import Shadows
from astad.runtime.structures import collect, is_touched, scatter, snapshot
from astad.runtime.variants import TABLE, Fused, Pair, bound_arguments, variants_of
from astad.runtime.versions import Versions
from astad.tangents.zero import is_number, seed_of

__all__ = ["Pullback", "grad", "gradient", "pullback", "pullback_self", "value_and_grad"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


class Pullback:
    """The second result of ``pullback``: from the cotangent of the result to those of the
    arguments.

    It may be called any number of times, from several threads; it is linear and changes nothing
    of the user's.
    """

    __slots__ = (
        "_args",
        "_count",
        "_entries",
        "_fn",
        "_found",
        "_guards",
        "_hidden",
        "_namespaces",
        "_own_entry",
        "_record",
        "_result",
        "_self_too",
        "_shape",
        "_y",
        "name",
    )

    def __init__(
        self, fn: Any, args: Sequence[Any], record: Any, y: Any, count: int, self_too: bool
    ) -> None:
        self._fn = fn
        self._args = args
        self._entries = [snapshot(arg) for arg in args]
        self._namespaces = [namespaces_in(entry) for entry in self._entries]
        self._hidden = [
            [each for part in (entry, *inner.values()) for each in hidden_in(part)]
            for entry, inner in zip(self._entries, self._namespaces, strict=True)
        ]
        self._own_entry = snapshot(fn) if self_too else None
        self._found: dict[Any, Any] = {}
        self._record = record
        self._y = self._result = y
        self._guards: Guards | None = None
        self._count = count
        self._self_too = self_too
        self._shape: tuple[int, ...] | None = None
        self.name = getattr(fn, "__qualname__", type(fn).__name__)

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        """Cotangents of the positional arguments, ``None`` where no derivative leads.

        Parameters
        ----------
        y_bar : number, array or structure like the result
            The cotangent of the result, in [seed] / [y].
        """
        return self.gradients(y_bar, range(len(self._args)))

    def gradients(self, y_bar: Any, wanted: Collection[int]) -> tuple[Any, ...]:
        """The same, with None for the arguments at other places than those wanted."""
        try:
            if self._shape not in (None, getattr(self._result, "shape", None)):
                raise Unsupported(
                    self.name,
                    f"the result of shape {self._shape} was given another shape in place",
                    why="the reverse sweep adds to its cotangent in the shape that it had",
                    instead="reshape it by y.reshape(...), or call back first",
                )
            shadows, bars = self._swept(y_bar, {})
            doubts = doubted(self._found, shadows, (*self._entries, self._own_entry))
            if doubts:
                shadows, bars = self._swept(y_bar, doubts)
            return tuple(apart(self._collected(shadows, bars, wanted)))
        except BaseException as error:
            refused = error.__cause__  # NumPy was given a cotangent that cannot be had
            if isinstance(refused, AstadError):
                in_users_words(refused)
                raise refused from None
            in_users_words(error)
            raise

    def _swept(self, y_bar: Any, doubts: dict[Any, AstadError]) -> tuple[Shadows, Sequence[Any]]:
        """The reverse sweep: the shadows, and what it gave for the arguments."""
        shadows = Shadows()
        shadows.doubted = doubts
        local = scatter(shadows, self._result, y_bar)
        if self._guards is not None:
            self._guards.check(self.name)
        with np.errstate(all="ignore"):  # what the forward sweep did not warn of is no news
            return shadows, pull(shadows, self._record, local, self._count)

    def _collected(
        self, shadows: Shadows, bars: Sequence[Any], wanted: Collection[int]
    ) -> list[Any]:
        """The gradients of the arguments, of the callable itself before them if asked for."""
        reaches = _reaches(self._fn, self._record, self._y, self._args, self._count)
        if id(self._fn) in NO_PATH:
            reaches = [False] * self._count
        found: list[Any] = []
        for at, (arg, entry, bar, path) in enumerate(
            zip(self._args, self._entries, bars, reaches, strict=False)
        ):
            if at not in wanted:
                found.append(None)
                continue
            self._check_hidden(shadows, at)
            shadows.namespaces = self._namespaces[at]
            if shadows.namespaces:
                self._check_namespaces(shadows, at)
            bar = collect(shadows, arg, entry, real_path(bar, path), path)
            found.append(in_own_type(shadows, arg, real_path(bar, path)))
        if self._self_too:
            shadows.namespaces = {}
            found.insert(0, collect(shadows, self._fn, self._own_entry, None, False))
        return found

    def _check_hidden(self, shadows: Shadows, at: int) -> None:
        """Raise if the result depends on what an argument holds and nobody can look into."""
        for each in self._hidden[at]:
            if has_come(shadows, each):
                raise Unsupported(
                    self.name, f"a derivative by the numbers in {named(self._fn, at, each.kind)}",
                    why="astad does not look into it, and the result depends on them",
                    instead="hand them over as an array or a list, or as data: by keyword, or "
                    "outside of argnums of astad.grad",
                )  # fmt: skip

    def _check_namespaces(self, shadows: Shadows, at: int) -> None:
        """Raise if the result depends on a class or module that is in two arguments."""
        others = [each for k, each in enumerate(self._namespaces) if k != at]
        for key, node in self._namespaces[at].items():
            if any(key in other for other in others) and is_touched(shadows, node):
                kind = type(node.value).__name__
                raise Unsupported(
                    self.name, f"a derivative by what lies in {named(self._fn, at, kind)}",
                    why="it is passed twice, and each place has a derivative of its own",
                    instead="pass it once and use it twice inside",
                )  # fmt: skip

    def __repr__(self) -> str:
        kinds = ", ".join(type(arg).__name__ for arg in self._args)
        result = f"the cotangent of the {type(self._y).__name__} result"
        return f"<pullback of {self.name}({kinds}): call it with {result}>"

    def __copy__(self) -> Pullback:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: Any) -> Pullback:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a pullback cannot be pickled: it holds values of one run of {self.name}; "
            f"send the function and its arguments and call astad.pullback there"
        )


def pullback(f: Callable[..., Any], /, *args: Any, **keywords: Any) -> tuple[Any, Pullback]:
    """Run ``f`` and return its value and the pullback.

    Parameters
    ----------
    f : callable
        Any Python function, method, class or callable object.
    *args, **keywords
        Its arguments; keyword arguments are not differentiated.

    Returns
    -------
    y, back
        The value, and a function: ``back(y_bar)`` gives one cotangent per positional argument.

    Raises
    ------
    AstadError : where the derivative cannot be carried; whatever ``f`` raises.

    Examples
    --------
    >>> import math
    >>> y, back = pullback(math.sin, 0.5)
    >>> y, back(1.0)
    (0.479425538604203, (0.8775825618903728,))
    """
    try:
        if settings.verify:
            verifier.before("pullback", f, args, keywords, None)
        return _handed_out(_pullback(f, args, keywords, self_too=False)[1])
    except BaseException as error:
        in_users_words(error)
        raise


def pullback_self(f: Callable[..., Any], /, *args: Any, **keywords: Any) -> tuple[Any, Pullback]:
    """The same with the callable's own cotangent first: captured variables of a closure,
    attributes of an object.

    Examples
    --------
    >>> def scaled(a):
    ...     return lambda x: a * x
    >>> y, back = pullback_self(scaled(3.0), 2.0)
    >>> y, back(1.0)
    (6.0, (Tangent(a=2.0), 3.0))
    """
    try:
        if settings.verify:
            verifier.before("pullback_self", f, args, keywords, None)
        return _handed_out(_pullback(f, args, keywords, self_too=True)[1])
    except BaseException as error:
        in_users_words(error)
        raise


def _handed_out(back: Pullback) -> tuple[Any, Pullback]:
    """The user may write into the result, whatever it is."""
    y = back._y
    back._result = snapshot(y)
    if back._record is not None or Again.was_made:
        back._y = y = None
        y, back._guards = handed_out(back._result, back._record, back._entries)
        back._y = y
    if type(y) is np.ndarray:
        back._shape = y.shape
    return y, back


class Verifier:
    """The slot: what looks at a differentiation before it is done, while `settings.verify` is on;
    filled by `testing/verifying.py`.
    """

    before: Callable[[str, Any, tuple[Any, ...], dict[str, Any], tuple[int, ...] | None], None]


verifier = Verifier()


def _pullback(
    f: Any, args: tuple[Any, ...], keywords: dict[str, Any], *, self_too: bool
) -> tuple[Any, Pullback]:
    if gettrace() is not None:
        pass_over_ours()
    if not callable(f):
        raise TypeError(f"{type(f).__name__!r} object is not callable")
    given, copies = separated(args)
    back = Pullback(f, given, None, None, len(given) + len(keywords), self_too)
    versions = Versions()
    try:
        y, record = call(versions, f, *given, **keywords)
    except Exception as error:
        if versions.refused not in (None, error):
            raise versions.refused from None
        if copies and isinstance(error, ValueError) and any(map(str(error).count, _READ_ONLY)):
            raise written_twice(f) from error
        raise
    if versions.refused is not None:
        raise versions.refused
    versions.settle()
    check_twins(versions.twins)
    if any(copy.changed() for copy in copies):
        raise written_twice(f)
    back._record, back._y, back._result = record, y, y
    back._found = versions.found
    return y, back


_READ_ONLY = ("read-only", "output array is not acceptable")
"""What NumPy says where an array may not be written; the second is of ``dot``."""


def _reaches(fn: Any, record: Any, y: Any, args: Sequence[Any], count: int) -> Sequence[bool]:
    """Per operand, whether its text leads to the result."""
    pair = next((part for part in record if isinstance(part, Pair)), None) if record else None
    if record is None:  # only what is the result, or what the result is a view of
        is_array = issubclass(type(y), np.ndarray)
        return [arg is y or (is_array and aliases_any(y, (arg,))) for arg in args]
    if pair is None:
        return [True] * count
    if record[-1] is None and len(pair.reaches) == len(args):
        return pair.reaches
    by_position = type(fn) is FunctionType and len(args) <= fn.__code__.co_argcount
    if by_position and count == len(args):  # behind them are defaults alone
        return pair.reaches[:count]
    return [True] * count


# --- gradients ------------------------------------------------------------------------------------


def gradient(f: Callable[..., Any], /, *args: Any, **keywords: Any) -> tuple[Any, ...]:
    """Gradients of a scalar function, one per positional argument.

    Returns
    -------
    tuple
        Each in the structure of its argument; ``None`` where no derivative leads to it.

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
        variants = TABLE.get(id(f.__code__)) if is_plain and id(f) not in CUSTOM else None
        if variants and variants.globals is f.__globals__:
            given = args if variants.count == len(args) else _with_captured(f, variants, args)
            known = variants.fused.get(wanted, ()) if given is not None else ()
            out = _short_way(known, given, wanted)
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
            if short and f.__code__ is code and id(f) not in CUSTOM:
                given = args if captures < 0 else _with_captured(f, variants, args)
                out = NotImplemented if given is None else _short_way(known, given, positions)
                if out is not NotImplemented:
                    return (out[0], out[1][0]) if single else out
            wanted = among(f, positions, args, keywords)
            y, found = _value_and_gradients(f, args, keywords, wanted)
            return y, found[0] if single else found
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
    try:
        for made in known:
            out = made.run(*args)
            if out is not NotImplemented:
                return out if made.plain else (out[0], _finished(out[1], args, wanted, made))
            if made.tentative:
                put_back(made, known)
    except Exception as error:
        if not is_from_guard(error) and not any(made.tentative for made in known):
            raise
    return NotImplemented


def _value_and_gradients(
    f: Any, args: tuple[Any, ...], keywords: dict[str, Any], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]]:
    if gettrace() is not None:
        pass_over_ours()
    if settings.verify:
        verifier.before("gradient", f, args, keywords, wanted)
    if keywords:
        check_keywords(f, args, keywords)
    if type(f) is FunctionType and not is_ruled(f):
        # a fused function answers in the order of the parameters
        order = wanted if len(wanted) < 2 else tuple(sorted(set(wanted)))
        found = _fused(f, args, keywords, order)
        if found is not None and order != wanted:
            return found[0], tuple(apart([found[1][order.index(at)] for at in wanted]))
        if found is not None:
            return found
    y, back = _pullback(f, args, keywords, self_too=False)
    return y, of_scalar(f, back, args, wanted)


def of_scalar(
    f: Any, back: Pullback, args: tuple[Any, ...], wanted: tuple[int, ...]
) -> tuple[Any, ...]:
    """The gradients at ``wanted``, by the pullback of a scalar result."""
    check_scalar(f, back._y)
    all_of_them = (
        back.gradients(seed_of(back._y), wanted)
        if is_number(back._y) or issubclass(type(back._y), np.ndarray)
        else (None,) * len(args)
    )
    return tuple(apart([all_of_them[at] for at in wanted]))


def _fused(
    f: FunctionType, args: tuple[Any, ...], keywords: dict[str, Any], wanted: tuple[int, ...]
) -> tuple[Any, tuple[Any, ...]] | None:
    """By a fused variant, if there is one for such arguments; not while a tracer is active."""
    variants = variants_of(f)
    code = f.__code__
    if gettrace() is not None:
        return None  # 15 ns; pdb and coverage then see the user's lines, once and in order
    if code.co_flags & STARRED:
        return None
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
    try:
        for made in variants.fused.get(wanted, ()):
            out = attempt_tentative(made, args) if made.tentative else made.run(*args)
            if out is not NotImplemented:
                return out if made.plain else (out[0], _finished(out[1], args, wanted, made))
        fresh = fused_for(f, variants, args, wanted)
        out = attempt_tentative(fresh, args) if fresh is not None else NotImplemented
        if fresh is not None and fresh.tentative and out is NotImplemented:
            fresh = fused_for(f, variants, args, wanted)
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
    if made.reached is None:
        made.reached = all(made.reaches[at] for at in wanted)
    if made.reached and are_ready(bars, args, wanted):
        # so it is in every run: kinds are guarded
        made.plain = all(type(args[at]) in (float, list) for at in wanted)
        return bars
    reaches = [made.reaches[at] for at in wanted]
    return finished(bars, [args[at] for at in wanted], reaches)
