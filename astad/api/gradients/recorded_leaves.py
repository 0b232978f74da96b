"""Fused variants of recorded runs that are given the numbers in containers, not the containers.

What a text of numbers gives is put together to gradients of the containers as the pair has put them
together for the recorded run: the same numbers are read in each run that passes the tests.

>>> made = Assembly({(0, "[0]['v']"): 0, (0, "[1].v"): 1})
>>> class Item:
...     v = 2.0
>>> text = made.of([{"v": 1.0, "name": "a"}, Item()], [{"v": 3.0, "name": None}, Tangent(v=4.0)], 0)
>>> made.function([text])((5.0, 6.0))
([{'v': 5.0, 'name': None}, Tangent(v=6.0)],)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from astad.api.variants.finishing import finished
from astad.api.variants.kinds_of_values import kinds_of
from astad.api.variants.wiring import fused_for
from astad.recording.cotangents_by_line import Stays
from astad.recording.structure import structure_tests
from astad.runtime.core.variants import Fused, variants_of
from astad.spelling import has_literal, spelled
from astad.tangents.objects import Tangent

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["Assembly", "Misplaced", "variant_of_leaves"]


def variant_of_leaves(
    straight: Straight,
    args: tuple[Any, ...],
    wanted: Sequence[int],
    moved: Sequence[int],
    bars: Sequence[Any],
) -> Fused | str:
    """A variant behind the tests of a text that is given numbers; ``bars`` are the gradients by the
    arguments ``wanted`` that the pair has given for these arguments.
    """
    given = straight.given(args)
    if given is None:
        return "what was read from outside is not the same a moment later"
    places = tuple(straight.moving(moved))
    fused = fused_for(straight.function, variants_of(straight.function), given, places, wide=True)
    if fused is None:
        return "what was recorded has no fused form"
    reached = {at for at, bar in zip(wanted, bars, strict=True) if bar is not None}
    try:
        head = _where_alike(straight.head, args, reached)
    except Stays:  # before anything goes through containers that hold each other
        return "what was recorded has no fused form, and is given large containers"
    known = {place: k for k, place in enumerate(straight.places[at] for at in places) if place}
    assembly = Assembly(known)
    try:
        parts = [assembly.of(args[at], bar, at) for at, bar in zip(wanted, bars, strict=True)]
    except Misplaced:
        return "what was recorded has no fused form, and a derivative comes to what it is not given"
    straight.set_run(_run(fused, places, assembly.function(parts)))
    reaches = tuple([at not in wanted or at in reached for at in range(len(args))])
    made = Fused(head, reaches, fused.text, kinds_of(args, (), open_=True), tentative=True)
    made.plain = True
    return made


def _where_alike(
    head: Callable[..., Any], args: Sequence[Any], reached: Collection[int]
) -> Callable[..., Any]:
    """The same where the containers with a derivative are built as these are: so are gradients."""
    space: dict[str, Any] = {"head": head}

    def constant(v: Any) -> str:
        name = f"c_{len(space)}"
        space[name] = v
        return name

    tests: list[str] = []
    for at in sorted(reached):
        if not isinstance(args[at], (float, int, np.ndarray, np.generic)):
            tests += structure_tests(f"x_{at}", args[at], constant)
    if not tests:
        return head
    params = ", ".join(f"x_{at}" for at in range(len(args)))
    asked = " and ".join(tests)
    text = f"def run({params}):\n    return head({params}) if {asked} else NotImplemented\n"
    exec(compile(text, "<structure of what was recorded>", "exec"), space)
    made: Callable[..., Any] = space["run"]
    return made


def _run(
    fused: Fused, places: Sequence[int], build: Callable[[Sequence[Any]], Any]
) -> Callable[..., Any]:
    reaches = [True] * len(places)

    def run(*given: Any) -> Any:
        out = fused.run(*given)
        if out is NotImplemented:
            return out
        y, bars = out
        if not fused.plain:
            bars = finished(bars, [given[at] for at in places], reaches)
        return y, build(bars)

    return run


class Misplaced(Exception):
    """A derivative comes to a number that the text is not given."""


class Assembly:
    """The text of a function that puts gradients together; ``known``: which of the numbers it is
    given lies where, by the number of the argument and the path in it.
    """

    def __init__(self, known: Mapping[tuple[int, str], int]) -> None:
        self.known = known
        self.space: dict[str, Any] = {"Tangent": Tangent}

    def of(self, x: Any, bar: Any, at: int, path: str = "") -> str:
        """The expression of a gradient like ``bar``, by what lies at a path in an argument."""
        if bar is None:
            return "None"
        if (at, path) in self.known:
            return f"b[{self.known[at, path]}]"
        if isinstance(x, (list, tuple)) and isinstance(bar, (list, tuple)) and len(x) == len(bar):
            names = getattr(x, "_fields", None)  # by which a named tuple may be read as well
            words: list[str] = []
            for k, (v, each) in enumerate(zip(x, bar, strict=True)):
                named = f"{path}.{names[k]}" if names else ""
                is_named = (at, named) in self.known
                words.append(self.of(v, each, at, named if is_named else f"{path}[{k}]") + ", ")
            parts = "".join(words)
            if type(bar) in (list, tuple):
                return f"[{parts}]" if type(bar) is list else f"({parts})"
            return f"tuple.__new__({self._constant(type(bar))}, ({parts}))"
        if type(x) is dict and type(bar) is dict and x.keys() >= bar.keys():
            items = [(k, self.of(x[k], of, at, f"{path}[{_key(k)}]")) for k, of in bar.items()]
            return f"{{{', '.join(f'{self._constant(k)}: {word}' for k, word in items)}}}"
        if type(bar) is Tangent:
            slots = [(n, self.of(getattr(x, n), bar[n], at, f"{path}.{n}")) for n in bar]
            return f"Tangent(**{{{', '.join(f'{n!r}: {word}' for n, word in slots)}}})"
        if type(bar) in (float, int) and bar == 0:
            return repr(abs(bar))
        raise Misplaced

    def _constant(self, v: Any) -> str:
        name = f"c_{len(self.space)}"
        self.space[name] = v
        return name

    def function(self, parts: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
        text = f"def build(b):\n    return ({''.join(f'{part}, ' for part in parts)})\n"
        exec(compile(text, "<gradients of what was recorded>", "exec"), self.space)
        made: Callable[[Sequence[Any]], Any] = self.space["build"]
        return made


def _key(key: Any) -> str:
    return spelled(key) if has_literal(key) else ""
