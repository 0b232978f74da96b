"""What each statement is: its kind, whether it carries a derivative, and how it is differentiated.

A call is ``plain`` (nothing flows through it), ``inline`` (its rule's formula is written out),
``pair`` (of the user's function, whose pair is called by name) or ``dispatch`` (rule or source are
found at run time). Names of unknown kind always count as active; numbers and local arrays only
where an active operand reaches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import applied, is_written_out
from astad.compiler.analysis.callees import Callee, Look, find_barred, find_buffered
from astad.compiler.analysis.complex_kinds import TRANSFORMS, complex_result
from astad.compiler.analysis.debuggers import is_debugger
from astad.compiler.analysis.findings import Facts, kind_of_constant
from astad.compiler.analysis.first_operands import displays_joined, names_of_shapes
from astad.compiler.analysis.known_names import find_known, reads_lists
from astad.compiler.analysis.leaving import cross_of_threes, power_of_numbers
from astad.compiler.analysis.list_names import find_refused_lists
from astad.compiler.analysis.lists import Lists, has_lists
from astad.compiler.analysis.masks import of_argument
from astad.compiler.analysis.number_lists import array_of_display, display_kind, find_number_lists
from astad.compiler.analysis.operations import asks_the_user, known_answer, operator_kind, rule_kind
from astad.compiler.analysis.part_kinds import TUPLES, find_tuples, part_result
from astad.compiler.analysis.raised_texts import find_raised
from astad.compiler.analysis.result_kinds import is_in_table, result_kind
from astad.compiler.analysis.rows import find_rows, find_tuple_rows, over_rows
from astad.compiler.analysis.shared import find_shared, find_written
from astad.compiler.analysis.space import Space
from astad.compiler.analysis.stores import Stores, keep_order
from astad.compiler.analysis.structure import find_displays, read_otherwise_than_as_index
from astad.compiler.analysis.unpacking import find_unpackings
from astad.compiler.analysis.walks import find_shared_walks, find_walks, walked_by
from astad.compiler.analysis.writes import find_augmented, find_writable, study_writes
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import DISPLAYED, INERT, INT, ITEMS, NOTHING, RANGE, UNKNOWN, Kind
from astad.compiler.ir.nodes import Bind, Call, Loop, Prim, Program, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import ANSWERS, PASSING, PLAIN, QUIET
from astad.rules.registry import is_zero, lookup

__all__ = ["Facts", "find_facts"]

LONG = ("ndarray", "complexes", "ints", "counts", "bools", "shape", "range")
CARRY = ("ndarray", "complexes", "complex", "parts", "floats", "unknown")
CARRY_NONE = ("bool", "inert", "shape", "index", "fancy", "counts", "bools")
SEALED = ("complexes", "parts")
MET = frozenset([*SEALED, "complex"])
MAKERS = TUPLES | TRANSFORMS
STATELESS = ("tuple", "list", "set", "dict")


def find_facts(
    program: Program,
    params: Mapping[str, Kind],
    wanted: Iterable[str],
    space: Space,
    *,
    alone: bool = False,
    may_leave: bool = False,
    look: Look | None = None,
) -> Facts:
    """Kinds and treatments to a fixed point: kinds only go up, so a few rounds suffice.

    ``alone`` tells that nobody else can write the arrays which come in or go out before the reverse
    sweep has run, ``may_leave`` that the text may stop half-way for another; ``look`` of callees.
    """
    wanted, barred, writable = tuple(wanted), set[int](), find_writable(program)
    params = {name: of_argument(kind, alone, name in wanted) for name, kind in params.items()}
    lists = has_lists(program, params) or reads_lists(program, space)
    unlisted: set[str] | None = set() if lists else None  # names that are none
    sealed = True
    while True:
        facts = _found(
            program, params, wanted, space, writable, may_leave, look, barred, sealed, unlisted
        )
        facts.writes, refused = study_writes(
            program, facts.kind, facts.treatment, facts.views, facts.known, writable
        )
        local, is_alone = facts.writes.of, alone and not facts.dispatches
        facts.shared, facts.indexed = find_shared(
            program, facts.kind, facts.treatment, facts.views, facts.walks, is_alone, local
        )
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
    may_leave: bool,
    look: Look | None,
    barred: set[int],
    sealed: bool,
    unlisted: set[str] | None,
) -> Facts:
    """To a fixed point; arrays ``writable`` are written in place, calls ``barred`` dispatched;
    ``sealed``: there are arrays of complex numbers and tuples of results, which nothing unknown
    meets. Names ``unlisted`` stand for no list of numbers.
    """
    params = {n: UNKNOWN if unlisted and n in unlisted else kind for n, kind in params.items()}
    facts = Facts(kind=params, active={name for name in wanted if _may_carry(params[name])})
    for _, cell in program.free:
        facts.kind[cell] = UNKNOWN
        facts.active.add(cell)
    find_known(program, space, facts.path, facts.known, facts.data)
    facts.augmented = find_augmented(program) if writable else {}
    facts.unpackings = find_unpackings(program)
    stores = Stores(facts.kind_of, facts.is_active, writable, facts.augmented, facts.unpackings)
    facts.displays = find_displays(program)
    numbers = find_number_lists(program, facts.known)
    values = read_otherwise_than_as_index(program) - names_of_shapes(program, facts.known)
    joined = displays_joined(program, facts.known) & facts.displays.keys()
    several = sealed and not TUPLES.isdisjoint(map(id, facts.known.values()))
    tuples = find_tuples(program.body) if several else set()
    walks = find_walks(program, facts.known, facts.unpackings)
    facts.walks = {id(walk.loop): walk for walk in walks}
    if unlisted is not None:
        special = joined | numbers.keys()
        own = {param.name for param in program.params} | facts.data.keys()
        stores.lists = Lists(facts, space.assume, own, unlisted, special, walked_by(walks), barred)
        stores.lists.over, stores.lists.tuples = over_rows(program, facts), find_tuple_rows(program)
    not_lists = unlisted or set()
    raised = set() if space.catches else find_raised(program)
    studied = _Study(
        facts, space, values, joined, numbers, stores, may_leave, look, barred, sealed, tuples,
        not_lists, raised,
    )  # fmt: skip
    while studied.round(program) or _activate(program, facts):
        pass
    return facts


def _activate(program: Program, facts: Facts) -> bool:
    """An array that a dispatched statement meets may be written there with what is active."""
    met = find_written(program, facts.kind, facts.treatment, facts.views, facts.walks)
    met -= facts.active
    facts.active |= met
    return bool(met)


def _may_carry(kind: Kind) -> bool:
    return k.is_real(kind) or k.is_listing(kind) or kind.tag in CARRY


@dataclass(slots=True)
class _Study:
    facts: Facts
    space: Space
    values: set[str]
    joined: set[str]
    numbers: Mapping[str, Call]
    stores: Stores
    may_leave: bool
    look: Look | None
    barred: set[int]
    sealed: bool
    tuples: set[str]
    unlisted: set[str]
    raised: set[str]
    seen: set[str] = field(default_factory=set)
    looks_ahead: bool = False
    again: bool = False

    def round(self, program: Program) -> bool:
        """True when a kind or an activity has risen that was asked for before: by a statement
        further up, or by one that looks ahead.
        """
        self.again, self.seen = False, set()
        self.looks_ahead = bool(self.facts.augmented or self.facts.unpackings)
        for node in outline(program).nodes:
            self.seen.update(node.read)
            if type(node) is Call:
                self._call(node)
            elif type(node) is Bind:
                kind, active = self.facts.kind_of(node.source), self.facts.is_active(node.source)
                self._raise(node.target, kind, active)
            elif type(node) is Loop:
                self._loop(node)
            for name in self.stores.lost(node) if self.stores.lists is not None else ():
                self._raise(name, UNKNOWN, active=True)
        return self.again

    def _loop(self, node: Loop) -> None:
        each = self.facts.walks[id(node)]
        element = each.item_kind(self.facts.kind_of)
        if k.is_array(element) and id(node) in self.barred:
            element = UNKNOWN
        assert isinstance(node.target, str)
        self._raise(node.target, element, any(map(self.facts.is_active, each.sources)))

    def _raise(self, name: str, kind: Kind, active: bool) -> None:
        if k.is_listing(kind) and name in self.unlisted:
            kind = UNKNOWN
        before = self.facts.kind.get(name)
        after = kind if before is None else k.join(before, kind)
        rises = after != before
        self.facts.kind[name] = after
        if name not in self.facts.active and (after == UNKNOWN or (active and _may_carry(after))):
            self.facts.active.add(name)
            rises = True
        self.again |= rises and (self.looks_ahead or name in self.seen)
        self.seen.add(name)

    def _call(self, node: Call) -> None:
        write = self.stores.treat(node)
        if write is not None:
            self.facts.treatment[id(node)] = write.treatment
            self._raise(write.name, write.kind, write.active)
            if write.over and k.has_rows(whole := self.facts.kind.get(write.over, UNKNOWN)):
                self._raise(write.over, k.Listing(whole.tag, item=write.kind), write.active)
            return
        treatment, kind = self._treat(node)
        target = node.target
        if treatment in ("inline", "pair") and target is None:
            treatment = "plain"  # nobody reads the result
        if treatment in ("inline", "pair") and self.facts.kind.get(str(target)) == UNKNOWN:
            treatment = "dispatch"  # elsewhere the name stands for anything
        self.facts.treatment[id(node)] = treatment
        if treatment == "dispatch":
            self.facts.callees.pop(id(node), None)
            self.facts.about.pop(id(node), None)
            for name in node.read:
                if self.facts.kind_of(name).tag in DISPLAYED:  # a list like any other
                    self._raise(name, UNKNOWN, active=True)
        if not isinstance(target, str):
            return
        known = self.facts.known.get(target)
        if known is not None and treatment == "plain":
            kind = INERT
            if isinstance(known, int | float):
                kind = kind_of_constant(known)
                self.space.assume(self.facts.path[target])
        if target in self.facts.data and treatment == "plain":
            path, kind = self.facts.data[target]
            self.space.met[path] = kind
        self._raise(target, kind, treatment != "plain" and self._is_reached(node))
        if treatment in ("inline", "pair") and self.facts.kind[target] == UNKNOWN:
            self.again = True

    def _is_reached(self, node: Call) -> bool:
        if not self.facts.active.isdisjoint(node.read):
            return True
        return bool(self.joined) and any(map(self.facts.is_active, self.facts.all_operands(node)))

    def _treat(self, node: Call) -> tuple[str, Kind]:
        args = [self.facts.kind_of(arg) for arg in node.args]
        active = self._is_reached(node)
        if NOTHING in map(self.facts.kind.get, node.read):
            return "plain", NOTHING  # until more is known
        known = self.facts.known.get(node.fn) if isinstance(node.fn, str) else None
        found = None
        if self.sealed and (id(known) in MAKERS or not MET.isdisjoint([a.tag for a in args])):
            found = part_result(node, self.facts, self.tuples, active)
            found = found or complex_result(node, self.facts, active)
        if found is not None:
            self.facts.views[id(node)] = found[1].views
            if isinstance(node.fn, str):
                self.space.assume(self.facts.path[node.fn])
            return found[0], found[1].kind
        if type(node.fn) is Prim:
            return self._treat_prim(node, node.fn.name, args, active)
        if known is None or any(isinstance(arg, Star) for arg in node.args):
            return "dispatch", UNKNOWN
        return self._treat_known(node, known, args, active)

    def _treat_prim(
        self, node: Call, name: str, args: list[Kind], active: bool
    ) -> tuple[str, Kind]:
        if name in PLAIN:
            made = k.arithmetic(name, args)
            return ("dispatch" if made is UNKNOWN else "inline" if active else "plain"), made
        if name in QUIET and not (active and name in PASSING and node.target not in self.raised):
            return "plain", INERT if name in ANSWERS else UNKNOWN
        if name == "getattr" and node.target in self.facts.data:
            return "plain", UNKNOWN
        if name == "getattr" and isinstance(node.target, str) and node.target in self.facts.known:
            self.space.assume(self.facts.path[node.target])
            return "plain", UNKNOWN
        if node.target in self.numbers:
            display = display_kind(node, self.numbers, self.facts.kind_of)
            if display is not None:
                return ("inline" if active else "plain"), display
        if (asked := asks_the_user(name, args)) is not None:
            return asked
        kind, inlines = operator_kind(name, node.args, args)
        if kind is None and name in ("pow", "ipow") and self.may_leave:
            kind, inlines = power_of_numbers(args), True
            self.facts.tested[id(node)] = "complex"
        if kind is None and name in ("method", "getattr") and k.has_axes(args[0]):
            return self._treat_result(node, active)
        joins = node.target in self.joined and self.facts.kind.get(str(node.target)) != UNKNOWN
        if joins and all(k.is_floating(each) or (k.is_array(each) and each.rank) for each in args):
            return "plain", ITEMS
        if kind is not None and (not active or inlines):
            return ("inline" if active else "plain"), kind
        if active and name == "tuple" and node.target in self.values:
            return "dispatch", UNKNOWN  # of ints, but not only an index
        # constant between its jumps; the size of an array
        steps = name in ("floordiv", "ifloordiv") or (name == "getattr" and kind is INT)
        if kind is not None and (steps or kind.tag in CARRY_NONE):
            return "plain", kind
        if not active and name in STATELESS:
            return "plain", UNKNOWN
        return "dispatch", kind or UNKNOWN

    def _treat_known(
        self, node: Call, known: Any, args: list[Kind], active: bool
    ) -> tuple[str, Kind]:
        assert isinstance(node.fn, str)
        path = self.facts.path[node.fn]
        if is_debugger(known):
            self.facts.for_debugger = True
            self.space.assume(path)
            return "plain", INERT
        if known is range and not node.keywords and all(kind in (INT, k.BOOL) for kind in args):
            self.space.assume(path)
            return "plain", RANGE
        if known is len and args and args[0].tag in LONG:
            self.space.assume(path)
            return "plain", INT
        if (answer := known_answer(known, node, args, active=active)) is not None:
            self.space.assume(path)
            return answer
        if isinstance(known, FunctionType) and lookup(known) is None and not is_in_table(known):
            return self._treat_callee(node, known, args)
        made = array_of_display(args) if known is np.array and not node.keywords else None
        if made is not None:
            self.space.assume(path)
            return ("inline" if active else "plain"), made
        kind, inlines = rule_kind(known, node, args, self.facts.is_active)
        if self.may_leave and (crossed := cross_of_threes(known, node, args)):
            kind, inlines, self.facts.tested[id(node)] = crossed, True, "threes"
        if kind is None:
            treatment, kind = self._treat_result(node, active and not is_zero(known))
            if kind != UNKNOWN:
                self.space.assume(path)
            return treatment, kind
        if active and not inlines:
            return "dispatch", kind
        self.space.assume(path)
        return ("inline" if active else "plain"), kind

    def _treat_result(self, node: Call, active: bool) -> tuple[str, Kind]:
        """By the table of results: of a known function, of a method or attribute of an array."""
        facts, result, written = self.facts, None, False
        what = applied(node, facts.known)
        if what is not None:
            result = result_kind(what.fn, what.args, what.keywords, facts.knowledge)
            written = is_written_out(what, facts.knowledge, facts.is_active)
            if what.fn is np.sign or (result is not None and result.kind.tag in CARRY_NONE):
                active = False  # constant between its jumps
        if result is None:
            return "dispatch", UNKNOWN
        facts.views[id(node)] = result.views
        return ("plain" if not active else "inline" if written else "dispatch"), result.kind

    def _treat_callee(self, node: Call, known: FunctionType, args: list[Kind]) -> tuple[str, Kind]:
        if self.look is None or node.keywords or id(node) in self.barred:
            return "dispatch", UNKNOWN
        if any(isinstance(kind, k.Listing) and kind.item == NOTHING for kind in args):
            return "plain", NOTHING  # until more is known
        path, active = self.facts.path[str(node.fn)], tuple(map(self.facts.is_active, node.args))
        callee = Callee(path, tuple(args), active)
        if (about := self.look(known, callee)) is None:
            return "dispatch", UNKNOWN
        self.facts.callees[id(node)], self.facts.about[id(node)] = callee, about
        self.facts.views[id(node)] = tuple(arg for arg in node.args if isinstance(arg, str))
        return ("pair" if about.active or about.leaves else "plain"), about.kind
