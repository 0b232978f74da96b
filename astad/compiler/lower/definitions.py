"""Inner functions: the user's own code object, with the cells it captures.

class: its body runs in place, on a namespace; what the metaclass makes of that is a call.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     class Scaled:
...         weight = x * 2.0
... ''')))
t_1 = ()
t_2 = {}
t_3 = astad.runtime.classes.classes.class_head(t_1, t_2)
t_4 = t_3[0]
t_5 = t_3[1]
t_6 = t_3[2]
t_7 = t_3[3]
space = t_5('Scaled', t_6, **t_7)
t_8 = global __name__
astad.runtime.classes.classes.class_set(space, '__module__', t_8)
astad.runtime.classes.classes.class_set(space, '__qualname__', 'program.<locals>.Scaled')
...t_9 = x * 2.0
astad.runtime.classes.classes.class_set(space, 'weight', t_9)
...Scaled = astad.runtime.classes.classes.class_made(t_4, 'Scaled', t_6, space, t_7)

Type parameters and `type` statements (Python 3.12): objects of `typing`, made at once.

The parameters are seen by the annotations, the bases and the bodies of what has them, and by
nothing else; Python evaluates bounds and aliases only when they are asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.frontend.module_text import Inner, Position
from astad.compiler.frontend.scope import FUNCTIONS, children
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Ref
from astad.compiler.lower.assignments import noted
from astad.compiler.lower.builder import (
    Builder,
    Cell,
    ClassNames,
    ExpressionTable,
    Place,
    Slot,
    StatementTable,
    without_classes,
)
from astad.compiler.lower.called import dict_of

__all__ = ["EXPRESSIONS", "STATEMENTS", "made_function"]

# --- type parameters, and type statements


@contextmanager
def parameters(b: Builder, node: Any) -> Iterator[str | None]:
    """What is written meanwhile sees the type parameters of a definition; a tuple of them."""
    given = getattr(node, "type_params", None)
    if not given:
        yield None
        return
    line, outer = node.lineno, {}
    made: list[Operand] = []
    for each in given:
        value = _parameter(b, each, line)
        cell = b.prim("cell_new", (value,), line, b.names.fresh(f"{each.name}_cell"))
        outer[each.name] = b.places.get(each.name)
        b.places[each.name] = Cell(cell)
        made.append(value)
    try:
        yield b.prim("tuple", made, line)
    finally:
        for name, place in outer.items():
            b.places[name] = place


def _parameter(b: Builder, node: Any, line: int) -> Operand:
    kind = type(node).__name__
    words: list[tuple[str | None, Operand]] = []
    if kind == "TypeVar":
        words.append(("infer_variance", Const(True)))
    bound = getattr(node, "bound", None)
    constraints = bound.elts if isinstance(bound, gast.Tuple) else []
    args = [Const(node.name), *b.operands(constraints)]
    if bound is not None and not constraints:
        words.append(("bound", b.operand(bound)))
    return b.call(Ref("typing", kind), args, words, line)


def _alias(b: Builder, node: Any) -> None:
    line = node.lineno
    with parameters(b, node) as given:
        value = b.operand(node.value)
        words = [] if given is None else [("type_params", given)]
        made = b.call(Ref("typing", "TypeAliasType"), (Const(node.name.id), value), words, line)
    b.bind(node.name.id, made, line)


_NEVER_MADE = Inner(("<dead code>", 0, 0), ())
"""What Python has no code for, since it knows that it cannot run."""


def _lambda(b: Builder, node: Any, target: str | None) -> Operand:
    return _function(b, node, node.lineno, target)


def _definition(b: Builder, node: Any) -> None:
    decorators = b.operands(node.decorator_list)
    name = b.direct(gast.Name(node.name, gast.Store(), None, None))
    line = node.lineno
    value = _function(b, node, line, None if decorators else name)
    for index, decorator in enumerate(reversed(decorators)):
        last = index + 1 == len(decorators)
        value = b.call(decorator, (value,), (), line, name if last else None)
    b.bind(node.name, value, line)


def _function(b: Builder, node: Any, line: int, target: str | None) -> str:
    """One ``function`` operation; defaults are evaluated here, once."""
    args = node.args
    keywords: list[tuple[str | None, Operand]] = []
    named = [(arg.id, d) for arg, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    values = b.operands([*args.defaults, *(default for _, default in named)])
    count = len(args.defaults)
    if args.defaults:
        keywords.append(("defaults", b.prim("tuple", values[:count], line)))
    if named:
        pairs = [
            part
            for (name, _), v in zip(named, values[count:], strict=True)
            for part in (Const(name), v)
        ]
        keywords.append(("kwdefaults", b.prim("dict", pairs, line)))
    place = node.lineno, node.col_offset
    with parameters(b, node) as given:
        annotations = noted(b, node)
        if annotations is not None:
            keywords.append(("annotations", annotations))
        made = made_function(b, place, keywords, line, target)
    if given is not None:
        b.effect("setattr", (made, Const("__type_params__"), given), line)
    return made


def made_function(
    b: Builder,
    place: Position,
    keywords: Sequence[tuple[str | None, Operand]],
    line: int,
    target: str | None,
) -> str:
    """The function whose text starts at this place, with the cells that it captures."""
    inner = b.scope.inner.get(place, _NEVER_MADE)
    cells = [_cell(b, name, line) for name in inner.free]
    target = target or b.temp()
    b.emit(Call(target, Prim("function"), (Const(inner.key), *cells), tuple(keywords), line))
    return target


def _cell(b: Builder, name: str, line: int) -> Operand:
    with b.scoped(without_classes(b.scopes)):
        place = b.place(name)
    if isinstance(place, Cell):
        return str(place)
    raise b.unsupported(  # no program is known: Python has made a cell of what it captures
        line,
        f"capture of {name} by a function inside {b.name}",
        why="the variable belongs to neither of the two",
        instead="pass it to the inner function as an argument",
    )


# --- class


MODULE = "astad.runtime.classes.classes"
HEAD, MADE, GENERIC = (Ref(MODULE, f"class_{name}") for name in ("head", "made", "generic"))
BUILD = Ref("builtins", "__build_class__")


def _class(b: Builder, node: Any) -> None:
    line = node.lineno
    decorators = b.operands(node.decorator_list)
    name, space = Const(node.name), b.names.fresh("space")
    with parameters(b, node) as types:
        own = b.operands(node.bases, [keyword.value for keyword in node.keywords])
        if types is not None:
            own.append(b.call(GENERIC, (types,), (), line))
        bases = b.prim("tuple", own, line)
        given = dict_of(b, node.keywords, BUILD, line)
        head = b.call(HEAD, (bases, given), (), line)
        meta, prepare, bases, given = (b.prim("getitem", (head, Const(i)), line) for i in range(4))
        b.call(prepare, (name, bases), ((None, given),), line, space)
        if types is not None:
            b.put(space, "__type_params__", types, line)
        _body(b, node, space)
    target = None if decorators else b.direct(gast.Name(node.name, gast.Store(), None, None))
    value = b.call(MADE, (meta, name, bases, space, given), (), line, target)
    for decorator in reversed(decorators):
        value = b.call(decorator, (value,), (), line)
    b.bind(node.name, value, line)


def _body(b: Builder, node: Any, space: str) -> None:
    line, found = node.lineno, b.scope.classes[node.lineno, node.col_offset]
    outer = b.scopes[-1] if b.scopes and isinstance(b.scopes[-1], ClassNames) else None
    prefix = f"{b.qualname}.<locals>" if outer is None else outer.qualname
    is_open = bool(node.bases or node.keywords)
    names = ClassNames(space, found.bound, is_open=is_open, qualname=f"{prefix}.{node.name}")
    names["__annotations__"] = Slot(space, None)
    names.update((name, b.place(name)) for name in found.others)
    names.update((name, None) for name in found.globals)
    outside: Place = b.places.get("__class__")
    if found.is_read_inside:
        cell = b.names.fresh("class_cell")
        b.places["__class__"] = Cell(cell)
        b.prim("cell_new", (), line, cell)
    with b.scoped((names,)):
        for key, value in _heading(b, node, names.qualname):
            b.put(space, key, value, line)
        if any(_annotations(node.body)):
            b.put(space, "__annotations__", b.prim("dict", (), line), line)
        b.statements(node.body)
    if found.is_read_inside:
        b.put(space, "__classcell__", str(b.places["__class__"]), line)
        b.places["__class__"] = outside
    if sys.version_info >= (3, 13):
        b.put(space, "__static_attributes__", Const(tuple(sorted(set(_attributes(node))))), line)


def _heading(b: Builder, node: Any, qualname: str) -> Iterator[tuple[str, Operand]]:
    """What Python itself puts into the namespace."""
    yield "__module__", b.prim("global", (Const("__name__"),), node.lineno)
    yield "__qualname__", Const(qualname)
    if sys.version_info >= (3, 13):
        yield "__firstlineno__", Const(min(d.lineno for d in [node, *node.decorator_list]))
    text = gast.get_docstring(node, clean=sys.version_info >= (3, 13))
    if text is not None:
        yield "__doc__", Const(text)


def _annotations(nodes: list[Any]) -> Iterator[Any]:
    """The annotated assignments of a class body."""
    left = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, gast.AnnAssign):
            yield node
        elif not isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            left.extend(children(node))


def _attributes(node: Any) -> Iterator[str]:
    """Attributes of ``self`` that its methods write."""
    for each in gast.walk(node):
        is_written = isinstance(each, gast.Attribute) and isinstance(each.ctx, gast.Store)
        if is_written and getattr(each.value, "id", None) == "self":
            yield each.attr


EXPRESSIONS: ExpressionTable = {"Lambda": _lambda}
STATEMENTS: StatementTable = {
    "TypeAlias": _alias,
    "FunctionDef": _definition,
    "AsyncFunctionDef": _definition,
    "ClassDef": _class,
}
