"""Local arrays that somebody else may write, that share memory, or that are read by element."""

from __future__ import annotations

from collections.abc import Collection

from astad.compiler.analysis.findings import Facts
from astad.compiler.analysis.structure import returned_names
from astad.compiler.ir.kinds import HOLDING, UNKNOWN, WITH_AXES, holds_memory, makes_copy
from astad.compiler.ir.nodes import Bind, Call, Loop, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY

__all__ = ["find_refilled", "find_shared", "find_written", "may_write"]

GETITEM = Prim("getitem")
ARRAYS = frozenset([*HOLDING, *WITH_AXES])


def find_shared(
    program: Program, facts: Facts, alone: bool, local: Collection[str] = ()
) -> tuple[set[str], set[str]]:
    """Arrays met by a dispatched statement, come in or gone out, or views of such; indexed arrays.

    ``alone``: nobody else has those that come in or go out; nor those in ``local`` that go out.
    """
    arrays = _arrays(facts)
    shared = _met(program, arrays, facts)
    indexed = {
        str(node.args[0])
        for node in outline(program).calls_of("getitem")
        if facts.treatment.get(id(node)) == "inline"
    }
    for walk in facts.walks.values() if arrays else ():
        walked = [str(leaf.source) for leaf in walk.leaves]
        indexed.update([name for name in walked if holds_memory(facts.kind_of(name))])
    if arrays and not alone:
        returned = returned_names(program.body).difference(local)
        outside = {param.name for param in program.params} | returned
        shared |= arrays & outside
    return _with_views(shared, _views(program, arrays, facts)), indexed


def find_written(program: Program, facts: Facts) -> set[str]:
    """Arrays that somebody else may write while the program runs: met by a dispatched statement,
    or held by what is of unknown kind.
    """
    arrays = _arrays(facts)
    held = {name for name in arrays if holds_memory(facts.kind[name])}
    found = _met(program, arrays, facts) & held
    for node in outline(program).calls if held else ():
        if facts.treatment.get(id(node)) == "plain" and _may_hold(node, facts):
            found |= held.intersection(node.read)
    return _with_views(found, _views(program, arrays, facts))


def find_refilled(program: Program, facts: Facts) -> set[str]:
    """Arrays of ints into which what carries a derivative may be written: by a dispatched statement
    (``a = np.arange(3); a[0] = n``), or under an unknown name that it gives them.
    """
    counts = {name for name, kind in facts.kind.items() if kind.tag == "counts"}
    if not counts:
        return counts
    found: set[str] = set()
    for node in outline(program).calls:
        if facts.treatment.get(id(node)) != "dispatch" or not may_write(node):
            continue
        met = {*node.read, *node.bound}
        if not counts.isdisjoint(node.read) and not met.isdisjoint(facts.active):
            found |= counts.intersection(node.read)
    return _with_views(found, _views(program, _arrays(facts), facts)) & counts


def may_write(node: Call) -> bool:
    """May it, at run time, write to an operand? An operation or a subscript writes to none."""
    return not isinstance(node.fn, Prim) or node.fn.name not in READING


READING = frozenset(["getitem", "slice", *BINARY, *UNARY, *COMPARE])


KEEP_NO_HOLD = (Prim("format"), Prim("join"), Prim("forget"), Prim("setitem"))


def _arrays(facts: Facts) -> set[str]:
    return {name for name, kind in facts.kind.items() if kind.tag in ARRAYS}


def _may_hold(node: Call, facts: Facts) -> bool:
    """Is the result something that may hold an operand?"""
    if node.fn in KEEP_NO_HOLD:
        return False
    return not isinstance(node.target, str) or facts.kind_of(node.target) == UNKNOWN


def _met(program: Program, arrays: set[str], facts: Facts) -> set[str]:
    """Arrays that a dispatched statement reads or makes, that go on under a name of unknown kind,
    or of which a loop has the items as such.
    """
    found: set[str] = set()
    for node in outline(program).nodes if arrays else ():
        if type(node) is Call:
            if facts.treatment.get(id(node)) == "dispatch":
                found.update(arrays.intersection((*node.read, *node.bound)))
        elif type(node) is Bind:
            if node.target not in arrays:
                found.update(arrays.intersection(node.read))
        elif type(node) is Loop and facts.kind_of(str(node.target)) == UNKNOWN:
            found.update(arrays.intersection(node.read))
    return found


def _views(program: Program, arrays: set[str], facts: Facts) -> list[tuple[str, str]]:
    """Pairs of names of arrays that may share memory."""
    found: list[tuple[object, object]] = []
    for node in outline(program).nodes if arrays else ():
        if type(node) is Bind:
            found.append((node.target, node.source))
        elif type(node) is Loop and id(node) in facts.walks:
            found += [(leaf.name, leaf.source) for leaf in facts.walks[id(node)].leaves]
        elif type(node) is Call and node.fn is GETITEM:
            if not makes_copy(facts.kind_of(str(node.args[1]))):
                found.append((node.target, node.args[0]))
        elif type(node) is Call and id(node) in facts.views:
            found += [(node.target, name) for name in facts.views[id(node)]]
    return [
        (a, b)
        for a, b in found
        if isinstance(a, str) and isinstance(b, str) and a in arrays and b in arrays
    ]


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
