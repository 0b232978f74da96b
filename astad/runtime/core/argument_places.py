"""Where the cotangents of a call's operands are found among those of the callee's parameters."""

from __future__ import annotations

from types import CodeType, FunctionType

from astad.code_objects import parameters_of
from astad.runtime.core.full_rules import Value, flows
from astad.runtime.cotangents.shadows import Shadows

__all__ = ["defaulted_of", "part_at", "places_of"]


def places_of(
    code: CodeType, flat: tuple[Value, ...], args: tuple[Value, ...], keywords: dict[str, Value]
) -> list[Value]:
    """For each operand of the call where its cotangent is found: a parameter, or a slot of
    ``*args``, ``**keywords``.
    """
    parameters = parameters_of(code)
    simple = len(parameters.plain)
    places: list[Value] = [
        at if at < simple else (flat[simple], at - simple) for at in range(len(args))
    ]
    by_word = [*parameters.plain, *["*"] * (parameters.rest is not None), *parameters.only]
    if parameters.more is not None:  # what is positional only may be among the words too
        only = code.co_posonlyargcount
        by_word[:only] = ["/"] * only
    places += [by_word.index(word) if word in by_word else (flat[-1], word) for word in keywords]
    return places


def defaulted_of(
    fn: FunctionType, code: CodeType, flat: tuple[Value, ...], places: list[Value]
) -> list[tuple[int, Value, Value]]:
    """Parameters that took their default: their cotangent belongs to the slot of the tuple or dict
    of defaults.
    """
    given = {place for place in places if isinstance(place, int)}
    found: list[tuple[int, Value, Value]] = []
    if fn.__code__ is not code:  # it has other defaults by now; those of then nobody reaches
        return found
    defaults = fn.__defaults__ or ()
    first = code.co_argcount - len(defaults)
    for at in range(first, code.co_argcount):
        if at not in given and flows(flat[at]):
            found.append((at, defaults, at - first))
    parameters = parameters_of(code)
    for at, name in enumerate(parameters.only, code.co_argcount + (parameters.rest is not None)):
        if at not in given and flows(flat[at]) and fn.__kwdefaults__:
            found.append((at, fn.__kwdefaults__, name))
    return found


def part_at(shadows: Shadows, bars: list[Value], place: Value) -> Value:
    if isinstance(place, int):
        return bars[place]
    holder, key = place
    return (
        shadows.slot_take(holder, key)
        if issubclass(type(holder), tuple)
        else shadows.key_take(holder, key)
    )
