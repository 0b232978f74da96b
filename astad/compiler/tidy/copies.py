"""Drop copies in a reverse sweep: a cotangent that only hands another on is replaced by it.

``t_bar = y_bar; x_bar = t_bar * c`` becomes ``x_bar = y_bar * c``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from astad.compiler.analysis.structure import blocks, bound_names, operands
from astad.compiler.ir.nodes import Bind, Block, Call, Node, Operand, Prim, Star
from astad.compiler.reverse_mode.sweeps import Derived

__all__ = ["drop_copies"]


def drop_copies(derived: Derived) -> Derived:
    """In every generated function, names of the user's left alone."""
    return replace(derived, functions=tuple(replace(f, body=_clean(f.body, derived.taken)) for f in derived.functions))


def _clean(body: Block, taken: frozenset[str]) -> Block:
    binds: Counter[str] = Counter()
    reads: Counter[str] = Counter()
    _count(body, binds, reads)
    return tuple(_block(body, binds, reads, taken))


def _count(body: Iterable[Node], binds: Counter[str], reads: Counter[str]) -> None:
    for node in body:
        binds.update(_flat(getattr(node, "target", None)))
        reads.update(operand for operand in operands(node) if isinstance(operand, str))
        if isinstance(node, Call) and node.fn == Prim("accumulate"):
            binds.update([str(node.args[0])] * 2)                    # changed in place: never handed on under two names
        for block in blocks(node):
            _count(block, binds, reads)


def _flat(target: object) -> list[str]:
    if target is None:
        return []
    return [target] if isinstance(target, str) else [name for part in target for name in _flat(part)]  # type: ignore[attr-defined]


def _block(body: Block, binds: Counter[str], reads: Counter[str], taken: frozenset[str]) -> list[Node]:
    """A copy goes when all its reads come in the same block before its source is bound again."""
    out: list[Node] = []
    for at, node in enumerate(body):
        if isinstance(node, Bind) and _may_go(node, body[at + 1 :], binds, reads, taken):
            assert isinstance(node.source, str)
            rest = tuple(_renamed(part, node.target, node.source) for part in body[at + 1 :])
            return out + _block(rest, binds, reads, taken)
        names = [name for name in ("head", "body", "orelse") if hasattr(node, name)]
        parts = {name: tuple(_block(getattr(node, name), binds, reads, taken)) for name in names}
        out.append(replace(node, **parts) if parts else node)  # type: ignore[arg-type]
    return out


def _may_go(
    node: Bind, rest: Block, binds: Counter[str], reads: Counter[str], taken: frozenset[str]
) -> bool:
    target, source = node.target, node.source
    if not isinstance(target, str) or not isinstance(source, str) or target in taken or source in taken:
        return False
    if binds[target] != 1 or not target.endswith("_bar") or "_bar" not in source:
        return False
    found = 0
    for part in rest:
        found += sum(operand == target for operand in operands(part))
        if blocks(part):
            inside: Counter[str] = Counter()
            bound: Counter[str] = Counter()
            for block in blocks(part):
                _count(block, bound, inside)
            if inside[target] and bound[source]:
                return False
            found += inside[target]
            if bound[source]:
                break
        if source in bound_names(part):
            break
    return found == reads[target]


def _renamed(node: Node, old: str, new: str) -> Node:
    def now(operand: Operand) -> Operand:
        return new if operand == old else operand

    if isinstance(node, Call):
        fn = node.fn if isinstance(node.fn, Prim) else now(node.fn)
        args = tuple(Star(now(a.operand)) if isinstance(a, Star) else now(a) for a in node.args)
        return replace(node, fn=fn, args=args, keywords=tuple((word, now(value)) for word, value in node.keywords))
    changes: dict[str, object] = {
        field: new for field in ("source", "test", "iterable", "value") if getattr(node, field, None) == old
    }
    for field in ("head", "body", "orelse"):
        if hasattr(node, field):
            changes[field] = tuple(_renamed(part, old, new) for part in getattr(node, field))
    return replace(node, **changes) if changes else node  # type: ignore[arg-type]
