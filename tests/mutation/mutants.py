"""Single changes to the passes of the compiler: a statement removed, a condition negated.

>>> text = '''
... def f(a):
...     if a and g(a):
...         h(a)
...     return a > 1
... '''
>>> for each in mutants_of(text, "x.py"):
...     print(each.line, each.what, "->", each.changed.splitlines()[each.line - 1].strip())
3 negated: if a and g(a) -> if not (a and g(a)):
3 without: a -> if g(a):
3 without: g(a) -> if a:
4 removed: h(a) -> pass
5 negated: return a > 1 -> return not a > 1
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Mutant", "drawn", "mutants_of"]

ROOT = Path(__file__).resolve().parents[2]
SORTS = "line", "operand"
PASSES = ("frontend", "lower", "analysis", "specialise", "reverse_mode", "tidy", "codegen")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the file, the line it is at, what it does, and the file's text with it."""

    place: str
    line: int
    what: str
    changed: str

    @property
    def sort(self) -> str:
        """A whole line, or a part of a condition."""
        return SORTS[self.what.startswith("without")]

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.what}"


def drawn(seed: int, count: int) -> list[Mutant]:
    """So many of all changes to the passes, the same for the same seed and sources."""
    found: list[Mutant] = []
    for path in _sources():
        found += mutants_of(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    return random.Random(seed).sample(found, min(count, len(found)))


def _sources() -> list[Path]:
    compiler = ROOT / "astad" / "compiler"
    inner = [path for name in PASSES for path in (compiler / name).rglob("*.py")]
    return sorted([*inner, *compiler.glob("*.py")])


def mutants_of(text: str, place: str) -> Iterator[Mutant]:
    """All changes to a file, in the order of its lines."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            for node in function.body:
                for line, what, old, new in _changes(node):
                    yield Mutant(place, line, what, _replaced(text, old, new))


Change = tuple[int, str, ast.AST, str]


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.FunctionDef):
        return  # walked by itself
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.If | ast.While):
        keyword = "if" if isinstance(node, ast.If) else "while"
        yield line, f"negated: {keyword} {_short(node.test)}", node.test, _negated(node.test)
        yield from _operands(node.test)
    elif isinstance(node, ast.Return) and _is_truth(node.value):
        assert node.value is not None
        yield line, f"negated: return {_short(node.value)}", node.value, _negated(node.value)
        yield from _operands(node.value)
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Continue) and not _is_text(node):
        yield line, f"removed: {_short(node)}", node, "pass"
    elif isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple):
        yield line, f"removed: {_short(node)}", node, "pass"  # an attribute or an entry
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt | ast.match_case | ast.ExceptHandler):
            yield from _changes(inner)


def _operands(test: ast.expr) -> Iterator[Change]:
    """`a and b` with one of the two left out."""
    if isinstance(test, ast.BoolOp):
        for left_out in test.values:
            others = [ast.unparse(each) for each in test.values if each is not left_out]
            word = " and " if isinstance(test.op, ast.And) else " or "
            yield test.lineno, f"without: {_short(left_out)}", test, word.join(others)


def _is_truth(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Compare | ast.BoolOp):
        return True
    return isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _negated(test: ast.expr) -> str:
    return ast.unparse(ast.UnaryOp(ast.Not(), test))


def _short(node: ast.AST) -> str:
    text = ast.unparse(node).replace("\n", " ")
    return text if len(text) <= 70 else text[:67] + "..."


def _replaced(text: str, old: Any, new: str) -> str:
    """The text with other words in the place of a node."""
    lines = text.splitlines(keepends=True)
    first, last = old.lineno - 1, old.end_lineno - 1
    head = lines[first].encode()[: old.col_offset].decode()  # columns count bytes
    tail = lines[last].encode()[old.end_col_offset :].decode()
    return "".join([*lines[:first], head + new + tail, *lines[last + 1 :]])
