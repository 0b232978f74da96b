"""Local arrays that a function writes in place: which of them stand under one name at a time.

An array qualifies when it is made in the function and met by nothing but operations that are
written out: it is not stored, captured or handed on, nor returned but at the very end, and a view
of it is read only as long as nobody writes it. Then its cotangent is one buffer, as the array is.

Statements that write an array in place, or take one apart: what they need so that their reverse
is written out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from astad.compiler.analysis.iterator_recognition import WALK, Unpacking
from astad.compiler.analysis.lists import Lists, Treated
from astad.compiler.analysis.result_kinds import is_claimed
from astad.compiler.analysis.structure import study
from astad.compiler.ir import kinds as k
from astad.compiler.ir.flow import live_at_head, live_behind
from astad.compiler.ir.kinds import UNKNOWN, Kind
from astad.compiler.ir.nodes import (
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
    immutable,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.compiler.ir.walk import binds, blocks, bound_inside, reads
from astad.slotted import dataclass, field, replace

__all__ = [
    "Augmented",
    "Stores",
    "Writes",
    "find_augmented",
    "find_writable",
    "is_update",
    "keep_order",
    "study_writes",
]

LIBRARIES = ("numpy", "builtins", "math")


@immutable
class Augmented:
    """``u[i] += v``: three statements that are one operation on an array.

    ``reads`` gets the view, ``works`` adds to it, ``stores`` puts it back where it is.
    """

    reads: Call
    works: Call
    stores: Call

    @property
    def parts(self) -> tuple[Call, Call, Call]:
        return self.reads, self.works, self.stores

    @property
    def value(self) -> Operand | Star:
        return self.works.args[1]


@immutable
class Writes:
    """``of`` has for each name of an array that is written the positions of the writes, and of the
    return that hands it out to be written by others; ``roots`` are the names that do not stand for
    a view, ``fresh`` the positions where one is bound to a new array.
    """

    of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()
    fresh: frozenset[int] = frozenset()


def find_writable(program: Program) -> set[str]:
    """Names of which an element is stored, or that are changed in place, if no parameters."""
    params = {param.name for param in program.params}
    return {
        node.args[0]
        for node in outline(program).calls_of("setitem", *IN_PLACE)
        if isinstance(node.args[0], str) and node.args[0] not in params
    }


def find_augmented(program: Program) -> dict[int, Augmented]:
    """The triples behind ``u[i] += v``, by ``id`` of each of their statements."""
    found: dict[int, Augmented] = {}
    text = outline(program)
    for block in _blocks(program) if text.calls_of("setitem") else ():
        for end, stores in enumerate(block):
            triple = _augmented(block, end - 1, stores) if _is(stores, "setitem") else None
            if triple is None:
                continue
            parts = {str(triple.reads.target), str(triple.works.target)}
            if parts <= text.once and all(text.read[name] == 1 for name in parts):
                found.update((id(part), triple) for part in triple.parts)
    return found


def _blocks(program: Program) -> Iterator[Block]:
    yield program.body
    for node in outline(program).nodes:
        yield from blocks(node)


def _is(node: Node, *names: str) -> bool:
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in names


def _augmented(block: Block, end: int, stores: Node) -> Augmented | None:
    """Back from the last of the three statements to the first."""
    works = block[max(end, 0)]
    assert isinstance(stores, Call)
    if not isinstance(works, Call) or not _is(works, *IN_PLACE) or stores.args[2] != works.target:
        return None
    for node in reversed(block[:end]):
        if isinstance(node, Call) and node.target == works.args[0]:
            same = _is(node, "getitem") and node.args == stores.args[:2]
            return Augmented(node, works, stores) if same else None
        if not bound_inside(node).isdisjoint(map(str, stores.args[:2])):
            return None  # no program is known: ``u[i] += (i := 1) * x`` holds i in a temporary
    return None


def is_update(node: Node, kind_of: Mapping[str, Kind]) -> bool:
    """Does the statement change an array as a whole, ``u += v``?"""
    return (
        isinstance(node, Call)
        and isinstance(node.fn, Prim)
        and node.fn.name in IN_PLACE
        and k.is_array(kind_of.get(str(node.args[0]), UNKNOWN))
    )


def study_writes(
    program: Program,
    kinds: Mapping[str, Kind],
    treatment: Mapping[int, str],
    views: Mapping[int, tuple[str, ...]],
    known: Mapping[str, object],
    writable: set[str],
) -> tuple[Writes, set[str]]:
    """The writes that may be written out, and the names in ``writable`` that do not qualify."""
    if not writable:
        return Writes(), set()
    found = outline(program)
    stores = set(map(id, found.calls_of("setitem", *IN_PLACE)))
    calls = [node for node in found.calls if id(node) in stores and node.args[0] in writable]
    written = [node for node in calls if _is_write(node, kinds, treatment)]
    if not written:
        return Writes(), set()
    student = _Student(program, kinds, treatment, views, known, written)
    groups = student.groups()
    of: dict[str, tuple[int, ...]] = {}
    roots: set[str] = set()
    refused: set[str] = set()
    for name in dict.fromkeys(str(node.args[0]) for node in written):
        group = groups.get(name, {name})
        own = [node for node in written if node.args[0] in group]
        if not student.qualifies(group, own):
            refused |= group & writable
            continue
        ends: list[Node] = [node for node in student.ends if node.value in group]
        positions = tuple(student.structure.at(node) for node in [*own, *ends])
        of.update((member, positions) for member in group)
        roots |= group - student.view_names
    fresh = {
        binding.position
        for name in roots
        for binding in student.structure.bindings[name]
        if not is_update(student.structure.nodes[binding.position], kinds)
    }
    return Writes(of, frozenset(roots), frozenset(fresh)), refused


def _has_between(positions: Sequence[int], start: int, end: int) -> bool:
    """Does one of these, in order, lie between the two?"""
    return bisect_right(positions, start) < bisect_left(positions, end)


def _is_write(node: Call, kinds: Mapping[str, Kind], treatment: Mapping[int, str]) -> bool:
    """Is an array written by a store or an operation in place that is not dispatched?"""
    if not k.has_entries(kinds.get(str(node.args[0]), UNKNOWN)):
        return False
    how = treatment.get(id(node))
    return how != "dispatch" and (how != "merged" or _is(node, "setitem"))


class _Student:
    def __init__(
        self,
        program: Program,
        kinds: Mapping[str, Kind],
        treatment: Mapping[int, str],
        views: Mapping[int, tuple[str, ...]],
        known: Mapping[str, object],
        written: Sequence[Call],
    ) -> None:
        self.known = known
        self.behind = live_behind(program.body, written)
        self.at_head = live_at_head(program.body)
        self.structure = structure = study(program)
        only = structure.exits[-1] == 1
        self.ends = [node for node in program.body[-1:] if only and isinstance(node, Exit)]
        self.kinds = kinds
        self.treatment = treatment
        self.views = views
        self.readers: dict[str, list[Node]] = {}
        self.view_names: set[str] = set()
        self.walked: dict[str, list[Loop]] = {}
        """The loops that go through an array, alone or beside others."""
        for node in structure.nodes:
            for name in reads(node):
                self.readers.setdefault(name, []).append(node)
            if isinstance(node, Loop):
                for name in self._sources_of_walk(node.iterable):
                    self.walked.setdefault(name, []).append(node)

    def _sources_of_walk(self, iterable: Operand | Star) -> Iterator[str]:
        """What a loop goes through, behind ``zip`` and ``enumerate``."""
        made = self._maker(iterable) if self.kinds.get(str(iterable)) == WALK else None
        if made is not None:
            for arg in made.args:
                yield from self._sources_of_walk(arg)
        elif isinstance(iterable, str):
            yield iterable

    def is_array(self, name: object) -> bool:
        return isinstance(name, str) and k.has_entries(self.kinds.get(name, UNKNOWN))

    def is_merged(self, node: Node) -> bool:
        """Is it the first or second statement of an ``u[i] += v`` that is one operation?"""
        return self.treatment.get(id(node)) == "merged"

    def groups(self) -> dict[str, set[str]]:
        """Names of arrays that may share memory, together."""
        found: dict[str, set[str]] = {}
        for node in self.structure.nodes:
            if self.is_merged(node):
                continue
            for target in filter(self.is_array, binds(node)):
                for source in filter(self.is_array, self._sources(node)):
                    joined = found.get(target, {target}) | found.get(source, {source})
                    found.update((name, joined) for name in joined)
        return found

    def _sources(self, node: Node) -> Iterable[str]:
        """What the result of a statement may share memory with."""
        if not isinstance(node, Call):
            return reads(node)
        if _is(node, "getitem") and k.makes_copy(self.kinds.get(str(node.args[1]), UNKNOWN)):
            return ()
        if _is(node, "getitem") or is_update(node, self.kinds):
            return (str(node.args[0]),)
        return self.views.get(id(node), ())

    def qualifies(self, group: set[str], written: Sequence[Call]) -> bool:
        if not all(self._is_bound_well(name) for name in sorted(group)):
            return False
        if any(node.args[0] in self.view_names for node in written):
            return False
        if not all(
            self._is_read_well(name, node) for name in group for node in self.readers.get(name, ())
        ):
            return False
        if not all(self._reads_first(node, group) for node in written):
            return False
        loops = [loop for name in group for loop in self.walked.get(name, ())]
        if any(self._is_inside(node, loop) for node in written for loop in loops):
            return False  # its items change as the loop goes through them
        positions = sorted(map(self.structure.at, written))
        readers = [reader for name in group for reader in self.readers.get(name, ())]
        if any(_has_between(positions, *self._until_joined(reader)) for reader in readers):
            return False
        stale = self.at_head.union(*[self.behind[id(node)] for node in written])
        if not stale.isdisjoint(group & self.view_names):
            return False  # a view is read when the array has been written
        updates = [node for node in written if is_update(node, self.kinds)]
        # ``v = u += w``: nobody reads u, the old name, any more
        return all(node.args[0] not in self.behind[id(node)] - {node.target} for node in updates)

    def _is_inside(self, node: Node, loop: Loop) -> bool:
        start = self.structure.at(loop)
        return start < self.structure.at(node) <= self.structure.last[start]

    def _is_bound_well(self, name: str) -> bool:
        """Is it a fresh array, or the one view that its name ever stands for?"""
        bindings = self.structure.bindings[name]
        nodes = [self.structure.nodes[b.position] for b in bindings if b.position >= 0]
        if len(nodes) != len(bindings):
            return False
        for node in nodes:
            if not isinstance(node, Call) or not self._is_written_out(node):
                return False
            if isinstance(node.fn, Prim) and not self._makes_array(node, node.fn.name):
                return False
            if tuple(self._sources(node)) and not is_update(node, self.kinds):
                self.view_names.add(name)
        return name not in self.view_names or len(nodes) == 1

    def _makes_array(self, node: Call, name: str) -> bool:
        """Is it arithmetic, or a part, attribute or method of an array that is known?"""
        if name in ("getattr", "method"):
            return id(node) in self.views
        return name == "getitem" or name in BINARY or name in UNARY or name in IN_PLACE

    def _is_written_out(self, node: Call) -> bool:
        """An operation of the language, or a function that changes nothing, not dispatched."""
        if self.treatment.get(id(node)) not in ("inline", "plain", "merged"):
            return False
        if isinstance(node.fn, Prim):
            return True
        known = self.known.get(str(node.fn))
        home = str(getattr(known, "__module__", "numpy")).partition(".")[0]
        return str(node.fn) in self.known and (home in LIBRARIES or is_claimed(known))

    def _is_read_well(self, name: str, node: Node) -> bool:
        """Is it read by an operation that keeps no hold of it, or returned at the end?"""
        if isinstance(node, Exit):
            return node in self.ends and name not in self.view_names
        if isinstance(node, Branch):
            return True
        if isinstance(node, Loop) or self.kinds.get(str(getattr(node, "target", None))) == WALK:
            loops = self.walked.get(name, ())
            is_row = self.kinds[name] == k.array(1)  # of more axes the items are views
            return is_row and all(self._is_walked_well(name, loop) for loop in loops)
        if not isinstance(node, Call) or not self._is_written_out(node):
            return False
        if node.target is None:
            return _is(node, "setitem")
        kind = self.kinds.get(str(node.target), UNKNOWN)
        if (
            k.is_real(kind)
            or k.is_array(kind)
            or k.is_complex(kind)
            or kind.tag in ("bool", "shape", "bools", "counts", "count")
        ):
            return True
        return kind == k.ITEMS or kind == k.INERT and _is(node, *COMPARE, "getattr", "unpack")

    def _is_walked_well(self, name: str, loop: Loop) -> bool:
        """Does a loop only go through it, by variables that stand for numbers wherever they are
        bound? What goes through what is not known is dispatched.
        """
        items = set(bound_inside(replace(loop, body=(), orelse=())))
        if self.kinds.get(str(loop.iterable)) == WALK:
            items = {n for node in loop.body if _is(node, "unpack", "getitem") for n in node.bound}
        is_known = all(self.kinds.get(item, UNKNOWN) != UNKNOWN for item in items)
        return is_known and name not in bound_inside(*loop.body)

    def _until_joined(self, node: Node) -> tuple[int, int]:
        """From a display to the call that alone reads it, and joins what is in it."""
        start = self.structure.at(node)
        target = str(getattr(node, "target", None))
        if self.kinds.get(target) != k.ITEMS:
            return start, start
        return start, max(self.structure.at(reader) for reader in self.readers[target])

    def _reads_first(self, node: Call, group: set[str]) -> bool:
        """Does a store read all of a view of the array before it writes any of it?

        NumPy does, unless the place has one axis and other strides: ``u[::2] = u[:3]``.
        """
        if not _is(node, "setitem") or self.treatment.get(id(node)) != "inline":
            return True
        array, index, value = map(str, node.args)
        if value not in group or value not in self.view_names:
            return True
        slot = k.subscripted(self.kinds[array], self.kinds.get(index, UNKNOWN))
        if any(
            kind.rank is not None and kind.rank > 1 for kind in (slot, self.kinds[value]) if kind
        ):
            return True
        made = self._maker(value)
        if made is None or not _is(made, "getitem") or made.args[0] != array:
            return False
        form = self._strides(node.args[1])
        return form is not None and form == self._strides(made.args[1])

    def _maker(self, name: Operand | Star) -> Call | None:
        """The only statement that binds a name."""
        bindings = self.structure.bindings[name] if isinstance(name, str) else ()
        if len(bindings) != 1 or bindings[0].position < 0:
            return None  # no program is known: any other subscript is dispatched
        node = self.structure.nodes[bindings[0].position]
        return node if isinstance(node, Call) else None

    def _strides(self, index: Operand | Star) -> tuple[object, ...] | None:
        """What of an index tells the strides of the view: for each part 0 for a number, the step of
        a slice; None where that is not known."""
        if isinstance(index, Const):
            return (0,) if type(index.value) is int else None
        if self.kinds.get(str(index), UNKNOWN) in (k.INT, k.COUNT):
            return (0,)
        made = self._maker(index)
        if made is not None and _is(made, "tuple"):
            parts = [self._strides(part) for part in made.args]
            return None if None in parts else tuple(parts)
        step = made.args[2] if made is not None and _is(made, "slice") else None
        return (step.value or 1,) if isinstance(step, Const) else None


# --- what a statement that writes needs


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
        """Kind of what a store writes; through arrays of ints it may write a place twice, through a
        mask it writes each once.
        """
        if k.is_fancy(self.kind_of(node.args[1])):
            return k.UNKNOWN
        return k.subscripted(*map(self.kind_of, node.args[:2])) or k.UNKNOWN

    def _is_of_view(self, triple: Augmented) -> bool:
        array, index = map(self.kind_of, triple.stores.args[:2])
        if k.makes_copy(index) and triple.works.fn not in AUGMENTED:
            return False  # the copy is worked on, then stored
        return k.has_entries(array) and k.has_entries(self._slot(triple.stores))

    def _is_well(self, node: Call) -> bool:
        """Does it write floats, or complex numbers of such, where they fit for certain?"""
        if not isinstance(node.fn, Prim) or not node.args or node.args[0] not in self.writable:
            return False
        array = self.kind_of(node.args[0])
        if not k.has_entries(array):
            return False
        if node.fn.name in IN_PLACE:
            if not k.is_array(array):
                return False
            return node.fn.name in UPDATES and _fits(self.kind_of(node.args[1]), array)
        if node.fn != Prim("setitem"):
            return False
        slot = self._slot(node)
        triple = self.augmented.get(id(node))
        if triple is not None and k.has_entries(slot) and not _is_written_out(triple, slot):
            return False
        fits = _fits(self.kind_of(stored_value(node, self.augmented)), slot)
        return fits and slot != k.UNKNOWN


def _is_written_out(triple: Augmented, slot: Kind) -> bool:
    """Is there a reverse of it? That of ``u[i] *= u`` would need u as it was."""
    if k.is_complex(slot):
        return triple.works.fn in AUGMENTED[:2]
    if triple.works.fn == Prim("imul") and triple.value == triple.stores.args[0]:
        return False
    return triple.works.fn in AUGMENTED


def _fits(value: Kind, slot: Kind) -> bool:
    """A number fits anywhere, but a complex one among such alone, an array where there are as many
    axes; its lengths NumPy checks.
    """
    if k.is_complex(value) and not k.is_complex(slot):
        return False
    if k.is_real(value) or value in (k.BOOL, k.COMPLEX):
        return True
    if not (k.has_entries(value) and k.has_entries(slot)):
        return False
    if value.rank is None or slot.rank is None:
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
