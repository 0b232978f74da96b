"""Let a program work on the floats of its arrays, where `analysis/plain_floats.py` allows it.

``for v in x: s = s + v * v`` becomes::

    leave_unless_usual()
    x_items = x.tolist()
    leave_if_empty(x_items)
    for v in x_items:
        s = s + v * v
    leave_unless_finite(s)

and its result is boxed where it was an np.float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from astad.compiler.analysis.findings import Facts
from astad.compiler.analysis.plain_floats import find_elements
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Block, Call, Const, Exit, Loop, Node, Prim, Program
from astad.compiler.ir.walk import reads, with_blocks, with_operands

__all__ = ["on_plain_floats"]


def on_plain_floats(program: Program, facts: Facts, names: Names) -> Program | None:
    """None where arrays it shall be."""
    found = find_elements(program, facts)
    if found is None:
        return None
    new = {name: names.fresh(f"{name}_items") for name in found.arrays}
    line = program.body[0].line
    head: list[Node] = [Call(None, Prim("leave_unless_usual"), (), (), line)]
    for name, items in new.items():
        head.append(Call(items, Prim("method"), (name, Const("tolist")), (), line))
    *body, last = _block(program.body, new, facts)
    assert isinstance(last, Exit)
    if isinstance(last.value, str):
        body.append(Call(None, Prim("leave_unless_finite"), (last.value,), (), last.line))
    return replace(program, body=(*head, *body, last), boxed=found.boxed)


def _block(block: Block, new: Mapping[str, str], facts: Facts) -> list[Node]:
    out: list[Node] = []
    for node in block:
        if isinstance(node, Loop):
            for source in dict.fromkeys(facts.walks[id(node)].sources):
                items = new.get(source, source) if isinstance(source, str) else source
                out.append(Call(None, Prim("leave_if_empty"), (items,), (), node.line))
        if not new.keys().isdisjoint(reads(node)):
            node = with_operands(node, lambda o: new.get(o, o) if isinstance(o, str) else o)
        out.append(with_blocks(node, lambda inner: _block(inner, new, facts)))
    return out
