"""Functions round which beartype puts checks of types: code without a text, made for each of them.

It checks what is handed in, calls the function with it, checks what that gives, and hands it on.
So it runs as it is, with a function in the place of the checked one that records the call.
"""

from __future__ import annotations

from types import FunctionType

from astad.code_objects import ASYNCHRONOUS, GENERATOR
from astad.errors import Unsupported
from astad.runtime.core.full_rules import Forward, Record, Value, callbacks
from astad.runtime.core.versions import Versions

__all__ = ["rule_of_checker"]

_CHECKED = "__beartype_func"
"""The parameter by which the code finds the function that it checks."""


def rule_of_checker(fn: FunctionType) -> Forward | None:
    """The rule of a function that checks the types of another; None for any other function."""
    is_checker = fn.__code__.co_filename.startswith("<@beartype(")
    if not is_checker or type((fn.__kwdefaults__ or {}).get(_CHECKED)) is not FunctionType:
        return None
    return None if fn.__code__.co_flags & (GENERATOR | ASYNCHRONOUS) else _forward


def _forward(
    versions: Versions, checker: FunctionType, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    defaults = checker.__kwdefaults__ or {}
    calls: list[tuple[Value, Value, Value, Record]] = []

    def recorded(*given: Value, **words: Value) -> Value:
        y, record = callbacks.call(versions, defaults[_CHECKED], *given, **words)
        calls.append((given, words, y, record))
        return y

    running = FunctionType(checker.__code__, checker.__globals__, checker.__name__)
    running.__defaults__, running.__kwdefaults__ = (
        checker.__defaults__,
        {
            **defaults,
            _CHECKED: recorded,
        },
    )
    y = running(*args, **keywords)
    if len(calls) == 1:
        given, words, inner, record = calls[0]
        handed_on = [y, *args, *keywords.values()], [inner, *given, *words.values()]
        if list(words) == list(keywords) and [*map(id, handed_on[0])] == [*map(id, handed_on[1])]:
            return y, record
    raise Unsupported(
        checker.__qualname__,
        "a call through beartype that changes what it is given",
        why="the function that it checks has other arguments, or another result",
        instead="differentiate the function without the decorator",
    )
