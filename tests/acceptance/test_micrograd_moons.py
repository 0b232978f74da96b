"""Part 5 of the MicroGrad.jl posts: a network trained on two moons. Row 003.15."""

import numpy as np
import pytest

from astad import gradient, pullback


class Dense:
    def __init__(self, W, b, bend):
        self.W = W
        self.b = b
        self.bend = bend

    def __call__(self, x):
        z = self.W @ x + self.b
        return np.maximum(z, 0) if self.bend else z


def moons(samples):
    """Points of two half circles, shape (2, 2 * samples), and their classes as unit columns."""
    t = np.linspace(0.0, np.pi, samples)
    outer = np.stack([np.cos(t), np.sin(t)])
    inner = np.stack([1 - np.cos(t), 0.5 - np.sin(t)])
    y = np.zeros((2, 2 * samples))
    y[0, :samples] = 1
    y[1, samples:] = 1
    return np.concatenate([outer, inner], axis=1), y


def network():
    rng = np.random.default_rng(15)
    sizes = [2, 16, 16, 2]
    return [
        Dense(rng.normal(size=(m, n)) * np.sqrt(2 / n), np.zeros((m, 1)), bend=m != 2)
        for n, m in zip(sizes, sizes[1:])
    ]


def scores_of(layers, x):
    for layer in layers:
        x = layer(x)
    return x


def loss(layers, x, y):
    scores = scores_of(layers, x)
    top = np.max(scores, axis=0)
    log_total = np.log(np.sum(np.exp(scores - top), axis=0)) + top
    return np.mean(log_total - np.sum(y * scores, axis=0))


def by_hand(layers, x, y):
    """Loss and backpropagation written out: pairs (W_bar, b_bar)."""
    acts = [x]
    for layer in layers:
        acts.append(layer(acts[-1]))
    e = np.exp(acts[-1] - acts[-1].max(axis=0))
    p = e / e.sum(axis=0)
    value = -np.mean(np.log(np.sum(p * y, axis=0)))
    bar, slopes = (p - y) / y.shape[1], []
    for layer, before, after in zip(layers[::-1], acts[-2::-1], acts[:0:-1]):
        if layer.bend:
            bar = bar * (after > 0)
        slopes.append((bar @ before.T, bar.sum(axis=1, keepdims=True)))
        bar = layer.W.T @ bar
    return value, slopes[::-1]


def by_astad(layers, x, y):
    value, back = pullback(loss, layers, x, y)
    return value, [(bar.W, bar.b) for bar in back(1.0)[0]]


def train(value_and_slopes, steps):
    """Adam: all losses, and the trained layers."""
    x, y = moons(50)
    layers, losses = network(), []
    arrays = [array for layer in layers for array in (layer.W, layer.b)]
    means, squares = [0.0 for _ in arrays], [0.0 for _ in arrays]
    for step in range(1, steps + 1):
        value, slopes = value_and_slopes(layers, x, y)
        losses.append(value)
        flat = [slope for pair in slopes for slope in pair]
        for i, (array, slope) in enumerate(zip(arrays, flat, strict=True)):
            means[i] = 0.9 * means[i] + 0.1 * slope
            squares[i] = 0.999 * squares[i] + 0.001 * slope**2
            size = np.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8
            array -= 0.02 * means[i] / (1 - 0.9**step) / size
    return losses, layers


def test_003_15_one_gradient_agrees_with_the_hand_written():
    x, y = moons(20)
    layers = network()
    value, expected = by_hand(layers, x, y)
    assert loss(layers, x, y) == pytest.approx(value, rel=1e-13)
    (bar,) = gradient(lambda layers: loss(layers, x, y), layers)
    for found, (W_bar, b_bar) in zip(bar, expected, strict=True):
        np.testing.assert_allclose(found.W, W_bar, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(found.b, b_bar, rtol=1e-10, atol=1e-14)


def test_003_15_three_hundred_steps_end_where_the_hand_written_end():
    losses, layers = train(by_astad, 300)
    expected, _ = train(by_hand, 300)
    np.testing.assert_allclose(losses[:50], expected[:50], rtol=1e-6)
    assert losses[-1] < 0.01
    assert losses[-1] == pytest.approx(expected[-1], rel=0.1)
    x, y = moons(50)
    assert np.all(scores_of(layers, x).argmax(axis=0) == y.argmax(axis=0))
