"""Results of scipy that are tuples with attributes besides: what is stored in their attributes.

SciPy writes the ``__init__`` and ``__setattr__`` of such a class as text and executes it; the text
is gone. They put each keyword argument, or the value, into the ``__dict__`` of the object.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from astad.runtime.core.full_rules import FOLLOWED, Cotangents, Record, Value, flows, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows

__all__: list[str] = []


def _classes() -> Iterator[type]:
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("scipy.")]
    values = [value for module in modules if module for value in list(vars(module).values())]
    for found in values:
        if issubclass(type(found), type) and "_extra_fields" in vars(found):
            yield found


def _stores_keywords(init: FunctionType) -> None:
    @full(init)
    def forward(
        versions: Versions, result: Value, *fields: Value, **extra: Value
    ) -> tuple[Value, Record]:
        init(result, *fields, **extra)
        if not any(map(flows, extra.values())):
            return None, None
        return None, (pull_stored, result, len(fields), tuple(extra))

    FOLLOWED[id(init)] = lambda run, *args, **keywords: init(*args, **keywords)


def _is_made_of_fields(new: FunctionType) -> None:
    """In recorded runs; elsewhere it is called as it is."""
    FOLLOWED[id(new)] = lambda run, *args, **keywords: run.recording.fresh(new(*args, **keywords))


def pull_stored(
    shadows: Shadows, y_bar: Value, result: Value, count: int, names: tuple[str, ...]
) -> Cotangents:
    parts = [shadows.key_take(result.__dict__, name) for name in names]
    return [*[None] * (1 + count), *parts]


def _stores_attribute(write: FunctionType) -> None:
    @full(write)
    def forward(
        versions: Versions, result: Value, key: Value, value: Value
    ) -> tuple[Value, Record]:
        write(result, key, value)
        return None, (pull_attribute, result, key, flows(value))

    FOLLOWED[id(write)] = _stored_in_run


def _stored_in_run(run: Any, result: Value, key: Value, value: Value) -> None:
    if run.outside.is_outside(result):
        run.recording.refuse(f"a {type(result).__name__} from outside is written to")
    setattr(result, key, value)


def pull_attribute(
    shadows: Shadows, y_bar: Value, result: Value, key: Value, by_value: bool
) -> Cotangents:
    part = shadows.key_take(result.__dict__, key)
    return None, None, part if by_value else None


for _cls in dict.fromkeys(_classes()):
    for _name, _declare in (
        ("__new__", _is_made_of_fields),
        ("__init__", _stores_keywords),
        ("__setattr__", _stores_attribute),
    ):
        _fn = vars(_cls).get(_name)
        if type(_fn) is FunctionType and _fn.__code__.co_filename == "<string>":
            _declare(_fn)
