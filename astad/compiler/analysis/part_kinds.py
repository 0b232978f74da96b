"""Functions with several results, as ``np.linalg.slogdet``, and what is read of them.

The tuple that such a function gives is never met by anything but reads of its parts, in the block
in which it is bound; else it stays of unknown kind. So each part has a cotangent of its own.

>>> from astad.compiler.ir.nodes import Exit
>>> t = Call("t", "f", ("a",), (), 1)
>>> find_tuples((t, Call("x", Prim("getitem"), ("t", Const(1)), (), 2), Exit("return", "x", 3)))
{'t'}
>>> find_tuples((t, Exit("return", "t", 3)))
set()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from astad.compiler.analysis.applied import applied, is_written_out
from astad.compiler.analysis.findings import Facts, Parts
from astad.compiler.analysis.result_kinds import Result, part_kinds
from astad.compiler.analysis.structure import bound_once
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import PARTS, Kind
from astad.compiler.ir.nodes import Block, Call, Const, Prim
from astad.compiler.ir.walk import blocks, reads, walk

__all__ = ["find_tuples", "part_result"]

Answer = tuple[str, Result] | None


def find_tuples(body: Block) -> set[str]:
    """Names that one call binds, and of which only parts are read, in the same block."""
    once = bound_once(body)
    count = Counter(name for node in walk(body) for name in reads(node))
    found: set[str] = set()
    for block in _blocks(body):
        own = Counter(
            str(node.args[0]) for node in block if isinstance(node, Call) and _reads(node)
        )
        made = [node.target for node in block if isinstance(node, Call)]
        found |= {x for x in made if isinstance(x, str) and x in once and own[x] == count[x]}
    return found


def _blocks(body: Block) -> Iterator[Block]:
    yield body
    for node in walk(body):
        yield from blocks(node)


def _reads(node: Call) -> bool:
    """Does it read one part, or take the whole apart?"""
    if not isinstance(node.fn, Prim) or node.fn.name not in ("getitem", "unpack", "getattr"):
        return False
    rest = node.args[1:]
    return isinstance(node.args[0], str) and all(isinstance(arg, Const) for arg in rest)


def part_result(node: Call, facts: Facts, tuples: Collection[str], active: bool) -> Answer:
    """Treatment and result of a call with several results, or of a read of them; None for others,
    and for those that are not written out.
    """
    first = node.args[0] if node.args else None
    if isinstance(first, str) and facts.kind_of(first) is PARTS:
        kind = _read(node, facts.parts[first], facts, tuples)
        if kind is None:
            return None
        views = (first,) if k.holds_memory(kind) else ()
        return _treatment(active and kind is not k.INERT), Result(kind, views)
    what = applied(node, facts.known) if isinstance(node.fn, str) else None
    if what is None or node.target not in tuples:
        return None
    found = part_kinds(what.fn, what.args, what.keywords, facts.knowledge)
    if found is None or (active and not is_written_out(what, facts.knowledge, facts.is_active)):
        return None
    facts.parts[str(node.target)] = Parts(*found)
    return _treatment(active), Result(PARTS)


def _treatment(active: bool) -> str:
    return "inline" if active else "plain"


def _read(node: Call, parts: Parts, facts: Facts, tuples: Collection[str]) -> Kind | None:
    """Kind of one part, or of all of them as a tuple."""
    if not isinstance(node.fn, Prim) or not _reads(node):
        return None  # no program is known: `find_tuples` leaves out ``len(np.linalg.qr(a))``
    if node.fn.name == "unpack":
        if node.target not in tuples or node.args[1:] != (Const(len(parts.kinds)), Const(None)):
            return None
        facts.parts[str(node.target)] = Parts(parts.kinds, ())
        return PARTS
    place = parts.place(node)
    return None if place is None else parts.kinds[place]
