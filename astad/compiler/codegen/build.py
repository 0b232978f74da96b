"""From generated functions to text, from text to functions that run.

The forward sweep is compiled under the user's file name and lines, so that tracebacks, coverage, warnings and pdb show
the user's program; the reverse sweep under a file of its own, which ``linecache`` knows.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType

from astad.compiler.codegen.printer import print_tree

__all__ = ["USER", "Text", "to_code", "to_text"]

USER = "<user>"
"""Stand-in for the user's file in stored code; its lines count from the function's first."""

GENERATED = "<generated>"


@dataclass(frozen=True, slots=True)
class Text:
    """Generated source; ``lines`` pairs each of its lines with the user's, counted from the function's first (0: none)."""

    source: str
    lines: tuple[tuple[int, int], ...]
    names: tuple[str, ...]


def to_text(functions: Sequence[ast.FunctionDef], first_line: int) -> Text:
    """Print the functions; read them back to find on which line each statement went."""
    parts: list[str] = []
    pairs: list[tuple[int, int]] = []
    offset = 0
    for made in functions:
        printed = print_tree(made)
        again = ast.parse(printed).body[0]
        assert isinstance(again, ast.FunctionDef)
        for old, new in _statements(made.body, again.body):
            line = getattr(old, "lineno", 0)
            pairs.append((new.lineno + offset, line - first_line + 1 if line else 0))
        parts.append(printed)
        offset += printed.count("\n") + 1
    return Text("\n".join(parts), tuple(pairs), tuple(made.name for made in functions))


def _statements(old: list[ast.stmt], new: list[ast.stmt]) -> list[tuple[ast.stmt, ast.stmt]]:
    pairs: list[tuple[ast.stmt, ast.stmt]] = []
    for a, b in zip(old, new, strict=True):
        pairs.append((a, b))
        for field in ("body", "orelse"):
            pairs += _statements(getattr(a, field, []), getattr(b, field, []))
    return pairs


def to_code(text: Text, under_user: Sequence[str]) -> CodeType:
    """One code object that defines all functions; those named run under the user's file and lines."""
    tree = ast.parse(text.source)
    lines = dict(text.lines)
    module = compile(ast.Module([], []), GENERATED, "exec")
    consts: list[CodeType] = []
    for made in tree.body:
        assert isinstance(made, ast.FunctionDef)
        file = GENERATED
        if made.name in under_user:
            _move_lines(made, lines)
            file = USER
        code = compile(ast.Module([made], []), file, "exec", dont_inherit=True, optimize=0)
        consts += [const for const in code.co_consts if isinstance(const, CodeType)]
    return module.replace(co_consts=(*consts, None))


def _move_lines(tree: ast.FunctionDef, lines: dict[int, int]) -> None:
    """Give every node the user's line; statements without one take that of the statement before."""
    last = 1
    for node in _in_order(tree):
        if isinstance(node, ast.stmt):
            last = max(lines.get(node.lineno, 0), 0) or last
        line = 1 if node is tree else last
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]


def _in_order(tree: ast.AST) -> list[ast.AST]:
    found = [tree]
    for child in ast.iter_child_nodes(tree):
        found += _in_order(child)
    return found
