"""``yield from``: what goes to the inner generator.

>>> def inner():
...     yield 1
...     return 2
>>> run = inner()
>>> resume(run, None)
1
>>> try:
...     resume(run, None)
... except StopIteration as end:
...     print(end.value)
2
"""

from __future__ import annotations

from astad.runtime.full_rules import Cotangents, Record, Value, callbacks, full
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["resume", "throw_in"]


def resume(inner: Value, sent: Value) -> Value:
    """The next value of the inner generator, ``sent`` sent in unless it is None."""
    return next(inner) if sent is None else inner.send(sent)


@full(resume)
def resume_forward(versions: Versions, inner: Value, sent: Value) -> tuple[Value, Record]:
    if sent is None:
        y, record = callbacks.call(versions, next, inner)
        return y, None if record is None else (pull_next, record)
    y, record = callbacks.call(versions, inner.send, sent)
    return y, None if record is None else (pull_sent, record)


def pull_next(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 1)
    return None


def pull_sent(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    return None, *(callbacks.pull(shadows, record, y_bar, 1) or (None,))


def throw_in(inner: Value, error: BaseException) -> Value:
    """The next value after an exception that the outer generator got."""
    return _thrower(inner, error)(error)


@full(throw_in)
def throw_in_forward(
    versions: Versions, inner: Value, error: BaseException
) -> tuple[Value, Record]:
    if isinstance(error, GeneratorExit):
        close = getattr(inner, "close", None)
        if close is not None:
            callbacks.call(versions, close)
        raise error
    y, record = callbacks.call(versions, _thrower(inner, error), error)
    return y, None if record is None else (pull_next, record)


def _thrower(inner: Value, error: BaseException) -> Value:
    throw = getattr(inner, "throw", None)
    if throw is None:
        raise error
    return throw
