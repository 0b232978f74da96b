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
"""

from __future__ import annotations

from dataclasses import dataclass

from astad.compiler.ir.containers import Container, holds_objects

__all__ = [
    "GENERATED", "Bind", "Block", "Branch", "Call", "Const", "Exit", "Opened", "Loop", "Node",
    "Operand",
    "Param", "Prim", "Program", "Raise", "Ref", "Star", "Target", "Try", "While",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Const:
    """A literal: int, float, complex, str, bytes, bool, None, Ellipsis, or a tuple of such."""

    value: object


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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Star:
    """``*operand`` in a call or a display."""

    operand: Operand


class Noted:
    """What `ir/walk.py` has once found out of a node, which never changes."""

    __slots__ = ("bound", "operands", "read")
    bound: tuple[str, ...]
    operands: tuple[Operand, ...]
    read: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bind(Noted):
    target: str
    source: Operand
    line: int


@dataclass(frozen=True, slots=True)
class Call(Noted):
    """``target = fn(*args, **keywords)``; ``target`` is None when the result is not used, a tuple
    of names where a derived program takes several results apart.

    A keyword whose name is None stands for ``**operand``.
    """

    target: Target | None
    fn: Operand | Prim
    args: tuple[Operand | Star, ...]
    keywords: tuple[tuple[str | None, Operand], ...]
    line: int


@dataclass(frozen=True, slots=True)
class Branch(Noted):
    test: Operand
    body: Block
    orelse: Block
    line: int


@dataclass(frozen=True, slots=True)
class Loop(Noted):
    """``for target in iterable``; in a user's program the target is one name, unpacking is done in
    the body.
    """

    target: Target
    iterable: Operand
    body: Block
    orelse: Block
    line: int


@dataclass(frozen=True, slots=True)
class While(Noted):
    """Run ``head``; when ``test`` is false run ``orelse`` and leave; run ``body``; again."""

    head: Block
    test: Operand
    body: Block
    orelse: Block
    line: int


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Exit(Noted):
    """``how`` is 'break', 'continue' or 'return'; only a return has a value (Const(None) for a
    bare one).
    """

    how: str
    value: Operand | None
    line: int


@dataclass(frozen=True, slots=True)
class Raise(Noted):
    exc: Operand | None
    cause: Operand | None
    line: int


Node = Bind | Call | Branch | Loop | While | Try | Exit | Raise
Block = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of the user's function; ``kind`` is 'positional_only', 'positional', 'args',
    'keyword_only' or 'kwargs'. A pair takes all of them flat, in this order, bound already.
    """

    name: str
    kind: str
    has_default: bool


@dataclass(frozen=True, slots=True)
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
    """Room for what `ir/outline.py` has once found out of a program."""

    __slots__ = ("outline",)
    outline: object


@dataclass(frozen=True, slots=True)
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
