"""Compute once what is computed twice from the same numbers.

``y = sqrt(x); ...; z = sqrt(x)`` becomes ``y = sqrt(x); ...; z = y``. The reverse sweep uses what
the forward sweep has computed wherever the name still holds it; there ``a + a`` is ``2.0 * a``.
Only pure operations on proved numbers are shared: what raises does so the first time. In the
forward sweep these are Python floats, which do not warn, and elements of arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Set

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Node,
    Operand,
    Prim,
    Ref,
    Star,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, with_blocks
from astad.slotted import replace
from astad.spelling import spelled

__all__ = ["share_common"]

SHARED = {"add", "sub", "mul", "truediv", "neg"}
COMMUTES = {"add", "mul"}
ADD = Prim("add")
GETITEM = Prim("getitem")
"""Of an array that stays as it is."""


def share_common(derived: Derived) -> Derived:
    """In every generated function, within a block and from a block into those inside it."""
    return derived.with_bodies(
        lambda function: (
            _Numbering(derived).block(function.body)
            if _computes_numbers(function, derived.numbers)
            else function.body
        )
    )


def _computes_numbers(function: Function, numbers: Set[str]) -> bool:
    return not numbers.isdisjoint([call.target for call in outline(function).calls])


class _Numbering:
    """Gives each value a number: names with one number hold the same value.

    ``found`` maps an operation on numbered values to the number of its result and the name that
    held it.
    """

    def __init__(self, derived: Derived) -> None:
        self.derived = derived
        self.number: dict[str, int] = {}
        self.found: dict[Hashable, tuple[int, str]] = {}
        self.added: list[Hashable] = []
        self.count = 0

    def block(self, body: Block) -> Block:
        """What is found in a block ends with it."""
        before = len(self.added)
        out = [
            self._compound(node) if type(node) in COMPOUND else self._node(node) for node in body
        ]
        for key in self.added[before:]:
            self.found.pop(key, None)
        del self.added[before:]
        return kept(body, out)

    def _compound(self, node: Node) -> Node:
        """Names bound in a loop have other values at its head, and others again afterwards."""
        bound = bound_inside(node)
        if not isinstance(node, Branch):
            self._forget(bound)
        start = self.number

        def inside(block: Block) -> Block:
            self.number = dict(start)
            return self.block(block)

        made = with_blocks(node, inside)
        self.number = start
        self._forget(bound)
        return made

    def _forget(self, names: Iterable[str]) -> None:
        """Their values have another number, if anybody asks for it."""
        for name in names:
            self.number.pop(name, None)

    def _node(self, node: Node) -> Node:
        if type(node) is Bind and isinstance(node.source, str):
            if isinstance(node.target, str):
                self.number[node.target] = self._number_of(node.source)
            else:
                self._forget(node.bound)
            return node
        if type(node) is not Call or node.target not in self.derived.numbers:
            self._forget(node.bound)
            return node
        node = self._doubled(node) if node.fn is ADD else node
        key = self._key(node)
        if key is None:
            self._forget(node.bound)
            return node
        assert isinstance(node.target, str)
        number, holder = self.found.get(key, (-1, ""))
        is_quiet = node.target in self.derived.floats or node.fn == GETITEM
        is_proved = is_quiet or is_reverse(node)
        if is_proved and self.number.get(holder) == number:
            self.number[node.target] = number
            return Bind(node.target, holder, node.line)
        self._forget((node.target,))
        self.found[key] = self._number_of(node.target), node.target
        self.added.append(key)
        return node

    def _doubled(self, node: Call) -> Call:
        """``a + a`` as ``2.0 * a``: the same to the bit."""
        if not is_reverse(node):
            return node
        if node.target not in self.derived.floats or not all(map(self._is_number, node.args)):
            return node
        first, second = node.args
        if self._part(first) != self._part(second):
            return node
        simple = second in self.derived.taken  # else written after the product that it is
        args = (Const(2.0), second) if simple else (second, Const(2.0))
        return replace(node, fn=Prim("mul"), args=args)

    def _number_of(self, name: str) -> int:
        if name not in self.number:
            self.count += 1
            self.number[name] = self.count
        return self.number[name]

    def _key(self, node: Call) -> Hashable | None:
        """Equal for two statements that compute the same; None for what is not shared."""
        fn = self._function(node.fn)
        if fn is None or node.keywords:
            return None
        numbers = node.args[1:] if node.fn is GETITEM else node.args
        if not all(map(self._is_number, numbers)):
            return None
        if node.fn is GETITEM and node.args[0] not in self.derived.steady:
            return None
        parts = [self._part(arg) for arg in node.args]
        return (fn, frozenset(parts)) if fn in COMMUTES else (fn, *parts)

    def _function(self, fn: Operand | Prim) -> Hashable | None:
        if isinstance(fn, Prim):
            return fn.name if fn.name in SHARED or fn is GETITEM else None
        if isinstance(fn, str):
            fn = self.derived.called.get(fn, fn)
        return fn if isinstance(fn, Ref) and fn.module == "math" else None

    def _is_number(self, operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (int, float)
        return operand in self.derived.numbers

    def _part(self, operand: Operand | Star) -> Hashable:
        if isinstance(operand, Const):
            return type(operand.value).__name__, spelled(operand.value)
        return self._number_of(str(operand))
