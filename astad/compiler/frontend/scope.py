"""What each name of a function means: parameter, local, cell, captured from outside, or global.

A comprehension is a scope, though not a function here: `lower/comprehensions.py` renames its
variables where they would meet a name of the function.

Private names: inside ``class Walk``, ``__seed`` means ``_Walk__seed``.

>>> mangled("__seed", "_Walk"), mangled("__init__", "Walk"), mangled("a.__b", "Walk")
('_Walk__seed', '__init__', 'a.__b')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.module_text import Inner, Position
from astad.compiler.ir.nodes import Param
from astad.slotted import dataclass, replace

__all__ = [
    "MISSING",
    "Scope",
    "analyse",
    "children",
    "detach",
    "mangle",
    "own_nodes",
    "target_names",
]

# --- private names


def mangled(name: str, class_name: str) -> str:
    """The name as Python stores it inside a class."""
    stem = class_name.lstrip("_")
    if not name.startswith("__") or name.endswith("__") or "." in name or not stem:
        return name
    return f"_{stem}{name}"


def mangle(tree: Any, class_name: str | None) -> None:
    """Write the stored form of every private name into the tree, which must be the caller's own.

    Names of keywords in calls stay as they are, as in Python.
    """
    if class_name is None:
        return
    for node in _outside_of_classes(tree):
        if isinstance(node, gast.Name):
            node.id = mangled(node.id, class_name)
        elif isinstance(node, gast.Attribute):
            node.attr = mangled(node.attr, class_name)
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            node.name = mangled(node.name, class_name)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [mangled(name, class_name) for name in node.names]
        elif isinstance(node, gast.ImportFrom):
            _mangle_aliases(node, class_name)
        elif isinstance(node, gast.Import):
            for alias in node.names:
                alias.name = mangled(alias.name, class_name)
                alias.asname = alias.asname and mangled(alias.asname, class_name)


def mangle_body(node: Any) -> None:
    """The same for the body of a class statement."""
    for each in node.body:
        mangle(each, node.name)


def _outside_of_classes(tree: Any) -> Iterator[Any]:
    """The nodes of a tree without those in the bodies of classes."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        inside = node.body if isinstance(node, gast.ClassDef) else []
        left.extend(child for child in gast.iter_child_nodes(node) if child not in inside)


def _mangle_aliases(node: Any, class_name: str) -> None:
    """Python asks the module for the name as written, and binds the stored form."""
    for alias in node.names:
        alias.asname = mangled(alias.asname or alias.name, class_name)


COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
LEAVES = (gast.Constant, gast.Name)
BINDING = (
    gast.NamedExpr, gast.Global, gast.Nonlocal, gast.Import, gast.ImportFrom,
    gast.MatchAs, gast.MatchStar, gast.MatchMapping,
)  # fmt: skip
"""Nodes that bind names besides those of targets."""
MISSING = object()


@dataclass(frozen=True, slots=True)
class ClassBody:
    """The names that the body of a class binds, those it declares global, and nonlocal; whether a
    method reads ``__class__``.
    """

    bound: frozenset[str]
    globals: frozenset[str]
    others: frozenset[str]
    is_read_inside: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """Names of one function.

    Parameters
    ----------
    locals : frozenset of str
        Parameters, and names bound in the function's own scope.
    cells : frozenset of str
        The locals which an inner function captures.
    free : tuple of str
        The captured names of the function itself, as in ``co_freevars``.
    captured : dict
        For the start of each comprehension, those of its variables which a function inside it
        captures.
    walrus : frozenset of str
        Names bound inside expressions.
    inner : dict
        For the start of each inner function, its key and what it captures.
    classes : dict
        For the start of each class statement, what its names are.
    taken : frozenset of str
        Every name in the function's code.
    fn : function
        Where globals are looked up.
    written : frozenset of str
        Globals that some function binds anew: they are read as they are at each time.
    sorts : frozenset of str
        The types of the nodes that run when the function runs.
    detached : frozenset of positions
        The generator expressions that are functions here; the others are comprehensions.
    """

    params: tuple[Param, ...]
    locals: frozenset[str]
    cells: frozenset[str]
    free: tuple[str, ...]
    captured: Mapping[Position, frozenset[str]]
    walrus: frozenset[str]
    inner: Mapping[Position, Inner]
    classes: Mapping[Position, ClassBody]
    taken: frozenset[str]
    fn: FunctionType
    written: frozenset[str] = frozenset()
    sorts: frozenset[str] = frozenset()
    detached: frozenset[Position] = frozenset()

    def resolve(self, name: str) -> object:
        """What a global or builtin name means now, or MISSING."""
        if name in self.locals or name in self.free or name in self.written:
            return MISSING
        # read through getattr: the type stubs of Python do not know it
        known: Mapping[str, object] = getattr(self.fn, "__builtins__")  # noqa: B009
        return self.fn.__globals__.get(name, known.get(name, MISSING))


def analyse(
    fn: FunctionType,
    node: Any,
    code: CodeType,
    inner: Mapping[Position, Inner],
    written: frozenset[str] = frozenset(),
) -> Scope:
    """The scope of ``fn``, whose tree is ``node`` and whose recompiled code is ``code``."""
    walk = _Walk(inner)
    for child in _body(node):
        walk.visit(child, ())
    params = _params(node)
    names = {param.name for param in params} | walk.bound - walk.declared
    return Scope(
        params,
        frozenset(names),
        frozenset(walk.captured & names),
        code.co_freevars,
        {place: frozenset(found) for place, found in walk.by_comprehension.items()},
        frozenset(walk.walrus),
        inner,
        walk.classes,
        frozenset(_names_in(code)) | names,
        fn,
        (written | walk.declared) - names - set(code.co_freevars),
        frozenset([kind.__name__ for kind in walk.sorts]),
    )


def detach(node: Any, scope: Scope, places: frozenset[Position]) -> Scope:
    """The scope where the generator expressions at these places are functions of their own."""
    walk = _Walk(scope.inner, places)
    for child in _body(node):
        walk.visit(child, ())
    return replace(
        scope,
        cells=frozenset(walk.captured & scope.locals),
        captured={place: frozenset(found) for place, found in walk.by_comprehension.items()},
        detached=places,
    )


def own_nodes(node: Any) -> Iterator[Any]:
    """The nodes that run when the function runs; of inner functions, defaults and decorators."""
    left = _body(node)[::-1]
    while left:
        child = left.pop()
        yield child
        if type(child) not in LEAVES:
            inner = list(_outside(child)) if type(child) in FUNCTIONS else children(child)
            left += inner[::-1]


def children(node: Any) -> list[Any]:
    """The nodes directly below a node, operators and contexts such as Load left out.

    Half the time of ``gast.iter_child_nodes``, which is most of the time of a walk.
    """
    out: list[Any] = []
    kind = type(node)
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(name for name in kind._fields if name not in _PLAIN)
    held = vars(node)
    for name in _FIELDS[kind]:
        value = held.get(name)
        if type(value) is list:
            out += [each for each in value if isinstance(each, gast.AST)]
        elif isinstance(value, gast.AST):
            out.append(value)
    return out


_FIELDS: dict[type, tuple[str, ...]] = {}
_PLAIN = ("arg", "attr", "ctx", "id", "kind", "op", "ops", "type_comment")
"""Fields with words and signs."""


def target_names(target: Any) -> Iterator[str]:
    """The plain names an assignment target binds."""
    if isinstance(target, gast.Name):
        yield target.id
    elif isinstance(target, gast.Starred):
        yield from target_names(target.value)
    elif isinstance(target, (gast.Tuple, gast.List)):
        for part in target.elts:
            yield from target_names(part)


def _body(node: Any) -> list[Any]:
    return [node.body] if isinstance(node, gast.Lambda) else list(node.body)


def _outside(node: Any) -> Iterator[Any]:
    """The parts of a function that run in the scope around it."""
    yield from (d for d in node.args.defaults + node.args.kw_defaults if d is not None)
    yield from getattr(node, "decorator_list", ())


def _params(node: Any) -> tuple[Param, ...]:
    args = node.args
    plain = [(arg, "positional_only") for arg in args.posonlyargs]
    plain += [(arg, "positional") for arg in args.args]
    without = len(plain) - len(args.defaults)
    out = [Param(arg.id, kind, i >= without) for i, (arg, kind) in enumerate(plain)]
    if args.vararg:
        out.append(Param(args.vararg.id, "args", False))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        out.append(Param(arg.id, "keyword_only", default is not None))
    if args.kwarg:
        out.append(Param(args.kwarg.id, "kwargs", False))
    return tuple(out)


def _names_in(code: CodeType) -> Iterator[str]:
    """Every name of a code object and of those inside it."""
    left = [code]
    while left:
        each = left.pop()
        yield each.co_name
        for names in (each.co_names, each.co_varnames, each.co_cellvars, each.co_freevars):
            yield from names
        left.extend(const for const in each.co_consts if isinstance(const, CodeType))


_Comps = tuple[tuple[Position, frozenset[str]], ...]
"""The comprehensions around a node, outermost first: where each starts and its variables."""


class _Walk:
    """One pass over a function's own scope."""

    def __init__(
        self, inner: Mapping[Position, Inner], detached: frozenset[Position] = frozenset()
    ) -> None:
        self._inner = inner
        self._detached = detached
        self.bound: set[str] = set()
        self.declared: set[str] = set()
        self.walrus: set[str] = set()
        self.captured: set[str] = set()
        self.by_comprehension: dict[Position, set[str]] = {}
        self.classes: dict[Position, ClassBody] = {}
        self.globals: set[str] = set()
        self.sorts: set[type] = set()

    def visit(self, root: Any, comps: _Comps) -> None:
        left = [root]
        while left:
            node = left.pop()
            kind = type(node)
            self.sorts.add(kind)
            if kind is gast.Name:
                self._name(node, comps)
            elif kind in FUNCTIONS:
                self._function(node, comps)
                left.extend(_outside(node))
            elif kind in COMPREHENSIONS:
                if (node.lineno, node.col_offset) in self._detached:
                    self._captures(node, comps)
                    left.append(node.generators[0].iter)
                else:
                    self._comprehension(node, comps)
            elif kind is gast.ClassDef:
                left.extend(self._class(node, comps))
            elif kind is not gast.Constant:
                if kind in BINDING:
                    self._statement(node)
                left += children(node)

    def _name(self, node: Any, comps: _Comps) -> None:
        if type(node.ctx) is not gast.Load and not any(node.id in names for _, names in comps):
            self.bound.add(node.id)

    def _statement(self, node: Any) -> None:
        if isinstance(node, gast.NamedExpr):
            self.walrus.add(node.target.id)
            self.bound.add(node.target.id)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            self.declared.update(node.names)
            self.globals.update(node.names if isinstance(node, gast.Global) else ())
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            names = (alias.asname or alias.name.partition(".")[0] for alias in node.names)
            self.bound.update(names)
        elif isinstance(node, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
            name = node.rest if isinstance(node, gast.MatchMapping) else node.name
            self.bound.update([name] if name is not None else [])

    def _class(self, node: Any, comps: _Comps) -> list[Any]:
        """What of a class statement belongs to the scope around it. The names that its body binds
        are its own, those that it reads are not.
        """
        mangle_body(node)
        self.bound.add(node.name)
        body = _Walk(self._inner, self._detached)
        for each in node.body:
            body.visit(each, ())
        self.captured |= body.captured - {"__class__"}
        self.by_comprehension.update(body.by_comprehension)
        self.walrus |= body.walrus
        self.sorts |= body.sorts
        names = set(body.bound - body.declared)
        self.classes[node.lineno, node.col_offset] = ClassBody(
            frozenset(names),
            frozenset(body.globals),
            frozenset(body.declared - body.globals),
            "__class__" in body.captured,
        )
        self.classes.update(body.classes)
        return [*node.decorator_list, *node.bases, *(word.value for word in node.keywords)]

    def _function(self, node: Any, comps: _Comps) -> None:
        if not isinstance(node, gast.Lambda):
            self.bound.add(node.name)
        self._captures(node, comps)

    def _captures(self, node: Any, comps: _Comps) -> None:
        inner = self._inner.get((node.lineno, node.col_offset))
        for name in inner.free if inner else ():
            place = next((place for place, names in reversed(comps) if name in names), None)
            if place is None:
                self.captured.add(name)
            else:
                self.by_comprehension.setdefault(place, set()).add(name)

    def _comprehension(self, node: Any, comps: _Comps) -> None:
        names = frozenset(name for each in node.generators for name in target_names(each.target))
        inside = (*comps, ((node.lineno, node.col_offset), names))
        self.visit(node.generators[0].iter, comps)
        parts = [getattr(node, part, None) for part in ("key", "value", "elt")]
        for number, each in enumerate(node.generators):
            parts += [each.target, *each.ifs] + ([each.iter] if number else [])
        for part in parts:
            if part is not None:
                self.visit(part, inside)
