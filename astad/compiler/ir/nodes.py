"""The Wengert list: A-normal form with structured control flow, one operation a statement.

An operand is a name (``str``), a :class:`Const`, or, in derived programs, a :class:`Ref`. Every
statement carries the line of the user's file it came from. Bodies are tuples of statements.
Nothing here refers to a syntax tree or to a live object of the user's.

The eight node kinds::

    Bind     y = x                          also y = 2.0
    Call     y = fn(a, b, *rest, key=c)     fn is an operand, or a Prim (operators, displays,
    subscripts, attributes) Branch   if test: ... else: ...
    Loop     for v in iterable: ... else: ...
    While    while (head; test): ... else: ...
    Try      try: ... except BaseException as e: ... else: ... finally: ...
    Exit     break, continue, return value
    Raise    raise exc from cause

Values that nobody changes once they are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar, dataclass_transform

from astad.compiler.ir.containers import Container, holds_objects
from astad.slotted import dataclass, field
from astad.spelling import spelled

__all__ = [
    "Bind",
    "Block",
    "Branch",
    "Call",
    "Const",
    "Exit",
    "GENERATED",
    "Loop",
    "Node",
    "Opened",
    "Operand",
    "Param",
    "Prim",
    "Program",
    "Raise",
    "Ref",
    "Star",
    "Target",
    "Try",
    "While",
    "immutable",
]

# --- values that nobody changes


T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(cls: type[T]) -> type[T]:
    """A dataclass with slots and a hash, which the type checker keeps from being changed.

    Thousands are made for a function, and a frozen dataclass takes three times as long to make.

    >>> @immutable
    ... class Spot:
    ...     line: int
    >>> Spot(2) == Spot(2), hash(Spot(2)) == hash(Spot(2))
    (True, True)
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


@immutable
class Const:
    """A literal: int, float, complex, str, bytes, bool, None, Ellipsis, or a tuple of such."""

    value: object

    def __repr__(self) -> str:
        return f"Const(value={spelled(self.value)})"


_PRIMS: dict[str, Prim] = {}


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Prim:
    """An operation of the language itself, by name; `compiler/ir/prims.py` lists them.

    There is one object for each name: the compiler compares them all the time.
    """

    name: str

    def __new__(cls, name: str) -> Prim:
        found = _PRIMS.get(name)
        if found is None:
            found = object.__new__(cls)
            object.__setattr__(found, "name", name)
            found = _PRIMS.setdefault(name, found)
        return found


@immutable
class Ref:
    """A function that generated text calls: ``Ref("math", "cos")`` is written ``math.cos``.

    One of the text itself has the module ``GENERATED``.
    """

    module: str
    name: str


GENERATED = "<generated>"
Operand = str | Const | Ref
Target = str | tuple["Target", ...]
"""Of a user's program always a name."""


@immutable
class Star:
    """``*operand`` in a call or a display."""

    operand: Operand


class Noted:
    """What follows from a node, which never changes: found out when it is first asked for.

    ``operands`` the node itself reads, in order, those of its blocks left out; ``read`` are the
    names among them; ``bound`` the names that it binds itself, or unbinds as ``del x`` does;
    ``inside`` the statements of its blocks and of the blocks in these, in the order of the text;
    ``all_bound`` are the names that it or one of these binds.
    """

    __slots__ = ("all_bound", "bound", "inside", "operands", "read")
    all_bound: frozenset[str]
    bound: tuple[str, ...]
    inside: tuple[Node, ...]
    operands: tuple[Operand, ...]
    read: tuple[str, ...]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name == "read" or name == "bound":  # who asks for one asks for the other
                self.read, self.bound = _read(self), _bound(self)
            elif name == "operands":
                self.operands = _operands(self)
            elif name == "inside":
                self.inside = tuple([part for block in blocks(self) for part in walk(block)])
            elif name == "all_bound":
                self.all_bound = frozenset(self.bound).union(*[part.bound for part in self.inside])
            else:
                raise AttributeError(f"{type(self).__name__} has no {name}", name=name, obj=self)
            return getattr(self, name)  # notes: the node stays equal to itself


@immutable
class Bind(Noted):
    target: str
    source: Operand
    line: int


@immutable
class Call(Noted):
    """``target = fn(*args, **keywords)``; ``target`` is None when the result is not used, a tuple
    of names where a derived program takes several results apart.

    A keyword whose name is None stands for ``**operand``; it is the last one.
    """

    target: Target | None
    fn: Operand | Prim
    args: tuple[Operand | Star, ...]
    keywords: tuple[tuple[str | None, Operand], ...]
    line: int


@immutable
class Branch(Noted):
    test: Operand
    body: Block
    orelse: Block
    line: int


@immutable
class Loop(Noted):
    """``for target in iterable``; in a user's program the target is one name, unpacking is done in
    the body.
    """

    target: Target
    iterable: Operand
    body: Block
    orelse: Block
    line: int


@immutable
class While(Noted):
    """Run ``head``; when ``test`` is false run ``orelse`` and leave; run ``body``; again."""

    head: Block
    test: Operand
    body: Block
    orelse: Block
    line: int


@immutable
class Try(Noted):
    """Run ``body``; whatever it raises is bound to ``caught`` and ``handler`` runs, which raises it
    again where no clause of the user's fits; without ``caught`` there is no handler.
    """

    body: Block
    caught: str | None
    handler: Block
    orelse: Block
    final: Block
    line: int


@immutable
class Exit(Noted):
    """``how`` is 'break', 'continue' or 'return'; only a return has a value (Const(None) for a
    bare one).
    """

    how: str
    value: Operand | None
    line: int


@immutable
class Raise(Noted):
    exc: Operand | None
    cause: Operand | None
    line: int


Node = Bind | Call | Branch | Loop | While | Try | Exit | Raise
Block = tuple[Node, ...]

# What is noted in a node: found some times a statement, so exact types and no patterns.


def _operands(node: Node) -> tuple[Operand, ...]:
    if type(node) is Call:
        found: list[Operand] = [] if type(node.fn) is Prim else [node.fn]  # type: ignore[list-item]
        for arg in node.args:
            found.append(arg.operand if type(arg) is Star else arg)  # type: ignore[arg-type]
        for _, value in node.keywords:
            found.append(value)
        return tuple(found)
    if type(node) is Bind:
        return (node.source,)
    if type(node) is Loop:
        return (node.iterable,)
    if type(node) is Branch or type(node) is While:
        return (node.test,)
    if type(node) is Exit:
        return () if node.value is None else (node.value,)
    if type(node) is Try:
        return ()
    assert type(node) is Raise
    return tuple(part for part in (node.exc, node.cause) if part is not None)


def _read(node: Node) -> tuple[str, ...]:
    if type(node) is Bind:
        return (node.source,) if isinstance(node.source, str) else ()
    if type(node) is not Call:
        return tuple([operand for operand in node.operands if isinstance(operand, str)])
    names = [node.fn] if isinstance(node.fn, str) else []
    for arg in node.args:
        if isinstance(arg, str):
            names.append(arg)
        elif type(arg) is Star and isinstance(arg.operand, str):
            names.append(arg.operand)
    for _, value in node.keywords:
        if isinstance(value, str):
            names.append(value)
    return tuple(names)


def _bound(node: Node) -> tuple[str, ...]:
    if type(node) is Call or type(node) is Bind or type(node) is Loop:
        target: Target | None = node.target
        if isinstance(target, str):
            return (target,)
        if target is not None:
            return _flat(target)
        if type(node) is Call and node.fn is FORGET:
            return tuple([arg for arg in node.args if isinstance(arg, str)])
    if type(node) is Try and node.caught is not None:
        return (node.caught,)
    return ()


FORGET = Prim("forget")


def _flat(target: tuple[Target, ...]) -> tuple[str, ...]:
    for at, part in enumerate(target):
        if type(part) is tuple:
            return (*target[:at], *_flat(part), *_flat(target[at + 1 :]))  # type: ignore[arg-type]
    return target  # type: ignore[return-value]


def blocks(node: Node) -> tuple[Block, ...]:
    """The blocks inside a node, in the order they run."""
    kind = type(node)
    if kind is Branch or kind is Loop:
        return node.body, node.orelse  # type: ignore[union-attr]
    if kind is While:
        return node.head, node.body, node.orelse  # type: ignore[union-attr]
    if kind is Try:
        return node.body, node.handler, node.orelse, node.final  # type: ignore[union-attr]
    return ()


GENERATORS = "astad.runtime.iteration.generators"
"""Where the functions are that a ``yield from`` is written out with."""
COMPOUND = frozenset([Branch, Loop, Try, While])


def walk(block: Iterable[Node]) -> list[Node]:
    """Every node of the block and of the blocks inside, in source order."""
    found: list[Node] = []
    for node in block:
        found.append(node)
        if type(node) in COMPOUND:
            found += node.inside
    return found


@immutable
class Param:
    """One parameter of the user's function; ``kind`` is 'positional_only', 'positional', 'args',
    'keyword_only' or 'kwargs'. A pair takes all of them flat, in this order, bound already.
    """

    name: str
    kind: str
    has_default: bool


@immutable
class Opened:
    """A container that a generated function takes in the place of some parameters of a program.

    ``at`` is its own place among what the function takes, ``kind`` its ``Container``; ``leaves``
    are the parameters, in order.
    """

    name: str
    at: int
    kind: Container
    leaves: tuple[str, ...]

    @property
    def has_objects(self) -> bool:
        return holds_objects(self.kind)


class Outlined:
    """Room for what `ir/outline.py` has once found out of a text."""

    __slots__ = ("outline",)
    outline: object


@immutable
class Program(Outlined):
    """One function of the user's in Wengert form.

    Parameters
    ----------
    free : tuple of (str, str)
        Captured variables of the function itself, in the order of ``co_freevars``: (user's
        name, name of the cell). The names of the cells are bound before the body starts.
    body : tuple of nodes
        A local variable which an inner function captures is never read or bound in it directly:
        a name of its own holds a cell, made by ``cell_new`` at the head of the body, and
        ``cell_get_local`` and
        ``cell_set`` work on it; ``cell_get`` reads a cell of ``free``.
    taken : frozenset of str
        Every identifier that occurs in the user's text, so that fresh names never meet one.
    assumed : tuple of str
        Dotted paths of globals that were replaced by what they stood for, as ``any`` by a loop:
        the program is right as long as they stand for it.
    opened : tuple of Opened
        Containers of which the parameters hold the parts; they stand where these stand.
    boxed : bool
        What is returned is a Python float where the user's program returns an np.float64.
    """

    name: str
    qualname: str
    params: tuple[Param, ...]
    free: tuple[tuple[str, str], ...]
    body: Block
    file: str
    line: int
    taken: frozenset[str]
    assumed: tuple[str, ...] = ()
    opened: tuple[Opened, ...] = ()
    boxed: bool = False

    @property
    def ends_by_itself(self) -> bool:
        """Of a generator: is there a ``try`` or a ``with``, of which something would run where it
        is closed before its end?
        """
        return any(not _is_delegation(node) for node in _tries(self.body))

    @property
    def delegates(self) -> bool:
        """Of a generator: is there a ``yield from``, which closes what it draws from?"""
        return any(map(_is_delegation, _tries(self.body)))


def _tries(block: Block) -> Iterator[Try]:
    for node in block:
        if isinstance(node, Try):
            yield node
        for inner in blocks(node):
            yield from _tries(inner)


def _is_delegation(node: Try) -> bool:
    """Is it of a ``yield from``: does it hand on what is thrown in, or ask for the next item?"""
    asked = [*node.body, *node.handler]
    asked += [inner for each in asked if isinstance(each, Try) for inner in each.body]
    called = [each.fn for each in asked if isinstance(each, Call)]
    return any(isinstance(fn, Ref) and fn.module == GENERATORS for fn in called)
