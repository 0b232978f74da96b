"""Bring a program to the form that the analyses expect, before any fact is found.

A call of a module's function is a call, not a method of the module; starred calls take one tuple
and one dict; a return that ends an arm becomes a value of the branch; a loop whose head carries a
derivative tests inside its body.

>>> import math
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def f(x):
...     return math.sin(x)
>>> program = lower_function(f)
>>> print(show(program))
t_1 = global math
t_2 = t_1.sin(x)
return t_2
>>> print(show(prepare(program, names_of(program), Space(globals()))))
t_1 = global math
t_3 = t_1.sin
t_2 = t_3(x)
return t_2
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np

from astad.compiler.analysis.space import Space
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Ref,
    Star,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, breaks, kept, with_blocks, with_operands
from astad.compiler.specialise.appends import with_appends
from astad.compiler.specialise.returns import merge_returns

__all__ = ["names_of", "prepare"]

GETATTR = Prim("getattr")


def prepare(program: Program, names: Names, space: Space) -> Program:
    """All preparations, in order."""
    program = with_appends(program)
    rewriter = _Rewriter(program, names, space)
    body = merge_returns(tuple(rewriter.block(program.body)), names, program.line)
    if kept(program.body, body) is program.body:
        return program
    assumed = (*program.assumed, *dict.fromkeys(rewriter.nothing.values()))
    return replace(program, body=body, assumed=assumed)


def names_of(program: Program) -> Names:
    """Names that are free in a lowered program."""
    cells = [cell for _, cell in program.free]
    return Names([*program.taken, *cells, *outline(program).bound])


class _Rewriter:
    def __init__(self, program: Program, names: Names, space: Space) -> None:
        self.program = program
        self.names = names
        self.space = space
        self.paths: dict[str, str] = {}
        self.nothing: dict[str, str] = {}
        self.once = outline(program).single

    def block(self, block: Block) -> list[Node]:
        out: list[Node] = []
        for node in block:
            if type(node) is Call:
                self._call(node, out)
            elif type(node) is Loop:
                self._loop(node, out)
            elif type(node) is While:
                self._while(node, out)
            elif type(node) in COMPOUND:
                out.append(with_blocks(node, self.block))
            else:
                out.append(node)
        return out

    def _loop(self, node: Loop, out: list[Node]) -> None:
        """It goes through a name that it does not bind."""
        if node.iterable in bound_inside(node):
            held = self.names.numbered("t")
            out.append(Bind(held, node.iterable, node.line))
            node = Loop(node.target, held, node.body, node.orelse, node.line)
        if not node.orelse:
            out.append(with_blocks(node, self.block))
            return
        body, orelse = tuple(self.block(node.body)), tuple(self.block(node.orelse))
        if not breaks(body):
            out.extend([replace(node, body=body, orelse=()), *orelse])
        else:
            out.append(replace(node, body=body, orelse=orelse))

    def _while(self, node: While, out: list[Node]) -> None:
        """A head that does more than compare runs as the first part of the body.

        An ``else`` comes behind the loop, where what leaves a loop in it leaves the one round both.
        """
        head, body, orelse = (
            tuple(self.block(part)) for part in (node.head, node.body, node.orelse)
        )
        mark: list[Node] = []
        if breaks(body) and breaks(orelse, ("break", "continue")):
            ended = self.names.fresh("ended")
            out.append(Bind(ended, Const(False), node.line))
            mark = [Bind(ended, Const(True), node.line)]
            orelse = (Branch(ended, orelse, (), node.line),)
        elif breaks(body):
            mark, orelse = [*orelse], ()
        if all(_is_comparison(part) for part in head) and not mark:
            out.append(replace(node, head=head, body=body, orelse=()))
        elif not head and isinstance(node.test, Const) and node.test.value:
            out.append(replace(node, body=body, orelse=()))
            return  # only a break leaves it
        else:
            stop = Branch(node.test, (), (*mark, Exit("break", None, node.line)), node.line)
            out.append(While((), Const(True), (*head, stop, *body), (), node.line))
        out.extend(orelse)

    def _call(self, node: Call, out: list[Node]) -> None:
        if self.nothing:
            node = self._with_nothing(node)
        if type(node.fn) is Prim:
            if self._is_nothing(node):
                return
            self._follow(node)
            if node.fn.name == "method" and self._is_module(node.args[0]):
                name = node.args[1]
                assert isinstance(name, Const) and isinstance(node.args[0], str)
                target = self.names.numbered("t")
                self._call(Call(target, Prim("getattr"), (node.args[0], name), (), node.line), out)
                node = Call(node.target, target, node.args[2:], node.keywords, node.line)
        has_mapping = bool(node.keywords) and None in [word for word, _ in node.keywords]
        if not has_mapping and Star not in map(type, node.args):
            out.append(node)
        elif isinstance(node.fn, Prim) and node.fn.name in ("tuple", "list", "set"):
            self._starred_display(node, out)
        else:
            self._starred_call(node, out)

    def _is_nothing(self, node: Call) -> bool:
        """Does it look up ``np.newaxis``, which is None wherever it stands?"""
        if node.fn is not GETATTR or getattr(node.args[1], "value", None) != "newaxis":
            return False
        path = self.paths.get(str(node.args[0]))
        if path is None or node.target not in self.once or self.space.find(path) is not np:
            return False
        self.nothing[str(node.target)] = f"{path}.newaxis"
        return True

    def _with_nothing(self, node: Call) -> Call:
        changed = with_operands(node, lambda o: Const(None) if o in self.nothing else o)
        assert isinstance(changed, Call)
        return changed

    def _follow(self, node: Call) -> None:
        """Remember which names stand for modules."""
        assert isinstance(node.fn, Prim)
        if not isinstance(node.target, str) or node.target not in self.once:
            return
        if node.fn.name == "global":
            assert isinstance(node.args[0], Const)
            self.paths[node.target] = str(node.args[0].value)
        elif node.fn is GETATTR and (path := self.paths.get(str(node.args[0]))) is not None:
            assert isinstance(node.args[1], Const)
            self.paths[node.target] = f"{path}.{node.args[1].value}"

    def _is_module(self, operand: Operand | Star) -> bool:
        path = self.paths.get(str(operand))
        return path is not None and isinstance(self.space.find(path), ModuleType)

    def _starred_display(self, node: Call, out: list[Node]) -> None:
        """``[a, *b]`` as a list that is extended, under a name that nobody else reads: a name of
        the user's may be read by the display, and keeps its value where that fails half-way.
        """
        assert isinstance(node.fn, Prim)
        items = self.names.numbered("t")
        self._extend(items, node.args, node.line, out, plain=node.fn.name == "set")
        if node.fn.name == "list" and isinstance(node.target, str):
            out.append(Bind(node.target, items, node.line))
            return
        out.append(Call(node.target, Ref("builtins", node.fn.name), (items,), (), node.line))

    def _extend(
        self,
        items: str,
        args: tuple[Operand | Star, ...],
        line: int,
        out: list[Node],
        *called: Operand,
        plain: bool = False,
    ) -> None:
        first = next(at for at, arg in enumerate((*args, Star(Const(())))) if isinstance(arg, Star))
        out.append(Call(items, Prim("list"), args[:first], (), line))
        for arg in args[first:]:
            if isinstance(arg, Star) and plain:
                method = (items, Const("extend"), arg.operand)
                out.append(Call(None, Prim("method"), method, (), line))
            elif isinstance(arg, Star):
                out.append(Call(None, Prim("list_extend"), (items, arg.operand, *called), (), line))
            else:
                out.append(Call(None, Prim("list_append"), (items, arg), (), line))

    def _starred_call(self, node: Call, out: list[Node]) -> None:
        """``f(a, *b, k=c, **d)`` as ``apply(f, (a, *b), {'k': c, **d})``.

        Where ``*b`` is all there is by position, Python asks for its items last.
        """
        args, words = self.names.numbered("t"), self.names.numbered("t")
        given = node.args
        fn: Operand
        if isinstance(node.fn, Prim):
            assert node.fn.name == "method"
            fn = self.names.numbered("t")
            out.append(Call(fn, Prim("getattr"), node.args[:2], (), node.line))
            given = node.args[2:]
        else:
            fn = node.fn
        items = self.names.numbered("t")
        is_lone = len(given) == 1 and isinstance(given[0], Star)
        is_last = is_lone and bool(node.keywords)
        if is_last:
            self._words(words, node, fn, out)
        self._extend(items, given, node.line, out, *([fn] if is_lone else []))
        out.append(Call(args, Ref("builtins", "tuple"), (items,), (), node.line))
        if not is_last:
            self._words(words, node, fn, out)
        out.append(Call(node.target, Prim("apply"), (fn, args, words), (), node.line))

    def _words(self, words: str, node: Call, fn: Operand, out: list[Node]) -> None:
        plain = [(Const(word), value) for word, value in node.keywords if word is not None]
        parts = tuple([part for pair in plain for part in pair])
        out.append(Call(words, Prim("dict"), parts, (), node.line))
        if len(plain) < len(node.keywords):
            merged = (words, node.keywords[-1][1], fn)
            out.append(Call(None, Prim("dict_merge"), merged, (), node.line))


def _is_comparison(node: Node) -> bool:
    names = ("lt", "le", "gt", "ge", "eq", "ne", "is_", "is_not", "not_", "global")
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in names
