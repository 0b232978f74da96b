"""The two functions of a recording: the tests with what is read from outside, and the text itself.

The text is an ordinary function in a module of its own, named by what it says, so that it is
differentiated, printed and cached as a user's function is.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import sys
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from astad.recording.outside import root_of
from astad.recording.recording import Left, Recording
from astad.recording.results import Result
from astad.rules.lines import forget
from astad.runtime.core.variants import TABLE
from astad.shown_lines import forget as forget_lines
from astad.shown_lines import show

__all__ = ["Head", "Straight", "argument_names", "function_of", "module_of", "straight_of"]

_TAKEN = re.compile(r".*_\d+|np|math|Left|inf|nan|acts|out|kept|float|complex|.*_recorded.*")


STRICT = "divide='raise', over='raise', invalid='raise'"


class Head(NamedTuple):
    """What stands before a text: ``names`` of the arguments, ``tests``, the ``expressions`` of what
    the text is given, what NumPy says meanwhile, the ``effects`` of the run, and the names of all
    that these lines tell of.
    """

    name: str
    names: Sequence[str]
    tests: Sequence[str]
    expressions: Sequence[str]
    quiet: bool
    strict: bool
    effects: Sequence[str]
    space: dict[str, Any]

    def text(self, params: Sequence[str], call: str) -> str:
        """The function of ``params`` that ends in a ``call``."""
        lines = [f"def {self.name}({', '.join(params)}):"]
        lines += [f"    {line}" for line in self.tests]
        if self.strict:
            lines += [f"    with np.errstate({STRICT}):", f"        out = {call}"]
        elif self.quiet:
            lines += ["    with np.errstate(all='ignore'):", f"        out = {call}"]
        elif self.effects:
            lines.append(f"    out = {call}")
        if self.effects:
            lines.append("    if acts and out is not NotImplemented:")
            lines += [f"        {effect}" for effect in self.effects]
        named = self.strict or self.quiet or self.effects
        lines.append("    return out" if named else f"    return {call}")
        return "\n".join(lines) + "\n"

    def function(self, text: str) -> FunctionType:
        space: dict[str, Any] = {**self.space, "np": np, "acts": False}
        exec(compile(text, f"<tests of what was recorded of {self.name}>", "exec"), space)
        made: FunctionType = space[self.name]
        return made

    def builder(self, text: str) -> Callable[[Any], Any]:
        """The function that makes a result of its parts."""
        lines = ["def build(out):", *[f"    {line}" for line in text.splitlines()]]
        space: dict[str, Any] = dict(self.space)
        exec(compile("\n".join(lines), f"<result of {self.name}>", "exec"), space)
        made: FunctionType = space["build"]
        return made


class Straight:
    """``head`` ends in a call of what computes value and gradient, which is set; ``acts``: it
    writes what the recorded run has written. ``wanted`` are the arguments with a derivative,
    ``inside`` those of them whose numbers the text is given; ``kept``: what it had to hand over in
    the recorded run, which ``changes`` what it finds; ``places`` tells of each parameter of
    the text in which of these it lies, and where, if it does. The text gives a number
    (``is_number``), an array, or a tuple of such, which lie in the result at these ``parts``;
    ``build`` makes it of them; ``arrays`` of its lines give arrays. Python ``took`` so many seconds
    to read it; ``overlaps``: it writes into arrays of which it has parts, ``views``: another text
    may be tried that does not; ``parts_tried``: that it is given the numbers in containers is of no
    use; ``instead``: a text that has its use; ``labels``: arguments that are arrays of whole
    numbers, of which it is given floats; ``kinds``: the tests of the kinds that a form asks for.
    """

    def __init__(
        self,
        function: FunctionType,
        text: str,
        pieces: Head,
        wanted: Sequence[int],
        paths: Sequence[str | None],
        inside: Sequence[int],
        result: Result,
        kinds: Sequence[str] = (),
    ) -> None:
        self.function = function
        self.forms: list[FunctionType] = []
        self.instead: Straight | None = None
        self.overlaps = self.views = self.parts_tried = False
        self.labels: frozenset[int] = frozenset()
        self.text = text
        self.lines = text.count("\n")
        self.arrays = 0
        self.took = 0.0
        self.pieces = pieces
        self.acts = bool(pieces.effects)
        self.call = f"{function.__name__}_gradient"
        call = f"{self.call}({', '.join(pieces.expressions)})"
        self.text_of_head = pieces.text(pieces.names, call)
        self.head = pieces.function(self.text_of_head)
        asking = pieces._replace(tests=[*pieces.tests, *kinds])
        self._reader = pieces.function(asking.text(pieces.names, call))
        self._reader.__globals__[self.call] = _as_given
        self.is_number = result.is_number
        self.parts = result.paths
        self.build = None if result.text is None else pieces.builder(result.text)
        self.loses = False
        self.kept: tuple[Any, ...] = ()
        self.changes = ""
        self.wanted = (*wanted,)
        self.inside = (*inside,)
        self.sources: dict[str, Any] = {}
        self.places = [None if path is None else self._place(path) for path in paths]

    def keep_with(self, text: FunctionType) -> None:
        """A form of the text in a module of its own: it goes with this."""
        self.forms.append(text)
        weakref.finalize(self, _forget, sys.modules[text.__module__], id(text.__code__))

    def _place(self, path: str) -> tuple[int, str]:
        """Of which argument, and where in it."""
        root = root_of(path)
        return [*self.pieces.names].index(root), path[len(root) :]

    def before(self, run: Callable[..., Any]) -> FunctionType:
        """The same tests before something else."""
        made = self.pieces.function(self.text_of_head)
        made.__globals__[self.call] = run
        return made

    def given(self, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """What the text is given for these arguments of the function; None where a test fails, or
        something has another kind than in the recorded run, which may have told an int from a
        float: a form asks for the kinds that it was made for, so it is made for those of the run.
        """
        try:
            found = self._reader(*args)
        except Exception:  # what it would read is not there
            return None
        return None if found is NotImplemented else found

    def values(self, given: Sequence[Any]) -> dict[str, Any] | None:
        """What each name of the text stands for; None where a run does not go this way."""
        body, _, _ = self.text.rpartition("    return ")
        space: dict[str, Any] = dict(self.function.__globals__)
        exec(compile(f"{body}    return locals()\n", "<values of a recorded text>", "exec"), space)
        try:
            with np.errstate(all="ignore"):
                found: dict[str, Any] = space[self.function.__name__](*given)
        except Exception:
            return None
        return found

    def reading(self, expressions: Sequence[str]) -> FunctionType:
        """What these expressions stand for behind the same tests."""
        text = self.pieces.text(self.pieces.names, f"{self.call}({', '.join(expressions)})")
        made = self.pieces.function(text)
        made.__globals__[self.call] = _as_given
        return made

    def set_run(self, run: Callable[..., Any], *, acts: bool = False) -> None:
        """``acts``: what the recorded run has written is written."""
        self.head.__globals__.update({self.call: run, "acts": acts})

    def moving(self, moved: Collection[int]) -> list[int]:
        """Which parameters of the text move with these arguments."""
        return [at for at, place in enumerate(self.places) if place and place[0] in moved]

    def along(
        self, moved: Collection[int], run: Callable[..., Any], dot_of: Callable[[Any, Any], Any]
    ) -> FunctionType:
        """The same tests before what carries tangents along: behind each argument of the function
        that is moved, and each parameter of the text that moves with it, stands its tangent;
        ``dot_of`` gives that of a number in a container.
        """
        names = self.pieces.names
        dots = {at: _other(f"{names[at]}_dot", names) for at in moved}
        params = [each for at, name in enumerate(names) for each in (name, dots.get(at)) if each]
        given: list[str] = []
        for expression, place in zip(self.pieces.expressions, self.places, strict=True):
            given.append(expression)
            if place is not None and place[0] in dots:
                at, path = place
                dot = f"{dots[at]}{path}"
                given.append(f"dot_of({expression}, {dot})" if path else dot)
        call = f"{self.function.__name__}_tangent"
        made = self.pieces.function(self.pieces.text(params, f"{call}({', '.join(given)})"))
        made.__globals__.update({call: run, "dot_of": dot_of})
        return made


def _as_given(*given: Any) -> tuple[Any, ...]:
    return given


def _other(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name


def argument_names(names: Sequence[str]) -> list[str]:
    """
    >>> argument_names(["x", "np", "t_1"])
    ['x', 'np_given', 't_1_given']
    """
    return [f"{name}_given" if _TAKEN.fullmatch(name) else name for name in names]


def straight_of(
    recording: Recording,
    name: str,
    names: Sequence[str],
    wanted: Sequence[int],
    result: Result,
    inside: Collection[int] = (),
    labels: Collection[int] = (),
    *,
    loses: bool = False,
) -> Straight:
    """``names`` of the arguments, ``wanted`` the places of those with a derivative, ``inside`` of
    those whose numbers the text is given, ``labels`` of arrays of whole numbers, which it is given
    as floats, ``result`` the parts of what the run gave; ``loses``: see `Outside`.
    """
    returned = ", ".join(result.words)
    if result.text is not None:
        returned = f"({returned},)"
    own = f"{name if name.isidentifier() else 'function'}_recorded"
    used = set(re.findall(r"[^\W\d]\w*", "\n".join([*recording.body, returned])))
    direct = [names[at] for at in wanted if at not in inside]
    paths: list[str | None] = [*direct]
    others = [each for at, each in enumerate(names) if at not in wanted and each in used]
    inputs = [pair for pair in recording.inputs if pair[0] in used or pair[0] in recording.paths]
    _ask_of_unread(recording, used, {each for each, _ in inputs})
    taken = [*direct, *others, *[each for each, _ in inputs]]
    paths += [recording.paths.get(each) for each in taken[len(direct) :]]
    expressions = [
        f"{names[at]}.astype(float)" if at in labels else names[at]
        for at in wanted
        if at not in inside
    ]
    expressions += [*others, *[expression for _, expression in inputs]]
    lines = [f"def {own}({', '.join(taken)}):"]
    lines += [f"    {line}" for line in (*recording.body, f"return {returned}")]
    body = "\n".join(lines) + "\n"
    started = perf_counter()
    function = function_of(own, body, recording, used)
    took = perf_counter() - started
    kinds = _tests(_kinds_asked_by_forms(recording))
    head = Head(
        own[:-9], names, _tests(recording.head), expressions, recording.quiet, recording.strict,
        recording.effects, recording.space,
    )  # fmt: skip
    made = Straight(function, body, head, wanted, paths, [*inside], result, kinds)
    made.loses, made.arrays, made.took = loses, recording.arrays, took
    made.views, made.labels = recording.views, frozenset(labels)
    made.overlaps = recording.views and not recording.bounds.by_value
    made.kept, made.changes = recording.kept, recording.changes
    made.keep_with(function)
    return made


def _ask_of_unread(recording: Recording, used: Collection[str], given: Collection[str]) -> None:
    """Of what kind it is that the text does not read, and whether it is there."""
    for word, place, v in recording.arrivals:
        if word not in used or not _is_guarded(v):
            recording.require_kind(place, v)
    for place, v in recording.laid if recording.written else ():
        layout = recording.constant(layout_of)
        recording.require(f"{layout}({place}) == {layout_of(v)!r}")
    for each, expression in recording.inputs:
        if each not in given:
            recording.head.append((expression, False))


def _kinds_asked_by_forms(recording: Recording) -> list[tuple[str, bool]]:
    """Tests that the head does without."""
    count = len(recording.head)
    for _, place, v in recording.arrivals:
        if _is_guarded(v):
            recording.require_kind(place, v)
    asked = recording.head[count:]
    del recording.head[count:]
    return asked


def layout_of(a: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """What tells whether NumPy makes a view or a copy, through which nothing is written.

    >>> layout_of(np.zeros((2, 3))), layout_of(np.zeros((2, 3)).T), layout_of(np.zeros(4)[::-1])
    ((True, False), (False, True), (-8,))
    """
    flags = a.flags.c_contiguous, a.flags.f_contiguous
    return flags if any(flags) else a.strides


def _is_guarded(v: Any) -> bool:
    """Does a form of the text ask for the very kind of what it is given?"""
    return type(v) is float or (type(v) is np.ndarray and v.dtype == np.float64 and v.ndim > 0)


def _forget(module: ModuleType, code: int) -> None:
    """What was kept of a text goes with it; another of the same words may have taken its name."""
    for each in vars(module).values():
        forget(each)
    found = TABLE.pop(code, None)
    if sys.modules.get(module.__name__) is not module:
        return  # and the file, whose lines are the same
    del sys.modules[module.__name__]
    if found is not None and found.code is not None:
        forget_lines(found.code.co_filename)


def _tests(head: Sequence[tuple[str, bool]]) -> list[str]:
    """Tests that follow each other as one."""
    found: list[str] = []
    for is_test, group in itertools.groupby(head, lambda each: each[1]):
        lines = [line for line, _ in group]
        if is_test:
            found += ["if not (", f"    {lines[0]}", *[f"    and {line}" for line in lines[1:]]]
            found += ["):", "    return NotImplemented"]
        else:
            found += lines
    return found


def function_of(name: str, text: str, recording: Recording, used: set[str]) -> FunctionType:
    """A text as a function in a module of its own."""
    space = {each: value for each, value in recording.space.items() if each in used}
    function: FunctionType = vars(module_of(name, text, space))[name]
    return function


def module_of(name: str, text: str, given: Mapping[str, Any]) -> ModuleType:
    """The module of a text, which has what it names from ``given``."""
    module = ModuleType(f"recorded_{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}")
    space = vars(module)
    others = {each: given[each] for each in given.keys() - space.keys() - {"__builtins__"}}
    space |= {"np": np, "math": math, "Left": Left, "inf": math.inf, "nan": math.nan, **others}
    file = f"<recorded {name} {module.__name__}>"
    show(file, text)
    exec(compile(text, file, "exec"), space)
    sys.modules[module.__name__] = module
    return module
