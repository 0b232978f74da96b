"""Whole numbers out of arrays: labels, symbols, places, counted on and read by."""

import numpy as np
import pytest

from astad.testing import check_gradient

LABELS = np.array([2, 0, 1, 1, 2])
M = np.arange(9.0).reshape(3, 3) / 7 - 0.4
V = np.array([0.4, -1.2, 0.9])


def picked_in_a_loop(m, labels):
    total = 0.0
    for t in range(len(labels)):
        total = total + np.sin(m[t % 3, labels[t]])
    return total


def walked(m, labels):
    total = 0.0
    for label in labels:
        total = total + np.exp(m[0, label]) * np.sum(m[:, label])
    return total


def forward_algorithm(m, labels):
    alpha = m[:, labels[0]]
    for label in labels[1:]:
        moved = alpha[:, None] + m
        alpha = np.log(np.exp(moved).sum(axis=0)) + m[:, label]
    return np.log(np.exp(alpha).sum())


def beside_floats(v, labels):
    total = 0.0
    for x, label in zip(v, labels):
        total = total + (x - label) ** 2 * label + x / (label + 1.5) + label * x
    return total


def counted(v, labels):
    total = 0.0
    for i, label in enumerate(labels):
        if label == 1 or i < label:
            total = total + v[label] * v[label - 1] * i
        elif label:
            total = total - v[-label]
    return total


def of_two_axes(m, labels):
    pairs = np.stack([labels, labels[::-1]], axis=1)
    total = 0.0
    for t in range(5):
        total = total + m[pairs[t, 0], pairs[t, 1]] ** 2
    return total


def carried(v, labels):
    last, total = labels[0], 0.0
    for label in labels:
        total = total + v[label] * v[last]
        last = label
    return total


def made_here(v):
    order = np.argsort(v)
    total = v[order[0]] * 3.0
    for at in order:
        total = total * 0.5 + v[at]
    return total


def tabled(v, labels):
    found = [v[0]] * 3
    for label in labels:
        found[label] = found[label] * v[label]
    return found[0] + found[1] * found[2]


def arithmetic(v, labels):
    total = v[0]
    for label in labels:
        other = 2 * label + 1
        total = total + v[other % 3] / other + v[label // 2] ** label
    return total


def of_masks(v, flags):
    total = 0.0
    for i in range(3):
        if flags[i]:
            total = total + v[i] * flags[i]
    return total


@pytest.mark.parametrize("fn, args", [
    (picked_in_a_loop, (M, LABELS)), (walked, (M, LABELS)), (forward_algorithm, (M, LABELS)),
    (beside_floats, (V, LABELS)), (counted, (V, LABELS)), (of_two_axes, (M, LABELS)),
    (carried, (V, LABELS)), (made_here, (V,)), (tabled, (V, LABELS)), (arithmetic, (V, LABELS)),
    (of_masks, (V, np.array([True, False, True]))), (walked, (M, LABELS[:0])),
])  # fmt: skip
def test_against_differences(fn, args):
    check_gradient(fn, *args, argnums=0, expect_zero=len(args) > 1 and not len(args[1]))


def labels_differentiated(labels):
    total = 0.0
    for label in labels:
        total = total + label * label * 0.5
    return total


def test_labels_that_are_asked_for_have_their_derivative():
    check_gradient(labels_differentiated, LABELS)
