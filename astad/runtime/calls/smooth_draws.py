"""Draws that are smooth functions of their parameters: ``rng.normal(m, s)`` is ``m + s * z`` with a
standard draw ``z``, which depends on the state of the source alone.

Forward the state and the parameters are kept. Back, where a cotangent comes, the standard draw is
made by another source with that state.

>>> rng = np.random.default_rng(3)
>>> before = state_of(rng)
>>> y = rng.normal(2.0, 0.5)
>>> z = replayed(np.random.Generator, before).normal()
>>> bool(abs(y - (2.0 + 0.5 * z)) < 1e-15)
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from astad.errors import Unsupported
from astad.runtime.calls.shuffles import state_of
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, flows
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.add import add
from astad.tangents.arrays import sum_to_shape
from astad.tangents.refused import Refused
from astad.tangents.unasked import as_it_lies
from astad.tangents.zero import has_identity

__all__ = ["SmoothDraw", "smooth_draw"]


class Family(NamedTuple):
    """A draw, or its logarithm, is the sum of each parameter times what the standard draw gives for
    it. By the ``shapes``, which the standard draw has too, there is no derivative.
    """

    parameters: dict[str, float]
    factors: Callable[[Any], tuple[Any, ...]]  # Any: number or array
    of_logarithm: bool = False
    shapes: tuple[str, ...] = ()


_PLACED = Family({"loc": 0.0, "scale": 1.0}, lambda z: (1.0, z))
_SCALED = Family({"scale": 1.0}, lambda z: (z,))
FAMILIES = {
    "normal": _PLACED,
    "laplace": _PLACED,
    "gumbel": _PLACED,
    "logistic": _PLACED,
    "uniform": Family({"low": 0.0, "high": 1.0}, lambda z: (1.0 - z, z)),
    "exponential": _SCALED,
    "rayleigh": _SCALED,
    "lognormal": Family({"mean": 0.0, "sigma": 1.0}, lambda z: (1.0, np.log(z)), True),
    "gamma": Family({"scale": 1.0}, lambda z: (z,), shapes=("shape",)),
}
"""Methods of a source of chance."""
CLOSE = 1e-12
"""Of what is added: C may round differently. Where another thread has drawn meanwhile, or the
method draws in other ways by other parameters, there is no such relation."""


class SmoothDraw(NamedTuple):
    """What a draw that has not run needs to go back: method, class and state of its source, the
    names of its operands, values of its parameters as they are now, and those that are no numbers
    as arrays, with their records.
    """

    method: str
    source: type
    state: dict[str, Value]
    names: tuple[str, ...]
    values: dict[str, Value]
    arrays: dict[str, tuple[Value, Record]]

    def back(self, y: Value, refused: Record) -> Record:
        """The record of the result; ``refused`` is that of a draw without a derivative."""
        if refused is None or not (type(y) is float or getattr(y, "dtype", None) == np.float64):
            return refused
        return pull_draw, self, y, y if type(y) is float else y.copy(), refused


def smooth_draw(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> SmoothDraw | None:
    """None where it is no such method, or its source cannot be made again."""
    method = as_it_lies(fn, "__name__")
    family = FAMILIES.get(method)
    if family is None:
        return None
    names = (*(*family.shapes, *family.parameters, "size")[: len(args)], *keywords)
    given = {k: v for k, v in zip(names, (*args, *keywords.values()), strict=False) if k != "size"}
    if not any(flows(v) or has_identity(v) for v in given.values()):
        return None
    kinds = (np.random.Generator, np.random.RandomState)
    source: Value = next((kind for kind in kinds if issubclass(type(fn.__self__), kind)), None)
    if source is None:
        return None
    state = state_of(fn.__self__)
    if not hasattr(np.random, state["bit_generator"]):
        return None  # of the user's own bits
    draw = SmoothDraw(method, source, state, names, {**family.parameters}, {})
    for name, v in given.items():
        draw.values[name] = v
        if type(v) not in (int, float):
            draw.arrays[name] = callbacks.call(versions, np.asarray, v)
            draw.values[name] = np.array(draw.arrays[name][0])
    return draw


def replayed(source: Value, state: dict[str, Value]) -> Value:
    """Another source of chance, with this state."""
    bits = getattr(np.random, state["bit_generator"])(0)
    if source is np.random.Generator:
        bits.state = state
        return source(bits)
    again = source(bits)
    again.set_state(state)
    return again


def pull_draw(
    shadows: Shadows, y_bar: Value, draw: SmoothDraw, y: Value, drawn: Value, refused: Value
) -> Cotangents:
    g = y_bar if type(y) is float else add(y_bar, shadows.take(y))
    if g is None:
        return None
    slopes = None if type(g) is Refused else _slopes(draw, drawn)
    if slopes is None:
        found: Cotangents = refused[0](shadows, g, *refused[1:])
        return found
    return [_operand_bar(shadows, draw, name, g, slopes) for name in draw.names]


def _slopes(draw: SmoothDraw, drawn: Value) -> dict[str, Value] | None:
    """The derivative by each parameter; None where the draw is no such function of them."""
    family = FAMILIES[draw.method]
    source = replayed(draw.source, draw.state)
    shapes = [draw.values[name] for name in family.shapes]
    z = getattr(source, draw.method)(*shapes, size=None if type(drawn) is float else drawn.shape)
    factors = dict(zip(family.parameters, family.factors(z), strict=True))
    parts = [draw.values[name] * factors[name] for name in factors]
    again, size = sum(parts), sum(map(np.abs, parts))
    if family.of_logarithm:
        again, size = np.exp(again), size * drawn
        factors = {name: factor * drawn for name, factor in factors.items()}
    is_same = np.all(np.abs(again - drawn) <= CLOSE * (np.abs(drawn) + size))
    return factors if is_same else None


def _operand_bar(
    shadows: Shadows, draw: SmoothDraw, name: str, g: Value, slopes: dict[str, Value]
) -> Value:
    bar: Value
    if name == "size":
        return None
    if name in FAMILIES[draw.method].shapes:
        bar = Refused(_by_shape(draw, name))
    else:
        bar = sum_to_shape(np.multiply(g, slopes[name]), np.shape(draw.values[name]))
    if name not in draw.arrays:
        return bar if type(bar) is Refused else float(bar)
    array, record = draw.arrays[name]
    shadows.add(array, bar)
    operands = None if record is None else callbacks.pull(shadows, record, None, 1)
    return None if operands is None else operands[0]


def _by_shape(draw: SmoothDraw, name: str) -> Unsupported:
    return Unsupported(
        f"{draw.source.__name__}.{draw.method}",
        f"a derivative by {name} of what was drawn",
        why="it is no location and no scale, and what is drawn depends on it by rejections",
        instead="hold it fixed, or take the derivative of an expectation by the density",
    )
