"""Which arguments a gradient is taken by: positions, from the front or from the end.

>>> positions_of(max, 1), positions_of(max, [0, -1]), among(max, (0, -1), (2.0, 3.0), {})
(((1,), True), ((0, -1), False), (0, 1))
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from types import FunctionType, MethodType
from typing import Any

from astad.code_objects import parameters_of
from astad.errors import WrongCall
from astad.tangents.unasked import callable_name

__all__ = ["among", "check_keywords", "named", "positions_of"]


def positions_of(f: Any, argnums: Any) -> tuple[tuple[int, ...], bool]:
    """The positions, and whether a single one was asked for.

    Raises
    ------
    WrongCall : if it is neither a whole number nor several.
    """
    try:
        if isinstance(argnums, bool):
            raise TypeError
        if isinstance(argnums, Iterable) and getattr(argnums, "ndim", True):
            return tuple(map(index, argnums)), False
        return (index(argnums),), True
    except TypeError:
        raise WrongCall(
            callable_name(f), f"argnums={argnums!r}",
            why="arguments are chosen by their positions",
            instead="give a whole number, or a tuple of such",
        ) from None  # fmt: skip


def among(
    f: Any, positions: tuple[int, ...], args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[int, ...]:
    """The positions, from the front, among these arguments."""
    wanted = tuple(at + len(args) if at < 0 else at for at in positions)
    if wanted and not 0 <= min(wanted) <= max(wanted) < len(args):
        check_keywords(f, args, keywords)
        shown = positions[0] if len(positions) == 1 else positions
        raise WrongCall(
            callable_name(f), f"argnums={shown} of {len(args)} positional arguments",
            why="there is no argument at that position",
            instead="count from 0, and hand over by position what the gradient is taken by",
        )  # fmt: skip
    return wanted


def check_keywords(f: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuse what is taken for a gradient by keywords.

    Raises
    ------
    WrongCall : if all arguments are given by keyword, or ``argnums`` is and ``f`` has none.
    """
    if keywords and not args:
        names = ", ".join(keywords)
        raise WrongCall(
            callable_name(f), f"a gradient with keyword arguments alone ({names})",
            why="keyword arguments are handed on and not differentiated",
            instead="hand over by position what the gradient is taken by",
        )  # fmt: skip
    for name in ("argnums", "argnum"):
        if name in keywords and not _takes(f, name):
            raise WrongCall(
                callable_name(f), f"a gradient with {name}={keywords[name]!r}",
                why="gradient gives those of all arguments, and the function has no such parameter",
                instead="write astad.grad(f, argnums)(...), or choose from the tuple",
            )  # fmt: skip


def named(f: Any, at: int, kind: str) -> str:
    """What an argument is called in an error.

    >>> named(lambda x, frame: x, 1, "pandas DataFrame"), named(max, 0, "array")
    ('frame, a pandas DataFrame', 'argument 0, an array')
    """
    method = type(f) is MethodType
    fn = f.__func__ if method else f
    names = parameters_of(fn.__code__).plain[method:] if type(fn) is FunctionType else ()
    name = names[at] if at < len(names) else f"argument {at}"
    return f"{name}, {'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _takes(f: Any, name: str) -> bool:
    """Has the function a parameter of this name, or one for all keywords?"""
    import inspect  # late: a warm process has no use for it

    try:
        known = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return True  # it says so itself
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in known)
