"""``__array_function__`` (NEP 18): a class in Python that has its own ways of NumPy's functions.

>>> class Root:
...     def __array_function__(self, func, types, args, kwargs):
...         return NotImplemented
>>> class Derived(Root):
...     pass
>>> a, b = Root(), Derived()
>>> [type(each).__name__ for each in in_order(arguments([1.0, a, [b, a]]))]
['Derived', 'Root']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from astad.runtime.array_overrides import first_by_class
from astad.runtime.full_rules import (
    NUMBERS,
    Cotangents,
    Record,
    Value,
    callbacks,
    python_method,
)
from astad.runtime.library import run_watched
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["arguments", "by_array_function", "in_order"]


def arguments(operands: Iterable[Value]) -> list[Value]:
    """The operands, and the items of lists of them, as of those handed to ``np.concatenate``."""
    found: list[Value] = []
    for value in operands:
        found += [value, *value] if type(value) in (list, tuple) else [value]
    return found


def in_order(values: Iterable[Value]) -> list[Value]:
    """The first of each class with the method: from left to right, derived ones before their
    bases."""
    return first_by_class(values, _has_method)


def _has_method(kind: type) -> bool:
    return kind not in NUMBERS and python_method(kind, "__array_function__") is not None


def by_array_function(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record]:
    """The answer of the first class that has one."""
    asked = in_order(arguments([*args, *keywords.values()]))
    kinds, named = tuple(map(type, asked)), dict(keywords)
    for value in asked:
        method = python_method(type(value), "__array_function__")
        y, record = callbacks.call(versions, method, value, fn, kinds, args, named)
        if y is not NotImplemented:
            return y, None if record is None else (pull_answer, record, args, named)
    return run_watched(versions, fn, args, named)


def pull_answer(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    args: tuple[Value, ...],
    named: dict[str, Value],
) -> Cotangents:
    """The parts of numbers among the operands lie in the slots of the tuple and the dict."""
    callbacks.pull(shadows, record, y_bar, 5)
    parts = list(shadows.slots_take(args, len(args)))
    return [*parts, *[shadows.key_take(named, name) for name in named]]
