"""What a wrong gradient looks like: a factor, a sign, a transpose, another argument's.

>>> right = np.array([[1.0, 2.0], [3.0, 4.0]])
>>> describe({"W": (2 * right, right)})
['W: all off by the factor 2']
>>> describe({"W": (right.T, right)})
['W: transposed']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from astad.testing.leaves import Array

__all__ = ["describe"]

Pairs = Mapping[str, tuple[Array, Array]]
"""What astad says and what the differences say, whole arrays, by the name of the argument."""


def describe(pairs: Pairs) -> list[str]:
    """One line for each leaf whose wrong gradient has a pattern."""
    found = []
    for name, (claimed, right) in pairs.items():
        if not alike(claimed, right):
            pattern = next(patterns(name, claimed, right, pairs), None)
            found += [f"{name}: {pattern}"] if pattern else []
    return found


def patterns(name: str, claimed: Array, right: Array, pairs: Pairs) -> Iterator[str]:
    """The patterns that fit, the most telling first."""
    if claimed.shape != right.shape:
        yield from shape_patterns(claimed, right)
        return
    if not np.any(claimed) and np.any(right):
        yield "zero where it should not be"
        return
    for other, (_, theirs) in pairs.items():
        if other != name and alike(claimed, theirs):
            yield f"this is the gradient of {other}"
    yield from factor_patterns(claimed, right)
    if right.ndim == 2 and claimed.shape == right.T.shape and alike(claimed, right.T):
        yield "transposed"
    if right.ndim and alike(claimed, right[::-1]):
        yield "in reverse order"
    if right.size > 1 and alike(claimed - right, np.full(right.shape, (claimed - right).flat[0])):
        yield f"all off by the term {(claimed - right).flat[0]:.6g}"
    if right.size > 1:
        yield from partial_patterns(claimed, right)


def factor_patterns(claimed: Array, right: Array) -> Iterator[str]:
    """A sign or a factor common to all entries."""
    used = right != 0
    if not np.any(used) or np.any(claimed[~used]):
        return
    factors = claimed[used] / right[used]
    if alike(factors, np.full(factors.shape, factors.flat[0])):
        factor = complex(factors.flat[0])
        shown = factor.real if abs(factor.imag) < 1e-9 * abs(factor) else factor
        yield (
            "the sign is wrong" if abs(factor + 1) < 1e-5 else f"all off by the factor {shown:.6g}"
        )


def shape_patterns(claimed: Array, right: Array) -> Iterator[str]:
    """A transpose, or a sum over broadcast axes that was left out."""
    if claimed.ndim == 2 and alike(claimed.T, right):
        yield "transposed"
    lead = claimed.ndim - right.ndim
    axes = [i for i in range(claimed.ndim) if i < lead or claimed.shape[i] != right.shape[i - lead]]
    if lead < 0 or any(i >= lead and right.shape[i - lead] != 1 for i in axes):
        return
    if alike(claimed.sum(axis=tuple(axes)).reshape(right.shape), right):
        yield f"right after a sum over the broadcast axes {tuple(axes)}"


def partial_patterns(claimed: Array, right: Array) -> Iterator[str]:
    """Which entries are wrong, when some are right."""
    bad = np.argwhere(~np.isclose(claimed, right, rtol=1e-5, atol=1e-8))
    if 0 < len(bad) < right.size:
        first = tuple(int(i) for i in bad[0])
        if all(claimed[tuple(i)] == 0 for i in bad):
            yield f"zero in {len(bad)} of {right.size} entries, the first {first}"
        else:
            yield f"wrong in {len(bad)} of {right.size} entries, the first {first}"


def alike(a: Array, b: Array) -> bool:
    """Whether two arrays agree well enough to call it a pattern."""
    scale = float(np.max(np.abs(b), initial=0.0))
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-5, atol=1e-7 * scale))
