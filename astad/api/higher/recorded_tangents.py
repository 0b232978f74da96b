"""Forward mode of what one run did, where the text of a program alone gives no tangents.

The second jvp or product with a hessian that has to go another way is followed by a recorded run
(`api/gradients/recorded.py`): the straight text that this leaves, or that an earlier gradient has
left, is differentiated forwards behind the same tests, and taken if it gives what the other way has
given.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from astad.api.gradients.recorded import (
    FIRST,
    OF_OTHERS,
    Noted,
    is_same_way,
    loses,
    note,
    otherwise_written,
    record,
    same,
)
from astad.api.higher.forward import along, parts_of_product
from astad.api.higher.forward_calls import (
    Asked,
    Parts,
    asked_of,
    in_places,
    own_places,
    shift_of,
    taken_apart,
    tangent_of,
)
from astad.api.higher.gradient_modules import gradient_module
from astad.api.higher.how import How
from astad.api.variants.leaves import anywhere
from astad.recording.bounds import LONG, Bounds
from astad.runtime.core.variants import variants_of
from astad.runtime.cotangents.owners import are_apart
from astad.threads import with_room

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["note_of_product", "note_of_tangent"]


MISFIT = "what was recorded does not fit its own arguments"


def note_of_tangent(
    f: Any,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    other: Callable[[], tuple[Sequence[Any], tuple[Any, Any]]],
    took: float,
) -> None:
    """A reverse sweep had to give a tangent, in ``took`` seconds: what was run may be recorded.
    ``other``: tangents in which everything moves, and what it gives for these.
    """
    asked = asked_of(f, primals, tangents)
    if asked is None:
        return

    def use(straight: Straight, is_last: bool) -> str:
        dots, out = other()
        again = asked_of(f, primals, dots)
        assert again is not None

        def fits(found: Any) -> bool:
            return type(found[0]) is type(out[0]) and same(found, out)

        return _use(straight, again, "tangent", fits)

    _note(asked, "tangent", use, FIRST, took)


def note_of_product(
    f: Any,
    args: Sequence[Any],
    vectors: Mapping[int, Any],
    parts: Parts | None,
    is_another: Callable[[Straight, Sequence[Any], Sequence[int]], bool],
    by_reverse: Callable[[Straight, Sequence[Any], Sequence[int], Sequence[Any]], Parts | str],
) -> Parts | None:
    """Reverse mode twice has given the parts of a product with the hessian: what was run may be
    recorded. Or it could not, for None: then the first run is, and has to give what reverse mode
    twice gives for its straight text, ``by_reverse``. ``is_another``: it has another gradient.
    """
    asked = asked_of(f, args, in_places(args, vectors))
    if asked is None:
        return None
    shift, again = shift_of(f), asked
    known = None if parts is None else {(at + shift, path): v for (at, path), v in parts.items()}
    if known is None:
        moved = asked_of(f, args, in_places(args, {at: anywhere(args[at]) for at in vectors}))
        again = moved or asked

    def use(straight: Straight, is_last: bool) -> str:
        if straight.changes:
            return straight.changes
        own = _numbers_of(straight, again)
        if own is None:
            return MISFIT
        numbers, dots = own
        moving = straight.moving(again.moved)
        if is_another(straight, numbers, moving):
            return "what was recorded has another gradient"
        expected = by_reverse(straight, numbers, moving, dots) if known is None else known
        if isinstance(expected, str):
            return expected
        return _use(straight, again, "product", functools.partial(_fit, expected))

    # where there is no other way, and where it is the gradient of a gradient, it pays at once
    _note(asked, "product", use, FIRST if parts is not None else 0, math.inf)
    if parts is not None:
        return None
    found = parts_of_product(f, args, vectors, recorded_only=True)
    if found is None:
        found = _once(asked, is_another, by_reverse)
        found = found and {(at - shift, path): part for (at, path), part in found.items()}
    return found


def _once(
    asked: Asked,
    is_another: Callable[[Straight, Sequence[Any], Sequence[int]], bool],
    by_reverse: Callable[[Straight, Sequence[Any], Sequence[int], Sequence[Any]], Parts | str],
) -> Parts | None:
    """Where enough ways through the function are kept, or what is recorded has no form that carries
    tangents along: the parts of a product by a text for this call.
    """
    about = variants_of(asked.fn).recorded
    for known in about.texts if about is not None else ():
        if _serves(known, asked) and (found := _by(known, asked, is_another, by_reverse)):
            return found
    straight = with_room(lambda: _recorded(asked, LONG))
    return None if isinstance(straight, str) else _by(straight, asked, is_another, by_reverse)


def _recorded(asked: Asked, bounds: Bounds) -> Straight | str:
    """The text of a run; where that writes into arrays of which something else has a part, of one
    in which a write makes an array anew, if that can be: views have no second derivative.
    """
    fn, args, moved = asked.fn, asked.args, asked.moved
    made: Straight | str = record(fn, args, moved, moved, by_leaves=True, bounds=bounds)
    if isinstance(made, str) or not made.overlaps:
        return made
    by_value = bounds._replace(by_value=True)
    again: Straight | str = record(fn, args, moved, moved, by_leaves=True, bounds=by_value)
    return made if isinstance(again, str) else again


def _by(
    straight: Straight,
    asked: Asked,
    is_another: Callable[[Straight, Sequence[Any], Sequence[int]], bool],
    by_reverse: Callable[[Straight, Sequence[Any], Sequence[int], Sequence[Any]], Parts | str],
) -> Parts | None:
    """The parts of a product by reverse mode twice on a text, if its tests hold."""
    if straight.changes or not is_same_way(straight, asked.args):
        return None
    own = _numbers_of(straight, asked)
    if own is None or loses(straight, asked.fn, asked.args, asked.moved):
        return None
    numbers, dots = own
    moving = straight.moving(asked.moved)
    if not moving or is_another(straight, numbers, moving):
        return None
    found = by_reverse(straight, numbers, moving, dots)
    return None if isinstance(found, str) else found


def _fit(expected: Parts, found: Parts) -> bool:
    """What is not among the parts is zero."""
    return all(
        same(found[place], expected[place]) if place in found and place in expected
        else not np.any(found.get(place, expected.get(place)))
        for place in {**found, **expected}
    )  # fmt: skip


def _note(
    asked: Asked, what: str, use: Callable[[Straight, bool], str], first: int, took: float
) -> None:
    def make(bounds: Bounds) -> Any:
        return _recorded(asked, bounds)

    def fits(straight: Straight) -> bool:
        return _serves(straight, asked)

    noted = Noted((what, asked.moved), asked.args, took, make, fits, use, lambda straight: False)
    note(variants_of(asked.fn), noted, first=first)


def _serves(straight: Straight, asked: Asked) -> bool:
    """Does it give a number, and tell of all numbers that move?"""
    if not straight.is_number:
        return False
    inside = {at for at in asked.moved if not isinstance(asked.args[at], (float, np.ndarray))}
    return {*asked.moved} <= {*straight.wanted} and inside <= {*straight.inside}


def _numbers_of(straight: Straight, asked: Asked) -> tuple[list[Any], list[Any]] | None:
    """What the text is given, and the tangents of what moves."""
    try:
        found = straight.along(asked.moved, _as_given, _dot_of)(*asked.given)
    except _NoTangent:  # an array of no axes in a list
        return None
    if found is NotImplemented:
        return None  # some of what it reads outside lies in its own arguments
    given = list(found)
    dots = [given.pop(at + 1) for at in straight.moving(asked.moved)]
    return given, dots


def _as_given(*given: Any) -> tuple[Any, ...]:
    return given


def _dot_of(x: Any, v: Any) -> Any:
    """The tangent of what lies in a container, as a text expects it."""
    if type(x) is float and type(v) is float:
        return v
    dot = tangent_of(x, v, False)
    if dot is None or np.shape(dot) != np.shape(x):
        raise _NoTangent
    return dot


class _NoTangent(Exception):
    """Of what lies in a container and has no tangent in a text."""


def _use(
    straight: Straight,
    asked: Asked,
    what: str,
    fits: Callable[[Any], bool],
) -> str:
    """A variant of the function behind the tests; why not, where there is none."""
    own = _numbers_of(straight, asked)
    if own is None:
        return MISFIT
    if loses(straight, asked.fn, asked.args, asked.moved):
        return OF_OTHERS
    numbers, dots = own
    places = tuple(straight.moving(asked.moved))
    if not places:
        return "nothing that moves is read"
    make = _tangent if what == "tangent" else _product
    run = make(straight, numbers, dots, places)
    if run is None:
        return "what was recorded has no form that carries tangents along"
    run = _with_arrays_apart(run, numbers, places)
    head = straight.along(asked.moved, run, _dot_of)
    found = head(*asked.given)
    if found is NotImplemented or not fits(found):
        return "what was recorded gives something else in forward mode"
    if why := otherwise_written(straight):
        return why
    head.__globals__["acts"] = True
    key = (*asked.moved,) if asked.plain and what == "tangent" else (what, *asked.moved)
    variants_of(asked.fn).tangents.setdefault(key, []).append(_attempted(head))
    return ""


def _attempted(head: FunctionType) -> Callable[..., Any]:
    """Whatever a recorded text runs into, the other way tells."""

    def run(*given: Any) -> Any:
        try:
            return head(*given)
        except Exception:
            return NotImplemented

    return run


def _tangent(
    straight: Straight,
    numbers: Sequence[Any],
    dots: Sequence[Any],
    places: tuple[int, ...],
) -> Callable[..., Any] | None:
    return _run_of(straight.function, numbers, dots, places)


def _run_of(
    fn: FunctionType,
    numbers: Sequence[Any],
    dots: Sequence[Any],
    places: tuple[int, ...],
) -> Callable[..., Any] | None:
    """What carries tangents along, if there is such a text."""
    tangents = [dots[places.index(at)] if at in places else None for at in range(len(numbers))]
    if along(fn, numbers, tangents) is None:
        return None
    return variants_of(fn).tangents[places][-1]


def _product(
    straight: Straight,
    numbers: Sequence[Any],
    dots: Sequence[Any],
    places: tuple[int, ...],
) -> Callable[..., Any] | None:
    """The gradient by these numbers with its tangent, of which the parts are given."""
    module = gradient_module(straight.function, numbers, How("numbers", places))
    run = _run_of(module.run, numbers, dots, places) if module is not None else None
    if module is None or run is None:
        return None
    holds = module.holds
    names = [place for at in places if (place := straight.places[at]) is not None]
    first = own_places(numbers, places)

    def product(*given: Any) -> Any:
        own = [given[at] for at in first]
        if not holds(*own):
            return NotImplemented
        out = run(*given)
        if out is NotImplemented:
            return out
        parts = taken_apart(out[1], [own[at] for at in places])
        return dict(zip(names, parts, strict=True))

    return product


def _with_arrays_apart(
    run: Callable[..., Any], numbers: Sequence[Any], places: Sequence[int]
) -> Callable[..., Any]:
    """For arrays of other shapes too, but for none that shares memory with another."""
    first = own_places(numbers, places)
    arrays = [at for at, v in zip(first, numbers, strict=True) if isinstance(v, np.ndarray)]
    if len(arrays) < 2:
        return run

    def apart(*given: Any) -> Any:
        both = combinations([given[at] for at in arrays], 2)
        return run(*given) if all(are_apart(*each) for each in both) else NotImplemented

    return apart
