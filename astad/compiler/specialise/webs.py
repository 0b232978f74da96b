"""A name for each use of a name in loops and branches that hand nothing to each other.

``for row in A: ...`` and ``for row in B: ...`` bind one name to things of two kinds; what is known
of the one is then lost to the other. Only where a name is of unknown kind: else names stay.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     for a in xs:
...         s = s + a
...     for a in objects:
...         a.use(s)
... ''')
>>> print(show(renamed_apart(program, {"a"}, Names(("a", "s", "xs", "objects")))))
for a_1 in xs:
    s = s + a_1
for a_2 in objects:
    a_2.use(s)

Give each new value of a name a name, where the text is straight: then each has its own kind.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(rename_rebound(program_of('''
...     z = a @ b
...     z = z - 1.0
...     y = z * z
... '''), Names(("a", "b", "z", "y")))))
z = a @ b
z_1 = z - 1.0
y = z_1 * z_1
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Set

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.flow import Live
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Exit,
    Loop,
    Node,
    Prim,
    Program,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks, bound_inside, renamed, substituted, walk, with_blocks
from astad.slotted import dataclass, field, replace

__all__ = ["name_apart", "rename_rebound", "renamed_apart"]


def name_apart(program: Program, facts: Facts, names: Names) -> Program | None:
    """The program with other names; None where nothing is gained by that."""
    text = outline(program)
    if not facts.dispatches or not COMPOUND & text.sorts:
        return None
    params = {param.name for param in program.params}
    gone = {name for node in text.calls_of("forget") for name in node.read}
    found = {
        name
        for name, kind in facts.kind.items()
        if kind == UNKNOWN and name not in gone and text.bound.get(name, 0) + (name in params) > 1
    }
    if not found or not any(_may_be_known(node, found, facts) for node in text.nodes):
        return None
    changed = renamed_apart(program, found, names)
    return None if changed is program else changed


def _may_be_known(node: Node, found: Collection[str], facts: Facts) -> bool:
    """Does it bind one of these names to what may be known?"""
    bound = [name for name in node.bound if name in found]
    reads = [name for name in node.read if name not in found]
    return bool(bound) and not any(facts.kind_of(name) == UNKNOWN for name in reads)


def renamed_apart(program: Program, found: Collection[str], names: Names) -> Program:
    """Every loop and branch that some of these names are its own in has others for them."""
    flow = _Around(found)
    flow.block(program.body, set())
    times = Counter({**outline(program).bound})
    times.update([param.name for param in program.params])
    writer = _Writer(flow.around, names, times)
    body = writer.block(program.body, frozenset(found))
    return (
        replace(program, body=body, taken=program.taken | writer.made) if writer.made else program
    )


class _Around(Live):
    """``around`` has for each loop and branch the names that are live at its head or behind it, of
    those that are asked for.
    """

    def __init__(self, asked: Collection[str]) -> None:
        super().__init__()
        self.asked = frozenset(asked)
        self.around: dict[int, set[str]] = defaultdict(set)

    def read(self, node: Node, facts: set[str]) -> None:
        facts.update(self.asked.intersection(node.read))

    def before(self, node: Node, before: set[str], after: set[str]) -> set[str]:
        around = self.around[id(node)]
        around |= before | after
        if any(type(part) is Exit for part in node.inside):
            around.update(self.ends["break"] or (), self.ends["continue"] or ())
        return before


@dataclass(slots=True)
class _Writer:
    around: Mapping[int, Set[str]]
    names: Names
    times: Mapping[str, int]
    made: set[str] = field(default_factory=set)

    def block(self, block: Block, asked: frozenset[str]) -> Block:
        return tuple([self.node(n, asked) if type(n) in COMPOUND else n for n in block])

    def node(self, node: Node, asked: frozenset[str]) -> Node:
        """A loop or branch, with new names for those that are its own and others' too."""
        bound = Counter([name for part in walk((node,)) for name in part.bound if name in asked])
        own = {n for n in bound.keys() - self.around[id(node)] if bound[n] < self.times[n]}
        inner = asked - own
        node = with_blocks(node, lambda block: self.block(block, inner))
        new = {name: self.names.fresh(name) for name in sorted(own)}
        self.made.update(new.values())
        return _called(node, new) if new else node


def _called(node: Node, new: Mapping[str, str]) -> Node:
    node = substituted(node, new)
    if isinstance(node, (Bind, Call, Loop)) and node.target in new:
        node = replace(node, target=new[str(node.target)])
    return with_blocks(node, lambda block: [_called(part, new) for part in block])


# --- straight text


def rename_rebound(program: Program, names: Names) -> Program:
    """Rename what is bound again at the top of the body and in no block after that."""
    later = _bound_later(program)
    if later is None:
        return program
    current: dict[str, str] = {}
    seen = {param.name for param in program.params}
    out: list[Node] = []
    for node, bound_later in zip(program.body, later, strict=True):
        node = renamed(node, current) if current else node
        if isinstance(node, (Bind, Call)) and isinstance(node.target, str):
            target = node.target
            if target in seen and target not in bound_later and not _forgets(node):
                current[target] = names.fresh(target)
                node = replace(node, target=current[target])
            seen.add(target)
        else:
            seen |= bound_inside(node)
        out.append(node)
    return replace(program, body=tuple(out), taken=program.taken | set(current.values()))


def _bound_later(program: Program) -> list[frozenset[str]] | None:
    """For each statement the names that blocks after it bind, or that are forgotten; None where no
    name is bound twice.
    """
    text = outline(program)
    if text.once.issuperset(text.bound):
        return None
    times = Counter(param.name for param in program.params)
    found: list[frozenset[str]] = []
    bound: frozenset[str] = frozenset()
    for node in reversed(program.body):
        found.append(bound)
        inside = bound_inside(node)
        times.update(inside)
        if blocks(node) or _forgets(node):
            bound |= inside
    return found[::-1] if any(count > 1 for count in times.values()) else None


def _forgets(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == Prim("forget")
