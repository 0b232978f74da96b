"""Compiled code without rule or source, run under watch; and modules that carry no derivative.

What compiled code without a rule was given: as it was before the call, and whether it is still.

>>> xs = [1.0, 2.0]
>>> old = contents(xs)
>>> xs.reverse()
>>> is_changed(xs, old)
True
"""

from __future__ import annotations

import functools
import sys
from array import array
from collections import deque
from collections.abc import Callable
from types import (
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, TypeAlias

import numpy as np

from astad.errors import RuleError, Unsupported
from astad.runtime.calls.draw_sizes import without_sizes
from astad.runtime.calls.drawn_entries import entry_draw, permuted_into
from astad.runtime.calls.shuffles import draw_into, is_shuffle, shuffle
from astad.runtime.calls.smooth_draws import smooth_draw
from astad.runtime.core.compiled_code import is_foreign, kept_by, note_given, reasons
from astad.runtime.core.full_rules import (
    Record,
    Value,
    flows,
    lookup_in_class,
    opaque,
    swallowed,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.foreign import check
from astad.runtime.cotangents.owners import aliases_any
from astad.runtime.cotangents.shadows import Shadows, may_hold
from astad.runtime.cotangents.snapshots import Node
from astad.runtime.iteration.drawn import drawn_operands, pull_drawn, what_was_drawn
from astad.runtime.operations.class_attributes import BOUND
from astad.runtime.operations.native_hooks import registered, run_noting
from astad.runtime.text.texts import (
    come_in,
    follow,
    is_of_arrays,
    is_text,
    is_window,
    look_in,
    may_give,
)
from astad.runtime.unseen.chances import is_source_of_chance
from astad.runtime.unseen.filled_buffers import (
    arrays_in,
    counts_in,
    filled,
    fills_counts,
    is_of_ints,
    may_fill,
)
from astad.runtime.unseen.foreign_iterators import came_from, holds_no_number
from astad.runtime.unseen.unrecorded import as_it_is
from astad.runtime.unseen.writing_code import writers_behind
from astad.tangents.arrays import project
from astad.tangents.objects import Tangent
from astad.tangents.unasked import as_it_lies, callable_name, items_of, pairs_of
from astad.tangents.zero import has_identity

__all__ = [
    "INERT_MODULES", "contents", "deliver_structure", "in_own_type", "is_changeable", "is_changed",
    "run_watched",
]  # fmt: skip

INERT_MODULES = frozenset({
    "abc", "bdb", "datetime", "enum", "glob", "importlib", "inspect", "io", "json", "linecache",
    "locale", "logging", "ntpath", "os", "pathlib", "pdb", "platform", "posixpath", "pprint", "re",
    "reprlib", "string", "sys", "tempfile", "textwrap", "threading", "time", "traceback", "typing",
    "warnings",
})  # fmt: skip
"""Modules whose functions carry no derivative: they run as they are."""


# --- compiled code without a rule


def run_watched(
    versions: Versions, fn: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """Run it, and follow what it makes of text and which numbers it is given."""
    if versions.written:
        versions.settle()
    drawn, args, keywords = drawn_operands(versions, fn, args, keywords)
    y, record = _run_watched(versions, fn, args, keywords)
    if drawn:
        args, keywords = what_was_drawn(args, keywords)
    record = _followed(versions, fn, y, record, args, keywords)
    if issubclass(type(y), np.ndarray) and y.base is not None and is_window(y):
        record = look_in(versions, y, record, (*args, *keywords.values()))
    return y, (pull_drawn, record, drawn) if drawn else record


def _followed(
    versions: Versions,
    fn: Any,
    y: Value,
    record: Record,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Record:
    if is_of_arrays(fn) and not is_text(y):
        return record
    owner = getattr(fn, "__self__", None)
    is_function = owner is None or issubclass(type(owner), (ModuleType, type))
    is_method = not is_function or (type(fn) is MethodDescriptorType and len(args) > 0)
    keeps = is_method or y is None or (has_identity(y) and type(y) not in _CONTAINERS)
    if is_source_of_chance(y) or (
        is_method and is_source_of_chance(args[0] if is_function else owner)
    ):
        keeps = False  # what is drawn is no number that went in as a seed
    if not (keeps or versions.departed or is_text(y)):
        return record
    if y is None and is_method and may_give(args):
        holder = args[0] if is_function else owner
        record = come_in(versions, holder, record, args)
    if is_function:
        return follow(versions, fn, y, record, args, keywords, keeps=keeps)
    record = None if record is None else (pull_with_first, record)
    record = follow(versions, fn, y, record, (owner, *args), keywords, keeps=keeps)
    return None if record is None else (pull_without_owner, record)


_CONTAINERS = frozenset([np.ndarray, list, tuple, dict, set, frozenset])


def _run_watched(
    versions: Versions, fn: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """Run it; an error now if it wrote into what it was given, later if its derivative is asked
    for.
    """
    if args and is_source_of_chance(args[0]) and _is_method_of(fn, type(args[0])):
        y, record = run_watched(versions, getattr(args[0], fn.__name__), args[1:], keywords)
        return y, None if record is None else (pull_with_first, record)
    owner = fn if _has_compiled_call(fn) else getattr(fn, "__self__", None)
    if owner is not None and is_source_of_chance(owner):
        drawn = _drawn(versions, fn, args, keywords, owner)
        if drawn is not None:
            return drawn
    owners = () if owner is None or issubclass(type(owner), (ModuleType, type)) else (owner,)
    everything = (*args, *keywords.values(), *owners)
    given = tuple(v for v in everything if not is_source_of_chance(v))
    arrays = arrays_in(given)
    kept = kept_by(versions.made_of, given) if versions.made_of else ()
    watched = {id(value): value for value in (*given, *arrays, *kept) if is_changeable(value)}
    before = [(value, contents(value)) for value in watched.values()]
    others = [(v, v.copy()) for v in counts_in(given)] if arrays or fills_counts(fn) else []
    for value in (*given, *arrays):
        versions.writing(value)
    free = _gives_constants(versions, fn, args, keywords)
    y, refusing = _run(versions, fn, args, keywords, owner)
    if is_foreign(fn):
        handed = (*args, *keywords.values())
        note_given(versions.made_of, [v for v in handed if flows(v) or has_identity(v)])
    name = name_of(fn)
    changed = [value for value, old in before if is_changed(value, old)]
    if changed:
        why, instead = reasons(fn) or (
            "it is compiled code without a derivative rule",
            "give it a rule with astad.adjoint, or do the writing in Python",
        )
        error = Unsupported(name, "a call that writes into its argument", why=why, instead=instead)
        if not {id(a) for a in arrays}.issuperset(map(id, changed)):
            raise error
    if not any(flows(value) or has_identity(value) for value in given):
        return y, None
    record = refusing(came_from(versions, y) if free else _record_of(fn, y, args, keywords, owners))
    if changed:
        written = arrays if may_fill(fn, y, arrays) else changed
        return y, filled(name, written, (*args, *keywords.values()), owner, record, error)
    counted = [value for value, old in others if is_changed(value, old)]
    if counted:  # that is what it wrote
        ints = tuple(v if is_of_ints(v) else None for v in (*args, *keywords.values()))
        return y, filled(name, counted, ints, None, record)
    if arrays and may_fill(fn, y, arrays):
        return y, filled(name, arrays, (*args, *keywords.values()), owner, record)
    return y, record


def _drawn(
    versions: Versions, fn: Any, args: tuple[Value, ...], keywords: dict[str, Value], owner: Any
) -> tuple[Value, Record] | None:
    """A call of a method of a source of chance that has a way back, None for others."""
    if is_shuffle(fn):
        return shuffle(versions, fn, *args, **keywords)
    if issubclass(type(keywords.get("out")), np.ndarray):
        if as_it_lies(fn, "__name__") == "permuted":
            return permuted_into(versions, fn, args, keywords)
        return draw_into(versions, fn, args, keywords)
    draw = smooth_draw(versions, fn, args, keywords) or entry_draw(versions, fn, args, keywords)
    if draw is None:
        return None
    y = fn(*args, **keywords)
    return y, draw.back(y, _record_of(fn, y, args, keywords, (owner,)))


def _gives_constants(
    versions: Versions, fn: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> bool:
    """Is it a method that is asked for what an object has which can hold no number of the
    program's, as a cursor for a row?
    """
    owner, given = getattr(fn, "__self__", None), (*args, *keywords.values())
    if type(fn) is MethodDescriptorType and args:
        owner, given = args[0], given[1:]
    if owner is None or issubclass(type(owner), (ModuleType, type)) or is_source_of_chance(owner):
        return False
    plain = not versions.made_of and all(v is None or is_text(v) for v in given)
    return plain and holds_no_number(owner)


def _run(
    versions: Versions, fn: Any, args: tuple[Value, ...], keywords: dict[str, Value], owner: Any
) -> tuple[Value, Callable[[Record], Record]]:
    """A method of an object that may hold functions of the program, as a parser holds its
    handlers, runs them.
    """
    run = functools.partial(_called, fn, args, keywords)
    given = (*args, *keywords.values())
    if type(fn) is MethodDescriptorType and args:
        owner = args[0]
    elif owner is None and type(fn).__module__ != "builtins":
        owner = fn  # an object that is called, as one of ctypes that calls back
    holds = owner is not None and may_hold(type(owner)) and not is_source_of_chance(owner)
    if issubclass(type(owner), (ModuleType, type, np.ndarray)):
        holds = False
    if getattr(fn, "__name__", "") == "__init__":  # nothing is in it, and C may not look there yet
        given = (None, *given[1:])
    beside = (owner,) if holds else ()
    if not holds and not any(issubclass(type(v), (FunctionType, MethodType)) for v in given):
        writers = writers_behind((*given, *registered(fn)))
        if not writers and not versions.installed:
            return run(), as_it_is
        beside = (*beside, *writers)
    return run_noting(versions, name_of(fn), run, given, beside)


def _called(fn: Any, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    try:
        return fn(*args, **keywords)
    except BufferError:
        raise Unsupported(
            name_of(fn),
            "a change of the size of a buffer",
            why="arrays show its memory, and are held until the derivative is there",
            instead="copy what is looked at, as by np.array(buffer), or make a new buffer",
        ) from None


def name_of(fn: Any) -> str:
    """What an error calls it; a function of ctypes has no more than a name, and of a private one
    the user knows the public one that called it.
    """
    own = as_it_lies(fn, "__name__") if type(fn).__module__ == "ctypes" else None
    name = str(own or as_it_lies(fn, "__qualname__") or repr(fn))
    return _public_caller() or name if name.startswith("_") else name


def _public_caller() -> str:
    """The function of a library that the program called, where it is one of those that run now."""
    frame: FrameType | None = sys._getframe(1)
    found, library = "", ""
    while frame is not None:
        if "__astad__" in frame.f_globals:
            home = str(frame.f_globals.get("__name__"))
            library = library or home.partition(".")[0]
            if library not in _LIBRARIES or home.partition(".")[0] != library:
                break
            home = "np" + home.removeprefix("numpy") if library == "numpy" else home
            found = f"{home}.{frame.f_code.co_name}"
        frame = frame.f_back
    return found


_LIBRARIES = ("numpy", "scipy")


def _record_of(
    fn: Any,
    y: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    owners: tuple[Value, ...],
) -> Record:
    """Of a result that compiled code gave, which wrote nothing."""
    name = name_of(fn)
    everything = (*args, *keywords.values(), *owners)
    given = tuple(v for v in everything if not is_source_of_chance(v))
    owner = owners[0] if owners else None
    if issubclass(type(y), np.ndarray) and aliases_any(y, given):
        return None  # a view: it has its part of the shadow
    if y is None:
        operands = (*args, *keywords.values())
        unbound = type(fn) is MethodDescriptorType and len(args) > 0
        holder = args[0] if unbound else owner
        if holder is None or issubclass(type(holder), (ModuleType, type)):
            return None
        values = {k: v for k, v in enumerate(operands) if v is not holder}
        return swallowed(holder, name, len(operands), values)
    if is_source_of_chance(owner):
        everything = (*without_sizes(fn, args, keywords), owner)
    places = tuple(None if is_source_of_chance(v) else v for v in everything)
    record = opaque(name, y, places, of=fn)
    return record if record is None or not owners else (pull_with_owner, record, fn)


def _has_compiled_call(fn: Any) -> bool:
    """Is it an object of a class that was compiled, as by Cython, with its ``__call__``?"""
    method = lookup_in_class(type(fn), "__call__")
    return type(method) is not WrapperDescriptorType and not issubclass(type(fn), type)


def _is_method_of(fn: Any, cls: type) -> bool:
    return getattr(cls, getattr(fn, "__name__", ""), None) is fn


def pull_with_first(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    """A source of chance, or the object of a method, is an operand without a cotangent."""
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else [None, *parts]


def pull_without_owner(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else parts[1:]


def pull_with_owner(
    shadows: Shadows, y_bar: Value, record: tuple[Value, ...], method: Value
) -> Value:
    """A bound method's own object is no operand of the call; the part of a number waits under the
    method.
    """
    parts = record[0](shadows, y_bar, *record[1:])
    if parts is None:
        return None
    if parts[-1] is not None:
        shadows.key_add(method, BOUND, parts[-1])
    return parts[:-1]


# --- structures handed to and fro by the user's own rules


def deliver_structure(shadows: Shadows, value: Value, part: Value, fn: Any) -> Value:
    """A cotangent that a user's rule returned: to the shadow of what has identity, else back by
    value. ``value`` may be the snapshot of a container.
    """
    if part is None:
        return None
    held, value = value, value.value if type(value) is Node else value
    check(part, value, callable_name(fn))
    if not has_identity(value):
        return part
    if issubclass(type(value), np.ndarray):
        shadows.add(value, project(part, value, callable_name(fn)))
    elif (
        type(part) is type(value)
        and not issubclass(type(part), (dict, list, tuple))
        and hasattr(part, "__dict__")
    ):
        shadows.add(held, Tangent(**vars(part)))
        shadows.own_types[id(value)] = value
    elif issubclass(type(part), (dict, list, tuple, deque)) or hasattr(part, "__dict__"):
        shadows.add(held, part)
    else:
        raise RuleError(
            callable_name(fn),
            "the rule declared with astad.adjoint",
            why=f"its back returned {type(part).__name__} "
            f"for an argument of type {type(value).__name__}",
            instead="return a cotangent of the argument's own structure",
        )
    return None


def in_own_type(shadows: Shadows, value: Value, found: Value) -> Value:
    """The gradient of an object as an object of its class, where a user's rule gave it so."""
    if id(value) not in shadows.own_types or not isinstance(found, Tangent):
        return found
    made = object.__new__(type(value))
    for name in vars(value):
        part = getattr(found, name, None)
        object.__setattr__(made, name, 0 if part is None and flows(getattr(value, name)) else part)
    return made


# --- what was given, before and after -------------------------------------------------------------


Contents: TypeAlias = Any
"""A copy of an array, or the items of a container: mixed by nature."""


def is_changeable(value: Value) -> bool:
    """May a change of this change a derivative?

    Lists of names may change as they like.
    """
    if issubclass(type(value), np.ndarray):
        return value.dtype.kind in "fc"
    if issubclass(type(value), array):
        return value.typecode in "fd"
    if not issubclass(type(value), (list, dict, set, deque)):
        return False
    if issubclass(type(value), dict):
        return any(flows(v) or has_identity(v) for _, v in pairs_of(value))
    return any(flows(v) or has_identity(v) for v in items_of(value))


def contents(value: Value) -> Contents:
    """What is in it now."""
    if issubclass(type(value), (np.ndarray, array)):
        return np.array(value, subok=False)  # a class of the user's may have its own copy()
    if issubclass(type(value), dict):
        return list(pairs_of(value))
    return list(items_of(value))


def is_changed(value: Value, old: Contents) -> bool:
    """Is something else in it than before?"""
    if issubclass(type(value), (np.ndarray, array)):
        return not np.array_equal(np.asarray(value), old, equal_nan=True)
    now = contents(value)
    if len(now) != len(old):
        return True
    if issubclass(type(value), dict):
        return any(a[0] is not b[0] or a[1] is not b[1] for a, b in zip(now, old, strict=True))
    return any(a is not b for a, b in zip(now, old, strict=True))
