"""Random numbers by a seed: a generator that the run itself has made of a whole number draws the
same in every run. What it draws is a constant of the text, as if it had been written there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad.recording.operations import changed
from astad.recording.recording import INERT, is_array
from astad.recording.run import Run

__all__ = ["METHODS", "drawn", "seeded"]

_OF_NUMPY = frozenset([
    "beta", "binomial", "chisquare", "choice", "exponential", "gamma", "geometric", "gumbel",
    "integers", "laplace", "logistic", "lognormal", "multivariate_normal", "normal", "pareto",
    "permutation", "poisson", "power", "rand", "randint", "randn", "random", "random_sample",
    "rayleigh", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal",
    "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull",
])  # fmt: skip
METHODS: dict[type, frozenset[str]] = {
    random.Random: frozenset(["random", "getrandbits"]),  # the others are Python's own text
    np.random.Generator: _OF_NUMPY,
    np.random.RandomState: _OF_NUMPY,
}
"""Compiled methods that give numbers, and change nothing but the generator."""


def seeded(make: Callable[..., Any]) -> Callable[..., Any]:
    """The making of a generator."""

    def apply(run: Run, seed: Any = None) -> Any:
        if type(seed) not in (int, str, bytes):
            run.recording.refuse("random numbers without a seed")
        return run.recording.fresh(make(seed))

    return apply


def drawn(run: Run, o: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """What a generator gives, of constants."""
    recording = run.recording
    for v in (*args, *keywords.values()):
        if not _is_constant(run, v):
            recording.refuse(f"{name} of what is no constant")
    y = getattr(changed(run, o), name)(*args, **keywords)
    if not isinstance(y, np.ndarray):
        return recording.keep(y)
    if not is_array(y) or y.ndim == 0:
        recording.refuse(f"{name} that gives no array of numbers")
    return recording.copied(y, "drawn")


def _is_constant(run: Run, v: Any) -> bool:
    if run.recording.is_followed(v):
        return run.recording.is_steady(v)
    if run.recording.is_settled(v):
        return True
    if type(v) in (tuple, list):
        return not run.outside.is_outside(v) and all(_is_constant(run, part) for part in v)
    return type(v) in INERT or type(v) in (float, np.float64) or v is float or v is int
