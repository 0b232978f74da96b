"""What users call for matrices of first derivatives: jacobian, value_and_jacobian, and wirtinger
for functions of complex numbers.

They are made of one reverse sweep for each number of the result, behind one forward sweep.

>>> jacobian(lambda p: {"sum": p["a"] + p["b"], "product": p["a"] * p["b"]}, {"a": 2.0, "b": 3.0})
{'sum': {'a': 1.0, 'b': 1.0}, 'product': {'a': 3.0, 'b': 2.0}}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients.params import check_no_params
from astad.api.gradients.pullbacks import pullback
from astad.api.higher.forward import along, jacobian_by, note_result
from astad.api.higher.sparse_matrices import (
    array_of,
    by_columns,
    by_rows,
    check_height,
    in_rows,
    read_pattern,
    recovered,
)
from astad.api.variants.argument_numbers import among, named, positions_of
from astad.api.variants.leaves import (
    ARRAY,
    LIST,
    NUMBER,
    Leaf,
    blocks,
    derivative_at,
    frame_of,
    kind_of,
    leaves_of,
    mapped,
    read,
)
from astad.api.variants.results import split_value
from astad.api.variants.tracebacks import in_users_words
from astad.errors import Unsupported, WrongCall
from astad.tangents.unasked import callable_name
from astad.tangents.zero import seed_of

__all__ = ["check_result", "jacobian", "value_and_jacobian", "wirtinger"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


def jacobian(
    f: Callable[..., Any],
    x: Any,
    /,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    sparsity: Any = None,
) -> Any:
    """All derivatives of a function that gives numbers or arrays.

    Parameters
    ----------
    f : callable
        Gives real numbers, arrays of floats, or lists, tuples, dicts and objects of such; with
        ``has_aux`` that and something else.
    x : float, ndarray, or lists, tuples, dicts and objects of such
        The first argument of ``f``.
    *args
        Further arguments of ``f``, which are held where ``argnums`` does not name them.
    argnums : int or tuple of ints
        The arguments of ``f`` by which they are taken.
    has_aux : bool
        ``f`` gives ``(y, aux)``.
    holomorphic : bool
        Arguments and results are complex, and the derivatives are dy/dz. That there are such is
        checked by the Cauchy-Riemann equations.
    sparsity : matrix of scipy.sparse, boolean ndarray, or tuple of two index arrays
        Where the matrix of shape ``(y.size, x.size)`` may differ from zero, both flattened row by
        row: what a sparse matrix stores, what is not zero, or ``(rows, columns)``. For one array
        of real numbers and one of results; see Notes.

    Returns
    -------
    For each array ``y`` of the result and each ``x`` of the arguments an array of shape ``y.shape +
    x.shape``, in [y] / [x], a number if both are numbers: in the structure of the arguments, and
    these in that of the result. With ``has_aux`` that and ``aux``. With ``sparsity`` a
    ``scipy.sparse.csr_array`` of shape ``(y.size, x.size)`` that stores all of the pattern.

    Raises
    ------
    AstadError : where the derivative cannot be carried, what is given or returned is of another
        structure, or there is no complex derivative.
    WrongCall : if a derivative that is not zero lies outside of ``sparsity``, the pattern is of
        another shape, or SciPy is not installed.

    Notes
    -----
    With ``sparsity`` columns that have no row in common share one sweep in forward mode, or rows
    that have no column in common share a reverse sweep: what takes fewer, of rows where forward
    mode has no text. Source: Curtis, Powell and Reid 1974; Coleman and Moré 1983. A tridiagonal
    matrix takes three sweeps, whatever its size, and one more with a random direction, by which
    each row (or column) is checked: a pattern that leaves out more than about 1e-12 of a row is an
    error. So is one that leaves out what is zero at other points, if it is not at this one. A row
    that is not finite and cannot be checked is all nan. The function may run several times.

    Examples
    --------
    >>> jacobian(lambda x: x**2, np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    >>> jacobian(lambda a, b: [a * b, a / b], 1.0, 2.0, argnums=(0, 1))
    [(2.0, 1.0), (0.5, -0.25)]
    >>> jacobian(lambda z: z * z, 1 + 2j, holomorphic=True)
    (2+4j)
    """
    try:
        if sparsity is not None:
            found, aux = _sparse(f, (x, *args), argnums, has_aux, holomorphic, sparsity)
        else:
            _, found, aux = _both(f, (x, *args), argnums, has_aux, holomorphic)
        return (found, *aux) if aux else found
    except BaseException as error:
        in_users_words(error)
        raise


def value_and_jacobian(
    f: Callable[..., Any],
    x: Any,
    /,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> tuple[Any, ...]:
    """The value of a function, and its `jacobian`, by the same forward sweep.

    Parameters
    ----------
    f, x, *args, argnums, has_aux, holomorphic
        As for `jacobian`.

    Returns
    -------
    y, found
        The value in [y], and the derivatives in [y] / [x]; with ``has_aux`` ``aux`` behind them.

    Raises
    ------
    AstadError : as for `jacobian`.

    Examples
    --------
    >>> value_and_jacobian(lambda t: np.array([t, t * t]), 3.0)
    (array([3., 9.]), array([1., 6.]))
    """
    try:
        y, found, aux = _both(f, (x, *args), argnums, has_aux, holomorphic)
        return (y, found, *aux)
    except BaseException as error:
        in_users_words(error)
        raise


def wirtinger(
    f: Callable[..., Any],
    x: Any,
    /,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The derivatives of a function of complex numbers by ``z`` and by its conjugate.

    Parameters
    ----------
    f : callable
        Gives real or complex numbers or arrays, or structures of such.
    x : complex, complex ndarray, or structures of such
        The first argument of ``f``.
    *args, argnums, has_aux
        As for `jacobian`.

    Returns
    -------
    dz, dz_conj
        Two jacobians: ``dy = dz * dx + dz_conj * conj(dx)``, each in [y] / [x]; with ``has_aux``
        ``aux`` behind them. The second is zero where ``f`` is holomorphic.

    Raises
    ------
    AstadError : as for `jacobian`.
    Unsupported : if what is differentiated by is real.

    Examples
    --------
    >>> wirtinger(lambda z: 3 * z**2 + 2 * z + 1, 1 + 2j)
    ((8+12j), 0j)
    >>> wirtinger(lambda z: abs(z) ** 2, 1 + 2j)
    ((1-2j), (1+2j))
    """
    try:
        run = _Run(f, (x, *args), argnums, has_aux, is_complex=True)
        y_leaves = leaves_of(f, run.y, lambda value: _refused_result(f, value))
        _check_complex(f, run.x_leaves, "an argument")
        for leaf in y_leaves:
            check_result(f, leaf, complexes=True)
        pairs = {leaf.path: _pairs(run, leaf) for leaf in y_leaves}
        first = mapped(run.y, lambda of: run.blocks([row[0] for row in pairs[of.path]], of))
        second = mapped(run.y, lambda of: run.blocks([row[1] for row in pairs[of.path]], of))
        return (first, second, *run.aux)
    except BaseException as error:
        in_users_words(error)
        raise


class _Run:
    """A forward sweep, with the leaves of what is differentiated by."""

    def __init__(
        self, f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool, *, is_complex: bool
    ) -> None:
        positions, self.single = positions_of(f, argnums)
        self.places = among(f, positions, args, {})
        x = args[self.places[0]] if self.single else tuple(args[at] for at in self.places)
        self.f = f
        check_no_params(f, args)
        self.x_leaves = leaves_of(f, x, lambda value: _refused_argument(f, self.places[0], value))
        self.x = frame_of(x)
        if not is_complex and any(leaf.is_complex for leaf in self.x_leaves):
            value = next(leaf.value for leaf in self.x_leaves if leaf.is_complex)
            raise _refused_argument(f, self.places[0], value)
        y, self.back = pullback(f, *args)
        self.has_aux = has_aux
        self.aux: tuple[Any, ...] = ()
        if has_aux:
            y, aux = split_value(f, y)
            self.aux = (aux,)
        self.y = y

    def bars(self, of: Leaf, unit: Any) -> Any:
        """The cotangents of the arguments for one of a leaf of the result."""
        y_bar = unit if not of.path else mapped(self.y, lambda leaf: _at_path(leaf, of, unit))
        found = self.back.gradients((y_bar, None) if self.has_aux else y_bar, self.places)
        return found[self.places[0]] if self.single else tuple(found[at] for at in self.places)

    def blocks(self, rows: Sequence[Any], of: Leaf) -> Any:
        """``rows``: for each place of a leaf of the result the cotangents of the arguments."""
        return blocks(self.x, rows, of)


def _both(
    f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool, holomorphic: bool
) -> tuple[Any, Any, tuple[Any, ...]]:
    is_plain = argnums == 0 and not has_aux and not holomorphic
    found = jacobian_by(f, args) if is_plain else None
    if found is not None:
        return (*found, ())
    run = _Run(f, args, argnums, has_aux, is_complex=holomorphic)
    if is_plain:
        note_result(f, args[0], run.y)
    y_leaves = leaves_of(f, run.y, lambda value: _refused_result(f, value))
    if not y_leaves:
        raise _refused_result(f, run.y)
    if holomorphic:
        _check_complex(f, run.x_leaves, "an argument")
        _check_complex(f, y_leaves, "a result")
    rows = {}
    for leaf in y_leaves:
        check_result(f, leaf, complexes=holomorphic)
        rows[leaf.path] = (
            _complex_rows(run, leaf) if holomorphic
            else [run.bars(leaf, unit) for unit in _seeds(leaf)]
        )  # fmt: skip
    return run.y, mapped(run.y, lambda of: run.blocks(rows[of.path], of)), run.aux


def _at_path(leaf: Leaf, of: Leaf, unit: Any) -> Any:
    return unit if leaf.path == of.path else None


def _seeds(of: Leaf) -> list[Any]:
    if of.kind is NUMBER:
        return [seed_of(of.value)]
    units = of.units()
    wanted = of.value.dtype if of.kind is ARRAY else None
    return units if wanted in (None, np.float64) else [unit.astype(wanted) for unit in units]


# --- sparse


class _NoText(Exception):
    """Forward mode has no text for this function and such arguments."""


def _sparse(
    f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool, holomorphic: bool, sparsity: Any
) -> tuple[Any, tuple[Any, ...]]:
    if holomorphic:
        raise WrongCall(
            callable_name(f), "holomorphic=True and sparsity",
            why="a sparse matrix is that of the derivatives of real numbers by real numbers",
            instead="leave one of the two out, or take real and imaginary parts as two functions",
        )  # fmt: skip
    place, x = array_of(f, args, argnums)
    pattern = read_pattern(f, sparsity, (None, x.size))
    plan, turned = by_columns(pattern), by_rows(pattern, pattern.height())
    if x.size and not has_aux and plan.sweeps <= turned.sweeps:
        product = _Forward(f, args, place)
        try:
            values = recovered(f, product, plan)
            return in_rows(pattern, values, product.height), ()
        except _NoText:
            pass
    run = _Run(f, args, argnums, has_aux, is_complex=False)
    leaves = leaves_of(f, run.y, lambda value: _refused_result(f, value))
    if len(leaves) != 1 or leaves[0].path or leaves[0].kind is LIST:
        raise WrongCall(
            callable_name(f), f"sparsity and a result of kind {kind_of(run.y)}",
            why="a sparse matrix has a row for each number of one array",
            instead="return one array, as by np.concatenate, or leave sparsity out",
        )  # fmt: skip
    leaf = leaves[0]
    check_result(f, leaf)
    if leaf.size != pattern.height():
        check_height(f, pattern, leaf.size)
        turned = by_rows(pattern, leaf.size)
    values = recovered(f, functools.partial(_reverse, run, leaf), turned)
    return in_rows(pattern, values, leaf.size), run.aux


class _Forward:
    """Products with a jacobian by forward mode, of many directions at once."""

    def __init__(self, f: Any, args: tuple[Any, ...], place: int) -> None:
        self.f, self.args, self.place = f, args, place
        self.height = 0

    def __call__(self, given: Any) -> Any:
        moves: list[Any] = [None] * len(self.args)
        moves[self.place] = given.reshape(-1, *np.shape(self.args[self.place]))
        found = along(self.f, self.args, moves, many=True)
        if found is None or np.asarray(found[0]).dtype.kind != "f":
            raise _NoText
        self.height = np.size(found[0])
        whole = np.broadcast_to(found[1], (len(given), *np.shape(found[0])))
        return whole.reshape(len(given), self.height)


def _reverse(run: _Run, of: Leaf, given: Any) -> Any:
    """Products with the transposed jacobian, by a reverse sweep each."""
    (by,) = run.x_leaves
    rows = [np.ravel(derivative_at(run.bars(of, _as_seed(of, each)), by)) for each in given]
    return np.array(rows).reshape(len(given), by.size)


def _as_seed(of: Leaf, each: Any) -> Any:
    if of.kind is ARRAY:
        return each.reshape(of.shape).astype(of.value.dtype)
    seed = seed_of(of.value)
    return type(seed)(each[0]) if isinstance(seed, (float, np.floating)) else seed * float(each[0])


# --- complex


def _pairs(run: _Run, of: Leaf) -> list[tuple[Any, Any]]:
    """For each place of a leaf of the result the derivatives by the arguments and their
    conjugates.
    """
    found = []
    for unit in _seeds(of):
        real = run.bars(of, unit)  # du/dx + i du/dy of the real part u, and so of the imaginary
        imaginary = run.bars(of, 1j * unit) if of.is_complex else None
        parts = {
            leaf.path: (derivative_at(real, leaf), 1j * np.asarray(derivative_at(imaginary, leaf)))
            for leaf in run.x_leaves
        }
        first, second = (
            mapped(run.x, functools.partial(_halved, parts, conjugate))
            for conjugate in (True, False)
        )
        found.append((first, second))
    return found


def _halved(parts: dict[Any, tuple[Any, Any]], is_first: bool, leaf: Leaf) -> Any:
    """``(u' + i w') / 2``, of the conjugates of ``u'`` and ``w'`` for the first."""
    real, imaginary = parts[leaf.path]
    whole = (np.conj(real) - np.conj(imaginary) if is_first else real + imaginary) / 2
    return complex(whole) if type(leaf.value) is complex else whole + 0j


def _complex_rows(run: _Run, of: Leaf) -> list[Any]:
    """The derivatives by the arguments; those by their conjugates are none."""
    rows = []
    for first, second in _pairs(run, of):
        for leaf in run.x_leaves:
            left = np.max(np.abs(read(second, leaf)), initial=0.0)
            scale = np.max(np.abs(read(first, leaf)), initial=0.0)
            if left > _ROUNDED * (scale + left):
                raise WrongCall(
                    callable_name(run.f), f"holomorphic=True, and a derivative of {left:.3g} by "
                    f"the conjugate{f' of x{leaf.text}' if leaf.path else ''}",
                    why="there the Cauchy-Riemann equations do not hold, so that there is no "
                    "derivative by z alone",
                    instead="take both by astad.wirtinger, or hand over real and imaginary parts",
                )  # fmt: skip
        rows.append(first)
    return rows


_ROUNDED = 1e-6
"""Of the derivative by the conjugate: this part of the other, which rounding may leave of two that
cancel in single precision.
"""


def _check_complex(f: Any, leaves: Sequence[Leaf], what: str) -> None:
    real = next((leaf for leaf in leaves if not leaf.is_complex), None)
    if real is not None or not leaves:
        raise Unsupported(
            callable_name(f), f"a complex derivative with {what} of kind "
            f"{kind_of(real.value) if real is not None else 'structure without numbers'}",
            why="it is one complex number for two complex ones: of a real one the derivative has "
            "no imaginary direction",
            instead="hand over and return complex numbers, or leave holomorphic out; for a real "
            "result of complex numbers call astad.gradient or astad.wirtinger",
        )  # fmt: skip


# --- what is refused


def check_result(f: Any, leaf: Leaf, *, complexes: bool = False) -> None:
    """Refuse an array of which there is no derivative."""
    fits = leaf.kind is not ARRAY or leaf.value.dtype.kind in ("fc" if complexes else "f")
    if not fits or (leaf.is_complex and not complexes):
        raise _refused_result(f, leaf.value)


def _refused_result(f: Any, value: Any) -> Unsupported:
    return Unsupported(
        callable_name(f), f"derivatives of the elements of a result, of kind {kind_of(value)}",
        why="its rows are those of numbers and arrays of floats",
        instead="return floats, or take the pullback of the result as it is; for a complex one "
        "say holomorphic=True, or call astad.wirtinger",
    )  # fmt: skip


def _refused_argument(f: Any, at: int, x: Any) -> Unsupported:
    return Unsupported(
        callable_name(f), f"a matrix of derivatives by {named(f, at, kind_of(x))}",
        why="its columns are those of real numbers, in arrays, lists, tuples, dicts and objects",
        instead="put the numbers into one array, and take them out of it inside the function; for "
        "complex ones say holomorphic=True, or call astad.wirtinger",
    )  # fmt: skip
