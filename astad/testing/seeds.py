"""Cotangents of a result, made up: one random number for each number in it, in its structure.

>>> y = {"loss": 2.0, "parts": [np.zeros(2), "text"]}
>>> seed = random_cotangent(y, np.random.default_rng(0))
>>> seed["parts"][0].shape, seed["parts"][1]
((2,), None)
>>> seed["loss"] == project(dict(y, loss=3.0), y, seed)[0]
True
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from astad.tangents.objects import Tangent
from astad.testing.leaves import attributes_of, is_array, is_number, tuple_like

__all__ = ["ResultChanged", "combine", "project", "random_cotangent"]


class ResultChanged(ValueError):
    """The result at a neighbouring point has another structure or shape."""


def random_cotangent(y: object, rng: np.random.Generator) -> Any:  # in the structure of y
    """A cotangent of ``y``: between 1/2 and 3/2 in size, either sign, and never all the same.

    Where a container is met within itself, its cotangent is None.
    """
    return combine(lambda value: random_like(value, rng), y)


def random_like(value: Any, rng: np.random.Generator) -> Any:  # a number or an array
    """Random numbers of the kind that a cotangent of ``value`` has."""
    shape = np.shape(value)
    # multiples of 1/64: exact in float16, and sums of two are exact as well
    numbers = rng.choice((-1.0, 1.0), shape) * rng.integers(32, 97, shape) / 64
    if np.iscomplexobj(value):
        numbers = numbers + 1j * rng.integers(-64, 65, shape) / 64
    if isinstance(value, (Fraction, Decimal)):
        return type(value)(float(numbers))
    if is_array(value):
        return np.asarray(numbers, value.dtype if value.dtype.kind in "fc" else np.float64)
    if isinstance(value, np.inexact):
        return type(value)(numbers)
    return complex(numbers) if isinstance(value, complex) else float(numbers)


def combine(rule: Callable[..., Any], *values: Any) -> Any:  # any structures of one shape
    """The structure whose numbers and arrays are ``rule`` of those of the values; None elsewhere.

    Objects become `Tangent` records, None in the first value stays None, and so does a container
    within itself.

    >>> loop = [1.0]
    >>> loop.append(loop)
    >>> combine(lambda x: 2 * x, loop)
    [2.0, None]
    """
    inside: set[int] = set()

    def visit(*values: Any) -> Any:  # as above
        first = values[0]
        if is_array(first) or is_number(first):
            return rule(*values)
        if id(first) in inside:
            return None
        inside.add(id(first))
        made = parts_of(first, values)
        inside.discard(id(first))
        return made

    def parts_of(first: Any, values: tuple[Any, ...]) -> Any:  # as above
        if isinstance(first, (list, tuple, collections.deque)):
            parts = [visit(*each) for each in zip(*values, strict=True)]
            return tuple_like(first, parts) if isinstance(first, tuple) else parts
        if isinstance(first, dict):
            return {key: visit(*(v[key] for v in values)) for key in first}
        names = list(first) if isinstance(first, Tangent) else attributes_of(first)
        if names or isinstance(first, Tangent):
            return Tangent(**{n: visit(*(getattr(v, n) for v in values)) for n in names or ()})
        return None

    return visit(*values)


def project(y: object, start: object, seed: object) -> tuple[float, float]:
    """The real part of the inner product of a seed with ``y - start``, and the rounding in it.

    The difference is taken number by number, so that what did not change adds no rounding. Where
    nothing changed at all, a change below the rounding of the whole would not have shown.

    Raises
    ------
    ResultChanged : if y has another structure than start.
    """
    terms: list[float] = []
    sizes: list[float] = []
    unchanged: list[float] = []

    def add(g: Any, value: Any, before: Any) -> None:  # a number or an array each
        if np.shape(value) != np.shape(before) or not (is_array(value) or is_number(value)):
            raise ResultChanged(f"{np.shape(before)} became {np.shape(value)}")
        if np.iscomplexobj(value) and not np.iscomplexobj(before):
            raise ResultChanged("a real result became complex")
        if is_array(value):  # a subclass may have operators of its own
            g, value, before = np.asarray(g), np.asarray(value), np.asarray(before)
        change = value - before
        if isinstance(change, (Fraction, Decimal)):
            terms.append(float(g * change))
            return
        products = (np.conj(g) * change).real
        terms.extend(np.ravel(products).tolist())
        size, moved = np.abs(g) * np.abs(before), np.asarray(change) != 0
        sizes.extend(np.ravel(size * moved).tolist())
        unchanged.extend(np.ravel(size * ~moved).tolist())

    try:
        combine(add, seed, y, start)
    except (KeyError, AttributeError, TypeError, IndexError) as err:
        raise ResultChanged(str(err)) from err
    except ValueError as err:  # parts of other lengths
        raise err if isinstance(err, ResultChanged) else ResultChanged(str(err)) from err
    # a result of zeros only has no size: what cancelled in it is taken to be about 1
    size = math.hypot(*sizes) if any(terms) else math.hypot(*sizes, *unchanged) or 1.0
    return math.fsum(terms), size * float(np.finfo(float).eps)
