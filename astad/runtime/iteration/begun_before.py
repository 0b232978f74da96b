"""Steps of a generator that was begun before the differentiation: nothing of them is recorded.

What it hands out is refused where a derivative is asked for. What it writes into things that others
may hold is refused at once.

>>> def count():
...     k = 0
...     while True:
...         k = k + (yield k)
>>> counting = count()
>>> next(counting), step(counting, lambda: counting.send(2.0))
(0, 2.0)
"""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

import numpy as np

from astad.code_objects import names_in
from astad.errors import Unsupported
from astad.runtime.core.full_rules import Record, Value, flows, opaque
from astad.runtime.cotangents.contents import contents, fingerprint, parts_of
from astad.runtime.unseen.foreign_iterators import BEGUN_BEFORE
from astad.tangents.zero import has_identity

__all__ = ["refused", "step"]

WHY = "it was begun before the differentiation, so that nothing it does is recorded"
INSTEAD = "begin the generator inside the function"


def refused(generator: Value, y: Value) -> Record:
    """The record of a value that it has handed out."""
    return opaque(f"a value of {generator.__qualname__}", y, None, *BEGUN_BEFORE)


def step(generator: Value, run: Callable[[], Any]) -> Any:  # Any: what the step gives
    """Run it; an error if the generator has written something that may carry a derivative."""
    before = contents(_reached(generator))
    try:
        return run()
    finally:
        written = next((value for value, content in before if _is_written(value, content)), None)
        if written is not None:
            raise Unsupported(
                generator.__qualname__,
                f"a step of a generator that writes into a {type(written).__name__}",
                why=WHY,
                instead=INSTEAD,
            )


def _reached(generator: GeneratorType[Any, Any, Any]) -> list[Value]:
    """What its variables hold, and the globals that its text names."""
    frame = generator.gi_frame
    if frame is None:
        return []
    named = (frame.f_globals[name] for name in names_in(frame.f_code) if name in frame.f_globals)
    return [*frame.f_locals.values(), *named]


def _is_written(value: Value, content: Value) -> bool:
    if issubclass(type(value), np.ndarray):
        return value.dtype.kind in "fcO" and fingerprint(value) != content
    now, then = parts_of(value), dict(content)
    return any(
        then.get(key, then) is not part and (has_identity(part) or _may_carry(part))
        for key, part in now.items()
    )


def _may_carry(part: Value) -> bool:
    """A count is no number that a derivative goes through."""
    return flows(part) and type(part) is not int
