"""Captured variables as parameters after the function's own, where it only reads them.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def line(slope):
...     def f(x):
...         return slope * x
...     return f
>>> opened = open_captured(lower_function(line(2.0)))
>>> [param.name for param in opened.params]
['x', 'slope']
>>> print(show(opened))
t_2 = slope * x
return t_2
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from astad.compiler.ir.nodes import Bind, Block, Call, Node, Param, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import reads, walk, with_blocks, with_operands

__all__ = ["CAPTURED", "open_captured"]

CAPTURED = "captured"


def open_captured(program: Program) -> Program | None:
    """The program whose caller hands over the contents of the cells; None where it needs the cells
    themselves: to write them, or for a function of its own.
    """
    cells = {cell: name for name, cell in program.free}
    for node in walk(program.body):
        if not cells.keys().isdisjoint(reads(node)) and not _is_read(node):
            return None
    params = tuple(Param(name, CAPTURED, False) for name in cells.values())
    temporaries = outline(program).single - program.taken
    body = _opened(program.body, cells, temporaries, {})
    return replace(program, params=program.params + params, free=(), body=body)


def _is_read(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == Prim("cell_get")


def _opened(
    block: Block, cells: Mapping[str, str], temporaries: Set[str], new: dict[str, str]
) -> Block:
    """The block without reads of cells; ``new`` has the parameters that temporaries stand for."""
    out: list[Node] = []
    for node in block:
        if not isinstance(node, Call) or not _is_read(node) or node.args[0] not in cells:
            node = with_operands(node, lambda read: new.get(str(read), read))
            out.append(with_blocks(node, lambda inner: _opened(inner, cells, temporaries, new)))
            continue
        assert isinstance(node.target, str)
        param = cells[str(node.args[0])]
        if node.target in temporaries:
            new[node.target] = param
        else:
            out.append(Bind(node.target, param, node.line))
    return tuple(out)
