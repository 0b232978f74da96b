"""Context variables: `ContextVar.get` gives what `set` put there, or what was there before.

The value is known again by its identity, so that `reset`, copied contexts and `Context.run` need no
bookkeeping. One that neither was there when the differentiation began nor was set in it where that
is recorded is refused.

>>> from astad.runtime.versions import Versions
>>> rate = contextvars.ContextVar("rate", default=2.0)
>>> versions = Versions()
>>> get_value(versions, rate)
(2.0, None)
>>> token, _ = set_value(versions, rate, 1.5)
>>> y, record = get_value(versions, rate)
>>> y, record[0].__name__
(1.5, 'pull_get')
"""

from __future__ import annotations

import contextvars

from astad.runtime.full_rules import MISSING, Cotangents, Record, Value, flows, full, inert, opaque
from astad.runtime.shadows import Shadows
from astad.runtime.texts import leave
from astad.runtime.versions import Versions

__all__: list[str] = []
inert([contextvars.ContextVar.reset])


@full(contextvars.ContextVar.get)
def get_value(versions: Versions, variable: Value, *default: Value) -> tuple[Value, Record]:
    y = variable.get(MISSING)
    if y is MISSING:
        y = variable.get(*default)
        return y, (pull_default,) if default and flows(y) else None
    if not flows(y):
        return y, None  # what has identity has its shadow
    values = versions.context_values.get(variable, ())
    for k in reversed(range(len(values))):
        if values[k] is y:
            return y, (pull_get, variable, k)
    if versions.context.get(variable, MISSING) is y:
        return y, None
    return y, opaque("ContextVar.get", y)


def pull_default(shadows: Shadows, y_bar: Value) -> Cotangents:
    return None, y_bar


def pull_get(shadows: Shadows, y_bar: Value, variable: Value, k: int) -> Cotangents:
    """The cotangent waits for the k-th ``set`` of the variable."""
    if y_bar is not None:
        shadows.key_add(variable, k, y_bar)
    return None


@full(contextvars.ContextVar.set)
def set_value(versions: Versions, variable: Value, value: Value) -> tuple[Value, Record]:
    token = variable.set(value)
    if not flows(value):
        return token, leave(versions, "ContextVar.set", None, (variable, value))
    values = versions.context_values.setdefault(variable, [])
    values.append(value)
    record = (pull_set, variable, len(values) - 1)
    return token, leave(versions, "ContextVar.set", record, (variable, value))


def pull_set(shadows: Shadows, y_bar: Value, variable: Value, k: int) -> Cotangents:
    return None, shadows.key_take(variable, k)
