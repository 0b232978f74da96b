"""Forward mode: the value and its tangent in one run of a text that carries both along.

>>> import math
>>> along(lambda x: x * math.exp(x), (0.0,), (2.0,))
(0.0, 2.0)
>>> along(lambda x: [x], (0.0,), (2.0,)) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from sys import gettrace
from types import FunctionType
from typing import Any  # whatever a function takes

import numpy as np

from astad import settings
from astad.api.arguments import contents_of
from astad.api.derived import Derived, How, as_function
from astad.api.gradient_modules import gradient_module
from astad.api.kinds_of_values import kinds_of, word_of_data
from astad.api.loading import load_or_compile
from astad.api.ruled import is_ruled
from astad.code_objects import STARRED
from astad.errors import AstadError
from astad.runtime.guarded import are_apart
from astad.runtime.live import is_from_guard
from astad.runtime.variants import (
    MOST,
    Variants,
    bound_arguments,
    is_monitored,
    variants_of,
)

__all__ = ["along", "hessian_by", "hessian_times", "jacobian_by", "note_result"]


def along(
    f: Any, primals: Sequence[Any], tangents: Sequence[Any], *, many: bool = False
) -> tuple[Any, Any] | None:
    """``f(*primals)`` and its derivative along ``tangents``, each None where an argument is held;
    ``many``: each of them has a first axis of its own, and so has the derivative.

    None where forward mode has no text for this function and such arguments: nothing has run then.
    """
    fn = as_function(f, len(primals)) if type(f) is Derived else f
    if type(fn) is not FunctionType or is_ruled(fn) or gettrace() is not None or is_monitored():
        return None
    code = fn.__code__
    if code.co_flags & STARRED or settings.checks or settings.only_generic:
        return None
    args = tuple(primals)
    if len(args) != code.co_argcount or code.co_kwonlyargcount:
        args = tuple(bound_arguments(fn, args, {}))  # with the defaults
    if fn.__closure__:
        captured = contents_of(fn.__closure__)
        if captured is None:
            return None
        args = (*args, *captured)
    given: list[Any] = []
    moved: tuple[Any, ...] = ("many",) if many else ()
    for at, arg in enumerate(args):
        given.append(arg)
        if at < len(tangents) and tangents[at] is not None:
            dot = _tangent(arg, tangents[at], many)
            if dot is None:
                return None
            given.append(dot)
            moved += (at,)
    if len(moved) == many or not _are_apart(args):
        return None
    variants = variants_of(fn)
    try:
        for run in variants.tangents.get(moved, ()):
            out = run(*given)
            if out is not NotImplemented:
                return out if many else _finished(*out)
        made = _made(fn, variants, args, moved)
        out = made(*given) if made is not None else NotImplemented
    except Exception as error:
        if is_from_guard(error):
            return None
        raise
    if out is NotImplemented:
        return None
    return out if many else _finished(*out)


def hessian_times(f: Any, x: Any, v: Any, args: Sequence[Any], *, many: bool = False) -> Any:
    """The hessian in the first argument times ``v``: the tangent of the gradient, whose text is a
    program like any other; ``many``: times each of ``v``. None where there is no such text.
    """
    found = _gradient_along(f, x, v, args, many=many)
    return None if found is None else found[1]


def hessian_by(f: Any, x: Any, args: Sequence[Any]) -> Any:
    """The hessian in the first argument, an array of floats: the tangents of the gradient along all
    axes, some at once. None where there is no such text.
    """
    if type(x) is not np.ndarray or x.dtype != np.float64 or x.size < FEWEST:
        return None
    units, rows = np.eye(x.size), []
    step = max(FEWEST, CHUNK // x.size)
    for start in range(0, x.size, step):
        some = units[start : start + step].reshape(-1, *x.shape)
        found = _gradient_along(f, x, some, args, many=True)
        if found is None:
            return None
        rows.append(np.broadcast_to(found[1], some.shape))
    return np.concatenate(rows).reshape(x.shape + x.shape)


def jacobian_by(f: Any, args: Sequence[Any]) -> tuple[Any, Any] | None:
    """Value and jacobian in the first argument, an array of floats, by the tangents along all axes
    at once. None where there is no text for it, or an earlier result had fewer numbers than the
    argument: then cotangents are fewer.
    """
    x = args[0]
    is_known = type(f) is FunctionType and variants_of(f).modules.get(TALL, False)
    if not is_known or type(x) is not np.ndarray or not 0 < x.size <= MOST_AT_ONCE:
        return None
    units = np.eye(x.size).reshape(-1, *x.shape)
    found = along(f, args, (units,), many=True)
    if found is None:
        return None
    y, y_dot = found
    shape = np.shape(y)
    whole = np.broadcast_to(y_dot, (x.size, *shape))
    return y, np.moveaxis(whole, 0, -1).reshape(shape + x.shape).copy()


def note_result(f: Any, x: Any, y: Any) -> None:
    """For later jacobians: has the result at least as many numbers as the argument?"""
    if type(f) is FunctionType and type(x) is np.ndarray and type(y) is np.ndarray:
        variants_of(f).modules[TALL] = y.size >= x.size


TALL = "has more results than arguments"
FEWEST, CHUNK, MOST_AT_ONCE = 4, 2**15, 512
"""Of tangents at once: below the first a loop is as fast; numbers in one of the arrays that hold
them, so that it stays in the cache; tangents of a jacobian.
"""


def _gradient_along(
    f: Any, x: Any, v: Any, args: Sequence[Any], *, many: bool
) -> tuple[Any, Any] | None:
    if type(f) is not FunctionType or is_ruled(f) or f.__code__.co_flags & STARRED:
        return None
    if f.__code__.co_kwonlyargcount:
        return None
    captured = contents_of(f.__closure__) if f.__closure__ else ()
    given = (x, *args, *(captured or ()))
    if captured is None or len(given) != f.__code__.co_argcount + len(captured):
        return None
    try:
        made = gradient_module(f, given, How("gradient", (0,), single=True))
    except AstadError:
        return None
    return along(made.run, given, (v,), many=many) if made is not None else None


def _finished(y: Any, y_dot: Any) -> tuple[Any, Any]:
    """The tangent of a number as one of its type."""
    kind = type(y)
    if kind is np.float64 or kind is float:
        return y, y_dot if type(y_dot) is kind else kind(y_dot)
    return y, y_dot


def _tangent(x: Any, v: Any, many: bool) -> Any:
    """As the text expects it, and nobody else's; None where it expects none such."""
    is_array = type(x) is np.ndarray and x.dtype == np.float64
    if not is_array and type(x) is not float and type(x) is not int:
        return None
    if np.asarray(v).dtype.kind not in "fiub":
        return None
    if many or (is_array and x.ndim):
        return np.array(v, np.float64, order="C")
    return None if is_array else float(v)


def _are_apart(args: Sequence[Any]) -> bool:
    arrays = [arg for arg in args if issubclass(type(arg), np.ndarray)]
    return len(arrays) < 2 or all(are_apart(*both) for both in combinations(arrays, 2))


def _made(fn: FunctionType, variants: Variants, args: Sequence[Any], moved: tuple[Any, ...]) -> Any:
    """A new variant for arguments like these; None where there is none."""
    kinds = kinds_of(args, variants.whole, open_=True, code=fn.__code__)
    known = variants.tangents.setdefault(moved, [])
    if "unknown" in kinds or len(known) >= MOST or (kinds, moved, "tangent") in variants.no_fused:
        return None
    with variants.lock:
        asked = tuple(at in moved for at in range(len(args)))
        form = "tangents" if "many" in moved else "tangent"
        try:
            loaded = load_or_compile(
                fn, kinds, asked, fused=True, word_of=word_of_data, exact=True, again=True,
                forward=form,
            )  # fmt: skip
        except AstadError:
            loaded = None
        if loaded is None or loaded.form != form:
            variants.no_fused.add((kinds, moved, "tangent"))
            return None
        known.append(loaded.functions[0])
        return loaded.functions[0]
