"""Exact numbers taken apart and put together: ``Fraction(n, d)``, ``x.as_integer_ratio()``.

A number is numerator over denominator. Taken apart, its numerator carries the derivative and its
denominator is a constant: what is computed from both comes out right, as sums of fractions do.

>>> from astad import gradient
>>> gradient(lambda x: Fraction(*x.as_integer_ratio()) * x, Fraction(3, 2))
(Fraction(3, 1),)

Methods of ``decimal.Decimal``; no float comes in.

>>> from decimal import Decimal
>>> from astad import gradient
>>> gradient(lambda x: (x * x).exp(), Decimal(1))
(Decimal('5.43656365691809047072057494...'),)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, full, inert, opaque
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.text.texts import take_apart
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
        return Decimal(bar) if issubclass(type(bar), (int, float)) else _quotient(bar, Decimal)
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


# --- methods of decimals --------------------------------------------------------------------------


Slopes = Callable[..., tuple[Value, ...]]
"""From the result and the numbers it is made of, its derivative in each."""

SLOPES: dict[str, Slopes] = {
    "sqrt": lambda y, x: (1 / (2 * y) if y else Decimal(0),),
    "exp": lambda y, x: (y,),
    "ln": lambda y, x: (1 / x,),
    "log10": lambda y, x: (1 / (x * Decimal(10).ln()),),
    "next_plus": lambda y, x: (1,),
    "next_minus": lambda y, x: (1,),
    "normalize": lambda y, x: (1,),
    "fma": lambda y, a, b, c: (b, a, 1),
    "conjugate": lambda y, x: (1,),
    "copy_abs": lambda y, x: (_sign(x),),
    "copy_negate": lambda y, x: (-1,),
    "copy_sign": lambda y, x, of: (1 if x.is_signed() == y.is_signed() else -1, 0),
    "max": lambda y, a, b: _chosen(y, a, b),
    "min": lambda y, a, b: _chosen(y, a, b),
    "max_mag": lambda y, a, b: _chosen(y, a, b),
    "min_mag": lambda y, a, b: _chosen(y, a, b),
    "remainder_near": lambda y, a, b: (1, (y - a) / b),
    "scaleb": lambda y, x, exponent: (Decimal(1).scaleb(exponent), 0),
    "add": lambda y, a, b: (1, 1),
    "subtract": lambda y, a, b: (1, -1),
    "multiply": lambda y, a, b: (b, a),
    "divide": lambda y, a, b: (1 / Decimal(b), -y / b),
    "minus": lambda y, x: (-1,),
    "plus": lambda y, x: (1,),
    "abs": lambda y, x: (_sign(x),),
    "remainder": lambda y, a, b: (1, (y - a) / b),
    "power": lambda y, a, b: (b * a ** (b - 1), y * Decimal(a).ln() if a > 0 else 0),
    "create_decimal": lambda y, x: (1,),
    "create_decimal_from_float": lambda y, x: (1,),
}
"""The last eleven are methods of contexts alone."""
PAIRS = {
    "copy_sign", "max", "min", "max_mag", "min_mag", "remainder_near", "scaleb", "add",
    "subtract", "multiply", "divide", "remainder", "power",
}  # fmt: skip


def _sign(x: Value) -> int:
    return -1 if x < 0 else 1 if x > 0 else 0


def _chosen(y: Value, a: Value, b: Value) -> tuple[Value, ...]:
    """Of two numbers that are equal each has half."""
    if a == b:
        return Decimal("0.5"), Decimal("0.5")
    return int(y == a), int(y == b)


def _method(name: str, fn: Value, skipped: int) -> None:
    """A method of ``Decimal``, or (``skipped`` is 1) of a context, which comes first then."""

    count = 3 if name == "fma" else 2 if name in PAIRS else 1
    of_decimal = " ".join(["self", "other", "third"][:count]) + " context"

    @full(fn, order="self a b modulo" if skipped else of_decimal)
    def forward(versions: Versions, *args: Value) -> tuple[Value, Record]:
        y = fn(*args)
        numbers = args[skipped : skipped + count]
        if not any(map(flows, numbers)):
            return y, None
        if skipped and args[3:] and args[3] is not None:
            return y, opaque(f"Decimal.{name} with a modulus", y, args)
        return y, (pull_method, SLOPES[name], y, numbers, skipped, len(args))


def pull_method(
    shadows: Shadows, y_bar: Value, slopes: Slopes, y: Value, numbers: Value, at: int, n: int
) -> Cotangents:
    if y_bar is None:
        return None
    parts: list[Value] = [None] * n
    bar = in_kind(y, y_bar)
    for k, (x, slope) in enumerate(zip(numbers, slopes(y, *numbers), strict=True), at):
        parts[k] = bar if type(bar) is Refused else in_kind(x, bar * slope)
    return parts


for _name in SLOPES:
    for _kind, _skipped in ((Decimal, 0), (Context, 1)):
        if hasattr(_kind, _name):
            _method(_name, getattr(_kind, _name), _skipped)


@full(Decimal.__dict__["from_float"])
def from_float(versions: Versions, cls: Value, x: Value) -> tuple[Value, Record]:
    y = cls.from_float(x)
    return y, (pull_from_float, x) if flows(x) else None


def pull_from_float(shadows: Shadows, y_bar: Value, x: Value) -> Cotangents:
    return None, None if y_bar is None else in_kind(x, y_bar)


@full(Decimal.as_tuple)
def as_tuple(versions: Versions, x: Value) -> tuple[Value, Record]:
    y = x.as_tuple()
    return y, take_apart(versions, "Decimal.as_tuple", (y, y.digits), x)


inert([
    Decimal.quantize, Decimal.to_integral_value, Decimal.to_integral_exact, Decimal.logb,
    Decimal.adjusted, Decimal.compare, Decimal.is_finite, Decimal.is_infinite,
    Decimal.is_nan, Decimal.is_signed, Decimal.is_zero, Decimal.to_eng_string,
])  # fmt: skip
