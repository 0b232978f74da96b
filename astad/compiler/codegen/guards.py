"""The guard at the head of a variant tests the arguments' kinds and the user's globals."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from astad.compiler.codegen.bindings import Bindings
from astad.compiler.codegen.class_guards import HOOKS, class_tests
from astad.compiler.codegen.container_guards import container_guard, leave_unless
from astad.compiler.ir.kinds import Kind, Listing, Row
from astad.compiler.ir.nodes import Opened

__all__ = ["guard", "recheck"]

Names = Callable[[str], ast.expr]
"""Gives the globals of a module, of the user's own for an empty name."""
KINDS = "astad.runtime.guarded"


def guard(
    params: Mapping[str, Kind],
    opened: Sequence[Opened],
    paths: Sequence[str],
    native: Sequence[str],
    data: Mapping[str, Kind],
    classes: Mapping[str, tuple[type, Sequence[str]]],
    apart: Sequence[tuple[str, str]],
    bindings: Bindings,
    *,
    fused: bool,
) -> list[ast.stmt]:
    """``if not (type(x) is float and live.math.sin is sin): return NotImplemented``.

    ``opened`` are the containers, of which ``params`` has no parts; ``native`` those of ``paths``
    that are builtins, ``data`` paths of the user's globals of which the kind matters, ``classes``
    by path those whose instances hold the attributes named, ``apart`` pairs of arrays, names or
    such paths, that must not share memory. Only the cotangents of a ``fused`` function go by place,
    not by object.
    """
    live = bindings.live_globals
    tests: list[ast.expr] = []
    for name, kind in params.items():
        tests += _tests(ast.Name(name, ast.Load()), kind, bindings)
    for path, kind in data.items():
        tests += _tests(_live(path, live), kind, bindings)
    separate: list[ast.expr] = []
    for pair in apart:
        arrays = [_live(x, live) if x in data else ast.Name(x, ast.Load()) for x in pair]
        are_apart = ast.Name(bindings.name("object", f"{KINDS}:are_apart", "are_apart"), ast.Load())
        separate.append(ast.Call(are_apart, arrays, []))
    tests += [_stands(path, bindings, live) for path in paths]
    tests += _builtins_stand(paths, native, bindings)
    for path, (cls, names) in classes.items():
        tests += class_tests(cls, path, (*names, *HOOKS, "__new__"), bindings)
    if not opened:
        return leave_unless([*tests, *separate])
    others = [name for name, kind in params.items() if kind.tag == "ndarray"] if fused else None
    parts = container_guard(opened, bindings, _tests, others)
    return leave_unless(tests) + parts + leave_unless(separate)


def recheck(paths: Sequence[str], bindings: Bindings, line: int) -> ast.stmt:
    """``if not g.half is half: rebound('half')``."""
    named = dict.fromkeys(path.partition(".__")[0] for path in paths)
    refuse = ast.Name(bindings.name("object", f"{KINDS}:rebound", "rebound"), ast.Load())
    call = ast.Expr(ast.Call(refuse, [ast.Constant(path) for path in named], []), lineno=line)
    tests = [
        _stands(
            path,
            bindings,
            bindings.live_globals if path in bindings.native else bindings.user_globals,
        )
        for path in paths
    ]
    return _unless(tests, call, line)


def _unless(tests: Sequence[ast.expr], then: ast.stmt, line: int) -> ast.stmt:
    whole = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), list(tests))
    return ast.If(ast.UnaryOp(ast.Not(), whole), [then], [], lineno=line)


def _stands(path: str, bindings: Bindings, names: Names) -> ast.expr:
    """Does the path stand for what it stood for when the text was loaded?"""
    wish = (
        re.sub(r"\.__(code|defaults|kwdefaults|mro)__$", r"_\1", path)
        .rpartition(":")[2]
        .rpartition(".")[2]
    )
    may_change = path.endswith(".__kwdefaults__")
    known = ast.Name(bindings.name("copy" if may_change else "path", path, wish), ast.Load())
    return ast.Compare(_live(path, names), [ast.Eq() if may_change else ast.Is()], [known])


def _builtins_stand(
    paths: Sequence[str], native: Sequence[str], bindings: Bindings
) -> Iterator[ast.expr]:
    """Tests that builtins are what they were.

    What a `Live` has under their names are the originals, and the text does not bind their own
    names: under these it finds what Python would. So the tests of the paths are enough, but for
    those that have another name in the text.
    """
    for path in native:
        name = path.rpartition(":")[2]
        known = bindings.name("path", path, name)
        if known != name:
            module = ast.Name(bindings.name("module", "builtins", "builtins"), ast.Load())
            now = ast.Attribute(module, name, ast.Load())
            yield ast.Compare(now, [ast.Is()], [ast.Name(known, ast.Load())])
        elif path not in paths:
            yield _stands(path, bindings, bindings.live_globals)


def _live(path: str, names: Names) -> ast.expr:
    """What the path stands for now."""
    module, _, words = path.rpartition(":")
    live = names(module)
    for part in words.split("."):
        live = ast.Attribute(live, part, ast.Load())
    return live


def _tests(value: ast.expr, kind: Kind, bindings: Bindings) -> list[ast.expr]:
    def known(word: str, home: str = KINDS) -> ast.expr:
        return ast.Name(bindings.name("object", f"{home}:{word}", word), ast.Load())

    its_type = ast.Call(known("type", "builtins"), [value], [])
    if kind.tag in ("float", "int", "bool"):
        return [ast.Compare(its_type, [ast.Is()], [known(kind.tag, "builtins")])]
    if kind.tag == "real":
        return [ast.Compare(its_type, [ast.In()], [known("REALS")])]
    if kind.tag == "inert":
        return [ast.Compare(its_type, [ast.In()], [known("INERT_TYPES")])]
    if isinstance(kind, Listing):
        is_form = ast.Compare(its_type, [ast.Is()], [known(_form(kind), "builtins")])
        if isinstance(kind.item, Listing):
            return [is_form, _test_of_rows(value, kind.item, bindings)]
        types = TYPES.get(kind.item.tag, "NUMBERS")
        found = ast.Call(known("map", "builtins"), [known("type", "builtins"), value], [])
        covers = ast.Attribute(known(types), "issuperset", ast.Load())  # 18 ns an item
        return [is_form, ast.Call(covers, [found], [])]
    word = {"ndarray": "float64", "ints": "int64", "counts": "int64", "bools": "bool_"}.get(
        kind.tag
    )
    if word is None:
        return []
    dtype = known(word)
    tests: list[ast.expr] = [
        ast.Compare(its_type, [ast.Is()], [known("ndarray")]),
        ast.Compare(ast.Attribute(value, "dtype", ast.Load()), [ast.Is()], [dtype]),
    ]
    rank = ast.Attribute(value, "ndim", ast.Load())
    if kind.rank is not None:
        tests.append(ast.Compare(rank, [ast.Eq()], [ast.Constant(kind.rank)]))
    return tests


TYPES = {"float": "FLOATS", "int": "INTS"}


def _form(kind: Listing) -> str:
    return "list" if kind.tag == "listed" else "tuple"


def _test_of_rows(value: ast.expr, row: Listing, bindings: Bindings) -> ast.expr:
    """``are_rows(A, (list,), FLOATS, True)``: what carries a derivative has each row once."""

    def known(word: str, home: str) -> ast.expr:
        return ast.Name(bindings.name("object", f"{home}:{word}", word), ast.Load())

    forms: list[ast.expr] = []
    item: Kind = row
    while isinstance(item, Listing):
        forms.append(known(_form(item), "builtins"))
        row, item = item, item.item
    types = known(TYPES.get(item.tag, "NUMBERS"), KINDS)
    is_active = isinstance(value, ast.Name) and value.id not in bindings.inactive
    distinct = ast.Constant(is_active)
    args = [value, ast.Tuple(forms, ast.Load()), types, distinct]
    if isinstance(row, Row):
        parts: list[ast.expr] = [known(part.tag, "builtins") for part in row.parts]
        args.append(ast.Tuple(parts, ast.Load()))
    return ast.Call(known("are_rows", KINDS), args, [])
