"""Names and literals of generated trees."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["LOAD", "STORE", "constant_of", "name_of", "target_of"]

LOAD, STORE = ast.Load(), ast.Store()


def name_of(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, LOAD)


def target_of(target: Any) -> ast.expr:
    """A name, or a tuple of targets."""
    if isinstance(target, str):
        return ast.Name(target, STORE)
    return ast.Tuple([target_of(part) for part in target], STORE)


def constant_of(value: Any) -> ast.expr:
    """A literal, or a tuple of such."""
    if isinstance(value, tuple):
        return ast.Tuple([constant_of(item) for item in value], LOAD)
    return ast.Constant(value)
