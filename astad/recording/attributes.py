"""Attributes, as Python looks them up: in the class, in the object, by descriptors.

Each look-up in a class that lies outside is a test at the head: that the class has under this name
what it had, and the classes before it nothing.
"""

from __future__ import annotations

import abc
import collections
import enum
import functools
import inspect
import math
import sys
import types
from typing import Any

import numpy as np

from astad.recording.numpy_in_python import Flags, Flat
from astad.recording.outside import FIXED, is_made_by_class
from astad.recording.recording import (
    INERT,
    NUMBERS,
    Count,
    Told,
    Whole,
    is_array,
    is_counting,
    is_of_names,
)
from astad.recording.run import Run
from astad.rules.numpy import creation
from astad.runtime.unseen.unrecorded import LIBRARIES

__all__ = ["MISSING", "attribute", "expect_order", "flag", "in_class", "store", "stored"]

MISSING = object()
CACHED = functools._lru_cache_wrapper
_SIZES = ("shape", "size", "itemsize")
PLAIN_LOOKUP = (
    tuple, list, dict, set, frozenset, collections.deque, BaseException, types.SimpleNamespace,
)  # fmt: skip
"""Compiled classes whose objects are looked through as any are."""
SLOTS = (
    types.MemberDescriptorType, types.GetSetDescriptorType,
    type(collections.namedtuple("Pair", "first").__dict__["first"]),
)  # fmt: skip


def in_class(run: Run, cls: type, name: str, default: Any = None) -> Any:
    """What a class or its bases hold under a name."""
    expect_order(run, cls)
    for base in cls.__mro__:
        may_change = is_made_by_class(base) and id(base) not in run.recording.made
        if may_change and run.writes.holds(base, "entry", name):
            return run.writes.at(base, "entry", name)
        if name in base.__dict__:
            return _entry(run, base, name) if may_change else base.__dict__[name]
        if may_change:
            head = run.outside.place(base).head
            run.recording.require(f"{name!r} not in {head}.__dict__")
    return default


def expect_order(run: Run, cls: type) -> None:
    """That the bases of a class are what they were."""
    if is_made_by_class(cls) and id(cls) not in run.recording.made:
        place = run.outside.place(cls)
        run.recording.require(f"{place.head}.__mro__ is {run.recording.constant(cls.__mro__)}")


def _entry(run: Run, base: type, name: str) -> Any:
    """What a class that may be changed has itself under a name."""
    found = base.__dict__[name]
    if type(found) in (int, float, np.float64) or is_array(found):
        return run.outside.read(base, "entry", name, found, f"{{}}.__dict__[{name!r}]")
    head, constant = run.outside.place(base).head, run.recording.constant(found)
    run.recording.require(f"{head}.__dict__.get({name!r}) is {constant}")
    return found


def attribute(run: Run, o: Any, name: str, default: Any = MISSING) -> Any:
    """``o.name``; where there is none ``default``, or an AttributeError."""
    if type(name) is not str or type(o) is Told:
        run.recording.refuse("a text that tells a number is asked for an attribute, or names one")
    try:
        return _attribute(run, o, name)
    except AttributeError:
        if default is MISSING:
            raise
        return default


def _attribute(run: Run, o: Any, name: str) -> Any:
    recording, cls = run.recording, type(o)
    if cls is Whole:
        if not hasattr(int, name):
            return getattr(int(o), name)  # Python's own error
        recording.refuse(f"int.{name} of an int that is differentiated")
    if is_array(o):
        if name == "flat":
            run.recording.made.add(id(Flat))
            return recording.fresh(Flat(o))
        if name == "flags":
            return recording.fresh(Flags(o))
        found = getattr(o, name)
        if callable(found) or name in ("ndim", "dtype") or (o.ndim == 0 and name in _SIZES):
            return found  # as the text's kinds have them
        if name in _SIZES and not recording.tells((id(o), name)):
            return found
        word = recording.shaped(o) if name in _SIZES else recording.word(o)
        return recording.result(f"{word}.{name}", found)
    if is_of_names(o) and not run.outside.is_outside(o):
        found = getattr(o, name)
        return recording.fresh(found) if is_of_names(found) else found
    if cls is Flags:
        return flag(run, o, name)
    if cls in NUMBERS or isinstance(o, np.generic):
        found = getattr(o, name)
        if callable(found) or not recording.is_followed(o):
            return found
        return recording.result(f"{recording.word(o)}.{name}", found)
    if cls is types.ModuleType or isinstance(o, types.ModuleType):
        return _of_module(run, o, name)
    if isinstance(o, type):
        return _of_class(run, o, name)
    if cls is super:
        return _of_super(run, o, name)
    if (
        cls is types.SimpleNamespace
        or is_made_by_class(cls)
        and (not cls.__module__.startswith("numpy") or cls.__module__.startswith(_IN_PYTHON))
    ):
        return _of_object(run, o, name)
    return _of_builtin(run, o, name)


_IN_PYTHON = "numpy.lib.", "numpy.polynomial."
"""Modules of NumPy whose classes are written in Python: of ``np.r_``, ``np.ogrid``, ``np.s_``."""


def flag(run: Run, flags: Flags, name: str) -> Any:
    """``a.flags.name``, or by its key."""
    if not name.isidentifier() or type(getattr(flags.array.flags, name, None)) is not bool:
        run.recording.refuse(f"{name} of the flags of an array")
    asked = run.recording.constant(creation.flag)
    text = f"{asked}({run.recording.shaped(flags.array)}, {name!r})"
    return run.recording.expect(text, getattr(flags.array.flags, name))


def _of_module(run: Run, module: Any, name: str) -> Any:
    entries = vars(module)
    if run.writes.holds(entries, "global", name):
        return run.writes.at(entries, "global", name)
    if name not in entries:
        if "__getattr__" in entries:
            run.recording.refuse(f"{module.__name__}.{name} is made when it is asked for")
        head = run.outside.place(entries).head
        run.recording.require(f"{name!r} not in {head}")
        return getattr(module, name)  # what every module has, or Python's own error
    found = run.outside.read(entries, "global", name, entries[name], f"{{}}[{name!r}]")
    if type(found) is float and math.isfinite(found) and _is_of_library(module):
        return run.recording.pinned(found, f"{module.__name__}.{name}")
    return found


def _is_of_library(module: Any) -> bool:
    """Are its numbers constants of mathematics or physics?"""
    return str(module.__name__).partition(".")[0] in LIBRARIES


def _of_class(run: Run, cls: Any, name: str) -> Any:
    meta = type(cls)
    if name in ("__name__", "__qualname__", "__module__", "__mro__", "__doc__", "__bases__"):
        found = getattr(cls, name)
        return stored(run, cls, name, found) if is_made_by_class(cls) else found
    if name == "__class__":
        return meta
    if isinstance(type.__dict__.get(name), SLOTS):
        run.recording.refuse(f"{cls.__name__}.{name}")
    if meta is not type:
        for hook in () if meta is enum.EnumMeta else ("__getattr__", "__getattribute__"):
            if isinstance(in_class(run, meta, hook), types.FunctionType):
                run.recording.refuse(f"{meta.__name__} has a {hook}")
        found = in_class(run, meta, name, MISSING)
        if found is not MISSING:
            is_first = _is_data_descriptor(run, found)
            if is_first or in_class(run, cls, name, MISSING) is MISSING:
                return _of_metaclass(run, cls, name, found)
    if isinstance(cls, enum.EnumMeta) and name in cls.__members__:
        return cls.__members__[name]
    found = in_class(run, cls, name, MISSING)
    if found is MISSING:
        return getattr(cls, name)  # of `type`, or Python's own error
    return _bound(run, found, None, cls)


def _of_metaclass(run: Run, cls: Any, name: str, found: Any) -> Any:
    """What a metaclass has, as a class has it that does not have it itself."""
    if type(found) is property and found.fget is not None:
        return run.call(found.fget, cls)
    if type(found) in (types.FunctionType, staticmethod, classmethod, float, np.float64):
        return _bound(run, found, cls, type(cls))
    run.recording.refuse(f"{cls.__name__}.{name} of its metaclass")


def _of_super(run: Run, o: Any, name: str) -> Any:
    own, start = o.__self__, o.__thisclass__
    if own is None:
        run.recording.refuse("super without an object")
    cls = own if isinstance(own, type) and issubclass(own, start) else type(own)
    order = cls.__mro__
    for base in order[order.index(start) + 1 :]:
        if name in base.__dict__ or id(base) not in run.recording.made:
            found = in_class(run, base, name, MISSING) if name in base.__dict__ else MISSING
            if found is not MISSING:
                return _bound(run, found, None if own is cls else own, cls)
            if is_made_by_class(base):
                head = run.outside.place(base).head
                run.recording.require(f"{name!r} not in {head}.__dict__")
    return getattr(o, name)


def _of_object(run: Run, o: Any, name: str) -> Any:
    cls = type(o)
    if name == "__class__":
        return cls
    if isinstance(o, enum.Enum):
        name = _of_member(run, cls, name)
    if run.writes.holds(o, "attribute", name):
        return run.writes.at(o, "attribute", name)
    hook = in_class(run, cls, "__getattribute__")
    if isinstance(hook, types.FunctionType):
        return run.call(hook, o, name)
    is_plain = isinstance(o, PLAIN_LOOKUP) or is_counting(o)
    if hook is not object.__getattribute__ and not is_plain:
        run.recording.refuse(f"{cls.__name__} has a compiled __getattribute__")
    found = in_class(run, cls, name, MISSING) if name != "__dict__" else MISSING
    if type(found) in SLOTS:
        return _slot(run, o, name)
    if type(found) is property:
        if found.fget is None:
            return getattr(o, name)
        return run.call(found.fget, o)
    if found is not MISSING and _is_data_descriptor(run, found):
        getter = in_class(run, type(found), "__get__")
        if isinstance(getter, types.FunctionType):
            return run.call(getter, found, o, cls)
        if getter is not None:
            run.recording.refuse(f"the descriptor {cls.__name__}.{name}")
    own = getattr(o, "__dict__", None)
    if own is not None and name in own:
        makes = hasattr(cls, "__getattr__") or hasattr(type(found), "__get__")
        if makes and run.outside.is_outside(o):
            head = run.outside.place(o).head  # else a test would have it made
            run.recording.require(f"{name!r} in {head}.__dict__")
        return stored(run, o, name, own[name])
    if name == "__dict__":
        if run.outside.is_outside(o):
            run.recording.refuse("the __dict__ of an object from outside")
        return run.recording.fresh(own)
    if own is not None and run.outside.is_outside(o):
        head = run.outside.place(o).head
        run.recording.require(f"{name!r} not in {head}.__dict__")
    if found is not MISSING:
        return _bound(run, found, o, cls)
    fallback = in_class(run, cls, "__getattr__")
    if isinstance(fallback, types.FunctionType):
        return run.call(fallback, o, name)
    return getattr(o, name)  # Python's own error


def _of_member(run: Run, cls: type, name: str) -> str:
    """Where Enum's own properties of members read."""
    is_own = name in _OF_MEMBERS and in_class(run, cls, name) is vars(enum.Enum)[name]
    return _OF_MEMBERS[name] if is_own else name


_OF_MEMBERS = {"name": "_name_", "value": "_value_"}


def _slot(run: Run, o: Any, name: str) -> Any:
    try:
        v = getattr(o, name)
    except AttributeError:
        if run.outside.is_outside(o):
            run.recording.require(f"not hasattr({run.outside.place(o).head}, {name!r})")
        raise
    if hasattr(type(o), "__getattr__") and run.outside.is_outside(o):
        run.recording.refuse("a slot of an object with a __getattr__")
    if isinstance(o, inspect.Signature) and name == "_parameters":
        return run.recording.fresh(dict(v))  # nobody writes there
    return stored(run, o, name, v)


def stored(run: Run, o: Any, name: str, v: Any) -> Any:
    """``v``, which an object holds under a name, as a run reads it."""
    if not run.outside.is_outside(o):
        return v
    return run.outside.read(o, "attribute", name, v, f"{{}}.{name}")


def _is_data_descriptor(run: Run, found: Any) -> bool:
    kind = type(found)
    if kind in INERT or kind in (types.FunctionType, staticmethod, classmethod, float):
        return False
    missing = MISSING
    return any(
        in_class(run, kind, name, missing) is not missing for name in ("__set__", "__delete__")
    )


def _bound(run: Run, found: Any, o: Any, cls: type) -> Any:
    """What is found in a class, as it is read by an object of it, or by the class itself."""
    kind = type(found)
    if kind is types.FunctionType:
        return found if o is None else run.recording.fresh(types.MethodType(found, o))
    if kind is staticmethod:
        return found.__func__
    if kind is classmethod:
        return run.recording.fresh(types.MethodType(found.__func__, cls))
    if kind in INERT or kind in (Count, float, np.float64) or isinstance(found, (type, property)):
        return found
    if isinstance(found, functools.cached_property) and o is not None:
        if run.outside.is_outside(o):
            run.recording.refuse("a cached property of an object from outside")
        y = run.call(found.func, o)
        o.__dict__[found.attrname] = y
        return y
    getter = in_class(run, kind, "__get__")
    if getter is None:
        run.outside.place(found)
        return found
    if isinstance(getter, types.FunctionType):
        return run.call(getter, found, o, cls)
    if kind is types.ClassMethodDescriptorType:
        return found.__get__(o, cls)
    if isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType,
                          types.BuiltinFunctionType,
                          types.GetSetDescriptorType, types.MemberDescriptorType)):  # fmt: skip
        return found.__get__(o, cls) if o is not None else found  # type: ignore[union-attr]
    run.recording.refuse(f"the descriptor {kind.__name__}")


_OF_FUNCTION = (
    "__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__defaults__",
    "__kwdefaults__", "__type_params__", "__code__", "__closure__", "__globals__",
)  # fmt: skip


def _of_builtin(run: Run, o: Any, name: str) -> Any:
    """Of an object of a compiled type: a method of it, or what is fixed once it is there."""
    if name not in _OF_FUNCTION:
        o = run.recording.asked(o)
    try:
        found = getattr(o, name)
    except AttributeError:
        fn = o.__func__ if isinstance(o, types.MethodType) else o
        if isinstance(fn, types.FunctionType) and run.outside.is_outside(fn):
            run.recording.require(f"{name!r} not in {run.outside.place(fn).head}.__dict__")
        raise
    if callable(found) and getattr(found, "__self__", None) is o:
        return found
    cls = type(o)
    if isinstance(o, types.FunctionType):
        if name in vars(o) or name in _OF_FUNCTION:
            return stored(run, o, name, found)
        if name == "__dict__":
            if not run.outside.is_outside(o):
                return run.recording.fresh(found)
            if found:
                run.recording.refuse("the attributes of a function from outside")
            run.recording.require(f"not {run.outside.place(o).head}.__dict__")
            return run.recording.fresh({})
        run.recording.refuse(f"{name} of a function")
    if isinstance(o, types.MethodType):
        if name in ("__self__", "__func__"):
            return found
        return _attribute(run, o.__func__, name)
    if cls in FIXED or isinstance(o, BaseException) or cls in (slice, range, property):
        return found
    if isinstance(o, np.dtype) and type(found) in (*INERT, type):
        return found
    if cls in (type(sys.float_info), type(sys.int_info)):
        return run.recording.keep(found)
    if cls in (np.finfo, np.iinfo) and not run.outside.is_outside(o):
        return run.recording.keep(found)
    if cls is types.CodeType and type(found) is tuple and all(type(v) in INERT for v in found):
        if not (run.outside.is_outside(o) and run.outside.place(o).fixed):
            run.recording.refuse(f"{name} of a code")
        return run.recording.fresh(found)
    if cls is functools.partial or (cls is CACHED and not run.outside.is_outside(o)):
        return found
    if run.outside.is_outside(o):
        if type(found) not in INERT:
            run.recording.refuse(f"{name} of a {cls.__name__}")
        return stored(run, o, name, found)
    if run.recording.holds_followed(found) or type(found) in INERT or callable(found):
        return found
    run.recording.refuse(f"{name} of a {cls.__name__}")


def store(run: Run, o: Any, name: str, v: Any) -> None:
    """``o.name = v``."""
    if type(name) is not str:
        run.recording.refuse("the name of an attribute that is no text")
    recording, cls = run.recording, type(o)
    if isinstance(o, types.ModuleType):
        run.writes.put(vars(o), "global", name, v, f"{{}}[{name!r}] = {{}}")
        return
    if isinstance(o, type):
        _store_in_class(run, o, name, v)
        return
    if cls is Flags:
        recording.refuse("the flags of an array are written")
    hook = in_class(run, cls, "__setattr__")
    if isinstance(hook, types.FunctionType):
        run.call(hook, o, name, v)
        return
    put(run, o, name, v)


def _store_in_class(run: Run, cls: Any, name: str, v: Any) -> None:
    """Numbers and texts that a class has itself in the place of others, as those that count."""
    is_plain = type(cls) in (type, abc.ABCMeta) and is_made_by_class(cls)
    both = (cls.__dict__.get(name, MISSING), v)
    if not is_plain or not all(type(each) in _IN_CLASSES for each in both):
        run.recording.refuse(f"the attribute {name} of a class is written")
    if run.outside.is_outside(cls):
        run.writes.put(cls, "entry", name, v, f"{{}}.{name} = {{}}")
    else:
        setattr(cls, name, v)


_IN_CLASSES = (int, Count, bool, str, type(None), float, np.float64)


def put(run: Run, o: Any, name: str, v: Any) -> None:
    """``object.__setattr__(o, name, v)``."""
    o = run.recording.asked(o)
    cls = type(o)
    found = in_class(run, cls, name, MISSING)
    if type(found) is property and found.fset is not None:
        run.call(found.fset, o, v)
        return
    if found is not MISSING and type(found) not in SLOTS and _is_data_descriptor(run, found):
        setter = in_class(run, type(found), "__set__")
        if isinstance(setter, types.FunctionType):
            run.call(setter, found, o, v)
            return
        if not isinstance(found, property):
            run.recording.refuse(f"the descriptor {cls.__name__}.{name}")
    if run.outside.is_outside(o):
        hook = isinstance(in_class(run, cls, "__setattr__"), types.FunctionType)
        plain = f"{{}}.{name} = {{}}"
        statement = f"object.__setattr__({{}}, {name!r}, {{}})" if hook else plain
        is_new = type(found) not in SLOTS and name not in o.__dict__
        run.writes.put_attribute(o, name, v, statement, is_new=is_new)
        return
    if isinstance(o, types.FunctionType):
        setattr(o, name, v)
        return
    object.__setattr__(o, name, v)
