"""Exact numbers taken apart and put together: ``Fraction(n, d)``, ``x.as_integer_ratio()``.

A number is numerator over denominator. Taken apart, its numerator carries the derivative and its
denominator is a constant: what is computed from both comes out right, as sums of fractions do.

>>> from astad import gradient
>>> gradient(lambda x: Fraction(*x.as_integer_ratio()) * x, Fraction(3, 2))
(Fraction(3, 1),)
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

from astad.runtime.full_rules import Cotangents, Record, Value, flows, full
from astad.runtime.shadows import Shadows
from astad.runtime.versions import Versions
from astad.tangents.refused import Refused

__all__ = ["PARTS", "pull_numerator"]

FLOATS = (np.float16, np.float32, np.float64, np.longdouble)


PARTS = {"numerator": True, "_numerator": True, "denominator": False, "_denominator": False}
"""Attributes of exact numbers, and whether they carry the derivative."""


def in_kind(value: Value, bar: Value) -> Value:
    """A cotangent as arithmetic with a value of this kind allows."""
    if type(bar) is Refused:
        return bar
    if issubclass(type(value), Decimal):
        if issubclass(type(bar), Decimal):
            return bar
        return Decimal(bar) if issubclass(type(bar), int | float) else _quotient(bar, Decimal)
    return float(bar) if type(bar) is Decimal else bar


def _quotient(bar: Value, kind: Value) -> Value:
    return kind(bar.numerator) / kind(bar.denominator)


@full(
    float.as_integer_ratio, int.as_integer_ratio, Fraction.as_integer_ratio,
    Decimal.as_integer_ratio, *(kind.as_integer_ratio for kind in FLOATS),
)  # fmt: skip
def as_integer_ratio(versions: Versions, x: Value) -> tuple[Value, Record]:
    y = x.as_integer_ratio()
    versions.exact = True
    return y, (pull_ratio, y, x)


def pull_ratio(shadows: Shadows, y_bar: Value, y: Value, x: Value) -> Cotangents:
    bar = shadows.slot_take(y, 0)
    return (None if bar is None else in_kind(x, bar * y[1]),)


def pull_numerator(shadows: Shadows, y_bar: Value, x: Value) -> Cotangents:
    """Back through ``x.numerator``."""
    return (None if y_bar is None else in_kind(x, y_bar * x.denominator)), None


@full(Fraction, names="numerator denominator")
def fraction(versions: Versions, *args: Value, **options: Value) -> tuple[Value, Record]:
    return _fraction(Fraction, *args, **options)


@full(Fraction.__new__, names="cls numerator denominator")
def fraction_of_class(
    versions: Versions, cls: Value, *args: Value, **options: Value
) -> tuple[Value, Record]:
    """Of a derived class too."""
    return _fraction(cls, *args, **options)


def _fraction(
    cls: Value, numerator: Value = 0, denominator: Value = None, **options: Value
) -> tuple[Value, Record]:
    y = Fraction.__new__(cls, numerator, denominator, **options)
    if not flows(numerator) and not flows(denominator):
        return y, None
    return y, (pull_fraction, y, numerator, denominator)


def _of_coprime(make: Value) -> None:
    """What the operators of Fraction call from Python 3.12 on: it writes the slots of a number."""

    @full(make, names="cls numerator denominator")
    def forward(
        versions: Versions, cls: Value, numerator: Value, denominator: Value
    ) -> tuple[Value, Record]:
        y = make(cls, numerator, denominator)
        carries = flows(numerator) or flows(denominator)
        return y, (pull_fraction, y, numerator, denominator) if carries else None


if "_from_coprime_ints" in vars(Fraction):
    _of_coprime(vars(Fraction)["_from_coprime_ints"].__func__)


def pull_fraction(
    shadows: Shadows, y_bar: Value, y: Value, numerator: Value, denominator: Value
) -> Value:
    if y_bar is None:
        return None
    if denominator is None:
        return {"numerator": in_kind(numerator, y_bar)}
    try:
        bar = y_bar / denominator
    except OverflowError:  # an int beyond the floats
        bar = 0.0 * y_bar
    return {"numerator": bar, "denominator": -bar * y}


@full(Decimal, names="value")
def decimal(versions: Versions, value: Value = "0", *context: Value) -> tuple[Value, Record]:
    y = Decimal(value, *context)
    return y, (pull_decimal, value) if flows(value) else None


def pull_decimal(shadows: Shadows, y_bar: Value, value: Value) -> Value:
    return None if y_bar is None else {"value": in_kind(value, y_bar)}
