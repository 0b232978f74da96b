"""`scipy.integrate.quad` by the rule of Leibniz, on the partition that QUADPACK has found.

Of y = int_a^b f(t; p) dt: dy/db = f(b), dy/da = -f(a), dy/dp = int df/dp dt. Each call of f is
recorded while QUADPACK makes it; the integral of df/dp is the sum over the Gauss-Kronrod nodes of
the final subintervals, with their weights, so that f is called twice more only, at the limits. The
same sum of f must give the integral to within ten times the tolerance asked for; where it does not
(an integrand that is singular at a limit, extrapolated by QUADPACK) there is an error.

Weights: computed as those of the 21 and 15 point rules of Piessens et al. 1983, QUADPACK.

>>> from scipy import integrate
>>> from astad import gradient
>>> def area(a, b):
...     return integrate.quad(lambda t: a * t * t, 0.0, b)[0]
>>> [round(float(bar), 12) for bar in gradient(area, 2.0, 3.0)]
[9.0, 18.0]
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from scipy import integrate

from astad.errors import AstadError, Unsupported
from astad.runtime.core.full_rules import Record, Value, callbacks, full, opaque, pull_by_name
from astad.runtime.core.listings import deliver
from astad.runtime.core.seeded import Seeded, seeded, times
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.structures import scatter
from astad.runtime.scipy.recorded import Array, deliver_args, given_to, packed, refuse_arrived
from astad.runtime.unseen.additional import additional, apart, holders_of, may_be_repeated, put_back
from astad.runtime.unseen.harmless import writes_nothing
from astad.runtime.unseen.unrecorded import watch_rules
from astad.tangents.add import add
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity, home_of

__all__ = ["kronrod"]

Cotangents = dict[str, Value]
_SHAPE = signature(integrate.quad)


class Call(NamedTuple):
    """One recorded call of the integrand."""

    t: float
    value: Value
    record: Record


@functools.cache
def kronrod(n: int) -> tuple[Array, Array]:
    """Nodes and weights on (-1, 1) of the Kronrod extension of the Gauss rule of n points.

    >>> nodes, weights = kronrod(10)
    >>> nodes.size, round(float(nodes[-1]), 15), round(float(weights[-1]), 15)
    (21, 0.995657163025808, 0.011694638867372)

    Notes
    -----
    Laurie 1997, Mathematics of Computation 66, 1133: the Jacobi-Kronrod matrix.
    """
    a, b = np.zeros(2 * n + 1), np.zeros(2 * n + 1)
    k = np.arange(1, (3 * n + 1) // 2 + 1)
    b[0] = 2.0
    b[k] = k * k / (4.0 * k * k - 1)
    s, t = np.zeros(n // 2 + 2), np.zeros(n // 2 + 2)
    t[1] = b[n + 1]
    for m in range(n - 1):
        total = 0.0
        for i in range((m + 1) // 2, -1, -1):
            j = m - i
            total += (a[i + n + 1] - a[j]) * t[i + 1] + b[i + n + 1] * s[i] - b[j] * s[i + 1]
            s[i + 1] = total
        s, t = t, s
    s[1:] = s[:-1].copy()
    for m in range(n - 1, 2 * n - 2):
        total, j = 0.0, 0
        for i in range(m + 1 - n, (m - 1) // 2 + 1):
            j = n - 1 - (m - i)
            total -= (a[i + n + 1] - a[m - i]) * t[j + 1]
            total -= b[i + n + 1] * s[j + 1] - b[m - i] * s[j + 2]
            s[j + 1] = total
        i = (m + 1) // 2
        if m % 2 == 0:
            a[i + n + 1] = a[i] + (s[j + 1] - b[i + n + 1] * s[j + 2]) / t[j + 2]
        else:
            b[i + n + 1] = s[j + 1] / s[j + 2]
        s, t = t, s
    a[2 * n] = a[n - 1] - b[2 * n] * s[1] / t[1]
    off = np.sqrt(b[1:])
    nodes, vectors = np.linalg.eigh(np.diag(a) + np.diag(off, 1) + np.diag(off, -1))
    return nodes, 2.0 * vectors[0] ** 2


@full(integrate.quad, names=" ".join(_SHAPE.parameters))
def quad(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    given = _bound(args, keywords)
    fn, a, b = given.pop("func"), given.pop("a"), given.pop("b")
    if given.get("weight") is not None or given.get("complex_func") or not _is_python(fn):
        y = integrate.quad(fn, a, b, **given)
        what = "scipy.integrate.quad with weight=, complex_func= or a compiled integrand"
        record = opaque(what, y, (fn, a, b, given.get("args", ()), given.get("wvar")))
        return y, None if record is None else (pull_opaque_quad, record)
    more = given.get("args", ())
    flat = more if isinstance(more, tuple) else (more,)
    calls: list[Call] = []

    def recorded(t: float, *rest: Value) -> Value:
        value, record = apart(versions, fn, t, *flat)
        calls.append(Call(t, value, record))
        return value

    def once_more(t: float) -> None:
        calls.append(Call(t, *additional(versions, fn, t, *flat)))

    wanted, holders = given.pop("full_output", 0), holders_of(fn, flat)
    out = integrate.quad(recorded, a, b, full_output=1, **given)
    y = _as_wanted(out, wanted)
    found = _weighted(calls, float(a), float(b), out, given)
    is_finite = np.isfinite(a) and np.isfinite(b)
    if is_finite and (
        isinstance(found, AstadError) or _is_rough_at_an_end(out, float(a), float(b))
    ):
        found = _doubly_exponential(once_more, calls, float(a), float(b), out[0], found)
    repeats = may_be_repeated(fn, flat)
    ends = [_end(fn, end, flat, repeats=repeats) for end in (a, b)]
    return y, (pull_quad, y, found, calls, (a, b), ends, more, len(flat), holders)


def _as_wanted(out: Value, wanted: Value) -> Value:
    """The result of a call with ``full_output`` as that of the user's call."""
    if not wanted and len(out) > 3:
        warnings.warn(out[3], integrate.IntegrationWarning, stacklevel=3)
    return out if wanted else out[:2]


def _by_texts(
    versions: Versions, /, *args: Value, **keywords: Value
) -> tuple[Value, Record] | None:
    """The rule for an integrand that does nothing but give a value, by its text: derivatives at the
    final nodes, without a record of any call. None where there is none, or other nodes are needed.
    """
    given = _bound(args, keywords)
    fn, a, b = given.pop("func"), given.pop("a"), given.pop("b")
    if given.get("weight") is not None or given.get("complex_func"):
        return None
    more = given.get("args", ())
    flat = more if isinstance(more, tuple) else (more,)
    texts = seeded(versions, fn, (0.5, *flat))
    if texts is None or texts.text("number", (0.5, *flat)) is None:
        return None
    wanted = given.pop("full_output", 0)
    out = integrate.quad(fn, a, b, full_output=1, **given)
    low, high = float(a), float(b)
    try:
        found = _summed(texts, _final_nodes(out, low, high), flat)
    except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError):
        return None  # of a guard, or of a derivative that is not there: records tell of it
    if found is None or not _is_near(found.total, out[0], given):
        return None
    if np.isfinite(low) and np.isfinite(high) and _is_rough_at_an_end(out, low, high):
        return None
    y = _as_wanted(out, wanted)
    ends = [_end(fn, end, flat, is_quiet=True) for end in (a, b)]
    record = (pull_summed, y, found, ends, (a, b), more)
    return y, (pull_by_name, (*_NAMES[: len(args)], *keywords), record)


def _bound(args: tuple[Value, ...], keywords: dict[str, Value]) -> dict[str, Any]:
    """The arguments by name; Python's own error where they do not fit."""
    if len(args) < 3 or len(args) > len(_NAMES) or not _NAMES_BEHIND.issuperset(keywords):
        return dict(_SHAPE.bind(*args, **keywords).arguments)
    return {**dict(zip(_NAMES, args, strict=False)), **keywords}


_NAMES = tuple(_SHAPE.parameters)
_NAMES_BEHIND = frozenset(_NAMES[4:])
watch_rules(integrate.quad, first=_by_texts)


class Summed(NamedTuple):
    """The integral by the weights of the final nodes, and those of the derivatives."""

    texts: Seeded
    total: float
    bars: list[Value]


def _summed(
    texts: Seeded, nodes: Iterable[tuple[float, float]], flat: tuple[Value, ...]
) -> Summed | None:
    """Value and derivatives at the nodes, summed; None where the text is not for them."""
    text, more = texts.text("number", (0.5, *flat)), (*flat, *texts.behind)
    if text is None:
        return None
    before = texts.before
    with np.errstate(all="ignore"):
        found = [text(weight, *before, t, *more) for t, weight in nodes]
    if any(out is NotImplemented for out in found):
        return None
    values, bars = zip(*found, strict=True)
    return Summed(texts, float(sum(values)), list(map(_sum, zip(*bars, strict=True))))


def _sum(bars: tuple[Value, ...]) -> Value:
    """The sum of cotangents of one operand; the number zero stands for none."""
    kinds = {*map(type, bars)}
    if kinds == {float}:
        return sum(bars)
    return functools.reduce(add, [None if type(bar) is int and not bar else bar for bar in bars])


def _final_nodes(out: Value, a: float, b: float) -> list[tuple[float, float]]:
    """Nodes and weights on the final subintervals."""
    low, high, sign = min(a, b), max(a, b), 1.0 if a <= b else -1.0
    told, found = out[2], list[tuple[float, float]]()
    for at in range(told["last"]):
        t, weights = _nodes(told["alist"][at], told["blist"][at], low, high)
        found += zip(t.tolist(), (sign * weights).tolist(), strict=True)
    return found


def _is_near(total: float, integral: float, given: dict[str, Any]) -> bool:
    """Is the sum over the nodes what QUADPACK gives?"""
    allowed = max(given.get("epsabs", 1.49e-8), given.get("epsrel", 1.49e-8) * abs(integral))
    return bool(abs(total - integral) <= 10 * allowed)


def pull_opaque_quad(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    parts = callbacks.pull(shadows, record, y_bar, 5) or ()
    return dict(zip(("func", "a", "b", "args", "wvar"), parts, strict=False))


def _is_python(fn: Value) -> bool:
    return callable(fn) and not home_of(type(fn)).startswith("scipy._lib._ccallback")


def _end(
    fn: Value, end: Value, args: tuple[Value, ...], *, repeats: bool = True, is_quiet: bool = False
) -> float | AstadError:
    """The integrand at a limit, or why it is not there; ``repeats``: what a call draws can be put
    back, ``is_quiet``: nobody sees the call.
    """
    if not np.isfinite(end):
        return 0.0
    if not repeats:
        return Unsupported(
            "scipy.integrate.quad", "the derivative in a limit",
            why="it needs a call of the integrand that the plain run does not make, and what that "
            "one draws from an iterator cannot be put back", instead="hold the limit constant",
        )  # fmt: skip
    try:
        with np.errstate(all="ignore"), nullcontext() if is_quiet else put_back(fn, args):
            value = float(np.asarray(fn(float(end), *args)).reshape(()))
    except (ArithmeticError, ValueError, IndexError, LookupError):
        value = np.nan
    if np.isfinite(value):
        return value
    return Unsupported(
        "scipy.integrate.quad", "the derivative in a limit",
        why="the integrand is not finite there", instead="hold the limit constant",
    )  # fmt: skip


def _weighted(
    calls: list[Call], a: float, b: float, out: Value, given: dict[str, Any]
) -> list[tuple[Call, float]] | AstadError:
    """The calls at the final nodes, with their weights."""
    if not calls:
        return []
    low, high, sign = min(a, b), max(a, b), 1.0 if a <= b else -1.0
    last = out[2]["last"]
    intervals = zip(out[2]["alist"][:last], out[2]["blist"][:last], strict=True)
    times = np.array([call.t for call in calls])
    order = np.argsort(times)
    chosen: list[tuple[Call, float]] = []
    for left, right in intervals:
        t, weights = _nodes(left, right, low, high)
        at = np.searchsorted(times[order], t).clip(1, len(order) - 1)
        nearer = t - times[order[at - 1]] < times[order[at]] - t
        near = order[np.where(nearer, at - 1, at)]
        size = np.maximum(np.abs(t), min(high - low, 1.0))
        if np.any(np.abs(times[near] - t) > 1e-9 * size):
            return _refused("its nodes are not those of the Gauss-Kronrod rules")
        chosen += [(calls[k], sign * w) for k, w in zip(near, weights, strict=True)]
    total = sum(w * float(np.asarray(call.value).reshape(())) for call, w in chosen)
    return chosen if _is_near(total, out[0], given) else _SINGULAR


def _is_rough_at_an_end(out: Value, a: float, b: float) -> bool:
    """Whether the rule has not converged to the last digits beside a limit, as where the integrand
    goes as a root of the distance: its derivative is singular there, and needs other nodes.
    """
    told, low, high, allowed = out[2], min(a, b), max(a, b), 1e-12 * abs(out[0])
    left, right, errors = told["alist"], told["blist"], told["elist"]
    return any(
        errors[at] > allowed and (left[at] == low or right[at] == high)
        for at in range(told["last"])
    )


def _doubly_exponential(
    once_more: Callable[[float], None],
    calls: list[Call],
    a: float,
    b: float,
    integral: float,
    otherwise: list[tuple[Call, float]] | AstadError,
) -> list[tuple[Call, float]] | AstadError:
    """New calls at the nodes of the tanh-sinh rule, which converges where an end is singular.

    Source: Takahasi and Mori 1974.
    """
    u = np.arange(-52, 53) / 16.0
    from_a, from_b = (1 / (1 + np.exp(sign * np.pi * np.sinh(u))) for sign in (-1, 1))
    weights = (b - a) * np.pi * np.cosh(u) * from_a * from_b / 16.0
    times = np.where(from_a < 0.5, a + (b - a) * from_a, b - (b - a) * from_b)
    inside = (times != a) & (times != b)
    times, weights = times[inside], weights[inside]
    first = len(calls)
    try:
        with np.errstate(all="ignore"):
            for t in times.tolist():
                once_more(t)
    except (ArithmeticError, ValueError, LookupError):
        return otherwise
    chosen = list(zip(calls[first:], weights, strict=True))
    total = sum(w * float(np.asarray(call.value).reshape(())) for call, w in chosen)
    return chosen if abs(total - integral) <= 1e-7 * max(1e-3, abs(integral)) else otherwise


def _refused(why: str) -> AstadError:
    instead = "substitute a variable in which the integrand is smooth"
    what = "the derivative of an integral"
    return Unsupported("scipy.integrate.quad", what, why=why, instead=instead)


_SINGULAR = _refused("the integrand is singular: QUADPACK has extrapolated")


def _nodes(left: float, right: float, low: float, high: float) -> tuple[Array, Array]:
    """Nodes and weights on one subinterval; of an infinite range, in x with t = (1 - x) / x."""
    finite = np.isfinite(low) and np.isfinite(high)
    nodes, weights = kronrod(10 if finite else 7)
    half = (right - left) / 2
    t, w = (left + right) / 2 + half * nodes, weights * half
    if finite:
        return t, w
    away, w = (1 - t) / t, w / (t * t)
    if np.isfinite(low):
        return low + away, w
    if np.isfinite(high):
        return high - away, w
    return np.concatenate([away, -away]), np.concatenate([w, w])


def pull_summed(
    shadows: Shadows, y_bar: Value, y: Value, found: Summed,
    ends: list[float | AstadError], limits: tuple[Value, Value], args: Value,
) -> Cotangents | None:  # fmt: skip
    g = _arrived(shadows, y)
    if g is None:
        return None
    bars = [times(bar, g) for bar in found.bars]
    found.texts.deliver(shadows, bars)
    values = args if isinstance(args, tuple) else (args,)
    parts = [
        given_to(shadows, value, bar)
        for value, bar in zip(values, found.texts.of_args(bars)[1:], strict=True)
    ]
    return _with_limits(shadows, g, ends, limits) | {"args": deliver_args(shadows, args, parts)}


def _arrived(shadows: Shadows, y: Value) -> Value:
    """The cotangent of the integral."""
    g = shadows.slot_take(y, 0)
    for at, value in enumerate(y[1:], 1):
        refuse_arrived(shadows, f"scipy.integrate.quad: item {at}", value, shadows.slot_take(y, at))
    return g


def _with_limits(
    shadows: Shadows, g: Value, ends: list[float | AstadError], limits: tuple[Value, Value]
) -> Cotangents:
    a, b = (
        _of_limit(shadows, g * sign, end, limit)
        for sign, end, limit in zip((-1.0, 1.0), ends, limits, strict=True)
    )
    return {"a": a, "b": b}


def _of_limit(shadows: Shadows, g: Value, end: float | AstadError, limit: Value) -> Value:
    """Nothing of an infinite one: it is often a product, of which a 0 would make a nan."""
    if not np.isfinite(limit):
        return None
    part = Refused(end) if isinstance(end, AstadError) else g * end
    return deliver(shadows, limit, part, "scipy.integrate.quad")


def pull_quad(
    shadows: Shadows, y_bar: Value, y: Value, found: list[tuple[Call, float]] | AstadError,
    calls: list[Call], limits: tuple[Value, Value], ends: list[float | AstadError], args: Value,
    count: int, holders: list[Value],
) -> Cotangents | None:  # fmt: skip
    g = _arrived(shadows, y)
    if g is None:
        return None
    if isinstance(found, AstadError):
        parts = _through(shadows, calls[0], Refused(found), count)
    else:
        aside = shadows.set_aside(holders)  # where the nodes lie depends on the limits
        parts = _back_through(shadows, calls, found, g, count)
        shadows.bring_back(aside)
    return _with_limits(shadows, g, ends, limits) | {"args": deliver_args(shadows, args, parts)}


def _back_through(
    shadows: Shadows, calls: list[Call], found: list[tuple[Call, float]], g: Value, count: int
) -> list[Value]:
    """Back through the calls from the last: also through those at other nodes, where they have
    stored what one of the others has read.
    """
    weights: dict[int, float] = {}
    for call, weight in found:
        weights[id(call)] = weights.get(id(call), 0.0) + weight
    parts: list[Value] = []
    for call in reversed(calls):
        known = weights.get(id(call))
        if known is None and writes_nothing(call.record):
            continue
        more = _through(shadows, call, None if known is None else g * known, count)
        both = zip(parts, more, strict=True) if parts and more else ()
        parts = [add(p, q) for p, q in both] or parts or more
    return parts


def _through(shadows: Shadows, call: Call, bar: Value, count: int) -> list[Value]:
    """Back through one call: the parts of what comes behind the node."""
    if type(bar) is Refused and has_identity(call.value):
        shadows.add(call.value, bar)
        bar = None
    elif bar is not None and type(bar) is not Refused:
        bar = scatter(shadows, call.value, packed(np.array([bar]), call.value))
    return list(callbacks.pull(shadows, call.record, bar, 1 + count) or ())[1:]
