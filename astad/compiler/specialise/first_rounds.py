"""Write out the first round of a loop that makes an array of a number.

``s = 0.0; for w in W: s = s + w * x`` is a float at its head and an array ever after: one name of
two kinds. With the first round before the loop it is an array alone, unless nothing is gone
through: then the text is left for another. So it is with ranges, zip and enumerate.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import array
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     s = 0.0
...     for w in W:
...         s = s + w * x
...     return s
... ''')
>>> kinds = {"W": array(2), "x": array(1)}
>>> facts = find_facts(program, kinds, kinds, Space({}))
>>> print(show(write_first_rounds(program, facts, Names(program.taken))))
t_2 = W.shape
t_3 = t_2[0]
leave_if_empty(t_3)
t_4 = slice(1, None, None)
t_5 = W[t_4]
w = W[0]
t_1 = w * x
s = 0.0 + t_1
for w in t_5:
    t_1 = w * x
    s = s + t_1
return s
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from astad.compiler.analysis.findings import Facts
from astad.compiler.analysis.iterator_recognition import Walk
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import INT, RANGE, UNKNOWN
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
    Star,
    Try,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY
from astad.compiler.ir.walk import bound_inside, called_anew, kept, substituted_at, with_blocks
from astad.slotted import dataclass, field, replace

__all__ = ["write_first_rounds"]

LONGEST = 60
"""Statements of a loop of which one round is written out."""
ADD, GETATTR, GETITEM = Prim("add"), Prim("getattr"), Prim("getitem")
FORGET, LEAVE_IF_EMPTY = Prim("forget"), Prim("leave_if_empty")
ZERO, ONE, SHAPE = Const(0), Const(1), Const("shape")
OF_IN_PLACE: Mapping[object, Prim] = {Prim("i" + name.rstrip("_")): Prim(name) for name in BINARY}
"""What ``s += t`` is where s is a number."""


def write_first_rounds(program: Program, facts: Facts, names: Names) -> Program | None:
    """None where no loop is of that kind."""
    if not facts.dispatches or Loop not in outline(program).sorts:
        return None
    body = _Writer(program, facts, names).block(program.body)
    return None if body is program.body else replace(program, body=body)


class _Writer:
    def __init__(self, program: Program, facts: Facts, names: Names) -> None:
        self.facts = facts
        self.names = names
        self.taken = program.taken
        self.read = outline(program).read

    def block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            made = with_blocks(node, self.block)
            walk = self.facts.walks[id(node)] if type(node) is Loop else None
            begun = self._begun(cast(Loop, made), walk, out) if walk is not None else None
            if begun is None:
                out.append(made)
            else:
                out = begun
        return kept(block, out)

    def _begun(self, loop: Loop, walk: Walk, before: list[Node]) -> list[Node] | None:
        """What stands before the loop, without the numbers it begins with; the first round; and the
        loop for the others.
        """
        if loop.orelse or len(loop.inside) > LONGEST or _is_left(loop):
            return None
        starts = {
            each.target: each.source
            for each in before
            if type(each) is Bind and each.target != loop.target and self._is_start(each, before)
        }
        first = self._first_round(loop, walk, starts) if starts else []
        opened = self._opened(loop, walk, before) if first else None
        if opened is None:
            return None
        gone = starts.keys() & bound_inside(*loop.body)
        stay = [each for each in before if type(each) is not Bind or each.target not in gone]
        stay = [each for each in stay if not any(each is call for call in walk.calls)]
        rest = Loop(loop.target, opened.others, loop.body, (), loop.line)
        return [*stay, *opened.head, *first, *opened.calls, rest]

    def _is_start(self, start: Bind, before: Sequence[Node]) -> bool:
        """Is it a number that nothing reads before the loop, for a name of unknown kind?"""
        is_number = isinstance(start.source, Const) and type(start.source.value) in (int, float)
        if not is_number or self.facts.kind_of(start.target) != UNKNOWN:
            return False
        around = [part for each in before for part in (each, *each.inside) if part is not start]
        return not any(start.target in (*part.read, *part.bound) for part in around)

    def _first_round(self, loop: Loop, walk: Walk, starts: Mapping[str, Operand]) -> list[Node]:
        """The body for these numbers; empty where it is not certain what reads them, or where it
        binds none of them.
        """
        inside = Counter([name for part in loop.inside for name in part.read])
        ours = bound_inside(*loop.body) - self.taken
        own = [name for name in ours if inside[name] == self.read.get(name, inside[name])]
        called = {name: self.names.numbered("t") for name in sorted(own)}
        left, out = dict(starts), list[Node]()
        parts = {id(part) for part, _ in walk.parts}
        for node in [node for node in loop.body if id(node) not in parts]:
            if not left.keys().isdisjoint(_names_inside(node)):
                return []
            out.append(_copied(node, left, called))
            for name in node.bound:
                left.pop(name, None)
        return out if len(left) < len(starts) else []

    def _opened(self, loop: Loop, walk: Walk, before: Sequence[Node]) -> _Opened | None:
        """Where all that is gone through is a range, or are arrays, beside a count or not."""
        opened = _Opened(self.names, loop.line)
        if not isinstance(loop.target, str) or not isinstance(loop.iterable, str):
            return None
        if self.facts.kind_of(loop.iterable) == RANGE:
            bounds = _bounds(loop.iterable, before, self.facts.known)
            if bounds is None or self.facts.kind_of(bounds[1]) != INT:
                return None  # a range makes ints of what it is given
            opened.range(loop.target, loop.iterable, bounds)
            return opened
        sources = [leaf.source for leaf in walk.leaves if leaf.source is not None]
        kinds = [self.facts.kind_of(source) for source in sources]
        if any(leaf.backwards for leaf in walk.leaves) or not sources:
            return None
        if not all(k.is_array(kind) and kind.rank for kind in kinds):
            return None
        counting = [call for call in walk.calls if self.facts.known[str(call.fn)] is enumerate]
        begins = [_start(call) for call in counting]
        if any(self.facts.kind_of(start) != INT for start in begins):
            return None
        if not {leaf.name for leaf in walk.leaves}.isdisjoint([*sources, *begins]):
            return None  # still read where the first round binds them; no program is known
        opened.arrays(walk, counting)
        return opened


@dataclass(slots=True)
class _Opened:
    """What a loop goes through after its first round: ``head`` binds the targets of the first,
    ``calls`` are those of zip and enumerate for the ``others``.
    """

    names: Names
    line: int
    head: list[Node] = field(default_factory=list)
    calls: list[Node] = field(default_factory=list)
    others: str = ""

    def range(self, target: str, iterable: str, bounds: Sequence[Operand]) -> None:
        of_range, start, stop, step = bounds
        self._leave_if_empty(iterable)
        second = _sum(start, step) or self._made(ADD, start, step)
        self.others = self._made(of_range, second, stop, *([] if step == ONE else [step]))
        self.head.append(Bind(target, start, self.line))

    def arrays(self, walk: Walk, counting: Sequence[Call]) -> None:
        """Each array without its first row; its first row for a target. ``counting`` are the calls
        of enumerate, the outer ones first.
        """
        rest: dict[object, Operand | Star] = {}
        sources = dict.fromkeys(leaf.source for leaf in walk.leaves if leaf.source is not None)
        for source in sources:
            self._leave_if_empty(self._made(GETITEM, self._made(GETATTR, source, SHAPE), ZERO))
            cut = self._made(Prim("slice"), ONE, Const(None), Const(None))
            rest[source] = self._made(GETITEM, source, cut)
        for leaf in walk.leaves:
            if leaf.source is not None:
                self.head.append(Call(leaf.name, GETITEM, (leaf.source, ZERO), (), self.line))
        counts = [leaf.name for leaf in walk.leaves if leaf.source is None]
        count_of = dict(zip(map(id, counting), counts, strict=True))
        for call in reversed(walk.calls):  # the inner ones first
            args = [rest.get(arg, arg) for arg in call.args]
            if id(call) in count_of:
                start = _start(call)
                self.head.append(Bind(count_of[id(call)], start, self.line))
                args = [args[0], _sum(start, ONE) or self._made(ADD, start, ONE)]
            rest[call.target] = target = self.names.numbered("t")
            self.calls.append(Call(target, call.fn, tuple(args), call.keywords, self.line))
        self.others = str(rest[walk.loop.iterable])

    def _leave_if_empty(self, operand: Operand) -> None:
        self.head.append(Call(None, LEAVE_IF_EMPTY, (operand,), (), self.line))

    def _made(self, fn: Operand | Prim, *args: Operand) -> str:
        target = self.names.numbered("t")
        self.head.append(Call(target, fn, args, (), self.line))
        return target


def _is_left(loop: Loop) -> bool:
    """May it end, or a round of it, before its end? Or is what it does written down in a tape, or
    a name unbound?
    """
    forgets = any(type(part) is Call and part.fn is FORGET for part in loop.inside)
    return forgets or any(type(part) in (Exit, Try) for part in loop.inside)


def _names_inside(node: Node) -> set[str]:
    """Names that the statements of its blocks read or bind."""
    return {name for part in node.inside for name in (*part.read, *part.bound)}


def _copied(node: Node, starts: Mapping[str, Operand], called: Mapping[str, str]) -> Node:
    """A statement of its own: another object, as are all inside it."""
    made = substituted_at(node, starts, node.line)
    if type(made) is Call and made.fn in OF_IN_PLACE and type(made.args[0]) is Const:
        made = replace(made, fn=OF_IN_PLACE[made.fn])
    made = with_blocks(made, lambda block: [_copied(part, {}, {}) for part in block])
    return called_anew(made, called)


def _start(call: Call) -> Operand:
    """Of a call of enumerate."""
    return cast(Operand, call.args[1]) if len(call.args) > 1 else ZERO


def _bounds(
    iterable: str, before: Sequence[Node], known: Mapping[str, object]
) -> list[Operand] | None:
    """Of a call of ``range`` among these statements: what is called, start, stop, step. None where
    these names may stand for something else by now, or where a function of the user's made it.
    """
    made = [at for at, node in enumerate(before) if iterable in (node.bound)]
    call = before[made[-1]] if made else None
    if type(call) is not Call or not isinstance(call.fn, str) or known.get(call.fn) is not range:
        return None
    if not bound_inside(*before[made[-1] + 1 :]).isdisjoint(call.read):
        return None
    args = cast(list[Operand], [*call.args])  # nothing starred: its kind would not be known
    if len(args) == 1:
        args.insert(0, ZERO)
    return [call.fn, *args, *([ONE] if len(args) == 2 else [])] if len(args) in (2, 3) else None


def _sum(start: Operand, step: Operand) -> Const | None:
    """Of literals."""
    numbers = [each.value for each in (start, step) if isinstance(each, Const)]
    whole = [number for number in numbers if type(number) is int]
    return Const(sum(whole)) if len(whole) == 2 else None
