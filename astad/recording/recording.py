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

import math
import types
from typing import Any, NoReturn

import numpy as np

from astad.recording.bounds import SHORT, Bounds

__all__ = [
    "INERT", "NUMBERS", "Left", "Recording", "Told", "TooLong", "Unrecordable",
    "is_array", "is_number",
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


NUMBERS: frozenset[type] = frozenset([
    float, int, bool, complex, np.float64, np.complex128, np.int64, np.int32, np.intp, np.bool_,
    np.ndarray,
])  # fmt: skip
"""Types whose operators run nothing of the user's."""

FLOATING: frozenset[type] = frozenset([float, np.float64, complex, np.complex128])
INERT: frozenset[type] = frozenset([
    int, bool, str, bytes, type(None), type(...), type(NotImplemented), np.int64, np.int32,
    np.intp, np.bool_,
])  # fmt: skip
"""Types of values that have no parts which could change."""


def is_array(v: Any) -> bool:
    return type(v) is np.ndarray and v.dtype.kind in "fiubc" and v.dtype.itemsize <= 16


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


class Recording:
    """``words``: what the text calls a value, by identity; ``made``: the objects that the run
    itself has made; ``shrunk``: sets of which something was taken, which leaves its mark on their
    order. ``body`` is the text, ``head`` what stands before it: lines, and tests (True);
    ``inputs`` what the text is given besides the arguments: name and expression; ``paths`` where
    those of them lie that have a derivative; ``effects`` the
    statements that are done once it has run. ``quiet``: NumPy says nothing meanwhile; ``strict``:
    what it would say is an error.
    """

    def __init__(self, bounds: Bounds = SHORT) -> None:
        self.bounds = bounds
        self.words: dict[int, str] = {}
        self.made: set[int] = set()
        self.shrunk: set[int] = set()
        self.body: list[str] = []
        self.head: list[tuple[str, bool]] = []
        self.inputs: list[tuple[str, str]] = []
        self.paths: dict[str, str] = {}
        self.space: dict[str, Any] = {}
        self.effects: list[str] = []
        self.quiet = self.strict = False
        self.place = ""
        self._told: set[str] = set()
        self._constants: dict[int, str] = {}
        self._kept: list[Any] = []
        self._count = 0
        self._written_place = ""

    # --- values

    def keep(self, v: Any) -> Any:
        """Alive to the end, so that its identity is its own."""
        self._kept.append(v)
        return v

    def fresh(self, v: Any) -> Any:
        """An object that the run has made."""
        self.made.add(id(self.keep(v)))
        return v

    def number(self, v: Any, word: str) -> Any:
        """A number as an object of its own, which ``word`` stands for."""
        own = v + -0.0 if type(v) in (float, np.float64) else type(v)(v)
        self.words[id(self.keep(own))] = word
        return own

    def told(self, text: str) -> Any:
        """A text of numbers that are followed."""
        return self.fresh(Told(text))

    def array(self, v: Any, word: str) -> Any:
        self.words[id(self.keep(v))] = word
        return v

    def is_followed(self, v: Any) -> bool:
        return id(v) in self.words

    def holds_followed(self, v: Any) -> bool:
        """Is it a number that is followed, or a tuple or list of such?"""
        if type(v) in (tuple, list):
            return any(map(self.holds_followed, v))
        return id(v) in self.words

    def constant(self, v: Any) -> str:
        """A name for an object in the texts."""
        if (found := self._constants.get(id(v))) is None:
            found = self._constants[id(v)] = f"{_stem(v)}_{len(self._constants) + 1}"
            self.space[found] = self.keep(v)
        return found

    def word(self, v: Any) -> str:
        """How the text writes a value."""
        found = self.words.get(id(v))
        return found if found is not None else self._literal(v)

    def _literal(self, v: Any) -> str:
        kind = type(v)
        if kind is float or kind is np.float64:
            if not math.isfinite(v):
                return {"inf": "inf", "-inf": "(-inf)"}.get(str(float(v)), "nan")
            text = repr(float(v)) if v >= 0.0 else f"({float(v)!r})"
            return text if kind is float else f"np.float64({text})"
        if kind is bool or kind is np.bool_:
            return repr(bool(v))
        if kind in (int, np.int64, np.int32, np.intp):
            return repr(int(v)) if v >= 0 else f"({int(v)})"
        if kind in (str, bytes, type(None)):
            return repr(v)
        if v is ...:
            return "..."
        if kind is complex:
            return f"({v!r})"
        if kind is np.ndarray and v.ndim == 0 and v.dtype.kind in "fib":
            return self._literal(v[()])  # nobody has written to it
        if kind is slice:
            return f"slice({self.word(v.start)}, {self.word(v.stop)}, {self.word(v.step)})"
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
        if isinstance(v, np.dtype) and v.kind in "fiub":
            return f"np.{v.type.__name__}"
        self.refuse(f"an operation on what is no number ({type(v).__name__})")

    def index(self, v: Any) -> str:
        """How the text writes a subscript."""
        if type(v) is tuple and v:
            return f"{', '.join(map(self.index, v))}{',' if len(v) == 1 else ''}"
        if type(v) is slice:
            parts = ["" if part is None else self.word(part) for part in (v.start, v.stop, v.step)]
            return ":".join(parts if parts[2] else parts[:2])
        return self.word(v)

    # --- lines

    def refuse(self, why: str) -> NoReturn:
        raise Unrecordable(f"{self.place}: {why}")

    def stop(self, which: str, what: str = "") -> NoReturn:
        """The run is longer than ``which`` of its bounds."""
        raise TooLong(f"{self.place}: more than {getattr(self.bounds, which):,} {what or which}")

    def say(self, line: str) -> None:
        if self.place != self._written_place:
            self._written_place = self.place
            self.body.append(f"# {self.place}")
        self.body.append(line)
        if len(self.body) > self.bounds.lines:
            self.stop("lines")

    def name(self, stem: str = "t") -> str:
        self._count += 1
        return f"{stem}_{self._count}"

    def result(self, text: str, y: Any, *, again: bool = False) -> Any:
        """What an operation gave: a line that binds it, or a test where it is no number to follow;
        ``again``: one of the operands may be what is given, and stands for itself no longer.
        """
        kind = type(y)
        if id(y) in self.words and not again:
            return y
        if kind in FLOATING:
            name = self.name()
            self.say(f"{name} = {text}")
            own = self.number(y, name) if again else self.keep(y)
            self.words[id(own)] = name
            return own
        if is_array(y):
            name = self.name()
            self.say(f"{name} = np.float64({text})" if is_number(y) else f"{name} = {text}")
            return self.array(y, name)
        if kind in (tuple, list) or (isinstance(y, tuple) and hasattr(kind, "_fields")):
            name = self.name()
            self.say(f"{name} = {text}")
            for at, part in enumerate(y):
                self.result(f"{name}[{at}]", part)
            return self.fresh(y)
        return self.expect(text, y)

    def expect(self, text: str, y: Any) -> Any:
        """An answer that has to be the same again."""
        kind = type(y)
        if isinstance(y, np.dtype):
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
        self.say(f"if {test}:")
        self.say("    raise Left")
        return y

    def require(self, test: str) -> None:
        """A test at the head, once."""
        if test not in self._told:
            self._told.add(test)
            self.head.append((test, True))

    def given(self, expression: str, stem: str, path: str | None = None) -> str:
        """A number from outside, read at the head; ``path``: where it lies in an argument that has
        a derivative.
        """
        if len(self.inputs) >= self.bounds.inputs:
            self.stop("inputs", "numbers are read from outside")
        name = self.name(stem)
        self.inputs.append((name, expression))
        if path is not None:
            self.paths[name] = path
        return name
