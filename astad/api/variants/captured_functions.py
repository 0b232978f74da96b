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
from astad.tangents.zero import BY_VALUE

__all__ = ["Apart", "functions_of", "taken_apart"]

DEEPEST = 4
"""Functions captured by functions that are captured; the compiler writes out as many."""

MOST = 64
"""Sets of captured functions of one function; the last ones are kept."""


class Apart(NamedTuple):
    """A function, what it has captured, and for each of these where its cotangent belongs: an
    object and a key. Of a function among them there is None, and behind all are its parts.
    """

    fn: FunctionType
    captured: tuple[Any, ...]
    holders: list[tuple[Any, Any]]


def taken_apart(fn: FunctionType, captured: tuple[Any, ...]) -> Apart:
    """The function as one of the parts of those that it has captured."""
    cells = fn.__closure__ or ()
    operands = _Operands(captured, [(cell, CELL) for cell in cells])
    names = fn.__code__.co_freevars
    try:
        found = {
            name: made
            for name, value in zip(names, captured, strict=True)
            if (made := _found(fn, value, f"={name}", operands)) is not None
        }
    except _TooDeep:
        return Apart(fn, captured, operands.holders[: len(cells)])
    if not found:
        return Apart(fn, captured, operands.holders[: len(cells)])
    return Apart(_standing_for(fn, found), tuple(operands.values), operands.holders)


class _Operands:
    """What a function has captured, and behind it the parts of the functions there; each variable,
    and each object that is no number, is one of them.
    """

    def __init__(self, values: tuple[Any, ...], holders: list[tuple[Any, Any]]) -> None:
        self.values: list[Any] = list(values)
        self.holders = holders

    def place(self, cell: CellType, content: Any) -> int | None:
        """Of a variable, where it is one of them; else it is from now on."""
        for at, (value, (holder, _)) in enumerate(zip(self.values, self.holders, strict=True)):
            if holder is cell or (value is content and type(content) not in BY_VALUE):
                return at
        self.add(content, cell, CELL)
        return None

    def add(self, value: Any, holder: Any, key: Any) -> None:
        self.values.append(value)
        self.holders.append((holder, key))


class _TooDeep(Exception):
    """Functions have captured functions without end, or further than any text goes."""


class _Found(NamedTuple):
    """A captured function, and what tells it from others."""

    held: HeldFunction
    key: tuple[Any, ...]


def _found(
    fn: FunctionType, value: Any, path: str, operands: _Operands, depth: int = 1
) -> _Found | None:
    """Its parts are operands, and None stands in its own place."""
    if type(value) is not FunctionType or not _may_be_opened(fn, value):
        return None
    if depth > DEEPEST:
        raise _TooDeep
    contents = contents_of(value.__closure__) if value.__closure__ else ()
    if contents is None:
        return None
    if depth == 1:
        operands.values[:] = [None if each is value else each for each in operands.values]
    parts: list[HeldFunction | int | None] = []
    keys: list[Any] = []
    cells = value.__closure__ or ()
    for name, cell, content in zip(value.__code__.co_freevars, cells, contents, strict=True):
        inner = _found(fn, content, f"{path}.{name}", operands, depth + 1)
        part = operands.place(cell, content) if inner is None else inner.held
        parts.append(part)
        keys.append(part if inner is None else inner.key)
    defaults = value.__defaults__ or ()
    for at, each in enumerate(defaults):
        operands.add(each, defaults, at)
    held = HeldFunction(path, value, tuple(parts), len(defaults))
    return _Found(held, (id(value.__code__), id(value.__globals__), len(defaults), *keys))


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
        if len(known) >= MOST:
            known.clear()
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
    parts = tuple(
        [_emptied(part) if isinstance(part, HeldFunction) else part for part in held.parts]
    )
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
