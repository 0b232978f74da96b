"""Writes that read what they have written: ``a[::2] = a[:3]``, ``a.flat[1:] = a[:-1]``,
``a[:2] = [a[1], a[0]]``.

NumPy copies what is written first in most cases where it shares memory with the target, and not in
all. What came where is found out by the same write once more, of the numbers of the elements, in
memory that is shared in the same way.

>>> a = np.arange(5.0)
>>> def write(a: Array, v: Array) -> None:
...     a[::2] = v
>>> order_of_write(a, a[:3], write)
array([ 0, -1,  1, -1,  1])
>>> order_of_write(a, np.ones(3), write), order_of_write(a, a[1:2], write)
(None, None)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from astad.errors import Unsupported
from astad.runtime.cotangents.owners import address_of, are_apart
from astad.tangents.zero import BY_VALUE

__all__ = ["Write", "gathered", "may_read_late", "order_of_result", "order_of_write"]

Array: TypeAlias = np.ndarray[Any, Any]
Value: TypeAlias = Any
"""What is written: an array, a number, or lists of these."""

Write: TypeAlias = Callable[[Array, Value], object]


def may_read_late(a: Array, v: Value) -> bool:
    """May a write to `a` change what is written before it has been read?

    >>> a = np.ones((2, 2))
    >>> may_read_late(a, a[0]), may_read_late(a, [a[0], 1.0]), may_read_late(a, np.ones(2))
    (True, True, False)
    """
    if issubclass(type(v), np.ndarray):
        return not are_apart(a, v)
    if not issubclass(type(v), (list, tuple)) or BY_VALUE.issuperset(map(type, v)):
        return False
    return any(may_read_late(a, each) for each in v)


def order_of_write(a: Array, v: Value, write: Write) -> Array | None:
    """For each element of `a` the number of the element of `v` that ``write(a, v)`` put there,
    counted from 0 through `v`; -1 where it wrote nothing. None where `v` was read as it had been.
    """
    numbers = _numbers_written(a, v, write)
    return None if numbers is None else numbers[1] - 1


def order_of_result(a: Array, v: Value, write: Write) -> Array | None:
    """As `order_of_write`, counted through the result that ``write(a, v)`` would leave in `a` had
    it read `v` first; each element of `v` comes into it once.

    >>> a = np.arange(4.0)
    >>> order_of_result(a, [a[2:], a[:2]], lambda a, v: np.concatenate(v, out=a))
    array([0, 1, 0, 1])
    """
    numbers = _numbers_written(a, v, write)
    if numbers is None:
        return None
    first, found = numbers
    places = np.full(first.size + 1, -1)
    places[first.reshape(-1)] = np.arange(first.size)
    return places[found]


def _numbers_written(a: Array, v: Value, write: Write) -> tuple[Array, Array] | None:
    """The numbers that the write leaves in `a`, counted from 1, 0 where it wrote nothing: if `v`
    were apart, and as it is. None where they are the same.
    """
    if not may_read_late(a, v):
        return None
    arrays = [each for each in (a, *_leaves(v)) if issubclass(type(each), np.ndarray)]
    shared = [a, *(each for each in arrays[1:] if not are_apart(a, each))]
    if len({each.dtype for each in shared[1:]}) > 1:
        raise _mixed()
    count = sum(np.size(each) for each in _leaves(v))
    base = min(_numbers_of(each.dtype) for each in arrays)
    first, found = np.zeros(a.shape, np.intp), np.zeros(a.shape, np.intp)
    weight = 1
    while weight <= count:
        first += weight * _written(a, v, write, (weight, base), [])
        found += weight * _written(a, v, write, (weight, base), shared)
        weight *= base
    found[first == 0] = 0
    return None if np.array_equal(first, found) else (first, found)


def gathered(g: Array, order: Array, shape: tuple[int, ...]) -> Array:
    """The cotangent of a value of this shape, of which `order` tells where its elements went.

    -1 stands for a constant: the imaginary part of a real number that was written before.

    >>> gathered(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0, 1, 1, -1]), (3,))
    array([1., 6., 0.])
    """
    parts = np.zeros(int(np.prod(shape)) + 1, g.dtype)
    np.add.at(parts, order, g)
    return parts[:-1].reshape(shape)


def _leaves(v: Value) -> Iterator[Value]:
    if issubclass(type(v), (list, tuple)):
        for each in v:
            yield from _leaves(each)
    else:
        yield v


def _numbers_of(dtype: np.dtype[Any]) -> int:
    """How many numbers from 0 on an element holds exactly; more than are needed do not count."""
    if dtype.kind in "iu":
        return min(int(np.iinfo(dtype).max), _MANY)
    if dtype.kind in "fc":
        return min(1 << int(np.finfo(dtype).nmant), _MANY)
    return _MANY if dtype.hasobject else 2


_MANY = 1 << 52


def _written(
    a: Array, v: Value, write: Write, digit: tuple[int, int], shared: list[Array]
) -> Array:
    """What the write leaves in `a`, of zeros, where each element of `v` is a digit of its number,
    counted from 1. The arrays in `shared` have their memory in common.
    """
    weight, base = digit
    layout = _layout(shared)
    target = layout(a)
    target[...] = 0

    def numbered(v: Value, first: int) -> tuple[Value, int]:
        if issubclass(type(v), (list, tuple)):
            items = []
            for each in v:
                item, first = numbered(each, first)
                items.append(item)
            return items, first
        after = first + np.size(v)
        digits = np.arange(first, after) // weight % base
        if not issubclass(type(v), np.ndarray):
            return digits.reshape(np.shape(v))[()], after
        array = layout(v)
        array[...] = digits.reshape(v.shape)
        return array, after

    write(target, numbered(v, 1)[0])
    return (target.real if target.dtype.kind == "c" else target).astype(np.intp)


def _layout(shared: list[Array]) -> Callable[[Array], Array]:
    """Makes arrays like given ones: like each of `shared` in one memory, at the same distances."""
    if not shared:
        return lambda a: np.empty(a.shape, a.dtype)
    bounds = [np.lib.array_utils.byte_bounds(each) for each in shared]
    low, high = min(first for first, _ in bounds), max(last for _, last in bounds)
    if shared[0].dtype.hasobject:
        memory, start = np.zeros((high - low) // np.dtype(object).itemsize, object), 0
    else:
        memory = np.zeros(high - low + 64, np.uint8)
        start = (low - address_of(memory)) % 64  # aligned alike

    def like(a: Array) -> Array:
        if not any(a is each for each in shared):
            return np.empty(a.shape, a.dtype)
        return np.ndarray(a.shape, a.dtype, memory, start + address_of(a) - low, a.strides)

    return like


def _mixed() -> Unsupported:
    return Unsupported(
        "ndarray[...] = v",
        "parts of an array as numbers of several kinds, written into the same array",
        why="NumPy reads some of them after it has overwritten them, parts among whole numbers",
        instead="write copies of them: np.array([...])",
    )
