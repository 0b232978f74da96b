"""The state of one lowering: the block being written, fresh names, what each name means here.

Each family of syntax (`expressions.py`, `loops.py` ...) is a table from node kind to a function
that writes with a :class:`Builder`; `function.py` joins the tables.

A function for an expression gets the node, and the name wanted for the result or None. It returns
the operand the result is in. It binds the wanted name only where the expression does not read it
afterwards.

What a name of the user's stands for, where it is not simply a name of the program.

>>> Cell("y_cell"), Slot("space", None)
('y_cell', Slot(space='space', outside=None))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.scope import Scope, children
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.ir.walk import falls_through
from astad.errors import Location, Unsupported
from astad.slotted import dataclass

__all__ = [
    "Builder",
    "Cell",
    "ClassNames",
    "ExpressionTable",
    "Place",
    "Slot",
    "StatementTable",
    "holds_call",
    "mentions",
    "without_classes",
]

# --- what a name of the user's stands for


class Cell(str):
    """The name of a cell that holds a captured variable."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """An item of the namespace of a class body; where there is none, ``outside`` is read."""

    space: str
    outside: str | Cell | None


Place = str | Cell | Slot | None
"""What a user's name stands for: a name of the program, a cell of it, an item of the namespace of a
class body, or (None) a global.
"""

ScopeNames = dict[str, Place]


class ClassNames(ScopeNames):
    """The names bound in a class body; functions and comprehensions in it do not see them.

    ``space`` is the name of its namespace. A metaclass may have put more into that than the body
    binds: then it ``is_open``.
    """

    def __init__(self, space: str, bound: Iterable[str], *, is_open: bool, qualname: str) -> None:
        super().__init__((name, Slot(space, None)) for name in bound)
        self.space = space
        self.is_open = is_open
        self.qualname = qualname


def without_classes(scopes: Sequence[ScopeNames]) -> tuple[ScopeNames, ...]:
    """The scopes that a function sees which is made inside them."""
    return tuple(names for names in scopes if not isinstance(names, ClassNames))


CLASS_SET = Ref("astad.runtime.classes.classes", "class_set")


class Builder:
    """Writes the Wengert form of one function."""

    def __init__(
        self,
        scope: Scope,
        file: str,
        name: str,
        expressions: ExpressionTable,
        statements: StatementTable,
    ) -> None:
        self.scope = scope
        self.file = file
        self.name = name
        self.qualname = scope.fn.__qualname__
        self.names = Names(scope.taken)
        self.block: list[Node] = []
        self._expressions = expressions
        self._statements = statements
        self._temps: set[str] = set()
        self.places: dict[str, Place] = {name: name for name in scope.locals}
        self.scopes: Sequence[ScopeNames] = ()
        self.held: frozenset[str] = frozenset()
        self.assumed: dict[str, None] = {}
        self.params = tuple(param.name for param in scope.params)
        self.tries = 0
        self.lazy: set[tuple[int, int]] = set()

    # names

    @contextmanager
    def scoped(self, scopes: Sequence[ScopeNames]) -> Iterator[None]:
        """What is written meanwhile stands inside these comprehensions, outermost first, or these
        and a class body.
        """
        outer, self.scopes = self.scopes, scopes
        try:
            yield
        finally:
            self.scopes = outer

    @contextmanager
    def holding(self, names: frozenset[str]) -> Iterator[None]:
        """What is written meanwhile runs between two items of a comprehension with these names."""
        outer, self.held = self.held, self.held | names
        try:
            yield
        finally:
            self.held = outer

    @contextmanager
    def trying(self, is_inside: bool = True) -> Iterator[None]:
        """What is written meanwhile may be left by an exception that the function catches."""
        self.tries += is_inside
        try:
            yield
        finally:
            self.tries -= is_inside

    def place(self, name: str) -> Place:
        for names in reversed(self.scopes):
            if name in names:
                return names[name]
        outside = self.places.get(name)
        innermost = self.scopes[-1] if self.scopes else None
        if isinstance(innermost, ClassNames) and innermost.is_open:
            return Slot(innermost.space, outside if isinstance(outside, str) else None)
        return outside

    def direct(self, target: Any) -> str | None:
        """The name an assignment to ``target`` can bind at once; None for a cell or ``o.x``."""
        if not isinstance(target, gast.Name):
            return None
        place = self.place(target.id)
        return None if isinstance(place, (Cell, Slot)) else place

    def temp(self) -> str:
        name = self.names.numbered("t")
        self._temps.add(name)
        return name

    def is_temp(self, operand: Operand) -> bool:
        return operand in self._temps

    def read(self, name: str, line: int, target: str | None = None) -> Operand:
        return self._read_place(self.place(name), name, line, target)

    def _read_place(self, place: Place, name: str, line: int, target: str | None = None) -> Operand:
        if isinstance(place, Slot):
            return self._read_slot(place, name, line)
        if isinstance(place, Cell):
            prim = "cell_get" if name in self.scope.free else "cell_get_local"
            return self.prim(prim, (str(place), Const(name)), line, target)
        if place is not None:
            return place
        if name in self.scope.written:
            return self.prim("read_global", (self.namespace(line), Const(name)), line, target)
        return self.prim("global", (Const(name),), line, target)

    def _read_slot(self, place: Slot, name: str, line: int) -> Operand:
        """A name in a class body: of its namespace, else from outside."""
        out, key = self.temp(), (place.space, Const(name))

        def outside() -> None:
            self.copy(out, self._read_place(place.outside, name, line, out), line)

        found = self.prim("contains", key, line)
        held = self.writing(lambda: self.prim("getitem", key, line, out))
        self.emit(Branch(found, held, self.writing(outside), line))
        return out

    def namespace(self, line: int) -> str:
        """What holds the globals of the function's module."""
        return self.prim("namespace", (), line)

    def bind(self, name: str, value: Operand, line: int) -> None:
        place = self.place(name)
        if isinstance(place, Cell):
            self.effect("cell_set", (str(place), value), line)
        elif isinstance(place, Slot):
            self.put(place.space, name, value, line)
        elif place is None:
            self.effect("write_global", (self.namespace(line), Const(name), value), line)
        elif place != value:
            self.emit(Bind(place, value, line))

    def put(self, space: str, name: str, value: Operand, line: int) -> None:
        """Bind a name in the namespace of a class body."""
        self.emit(Call(None, CLASS_SET, (space, Const(name), value), (), line))

    def forget(self, name: str, line: int) -> None:
        """``del name``."""
        place = self.place(name)
        if isinstance(place, Cell):
            is_free = Const(name in self.scope.free)
            self.effect("cell_clear", (str(place), Const(name), is_free), line)
            return
        if place is None:
            self.effect("delete_global", (self.namespace(line), Const(name)), line)
            return
        held = self.read(name, line)  # raises where it is not bound
        if isinstance(place, Slot):
            self.effect("delitem", (place.space, Const(name)), line)
        else:
            self.effect("forget", (held,), line)

    # nodes

    def emit(self, node: Node) -> None:
        self.block.append(node)

    def prim(
        self, name: str, args: Sequence[Operand | Star], line: int, target: str | None = None
    ) -> str:
        return self.call(Prim(name), args, (), line, target)

    def effect(self, name: str, args: Sequence[Operand | Star], line: int) -> None:
        self.emit(Call(None, Prim(name), tuple(args), (), line))

    def call(
        self,
        fn: Operand | Prim,
        args: Sequence[Operand | Star],
        keywords: Sequence[tuple[str | None, Operand]],
        line: int,
        target: str | None = None,
    ) -> str:
        target = target or self.temp()
        self.emit(Call(target, fn, tuple(args), tuple(keywords), line))
        return target

    def writing(self, write: Callable[[], object]) -> Block:
        """The block that ``write`` writes."""
        outer, self.block = self.block, []
        try:
            write()
            return tuple(self.block)
        finally:
            self.block = outer

    # statements

    def statements(self, nodes: Iterable[Any]) -> None:
        """Lower statements up to the first that is never left at its end."""
        for node in nodes:
            lower = self._statements.get(type(node).__name__)
            if lower is None:
                raise self._unknown(node)  # of a later Python than 3.13
            lower(self, node)
            if not falls_through(tuple(self.block[-1:])):
                break

    def block_of(self, nodes: Iterable[Any]) -> Block:
        return self.writing(lambda: self.statements(nodes))

    # expressions

    def operand(self, node: Any, target: str | None = None) -> Operand:
        """The operand that holds the value; ``target`` is the name wanted for it."""
        lower = self._expressions.get(type(node).__name__)
        if lower is None:
            raise self._unknown(node)  # of a later Python than 3.13
        return lower(self, node, target)

    def iterable(self, node: Any) -> Operand:
        """The operand of an expression whose items are all drawn before anything else runs."""
        return self._expressions["Iterable"](self, node, None)

    def into(self, node: Any, target: str) -> None:
        """Evaluate an expression into a name.

        Inside a ``try`` only what binds it at the very end may be written into it at once.
        """
        at_once = not self.tries or type(node).__name__ in _ONE_STEP
        self.copy(target, self.operand(node, target if at_once else None), node.lineno)

    def fitting(self, node: Any, target: str | None) -> str:
        """The wanted name for a result that is built step by step; a new one where the expression
        reads the wanted one, or where it may fail half-way and somebody go on.
        """
        if target is None or self.tries or mentions(node, target):
            return self.temp()
        return target

    def discard(self, node: Any) -> None:
        """Evaluate an expression for its effect."""
        value = self.operand(node)
        last = self.block[-1] if self.block else None
        if isinstance(last, Call) and last.target == value and self.is_temp(value):
            self.block[-1] = Call(None, last.fn, last.args, last.keywords, last.line)
        elif isinstance(value, str) and not self.is_temp(value):
            self.emit(Bind(self.temp(), value, node.lineno))  # raises where the name is not bound

    def operands(self, nodes: Sequence[Any], then: Sequence[Any] = ()) -> list[Any]:
        """Evaluate several expressions from left to right; a ``*`` among them becomes a Star.

        ``then`` are the expressions that are evaluated after these, before these are used.
        """
        if not self.scope.walrus and gast.Starred not in map(type, nodes):
            return [self.operand(node) for node in nodes]
        out: list[Operand | Star] = []
        for index, node in enumerate(nodes):
            later = [*nodes[index + 1 :], *then]
            if isinstance(node, gast.Starred):
                out.append(Star(self._unpacked(node, later)))
            else:
                out.append(self.guarded(self.operand(node), later, node.lineno))
        return out

    def copy(self, target: str, value: Operand, line: int) -> None:
        """``target = value``, unless it is there already."""
        if value != target:
            self.emit(Bind(target, value, line))

    def kept(self, value: Operand, line: int) -> Operand:
        """The value under a name that nothing binds again."""
        if not isinstance(value, str) or self.is_temp(value):
            return value
        copy = self.temp()
        self.emit(Bind(copy, value, line))
        return copy

    def guarded(self, value: Operand, later: Iterable[Any], line: int) -> Operand:
        """The value under a name that the expressions evaluated after it do not bind."""
        if not isinstance(value, str) or value not in self.scope.walrus:
            return value
        if not any(_binds(node, value) for node in later):
            return value
        copy = self.temp()
        self.emit(Bind(copy, value, line))
        return copy

    def _unpacked(self, node: Any, later: Sequence[Any]) -> Operand:
        """The operand of ``*``, iterated before what comes later, if that can tell: an iterator of
        the user's may write what is read behind it, and what is called there may write it.
        """
        value = self.iterable(node.value)
        if type(node.value) not in _DISPLAYS and any(map(self._reads_state, later)):
            return self.prim("list", (Star(value),), node.lineno)
        return value

    def _reads_state(self, node: Any) -> bool:
        """May its value depend on what ran before: neither a literal nor a local variable?"""
        if isinstance(node, gast.Starred):
            return self._reads_state(node.value)  # iterated in its turn
        if isinstance(node, gast.Name):
            return type(self.place(node.id)) is not str
        return not isinstance(node, gast.Constant)

    # errors

    def unsupported(self, line: int, what: str, *, why: str, instead: str) -> Unsupported:
        return Unsupported(Location(self.file, line), what, why=why, instead=instead)

    def _unknown(self, node: Any) -> Unsupported:
        return self.unsupported(
            getattr(node, "lineno", 0),
            f"{type(node).__name__} in {self.name}",
            why="astad does not know this construct",
            instead="write it with plain statements and calls",
        )


ExpressionTable = Mapping[str, Callable[[Builder, Any, str | None], Operand]]
StatementTable = Mapping[str, Callable[[Builder, Any], None]]

_ONE_STEP = {
    "Attribute", "BinOp", "Call", "Constant", "Name", "Subscript", "UnaryOp",
    "Dict", "List", "Set", "Tuple",
}  # fmt: skip
_DISPLAYS = {gast.List, gast.Tuple, gast.Set, gast.Dict, gast.ListComp, gast.SetComp, gast.DictComp}
_RUNS_CODE = {
    "Call", "Await", "NamedExpr", "Yield", "YieldFrom",
    "ListComp", "SetComp", "DictComp", "GeneratorExp",
}  # fmt: skip


def holds_call(node: Any) -> bool:
    """Whether an expression calls something or binds a name while it is evaluated."""
    left = [node]
    while left:
        each = left.pop()
        kind = type(each).__name__
        if kind in _RUNS_CODE:
            return True
        if kind != "Lambda":
            left += children(each)
    return False


def mentions(node: Any, name: str) -> bool:
    """Whether a name occurs in an expression."""
    return any(isinstance(each, gast.Name) and each.id == name for each in gast.walk(node))


def _binds(node: Any, name: str) -> bool:
    """Whether ``name :=`` occurs in an expression."""
    return any(
        isinstance(each, gast.NamedExpr) and each.target.id == name for each in gast.walk(node)
    )
