"""The generated forms must agree: `gradient` and `value_and_grad` against `pullback`.

They run other texts (fused, and without what nobody asked for), so each can be wrong alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from astad.api.gradients.gradients import gradient, value_and_grad
from astad.api.gradients.pullbacks import pullback
from astad.tangents.zero import seed_of
from astad.testing.conduct import difference
from astad.testing.copies import copy_of
from astad.testing.leaves import is_array, is_narrow, is_number, leaves_of, name_of, same, size_of
from astad.testing.randomness import with_same_randomness

__all__ = ["disagreements"]


def disagreements(
    f: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    argnum: int = 0,
) -> list[str]:
    """What `gradient`, and `value_and_grad` by one argument, do otherwise than `pullback`.

    Parameters
    ----------
    f, args, kwargs
        The function and the point; each run has copies.
    argnum : int
        The argument for `value_and_grad`.

    Returns
    -------
    list of str
        A sentence for each; empty where the result is no real number.
    """
    mine, keywords = copy_of((list(args), dict(kwargs)))
    y, back = with_same_randomness(pullback, f, *mine, **keywords)
    if is_array(y) or not is_number(y) or np.iscomplexobj(y):
        return []
    paired = back(seed_of(y))
    # below it there is nothing but the rounding of terms that cancel
    reach = max([1.0, *(size_of(leaf.value) for leaf in leaves_of(list(args)))])
    floor, found = size_of(y) / reach, list[str]()
    again, more = copy_of((list(args), dict(kwargs)))
    fused = with_same_randomness(gradient, f, *again, **more)
    found += differences("gradient", fused, paired, floor)
    if not same([mine, keywords], [again, more]):
        found.append(f"gradient leaves other arguments: {difference(mine, again)}")
    if not args:
        return found
    again, more = copy_of((list(args), dict(kwargs)))
    value, bar = with_same_randomness(value_and_grad(f, argnum), *again, **more)
    if not same(y, value):
        found.append(f"the value of value_and_grad is {value!r}, that of pullback {y!r}")
    return found + differences("value_and_grad", (bar,), (paired[argnum],), floor)


def differences(
    name: str, mine: Any, theirs: Any, floor: float = 0.0
) -> list[str]:  # cotangents of every kind
    """Numbers of two cotangents that differ by more than the order of sums explains."""
    a, b = ({leaf.path: leaf.value for leaf in leaves_of(each)} for each in (mine, theirs))
    for mine_too, other in ((a, b), (b, a)):
        # inside of an argument, what nothing was computed from is None or zero: both are right
        missing = {p: 0 * v for p, v in other.items() if p not in mine_too and len(p) > 1}
        mine_too.update(missing)
    if a.keys() != b.keys():
        return [f"{name} and pullback give None, or structure, in different places"]
    scale = max([floor, *(size_of(v) for v in b.values())])
    return [
        f"{name_of(name, path)} is {value!r}, from pullback {b[path]!r}"
        for path, value in a.items()
        if not close(value, b[path], scale)
    ]


def close(a: Any, b: Any, scale: float) -> bool:  # numbers or arrays of any kind
    """Whether two cotangents agree to rounding."""
    narrow = is_narrow(np.asarray(b).dtype)
    x, y = np.asarray(a, complex), np.asarray(b, complex)
    rtol = 1e-3 if narrow else 1e-9
    return x.shape == y.shape and bool(
        np.allclose(x, y, rtol=rtol, atol=rtol * 1e-3 * scale, equal_nan=True)
    )
