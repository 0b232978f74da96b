"""What ``except`` and ``with`` ask.

>>> catches(KeyError("a"), (ValueError, LookupError))
True
>>> import contextlib
>>> of_class(contextlib.nullcontext(2.0), "__enter__")()
2.0
"""

from __future__ import annotations

from astad.runtime.full_rules import Value, lookup_in_class

__all__ = ["catches", "of_class"]


def catches(exc: BaseException, types: Value) -> bool:
    """Whether ``except types`` catches an exception."""
    parts = types if issubclass(type(types), tuple) else (types,)
    for part in parts:
        if not (issubclass(type(part), type) and issubclass(part, BaseException)):
            what = "catching classes that do not inherit from BaseException is not allowed"
            raise TypeError(what)
    return any(part in type(exc).__mro__ for part in parts)


def of_class(o: Value, name: str) -> Value:
    """A method of the object's class, bound to it, as ``with`` looks it up."""
    found = lookup_in_class(type(o), name)
    if found is None:
        missing = " (missed __exit__ method)" if name == "__exit__" else ""
        raise TypeError(
            f"{type(o).__name__!r} object does not support the context manager protocol{missing}"
        )
    bind = getattr(type(found), "__get__", None)
    return found if bind is None else bind(found, o, type(o))
