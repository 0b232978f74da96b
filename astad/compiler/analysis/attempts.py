"""Does the body of a ``try`` all happen, or nothing of it?

Numbers are computed and nobody is called; a list is written by the last statement that may raise,
if at all. What a statement has bound before another one raised is seen by the handler and by what
follows: so such names are read in the body alone, after they are bound there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.lists import is_append
from astad.compiler.ir import kinds as k
from astad.compiler.ir.attempts import ATTEMPT, attempts_in, has_attempts, tried
from astad.compiler.ir.flow import live_at_head, may_be_unbound
from astad.compiler.ir.kinds import BOOL, FLOAT, INERT, INT, UNKNOWN, Kind
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Node,
    Operand,
    Prim,
    Program,
    Raise,
    Star,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import COMPARE
from astad.compiler.ir.walk import walk

__all__ = ["Allowed", "find_allowed"]

Allowed = Mapping[str, Counter[object]]
"""By the name of the test of each attempt what its body calls, and how often; of a loop that was
written out round by round, several have one name."""
LOOKUPS = (Prim("global"), Prim("getattr"))
SETITEM = Prim("setitem")
SAFE = frozenset(map(Prim, ("add", "sub", "mul", "iadd", "isub", "imul", "neg")))
COMPARES = frozenset(map(Prim, COMPARE))


def find_allowed(program: Program, facts: Facts) -> Allowed | None:
    """None where one of the attempts is not a branch of which one arm runs."""
    if not has_attempts(program):
        return {}
    pairs = [(str(made.target), tried(branch)[0]) for made, branch in attempts_in(program.body)]
    if len(pairs) != len(outline(program).calls_of("attempt")):
        return None  # no program is known: a pass that parts an attempt from its branch
    study = _Study(program, facts, [body for _, body in pairs])
    if not all(study.is_whole(body) for _, body in pairs):
        return None
    unbound = may_be_unbound(program)  # perhaps that is what is tried
    if not all(unbound.isdisjoint(node.read) for _, body in pairs for node in walk(body)):
        return None
    found: dict[str, Counter[object]] = {}
    for name, body in pairs:
        found[name] = found.get(name, Counter()) | _calls(body)
    return found


def _calls(body: Block) -> Counter[object]:
    return Counter([node.fn for node in walk(body) if type(node) is Call])


class _Study:
    """``own`` counts how often the bodies read what they have bound themselves."""

    def __init__(self, program: Program, facts: Facts, bodies: Sequence[Block]) -> None:
        self.facts = facts
        self.read = outline(program).read
        raised = [node.exc for node in outline(program).nodes if type(node) is Raise]
        self.raised = {name for name in raised if self.read.get(str(name)) == 1}
        self.own: Counter[str] = Counter()
        for body in bodies:
            first = live_at_head(body)  # what the body may read before it binds it
            names = [name for node in walk(body) for name in node.read if name not in first]
            self.own.update(names)

    def is_whole(self, body: Block) -> bool:
        """Does it do nothing that is seen, if it does not come to its end?"""
        nodes = list(walk(body))
        last = max((at for at, node in enumerate(nodes) if self._may_raise(node)), default=-1)
        if not all(map(self._is_quiet, nodes[:last])):
            return False
        if not all(self._is_quiet(node) or self._is_write(node) for node in nodes[last:]):
            return False
        early = {name for node in nodes[:last] for name in node.bound}
        return all(self.own[name] == self.read.get(name, 0) for name in early)

    def _is_quiet(self, node: Node) -> bool:
        """Does it do nothing but bind names to numbers, or leave?"""
        if type(node) is not Call:
            return type(node) in (Bind, Branch, Exit, Raise)
        treatment = self.facts.treatment[id(node)]
        if node.fn is ATTEMPT or treatment not in ("plain", "inline"):
            return False
        if not isinstance(node.target, str) or id(node) in self.facts.unpackings:
            return False
        kind = self.facts.kind_of(node.target)
        if kind == UNKNOWN:
            return treatment == "plain" and (node.fn in LOOKUPS or node.target in self.raised)
        return kind in (INERT, BOOL) or k.is_real(kind)

    def _is_write(self, node: Node) -> bool:
        """Is a number put into a list?"""
        if type(node) is not Call or self.facts.treatment[id(node)] not in ("plain", "inline"):
            return False
        if not is_append(node) and node.fn is not SETITEM:
            return False
        place, value = self.facts.kind_of(node.args[0]), self.facts.kind_of(node.args[-1])
        return k.is_listing(place) and (value == INERT or k.is_real(value))

    def _may_raise(self, node: Node) -> bool:
        if type(node) is not Call:
            return type(node) is Raise
        kinds = {self._kind(arg) for arg in node.args if not _is_small(arg)}
        if node.fn in COMPARES:
            return not kinds <= {FLOAT, INT, BOOL}
        return node.fn not in SAFE or not (kinds <= {FLOAT} or kinds <= {INT})

    def _kind(self, operand: Operand | Star) -> Kind:
        return UNKNOWN if isinstance(operand, Star) else self.facts.kind_of(operand)


def _is_small(operand: Operand | Star) -> bool:
    """An int that a float holds."""
    value = operand.value if isinstance(operand, Const) else None
    return type(value) is int and abs(value) < 2**53
