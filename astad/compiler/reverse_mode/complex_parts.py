"""Cotangents by operations on complex arrays: the factor is conjugated, and a real operand gets the
real part.

``z = w * x`` becomes ``w_bar = z_bar * x`` and ``x_bar = (z_bar * conj(w)).real``. The cotangent of
a real function u(x + iy) is du/dx + i du/dy, so that it may be a real array as well.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied
from astad.compiler.analysis.operations import row_of
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Ref, Star
from astad.compiler.reverse_mode.formulas import (
    AT_KINK,
    Expression,
    Writer,
    names_in,
    write,
)
from astad.compiler.reverse_mode.structured import Bar, parts_by_rule
from astad.compiler.reverse_mode.sweep import Sweep, kept, place_of, shape_of
from astad.rules.formula import Rule
from astad.rules.registry import lookup

__all__ = ["complex_parts"]

ADD_REDUCE = Ref("numpy.add", "reduce")
TO_SHAPE = Ref("astad.tangents.arrays", "sum_to_shape")
SAFE = "astad.rules.safe"
Parts = list[tuple[str, Callable[[], Bar]]]


def complex_parts(node: Call, what: Applied, bar: Bar, sweep: Sweep, to: Writer) -> Parts:
    """Each active operand and its part, in the order of the operands."""
    rule = lookup(what.fn)
    if node.fn == Prim("getitem"):
        return [(str(what.args[0]), functools.partial(_of_item, node, what, bar, sweep, to))]
    if rule is not None and rule.form in ("linear", "structured"):
        parts = parts_by_rule(node, what, rule, bar, sweep, to)
        if rule.complexes == "made of reals":
            return parts  # they give real parts by themselves
        return [(x, functools.partial(_projected, x, make, sweep, to)) for x, make in parts]
    return [
        (arg, functools.partial(_elementwise, node, what, place, bar, sweep, to))
        for place, arg in enumerate(what.args)
        if isinstance(arg, str) and sweep.facts.is_active(arg)
    ]


def _of_item(node: Call, what: Applied, bar: Bar, sweep: Sweep, to: Writer) -> Bar:
    """Zeros with the cotangent of the part in its place."""
    array, index = what.args
    shape = shape_of(array, node, sweep, to, after=False)
    whole = to.call(Ref("numpy", "zeros"), shape, Ref("numpy", "complex128"))
    assert not isinstance(index, Star)
    place = place_of(index, node, sweep, to.out)
    adds = "scatter" if k.is_fancy(sweep.facts.kind_of(index)) else "accumulate"
    to.out.append(Call(None, Prim(adds), (whole, place, bar.operand), (), node.line))
    return Bar(whole, thin=False)


def _projected(operand: str, make: Callable[[], Bar], sweep: Sweep, to: Writer) -> Bar:
    """The real part where the operand is real."""
    part = make()
    if k.is_complex(sweep.facts.kind_of(operand)):
        return part
    return Bar(to.call(Ref("numpy", "real"), part.operand), thin=False)


def _elementwise(node: Call, what: Applied, place: int, bar: Bar, sweep: Sweep, to: Writer) -> Bar:
    """Cotangent times the conjugate of the factor, as a real number or array where the operand is
    one, summed to its shape.
    """
    operand = str(what.args[place])
    kind = sweep.facts.kind_of(operand)
    rule = row_of(what.fn, what.args)
    assert rule is not None
    text = rule.back[rule.parameters[place]].strip()
    values = _values(node, what, rule, text, sweep, to)
    kinds = _kinds(node, what, rule, sweep)  # a root of a negative float is complex
    complex_names = {name for name in kinds if kinds[name] or rule.complexes == "number"}
    whole = bar.full(node, sweep, to)
    arrays = {str(arg) for arg in what.args if k.is_any_array(sweep.facts.kind_of(arg))}
    part = _times(whole, text, values, rule, complex_names, to, are_numbers=not arrays)
    if sweep.facts.again and rule.kink:
        at = write(Expression(rule.kink, values, {}), to)
        beside = to.call(AT_KINK, whole, values[rule.parameters[place]], at)
        part = to.call(Prim("add"), part, beside)
    if not k.is_complex(kind):
        part = _real(part, to) if not arrays else to.call(Ref("numpy", "real"), part)
    if arrays and not k.is_any_array(kind):
        part = to.call(ADD_REDUCE, part, Const(None))
    elif len(arrays) > 1:
        part = to.call(TO_SHAPE, part, shape_of(operand, node, sweep, to, after=False))
    return Bar(part, thin=False)


def _real(part: Operand, to: Writer) -> Operand:
    """Of a number."""
    return to.call(Prim("getattr"), part, Const("real"))


def _kinds(node: Call, what: Applied, rule: Rule, sweep: Sweep) -> Mapping[str, bool]:
    """Names of the formula, and whether they are complex."""
    pairs = [*zip(rule.parameters, what.args, strict=False), ("y", str(node.target))]
    return {name: k.is_complex(sweep.facts.kind_of(operand)) for name, operand in pairs}


def _values(
    node: Call, what: Applied, rule: Rule, text: str, sweep: Sweep, to: Writer
) -> dict[str, Operand]:
    """What the names of the formula stand for."""
    read = names_in(text)
    values: dict[str, Operand] = {
        name: kept(arg, node, sweep, to, after=False)
        for name, arg in zip(rule.parameters, what.args, strict=False)
        if name in read
    }
    if "y" in read:
        values["y"] = kept(str(node.target), node, sweep, to, after=True)
    for name, default in rule.defaults.items():
        values.setdefault(name, Const(default))
    return values


def _times(
    bar: Operand,
    text: str,
    values: Mapping[str, Operand],
    rule: Rule,
    complex_names: set[str],
    to: Writer,
    *,
    are_numbers: bool,
) -> Operand:
    """``bar * conj(text)``; of a rule that is singular somewhere, 0 where the cotangent is 0."""
    namespace: dict[str, Any] = {"conj": np.conj} | rule.globals_of(text)

    def conjugated(part: ast.expr) -> Operand:
        if are_numbers and _is_complex(part, complex_names):
            plain = write(Expression(ast.unparse(part), values, namespace), to)
            return to.call(Prim("method"), plain, Const("conjugate"))
        return write(Expression(_conjugate(part, complex_names), values, namespace), to)

    tree = ast.parse(text, mode="eval").body
    if text in ("1", "-1"):
        return bar if text == "1" else to.call(Prim("neg"), bar)
    if not rule.zero_safe:
        return to.call(Prim("mul"), bar, conjugated(tree))
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
        both = conjugated(tree.left), conjugated(tree.right)
        return to.call(Ref(SAFE, "safe_quotient"), bar, *both)
    return to.call(Ref(SAFE, "safe_product"), bar, conjugated(tree))


def _conjugate(tree: ast.expr, complex_names: set[str]) -> str:
    """Text of the conjugate of a formula.

    >>> one = ast.parse("conj(sign(x))", mode="eval").body
    >>> _conjugate(one, {"x"}), _conjugate(ast.parse("x2", mode="eval").body, {"x1"})
    ('sign(x)', 'x2')
    """
    text = ast.unparse(tree)
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "conj":
        return ast.unparse(tree.args[0])
    return f"conj({text})" if _is_complex(tree, complex_names) else text


def _is_complex(tree: ast.expr, complex_names: set[str]) -> bool:
    """May a formula give a complex number, and is no conjugate?"""
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "conj":
        return False
    return not names_in(ast.unparse(tree)).isdisjoint(complex_names) or any(
        isinstance(part, ast.Constant) and isinstance(part.value, complex)
        for part in ast.walk(tree)
    )
