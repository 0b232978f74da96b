"""``copy.copy`` and ``copy.deepcopy``: of containers and of objects that say nothing of their own
about how they are copied.
"""

from __future__ import annotations

import collections
import copyreg
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.recording import attributes, operations
from astad.recording.outside import FIXED, SAME, is_made_by_class
from astad.recording.recording import INERT, Told, is_array
from astad.recording.run import Run

__all__ = ["copied", "deeply_copied"]

Part = Callable[[Any], Any]
_WHOLE = (*INERT, *FIXED, Told, float, np.float64, complex, np.complex128)


def copied(run: Run, o: Any) -> Any:
    """``copy.copy(o)``."""
    return _copy(run, o, lambda part: part)


def deeply_copied(run: Run, o: Any) -> Any:
    """``copy.deepcopy(o)``; a number stays the number that is followed."""
    made: dict[int, Any] = {}

    def part(v: Any) -> Any:
        if made.get(id(v)) is made:
            run.recording.refuse("copy of what holds itself")
        if id(v) not in made:
            made[id(run.recording.keep(v))] = made  # in the making
            made[id(v)] = _copy(run, v, part)
        return made[id(v)]

    return part(o)


def _copy(run: Run, o: Any, part: Part) -> Any:
    kind = type(o)
    if kind in _WHOLE or isinstance(o, SAME):
        if isinstance(o, types.MethodType):
            run.recording.refuse("copy of a method")
        return o
    if is_array(o):
        return run.method(o, "copy", (), {})
    if kind in (list, tuple, dict, collections.deque, collections.OrderedDict):
        return _of_container(run, o, part)
    return _of_object(run, o, part)


def _of_container(run: Run, o: Any, part: Part) -> Any:
    kind = type(o)
    if kind is dict or kind is collections.OrderedDict:
        whole = operations.as_dict(run, o)
        for key in whole:
            operations.check_key(run, key)
        return run.recording.fresh(kind({key: part(v) for key, v in whole.items()}))
    items = [part(v) for v in operations.iterate(run, o)]
    if kind is tuple and all(a is b for a, b in zip(items, o, strict=True)):
        return o
    if kind is collections.deque:
        return run.recording.fresh(collections.deque(items, o.maxlen))
    return run.recording.fresh(kind(items))


def _of_object(run: Run, o: Any, part: Part) -> Any:
    """One whose class is all Python's text, with its attributes in a dict."""
    recording, cls = run.recording, type(o)
    base = list if isinstance(o, list) else object
    if not all(is_made_by_class(each) or each in (object, base) for each in cls.__mro__):
        recording.refuse(f"copy of a {cls.__name__}")
    for name in _HOOKS:
        found = attributes.in_class(run, cls, name)
        if found is not None and found not in (base.__dict__.get(name), object.__dict__.get(name)):
            recording.refuse(f"copy of a {cls.__name__}, which has a {name}")
    has_slots = any(base.__dict__.get("__slots__") for base in cls.__mro__)
    if has_slots or not hasattr(o, "__dict__") or cls in copyreg.dispatch_table:
        recording.refuse(f"copy of a {cls.__name__}")
    table, own = recording.constant(copyreg.dispatch_table), recording.constant(cls)
    recording.require(f"{own} not in {table}")
    is_outside = run.outside.is_outside(o)
    if is_outside:
        head = run.outside.place(o).head
        recording.require(f"list({head}.__dict__) == {recording.constant([*o.__dict__])}")
    made = recording.fresh(base.__new__(cls))
    if base is list:
        made[:] = [part(v) for v in operations.iterate(run, o)]
    for name, v in [*o.__dict__.items()]:
        if is_outside:
            v = run.outside.read(o, "attribute", name, v, f"{{}}.__dict__[{name!r}]")
        made.__dict__[name] = part(v)
    return made


_HOOKS = (
    "__copy__", "__deepcopy__", "__reduce_ex__", "__reduce__", "__getstate__", "__setstate__",
    "__getnewargs__", "__getnewargs_ex__", "__new__", "__getattribute__", "__getattr__", "__del__",
    "append", "extend",
)  # fmt: skip
"""By which a class may say how its objects are copied."""
