"""A gradient that a program takes of a function that is known, as a call of the function that
computes it.

That function has a text of its own, made by whoever has the program compiled, and is from here on
a function like any other: written out, called by name, differentiated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, Protocol

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
from astad.compiler.ir.walk import with_blocks
from astad.compiler.specialise.foreign import foreign_home

__all__ = ["How", "Maker", "as_if_arguments", "takes_gradients", "with_gradients"]

How = tuple[str, tuple[int, ...] | None, bool]
"""Name of the public function, its ``argnums``, None for all arguments, and whether one gradient
is asked for in no tuple.
"""
SIMPLE = re.compile(r"float|int|real|inert|ndarray[1-9]")
"""Kinds of arguments."""


class Maker(Protocol):
    """Who makes functions that compute gradients."""

    def name_of(self, found: object) -> str | None:
        """Under which name it is a public function that takes a gradient."""

    def derived(self, found: object) -> tuple[Any, How] | None:
        """Of which function, and how, if it is what one of them has returned."""

    def module(
        self, fn: FunctionType, how: How, kinds: Sequence[str]
    ) -> tuple[str, str, Sequence[str]] | None:
        """Module and name of the function, and the paths that it relies on."""


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


def _looked_up(node: Call, paths: Mapping[str, str]) -> str | None:
    """The path of a global, or of what lies in a module among them."""
    if node.fn is GLOBAL:
        word = node.args[0]
        return str(word.value) if isinstance(word, Const) else None
    if node.fn is GETATTR:
        owner, word = paths.get(str(node.args[0])), node.args[1]
        return f"{owner}.{word.value}" if owner and isinstance(word, Const) else None
    return None


GLOBAL, GETATTR, TUPLE = Prim("global"), Prim("getattr"), Prim("tuple")


def as_if_arguments(program: Program, space: Space, names: Names, maker: Maker) -> Program:
    """The program with the arguments in the place of their gradients: what is found of its kinds
    is so of the program itself if gradients are of the kinds of the arguments, as they mostly are.
    Who relies on it has to find it again.
    """
    rewriter = _Rewriter(program, Facts({}, set()), space, names, maker)
    rewriter.guesses = True
    return replace(program, body=rewriter.block(program.body))


def with_gradients(
    program: Program, facts: Facts, space: Space, names: Names, maker: Maker
) -> Program | None:
    """The program with each such call; None where there is none of which enough is known."""
    rewriter = _Rewriter(program, facts, space, names, maker)
    body = rewriter.block(program.body)
    if not rewriter.replaced:
        return None
    return without_unread(replace(program, body=body), rewriter.made)


@dataclass(slots=True)
class _Made:
    """What ``grad(f)`` gave: the function, its path, and how."""

    fn: FunctionType
    path: str
    how: How


class _Rewriter:
    def __init__(
        self, program: Program, facts: Facts, space: Space, names: Names, maker: Maker
    ) -> None:
        self.facts = facts
        self.space = space
        self.names = names
        self.maker = maker
        self.once = outline(program).once
        self.paths: dict[str, str] = {}
        self.made: dict[str, _Made] = {}
        self.tuples: dict[str, tuple[object, ...]] = {}
        self.replaced = False
        self.guesses = False

    def block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call):
                self._note(node)
                out += self._call(node)
            elif type(node) in COMPOUND:
                out.append(with_blocks(node, self.block))
            else:
                out.append(node)
        return tuple(out)

    def _note(self, node: Call) -> None:
        """What the target stands for from here on, if it is bound once."""
        target = node.target
        if not isinstance(target, str) or target not in self.once:
            return
        path = _looked_up(node, self.paths)
        if path is not None:
            self.paths[target] = path
            derived = self.maker.derived(self.space.find(path))
            if derived is not None:
                self.made[target] = _Made(derived[0], path, derived[1])
            return
        if node.fn is TUPLE and all(isinstance(arg, Const) for arg in node.args):
            self.tuples[target] = tuple([arg.value for arg in node.args])  # type: ignore[union-attr]
        name = self._name(node.fn)
        if name in ("grad", "value_and_grad") and not node.keywords and len(node.args) in (1, 2):
            self._note_derived(target, name, node.args)

    def _note_derived(self, target: str, name: str, args: Sequence[Operand | Star]) -> None:
        fn = self._function(args[0])
        places: object = 0
        if len(args) == 2:
            given = args[1]
            places = given.value if isinstance(given, Const) else self.tuples.get(str(given))
        if fn is None:
            return
        several = isinstance(places, tuple) and all(type(at) is int for at in places)
        if type(places) is int or several:
            chosen = places if isinstance(places, tuple) else (places,)
            self.made[target] = _Made(*fn, (name, chosen, not several))

    def _name(self, fn: object) -> str | None:
        path = self.paths.get(fn) if isinstance(fn, str) else None
        return None if path is None else self.maker.name_of(self.space.find(path))

    def _function(self, operand: Operand | Star) -> tuple[FunctionType, str] | None:
        """A known function without captured variables, and its path."""
        path = self.paths.get(operand) if isinstance(operand, str) else None
        found = self.space.find(path) if path is not None else None
        is_plain = type(found) is FunctionType and not found.__closure__
        return (found, path) if is_plain and path is not None else None  # type: ignore[return-value]

    def _call(self, node: Call) -> list[Node]:
        args: Sequence[Operand | Star] = node.args
        made = self.made.get(node.fn) if isinstance(node.fn, str) else None
        if made is None and args and self._name(node.fn) == "gradient":
            known = self._function(args[0])
            made = _Made(*known, ("gradient", None, False)) if known is not None else None
            args = args[1:]
        if made is None or node.keywords or any(isinstance(arg, Star) for arg in args):
            return [node]
        if self.guesses:
            return self._guessed(node, args, made.how)
        kinds = [self.facts.kind_of(arg).text for arg in args]
        if not all(map(SIMPLE.fullmatch, kinds)):
            return [node]
        found = self.maker.module(made.fn, made.how, kinds)
        return [node] if found is None else self._called(node, args, made, *found)

    def _guessed(self, node: Call, args: Sequence[Operand | Star], how: How) -> list[Node]:
        name, places, single = how
        chosen = (
            args if places is None else [args[at] for at in places if -len(args) <= at < len(args)]
        )
        if not chosen or node.target is None:
            return [node]
        bars: Operand | Star = chosen[0]
        made: list[Node] = []
        if not single:
            bars = self.names.fresh("t")
            made.append(Call(bars, TUPLE, tuple(chosen), (), node.line))
        if name == "value_and_grad":
            return [*made, Call(node.target, TUPLE, (chosen[0], bars), (), node.line)]
        assert not isinstance(bars, Star) and isinstance(node.target, str)
        return [*made, Bind(node.target, bars, node.line)]

    def _called(
        self,
        node: Call,
        args: Sequence[Operand | Star],
        made: _Made,
        module: str,
        name: str,
        relied_on: Sequence[str],
    ) -> list[Node]:
        home = foreign_home(made.fn, self.space.namespace)
        if home is None:
            return [node]
        self.replaced = True
        own = [self.paths[fn] for fn in (node.fn,) if isinstance(fn, str) and fn in self.paths]
        for path in (made.path, f"{made.path}.__code__", *own):
            self.space.assume(path)
        for path in relied_on:
            self.space.assume(f"{home}:{path}" if home and ":" not in path else path)
        fn = self.names.fresh("t")
        look = Call(fn, GLOBAL, (Const(f"{module}:{name}"),), (), node.line)
        return [look, replace(node, fn=fn, args=tuple(args))]


def without_unread(program: Program, made: Mapping[str, object]) -> Program:
    """Without the calls of ``grad`` whose results nobody reads any more."""
    read = outline(program).read
    unread = {name for name in made if not read[name]}

    def block(nodes: Block) -> Block:
        return tuple(
            with_blocks(node, block) if type(node) in COMPOUND else node
            for node in nodes
            if not (isinstance(node, Call) and node.target in unread)
        )

    return replace(program, body=block(program.body)) if unread else program
