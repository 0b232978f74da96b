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

Early returns become values of branches, so that one return ends the function.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(merge_returns(program_of('''
... if x > 0:
...     return x
... return -x
... ''').body, Names("x"), 1)))
t_1 = x > 0
if t_1:
    result = x
else:
    t_2 = -x
    result = t_2
return result

``out.append(f(x))`` is one operation: the method of a list is there whatever ``f`` does.

Python looks the method up before it evaluates the argument; where the name stands for a list made
here, nobody can tell when.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(with_appends(program_of('''
... out = []
... out.append(f(x))
... '''))))
out = []
t_2 = f(x)
out.append(t_2)
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
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
    Try,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import (
    bound_inside,
    breaks,
    falls_through,
    kept,
    walk,
    with_blocks,
    with_operands,
)
from astad.slotted import replace

__all__ = ["merge_returns", "names_of", "prepare", "with_appends"]

# --- early returns


def merge_returns(body: Block, names: Names, line: int, *, loops: bool = False) -> Block:
    """Early returns of arms become values of the branches, if no statement is written twice.

    ``loops``: and those of loops, which a ``break`` takes the place of; what stands behind such a
    loop becomes its ``else``, or runs if a variable tells that nothing was returned.

    >>> from astad.compiler.ir.text import show
    >>> from astad.compiler.lower.function import program_of
    >>> print(show(merge_returns(program_of('''
    ... for x in xs:
    ...     if x > 0:
    ...         return x
    ... return 0.0
    ... ''').body, Names("x"), 1, loops=True)))
    for x in xs:
        t_1 = x > 0
        if t_1:
            result = x
            break
    else:
        result = 0.0
    return result
    """
    if _count_returns(body) < 2 and not (loops and _returns_in_loop(body)):
        return body
    if _can_merge(body, loops=loops):
        result = names.fresh("result")
        return (*_merged(body, result), Exit("return", result, line))
    if not loops or any(_count_returns((n,)) for n in walk(body) if isinstance(n, Try)):
        return body
    result, done = names.fresh("result"), names.fresh("done")
    start = Bind(done, Const(False), line)
    return (start, *_Marked(result, done).block(body), Exit("return", result, line))


def _returns_in_loop(body: Block) -> bool:
    loops = [node for node in walk(body) if isinstance(node, (Loop, While))]
    return any(_count_returns((node,)) for node in loops)


class _Marked:
    """Early returns as values, where a variable tells whether the function is done."""

    def __init__(self, result: str, done: str) -> None:
        self.result = result
        self.done = done

    def _value(self, node: Exit, *, last: bool = False) -> list[Node]:
        value = node.value if node.value is not None else Const(None)
        found: list[Node] = [Bind(self.result, value, node.line)]
        return found if last else [*found, Bind(self.done, Const(True), node.line)]

    def block(self, body: Block, *, last: bool = True) -> Block:
        """Statements that no loop is around; behind the ``last`` nobody asks what was done."""
        out: list[Node] = []
        for at, node in enumerate(body):
            if isinstance(node, Exit):
                return (*out, *self._value(node, last=last))
            if not _count_returns((node,)):
                out.append(node)
                continue
            rest = body[at + 1 :]
            if isinstance(node, Branch):
                goes_on = [falls_through(arm) for arm in (node.body, node.orelse)]
                ends = rest if not all(goes_on) else ()
                rest = () if ends else rest
                first, second = (
                    self.block(arm + ends if goes else arm, last=last and not rest)
                    for arm, goes in zip((node.body, node.orelse), goes_on, strict=True)
                )
                out.append(Branch(node.test, first, second, node.line))
            else:
                assert isinstance(node, (Loop, While))
                inside = tuple(self.inside(node.body))
                orelse = self.block(node.orelse, last=last and not rest)
                out.append(replace(node, body=inside, orelse=orelse))
            behind = self.block(rest, last=last)
            return (*out, Branch(self.done, (), behind, node.line)) if behind else tuple(out)
        return tuple(out)

    def inside(self, block: Block) -> list[Node]:
        """The body of a loop that is left where it returned."""
        out: list[Node] = []
        for node in block:
            if isinstance(node, Exit) and node.how == "return":
                out += [*self._value(node), Exit("break", None, node.line)]
            elif isinstance(node, Branch):
                out.append(with_blocks(node, self.inside))
            elif isinstance(node, (Loop, While)) and _count_returns((node,)):
                leave = (Exit("break", None, node.line),)
                out += [with_blocks(node, self.inside), Branch(self.done, leave, (), node.line)]
            else:
                out.append(node)
        return out


def _merged(body: Block, result: str) -> Block:
    out: list[Node] = []
    for at, node in enumerate(body):
        if isinstance(node, Exit):
            value = node.value if node.value is not None else Const(None)
            return (*out, Bind(result, value, node.line))
        if isinstance(node, Branch) and _count_returns((node,)):
            rest = body[at + 1 :]
            first, second = (
                _merged(arm if _returns_always(arm) else arm + rest, result)
                for arm in (node.body, node.orelse)
            )
            return (*out, Branch(node.test, first, second, node.line))
        if isinstance(node, Loop) and _count_returns(node.body):
            left, rest = tuple(_left(node.body, result)), _merged(body[at + 1 :], result)
            return (*out, replace(node, body=left, orelse=rest))
        out.append(node)
    return tuple(out)


def _left(block: Block, result: str) -> list[Node]:
    """The body of a loop that is left where it returned."""
    out: list[Node] = []
    for node in block:
        if isinstance(node, Exit) and node.how == "return":
            value = node.value if node.value is not None else Const(None)
            out += [Bind(result, value, node.line), Exit("break", None, node.line)]
        elif isinstance(node, Branch):
            out.append(with_blocks(node, functools.partial(_left, result=result)))
        else:
            out.append(node)
    return out


def _can_merge(body: Block, *, loops: bool) -> bool:
    """Does every branch that returns leave at most one arm going on, and each loop that returns
    end in no other way before its time?
    """
    for at, node in enumerate(body):
        if isinstance(node, (Loop, While, Try)) and _count_returns((node,)):
            inner = [part for part in walk((node,)) if isinstance(part, (Loop, While, Try))]
            nested = any(_count_returns((part,)) for part in inner[1:])
            plain = isinstance(node, Loop) and not node.orelse and not breaks(node.body)
            if not (loops and plain) or nested:
                return False
        if isinstance(node, Branch) and _count_returns((node,)):
            arms = (node.body, node.orelse)
            if body[at + 1 :] and not any(map(_returns_always, arms)):
                return False
            if not all(_can_merge(arm, loops=loops) for arm in arms):
                return False
    return True


def _returns_always(body: Block) -> bool:
    last = body[-1] if body else None
    if isinstance(last, Exit):
        return last.how == "return"
    return isinstance(last, Branch) and all(map(_returns_always, (last.body, last.orelse)))


def _count_returns(body: Block) -> int:
    return [node.how for node in walk(body) if type(node) is Exit].count("return")


# --- methods of lists


GETATTR, GLOBAL = Prim("getattr"), Prim("global")
METHOD, LIST = Prim("method"), Prim("list")
APPEND = Const("append")


def with_appends(program: Program) -> Program:
    """The program with the look-up of each such method where the method is called."""
    text = outline(program)
    found = [node for node in text.calls_of("getattr") if node.args[1] == APPEND]
    lookups = {
        str(node.target): str(node.args[0])
        for node in found
        if node.target in text.once and text.read[str(node.target)] == 1
    }
    if not lookups:
        return program
    return replace(program, body=_block(program.body, lookups, frozenset()))


def _block(block: Block, lookups: Mapping[str, str], lists: frozenset[str]) -> Block:
    """``lists``: names that for certain stand for one where the block begins."""
    called = {n.fn: at for at, n in enumerate(block) if type(n) is Call and n.fn in lookups}
    out: list[Node] = []
    pending: dict[str, str] = {}
    for at, node in enumerate(block):
        if isinstance(node, Call) and node.fn is GETATTR and node.target in called:
            name, end = lookups[str(node.target)], called[node.target]
            if name in lists and end > at and name not in bound_inside(*block[at:end]):
                pending[str(node.target)] = name
                continue
        if isinstance(node, Call) and isinstance(node.fn, str) and node.fn in pending:
            given = (pending[node.fn], APPEND, *node.args)
            node = Call(node.target, METHOD, given, node.keywords, node.line)
        lists, before = lists - bound_inside(node), lists
        if _is_list(node, before):
            lists |= set(node.bound)
        elif type(node) in COMPOUND:
            node = with_blocks(node, functools.partial(_block, lookups=lookups, lists=lists))
        out.append(node)
    return tuple(out)


def _is_list(node: Node, lists: Collection[str]) -> bool:
    """Is a new list bound, or one that another name stands for?"""
    if type(node) is Call:
        return node.fn is LIST
    return type(node) is Bind and node.source in lists


def prepare(program: Program, names: Names, space: Space) -> Program:
    """All preparations, in order."""
    program = with_appends(program)
    rewriter = _Rewriter(program, names, space)
    body = merge_returns(tuple(rewriter.block(program.body)), names, program.line, loops=True)
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
        self.once = set(outline(program).single)
        self.taken = program.taken

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
            if self._is_of_several(node):
                found = self.names.numbered("t")
                self.once.add(found)
                self._call(replace(node, target=found), out)
                out.append(Bind(str(node.target), found, node.line))
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

    def _is_of_several(self, node: Call) -> bool:
        """Does it look up a global, or what a module holds, for a variable that is bound elsewhere
        too? What it finds is known by a name of its own.
        """
        if node.target not in self.taken or node.target in self.once:
            return False
        return node.fn is GLOBAL or (node.fn is GETATTR and str(node.args[0]) in self.paths)

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
