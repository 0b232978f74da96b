"""Drop statements of a reverse sweep that bind what nobody reads afterwards.

``t_bar = y_bar * x; x_bar = y_bar * t; return x_bar`` becomes ``x_bar = y_bar * t; return x_bar``.
Of the forward sweep only copies and empty bindings of our own may go: the user's statements all
stay.
"""

from __future__ import annotations

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.flow import Live
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Exit,
    Node,
    Prim,
    Raise,
    Ref,
    Try,
    While,
)
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.compiler.ir.walk import blocks, kept, with_blocks

__all__ = ["drop_dead_code"]

PURE = {*BINARY, *UNARY, *COMPARE, "tuple", "getattr", "getitem", "slice"}
PURE_FUNCTIONS = {
    "astad.tangents.add": {"add"},
    "astad.tangents.arrays": {"sum_to_shape"},
    "builtins": {"reversed", "zip"},
    "numpy": {"zeros", "full", "eye", "expand_dims", "broadcast_to"},
}


def drop_dead_code(derived: Derived) -> Derived:
    """In every generated function, by what is read on some way to its end."""
    return derived.with_bodies(lambda function: _left(function.body, derived.taken))


def _left(body: Block, taken: frozenset[str]) -> Block:
    live = _Needed(taken)
    live.block(body, set())

    def cleaned(block: Block) -> Block:
        left = [node for node in block if id(node) in live.needed]
        return kept(block, [with_blocks(n, cleaned) if type(n) in COMPOUND else n for n in left])

    return cleaned(body) if live.drops else body


class _Needed(Live):
    """Liveness where a statement that nobody needs reads nothing; ``needed`` are, by ``id``, those
    that somebody does, wherever they stand.
    """

    def __init__(self, taken: frozenset[str]) -> None:
        super().__init__()
        self.taken = taken
        self.needed: set[int] = set()
        self.drops = False

    def step(self, node: Bind | Call, facts: set[str]) -> None:
        if (type(node) is Call and node.target in facts) or not self._is_dead(node, facts):
            facts.difference_update(node.bound)
            facts.update(node.read)
            self.needed.add(id(node))
        else:
            self.drops = True

    def before(self, node: Node, before: set[str], after: set[str]) -> set[str]:
        """A branch or a loop in which nothing is left goes as well."""
        assert type(node) is not Try  # what has a tape is not tidied
        is_left = not all(self.needed.isdisjoint(map(id, block)) for block in blocks(node))
        if not is_left and type(node) is not While and is_reverse(node):
            self.drops = True
            return after
        self.needed.add(id(node))
        return before

    def leads_to(self, node: Exit | Raise, after: set[str] | None) -> set[str] | None:
        self.needed.add(id(node))
        return super().leads_to(node, after)

    def _is_dead(self, node: Bind | Call, live: set[str]) -> bool:
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
