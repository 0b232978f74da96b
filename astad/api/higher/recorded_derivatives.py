"""Calls for derivatives inside of a run that is recorded.

The inner function is run like any other, at a level of its own: what it is differentiated by are
fresh numbers there, and numbers of the levels around are parameters of its text when they are met
(`recording.Level`). So it does not matter by which way a number has come: captured, by an
attribute, in a container, through a method. The gradient of this straight text is a straight text
again, and is run in the place of the call. What it does are operations of the run around, whose
derivative is taken like that of any others: to any depth, and no value carries a mark that one
level could take for another's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count, repeat
from types import FunctionType
from typing import Any, NamedTuple  # whatever a function takes

import numpy as np

from astad.api.gradients import gradients
from astad.api.gradients.recorded import AN_EXCEPTION_LEAVES
from astad.api.gradients.recorded_pullbacks import somewhere
from astad.api.higher import composed
from astad.api.higher.compositions import spelled
from astad.api.higher.gradient_modules import GradientModule, gradient_module
from astad.api.higher.how import How
from astad.api.higher.line_by_line import Lines
from astad.api.variants.argument_numbers import among, positions_of
from astad.api.variants.derived import Derived
from astad.errors import Unsupported
from astad.recording import attributes, operations
from astad.recording.outside import Asked
from astad.recording.recording import INERT, Recording, Unrecordable, Whole, is_array, is_number
from astad.recording.run import Run
from astad.recording.straight import function_of
from astad.rules.numpy.paths import with_path
from astad.rules.registry import is_zero
from astad.runtime.core.full_rules import FOLLOWED as BY_TYPE
from astad.tangents.objects import Tangent
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["FOLLOWED", "display"]

NUMBERS = (float, np.float64, complex, np.complex128)


class _Leaf(NamedTuple):
    """In a structure of derivatives a number or an array: its name, and what stands for it where no
    path leads.
    """

    name: str
    zero: Any = None


class _Lost(NamedTuple):
    """The derivative by a whole number, which is not followed: whoever asks for it is told so."""


def filled(run: Run, shape: Any, at_leaf: Callable[[_Leaf], Any]) -> Any:
    """A structure with what a function gives for each of its leaves."""
    kind, fresh = type(shape), run.recording.fresh

    def of(part: Any) -> Any:
        return filled(run, part, at_leaf)

    if kind is _Leaf:
        return at_leaf(shape)
    if kind is _Lost:
        return run.recording.lost(0.0)
    if kind is list:
        return fresh([*map(of, shape)])
    if isinstance(shape, tuple):
        return fresh(tuple.__new__(kind, map(of, shape)))
    if kind is dict:
        return fresh({key: of(part) for key, part in shape.items()})
    if kind is Tangent:
        return fresh(Tangent(**{name: of(part) for name, part in vars(shape).items()}))
    return shape


def matched(run: Run, shape: Any, v: Any, found: dict[str, Any]) -> None:
    """What a direction or a cotangent of this structure has for the names of the leaves; None holds
    all below it.
    """
    kind = type(shape)
    if v is None or shape is None:
        return
    if kind is _Leaf:
        found[shape.name] = v
    elif isinstance(shape, (list, tuple)) and kind is not _Lost:
        if type(v) not in (list, tuple, kind) or operations.length(run, v) != len(shape):
            run.recording.refuse("a direction that is of another structure")
        for at, part in enumerate(shape):
            matched(run, part, operations.getitem(run, v, at), found)
    elif kind is dict:
        for key, part in shape.items():
            matched(run, part, operations.getitem(run, v, key), found)
    elif kind is Tangent:
        for name, part in vars(shape).items():
            matched(run, part, run.attribute(v, name), found)


class _Fresh:
    """The fresh numbers of a level, and what has to be as it was when the level is left."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.recording = run.recording
        self.names: list[str] = []
        self.values: list[Any] = []
        self.arrays: list[Any] = []
        self.copies: list[Any] = []
        self.seen: dict[int, tuple[Any, Any]] = {}
        self.attributes: list[tuple[Asked, dict[str, Any]]] = []
        self.put: list[tuple[Callable[[], Any], Callable[[Any], None], Any, Any]] = []

    def of(self, v: Any, *, inside: bool = False) -> tuple[Any, Any]:
        """What stands for a value inside, and the structure of its derivatives; ``inside``: of a
        container, where zero stands for no path.
        """
        kind = type(v)
        if kind in NUMBERS:
            name = self._named(v)
            zero = 0.0 if kind in (float, np.float64) else 0j
            return self.recording.number(v, name), _Leaf(name, zero if inside else None)
        if is_array(v):
            return self._array(v, inside)
        if kind in INERT or kind is Whole or isinstance(v, (type, FunctionType)):
            is_whole = kind in (int, Whole, np.int64, np.int32, np.intp)
            return v, _Lost() if is_whole else None
        if id(v) in self.seen:
            own, shape = self.seen[id(v)]
            if shape is _OPEN:
                self.recording.refuse("derivatives by what leads to itself")
            return own, shape
        self.seen[id(self.recording.keep(v))] = v, _OPEN
        if not isinstance(v, tuple) and self.run.outside.is_outside(v):
            self.run.outside.moved.append(v)
        found = self._parts(v)
        self.seen[id(v)] = found
        return found

    def _named(self, v: Any) -> str:
        self.names.append(f"x_{len(self.names) + 1}")
        self.values.append(v)
        return self.names[-1]

    def _array(self, v: Any, inside: bool) -> tuple[Any, Any]:
        if v.dtype.kind not in "fc":
            self.recording.refuse(f"derivatives by a {v.dtype} array")
        if any(np.may_share_memory(v, other) for other in self.arrays):
            self.recording.refuse("derivatives by arrays that may share memory")
        name = self._named(v)
        self.arrays.append(v)
        if self.recording.has_arrived(v) and any(v is each for each in self.run.outside.arrays):
            self.run.outside.moved.append(v)
        own = self.recording.array(v.copy(), name)
        self.copies.append(own)
        self.run.outside.arrays.append(own)  # nobody writes to it
        return own, _Leaf(name, np.zeros(v.shape, v.dtype) if inside else None)

    def _parts(self, v: Any) -> tuple[Any, Any]:
        kind, run, outside = type(v), self.run, self.run.outside
        if kind is tuple or (isinstance(v, tuple) and hasattr(kind, "_fields")):
            count = operations.length(run, v) if kind is tuple else len(v)
            items = [outside.item(v, at) for at in range(count)] if outside.is_outside(v) else [*v]
            both = [self.of(item, inside=True) for item in items]
            made = self.recording.fresh(tuple.__new__(kind, [own for own, _ in both]))
            return made, tuple.__new__(kind, [shape for _, shape in both])
        if kind is list:
            return v, [self._entry(v, at) for at in range(operations.length(run, v))]
        if kind is dict:
            parts = {key: self._entry(v, key) for key in operations.iterate(run, v)}
            return v, {key: shape for key, shape in parts.items() if shape is not None}
        if kind.__flags__ & MADE_BY_CLASS and hasattr(v, "__dict__"):
            shape = Tangent(**{name: self._attribute(v, name) for name in self._names(v)})
            for name in vars(shape) if outside.is_outside(v) else ():
                self.attributes.append(((id(v), "attribute", name), vars(shape)))
            return v, shape
        self.recording.refuse(f"derivatives by what lies in a {kind.__name__}")

    def _names(self, v: Any) -> list[str]:
        own = vars(v)
        if self.run.outside.is_outside(v):
            names = self.recording.constant([*own])
            self.recording.require(f"list({self.run.outside.place(v).head}.__dict__) == {names}")
        return [*own]

    def _entry(self, c: Any, key: Any) -> Any:
        """Of a list or dict."""
        outside = self.run.outside
        if outside.is_outside(c):
            v, asked = outside.item(c, key), outside.asked_of_item(c, key)
            return self._put(v, lambda: outside.seen(asked), lambda own: outside.see(asked, own))
        v = c[key]
        return self._put(v, lambda: c[key], lambda own: c.__setitem__(key, own))

    def _attribute(self, o: Any, name: str) -> Any:
        outside, held = self.run.outside, vars(o)
        v = attributes.stored(self.run, o, name, held[name])
        if outside.is_outside(o):
            asked = id(o), "attribute", name
            get, put = lambda: outside.seen(asked), lambda own: outside.see(asked, own)
        else:
            get, put = lambda: held[name], lambda own: held.__setitem__(name, own)
        return self._put(v, get, put, zero=False)

    def _put(
        self, v: Any, get: Callable[[], Any], put: Callable[[Any], None], *, zero: bool = True
    ) -> Any:
        own, shape = self.of(v, inside=zero)
        if own is not v:
            put(own)
            self.put.append((get, put, v, own))
        return shape

    def leave_unread(self, read: Collection[Asked]) -> None:
        """By attributes that nobody has read there is none, whatever lies in them."""
        for asked, shape in self.attributes:
            if asked not in read:
                shape[asked[2]] = None

    def undo(self) -> bool:
        """Everything as it was; has nobody else written there?"""
        is_whole = True
        for get, put, v, own in reversed(self.put):
            try:
                is_whole = is_whole and get() is own
            except (LookupError, AttributeError):
                is_whole = False
            put(v)
        return is_whole


_OPEN = object()


class _Inside:
    """A call of a function at a level of its own: the text of what it did. ``words`` of the numbers
    and arrays that it gave, ``results`` they themselves, ``result`` the structure in which they lie
    by the names of their places; ``shapes`` the structures of the derivatives by arguments.
    """

    def __init__(
        self, run: Run, f: Any, args: Sequence[Any], keywords: dict[str, Any],
        wanted: Sequence[int],
    ) -> None:  # fmt: skip
        self.run = run
        recording: Recording = run.recording
        level = recording.enter()
        fresh = _Fresh(run)
        before, read = run.outside.touched, set[Asked]()
        run.outside.touched = set()  # to go through an argument is not to read it
        self.shapes: list[Any] = []
        self.words: list[str] = []
        self.results: list[Any] = []
        try:
            given = [*args]
            for at in wanted:
                given[at], shape = fresh.of(args[at])
                self.shapes.append(shape)
            run.outside.touched = read
            self.result = self._taken(run.call(f, *given, **keywords))
            fresh.leave_unread(read)
        except Exception:
            # the questions about numbers that have led here would be lost
            recording.refuse(AN_EXCEPTION_LEAVES)
        finally:
            run.outside.touched = before | read
            is_whole = fresh.undo()
            run.outside.arrays[:] = [
                a for a in run.outside.arrays if all(a is not own for own in fresh.copies)
            ]
            recording.leave()
        if not is_whole:
            recording.refuse("a function writes to what it is differentiated by")
        others = [v for _, v in level.params if isinstance(v, np.ndarray)]
        if any(np.may_share_memory(a, v) for a in fresh.arrays for v in others):
            recording.refuse(
                "a function has captured the array x that it is differentiated by: handed over as "
                "x * 1.0, it is one of its own"
            )
        self.names = [*fresh.names, *[name for name, _ in level.params]]
        self.values = [*fresh.values, *[v for _, v in level.params]]
        self.own = tuple(range(len(fresh.names)))
        self.body = level.body
        self.reaches = any(re.search(rf"\b{name}\b", line) for name in fresh.names
                           for line in (*self.body, *self.words))  # fmt: skip

    def _taken(self, y: Any) -> Any:
        """The structure of a result, its numbers as leaves."""
        kind, run = type(y), self.run
        if kind in NUMBERS or is_array(y):
            self.words.append(run.recording.word(y))
            self.results.append(y)
            return _Leaf(f"y_{len(self.words)}")
        if kind is tuple or kind is list:
            parts = [self._taken(part) for part in operations.iterate(run, y)]
            return parts if kind is list else tuple(parts)
        if kind is dict:
            keys = [*operations.iterate(run, y)]
            return {key: self._taken(operations.getitem(run, y, key)) for key in keys}
        if kind in INERT and not isinstance(y, (int, np.integer)):
            return y
        run.recording.refuse(f"derivatives of a function that gives a {kind.__name__}")

    @property
    def is_number(self) -> bool:
        return type(self.result) is _Leaf

    def function(self, more: Sequence[str] = (), lines: Sequence[str] = (), y: str = "") -> Any:
        """What it did as a function."""
        body = [line for line in self.body if not line.startswith("#")]
        words = "".join(f"{word}, " for word in self.words)
        y = y or (self.words[0] if self.is_number else f"({words})")
        return self._function([*self.names, *more], [*body, *lines, f"return {y}"])

    def _function(self, params: Sequence[str], body: Sequence[str]) -> Any:
        text = [f"def inside({', '.join(params)}):", *[f"    {line}" for line in body]]
        return _known("\n".join(text) + "\n", self.run.recording)

    def expect_shapes(self) -> None:
        """Of those of what it was given follow those of its results."""
        for v in filter(is_array, self.values):
            self.run.attribute(v, "shape")

    def given(self, found: Any) -> Any:
        """The result of numbers that a text over these has given."""
        if self.is_number:
            return found
        named = {f"y_{at + 1}": part for at, part in enumerate(found)}
        return filled(self.run, self.result, lambda leaf: named[leaf.name])

    def by_lines(self, seeds: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """The values of all names at the level of the call, and the cotangents of the fresh numbers
        from those of some words, where no text gives them.
        """
        lines = Lines(self.run, [line for line in self.body if not line.startswith("#")])
        self.run.own.add(id(vars(composed)))
        names = "".join(f"{name}, " for name in lines.names)
        fn = self._function(self.names, [*lines.text, f"return ({names})"])
        self.run.own.add(id(fn.__globals__))
        found = self.run.function(fn, self.values, {})
        values = {**dict(zip(self.names, self.values, strict=True)),
                  **dict(zip(lines.names, found, strict=True))}  # fmt: skip
        bars = lines.reverse(values, seeds)
        values |= {name: values[last] for name, last in lines.last.items()}
        return values, [bars.get(name) for name in self.names[: len(self.own)]]

    def run_text(self, made: GradientModule, *more: Any) -> Any:
        """A text over these numbers, run in the place of the call."""
        self.run.own.add(id(made.run.__globals__))
        return self.run.function(made.run, [*self.values, *more], {})

    def run_plain(self) -> Any:
        """The function itself once more, at the level of the call."""
        fn = self.function()
        self.run.own.add(id(fn.__globals__))
        return self.given(self.run.function(fn, self.values, {}))

    def module(self, fn: FunctionType, how: str, more: Sequence[Any] = ()) -> GradientModule | None:
        return gradient_module(fn, [*self.values, *more], How(how, self.own))

    def linked(self, found: Sequence[Any], before: int) -> list[Any]:
        """Derivatives that the text from this line on has given, each with a path from the
        arguments that the text does not read for it: it depends on these by the call alone.
        """
        recording, own = self.run.recording, []
        lines = [line for line in recording.body[before:] if not _is_constant(line, recording)]
        for name in (shape.name for shape in self.shapes if type(shape) is _Leaf):
            v = self.values[self.names.index(name)]
            if recording.is_followed(v):
                own.append((v, led_from(lines, [recording.word(v)])))
        linked = []
        for part in found:
            for v, led in own if part is not None else ():
                if not recording.is_followed(part) or recording.word(part) not in led:
                    part = self.run.call(with_path, part, v)
            linked.append(part)
        return linked

    def built(self, bars: Sequence[Any]) -> list[Any]:
        """The derivatives by the arguments, of those by the fresh numbers."""
        by_name = dict(zip(self.names, zip(bars, self.values, strict=False), strict=False))

        def at_leaf(leaf: _Leaf) -> Any:
            bar, value = by_name[leaf.name]
            if is_number(value) and type(bar) in NUMBERS:  # as of `x * x`, of an array of rank 0
                return self.run.call(np.asarray, bar)
            if type(value) in NUMBERS and is_number(bar):  # as of a rule for arrays
                return operations.getitem(self.run, bar, ())
            if bar is not None:
                return bar
            return _zero_like(self.run, value) if is_array(leaf.zero) else leaf.zero

        return [filled(self.run, shape, at_leaf) for shape in self.shapes]


_CALL = re.compile(r"\w+ = (?:(\w+)\.)?(\w+)\(")


def _is_constant(line: str, recording: Recording) -> bool:
    """Does a line bind what no derivative leads to, as ``np.zeros_like(x)``?"""
    call = _CALL.match(line)
    if call is None or line.endswith(".shape"):
        return line.endswith(".shape")
    home, name = call.groups()
    found = recording.space.get(name) if home is None else getattr(np, name, None)
    return found is not None and home in (None, "np") and is_zero(found)


_TEXTS: dict[Any, FunctionType] = {}
MOST_TEXTS = 512


def _known(text: str, recording: Recording) -> FunctionType:
    """The same function for the same text over the same objects: a loop has one, not many."""
    used = set(re.findall(r"[^\W\d]\w*", text))
    held = tuple((name, id(v)) for name, v in recording.space.items() if name in used)
    key = text, held
    if key not in _TEXTS:
        while len(_TEXTS) >= MOST_TEXTS:
            del _TEXTS[next(iter(_TEXTS))]
        _TEXTS[key] = function_of("inside", text, recording, used)
    return _TEXTS[key]


# --- what is followed


def gradient(run: Run, f: Any, /, *args: Any, **keywords: Any) -> Any:
    _, bars = _value_and_gradients(run, f, args, keywords, range(len(args)))
    return run.recording.fresh(tuple(bars))


def derived(run: Run, made: Derived, /, *args: Any, **keywords: Any) -> Any:
    """A call of what `grad` or `value_and_grad` has given."""
    maker, f, argnums = made.made_by
    places, single = positions_of(f, argnums)
    y, bars = _value_and_gradients(run, f, args, keywords, among(f, places, args, keywords))
    found = bars[0] if single else run.recording.fresh(tuple(bars))
    if maker.__name__ == "grad":
        return found
    return run.recording.fresh((y, found))


def grad(run: Run, f: Any, argnums: Any = 0) -> Any:
    return run.recording.fresh(gradients.grad(f, argnums))


def value_and_grad(run: Run, f: Any, argnums: Any = 0) -> Any:
    return run.recording.fresh(gradients.value_and_grad(f, argnums))


def _value_and_gradients(
    run: Run, f: Any, args: Sequence[Any], keywords: dict[str, Any], wanted: Sequence[int]
) -> tuple[Any, list[Any]]:
    inside = _Inside(run, f, args, keywords, wanted)
    if not inside.is_number or type(inside.results[0]) not in (float, np.float64):
        run.recording.refuse("the gradient of what gives no number")
    if not inside.reaches or not inside.words[0].isidentifier():  # or it gives a constant
        return inside.run_plain(), inside.built([None] * len(inside.own))
    fn = inside.function()
    made, before = inside.module(fn, "value_and_grad"), len(run.recording.body)
    if made is not None:
        y, bars = inside.run_text(made)
    else:
        (word,) = inside.words
        values, bars = inside.by_lines({word: 1.0})
        y = values[word]
    return y, inside.built(inside.linked(bars, before))


def jvp(run: Run, f: Any, primals: Any, tangents: Any, /, **keywords: Any) -> Any:
    if keywords:
        run.recording.refuse("jvp with has_aux")
    args, dots = [*operations.iterate(run, primals)], [*operations.iterate(run, tangents)]
    moved = [at for at, dot in enumerate(dots) if dot is not None]
    if len(args) != len(dots):
        run.recording.refuse("jvp with another count of tangents than of primals")
    inside = _Inside(run, f, args, {}, moved)
    if not inside.own:
        run.recording.refuse("jvp in which nothing moves")
    made = inside.module(inside.function(), "tangent")
    if made is None or "pushed(" in made.text:  # there is no text for each operation
        given = [run.recording.fresh(each) for each in (args, dots)]
        return _composed("by_reverse")(run, f, *given)
    found: dict[str, Any] = {}
    for at, shape in zip(moved, inside.shapes, strict=True):
        matched(run, shape, dots[at], found)
    given = [_as_kind(run, found.get(inside.names[at]), inside.values[at]) for at in inside.own]
    before = len(run.recording.body)
    y, y_dot = inside.run_text(made, *given)
    y_dot = inside.linked([y_dot], before)[0] if inside.is_number else y_dot
    return run.recording.fresh((inside.given(y), inside.given(y_dot)))


class _Back:
    """What `pullback` gives: the text of the call, and what its numbers are."""

    def __init__(self, inside: _Inside) -> None:
        self.inside = inside

    def module(self, run: Run, names: Sequence[str], seeds: Sequence[Any]) -> GradientModule | None:
        """The gradient of the product of what was given with cotangents, under these names; None
        where there is no text of it, nor one of complex numbers.
        """
        inside, terms = self.inside, []
        for y, word, name in zip(inside.results, inside.words, names, strict=True):
            if np.iscomplexobj(y):
                return None
            if name:
                terms.append(f"np.vdot({word}, {name})" if is_array(y) else f"{word} * {name}")
        fn = inside.function([*filter(None, names)], [f"y = {' + '.join(terms)}"], "y")
        return inside.module(fn, "gradient", seeds)

    def _lines(self, run: Run, own: str, names: Sequence[str]) -> tuple[str, list[str]]:
        """What gives the cotangents line by line, from seeds of these names, and their words: a
        level of its own, whose names end in ``own`` and so are no others of the text.
        """
        inside, recording, steps = self.inside, run.recording, count(1)
        level = recording.enter()
        try:
            seeds = [
                recording.array(v, name) if is_array(v) else recording.number(v, name)
                for name, v in zip(
                    names, map(somewhere, inside.results, repeat(steps)), strict=True
                )
            ]
            bars = inside.by_lines(dict(zip(inside.words, seeds, strict=True)))[1]
            words = ["None" if bar is None else recording.word(bar) for bar in bars]
        finally:
            recording.leave()
        text = "\n".join([line for line in level.body if not line.lstrip().startswith("#")])
        bound = "|".join({name for name in _BOUND.findall(text) if name not in names} | {r"p_\d+"})

        def renamed(text: str) -> str:
            return re.sub(rf"\b({bound})\b", rf"\1_{own}", text)

        head = [f"{renamed(name)} = {recording.word(v)}\n" for name, v in level.params]
        return "".join([*head, renamed(text)]), [*map(renamed, words)]

    def written(self, run: Run) -> str:
        """The name of it as a function of the text."""
        inside, recording = self.inside, run.recording
        name = recording.name("back")
        inside.expect_shapes()
        before: Sequence[str] = ()
        body: list[str] = []
        seeds = [*_places(inside.result, "y_bar", recording.key)]
        bars = [f"g_{at + 1}" for at in inside.own]
        if inside.reaches and seeds:
            names = [f"s_{at + 1}" for at in range(len(seeds))]
            given = []
            for place, y in zip(seeds, inside.results, strict=True):
                zero = _zeros_text(run, y) if is_array(y) else "0.0"
                given.append(f"({zero} if {place} is None else {place})")
            made = self.module(run, names, inside.results)
            if made is None:
                text, bars = self._lines(run, name, names)
                before, later = parted_by(text, names)
                refuse = recording.constant(_leave)
                body = [f"{seed} = {v}" for seed, v in zip(names, given, strict=True)]
                body += [re.sub(r"\braise Left$", f"{refuse}()", line) for line in later]
            else:
                given = [*[recording.word(v) for v in inside.values], *given]
                found = "".join(f"{bar}, " for bar in bars)
                body = [f"{found}= {recording.constant(made.run)}({', '.join(given)})"]
        else:
            bars = ["None" for _ in bars]
        for line in (*before, f"def {name}(y_bar):", *[f"    {line}" for line in body]):
            recording.say(line)
        named = dict(zip(inside.names, bars, strict=False))

        def at_leaf(leaf: _Leaf) -> str:
            bar, zero = named[leaf.name], leaf.zero
            word = _zeros_text(run, zero) if is_array(zero) else repr(zero)
            return bar if zero is None else f"({word} if {bar} is None else {bar})"

        parts = tuple([filled(run, shape, at_leaf) for shape in inside.shapes])
        recording.say(f"    return {spelled(parts, recording.constant, _text, recording.constant)}")
        return name


_NAME = re.compile(r"[^\W\d]\w*")
_TARGET = re.compile(r"(?:def (\w+)\(|(\w+)(\[.*\])? [-+*/@%|&^<>]*= )")
_OWN = re.compile(r"\w+ = (np\.(zeros|empty|full|ones)(_like)?\(|\w+\.copy\(\)$)")


def parted_by(text: str, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines to which none of these names leads, and the others. What the others write to is
    made by them; all are others where that may be a view.

    >>> text = ["a = x * 2", "b = np.zeros(2)", "if a > 3:", "    raise Left", "b[0] = s * a"]
    >>> parted_by("\\n".join([*text, "c = b + a"]), ["s"])
    (['a = x * 2', 'if a > 3:', '    raise Left'], ['b = np.zeros(2)', 'b[0] = s * a', 'c = b + a'])
    """
    groups = _grouped(text.split("\n"))
    words = [{*_NAME.findall("\n".join(group))} for group in groups]
    targets = [_TARGET.match(group[0]) for group in groups]
    led = _led(targets, words, names)
    written = {t[2] for t in targets if t and t[3] and t[2] in led}
    for group, target in zip(groups, targets, strict=True):
        if target and target[2] in written and not target[3] and not _OWN.match(group[0]):
            return [], text.split("\n")
    parts: tuple[list[str], list[str]] = [], []
    for group, read in zip(groups, words, strict=True):
        parts[not led.isdisjoint(read)].extend(group)
    return parts


def led_from(lines: Sequence[str], names: Sequence[str]) -> set[str]:
    """The names to which one of these leads in a text.

    >>> sorted(led_from(["a = x * 2", "b = y", "c = a + b"], ["x"]))
    ['a', 'c', 'x']
    """
    groups = _grouped(lines)
    words = [{*_NAME.findall("\n".join(group))} for group in groups]
    return _led([_TARGET.match(group[0]) for group in groups], words, names)


def _grouped(lines: Sequence[str]) -> list[list[str]]:
    """Each statement with the lines below it."""
    groups: list[list[str]] = []
    for line in lines:
        groups += [[line]] if not line.startswith(" ") else []
        groups[-1] += [line] if line.startswith(" ") else []
    return groups


def _led(targets: Sequence[Any], words: Sequence[set[str]], names: Sequence[str]) -> set[str]:
    led, count = {*names}, 0
    while count != len(led):
        count = len(led)
        led |= {t[1] or t[2] for t, read in zip(targets, words, strict=True) if t and led & read}
    return led


def _leave() -> None:
    """A test in what a pullback does with a cotangent fails: there is no other way any more."""
    raise Unsupported(
        "astad.pullback", "a cotangent inside of a function that is differentiated",
        why="the derivative was recorded for another one, with which it goes another way: as where "
        "this is zero or infinite",
        instead="take the gradient of a scalar there, or call it outside",
    )  # fmt: skip


_BOUND = re.compile(r"^ *(?:def )?([^\W\d]\w*)(?: = |\(.*:$)", re.MULTILINE)


def _text(part: Any) -> str:
    """The expression of a derivative; one by a whole number has none."""
    if type(part) is not str:
        raise Unrecordable("a pullback by what has whole numbers")
    return part


def _places(shape: Any, place: str, word: Callable[[Any], str]) -> Iterator[str]:
    """Where each number of a result has its cotangent; ``word`` writes a key."""
    if type(shape) is _Leaf:
        yield place
    elif isinstance(shape, (list, tuple)):
        for at, part in enumerate(shape):
            yield from _places(part, f"{place}[{at}]", word)
    elif type(shape) is dict:
        for key, part in shape.items():
            yield from _places(part, f"{place}[{word(key)}]", word)


def display(run: Run, y: Any) -> str:
    """How a text writes a structure of derivatives, and the pullbacks in it."""

    def other(part: Any) -> str:
        if type(part) is _Back:
            return part.written(run)
        word = str(run.recording.word(part))
        is_given = any(part is each for each in run.outside.arrays)
        return f"np.array({word})" if is_number(part) and not is_given else word

    return spelled(y, run.recording.constant, other, run.recording.constant)


def pullback(run: Run, f: Any, /, *args: Any, **keywords: Any) -> Any:
    inside = _Inside(run, f, args, keywords, range(len(args)))
    # nobody writes to what the pullback reads
    run.outside.arrays += [v for v in inside.values if isinstance(v, np.ndarray)]
    y = inside.run_plain()
    back = run.recording.fresh(_Back(inside))
    return run.recording.fresh((y, back))


def vjp(run: Run, f: Any, /, *args: Any, has_aux: bool = False) -> Any:
    if has_aux:
        run.recording.refuse("vjp with has_aux")
    return pullback(run, f, *args)


def back(run: Run, made: _Back, y_bar: Any, /) -> Any:
    """A call of what `pullback` has given."""
    inside, found = made.inside, dict[str, Any]()
    inside.expect_shapes()
    matched(run, inside.result, y_bar, found)
    names = [f"s_{at + 1}" if f"y_{at + 1}" in found else "" for at in range(len(inside.words))]
    seeds = [
        _as_kind(run, found[f"y_{at + 1}"], inside.results[at])
        for at, name in enumerate(names) if name
    ]  # fmt: skip
    bars: Sequence[Any] = [None] * len(inside.own)
    before = len(run.recording.body)
    if inside.reaches and seeds:
        text = made.module(run, names, seeds)
        if text is not None:
            bars = inside.run_text(text, *seeds)
        else:
            named = zip([w for w, name in zip(inside.words, names, strict=True) if name], seeds,
                        strict=True)  # fmt: skip
            bars = inside.by_lines(dict(named))[1]
    return run.recording.fresh(tuple(inside.built(inside.linked(bars, before))))


def _as_kind(run: Run, dot: Any, x: Any) -> Any:
    """A tangent as one of what it is of; None is zero."""
    if dot is None:
        return _zero_like(run, x)
    if type(dot) in (int, bool) and not is_array(x):
        dot = float(dot)
    if is_array(dot) and is_array(x):
        fits = bool(_shape(run, dot) == _shape(run, x))
    else:
        fits = not is_array(x) and type(dot) in NUMBERS
    if not fits or (is_array(dot) and dot.dtype.kind not in "fc"):
        run.recording.refuse("a tangent that is of another structure than its argument")
    return dot


def _shape(run: Run, a: Any) -> Any:
    """Of a result of a function inside it follows from those of what that was given."""
    return a.shape if run.recording.is_lost(a) else run.attribute(a, "shape")


def _zeros_text(run: Run, a: np.ndarray) -> str:
    kind = "" if a.dtype == float else f", {run.recording.word(a.dtype.type)}"
    return f"np.zeros({a.shape}{kind})"


def _zero_like(run: Run, x: Any) -> Any:
    if is_array(x):
        return run.call(np.zeros, _shape(run, x), x.dtype.type)
    return run.recording.keep(0j if isinstance(x, complex) else 0.0)


def _composed(name: str) -> Callable[..., Any]:
    """One that is written in Python over gradients and tangents."""

    def follow(run: Run, /, *args: Any, **keywords: Any) -> Any:
        run.own.add(id(vars(composed)))
        return run.function(getattr(composed, name), args, keywords)

    return follow


FOLLOWED: dict[str, Callable[..., Any]] = {
    "gradient": gradient, "grad": grad, "value_and_grad": value_and_grad, "derived": derived,
    "jvp": jvp, "pullback": pullback, "vjp": vjp,
    **{name: _composed(name) for name in composed.__all__},
}  # fmt: skip
BY_TYPE[id(_Back)] = back
