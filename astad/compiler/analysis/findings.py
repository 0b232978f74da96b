"""What is known of a program when its facts have been found.

>>> Facts({"x": k.FLOAT}, {"x"}).kind_of("x").text, kind_of_constant(2j).text
('float', 'complex')
"""

from __future__ import annotations

from collections.abc import Mapping

from astad.compiler.analysis.callees import Callee, Known
from astad.compiler.analysis.element_aliases import View
from astad.compiler.analysis.given import Knowledge
from astad.compiler.analysis.iterator_recognition import Unpacking, Walk
from astad.compiler.analysis.writes import Augmented, Writes
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import INERT, INT, ITEMS, UNKNOWN, Kind
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Star
from astad.compiler.ir.walk import operands
from astad.slotted import dataclass, field

__all__ = ["Facts", "Parts", "kind_of_constant"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a tuple of results holds: kinds of the parts, and their names."""

    kinds: tuple[Kind, ...]
    fields: tuple[str, ...]

    def place(self, node: Call) -> int | None:
        """Which part ``t[1]`` or ``t.logabsdet`` reads."""
        key = node.args[1].value if isinstance(node.args[1], Const) else None
        if key in self.fields:
            return self.fields.index(str(key))
        count = len(self.kinds)
        return key % count if type(key) is int and -count <= key < count else None


@dataclass(slots=True)
class Facts:
    """``kind`` and ``active`` by name, ``treatment`` by ``id`` of the call, ``known`` by name.

    ``known`` holds the objects that names stand for, ``path`` how they are reached from the user's
    globals, ``data`` path and kind of arrays and floats that are read by name. ``shared`` arrays
    have a part of their cotangent in a shadow, ``indexed`` ones are read by element or slice, into
    one buffer. ``views`` has, by ``id`` of the call, the operands that a result may share memory
    with. ``writes`` tells of the local arrays that are written in place, ``augmented`` has by
    ``id`` the statements of each ``u[i] += v``, ``unpackings`` those of ``x, y = v``, ``walks`` by
    ``id`` what each loop goes through. ``callees`` tells by ``id`` of a call which function of the
    user's it calls without dispatcher, ``about`` what is known of that, ``relied_on`` the paths
    which that takes for granted. ``for_debugger``: the text asks for one, which must find the
    user's frame and lines. ``tested`` has by ``id`` the calls of which more is taken for granted
    than is proved, see `call_strategy.py`, ``parts`` by name the tuples of results of known
    functions, ``rows`` the names of rows of lists; ``pieces`` the tuples and slices that alone
    bind a name. ``left_out`` are arrays of which entries may be left out of the result. ``again``:
    the gradient is itself differentiated.
    """

    kind: dict[str, Kind]
    active: set[str]
    treatment: dict[int, str] = field(default_factory=dict)
    path: dict[str, str] = field(default_factory=dict)
    known: dict[str, object] = field(default_factory=dict)
    data: dict[str, tuple[str, Kind]] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    writes: Writes = field(default_factory=Writes)
    augmented: dict[int, Augmented] = field(default_factory=dict)
    unpackings: dict[int, Unpacking] = field(default_factory=dict)
    walks: dict[int, Walk] = field(default_factory=dict)
    indexed: set[str] = field(default_factory=set)
    views: dict[int, tuple[str, ...]] = field(default_factory=dict)
    displays: Mapping[str, Call] = field(default_factory=dict)
    pieces: Mapping[str, Call] = field(default_factory=dict)
    callees: dict[int, Callee] = field(default_factory=dict)
    about: dict[int, Known] = field(default_factory=dict)
    relied_on: dict[int, tuple[str, ...]] = field(default_factory=dict)
    for_debugger: bool = False
    left_out: frozenset[str] = frozenset()
    tested: dict[int, str] = field(default_factory=dict)
    parts: dict[str, Parts] = field(default_factory=dict)
    rows: dict[str, tuple[View, ...]] = field(default_factory=dict)
    again: bool = False

    def kind_of(self, operand: Operand | Star) -> Kind:
        if type(operand) is Const:
            return kind_of_constant(operand.value)
        return self.kind.get(operand, UNKNOWN)  # type: ignore[arg-type]  # only names are in it

    def is_active(self, operand: Operand | Star) -> bool:
        return (operand.operand if type(operand) is Star else operand) in self.active

    def all_operands(self, node: Node) -> list[Operand]:
        """The operands; of a display that the call joins, its items too."""
        found = [*operands(node)]
        for operand in operands(node):
            if self.kind_of(operand) is ITEMS:
                found += self.knowledge.items(operand) or ()
        return found

    @property
    def knowledge(self) -> Knowledge:
        return Knowledge(self.kind_of, self.known, self.displays)

    @property
    def leaves(self) -> bool:
        """May a fused function leave half-way, or a callee of it?"""
        return bool(self.tested) or any(about.leaves for about in self.about.values())

    @property
    def dispatches(self) -> bool:
        return "dispatch" in self.treatment.values()

    def less_dispatched(self, other: Facts) -> bool:
        """Is less left to the run time than there?"""
        counts = [[*facts.treatment.values()].count("dispatch") for facts in (self, other)]
        return counts[0] < counts[1]


def kind_of_constant(value: object) -> Kind:
    return OF_LITERALS.get(type(value), INERT)


OF_LITERALS = {bool: k.BOOL, int: INT, float: k.FLOAT, complex: k.COMPLEX}
