"""Add arrays as they come, where a sum of them is made of a list that nobody else sees.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import array
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def f(W, x):
...     return sum(w * x for w in W)
>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.specialise.prepare import prepare
>>> lowered, kinds = lower_function(f), {"W": array(2), "x": array(1)}
>>> program = prepare(lowered, Names(lowered.taken), Space({}))
>>> facts = find_facts(program, kinds, kinds, Space({}))
>>> print(show(fold_sums(program, facts).program))
t_1 = global sum
t_2 = 0
for w in W:
    t_3 = w * x
    t_2 = t_2 + t_3
t_4 = t_2
return t_4
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from astad.compiler.analysis.findings import Facts
from astad.compiler.ir.kinds import is_real
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
from astad.compiler.ir.outline import Outline, outline
from astad.compiler.ir.prims import BINARY
from astad.compiler.ir.walk import blocks, kept, with_blocks
from astad.slotted import replace

__all__ = ["Folded", "fold_sums"]

ADD = Prim("add")


class Folded(NamedTuple):
    """A program, and the names of its ``sums``, which have to stand for arrays: only of them a sum
    is no more than one addition after the other.
    """

    program: Program
    sums: tuple[str, ...]


def fold_sums(program: Program, facts: Facts) -> Folded | None:
    """None where there is no such sum."""
    text, instead = outline(program), dict[int, Node]()
    for call in text.calls:
        if facts.known.get(str(call.fn)) is sum and len(call.args) in (1, 2):
            instead |= {id(old): new for old, new in _folded(call, text, program, facts)}
    if not instead:
        return None
    sums = tuple([str(node.target) for node in instead.values() if type(node) is Call])
    return Folded(replace(program, body=_written(program.body, instead)), sums)


def _folded(
    call: Call, text: Outline, program: Program, facts: Facts
) -> Iterator[tuple[Node, Node]]:
    """Statements of the list, each with what stands in its place."""
    items, start = call.args[0], call.args[1] if len(call.args) == 2 else Const(0)
    made = [each for each in text.calls_of("list") if each.target == items]
    appends = [
        each for each in text.calls_of("list_append", "value_append") if each.args[0] == items
    ]
    is_ours = isinstance(items, str) and items in text.once and items not in program.taken
    if not is_ours or not made or made[0].args or call.keywords or not isinstance(start, Const):
        return
    assert isinstance(items, str)
    if not isinstance(call.target, str) or text.read[items] != len(appends) + 1:
        return
    if not _stand_in_one_block(program.body, made[0], call):
        return
    if not all(_is_new(each.args[1], text, program, facts) for each in appends):
        return
    yield made[0], Bind(items, start, made[0].line)
    yield call, Bind(call.target, items, call.line)
    for each in appends:
        yield each, Call(items, ADD, (items, each.args[1]), (), each.line)


def _is_new(item: Operand | Star, text: Outline, program: Program, facts: Facts) -> bool:
    """Has an operation made it just for the list, so that nobody writes it later?"""
    made = [call for call in text.calls if call.target == item]
    if len(made) != 1 or item in program.taken or text.read.get(str(item)) != 1:
        return False
    if is_real(facts.kind_of(item)):
        return False
    fn = made[0].fn
    if isinstance(fn, Prim):
        return fn.name in BINARY
    return isinstance(facts.known.get(str(fn)), np.ufunc)


def _stand_in_one_block(block: Block, first: Node, last: Node) -> bool:
    places = [at for at, node in enumerate(block) if node is first or node is last]
    if places:
        return len(places) == 2
    inner = [part for node in block if type(node) in COMPOUND for part in blocks(node)]
    return any(_stand_in_one_block(part, first, last) for part in inner)


def _written(block: Block, instead: Mapping[int, Node]) -> Block:
    made = [
        instead.get(id(node)) or with_blocks(node, lambda b: _written(b, instead)) for node in block
    ]
    return kept(block, made)
