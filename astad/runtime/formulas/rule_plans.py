"""What applying a rule needs to know besides the values: made once per rule and kinds of operands.

>>> import operator, astad.rules
>>> from astad.rules.registry import lookup
>>> plan_of(lookup(operator.mul), (2.0, True), {}).names
('x1',)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from astad.rules.formula import Rule
from astad.rules.in_force import made_once
from astad.runtime.formulas.whole_numbers import KEEPING_WHOLE
from astad.tangents.zero import BY_VALUE

__all__ = [
    "Numbered",
    "in_floats",
    "of_ints",
    "PLAIN",
    "PLANS",
    "REAL",
    "Place",
    "Plan",
    "as_floats",
    "plan_of",
    "product_text",
]

Value: TypeAlias = Any
"""Any object of the user's program: there is nothing narrower to say."""

Place: TypeAlias = int | tuple[int, ...]
"""Which operand a parameter is; which operands, of a variadic one."""

REAL: frozenset[type] = frozenset([float, int, np.float64])
"""Kinds among which a rule gives cotangents of the right kind by itself."""

PLAIN: frozenset[type] = frozenset([float, int])

_COMPLEX = re.compile(r"[0-9.]j\b")

_INERT = (
    bool,
    str,
    bytes,
    type,
    range,
    slice,
    type(None),
    type(Ellipsis),
    np.bool_,
    np.dtype,
    np.ufunc,
    np.datetime64,
    np.timedelta64,
)


class Plan:
    """For one rule, kinds of operands and names of keywords.

    Attributes
    ----------
    count : int
        Operands, positional then keyword.
    names, places : tuple
        Parameters whose cotangents are computed, and the operands they are.
    missing : tuple of (name, place)
        Parameters that have a derivative but no rule.
    sources : tuple, one per parameter
        The operand it is, or None for a default or a variadic one.
    by_value, by_shape : tuple of bool, one per parameter
        Whether a formula reads its value, or only its shape.
    floats : bool
        All operands are real Python or NumPy numbers, one per parameter: nothing to project,
        nothing to deliver.
    keeps_whole : bool
        Floats that it makes of ints are whole numbers.
    direct : bool
        All operands are numbers and arrays, one per parameter.
    pull_plain : callable or None
        ``pull`` for Python numbers throughout, where it may raise at a pole, and ``pull`` is to be
        asked.
    """

    __slots__ = (
        "by_shape",
        "by_value",
        "count",
        "direct",
        "floats",
        "keeps_whole",
        "missing",
        "names",
        "places",
        "pull",
        "pull_plain",
        "rule",
        "sources",
        "y_by_value",
    )

    def __init__(self, rule: Rule, kinds: Sequence[Value], keywords: Sequence[str]) -> None:
        self.rule = rule
        self.count = len(kinds)
        positional = self.count - len(keywords)
        numbered = {name: Numbered(positional + k) for k, name in enumerate(keywords)}
        bound = rule.signature.bind([Numbered(k) for k in range(positional)], numbered)
        parameters = [parameter.lstrip("*") for parameter in rule.parameters]
        places = {name: _place(value, kinds) for name, value in zip(parameters, bound, strict=True)}
        wanted = {name: p for name, p in places.items() if p is not None and name in rule.back}
        self.names, self.places = tuple(wanted), tuple(wanted.values())
        self.missing = tuple(
            (name, p)
            for name, p in places.items()
            if p is not None and name in rule.missing and _is_asked(p, kinds, rule.missing[name])
        )
        self.sources = tuple(value.k if type(value) is Numbered else None for value in bound)
        self.pull = rule.pull(self.names)
        if whole := of_ints(rule, parameters, bound, kinds):
            self.pull = in_floats(self.pull, whole)
        reads, shapes = rule.needs(self.names), rule.needs_shape(self.names)
        self.by_value = tuple(name in reads for name in parameters)
        self.by_shape = tuple(name in shapes for name in parameters)
        self.y_by_value = "y" in reads or "y" in shapes
        of_arrays = any(isinstance(kind, np.dtype) and kind.kind in "iu" for kind in kinds)
        self.keeps_whole = of_arrays and rule.fn in KEEPING_WHOLE
        plain = not (keywords or rule.refuse or self.missing or rule.signature.star)
        complete = plain and self.count == len(self.places) == len(parameters)
        self.floats = complete and REAL.issuperset(kinds)
        self.direct = complete and all(
            k.kind != "O" if isinstance(k, np.dtype) else k in BY_VALUE for k in kinds
        )
        as_given = self.floats and PLAIN.issuperset(kinds) and not whole
        self.pull_plain = _inlined(rule, self.names) if as_given else None


class Numbered:
    """Stands for an operand while parameters are bound."""

    __slots__ = ("k",)

    def __init__(self, k: int) -> None:
        self.k = k


PLANS: dict[tuple[Value, ...], Plan] = {}
"""``(id(rule), kind of each operand, names of keywords)`` to the plan, which holds the rule."""


def plan_of(rule: Rule, args: Sequence[Value], keywords: Mapping[str, Value]) -> Plan:
    """The plan for a call."""
    operands = (*args, *keywords.values()) if keywords else args
    kinds = [value.dtype if isinstance(value, np.ndarray) else type(value) for value in operands]
    key = (id(rule), *kinds, *keywords)
    plan = PLANS.get(key)
    if plan is None:
        PLANS[key] = plan = made_once(partial(Plan, rule, kinds, tuple(keywords)))
    return plan


def _inlined(rule: Rule, names: Sequence[str]) -> Callable[..., Any] | None:
    """The formulas as generated text has them for floats, 7 times faster than the general ``pull``
    of a product."""
    texts = [rule.inline(name, "float") for name in names]
    scope: dict[str, Any] = {"__name__": __name__}
    for text in texts:
        if text is None or _COMPLEX.search(text):
            return None
        scope.update(rule.globals_of(text))
    body = ", ".join(product_text(rule, str(text)) for text in texts)
    exec(f"def pull_plain(y_bar, y, {', '.join(rule.parameters)}): return ({body},)", scope)
    made: Callable[..., Any] = scope["pull_plain"]
    return made


def product_text(rule: Rule, slope: str) -> str:
    """The cotangent of a number: ``y_bar`` times its slope."""
    if rule.selects:
        return f"(y_bar * slope if (slope := {slope}) else 0.0)"
    return f"{'y_bar and ' * rule.zero_safe}y_bar * ({slope})"


def of_ints(
    rule: Rule, parameters: Sequence[str], bound: Sequence[Value], kinds: Sequence[Value]
) -> list[int]:
    """The parameters, by number, whose ints the formulas are given as floats: computed with ints,
    ``1 + x**2`` overflows, ``-x`` of unsigned ones wraps around, and ``x ** -1`` is an error.

    Those of Python do nothing of this, but are NumPy's where its functions meet ints alone: in a
    formula of SciPy's one alone may.
    """
    if rule.form == "scalar" and rule.selects or not rule.name.startswith(_COMPUTING[rule.form]):
        return []
    read = [
        (n, kinds[value.k])
        for n, (name, value) in enumerate(zip(parameters, bound, strict=True))
        if type(value) is Numbered and name in rule.back and not _takes_ints(rule.fn, n)
    ]
    of_numpy = [
        n
        for n, kind in read
        if _is_whole(kind) or (rule.form == "scalar" and kind in (list, tuple))
    ]
    whole = [n for n, kind in read if kind is int or n in of_numpy]
    may_meet = rule.name.startswith(OF_SCIPY) or len(whole) == len(read)
    return whole if may_meet and rule.name.startswith(OF_NUMPY) else of_numpy


def _takes_ints(fn: Any, n: int) -> bool:
    """Does a ufunc do otherwise with an int there, beside floats: a polynomial of an order?

    >>> _takes_ints(np.ldexp, 1), _takes_ints(np.multiply, 0)
    (True, False)
    """
    if not isinstance(fn, np.ufunc) or fn.nin < 2:
        return False
    loops = [types[: fn.nin] for types in fn.types]
    return any(loop[n] in _WHOLE and not _REAL.isdisjoint(loop) for loop in loops)


_WHOLE, _REAL = frozenset("bhilqBHILQ"), frozenset("efdg")
OF_NUMPY, OF_SCIPY = ("np.", "scipy."), "scipy."
_COMPUTING = {"scalar": "", "linear": "scipy.", "structured": "scipy.", "zero": "scipy."}
"""By form, the beginning of the names of rules whose formulas compute with values: others compare
them, or multiply the cotangent, which is of floats."""


def _is_whole(kind: Value) -> bool:
    if isinstance(kind, np.dtype):
        return kind.kind in "iu"
    return issubclass(kind, np.integer)


def in_floats(pull: Callable[..., Any], of_ints: Sequence[int]) -> Callable[..., Any]:
    """``pull`` with these parameters, and a result of ints, as floats."""

    def pull_in_floats(y_bar: Value, y: Value, *values: Value) -> Any:
        widened = list(values)
        for n in of_ints:
            widened[n] = as_floats(values[n])
        return pull(y_bar, y if issubclass(type(y), (list, tuple)) else as_floats(y), *widened)

    return pull_in_floats


def as_floats(x: Value) -> Value:
    """What a formula computes with where it is given an int, or an array of ints."""
    if type(x) is int:
        try:
            return float(x)
        except OverflowError:
            return x
    if issubclass(type(x), (list, tuple)):  # of a function that makes an array of it
        made = np.asarray(x)
        return made.astype(np.float64) if made.dtype.kind in "iu" else x
    kind = getattr(x, "dtype", None)
    if kind is None or kind.kind not in "iu":
        return x
    return x.astype(np.float64) if issubclass(type(x), np.ndarray) else np.float64(x)


def _place(value: Value, kinds: Sequence[Value]) -> Place | None:
    """The operands that a parameter is, if one of them may carry a derivative."""
    if type(value) is Numbered:
        return value.k if _carries(kinds[value.k]) else None
    if type(value) is tuple and any(
        _carries(kinds[part.k]) for part in value if type(part) is Numbered
    ):
        return tuple(part.k for part in value)
    return None


def _carries(kind: Value) -> bool:
    """Whether operands of this kind may have a cotangent."""
    if isinstance(kind, np.dtype):
        return kind.kind in "fciuO"
    return kind in BY_VALUE or not issubclass(kind, _INERT)


def _is_asked(place: Place, kinds: Sequence[Value], why: str) -> bool:
    """A missing rule matters but for an int where whole numbers alone make sense."""
    places = (place,) if isinstance(place, int) else place
    return not (why.startswith(_OF_COUNTS) and all(kinds[k] is int for k in places))


_OF_COUNTS = ("it is a count", "it is an integer")
