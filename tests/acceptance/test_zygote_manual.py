"""The examples of Zygote's manual without rules of the user's: rows 001.01 to .17, .29 to .32, .38
and .41.

Rows with complex entry points wait for those.
"""

import operator
from collections import namedtuple
from dataclasses import dataclass
from fractions import Fraction
from math import cos, sin, sqrt

import numpy as np
import pytest

import astad
from astad import Tangent, gradient, pullback, pullback_self

W = np.array([[1.0, -2.0, 0.5], [0.3, 4.0, -1.0]])
X = np.array([0.5, -1.0, 2.0])


def quadratic(x):
    return 3 * x**2 + 2 * x + 1


def test_001_01_the_first_gradient_is_exact_and_an_int():
    (bar,) = gradient(quadratic, 5)
    assert bar == 32
    assert type(bar) is int
    assert gradient(lambda x: 3 * x**2 + 2 * x + 1, 5) == (32,)


def test_001_02_a_tuple_one_per_argument():
    assert gradient(lambda a, b: a * b, 2, 3) == (3, 2)


def test_001_03_an_array_argument():
    (W_bar,) = gradient(lambda W: np.sum(W @ X), W)
    assert W_bar.tolist() == [X.tolist(), X.tolist()]


def test_001_04_number_types_are_kept():
    (bar,) = gradient(quadratic, Fraction(1, 4))
    assert bar == Fraction(7, 2)
    assert type(bar) is Fraction


def test_001_05_loops():
    def for_power(x, n):
        r = 1
        for _ in range(n):
            r *= x
        return r

    def while_power(x, n):
        r = 1
        while n > 0:
            n -= 1
            r *= x
        return r

    assert gradient(lambda x: for_power(x, 3), 5) == (75,)
    assert gradient(lambda x: while_power(x, 3), 5) == (75,)
    assert gradient(for_power, 5, 3) == (75, None)
    assert gradient(while_power, 5, 3) == (75, None)


def power(x, n):
    return 1 if n <= 0 else x * power(x, n - 1)


def test_001_06_recursion():
    x_bar, n_bar = gradient(power, 5, 3)
    assert x_bar == 75
    assert n_bar is None or n_bar == 0


def test_001_07_a_dictionary_that_is_written():
    d = {}

    def f(x):
        d["x"] = x
        return d["x"] * d["x"]

    assert gradient(f, 5) == (10,)
    assert d == {"x": 5}


def test_001_07_dictionary_list_and_tuple():
    def from_dict(d):
        return d["a"] * d["a"] * d["b"]

    def from_list(x):
        parts = []
        parts.append(x)
        parts.append(x * x)
        return parts[0] + parts[1]

    def from_tuple(pair):
        x, y = pair
        inner = (y, x)
        return x * (inner[0] * inner[1])

    assert gradient(from_dict, {"a": 3, "b": 4}) == ({"a": 24, "b": 9},)
    assert gradient(from_list, 3) == (7,)
    assert gradient(from_tuple, (2, 3)) == ((12, 4),)


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


class PointTuple(namedtuple("PointTuple", "x y")):
    def __add__(self, other):
        return PointTuple(self.x + other.x, self.y + other.y)


def dist(p):
    return sqrt(p.x**2 + p.y**2)


@pytest.mark.parametrize("make", [Point, PointTuple])
def test_001_08_a_record_with_its_own_addition(make):
    def f(a, b):
        return dist(a + b)

    a, b = make(1, 2), make(3, 4)
    y, back = pullback(f, a, b)
    assert y == 7.211102550927978
    for bar in back(1):
        assert bar.x == pytest.approx(0.5547001962252291, rel=1e-15)
        assert bar.y == pytest.approx(0.8320502943378437, rel=1e-15)


def test_001_10_weights_in_a_dictionary():
    theta = {"W": W, "b": np.array([0.5, -0.5])}
    (bar,) = gradient(lambda theta: np.sum(theta["W"] @ X + theta["b"]), theta)
    assert bar["W"].tolist() == [X.tolist(), X.tolist()]
    assert bar["b"].tolist() == [1, 1]


class Linear:
    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, x):
        return self.W @ x + self.b


def test_001_11_the_gradient_of_a_callable_object():
    (bar,) = gradient(lambda m: np.sum(m(X)), Linear(W, np.zeros(2)))
    assert isinstance(bar, Tangent)
    assert bar.W.tolist() == [X.tolist(), X.tolist()]
    assert bar.b.tolist() == [1, 1]


def test_001_11_its_own_gradient():
    y, back = pullback_self(Linear(W, np.array([0.5, -0.5])), X)
    np.testing.assert_allclose(y, W @ X + np.array([0.5, -0.5]))
    own, x_bar = back(np.array([1.0, 0.0]))
    assert own.W.tolist() == [X.tolist(), [0, 0, 0]]
    assert own.b.tolist() == [1, 0]
    assert x_bar.tolist() == W[0].tolist()


def test_001_12_implicit_parameters():
    b = np.array([0.5, -0.5])
    grads = gradient(lambda: np.sum(W @ X + b), astad.Params([W, b]))
    assert grads[W].tolist() == [X.tolist(), X.tolist()]
    assert grads[b].tolist() == [1, 1]


def test_001_13_pullback():
    y, back = pullback(sin, 0.5)
    assert y == 0.479425538604203
    assert back(1) == (0.8775825618903728,)


def test_001_14_the_users_own_gradient():
    def mygradient(f, *args):
        _, back = pullback(f, *args)
        return back(1)

    assert mygradient(sin, 0.5) == (cos(0.5),)
    assert pullback(lambda a, b: a * b, 2, 3)[1](4) == (12, 8)


def test_001_16_the_default_gradient_of_a_record():
    (bar,) = gradient(dist, Point(1, 2))
    assert isinstance(bar, Tangent)
    assert (bar.x, bar.y) == pytest.approx((0.4472135954999579, 0.8944271909999159), rel=1e-15)


def test_001_17_field_access():
    (bar,) = gradient(lambda a: a.x, Point(1, 2))
    assert bar.x == 1
    assert bar.y is None


def test_001_29_hessians():
    def product(v):
        a, b = v
        return a * b

    assert astad.hessian(product, [2.0, 3.0]) == [[0.0, 1.0], [1.0, 0.0]]
    assert astad.hessian(product, [2, 3]) == [[0.0, 1.0], [1.0, 0.0]]
    assert astad.hessian(sin, np.pi / 2) == -1.0
    found = astad.hessian(lambda x: np.sum(x**3), np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(found.reshape(4, 4), np.diag([6.0, 12.0, 18.0, 24.0]))


def test_001_30_a_plain_array_written_in_a_loop():
    def stacked(xs):
        buf = np.empty((len(xs), 5))
        for i in range(5):
            buf[:, i] = xs
        return np.sum(buf)

    (bar,) = gradient(stacked, np.array([1.0, 2.0, 3.0]))
    assert bar.tolist() == [5, 5, 5]


def test_001_30_a_buffer():
    def stacked(xs):
        buf = astad.Buffer(xs, len(xs), 5)
        for i in range(5):
            buf[:, i] = xs
        return np.sum(buf.copy())

    (bar,) = gradient(stacked, np.array([1.0, 2.0, 3.0]))
    assert bar.tolist() == [5, 5, 5]


def test_001_30_a_product_in_place():
    def f(x):
        y = x.copy()
        y *= x  # x**2
        y[0] = y[1] * y[2]
        y *= y[0]
        return np.sum(y)

    # y0 = b**2 c**2, the sum: y0**2 + b**2 y0 + c**2 y0 = b**4 c**4 + b**4 c**2 + b**2 c**4
    def by_hand(a, b, c):
        return [
            0,
            4 * b**3 * c**4 + 4 * b**3 * c**2 + 2 * b * c**4,
            4 * b**4 * c**3 + 2 * b**4 * c + 4 * b**2 * c**3,
        ]

    (bar,) = gradient(f, np.array([1.0, 2.0, 3.0]))
    assert bar.tolist() == by_hand(1, 2, 3)


def test_001_31_forward_mode_inside_of_reverse_mode():
    assert gradient(lambda x: astad.forwarddiff(lambda x: power(x, 2), x), 5) == (10,)


def test_001_32_forward_mode_and_captured_values():
    def in_a_vector(a, b):
        return astad.forwarddiff(lambda v: v[0] * v[1], [a, b])

    def captured(a, b):
        return astad.forwarddiff(lambda a: a * b, a)

    assert gradient(in_a_vector, 2, 3) == (3, 2)
    assert gradient(lambda a, b: astad.forwarddiff(np.prod, np.array([a, b])), 2, 3) == (3, 2)
    assert gradient(captured, 2, 3) == (3, 2)


class Dense:
    def __init__(self, W, b, act):
        self.W = W
        self.b = b
        self.act = act

    def __call__(self, x):
        return self.act(self.W @ x + self.b)


def chain(layers, x):
    for layer in layers:
        x = layer(x)
    return x


def network():
    return [
        Dense(np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]), np.array([0.01, -0.02]), np.tanh),
        Dense(np.array([[0.7, -0.8]]), np.array([0.05]), lambda x: x),
    ]


def test_001_38_a_chain_of_dense_layers():
    x = np.array([1.0, 2.0, 1.0])
    y, back = pullback(lambda m, x: chain(m, x)[0], network(), x)
    assert y == pytest.approx(-0.4651655980935924, rel=1e-15)
    layers_bar, x_bar = back(1.0)
    first, second = layers_bar
    row = [0.6999300046664022, 1.3998600093328044, 0.6999300046664022]
    np.testing.assert_allclose(first.W[0], row, rtol=1e-14)
    np.testing.assert_allclose(second.W, [[0.009999666679999405, 0.6527067059619899]], rtol=1e-14)
    slope = [-0.11367866545087932, -0.36957558333017987, 0.48548650027619994]
    np.testing.assert_allclose(x_bar, slope, rtol=1e-14)


def test_001_38_a_hundred_adam_steps_in_place():
    x, target, layers = np.array([1.0, 2.0, 1.0]), 0.3, network()

    def loss(layers):
        return (chain(layers, x)[0] - target) ** 2

    arrays = [array for layer in layers for array in (layer.W, layer.b)]
    means = [np.zeros_like(a) for a in arrays]
    squares = [np.zeros_like(a) for a in arrays]
    losses = []
    for step in range(1, 101):
        losses.append(loss(layers))
        (bar,) = gradient(loss, layers)
        slopes = [slope for layer in bar for slope in (layer.W, layer.b)]
        for array, mean, square, slope in zip(arrays, means, squares, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            size = np.sqrt(square / (1 - 0.999**step)) + 1e-8
            array -= 0.02 * mean / (1 - 0.9**step) / size
    assert losses[0] == pytest.approx(0.5854783925038806, rel=1e-11)
    assert losses[-1] < losses[0] / 1000


def test_001_38_a_hundred_adam_steps_by_implicit_parameters():
    x, target, layers = np.array([1.0, 2.0, 1.0]), 0.3, network()

    def loss():
        return (chain(layers, x)[0] - target) ** 2

    params = astad.Params([array for layer in layers for array in (layer.W, layer.b)])
    means = [np.zeros_like(a) for a in params]
    squares = [np.zeros_like(a) for a in params]
    losses = []
    for step in range(1, 101):
        y, back = pullback(loss, params)
        losses.append(y)
        grads = back(1.0)
        for array, mean, square in zip(params, means, squares, strict=True):
            mean += 0.1 * (grads[array] - mean)
            square += 0.001 * (grads[array] ** 2 - square)
            size = np.sqrt(square / (1 - 0.999**step)) + 1e-8
            array -= 0.02 * mean / (1 - 0.9**step) / size
    assert losses[0] == pytest.approx(0.5854783925038806, rel=1e-11)
    assert losses[-1] < losses[0] / 1000


def test_001_38_the_slopes_by_implicit_parameters():
    x, layers = np.array([1.0, 2.0, 1.0]), network()
    first, second = layers
    y, back = pullback(lambda: chain(layers, x)[0], astad.Params([first.W, second.W, x]))
    assert y == pytest.approx(-0.4651655980935924, rel=1e-15)
    grads = back(1.0)
    row = [0.6999300046664022, 1.3998600093328044, 0.6999300046664022]
    np.testing.assert_allclose(grads[first.W][0], row, rtol=1e-14)
    slopes = [[0.009999666679999405, 0.6527067059619899]]
    np.testing.assert_allclose(grads[second.W], slopes, rtol=1e-14)
    slope = [-0.11367866545087932, -0.36957558333017987, 0.48548650027619994]
    np.testing.assert_allclose(grads[x], slope, rtol=1e-14)


def four_and_one(x, s):
    y = np.sin(np.cos(np.exp(np.tanh(x))))
    t = s * s
    return np.sum(y) * t


def profiled_lines():
    first = four_and_one.__code__.co_firstlineno
    found = astad.profile(four_and_one, np.linspace(0.0, 1.0, 100_000), 2.0)
    rows = {row.line - first: row for row in found if row.filename == __file__}
    return rows[1], rows[2]


def test_001_39_time_by_source_line_forward_and_backward_apart():
    arrays, scalar = profiled_lines()
    assert arrays.forward > scalar.forward
    assert arrays.backward > scalar.backward


def test_001_40_memory_kept_by_source_line():
    arrays, scalar = profiled_lines()
    assert arrays.bytes >= 1_600_000
    assert scalar.bytes < 10_000


def test_001_41_reflection_of_the_low_level_call():
    y, back = pullback_self(operator.add, 1, 2)
    assert y == 3
    assert back(1) == (None, 1, 1)


def test_the_public_names_of_these_rows_exist():
    names = "adjoint checkpoint dropgrad gradient hook isderiving profile pullback pullback_self"
    assert all(hasattr(astad, name) for name in [*names.split(), "showgrad"])
