"""``weakref.proxy``: the attributes of a proxy are those of the object behind it.

>>> import weakref
>>> class Model:
...     pass
>>> model = Model()
>>> behind(weakref.proxy(model)) is behind(model) is model
True
"""

from __future__ import annotations

import weakref

from astad.rules.registry import QUICK
from astad.runtime.full_rules import CALLED, Record, Value, callbacks, flows, python_method
from astad.runtime.versions import Versions

__all__ = ["behind", "object_of"]

_PROXIES = frozenset(weakref.ProxyTypes)


class _Behind:
    """``Behind() @ proxy``: a proxy on the right of an operator steps aside for its object, and no
    code of the user's runs.
    """

    def __matmul__(self, other: Value) -> Value:
        return NotImplemented if type(other) in _PROXIES else other


_BEHIND = _Behind()


def called_proxy(
    versions: Versions, proxy: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return callbacks.call(versions, object_of(proxy), *args, **keywords)


CALLED[weakref.CallableProxyType] = called_proxy


def make_proxy(versions: Versions, o: Value) -> tuple[Value, Record] | None:
    """A proxy, which holds nothing of its own; None where it would hand on operators."""
    return (weakref.proxy(o), None) if _has_attributes_alone(o) else None


QUICK[id(weakref.proxy)] = (1, make_proxy)


def object_of(o: Value) -> Value:
    """The object itself; ReferenceError where it is gone."""
    return _BEHIND @ o if type(o) in _PROXIES else o


def behind(o: Value) -> Value:
    """The same for attributes. A proxy of an object with operators stays what it is: compiled code
    would call them unseen.
    """
    found = object_of(o)
    return found if found is o or _has_attributes_alone(found) else o


def _has_attributes_alone(o: Value) -> bool:
    """Is what a proxy of it hands on nothing but attributes and methods?"""
    return not flows(o) and not any(python_method(type(o), name) for name in _HANDED_ON)


_HANDED_ON = ("__repr__", "__format__", *(
    name for name in weakref.ProxyType.__dict__
    if name not in ("__getattribute__", "__setattr__", "__delattr__", "__doc__", "__hash__")
))  # fmt: skip
"""Methods that a proxy calls for an operator or a function of Python's."""
