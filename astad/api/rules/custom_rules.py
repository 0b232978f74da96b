"""Rules declared by users, in force at once."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from sys import getrefcount
from types import FunctionType, MethodType
from typing import Any, TypeVar

from astad.api.rules.tangent_rules import OfTangents
from astad.code_objects import parameters_of
from astad.errors import RuleError
from astad.rules.formula import Rule, names_read
from astad.rules.in_force import CUSTOM, NO_PATH, TANGENTS, declare
from astad.rules.registry import add
from astad.rules.signature import Signature
from astad.runtime.core.variants import forget_all
from astad.runtime.cotangents.contents import contents, refuse_writes
from astad.tangents.unasked import callable_name

__all__ = ["adjoint", "declare_without_path", "jvp_rule", "nondifferentiable", "scalar_rule"]

F = TypeVar("F", bound=Callable[..., Any])


def adjoint(fn: Callable[..., Any]) -> Callable[[F], F]:
    """Declare the reverse rule of ``fn``: a function of the same arguments that returns ``(y,
    back)``.

    ``back(y_bar)`` returns one cotangent per positional argument, None for those without. An
    argument given by keyword counts among them where its parameter has a place; one that can be
    given by keyword alone has none, and a derivative by it is an error.

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

    target = _ruled_by_itself(fn)

    def decorator(rule: F) -> F:
        if not callable(rule):
            raise _no_function("the rule", rule)
        declare(target, rule)
        forget_all()
        return rule

    return decorator


def jvp_rule(fn: Callable[..., Any]) -> Callable[[F], F]:
    """Declare the tangent rule of ``fn``: a function ``(primals, tangents)`` of two tuples that
    returns ``(y, y_dot)``.

    It is called with one tangent for each positional argument: zeros for what is held, None for
    what carries no derivative, as a string. ``y_dot`` has the shape of ``y``, and is linear in the
    tangents. An argument given by keyword counts among them where its parameter has a place.

    `jvp` of ``fn`` calls it. Reverse mode transposes it: of numbers it is called once for each with
    a tangent of 1, of arrays and structures it is differentiated by its tangents. A rule declared
    with `adjoint` for the same function goes before it there, whichever came first.

    Examples
    --------
    >>> import astad
    >>> def cube(x):
    ...     return x * x * x
    >>> @astad.jvp_rule(cube)
    ... def cube_tangent(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return x**3, 3 * x**2 * x_dot
    >>> astad.jvp(cube, (2.0,), (0.5,)), astad.gradient(cube, 2.0)
    ((8.0, 6.0), (12.0,))
    """

    target = _ruled_by_itself(fn)

    def decorator(rule: F) -> F:
        if not callable(rule):
            raise _no_function("the rule", rule)
        TANGENTS[id(target)] = target, rule
        own = CUSTOM.get(id(target))
        if own is None or id(target) in NO_PATH or isinstance(own[1], OfTangents):
            declare(target, OfTangents(target, rule))
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

    declare_without_path(_ruled_by_itself(fn))
    forget_all()
    return fn


def declare_without_path(target: Callable[..., Any]) -> None:
    """The same of a callable that no text can have met yet: none is forgotten."""

    def rule(*args: Any, **keywords: Any) -> tuple[Any, Callable[[Any], tuple[None, ...]]]:
        given = (*args, *keywords.values())
        before = contents(given)
        y = target(*args, **keywords)
        refuse_writes(target, before)
        return y, lambda y_bar: (None,) * len(args)

    TANGENTS.pop(id(target), None)
    declare(target, rule, passes=False)


def scalar_rule(
    fn: Callable[..., Any],
    *slopes: str | None,
    parameters: str = "",
    zero_safe: bool = False,
    source: str = "",
) -> None:
    """Declare the derivatives of an elementwise function by formulas, one for each parameter.

    Parameters
    ----------
    fn : callable
        A function of numbers, or of arrays that it broadcasts like NumPy.
    *slopes : str or None
        dy/dx for each parameter x, in their order; None for one without derivative. A formula may
        name the parameters, ``y`` (the result) and what is global where the rule is declared.
    parameters : str
        Their names, where ``fn`` does not tell or where they are to be others: ``"x, rate=1.0"``.
        What does not tell has ``x``, or ``x1``, ``x2`` and so on.
    zero_safe : bool
        Singular at a finite point: 0 where the incoming cotangent is exactly 0.
    source : str
        Where the formulas are from, for the reader.

    Raises
    ------
    RuleError : for a formula that is none, or names what is not known.

    Examples
    --------
    >>> import math
    >>> import astad
    >>> def softplus(x):
    ...     return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
    >>> astad.scalar_rule(softplus, "1 / (1 + math.exp(-x))")
    >>> astad.gradient(softplus, 0.0)
    (0.5,)
    """
    fn = _ruled_by_itself(fn)
    name = callable_name(fn)
    namespace = sys._getframe(1).f_globals
    text, defaults = (parameters, {}) if parameters else _parameters_of(fn, len(slopes))
    given = Signature(text, {**namespace, **defaults})
    taken = [each for each in given.parameters if each in ("y", "y_bar") or each.startswith("*")]
    if taken or len(slopes) != len(given.parameters):
        raise RuleError(
            name, f"scalar_rule with {len(slopes)} formulas for the parameters ({text})",
            why="a formula is for one parameter, and y stands for the result",
            instead='give one for each, None for one without derivative, or name the parameters: '
            'parameters="x1, x2"',
        )  # fmt: skip
    back = dict(zip(given.parameters, slopes, strict=True))
    made = Rule(
        fn, "scalar", text, {each: slope for each, slope in back.items() if slope is not None},
        source=source or "declared by the user", zero_safe=zero_safe, namespace=namespace,
        _signature=given,
    )  # fmt: skip
    for slope in made.back.values():
        _check_formula(name, slope, made)
    CUSTOM.pop(id(fn), None)
    TANGENTS.pop(id(fn), None)
    NO_PATH.discard(id(fn))
    add(made)
    forget_all()


def _ruled_by_itself(fn: Any) -> Any:
    """The callable that calls meet, of which the rule is: the function in a static or class method.

    Raises
    ------
    RuleError : for what is made anew each time that it is looked up, as a bound method is.
    """
    if isinstance(fn, (staticmethod, classmethod)):
        return fn.__func__
    if not callable(fn):
        raise _no_function("a rule", fn)
    if isinstance(fn, MethodType) and getrefcount(fn) <= _OF_NOBODY:
        raise RuleError(
            callable_name(fn), "a rule for a bound method",
            why="it is made anew each time that it is looked up",
            instead="declare it for the function in the class, with the object as its first "
            "argument",
        )  # fmt: skip
    return fn


_OF_NOBODY = 3
"""References to what only the caller here, the function above and `getrefcount` look at."""


def _no_function(what: str, value: Any) -> RuleError:
    return RuleError(
        repr(value), f"{what} that is a {type(value).__name__}", why="it cannot be called",
        instead="hand over a function",
    )  # fmt: skip


def _parameters_of(fn: Any, count: int) -> tuple[str, dict[str, Any]]:
    """The text of a function's parameters, and what the names of the defaults there stand for."""
    if type(fn) is not FunctionType:
        return "x" if count == 1 else ", ".join(f"x{i + 1}" for i in range(count)), {}
    names = parameters_of(fn.__code__)
    values = fn.__defaults__ or ()
    given = dict(zip(names.plain[len(names.plain) - len(values) :], values, strict=True))
    given.update(fn.__kwdefaults__ or {})
    defaults = {f"_default_of_{each}": value for each, value in given.items()}
    words = [f"{each}=_default_of_{each}" if each in given else each for each in names.plain]
    if names.rest is not None or names.only:
        words.append(f"*{names.rest or ''}")
    words += [f"{each}=_default_of_{each}" if each in given else each for each in names.only]
    return ", ".join(words), defaults


def _check_formula(name: str, text: str, rule: Rule) -> None:
    if not isinstance(text, str):
        raise RuleError(
            name, f"the formula {text!r}", why=f"it is a {type(text).__name__}",
            instead="write it as a text, over the parameters and y",
        )  # fmt: skip
    try:
        read = frozenset[str]().union(*names_read(text))
    except SyntaxError as error:
        raise RuleError(
            name, f"the formula {text!r}", why=f"it is no expression: {error.msg}",
            instead="write one over the parameters and y",
        ) from None  # fmt: skip
    known = {*rule.parameters, "y", *rule.namespace, *dir(builtins)}
    unknown = sorted(read - known)
    if unknown:
        raise RuleError(
            name, f"the formula {text!r}", why=f"it names {unknown[0]}, which is not known",
            instead="name parameters, y, and globals of the module that declares the rule",
        )  # fmt: skip
