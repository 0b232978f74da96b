"""Functions of the user's that a text calls by name: each becomes a plain pair in that text.

Kinds of results are found together, from nothing upwards: a function that calls itself gives what
its other returns give. One that needs the dispatcher, a table or a debugger has no plain pair; its
callers leave it to the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType

from astad.code_objects import ASYNCHRONOUS, GENERATOR, STARRED
from astad.compiler.analysis.callees import Callee, Known
from astad.compiler.analysis.facts import Facts, find_facts
from astad.compiler.analysis.left_out import find_left_out
from astad.compiler.analysis.operations import is_draw
from astad.compiler.analysis.space import Space
from astad.compiler.ir import kinds as k
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Call, Exit, Program
from astad.compiler.ir.outline import is_taped, outline
from astad.compiler.ir.walk import bound_inside, walk
from astad.compiler.reverse_mode.sweeps import to_plain_pair
from astad.compiler.specialise.foreign import foreign_home
from astad.errors import AstadError
from astad.originals import builtins
from astad.rules.in_force import has_custom_rule
from astad.rules.registry import lookup
from astad.slotted import dataclass, field, replace

__all__ = ["Callees", "Open", "Unit", "asked"]

MOST = 24
"""Functions, each for certain kinds, that one text calls by name."""
LONGEST = 300
"""Statements of one of them."""
PLAIN = ("ndarray", "complexes", "complex", "bool", "range", "shape", "index", "inert", "nothing")
"""Kinds, besides those of numbers, that may be handed over and back."""
NOT_PLAIN = STARRED | GENERATOR | ASYNCHRONOUS
"""Flags of code that takes ``*args`` or ``**keywords``, or yields, or is asynchronous."""

Open = Callable[[FunctionType, Sequence[k.Kind], Space], tuple[Program, Names]]
"""The program of a function for arguments of these kinds, ready to be analysed, and the names taken
in it.
"""


@dataclass(slots=True)
class Unit:
    """A callee for certain kinds; ``facts`` and ``derived`` come later. ``names`` are those of its
    program, ``written`` those of its pair besides.
    """

    fn: FunctionType
    callee: Callee
    program: Program
    names: Names
    space: Space
    known: Known
    facts: Facts
    derived: Derived | None = None
    written: Names = field(default_factory=lambda: Names(()))


class Callees:
    """All that one text calls by name, found while its facts are."""

    def __init__(self, space: Space, open_callee: Open, *, alone: bool, may_leave: bool) -> None:
        self.space = space
        self.alone = alone
        self.may_leave = may_leave
        self.open_callee = open_callee
        self.units: dict[Callee, Unit | None] = {}
        self.changed = False
        self._stems = Names(())

    def look(self, fn: FunctionType, callee: Callee) -> Known | None:
        """What is known of a callee so far; None if it has no plain pair."""
        if callee not in self.units:
            self.changed = True
            may = len(self.units) < MOST and self._may_be_opened(fn, callee)
            self.units[callee] = self._opened(fn, callee) if may else None
        unit = self.units[callee]
        return None if unit is None else unit.known

    def settle(self, program: Program, find: Callable[[], Facts]) -> Facts:
        """Facts of the program of the text itself, found by ``find``, that agree with those of all
        its callees.
        """
        while True:
            self.changed = False
            facts = find()
            for unit in self._reached(facts, restudy=True):
                if unit.known.kind == k.NOTHING and not self.changed:
                    self._refuse(unit)  # it returns nowhere
            if self.changed:
                continue
            units = self.used(facts)
            self._note_left_out(program, facts, units)
            if self._write(units):
                self._assume(facts)
                return facts

    def used(self, facts: Facts) -> list[Unit]:
        """Those whose pairs the text calls, directly or through others."""
        return list(self._reached(facts, pairs=True))

    def draw(self, facts: Facts) -> bool:
        """Does the text, or a callee, draw random numbers or print, so that it cannot run twice?"""
        everyone = (facts, *(unit.facts for unit in self.used(facts)))
        return any(
            is_draw(fn) or fn is builtins.print for each in everyone for fn in each.known.values()
        )

    def _note_left_out(self, program: Program, facts: Facts, units: Sequence[Unit]) -> None:
        """Find of which arrays entries may be left out, in the text and in all its callees: where
        the result of a call is one, so may those be that its callee computes the result from.
        """
        facts.left_out = find_left_out(program, facts, handed=not self.alone)
        for each in units:
            each.facts.left_out = find_left_out(each.program, each.facts, handed=False)
        handed: set[Callee] = set()
        waiting = [(program, facts), *((unit.program, unit.facts) for unit in units)]
        while waiting:
            caller, known = waiting.pop()
            for callee in _left_out_results(caller, known):
                unit = self.units[callee]
                if unit is not None and callee not in handed:
                    handed.add(callee)
                    unit.facts.left_out = find_left_out(unit.program, unit.facts, handed=True)
                    waiting.append((unit.program, unit.facts))

    def _assume(self, facts: Facts) -> None:
        """Note for each call, and in the text's space, all that its callees take for granted."""
        for at, callee in facts.callees.items():
            paths: dict[str, None] = {}
            for unit in self._reached_from([callee]):
                path = unit.callee.path
                paths.update(dict.fromkeys((path, f"{path}.__code__", *unit.space.assumed)))
                self.space.met.update(unit.space.met)
                self.space.numbers.update(unit.space.numbers)
                for path, level in unit.space.silent.items():
                    self.space.rely_on_silence(path, level)
                for cls, names in unit.space.instances.items():
                    self.space.rely(cls, names)
            facts.relied_on[at] = tuple(paths)
            for path in paths:
                self.space.assume(path)

    def _may_be_opened(self, fn: FunctionType, callee: Callee) -> bool:
        """A function of the user's, without closure, that no rule stands for."""
        code = fn.__code__
        own = foreign_home(fn, self.space.namespace) is not None and not fn.__closure__
        fits = code.co_argcount == len(callee.kinds) and not code.co_kwonlyargcount
        fits = fits and all(
            k.is_real(kind) or k.is_listing(kind) or kind.tag in PLAIN for kind in callee.kinds
        )
        plain = fits and not code.co_flags & NOT_PLAIN
        return own and plain and lookup(fn) is None and not has_custom_rule(fn)

    def _opened(self, fn: FunctionType, callee: Callee) -> Unit | None:
        space = Space(self.space.namespace, self.space.kind_of)
        space.class_numbers, space.no_kind = self.space.class_numbers, self.space.no_kind
        space.again = self.space.again
        try:
            program, names = self.open_callee(fn, callee.kinds, space)
        except AstadError:
            return None
        if program.free or is_taped(program) or sum(1 for _ in walk(program.body)) > LONGEST:
            return None
        if any(outline(program).calls_of("function")):
            return None  # the code of a function that it makes is found in its own alone
        stem = self._stems.fresh(program.name if program.name.isidentifier() else "lambda_")
        none = (False,) * len(callee.kinds)
        known = Known(stem, k.NOTHING, False, none, callee.active)
        return Unit(fn, callee, program, names, space, known, Facts({}, set()))

    def _refuse(self, unit: Unit) -> None:
        self.units[unit.callee] = None
        self.changed = True

    def _reached(
        self, facts: Facts, *, restudy: bool = False, pairs: bool = False
    ) -> Iterator[Unit]:
        """Callees of the text, then theirs, each once, in the order of the calls."""
        return self._reached_from(_called(facts, pairs=pairs), restudy=restudy, pairs=pairs)

    def _reached_from(
        self, callees: Iterable[Callee], *, restudy: bool = False, pairs: bool = False
    ) -> Iterator[Unit]:
        seen: set[Callee] = set()
        left = list(callees)
        while left:
            callee = left.pop(0)
            unit = self.units.get(callee)
            if callee in seen or unit is None:
                continue
            seen.add(callee)
            if restudy:
                self._study(unit)
            yield unit
            left += _called(unit.facts, pairs=pairs)

    def _study(self, unit: Unit) -> None:
        """Find the facts of a callee anew; its result's kind only goes up."""
        callee, program = unit.callee, unit.program
        params = {
            param.name: kind for param, kind in zip(program.params, callee.kinds, strict=True)
        }
        unit.facts = facts = find_facts(
            program,
            params,
            asked(unit),
            unit.space,
            alone=True,
            may_leave=self.may_leave,
            tells=self.alone,
            look=self.look,
        )
        kind, active = unit.known.kind, unit.known.active
        for node in walk(program.body):
            if isinstance(node, Exit) and node.how == "return" and node.value is not None:
                kind = k.join(kind, facts.kind_of(node.value))
                active = active or facts.is_active(node.value)
        buffered = tuple(
            is_active and (name in facts.indexed or k.is_listing(facts.kind_of(name)))
            for name, is_active in zip(params, callee.active, strict=True)
        )
        known = replace(
            unit.known, kind=kind, active=active, buffered=buffered, leaves=facts.leaves
        )
        if known != unit.known:
            unit.known, self.changed = known, True
        if not _is_plain(unit):
            self._refuse(unit)

    def _write(self, units: Iterable[Unit]) -> bool:
        """Write the pairs; false where one cannot be written, or promises less than was thought."""
        for unit in units:
            unit.written = unit.names.copy()
            made = to_plain_pair(unit.program, unit.facts, asked(unit), unit.known, unit.written)
            if made is None:  # no program is known: what asks for a table, `_is_plain` refuses
                self._refuse(unit)
                return False
            unit.derived, certain = made
            if certain != unit.known.certain:
                unit.known, self.changed = replace(unit.known, certain=certain), True
        return not self.changed


def asked(unit: Unit) -> tuple[str, ...]:
    """The parameters whose cotangents the caller asks for."""
    places = zip(unit.program.params, unit.callee.active, strict=True)
    return tuple(param.name for param, is_active in places if is_active)


def _left_out_results(program: Program, facts: Facts) -> list[Callee]:
    """Callees of whose result entries may be left out."""
    if not facts.callees:
        return []
    calls = (node for node in walk(program.body) if isinstance(node, Call))
    pairs = (node for node in calls if facts.treatment[id(node)] == "pair")
    return [facts.callees[id(node)] for node in pairs if node.target in facts.left_out]


def _called(facts: Facts, *, pairs: bool) -> Iterator[Callee]:
    for at, callee in facts.callees.items():
        if not pairs or facts.treatment[at] == "pair":
            yield callee


def _is_plain(unit: Unit) -> bool:
    """Is all by value: no dispatcher, no table, no debugger, nothing of unknown kind handed out?"""
    facts, known = unit.facts, unit.known
    bound = bound_inside(*unit.program.body)
    steady = not any(
        buffered and param.name in bound
        for param, buffered in zip(unit.program.params, known.buffered, strict=True)
    )
    quiet = not (facts.dispatches or facts.for_debugger or facts.shared)
    return quiet and steady and (k.is_real(known.kind) or known.kind.tag in PLAIN)
