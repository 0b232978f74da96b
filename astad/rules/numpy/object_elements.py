"""What NumPy does with arrays of objects that are no numbers: the operator of each element.

>>> a = np.empty(2, object)
>>> a[0], a[1] = np.array([1.0, 2.0]), np.array([3.0])
>>> by_element(OPERATORS[np.multiply], a, 2.0)
array([array([2., 4.]), array([6.])], dtype=object)
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

__all__ = [
    "OPERATORS",
    "accumulated",
    "as_lists",
    "as_object",
    "by_element",
    "by_methods",
    "copied",
    "into_array",
    "into_elements",
    "joined",
    "reduced",
]


# Elements are of any kind.


def by_element(func: Any, *args: Any) -> Any:
    """The results of an operator in an array of objects, of no axes the one result."""
    arrays = [a if isinstance(a, np.ndarray) else as_elements(a) for a in args]
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    y = np.empty(shape, object)
    for place in np.ndindex(shape):
        y[place] = func(*[element(a, place) for a in arrays])
    return y if shape else y[()]


def as_elements(x: Any) -> Any:
    """An array of what NumPy takes for the elements of an operand."""
    if isinstance(x, (list, tuple)):
        return np.asarray(x)
    a = np.empty((), object)
    a[()] = x.item() if isinstance(x, np.generic) else x
    return a


def element(a: Any, place: Any) -> Any:
    """The element of an array that meets this place of the result."""
    own = place[len(place) - a.ndim :]
    x = a[tuple([0 if n == 1 else k for n, k in zip(a.shape, own, strict=True)])]
    return x.item() if isinstance(x, np.generic) and a.dtype != object else x


def into_elements(func: Any, a: Any, *args: Any) -> Any:
    """``a += b`` where the elements of `a` are objects."""
    a[...] = by_element(func, a, *args)
    return a


def into_array(out: Any, func: Any, *args: Any) -> Any:
    """``np.add(a, b, out=out)`` where elements are objects."""
    out[...] = by_element(func, *args)
    return out


def reduced(func: Any, array: Any) -> Any:
    """``ufunc.reduce`` along the one axis, from the first element to the last."""
    y = array[0]
    for k in range(1, len(array)):
        y = func(y, array[k])
    return y


def accumulated(func: Any, array: Any) -> Any:
    """``ufunc.accumulate`` along the one axis."""
    y = np.empty(len(array), object)
    for k in range(len(array)):
        y[k] = func(y[k - 1], array[k]) if k else array[k]
    return y


def by_methods(name: str, array: Any) -> Any:
    """``np.exp`` of an object is its method of that name."""
    return by_element(functools.partial(called, name), array)


def called(name: str, x: Any) -> Any:
    method = getattr(x, name, None)
    if method is None or not callable(method):
        raise TypeError(
            f"loop of ufunc does not support argument 0 of type {type(x).__name__} "
            f"which has no callable {name} method"
        )
    return method()


def joined(fn: Any, arrays: Any, *more: Any) -> Any:
    """``np.concatenate`` and the like of an array whose elements are arrays."""
    return fn([arrays[k] for k in range(len(arrays))], *more)


def as_lists(a: Any) -> Any:
    """``a.tolist()``."""
    if a.ndim == 0:
        return a[()]
    return [as_lists(a[k]) if a.ndim > 1 else a[k] for k in range(len(a))]


def as_object(a: Any, *index: Any) -> Any:
    """``a.item(*index)``: the element itself."""
    number = np.arange(a.size).reshape(a.shape).item(*index)
    return a[np.unravel_index(number, a.shape)]


def copied(a: Any) -> Any:
    """``a.copy()``: another array with the same objects."""
    y = np.empty(a.shape, object)
    for place in np.ndindex(a.shape):
        y[place] = a[place]
    return y


def square(x: Any) -> Any:
    return x * x


def reciprocal(x: Any) -> Any:
    return 1 / x


def larger(a: Any, b: Any) -> Any:
    return a if a >= b else b


def smaller(a: Any, b: Any) -> Any:
    return a if a <= b else b


OPERATORS: dict[Any, Any] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.floor_divide: operator.floordiv, np.remainder: operator.mod,
    np.power: operator.pow, np.negative: operator.neg, np.positive: operator.pos,
    np.absolute: operator.abs, np.square: square, np.reciprocal: reciprocal,
    np.maximum: larger, np.fmax: larger, np.minimum: smaller, np.fmin: smaller,
}  # fmt: skip
"""What NumPy's loop for objects does, by ufunc."""
for _operator in [each for each in OPERATORS.values() if each.__module__ == "_operator"]:
    OPERATORS[_operator] = _operator
OPERATORS[abs] = operator.abs
