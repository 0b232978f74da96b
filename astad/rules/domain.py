"""Points to test a rule at: its ``domain`` text, read.

>>> draw = sampler("x1 > 0 and -1 < x2 < 1", ("x1", "x2"), np.random.default_rng(0))
>>> x1, x2 = draw((1000,))
>>> bool((x1 > 0).all() and (abs(x2) < 1).all()), bool(x1.min() < 0.2), bool(x1.max() > 2)
(True, True, True)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["constraints", "sampler"]

FUNCTIONS = {"abs": np.abs, "cos": np.cos, "sin": np.sin}
"""What a domain may call."""

MARGIN = 0.02
"""Differences of step 1e-3 stay inside."""


def constraints(domain: str) -> list[str]:
    """The domain as single comparisons (or disjunctions in parentheses), all of which must hold.

    >>> constraints("0 < x1 <= 1 and (x2 > 0 or abs(x1) > 0.1)")
    ['0 < x1', 'x1 <= 1', 'x2 > 0 or abs(x1) > 0.1']
    """
    if not domain:
        return []
    node = ast.parse(domain, mode="eval").body
    parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
    return [ast.unparse(single) for part in parts for single in _singles(part)]


def _singles(node: ast.expr) -> list[ast.expr]:
    """``a < b < c`` as ``a < b``, ``b < c``."""
    if not isinstance(node, ast.Compare):
        return [node]
    sides = [node.left, *node.comparators]
    return [ast.Compare(sides[k], [op], [sides[k + 1]]) for k, op in enumerate(node.ops)]


def _margin(text: str) -> Callable[[dict[str, Any]], Any]:
    """Test that a constraint holds, and by a margin; arrays in, array of bool out."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.BoolOp):
        either = [_margin(ast.unparse(value)) for value in node.values]
        return lambda values: np.any([test(values) for test in either], axis=0)
    assert isinstance(node, ast.Compare), f"a domain is made of comparisons, not {text}"
    gap = compile(
        f"({ast.unparse(node.left)}) - ({ast.unparse(node.comparators[0])})", text, "eval"
    )
    below = isinstance(node.ops[0], (ast.Lt, ast.LtE))
    apart = isinstance(node.ops[0], ast.NotEq)

    def test(values: dict[str, Any]) -> Any:
        difference = eval(gap, FUNCTIONS, values)
        if apart:
            return np.abs(difference) > MARGIN
        return -difference > MARGIN if below else difference > MARGIN

    return test


def sampler(
    domain: str, parameters: Sequence[str], random: np.random.Generator
) -> Callable[[tuple[int, ...]], list[np.ndarray[Any, Any]]]:
    """A function from a shape to one array per parameter, all in the domain entry by entry.

    Drawn are normal numbers of several scales, some near the limits of the domain; those outside
    are rejected.
    """
    tests = [_margin(text) for text in constraints(domain)]
    centres = _numbers(domain)

    def draw(shape: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
        wanted = int(np.prod(shape))
        found: list[list[Any]] = [[] for _ in parameters]
        for _ in range(2000):
            if len(found[0]) >= wanted:
                break
            count = 4 * wanted + 64
            scale = random.choice([0.2, 1.0, 3.0], size=(len(parameters), count))
            points = random.choice(centres, size=(len(parameters), count))
            points = points + scale * random.standard_normal(points.shape)
            values = dict(zip(parameters, points, strict=True))
            ok = np.all([test(values) for test in tests], axis=0) if tests else np.ones(count, bool)
            for column, row in zip(found, points, strict=True):
                column.extend(row[ok])
        assert len(found[0]) >= wanted, f"no points found in {domain}"
        return [np.array(column[:wanted]).reshape(shape) for column in found]

    return draw


def _numbers(domain: str) -> list[float]:
    """0 and the limits named in a domain."""
    tree = ast.parse(domain or "0", mode="eval")
    named = [float(str(node.value)) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return sorted({0.0, *named, *(-value for value in named)})
