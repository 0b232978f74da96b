"""Containers among the arguments, tested level by level and taken apart at the head.

``params`` of the kind ``{'W': ndarray2, 'b': ndarray1}`` becomes::

    if not (type(params) is dict and tuple(params) == ('W', 'b') and ...):
        return NotImplemented
    params_W, params_b = params.values()
    if not (type(params_W) is ndarray and ... and apart(params_W, params_b)):
        return NotImplemented
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from astad.compiler.codegen.bindings import Bindings
from astad.compiler.codegen.class_guards import tests_of_record
from astad.compiler.ir.containers import RECORDS, Container
from astad.compiler.ir.kinds import Kind, is_array, is_listing, is_literal, value_of
from astad.compiler.ir.nodes import Opened

__all__ = ["container_guard", "leave_unless"]

Tests = Callable[[ast.expr, Kind, Bindings], list[ast.expr]]
"""The tests of a value that is no container."""
HOME = "astad.runtime.guarded"


def leave_unless(tests: Sequence[ast.expr]) -> list[ast.stmt]:
    """``if not (...): return NotImplemented``."""
    if not tests:
        return []
    whole = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), list(tests))
    leave = ast.Return(ast.Name("NotImplemented", ast.Load()), lineno=0)
    return [ast.If(ast.UnaryOp(ast.Not(), whole), [leave], [], lineno=0)]


def container_guard(
    opened: Sequence[Opened], bindings: Bindings, tests: Tests, arrays: Sequence[str] | None
) -> list[ast.stmt]:
    """Statements that test the containers and bind the leaves.

    ``arrays`` are those that come in besides; None where nothing need be apart.
    """
    roots = [_part(one.name, one.kind, iter(one.leaves), bindings, is_root=True) for one in opened]
    level, out = (
        roots,
        [*leave_unless([test for r in roots for test in _tests(r, bindings, tests)])],
    )
    while level:
        for part in level:
            out += _unpacked(part)
        below = [part for upper in level for part in upper.parts]
        pending = [test for part in below for test in _tests(part, bindings, tests)]
        level = [part for part in below if isinstance(part.kind, Container)]
        if not level:
            pending += _apart(roots, opened, arrays, bindings) if arrays is not None else []
        out += leave_unless(pending)
    return out


@dataclass(slots=True)
class _Part:
    """A value that is met on the way down: its name, its kind, its own parts."""

    name: str
    kind: Kind
    parts: list[_Part] = field(default_factory=list)


def _part(
    name: str, kind: Kind, leaves: Iterator[str], bindings: Bindings, *, is_root: bool = False
) -> _Part:
    """Names in the order in which the leaves were named."""
    if not isinstance(kind, Container):
        called = bindings.names.fresh(name) if is_literal(kind) else next(leaves)
        return _Part(called, kind)
    made = _Part(name if is_root else bindings.names.fresh(name), kind)
    for key, below in zip(kind.keys, kind.parts, strict=True):
        wish = f"{name}_{key}" if f"_{key}".isidentifier() else f"{name}_item"
        made.parts.append(_part(wish, below, leaves, bindings))
    return made


def _known(bindings: Bindings, name: str, home: str = HOME) -> ast.expr:
    called = bindings.name("object", f"{home}:{name}", name.rpartition(".")[2])
    return ast.Name(called, ast.Load())


def _call(fn: ast.expr, *args: ast.expr) -> ast.expr:
    return ast.Call(fn, list(args), [])


def _tests(part: _Part, bindings: Bindings, tests: Tests) -> list[ast.expr]:
    kind, value = part.kind, ast.Name(part.name, ast.Load())
    if is_literal(kind):
        return _tests_of_literal(value, value_of(kind), bindings)
    if not isinstance(kind, Container):
        return tests(value, kind, bindings)
    its_type = _call(_known(bindings, "type", "builtins"), value)
    if kind.tag in RECORDS:
        home, _, name = kind.cls.partition(":")
        expected = _known(bindings, name, home)
    else:
        expected = _known(bindings, kind.tag, "builtins")
    found: list[ast.expr] = [ast.Compare(its_type, [ast.Is()], [expected])]
    if kind.tag == "dict":
        return [*found, *_keys(value, kind, bindings)]
    if kind.tag == "object":
        found += tests_of_record(kind.cls, map(str, kind.keys), bindings)
        return [*found, *_keys(ast.Attribute(value, "__dict__", ast.Load()), kind, bindings)]
    if kind.tag == "namedtuple":
        found += tests_of_record(kind.cls, map(str, kind.keys), bindings)
    count = _call(_known(bindings, "len", "builtins"), value)
    return [*found, ast.Compare(count, [ast.Eq()], [ast.Constant(len(kind.keys))])]


def _tests_of_literal(
    value: ast.expr, literal: str | bool | None, bindings: Bindings
) -> list[ast.expr]:
    if not isinstance(literal, str):
        return [ast.Compare(value, [ast.Is()], [ast.Constant(literal)])]
    its_type = _call(_known(bindings, "type", "builtins"), value)
    is_string = ast.Compare(its_type, [ast.Is()], [_known(bindings, "str", "builtins")])
    return [is_string, ast.Compare(value, [ast.Eq()], [ast.Constant(literal)])]


def _keys(store: ast.expr, kind: Container, bindings: Bindings) -> list[ast.expr]:
    """The same keys in the same order, and each of exactly this type: 1 and True are equal."""
    as_tuple, its_type = _known(bindings, "tuple", "builtins"), _known(bindings, "type", "builtins")
    keys = ast.Tuple([ast.Constant(key) for key in kind.keys], ast.Load())
    found: list[ast.expr] = [ast.Compare(_call(as_tuple, store), [ast.Eq()], [keys])]
    if kind.keys:
        names = [_known(bindings, type(key).__name__, "builtins") for key in kind.keys]
        types = _call(as_tuple, _call(_known(bindings, "map", "builtins"), its_type, store))
        found.append(ast.Compare(types, [ast.Eq()], [ast.Tuple(names, ast.Load())]))
    return found


def _unpacked(part: _Part) -> list[ast.stmt]:
    """``params_W, params_b = params.values()``."""
    if not part.parts:
        return []
    value: ast.expr = ast.Name(part.name, ast.Load())
    if part.kind.tag == "object":
        value = ast.Attribute(value, "__dict__", ast.Load())
    if part.kind.tag in ("dict", "object"):
        value = _call(ast.Attribute(value, "values", ast.Load()))
    names: list[ast.expr] = [ast.Name(below.name, ast.Store()) for below in part.parts]
    return [ast.Assign([ast.Tuple(names, ast.Store())], value, None, lineno=0)]


def _apart(
    roots: Sequence[_Part], opened: Sequence[Opened], arrays: Sequence[str], bindings: Bindings
) -> list[ast.expr]:
    """No object comes twice in an argument: what does has the total for its derivative, in both
    places. What objects hold comes in no other argument either.
    """
    groups = [[name for part in root.parts for name in _owners(part)] for root in roots]
    if any(one.has_objects for one in opened):
        groups = [[*(root.name for root in roots), *sum(groups, []), *arrays]]
    return [
        _call(_known(bindings, "apart"), *(ast.Name(name, ast.Load()) for name in names))
        for names in groups
        if len(names) > 1
    ]


def _owners(part: _Part) -> list[str]:
    """Arrays, and containers that are not told apart by their arrays."""
    holds_arrays = any(is_array(below.kind) for below in part.parts)
    alone = is_array(part.kind) or is_listing(part.kind)
    own = [part.name] if alone or (part.parts and not holds_arrays) else []
    return own + [name for below in part.parts for name in _owners(below)]
