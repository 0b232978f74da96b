"""From a function and kinds to functions that run: out of the disk cache where possible, else by the compiler.

Nothing of the compiler is imported unless something is compiled.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from astad.api.generated import Loaded, Place, module_of
from astad.importing import disk
from astad.importing.entry import Entry
from astad.importing.inner_code import inner_codes
from astad.importing.key import digest_of_code, entry_key
from astad.importing.texts import remembered
from astad.rules.custom import CUSTOM

__all__ = ["Loaded", "compile_ahead", "load_or_compile"]

NOTHING = object()


def load_or_compile(
    fn: FunctionType, kinds: Sequence[str], wanted: Sequence[bool], *, fused: bool
) -> Loaded:
    """The variant of a function for these kinds of arguments."""
    return _bind(_entry(fn, kinds, wanted, fused), fn, kinds)


def compile_ahead(fn: FunctionType, count: int) -> None:
    """Put the generic pair of a function of ``count`` parameters into the disk cache, unless it is there."""
    if disk.is_writing():
        _entry(fn, ("unknown",) * count, (True,) * count, False)


def _entry(fn: FunctionType, kinds: Sequence[str], wanted: Sequence[bool], fused: bool) -> Entry:
    options = repr((tuple(kinds), tuple(wanted), fused, bool(fn.__closure__)))
    key = entry_key(fn.__code__, options)
    entry = disk.load(key) if key else None
    if entry is None or not _holds(entry, fn):
        entry = _compile(fn, kinds, wanted, fused)
        if key:
            disk.store(key, entry)
    return entry


def _compile(fn: FunctionType, kinds: Sequence[str], wanted: Sequence[bool], fused: bool) -> Entry:
    from astad.compiler.analysis.kinds import (
        parse_kind,
    )  # late: a warm process never imports the compiler
    from astad.compiler.codegen.build import to_code
    from astad.compiler.frontend.locate import remember_source
    from astad.compiler.pipeline import compile_function

    read = remembered(fn.__code__.co_filename)
    if read is not None:
        remember_source(fn.__code__.co_filename, read)
    parsed = [parse_kind(kind) for kind in kinds]
    generic = all(kind == "unknown" for kind in kinds)
    made = compile_function(fn, parsed, wanted, fused=fused, generic=generic)
    text = made.text
    code = to_code(text, text.names if made.form == "fused" else text.names[:1])
    bindings: list[Any] = [[name, kind, what] for name, (kind, what) in sorted(made.bound.items())]
    spots = [[*spot[:3], [list(callee) for callee in spot.callees]] for spot in text.spots]
    facts = [
        list(text.names),
        made.local_result,
        list(made.reaches),
        bool(made.guarded),
        made.form,
        spots,
    ]
    chains = sorted({(path,) for path in made.guarded} | set(made.relied_on))
    assumptions = [[list(chain), _identity(_follow(chain, fn))] for chain in chains]
    return Entry(text.source, list(text.lines), code, [facts, *bindings], assumptions)


def _holds(entry: Entry, fn: FunctionType) -> bool:
    """Does every name still stand for what it stood for when the text was written?"""
    return all(_identity(_follow(chain, fn)) == known for chain, known in entry.assumptions)


def _follow(chain: Sequence[str], fn: FunctionType) -> Any:
    """What a path stands for in a function's globals, or a path in those of the function found there, and so on."""
    found: Any = fn
    for path in chain:
        found = _find(path, found.__globals__) if isinstance(found, FunctionType) else NOTHING
    return found


def _find(path: str, namespace: Mapping[str, Any]) -> Any:
    head, *rest = path.split(".")
    found = namespace.get(head, getattr(builtins, head, NOTHING))
    for name in rest:
        found = getattr(found, name, NOTHING)
    return found


def _identity(found: Any) -> str:
    """What an object is, said so that another process says the same: a function by its code and those it may call."""
    if id(found) in CUSTOM:
        return "custom"
    if isinstance(found, FunctionType):
        return f"function {found.__module__} {found.__qualname__} {digest_of_code(found.__code__)}"
    if isinstance(found, ModuleType):
        return f"module {found.__name__}"
    if isinstance(found, bool | int | float | complex | str):
        return f"{type(found).__name__} {found!r}"
    if isinstance(found, BuiltinFunctionType | type):
        return f"{type(found).__name__} {found.__module__}.{found.__qualname__}"
    name = getattr(found, "__name__", "")
    return f"{type(found).__name__} {name}" if name else "nothing"


def _bind(entry: Entry, fn: FunctionType, kinds: Sequence[str]) -> Loaded:
    """The functions of an entry, in a module of their own."""
    facts, *bindings = entry.bindings
    names, local_result, reaches, guarded, form, spots = facts
    space = {name: _bound(kind, what, fn) for name, kind, what in bindings}
    places = tuple(_place(spot, fn) for spot in spots)
    loaded = Loaded(
        (),
        local_result,
        tuple(reaches),
        guarded,
        "",
        entry.text,
        places,
        fn.__code__,
        fn.__globals__,
    )
    code = entry.code if entry.code is not None else _recompiled(entry, names, form, spots)
    module_of(
        fn,
        entry.text,
        code,
        f"{fn.__module__}.{fn.__qualname__}({', '.join(kinds)})",
        space,
        loaded,
    )
    return loaded


def _place(spot: Sequence[Any], fn: FunctionType) -> Place:
    """A spot of the text in the user's program as it now is; callees that are gone are left out."""
    line, user, is_reverse, callees = spot
    found = [(fn.__code__, user + fn.__code__.co_firstlineno - 1)] if user else []
    for path, inner in callees:
        callee = _find(path, fn.__globals__)
        if isinstance(callee, FunctionType):
            found.append((callee.__code__, inner + callee.__code__.co_firstlineno))
    return Place(line, is_reverse, tuple(found))


def _recompiled(entry: Entry, names: Sequence[str], form: str, spots: Sequence[Any]) -> CodeType:
    from astad.compiler.codegen.build import (
        Spot,
        Text,
        to_code,
    )  # late: only where Python's bytecode has changed

    text = Text(entry.text, tuple(entry.lines), tuple(names), tuple(Spot(*spot) for spot in spots))
    return to_code(text, names if form == "fused" else names[:1])


def _bound(kind: str, what: str, fn: FunctionType) -> Any:
    if kind == "user":
        return namespace_of(fn.__globals__)
    if kind == "path":
        return _find(what, fn.__globals__)
    if kind == "inner":
        return _InnerFunction(fn, what)
    if kind == "module":
        return importlib.import_module(what)
    module, _, name = what.partition(":")
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


class _InnerFunction:
    """Makes the inner functions of a function as Python does: the user's code and globals, the cells given."""

    __slots__ = ("code", "globals", "qualname")

    def __init__(self, fn: FunctionType, what: str) -> None:
        name, line, number = what.rsplit(" ", 2)
        first = fn.__code__.co_firstlineno + int(line)
        fits = [
            c for c in inner_codes(fn.__code__) if c.co_name == name and c.co_firstlineno == first
        ]
        self.code = fits[int(number)]
        self.globals = fn.__globals__

    def __call__(self, *cells: Any, defaults: Any = None, kwdefaults: Any = None) -> FunctionType:
        made = FunctionType(self.code, self.globals, None, defaults, cells or None)
        made.__kwdefaults__ = kwdefaults
        made.__qualname__ = self.code.co_qualname
        return made


class _Namespace:
    """A module's live globals, then builtins, as attributes."""

    def __getattr__(self, name: str) -> Any:
        raise NameError(f"name {name!r} is not defined", name=name)


for _name, _value in vars(builtins).items():
    if not _name.startswith("__") or _name in ("__import__", "__build_class__"):
        setattr(
            _Namespace, _name, staticmethod(_value) if isinstance(_value, FunctionType) else _value
        )


def namespace_of(space: dict[str, Any]) -> Any:
    """An object whose attributes are the names of a module, live: its ``__dict__`` is the module's own."""
    made = _Namespace()
    made.__dict__ = space
    return made
