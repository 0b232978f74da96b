"""Carry a minus on until an addition or a subtraction takes it.

``t_bar = -y_bar; x_bar = x_bar + t_bar * c`` becomes ``x_bar = x_bar - y_bar * c``. Exact for
floats, also for zeros, infinities and nan. The statements that negate stay beside the new ones;
those that nobody reads any more are dead code.

What is known of names by way of other names, as long as neither is bound again.

>>> links = Links[float]()
>>> links.note("a", "g", 0.5)
>>> links.of("a")
('g', 0.5)
>>> links.forget(("g",))
>>> links.of("a") is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import COMPOUND, Bind, Block, Call, Const, Node, Operand, Prim, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, with_blocks
from astad.slotted import replace

__all__ = ["Links", "carry_signs"]

# --- names by way of other names


T = TypeVar("T")


class Links(Generic[T]):
    """Each name leads to one other operand, and to what is known beside it."""

    __slots__ = ("_from", "_to")

    def __init__(self) -> None:
        self._to: dict[str, tuple[str, T]] = {}
        self._from: dict[str, set[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._to)

    def of(self, name: object) -> tuple[str, T] | None:
        return self._to.get(name) if isinstance(name, str) else None

    def note(self, name: str, other: str, known: T) -> None:
        self._to[name] = other, known
        self._from.setdefault(other, set()).add(name)

    def forget(self, names: Iterable[str]) -> None:
        """These names are bound again: nothing is known of them, nor by way of them."""
        for name in names:
            self._to.pop(name, None)
            for holder in self._from.pop(name, ()):
                if holder in self._to and self._to[holder][0] == name:
                    del self._to[holder]


Opposite = Links[Operand]
"""Name to the operand of which it is the negative."""


NEG = Prim("neg")


def carry_signs(derived: Derived, names: Names) -> Derived:
    """In the straight parts of every reverse sweep, for proved numbers."""
    carrier = _Carrier(derived, names)
    made = derived.with_bodies(carrier.function)
    if made is derived:
        return derived
    floats, numbers = frozenset(carrier.floats), frozenset(carrier.numbers)
    return replace(made, floats=floats, numbers=numbers)


class _Carrier:
    def __init__(self, derived: Derived, names: Names) -> None:
        self.floats = set(derived.floats)
        self.numbers = set(derived.numbers)
        self.names = names

    def function(self, function: Function) -> Block:
        signs = [call.args[0] for call in outline(function).calls_of("neg")]
        return self.block(function.body) if any(map(self._is_number, signs)) else function.body

    def block(self, body: Block) -> Block:
        opposite: Opposite = Links()
        out: list[Node] = []
        for node in body:
            if type(node) in COMPOUND:
                opposite.forget(bound_inside(node))
                out.append(with_blocks(node, self.block))
                continue
            made: tuple[Node, ...] = (node,)
            if type(node) is Call and opposite and is_reverse(node) and self._is_of_numbers(node):
                made = self._rewritten(node, opposite)
            if opposite:
                opposite.forget(node.bound)
            same = opposite.of(node.source) if type(node) is Bind else None
            last = made[-1]
            if type(last) is Call and last.fn is NEG:
                self._note(last, opposite)
            elif same is not None and isinstance(node, Bind):
                opposite.note(node.target, *same)
            out += made
        return kept(body, out)

    def _is_of_numbers(self, node: Call) -> bool:
        return isinstance(node.target, str) and all(map(self._is_number, node.args))

    def _is_number(self, operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (int, float)
        return operand in self.numbers

    def _note(self, node: Call, opposite: Opposite) -> None:
        source, target = node.args[0], node.target
        if isinstance(target, str) and source != target:
            assert not isinstance(source, Star)
            opposite.note(target, source if isinstance(source, str) else "", source)

    def _rewritten(self, node: Call, opposite: Opposite) -> tuple[Node, ...]:
        """The statement without the signs of its operands, and with what is left of them after
        it.
        """
        found = [opposite.of(arg) for arg in node.args]
        minus = [each is not None for each in found]
        if True not in minus:
            return (node,)
        pairs = zip(found, node.args, strict=True)
        plain = tuple([arg if each is None else each[1] for each, arg in pairs])
        name = node.fn.name if isinstance(node.fn, Prim) else ""
        if name in ("mul", "truediv"):
            if all(minus):
                return (replace(node, args=plain),)
            return self._negated(node, name, plain)
        if name in ("add", "sub"):
            return (self._sum(node, name, plain, minus),)
        if name == "neg" and isinstance(node.target, str) and not isinstance(plain[0], Star):
            return (Bind(node.target, plain[0], node.line),)
        return (node,)

    def _sum(
        self, node: Call, name: str, plain: tuple[Operand | Star, ...], minus: list[bool]
    ) -> Call:
        """``a + -b`` as ``a - b``; ``-a - b`` stays, ``-(a + b)`` may be another zero."""
        other = Prim("sub" if name == "add" else "add")
        first, second = minus
        if first and not second:
            args = (node.args[1], plain[0])
            return replace(node, fn=other, args=args) if name == "add" else node
        return replace(node, fn=other, args=(node.args[0], plain[1]))

    def _negated(self, node: Call, name: str, args: tuple[Operand | Star, ...]) -> tuple[Node, ...]:
        """``target = -(args[0] op args[1])``, the part in the brackets under a name of its own."""
        assert isinstance(node.target, str)
        positive = self.names.fresh(f"minus_{node.target}")
        self.numbers.add(positive)
        if node.target in self.floats:
            self.floats.add(positive)
        inner = replace(node, target=positive, fn=Prim(name), args=args)
        return inner, replace(node, fn=Prim("neg"), args=(positive,))
