"""Distribution functions that compiled code computes: their derivatives by the density.

Of a distribution function F with the density f, y = F(x; s):

    dF/dx = f,    d(1 - F)/dx = -f,    d log F / dx = f / F,    d log(1 - F) / dx = -f / (1 - F)

and of its inverse y = Q(q; s), by the implicit function theorem at F(y; s) = q,

    dQ/dq = 1 / f(y),    dQ/ds = -(dF/ds)(y) / f(y).

The derivative of F in the shapes is that of its source, an error where that has none. This is for
the private methods of the classes, which standardised values inside the support reach, and only
for those that end in a kernel of which a derivative is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType

import numpy as np
from scipy.stats import rv_continuous

from astad.errors import AstadError
from astad.rules.registry import lookup
from astad.runtime.calls.custom_calls import total
from astad.runtime.core.full_rules import FULL, Cotangents, Record, Value, callbacks, flows, full
from astad.runtime.core.listings import deliver
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.unseen.additional import apart
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity, home_of

__all__: list[str] = []

FUNCTIONS = ("_cdf", "_sf", "_logcdf", "_logsf")
INVERSES = {"_ppf": "_cdf", "_isf": "_sf"}


def slope(dist: Value, name: str, x: Value, y: Value, shapes: tuple[Value, ...]) -> Value:
    """The derivative in x of one of FUNCTIONS, of which y is the value."""
    if name in ("_cdf", "_sf"):
        density = dist._pdf(x, *shapes)
    else:
        density = np.exp(dist._logpdf(x, *shapes) - y)
    return density if name in ("_cdf", "_logcdf") else -density


def from_source(
    versions: Versions, fn: Value, args: tuple[Value, ...]
) -> tuple[Value, Record | AstadError]:
    """The call and its record; what astad refuses is no end of the program yet."""
    before = versions.refused
    try:
        return apart(versions, fn, *args)
    except AstadError as error:
        versions.refused = before
        return fn(*args), error


def pull_shapes(
    shadows: Shadows, g: Value, record: Record | AstadError, x: Value, shapes: tuple[Value, ...]
) -> list[Value]:
    """Parts of the shapes by value, through the recorded call ``(dist, x, *shapes)``; x is a copy,
    of which the part is dropped.
    """
    try:
        if isinstance(record, AstadError):
            raise record
        parts = callbacks.pull(shadows, record, g, 2 + len(shapes))
    except AstadError as error:
        refused = Refused(error)
        for shape in filter(has_identity, shapes):
            shadows.add(shape, refused)
        return [refused if flows(shape) else None for shape in shapes]
    shadows.take(x)
    return list(parts or [None] * (2 + len(shapes)))[2:]


def _function_by_density(name: str, fn: FunctionType) -> None:
    """``fn`` is one of FUNCTIONS of a class."""
    source = FunctionType(fn.__code__, fn.__globals__, name, fn.__defaults__, fn.__closure__)
    source.__module__, source.__qualname__ = fn.__module__, fn.__qualname__

    @full(fn)
    def forward(versions: Versions, dist: Value, x: Value, *shapes: Value) -> tuple[Value, Record]:
        copy = np.array(x)
        y, record = from_source(versions, source, (dist, copy, *shapes))
        held = tuple(np.array(shape) for shape in shapes)
        return y, (pull_function, name, dist, x, copy, y, np.array(y), shapes, held, record)


def pull_function(
    shadows: Shadows, y_bar: Value, name: str, dist: Value, x: Value, copy: Value, y: Value,
    y_value: Value, shapes: tuple[Value, ...], held: tuple[Value, ...],
    record: Record | AstadError,
) -> Cotangents:  # fmt: skip
    g = total(shadows, y, y_bar)
    if g is None:
        return None
    with np.errstate(all="ignore"):
        part = deliver(shadows, x, g * slope(dist, name, copy, y_value, held), name)
    return [None, part, *pull_shapes(shadows, g, record, copy, shapes)]


def _inverse_by_density(name: str, fn: FunctionType) -> None:
    """``fn`` is one of INVERSES of a class."""
    function, sign = INVERSES[name], 1 if name == "_ppf" else -1

    @full(fn)
    def forward(versions: Versions, dist: Value, q: Value, *shapes: Value) -> tuple[Value, Record]:
        y = fn(dist, q, *shapes)
        at = np.array(y)
        record: Record | AstadError = None
        if shapes:
            _, record = from_source(versions, getattr(dist, function), (at, *shapes))
            if record is not None and not isinstance(record, AstadError):
                record = (pull_bound, record, 1 + len(shapes))
        held = tuple(np.array(shape) for shape in shapes)
        return y, (pull_inverse, sign, dist, q, y, at, shapes, held, record)


def pull_bound(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    """The object of a bound method as an operand of its own."""
    parts = callbacks.pull(shadows, record, y_bar, n)
    return None if parts is None else (None, *parts)


def pull_inverse(
    shadows: Shadows, y_bar: Value, sign: int, dist: Value, q: Value, y: Value, at: Value,
    shapes: tuple[Value, ...], held: tuple[Value, ...], record: Record | AstadError,
) -> Cotangents:  # fmt: skip
    g = total(shadows, y, y_bar)
    if g is None:
        return None
    with np.errstate(all="ignore"):
        g = g / (sign * dist._pdf(at, *held))
    part = deliver(shadows, q, g, "ppf")
    return [None, part, *pull_shapes(shadows, -g, record, at, shapes)]


# --- which of them need it


def _is_opaque(fn: FunctionType, depth: int = 3) -> bool:
    """Does its text name a compiled kernel of which some derivative is not known?"""
    return depth > 0 and any(_is_unknown(found, depth) for found in _named(fn))


def _named(fn: FunctionType) -> Iterator[Value]:
    """What the names of its text stand for, as globals or in the modules among these."""
    space = fn.__globals__
    modules = [space[name] for name in fn.__code__.co_names if hasattr(space.get(name), "__spec__")]
    for name in fn.__code__.co_names:
        yield space.get(name)
        yield from (vars(module).get(name) for module in modules)


def _is_unknown(found: Value, depth: int) -> bool:
    if type(found) is FunctionType:
        of_stats = (found.__module__ or "").startswith("scipy.stats")
        return of_stats and _is_opaque(found, depth - 1)
    kernel = isinstance(found, np.ufunc) or "cython" in type(found).__name__
    if not kernel or getattr(np, getattr(found, "__name__", ""), None) is found:
        return False
    rule = lookup(found)
    return rule is None or bool(rule.missing)


def _classes(base: type[Value]) -> Iterator[type[Value]]:
    for cls in base.__subclasses__():
        if home_of(cls).startswith("scipy.stats"):
            yield cls
            yield from _classes(cls)


def _declare() -> None:
    classes = list(_classes(rv_continuous))
    for cls in dict.fromkeys(classes):
        for name in (*FUNCTIONS, *INVERSES):
            fn = vars(cls).get(name)
            if type(fn) is FunctionType and id(fn) not in FULL and _is_opaque(fn):
                (_function_by_density if name in FUNCTIONS else _inverse_by_density)(name, fn)
    _inverse_by_density("_ppf", rv_continuous._ppf)


_declare()
