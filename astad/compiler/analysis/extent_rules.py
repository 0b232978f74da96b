"""Lengths of what one statement gives, from those of its operands.

A value is the lengths of an array, the length that an int stands for, the items of a tuple, a
slice, or nothing known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, applied
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.given import OPEN, Given
from astad.compiler.analysis.lengths import Dim, Dims, Lengths
from astad.compiler.analysis.result_kinds import told
from astad.compiler.ir import kinds as k
from astad.compiler.ir.immutable import immutable
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Star, Try
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY

__all__ = ["Items", "Rules", "Slice", "Value", "may_reshape"]


@immutable
class Items:
    """Of a tuple or a list."""

    values: tuple[Any, ...]  # Any: a value


@immutable
class Slice:
    start: Any  # a value
    stop: Any
    step: Any


NONE = "None"
"""What the literal stands for; a value that is not known is None."""
Value = Dims | Dim | Items | Slice | str | None
Env = Mapping[str, Value]

ELEMENTWISE = {*BINARY, *UNARY, *COMPARE} - {"matmul", "not_"}
OPERATORS = {id(getattr(operator, name)) for name in ELEMENTWISE & vars(operator).keys()}
APPLIED = {*ELEMENTWISE, "matmul", "method", "getattr"}


def may_reshape(node: Node, facts: Facts) -> bool:
    """May somebody give an array another shape in place here, or leave half-way and go on?

    Of a program without dispatched statements: the others are known to leave shapes alone, but
    callees are not looked into.
    """
    return isinstance(node, Try) or id(node) in facts.callees


class Rules:
    """What each operation gives; what it tells goes into ``lengths``. ``fixed`` are lists that keep
    the items of their display.
    """

    def __init__(self, facts: Facts, lengths: Lengths, fixed: Set[str] = frozenset()) -> None:
        self.facts = facts
        self.lengths = lengths
        self.fixed = fixed

    def value(self, operand: Operand | Star, env: Env) -> Value:
        if isinstance(operand, Const):
            return _constant(operand.value)
        value = env.get(operand) if isinstance(operand, str) else None
        is_int = value is None and self.facts.kind_of(operand) == k.INT
        return self.lengths.new() if is_int else value

    def result(self, node: Call, env: Env) -> Value:
        """None where nothing is known."""
        if isinstance(node.fn, Prim):
            args = [self.value(arg, env) for arg in node.args]
            own = self._of_language(node, node.fn.name, args)
            if own is not None or node.fn.name not in APPLIED:
                return own
        what = applied(node, self.facts.known)
        if what is None:
            return None
        return self._applied(what, [self.value(arg, env) for arg in what.args], env)

    # -- the language

    def _of_language(self, node: Call, name: str, args: Sequence[Value]) -> Value:
        if name == "slice":
            return Slice(*args)
        if name == "tuple" or (name == "list" and node.target in self.fixed):
            return Items(tuple(args))
        if name == "unpack":
            return self._unpacked(node, args[0])
        if name == "getattr" and isinstance(node.args[1], Const):
            return self._attribute(node.args[1].value, args[0])
        if name == "getitem":
            is_mask = self.facts.kind_of(node.args[1]).tag == "bools"
            return None if is_mask else self._item(args[0], args[1])
        if name in IN_PLACE:
            return args[0] if isinstance(args[0], tuple) else None
        return self._number(name, args)

    def _unpacked(self, node: Call, value: Value) -> Value:
        count = node.args[1].value if isinstance(node.args[1], Const) else None
        if isinstance(value, tuple) and isinstance(count, int):  # with a star it is dispatched
            self.lengths.are_equal(value[0], count)
        return value if isinstance(value, Items) else None

    def _attribute(self, name: object, value: Value) -> Value:
        if not isinstance(value, tuple):
            return None
        if name == "shape":
            return Items(value)
        return value[0] if name == "size" and len(value) == 1 else None

    def _number(self, name: str, args: Sequence[Value]) -> Value:
        """The same symbol for what is computed from the same ints."""
        if name not in ("add", "sub", "mul", "floordiv") or not all(map(_is_length, args)):
            return None
        found = [self.lengths.find(arg) for arg in args]  # type: ignore[arg-type]
        return self.lengths.of(name, *found)

    # -- subscripts

    def _item(self, value: Value, index: Value) -> Value:
        if isinstance(value, Items):
            is_known = isinstance(index, int) and -len(value.values) <= index < len(value.values)
            return value.values[index] if is_known else None  # type: ignore[index]
        if not isinstance(value, tuple):
            return None
        parts = index.values if isinstance(index, Items) else (index,)
        taken = [at for at, part in enumerate(parts) if isinstance(part, tuple)]
        if len(taken) > 1:
            return None  # several arrays of ints
        left, out = list(value), list[Dim]()
        for part in parts:
            if part == NONE:
                out.append(1)
                continue
            if not (isinstance(part, Slice | tuple) or _is_length(part)):
                return None
            length = left.pop(0)
            if isinstance(part, tuple) and not _goes_first(parts, taken[0]):
                out += part
            elif isinstance(part, Slice):
                out.append(self._sliced(length, part))
            elif isinstance(part, int):
                self.lengths.is_at_least(length, part + 1 if part >= 0 else -part)
        first = parts[taken[0]] if taken and _goes_first(parts, taken[0]) else ()
        return (*first, *out, *left)

    def _sliced(self, length: Dim, part: Slice) -> Dim:
        start = 0 if part.start == NONE else part.start
        stop = 0 if part.stop == NONE else part.stop
        if part.step in (NONE, 1) and type(start) is type(stop) is int and start >= 0 >= stop:
            if part.stop == NONE or stop:
                return self.lengths.less(length, start - stop)
            return 0
        parts = (part.start, part.stop, part.step)
        if not all(each == NONE or _is_length(each) for each in parts):
            return self.lengths.new()
        return self.lengths.of("slice", self.lengths.find(length), *parts)

    # -- functions

    def _applied(self, what: Applied, args: Sequence[Value], env: Env) -> Value:
        fn, first = what.fn, args[0] if args else None
        if fn is operator.matmul or fn is np.matmul:
            return self._product(args)
        if isinstance(fn, np.ufunc) or id(fn) in OPERATORS or fn is np.where:
            return None if what.keywords else self._elementwise(what.args, args)
        if fn is len:
            return first[0] if isinstance(first, tuple) and first else None
        claim = told(fn, what.args, what.keywords, self.facts.knowledge)
        if claim is None or claim[0] not in SHAPES:
            return None
        word, given = claim
        return SHAPES[word](self, given, lambda name: self._operand(given, name, env))

    def _operand(self, given: Given, name: str, env: Env) -> Value:
        operand = given.operands.get(name)
        if isinstance(operand, tuple):
            return Items(tuple(self.value(part, env) for part in operand))
        return None if operand is None else self.value(operand, env)

    def _elementwise(self, operands: Sequence[Operand], args: Sequence[Value]) -> Value:
        shapes = [arg for arg in args if isinstance(arg, tuple)]
        kinds = [self.facts.kind_of(operand) for operand in operands]
        plain = all(
            k.is_real(kind) or kind == k.BOOL or isinstance(arg, tuple)
            for kind, arg in zip(kinds, args, strict=True)
        )
        return self.lengths.broadcast(shapes) if shapes and plain else None

    def _product(self, args: Sequence[Value]) -> Value:
        if not all(isinstance(arg, tuple) and len(arg) in (1, 2) for arg in args):
            return None
        a, b = args
        assert isinstance(a, tuple) and isinstance(b, tuple)
        self.lengths.are_equal(a[-1], b[0])
        return (*a[:-1], *b[1:])


def _constant(value: object) -> Value:
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return Items(tuple(map(_constant, value)))
    return value if type(value) is int else None


def _is_length(value: object) -> bool:
    return value is not None and not isinstance(value, tuple | str | Items | Slice)


def _length_or_lengths(value: Value) -> Value:
    """Of an array made in the shape that the value is."""
    if _is_length(value):
        return (value,)  # type: ignore[return-value]
    known = isinstance(value, Items) and all(map(_is_length, value.values))
    return value.values if known and isinstance(value, Items) else None


def _of_display(value: Value) -> Value:
    """Of an array made of a display; where its items are numbers, the kinds tell."""
    if not isinstance(value, Items):
        return None
    inner = {len(item.values) if isinstance(item, Items) else -1 for item in value.values}
    if len(inner) != 1:
        return None
    return (len(value.values), *(inner - {-1}))


def _goes_first(parts: Sequence[Value], at: int) -> bool:
    """Are the axes of the array of ints at this place in a subscript the first of the result?

    They are where a slice or a new axis stands between the array and an int, which is spread to
    the shape of the array: ``x[0, :, i]``, but neither ``x[:, 0, i]`` nor ``x[:, i]``.
    """
    spread = [place for place, part in enumerate(parts) if _is_length(part) or place == at]
    return spread[-1] - spread[0] >= len(spread)


# --- shapes by the words in which the rows claim what a function gives

Operands = Callable[[str], Value]
"""The value of the operand that a word has under a name."""


def _same(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    return a if isinstance(a, tuple) else _of_display(a)


def _like(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    return a if isinstance(a, tuple) and not given.has("shape") else None


def _made(rules: Rules, given: Given, value: Operands) -> Value:
    return _length_or_lengths(value("shape"))


def _matrix(rules: Rules, given: Given, value: Operands) -> Value:
    n = value("n")
    return (n, n) if _is_length(n) and not given.has("m") else None  # type: ignore[return-value]


def _stacked(rules: Rules, given: Given, value: Operands) -> Value:
    return None if given.has("axis") else _of_display(value("arrays"))


def _reduced(rules: Rules, given: Given, value: Operands) -> Value:
    dims, number, keep = value("a"), given.literal("axis"), given.literal("keepdims")
    axes = number if isinstance(number, tuple) else (number,)
    is_known = number is not OPEN and all(type(each) is int for each in axes)
    if not isinstance(dims, tuple) or not is_known:
        return None
    gone = {each % len(dims) for each in axes}
    if keep:
        return tuple(1 if at in gone else dim for at, dim in enumerate(dims))
    return tuple(dim for at, dim in enumerate(dims) if at not in gone)


def _solution(rules: Rules, given: Given, value: Operands) -> Value:
    a, b = value("a"), value("b")
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return None
    rules.lengths.are_equal(a[0], a[1])
    rules.lengths.are_equal(a[0], b[0])
    return b


def _squares(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    if isinstance(a, tuple):
        rules.lengths.are_equal(a[-1], a[-2])
    return a if isinstance(a, tuple) else None


def _transposed(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    return a[::-1] if isinstance(a, tuple) and given.literal("axes") in (None, ()) else None


def _swapped(rules: Rules, given: Given, value: Operands) -> Value:
    dims, first, second = value("a"), value("axis1"), value("axis2")
    if not isinstance(dims, tuple) or not isinstance(first, int) or not isinstance(second, int):
        return None
    if not {first, second} <= set(range(-len(dims), len(dims))):
        return None
    out = list(dims)
    out[first], out[second] = out[second], out[first]
    return tuple(out)


SHAPES: dict[str, Callable[[Rules, Given, Operands], Value]] = {
    "like": _like, "made": _made, "matrix": _matrix, "reduced": _reduced, "same": _same,
    "solution": _solution, "squares": _squares, "stacked": _stacked, "summed": _reduced,
    "swapped": _swapped, "transposed": _transposed, "triangle": _same,
}  # fmt: skip
