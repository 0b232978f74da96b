"""What the files of this folder share while they write one pair.

Operands of a statement as its reverse reads them: kept where a formula names them, by shape
alone where it asks for no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # what one file of the folder keeps to itself

from astad.compiler.analysis.element_aliases import View
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.shared import may_write
from astad.compiler.analysis.structure import Structure
from astad.compiler.analysis.symbolic_shapes import Extents
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import Kind, has_axes, is_listing
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Ref,
    Star,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.reverse_mode.adjoint_accumulators import Bars
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.residuals import Residuals
from astad.rules.formula import Rule
from astad.slotted import dataclass, field

__all__ = ["ReverseBlock", "Sweep", "kept", "place_of", "shape_of"]


@dataclass(slots=True)
class Sweep:
    """The state of writing one function's two sweeps.

    ``records`` maps the position of a dispatched call to the name of its record, ``boxes`` that
    of an inline call and an operand to the name of the operand's box, ``left`` a scope (a loop's
    position, or -1) to the name that tells which exit was taken, ``took`` a branch to the name
    that tells which arm ran; ``is_alone``: nobody has the arguments between the sweeps.
    ``factors`` has what `elementwise.py` once found of an operation, an operand and all kinds.
    ``is_finite`` is the name that tells whether the result is, where the reverse sweep asks; then
    the calls ``finite`` have given finite values.
    """

    program: Program
    structure: Structure
    facts: Facts
    names: Names
    bars: Bars
    residuals: Residuals
    versions: str
    shadows: str
    unused: str
    extents: Extents = field(default_factory=Extents)
    finite: frozenset[int] = frozenset()
    is_finite: str = ""
    is_alone: bool = False
    scope: int = -1
    result_bar: str = "y_bar"
    result_bar_is_certain: bool = False
    records: dict[int, str] = field(default_factory=dict)
    boxes: dict[tuple[int, str], str] = field(default_factory=dict)
    left: dict[int, str] = field(default_factory=dict)
    left_read: set[int] = field(default_factory=set)
    took: dict[int, str] = field(default_factory=dict)
    completed: dict[int, str] = field(default_factory=dict)
    routes: dict[int, str] = field(default_factory=dict)
    ends: dict[int, str] = field(default_factory=dict)
    places: dict[int, str] = field(default_factory=dict)
    ranges: dict[int, Operand] = field(default_factory=dict)
    parts: dict[tuple[str, int], str] = field(default_factory=dict)
    uses_shadows: bool = False
    draws: bool = False
    factors: dict[tuple[Rule, int, tuple[Kind, ...]], Any] = field(default_factory=dict)

    def value(self, operand: Operand, node: Node, *, after: bool = False) -> Operand:
        """The operand as the reverse sweep of this node reads it: a constant itself, a name as a
        residual.
        """
        if not isinstance(operand, str):
            return operand
        return self.residuals.use(operand, self.structure.at(node), after=after)

    def shape(self, node: Node, name: str, certain: bool = False) -> Operand | None:
        """An array of which the reverse sweep of this node reads the shape alone, or the shape.

        ``certain``: None where the name may not be bound before the node.
        """
        position = self.structure.at(node)
        if certain and not self._is_certain(name, position):
            return None
        found = self.shape_elsewhere(name, node, after=False)
        return found if found is not None else self._shape(name, position)

    def shape_elsewhere(self, name: str, node: Node, *, after: bool) -> Operand | None:
        """The shape itself where it is a literal, or a parameter that has it as well."""
        dims = self.extents.of(node, name, after=after)
        if dims is None:
            return None
        if all(isinstance(dim, int) for dim in dims):
            return Const(dims)
        return self.extents.whole.get(dims) if self.is_alone else None

    def _shape(self, name: str, position: int, *, after: bool = False) -> Operand:
        """A list as it is at its end tells its length."""
        if is_listing(self.facts.kind_of(name)):
            return self.residuals.use(name, position, after=after)
        return self.residuals.use_shape(name, position, after=after)

    def shape_past(self, node: Node, name: str, certain: bool = True) -> Operand | None:
        """The same just after a node, or inside it, for a name that the node does not bind."""
        if self.binds_in(node, name):
            return None
        return self.shape(node, name, certain=True)

    def shape_after(self, loop: Loop | While, name: str, certain: bool = True) -> Operand | None:
        """The same at the end of a loop that is left no other way."""
        position = self.structure.at(loop)
        if not self.binds_in(loop, name):
            return self.shape(loop, name, certain=True)
        leaves = not is_listing(self.facts.kind_of(name)) and any(
            scope != position and position <= at <= self.structure.last[position]
            for scope, at in self.structure.number
        )
        in_else = any(self.binds_in(node, name) for node in loop.orelse)
        if leaves or in_else or not self._is_certain(name, position):
            return None
        return self._shape(name, position, after=True)

    def binds_in(self, node: Node, name: str) -> bool:
        """Does the node, or a statement inside it, bind the name?"""
        start = self.structure.at(node)
        end = self.structure.last[start]
        found = self.structure.bindings[name]
        return any(start <= b.position <= end for b in found if not b.write)

    def _is_certain(self, name: str, position: int) -> bool:
        nodes = self.structure.nodes
        gone = any(
            getattr(nodes[binding.position], "fn", None) == Prim("forget")
            for binding in self.structure.bindings[name]
            if binding.position >= 0
        )
        path = self.structure.path[position]
        return not gone and self.structure.is_bound(name, position - 1, path)

    def is_row(self, name: str, node: Node) -> bool:
        """Does the statement bind the name to a row of a list?"""
        return any(view.node is node for view in self.facts.rows.get(name, ()))

    def position(self) -> int:
        """Of the statement at which the sweep stands."""
        node: Node = self.bars.shape_of.args[0]  # type: ignore[attr-defined]
        return self.structure.at(node)

    def place_of_row(self, name: str, view: View, out: list[Node]) -> Operand:
        """The index of a row, as the reverse of its round reads it."""
        if view.index is None:
            return self.place_in_walk(name, view.node, out, backwards=view.backwards)
        return self.again(view.index, view.node, out)

    def place_in_walk(
        self, leaf: str, loop: Node, out: list[Node], *, backwards: bool = False
    ) -> Operand:
        """Which item a round of a loop over lists takes."""
        position = self.structure.at(loop)
        if position not in self.places:
            self.places[position] = self.names.fresh(f"{leaf}_at")
        place = self.places[position]
        if not backwards:
            return place
        target = self.names.numbered("t")
        out.append(Call(target, Prim("invert"), (place,), (), loop.line))
        return target

    def finite_test(self) -> str:
        """The name of what tells whether the result is finite."""
        self.is_finite = self.is_finite or self.names.fresh("is_finite")
        return self.is_finite

    def again(self, operand: Operand, node: Node, out: list[Node]) -> Operand:
        """The same, computed again where that needs nothing to be kept: an index, a sum of an
        index and a constant.
        """
        made = self._made(operand) if isinstance(operand, str) else None
        if made is None or not self._is_cheap(operand, node):
            return self.value(operand, node)
        parts = tuple(
            part if isinstance(part, Star) else self.again(part, node, out) for part in made.args
        )
        target = self.names.numbered("t")
        out.append(Call(target, made.fn, parts, (), node.line))
        return target

    def _made(self, name: str) -> Call | None:
        """The one statement that binds a temporary by plain arithmetic or as an index."""
        if name in self.program.taken:
            return None
        bindings = self.structure.bindings[name]
        if len(bindings) != 1:
            return None
        node = self.structure.nodes[bindings[0].position]
        if type(node) is not Call or type(node.fn) is not Prim or node.target != name:
            return None
        plain = self.facts.treatment.get(id(node)) == "plain"
        return node if plain and node.fn.name in AGAIN else None

    def _is_cheap(self, operand: Operand, node: Node) -> bool:
        """Is it made of constants, of indices that are counted again, and of names that stay as
        they are? An array may be written meanwhile, and takes time.
        """
        if not isinstance(operand, str):
            return not isinstance(operand, Star)
        if has_axes(self.facts.kind_of(operand)):
            return False
        made = self._made(operand)
        if made is not None:
            return all(
                not isinstance(part, Star) and self._is_cheap(part, node) for part in made.args
            )
        bindings = self.structure.bindings[operand]
        if len(bindings) != 1:
            return False
        loops = bindings[0].loops
        if not loops:
            return True
        return bindings[0].position in self.counted

    @property
    def counted(self) -> set[int]:
        """Loops over ranges that run to their end."""
        return self.residuals.countable


AGAIN = {
    "add",
    "sub",
    "mul",
    "truediv",
    "neg",
    "slice",
    "tuple",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
}
"""What is cheaper to compute again than to keep: one operation on Python numbers, an index."""

ReverseBlock = Callable[[Block, "Sweep", list[Node]], None]


# --- operands as the reverse sweep reads them


FROZEN = Ref("astad.runtime.core.listings", "frozen_index")


def kept(operand: Operand, node: Call, sweep: Sweep, to: Writer, *, after: bool) -> Operand:
    """The operand just before the statement (or the result just after it), read through its box
    where somebody may write it later.
    """
    if not isinstance(operand, str) or operand not in sweep.facts.shared:
        if after:
            return sweep.value(operand, node, after=True)
        return place_of(operand, node, sweep, to.out, AS_IT_WAS)
    position = sweep.structure.at(node)
    key = (position, operand + ">" * after)
    if key not in sweep.boxes:
        box = sweep.boxes[key] = sweep.names.fresh(f"{operand}_box")
        keep = Call(box, Prim("method"), (sweep.versions, Const("keep"), operand), (), node.line)
        (sweep.residuals.after if after else sweep.residuals.before)[position].append(keep)
        sweep.residuals.bind(box, position)
    held = sweep.residuals.use(sweep.boxes[key], position, after=True)
    return to.call(Prim("getitem"), held, Const(0))


AS_IT_WAS = Ref("astad.runtime.core.listings", "as_it_was")


def place_of(
    index: Operand, node: Call, sweep: Sweep, out: list[Node], copy: Ref = FROZEN
) -> Operand:
    """The subscript of a statement as its reverse reads it, or another operand that carries no
    derivative: a copy, made before the statement, where somebody may write an array in it.
    """
    if not isinstance(index, str) or not _may_be_written(index, sweep):
        return sweep.again(index, node, out)
    position = sweep.structure.at(node)
    key = (position, index + "[]")
    if key not in sweep.boxes:
        frozen = sweep.boxes[key] = sweep.names.fresh(f"{index}_then")
        copies = Call(frozen, copy, (index,), (), node.line)
        sweep.residuals.before[position].append(copies)
        sweep.residuals.bind(frozen, position)
    return sweep.residuals.use(sweep.boxes[key], position, after=True)


def _may_be_written(index: str, sweep: Sweep) -> bool:
    """Is it an array that others reach, or a tuple that may hold one?"""
    shared, kind = sweep.facts.shared, sweep.facts.kind_of(index)
    if index in shared:
        return True
    if kind == k.UNKNOWN:
        return any(
            sweep.facts.treatment.get(id(call)) == "dispatch" and may_write(call)
            for call in outline(sweep.program).calls
        )
    if kind.tag != "fancy" or not any(k.makes_copy(sweep.facts.kind_of(name)) for name in shared):
        return False
    nodes = [
        sweep.structure.nodes[binding.position]
        for binding in sweep.structure.bindings[index]
        if binding.position >= 0
    ]
    tuples = [made for made in nodes if isinstance(made, Call) and made.fn == Prim("tuple")]
    return len(tuples) < len(nodes) or any(
        not shared.isdisjoint(map(str, made.args)) for made in tuples
    )


def shape_of(operand: Operand, node: Call, sweep: Sweep, to: Writer, *, after: bool) -> Operand:
    """The shape of an array, asked where it is at hand; ``()`` for a number."""
    kind = sweep.facts.kind_of(operand)
    if not isinstance(operand, str) or not k.is_any_array(kind):
        return Const(())  # no program is known: a rule that asks for the shape of a number
    found = sweep.shape_elsewhere(operand, node, after=after)
    if isinstance(found, Const):
        return found
    if found is not None:
        return to.call(Prim("getattr"), found, Const("shape"))
    position = sweep.structure.at(node)
    held = sweep.residuals.use_shape(operand, position, after=after)
    return to.call(Prim("getattr"), held, Const("shape"))
