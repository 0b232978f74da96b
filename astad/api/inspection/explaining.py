"""Which statements of a function are left to the run time, and the first cause of each.

Where everything is known beforehand, a function becomes one text of numbers and arrays. A statement
that is left to the run time looks up each time what it has to do, and what it gives is unknown to
all that comes after it.
"""

from __future__ import annotations

import functools
import gc
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from astad.api.gradients.recorded import flat_of, record
from astad.api.gradients.worthwhile import FREE
from astad.api.inspection.showing import Request, called_apart, compiled
from astad.api.variants.arguments import contents_of
from astad.api.variants.assumptions import find
from astad.api.variants.derived import Derived
from astad.api.variants.held_globals import held_globals
from astad.api.variants.kinds_of_values import kinds_of, word_of_data
from astad.api.variants.loading import fill_compiler
from astad.api.variants.ruled import is_ruled
from astad.api.variants.whole import whole
from astad.code_objects import ASYNCHRONOUS, GENERATOR, STARRED, parameters_of
from astad.compiler.analysis.first_causes import Cause, Left, find_left
from astad.compiler.ir.containers import read_kind
from astad.compiler.ir.nodes import Try
from astad.compiler.ir.outline import YIELD, is_taped, outline
from astad.compiler.lower.function import lower_function
from astad.compiler.pipeline import Compiled, compile_function
from astad.errors import AstadError, Location, WrongCall
from astad.recording.bounds import LONG
from astad.rules.registry import lookup
from astad.runtime.core.full_rules import python_method
from astad.runtime.core.variants import bound_arguments
from astad.slotted import dataclass, field, replace

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["Explanation", "Form", "Row", "explain", "explain_request"]

OPTIMISED = 1
"""Flag of the code of functions; a class body has it not."""
MOST = 40
"""Functions that are compiled to be explained."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of which something is left to the run time.

    ``why`` tells the first cause, ``cause_line`` where it stands, ``depth`` how many loops are
    around the line, ``seconds`` what both sweeps of it took, where that was measured.
    """

    function: str
    filename: str
    line: int
    why: str
    instead: str
    cause_line: int
    depth: int = 0
    seconds: float | None = None

    @property
    def text(self) -> str:
        """The line itself."""
        return linecache.getline(self.filename, self.line).strip()

    def __str__(self) -> str:
        took = "" if self.seconds is None else f"  ({self.seconds * 1e6:.1f} us)"
        place = Location(self.filename, self.line)
        away = "" if self.cause_line == self.line else f"line {self.cause_line}: "
        return (
            f"  {place}: {self.text}{took}\n      why: {away}{self.why}\n"
            f"      instead: {self.instead}"
        )


@dataclass(frozen=True, slots=True)
class Form:
    """What a function becomes: 'fused' (value and gradient in one text), 'pair' (a forward sweep
    and a pullback), 'taped' (each step is kept on a tape as it runs), 'rule' (it has one) or
    'refused'.
    """

    name: str
    filename: str
    line: int
    form: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `explain` has found: ``form`` is that of the function, ``functions`` has those of all
    that were looked at, ``rows`` the lines of which something is left to the run time.
    """

    functions: tuple[Form, ...]
    rows: tuple[Row, ...]
    note: str = ""
    """Why it is not fused, where nothing is left to the run time."""
    recorded: str = ""
    """What becomes of it when more gradients are taken."""

    @property
    def form(self) -> str:
        return self.functions[0].form

    def __str__(self) -> str:
        return "\n".join([*self._lines(), *([self.recorded] if self.recorded else [])])

    def _lines(self) -> Iterator[str]:
        first, *others = self.functions
        if first.form == "rule":
            yield f"{first.name} has a rule: nothing of it is compiled"
        elif not self.rows and first.form != "fused":
            note = f"{self.note or 'there is no text of value and gradient in one'}"
            yield f"{first.name}: {first.form}: nothing is left to the run time, but {note}"
        elif not self.rows:
            yield f"{first.name}: {first.form}: all is written out, nothing is left to the run time"
        if not self.rows:
            return
        for each in (first, *others):
            rows = [row for row in self.rows if row.function == each.name]
            if not rows and each is not first:
                continue
            count = len({row.line for row in rows})
            lines = f"{count} line{'s' * (count != 1)} left to the run time"
            yield f"{each.name}, {Location(each.filename, each.line)}: {each.form}, {lines}"
            yield from map(str, rows)
        quiet = [
            f"{each.name} ({each.form})"
            for each in others
            if all(row.function != each.name for row in self.rows)
        ]
        if quiet:
            yield f"nothing is left in {', '.join(quiet)}"


def explain(
    f: Callable[..., Any], /, *args: Any, measure: bool = False, **keywords: Any
) -> Explanation:
    """Which lines are left to the run time when ``f`` is differentiated at these arguments, and
    why.

    Parameters
    ----------
    f : callable
        Unless all of it is written out, it is run two or three times, to see which functions of
        its package it calls, and with what, and whether a run can be recorded.
    *args, **keywords
        Its arguments; a gradient is meant in all the positional ones.
    measure : bool
        Run ``f`` once more by `astad.profile`, and put the dearest lines first; else those in the
        innermost loops are first.

    Returns
    -------
    Explanation : prints as a page; ``.rows`` has the lines, ``.form`` what ``f`` becomes.

    Raises
    ------
    AstadError : where ``f`` cannot be differentiated; whatever ``f`` raises.

    Examples
    --------
    >>> import astad
    >>> class Spring:
    ...     stiffness = 2.0
    >>> def energy(spring, x):
    ...     return spring.stiffness * x * x
    >>> found = astad.explain(energy, Spring(), 3.0)
    >>> found.form, [row.why for row in found.rows]
    ('pair', ['spring.stiffness is an attribute of an object (spring is a Spring)'])
    >>> print(astad.explain(lambda x: x * x, 3.0))
    <lambda>: fused: all is written out, nothing is left to the run time
    """
    fill_compiler()
    whole.read()  # all rules
    if type(f) is Derived:
        raise WrongCall(
            getattr(f, "__qualname__", "the function"), "astad.explain of what astad made of it",
            why="its text is astad's own",
            instead="call explain with the function of which it is the derivative",
        )  # fmt: skip
    fn, given, keywords = _function(f, args, keywords)
    if fn is None or is_ruled(fn):
        if fn is None and lookup(f) is None:
            raise WrongCall(
                getattr(f, "__qualname__", type(f).__name__), "astad.explain of it",
                why="it is no Python function and has no rule",
                instead="call explain with the function of yours that uses it",
            )  # fmt: skip
        name = getattr(f, "__qualname__", type(f).__name__)
        return Explanation((Form(name, "", 0, "rule"),), ())
    flat = bound_arguments(fn, given, keywords)
    made = _fused(fn, flat)
    if made is not None:
        return Explanation((_form(fn, "fused"), *_in_text(made, fn)), ())
    book = _Book()
    book.add(fn, *_pair(fn, flat), dict(zip(_params(fn), flat, strict=True)))
    for callee, values in _met(fn, given, keywords):
        book.add_met(callee, values)
    found = book.closed(_seconds_of(fn, given, keywords) if measure else {})
    found = replace(found, recorded=_recorded(fn, given, keywords))
    return found if found.rows else replace(found, note=_note(fn, flat))


def _recorded(fn: FunctionType, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> str:
    """Whether a run of it can be recorded."""
    flat = flat_of(fn, args, keywords)
    if flat is None:
        return ""
    wanted = tuple(range(len(args)))
    found = record(fn, flat, wanted, _moving(flat, wanted), bounds=LONG, wholes=True)
    if not isinstance(found, str):
        return _answering(found)
    by_wholes, found = found, record(fn, flat, (), (), bounds=LONG)
    if isinstance(found, str):
        return f"no run of it is recorded: {found}"
    return f"{_answering(found)}; but if a whole number has a derivative none does: {by_wholes}"


def _moving(flat: Sequence[Any], wanted: Sequence[int]) -> list[int]:
    return [at for at in wanted if isinstance(flat[at], (int, float))]


def _answering(straight: Straight) -> str:
    """When the text of a recorded run answers."""
    told = "from the third gradient on a recorded run answers"
    if straight.lines > FREE:
        told += (
            f" (until they have taken as long as it takes to compile its {straight.lines:,} lines, "
            "where each of these has a rule)"
        )
    tests = straight.text.count("    raise Left")
    if tests:
        told += f" where {tests:,} test{'s' * (tests != 1)} of numbers come out the same"
    return f"{told}: see astad.recorded_text"


def _note(fn: FunctionType, flat: Sequence[Any]) -> str:
    """Which arguments keep value and gradient from being one text."""
    if fn.__code__.co_flags & STARRED:
        return "what takes *args or **keywords has no text of value and gradient in one"
    kinds = kinds_of(flat, (), open_=True, code=fn.__code__)
    unknown = [
        f"{name} ({_described(value)})"
        for name, value, kind in zip(_params(fn), flat, kinds, strict=True)
        if kind == "unknown"
    ]
    return f"not known to hold numbers and arrays alone: {', '.join(unknown)}" if unknown else ""


def explain_request(request: Request) -> Explanation:
    """The same for kinds of arguments, as `python -m astad.show` has them: nothing is run."""
    book, waiting, seen = _Book(), [request], {(request.fn.__code__, request.kinds)}
    while waiting and len(book.forms) < MOST:
        each = waiting.pop(0)
        made = compiled(replace(each, fused=each is request and "unknown" not in each.kinds))
        book.add(each.fn, made, each.kinds, {})
        for callee in called_apart(made, each):
            if (callee.fn.__code__, callee.kinds) not in seen:
                seen.add((callee.fn.__code__, callee.kinds))
                waiting.append(callee)
    return book.closed({})


# --- what runs ------------------------------------------------------------------------------------


def _function(
    f: Any, args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[FunctionType | None, tuple[Any, ...], dict[str, Any]]:
    """The Python function that runs, and its arguments."""
    while type(f) is not FunctionType:
        if issubclass(type(f), MethodType):
            f, args = f.__func__, (f.__self__, *args)
        elif issubclass(type(f), functools.partial):
            f, args, keywords = f.func, (*f.args, *args), {**f.keywords, **keywords}
        else:
            method = None if isinstance(f, type) else python_method(type(f), "__call__")
            if type(method) is not FunctionType or str(method.__module__).startswith("astad."):
                return None, args, keywords
            f, args = method, (f, *args)
    return f, args, keywords


def _params(fn: FunctionType) -> tuple[str, ...]:
    return parameters_of(fn.__code__).flat


def _fused(fn: FunctionType, flat: Sequence[Any]) -> Compiled | None:
    """The text of value and gradient, if there is one for such arguments."""
    captured = contents_of(fn.__closure__) if fn.__closure__ else ()
    if fn.__code__.co_flags & STARRED or captured is None:
        return None
    made = _fused_for(fn, flat, captured, ())
    held = held_globals(fn) if made is None else ()
    if not held:
        return made
    return _fused_for(fn, flat, (*captured, *[fn.__globals__[name] for name in held]), held)


def _fused_for(
    fn: FunctionType, flat: Sequence[Any], beside: Sequence[Any], held: Sequence[str]
) -> Compiled | None:
    """``beside``: what it has captured, and what the globals ``held`` hold."""
    values, whole = (*flat, *beside), set[int]()
    while True:
        kinds = kinds_of(values, whole, open_=True, code=fn.__code__)
        if "unknown" in kinds:
            return None
        made = compile_function(
            fn, list(map(read_kind, kinds)), (True,) * len(flat) + (False,) * len(beside),
            fused=True, kind_of=lambda value: read_kind(word_of_data(value)), only_fused=True,
            held=held,
        )  # fmt: skip
        if whole.issuperset(made.whole):
            return made if made.form == "fused" and not made.whole else None
        whole.update(made.whole)


def _pair(fn: FunctionType, flat: Sequence[Any]) -> tuple[Compiled, tuple[str, ...]]:
    """The pair that runs for such arguments."""
    kinds = kinds_of(flat, (), tied=True, code=fn.__code__)
    return compiled(Request(fn, kinds)), kinds


def _met(
    fn: FunctionType, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> list[tuple[FunctionType, dict[str, Any]]]:
    """The functions of the same package that a run calls, and their first arguments."""
    package = str(fn.__module__).partition(".")[0]
    found: dict[CodeType, tuple[FunctionType, dict[str, Any]]] = {}
    seen: set[CodeType] = {fn.__code__}

    def note(frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen:
            return
        seen.add(code)
        home = str(frame.f_globals.get("__name__"))
        is_own = home.partition(".")[0] == package
        callee = _of_code(code, frame.f_globals) if is_own and len(found) < MOST else None
        if callee is not None and not is_ruled(callee):
            at_hand = frame.f_locals
            values = {name: at_hand[name] for name in _params(callee) if name in at_hand}
            words = kinds_of(list(values.values()), tied=True, code=code)
            found[code] = callee, values | {_KINDS: words}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        fn(*args, **keywords)
    finally:
        sys.setprofile(before)
    return list(found.values())


_KINDS = "kinds of them, as they were"


def _of_code(code: CodeType, space: Mapping[str, Any]) -> FunctionType | None:
    """A function with this code; None for the body of a comprehension or of a class."""
    if not code.co_flags & OPTIMISED:
        return None
    if not code.co_name.isidentifier() and code.co_name != "<lambda>":
        return None
    known = find(code.co_qualname, space)
    if type(known) is FunctionType and known.__code__ is code:
        return known
    holders = (each for each in gc.get_referrers(code) if type(each) is FunctionType)
    return next((each for each in holders if each.__code__ is code), None)


def _seconds_of(
    fn: FunctionType, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> dict[tuple[str, int], float]:
    from astad.api.inspection.profiling import profile  # late: few measure

    rows = profile(fn, *args, **keywords)
    return {(row.filename, row.line): row.forward + row.backward for row in rows}


# --- what is told ---------------------------------------------------------------------------------


def _form(fn: FunctionType, form: str) -> Form:
    return Form(fn.__qualname__, fn.__code__.co_filename, fn.__code__.co_firstlineno, form)


def _in_text(made: Compiled, fn: FunctionType) -> list[Form]:
    """The functions of which the text calls pairs of its own."""
    paths = dict.fromkeys(callee.path for callee in made.stages.facts.callees.values())
    found = [find(path, fn.__globals__) for path in paths]
    return [_form(each, "pair") for each in found if type(each) is FunctionType]


@dataclass(slots=True)
class _Book:
    """What was found so far; ``inside`` are functions that stand in the texts of others."""

    forms: list[Form] = field(default_factory=list)
    rows: dict[tuple[str, int, str], Row] = field(default_factory=dict)
    inside: set[CodeType] = field(default_factory=set)

    def add(
        self, fn: FunctionType, made: Compiled, kinds: Sequence[str], values: Mapping[str, Any]
    ) -> None:
        self.forms.append(_form(fn, made.form))
        self.forms += [each for each in _in_text(made, fn) if each not in self.forms]
        self._note_inside(made, fn)
        words = dict(zip(_params(fn), kinds, strict=True))
        telling = _Telling(fn, words, values)
        if made.form == "taped":
            for row in telling.taped():
                self._keep(row)
        elif made.form != "fused":
            for left in find_left(
                made.stages.specialised, made.stages.facts, made.stages.lowered.taken
            ):
                self._keep(telling.row(left))

    def add_met(self, fn: FunctionType, values: Mapping[str, Any]) -> None:
        """A function that was called, unless it stands in the text of another."""
        if fn.__code__ in self.inside:
            return
        kinds = values[_KINDS]
        try:
            made = compiled(Request(fn, kinds))
        except AstadError as error:
            self.forms.append(_form(fn, "refused"))
            line = fn.__code__.co_firstlineno
            self._keep(
                Row(fn.__qualname__, fn.__code__.co_filename, line, error.why, error.instead, line)
            )
            return
        self.add(fn, made, kinds, values)

    def _keep(self, row: Row) -> None:
        key = row.filename, row.line, row.why
        is_told = any(each[:2] == key[:2] for each in self.rows)
        if is_told and row.why.startswith("a value "):
            return  # a step of an expression that has a row
        if key not in self.rows or row.depth > self.rows[key].depth:
            self.rows[key] = row

    def _note_inside(self, made: Compiled, fn: FunctionType) -> None:
        facts = made.stages.facts
        apart = {
            id(facts.known.get(str(node.fn)))
            for node in outline(made.stages.specialised).calls
            if facts.treatment.get(id(node)) == "dispatch"
        }
        paths = {callee.path for callee in facts.callees.values()}
        for node in outline(made.stages.specialised).nodes:
            paths.update(path for path, _ in getattr(node.line, "callees", ()) if "|" not in path)
        for path in paths:
            callee = find(path, fn.__globals__)
            if type(callee) is FunctionType and id(callee) not in apart:
                self.inside.add(callee.__code__)

    def closed(self, seconds: Mapping[tuple[str, int], float]) -> Explanation:
        rows = [
            replace(row, seconds=seconds.get((row.filename, row.line), 0.0)) if seconds else row
            for row in self.rows.values()
        ]
        rows.sort(key=lambda row: (-(row.seconds or 0.0), -row.depth))
        return Explanation(tuple(self.forms), tuple(rows))


TAPE = (
    "the function is run on a tape, which keeps each step, since an exception may end any of them"
)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Puts causes into words, for one function with such arguments."""

    fn: FunctionType
    words: Mapping[str, str]
    values: Mapping[str, Any]

    def taped(self) -> Iterator[Row]:
        program = lower_function(self.fn)
        text = outline(program)
        file = self.fn.__code__.co_filename
        found = False
        for node in text.nodes:
            is_yield = node in text.calls and getattr(node, "fn", None) == YIELD
            if not isinstance(node, Try) and not is_yield:
                continue
            found = True
            is_with = linecache.getline(file, node.line).strip().startswith(("with ", "async with"))
            if is_yield:
                why = "yield: the function is run on a tape, since its steps run between others"
                instead = "append to a list and return it"
            else:
                why = f"{'with' if is_with else 'try'}: {TAPE}"
                instead = f"put the {'with' if is_with else 'try'} around the gradient, outside"
                instead += " this function, or what is inside it into a function of its own"
            yield self._row(node.line, why, instead, node.line, 0)
        if not found:
            line = program.line
            why = "the whole function is run on a tape, which keeps each step"
            yield self._row(line, why, "split the function", line, 0)

    def row(self, left: Left) -> Row:
        why, instead = self.told(left.cause)
        if left.cause.sort == "attribute" and left.depth and left.cause.line == left.line:
            instead = f"take {left.cause.what} out before the loop, into an argument of a function "
            instead += "that holds the loop"
        return self._row(left.line, why, instead, left.cause.line, left.depth)

    def _row(self, line: int, why: str, instead: str, cause: int, depth: int) -> Row:
        fn = self.fn
        return Row(
            fn.__qualname__, fn.__code__.co_filename, int(line), why, instead, int(cause), depth
        )

    def told(self, cause: Cause) -> tuple[str, str]:
        """Why, and what instead."""
        if cause.sort in ("function", "argument", "keyword call"):
            return self._of_call(cause)
        sort = cause.sort
        if sort in ("attribute", "method") and self._is_global(cause.base):
            owner = self.fn.__globals__[cause.base]
            sort = "global" if type(owner) is ModuleType else f"{sort} of a global"
        why, instead = WORDS[sort]
        if cause.sort == "operation":
            why = STEPS.get(cause.what, why)
        kinds = ", ".join(cause.kinds)
        return why.format(what=cause.what, kinds=kinds) + self._base(cause), instead.format(
            what=cause.what
        )

    def _is_global(self, name: str) -> bool:
        code = self.fn.__code__
        own = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
        return name in self.fn.__globals__ and name not in own

    def _base(self, cause: Cause) -> str:
        base = cause.base
        if base in self.values:
            return f" ({base} is {_described(self.values[base])})"
        if base in self.words:
            word = self.words[base]
            return f" ({base} is a parameter{'' if word == 'unknown' else f', {word}'})"
        if self._is_global(base):
            return f" ({base} is a global, {_described(self.fn.__globals__[base])})"
        return ""

    def _of_call(self, cause: Cause) -> tuple[str, str]:
        fn, name = cause.known, cause.what
        if fn in (list, tuple, dict, set):
            return f"{name}(...) makes a container whose items are not followed", "use an array"
        if isinstance(fn, type) and fn.__module__ != "builtins":
            return f"an object of the class {name} is made", (
                "hand over as arguments the numbers and arrays that are read of it"
            )
        if cause.sort == "argument" and not _obstacle(fn):
            return (
                f"{name} is given what is not known to be a number or array{self._base(cause)}",
                (NUMBERS),
            )
        if type(fn) is FunctionType and is_ruled(fn):
            return f"{name} has a rule that is called at run time", (
                "hand what it gives to a function of numbers and arrays that holds the rest"
            )
        if type(fn) is FunctionType and lookup(fn) is None:
            if cause.sort == "keyword call":
                return f"{name} is called by keywords", f"call {name} with positional arguments"
            obstacle = _obstacle(fn) or "its result, or something in it, is not known beforehand"
            return f"{name} is not called directly: {obstacle}", (
                f"split {name}, so that numbers and arrays go in and come out of what the time "
                "goes to"
            )
        kinds = ", ".join(cause.kinds)
        is_builtin = getattr(fn, "__module__", None) == "builtins"
        if lookup(fn) is None and id(fn) not in whole.full and not is_builtin:
            return f"{name} has no rule, and the kind of what it gives is not known beforehand", (
                "functions that have one, or for a function of numbers a rule by astad.scalar_rule"
            )
        instead = NUMBERS if "unknown" in cause.kinds else "another function, or split this one"
        why = f"the kind of what {name} gives for ({kinds}) is not known beforehand"
        return why + self._base(cause), instead


NUMBERS = "hand over numbers and arrays as arguments"
STEPS = {
    "class_head": "a class is defined here",
    "format": "text is made of what may carry a derivative",
    "join": "text is made of what may carry a derivative",
}
WORDS = {
    "attribute": ("{what} is an attribute of an object",
                  "hand {what} over as a number or array"),
    "attribute of an item": ("{what} is an attribute of an object",
                             "put {what} of all items into a list or an array before, and loop "
                             "over that"),
    "attribute of a global": ("{what} is an attribute of an object",
                              "hand what is read of it over as an argument"),
    "method of a global": ("{what} is called on an object",
                           "hand what it gives over as an argument"),
    "global bound anew": ("{what} is a global that a function binds anew",
                          "hand {what} over as an argument"),
    "method": ("{what} is called on an object", "a function of numbers and arrays in its place"),
    "item": ("{what} is an item of what is not known to hold numbers", NUMBERS),
    "attribute store": ("{what} is stored in an object",
                        "keep it in a local variable, and return it"),
    "item store": ("{what} is stored in place, in what is not known to be an array that this "
                   "function alone writes",
                   "make the array in this function, or return a new one"),
    "loop item": ("the loop goes over {what}, whose items are not known to be numbers or arrays",
                  "put the numbers of the items into an array, and loop over that"),
    "parameter": ("{what} is not known to be a number or an array", NUMBERS),
    "*args": ("{what} holds any number of arguments", "name the parameters, or take an array"),
    "**keywords": ("{what} holds any keywords", "name the parameters"),
    "captured": ("{what} is captured from outside", "hand {what} over as an argument"),
    "cell": ("{what} is captured by an inner function", "hand {what} over as an argument of the "
             "inner function, and write that at the top of the module"),
    "inner function": ("{what} is a function made here", "write it at the top of the module"),
    "global": ("{what} is a global that is no number, array, function or module",
               "hand what is read of {what} over as an argument"),
    "starred call": ("{what} is called with * or **", "call it with each argument written out"),
    "unknown function": ("which function is called as {what} is found out when it runs",
                         "call a function of a module by its name"),
    "display": ("a {what} is made here, and goes where its items are not followed",
                "use a variable for each item, or an array"),
    "unpacking": ("{what} is taken apart, and what it holds is not known beforehand", NUMBERS),
    "several kinds": ("{what} is not of one known kind in every round or branch",
                      "let it begin as a number or array of the kind that it has later"),
    "operator": ("the kind of {what} for ({kinds}) is not known beforehand",
                 "another operator, or other operands"),
    "operation": ("this step ({what}) is left to the run time", "split the function"),
}  # fmt: skip


def _described(value: Any) -> str:
    """``a list of Particle``."""
    kind = type(value).__name__
    if type(value) in (list, tuple, set, dict) and value:
        inside = value.values() if type(value) is dict else value
        names = sorted({type(each).__name__ for each in inside})
        return f"a {kind} of {' and '.join(names) if len(names) < 3 else 'several types'}"
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def _obstacle(fn: object) -> str:
    """What keeps a function of the user's from being called directly, if its head tells."""
    if type(fn) is not FunctionType:
        return ""
    flags = fn.__code__.co_flags
    if flags & (GENERATOR | ASYNCHRONOUS):
        return "it is a generator, or asynchronous"
    if flags & STARRED:
        return "it takes *args or **keywords"
    if fn.__closure__:
        return "it has captured variables"
    if fn.__code__.co_kwonlyargcount:
        return "it has parameters for keywords only"
    try:
        return "it has try or with in it" if is_taped(lower_function(fn)) else ""
    except AstadError as error:
        return error.why
