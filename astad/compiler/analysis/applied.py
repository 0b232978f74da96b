"""What a statement applies to its operands: an operator, a function or a method of an array.

``y = a.sum(axis=0)`` applies ``np.ndarray.sum`` to a, with ``axis=0``; ``y = a.T`` applies
``np.transpose``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.given import OPEN, Given, Knowledge, bound
from astad.compiler.analysis.operations import operator_function
from astad.compiler.analysis.result_kinds import as_method, joins
from astad.compiler.analysis.vocabulary import has_einsum_parts
from astad.compiler.ir.kinds import is_array, is_real
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Star, immutable
from astad.rules.formula import Rule, names_read
from astad.rules.registry import lookup

__all__ = ["Applied", "applied", "flows_into", "given_to_rule", "is_scalar_text", "is_written_out"]

ATTRIBUTES: Mapping[str, Any] = {"T": np.transpose, "real": np.real, "imag": np.imag}
CONSTANTS = (bool, int, float, str, type(None))


@immutable
class Applied:
    """A callable object and what it is called with."""

    fn: Any
    args: tuple[Operand, ...]
    keywords: tuple[tuple[str, Operand], ...] = ()


GETATTR, METHOD = Prim("getattr"), Prim("method")


def applied(node: Call, known: Mapping[str, object]) -> Applied | None:
    """None where the callable is not known. Of a prepared program: there is nothing starred."""
    args = tuple([arg for arg in node.args if not isinstance(arg, Star)])
    assert len(args) == len(node.args), node
    words = tuple([(word, value) for word, value in node.keywords if word is not None])
    if type(node.fn) is not Prim:
        fn = known.get(node.fn) if isinstance(node.fn, str) else None
        return None if fn is None else Applied(fn, *_by_place(fn, args, words))
    name = args[1].value if len(args) > 1 and isinstance(args[1], Const) else None
    if node.fn is METHOD:
        if name in ("conj", "conjugate") and len(args) == 2:
            return Applied(np.conjugate, args[:1], words)
        method = as_method(name)
        return None if method is None else Applied(method, (args[0], *args[2:]), words)
    if node.fn is GETATTR:
        attribute = ATTRIBUTES.get(name) if isinstance(name, str) else None
        return None if attribute is None else Applied(attribute, args[:1])
    return Applied(operator_function(node.fn.name), args)


Operands = tuple[Operand, ...]
Words = tuple[tuple[str, Operand], ...]


def _by_place(
    fn: Any, args: tuple[Operand, ...], words: Words
) -> tuple[tuple[Operand, ...], Words]:
    """``np.sum(a=x, axis=0)`` as ``np.sum(x, axis=0)``: whoever reads operands finds the first; and
    ``np.arange(n)`` as ``np.arange(0, n)``.
    """
    if fn is np.arange and len(args) == 1:
        args = (Const(0), *args)
    rule = lookup(fn) if words and not args else None
    if rule is None:
        return args, words
    left = dict(words)
    for name in rule.signature.positional:
        if name not in left:
            break
        args = (*args, left.pop(name))
    return args, tuple(left.items())


def given_to_rule(applied: Applied, rule: Rule, knowledge: Knowledge) -> Given | None:
    """The operands by the parameters of the rule."""
    return bound(rule.signature, applied.args, applied.keywords, knowledge)


def is_written_out(
    applied: Applied, knowledge: Knowledge, is_active: Callable[[Operand | Star], bool]
) -> bool:
    """May the cotangents of all active operands be written in place, by the text of the rule?"""
    rule = lookup(applied.fn)
    if rule is None or rule.form not in ("linear", "structured") or not rule.is_own:
        return False
    given = given_to_rule(applied, rule, knowledge)
    if given is None or _may_refuse(rule, given):
        return False
    if joins(applied.fn, knowledge.kind_of(applied.args[0])):
        return True  # a kind is claimed for displays alone, along the axis that a literal names
    if applied.fn is np.einsum:
        return has_einsum_parts(given)
    reached = [
        name for name, operand in given.operands.items()
        if _is_reached(operand, is_active) and (name in rule.back or name in rule.missing)
    ]  # fmt: skip
    return all(_is_writable(rule, name, given) for name in reached)


def flows_into(
    applied: Applied, knowledge: Knowledge, is_active: Callable[[Operand | Star], bool]
) -> bool:
    """Has the rule a cotangent for an operand that is active?"""
    rule = lookup(applied.fn)
    given = None if rule is None else given_to_rule(applied, rule, knowledge)
    if rule is None or given is None:
        return False
    return any(
        _is_reached(operand, is_active)
        for name, operand in given.operands.items()
        if name in rule.back
    )


def _may_refuse(rule: Rule, given: Given) -> bool:
    """May the rule not cover the call, as far as literals and ranks tell?"""
    asked = [name for name in _names_in(rule.refuse) if given.has(name)] if rule.refuse else []
    if not asked:
        return False
    values = {name: given.literal(name) for name in asked}
    for name in [name for name in asked if values[name] is OPEN]:
        operand = given.operands[name]
        parts = operand if isinstance(operand, tuple) else (operand,)
        kinds = [given.knowledge.kind_of(part) for part in parts]
        are_known = all(is_array(kind) or is_real(kind) for kind in kinds)
        if not are_known or name not in _names_by_form(rule.refuse):
            return True
        like = [np.zeros((1,) * (each.rank or 0)) if is_array(each) else 0.0 for each in kinds]
        values[name] = tuple(like) if isinstance(operand, tuple) else like[0]
    named = [name.lstrip("*") for name in rule.parameters]
    return rule.refuses([values.get(name, rule.defaults.get(name)) for name in named])


def _names_in(text: str) -> frozenset[str]:
    by_value, by_shape = names_read(text)
    return by_value | by_shape


@functools.cache
def _names_by_form(text: str) -> frozenset[str]:
    """Names of which only rank or class is asked.

    >>> sorted(_names_by_form("ndim(a) > 2 and is_short(b)"))
    ['a', 'ndim']
    """
    tree = ast.parse(text.strip(), mode="eval")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    asking = [node for node in calls if ast.unparse(node.func).rpartition(".")[2] in _OF_FORM]
    inside = {id(part) for node in asking for part in ast.walk(node)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    others = {node.id for node in names if id(node) not in inside}
    return frozenset(node.id for node in names) - others


_OF_FORM = ("isinstance", "ndim", "iscomplexobj", "any_complex", "is_whole")


def _is_reached(
    operand: Operand | tuple[Operand, ...], is_active: Callable[[Operand | Star], bool]
) -> bool:
    return any(map(is_active, operand if isinstance(operand, tuple) else (operand,)))


def _is_writable(rule: Rule, name: str, given: Given) -> bool:
    text = rule.back.get(name)
    operand = given.operands[name]
    parts = operand if isinstance(operand, tuple) else (operand,)
    if text is None and name not in rule.missing:
        # how many, or a limit: nothing flows there
        return all(is_real(given.knowledge.kind_of(part)) for part in parts)
    if text is None or isinstance(operand, tuple) or not is_scalar_text(text):
        return False
    left_out = set().union(*names_read(text)) & given.defaults.keys() - given.operands.keys()
    return all(_is_constant(given.defaults[each]) for each in left_out)


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return type(value) in CONSTANTS or value is np._NoValue


@functools.cache
def is_scalar_text(text: str) -> bool:
    """Is there nothing in it that `reverse_mode.formulas` cannot write?"""
    tree = ast.parse(text.strip(), mode="eval")
    single = all(len(node.ops) == 1 for node in ast.walk(tree) if isinstance(node, ast.Compare))
    return single and all(isinstance(node, WRITABLE) for node in ast.walk(tree))


WRITABLE: tuple[type[ast.AST], ...] = (
    ast.Expression, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Call, ast.Attribute,
    ast.Subscript, ast.Tuple, ast.IfExp, ast.Compare, ast.keyword, ast.expr_context, ast.operator,
    ast.unaryop, ast.cmpop,
)  # fmt: skip
