"""Calls like an example: with operands of fewer and of other axes, and with each option in turn.

>>> like = [args[0] for args in operands_like((np.ones(2), 3))]
>>> [np.shape(a) for a in like]
[(2,), (), (), (), (1,), (0,), (1, 2)]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from astad.rules.formula import Rule

Args = tuple[Any, ...]

OPTIONS: dict[str, tuple[Any, ...]] = {
    "axis": (None, 0, -1, (0,), (0, 1), ()), "optimize": (False, True, "greedy", "optimal"),
    "dtype": (None, float, int, np.float32), "order": ("C", "F", "A", "K"),
    "mode": ("full", "same", "valid", "raise", "clip"), "axes": (0, 1, 2, (0, 1)),
    "ord": (None, 2, 1, "fro", "nuc", np.inf), "shape": ((), (1,), 1, (2,)),
    "subscripts": ("i,i->", "ij,ij->", "i,i,i->", "i,j->", ",->", ",i->i"), "q": (0.5, 0, (0.5,)),
}  # fmt: skip
"""Values of parameters that say how; others with a default are tried with ``ANY``."""
ANY = (True, False, 0, 1, 2, None)


def operands_like(args: Args) -> Iterator[Args]:
    """The same operands, with other arrays in the place of each array, and of all at once."""
    places = [at for at, arg in enumerate(args) if type(arg) is np.ndarray]
    yield args
    for chosen in [*([at] for at in places), *([places] if len(places) > 1 else [])]:
        for made in itertools.zip_longest(*[_arrays_like(args[at]) for at in chosen]):
            changed = {at: a for at, a in zip(chosen, made, strict=True) if a is not None}
            yield tuple([changed.get(at, arg) for at, arg in enumerate(args)])


def _arrays_like(a: np.ndarray) -> Iterator[Any]:
    """A number of it in three forms, its first parts, less of it, one axis more."""
    first = np.real(a.flat[0]) if a.size else np.float64(1.0)
    yield from (np.array(first), np.float64(first), float(first))
    part = a
    while part.ndim > 1 and len(part):
        part = part[0].copy()
        yield part
    if a.ndim:
        yield from (a[:1].copy(), a[:0].copy())
    yield a[None].copy()


def options_like(rule: Rule, args: Args, keywords: Any) -> Iterator[tuple[Args, Any]]:
    """The same call, with one option given another value."""
    positional = rule.signature.positional
    yield args, keywords
    for name in rule.signature.parameters:
        known = name in OPTIONS or name in rule.signature.defaults
        for value in OPTIONS.get(name, ANY) if known and name != "out" else ():
            at = positional.index(name) if name in positional else len(args)
            if at < len(args):
                yield (*args[:at], value, *args[at + 1 :]), keywords
            else:
                yield args, {**keywords, name: value}
