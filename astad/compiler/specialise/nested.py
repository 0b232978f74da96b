"""A derivative that a program takes of a function that is known, as a call of the function that
computes it.

That function has a text of its own, made by whoever has the program compiled, and is from here on
a function like any other: written out, called by name, differentiated. What an inner function has
captured is handed over behind its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.space import Space
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Const,
    Node,
    Operand,
    Prim,
    Program,
    Star,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import walk, with_blocks
from astad.compiler.specialise.cells import dissolved
from astad.compiler.specialise.foreign import foreign_home
from astad.compiler.specialise.inner_functions import Inners
from astad.slotted import dataclass, replace

__all__ = ["Derivatives", "Maker", "callees_take", "takes_gradients", "with_marks"]

SIMPLE = re.compile(r"float|int|real|inert|ndarray[1-9]")
"""Kinds of arguments."""
GLOBAL, GETATTR, TUPLE = Prim("global"), Prim("getattr"), Prim("tuple")
FUNCTION, METHOD = Prim("function"), Prim("method")
MADE_BY = ("grad", "value_and_grad")
"""What gives a function."""


class How(NamedTuple):
    """Name of the public function, its ``argnums``, None for all arguments, and whether one
    gradient is asked for in no tuple.
    """

    name: str
    places: tuple[int, ...] | None
    single: bool


Apart = Callable[[int, int], bool]
"""Are these two operands arrays that share no memory?"""


class Maker(Protocol):
    """Who makes functions that compute derivatives."""

    def name_of(self, found: object) -> str | None:
        """Under which name it is a public function that takes a derivative."""

    def derived(self, found: object) -> tuple[Any, tuple[Any, ...]] | None:
        """Of which function, and how, if it is what one of them has returned."""

    def module(
        self,
        fn: FunctionType,
        how: tuple[Any, ...],
        kinds: Sequence[str],
        vectors: Sequence[str],
        apart: Apart,
    ) -> tuple[str, str, Sequence[str]] | None:
        """Module and name of the function, and the paths that it relies on. ``kinds`` are those of
        the arguments, behind them of what the function has captured; ``vectors`` of what comes
        besides.
        """


def takes_gradients(program: Program, space: Space, maker: Maker) -> bool:
    """May a call of it be one of them?"""
    paths: dict[str, str] = {}
    for node in outline(program).calls:
        path = _looked_up(node, paths)
        if path is None:
            continue
        found = space.find(path)
        if maker.name_of(found) is not None or maker.derived(found) is not None:
            return True
        if isinstance(node.target, str):
            paths[node.target] = path
    return False


def callees_take(program: Program, space: Space, maker: Maker) -> bool:
    """May a function that it calls be one that takes a derivative? By the names in their code."""
    paths: dict[str, str] = {}
    for node in outline(program).calls:
        path = _looked_up(node, paths)
        found = space.find(path) if path is not None else None
        if path is not None and isinstance(node.target, str):
            paths[node.target] = path
        if type(found) is FunctionType and _names_one(found, maker, 3):
            return True
    return False


def _names_one(fn: FunctionType, maker: Maker, depth: int) -> bool:
    if foreign_home(fn, {}) is None:
        return False
    words = fn.__code__.co_names
    held = [fn.__globals__.get(word) for word in words]
    held += [vars(home).get(word) for home in held if type(home) is ModuleType for word in words]
    if any(maker.name_of(each) or maker.derived(each) for each in held):
        return True
    inner = [each for each in held if type(each) is FunctionType and each is not fn]
    return depth > 0 and any(_names_one(each, maker, depth - 1) for each in inner)


def _looked_up(node: Call, paths: Mapping[str, str]) -> str | None:
    """The path of a global, or of what lies in a module among them."""
    if node.fn is GLOBAL:
        word = node.args[0]
        return str(word.value) if isinstance(word, Const) else None
    if node.fn is GETATTR or node.fn is METHOD:
        owner, word = paths.get(str(node.args[0])), node.args[1]
        return f"{owner}.{word.value}" if owner and isinstance(word, Const) else None
    return None


# --- inner functions


def with_marks(lowered: Program, space: Space, names: Names, maker: Maker) -> Program | None:
    """The program with a mark in the place of each inner function of which it takes a derivative,
    behind it what that has captured, read where the derivative is taken; None where there is none.
    """
    marker = _Marker(lowered, space, names, maker)
    body = marker.block(lowered.body)
    if not marker.marked:
        return None
    made = replace(lowered, body=_without_unread(body, marker.inner))
    return dissolved(made, names) or made


MARK = "an inner function: "


def _is_mark(operand: object) -> bool:
    return isinstance(operand, Const) and str(operand.value).startswith(MARK)


class _Marker:
    def __init__(self, program: Program, space: Space, names: Names, maker: Maker) -> None:
        self.space, self.names, self.maker = space, names, maker
        self.once = outline(program).once
        self.free = {cell: name for name, cell in program.free}
        self.paths: dict[str, str] = {}
        self.inner: dict[str, Call] = {}
        self.made: dict[str, str] = {}
        self.marked = False

    def block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call):
                out += self._call(node)
            elif type(node) in COMPOUND:
                out.append(with_blocks(node, self.block))
            else:
                out.append(node)
        return tuple(out)

    def _call(self, node: Call) -> list[Node]:
        target = node.target
        is_once = isinstance(target, str) and target in self.once
        if is_once and node.fn is FUNCTION and not node.keywords:
            self.inner[str(target)] = node
        path = _looked_up(node, self.paths)
        if path is not None and node.fn is not METHOD and is_once:
            self.paths[str(target)] = path
        first = node.args[2:3] if node.fn is METHOD else node.args[:1]
        called = path if node.fn is METHOD else self.paths.get(str(node.fn))
        name = self.maker.name_of(self.space.find(called)) if called is not None else None
        if name in MADE_BY and first and str(first[0]) in self.inner and is_once:
            self.made[str(target)] = str(first[0])
        of = self.made.get(str(node.fn)) or (str(first[0]) if name and first else "")
        if of not in self.inner:
            return [node]
        self.marked = True
        if name in MADE_BY:
            mark, reads = self._mark(of), list[Node]()
            captured: list[str] = []
        else:
            mark = self._mark(of)
            captured, reads = self._captured(of, node.line)
        given = () if node.fn in self.made else node.args[: 2 * (node.fn is METHOD)]
        rest = node.args if node.fn in self.made else node.args[len(given) + 1 :]
        return [*reads, replace(node, args=(*given, mark, *captured, *rest))]

    def _mark(self, of: str) -> Const:
        node = self.inner[of]
        key = node.args[0]
        assert isinstance(key, Const)
        count = len(node.args) - 1
        parts: Any = key.value
        return Const(f"{MARK}{count} {'|'.join(map(str, parts))}")

    def _captured(self, of: str, line: int) -> tuple[list[str], list[Node]]:
        """What the cells hold now."""
        found, reads = [], list[Node]()
        for cell in self.inner[of].args[1:]:
            name = self.names.fresh("t")
            own = self.free.get(str(cell))
            word = own if own is not None else re.sub(r"_cell(_\d+)?$", "", str(cell))
            prim = Prim("cell_get" if own is not None else "cell_get_local")
            reads.append(Call(name, prim, (cell, Const(word)), (), line))
            found.append(name)
        return found, reads


def _without_unread(body: Block, unwanted: Mapping[str, object]) -> Block:
    """Without the calls that bound these, where nobody reads them any more."""
    read = {name for node in walk(body) for name in node.read}

    def block(nodes: Block) -> Block:
        return tuple(
            with_blocks(node, block) if type(node) in COMPOUND else node
            for node in nodes
            if not (isinstance(node, Call) and node.target in unwanted and node.target not in read)
        )

    return block(body)


# --- the calls


@dataclass(slots=True)
class _Made:
    """What ``grad(f)`` gave: the function, its path, empty for an inner one, and how."""

    fn: FunctionType
    path: str
    how: How


class _Taken(NamedTuple):
    """A derivative that is taken: of what, and the operands of the function that computes it."""

    made: _Made
    args: tuple[Operand, ...]
    captured: tuple[Operand, ...]
    vectors: tuple[Operand, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (*self.args, *self.captured, *self.vectors)


class Derivatives:
    """The derivatives that a program takes, and what stands for each.

    What the arguments are is found of a program in which a gradient is guessed to be of the kind of
    the argument, as it mostly is: what then is written has to be looked at again.
    """

    def __init__(
        self, program: Program, fn: FunctionType, space: Space, names: Names, maker: Maker
    ) -> None:
        self.program = program
        self.space = space
        self.names = self.scratch = names
        self.maker = maker
        self.inners = Inners(fn, space.namespace)
        self.probes: dict[int, tuple[Call, str]] = {}
        self.guesses = False
        self.kinds: Mapping[str, Sequence[str]] = {}
        self.replaced = False
        self._begin()

    def _begin(self) -> None:
        self.once = outline(self.program).once
        self.paths: dict[str, str] = {}
        self.made: dict[str, _Made] = {}
        self.displays: dict[str, tuple[Operand | Star, ...]] = {}
        self.defined: dict[str, Node] = {}
        self.cells: dict[str, list[Operand]] = {}

    def guessed(self, names: Names) -> Program | None:
        """The program with guesses in the place of derivatives; the operands of each are those of a
        call that stays. None where no derivative is left. ``names``: for this program alone.
        """
        self.guesses, self.scratch = True, names
        self.probes.clear()
        self._begin()
        body = self._block(self.program.body)
        if not self.probes:
            return None
        looks = {name for _, name in self.probes.values()}
        taken = self.program.taken | {
            str(arg) for node in walk(body) if isinstance(node, Call) and node.target in looks
            for arg in node.args if isinstance(arg, str)
        }  # fmt: skip
        return replace(self.program, body=body, taken=taken)

    def written(self, program: Program, facts: Facts) -> bool:
        """Write those of which enough is known, by what was found of the guess; was there one?"""
        self.kinds = {
            str(node.target): [_word(facts, arg) for arg in node.args]
            for node in walk(program.body)
            if isinstance(node, Call) and isinstance(node.target, str)
        }
        self.guesses = self.replaced = False
        self._begin()
        body = self._block(self.program.body)
        if self.replaced:
            self.program = replace(self.program, body=_without_unread(body, self.made))
        return self.replaced

    @property
    def is_whole(self) -> bool:
        """Is nothing left of the marks?"""
        return not any(
            _is_mark(arg)
            for node in walk(self.program.body)
            if isinstance(node, Call)
            for arg in node.args
        )

    def _block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call):
                self._note(node)
                out += self._call(node)
            elif type(node) in COMPOUND:
                out.append(with_blocks(node, self._block))
            else:
                if isinstance(node, Bind) and isinstance(node.target, str):
                    self.defined[node.target] = node
                out.append(node)
        return tuple(out)

    def _note(self, node: Call) -> None:
        """What the target stands for from here on, if it is bound once."""
        target = node.target
        if node.fn is Prim("cell_set"):
            self.cells.setdefault(str(node.args[0]), []).append(node.args[1])  # type: ignore[arg-type]
        if not isinstance(target, str) or target not in self.once:
            return
        self.defined[target] = node
        if node.fn is Prim("cell_new") and node.args:
            self.cells.setdefault(target, []).append(node.args[0])  # type: ignore[arg-type]
        path = _looked_up(node, self.paths) if node.fn is not METHOD else None
        if path is not None:
            self.paths[target] = path
            derived = self.maker.derived(self.space.find(path))
            if derived is not None:
                self.made[target] = _Made(derived[0], path, How(*derived[1]))
            return
        if node.fn is TUPLE:
            self.displays[target] = node.args
        name = self._name(node.fn)
        if name in MADE_BY and not node.keywords and len(node.args) in (1, 2):
            known = self._function(node.args[0])
            places = self._places(node.args[1] if len(node.args) == 2 else Const(0))
            if known is not None and places is not None:
                self.made[target] = _Made(*known, How(str(name), *places))

    def _places(self, given: Operand | Star) -> tuple[tuple[int, ...], bool] | None:
        """``argnums``, and whether it is one."""
        if isinstance(given, Const) and type(given.value) is int:
            return (given.value,), True
        parts: Sequence[Any] = self.displays.get(str(given), ())
        if isinstance(given, Const) and isinstance(given.value, tuple):
            parts = [Const(part) for part in given.value]
        found = [part.value for part in parts if isinstance(part, Const)]
        places = tuple([at for at in found if type(at) is int])
        return (places, False) if len(places) == len(parts) > 0 else None

    def _name(self, fn: object) -> str | None:
        path = self.paths.get(fn) if isinstance(fn, str) else None
        return None if path is None else self.maker.name_of(self.space.find(path))

    def _function(self, operand: Operand | Star) -> tuple[FunctionType, str] | None:
        """A known function, and its path: one without captured variables, or an inner one."""
        if isinstance(operand, Const) and _is_mark(operand):
            name, line, number = _inner_of(operand)[1].split("|")
            inner = self.inners.function(self.inners.path("", (name, int(line), int(number))))
            return None if inner is None else (inner, "")
        path = self.paths.get(operand) if isinstance(operand, str) else None
        found = self.space.find(path) if path is not None else None
        is_plain = type(found) is FunctionType and not found.__closure__
        return (found, path) if is_plain and path is not None else None  # type: ignore[return-value]

    def _call(self, node: Call) -> list[Node]:
        taken = self._taken(node)
        if taken is None:
            return [node]
        if self.guesses:
            return self._guessed(node, taken)
        kinds = self.kinds.get(self.probes[id(node)][1]) if id(node) in self.probes else None
        if kinds is None or not all(map(SIMPLE.fullmatch, kinds)):
            return [node]
        first = len(taken.args) + len(taken.captured)
        made = taken.made

        def apart(a: int, b: int) -> bool:
            return self._are_apart(taken.operands[a], taken.operands[b])

        found = self.maker.module(made.fn, made.how, kinds[:first], kinds[first:], apart)
        return [node] if found is None else self._called(node, taken, *found)

    def _taken(self, node: Call) -> _Taken | None:
        made = self.made.get(node.fn) if isinstance(node.fn, str) else None
        name = self._name(node.fn)
        if (made is None and (name is None or name in MADE_BY)) or any(
            isinstance(arg, Star) for arg in node.args
        ):
            return None
        args: list[Operand] = list(node.args)  # type: ignore[arg-type]
        if made is None and not args:
            return None
        captured: tuple[Operand, ...] = ()
        first = args[0] if args else None
        if made is None:
            assert name is not None and first is not None
            known = self._function(first)
            how = self._how(name, node)
            made = _Made(*known, how) if known is not None and how is not None else None
            args = args[1:]
        elif node.keywords:
            return None
        elif _is_mark(first):
            args = args[1:]
        if made is None:
            return None
        if isinstance(first, Const) and _is_mark(first):
            count = int(_inner_of(first)[0])
            captured, args = tuple(args[:count]), args[count:]
        return self._by_operands(made, args, captured)

    def _how(self, name: str, node: Call) -> How | None:
        words = dict(node.keywords)
        if name in ("gradient", "jvp"):
            return None if words else How(name, None, False)
        places = self._places(words.pop("argnums", Const(0)))
        return None if words or places is None else How(name, *places)

    def _by_operands(
        self, made: _Made, args: Sequence[Operand], captured: tuple[Operand, ...]
    ) -> _Taken | None:
        name = made.how.name
        if name == "hvp":
            own = (args[0], *args[2:]) if len(args) > 1 else None
            return None if own is None else _Taken(made, own, captured, (args[1],))
        if name != "jvp":
            return _Taken(made, tuple(args), captured, ())
        if len(args) != 2:
            return None
        primals, tangents = (self.displays.get(str(arg), ()) for arg in args)
        if not primals or len(primals) != len(tangents):
            return None
        if any(isinstance(part, Star) for part in (*primals, *tangents)):
            return None
        moved = [at for at, part in enumerate(tangents) if part != Const(None)]
        vectors = tuple(tangents[at] for at in moved)
        how = How(name, tuple(moved), False)
        return _Taken(replace(made, how=how), primals, captured, vectors)  # type: ignore[arg-type]

    # --- what stands for it

    def _guessed(self, node: Call, taken: _Taken) -> list[Node]:
        look, probe = self.scratch.fresh("t"), self.scratch.fresh("t")
        self.probes[id(node)] = node, probe
        made: list[Node] = [
            Call(look, GLOBAL, (Const("builtins:print"),), (), node.line),
            Call(probe, look, taken.operands, (), node.line),
        ]
        name, places, single = taken.made.how
        args = taken.args
        chosen = (
            args if places is None else [args[at] for at in places if -len(args) <= at < len(args)]
        )
        is_alike = name in ("gradient", "grad", "value_and_grad", "hvp", "hessian_diag")
        if not chosen or not isinstance(node.target, str) or not is_alike:
            return [*made, node]
        bars = chosen[0]
        if not single:
            bars = self.scratch.fresh("t")
            made.append(Call(bars, TUPLE, tuple(chosen), (), node.line))
        if name == "value_and_grad":
            return [*made, Call(node.target, TUPLE, (chosen[0], bars), (), node.line)]
        return [*made, Bind(node.target, bars, node.line)]

    def _called(
        self, node: Call, taken: _Taken, module: str, name: str, relied_on: Sequence[str]
    ) -> list[Node]:
        made = taken.made
        home = foreign_home(made.fn, self.space.namespace)
        if home is None:
            return [node]
        self.replaced = True
        own = [self.paths[fn] for fn in (node.fn,) if isinstance(fn, str) and fn in self.paths]
        known = [made.path, f"{made.path}.__code__"] if made.path else []
        for path in (*known, *own):
            self.space.assume(path)
        for path in relied_on:
            self.space.assume(f"{home}:{path}" if home and ":" not in path else path)
        fn = self.names.fresh("t")
        look = Call(fn, GLOBAL, (Const(f"{module}:{name}"),), (), node.line)
        return [look, replace(node, fn=fn, args=taken.operands, keywords=())]

    # --- arrays

    def _are_apart(self, a: Operand, b: Operand) -> bool:
        first, second = self._origin(a), self._origin(b)
        return first is not None and second is not None and first != second

    def _origin(self, operand: Operand, depth: int = 0) -> str | None:
        """The name of the argument, or of the new array, that an operand is; None where it may be
        part of another.
        """
        if not isinstance(operand, str) or depth > DEEPEST:
            return None
        if any(param.name == operand for param in self.program.params):
            return operand if operand not in outline(self.program).bound else None
        node = self.defined.get(operand) if operand in self.once else None
        if isinstance(node, Bind):
            return self._origin(node.source, depth + 1)
        if not isinstance(node, Call):
            return None
        if node.fn is Prim("cell_get_local"):
            held = self.cells.get(str(node.args[0]), [])
            return self._origin(held[0], depth + 1) if len(held) == 1 else None
        return operand if self._is_new(node) else None

    def _is_new(self, node: Call) -> bool:
        if isinstance(node.fn, Prim):
            return node.fn.name in NEW
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        found = self.space.find(path) if path is not None else None
        return type(found) is np.ufunc or found in (np.array, np.copy, np.zeros, np.ones)


DEEPEST = 20
NEW = frozenset({"add", "sub", "mul", "truediv", "pow", "neg", "matmul"})
"""Operations whose result is new, if it is an array."""


def _inner_of(mark: Const) -> tuple[str, str]:
    """How many variables it has captured, and which it is."""
    count, _, key = str(mark.value).removeprefix(MARK).partition(" ")
    return count, key


def _word(facts: Facts, operand: Operand | Star) -> str:
    """The kind of an operand; a float of Python's or NumPy's is a number of some kind."""
    if isinstance(operand, Const) and operand.value is None:
        return "inert"
    text = facts.kind_of(operand).text
    return "real" if text == "floating" else text
