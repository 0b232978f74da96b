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
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks, bound_inside, renamed

__all__ = ["rename_rebound"]


def rename_rebound(program: Program, names: Names) -> Program:
    """Rename what is bound again at the top of the body and in no block after that."""
    later = _bound_later(program)
    if later is None:
        return program
    current: dict[str, str] = {}
    seen = {param.name for param in program.params}
    out: list[Node] = []
    for node, bound_later in zip(program.body, later, strict=True):
        node = renamed(node, current) if current else node
        if isinstance(node, Bind | Call) and isinstance(node.target, str):
            target = node.target
            if target in seen and target not in bound_later and not _forgets(node):
                current[target] = names.fresh(target)
                node = replace(node, target=current[target])
            seen.add(target)
        else:
            seen |= bound_inside(node)
        out.append(node)
    return replace(program, body=tuple(out), taken=program.taken | set(current.values()))


def _bound_later(program: Program) -> list[frozenset[str]] | None:
    """For each statement the names that blocks after it bind, or that are forgotten; None where no
    name is bound twice.
    """
    text = outline(program)
    if text.once.issuperset(text.bound):
        return None
    times = Counter(param.name for param in program.params)
    found: list[frozenset[str]] = []
    bound: frozenset[str] = frozenset()
    for node in reversed(program.body):
        found.append(bound)
        inside = bound_inside(node)
        times.update(inside)
        if blocks(node) or _forgets(node):
            bound |= inside
    return found[::-1] if any(count > 1 for count in times.values()) else None


def _forgets(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == Prim("forget")
