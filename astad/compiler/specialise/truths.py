"""Ask what a test stands for where it may be an object of the user's: its ``__bool__`` or
``__len__`` is a call like any other.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def f(x):
...     while x:
...         x = x.rest
...     return x
>>> program = lower_function(f)
>>> facts = find_facts(program, {"x": UNKNOWN}, ["x"], Space({}))
>>> asked = ask_truths(program, facts, Names(program.taken))
>>> print(show(asked))
while True:
    t_1 = truth(x)
    if t_1:
        pass
    else:
        break
    x = x.rest
return x
"""

from __future__ import annotations

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Node,
    Operand,
    Prim,
    Program,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks, with_blocks
from astad.slotted import replace

__all__ = ["ask_truths"]

TESTING = (Branch, While)


def ask_truths(program: Program, facts: Facts, names: Names) -> Program | None:
    """The program with a statement for each such test; None where there is none."""
    tests = [node for node in outline(program).nodes if type(node) in TESTING]
    if not any(_asks(node, facts) for node in tests):
        return None
    asking = _Asking(program, facts, names)
    return replace(program, body=asking.block(program.body))


def _asks(node: Node, facts: Facts) -> bool:
    """Is the test of a branch or loop of unknown kind, or does the head of the loop call what is
    found at run time?
    """
    assert isinstance(node, (Branch, While))
    if facts.kind_of(node.test) == UNKNOWN:
        return True
    return isinstance(node, While) and any(
        facts.treatment.get(id(part)) == "dispatch" for part in node.head
    )


class _Asking:
    def __init__(self, program: Program, facts: Facts, names: Names) -> None:
        self.program = program
        self.facts = facts
        self.names = names

    def block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block:
            made = with_blocks(node, self.block) if blocks(node) else node
            if isinstance(made, Branch) and _asks(node, self.facts):
                made = replace(made, test=self.truth(made.test, made.line, out))
            elif isinstance(made, While) and _asks(node, self.facts):
                asked: list[Node] = []
                test = made.test
                if self.facts.kind_of(test) == UNKNOWN:
                    test = self.truth(test, made.line, asked)
                stop = Branch(test, (), (Exit("break", None, made.line),), made.line)
                inside = (*made.head, *asked, stop, *made.body)
                made = While((), Const(True), inside, (), made.line)
            out.append(made)
        return tuple(out)

    def truth(self, test: Operand, line: int, out: list[Node]) -> str:
        name = self.names.numbered("t")
        out.append(Call(name, Prim("truth"), (test,), (), line))
        return name
