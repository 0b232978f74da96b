"""The generated source of a function as people read it: the user's lines beside it."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType

from astad.api.variants.assumptions import find
from astad.api.variants.held_globals import held_globals
from astad.api.variants.loading import fill_compiler
from astad.api.variants.wiring import kinds_of, word_of
from astad.code_objects import parameters_of
from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.containers import read_kind
from astad.compiler.ir.nodes import Call, Const, Prim, Star
from astad.compiler.ir.text import header
from astad.compiler.ir.walk import walk
from astad.compiler.lower.function import lower_function
from astad.compiler.pipeline import Compiled, compile_function
from astad.errors import Location, Unsupported
from astad.rules.in_force import CUSTOM
from astad.rules.registry import lookup
from astad.runtime.calls.library import INERT_MODULES
from astad.slotted import dataclass

__all__ = ["Request", "called_apart", "compiled", "location", "renamed", "show_source", "title"]

WIDEST = 76
"""Lines longer than this do not push the comments of the others to the right."""


@dataclass(frozen=True, slots=True)
class Request:
    """One variant of a function: words for its arguments' kinds, and whether value and gradient
    are fused, or value and tangent.
    """

    fn: FunctionType
    kinds: tuple[str, ...]
    fused: bool = False
    forward: bool = False

    @property
    def generic(self) -> bool:
        return all(kind == "unknown" for kind in self.kinds)


def compiled(request: Request) -> Compiled:
    """All the compiler makes of a variant, past the disk cache, which holds no earlier stages."""
    fill_compiler()
    cells = request.fn.__closure__ or () if request.fused else ()
    words = (*request.kinds, *(word_of(_content(cell)) for cell in cells))
    may_move = [not request.forward or kind not in ("inert", "int") for kind in request.kinds]
    made = compile_function(
        request.fn,
        [read_kind(word) for word in words],
        (*may_move, *(False,) * len(cells)),
        fused=request.fused,
        generic=request.generic,
        kind_of=lambda value: read_kind(word_of(value)),
        only_fused=request.forward,
        forward="tangent" if request.forward else "",
    )
    if request.forward and made.form == "none":
        raise Unsupported(
            request.fn.__qualname__, "its text in forward mode",
            why="all that it computes has to be known beforehand as numbers and arrays of float64",
            instead="give their kinds by annotations or --kinds; astad.jvp takes reverse sweeps",
        )  # fmt: skip
    if request.fused and made.form != "fused" and not request.forward:
        return _holding(request, words) or made
    return made


def _holding(request: Request, words: Sequence[str]) -> Compiled | None:
    """The fused form that takes what globals hold now, if there is one."""
    held = held_globals(request.fn)
    kinds = kinds_of([request.fn.__globals__[name] for name in held], open_=True)
    if not held or "unknown" in (*words, *kinds):
        return None
    places = len(request.kinds)
    made = compile_function(
        request.fn,
        [read_kind(word) for word in (*words, *kinds)],
        (*(True,) * places, *(False,) * (len(words) - places + len(held))),
        fused=True,
        kind_of=lambda value: read_kind(word_of(value)),
        only_fused=True,
        held=held,
    )
    return made if made.form == "fused" and not made.whole else None


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return object()


def show_source(request: Request, *, guard: bool = True) -> str:
    """The generated source of a variant, after that of the functions it calls, as far as their
    package is the same.
    """
    parts: list[tuple[Compiled, Request]] = []
    _collect(request, parts, set())
    texts: list[str] = []
    taken: dict[str, object] = {}
    for made, each in reversed(parts):  # the one that was asked for keeps its names
        texts.append(_text(made, each, guard, taken))
    return "\n".join(_contents(request)) + "\n\n\n".join(reversed(texts))


def _collect(
    request: Request,
    parts: list[tuple[Compiled, Request]],
    seen: set[tuple[CodeType, tuple[str, ...]]],
) -> None:
    seen.add((request.fn.__code__, request.kinds))
    made = compiled(request)
    for callee in called_apart(made, request):
        if (callee.fn.__code__, callee.kinds) not in seen:
            _collect(callee, parts, seen)
    parts.append((made, request))


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


def called_apart(made: Compiled, request: Request) -> Iterator[Request]:
    """Variants of the functions of the same package which the dispatcher would compile, in the
    order of the calls.
    """
    facts = made.stages.facts
    package = str(request.fn.__module__).partition(".")[0]
    for node in walk(made.stages.specialised.body):
        if id(node) in facts.callees:
            continue  # its text is part of this one
        fn = facts.known.get(str(node.fn)) if isinstance(node, Call) else None
        if (
            not isinstance(node, Call)
            or type(fn) is not FunctionType
            or str(fn.__module__).partition(".")[0] != package
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
        for param, kind in zip(program.params, request.kinds, strict=False)
    ]
    params += [param.name for param in program.params[len(params) :]]  # of cells and globals
    reached = [
        param.name
        for param, kind, reaches in zip(program.params, request.kinds, made.reaches, strict=False)
        if reaches and kind not in ("inert", "int" if request.forward else "")
    ]
    what = "tangent along" if request.forward else "gradient of"
    of = f"{what} {', '.join(reached)}" if reached else "no derivative passes"
    kinds = ", arguments of any kind" if request.generic and params else ""
    head = f"{program.qualname}({', '.join(params)})"
    return f"# {location(request.fn, program.line)}  {head}{kinds}, {of}"


def _text(made: Compiled, request: Request, guard: bool, taken: dict[str, object]) -> str:
    names = _names(made, request, taken)
    source = renamed(made.text.source, names).rstrip("\n").split("\n")
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
    return "\n".join([title(made, request), *_preface(made, request, names), *_spaced(body)])


def _names(made: Compiled, request: Request, taken: dict[str, object]) -> dict[str, str]:
    """Other names for what another text in the same file has under the same ones."""
    module = request.fn.__module__
    meanings: dict[str, object] = {
        name: (kind, what, module if kind not in ("module", "object") else "")
        for name, (kind, what) in made.bound.items()
    }
    meanings |= {name: (request.fn, request.kinds, name) for name in made.text.names}
    names: dict[str, str] = {}
    for name, meaning in meanings.items():
        number, fresh = 1, name
        while taken.setdefault(fresh, meaning) != meaning:
            number += 1
            fresh = f"{name}_{number}"
            while fresh in made.text.source or fresh in meanings:
                number += 1
                fresh = f"{name}_{number}"
        names[name] = fresh
    return {name: fresh for name, fresh in names.items() if fresh != name}


def renamed(source: str, names: Mapping[str, str]) -> str:
    """The text with other names for some, which are no local ones.

    >>> renamed("def f(x):\\n    return g.abs(x, g=g) + a.g\\n", {"g": "g_2"})
    'def f(x):\\n    return g_2.abs(x, g=g_2) + a.g\\n'
    """
    if not names:
        return source
    lines = source.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(iter(lines).__next__))
    for before, token, after in reversed(list(zip(tokens, tokens[1:], tokens[2:], strict=False))):
        is_keyword = after.string == "=" and before.string in ("(", ",")
        if token.type != tokenize.NAME or before.string == "." or is_keyword:
            continue
        if token.string in names:
            (row, start), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = line[:start] + names[token.string] + line[end:]
    return "".join(lines)


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


def _preface(made: Compiled, request: Request, names: Mapping[str, str]) -> Iterator[str]:
    """What the global names of the text stand for: imports, and what the user's modules have."""
    bound: dict[str, str] = {}
    objects: dict[str, list[str]] = {}
    found: set[str] = set()
    for own, (kind, what) in sorted(made.bound.items()):
        name = names.get(own, own)
        if kind == "module":
            yield f"import {what}" if what == name else f"import {what} as {name}"
            continue
        home, _, path = what.partition(":")
        if kind == "object" and "." not in path:
            if (home, path) != ("builtins", name):
                objects.setdefault(home, []).append(path if path == name else f"{path} as {name}")
            continue
        function, bound[name] = _binding(kind, what, request.fn)
        found.add(function)
    for home in sorted(objects):
        yield f"from {home} import {', '.join(objects[home])}"
    if not found and any(home.startswith("astad.runtime") for home in objects):
        yield "import astad.api.saved"
    if found:
        yield f"from astad.api.saved import {', '.join(sorted(found))}"
    yield from (f"{name} = {text}" for name, text in bound.items())


def _binding(kind: str, what: str, fn: FunctionType) -> tuple[str, str]:
    """The function of `api/saved.py` that finds something again, and the call, with a remark."""
    module = fn.__module__
    here = f"as {module} has it when this text is imported"
    if kind in ("user", "live"):
        home = what or module
        function = "names_of" if kind == "user" else "live_names_of"
        return function, f'{function}("{home}")  # its global names, as they are when it runs'
    if kind == "object":
        home, _, path = what.partition(":")
        return "attribute", f'attribute("{home}", "{path}")'
    if kind == "path":
        return "named", f'named("{module}", "{what}")  # {here}'
    if kind == "copy":
        return "named", f'dict(named("{module}", "{what}"))  # {here}'
    if kind == "inner":
        path = f"{module}.{fn.__qualname__}".replace(".<locals>", "")
        return "maker_of", f'maker_of("{path}", "{what}")  # the user\'s own inner function'
    return "held_by", f'held_by("{module}", "{what}")  # {here}'
