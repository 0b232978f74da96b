"""Iterators whose class is written in Python: each element is a call of ``__next__``.

What it does before it raises StopIteration counts as well. Where that can be, each call keeps a
tape; what is found on the last one is a step of the caller's, or the loop is refused.
"""

from __future__ import annotations

import dis
import functools
import sys
from types import CodeType, FunctionType

from astad.errors import Unsupported
from astad.runtime.full_rules import Record, Value, callbacks, python_method
from astad.runtime.generators import is_harmless
from astad.runtime.iterate import BY_METHOD, Feed, pull_call
from astad.runtime.trials import attempt
from astad.runtime.versions import Call, Versions

__all__ = ["raises_first"]


def own_steps(versions: Versions, iterator: Value) -> Feed:
    method = python_method(type(iterator), "__next__")
    assert method is not None
    is_simple = isinstance(method, FunctionType) and raises_first(method.__code__)
    while True:
        if is_simple:
            try:
                v, record = callbacks.call(versions, method, iterator)
            except StopIteration:
                return
        else:
            v, record, end = attempt(versions, StopIteration, method, iterator)
            if end is not None:
                _at_end(versions, iterator, record)
                return
        yield v, None if record is None else (pull_call, record, 1)


BY_METHOD["__next__"] = own_steps


def _at_end(versions: Versions, iterator: Value, record: Record) -> None:
    """What the last call had done before it raised."""
    if record is None or is_harmless(record[1]):
        return
    if versions.calls is None:
        raise Unsupported(
            f"{type(iterator).__qualname__}.__next__",
            "an iterator that changes things after its last value",
            why="a loop over it does not record what happens when it ends",
            instead="raise StopIteration first, or put the loop into a try",
        )
    versions.calls.append(Call((record, ()), True))


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
    asked = {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}
    by_attribute = sys.version_info >= (3, 12) and any(
        step.opname == "LOAD_ATTR" and (step.arg or 0) & 1 for step in steps
    )
    calls = any(name.startswith("CALL") for name in names)
    if calls and (by_attribute or not asked <= {"StopIteration"}):
        return False
    raised = [at for at, name in enumerate(names) if name == "RAISE_VARARGS"]
    written = [at for at, name in enumerate(names) if name in _WRITES]
    return not raised or not written or raised[-1] < written[0]


_WRITES = frozenset({
    "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_DEREF", "STORE_GLOBAL", "DELETE_ATTR",
    "DELETE_SUBSCR",
})  # fmt: skip
