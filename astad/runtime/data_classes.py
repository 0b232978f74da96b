"""What `dataclass` makes of a class: a number in its body becomes the default of a field.

>>> from astad.runtime.versions import Versions
>>> class Box:
...     width: float
...     height: float = 2.0
>>> made, _ = process(Versions(), Box, *[True] * 3, *[False] * 3, True, *[False] * 3)
>>> made(1.0)
Box(width=1.0, height=2.0)
"""

from __future__ import annotations

import dataclasses
from types import FunctionType
from typing import Any

from astad.runtime.dataclass_methods import is_made
from astad.runtime.full_rules import Cotangents, Record, Value, flows, full
from astad.runtime.owners import class_dict
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions

__all__ = ["process"]

PROCESS: Value = getattr(dataclasses, "_process_class")  # noqa: B009  (private: unknown to mypy)
Source = tuple[Value, str]
"""Where a default was written: the class, by its dict, and the name; or ``field(default=...)``."""


@full(PROCESS)
def process(
    versions: Versions, cls: Value, /, *options: Value, **named: Value
) -> tuple[Value, Record]:
    bound = dict(vars(cls))
    made: Value = PROCESS(cls, *options, **named)
    sources = {
        name: (bound[name], "default")
        if isinstance(bound[name], dataclasses.Field)
        else (class_dict(cls), name)
        for name, field in made.__dataclass_fields__.items()
        if flows(field.default) and name in bound
    }
    init = vars(made).get("__init__")
    own = init if type(init) is FunctionType and is_made(init) else _nothing
    return made, (pull_process, made, own, sources) if sources else None


def _nothing() -> None:
    """In the place of an ``__init__`` that `dataclass` did not write."""


def pull_process(
    shadows: Shadows, y_bar: Value, made: Value, init: Any, sources: dict[str, Source]
) -> Cotangents:
    """From the defaults of ``__init__``, from the attributes that came out of a ``field``, and from
    the fields that were made for attributes.
    """
    code, defaults, words = init.__code__, init.__defaults__ or (), init.__kwdefaults__ or {}
    late = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    for name, (holder, key) in sources.items():
        parts = []
        if name in late:
            parts.append(shadows.slot_take(defaults, late.index(name)))
        if name in words:
            parts.append(shadows.key_take(words, name))
        if key == "default":
            parts.append(shadows.key_take(class_dict(made), name))
        else:
            parts.append(shadows.key_take(made.__dataclass_fields__[name], "default"))
        for part in parts:
            if part is not None:
                shadows.key_add(holder, key, part)
    return None
