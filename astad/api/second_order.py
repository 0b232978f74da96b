"""What users call for second derivatives and for matrices of derivatives: hessian, hvp, jacobian,
jvp.

A product with a hessian is the gradient of the product of the gradient with that vector: of a small
function that is made here, with a text, so that it is compiled as any other.

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
from astad.api.argument_numbers import named
from astad.api.arguments import contents_of
from astad.api.derived import How, with_text
from astad.api.forward import along
from astad.api.gradient_modules import gradient_module
from astad.api.gradients import grad, gradient
from astad.api.kinds_of_values import word_of_function
from astad.api.pullbacks import pullback
from astad.api.ruled import is_ruled
from astad.api.tracebacks import in_users_words
from astad.errors import AstadError, Unsupported, WrongCall
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number, seed_of, zero_like

__all__ = ["hessian", "hvp", "jacobian", "jvp"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone

NUMBER, ARRAY, LIST = "number", "array", "list"
PRODUCTS = {
    NUMBER: "grad(f)({given}) * v",
    ARRAY: "np.vdot(grad(f)({given}), v)",
    LIST: "sum([a * b for a, b in zip(grad(f)({given}), v)])",
}
"""The gradient in the first argument times a vector of the same structure."""


def hvp(f: Callable[..., Any], x: Any, v: Any, /, *args: Any) -> Any:
    """The hessian of a scalar function in its first argument, times ``v``, without the hessian.

    Parameters
    ----------
    f : callable
        Gives a real scalar.
    x : float, ndarray, or list of floats
        Where the hessian is taken.
    v : of the structure of ``x``
        The vector, in [x].
    *args
        Further arguments of ``f``, which are held.

    Returns
    -------
    Of the structure of ``x``, in [f] / [x].

    Raises
    ------
    AstadError : where there is no second derivative of ``f``, or ``x`` is of another structure.

    Examples
    --------
    >>> hvp(lambda x: x**3, 2.0, 10.0)
    120.0
    >>> hvp(lambda x: np.sum(x**4), np.array([1.0, 2.0]), np.array([1.0, 0.5]))
    array([12., 24.])
    """
    try:
        form = _form(f, x)
        _check_same(f, form, x, v)
        found = _forward_over_reverse(f, form, x, v, args)
        return _products(f, form, len(args))(x, v, *args) if found is None else found
    except BaseException as error:
        in_users_words(error)
        raise


def hessian(f: Callable[..., Any], x: Any, /, *args: Any) -> Any:
    """All second derivatives of a scalar function in its first argument.

    Parameters
    ----------
    f : callable
        Gives a real scalar.
    x : float, ndarray, or list of floats
        Where they are taken.
    *args
        Further arguments of ``f``, which are held.

    Returns
    -------
    Of a number a number, of an array one of shape ``x.shape + x.shape``, of a list a list of rows,
    in [f] / [x]**2. It is made of ``x.size`` products, each a few gradients long.

    Raises
    ------
    AstadError : where there is no second derivative of ``f``, or ``x`` is of another structure.

    Examples
    --------
    >>> hessian(lambda x: x**3, 2.0)
    12.0
    >>> hessian(lambda v: v[0] * v[1], [2.0, 3.0])
    [[0.0, 1.0], [1.0, 0.0]]
    >>> hessian(lambda x: np.sum(x**3), np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    try:
        form = _form(f, x)
        slopes = _products(f, form, len(args))

        def product(x: Any, v: Any, *args: Any) -> Any:
            found = _forward_over_reverse(f, form, x, v, args)
            return slopes(x, v, *args) if found is None else found

        if form is NUMBER:
            return product(x, 1.0, *args)
        if form is LIST:
            units = np.eye(len(x)).tolist()
            return [product(x, unit, *args) for unit in units]
        rows = [product(x, unit, *args) for unit in _units(x)]
        return np.reshape(rows, x.shape + x.shape)
    except BaseException as error:
        in_users_words(error)
        raise


def jacobian(f: Callable[..., Any], x: Any, /, *args: Any) -> Any:
    """All derivatives of a function that gives a number or an array, in its first argument.

    Parameters
    ----------
    f : callable
        Gives a real number or an array of floats.
    x : float or ndarray
        Where they are taken.
    *args
        Further arguments of ``f``, which are held.

    Returns
    -------
    An array of shape ``y.shape + x.shape``, in [y] / [x], or a number if both are numbers. It is
    made of ``y.size`` reverse sweeps behind one forward sweep.

    Raises
    ------
    AstadError : where the derivative cannot be carried, or what is given or returned is of another
        structure.

    Examples
    --------
    >>> jacobian(lambda x: x**2, np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    try:
        form = _form(f, x, lists=False)
        y, back = pullback(f, x, *args)
        if is_number(y):
            found = back(seed_of(y))[0]
            nothing = 0.0 if form is NUMBER else np.zeros(x.shape)
            return nothing if found is None else found
        _check_array(f, y)
        rows = [back(unit)[0] for unit in _units(y)]
        shape = np.shape(x)
        whole = [np.zeros(shape) if row is None else row for row in rows]
        return np.reshape(whole, y.shape + shape) if whole else np.zeros(y.shape + shape)
    except BaseException as error:
        in_users_words(error)
        raise


def jvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], /
) -> tuple[Any, Any]:
    """The value of a function, and how it changes along a direction of its arguments.

    Parameters
    ----------
    f : callable
        Gives a real number or an array of floats.
    primals : sequence
        The arguments.
    tangents : sequence
        For each the direction, of its structure, or None where it is held.

    Returns
    -------
    y, y_dot
        The value, and the derivative of it along the direction, in [y]. It comes of one reverse
        sweep for each element of ``y``: exact, and dear where there are many.

    Raises
    ------
    AstadError : where the derivative cannot be carried.
    WrongCall : if there is not one tangent for each argument, or its structure is another.

    Examples
    --------
    >>> jvp(lambda a, b: a / (a + b * b), (1.0, 1.0), (1.0, 0.0))
    (0.5, 0.25)
    """
    try:
        _check_tangents(f, primals, tangents)
        found = along(f, primals, tangents)
        if found is not None:
            return found
        y, back = pullback(f, *primals)
        if is_number(y):
            return y, _along(back(seed_of(y)), tangents)
        _check_array(f, y)
        parts = [_along(back(unit), tangents) for unit in _units(y)]
        return y, np.reshape(parts, y.shape) if parts else np.zeros(y.shape)
    except BaseException as error:
        in_users_words(error)
        raise


# --- structures


def _form(f: Any, x: Any, *, lists: bool = True) -> str:
    if is_number(x) and type(x) is not complex:
        return NUMBER
    if issubclass(type(x), np.ndarray) and x.dtype.kind in "fiu":
        return ARRAY
    if lists and type(x) is list and all(type(item) in (float, int) for item in x):
        return LIST
    raise Unsupported(
        callable_name(f), f"a matrix of derivatives by {named(f, 0, _kind_of(x))}",
        why="its rows and columns are those of an array of real numbers"
        + (", or of a list of such" if lists else ""),
        instead="put the numbers into one array, and take them out of it inside the function",
    )  # fmt: skip


def _kind_of(x: Any) -> str:
    return f"{x.dtype} array" if issubclass(type(x), np.ndarray) else type(x).__name__


def _check_same(f: Any, form: str, x: Any, v: Any) -> None:
    fits = is_number(v) if form is NUMBER else np.shape(v) == np.shape(x)
    if not fits:
        raise WrongCall(
            callable_name(f), f"a vector of shape {np.shape(v)}, an argument of {np.shape(x)}",
            why="the product needs one number for each of the argument's",
            instead="give it the structure of the argument",
        )  # fmt: skip


def _check_tangents(f: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> None:
    if len(primals) != len(tangents):
        raise WrongCall(
            callable_name(f), f"{len(tangents)} tangents for {len(primals)} arguments",
            why="each argument moves by its own, or is held",
            instead="give None for an argument that is held",
        )  # fmt: skip
    for at, (x, v) in enumerate(zip(primals, tangents, strict=True)):
        if v is not None and np.shape(x) != np.shape(v):
            raise WrongCall(
                callable_name(f),
                f"a tangent of shape {np.shape(v)} for argument {at} of shape {np.shape(x)}",
                why="each number of the argument moves by one of the tangent",
                instead="give it the shape of the argument",
            )  # fmt: skip


def _check_array(f: Any, y: Any) -> None:
    if not issubclass(type(y), np.ndarray) or y.dtype.kind != "f":
        raise Unsupported(
            callable_name(f), f"derivatives of the elements of a result that is a {_kind_of(y)}",
            why="its rows are those of an array of floats",
            instead="return one array, or take the pullback of the result as it is",
        )  # fmt: skip


def _units(like: Any) -> list[Any]:
    """An array of zeros with a one at each place in turn."""
    return list(np.eye(like.size).reshape(like.size, *like.shape))


def _along(bars: Sequence[Any], tangents: Sequence[Any]) -> Any:
    both = zip(bars, tangents, strict=True)
    parts = [np.vdot(bar, v) for bar, v in both if bar is not None and v is not None]
    return float(sum(parts)) if parts else 0.0


# --- products with the hessian


def _forward_over_reverse(f: Any, form: str, x: Any, v: Any, args: Sequence[Any]) -> Any:
    """The tangent of the gradient, whose text is a program like any other; None where there is no
    such text.
    """
    if form is LIST or type(f) is not FunctionType or is_ruled(f):
        return None
    captured = contents_of(f.__closure__) if f.__closure__ else ()
    given = (x, *args, *(captured or ()))
    if captured is None or len(given) != f.__code__.co_argcount + len(captured):
        return None
    try:
        made = gradient_module(f, given, How("gradient", (0,), single=True))
    except AstadError:
        return None
    if made is None:
        return None
    found = along(made.run, given, (v, *[None] * (len(given) - 1)))
    return None if found is None else found[1]


def _products(f: Any, form: str, others: int) -> Callable[..., Any]:
    """The gradient of the gradient times a vector, as a function of ``x, v, *args``."""
    lasts = word_of_function(f) != "unknown"
    slope = _product(f if lasts else None, form, others)
    own = () if lasts else (f,)

    def product(x: Any, v: Any, *args: Any) -> Any:
        try:
            found = slope(x, v, *own, *args)
        except (TypeError, Unsupported):  # where there is no gradient to multiply
            if gradient(f, x, *args)[0] is not None:
                raise
            found = None
        return zero_like(x) if found is None else found

    return product


@functools.lru_cache(maxsize=256)
def _product(f: Any, form: str, others: int) -> Callable[..., Any]:
    """Of a function that its module has; of any other, which may be made anew for each call, None:
    it is an argument behind the vector then.
    """
    more = [f"a_{at + 1}" for at in range(others)]
    given = ", ".join(["x", *more])
    names = ["x", "v", *["f"] * (f is None), *more]
    name = "slope" if f is None else f"slope_of_{f.__name__}"
    text = f"def {name}({', '.join(names)}):\n    return {PRODUCTS[form].format(given=given)}\n"
    known = {} if f is None else {"f": f}
    return grad(with_text(text, f"{name} by a {form}", grad=grad, np=np, **known))
