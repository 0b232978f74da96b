"""Which names of a program have a tangent: those that move, and that the result is made of.

>>> from astad.compiler.analysis.findings import Facts
>>> from astad.compiler.ir import kinds as k
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     y = x
...     z = x
...     return y
... ''')
>>> facts = Facts({"x": k.FLOAT, "y": k.FLOAT, "z": k.FLOAT}, {"x", "y", "z"})
>>> sorted(find_moved(program, facts, "y"))
['x', 'y']
"""

from __future__ import annotations

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Call, Loop, Node, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import IN_PLACE

__all__ = ["find_moved"]


def find_moved(program: Program, facts: Facts, result: str) -> set[str]:
    """Backwards from the result; what shares memory with a name that has a tangent has one too."""
    nodes = [node for node in reversed(outline(program).nodes) if type(node) in (Bind, Call, Loop)]
    found = {result} & facts.active
    before = -1
    while len(found) != before:
        before = len(found)
        for node in nodes:
            _follow(node, facts, found)
    return found


def _follow(node: Node, facts: Facts, found: set[str]) -> None:
    if type(node) is Loop:
        for leaf in facts.walks[id(node)].leaves:
            _join(leaf.name, leaf.source, facts, found)
    elif type(node) is Bind:
        _join(node.target, node.source, facts, found)
    elif type(node) is Call:
        made = facts.unpackings.get(id(node))
        targets = {node.target} if made is None else {node.target, *made.targets}
        if _may_write(node):
            targets.update(arg for arg in node.args[:1] if isinstance(arg, str))
        triple = facts.augmented.get(id(node))
        reads = {*facts.all_operands(node), *(triple.works.read if triple else ())}
        shared = {*facts.views.get(id(node), ()), *(node.read if made else ())}
        is_written = getattr(node.fn, "name", "") in IN_PLACE and node.target in found
        if is_written and not k.is_real(facts.kind_of(str(node.target))):
            found.update(arg for arg in node.args[:1] if isinstance(arg, str))
        lists = {str(name) for name in (*targets, *node.read) if _is_list(name, facts)}
        if not found.isdisjoint(lists):  # a row may be written by any of them
            found |= lists
        if not found.isdisjoint(targets):
            found |= {name for name in facts.active if name in reads}
        if not found.isdisjoint(shared):
            found |= {name for name in targets if name in facts.active}


def _is_list(name: object, facts: Facts) -> bool:
    return isinstance(name, str) and k.is_listing(facts.kind_of(name))


def _may_write(node: Call) -> bool:
    """Does it change its first operand, or may it? Of what gives no result it is supposed."""
    return bool(node.args) and (node.target is None or getattr(node.fn, "name", "") in IN_PLACE)


def _join(name: str, source: object, facts: Facts, found: set[str]) -> None:
    if name in found and source in facts.active:
        found.add(str(source))
    elif source in found and name in facts.active and not k.is_real(facts.kind_of(name)):
        found.add(name)
