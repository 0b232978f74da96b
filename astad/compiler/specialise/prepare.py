"""Bring a program to the form that the analyses expect, before any fact is found.

A call of a module's function is a call, not a method of the module; starred calls take one
tuple and one dict; a return that ends an arm becomes a value of the branch; a loop whose head
carries a derivative
tests inside its body.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from astad.compiler.analysis.facts import Space
from astad.compiler.analysis.structure import blocks, bound_once
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
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
from astad.errors import Location, Unsupported

__all__ = ["names_of", "prepare"]


def prepare(program: Program, names: Names, space: Space) -> Program:
    """All preparations, in order."""
    body = _Rewriter(program, names, space).block(program.body)
    body = _merge_returns(body, names, program.line)
    return replace(program, body=tuple(body))


def names_of(program: Program) -> Names:
    """Names that are free in a lowered program."""
    used = set(program.taken) | {cell for _, cell in program.free}
    pending: list[Block] = [program.body]
    while pending:
        for node in pending.pop():
            target = getattr(node, "target", None)
            if isinstance(target, str):
                used.add(target)
            pending.extend(blocks(node))
    return Names(used)


class _Rewriter:
    def __init__(self, program: Program, names: Names, space: Space) -> None:
        self.program = program
        self.names = names
        self.space = space
        self.paths: dict[Operand, str] = {}
        self.once = bound_once(program.body)

    def block(self, block: Block) -> list[Node]:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call):
                self._call(node, out)
            elif isinstance(node, Branch):
                out.append(
                    replace(
                        node,
                        body=tuple(self.block(node.body)),
                        orelse=tuple(self.block(node.orelse)),
                    )
                )
            elif isinstance(node, Loop):
                self._loop(node, out)
            elif isinstance(node, While):
                out.append(self._while(node))
            else:
                out.append(node)
        return out

    def _loop(self, node: Loop, out: list[Node]) -> None:
        body, orelse = tuple(self.block(node.body)), tuple(self.block(node.orelse))
        if orelse and not any(_breaks(part) for part in body):
            out.extend([replace(node, body=body, orelse=()), *orelse])
        else:
            out.append(replace(node, body=body, orelse=orelse))

    def _while(self, node: While) -> While:
        """A head that does more than compare runs as the first part of the body."""
        head, body, orelse = (
            tuple(self.block(part)) for part in (node.head, node.body, node.orelse)
        )
        if all(_is_comparison(part) for part in head) and not orelse:
            return replace(node, head=head, body=body)
        if not head and isinstance(node.test, Const) and node.test.value:
            return replace(node, body=body, orelse=())
        if any(_breaks(part, ("break", "continue")) for part in orelse):
            raise Unsupported(
                Location(self.program.file, node.line),
                f"break or continue in the else of a while in {self.program.name}",
                why="it leaves a loop further out",
                instead="set a flag in the else and test it after the loop",
            )  # fmt: skip
        stop = Branch(node.test, (), (*orelse, Exit("break", None, node.line)), node.line)
        return While((), Const(True), (*head, stop, *body), (), node.line)

    def _call(self, node: Call, out: list[Node]) -> None:
        if isinstance(node.fn, Prim):
            self._follow(node)
            if node.fn.name == "method" and self._is_module(node.args[0]):
                name = node.args[1]
                assert isinstance(name, Const) and isinstance(node.args[0], str)
                target = self.names.numbered("t")
                self._call(Call(target, Prim("getattr"), (node.args[0], name), (), node.line), out)
                node = Call(node.target, target, node.args[2:], node.keywords, node.line)
        starred = any(isinstance(arg, Star) for arg in node.args) or any(
            word is None for word, _ in node.keywords
        )
        if not starred:
            out.append(node)
        elif isinstance(node.fn, Prim) and node.fn.name in ("tuple", "list", "set"):
            self._starred_display(node, out)
        else:
            self._starred_call(node, out)

    def _follow(self, node: Call) -> None:
        """Remember which names stand for modules."""
        assert isinstance(node.fn, Prim)
        if node.target not in self.once:
            return
        if (
            node.fn.name == "global"
            and isinstance(node.target, str)
            and isinstance(node.args[0], Const)
        ):
            self.paths[node.target] = str(node.args[0].value)
        elif (
            node.fn.name == "getattr"
            and node.args[0] in self.paths
            and isinstance(node.target, str)
        ):
            assert isinstance(node.args[1], Const)
            self.paths[node.target] = f"{self.paths[node.args[0]]}.{node.args[1].value}"

    def _is_module(self, operand: Operand | Star) -> bool:
        path = self.paths.get(operand) if isinstance(operand, str) else None
        return path is not None and isinstance(self.space.find(path), ModuleType)

    def _starred_display(self, node: Call, out: list[Node]) -> None:
        """``[a, *b]`` as a list that is extended."""
        assert isinstance(node.fn, Prim)
        items = (
            node.target
            if node.fn.name == "list" and isinstance(node.target, str)
            else self.names.numbered("t")
        )
        self._extend(items, node.args, node.line, out)
        if items != node.target:
            made = Ref("builtins", node.fn.name)
            out.append(Call(node.target, made, (items,), (), node.line))

    def _extend(
        self, items: str, args: tuple[Operand | Star, ...], line: int, out: list[Node]
    ) -> None:
        first = next(at for at, arg in enumerate((*args, Star(Const(())))) if isinstance(arg, Star))
        out.append(Call(items, Prim("list"), args[:first], (), line))
        for arg in args[first:]:
            if isinstance(arg, Star):
                out.append(
                    Call(None, Prim("method"), (items, Const("extend"), arg.operand), (), line)
                )
            else:
                out.append(Call(None, Prim("list_append"), (items, arg), (), line))

    def _starred_call(self, node: Call, out: list[Node]) -> None:
        """``f(a, *b, k=c, **d)`` as ``apply(f, (a, *b), {'k': c, **d})``."""
        args, words = self.names.numbered("t"), self.names.numbered("t")
        given = node.args
        fn: Operand
        if isinstance(node.fn, Prim):
            assert node.fn.name == "method" and isinstance(node.args[0], str)
            fn = self.names.numbered("t")
            out.append(Call(fn, Prim("getattr"), (node.args[0], node.args[1]), (), node.line))
            given = node.args[2:]
        else:
            fn = node.fn
        items = self.names.numbered("t")
        self._extend(items, given, node.line, out)
        out.append(Call(args, Ref("builtins", "tuple"), (items,), (), node.line))
        plain: list[Operand] = []
        for word, value in node.keywords:
            if word is not None:
                plain += [Const(word), value]
        out.append(Call(words, Prim("dict"), tuple(plain), (), node.line))
        for word, value in node.keywords:
            if word is None:
                out.append(Call(None, Prim("dict_merge"), (words, value), (), node.line))
        out.append(Call(node.target, Prim("apply"), (fn, args, words), (), node.line))


def _is_comparison(node: Node) -> bool:
    names = ("lt", "le", "gt", "ge", "eq", "ne", "is_", "is_not", "not_", "global")
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in names


def _breaks(node: Node, how: tuple[str, ...] = ("break",)) -> bool:
    """Does the node leave the loop that it stands in?"""
    if isinstance(node, Exit):
        return node.how in how
    parts: tuple[Block, ...] = (node.orelse,) if isinstance(node, Loop | While) else blocks(node)
    return any(_breaks(part, how) for block in parts for part in block)


def _merge_returns(body: list[Node], names: Names, line: int) -> list[Node]:
    """Early returns of arms become values of the branches, where no statement need be written
    twice.
    """
    returns = _count_returns(body)
    if returns < 2 or _in_loop(body) or not _can_merge(body):
        return body
    result = names.fresh("result")
    return [*_merged(body, result), Exit("return", result, line)]


def _merged(body: list[Node], result: str) -> list[Node]:
    out: list[Node] = []
    for at, node in enumerate(body):
        if isinstance(node, Exit):
            value = node.value if node.value is not None else Const(None)
            return [*out, Bind(result, value, node.line)]
        if isinstance(node, Branch) and _count_returns([node]):
            rest = body[at + 1 :]
            first, second = list(node.body), list(node.orelse)
            first += [] if _returns_always(first) else rest
            second += [] if _returns_always(second) else rest
            arms = (tuple(_merged(first, result)), tuple(_merged(second, result)))
            return [*out, Branch(node.test, arms[0], arms[1], node.line)]
        out.append(node)
    return out


def _can_merge(body: list[Node]) -> bool:
    """Every branch that returns does so in a way that leaves at most one arm going on."""
    for at, node in enumerate(body):
        if isinstance(node, Branch) and _count_returns([node]):
            first, second = list(node.body), list(node.orelse)
            goes_on = [arm for arm in (first, second) if not _returns_always(arm)]
            if len(goes_on) == 2 and body[at + 1 :]:
                return False
            if not (_can_merge(first) and _can_merge(second)):
                return False
    return True


def _returns_always(body: list[Node]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, Exit):
        return last.how == "return"
    return (
        isinstance(last, Branch)
        and _returns_always(list(last.body))
        and _returns_always(list(last.orelse))
    )


def _count_returns(body: list[Node]) -> int:
    return sum(
        1
        if isinstance(node, Exit) and node.how == "return"
        else sum(_count_returns(list(b)) for b in blocks(node))
        for node in body
    )


def _in_loop(body: list[Node]) -> bool:
    """Is there a return inside a loop?"""
    return any(
        bool(_count_returns([node]))
        if isinstance(node, Loop | While)
        else any(_in_loop(list(b)) for b in blocks(node))
        for node in body
    )
