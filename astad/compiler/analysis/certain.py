"""Which names a cotangent reaches in every run: what their gradient is does not depend on the run.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     y = a * x
...     if x > 0.0:
...         y = y + b
...     return y * c
... ''')
>>> kinds = {param.name: FLOAT for param in program.params}
>>> facts = find_facts(program, kinds, kinds, Space({}))
>>> sorted(reached_always(program, facts))
['c']
"""

from __future__ import annotations

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.nodes import Bind, Call, Exit, Node, Prim, Program
from astad.compiler.ir.walk import bound_inside, walk

__all__ = ["depends_on_run", "reached_always"]


def reached_always(program: Program, facts: Facts) -> set[str]:
    """Names from which statements that always run lead to the result."""
    reached: set[str] = set()
    for node in reversed(program.body):
        if isinstance(node, Exit) and isinstance(node.value, str):
            reached.add(node.value)
        elif isinstance(node, Bind | Call):
            sources = _sources(node, facts) if reached.intersection(node.bound) else ()
            reached.difference_update(node.bound)
            reached.update(sources)
        else:
            reached -= bound_inside(node)
    return reached


def _sources(node: Node, facts: Facts) -> list[str]:
    if isinstance(node, Call) and facts.treatment.get(id(node)) != "inline":
        return []
    is_item = isinstance(node, Call) and node.fn == Prim("getitem")
    return [name for name in node.read[: 1 if is_item else None] if facts.is_active(name)]


def depends_on_run(program: Program, facts: Facts) -> bool:
    """Has an object a part that is reached in some runs only? Untouched it has no gradient, and
    else a number.
    """
    if not any(one.has_objects for one in program.opened):
        return False
    always = reached_always(program, facts)
    read = {name for node in walk(program.body) for name in node.read}
    leaves = {
        leaf for one in program.opened if one.has_objects for leaf in one.leaves if leaf in read
    }
    return any(facts.is_active(leaf) and leaf not in always for leaf in leaves)
