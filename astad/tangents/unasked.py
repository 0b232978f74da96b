"""Attributes as they lie in objects and classes: no code of the user's is asked for them.

``hasattr`` and ``getattr`` call the ``__getattr__``, the ``__getattribute__`` and the properties of
an object, and those of its metaclass.

>>> class Strict:
...     def __getattr__(self, name):
...         raise KeyError(name)
>>> has_in_class(Strict, "__len__"), as_it_lies(Strict(), "__qualname__", "none")
(False, 'none')
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any  # what lies in a user's object

__all__ = [
    "MISSING",
    "as_it_lies",
    "attributes_as_they_lie",
    "callable_name",
    "dict_of",
    "has_in_class",
    "items_of",
    "lookup_in_class",
    "mro_of",
    "pairs_of",
]

MISSING = object()
"""Stands for no attribute where None may be the value of one."""
_OF_C = (GetSetDescriptorType, MemberDescriptorType)
mro_of: Any = vars(type)["__mro__"].__get__
"""Of a class its bases and itself, whatever its metaclass says of ``__mro__``."""
dict_of: Any = vars(type)["__dict__"].__get__
"""Of a class what lies in itself, in a proxy."""
_object_dict: Any = object.__getattribute__


STANDING_IN: dict[Any, dict[str, Any]] = {}
"""Methods in Python that stand for those of a class of C, by class and name: see `weak_proxies`."""


def lookup_in_class(cls: Any, name: str, missing: Any = None) -> Any:
    """The raw attribute of a class (descriptors as they are), or None."""
    if type(cls) is type:  # so are its bases, which say what is so
        if cls in STANDING_IN and name in STANDING_IN[cls]:
            return STANDING_IN[cls][name]
        for base in cls.__mro__:
            if name in base.__dict__:
                return base.__dict__[name]
        return missing
    for base in mro_of(cls):
        held = dict_of(base)
        if name in held:
            return held[name]
    return missing


def has_in_class(cls: type, name: str) -> bool:
    """Have objects of this class the attribute, by the class or its bases?

    >>> has_in_class(list, "__iter__"), has_in_class(list, "__next__")
    (True, False)
    """
    return lookup_in_class(cls, name, MISSING) is not MISSING


def as_it_lies(x: Any, name: str, default: Any = None) -> Any:
    """The attribute of an object, class or function; the default if only a call could tell.

    >>> as_it_lies(len, "__name__"), as_it_lies([].append, "__self__"), as_it_lies(1.5, "size")
    ('len', [], None)
    """
    kind = type(x)
    if kind is FunctionType:
        return getattr(x, name, default)
    raw = lookup_in_class(kind, name, MISSING)
    if type(raw) in _OF_C:
        try:
            return raw.__get__(x, kind)
        except AttributeError:
            return default
    found = lookup_in_class(x, name, MISSING) if issubclass(kind, type) else _own(x, name)
    if found is not MISSING:
        return found
    if kind is MethodType:
        return as_it_lies(x.__func__, name, default)
    return default if raw is MISSING or has_in_class(type(raw), "__get__") else raw


def attributes_as_they_lie(x: Any) -> dict[str, Any] | None:
    """The dict of an object's attributes, without asking its class; None if it has none.

    >>> class Closed:
    ...     def __getattribute__(self, name):
    ...         raise ValueError
    >>> attributes_as_they_lie(Closed()), attributes_as_they_lie(1.0)
    ({}, None)
    """
    try:
        found = _object_dict(x, "__dict__")
    except (AttributeError, TypeError):
        return None
    return found if type(found) is dict else None


def _own(x: Any, name: str) -> Any:
    try:
        store = _object_dict(x, "__dict__")
    except (AttributeError, TypeError):
        return MISSING
    return dict.get(store, name, MISSING) if issubclass(type(store), dict) else MISSING


def callable_name(fn: Any) -> str:
    """What errors call a function or any other callable.

    >>> callable_name(callable_name), callable_name([].append)
    ('callable_name', 'list.append')
    """
    for each in ("__qualname__", "__name__"):
        found = as_it_lies(fn, each)
        if type(found) is str:
            return found
    return type(fn).__qualname__


# --- what a container holds

_BASES: tuple[Any, ...] = (list, tuple, deque, set, frozenset, OrderedDict, dict)
_PLAIN = frozenset(_BASES)


def items_of(container: Any) -> Iterable[Any]:
    """The items of a list, tuple, set or deque, the keys of a dict: not what its class, which may
    be the user's, says to a loop over it.

    >>> class Reversed(list):
    ...     def __iter__(self):
    ...         return list.__reversed__(self)
    >>> list(Reversed("ab")), list(items_of(Reversed("ab")))
    (['b', 'a'], ['a', 'b'])
    """
    kind = type(container)
    if kind in _PLAIN:
        return container  # type: ignore[no-any-return]
    for base in _BASES:
        if issubclass(kind, base):
            return base.__iter__(container)  # type: ignore[no-any-return]
    return container  # type: ignore[no-any-return]


def pairs_of(mapping: Any) -> Iterable[tuple[Any, Any]]:
    """Keys and values of a dict, in its order.

    >>> class Doubled(dict):
    ...     def items(self):
    ...         return [(key, 2 * value) for key, value in super().items()]
    >>> list(pairs_of(Doubled(a=1)))
    [('a', 1)]
    """
    kind = type(mapping)
    if kind is dict or not issubclass(kind, dict):
        return mapping.items()  # type: ignore[no-any-return]
    return [(key, dict.__getitem__(mapping, key)) for key in items_of(mapping)]
