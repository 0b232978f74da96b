"""hessian, hvp, jacobian, jvp against formulas by hand, and against each other."""

import dataclasses
import math
import os
import re
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import astad
from astad import (
    Tangent,
    gradient,
    hessian,
    hessian_diag,
    hvp,
    jacobian,
    jvp,
    value_and_jacobian,
    wirtinger,
)
from astad.errors import AstadError, Unsupported, WrongCall


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x):
    """By hand."""
    n = len(x)
    found = np.zeros((n, n))
    for i in range(n - 1):
        found[i, i] += 1200.0 * x[i] ** 2 - 400.0 * x[i + 1] + 2.0
        found[i + 1, i + 1] += 200.0
        found[i, i + 1] -= 400.0 * x[i]
        found[i + 1, i] -= 400.0 * x[i]
    return found


X = np.array([0.5, 0.7, -0.2, 1.1])


def test_the_hessian_of_an_array():
    found = hessian(rosenbrock, X)
    np.testing.assert_allclose(found, rosenbrock_hessian(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found, found.T, rtol=1e-14, atol=1e-12)


def test_a_product_with_the_hessian():
    v = np.array([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(hvp(rosenbrock, X, v), rosenbrock_hessian(X) @ v, rtol=1e-12)


def test_numbers_lists_and_matrices():
    assert hessian(math.sin, math.pi / 2) == -1.0
    assert hessian(lambda x: 3.0, 2.0) == hessian(lambda x: 3.0 * x, 2.0) == 0.0
    assert hessian(lambda v: v[0] + v[1], [2.0, 3.0]) == [[0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_array_equal(hessian(lambda x: np.sum(x), np.ones(2)), np.zeros((2, 2)))
    assert hvp(lambda x: x**4, 2.0, 0.5) == 24.0
    assert hessian(lambda v: v[0] * v[1], [2.0, 3.0]) == [[0.0, 1.0], [1.0, 0.0]]
    assert hessian(lambda v: v[0] * v[1], [2, 3]) == [[0.0, 1.0], [1.0, 0.0]]
    assert hvp(lambda v: v[0] ** 2 * v[1], [2.0, 3.0], [1.0, 10.0]) == [46.0, 4.0]
    found = hessian(lambda x: np.sum(x**3), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert found.shape == (2, 2, 2, 2)
    np.testing.assert_array_equal(found.reshape(4, 4), np.diag([6.0, 12.0, 18.0, 24.0]))


def test_further_arguments_are_held():
    def f(x, scale, power):
        return scale * np.sum(x**power)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(hessian(f, x, 3.0, 4), np.diag(36.0 * x**2), rtol=1e-14)
    np.testing.assert_allclose(hvp(f, x, x, 3.0, 4), 36.0 * x**3, rtol=1e-14)
    np.testing.assert_allclose(jacobian(lambda x, k: k * x * x, x, 3.0), np.diag(6.0 * x))


def test_jacobians_of_numbers_and_arrays():
    assert jacobian(lambda x: x**3, 2.0) == 12.0
    np.testing.assert_array_equal(jacobian(lambda t: np.array([t, t * t]), 3.0), [1.0, 6.0])
    np.testing.assert_array_equal(jacobian(lambda x: np.sum(x * x), X), 2.0 * X)
    found = jacobian(lambda x: np.outer(x, x), X[:2])
    want = [[[1.0, 0.0], [0.7, 0.5]], [[0.7, 0.5], [0.0, 1.4]]]
    np.testing.assert_allclose(found, want)
    assert jacobian(lambda x: np.zeros(3), X).shape == (3, 4)
    assert jacobian(lambda x: x[:0], X).shape == (0, 4)


def test_a_jvp_and_its_transpose():
    def f(a, b):
        return np.array([a * b, a / b, np.sin(a)])

    y, y_dot = jvp(f, (2.0, 3.0), (0.5, -1.0))
    np.testing.assert_allclose(y, f(2.0, 3.0))
    np.testing.assert_allclose(y_dot, [-0.5, 0.5 / 3 + 2.0 / 9.0, 0.5 * math.cos(2.0)])
    y_bar = np.array([1.0, -2.0, 0.3])
    bars = astad.pullback(f, 2.0, 3.0)[1](y_bar)
    assert np.vdot(y_bar, y_dot) == pytest.approx(0.5 * bars[0] - bars[1], rel=1e-12)
    assert jvp(f, (2.0, 3.0), (None, 1.0))[1][0] == 2.0


def test_the_jvp_of_the_paper():
    y, y_dot = jvp(lambda a, b: a / (a + b * b), (1.0, 1.0), (1.0, 1.0))
    assert (y, y_dot) == (0.5, -0.25)
    found = jvp(lambda a, b: a / (a + b * b), (2.0, 3.0), (1.0, 1.0))[1]
    assert found == pytest.approx(-3.0 / 121.0, rel=1e-14)


def test_a_hessian_is_differentiated():
    def trace(x):
        return np.trace(np.diag(hessian(lambda v: np.sum(v**3), x).diagonal()))

    try:
        found = gradient(trace, np.array([1.0, 2.0]))[0]
    except Unsupported:
        return  # refused, not wrong
    np.testing.assert_allclose(found, [6.0, 6.0])


# --- structures


RANDOM = np.random.default_rng(7)
DATA, TARGETS = RANDOM.normal(size=(6, 3)), np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0])
W = np.array([0.3, -0.2, 0.5])
WEIGHTS = {"w": W, "b": 0.3}


def loss(p, x, t):
    """Of a logistic regression."""
    z = x @ p["w"] + p["b"]
    return np.sum(np.log1p(np.exp(z)) - t * z) + 0.1 * np.sum(p["w"] ** 2)


@dataclasses.dataclass
class Settings:
    rate: float
    weights: np.ndarray
    steps: int = 3
    name: str = "plain"

    def swing(self, t):
        return np.sum(self.weights**2 * np.sin(self.rate * t)) * self.rate


SETTINGS = Settings(0.4, np.array([0.5, -1.5]))


def differences(of_vector, x, h=1e-5):
    """The jacobian of a function of a vector by central differences."""
    x = np.asarray(x, float)
    columns = [
        (np.ravel(of_vector(x + h * unit)) - np.ravel(of_vector(x - h * unit))) / (2 * h)
        for unit in np.eye(len(x))
    ]
    return np.array(columns).T


def test_the_hessian_of_a_dict_of_weights_is_one_of_blocks():
    found = hessian(loss, WEIGHTS, DATA, TARGETS)

    def slope(v):
        bar = gradient(lambda p: loss(p, DATA, TARGETS), {"w": v[:3], "b": v[3]})[0]
        return np.append(bar["w"], bar["b"])

    whole = differences(slope, np.append(W, 0.3))
    np.testing.assert_allclose(found["w"]["w"], whole[:3, :3], rtol=1e-8)
    np.testing.assert_allclose(found["w"]["b"], whole[:3, 3], rtol=1e-8)
    np.testing.assert_allclose(found["b"]["w"], whole[3, :3], rtol=1e-8)
    assert found["b"]["b"] == pytest.approx(whole[3, 3], rel=1e-8)
    np.testing.assert_allclose(found["w"]["b"], found["b"]["w"], rtol=1e-13)  # symmetric
    z = DATA @ W + 0.3  # by hand
    weight = np.exp(z) / (1 + np.exp(z)) ** 2
    by_hand = DATA.T @ (weight[:, None] * DATA) + 0.2 * np.eye(3)
    np.testing.assert_allclose(found["w"]["w"], by_hand, rtol=1e-12)


def test_products_and_the_diagonal_are_those_of_the_blocks():
    whole = hessian(loss, WEIGHTS, DATA, TARGETS)
    v = {"w": np.array([1.0, -2.0, 0.5]), "b": 3.0}
    found = hvp(loss, WEIGHTS, v, DATA, TARGETS)
    want = whole["w"]["w"] @ v["w"] + whole["w"]["b"] * 3.0
    np.testing.assert_allclose(found["w"], want, rtol=1e-12)
    assert found["b"] == pytest.approx(whole["b"]["w"] @ v["w"] + 3.0 * whole["b"]["b"])
    held = hvp(loss, WEIGHTS, {"w": None, "b": 1.0}, DATA, TARGETS)
    np.testing.assert_allclose(held["w"], whole["w"]["b"], rtol=1e-13)
    diagonal = hessian_diag(loss, WEIGHTS, DATA, TARGETS)
    np.testing.assert_allclose(diagonal["w"], np.diag(whole["w"]["w"]), rtol=1e-13)
    assert diagonal["b"] == whole["b"]["b"] and type(diagonal["b"]) is float
    np.testing.assert_allclose(hessian_diag(rosenbrock, X), np.diag(rosenbrock_hessian(X)))
    assert hessian_diag(lambda v: v[0] ** 3 * v[1], [2.0, 5.0]) == [60.0, 0.0]
    assert hessian_diag(math.sin, 0.5) == -math.sin(0.5)
    itself = hvp(loss, WEIGHTS, WEIGHTS, DATA, TARGETS)
    np.testing.assert_allclose(itself["w"], whole["w"]["w"] @ W + 0.3 * whole["w"]["b"])


def test_keys_without_a_derivative_are_left_out_of_a_hessian():
    given = {"w": W, "b": 0.3, "name": "fit", "on": True, "seed": None}
    found = hessian(loss, given, DATA, TARGETS)
    assert found.keys() == found["w"].keys() == {"w", "b"}
    known = hessian(loss, WEIGHTS, DATA, TARGETS)
    np.testing.assert_allclose(found["w"]["w"], known["w"]["w"], rtol=1e-13)


def test_the_hessian_of_a_dataclass_is_a_record_of_records():
    t = np.array([0.2, 0.9])
    found = hessian(lambda s, t: s.swing(t), SETTINGS, t)
    r, w = SETTINGS.rate, SETTINGS.weights
    assert type(found) is Tangent and list(found) == ["rate", "weights", "steps", "name"]
    c, s = np.cos(r * t), np.sin(r * t)
    by_rate = np.sum(w**2 * (2 * t * c - r * t**2 * s))
    assert found.rate.rate == pytest.approx(by_rate, rel=1e-13)
    np.testing.assert_allclose(found.weights.weights, np.diag(2 * s * r), rtol=1e-13)
    np.testing.assert_allclose(found.rate.weights, 2 * w * (s + r * t * c), rtol=1e-13)
    np.testing.assert_allclose(found.weights.rate, found.rate.weights, rtol=1e-13)
    assert found.name is None and found.rate.name is None and found.steps.rate == 0.0
    v = Settings(2.0, np.zeros(2), 0)
    same = hvp(Settings.swing, SETTINGS, v, t)
    assert same.rate == pytest.approx(2.0 * by_rate, rel=1e-13)
    record = Tangent(rate=2.0, weights=None, steps=None, name=None)
    assert hvp(Settings.swing, SETTINGS, record, t).rate == same.rate


def test_nested_lists_tuples_and_long_lists():
    found = hessian(lambda v: v[0][0] * v[1][0] ** 2, [[1.0, 2.0], [3.0]])
    assert found == [[[[0.0, 0.0], [6.0]], [[0.0, 0.0], [0.0]]], [[[6.0, 0.0], [2.0]]]]
    found = hessian(lambda v: np.sum(v[0] ** 2) * v[1], (X, 3.0))
    np.testing.assert_allclose(found[0][0], 6.0 * np.eye(4))
    np.testing.assert_allclose(found[0][1], 2.0 * X)
    assert found[1][1] == 0.0

    def of_many(p):
        y = p["start"]
        for each in p["many"]:
            y = y + each * each * p["start"]
        return y

    many = [0.1 * k for k in range(40)]
    found = hessian(of_many, {"start": 2.0, "many": many})
    np.testing.assert_allclose([row["many"] for row in found["many"]], 4.0 * np.eye(40))
    np.testing.assert_allclose(found["start"]["many"], 2.0 * np.array(many))
    assert hessian(lambda p: p[0] ** 2 * p[1], {0: 1.0, 1: 2.0})[0] == {0: 4.0, 1: 2.0}


def test_functions_that_write_into_what_they_were_given():
    def clipped(p):
        total = np.zeros(3)
        total[:] = p["w"] ** 3
        total[0] *= p["b"]
        return np.sum(total)

    found = hessian(clipped, WEIGHTS)
    np.testing.assert_allclose(found["w"]["w"], np.diag(6.0 * W * [0.3, 1.0, 1.0]), rtol=1e-13)
    np.testing.assert_allclose(found["b"]["w"], [3.0 * W[0] ** 2, 0.0, 0.0], rtol=1e-13)
    assert found["b"]["b"] == 0.0
    np.testing.assert_array_equal(WEIGHTS["w"], [0.3, -0.2, 0.5])


def test_linear_and_constant_functions_have_zero_blocks():
    assert hessian(lambda p: 2.0 * p["a"] + p["b"], {"a": 1.0, "b": 2.0}) == {
        "a": {"a": 0.0, "b": 0.0},
        "b": {"a": 0.0, "b": 0.0},
    }
    assert hessian(lambda p: 2.0, {"a": 1.0}) == {"a": {"a": 0.0}}
    assert hvp(lambda p: 2.0, {"a": 1.0}, {"a": 3.0}) == {"a": 0.0}
    assert hessian_diag(lambda s: 1.0, SETTINGS).rate == 0.0
    assert hessian(lambda p: p["a"], {"a": 1.0, "none": []}) == {"a": {"a": 0.0, "none": []},
                                                                 "none": []}  # fmt: skip


def test_argnums_choose_the_arguments():
    def f(a, b, c):
        return a * np.sum(b**2) * c

    b = np.array([1.0, 2.0])
    np.testing.assert_allclose(hessian(f, 2.0, b, 3.0, argnums=1), 12.0 * np.eye(2))
    np.testing.assert_allclose(hessian(f, 2.0, b, 3.0, argnums=-2), 12.0 * np.eye(2))
    pair = hessian(f, 2.0, b, 3.0, argnums=(0, 1))
    assert pair[0][0] == 0.0
    np.testing.assert_allclose(pair[0][1], 6.0 * b)
    np.testing.assert_allclose(pair[1][0], 6.0 * b)
    by_two = hvp(f, 2.0, (1.0, 10.0), b, 3.0, argnums=(0, 2))
    assert by_two == (50.0, 5.0)
    assert hessian_diag(f, 2.0, b, 3.0, argnums=(2, 0)) == (0.0, 0.0)
    rows = jacobian(lambda a, b: a * b, 2.0, b, argnums=(0, 1))
    np.testing.assert_allclose(rows[0], b)
    np.testing.assert_allclose(rows[1], 2.0 * np.eye(2))
    np.testing.assert_allclose(jacobian(lambda a, b: a * b, 2.0, b, argnums=1), 2.0 * np.eye(2))


def of_cube(x):
    return x**3, {"steps": 4}


def test_what_is_returned_beside_the_value_comes_back():
    assert hessian(of_cube, 2.0, has_aux=True) == (12.0, {"steps": 4})
    assert hvp(of_cube, 2.0, 10.0, has_aux=True) == (120.0, {"steps": 4})
    assert hessian_diag(of_cube, 2.0, has_aux=True) == (12.0, {"steps": 4})
    assert jacobian(of_cube, 2.0, has_aux=True) == (12.0, {"steps": 4})
    assert value_and_jacobian(of_cube, 2.0, has_aux=True) == (8.0, 12.0, {"steps": 4})
    assert jvp(of_cube, (2.0,), (0.5,), has_aux=True) == (8.0, 6.0, {"steps": 4})
    y, back, aux = astad.vjp(of_cube, 2.0, has_aux=True)
    assert (y, back(1.0), back(2.0), aux) == (8.0, (12.0,), (24.0,), {"steps": 4})
    found, aux = hessian(lambda p: (3.0 * p["a"] ** 2, p["a"]), {"a": 1.0}, has_aux=True)
    assert (found, aux) == ({"a": {"a": 6.0}}, 1.0)
    scale = 3.0
    with pytest.raises(Unsupported, match="leave has_aux out"):
        hessian(lambda p: (scale * p["a"] ** 2, p["a"]), {"a": 1.0}, has_aux=True)


def test_the_jacobian_of_a_structure_by_a_structure():
    def f(p):
        return {"scaled": p["b"] * p["w"], "rest": (p["b"] ** 2, [np.sum(p["w"])]), "n": "text"}

    y, found = value_and_jacobian(f, WEIGHTS)
    assert y["rest"] == (0.3**2, [np.sum(W)]) and y["n"] == "text"
    assert found.keys() == {"scaled", "rest"}
    np.testing.assert_allclose(found["scaled"]["w"], 0.3 * np.eye(3))
    np.testing.assert_allclose(found["scaled"]["b"], W)
    assert found["rest"][0]["b"] == 0.6
    np.testing.assert_array_equal(found["rest"][0]["w"], np.zeros(3))
    np.testing.assert_array_equal(found["rest"][1][0]["w"], np.ones(3))
    step = jacobian(lambda x: np.sin(x["a"]) * np.exp(x["a"]), {"a": X})["a"]
    by_complex_step = np.imag(np.sin(X + 1e-30j) * np.exp(X + 1e-30j)) / 1e-30
    np.testing.assert_allclose(step, np.diag(by_complex_step), rtol=1e-14)


def test_jacobians_of_lists_and_objects():
    assert jacobian(lambda x: [x, x * x], 3.0) == [1.0, 6.0]
    assert jacobian(lambda v: [v[0] * v[1], v[0]], [2.0, 3.0]) == [[3.0, 2.0], [1.0, 0.0]]
    found = jacobian(lambda v: np.array([v[0] * v[1], v[0]]), [2.0, 3.0])
    np.testing.assert_array_equal(found, [[3.0, 1.0], [2.0, 0.0]])
    found = jacobian(lambda s, t: s.rate * t * s.weights, SETTINGS, 2.0)
    np.testing.assert_allclose(found.rate, 2.0 * SETTINGS.weights)
    np.testing.assert_allclose(found.weights, 0.8 * np.eye(2))
    made = jacobian(lambda x: Settings(x * x, np.array([x, 1.0])), 3.0)
    assert made.rate == 6.0 and made.name is None
    np.testing.assert_array_equal(made.weights, [1.0, 0.0])
    Pair = namedtuple("Pair", "x y")
    assert jacobian(lambda p: p.x * p.y, Pair(2.0, 5.0)) == Pair(5.0, 2.0)
    found = jacobian(lambda p: p["x"] * X, OrderedDict(x=2.0))
    assert type(found) is OrderedDict
    np.testing.assert_array_equal(found["x"], X)
    twice = jacobian(lambda x: (lambda y: (y, y))(x * x), X)
    np.testing.assert_array_equal(twice[0], np.diag(2.0 * X))
    np.testing.assert_array_equal(twice[1], twice[0])
    assert jacobian(lambda x: x * x, np.ones(2, np.float32)).dtype == np.float32
    assert not np.shares_memory(twice[0], twice[1])


def test_jvps_of_structures():
    v = {"w": np.array([1.0, 0.0, 2.0]), "b": -1.0}
    y, y_dot = jvp(lambda p: {"s": p["b"] * p["w"], "t": [p["b"]]}, (WEIGHTS,), (v,))
    np.testing.assert_allclose(y_dot["s"], -W + 0.3 * v["w"])
    assert y_dot["t"] == [-1.0] and y["t"] == [0.3]
    record = Tangent(rate=1.0, weights=None, steps=None, name=None)
    assert jvp(lambda s: s.rate**2 + np.sum(s.weights), (SETTINGS,), (record,))[1] == 0.8
    assert jvp(lambda t: t[0] * t[1][0], ((2.0, [3.0]),), ((1.0, [10.0]),)) == (6.0, 23.0)
    assert jvp(lambda t: t[0] * t[1][0], ((2.0, [3.0]),), ((None, [10.0]),)) == (6.0, 20.0)
    along = jvp(lambda p: loss(p, DATA, TARGETS), (WEIGHTS,), (v,))[1]
    h = 1e-6
    ahead = loss({"w": W + h * v["w"], "b": 0.3 - h}, DATA, TARGETS)
    behind = loss({"w": W - h * v["w"], "b": 0.3 + h}, DATA, TARGETS)
    assert along == pytest.approx((ahead - behind) / (2 * h), rel=1e-7)
    single = jvp(lambda x: x * x, (X.astype("f4"),), (np.ones(4, "f4"),))[1]
    assert single.dtype == np.float32
    assert type(jvp(lambda x: x * x, (3.0,), (1.0,))[1]) is float


def test_vjp_is_the_pullback():
    y, back = astad.vjp(lambda a, b: a * b, X, 2.0)
    np.testing.assert_array_equal(y, 2.0 * X)
    a_bar, b_bar = back(np.ones(4))
    np.testing.assert_array_equal(a_bar, np.full(4, 2.0))
    assert b_bar == pytest.approx(np.sum(X))


def test_newton_on_rosenbrock_of_a_hundred():
    x = np.linspace(0.8, 1.2, 100)
    for _ in range(12):
        x = x - np.linalg.solve(hessian(rosenbrock, x), gradient(rosenbrock, x)[0])
    np.testing.assert_allclose(x, 1.0, atol=1e-9)
    found = hessian(rosenbrock, np.linspace(-1.0, 1.0, 100))
    want = rosenbrock_hessian(np.linspace(-1.0, 1.0, 100))
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-10)


def test_a_gradient_penalty_by_a_dict_of_arrays():
    def energy(p, x):
        return np.sum(np.tanh(p["a"] @ x) * p["b"])

    def penalty(p, x):
        bars = astad.grad(energy)(p, x)
        return np.sum(bars["a"] ** 2) + np.sum(bars["b"] ** 2)

    p = {"a": DATA[:2], "b": np.array([0.5, -1.0])}
    found = gradient(penalty, p, W)[0]

    def of_vector(v):
        return penalty({"a": v[:6].reshape(2, 3), "b": v[6:]}, W)

    want = differences(of_vector, np.append(p["a"], p["b"]))[0]
    np.testing.assert_allclose(np.append(found["a"], found["b"]), want, rtol=1e-7)


# --- complex


def test_complex_derivatives_of_holomorphic_functions():
    z = np.array([1 + 2j, 0.5j])
    found = jacobian(lambda z: np.exp(z) * z, z, holomorphic=True)
    np.testing.assert_allclose(found, np.diag(np.exp(z) * (1 + z)), rtol=1e-13)
    assert jacobian(lambda z: 3 * z**2 + 2 * z + 1, 1 + 2j, holomorphic=True) == 8 + 12j
    matrix = np.array([[1j, 2.0], [0.5, 1 - 1j]])
    np.testing.assert_allclose(jacobian(lambda z: matrix @ z, z, holomorphic=True), matrix)
    found = jacobian(lambda d: [d["a"] * d["b"]], {"a": 1j, "b": 2 + 0j}, holomorphic=True)
    assert found == [{"a": 2 + 0j, "b": 1j}]
    y, slope = value_and_jacobian(lambda z: 1 / z, 2j, holomorphic=True)
    assert (y, slope) == (-0.5j, 0.25 + 0j)
    zero = jacobian(lambda z: z * 0 + 1j, z, holomorphic=True)
    np.testing.assert_array_equal(zero, np.zeros((2, 2)))


def test_the_wirtinger_pair():
    assert wirtinger(lambda z: 3 * z**2 + 2 * z + 1, 1 + 2j) == (8 + 12j, 0)
    assert wirtinger(lambda z: abs(z) ** 2, 1 + 2j) == (1 - 2j, 1 + 2j)
    assert wirtinger(lambda z: z.conjugate(), 1 + 2j) == (0, 1)
    z = np.array([1 + 2j, 3j])

    def f(z):
        return z**2 * np.conj(z)[::-1] + z.real

    dz, dz_conj = wirtinger(f, z)
    for along in (np.array([1.0, 0.3j]), np.array([1j, 2 - 1j])):
        h = 1e-6
        change = (f(z + h * along) - f(z - h * along)) / (2 * h)
        np.testing.assert_allclose(dz @ along + dz_conj @ np.conj(along), change, rtol=1e-8)
    bar = gradient(lambda z: np.sum(np.abs(z) ** 4), z)[0]  # du/dx + i du/dy is twice the second
    np.testing.assert_allclose(wirtinger(lambda z: np.sum(np.abs(z) ** 4), z)[1], bar / 2)
    pair = wirtinger(lambda d: d["a"] * np.conj(d["b"]), {"a": 1 + 1j, "b": 2j})
    assert pair == ({"a": -2j, "b": 0}, {"a": 0, "b": 1 + 1j})
    assert wirtinger(lambda z: (z * z, "aux"), 1j, has_aux=True) == (2j, 0, "aux")


def test_a_jvp_of_complex_numbers_is_linear_over_the_reals():
    y, y_dot = jvp(lambda z: z * np.conj(z) + z, (1 + 2j,), (1j,))
    assert (y, y_dot) == (6 + 2j, 4 + 1j)
    z = np.array([1 + 2j, 3j])
    y_dot = jvp(lambda z: np.conj(z) * 1j, (z,), (np.array([1j, 1.0]),))[1]
    np.testing.assert_allclose(y_dot, [1.0, 1j])


def test_by_a_named_tuple():
    Pair = namedtuple("Pair", "x y")
    for x in (1.0, 1.0, 3.0):
        rows = hessian(lambda p: p.x**2 * p.y, Pair(x, 2.0))
        assert rows == Pair(Pair(4.0, 2 * x), Pair(2 * x, 0.0))


DIARY = open(os.devnull, "w")


def written_cube(x):
    DIARY.write(f"the cube of {x}")
    return x**3


def test_refusals_name_the_users_function():
    with pytest.raises(Unsupported, match="written_cube: its second derivatives") as caught:
        hessian(written_cube, 1.0)
    assert "<astad>" not in str(caught.value)


def in_single_precision(x):
    return np.sum(x.astype(np.float32) ** 2)


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (in_single_precision, "an operation that gives float32"),
        (lambda x: written_cube(x[0]), "TextIOWrapper.write is compiled code"),
    ],
)
def test_refusals_say_what_in_the_function_is_in_the_way(f, what):
    x = np.array([0.5, 0.7])
    where = rf"test_second_order.py:\d+: {re.escape(what)}"
    for call in (
        lambda: hessian(f, x),
        lambda: hvp(f, x, x),
        lambda: hessian_diag(f, x),
        lambda: hessian(lambda d: f(d["x"]), {"x": x}),
    ):
        with pytest.raises(Unsupported, match=where):
            call()


@pytest.mark.parametrize(
    "x", [2.0, np.float64(2.0), np.float32(2.0), 1 + 2j, np.complex128(1 + 2j)]
)
def test_an_array_without_axes_moves_a_number(x):
    def cube(z):
        return z * z * z

    for v in (np.array(2.0), np.array(2), np.array(2.0, np.float32), np.array(2 - 1j)):
        if np.iscomplexobj(v) and not np.iscomplexobj(x):
            continue
        y, y_dot = jvp(cube, (x,), (v,))
        assert (y, type(y_dot)) == (cube(x), type(y))
        assert y_dot == pytest.approx(3 * x**2 * v[()])
        assert jvp(lambda p: p["z"] ** 2, ({"z": x},), ({"z": v},))[1] == pytest.approx(2 * x * v)
        assert jvp(cube, (x,), (v[()],)) == (y, y_dot)
    if type(x) is float:
        assert hvp(cube, x, np.array(0.5)) == 6.0
        assert hvp(lambda a, b: a * a * b, x, (np.array(1.0), 1.0), 3.0, argnums=(0, 1)) == (
            10.0, 4.0,
        )  # fmt: skip
        assert hvp(lambda p: p["z"] ** 3, {"z": x}, {"z": np.array(0.5)}) == {"z": 6.0}


@pytest.mark.parametrize(
    ("f", "x", "v"),
    [
        (lambda x: x * x, 2.0, 1j),
        (lambda x: x * x, 2.0, np.array(1j)),
        (lambda x: np.sum(x * x), X, 1j * X),
        (lambda x: np.sum(x * x), X, [1j, 0, 0, 0]),
        (lambda x: x[0] * x[1], [2.0, 3.0], [1j, 1.0]),
        (lambda x: x[0] * x[1], [2.0, 3.0], np.array([1j, 1.0])),
        (lambda p: p["a"] ** 2, {"a": 2.0}, {"a": np.array(1j)}),
        (lambda p: p[0][0] * p[0][1], ([2.0, 3.0],), ([1j, 1.0],)),
    ],
)
def test_a_complex_direction_of_real_numbers_in_any_structure(f, x, v):
    with pytest.raises(WrongCall, match="a complex tangent for argument 0.*, which is real"):
        jvp(f, (x,), (v,))
    with pytest.raises(WrongCall, match="a complex vector for an argument that is real"):
        hvp(f, x, v)


def test_a_wrong_tangent_of_a_complex_number_is_not_called_one_of_a_real_number():
    for v in (np.array(1j, object), np.array([1j]), "1j"):
        with pytest.raises(WrongCall) as caught:
            jvp(lambda z: z * z, (1 + 2j,), (v,))
        assert "which is real" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: hessian(lambda z: abs(z) ** 2, 1j), "put the numbers into one array"),
        (lambda: hvp(rosenbrock, X, X[:2]), "one number for each"),
        (lambda: jvp(math.sin, (1.0,), ()), "give None for an argument that is held"),
        (lambda: jvp(np.sin, (X,), (1.0,)), "give it the shape of the argument"),
        (lambda: jacobian(lambda x: "text", 1.0), "return floats"),
        (lambda: jacobian(lambda x: np.array([1, 2]), 1.0), "return floats"),
        (lambda: jacobian(lambda z: z * z, 1j), "say holomorphic=True"),
        (lambda: jacobian(lambda x: 1j * x, 1.0), "say holomorphic=True"),
        (lambda: hessian(lambda s: 1.0, {1.0}), "put the numbers into one array"),
        (lambda: hessian(lambda s: s[0][0], [{1.0}]), "put the numbers into one array"),
        (lambda: hessian(lambda v: np.sum(v[0] * v[1]), [X, X]), "put a copy in one place"),
        (lambda: hessian(lambda v: np.sum(v[0] * v[1]), [X, X[1:]]), "put a copy in one place"),
        (lambda: hvp(loss, WEIGHTS, {"w": W}, DATA, TARGETS), "the structure of the argument"),
        (
            lambda: hvp(loss, WEIGHTS, {"w": W[:2], "b": 1.0}, DATA, TARGETS),
            r"a vector of shape \(2,\), an argument of \(3,\)",
        ),
        (lambda: hvp(loss, WEIGHTS, [W, 1.0], DATA, TARGETS), "the structure of the argument"),
        (lambda: hvp(loss, WEIGHTS, {"w": W, "b": "no"}, DATA, TARGETS), "one number for each"),
        (lambda: jvp(lambda p: p["a"], ({"a": 1.0},), ({"b": 1.0},)), "with the same keys"),
        (
            lambda: jvp(lambda p: p["a"], ({"a": X},), ({"a": X[:2]},)),
            r"argument 0\['a'\] of shape",
        ),
        (lambda: jvp(lambda p: p[0], ([1.0, X],), ([1.0],)), "with the same keys"),
        (lambda: jvp(lambda p: p.rate, (SETTINGS,), (Tangent(rate=1.0),)), "attributes"),
        (lambda: jvp(lambda p: p[0] + p[1], ([X, X],), ([X, X],)), "put a copy in one place"),
        (lambda: hessian(lambda x: x**3, 2.0, has_aux=True), "return \\(y, aux\\)"),
        (lambda: jacobian(lambda x: x * X, 2.0, has_aux=True), "return \\(y, aux\\)"),
        (lambda: astad.vjp(lambda x: x * X, 2.0, has_aux=True), "return \\(y, aux\\)"),
        (lambda: jvp(lambda x: x * X, (2.0,), (1.0,), has_aux=True), "return \\(y, aux\\)"),
        (lambda: hessian(lambda x: x**3, 2.0, argnums=1), "count from 0"),
        (
            lambda: hessian(lambda p: np.sum(p["a"] ** 2), {"a": X.astype("f4")}),
            "float64",
        ),
        (lambda: jacobian(np.conj, 1 + 2j, holomorphic=True), "astad.wirtinger"),
        (lambda: jacobian(lambda z: z.real, 1 + 2j, holomorphic=True), "leave holomorphic out"),
        (lambda: jacobian(lambda x: x * 1j, 1.0, holomorphic=True), "leave holomorphic out"),
        (lambda: wirtinger(lambda x: x * 1j, 1.0), "leave holomorphic out"),
    ],
)
def test_wrong_calls_say_what_to_do(call, text):
    with pytest.raises((Unsupported, WrongCall), match=text):
        call()


def test_a_part_of_a_list_is_held():
    assert jvp(lambda p: p[0] * p[1], ([2.0, 3.0],), ([None, 1.0],)) == (6.0, 2.0)
    assert hvp(lambda p: p["l"][0] ** 2 * p["l"][1], {"l": [2.0, 3.0]}, {"l": [None, 1.0]}) == {
        "l": [4.0, 0.0]
    }


# --- found by an adversary


def test_parts_of_a_list_that_are_held():
    def volume(p):
        return p[0] * p[1] ** 2 * p[2]

    assert hvp(volume, [1.0, 2.0, 3.0], [None, 1.0, None]) == [12.0, 6.0, 4.0]


def test_an_argument_that_the_result_is_not_made_of():
    x, m = np.ones(4), np.ones((2, 2))

    def energy(x, m):
        return np.sum(m**2)

    assert hvp(energy, x, np.ones(4), m).tolist() == [0.0] * 4
    assert not hessian(energy, x, m).any()


def test_a_keyword_only_parameter():
    def power(x, n, *, scale=2.0):
        return scale * x**n

    assert hvp(power, 1.3, 1.0, 4.0) == pytest.approx(24 * 1.3**2)


def test_a_structure_that_the_function_changes():
    def cleared(d):
        v = d.pop("a")
        d["z"] = v
        return v * v * d["b"]

    assert jacobian(cleared, {"a": 1.0, "b": 2.0}) == {"a": 4.0, "b": 1.0}


def test_a_mask_that_is_kept_for_the_reverse_sweep():
    def damped(x):
        for _ in range(2):
            x = np.where(x > 0.6, x * x, 2 * x)
        return np.sum(x)

    found = hessian(damped, np.array([0.5, 0.7]))
    np.testing.assert_allclose(found, np.diag([8.0, 4.0]))


def test_a_direction_that_is_the_argument_itself():
    def scaled(x):
        x *= x
        return x + 0.0

    x = np.array([1.0, 3.0])
    assert jvp(scaled, (x,), (x,))[1].tolist() == [2.0, 18.0]


@pytest.mark.parametrize(("x", "v"), [(np.ones(2), np.ones(2) * 1j), (1.0, 1j)])
def test_a_complex_direction_of_what_is_real(x, v):
    with pytest.raises(AstadError, match="complex|tangent"):
        jvp(lambda a: a * a, (x,), (v,))


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def appending(m, x):
    m.a.append(x)
    return sum(m.b) * x + len(m.b)


def adding_an_attribute(m, x):
    m.new = x
    return sum(m.b) * x * x


@pytest.mark.parametrize("argnums", [0, (0, 1)])
@pytest.mark.parametrize("f", [appending, adding_an_attribute])
def test_an_argument_into_which_the_function_puts_a_number(f, argnums):
    for derivative in hessian, hessian_diag:
        for x in np.float64(2.0), 2.0, np.int64(2):
            with pytest.raises(AstadError):
                derivative(f, Pair([1.0], [2.0]), x, argnums=argnums)


def product_of_items(xs):
    return xs[0] * xs[1] * xs[1]


def test_an_array_of_no_axes_in_a_list():
    for _ in range(3):
        xs = [1.0, np.array(2.0)]
        assert jvp(product_of_items, (xs,), ([1.0, np.array(1.0)],)) == (4.0, 8.0)
        assert hessian(product_of_items, xs) == [[0.0, 4.0], [4.0, 2.0]]
        assert hvp(product_of_items, xs, [1.0, np.array(1.0)]) == [4.0, 6.0]


NO_NUMBERS = [[], (), {}, "", None, True, [None], {"a": []}, np.zeros(0), [np.zeros((0, 2))]]


@pytest.mark.parametrize("argnums", [0, (0,)])
@pytest.mark.parametrize("derivative", [gradient, jacobian, hessian, hessian_diag])
@pytest.mark.parametrize("x", NO_NUMBERS, ids=repr)
def test_a_function_runs_once_where_there_is_no_number(x, derivative, argnums):
    calls = []

    def constant(x, y):
        calls.append(x)
        return y * y

    def raising(x, y):
        calls.append(x)
        raise ValueError("empty")

    words = {} if derivative is gradient else {"argnums": argnums}
    derivative(constant, x, 2.0, **words)
    assert len(calls) == 1
    with pytest.raises(ValueError, match="empty"):
        derivative(raising, x, 2.0, **words)
    assert len(calls) == 2


def test_a_direction_of_rows_of_several_lengths():
    def f(v):
        return v[0] * v[1]

    with pytest.raises(WrongCall, match="of kind list"):
        hvp(f, [2.0, 3.0], [1.0, [2.0]])
    with pytest.raises(WrongCall, match="of kind list"):
        jvp(f, ([2.0, 3.0],), ([1.0, [2.0]],))


@pytest.mark.parametrize("x", [np.array([1.0, 2.0]), np.array([0.4]), np.array([])])
def test_hessian_of_an_array_over_a_number_of_the_argument(x):
    """Of the logarithm of a normal density, by hand, in the mean and the logarithm of the scale."""

    def loglik(theta):
        return np.sum(-0.5 * ((x - theta[0]) / np.exp(theta[1])) ** 2 - theta[1])

    m, s = 0.1, 0.2
    r = (x - m) / np.exp(s)
    cross = -2.0 * np.sum(r) / np.exp(s)
    expected = [[-len(x) / np.exp(2 * s), cross], [cross, -2.0 * np.sum(r * r)]]
    assert hessian(loglik, np.array([m, s])) == pytest.approx(np.array(expected))


def turned_part(x):
    return ((x**1.5) * 1j).real


def both_parts(x):
    return (x**1.5).real + (x**1.5).imag


def squared_size(x):
    return abs(x**1.5) ** 2  # |x|**3


def shifted_root(x):
    return abs((x - 3.0) ** 0.5 + x) ** 2


def part_of_pow(x):
    y = pow(x, 2.5)
    return y.real * y.imag + x**3


@pytest.mark.parametrize("x", [2.0, -2.0, 3.5])
@pytest.mark.parametrize("f", [turned_part, both_parts, squared_size, shifted_root, part_of_pow])
def test_a_power_of_a_float_that_turns_complex(f, x):
    h = 1e-3
    wanted = pytest.approx((f(x + h) - 2 * f(x) + f(x - h)) / h**2, rel=1e-4, abs=1e-6)

    def slope(x):
        return gradient(f, x)[0]

    def along(x):
        return jvp(f, (x,), (1.0,))[1]

    assert hessian(f, x) == wanted
    assert hessian_diag(f, x) == wanted
    assert hvp(f, x, 1.0) == wanted
    assert jvp(slope, (x,), (1.0,))[1] == wanted
    assert gradient(lambda x: slope(x) * 1.0, x)[0] == wanted
    assert gradient(along, x)[0] == wanted
    steep = gradient(lambda x: slope(x) ** 2, x)[0]
    assert steep == pytest.approx(2 * slope(x) * hessian(f, x))


def product(xs, t):
    if all(x > t for x in xs):
        return math.prod(xs)
    return t**3


def test_an_argument_that_the_run_does_not_reach_has_the_slope_0():
    for call in (astad.hessian, astad.hessian_diag):
        assert call(product, [1.0, 2.0], 0.1, argnums=1) == 0.0
        assert call(product, [1.0, 2.0], 5.0, argnums=1) == 30.0
    assert astad.hvp(product, [1.0, 2.0], 1.0, 0.1, argnums=1) == 0.0


def test_a_gradient_inside_is_what_it_is_outside_or_refused():
    def inside(xs, t):
        slope = astad.grad(product, 1)(xs, t)
        return t if slope is None else slope * t

    assert inside([1.0, 2.0], 0.1) == 0.0
    with pytest.raises(Unsupported, match="gives something else"):
        astad.gradient(inside, [1.0, 2.0], 0.1)
