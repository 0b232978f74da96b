"""What a run writes outside: objects, dicts, lists, globals and captured variables.

The run itself only takes note. Its text hands over at its end the numbers and arrays that were
written, and behind the text all is put where it belongs: so a text that is left half way has
written nothing, and the pair does it. A place that is written several times is written once, a
container that the run has made is made anew, as a result is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from astad.recording.outside import (
    SAME,
    Outside,
    containers_in,
    is_fixed_key,
    word_of_constant,
)
from astad.recording.recording import FLOATING, INERT, Count, Recording, is_array, without_wholes
from astad.recording.results import Build
from astad.rules.kept import keep, taken

__all__ = ["Counted", "Writes"]


class Counted(BaseException):
    """A whole number is read and written back changed: the run is told again, and counts."""


class _Write(NamedTuple):
    """``statement`` has ``{}`` where the object stands, and where the value does."""

    o: Any
    head: str
    statement: str
    v: Any


class Writes:
    """Of one run, by place, in the order in which the places were written first; ``counts``: whole
    numbers that are written back changed are counted on in each run.
    """

    def __init__(self, outside: Outside, *, counts: bool) -> None:
        self.outside = outside
        self.recording: Recording = outside.recording
        self.counts = counts
        self._made: dict[object, _Write] = {}
        self._heads: dict[int, str] = {}

    def put(self, o: Any, how: str, key: Any, v: Any, statement: str) -> None:
        """``v`` is what stands at a place from now on."""
        asked = id(self.recording.keep(o)), how, key
        before = self.outside.seen(asked)
        is_new = asked not in self._made and asked not in self.outside.counts
        if self.counts and is_new and type(v) is type(before) is int and v != before:
            raise Counted(asked)
        self._note(asked, o, v, statement)
        self.outside.see(asked, v)

    def put_attribute(self, o: Any, name: str, v: Any, statement: str, *, is_new: bool) -> None:
        """``o.name = v``; ``is_new``: it has no such attribute of its own."""
        self.put(o, "attribute", name, v, statement)
        if is_new:
            self.outside.grown.add(id(o))

    def append(self, o: list[Any] | deque[Any], v: Any) -> None:
        """A list or a deque has one item more."""
        self._note(len(self._made), o, v, "{}.append({})")
        self.outside.grown.add(id(o))
        self.outside.see_more(o, v)

    def put_item(self, o: Any, key: Any, v: Any) -> None:
        """``o[key] = v`` of a dict, or of a list that has such an item."""
        if not is_fixed_key(key) or any(k == key and type(k) is not type(key) for k in o):
            self.recording.refuse(f"an item of a {type(o).__name__} from outside is written")
        _, how, asked = self.outside.asked_of_item(o, key)
        self.put(o, how, asked, v, f"{self.outside.expression_of_item(key)} = {{}}")
        if type(o) is dict and key not in o:
            self.outside.grown.add(id(o))

    def holds(self, o: Any, how: str, key: Any) -> bool:
        return bool(self._made) and (id(o), how, key) in self._made

    def at(self, o: Any, how: str, key: Any) -> Any:
        return self._made[id(o), how, key].v

    def _note(self, where: object, o: Any, v: Any, statement: str) -> None:
        if id(o) not in self._heads:
            self._heads[id(o)] = self.outside.place(o).head
        head = self._heads[id(o)]
        self._made[where] = _Write(self.recording.keep(o), head, statement, self.recording.keep(v))
        if type(where) is not int and self._is_constant(v):
            return
        what = f"a {type(o).__name__} from outside is written to"
        if len(self.recording.levels) > 1:  # its value is lost there
            self.recording.refuse(what)
        self.recording.changes = self.recording.changes or f"{self.recording.place}: {what}"

    def _is_constant(self, v: Any) -> bool:
        """Does it stand there after one run as after several?"""
        if type(v) in INERT or type(v) is float:
            return not self.recording.is_followed(v)
        return isinstance(v, SAME) and self.outside.is_outside(v)

    # --- behind the text

    def settle(self, y: Any) -> None:
        """The run has ended and has given ``y``: what is done behind its text."""
        if not self._made:
            return
        self._expect_apart()
        build = _Kept(self.outside, "kept")
        words = [build.word(write.v, ()) for write in self._made.values()]
        self._refuse_shared(build.arrays, build.made, y)
        effects = self.recording.effects
        if self.recording.mixed and not all(map(is_array, build.values)):
            self.recording.refuse("a number that may be of another type is put outside")
        if build.words and self.recording.ruled:  # which may run another text meanwhile
            self.recording.refuse("a number is put outside, and a rule of the user's runs")
        if build.words:
            self.recording.kept = (*build.values,)
            self.recording.place = self.recording.levels[0].place
            self.recording.say(f"{self.recording.constant(keep)}({', '.join(build.words)})")
            effects.append(f"kept = {self.recording.constant(taken)}()")
        effects += build.lines
        for write, word in zip(self._made.values(), words, strict=True):
            effects.append(write.statement.format(write.head, word))

    def _expect_apart(self) -> None:
        """What is written is nothing else that was read."""
        recording, places = self.recording, [*self.outside.placed()]
        for write in {id(each.o): each for each in self._made.values()}.values():
            own = self.outside.places[id(write.o)]
            for o, place in places:
                if o is write.o or type(o) is not type(write.o) or (own.fixed and place.fixed):
                    continue
                recording.require(f"{write.head} is not {place.head}")

    def _refuse_shared(self, arrays: list[Any], made: Iterable[int], y: Any) -> None:
        """Arrays are handed over as copies, containers made anew: nobody may see that they are."""
        parts = [part for part in containers_in(y) if type(part) not in FLOATING]
        if not {*made}.isdisjoint(map(id, parts)):
            self.recording.refuse("what is given is put outside as well")
        others = [part for part in parts if isinstance(part, np.ndarray)]
        for at, a in enumerate(arrays):
            for b in (*arrays[:at], *others, *self.outside.arrays):
                if np.may_share_memory(a, b):
                    self.recording.refuse("arrays that share memory are put outside")


class _Kept(Build):
    """Values of the text as they are put outside."""

    def __init__(self, outside: Outside, name: str) -> None:
        super().__init__(outside, name)
        self.values: list[Any] = []

    @property
    def arrays(self) -> list[Any]:
        return [v for v in self.values if is_array(v)]

    def word(self, v: Any, path: Any) -> str:
        recording, outside, v = self.recording, self.outside, without_wholes(v)
        if type(v) is Count:
            return recording.word(v)
        if type(v) in INERT or (type(v) is float and not recording.is_followed(v)):
            return word_of_constant(recording, v)
        if not is_array(v) and type(v) not in FLOATING and outside.is_outside(v):
            return outside.place(v).head
        return super().word(v, path)

    def leaf(self, v: Any, path: Any) -> str:
        if is_array(v) and (head := self.outside.name_of_array(v)) is not None:
            return head
        found = super().leaf(v, path)
        if len(self.words) > len(self.values):
            self.values.append(v)
        if is_array(v):
            return found
        name = "np." if isinstance(v, np.generic) else ""
        return f"{name}{type(v).__name__}({found})"
