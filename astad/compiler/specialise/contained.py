"""May a callee with loops and branches be written out in the place of its call?

>>> from astad.compiler.lower.function import program_of
>>> is_contained(program_of('''
...     for w in ws:
...         x = x * w
...     return x
... '''), "f")
True
>>> is_contained(program_of('''
...     for w in ws:
...         y = w
...     return y
... '''), "f")
False
"""

from __future__ import annotations

from astad.compiler.analysis.structure import binds_before_it_reads
from astad.compiler.ir.nodes import Call, Const, Exit, Prim, Program
from astad.compiler.ir.walk import walk

__all__ = ["FRAME", "is_contained"]

FRAME = (
    "function", "cell_new", "cell_get", "cell_set", "cell_clear", "import", "forget", "namespace",
)  # fmt: skip
"""Operations that belong to the frame of a function of its own."""
LONGEST = 40


def is_contained(program: Program, path: str) -> bool:
    """Does it return at its end alone, call itself not, and read no name that is unbound on some
    way? A name that a call leaves unbound would still hold what the call before had bound.
    """
    nodes = list(walk(program.body))
    exits = [node for node in nodes if isinstance(node, Exit) and node.how == "return"]
    if len(nodes) > LONGEST or len(exits) != 1 or program.body[-1] is not exits[0]:
        return False
    if any(_is_strange(node, path) for node in nodes):
        return False
    return binds_before_it_reads(program)


def _is_strange(node: object, path: str) -> bool:
    if not isinstance(node, Call) or not isinstance(node.fn, Prim):
        return False
    return node.fn.name in ("import", "forget", "namespace") or (
        node.fn.name == "global" and node.args == (Const(path),)
    )
