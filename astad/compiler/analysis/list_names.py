"""Names of lists of numbers: which of them are bound, written and handed on so that one cotangent
under one name is enough.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from astad.compiler.analysis.callees import Known
from astad.compiler.analysis.lists import is_append
from astad.compiler.analysis.structure import Structure, study
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import NOTHING, Kind, Listing
from astad.compiler.ir.nodes import Bind, Call, Loop, Node, Prim, Program, walk

__all__ = ["find_refused_lists"]


def find_refused_lists(
    program: Program,
    kinds: Mapping[str, Kind],
    callees: Collection[Known] = (),
    data: Collection[str] = (),
) -> set[str]:
    """Names of lists that are read where they may not be bound, or that are written while another
    name, or a loop, reads the same list; and of those that stay empty but are asked for more.
    """
    names = {name for name, kind in kinds.items() if k.is_listing(kind)}
    if not names:
        return set()
    return _Study(program, names, data).refused() | _asked_though_empty(program, kinds, callees)


def _asked_though_empty(
    program: Program, kinds: Mapping[str, Kind], callees: Collection[Known]
) -> set[str]:
    """Lists into which nothing is ever put, and of which a call makes something that is not known
    either. While more may be known of a callee, none.
    """
    empty = {
        name for name, kind in kinds.items() if isinstance(kind, Listing) and kind.item == NOTHING
    }
    if not empty or any(callee.kind == NOTHING for callee in callees):
        return set()
    found: set[str] = set()
    for node in walk(program.body):
        if isinstance(node, Call) and kinds.get(str(node.target)) == NOTHING:
            found |= empty.intersection(node.read)
    return found


class _Study:
    def __init__(self, program: Program, names: set[str], data: Collection[str]) -> None:
        self.given = {*data, *(param.name for param in program.params)}
        self.names = names
        self.structure: Structure = study(program)
        self.written: dict[str, list[int]] = {}
        self.own: dict[str, list[int]] = {}
        self.readers: dict[str, list[int]] = {}
        for at, node in enumerate(self.structure.nodes):
            for name in names.intersection(node.read):
                self.readers.setdefault(name, []).append(at)
                if _writes(node, name):
                    self.written.setdefault(name, []).append(at)

    def refused(self) -> set[str]:
        found = {name for name in self.names if not self._is_bound_well(name)}
        params = self.given
        groups = self._groups()
        self._leave_out_private(params)
        for at, node in enumerate(self.structure.nodes):
            if isinstance(node, Bind) and node.source in self.names:
                group = groups[node.target]
                moves = node.source not in params and self._moves_on(str(node.source), at)
                if not moves and not self._is_settled(group, at):
                    found |= group
            elif isinstance(node, Loop) and node.iterable in self.names:
                group = groups[str(node.iterable)]
                places = self._writes_of(group) + self.own.get(str(node.iterable), [])
                places += [b.position for b in self.structure.bindings[str(node.iterable)]]
                if any(at in self.structure.loops[place] for place in places if place >= 0):
                    found |= group
        return found

    def _leave_out_private(self, params: set[str]) -> None:
        """What is written into a list before it has a second name, nobody else sees."""
        handed_on: set[str] = set(params)
        for at, node in enumerate(self.structure.nodes):
            if isinstance(node, Bind) and node.source in self.names:
                handed_on.add(node.target)
                if not self._moves_on(str(node.source), at):
                    handed_on.add(str(node.source))
        self.own = {name: at for name, at in self.written.items() if name not in handed_on}
        self.written = {name: at for name, at in self.written.items() if name in handed_on}

    def _is_bound_well(self, name: str) -> bool:
        """Is it bound for certain wherever it is read?"""
        structure = self.structure
        return all(
            structure.is_bound(name, at - 1, structure.path[at])
            for at in self.readers.get(name, ())
        )

    def _groups(self) -> dict[str, set[str]]:
        """Names that may stand for one list, together."""
        found = {name: {name} for name in self.names}
        for node in self.structure.nodes:
            if isinstance(node, Bind) and node.source in self.names and node.target in found:
                joined = found[node.target] | found[str(node.source)]
                found.update((name, joined) for name in joined)
        return found

    def _writes_of(self, group: Collection[str]) -> list[int]:
        return [at for name in group for at in self.written.get(name, ())]

    def _moves_on(self, source: str, at: int) -> bool:
        """Does nobody read the list under its old name any more?"""
        structure = self.structure
        loops = structure.loops[at]
        same = all(b.loops == loops for b in structure.bindings[source])
        return same and all(reader <= at for reader in self.readers[source])

    def _is_settled(self, group: Collection[str], at: int) -> bool:
        """Is nothing written from here on?"""
        around = set(self.structure.loops[at])
        return all(
            place < at and around.isdisjoint(self.structure.loops[place])
            for place in self._writes_of(group)
        )


def _writes(node: Node, name: str) -> bool:
    if not isinstance(node, Call) or not node.args or node.args[0] != name:
        return False
    return is_append(node) or node.fn == Prim("setitem")
