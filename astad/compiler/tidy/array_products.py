"""Shorten products of arrays with literals in the reverse sweep, where not a bit changes.

``a = 200.0 * x; b = -a; c = b * 2`` becomes ``a = 200.0 * x; c = x * -400.0``: an array less for
each minus and each factor. For literals of which one is a power of two.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Set
from dataclasses import replace
from functools import partial

from astad.compiler.ir.dependence import Dependence
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import is_array
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Node,
    Operand,
    Prim,
    Star,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, with_blocks

__all__ = ["shorten_array_products"]

Scaled = dict[str, tuple[str, float]]
"""Name to the array and the literal of which it is the product."""


def shorten_array_products(derived: Derived) -> Derived:
    """In the straight parts of every reverse sweep, for arrays of doubles."""
    arrays = frozenset(name for name, kind in derived.kinds.items() if is_array(kind))
    if not arrays:
        return derived
    dependence = Dependence.of(derived)
    return derived.with_bodies(
        lambda function: (
            _block(function.body, arrays, {}, dependence)
            if _has_products(function, arrays)
            else function.body
        )
    )


def _has_products(function: Function, arrays: frozenset[str]) -> bool:
    calls = outline(function).calls_of("mul", "neg")
    return any(is_reverse(call) and _factors(call, {}, arrays) is not None for call in calls)


def _block(body: Block, arrays: frozenset[str], around: Scaled, dependence: Dependence) -> Block:
    """``arrays`` are those of the forward sweep; with them go products of them, at first those of
    the block around.
    """
    scaled = dict(around)
    out: list[Node] = []
    for node in body:
        if type(node) in COMPOUND:
            known = scaled if isinstance(node, Branch) else {}
            inner = partial(_block, arrays=arrays, around=known, dependence=dependence)
            out.append(with_blocks(node, inner))
            if scaled:
                scaled = {} if dependence.changed(node) else dict(scaled)
                _forget(scaled, bound_inside(node))
            continue
        if type(node) is Call and scaled and is_reverse(node):
            node = _shortened(node, scaled, arrays)
        if scaled:
            scaled = {} if dependence.changed(node) else scaled  # perhaps under another name
            _forget(scaled, node.bound)
        found = _factors(node, scaled, arrays) if is_reverse(node) else None
        if found is not None and isinstance(node, Call) and found[0] != node.target:
            scaled[str(node.target)] = found
        elif scaled and type(node) is Bind and node.source in scaled:
            scaled[node.target] = scaled[str(node.source)]
        out.append(node)
    return kept(body, out)


MUL, NEG = Prim("mul"), Prim("neg")


def _shortened(node: Call, scaled: Scaled, arrays: frozenset[str]) -> Call:
    found = _factors(node, scaled, arrays)
    inner = scaled.get(found[0]) if found else None
    if found is None or inner is None or not (_is_exact(found[1]) or _is_exact(inner[1])):
        return node
    product = found[1] * inner[1]
    if not math.isfinite(product) or product == 0.0:
        return node
    return replace(node, fn=Prim("mul"), args=(Const(product), inner[0]))


def _factors(node: Node, scaled: Scaled, arrays: Set[str]) -> tuple[str, float] | None:
    """Name and literal of ``name * 2.0``, ``2.0 * name`` or ``-name``."""
    if type(node) is not Call or not (node.fn is MUL or node.fn is NEG):
        return None
    first, second = (*node.args, Const(-1.0))[:2]
    a, b = _literal(first), _literal(second)
    if b is not None and (first in arrays or first in scaled):
        return str(first), b
    return (str(second), a) if a is not None and (second in arrays or second in scaled) else None


def _literal(operand: Operand | Star) -> float | None:
    value = operand.value if isinstance(operand, Const) else None
    return float(value) if type(value) in (int, float) and abs(value) < 2**53 else None  # type: ignore[arg-type]


def _is_exact(number: float) -> bool:
    """A power of two: its product with a float is exact."""
    return abs(math.frexp(number)[0]) == 0.5


def _forget(scaled: Scaled, names: Collection[str]) -> None:
    for name in [name for name, (other, _) in scaled.items() if name in names or other in names]:
        del scaled[name]
