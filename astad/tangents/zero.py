"""What carries a derivative, decided by type; zeros and ones of a value's own kind.

>>> zero_like([1.0, "a", (2, None)])
[0.0, None, (0, None)]
"""

from __future__ import annotations

import sys
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    CodeType,
    ModuleType,
    NoneType,
)
from typing import Any

import numpy as np

from astad.tangents.unasked import has_in_class, items_of, pairs_of

__all__ = [
    "BY_VALUE",
    "ITEMS",
    "MADE_BY_CLASS",
    "OF_PROGRAMS",
    "handed_out",
    "has_identity",
    "home_of",
    "is_differentiable",
    "is_number",
    "is_of_structures",
    "kind_of_cotangent",
    "plain_number",
    "seed_of",
    "zero_like",
]

BY_VALUE: frozenset[type] = frozenset(
    [
        int,
        float,
        complex,
        np.float64,
        np.float32,
        np.float16,
        np.longdouble,
        np.complex128,
        np.complex64,
    ]
    + [
        np.clongdouble,
        np.int64,
        np.int32,
        np.int16,
        np.int8,
        np.uint8,
        np.uint16,
        np.uint32,
        np.uint64,
    ]
)
"""Numbers that are looked up at once; other kinds (Fraction, Decimal, subclasses) are found by
``is_number``."""

ITEMS: frozenset[type] = BY_VALUE - {np.longdouble, np.clongdouble}
"""Numbers whose cotangents lie side by side where an array of objects holds them."""

OF_NUMBERS = (int, float, complex, np.number)
_OF_MODULES = (("fractions", "Fraction"), ("decimal", "Decimal"))
"""Where no program has imported them there are none, and it takes longer than all of astad."""

_INERT: frozenset[type] = frozenset(
    [
        bool,
        str,
        bytes,
        NoneType,
        np.bool_,
        np.str_,
        np.bytes_,
        range,
        slice,
        type,
        CodeType,
        ModuleType,
    ]
    + [
        type(Ellipsis),
        type(NotImplemented),
        BuiltinFunctionType,
        BuiltinMethodType,
        bytearray,
        np.dtype,
    ]
)


def is_number(v: object) -> bool:
    """True for a number that a derivative may be taken with respect to: not for a bool.

    >>> from fractions import Fraction
    >>> is_number(Fraction(1, 2)), is_number(3), is_number(True), is_number(np.timedelta64(1, "s"))
    (True, True, False, False)
    """
    kind = type(v)
    if kind in BY_VALUE:
        return True
    if kind is bool or issubclass(kind, (np.timedelta64, np.datetime64)):
        return False
    return _is_of_numbers(kind)


def is_differentiable(v: object) -> bool:
    """True if a value of this type may carry a derivative: numbers but bool, and whatever has
    identity.

    >>> is_differentiable(2), is_differentiable(True), is_differentiable(np.array([True]))
    (True, False, False)
    """
    kind = type(v)
    if kind in BY_VALUE:
        return True
    if kind is np.ndarray:
        return v.dtype.kind in "fciuO"  # type: ignore[attr-defined]
    if kind in _INERT:
        return False
    return is_number(v) or has_identity(v)


def is_of_structures(v: object) -> bool:
    """Is it a structured array, or a record of one?

    >>> a = np.zeros(2, [("height", float)])
    >>> is_of_structures(a), is_of_structures(a[0]), is_of_structures(a["height"])
    (True, True, False)
    """
    kind = type(v)
    if issubclass(kind, np.ndarray):
        return bool(v.dtype.kind == "V")  # type: ignore[attr-defined]
    return issubclass(kind, np.void)


def home_of(kind: type) -> str:
    """The module of a class; none where its metaclass makes something else of ``__module__``, and
    for classes of astad that programs store their numbers in, as in their own.
    """
    home: object = kind.__module__
    return home if isinstance(home, str) and home != OF_PROGRAMS else ""


OF_PROGRAMS = "astad.api.gradients.buffers"
"""The module of such classes."""


MADE_BY_CLASS = 1 << 9
"""Flag of the types that a ``class`` statement makes; compiled code makes others."""


def has_identity(v: object) -> bool:
    """True if the cotangent of ``v`` lies in its shadow: arrays, containers, objects, functions;
    not numbers or text."""
    kind = type(v)
    if kind is np.ndarray or kind is list or kind is tuple or kind is dict:
        return True
    if kind in BY_VALUE or kind in _INERT:
        return False
    if issubclass(kind, np.ndarray):
        return True
    # by the class: isinstance would ask the object, by a `__getattribute__` of the user's
    inert = (str, bytes, np.generic, np.dtype, type, np.ufunc)
    if issubclass(kind, inert):
        return issubclass(kind, np.void)  # a record: it shows the memory of its array
    return not _is_of_numbers(kind)


def _is_of_numbers(kind: type) -> bool:
    """Is a cotangent of it a number too? Of another class that is registered as one, as that of
    mpmath is, the objects have their shadows like all objects.
    """
    return issubclass(kind, OF_NUMBERS) or _exact_base(kind) is not None


def _exact_base(kind: type) -> type | None:
    """Fraction or Decimal, if it is one of them or derived from it."""
    if len(kind.__mro__) == 2 and kind.__name__ != "Decimal":
        return None  # as most classes are
    for home, name in _OF_MODULES:
        base = getattr(sys.modules.get(home), name, None)
        if base in kind.__mro__:  # Fraction is an abstract class, which takes long to ask
            return base  # type: ignore[no-any-return]
    return None


def kind_of_cotangent(kind: type) -> type:
    """The kind of number that the cotangent of a number of this class is: of a class of the user's
    that of its base, whose operators are those of arithmetic.

    >>> class Celsius(float):
    ...     __add__ = float.__mul__
    >>> kind_of_cotangent(Celsius), kind_of_cotangent(np.float32)
    (<class 'float'>, <class 'numpy.float32'>)
    """
    if kind in BY_VALUE:
        return kind
    for base in kind.__mro__:
        if base in BY_VALUE:
            return base
    return _exact_base(kind) or kind


def plain_number(v: Any) -> Any:  # Any: a number of any kind in, one of its base out
    """What formulas read in the place of a number of a class of the user's, whose operators may be
    others; all else as it is. The object is not asked: its ``__float__`` may be its own too.

    >>> class Celsius(float):
    ...     __mul__ = __rmul__ = float.__add__
    >>> type(plain_number(Celsius(1.5))), plain_number(True), plain_number("a")
    (<class 'float'>, True, 'a')
    """
    kind = type(v)
    if kind in BY_VALUE or not is_number(v):
        return v
    base: Any = kind_of_cotangent(kind)
    if base is kind:
        return v
    return base(v) if base.__name__ == "Decimal" else base.__pos__(v)  # which would round


def seed_of(y: Any) -> Any:  # Any: one in, one out of the same kind
    """One, of the kind of ``y``.

    >>> from fractions import Fraction
    >>> seed_of(3), seed_of(0.5), seed_of(Fraction(1, 3)), seed_of(np.float32(2))
    (1, 1.0, Fraction(1, 1), np.float32(1.0))
    """
    if issubclass(type(y), np.ndarray):
        return np.ones(y.shape, y.dtype if y.dtype.kind in "fc" else np.float64)
    return kind_of_cotangent(type(y))(1)


def zero_like(v: Any) -> Any:  # Any: as ``seed_of``
    """Zero of the same structure: arrays and numbers give zeros of their kind, what carries no
    derivative ``None``."""
    kind = type(v)
    if kind is float:
        return 0.0
    if issubclass(type(v), np.ndarray):
        return _zero_array(v)
    if is_number(v):
        return kind_of_cotangent(kind)(0)
    if issubclass(type(v), tuple):
        parts = [zero_like(item) for item in items_of(v)]
        return kind(*parts) if has_in_class(kind, "_fields") else tuple(parts)
    if issubclass(type(v), list):
        return [zero_like(item) for item in items_of(v)]
    if issubclass(type(v), dict):
        return {key: zero_like(item) for key, item in pairs_of(v)}
    return None


def handed_out(bar: Any, x: Any) -> Any:  # Any: numbers of any kind
    """The gradient of a number, which for a number of Python's is Python's too, whether the form
    that has answered computes with NumPy or not.

    >>> handed_out(np.float64(1.5), 2.0), handed_out(np.float64(1.5), np.float64(2.0))
    (1.5, np.float64(1.5))
    """
    return type(x)(bar) if type(bar) in DOUBLES and type(x) in OWN else bar


DOUBLES, OWN = frozenset({np.float64, np.complex128}), frozenset({float, complex})


def _zero_array(v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Zeros in the dtype of cotangents; None where there is none (bool, objects, text)."""
    if v.dtype.kind in "fc":
        return np.zeros(v.shape, v.dtype.newbyteorder("="))
    return np.zeros(v.shape) if v.dtype.kind in "iu" else None
