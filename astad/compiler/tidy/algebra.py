"""Shorten products of floats in the reverse sweep, where not a bit of the result changes.

``a = g * 0.5; b = a * 3.0`` becomes ``b = g * 1.5``, for literal factors of which one is a power of
two. (Its product with a float is exact: only what overflows or underflows half-way comes out
better.)
"""

from __future__ import annotations

import math
from dataclasses import replace

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.links import Links
from astad.compiler.ir.nodes import COMPOUND, Bind, Block, Call, Const, Node, Operand, Prim, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, with_blocks

__all__ = ["shorten_products"]

Scaled = Links[float]
"""Name to the name and the literal of which it is the product."""


MUL = Prim("mul")


def shorten_products(derived: Derived) -> Derived:
    """In the straight parts of every reverse sweep."""
    floats = derived.floats

    def body(function: Function) -> Block:
        products = [_factors(call, floats) for call in outline(function).calls_of("mul")]
        has_two = len(products) - products.count(None) > 1
        return _block(function.body, floats) if has_two else function.body

    return derived.with_bodies(body)


def _block(body: Block, floats: frozenset[str]) -> Block:
    scaled: Scaled = Links()
    out: list[Node] = []
    for node in body:
        if type(node) in COMPOUND:
            scaled.forget(bound_inside(node))
            out.append(with_blocks(node, lambda block: _block(block, floats)))
            continue
        if type(node) is Call and scaled and node.target in floats and is_reverse(node):
            node = _shortened(node, scaled, floats)
        if scaled:
            scaled.forget(node.bound)
        if type(node) is Call:
            found = _factors(node, floats) if node.fn is MUL else None
            if found is not None and found[0] != node.target:
                scaled.note(str(node.target), *found)
        elif scaled and type(node) is Bind and (same := scaled.of(node.source)) is not None:
            scaled.note(node.target, *same)
        out.append(node)
    return kept(body, out)


def _shortened(node: Call, scaled: Scaled, floats: frozenset[str]) -> Call:
    found = _factors(node, floats)
    inner = scaled.of(found[0]) if found else None
    if found is None or inner is None or not (_is_exact(found[1]) or _is_exact(inner[1])):
        return node
    product = found[1] * inner[1]
    if not math.isfinite(product) or product == 0.0:
        return node
    return replace(node, args=(inner[0], Const(product)))


def _factors(node: Call, floats: frozenset[str]) -> tuple[str, float] | None:
    """Name and literal of ``name * 2.0`` or ``2.0 * name``."""
    if node.fn is not MUL:
        return None
    (first, second), (a, b) = node.args, map(_literal, node.args)
    if b is not None and first in floats:
        return str(first), b
    return (str(second), a) if a is not None and second in floats else None


def _literal(operand: Operand | Star) -> float | None:
    value = operand.value if isinstance(operand, Const) else None
    return float(value) if type(value) in (int, float) and abs(value) < 2**53 else None  # type: ignore[arg-type]


def _is_exact(number: float) -> bool:
    """A power of two: its product with a float is exact."""
    return abs(math.frexp(number)[0]) == 0.5
