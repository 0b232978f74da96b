"""Which arrays have one shape, followed through the text with symbols for lengths.

In ``t = 2.0 * x; y = t - x[1:]`` t has the shape of x, and x[1:] has another. What is found holds
where the statements run: names that a loop binds anew have lengths of their own in each iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from astad.compiler.analysis.extent_rules import Rules, Value, may_reshape
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.lengths import Dims, Lengths
from astad.compiler.analysis.number_lists import find_fixed_lists
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Loop, Program, While
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, falls_through

__all__ = ["Extents", "find_extents"]


@dataclass(slots=True)
class Extents:
    """``at`` has, by ``id`` of the statement, the lengths of its arrays: of operands before it, of
    the result after it; ``whole`` the parameters that keep their arrays, by lengths; ``final`` the
    lengths of names that one statement binds, and of parameters.
    """

    at: dict[int, Mapping[tuple[str, bool], Dims]] = field(default_factory=dict)
    whole: dict[Dims, str] = field(default_factory=dict)
    final: dict[str, Dims] = field(default_factory=dict)

    def of(self, node: object, name: str, *, after: bool = False) -> Dims | None:
        return self.at.get(id(node), {}).get((name, after))

    def are_one(self, node: object, names: Iterable[str]) -> bool:
        """Have these operands the same shape for certain?"""
        found = {self.of(node, name) for name in names}
        return len(found) == 1 and None not in found

    def repeated(self, node: Call, name: str) -> tuple[int, ...] | None:
        """Axes of the result along which this operand is repeated; None where nothing tells.

        An axis of the operand that has length 1 is repeated unless the result's has too: to sum
        along it does no harm.
        """
        whole = self.of(node, str(node.target), after=True)
        own = self.of(node, name)
        if whole is None or own is None:
            return None
        lacks = len(whole) - len(own)
        pairs = list(zip(own, whole[lacks:], strict=True))
        if any(a not in (b, 1) for a, b in pairs):
            return None
        return (*range(lacks), *(at for at, (a, b) in enumerate(pairs, lacks) if a != b))


def find_extents(program: Program, facts: Facts) -> Extents:
    """Of a program in which nobody gives an array another shape in place."""
    kinds = facts.kind.values()
    if facts.dispatches or not any(map(k.is_array, kinds)):
        return Extents()
    if any(may_reshape(node, facts) for node in outline(program).nodes):
        return Extents()
    walker = _Walker(facts, find_fixed_lists(program, facts.known))
    times = outline(program).bound
    params = {param.name for param in program.params}
    for param in program.params:
        kind = facts.kind_of(param.name)
        if k.has_axes(kind) and kind.rank:
            dims = walker.lengths.fresh(kind.rank)
            walker.env[param.name] = dims
            if param.name not in times:
                walker.found.whole[dims] = param.name
        elif kind == k.INT:
            walker.env[param.name] = walker.lengths.new()
    walker.block(program.body)
    for name in walker.env:
        found = walker.dims(name)
        if found is not None and times[name] == (name not in params):
            walker.found.final[name] = found
    return walker.found


class _Walker:
    """``env`` has what is known of the names where the walk stands, ``bound`` what each name that
    the loop at hand binds has been bound to.
    """

    def __init__(self, facts: Facts, fixed: Set[str]) -> None:
        self.facts = facts
        self.lengths = Lengths()
        self.rules = Rules(facts, self.lengths, fixed)
        self.env: dict[str, Value] = {}
        self.found = Extents()
        self.bound: list[dict[str, set[Value]]] = []

    def block(self, body: Block) -> None:
        for node in body:
            if isinstance(node, Call):
                self._call(node)
            elif isinstance(node, Bind):
                self._bind(node.target, self.rules.value(node.source, self.env))
            elif isinstance(node, Branch):
                self._branch(node)
            elif isinstance(node, Loop | While):
                self._loop(node)

    def _call(self, node: Call) -> None:
        value = self.rules.result(node, self.env)
        self._note(node, after=False)
        if isinstance(node.target, str):
            self._bind(node.target, value)
            self._note(node, after=True)

    def _note(self, node: Call, *, after: bool) -> None:
        """The statement has run: what it tells holds of its operands as well."""
        names = [node.target] if after else node.read
        at = dict(self.found.at.get(id(node), {})) if after else {}
        for name in names:
            dims = self.dims(str(name))
            if dims is not None:
                at[str(name), after] = dims
        if at:
            self.found.at[id(node)] = at

    def dims(self, name: str) -> Dims | None:
        value = self.env.get(name)
        if not k.has_axes(self.facts.kind_of(name)) or not isinstance(value, tuple):
            return None
        return self.lengths.find_all(value)

    def _bind(self, name: str, value: Value) -> None:
        kind = self.facts.kind_of(name)
        if k.has_axes(kind) and (not isinstance(value, tuple) or len(value) != kind.rank):
            value = self.lengths.fresh(kind.rank) if kind.rank else None
        self.env[name] = value
        for names in self.bound:
            if name in names:
                names[name].add(self._settled(value))

    def _settled(self, value: Value) -> Value:
        return self.lengths.find_all(value) if isinstance(value, tuple) else value

    def _branch(self, node: Branch) -> None:
        start, learned = self.env, self.lengths.learned()
        ends = []
        for arm in (node.body, node.orelse):
            self.env = dict(start)
            self.block(arm)
            if falls_through(arm):
                ends.append(self.env)
            self.lengths.forget(learned)
        self.env = ends[0] if ends else dict(start)
        for name in bound_inside(node):
            if len(ends) == 2 and ends[0].get(name) != ends[1].get(name):
                self._renew(name)

    def _renew(self, name: str) -> None:
        kind = self.facts.kind_of(name)
        is_known = k.has_axes(kind) and kind.rank
        self.env[name] = self.lengths.fresh(kind.rank or 0) if is_known else None

    def _loop(self, node: Loop | While) -> None:
        """A name keeps its lengths where every statement of the loop that binds it gives it
        the same again.
        """
        changed = bound_inside(node)
        start, learned = dict(self.env), self.lengths.learned()
        before = sorted(name for name in changed if self.env.get(name) is not None)
        loose: set[str] = set()
        while True:
            self.env = {name: value for name, value in start.items() if name not in changed}
            for name in before:
                self.env[name] = start[name]
                if name in loose:
                    self._renew(name)
            moved = self._moved(node, {name: self.env[name] for name in before}) - loose
            self.lengths.forget(learned)
            if not moved:
                break
            loose |= moved
        self.env = start
        for name in sorted(changed):
            if name in loose or name not in before:
                self._renew(name)
        self.block(node.orelse)
        for name in bound_inside(*node.orelse):
            self._renew(name)  # it does not run after a break
        self.lengths.forget(learned)

    def _moved(self, node: Loop | While, head: Mapping[str, Value]) -> set[str]:
        """Names that an iteration gives other lengths than they have at its head."""
        self.bound.append({name: set() for name in head})
        self._target(node)
        self.block((*node.head, *node.body) if isinstance(node, While) else node.body)
        found = self.bound.pop()
        return {
            name
            for name, value in head.items()
            if {self._settled(each) for each in found[name]} - {self._settled(value)}
        }

    def _target(self, node: Loop | While) -> None:
        """A row of an array, or something else."""
        if isinstance(node, Loop) and isinstance(node.target, str):
            rows = self.dims(str(node.iterable))
            self._bind(node.target, rows[1:] if rows else None)
