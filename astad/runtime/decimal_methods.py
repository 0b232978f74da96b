"""Methods of ``decimal.Decimal``; no float comes in.

>>> from decimal import Decimal
>>> from astad import gradient
>>> gradient(lambda x: (x * x).exp(), Decimal(1))
(Decimal('5.43656365691809047072057494...'),)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal

from astad.runtime.exact_numbers import in_kind
from astad.runtime.full_rules import Cotangents, Record, Value, flows, full, inert, opaque
from astad.runtime.shadows import Shadows
from astad.runtime.texts import take_apart
from astad.runtime.versions import Versions
from astad.tangents.refused import Refused

__all__: list[str] = []

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
