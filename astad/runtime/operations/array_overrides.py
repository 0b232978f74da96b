"""Classes for which NumPy runs other code than ndarray's own: arrays with methods of their own, and
whatever has an ``__array_ufunc__``.

The rules of functions, operators and methods are of what NumPy does with an ndarray. Where a class
changes that, its methods are called, or NumPy's own Python is gone through.

>>> class Doubled(np.ndarray):
...     def __array_ufunc__(self, ufunc, method, *inputs, **named):
...         return 2 * getattr(ufunc, method)(*map(np.asarray, inputs), **named)
>>> class Named(np.ndarray):
...     def __repr__(self):
...         return "named"
>>> differs(Doubled), differs(Named), differs(np.ndarray), differs(list)
(True, False, False, False)
>>> asks_for_ufunc(Doubled), asks_for_ufunc(Named)
(True, False)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
import numpy._core._methods as _methods_of_numpy

from astad.rules.numpy.step_by_step import cumprod, cumsum, trace
from astad.runtime.core.full_rules import (
    NUMBERS,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.arrays import project
from astad.tangents.unasked import callable_name, dict_of, mro_of

__all__ = [
    "asks_for_ufunc",
    "asks_one_of",
    "by_array_ufunc",
    "calls_ufuncs",
    "differs",
    "first_by_class",
    "has_methods_for",
    "judged",
    "reads_memory",
    "source_of_method",
    "wraps",
]

_PLAIN: frozenset[type] = NUMBERS | {bool, np.bool_, np.ndarray, str, type(None), list, tuple, dict}

_KNOWN = (np.memmap, np.recarray)
"""Subclasses of NumPy's own whose methods in Python do what ndarray's do."""

_HARMLESS = frozenset(
    """__new__ __init__ __init_subclass__ __class_getitem__ __array_finalize__ __array_wrap__
    __array_priority__ __array__ __repr__ __str__ __format__ __reduce__ __reduce_ex__ __setstate__
    __getstate__ __doc__ __hash__ __dir__ __sizeof__ __copy__ __deepcopy__ __setattr__ __delattr__
    __subclasshook__ __class__""".split()
)
"""What NumPy does not ask for between the operands and the result of a function."""

_ASKED = (frozenset(dir(np.ndarray)) | {"ptp"}) - _HARMLESS
_METHODS = frozenset(name for name in _ASKED if name[0] != "_")


def differs(kind: type) -> bool:
    """Has this class of arrays something of its own where NumPy's functions ask for ndarray's?"""
    if kind is np.ndarray or not issubclass(kind, np.ndarray):
        return False
    if issubclass(kind, np.ma.MaskedArray):
        return False
    own = (base for base in _before_ndarray(kind) if base not in _KNOWN)
    return any(not _ASKED.isdisjoint(dict_of(base)) for base in own)


def _before_ndarray(kind: type) -> Iterable[type]:
    return itertools.takewhile(lambda base: base is not np.ndarray, mro_of(kind))


def asks_for_ufunc(kind: type) -> bool:
    """Has the class an ``__array_ufunc__`` in Python?"""
    return kind not in _PLAIN and python_method(kind, "__array_ufunc__") is not None


def asks_one_of(*operands: Value) -> bool:
    """Whether NumPy hands an operator of these to an ``__array_ufunc__`` in Python."""
    return any(asks_for_ufunc(type(each)) for each in operands) and any(
        issubclass(type(each), (np.ndarray, np.generic)) for each in operands
    )


# --- ufuncs ---------------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """What NumPy would hand to an ``__array_ufunc__``."""

    ufunc: np.ufunc
    method: str
    inputs: tuple[Value, ...]
    named: dict[str, Value]


class _Array(np.ndarray):
    """Stands for an array of such a class."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> _Asked:
        return _Asked(ufunc, method, inputs, named)


class _Derived(_Array):
    """Stands for one of a class derived from that of the first operand, and is asked before it."""


class _Object:
    """Stands for an object that is no array."""

    __array_ufunc__ = _Array.__array_ufunc__


def by_array_ufunc(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, Record] | None:
    """The call of a ufunc, of a method of one, or of an operator by the ``__array_ufunc__`` of its
    operands; None where that is left to ndarray.

    NumPy is asked what it would hand on, with others in the place of these operands: an operator
    may have several ufuncs, ``a ** 2`` is ``np.square(a)``.
    """
    given = [*args, *keywords.values()]
    stands = [_stand_in(value, args[0] if args else None) for value in given]
    if all(one is each for one, each in zip(stands, given, strict=True)):
        return None
    n = len(args)
    asked = fn(*stands[:n], **dict(zip(keywords, stands[n:], strict=True)))
    if type(asked) is not _Asked:
        return None
    places = _Places(given, stands)
    inputs = [places.find(each) for each in asked.inputs]
    named = {name: places.restored(each) for name, each in asked.named.items()}
    words = [places.find(each) for each in asked.named.values()]
    operands = tuple(
        each if k is None else given[k] for k, each in zip(inputs, asked.inputs, strict=True)
    )
    for value in first_by_class([*operands, *named.get("out", ())], asks_for_ufunc):
        method = python_method(type(value), "__array_ufunc__")
        y, record = callbacks.call(
            versions, method, value, asked.ufunc, asked.method, *operands, **named
        )
        if y is not NotImplemented:
            if record is None:
                return y, None
            return y, (_pull_asked, record, (*inputs, *words), operands, given)
    return None


def _stand_in(value: Value, first: Value) -> Value:
    kind = type(value)
    if kind is tuple:
        parts = tuple(_stand_in(each, first) for each in value)
        return value if all(map(_is_same, parts, value)) else parts
    if not asks_for_ufunc(kind):
        return value
    if not issubclass(kind, np.ndarray):
        return _Object()
    derived = type(first) is not kind and issubclass(kind, type(first))
    return np.ndarray.view(value, _Derived if derived else _Array)


def _is_same(one: Value, other: Value) -> bool:
    return one is other


class _Places:
    """Which of the operands is what NumPy hands on."""

    def __init__(self, given: Sequence[Value], stands: Sequence[Value]) -> None:
        self.given, self.stands = given, stands
        self.free = [*range(len(given))]

    def find(self, handed: Value) -> int | None:
        found = next((k for k in self.free if self.stands[k] is handed), None)
        if found is not None:
            self.free.remove(found)
        return found

    def restored(self, handed: Value) -> Value:
        for value, one in zip(self.given, self.stands, strict=True):
            if one is handed:
                return value
        return tuple(map(self.restored, handed)) if type(handed) is tuple else handed


def first_by_class(values: Iterable[Value], is_asked: Callable[[type], bool]) -> list[Value]:
    """The first of each class: from left to right, derived ones before their bases."""
    ordered: list[Value] = []
    for value in values:
        kind = type(value)
        if not is_asked(kind) or any(type(each) is kind for each in ordered):
            continue
        later = (k for k, each in enumerate(ordered) if issubclass(kind, type(each)))
        ordered.insert(next(later, len(ordered)), value)
    return ordered


def _pull_asked(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    places: tuple[int | None, ...],
    operands: tuple[Value, ...],
    given: list[Value],
) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 3 + len(places))
    bars: list[Value] = [None] * len(given)
    for place, part in zip(places, parts[3:] if parts is not None else (), strict=False):
        if place is not None:
            bars[place] = part
    _take_converted(shadows, places, operands, given, bars)
    return bars


def _take_converted(
    shadows: Shadows,
    places: tuple[int | None, ...],
    operands: tuple[Value, ...],
    given: list[Value],
    bars: list[Value],
) -> None:
    """The parts of numbers of which NumPy has made arrays before it asked, to compare them."""
    made = [each for k, each in zip(places, operands, strict=False) if k is None]
    numbers = [k for k, each in enumerate(given) if k not in places and flows(each)]
    for k, array in zip(numbers, made, strict=False):
        part = shadows.take(array) if issubclass(type(array), np.ndarray) else None
        bars[k] = None if part is None else project(part, given[k])


# --- __array_wrap__ -------------------------------------------------------------------------------


def judged(
    fn: Value, args: Sequence[Value], keywords: Mapping[str, Value], y: Value, record: Record
) -> tuple[Value, Record]:
    """A result, and its record, refused where an ``__array_wrap__`` of the user's, which NumPy
    calls for what it has computed, has changed the numbers.
    """
    if not wraps(*args, *keywords.values()):
        return y, record
    if keywords.get("out") is not None or _is_equal(y, fn(*_plain(args), **_plain_words(keywords))):
        return y, record
    name = callable_name(fn)
    why = "NumPy calls it for each result, so what it computes is not recorded"
    instead = "compute it where the result is used"
    return y, opaque(f"{name} with an __array_wrap__", y, (*args, *keywords.values()), why, instead)


def wraps(*operands: Value) -> bool:
    """Has one of them an ``__array_wrap__`` of the user's?"""
    return any(_wraps(type(each)) for each in operands)


def _wraps(kind: type) -> bool:
    if kind in _PLAIN or not issubclass(kind, np.ndarray) or issubclass(kind, np.ma.MaskedArray):
        return False
    own = python_method(kind, "__array_wrap__")
    return own is not None and own is not np.memmap.__array_wrap__


def _plain(values: Iterable[Value]) -> list[Value]:
    return [
        np.ndarray.view(each, np.ndarray) if issubclass(type(each), np.ndarray) else each
        for each in values
    ]


def _plain_words(keywords: Mapping[str, Value]) -> dict[str, Value]:
    return dict(zip(keywords, _plain(keywords.values()), strict=True))


def _is_equal(y: Value, plain: Value) -> bool:
    if issubclass(type(y), (tuple, list)):
        return len(y) == len(plain) and all(map(_is_equal, y, plain))
    mine, other = np.asarray(y), np.asarray(plain)
    return np.array_equal(mine, other, equal_nan=mine.dtype.kind in "fc")


# --- functions and methods ------------------------------------------------------------------------


def has_methods_for(value: Value, code: CodeType, *, of_arrays: bool = False) -> bool:
    """Has it a method that the Python of one of NumPy's functions asks for by name?

    ``of_arrays``: also one of an array's that its class has of its own.
    """
    kind = type(value)
    if kind in _PLAIN or issubclass(kind, np.generic):
        return False
    names = _names_in(code)
    if issubclass(kind, np.ndarray):
        return of_arrays and any(python_method(kind, name) is not None for name in names)
    if python_method(kind, "__getattr__") is not None:
        return bool(names)
    if python_method(kind, "__getattribute__") is not None:
        return bool(names)
    own = stored_in(value)
    held = own if type(own) is dict else {}
    return any(name in held or python_method(kind, name) is not None for name in names)


@functools.cache
def _names_in(code: CodeType) -> frozenset[str]:
    """Names of methods of arrays that stand in a function: ``a.mean``, or ``"max"`` for a helper
    that asks for it.
    """
    texts = [each for each in code.co_consts if type(each) is str]
    return _METHODS & {*code.co_names, *texts}


_LINALG = """cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_rank norm pinv qr slogdet
solve svd svdvals tensorinv tensorsolve"""
_READING = frozenset(
    [np.interp, np.convolve, np.correlate, np.einsum, np.insert, np.delete, np.cov, np.histogram]
    + [getattr(np.linalg, name) for name in _LINALG.split()]
)


def reads_memory(fn: Value) -> bool:
    """Does the function make ndarrays of its operands, before it does anything else with them?"""
    return fn in _READING or str(getattr(fn, "__module__", "")).startswith("numpy.fft")


_methods: Any = _methods_of_numpy
_SOURCES: dict[Any, Any] = {
    np.ndarray.sum: _methods._sum,
    np.ndarray.prod: _methods._prod,
    np.ndarray.max: _methods._amax,
    np.ndarray.min: _methods._amin,
    np.ndarray.mean: _methods._mean,
    np.ndarray.var: _methods._var,
    np.ndarray.std: _methods._std,
    np.ndarray.clip: _methods._clip,
    np.ndarray.any: _methods._any,
    np.ndarray.all: _methods._all,
    np.ndarray.cumsum: cumsum,
    np.ndarray.cumprod: cumprod,
    np.ndarray.trace: trace,
}
_BY_UFUNCS = {*_SOURCES, np.ndarray.round, np.ndarray.conj, np.ndarray.conjugate}


def source_of_method(fn: Value) -> FunctionType | None:
    """The Python for a method of arrays that calls ufuncs."""
    found: FunctionType | None = _SOURCES.get(fn)
    return found


def calls_ufuncs(fn: Value) -> bool:
    """Is it a method of arrays that calls ufuncs?"""
    return fn in _BY_UFUNCS
