"""Parameters that a function reaches by itself, through globals, captured variables or objects, and
the gradients by them: Zygote's implicit parameters.

>>> ps = Params([np.zeros(2), [1.0, 2.0]])
>>> len(ps), [type(each).__name__ for each in ps]
(2, ['ndarray', 'list'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from astad.api.variants.tracebacks import in_users_words
from astad.api.variants.whole import whole
from astad.errors import WrongCall
from astad.runtime.cotangents.snapshots import Node, snapshot
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number

__all__ = ["Grads", "Params", "check_no_params", "params_among"]


class Params:
    """Arrays, lists, dicts or objects by which gradients are taken, in the place of arguments.

    Each is known by its identity: one that is given twice counts once, and an equal one is another.

    Parameters
    ----------
    params : iterable
        The objects. A function that is differentiated by them takes no arguments.

    Raises
    ------
    WrongCall : for a number, or what else has no derivative by itself; for an array or a dict in
        the place of a list of parameters.

    Examples
    --------
    >>> import astad
    >>> W, b, x = np.array([[1.0, 2.0]]), np.array([3.0]), np.array([4.0, 5.0])
    >>> grads = astad.gradient(lambda: np.sum(W @ x + b), astad.Params([W, b]))
    >>> grads[W], grads[b]
    (array([[4., 5.]]), array([1.]))
    """

    __slots__ = ("_found",)

    def __init__(self, params: Iterable[Any]) -> None:
        try:
            self._found = {id(each): each for each in _checked(params)}
        except WrongCall as error:
            in_users_words(error)
            raise

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, param: object) -> bool:
        return id(param) in self._found

    def __reduce__(self) -> Any:
        """Copies know the copies of their parameters."""
        return Params, (list(self),)

    def __repr__(self) -> str:
        return f"Params({', '.join(type(each).__name__ for each in self)})"


class Grads:
    """The gradients by parameters: ``grads[W]`` by the identity of ``W``.

    Iterated over it gives the parameters, as a dict does its keys, in the order of the `Params`;
    ``values()`` gives the gradients, ``items()`` both. The gradient by a parameter to which nothing
    led in this run is None.

    Examples
    --------
    >>> import astad
    >>> W, other = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    >>> grads = astad.gradient(lambda: np.sum(W**2), astad.Params([W]))
    >>> for each in grads:
    ...     each -= 0.25 * grads[each]
    >>> W, W in grads, other in grads
    (array([0.5, 1. ]), True, False)
    """

    __slots__ = ("_found", "params")

    def __init__(self, params: Params, found: Sequence[Any]) -> None:
        self.params = params
        self._found = dict(zip(map(id, params), found, strict=True))

    def __getitem__(self, param: Any) -> Any:
        if id(param) in self._found:
            return self._found[id(param)]
        error = WrongCall(
            "astad.Grads", f"the gradient by a {type(param).__name__} that is no parameter",
            why="parameters are known by identity: an equal object, or one that a name was "
            "bound to anew, is another",
            instead="give it to Params, and change parameters in place: W -= step",
        )  # fmt: skip
        in_users_words(error)
        raise error

    def __contains__(self, param: object) -> bool:
        return id(param) in self._found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.params)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> Any:
        return Grads, (self.params, list(self.values()))

    def keys(self) -> Iterator[Any]:
        """The parameters, as iterating gives them."""
        return iter(self.params)

    def values(self) -> Iterator[Any]:
        """The gradients, in the order of the parameters."""
        return iter(self._found.values())

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Each parameter with its gradient."""
        return zip(self.params, self._found.values(), strict=True)

    def __repr__(self) -> str:
        parts = (f"{type(each).__name__}: {bar!r}" for each, bar in self.items())
        return f"Grads({', '.join(parts)})"


def _checked(params: Iterable[Any]) -> list[Any]:
    if isinstance(params, (np.ndarray, dict, str)):
        raise WrongCall(
            "astad.Params", f"parameters given as one {type(params).__name__}",
            why="they are handed over in a list, and each is known by its identity",
            instead="write Params([W, b]), or Params(d.values()) for those in a dict",
        )  # fmt: skip
    found = list(params)
    for each in found:
        _check(each)
    return found


def _check(param: Any) -> None:
    if is_number(param):
        raise WrongCall(
            "astad.Params", f"a parameter that is a {type(param).__name__}",
            why="a number has no identity: the same object is the value of other names as well",
            instead="put it into an array, rate = np.array([0.5]), and read it there: rate[0]",
        )  # fmt: skip
    is_array = isinstance(param, np.ndarray) and param.dtype.kind in "fciuO"
    if not is_array and type(snapshot(param)) is not Node:
        kind = f"{param.dtype} array" if isinstance(param, np.ndarray) else type(param).__name__
        raise WrongCall(
            "astad.Params", f"a parameter that is a {kind}", why="no derivative leads to it",
            instead="give arrays of numbers, or the lists, dicts and objects in which they lie",
        )  # fmt: skip


def params_among(f: Callable[..., Any], args: Sequence[Any]) -> Params | None:
    """The parameters that are given in the place of arguments; None where there are arguments.

    Raises
    ------
    WrongCall : for parameters beside arguments, or of a function that has arguments.
    """
    if not any(type(arg) is Params for arg in args):
        return None
    if len(args) > 1 or _takes(f):
        raise WrongCall(
            callable_name(f), "parameters beside arguments",
            why="a function that is differentiated by implicit parameters is called without any",
            instead="write lambda: f(x), with the arguments in it",
        )  # fmt: skip
    found: Params = args[0]
    return found


def check_no_params(f: Callable[..., Any], args: Sequence[Any]) -> None:
    """For what has no implicit parameters.

    Raises
    ------
    WrongCall : where there are some among the arguments.
    """
    if any(type(arg) is Params for arg in args):
        raise WrongCall(
            callable_name(f), "implicit parameters for a matrix of derivatives",
            why="its rows and columns are those of arguments",
            instead="write the function with the parameters as its arguments",
        )  # fmt: skip


def _takes(f: Callable[..., Any]) -> bool:
    """Has it parameters that have to be given?"""
    method = type(f) is MethodType
    fn: Any = f.__func__ if isinstance(f, MethodType) else f
    if type(fn) is not FunctionType:
        return False
    return fn.__code__.co_argcount - method > len(fn.__defaults__ or ())


whole.params = Params
