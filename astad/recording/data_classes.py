"""What the methods that `dataclass` has written do, of which there is no text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from astad.recording import attributes, operations
from astad.recording.run import Run
from astad.runtime.core.variants import bound_arguments
from astad.runtime.operations.dataclass_methods import is_made

__all__ = ["is_followed", "run_method"]

_FACTORY: Any = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]
_INSTANCE: Any = dataclasses._FIELD  # type: ignore[attr-defined]
_CLASS: Any = dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]


def is_followed(fn: FunctionType) -> bool:
    return is_made(fn) and fn.__code__.co_name in _METHODS


def run_method(run: Run, fn: FunctionType, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    return _METHODS[fn.__code__.co_name](run, fn, args, keywords)


def _owner(run: Run, fn: FunctionType, o: Any) -> Any:
    """The class that has this method."""
    for base in type(o).__mro__:
        if base.__dict__.get(fn.__name__) is fn:
            return base
    run.recording.refuse(f"{fn.__qualname__} of another class")


def _init(run: Run, fn: FunctionType, args: Sequence[Any], keywords: dict[str, Any]) -> None:
    flat = bound_arguments(fn, args, keywords)
    o = flat[0]
    cls = _owner(run, fn, o)
    given = dict(zip(fn.__code__.co_varnames[1:], flat[1:], strict=False))
    fields = cls.__dict__["__dataclass_fields__"]
    frozen = cls.__dataclass_params__.frozen
    later: list[Any] = []
    for field in fields.values():
        if field._field_type is _CLASS:
            continue
        if field.init:
            v = given[field.name]
        elif field.default_factory is not dataclasses.MISSING:
            v = _FACTORY
        elif field.default is not dataclasses.MISSING and "__slots__" in cls.__dict__:
            v = field.default
        else:
            continue
        if v is _FACTORY:
            v = run.call(field.default_factory)
        if field._field_type is not _INSTANCE:
            later.append(v)
        elif frozen:
            attributes.put(run, o, field.name, v)
        else:
            attributes.store(run, o, field.name, v)
    if attributes.in_class(run, type(o), "__post_init__") is not None:
        run.method(o, "__post_init__", later, {})


def _eq(run: Run, fn: FunctionType, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    a, b = args
    if type(a) is not type(b):
        return NotImplemented
    fields = _owner(run, fn, a).__dict__["__dataclass_fields__"].values()
    names = [each.name for each in fields if each._field_type is _INSTANCE and each.compare]
    both = [tuple(run.attribute(o, name) for name in names) for o in (a, b)]
    return operations.compare(run, "eq", *map(run.recording.fresh, both))


_METHODS = {"__init__": _init, "__eq__": _eq}
