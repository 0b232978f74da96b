"""Rules of the methods of arrays and of NumPy's numbers, most of them those of the functions.

A method is known by its descriptor, ``np.ndarray.sum``, whose first parameter is the array.

>>> import numpy
>>> nested([1.0, None], (2,))
[1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import umath

from astad.rules.numpy import (
    choosing,
    creation,
    cumulative,
    extremes,
    indexing,
    joining,
    products,
    reductions,
    shapes,
    sorting,
    steps,
)
from astad.rules.numpy.samples import imaginary, real
from astad.rules.numpy.scatter import numbered, scattered
from astad.rules.registry import REGISTRY, Keywords, linear, zero
from astad.slotted import replace

FAMILIES = (
    choosing, cumulative, extremes, indexing, joining, products, reductions, shapes, sorting, steps,
)  # fmt: skip
"""Where the functions are declared whose rules are those of methods as well."""

Examples = Callable[[], list[tuple[Any, ...]]]

SAME = "sum prod mean max min var std cumsum cumprod ravel swapaxes squeeze repeat take".split()
"""Methods of arrays and of numbers with the parameters of the function, after the array."""

OF_ARRAYS = [*SAME, *"dot trace diagonal choose".split()]


def number_examples(*more: tuple[Any, ...]) -> Examples:
    """Examples of a method of numbers."""
    return lambda: [(np.float64(1.5), *each) for each in more or ((),)]


WITH_MORE: dict[Any, list[tuple[Any, ...]]] = {
    np.repeat: [(np.float64(1.5), 3)],
    np.take: [(np.float64(1.5), [0, 0])],
}
"""Examples on numbers, of methods that need another argument."""


def of_kind(function: Any, kind: type) -> Examples:
    """Examples of a function that are examples of the method."""

    def found() -> list[tuple[Any, ...]]:
        examples = REGISTRY[id(function)].examples
        every = list(examples() if callable(examples) else examples or ())
        if kind is np.generic:
            alone = any(len(each) == 1 for each in every)
            return [(np.float64(1.5),)] if alone else WITH_MORE.get(function, [])
        arrays = [each for each in every if isinstance(each[0], np.ndarray)]
        return [each for each in arrays if "correction" not in keywords_of(each)]

    return found


def keywords_of(example: tuple[Any, ...]) -> Any:
    """The keyword arguments of an example."""
    return example[-1] if isinstance(example[-1], Keywords) else ()


for kind, names in ((np.ndarray, OF_ARRAYS), (np.generic, SAME)):
    for name in names:
        function, method = getattr(np, name), getattr(kind, name)
        REGISTRY[id(method)] = replace(
            REGISTRY[id(function)], fn=method, examples=of_kind(function, kind), _compiled={}
        )
clip = np.ndarray.clip
for method, shown in (
    (np.generic.clip, number_examples((0.5, 1.0), (0.5, 2.0))),
    (vars(umath)["clip"], choosing.CLIP_EXAMPLES[:1]),  # the ufunc behind the method
):
    REGISTRY[id(method)] = replace(REGISTRY[id(clip)], fn=method, examples=shown, _compiled={})


# parameters of their own


def unpacked(many: Any) -> Any:
    """``a.reshape(2, 3)`` and ``a.reshape((2, 3))`` mean the same."""
    return many[0] if len(many) == 1 else many


def reversed_axes(axes: Any) -> Any:
    """The axes of ``a.transpose(...)``, None for all reversed."""
    return unpacked(axes) if axes else None


def keeps_its_bits(a: Any, dtype: Any) -> bool:
    """Whether a number viewed so is the same number."""
    if dtype is None or isinstance(dtype, type) and issubclass(dtype, np.ndarray):
        return True
    return bool(np.dtype(dtype) == a.dtype)


def nested(parts: Any, of: tuple[int, ...]) -> Any:
    """Cotangents of nested lists of this shape; zeros where a number or a whole list has none."""
    if parts is None:
        return np.zeros(of).tolist()
    return [nested(each, of[1:]) for each in parts] if of else parts


def filled(parts: Any, of: tuple[int, ...]) -> Any:
    """Cotangent of the array that became nested lists."""
    return np.reshape(np.asarray(nested(parts, of)), of)


def compress_back(y_bar: Any, of: tuple[int, ...], condition: Any, axis: Any) -> Any:
    """Cotangent of the array of which some entries were kept."""
    return scattered(y_bar, np.compress(condition, numbered(of), axis), of)


def item_back(y_bar: Any, of: tuple[int, ...], args: Any) -> Any:
    """Cotangent of the array of which one entry was read."""
    return scattered(y_bar, numbered(of).item(*args), of)


linear(
    np.ndarray.reshape,
    "a, *shape, order='C', copy=None",
    a="shapes.shaped(y_bar, a, order)",
    dot="shapes.stored_like(a_dot, a).reshape(*shape, order=order)",
    short={"; shape": ("y_bar.reshape(a.shape)",)},
    gives="reshaped(a, shape); order",
    view="a",
    entries="whole",
    finite="a",
    complexes="kept",
    source=shapes.MOVED,
    examples=lambda: [
        (real(2, 3), 3, 2),
        (real(2, 3), (3, 2)),
        (real(2, 3), -1),
        (real(2, 3), 6, Keywords(order="F")),
        (real(2, 3).T, 6, Keywords(order="A")),
    ],
)
linear(
    np.ndarray.flatten,
    "a, order='C'",
    a="shapes.strided(y_bar, a, order)",
    dot="shapes.stored_like(a_dot, a).flatten(order)",
    short={"": ("y_bar.reshape(a.shape)",)},
    gives="flat(a); order",
    entries="whole",
    finite="a",
    complexes="kept",
    source=shapes.MOVED,
    examples=lambda: [
        (real(2, 3),),
        (real(2, 3), "F"),
        (real(2, 3, 4).T, "K"),
        (real(2, 3).T, "A"),
    ],
)
linear(
    np.ndarray.transpose,
    "a, *axes",
    a="shapes.untransposed(y_bar, reversed_axes(axes))",
    short={"": ("y_bar.T",)},
    gives="transposed(a, axes)",
    view="a",
    entries="whole",
    finite="a",
    complexes="kept",
    source=shapes.MOVED,
    examples=lambda: [
        (real(2, 3),),
        (real(2, 3, 4), 2, 0, 1),
        (real(2, 3, 4), (2, 0, 1)),
        (real(2, 3), None),
    ],
)
linear(
    np.ndarray.astype,
    "a, dtype, order='K', casting='unsafe', subok=True, copy=True",
    a="creation.through(y_bar, dtype)",
    gives="converted(a, dtype, copy)",
    source=creation.SAME,
    examples=lambda: [(real(2, 3), float), (real(3), complex)],
)
linear(
    np.ndarray.copy,
    "a, order='C'",
    a="y_bar",
    short={"; order": ("y_bar",)},
    gives="moved(a); order",
    entries="whole",
    finite="a",
    complexes="kept",
    source=creation.SAME,
    also=(np.ndarray.__copy__,),
    examples=lambda: [(real(2, 3),), (imaginary(2),)],
)
linear(
    np.ndarray.__deepcopy__,
    "a, memo=None",
    a="y_bar",
    source=creation.SAME,
    examples=lambda: [(real(2, 3), {})],
)
linear(
    np.ndarray.compress,
    "a, condition, axis=None, out=None",
    a="compress_back(y_bar, a.shape, condition, axis)",
    refuse="out is not None",
    source=indexing.PICKED,
    examples=lambda: [(real(3), [True, False, True]), (real(2, 3), [0, 1], 0)],
)
linear(
    np.ndarray.item,
    "a, *args",
    a="item_back(y_bar, a.shape, args)",
    gives="as_float(a); args",
    source=indexing.PICKED,
    examples=lambda: [
        (real(1),),
        (real(2, 3), 4),
        (real(2, 3), 1, 2),
        (real(2, 3), (1, -1)),
        (np.array(1.5),),
    ],
)
linear(
    np.ndarray.tolist,
    "a",
    a="filled(y_bar, a.shape)",
    source=creation.SAME,
    examples=lambda: [
        (real(3),),
        (real(2, 3),),
        (real(1, 2, 3),),
        (np.array(1.5),),
        (imaginary(2),),
    ],
)


# numbers


linear(
    np.generic.reshape,
    "a, *shape, order='C', copy=None",
    a="np.reshape(y_bar, ())",
    source=shapes.MOVED,
    examples=number_examples((1, 1), (-1,)),
)
linear(
    np.generic.flatten,
    "a, order='C'",
    a="np.reshape(y_bar, ())",
    source=shapes.MOVED,
    examples=number_examples(),
)
linear(np.generic.transpose, "a, *axes", a="y_bar", source=shapes.MOVED, examples=number_examples())
linear(
    np.generic.astype,
    "a, dtype, order='K', casting='unsafe', subok=True, copy=True",
    a="creation.through(y_bar, dtype)",
    source=creation.SAME,
    examples=number_examples((float,)),
)
linear(
    np.generic.view,
    "a, dtype=None, type=None",
    a="y_bar",
    source=creation.SAME,
    refuse="not keeps_its_bits(a, dtype)",
    examples=number_examples((np.float64,), (np.ndarray,)),
)
for method in (np.generic.copy, np.generic.item, np.generic.tolist):
    linear(method, "a, *args", a="y_bar", source=creation.SAME, examples=number_examples())
for method in (np.generic.conj, np.generic.conjugate):
    linear(
        method,
        "a",
        a="np.conj(y_bar)",
        source="linear over the reals",
        examples=lambda: [(np.float64(1.5),), (np.complex128(1.5 + 2j),)],
    )

for kind in (np.ndarray, np.generic):
    for name in "all any argmax argmin argsort argpartition nonzero searchsorted round".split():
        if hasattr(kind, name):
            zero(
                getattr(kind, name),
                gives=REGISTRY[id(getattr(np, name))].gives,
                why="an index, a truth value or a rounded number moves in steps",
            )
    for name in "tobytes tofile dump dumps __len__ __repr__ __str__ __format__ setflags".split():
        if hasattr(kind, name):
            zero(getattr(kind, name), why="the result is no number that moves")
