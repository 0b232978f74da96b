"""Lines of the user's file that say more than a number: of callees and of the reverse sweep.

A statement that was written out in the place of a call carries the line of the call, and beside it
where it stood.

>>> line = inlined(inlined(13, "outer", 2), "inner", 1)
>>> line, line.callees
(13, (('outer', 2), ('inner', 1)))
>>> reversed_line(line).is_reverse
True
"""

from __future__ import annotations

from astad.compiler.ir.nodes import COMPOUND, Bind, Block, Call, Node
from astad.compiler.ir.walk import with_blocks
from astad.slotted import replace

__all__ = [
    "Line",
    "ReversedLines",
    "inlined",
    "is_reverse",
    "is_same_line",
    "reversed_block",
    "reversed_line",
    "with_line",
]


class Line(int):
    """A line, as a number.

    ``callees`` has, from the outermost to the innermost, the path of each function written out here
    and the line in it, counted from its first; ``is_reverse`` tells that the statement belongs to
    the reverse sweep.
    """

    callees: tuple[tuple[str, int], ...] = ()
    is_reverse: bool = False


def inlined(call: int, callee: str, line: int) -> Line:
    """The line of a statement of ``callee`` that stands in the place of a call."""
    made = Line(call)
    made.callees = (*getattr(call, "callees", ()), (callee, line))
    return made


def reversed_line(line: int) -> Line:
    """The same line, of a statement of the reverse sweep."""
    made = Line(line)
    made.callees = getattr(line, "callees", ())
    made.is_reverse = True
    return made


def is_same_line(a: int, b: int) -> bool:
    """Equal in all that they say."""
    if a is b:
        return True
    if a != b or type(a) is not type(b):
        return False
    if not isinstance(a, Line) or not isinstance(b, Line):
        return True
    return a.is_reverse == b.is_reverse and a.callees == b.callees


class ReversedLines:
    """The lines of one reverse sweep: one object for all statements of a line."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, object], Line] = {}
        self._last: tuple[int | None, Line] = (None, Line())

    def of(self, line: int) -> Line:
        """The same line, of a statement of the reverse sweep."""
        if line is not self._last[0]:
            key = int(line), getattr(line, "callees", ())
            if key not in self._made:
                self._made[key] = reversed_line(line)
            self._last = line, self._made[key]
        return self._last[1]


def reversed_block(block: Block) -> Block:
    """The same statements, marked as those of the reverse sweep."""
    return _marked(block, ReversedLines())


def _marked(block: Block, lines: ReversedLines) -> Block:
    out: list[Node] = []
    for node in block:
        if type(node) in COMPOUND:
            node = with_blocks(node, lambda inner: _marked(inner, lines))
        out.append(with_line(node, lines.of(node.line)))
    return tuple(out)


def with_line(node: Node, line: int) -> Node:
    """The statement at another line."""
    made: Node
    if type(node) is Call:
        made = Call(node.target, node.fn, node.args, node.keywords, line)
    elif type(node) is Bind:
        made = Bind(node.target, node.source, line)
    else:
        made = replace(node, line=line)
    made.read, made.bound = node.read, node.bound
    return made


def is_reverse(node: Node) -> bool:
    """Does the statement belong to the reverse sweep?"""
    return getattr(node.line, "is_reverse", False)
