"""What a run reads from outside: of its arguments, of globals, classes, captured variables.

A place is read once in a run, which writes nothing there; at the head of the text it is read again.
Numbers are handed to the text; everything else has to be what it was: the same object where it is
found by a fixed object, the same text or whole number in an argument.
"""

from __future__ import annotations

import collections
import datetime
import enum
import itertools
import re
import types
import zoneinfo
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from astad.recording.recording import (
    FLOATING,
    INERT,
    LARGEST,
    WHOLE_ARRAYS,
    Ident,
    Recording,
    Whole,
    is_array,
)
from astad.runtime.cotangents.snapshots import attributes_of
from astad.tangents.unasked import items_of, pairs_of
from astad.tangents.zero import MADE_BY_CLASS
from astad.tangents.zero import is_number as is_any_number

__all__ = [
    "FIXED", "SAME", "Outside", "Place", "containers_in", "is_fixed_key", "is_lost",
    "is_made_by_class", "root_of", "word_of_constant",
]  # fmt: skip

MOST_KEYS = 12
LONGEST = 200
"""Elements of arrays that are asked for at the head."""
IMMUTABLE = 1 << 8
"""Flag of classes that cannot be changed."""
FIXED = (
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
    zoneinfo.ZoneInfo,
)  # fmt: skip
"""Compiled classes of values that never change, which their texts tell."""
PARTED = (
    list, tuple, dict, set, collections.deque, collections.defaultdict, collections.OrderedDict,
    types.SimpleNamespace,
)  # fmt: skip
SAME = (
    type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType,
    np.ufunc,
)  # fmt: skip
"""Objects that stand for themselves wherever they are found."""


Asked = tuple[int, str, Any]
"""A place that is read: of which object, how, and under which key."""


class Place(NamedTuple):
    """Where an object lies: how the head calls it, how the text does (None: it does not), and
    whether it is the very same object in every run.
    """

    head: str
    text: str | None
    fixed: bool


class Outside:
    """The places of objects, by identity, and what was read of them; ``sources``: for each number
    that the text is given the place that it was read from, how, and the key; ``lost``: the same
    for other numbers, which are constants of the text; ``moved``: the containers and arrays that a
    function inside is differentiated by; ``by_leaves``: of
    containers with a derivative the text is given the numbers, not the containers; ``wholes``: the
    ints in these have one, ``all_wholes``: all ints, ``has_wholes``: there are such;
    ``labels``: so have the arrays of such; ``loses``: some of what was read of arguments with a
    derivative is a constant of the text; ``touched``: what was asked for since somebody began to
    note it; ``counts``: the places of whole numbers that are written back changed; ``grown``: what
    has more items by now than the run sees
    of it.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        by_leaves: bool = False,
        wholes: bool = False,
        labels: bool = False,
    ) -> None:
        self.recording = recording
        self.by_leaves = by_leaves
        self.labels = labels
        self.wholes = wholes
        self.all_wholes = self.has_wholes = False
        self.places: dict[int, Place] = {}
        self.arrays: list[Any] = []
        self.sources: dict[str, tuple[Place, str, Any]] = {}
        self.lost: list[tuple[Place, str, Any]] = []
        self.moved: list[Any] = []
        self.loses = False
        self._read: dict[tuple[int, str, Any], Any] = {}
        self.touched: set[Asked] = set()
        self.counts: set[Asked] = set()
        self.grown: set[int] = set()
        self._heads: dict[int, str] = {}
        self._keys: dict[int, str] = {}
        self._givers: dict[int, Any] = {}
        self._elements = 0
        self._moving: list[tuple[Any, Place]] = []
        self._arrays: list[tuple[str, str | None]] = []
        self._roots: list[tuple[str, Any]] = []
        self._copies: dict[int, Any] = {}
        self._known: set[str] = set()

    def place(self, o: Any) -> Place:
        """Of an object that the run has not made. One that nobody has read by a place of an
        argument is found by fixed objects alone, so it is the same in every run that passes the
        tests.
        """
        if type(o) is Ident:
            self.recording.refuse("the id of an object leaves the run")
        if id(o) in self.grown:
            self.recording.refuse(f"a {type(o).__name__} from outside is read after it has grown")
        found = self.places.get(id(o))
        if found is None:
            found = self.places[id(o)] = Place(self.recording.constant(o), None, True)
            if is_array(o):
                self.arrays.append(o)
            if is_made_by_class(type(o)):
                kind = self.recording.constant(type(o))
                self.recording.require(f"type({found.head}) is {kind}")
        return found

    def is_outside(self, o: Any) -> bool:
        return id(o) not in self.recording.made

    # --- reads

    def argument(self, name: str, v: Any, *, wanted: bool, known: bool = False) -> Any:
        """``known``: the kinds of the numbers in it are asked for by who runs the text."""
        if known:
            self._known.add(name)
        if wanted and _has_parts(v) and type(v) not in FIXED and not is_array(v):
            self._roots.append((name, v))
        return self._arrived(name, name if wanted else None, False, v, name, direct=True)

    def whole_numbers(self, name: str, v: Any) -> Any:
        """An argument that is an array of whole numbers to which a derivative comes."""
        return self._array(name, name, v, name, direct=True, label=True)

    def read(self, o: Any, how: str, key: Any, v: Any, expression: str) -> Any:
        """``v`` is what ``expression`` gives now, which has ``{}`` where the object stands."""
        asked = id(o), how, key
        self.touched.add(asked)
        if asked in self.counts and asked not in self._read:
            self._read[asked] = self._counted(expression.format(self.place(o).head), v)
        if asked not in self._read:
            place = self.place(o)
            head = expression.format(place.head)
            text = None if place.text is None else expression.format(place.text)
            stem = key if isinstance(key, str) and key.isidentifier() else "v"
            count = len(self.recording.inputs)
            self._read[asked] = self._arrived(head, text, place.fixed, v, stem)
            self.recording.keep(o)
            if is_lost(v) and type(self._read[asked]) is not Whole:
                self.lost.append((place, how, key[1] if type(key) is tuple else key))
            if len(self.recording.inputs) > count:
                self._givers[id(o)] = o
                name = self.recording.inputs[-1][0]
                self.sources[name] = place, how, key[1] if type(key) is tuple else key
        return self._read[asked]

    def _counted(self, head: str, v: int) -> Any:
        """A whole number which is another in each run."""
        recording = self.recording
        local = recording.name("count", arrived=True)
        recording.head.append((f"{local} = {head}", False))
        recording.require(f"type({local}) is int")
        return recording.count(v, local)

    def seen(self, asked: Asked) -> Any:
        """What was read at a place; None where nothing was."""
        return self._read.get(asked)

    def see(self, asked: Asked, v: Any) -> None:
        """From now on this is read at a place that was read before, of a copy too."""
        self._read[asked] = v
        o, how, key = asked
        copy = self._copies.get(o) if how == "item" else None
        if isinstance(copy, (list, dict)):
            copy[key[1] if type(key) is tuple else key] = v

    def see_more(self, o: object, v: Any) -> None:
        """A list has one item more, which is known of no place."""
        if id(o) in self._copies:
            self._copies[id(o)].append(v)

    def placed(self) -> Iterator[tuple[Any, Place]]:
        """What has been read or named, but numbers and arrays, with its place."""
        yield from self._moving
        for place in [place for place in self.places.values() if place.fixed]:
            yield self.recording.space[place.head], place

    def name_of_array(self, v: Any) -> str | None:
        """A name of the head for an array that lies outside."""
        if id(v) not in self._heads:
            return None
        head = self._heads[id(v)]
        if not head.isidentifier():
            local = self._heads[id(v)] = self.recording.name("p", arrived=True)
            self.recording.head.append((f"{local} = {head}", False))
        return self._heads[id(v)]

    def expect_distinct(self) -> None:
        """What a function inside is differentiated by is nothing else that was read: a number that
        lies there too would move with it.
        """
        for o in self.moved:
            own = self._heads[id(o)] if is_array(o) else self.place(o).head
            for other in [a for a in self.arrays if a is not o and id(a) in self._heads]:
                if is_array(o):
                    self.recording.require(
                        f"not np.may_share_memory({own}, {self._heads[id(other)]})"
                    )
            for other, place in self._moving:
                if other is not o and type(other) is type(o):
                    self.recording.require(f"{own} is not {place.head}")

    def expect_apart(self) -> None:
        """What an argument holds is not what lies outside beside it: a number that is read there
        would be one of its own.
        """
        self.expect_distinct()
        if self.by_leaves:
            self._expect_each_once()
        wanted = [place for place in self.places.values() if place.text is not None]
        kinds = {place.head: type(o) for o, place in self._moving if place in wanted}
        givers = [o for o in self._givers.values() if self.place(o).text is None]
        others = [self.place(o).head for o in givers]
        for o, head in zip(givers, others, strict=True):
            for own, kind in kinds.items():
                if kind is type(o) and own != head:
                    self.recording.require(f"{own} is not {head}")
        given = [head for head, text in self._arrays if text is None]
        for own in [head for head, text in self._arrays if text is not None]:
            for other in given:
                self.recording.require(f"not np.may_share_memory({own}, {other})")
        if others or given:
            self._expect_nothing_inside(others, given)

    def _expect_each_once(self) -> None:
        """What lies in two places has the derivative by both."""
        containers = [place.head for _, place in self._moving if place.text is not None]
        arrays = [head for head, text in self._arrays if text is not None]
        if len(containers) + len(arrays) > 1:
            both = ", ".join(
                f"({''.join(f'{o}, ' for o in each)})" for each in (containers, arrays)
            )
            self.recording.require(f"{self.recording.constant(are_each_once)}({both})")

    def _expect_nothing_inside(self, others: Sequence[str], arrays: Sequence[str]) -> None:
        """Nor does it lie where the run has not looked."""
        recording = self.recording
        for name, v in self._roots:
            if self.by_leaves or not all(map(self._is_read, containers_in(v))):
                both = ", ".join(
                    f"({''.join(f'{each}, ' for each in t)})" for t in (others, arrays)
                )
                recording.require(f"{recording.constant(is_apart)}({name}, {both})")

    def _is_read(self, part: Any) -> bool:
        """By its place in an argument."""
        place = self.places.get(id(part))
        return place is not None and place.text is not None

    def item(self, o: Any, key: Any) -> Any:
        v = o[key]
        is_new = is_array(v) and not self.recording.is_known(v)
        if type(o) is tuple and self.place(o).fixed and not is_new:
            return v  # the same for ever, numbers too
        _, how, asked = self.asked_of_item(o, key)
        return self.read(o, how, asked, v, self.expression_of_item(key))

    def expression_of_item(self, key: Any) -> str:
        """With ``{}`` where the container stands."""
        word = self.recording.key(key).replace("{", "{{").replace("}", "}}")
        return f"{{}}[{word}]"

    def asked_of_item(self, o: Any, key: Any) -> Asked:
        """Equal keys may be of two types."""
        return id(o), "item", key if type(key) in (int, str) else (type(key), key)

    def _arrived(
        self, head: str, text: str | None, fixed: bool, v: Any, stem: str, *, direct: bool = False
    ) -> Any:
        recording = self.recording
        kind = type(v)
        if kind in FLOATING:
            word = head if direct else self._named(head, text, v, stem)
            recording.arrivals.append((word, head, v))
            return recording.number(v, word, arrived=True)
        if is_array(v):
            return self._array(head, text, v, stem, direct)
        if kind in INERT:
            is_whole = kind is int and (self.wholes if text is not None else self.all_wholes)
            self.lose(text, kind not in _NO_NUMBERS and not is_whole)
            if fixed or v is None or kind is bool:
                recording.require(f"{head} is {word_of_constant(recording, v)}")
            else:
                recording.require(f"type({head}) is {recording.constant(kind)}")
                short = kind in (str, int) and len(repr(v)) < 40
                recording.require(f"{head} == {repr(v) if short else recording.constant(v)}")
            if is_whole:
                self.has_wholes = True
                word = head if direct else self._named(head, text, v, stem)
                return recording.whole(v, word, arrived=True)
            return v
        if kind in FIXED:
            if type(getattr(v, "tzinfo", None)) not in (types.NoneType, *FIXED):
                recording.refuse("a date whose time zone is an object of one's own")
            recording.require(f"type({head}) is {recording.constant(kind)}")
            recording.require(f"repr({head}) == {repr(v)!r}")
            return v
        if fixed or not _has_parts(v):
            self.lose(text, True)
            recording.require(f"{head} is {recording.constant(v)}")
            if not (known := self.place(v)).fixed:
                recording.require(f"{known.head} is {recording.constant(v)}")
            return v
        return self._part(head, text, v)

    def lose(self, text: str | None, may_move: bool) -> None:
        """What is read of an argument with a derivative is a constant of the text."""
        self.loses = self.loses or (text is not None and may_move)

    def _array(
        self, head: str, text: str | None, v: Any, stem: str, direct: bool, *, label: bool = False
    ) -> Any:
        """``label``: of whole numbers, which the text is given as floats."""
        recording = self.recording
        if recording.has_arrived(v):
            self._refuse_lost(text, (self._heads[id(v)], None) in self._arrays)
            recording.require(f"{head} is {self._heads[id(v)]}")
            return v
        is_inside = self.labels and self.by_leaves and text is not None and not direct
        label = label or (is_inside and v.dtype.kind == "i")
        self.lose(text, v.dtype.kind in "iu" and not label)
        for other in self.arrays:
            if np.may_share_memory(other, v):
                recording.refuse("arrays from outside that may share memory")
        self.arrays.append(v)
        self._heads[id(v)] = head
        self._arrays.append((head, text))
        recording.laid.append((head, v))
        if label:
            self._expect_label(head, v)
            word = head if direct else recording.given(f"{head}.astype(float)", stem, text)
            return recording.doubles(v, word, arrived=True)
        word = head if direct else self._named(head, text, v, stem)
        recording.arrivals.append((word, head, v))
        return recording.array(v, word, arrived=True)

    def _expect_label(self, head: str, v: Any) -> None:
        is_small = not v.size or np.abs(v).max() < LARGEST
        if v.dtype not in (np.int64, np.int32) or not v.ndim or not is_small:
            self.recording.refuse(WHOLE_ARRAYS)
        self.recording.require_kind(head, v)
        self.recording.require(f"np.abs({head}).max(initial=0) < {LARGEST}")

    def is_element(self, array: Any, key: Any, v: Any) -> bool:
        """Whether a whole number or a truth is read from an array that lies outside: to that nobody
        writes in a recorded run, and it is the same at the head.
        """
        head = self._heads.get(id(array))
        if head is None or not _is_inert(key) or self._elements >= LONGEST:
            return False
        self._elements += 1
        self.recording.require(f"{head}[{self.recording.index(key)}] == {self.recording.word(v)}")
        return True

    def _named(self, head: str, text: str | None, v: Any, stem: str) -> str:
        """A name of its own in the text for what is read: there, or at the head."""
        recording = self.recording
        if text is None or self.by_leaves:
            return recording.given(head, stem, text)
        if root_of(text) not in self._known:
            self.recording.require_kind(head, v)
        name = recording.name(stem, arrived=True)
        recording.say(f"{name} = {text}", arrived=True)
        return name

    def _part(self, head: str, text: str | None, v: Any) -> Any:
        """A container or an object in an argument, of which the parts may be others."""
        recording = self.recording
        if (known := self.places.get(id(v))) is not None:
            self._refuse_lost(text, known.text is None)
            recording.require(f"{head} is {known.head}")
            return v
        local = head if head.isidentifier() else recording.name("p", arrived=True)
        if local != head:
            recording.head.append((f"{local} = {head}", False))
        recording.require(f"type({local}) is {recording.constant(type(v))}")
        place = self.places[id(recording.keep(v))] = Place(local, text, False)
        self._moving.append((v, place))
        return v

    def _refuse_lost(self, text: str | None, is_held: bool) -> None:
        """What has a derivative by one place has been read by another, which has none."""
        if text is not None and is_held:
            self.recording.refuse("what an argument holds is found outside of it before")

    def is_key(self, o: Any) -> None:
        """An object of an argument is a key by what it is: no two may be one another time."""
        place = self.places.get(id(o))
        if place is None or place.fixed or id(o) in self._keys:
            return
        if len(self._keys) >= MOST_KEYS:
            self.recording.refuse(f"more than {MOST_KEYS} objects of arguments are keys")
        for other in self._keys.values():
            self.recording.require(f"{place.head} is not {other}")
        self._keys[id(o)] = place.head

    # --- containers as a whole

    def copy(self, c: Any) -> Any:
        """A container from outside as one that the run has made, of what it holds."""
        if id(c) in self._copies:
            return self._copies[id(c)]
        kind, recording = type(c), self.recording
        place = self.place(c)
        if len(c) > recording.bounds.inputs:
            recording.stop("inputs", "items of a container are gone through")
        if kind is list or kind is tuple:
            if not (kind is tuple and place.fixed):
                recording.require(f"len({place.head}) == {len(c)}")
            made: Any = kind([self.item(c, at) for at in range(len(c))])
        elif isinstance(c, dict):
            keys = list(c)
            if not all(map(is_fixed_key, keys)):
                recording.refuse(
                    "a dict from outside with keys that are no texts, whole numbers, members of "
                    "an Enum or tuples of such"
                )
            self._require_keys(place.head, keys)
            made = {key: self.item(c, key) for key in keys}
            made = OrderedDict(made) if kind is OrderedDict else made
        elif kind is type({}.keys()) and place.fixed:
            made = list(c)
            recording.require(f"list({place.head}) == {recording.constant(made)}")
        elif kind is frozenset and place.fixed:
            return c
        else:
            recording.refuse(f"{kind.__name__} from outside is gone through")
        self._copies[id(c)] = recording.fresh(made)
        return made

    def _require_keys(self, head: str, keys: list[Any]) -> None:
        """The same in the same order, and of the same types: 1 and True are equal, and so are a
        text and a member of an Enum of texts.
        """
        recording, words = self.recording, self.recording.constant(keys)
        recording.require(f"list({head}) == {words}")
        if any(type(key) is tuple for key in keys):
            recording.require(f"{recording.constant(are_same_keys)}([*{head}], {words})")
        elif keys:
            types_ = recording.constant([*map(type, keys)])
            recording.require(f"[*map({recording.constant(type)}, {head})] == {types_}")

    def in_order(self, s: Any) -> Any:
        """The items of a set from outside, which have to come in this order again."""
        place, recording = self.place(s), self.recording
        if type(s) is frozenset and place.fixed:
            return s
        if len(s) > recording.bounds.inputs:
            recording.stop("inputs", "items of a set are gone through")
        if not all(type(each) in INERT for each in s):
            recording.refuse("a set from outside is gone through")
        asked = recording.constant([(type(each), each) for each in s])  # 1 == True
        recording.require(f"[(type(v), v) for v in {place.head}] == {asked}")
        return [*s]

    def as_items(self, c: Any) -> Any:
        """A set as one that has the same items, in whatever order."""
        if id(c) in self.recording.made:
            return c
        if not all(type(each) in INERT for each in c):
            self.recording.refuse("a set from outside that holds more than texts and whole numbers")
        items = self.recording.constant(frozenset(c))
        self.recording.require(f"{self.place(c).head} == {items}")
        return c

    def identical(self, a: Any, b: Any, answer: bool) -> bool:
        """``a is b``: whether they are one object may change where one lies in an argument."""
        recording = self.recording
        if not any(type(o) in INERT for o in (a, b)):
            recording.expect_no_stand_in(a, b)
        arrays = [self._heads.get(id(o)) for o in (a, b) if is_array(o)]
        if len(arrays) == 2 and None not in arrays and arrays[0] != arrays[1]:
            recording.require(f"({arrays[0]} is {arrays[1]}) is {answer}")
        places = [self.places.get(id(o)) for o in (a, b)]
        moving = [place is not None and not place.fixed for place in places]
        if any(moving) and id(a) not in recording.made and id(b) not in recording.made:
            if any(type(o) in INERT for o in (a, b)):
                return answer
            heads = [self.place(o).head for o in (a, b)]
            recording.require(f"({heads[0]} is {heads[1]}) is {answer}")
        return answer


def root_of(path: str) -> str:
    """The argument in which something lies.

    >>> root_of("model.layers[0]")
    'model'
    """
    found = re.match(r"[^\W\d]\w*", path)
    assert found is not None  # it begins with the name of an argument
    return found[0]


def is_lost(v: Any) -> bool:
    """Is it a number, or an array of such, that no text follows? Its derivative is lost there."""
    if isinstance(v, np.ndarray):
        return not is_array(v) or v.dtype.kind in "iu"
    return is_any_number(v) and type(v) not in FLOATING


def are_each_once(containers: Sequence[Any], arrays: Sequence[Any]) -> bool:
    """Is each an object of its own, and do no two arrays share memory?"""
    if len({*map(id, containers), *map(id, arrays)}) < len(containers) + len(arrays):
        return False
    if all(a.base is None for a in arrays):
        return True
    return not any(np.may_share_memory(a, b) for a, b in itertools.combinations(arrays, 2))


def is_apart(x: Any, others: tuple[Any, ...], arrays: tuple[Any, ...]) -> bool:
    """Is none of these objects in a structure, and no memory of these arrays? What no run reads
    there is there all the same.
    """
    inside = [*containers_in(x)]
    if any(other is part for other in others for part in inside):
        return False
    held = [part for part in inside if issubclass(type(part), np.ndarray)]
    return not any(np.may_share_memory(a, b) for a in held for b in arrays)


def containers_in(x: Any) -> Iterator[Any]:
    """All that is in a structure but numbers, each once."""
    seen: set[int] = set()
    left = [x]
    while left:
        part = left.pop()
        if type(part) in _LEAVES or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        left += _inside(part)


def _inside(x: Any) -> list[Any]:
    found: list[Any] = []
    if isinstance(x, (list, tuple)):
        found += items_of(x)
    elif isinstance(x, dict):
        found += [value for _, value in pairs_of(x)]
    elif type(x) in (set, frozenset, collections.deque):
        found += x
    if type(x) is types.SimpleNamespace:
        found += vars(x).values()
    elif is_made_by_class(type(x)) and not isinstance(x, type):
        found += [held for _, _, held in attributes_of(x).values()]
    return found


_NO_NUMBERS = (str, bytes, bool, np.bool_, type(None), type(...), type(NotImplemented))
_LEAVES = INERT | {float, complex, np.float64}


def _has_parts(v: Any) -> bool:
    """May it be told by what it holds? Else it has to be the very same object."""
    if type(v) in PARTED:
        return True
    if isinstance(v, (enum.Enum, type)):
        return False
    return all(base in PARTED or _is_written(base) for base in type(v).__mro__[:-1])


def _is_written(cls: type) -> bool:
    """Is it a class of Python's own text? Compiled ones make their objects themselves, or cannot be
    changed.
    """
    is_compiled = type(cls.__dict__.get("__new__")) is types.BuiltinFunctionType
    return is_made_by_class(cls) and not is_compiled and not cls.__flags__ & IMMUTABLE


def is_made_by_class(cls: type) -> bool:
    """Was it made while a program ran? Others cannot be changed."""
    return bool(cls.__flags__ & MADE_BY_CLASS)


def _is_inert(key: Any) -> bool:
    """Of a subscript: are all its parts whole numbers and the like?"""
    return all(map(_is_inert, key)) if type(key) is tuple else type(key) in INERT


def word_of_constant(recording: Recording, v: Any) -> str:
    return repr(v) if v is None or type(v) is bool else recording.constant(v)


def is_fixed_key(key: Any) -> bool:
    if type(key) is tuple:
        return all(map(is_fixed_key, key))
    return type(key) in INERT or isinstance(key, (*SAME, enum.Enum))


def are_same_keys(found: Sequence[Any], keys: Sequence[Any]) -> bool:
    """Are they, and the parts of those that are tuples, of the same types?

    >>> are_same_keys([1, "a"], [1, "a"]), are_same_keys([(0, 1)], [(False, 1)])
    (True, False)
    """
    if found != keys or [*map(type, found)] != [*map(type, keys)]:
        return False
    inner = [(a, b) for a, b in zip(found, keys, strict=True) if type(a) is tuple]
    return all(are_same_keys(a, b) for a, b in inner)
