"""Expressions of which only the truth matters: ``0 < x < 1`` for ``x < 1 if 0 < x else False``."""

from __future__ import annotations

import ast

__all__ = ["as_test", "is_conjunction", "negated", "with_test"]


def as_test(tree: ast.expr) -> ast.expr:
    """An expression that is true where this one is.

    >>> for text in ("x < 1 if 0 < x else False", "True if a else b", "c if a else b"):
    ...     print(ast.unparse(as_test(ast.parse(text, mode="eval").body)))
    0 < x < 1
    a or b
    c if a else b
    """
    if not isinstance(tree, ast.IfExp):
        return tree
    test, body, orelse = as_test(tree.test), as_test(tree.body), as_test(tree.orelse)
    made: ast.expr
    if _is_literal(orelse, False):
        made = _chained(test, body) or ast.BoolOp(ast.And(), [*_parts(test, ast.And), body])
    elif _is_literal(body, True):
        made = ast.BoolOp(ast.Or(), [*_parts(test, ast.Or), orelse])
    else:
        return tree
    if hasattr(tree, "lineno"):
        made.lineno = tree.lineno
    return made


def is_conjunction(body: ast.stmt, orelse: ast.stmt) -> bool:
    """Are these the arms of ``and`` (``t = x``, ``t = False``) or of ``or`` (``True`` first)?"""
    assert isinstance(body, ast.Assign) and isinstance(orelse, ast.Assign)
    return _is_literal(orelse.value, False) or _is_literal(body.value, True)


def negated(test: ast.expr) -> ast.expr:
    """``not test``."""
    return ast.UnaryOp(ast.Not(), test)


def with_test(loop: ast.While) -> ast.While:
    """``while test`` for ``while True`` with ``if not test: break`` at its head."""
    first = loop.body[0]
    is_endless = _is_literal(loop.test, True) and not loop.orelse
    if not is_endless or not isinstance(first, ast.If) or len(loop.body) < 2:
        return loop
    leaves = len(first.body) == 1 and isinstance(first.body[0], ast.Break) and not first.orelse
    if not leaves or not isinstance(first.test, ast.UnaryOp):
        return loop
    if not isinstance(first.test.op, ast.Not):
        return loop
    return ast.While(first.test.operand, loop.body[1:], [])


def _is_literal(tree: ast.expr, value: bool) -> bool:
    return isinstance(tree, ast.Constant) and tree.value is value


def _parts(tree: ast.expr, kind: type[ast.boolop]) -> list[ast.expr]:
    same = isinstance(tree, ast.BoolOp) and isinstance(tree.op, kind)
    return tree.values if same else [tree]  # type: ignore[attr-defined]


def _chained(first: ast.expr, second: ast.expr) -> ast.expr | None:
    """``a < b < c`` of ``a < b`` and ``b < c``, where b is a name."""
    if not isinstance(first, ast.Compare) or not isinstance(second, ast.Compare):
        return None
    middle, again = first.comparators[-1], second.left
    if not isinstance(middle, ast.Name) or not isinstance(again, ast.Name):
        return None
    if middle.id != again.id:
        return None
    return ast.Compare(
        first.left, [*first.ops, *second.ops], [*first.comparators, *second.comparators]
    )
