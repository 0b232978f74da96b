"""The reverse of a straight text line by line, by the formulas of rules, in a run that is
recorded: where the compiler has no text, since it does not know beforehand what kind an operation
gives.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any  # whatever a text holds

import numpy as np

from astad.recording import operations
from astad.recording.recording import is_array
from astad.recording.run import Run
from astad.rules.formula import define_pull, fit
from astad.rules.in_force import CUSTOM, NO_PATH
from astad.rules.registry import lookup

__all__ = ["Lines"]

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
}  # fmt: skip
Values = Mapping[str, Any]


class _Parts:
    """The cotangents of the items of a list or tuple, by their places."""

    def __init__(self) -> None:
        self.bars: dict[int, Any] = {}


class Lines:
    """The assignments of a text; ``values`` of all its names as they are in the run around."""

    def __init__(self, run: Run, body: Sequence[str]) -> None:
        self.run = run
        self.statements = ast.parse("\n".join(body)).body
        self.names: list[str] = []
        for statement in self.statements:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.names.append(statement.targets[0].id)
            elif not (isinstance(statement, ast.If) or self._fills(statement)):
                run.recording.refuse("the reverse of a line that writes into an array")
        self.values: dict[str, Any] = {}
        self.space: dict[str, Any] = {}
        self.bars: dict[str, Any] = {}

    def _fills(self, statement: ast.stmt) -> bool:
        """Is it the one that writes into zeros, before anybody reads them?"""
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                before = self.statements[: self.statements.index(statement)]
                match [each for each in before if name in _names_in(each)]:
                    case [ast.Assign(value=ast.Call(func=made))]:
                        return ast.unparse(made) == "np.zeros"
        return False

    def reverse(self, values: Values, bars: Values) -> dict[str, Any]:
        """The cotangents of all names, from those of some."""
        self.values, self.bars = dict(values), {}
        self.space = {**vars(builtins), **self.run.recording.space, "np": np, "math": math}
        self.space |= {"inf": math.inf, "nan": math.nan, **values}
        for word, bar in bars.items():
            self._add(word, bar)
        for statement in reversed(self.statements):
            match statement:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=index)]):
                    bar = self.bars.get(name)
                    if bar is not None:
                        part = operations.getitem(self.run, bar, self._value(_as_value(index)))
                        self._statement(statement.value, part, self._value(statement.value))
                case ast.Assign(targets=[ast.Name(id=name)]):
                    bar, y = self.bars.get(name), self.values[name]
                    if type(bar) is _Parts:
                        bar = self._whole(bar, y)
                    if bar is not None:
                        self._statement(statement.value, bar, y)
        return self.bars

    def _whole(self, parts: _Parts, y: Any) -> Any:
        """The cotangent of a list or tuple: zeros where none has come."""
        bars = [parts.bars.get(at, self.run.call(np.zeros_like, part)) for at, part in enumerate(y)]
        return self.run.recording.fresh(type(y)(bars))

    def _add(self, name: str, bar: Any) -> None:
        if name not in self.values or bar is None:
            return
        self._fit_in(self.bars, name, bar, self.values[name])

    def _fit_in(self, bars: dict[Any, Any], key: Any, bar: Any, value: Any) -> None:
        """Add a cotangent of a value to what has come there."""
        if is_array(value) and value.dtype.kind not in "f" or isinstance(value, complex):
            self.run.recording.refuse("the reverse of complex or whole numbers, line by line")
        bar = self.run.call(fit, bar, value)
        known = bars.get(key)
        bars[key] = bar if known is None else operations.binary(self.run, "add", known, bar)

    def _statement(self, node: ast.expr, bar: Any, y: Any) -> None:
        if not self._moves(node):
            return
        if isinstance(node, ast.Name):
            self._add(node.id, bar)
        elif isinstance(node, ast.BinOp):
            self._apply(OPERATORS.get(type(node.op)), [node.left, node.right], {}, bar, y)
        elif isinstance(node, ast.UnaryOp):
            bar = operations.unary(self.run, "neg", bar) if isinstance(node.op, ast.USub) else bar
            self._statement(node.operand, bar, y)
        elif isinstance(node, ast.Subscript):
            self._item(node, bar)
        elif isinstance(node, ast.Attribute) and node.attr == "T":
            self._statement(node.value, self.run.attribute(bar, "T"), y)
        elif isinstance(node, ast.Call):
            self._call(node, bar, y)
        else:
            self._refuse(node)

    def _refuse(self, node: ast.AST) -> None:
        self.run.recording.refuse(f"the reverse of {ast.unparse(node)}")

    def _value(self, node: Any) -> Any:
        if not isinstance(node, ast.AST):
            return node
        value = eval(compile(ast.Expression(node), "<a line>", "eval"), self.space)  # type: ignore[arg-type]
        if isinstance(value, list | tuple):
            self.run.recording.fresh(value)
        return value

    def _call(self, node: ast.Call, bar: Any, y: Any) -> None:
        keywords = {str(each.arg): each.value for each in node.keywords}
        fn, args = node.func, [*node.args]
        is_method = isinstance(fn, ast.Attribute) and self._moves(fn.value)
        if isinstance(fn, ast.Attribute) and is_method:
            found = getattr(type(self._value(fn.value)), fn.attr)
            args.insert(0, fn.value)
        else:
            found = self._value(fn)
        if found in (float, np.float64) and len(args) == 1:
            self._statement(args[0], bar, y)
        elif found is sum and len(args) == 1 and isinstance(args[0], ast.List):
            for each in args[0].elts:
                self._statement(each, bar, y)
        else:
            self._apply(found, args, keywords, bar, y)

    def _moves(self, node: Any) -> bool:
        """Does it name a number?"""
        if isinstance(node, list | tuple):
            return any(map(self._moves, node))
        if not isinstance(node, ast.AST):
            return False
        return any(isinstance(e, ast.Name) and e.id in self.values for e in ast.walk(node))

    def _apply(
        self, fn: Any, args: Sequence[Any], keywords: Mapping[str, Any], bar: Any, y: Any
    ) -> None:
        if id(fn) in CUSTOM:
            self._by_users_rule(fn, args, keywords, bar)
            return
        rule = lookup(fn) if fn is not None else None
        if rule is not None and rule.form == "zero":
            return
        if rule is None or not rule.back:
            self.run.recording.refuse(f"the reverse of {getattr(fn, '__name__', fn)}")
        given = [self._value(arg) for arg in args]
        words = {name: self._value(each) for name, each in keywords.items()}
        values = rule.bind(given, words)
        if rule.refuses(values):
            self.run.recording.refuse(f"the reverse of {rule.name} with these arguments")
        nodes = dict(zip(rule.parameters, rule.signature.bind(args, keywords), strict=True))
        moving = [name for name, node in nodes.items() if self._moves(node)]
        wanted = tuple(name.lstrip("*") for name in moving)
        pull = define_pull(rule, wanted)
        self.run.own.add(id(pull.__globals__))
        bars = self.run.call(pull, bar, y, *values)
        for name, part in zip(moving, bars, strict=True):
            self._deliver(nodes[name], part)

    def _by_users_rule(
        self, fn: Any, args: Sequence[Any], keywords: Mapping[str, Any], bar: Any
    ) -> None:
        """It is an ordinary function at this level."""
        if id(fn) in NO_PATH:
            return
        given = [self._value(arg) for arg in args]
        words = {name: self._value(each) for name, each in keywords.items()}
        _, back = operations.iterate(self.run, self.run.call(CUSTOM[id(fn)][1], *given, **words))
        bars = operations.iterate(self.run, self.run.call(back, bar))
        for node, part in zip(args, bars, strict=True):
            self._deliver(node, part)

    def _deliver(self, node: Any, bar: Any) -> None:
        if bar is None:
            return
        if isinstance(node, ast.Name):
            self._add(node.id, bar)
        elif isinstance(node, ast.List | ast.Tuple):
            for each, part in zip(node.elts, bar, strict=True):
                self._deliver(each, part)
        elif isinstance(node, tuple | list):
            for each, part in zip(node, bar, strict=True):
                self._deliver(each, part)
        elif self._moves(node):
            self._statement(node, bar, self._value(node))

    def _item(self, node: ast.Subscript, bar: Any) -> None:
        base, index = self._value(node.value), self._value(_as_value(node.slice))
        parts = index if isinstance(index, tuple) else (index,)
        if type(base) in (list, tuple) and isinstance(node.value, ast.Name) and type(index) is int:
            of_parts = self.bars.setdefault(node.value.id, _Parts())
            self._fit_in(of_parts.bars, index % len(base), bar, base[index])
            return
        if not is_array(base) or not all(isinstance(p, _BASIC) or p is ... for p in parts):
            self._refuse(node)
        whole = self.run.call(np.zeros, self.run.attribute(base, "shape"))
        operations.setitem(self.run, whole, index, bar)
        self._statement(node.value, whole, base)


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


_BASIC = (int, np.integer, slice, type(None))


def _as_value(node: ast.expr) -> ast.expr:
    """A subscript as an expression: slices by name."""
    if isinstance(node, ast.Slice):
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        made = ast.Call(ast.Name("slice", ast.Load()), parts, [])
    elif isinstance(node, ast.Tuple):
        made = ast.Tuple([_as_value(each) for each in node.elts], ast.Load())  # type: ignore[assignment]
    else:
        return node
    return ast.fix_missing_locations(ast.copy_location(made, node))
