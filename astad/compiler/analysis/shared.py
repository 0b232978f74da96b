"""Local arrays that somebody else may write, or that are read by element."""

from __future__ import annotations

from collections.abc import Mapping

from astad.compiler.analysis.structure import returned_names
from astad.compiler.ir.kinds import UNKNOWN, Kind, is_array
from astad.compiler.ir.nodes import Bind, Call, Loop, Prim, Program
from astad.compiler.ir.walk import operands, walk

__all__ = ["find_shared"]


def find_shared(
    program: Program, kinds: Mapping[str, Kind], treatment: Mapping[int, str], *, alone: bool
) -> tuple[set[str], set[str]]:
    """Arrays met by a dispatched statement, come in or gone out, or views of such; indexed arrays.

    ``alone``: nobody else has those that come in or go out.
    """

    def is_array_name(name: object) -> bool:
        return isinstance(name, str) and is_array(kinds.get(name, UNKNOWN))

    shared: set[object] = set()
    indexed: set[str] = set()
    views: list[tuple[str, str]] = []
    for node in walk(program.body):
        treated = treatment.get(id(node))
        if isinstance(node, Bind) and is_array_name(node.source):
            assert isinstance(node.source, str)
            views.append((node.target, node.source))
            if not is_array_name(node.target):
                shared.add(node.source)  # it goes on under a name of unknown kind
        elif isinstance(node, Call) and node.fn == Prim("getitem") and treated == "inline":
            assert isinstance(node.args[0], str)
            indexed.add(node.args[0])
            if isinstance(node.target, str) and is_array_name(node.target):
                views.append((node.target, node.args[0]))
        elif isinstance(node, Call) and treated == "dispatch":
            shared.update(filter(is_array_name, (*operands(node), node.target)))
        elif isinstance(node, Loop) and is_array_name(node.iterable):
            shared.add(node.iterable)
    if not alone:
        outside = {param.name for param in program.params} | returned_names(program.body)
        shared.update(filter(is_array_name, outside))
    return _with_views({name for name in shared if isinstance(name, str)}, views), indexed


def _with_views(shared: set[str], views: list[tuple[str, str]]) -> set[str]:
    """What shares memory with a shared array is shared."""
    found: set[str] = set(shared)
    grew = True
    while grew:
        before = len(found)
        for pair in views:
            if not found.isdisjoint(pair):
                found.update(pair)
        grew = len(found) > before
    return found
