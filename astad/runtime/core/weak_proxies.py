"""``weakref.proxy``: the attributes of a proxy are those of the object behind it, and operators
work on that. Methods in Python stand for those of a proxy, which are found like those of any class.

>>> import weakref
>>> class Model:
...     pass
>>> model = Model()
>>> behind(weakref.proxy(model)) is behind(model) is model
True
"""

from __future__ import annotations

import operator
import weakref

from astad.runtime.core.full_rules import (
    CALLED,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import PROXIES, object_of
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.unasked import STANDING_IN

__all__ = ["behind", "is_proxy"]


def called_proxy(
    versions: Versions, proxy: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return callbacks.call(versions, object_of(proxy), *args, **keywords)


CALLED[weakref.CallableProxyType] = called_proxy


@full(weakref.proxy)
def proxy_forward(versions: Versions, o: Value, *callback: Value) -> tuple[Value, Record]:
    """A proxy, which holds nothing of its own."""
    y = weakref.proxy(o, *callback)
    return y, opaque("weakref.proxy of a number", y) if flows(o) else None


@full(weakref.ref.__new__)
def new_reference(
    versions: Versions, cls: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """What the ``__new__`` of a class of references calls."""
    return weakref.ref.__new__(cls, *args, **keywords), None


@full(weakref.ref.__init__)
def init_reference(
    versions: Versions, reference: Value, *args: Value, **keywords: Value
) -> tuple[None, Record]:
    weakref.ref.__init__(reference, *args, **keywords)
    return None, None


@full(object_of)
def object_forward(versions: Versions, o: Value) -> tuple[Value, Record]:
    y = object_of(o)
    if y is not o:
        return y, opaque("the number behind a weakref.proxy", y) if flows(y) else None
    return y, (pull_same,) if flows(y) else None


def pull_same(shadows: Shadows, y_bar: Value) -> Cotangents:
    return (y_bar,)


def is_proxy(o: Value) -> bool:
    return type(o) in PROXIES


def behind(o: Value) -> Value:
    """The same for attributes, where the object is no number."""
    found = object_of(o)
    return o if found is not o and flows(found) else found


# --- operators ------------------------------------------------------------------------------------


def _of_one(fn: Value) -> Value:
    def method(self: Value) -> Value:
        return fn(object_of(self))

    return method


def _of_two(fn: Value) -> Value:
    def method(self: Value, other: Value) -> Value:
        return fn(object_of(self), object_of(other))

    return method


def _reflected(fn: Value) -> Value:
    def method(self: Value, other: Value) -> Value:
        return fn(object_of(other), object_of(self))

    return method


def _contains(self: Value, other: Value) -> Value:
    return other in object_of(self)


def _set(self: Value, key: Value, value: Value) -> None:
    object_of(self)[key] = value


def _delete(self: Value, key: Value) -> None:
    del object_of(self)[key]


def _backwards(self: Value) -> Value:
    return object_of(self).__reversed__()


_ONE = {
    "abs": abs, "bool": bool, "float": float, "index": operator.index, "int": int,
    "invert": operator.invert, "iter": iter, "len": len, "neg": operator.neg, "pos": operator.pos,
}  # fmt: skip
_TWO = {
    "add": operator.add, "and": operator.and_, "divmod": divmod, "floordiv": operator.floordiv,
    "lshift": operator.lshift, "matmul": operator.matmul, "mod": operator.mod, "mul": operator.mul,
    "or": operator.or_, "pow": operator.pow, "rshift": operator.rshift, "sub": operator.sub,
    "truediv": operator.truediv, "xor": operator.xor,
}  # fmt: skip
_METHODS: dict[str, Value] = {
    **{f"__{name}__": _of_one(fn) for name, fn in _ONE.items()},
    **{f"__{name}__": _of_two(fn) for name, fn in _TWO.items()},
    **{f"__r{name}__": _reflected(fn) for name, fn in _TWO.items()},
    **{
        f"__i{name}__": _of_two(getattr(operator, f"__i{name}__"))
        for name in _TWO
        if name != "divmod"
    },
    "__getitem__": _of_two(operator.getitem), "__contains__": _contains, "__setitem__": _set,
    "__delitem__": _delete, "__reversed__": _backwards,
}  # fmt: skip
for _kind in PROXIES:
    STANDING_IN[_kind] = {name: each for name, each in _METHODS.items() if name in vars(_kind)}
