"""Drop copies: a name of ours that only hands another value on is replaced by it.

``t_bar = y_bar; x_bar = t_bar * c`` becomes ``x_bar = y_bar * c``. Names of the user's stay.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Set

from astad.compiler.ir.dependence import written
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import COMPOUND, Bind, Block, Call, Node
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import WRITES
from astad.compiler.ir.walk import blocks, called_anew, kept, renamed, with_blocks

__all__ = ["drop_copies"]

Counts = Mapping[str, int]


def drop_copies(derived: Derived) -> Derived:
    """In every generated function, names of the user's left alone."""
    return derived.with_bodies(lambda function: _clean(function, derived))


def _clean(function: Function, derived: Derived) -> Block:
    if Bind not in outline(function).sorts:
        return function.body
    once = _once(function)
    called = _better_names(function.body, once, derived) if derived.numbers else {}
    if called:
        body = tuple([called_anew(node, called) for node in function.body])
        function = Function(function.name, function.params, body)
        once = _once(function)
    return _block(function.body, once, outline(function).read, derived)


def _once(function: Function) -> Set[str]:
    """Names that one statement binds; not what is changed in place: that never comes under two."""
    found = outline(function)
    return found.once.difference([str(written(call)) for call in found.calls_of(*WRITES)])


def _better_names(body: Block, once: Set[str], derived: Derived) -> dict[str, str]:
    """Of temporaries that become a cotangent: ``t_1 = a * b; y_bar = t_1`` is ``y_bar = a * b``."""
    found: dict[str, str] = {}
    numbers, taken = derived.numbers, derived.taken
    made: set[object] = set()
    for node in body:
        if type(node) is Call:
            made.add(node.target)
        elif type(node) is not Bind:
            for block in blocks(node):
                found |= _better_names(block, once, derived)
        elif node.source in made and node.source in numbers:
            source, target = str(node.source), node.target
            is_ours = source not in taken and target not in taken
            better = target.endswith("_bar") and not source.endswith("_bar")
            if source not in found and is_ours and better and source in once and target in once:
                found[source] = target
    return found


class _Places:
    """Where in a block the names of its copies are read and bound: indices of its statements.

    What stands inside a statement counts as its own.
    """

    def __init__(self, body: Block, copies: list[Bind]) -> None:
        self.reads: dict[str, list[int]] = {node.target: [] for node in copies}
        self.binds: dict[str, list[int]] = {str(node.source): [] for node in copies}
        self.compound: set[int] = set()
        for at, node in enumerate(body):
            self._note(node, at)
            if type(node) in COMPOUND:
                self.compound.add(at)
                for part in node.inside:
                    self._note(part, at)

    def _note(self, node: Node, at: int) -> None:
        for name in node.read:
            if name in self.reads:
                self.reads[name].append(at)
        for name in node.bound:
            if name in self.binds:
                self.binds[name].append(at)
        changed = written(node)
        if changed is not None and changed in self.binds:
            self.binds[changed].append(at)

    def may_stand(self, source: str, target: str, at: int) -> bool:
        """Does the source keep its value from the copy at this place to the target's last read?"""
        last = (self.reads[target] or [at])[-1]
        bound = self.binds[source]
        following = bisect.bisect_right(bound, at)
        if following == len(bound) or bound[following] > last:
            return True
        return bound[following] == last and last not in self.compound


def _block(body: Block, once: Set[str], read: Counts, derived: Derived) -> Block:
    """A copy goes when all its reads come in the same block before its source is bound again."""

    def inner(block: Block) -> Block:
        return _block(block, once, read, derived)

    copies = [node for node in body if type(node) is Bind and _may_go(node, once, derived)]
    if not copies:
        return kept(
            body, [with_blocks(node, inner) if type(node) in COMPOUND else node for node in body]
        )
    places = _Places(body, copies)
    stands: dict[str, str] = {}
    out: list[Node] = []
    for at, node in enumerate(body):
        if type(node) is Bind and node.source == node.target:
            continue
        if type(node) is Bind and isinstance(node.source, str):
            target, source = node.target, stands.get(node.source, node.source)
            is_all_here = len(places.reads.get(target, ())) == read.get(target, 0)
            asks = not places.reads.get(target) and _asks(node, derived)
            is_copy = is_all_here and not asks and _may_go(node, once, derived)
            is_copy = is_copy and _is_copy(target, source, derived)
            if is_copy and places.may_stand(source, target, at):
                stands[target] = source
                continue
        if stands and (at in places.compound or not stands.keys().isdisjoint(node.read)):
            node = renamed(node, stands)
        out.append(with_blocks(node, inner) if at in places.compound else node)
    return kept(body, out)


def _asks(node: Bind, derived: Derived) -> bool:
    """Does the user's text read a name for nothing but the error where it is not bound?"""
    return node.source in derived.taken and node.line != 0 and not is_reverse(node)


def _may_go(node: Bind, once: Set[str], derived: Derived) -> bool:
    """A number of ours, or a cotangent, bound once, to another of them; names of the user's are
    left alone.
    """
    target, source = node.target, node.source
    if source == target:
        return True
    if not isinstance(source, str) or target in derived.taken or target not in once:
        return False
    if "_bar" not in source and source not in derived.numbers:
        return False
    return target in derived.numbers or target.endswith("_bar")


def _is_copy(target: str, source: str, derived: Derived) -> bool:
    """From another number, or another cotangent of ours."""
    if target in derived.numbers and source in derived.numbers:
        return True
    return target.endswith("_bar") and "_bar" in source and source not in derived.taken
