"""Numbers taken apart by ``math.frexp`` into a whole number and a power of two.

Libraries of long numbers start with ``int(m * 2**53)``, which has no fractional part to lose: the
whole number stands for the float, and what is computed with it goes by shifts and masks of bits.
Those are steps, so a derivative by the float is lost, and refused.

>>> from astad import gradient
>>> gradient(lambda x: int(math.frexp(x)[0] * 2**53) / 2**53, 0.75)  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
astad.errors.Unsupported: ...int: a float taken apart into a whole number ...
"""

from __future__ import annotations

import math

import numpy as np

from astad.errors import Unsupported
from astad.runtime.full_rules import Record, Value, full
from astad.runtime.operators import by_rule, unary
from astad.runtime.rule_pulls import pull_refused
from astad.runtime.versions import Versions

__all__: list[str] = []

_WITHOUT_FRACTION = 2.0**52
_FLOATS = (float, np.float64)
_whole = unary(int, "__int__")


@full(math.frexp)
def frexp(versions: Versions, x: Value) -> tuple[Value, Record]:
    y, record = by_rule(versions, math.frexp, x)
    versions.apart = versions.apart or record is not None
    return y, record


@full(int)
def whole(
    versions: Versions, x: Value = 0, *more: Value, **keywords: Value
) -> tuple[Value, Record]:
    y, record = _whole(versions, x, *more, **keywords)
    if not versions.apart or type(x) not in _FLOATS or abs(x) < _WITHOUT_FRACTION:
        return y, record
    versions.exact = True
    return y, (pull_refused, _lost(), y, None, [x])


def _lost() -> Unsupported:
    return Unsupported(
        "int",
        "a float taken apart into a whole number that stands for it",
        why="the whole number carries the derivative of the float, which shifts of its bits lose",
        instead="compute with floats, or give a rule with astad.adjoint",
    )
