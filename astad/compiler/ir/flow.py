"""The one dataflow solver, and the questions about names that passes ask it.

It goes backwards, from what is read to where that comes from. So it tells what is bound for certain
as well: a name may be unbound where it is read if it is live at the head. An analysis is a small
class with its gen and kill. Which ways there are through a text stands here alone: arms, the rounds
of a loop to the fixed point, ``break``, ``continue``, ``else``, what a ``try`` catches.

>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     for w in ws:
...         y = w * x
...     return y
... ''')
>>> sorted(live_at_head(program.body)), may_be_unbound(program)
(['ws', 'x', 'y'], {'y'})

The facts at a point are a set; None stands for a point that no way leads to. Round by round they
grow (with ``must``: shrink) until they stay. So an analysis notes on its way what later rounds can
only add to: that a statement is needed, that a name may be unbound.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Exit,
    Loop,
    Node,
    Program,
    Raise,
    Try,
    While,
)
from astad.compiler.ir.outline import outline

__all__ = [
    "Backward",
    "Live",
    "binds_before_it_reads",
    "live_at_head",
    "live_behind",
    "may_be_unbound",
]

Names = set[str] | None


class Backward:
    """A fact about names, from the end of a text to its head. With ``must`` it holds at a point if
    it does on all ways from there, else if it does on one.
    """

    must = False

    def __init__(self) -> None:
        self.nothing: Names = None if self.must else set()
        self.ends = dict.fromkeys(("break", "continue", "return"), self.nothing)
        self.raised = self.nothing
        self.catches = False

    def read(self, node: Node, facts: set[str]) -> None:
        """What comes of it that a statement reads its operands."""

    def bind(self, node: Node, facts: set[str]) -> None:
        """What was before a statement has bound its targets is another value."""
        facts.difference_update(node.bound)

    def step(self, node: Call | Bind, facts: set[str]) -> None:
        """From behind a statement to before it."""
        self.bind(node, facts)
        if self.catches and self.raised is not None:  # it may raise, before it has bound anything
            (facts.intersection_update if self.must else facts.update)(self.raised)
        self.read(node, facts)

    def leads_to(self, node: Exit | Raise, after: Names) -> Names:
        """Where it leads; ``after`` holds at what follows in the text."""
        return self.ends[node.how] if type(node) is Exit else self.raised

    def before(self, node: Node, before: set[str], after: set[str]) -> set[str]:
        """What holds before a compound statement, once its blocks have been gone through."""
        return before

    def is_settled(self, node: Loop | While, head: set[str], again: set[str]) -> bool:
        """Would one more round give nothing new?"""
        return head == again

    def block(self, block: Block, facts: Names) -> Names:
        """The facts at the head of a block; those at its end may be changed."""
        for node in reversed(block):
            if type(node) is Call or type(node) is Bind:
                if facts is not None:
                    self.step(node, facts)
                elif self.catches:
                    facts = self._read(node)
            else:
                facts = self._node(node, facts)
        return facts

    def _inner(self, block: Block, after: Names) -> Names:
        """The same, those at the end left alone."""
        return self.block(block, None if after is None else set(after)) if block else after

    def _join(self, *ways: Names) -> Names:
        """Where ways meet, and where a statement may raise: a new set."""
        found = [way for way in ways if way is not None]
        if self.catches and self.raised is not None:
            found.append(self.raised)
        if not found:
            return None
        return set.intersection(*found) if self.must else found[0].union(*found[1:])

    def _read(self, node: Node, *ways: Names) -> Names:
        """The same before a statement that reads something there."""
        found = self._join(*ways)
        if found is not None:
            self.read(node, found)
        return found

    def _node(self, node: Node, after: Names) -> Names:
        if type(node) is Branch:
            arms = self._inner(node.body, after), self._inner(node.orelse, after)
            found = self._read(node, *arms)
        elif type(node) is Loop or type(node) is While:
            found = self._loop(node, after)
        elif type(node) is Try:
            found = self._try(node, after)
        else:
            assert type(node) is Exit or type(node) is Raise
            return self._read(node, self.leads_to(node, after))
        return found if found is None or after is None else self.before(node, found, after)

    def _loop(self, node: Loop | While, after: Names) -> Names:
        outer, done = self.ends, self._inner(node.orelse, after)
        head = done if type(node) is Loop else self.nothing
        while True:
            self.ends = {**outer, "break": after, "continue": head}
            again = self._round(node, done, self._inner(node.body, head))
            if again is None or (head is not None and self.is_settled(node, head, again)):
                break
            head = again
        self.ends = outer
        return self._read(node, again) if type(node) is Loop else again

    def _round(self, node: Loop | While, done: Names, start: Names) -> Names:
        """From the head of the body to where it is decided whether it runs."""
        if type(node) is While:
            return self.block(node.head, self._read(node, done, start))
        if start is not None:
            start = set(start)
            self.bind(node, start)
        return self._join(done, start)

    def _try(self, node: Try, after: Names) -> Names:
        ends, raised, catches = self.ends, self.raised, self.catches
        after, outside = self._inner(node.final, after), self._inner(node.final, raised)
        self.ends = {how: self._inner(node.final, end) for how, end in ends.items()}
        self.raised, self.catches = outside, catches or bool(node.final)
        orelse, handler = self._inner(node.orelse, after), self._inner(node.handler, after)
        if node.caught is None:
            handler = outside
        elif handler is not None:
            handler = set(handler)
            self.bind(node, handler)
        self.raised, self.catches = handler, True
        found = self._inner(node.body, orelse)
        self.ends, self.raised, self.catches = ends, raised, catches
        return found


# --- liveness: what is read later before it is bound again


class Live(Backward):
    """The names that are live: read on some way before they are bound again."""

    def read(self, node: Node, facts: set[str]) -> None:
        facts.update(node.read)

    def is_settled(self, node: Loop | While, head: set[str], again: set[str]) -> bool:
        """Once more only for names that some statement of the loop binds: others stay."""
        return again.difference(head).isdisjoint(node.all_bound)


def live_at_head(block: Block) -> set[str]:
    """The names that a block may read before it binds them."""
    return Live().block(block, set()) or set()


class _Behind(Live):
    """``behind`` has, by ``id``, what is live behind some statements."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__()
        self.behind: dict[int, set[str]] = {id(node): set() for node in nodes}

    def step(self, node: Call | Bind, facts: set[str]) -> None:
        if id(node) in self.behind:
            self.behind[id(node)] |= facts
        super().step(node, facts)

    def is_settled(self, node: Loop | While, head: set[str], again: set[str]) -> bool:
        return again == head


def live_behind(block: Block, nodes: Iterable[Call | Bind]) -> dict[int, set[str]]:
    """The names that are live when these statements of the block have run, by their ``id``."""
    found = _Behind(nodes)
    if found.behind:
        found.block(block, set())
    return found.behind


def may_be_unbound(program: Program) -> set[str]:
    """Names that are not bound for certain wherever they are read: those are live at the head of
    the program, or when they are forgotten.
    """
    gone = outline(program).calls_of("forget")
    behind = live_behind(program.body, gone)
    found = live_at_head(program.body)
    found.difference_update([param.name for param in program.params])
    found.difference_update([cell for _, cell in program.free])
    return found.union(*[behind[id(node)].intersection(node.bound) for node in gone])


def binds_before_it_reads(program: Program, names: Set[str] | None = None) -> bool:
    """Is every name, or are these, bound for certain wherever they are read?

    >>> from astad.compiler.lower.function import program_of
    >>> binds_before_it_reads(program_of('''
    ...     if x > 0.0:
    ...         y = x
    ...     else:
    ...         y = -x
    ...     return y
    ... '''))
    True
    """
    unbound = may_be_unbound(program)
    return not unbound if names is None else unbound.isdisjoint(names)
