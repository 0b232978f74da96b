"""Attributes: ``o.name``, ``o.name = v``, ``del o.name`` of whatever object.

A number in an instance is the slot of its name in the instance's ``__dict__`` (so
``vars(self)["x"]`` is the same one), or in the object itself where it has ``__slots__``. Properties
are calls of the user's function.
"""

from __future__ import annotations

import functools
import types
from _thread import _local as _ThreadLocal
from collections import deque, namedtuple
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from astad.runtime.core.compiled_code import FOREIGN, is_known, is_of_package
from astad.runtime.core.full_rules import (
    CALLED,
    MISSING,
    NUMBERS,
    Cotangents,
    Record,
    Special,
    Value,
    callbacks,
    flows,
    full,
    is_data_descriptor,
    lookup_in_class,
    opaque,
    python_method,
)
from astad.runtime.core.listings import pull_attribute
from astad.runtime.core.stand_ins import OF_MEMORY, check_base, laid_out, original
from astad.runtime.core.versions import Versions
from astad.runtime.core.weak_proxies import behind
from astad.runtime.cotangents.owners import class_dict, owner_of, stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.taped import attempt
from astad.runtime.operations.class_attributes import (
    BOUND,
    read_chained,
    read_class_attribute,
    read_super,
)
from astad.runtime.operations.exact_numbers import PARTS, pull_numerator
from astad.runtime.text.texts import come_in
from astad.tangents.add import add
from astad.tangents.arrays import project
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import has_identity

__all__ = ["COMPUTED", "DESCRIPTORS", "asks_the_user", "get_attribute", "pull_attribute"]

Attribute = tuple[Value, Record]


# --- reading --------------------------------------------------------------------------------------


@full(getattr)
def get_attribute(versions: Versions, o: Value, name: str, *default: Value) -> Attribute:
    if len(default) > 1:
        return getattr(o, name, *default), None  # raises Python's own TypeError
    o = asked_for(behind(o), name)
    kind = type(o)
    if name in PARTS:
        versions.exact = True
        if issubclass(type(o), Fraction) and getattr(kind, name, None) is getattr(Fraction, name):
            y, record = _read_number(o, name)  # a class derived from it too
            return y, (pull_found, record) if default and record is not None else record
    if name == "base" and issubclass(kind, np.ndarray) and original(versions, o) is not o:
        check_base(versions, o)
        return None, None
    if versions.stand_ins and name in OF_MEMORY and issubclass(kind, np.ndarray):
        o = laid_out(versions, o, name)
    if not default:
        reader = READERS.get(kind)
        return _read(versions, o, kind, name) if reader is None else reader(o, name)
    y, record, error = _tried(versions, o, name)
    if error is not None:
        y = default[0]
        return y, None if record is None and not flows(y) else (pull_default, record)
    return y, None if record is None else (pull_found, record)


def asked_for(o: Value, name: str) -> Value:
    """The object that Python asks for an attribute: what a bound method, or a class written with
    parameters, does not have itself is that of its function, or of the class.

    >>> class Model:
    ...     def run(self): ...
    >>> asked_for(Model().run, "last") is Model.run, asked_for(list[int], "append")
    (True, <class 'list'>)
    """
    while (handed_on := HANDED_ON.get(type(o))) and not has_in_class(type(o), name):
        behind_it = getattr(o, handed_on)
        if flows(behind_it):
            break
        o = behind_it
    return o


HANDED_ON: dict[type, str] = {types.MethodType: "__func__", types.GenericAlias: "__origin__"}
"""Types of C whose objects hand look-ups on, to the object under this name."""


def _tried(versions: Versions, o: Value, name: str) -> tuple[Value, Record, Value]:
    """The attribute, or the error of one that is not there."""
    if asks_the_user(type(o), name) or isinstance(o, (type, super)):
        return attempt(versions, AttributeError, getattr, o, name)
    try:
        return *get_attribute(versions, o, name), None
    except AttributeError as error:
        return None, None, error


def asks_the_user(kind: type, name: str) -> bool:
    """May a look-up in instances of this class run Python code of the user's?"""
    if python_method(kind, "__getattribute__") or python_method(kind, "__getattr__"):
        return True
    found = lookup_in_class(kind, name)
    return found is not None and type(found) is not types.FunctionType


def pull_found(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    """Back through ``getattr(o, name, default)`` where the attribute was there."""
    operands = record[0](shadows, y_bar, *record[1:])
    return None if operands is None else (*operands, None)


def pull_default(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, None, 2)
    return None, None, y_bar


@full(hasattr)
def has_attribute(versions: Versions, o: Value, name: str) -> Attribute:
    o = asked_for(behind(o), name)
    if not asks_the_user(type(o), name):
        return hasattr(o, name), None
    _, record, error = _tried(versions, o, name)
    return error is None, None if record is None else (pull_effects, record)


def pull_effects(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    """Back through a call of which only the effects matter."""
    callbacks.pull(shadows, record, None, 2)
    return None


def _read(versions: Versions, o: Value, kind: type, name: str) -> Attribute:
    own_lookup: Value = kind.__getattribute__
    if own_lookup is object.__getattribute__:
        if name in _OF_NUMBERS and issubclass(type(o), _PYTHON_NUMBERS):  # from Python 3.13 on
            found = lookup_in_class(kind, name)
            if type(found) is types.GetSetDescriptorType:
                return _read_number(o, name)
        return _read_object(versions, o, kind, name)
    own = python_method(kind, "__getattribute__")
    if own is not None:
        return _read_by_hook(versions, o, kind, own, name)
    if issubclass(kind, type):
        if python_method(kind, "__getattr__") is None or _is_found(o, kind, name):
            return read_class_attribute(versions, o, name)
        return _read_by_hook(versions, o, kind, type.__getattribute__, name)
    if kind is super:
        return read_super(versions, o, name)
    if issubclass(type(o), _ORDINARY):
        return _read_object(versions, o, kind, name)
    if any(issubclass(kind, base) and not hasattr(base, name) for base in _EXTENDED):
        return _read_object(versions, o, kind, name)
    if issubclass(type(o), _NAMESPACES):
        return _read_namespace(versions, o, kind, name)
    for base, reader in READERS.items():
        if issubclass(type(o), base):
            return reader(o, name)
    computed = COMPUTED.get((kind, name))
    if computed is not None:
        return computed(versions, o)
    y = getattr(o, name)
    if kind in HANDED_ON and has_identity(y):
        return y, None  # its function, and the object that has a shadow of its own
    return y, come_in(versions, y, opaque(f"{kind.__qualname__}.{name}", y, (o, name)), (o, name))


_ORDINARY = (
    dict, list, tuple, set, frozenset, deque, str, bytes, BaseException, types.SimpleNamespace,
    types.FunctionType, functools.partial,
)  # fmt: skip
"""Types of C whose attributes are looked up as those of any object."""
_NAMESPACES = (types.ModuleType, _ThreadLocal)
_PYTHON_NUMBERS = (float, int, complex)
_OF_NUMBERS = frozenset(("real", "imag", "numerator", "denominator"))
_EXTENDED = (np.ndarray, float, int, complex)
"""Those to which a class of the user's may add attributes."""


def _read_by_hook(versions: Versions, o: Value, kind: type, own: Value, name: str) -> Attribute:
    """By the user's ``__getattribute__``; where that raises AttributeError, by ``__getattr__``."""
    fallback = python_method(kind, "__getattr__")
    if fallback is None:
        y, record = callbacks.call(versions, own, o, name)
        return y, _one_more(record, False)
    y, record, error = attempt(versions, AttributeError, own, o, name)
    if error is None:
        return y, _one_more(record, False)
    y, second = callbacks.call(versions, fallback, o, name)
    return y, (pull_second, second, record)


def pull_second(shadows: Shadows, y_bar: Value, second: Record, first: Record) -> Cotangents:
    callbacks.pull(shadows, second, y_bar, 2)
    callbacks.pull(shadows, first, None, 2)
    return None


def _read_object(
    versions: Versions, o: Value, kind: type, name: str, asks: bool = True
) -> Attribute:
    """As ``object.__getattribute__``: data descriptor, instance, class; then ``__getattr__``, also
    where a property or another descriptor raises AttributeError."""
    if o is None:
        return getattr(o, name), None  # ``__get__(None, cls)`` asks on behalf of the class
    found = lookup_in_class(kind, name, MISSING)
    if asks and _may_raise(found) and python_method(kind, "__getattr__") is not None:
        return _read_by_hook(versions, o, kind, object.__getattribute__, name)
    special = DESCRIPTORS.get(type(found))
    if special is not None:
        return special(versions, o, found, name)
    if issubclass(type(found), property) and python_method(type(found), "__get__") is None:
        return _read_property(versions, o, found, name)
    if is_data_descriptor(found):
        return _read_described(versions, o, found, name)
    held = stored_in(o)
    if held is not None and name in held:
        y = held[name]
        return y, (pull_attribute, held, name) if flows(y) else None
    if found is not MISSING:
        return _read_from_class(versions, o, kind, found, name)
    fallback = python_method(kind, "__getattr__") if asks else None
    if fallback is not None:
        y, record = callbacks.call(versions, fallback, o, name)
        return y, _one_more(record, True)
    if not asks:
        return object.__getattribute__(o, name), None
    return getattr(o, name), None  # what C classes compute, or Python's own AttributeError


def _may_raise(found: Value) -> bool:
    return has_in_class(type(found), "__get__") and type(found) not in _INERT_DESCRIPTORS


def _is_found(cls: Value, kind: type, name: str) -> bool:
    """Is it known, without a call, that a class or its metaclass has the attribute?"""
    found = lookup_in_class(kind, name, MISSING)
    if found is MISSING or not is_data_descriptor(found):
        found = lookup_in_class(cls, name, found)
    return has_in_class(type, name) or (found is not MISSING and not _may_raise(found))


def _read_from_class(
    versions: Versions, o: Value, kind: type, found: Value, name: str
) -> Attribute:
    if flows(found):
        owner = next(base for base in kind.__mro__ if name in base.__dict__)
        return found, (pull_attribute, class_dict(owner), name)
    if has_in_class(type(found), "__get__"):
        return _read_described(versions, o, found, name)
    return found, None


def _read_described(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """A descriptor other than those known: a method is bound; one of the user's is a call of its
    ``__get__``.
    """
    method = python_method(type(found), "__get__")
    if method is not None:
        y, record = callbacks.call(versions, method, found, o, type(o))
        return y, None if record is None else (pull_described, record)
    chained = read_chained(versions, found, type(o))
    if chained is not None:
        return chained
    y = found.__get__(o, type(o))
    if flows(o) and callable(y):
        return y, (pull_bound, y)
    if type(found) in _INERT_DESCRIPTORS:
        return y, None
    return y, come_in(versions, y, opaque(f"{type(o).__name__}.{name}", y, (o, name)), (o, name))


def pull_described(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 3)
    return None


_INERT_DESCRIPTORS = frozenset([
    types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, types.BuiltinFunctionType, classmethod, staticmethod,
    functools.partialmethod, functools.singledispatchmethod,
])  # fmt: skip


def _read_property(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    if found.fget is None:
        return getattr(o, name), None  # raises Python's own AttributeError
    y, record = callbacks.call(versions, found.fget, o)
    return y, _one_more(record, True)


def _one_more(record: Record, add_name: bool) -> Record:
    """The record of a call on (o,) or (o, name) as one of ``getattr(o, name, ...)``."""
    return None if record is None else (pull_on_object, record, 1 if add_name else 2)


def pull_on_object(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n)
    return None if operands is None else (operands[0], None)


def _read_cached(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """``functools.cached_property``: computed once, then an attribute of the instance."""
    held = o.__dict__
    if name in held:
        y = held[name]
        return y, (pull_attribute, held, name) if flows(y) else None
    y, record = callbacks.call(versions, found.func, o)
    held[found.attrname or name] = y
    if record is None and not flows(y):
        return y, None
    return y, (pull_cached, held, name, record)


def pull_cached(
    shadows: Shadows, y_bar: Value, held: Value, name: str, record: Record
) -> Cotangents:
    y_bar = add(y_bar, shadows.key_take(held, name))
    if record is not None:
        callbacks.pull(shadows, record, y_bar, 1)
    return None


def _read_slot(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    y = found.__get__(o, type(o))
    return y, (pull_attribute, o, name) if flows(y) else None


def _read_computed(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """Attributes that C code computes: ``__dict__``, ``__class__``; numbers may carry a derivative,
    and so may what an object of a compiled package holds, once something has gone into one."""
    reader = COMPUTED.get((type(o), name))
    if reader is not None:
        return reader(versions, o)
    y = found.__get__(o, type(o))
    what = f"{type(o).__name__}.{name}"
    if id(o) in versions.made_of:
        return y, opaque(what, y)
    if flows(y):
        return y, come_in(versions, y, opaque(what, y, (o, name), of=found), (o, name))
    if FOREIGN not in versions.made_of or not has_identity(y):
        return y, None
    is_foreign = is_of_package(found.__objclass__.__module__)
    if not is_foreign or is_known(versions.made_of, y):
        return y, None
    return y, opaque(what, y, (o, name), of=found)


COMPUTED: dict[tuple[type, str], Callable[[Versions, Value], Attribute]] = {}
"""Readers of what C code computes of objects of these classes, by the name of the attribute."""


def _read_field(versions: Versions, o: Value, found: Value, name: str) -> Attribute:
    """A field of a namedtuple is the slot of its position."""
    y = found.__get__(o, type(o))
    return y, (pull_field, o, found.__reduce__()[1][0]) if flows(y) else None


def pull_field(shadows: Shadows, y_bar: Value, o: Value, i: int) -> Cotangents:
    if y_bar is not None:
        shadows.slot_add(o, i, y_bar)
    return None


DESCRIPTORS: dict[type, Callable[[Versions, Value, Value, str], Attribute]] = {
    property: _read_property,
    functools.cached_property: _read_cached,
    types.MemberDescriptorType: _read_slot,
    type(vars(namedtuple("_Pair", "first second"))["first"]): _read_field,
    types.GetSetDescriptorType: _read_computed,
}


def call_special(
    versions: Versions, special: Special, o: Value, /, *args: Value, **keywords: Value
) -> Attribute:
    """A special method that is no plain function: bound as an attribute is, then called."""
    found, name = special.found, special.name
    read = DESCRIPTORS.get(type(found))
    if read is not None:
        fn, fetched = read(versions, o, found, name)
    elif issubclass(type(found), property) and python_method(type(found), "__get__") is None:
        fn, fetched = _read_property(versions, o, found, name)
    elif has_in_class(type(found), "__get__"):
        fn, fetched = _read_described(versions, o, found, name)
    else:
        fn, fetched = found, None
    y, record = callbacks.call(versions, fn, *args, **keywords)
    if record is None and fetched is None:
        return y, None
    return y, (pull_special, fetched, record, len(args) + len(keywords))


def pull_special(
    shadows: Shadows, y_bar: Value, fetched: Record, record: Record, n: int
) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n) or (None,) * n
    found = callbacks.pull(shadows, fetched, None, 2) or (None,)
    return found[0], *operands


CALLED[Special] = call_special


# --- arrays, numbers, modules ---------------------------------------------------------------------


def _read_array(o: Value, name: str) -> Attribute:
    """Views share the shadow of the array; ``imag`` of a real array is a fresh zero."""
    y = getattr(o, name)
    if not issubclass(type(y), np.ndarray) or owner_of(y) is owner_of(o):
        return y, opaque(f"ndarray.{name}", y, (o, name)) if type(y) is np.flatiter else None
    if name == "imag" and o.dtype.kind != "c":
        return y, None
    return y, opaque(f"ndarray.{name}", y, (o, name))


def _read_number(o: Value, name: str) -> Attribute:
    y = getattr(o, name)
    if name == "real":
        return y, (pull_real, type(o) in NUMBERS and _is_complex(o))
    if name == "imag":
        return y, (pull_imag,) if _is_complex(o) else None
    if name == "T":
        return y, (pull_real, False)
    if callable(y):
        return y, (pull_bound, y)
    if name in PARTS:
        return y, (pull_numerator, o) if PARTS[name] else None
    record = opaque(f"{type(o).__name__}.{name}", y, (o, name))
    if record is not None and type(y) is np.flatiter:  # over an array of its own, made now
        return y, (pull_flat, y.base, o, record)
    return y, record


def _is_complex(o: Value) -> bool:
    return issubclass(type(o), (complex, np.complexfloating))


def pull_real(shadows: Shadows, y_bar: Value, make_real: bool) -> Cotangents:
    return (None if y_bar is None else y_bar.real if make_real else y_bar), None


def pull_imag(shadows: Shadows, y_bar: Value) -> Cotangents:
    """The cotangent du/dx + i du/dy of a number of which only y is read."""
    return (None if y_bar is None else y_bar.real * 1j), None


def pull_flat(
    shadows: Shadows, y_bar: Value, a: Value, o: Value, record: tuple[Value, ...]
) -> Cotangents:
    """What was read one by one lies in the shadow of the array; else it is refused."""
    refused: Cotangents = record[0](shadows, y_bar, *record[1:])
    if refused is not None:
        return refused
    g = shadows.take(a)
    return g if g is None or type(g) is Refused else project(g[()], o), None


def pull_bound(shadows: Shadows, y_bar: Value, method: Value) -> Cotangents:
    """A bound method of a number: calling it leaves the number's cotangent under `BOUND`."""
    return shadows.key_take(method, BOUND), None


def _read_namespace(versions: Versions, o: Value, kind: type, name: str) -> Attribute:
    """As that of any object, but that a module may have a ``__getattr__`` among its globals."""
    held = stored_in(o)
    fallback = held.get("__getattr__") if issubclass(kind, types.ModuleType) else None
    if fallback is None or name in held or lookup_in_class(kind, name, MISSING) is not MISSING:
        return _read_object(versions, o, kind, name)
    y, record = callbacks.call(versions, fallback, name)
    return y, None if record is None else (pull_effects_of_one, record)


def pull_effects_of_one(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 1)
    return None


READERS: dict[type, Callable[..., Attribute]] = {
    np.ndarray: _read_array,
    np.generic: _read_number, **dict.fromkeys(NUMBERS, _read_number),
}  # fmt: skip


@full(*{kind.__getattribute__ for kind in (object, types.ModuleType, _ThreadLocal)})
def object_getattribute(versions: Versions, o: Value, name: str) -> Attribute:
    return _read_object(versions, o, type(o), name, False)


@full(*{kind.__getattribute__ for kind in HANDED_ON})
def handing_on(versions: Versions, o: Value, name: str) -> Attribute:
    return get_attribute(versions, o, name)
