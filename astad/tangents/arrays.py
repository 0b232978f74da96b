"""Cotangents brought to the shape, dtype and kind of the value that they belong to.

>>> sum_to_shape(np.ones((4, 3)), (3,))
array([4., 4., 4.])
>>> project(1 + 2j, 0.5)
1.0
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from astad.errors import RuleError
from astad.tangents.refused import Refused
from astad.tangents.sums import sum_over
from astad.tangents.zero import kind_of_cotangent, plain_number

__all__ = ["any_given", "full", "owned", "project", "sum_to_shape"]


def sum_to_shape(g: Any, shape: tuple[int, ...]) -> Any:  # Any: array or number
    """Undo broadcasting: sum ``g`` over the axes along which a value of ``shape`` was repeated.

    Parameters
    ----------
    g : array or number, of a shape that ``shape`` broadcasts to
    shape : tuple of int

    Returns
    -------
    ``g`` itself where nothing was repeated; else an array, or a number for shape ``()``.
    """
    if not issubclass(type(g), np.ndarray):
        return g if shape == () or np.ndim(g) == 0 else np.asarray(g)
    if g.shape == shape:
        return g
    if shape == ():
        return g.sum()
    extra = g.ndim - len(shape)
    if extra < 0:  # ``np.full(3, [[v]])``: the axes before are of length 1
        return sum_to_shape(g, shape[-extra:]).reshape(shape)
    repeated = [k + extra for k, n in enumerate(shape) if n == 1 != g.shape[k + extra]]
    summed = sum_over(g, (*range(extra), *repeated)) if repeated or extra else g
    return summed.reshape(shape) if repeated else summed


def owned(  # Any: an array, or what is refused
    g: Any, shape: tuple[int, ...], dtype: type = np.float64
) -> Any:
    """A fresh array of this shape with the cotangent ``g``, None standing for zero, to be added to
    in place: of floats, also where ``g`` is an int, or of complex numbers.

    >>> owned(None, (2,)), owned(1, (2,))
    (array([0., 0.]), array([1., 1.]))
    """
    if g is None:
        return np.zeros(shape, dtype)
    if type(g) is Refused:
        return g
    zero = 0.0 if dtype is np.float64 else dtype(0.0)  # 0.0: float32 stays what it is
    return np.array(np.broadcast_to(g, shape), np.result_type(g, zero))


def full(g: Any, shape: tuple[int, ...]) -> Any:  # Any: array or number
    """The cotangent ``g`` in this shape, to which it broadcasts.

    >>> full(2.0, (2,)), full(np.ones((2, 1)), (2, 2)).shape
    (array([2., 2.]), (2, 2))
    """
    if issubclass(type(g), np.ndarray):
        return g if g.shape == shape else np.broadcast_to(g, shape)
    if type(g) is Refused:
        return g
    filled = np.empty(shape, complex if isinstance(g, complex) else float)
    filled.fill(g)
    return filled


def any_given(bars: tuple[Any, ...]) -> bool:
    """Has one of these cotangents come?

    >>> any_given((None, 0.0)), any_given((None, None))
    (True, False)
    """
    return any(bar is not None for bar in bars)


def project(g: Any, like: Any, where: str = "derivative rule") -> Any:  # Any: array or number
    """The cotangent ``g`` in the dtype, shape and kind of ``like``; ``g`` itself where it is so
    already.

    A real value gets the real part; float32 stays float32; a Python number gets a number, never an
    array; integer arrays get float64. A ``g`` of fewer axes or repeated ones is broadcast
    (read-only).

    Parameters
    ----------
    g : number or ndarray
    like : number or ndarray
        The value whose cotangent this is.
    where : str
        Name of the rule for the error.

    Raises
    ------
    RuleError : if ``g`` does not broadcast to the shape of ``like``.

    >>> project(np.float64(2.0), np.zeros(2, np.float32))
    array([2., 2.], dtype=float32)
    """
    if issubclass(type(like), np.ndarray):
        return _to_array(g, like, where)
    if issubclass(type(g), np.ndarray):
        if g.size != 1:
            raise _wrong_shape(where, g.shape, ())
        g = g.reshape(())[()]
    kind = type(like)
    if kind is float or kind is np.float64 or kind is int:
        return _to_double(g)
    g, kind = plain_number(g), kind_of_cotangent(kind)
    if issubclass(kind, (complex, np.complexfloating)):
        known = kind is type(g) or (kind is complex and type(g) is np.complex128)
        return g if known else kind(g)
    if issubclass(type(g), (complex, np.complexfloating)):
        g = g.real
    if issubclass(kind, np.floating) and kind is not type(g):
        return kind(g)
    if kind is Decimal and not issubclass(type(g), (Decimal, int)):
        return Decimal(float(g)) if issubclass(type(g), (float, np.floating)) else _quotient(g)
    return g


def _quotient(g: Any) -> Any:  # Any: a Fraction, or what else stands for a number
    known = hasattr(g, "denominator")
    return Decimal(g.numerator) / Decimal(g.denominator) if known else g


_DOUBLE = frozenset([float, int, np.float64])


def _to_double(g: Any) -> Any:
    """The real part, in no other precision than double: an int stays one."""
    if type(g) in _DOUBLE:
        return g
    g = plain_number(g)
    g = g.real if issubclass(type(g), (complex, np.complexfloating)) else g
    return np.float64(g) if issubclass(type(g), np.floating) else g


def _to_array(g: Any, like: np.ndarray[Any, Any], where: str) -> np.ndarray[Any, Any]:
    a: np.ndarray[Any, Any] = np.asarray(g)
    wanted = like.dtype
    if a.dtype != wanted or wanted.kind not in "fc":
        if a.dtype.kind == "c" and wanted.kind not in "cO":
            a = a.real
        a = a.astype(_dtype_for(wanted), copy=False)
    if a.shape == like.shape:
        return a
    try:
        return np.broadcast_to(a, like.shape)
    except ValueError:
        pass
    if [n for n in a.shape if n != 1] == [n for n in like.shape if n != 1]:
        return a.reshape(like.shape)
    raise _wrong_shape(where, a.shape, like.shape)


def _dtype_for(wanted: np.dtype[Any]) -> np.dtype[Any]:
    """Of the cotangent of an array: objects may be complex numbers."""
    if wanted.kind in "fc":
        return wanted.newbyteorder("=")
    return np.dtype(np.complex128 if wanted.kind == "O" else np.float64)


def _wrong_shape(where: str, got: tuple[int, ...], wanted: tuple[int, ...]) -> RuleError:
    return RuleError(
        where,
        f"cotangent of shape {got} for a value of shape {wanted}",
        why="a cotangent has the shape of its value",
        instead="sum it over the axes along which the value was broadcast",
    )
