"""Functions of NumPy that call back, go through an array or write into one, as Python would write
them for arrays of floats.

>>> a = np.zeros((2, 2))
>>> fill_diagonal(a, 3.0)
>>> Flat(a)[1] = 2.0
>>> a.tolist(), [*Flat(a)] == [*a.flat], [*ndindex(1, 2)]
([[3.0, 2.0], [0.0, 3.0]], True, [(0, 0), (0, 1)])
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = [
    "Flags",
    "Flat",
    "IN_PYTHON",
    "cheapest_order",
    "filled_by",
    "is_not_written",
    "is_of_floats",
    "vectorized",
]

# Any in this file: arrays, indices and functions of the program's


def is_not_written(what: str) -> None:
    """The interpreter refuses the run: the call is none of those that are written here."""


class Flat:
    """``a.flat``, which goes on where it was left; to read or write by a subscript begins anew."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.place = 0

    def __len__(self) -> int:
        return int(self.array.size)

    def __iter__(self) -> Iterator[Any]:
        while self.place < self.array.size:
            at = np.unravel_index(self.place, self.array.shape)
            self.place += 1
            yield self.array[tuple([int(each) for each in at])]

    def __getitem__(self, key: Any) -> Any:
        self.place = 0
        return self.array.flatten()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        numbers = np.arange(self.array.size)[key]
        places = np.unravel_index(numbers, self.array.shape)
        if np.ndim(value) and np.size(value) != np.size(places[0]):
            is_not_written("a.flat that is filled by another number of values")
        self.array[places] = value
        # after a write by an index list NumPy stays at the last of it
        listed = np.ndim(key) and np.asarray(key).dtype.kind in "iu" and np.size(numbers)
        self.place = int(np.ravel(numbers)[-1]) if listed else 0


class Flags:
    """``a.flags``, which are asked one by one."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    if wrap or a.ndim != 2 or (np.ndim(val) and np.shape(val) != (min(a.shape),)):
        is_not_written("np.fill_diagonal with such arguments")
    places = np.arange(min(a.shape))
    a[places, places] = val


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    if mode != "raise" or a.ndim != 1 or (np.ndim(v) and np.size(v) != np.size(ind)):
        is_not_written("np.put with such arguments")
    a[ind] = v


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is True:
        dst[:] = src
    elif np.shape(where) != np.shape(dst):
        is_not_written("np.copyto with a mask of another shape")
    elif np.ndim(src):
        dst[where] = np.broadcast_to(src, dst.shape)[where]
    else:
        dst[where] = src


def ndindex(*shape: Any) -> Any:
    lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    return itertools.product(*[range(each) for each in lengths])


def ndenumerate(arr: Any) -> Any:
    for place in ndindex(*np.shape(arr)):
        yield place, arr[place]


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    if type(condlist) is not list or np.shape(condlist[0]) != np.shape(x) or not np.ndim(x):
        is_not_written("np.piecewise with such conditions")
    conditions = [*condlist]
    if len(conditions) == len(funclist) - 1:
        met = conditions[0]
        for each in conditions[1:]:
            met = met | each
        conditions.append(~met)
    y = np.zeros_like(x)
    for condition, of in zip(conditions, funclist, strict=True):
        if not callable(of):
            y[condition] = of
        elif np.any(condition):
            y[condition] = of(x[condition], *args, **kw)
    return y


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    axis = axis % arr.ndim
    rows = np.moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    parts = [func1d(rows[place], *args, **kwargs) for place in ndindex(*outer)]
    if not parts or not all(is_of_floats(each) for each in parts):
        is_not_written("np.apply_along_axis of what gives no floats")
    inner = np.ndim(parts[0])
    y = np.array(parts).reshape(outer + np.shape(parts[0]))
    order = [*range(y.ndim)]
    first, own = order[: y.ndim - inner], order[y.ndim - inner :]
    return np.transpose(y, [*first[:axis], *own, *first[axis:]])


def is_of_floats(y: Any) -> bool:
    return isinstance(y, float) or (type(y) is np.ndarray and y.dtype == np.float64)


def vectorized(fn: Any, *args: Any) -> Any:
    """A call of ``np.vectorize(fn)``: its first one tells of which type the results are."""
    shape = np.broadcast_shapes(*[np.shape(each) for each in args])
    columns = [np.broadcast_to(each, shape).flatten() for each in args]
    if not shape or not all(is_of_floats(each) for each in columns):
        is_not_written("np.vectorize of such arguments")
    found = [fn(*[each[0] for each in columns])]
    found = [fn(*row) for row in zip(*[each.tolist() for each in columns], strict=True)]
    if not all(isinstance(each, float) for each in found):
        is_not_written("np.vectorize of what gives no floats")
    return np.array(found).reshape(shape)


def filled_by(ufunc: Any, operands: Any, out: Any, where: Any = None) -> Any:
    """``ufunc(*operands, out=out)``, or where there are truths of that shape only there."""
    if not out.ndim:
        if where is None or where:
            out[()] = ufunc(*operands)
        return out
    if where is None:
        made = ufunc(*operands)
        if np.shape(made) != out.shape:
            is_not_written("out= of another shape")
        out[...] = made
        return out
    if np.shape(where) != out.shape:
        is_not_written("where= of another shape")
    out[where] = ufunc(*[np.broadcast_to(each, out.shape)[where] for each in operands])
    return out


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Any:
    items = [*(iter if count < 0 else itertools.islice(iter, count))]
    if dtype not in (float, np.float64) or len(items) < count:
        is_not_written("np.fromiter of other than floats, or of too few")
    return np.array(items, dtype=float)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(ary, np.ndarray):
        is_not_written("np.split of what is no array")
    axis, length = axis % ary.ndim, ary.shape[axis]
    if isinstance(indices_or_sections, (list, tuple, np.ndarray)):
        bounds = [0, *indices_or_sections, length]
    else:
        if length % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        step = length // indices_or_sections
        bounds = [*range(0, length, step), length]
    before = (slice(None),) * axis
    return [ary[(*before, slice(a, b))] for a, b in itertools.pairwise(bounds)]


def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    return split(ary, indices_or_sections, min(np.ndim(ary) - 1, 1))


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    return split(ary, indices_or_sections, 0)


@functools.cache
def cheapest_order(shapes: tuple[tuple[int, int], ...], first: int = 0) -> Any:
    """The order in which a chain of matrices is multiplied with the fewest products, as nested
    pairs of their numbers.

    >>> cheapest_order(((9, 2), (2, 9), (9, 1)))
    (0, (1, 2))
    """
    if len(shapes) == 1:
        return first

    def pair(at: int) -> Any:
        return cheapest_order(shapes[:at], first), cheapest_order(shapes[at:], first + at)

    return pair(min(range(1, len(shapes)), key=lambda at: _cost(shapes, at)))


@functools.cache
def _cost(shapes: tuple[tuple[int, int], ...], at: int) -> int:
    """Products of numbers, where the last product of matrices is the one at this place."""
    own = shapes[0][0] * shapes[at][0] * shapes[-1][1]
    for part in (shapes[:at], shapes[at:]):
        own += min((_cost(part, inner) for inner in range(1, len(part))), default=0)
    return own


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    if sparse or not copy or not xi or not all(np.ndim(each) == 1 for each in xi):
        is_not_written("np.meshgrid with such arguments")
    arrays = [np.asarray(each) for each in xi]
    places = [*range(len(arrays))]
    if indexing == "xy" and len(places) > 1:
        places[:2] = 1, 0
    shape = [1] * len(places)
    for at, each in zip(places, arrays, strict=True):
        shape[at] = each.shape[0]
    made = []
    for at, each in zip(places, arrays, strict=True):
        own = [1] * len(places)
        own[at] = shape[at]
        made.append(np.broadcast_to(np.reshape(each, tuple(own)), tuple(shape)).copy())
    return tuple(made)


def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    shape = np.broadcast_shapes(*[np.shape(each) for each in args])
    return tuple(
        [each if np.shape(each) == shape else np.broadcast_to(each, shape) for each in args]
    )


def diag_indices_from(arr: Any) -> Any:
    if arr.ndim != 2 or arr.shape[0] != arr.shape[1]:
        is_not_written("np.diag_indices_from of what is no square matrix")
    return np.diag_indices(arr.shape[0])


def tril_indices_from(arr: Any, k: int = 0) -> Any:
    return np.tril_indices(arr.shape[0], k=k, m=arr.shape[1])


def triu_indices_from(arr: Any, k: int = 0) -> Any:
    return np.triu_indices(arr.shape[0], k=k, m=arr.shape[1])


def put_in_turn(ufunc: Any, a: Any, indices: Any, b: Any) -> None:
    """``ufunc.at(a, indices, b)`` of one axis."""
    for at in range(len(indices)):
        place = indices[at]
        a[place] = ufunc(a[place], b[at] if np.ndim(b) else b)


IN_PYTHON: dict[Any, Any] = {
    np.fill_diagonal: fill_diagonal, np.put: put, np.copyto: copyto, np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis, np.ndindex: ndindex, np.ndenumerate: ndenumerate,
    filled_by: filled_by, np.fromiter: fromiter, put_in_turn: put_in_turn,
    np.split: split, np.hsplit: hsplit, np.vsplit: vsplit, np.meshgrid: meshgrid,
    np.broadcast_arrays: broadcast_arrays, np.diag_indices_from: diag_indices_from,
    np.tril_indices_from: tril_indices_from, np.triu_indices_from: triu_indices_from,
}  # fmt: skip
