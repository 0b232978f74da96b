"""Record an iteration in one place where all its ends record the same.

``x_kept = x; ...; x = x - f / g; if c: kept.append((x_kept, g)); break`` and the same append at the
end of the body become one ``kept.append((x, g))`` before x is bound again; then nothing need be
copied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Star,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks, bound_inside, kept, walk, with_blocks

__all__ = ["record_early"]

Fields = tuple[Operand | Star, ...]


def record_early(derived: Derived) -> Derived:
    """In every loop of every generated function."""
    return derived.with_bodies(
        lambda function: (
            _block(function.body, derived.taken)
            if any(map(_is_append, outline(function).calls_of("method")))
            else function.body
        )
    )


METHOD = Prim("method")


def _block(body: Block, taken: frozenset[str]) -> Block:
    out: list[Node] = []
    for node in body:
        if type(node) in COMPOUND:
            node = with_blocks(node, lambda block: _block(block, taken))
        if type(node) is Loop or type(node) is While:
            made = _iteration(node.body, taken)
            node = node if made is node.body else replace(node, body=made)
        out.append(node)
    return kept(body, out)


@dataclass(slots=True)
class _Site:
    """One append: the call, its tuple if it has one, what it records, and the statement of the
    body that it stands in.
    """

    append: Call
    pack: Call | None
    fields: Fields
    place: int


def _sites(block: Block, found: list[_Site], place: int | None = None) -> None:
    for at, (before, node) in enumerate(zip((None, *block), block, strict=False)):
        here = at if place is None else place
        if _is_append(node):
            assert isinstance(node, Call)
            item = node.args[2]
            is_packed = isinstance(before, Call) and before.fn == Prim("tuple")
            pack = before if isinstance(before, Call) and is_packed else None
            pack = pack if pack is not None and pack.target == item else None
            found.append(_Site(node, pack, pack.args if pack else (item,), here))
        for inner in blocks(node):
            _sites(inner, found, here)


def _is_append(node: Node) -> bool:
    if type(node) is not Call or node.fn is not METHOD or node.target is not None:
        return False
    return node.args[1] == Const("append") and str(node.args[0]).startswith("kept_")


def _iteration(body: Block, taken: frozenset[str]) -> Block:
    if not body or not _is_append(body[-1]):
        return body
    sites: list[_Site] = []
    _sites(body, sites)
    if not _are_alike(sites, taken):
        return body
    place = _place(body, sites[-1].fields, {id(site.append) for site in sites})
    if place is None or any(site.place <= place for site in sites):
        return body
    return _moved(body, sites, place)


def _are_alike(sites: list[_Site], taken: frozenset[str]) -> bool:
    first = sites[0]
    return str(first.append.args[0]) not in taken and all(
        site.fields == first.fields and site.append.args[0] == first.append.args[0]
        for site in sites
    )


def _place(body: Block, fields: Fields, appends: set[int]) -> int | None:
    """The last statement of the body that binds a field or may leave without a record.

    None where a block inside binds one, or a return leaves.
    """
    last = -1
    names = frozenset(fields)
    for at, node in enumerate(body):
        if type(node) is Call or type(node) is Bind:
            last = last if names.isdisjoint(node.bound) else at
            continue
        returns = any(isinstance(part, Exit) and part.how == "return" for part in walk((node,)))
        if returns or not names.isdisjoint(bound_inside(node)):
            return None
        if not _records(node, appends):
            last = at
    return last


def _records(node: Node, appends: set[int]) -> bool:
    """Does every way out of the iteration inside this statement record just before it leaves?"""
    for block in _own_blocks((node,)):
        for before, part in zip((None, *block), block, strict=False):
            if isinstance(part, Exit) and id(before) not in appends:
                return False
    return True


def _own_blocks(block: Block) -> list[Block]:
    """The block and those in it where ``break`` means the same loop."""
    found = [block]
    for node in block:
        inner = (node.orelse,) if isinstance(node, Loop | While) else blocks(node)
        for part in inner:
            found += _own_blocks(part)
    return found


def _moved(body: Block, sites: list[_Site], place: int) -> Block:
    gone = {id(part) for site in sites for part in (site.append, site.pack)}
    copies = _copies(body[: place + 1], sites[-1].fields)
    if len(sites) == 1 and not copies:
        return body
    fields = tuple(copies.get(str(name), name) for name in sites[-1].fields)
    last = sites[-1]
    made: list[Node] = []
    if last.pack is None:
        made.append(replace(last.append, args=(*last.append.args[:2], *fields)))
    else:
        made += [replace(last.pack, args=fields), last.append]

    def without(block: Block) -> Block:
        return tuple(with_blocks(node, without) for node in block if id(node) not in gone)

    return (*without(body[: place + 1]), *made, *without(body[place + 1 :]))


def _copies(body: Block, fields: Fields) -> dict[str, Operand]:
    """Copies of ours whose source is not bound again before the end of these statements."""
    found: dict[str, Operand] = {}
    for at, node in enumerate(body):
        if not isinstance(node, Bind) or node.line != 0 or node.target not in fields:
            continue
        if not any(node.source in bound_inside(later) for later in body[at + 1 :]):
            found[node.target] = node.source
    return found
