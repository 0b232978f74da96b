"""Which names of a loop lead to something whose cotangent is asked for.

``z = z / x`` in a loop behind which nobody reads z leads nowhere: its cotangent is none, not a zero
that an infinite factor turns into nan.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     for k in range(3):
...         z = z / x
...         y = y * w
... ''')
>>> kinds = dict.fromkeys("xyzw", FLOAT)
>>> facts = find_facts(program, kinds, kinds, Space({}))
>>> sorted(find_useful(program.body[-1], facts, {"y"}) & kinds.keys())
['w', 'y']
"""

from __future__ import annotations

from collections.abc import Iterable

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.paths import links_of
from astad.compiler.ir.kinds import COMPLEX, is_array, is_real
from astad.compiler.ir.nodes import Bind, Call, Exit, Loop, Node, While
from astad.compiler.ir.taped import YIELD
from astad.compiler.ir.walk import walk

__all__ = ["find_useful", "is_followed"]


def find_useful(loop: Loop | While, facts: Facts, asked: Iterable[str]) -> set[str]:
    """The names asked for, those that stand for what others can write, and all that lead there in
    some iteration.
    """
    sources: dict[str, set[str]] = {}
    found = {*asked, *facts.shared}
    for part in walk((loop,)):
        if _hands_out(part, facts):
            found |= {*part.read, *part.bound}
            continue
        for source, target in links_of(part, facts, lambda fn: None):
            sources.setdefault(target, set()).add(source)
    pending = list(found)
    while pending:
        fresh = sources.get(pending.pop(), set()) - found
        found |= fresh
        pending += fresh
    return found


def is_followed(name: str, facts: Facts) -> bool:
    """A number, or an array that has one name: what the text does with it is all that happens."""
    kind = facts.kind_of(name)
    return is_real(kind) or kind == COMPLEX or (is_array(kind) and name not in facts.shared)


def _hands_out(node: Node, facts: Facts) -> bool:
    """May what it reads go where the text alone does not tell?"""
    if isinstance(node, Bind):
        return False
    if isinstance(node, Call):
        is_left_alone = facts.treatment.get(id(node)) in ("dispatch", "pair")
        if is_left_alone or node.fn is YIELD:
            return True
    elif not isinstance(node, Loop):
        return isinstance(node, Exit)
    return not all(is_followed(name, facts) for name in node.read if facts.is_active(name))
