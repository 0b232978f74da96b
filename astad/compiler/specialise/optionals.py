"""A variable that is None or a number becomes a number and a truth: is it None?

``best = None`` before a loop and ``if best is None or v < best: best = v`` in it become::

    best_is_none = True
    best = 0.0
    ...
    if best_is_none or v < best: best_is_none = False; best = v

Behind a statement that binds it to a number no test is left of whether it is None.

Where such a variable is read as a number and might be None, the text is left for the one that runs
the program as it stands, which raises what Python raises.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
... if x > 0:
...     best = x
... else:
...     best = None
... if best is not None:
...     return best
... return x
... ''')
>>> print(show(with_optionals(program, {"best"}, Names({"x", "best"}))))
t_1 = x > 0
if t_1:
    best_is_none = False
    best = x
else:
    best_is_none = True
    best = 0.0
t_2 = not best_is_none
if t_2:
    return best
return x
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from astad.compiler.analysis.findings import Facts
from astad.compiler.ir.kinds import UNKNOWN
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
    Prim,
    Program,
    Raise,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, walk, with_blocks
from astad.slotted import replace

__all__ = ["find_optionals", "with_optionals"]

NOTHING = Const(None)
IS = {"is_": True, "eq": True, "is_not": False, "ne": False}
"""Comparisons with None, and what they give where it is None."""
CELLS = ("cell_get", "cell_get_local", "cell_set", "cell_new", "cell_clear", "forget", "function")


def find_optionals(program: Program, facts: Facts) -> set[str]:
    """The variables that are bound to None here and to something else there, and are of no kind
    for that alone, as far as the text tells; and what is a copy of such a one.
    """
    found = {
        node.target
        for node in walk(program.body)
        if isinstance(node, Bind) and node.source == NOTHING
    }
    others = {
        name
        for node in walk(program.body)
        for name in node.bound
        if not (isinstance(node, Bind) and node.source == NOTHING)
    }
    params = {param.name for param in program.params}
    strange = {
        name
        for node in walk(program.body)
        for name in (*node.read, *node.bound)
        if _is_strange(node, name)
    }
    may = {name for name in found | others if facts.kind_of(name) == UNKNOWN} - params - strange
    optionals = found & others & may
    moves = [node for node in walk(program.body) if isinstance(node, Bind)]
    while copies := {m.target for m in moves if m.source in optionals} & may - optionals:
        optionals |= copies
    return optionals


def _is_strange(node: Node, name: str) -> bool:
    """Is more done with it than to compute with it, and to ask whether it is None?"""
    if isinstance(node, (Branch, While)):
        return node.test == name
    if isinstance(node, Loop):
        return name in (node.iterable, node.target)
    if isinstance(node, Raise):
        return True
    if not isinstance(node, Call) or not isinstance(node.fn, Prim):
        return isinstance(node, Call) and node.fn == name
    return node.fn.name in CELLS or node.fn.name == "not_"


def with_optionals(program: Program, optionals: Collection[str], names: Names) -> Program:
    """The program in which these are numbers."""
    flags = {name: names.fresh(f"{name}_is_none") for name in sorted(optionals)}
    body, _ = _Writer(program, flags).block(program.body, frozenset())
    return replace(program, body=tuple(body))


class _Writer:
    """``sure`` are the optionals that are no None for certain, at a point of the program;
    ``copied`` by temporary the optional that it is a copy of, as that still is.
    """

    def __init__(self, program: Program, flags: Mapping[str, str]) -> None:
        self.flags = flags
        self.once = outline(program).single
        self.copied: dict[str, str] = {}

    def block(self, block: Block, sure: frozenset[str]) -> tuple[list[Node], frozenset[str]]:
        out: list[Node] = []
        tests: dict[str, tuple[str, bool]] = {}
        for node in block:
            if isinstance(node, Branch):
                sure = self._branch(node, sure, tests, out)
                self._forget(bound_inside(node), tests)
                if _leaves(out):
                    break  # by the arm that stands for the branch
                continue
            if isinstance(node, (Loop, While)):
                self._forget(bound_inside(node), tests)
                inside = sure - bound_inside(node)
                made = with_blocks(node, lambda part, sure=inside: self.block(part, sure)[0])  # type: ignore[misc]
                out.append(made)
                self._forget(bound_inside(node), tests)
                sure = inside
                continue
            sure = self._statement(node, sure, tests, out)
        return out, sure

    def _branch(
        self,
        node: Branch,
        sure: frozenset[str],
        tests: Mapping[str, tuple[str, bool]],
        out: list[Node],
    ) -> frozenset[str]:
        """In the arm of a test whether it is None it is known. Where it was known before, one arm
        stands for the branch.
        """
        name, when_none = tests.get(str(node.test), ("", False))
        if name in sure:
            body, after = self.block(node.orelse if when_none else node.body, sure)
            out += body
            return after
        known = sure | {name} if name else sure
        body, after = self.block(node.body, sure if when_none else known)
        orelse, after_else = self.block(node.orelse, known if when_none or not name else sure)
        out.append(Branch(node.test, tuple(body), tuple(orelse), node.line))
        if _leaves(body):
            return after_else
        return after if _leaves(orelse) else after & after_else

    def _statement(
        self,
        node: Node,
        sure: frozenset[str],
        tests: dict[str, tuple[str, bool]],
        out: list[Node],
    ) -> frozenset[str]:
        if isinstance(node, Call) and (asked := self._asked(node)):
            name, when_none = asked
            assert isinstance(node.target, str)
            flag = self.flags[name]
            if name in sure:
                out.append(Bind(node.target, Const(not when_none), node.line))
            elif when_none:
                out.append(Bind(node.target, flag, node.line))
            else:
                out.append(Call(node.target, Prim("not_"), (flag,), (), node.line))
            if node.target in self.once:
                tests[node.target] = name, when_none
            return sure
        if isinstance(node, Bind) and node.target in self.flags:
            is_none: object = False
            if node.source == NOTHING:
                is_none = True
            elif node.source in self.flags and node.source not in sure:
                is_none = self.flags[str(node.source)]
            source = Const(is_none) if isinstance(is_none, bool) else str(is_none)
            out.append(Bind(self.flags[node.target], source, node.line))
            out.append(Bind(node.target, Const(0.0), node.line) if is_none is True else node)
            self._forget({node.target}, tests)
            if node.target in self.once and node.source in self.flags:
                self.copied[node.target] = str(node.source)
            is_sure = is_none is False
            return sure | {node.target} if is_sure else sure - {node.target}
        for name in dict.fromkeys(node.read):
            if name in self.flags and name not in sure:
                out.append(Call(None, Prim("leave_if"), (self.flags[name],), (), node.line))
                sure = sure | {name}
        out.append(node)
        for name in node.bound:
            if name in self.flags:
                out.append(Bind(self.flags[name], Const(False), node.line))
                self._forget({name}, tests)
                sure = sure | {name}
        return sure

    def _forget(self, names: Collection[str], tests: dict[str, tuple[str, bool]]) -> None:
        """What was asked before of names that are bound anew tells nothing now."""
        for test, (asked, _) in list(tests.items()):
            if asked in names:
                del tests[test]
        for copy, source in list(self.copied.items()):
            if source in names:
                del self.copied[copy]

    def _asked(self, node: Call) -> tuple[str, bool] | None:
        """The optional that is compared with None, and what that gives where it is."""
        if not isinstance(node.fn, Prim) or node.fn.name not in IS or len(node.args) != 2:
            return None
        first, second = node.args
        name = second if first == NOTHING else first if second == NOTHING else None
        if not isinstance(name, str) or name not in self.flags:
            return None
        if not isinstance(node.target, str) or node.target in self.flags:
            return None
        return self.copied.get(name, name), IS[node.fn.name]


def _leaves(block: list[Node]) -> bool:
    return bool(block) and isinstance(block[-1], (Exit, Raise))
