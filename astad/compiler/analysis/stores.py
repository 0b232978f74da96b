"""Statements that write an array in place, or take one apart: what they need so that their reverse
is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from astad.compiler.analysis.lists import Lists, Treated
from astad.compiler.analysis.walks import Unpacking
from astad.compiler.analysis.writes import Augmented
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Program, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import IN_PLACE

__all__ = ["Stores", "keep_order", "stored_value"]

UPDATES = ("iadd", "isub", "imul", "itruediv")
AUGMENTED = (Prim("iadd"), Prim("isub"), Prim("imul"))
"""In-place operations whose reverse is written out: of whole arrays, of their elements."""


def stored_value(node: Call, augmented: Mapping[int, Augmented]) -> Operand | Star:
    """What a store puts in, or works with."""
    return augmented[id(node)].value if id(node) in augmented else node.args[2]


@dataclass(slots=True)
class Stores:
    """Decides for each statement whether it is a write of one of the arrays in ``writable``, or an
    operation on ``lists`` of numbers, if there are any.
    """

    kind_of: Callable[[Operand | Star], Kind]
    is_active: Callable[[Operand | Star], bool]
    writable: set[str]
    augmented: dict[int, Augmented]
    unpackings: Mapping[int, Unpacking]
    lists: Lists | None = None

    def treat(self, node: Call) -> Treated | None:
        """None for what is neither, or cannot be written out."""
        found = self._of_array(node) if self.writable or self.unpackings else None
        if found is None and self.lists is not None:
            return self.lists.treat(node)
        return found

    def lost(self, node: Node) -> list[str]:
        """Names of lists that are no longer known to be such."""
        return self.lists.lost(node) if self.lists is not None else []

    def _of_array(self, node: Call) -> Treated | None:
        unpacking = self.unpackings.get(id(node))
        if unpacking is not None:
            return self._unpack(node, unpacking)
        triple = self.augmented.get(id(node))
        if triple is not None and self._is_of_view(triple):
            if not self._is_well(triple.stores):
                return None
            if node is not triple.stores:
                return Treated("merged", str(node.target), self._slot(triple.stores), active=False)
        elif triple is not None:
            del self.augmented[id(node)]  # of a number: a read, a sum and a store
        if not self._is_well(node):
            return None
        array = str(node.args[0])
        stores = node.fn == Prim("setitem")
        value = stored_value(node, self.augmented) if stores else node.args[1]
        active = self.is_active(array) or self.is_active(value)
        name = array if stores else str(node.target)
        return Treated("inline" if active else "plain", name, self.kind_of(array), active)

    def _unpack(self, node: Call, unpacking: Unpacking) -> Treated | None:
        """An array of one axis taken apart: the parts belong to the statement as a whole."""
        source, name = unpacking.whole.args[0], str(node.target)
        if self.kind_of(source) != k.array(1):
            return None
        active = self.is_active(source)
        if node is not unpacking.whole:
            return Treated("merged", name, k.FLOATING, active)
        return Treated("inline" if active else "plain", name, k.INERT, active=False)

    def _slot(self, node: Call) -> Kind:
        """Kind of what a store writes; through arrays of ints it may write a place twice."""
        if k.makes_copy(self.kind_of(node.args[1])):
            return k.UNKNOWN
        return k.subscripted(*map(self.kind_of, node.args[:2])) or k.UNKNOWN

    def _is_of_view(self, triple: Augmented) -> bool:
        is_array = k.is_array(self.kind_of(triple.stores.args[0]))
        return is_array and k.is_array(self._slot(triple.stores))

    def _is_well(self, node: Call) -> bool:
        """Does it write numbers of double precision where they fit for certain?"""
        if not isinstance(node.fn, Prim) or not node.args or node.args[0] not in self.writable:
            return False
        array = self.kind_of(node.args[0])
        if not k.is_array(array):
            return False
        if node.fn.name in IN_PLACE:
            return node.fn.name in UPDATES and _fits(self.kind_of(node.args[1]), array)
        if node.fn != Prim("setitem"):
            return False
        slot = self._slot(node)
        triple = self.augmented.get(id(node))
        if triple is not None and k.is_array(slot) and not _is_written_out(triple):
            return False
        fits = _fits(self.kind_of(stored_value(node, self.augmented)), slot)
        return fits and slot != k.UNKNOWN


def _is_written_out(triple: Augmented) -> bool:
    """Is there a reverse of it? That of ``u[i] *= u`` would need u as it was."""
    if triple.works.fn == Prim("imul") and triple.value == triple.stores.args[0]:
        return False
    return triple.works.fn in AUGMENTED


def _fits(value: Kind, slot: Kind) -> bool:
    """A number fits anywhere, an array where there are as many axes; its lengths NumPy checks."""
    if k.is_real(value) or value == k.BOOL:
        return True
    if not (k.is_array(value) and k.is_array(slot)) or value.rank is None or slot.rank is None:
        return False
    return value.rank <= slot.rank


def keep_order(
    program: Program, augmented: Mapping[int, Augmented], treatment: dict[int, str]
) -> None:
    """Where reading ``u[i]`` may raise, before v is computed, ``u[i] += v`` reads it first."""
    if not augmented:
        return
    text = outline(program)
    nodes = text.nodes
    makers = {
        node.target: node
        for node in text.calls
        if isinstance(node.target, str) and node.target in text.once
    }
    after = {id(node): following for node, following in zip(nodes, nodes[1:], strict=False)}
    for triple in set(augmented.values()):
        reads = id(triple.reads)
        if treatment.get(reads) != "merged" or after[reads] is triple.works:
            continue
        if not _is_slice(triple.reads.args[1], makers):
            treatment[reads] = "plain"


def _is_slice(index: Operand | Star, makers: Mapping[str, Call]) -> bool:
    made = makers.get(str(index)) if isinstance(index, str) else None
    if made is None:
        return isinstance(index, Const) and index.value is None
    if made.fn == Prim("tuple"):
        return all(_is_slice(part, makers) for part in made.args)
    return made.fn == Prim("slice")
