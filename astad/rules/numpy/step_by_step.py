"""Python in the place of compiled or obscure code of NumPy, to be differentiated from its source.

What a rule does not cover is done in steps that have rules.

>>> reduce(np.subtract, np.array([7.0, 2.0, 1.0]))
np.float64(4.0)
>>> einsum(np.eye(2), [0, 1], np.array([3.0, 4.0]), [1])
array([3., 4.])
>>> apply_along_axis(np.cumsum, 0, np.ones((2, 2)))
array([[1., 1.],
       [2., 2.]])
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

from astad.errors import Unsupported

__all__ = [
    "SOURCES",
    "accumulate",
    "apply_along_axis",
    "cumprod",
    "cumsum",
    "einsum",
    "elementwise",
    "entries",
    "in_memory",
    "into_several",
    "outer",
    "pad",
    "python_of",
    "reduce",
    "reduceat",
    "trace",
    "widths_of",
]


# Their operands are as mixed as those of NumPy's own functions.


def reduce(
    ufunc: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
    keepdims: Any = False, initial: Any = np._NoValue, where: Any = True,
) -> Any:  # fmt: skip
    """``ufunc.reduce``, from the first entry of the axis to the last; of sums and the like, by the
    function that knows what to start from.
    """
    if ufunc in TOTALS and out is None:
        return TOTALS[ufunc](
            array, axis=axis, keepdims=keepdims, initial=initial, where=where,
            **({} if dtype is None else {"dtype": dtype}),
        )  # fmt: skip
    if not _is_stepped(ufunc, dtype) or out is not None or where is not True:
        raise _uncovered("reduce", ufunc)
    a = _operand(ufunc, array)
    if axis is None or isinstance(axis, tuple):
        if isinstance(axis, tuple) and len(axis) != 1 or axis is None and a.ndim != 1:
            raise _uncovered("reduce", ufunc)
        axis = 0 if axis is None else axis[0]
    entries = list(np.moveaxis(a, axis, 0))
    if initial is not np._NoValue and initial is not None:
        entries.insert(0, initial)
    if not entries:
        raise ValueError(
            f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        )
    y, step = entries[0], _step(ufunc, a)
    for entry in entries[1:]:
        y = step(y, entry)
    if len(entries) == 1 and not is_of_python(ufunc):
        y = y * 1
    return np.expand_dims(y, axis) if keepdims else y


def accumulate(ufunc: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """``ufunc.accumulate``."""
    if not _is_stepped(ufunc, dtype) or out is not None:
        raise _uncovered("accumulate", ufunc)
    if axis is None and np.ndim(array) == 1:
        axis = 0
    a = _operand(ufunc, array)
    found: list[Any] = []
    y, step = None, _step(ufunc, a)
    for entry in np.moveaxis(a, axis, 0):
        y = step(y, entry) if found else entry
        found.append(y)
    if found and is_of_python(ufunc) and np.ndim(array) == 1:
        return np.array(found, dtype=object)
    return np.stack(found, axis) if found else np.array(array)


def outer(ufunc: Any, A: Any, B: Any) -> Any:
    """``ufunc.outer`` of a ufunc made by `np.frompyfunc`."""
    first, second = np.asarray(A), np.asarray(B)
    return ufunc(first.reshape(first.shape + (1,) * second.ndim), second)


def is_of_python(ufunc: Any) -> bool:
    """Was it made by `np.frompyfunc`, of two operands?"""
    return bool(ufunc.types == ["OO->O"])


def python_of(ufunc: Any) -> Any:
    """The function that ``np.frompyfunc`` was given; None of another ufunc."""
    return next((each for each in gc.get_referents(ufunc) if callable(each)), None)


def _step(ufunc: Any, array: Any) -> Any:
    """What goes from one entry to the next: a function of Python is given what it gave before, as
    it is.
    """
    return is_of_python(ufunc) and array.ndim == 1 and python_of(ufunc) or ufunc


def _is_stepped(ufunc: Any, dtype: Any) -> bool:
    return dtype is None and ufunc in STEPPED or (is_of_python(ufunc) and dtype in (None, object))


def _operand(ufunc: Any, array: Any) -> Any:
    """A function of Python is given numbers of Python's."""
    a = np.asarray(array)
    return a.astype(object) if is_of_python(ufunc) and a.dtype != object else a


def reduceat(
    ufunc: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.reduceat``: from each index to the next, or the one entry where that is not
    larger."""
    if ufunc not in STEPPED or dtype is not None or out is not None:
        raise _uncovered("reduceat", ufunc)
    a = np.moveaxis(np.asarray(array), axis, 0)
    ends = [*list(indices)[1:], len(a)]
    found = []
    for start, end in zip(indices, ends, strict=True):
        part = a[start : max(end, start + 1)]
        found.append(ufunc.reduce(part, axis=0))
    return np.stack(found, axis)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``a.cumsum()`` of an array that is asked for its ufuncs."""
    return cumulated(np.add, a, axis, named(dtype, out))


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``a.cumprod()``, likewise."""
    return cumulated(np.multiply, a, axis, named(dtype, out))


def cumulated(ufunc: Any, a: Any, axis: Any, words: Any) -> Any:
    """The method ``accumulate`` as C calls it."""
    if axis is not None:
        return ufunc.accumulate(a, axis, **words)
    return ufunc.accumulate(a if a.ndim == 1 else np.ndarray.ravel(a), 0, **words)


def trace(
    a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None
) -> Any:
    """``a.trace()``, likewise."""
    diagonal = np.ndarray.diagonal(a, offset, axis1, axis2)
    return np.add.reduce(diagonal, -1, **named(dtype, out))


def named(dtype: Any, out: Any) -> Any:
    """The options that were given."""
    words = {"dtype": dtype, "out": out}
    return {name: value for name, value in words.items() if value is not None}


def entries(a: Any) -> Any:
    """The arrays that ``np.concatenate`` finds in one."""
    return [a[k] for k in range(len(a))]


def einsum(*operands: Any, **keywords: Any) -> Any:
    """``np.einsum`` with lists of numbers as subscripts."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    arrays = list(operands[:-1:2]) if len(operands) % 2 else list(operands[::2])
    lists = list(operands[1::2])
    texts = []
    for places in [*lists, *([operands[-1]] if len(operands) % 2 else [])]:
        texts.append("".join("..." if place is ... else letters[place] for place in places))
    inputs = ",".join(texts[: len(lists)])
    text = inputs + "->" + texts[-1] if len(operands) % 2 else inputs
    return np.einsum(text, *arrays, **keywords)


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.apply_along_axis``: the results in the place of the axis, of the dtype of the first."""
    a = np.asanyarray(arr)
    axis = axis + a.ndim if axis < 0 else axis
    moved = np.moveaxis(a, axis, -1)
    shape = moved.shape[:-1]
    found = []
    for place in np.ndindex(shape):
        found.append(np.asanyarray(func1d(moved[(*place, ...)], *args, **kwargs)))
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = found[0]
    whole = np.stack(found).astype(first.dtype, copy=False).reshape(shape + first.shape)
    n = len(shape)
    order = [*range(axis), *range(n, n + first.ndim), *range(axis, n)]
    return np.transpose(whole, order)


def elementwise(func: Any, count: Any, as_array: Any, *args: Any) -> Any:
    """What a ufunc of ``np.frompyfunc`` with ``count`` results does."""
    arrays = [np.asarray(a).astype(object) for a in args]  # numbers of NumPy as Python's
    order, back = in_memory(arrays)
    whole = np.broadcast_shapes(*[a.shape for a in arrays])
    shape = tuple([whole[k] for k in order])
    columns = [np.transpose(np.broadcast_to(a, whole), order).ravel() for a in arrays]
    results = []
    for k in range(len(columns[0])):
        results.append(func(*[column[k] for column in columns]))
    if not shape and not as_array:
        return results[0]
    kept = [results] if count == 1 else [[each[k] for each in results] for k in range(count)]
    parts = [np.transpose(in_shape(each, shape), back) for each in kept]
    owner = of_a_class(args)
    if owner is not None:
        parts = [np.ndarray.__array_wrap__(owner, part) for part in parts]
    return parts[0] if count == 1 else tuple(parts)


def of_a_class(args: Any) -> Any:
    """The array of a subclass that has its class on the results of a ufunc, None where none is.

    >>> class Row(np.ndarray): ...
    >>> row = np.ones(2).view(Row)
    >>> of_a_class((np.ones(2), row)) is row, of_a_class((np.ones(2), 1.0))
    (True, None)
    """
    owners = [a for a in args if isinstance(a, np.ndarray) and type(a) is not np.ndarray]
    return max(owners, key=lambda a: a.__array_priority__, default=None)


def in_memory(arrays: Any) -> Any:
    """The axes from the one of the longest steps in memory to the one of the shortest, in which
    NumPy goes over the elements; and how the axes of such an array are put back.

    >>> in_memory([np.ones((2, 3, 4)).T])
    ((2, 1, 0), (2, 1, 0))
    """
    if not arrays:
        return (), ()
    bools = [np.lib.stride_tricks.as_strided(np.True_, a.shape, a.strides) for a in arrays]
    flags: Any = [*[["readonly"]] * len(bools), ["writeonly", "allocate"]]
    operands: Any = [*bools, None]
    made = np.nditer(operands, ["zerosize_ok"], flags, order="K").operands[-1]
    order = sorted(range(made.ndim), key=lambda k: -made.strides[k])
    return tuple(order), tuple(sorted(range(len(order)), key=order.__getitem__))


def into_several(ufunc: Any, *args: Any, out: Any = ()) -> Any:
    """A ufunc of several results with an array, or None, to write each of them into.

    >>> whole = np.zeros(2)
    >>> into_several(np.modf, np.array([1.5, 2.25]), out=(None, whole))
    (array([0.5 , 0.25]), array([1., 2.]))
    >>> whole
    array([1., 2.])
    """
    outs = out or args[ufunc.nin :]
    results = list(ufunc(*args[: ufunc.nin]))
    for k in range(len(outs)):
        if outs[k] is not None:
            np.copyto(outs[k], results[k])
            results[k] = outs[k]
    return tuple(results)


def pad(array: Any, pad_width: Any, mode: Any, *, stat_length: Any = None) -> Any:
    """``np.pad`` of whole numbers with one of them: NumPy rounds what has been chosen.

    >>> pad(np.array([2, 3, 5]), (1, 2), "median")
    array([3, 2, 3, 5, 3, 3])
    """
    a = np.asarray(array)
    widths = widths_of(pad_width, a.ndim)
    lengths = np.broadcast_to(np.array(stat_length, object), (a.ndim, 2))
    for axis in range(a.ndim):
        rows = np.moveaxis(a, axis, 0)
        ends = []
        for rows_there, length in zip((rows, rows[::-1]), lengths[axis].tolist(), strict=True):
            chosen = statistic(mode, rows_there if length is None else rows_there[:length])
            ends.append(np.expand_dims(chosen, axis))
        before, after = widths[axis].tolist()
        parts = [np.repeat(ends[0], before, axis), a, np.repeat(ends[1], after, axis)]
        a = np.concatenate(parts, axis)
    return a


def statistic(mode: str, rows: Any) -> Any:
    """Of the first axis; the median of an even number of entries is rounded."""
    if mode != "median":
        return rows.max(axis=0) if mode == "maximum" else rows.min(axis=0)
    if len(rows) % 2:
        return np.quantile(rows, 0.5, axis=0, method="lower")
    return np.round(np.median(rows, axis=0)).astype(rows.dtype)


def widths_of(pad_width: Any, rank: int) -> Any:
    """How much comes before and after, a row for each axis.

    >>> widths_of({-1: (1, 2)}, 2)
    array([[0, 0],
           [1, 2]])
    """
    if not isinstance(pad_width, dict):
        return np.broadcast_to(pad_width, (rank, 2))
    given: list[Any] = [pad_width.get(k, pad_width.get(k - rank, 0)) for k in range(rank)]
    return np.array([np.broadcast_to(each, (2,)) for each in given])


def in_shape(results: Any, shape: Any) -> Any:
    """An array of objects with these elements."""
    y = np.empty(len(results), object)
    for k in range(len(results)):
        y[k] = results[k]
    return y.reshape(shape)


def _uncovered(name: str, ufunc: Any) -> Unsupported:
    return Unsupported(
        f"np.{ufunc.__name__}.{name}",
        "a derivative through this call",
        why="its rule does not cover the ufunc, or its dtype, its out or its axes",
        instead="write the steps as a loop over one axis",
    )


STEPPED = (
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.fmax, np.fmin,
    np.hypot, np.logaddexp, np.logaddexp2,
)  # fmt: skip
"""Not power and arctan2, which NumPy does not compute from the first entry to the last where these
lie side by side."""

TOTALS: dict[Any, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
}  # fmt: skip

SOURCES = {
    np.ufunc.reduce: reduce, np.ufunc.accumulate: accumulate, np.ufunc.reduceat: reduceat,
    np.ufunc.outer: outer, np.einsum: einsum, np.apply_along_axis: apply_along_axis, np.pad: pad,
}  # fmt: skip
"""The Python to go through for a call that the function's own rule does not cover."""


def stands_in(fn: Any, args: Any, keywords: Any) -> Any:
    """The Python for this call of a function, or None."""
    source = SOURCES.get(fn)
    if source is outer:
        return source if is_of_python(args[0]) and len(args) == 3 and not keywords else None
    if source in (reduce, accumulate) and is_of_python(args[0]):
        known = {"axis", "keepdims", "initial", "array", "dtype"}
        return source if keywords.keys() <= known and len(args) < 5 else None
    if source in (reduce, accumulate, reduceat):
        known = {"axis", "keepdims", "initial", "indices", "array"}
        if source is reduce and args[0] in TOTALS:
            known |= {"where", "dtype"}
        plain = keywords.keys() <= known
        return source if plain and len(args) < 4 and args[0] in STEPPED else None
    if source is pad:
        whole = np.asarray(args[0] if args else keywords["array"]).dtype.kind in "iu"
        mode = args[2] if len(args) > 2 else keywords.get("mode")
        return source if whole and mode in ("maximum", "minimum", "median") else None
    return source
