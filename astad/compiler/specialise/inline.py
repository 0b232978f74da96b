"""Put small straight-line callees in the place of their calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import FunctionType

from astad.compiler.analysis.facts import Space
from astad.compiler.analysis.structure import blocks, bound_names, bound_once
from astad.compiler.ir.lines import inlined
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Exit,
    Node,
    Operand,
    Prim,
    Program,
    Star,
)
from astad.compiler.specialise.prepare import names_of, prepare
from astad.errors import AstadError
from astad.rules.registry import lookup

__all__ = ["inline_calls"]

Lower = Callable[[FunctionType], Program]

LONGEST = 40
"""Statements of a callee that is written out; measured: tests/benchmarks."""


def inline_calls(
    program: Program, names: Names, space: Space, lower: Lower
) -> tuple[Program, tuple[str, ...]]:
    """The program with its small callees written out, and the paths of these in the user's globals.

    ``lower`` gives the program of a callee.
    """
    inliner = _Inliner(names, space, lower)
    inliner.many = set(program.taken) - bound_once(program.body)
    body = inliner.block(program.body, 0)
    return replace(program, body=tuple(body)), tuple(inliner.done)


class _Inliner:
    def __init__(self, names: Names, space: Space, lower: Lower) -> None:
        self.names = names
        self.space = space
        self.lower = lower
        self.paths: dict[str, str] = {}
        self.done: list[str] = []
        self.many: set[str] = set()

    def block(self, block: Block, depth: int) -> list[Node]:
        out: list[Node] = []
        for node in block:
            parts = blocks(node)
            if parts:
                names = [name for name in ("head", "body", "orelse") if hasattr(node, name)]
                out.append(
                    replace(node, **{n: tuple(self.block(getattr(node, n), depth)) for n in names})  # type: ignore[arg-type]
                )
                continue
            self._follow(node)
            callee = self._callee(node) if isinstance(node, Call) and depth < 4 else None
            if callee is None:
                out.append(node)
            else:
                assert isinstance(node, Call)
                out += self.block(tuple(self._written_out(node, callee)), depth + 1)
        return out

    def _follow(self, node: Node) -> None:
        if isinstance(node, Call) and node.fn == Prim("global") and isinstance(node.args[0], Const):
            if not isinstance(node.target, str) or node.target in self.many:
                return
            self.paths[node.target] = str(node.args[0].value)

    def _callee(self, node: Call) -> Program | None:
        """The program of a function of the same module that may be written out here."""
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        fn = self.space.find(path) if path else None
        if (
            not isinstance(fn, FunctionType)
            or fn.__globals__ is not self.space.namespace
            or fn.__closure__
        ):
            return None
        if (
            node.keywords
            or any(isinstance(arg, Star) for arg in node.args)
            or lookup(fn) is not None
        ):
            return None
        if (
            len(node.args) != fn.__code__.co_argcount
            or fn.__code__.co_flags & 12
            or fn.__code__.co_kwonlyargcount
        ):
            return None
        if not _may_inline(fn):
            return None
        try:
            program = self.lower(fn)
        except AstadError:
            return None
        program = prepare(program, names_of(program), self.space)
        for assumed in program.assumed:
            self.space.assume(assumed)
        if not _is_straight(program.body) or len(program.body) > LONGEST:
            return None
        assert path is not None
        self.space.assume(path)
        if path not in self.done:
            self.done.append(path)
        return program

    def _written_out(self, node: Call, callee: Program) -> list[Node]:
        """Parameters bound to the arguments, locals renamed, the result bound to the target."""
        new: dict[str, str] = {}
        stem = callee.name if callee.name.isidentifier() else "lambda_"
        out: list[Node] = []
        changed = {name for part in callee.body for name in bound_names(part)}
        once = bound_once(callee.body)
        path = self.paths[node.fn]  # type: ignore[index]
        for param, arg in zip(callee.params, node.args, strict=True):
            if isinstance(arg, str) and param.name not in changed:
                new[param.name] = arg
            else:
                new[param.name] = self.names.fresh(f"{stem}_{param.name}")
                out.append(Bind(new[param.name], arg, node.line))  # type: ignore[arg-type]
        for part in callee.body:
            line = inlined(node.line, path, (part.line or callee.line) - callee.line)
            if isinstance(part, Exit):
                if node.target is not None:
                    value = part.value if part.value is not None else Const(None)
                    out.append(Bind(node.target, _renamed(value, new), line))  # type: ignore[arg-type]
                break
            for name in bound_names(part):
                if name not in new and name not in once:
                    new[name] = self.names.fresh(name)
                    self.many.add(new[name])
                new.setdefault(
                    name, self.names.fresh(name if name[:2] != "t_" else f"{stem}_{name[2:]}")
                )
            out.append(_moved(part, new, line))
        return out


def _may_inline(fn: FunctionType) -> bool:
    from astad.rules.custom import has_custom_rule

    return not has_custom_rule(fn)


def _is_straight(body: Block) -> bool:
    exits = [node for node in body if isinstance(node, Exit)]
    plain = all(
        isinstance(node, Bind | Call | Exit) and not _belongs_to_frame(node) for node in body
    )
    return plain and len(exits) == 1 and isinstance(body[-1], Exit)


def _result(callee: Program) -> Operand | None:
    last = callee.body[-1]
    return last.value if isinstance(last, Exit) else None


def _belongs_to_frame(node: Node) -> bool:
    """Makes functions or cells, which belong to the callee's own code."""
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in FRAME


FRAME = ("function", "cell_new", "cell_get", "cell_set", "import")


def _renamed(operand: Operand | Star, new: dict[str, str]) -> Operand | Star:
    if isinstance(operand, Star):
        return Star(_renamed(operand.operand, new))  # type: ignore[arg-type]
    return new.get(operand, operand) if isinstance(operand, str) else operand


def _moved(node: Node, new: dict[str, str], line: int) -> Node:
    if isinstance(node, Bind):
        return Bind(new[node.target], _renamed(node.source, new), line)  # type: ignore[arg-type]
    assert isinstance(node, Call)
    return Call(
        new[node.target] if isinstance(node.target, str) else None,
        node.fn if isinstance(node.fn, Prim) else _renamed(node.fn, new),  # type: ignore[arg-type]
        tuple(_renamed(arg, new) for arg in node.args),
        tuple((word, _renamed(value, new)) for word, value in node.keywords),  # type: ignore[misc]
        line,
    )
