"""Write a rule's formula as Wengert statements: ``y_bar * cos(x)`` with the user's names in place.

>>> from astad.compiler.ir.names import Names
>>> import math
>>> out = []
>>> formula = Expression("2 * cos(x)", {"x": "a"}, vars(math))
>>> write_product("g", formula, Writer(Names(()), out, 1))
't_3'
>>> [call.fn for call in out]
[Prim(name='mul'), Ref(module='math', name='cos'), Prim(name='mul')]
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Branch, Call, Const, Node, Operand, Prim, Ref, immutable
from astad.compiler.ir.prims import SYNTAX
from astad.slotted import dataclass, replace

__all__ = [
    "ALONG_KINK",
    "AT_KINK",
    "Expression",
    "Product",
    "Writer",
    "asked_of",
    "beside_kink",
    "in_doubles",
    "names_in",
    "write",
    "write_guarded",
    "write_if",
    "write_poles_guarded",
    "write_product",
    "write_safely",
    "write_selected",
    "write_selected_number",
]

GETATTR, MUL, NEG = Prim("getattr"), Prim("mul"), Prim("neg")
SAFE_PRODUCT = Ref("astad.rules.safe", "safe_product")


@functools.lru_cache(maxsize=2000)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@functools.lru_cache(maxsize=2000)
def names_in(text: str) -> frozenset[str]:
    """Names that a formula reads.

    >>> sorted(names_in("1 - y**2"))
    ['y']
    """
    return frozenset(node.id for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name))


@dataclass(slots=True)
class Writer:
    """Where statements go: fresh names, the list, and the user's line.

    ``made``, where it is given, has the results of functions and the attributes written so far:
    what several parts of one formula read is computed once.
    """

    names: Names
    out: list[Node]
    line: int
    made: dict[Hashable, str] | None = None

    def call(self, fn: Prim | Ref, *args: Operand, **keywords: Operand) -> str:
        if self.made is not None and (type(fn) is Ref or fn == GETATTR):
            key = fn, args, tuple(keywords.items())
            if key not in self.made:
                self.made[key] = self._call(fn, args, keywords)
            return self.made[key]
        return self._call(fn, args, keywords)

    def _call(self, fn: Prim | Ref, args: tuple[Operand, ...], keywords: dict[str, Operand]) -> str:
        target = self.names.numbered("t")
        self.out.append(Call(target, fn, args, tuple(keywords.items()), self.line))
        return target


@immutable
class Expression:
    """The text of a rule, what its names stand for, and its globals."""

    text: str
    values: Mapping[str, Operand]
    namespace: Mapping[str, Any]


Product = Callable[[Operand, Expression, Writer], Operand]
"""A way to multiply a cotangent or a tangent by a formula."""


def write_product(factor: Operand, formula: Expression, to: Writer) -> Operand:
    """``factor * text``, multiplied from the left so that scalars meet before arrays."""
    if formula.text in formula.values:  # a name alone, as in most products
        return to.call(MUL, factor, formula.values[formula.text])
    return _product(factor, _parsed(formula.text), formula, to)


def _product(factor: Operand, tree: ast.expr, formula: Expression, to: Writer) -> Operand:
    """The product with a part of a formula."""
    if isinstance(tree, ast.Constant) and tree.value == 1:
        return factor
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return to.call(NEG, _product(factor, tree.operand, formula, to))
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Mult, ast.Div)):
        left = _product(factor, tree.left, formula, to)
        if isinstance(tree.op, ast.Mult):
            return _product(left, tree.right, formula, to)
        return to.call(Prim("truediv"), left, _write(tree.right, formula, to))
    return to.call(MUL, factor, _write(tree, formula, to))


def write_safely(factor: Operand, formula: Expression, to: Writer) -> Operand:
    """The product of a rule that is singular at a finite point: 0 where ``factor`` is 0."""
    tree = _parsed(formula.text)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
        parts = (_write(part, formula, to) for part in (tree.left, tree.right))
        return to.call(Ref("astad.rules.safe", "safe_quotient"), factor, *parts)
    return to.call(SAFE_PRODUCT, factor, _write(tree, formula, to))


def write_selected(factor: Operand, formula: Expression, to: Writer) -> Operand:
    """The product of a rule that selects: 0 where the slope is 0."""
    return to.call(SAFE_PRODUCT, write(formula, to), factor)


def write_selected_number(factor: Operand, formula: Expression, to: Writer) -> Operand:
    """The same for numbers: ``factor * slope if slope else 0.0``."""
    slope = write(formula, to)
    return _branched(slope, lambda arm: arm.call(MUL, factor, slope), lambda arm: Const(0.0), to)


def write_if(test: Operand, factor: Operand, formula: Expression, to: Writer) -> Operand:
    """The product as it stands where the test says that it is regular, else `write_safely`."""
    return _branched(
        test,
        lambda arm: write_product(factor, formula, arm),
        lambda arm: write_safely(factor, formula, arm),
        to,
    )


def write_guarded(factor: Operand, formula: Expression, to: Writer) -> Operand:
    """The same for Python floats: ``factor * text if factor else 0.0``."""
    return _guarded(factor, _parsed(formula.text), formula, to)


def _guarded(factor: Operand, tree: ast.expr, formula: Expression, to: Writer) -> Operand:
    return _branched(
        factor, lambda arm: _product(factor, tree, formula, arm), lambda arm: Const(0.0), to
    )


def write_poles_guarded(factor: Operand, formula: Expression, to: Writer) -> Operand:
    """The same where only the end of ``finite if test else pole`` may be infinite.

    ``factor * finite if test else factor * pole if factor else 0.0``: one test in the usual case.
    """
    tree = _parsed(formula.text)
    if not isinstance(tree, ast.IfExp):
        return write_guarded(factor, formula, to)
    return _branched(
        _write(tree.test, formula, to),
        lambda arm: _product(factor, tree.body, formula, arm),
        lambda arm: _guarded(factor, tree.orelse, formula, arm),
        to,
    )


def _branched(
    test: Operand,
    one: Callable[[Writer], Operand],
    other: Callable[[Writer], Operand],
    to: Writer,
) -> Operand:
    """What the one writes where the test holds, else what the other does."""
    if isinstance(test, Const):
        return (one if test.value else other)(to)
    target = to.names.numbered("t")
    arms = []
    for write_arm in (one, other):
        arm = Writer(to.names, [], to.line)
        result = write_arm(arm)
        arms.append((*arm.out, Bind(target, result, to.line)))
    to.out.append(Branch(test, arms[0], arms[1], to.line))
    return target


Point = tuple[str, Mapping[str, Any]]


def again(multiply: Product, point: Point | None = None, *, along: bool = False) -> Product:
    """The same for a gradient that is differentiated: an exact zero is no constant, and what a
    formula says of a single point has no derivative there. ``point``: the formula that has one,
    and its globals; ``along``: of a tangent, which may be the first derivative as well.
    """

    def write_again(factor: Operand, formula: Expression, to: Writer) -> Operand:
        tree = _parsed(formula.text)
        if isinstance(tree, ast.IfExp) and not formula.values.keys().isdisjoint(
            names_in(ast.unparse(tree.body))
        ):
            return _except_at_points(factor, tree, formula, point, to, along=along)
        way = write_safely if multiply is write_guarded else multiply
        return way(factor, formula, to)

    return write_again


AT_KINK = Ref("astad.rules.kinks", "at_kink")
ALONG_KINK = Ref("astad.rules.kinks", "along_kink")
ALONG_POINT = Ref("astad.rules.safe", "along_point")


def beside_kink(multiply: Product, name: str, kink: str, zeros: Ref, *, is_number: bool) -> Product:
    """The same with zeros beside the product, whose derivative is refused where that of the product
    is not known: at a kink. ``name``: of the parameter.
    """

    def write_beside(factor: Operand, formula: Expression, to: Writer) -> Operand:
        x, at = formula.values[name], write(replace(formula, text=kink), to)
        if not is_number:
            product = multiply(factor, formula, to)
            return to.call(Prim("add"), product, to.call(zeros, factor, x, at))

        def at_zero(arm: Writer) -> Operand:
            nothing = arm.call(MUL, factor, Const(0))
            return arm.call(Prim("add"), nothing, arm.call(zeros, factor, x, Const(True)))

        return _branched(at, at_zero, lambda arm: multiply(factor, formula, arm), to)

    return write_beside


def in_doubles(multiply: Product, floats: Sequence[str]) -> Product:
    """The same where the floats of Python are made NumPy's, which raise at no pole."""

    def write_doubles(factor: Operand, formula: Expression, to: Writer) -> Operand:
        read = [name for name in floats if name in names_in(formula.text)]
        doubles = {name: to.call(DOUBLE, formula.values[name]) for name in read}
        return multiply(factor, replace(formula, values={**formula.values, **doubles}), to)

    return write_doubles


DOUBLE = Ref("numpy", "float64")


def usual(text: str) -> str:
    """What a formula says but at single points.

    >>> usual("x2 * x1 if x1 else 0.0"), usual("cos(x)")
    ('x2 * x1', 'cos(x)')
    """
    tree = _parsed(text)
    return ast.unparse(tree.body) if isinstance(tree, ast.IfExp) else text


def _except_at_points(
    factor: Operand,
    tree: ast.IfExp,
    formula: Expression,
    point: Point | None,
    to: Writer,
    *,
    along: bool,
) -> Operand:
    """The product with the formula where its test holds; where it does not, that with the formula
    of the points, or an error; ``along`` a tangent that with what the formula says of this point,
    which has no derivative.
    """

    def otherwise(arm: Writer) -> Operand:
        if point is not None:
            return write_safely(factor, replace(formula, text=point[0], namespace=point[1]), arm)
        if along:
            moved = write_safely(factor, replace(formula, text=ast.unparse(tree.orelse)), arm)
            for name in sorted(names_in(formula.text) & formula.values.keys()):
                moved = arm.call(ALONG_POINT, moved, formula.values[name], Const(True))
            return moved
        arm.out.append(Call(None, Ref("astad.rules.safe", "single_point"), (), (), to.line))
        return Const(0.0)

    body = replace(formula, text=ast.unparse(tree.body))
    test = _write(tree.test, formula, to)
    return _branched(test, lambda arm: write_safely(factor, body, arm), otherwise, to)


def write(formula: Expression, to: Writer) -> Operand:
    """The formula as it stands."""
    return _write(_parsed(formula.text), formula, to)


def _write(tree: ast.expr, formula: Expression, to: Writer) -> Operand:
    values, namespace = formula.values, formula.namespace

    def go(part: ast.expr) -> Operand:
        return _write(part, formula, to)

    if isinstance(tree, ast.Name):
        return values[tree.id] if tree.id in values else _global(tree, namespace)
    if isinstance(tree, ast.Constant):
        return Const(tree.value)
    if isinstance(tree, ast.BinOp):
        return to.call(_prim(tree.op), go(tree.left), go(tree.right))
    asked = asked_of(tree)
    if asked is not None and f"{asked[0].id}.{asked[1]}" in values:
        return values[f"{asked[0].id}.{asked[1]}"]
    if isinstance(tree, ast.UnaryOp):
        if isinstance(tree.op, ast.USub) and isinstance(tree.operand, ast.Constant):
            return Const(-tree.operand.value)  # type: ignore[operator]
        return to.call(_prim(tree.op), go(tree.operand))
    if isinstance(tree, ast.Compare):
        return _compared(_prim(tree.ops[0]), go(tree.left), go(tree.comparators[0]), to)
    if isinstance(tree, ast.Call):
        keywords = {word.arg: go(word.value) for word in tree.keywords if word.arg}
        if isinstance(tree.func, ast.Attribute) and _root(tree.func) in values:
            owner, name = go(tree.func.value), Const(tree.func.attr)
            return to.call(Prim("method"), owner, name, *map(go, tree.args), **keywords)
        return to.call(function_ref(tree.func, namespace), *map(go, tree.args), **keywords)
    if isinstance(tree, ast.Attribute):
        if _root(tree) not in values:
            return function_ref(tree, namespace)
        return to.call(Prim("getattr"), go(tree.value), Const(tree.attr))
    if isinstance(tree, ast.Subscript):
        return to.call(Prim("getitem"), go(tree.value), go(tree.slice))
    if isinstance(tree, ast.Slice):
        ends = (tree.lower, tree.upper, tree.step)
        return to.call(Prim("slice"), *(go(end) if end else Const(None) for end in ends))
    if isinstance(tree, ast.Tuple):
        return to.call(Prim("tuple"), *map(go, tree.elts))
    assert isinstance(tree, ast.IfExp), ast.unparse(tree)  # `applied.WRITABLE` lets no other pass
    return _branched(  # so that only one side runs
        go(tree.test),
        lambda arm: _write(tree.body, formula, arm),
        lambda arm: _write(tree.orelse, formula, arm),
        to,
    )


def _compared(sign: Prim, left: Operand, right: Operand, to: Writer) -> Operand:
    """Of two literals it is known: ``2.0 ** x`` has the slope of a positive base."""
    values = [part.value for part in (left, right) if isinstance(part, Const)]
    if len(values) == 2 and all(type(value) in (int, float) for value in values):
        return Const(getattr(operator, sign.name)(*values))
    return to.call(sign, left, right)


def _prim(sign: ast.AST) -> Prim:
    return Prim(SYNTAX[type(sign).__name__])


def asked_of(tree: ast.AST) -> tuple[ast.Name, str] | None:
    """The name of which ``a.shape``, ``shape(a)`` or ``ndim(a)`` asks, and what it asks.

    >>> name, what = asked_of(_parsed("shape(a)"))
    >>> name.id, what
    ('a', 'shape')
    """
    if isinstance(tree, ast.Attribute) and tree.attr in ("shape", "ndim"):
        return (tree.value, tree.attr) if isinstance(tree.value, ast.Name) else None
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and len(tree.args) == 1:
        name = tree.args[0]
        if tree.func.id in ("shape", "ndim") and isinstance(name, ast.Name):
            return name, tree.func.id
    return None


def _root(tree: ast.expr) -> str:
    """The name at the head of ``a.b.c``; of anything else none."""
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return tree.id if isinstance(tree, ast.Name) else ""


def _global(tree: ast.Name, namespace: Mapping[str, Any]) -> Operand:
    value = namespace[tree.id]
    if isinstance(value, (int, float, complex, str, type(None))):
        return Const(value)
    assert callable(value), value
    return function_ref(tree, namespace)


def function_ref(tree: ast.expr, namespace: Mapping[str, Any]) -> Ref:
    """How generated text calls the function that a formula names."""
    if isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name):
        module = namespace[tree.value.id]
        if issubclass(type(module), ModuleType):
            return Ref(module.__name__, tree.attr)
    if isinstance(tree, ast.Attribute):
        inner = function_ref(tree.value, namespace)
        return Ref(f"{inner.module}.{inner.name}", tree.attr)
    assert isinstance(tree, ast.Name), ast.unparse(tree)
    found = namespace[tree.id]
    for module in (math, np):
        if getattr(module, tree.id, None) is found:
            return Ref(module.__name__, tree.id)
    home = str(found.__module__)
    is_there = getattr(sys.modules.get(home), tree.id, None) is found
    return Ref(home if is_there else str(namespace["__name__"]), tree.id)
