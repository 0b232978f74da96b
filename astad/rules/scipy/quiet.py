"""Rows of elementwise functions whose slopes may be infinite where the functions are not.

At such a point NumPy says nothing of the function, and has nothing to say of a slope which nobody
may ask for: there the cotangent is often 0. So a formula that may divide by zero, or subtract
infinities, is computed by a function of its own, which says nothing. That one is also for Python's
numbers, as long as they are real, which raise where NumPy's do not.

>>> speaks("special.psi(x)"), speaks("1 / (x * (1 - x))"), speaks("-1 - log(x)")
(False, False, True)
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.rules.formula import Rule, names_read
from astad.rules.registry import scalar as row

__all__ = ["scalar", "speaks"]


def scalar(fn: Callable[..., Any], *formulas: str | None, **facts: Any) -> Rule:
    """As `astad.rules.registry.scalar`."""
    namespace = sys._getframe(1).f_globals
    made = row(fn, *formulas, namespace=namespace, **facts)
    for name, text in made.back.items() if made.zero_safe else ():
        own = "slope_of_" + fn.__name__ + (f"_by_{name}" if len(made.parameters) > 1 else "")
        named = frozenset().union(*names_read(text))
        read = [each for each in ("y", *made.parameters) if each in named]
        namespace[own] = quietly(own, read, text, namespace)
        call = f"{own}({', '.join(read)})"
        if speaks(text):
            made.on_arrays[name] = call
        if stays_real(fn):
            made.on_floats[name] = text if is_silent(text) else call
    return made


def quietly(name: str, read: list[str], text: str, namespace: dict[str, Any]) -> Any:
    """The function of what a formula reads, in the file of the row: it may name what comes later
    in that.
    """
    exec(f"def {name}({', '.join(read)}):\n    return {text}\n", namespace)
    formula = namespace[name]

    @functools.wraps(formula)
    def quiet(*values: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                return formula(*map(_as_numpy, values))
        except ValueError as error:
            raise Unsupported(
                name, "a derivative outside of the domain of a function",
                why=f"the formulas of its rule do not cover it (ValueError: {error})",
                instead="keep the arguments in it",
            ) from error  # fmt: skip

    return quiet


def _as_numpy(value: Any) -> Any:
    """A float of Python as one of NumPy, which raises nothing; all else as it is."""
    return np.float64(value) if type(value) is float else value


def stays_real(fn: Callable[..., Any]) -> bool:
    """Is it a ufunc that gives a real number for real ones?

    >>> from scipy import special
    >>> stays_real(special.jv), stays_real(special.hankel1), stays_real(special.spherical_jn)
    (True, False, False)
    """
    return isinstance(fn, np.ufunc) and "d" * fn.nin + "->d" in fn.types


def is_silent(text: str) -> bool:
    """Does nothing in it raise for a number, or speak?

    >>> is_silent("-special.y1(x)"), is_silent("1 / (x * (1 - x))")
    (True, False)
    """
    tree: Any = ast.parse(text.strip(), mode="eval").body
    return _is_calm(tree.operand if isinstance(tree, ast.UnaryOp) else tree)


def speaks(text: str) -> bool:
    """May NumPy say something of this formula at a finite point? Quotients are computed safely."""
    tree: Any = ast.parse(text.strip(), mode="eval").body
    if isinstance(tree, ast.UnaryOp):
        tree = tree.operand
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
        return not (_is_calm(tree.left) and _is_calm(tree.right))
    return not _is_calm(tree)


def _is_calm(tree: ast.expr) -> bool:
    """A polynomial, or a function of SciPy's alone, of polynomials."""
    if isinstance(tree, ast.Call):
        return isinstance(tree.func, ast.Attribute) and all(map(_is_polynomial, tree.args))
    return _is_polynomial(tree)


def _is_polynomial(tree: ast.expr) -> bool:
    if isinstance(tree, ast.BinOp):
        is_sum = isinstance(tree.op, (ast.Add, ast.Sub, ast.Mult))
        return is_sum and _is_polynomial(tree.left) and _is_polynomial(tree.right)
    if isinstance(tree, ast.UnaryOp):
        return _is_polynomial(tree.operand)
    return isinstance(tree, (ast.Name, ast.Constant))
