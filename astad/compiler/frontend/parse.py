"""From a running function to its tree and scope; the source is checked against the code that runs.

>>> from astad.compiler.frontend.locate import remember_source
>>> text = "def double(x):\\n    return 2 * x\\n"
>>> remember_source("<example>", text)
>>> known = {}; exec(compile(text, "<example>", "exec"), known)
>>> tree, scope = read(known["double"])
>>> tree.name, tree.line, sorted(scope.locals)
('double', 1, ['x'])

A generator expression as the function that Python makes of it.

>>> import ast
>>> def f(xs):
...     return (x * n for x in xs if (n := x) > 0)
>>> code = next(c for c in f.__code__.co_consts if hasattr(c, "co_code"))
>>> node = ast.parse("(x * n for x in xs if (n := x) > 0)").body[0].value
>>> print(ast.unparse(as_function(node, code)))
def genexpr(items):
    nonlocal n
    for x in items:
        if (n := x) > 0:
            yield (x * n)

From Python's tree to gast's, as ``gast.ast_to_gast`` does, in a third of its time.

>>> import ast
>>> tree = ast.parse("y = f(x, k=-a[0])")
>>> gast.dump(to_gast(tree)) == gast.dump(gast.ast_to_gast(tree))
True
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from types import CodeType, FunctionType
from typing import (
    Any,  # trees: gast ships no types
    TypeVar,
)
from weakref import ref

import gast
from gast.ast3 import Ast3ToGAst

from astad.compiler.frontend.locate import Source, code_of, no_source, sources, written_in
from astad.compiler.frontend.module_text import (
    WHOLE,
    Found,
    ModuleText,
    agrees,
    codes_below,
    hook_of,
    hooked_text,
    inner_functions,
    is_of_asserts,
    module_text,
)
from astad.compiler.frontend.scope import Scope, analyse, mangle
from astad.compiler.frontend.textless import texts_of
from astad.errors import Location, Unsupported
from astad.slotted import dataclass, replace

__all__ = ["Tree", "read", "rewritten", "to_gast"]

# --- from Python's tree to gast's


class _Translator(Ast3ToGAst):  # type: ignore[misc]
    """gast's own, which asks for each node of all kinds what it is."""

    def visit(self, node: ast.AST) -> Any:
        kind = type(node)
        if kind in _METHODS:
            return _METHODS[kind](self, node)
        if kind in _SIGNS:
            return _SIGNS[kind]
        _METHODS[kind] = getattr(_Translator, f"visit_{kind.__name__}", _Translator._plain)
        return _METHODS[kind](self, node)

    def visit_Name(self, node: ast.Name) -> Any:
        made = gast.Name.__new__(gast.Name)
        made.__dict__.update(node.__dict__)
        made.ctx, made.annotation, made.type_comment = _SIGNS[type(node.ctx)], None, None
        return made

    def _literal(self, node: ast.Constant) -> Any:
        made = gast.Constant.__new__(gast.Constant)
        made.__dict__.update(node.__dict__)
        return made

    def _plain(self, node: ast.AST) -> Any:
        """A node with the same fields in both."""
        kind: Any = getattr(gast, type(node).__name__, None)
        if kind is None:
            return self.generic_visit(node)  # of a Python that is newer than gast
        made = kind.__new__(kind)
        held = made.__dict__
        held.update(node.__dict__)  # of what was parsed: all fields and places
        for field in node._fields:
            value = held.get(field)
            if isinstance(value, ast.AST):
                held[field] = self.visit(value)
            elif type(value) is list:
                held[field] = [self.visit(x) if isinstance(x, ast.AST) else x for x in value]
        return made


_METHODS: dict[type[ast.AST], Callable[[_Translator, Any], Any]] = {
    ast.Constant: _Translator._literal  # `ast` looks for methods of old Pythons first
}
_SIGNS: dict[type[ast.AST], Any] = {
    kind: getattr(gast, kind.__name__)()
    for base in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
    for kind in base.__subclasses__()
    if hasattr(gast, kind.__name__)
}
"""Operators and contexts, which say no more than their type."""


def to_gast(node: ast.AST) -> Any:
    """The tree of a parsed text."""
    return _Translator().visit(node)


# --- generator expressions


Node = TypeVar("Node", bound=ast.AST)


def as_function(node: ast.GeneratorExp, code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """Its one parameter is the iterator that was made where the expression stands."""
    first, *others = node.generators
    taken = {*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}
    param = "items"
    while param in taken:
        param += "_"
    inner: ast.stmt = _at(node.elt, ast.Expr(_at(node.elt, ast.Yield(node.elt))))
    for each in reversed(others):
        inner = _clause(each, each.iter, inner)
    given = _at(first.iter, ast.Name(param, ast.Load()))
    body = [*_declarations(node, code), _clause(first, given, inner)]
    kind = ast.FunctionDef
    if any(each.is_async for each in node.generators):
        # no program is known: the function that makes it is refused
        kind = ast.AsyncFunctionDef  # type: ignore[assignment]
    arguments = ast.arguments([], [_at(node, ast.arg(param))], None, [], [], None, [])
    return _at(node, kind("genexpr", arguments, body, [], None, None, **_type_params()))


def _clause(each: ast.comprehension, iterable: ast.expr, inner: ast.stmt) -> ast.stmt:
    for test in reversed(each.ifs):
        inner = _at(test, ast.If(test, [inner], []))
    return _at(each.target, ast.For(each.target, iterable, [inner], [], None))


def _declarations(node: ast.GeneratorExp, code: CodeType) -> list[ast.stmt]:
    """What ``:=`` binds belongs to the function around it, or to the module."""
    named = [each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
    free = [name for name in dict.fromkeys(named) if name in code.co_freevars]
    outer = [name for name in dict.fromkeys(named) if name in code.co_names]
    out: list[ast.stmt] = [_at(node, ast.Nonlocal(free))] if free else []
    return [*out, _at(node, ast.Global(outer))] if outer else out


def _type_params() -> dict[str, Any]:
    """Python 3.12 has a field more, which the type stubs know only there."""
    return {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def _at(place: ast.AST, node: Node) -> Node:
    return ast.copy_location(node, place)


@dataclass(frozen=True, slots=True)
class Tree:
    """The gast tree of one function, a FunctionDef or a Lambda, with the user's lines; ``hook``:
    what put more into the function than its text says.
    """

    node: Any
    name: str
    qualname: str
    file: str
    line: int
    hook: str | None = None


def read(fn: object) -> tuple[Tree, Scope]:
    """The tree of a function and what its names mean.

    Raises
    ------
    NoSource : if no text is found, or only text that is not what runs.
    Unsupported : if an expression is nested too deeply to be walked.
    """
    code = code_of(fn)
    assert type(fn) is FunctionType
    try:
        return _read(fn, code)
    except RecursionError:
        raise Unsupported(
            Location(code.co_filename, code.co_firstlineno),
            f"an expression or a chain of elif in {code.co_name}",
            why="it is nested too deeply for Python's own recursion limit",
            instead="split it over several statements",
        ) from None


Match = tuple[ModuleText, Found, CodeType]
"""A function in a text, and the code that the text compiles to."""


def _read(fn: FunctionType, code: CodeType) -> tuple[Tree, Scope]:
    match, is_hooked = _found(fn, code)
    tree, scope = _build(fn, *match)
    return (replace(tree, hook=hook_of(fn.__globals__)) if is_hooked else tree), scope


def _found(fn: FunctionType, code: CodeType) -> tuple[Match, bool]:
    """The function in its text, and whether an import hook made that of the file's."""
    rewritten = REWRITTEN.get(id(code))
    if rewritten is not None:
        match = _match_in(rewritten[1], code.co_firstlineno, code)
        assert match is not None
        return match, False
    found_text = False
    for source in sources(fn):
        found_text = True
        match = _match(source, code)
        if match is not None:
            return match, False
        match = _match_hooked(source, code, fn.__globals__)
        if match is not None:
            return match, True
    for text in texts_of(code) if code.co_filename.startswith("<") else ():  # of no file
        match = _match(Source(text, code.co_filename, code.co_firstlineno), code)
        if match is not None:
            return match, False
    hook = None if is_of_asserts(fn.__globals__) else hook_of(fn.__globals__)
    raise no_source(code, found=found_text, hook=hook)


# --- functions whose loops are functions of their own


REWRITTEN: dict[int, tuple[ref[CodeType], ModuleText]] = {}
"""By the id of their code, for as long as it lives."""


def rewritten(fn: FunctionType, rewrite: Callable[[Any, str], Any]) -> CodeType | None:
    """The code of a function of which ``rewrite(tree, file)`` makes another; None where it makes
    none. It is read again as if it stood in the user's file.
    """
    code = fn.__code__
    (module, found, _), _ = _found(fn, code)
    if not isinstance(found.node, ast.FunctionDef):
        return None
    node = rewrite(found.node, code.co_filename)
    if node is None:
        return None
    made = ModuleText.of_tree(code.co_filename, _alone(node, found, code), code.co_flags)
    made.declared |= module.declared
    here = next(made.functions(node.name, node.lineno))
    (known,) = made.codes_of(here)
    renamed = _as_parts_of(code, known)
    made = made.without_codes()  # they would keep the code that runs alive
    for each in (renamed, *codes_below(renamed)):
        REWRITTEN[id(each)] = ref(each, partial(_forget, id(each))), made
    return renamed


def _as_parts_of(code: CodeType, made: CodeType) -> CodeType:
    """With the qualified name of the user's function, functions that are parts of it too: by that
    tracebacks know them.
    """
    own = {each.co_name for each in code.co_consts if isinstance(each, CodeType)}
    parts = [
        each.replace(co_qualname=code.co_qualname)
        if isinstance(each, CodeType) and each.co_name not in own
        else each
        for each in made.co_consts
    ]
    return made.replace(co_qualname=code.co_qualname, co_consts=tuple(parts))


def _forget(key: int, gone: ref[CodeType], known: dict[int, Any] = REWRITTEN) -> None:
    """At the end of the process too, when the names of this module are gone."""
    if key in known and known[key][0] is gone:
        del known[key]


def _alone(node: ast.FunctionDef, found: Found, code: CodeType) -> ast.Module:
    """A module with a function in it, in its class, and with what it has captured around it."""
    statement: ast.stmt = node
    if found.class_name is not None:
        fields: Any = {"type_params": []} if "type_params" in ast.ClassDef._fields else {}
        kind = ast.ClassDef(found.class_name, [], [], [statement], [], **fields)
        statement = _at(node, kind)
    free = [name for name in code.co_freevars if name != "__class__"]
    if free:
        names: list[ast.expr] = [_at(node, ast.Name(name, ast.Store())) for name in free]
        bound = _at(node, ast.Assign(names, _at(node, ast.Constant(None))))
        arguments = ast.arguments([], [], None, [], [], None, [])
        around = ast.FunctionDef("around", arguments, [bound, statement], [], None, None,
                                 **_type_params())  # fmt: skip
        statement = _at(node, around)
    return ast.fix_missing_locations(ast.Module([statement], []))


def _match(source: Source, code: CodeType) -> Match | None:
    """The function in a text whose code, compiled again, is the code that runs."""
    module = module_text(source.file, source.text, code.co_flags)
    return _match_in(module, source.line, code) if module is not None else None


def _match_in(module: ModuleText, line: int, code: CodeType) -> Match | None:
    founds = list(module.functions(code.co_name, line))
    # The statement around it is as good as the whole file, but for a few oddities: where a module
    # mentions `super` at its top, Python compiles `super().f` otherwise everywhere in it.
    whole = [replace(found, statement=WHOLE) for found in founds]
    for found, compiled in chain(_candidates(module, founds), _candidates(module, whole)):
        if agrees(compiled, code):
            return module, found, compiled
    return None


def _match_hooked(source: Source, code: CodeType, space: dict[str, object]) -> Match | None:
    """The same in what an import hook made of the text. Asserts are read as they are written: what
    pytest makes of them means the same.
    """
    hooked = hooked_text(space, source.file, source.text, code.co_flags)
    match = _match_in(hooked, source.line, code) if hooked is not None else None
    if match is None or not is_of_asserts(space):
        return match
    module = module_text(source.file, source.text, code.co_flags)
    founds = list(module.functions(code.co_name, source.line)) if module is not None else []
    if module is None or len(founds) != 1:
        return None  # no program is known: two functions of a name on a line, with asserts
    return next(((module, founds[0], plain) for plain in module.codes_of(founds[0])), None)


def _candidates(module: ModuleText, founds: list[Found]) -> Iterator[tuple[Found, CodeType]]:
    """Functions that agree in name and line, each with the code its text compiles to."""
    for statement in dict.fromkeys(found.statement for found in founds):
        here = [found for found in founds if found.statement == statement]
        if len(here) == 1:
            yield from ((here[0], code) for code in module.codes_of(here[0]))
        else:
            codes = module.told_apart(statement, [found.node for found in here])
            yield from ((f, c) for f, c in zip(here, codes, strict=True) if c is not None)


def _build(
    fn: FunctionType, module: ModuleText, found: Found, code: CodeType
) -> tuple[Tree, Scope]:
    text = found.node
    node = to_gast(as_function(text, code) if isinstance(text, ast.GeneratorExp) else text)
    mangle(node, found.class_name)
    written = module.declared | written_in(fn.__globals__)
    scope = analyse(fn, node, code, inner_functions(module, found, code), written)
    running = fn.__code__
    file, line = running.co_filename, running.co_firstlineno
    return Tree(node, running.co_name, running.co_qualname, file, line), scope
