"""What each statement is: its kind, whether it carries a derivative, and how it is differentiated.

A call is ``plain`` (nothing flows through it), ``inline`` (its rule's formula is written out),
``pair`` (of the user's function, whose pair is called by name) or ``dispatch`` (rule or source are
found at run time). Names of unknown kind always count as active; numbers and local arrays only
where an active operand reaches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from astad.compiler.analysis.call_strategy import Treatments, find_tuples
from astad.compiler.analysis.callees import Look, find_barred, find_buffered
from astad.compiler.analysis.displays import displays_joined, find_number_lists, names_of_shapes
from astad.compiler.analysis.element_aliases import find_rows, find_tuple_rows, over_rows
from astad.compiler.analysis.findings import Facts, kind_of_constant
from astad.compiler.analysis.iterator_recognition import (
    find_shared_walks,
    find_unpackings,
    find_walks,
    walked_by,
)
from astad.compiler.analysis.lists import Lists, find_refused_lists, has_lists
from astad.compiler.analysis.operations import of_argument
from astad.compiler.analysis.result_kinds import has_parts
from astad.compiler.analysis.shared import find_refilled, find_shared, find_written
from astad.compiler.analysis.space import Space, find_known, is_logger, reads_lists
from astad.compiler.analysis.structure import (
    SUBSCRIPTS,
    find_displays,
    find_pieces,
    read_otherwise_than_as_index,
)
from astad.compiler.analysis.writes import (
    Stores,
    find_augmented,
    find_writable,
    keep_order,
    study_writes,
)
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import DISPLAYED, INERT, LISTED, UNKNOWN, Kind
from astad.compiler.ir.nodes import Bind, Call, Loop, Prim, Program, Raise
from astad.compiler.ir.outline import outline
from astad.originals import builtins
from astad.slotted import dataclass, field

if TYPE_CHECKING:
    from astad.compiler.analysis.told_texts import Told

__all__ = ["Facts", "find_facts"]

CARRY = ("ndarray", "complexes", "complex", "parts", *LISTED, "unknown")
SEALED = ("complexes", "parts")


def find_facts(
    program: Program,
    params: Mapping[str, Kind],
    wanted: Iterable[str],
    space: Space,
    *,
    alone: bool = False,
    may_leave: bool = False,
    tells: bool = False,
    look: Look | None = None,
) -> Facts:
    """Kinds and treatments to a fixed point: kinds only go up, so a few rounds suffice.

    ``alone`` tells that nobody else can write the arrays which come in or go out before the reverse
    sweep has run, ``may_leave`` that the text may stop half-way for another, ``tells`` that it may
    print numbers, for it calls nobody who could read them again; ``look`` of callees.
    """
    wanted, barred, writable = tuple(wanted), set[int](), find_writable(program)
    params = {name: of_argument(kind, alone, name in wanted) for name, kind in params.items()}
    lists = has_lists(program, params) or reads_lists(program, space)
    unlisted: set[str] | None = set() if lists else None  # names that are none
    sealed = True
    while True:
        may = may_leave, tells
        facts = _found(
            program, params, wanted, space, writable, may, look, barred, sealed, unlisted
        )
        facts.writes, refused = study_writes(
            program, facts.kind, facts.treatment, facts.views, facts.known, writable
        )
        local, is_alone = facts.writes.of, alone and not facts.dispatches
        facts.shared, facts.indexed = find_shared(program, facts, is_alone, local)
        if any(facts.kind[name].tag in SEALED for name in facts.shared):
            sealed = False
            params = {
                name: UNKNOWN if k.is_complex(kind) else kind for name, kind in params.items()
            }
            continue
        again = find_barred(program.body, facts.about, facts.shared)
        again |= find_shared_walks(facts.walks, facts.kind, facts.shared, writable) - barred
        lost = set[str]()
        if unlisted is not None:
            lost = find_refused_lists(program, facts.kind, facts.about.values(), facts.data)
            facts.rows, others = find_rows(program, facts)
            lost |= others - unlisted
        if not (refused or again or lost):
            break
        if unlisted is not None:
            unlisted |= lost
        writable -= refused  # what was concluded for them does not hold
        barred |= again
    buffered = find_buffered(program.body, facts.about, facts.treatment)
    facts.indexed |= facts.writes.roots | buffered
    keep_order(program, facts.augmented, facts.treatment)
    return facts


def _found(
    program: Program,
    params: Mapping[str, Kind],
    wanted: Iterable[str],
    space: Space,
    writable: set[str],
    may: tuple[bool, bool],
    look: Look | None,
    barred: set[int],
    sealed: bool,
    unlisted: set[str] | None,
) -> Facts:
    """To a fixed point; arrays ``writable`` are written in place, calls ``barred`` dispatched; the
    text ``may`` leave, and tell. ``sealed``: there are arrays of complex numbers and tuples of
    results, which nothing unknown meets. Names ``unlisted`` stand for no list of numbers.
    """
    params = {n: UNKNOWN if unlisted and n in unlisted else kind for n, kind in params.items()}
    facts = Facts(kind=params, active={name for name in wanted if _may_carry(params[name])})
    facts.again, facts.pieces = space.again, find_pieces(program)
    for _, cell in program.free:
        facts.kind[cell] = UNKNOWN
        facts.active.add(cell)
    find_known(program, space, facts.path, facts.known, facts.data)
    facts.augmented = find_augmented(program) if writable else {}
    facts.unpackings = find_unpackings(program)
    stores = Stores(facts.kind_of, facts.is_active, writable, facts.augmented, facts.unpackings)
    facts.displays = displays = find_displays(program)
    numbers = find_number_lists(program, facts.known)
    values, joined = set[str](), set[str]()
    if "tuple" in outline(program).prims:
        values = read_otherwise_than_as_index(program) - names_of_shapes(program, facts.known)
        values |= {
            str(node.target) for node in outline(program).calls_of("tuple")
        } - displays.keys()
    if displays:
        joined = displays_joined(program, facts.known) & displays.keys()
    several = sealed and any(map(has_parts, facts.known.values()))
    tuples = find_tuples(program.body) if several else set()
    walks = find_walks(program, facts.known, facts.unpackings)
    facts.walks = {id(walk.loop): walk for walk in walks}
    if unlisted is not None:
        special = joined | numbers.keys()
        own = {param.name for param in program.params} | facts.data.keys()
        stores.lists = Lists(facts, space.assume, own, unlisted, special, walked_by(walks), barred)
        stores.lists.over, stores.lists.tuples = over_rows(program, facts), find_tuple_rows(program)
    may_leave, tells = may
    told = _told(program, facts, tells) if not space.catches else None
    treatments = Treatments(
        facts, space, values, joined, numbers, may_leave, look, barred, sealed, tuples, told
    )
    studied = _Study(facts, space, treatments, stores, unlisted or set())
    while studied.round(program) or studied.activate(program):
        pass
    return facts


def _told(program: Program, facts: Facts, tells: bool) -> Told | None:
    known = facts.known.values()
    tells = tells and any(each is builtins.print or is_logger(each) for each in known)
    if not tells and Raise not in outline(program).sorts:
        return None
    from astad.compiler.analysis.told_texts import told  # late: few programs tell anything

    return told(program, facts.known, tells)


def _may_carry(kind: Kind) -> bool:
    return k.is_real(kind) or k.is_listing(kind) or kind.tag in CARRY


@dataclass(slots=True)
class _Study:
    facts: Facts
    space: Space
    treatments: Treatments
    stores: Stores
    unlisted: set[str]
    seen: set[str] = field(default_factory=set)
    risen: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    looks_ahead: bool = False
    again: bool = False

    def round(self, program: Program) -> bool:
        """True when a kind or an activity has risen that was asked for before: by a statement
        further up, or by one that looks ahead.

        A call is asked again only where a name of its own has risen since: in this round, or
        ``late`` in the last, after it.
        """
        before = self.late | self._opaque()
        self.again, self.seen, self.risen, self.late = False, set(), set(), set()
        has_lists = self.stores.lists is not None
        self.looks_ahead = bool(self.facts.augmented or (has_lists and self.facts.unpackings))
        asks_all = self.looks_ahead or has_lists
        for node in outline(program).nodes:
            self.seen.update(node.read)
            if type(node) is Call:
                is_new = asks_all or id(node) not in self.facts.treatment
                if is_new or self._has_risen((*node.read, *node.bound), before):
                    self._call(node)
                else:
                    self.seen.update(node.bound)
            elif type(node) is Bind:
                kind, active = self.facts.kind_of(node.source), self.facts.is_active(node.source)
                self._raise(node.target, kind, active)
            elif type(node) is Loop:
                self._loop(node)
            for name in self.stores.lost(node) if self.stores.lists is not None else ():
                self._raise(name, UNKNOWN, active=True)
        return self.again

    def _has_risen(self, names: tuple[str, ...], before: set[str]) -> bool:
        return not (before.isdisjoint(names) and self.risen.isdisjoint(names))

    def _opaque(self) -> set[str]:
        """Names of what is known by its parts, which may have risen though it has not."""
        unpacked = [str(each.whole.target) for each in self.facts.unpackings.values()]
        own = self.treatments
        return {*self.facts.displays, *own.numbers, *own.tuples, *unpacked}

    def activate(self, program: Program) -> bool:
        """An array that a dispatched statement meets may be written there with what is active."""
        facts = self.facts
        met = find_written(program, facts) - facts.active
        facts.active |= met
        self.late |= met
        refilled = find_refilled(program, facts)
        for name in refilled:
            self._raise(name, UNKNOWN, active=True)
        self.late |= refilled
        return bool(met or refilled)

    def _loop(self, node: Loop) -> None:
        each = self.facts.walks[id(node)]
        element = each.item_kind(self.facts.kind_of)
        if k.is_array(element) and id(node) in self.treatments.barred:
            element = UNKNOWN
        assert isinstance(node.target, str)
        self._raise(node.target, element, any(map(self.facts.is_active, each.sources)))

    def _raise(self, name: str, kind: Kind, active: bool) -> None:
        if name in self.unlisted and k.is_listing(kind):
            kind = UNKNOWN
        kinds, now_active = self.facts.kind, self.facts.active
        before = kinds.get(name)
        after = kind if before is None or before is kind else k.join(before, kind)
        rises = after is not before and after != before
        kinds[name] = after
        if name not in now_active and (after is UNKNOWN or (active and _may_carry(after))):
            now_active.add(name)
            rises = True
        if rises:
            self.risen.add(name)
            self.again |= self.looks_ahead
            if name in self.seen:
                self._rises_late(name)
        self.seen.add(name)

    def _rises_late(self, name: str) -> None:
        self.late.add(name)
        self.again = True

    def _call(self, node: Call) -> None:
        write = self.stores.treat(node)
        if write is not None:
            self.facts.treatment[id(node)] = write.treatment
            self._raise(write.name, write.kind, write.active)
            if write.over and k.has_rows(whole := self.facts.kind.get(write.over, UNKNOWN)):
                self._raise(write.over, k.Listing(whole.tag, item=write.kind), write.active)
            return
        facts, target = self.facts, node.target
        treatment, kind = self.treatments.of(node)
        if treatment in ("inline", "pair"):
            if target is None:
                treatment = "plain"  # nobody reads the result
            elif facts.kind.get(str(target)) is UNKNOWN:
                treatment = "dispatch"  # elsewhere the name stands for anything
        facts.treatment[id(node)] = treatment
        if treatment == "dispatch":
            facts.callees.pop(id(node), None)
            facts.about.pop(id(node), None)
            for name in node.read:
                if facts.kind.get(name, UNKNOWN).tag in DISPLAYED:  # a list like any other
                    self._raise(name, UNKNOWN, active=True)
            if (index := self._index_of_unknown(node)) is not None:
                self._raise(index, UNKNOWN, active=True)
        if not isinstance(target, str):
            return
        if treatment == "plain":
            self._raise(target, self._looked_up(target, kind), active=False)
            return
        self._raise(target, kind, self.treatments.is_reached(node))
        if treatment != "dispatch" and facts.kind[target] is UNKNOWN:
            self._rises_late(target)

    def _index_of_unknown(self, node: Call) -> str | None:
        """The tuple between the brackets of what is no array: ``np.r_[n, 2 * n]`` computes with
        it.
        """
        if not isinstance(node.fn, Prim) or node.fn.name not in SUBSCRIPTS:
            return None
        whole, index = self.facts.kind_of(node.args[0]), node.args[1]
        made = self.facts.displays.get(index) if isinstance(index, str) else None
        if whole is not UNKNOWN or made is None or made.fn != Prim("tuple"):
            return None
        return str(index) if self.treatments.is_reached(made) else None

    def _looked_up(self, target: str, kind: Kind) -> Kind:
        """Kind of a name that may stand for something of the user's globals."""
        if target in self.facts.data:
            path, kind = self.facts.data[target]
            self.space.met[path] = kind
            return kind
        known = self.facts.known.get(target)
        if isinstance(known, (int, float)):
            self.space.assume(self.facts.path[target])
            return kind_of_constant(known)
        return kind if known is None else INERT
