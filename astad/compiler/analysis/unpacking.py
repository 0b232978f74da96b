"""Arrays taken apart into names: ``x, y = v`` is three statements that are one operation."""

from __future__ import annotations

from collections.abc import Mapping

from astad.compiler.ir.immutable import immutable
from astad.compiler.ir.nodes import COMPOUND, Block, Call, Const, Node, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks

__all__ = ["Unpacking", "find_unpackings"]


UNPACK, GETITEM = Prim("unpack"), Prim("getitem")


@immutable
class Unpacking:
    """``t = unpack(v, 2)`` and the statements right after it that bind a name to each part."""

    whole: Call
    targets: tuple[str, ...]
    parts: tuple[Call, ...] = ()


def find_unpackings(program: Program) -> dict[int, Unpacking]:
    """By ``id`` of each of their statements."""
    found: dict[int, Unpacking] = {}
    text = outline(program)
    if not text.calls_of("unpack"):
        return found
    around = [node for node in text.nodes if type(node) in COMPOUND]
    for block in (program.body, *(part for node in around for part in blocks(node))):
        for at, node in enumerate(block):
            if type(node) is not Call or node.fn is not UNPACK:
                continue
            parts = _parts(node, block, at, text.read)
            if parts is not None:
                whole = Unpacking(node, tuple(str(part.target) for part in parts), tuple(parts))
                found.update((id(part), whole) for part in (node, *parts))
    return found


def _parts(node: Call, block: Block, at: int, read: Mapping[str, int]) -> list[Call] | None:
    count = node.args[1].value if isinstance(node.args[1], Const) else None
    if not isinstance(count, int) or node.args[2] != Const(None) or read[str(node.target)] != count:
        return None
    following = block[at + 1 : at + 1 + count]
    parts = [part for number, part in enumerate(following) if _is_part(part, node, number)]
    return parts if len(parts) == count else None  # type: ignore[return-value]


def _is_part(part: Node, node: Call, number: int) -> bool:
    return (
        isinstance(part, Call)
        and part.fn is GETITEM
        and part.args == (node.target, Const(number))
        and isinstance(part.target, str)
        and part.target not in (node.target, *node.args)
    )
