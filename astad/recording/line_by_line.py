"""The gradient of a straight text, line by line: made in a tenth of the time that the compiler
takes, and a little slower.

Each line computes one thing from names that are bound once, and what it gave is known, for it has
run. So its cotangents are those of the rule of what it calls, from the last line to the first.

>>> values = {"x": 2.0, "t_1": 4.0, "t_2": 0.25}
>>> lines = ["def f(x):", "    t_1 = x * 2.0", "    t_2 = 1.0 / t_1", "    return t_2"]
>>> text = LineByLine("\\n".join(lines), values, {})
>>> print(text.gradient("f_gradient", ["x"], ["x"]))
def f_gradient(x):
    if not (
        type(x) is float
    ):
        return NotImplemented
    t_1 = x * 2.0
    t_2 = 1.0 / t_1
    t_2_bar = 1.0
    t_1_bar = t_2_bar and t_2_bar * (-t_2 / t_1)
    x_bar = t_1_bar * 2.0
    return t_2, (x_bar,)
"""

from __future__ import annotations

import ast
import builtins
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from astad.recording.cotangents_by_line import (
    NUMBERS,
    Names,
    Operand,
    Stays,
    Sweep,
    is_array,
    renamed,
)
from astad.recording.structure import PLAIN, structure_tests
from astad.rules.formula import Rule
from astad.rules.in_force import CUSTOM
from astad.rules.registry import lookup

__all__ = ["LineByLine"]

_Said = Callable[[Sequence[str], Mapping[str, str]], str]
"""An operation of these words."""

OPERATORS: dict[type[ast.AST], tuple[Any, str]] = {
    ast.Add: (operator.add, "+"), ast.Sub: (operator.sub, "-"), ast.Mult: (operator.mul, "*"),
    ast.Div: (operator.truediv, "/"), ast.FloorDiv: (operator.floordiv, "//"),
    ast.Mod: (operator.mod, "%"), ast.Pow: (operator.pow, "**"),
    ast.MatMult: (operator.matmul, "@"), ast.USub: (operator.neg, "-"),
    ast.UAdd: (operator.pos, "+"),
}  # fmt: skip
INERT = frozenset({bool, int, str, type(None), np.bool_, np.int64, np.int32, type(...), slice})
ASKED = frozenset({"type", "len", "id"})
"""Builtins that the tests call."""


class LineByLine:
    """``values``: what the names of the text stand for; ``space``: what its globals do;
    ``containers`` are the arguments with a derivative that are no numbers and arrays, ``leaves``
    what is read of them, by argument and path.
    """

    def __init__(self, text: str, values: Mapping[str, Any], space: Mapping[str, Any]) -> None:
        (tree,) = ast.parse(text).body
        assert isinstance(tree, ast.FunctionDef)
        self.statements = tree.body
        self.source = text.split("\n")
        self.values = dict(values)
        self.names = Names(values, space)
        self.sweep = Sweep(self.values, self.names)
        numbers = [v for v in self.values.values() if type(v) in NUMBERS]
        self.sweep.is_guarded = "inf" in text or not all(map(np.isfinite, numbers))
        self.active = self.sweep.active
        self.containers: dict[str, Any] = {}
        self.leaves: dict[tuple[str, str], str] = {}
        self.given: list[tuple[str, str]] = []
        self.body: list[str] = []
        self._back: list[tuple[str, Callable[[], None]]] = []
        self._bound: set[str] = set()
        self._read: set[str] = set()
        self._versions: dict[str, str] = {}
        self._tests: dict[str, None] = {}
        self._passing: dict[str, str] = {}

    def gradient(self, name: str, params: Sequence[str], wanted: Sequence[str]) -> str:
        """The text of a function of this name, which gives the value and in a tuple the cotangents
        of what is ``given``: of these arguments, and of what is read in containers among them.

        Raises
        ------
        Stays : where the compiler has to be asked.
        """
        if not ASKED.isdisjoint(self.values):
            raise Stays
        self.active.update(wanted)
        for param in params:
            v = self.values[param]
            if param in wanted and not (_is_carrying(v) or _is_inert(v)):
                self.containers[param] = v
                self._tests |= dict.fromkeys(structure_tests(param, v, self.names.constant))
            else:
                self._expect(param, v)
        for statement in self.statements[:-1]:
            self._statement(statement)
        y = self._result()
        self.sweep.add(y, "1.0")
        for target, step in reversed(self._back):
            if target in self.sweep.reached:
                step()
        self.given = [(each, "") for each in wanted if each not in self.containers]
        self.given += self.leaves
        bars = [self._bar_of(*each) for each in self.given]
        lines = [*self._head(params), *self.body, *self._swept()]
        text = "\n".join(f"    {line}" for line in lines)
        last = f"    return {y}, ({''.join(f'{bar}, ' for bar in bars).strip()})"
        return f"def {name}({', '.join(params)}):\n{text}\n{last}"

    def _result(self) -> str:
        last = self.statements[-1]
        is_name = isinstance(last, ast.Return) and isinstance(last.value, ast.Name)
        if not is_name or last.value.id not in self.active:  # type: ignore[attr-defined]
            raise Stays
        return str(last.value.id)  # type: ignore[attr-defined]

    def _swept(self) -> list[str]:
        """NumPy says nothing in a sweep; Python's numbers ask nothing of it."""
        if not self._is_of_numpy():
            return self.sweep.lines
        return ["with np.errstate(all='ignore'):", *[f"    {line}" for line in self.sweep.lines]]

    def _is_of_numpy(self) -> bool:
        return any(is_array(v) or type(v) is np.float64 for v in self.values.values())

    def _bar_of(self, param: str, path: str) -> str:
        """The cotangent of an argument, or of what lies at a path in it."""
        name = self.leaves.get((param, path), param)
        v, bar = self.values[name], self.names.bar(name)
        if name not in self.sweep.reached:
            if not path:
                return "None"
            return f"np.zeros({name}.shape)" if is_array(v) else "0.0"
        if is_array(v) or not self._is_of_numpy():
            return bar
        return f"np.float64({bar})" if type(v) is np.float64 else f"float({bar})"

    # --- tests

    def _head(self, params: Sequence[str]) -> list[str]:
        """The tests that what is given is as it was, and what is read of containers."""
        before = self._asked()
        self._tests = {}
        lines = [f"{name} = {param}{path}" for (param, path), name in self.leaves.items()]
        for name in self.leaves.values():
            if is_array(self.values[name]):
                self._expect(name, self.values[name])
        arrays = [each for each in (*params, *self.leaves.values()) if is_array(self.values[each])]
        share = self.names.constant(np.may_share_memory)
        for at, a in enumerate(arrays):  # a part of the gradient would be that of another as well
            for b in arrays[:at]:
                self._tests[f"not {share}({b}, {a})"] = None
        return [*before, *lines, *self._asked()]

    def _asked(self) -> list[str]:
        if not self._tests:
            return []
        first, *others = self._tests
        tests = [f"    {first}", *[f"    and {each}" for each in others]]
        return ["if not (", *tests, "):", "    return NotImplemented"]

    def _expect(self, word: str, v: Any) -> None:
        if type(v) is np.ndarray:
            if v.dtype.kind not in "fib" or v.dtype.kind == "f" and v.dtype != np.float64:
                raise Stays
            kind, dtype = self.names.constant(np.ndarray), self.names.constant(v.dtype)
            self._tests[f"type({word}) is {kind}"] = None
            self._tests[f"{word}.dtype is {dtype} and {word}.ndim == {v.ndim}"] = None
        elif type(v) in PLAIN:
            self._tests[f"type({word}) is {self._type(v)}"] = None
        else:
            raise Stays

    def _type(self, v: Any) -> str:
        return self.names.constant(type(v))

    # --- what is read of containers

    def _leaf(self, node: ast.expr) -> Operand | None:
        """What lies in a container that is given."""
        root = node
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        if root is node or not isinstance(root, ast.Name) or root.id not in self.containers:
            return None
        return self._leaf_at(root.id, self._said(node)[len(root.id) :], self._value_of(node))

    def _leaf_at(self, param: str, path: str, v: Any) -> Operand | None:
        if not _is_carrying(v) and type(v) is not int:
            return None
        if (param, path) not in self.leaves:
            name = self.leaves[param, path] = self.names.fresh("leaf")
            self.values[name] = v
            self.active.add(name)
        return Operand(self.leaves[param, path], v)

    def _opened(self, name: str) -> Operand:
        """A list or tuple of numbers that is given."""
        v = self.containers[name]
        if type(v) not in (list, tuple):
            raise Stays
        found = [self._leaf_at(name, f"[{at}]", each) for at, each in enumerate(v)]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            raise Stays
        return Operand(name, v, parts)

    # --- statements

    def _statement(self, statement: ast.stmt) -> None:
        lines = self.source[statement.lineno - 1 : statement.end_lineno]
        if isinstance(statement, ast.Assign) and len(lines) == 1:
            (target,) = statement.targets
            if isinstance(target, ast.Subscript):
                self._write(target, statement.value)
            elif isinstance(target, ast.Name) and target.id not in self._bound:
                self._bound.add(target.id)
                self._assign(target.id, statement.value)
            else:
                raise Stays
        elif isinstance(statement, ast.AugAssign):
            self._change(statement)
        elif isinstance(statement, ast.Expr) or _is_test(statement):
            self.body += [self._by_versions(line[4:]) for line in lines]
        else:
            raise Stays

    def _then(self, target: str, step: Callable[[], None]) -> None:
        """What is done on the way back, where a cotangent has come to the target."""
        self.active.add(target)
        self._back.append((target, step))

    def _assign(self, target: str, node: ast.expr) -> None:
        """A line that computes one thing."""
        v = self.values[target]
        is_counted = type(v) is int and isinstance(
            node, (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute)
        )
        if (_is_inert(v) and not is_counted) or not self._is_active(node):
            self.body.append(f"{target} = {self._said(node)}")
        elif is_counted or _is_carrying(v):
            self._operation(target, node)
        elif isinstance(node, ast.Call) and isinstance(v, tuple):
            if not all(_is_carrying(each) or _is_inert(each) for each in v):
                raise Stays
            self._call(target, node)
        else:
            raise Stays

    def _operation(self, target: str, node: ast.expr) -> None:
        leaf = self._leaf(node)
        if leaf is not None or isinstance(node, ast.Name):
            operand = leaf or self._operand(node)
            if is_array(operand.value):
                self._versions[target] = operand.word
                return
            self.body.append(f"{target} = {operand.word}")
            self._then(target, lambda: self.sweep.deliver(operand, self.names.bar(target)))
        elif isinstance(node, ast.Subscript):
            self._item(target, node)
        elif isinstance(node, ast.Attribute):
            self._attribute(target, node)
        else:
            self._call(target, node)

    def _attribute(self, target: str, node: ast.Attribute) -> None:
        base = self._operand(node.value)
        fields = getattr(base.value, "_fields", ())
        self.body.append(f"{target} = {base.word}.{node.attr}")
        if node.attr in fields:
            at = fields.index(node.attr)
            self._then(target, lambda: self.sweep.add_part(base.word, at, target))
        elif node.attr == "T" and is_array(base.value):
            self._then(target, lambda: self.sweep.deliver(base, f"{self.names.bar(target)}.T"))
        else:
            raise Stays

    def _item(self, target: str, node: ast.Subscript) -> None:
        base, index = self._operand(node.value), self._said(node.slice)
        if self._is_active(node.slice):
            raise Stays
        self.body.append(f"{target} = {base.word}[{index}]")
        if isinstance(base.value, tuple):
            at = operator.index(self._value_of(node.slice))
            self._then(target, lambda: self.sweep.add_part(base.word, at, target))
            return
        if not is_array(base.value):
            raise Stays
        counts = self._has_counts(node.slice)
        self._read |= self._names_in(node.slice)
        self._then(target, lambda: self.sweep.add_item(target, base.word, index, counts=counts))

    def _call(self, target: str, node: ast.expr) -> None:
        fn, said, args, keywords = self._called(node)
        operands = [self._operand(each) for each in args]
        words = [operand.word for operand in operands]
        if (fn is max or fn is min) and len(args) > 1 and not keywords:
            if not all(type(each.value) in NUMBERS for each in operands):
                raise Stays
            self.body.append(f"{target} = {said(words, {})}")
            self._then(target, lambda: self.sweep.choose(target, operands))
            return
        rule = self._rule(fn)
        named = {str(each.arg): self._operand(each.value) for each in keywords}
        by_name = {name: operand.word for name, operand in named.items()}
        self.body.append(f"{target} = {said(words, by_name)}")
        self._read |= {target}.union(*[each.words() for each in (*operands, *named.values())])
        self._then(target, lambda: self.sweep.pull(rule, target, operands, named))

    def _rule(self, fn: Any) -> Rule:
        rule = None if id(fn) in CUSTOM else lookup(fn)
        if rule is None or not rule.is_own:
            raise Stays
        return rule

    def _called(self, node: ast.expr) -> tuple[Any, _Said, list[ast.expr], list[ast.keyword]]:
        """The function of an operation, how it is said of words, and its operands."""
        if isinstance(node, ast.BinOp):
            fn, sign = OPERATORS.get(type(node.op), (None, ""))
            return fn, lambda words, _: f"{words[0]} {sign} {words[1]}", [node.left, node.right], []
        if isinstance(node, ast.UnaryOp):
            fn, sign = OPERATORS.get(type(node.op), (None, ""))
            return fn, lambda words, _: f"{sign}{words[0]}", [node.operand], []
        if not isinstance(node, ast.Call):
            raise Stays
        func = node.func
        if isinstance(func, ast.Attribute) and self._is_active(func.value):
            method = func.attr
            return (
                getattr(type(self._operand(func.value).value), method, None),
                lambda words, named: f"{words[0]}.{method}({_listed(words[1:], named)})",
                [func.value, *node.args],
                node.keywords,
            )
        name = self._said(func)
        return (
            self._object(name),
            lambda words, named: f"{name}({_listed(words, named)})",
            node.args,
            node.keywords,
        )

    def _object(self, name: str) -> Any:
        """What a dotted name stands for, which is asked in each run."""
        root, *path = name.split(".")
        found: Any = self.names.space.get(root, vars(builtins).get(root))
        for each in path:
            found = getattr(found, each, None)
        if found is None:
            raise Stays
        if path:
            self._tests[f"{name} is {self.names.constant(found)}"] = None
        return found

    # --- writes

    def _by_versions(self, text: str) -> str:
        """An array that is written to has another name after that, where its value is needed."""
        if not self._versions:
            return text
        pieces = _TEXTS.split(text)
        return "".join([
            each if at % 2 else renamed(each, self._versions) for at, each in enumerate(pieces)
        ])  # fmt: skip

    def _version_of(self, node: ast.expr) -> tuple[str, str]:
        """The names of an array before a write and after it."""
        if not isinstance(node, ast.Name) or node.id not in self._bound:
            raise Stays
        name, old = node.id, self._versions.get(node.id, node.id)
        if type(self.values[name]) is not np.ndarray:
            raise Stays
        self._passing.clear()  # what was computed of it in passing is another from now on
        if old not in self._read:
            return old, old
        new = self._versions[name] = self.names.fresh(f"{name}_then")
        self.values[new] = self.values[name]
        self.body.append(f"{new} = {old}.copy()")
        return old, new

    def _write(self, place: ast.Subscript, node: ast.expr) -> None:
        """``a[i] = v``."""
        operand = self._operand(node)
        if self._is_active(place.slice) or self._has_counts(place.slice) or operand.parts:
            raise Stays
        index, part = self._said(place.slice), self._value_of(place)
        self._read |= self._names_in(place.slice)
        old, new = self._version_of(place.value)
        self.body.append(f"{new}[{index}] = {operand.word}")
        moves, was_active = self.sweep.moves(operand), old in self.active
        if not (moves or was_active) or not _is_carrying(self.values[new]):
            return
        taken = f"{self.names.bar(new)}[{index}]"
        if np.ndim(part) and np.ndim(operand.value):
            taken = f"sum_to_shape({taken}.copy(), {operand.word}.shape)"
        elif np.ndim(part):
            taken = f"np.sum({taken})"

        def back() -> None:
            bar = self.sweep.own(new)
            if moves:
                self.sweep.add(operand.word, taken)
            self.sweep.lines.append(f"{bar}[{index}] = 0.0")
            if new != old and was_active:
                self.sweep.add(old, bar, owned=True)

        self._then(new, back)

    def _change(self, statement: ast.AugAssign) -> None:
        """``a += b`` of an array."""
        fn, sign = OPERATORS.get(type(statement.op), (None, ""))
        rule, operand = self._rule(fn), self._operand(statement.value)
        self._read |= {*self._names_in(statement.target), *operand.words()}
        old, new = self._version_of(statement.target)
        self.body.append(f"{new} {sign}= {operand.word}")
        self._read.add(new)
        first = Operand(old, self.values[old])
        if self.sweep.moves(first) or self.sweep.moves(operand):
            self._then(new, lambda: self.sweep.pull(rule, new, [first, operand], {}))

    def _has_counts(self, index: ast.expr) -> bool:
        """Are there lists or arrays of whole numbers in a subscript?"""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        found = [self._value_of(part) for part in parts if not isinstance(part, ast.Slice)]
        return any(isinstance(v, list) or (is_array(v) and v.dtype.kind == "i") for v in found)

    # --- operands

    def _operand(self, node: ast.expr) -> Operand:
        """What is computed in passing has a name of its own."""
        is_active = self._is_active(node)
        if isinstance(node, (ast.List, ast.Tuple)) and is_active:
            parts = [self._operand(each) for each in node.elts]
            word = ", ".join(part.word for part in parts)
            return Operand(f"[{word}]", [part.value for part in parts], parts)
        if isinstance(node, ast.Name) and node.id in self.containers:
            return self._opened(node.id)
        if is_active and (leaf := self._leaf(node)) is not None:
            return leaf
        if isinstance(node, ast.Name) or not is_active:
            said = self._said(node)
            is_whole = isinstance(node, (ast.Name, ast.Constant, ast.Call, ast.Tuple, ast.List))
            return Operand(said if is_whole else f"({said})", self._value_of(node))
        said = self._said(node)
        if said not in self._passing:
            name = self._passing[said] = self.names.fresh("u")
            self.values[name] = self._value_of(node)
            self._assign(name, node)
        return Operand(self._passing[said], self.values[self._passing[said]])

    def _value_of(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in self.values:
            return self.values[node.id]
        with np.errstate(all="ignore"):
            return eval(self._said(node), self.names.space, self.values)

    def _said(self, node: ast.expr) -> str:
        line = self.source[node.lineno - 1]
        if not line.isascii():
            raise Stays
        return self._by_versions(line[node.col_offset : node.end_col_offset])

    def _is_active(self, node: ast.AST) -> bool:
        return not self.active.isdisjoint(self._names_in(node))

    def _names_in(self, node: ast.AST) -> set[str]:
        names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
        return {self._versions.get(name, name) for name in names}


_TEXTS = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
"""In a line there may be keys."""


def _listed(words: Sequence[str], named: Mapping[str, str]) -> str:
    return ", ".join([*words, *[f"{name}={word}" for name, word in named.items()]])


def _is_carrying(v: Any) -> bool:
    """May it have a derivative?"""
    if is_array(v):
        return type(v) is np.ndarray and v.dtype == np.float64 and v.ndim > 0
    return type(v) is float or type(v) is np.float64


def _is_inert(v: Any) -> bool:
    if type(v) is np.ndarray:
        return v.dtype.kind in "ib"
    return type(v) in INERT or (type(v) is tuple and all(type(part) in INERT for part in v))


def _is_test(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.If)
        and not statement.orelse
        and len(statement.body) == 1
        and isinstance(statement.body[0], ast.Raise)
    )
