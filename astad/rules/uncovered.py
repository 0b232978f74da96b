"""A call that a rule does not cover, in the words of the user: by the arguments that are to blame.

>>> from astad.rules.registry import lookup
>>> case_in_words(lookup(np.linalg.qr), (np.eye(2), "raw"))
"mode='raw'"
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.rules import formula
from astad.rules.formula import Rule
from astad.slotted import replace

__all__ = ["case_in_words"]

LONGEST = 40
"""Letters of a value that are shown."""


def case_in_words(rule: Rule, values: Sequence[Any]) -> str:
    """The arguments that the first of the rule's conditions reads which holds for these values."""
    names = [name.lstrip("*") for name in rule.parameters]
    given = dict(zip(names, values, strict=True))
    for clause in _clauses(rule.refuse):
        if formula.compile_test(replace(rule, refuse=ast.unparse(clause)))(*values):
            read = [each.id for each in ast.walk(clause) if isinstance(each, ast.Name)]
            named = [name for name in dict.fromkeys(read) if name in given]
            return " and ".join(f"{name}={_shown(given[name])}" for name in named)
    return "these arguments"


def _clauses(condition: str) -> list[ast.expr]:
    tree = ast.parse(condition, mode="eval").body
    return tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or) else [tree]


def _shown(value: Any) -> str:
    """A short text for a value.

    >>> [_shown(each) for each in (np.add, np.ones((2, 3)), None, [1.0, 2.0])]
    ['np.add', 'an array of float64 with shape (2, 3)', 'None', '[1.0, 2.0]']
    """
    if isinstance(value, np.ufunc):
        public = getattr(np, value.__name__, None) is value
        return f"np.{value.__name__}" if public else f"the ufunc {value.__name__!r}"
    if issubclass(type(value), np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    text = repr(value)
    return text if len(text) <= LONGEST else f"a {type(value).__name__}"
