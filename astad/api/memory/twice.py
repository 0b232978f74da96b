"""What may not run twice: a loop that prints, writes files, starts threads or waits for input.

>>> def told(x):
...     print(x)
...     return x
>>> told.__module__ = "model"  # those of libraries are not looked into
>>> outside_of(told).name
'print'
"""

from __future__ import annotations

import dis
import io
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from astad import originals
from astad.code_objects import names_in
from astad.errors import Location, Unsupported
from astad.rules.in_force import TELLS
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.unseen.unrecorded import LIBRARIES
from astad.tangents.zero import home_of

__all__ = ["outside_of", "refuse_what_cannot_run_twice"]

_FUNCTIONS = frozenset(["print", "input", "open", "breakpoint", "exec", "eval"])
_MODULES = frozenset([
    "asyncio", "concurrent", "ctypes", "logging", "multiprocessing", "queue", "shutil", "socket",
    "sqlite3", "subprocess", "tempfile", "threading", "tqdm", "urllib", "warnings", "_thread",
])  # fmt: skip
_TELLING = frozenset(["isderiving", "nestlevel"])
_STREAMS = frozenset(["stdout", "stderr", "stdin", "__stdout__", "__stderr__"])
_WRITING = frozenset(["save", "savez", "savez_compressed", "savetxt", "tofile", "dump"])


class Outside(NamedTuple):
    """A name, and where it is read: in which code, on which line; ``tells``: it tells whether the
    program is being differentiated.
    """

    name: str
    code: CodeType
    line: int
    tells: bool = False


def refuse_what_cannot_run_twice(where: Location, fn: FunctionType, values: Iterable[Any]) -> None:
    """An error where a function, one that it calls, or a method of the values prints or the like.

    Raises
    ------
    Unsupported : with the line of the call.
    """
    found = outside_of(fn, values)
    if found is None:
        return
    at = Location(found.code.co_filename, found.line)
    if found.tells:
        raise Unsupported(
            at, f"{found.name} in a loop, under a memory budget",
            why="the rounds run once plainly, where it tells that nothing is differentiated",
            instead="ask before the loop",
        )  # fmt: skip
    raise Unsupported(
        at,
        f"{found.name} in a loop, under a memory budget",
        why="the reverse sweep runs the rounds of the loop once more, and it would be done twice",
        instead=f"do it behind the loop at line {where.line}, or do without the budget",
    )


def outside_of(fn: FunctionType, values: Iterable[Any] = ()) -> Outside | None:
    """What a function does that is seen from outside, as far as its names tell."""
    waiting: list[Any] = [fn, *values]
    seen: set[int] = set()
    called: set[str] = set()
    kinds: list[type] = []
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if type(each) is MethodType:
            waiting += [each.__func__, each.__self__]
        elif type(each) is FunctionType:
            if home_of_function(each) in LIBRARIES:
                continue
            found = next(_in_code(each, each.__code__), None)
            if found is not None:
                return found
            names = names_in(each.__code__)
            called |= names
            waiting += [each.__globals__[name] for name in names if name in each.__globals__]
            waiting += [cell.cell_contents for cell in each.__closure__ or () if is_full(cell)]
        elif not isinstance(each, (ModuleType, BuiltinFunctionType)):
            kinds.append(each if isinstance(each, type) else type(each))
        if not waiting:
            waiting += _methods(kinds, called)
    return None


def home_of_function(fn: FunctionType) -> str:
    return (fn.__module__ or "").partition(".")[0]


def _methods(kinds: Iterable[type], called: set[str]) -> Iterator[FunctionType]:
    """Of the classes of the user's those methods whose names are read, and operators."""
    for base in {base for kind in kinds for base in kind.__mro__}:
        if home_of(base).partition(".")[0] in LIBRARIES:
            continue
        for name, value in vars(base).items():
            value = getattr(value, "__func__", getattr(value, "fget", value))
            is_operator = name.startswith("__") and name not in ("__repr__", "__str__", "__del__")
            if type(value) is FunctionType and (name in called or is_operator):
                yield value


def _in_code(fn: FunctionType, code: CodeType) -> Iterator[Outside]:
    """What a code object, and those in it, read that is seen from outside."""
    space = fn.__globals__
    for name in code.co_names:
        value = space.get(name, getattr(originals.builtins, name, None))
        if id(value) in TELLS or (name in _TELLING and "astad" in code.co_names):
            yield Outside(name, code, _line_of(name, code), tells=True)
        if _is_seen(name, value, code, space):
            yield Outside(name, code, _line_of(name, code))
    for each in code.co_consts:
        if type(each) is CodeType:
            yield from _in_code(fn, each)


def _is_seen(name: str, value: Any, code: CodeType, space: dict[str, Any]) -> bool:
    if name in _FUNCTIONS and value is getattr(originals.builtins, name, None):
        return True
    if type(value) is ModuleType and value.__name__.partition(".")[0] in _MODULES:
        return True
    if isinstance(value, (io.IOBase, ContextVar)) or home_of(type(value)) in (
        "logging",
        "threading",
        "tqdm",
    ):
        return True
    if name in _STREAMS and space.get("sys") is sys and "sys" in code.co_names:
        return True
    numpy = any(getattr(space.get(each), "__name__", "") == "numpy" for each in code.co_names)
    return name in _WRITING and numpy and name not in space


def _line_of(name: str, code: CodeType) -> int:
    line = code.co_firstlineno
    for each in dis.get_instructions(code):
        line = (each.positions.lineno if each.positions else None) or line
        if each.argval == name:
            return line
    return code.co_firstlineno
