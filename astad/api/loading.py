"""From a function and kinds to functions that run: out of the disk cache where possible, else by the compiler.

Nothing of the compiler is imported unless something is compiled.
"""

from __future__ import annotations

import builtins
import importlib
import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from astad.importing import disk
from astad.importing.entry import Entry, relocate
from astad.importing.inner_code import inner_codes
from astad.importing.key import digest_of_code, entry_key
from astad.rules.custom import CUSTOM

__all__ = ["Loaded", "load_or_compile"]

NOTHING = object()


@dataclass(slots=True)
class Loaded:
    """A variant ready to run; ``lines`` maps lines of the generated file to the user's, as absolute numbers."""

    functions: tuple[Callable[..., Any], ...]
    local_result: bool
    reaches: tuple[bool, ...]
    guarded: bool
    file: str
    source: str
    lines: dict[int, int]
    user_file: str


def load_or_compile(fn: FunctionType, kinds: Sequence[str], wanted: Sequence[bool], *, fused: bool) -> Loaded:
    """The variant of a function for these kinds of arguments."""
    options = repr((tuple(kinds), tuple(wanted), fused, bool(fn.__closure__)))
    key = entry_key(fn.__code__, options)
    entry = disk.load(key) if key else None
    if entry is None or not _holds(entry, fn):
        entry = _compile(fn, kinds, wanted, fused)
        if key:
            disk.store(key, entry)
    return _bind(entry, fn, kinds, fused)


def _compile(fn: FunctionType, kinds: Sequence[str], wanted: Sequence[bool], fused: bool) -> Entry:
    from astad.compiler.analysis.kinds import parse_kind      # late: a warm process never imports the compiler
    from astad.compiler.codegen.build import to_code
    from astad.compiler.pipeline import compile_function

    parsed = [parse_kind(kind) for kind in kinds]
    generic = all(kind == "unknown" for kind in kinds)
    made = compile_function(fn, parsed, wanted, fused=fused, generic=generic)
    under_user = made.text.names if made.form == "fused" else made.text.names[:1]
    code = to_code(made.text, under_user)
    bindings: list[Any] = [[name, kind, what] for name, (kind, what) in sorted(made.bound.items())]
    facts = [list(made.text.names), made.local_result, list(made.reaches), made.shadows, bool(made.guarded)]
    assumptions = [[path, _identity(_find(path, fn.__globals__))] for path in made.guarded]
    return Entry(made.text.source, list(made.text.lines), code, [facts, *bindings], assumptions)


def _holds(entry: Entry, fn: FunctionType) -> bool:
    """Does every name still stand for what it stood for when the text was written?"""
    return all(_identity(_find(path, fn.__globals__)) == known for path, known in entry.assumptions)


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


def _bind(entry: Entry, fn: FunctionType, kinds: Sequence[str], fused: bool) -> Loaded:
    """Define the generated functions in a module of their own."""
    facts, *bindings = entry.bindings
    names, local_result, reaches, _, guarded = facts
    file = f"<astad {fn.__module__}.{fn.__qualname__}({', '.join(kinds)})>"
    space: dict[str, Any] = {"__name__": fn.__module__, "__builtins__": builtins}
    for name, kind, what in bindings:
        space[name] = _bound(kind, what, fn)
    code = entry.code if entry.code is not None else _recompiled(entry, names, fused)
    first = fn.__code__.co_firstlineno
    homes = {"<user>": (fn.__code__.co_filename, first - 1), "<generated>": (file, 0)}
    relocated = relocate(code, homes)
    functions = tuple(_function(part, space, fn) for part in relocated.co_consts if isinstance(part, CodeType))
    lines = {made: user + first - 1 for made, user in entry.lines if user}
    linecache.cache[file] = (len(entry.text), None, entry.text.splitlines(keepends=True), file)
    return Loaded(
        functions, local_result, tuple(reaches), guarded, file, entry.text, lines, fn.__code__.co_filename
    )


def _function(code: CodeType, space: dict[str, Any], fn: FunctionType) -> FunctionType:
    made = FunctionType(code, space, code.co_name)
    made.__module__ = fn.__module__
    return made


def _recompiled(entry: Entry, names: Sequence[str], fused: bool) -> CodeType:
    from astad.compiler.codegen.build import Text, to_code      # late: only where Python's bytecode has changed

    del fused
    under_user = names if len(names) == 1 else names[:1]
    return to_code(Text(entry.text, tuple(entry.lines), tuple(names)), under_user)


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
        fits = [c for c in inner_codes(fn.__code__) if c.co_name == name and c.co_firstlineno == first]
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
        setattr(_Namespace, _name, staticmethod(_value) if isinstance(_value, FunctionType) else _value)


def namespace_of(space: dict[str, Any]) -> Any:
    """An object whose attributes are the names of a module, live: its ``__dict__`` is the module's own."""
    made = _Namespace()
    made.__dict__ = space
    return made
