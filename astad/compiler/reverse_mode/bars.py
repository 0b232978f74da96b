"""Cotangents while the reverse sweep is written: which names have one, under what name, and whether it may be None.

The cotangent belongs to the name, as the value does: a binding takes it, a read adds to it. A name without an entry
in ``state`` has the cotangent zero, and no text is spent on it. 'live' is a number or an array, 'maybe' may be None.
"""

from __future__ import annotations

from collections.abc import Callable

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.kinds import FLOAT, UNKNOWN, is_real
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Branch, Call, Const, Node, Operand, Prim, Ref

__all__ = ["ADD", "Bars", "NONE"]

ADD = Ref("astad.tangents.add", "add")
NONE = Const(None)
Writer = Callable[[list[Node]], None]


class Bars:
    """The table of cotangents, and the statements that change it."""

    def __init__(self, facts: Facts, names: Names) -> None:
        self.facts = facts
        self.names = names
        self.state: dict[str, str] = {}
        self._called: dict[str, str] = {}

    def name(self, value: str) -> str:
        """``y_bar`` for ``y``, the same at every call."""
        if value not in self._called:
            self._called[value] = self.names.fresh(f"{value}_bar")
        return self._called[value]

    def take(self, value: str) -> str | None:
        """The cotangent of a value that is bound here: read and, going back, zero again."""
        return self.name(value) if self.state.pop(value, None) else None

    def give(self, value: str, part: Operand, line: int, out: list[Node], *, certain: bool = True) -> None:
        """Add one part; ``certain`` when it cannot be None."""
        bar, before = self.name(value), self.state.get(value)
        real = is_real(self.facts.kind.get(value, UNKNOWN))
        if before is None and real and not certain:
            before, certain = "live", False
            out.append(Bind(bar, self.zero(value), line))
        if before is None:
            if part != bar:
                out.append(Bind(bar, part, line))
            self.state[value] = "live" if certain else "maybe"
            return
        plain = before == "live" and certain
        out.append(Call(bar, Prim("add") if plain else ADD, (bar, part), (), line))
        self.state[value] = "live" if before == "live" or certain else "maybe"

    def zero(self, value: str) -> Const:
        """A real zero for numbers, None for what may be an array or anything."""
        kind = self.facts.kind.get(value, UNKNOWN)
        return Const(0.0 if kind == FLOAT else 0) if is_real(kind) else NONE

    def make_present(self, value: str, line: int, out: list[Node]) -> None:
        """Write a zero where there is none, so that two paths agree."""
        if value not in self.state:
            zero = self.zero(value)
            out.append(Bind(self.name(value), zero, line))
            self.state[value] = "maybe" if zero == NONE else "live"

    def branch(self, test: Operand, body: Writer, orelse: Writer, line: int, out: list[Node]) -> None:
        """Write both arms from the same state and bring them to one."""
        start = dict(self.state)
        first: list[Node] = []
        body(first)
        after_first, self.state = self.state, start
        second: list[Node] = []
        orelse(second)
        after_second = self.state
        for value in sorted({*after_first, *after_second}):
            for state, arm in ((after_first, first), (after_second, second)):
                if value not in state:
                    self.state = state
                    self.make_present(value, line, arm)
            both_live = after_first[value] == after_second[value] == "live"
            after_first[value] = "live" if both_live else "maybe"
        self.state = after_first
        if first or second:
            out.append(Branch(test, tuple(first), tuple(second), line))
