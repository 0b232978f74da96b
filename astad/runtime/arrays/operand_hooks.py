"""Operands of library functions that are objects of the user's: ``math.sin(length)`` asks for
``__float__``, ``np.sum(table)`` for ``__array__``, ``np.exp(q)`` for ``__array_ufunc__``,
``np.mean(window)`` for the items of a deque.

Each conversion is a call of the user's method; the rule of the function then meets numbers and
arrays.

>>> from astad.runtime import dispatch
>>> math.floor in _OWN_METHODS, hooked((1.0, [2.0], "a")) is None
(True, True)
"""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Mapping, Sequence
from types import FunctionType

import numpy as np

from astad.errors import Unsupported
from astad.rules.formula import Rule
from astad.rules.numpy.step_by_step import entries
from astad.runtime.arrays import (  # noqa: F401  (fill the table)
    array_functions,
    array_layout,
    array_methods,
)
from astad.runtime.arrays.array_protocol import OF_ITEMS, asked_by, by_array_function
from astad.runtime.calls.library import run_watched
from astad.runtime.core.full_rules import (
    NUMBERS,
    Cotangents,
    Record,
    Value,
    callbacks,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.formulas.object_arrays import is_sequence
from astad.runtime.operations.array_overrides import (
    asks_for_ufunc,
    by_array_ufunc,
    calls_ufuncs,
    differs,
    has_methods_for,
    judged,
    reads_memory,
    source_of_method,
)
from astad.runtime.operations.conversions import taken
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["apply_with_hooks", "hooked"]

_PLAIN: frozenset[type] = NUMBERS | {
    bool, np.bool_, np.ndarray, str, type(None), list, tuple, dict, slice, range, type, np.dtype,
    type(Ellipsis), frozenset, set,
}  # fmt: skip
_UFUNC_METHODS = {
    id(each)
    for each in (
        np.ufunc.reduce,
        np.ufunc.accumulate,
        np.ufunc.reduceat,
        np.ufunc.outer,
        np.ufunc.at,
    )
}
_ASKING = type(np.sum)
"""Functions that ask their operands for ``__array_function__``; those in C, as np.array, do not."""
_OWN_METHODS = {math.floor: "__floor__", math.ceil: "__ceil__", math.trunc: "__trunc__"}

_NOT_ASKED = frozenset([(math.ldexp, 1)])
"""Functions of `math` with the place of an operand that they take as an int alone."""

_READING_PARTS = (np.real, np.imag)
"""These read the attribute of the float that it is."""

_TAKING_TUPLES = (math.dist,)
"""These read a tuple as it lies there, whatever its class hands out."""


def hooked(operands: Sequence[Value]) -> type | None:
    """The class of the first operand that may have such methods."""
    for value in operands:
        kind = type(value)
        if kind not in _PLAIN and (kind.__flags__ & MADE_BY_CLASS or kind is deque):
            return kind
        if kind in _LISTS and not _PLAIN.issuperset(map(type, value)):
            found = next((type(each) for each in value if differs(type(each))), None)
            if found is not None:
                return found
    return None


_LISTS = (list, tuple)


def apply_with_hooks(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record]:
    """The call by its rule, objects of the user's converted first."""
    fn: Value = rule.fn
    if isinstance(fn, np.ufunc):
        return _ufunc(versions, rule, fn, args, keywords)
    home = str(getattr(fn, "__module__", "")).partition(".")[0]
    own = _OWN_METHODS.get(fn)
    if own is not None and args and (fn is math.trunc or has_in_class(type(args[0]), own)):
        method = python_method(type(args[0]), own)
        if method is None:
            return apply_rule(versions, rule, args, keywords)
        return callbacks.call(versions, method, *args)
    if isinstance(fn, _ASKING) and home == "numpy":
        found = _own_way(versions, rule, args, keywords)
        if found is not None:
            return found
    if id(fn) in _UFUNC_METHODS:
        found = by_array_ufunc(versions, fn, args, keywords)
        if found is not None:
            return found
    if calls_ufuncs(fn) and args and asks_for_ufunc(type(args[0])):
        source = source_of_method(fn)
        if source is None:
            return run_watched(versions, fn, args, dict(keywords))
        return callbacks.call(versions, source, *args, **keywords)
    hooks = (rule.asks,) if rule.asks else _HOOKS.get(home, ())
    return _converted(versions, rule, args, keywords, hooks)


_HOOKS = {
    "math": ("__float__", "__index__"),
    "numpy": ("__array__",),
    "scipy": ("__array__",),
}


def _ufunc(
    versions: Versions,
    rule: Rule,
    fn: np.ufunc,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
) -> tuple[Value, Record]:
    found = by_array_ufunc(versions, fn, args, keywords)
    if found is not None:
        return found
    return _converted(versions, rule, args, keywords, ("__array__",))


def _own_way(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record] | None:
    """One of NumPy's functions by the methods of its operands, None where they have none.

    Its Python is gone through where it may ask an operand for something of the operand's own.
    """
    fn: Value = rule.fn
    operands = asked_by(fn, args, keywords)
    if any(_protocol(value, "__array_function__") for value in operands):
        return by_array_function(versions, fn, args, keywords)
    source = getattr(fn, "_implementation", None)
    if fn in OF_ITEMS:
        operands = [*args, *keywords.values()]
        if any(_protocol(value, "__array_function__") for value in operands):
            return callbacks.call(versions, source, *args, **keywords)
    if type(source) is not FunctionType or reads_memory(fn):
        return None
    if any(_is_asked(value, source, rule.form == "zero") for value in operands):
        return callbacks.call(versions, source, *args, **keywords)
    return None


def _is_asked(value: Value, source: FunctionType, of_steps: bool) -> bool:
    """Of a step function only the methods matter that stand in for it."""
    kind = type(value)
    if kind in _PLAIN:
        return False
    if issubclass(kind, np.ma.MaskedArray):
        return python_method(kind, source.__name__) is not None
    if has_methods_for(value, source.__code__, of_arrays=of_steps):
        return True
    return not of_steps and (differs(kind) or asks_for_ufunc(kind) or issubclass(kind, np.poly1d))


def _protocol(value: Value, name: str) -> Value:
    kind = type(value)
    return None if kind in _PLAIN else python_method(kind, name)


def _converted(
    versions: Versions,
    rule: Rule,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    hooks: Sequence[str],
) -> tuple[Value, Record]:
    """With what the first of these methods gives in the place of each object that has one."""
    operands, records = [*args, *keywords.values()], list[tuple[int, Record]]()
    for at, value in enumerate(operands):
        is_array = issubclass(type(value), np.ndarray)  # NumPy takes it as it lies
        asked = [hook for hook in hooks if not (is_array and hook == "__array__")]
        name, method = _first_of(value, asked)
        if (rule.fn, at) in _NOT_ASKED:
            method = None  # C raises
        elif rule.fn in _READING_PARTS and issubclass(type(value), float):
            method = None
        elif issubclass(type(value), float):
            # NumPy asks it, other C code reads the number that it is
            name = "__float__"
            asks = "__array__" in hooks and not issubclass(type(value), np.generic)
            method = _protocol(value, name) if asks else None
        elif at == 0 and rule.fn is np.concatenate and differs(type(value)):
            method = entries
        elif rule.fn is math.dist and differs(type(value)):
            method = list
        elif method is None and issubclass(type(value), (list, tuple)):
            method = list if _protocol(value, "__iter__") is not None else None  # asked for items
            if method is list and issubclass(type(value), tuple) and rule.fn in _TAKING_TUPLES:
                method = _as_it_lies
        elif method is None and "__array__" in hooks and is_sequence(value):
            method = list
        if method is not None and name == "__float__" and rule.fn is np.arange:
            raise _asked_in_part(type(value))
        if method is not None:
            operands[at], record = callbacks.call(versions, method, value)
            if name in _JUDGED and method is not list:
                number = taken(_JUDGED[name], name, type(value), operands[at])
                # to NumPy a float of another class is a double, to whatever it is added
                operands[at] = np.float64(number) if "__array__" in hooks else number
            records.append((at, record))
    n = len(args)
    named = dict(zip(keywords, operands[n:], strict=True))
    y, record = apply_rule(versions, rule, tuple(operands[:n]), named)
    y, record = judged(rule.fn, operands[:n], named, y, record)
    if record is None and all(each is None for _, each in records):
        return y, None
    return y, (pull_converted, record, records, len(operands))


def _first_of(value: Value, hooks: Sequence[str]) -> tuple[str, Value]:
    """The first of these methods that its class has, and it itself where the user wrote it."""
    kind = type(value)
    name = next((hook for hook in hooks if has_in_class(kind, hook)), "")
    if not name or (name == "__index__" and issubclass(kind, int)):  # C reads the int that it is
        return "", None
    return name, _protocol(value, name)


def _asked_in_part(kind: type) -> Unsupported:
    return Unsupported(
        "np.arange",
        f"a {kind.__qualname__}, which has a __float__ of its own, as a limit or a step",
        why="NumPy asks the first numbers of it, and counts them without asking",
        instead="convert it first, as by float(v)",
    )


_JUDGED = {"__float__": float, "__index__": operator.index}


def _as_it_lies(value: tuple[Value, ...]) -> Value:
    return tuple.__getitem__(value, slice(None))


def pull_converted(
    shadows: Shadows, y_bar: Value, record: Record, records: list[tuple[int, Record]], n: int
) -> Cotangents:
    bars = list(callbacks.pull(shadows, record, y_bar, n) or (None,) * n)
    for at, converted in reversed(records):
        found = callbacks.pull(shadows, converted, bars[at], 1)
        bars[at] = found[0] if found is not None else None  # of a number: an object has its shadow
    return bars
