"""Calls of the user's own functions that need no dispatcher: what is asked of them, and what is
known.

Such a call has the treatment ``pair``: its forward sweep and its pullback are called by name. All
its operands are handed over by value, so nobody else may have an array among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from types import FunctionType

from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.nodes import Block, Call
from astad.compiler.ir.walk import operands, walk
from astad.slotted import dataclass

__all__ = ["Callee", "Known", "Look", "find_barred", "find_buffered"]


@dataclass(frozen=True, slots=True)
class Callee:
    """A function, by its path in the user's globals, for arguments of these kinds, of which those
    ``active`` carry a derivative.
    """

    path: str
    kinds: tuple[Kind, ...]
    active: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the result and of the pullback of a callee.

    ``stem`` names its pair. ``buffered`` are the array parameters that it reads by element: their
    cotangents are added in place, into a buffer of the caller's. ``certain`` are those whose
    cotangent is never None. ``leaves``: the forward sweep may give NotImplemented.
    """

    stem: str
    kind: Kind
    active: bool
    buffered: tuple[bool, ...]
    certain: tuple[bool, ...]
    leaves: bool = False


Look = Callable[[FunctionType, Callee], Known | None]
"""None: the call is left to the dispatcher."""


def find_barred(body: Block, known: Mapping[int, Known], shared: Set[str]) -> set[int]:
    """Ids of the calls that hand over, or get, an array of which somebody else has a part."""
    if not known:
        return set()
    return {
        id(node)
        for node in walk(body)
        if isinstance(node, Call) and id(node) in known
        and not shared.isdisjoint((*operands(node), node.target))
    }  # fmt: skip


def find_buffered(
    body: Block, known: Mapping[int, Known], treatment: Mapping[int, str]
) -> set[str]:
    """Names of the arrays whose cotangent is a buffer that a callee adds into."""
    found: set[str] = set()
    for node in walk(body) if known else ():
        if isinstance(node, Call) and treatment.get(id(node)) == "pair":
            places = zip(node.args, known[id(node)].buffered, strict=True)
            found.update(arg for arg, buffered in places if buffered and isinstance(arg, str))
    return found
