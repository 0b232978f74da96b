"""May code of the user's that compiled code runs in passing write something?

That is read off its text: a function that binds an attribute or an item, or calls a method that
may do so, and the functions that it names. An operand may run code that writes if it is such a
function, if its class has such methods, or if it leads to one.

>>> seen = []
>>> class Keeping:
...     __module__ = "shapes"
...     def __init__(self, x):
...         self.x = x
...     def __fspath__(self):
...         seen.append(self.x)
...         return "a"
>>> class Plain:
...     __module__ = "shapes"
...     def __bytes__(self):
...         return b"a"
>>> writes_in(Keeping), writes_in(Plain), may_write(Keeping(1.5)), may_write(Plain())
(True, False, True, False)
>>> len(writers_behind([{"a": (2.0, Keeping(1.5))}, Plain()]))
1
"""

from __future__ import annotations

import dis
import functools
import gc
import itertools
import math
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from astad.code_objects import names_in
from astad.runtime.core.full_rules import Value
from astad.runtime.cotangents.owners import slots_of, stored_in
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.unseen.unrecorded import is_of_program
from astad.tangents.unasked import items_of
from astad.tangents.zero import BY_VALUE, MADE_BY_CLASS, home_of

__all__ = [
    "QUIET", "STANDS_FOR", "may_write", "names_run", "writers_behind", "writes", "writes_in",
]  # fmt: skip

QUIET: frozenset[type] = BY_VALUE | {
    bool, str, bytes, bytearray, type(None), np.bool_, np.ndarray, np.dtype, list, tuple, dict, set,
    frozenset, deque, range, slice, type, FunctionType, BuiltinFunctionType, ModuleType,
    type(Ellipsis),
}  # fmt: skip
"""Types of operands that run no code of the user's where only they themselves are asked."""
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_FLAT = QUIET - {*_CONTAINERS, np.ndarray, type, FunctionType}
_MOST = 1000
"""Objects that are looked at."""
_MOST_FUNCTIONS = 50
_WRITING = frozenset({
    "DELETE_ATTR", "DELETE_SUBSCR", "STORE_ATTR", "STORE_DEREF", "STORE_GLOBAL", "STORE_SLICE",
    "STORE_SUBSCR",
})  # fmt: skip
_WRITERS = frozenset({
    "__setattr__", "__setitem__", "add", "append", "appendleft", "at", "clear", "copyto",
    "difference_update", "discard", "extend", "extendleft", "fill", "heappush", "insert", "insort",
    "intersection_update", "itemset", "partition", "pop", "popitem", "popleft", "put", "put_nowait",
    "remove", "resize", "reverse", "rotate", "send", "set", "setattr", "setdefault", "setfield",
    "shuffle", "sort", "symmetric_difference_update", "update", "write", "writelines",
})  # fmt: skip
"""Names of methods and functions that write."""
_CONSTRUCTING = frozenset({
    "__class_getitem__", "__del__", "__init__", "__init_subclass__", "__new__", "__post_init__",
    "__prepare__", "__set_name__",
})  # fmt: skip
"""Methods that write into an object that nobody has yet, or do not run in passing."""
_in_class: WeakKeyDictionary[type, dict[Any, bool]] = WeakKeyDictionary()


# --- the text


def writes(what: Value, cls: type | None = None) -> bool:
    """May a call of it write, by its own text or that of functions it names? ``cls``: the class
    that it is a method of.
    """
    count = 0
    for fn, home in _run_by(what, cls):
        if type(fn) is BuiltinFunctionType:
            if fn.__name__ in _WRITERS:
                return True
            continue
        count += 1
        if count > _MOST_FUNCTIONS or _writes_itself(fn, home):
            return True
    return False


def names_run(what: Value) -> frozenset[str]:
    """The names in all the functions that a call of it may run.

    >>> def outer(x):
    ...     return inner(x.size)
    >>> outer.__globals__["inner"] = lambda n: n.real
    >>> sorted(names_run(outer))
    ['inner', 'real', 'size']
    """
    found = itertools.islice(_run_by(what, None), _MOST_FUNCTIONS)
    codes = [fn.__code__ for fn, _ in found if type(fn) is FunctionType]
    return frozenset[str]().union(*map(names_in, codes))


def _run_by(what: Value, cls: type | None) -> Iterator[tuple[Any, type | None]]:
    """The functions that a call of it may run, each with its class, and those of compiled code
    that it names.
    """
    waiting: list[tuple[Value, type | None]] = [(what, cls)]
    seen = set[int]()
    while waiting:
        each, own = waiting.pop()
        if type(each) is BuiltinFunctionType:
            yield each, None
        for fn, home in _functions_behind(each, own):
            if id(fn) not in seen:
                seen.add(id(fn))
                yield fn, home
                waiting += _named_in(fn, home)


def _writes_itself(fn: FunctionType, cls: type | None) -> bool:
    stores, names, asked = _text_of(fn.__code__)
    if fn.__name__ == "__init__":  # into an object that nobody has yet
        stores = stores - {"STORE_ATTR"}
    if stores or not _WRITERS.isdisjoint(names):
        return True
    unknown = asked - _reading()
    return any(not _raw(cls, name) for name in unknown)


def _named_in(fn: FunctionType, cls: type | None) -> list[tuple[Value, type | None]]:
    """What the function may call: by its globals, by what it captures, and of its class."""
    names = _text_of(fn.__code__)[1]
    found = [(raw, cls) for name in names for raw in _raw(cls, name)]
    found += [(fn.__globals__[name], None) for name in names if name in fn.__globals__]
    cells = [cell.cell_contents for cell in fn.__closure__ or () if is_full(cell)]
    return found + [(each, None) for each in cells if type(each) not in _FLAT]


def _raw(cls: type | None, name: str) -> list[Value]:
    """The attributes of this name of a class and its bases, as they are."""
    return [] if cls is None else [vars(b)[name] for b in cls.__mro__ if name in vars(b)]


@functools.lru_cache(4096)
def _text_of(code: CodeType) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """How it stores, all the names in it, and those of the methods that it calls."""
    inner = [_text_of(each) for each in code.co_consts if type(each) is CodeType]
    stores = set[str]()
    asked = set[str]()
    for step in dis.get_instructions(code):
        in_place = step.opname == "BINARY_OP" and step.argrepr.endswith("=")
        if in_place or step.opname in _WRITING:
            stores.add(step.opname)
        if step.opname == "LOAD_METHOD" or (step.opname == "LOAD_ATTR" and _calls(step.arg)):
            asked.add(step.argval)
    names = frozenset(code.co_names).union(*[each[1] for each in inner])
    methods = frozenset(asked).union(*[each[2] for each in inner])
    return frozenset(stores).union(*[each[0] for each in inner]), names, methods


def _calls(argument: int | None) -> bool:
    """Since Python 3.12 the lowest bit tells a method that is called from an attribute."""
    return sys.version_info >= (3, 12) and bool((argument or 0) & 1)


@functools.cache
def _reading() -> frozenset[str]:
    """Names of methods and functions of Python's and NumPy's that write nothing."""
    kinds = (
        str, bytes, int, float, complex, list, tuple, dict, set, np.ndarray, np, np.linalg, math,
        property,
    )  # fmt: skip
    return frozenset(name for kind in kinds for name in dir(kind)) - _WRITERS


def _functions_behind(what: Value, cls: type | None) -> list[tuple[FunctionType, type | None]]:
    """The functions that a call of it, or the look-up of such an attribute, runs."""
    kind = type(what)
    if kind is FunctionType:
        inside = vars(what).get("__wrapped__")
        if inside is not None and what.__globals__.get("__name__") in _WRAPPING:
            return _functions_behind(inside, cls)
        return [(what, cls)]
    if kind is MethodType:
        own = what.__self__ if issubclass(type(what.__self__), type) else type(what.__self__)
        return _functions_behind(what.__func__, own)
    if kind in _FLAT or issubclass(kind, _CONTAINERS):
        return []
    if kind in (staticmethod, classmethod):
        return _functions_behind(what.__func__, cls)
    if kind is property:
        return _functions_behind(what.fget, cls)
    if kind in (functools.partial, functools.partialmethod, functools.cached_property):
        return _functions_behind(what.func, cls)
    if issubclass(kind, type):
        return _functions_of(what, "__init__") if is_of_program(what) else []
    inside = getattr(what, "__wrapped__", None) if kind is _CACHE else None
    return _functions_of(kind, "__call__") if inside is None else _functions_behind(inside, cls)


_WRAPPING = ("dataclasses", "functools", "reprlib")
"""Modules of which what wraps a function, as the ``__repr__`` of a dataclass, writes notes of its
own.
"""
_CACHE = type(functools.lru_cache(lambda: None))


def _functions_of(cls: type, name: str) -> list[tuple[FunctionType, type | None]]:
    found = _raw(cls, name)[:1] if cls.__flags__ & MADE_BY_CLASS else []
    return [(each, cls) for each in found if type(each) is FunctionType]


# --- classes and operands


def writes_in(cls: type, names: tuple[str, ...] | None = None) -> bool:
    """May one of these methods of the class write? Of all but those that construct, if None."""
    if not cls.__flags__ & MADE_BY_CLASS:
        return False
    known = _in_class.get(cls)
    if known is None:
        _in_class[cls] = known = {}
    if names not in known:
        known[names] = any(
            writes(raw, cls)
            for base in cls.__mro__
            if base.__flags__ & MADE_BY_CLASS and (names is not None or is_of_program(base))
            for name, raw in list(vars(base).items())
            if (name not in _CONSTRUCTING if names is None else name in names)
        )
    return known[names]


def may_write(value: Value) -> bool:
    """May compiled code that is given this operand, and looks at it alone, run code that writes?"""
    kind = type(value)
    if kind in _FLAT:
        return False
    if kind is GeneratorType:
        return True
    if kind is FunctionType or kind is MethodType or kind is functools.partial:
        return writes(value)
    if issubclass(kind, type):
        return is_of_program(value) and (writes_in(kind) or writes_in(value))
    return writes_in(kind)


def writers_behind(values: Iterable[Value]) -> list[Value]:
    """The operands, and what they lead to, that may run code which writes."""
    waiting = deque(value for value in values if type(value) not in _FLAT)
    seen = dict[int, Value]()
    found: list[Value] = []
    while waiting and len(seen) < _MOST:
        one = waiting.popleft()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if may_write(one):
            found.append(one)
        else:
            waiting += _behind(one)
    return found


STANDS_FOR: dict[type, Callable[[Value], Value]] = {}
"""Classes of astad that stand in iterators for the program's own, and what each stands for."""


def _behind(one: Value) -> Iterable[Value]:
    kind = type(one)
    if issubclass(kind, np.ndarray):
        held: Iterable[Value] = one.ravel().tolist() if one.dtype.kind == "O" else ()
    elif kind in _CONTAINERS:
        held = items_of(one)
        if kind is dict:
            held = [*held, *one.values()]
        if _FLAT.issuperset(map(type, held)):
            return ()
    elif kind in STANDS_FOR:
        held = [STANDS_FOR[kind](one)]
    elif _is_closed(kind):
        return ()
    else:
        held = _held_by(one, kind)
    return [each for each in held if type(each) not in _FLAT]


def _held_by(one: Value, kind: type) -> list[Value]:
    """What an object refers to, its class aside. Lists inside of compiled objects may be half
    filled.
    """
    found = [each for each in gc.get_referents(one) if each is not kind]
    if home_of(kind) in _FILLED:
        return found
    own = [stored_in(one), *(value for _, value in slots_of(one))]
    return own + [each for each in found if type(each) is not list]


_FILLED = ("builtins", "collections", "functools", "itertools", "types")
_CLOSED = (FunctionType, MethodType, CellType, type)


def _is_closed(kind: type) -> bool:
    """What is not looked into: code, and what is of astad."""
    return issubclass(kind, _CLOSED) or home_of(kind).partition(".")[0] == "astad"
