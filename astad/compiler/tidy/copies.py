"""Drop copies in a reverse sweep: a cotangent that only hands another on is replaced by it.

``t_bar = y_bar; x_bar = t_bar * c`` becomes ``x_bar = y_bar * c``.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from astad.compiler.analysis.structure import blocks, operands
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Bind, Block, Call, Node, Operand, Prim, Star

__all__ = ["drop_copies"]


def drop_copies(derived: Derived) -> Derived:
    """In every generated function, names of the user's left alone."""
    return replace(
        derived,
        functions=tuple(replace(f, body=_clean(f.body, derived.taken)) for f in derived.functions),
    )


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
            binds.update([str(node.args[0])] * 2)  # changed in place: never under two names
        for block in blocks(node):
            _count(block, binds, reads)


def _flat(target: object) -> list[str]:
    if target is None:
        return []
    return (
        [target] if isinstance(target, str) else [name for part in target for name in _flat(part)]  # type: ignore[attr-defined]
    )


class _Places:
    """Where in a block names are read and bound: indices of its statements, those inside counted
    as their own.
    """

    def __init__(self, body: Block) -> None:
        self.reads: dict[str, list[int]] = {}
        self.binds: dict[str, list[int]] = {}
        self.compound = {at for at, node in enumerate(body) if blocks(node)}
        for at, node in enumerate(body):
            binds: Counter[str] = Counter()
            reads: Counter[str] = Counter()
            _count((node,), binds, reads)
            for name, times in reads.items():
                self.reads.setdefault(name, []).extend([at] * times)
            for name in binds:
                self.binds.setdefault(name, []).append(at)

    def may_stand(self, source: str, target: str, at: int) -> bool:
        """Does the source keep its value from the copy at this place until the target's last "
        "read?"""
        last = self.reads.get(target, [at])[-1]
        bound = self.binds.get(source, [])
        following = bisect.bisect_right(bound, at)
        if following == len(bound) or bound[following] > last:
            return True
        return bound[following] == last and last not in self.compound


def _block(
    body: Block, binds: Counter[str], reads: Counter[str], taken: frozenset[str]
) -> list[Node]:
    """A copy goes when all its reads come in the same block before its source is bound again."""
    places = _Places(body)
    stands: dict[str, str] = {}
    out: list[Node] = []
    for at, node in enumerate(body):
        if isinstance(node, Bind) and isinstance(node.source, str):
            source = stands.get(node.source, node.source)
            here = len(places.reads.get(str(node.target), ())) == reads[str(node.target)]
            if (
                here
                and _is_copy(node, source, binds, taken)
                and places.may_stand(source, node.target, at)
            ):
                stands[node.target] = source
                continue
        node = _renamed(node, stands) if stands else node
        names = [name for name in ("head", "body", "orelse") if hasattr(node, name)]
        parts = {name: tuple(_block(getattr(node, name), binds, reads, taken)) for name in names}
        out.append(replace(node, **parts) if parts else node)  # type: ignore[arg-type]
    return out


def _is_copy(node: Bind, source: str, binds: Counter[str], taken: frozenset[str]) -> bool:
    """A cotangent bound once, from another cotangent; names of the user's are left alone."""
    target = node.target
    if not isinstance(target, str) or target in taken or source in taken or binds[target] != 1:
        return False
    return target.endswith("_bar") and "_bar" in source


def _renamed(node: Node, new: Mapping[str, str]) -> Node:
    def now(operand: Operand) -> Operand:
        return new.get(operand, operand) if isinstance(operand, str) else operand

    if isinstance(node, Call):
        fn = node.fn if isinstance(node.fn, Prim) else now(node.fn)
        args = tuple(Star(now(a.operand)) if isinstance(a, Star) else now(a) for a in node.args)
        return replace(
            node,
            fn=fn,
            args=args,
            keywords=tuple((word, now(value)) for word, value in node.keywords),
        )
    changes: dict[str, object] = {
        field: now(value)
        for field in ("source", "test", "iterable", "value")
        if isinstance(value := getattr(node, field, None), str)
    }
    for field in ("head", "body", "orelse"):
        if hasattr(node, field):
            changes[field] = tuple(_renamed(part, new) for part in getattr(node, field))
    return replace(node, **changes) if changes else node  # type: ignore[arg-type]
