"""See or change an adjoint on its way back: tools that a user could write with ``adjoint``."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any

from astad.api.rules.custom_rules import declare_without_path
from astad.rules.in_force import TELLS, declare
from astad.runtime.core.full_rules import FOLLOWED

__all__ = ["dropgrad", "hook", "isderiving", "nestlevel", "showgrad"]


def _adjoint(fn: Callable[..., Any]) -> Callable[[Any], Any]:
    """As `astad.adjoint`. But this module is run when something of it is first used, perhaps amid
    a gradient, and no text can have met what it makes: none is forgotten.
    """

    def decorator(rule: Any) -> Any:
        declare(fn, rule)
        return rule

    return decorator


def hook(fn: Callable[[Any], Any], x: Any) -> Any:
    """``x`` itself; its cotangent is replaced by ``fn`` of it.

    Examples
    --------
    >>> import astad
    >>> astad.gradient(lambda a, b: astad.hook(lambda g: -g, a) * b, 2.0, 3.0)
    (-3.0, 2.0)
    """
    return x


@_adjoint(hook)
def _hook_rule(fn: Callable[[Any], Any], x: Any) -> tuple[Any, Callable[[Any], tuple[None, Any]]]:
    return x, lambda y_bar: (None, fn(y_bar))


def showgrad(x: Any) -> Any:
    """``x`` itself; prints its text, its line and its cotangent when the reverse sweep comes by.

    What is printed is the part that comes through this use, not the total; ``None`` where the
    value is not used.
    """
    return x


@_adjoint(showgrad)
def _showgrad_rule(x: Any) -> tuple[Any, Callable[[Any], tuple[Any]]]:
    label = _text_of_argument()

    def back(y_bar: Any) -> tuple[Any]:
        print(f"{label} = {y_bar}")
        return (y_bar,)

    back.wants_none = True  # type: ignore[attr-defined]
    return x, back


def _text_of_argument() -> str:
    """``d(a), walk.py:3`` from the line of the user's that calls showgrad."""
    frame = sys._getframe(1)
    here = __name__.partition(".")[0] + "."
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(here):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line)
    name = text.partition("showgrad(")[2].partition(")")[0].strip()
    place = file.replace("\\", "/").rpartition("/")[2]
    return f"d({name or 'x'}), {place}:{line}"


def dropgrad(x: Any) -> Any:
    """``x`` itself; no derivative passes.

    Examples
    --------
    >>> import astad
    >>> astad.gradient(lambda a, b: astad.dropgrad(a) * b, 2.0, 3.0)
    (None, 2.0)
    """
    return x


declare_without_path(dropgrad)


def isderiving() -> bool:
    """Whether the program is being differentiated.

    Examples
    --------
    >>> import astad
    >>> def f(x):
    ...     return x * (2.0 if astad.isderiving() else 1.0)
    >>> f(3.0), astad.gradient(f, 3.0)
    (3.0, (2.0,))
    """
    return False


@_adjoint(isderiving)
def _isderiving_rule() -> tuple[bool, Callable[[Any], tuple[()]]]:
    return True, lambda y_bar: ()


def nestlevel() -> int:
    """How many differentiations the program is inside of: 0 in a plain run, 2 in a gradient of a
    gradient.

    Examples
    --------
    >>> import astad
    >>> def f(x):
    ...     return astad.nestlevel() * x
    >>> f(1), astad.grad(f)(1), astad.grad(lambda x: x * astad.grad(f)(x))(1)
    (0, 1, 2)
    """
    return 0


@_adjoint(nestlevel)
def _nestlevel_rule() -> tuple[int, Callable[[Any], tuple[()]]]:
    return nestlevel() + 1, lambda y_bar: ()


def _refuse_level(run: Any) -> None:
    run.recording.refuse("the level of a derivative, which a recorded run does not tell")


TELLS.update({id(isderiving): "deriving", id(nestlevel): "level"})
FOLLOWED.update({id(isderiving): lambda run: True, id(nestlevel): _refuse_level})
