"""The words in which the rows of the rules claim the kind of a result.

What a word says is proved for float64 arrays of known rank, at least 1: where a result would be a
0-d array, or would depend on more than kinds and literals, it says nothing. Its operands have the
names that it is entered with; `result_kinds` puts those of the rule in their place.

>>> from astad.compiler.analysis.given import Knowledge
>>> from astad.compiler.ir.nodes import Const
>>> knowledge = Knowledge(lambda o: k.array(2) if o == "m" else INT, {}, {})
>>> repetition(Given({"a": "m", "reps": Const(3)}, {}, knowledge)).text
'ndarray2'
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.compiler.analysis.given import (
    Given,
    array_of,
    is_float,
    is_of_complex,
    length_of_shape,
    literal_axes,
    rank_of,
    ranks_of,
    reduced_to,
)
from astad.compiler.analysis.operations import comparison_kind
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import BOOL, FLOAT, FLOATING, INERT, INT, REAL, UNKNOWN, Kind
from astad.compiler.ir.nodes import Operand

__all__ = ["APART", "ARRAYS", "KEEPING", "VOCABULARY", "Kinds", "has_einsum_parts", "letters"]

Kinds = Callable[[Given], Kind | None]

VOCABULARY: dict[str, tuple[str, Kinds]] = {}
"""Words, each with the parameters that it may be told of and what it says of the result."""


ARRAYS = frozenset(["a", "b", "x", "xp", "fp", "p", "v", "condition", "x1", "x2"])
"""Names that words have for operands which are arrays."""
WHOLE = ("counts", "bools")
APART: dict[str, tuple[str, Callable[[Given], tuple[Kind, ...] | None]]] = {}
"""The same of words that tell of several results, as many as there are."""
KEEPING: dict[str, tuple[str, ...]] = {}
"""Words that say the same of arrays of other kinds, but that the result is of that kind."""


def gives(parameters: str, *, keeps: tuple[str, ...] = ()) -> Callable[[Kinds], Kinds]:
    """Enter a word into the vocabulary, under the name of the function."""

    def enter(tell: Kinds) -> Kinds:
        VOCABULARY[tell.__name__] = parameters, tell
        if keeps:
            KEEPING[tell.__name__] = keeps
        return tell

    return enter


def gives_several(
    parameters: str,
) -> Callable[[Callable[[Given], tuple[Kind, ...] | None]], None]:
    """Enter a word that tells of several results."""

    def enter(tell: Callable[[Given], tuple[Kind, ...] | None]) -> None:
        APART[tell.__name__] = parameters, tell

    return enter


# --- arrays made anew


@gives("a, dtype=None")
def same(given: Given) -> Kind | None:
    return array_of(rank_of(given)) if is_float(given) else None


@gives("a, dtype=None", keeps=WHOLE)
def moved(given: Given) -> Kind | None:
    """The same entries, perhaps in other places, or as complex numbers."""
    rank = rank_of(given)
    return k.complexes(rank) if rank and is_of_complex(given) else same(given)


@gives("a, b")
def beside(given: Given) -> Kind | None:
    """Like `a`, where the kind of `b` is known too, so that what comes to it is written out; whole
    numbers and truths stay such among such.
    """
    kind, whole = given.kind("b") or k.UNKNOWN, given.kind("a") or k.UNKNOWN
    if whole.tag in WHOLE and whole.rank:
        fits = kind == BOOL or kind.tag == "bools"
        if whole.tag == "counts":
            fits = fits or kind in (INT, k.COUNT) or kind.tag == "counts"
        return whole if fits else None
    return same(given) if k.is_array(kind) or k.is_real(kind) else None


@gives("a, b")
def combined(given: Given) -> Kind | None:
    """A product or a quotient, entry by entry."""
    kinds = [given.kind("a") or k.UNKNOWN, given.kind("b") or k.UNKNOWN]
    fits = all(k.is_array(kind) or k.is_real(kind) for kind in kinds)
    kind = k.arithmetic("mul", kinds) if fits else None
    return kind if kind is not None and k.is_array(kind) else None


@gives("a")
def permuted(given: Given) -> Kind | None:
    """Of as many axes, in another order or of other lengths."""
    return array_of(rank_of(given))


@gives("a", keeps=WHOLE)
def reordered(given: Given) -> Kind | None:
    """The same entries, along axes in another order."""
    return array_of(rank_of(given))


@gives("x", keeps=WHOLE)
def itself(given: Given) -> Kind | None:
    """A number or array as it is, in memory of its own."""
    kind = given.kind("x") or UNKNOWN
    return kind if k.is_real(kind) else same(given)


@gives("a, axes=None", keeps=WHOLE)
def transposed(given: Given) -> Kind | None:
    return array_of(rank_of(given))


@gives("a, axis1, axis2", keeps=WHOLE)
def swapped(given: Given) -> Kind | None:
    return array_of(rank_of(given))


@gives("shape, dtype=None")
def made(given: Given) -> Kind | None:
    rank = length_of_shape(given)
    return array_of(rank) if is_float(given) else _of_dtype(given, rank)


def _of_dtype(given: Given, rank: int | None) -> Kind | None:
    """Made of whole numbers or truths: they carry no derivative until such are written; or of
    complex numbers.
    """
    dtype = given.literal("dtype")
    if rank and is_of_complex(given):
        return k.complexes(rank)
    if not rank or dtype not in (int, bool, np.int64, np.bool_):
        return None
    return k.counts(rank) if dtype in (int, np.int64) else k.bools(rank)


@gives("shape, fill_value, dtype=None")
def filled(given: Given) -> Kind | None:
    kind = given.kind("fill_value") or k.UNKNOWN
    rank, has_dtype = length_of_shape(given), given.has("dtype")
    turns = is_of_complex(given) or (kind == k.COMPLEX and not has_dtype)
    if rank and turns and (k.is_real(kind) or kind == k.COMPLEX):
        return k.complexes(rank)
    if rank and not has_dtype and _is_short(given.literal("fill_value")):
        return k.counts(rank)
    by_name = given.literal("dtype") in (float, np.float64)
    return made(given) if k.is_floating(kind) or by_name and k.is_real(kind) else None


@gives("a, dtype=None, shape=None")
def like(given: Given) -> Kind | None:
    rank = length_of_shape(given) if given.has("shape") else rank_of(given)
    if not rank_of(given):
        return None
    return array_of(rank) if is_float(given) else _of_dtype(given, rank)


@gives("a, fill_value, dtype=None, shape=None")
def filled_like(given: Given) -> Kind | None:
    is_known = k.is_real(given.kind("fill_value") or k.UNKNOWN)
    return like(given) if is_known and (is_float(given) or is_of_complex(given)) else None


@gives("n, dtype=None, m=None")
def matrix(given: Given) -> Kind | None:
    """``eye`` and its like: of two axes, whatever their lengths are."""
    return k.array(2) if is_float(given) else _of_dtype(given, 2)


@gives("start, stop, dtype=None, retstep=False, axis=0")
def spaced(given: Given) -> Kind | None:
    """``linspace`` between numbers."""
    ends = [given.kind("start"), given.kind("stop")]
    plain = given.literal("retstep") is False and given.literal("axis") in (0, -1)
    numbers = all(kind is not None and k.is_real(kind) for kind in ends)
    return k.array(1) if plain and numbers and is_float(given) else None


@gives("n, d=1.0")
def counted(given: Given) -> Kind | None:
    """As many points as an int tells."""
    points = given.kind("n")
    step = given.kind("d") if given.has("d") else FLOAT
    return k.array(1) if points == INT and step is not None and k.is_real(step) else None


# --- copies, and the same entries in another shape


@gives("a, shape", keeps=WHOLE)
def reshaped(given: Given) -> Kind | None:
    return array_of(length_of_shape(given)) if rank_of(given) else None


@gives("a", keeps=WHOLE)
def flat(given: Given) -> Kind | None:
    return k.array(1) if rank_of(given) else None


@gives("a, axis", keeps=WHOLE)
def expanded(given: Given) -> Kind | None:
    rank, axis = rank_of(given), given.literal("axis")
    count = len(axis) if isinstance(axis, tuple) else 1
    ints = type(axis) is int or given.kind("axis") == INT
    if isinstance(axis, tuple):
        ints = all(type(each) is int for each in axis)
    return k.array(rank + count) if rank and ints else None


@gives("a, axis=None", keeps=WHOLE)
def squeezed(given: Given) -> Kind | None:
    rank = rank_of(given)
    axes = literal_axes(given, rank) if rank else None
    return array_of(rank - len(axes)) if rank and axes is not None else None


@gives("a, least", keeps=WHOLE)
def at_least(given: Given) -> Kind | None:
    """Of the only operand among those of ``*arrays``."""
    operand, least = given.operands["a"], given.literal("least")
    kind = given.knowledge.kind_of(operand[0]) if len(operand) == 1 else UNKNOWN
    return k.array(max(kind.rank, least)) if k.is_array(kind) and kind.rank else None


@gives("a, shape", keeps=WHOLE)
def broadcast(given: Given) -> Kind | None:
    return array_of(length_of_shape(given)) if rank_of(given) or given.kind("a") == FLOAT else None


@gives("a, shape")
def summed_to(given: Given) -> Kind | None:
    """The entries of an array summed, so that it has a shape."""
    rank = length_of_shape(given)
    return array_of(rank) if rank and rank_of(given) else None


@gives("a, like")
def summed_like(given: Given) -> Kind | None:
    """The same, so that it has the shape of another array."""
    kind = given.kind("like") or k.UNKNOWN
    return array_of(kind.rank) if k.is_array(kind) and kind.rank and rank_of(given) else None


@gives("a", keeps=WHOLE)
def diag(given: Given) -> Kind | None:
    """``diag``: of a matrix its diagonal, of a vector a matrix."""
    rank = rank_of(given)
    return k.array(3 - rank) if rank in (1, 2) else None


@gives("a", keeps=WHOLE)
def diagonal(given: Given) -> Kind | None:
    """``diagonal``: a view, of an axis less."""
    rank = rank_of(given) or 0
    return k.array(rank - 1) if rank >= 2 else None


@gives("a, values")
def appended(given: Given) -> Kind | None:
    """``append`` to all the entries, one after the other."""
    kinds = [given.kind(name) or k.UNKNOWN for name in ("a", "values")]
    known = all(k.is_real(kind) or (k.is_array(kind) and kind.rank) for kind in kinds)
    return k.array(1) if known and any(map(k.is_array, kinds)) else None


@gives("a")
def matrices(given: Given) -> Kind | None:
    """A matrix for a matrix, a stack of them for a stack."""
    rank = rank_of(given)
    return k.array(rank) if rank is not None and rank >= 2 else None


@gives("a, reps=None, repeats=None, axis=None", keeps=WHOLE)
def repetition(given: Given) -> Kind | None:
    """``tile`` and ``repeat``, so many times."""
    rank = rank_of(given)
    times = given.kind("reps") or given.kind("repeats")
    if rank and given.has("reps") and (lengths := length_of_shape(given, "reps")):
        return k.array(max(rank, lengths))
    if not rank or times != INT:
        return None
    if not given.has("repeats"):
        return k.array(rank)
    if given.literal("axis") is None:
        return k.array(1)
    return k.array(rank) if literal_axes(given, rank) is not None else None


@gives("a, pad_width, mode='constant'")
def padded(given: Given) -> Kind | None:
    rank = rank_of(given)
    known = given.literal("mode") in ("constant", "edge", "reflect", "wrap", "symmetric")
    return k.array(rank) if rank and known else None


@gives("a, indices, axis=None", keeps=WHOLE)
def taken(given: Given) -> Kind | None:
    """``take``, by arrays of ints or a display of literal ones."""
    rank, by, places = rank_of(given), given.kind("indices"), given.literal("indices")
    if isinstance(places, tuple) and places and {type(each) for each in places} == {int}:
        by = k.counts(1)
    if not rank or by is None or not by.rank or by.tag not in ("ints", "counts"):
        return None
    if given.literal("axis") is None:
        return k.array(by.rank)
    axes = literal_axes(given, rank)
    return k.array(rank - 1 + by.rank) if axes is not None and len(axes) == 1 else None


@gives("a, dtype, copy=True")
def converted(given: Given) -> Kind | None:
    """``astype``."""
    kind, wanted = given.kind("a"), given.literal("dtype")
    if kind is None or not _may_mix(kind) or not kind.rank or given.literal("copy") is not True:
        return None
    if is_of_complex(given) and k.is_array(kind):
        return k.complexes(kind.rank)
    return k.array(kind.rank) if any(wanted is each for each in FLOATS) else None


FLOATS: tuple[Any, ...] = (float, np.float64)


# --- displays that are joined


def _item_ranks(given: Given, least: int = 1) -> list[int]:
    """Ranks of the arrays in a display; none where one of them is no array of known rank.

    Where the least is 0, there may be numbers among them.
    """
    items = given.knowledge.items(given.operands["arrays"]) or ()
    kinds = [given.knowledge.kind_of(item) for item in items]
    numbers = 0 if least else sum(map(k.is_floating, kinds))
    known = numbers + sum(k.is_array(kind) and bool(kind.rank) for kind in kinds) == len(kinds)
    if given.kind("arrays") != k.ITEMS or not known:
        return []
    return [kind.rank or 0 for kind in kinds]


@gives("arrays, axis=0")
def joined(given: Given) -> Kind | None:
    ranks = _item_ranks(given)
    if len(set(ranks)) != 1 or not _names_axis(given, ranks[0]):
        return None
    return k.array(ranks[0])


def _names_axis(given: Given, rank: int) -> bool:
    return not given.has("axis") or literal_axes(given, rank) is not None


@gives("arrays, axis=0")
def stacked(given: Given) -> Kind | None:
    """``stack``, of numbers as well."""
    ranks = _item_ranks(given, 0)
    if len(set(ranks)) != 1 or not _names_axis(given, ranks[0] + 1):
        return None
    return k.array(ranks[0] + 1)


@gives("arrays, dtype=None, copy=True, ndmin=0")
def gathered(given: Given) -> Kind | None:
    """``array``: of a display like `stacked`, of an array a copy."""
    kind = given.kind("arrays") or UNKNOWN
    if given.has("ndmin"):
        least = given.literal("ndmin")
        if type(least) is not int or not kind.rank:
            return None
        kind = Kind(kind.tag, max(kind.rank, least))
    if kind == k.ITEMS:
        return None if given.has("dtype") or given.has("copy") else stacked(given)
    if not kind.rank or kind.tag not in ("ndarray", *WHOLE) or given.literal("copy") is not True:
        return None
    if k.is_array(kind):
        return kind if is_float(given) else _of_dtype(given, kind.rank)
    return None if given.has("dtype") else kind


@gives("arrays")
def in_a_row(given: Given) -> Kind | None:
    """``hstack``, where a number is an array of one."""
    ranks = {max(rank, 1) for rank in _item_ranks(given, 0)}
    return k.array(*ranks) if len(ranks) == 1 else None


@gives("arrays")
def in_depth(given: Given) -> Kind | None:
    """``dstack``, of matrices and of stacks of them."""
    return k.array(3) if set(_item_ranks(given)) in ({2}, {3}) else None


@gives("arrays")
def in_rows(given: Given) -> Kind | None:
    ranks = _item_ranks(given)
    return k.array(max(ranks[0], 2)) if len(set(ranks)) == 1 else None


@gives("arrays")
def in_columns(given: Given) -> Kind | None:
    return k.array(2) if set(_item_ranks(given)) in ({1}, {2}) else None


# --- reductions and running sums


@gives("a, axis=None, keepdims=False")
def reduced(given: Given) -> Kind | None:
    rank, keeps = rank_of(given), given.literal("keepdims")
    if rank is None or type(keeps) is not bool or not is_float(given):
        return None
    if keeps:
        axis = given.literal("axis")
        return k.array(rank) if axis is None or literal_axes(given, rank) is not None else None
    if given.literal("axis") is None:
        return FLOATING
    axes = literal_axes(given, rank)
    return None if axes is None else reduced_to(rank - len(axes))


@gives("a, axis=None, keepdims=False", keeps=WHOLE)
def extreme(given: Given) -> Kind | None:
    """``max`` and ``min``."""
    return reduced(given)


@gives("a, axis=None, keepdims=False")
def summed(given: Given) -> Kind | None:
    """Of whole numbers as well: a NumPy number, or whole numbers along other axes."""
    return reduced(given) or counted_up(given) or _along_axes(given, k.counts)


@gives("a, axis=None, keepdims=False")
def averaged(given: Given) -> Kind | None:
    """Of whole numbers as well."""
    return reduced(given) or counted_up(given) or _along_axes(given, k.array)


def _along_axes(given: Given, made: Callable[[int], Kind]) -> Kind | None:
    """Of whole numbers or truths reduced along some axes."""
    kind, axis, keeps = given.kind("a"), given.literal("axis"), given.literal("keepdims")
    rank = 0 if kind is None or kind.tag not in ("bools", "counts") else kind.rank or 0
    axes = tuple(range(rank)) if axis is None else literal_axes(given, rank)
    if not rank or axes is None or type(keeps) is not bool or given.has("dtype"):
        return None
    left = rank if keeps else rank - len(axes)
    return made(left) if left else None


@gives("a")
def counted_up(given: Given) -> Kind | None:
    """Of whole numbers or bools, a NumPy number."""
    kind = given.kind("a")
    is_whole = kind is not None and kind.tag in ("bools", "counts")
    is_number = given.literal("axis") is None and not given.has("keepdims")
    return REAL if is_whole and is_number and not given.has("dtype") else None


@gives("a, axis=None, dtype=None", keeps=("counts",))
def running(given: Given) -> Kind | None:
    rank = rank_of(given)
    if rank is None or not is_float(given):
        return None
    if given.literal("axis") is None:
        return k.array(1)
    return k.array(rank) if literal_axes(given, rank) is not None else None


@gives("a, axis=-1", keeps=WHOLE)
def along(given: Given) -> Kind | None:
    rank = rank_of(given)
    return k.array(rank) if rank and literal_axes(given, rank) is not None else None


@gives("a, axis=-1, prepend=None, append=None")
def differences(given: Given) -> Kind | None:
    """``diff``, maybe with numbers or arrays of as many axes at its ends."""
    kind, whole = along(given), given.kind("a") or UNKNOWN
    ends = [given.kind(name) for name in ("prepend", "append") if given.has(name)]
    if whole.tag in WHOLE and whole.rank and not ends:
        return whole if literal_axes(given, whole.rank) is not None else None
    known = all(end is not None and (k.is_real(end) or end == kind) for end in ends)
    return kind if known else None


@gives("a")
def trace(given: Given) -> Kind | None:
    rank = rank_of(given)
    return reduced_to(rank - 2) if rank is not None and rank >= 2 else None


@gives("a, dx=1.0, weights=None")
def from_vector(given: Given) -> Kind | None:
    """A number, of one array of one axis, or of two."""
    weights = given.kind("weights")
    plain = weights is None or weights == k.array(1)
    dx = given.kind("dx")
    return FLOATING if rank_of(given) == 1 and plain and (dx is None or k.is_real(dx)) else None


@gives("a, q, axis=None, keepdims=False")
def at_share(given: Given) -> Kind | None:
    """``quantile`` and ``percentile`` at one literal share, of all entries."""
    whole = given.literal("axis") is None and given.literal("keepdims") is False
    one = type(given.literal("q")) in (int, float)
    return FLOATING if rank_of(given) and whole and one else None


# --- functions of places and vectors


@gives("x, xp=None, fp=None, p=None")
def interpolated(given: Given) -> Kind | None:
    """``interp`` and ``polyval``: as many axes as the places have."""
    names = [name for name in ("xp", "fp", "p") if given.has(name)]
    if not all(_is_row(given, name) for name in names):
        return None
    kind = given.kind("x")
    if kind is None or given.has("p") and k.is_floating(kind):
        return None  # the polynomial without coefficients gives a 0-d array
    if k.is_floating(kind):
        return FLOATING
    return k.array(kind.rank) if k.is_array(kind) and kind.rank else None


def _is_row(given: Given, name: str) -> bool:
    """An array of one axis, or a display of literal numbers."""
    numbers = given.literal(name)
    literal = isinstance(numbers, tuple) and {type(each) for each in numbers} <= {int, float}
    is_row = rank_of(given, name) == 1 or given.kind(name) == k.counts(1)
    return is_row or (literal and bool(numbers))


@gives("a, steps, axis=None")
def slopes(given: Given) -> Kind | None:
    """``gradient`` along one axis."""
    rank, along = rank_of(given), _sloping(given)
    return k.array(rank) if rank and len(along) == 1 else None


@gives_several("a, steps, axis=None")
def slopes_by_axis(given: Given) -> tuple[Kind, ...] | None:
    """``gradient`` along several axes."""
    rank, along = rank_of(given), _sloping(given)
    return (k.array(rank),) * len(along) if rank and len(along) > 1 else None


def _sloping(given: Given) -> tuple[int, ...]:
    """The axes along which slopes are taken; none where they, or the steps, are not known."""
    rank, steps = rank_of(given) or 0, given.operands.get("steps", ())
    all_axes = given.literal("axis") is None
    axes = tuple(range(rank)) if all_axes else literal_axes(given, rank) or ()
    kinds = [given.knowledge.kind_of(step) for step in steps]
    known = all(k.is_real(kind) or (k.is_array(kind) and kind.rank == 1) for kind in kinds)
    return axes if known and len(steps) in (0, 1, len(axes)) else ()


@gives("a, v=None, mode=None")
def vector_of_vector(given: Given) -> Kind | None:
    other = given.kind("v")
    known = given.literal("mode") in (None, "full", "same", "valid")
    plain = known and (other is None or other == k.array(1))
    return k.array(1) if rank_of(given) == 1 and plain else None


@gives("a, N")
def with_powers(given: Given) -> Kind | None:
    """``vander``, of a vector."""
    return k.array(2) if rank_of(given) == 1 and given.kind("N") == INT else None


# --- choosing, masks, places


@gives("a, low=None, high=None")
def clipped(given: Given) -> Kind | None:
    rank, whole = rank_of(given), given.kind("a") or UNKNOWN
    if whole.tag == "counts" and whole.rank:
        named = [given.literal(name) for name in ("low", "high") if given.has(name)]
        return whole if named and all(each is None or _is_short(each) for each in named) else None
    bounds = [given.kind(name) for name in ("low", "high") if given.has(name)]
    if any(kind is not None and k.is_complex(kind) for kind in bounds):
        return None
    ranks = [0 if kind is not None and k.is_real(kind) else kind.rank or None
             for kind in bounds if kind is not None and kind != k.INERT]  # fmt: skip
    none = [given.literal(name) is None for name in ("low", "high")]
    inert = sum(kind == k.INERT for kind in bounds)
    if rank is None or None in ranks or inert > sum(none):
        return None
    return k.array(max([rank, *(each for each in ranks if each is not None)]))


@gives("condition, x1, x2")
def chosen(given: Given) -> Kind | None:
    """``where`` with three operands, of which one holds floats; with one, a subscript."""
    if not given.has("x1"):
        return place_of_all(Given({"a": given.operands["condition"]}, {}, given.knowledge))
    kinds = [given.kind(name) or UNKNOWN for name in ("condition", "x1", "x2")]
    if not all(k.is_real(kind) or kind == BOOL or _may_mix(kind) for kind in kinds):
        return None
    ranks = [kind.rank or 0 for kind in kinds if k.has_axes(kind)]
    if not ranks or not all(ranks):
        return None
    if any(k.is_array(kind) or k.is_floating(kind) for kind in kinds[1:]):
        return array_of(max(ranks))
    whole = all(
        kind.tag == "counts" or _is_short(given.literal(name))
        for kind, name in zip(kinds[1:], ("x1", "x2"), strict=True)
    )
    return k.counts(max(ranks)) if whole else None


def _is_short(value: object) -> bool:
    """Does a literal fit into the words of NumPy's whole numbers?"""
    return type(value) is int and abs(value) < 2**62


def _may_mix(kind: Kind) -> bool:
    return kind.tag in ("ndarray", "counts", "bools")


@gives("a, b=None")
def mask(given: Given) -> Kind | None:
    """Of ``isfinite`` and other functions that ask something of each entry."""
    kinds = [given.kind(name) for name in ("a", "b") if given.has(name)]
    if any(
        kind is None or not (k.is_real(kind) or kind == BOOL or k.has_axes(kind)) for kind in kinds
    ):
        return None
    found = comparison_kind([kind for kind in kinds if kind is not None])
    return found if found.tag in ("bool", "bools") else None


@gives("a, axis=None")
def asked(given: Given) -> Kind | None:
    """``all`` and ``any`` of a whole array, or along an axis."""
    kind = given.kind("a")
    if kind is None or not k.has_axes(kind):
        return None
    return _along_one(given, kind.rank or 0, BOOL, k.bools)


@gives("a, b")
def asked_of_both(given: Given) -> Kind | None:
    """``array_equal`` and ``allclose`` of arrays and numbers."""
    kinds = [given.kind(name) for name in ("a", "b")]
    known = all(kind is not None and (k.has_axes(kind) or k.is_real(kind)) for kind in kinds)
    return BOOL if known else None


@gives("a, axis=None")
def place(given: Given) -> Kind | None:
    """``argmax``: a whole number of NumPy, or several."""
    rank = rank_of(given)
    return _along_one(given, rank, k.COUNT, k.counts) if rank else None


def _along_one(given: Given, rank: int, whole: Kind, made: Callable[[int], Kind]) -> Kind | None:
    """``whole`` of all entries or of an array of one axis, else what is made for the other axes."""
    if not given.has("axis"):
        return whole
    axes = literal_axes(given, rank)
    if axes is None or len(axes) != 1:
        return None
    return made(rank - 1) if rank > 1 else whole


@gives("a, axis=-1")
def ordered(given: Given) -> Kind | None:
    """``argsort``."""
    rank = rank_of(given)
    return k.counts(rank) if rank and literal_axes(given, rank) is not None else None


@gives("args")
def open_mesh(given: Given) -> Kind | None:
    """``ix_``, of arrays of ints or displays of them: subscripts for as many axes."""
    places = given.operands["args"]
    whole = isinstance(places, tuple) and all(_are_places(given, each) for each in places)
    return k.fancy(len(places), len(places)) if whole and places else None


def _are_places(given: Given, operand: Operand) -> bool:
    items = given.knowledge.items(operand) or ()
    kinds = [given.knowledge.kind_of(item) for item in items]
    made = bool(kinds) and all(kind in (INT, k.COUNT) for kind in kinds)
    kind = given.knowledge.kind_of(operand)
    return made or (kind.tag in ("ints", "counts") and kind.rank == 1)


@gives("start, stop=None, step=None, dtype=None")
def bounds(given: Given) -> Kind | None:
    """``arange`` of ints, or of numbers of which one is a float."""
    kinds = [given.kind(name) or UNKNOWN for name in ("start", "stop", "step") if given.has(name)]
    by_name = given.has("dtype")
    if by_name and any(given.literal("dtype") is each for each in (int, np.int64)):
        return k.counts(1) if all(kind == INT for kind in kinds) else None
    if (by_name and not is_float(given)) or not all(map(k.is_real, kinds)):
        return None
    if by_name or any(map(k.is_floating, kinds)):
        return k.array(1)
    return k.counts(1) if all(kind == INT for kind in kinds) else None


@gives("a, v")
def place_among(given: Given) -> Kind | None:
    """``searchsorted``: a whole number of NumPy for a number, as many for an array."""
    kinds = [given.kind(name) or UNKNOWN for name in ("a", "v")]
    if not all(kind.tag in ("ndarray", "counts") or k.is_real(kind) for kind in kinds):
        return None
    if kinds[0].rank != 1 or k.is_real(kinds[1]):
        return k.COUNT if kinds[0].rank == 1 else None
    return k.counts(kinds[1].rank) if kinds[1].rank else None


@gives("a")
def place_of_all(given: Given) -> Kind | None:
    """``nonzero``, as a subscript of all axes."""
    kind = given.kind("a") or UNKNOWN
    return k.fancy(kind.rank, 1) if k.has_axes(kind) and kind.rank else None


@gives_several("a, others=None")
def places(given: Given) -> tuple[Kind, ...] | None:
    """The same by axis."""
    kind = given.kind("a") or UNKNOWN
    if not k.has_axes(kind) or not kind.rank or given.has("others"):
        return None
    return (k.counts(1),) * kind.rank


@gives("a")
def tested(given: Given) -> Kind | None:
    """``flatnonzero``."""
    kind = given.kind("a")
    return k.counts(1) if kind is not None and k.has_axes(kind) else None


# --- products and linear algebra


@gives("a, b")
def dot(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    if ranks is None:
        return None
    return reduced_to(ranks[0] - 1 if ranks[1] == 1 else ranks[0] + ranks[1] - 2)


@gives("a, b")
def product(given: Given) -> Kind | None:
    """``matmul``: a vector takes an axis away."""
    ranks = ranks_of(given, "a", "b")
    return reduced_to(max(ranks) - (min(ranks) == 1)) if ranks else None


@gives("a, b")
def outer(given: Given) -> Kind | None:
    return k.array(2) if ranks_of(given, "a", "b") else None


@gives("a, b")
def inner(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    return reduced_to(sum(ranks) - 2) if ranks else None


@gives("a, b")
def vdot(given: Given) -> Kind | None:
    return FLOATING if ranks_of(given, "a", "b") else None


@gives("a, b")
def kron(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    return k.array(max(ranks)) if ranks else None


@gives("a, b")
def solution(given: Given) -> Kind | None:
    ranks = ranks_of(given, "a", "b")
    return k.array(ranks[1]) if ranks in ((2, 1), (2, 2)) else None


@gives("a, b")
def banded_solution(given: Given) -> Kind | None:
    """Of a matrix given by its diagonals."""
    return solution(given)


@gives("a, b")
def cross(given: Given) -> Kind | None:
    """``np.linalg.cross``, of vectors in space alone."""
    ranks = ranks_of(given, "a", "b")
    return k.array(max(ranks)) if ranks else None


@gives("a")
def determinant(given: Given) -> Kind | None:
    rank = rank_of(given)
    return reduced_to(rank - 2) if rank is not None and rank >= 2 else None


@gives("a, b, axes=2")
def tensordot(given: Given) -> Kind | None:
    """Over a literal number of axes."""
    ranks, axes = ranks_of(given, "a", "b"), given.literal("axes")
    if ranks is None or type(axes) is not int or not 0 <= axes <= min(ranks):
        return None
    rank = sum(ranks) - 2 * axes
    return k.array(rank) if rank else None


@gives("subscripts, *operands, optimize=False")
def einsum(given: Given) -> Kind | None:
    """``einsum`` with subscripts spelled out; that of one operand may be a view. In an order of
    its own it may give a 0-d array in place of a number.
    """
    operands = given.operands.get("operands", ())
    found = letters(given)
    if found is None:
        return None
    kinds = [given.knowledge.kind_of(operand) for operand in operands]
    if not any(map(k.is_array, kinds)) or not all(
        kind.tag in ("ndarray", "counts") for kind in kinds
    ):
        return None
    if [len(part) for part in found[0]] != [kind.rank for kind in kinds]:
        return None
    as_spelled = given.literal("optimize") is False
    return reduced_to(len(found[1])) if as_spelled else array_of(len(found[1]))


def letters(given: Given) -> tuple[list[str], str] | None:
    """Letters of each operand of ``einsum``, and of the result."""
    text, operands = given.literal("subscripts"), given.operands.get("operands", ())
    if len(operands) < 2 or type(text) is not str or text.count("->") != 1 or "." in text:
        return None
    wanted, _, result = text.replace(" ", "").partition("->")
    return wanted.split(","), result


def has_einsum_parts(given: Given) -> bool:
    """Is the cotangent of each operand an ``einsum`` of the others: do all its letters come in
    them or in the result, and none twice?
    """
    found = letters(given)
    if found is None or given.literal("optimize") not in (True, False):
        return False
    terms, out = found
    for at, term in enumerate(terms):
        others = out + "".join(terms[:at] + terms[at + 1 :])
        if len(set(term)) != len(term) or not set(term) <= set(others):
            return False
    return True


@gives("a")
def spectrum(given: Given) -> Kind | None:
    """Of a matrix its eigenvalues or singular values; of a stack those of each."""
    rank = rank_of(given) or 0
    return k.array(rank - 1) if rank >= 2 else None


@gives("a, n")
def power(given: Given) -> Kind | None:
    rank = rank_of(given) or 0
    return k.array(rank) if rank >= 2 and given.kind("n") == k.INT else None


@gives("a, ord=None, axis=None, keepdims=False")
def norm(given: Given) -> Kind | None:
    """Of order None along any axes; of another of all."""
    if given.literal("ord") is None:
        return reduced(given)
    named = given.literal("ord") in ("fro", "nuc", 1, 2, math.inf)
    of_all = given.literal("axis") is None and given.literal("keepdims") is False
    return FLOATING if named and of_all and rank_of(given) in (1, 2) else None


@gives("a, b, mode='full'")
def convolved(given: Given) -> Kind | None:
    """Of two arrays of as many axes."""
    ranks = ranks_of(given, "a", "b")
    known = given.literal("mode") in ("full", "same", "valid")
    return k.array(ranks[0]) if known and ranks and ranks[0] == ranks[1] else None


# --- of operands of certain ranks, and parts of several results


@gives("a, b=None, c=None")
def one_matrix(given: Given) -> Kind | None:
    """Where all operands are matrices, no stack among them."""
    return k.array(2) if _ranks_given(given) == {2} else None


@gives("a, b=None, c=None")
def vector(given: Given) -> Kind | None:
    """Where all operands are vectors."""
    return k.array(1) if _ranks_given(given) == {1} else None


@gives("a, b=None")
def square(given: Given) -> Kind | None:
    """A matrix, where all operands are vectors."""
    return k.array(2) if _ranks_given(given) == {1} else None


@gives("a, b")
def square_of_two(given: Given) -> Kind | None:
    """A matrix, of two vectors: that of one has no axes."""
    return k.array(2) if given.has("b") and _ranks_given(given) == {1} else None


@gives("a")
def row(given: Given) -> Kind | None:
    """A vector, of a matrix."""
    return k.array(1) if rank_of(given) == 2 else None


@gives("a")
def number(given: Given) -> Kind | None:
    """Of an array."""
    return FLOATING if rank_of(given) else None


def _ranks_given(given: Given) -> set[int]:
    return {rank_of(given, name) or 0 for name in given.operands}


@gives("a, b=None")
def each(given: Given) -> Kind | None:
    """Elementwise, of numbers and arrays."""
    kinds = [given.kind(name) or UNKNOWN for name in given.operands]
    if not all(k.is_real(kind) or (k.is_array(kind) and kind.rank) for kind in kinds):
        return None
    return (
        k.array(max(kind.rank or 0 for kind in kinds)) if any(map(k.is_array, kinds)) else FLOATING
    )


@gives("a, mode='reduced'")
def factor(given: Given) -> Kind | None:
    """``Q`` and ``R``, where both are asked for."""
    known = given.literal("mode") in ("reduced", "complete", "full", "economic")
    return matrices(given) if known else None


@gives("kind")
def observed(given: Given) -> Kind | None:
    """What a run has seen and a test asks for, by its name: ``float`` is Python's, ``double``
    NumPy's, ``counts2`` a matrix of whole numbers, ``bools1`` a vector of truths.
    """
    name = given.literal("kind")
    if type(name) is not str:
        return None
    if name in ("float", "double"):
        return FLOAT if name == "float" else FLOATING
    if name.startswith("counts"):
        return k.counts(int(name[6:]))
    return k.parse_kind(name)


@gives("x")
def asked_of_one(given: Given) -> Kind | None:
    """A bool, whatever the known operand holds."""
    kind = given.kind("x") or UNKNOWN
    is_known = k.is_real(kind) or kind == BOOL or k.has_axes(kind) or k.is_complex(kind)
    return BOOL if is_known else None


@gives("a")
def as_float(given: Given) -> Kind | None:
    """``item``: an entry as Python has it."""
    return FLOAT if rank_of(given) else None


@gives("a")
def inert(given: Given) -> Kind:
    """What carries no derivative."""
    return INERT
