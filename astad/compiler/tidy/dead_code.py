"""Drop statements of a reverse sweep that bind what nobody reads afterwards.

``t_bar = y_bar * x; x_bar = y_bar * t; return x_bar`` becomes ``x_bar = y_bar * t; return x_bar``.
Of the forward sweep only copies and empty bindings of our own may go: the user's statements all
stay.
"""

from __future__ import annotations

from collections.abc import Set

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Exit,
    Loop,
    Node,
    Prim,
    Raise,
    Ref,
    Try,
    While,
    immutable,
)
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.compiler.ir.walk import bound_inside, kept

__all__ = ["drop_dead_code"]

PURE = {*BINARY, *UNARY, *COMPARE, "tuple", "getattr", "getitem", "slice"}
PURE_FUNCTIONS = {
    "astad.tangents.add": {"add"},
    "astad.tangents.arrays": {"sum_to_shape"},
    "builtins": {"reversed", "zip"},
    "numpy": {"zeros", "full", "eye", "expand_dims", "broadcast_to"},
}
Compound = Branch | Loop | While
Names = Set[str]
NONE: Names = frozenset()


def drop_dead_code(derived: Derived) -> Derived:
    """In every generated function, by what is read on some way to its end."""
    cleaner = _Cleaner(derived.taken)
    nowhere = _Exits(NONE, NONE)
    return derived.with_bodies(lambda function: cleaner.block(function.body, NONE, nowhere)[0])


@immutable
class _Exits:
    """What is read after a ``break`` and after a ``continue``."""

    after: Names
    again: Names


class _Cleaner:
    """Goes through blocks from their ends with the names that are read further on."""

    def __init__(self, taken: frozenset[str]) -> None:
        self.taken = taken

    def block(self, body: Block, live: Names, exits: _Exits) -> tuple[Block, Names]:
        """The block without dead statements, and what is read from its head on."""
        if not body:
            return body, live
        out: list[Node] = []
        live = set(live)
        for node in reversed(body):
            if type(node) is Call or type(node) is Bind:
                is_read = type(node) is Call and node.target in live
                if is_read or not self._is_dead(node, live):
                    live.difference_update(node.bound)
                    live.update(node.read)
                    out.append(node)
                continue
            assert not isinstance(node, (Try, Call, Bind))  # what has a tape is not tidied
            made, before = self._node(node, live, exits)
            live = before if type(before) is set else set(before)
            if made is not None:
                out.append(made)
        return kept(body, reversed(out)), live

    def _node(
        self, node: Compound | Exit | Raise, live: Names, exits: _Exits
    ) -> tuple[Node | None, Names]:
        if isinstance(node, Branch):
            return self._branch(node, live, exits)
        if isinstance(node, Loop):
            return self._loop(node, live, exits)
        if isinstance(node, While):
            return self._while(node, live, exits)
        targets = {"break": exits.after, "continue": exits.again}
        after = targets.get(node.how, NONE) if isinstance(node, Exit) else NONE
        return node, after | set(node.read)

    def _branch(self, node: Branch, live: Names, exits: _Exits) -> tuple[Node | None, Names]:
        body, first = self.block(node.body, live, exits)
        orelse, second = self.block(node.orelse, live, exits)
        if not body and not orelse and is_reverse(node):
            return None, live
        both = set(first)
        both |= second
        both.update(node.read)
        same = body is node.body and orelse is node.orelse
        return node if same else Branch(node.test, body, orelse, node.line), both

    def _loop(self, node: Loop, live: Names, exits: _Exits) -> tuple[Node | None, Names]:
        """Once more round as long as an iteration reads more of what the one before has bound."""
        orelse, head = self.block(node.orelse, live, exits)
        bound = bound_inside(node)
        while True:
            body, needed = self.block(node.body, head, _Exits(live, head))
            more = needed - head - set(node.bound)
            head = head | more
            if more.isdisjoint(bound):
                break
        if is_reverse(node) and not orelse and not body:
            return None, live  # no program is known: activity leaves such loops out
        same = body is node.body and orelse is node.orelse
        made = node if same else Loop(node.target, node.iterable, body, orelse, node.line)
        return made, head | set(node.read)

    def _while(self, node: While, live: Names, exits: _Exits) -> tuple[Node | None, Names]:
        orelse, after = self.block(node.orelse, live, exits)
        start: Names = NONE
        while True:
            inside = _Exits(live, start)
            body, again = self.block(node.body, start, inside)
            head, grown = self.block(node.head, again | after | set(node.read), inside)
            if grown == start:
                break
            start = grown | start
        same = head is node.head and body is node.body and orelse is node.orelse
        return node if same else While(head, node.test, body, orelse, node.line), start

    def _is_dead(self, node: Bind | Call, live: Names) -> bool:
        target = node.target
        if not isinstance(target, str):
            return False
        if type(node) is Bind and node.source == target:
            return is_reverse(node)
        if target in live:
            return False
        own = node.line == 0 and target not in self.taken
        return (own or is_reverse(node)) and (type(node) is Bind or _is_pure(node))  # type: ignore[arg-type]


def _is_pure(node: Call) -> bool:
    if isinstance(node.fn, Prim):
        return node.fn.name in PURE
    fn = node.fn
    return isinstance(fn, Ref) and (
        fn.module == "math" or fn.name in PURE_FUNCTIONS.get(fn.module, ())
    )
