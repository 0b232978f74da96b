"""Drop copies: a name of ours that only hands another value on is replaced by it.

``t_bar = y_bar; x_bar = t_bar * c`` becomes ``x_bar = y_bar * c``. Names of the user's stay.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Bind, Block, Call, Node, Prim
from astad.compiler.ir.prims import WRITES
from astad.compiler.ir.walk import (
    binds,
    blocks,
    called_anew,
    reads,
    renamed,
    walk,
    with_blocks,
)

__all__ = ["drop_copies"]


def drop_copies(derived: Derived) -> Derived:
    """In every generated function, names of the user's left alone."""
    return replace(
        derived,
        functions=tuple(replace(f, body=_clean(f.body, derived)) for f in derived.functions),
    )


def _clean(body: Block, derived: Derived) -> Block:
    if not any(type(node) is Bind for node in walk(body)):
        return body
    bound, read = _counts(body)
    called = _better_names(body, bound, derived)
    if called:
        body = tuple(called_anew(node, called) for node in body)
        bound, read = _counts(body)
    return _block(body, bound, read, derived)


def _better_names(body: Block, bound: Counter[str], derived: Derived) -> dict[str, str]:
    """Of temporaries that become a cotangent: ``t_1 = a * b; y_bar = t_1`` is ``y_bar = a * b``."""
    found: dict[str, str] = {}
    numbers = derived.numbers
    made = {node.target for node in body if type(node) is Call and node.target in numbers}
    for node in body:
        if type(node) is Bind and node.target in numbers and node.source in numbers:
            source, target = str(node.source), node.target
            is_ours = not {source, target} & derived.taken and bound[source] == bound[target] == 1
            better = target.endswith("_bar") and not source.endswith("_bar")
            if source in made and source not in found and is_ours and better:
                found[source] = target
        for block in blocks(node):
            found |= _better_names(block, bound, derived)
    return found


def _counts(body: Iterable[Node]) -> tuple[Counter[str], Counter[str]]:
    """How often each name is bound and read."""
    bound: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for node in walk(body):
        for name in binds(node):
            bound[name] += 1
        for name in reads(node):
            read[name] += 1
        for name in _changed_in_place(node):
            bound[name] += 2  # never under two names
    return bound, read


def _changed_in_place(node: Node) -> tuple[str, ...]:
    if type(node) is Call and type(node.fn) is Prim and node.fn.name in WRITES:
        return (str(node.args[0]),)
    return ()


class _Places:
    """Where in a block the names of its copies are read and bound: indices of its statements.

    What stands inside a statement counts as its own.
    """

    def __init__(self, body: Block) -> None:
        copies = [node for node in body if type(node) is Bind and isinstance(node.source, str)]
        self.reads: dict[str, list[int]] = {node.target: [] for node in copies}
        self.binds: dict[str, list[int]] = {str(node.source): [] for node in copies}
        self.compound = {at for at, node in enumerate(body) if blocks(node)}
        for at, part in [(at, part) for at, node in enumerate(body) for part in walk((node,))]:
            for name in reads(part):
                if name in self.reads:
                    self.reads[name].append(at)
            for name in (*binds(part), *_changed_in_place(part)):
                if name in self.binds:
                    self.binds[name].append(at)

    def may_stand(self, source: str, target: str, at: int) -> bool:
        """Does the source keep its value from the copy at this place to the target's last read?"""
        last = (self.reads[target] or [at])[-1]
        bound = self.binds[source]
        following = bisect.bisect_right(bound, at)
        if following == len(bound) or bound[following] > last:
            return True
        return bound[following] == last and last not in self.compound


def _block(body: Block, bound: Counter[str], read: Counter[str], derived: Derived) -> Block:
    """A copy goes when all its reads come in the same block before its source is bound again."""
    if not any(type(node) is Bind or blocks(node) for node in body):
        return body
    places = _Places(body)
    stands: dict[str, str] = {}
    out: list[Node] = []
    for at, node in enumerate(body):
        if type(node) is Bind and node.source == node.target:
            continue
        if type(node) is Bind and isinstance(node.source, str):
            target, source = node.target, stands.get(node.source, node.source)
            is_all_here = len(places.reads.get(str(target), ())) == read[str(target)]
            is_copy = is_all_here and _is_copy(node, source, bound, derived)
            if is_copy and places.may_stand(source, target, at):
                stands[target] = source
                continue
        if stands and (blocks(node) or not stands.keys().isdisjoint(reads(node))):
            node = renamed(node, stands)
        out.append(with_blocks(node, lambda block: _block(block, bound, read, derived)))
    return tuple(out)


def _is_copy(node: Bind, source: str, bound: Counter[str], derived: Derived) -> bool:
    """A number of ours, bound once; or a cotangent bound once, from another one of ours.

    Names of the user's are left alone.
    """
    target, taken = node.target, derived.taken
    if not isinstance(target, str) or target in taken or bound[target] != 1:
        return False
    if target in derived.numbers and source in derived.numbers:
        return True
    return target.endswith("_bar") and "_bar" in source and source not in taken
