"""Derivatives inside of functions for which the compiler has no text: reversed line by line by the
formulas of rules, against differences.
"""

import functools

import numpy as np
import pytest

from astad import adjoint, dropgrad, grad, gradient, hessian, jvp, pullback, value_and_grad

from .test_recorded_derivatives import differences, numbers_of

pytestmark = pytest.mark.order_matters


def norm_of_order_three(x):
    return np.sum(grad(lambda v: np.linalg.norm(v, ord=3))(x) ** 2)


def singular_values(x):
    return np.sum(grad(lambda v: np.sum(np.linalg.svd(v, compute_uv=False) ** 3))(x) * x)


def a_sinc(x):
    return grad(lambda t: np.sinc(t) * 3.0)(x)


def a_solve(x):
    return np.sum(grad(lambda v: np.sum(np.linalg.solve(np.eye(2) * 3 + v, v) ** 2))(x) ** 2)


def spread_and_product(x):
    return np.sum(grad(lambda v: np.var(v, ddof=1) * np.einsum("i,i", v, v))(x) ** 2)


def parts_of_a_stack(x):
    return np.sum(grad(lambda v: np.sum(np.stack([v, v**2])[:, 1:] ** 2))(x) ** 2)


def squared(x):
    return x * x


@adjoint(squared)
def squared_rule(x):
    return x * x, lambda y_bar: (2.0 * x * y_bar,)


def scaled(x, k):
    return x * k


@adjoint(scaled)
def scaled_rule(x, k):
    def back(y_bar):
        return y_bar * k, np.sum(y_bar * x)

    return x * k, back


def energy(x):
    return np.sum(squared(x) * x)


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return np.sum(scaled(x, self.w) ** 3)

    def with_a_part_held(self, t):
        return t**3 * self.w + dropgrad(t) ** 2 * self.w


def a_rule_of_arrays(x):
    return np.sum(gradient(energy, x)[0] ** 2)


def a_rule_in_a_method(x, w):
    return np.sum(grad(Model(w).loss)(x) ** 2)


def what_is_held(w):
    return grad(Model(w).with_a_part_held)(1.5) * w


def a_hessian_by_a_rule(x):
    return np.sum(hessian(energy, x))


def parts_of_a_split(x):
    first, second, third = np.array_split(x, 3)
    return np.sin(first) * second[:1] + third * first[0]


def a_pullback_of_parts(x, y_bar):
    _, back = pullback(parts_of_a_split, x)
    return np.sum(back(y_bar)[0] ** 2)


def a_tangent_of_parts(x, v):
    return np.sum(jvp(parts_of_a_split, (x,), (v,))[1] ** 2)


def slopes_of(f):
    """A maker of derivatives of one's own."""

    @functools.wraps(f)
    def slopes(x):
        y, back = pullback(f, x)
        found = back(np.ones(np.shape(y)) if np.ndim(y) else 1.0)[0]
        return {key: np.zeros_like(x[key]) if bar is None else bar for key, bar in found.items()}

    return slopes


def potential(state):
    return np.sum(np.array_split(np.sin(state["q"]), 2)[0]) * state["v"] @ state["v"]


def a_tangent_of_dicts(q, v):
    def slope(state):
        found = slopes_of(potential)(state)
        return {"q": found["q"] * state["v"], "v": [found["v"], found["unused"]]}

    state = {"q": q, "v": v, "unused": q * 2.0}
    y, dot = jvp(slope, (state,), ({"q": v, "v": q * 0.5, "unused": q * 2.0},))
    return np.sum(dot["q"] * y["q"]) + np.sum(dot["v"][0]) + np.sum(dot["v"][1])


def a_pullback_of_dicts(q, v):
    y, back = pullback(lambda s: slopes_of(potential)(s), {"q": q, "v": v, "unused": q * 2.0})
    bars = back({"q": v, "v": q, "unused": None})[0]
    return np.sum(bars["q"] * y["v"]) + np.sum(bars["v"] ** 2)


def two_pullbacks_of_one_name(q, v):
    total = 0.0
    for k in range(2):
        _, back = pullback(
            lambda s: slopes_of(potential)(s)["q"] * (k + 1.0), {"q": q, "v": v, "unused": q * 2.0}
        )
        total += np.sum(back(q * v)[0]["v"]) + np.sum(back(v)[0]["q"])
    return total


TRIPLE, PAIR = np.array([0.3, 0.5, 1.1]), np.array([1.0, 0.5])
SIX = np.linspace(0.2, 1.4, 6)
MATRIX = np.array([[1.0, 0.3], [0.2, 2.0]])
PROGRAMS = [
    (norm_of_order_three, TRIPLE), (singular_values, MATRIX), (a_sinc, 0.7), (a_solve, MATRIX),
    (spread_and_product, TRIPLE), (parts_of_a_stack, TRIPLE), (a_rule_of_arrays, PAIR),
    (a_rule_in_a_method, PAIR, 0.7), (what_is_held, 1.3), (a_hessian_by_a_rule, PAIR),
    (a_pullback_of_parts, SIX, PAIR), (a_tangent_of_parts, SIX, 2.0 - SIX),
    (a_tangent_of_dicts, TRIPLE, 1.0 - TRIPLE), (a_pullback_of_dicts, TRIPLE, 1.0 - TRIPLE),
    (two_pullbacks_of_one_name, TRIPLE, 1.0 - TRIPLE),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0].__name__)
def test_programs_agree_with_differences(program):
    f, *args = program
    for _ in range(3):
        y, bars = value_and_grad(f, tuple(range(len(args))))(*args)
        assert float(y) == pytest.approx(float(f(*args)), rel=1e-12)
        assert numbers_of(bars) == pytest.approx(differences(f, tuple(args)), rel=2e-6, abs=1e-7)
