"""The text that a run leaves, and what it was asked for.

>>> r = Recording()
>>> x, y = r.number(2.0, "x"), 3.0
>>> z = r.result(f"{r.word(x)} * {r.word(y)}", x * y)
>>> r.expect(f"{r.word(z)} < 7.0", z < 7.0)
True
>>> print(*r.body, sep="\\n")
t_1 = x * 3.0
if not t_1 < 7.0:
    raise Left
"""

from __future__ import annotations

import enum
import math
import re
import types
from typing import Any, NoReturn

import numpy as np

from astad.recording.bounds import SHORT, Bounds
from astad.rules.numpy.scatter import own_copy
from astad.runtime.cotangents.owners import owner_of
from astad.spelling import has_literal, spelled

__all__ = [
    "FLOATING", "INERT", "LARGEST", "NUMBERS", "WHOLE_ARRAYS", "Count", "Ident", "Left",
    "Recording", "Stale", "Told", "TooLong", "Unrecordable", "Whole", "is_array", "is_number",
    "is_counting", "is_of_constants", "is_of_names", "is_of_places", "without_wholes",
]  # fmt: skip


class Unrecordable(BaseException):
    """The run cannot be told to do the same again; the text says why."""


class TooLong(Unrecordable):
    """The run is longer than its bounds allow."""


class Left(Exception):
    """A test of a recorded text fails: the pair answers."""


class Told(str):
    """A text that tells a number which is followed, so it is another in another run. It may be
    kept, put together and raised; who asks what it says is refused, for its type is no text's.
    """

    __slots__ = ()


class Ident(int):
    """The id of an object that the run has made: in another run that of another. It may be a key,
    and compared with others of its kind; who asks how large it is is refused.
    """

    __slots__ = ()


class Whole(int):
    """An int with a derivative, and what sums, products and powers of such give. Equal ints are one
    object, and could not be followed. It is the same in every run that passes the tests at the
    head, and no table has this type: what is not made for it refuses it.
    """

    __slots__ = ()


class Count(int):
    """An int that is read outside, to be written back changed: it is another in each run, and the
    text has it by a name. No table has this type either.
    """

    __slots__ = ()


Whole.__name__ = Count.__name__ = "int"  # as messages name them


def without_wholes(v: Any) -> Any:
    """The int that it is in the program."""
    return int(v) if type(v) is Whole else v


NUMBERS: frozenset[type] = frozenset([
    float, int, bool, complex, np.float64, np.complex128, np.int64, np.int32, np.intp, np.bool_,
    np.ndarray,
])  # fmt: skip
"""Types whose operators run nothing of the user's."""

FLOATING: frozenset[type] = frozenset([float, np.float64, complex, np.complex128])
INERT: frozenset[type] = frozenset([
    int, bool, str, bytes, type(None), type(...), type(NotImplemented), np.int64, np.int32,
    np.intp, np.bool_, np.str_,
])  # fmt: skip
"""Types of values that have no parts which could change."""


def is_array(v: Any) -> bool:
    return type(v) is np.ndarray and v.dtype.kind in "fiubc" and v.dtype.itemsize <= 16


def _is_small(v: Any) -> bool:
    """Is it an array of some numbers, which the run has made of constants?"""
    if type(v) is not np.ndarray or not v.ndim or not 0 < v.size <= SMALL:
        return False
    return v.dtype in (np.float64, np.int64, np.bool_) and bool(np.all(np.isfinite(v)))


def is_counting(v: Any) -> bool:
    """Is it a member of an Enum of whole numbers?"""
    return isinstance(v, enum.Enum) and isinstance(v, int)


def is_of_names(v: Any) -> bool:
    """Is it an array of texts, or of None and the like, with which nothing is computed?"""
    if type(v) is not np.ndarray or v.dtype.kind not in "OU":
        return False
    return v.dtype.kind == "U" or all(type(each) in INERT for each in v.flat)


def is_of_places(v: Any) -> bool:
    """Is it an array of whole numbers or truths?"""
    return type(v) is np.ndarray and v.ndim > 0 and v.dtype in (np.int64, np.bool_)


def is_of_constants(v: Any) -> bool:
    """May it be kept as a constant, which the text copies: an array of places, or of numbers, in
    the order in which NumPy lays out a copy?
    """
    return is_of_places(v) or (is_of_numbers(v) and v.flags.c_contiguous and v.size <= LARGE)


def is_of_numbers(v: Any) -> bool:
    return type(v) is np.ndarray and v.ndim > 0 and v.dtype == np.float64


SMALL = 16
LARGE = 100_000
"""Numbers of a constant, at most: so many are kept with a text."""
_NAMES = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w*=[^=])")
"""Names in an expression, those of attributes and keywords left out."""
_FIXED = frozenset(["np", "math", "inf", "nan", "True", "False", "None", "float", "int", "complex"])


def _is_same_in_all_runs(v: Any) -> bool:
    """Is it a function, or a constant of the text? An object may have a state."""
    return callable(v) or type(v) in (np.ndarray, *INERT, float, complex, np.float64)


def _stem(v: Any) -> str:
    """What an object may be called."""
    if isinstance(v, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
        name = v.__name__.rpartition(".")[2]
    elif type(v) is dict and isinstance(v.get("__name__"), str):
        name = "globals"
    elif isinstance(v, types.CodeType):
        name = f"code_of_{v.co_name}"
    else:
        name = "o"
    return name if name.isidentifier() else "o"


def is_number(v: Any) -> bool:
    """An array without axes, which the text has as a number."""
    return type(v) is np.ndarray and v.ndim == 0 and v.dtype == np.float64


LARGEST = 30_000
"""Of the whole numbers with a derivative that a run is given in an array."""
EXACT = 2.0**53
"""Up to it floats are whole numbers."""
WHOLE_ARRAYS = "arrays of whole numbers with a derivative"

LOST = "lost"
"""The word of a number of an inner function once that is left: where it is used, its derivative
would be lost."""


class Stale(str):
    """What gives an array that was written to through another one, where it is used again."""

    __slots__ = ()


class Level:
    """A function of which a derivative is taken in the run: its text, which calls values of the
    levels around it by ``params``, each a name and the value.
    """

    def __init__(self) -> None:
        self.words: dict[int, str] = {}
        self.body: list[str] = []
        self.params: list[tuple[str, Any]] = []
        self.count = 0
        self.place = ""
        self.told: set[Any] = set()


class Recording:
    """``words``: what the text calls a value, by identity; ``made``: the objects that the run
    itself has made; ``stand_ins``: functions in the place of others, of which nobody may ask
    which they are, and the other where it has attributes; ``windowed``: arrays whose windows are
    entries of their own in the text; ``shrunk``: sets of which something was taken, which leaves
    its mark on their order; ``exact``: sets that are filled as in the plain run, in the same
    order. ``body`` is the text, ``head`` what stands before it: lines, and tests (True);
    ``inputs`` what the text is given besides the arguments: name and expression; ``paths`` where
    those of them lie that have a derivative; ``effects`` the statements that are done once it has
    run, with what it has ``kept`` for them; ``changes``: what it leaves otherwise than it was, so
    that a second run is another; ``mixed``: a number may be of one type or of another;
    ``arrivals``: the numbers and arrays that were read outside, by their names in the text, and
    where they lie; ``laid``: those arrays, and where; ``written``: an array is written to;
    ``ruled``: a rule of the user's runs in the sweeps; ``views``: an array of which something
    else has a part is written to. ``quiet``: NumPy says nothing meanwhile; ``strict``: what it
    would say is an error; ``arrays``: how many lines give one; ``settles_wholes``:
    numbers out of an array of whole numbers, with which it has computed, are constants. Text and
    words are those of the innermost of the ``levels``.
    """

    def __init__(self, bounds: Bounds = SHORT) -> None:
        self.bounds = bounds
        self.levels = [Level()]
        self.words = self.levels[0].words
        self.body = self.levels[0].body
        self.made: set[int] = set()
        self.shrunk: set[int] = set()
        self.exact: set[int] = set()
        self.stand_ins: dict[int, Any] = {}
        self.windowed: set[int] = set()
        self.head: list[tuple[str, bool]] = []
        self.inputs: list[tuple[str, str]] = []
        self.paths: dict[str, str] = {}
        self.space: dict[str, Any] = {}
        self.effects: list[str] = []
        self.kept: tuple[Any, ...] = ()
        self.changes = ""
        self.mixed = self.ruled = self.views = self.written = False
        self.quiet = self.strict = False
        self.arrays = 0
        self.place = ""
        self._told: set[str] = set()
        self._constants: dict[int, str] = {}
        self._kept: list[Any] = []
        self._in_memory: dict[int, list[np.ndarray[Any, Any]]] = {}
        self.arrivals: list[tuple[str, str, Any]] = []
        self.laid: list[tuple[str, Any]] = []
        self._doubles: dict[int, float] = {}
        self._settled: set[int] = set()
        self._steady: set[str] = set()
        self._met = False
        self._whole_arrays: set[str] = set()
        self._out_of_arrays: set[int] = set()
        self.settles_wholes = False

    # --- values

    def keep(self, v: Any) -> Any:
        """Alive to the end, so that its identity is its own."""
        self._kept.append(v)
        return v

    def fresh(self, v: Any) -> Any:
        """An object that the run has made."""
        self.made.add(id(self.keep(v)))
        return v

    def number(self, v: Any, word: str, *, arrived: bool = False) -> Any:
        """A number as an object of its own, which ``word`` stands for; ``arrived``: it comes from
        outside, to the outermost text.
        """
        own = v + (complex(-0.0, -0.0) if isinstance(v, complex) else -0.0)
        return self.array(own, word, arrived=arrived)

    def whole(self, v: int, word: str, *, arrived: bool = False) -> Any:
        """An int as an object of its own."""
        return self.array(Whole(v), word, arrived=arrived)

    def count(self, v: int, word: str) -> Any:
        """An int that is another in each run."""
        return self.array(Count(v), word, arrived=True)

    def doubles(self, v: Any, word: str, bound: float = LARGEST, *, arrived: bool = False) -> Any:
        """An array of whole numbers with a derivative, none of which is above the ``bound``: the
        text has it as floats.
        """
        if bound > EXACT:
            self.refuse(WHOLE_ARRAYS)
        self._doubles[id(v)] = bound
        return self.array(v, word, arrived=arrived)

    def bound(self, v: Any) -> float:
        """Of whole numbers with a derivative, or a whole number of the text."""
        if id(v) in self._doubles:
            return self._doubles[id(v)]
        if type(v) not in (int, bool, np.int64, np.int32):
            self.refuse(WHOLE_ARRAYS)
        return abs(int(v))

    def is_doubled(self, v: Any) -> bool:
        return id(v) in self._doubles

    def told(self, text: str) -> Any:
        """A text of numbers that are followed."""
        return self.fresh(Told(text))

    def array(self, v: Any, word: str, *, arrived: bool = False) -> Any:
        words = self.levels[0].words if arrived else self.words
        if type(v) is np.ndarray and id(v) not in words:
            self._in_memory.setdefault(id(owner_of(v)), []).append(v)
        words[id(self.keep(v))] = word
        self._settled.discard(id(v))
        self._note_wholes(v, word)
        return v

    def _note_wholes(self, v: Any, word: str) -> None:
        if type(v) is np.ndarray and v.dtype.kind in "iu":
            self._whole_arrays.add(word)

    def is_followed(self, v: Any) -> bool:
        return id(v) in self.words or self._found(v) is not None

    def is_known(self, v: Any) -> bool:
        """Has it a word at any level? To ask hands it to none."""
        return any(id(v) in level.words for level in self.levels)

    def has_arrived(self, v: Any) -> bool:
        return id(v) in self.levels[0].words

    def holds_followed(self, v: Any) -> bool:
        """Is it a number that is followed, or a tuple or list of such?"""
        if type(v) in (tuple, list):
            return any(map(self.holds_followed, v))
        return self.is_followed(v)

    def holds_moving(self, v: Any) -> bool:
        """Is it a number that may be another in the next run, or a tuple or list of such?"""
        if type(v) in (tuple, list):
            return any(map(self.holds_moving, v))
        return self.is_followed(v) and not self.is_steady(v)

    def _found(self, v: Any, depth: int = -1) -> str | None:
        """The word of a value in a level, where it is a parameter if it is of a level around."""
        depth %= len(self.levels)
        level = self.levels[depth]
        word = level.words.get(id(v))
        if word is None and depth:
            word = self._found(v, depth - 1)
            if word is not None and word is not LOST:
                word = f"p_{len(level.params) + 1}"
                level.params.append((word, v))
                self._note_wholes(v, word)
            if word is not None:
                level.words[id(v)] = word
        return word

    def asked(self, o: Any) -> Any:
        """What is asked for its attributes, or changed, where this is."""
        original = self.stand_ins.get(id(o)) or o
        self.expect_no_stand_in(original)
        return original

    def expect_no_stand_in(self, *objects: Any) -> None:
        if any(id(each) in self.stand_ins for each in objects):
            self.refuse("which function it is that a call for a derivative holds")

    # --- levels

    def enter(self) -> Level:
        """A function inside, whose text is its own."""
        self.levels.append(Level())
        return self._innermost()

    def _innermost(self) -> Level:
        level = self.levels[-1]
        self.words, self.body = level.words, level.body
        return level

    def leave(self) -> None:
        """What the function has computed has no meaning outside of it."""
        level = self.levels.pop()
        self._innermost()
        shared = {id(v) for _, v in level.params}
        for own in level.words.keys() - shared:
            self.words.setdefault(own, LOST)

    def lost(self, v: Any) -> Any:
        """A number that nobody may use."""
        return self.number(v, LOST)

    def is_lost(self, v: Any) -> bool:
        return self._found(v) is LOST

    def is_own(self, a: np.ndarray[Any, Any]) -> bool:
        """Was an array made by the function that runs, in memory that no other level sees?"""
        level = self.levels[-1]
        if len(self.levels) == 1:
            return True
        others = [v for _, v in level.params if isinstance(v, np.ndarray)]
        if id(a) not in level.words or any(v is a for v in others):
            return False
        return not any(np.may_share_memory(a, v) for v in others)

    def sharing(self, a: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        """The other arrays with a name that may have a part of its memory."""
        return [v for v in self._in_memory.get(id(owner_of(a)), ()) if v is not a]

    def is_alone(self, a: np.ndarray[Any, Any]) -> bool:
        """Has nothing else that the text names a part of the array's memory?"""
        return not self.sharing(a)

    def constant(self, v: Any) -> str:
        """A name for an object in the texts."""
        if (found := self._constants.get(id(v))) is None:
            found = self._constants[id(v)] = f"{_stem(v)}_{len(self._constants) + 1}"
            self.space[found] = self.keep(v)
        return found

    def is_given(self, v: Any) -> bool:
        """Is it an object that the texts have by a name of its own, the same in every run?"""
        return id(v) in self._constants

    def key(self, v: Any) -> str:
        """How the texts write a key of a dict: one that is made in each run is not the same."""
        return spelled(v) if has_literal(v) else self.constant(v)

    def word(self, v: Any) -> str:
        """How the text writes a value."""
        found = self.words.get(id(v)) or self._found(v)
        self._met = self._met or id(v) in self._doubles
        if type(found) is Stale:
            name = self.words[id(v)] = self.name()
            self.say(f"{name} = {found}")
            return name
        if found is LOST:
            self.refuse("a number of a function inside, whose derivative was taken, is used after")
        if found is None and len(self.levels) > 1 and id(v) in self.made and is_of_numbers(v):
            self._settle_outside(v)
            found = self._found(v)
        if found is None and (_is_small(v) or self.is_settled(v)):
            if id(v) not in self.made:
                self.refuse("an array that the run has not made, and of which no place is known")
            self._expect_whole(v)
            found = self.name()
            is_short = _is_small(v)
            self.say(f"{found} = {self._copy_of(v, is_short=is_short)}")
            self._note_steady(found)
            self.array(v, found)
            if is_of_constants(v) and len(self.levels) == 1:
                self._settled.add(id(v))
        return found if found is not None else self._literal(v)

    def _copy_of(self, v: Any, *, is_short: bool) -> str:
        """An array of constants, made anew: in the kind that it has."""
        if v.dtype == np.float64 and not np.any(v) and not np.any(np.signbit(v)):
            return f"np.zeros({v.shape!r})"
        if is_short:
            return f"np.array({v.tolist()!r})"
        stem = {"i": "counts", "b": "bools"}.get(v.dtype.kind) if v.dtype.itemsize in (1, 8) else ""
        if not stem or not v.ndim:
            return f"{self.constant(v.copy())}.copy()"
        return f"{self.constant(own_copy)}({self.constant(v.copy())}, '{stem}{v.ndim}')"

    def _settle_outside(self, a: np.ndarray[Any, Any]) -> None:
        """An array of constants of the outermost function, which one inside uses."""
        self._expect_whole(a)
        name = self.name(arrived=True)
        self.say(f"{name} = {self._copy_of(a, is_short=_is_small(a))}", arrived=True)
        self.array(a, name, arrived=True)

    def _expect_whole(self, a: np.ndarray[Any, Any]) -> None:
        """A part of an array that the text has would be a copy of what that holds now."""
        whole = owner_of(a)
        if whole is not a and (self.is_followed(whole) or id(whole) in self.made):
            self.refuse("a part of an array of constants")

    def constant_word(self, v: Any) -> str:
        """How the text writes a value to which no derivative comes."""
        found = self.shaped(v)
        return f"{found}.astype(np.{v.dtype.type.__name__})" if self.is_doubled(v) else found

    def word_of_written(self, a: np.ndarray[Any, Any]) -> str:
        """The word of an array that the text writes to: what it holds is its own from now on."""
        word = self.word(a)
        for each in (a, *self.sharing(a)):
            self._settled.discard(id(each))
            self._steady.discard(self.words.get(id(each), ""))
        return word

    def is_settled(self, v: Any) -> bool:
        """Is it an array that the run has made of constants? It has a word from where the text
        has a use for it, until it is written to.
        """
        is_own = is_of_constants(v) and id(v) in self.made and len(self.levels) == 1
        return is_own and (id(v) not in self.words or id(v) in self._settled)

    def is_of_settled(self, y: Any, *operands: Any) -> bool:
        """Is it such an array, made of such and of other constants?"""
        known = (id(v) in self._settled or not self.is_followed(v) for v in operands)
        return len(self.levels) == 1 and is_of_constants(y) and all(known)

    def is_steady(self, v: Any) -> bool:
        """Is it followed, but computed of constants alone, the same in every run?"""
        return self.words.get(id(v)) in self._steady and len(self.levels) == 1

    def stays_steady(self, a: np.ndarray[Any, Any]) -> None:
        """It was, and has been changed by what is."""
        self._note_steady(self.words[id(a)])

    def _note_steady(self, name: str) -> None:
        """A function inside has names of its own, which are others than these."""
        if len(self.levels) == 1:
            self._steady.add(name)

    def written_apart(self, a: np.ndarray[Any, Any], *others: Any) -> bool:
        """Is such an array written to with what is no more than that? Then the text is told nothing
        of it, but what it holds where it is used next.
        """
        if not self.is_settled(a) or self.sharing(a) or any(map(self.holds_followed, others)):
            return False
        if self.words.pop(id(a), None) is not None:
            self._in_memory.pop(id(owner_of(a)))
        return True

    def shaped(self, v: Any) -> str:
        """The word of an array of which only the shape is asked, which no derivative reaches."""
        met = self._met
        found = self.word(v)
        self._met = met
        return found

    def _literal(self, v: Any) -> str:
        kind = type(v)
        if kind is float or kind is np.float64:
            if not math.isfinite(v):
                return {"inf": "inf", "-inf": "(-inf)"}.get(str(float(v)), "nan")
            text = repr(float(v))
            text = f"({text})" if text[0] == "-" else text
            return text if kind is float else f"np.float64({text})"
        if kind is bool or kind is np.bool_:
            return repr(bool(v))
        if kind in (int, np.int64, np.int32, np.intp):
            return repr(int(v)) if v >= 0 else f"({int(v)})"
        if kind in (str, bytes, type(None)):
            return repr(v)
        if kind is np.str_:
            return repr(str(v))
        if v is ...:
            return "..."
        if kind is complex or kind is np.complex128:
            text = f"complex({self._literal(float(v.real))}, {self._literal(float(v.imag))})"
            return text if kind is complex else f"np.complex128({text})"
        if kind is np.ndarray and v.ndim == 0 and v.dtype.kind in "fib":
            return self._literal(v[()])  # nobody has written to it
        if kind is slice:
            return f"slice({self.word(v.start)}, {self.word(v.stop)}, {self.word(v.step)})"
        if is_counting(v):
            return self._literal(int(v))
        if kind is tuple:
            return f"({', '.join(map(self.word, v))}{',' if len(v) == 1 else ''})"
        if kind is list and id(v) in self.made:
            return f"[{', '.join(map(self.word, v))}]"
        return self._type_word(v)

    def _type_word(self, v: Any) -> str:
        if isinstance(v, type) and v in (float, int, bool, complex):
            return v.__name__
        if isinstance(v, type) and issubclass(v, np.generic):
            return f"np.{v.__name__}"
        if isinstance(v, np.dtype) and v.kind in "fiubc":
            return f"np.{v.type.__name__}"
        self.refuse(f"an operation on what is no number ({type(v).__name__})")

    def index(self, v: Any) -> str:
        """How the text writes a subscript."""
        if type(v) is tuple and v:
            return f"{', '.join(map(self.index, v))}{',' if len(v) == 1 else ''}"
        if type(v) is slice:
            parts = ["" if part is None else self.word(part) for part in (v.start, v.stop, v.step)]
            return ":".join(parts if parts[2] else parts[:2])
        if type(v) is range:
            return f"np.arange({v.start}, {v.stop}, {v.step})"
        if type(v) is list and v:
            return f"np.array({self.constant_word(v)})"
        return self.constant_word(v)

    # --- lines

    def refuse(self, why: str) -> NoReturn:
        raise Unrecordable(f"{self.place}: {why}" if self.place else why)

    def stop(self, which: str, what: str = "") -> NoReturn:
        """The run is longer than ``which`` of its bounds."""
        place = f"{self.place}: " if self.place else ""
        raise TooLong(f"{place}more than {getattr(self.bounds, which):,} {what or which}")

    def whole_result(self, text: str, y: Any, bound: float) -> Any:
        """What a sum, a difference or a product of whole numbers with a derivative gave, or some
        of them.
        """
        name = self.name()
        self.say(f"{name} = {text}")
        return self.doubles(y, name, bound)

    def is_whole_result(self, y: Any) -> bool:
        """Is an operand of the words since the last line one of whole numbers, and the result?"""
        return self._met and is_array(y) and y.dtype.kind == "i"

    def say(self, line: str, *, arrived: bool = False) -> None:
        self._met = False
        level = self.levels[0 if arrived else -1]
        if self.place != level.place:
            level.place = self.place
            level.body.append(f"# {self.place}")
        level.body.append(line)
        if len(level.body) > self.bounds.lines:
            self.stop("lines")

    def name(self, stem: str = "t", *, arrived: bool = False) -> str:
        level = self.levels[0 if arrived else -1]
        level.count += 1
        return f"{stem}_{level.count}"

    def result(self, text: str, y: Any, *, again: bool = False, moves: bool = False) -> Any:
        """What an operation gave: a line that binds it, or a test where it is no number to follow;
        ``again``: one of the operands may be what is given, and stands for itself no longer;
        ``moves``: of constants too it may be another in the next run. Else it is one.
        """
        kind = type(y)
        if not again and self.is_followed(y):
            return y
        if self._met and not (kind in FLOATING or (is_array(y) and y.dtype.kind in "fcb")):
            self.refuse(WHOLE_ARRAYS)
        is_steady = not moves and self._is_of_steady(text)
        if is_steady and (own := self._kept_as_constant(y)) is not None:
            return own
        if kind in FLOATING:
            name = self._bound(text, is_steady)
            own = self.number(y, name) if again else self.keep(y)
            self.words[id(own)] = name
            return own
        if is_array(y):
            self.arrays += 1
            return self.array(
                y, self._bound(f"np.float64({text})" if is_number(y) else text, is_steady)
            )
        if kind in (tuple, list) or (isinstance(y, tuple) and hasattr(kind, "_fields")):
            name = self._bound(text, is_steady)
            if kind is list:
                self.expect(f"len({name})", len(y), moves=moves)
            for at, part in enumerate(y):
                self.result(f"{name}[{at}]", part, moves=moves)
            return self.fresh(y)
        self.expect(text, y, moves=moves)
        may_settle = isinstance(y, np.integer) and not is_steady
        is_out_of_array = may_settle and not self._whole_arrays.isdisjoint(re.findall(r"\w+", text))
        return self.settle(y) if is_out_of_array else y

    def settle(self, y: Any) -> Any:
        """A whole number out of an array of such, which is a constant of the text."""
        self._out_of_arrays.add(id(self.keep(y)))
        return y

    def use(self, *operands: Any) -> None:
        """In arithmetic a number out of an array of whole numbers has a derivative, which is lost;
        where it counts, or tells a place, it has none.
        """
        if self._out_of_arrays and any(id(v) in self._out_of_arrays for v in operands):
            self.settles_wholes = True

    def _bound(self, text: str, is_steady: bool) -> str:
        name = self.name()
        self.say(f"{name} = {text}")
        if is_steady:
            self._note_steady(name)
        return name

    def _is_of_steady(self, text: str) -> bool:
        """Does the text name nothing but what is the same in every run?"""
        known = self._steady
        return len(self.levels) == 1 and all(
            n in known or n in _FIXED or n in self.space and _is_same_in_all_runs(self.space[n])
            for n in map(re.Match.group, _NAMES.finditer(text))
        )

    def _kept_as_constant(self, y: Any) -> Any:
        """What constants give, as one; None for what is an array of another kind, or a part of an
        array, which may be written to.
        """
        if type(y) in (float, np.float64):
            return self.keep(y + -0.0)  # an object of its own
        is_new = is_of_constants(y) and y.base is None and not self.is_followed(y)
        return self.fresh(y) if is_new else None

    def tells(self, what: Any) -> bool:
        """Is it new to this text?"""
        told = self.levels[-1].told
        is_new = what not in told
        told.add(what)
        return is_new

    def expect(self, text: str, y: Any, *, moves: bool = False) -> Any:
        """An answer that has to be the same again; of constants it is, unless it ``moves``."""
        kind = type(y)
        if self._met and kind not in (bool, np.bool_):
            self.refuse(WHOLE_ARRAYS)
        if isinstance(y, np.dtype) or (isinstance(y, type) and issubclass(y, np.generic)):
            return y  # as the kinds of the text have it
        if kind is bool or kind is np.bool_:
            test = f"not {text}" if y else text
        elif y is None:
            test = f"{text} is not None"
        elif kind in (str, bytes):
            self.refuse("a text or bytes that hold a number")
        elif kind in INERT or (kind is tuple and all(type(part) in INERT for part in y)):
            test = f"{text} != {self._literal(y)}"
        else:
            self.refuse(f"an operation that gives {kind.__name__}")
        if moves or not self._is_of_steady(text):
            self.say(f"if {test}:")
            self.say("    raise Left")
        return y

    def require(self, test: str) -> None:
        """A test at the head, once."""
        if test not in self._told:
            self._told.add(test)
            self.head.append((test, True))

    def pinned(self, v: Any, why: str) -> Any:
        """A number from outside to which no derivative comes, as a constant: it has to be the same
        again. Of any other the run is refused, for the reason that is given.
        """
        head = dict(self.inputs).get(self.levels[0].words.get(id(v), ""))
        is_moving = head is None or self.levels[0].words[id(v)] in self.paths
        if is_moving or type(v) not in (float, np.float64) or v != v:
            self.refuse(why)
        self.require(f"{head} == {float(v)!r}" if v else f"repr({head}) == {repr(v)!r}")
        return self.keep(v + -0.0)

    def require_kind(self, head: str, v: Any) -> None:
        """Of a number or an array: that it is of this very kind."""
        self.require(f"type({head}) is {self.constant(type(v))}")
        if type(v) is np.ndarray:
            self.require(f"{head}.dtype == {self.constant(v.dtype)} and {head}.ndim == {v.ndim}")

    def copied(self, y: np.ndarray[Any, Any], stem: str) -> Any:
        """An array that is the same in every run, which may write into it."""
        given, line = self.given(self.constant(y.copy()), stem), self.name()
        self.say(f"{line} = {given}.copy()")
        self._note_steady(line)
        return self.array(y, line)

    def given(self, expression: str, stem: str, path: str | None = None) -> str:
        """A number from outside, read at the head; ``path``: where it lies in an argument that has
        a derivative.
        """
        if len(self.inputs) >= self.bounds.inputs:
            self.stop("inputs", "numbers are read from outside")
        name = self.name(stem, arrived=True)
        self.inputs.append((name, expression))
        if path is not None:
            self.paths[name] = path
        return name
