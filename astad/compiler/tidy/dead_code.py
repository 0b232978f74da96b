"""Drop statements of a reverse sweep that bind what nobody reads.

``t_bar = y_bar * x; x_bar = y_bar * t; return x_bar`` becomes ``x_bar = y_bar * t; return x_bar``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Loop, Node, Prim, Ref
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.compiler.ir.walk import binds, reads, walk

__all__ = ["drop_dead_code"]

PURE = {*BINARY, *UNARY, *COMPARE, "tuple", "getattr", "getitem", "slice"}
PURE_FUNCTIONS = {"add", "zeros", "full", "expand_dims", "broadcast_to"}
ROUNDS = 3
"""One round from the end serves straight text; what a loop carries to its head takes another."""


def drop_dead_code(derived: Derived) -> Derived:
    """Only in reverse sweeps: the user's statements all stay."""
    first, *rest = derived.functions
    return replace(derived, functions=(first, *(replace(f, body=_clean(f.body)) for f in rest)))


def _clean(body: Block) -> Block:
    alive = Counter(name for node in walk(body) for name in _read_by(node))
    for _ in range(ROUNDS):
        size = sum(alive.values())
        body = _swept(body, alive)
        if sum(alive.values()) == size:
            break
    return body


def _read_by(node: Node) -> list[str]:
    """Names whose reading keeps them alive: ``x_bar = x_bar + g`` alone does not keep x_bar."""
    own = binds(node) if isinstance(node, Call) else ()
    return [name for name in reads(node) if name not in own]


def _swept(body: Block, alive: Counter[str]) -> Block:
    """The block without dead statements; from its end: what only they read is dead in its turn."""
    out: list[Node] = []
    for node in reversed(body):
        made = _with_swept_blocks(node, alive)
        if _is_empty(made) or _is_dead(made, alive):
            alive.subtract(_read_by(node))
        else:
            out.append(made)
    return tuple(reversed(out))


def _with_swept_blocks(node: Node, alive: Counter[str]) -> Node:
    """With the arm that runs last swept first."""
    if not isinstance(node, Branch | Loop):
        return node
    orelse = _swept(node.orelse, alive)
    return replace(node, body=_swept(node.body, alive), orelse=orelse)


def _is_empty(node: Node) -> bool:
    """A branch or loop in which nothing is left to run."""
    if isinstance(node, Branch):
        return not node.body and not node.orelse
    return isinstance(node, Loop) and not node.body


def _is_dead(node: Node, alive: Counter[str]) -> bool:
    if isinstance(node, Bind):
        return isinstance(node.target, str) and alive[node.target] <= 0
    if not isinstance(node, Call) or not isinstance(node.target, str) or alive[node.target] > 0:
        return False
    if isinstance(node.fn, Prim):
        return node.fn.name in PURE
    return isinstance(node.fn, Ref) and node.fn.name in PURE_FUNCTIONS
