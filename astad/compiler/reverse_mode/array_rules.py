"""Formulas for products and sums of arrays of known rank; the general rules look at shapes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.compiler.ir.kinds import Kind

__all__ = ["array_formulas"]

PRODUCTS = {
    (2, 2): ("y_bar @ b.T", "a.T @ y_bar"),
    (1, 2): ("b @ y_bar", "np.outer(a, y_bar)"),
    (2, 1): ("np.outer(y_bar, b)", "y_bar @ a"),
    (1, 1): ("y_bar * b", "y_bar * a"),
}
"""Ranks of ``a @ b`` to the cotangents of a and of b; from ``d(ab) = da b + a db``."""


def array_formulas(
    fn: Any, kinds: Sequence[Kind], place: int, reduction: tuple[Any, bool] | None
) -> tuple[str, tuple[str, ...]] | None:
    """The text of one operand's cotangent and the names of its operands; None where the general
    rule serves.
    """
    if fn in (operator.matmul, np.dot):
        ranks = (kinds[0].rank or 0, kinds[1].rank or 0)
        return PRODUCTS[ranks][place], ("a", "b")
    if fn is np.trace:
        return "y_bar * np.eye(a.shape[0], a.shape[1])", ("a",)
    if reduction is None:
        return None
    axis, keepdims = reduction
    part = "y_bar / a.size" if fn is np.mean else "y_bar"
    if axis is None and not keepdims:
        return f"np.full(a.shape, {part})", ("a",)
    if axis is not None and fn is np.mean:
        part = f"y_bar / a.shape[{axis}]"
    if not keepdims:
        part = f"np.expand_dims({part}, {axis})"
    return f"np.broadcast_to({part}, a.shape)", ("a",)
