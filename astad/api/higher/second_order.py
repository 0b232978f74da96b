"""What users call for second derivatives: hessian, hessian_diag, hvp.

A product with a hessian is the tangent of the gradient along that vector, in forward mode; where
that has no text, the gradient of the product of the gradient with that vector: of a small function
that is made here, with a text, so that it is compiled as any other.

>>> import math
>>> hessian(lambda x: math.exp(2.0 * x), 0.0)
4.0
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients.gradients import grad
from astad.api.gradients.params import check_no_params
from astad.api.higher.forward import hessian_by, hessian_times, parts_of_product, short_product
from astad.api.higher.forward_calls import Parts, are_in_step, in_places, is_plain, shift_of
from astad.api.higher.sparse_matrices import (
    array_of,
    by_star,
    in_rows,
    mirrored,
    read_pattern,
    recovered,
)
from astad.api.memory.watched import Watched
from astad.api.variants.argument_numbers import among, named, positions_of
from astad.api.variants.derived import ByCode, with_text
from astad.api.variants.kinds_of_values import word_of_function
from astad.api.variants.leaves import (
    ARRAY,
    LIST,
    NUMBER,
    Attribute,
    Leaf,
    blocks,
    check_apart,
    derivative_at,
    directions,
    form_of,
    frame_of,
    kind_of,
    leaves_of,
    mapped,
    number_in,
    read,
    shape_of,
    text_of_key,
    zero_at,
)
from astad.api.variants.results import split_value
from astad.api.variants.tracebacks import in_users_words
from astad.errors import Unsupported, WrongCall
from astad.runtime.core.variants import variants_of
from astad.spelling import has_literal
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number

__all__ = ["hessian", "hessian_diag", "hvp"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone

PRODUCTS = {
    NUMBER: "{g} * {v}",
    ARRAY: "np.vdot({g}, {v})",
    LIST: "sum([a * b for a, b in zip({g}, {v})])",
}
"""The gradient by a leaf times a vector of the same structure."""


def hvp(
    f: Callable[..., Any],
    x: Any,
    v: Any,
    /,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
) -> Any:
    """The hessian of a scalar function times ``v``, without the hessian.

    Parameters
    ----------
    f : callable
        Gives a real scalar; with ``has_aux`` that and something else.
    x : float, ndarray, or lists, tuples, dicts and objects of such
        The first argument of ``f``.
    v : of the structure of what the hessian is taken by
        The vector, in [x]; for an object a `Tangent`, or one of its class. None holds a part.
    *args
        Further arguments of ``f``, which are held where ``argnums`` does not name them.
    argnums : int or tuple of ints
        The arguments of ``f`` by which it is taken; of a tuple ``v`` is one too.
    has_aux : bool
        ``f`` gives ``(y, aux)``.

    Returns
    -------
    Of the structure of a gradient, in [f] / [x]; with ``has_aux`` that and ``aux``.

    Raises
    ------
    AstadError : where there is no second derivative of ``f``, or ``x`` is of another structure.

    Examples
    --------
    >>> hvp(lambda x: x**3, 2.0, 10.0)
    120.0
    >>> hvp(lambda x: np.sum(x**4), np.array([1.0, 2.0]), np.array([1.0, 0.5]))
    array([12., 24.])
    >>> hvp(lambda p: p["a"] * p["b"] ** 2, {"a": 1.0, "b": 3.0}, {"a": 0.0, "b": 1.0})
    {'a': 6.0, 'b': 2.0}
    """
    try:
        if argnums == 0 and not has_aux:
            found = short_product(f, (x, *args), (v,))
            if found is not None:
                return found[0, ""] if found else 0.0 if type(x) is float else np.zeros_like(x)
        form = _form(f, x) if argnums == 0 and not has_aux else None
        if form is not None:
            v = number_in(v) if form is NUMBER else v
            _check_same(f, form, x, v)
            if form is LIST:  # None where a part is held
                v = [0.0 if part is None else part for part in v]
            return _products(f, form, len(args))(x, v, *args)
        found = None if has_aux else _plainly(f, (x, *args), argnums, v)
        if found is None and not has_aux:
            found = _in_step(f, (x, *args), argnums, v)
        if found is not None:
            return found
        asked = Asked(f, (x, *args), argnums, has_aux)
        given = directions(asked.given, v, asked.leaves, functools.partial(_wrong_vector, f))
        return asked.with_aux(asked.shaped(asked.product(given)))
    except BaseException as error:
        in_users_words(error)
        raise


def hessian(
    f: Callable[..., Any],
    x: Any,
    /,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    sparsity: Any = None,
) -> Any:
    """All second derivatives of a scalar function.

    Parameters
    ----------
    f : callable
        Gives a real scalar; with ``has_aux`` that and something else.
    x : float, ndarray, or lists, tuples, dicts and objects of such
        The first argument of ``f``.
    *args
        Further arguments of ``f``, which are held where ``argnums`` does not name them.
    argnums : int or tuple of ints
        The arguments of ``f`` by which they are taken.
    has_aux : bool
        ``f`` gives ``(y, aux)``.
    sparsity : matrix of scipy.sparse, boolean ndarray, or tuple of two index arrays
        Where the matrix of shape ``(x.size, x.size)`` may differ from zero, both flattened row by
        row: what a sparse matrix stores, what is not zero, or ``(rows, columns)``; one triangle
        says enough. For one array of real numbers; see Notes.

    Returns
    -------
    Of a number a number, of an array one of shape ``x.shape + x.shape``, of a list a list of rows,
    of a dict a dict of dicts of blocks, of an object a `Tangent` of such, in [f] / [x]**2; with
    ``has_aux`` that and ``aux``. It is made of one product for each number, a few gradients long;
    of an array many are made at once, where forward mode has a text. With ``sparsity`` a
    ``scipy.sparse.csr_array`` of shape ``(x.size, x.size)``, symmetric to the last bit, that stores
    all of the pattern and what mirrors it.

    Raises
    ------
    AstadError : where there is no second derivative of ``f``, or ``x`` is of another structure.
    WrongCall : if a second derivative that is not zero lies outside of ``sparsity``, the pattern is
        of another shape, or SciPy is not installed.

    Notes
    -----
    With ``sparsity`` rows of one colour share one product, and a pair of entries is read from the
    row where it stands alone. Source: Coleman and Moré 1984 (star colouring). A tridiagonal
    hessian takes three products, whatever its size, one with a dense first row and a diagonal two;
    and one more with a random direction, by which each row is checked: a pattern that leaves out
    more than about 1e-12 of a row is an error. A row that is not finite and cannot be checked is
    all nan.

    Examples
    --------
    >>> hessian(lambda x: x**3, 2.0)
    12.0
    >>> hessian(lambda v: v[0] * v[1], [2.0, 3.0])
    [[0.0, 1.0], [1.0, 0.0]]
    >>> hessian(lambda x: np.sum(x**3), np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    >>> hessian(lambda a, b: a * b**2, 1.0, 3.0, argnums=(0, 1))
    ((0.0, 6.0), (6.0, 2.0))
    """
    try:
        if sparsity is not None:
            return _sparse(f, (x, *args), argnums, has_aux, sparsity)
        form = _form(f, x) if argnums == 0 and not has_aux else None
        if form is not None and np.size(x):
            found = hessian_by(f, x, args) if form is ARRAY else None
            if found is not None:
                return found
            product = _products(f, form, len(args))
            if form is NUMBER:
                return product(x, 1.0, *args)
            leaf = Leaf((), form, x)
            return blocks(x, [product(x, unit, *args) for unit in leaf.units()], leaf)
        asked = Asked(f, (x, *args), argnums, has_aux)
        asked.run_without_rows()
        rows = {leaf.path: asked.rows(leaf) for leaf in asked.leaves}
        return asked.with_aux(mapped(asked.x, lambda of: asked.shaped_rows(rows[of.path], of)))
    except BaseException as error:
        in_users_words(error)
        raise


def hessian_diag(
    f: Callable[..., Any],
    x: Any,
    /,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
) -> Any:
    """The second derivative of a scalar function by each number twice: the hessian's diagonal.

    Parameters
    ----------
    f, x, *args, argnums, has_aux
        As for `hessian`.

    Returns
    -------
    Of the structure of a gradient, in [f] / [x]**2; with ``has_aux`` that and ``aux``. It takes as
    many products as the hessian, which is never stored.

    Raises
    ------
    AstadError : where there is no second derivative of ``f``, or ``x`` is of another structure.

    Examples
    --------
    >>> hessian_diag(lambda x: np.sum(x**3) + x[0] * x[1], np.array([1.0, 2.0]))
    array([ 6., 12.])
    >>> hessian_diag(lambda p: p["a"] ** 3 * p["b"], {"a": 1.0, "b": 3.0})
    {'a': 18.0, 'b': 0.0}
    """
    try:
        asked = Asked(f, (x, *args), argnums, has_aux)
        asked.run_without_rows()
        return asked.with_aux(mapped(asked.x, asked.diagonal))
    except BaseException as error:
        in_users_words(error)
        raise


def _sparse(f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool, sparsity: Any) -> Any:
    place, x = array_of(f, args, argnums)
    pattern = mirrored(read_pattern(f, sparsity, (x.size, x.size)))
    asked = Asked(f, args, argnums, has_aux) if place or has_aux else None
    times = _products(f, ARRAY, len(args) - 1) if asked is None else asked.times

    def product(given: Any) -> Any:
        vectors = given.reshape(-1, *x.shape)
        found = hessian_times(f, x, vectors, args[1:], many=True) if asked is None else None
        if found is None:
            found = np.array([times(x, each, *args[1:]) for each in vectors])
        return np.broadcast_to(found, vectors.shape).reshape(given.shape)

    values = recovered(f, product, by_star(pattern))
    found = in_rows(pattern, values, x.size)
    return found if asked is None else asked.with_aux(found)


class Asked:
    """A scalar function with arguments, and the leaves of those by which it is differentiated."""

    def __init__(self, f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool) -> None:
        positions, single = positions_of(f, argnums)
        places = among(f, positions, args, {})
        self.f, self.args = f, args
        self.aux: tuple[Any, ...] = ()
        check_no_params(f, args)
        x = args[places[0]] if single else tuple(args[place] for place in places)
        self.leaves = leaves_of(f, x, lambda value: _refused(f, places[0], value))
        self.x, self.given = frame_of(x), x
        for leaf in self.leaves:
            if leaf.is_complex:
                raise _refused(f, places[0], leaf.value)
        for place in places:
            check_apart(f, leaves_of(f, args[place]), args[place])
        self.places, self.single = places, single
        self.ready = False
        self.watched: Watched | None = None
        self.first = f
        if has_aux:
            self.aux = (split_value(f, f(*args))[1],)
            if getattr(f, "__closure__", None):
                raise _second(f, has_aux)
            self.first = _first(ByCode(f), len(args))

    def _prepare(self) -> None:
        """The gradient of the gradient, by the leaves to which a path leads."""
        places, single, f = self.places, self.single, self.first
        lasts = f is not self.f or word_of_function(f) != "unknown"
        watched = self.watched or Watched(self.f, self.args)
        found = grad(f, places[0] if single else places)(*self.args)
        if watched.has_written():  # it is to run once more
            raise _in_words(self.f, _second(self.f, has_aux=False), wrote=True)
        self.live = tuple(
            at for at, leaf in enumerate(self.leaves) if read(found, leaf) is not None
        )
        keys: list[Any] = []
        parts = tuple((self.leaves[at].kind, _text(self.leaves[at], keys)) for at in self.live)
        self.own = () if lasts else (f,)
        count = len(self.args)
        made = None
        if parts:
            made = _slope(f if lasts else None, parts, tuple(keys), places, single, count)
        self.slope: Callable[..., Any] | None = made
        self.ready = True

    def product(self, given: Sequence[Any]) -> Any:
        """The hessian times a vector, of which each leaf has its part; None for zero."""
        if self.aux or all(vector is None for vector in given):
            return self.by_reverse(given)
        vectors = {place: self._vector(place, given) for place in self.places}
        parts = parts_of_product(self.f, self.args, vectors)
        found = None if parts is None else self._bars(parts)
        if found is not None:
            return found
        watched = self.watched = Watched(self.f, self.args)
        try:
            found = self.by_reverse(given)
        except Exception as error:
            if watched.has_written():
                raise _in_words(self.f, error, wrote=True) from None
            if not isinstance(error, Unsupported):
                raise
            parts = _note(self.f, self.args, vectors, None, self.places)
            answer = None if parts is None else self._bars(parts)
            if answer is None:
                raise
            return answer
        _note(self.f, self.args, vectors, self.parts(found), self.places)
        return found

    def by_reverse(self, given: Sequence[Any]) -> Any:
        """The same by the gradient of the gradient."""
        if not self.ready:
            self._prepare()
        vectors = [given[k] for k in self.live]
        if self.slope is None or all(vector is None for vector in vectors):
            return None
        known = [
            zero_at(self.leaves[k]) if vector is None else vector
            for k, vector in zip(self.live, vectors, strict=True)
        ]
        try:
            return self.slope(*self.own, *self.args, *known)
        except Unsupported as error:
            raise _in_words(self.f, error, bool(self.aux)) from None

    # --- by the places in the arguments

    def _vector(self, place: int, given: Sequence[Any]) -> Any:
        """The vector as the argument at a place has it."""
        known = {
            leaf.path: zero_at(leaf) if part is None else part
            for leaf, part in zip(self.leaves, given, strict=True)
        }
        before = () if self.single else (self.places.index(place),)

        def part(leaf: Leaf) -> Any:
            path = (*before, *leaf.path)
            if path not in known:  # a run has put it into the argument
                raise _second(self.f, has_aux=False)
            return known[path]

        return mapped(self.args[place], part)

    def _at(self, leaf: Leaf) -> tuple[int, str]:
        if self.single:
            return self.places[0], leaf.text
        return self.places[leaf.path[0]], leaf._replace(path=leaf.path[1:]).text

    def parts(self, bars: Any) -> dict[tuple[int, str], Any]:
        found: dict[tuple[int, str], Any] = {}
        for leaf in self.leaves:
            found |= _parts(leaf, derivative_at(bars, leaf), *self._at(leaf))
        return found

    def _bars(self, parts: Parts) -> Any:
        """None where a part belongs to no leaf."""
        known = {place for leaf in self.leaves for place in _parts(leaf, None, *self._at(leaf))}
        if not known.issuperset(parts):
            return None
        return mapped(self.x, lambda leaf: _part(leaf, parts, *self._at(leaf)))

    def times(self, _x: Any, v: Any, *_: Any) -> Any:
        """The hessian by a single leaf times ``v``."""
        return derivative_at(self.product([v]), self.leaves[0])

    def run_without_rows(self) -> None:
        """Where no number is asked for, the function runs as it does for its gradient."""
        if not self.aux and not any(np.size(leaf.value) for leaf in self.leaves):
            grad(self.f, self.places[0] if self.single else self.places)(*self.args)

    def rows(self, of: Leaf) -> list[Any]:
        """A product for each place of a leaf."""
        place = [leaf.path for leaf in self.leaves].index(of.path)
        before, behind = [None] * place, [None] * (len(self.leaves) - place - 1)
        return [self.product([*before, unit, *behind]) for unit in of.units()]

    def shaped(self, bars: Any) -> Any:
        return mapped(self.x, functools.partial(derivative_at, bars))

    def shaped_rows(self, rows: Sequence[Any], of: Leaf) -> Any:
        return blocks(self.x, rows, of)

    def diagonal(self, leaf: Leaf) -> Any:
        rows = [derivative_at(row, leaf) for row in self.rows(leaf)]
        if leaf.kind is NUMBER:
            return rows[0]
        found = [np.ravel(row)[k] for k, row in enumerate(rows)]
        if leaf.kind is LIST:
            return [float(each) for each in found]
        return np.reshape(found, leaf.shape) if found else np.zeros(leaf.shape)

    def with_aux(self, found: Any) -> Any:
        return (found, *self.aux) if self.aux else found


# --- structures


def _is_same(found: Any, expected: Any) -> bool:
    """Of two derivatives, None for zero."""
    return bool(
        np.allclose(
            0.0 if found is None else found, expected, rtol=1e-9, atol=1e-12, equal_nan=True
        )
    )


def _parts(leaf: Leaf, value: Any, place: int, text: str) -> dict[tuple[int, str], Any]:
    """The numbers and arrays of a leaf by where they lie."""
    if leaf.kind is not LIST:
        return {(place, text): value}
    items = [None] * len(leaf.value) if value is None else value
    return {(place, f"{text}[{k}]"): item for k, item in enumerate(items)}


def _part(leaf: Leaf, parts: Parts, place: int, text: str) -> Any:
    """A leaf of such."""
    if leaf.kind is LIST:
        return [parts.get((place, f"{text}[{k}]"), 0.0) for k in range(len(leaf.value))]
    found = parts.get((place, text))
    return zero_at(leaf) if found is None else found


def _form(f: Any, x: Any) -> str | None:
    """What a single leaf is, if it is real; None for a structure."""
    form = form_of(x)
    if type(x) is not float and form is not None and Leaf((), form, x).is_complex:
        raise _refused(f, 0, x)
    return form


def _refused(f: Any, at: int, x: Any) -> Unsupported:
    return Unsupported(
        callable_name(f), f"a matrix of second derivatives by {named(f, at, kind_of(x))}",
        why="its rows and columns are those of real numbers, in arrays, lists, tuples, dicts and "
        "objects",
        instead="put the numbers into one array, and take them out of it inside the function",
    )  # fmt: skip


def _in_words(f: Any, error: Exception, has_aux: bool = False, *, wrote: bool = False) -> Exception:
    """What is said of the gradient in a text of ours, as one of the user's function; ``wrote``: it
    is to run once more, but has changed what it would find.
    """
    if isinstance(error, Unsupported) and error.where not in ("astad.grad", callable_name(f)):
        return error
    if wrote and not (isinstance(error, Unsupported) and error.reason):
        return Unsupported(
            callable_name(f), "its second derivatives for such arguments",
            why="it runs more than once for them, and writes what outlives it",
            instead="let it write nothing that it reads, and write this by what differentiates "
            "into one text, which python -m astad.show prints",
        )  # fmt: skip
    if isinstance(error, Unsupported) and error.reason and not has_aux:
        return Unsupported(
            callable_name(f), "its second derivatives for such arguments",
            why="they are those of its gradient as one text, and there is none, nor can a run of "
            f"it be recorded: {error.reason}",
            instead="hand over numbers, arrays of float64, or lists, tuples, dicts and objects of "
            "such, and write this by what differentiates into one text, which python -m "
            "astad.show prints",
        )  # fmt: skip
    return _second(f, has_aux)


def _second(f: Any, has_aux: bool) -> Unsupported:
    return Unsupported(
        callable_name(f), "its second derivatives for such arguments",
        why="they are those of its gradient as one text, which there is for numbers, arrays of "
        "float64, and lists, tuples, dicts and objects of such, and not for all of Python",
        instead="hand over such numbers, and call inside what differentiates into one text, which "
        "python -m astad.show prints"
        + (", and capture nothing there, or leave has_aux out" if has_aux else ""),
    )  # fmt: skip


def _check_same(f: Any, form: str, x: Any, v: Any) -> None:
    fits = is_number(v) if form is NUMBER else shape_of(v) == np.shape(x)
    if not fits or (type(v) is not float and np.iscomplexobj(v)):
        raise _wrong_vector(f, Leaf((), form, x), v)


def _wrong_vector(f: Any, leaf: Leaf | None, v: Any) -> WrongCall:
    what = (
        f"a vector, or a part of it, of kind {kind_of(v)} and of another structure"
        if leaf is None or shape_of(v) is None
        else "a complex vector for an argument that is real"
        if shape_of(v) == leaf.shape and np.iscomplexobj(v)
        else f"a vector of shape {np.shape(v)}, an argument of {leaf.shape}"
        if leaf.kind is not NUMBER or not is_number(v)
        else f"the vector {v!r}"
    )  # fmt: skip
    return WrongCall(
        callable_name(f), what,
        why="the product needs one number for each of the argument's",
        instead="give it the structure of the argument",
    )  # fmt: skip


# --- products with the hessian


class _Other(Exception):
    """Of another structure than is looked into here."""


def _in_step(f: Any, args: tuple[Any, ...], argnums: Any, v: Any) -> Any:
    """By lists, tuples and dicts, of a text that is there already; None where there is none."""
    places = (argnums,) if type(argnums) is int else argnums
    given = (v,) if type(argnums) is int else v
    if type(f) is not FunctionType or type(places) is not tuple or not variants_of(f).tangents:
        return None
    if (
        type(given) not in (tuple, list)
        or len(given) != len(places)
        or len({*places}) < len(places)
    ):
        return None
    if not all(type(at) is int and 0 <= at < len(args) for at in places):
        return None
    if not are_in_step([args[at] for at in places], given):
        return None
    parts = parts_of_product(f, args, dict(zip(places, given, strict=True)), recorded_only=True)
    if parts is None:
        return None
    left = dict(parts)
    try:
        found = tuple([_filled(args[at], at, "", left) for at in places])
    except _Other:
        return None
    return None if left else found[0] if type(argnums) is int else found


def _filled(x: Any, place: int, text: str, left: dict[tuple[int, str], Any]) -> Any:
    """A structure of derivatives, of the parts that are ``left``, zeros for others."""
    kind = type(x)
    if kind is float or kind is np.ndarray:
        found = left.pop((place, text), None)
        if found is None:
            return 0.0 if kind is float else np.zeros(x.shape)
        return found
    if kind is dict and x:
        return {
            key: _filled(item, place, f"{text}[{text_of_key(key)}]", left)
            for key, item in x.items()
        }
    if kind is list or kind is tuple:
        return kind([_filled(item, place, f"{text}[{k}]", left) for k, item in enumerate(x)])
    raise _Other


def _plainly(f: Any, args: tuple[Any, ...], argnums: Any, v: Any) -> Any:
    """By several numbers and arrays; None where there is no text for it."""
    if type(argnums) is not tuple or type(v) not in (tuple, list) or len(v) != len(argnums):
        return None
    if not all(type(at) is int and 0 <= at < len(args) for at in argnums):
        return None
    vectors = dict(zip(argnums, v, strict=True))
    if len(vectors) < len(argnums):
        return None
    parts = short_product(f, args, in_places(args, vectors))
    if parts is None and all(is_plain(args[at], part) for at, part in vectors.items()):
        parts = parts_of_product(f, args, vectors)
    if parts is None:
        return None
    return tuple(
        [_part(Leaf((), form_of(args[at]) or "", args[at]), parts, at, "") for at in argnums]
    )


def _products(f: Any, form: str, others: int) -> Callable[..., Any]:
    """The gradient of the gradient times a vector, as a function of ``x, v, *args``."""
    lasts = word_of_function(f) != "unknown"
    slope = _product(f if lasts else None, form, others)
    own = () if lasts else (f,)

    def product(x: Any, v: Any, *args: Any) -> Any:
        leaf = Leaf((), form, x)
        found = None if form is LIST else hessian_times(f, x, v, args)
        if found is not None:
            return found
        given = (x, *args)
        parts = parts_of_product(f, given, {0: v}) if form is LIST else None
        if parts is not None:
            return _part(leaf, parts, 0, "")
        watched = Watched(f, given)
        try:
            found = slope(x, v, *own, *args)
        except Exception as error:
            if watched.has_written():
                raise _in_words(f, error, wrote=True) from None
            if not isinstance(error, (AttributeError, TypeError, ValueError, Unsupported)):
                raise
            if grad(f)(x, *args) is not None:  # else it has no gradient
                if watched.has_written():
                    raise _in_words(f, error, wrote=True) from None
                parts = _note(f, given, {0: v}, None, (0,))
                if parts is not None:
                    return _part(leaf, parts, 0, "")
                raise _in_words(f, error) from None
            found = None
        if found is None:
            return zero_at(leaf)
        _note(f, given, {0: v}, _parts(leaf, found, 0, ""), (0,))
        return found

    return product


def _note(
    f: Any,
    args: tuple[Any, ...],
    vectors: dict[int, Any],
    parts: Parts | None,
    places: Sequence[int],
) -> Parts | None:
    """Reverse mode twice had to answer, or could not, for None: what was run may be recorded, and
    tells the parts of the product then.
    """
    from astad.api.higher.recorded_tangents import note_of_product  # late: where there is no text

    other = functools.partial(_other_gradient, f, args, places)
    return note_of_product(f, args, vectors, parts, other, _by_reverse)


def _other_gradient(
    f: Any,
    args: tuple[Any, ...],
    places: Sequence[int],
    straight: Any,
    numbers: Sequence[Any],
    moving: Sequence[int],
) -> bool:
    """Has a straight text another gradient than ``f``?"""
    found = grad(straight.function, tuple(moving))(*numbers)
    own = dict(zip([straight.places[at] for at in moving], found, strict=True))
    outer, shift = Asked(f, args, tuple(places), False), shift_of(f)
    expected = outer.parts(grad(f, tuple(places))(*args))
    return not all(
        _is_same(own.get((at + shift, path)), bar) for (at, path), bar in expected.items()
    )


def _by_reverse(
    straight: Any, numbers: Sequence[Any], moving: Sequence[int], dots: Sequence[Any]
) -> Parts | str:
    """The parts of a product by reverse mode twice on a straight text."""
    inner = Asked(straight.function, tuple(numbers), tuple(moving), False)
    try:
        products = inner.by_reverse(dots)
    except Unsupported as error:
        return str(error)
    parts = [derivative_at(products, leaf) for leaf in inner.leaves]
    return dict(zip([straight.places[at] for at in moving], parts, strict=True))


@functools.lru_cache(maxsize=256)
def _product(f: Any, form: str, others: int) -> Callable[..., Any]:
    """Of a function that its module has; of any other, which may be made anew for each call, None:
    it is an argument behind the vector then.
    """
    more = [f"a_{at + 1}" for at in range(others)]
    given = ", ".join(["x", *more])
    names = ["x", "v", *["f"] * (f is None), *more]
    name = "slope" if f is None else f"slope_of_{f.__name__}"
    product = PRODUCTS[form].format(g=f"grad(f)({given})", v="v")
    text = f"def {name}({', '.join(names)}):\n    return {product}\n"
    known = {} if f is None else {"f": f}
    return grad(with_text(text, f"{name} by a {form}", grad=grad, np=np, **known))


def _text(leaf: Leaf, keys: list[Any]) -> str:
    """Where a leaf lies; ``keys`` are those of no literal so far, which go by names."""
    if leaf.is_written:
        return leaf.text
    text = ""
    for step in leaf.path:
        if type(step) is Attribute or has_literal(step):
            text += Leaf((step,), leaf.kind, None).text
        else:
            text += f"[key_{len(keys)}]"
            keys.append(step)
    return text


@functools.lru_cache(maxsize=256)
def _slope(
    f: Any,
    parts: tuple[tuple[str, str], ...],
    keys: tuple[Any, ...],
    places: tuple[int, ...],
    single: bool,
    count: int,
) -> Callable[..., Any]:
    """The same by the leaves of a structure, of ``*args`` and a vector for each leaf; ``f`` comes
    first where it is None. ``keys`` go by names.
    """
    given = [f"a_{at + 1}" for at in range(count)]
    vectors = [f"v_{at + 1}" for at in range(len(parts))]
    own = ["f"] * (f is None)
    name = "slope" if f is None else f"slope_of_{f.__name__}"
    asked = places[0] if single else places
    terms = [
        PRODUCTS[kind].format(g=f"g{path}", v=vector)
        for (kind, path), vector in zip(parts, vectors, strict=True)
    ]
    lines = [
        f"def {name}({', '.join([*own, *given, *vectors])}):",
        f"    g = grad(f, {asked!r})({', '.join(given)})",
        f"    return {' + '.join(terms)}",
    ]
    known = {f"key_{at}": key for at, key in enumerate(keys)}
    if f is not None:
        known["f"] = f
    made = with_text("\n".join(lines) + "\n", f"{name} by parts", grad=grad, np=np, **known)
    wanted = tuple(at + len(own) for at in places)
    return grad(made, wanted[0] if single else wanted)


@functools.lru_cache(maxsize=256)
def _first(key: ByCode, count: int) -> FunctionType:
    """What a function that gives ``(y, aux)`` gives first."""
    given = ", ".join(f"a_{at + 1}" for at in range(count))
    text = f"def first({given}):\n    return f({given})[0]\n"
    return with_text(text, f"first of {callable_name(key.f)}", f=key.f)
