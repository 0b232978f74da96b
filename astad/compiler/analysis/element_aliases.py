"""Lists of lists: rows that are read under a name of their own, and those that may be written.

``row = A[i]; y = row[j]``, and ``for row in A``, give a second name to a part of A. The cotangent
of ``row`` is then that very part of the cotangent of A, found where the reverse sweep first meets
the row: so a write through one name is seen under all others. This asks that A stays the list that
it is, with the rows that it has, until the row has been read for the last time. Else these lists
are values of unknown kind.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from astad.compiler.analysis.iterator_recognition import Unpacking, Walk
from astad.compiler.analysis.lists import is_append
from astad.compiler.analysis.structure import Structure, study
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import INT, UNKNOWN, Kind
from astad.compiler.ir.nodes import Bind, Call, Const, Loop, Node, Operand, Prim, Program, immutable
from astad.compiler.ir.outline import outline
from astad.slotted import dataclass, field, replace

__all__ = ["View", "find_rows", "find_tuple_rows", "over_rows"]

GETITEM, SETITEM, UNPACK, DISPLAY = Prim("getitem"), Prim("setitem"), Prim("unpack"), Prim("list")


@immutable
class View:
    """A name for the row of ``source`` at ``index``, bound by ``node``, from one position of the
    text to another; where the node is a loop, for each row in turn, from the end where
    ``backwards``.
    """

    source: str
    index: Operand | None
    node: Node
    backwards: bool = False
    start: int = -1
    end: int = -1


class Knows(Protocol):
    """What is known so far: `analysis/facts.py`."""

    kind: dict[str, Kind]
    data: dict[str, tuple[str, Kind]]
    walks: dict[int, Walk]
    unpackings: dict[int, Unpacking]


def find_rows(program: Program, facts: Knows) -> tuple[dict[str, tuple[View, ...]], set[str]]:
    """The names that stand for rows, and those of lists with rows that do not keep to the rules."""
    names = {name for name, kind in facts.kind.items() if k.has_rows(kind)}
    if not names:
        return {}, set()
    found = _Study(study(program), facts.kind, names, facts.walks, facts.unpackings)
    return found.result({*facts.data, *(param.name for param in program.params)})


def over_rows(program: Program, facts: Knows) -> dict[str, str]:
    """For what may be the name of a row the list that it would be a row of."""
    read = outline(program).calls_of("getitem")
    found = {str(node.target): str(node.args[0]) for node in read}
    for walk in facts.walks.values():
        found.update((leaf.name, str(leaf.source)) for leaf in walk.leaves)
    return found


def find_tuple_rows(program: Program) -> set[str]:
    """Tuples of which nothing is done but to put them into a list."""
    text = outline(program)
    if not text.calls_of("tuple"):
        return set()
    into = [node for node in text.calls if is_append(node) or node.fn is DISPLAY]
    put = {arg for node in into for arg in node.args if isinstance(arg, str)}
    return {
        str(node.target)
        for node in text.calls_of("tuple")
        if node.target in put and node.target in text.once and text.read[str(node.target)] == 1
    }


@dataclass(slots=True)
class _Study:
    """``handed`` has the places where a list becomes a row, ``moved`` those where it gets another
    name, ``shared`` lists whose rows are those of another list too, ``alike`` pairs of names with
    rows in common.
    """

    structure: Structure
    kinds: Mapping[str, Kind]
    names: set[str]
    walks: Mapping[int, Walk]
    unpackings: Mapping[int, Unpacking]
    views: dict[str, list[View]] = field(default_factory=dict)
    readers: dict[str, list[int]] = field(default_factory=dict)
    written: dict[str, list[int]] = field(default_factory=dict)
    handed: list[tuple[str, int]] = field(default_factory=list)
    moved: list[tuple[str, int]] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    alike: list[tuple[str, str]] = field(default_factory=list)

    def result(self, params: Collection[str]) -> tuple[dict[str, tuple[View, ...]], set[str]]:
        """``params`` are the lists that come from outside."""
        for at, node in enumerate(self.structure.nodes):
            self._note(node, at)
        bad = {name for name in self.views if name in params or not self._found(name)}
        self._reach_over()
        bad |= {name for name in self.views if self._changes(name)}
        groups = self._groups()
        for group in {id(group): group for group in groups.values()}.values():
            writes = self._is_written(group)
            if not bad.isdisjoint(group) or (writes and not self._may_be_written(group, params)):
                bad |= group
        return {name: tuple(each) for name, each in self.views.items() if name not in bad}, bad

    # -- what there is

    def _kind(self, name: object) -> Kind:
        return self.kinds.get(name, UNKNOWN) if isinstance(name, str) else UNKNOWN

    def _note(self, node: Node, at: int) -> None:
        for name in node.read:
            if k.is_listing(self._kind(name)):
                self.readers.setdefault(name, []).append(at)
        if isinstance(node, Loop):
            for leaf in self.walks[id(node)].leaves:
                self._view(leaf.name, leaf.source, None, node, leaf.backwards)
        elif isinstance(node, Bind) and k.is_listing(self._kind(node.source)):
            self._join(node.target, str(node.source))
            self.shared.add(node.target)
            self.moved.append((str(node.source), at))
        elif isinstance(node, Call):
            self._note_call(node, at)

    def _note_call(self, node: Call, at: int) -> None:
        first = node.args[0] if node.args else None
        if id(node) in self.unpackings:
            whole = self.unpackings[id(node)]
            if node is not whole.whole and isinstance(node.args[1], Const):
                self._view(str(node.target), whole.whole.args[0], node.args[1], node)
        elif node.fn is GETITEM and first in self.names:
            if self._kind(node.args[1]) == INT or isinstance(node.args[1], Const):
                index = node.args[1]
                assert isinstance(index, (str, Const))
                self._view(str(node.target), first, index, node)
            else:  # a slice
                self._join(str(node.target), str(first))
                self.shared |= {str(node.target), str(first)}
        elif is_append(node) or node.fn is SETITEM:
            self.written.setdefault(str(first), []).append(at)
            self._hand(node.args[-1], str(first), at)
        elif node.fn is DISPLAY:
            for arg in node.args:
                self._hand(arg, str(node.target), at)

    def _view(
        self, name: str, source: object, index: Operand | None, node: Node, backwards: bool = False
    ) -> None:
        if source in self.names and k.is_listing(self._kind(name)):
            view = View(str(source), index, node, backwards)
            self.views.setdefault(name, []).append(view)
            self._join(name, str(source))

    def _hand(self, row: object, whole: str, at: int) -> None:
        if k.is_listing(self._kind(row)):
            self.handed.append((str(row), at))
            self._join(str(row), whole)

    def _join(self, name: str, other: str) -> None:
        self.alike.append((name, other))

    def _groups(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for pair in [*((name, name) for name in self.names), *self.alike]:
            joined = found.get(pair[0], {pair[0]}) | found.get(pair[1], {pair[1]})
            found.update((name, joined) for name in joined)
        return found

    # -- what stays

    def _found(self, name: str) -> bool:
        """Note from where to where each row has the name; is it certain which each read means?"""
        reads: dict[int, list[int]] = {}
        for at in self.readers.get(name, ()):
            reads.setdefault(self._bound_at(name, at), []).append(at)
        if -1 in reads:
            return False
        for number, view in enumerate(self.views[name]):
            start = self._position(name, view)
            loops = self.structure.loops[start]
            loops = (*loops, start) if isinstance(self.structure.nodes[start], Loop) else loops
            end = max((self._extent(at, loops) for at in reads.get(start, ())), default=start)
            if isinstance(view.node, Loop):
                start = self.structure.at(view.node)
                end = self.structure.last[start]
            self.views[name][number] = replace(view, start=start, end=end)
        return True

    def _position(self, name: str, view: View) -> int:
        """Of the statement that binds the name: of a loop, or of one that takes its items apart."""
        start = self.structure.at(view.node)
        last = self.structure.last[start]
        return next(
            binding.position
            for binding in self.structure.bindings[name]
            if start <= binding.position <= last
        )

    def _bound_at(self, name: str, at: int) -> int:
        """The position of the only statement that may have bound what is read there; -1 if there
        may be others.
        """
        path, structure = self.structure.path[at], self.structure
        certain = [
            binding
            for binding in structure.bindings[name]
            if binding.position < at and binding.path == path[: len(binding.path)]
        ]
        if not certain:
            return -1
        last = max(certain, key=lambda binding: binding.position)
        end = self._extent(at, last.loops)
        others = [binding.position for binding in structure.bindings[name]]
        return -1 if any(last.position < other <= end for other in others) else last.position

    def _reach_over(self) -> None:
        """A row that has rows itself lasts as long as they do."""
        before = None
        while before != self.views:
            before = {name: list(views) for name, views in self.views.items()}
            for view in [each for views in before.values() for each in views]:
                self.views.get(view.source, [])[:] = [
                    replace(over, end=max(over.end, view.end))
                    if over.start < view.start <= over.end
                    else over
                    for over in self.views.get(view.source, ())
                ]

    def _changes(self, name: str) -> bool:
        """Is a list another one, or does it have other rows, before its row is read last?"""
        for view in self.views[name]:
            places = [binding.position for binding in self.structure.bindings[view.source]]
            places += self.written.get(view.source, [])
            places += [binding.position for binding in self.structure.bindings[name]]
            own = self._position(name, view)
            if any(view.start < at <= view.end and at != own for at in places):
                return True
        return False

    def _extent(self, at: int, loops: tuple[int, ...]) -> int:
        """The end of the statement, or of the loop inside the row's own round that it is in."""
        inner = self.structure.loops[at][len(loops) :]
        return self.structure.last[inner[0] if inner else at]

    def _is_written(self, group: Collection[str]) -> bool:
        """Is a row written after it has become one?"""
        return any(
            name in self.written and name not in self.names and not self._is_private(name)
            for name in group
        )

    def _may_be_written(self, group: Collection[str], params: Collection[str]) -> bool:
        """Is each row in one list, in one place, and under no name but those of views?"""
        if any(name in params for name in group):
            return False
        for name in group:
            if name in self.shared and not self._is_moved(name):
                return False
        return all(
            row not in group or (row not in self.views and self._is_last(row, at))
            for row, at in self.handed
        )

    def _is_private(self, name: str) -> bool:
        """Is it written only until it is handed over, each round one of its own?"""
        if name in self.views:
            return False
        loops = self.structure.loops
        own = [set(binding.loops) for binding in self.structure.bindings[name]]
        places = [at for row, at in (*self.handed, *self.moved) if row == name]
        return bool(places) and all(
            write < at and all(found >= {*loops[write]} & {*loops[at]} for found in own)
            for write in self.written[name]
            for at in places
        )

    def _is_last(self, name: str, at: int) -> bool:
        """Does nobody have the list under this name after this statement?"""
        loops = self.structure.loops[at]
        reads = self.readers.get(name, [])
        same = all(binding.loops == loops for binding in self.structure.bindings[name])
        return same and all(reader <= at for reader in reads) and reads.count(at) == 1

    def _is_moved(self, name: str) -> bool:
        """Are all lists that the name is bound to handed on to it, and known by no other name?"""
        for binding in self.structure.bindings[name]:
            node = self.structure.nodes[binding.position] if binding.position >= 0 else None
            if not isinstance(node, Bind) or node.source in self.views:
                return False
            if not self._is_last(str(node.source), binding.position):
                return False
        return True
