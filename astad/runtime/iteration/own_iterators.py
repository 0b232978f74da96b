"""Iterators whose class is written in Python: each element is a call of ``__next__``.

What it does before it raises StopIteration counts as well, and so does the value of that. Where
either can be, each call keeps a tape; what is found on the last one is a step of the caller's, or
the loop is refused.
"""

from __future__ import annotations

import dis
import functools
from types import CodeType, FunctionType, MethodType

from astad.runtime.core.full_rules import Record, Value, callbacks, python_method
from astad.runtime.core.versions import Call, Versions
from astad.runtime.iteration.ends import ended
from astad.runtime.iteration.iterate import BY_METHOD, Feed, pull_call
from astad.runtime.iteration.taped import attempt
from astad.tangents.unasked import callable_name

__all__ = ["asked", "raises_first", "stopped"]


def own_steps(versions: Versions, iterator: Value) -> Feed:
    """The elements; what is returned is the StopIteration of the user's."""
    method = python_method(type(iterator), "__next__")
    assert method is not None
    is_simple = isinstance(method, FunctionType) and raises_first(method.__code__)
    while True:
        if is_simple:
            try:
                v, record = callbacks.call(versions, method, iterator)
            except StopIteration as over:
                return over
        else:
            v, record, end = attempt(versions, StopIteration, method, iterator)
            if end is not None:
                _at_end(versions, iterator, record, end)
                return end
        yield v, None if record is None else (pull_call, record, 1)


BY_METHOD["__next__"] = own_steps


def _at_end(versions: Versions, iterator: Value, record: Record, end: BaseException) -> None:
    """What the last call had done before it raised."""
    if record is None:
        return
    if end.args and versions.calls is not None:  # what it hands over is seen
        versions.calls.append(Call((record, ()), True))
        return
    ended(versions, record, f"{type(iterator).__qualname__}.__next__", iterator)


def asked(
    versions: Versions, fn: Value, *values: Value
) -> tuple[Value, Record, StopIteration | None]:
    """What a function answers to an iterator of compiled code, which lets a StopIteration through
    as its own end.
    """
    code = _code_behind(fn)
    if code is None or not may_stop(code):
        try:
            return *callbacks.call(versions, fn, *values), None
        except StopIteration as over:
            return None, None, over
    return attempt(versions, StopIteration, fn, *values)


def stopped(versions: Versions, fn: Value, route: Record, end: StopIteration) -> StopIteration:
    """The end of such an iterator, with the way back through what the function was given."""
    if versions.calls is None:
        ended(versions, route, callable_name(fn), fn)
    else:
        versions.calls.append(Call((route, ()), True))
    return end


def _code_behind(fn: Value) -> CodeType | None:
    kind = type(fn)
    if kind is FunctionType:
        code: CodeType = fn.__code__
        return code
    if kind is MethodType:
        return _code_behind(fn.__func__)
    if kind is functools.partial:
        return _code_behind(fn.func)
    method = python_method(kind, "__call__")
    return method.__code__ if type(method) is FunctionType else None


@functools.cache
def may_stop(code: CodeType) -> bool:
    """Does the text of a function name what raises a StopIteration?"""
    return not {"StopIteration", "next", "__next__", "send"}.isdisjoint(code.co_names)


@functools.cache
def raises_first(code: CodeType) -> bool:
    """Does the function write nothing before it may raise StopIteration, as its text shows?

    >>> class Down:
    ...     def __next__(self):
    ...         if self.n == 0:
    ...             raise StopIteration
    ...         self.n -= 1
    ...         return self.n
    >>> class Up:
    ...     def __next__(self):
    ...         self.n += 1
    ...         return next(self.items)
    >>> raises_first(Down.__next__.__code__), raises_first(Up.__next__.__code__)
    (True, False)
    """
    steps = list(dis.get_instructions(code))
    names = [step.opname for step in steps]
    if any(name.startswith("JUMP_BACKWARD") for name in names) or "LOAD_METHOD" in names:
        return False
    if any(name.startswith("CALL") for name in names):
        return False  # of ``StopIteration(value)`` too: the value may count
    raised = [at for at, name in enumerate(names) if name == "RAISE_VARARGS"]
    written = [at for at, name in enumerate(names) if name in _WRITES]
    return not raised or not written or raised[-1] < written[0]


_WRITES = frozenset({
    "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_DEREF", "STORE_GLOBAL", "DELETE_ATTR",
    "DELETE_SUBSCR",
})  # fmt: skip
