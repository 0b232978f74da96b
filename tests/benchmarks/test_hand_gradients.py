"""Each gradient written by hand, and astad's, against differences along random directions."""

import numpy as np
import pytest

from astad import value_and_grad
from astad.testing.leaves import leaves_of

from .arrays import ARRAYS
from .scalar import SCALAR

WORKLOADS = SCALAR + ARRAYS
NAMES = [workload.name for workload in WORKLOADS]


def moved(value, direction, step):
    """A value of any structure moved along a direction of the same structure."""
    if isinstance(value, dict):
        return {key: moved(part, direction[key], step) for key, part in value.items()}
    if isinstance(value, list):
        return [moved(v, d, step) for v, d in zip(value, direction, strict=True)]
    return value + step * direction


def drawn_like(value, rng):
    if isinstance(value, dict):
        return {key: drawn_like(part, rng) for key, part in value.items()}
    if isinstance(value, list):
        return [drawn_like(part, rng) for part in value]
    return rng.normal(size=np.shape(value)) if np.ndim(value) else float(rng.normal())


def slope(workload, args, at, direction):
    """The change of the result along a direction, by four points."""

    def result(step):
        changed = list(args)
        changed[at] = moved(args[at], direction, step)
        return float(workload.program(*changed))

    h = 1e-4 if workload.group != "large" else 1e-5
    return (8 * (result(h) - result(-h)) - (result(2 * h) - result(-2 * h))) / (12 * h)


def inner(gradient, direction):
    pairs = zip(leaves_of(gradient), leaves_of(direction), strict=True)
    return sum(float(np.sum(a.value * b.value)) for a, b in pairs)


@pytest.mark.parametrize("workload", WORKLOADS, ids=NAMES)
def test_gradient_by_hand_agrees_with_differences(workload):
    args = workload.arguments()
    value, gradients = workload.by_hand(*args)
    np.testing.assert_allclose(value, workload.program(*args), rtol=1e-12)
    rng = np.random.default_rng(3)
    for at, gradient in zip(workload.wrt, gradients, strict=True):
        direction = drawn_like(args[at], rng)
        expected = slope(workload, args, at, direction)
        assert inner(gradient, direction) == pytest.approx(expected, rel=2e-5, abs=1e-7)


@pytest.mark.parametrize("workload", WORKLOADS, ids=NAMES)
def test_gradient_by_astad_agrees_with_the_one_by_hand(workload):
    args = workload.arguments()
    value, gradients = workload.by_hand(*args)
    found, bars = value_and_grad(workload.program, workload.wrt)(*args)
    np.testing.assert_allclose(found, value, rtol=1e-12)
    pairs = zip(leaves_of(list(bars)), leaves_of(list(gradients)), strict=True)
    for mine, theirs in pairs:
        scale = max(1e-3, float(np.max(np.abs(theirs.value))))
        np.testing.assert_allclose(mine.value, theirs.value, rtol=1e-9, atol=1e-11 * scale)
