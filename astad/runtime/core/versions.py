"""Arrays kept for the reverse sweep, by reference, until someone writes: the writer saves, not the
recorder.

>>> versions, a = Versions(), np.array([1.0, 2.0])
>>> kept = versions.keep(a)
>>> kept[0] is a
True
>>> versions.writing(a)
>>> a[0] = 5.0
>>> kept[0]
array([1., 2.])
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad.errors import AstadError, Unsupported
from astad.runtime.core.departed import Departed
from astad.runtime.cotangents.owners import (
    Array,
    address_of,
    may_overlap_itself,
    memory_of,
    owner_of,
    shows_memory_of_others,
)

if TYPE_CHECKING:
    from astad.runtime.core.budgets import Budget

__all__ = ["Box", "Call", "Facts", "OwnCalls", "Versions"]

Box = list[Array]


class Call(NamedTuple):
    """A call of a Python function: its record with the operands, and whether it raised."""

    made: tuple[Any, Sequence[Any]]
    raised: bool


class OwnCalls:
    """For a time `Versions.calls` is a list of its own; where an error ends it, what was noted goes
    to whoever noted before.
    """

    __slots__ = ("calls", "outer", "versions")

    def __init__(self, versions: Versions) -> None:
        self.versions = versions

    def __enter__(self) -> list[Call]:
        self.outer = self.versions.calls
        self.calls = self.versions.calls = list[Call]()
        return self.calls

    def __exit__(self, kind: type | None, *error: object) -> None:
        self.versions.calls = self.outer
        if kind is not None and self.outer is not None:
            self.outer += self.calls


class Facts(NamedTuple):
    """What a table found out of the program, as its attributes of these names say: a table of a
    part of the sweep, or of a second run, has to know it too.
    """

    apart: bool
    exact: bool
    rebinds: bool


class Versions:
    """One table per forward sweep: owner of memory to the boxes that refer to it.

    Attributes
    ----------
    catching : bool
        Whether somebody may catch what a callee raises: then each keeps a tape.
    tape : list or None
        The tape of the callee that runs.
    budget : Budget or None
        How much of its loops is kept; None: all.
    cached : dict
        What functions under ``functools.cache`` were asked for here, by the id of the function.
    cached_anywhere : dict
        What was put into their caches since the sweep began, by function and key.
    is_additional : bool
        Whether the plain run does not make what is recorded here: their caches stay as they are.
    calls : list of Call or None
        Meanwhile, the calls of Python functions made by the step that runs.
    context : contextvars.Context
        What the context variables stood for at the beginning.
    context_sets : list
        What is known of their sets since, if there was one: see `context_variables`.
    depth : int
        How many calls of compiled functions run, each within the one before.
    apart : bool
        Whether a float was taken apart into its mantissa and a power of two.
    ended : record or None
        What was done to find the end of a loop that has just come to it.
    exact : bool
        Whether a number was taken apart into ints, its numerator and denominator.
    rebinds : bool
        Whether a number was stored in a class, of which variants take it that nobody does.
    refused : AstadError or None
        What astad refused while the program ran, which may have caught it: no derivative then.
    installed : list
        Functions of the program, and objects with such methods, that compiled code has kept and
        may call later, as one that prints the numbers of arrays.
    found : dict
        Entries of dicts that were found by numbers, by dict and key: see `memos`.
    generators : dict
        What is known of each generator, by its id; it is held there.
    departed : Departed
        The numbers that left as text, as bytes or into compiled objects.
    made_of : dict
        What compiled objects with no inside known were made of, by their id; they are held there.
        Under `FOREIGN`, what went into code of compiled packages.
    of_ints : dict or None
        Arrays of floats to which arrays of ints were converted, by their id: see `whole_numbers`.
    stand_ins : dict
        Copies with what they stand in for, by the id of the copy: see `stand_ins`.
    summed : dict
        Lists in the place of generator expressions that are added up, by their id.
    twins : list
        Containers that a rule handed on, with the copies that stand in for them.
    written : list
        Weak references to the files that were opened for writing.
    """

    __slots__ = (
        "__weakref__", "_files", "_severed", "apart", "budget", "cached", "cached_anywhere",
        "calls", "catching", "context", "context_sets", "departed", "depth", "ended", "exact",
        "found", "generators", "installed", "is_additional", "made_of", "of_ints", "rebinds",
        "refused", "resized", "stand_ins", "summed", "tape", "twins", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self._files: dict[int, tuple[object, dict[int, Box]]] = {}
        self.budget: Budget | None = None
        self.cached: dict[int, Any] = {}
        self.cached_anywhere: dict[Any, Any] = {}
        self.is_additional = False
        self.calls: list[Call] | None = None
        self.context = copy_context()
        self.context_sets: list[Any] = []
        self.generators: dict[int, Any] = {}
        self.installed: list[Any] = []
        self.departed = Departed()
        self.found: dict[Any, Any] = {}
        self.resized: dict[int, tuple[Any, int]] | None = None
        self.apart = False
        self.catching = False
        self.depth = 0
        self.ended: tuple[Any, ...] | None = None
        self.exact = False
        self.of_ints: dict[int, Array] | None = None
        self.rebinds = False
        self.refused: AstadError | None = None
        self.tape: Any = None
        self.made_of: dict[int, tuple[Any, ...]] = {}
        self.stand_ins: dict[int, tuple[Any, Any]] = {}
        self.summed: dict[int, Any] = {}
        self.twins: list[Any] = []
        self.written: list[weakref.ref[Any]] = []
        self._severed: dict[int, list[tuple[weakref.ref[Array], str, bool]]] = {}

    def settle(self) -> None:
        """Write what files buffer, as closing them would have done in a plain run."""
        waiting, self.written = self.written, []
        for reference in waiting:
            file = reference()
            if file is not None and not file.closed:
                file.flush()
                self.written.append(reference)

    def keep(self, a: Array) -> Box:
        """A box ``[a]`` that goes on holding the values ``a`` has now, whoever writes afterwards
        (if announced)."""
        owner = a if a.base is None else memory_of(a)
        file = self._files.get(id(owner))
        if file is None:
            box = [a]
            self._files[id(owner)] = (owner, {id(a): box})
            return box
        found = file[1].get(id(a))
        if found is None:
            file[1][id(a)] = found = [a]
        return found

    def writing(self, a: Any) -> None:
        """Announce a write into ``a``: what is boxed of its memory gets copies. Call it before each
        write."""
        if not issubclass(type(a), np.ndarray):
            return
        if a.base is not None and not issubclass(type(a.base), np.ndarray):
            _refuse_memory_of_others(a)
        if not self._files:
            return
        owner = a if a.base is None else memory_of(a)
        if self._severed and id(owner) in self._severed:
            self._check_severed(a, owner)
        file = self._files.pop(id(owner), None)
        if file is not None:
            _copy_boxed(file[1])

    def is_kept(self, a: Array) -> bool:
        """True if a box refers to the memory of ``a``: hand out a copy of such a result."""
        return bool(self._files) and id(memory_of(a)) in self._files

    def files(self) -> Mapping[int, Any]:
        """What is boxed now, with the owners of the memory."""
        return self._files

    def knows_more(self) -> str:
        """What is known of the program besides its numbers, arrays and containers, in words: a run
        of a part of it alone would not have that. "" for nothing.
        """
        if self.departed and all(origin.in_object for origin in self.departed):
            return "numbers go into objects into which astad does not look"
        if self.departed:
            return "numbers leave as text or as bytes"
        if self.exact or self.apart:
            return "a number is taken apart into a mantissa or a numerator"
        if self.context_sets and any(self.context_sets[0].values.values()):
            return "a context variable is set"
        if self.made_of or self.installed or self.resized is not None:
            return "numbers go into objects into which astad does not look"
        return ""

    def facts(self) -> Facts:
        """What was found out of the program: it counts in each part that runs from now on."""
        return Facts(self.apart, self.exact, self.rebinds)

    def learn(self, facts: Facts) -> None:
        """Take over what another table found out, beside what this one did."""
        self.apart |= facts.apart
        self.exact |= facts.exact
        self.rebinds |= facts.rebinds

    def nested(self) -> NestedVersions:
        """A table of its own for a part of the sweep, whose boxes can be let go of."""
        made = NestedVersions(self)
        made.learn(self.facts())
        for name in (
            "budget",
            "cached_anywhere",
            "context",
            "context_sets",
            "departed",
            "depth",
            "found",
            "generators",
            "installed",
            "is_additional",
            "made_of",
            "stand_ins",
            "summed",
            "twins",
            "_severed",
        ):
            setattr(made, name, getattr(self, name))
        return made

    def sever(self, view: Array, name: str, passes: bool) -> None:
        """``view`` shares its memory with an array, and has a cotangent of its own.

        With ``passes`` a write to that memory is refused as long as the view lives: the cotangent
        of what was written is to come from both. A view without derivative has none to give.
        """
        memory = memory_of(view)
        known = self._severed.setdefault(id(memory), [])
        known.append((weakref.ref(view), name, passes))
        self._files.setdefault(0, (None, {}))  # from now on each write is looked at
        self.stand_ins.setdefault(0, (None, None))  # and who each array is

    def _check_severed(self, a: Array, memory: object) -> None:
        through = owner_of(a) is not memory
        for view, name, passes in self._severed[id(memory)]:
            if through or (passes and view() is not None):
                raise Unsupported(
                    name, "a write to an array that it handed on as its result",
                    why="the two are one memory, and have cotangents of their own",
                    instead="write to a copy of it",
                )  # fmt: skip


class NestedVersions(Versions):
    """The table of a part of a sweep: its writes are announced to the whole as well."""

    __slots__ = ("outer",)

    def __init__(self, outer: Versions) -> None:
        super().__init__()
        self.outer = outer

    def writing(self, a: Any) -> None:
        super().writing(a)
        self.outer.writing(a)

    def leave(self) -> None:
        """What was found out of the program is known to the whole."""
        self.tape = None  # nobody runs here any more, and what a callee recorded has other holders
        self.outer.learn(self.facts())
        if self.outer.refused is None:
            self.outer.refused = self.refused

    def join(self) -> None:
        """From now on whoever writes in the whole saves what is boxed here."""
        for key, (owner, boxes) in self._files.items():
            known = self.outer._files.setdefault(key, (owner, {}))[1]
            known.update((id(box), box) for box in boxes.values())


def _refuse_memory_of_others(a: Array) -> None:
    owner = owner_of(a)
    if shows_memory_of_others(owner):
        raise Unsupported(
            f"an array over memory that an object of class {type(owner).__name__} shows",
            "a write to it",
            why="__array_interface__ tells where the memory is, and not which array it belongs to",
            instead="write to the array whose memory it is",
        )


def _copy_boxed(boxes: dict[int, Box]) -> None:
    """Give each box its own values; equal views share one copy."""
    if len(boxes) == 1:
        for box in boxes.values():
            box[0] = _copy(box[0])
        return
    copies: dict[tuple[object, ...], Array] = {}
    for box in boxes.values():
        a = box[0]
        view = (address_of(a), a.shape, a.strides, a.dtype, type(a))
        copy = copies.get(view)
        if copy is None:
            copies[view] = copy = _copy(a)
        box[0] = copy


def _copy(a: Array) -> Array:
    """A copy; of an overlapping view (windows, broadcast) it takes no more memory than the view
    covers."""
    if not may_overlap_itself(a) or type(a) is not np.ndarray or a.dtype.hasobject:
        return np.array(a, order="K", subok=True)
    low, high = np.lib.array_utils.byte_bounds(a)
    if high - low >= a.nbytes:
        return np.array(a, order="K", subok=True)
    lowest = a[tuple(slice(-1, None) if stride < 0 else slice(0, 1) for stride in a.strides)]
    first_byte = lowest.reshape(-1).view(np.uint8)[:1]
    covered = np.lib.stride_tricks.as_strided(first_byte, (high - low,), (1,)).copy()
    return np.ndarray(a.shape, a.dtype, covered, address_of(a) - low, a.strides)
