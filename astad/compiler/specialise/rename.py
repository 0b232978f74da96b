"""Give each new value of a name a name, where the text is straight: then each has its own kind.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(rename_rebound(program_of('''
...     z = a @ b
...     z = z - 1.0
...     y = z * z
... '''), Names(("a", "b", "z", "y")))))
z = a @ b
z_1 = z - 1.0
y = z_1 * z_1
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Call, Node, Prim, Program
from astad.compiler.ir.walk import binds, blocks, bound_inside, renamed

__all__ = ["rename_rebound"]


def rename_rebound(program: Program, names: Names) -> Program:
    """Rename what is bound several times, always at the top of the body, never in a block."""
    top, inner = Counter(param.name for param in program.params), Counter[str]()
    for node in program.body:
        if blocks(node) or _forgets(node):
            inner.update(bound_inside(node))
        else:
            top.update(binds(node))
    again = {name for name, count in top.items() if count > 1 and not inner[name]}
    if not again:
        return program
    current: dict[str, str] = {}
    seen = {param.name for param in program.params}
    out: list[Node] = []
    for node in program.body:
        node = renamed(node, current) if current else node
        if isinstance(node, Bind | Call) and isinstance(node.target, str) and node.target in again:
            target = node.target
            if target in seen:
                current[target] = names.fresh(target)
                node = replace(node, target=current[target])
            seen.add(target)
        out.append(node)
    return replace(program, body=tuple(out), taken=program.taken | set(current.values()))


def _forgets(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == Prim("forget")
