"""Programs that may run more often than once, and others."""

import math

import numpy as np
import pytest

from astad.api.higher.gradient_modules import gradient_module
from astad.api.higher.how import How

SEEN = []
X = np.ones(3)


def filled(x):
    out = np.zeros(3)
    for k in range(3):
        out[k] = math.sin(x[k])
    return out


def helped(x):
    half = lambda v: v / 2.0
    return half(x) + np.sum(x)


def branching(x):
    if x[0] > 0.0:
        return np.sum(x)
    return np.max(x)


def written(x):
    x[0] = 2.0
    return x


def by_a_view(x):
    part = x[1:]
    part += 1.0
    return part


def noted(x):
    SEEN.append(x[0])
    return x


def drawn(x):
    return x * np.random.normal()


def said(x):
    print(x)
    return x


def into(x):
    return np.add(x, x, x)


def out_of(x):
    return np.exp(x, out=x)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (filled, True), (helped, True), (branching, True), (written, False), (by_a_view, False),
        (noted, False), (drawn, False), (said, False), (into, False), (out_of, False),
    ],
)  # fmt: skip
def test_which_are_repeatable(f, expected):
    made = gradient_module(f, (X,), How("value", ()))
    assert (made is not None and made.is_repeatable) is expected
