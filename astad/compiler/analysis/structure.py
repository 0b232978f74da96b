"""Where things stand in a program: positions, enclosing loops, bindings of names, exits and their
numbers.

Every fact is about the text, none about values. A position is the index of a node in text order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from astad.compiler.ir.nodes import (
    Block,
    Branch,
    Call,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
    While,
)

__all__ = [
    "Binding",
    "Structure",
    "blocks",
    "bound_names",
    "bound_once",
    "operands",
    "read_otherwise_than_as_index",
    "returned_names",
    "study",
]

SUBSCRIPTS = (Prim("getitem"), Prim("setitem"), Prim("delitem"), Prim("accumulate"))


@dataclass(frozen=True, slots=True)
class Binding:
    """One place where a name is bound: its position, the loops round it, outermost first, and its
    block's path.
    """

    position: int
    loops: tuple[int, ...]
    path: tuple[int, ...]


@dataclass(slots=True)
class Structure:
    """Facts of one program, by position or by name. A block's path names the blocks round it;
    ``number`` maps ``(scope, exit position)`` to the exit's number, where scope is the position
    of a loop, or -1 for the function.
    """

    position: dict[int, int] = field(default_factory=dict)
    loops: dict[int, tuple[int, ...]] = field(default_factory=dict)
    path: dict[int, tuple[int, ...]] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    bindings: dict[str, list[Binding]] = field(default_factory=lambda: defaultdict(list))
    number: dict[tuple[int, int], int] = field(default_factory=dict)
    exits: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    last: dict[int, int] = field(default_factory=dict)

    def at(self, node: Node) -> int:
        return self.position[id(node)]

    def exit_range(self, node: Node, scope: int) -> tuple[int, int] | None:
        """Lowest and highest number, in this scope, of the exits inside a node; None without "
        "any."""
        start = self.at(node)
        inside = [
            n for (s, p), n in self.number.items() if s == scope and start <= p <= self.last[start]
        ]
        return (min(inside), max(inside)) if inside else None

    def body_path(self, loop: int) -> tuple[int, ...]:
        """Path of the body of the loop at this position."""
        return (*self.path[loop], 4 * loop + 2)

    def is_bound(self, name: str, position: int, path: tuple[int, ...]) -> bool:
        """Is the name bound for certain when a point of this path, after this position, is
        reached?
        """
        return any(
            binding.position <= position and binding.path == path[: len(binding.path)]
            for binding in self.bindings[name]
        )


def blocks(node: Node) -> tuple[Block, ...]:
    """The blocks inside a node, in text order."""
    if isinstance(node, Branch):
        return (node.body, node.orelse)
    if isinstance(node, Loop):
        return (node.body, node.orelse)
    if isinstance(node, While):
        return (node.head, node.body, node.orelse)
    return ()


def bound_names(node: Node) -> tuple[str, ...]:
    """Names that the node itself binds (not the statements inside it)."""
    target = getattr(node, "target", None)
    if isinstance(node, Call) and node.fn == Prim("forget"):
        return tuple(arg for arg in node.args if isinstance(arg, str))
    if target is None:
        return ()
    return (target,) if isinstance(target, str) else tuple(target)


def operands(node: Node) -> Iterator[Operand]:
    """Operands that the node itself reads, in order, the function of a call first."""
    if isinstance(node, Call):
        if not isinstance(node.fn, Prim):
            yield node.fn
        for arg in node.args:
            yield arg.operand if isinstance(arg, Star) else arg
        yield from (value for _, value in node.keywords)
        return
    for name in ("source", "test", "iterable", "value", "exc", "cause"):
        value = getattr(node, name, None)
        if value is not None:
            yield value


def bound_once(body: Block) -> set[str]:
    """Names that one statement alone binds."""
    count: Counter[str] = Counter()
    pending: list[Block] = [body]
    while pending:
        for node in pending.pop():
            count.update(bound_names(node))
            pending.extend(blocks(node))
    return {name for name, times in count.items() if times == 1}


def steady_names(program: Program, params: Iterable[str]) -> set[str]:
    """Names that stand for one value each time they are read: bound by one statement, before any
    that reads them.
    """
    once = bound_once(program.body) - set(params)
    seen: set[str] = set()
    early: set[str] = set()
    _find_early(program.body, seen, early)
    rebound = {name for param in params for name in (param,) if param in seen}
    return (once - early) | (set(params) - rebound)


def _find_early(body: Block, seen: set[str], early: set[str]) -> None:
    for node in body:
        early.update(name for name in operands(node) if isinstance(name, str) and name not in seen)
        seen.update(bound_names(node))
        for part in blocks(node):
            _find_early(part, seen, early)


def read_otherwise_than_as_index(body: Block) -> set[str]:
    """Names that are read anywhere but between the brackets of a subscript."""
    found: set[str] = set()
    pending: list[Block] = [body]
    while pending:
        for node in pending.pop():
            subscript = isinstance(node, Call) and node.fn in SUBSCRIPTS
            read = [operand for operand in operands(node) if isinstance(operand, str)]
            if subscript and isinstance(node, Call) and node.args[1] in read:
                read.remove(node.args[1])
            found.update(read)
            pending.extend(blocks(node))
    return found


def returned_names(body: Block) -> set[str]:
    """Names of which a return hands the value out."""
    found: set[str] = set()
    pending: list[Block] = [body]
    while pending:
        for node in pending.pop():
            if isinstance(node, Exit) and isinstance(node.value, str):
                found.add(node.value)
            pending.extend(blocks(node))
    return found


def study(program: Program) -> Structure:
    """All positions, bindings and exits of a program; parameters are bound at position -1."""
    facts = Structure()
    for param in program.params:
        facts.bindings[param.name].append(Binding(-1, (), ()))
    for _, cell in program.free:
        facts.bindings[cell].append(Binding(-1, (), ()))
    _study(program.body, (), (), (), facts)
    return facts


def _study(
    block: Block,
    loops: tuple[int, ...],
    own: tuple[int, ...],
    path: tuple[int, ...],
    facts: Structure,
) -> None:
    """``loops`` are those round the block; ``own`` those whose break and continue the block may
    contain.
    """
    for node in block:
        here = len(facts.nodes)
        facts.position[id(node)] = here
        facts.nodes.append(node)
        facts.loops[here], facts.path[here] = loops, path
        is_loop = isinstance(node, Loop | While)
        inner = (*loops, here) if is_loop else loops
        for name in bound_names(node):
            facts.bindings[name].append(
                Binding(here, inner, facts.body_path(here) if is_loop else path)
            )
        if isinstance(node, Exit):
            _count_exit(node, here, loops, own, facts)
        for number, part in enumerate(blocks(node)):
            if (
                is_loop and part is not node.orelse  # type: ignore[union-attr]
            ):  # the head of a while shares the path of its body
                _study(part, inner, inner, facts.body_path(here), facts)
            else:
                _study(part, loops, own, (*path, 4 * here + number), facts)
        facts.last[here] = len(facts.nodes) - 1


def _count_exit(
    node: Exit, here: int, loops: tuple[int, ...], own: tuple[int, ...], facts: Structure
) -> None:
    scopes = (-1, *loops) if node.how == "return" else own[-1:]
    for scope in scopes:
        facts.exits[scope] += 1
        facts.number[scope, here] = facts.exits[scope]
