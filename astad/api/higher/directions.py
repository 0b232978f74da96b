"""What users call for derivatives along one direction, of the arguments or of the result: jvp, vjp.

>>> jvp(lambda a, b: a / (a + b * b), (1.0, 1.0), (1.0, 1.0))
(0.5, -0.25)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients.gradients import gradient_if_fused
from astad.api.gradients.pullbacks import Pullback, pullback
from astad.api.higher.forward import along, short_tangent
from astad.api.higher.forward_calls import are_in_step
from astad.api.higher.gradient_modules import gradient_module
from astad.api.higher.how import How
from astad.api.higher.jacobians import check_result
from astad.api.rules.tangent_rules import tangents_by_rule
from astad.api.variants.leaves import (
    LIST,
    NUMBER,
    Leaf,
    anywhere,
    check_apart,
    directions,
    kind_of,
    leaves_of,
    mapped,
    read,
    shape_of,
)
from astad.api.variants.results import split_value
from astad.api.variants.tracebacks import in_users_words
from astad.errors import AstadError, WrongCall
from astad.rules.in_force import TANGENTS
from astad.runtime.core.variants import variants_of
from astad.tangents.unasked import callable_name
from astad.tangents.zero import seed_of

__all__ = ["jvp", "vjp"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    /,
    *,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The value of a function, and how it changes along a direction of its arguments.

    Parameters
    ----------
    f : callable
        Gives numbers, arrays of floats, or lists, tuples, dicts and objects of such; with
        ``has_aux`` that and something else.
    primals : sequence
        The arguments.
    tangents : sequence
        For each the direction, of its structure, for an object a `Tangent` or one of its class;
        None where an argument, or a part of one, is held.
    has_aux : bool
        ``f`` gives ``(y, aux)``.

    Returns
    -------
    y, y_dot
        The value, and the derivative of it along the direction, in [y] and of its structure; with
        ``has_aux`` ``aux`` behind them. It comes of one run in forward mode where all that ``f``
        computes is known beforehand to be numbers and arrays of float64, else of one reverse sweep
        for each number of ``y``, two for a complex one: exact, and dear where there are many.

    Raises
    ------
    AstadError : where the derivative cannot be carried.
    WrongCall : if there is not one tangent for each argument, or its structure is another.

    Examples
    --------
    >>> jvp(lambda a, b: a / (a + b * b), (1.0, 1.0), (1.0, 0.0))
    (0.5, 0.25)
    >>> jvp(lambda p: {"area": p["a"] * p["b"]}, ({"a": 2.0, "b": 3.0},), ({"a": 1.0, "b": None},))
    ({'area': 6.0}, {'area': 3.0})
    """
    try:
        if not has_aux and len(primals) == len(tangents) and id(f) not in TANGENTS:
            known = short_tangent(f, primals, tangents)
            if known is not None:
                return known if _is_told(*known) else _by_slopes(f, primals, tangents, known)
        is_plain = len(primals) == len(tangents) and are_in_step(primals, tangents)
        moves = None if is_plain else _moves(f, primals, tangents)  # and what is wrong with them
        if id(f) in TANGENTS and not has_aux:
            return tangents_by_rule(f, primals, tangents)
        found = None if has_aux else along(f, primals, tangents)
        if found is not None:
            return found if _is_told(*found) else _by_slopes(f, primals, tangents, found)
        moves = moves or _moves(f, primals, tangents)
        found = None if has_aux else _by_gradient(f, primals, tangents, moves)
        if found is not None:
            return found
        started, moving = perf_counter(), _moving(moves)  # of the others none is asked
        y, back = pullback(f, *primals)
        aux: tuple[Any, ...] = ()
        if has_aux:
            y, beside = split_value(f, y)
            aux = (beside,)
        if type(y) is float and not has_aux:  # 5 us less than by way of structures
            bars = back.gradients(1.0, moving)
            if type(f) is FunctionType:
                variants_of(f).modules[NUMBER_ONLY] = True
            _note(f, primals, tangents, y, bars, started)
            return y, _product(bars, moves)
        for leaf in leaves_of(f, y):
            check_result(f, leaf, complexes=True)
        if type(y) is np.float64 and not has_aux:
            _note(f, primals, tangents, y, back.gradients(seed_of(y), moving), started)

        def bars_of(of: Leaf, unit: Any) -> Any:
            y_bar = unit if not of.path else mapped(y, lambda leaf: _only(leaf, of, unit))
            return back.gradients((y_bar, None) if has_aux else y_bar, moving)

        y_dot = mapped(y, lambda of: _along(of, functools.partial(bars_of, of), moves))
        return (y, y_dot, *aux)
    except BaseException as error:
        in_users_words(error)
        raise


def vjp(f: Callable[..., Any], /, *args: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """`pullback` under the name that users of JAX look for, with ``has_aux``.

    Parameters
    ----------
    f : callable
        Any; with ``has_aux`` it gives ``(y, aux)``.
    *args
        Its arguments.
    has_aux : bool
        The result is ``y`` alone; ``aux`` has no derivative.

    Returns
    -------
    y, back
        The value, and a function: ``back(y_bar)`` gives a tuple of one cotangent for each
        argument; with ``has_aux`` ``aux`` behind them.

    Raises
    ------
    AstadError : where the derivative cannot be carried.

    Examples
    --------
    >>> y, back, steps = vjp(lambda a, b: (a * b, 3), 2.0, 5.0, has_aux=True)
    >>> y, back(1.0), steps
    (10.0, (5.0, 2.0), 3)
    """
    y, back = pullback(f, *args)
    if not has_aux:
        return y, back
    try:
        y, aux = split_value(f, y)
    except WrongCall as error:
        in_users_words(error)
        raise
    return y, functools.partial(_of_first, back), aux


def _of_first(back: Pullback, y_bar: Any, /) -> tuple[Any, ...]:
    return back((y_bar, None))


def _only(leaf: Leaf, of: Leaf, unit: Any) -> Any:
    return unit if leaf.path == of.path else None


NUMBER_ONLY = "gives a number"
"""What is known of a function, among its modules."""


def _by_gradient(
    f: Any,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    moves: Sequence[Sequence[tuple[Leaf, Any]]],
) -> tuple[Any, Any] | None:
    """Of a function that has given a number: by its gradient, where there is a fused one."""
    if type(f) is not FunctionType or not variants_of(f).modules.get(NUMBER_ONLY):
        return None
    moving = _moving(moves)
    started = perf_counter()
    found = gradient_if_fused(f, tuple(primals), tuple(moving)) if moving else None
    if found is None or type(found[0]) is not float:
        return None
    bars: list[Any] = [None] * len(primals)
    for at, bar in zip(moving, found[1], strict=True):
        bars[at] = bar
    _note(f, primals, tangents, found[0], bars, started)
    return found[0], _product(bars, moves)


def _is_told(y: Any, y_dot: Any) -> bool:
    """False for a number whose tangent alone is nan, as an infinite one times 0."""
    return not isinstance(y_dot, float) or y_dot == y_dot or y != y


def _by_slopes(
    f: Any, primals: Sequence[Any], tangents: Sequence[Any], found: tuple[Any, Any]
) -> tuple[Any, Any]:
    """By the gradient, in which no infinite slope meets a cotangent of 0, where nobody sees that
    the function runs again. With ``sqrt(x) * x`` at 0 the tangent of the root is infinite.
    """
    if type(f) is not FunctionType or not all(isinstance(x, float) for x in primals):
        return found
    try:
        made = gradient_module(f, primals, How("value", ()))
    except AstadError:
        return found
    if made is None or not made.is_repeatable:
        return found
    y, back = pullback(f, *primals)
    moves = _moves(f, primals, tangents)
    return found[0], type(y)(_product(back.gradients(type(y)(1.0), _moving(moves)), moves))


def _note(
    f: Any,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    y: Any,
    bars: Sequence[Any],
    started: float,
) -> None:
    """A reverse sweep had to answer: what was run may be recorded. It has to give the derivative
    along a direction in which everything moves, for one of the user's may hide what is missing.
    """
    from astad.api.higher.recorded_tangents import note_of_tangent  # late: where there is no text

    def other() -> tuple[list[Any], tuple[Any, Any]]:
        given = [None if v is None else anywhere(x) for x, v in zip(primals, tangents, strict=True)]
        return given, (y, type(y)(_product(bars, _moves(f, primals, given))))

    note_of_tangent(f, primals, tangents, other, perf_counter() - started)


# --- directions of the arguments


def _moves(f: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> list[list[tuple[Leaf, Any]]]:
    """For each argument its leaves that move, and where to."""
    if len(primals) != len(tangents):
        raise WrongCall(
            callable_name(f), f"{len(tangents)} tangents for {len(primals)} arguments",
            why="each argument moves by its own, or is held",
            instead="give None for an argument that is held",
        )  # fmt: skip
    found: list[list[tuple[Leaf, Any]]] = []
    for at, (x, v) in enumerate(zip(primals, tangents, strict=True)):
        if v is None:
            found.append([])
            continue
        if type(x) is float and type(v) is float:
            found.append([(Leaf((), NUMBER, x), v)])
            continue
        leaves = leaves_of(f, x)
        check_apart(f, leaves, x)
        parts = directions(x, v, leaves, functools.partial(_wrong_tangent, f, at))
        both = zip(leaves, parts, strict=True)
        found.append([(leaf, _own(part)) for leaf, part in both if part is not None])
    return found


def _moving(moves: Sequence[Sequence[tuple[Leaf, Any]]]) -> list[int]:
    """The places of the arguments that are not held."""
    return [at for at, parts in enumerate(moves) if parts]


def _own(part: Any) -> Any:
    """A tangent that the function cannot write."""
    return part.copy() if isinstance(part, np.ndarray) else part


def _wrong_tangent(f: Any, at: int, leaf: Leaf | None, v: Any) -> WrongCall:
    what = (
        f"a tangent for argument {at}, or a part of it, of kind {kind_of(v)} and another structure"
        if leaf is None or shape_of(v) is None
        else f"a tangent of shape {np.shape(v)} for argument {at}{leaf.text} of shape {leaf.shape}"
        if np.shape(v) != leaf.shape
        else f"a complex tangent for argument {at}{leaf.text}, which is real"
        if np.iscomplexobj(v) and not leaf.is_complex
        else f"the tangent {v!r} for argument {at}{leaf.text}"
    )
    return WrongCall(
        callable_name(f), what,
        why="each number of the argument moves by one of the tangent",
        instead="give it the shape of the argument, with the same keys and attributes, and None "
        "for what is held",
    )  # fmt: skip


def _along(
    of: Leaf, bars: Callable[[Any], Sequence[Any]], moves: Sequence[Sequence[tuple[Leaf, Any]]]
) -> Any:
    """What a leaf of the result does."""
    units = [seed_of(of.value)] if of.kind is NUMBER else of.units()
    found: list[complex] = [_product(bars(unit), moves) for unit in units]
    if of.is_complex:
        both = zip(found, units, strict=True)
        found = [real + 1j * _product(bars(1j * unit), moves) for real, unit in both]
    if of.kind is NUMBER:
        own: Any = type(of.value)
        return own(found[0]) if issubclass(own, np.inexact) else found[0]
    return found if of.kind is LIST else np.array(found, of.value.dtype).reshape(of.shape)


def _product(bars: Sequence[Any], moves: Sequence[Sequence[tuple[Leaf, Any]]]) -> float:
    """The real product of cotangents with a direction."""
    parts = [
        _inner(bar, part)
        for whole, moving in zip(bars, moves, strict=True)
        for leaf, part in moving
        if (bar := read(whole, leaf)) is not None
    ]
    return float(sum(parts)) if parts else 0.0


def _inner(bar: Any, part: Any) -> Any:
    """The product; where nothing moves, an infinite slope is none."""
    found = np.vdot(bar, part).real
    if found == found:
        return found
    moves = np.not_equal(part, 0)
    return np.vdot(np.where(moves, bar, 0.0), part).real
