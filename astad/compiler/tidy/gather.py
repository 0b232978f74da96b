"""Gather what a loop adds to a matrix, one product of two vectors at a time, into one product.

``for ...: w_bar += np.multiply.outer(a, b)`` becomes ``for ...: rows_1.append(a);
rows_2.append(b)`` and, after the loop, ``w_bar += np.array(rows_1).T @ np.array(rows_2)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Loop, Node, Prim, Ref
from astad.compiler.ir.prims import BINARY, UNARY, WRITES
from astad.compiler.ir.walk import binds, blocks, reads, walk, with_blocks

__all__ = ["gather_products"]

OUTER = Ref("numpy.multiply", "outer")
ARRAY = Ref("numpy", "array")
NEW = {*BINARY, *UNARY}


def gather_products(derived: Derived, names: Names) -> Derived:
    """In the loops of every reverse sweep."""
    functions = tuple(
        replace(f, body=_block(f.body, names)) if _has_products(f.body) else f
        for f in derived.functions
    )
    return replace(derived, functions=functions)


def _has_products(body: Block) -> bool:
    return any(isinstance(node, Call) and node.fn == OUTER for node in walk(body))


def _block(body: Block, names: Names) -> Block:
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and is_reverse(node) and _has_products(node.body):
            out += _gathered(node, names)
        else:
            out.append(with_blocks(node, lambda block: _block(block, names)))
    return tuple(out)


def _gathered(loop: Loop, names: Names) -> list[Node]:
    """The loop with lists in the place of sums, between what makes them and what adds them up."""
    before: list[Node] = []
    after: list[Node] = []
    body: list[Node] = []
    written = _may_be_written(loop.body)
    products = _products(loop.body)
    for node in loop.body:
        name, part = _added(node)
        product = products.get(part)
        if product is None or not _is_only_sum(name, loop):
            body.append(with_blocks(node, lambda block: _block(block, names)))
            continue
        body.remove(product)
        vectors = [str(vector) for vector in product.args]
        lists = [names.numbered("rows") for _ in vectors]
        for rows, vector in zip(lists, vectors, strict=True):
            before.append(Call(rows, Prim("list"), (), (), node.line))
            body += _appended(rows, vector, vector in written, node.line, names)
        after += _sum(name, lists, node.line, names)
    return [*before, replace(loop, body=tuple(body)), *after]


def _products(body: Block) -> dict[str, Call]:
    """Products of vectors by the name that holds one."""
    return {
        node.target: node
        for node in body
        if isinstance(node, Call) and node.fn == OUTER and isinstance(node.target, str)
    }


def _added(node: Node) -> tuple[str, str]:
    """The buffer to all of which a statement adds, and what it adds."""
    if not isinstance(node, Call) or node.fn != Prim("accumulate") or node.args[1] != Const(...):
        return "", ""
    return str(node.args[0]), str(node.args[2])


def _is_only_sum(name: str, loop: Loop) -> bool:
    """Does the loop do nothing but add products to it, and does nobody else read these?"""
    uses = [node for node in walk(loop.body) if name in (*reads(node), *binds(node))]
    added = {part for buffer, part in map(_added, uses) if buffer == name}
    read = [part for node in walk(loop.body) for part in reads(node) if part in added]
    return added <= _products(loop.body).keys() and len(read) == len(added) == len(uses)


def _appended(rows: str, vector: str, is_written: bool, line: int, names: Names) -> Iterable[Node]:
    if is_written:
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


def _may_be_written(body: Block) -> set[str]:
    """Names of arrays that the body writes in place, under these or other names."""
    others: dict[str, set[str]] = {}
    found: set[str] = set()
    for node in walk(body):
        if isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in WRITES:
            found.add(str(node.args[0]))
        elif isinstance(node, Bind | Call) and not _is_new(node) and not blocks(node):
            together = {*binds(node), *reads(node)}
            for name in together:
                others.setdefault(name, set()).update(together)
    left = sorted(found)
    while left:
        new = others.get(left.pop(), set()) - found
        found |= new
        left += sorted(new)
    return found


def _is_new(node: Node) -> bool:
    """Is the result, if an array, one that shares no memory with the operands?"""
    if not isinstance(node, Call):
        return False
    return node.fn == OUTER or (isinstance(node.fn, Prim) and node.fn.name in NEW)
