"""Put small straight-line callees in the place of their calls.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def half(x):
...     return 0.5 * x
>>> def f(x):
...     return half(x) + 1.0
>>> program = lower_function(f)
>>> print(show(inline_calls(program, names_of(program), Space(globals()), lower_function)))
t_1 = global half
t_2 = 0.5 * x
t_3 = t_2 + 1.0
return t_3
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import FunctionType

from astad.compiler.analysis.space import Space
from astad.compiler.analysis.structure import bound_once
from astad.compiler.ir.lines import inlined
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
)
from astad.compiler.ir.walk import binds, bound_inside, reads, renamed, with_blocks, with_operands
from astad.compiler.specialise.contained import FRAME, is_contained
from astad.compiler.specialise.prepare import names_of, prepare
from astad.errors import AstadError
from astad.rules.custom import has_custom_rule
from astad.rules.registry import lookup

__all__ = ["inline_calls"]

DEEPEST = 4
"""Calls in calls that are written out."""

Lower = Callable[[FunctionType], Program]
"""Gives the program of a callee, or refuses."""
LONGEST = 40
"""Statements of a callee that is written out; measured: tests/benchmarks."""


def inline_calls(
    program: Program, names: Names, space: Space, lower: Lower, containers: Collection[str] = ()
) -> Program:
    """The program with its small callees written out.

    ``lower`` gives the program of a callee. What is handed ``containers``, names of parameters, or
    parts of them, may have loops and branches: containers that are passed on stay whole.
    """
    inliner = _Inliner(names, space, lower)
    inliner.containers = set(containers)
    inliner.many = set(program.taken) - bound_once(program.body)
    body = inliner.block(program.body, 0)
    return replace(program, body=tuple(body))


class _Inliner:
    def __init__(self, names: Names, space: Space, lower: Lower) -> None:
        self.names = names
        self.space = space
        self.lower = lower
        self.paths: dict[str, str] = {}
        self.many: set[str] = set()
        self.containers: set[str] = set()

    def block(self, block: Block, depth: int) -> list[Node]:
        out: list[Node] = []
        for node in block:
            self._follow(node)
            if not self.containers.isdisjoint(reads(node)) and _hands_on(node):
                self.containers.update(binds(node))
            callee = self._callee(node) if isinstance(node, Call) and depth < DEEPEST else None
            if callee is None:
                out.append(with_blocks(node, lambda inner: self.block(inner, depth)))
            else:
                assert isinstance(node, Call)
                out += self.block(tuple(self._written_out(node, callee)), depth + 1)
        return out

    def _follow(self, node: Node) -> None:
        """Remember which names stand for which global."""
        if not isinstance(node, Call) or node.fn != Prim("global") or node.target in self.many:
            return
        assert isinstance(node.args[0], Const) and isinstance(node.target, str)
        self.paths[node.target] = str(node.args[0].value)

    def _callee(self, node: Call) -> Program | None:
        """The program of a function of the same module that may be written out here."""
        path = self.paths.get(str(node.fn))
        fn = self.space.find(path) if path else None
        if path is None or not isinstance(fn, FunctionType) or not self._may_be_opened(fn):
            return None
        try:
            program = self.lower(fn)
        except AstadError:
            return None
        program = prepare(program, names_of(program), self.space)
        is_given = any(arg in self.containers for arg in node.args)
        may_be = _is_straight(program.body) or (is_given and is_contained(program, path))
        if not (_fits(node, program) and may_be):
            return None
        for assumed in (*program.assumed, path, f"{path}.__code__"):  # reloaders replace the code
            self.space.assume(assumed)
        return program

    def _may_be_opened(self, fn: FunctionType) -> bool:
        """A function of the same module, without closure, that no rule stands for."""
        own = fn.__globals__ is self.space.namespace and not fn.__closure__
        return own and lookup(fn) is None and not has_custom_rule(fn)

    def _written_out(self, node: Call, callee: Program) -> list[Node]:
        """Parameters bound to the arguments, locals renamed, the result bound to the target."""
        out: list[Node] = []
        new = self._names_of_parameters(node, callee, out)
        path, result = self.paths[str(node.fn)], _bound_last(callee)
        if result is not None and isinstance(node.target, str):
            new[result] = node.target
        for part in callee.body:
            if not isinstance(part, Exit):
                self._name_locals(part, callee, new)
                out.append(_moved(part, new, lambda at: self._line(node, path, callee, at)))
            elif node.target is not None and (result is None or part.value != result):
                assert isinstance(node.target, str)
                value = part.value if part.value is not None else Const(None)
                bound = Bind(node.target, value, self._line(node, path, callee, part.line))
                out.append(renamed(bound, new))
        return out

    def _line(self, node: Call, path: str, callee: Program, line: int) -> int:
        return inlined(node.line, path, (line or callee.line) - callee.line)

    def _names_of_parameters(self, node: Call, callee: Program, out: list[Node]) -> dict[str, str]:
        """A parameter that stays as it is goes by the name of its argument."""
        new: dict[str, str] = {}
        changed = bound_inside(*callee.body)
        for param, arg in zip(callee.params, node.args, strict=True):
            if isinstance(arg, str) and param.name not in changed:
                new[param.name] = arg
            else:
                assert not isinstance(arg, Star)
                new[param.name] = self.names.fresh(f"{_stem(callee)}_{param.name}")
                out.append(Bind(new[param.name], arg, node.line))
        return new

    def _name_locals(self, part: Node, callee: Program, new: dict[str, str]) -> None:
        once = bound_once(callee.body)
        for name in sorted(bound_inside(part)):
            if name in new:
                continue
            is_temporary = name.startswith("t_") and name in once
            wish = f"{_stem(callee)}_{name[2:]}" if is_temporary else name
            new[name] = self.names.fresh(wish)
            if name not in once:
                self.many.add(new[name])


def _bound_last(callee: Program) -> str | None:
    """The name that the statement before the return binds, and that the return hands out."""
    if len(callee.body) < 2 or not isinstance(callee.body[-1], Exit):
        return None
    value, before = callee.body[-1].value, callee.body[-2]
    own = bound_once(callee.body) - {param.name for param in callee.params}
    is_result = isinstance(value, str) and binds(before) == (value,) and value in own
    return value if is_result else None  # type: ignore[return-value]


def _stem(callee: Program) -> str:
    return callee.name if callee.name.isidentifier() else "lambda_"


def _fits(node: Call, callee: Program) -> bool:
    """One plain operand for each parameter."""
    if node.keywords or any(isinstance(arg, Star) for arg in node.args):
        return False
    kinds = {param.kind for param in callee.params}
    return len(node.args) == len(callee.params) and kinds <= {"positional_only", "positional"}


def _is_straight(body: Block) -> bool:
    """A few statements one after the other, of which the last, and it alone, returns."""
    if len(body) > LONGEST:
        return False
    exits = [node for node in body if isinstance(node, Exit)]
    plain = all(
        isinstance(node, Bind | Call | Exit) and not _belongs_to_frame(node) for node in body
    )
    return plain and len(exits) == 1 and isinstance(body[-1], Exit)


def _belongs_to_frame(node: Node) -> bool:
    """Makes functions or cells, which belong to the callee's own code."""
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in FRAME


def _moved(node: Node, new: Mapping[str, str], line_of: Callable[[int], int]) -> Node:
    """A statement of the callee under the names it has in the caller."""

    def name(operand: Operand) -> Operand:
        return new.get(operand, operand) if isinstance(operand, str) else operand

    node = replace(with_operands(node, name), line=line_of(node.line))
    if isinstance(node, Bind | Call | Loop) and isinstance(node.target, str):
        node = replace(node, target=new[node.target])
    return with_blocks(node, lambda block: [_moved(part, new, line_of) for part in block])


def _hands_on(node: Node) -> bool:
    """Does it bind what may be a part of what it reads?"""
    reading = ("getitem", "getattr", "method", "unpack", "tuple", "list", "dict")
    if isinstance(node, Call):
        return not isinstance(node.fn, Prim) or node.fn.name in reading
    return isinstance(node, Bind | Loop)
