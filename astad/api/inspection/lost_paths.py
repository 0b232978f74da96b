"""Why an argument has no derivative: the lines at which the ways from it end."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from astad.api.gradients.pullbacks import pullback
from astad.api.variants.finishing import real_path
from astad.code_objects import parameters_of
from astad.compiler.analysis.ends import End, Ways, find_ends
from astad.compiler.analysis.facts import find_facts
from astad.compiler.analysis.space import Space
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.lower.function import lower_function
from astad.compiler.specialise.prepare import names_of, prepare
from astad.compiler.summaries import summary_of
from astad.errors import Location
from astad.rules.registry import lookup
from astad.runtime.core.full_rules import python_method
from astad.slotted import dataclass
from astad.tangents.zero import is_number, seed_of

__all__ = ["PathEnd", "WhyNone", "why_none"]


@dataclass(frozen=True, slots=True)
class PathEnd:
    """A line behind which no derivative goes on; ``depth`` counts the functions around it."""

    function: str
    file: str
    line: int
    why: str
    depth: int = 0

    @property
    def text(self) -> str:
        """The line itself."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        text = f"{self.text}  " if self.text else ""
        return f"{'    ' * self.depth}{Location(self.file, self.line)}: {text}# {self.why}"


@dataclass(frozen=True, slots=True)
class WhyNone:
    """What `why_none` has found.

    ``gradient`` is that of the argument; ``ends`` are the lines at which its ways end; ``through``
    are those of a way that leads to the result all the same, as text or as branches that did not
    run.
    """

    function: str
    argument: str
    gradient: Any
    ends: tuple[PathEnd, ...]
    through: tuple[PathEnd, ...]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        is_zero = self.gradient is None or real_path(self.gradient, False) is None
        head = f"{self.argument} of {self.function}"
        if not is_zero:
            yield f"{head} has a derivative: a way leads to the result"
        elif self.through:
            yield f"{head}: the derivative is zero in this run, though a way leads to the result"
        else:
            yield f"{head} has no derivative: every way from it ends"
        if self.through:
            yield from (f"  {each}" for each in self.through)
            if self.ends:
                yield "other ways end:"
        yield from (f"  {each}" for each in self.ends)


def why_none(f: Callable[..., Any], /, *args: Any, argnum: int = 0, **keywords: Any) -> WhyNone:
    """Why the gradient in the argument at ``argnum`` is None or zero: at which lines the ways from
    it end, and why.

    ``f`` is run once, its gradient too. Callees are followed where it is known what they are.

    Returns
    -------
    WhyNone : prints as a text; ``.ends`` has the lines.

    Raises
    ------
    AstadError : where the derivative cannot be carried; whatever ``f`` raises.

    Examples
    --------
    >>> import astad
    >>> def walk(x, n):
    ...     steps = int(n)
    ...     return x * steps
    >>> why = astad.why_none(walk, 2.0, 3.0, argnum=1)
    >>> why.argument, [end.why for end in why.ends]
    ('n', ['int() gives a whole number: constant between its jumps'])
    """
    if not -len(args) <= argnum < len(args):
        raise TypeError(f"argnum={argnum} of {len(args)} positional arguments")
    place = argnum % len(args)
    y, back = pullback(f, *args, **keywords)
    has_seed = is_number(y) or getattr(y, "dtype", None) is not None
    gradient = back(seed_of(y))[place] if has_seed else None
    name = getattr(f, "__qualname__", type(f).__name__)
    fn, place = _function(f, place)
    if fn is None:
        return WhyNone(name, f"argument {argnum}", gradient, (_of_rule(f, name),), ())
    parameters = parameters_of(fn.__code__)
    place = min(place, len(parameters.plain)) if parameters.rest else place
    ways = _ways(fn, place)
    ends = tuple(_followed(fn, ways.ends, 0, {(fn, place)}))
    through = tuple(
        PathEnd(fn.__qualname__, fn.__code__.co_filename, line, "on the way")
        for line in ways.through
    )
    return WhyNone(name, parameters.flat[place], gradient, ends, through)


def _function(f: Any, place: int) -> tuple[FunctionType | None, int]:
    """The Python function that runs, and the place of the argument among its parameters."""
    while type(f) is not FunctionType:
        if issubclass(type(f), MethodType):
            f, place = f.__func__, place + 1
        elif issubclass(type(f), functools.partial):
            f, place = f.func, place + len(f.args)
        else:
            method = python_method(f, "__init__") if issubclass(type(f), type) else None
            method = method or python_method(type(f), "__call__")
            if type(method) is not FunctionType:
                return None, place
            f, place = method, place + 1
    return f, place


def _of_rule(f: Any, name: str) -> PathEnd:
    rule = lookup(f)
    why = rule.why if rule is not None and rule.form == "zero" else "it is compiled code"
    return PathEnd(name, "", 0, why)


def _ways(fn: FunctionType, place: int) -> Ways:
    space = Space(fn.__globals__)
    lowered = lower_function(fn)
    program = prepare(lowered, names_of(lowered), space)
    params = {param.name: UNKNOWN for param in program.params}
    facts = find_facts(program, params, params, space)
    return find_ends(program, facts, summary_of, program.params[place].name)


def _followed(
    fn: FunctionType, ends: tuple[End, ...], depth: int, seen: set[tuple[FunctionType, int]]
) -> Iterator[PathEnd]:
    """Each end, and behind that of a callee those inside it."""
    for end in ends:
        yield PathEnd(fn.__qualname__, fn.__code__.co_filename, end.line, end.why, depth)
        if end.callee is not None and end.callee not in seen:
            seen.add(end.callee)
            callee, place = end.callee
            yield from _followed(callee, _ways(callee, place).ends, depth + 1, seen)
