"""Work out what cotangents that are constants make of the reverse sweep.

``y_bar = 1.0; x_bar = y_bar * c`` becomes ``x_bar = c``, and ``x_bar = 0.0; x_bar = x_bar + g``
becomes ``x_bar = g``, where c and g are proved floats. A zero that we wrote because nothing has
come to a name is nothing in every product, also where the other factor is infinite; a zero of the
user's is a number like any other. The sign of a zero may change: ``0.0 + g`` is 0.0 for -0.0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TypeGuard, cast

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Ref,
    Star,
    While,
    immutable,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, substituted, with_blocks
from astad.slotted import replace

__all__ = ["fold_constants"]

FOLD: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}
COMPUTED = {*FOLD, "truediv"}
"""Operations of which the result may be known, or another name's value."""


@immutable
class _Value:
    """A float; ``is_nothing`` for a zero that stands for what has never come."""

    number: float
    is_nothing: bool = False


Known = dict[str, _Value]


def fold_constants(derived: Derived) -> Derived:
    """In every generated function; the forward sweep stays as it is."""
    folder = _Folder(derived)
    return derived.with_bodies(
        lambda function: (
            folder.block(function.body, {})
            if any(_may_fold(node) and is_reverse(node) for node in outline(function).nodes)
            else function.body
        )
    )


def _may_fold(node: Node) -> bool:
    """Does it read a number from which something follows?"""
    if type(node) is Bind:
        return type(node.source) is Const and type(node.source.value) in (float, int)
    if type(node) is Branch:
        return type(node.test) is Const
    return _is_computed(node) and Const in map(type, node.operands)


def _is_computed(node: Node) -> TypeGuard[Bind | Call]:
    """May it come to something that is known?"""
    if type(node) is Call:
        return type(node.fn) is Prim and node.fn.name in COMPUTED
    return type(node) is Bind


class _Folder:
    def __init__(self, derived: Derived) -> None:
        self.floats = derived.floats
        self.numbers = derived.numbers
        self.taken = derived.taken
        self.may_skip = True

    def block(self, body: Block, known: Known) -> Block:
        """The block for what is known at its head; afterwards ``known`` is what is known at its
        end.
        """
        out: list[Node] = []
        for at, node in enumerate(body):
            if type(node) is Branch:
                skipping = self._skipping(node, body[at + 1 :], known)
                if skipping is not None:
                    return (*out, *skipping)
                out += self._branch(node, known)
            elif type(node) is Loop or type(node) is While:
                out.append(self._loop(node, known))
            elif _is_computed(node) and is_reverse(node):
                out.append(self._statement(node, known))
            else:
                out.append(_unguarded(_with_numbers(node, known) if known else node))
                _forget(known, node.bound)
        return kept(body, out)

    def _branch(self, node: Branch, known: Known) -> Block:
        node = cast(Branch, _with_numbers(node, known))
        if isinstance(node.test, Const) and is_reverse(node):
            return self.block(node.body if node.test.value else node.orelse, known)
        other = dict(known)
        body, orelse = self.block(node.body, known), self.block(node.orelse, other)
        _forget(known, {name for name in bound_inside(node) if known.get(name) != other.get(name)})
        if body is node.body and orelse is node.orelse:
            return (node,)
        return (replace(node, body=body, orelse=orelse),)

    def _skipping(self, node: Branch, rest: Block, known: Known) -> Block | None:
        """Where one arm leaves nothing for the rest of the block to do: the rest in the other arm.

        ``if c: t_bar = g; else: t_bar = 0.0; x_bar = x_bar + t_bar * y`` has nothing to add where c
        is false.
        """
        end = len(rest)
        while end and not is_reverse(rest[end - 1]):
            end -= 1
        arms = [node.body, node.orelse]
        if not is_reverse(node) or not self.may_skip or all(map(_is_idle, rest[:end])):
            return None
        for at, arm in enumerate(arms):
            if not any(map(_binds_nothing, arm)) or not all(map(_is_idle, arm)):
                continue
            left = self._idle((*arm, *rest[:end]), known)
            if left is not None:
                node = cast(Branch, _with_numbers(node, known))
                arms[1 - at] = self.block((*arms[1 - at], *rest[:end]), dict(known))
                arms[at] = left
                known.clear()
                made = replace(node, body=arms[0], orelse=arms[1])
                return (made, *self.block(rest[end:], known))
        return None

    def _idle(self, body: Block, known: Known) -> Block | None:
        """What is left of a block for what is known at its head, if it is nothing to do. Mostly an
        early statement tells: a long text has many such blocks, each to its end.
        """
        self.may_skip, known = False, dict(known)
        left: list[Node] = []
        try:
            for node in body:
                part = self.block((node,), known)
                if not all(map(_is_idle, part)):
                    return None
                left += part
        finally:
            self.may_skip = True
        return tuple(left)

    def _loop(self, node: Loop | While, known: Known) -> Node:
        """What an iteration changes is not known at the head of any."""
        _forget(known, bound_inside(node))
        node = cast(Loop | While, _with_numbers(node, known))
        return with_blocks(node, lambda block: self.block(block, dict(known)))

    def _statement(self, node: Bind | Call, known: Known) -> Node:
        found = self._result(node, known)
        made: Node
        if isinstance(found, _Value):
            is_it = isinstance(node, Bind) and isinstance(node.source, Const)
            made = node if is_it else Bind(str(node.target), Const(found.number), node.line)
        elif isinstance(found, str):
            made = Bind(cast(str, node.target), found, node.line)
        else:
            made = _with_numbers(node, known) if found is None else found
        _forget(known, node.bound)
        if isinstance(found, _Value) and node.target not in self.taken:
            known[cast(str, node.target)] = found
        return made

    def _result(self, node: Bind | Call, known: Known) -> _Value | str | Node | None:
        """What the statement comes to: a number, a name, another statement; None for itself."""
        if not isinstance(node.target, str):
            return None
        if isinstance(node, Bind):
            value = _value(node.source, known)
            is_ours = isinstance(node.source, Const) and value is not None and value.number == 0
            return _Value(value.number, True) if value and is_ours else value
        assert isinstance(node.fn, Prim)
        if len(node.read) == len(node.args) and known.keys().isdisjoint(node.read):
            return None
        values = [_value(arg, known) for arg in node.args]
        if None not in values:
            given = [value for value in values if value is not None]
            return _folded(node.fn.name, given) if self._are_numbers(node) else None
        if len(values) == 1 or values.count(None) != 1 or not self._are_numbers(node):
            return None
        return self._of_one_number(node, *values)

    def _are_numbers(self, node: Call) -> bool:
        return all(self._is_number(arg) for arg in node.args)

    def _is_number(self, operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (float, int)
        return operand in self.numbers

    def _of_one_number(
        self, node: Call, a: _Value | None, b: _Value | None
    ) -> _Value | str | Node | None:
        """Of an operation with one float that is known and one that is not."""
        value = a or b
        assert value is not None and isinstance(node.fn, Prim)
        name, (first, second), number = node.fn.name, node.args, value.number
        other = cast(str, second if a else first)
        if value.is_nothing and (name == "mul" or (name == "truediv" and a)):
            return NOTHING
        if value.is_nothing and name in ("add", "sub"):
            return _negated(node, other) if name == "sub" and a else other
        if other not in self.floats:
            return None
        if name == "mul" or (name == "truediv" and b):
            if number == 1:
                return other
            return _negated(node, other) if number == -1 else None
        return None


NOTHING = _Value(0.0, True)
SAFE_PRODUCT = Ref("astad.rules.safe", "safe_product")


def _unguarded(node: Node) -> Node:
    """A product with a number that is no zero needs no care for zeros: ``safe_product(2.0, x)``."""
    if type(node) is not Call or node.fn != SAFE_PRODUCT:
        return node
    factor = node.args[0].value if isinstance(node.args[0], Const) else 0
    return replace(node, fn=Prim("mul")) if type(factor) in (int, float) and factor else node


def _binds_nothing(node: Node) -> bool:
    """``x_bar = 0.0``, written by us because nothing has come."""
    number = (
        node.source.value if isinstance(node, Bind) and isinstance(node.source, Const) else None
    )
    return is_reverse(node) and type(number) in (float, int) and number == 0


def _is_idle(node: Node) -> bool:
    """Does the statement only bind names to others, or to numbers?"""
    if isinstance(node, Bind):
        return True
    return isinstance(node, Branch) and all(map(_is_idle, (*node.body, *node.orelse)))


def _forget(known: Known, names: Iterable[str]) -> None:
    for name in names if known else ():
        known.pop(name, None)


def _with_numbers(node: Node, known: Known) -> Node:
    """Names of which the value is known, replaced by it."""
    if known.keys().isdisjoint(node.read):
        return node
    found = {name: Const(known[name].number) for name in node.read if name in known}
    return substituted(node, found)


def _value(operand: Operand | Star, known: Known) -> _Value | None:
    if isinstance(operand, Const) and type(operand.value) in (float, int):
        return _Value(cast(float, operand.value))
    return known.get(operand) if isinstance(operand, str) else None


def _folded(name: str, values: list[_Value]) -> _Value | None:
    numbers = [value.number for value in values]
    if name not in FOLD or not any(type(number) is float for number in numbers):
        return None
    nothing = [value.is_nothing for value in values]
    if any(nothing) if name in ("mul", "neg") else all(nothing):
        return NOTHING
    try:
        return _Value(FOLD[name](*numbers))
    except OverflowError:  # an int that no float can hold, in what may never run
        return None


def _negated(node: Call, operand: str) -> Node:
    return Call(node.target, Prim("neg"), (operand,), (), node.line)
