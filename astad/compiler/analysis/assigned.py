"""Is every name bound before it is read, whatever way is taken?

>>> from astad.compiler.lower.function import program_of
>>> binds_before_it_reads(program_of('''
...     if x > 0.0:
...         y = x
...     else:
...         y = -x
...     return y
... '''))
True
>>> binds_before_it_reads(program_of('''
...     for w in ws:
...         y = w
...     return y
... '''))
False
"""

from __future__ import annotations

from collections.abc import Set

from astad.compiler.ir.nodes import Block, Branch, Call, Exit, Loop, Prim, Program, Raise, While
from astad.compiler.ir.walk import binds, blocks, reads

__all__ = ["binds_before_it_reads", "find_exposed"]


def binds_before_it_reads(program: Program, names: Set[str] | None = None) -> bool:
    """Of all names, or of these."""
    bound = {param.name for param in program.params} | {cell for _, cell in program.free}
    try:
        _after(program.body, bound, names)
    except _Unbound:
        return False
    return True


class _Unbound(Exception):
    """A name might be read before it is bound."""


def _after(block: Block, bound: set[str], names: Set[str] | None) -> set[str] | None:
    """The names that are bound behind the block; None where its end is not reached."""
    for node in block:
        if type(node) is not While and any(
            read not in bound and (names is None or read in names) for read in reads(node)
        ):
            raise _Unbound
        if isinstance(node, Exit | Raise):
            return None
        if isinstance(node, Branch):
            arms = [_after(arm, set(bound), names) for arm in (node.body, node.orelse)]
            ends = [found for found in arms if found is not None]
            if not ends:
                return None
            bound = set.intersection(*ends)
        elif isinstance(node, Loop):
            _after(node.body, {*bound, *binds(node)}, names)
            _after(node.orelse, set(bound), names)
        elif isinstance(node, While):
            _repeated(node, bound, names)
        elif isinstance(node, Call) and node.fn == Prim("forget"):
            bound = bound - {*binds(node)}
        else:
            bound = {*bound, *binds(node)}
    return bound


def _repeated(node: While, bound: set[str], names: Set[str] | None) -> None:
    """Adds to ``bound`` what the head binds, which runs in any case."""
    bound |= _after(node.head, set(bound), names) or set()
    if any(read not in bound and (names is None or read in names) for read in reads(node)):
        raise _Unbound
    _after(node.body, set(bound), names)
    _after(node.orelse, set(bound), names)


def find_exposed(block: Block, bound: set[str], found: set[str]) -> None:
    """Names read before they are bound; ``bound`` grows by what is bound for certain."""
    for node in block:
        found.update(name for name in reads(node) if name not in bound)
        if isinstance(node, Branch):
            arms = [set(bound), set(bound)]
            for arm, part in zip(arms, blocks(node), strict=True):
                find_exposed(part, arm, found)
            bound |= arms[0] & arms[1]
        elif isinstance(node, Loop | While):
            for part in blocks(node):
                find_exposed(part, {*bound, *binds(node)}, found)
        else:
            bound.update(binds(node))
