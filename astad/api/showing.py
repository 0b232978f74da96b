"""The generated source of a function as people read it: the user's lines beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType

from astad.api.assumptions import find
from astad.api.wiring import word_of
from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.containers import read_kind
from astad.compiler.ir.nodes import Call, Const, Prim, Star
from astad.compiler.ir.text import header
from astad.compiler.ir.walk import walk
from astad.compiler.lower.function import lower_function
from astad.compiler.pipeline import Compiled, compile_function
from astad.errors import Location
from astad.rules.custom import CUSTOM
from astad.rules.registry import lookup
from astad.runtime.library import INERT_MODULES
from astad.runtime.parameters import parameters_of

__all__ = ["Request", "compiled", "location", "show_source", "title"]

WIDEST = 76
"""Lines longer than this do not push the comments of the others to the right."""


@dataclass(frozen=True, slots=True)
class Request:
    """One variant of a function: words for its arguments' kinds, and whether value and gradient
    are fused.
    """

    fn: FunctionType
    kinds: tuple[str, ...]
    fused: bool = False

    @property
    def generic(self) -> bool:
        return all(kind == "unknown" for kind in self.kinds)


def compiled(request: Request) -> Compiled:
    """All the compiler makes of a variant, past the disk cache, which holds no earlier stages."""
    cells = request.fn.__closure__ or () if request.fused else ()
    words = (*request.kinds, *(word_of(_content(cell)) for cell in cells))
    return compile_function(
        request.fn,
        [read_kind(word) for word in words],
        (*(True,) * len(request.kinds), *(False,) * len(cells)),
        fused=request.fused,
        generic=request.generic,
        kind_of=lambda value: read_kind(word_of(value)),
    )


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return object()


def show_source(request: Request, *, guard: bool = True) -> str:
    """The generated source of a variant, after that of the functions it calls, as far as their
    package is the same.
    """
    parts: list[str] = []
    _collect(request, guard, parts, set())
    return "\n".join(_contents(request)) + "\n\n\n".join(parts)


def _collect(
    request: Request, guard: bool, parts: list[str], seen: set[tuple[CodeType, tuple[str, ...]]]
) -> None:
    seen.add((request.fn.__code__, request.kinds))
    made = compiled(request)
    for callee in _callees(made, request):
        if (callee.fn.__code__, callee.kinds) not in seen:
            _collect(callee, guard, parts, seen)
    parts.append(_text(made, request, guard))


def location(fn: FunctionType, line: int) -> str:
    return str(Location(fn.__code__.co_filename, line))


def _contents(request: Request) -> Iterator[str]:
    """The functions of the module that are called, in order: ``# walk.py:9  foo(x) calls bar(x),
    baz(a)``.
    """
    program = lower_function(request.fn)
    names: dict[str, str] = {}
    called: dict[str, None] = {}
    for node in walk(program.body):
        if not isinstance(node, Call):
            continue
        if node.fn == Prim("global") and isinstance(node.args[0], Const):
            names[str(node.target)] = str(node.args[0].value)
            continue
        callee = request.fn.__globals__.get(names.get(str(node.fn), ""))
        if type(callee) is FunctionType:
            params = callee.__code__.co_varnames[: callee.__code__.co_argcount]
            called[f"{names[str(node.fn)]}({', '.join(params)})"] = None
    if called:
        title = header(program).removeprefix("def ").partition(":")[0]
        yield f"# {location(request.fn, program.line)}  {title} calls {', '.join(called)}"
        yield ""
        yield ""


# --- callees --------------------------------------------------------------------------------------


def _callees(made: Compiled, request: Request) -> Iterator[Request]:
    """Variants of the functions of the same package which the dispatcher would compile, in the
    order of the calls.
    """
    facts = made.stages.facts
    package = request.fn.__module__.partition(".")[0]
    for node in walk(made.stages.specialised.body):
        if id(node) in facts.callees:
            continue  # its text is part of this one
        fn = facts.known.get(str(node.fn)) if isinstance(node, Call) else None
        if (
            not isinstance(node, Call)
            or type(fn) is not FunctionType
            or fn.__module__.partition(".")[0] != package
        ):
            continue
        if lookup(fn) is None and id(fn) not in CUSTOM and fn.__module__ not in INERT_MODULES:
            yield Request(fn, _kinds_of(node, fn, facts, request.generic))


def _kinds_of(node: Call, fn: FunctionType, facts: Facts, generic: bool) -> tuple[str, ...]:
    """The callee's kinds as the call shows them; all unknown where arguments are not plainly in
    place.
    """
    parameters = parameters_of(fn.__code__)
    count = len(parameters.flat)
    plain = len(node.args) == count == len(parameters.plain) and not node.keywords
    if generic or not plain or any(isinstance(arg, Star) for arg in node.args):
        return ("unknown",) * count
    return tuple(_word(facts.kind_of(arg).text) for arg in node.args)


def _word(kind: str) -> str:
    try:
        read_kind(kind)
    except KeyError:
        return "unknown"
    return "inert" if kind == "bool" else kind


# --- text -----------------------------------------------------------------------------------------


def title(made: Compiled, request: Request) -> str:
    """``# walk.py:3  power(x: float, n: int), gradient of x``."""
    program = made.stages.lowered
    stars = {"args": "*", "kwargs": "**"}
    params = [
        stars.get(param.kind, "") + param.name + (f": {kind}" if kind != "unknown" else "")
        for param, kind in zip(program.params, request.kinds, strict=True)
    ]
    reached = [
        param.name
        for param, kind, reaches in zip(program.params, request.kinds, made.reaches, strict=True)
        if reaches and kind != "inert"
    ]
    of = f"gradient of {', '.join(reached)}" if reached else "no derivative passes"
    kinds = ", arguments of any kind" if request.generic and params else ""
    head = f"{program.qualname}({', '.join(params)})"
    return f"# {location(request.fn, program.line)}  {head}{kinds}, {of}"


def _text(made: Compiled, request: Request, guard: bool) -> str:
    source = made.text.source.rstrip("\n").split("\n")
    comments = dict(_comments(made, request))
    width = max(
        (len(source[at - 1]) for at in comments if len(source[at - 1]) <= WIDEST), default=0
    )
    left_out = set() if guard else _guard_lines(made.text.source)
    body = [
        f"{line:{width}}  {comments[at]}" if at in comments else line
        for at, line in enumerate(source, start=1)
        if at not in left_out
    ]
    return "\n".join([title(made, request), *_preface(made, request), *_spaced(body)])


def _comments(made: Compiled, request: Request) -> Iterator[tuple[int, str]]:
    """Line of the text, and the user's line as a remark."""
    owners = {spot.line: spot.owner for spot in made.text.spots}
    for at, user in made.text.lines:
        owner = owners.get(at, "")
        fn = find(owner, request.fn.__globals__) if owner else request.fn
        if user:
            yield at, f"# {location(fn, user + fn.__code__.co_firstlineno - 1)}"
    for function, home in zip(ast.parse(made.text.source).body, made.text.homes, strict=True):
        owner = home.partition(" ")[2]
        if owner:
            fn = find(owner, request.fn.__globals__)
            yield function.lineno, f"# {location(fn, fn.__code__.co_firstlineno)}  {owner}"


def _spaced(body: Sequence[str]) -> Iterator[str]:
    """Two empty lines between functions, as people write them."""
    for line in body:
        yield from ("", "") if not line else (line,)


def _guard_lines(source: str) -> set[int]:
    """The lines of the tests at the head of the first function."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return {
        line
        for node in function.body
        if isinstance(node, ast.If) and ast.unparse(node.body[0]) == "return NotImplemented"
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _preface(made: Compiled, request: Request) -> Iterator[str]:
    """What the global names of the text stand for: imports, or remarks where the user's own module
    is read.
    """
    remarks: list[str] = []
    objects: dict[str, list[str]] = {}
    module = request.fn.__module__
    for name, (kind, what) in sorted(made.bound.items()):
        if kind == "module":
            yield f"import {what}" if what == name else f"import {what} as {name}"
        elif kind == "object":
            home, _, attribute = what.partition(":")
            if home == "builtins" and attribute == name:
                continue
            objects.setdefault(home, []).append(
                attribute if attribute == name else f"{attribute} as {name}"
            )
        elif kind in ("user", "live"):
            home = what or module
            remarks.append(f"# {name}: the global names of {home}, as they are when it runs")
        elif kind in ("path", "copy"):
            remarks.append(f"# {name}: {what}, as {module} had it when this text was written")
        elif kind == "names":
            path, place = what.split("#")
            base = f"base {place} of {path}" if place != "0" else path
            remarks.append(f"# {name}: the names that the class {base} holds")
        elif kind == "held":
            path, _, held = what.split("#")
            remarks.append(f"# {name}: {path}.{held}, as it was when this text was written")
        elif kind == "inner":
            remarks.append(f"# {name}: makes {what.split()[0]}, the user's own inner function")
    for home in sorted(objects):
        yield f"from {home} import {', '.join(objects[home])}"
    yield from remarks
