"""What ``copy`` does with an object, in Python, to be differentiated.

As in the module ``copy``: an object says in the answer of ``__reduce_ex__`` what a copy is made of.
That of a class of C is worked out here. The copies of a deep copy are remembered in ``memo``, each
before its own parts are copied; a shallow copy has none.

>>> class Box:
...     def __init__(self, x):
...         self.x = x
...     def __getstate__(self):
...         return {"x": self.x + 1}
>>> copied_by_hooks(Box(2), None).x
3
"""

from __future__ import annotations

import copy
import copyreg
from collections import OrderedDict, defaultdict, deque
from typing import Any

__all__ = ["REDUCED", "copied_by_hooks", "deepcopied", "deepcopied_parts",
           "reduced_by_class", "state_by_class"]  # fmt: skip

_ABSENT = object()
_NEW: Any = copyreg.__dict__["__newobj__"]
_NEW_EX: Any = copyreg.__dict__["__newobj_ex__"]
REDUCED: Any = (object.__reduce__, set.__reduce__, frozenset.__reduce__, deque.__reduce__,
           defaultdict.__reduce__, OrderedDict.__reduce__, BaseException.__reduce__)  # fmt: skip
"""Those of which ``reduced`` gives the answer."""
_VALUES: Any = (tuple, float, int, complex, str, bytes)


def deepcopied(x: Any, memo: dict[int, Any]) -> Any:  # Any: an object of the user's
    """A deep copy by its own methods."""
    copier = getattr(x, "__deepcopy__", None)
    y = copied_by_hooks(x, memo) if copier is None else copier(memo)
    if y is not x:
        memo[id(x)] = y
    return y


def deepcopied_parts(x: Any, memo: dict[int, Any]) -> Any:
    """A deep copy of a list, a tuple or a dict, part by part; it may contain itself."""
    if type(x) is tuple:
        return _deepcopied_tuple(x, memo)
    y: Any = type(x)()
    memo[id(x)] = y
    if type(x) is list:
        for value in x:
            y.append(copy.deepcopy(value, memo))
    else:
        for key, value in x.items():
            y[copy.deepcopy(key, memo)] = copy.deepcopy(value, memo)
    return y


def _deepcopied_tuple(x: Any, memo: dict[int, Any]) -> Any:
    parts = [copy.deepcopy(value, memo) for value in x]
    if id(x) in memo:  # one of the parts contains it
        return memo[id(x)]
    for part, value in zip(parts, x):  # noqa: B905 - one part for each
        if part is not value:
            memo[id(x)] = tuple(parts)
            return memo[id(x)]
    return x


def copied_by_hooks(x: Any, memo: dict[int, Any] | None) -> Any:
    """A copy of ``x`` by the answer of its ``__reduce_ex__``."""
    cls: Any = type(x)
    reduce = copyreg.dispatch_table.get(cls)
    if reduce is not None:
        answer: Any = reduce(x)
    elif cls.__reduce_ex__ is not object.__reduce_ex__:
        answer = x.__reduce_ex__(4)
    else:
        answer = reduced_by_class(x)
    return x if issubclass(type(answer), str) else rebuilt(x, memo, *answer)


def rebuilt(
    x: Any,
    memo: dict[int, Any] | None,
    fn: Any,
    args: Any,
    state: Any = None,
    items: Any = None,
    pairs: Any = None,
) -> Any:
    """By a function and its arguments, then perhaps a state, and what is to be put into it."""
    if memo is None:
        y = fn(*args)
    else:
        y = fn(*[copy.deepcopy(arg, memo) for arg in args])
        memo[id(x)] = y
    if state is not None:
        set_state(y, state if memo is None else copy.deepcopy(state, memo))
    if items is not None:
        for item in items:
            y.append(item if memo is None else copy.deepcopy(item, memo))
    if pairs is not None:
        for key, value in pairs:
            if memo is None:
                y[key] = value
            else:
                key = copy.deepcopy(key, memo)  # before the value, as Python does
                y[key] = copy.deepcopy(value, memo)
    return y


def set_state(y: Any, state: Any) -> None:
    """Let the copy take this state."""
    slots: Any = None
    if isinstance(y, BaseException) and type(y).__setstate__ is BaseException.__setstate__:
        state, slots = None, state
    elif hasattr(y, "__setstate__"):
        y.__setstate__(state)
        return
    elif issubclass(type(state), tuple) and len(state) == 2:
        state, slots = state
    if state is not None:
        vars(y).update(state)
    if slots is not None:
        for key, value in slots.items():
            setattr(y, key, value)


def reduced_by_class(x: Any, protocol: int = 4) -> Any:
    """What the ``__reduce_ex__`` of ``object`` answers: it asks a ``__reduce__`` first."""
    cls: Any = type(x)
    return reduced(x) if cls.__reduce__ in REDUCED else x.__reduce__()


def reduced(x: Any) -> Any:
    """What the ``__reduce__`` of a class of C answers to a copy."""
    cls: Any = type(x)
    how = cls.__reduce__
    if how is deque.__reduce__:
        return cls, () if x.maxlen is None else ((), x.maxlen), state_of(x), iter(x)
    if how is set.__reduce__ or how is frozenset.__reduce__:
        return cls, (list(x),), state_of(x)
    if how is defaultdict.__reduce__:
        factory = x.default_factory
        return cls, () if factory is None else (factory,), None, None, iter(x.items())
    if how is OrderedDict.__reduce__:
        return cls, (), state_of(x), None, iter(x.items())
    if how is BaseException.__reduce__:
        return (cls, x.args, x.__dict__) if x.__dict__ else (cls, x.args)
    fn, args = new_arguments(x)
    items = iter(x) if issubclass(cls, list) else None
    pairs = iter(x.items()) if issubclass(cls, dict) else None
    return fn, args, state_of(x), items, pairs


def new_arguments(x: Any) -> tuple[Any, Any]:
    """What makes an object of this class, and what it is handed."""
    cls: Any = type(x)
    if hasattr(cls, "__getnewargs_ex__"):
        args, words = x.__getnewargs_ex__()
        return (_NEW_EX, (cls, args, words)) if words else (_NEW, (cls, *args))
    for base in _VALUES:
        if issubclass(cls, base) and cls.__getnewargs__ is base.__getnewargs__:
            return _NEW, (cls, base(x))
    args = x.__getnewargs__() if hasattr(cls, "__getnewargs__") else ()
    return _NEW, (cls, *args)


def state_of(x: Any) -> Any:
    """What ``__getstate__`` answers."""
    cls: Any = type(x)
    own = cls.__getstate__ is not object.__getstate__
    return x.__getstate__() if own else state_by_class(x)


def state_by_class(x: Any) -> Any:
    """What that of ``object`` answers: the attributes, and beside them those in slots."""
    cls: Any = type(x)
    state: Any
    try:
        state = object.__getattribute__(x, "__dict__") or None
    except AttributeError:
        state = None
    slots = {}
    for name in slot_names(cls):
        value = getattr(x, name, _ABSENT)
        if value is not _ABSENT:
            slots[name] = value
    return (state, slots) if slots else state


def slot_names(cls: Any) -> list[str]:
    """The slots of a class and its bases, in the order in which ``copyreg`` lists them."""
    found: list[str] = []
    for base in cls.__mro__:
        own = base.__dict__.get("__slots__", ())
        for name in (own,) if issubclass(type(own), str) else own:
            if name.startswith("__") and not name.endswith("__") and base.__name__.strip("_"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__"):
                found.append(name)
    return found
