"""Tangent rules declared by users, run forwards, and backwards by transposition.

>>> def rule(primals, tangents):
...     (x,), (x_dot,) = primals, tangents
...     return x**3, 3 * x**2 * x_dot
>>> run_tangent_rule(abs, rule, (2.0,), (0.5,))
(8.0, 6.0)
>>> y, back = OfTangents(abs, rule)(2.0)
>>> y, back(10.0)
(8.0, (120.0,))

Hands reverse mode to the rules, which make tangents of their pullbacks by it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any  # whatever a function takes

import numpy as np

from astad.api.gradients.pullbacks import pullback
from astad.api.variants.leaves import LIST, Leaf, mapped, read, zero_at
from astad.errors import RuleError, Unsupported
from astad.rules.in_force import TANGENTS
from astad.rules.transposition import reverse
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_differentiable

__all__ = ["OfTangents", "run_tangent_rule", "tangents_by_rule"]

TangentRule = Callable[..., Any]
REAL = (int, float)
"""np.float64 is one, and bool is none that moves."""


def run_tangent_rule(
    fn: Any, rule: TangentRule, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """The value and its tangent.

    Raises
    ------
    RuleError : if the rule returns no pair, or a tangent of another shape.
    """
    made = rule(tuple(primals), tuple(tangents))
    if not issubclass(type(made), tuple) or len(made) != 2:
        raise RuleError(
            callable_name(fn), "the rule declared with astad.jvp_rule",
            why=f"it returned {type(made).__name__}, not a pair (y, y_dot)",
            instead="return the value and its tangent",
        )  # fmt: skip
    y, y_dot = made
    is_plain = isinstance(y, (*REAL, complex, np.ndarray, np.number))
    if is_plain and np.shape(y) != np.shape(y_dot):
        raise RuleError(
            callable_name(fn), f"the rule declared with astad.jvp_rule: a tangent of shape "
            f"{np.shape(y_dot)} for a result of {np.shape(y)}",
            why="each number of the result moves by one of the tangent",
            instead="return a tangent of the shape of the result, np.zeros where it does not move",
        )  # fmt: skip
    return y, y_dot


def _moving(value: Any) -> Any:
    """The tangent of an argument that is held: zeros, None for what carries no derivative."""
    return mapped(value, zero_at) if is_differentiable(value) else None


class OfTangents:
    """A rule as `adjoint` takes it, ``(*args) -> (y, back)``, made of a tangent rule."""

    def __init__(self, fn: Any, rule: TangentRule) -> None:
        self.fn, self.rule = fn, rule

    def __call__(self, *args: Any, **keywords: Any) -> tuple[Any, Callable[[Any], Any]]:
        if keywords:
            raise Unsupported(
                callable_name(self.fn), f"a call with {next(iter(keywords))} by keyword alone",
                why="the rule declared with astad.jvp_rule has a tangent for each positional "
                "argument",
                instead="let the function take it by position as well",
            )  # fmt: skip
        fn, rule = self.fn, self.rule
        zeros = tuple([_moving(arg) for arg in args])
        y, _ = run_tangent_rule(fn, rule, args, zeros)
        of_numbers = type(y) is not bool and isinstance(y, REAL)
        if of_numbers and all(zero is None or type(zero) is float for zero in zeros):
            return y, lambda y_bar: _by_units(fn, rule, args, zeros, y_bar)
        return y, lambda y_bar: _transposed(fn, rule, args, zeros, y_bar)

    def __repr__(self) -> str:
        return f"the transpose of the rule of {callable_name(self.fn)}"


def _by_units(
    fn: Any, rule: TangentRule, args: Sequence[Any], zeros: Sequence[Any], y_bar: Any
) -> tuple[Any, ...]:
    """Of numbers: the slope by each, times the cotangent."""
    bars: list[Any] = []
    for at in range(len(args)):
        if zeros[at] is None:
            bars.append(None)
            continue
        unit = (*zeros[:at], 1.0, *zeros[at + 1 :])
        bars.append(y_bar * run_tangent_rule(fn, rule, args, unit)[1])
    return tuple(bars)


def _transposed(
    fn: Any, rule: TangentRule, args: Sequence[Any], zeros: Sequence[Any], y_bar: Any
) -> tuple[Any, ...]:
    """The pullback of the rule as a function of its tangents, in which it is linear."""
    places = [at for at, zero in enumerate(zeros) if zero is not None]

    def along(*dots: Any) -> Any:
        tangents = list(zeros)
        for at, dot in zip(places, dots, strict=True):
            tangents[at] = dot
        return run_tangent_rule(fn, rule, args, tangents)[1]

    _, back = reverse.pullback(along, *[_somewhere(args[at]) for at in places])
    found = dict(zip(places, back(y_bar), strict=True))
    return tuple([found.get(at) for at in range(len(args))])


def _somewhere(value: Any) -> Any:
    """A tangent that is nowhere zero: a rule may treat zeros apart."""
    return mapped(value, _ones)


def _ones(leaf: Leaf) -> Any:
    if leaf.kind is LIST:
        return [1.0] * len(leaf.value)
    dtype = np.asarray(leaf.value).dtype
    made = np.ones(leaf.shape, dtype if dtype.kind in "fc" else np.float64)
    return made.item() if type(leaf.value) in (*REAL, complex) else made[()]


def tangents_by_rule(fn: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """What the tangent rule of ``fn`` gives, with zeros in the place of what is held."""
    given = [
        _moving(x) if v is None else mapped(x, functools.partial(_part, v))
        for x, v in zip(primals, tangents, strict=True)
    ]
    return run_tangent_rule(fn, TANGENTS[id(fn)][1], primals, given)


def _part(v: Any, leaf: Leaf) -> Any:
    found = read(v, leaf)
    return zero_at(leaf) if found is None else found


reverse.pullback = pullback
