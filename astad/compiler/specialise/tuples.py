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

from collections.abc import Mapping, Sequence
from dataclasses import replace

from astad.compiler.analysis.structure import Structure, study
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Node, Operand, Prim, Program, Star
from astad.compiler.ir.walk import reads, with_blocks

__all__ = ["split_tuples"]


def split_tuples(program: Program) -> Program:
    """Replace tuples whose every use is an item at a literal place, until none is left."""
    while True:
        after = _once(program)
        if after is program.body:
            return program
        program = replace(program, body=after)


def _once(program: Program) -> Block:
    structure = study(program)
    made: dict[str, Call] = {}
    uses: dict[str, list[Node]] = {}
    for node in structure.nodes:
        for name in reads(node):
            uses.setdefault(name, []).append(node)
        if isinstance(node, Call) and _items(node) is not None:
            made[str(node.target)] = node
    small: dict[str, tuple[Operand, ...]] = {}
    for name, display in made.items():
        items, read_by = _items(display) or (), uses.get(name, ())
        parts_only = all(_takes_part(use, name, len(items)) for use in read_by)
        if parts_only and _see_the_same(display, read_by, structure):
            small[name] = items
    return _rewritten(program.body, small) if small else program.body


def _see_the_same(display: Call, read_by: Sequence[Node], structure: Structure) -> bool:
    """Does every use see in the items what the display saw in them?"""
    at = structure.at(display)
    for item in display.args:
        bindings = structure.bindings[item] if isinstance(item, str) else []
        if isinstance(item, str) and [binding.position < at for binding in bindings] != [True]:
            return False
    path, places = structure.path[at], [structure.at(use) for use in read_by]
    once = len(structure.bindings[str(display.target)]) == 1
    return once and all(p > at and structure.path[p][: len(path)] == path for p in places)


def _items(node: Call) -> tuple[Operand, ...] | None:
    """Of a tuple display under one name."""
    if node.fn != Prim("tuple") or not isinstance(node.target, str):
        return None
    items = tuple(arg for arg in node.args if not isinstance(arg, Star))
    return items if len(items) == len(node.args) else None


def _takes_part(use: Node, name: str, count: int) -> bool:
    """Does the statement only take the tuple apart, at literal places?"""
    if not isinstance(use, Call) or not use.args or use.args[0] != name or name in use.args[1:]:
        return False
    if use.fn == Prim("unpack"):
        return use.args[1:] == (Const(count), Const(None))
    place = _place(use)
    return place is not None and -count <= place < count


def _place(use: Call) -> int | None:
    """The literal index of a subscript."""
    index = use.args[1] if use.fn == Prim("getitem") else None
    return index.value if isinstance(index, Const) and type(index.value) is int else None


def _rewritten(body: Block, small: Mapping[str, tuple[Operand, ...]]) -> Block:
    out: list[Node] = []
    for node in body:
        items = small.get(str(node.args[0])) if isinstance(node, Call) and node.args else None
        if isinstance(node, Call) and node.target in small:
            continue
        if not isinstance(node, Call) or items is None:
            out.append(with_blocks(node, lambda block: _rewritten(block, small)))
        elif node.fn == Prim("unpack"):
            out.append(Call(node.target, Prim("tuple"), items, (), node.line))
        else:
            place = _place(node)
            assert place is not None and isinstance(node.target, str)
            out.append(Bind(node.target, items[place], node.line))
    return tuple(out)
