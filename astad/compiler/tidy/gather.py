"""Gather what a loop adds to a matrix, one product of two vectors at a time, into one product.

``for ...: w_bar += np.multiply.outer(a, b)`` becomes ``for ...: rows_1.append(a);
rows_2.append(b)`` and, after the loop, ``w_bar += np.array(rows_1).T @ np.array(rows_2)``.
"""

from __future__ import annotations

from collections.abc import Iterable

from astad.compiler.ir.dependence import Dependence, written
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.flow import live_at_head
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Loop, Node, Operand, Prim, Ref
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, UNARY
from astad.compiler.ir.walk import kept, operands, walk, with_blocks
from astad.slotted import replace

__all__ = ["gather_products"]

OUTER = Ref("numpy.multiply", "outer")
ARRAY = Ref("numpy", "array")
SUMMED = Ref("astad.tangents.arrays", "sum_to_shape")
ACCUMULATE = Prim("accumulate")
FRESH = (OUTER, Ref("numpy", "zeros"))
NEW = {*BINARY, *UNARY}
ASKED = ("shape", "size", "ndim")


def gather_products(derived: Derived, names: Names) -> Derived:
    """In the loops of every reverse sweep."""
    dependence = Dependence.of(derived)
    return derived.with_bodies(
        lambda function: (
            _block(function.body, names, dependence)
            if Loop in outline(function).sorts and outline(function).calls_to(OUTER)
            else function.body
        )
    )


def _has_products(nodes: Iterable[Node]) -> bool:
    return any(type(node) is Call and type(node.fn) is Ref and node.fn == OUTER for node in nodes)


def _block(body: Block, names: Names, dependence: Dependence) -> Block:
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and is_reverse(node) and _has_products(node.inside):
            out += _gathered(node, names, dependence)
        else:
            out.append(with_blocks(node, lambda block: _block(block, names, dependence)))
    return kept(body, out)


def _gathered(loop: Loop, names: Names, dependence: Dependence) -> list[Node]:
    """The loop with lists in the place of sums, between what makes them and what adds them up."""
    before: list[Node] = []
    after: list[Node] = []
    body: list[Node] = []
    arrays = _Arrays(loop, dependence)
    sums = _sums(loop)
    for at, node in enumerate(loop.body):
        name, part = _added(node)
        if isinstance(node, Call) and node.target in sums:
            lists = [names.numbered("rows") for _ in node.args]
            for rows, vector in zip(lists, map(str, node.args), strict=True):
                before.append(Call(rows, Prim("list"), (), (), node.line))
                body += _appended(rows, vector, arrays.may_change(vector, at), node.line, names)
            after += _sum(sums[str(node.target)], lists, node.line, names)
        elif sums.get(part) != name or not part:
            body.append(with_blocks(node, lambda block: _block(block, names, dependence)))
    return [*before, replace(loop, body=tuple(body)), *after]


def _sums(loop: Loop) -> dict[str, str]:
    """Products of two vectors to the buffer that is nothing but their sum."""
    products = _products(loop.body)
    return {
        part: name
        for name, part in map(_added, loop.body)
        if part in products and _is_only_sum(name, loop)
    }


def _products(body: Block) -> set[str]:
    """Names that hold a product of two vectors."""
    return {
        node.target
        for node in body
        if isinstance(node, Call) and node.fn == OUTER and isinstance(node.target, str)
    }


def _added(node: Node) -> tuple[str, str]:
    """The buffer to all of which a statement adds, and what it adds."""
    if not isinstance(node, Call) or node.fn is not ACCUMULATE or node.args[1] != Const(...):
        return "", ""
    return str(node.args[0]), str(node.args[2])


def _is_only_sum(name: str, loop: Loop) -> bool:
    """Does the loop do nothing but add products to it, and does nobody else read these?"""
    uses = [node for node in walk(loop.body) if name in (*node.read, *node.bound)]
    added = {part for buffer, part in map(_added, uses) if buffer == name}
    read = [part for node in walk(loop.body) for part in node.read if part in added]
    return added <= _products(loop.body) and len(read) == len(added) == len(uses)


def _appended(rows: str, vector: str, may_change: bool, line: int, names: Names) -> Iterable[Node]:
    if may_change:
        copy = names.numbered("t")
        yield Call(copy, Prim("method"), (vector, Const("copy")), (), line)
        vector = copy
    yield Call(None, Prim("method"), (rows, Const("append"), vector), (), line)


def _sum(name: str, lists: Iterable[str], line: int, names: Names) -> list[Node]:
    """``name += np.array(rows_1).T @ np.array(rows_2)``; of no rows that adds 0."""
    arrays = [names.numbered("t") for _ in lists]
    columns, product = names.numbered("t"), names.numbered("t")
    first, second = (
        Call(array, ARRAY, (rows,), (), line) for array, rows in zip(arrays, lists, strict=True)
    )
    return [
        first,
        Call(columns, Prim("getattr"), (arrays[0], Const("T")), (), line),
        second,
        Call(product, Prim("matmul"), (columns, arrays[1]), (), line),
        Call(None, Prim("accumulate"), (name, Const(...), product), (), line),
    ]


class _Arrays:
    """Which names of a loop may stand for one array; ``written`` has where a name is written last,
    ``outside`` the names that may stand for what an iteration did not make, ``made`` names of new
    arrays.
    """

    def __init__(self, loop: Loop, dependence: Dependence) -> None:
        self.dependence = dependence
        self.numbers = dependence.numbers
        self.shared: dict[str, set[str]] = {}
        self.written: dict[str, int] = {}
        self.made: set[str] = set()
        self.outside = live_at_head(loop.body).union(loop.bound)
        for at, statement in enumerate(loop.body):
            for node in walk((statement,)):
                self._note(node, at)

    def may_change(self, name: str, at: int) -> bool:
        """May the array be written in place after this statement, under this or another name?"""
        together, left = {name}, [name]
        while left:
            new = self.shared.get(left.pop(), set()) - together
            together |= new
            left += new
        written = [self.written[other] for other in together if other in self.written]
        return bool(written) and (max(written) >= at or not self.outside.isdisjoint(together))

    def _note(self, node: Node, at: int) -> None:
        if not isinstance(node, (Bind, Call, Loop)):
            return
        given = {*node.read}
        if isinstance(node, Call):
            self.written.update(dict.fromkeys(self.dependence.changed(node), at))
            changed = written(node)
            if changed is not None and (node.fn is ACCUMULATE or changed in self.made):
                return  # the elements go over, not the array
            if _is_new(node):
                self.made |= {*node.bound} if node.fn in FRESH else set()
                return
            if node.fn == SUMMED:
                given = {str(node.args[0])}
        together = ({*node.bound} | given) - self.numbers
        if any(isinstance(each, Ref) and not _is_called(each, node) for each in operands(node)):
            self.outside |= together  # no program is known: what is no local is called, not read
        for name in together:
            self.shared.setdefault(name, set()).update(together)


def _is_called(operand: Operand, node: Node) -> bool:
    return isinstance(node, Call) and operand is node.fn


def _is_new(node: Call) -> bool:
    """Is the result, if an array, one that shares no memory with the operands?"""
    if isinstance(node.fn, Prim):
        asks = node.fn.name == "getattr" and getattr(node.args[1], "value", "") in ASKED
        return asks or node.fn.name in NEW
    return node.fn in FRESH
