"""Methods of numbers called by name: ``x.__neg__()``, ``super().__add__(b)`` of a subclass.

They give what the operator gives, or NotImplemented, and go back as it does.

>>> from astad import gradient
>>> gradient(lambda x: x.__neg__() * x.__rsub__(1.0), 3.0)
(5.0,)

Numbers taken apart by ``math.frexp`` into a whole number and a power of two.

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
import operator
from decimal import Decimal
from types import MethodDescriptorType, WrapperDescriptorType

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import FULL, Cotangents, Forward, Record, Value, flows, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.rule_pulls import pull_refused
from astad.runtime.operations.operators import BINARY, by_rule, pull_swapped, unary
from astad.tangents.zero import BY_VALUE, plain_number

__all__: list[str] = []

_BASES = (int, float, complex, Decimal)
_SCALARS = [kind for kind in BY_VALUE if issubclass(kind, np.generic)]
_KINDS = {*_BASES, *(base for kind in _SCALARS for base in kind.__mro__[:-1])}
_UNARY = {
    "__neg__": operator.neg, "__pos__": operator.pos, "__abs__": abs, "__invert__": operator.invert,
    "__float__": float, "__complex__": complex, "__int__": int, "__index__": int,
    "__trunc__": int, "__floor__": int, "__ceil__": int, "__round__": round,
}  # fmt: skip
"""Whole parts go back as ``int`` does: an int is itself, all else moves in steps."""


def _method(method: Value, fn: Value, *, swapped: bool) -> Forward:
    def forward(versions: Versions, *operands: Value) -> tuple[Value, Record]:
        y = method(*operands)
        if y is NotImplemented or not (flows(y) or issubclass(type(y), (np.ndarray, tuple))):
            return y, None
        taken = operands[:1] if fn in _WHOLE else operands
        plain = [plain_number(value) for value in (reversed(taken) if swapped else taken)]
        if any(issubclass(type(value), np.generic) for value in plain):
            with np.errstate(all="ignore"):  # the warnings came with the call itself
                same, record = by_rule(versions, fn, *plain)
        else:
            same, record = by_rule(versions, fn, *plain)
        y = same if issubclass(type(same), (np.ndarray, tuple)) else y
        if record is None:
            return y, None
        return y, (pull_swapped if swapped else pull_same, record)

    return forward


_WHOLE = (int, round)


def pull_same(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    found: Cotangents = record[0](shadows, y_bar, *record[1:])
    return found


def _register(kind: type, name: str, fn: Value, *, swapped: bool = False) -> None:
    found = vars(kind).get(name)
    if type(found) in (WrapperDescriptorType, MethodDescriptorType):
        FULL.setdefault(id(found), _method(found, fn, swapped=swapped))


for _kind in _KINDS:
    for _name, _fn in _UNARY.items():
        _register(_kind, _name, _fn)
    for _name in BINARY:
        _fn = getattr(operator, f"__{_name}__")
        _register(_kind, f"__{_name}__", _fn)
        _register(_kind, f"__r{_name}__", _fn, swapped=True)
    _register(_kind, "__divmod__", divmod)
    _register(_kind, "__rdivmod__", divmod, swapped=True)


# --- mantissa and exponent ------------------------------------------------------------------------


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
