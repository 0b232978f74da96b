"""The guard at the head of a variant tests the arguments' kinds and the user's globals.

Tests that instances of a class still hold their attributes themselves.

A property, a slot or a hook may be put on a class at any time. Each class but ``object`` that an
instance is of has a dict, which is looked into: 20 ns a name.

Containers among the arguments, tested level by level and taken apart at the head.

``params`` of the kind ``{'W': ndarray2, 'b': ndarray1}`` becomes::

    if not (type(params) is dict and tuple(params) == ('W', 'b') and ...):
        return NotImplemented
    params_W, params_b = params.values()
    if not (type(params_W) is ndarray and ... and apart(params_W, params_b)):
        return NotImplemented
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from astad.compiler.codegen.bindings import PLACE, Bindings, live_path
from astad.compiler.ir.containers import ALONE, OF_TUPLES, RECORDS, Container, word_of_key
from astad.compiler.ir.kinds import (
    Kind,
    Listing,
    Row,
    is_array,
    is_listing,
    is_literal,
    path_of_function,
    value_of,
)
from astad.compiler.ir.nodes import Opened
from astad.slotted import dataclass, field
from astad.spelling import Key

__all__ = ["guard", "recheck"]

# --- classes of the user's


HOOKS = ("__getattribute__", "__setattr__")


def tests_of_record(path: str, names: Iterable[str], bindings: Bindings) -> list[ast.expr]:
    """The same of a class by its module and its name there, of which instances come in."""
    module, _, inner = path.partition(":")
    cls: object = sys.modules[module]
    for name in inner.split("."):
        cls = getattr(cls, name)
    assert isinstance(cls, type)
    return class_tests(cls, path, (*names, *HOOKS), bindings)


def class_tests(cls: type, path: str, names: Sequence[str], bindings: Bindings) -> list[ast.expr]:
    """``'x' not in of_Point``; what was there already must be the same object.

    ``path`` is where the class is found: ``module:Point``, or a path of the user's globals. A class
    with bases of the user's may be given others.
    """
    tests: list[ast.expr] = []
    if sum(base not in (object, tuple) for base in cls.__mro__) > 1:
        tests.append(_stands(f"{path}.__mro__", bindings, bindings.live_globals))
    if ALONE in names:
        found = live_path(f"{path}.{ALONE}", bindings.live_globals)
        tests.append(ast.UnaryOp(ast.Not(), ast.Call(found, [], [])))
    names = [name for name in names if name != ALONE]
    for place, base in enumerate(cls.__mro__):
        if base in (object, tuple):
            continue
        held = bindings.name("names", f"{path}#{place}", f"of_{base.__name__}")
        for name in names:
            store = ast.Name(held, ast.Load())
            if name not in vars(base):
                tests.append(ast.Compare(ast.Constant(name), [ast.NotIn()], [store]))
                continue
            wish = f"{base.__name__}_{name.strip('_')}"
            known = bindings.name("held", f"{path}#{place}#{name}", wish)
            found = ast.Subscript(store, ast.Constant(name), ast.Load())
            tests.append(ast.Compare(found, [ast.Is()], [ast.Name(known, ast.Load())]))
    return tests


# --- containers, level by level


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
    told: set[object] = set()
    pending = [test for root in roots for test in _level_tests(root, bindings, tests, told)]
    level, out = roots, leave_unless(pending)
    while level:
        for part in level:
            out += _unpacked(part)
        below = [part for upper in level for part in upper.parts]
        pending = [test for part in below for test in _level_tests(part, bindings, tests, told)]
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
        wish = f"{name}_{word_of_key(key)}"
        made.parts.append(_part(wish, below, leaves, bindings))
    return made


def _known(bindings: Bindings, name: str, home: str = HOME) -> ast.expr:
    called = bindings.name("object", f"{home}:{name}", name.rpartition(".")[2])
    return ast.Name(called, ast.Load())


def _call(fn: ast.expr, *args: ast.expr) -> ast.expr:
    return ast.Call(fn, list(args), [])


def _level_tests(
    part: _Part, bindings: Bindings, tests: Tests, told: set[object]
) -> list[ast.expr]:
    """``told`` has the classes that were tested, with the names that they must not have."""
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
        found += _tests_of_class(kind, kind.keys, bindings, told)
        names = _call(_known(bindings, "tuple", "builtins"), _store(value))
        return [*found, ast.Compare(names, [ast.Eq()], [_literal(kind.keys)])]
    if kind.tag == "namedtuple":
        found += _tests_of_class(kind, (*kind.keys, *OF_TUPLES), bindings, told)
    count = _call(_known(bindings, "len", "builtins"), value)
    return [*found, ast.Compare(count, [ast.Eq()], [ast.Constant(len(kind.keys))])]


def _tests_of_class(
    kind: Container, names: Sequence[Key], bindings: Bindings, told: set[object]
) -> list[ast.expr]:
    if (kind.cls, names) in told:
        return []
    told.add((kind.cls, names))
    return tests_of_record(kind.cls, map(str, names), bindings)


def _tests_of_literal(
    value: ast.expr, literal: str | bool | None, bindings: Bindings
) -> list[ast.expr]:
    if not isinstance(literal, str):
        return [ast.Compare(value, [ast.Is()], [ast.Constant(literal)])]
    its_type = _call(_known(bindings, "type", "builtins"), value)
    is_string = ast.Compare(its_type, [ast.Is()], [_known(bindings, "str", "builtins")])
    return [is_string, ast.Compare(value, [ast.Eq()], [ast.Constant(literal)])]


def _keys(store: ast.expr, kind: Container, bindings: Bindings) -> list[ast.expr]:
    """The same keys in the same order, and each of exactly this type: 1 and True are equal. So are
    (1,) and (True,).
    """
    as_tuple, its_type = _known(bindings, "tuple", "builtins"), _known(bindings, "type", "builtins")
    keys = _literal(kind.keys)
    found: list[ast.expr] = [ast.Compare(_call(as_tuple, store), [ast.Eq()], [keys])]
    if kind.keys:
        types = _call(as_tuple, _call(_known(bindings, "map", "builtins"), its_type, store))
        found.append(ast.Compare(types, [ast.Eq()], [_types(kind.keys, bindings)]))
    inner = _parts(kind.keys)
    if inner:
        types = _call(_known(bindings, "types_in"), store)
        found.append(ast.Compare(types, [ast.Eq()], [_types(inner, bindings)]))
    return found


def _parts(keys: Iterable[Key]) -> list[Key]:
    """Of those that are tuples."""
    found = [part for key in keys if isinstance(key, tuple) for part in key]
    return [*found, *_parts(found)] if found else found


def _literal(key: Key | tuple[Key, ...]) -> ast.expr:
    if isinstance(key, tuple):
        return ast.Tuple([*map(_literal, key)], ast.Load())
    return ast.Constant(key)


def _types(values: Iterable[object], bindings: Bindings) -> ast.expr:
    homes = ["types" if value is None else "builtins" for value in values]
    names = [type(value).__name__ for value in values]
    known = [_known(bindings, name, home) for name, home in zip(names, homes, strict=True)]
    return ast.Tuple(known, ast.Load())


def _store(value: ast.expr) -> ast.expr:
    """The attributes of an object, by name."""
    return ast.Attribute(value, "__dict__", ast.Load())


def _unpacked(part: _Part) -> list[ast.stmt]:
    """``params_W, params_b = params.values()``."""
    if not part.parts:
        return []
    value: ast.expr = ast.Name(part.name, ast.Load())
    if part.kind.tag == "object":
        value = _store(value)
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
    silent: Mapping[str, int],
) -> list[ast.stmt]:
    """``if not (type(x) is float and live.math.sin is sin): return NotImplemented``.

    ``opened`` are the containers, of which ``params`` has no parts; ``native`` those of ``paths``
    that are builtins, ``data`` paths of the user's globals of which the kind matters, ``classes``
    by path those whose instances hold the attributes named, ``apart`` pairs of arrays, names or
    such paths, that must not share memory, ``silent`` loggers by path, which must not write what
    is of this level: a record tells which line of the program has made it. Only the cotangents of a
    ``fused`` function go by place, not by object.
    """
    live = bindings.live_globals
    tests: list[ast.expr] = []
    for name, kind in params.items():
        tests += _tests(ast.Name(name, ast.Load()), kind, bindings)
    for path, kind in data.items():
        tests += _tests(live_path(path, live), kind, bindings)
    separate: list[ast.expr] = []
    for pair in apart:
        arrays = [live_path(x, live) if x in data else ast.Name(x, ast.Load()) for x in pair]
        are_apart = ast.Name(bindings.name("object", f"{KINDS}:are_apart", "are_apart"), ast.Load())
        separate.append(ast.Call(are_apart, arrays, []))
    tested = {f"{path}.{name}" for path, (_, names) in classes.items() for name in names}
    tests += [_stands(path, bindings, live) for path in paths if path not in tested]
    tests += _builtins_stand(paths, native, bindings)
    for path, level in silent.items():
        asked = ast.Attribute(live_path(path, live), "isEnabledFor", ast.Load())
        tests.append(ast.UnaryOp(ast.Not(), ast.Call(asked, [ast.Constant(level)], [])))
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
    words = [f"{path}.__kwdefaults__" for path in named]  # a dict, which anyone may fill
    paths = [*paths, *(path for path in words if path in bindings.assumed)]
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
        PLACE.sub("", re.sub(r"\.__(code|defaults|kwdefaults|mro)__$", r"_\1", path))
        .rpartition(":")[2]
        .rpartition(".")[2]
    )
    may_change = path.endswith(".__kwdefaults__")
    known = ast.Name(bindings.name("copy" if may_change else "path", path, wish), ast.Load())
    return ast.Compare(live_path(path, names), [ast.Eq() if may_change else ast.Is()], [known])


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
        elif path not in paths:  # no program is known: what a builtin holds is not asked for
            yield _stands(path, bindings, bindings.live_globals)


def _tests(value: ast.expr, kind: Kind, bindings: Bindings) -> list[ast.expr]:
    def known(word: str, home: str = KINDS) -> ast.expr:
        return ast.Name(bindings.name("object", f"{home}:{word}", word), ast.Load())

    path = path_of_function(kind)
    if path is not None:
        name = bindings.name("path", path, path.rpartition(":")[2].rpartition(".")[2])
        return [ast.Compare(value, [ast.Is()], [ast.Name(name, ast.Load())])]
    if is_literal(kind):
        return _tests_of_literal(value, value_of(kind), bindings)
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
