"""From a function's tree to its Wengert list: one call per statement, every operand a name.

>>> from astad.compiler.ir.text import show
>>> print(show(program_of('''
...     for i in range(n):
...         y = y * x + i
... ''')))
t_1 = global range
t_2 = t_1(n)
for i in t_2:
    t_3 = y * x
    y = t_3 + i
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections.abc import Iterable, Sequence
from textwrap import dedent, indent
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.admissible import refuse_unsupported
from astad.compiler.frontend.locate import remember_source
from astad.compiler.frontend.module_text import Position
from astad.compiler.frontend.parse import Tree, read
from astad.compiler.frontend.scope import Scope, detach
from astad.compiler.ir.nodes import Call, Const, Exit, Loop, Node, Program
from astad.compiler.ir.outline import YIELD, is_yield
from astad.compiler.ir.walk import falls_through, walk
from astad.compiler.lower import (
    assignments,
    branches,
    calls,
    comprehensions,
    definitions,
    exceptions,
    expressions,
    generators,
    loops,
    patterns,
)
from astad.compiler.lower.builder import Builder, Cell, ExpressionTable, StatementTable
from astad.errors import Location, Unsupported
from astad.slotted import replace

__all__ = ["lower_function", "program_of", "to_anf"]

_EXPRESSIONS: ExpressionTable = {
    **expressions.EXPRESSIONS,
    **calls.EXPRESSIONS,
    **branches.EXPRESSIONS,
    **comprehensions.EXPRESSIONS,
    **definitions.EXPRESSIONS,
    **generators.EXPRESSIONS,
}
_STATEMENTS: StatementTable = {
    **assignments.STATEMENTS,
    **branches.STATEMENTS,
    **loops.STATEMENTS,
    **exceptions.STATEMENTS,
    **definitions.STATEMENTS,
    **patterns.STATEMENTS,
}


def lower_function(fn: object) -> Program:
    """The Wengert list of a running Python function.

    Raises
    ------
    NoSource : if its source is not found or is not what runs.
    Unsupported : at the first construct that cannot be carried.
    """
    tree, scope = read(fn)
    refuse_unsupported(tree, scope)
    return to_anf(tree, scope)


def to_anf(tree: Tree, scope: Scope) -> Program:
    """The Wengert list of a tree that `frontend/admissible.py` has let pass."""
    try:
        program, lazy = _lowered(tree, scope)
        while lazy:  # the variables they capture are cells: once more, from the start
            scope = detach(tree.node, scope, scope.detached | lazy)
            program, lazy = _lowered(tree, scope)
        return program
    except RecursionError:
        raise Unsupported(
            Location(tree.file, tree.line),
            f"an expression or a chain of elif in {tree.name}",
            why="it is nested too deeply for Python's own recursion limit",
            instead="split it over several statements",
        ) from None


def _lowered(tree: Tree, scope: Scope) -> tuple[Program, frozenset[Position]]:
    """The program, right if no generator expression turned up that nothing consumes at once."""
    b = Builder(scope, tree.file, tree.name, _EXPRESSIONS, _STATEMENTS)
    free = tuple((name, b.names.fresh(f"{name}_cell")) for name in scope.free)
    b.places.update((name, Cell(cell)) for name, cell in free)
    body = b.writing(lambda: _body(b, tree))
    program = Program(
        tree.name,
        tree.qualname,
        scope.params,
        free,
        body,
        tree.file,
        tree.line,
        scope.taken,
        tuple(b.assumed),
    )
    return program, frozenset(b.lazy)


def _body(b: Builder, tree: Tree) -> None:
    _make_cells(b, tree.line)
    if isinstance(tree.node, gast.Lambda):
        b.emit(Exit("return", b.operand(tree.node.body), tree.node.body.lineno))
        return
    b.statements(tree.node.body)
    if _has_yield(tree.node.body) and not any(map(is_yield, walk(tuple(b.block)))):
        b.block.insert(0, _never_yielding(b, tree.line))
    if falls_through(tuple(b.block[-1:])):
        b.emit(Exit("return", Const(None), getattr(tree.node.body[-1], "end_lineno", tree.line)))


def _has_yield(statements: Sequence[Any]) -> bool:
    """Of the function itself, in code that is never reached too."""
    inner = (gast.FunctionDef, gast.Lambda, gast.ClassDef)
    nodes = [each for each in statements if not isinstance(each, inner)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, (gast.Yield, gast.YieldFrom)):
            return True
        nodes += [each for each in gast.iter_child_nodes(node) if not isinstance(each, inner)]
    return False


def _never_yielding(b: Builder, line: int) -> Node:
    """``for _ in (): yield``: what makes a function a generator whose own ``yield`` is left out."""
    found = Call(None, YIELD, (Const(None),), (), line)
    return Loop(b.names.fresh("_"), Const(()), (found,), (), line)


def _make_cells(b: Builder, line: int) -> None:
    """A cell for each captured variable: those of parameters first, holding the argument."""
    params = [name for name in b.params if name in b.scope.cells]
    for name in (*params, *sorted(b.scope.cells - set(params))):
        cell = Cell(b.names.fresh(f"{name}_cell"))
        b.prim("cell_new", (name,) if name in params else (), line, str(cell))
        b.places[name] = cell


def program_of(text: str) -> Program:
    """The program of a few lines of source, for examples and tests.

    Names that no line above binds and that are not builtin are parameters; the ``return None``
    that stands for falling off the end is left out.
    """
    lines = dedent(text).strip("\n")
    tree = ast.parse(lines)
    whole = f"def program({', '.join(_given(tree))}):\n{indent(lines, '    ')}\n"
    file = f"<program {hashlib.blake2b(whole.encode(), digest_size=4).hexdigest()}>"
    remember_source(file, whole)
    known: dict[str, object] = {}
    exec(compile(whole, file, "exec", dont_inherit=True), known)
    program = lower_function(known["program"])
    *body, last = program.body
    written = isinstance(tree.body[-1], ast.Return)
    implied = isinstance(last, Exit) and last.value == Const(None) and not written
    return replace(program, body=tuple(body)) if implied else program


def _given(tree: ast.Module) -> Iterable[str]:
    """The names a text needs from outside, in the order in which they occur."""
    nodes = list(ast.walk(tree))
    own = {arg.arg for arg in nodes if isinstance(arg, ast.arg)}
    for each in nodes:
        if isinstance(each, ast.comprehension):
            own.update(node.id for node in ast.walk(each.target) if isinstance(node, ast.Name))
    augmented = {id(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
    names = [node for node in nodes if isinstance(node, ast.Name) and node.id not in own]
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    bound: dict[str, int] = {}
    for node in names:
        if isinstance(node.ctx, ast.Store) and id(node) not in augmented:
            bound.setdefault(node.id, node.lineno)
    read = (n for n in names if isinstance(n.ctx, ast.Load) or id(n) in augmented)
    given = (n.id for n in read if bound.get(n.id, n.lineno) >= n.lineno)
    return dict.fromkeys(name for name in given if not hasattr(builtins, name))
