"""Small tuples that are made and taken apart in one function become names.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(split_tuples(program_of('''
...     t = (a, b)
...     x, y = t
... '''))))
x = a
y = b
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from astad.compiler.analysis.structure import blocks, bound_names, operands
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Node, Operand, Prim, Program, Star

__all__ = ["split_tuples"]


def split_tuples(program: Program) -> Program:
    """Replace tuples whose every use is an item at a literal place, until none is left."""
    body = program.body
    while True:
        after = _once(body)
        if after is body:
            return replace(program, body=body)
        body = after


def _once(body: Block) -> Block:
    binds: Counter[str] = Counter()
    parts: dict[str, tuple[Operand, ...]] = {}
    uses: dict[str, list[Node]] = {}
    _collect(body, binds, parts, uses)
    small = {
        name: items
        for name, items in parts.items()
        if binds[name] == 1
        and all(_takes_part(use, name, len(items)) for use in uses.get(name, ()))
        and all(not isinstance(item, str) or binds[item] <= 1 for item in items)
    }
    return tuple(_rewritten(body, small)) if small else body


def _collect(
    body: Block,
    binds: Counter[str],
    parts: dict[str, tuple[Operand, ...]],
    uses: dict[str, list[Node]],
) -> None:
    for node in body:
        for name in bound_names(node):
            binds[name] += 1
        for operand in operands(node):
            if isinstance(operand, str):
                uses.setdefault(operand, []).append(node)
        items = _items(node)
        if items is not None and isinstance(node, Call) and isinstance(node.target, str):
            parts[node.target] = items
        for block in blocks(node):
            _collect(block, binds, parts, uses)


def _items(node: Node) -> tuple[Operand, ...] | None:
    if (
        isinstance(node, Call)
        and node.fn == Prim("tuple")
        and not any(isinstance(a, Star) for a in node.args)
    ):
        return tuple(arg for arg in node.args if not isinstance(arg, Star))
    return None


def _takes_part(node: Node, name: str, count: int) -> bool:
    if isinstance(node, Bind):
        return False
    if not isinstance(node, Call) or not node.args or node.args[0] != name or name in node.args[1:]:
        return False
    if node.fn == Prim("unpack"):
        return node.args[1:] == (Const(count), Const(None))
    index = node.args[1] if len(node.args) == 2 else None
    is_item = node.fn == Prim("getitem") and isinstance(index, Const) and type(index.value) is int
    return is_item and -count <= index.value < count  # type: ignore[union-attr,operator]


def _rewritten(body: Block, small: dict[str, tuple[Operand, ...]]) -> list[Node]:
    out: list[Node] = []
    for node in body:
        if isinstance(node, Call) and node.target in small:
            continue
        source = node.args[0] if isinstance(node, Call) and node.args else None
        if isinstance(node, Call) and source in small:
            items = small[source]
            if node.fn == Prim("unpack"):
                out.append(Call(node.target, Prim("tuple"), items, (), node.line))
            else:
                assert isinstance(node.args[1], Const) and isinstance(node.target, str)
                out.append(Bind(node.target, items[node.args[1].value], node.line))  # type: ignore[call-overload]
            continue
        names = [name for name in ("head", "body", "orelse") if hasattr(node, name)]
        parts = {name: tuple(_rewritten(getattr(node, name), small)) for name in names}
        out.append(replace(node, **parts) if parts else node)  # type: ignore[arg-type]
    return out
