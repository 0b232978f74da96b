"""The table of full rules: what the run time does in place of a callable that has no one-line
formula.

A full rule runs the plain operation once and says how to go back::

    @full(list.append)
    def append(versions, l, v):
        n = len(l)
        l.append(v)
        return None, (pull_append, l, n) if flows(v) else None

    def pull_append(shadows, y_bar, l, n):
        return None, shadows.slot_take(l, n)        # one cotangent per operand

The record is None where nothing flows: the result is inert, or it is an operand or has identity of
its own, so that its shadow is found under the object itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, TypeAlias

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.compiled_code import reasons
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import slots_of, stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused
from astad.tangents.unasked import MISSING, as_it_lies, has_in_class, lookup_in_class
from astad.tangents.zero import BY_VALUE, MADE_BY_CLASS, has_identity, is_number

__all__ = [
    "CALLED", "FOLLOWED", "FULL", "INERT", "MISSING", "NUMBERS", "Cotangents", "Forward", "Record",
    "Special", "Value", "callbacks", "descriptor_of", "flows", "full", "has_arrived", "in_order",
    "inert", "is_data_descriptor", "lookup_in_class", "method_of", "name_in_errors", "opaque",
    "pull_by_name", "pull_opaque", "python_method", "raise_in_pythons_words", "swallowed",
]  # fmt: skip

Value: TypeAlias = Any
"""Any object of the user's program, or a cotangent of it: there is nothing narrower to say."""

Record: TypeAlias = tuple[Any, ...] | None
"""``(pull function, *data)``; mixed by nature."""

Cotangents: TypeAlias = Sequence[Any] | None
"""One per operand, positional then keyword; None stands for all None."""

Forward: TypeAlias = Callable[..., tuple[Value, Record]]

FULL: dict[int, Forward] = {}
"""``id(callable)`` to its full rule."""

CALLED: dict[type, Forward] = {}
"""Type of a callable object (``functools.partial``) to ``forward(versions, object, *args,
**keywords)``; the record counts the operands without the object itself."""

FOLLOWED: dict[int, Callable[..., Any]] = {}
"""``id`` of a callable, or of the type of one, to how a recorded run goes through a call of it:
``follow(run, *args, **keywords)``, of a type with the object first."""

INERT: dict[int, Value] = {}
"""``id(callable)`` to the callable: run as it is, no derivative passes through it."""

_held: list[Value] = []
"""An id stays an object's own only while the object lives."""


class _Callbacks:
    """What `dispatch` fills in: how a rule calls a function of the user's, and goes back through
    it."""

    __slots__ = ("call", "pull")
    call: Callable[..., tuple[Value, Record]]
    pull: Callable[..., Cotangents]


callbacks = _Callbacks()


def full(*callables: Value, names: str = "", order: str = "") -> Callable[[Forward], Forward]:
    """Declare the full rule of one or more callables.

    With `names`, those of the parameters in order, the pull functions of the rule return a dict of
    the parameters that have a cotangent, however the call was written. With `order`, the same for
    pull functions that return one cotangent per parameter: keywords are put in this order.
    """

    def register(forward: Forward) -> Forward:
        rule = _by_name(forward, names.split()) if names else forward
        rule = in_order(rule, order) if order else rule
        for fn in callables:
            FULL[id(fn)] = rule
        _held.extend(callables)
        return rule

    return register


def in_order(forward: Forward, order: str) -> Forward:
    names = order.split()

    def forward_in_order(
        versions: Versions, /, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        if not keywords:
            return forward(versions, *args)
        given, rest = [*args], dict(keywords)
        for name in names[len(args) :]:
            if name not in rest:
                break
            given.append(rest.pop(name))
        y, record = forward(versions, *given, **rest)
        if record is None:
            return y, None
        told = (*names[: len(given)], *rest)
        return y, (pull_in_order, record, told, (*names[: len(args)], *keywords))

    return forward_in_order


def pull_in_order(
    shadows: Shadows,
    y_bar: Value,
    record: tuple[Value, ...],
    told: tuple[str, ...],
    asked: tuple[str, ...],
) -> Cotangents:
    """``told``: what the cotangents are for, as the rule gives them; ``asked``: as the call was
    written.
    """
    found = record[0](shadows, y_bar, *record[1:])
    if found is None:
        return None
    parts = dict(zip(told, found, strict=False))
    return [parts.get(name) for name in asked]


def _by_name(forward: Forward, names: list[str]) -> Forward:
    def forward_by_name(
        versions: Versions, /, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        y, record = forward(versions, *args, **keywords)
        if record is None:
            return y, None
        unnamed = [""] * (len(args) - len(names))
        return y, (pull_by_name, (*names[: len(args)], *unnamed, *keywords), record)

    return forward_by_name


def name_in_errors(kind: type) -> str:
    """What Python's own errors call a type: those made in C have their module's name in theirs.

    >>> name_in_errors(np.float64), name_in_errors(float), name_in_errors(Fraction)
    ('numpy.float64', 'float', 'Fraction')
    """
    made_in_c = not kind.__flags__ & MADE_BY_CLASS and kind.__module__ != "builtins"
    return f"{kind.__module__}.{kind.__name__}" if made_in_c else kind.__name__


def raise_in_pythons_words(
    error: TypeError, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> None:
    """Where a rule does not take these operands, the function does not either: raise what Python
    says of it, which names the function.
    """
    frame = error.__traceback__.tb_next if error.__traceback__ is not None else None
    while frame is not None and frame.tb_frame.f_code.co_name in _WRAPPERS:
        frame = frame.tb_next
    if frame is None:
        try:
            fn(*args, **keywords)
        except TypeError as own:
            own.__context__ = error.__context__
            raise


_WRAPPERS = ("forward_by_name", "forward_in_order", "pow_forward", "complex_forward")


def pull_by_name(
    shadows: Shadows, y_bar: Value, order: tuple[str, ...], record: tuple[Value, ...]
) -> Cotangents:
    found = record[0](shadows, y_bar, *record[1:])
    return None if found is None else [found.get(name) for name in order]


def inert(callables: Iterable[Value]) -> None:
    """Declare callables through which no derivative passes."""
    for fn in callables:
        INERT[id(fn)] = fn


NUMBERS: frozenset[type] = BY_VALUE | {Fraction, Decimal}
"""Types whose cotangent is handed over by value, known at once; bool is not among them."""

_PLAIN: frozenset[type] = frozenset(
    [list, tuple, dict, np.ndarray, str, bool, type(None), FunctionType]
)


def flows(value: Value) -> bool:
    """Whether this value's cotangent is by value and may be other than None.

    >>> [flows(v) for v in (1.0, 2, np.float32(1), True, "a", [1.0])]
    [True, True, True, False, False, False]
    """
    kind = type(value)
    return kind in NUMBERS or (kind not in _PLAIN and is_number(value))


def is_data_descriptor(found: Value) -> bool:
    """Whether it goes before the instance's own attributes, which are read where it has no
    ``__get__``.
    """
    kind = type(found)
    sets = has_in_class(kind, "__set__") or has_in_class(kind, "__delete__")
    return sets and has_in_class(kind, "__get__")


def python_method(cls: type, name: str) -> Value:
    """The method of this name if the user (or a library) wrote it in Python, or put something else
    there: one of C that has another name, or an object that Python binds by its ``__get__``.

    >>> class Record(dict):
    ...     __getattr__ = dict.__getitem__
    >>> python_method(Record, "__getattr__") is dict.__getitem__
    True
    >>> python_method(Record, "__getitem__") is None
    True
    """
    return method_of(lookup_in_class(cls, name), name)


def method_of(found: Value, name: str) -> Value:
    """What calls the raw attribute `found` of a class as a method; None if it is Python's own."""
    kind = type(found)
    if kind is FunctionType:
        return found
    if found is None or kind is ClassMethodDescriptorType or kind.__name__ in _COMPILED:
        return None
    if kind in _METHODS:
        return found if found.__name__ != name else None
    if kind is BuiltinFunctionType and issubclass(type(found.__self__), type):
        return None  # the __new__ of a type of C
    return None if name in _STATIC and kind in (staticmethod, classmethod) else Special(found, name)


class Special:
    """A special method that is no plain function: a cache, a partial method, a descriptor or
    whatever object the class has under its name. A call of it binds it to its first operand.

    >>> class Scaled:
    ...     factor = 3
    ...     __abs__ = property(lambda self: lambda: 2 * self.factor)
    >>> method = python_method(Scaled, "__abs__")
    >>> type(method).__name__, method(Scaled()), method.__qualname__
    ('Special', 6, '__abs__')
    """

    def __init__(self, found: Value, name: str) -> None:
        self.found = found
        self.name = self.__name__ = name
        self.__qualname__ = as_it_lies(found, "__qualname__", name)

    def __call__(self, o: Value, *args: Value, **keywords: Value) -> Value:
        bind = lookup_in_class(type(self.found), "__get__")
        bound = self.found if bind is None else bind(self.found, o, type(o))
        return bound(*args, **keywords)


def descriptor_of(bound: Value) -> tuple[Value, Value]:
    """The descriptor behind a bound method of compiled code, and what it is bound to.

    The one that runs, not the one that its object's class has under that name now:
    ``super().append``.

    >>> descriptor_of([].append)[0] is list.append, descriptor_of(dict.fromkeys)[1] is dict
    (True, True)
    """
    owner, name = bound.__self__, bound.__name__
    kind = type(owner)
    for cls in kind.__mro__:
        raw: Value = cls.__dict__.get(name)
        if type(raw) in _METHODS and raw.__get__(owner, kind) == bound:
            return raw, owner
    for cls in owner.__mro__ if issubclass(type(owner), type) else ():
        raw = cls.__dict__.get(name)
        if raw is bound:  # tuple.__new__
            return raw, None
        if type(raw) is ClassMethodDescriptorType and raw.__get__(None, owner) == bound:
            return raw, owner
    return None, owner


_METHODS = (MethodDescriptorType, WrapperDescriptorType)
_STATIC = ("__new__", "__init_subclass__", "__class_getitem__")
"""Those that Python itself makes static or class methods."""
_COMPILED = ("cython_function_or_method", "fused_cython_function", "instancemethod")
"""Types of the methods that Cython and pybind11 make."""
_NEVER: frozenset[type] = frozenset(
    [bool, str, bytes, type(None), int, type, range, slice, type(NotImplemented), type(...)]
    + [FunctionType, type(len), type(np), np.dtype, np.bool_]
    + [np.dtype(code).type for code in "bhilqBHILQ"]
)  # fmt: skip


def opaque(
    what: str,
    y: Value,
    operands: tuple[Value, ...] | None = None,
    why: str = "",
    instead: str = "",
    *,
    of: Value = None,
) -> Record:
    """Record of a result whose derivative is not known: an error as soon as it is asked for, which
    says why of the callable or descriptor ``of`` where that was compiled.

    Integers, strings, tuples of such and the like pass: a count, a name or a shape that comes out
    of unknown code carries no derivative. The error goes on to the operands, which may be
    constants; where none are given it is raised when a cotangent arrives.
    """
    if type(y) in _NEVER or (type(y) is tuple and all(type(v) in _NEVER for v in y)):
        return None
    why = why or "its derivative is not known to astad"
    instead = (
        instead or "compute it with lists, NumPy or operators, or give a rule with astad.adjoint"
    )
    return (pull_opaque, y, what, why, instead, operands, of)


def pull_opaque(
    shadows: Shadows,
    y_bar: Value,
    y: Value,
    what: str,
    why: str,
    instead: str,
    operands: tuple[Value, ...] | None,
    of: Value = None,
) -> Cotangents:
    if y_bar is None and not has_arrived(shadows, y):
        return None
    why, instead = (None if of is None else reasons(of)) or (why, instead)
    error = Unsupported(what, "a derivative through this", why=why, instead=instead)
    if operands is None:
        raise error
    refused = Refused(error)
    for operand in operands:
        if has_identity(operand):
            shadows.add(operand, refused)
    return [refused if flows(operand) else None for operand in operands]


def swallowed(owner: Value, what: str, n: int, values: dict[int, Value]) -> Record:
    """Record of a call that put `values`, operands of these places among `n`, into an object of
    which the inside is not known.
    """
    kept = {k: v for k, v in values.items() if flows(v) or has_identity(v)}
    if kept and issubclass(type(owner), np.void):
        raise Unsupported(
            "record of a structured array",
            "a write to one of its fields",
            why="it is a view of the array, which has no cotangent",
            instead="use one array of float dtype per field",
        )
    return (pull_swallowed, owner, what, n, kept) if kept else None


def pull_swallowed(
    shadows: Shadows, y_bar: Value, owner: Value, what: str, n: int, values: dict[int, Value]
) -> Cotangents:
    """Where a cotangent has come to what the object gave out, those of the values are refused."""
    if not has_arrived(shadows, owner):
        return None
    error = Unsupported(
        what,
        "a derivative through this",
        why="what the object does with a value is not known to astad",
        instead="keep the values in a list, a dict or a NumPy array",
    )
    refused = Refused(error)
    bars: list[Value] = [None] * n
    for k, v in values.items():
        if flows(v):
            bars[k] = refused
        else:
            shadows.add(v, refused)
    return bars


_OF_THE_PROGRAM = type | FunctionType | ModuleType
"""What is looked at, and not into."""


def has_arrived(shadows: Shadows, *values: Value) -> bool:
    """Whether something lies in the shadow of one of them, or of what they hold."""
    waiting, seen = list(values), set[int]()
    while waiting:
        y = waiting.pop()
        if not has_identity(y) or id(y) in seen:
            continue
        seen.add(id(y))
        if shadows.has(y):
            return True
        cls, own = type(y), stored_in(y)  # of an object, what lies in its attributes
        if issubclass(cls, (list, tuple)):
            waiting += y
        elif issubclass(cls, dict):
            waiting += y.values()
        elif issubclass(cls, np.ndarray) and y.dtype == object:
            waiting += y.ravel().tolist()
        if type(own) is dict and not issubclass(cls, _OF_THE_PROGRAM):
            waiting += own.values()
        waiting += [value for _, value in slots_of(y)]
    return False
