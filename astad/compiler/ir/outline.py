"""All statements of a text in order, and how often names are read and bound.

Made once for each program and each generated function: most passes start from it, and what a text
does not hold costs them nothing.

>>> from astad.compiler.lower.function import program_of
>>> found = outline(program_of('''
...     y = x * x
...     if y > 0.0:
...         y = sin(y)
... '''))
>>> len(found.nodes), found.read["x"], sorted(found.once), len(found.calls_of("mul"))
(4, 2, ['t_1'], 1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from astad.compiler.ir.derived import Function
from astad.compiler.ir.nodes import Call, Node, Prim, Program, Ref, walk

__all__ = ["Outline", "outline"]


@dataclass(frozen=True, slots=True)
class Outline:
    """``read`` and ``bound`` count by name, ``once`` has the names that one statement alone binds
    and that are no parameters; ``prims`` are the calls of each operation of the language, ``refs``
    those of functions that generated text calls, by their names; ``sorts`` the types of the nodes.
    """

    nodes: tuple[Node, ...]
    calls: tuple[Call, ...]
    read: Mapping[str, int]
    bound: Mapping[str, int]
    once: frozenset[str]
    prims: Mapping[str, Sequence[Call]]
    refs: Mapping[str, Sequence[Call]]
    sorts: frozenset[type[Node]]

    def calls_of(self, *names: str) -> tuple[Call, ...]:
        """The calls of these operations; those of one in the order of the text."""
        return tuple([call for name in names for call in self.prims.get(name, ())])

    def calls_to(self, ref: Ref) -> list[Call]:
        """The calls of this function, in the order of the text."""
        return [call for call in self.refs.get(ref.name, ()) if call.fn == ref]


def outline(text: Program | Function) -> Outline:
    """The one outline of a program, or of a function."""
    try:
        return text.outline  # type: ignore[return-value]
    except AttributeError:
        found = _outline(text)
        object.__setattr__(text, "outline", found)  # a note: the text stays equal to itself
        return found


def _outline(text: Program | Function) -> Outline:
    nodes = tuple(walk(text.body))
    calls = tuple([node for node in nodes if type(node) is Call])
    read = Counter([name for node in nodes for name in node.read])
    bound = Counter([name for node in nodes for name in node.bound])
    params = {param if isinstance(param, str) else param.name for param in text.params}
    once = frozenset([name for name, times in bound.items() if times == 1 and name not in params])
    prims: dict[str, list[Call]] = {}
    refs: dict[str, list[Call]] = {}
    for call in calls:
        if type(call.fn) is Prim:
            prims.setdefault(call.fn.name, []).append(call)
        elif type(call.fn) is Ref:
            refs.setdefault(call.fn.name, []).append(call)
    sorts = frozenset(map(type, nodes))
    return Outline(nodes, calls, read, bound, once, prims, refs, sorts)
