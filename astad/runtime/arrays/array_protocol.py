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
from types import FunctionType

import numpy as np

from astad.runtime.calls.library import run_watched
from astad.runtime.core.full_rules import (
    NUMBERS,
    Cotangents,
    Record,
    Value,
    callbacks,
    full,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.array_overrides import first_by_class, reads_memory
from astad.tangents.unasked import items_of

__all__ = ["arguments", "by_array_function", "in_order"]


def arguments(operands: Iterable[Value]) -> list[Value]:
    """The operands, and the items of lists of them, as of those handed to ``np.concatenate``."""
    found: list[Value] = []
    for value in operands:
        found += [value, *value] if type(value) in (list, tuple) else [value]
    return found


OF_ITEMS = (np.roots, np.poly)
"""Functions of which NumPy asks the items of the operand, not the operand."""


def asked_by(fn: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> list[Value]:
    """The operands of which a function asks whether they have the method."""
    given = [*args, *keywords.values()]
    if fn not in OF_ITEMS or len(given) != 1:
        return arguments(given)
    kind = type(given[0])
    if kind not in NUMBERS and not hasattr(kind, "__iter__") and not hasattr(kind, "__getitem__"):
        fn(*args, **keywords)  # raises NumPy's own TypeError
    if issubclass(kind, np.ndarray) and given[0].ndim:
        return list(np.ndarray.__iter__(given[0]))
    return list(items_of(given[0])) if issubclass(kind, (list, tuple)) else []


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
    asked = in_order(asked_by(fn, args, keywords))
    kinds, named = tuple(map(type, asked)), dict(keywords)
    for value in asked:
        method = python_method(type(value), "__array_function__")
        y, record = callbacks.call(versions, method, value, fn, kinds, args, named)
        if y is not NotImplemented:
            return y, None if record is None else (pull_answer, record, args, named)
    return run_watched(versions, fn, args, named)


@full(np.ndarray.__array_function__)
def of_arrays(
    versions: Versions, a: Value, fn: Value, kinds: Value, args: Value, named: Value
) -> tuple[Value, Record]:
    """What ``super().__array_function__`` does: it runs the code behind the function."""
    if not all(issubclass(kind, np.ndarray) for kind in kinds):
        return NotImplemented, None
    source = getattr(fn, "_implementation", None)
    if not in_order(asked_by(fn, tuple(args), named)):
        y, record = callbacks.call(versions, fn, *args, **named)  # it asks nobody again
    elif type(source) is FunctionType and not reads_memory(fn):
        y, record = callbacks.call(versions, source, *args, **named)
    else:
        given = (a, fn, kinds, args, named)
        return run_watched(versions, np.ndarray.__array_function__, given, {})
    return y, None if record is None else (pull_behind, record, args, named)


def pull_behind(
    shadows: Shadows, y_bar: Value, record: Record, args: Value, named: dict[str, Value]
) -> None:
    """The parts of numbers go to where they lie: in the tuple and in the dict."""
    parts = callbacks.pull(shadows, record, y_bar, len(args) + len(named)) or ()
    for k, part in enumerate(parts[: len(args)]):
        if part is not None:
            shadows.slot_add(args, k, part)
    for name, part in zip(named, parts[len(args) :], strict=False):
        if part is not None:
            shadows.key_add(named, name, part)


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
