"""Where things stand in a program: positions, loops around them, bindings of names, exits.

Every fact is about the text, none about values. A position is the index of a node in text order.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from astad.compiler.ir.nodes import (
    COMPOUND,
    Block,
    Call,
    Exit,
    Loop,
    Node,
    Prim,
    Program,
    While,
    blocks,
    immutable,
    walk,
)
from astad.compiler.ir.outline import outline
from astad.slotted import dataclass, field

__all__ = [
    "Binding",
    "Structure",
    "bound_once",
    "find_displays",
    "read_otherwise_than_as_index",
    "returned_names",
    "study",
]

SUBSCRIPTS = ("getitem", "setitem", "delitem", "accumulate", "scatter")


@immutable
class Binding:
    """One place where a name is bound.

    Its position, the loops round it, outermost first, and the path of its block. ``write``: the
    name stays with its array, and the array is written.
    """

    position: int
    loops: tuple[int, ...]
    path: tuple[int, ...]
    write: bool = False


@dataclass(slots=True)
class Structure:
    """Facts of one program, by position or by name.

    ``position`` is by ``id`` of the node. A block's ``path`` names the blocks round it. ``number``
    maps ``(scope, position of an exit)`` to the exit's number in that scope, the position of a
    loop, or -1 for the function; ``exits`` counts those of a scope. ``last`` is the position of the
    last node inside a node.
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
        """Lowest and highest number, in this scope, of the exits inside a node; None if none."""
        start = self.at(node)
        inside = [
            n for (s, p), n in self.number.items() if s == scope and start <= p <= self.last[start]
        ]
        return (min(inside), max(inside)) if inside else None

    def body_path(self, loop: int) -> tuple[int, ...]:
        """Path of the body of the loop at this position."""
        return (*self.path[loop], 4 * loop + 2)

    def is_bound(self, name: str, position: int, path: tuple[int, ...]) -> bool:
        """Is the name bound for certain at a point of this path after this position?"""
        return any(
            binding.position <= position and binding.path == path[: len(binding.path)]
            for binding in self.bindings[name]
            if not binding.write
        )

    def standing(self, name: str, position: int, *, after: bool) -> bool | None:
        """Is the name bound just before this statement, or just after it? None: perhaps."""
        last = position if after else position - 1
        if self.is_bound(name, last, self.path[position]):
            return True
        loops = set(self.loops[position])
        for binding in self.bindings[name]:
            if binding.position <= last or not loops.isdisjoint(binding.loops):
                return None
        return False  # no program is known: it would read a name bound further down alone


def bound_once(body: Block) -> set[str]:
    """Names that one statement alone binds; of a program its outline tells."""
    count = Counter([name for node in walk(body) for name in node.bound])
    return {name for name, times in count.items() if times == 1}


def find_displays(program: Program) -> dict[str, Call]:
    """Names that one tuple display alone binds, or one list display that one statement reads."""
    found = outline(program)
    return {
        node.target: node
        for node in found.calls_of("tuple", "list")
        if isinstance(node.target, str)
        and node.target in found.once
        and (node.fn == Prim("tuple") or found.read[node.target] == 1)
    }


def find_pieces(program: Program) -> dict[str, Call]:
    """Names that one tuple display or one slice alone binds."""
    found = outline(program)
    made = {str(node.target): node for node in found.calls_of("tuple", "slice")}
    return {name: node for name, node in made.items() if name in found.once}


def read_otherwise_than_as_index(program: Program) -> set[str]:
    """Names that are read anywhere but between the brackets of a subscript."""
    found = outline(program)
    subscripts = found.calls_of(*SUBSCRIPTS)
    as_index = Counter([node.args[1] for node in subscripts if isinstance(node.args[1], str)])
    return {name for name, times in found.read.items() if times > as_index[name]}


def returned_names(body: Block) -> set[str]:
    """Names of which a return hands the value out."""
    return {
        node.value for node in walk(body) if isinstance(node, Exit) and isinstance(node.value, str)
    }


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
    """``loops`` are those round the block; ``own`` those which its break and continue mean."""
    for node in block:
        here = len(facts.nodes)
        facts.position[id(node)] = here
        facts.nodes.append(node)
        facts.loops[here], facts.path[here] = loops, path
        facts.last[here] = here
        is_loop = type(node) is Loop or type(node) is While
        inner = (*loops, here) if is_loop else loops
        for name in node.bound:
            facts.bindings[name].append(
                Binding(here, inner, facts.body_path(here) if is_loop else path)
            )
        if type(node) is Exit:
            _count_exit(node, here, loops, own, facts)
        if type(node) not in COMPOUND:
            continue
        for number, part in enumerate(blocks(node)):
            if isinstance(node, (Loop, While)) and part is not node.orelse:
                # the head of a while shares the path of its body
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
