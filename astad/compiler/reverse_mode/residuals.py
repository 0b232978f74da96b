"""Values of the forward sweep that the reverse sweep reads, and how each is kept.

While the reverse sweep is written, a value of the forward sweep is a placeholder: name, position
of the statement, and whether just before or just after it. When all is written, `settle` decides
for each: the name itself where nobody binds it again, a copy where somebody does, a field of the
iteration's record where a loop does.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict

from astad.compiler.analysis.structure import Binding, Structure
from astad.compiler.analysis.writes import Writes
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Call, Const, Exit, Node, Prim, immutable
from astad.slotted import dataclass, field

__all__ = ["Record", "Residuals", "Use"]


@immutable
class Use:
    """One value that the reverse sweep reads: ``name`` just before (or after) the statement at
    ``position``; ``shape``: only its shape is read.
    """

    name: str
    position: int
    after: bool
    inside: bool = False
    shape: bool = False

    @property
    def placeholder(self) -> str:
        marks = ("o" if self.inside else "") + ("s" if self.shape else "")
        return f"{self.name}@{self.position}{'>' if self.after else '<'}{marks}"


@dataclass(slots=True)
class Record:
    """What one loop keeps per iteration: ``kept`` is the list, ``fields`` the names in it, in
    order, ``called`` the name under which the reverse sweep finds the list.
    """

    kept: str
    fields: list[str] = field(default_factory=list)
    called: str = ""


class Residuals:
    """All uses, and after `settle` the names that stand for them."""

    def __init__(self, structure: Structure, names: Names, taken: frozenset[str]) -> None:
        self.structure = structure
        self.taken = taken
        self.names = names
        self.uses: dict[str, Use] = {}
        self._placeholders: dict[tuple[str, int, bool, bool], str] = {}
        self.settled: dict[str, str] = {}
        self.before: dict[int, list[Node]] = defaultdict(list)
        self.after: dict[int, list[Node]] = defaultdict(list)
        self.records: dict[int, Record] = {}
        self.top: dict[str, None] = {}
        self.countable: set[int] = set()
        self.indices: set[int] = set()
        self.record_later: list[int] = []
        self.range_uses: dict[int, Use] = {}
        self.shapes: set[str] = set()
        self.copies_made: dict[str, str] = {}
        self.behind_loops: dict[str, tuple[int, str, Node]] = {}
        self.held: dict[str, str] = {}
        self.writes = Writes()
        self._exits: list[int] = []
        self._before: dict[int, tuple[str, int, frozenset[int]]] = {}
        self._news: dict[str, list[Binding]] = {}
        self._copies: dict[tuple[str, str], list[tuple[str, tuple[int, bool]]]] = defaultdict(list)

    def use(self, name: str, position: int, *, after: bool = False, inside: bool = False) -> str:
        """A placeholder for this value; ``inside``: as each iteration of the loop at this position
        sees it.
        """
        key = name, position, after, inside
        found = self._placeholders.get(key)
        if found is None:
            use = Use(name, position, after, inside)
            found = self._placeholders[key] = use.placeholder
            self.uses[found] = use
        return found

    def use_shape(self, name: str, position: int, *, after: bool = False) -> str:
        """A placeholder for an array of which the reverse sweep reads the shape alone.

        It is settled to the array, or to one of ``shapes``, names that stand for a shape.
        """
        use = Use(name, position, after, shape=True)
        self.uses[use.placeholder] = use
        return use.placeholder

    def use_if_bound(self, name: str, position: int, *, after: bool) -> str | None:
        """A placeholder for a value that no statement reads here: for None where the name may stand
        for nothing; None where it certainly does.
        """
        bound = self.structure.standing(name, position, after=after)
        if bound is False:
            return None  # no program is known: see `structure.Structure.standing`
        if bound is None and name in self.taken:  # generated names are bound to None at the head
            name = self._held(name)
        return self.use(name, position, after=after)

    def _held(self, name: str) -> str:
        """A name that stands for None until a user's name is bound, and for what that stands for
        from then on.
        """
        if name not in self.held:
            held = self.held[name] = self.names.fresh(f"{name}_held")
            for binding in [each for each in self.structure.bindings[name] if not each.write]:
                at, copy = binding.position, Bind(held, name, 0)
                if at in binding.loops:  # the variable of a loop
                    self.before[at + 1].append(copy)
                    self.bind_in_body(held, at)
                elif at >= 0:
                    self.after[at].append(copy)
                    self.bind(held, at)
        return self.held[name]

    def note_writes(self, writes: Writes) -> None:
        """Arrays that are written in place: what is kept of them is a copy."""
        self.writes = writes
        self._exits = [at for at, node in enumerate(self.structure.nodes) if type(node) is Exit]
        for name, positions in writes.of.items():
            for at in positions:
                loops, path = self.structure.loops[at], self.structure.path[at]
                self.structure.bindings[name].append(Binding(at, loops, path, write=True))

    def bind(self, name: str, position: int) -> None:
        """A name that the forward sweep will bind at this position, besides the user's own."""
        loops, path = self.structure.loops[position], self.structure.path[position]
        self.structure.bindings[name].append(Binding(position, loops, path))

    def bind_in_body(self, name: str, loop: int) -> None:
        """The same for a second target of a loop."""
        loops, path = (*self.structure.loops[loop], loop), self.structure.body_path(loop)
        self.structure.bindings[name].append(Binding(loop, loops, path))

    def record_of(self, loop: int) -> Record:
        """The record of a loop; its list is a residual of what surrounds the loop."""
        if loop not in self.records:
            record = self.records[loop] = Record(self.names.numbered("kept"))
            self.bind(record.kept, loop)
            record.called = self._settle(Use(record.kept, loop, after=True))
        return self.records[loop]

    def settle(self) -> None:
        """Decide for all uses, in the order of the text."""
        for loop in sorted(self.record_later):
            self.record_of(loop)
        for use in sorted(
            self.uses.values(),
            key=lambda use: (use.shape, use.position, use.after, use.name, use.inside),
        ):
            self.settled[use.placeholder] = (self._settle_shape if use.shape else self._settle)(use)
        for loop, use in sorted(self.range_uses.items()):
            record = self.records.get(loop)
            if loop in self.indices or record is None or not record.fields:
                self.settled[use.placeholder] = self._settle(use)

    def use_range(self, name: str, loop: int) -> str:
        """A placeholder for the range of a loop; it is kept only if nothing else tells how often
        to run.
        """
        self.range_uses[loop] = Use(name, loop, after=False)
        return self.range_uses[loop].placeholder

    def _settle(self, use: Use) -> str:
        loop = self._loop_that_binds(use)
        if loop is not None and self._is_index(use, loop):
            self.indices.add(loop)
            return use.name
        inside = [b for b in self._bindings(use) if loop is None or loop in b.loops]
        name = use.name
        if (
            any(self._is_later(binding, use) for binding in inside)
            or self._is_uncertain(use, loop)
            or self._may_be_written(use)
        ):
            name = self._copy(use, loop)
        if loop is None:
            self.top[name] = None
        elif name not in (fields := self.record_of(loop).fields):
            fields.append(name)
        return name

    def _settle_shape(self, use: Use) -> str:
        """The array itself where it is kept in any case, or is an argument that stays."""
        loop = self._loop_that_binds(use)
        fields = self.top if loop is None else self.record_of(loop).fields
        later = any(
            self._is_later(binding, use)
            for binding in self._bindings(use)
            if loop is None or loop in binding.loops
        )
        if (
            not later
            and not self._is_uncertain(use, loop)
            and (use.name in fields or self._is_argument(use.name))
        ):
            return self._settle(use)
        copy = self._copy(use, loop)
        if loop is None:
            self.top[copy] = None
        elif copy not in (own := self.record_of(loop).fields):
            own.append(copy)
        return copy

    def _is_argument(self, name: str) -> bool:
        """Does the caller hold the array in any case, unless the function returns it, written?

        Then its new owner may change its shape.
        """
        written = self.writes.of.get(name, ())
        goes_out = any(isinstance(self.structure.nodes[at], Exit) for at in written)
        return not goes_out and all(b.position < 0 for b in self.structure.bindings[name])

    def _loop_that_binds(self, use: Use) -> int | None:
        """The innermost loop round the use in which the name is bound."""
        for loop in reversed(self._around(use)):
            if any(loop in binding.loops for binding in self._bindings(use)):
                return loop
        return None

    def _bindings(self, use: Use) -> list[Binding]:
        """Where the name is bound to another value, or its array is written: a shape stays."""
        found = self.structure.bindings[use.name]
        return [b for b in found if not b.write] if use.shape else found

    def _may_be_written(self, use: Use) -> bool:
        """May the array that the name stands for at the use be written after it, under this name or
        another? It may if there is a way from the use to a write on which the name that is written
        is not bound to a new array: straight ahead, or by the next round of a loop.
        """
        around = set(self._around(use))
        passed: dict[str, tuple[float, frozenset[int]]] = {}
        for at in self.writes.of.get(use.name, ()):
            name, last, inside = self._fresh_before(at)
            if name not in passed:
                passed[name] = self._fresh_behind(name, use)
            first, behind = passed[name]
            if self._is_after(at, use) and not self._is_after(last, use) and at <= first:
                return True
            if not around.intersection(self.structure.loops[at]) <= inside | behind:
                return True
        return False

    def _fresh_before(self, at: int) -> tuple[str, int, frozenset[int]]:
        """The name that is written there; of the statements that bind it to a new array whenever
        the write is come to, the position of the last, and the loops in which they do so.
        """
        if at not in self._before:
            node, path = self.structure.nodes[at], self.structure.path[at]
            name = str(node.value if isinstance(node, Exit) else node.args[0])  # type: ignore[union-attr]
            found = [b for b in self._fresh(name) if b.position < at]
            found = [b for b in found if b.path == path[: len(b.path)]]
            last = max([b.position for b in found], default=-2)
            self._before[at] = name, last, _loops_of(found)
        return self._before[at]

    def _fresh_behind(self, name: str, use: Use) -> tuple[float, frozenset[int]]:
        """Of the statements that bind the name to a new array on every way from the use, the
        position of the first, and the loops in which they do so.
        """
        around, exits = self.structure.path[use.position], self._exits
        left = bisect.bisect_right(exits, use.position)
        end = exits[left] if left < len(exits) else math.inf
        found = [
            b
            for b in self._fresh(name)
            if self._is_after(b.position, use) and b.position <= end
            if b.path == around[: len(b.path)]
        ]
        return min([b.position for b in found], default=math.inf), _loops_of(found)

    def _fresh(self, name: str) -> list[Binding]:
        """Where it is bound to a new array."""
        if name not in self._news:
            self._news[name] = [
                b
                for b in self.structure.bindings[name]
                if not b.write and b.position in self.writes.fresh
            ]
        return self._news[name]

    @staticmethod
    def _is_after(position: int, use: Use) -> bool:
        return position > use.position or (position == use.position and not use.after)

    def _around(self, use: Use) -> tuple[int, ...]:
        around = self.structure.loops[use.position]
        return (*around, use.position) if use.inside else around

    def _is_index(self, use: Use, loop: int) -> bool:
        """The index of a loop over a range can be counted again."""
        node = self.structure.nodes[loop]
        bindings = self.structure.bindings[use.name]
        return (
            loop in self.countable
            and getattr(node, "target", None) == use.name
            and len(bindings) == 1
        )

    def _is_later(self, binding: Binding, use: Use) -> bool:
        if binding.position == use.position and use.position in binding.loops:
            return False  # the target of a loop, read inside it as 'before' the loop's end
        return self._is_after(binding.position, use)

    def _is_uncertain(self, use: Use, loop: int | None) -> bool:
        """A user's name that is bound in one branch only cannot be read at the end."""
        if use.name not in self.taken:
            return False  # generated names are bound to None at the head
        path = () if loop is None else self.structure.body_path(loop)
        return not self.structure.is_bound(use.name, use.position, path)

    def _copy(self, use: Use, loop: int | None) -> str:
        """Keep the value under a name of its own, outside those loops that do not change it."""
        around = self._around(use)
        inner = around[around.index(loop) + 1 :] if loop is not None else around
        position, after = (inner[0], False) if inner else (use.position, use.after)
        what = "shape" if use.shape else "kept"
        for copy, made in self._copies[use.name, what]:
            if self._is_same_version(self._bindings(use), made, (position, after)):
                return copy
        copy = self.names.fresh(f"{use.name}_{what}")
        self._copies[use.name, what].append((copy, (position, after)))
        place = self.after if after else self.before
        if use.shape:
            self.shapes.add(copy)
            place[position].append(Call(copy, Prim("getattr"), (use.name, Const("shape")), (), 0))
        elif self._may_be_written(use):
            place[position].append(Call(copy, Prim("method"), (use.name, Const("copy")), (), 0))
        else:
            self.copies_made[copy] = use.name
            place[position].append(Bind(copy, use.name, 0))
        if after:
            self.behind_loops[copy] = position, use.name, place[position][-1]
        self.bind(copy, position)
        return copy

    def _is_same_version(
        self, bindings: list[Binding], first: tuple[int, bool], second: tuple[int, bool]
    ) -> bool:
        """Is a copy made at the first point good at the second, which it precedes and dominates?"""
        paths = self.structure.path[first[0]], self.structure.path[second[0]]
        if first > second or paths[0] != paths[1][: len(paths[0])]:
            return False
        between = set(self.structure.loops[second[0]]) - set(self.structure.loops[first[0]])
        if any(between & set(binding.loops) for binding in bindings):
            return False  # bound further down in a loop: another value next time
        end = (self.structure.last[second[0]], True) if second[1] else second  # of a loop, its end
        return not any(
            (first[0], False) <= (binding.position, False) and first <= (binding.position, True)
            and (binding.position, True) <= end and (binding.position, True) != first
            for binding in bindings
        )  # fmt: skip


def _loops_of(bindings: list[Binding]) -> frozenset[int]:
    return frozenset(loop for binding in bindings for loop in binding.loops)
