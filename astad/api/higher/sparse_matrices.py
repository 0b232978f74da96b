"""Matrices of derivatives of which it is known where they may differ from zero: the sweeps, what is
read from them, and the check that the pattern was large enough.

The matrix comes as a function from directions to its products with them. Columns of one colour are
summed in one direction, and the sums are taken apart by the pattern.

>>> matrix = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 4.0]])
>>> pattern = read_pattern(max, matrix != 0, (3, 3))
>>> values = recovered(max, lambda directions: directions @ matrix.T, by_columns(pattern))
>>> values
array([1., 2., 3., 4.])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from astad.api.gradients.params import check_no_params
from astad.api.higher.colouring import colours_of_columns, colours_of_star
from astad.api.variants.argument_numbers import among, named, positions_of
from astad.api.variants.leaves import kind_of
from astad.errors import WrongCall
from astad.tangents.unasked import callable_name

__all__ = [
    "Pattern", "Plan", "array_of", "by_columns", "by_rows", "by_star", "check_height", "in_rows",
    "mirrored", "read_pattern", "recovered",
]  # fmt: skip

Array = np.ndarray[Any, Any]
Product = Callable[[Array], Array]
"""From directions, one a row, to the products of the matrix with them, one a row."""
FEWEST, CHUNK = 4, 2**15
"""Directions at once: at least, and numbers in the array that holds them, as of `hessian`."""


# --- what is asked for


def array_of(f: Any, args: tuple[Any, ...], argnums: Any) -> tuple[int, Any]:
    """The position of the one array by which it is differentiated, and the array.

    Raises
    ------
    WrongCall : if there are several, it is no array of real numbers, or SciPy is not installed.
    """
    positions, is_single = positions_of(f, argnums)
    place = among(f, positions, args, {})[0] if is_single else -1
    x = args[place] if args else None
    check_no_params(f, args)
    if not is_single or not isinstance(x, np.ndarray) or x.dtype.kind not in "fiu":
        what = f"argnums={argnums!r}" if not is_single else named(f, place, kind_of(x))
        raise WrongCall(
            callable_name(f), f"sparsity and {what}",
            why="a sparse matrix has a column for each number of one array of real numbers",
            instead="put the numbers into one array, and take them out of it inside the function, "
            "or leave sparsity out",
        )  # fmt: skip
    try:
        import scipy.sparse  # noqa: F401  (late: an extra)
    except ImportError:
        raise WrongCall(
            callable_name(f), "sparsity without SciPy",
            why="the matrix comes as a scipy.sparse.csr_array, and scipy cannot be imported",
            instead="install scipy, or leave sparsity out for the whole matrix",
        ) from None  # fmt: skip
    return place, x


# --- patterns


class Pattern(NamedTuple):
    """Where a matrix may differ from zero: in the order of the rows, each place once."""

    rows: Array
    columns: Array
    shape: tuple[int | None, int]

    def height(self) -> int:
        """The number of rows; as far as is known where they were given as indices."""
        if self.shape[0] is not None:
            return self.shape[0]
        return int(self.rows[-1]) + 1 if self.rows.size else 0


def read_pattern(f: Any, sparsity: Any, shape: tuple[int | None, int]) -> Pattern:
    """The pattern as the user gave it; ``shape``: that of the matrix, as far as it is known.

    Raises
    ------
    WrongCall : if it is no pattern, or one of a matrix of another shape.
    """
    if type(sparsity) is tuple and len(sparsity) == 2:
        rows, columns = (_indices(f, part) for part in sparsity)
        if rows.size != columns.size:
            raise _no_pattern(f, f"{rows.size} rows and {columns.size} columns")
        of_pattern = shape
    else:
        rows, columns, of_pattern = _places(f, sparsity)
        fits = of_pattern[1] == shape[1] and shape[0] in (None, of_pattern[0])
        if not fits:
            raise _wrong_shape(f, of_pattern, shape)
    for indices, count, word in ((rows, of_pattern[0], "row"), (columns, shape[1], "column")):
        if indices.size and (indices.min() < 0 or (count is not None and indices.max() >= count)):
            at = int(indices.min() if indices.min() < 0 else indices.max())
            raise _outside(f, word, at, count)
    return _distinct(rows, columns, of_pattern)


def check_height(f: Any, pattern: Pattern, height: int) -> None:
    """Refuse a pattern of another number of rows than the matrix has.

    Raises
    ------
    WrongCall : if it has one.
    """
    given, width = pattern.shape
    if given is not None and given != height:
        raise _wrong_shape(f, (given, width), (height, width))
    if pattern.height() > height:
        raise _outside(f, "row", pattern.height() - 1, height)


def mirrored(pattern: Pattern) -> Pattern:
    """With the place across the diagonal for each."""
    rows, columns, (_, size) = pattern
    both = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return _distinct(*both, (size, size))


def _distinct(rows: Array, columns: Array, shape: tuple[int | None, int]) -> Pattern:
    width = max(shape[1], 1)
    keys = np.sort(rows * width + columns, kind="stable")  # np.unique hashes: twice as long
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return Pattern(*np.divmod(keys, width), shape)


def in_rows(pattern: Pattern, values: Array, height: int) -> Any:
    """The matrix as SciPy holds it, with all places of the pattern."""
    from scipy.sparse import csr_array  # late: an extra

    if values.dtype == np.float16:  # which it does not hold
        values = values.astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(pattern.rows, minlength=height))])
    return csr_array((values, pattern.columns, starts), shape=(height, pattern.shape[1]))


def _indices(f: Any, part: Any) -> Array:
    found = np.asarray(part)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise _no_pattern(f, f"indices of shape {found.shape} and kind {found.dtype}")
    return found.astype(np.int64)


def _places(f: Any, sparsity: Any) -> tuple[Array, Array, tuple[int, int]]:
    if hasattr(sparsity, "tocoo"):
        if len(sparsity.shape) != 2:
            raise _no_pattern(f, f"a sparse array of shape {sparsity.shape}")
        held = sparsity.tocoo()
        places = held.row.astype(np.int64), held.col.astype(np.int64)
        return *places, tuple(sparsity.shape)
    try:
        whole = np.asarray(sparsity)
    except ValueError:  # rows of several lengths
        raise _no_pattern(f, kind_of(sparsity)) from None
    if whole.ndim != 2 or whole.dtype.kind not in "biuf":
        raise _no_pattern(f, f"a pattern of shape {whole.shape} and kind {whole.dtype}")
    rows, columns = np.nonzero(whole)
    return rows, columns, (whole.shape[0], whole.shape[1])


def _no_pattern(f: Any, what: str) -> WrongCall:
    return WrongCall(
        callable_name(f), f"sparsity by {what}",
        why="it says of each number of the result by which numbers of the argument it moves",
        instead="give a matrix of scipy.sparse, a boolean matrix, or a tuple (rows, columns) of "
        "two index arrays of one length",
    )  # fmt: skip


def _wrong_shape(f: Any, given: tuple[int, ...], shape: tuple[int | None, int]) -> WrongCall:
    height = "result.size" if shape[0] is None else shape[0]
    return WrongCall(
        callable_name(f), f"sparsity of shape {given} for a matrix of ({height}, {shape[1]})",
        why="the matrix has a row for each number of the result, and a column for each of the "
        "argument, both flattened row by row",
        instead="give the pattern that shape",
    )  # fmt: skip


def _outside(f: Any, word: str, at: int, count: int | None) -> WrongCall:
    return WrongCall(
        callable_name(f), f"sparsity with {word} {at}"
        + (f" of a matrix of {count} {word}s" if count is not None else ""),
        why="indices count from 0, the numbers of the result and of the argument flattened row by "
        "row",
        instead=f"give {word}s that there are",
    )  # fmt: skip


# --- plans


class Plan(NamedTuple):
    """How a matrix is swept: ``lines`` are what one product gives, ``places`` what its direction
    has. By rows, the matrix lies on its side.
    """

    lines: Array
    places: Array
    height: int | None
    width: int
    colours: Array  # of each place; the last is that of all places without an entry, if any
    sweeps: int
    source: Array | None = None  # the entry that each is read from, if it is not itself
    is_transposed: bool = False

    def own(self) -> Array:
        """The colour of each entry."""
        found: Array = self.colours[self.places]
        return found


def by_columns(pattern: Pattern) -> Plan:
    """By sums of columns."""
    return _kept(_by_columns, pattern)


def by_rows(pattern: Pattern, height: int) -> Plan:
    """By sums of rows, of which there are so many."""
    return _kept(_by_rows, pattern._replace(shape=(height, pattern.shape[1])))


def by_star(pattern: Pattern) -> Plan:
    """Of a symmetric matrix, each pair of entries from the row where it stands alone."""
    return _kept(_by_star, pattern)


def _kept(planned: Callable[[Pattern], Plan], pattern: Pattern) -> Plan:
    return _planned(planned, pattern.rows.tobytes(), pattern.columns.tobytes(), pattern.shape)


@functools.lru_cache(maxsize=4)  # an iteration has one pattern, and colouring may cost more than it
def _planned(
    planned: Callable[[Pattern], Plan], rows: bytes, columns: bytes, shape: tuple[int | None, int]
) -> Plan:
    return planned(Pattern(np.frombuffer(rows, np.int64), np.frombuffer(columns, np.int64), shape))


def _by_columns(pattern: Pattern) -> Plan:
    shape = pattern.height(), pattern.shape[1]
    colours = colours_of_columns(pattern.rows, pattern.columns, shape)
    return _plan(pattern.rows, pattern.columns, pattern.shape, colours)


def _by_rows(pattern: Pattern) -> Plan:
    shape = pattern.shape[1], pattern.height()
    colours = colours_of_columns(pattern.columns, pattern.rows, shape)
    return _plan(pattern.columns, pattern.rows, shape, colours)._replace(is_transposed=True)


def _by_star(pattern: Pattern) -> Plan:
    rows, columns, (_, size) = pattern
    plan = _plan(rows, columns, pattern.shape, colours_of_star(rows, columns, size))
    group = _sums(plan)
    stands_alone = np.bincount(group)[group] == 1
    twin = np.lexsort((rows, columns))  # of the entries row by row, that across the diagonal
    entries = np.arange(rows.size)
    prefers_own = np.where(rows <= columns, stands_alone, ~stands_alone[twin])
    return plan._replace(source=np.where(prefers_own, entries, twin))


def _plan(lines: Array, places: Array, shape: tuple[int | None, int], colours: Array) -> Plan:
    count = int(colours.max(initial=-1)) + 1
    without = colours < 0
    colours = np.where(without, count, colours)  # there the product has to be zero
    return Plan(lines, places, *shape, colours, count + bool(without.any()))


def _sums(plan: Plan) -> Array:
    """For each entry the number of the sum of its line and its colour."""
    keys = plan.lines * (plan.sweeps + 1) + plan.own()
    found: Array = np.unique(keys, return_inverse=True)[1]
    return found


# --- sweeps


class _Swept(NamedTuple):
    sums: Array  # for each entry that of its colour, in its line
    left: tuple[Array, Array, Array]  # colours, lines and sums where the pattern has no entry
    moved: Array  # the product with one more direction


def recovered(f: Any, product: Product, plan: Plan) -> Array:
    """The values of a matrix at the places of the plan.

    Raises
    ------
    WrongCall : if the matrix has entries elsewhere, or another number of rows.

    Notes
    -----
    What the pattern leaves out would be added to other entries. So the matrix is multiplied with
    a random direction as well, in the same sweep, and each line compared with what the values
    give: an entry left out shows unless it is below ``eps**0.75`` of its line. Sums of colours of
    which a line has no entry must be zero. Where the entries of a line are of very different size,
    each colour is swept again with random weights, so that small entries have a check of their
    own. A line that fails, or is not finite, is multiplied with directions of all places outside of
    its pattern: if that is zero, the line is right. If it is not finite, all of its entries are
    nan: of an infinity times zero nobody knows what it hides.
    """
    if not plan.width:
        return np.zeros(0)
    random = np.random.default_rng(_SEED)
    v = _weights(random, plan.width)
    swept = _sweep(f, product, plan, np.ones(plan.width), v)
    with np.errstate(all="ignore"):
        values = swept.sums if plan.source is None else swept.sums[plan.source]
        doubtful = _doubtful(product, plan, values, swept, v, random)
        if doubtful.any():
            values = _settled(f, product, plan, values, doubtful, random)
    return values


_SEED = 20_240_229


def _weights(random: np.random.Generator, count: int) -> Array:
    """None near zero, of both signs."""
    signs = np.where(random.random(count) < 0.5, -1.0, 1.0)
    return random.uniform(1.0, 2.0, count) * signs


def _step(width: int) -> int:
    return max(FEWEST, CHUNK // width)


def _sweep(f: Any, product: Product, plan: Plan, weights: Array, v: Array) -> _Swept:
    own = plan.own()
    order = np.argsort(own, kind="stable")
    ordered, step = own[order], _step(plan.width)
    sums, left, moved = np.zeros(0), [], np.zeros(0)
    for start in range(0, plan.sweeps + 1, step):  # the colours, and v behind them
        stop = min(start + step, plan.sweeps + 1)
        directions = np.zeros((stop - start, plan.width))
        some = np.flatnonzero((plan.colours >= start) & (plan.colours < stop))
        directions[plan.colours[some] - start, some] = weights[some]
        if stop > plan.sweeps:
            directions[-1] = v
        found = np.array(product(directions))
        if not start:
            _check_lines(f, plan, found.shape[1])
            sums = np.zeros(own.size, found.dtype)
        entries = order[slice(*np.searchsorted(ordered, (start, stop)))]
        at = own[entries] - start, plan.lines[entries]
        sums[entries] = found[at]
        found[at] = 0.0
        if stop > plan.sweeps:
            moved, found = found[-1], found[:-1]
        colours, lines = np.nonzero(found)
        left.append((colours + start, lines, found[colours, lines]))
    colours, lines, others = (np.concatenate(parts) for parts in zip(*left, strict=True))
    return _Swept(sums, (colours, lines, others), moved)


def _check_lines(f: Any, plan: Plan, height: int) -> None:
    if not plan.is_transposed:
        check_height(f, Pattern(plan.lines, plan.places, (plan.height, plan.width)), height)


# --- checks


def _doubtful(
    product: Product, plan: Plan, values: Array, swept: _Swept, v: Array, random: Any
) -> Array:
    """Of which lines is it not shown that their values are right?"""
    eps = float(np.finfo(values.dtype).eps)
    height, rounded = swept.moved.size, eps**0.75
    found = _differs(plan, values, v, swept.moved, rounded)

    sizes = np.abs(np.asarray(values, np.float64))
    by_line, by_place = np.zeros(height), np.zeros(plan.width)
    np.maximum.at(by_line, plan.lines, sizes)
    np.maximum.at(by_place, plan.places, sizes)
    colours, lines, others = swept.left
    if lines.size:
        by_colour = np.full(plan.sweeps, np.inf)
        np.minimum.at(by_colour, plan.colours, by_place)
        small = np.minimum(by_line[lines], by_colour[colours])
        found[lines[~(np.abs(others) <= DUST * eps * small)]] = True

    close = np.sqrt(rounded)  # entries that differ by more have a check of their own
    far = np.any((sizes > 0.0) & (sizes < close * by_line[plan.lines]) & ~found[plan.lines])
    moving = by_place[by_place > 0.0]
    if far or (moving.size and moving.min() < close * moving.max()):
        found |= _differs_alone(product, plan, values, by_place, rounded, random)
    return found


DUST = 64
"""Times the rounding of the largest entry of a line, and of that of each column in the sum: what
terms that cancel may leave of a zero.
"""


def _differs(plan: Plan, values: Array, v: Array, moved: Array, rounded: float) -> Array:
    """Of which lines is the product with a direction another than that of the values?"""
    terms = np.asarray(values * v[plan.places], np.float64)
    total = np.bincount(plan.lines, terms, minlength=moved.size)
    scale = np.bincount(plan.lines, np.abs(terms), minlength=moved.size)
    found: Array = ~(np.abs(moved - total) <= rounded * scale) | ~np.isfinite(scale)
    return found


def _differs_alone(
    product: Product, plan: Plan, values: Array, by_place: Array, rounded: float, random: Any
) -> Array:
    """The same by a direction in which all columns weigh the same, and by each colour alone, with
    random weights.
    """
    weights = _weights(random, plan.width)
    most = 1.0 / LEAST
    even = np.clip(np.nan_to_num(by_place, nan=most), LEAST, most)
    even[by_place == 0.0] = np.min(even, initial=1.0, where=by_place > 0.0)
    even = _weights(random, plan.width) / even
    swept = _sweep(None, product, plan, weights, even)
    found = _differs(plan, values, even, swept.moved, rounded)
    group = _sums(plan)
    terms = np.asarray(values * weights[plan.places], np.float64)
    total, scale = np.bincount(group, terms)[group], np.bincount(group, np.abs(terms))[group]
    found[plan.lines[~(np.abs(swept.sums - total) <= rounded * scale)]] = True
    return found


LEAST = 1e-150
"""Of what a column is divided by."""


def _settled(
    f: Any, product: Product, plan: Plan, values: Array, doubtful: Array, random: Any
) -> Array:
    """The values, after each of these lines was asked for what its pattern leaves out."""
    height = doubtful.size
    held = np.bincount(plan.lines, minlength=height)
    nans = np.bincount(plan.lines[np.isnan(values)], minlength=height)
    asked = np.flatnonzero(doubtful & ((held == 0) | (nans < held)))  # of nan nothing is said
    unknown = np.zeros(height, bool)
    probes = _probes(plan, asked, height) if asked.size else iter(())
    while some := list(islice(probes, _step(plan.width))):
        directions = np.zeros((len(some), plan.width))
        for k, (places, _) in enumerate(some):
            directions[k, places] = _weights(random, len(places))
        for direction, found, (_, lines) in zip(directions, product(directions), some, strict=True):
            failed = lines[found[lines] != 0.0]
            wrong = failed[np.isfinite(found[failed]) | (held[failed] == 0)]
            if wrong.size:
                line = int(wrong[0])
                raise _too_small(f, plan, line, *_left_out(product, direction, line))
            unknown[failed] = True
    ends = unknown[plan.lines]
    if plan.source is not None:
        ends |= unknown[plan.places]
    return np.where(ends, values.dtype.type(np.nan), values)


def _probes(plan: Plan, lines: Array, height: int) -> Iterator[tuple[Array, Array]]:
    """Sets of places, and lines that have none of them in their pattern; between them all that the
    patterns of the lines leave out.

    A line has one place of a colour at most. So each colour is split in two, by every digit of the
    numbers of its members: a place outside of a line differs from that inside by one digit.
    """
    colours = plan.colours
    if plan.source is not None:
        colours = colours_of_columns(plan.lines, plan.places, (height, plan.width))
        colours = np.where(colours < 0, colours.max(initial=-1) + 1, colours)
    groups = np.split(np.argsort(colours, kind="stable"), np.cumsum(np.bincount(colours))[:-1])
    digits = [max(1, (len(group) - 1).bit_length()) for group in groups]
    if lines.size <= 2 * sum(digits):  # fewer by the lines themselves
        own = np.argsort(plan.lines, kind="stable")
        ends = np.searchsorted(plan.lines[own], [lines, lines + 1])
        for line, start, end in zip(lines, *ends, strict=True):
            yield np.delete(np.arange(plan.width), plan.places[own[start:end]]), np.array([line])
        return
    for group, count in zip(groups, digits, strict=True):
        for digit, half in ((k, half) for k in range(count) for half in (0, 1)):
            places = group[(np.arange(len(group)) >> digit) & 1 == half]
            inside = np.zeros(plan.width, bool)
            inside[places] = True
            touched = np.zeros(height, bool)
            touched[plan.lines[inside[plan.places]]] = True
            if places.size:
                yield places, lines[~touched[lines]]


def _left_out(product: Product, direction: Array, line: int) -> tuple[int, float]:
    """One of the places of a direction at which a line is not zero, found by halves, and what it
    is.
    """
    places = np.flatnonzero(direction)
    while places.size > 1:
        half = places.size // 2
        directions = np.zeros((2, direction.size))
        directions[0, places[:half]] = direction[places[:half]]
        directions[1, places[half:]] = direction[places[half:]]
        found = product(directions)
        places = places[:half] if found[0, line] else places[half:]
    unit = np.zeros((1, direction.size))
    unit[0, places] = 1.0
    return int(places[0]), float(product(unit)[0, line])


def _too_small(f: Any, plan: Plan, line: int, place: int, value: float) -> WrongCall:
    row, column = (place, line) if plan.is_transposed else (line, place)
    return WrongCall(
        callable_name(f),
        f"sparsity without ({row}, {column}), where the derivative is {value:.6g}",
        why="one sweep serves several columns or rows, so that what the pattern leaves out is "
        "added to other entries",
        instead="add all places to the pattern that can differ from zero, or leave sparsity out",
    )  # fmt: skip
