"""How a call is differentiated, and the kind of what it gives, by what is known of its operands.

What a fused function takes for granted and tests as it runs: where a test fails, it leaves the
call to another variant.

That may be half-way, since nothing but local arrays has been written till then. A power of numbers
is taken to be real; the vectors of ``np.cross`` are taken to have three entries, for of two planes
ones the result has an axis less. `Facts.tested` calls the one "complex", the other "threes".

Functions with several results, as ``np.linalg.slogdet``, and what is read of them.

The tuple that such a function gives is never met by anything but reads of its parts, in the block
in which it is bound; else it stays of unknown kind. So each part has a cotangent of its own.

>>> from astad.compiler.ir.nodes import Exit
>>> t = Call("t", "f", ("a",), (), 1)
>>> find_tuples((t, Call("x", Prim("getitem"), ("t", Const(1)), (), 2), Exit("return", "x", 3)))
{'t'}
>>> find_tuples((t, Exit("return", "t", 3)))
set()

Calls that stop in a debugger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from astad.code_objects import inner_codes
from astad.compiler.analysis.applied import applied, flows_into, is_written_out
from astad.compiler.analysis.callees import Callee, Look
from astad.compiler.analysis.complex_kinds import MAKING, complex_result, how_complex
from astad.compiler.analysis.displays import (
    array_of_display,
    display_kind,
    is_plain_array,
    makes_array_of_list,
)
from astad.compiler.analysis.findings import Facts, Parts
from astad.compiler.analysis.operations import (
    asks_identity,
    asks_the_user,
    has_own_check,
    known_answer,
    operator_function,
    operator_kind,
    rule_kind,
    shape_kind,
)
from astad.compiler.analysis.result_kinds import Result, is_claimed, part_kinds, result_kind
from astad.compiler.analysis.space import Space
from astad.compiler.analysis.structure import bound_once
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import (
    FLOAT,
    INERT,
    INT,
    ITEMS,
    NOTHING,
    PARTS,
    RANGE,
    REAL,
    UNKNOWN,
    Kind,
)
from astad.compiler.ir.nodes import Block, Call, Const, Prim
from astad.compiler.ir.prims import ANSWERS, BINARY, BY_VALUE, PASSING, PLAIN, QUIET
from astad.compiler.ir.walk import blocks, reads, walk
from astad.rules.in_force import KEEPING, TELLS, run_rule, value_of
from astad.rules.registry import is_zero, lookup
from astad.slotted import dataclass

if TYPE_CHECKING:
    from astad.compiler.analysis.told_texts import Told

__all__ = ["Treatments", "find_tuples", "stops"]

# --- what is tested as it runs


def power_of_numbers(kinds: Sequence[Kind]) -> Kind | None:
    """Kind of a power of numbers that has not turned complex."""
    if not all(k.is_real(kind) for kind in kinds):
        return None
    return REAL if REAL in kinds else FLOAT


def cross_of_threes(fn: object, node: Call, kinds: Sequence[Kind]) -> Kind | None:
    """Kind of ``np.cross(a, b)`` of vectors with three entries, along the last axis.

    >>> node = Call("y", "cross", ("a", "b"), (), 1)
    >>> cross_of_threes(np.cross, node, [k.array(1), k.array(2)]).text
    'ndarray2'
    """
    if fn is not np.cross or node.keywords or len(kinds) != 2:
        return None
    if not all(k.is_array(kind) and kind.rank for kind in kinds):
        return None
    return k.array(max(kind.rank or 0 for kind in kinds))


# --- functions with several results


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
    active = active and not is_zero(what.fn)
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


# --- calls that stop in a debugger


def is_debugger(known: Any) -> bool:
    """``breakpoint``, ``pdb.set_trace`` and the like: they look at the frame that calls them."""
    is_set_trace = getattr(known, "__name__", "") == "set_trace"
    return known is breakpoint or (
        is_set_trace and known.__module__ in ("pdb", "ipdb", "pudb", "_pytest.debugging")
    )


def stops(code: CodeType) -> bool:
    """Does a function, or one that it makes, seem to call a debugger? It must find that frame."""
    own = "breakpoint" in code.co_names or "set_trace" in code.co_names
    return own or any(map(stops, inner_codes(code)))


LONG = ("ndarray", "complexes", "ints", "counts", "bools", "shape", "range")
CARRY_NONE = ("bool", "inert", "shape", "index", "fancy", "counts", "count", "bools")
MET = frozenset(["complexes", "parts", "complex"])
STATELESS = ("tuple", "list", "set", "dict")


@dataclass(slots=True)
class Treatments:
    """``values`` are the names that stand for more than an index, ``joined`` the displays that one
    call joins, ``numbers`` the lists that an array is made of, ``tuples`` those of results,
    ``told`` knows the texts from which nothing comes back; loops and calls ``barred`` are
    dispatched.
    """

    facts: Facts
    space: Space
    values: set[str]
    joined: set[str]
    numbers: Mapping[str, Call]
    may_leave: bool
    look: Look | None
    barred: set[int]
    sealed: bool
    tuples: set[str]
    told: Told | None

    def is_reached(self, node: Call) -> bool:
        if not self.facts.active.isdisjoint(node.read):
            return True
        return bool(self.joined) and any(map(self.facts.is_active, self.facts.all_operands(node)))

    def of(self, node: Call) -> tuple[str, Kind]:
        facts = self.facts
        if NOTHING in map(facts.kind.get, node.read):
            return "plain", NOTHING  # until more is known
        known = facts.known.get(node.fn) if isinstance(node.fn, str) else None
        if known is None and type(node.fn) is not Prim:
            return "dispatch", UNKNOWN
        args = [facts.kind_of(arg) for arg in node.args]
        if self.told is not None and self.told.takes(node, args, facts.known, self._rely):
            return "plain", INERT
        active = self.is_reached(node)
        found = None
        makes = how_complex(known) in MAKING or node.target in self.tuples
        if self.sealed and (makes or not MET.isdisjoint([a.tag for a in args])):
            found = part_result(node, facts, self.tuples, active)
            found = found or complex_result(node, facts, active)
        if found is not None:
            facts.views[id(node)] = found[1].views
            if isinstance(node.fn, str):
                self.space.assume(facts.path[node.fn])
            return found[0], found[1].kind
        if type(node.fn) is Prim:
            return self._treat_prim(node, node.fn.name, args, active)
        return self._treat_known(node, known, args, active)

    def _rely(self, name: str, level: int) -> None:
        """On what a global is, and that a logger writes nothing of this level."""
        path = self.facts.path[name]
        self.space.assume(path)
        if level:
            self.space.rely_on_silence(path, level)

    def _treat_prim(
        self, node: Call, name: str, args: list[Kind], active: bool
    ) -> tuple[str, Kind]:
        if (shape := shape_kind(name, node, args, self.facts.pieces)) is not None:
            return "plain", shape
        if name in PLAIN:
            made = self._of_ints(k.arithmetic(name, args), active)
            return ("dispatch" if made is UNKNOWN else "inline" if active else "plain"), made
        if name in QUIET and not (active and name in PASSING):
            return "plain", INERT if name in ANSWERS else UNKNOWN
        if name == "getattr" and node.target in self.facts.data:
            return "plain", UNKNOWN
        if name == "getattr" and isinstance(node.target, str) and node.target in self.facts.known:
            self.space.assume(self.facts.path[node.target])
            return "plain", UNKNOWN
        if node.target in self.numbers:
            display = display_kind(node, self.numbers, self.facts.kind_of)
            if display is not None and (self.sealed or display.tag != "complex list"):
                return ("inline" if active else "plain"), display
        if (asked := asks_the_user(name, args)) is not None:
            return asked
        if not self.may_leave and asks_identity(name, node.args, args, self.facts.known):
            return "dispatch", k.BOOL
        kind, inlines = operator_kind(name, node.args, args)
        if kind is not None and self._of_ints(kind, active and name != "getitem") is UNKNOWN:
            return "dispatch", UNKNOWN
        if kind is None and name in BY_VALUE and self.may_leave:
            kind, inlines = power_of_numbers(args), True
            self.facts.tested[id(node)] = "complex"
        is_asked = name in ("method", "getattr") and k.has_axes(args[0])
        if kind is None and (is_asked or (name in BINARY and is_claimed(operator_function(name)))):
            return self._treat_result(node, active)
        joins = node.target in self.joined and self.facts.kind.get(str(node.target)) != UNKNOWN
        if joins and all(k.is_floating(each) or (k.is_array(each) and each.rank) for each in args):
            return "plain", ITEMS
        if kind is not None and (not active or inlines):
            return ("inline" if active else "plain"), kind
        is_value = node.target in self.values or self.facts.is_active(str(node.target))
        if active and name == "tuple" and is_value:
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
        if id(known) in KEEPING or is_debugger(known):
            self.facts.for_debugger |= is_debugger(known)
            self.space.assume(path)
            return "plain", INERT
        if self.space.again and (answer := _of_users_rule(known, path, args, active)):
            self.space.assume(path)
            return answer
        if (
            known is range
            and not node.keywords
            and all(kind in (INT, k.BOOL, k.COUNT) for kind in args)
        ):
            self.space.assume(path)
            return "plain", RANGE
        if known is len and args and args[0].tag in LONG:
            self.space.assume(path)
            return "plain", INT
        if known in (isinstance, issubclass) and not self._is_plain_check(node):
            return "dispatch", k.BOOL  # a metaclass, or an abstract class, may ask the user
        if (answer := known_answer(known, node, args, active=active)) is not None:
            self.space.assume(path)
            return answer
        if type(known) is FunctionType and lookup(known) is None:
            return self._treat_callee(node, known, args)
        is_array = makes_array_of_list(known) and is_plain_array(node, self.facts.known)
        found = self.facts.known
        made = array_of_display(node, args[0], self.numbers, found) if is_array else None
        if made is not None and (self.sealed or not k.is_complex(made)):
            self.space.assume(path)
            return ("inline" if active else "plain"), made
        kind, inlines = rule_kind(known, node, args, self.facts.is_active)
        if self.may_leave and (crossed := cross_of_threes(known, node, args)):
            kind, inlines, self.facts.tested[id(node)] = crossed, True, "threes"
        if kind is not None and self._of_ints(kind, active) is UNKNOWN:
            return "dispatch", UNKNOWN
        if kind is None:
            treatment, kind = self._treat_result(node, active and not is_zero(known))
            if kind != UNKNOWN:
                self.space.assume(path)
            return treatment, kind
        if active and not inlines:
            return "dispatch", kind
        self.space.assume(path)
        return ("inline" if active else "plain"), kind

    def _is_plain_check(self, node: Call) -> bool:
        """Is each class that is asked for a global one, and asks nothing of the program's?"""
        facts, asked = self.facts, node.args[-1]
        display = facts.displays.get(asked) if isinstance(asked, str) else None
        names = [asked] if display is None else display.args
        if any(not isinstance(name, str) or name not in facts.known for name in names):
            return False
        if any(has_own_check(facts.known[str(name)]) for name in names):
            return False
        for name in names:
            self.space.assume(facts.path[str(name)])
        return True

    def _treat_result(self, node: Call, active: bool) -> tuple[str, Kind]:
        """By the table of results: of a known function, of a method or attribute of an array."""
        facts = self.facts
        what = applied(node, facts.known)
        if what is None:
            return "dispatch", UNKNOWN
        knowledge = facts.knowledge
        result = result_kind(what.fn, what.args, what.keywords, knowledge)
        if result is None or (k.is_complex(result.kind) and not self.sealed):
            return "dispatch", UNKNOWN
        flows = active and flows_into(what, knowledge, facts.is_active)
        if self._of_ints(result.kind, flows) is UNKNOWN:
            return "dispatch", UNKNOWN
        facts.views[id(node)] = result.views
        if not active or is_zero(what.fn) or result.kind.tag in CARRY_NONE:
            return "plain", result.kind  # or constant between its jumps
        written = is_written_out(what, knowledge, facts.is_active)
        return ("inline" if written else "dispatch"), result.kind

    def _of_ints(self, kind: Kind, active: bool) -> Kind:
        """The kind of what ints were computed to: where these carry a derivative, so does an array
        of them (``np.arange(3) * n``).
        """
        return UNKNOWN if active and kind.tag in ("counts", "count") else kind

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


def _of_users_rule(
    fn: Any, path: str, kinds: Sequence[Kind], active: bool
) -> tuple[str, Kind] | None:
    """Treatment and kind of what `specialise/written_out.py` writes for a rule of the user's. In
    the text of a gradient inside, which has other paths, these functions are of another level.
    """
    if type(fn) is not FunctionType or path != f"{fn.__module__}:{fn.__name__}":
        return None
    if id(fn) in TELLS:
        return "plain", INT
    if fn is run_rule and all(map(k.is_real, kinds[1:])):
        return "plain", INERT
    if fn is value_of and all(map(k.is_real, kinds[1:])):
        return "inline" if active else "plain", REAL
    return None
