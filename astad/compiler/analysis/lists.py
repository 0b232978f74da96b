"""Lists of numbers, of any length: which of them are met by nothing but operations whose reverse is
written out.

Such a list comes in as an argument, and is read, or is made in the function: by a display, a
comprehension, a slice, a product with an int. Its cotangent is a list as long as the list is at
that point. Any other operation on it, and any second name that would see a write, makes it a value
of unknown kind.

Names of lists of numbers: which of them are bound, written and handed on so that one cotangent
under one name is enough.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Collection, Mapping
from typing import Protocol, TypeGuard

import numpy as np

from astad.compiler.analysis.callees import Callee, Known
from astad.compiler.analysis.displays import makes_array_of_list
from astad.compiler.analysis.iterator_recognition import WALK, Unpacking, Walk
from astad.compiler.analysis.structure import Structure, study
from astad.compiler.ir import kinds as k
from astad.compiler.ir.flow import live_behind, may_be_unbound
from astad.compiler.ir.kinds import INT, NOTHING, UNKNOWN, Kind, Listing, Row
from astad.compiler.ir.nodes import (
    Bind,
    Branch,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
    While,
    walk,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import COMPARE
from astad.compiler.ir.walk import walk as inside
from astad.slotted import dataclass, field

__all__ = ["Lists", "Treated", "find_refused_lists", "has_lists", "is_append"]

HARMLESS = (*COMPARE, "not_", "contains", "not_contains", "format", "leave_if_empty")
"""Operations that read a list and keep no hold of it."""
SLICE = k.index(1, 1)
COUNTS = (len, bisect.bisect_left, bisect.bisect_right)
"""Functions of a list that carry no derivative."""
READERS = (
    *COUNTS,
    max,
    min,
    sum,
    math.fsum,
    list,
    tuple,
    np.array,
    np.asarray,
    np.asanyarray,
    np.sum,
    np.mean,
)


@dataclass(frozen=True, slots=True)
class Treated:
    """How an operation on lists is treated, and what is then known of a name, and of the list
    ``over`` it of which it is a row.
    """

    treatment: str
    name: str
    kind: Kind
    active: bool
    over: str = ""


APPENDS = (Prim("list_append"), Prim("value_append"))


def is_append(node: Node) -> TypeGuard[Call]:
    """Does it put one value at the end of a list, and give nothing?"""
    if not isinstance(node, Call) or node.target is not None:
        return False
    is_method = node.fn == Prim("method") and node.args[1] == Const("append")
    return node.fn in APPENDS or (is_method and len(node.args) == 3)


def has_lists(program: Program, params: Mapping[str, Kind]) -> bool:
    """Can there be any list of numbers, or a loop over several things at once?"""
    if any(map(k.is_listing, params.values())):
        return True
    if params and all(kind == UNKNOWN for kind in params.values()):
        return False  # of what comes in nothing is known
    found = outline(program)
    return bool(found.calls_of("list")) or Loop in found.sorts


class Knows(Protocol):
    """What is known so far: `analysis/facts.py`."""

    kind: dict[str, Kind]
    known: dict[str, object]
    path: dict[str, str]
    callees: dict[int, Callee]
    unpackings: dict[int, Unpacking]

    def kind_of(self, operand: Operand | Star) -> Kind: ...

    def is_active(self, operand: Operand | Star) -> bool: ...


@dataclass(slots=True)
class Lists:
    """Decides for each statement whether it is an operation on a list of numbers.

    ``refused`` are names that stand for values of unknown kind, ``special`` displays that other
    rules know, ``walked`` by ``id`` statements that belong to a loop, with the place of the leaf
    that they bind, None for a call before it. Loops ``barred`` go through anything. ``over`` has
    for the names of rows the lists that they are read from; ``tuples`` are those that only become
    rows.
    """

    facts: Knows
    assume: Callable[[str], object]
    params: Collection[str]
    refused: Collection[str]
    special: Collection[str]
    walked: Mapping[int, tuple[Walk, int | None]]
    barred: Collection[int] = ()
    over: Mapping[str, str] = field(default_factory=dict)
    tuples: Collection[str] = ()

    def treat(self, node: Call) -> Treated | None:
        """None for what is none, or none that can be written out."""
        if isinstance(node.target, str) and self._stands_for_anything(node.target):
            return None
        if id(node) in self.walked:
            if any(
                self._stands_for_anything(leaf.name) for leaf in self.walked[id(node)][0].leaves
            ):
                return None
            return self._of_walk(node, *self.walked[id(node)])
        if isinstance(node.fn, Prim):
            return self._of_prim(node, node.fn.name)
        met = (
            bool(node.args) and not node.keywords and k.is_listing(self.facts.kind_of(node.args[0]))
        )
        return self._of_function(node) if met else None

    def _stands_for_anything(self, name: str) -> bool:
        """Somewhere else in the text."""
        return name in self.refused or self.facts.kind.get(name) == UNKNOWN

    def lost(self, node: Node) -> list[str]:
        """Lists that a statement reads which no rule of theirs knows: they may go anywhere."""
        names = [name for name in node.read if k.is_listing(self.facts.kind_of(name))]
        if not names or isinstance(node, (Loop, Branch, While)):
            return []
        if isinstance(node, Bind):
            return [] if k.is_listing(self.facts.kind_of(node.target)) else names
        if isinstance(node, Call):
            is_harmless = isinstance(node.fn, Prim) and node.fn.name in HARMLESS
            is_harmless = is_harmless or id(node) in self.facts.callees  # they read it
            return [] if is_harmless or self.treat(node) is not None else names
        return names

    def _of_walk(self, node: Call, walk: Walk, place: int | None) -> Treated | None:
        """A call that makes an iterator, or a statement that takes its items apart."""
        kind_of = self.facts.kind_of
        if not walk.fits(kind_of) or not isinstance(node.target, str):
            return None
        if id(walk.loop) in self.barred or self._grows_behind(walk):
            return None
        if place is None:
            assert isinstance(node.fn, str)
            self.assume(self.facts.path[node.fn])
            return Treated("plain", node.target, WALK, active=False)
        if place < 0:
            return Treated("merged", node.target, WALK, active=False)
        leaf = walk.leaves[place]
        active = leaf.source is not None and self.facts.is_active(leaf.source)
        return Treated("merged", leaf.name, walk.kind(leaf, kind_of), active)

    def _grows_behind(self, walk: Walk) -> bool:
        """Does a list grow that is gone through backwards? Places are counted from its end."""
        sources = {str(leaf.source) for leaf in walk.leaves if leaf.backwards}
        if not sources:
            return False
        rows = not sources.isdisjoint(self.over)  # a row may have a second name
        grown = [str(node.args[0]) for node in inside(walk.loop.body) if is_append(node)]
        return any(name in sources or (rows and name in self.over) for name in grown)

    def _of_prim(self, node: Call, name: str) -> Treated | None:
        if name == "list" or (name == "tuple" and node.target in self.tuples):
            return self._display(node)
        if not node.args:
            return None
        kinds = [self.facts.kind_of(arg) for arg in node.args]
        if is_append(node):
            return self._stored(node, node.args[-1])
        if name == "setitem" and kinds[1] == INT:
            return self._stored(node, node.args[2])
        if name == "getitem" and isinstance(kinds[0], Listing):
            if kinds[1] == INT:
                return self._result(node, _item(kinds[0], node.args[1]))
            return self._result(node, _plain(kinds[0])) if kinds[1] == SLICE else None
        if name == "method" and kinds[0] == k.array(1) and node.args[1:] == (Const("tolist"),):
            return self._result(node, Listing("listed", item=k.FLOAT))
        if name == "method" and kinds[0].tag == "listed" and node.args[1:] == (Const("copy"),):
            return None if k.has_rows(kinds[0]) else self._result(node, kinds[0])
        if name == "unpack" or (name == "getitem" and id(node) in self.facts.unpackings):
            return self._unpacked(node)
        if name in ("add", "mul") and any(map(k.is_listing, kinds)):
            return self._combined(node, name, kinds)
        return None

    def _display(self, node: Call) -> Treated | None:
        if not isinstance(node.target, str) or node.target in self.special:
            return None
        item, kinds = NOTHING, tuple(map(self.facts.kind_of, node.args))
        for kind in kinds:
            if not _may_be_item(kind):
                return None
            item = k.join(item, kind)
        if node.fn == Prim("list"):
            return self._result(node, Listing("listed", item=item))
        if not all(map(k.is_real, kinds)):
            return None
        return self._result(node, Row(kinds))

    def _stored(self, node: Call, value: Operand | Star) -> Treated | None:
        """What is written into a list of the function's own raises the kind of all items."""
        name, kind = str(node.args[0]), self.facts.kind_of(value)
        whole = self.facts.kind_of(name)
        if name in self.params or not isinstance(whole, Listing) or whole.tag != "listed":
            return None
        if not (_may_be_item(kind) if is_append(node) else k.is_real(kind) or kind == NOTHING):
            return None
        active = self.facts.is_active(name) or self.facts.is_active(value)
        joined = Listing("listed", item=k.join(whole.item, kind))
        over = self.over.get(name, "")
        return Treated("inline" if active else "plain", name, joined, active, over)

    def _unpacked(self, node: Call) -> Treated | None:
        """``i, j = row``: the parts belong to the statement as a whole."""
        unpacking = self.facts.unpackings.get(id(node))
        source = unpacking.whole.args[0] if unpacking is not None else None
        kind = self.facts.kind_of(source) if source is not None else UNKNOWN
        if unpacking is None or not isinstance(kind, Listing) or not isinstance(node.target, str):
            return None
        if isinstance(kind, Row) and len(kind.parts) != len(unpacking.targets):
            return None
        if UNKNOWN in map(self.facts.kind.get, unpacking.targets):
            return None  # elsewhere one of the names stands for anything
        active = source is not None and self.facts.is_active(source)
        if node is unpacking.whole:
            return Treated("inline" if active else "plain", node.target, k.INERT, active=False)
        part = _item(kind, node.args[1])
        return None if part == UNKNOWN else Treated("merged", node.target, part, active)

    def _combined(self, node: Call, name: str, kinds: list[Kind]) -> Treated | None:
        """``[0.0] * n`` or ``n * [0.0]``; ``xs + ys``."""
        if any(map(k.has_rows, kinds)):
            return None
        if name == "add":
            joined = k.join(*map(_plain, kinds))
            return self._result(node, joined) if all(map(k.is_listing, kinds)) else None
        whole = next(_plain(kind) for kind in kinds if k.is_listing(kind))
        return self._result(node, whole) if INT in kinds else None

    def _of_function(self, node: Call) -> Treated | None:
        known = self.facts.known.get(node.fn) if isinstance(node.fn, str) else None
        kind = self.facts.kind_of(node.args[0])
        assert isinstance(kind, Listing)
        found = _kind_of_result(known, kind, [self.facts.kind_of(arg) for arg in node.args[1:]])
        if found is None or not isinstance(node.fn, str):
            return None
        self.assume(self.facts.path[node.fn])
        return self._result(node, found, carries=known not in COUNTS)

    def _result(self, node: Call, kind: Kind, *, carries: bool = True) -> Treated | None:
        """Of an operation that reads lists."""
        if not isinstance(node.target, str) or kind == UNKNOWN:
            return None
        active = carries and any(map(self.facts.is_active, node.args))
        return Treated("inline" if active else "plain", node.target, kind, active)


def _plain(kind: Kind) -> Kind:
    """A listing of any length."""
    return Listing(kind.tag, item=kind.item) if isinstance(kind, Row) else kind


def _item(kind: Listing, index: Operand | Star) -> Kind:
    """Of one item; of a tuple of known length that at a known place."""
    at = index.value if isinstance(index, Const) else None
    if isinstance(kind, Row) and type(at) is int and -len(kind.parts) <= at < len(kind.parts):
        return kind.parts[at]
    return kind.item


def _may_be_item(kind: Kind) -> bool:
    """A number, or a row of numbers."""
    return k.is_real(kind) or kind == NOTHING or (k.is_listing(kind) and not k.has_rows(kind))


def _kind_of_result(known: object, kind: Listing, others: list[Kind]) -> Kind | None:
    if known is len and not others:
        return INT
    if k.has_rows(kind):
        return None
    if kind.item == NOTHING:
        return NOTHING if known in READERS else None
    if known in COUNTS and known is not len and others and all(map(k.is_real, others)):
        return INT
    if known in (max, min) and not others:
        return kind.item
    if known in (np.sum, np.mean) and not others:
        return k.FLOATING if k.is_floating(kind.item) else None
    if known is math.fsum and not others:
        return k.FLOAT
    if known is sum and len(others) < 2 and all(map(k.is_real, others)):
        start = others[0] if others else INT  # the sum of no items is the int 0
        return k.join(start, k.arithmetic("add", [start, kind.item]))
    if known in (list, tuple) and not others:
        return Listing("listed" if known is list else "tupled", item=kind.item)
    if makes_array_of_list(known) and not others and k.is_floating(kind.item):
        return k.array(1)
    return None


# --- names of lists


def find_refused_lists(
    program: Program,
    kinds: Mapping[str, Kind],
    callees: Collection[Known] = (),
    data: Collection[str] = (),
) -> set[str]:
    """Names of lists that are read where they may not be bound, or that are written while another
    name, or a loop, reads the same list; and of those that stay empty but are asked for more.
    """
    names = {name for name, kind in kinds.items() if k.is_listing(kind)}
    if not names:
        return set()
    return _Study(program, names, data).refused() | _asked_though_empty(program, kinds, callees)


def _asked_though_empty(
    program: Program, kinds: Mapping[str, Kind], callees: Collection[Known]
) -> set[str]:
    """Lists into which nothing is ever put, and of which a call makes something that is not known
    either. While more may be known of a callee, none.
    """
    empty = {
        name for name, kind in kinds.items() if isinstance(kind, Listing) and kind.item == NOTHING
    }
    if any(callee.kind == NOTHING for callee in callees):
        return set()
    found: set[str] = set()
    for node in walk(program.body):
        if isinstance(node, Call) and kinds.get(str(node.target)) == NOTHING:
            found |= empty.intersection(node.read)
    return found


class _Study:
    def __init__(self, program: Program, names: set[str], data: Collection[str]) -> None:
        self.given = {*data, *(param.name for param in program.params)}
        self.names = names
        self.program = program
        self.structure: Structure = study(program)
        moves = [node for node in outline(program).nodes if type(node) is Bind]
        self.live = live_behind(program.body, [node for node in moves if node.source in names])
        self.written: dict[str, list[int]] = {}
        self.own: dict[str, list[int]] = {}
        for at, node in enumerate(self.structure.nodes):
            for name in names.intersection(node.read):
                if _writes(node, name):
                    self.written.setdefault(name, []).append(at)

    def refused(self) -> set[str]:
        found = self.names & may_be_unbound(self.program)
        params = self.given
        groups = self._groups()
        self._leave_out_private(params)
        for at, node in enumerate(self.structure.nodes):
            if isinstance(node, Bind) and node.source in self.names:
                group = groups[node.target]
                moves = node.source not in params and self._moves_on(str(node.source), at)
                if not moves and not self._is_settled(group, at):
                    found |= group
            elif isinstance(node, Loop) and node.iterable in self.names:
                group = groups[str(node.iterable)]
                places = self._writes_of(group) + self.own.get(str(node.iterable), [])
                places += [b.position for b in self.structure.bindings[str(node.iterable)]]
                if any(at in self.structure.loops[place] for place in places if place >= 0):
                    found |= group
        return found

    def _leave_out_private(self, params: set[str]) -> None:
        """What is written into a list before it has a second name, nobody else sees."""
        handed_on: set[str] = set(params)
        for at, node in enumerate(self.structure.nodes):
            if isinstance(node, Bind) and node.source in self.names:
                handed_on.add(node.target)
                if not self._moves_on(str(node.source), at):
                    handed_on.add(str(node.source))
        self.own = {name: at for name, at in self.written.items() if name not in handed_on}
        self.written = {name: at for name, at in self.written.items() if name in handed_on}

    def _groups(self) -> dict[str, set[str]]:
        """Names that may stand for one list, together."""
        found = {name: {name} for name in self.names}
        for node in self.structure.nodes:
            if isinstance(node, Bind) and node.source in self.names and node.target in found:
                joined = found[node.target] | found[str(node.source)]
                found.update((name, joined) for name in joined)
        return found

    def _writes_of(self, group: Collection[str]) -> list[int]:
        return [at for name in group for at in self.written.get(name, ())]

    def _moves_on(self, source: str, at: int) -> bool:
        """Does nobody read the list under its old name any more?"""
        return source not in self.live[id(self.structure.nodes[at])]

    def _is_settled(self, group: Collection[str], at: int) -> bool:
        """Is nothing written from here on?"""
        around = set(self.structure.loops[at])
        return all(
            place < at and around.isdisjoint(self.structure.loops[place])
            for place in self._writes_of(group)
        )


def _writes(node: Node, name: str) -> bool:
    if not isinstance(node, Call) or not node.args or node.args[0] != name:
        return False
    return is_append(node) or node.fn == Prim("setitem")
