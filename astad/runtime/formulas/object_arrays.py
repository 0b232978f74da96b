"""Functions of arrays of objects that are no numbers: the operator of each element, or refused.

NumPy calls the operators of the elements in compiled code, outside of what is recorded. Here they
are called one by one; where it is not known what a function does with its elements, a derivative
through the new objects in its result is refused.

>>> a = np.array([1.0], object)
>>> steps_for(np.multiply, (a, 2.0))
>>> a[0] = np.ones(2)
>>> steps_for(np.multiply, (a, 2.0))
(<function by_element at ...>, <built-in function mul>)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from astad.errors import Unsupported
from astad.rules.formula import Rule
from astad.rules.numpy.object_elements import (
    OPERATORS,
    accumulated,
    as_lists,
    as_object,
    by_element,
    by_methods,
    copied,
    into_array,
    into_elements,
    joined,
    reduced,
)
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, has_arrived
from astad.runtime.core.listings import deliver, holds_numbers
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import with_elements
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import MADE_BY_CLASS, has_identity, is_number

__all__ = [
    "apply_steps",
    "holds_objects",
    "in_place",
    "is_left_to_elements",
    "is_one_object",
    "is_sequence",
    "may_make_objects",
    "not_for_objects",
    "refuse_new_objects",
    "steps_for",
    "write_steps",
]

_REDUCING = {
    np.sum: operator.add, np.ndarray.sum: operator.add,
    np.prod: operator.mul, np.ndarray.prod: operator.mul,
}  # fmt: skip
_ACCUMULATING = {
    np.cumsum: operator.add, np.ndarray.cumsum: operator.add,
    np.cumprod: operator.mul, np.ndarray.cumprod: operator.mul,
}  # fmt: skip
_MOVING = {np.ndarray.tolist: as_lists, np.ndarray.copy: copied, np.copy: copied}
_JOINING = frozenset({np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack})


def holds_objects(a: Value) -> bool:
    """Whether it is an array with elements that are no plain numbers."""
    return issubclass(type(a), np.ndarray) and a.dtype.kind == "O" and not holds_numbers(a)


def steps_for(fn: Value, args: Sequence[Value]) -> tuple[Value, ...] | None:
    """The Python to go through for a call on arrays of objects, and its first arguments."""
    for a in args:
        kind = type(a)
        if kind is np.ndarray:
            if a.dtype.kind == "O" and not holds_numbers(a):
                return _known_steps(fn, args)
        elif kind.__flags__ & MADE_BY_CLASS and isinstance(fn, np.ufunc) and is_one_object(a):
            return _known_steps(fn, args)
    return None


def is_one_object(a: Value) -> bool:
    """Whether NumPy takes it as one object, and its methods for operators: it has no number for it,
    and makes no array of it.

    >>> from fractions import Fraction
    >>> [is_one_object(a) for a in (1.5, Fraction(1, 2), True, [1.5], range(3), {1.5}, None)]
    [False, False, False, False, False, True, True]
    """
    return _is_asked(a) and not _has_items(a)


def is_sequence(a: Value) -> bool:
    """Whether NumPy makes an array of the items that it hands out, as of those of a list.

    >>> from collections import UserList, deque
    >>> [is_sequence(a) for a in (deque([1.5]), UserList([1.5]), [1.5], {0: 1.5}, memoryview(b"a"))]
    [True, True, False, False, False]
    """
    return _is_asked(a) and _has_items(a) and not _has_buffer(a)


def _is_asked(a: Value) -> bool:
    cls = type(a)
    if is_number(a) or issubclass(cls, (np.ndarray, np.generic, list, tuple, str, bytes, bool)):
        return False
    return not any(has_in_class(cls, name) for name in _PROTOCOLS)


def _has_items(a: Value) -> bool:
    """Items by index and a length, which a sparse array refuses to tell; a dtype has names."""
    cls = type(a)
    if issubclass(cls, (dict, np.dtype)) or not has_in_class(cls, "__getitem__"):
        return False
    try:
        len(a)
    except TypeError:
        return False
    return True


def _has_buffer(a: Value) -> bool:
    try:
        memoryview(a)
    except TypeError:
        return False
    return True


_PROTOCOLS = (
    "__array_ufunc__", "__array__", "__array_interface__", "__array_struct__", "__buffer__",
)  # fmt: skip


def is_left_to_elements(fn: Value, b: Value) -> bool:
    """Whether an operator of an array and this object is that of the array's elements and the
    object."""
    return fn in OPERATORS and is_one_object(b) and not has_in_class(type(b), "__array_priority__")


def _known_steps(fn: Value, args: Sequence[Value]) -> tuple[Value, ...] | None:
    if fn in _JOINING:
        return (joined, fn) if holds_objects(args[0]) else None
    if fn is np.ndarray.item:
        return (as_object,)
    if fn in _MOVING:
        return (_MOVING[fn],) if len(args) == 1 else None
    func = OPERATORS.get(fn)
    if func is not None:
        known = not isinstance(fn, np.ufunc) or len(args) == fn.nin
        return (by_element, func) if known else None
    if fn in _REDUCING or fn in _ACCUMULATING:
        if len(args) != 1 or args[0].ndim != 1 or not args[0].size:
            return None
        return (reduced, _REDUCING[fn]) if fn in _REDUCING else (accumulated, _ACCUMULATING[fn])
    if isinstance(fn, np.ufunc) and fn.nin == fn.nout == len(args) == 1 and "O->O" in fn.types:
        return (by_methods, fn.__name__)
    return None


def apply_steps(
    versions: Versions, steps: tuple[Value, ...], args: Sequence[Value]
) -> tuple[Value, Record]:
    """The call by the operators of the elements, each by its own rule or from its source."""
    y, record = callbacks.call(versions, *steps, *args)
    return y, None if record is None else (pull_steps, record, len(steps) - 1, len(args))


def pull_steps(shadows: Shadows, y_bar: Value, record: Record, first: int, n: int) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, first + n)
    return None if parts is None else parts[first:]


def in_place(versions: Versions, func: Value, a: Value, b: Value) -> tuple[Value, Record]:
    """``a += b`` where elements are objects."""
    _, record = callbacks.call(versions, into_elements, func, a, b)
    return a, None if record is None else (pull_steps, record, 1, 2)


def write_steps(
    versions: Versions, fn: Value, out: Value, args: Sequence[Value]
) -> tuple[Value, Record]:
    """``np.add(a, b, out=out)`` into an array of objects."""
    func = OPERATORS.get(fn)
    steps: tuple[Value, ...] | None = (by_element, func)
    if func is None or not isinstance(fn, np.ufunc) or fn.nin != len(args):
        steps = steps_for(fn, args)
    if steps is None or steps[0] is not by_element:
        raise not_for_objects(f"out= in a call of {getattr(fn, '__name__', fn)}")
    _, record = callbacks.call(versions, into_array, out, *steps[1:], *args)
    return out, None if record is None else (pull_written, record, len(args))


def pull_written(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 2 + n)
    return None if parts is None else [*parts[2:], None]


def not_for_objects(what: str) -> Unsupported:
    """The error for a call that writes into an array of objects."""
    return Unsupported(
        what,
        "an array of objects is written to",
        why="the operators of its elements are called in compiled code",
        instead="assign the elements in a loop, or use an array of floats",
    )


def may_make_objects(y: Value, operands: Sequence[Value]) -> bool:
    """Whether a result holds objects, or was made of some."""
    if not issubclass(type(y), np.ndarray) and has_identity(y):
        return True
    return any(map(holds_objects, (y, *operands)))


def refuse_new_objects(
    rule: Rule, y: Value, operands: Sequence[Value], targets: list[Value], record: Record
) -> Record:
    """The record of a call that made objects in compiled code: no derivative passes through
    these."""
    known = {id(x) for x in with_elements(operands)}
    found = y.flat if issubclass(type(y), np.ndarray) and y.dtype.kind == "O" else [y]
    new = [each for each in found if id(each) not in known and has_identity(each)]
    return (pull_new_objects, rule.name, new, targets, record) if new else record


def pull_new_objects(
    shadows: Shadows, y_bar: Value, name: str, new: list[Value], targets: list[Value], rest: Record
) -> Cotangents:
    if y_bar is None and not has_arrived(shadows, *new):
        return None if rest is None else rest[0](shadows, y_bar, *rest[1:])
    error = Unsupported(
        name,
        f"a derivative through the objects that {name} makes",
        why="it calls the operators of its elements in compiled code",
        instead="compute the elements in a loop or a list comprehension",
    )
    refused = Refused(error)
    return [deliver(shadows, operand, refused, name) for operand in targets]
