"""Products of arrays with literals are shortened, and only where not a bit changes."""

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

V = np.array([0.3, -1.2, 0.7, 2.0])


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    return compile_function(fn, parsed, (True,) * len(kinds), fused=True).text.source


def down(x, y):
    return np.sum(3.0 * (x - y * y) ** 2)


def thirds(x):
    return np.sum((0.1 * x) ** 3) - np.sum((0.3 * x) ** 2)


def through_views(x):
    u = x * 2.0
    return np.sum(u[1:] * u[:-1]) - np.sum((u[1:] - 1.0) ** 2) * 4.0


def twice_read(x, y):
    d = x - y
    return np.sum(d**2) - np.sum(np.sin(d) * 2.0) + np.sum(d * y)


@pytest.mark.parametrize(
    "case", [(down, V, V + 1), (thirds, V), (through_views, V), (twice_read, V, V + 2)]
)
def test_every_form_agrees(case, forms_agree):
    forms_agree(*case, fused=True)


def test_a_minus_and_a_power_of_two_join_the_literal():
    assert "(-6.0) * " in source(down, "ndarray1", "ndarray1")


def test_exact_to_the_bit():
    def plain(x, y):
        d_bar = 6.0 * (x - y * y)
        return d_bar, -d_bar * 2 * y

    x, y = V, V * 3 + 0.1
    for found, expected in zip(gradient(down, x, y), plain(x, y), strict=True):
        assert found.tolist() == expected.tolist()
