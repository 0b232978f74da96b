"""Forward mode: the value and its tangent in one run of a text that carries both along.

>>> import math
>>> along(lambda x: x * math.exp(x), (0.0,), (2.0,))
(0.0, 2.0)
>>> along(lambda x: [x], (0.0,), (2.0,)) is None
True
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from sys import gettrace
from types import FunctionType
from typing import Any  # whatever a function takes

import numpy as np

from astad import settings
from astad.api.higher.forward_calls import (
    Parts,
    are_all_apart,
    asked_of,
    in_places,
    is_float,
    is_plain,
    own_places,
    shift_of,
    taken_apart,
)
from astad.api.higher.gradient_modules import GradientModule, gradient_module
from astad.api.higher.how import How
from astad.api.variants.arguments import contents_of
from astad.api.variants.kinds_of_values import kinds_of, word_of_data
from astad.api.variants.loading import Asked, load_or_compile
from astad.api.variants.ruled import is_ruled
from astad.code_objects import STARRED
from astad.errors import AstadError
from astad.rules.in_force import CUSTOM
from astad.runtime.core.variants import (
    MOST,
    Variants,
    is_from_guard,
    is_monitored,
    variants_of,
)

__all__ = [
    "along", "hessian_by", "hessian_times", "jacobian_by", "note_result", "parts_of_product",
    "short_product", "short_tangent",
]  # fmt: skip


def along(
    f: Any, primals: Sequence[Any], tangents: Sequence[Any], *, many: bool = False
) -> tuple[Any, Any] | None:
    """``f(*primals)`` and its derivative along ``tangents``, each None where an argument is held;
    ``many``: each of them has a first axis of its own, and so has the derivative.

    None where forward mode has no text for this function and such arguments: nothing has run then.
    """
    asked = asked_of(f, primals, tangents, many=many)
    if asked is None:
        return None
    fn, args, moved = asked.fn, asked.args, asked.moved
    variants = variants_of(fn)
    key: tuple[Any, ...] = ("many", *moved) if many else moved
    if not asked.plain:
        key = ("tangent", *moved)  # there are none but recorded ones
    try:
        for run in variants.tangents.get(key, ()):
            out = run(*asked.given)
            if out is not NotImplemented:
                return out if many else _finished(*out)
        made = _made(fn, variants, args, key) if asked.plain else None
        out = made(*asked.given) if made is not None else NotImplemented
    except Exception as error:
        if is_from_guard(error):
            return None
        raise
    if out is NotImplemented:
        return None
    return out if many else _finished(*out)


def short_tangent(
    f: Any, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any] | None:
    """By what is known already of floats and arrays that move."""
    asked = _quickly(f, primals, tangents)
    if asked is None:
        return None
    known, moved, given = asked
    try:
        for run in known.get(moved, ()):
            out = run(*given)
            if out is not NotImplemented:
                return _finished(*out)
    except Exception as error:
        if not is_from_guard(error):
            raise
    return None


def short_product(f: Any, args: Sequence[Any], vectors: Sequence[Any]) -> Parts | None:
    """The parts of a product with the hessian, by what is known already of floats and arrays that
    move.
    """
    asked = _quickly(f, args, vectors)
    if asked is None:
        return None
    known, moved, given = asked
    try:
        for run in (*known.get(("product", *moved), ()), *known.get(("chain", *moved), ())):
            found: Parts = run(*given)
            if found is not NotImplemented:
                return found
    except Exception as error:
        if not is_from_guard(error):
            raise
    return None


def _remember(
    fn: FunctionType, args: Sequence[Any], places: tuple[int, ...], made: GradientModule,
    *, single: bool = False,
) -> None:  # fmt: skip
    """What is known of a gradient by its text, and of its tangent, for later calls; ``single``: it
    gives that by one argument as it is, not all in one array.
    """
    known: list[Any] = variants_of(fn).tangents.setdefault(("chain", *places), [])
    runs = variants_of(made.run).tangents.get(places, ())
    if fn.__code__.co_freevars or len(runs) != 1 or any(each.args[0] is made for each in known):
        return
    if len(known) >= MOST:
        known.clear()  # of what has changed since
    own = own_places(args, places)
    known.append(functools.partial(_product, made, runs[0], places, own, single))


def _product(
    made: GradientModule, run: Any, places: Sequence[int], own: Sequence[int], single: bool,
    *given: Any,
) -> Any:  # fmt: skip
    """The parts by the tangent of a gradient; ``own`` of what is given are no tangents."""
    args = [given[at] for at in own]
    if not made.fits(args):
        return NotImplemented
    out = run(*given)
    if out is NotImplemented:
        return out
    likes = [args[at] for at in places]
    if single:
        return {(places[0], ""): out[1] if type(likes[0]) is np.ndarray else float(out[1])}
    names = [(at, "") for at in places]
    return dict(zip(names, taken_apart(out[1], likes), strict=True))


def _quickly(
    f: Any, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[dict[Any, Any], tuple[int, ...], list[Any]] | None:
    """The variants, the places that move, and what a text is given, with as much to ask as it
    takes; None for all but floats and arrays of floats that move.
    """
    if type(f) is not FunctionType:
        return None
    variants = variants_of(f)
    known = variants.tangents
    if not known or variants.count != len(primals) or id(f) in CUSTOM or gettrace() is not None:
        return None
    if is_monitored() or settings.checks or settings.only_generic:
        return None
    given: list[Any] = []
    moved: tuple[int, ...] = ()
    arrays = 0
    for at, x in enumerate(primals):
        given.append(x)
        if type(x) is not float:
            arrays += isinstance(x, np.ndarray)
        if at < len(tangents) and tangents[at] is not None:
            v = tangents[at]
            if not is_plain(x, v) or (type(x) is not float and not (x.ndim and x.flags.forc)):
                return None
            given.append(v if type(x) is float else np.array(v, np.float64, order="C"))
            moved += (at,)
    return None if arrays > 1 and not are_all_apart(primals) else (known, moved, given)


def hessian_times(f: Any, x: Any, v: Any, args: Sequence[Any], *, many: bool = False) -> Any:
    """The hessian in the first argument times ``v``: the tangent of the gradient, whose text is a
    program like any other; ``many``: times each of ``v``. None where there is no such text.
    """
    found = _gradient_along(f, x, v, args, many=many)
    if found is not None:
        return found[1]
    parts = None if many else parts_of_product(f, (x, *args), {0: v}, recorded_only=True)
    return None if parts is None else parts.get((0, ""))


def parts_of_product(
    f: Any, args: Sequence[Any], vectors: Mapping[int, Any], *, recorded_only: bool = False
) -> Parts | None:
    """The hessian in the arguments at the places of ``vectors`` times these, by one text; what is
    not among the parts is zero. None where there is no such text.
    """
    asked = asked_of(f, args, in_places(args, vectors))
    if asked is None:
        return None
    shift = shift_of(f)
    for run in variants_of(asked.fn).tangents.get(("product", *asked.moved), ()):
        found = run(*asked.given)
        if found is not NotImplemented:
            return {(at - shift, path): part for (at, path), part in found.items()}
    if recorded_only or not asked.plain or not all(map(is_float, map(args.__getitem__, vectors))):
        return None
    try:
        made = gradient_module(asked.fn, asked.args, How("numbers", asked.moved))
    except AstadError:
        return None
    dots = [None] * len(asked.args)
    for at, place in enumerate(asked.moved):
        dots[place] = asked.given[place + at + 1]
    out = along(made.run, asked.args, dots) if made is not None else None
    if out is None or made is None:
        return None
    if all(map(is_plain, map(args.__getitem__, vectors), vectors.values())):
        _remember(asked.fn, asked.args, asked.moved, made)
    parts = taken_apart(out[1], [asked.args[at] for at in asked.moved])
    return {(at - shift, ""): part for at, part in zip(asked.moved, parts, strict=True)}


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
    found = along(made.run, given, (v,), many=many) if made is not None else None
    if made is not None and found is not None and not many and is_plain(x, v):
        _remember(f, given, (0,), made, single=True)
    return found


def _finished(y: Any, y_dot: Any) -> tuple[Any, Any]:
    """The tangent of a number as one of its type."""
    kind = type(y)
    if kind is np.float64 or kind is float:
        return y, y_dot if type(y_dot) is kind else kind(y_dot)
    return y, y_dot


def _made(fn: FunctionType, variants: Variants, args: Sequence[Any], moved: tuple[Any, ...]) -> Any:
    """A new variant for arguments like these; None where there is none."""
    if variants.pauses():
        return None
    kinds = kinds_of(args, variants.whole, open_=True, code=fn.__code__)
    known = variants.tangents.setdefault(moved, [])
    if "unknown" in kinds or len(known) >= MOST or (kinds, moved, "tangent") in variants.no_fused:
        return None
    with variants.lock:
        asked = tuple(at in moved for at in range(len(args)))
        form = "tangents" if "many" in moved else "tangent"
        try:
            variant = Asked(
                kinds, asked, fused=True, word_of=word_of_data, exact=True, again=True, forward=form
            )
            loaded = load_or_compile(fn, variant)
        except AstadError:
            loaded = None
        if loaded is None or loaded.form != form:
            variants.lacks((kinds, moved, "tangent"))
            return None
        known.append(loaded.functions[0])
        return loaded.functions[0]
