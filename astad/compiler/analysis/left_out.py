"""Arrays of which entries may be left out of the result: by a slice, a mask, a write, a choice, a
function that passes nan over. Their cotangents are exactly 0 there, whatever the value is.

``y = x * np.log(x); return np.sum(y[1:])``: of y, and of what y is computed from entry by entry.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, applied
from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import is_array, is_real
from astad.compiler.ir.nodes import Bind, Call, Exit, Loop, Node, Prim, Program
from astad.compiler.ir.prims import BINARY, IN_PLACE, UNARY, WRITES
from astad.compiler.ir.walk import walk
from astad.rules.registry import lookup

__all__ = ["find_left_out"]

SUMS = (np.sum, np.mean, np.ndarray.sum, np.ndarray.mean)
PRODUCTS = (operator.matmul, np.matmul, np.dot, np.ndarray.dot, np.inner)
SOLVERS = (
    np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky,
    np.linalg.eigh, np.linalg.eigvalsh,
)  # fmt: skip


def find_left_out(program: Program, facts: Facts, *, handed: bool) -> frozenset[str]:
    """Names of such arrays; ``handed``: the cotangent of the result comes from outside, and may
    have zeros.
    """
    if not any(map(is_array, facts.kind.values())):
        return frozenset()
    nodes = list(walk(program.body))[::-1]  # zeros go from results to operands
    found: set[str] = set()
    for node in nodes:
        found.update(_names(_lost(node, facts)))
        if handed and isinstance(node, Exit) and node.how == "return":
            found.update(_names([node.value]))
    links = [link for node in nodes if (link := _link(node, facts))] if found else []
    before = -1
    while len(found) > before:
        before = len(found)
        for targets, operands in links:
            if not found.isdisjoint(targets):
                found.update(operands)
    return frozenset(found)


def _names(operands: Iterable[Any]) -> list[str]:
    return [each for each in operands if isinstance(each, str)]


def _lost(node: Node, facts: Facts) -> Iterable[Any]:
    """The operands of which the node may not read every entry."""
    if isinstance(node, Loop):
        return [node.iterable]  # it may be left before the end
    if not isinstance(node, Call) or _is_whole(node, facts):
        return ()
    if node.fn in UNREAD:
        return ()
    return [*node.args, *(value for _, value in node.keywords)]


def _is_whole(node: Call, facts: Facts) -> bool:
    """Does every entry of each operand go into the result?"""
    if facts.treatment.get(id(node)) in ("dispatch", "pair"):
        return False
    what = _applied(node, facts)
    if what is None:
        return False
    name = getattr(what.fn, "__name__", "")
    rule = lookup(what.fn)
    elementwise = rule is not None and rule.form == "scalar" and name not in CHOICES
    return elementwise or id(what.fn) in WHOLE


def _applied(node: Call, facts: Facts) -> Applied | None:
    if isinstance(node.fn, Prim) and node.fn.name not in OPERATORS:
        return None
    return applied(node, facts.known)


def _link(node: Node, facts: Facts) -> tuple[list[str], list[str]] | None:
    """The names that a statement binds or writes, and those that their zeros go on to."""
    if isinstance(node, Bind):
        return (_targets(node.target), _names([node.source]))
    if not isinstance(node, Call):
        return None
    written = isinstance(node.fn, Prim) and node.fn.name in WRITES
    into = node.args[0] if written else node.target
    operands = [each for each in node.args if not _is_mixed(node, each, facts)]
    return _targets(into), _names([*operands, *(value for _, value in node.keywords)])


def _targets(target: Any) -> list[str]:
    return _names([target] if isinstance(target, str) else target or ())


def _is_mixed(node: Call, operand: Any, facts: Facts) -> bool:
    """Does each entry of the operand go into every entry of the result?"""
    what = _applied(node, facts)
    if what is None or not isinstance(operand, str):
        return False
    if any(what.fn is each for each in SUMS):
        return is_real(facts.kind_of(str(node.target)))
    if any(what.fn is each for each in SOLVERS):
        return True
    kind = facts.kind_of(operand)
    return any(what.fn is each for each in PRODUCTS) and is_array(kind) and kind.rank == 1


OPERATORS = {*BINARY, *UNARY, *IN_PLACE, "method", "getattr"}
CHOICES = frozenset(["fmax", "fmin", "nan_to_num"])
UNREAD = (Prim("global"), Prim("tuple"), Prim("list"))
WHOLE = {
    id(fn)
    for fn in (
        *SUMS, *PRODUCTS, *SOLVERS, operator.imatmul, np.ravel, np.ndarray.ravel, np.reshape,
        np.ndarray.reshape, np.transpose, np.ndarray.transpose, np.swapaxes, np.ndarray.swapaxes,
        np.copy, np.ndarray.copy, np.array, np.asarray, np.stack, np.concatenate, np.vstack,
        np.hstack, np.outer, np.cumsum, np.ndarray.cumsum, np.max, np.min, np.ndarray.max,
        np.ndarray.min, np.prod, np.ndarray.prod, np.zeros_like, np.ones_like, np.linalg.norm,
        np.einsum, np.roll, np.flip, np.squeeze, np.expand_dims, np.broadcast_to, np.var, np.std,
        np.cross, range, len,
    )
}  # fmt: skip
