"""Cotangents while the reverse sweep is written: their names, and whether they may be None.

The cotangent belongs to the name, as the value does: a binding takes it, a read adds to it. A
name without an entry in ``state`` has the cotangent zero, and no text is spent on it. 'live' is
a number or an array, 'owned' a buffer that nobody else has, 'maybe' may be None.
"""

from __future__ import annotations

from collections.abc import Callable

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import FLOAT, is_real
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Branch, Call, Const, Node, Operand, Prim, Ref

__all__ = ["ADD", "NONE", "Bars", "weaker"]

ADD = Ref("astad.tangents.add", "add")
OWNED = Ref("astad.tangents.arrays", "owned")
NONE = Const(None)
Writer = Callable[[list[Node]], None]


class Bars:
    """The table of cotangents, and the statements that change it."""

    def __init__(self, facts: Facts, names: Names) -> None:
        self.facts = facts
        self.names = names
        self.state: dict[str, str] = {}
        self.value_of: Callable[[str], Operand] = lambda value: value
        self._called: dict[str, str] = {}

    def name(self, value: str) -> str:
        """``y_bar`` for ``y``, the same at every call."""
        if value not in self._called:
            self._called[value] = self.names.fresh(f"{value}_bar")
        return self._called[value]

    def take(self, value: str) -> str | None:
        """The cotangent of a value that is bound here: read and, going back, zero again."""
        return self.name(value) if self.state.pop(value, None) else None

    def give(
        self, value: str, part: Operand, line: int, out: list[Node], *, certain: bool = True
    ) -> None:
        """Add one part; ``certain`` when it cannot be None."""
        if value in self.facts.indexed and certain:
            self.give_slot(value, Const(...), part, line, out)
            return
        bar, before = self.name(value), self.state.get(value)
        real = is_real(self.facts.kind_of(value))
        if before is None and real and not certain:
            before, certain = "live", False
            out.append(Bind(bar, self.zero(value), line))
        if before is None:
            if part != bar:
                out.append(Bind(bar, part, line))
            self.state[value] = "live" if certain else "maybe"
            return
        plain = before != "maybe" and certain
        out.append(Call(bar, Prim("add") if plain else ADD, (bar, part), (), line))
        self.state[value] = "live" if before != "maybe" or certain else "maybe"

    def give_slot(
        self, value: str, index: Operand, part: Operand, line: int, out: list[Node]
    ) -> None:
        """Add one part to an element or slice: in place, in a buffer made once."""
        self.make_present(value, line, out)
        if self.state[value] != "owned":
            shape = self.names.numbered("t")
            out.append(
                Call(shape, Prim("getattr"), (self.value_of(value), Const("shape")), (), line)
            )
            out.append(Call(self.name(value), OWNED, (self.name(value), shape), (), line))
            self.state[value] = "owned"
        out.append(Call(None, Prim("accumulate"), (self.name(value), index, part), (), line))

    def zero(self, value: str) -> Const:
        """A real zero for numbers, None for what may be an array or anything."""
        kind = self.facts.kind_of(value)
        return Const(0.0 if kind == FLOAT else 0) if is_real(kind) else NONE

    def make_present(self, value: str, line: int, out: list[Node]) -> None:
        """Write a zero where there is none, so that two paths agree."""
        if value not in self.state and value in self.facts.indexed:
            shape = self.names.numbered("t")
            out.append(
                Call(shape, Prim("getattr"), (self.value_of(value), Const("shape")), (), line)
            )
            out.append(Call(self.name(value), Ref("numpy", "zeros"), (shape,), (), line))
            self.state[value] = "owned"
        elif value not in self.state:
            zero = self.zero(value)
            out.append(Bind(self.name(value), zero, line))
            self.state[value] = "maybe" if zero == NONE else "live"

    def branch(
        self, test: Operand, body: Writer, orelse: Writer, line: int, out: list[Node]
    ) -> None:
        """Write both arms from the same state and bring them to one."""
        start, value_of = dict(self.state), self.value_of
        first: list[Node] = []
        body(first)
        after_first, self.state = self.state, start
        second: list[Node] = []
        orelse(second)
        after_second, self.value_of = self.state, value_of
        for value in sorted({*after_first, *after_second}):
            for state, arm in ((after_first, first), (after_second, second)):
                if value not in state:
                    self.state = state
                    self.make_present(value, line, arm)
            after_first[value] = weaker(after_first[value], after_second[value])
        self.state = after_first
        if first or second:
            out.append(Branch(test, tuple(first), tuple(second), line))


def weaker(a: str, b: str) -> str:
    """What is known of a cotangent that is in either state.

    >>> weaker("owned", "owned"), weaker("owned", "live"), weaker("live", "maybe")
    ('owned', 'live', 'maybe')
    """
    order = ("maybe", "live", "owned")
    return order[min(order.index(a), order.index(b))]
