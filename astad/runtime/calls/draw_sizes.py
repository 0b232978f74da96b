"""Operands of a random draw that say how many numbers are drawn, or from which range of ints.

A whole number there moves nothing a derivative could follow, as in ``np.zeros(n)``. The parameters
of a distribution are not among them, even where they are ints: ``rng.poisson(n)``.

>>> rng = np.random.default_rng(0)
>>> without_sizes(rng.normal, (0.5, 2.0, 3), {})
(0.5, 2.0, None)
>>> without_sizes(rng.uniform, (0, 3), {"size": (2, 3)})
(0, 3, None)
>>> without_sizes(rng.choice, ([1.5, 2.5], 4), {}), without_sizes(rng.choice, (3, 4), {})
(([1.5, 2.5], None), (None, None))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.runtime.core.full_rules import Value
from astad.tangents.zero import has_identity

__all__ = ["without_sizes"]

PLACES = {
    0: "random random_sample ranf sample standard_normal standard_exponential "
    "standard_cauchy bytes tomaxint permutation choice integers randint random_integers "
    "seed spawn advance jumped",
    1: "choice integers randint random_integers exponential poisson rayleigh pareto "
    "power weibull zipf geometric logseries chisquare standard_t standard_gamma dirichlet",
    2: "integers randint random_integers normal uniform laplace logistic lognormal "
    "gumbel gamma beta f noncentral_chisquare vonmises wald binomial negative_binomial "
    "multinomial multivariate_normal multivariate_hypergeometric",
    3: "triangular hypergeometric noncentral_f",
}
"""Positions of the sizes and of the ends of a range of ints, with the methods that have one there
(of those with a like name in `np.random.Generator` and `RandomState`)."""
NAMES = {
    "integers": ("low", "high"),
    "randint": ("low", "high"),
    "random_integers": ("low", "high"),
    "choice": ("a",),
    "permutation": ("x",),
    "bytes": ("length",),
    "spawn": ("n_children",),
    "advance": ("delta",),
    "jumped": ("jumps",),
    "seed": ("seed",),
}
"""Names of these besides ``size``."""
AXES = ("rand", "randn")
"""Methods of which every positional operand is a size."""
GIVING = {"choice": "a", "permutation": "x"}
"""Methods that give elements of their first operand where it is no int."""
_PLACES = {
    name: frozenset(place for place, those in PLACES.items() if name in those.split())
    for names in PLACES.values()
    for name in names.split()
}


def without_sizes(
    fn: Any, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, ...]:
    """The operands of a method of a source of chance, None for each that is a size."""
    name = getattr(fn, "__name__", "")
    places = frozenset(range(len(args))) if name in AXES else _PLACES.get(name, frozenset())
    names = ("size", *NAMES.get(name, ()))
    if name in GIVING and any(map(has_identity, (*args[:1], keywords.get(GIVING[name])))):
        places, names = frozenset([1]), ("size",)  # these are what is drawn
    return (
        *(None if k in places and is_whole(v) else v for k, v in enumerate(args)),
        *(None if key in names and is_whole(v) else v for key, v in keywords.items()),
    )


def is_whole(value: Value) -> bool:
    """Is it an int, or does it hold ints alone?

    >>> is_whole(3), is_whole((3, np.int64(2))), is_whole(np.arange(2)), is_whole(3.0)
    (True, True, True, False)
    """
    if issubclass(type(value), (tuple, list)):
        return all(map(is_whole, value))
    if issubclass(type(value), (np.ndarray, np.generic)):
        return bool(value.dtype.kind in "iu")
    return issubclass(type(value), int)
