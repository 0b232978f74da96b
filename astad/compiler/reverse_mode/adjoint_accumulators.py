"""Cotangents while the reverse sweep is written: their names, and whether they may be None.

The cotangent belongs to the name, as the value does: a binding takes it, a read adds to it. A
name without an entry in ``state`` has the cotangent zero, and no text is spent on it. 'live' is
a number or an array, 'owned' a buffer that nobody else has, 'thin' may have fewer or shorter axes
than the value to whose shape it broadcasts, 'maybe' may be None or thin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from astad.compiler.analysis.element_aliases import View
from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import (
    Listing,
    has_rows,
    is_array,
    is_complex,
    is_floating,
    is_listing,
    is_real,
)
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Branch, Call, Const, Node, Operand, Prim, Ref
from astad.compiler.ir.prims import BINARY, UNARY

__all__ = ["ADD", "NONE", "Bars", "is_new", "may_be_none", "stronger", "weaker"]

SUM, ADD = Prim("add"), Ref("astad.tangents.add", "add")
ADD_ITEMS = Ref("astad.tangents.lists", "add_items")
ADD_ROWS, ZEROS = Ref("astad.tangents.lists", "add_rows"), Ref("astad.tangents.lists", "zeros")
OWNED = Ref("astad.tangents.arrays", "owned")
NONE = Const(None)
Writer = Callable[[list[Node]], None]
ShapeOf = Callable[[str, bool], Operand | None]
"""The array of which a cotangent has the shape, where the sweep stands, or the shape, a literal;
when the second argument is true, None for a name which may stand for nothing there."""
ToShadow = Callable[[str, Operand, Operand, list[Node]], None]
PlaceOf = Callable[[str, View, list[Node]], Operand]
"""The index of a row in its list."""
ARITHMETIC = {*BINARY, *UNARY}


class Bars:
    """The table of cotangents, and the statements that change it.

    ``sizes`` has the names that stand for a number which is neither zero nor infinite nor nan, with
    its size, known to some powers of ten. Parts of elements of the arrays ``in_shadow`` go straight
    to their shadow, by ``to_shadow``.
    """

    def __init__(self, facts: Facts, names: Names) -> None:
        self.facts = facts
        self.names = names
        self.state: dict[str, str] = {}
        self.sizes: dict[str, float] = {}
        self.shape_of: ShapeOf = lambda value, certain: value
        self.in_shadow: frozenset[str] = frozenset()
        self.at_times: frozenset[str] = frozenset()
        self.to_shadow: ToShadow = lambda value, index, part, out: None
        self.place_of: PlaceOf = lambda value, view, out: NONE
        self.position: Callable[[], int] = lambda: -1
        self._called: dict[str, str] = {}
        self._parts: dict[str, str] = {}
        self._lent: set[str] = set()

    def leave(self) -> None:
        """The sweep is written: whoever told shapes may go, without waiting for the collector."""
        self.shape_of = lambda value, certain: value
        self.to_shadow = lambda value, index, part, out: None
        self.place_of, self.position = lambda value, view, out: NONE, lambda: -1

    def lend(self, buffers: Iterable[str]) -> None:
        """The cotangents of these values are the caller's: they are added to in place alone."""
        self._lent.update(buffers)
        self.state.update((value, "owned") for value in self._lent)

    def is_lent(self, value: str) -> bool:
        return value in self._lent

    def name(self, value: str) -> str:
        """``y_bar`` for ``y``, the same at every call."""
        if value not in self._called:
            self._called[value] = self.names.fresh(f"{value}_bar")
        return self._called[value]

    def take(self, value: str) -> str | None:
        """The cotangent of a value that is bound here: read and, going back, zero again."""
        return self.name(value) if self.state.pop(value, None) else None

    def first(self, value: str) -> str | None:
        """The name to bind a first part to, which may be None, at once; None where it must be
        added to something, be it a zero.
        """
        kind = self.facts.kind_of(value)
        if value in self.state or value in self._lent or is_real(kind) or is_listing(kind):
            return None
        self.sizes.pop(self.name(value), None)
        return self.name(value)

    def give(
        self,
        value: str,
        part: Operand,
        line: int,
        out: list[Node],
        *,
        certain: bool = True,
        thin: bool = False,
        owned: bool = False,
    ) -> None:
        """Add one part; ``certain`` when it cannot be None, ``thin`` when it may have fewer or
        shorter axes than the value, ``owned`` when nobody else has it.
        """
        if value in self._lent and not certain:
            self._give_lent(value, part, line, out)
            return
        bar, before, kind = self.name(value), self.state.get(value), self.facts.kind_of(value)
        if is_listing(kind):
            self._give_list(value, part, line, out, certain=certain)
            return
        real = is_real(kind) and value not in self.at_times
        if before is None and real and not certain:
            before, certain = "live", False
            out.append(Bind(bar, self.zero(value), line))
        given = "maybe" if not certain else "thin" if thin and not real else "live"
        if self.sizes:
            self.note_size(bar, self.sizes.get(str(part)) if before is None else None)
        if before is None:
            fresh = owned or (certain and self._is_fresh(value, part, out))
            if part != bar:
                out.append(Bind(bar, part, line))
            self.state[value] = "owned" if fresh and given == "live" else given
            return
        if before == "owned" and certain:
            out.append(Call(None, Prim("accumulate"), (bar, Const(...), part), (), line))
            return
        plain = before != "maybe" and certain
        if certain and before == "maybe" and value in self.at_times:
            self._add_first(bar, part, line, out)
        else:
            out.append(Call(bar, SUM if plain else ADD, (bar, part), (), line))
        self.state[value] = stronger(before, given)
        if plain and self.state[value] == "live" and is_array(kind):
            self.state[value] = "owned"  # a sum is a new array

    def _give_list(
        self, value: str, part: Operand, line: int, out: list[Node], *, certain: bool
    ) -> None:
        """Add a list that nobody else has."""
        bar = self.name(value)
        if value not in self.state and self.row_of(value) is None:
            if part != bar:
                out.append(Bind(bar, part, line))
            self.state[value] = "owned" if certain else "maybe"
            return
        self.own(value, line, out)
        add = ADD_ROWS if has_rows(self.facts.kind_of(value)) else ADD_ITEMS
        added = Call(None, add, (bar, part), (), line)
        if certain:
            out.append(added)
            return
        test = self.names.numbered("t")
        out.append(Call(test, Prim("is_not"), (part, NONE), (), line))
        out.append(Branch(test, (added,), (), line))

    def _add_first(self, bar: str, part: Operand, line: int, out: list[Node]) -> None:
        """Add a number or array to what is None if it is the first."""
        test = self.names.numbered("t")
        out.append(Call(test, Prim("is_"), (bar, NONE), (), line))
        added = Call(bar, SUM, (bar, part), (), line)
        out.append(Branch(test, (Bind(bar, part, line),), (added,), line))

    def note_size(self, name: str, size: float | None) -> None:
        """Of a number that is not zero; of one too large or too small to be sure nothing."""
        self.sizes.pop(name, None)
        if size is not None and 1e-200 < size < 1e200:
            self.sizes[name] = size

    def _give_lent(self, value: str, part: Operand, line: int, out: list[Node]) -> None:
        """Add what may be None to a buffer of the caller's."""
        test, arm = self.names.numbered("t"), list[Node]()
        out.append(Call(test, Prim("is_not"), (part, NONE), (), line))
        self.give_slot(value, Const(...), part, line, arm)
        out.append(Branch(test, tuple(arm), (), line))

    def _is_fresh(self, value: str, part: Operand, out: list[Node]) -> bool:
        """Was the part, of an array, made just now by an operation, and for this place alone?"""
        made = out[-1] if out else None
        return (
            is_array(self.facts.kind_of(value))
            and isinstance(made, Call)
            and made.target == part
            and part not in self._called.values()
            and is_new(made)
        )

    def give_slot(
        self,
        value: str,
        index: Operand,
        part: Operand,
        line: int,
        out: list[Node],
        *,
        twice: bool = False,
        view: bool = False,
        first: bool = False,
    ) -> None:
        """Add one part to an element or slice: in place, in a buffer made once.

        ``twice``: the index may name a place more than once; ``view``: it gives a view; ``first``:
        the buffer has just been made.
        """
        if self.has_shadow(value):
            self.to_shadow(value, index, part, out)
            return
        first = self.own(value, line, out) or first
        bar = self.name(value)
        if twice:
            out.append(Call(None, Prim("scatter"), (bar, index, part), (), line))
        elif first and index != Const(...):
            out.append(Call(None, Prim("setitem"), (bar, index, part), (), line))
        elif view:
            place = self._parts.setdefault(value, "") or self.names.fresh(f"{value}_part")
            self._parts[value] = place
            out.append(Call(place, Prim("getitem"), (bar, index), (), line))
            out.append(Call(None, Prim("accumulate"), (place, Const(...), part), (), line))
        else:
            out.append(Call(None, Prim("accumulate"), (bar, index, part), (), line))

    def has_shadow(self, value: str) -> bool:
        """Do parts of its elements go straight to the shadow?"""
        return value in self.in_shadow and value not in self.state

    def own(self, value: str, line: int, out: list[Node]) -> bool:
        """See that the cotangent is a buffer which nobody else has; True where it is new."""
        before = self.state.get(value)
        if before == "owned":
            return False
        if (view := self.row_of(value)) is not None:
            self._own_row(value, view, line, out)
            return False
        shape, shaped = self.names.numbered("t"), self.shape_of(value, False)
        assert shaped is not None
        if is_listing(self.facts.kind_of(value)):
            self._own_list(value, shaped, line, out)
            return False
        literal = isinstance(shaped, Const)
        made = (shaped, Const("shape"))
        out.append(
            Bind(shape, shaped, line) if literal else Call(shape, Prim("getattr"), made, (), line)
        )
        bar, of = self.name(value), list[Operand]((shape,))
        if is_complex(self.facts.kind_of(value)):
            of.append(Ref("numpy", "complex128"))
        if before is None:
            out.append(Call(bar, Ref("numpy", "zeros"), tuple(of), (), line))
        else:
            out.append(Call(bar, OWNED, (bar, *of), (), line))
        self.state[value] = "owned"
        return before is None

    def _own_list(self, value: str, whole: Operand, line: int, out: list[Node]) -> None:
        """``xs_bar = [0.0] * len(xs)``, where there is none yet."""
        zero = Const(0.0 if self.is_of_floats(value) else 0)
        made: list[Node] = []
        if has_rows(self.facts.kind_of(value)):
            made.append(Call(self.name(value), ZEROS, (whole, zero), (), line))
        else:
            count, item = self.names.numbered("t"), self.names.numbered("t")
            made.append(Call(item, Prim("list"), (zero,), (), line))
            made.append(Call(count, Ref("builtins", "len"), (whole,), (), line))
            made.append(Call(self.name(value), Prim("mul"), (item, count), (), line))
        self._where_none(value, made, line, out)

    def row_of(self, value: str) -> View | None:
        """Of which list the name stands for a row, where the sweep stands."""
        if value not in self.facts.rows:
            return None
        at = self.position()
        found = (view for view in self.facts.rows[value] if view.start <= at <= view.end)
        return next(found, None)

    def _own_row(self, value: str, view: View, line: int, out: list[Node]) -> None:
        """``row_bar = A_bar[i]``: that part itself, not another one to be added to it."""
        self.own(view.source, line, out)
        made: list[Node] = []
        place = self.place_of(value, view, made)
        whole = self.name(view.source)
        made.append(Call(self.name(value), Prim("getitem"), (whole, place), (), line))
        self._where_none(value, made, line, out)

    def _where_none(self, value: str, made: list[Node], line: int, out: list[Node]) -> None:
        if self.state.get(value) == "maybe":
            test = self.names.numbered("t")
            out.append(Call(test, Prim("is_"), (self.name(value), NONE), (), line))
            out.append(Branch(test, tuple(made), (), line))
        else:
            out += made
        self.state[value] = "owned"

    def is_of_floats(self, value: str) -> bool:
        """Are all items of a list floats, or those of its rows?"""
        kind = self.facts.kind_of(value)
        while isinstance(kind, Listing):
            kind = kind.item
        return is_floating(kind)

    def zero(self, value: str) -> Const:
        """A real zero for numbers, None for what may be an array or anything."""
        if value in self.at_times:
            return NONE
        kind = self.facts.kind_of(value)
        return Const(0.0 if is_floating(kind) else 0) if is_real(kind) else NONE

    def make_present(self, value: str, line: int, out: list[Node]) -> None:
        """Write a zero where there is none, so that two paths agree."""
        if value in self.state:
            return
        has_slots = value in self.facts.indexed or is_listing(self.facts.kind_of(value))
        has_slots = has_slots and not self.has_shadow(value)
        if has_slots and self._is_at_hand(value):
            self.own(value, line, out)
            return
        zero = self.zero(value)
        out.append(Bind(self.name(value), zero, line))
        self.state[value] = "maybe" if zero == NONE else "live"

    def _is_at_hand(self, value: str) -> bool:
        """May a cotangent be made here? Of a row that takes the list that it is in."""
        while (view := self.row_of(value)) is not None:
            value = view.source
            if self.state.get(value) == "owned":
                return True
        return self.shape_of(value, True) is not None

    def branch(
        self, test: Operand, body: Writer, orelse: Writer, line: int, out: list[Node]
    ) -> None:
        """Write both arms from the same state and bring them to one."""
        start, shape_of, sizes = dict(self.state), self.shape_of, dict(self.sizes)
        first: list[Node] = []
        body(first)
        after_first, self.state = self.state, start
        second: list[Node] = []
        sizes_of_first, self.sizes = self.sizes, sizes
        orelse(second)
        both = self.sizes.items()
        self.sizes = {name: size for name, size in both if sizes_of_first.get(name) == size}
        after_second, self.shape_of = self.state, shape_of
        for state, arm in ((after_first, first), (after_second, second), (after_first, first)):
            self.state = state  # a row may bring in its list, so that one arm is looked at again
            for value in sorted({*after_first, *after_second} - state.keys()):
                self.make_present(value, line, arm)
        self.state = {name: weaker(after_first[name], after_second[name]) for name in after_first}
        if first or second:
            out.append(Branch(test, tuple(first), tuple(second), line))


def may_be_none(value: str, facts: Facts) -> bool:
    """Can a cotangent stay None where nothing comes? Not one whose elements are added to."""
    kind = facts.kind_of(value)
    return is_real(kind) or (is_array(kind) and value not in facts.indexed)


def is_new(made: Call) -> bool:
    """Is the result, if an array, one that nobody else has?"""
    return isinstance(made.fn, Prim) and made.fn.name in ARITHMETIC


STRENGTH = {"maybe": 0, "thin": 1, "live": 2, "owned": 3}


def weaker(a: str, b: str) -> str:
    """What is known of a cotangent that is in either state.

    >>> weaker("owned", "owned"), weaker("owned", "thin"), weaker("live", "maybe")
    ('owned', 'thin', 'maybe')
    """
    return a if STRENGTH[a] <= STRENGTH[b] else b


def stronger(a: str, b: str) -> str:
    """What is known of a sum of two cotangents, which nobody owns yet.

    >>> stronger("owned", "owned"), stronger("owned", "thin"), stronger("thin", "maybe")
    ('live', 'live', 'thin')
    """
    found = a if STRENGTH[a] >= STRENGTH[b] else b
    return "live" if found == "owned" else found
