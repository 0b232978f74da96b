"""The hints of a failure name the pattern of the mistake."""

import numpy as np
import pytest

from astad.testing.patterns import describe

G = np.array([[1.0, 2.0], [3.0, 5.0]])


@pytest.mark.parametrize(
    ("claimed", "hint"),
    [
        (-G, "the sign is wrong"),
        (2 * G, "all off by the factor 2"),
        (G.T, "transposed"),
        (G[::-1], "in reverse order"),
        (0 * G, "zero where it should not be"),
        (G + 0.5, "all off by the term 0.5"),
        (G * [[1, 1], [1, 0]], "zero in 1 of 4 entries, the first (1, 1)"),
        (G + [[0, 1], [0, 0]], "wrong in 1 of 4 entries, the first (0, 1)"),
        (np.stack([0.5 * G, 0.5 * G]), "right after a sum over the broadcast axes (0,)"),
    ],
)
def test_hint(claimed, hint):
    assert describe({"W": (claimed, G)}) == [f"W: {hint}"]


def test_gradients_in_each_others_place():
    a, b = np.array([1.0, 2.0]), np.array([4.0, 7.0])
    assert describe({"a": (b, a), "b": (a, b)}) == [
        "a: this is the gradient of b",
        "b: this is the gradient of a",
    ]


def test_right_gradient_has_no_hint():
    assert describe({"W": (G, G)}) == []
