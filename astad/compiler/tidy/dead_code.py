"""Drop statements of a reverse sweep that bind what nobody reads.

``t_bar = y_bar * x; x_bar = y_bar * t; return x_bar`` becomes ``x_bar = y_bar * t; return x_bar``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from astad.compiler.analysis.structure import blocks, bound_names, operands
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Loop, Node, Prim, Ref
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY

__all__ = ["drop_dead_code"]

PURE = {*BINARY, *UNARY, *COMPARE, "tuple", "getattr", "getitem", "slice"}
PURE_FUNCTIONS = {"add", "zeros", "full", "expand_dims", "broadcast_to"}
ROUNDS = 3
"""One round from the end serves straight text; what a loop carries to its own head takes "
"another."""


def drop_dead_code(derived: Derived) -> Derived:
    """Only in reverse sweeps: the user's statements all stay."""
    first, *rest = derived.functions
    return replace(derived, functions=(first, *(replace(f, body=_clean(f.body)) for f in rest)))


def _clean(body: Block) -> Block:
    reads: Counter[str] = Counter()
    _count(body, reads)
    for _ in range(ROUNDS):
        size = sum(reads.values())
        body = _swept(body, reads)
        if sum(reads.values()) == size:
            break
    return body


def _read_by(node: Node) -> list[str]:
    """Names whose reading keeps them alive: ``x_bar = x_bar + g`` alone does not keep x_bar."""
    own = set(bound_names(node)) if isinstance(node, Call) else set()
    return [name for name in operands(node) if isinstance(name, str) and name not in own]


def _count(body: Iterable[Node], reads: Counter[str]) -> None:
    for node in body:
        reads.update(_read_by(node))
        for block in blocks(node):
            _count(block, reads)


def _swept(body: Block, reads: Counter[str]) -> Block:
    """The block without dead statements; from its end, so that what only they read is dead in its
    turn.
    """
    out: list[Node] = []
    for node in reversed(body):
        names = [name for name in ("orelse", "body") if hasattr(node, name)]
        made = (
            replace(node, **{name: _swept(getattr(node, name), reads) for name in names})  # type: ignore[arg-type]
            if names
            else node
        )
        if _is_empty(made) or _is_dead(made, reads):
            reads.subtract(_read_by(node))
        else:
            out.append(made)
    return tuple(reversed(out))


def _is_empty(node: Node) -> bool:
    return (isinstance(node, Branch) and not node.body and not node.orelse) or (
        isinstance(node, Loop) and not node.body
    )


def _is_dead(node: Node, reads: Counter[str]) -> bool:
    if isinstance(node, Bind):
        return isinstance(node.target, str) and reads[node.target] <= 0
    if not isinstance(node, Call) or not isinstance(node.target, str) or reads[node.target] > 0:
        return False
    if isinstance(node.fn, Prim):
        return node.fn.name in PURE
    return isinstance(node.fn, Ref) and node.fn.name in PURE_FUNCTIONS
