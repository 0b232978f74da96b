"""Rules declared by users, in force at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from astad.rules.custom import declare
from astad.runtime.variants import forget_all

__all__ = ["adjoint", "nondifferentiable"]

F = TypeVar("F", bound=Callable[..., Any])


def adjoint(fn: Callable[..., Any]) -> Callable[[F], F]:
    """Declare the reverse rule of ``fn``: a function of the same arguments that returns ``(y,
    back)``.

    ``back(y_bar)`` returns one cotangent per positional argument, None for those without.

    Examples
    --------
    >>> import astad
    >>> def cube(x):
    ...     return x * x * x
    >>> @astad.adjoint(cube)
    ... def cube_rule(x):
    ...     return x**3, lambda y_bar: (y_bar * 3 * x**2,)
    >>> astad.gradient(cube, 2.0)
    (12.0,)
    """

    def decorator(rule: F) -> F:
        declare(fn, rule)
        forget_all()
        return rule

    return decorator


def nondifferentiable(fn: F) -> F:
    """Declare that no derivative passes through ``fn``; returns it, so that it serves as a
    decorator.

    Examples
    --------
    >>> import astad
    >>> @astad.nondifferentiable
    ... def rounded(x):
    ...     return round(x, 2)
    >>> astad.gradient(lambda x: rounded(x) * x, 2.0)
    (2.0,)
    """

    def rule(*args: Any, **keywords: Any) -> tuple[Any, Callable[[Any], tuple[None, ...]]]:
        return fn(*args, **keywords), lambda y_bar: (None,) * len(args)

    declare(fn, rule, passes=False)
    forget_all()
    return fn
