"""Write attempts as ``try`` again, at the very end.

>>> from astad.compiler.ir.attempts import ATTEMPTED
>>> from astad.compiler.ir.nodes import Bind, Const
>>> from astad.compiler.ir.text import lines_of
>>> body = (Call("y", Prim("truediv"), ("x", "n"), (), 1), Call(None, ATTEMPTED, (), (), 1))
>>> handler = (Call("t_1", CAUGHT, (), (), 1), Bind("y", Const(0.0), 2))
>>> block = Call("t_2", ATTEMPT, (), (), 1), Branch("t_2", body, handler, 1)
>>> made = _Writer({"t_2": Counter([Prim("truediv")])}).block(block)
>>> for line, _ in lines_of(made):
...     print(line)
try:
    y = x / n
except BaseException as t_1:
    y = 0.0
>>> writer = _Writer({"t_2": Counter()})  # the division has been moved there
>>> made = writer.block(block)
>>> writer.is_right
False
"""

from __future__ import annotations

from collections import Counter

from astad.compiler.analysis.attempts import Allowed
from astad.compiler.ir.attempts import ATTEMPT, CAUGHT, tried
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Block, Branch, Call, Node, Prim, Try
from astad.compiler.ir.walk import walk, with_blocks

__all__ = ["write_attempts"]

OWN = frozenset(map(Prim, ("add", "sub", "mul", "neg", "tuple", "list")))
"""What passes add, which does not raise."""


def write_attempts(derived: Derived, allowed: Allowed) -> Derived | None:
    """None where some pass has put more into what is tried than what the user wrote there."""
    if not allowed:
        return derived
    writer = _Writer(allowed)
    made = derived.with_bodies(lambda function: writer.block(function.body))
    return made if writer.is_right and not writer.left else None


class _Writer:
    def __init__(self, allowed: Allowed) -> None:
        self.allowed = allowed
        self.left = set(allowed)
        self.is_right = True

    def block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            if type(node) is Call and node.fn is ATTEMPT:
                continue
            node = with_blocks(node, self.block)
            if type(node) is Branch and isinstance(node.test, str) and node.test in self.allowed:
                node = self._try(node, node.test)
            out.append(node)
        return tuple(out)

    def _try(self, node: Branch, test: str) -> Node:
        self.left.discard(test)
        body, orelse = tried(node)
        more = Counter(
            [part.fn for part in walk(body) if type(part) is Call and part.fn not in OWN]
        )
        self.is_right &= more <= self.allowed[test]
        heads = [part for part in node.orelse if type(part) is Call and part.fn is CAUGHT]
        self.is_right &= len(heads) == 1
        handler = tuple([part for part in node.orelse if part not in heads])
        caught = str(heads[0].target) if heads else None
        return Try(body, caught, handler, orelse, (), node.line)
