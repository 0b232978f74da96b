"""``isinstance`` and ``issubclass``: a metaclass of the user's is asked, step by step; what a
``__subclasshook__`` stores is looked for, and what ``issubclass`` does inside ``isinstance``.

>>> from astad.runtime.core.versions import Versions
>>> class_check(Versions(), isinstance, 1.5, (int, float))
(True, None)
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator
from types import FunctionType, UnionType

from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, full, python_method
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.comparisons import truth
from astad.runtime.unseen.unrecorded import is_of_program, run_unrecorded
from astad.runtime.unseen.writing_code import writes
from astad.tangents.add import add

__all__: list[str] = []

_ASKED = {isinstance: "__instancecheck__", issubclass: "__subclasscheck__"}


@full(isinstance)
def isinstance_forward(versions: Versions, o: Value, cls: Value) -> tuple[Value, Record]:
    if type(cls) is type:
        return isinstance(o, cls), None
    return class_check(versions, isinstance, o, cls)


@full(issubclass)
def issubclass_forward(versions: Versions, sub: Value, cls: Value) -> tuple[Value, Record]:
    if type(cls) is type:
        return issubclass(sub, cls), None
    return class_check(versions, issubclass, sub, cls)


def class_check(versions: Versions, fn: Value, o: Value, cls: Value) -> tuple[Value, Record]:
    """The answer, and the way back of what was asked."""
    classes = _classes_in(cls)
    if not any(map(_asks_program, classes)):
        return fn(o, cls), None
    records: list[Record] = []
    answer: Value = False
    for each in classes:
        answer, record = _one_check(versions, fn, o, each)
        if record is not None:
            records.append(record)
        if answer:
            break
    return answer, (pull_checks, records) if records else None


def _classes_in(cls: Value) -> tuple[Value, ...]:
    if type(cls) is UnionType:
        return cls.__args__
    if type(cls) is not tuple:
        return (cls,)
    return cls if tuple not in map(type, cls) else sum(map(_classes_in, cls), ())


def _one_check(versions: Versions, fn: Value, o: Value, cls: Value) -> tuple[Value, Record]:
    meta = type(cls)
    method = None if meta is type else python_method(meta, _ASKED[fn])
    is_exact = fn is isinstance and type(o) is cls
    if method is not None and is_of_program(method) and not is_exact:
        y, record = callbacks.call(versions, method, cls, o)
        y, asked = callbacks.call(versions, truth, y)
        return y, (pull_asked, record, asked) if record is not None or asked is not None else None
    writers = _with_hooks(cls)
    if fn is isinstance and _asks_for_the_class(meta):
        writers += (cls, meta)
    if not writers:
        return fn(o, cls), None
    beside = (*writers, o)  # what the object or its class holds may be stored
    y, refusing = run_unrecorded(versions, fn.__name__, lambda: fn(o, cls), (), beside, gives=False)
    return y, refusing(None)


def _asks_program(cls: Value) -> bool:
    """May the check of a class call a method of the program's that counts?"""
    meta = type(cls)
    if meta is type:
        return False
    return not issubclass(meta, type) or _is_of_program(meta) or bool(_with_hooks(cls))


def _asks_for_the_class(meta: type) -> bool:
    """Does its ``isinstance``, of abstract classes, call an ``issubclass`` of the program's?"""
    method = python_method(meta, "__subclasscheck__")
    of_abstract = python_method(meta, "__instancecheck__") is ABCMeta.__instancecheck__
    return of_abstract and method is not None and is_of_program(method) and writes(method, meta)


def _is_of_program(meta: type) -> bool:
    methods = [python_method(meta, name) for name in _ASKED.values()]
    return any(each is not None and is_of_program(each) for each in methods)


def _with_hooks(cls: Value) -> list[type]:
    return [] if type(cls) is type else [each for each in _family(cls) if _has_hook(each)]


def _has_hook(cls: type) -> bool:
    hook = vars(cls).get("__subclasshook__")
    hook = getattr(hook, "__func__", hook)
    return type(hook) is FunctionType and is_of_program(hook) and writes(hook, cls)


def _family(cls: Value) -> Iterator[type]:
    """A class and those that are made from it, which an abstract class asks as well."""
    if issubclass(type(cls), type):
        yield cls
        for each in type.__subclasses__(cls):
            yield from _family(each)


def pull_asked(shadows: Shadows, y_bar: Value, record: Record, asked: Record) -> Cotangents:
    """Back through the truth of the answer and the method, which was given the class first."""
    (y_bar,) = callbacks.pull(shadows, asked, None, 1) or (None,)
    _, bar = callbacks.pull(shadows, record, y_bar, 2) or (None, None)
    return bar, None


def pull_checks(shadows: Shadows, y_bar: Value, records: list[Record]) -> Cotangents:
    bar: Value = None
    for record in reversed(records):
        part, _ = callbacks.pull(shadows, record, None, 2) or (None, None)
        bar = add(bar, part)
    return bar, None
