"""Cotangents of the operands of ``np.einsum`` with literal subscripts: each the ``einsum`` of the
result's with the other operands, or a product of matrices where it is one.

``y = np.einsum("ij,jk->ik", a, b)`` becomes ``a_bar = y_bar @ b.T``.

>>> as_matmul("ik", "jk", "ij"), as_matmul("i", "ij", "j"), as_matmul("i", "j", "ij")
(('', 'T', False), ('', 'T', True), None)
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from astad.compiler.analysis.applied import Applied, given_to_rule
from astad.compiler.analysis.vocabulary import letters
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Ref
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.structured import Bar
from astad.compiler.reverse_mode.sweep import Sweep, kept, shape_of
from astad.rules.registry import lookup

__all__ = ["parts_of_einsum"]

EINSUM = Ref("numpy", "einsum")
FITTED = Ref("astad.rules.numpy.einsum", "fitted")


def parts_of_einsum(
    node: Call, what: Applied, bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each active operand and its part."""
    rule = lookup(what.fn)
    assert rule is not None
    given = given_to_rule(what, rule, sweep.facts.knowledge)
    assert given is not None
    found = letters(given)
    assert found is not None
    optimize = given.literal("optimize") is True
    operands = given.operands["operands"]
    return [
        (operand, functools.partial(_part, node, at, operands, found, optimize, bar, sweep, to))
        for at, operand in enumerate(operands)
        if isinstance(operand, str) and sweep.facts.is_active(operand)
    ]


def _part(
    node: Call,
    at: int,
    operands: tuple[Operand, ...],
    found: tuple[list[str], str],
    optimize: bool,
    bar: Bar,
    sweep: Sweep,
    to: Writer,
) -> Bar:
    terms, out = found
    whole = bar.full(node, sweep, to)
    names = [other for other in range(len(operands)) if other != at]
    others = [kept(operands[other], node, sweep, to, after=False) for other in names]
    matrices = as_matmul(out, terms[names[0]], terms[at]) if len(names) == 1 else None
    if matrices is not None:
        part = _product((whole, others[0]), matrices, to)
    else:
        text = ",".join([out, *(terms[other] for other in names)]) + f"->{terms[at]}"
        words: dict[str, Operand] = {"optimize": Const(True)} if optimize else {}
        part = to.call(EINSUM, Const(text), whole, *others, **words)
    shape = shape_of(operands[at], node, sweep, to, after=False)
    return Bar(to.call(FITTED, part, shape), thin=False)


def _product(operands: tuple[Operand, Operand], how: tuple[str, str, bool], to: Writer) -> Operand:
    turned = [
        to.call(Prim("getattr"), operand, Const("T")) if transpose else operand
        for operand, transpose in zip(operands, how, strict=False)
    ]
    return to.call(Prim("matmul"), *(turned[::-1] if how[2] else turned))


def as_matmul(first: str, second: str, out: str) -> tuple[str, str, bool] | None:
    """How a sum over one letter is a product of matrices or vectors: 'T' for each that is
    transposed, and whether they change places. None where it is none.
    """
    summed = set(first) & set(second)
    if len(summed) != 1 or summed & set(out) or max(len(first), len(second)) > 2:
        return None
    if set(first) ^ set(second) != set(out) or not out:
        return None
    changes = out[0] in second if len(out) == 2 else first in summed
    left, right = (second, first) if changes else (first, second)
    by_left = "T" if len(left) == 2 and left[1] not in summed else ""
    by_right = "T" if len(right) == 2 and right[0] not in summed else ""
    return (by_right, by_left, True) if changes else (by_left, by_right, False)
