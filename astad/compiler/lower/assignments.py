"""Assignments of every form; the operation itself binds the user's name where it can.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     a, b = b, a * b
...     (c, *d), o.e = v
...     a[i] += c
... ''')))
t_1 = b
t_2 = a * b
a = t_1
b = t_2
t_3 = unpack(v, 2, None)
t_4 = t_3[0]
t_5 = unpack(t_4, 2, 1)
c = t_5[0]
d = t_5[1]
t_6 = t_3[1]
o.e = t_6
t_7 = a[i]
t_8 = t_7 += c
a[i] = t_8

Annotations: what Python evaluates where a function is made, or in a class body.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     def f(v: float) -> None: ...
... ''')))
t_1 = global float
t_2 = {'v': t_1, 'return': None}
f = function(('f', 1, 0), annotations=t_2)

import inside a function.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     import os.path as p
...     from math import sin, cos as c
... ''')))
t_1 = import('os.path', None, 0)
p = import_from(t_1, 'path')
t_2 = import('math', ('sin', 'cos'), 0)
sin = import_from(t_2, 'sin')
c = import_from(t_2, 'cos')
"""

from __future__ import annotations
import __future__

from collections.abc import Iterable, Iterator
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const, Operand
from astad.compiler.ir.prims import SYNTAX
from astad.compiler.lower.builder import Builder, ClassNames, StatementTable

__all__ = ["STATEMENTS", "assign", "noted"]

# --- annotations


AS_TEXT = __future__.annotations.compiler_flag


def annotation(b: Builder, node: Any) -> Operand:
    """The value of one; under ``from __future__ import annotations`` its text."""
    if b.scope.fn.__code__.co_flags & AS_TEXT:
        return Const(gast.unparse(node))
    return b.operand(node.value if isinstance(node, gast.Starred) else node)


def noted(b: Builder, node: Any) -> str | None:
    """A dict of those of a function, None where there are none."""
    pairs: list[Operand] = []
    for name, each in _each_annotated(node):
        pairs += [Const(name), annotation(b, each)]
    return b.prim("dict", pairs, node.lineno) if pairs else None


def _each_annotated(node: Any) -> Iterator[tuple[str, Any]]:
    args = node.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    for arg in every:
        if arg is not None and getattr(arg, "annotation", None) is not None:
            yield arg.id, arg.annotation
    if getattr(node, "returns", None) is not None:
        yield "return", node.returns


def assign(b: Builder, target: Any, value: Operand, line: int) -> None:
    """Bind a value to a target of any form."""
    if isinstance(target, gast.Name):
        b.bind(target.id, value, line)
    elif isinstance(target, gast.Attribute):
        b.effect("setattr", (b.operand(target.value), Const(target.attr), value), line)
    elif isinstance(target, gast.Subscript):
        b.effect("setitem", (*b.operands((target.value, target.slice)), value), line)
    else:
        _unpack(b, target.elts, value, line)


def _unpack(b: Builder, targets: list[Any], value: Operand, line: int) -> None:
    starred = [i for i, target in enumerate(targets) if isinstance(target, gast.Starred)]
    star = Const(starred[0] if starred else None)
    parts = b.prim("unpack", (value, Const(len(targets)), star), line)
    for index, target in enumerate(targets):
        inner = target.value if isinstance(target, gast.Starred) else target
        part = b.prim("getitem", (parts, Const(index)), line, b.direct(inner))
        assign(b, inner, part, line)


def _assign(b: Builder, node: Any) -> None:
    first, *others = node.targets
    if not others and _is_display(first, node.value):
        _assign_display(b, first.elts, node.value.elts, node.lineno)
        return
    names = [b.direct(target) for target in node.targets]
    plain = others == [] or (None not in names and len(set(names)) == len(names))
    if names[0] is not None and plain:
        b.into(node.value, names[0])
        value: Operand = names[0]
    else:
        value = _held(b, node)
        assign(b, first, value, node.lineno)
    for target in others:
        assign(b, target, value, node.lineno)


def _held(b: Builder, node: Any) -> Operand:
    """The value, under a name that neither an earlier target nor a ``:=`` in a target binds."""
    value = b.iterable(node.value) if _reads_out(node.targets) else b.operand(node.value)
    if len(node.targets) > 1:
        return b.kept(value, node.lineno)
    return b.guarded(value, node.targets, node.lineno)


def _reads_out(targets: list[Any]) -> bool:
    """Whether the assignment draws every item of its value before it binds anything."""
    if len(targets) > 1:
        return False
    target = targets[0]
    if isinstance(target, gast.Subscript):
        return isinstance(target.slice, gast.Slice)
    return isinstance(target, (gast.Tuple, gast.List))


def _is_display(target: Any, value: Any) -> bool:
    """Whether each target has an expression of its own, as in ``a, b = b, a``."""
    kinds = gast.Tuple | gast.List
    return (
        isinstance(target, kinds)
        and isinstance(value, kinds)
        and len(target.elts) == len(value.elts)
        and not any(isinstance(part, gast.Starred) for part in target.elts + value.elts)
    )


def _assign_display(b: Builder, targets: list[Any], values: list[Any], line: int) -> None:
    names = [b.direct(target) for target in targets]
    at_once = not b.scope.walrus and not b.tries
    if None not in names and at_once and not _met_later(names, values):
        for name, value in zip(names, values, strict=True):
            b.into(value, str(name))
        return
    bound = {name for target in targets for name in _names(b, target)}
    held: list[Operand] = []
    for index, node in enumerate(values):
        value = b.guarded(b.operand(node), values[index + 1 :], line)
        # copied before the targets are bound: one of them may be this very name
        held.append(b.kept(value, line) if value in bound else value)
    for target, value in zip(targets, held, strict=True):
        assign(b, target, value, line)


def _names(b: Builder, target: Any) -> Iterable[str]:
    """The names a target binds, through ``:=`` in its subscripts too."""
    for node in gast.walk(target):
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            yield str(b.place(node.id))


def _met_later(names: list[str | None], values: list[Any]) -> bool:
    """Whether a target is bound twice, or read by an expression after the one it is bound to."""
    later: set[str] = set()
    for name, value in zip(reversed(names), reversed(values), strict=True):
        if name in later:
            return True
        later.add(str(name))
        later.update(node.id for node in gast.walk(value) if isinstance(node, gast.Name))
    return False


def _augmented(b: Builder, node: Any) -> None:
    prim = "i" + SYNTAX[type(node.op).__name__].rstrip("_")
    target, line = node.target, node.lineno
    if isinstance(target, gast.Name):
        old = b.guarded(b.read(target.id, line), (node.value,), line)
        value = b.operand(node.value)
        name = b.direct(target)
        b.bind(target.id, b.prim(prim, (old, value), line, name), line)
    elif isinstance(target, gast.Attribute):
        o = b.guarded(b.operand(target.value), (node.value,), line)
        old = b.prim("getattr", (o, Const(target.attr)), line)
        new = b.prim(prim, (old, b.operand(node.value)), line)
        b.effect("setattr", (o, Const(target.attr), new), line)
    else:
        o, index = b.operands((target.value, target.slice))
        o, index = (b.guarded(part, (node.value,), line) for part in (o, index))
        old = b.prim("getitem", (o, index), line)
        new = b.prim(prim, (old, b.operand(node.value)), line)
        b.effect("setitem", (o, index, new), line)


def _annotated(b: Builder, node: Any) -> None:
    """Annotations of locals are not evaluated by Python either, those in a class body are."""
    target, line = node.target, node.lineno
    if node.value is not None:
        node.targets = [target]
        _assign(b, node)
    elif not isinstance(target, gast.Name):
        b.discard(target.value)
    innermost = b.scopes[-1] if b.scopes else None
    if not isinstance(innermost, ClassNames):
        return
    value = annotation(b, node.annotation)
    if isinstance(target, gast.Name) and node.simple:
        noted = b.read("__annotations__", line)
        b.effect("setitem", (noted, Const(target.id), value), line)


def _delete(b: Builder, node: Any) -> None:
    for target in node.targets:
        _forget(b, target, node.lineno)


def _forget(b: Builder, target: Any, line: int) -> None:
    if isinstance(target, gast.Name):
        b.forget(target.id, line)
    elif isinstance(target, gast.Attribute):
        b.effect("delattr", (b.operand(target.value), Const(target.attr)), line)
    elif isinstance(target, gast.Subscript):
        b.effect("delitem", b.operands((target.value, target.slice)), line)
    else:
        for part in target.elts:
            _forget(b, part, line)


def _expression(b: Builder, node: Any) -> None:
    if not isinstance(node.value, gast.Constant):
        b.discard(node.value)


# --- import inside a function


def _import(b: Builder, node: Any) -> None:
    for alias in node.names:
        first, *inner = alias.name.split(".")
        name, line = alias.asname or first, node.lineno
        direct = b.direct(gast.Name(name, gast.Store(), None, None))
        args = (Const(alias.name), Const(None), Const(0))
        parts = inner if alias.asname else []
        value = b.prim("import", args, line, None if parts else direct)
        for index, part in enumerate(parts):
            last = index + 1 == len(parts)
            value = b.prim("import_from", (value, Const(part)), line, direct if last else None)
        b.bind(name, value, line)


def _import_from(b: Builder, node: Any) -> None:
    names = tuple(alias.name for alias in node.names)
    args = (Const(node.module or ""), Const(names), Const(node.level or 0))
    module = b.prim("import", args, node.lineno)
    for alias in node.names:
        name = alias.asname or alias.name
        direct = b.direct(gast.Name(name, gast.Store(), None, None))
        value = b.prim("import_from", (module, Const(alias.name)), node.lineno, direct)
        b.bind(name, value, node.lineno)


STATEMENTS: StatementTable = {
    "Assign": _assign,
    "AugAssign": _augmented,
    "AnnAssign": _annotated,
    "Delete": _delete,
    "Expr": _expression,
    "Import": _import,
    "ImportFrom": _import_from,
}
