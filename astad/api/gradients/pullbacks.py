"""What users call for the pullback: the value, and the way back from any cotangent of it."""

from __future__ import annotations

from collections.abc import Callable
from sys import gettrace
from time import perf_counter
from types import FunctionType, MethodType
from typing import Any

from astad import settings
from astad.api.gradients.params import params_among
from astad.api.gradients.sweeps import Pullback, handed_over, run
from astad.api.variants.tracebacks import in_users_words
from astad.api.variants.whole import verifier
from astad.errors import WrongCall
from astad.runtime.core.variants import TABLE, variants_of
from astad.runtime.dispatch import _pull_compiled
from astad.tangents.unasked import callable_name

__all__ = ["Pullback", "pullback", "pullback_self"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


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
        The value, and a function: ``back(y_bar)`` gives one cotangent per positional argument,
        or `Grads` where `Params` are in the place of arguments.

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
        if settings.verify and params_among(f, args) is None:
            verifier.before("pullback", f, args, keywords, None)
        asked = None
        if not (keywords or settings.budgets) and gettrace() is None and _is_slow(f):
            from astad.api.gradients import recorded_pullbacks  # late: where the pair is slow

            asked = recorded_pullbacks.asked_of(f, args)
            found = recorded_pullbacks.recorded_pullback(asked) if asked is not None else None
            if found is not None:
                return found
        started = perf_counter()
        back = run(f, args, keywords, self_too=False)[1]
        took = perf_counter() - started
        if asked is not None:
            recorded_pullbacks.note_of_pullback(asked, back, took)
        elif not (keywords or settings.budgets) and gettrace() is None:
            _note_slow(f, back)
        return handed_over(back)
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
        if params_among(f, args) is not None:
            raise WrongCall(
                callable_name(f), "pullback_self by parameters",
                why="what the function holds may be given as parameters itself",
                instead="call astad.pullback",
            )  # fmt: skip
        if settings.verify:
            verifier.before("pullback_self", f, args, keywords, None)
        return handed_over(run(f, args, keywords, self_too=True)[1])
    except BaseException as error:
        in_users_words(error)
        raise


def _function_of(f: Any) -> FunctionType | None:
    fn = f.__func__ if type(f) is MethodType else f
    return fn if type(fn) is FunctionType else None


def _is_slow(f: Any) -> bool:
    """Has its pair left something to the run time?"""
    if settings.checks or settings.only_generic or settings.verify:
        return False
    fn = _function_of(f)
    variants = None if fn is None else TABLE.get(id(fn.__code__))
    if variants is None or variants.globals is not fn.__globals__:  # type: ignore[union-attr]
        return False
    about = variants.recorded
    return bool(variants.modules.get(SLOW)) and (
        about is None or bool(about.pullbacks) or not about.is_done()
    )


def _note_slow(f: Any, back: Pullback) -> None:
    fn = _function_of(f)
    if fn is not None and _calls_at_run_time(back._record):
        variants_of(fn).modules[SLOW] = True


SLOW = "leaves calls to the run time"
"""What is known of a function, among its modules."""


def _calls_at_run_time(record: Any) -> bool:
    """Was something kept for the reverse sweep but numbers, arrays and lists of such?"""
    if type(record) is not tuple or not record or record[0] is not _pull_compiled:
        return record is not None
    left, calls = [record[2]], 0
    for _ in range(_LOOKED_AT):
        if not left:
            break
        kept = left.pop()
        if type(kept) is tuple:
            left += kept
        elif type(kept) is list:
            left += kept[:50]
        elif callable(kept):
            calls += 1
    return calls > FEW


FEW = 2
"""Calls that do not make a pullback slow, as that which makes a tuple of the result."""
_LOOKED_AT = 200
"""Of what was kept: enough to find a call."""
