"""Recompute in place of keep.

What runs twice has to run in the state of the first time. The forward sweep runs the function as
any other and looks whether it changed anything. If so, what it recorded is kept, as without
checkpoint; else it is let go of, and the reverse sweep records it anew, with its arguments and
captured variables as they were at the call.
"""

from __future__ import annotations

import contextvars
import gc
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from astad.api.memory.surroundings import Surroundings, state_of
from astad.api.memory.watched import are_otherwise
from astad.errors import AstadError, Unsupported
from astad.runtime.calls.custom_calls import total
from astad.runtime.core.budgets import Budget, bytes_of
from astad.runtime.core.full_rules import FOLLOWED, Record, Value, full
from astad.runtime.core.paths_of_records import PATHS, paths_of
from astad.runtime.core.stand_ins import stand_in
from astad.runtime.core.versions import Box, Versions
from astad.runtime.cotangents.contents import (
    Content,
    contents,
    copied_with,
    is_same,
    parts_of,
)
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import Node, attributes_of, snapshot
from astad.runtime.cotangents.structures import collect
from astad.runtime.dispatch import call, pull
from astad.runtime.unseen.escapes import escapes
from astad.runtime.unseen.severed import is_apart
from astad.tangents.add import add
from astad.tangents.zero import has_identity

__all__ = ["RunApart", "checkpoint"]


class checkpoint:
    """``checkpoint(f)`` computes what ``f`` does and keeps only its arguments: the reverse sweep
    runs it again.

    Where a second run would not be as the first, all is kept as without it: where ``f`` writes to
    its arguments, to captured or global variables, draws random numbers, or takes from an iterator.

    ``checkpoint(f, memory="100 MB")`` runs ``f`` once, and keeps at most that of its loops: see
    `astad.memory`. Each call has the whole budget.

    Parameters
    ----------
    f : callable
        Any function.
    memory : str or int, optional
        Bytes, or a number with a unit: "100 MB" means 100 * 10**6 bytes, "100 MiB" 100 * 2**20.

    Raises
    ------
    TypeError : if ``f`` cannot be called, or ``memory`` is no amount.

    Examples
    --------
    >>> import math, astad
    >>> astad.gradient(astad.checkpoint(math.sin), 1.0)
    (0.5403023058681398,)
    >>> def power(x, n):
    ...     y = 1.0
    ...     for _ in range(n):
    ...         y = y * x
    ...     return y
    >>> astad.grad(astad.checkpoint(power, memory="1 MB"))(1.5, 2)
    3.0
    """

    def __init__(self, f: Callable[..., Any], *, memory: str | int | None = None) -> None:
        if not callable(f):
            raise TypeError(f"{type(f).__name__!r} object is not callable")
        self.f = f
        self.memory = None if memory is None else bytes_of(memory)

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        return self.f(*args, **keywords)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a decorator of a method."""
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__", "__wrapped__"):
            return self.f if name == "__wrapped__" else getattr(self.f, name)
        raise AttributeError(f"'checkpoint' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"checkpoint({self.f!r})"


class _FirstRun:
    """The call as it was: its function and operands, and the arrays in them."""

    def __init__(
        self, versions: Versions, f: Any, args: tuple[Value, ...], keywords: dict[str, Value]
    ) -> None:
        self.name = f"checkpoint({getattr(f, '__qualname__', repr(f))})"
        self.stand_ins = versions.stand_ins
        self.facts, self.departed = versions.facts(), versions.departed.as_now()
        self.count = len(args)
        self.words = tuple(keywords)
        self.entries = [snapshot(value) for value in (f, *args, *keywords.values())]
        self.nodes: dict[int, Node] = {}
        self.boxes: dict[int, Box] = {}
        self.leaves: list[Value] = []
        for part in _all_of(self.entries):
            if type(part) is Node:
                self.nodes[id(part.value)] = part
            elif issubclass(type(part), np.ndarray):
                self.boxes[id(part)] = versions.keep(part)
            else:
                self.leaves.append(part)

    def again(self) -> _Again:
        """The function and the operands as they were: themselves, if they still are that."""
        return _Again(self)


class _Again:
    """What the second run is given: where something was changed since, a copy as it was.

    Attributes
    ----------
    values : list
        The function and its operands.
    """

    def __init__(self, first: _FirstRun) -> None:
        self._first = first
        self._made: dict[int, Value] = {}
        self._copies: list[tuple[Value, Value]] = []
        self.values = [self._as_it_was(entry) for entry in first.entries]

    def _as_it_was(self, part: Value) -> Value:
        if type(part) is Node:
            value = part.value
            if id(value) not in self._made:
                self._made[id(value)] = value  # where it holds itself
                self._made[id(value)] = self._container(part)
            return self._made[id(value)]
        box = self._first.boxes.get(id(part))
        if box is None or box[0] is part:
            return part
        if id(part) not in self._made:
            self._made[id(part)] = box[0]
            self._copies.append((part, box[0]))
        return box[0]

    def _container(self, node: Node) -> Value:
        value = node.value
        if type(value) is MethodType:
            mine = self._as_it_was(self._first.nodes.get(id(value.__self__), value.__self__))
            return value if mine is value.__self__ else MethodType(value.__func__, mine)
        keys = range(len(node.parts)) if node.kind == "sequence" else node.parts
        children = zip(keys, node.children(), strict=True)
        parts = {key: self._as_it_was(child) for key, child in children}
        now = parts_of(value)
        if parts.keys() == now.keys() and all(is_same(parts[key], now[key]) for key in parts):
            return value
        made = copied_with(value, parts, self._first.name)
        self._copies.append((node, made))
        return made

    def versions(self) -> Versions:
        """The table of the second run, to which each copy is what it stands in for."""
        made = Versions()
        made.is_additional = True
        made.learn(self._first.facts)
        made.departed = self._first.departed
        made.stand_ins = dict(self._first.stand_ins)
        for part, copy in self._copies:
            stand_in(made, copy, part.value if type(part) is Node else part)
        return made

    def deliver(self, shadows: Shadows) -> None:
        """What came to the copies goes to what they stand in for."""
        for part, made in self._copies:
            if type(part) is not Node:
                shadows.add(part, shadows.take(made))
            elif part.kind == "sequence":
                for at in range(len(part.parts)):
                    shadows.slot_add(part.value, at, shadows.slot_take(made, at))
            elif part.kind == "object":
                for name, (store, key, _) in attributes_of(made).items():
                    shadows.key_add(*part.stores[name], shadows.key_take(store, key))
            else:
                for key in part.parts:
                    shadows.key_add(part.value, key, shadows.key_take(made, key))


def _all_of(entries: Sequence[Value]) -> list[Value]:
    """All nodes and leaves of snapshots, methods' objects included."""
    found: list[Value] = []
    seen: set[int] = set()
    made: dict[int, Node] = {}  # an object may hold its own methods
    waiting = list(entries)
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        found.append(part)
        if type(part) is Node:
            made.setdefault(id(part.value), part)
            waiting += part.children()
            if type(part.value) is MethodType:
                waiting.append(snapshot(part.value.__self__, made))
    return found


@full(checkpoint.__call__)
def checkpoint_forward(
    versions: Versions, self: checkpoint, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """Run it, and keep what it recorded only where it must not run again."""
    if self.memory is not None:
        return _within(versions, self.memory, self.f, args, keywords)
    ran = RunApart(versions, self.f, args, keywords)
    y, record = ran.made
    if record is None or not ran.is_apart:
        return _recorded(y, record)
    seen = contents((y,)) if has_identity(y) else y
    paths = paths_of(record, len(args) + len(keywords))
    return y, (pull_checkpoint, snapshot(y), seen, ran.first, ran.around, paths)


def _within(
    versions: Versions, size: int, f: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """Run it under a budget of its own."""
    around, versions.budget = versions.budget, Budget(size)
    try:
        y, record = call(versions, f, *args, **keywords)
    finally:
        versions.budget = around
    return _recorded(y, record)


class RunApart:
    """A call that is recorded by itself.

    Attributes
    ----------
    made : list
        The result and the record.
    is_apart : bool
        Whether it changed nothing and left nothing behind but its result, which is made of numbers,
        arrays and containers of them. Else its record is one of the sweep around.
    may_run_again : bool
        The same, but that the result may be an argument, or share memory with one.
    has_written : bool
        Whether it has changed what it was given or read: then a second run is another.
    first : _FirstRun
    around : Surroundings
    """

    def __init__(
        self, versions: Versions, f: Any, args: tuple[Value, ...], keywords: dict[str, Value]
    ) -> None:
        self.is_apart = self.may_run_again = self.has_written = False
        if versions.catching:  # what it had done before it raised counts too
            self.made = list(call(versions, f, *args, **keywords))
            return
        self.first = first = _FirstRun(versions, f, args, keywords)
        self.around = around = Surroundings(
            [f, *first.leaves, *(node.value for node in first.nodes.values())]
        )
        before = state_of((f, *args, *keywords.values()))
        chance = around.chance()
        known = _known(before, around)
        self.inner = inner = versions.nested()
        try:
            self.made = made = list(call(inner, f, *args, **keywords))
        finally:
            inner.leave()
        if made[1] is None:
            return
        given = (*first.entries, *map(snapshot, around.values()))
        self.has_written = are_otherwise(before, around, chance)
        self.may_run_again = not (
            around.draws
            or self.has_written
            or not _is_plain(made[0])
            or escapes([made, inner.files()], known)
        )
        self.is_apart = self.may_run_again and is_apart(made[0], given)
        if not self.is_apart:
            inner.join()


def _known(before: list[Content], around: Surroundings) -> set[int]:
    """Ids of all that was there before and of which a write is seen otherwise."""
    known: dict[int, Value] = {}
    # a context that nobody has changed shares its contents with copies of it
    contents = gc.get_referents(contextvars.copy_context())
    waiting = [*(value for value, _ in before), *around.known(), *contents]
    while waiting:
        each = waiting.pop()
        if id(each) in known or not has_identity(each):
            continue
        known[id(each)] = each
        if issubclass(type(each), np.ndarray):
            waiting.append(each.base)
        elif type(each) is MethodType:
            waiting.append(each.__self__)
        elif not issubclass(type(each), (list, tuple, deque, dict, set, frozenset)):
            waiting += [store for store, _, _ in attributes_of(each).values()]
    return set(known)


def _is_plain(y: Value) -> bool:
    """Is the result made of numbers, arrays and containers of them? Then all that it holds is
    found in it.
    """
    waiting, seen = [snapshot(y)], set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if type(part) is not Node:
            numbers = issubclass(type(part), np.ndarray) and part.dtype.kind in "biufc"
            if issubclass(type(part), type) or (has_identity(part) and not numbers):
                return False
            continue
        if not _is_plain_container(part):
            return False
        waiting += part.children()
    return True


def _is_plain_container(node: Node) -> bool:
    kind = type(node.value)
    if node.kind == "object":
        return not issubclass(kind, (BaseException, FunctionType, MethodType, partial))
    return node.kind != "set" and not (kind not in _PLAIN and attributes_of(node.value))


_PLAIN = frozenset({list, tuple, dict, deque, OrderedDict})


def _recorded(y: Value, record: Record) -> tuple[Value, Record]:
    return y, None if record is None else (pull_recorded, record)


def pull_recorded(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Value:
    """As without checkpoint."""
    parts = record[0](shadows, y_bar, *record[1:])
    return None if parts is None else [None, *parts]


def pull_checkpoint(
    shadows: Shadows,
    y_bar: Value,
    entry: Value,
    seen: Value,
    first: _FirstRun,
    around: Any,
    paths: Sequence[bool],
) -> Value:
    """Run it again, as it was, and go back."""
    y = entry.value if type(entry) is Node else entry
    if type(entry) is Node:
        y_bar = add(y_bar, collect(shadows, y, entry, None, False, once=True))
    elif has_identity(y):
        y_bar = total(shadows, y, y_bar)
    if y_bar is None:
        return None
    _refuse_changes(first, around)
    used = first.again()
    f, *operands = used.values
    words = dict(zip(first.words, operands[first.count :], strict=True))
    try:
        again, record = call(used.versions(), f, *operands[: first.count], **words)
    except AstadError:
        raise
    except Exception as error:
        raise _other_run(first, f"raised {type(error).__name__}") from error
    if not _agree(seen, again):
        raise _other_run(first, "gave another result")
    if has_identity(again):
        shadows.add(again, y_bar)
        y_bar = None
    parts = pull(shadows, record, y_bar, len(operands))
    used.deliver(shadows)
    return [None, *parts]


PATHS[pull_recorded] = lambda record, count: [True, *paths_of(record[1], count - 1)]
PATHS[pull_checkpoint] = lambda record, count: [True, *record[-1]]


def _agree(seen: Value, again: Value) -> bool:
    """Is the result what it was?"""
    if type(seen) is not list:
        return type(seen) is type(again) and bool(seen == again or seen != seen)
    now = contents((again,))
    return len(seen) == len(now) and all(map(_agree_in_part, seen, now))


def _agree_in_part(before: Content, now: Content) -> bool:
    value, content = before
    if issubclass(type(value), np.ndarray):
        return issubclass(type(now[0]), np.ndarray) and content == now[1]
    if type(value) is not type(now[0]) or content.keys() != now[1].keys():
        return False
    pairs = [(content[key], now[1][key]) for key in content]
    return all(has_identity(a) or is_same(a, b) or a != a for a, b in pairs)


def _refuse_changes(first: _FirstRun, around: Surroundings) -> None:
    name = around.changed()
    if name:
        raise Unsupported(
            first.name, f"{name}, which it reads, was changed after the call",
            why="the reverse sweep runs it again, and would find another value",
            instead="hand it over as an argument, or do without checkpoint",
        )  # fmt: skip


def _other_run(first: _FirstRun, what: str) -> Unsupported:
    return Unsupported(
        first.name, f"the run in the reverse sweep {what}",
        why="it reads a state that has changed since the call",
        instead="hand all over as arguments that it reads, or do without checkpoint",
    )  # fmt: skip


# --- in recorded runs


def _made_in_run(run: Any, own: checkpoint, f: Any, *, memory: str | int | None = None) -> None:
    checkpoint.__init__(own, f, memory=memory)


def _read_in_run(run: Any, own: checkpoint, instance: Any, owner: type | None = None) -> Any:
    return own if instance is None else run.recording.fresh(MethodType(own, instance))


def _called_in_run(run: Any, own: checkpoint, /, *args: Any, **keywords: Any) -> Any:
    """As the function itself where a derivative of a derivative is asked for, whose text keeps what
    it needs. A gradient by a straight text would keep all, which is not what was asked for.
    """
    if not run.is_nested:
        run.recording.refuse("a checkpoint, of which a straight text would keep all")
    return run.call(run.attribute(own, "f"), *args, **keywords)


FOLLOWED[id(checkpoint.__init__)] = _made_in_run
FOLLOWED[id(checkpoint.__get__)] = _read_in_run
FOLLOWED[id(checkpoint.__call__)] = _called_in_run
