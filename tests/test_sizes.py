"""Functions up to 50 lines, nesting up to 3, and a module docstring always.

A file is one concept, of the length that the concept has: a bound on files cut concepts apart.
"""

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUNCTION_LINES, NESTING = 50, 3
EXCEPTIONS: dict[str, str] = {
    # "astad/folder/file.py: function": "the reason",
}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCK = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)


def sources():
    """The files that people read: the package, the examples, the tools of the docs."""
    for folder in ("astad", "examples", "docs"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def lines_of(function):
    """Lines of a function without its decorators and its docstring."""
    first = function.body[0]
    skipped = 0
    if ast.get_docstring(function) is not None:
        skipped = first.end_lineno - first.lineno + 1
    return function.end_lineno - function.lineno + 1 - skipped


def depth(body):
    """How deep blocks stand in blocks; an `elif` beside its `if`, a nested function anew."""
    return max((_depth_of(node) for node in body), default=0)


def _depth_of(node):
    if isinstance(node, (*FUNCTION, ast.ClassDef)) or not isinstance(node, BLOCK):
        return 0
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        return max(1 + depth(node.body), _depth_of(node.orelse[0]))
    inner = [*getattr(node, "body", []), *getattr(node, "orelse", [])]
    inner += getattr(node, "finalbody", [])
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        inner += part.body
    return 1 + depth(inner)


def too_large(text, place):
    """One line for each limit that the file `place` with this `text` passes."""
    tree = ast.parse(text)
    if text.strip() and ast.get_docstring(tree) is None:
        yield place, f"{place}:1: no module docstring"
    for node in ast.walk(tree):
        if not isinstance(node, FUNCTION):
            continue
        name, at = f"{place}: {node.name}", f"{place}:{node.lineno}: {node.name}"
        if lines_of(node) > FUNCTION_LINES:
            yield name, f"{at} has {lines_of(node)} lines, at most {FUNCTION_LINES}"
        if depth(node.body) > NESTING:
            yield name, f"{at} nests {depth(node.body)} deep, at most {NESTING}"


@functools.cache
def findings():
    return [
        found
        for path in sources()
        for found in too_large(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ]


def test_nothing_is_too_large():
    found = [line for name, line in findings() if name not in EXCEPTIONS]
    assert not found, "\n" + "\n".join(found)


def test_every_exception_is_still_needed():
    assert set(EXCEPTIONS) <= {name for name, _ in findings()}


def test_the_limits_bite():
    deep = "def f(a):\n for i in a:\n  if i:\n   while a:\n    with a:\n     pass\n"
    flat = "def g(a):\n if a:\n  pass\n elif a:\n  pass\n elif a:\n  pass\n elif a:\n  pass\n"
    long = "def h():\n" + "    pass\n" * 50
    found = [line for _, line in too_large('"""Doc."""\n' + deep + flat + long, "x.py")]
    assert found == [
        "x.py:2: f nests 4 deep, at most 3",
        "x.py:17: h has 51 lines, at most 50",
    ]
