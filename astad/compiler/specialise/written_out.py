"""What a callee's text becomes where it stands in the place of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

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
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import binds, bound_inside, renamed, substituted_at, with_blocks
from astad.compiler.specialise.arguments import Given
from astad.compiler.specialise.contained import FRAME
from astad.compiler.specialise.inner_functions import moved_key

__all__ = [
    "Callee", "belongs_to_frame", "bound_last", "hands_on", "is_straight", "written_out",
]  # fmt: skip

LONGEST = 40
"""Statements of a callee that is written out; measured: tests/benchmarks."""


BOUND = Prim("import"), Prim("forget"), Prim("namespace")
"""Operations that can stand in no other function's text."""


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is written out, what its parameters take, and the cells that it captures."""

    path: str
    program: Program
    given: Given
    cells: Sequence[Operand] = ()


def written_out(call: Call, callee: Callee, names: Names) -> tuple[list[Node], set[str]]:
    """Parameters bound to the arguments, locals renamed, the result bound to the target; and the
    new names that are bound more than once.
    """
    program, path = callee.program, callee.path
    out: list[Node] = []
    new, many = _names_of_parameters(call, callee, names, out)
    result = bound_last(program)
    if result is not None and isinstance(call.target, str):
        new[result] = call.target
    once = outline(program).single

    def line_of(line: int) -> int:
        return inlined(call.line, path, (line or program.line) - program.line)

    for part in program.body:
        if not isinstance(part, Exit):
            many |= _name_locals(part, program, once, names, new)
            out.append(rehomed(moved(part, new, line_of), path))
        elif isinstance(call.target, str) and (result is None or part.value != result):
            value = part.value if part.value is not None else Const(None)
            out.append(renamed(Bind(call.target, value, line_of(part.line)), new))
    return out, many


def _names_of_parameters(
    call: Call, callee: Callee, names: Names, out: list[Node]
) -> tuple[dict[str, str], set[str]]:
    """A parameter that stays as it is goes by the name of its argument."""
    program = callee.program
    cells = zip(program.free, callee.cells, strict=bool(callee.cells))
    new = {cell: str(held) for (_, cell), held in cells}
    many: set[str] = set()
    changed = bound_inside(*program.body)
    for param in program.params:
        arg = callee.given[param.name]
        if isinstance(arg, str) and param.name not in changed:
            new[param.name] = arg
            continue
        name = new[param.name] = names.fresh(f"{stem(program)}_{param.name}")
        if isinstance(arg, tuple):
            out.append(Call(name, Prim("tuple"), arg, (), call.line))
        else:
            out.append(Bind(name, arg, call.line))
        if param.name in changed:
            many.add(name)
    return new, many


def _name_locals(
    part: Node, program: Program, once: Set[str], names: Names, new: dict[str, str]
) -> set[str]:
    """Names for what this statement binds first; those that others bind too."""
    many = set()
    for name in sorted(bound_inside(part)):
        if name in new:
            continue
        is_temporary = name.startswith("t_") and name in once
        new[name] = names.fresh(f"{stem(program)}_{name[2:]}" if is_temporary else name)
        if name not in once:
            many.add(new[name])
    return many


def bound_last(callee: Program) -> str | None:
    """The name that the statement before the return binds, and that the return hands out."""
    if len(callee.body) < 2 or not isinstance(callee.body[-1], Exit):
        return None
    value, before = callee.body[-1].value, callee.body[-2]
    own = outline(callee).single - {param.name for param in callee.params}
    is_result = isinstance(value, str) and binds(before) == (value,) and value in own
    return value if is_result else None  # type: ignore[return-value]


def stem(callee: Program) -> str:
    return callee.name if callee.name.isidentifier() else "lambda_"


def is_straight(body: Block) -> bool:
    """A few statements one after the other, of which the last, and it alone, returns."""
    if len(body) > LONGEST:
        return False
    exits = [node for node in body if isinstance(node, Exit)]
    plain = all(
        isinstance(node, Bind | Call | Exit) and not is_bound_to_frame(node) for node in body
    )
    return plain and len(exits) == 1 and isinstance(body[-1], Exit)


def belongs_to_frame(node: Node) -> bool:
    """Makes functions or cells, which belong to the callee's own code."""
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in FRAME


def is_bound_to_frame(node: Node) -> bool:
    """Can it stand in no other function's text at all?"""
    return isinstance(node, Call) and node.fn in BOUND


def rehomed(node: Node, path: str) -> Node:
    """What makes an inner function says whose it is."""
    if isinstance(node, Call) and node.fn == Prim("function"):
        key = node.args[0]
        assert isinstance(key, Const)
        return replace(node, args=(moved_key(key, path), *node.args[1:]))
    return with_blocks(node, lambda block: [rehomed(part, path) for part in block])


def moved(node: Node, new: Mapping[str, str], line_of: Callable[[int], int]) -> Node:
    """A statement of the callee under the names it has in the caller."""
    node = substituted_at(node, new, line_of(node.line))
    if isinstance(node, Bind | Call | Loop) and isinstance(node.target, str):
        node = replace(node, target=new[node.target])
    return with_blocks(node, lambda block: [moved(part, new, line_of) for part in block])


def hands_on(node: Node) -> bool:
    """Does it bind what may be a part of what it reads?"""
    reading = ("getitem", "getattr", "method", "unpack", "tuple", "list", "dict")
    if isinstance(node, Call):
        return not isinstance(node.fn, Prim) or node.fn.name in reading
    return isinstance(node, Bind | Loop)
