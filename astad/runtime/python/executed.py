"""``exec`` with namespaces of its own, where all it does is to define functions; ``eval``.

Such code binds names to functions and constants and calls nothing, so no derivative passes through
it. What the functions do is read when they are called.

>>> from astad.runtime.core.versions import Versions
>>> names = {}
>>> execute(Versions(), "def double(x):\\n    return 2 * x", names)
(None, None)
>>> names["double"](3.0)
6.0
"""

from __future__ import annotations

import ast
import builtins
import dis
from types import CodeType, FunctionType
from typing import Any  # of a node with generators

from astad.errors import Unsupported
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.shown_lines import show

__all__ = ["evaluate", "execute"]

_DEFINING = frozenset({
    "CACHE", "EXTENDED_ARG", "LOAD_CONST", "MAKE_FUNCTION", "NOP", "RESUME", "RETURN_CONST",
    "RETURN_VALUE", "SET_FUNCTION_ATTRIBUTE", "STORE_NAME",
})  # fmt: skip
"""Instructions of code that defines functions and does nothing else."""


_WRITING = ("CALL", "DELETE", "IMPORT", "MAKE", "STORE")
"""How the names of instructions begin that may change what others see."""


@full(exec)
def execute(
    versions: Versions, source: Value, *namespaces: Value, **keywords: Value
) -> tuple[None, Record]:
    steps = _instructions(source, "exec", namespaces, keywords)
    if not steps or not _DEFINING.issuperset(steps):
        raise _refused(versions, "exec", "does more than define functions")
    exec(source, *namespaces)
    return None, None


@full(eval)
def evaluate(
    versions: Versions, source: Value, *namespaces: Value, **keywords: Value
) -> tuple[Value, Record]:
    """The value of a text that calls nothing; else the text becomes a function, which is called."""
    source = source.lstrip(" \t") if type(source) is str else source  # as eval does
    steps = _instructions(source, "eval", namespaces, keywords)
    if steps and not any(step.startswith(_WRITING) for step in steps):
        y = eval(source, *namespaces)
        return y, opaque("eval", y)
    is_own = bool(steps) and all(type(space) is dict for space in namespaces)
    fn = _written(source, namespaces) if is_own and type(source) is str else None
    if fn is None:
        raise _refused(versions, "eval", "may change something")
    y, record = callbacks.call(versions, fn, namespaces[0], namespaces[-1])
    return y, None if record is None else (_pull_evaluated, record)


def _pull_evaluated(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 2)  # numbers it read have their part in the dict
    return None


def _written(text: str, namespaces: tuple[Value, ...]) -> FunctionType | None:
    """``def evaluated(space, names): return names["x"] * space["y"] + f(2)`` for ``x * y + f(2)``,
    where x is a local name and y a global number; None where the text binds a name, or a function
    inside it reads such a number.
    """
    tree = ast.parse(text, mode="eval")
    space = namespaces[0]
    of = {name: "space" for name, value in space.items() if flows(value)}
    inner = [node for node in ast.walk(tree) if isinstance(node, INNER)]
    read = {part.id for node in inner for part in ast.walk(node) if isinstance(part, ast.Name)}
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(tree)) or read & of.keys():
        return None
    if len(namespaces) == 2:
        of.update(dict.fromkeys(namespaces[1], "names"))
    body = ast.unparse(_Locals(of).visit(tree))
    made = f"def evaluated(space, names):\n    return ({body})\n"
    code = _CODES.get(made)
    if code is None:
        file = f"<eval {len(_CODES)}>"
        show(file, made)
        (code,) = [
            part for part in compile(made, file, "exec").co_consts if isinstance(part, CodeType)
        ]
        _CODES[made] = code
    space.setdefault("__builtins__", builtins)  # as eval does
    return FunctionType(code, space)


INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CODES: dict[str, CodeType] = {}
"""What texts that were evaluated became."""


class _Locals(ast.NodeTransformer):
    """Names read from the dict they are ``of``; functions and comprehensions inside a text see
    nothing of its local names but where they are made.
    """

    def __init__(self, of: dict[str, str]) -> None:
        self.of = of

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.of:
            return node
        names = ast.Name(self.of[node.id], ast.Load())
        return ast.Subscript(names, ast.Constant(node.id), ast.Load())

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        made = node.args
        made.defaults = [self.visit(each) for each in made.defaults]
        made.kw_defaults = [each and self.visit(each) for each in made.kw_defaults]
        return node

    def _comprehension(self, node: Any) -> Any:
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _instructions(
    source: Value, mode: str, namespaces: tuple[Value, ...], keywords: dict[str, Value]
) -> set[str]:
    """Those of the code; none where it would run in the names of its caller."""
    if not namespaces or type(namespaces[0]) is not dict or keywords:
        return set()
    made = source if isinstance(source, CodeType) else None
    made = made or compile(source, "<string>", mode, dont_inherit=True)
    return {step.opname for step in dis.get_instructions(made)}


def _refused(versions: Versions, name: str, what: str) -> Unsupported:
    versions.refused = Unsupported(
        name, f"a call of {name}() that {what}, or sees the names of its caller",
        why="the text it runs is unknown when the derivative is made",
        instead="write it as code",
    )  # fmt: skip
    return versions.refused
