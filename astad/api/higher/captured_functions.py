"""Functions that a function has captured, taken apart: what they have captured in turn is among the
operands of the other, so that each number and array there keeps its derivative.

``f`` in ``lambda x: f(x) + by`` is such a function: where it is ``lambda x: slope * x``, the
operands are ``x``, ``by``, None in the place of ``f``, and ``slope``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from astad.api.variants.arguments import contents_of
from astad.api.variants.kinds_of_values import word_of_function
from astad.api.variants.ruled import LIBRARIES, is_ruled
from astad.code_objects import ASYNCHRONOUS, GENERATOR, HeldFunction, writes_own_captured
from astad.rules.in_force import module_named
from astad.runtime.core.variants import variants_of
from astad.runtime.language import CELL

__all__ = ["Apart", "functions_of", "taken_apart"]

DEEPEST = 4
"""Functions captured by functions that are captured; the compiler writes out as many."""


class Apart(NamedTuple):
    """A function, what it has captured, and for each of these where its cotangent belongs: an
    object and a key. Of a function among them there is None, and behind all are its parts.
    """

    fn: FunctionType
    captured: tuple[Any, ...]
    holders: list[tuple[Any, Any]]


def taken_apart(fn: FunctionType, captured: tuple[Any, ...]) -> Apart:
    """The function as one of the parts of those that it has captured."""
    holders = [(cell, CELL) for cell in fn.__closure__ or ()]
    names = fn.__code__.co_freevars
    found = {
        name: made
        for name, value in zip(names, captured, strict=True)
        if (made := _found(fn, value, f"={name}", 1)) is not None
    }
    if not found:
        return Apart(fn, captured, holders)
    values = [None if name in found else value for name, value in zip(names, captured, strict=True)]
    for made in found.values():
        values += made.values
        holders += made.holders
    return Apart(_standing_for(fn, found), tuple(values), holders)


class _Found(NamedTuple):
    """A captured function, its parts with their places, and what tells it from others."""

    held: HeldFunction
    values: list[Any]
    holders: list[tuple[Any, Any]]
    key: tuple[Any, ...]


def _found(fn: FunctionType, value: Any, path: str, depth: int) -> _Found | None:
    if depth > DEEPEST or type(value) is not FunctionType or not _may_be_opened(fn, value):
        return None
    contents = contents_of(value.__closure__) if value.__closure__ else ()
    if contents is None:
        return None
    values: list[Any] = []
    holders: list[tuple[Any, Any]] = []
    parts: list[HeldFunction | None] = []
    keys: list[Any] = []
    code = value.__code__
    for name, cell, content in zip(
        code.co_freevars, value.__closure__ or (), contents, strict=True
    ):
        inner = _found(fn, content, f"{path}.{name}", depth + 1)
        parts.append(inner.held if inner is not None else None)
        keys.append(inner.key if inner is not None else None)
        values += inner.values if inner is not None else [content]
        holders += inner.holders if inner is not None else [(cell, CELL)]
    defaults = value.__defaults__ or ()
    values += defaults
    holders += [(defaults, at) for at in range(len(defaults))]
    held = HeldFunction(path, value, tuple(parts), len(defaults))
    return _Found(held, values, holders, (id(code), id(value.__globals__), len(defaults), *keys))


def _may_be_opened(fn: FunctionType, value: FunctionType) -> bool:
    """Can its text stand in that of another? One that a module has under its name goes by that."""
    if word_of_function(value) != "unknown" or is_ruled(value) or value.__kwdefaults__:
        return False
    name = str(value.__globals__.get("__name__"))
    home = module_named(name)
    is_there = home is not None and vars(home) is value.__globals__
    if value.__globals__ is not fn.__globals__ and not is_there:
        return False
    return name.partition(".")[0] not in LIBRARIES and _is_plain(value.__code__)


_plain: WeakKeyDictionary[CodeType, bool] = WeakKeyDictionary()


def _is_plain(code: CodeType) -> bool:
    found = _plain.get(code)
    if found is None:
        special = code.co_flags & (GENERATOR | ASYNCHRONOUS)
        found = _plain[code] = not special and not writes_own_captured(code)
    return found


def _standing_for(fn: FunctionType, found: Mapping[str, _Found]) -> FunctionType:
    """The same function with a code object of its own, one for functions of these codes."""
    known = variants_of(fn).modules.setdefault(_TAKEN_APART, {})
    key = tuple((name, made.key) for name, made in found.items())
    if key not in known:
        functions = {name: _emptied(made.held) for name, made in found.items()}
        known[key] = fn.__code__.replace(), functions
    code, functions = known[key]
    made = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__qualname__, made.__module__ = fn.__qualname__, fn.__module__
    variants_of(made).modules.setdefault(_FUNCTIONS, functions)
    return made


def _emptied(held: HeldFunction) -> HeldFunction:
    """With nothing in its cells, so that it keeps none of the user's data."""
    parts = tuple([None if part is None else _emptied(part) for part in held.parts])
    code = held.fn.__code__
    cells = tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, held.fn.__globals__, code.co_name, None, cells)
    made.__qualname__ = code.co_qualname
    return HeldFunction(held.path, made, parts, held.defaults)


def functions_of(fn: FunctionType) -> dict[str, HeldFunction]:
    """Those that were taken apart in the place of captured variables, by their names."""
    found: dict[str, HeldFunction] = variants_of(fn).modules.get(_FUNCTIONS, {})
    return found


_TAKEN_APART, _FUNCTIONS = "captured functions are taken apart", "functions that were taken apart"
