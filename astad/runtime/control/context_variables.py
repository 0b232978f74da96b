"""Context variables: `ContextVar.get` gives what `set` put there, or what was there before.

Which of the sets counts is noted for the context that runs: `reset` goes back to the one before,
a copied context has what its model has. Where code that is not recorded has set a variable, or has
gone into another context, the value is known again by its identity; one that neither was there when
the differentiation began nor was set in it where that is recorded is refused, and so is one number
that was set at two places.

>>> from astad.runtime.core.versions import Versions
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

from astad.runtime.core.full_rules import (
    MISSING,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    opaque,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.attributes import COMPUTED
from astad.runtime.operations.indexing import READERS
from astad.runtime.text.texts import leave

__all__: list[str] = []

Sets = dict[Value, int]
"""Of a context, which set of a variable counts: its number, `INERT` or `BEFORE`."""

INERT = -1
"""It was set to something without a derivative."""
BEFORE = -2
"""What was there when the differentiation began."""
DEFAULT = "default"
"""In the place of the number of a set: the default."""


class Known:
    """What is known of the context variables in one differentiation.

    Attributes
    ----------
    values : dict
        The numbers that each variable was set to, in order.
    now : dict
        Of the context that runs.
    contexts : dict
        Of the other contexts, by their id; they are held there.
    tokens : dict
        What counted before a set, by the id of its token; the token is held there.
    made : set
        The variables that were made in it with a number as their default.
    """

    __slots__ = ("begun", "contexts", "made", "now", "tokens", "values")

    def __init__(self) -> None:
        self.values: dict[Value, list[Value]] = {}
        self.now: Sets = {}
        self.begun = [self.now]
        self.contexts: dict[int, tuple[Value, Sets]] = {}
        self.tokens: dict[int, tuple[Value, int]] = {}
        self.made: set[Value] = set()

    def is_of_beginning(self, sets: Sets) -> bool:
        """Is the context the one in which all began, or a copy of it?"""
        return any(each is sets for each in self.begun)

    def sets_of(self, context: Value) -> Sets:
        return self.contexts.setdefault(id(context), (context, {}))[1]

    def copied(self, context: Value, sets: Sets) -> None:
        """A context was copied, of which that is known."""
        made = dict(sets)
        self.contexts[id(context)] = context, made
        if self.is_of_beginning(sets):
            self.begun.append(made)


def known_of(versions: Versions) -> Known:
    found = versions.context_sets
    if found:
        known: Known = found[0]
        return known
    found.append(known := Known())
    return known


def route_of(versions: Versions, variable: Value, y: Value, sets: Sets) -> Record:
    """Of a number that a variable stands for in a context."""
    known = known_of(versions)
    values = known.values.get(variable, [])
    there = versions.context.get(variable, MISSING) is y
    number = sets.get(variable, BEFORE)
    if number >= 0 and values[number] is y:
        return pull_get, variable, number
    if number == BEFORE and there and (known.is_of_beginning(sets) or variable in sets):
        return None
    found = [k for k, value in enumerate(values) if value is y]
    if len(found) + there != 1:
        return opaque("ContextVar.get", y)
    return (pull_get, variable, found[0]) if found else None


@full(contextvars.ContextVar.get)
def get_value(versions: Versions, variable: Value, *default: Value) -> tuple[Value, Record]:
    y = variable.get(MISSING)
    if y is MISSING:
        y = variable.get(*default)
        if default:
            return y, (pull_default,) if flows(y) else None
        return y, (pull_get, variable, DEFAULT) if variable in known_of(versions).made else None
    if not flows(y):
        return y, None  # what has identity has its shadow
    return y, route_of(versions, variable, y, known_of(versions).now)


@full(contextvars.ContextVar, names="name")
def made_variable(versions: Versions, *args: Value, **default: Value) -> tuple[Value, Record]:
    y: Value = contextvars.ContextVar(*args, **default)
    if not flows(default.get("default")):
        return y, None
    known_of(versions).made.add(y)
    return y, (pull_made_variable, y)


def pull_made_variable(shadows: Shadows, y_bar: Value, variable: Value) -> dict[str, Value]:
    return {"default": shadows.key_take(variable, DEFAULT)}


def pull_default(shadows: Shadows, y_bar: Value) -> Cotangents:
    return None, y_bar


def pull_get(shadows: Shadows, y_bar: Value, variable: Value, k: int | str) -> Cotangents:
    """The cotangent waits for the k-th ``set`` of the variable, or for what made it."""
    if y_bar is not None:
        shadows.key_add(variable, k, y_bar)
    return None


@full(contextvars.ContextVar.set)
def set_value(versions: Versions, variable: Value, value: Value) -> tuple[Value, Record]:
    token = variable.set(value)
    known = known_of(versions)
    known.tokens[id(token)] = token, known.now.get(variable, BEFORE)
    if not flows(value):
        known.now[variable] = INERT
        return token, leave(versions, "ContextVar.set", None, (variable, value))
    values = known.values.setdefault(variable, [])
    values.append(value)
    known.now[variable] = len(values) - 1
    record = (pull_set, variable, len(values) - 1)
    return token, leave(versions, "ContextVar.set", record, (variable, value))


def pull_set(shadows: Shadows, y_bar: Value, variable: Value, k: int) -> Cotangents:
    return None, shadows.key_take(variable, k)


@full(contextvars.ContextVar.reset)
def reset_value(versions: Versions, variable: Value, token: Value) -> tuple[None, Record]:
    variable.reset(token)
    known = known_of(versions)
    noted = known.tokens.get(id(token))
    known.now[variable] = BEFORE if noted is None else noted[1]
    return None, None


@full(contextvars.copy_context)
def copy_of_current(versions: Versions) -> tuple[Value, Record]:
    made, known = contextvars.copy_context(), known_of(versions)
    known.copied(made, known.now)
    return made, None


@full(contextvars.Context.copy)
def copy_of_context(versions: Versions, context: Value) -> tuple[Value, Record]:
    made, known = context.copy(), known_of(versions)
    known.copied(made, known.sets_of(context))
    return made, None


@full(contextvars.Context.__getitem__)
def read_in_context(versions: Versions, context: Value, variable: Value) -> tuple[Value, Record]:
    y = context[variable]
    return y, _route_in(versions, context, variable, y)


READERS[contextvars.Context] = read_in_context


@full(contextvars.Context.get)
def get_in_context(
    versions: Versions, context: Value, variable: Value, *default: Value
) -> tuple[Value, Record]:
    if variable not in context:
        y = context.get(variable, *default)
        return y, (pull_second_default,) if default and flows(y) else None
    y = context[variable]
    return y, _route_in(versions, context, variable, y)


def _route_in(versions: Versions, context: Value, variable: Value, y: Value) -> Record:
    sets = known_of(versions).sets_of(context)
    return route_of(versions, variable, y, sets) if flows(y) else None


def pull_second_default(shadows: Shadows, y_bar: Value) -> Cotangents:
    return None, None, y_bar


def read_old_value(versions: Versions, token: Value) -> tuple[Value, Record]:
    """``token.old_value``: what counted before the set that gave the token."""
    y, known = token.old_value, known_of(versions)
    noted = known.tokens.get(id(token))
    if not flows(y) or noted is None:
        return y, opaque("Token.old_value", y)
    return y, route_of(versions, token.var, y, {token.var: noted[1]})


COMPUTED[contextvars.Token, "old_value"] = read_old_value


@full(contextvars.Context.run)
def run_in_context(
    versions: Versions, context: Value, fn: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """As event loops call what is to run."""
    known = known_of(versions)
    outer, known.now = known.now, known.sets_of(context)
    try:
        y, record = context.run(callbacks.call, versions, fn, *args, **keywords)
    finally:
        known.now = outer
    return y, None if record is None else (pull_in_context, record, len(args) + len(keywords))


def pull_in_context(shadows: Shadows, y_bar: Value, record: Record, count: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, count)
    return (None, None, *operands) if operands else None
