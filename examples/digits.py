"""Train a small neural network to read handwritten digits (scikit-learn's 8 by 8 images).

    python examples/digits.py

The network is made of plain classes. Its gradient comes back as a record of the same attributes.
"""

import numpy as np
from sklearn.datasets import load_digits

import astad


class Dense:
    """A layer: ``max(x @ weights + bias, 0)``, or without the bend in the last layer."""

    def __init__(self, rng, inputs, outputs, bend):
        self.weights = rng.normal(size=(inputs, outputs)) * np.sqrt(2 / inputs)
        self.bias = np.zeros(outputs)
        self.bend = bend

    def __call__(self, x):
        x = x @ self.weights + self.bias
        if self.bend:
            x = np.maximum(x, 0)
        return x


class Network:
    """Layers, one after another."""

    def __init__(self, rng, sizes):
        last = len(sizes) - 2
        self.layers = [
            Dense(rng, sizes[i], sizes[i + 1], bend=i < last) for i in range(len(sizes) - 1)
        ]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def cross_entropy(network, images, labels):
    """Mean of minus the log-probability that the network gives to the right digit."""
    scores = network(images)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    right = scores[np.arange(len(labels)), labels]
    return np.mean(log_total - right)


def accuracy(network, images, labels):
    return float(np.mean(np.argmax(network(images), axis=1) == labels))


def train(network, images, labels, rng, epochs=30, batch=50, rate=0.05, momentum=0.9):
    """Stochastic gradient descent with momentum; changes the network's arrays in place."""
    value_and_gradient = astad.value_and_grad(cross_entropy)
    arrays = [array for layer in network.layers for array in (layer.weights, layer.bias)]
    moves = [np.zeros_like(array) for array in arrays]
    losses = []
    for _ in range(epochs):
        order = rng.permutation(len(labels))
        for first in range(0, len(labels), batch):
            rows = order[first : first + batch]
            loss, bar = value_and_gradient(network, images[rows], labels[rows])
            slopes = [slope for layer in bar.layers for slope in (layer.weights, layer.bias)]
            for array, move, slope in zip(arrays, moves, slopes, strict=True):
                move *= momentum
                move -= rate * slope
                array += move
        losses.append(float(loss))
    return losses


def main(epochs=30):
    """Train, print, and return the accuracies on both halves of the data and the losses."""
    rng = np.random.default_rng(0)
    images, labels = load_digits(return_X_y=True)
    images = images / 16
    order = rng.permutation(len(labels))
    train_rows, test_rows = order[:1400], order[1400:]
    network = Network(rng, [64, 64, 32, 10])
    losses = train(network, images[train_rows], labels[train_rows], rng, epochs)
    seen = accuracy(network, images[train_rows], labels[train_rows])
    unseen = accuracy(network, images[test_rows], labels[test_rows])
    print(f"last loss {losses[-1]:.4f}, right on seen {seen:.1%}, on unseen {unseen:.1%}")
    return {"seen": seen, "unseen": unseen, "losses": losses}


if __name__ == "__main__":
    main()
