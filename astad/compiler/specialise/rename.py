"""Give each new value of a name its own name, where the text is straight: then each has its own
kind.

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

from astad.compiler.analysis.structure import blocks, bound_names
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Block, Call, Node, Operand, Prim, Program, Star

__all__ = ["rename_rebound"]


def rename_rebound(program: Program, names: Names) -> Program:
    """Rename what is bound several times, each time at the top of the body and never inside a
    block.
    """
    top, inner = Counter(param.name for param in program.params), Counter[str]()
    for node in program.body:
        top.update(() if _forgets(node) else bound_names(node) if not blocks(node) else ())
        inner.update(bound_names(node) if _forgets(node) or blocks(node) else ())
        _count_inside(node, inner)
    again = {name for name, count in top.items() if count > 1 and not inner[name]}
    if not again:
        return program
    current: dict[str, str] = {}
    seen = {param.name for param in program.params}
    out: list[Node] = []
    for node in program.body:
        node = _renamed(node, current)
        target = getattr(node, "target", None)
        if isinstance(target, str) and isinstance(node, Bind | Call) and target in again:
            if target in seen:
                current[target] = names.fresh(target)
                node = replace(node, target=current[target])
            seen.add(target)
        out.append(node)
    return replace(program, body=tuple(out), taken=program.taken | set(current.values()))


def _forgets(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == Prim("forget")


def _count_inside(node: Node, inner: Counter[str]) -> None:
    for block in blocks(node):
        for part in block:
            inner.update(bound_names(part))
            _count_inside(part, inner)


def _renamed(node: Node, current: dict[str, str]) -> Node:
    """The node with the operands that it, or a statement inside it, reads under their present
    names.
    """

    def new(operand: Operand) -> Operand:
        return current.get(operand, operand) if isinstance(operand, str) else operand

    if not current:
        return node
    if isinstance(node, Call):
        fn = node.fn if isinstance(node.fn, Prim) else new(node.fn)
        args = tuple(Star(new(a.operand)) if isinstance(a, Star) else new(a) for a in node.args)
        return replace(
            node,
            fn=fn,
            args=args,
            keywords=tuple((word, new(value)) for word, value in node.keywords),
        )
    changes: dict[str, object] = {}
    for field in ("source", "test", "iterable", "value", "exc", "cause"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            changes[field] = new(value)
    for field in ("head", "body", "orelse"):
        block: Block | None = getattr(node, field, None)
        if block is not None:
            changes[field] = tuple(_renamed(part, current) for part in block)
    return replace(node, **changes) if changes else node  # type: ignore[arg-type]
