"""Drop statements of a derived program that bind what nobody reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from astad.compiler.analysis.structure import blocks, bound_names, operands
from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Loop, Node, Prim
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.compiler.reverse_mode.sweeps import Derived

__all__ = ["drop_dead_code"]

PURE = {*BINARY, *UNARY, *COMPARE, "tuple", "getattr", "getitem"}


def drop_dead_code(derived: Derived) -> Derived:
    """Only in reverse sweeps: the user's statements all stay."""
    first, *rest = derived.functions
    return replace(derived, functions=(first, *(replace(f, body=_clean(f.body)) for f in rest)))


def _clean(body: Block) -> Block:
    while True:
        reads: Counter[str] = Counter()
        _count(body, reads)
        after = tuple(_kept(body, reads))
        if after == body:
            return body
        body = after


def _count(body: Iterable[Node], reads: Counter[str]) -> None:
    for node in body:
        own = set(bound_names(node)) if isinstance(node, Call) else set()
        for operand in operands(node):
            if isinstance(operand, str) and operand not in own:      # x_bar = x_bar + g alone keeps nothing alive
                reads[operand] += 1
        for block in blocks(node):
            _count(block, reads)


def _kept(body: Block, reads: Counter[str]) -> list[Node]:
    out: list[Node] = []
    for node in body:
        if _is_dead(node, reads):
            continue
        names = [name for name in ("body", "orelse") if hasattr(node, name)]
        parts = {name: tuple(_kept(getattr(node, name), reads)) for name in names}
        made = replace(node, **parts) if parts else node  # type: ignore[arg-type]
        if isinstance(made, Branch) and not made.body and not made.orelse:
            continue
        if isinstance(made, Loop) and not made.body:
            continue
        out.append(made)
    return out


def _is_dead(node: Node, reads: Counter[str]) -> bool:
    if isinstance(node, Bind):
        target = node.target
        return isinstance(target, str) and not reads[target]
    if not isinstance(node, Call) or not isinstance(node.target, str) or reads[node.target]:
        return False
    pure = isinstance(node.fn, Prim) and node.fn.name in PURE
    return pure or (not isinstance(node.fn, Prim | str) and getattr(node.fn, "name", "") == "add")
