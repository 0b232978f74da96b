"""The forward sweep: the user's statements, and beside them what the reverse sweep reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astad.compiler.analysis.writes import is_update
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Ref,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import IN_PLACE
from astad.compiler.ir.walk import bound_inside
from astad.compiler.reverse_mode.branches import note_arm
from astad.compiler.reverse_mode.calls import forward_dispatch, forward_pair
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.loops import (
    ITERATE,
    LOOP_END,
    WALK_TO_END,
    is_drawn,
    is_named,
    record_fields,
    walks_by_item,
)
from astad.compiler.reverse_mode.sweep import Sweep
from astad.slotted import replace

__all__ = ["ForwardSweep"]

CROSSED = Ref("astad.rules.crossed", "cross_in_space")


class ForwardSweep:
    """Writes the forward sweep after the reverse sweep has said what it reads."""

    def __init__(self, sweep: Sweep, *, fused: bool, plain: bool = False) -> None:
        self.sweep = sweep
        self.fused = fused
        self.plain = plain
        self.unbound: set[str] = set()
        structure, treatment = sweep.structure, sweep.facts.treatment
        dispatched = [
            at for at, node in enumerate(structure.nodes) if treatment.get(id(node)) == "dispatch"
        ]
        self.dispatches = bool(dispatched)
        self.first = min(dispatched, default=-1)
        self.looped = {loop for at in dispatched for loop in structure.loops[at]}
        changes = outline(sweep.program).calls_of(*IN_PLACE)
        self.writes = bool(changes or sweep.facts.augmented or sweep.facts.unpackings)
        self.writes = self.writes or "merged" in treatment.values()

    def block(self, block: Block) -> list[Node]:
        out: list[Node] = []
        before: tuple[str, ...] = ()
        for node in block:
            position = self.sweep.structure.at(node)
            if self.dispatches:
                callees = getattr(node.line, "callees", ())
                # behind a bar stands what was made in this run
                written = tuple([path for path, _ in callees if "|" not in path])
                if written or self.sweep.facts.relied_on:
                    out += self._still(node, position, () if written == before else written)
                before = written
            out += self.sweep.residuals.before.get(position, ())
            out += self._node(node, position)
            out += self.sweep.residuals.after.get(position, ())
        return out

    def _node(self, node: Node, position: int) -> list[Node]:
        if isinstance(node, Call):
            if self.sweep.facts.treatment[id(node)] == "pair":
                return forward_pair(node, self.sweep)
            made = self._call(node)
            if self.sweep.facts.tested.get(id(node)) == "threes":
                return [*leave_unless_threes(node, self.sweep), self._crossed(node)]
            if self.sweep.facts.tested.get(id(node)) == "complex" and isinstance(node.target, str):
                leave = Call(None, Prim("leave_if_complex"), (node.target,), (), node.line)
                return [made, leave]
            return self._written(node) if made is node and self.writes else [made]
        if isinstance(node, Branch):
            body = note_arm(node, self.sweep, 0) + self.block(node.body)
            orelse = note_arm(node, self.sweep, 1) + self.block(node.orelse)
            return [Branch(node.test, tuple(body), tuple(orelse), node.line)]
        if isinstance(node, (Loop, While)):
            return self._loop(node, position)
        if isinstance(node, Exit):
            return self._exit(node, position)
        return [node]

    def _crossed(self, node: Call) -> Call:
        """Of two vectors in space, by a function made for them."""
        ranks = {self.sweep.facts.kind_of(arg).rank for arg in node.args}
        return replace(node, fn=CROSSED) if ranks == {1} else node

    def _written(self, node: Call) -> list[Node]:
        """The statement as it is, but for those that change a local array in place."""
        facts = self.sweep.facts
        if facts.treatment[id(node)] == "merged":
            return []
        unpacking = facts.unpackings.get(id(node))
        if unpacking is not None and isinstance(node.args[0], str):
            kind = facts.kind_of(node.args[0])
            if k.is_array(kind) or k.is_listing(kind):
                return [Bind(unpacking.targets, node.args[0], node.line)]  # type: ignore[arg-type]
            return [node]
        triple = facts.augmented.get(id(node))
        if triple is not None and node is triple.stores:
            assert isinstance(triple.works.fn, Prim)
            args = (*node.args[:2], Const(triple.works.fn.name), triple.value)
            return [Call(None, Prim("augment"), args, (), node.line)]
        if not is_update(node, facts.kind):
            return [node]
        assert isinstance(node.fn, Prim) and isinstance(node.target, str)
        old, value = node.args
        made = Call(None, Prim("update"), (old, Const(node.fn.name), value), (), node.line)
        assert isinstance(old, str)
        return [made] if node.target == old else [made, Bind(node.target, old, node.line)]

    def _still(self, node: Node, position: int, written: Sequence[str]) -> list[Node]:
        """A test that callees still are what they were, where a dispatched call may have bound
        their names anew.
        """
        paths = [path for callee in written for path in (callee, f"{callee}.__code__")]
        paths += self.sweep.facts.relied_on.get(id(node), ())
        if not paths or not self._is_after_dispatch(position):
            return []
        return [Call(None, Prim("still"), tuple(map(Const, paths)), (), node.line)]

    def _is_after_dispatch(self, position: int) -> bool:
        """May a dispatched call have run when this place is reached?"""
        again = not self.looped.isdisjoint(self.sweep.structure.loops[position])
        return again or position > self.first

    def _call(self, node: Call) -> Node:
        treatment = self.sweep.facts.treatment[id(node)]
        if treatment == "dispatch":
            return forward_dispatch(node, self.sweep)
        return node

    def _loop(self, node: Loop | While, position: int) -> list[Node]:
        out: list[Node] = []
        record = self.sweep.residuals.records.get(position)
        if record:
            out.append(Call(record.kept, Prim("list"), (), (), node.line))
        completed = self.sweep.completed.get(position)
        if completed:
            out.append(Bind(completed, Const(False), node.line))
        orelse = ([Bind(completed, Const(True), node.line)] if completed else []) + self.block(
            node.orelse
        )
        if isinstance(node, While):
            head = self.block(node.head)
        body = self.block(node.body) + self._append(position, None)
        if not self.sweep.structure.exits[position]:
            body = append_early(body)
        if isinstance(node, While):
            return [*out, While(tuple(head), node.test, tuple(body), tuple(orelse), node.line)]
        end = self._end(node, position)
        if end and (orelse or _returns(node)):
            out.append(Bind(self.sweep.ends[position], Const(None), node.line))
        if end and orelse:  # it is reached before what stands there
            name, (call,) = self.sweep.ends[position], end
            orelse = [call, *orelse]
            end = [Call(name, LOOP_END, (*call.args, name), (), node.line)]
        target, iterable = self._target(node, position, out)
        return [*out, Loop(target, iterable, tuple(body), tuple(orelse), node.line), *end]

    def _end(self, node: Loop, position: int) -> list[Call]:
        name = self.sweep.ends.get(position)
        if name is None:
            return []
        iterable = Const(None) if is_named(node, self.sweep) else node.iterable
        return [Call(name, LOOP_END, (self.sweep.versions, iterable), (), node.line)]

    def _target(self, node: Loop, position: int, out: list[Node]) -> tuple[Any, Operand]:
        route = self.sweep.routes.get(position)
        if walks_by_item(node, self.sweep):
            return self.sweep.facts.walks[id(node)].targets, node.iterable
        if not is_drawn(node, self.sweep):
            return node.target, node.iterable
        walk = self.sweep.names.numbered("t")
        way = WALK_TO_END if position in self.sweep.ends else ITERATE
        out.append(Call(walk, way, (self.sweep.versions, node.iterable), (), node.line))
        return (node.target, route or self.sweep.unused), walk

    def _append(self, loop: int, leaving: Exit | None) -> list[Node]:
        """Statements that add one record to the loop's list."""
        record = self.sweep.residuals.records.get(loop)
        if record is None:
            return []
        structure = self.sweep.structure
        if leaving is None:
            point, path = structure.last[loop], structure.body_path(loop)
            number = structure.exits[loop] + 1
        else:
            point, path = structure.at(leaving), structure.path[structure.at(leaving)]
            number = structure.number[loop, point]
        fields: list[Operand] = [self.field(name, point, path) for name in record.fields]
        if record_fields(loop, self.sweep) != record.fields:
            fields.insert(0, Const(number))
        line = structure.nodes[loop].line if leaving is None else leaving.line
        made: list[Node] = []
        item = self.pack(fields, line, made)
        made.append(Call(None, Prim("method"), (record.kept, Const("append"), item), (), line))
        return made

    def pack(
        self, fields: Sequence[Operand], line: int, made: list[Node], *, always: bool = False
    ) -> Operand:
        """One name for several: itself, or a tuple."""
        if not fields and not always:
            return Const(None)
        if len(fields) == 1 and not always:
            return fields[0]
        item = self.sweep.names.numbered("t")
        made.append(Call(item, Prim("tuple"), tuple(fields), (), line))
        return item

    def field(self, name: str, point: int, path: tuple[int, ...]) -> Operand:
        """A kept name, or None where it cannot be bound yet; generated names are bound to None at
        the head.
        """
        if self.sweep.structure.is_bound(name, point, path):
            return name
        if name in self.sweep.program.taken:
            return Const(None)
        self.unbound.add(name)
        return name

    def _exit(self, node: Exit, position: int) -> list[Node]:
        structure = self.sweep.structure
        around = structure.loops[position]
        if node.how != "return":
            loop = next(loop for loop in reversed(around) if (loop, position) in structure.number)
            return [*self._append(loop, node), node]
        if self.fused:
            return []
        made = self._copies_of_left_loops(position, around)
        made += [statement for loop in reversed(around) for statement in self._append(loop, node)]
        fields = [
            self.field(name, position, structure.path[position])
            for name in self.sweep.residuals.top
        ]
        if -1 in self.sweep.left:
            fields.insert(0, Const(structure.number[-1, position]))
        kept = self.pack(fields, node.line, made, always=not self.plain)
        value = node.value if node.value is not None else Const(None)
        result = self.pack([value, kept], node.line, made, always=True)
        return [*made, Exit("return", result, node.line)]

    def _copies_of_left_loops(self, position: int, around: Sequence[int]) -> list[Node]:
        """What is kept behind a loop, where a return leaves it before it comes there."""
        structure = self.sweep.structure
        made = list[Node]()
        for copy, (loop, name, node) in self.sweep.residuals.behind_loops.items():
            if loop in around:
                is_there = structure.is_bound(name, position, structure.path[position])
                made.append(node if is_there else Bind(copy, Const(None), 0))
        return made


def _returns(node: Node) -> bool:
    return any(type(part) is Exit and part.how == "return" for part in node.inside)


def leave_unless_threes(node: Call, sweep: Sweep) -> list[Node]:
    """``if a.shape[0] != 3: return NotImplemented``, for each operand."""
    out: list[Node] = []
    to = Writer(sweep.names, out, node.line)
    for arg in dict.fromkeys(node.args):
        assert isinstance(arg, str)
        shape, axis = to.call(Prim("getattr"), arg, Const("shape")), sweep.facts.kind_of(arg).rank
        length = to.call(Prim("getitem"), shape, Const((axis or 0) - 1))
        test = to.call(Prim("ne"), length, Const(3))
        out.append(Call(None, Prim("leave_if"), (test,), (), node.line))
    return out


def append_early(body: list[Node]) -> list[Node]:
    """Record at the point where all is known, so that nothing need be copied first.

    ``y_kept = y; y = y * x; kept.append(y_kept)`` becomes ``kept.append(y); y = y * x``.
    """
    if not body or not isinstance(body[-1], Call) or body[-1].fn != Prim("method"):
        return body
    append, packed = body[-1], len(body) > 1 and _is_pack(body[-2], body[-1])
    statements = body[: -2 if packed else -1]
    fields = body[-2].args if packed else append.args[2:]  # type: ignore[union-attr]
    bound = [bound_inside(node) for node in statements]
    places = {name: at for at, names in enumerate(bound) for name in names}
    copies = {
        node.target: (node.source, at)
        for at, node in enumerate(statements)
        if isinstance(node, Bind)
        and node.target in fields
        and isinstance(node.source, str)
        and node.line == 0
    }
    if not copies:
        return body
    last = max(places.get(str(name), -1) for name in fields)
    for source, at in copies.values():
        if any(source in names for names in bound[at + 1 : last + 1]):
            return body
    if any(
        name not in copies
        and places.get(str(name), -1) >= 0
        and sum(name in names for names in bound) > 1
        for name in fields
    ):
        return body
    renamed = tuple(copies[name][0] if name in copies else name for name in fields)
    kept = [node for node in statements if not (isinstance(node, Bind) and node.target in copies)]
    removed = sum(1 for _, at in copies.values() if at <= last)
    place = last + 1 - removed
    tail: list[Node] = []
    if packed:
        assert isinstance(body[-2], Call)
        tail = [Call(body[-2].target, body[-2].fn, renamed, (), append.line), append]
    else:
        tail = [Call(None, append.fn, (*append.args[:2], *renamed), (), append.line)]
    return kept[:place] + tail + kept[place:]


def _is_pack(node: Node, append: Call) -> bool:
    return isinstance(node, Call) and node.fn == Prim("tuple") and node.target == append.args[-1]
