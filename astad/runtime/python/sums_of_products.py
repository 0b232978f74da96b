"""``math.sumprod`` (Python 3.12) of lists, and of iterators that it draws from in turn."""

from __future__ import annotations

import math

import numpy as np

from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import deliver, gather
from astad.runtime.operations.operators import by_rule
from astad.runtime.python.callables_of_python import pull_listed

__all__: list[str] = []


def _sumprod(versions: Versions, p: Value, q: Value) -> tuple[Value, Record]:
    """Of two lists; of one and any other iterable, which alone is drawn from; of two others."""
    fn: Value = math.sumprod  # type: ignore[attr-defined]
    lazy = [
        at
        for at, each in enumerate((p, q))
        if not issubclass(type(each), (list, tuple, np.ndarray))
    ]
    if not lazy:
        return by_rule(versions, fn, p, q)
    if len(lazy) == 2:
        return _drawn_in_turn(versions, fn, p, q)
    operands = [p, q]
    operands[lazy[0]], made = callbacks.call(versions, list, operands[lazy[0]])
    y, record = by_rule(versions, fn, *operands)
    return y, (pull_listed, made, record, 2)


def _drawn_in_turn(versions: Versions, fn: Value, p: Value, q: Value) -> tuple[Value, Record]:
    zipped, made = callbacks.call(versions, zip, p, q, strict=True)
    try:
        pairs, routes = gather(versions, zipped)
    except ValueError as error:
        if not str(error).startswith("zip() argument 2 is "):
            raise
        raise ValueError("Inputs are not the same length") from None
    lists = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    y, record = by_rule(versions, fn, *lists)
    return y, (pull_pairs, made, pairs, routes, lists, record)


def pull_pairs(
    shadows: Shadows,
    y_bar: Value,
    made: Record,
    pairs: list[Value],
    routes: list[Record],
    lists: tuple[list[Value], list[Value]],
    record: Record,
) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 2)
    for i in range(len(pairs) - 1, -1, -1):
        for k, items in enumerate(lists):
            part = shadows.slot_take(items, i)
            if part is not None:
                shadows.slot_add(pairs[i], k, part)
        deliver(shadows, routes[i], None)
    return callbacks.pull(shadows, made, None, 2)


if hasattr(math, "sumprod"):
    full(math.sumprod)(_sumprod)
