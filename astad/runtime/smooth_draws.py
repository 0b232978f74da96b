"""Draws that are smooth functions of their parameters: ``rng.normal(m, s)`` is ``m + s * z`` with a
standard draw ``z``, which depends on the state of the source alone.

The standard draw is one more, of another source with the state that this one had.

>>> rng = np.random.default_rng(3)
>>> replayed = replay_of(rng)
>>> y = rng.normal(2.0, 0.5)
>>> bool(abs(y - normal(replayed.normal(), 2.0, 0.5)) < 1e-15)
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from astad.runtime.full_rules import Record, Value, callbacks, flows
from astad.runtime.versions import Versions
from astad.tangents.unasked import as_it_lies
from astad.tangents.zero import has_identity

__all__ = ["draw_smoothly", "source_before"]

# The parameters are those of NumPy's methods, numbers or arrays.


def normal(z: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """By a draw of location 0 and scale 1."""
    return np.asarray(loc)[()] + np.asarray(scale)[()] * z


def uniform(z: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """By a draw between 0 and 1."""
    return np.asarray(low)[()] + (np.asarray(high)[()] - np.asarray(low)[()]) * z


def scaled(z: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """By a draw of scale 1."""
    return np.asarray(scale)[()] * z


def lognormal(z: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """By a draw of mean 0 and sigma 1."""
    return np.exp(np.asarray(mean)[()] + np.asarray(sigma)[()] * np.log(z))


SMOOTH: dict[str, Callable[..., Any]] = {
    "normal": normal,
    "laplace": normal,
    "gumbel": normal,
    "logistic": normal,
    "uniform": uniform,
    "exponential": scaled,
    "rayleigh": scaled,
    "lognormal": lognormal,
}
"""Methods of a source, and what they do with a draw at their defaults."""
CLOSE = 1e-12
"""Of what is added: C may round differently. Where another thread has drawn meanwhile, or the
method draws in other ways by other parameters, there is no such relation."""


def replay_of(source: Value) -> Value:
    """Another source with the state that this one has; None where it cannot be made."""
    try:
        if issubclass(type(source), np.random.Generator):
            bits = type(source.bit_generator)(0)
            bits.state = source.bit_generator.state
            return np.random.Generator(bits)
        if issubclass(type(source), np.random.RandomState):
            replayed = np.random.RandomState(type(source._bit_generator)(0))
            replayed.set_state(source.get_state(legacy=False))
            return replayed
    except Exception:  # of the user's own bits
        return None
    return None


def source_before(fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """What draws the standard number of a call that has not run; None where there is none."""
    if as_it_lies(fn, "__name__") not in SMOOTH:
        return None
    given = (*args, *[value for name, value in keywords.items() if name != "size"])
    return replay_of(fn.__self__) if any(flows(v) or has_identity(v) for v in given) else None


def draw_smoothly(
    versions: Versions,
    fn: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    y: Value,
    replayed: Value,
) -> tuple[Value, Record] | None:
    """What was drawn with its way back to the parameters; None where it is no such function of
    them.
    """
    z = getattr(replayed, fn.__name__)(size=None if type(y) is float else np.shape(y))
    formula = functools.partial(SMOOTH[fn.__name__], z)
    again, record = callbacks.call(versions, formula, *args, **keywords)
    if np.shape(again) != np.shape(y) or not np.all(
        np.abs(again - y) <= _rounding(args, keywords, y, z)
    ):
        return None
    if type(y) is float:
        return y, record
    if type(again) is not np.ndarray or again.dtype != y.dtype:
        return None
    np.copyto(again, y)
    return again, record


def _rounding(args: tuple[Value, ...], keywords: dict[str, Value], y: Value, z: Value) -> Value:
    given = [*args[:2], *[value for name, value in keywords.items() if name != "size"]]
    total = sum(float(np.sum(np.abs(each))) for each in given if each is not None)
    return CLOSE * (np.abs(y) + total * (1 + np.abs(z)))
