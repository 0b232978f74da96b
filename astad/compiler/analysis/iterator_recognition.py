"""Loops that go through lists, arrays and ranges item by item, alone or beside each other.

``for i, (x, y) in enumerate(zip(xs, ys))`` is one walk with three leaves: a count, an item of xs
and one of ys. The calls that make the iterable, and the statements that take its items apart, are
part of the loop.

Arrays taken apart into names: ``x, y = v`` is three statements that are one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import INT, NOTHING, RANGE, UNKNOWN, Kind, Listing
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
    Target,
    immutable,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import blocks, bound_inside
from astad.slotted import dataclass

__all__ = [
    "Leaf",
    "Unpacking",
    "WALK",
    "Walk",
    "find_shared_walks",
    "find_unpackings",
    "find_walks",
    "walked_by",
]

# --- arrays taken apart into names


UNPACK, GETITEM = Prim("unpack"), Prim("getitem")


@immutable
class Unpacking:
    """``t = unpack(v, 2)`` and the statements right after it that bind a name to each part."""

    whole: Call
    targets: tuple[str, ...]
    parts: tuple[Call, ...] = ()


def find_unpackings(program: Program) -> dict[int, Unpacking]:
    """By ``id`` of each of their statements."""
    found: dict[int, Unpacking] = {}
    text = outline(program)
    if not text.calls_of("unpack"):
        return found
    around = [node for node in text.nodes if type(node) in COMPOUND]
    for block in (program.body, *(part for node in around for part in blocks(node))):
        for at, node in enumerate(block):
            if type(node) is not Call or node.fn is not UNPACK:
                continue
            parts = _parts(node, block, at, text.read)
            if parts is not None:
                whole = Unpacking(node, tuple(str(part.target) for part in parts), tuple(parts))
                found.update((id(part), whole) for part in (node, *parts))
    return found


def _parts(node: Call, block: Block, at: int, read: Mapping[str, int]) -> list[Call] | None:
    count = node.args[1].value if isinstance(node.args[1], Const) else None
    if not isinstance(count, int) or node.args[2] != Const(None) or read[str(node.target)] != count:
        return None
    following = block[at + 1 : at + 1 + count]
    parts = [part for number, part in enumerate(following) if _is_part(part, node, number)]
    return parts if len(parts) == count else None  # type: ignore[return-value]


def _is_part(part: Node, node: Call, number: int) -> bool:
    return (
        isinstance(part, Call)
        and part.fn is GETITEM
        and part.args == (node.target, Const(number))
        and isinstance(part.target, str)
        and part.target not in (node.target, *node.args)
    )


WALK = Kind("walk")
"""Of an iterator that one loop alone goes through, and of its items."""
KindOf = Callable[[Operand | Star], Kind]


@immutable
class Leaf:
    """A name that the loop binds to an item of ``source``, from its end where ``backwards``; to a
    count where there is no source.
    """

    name: str
    source: Operand | None
    backwards: bool = False


@immutable
class Walk:
    """``parts`` are the statements of the body that belong to the loop, with the place of the leaf
    that each binds, or -1; ``calls`` those before it.
    """

    loop: Loop
    targets: Target
    leaves: tuple[Leaf, ...]
    calls: tuple[Call, ...] = ()
    parts: tuple[tuple[Call, int], ...] = ()

    @property
    def sources(self) -> list[Operand]:
        return [leaf.source for leaf in self.leaves if leaf.source is not None]

    def fits(self, kind_of: KindOf) -> bool:
        """Is every source a list of numbers, an array of known rank or a range?"""
        return all(
            leaf.source is None or _fits(kind_of(leaf.source), leaf.backwards)
            for leaf in self.leaves
        )

    def item_kind(self, kind_of: KindOf) -> Kind:
        """Of what each iteration gets."""
        whole = kind_of(self.loop.iterable)
        if whole != WALK:
            return _element_kind(whole)
        return self.kind(self.leaves[0], kind_of) if isinstance(self.targets, str) else WALK

    def kind(self, leaf: Leaf, kind_of: KindOf) -> Kind:
        return INT if leaf.source is None else _element_kind(kind_of(leaf.source))


def _fits(kind: Kind, backwards: bool) -> bool:
    if isinstance(kind, Listing) or kind in (RANGE, NOTHING):
        return True
    return (k.is_array(kind) and bool(kind.rank) and not backwards) or kind == k.counts(1)


def _element_kind(kind: Kind) -> Kind:
    """Kind of an item of what a loop goes through."""
    if isinstance(kind, Listing):
        return kind.item
    if k.is_array(kind) and kind.rank:
        return k.array(kind.rank - 1) if kind.rank > 1 else k.FLOATING
    if kind == k.counts(1):
        return k.COUNT
    return {"range": INT, "shape": INT, "nothing": NOTHING}.get(kind.tag, UNKNOWN)


def find_walks(
    program: Program, known: Mapping[str, object], unpackings: Mapping[int, Unpacking]
) -> list[Walk]:
    """One for each loop; for one over anything else than zip, enumerate or reversed of what may be
    walked, the iterable is the one source.
    """
    text = outline(program)
    if Loop not in text.sorts:
        return []
    finder = _Finder(program, known, unpackings)
    found: list[Walk] = []
    around = [node for node in text.nodes if type(node) in COMPOUND]
    for block in (program.body, *(part for node in around for part in blocks(node))):
        for at, node in enumerate(block):
            if type(node) is Loop:
                found.append(finder.walk_of(node, block[:at]))
    return found


def find_shared_walks(
    walks: Mapping[int, Walk], kinds: Mapping[str, Kind], shared: Set[str], written: Set[str]
) -> set[int]:
    """Loops, by ``id``, over arrays in which somebody else has a part, if more than one thing or
    an array comes of it, which might be ``written``.
    """
    found: set[int] = set()
    for at, each in walks.items():
        rows = {leaf.name for leaf in each.leaves if k.is_array(kinds.get(leaf.name, UNKNOWN))}
        is_shared = not shared.isdisjoint(str(leaf.source) for leaf in each.leaves)
        if rows & written or (is_shared and (rows or each.calls)):
            found.add(at)
    return found


def walked_by(walks: Sequence[Walk]) -> dict[int, tuple[Walk, int | None]]:
    """By ``id`` of the statements that belong to a loop, besides it: the leaf's place."""
    found: dict[int, tuple[Walk, int | None]] = {}
    for each in walks:
        found.update((id(call), (each, None)) for call in each.calls)
        found.update((id(part), (each, place)) for part, place in each.parts)
    return found


@dataclass(slots=True)
class _Opened:
    leaves: list[Leaf]
    calls: list[Call]
    parts: list[tuple[Call, int]]


class _Finder:
    def __init__(
        self, program: Program, known: Mapping[str, object], unpackings: Mapping[int, Unpacking]
    ) -> None:
        self.known = known
        self.unpackings = unpackings
        self.once = outline(program).once
        self.read = outline(program).read

    def walk_of(self, node: Loop, before: Block) -> Walk:
        plain = Walk(node, node.target, (Leaf(str(node.target), node.iterable),))
        made: dict[object, Call] = {part.target: part for part in before if isinstance(part, Call)}
        opened = _Opened([], [], [])
        targets = self._open(node.iterable, node.target, node.body, made, opened)
        if targets is None or not opened.calls or not _are_last(opened.calls, before):
            return plain
        rebound = bound_inside(*node.body)
        if any(leaf.source in rebound for leaf in opened.leaves):
            return plain  # the name does not stand for what is gone through
        return Walk(node, targets, tuple(opened.leaves), tuple(opened.calls), tuple(opened.parts))

    def _open(
        self,
        iterable: Operand,
        target: Target,
        body: Block,
        made: Mapping[object, Call],
        opened: _Opened,
    ) -> Target | None:
        """The targets for the items of an iterable; None where it is no walk."""
        call = self._call(iterable, made)
        if call is None:
            opened.leaves.append(Leaf(str(target), iterable))
            return target
        opened.calls.append(call)
        known = self.known[str(call.fn)]
        if known is reversed:
            opened.leaves.append(Leaf(str(target), _plain(call.args[0]), backwards=True))
            return target
        unpacking = self._unpacking(target, body)
        count = 2 if known is enumerate else len(call.args)
        if unpacking is None or len(unpacking.targets) != count:
            return None
        opened.parts.append((unpacking.whole, -1))
        names = unpacking.targets
        sources: list[Operand | None] = [_plain(arg) for arg in call.args]
        if known is enumerate:
            sources = [None, sources[0]]
        found: list[Target] = []
        for name, source, part in zip(names, sources, unpacking.parts, strict=True):
            place = len(opened.leaves)
            if source is None:
                opened.leaves.append(Leaf(name, None))
                inner: Target | None = name
            else:
                inner = self._open(source, name, body, made, opened)
            if inner is None:
                return None
            opened.parts.append((part, place if inner == name else -1))
            found.append(inner)
        return tuple(found)

    def _call(self, iterable: Operand, made: Mapping[object, Call]) -> Call | None:
        """The call that makes an iterator which nobody else has."""
        call = made.get(iterable)
        if call is None or iterable not in self.once or self.read[str(iterable)] != 1:
            return None
        known = self.known.get(str(call.fn))
        if known not in (zip, enumerate, reversed) or not call.args:
            return None
        if any(known is not zip or not isinstance(value, Const) for _, value in call.keywords):
            return None  # ``strict=True`` raises before anything goes back
        if len(call.args) > 1 and known is reversed or len(call.args) > 2 and known is enumerate:
            return None
        return call

    def _unpacking(self, target: Target, body: Block) -> Unpacking | None:
        """The statement that takes an item apart, at the head of the body; nobody else reads it."""
        if self.read[str(target)] != 1 or target not in self.once:
            return None
        for node in body:
            whole = self.unpackings.get(id(node))
            if whole is None or whole.whole.args[0] == target:
                return whole
        return None


def _are_last(calls: Sequence[Call], before: Block) -> bool:
    """Is nothing done between these calls and the loop? Their operands are still what they were."""
    ids = {id(call) for call in calls}
    read = set[str]()
    for node in before:
        if id(node) in ids:
            read.update(node.read)
        elif read and not (_is_idle(node) and read.isdisjoint(node.bound)):
            return False
    return True


def _is_idle(node: Node) -> bool:
    """Does it bind a name to what nothing can change by then?"""
    if type(node) is Bind:
        return type(node.source) is Const
    return type(node) is Call and node.fn in IDLE


IDLE = (Prim("global"), Prim("leave_if_empty"), Prim("list"))
"""The list is that of a comprehension."""


def _plain(arg: Operand | Star) -> Operand:
    assert not isinstance(arg, Star)
    return arg
