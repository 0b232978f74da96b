"""Derivatives of functions that are known when a program is compiled, as functions that it calls.

Of the arguments their kinds are known alone: what is written fits whatever sizes the arrays have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any  # a value of each kind

import numpy as np

from astad.api.higher.compositions import Composer, Unwritten
from astad.api.higher.gradient_modules import GradientModule, module_for
from astad.api.higher.how import How
from astad.api.variants.kinds_of_values import kinds_of
from astad.api.variants.ruled import is_ruled
from astad.code_objects import STARRED
from astad.errors import AstadError
from astad.rules.in_force import MADE
from astad.runtime.core.variants import variants_of

__all__ = ["function_for"]

GRADIENTS = ("gradient", "grad", "value_and_grad")
Apart = Callable[[int, int], bool]


def function_for(
    fn: FunctionType,
    asked: tuple[Any, ...],
    kinds: Sequence[str],
    vectors: Sequence[str],
    apart: Apart,
) -> tuple[str, str, list[str]] | None:
    """Module and name of the function that a program calls for the derivative of one of its own,
    and the paths that it relies on; None where it is to be found at run time.

    ``asked``: the parts of a `How`.
    ``kinds``: of the arguments, behind them of what is captured; ``vectors``: of what comes behind.
    ``apart``: do these two of all operands share no memory?
    """
    code, how = fn.__code__, How(*asked)
    count = len(kinds) - len(code.co_freevars)
    if code.co_argcount != count or code.co_kwonlyargcount or code.co_flags & STARRED:
        return None
    if not count or is_ruled(fn):
        return None
    if any("{" in word and "inert" in word for word in kinds):
        return None  # of what a program makes, "inert" does not tell which keys a gradient has
    places = tuple(range(count)) if how.places is None else tuple(at % count for at in how.places)
    asker = _Asker(apart)
    try:
        if how.name in GRADIENTS:
            found = asker.module(fn, tuple(kinds), how.of(places))
            made = None if found is None else found.run
        else:
            made = _written(fn, how.of(places), kinds, vectors, asker)
    except (AstadError, Unwritten):
        return None
    return None if made is None else (made.__module__, made.__name__, asker.relied_on)


class _Asker:
    """Asks for modules, and notes what they rely on."""

    def __init__(self, apart: Apart) -> None:
        self.apart = apart
        self.relied_on: list[str] = []

    def find(self, fn: FunctionType, values: tuple[Any, ...], how: How) -> GradientModule | None:
        return self.module(fn, kinds_of(values, open_=True), how)

    def module(self, fn: FunctionType, kinds: tuple[str, ...], how: How) -> GradientModule | None:
        made = module_for(fn, variants_of(fn), kinds, how)
        if made is None or made.globals or made.asks_values:
            return None
        if MADE.get(made.module.__name__) is not made.module:
            return None
        for first, second in made.apart:
            if first is None or second is None or not self.apart(first, second):
                return None
        self.relied_on += [chain[0] for chain, _ in made.relied_on if len(chain) == 1]
        return made


def _written(
    fn: FunctionType, how: How, kinds: Sequence[str], vectors: Sequence[str], asker: _Asker
) -> FunctionType | None:
    """What takes its operands one by one: arguments, what is captured, vectors."""
    values = [_value_of(kind) for kind in kinds]
    moves = [_value_of(kind) for kind in vectors]
    if any(type(values[at]) not in (float, int, np.float64, np.ndarray) for at in how.places or ()):
        return None
    made = Composer(fn, asker.find, values, how.places or (), single=how.single)
    names = [f"v_{at + 1}" for at in range(len(moves))]
    return made.function(how.name, [*made.names, *names], _lines(made, how, names, moves, asker))


def _lines(
    made: Composer, how: How, names: list[str], moves: list[Any], asker: _Asker
) -> list[str]:
    """`hvp`, and `jvp` in forward mode, run the function once."""
    if how.name == "hvp":
        if len(made.leaves) != 1:
            raise Unwritten
        return made.hvp(names, moves)
    if how.name == "jvp":
        try:
            return made.tangent(names)
        except Unwritten:
            return made.jvp(_result(made, asker), names, moves)
    if how.name in ("hessian", "hessian_diag"):
        _repeatable(made, asker)
        return made.hessian() if how.name == "hessian" else made.diagonal()
    return made.jacobian(_result(made, asker), value=how.name == "value_and_jacobian")


def _repeatable(made: Composer, asker: _Asker) -> GradientModule:
    """The function itself, which may run more often than once.

    Raises
    ------
    Unwritten : where it may not, or that is not known.
    """
    found = asker.find(made.fn, made.values, How("value", ()))
    if found is None or not found.is_repeatable:
        raise Unwritten
    return found


def _result(made: Composer, asker: _Asker) -> Any:
    """A value of the kind that the function gives.

    Raises
    ------
    Unwritten : where that is not known, or it may run only once.
    """
    kind = _repeatable(made, asker).result
    if kind in ("float", "floating", "real"):
        return 1.0
    if not kind.startswith("ndarray"):
        raise Unwritten
    return _value_of(kind)


def _value_of(kind: str) -> Any:
    """One of each kind of arguments.

    >>> kinds_of([_value_of(kind) for kind in ("float", "int", "real", "inert", "ndarray2")])
    ('float', 'int', 'real', 'inert', 'ndarray2')
    """
    if kind.startswith("ndarray"):
        return np.ones((1,) * int(kind.removeprefix("ndarray")))
    return {"float": 1.0, "int": 1, "real": np.float64(1.0), "inert": ""}[kind]
