"""Copies of objects that say themselves how they are copied, in Python, to be differentiated.

What ``copy`` does with the answers of ``__reduce__``, ``__reduce_ex__``, ``__getnewargs__``,
``__getstate__`` and ``__setstate__``; ``part`` copies what an object holds, or hands it on.

>>> class Box:
...     def __init__(self, x):
...         self.x = x
...     def __getstate__(self):
...         return {"x": self.x + 1}
>>> copied_by_hooks(Box(2), lambda value: value).x
3
"""

from __future__ import annotations

from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any

from astad.runtime.owners import stored_in
from astad.tangents.unasked import has_in_class

__all__ = ["copied_by_hooks", "copied_parts"]


def copied_by_hooks(x: Any, part: Callable[[Any], Any]) -> Any:  # Any: an object of the user's
    """A copy of ``x``."""
    cls: Any = type(x)
    if cls.__reduce_ex__ is not object.__reduce_ex__:
        return rebuilt(x, x.__reduce_ex__(4), part)
    if cls.__reduce__ is not object.__reduce__:
        return rebuilt(x, x.__reduce__(), part)
    args: tuple[Any, ...] = ()
    words: dict[str, Any] = {}
    if has_in_class(cls, "__getnewargs_ex__"):
        args, words = x.__getnewargs_ex__()
    elif has_in_class(cls, "__getnewargs__"):
        args = x.__getnewargs__()
    y = cls.__new__(cls, *[part(arg) for arg in args], **{k: part(v) for k, v in words.items()})
    own = cls.__getstate__ is not object.__getstate__
    state = x.__getstate__() if own else stored_in(x)
    y = with_state(y, state, part)
    if issubclass(cls, list):
        for item in x:
            y.append(part(item))
    elif issubclass(cls, dict):
        for key, value in x.items():
            y[part(key)] = part(value)
    return y


def rebuilt(x: Any, answer: Any, part: Callable[[Any], Any]) -> Any:
    """By a function and its arguments, then perhaps a state, and what is to be put into it."""
    if issubclass(type(answer), str):
        return x
    fn, args = answer[0], answer[1]
    y = fn(*[part(arg) for arg in args])
    if len(answer) > 2:
        y = with_state(y, answer[2], part)
    if len(answer) > 3 and answer[3] is not None:
        for item in answer[3]:
            y.append(part(item))
    if len(answer) > 4 and answer[4] is not None:
        for key, value in answer[4]:
            y[part(key)] = part(value)
    return y


def with_state(y: Any, state: Any, part: Callable[[Any], Any]) -> Any:
    """The copy, once it has taken this state."""
    if state is None:
        return y
    state = part(state)
    if has_in_class(type(y), "__setstate__"):
        y.__setstate__(state)
        return y
    slots = None
    if issubclass(type(state), tuple) and len(state) == 2:
        state, slots = state
    if state is not None:
        y.__dict__.update(state)
    if slots is not None:
        for key, value in slots.items():
            setattr(y, key, value)
    return y


def copied_parts(x: Any, part: Callable[[Any], Any], memo: dict[int, Any]) -> Any:
    """A deep copy of a container or plain object, part by part; it may contain itself."""
    kind: Any = type(x)
    if issubclass(type(x), tuple):
        return tuple([part(value) for value in x])
    if issubclass(type(x), set):
        return {part(value) for value in x}
    y = kind() if issubclass(type(x), dict | list) else kind.__new__(kind)
    memo[id(x)] = y
    if issubclass(type(x), dict):
        for key, value in x.items():
            y[part(key)] = part(value)
    elif issubclass(type(x), list):
        for value in x:
            y.append(part(value))
    if hasattr(x, "__dict__"):
        for name, value in vars(x).items():
            y.__dict__[name] = part(value)
    for cls in kind.__mro__:
        for name in cls.__dict__.get("__slots__", ()) and list(cls.__dict__):
            if type(cls.__dict__[name]) is MemberDescriptorType and hasattr(x, name):
                object.__setattr__(y, name, part(getattr(x, name)))
    return y
