"""The examples of the MicroGrad.jl posts, part 2 and the later parts: rows 003.01 to 003.14."""

import math
import operator
from collections import namedtuple

import numpy as np
import pytest

from astad import accum, gradient, pullback, pullback_self


def wengert(a, b):
    return a / (a + b * b)


def test_003_01_the_wengert_list_of_the_paper():
    assert wengert(1, 2) == 0.2
    y, back = pullback(wengert, 2.0, 3.0)
    assert y == 0.18181818181818182
    assert back(1) == pytest.approx((0.0743801652892562, -0.09917355371900827), rel=1e-15)
    own, *slopes = pullback_self(wengert, 2, 3)[1](1)
    assert own is None
    assert slopes == pytest.approx([9 / 121, -12 / 121], rel=1e-15)


def test_003_02_the_pullback_of_an_operator():
    y, back = pullback(operator.add, 1.0, 2.0)
    assert y == 3.0
    assert back(1) == (1, 1)


def test_003_03_trigonometry():
    y, back = pullback(lambda x: math.sin(math.cos(x)), 0.9)
    assert y == pytest.approx(0.5823447254418763, rel=1e-15)
    assert back(1) == pytest.approx((-0.6367993086184733,), rel=1e-15)


def test_003_04_accumulation_of_cotangents():
    assert accum(1, 2, 3) == 6
    assert accum(None, 6, None) == 6
    assert accum((1, 2), (3, 4)) == (4, 6)
    assert accum({"a": 1, "b": 2}, {"a": 3}) == {"a": 4, "b": 2}
    assert accum({"a": 1, "b": None}, {"a": 3, "b": 2}) == {"a": 4, "b": 2}
    assert accum(None, None) is None


def polyval(weights, x):
    total = 0.0
    for w in reversed(weights):
        total = total * x + w
    return total


class Polynomial:
    def __init__(self, weights):
        self.weights = weights

    def at(self, x):
        return polyval(self.weights, x)

    def __call__(self, x):
        if isinstance(x, list):
            return list(map(self, x))
        return self.at(x)


def cubic():
    return Polynomial([3.0, 2.0, -3.0, 1.0])


def test_003_05_a_polynomial_model_at_a_number():
    y, back = pullback_self(cubic(), 2.5)
    own, x_bar = back(1.0)
    assert y == 4.875
    assert own.weights == [1.0, 2.5, 6.25, 15.625]
    assert x_bar == 5.75


def test_003_06_the_model_mapped_over_a_list():
    y, back = pullback_self(cubic(), [1.0, 2.0, 3.0, 4.0])
    own, x_bar = back([1.0, 1.0, 1.0, 1.0])
    assert y == [3, 3, 9, 27]
    assert own.weights == [4, 10, 30, 100]
    assert x_bar == [-1, 2, 11, 26]


def mean_squared_error(ys, targets):
    total = 0.0
    for y, target in zip(ys, targets):
        total += (y - target) ** 2
    return total / len(ys)


def test_003_07_the_loss_of_the_model():
    def loss(model, x, y):
        return mean_squared_error(model(x), y)

    value, back = pullback(loss, cubic(), [1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 15.0])
    model_bar, x_bar, y_bar = back(1.0)
    assert value == 46.25
    assert model_bar.weights == [10.5, 35.5, 127.5, 473.5]
    assert x_bar == [-0.5, 2, 33, 156]
    assert y_bar == [-0.5, -1, -3, -6]


def test_003_07_the_loss_with_numpy():
    def loss(weights, x, y):
        return np.mean((np.polyval(weights[::-1], x) - y) ** 2)

    weights = np.array([3.0, 2.0, -3.0, 1.0])
    value, back = pullback(loss, weights, np.arange(1.0, 5.0), np.array([2.0, 1.0, 3.0, 15.0]))
    w_bar, x_bar, y_bar = back(1.0)
    assert value == 46.25
    assert w_bar.tolist() == [10.5, 35.5, 127.5, 473.5]
    assert x_bar.tolist() == [-0.5, 2, 33, 156]
    assert y_bar.tolist() == [-0.5, -1, -3, -6]


def test_003_08_map_with_a_function_of_two():
    _, back = pullback(lambda a, b: list(map(wengert, a, b)), [2.1, 4.0], [3.2, 5.0])
    a_bar, b_bar = back([1.0, 1.0])
    assert a_bar == pytest.approx([0.06724649254378244, 0.029726516052318668], rel=1e-14)
    assert b_bar == pytest.approx([-0.08826102146371445, -0.047562425683709865], rel=1e-14)


def test_003_09_control_flow():
    def relu(x):
        return x if x > 0 else 0

    def power(x, n):
        r = 1.0
        while n > 0:
            n -= 1
            r *= x
        return r

    (at_negative,) = gradient(relu, -5)
    assert at_negative is None or at_negative == 0
    assert gradient(relu, 5) == (1,)
    assert gradient(power, 3.2, 5)[0] == pytest.approx(5 * 3.2**4, rel=1e-15)


def test_003_10_superfluous_statements():
    def f(x):
        y = x * 3
        z = y + 2
        b = z * x
        return y

    assert gradient(f, 3.0) == (3.0,)


def test_003_11_a_dense_layer_with_a_broadcast_bias():
    rng = np.random.default_rng(11)
    W, X, b = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), np.array([[10.0], [20.0], [30.0]])
    D = np.array([[10.0, 11.0], [20.0, 21.0], [30.0, 31.0]])
    y, back = pullback(lambda X, W, b: W @ X + b, X, W, b)
    X_bar, W_bar, b_bar = back(D)
    np.testing.assert_array_equal(y, W @ X + b)
    np.testing.assert_allclose(X_bar, W.T @ D, rtol=1e-15)
    np.testing.assert_allclose(W_bar, D @ X.T, rtol=1e-15)
    assert b_bar.tolist() == [[21], [41], [61]]


def test_003_12_a_record_with_a_text_field():
    Record = namedtuple("Record", ["x", "y", "z"])

    def f(record):
        return record.x + 2 * sum(record.z)

    (bar,) = gradient(f, Record(1.0, "aaa", (1.0, 2.0, 3.0)))
    assert type(bar) is Record
    assert bar == (1, None, (2, 2, 2))


def sigmoid(x):
    t = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + t), t / (1 + t))


def softmax(x):
    e = np.exp(x)
    return e / np.sum(e, axis=0)


def log_softmax(x):
    return x - np.log(np.sum(np.exp(x), axis=0))


def cross_entropy(scores, y):
    return np.mean(-np.sum(y * log_softmax(scores), axis=0))


GRID = np.array([[-1.2, 0.5], [2.1, -0.5]])


@pytest.mark.parametrize(
    ("activation", "value", "slope"),
    [
        (sigmoid, 0.6224593312018546, 0.2350037122015945),
        (np.tanh, 0.46211715726000974, 0.7864477329659274),
        (lambda x: np.maximum(x, 0), 0.5, 1.0),
    ],
)
def test_003_13_activations(activation, value, slope):
    y, back = pullback(activation, 0.5)
    assert y == pytest.approx(value, rel=1e-15)
    assert back(1.0) == pytest.approx((slope,), rel=1e-14)
    _, back = pullback(activation, GRID)
    (bar,) = back(np.ones((2, 2)))
    step = 1e-6
    ends = activation(GRID + step) - activation(GRID - step)
    np.testing.assert_allclose(bar, ends / (2 * step), atol=1e-9)


def test_003_13_softmax():
    x = np.array([2.0, -1.0, 0.5])
    y, back = pullback(softmax, x)
    p = [0.7855970345892759, 0.03911257327068745, 0.1752903921400367]
    np.testing.assert_allclose(y, p, rtol=1e-14)
    np.testing.assert_allclose(back(np.ones(3))[0], 0, atol=1e-15)
    (bar,) = back(np.array([0.46, 0.989, 0.68]))
    expected = [-0.04655011041061041, 0.01837295773064898, 0.028177152679961473]
    np.testing.assert_allclose(bar, expected, rtol=1e-12)


def test_003_13_log_softmax():
    y, back = pullback(log_softmax, np.array([2.0, -1.0, 0.5]))
    logs = [-0.24131129665715703, -3.241311296657157, -1.7413112966571571]
    np.testing.assert_allclose(y, logs, rtol=1e-14)
    (bar,) = back(np.ones(3))
    expected = [-1.3567911037678275, 0.8826622801879377, 0.47412882357988995]
    np.testing.assert_allclose(bar, expected, rtol=1e-14)


def test_003_14_losses_of_vectors():
    scores, y = np.array([4.0, 2.0, -3.0, 1.5]), np.array([6.0, -2.0, -1.0, 1.5])
    value, back = pullback(lambda a, b: np.mean((a - b) ** 2), scores, y)
    assert value == 6.0
    scores_bar, y_bar = back(1.0)
    assert scores_bar.tolist() == [-1, 2, -1, 0]
    assert y_bar.tolist() == [1, -2, 1, 0]

    value, back = pullback(cross_entropy, scores, y)
    assert value == pytest.approx(-6.3613271992582145, rel=1e-14)
    scores_bar, y_bar = back(1.0)
    slopes = [-2.306426003013708, 2.4998708830375276, 1.003368103516293, -1.1968129835401118]
    logs = [0.1974828446092856, 2.1974828446092856, 7.197482844609286, 2.6974828446092856]
    np.testing.assert_allclose(scores_bar, slopes, rtol=1e-13)
    np.testing.assert_allclose(y_bar, logs, rtol=1e-13)


def test_003_14_losses_of_columns():
    y = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    scores = np.array([[-0.5, 0.6, -1.0], [1.0, 0.3, 0.4]])
    value, back = pullback(cross_entropy, scores, y)
    assert value == pytest.approx(1.3920619774565768, rel=1e-14)
    scores_bar, y_bar = back(1.0)
    row = np.array([-0.2725248253978812, 0.19148083893721968, -0.2673946295195272])
    np.testing.assert_allclose(scores_bar, [row, -row], rtol=1e-13)
    expected = [
        [0.5671377593275841, 0.184785081489509, 0.5401391366394835],
        [0.06713775932758415, 0.284785081489509, 0.07347246997281694],
    ]
    np.testing.assert_allclose(y_bar, expected, rtol=1e-13)
