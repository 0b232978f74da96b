"""The reverse of a straight text line by line, by the formulas of rules, in a run that is
recorded: where the compiler has no text, since it does not know beforehand what kind an operation
gives.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any  # whatever a text holds

import numpy as np

from astad.api.higher import composed
from astad.recording import operations
from astad.recording.bounds import VIEWED
from astad.recording.recording import is_array
from astad.recording.run import Run
from astad.rules.formula import define_pull, fit
from astad.rules.in_force import CUSTOM, NO_PATH
from astad.rules.numpy.scatter import numbered, scattered
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
    """The assignments of a text, each to a name of its own: a line that writes into an array makes
    another one. ``last`` is the name of that by the name in the text, ``values`` those of all names
    as they are in the run around.
    """

    def __init__(self, run: Run, body: Sequence[str]) -> None:
        self.run = run
        self.names: list[str] = []
        self.last: dict[str, str] = {}
        self.writes: list[tuple[int, str]] = []
        plain = itertools.chain(*map(_plain, ast.parse("\n".join(body)).body))
        flat = itertools.chain(*map(_Flat().of, plain))
        self.statements = [*map(self._read, flat)]
        self.text = [line for each in self.statements for line in ast.unparse(each).split("\n")]
        self.values: dict[str, Any] = {}
        self.space: dict[str, Any] = {}
        self.bars: dict[str, Any] = {}

    def _read(self, statement: ast.stmt) -> ast.stmt:
        made = statement
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                made = self._renamed(statement)
                self.last.pop(name, None)
                self.names.append(name)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=array), slice=index)]):
                old, new = self.last.get(array, array), f"{array}_{len(self.writes)}_w"
                by = ast.Name(self.run.recording.constant(composed.written), ast.Load())
                operands = [ast.Name(array, ast.Load()), _as_value(index), statement.value]
                call = self._renamed(ast.Call(by, operands, []))
                made = ast.Assign([ast.Name(new, ast.Store())], call, lineno=1)
                self.writes.append((len(self.names), old))
                self.last[array] = new
                self.names.append(new)
            case ast.If():
                made = self._renamed(statement)
            case _:
                self.run.recording.refuse("the reverse of a line that is no assignment")
        return ast.fix_missing_locations(made)

    def _renamed(self, tree: Any) -> Any:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                node.id = self.last.get(node.id, node.id)
        return tree

    def _expect_no_views(self, words: Sequence[str]) -> None:
        """Of what is written to later: they would show it."""
        for place, old in self.writes:
            after = {*words, *self._read_after(place)}
            for name, v in self.values.items():
                is_other = name != old and name in after and is_array(v)
                if is_other and np.may_share_memory(v, self.values[old]):
                    self.run.recording.refuse(VIEWED)

    def _read_after(self, place: int) -> set[str]:
        """Names in what comes after so many assignments."""
        count, found = 0, set[str]()
        for statement in self.statements:
            if count > place:
                found |= _names_in(statement)
            count += isinstance(statement, ast.Assign)
        return found

    def reverse(self, values: Values, bars: Values) -> dict[str, Any]:
        """The cotangents of all names, from those of some."""
        self.values, self.bars = dict(values), {}
        self.space = {**vars(builtins), **self.run.recording.space, "np": np, "math": math}
        self.space |= {"inf": math.inf, "nan": math.nan, **values}
        self._expect_no_views([*bars])
        for word, bar in bars.items():
            self._add(self.last.get(word, word), bar)
        for statement in reversed(self.statements):
            if isinstance(statement, ast.Assign):
                name = ast.unparse(statement.targets[0])
                bar, y = self.bars.get(name), self.values[name]
                if type(bar) is _Parts:
                    bar = self._whole(bar, y)
                if bar is not None:
                    self._statement(statement.value, bar, y)
        return self.bars

    def _whole(self, parts: _Parts, y: Any) -> Any:
        """The cotangent of a list or tuple: zeros where none has come."""
        bars = [parts.bars.get(at, self.run.call(np.zeros_like, part)) for at, part in enumerate(y)]
        return self.run.recording.fresh(bars if type(y) is list else tuple.__new__(type(y), bars))

    def _add(self, name: str, bar: Any) -> None:
        if name not in self.values or bar is None:
            return
        self._fit_in(self.bars, name, bar, self.values[name])

    def _fit_in(self, bars: dict[Any, Any], key: Any, bar: Any, value: Any) -> None:
        """Add a cotangent of a value to what has come there."""
        if np.asarray(value).dtype.kind in "biu":
            return  # what was made a whole number has no derivative
        bar = self.run.call(fit, bar, value)
        if np.iscomplexobj(bar) and not np.iscomplexobj(value):
            bar = self.run.call(np.real, bar)
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
        elif isinstance(node, ast.Attribute) and node.attr in ("real", "imag"):
            self._apply(getattr(np, node.attr), [node.value], {}, bar, y)
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
        return self._own(value)

    def _own(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            self.run.recording.fresh(value)
            for part in value:
                self._own(part)
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
        if found is composed.written:
            self._written(args, bar)
        elif found in (float, np.float64) and len(args) == 1:
            self._statement(args[0], bar, y)
        elif (found is max or found is min) and len(args) > 1 and not keywords:
            self._chosen(args, bar, y)
        elif found is sum and len(args) == 1 and isinstance(args[0], ast.List):
            for each in args[0].elts:
                self._statement(each, bar, y)
        else:
            self._apply(found, args, keywords, bar, y)

    def _chosen(self, args: Sequence[Any], bar: Any, y: Any) -> None:
        """``max`` or ``min`` of numbers, at a point where one of them is."""
        run = self.run
        same = [
            operations.truth(run, operations.compare(run, "eq", self._value(each), y))
            for each in args
        ]
        if sum(same) != 1:
            run.recording.refuse("a derivative of a derivative where max or min has a choice")
        self._deliver(args[same.index(True)], bar)

    def _moves(self, node: Any) -> bool:
        """Does it name a number?"""
        if isinstance(node, (list, tuple)):
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
        pull = define_pull(rule, wanted, again=True)
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
        elif isinstance(node, (ast.List, ast.Tuple, list, tuple)):
            nodes = node.elts if isinstance(node, ast.AST) else node
            # an array's too: ``np.array([a, b])`` hands on what comes to the array
            for each, part in zip(nodes, operations.iterate(self.run, bar), strict=True):
                self._deliver(each, part)
        elif self._moves(node):
            self._statement(node, bar, self._value(node))

    def _written(self, args: Sequence[Any], bar: Any) -> None:
        array, index, v = args
        at = self._value(index)
        if self._moves(v):
            part = self.run.call(fit, operations.getitem(self.run, bar, at), self._value(v))
            self._deliver(v, part)
        self._deliver(array, self.run.call(composed.written, bar, at, 0.0))

    def _scattered(self, bar: Any, base: Any, index: Any) -> Any:
        """Zeros, to which a cotangent is added at places of which some may be the same."""
        run, shape = self.run, self.run.attribute(base, "shape")
        places = operations.getitem(run, run.call(numbered, shape), index)
        return run.call(scattered, bar, places, shape)

    def _item(self, node: ast.Subscript, bar: Any) -> None:
        base, index = self._value(node.value), self._value(_as_value(node.slice))
        parts = index if isinstance(index, tuple) else (index,)
        if (
            isinstance(base, (list, tuple))
            and isinstance(node.value, ast.Name)
            and type(index) is int
        ):
            of_parts = self.bars.setdefault(node.value.id, _Parts())
            self._fit_in(of_parts.bars, index % len(base), bar, base[index])
            return
        if is_array(base) and any(map(_is_places, parts)):
            self._statement(node.value, self._scattered(bar, base, index), base)
            return
        is_mask = is_array(index) and index.dtype == bool
        if not is_array(base) or not (is_mask or all(map(_is_basic, parts))):
            self._refuse(node)
        kind = bar.dtype if np.iscomplexobj(bar) and not np.iscomplexobj(base) else base.dtype
        whole = self.run.call(np.zeros, self.run.attribute(base, "shape"), kind.type)
        operations.setitem(self.run, whole, index, bar)
        self._statement(node.value, whole, base)


class _Flat:
    """Lines whose operands are names, items of displays of such, or constants. What an operand
    computes is a line of its own, so that the run knows its value as a number that is followed.

    >>> (line,) = ast.parse("t_1 = np.multiply(x, [np.float64(n), -1])").body
    >>> for each in _Flat().of(line):
    ...     print(ast.unparse(each))
    o_1_o = np.float64(n)
    t_1 = np.multiply(x, [o_1_o, -1])
    """

    def __init__(self) -> None:
        self.count = 0
        self.lines: list[ast.stmt] = []

    def of(self, statement: ast.stmt) -> list[ast.stmt]:
        self.lines = []
        if isinstance(statement, ast.Assign):
            self._operands(statement.value)
        return [*self.lines, statement]

    def _operands(self, node: ast.expr) -> None:
        """Replace what the operands of an operation compute."""
        for name, value in [*ast.iter_fields(node)]:
            is_operand = name in ("left", "right", "operand") or (
                name == "value" and isinstance(node, (ast.Subscript, ast.Attribute, ast.keyword))
            )
            if is_operand:
                setattr(node, name, self._operand(value))
            elif name in ("args", "elts"):
                value[:] = map(self._operand, value)
            elif name == "keywords":
                for each in value:
                    self._operands(each)
            elif name == "func" and isinstance(value, ast.Attribute):
                self._operands(value)  # of a method the object

    def _operand(self, node: ast.expr) -> ast.expr:
        self._operands(node)
        is_constant = not any(isinstance(each, ast.Name) for each in ast.walk(node))
        if is_constant or not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript)):
            return node
        self.count += 1
        name = f"o_{self.count}_o"
        self.lines.append(ast.Assign([ast.Name(name, ast.Store())], node, lineno=1))
        return ast.Name(name, ast.Load())


def _plain(statement: ast.stmt) -> Iterator[ast.stmt]:
    """``a[i] += v`` as what it reads, computes and writes, ``a += v`` as writing all of it."""
    if not isinstance(statement, ast.AugAssign) or isinstance(statement.target, ast.Attribute):
        yield statement
        return
    target: ast.Name | ast.Subscript = statement.target
    old, new = f"old_{statement.lineno}", f"new_{statement.lineno}"
    if isinstance(target, ast.Name):
        target = ast.Subscript(target, ast.Constant(...), ast.Store())
    read = ast.Subscript(target.value, target.slice, ast.Load())
    value = ast.BinOp(ast.Name(old, ast.Load()), statement.op, statement.value)
    for to, given in (
        (ast.Name(old, ast.Store()), read),
        (ast.Name(new, ast.Store()), value),
        (target, ast.Name(new, ast.Load())),
    ):
        made = ast.parse(f"{ast.unparse(to)} = {ast.unparse(given)}").body[0]
        yield made


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_places(part: Any) -> bool:
    return type(part) is list or (is_array(part) and part.dtype.kind in "iu")


def _is_basic(part: Any) -> bool:
    return isinstance(part, (int, np.integer, slice, type(None))) or part is ...


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
