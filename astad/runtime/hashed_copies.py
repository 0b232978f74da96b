"""Objects that a copy stands in for, where a set or a dict asks for their hash.

The hash of an object is its identity, unless its class has another. So a set would take the copy
for another object.

>>> from astad.runtime.core.stand_ins import stand_in
>>> class Point:
...     pass
>>> a, versions = Point(), Versions()
>>> copy = Point()
>>> stand_in(versions, copy, a)
>>> check_hashed(versions, build_set, (a, 1.0))
>>> check_hashed(versions, build_set, (a, copy))
Traceback (most recent call last):
...
astad.errors.Unsupported: Point: an object that is passed twice, in a set or as a key: each place \
has a derivative of its own, so a copy stands in for the object: pass the object once and use it \
twice inside, or give its class __eq__ and __hash__
"""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable

from astad.errors import Unsupported
from astad.runtime.containers.list_methods import set_add
from astad.runtime.core.full_rules import Value
from astad.runtime.core.stand_ins import original
from astad.runtime.core.versions import Versions
from astad.runtime.language import build_dict, build_set

__all__ = ["check_hashed"]

_SECOND = slice(1, 2)
_HASHED: dict[Value, slice] = {
    build_set: slice(None), build_dict: slice(0, None, 2), set_add: _SECOND,
    list.remove: _SECOND, deque.remove: _SECOND,
    operator.setitem: _SECOND, operator.getitem: _SECOND, operator.delitem: _SECOND,
    set: slice(None), frozenset: slice(None), dict: slice(None), set.__init__: _SECOND,
    **{getattr(set, name): slice(1, None) for name in
       ("add", "discard", "remove", "update", "union", "intersection", "difference",
        "symmetric_difference", "issubset", "issuperset", "isdisjoint")},
    **{getattr(kind, name): _SECOND for kind in (dict, OrderedDict, defaultdict) for name in
       ("get", "pop", "setdefault", "fromkeys", "__getitem__", "__setitem__", "__delitem__")},
}  # fmt: skip
"""Which operands of a function are looked for by their hash, or by equality in C."""
_BY_ID = {id(fn): which for fn, which in _HASHED.items()}


def check_hashed(versions: Versions, fn: Value, args: tuple[Value, ...]) -> None:
    """Raise if one of them is such a copy, or holds one."""
    which = _BY_ID.get(id(fn))
    if which is None:
        return
    for value in args[which]:
        items: Iterable[Value] = value if type(value) in (list, tuple) else ()
        for each in (value, *items):
            own: Value = type(each).__hash__
            if own is object.__hash__ and original(versions, each) is not each:
                raise Unsupported(
                    type(each).__qualname__, "an object that is passed twice, in a set or as a key",
                    why="each place has a derivative of its own, so a copy stands in for the "
                    "object",
                    instead="pass the object once and use it twice inside, or give its class "
                    "__eq__ and __hash__",
                )  # fmt: skip
