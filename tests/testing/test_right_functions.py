"""Functions at scales that are hard for differences: `check_gradient` accuses none of them."""

import math

import numpy as np
import pytest

from astad.testing import GradientInconclusive, check_gradient

rng = np.random.default_rng(7)
A = rng.normal(size=(4, 4)) + 4 * np.eye(4)
S = A @ A.T
V = rng.normal(size=4)
HILBERT = 1.0 / (np.arange(5)[:, None] + np.arange(5) + 1.0)
LONG = rng.normal(size=300)


def horner(x, c):
    y = 0.0
    for each in c:
        y = y * x + each
    return y


def logistic(x, n):
    for _ in range(n):
        x = 3.2 * x * (1 - x)
    return x


def newton(a):
    x = a
    for _ in range(30):
        x = 0.5 * (x + a / x)
    return x


def softmax_loss(z):
    top = np.max(z)
    return top + np.log(np.sum(np.exp(z - top))) - z[0]


def kepler(m, e):
    x = m
    for _ in range(20):
        x = x - (x - e * math.sin(x) - m) / (1 - e * math.cos(x))
    return x


def oscillator(x, v, w):
    for _ in range(100):
        v = v - 0.01 * w * w * x
        x = x + 0.01 * v
    return x * x + v


RIGHT = {
    "tiny argument": (lambda x: x * x, 1e-12),
    "huge argument": (lambda x: x * x, 1e12),
    "huge value": (lambda x: 1e200 * x * x, 1.5),
    "tiny value": (lambda x: 1e-200 * x * x, 1.5),
    "huge offset": (lambda x: 1e12 + x * x, 1.5),
    "large and small": (lambda x, y: 1e9 * x + y * y, 1.0, 0.5),
    "large and tiny": (lambda x, y: 1e15 * x + y * y, 1.0, 0.5),
    "mixed entries": (lambda x: np.sum(np.array([1e9, 1.0, 1e-6]) * x * x), V[:3]),
    "mixed sizes": (lambda x: np.sum(np.sin(x * np.array([1e-6, 1.0, 1e3]))), V[:3]),
    "square root near 0": (lambda x: math.sqrt(x), 1e-8),
    "logarithm near 0": (lambda x: math.log(x), 1e-10),
    "logarithm of a sum": (lambda x: math.log1p(x), 1e-14),
    "reciprocal": (lambda x: 1 / x, 1e-5),
    "huge reciprocal": (lambda x: 1 / x, 1e8),
    "exponential": (lambda x: math.exp(x), 300.0),
    "underflow": (lambda x: math.exp(-x), 300.0),
    "steep": (lambda x: math.tanh(1e4 * (x - 0.5)), 0.50001),
    "flat": (lambda x: math.tanh(x), 12.0),
    "fast wave": (lambda x: math.sin(1e3 * x), 0.3),
    "slow wave": (lambda x: math.sin(1e-3 * x), 0.3),
    "phase": (lambda x: math.sin(x), 1e5),
    "cancellation": (lambda x: (1 - math.cos(x)) / x**2, 1e-3),
    "difference of squares": (lambda x, y: x * x - y * y, 1e5, 1e5 - 1.0),
    "high power": (lambda x: x**50, 1.1),
    "fractional power": (lambda x: x**0.1, 1e-6),
    "power of both": (lambda x, y: x**y, 1.0001, 1e4),
    "horner": (lambda x: horner(x, [1.0, -15.0, 85.0, -225.0, 274.0, -120.0]), 3.0001),
    "logistic map": (lambda x: logistic(x, 30), 0.37),
    "newton": (newton, 2.0),
    "kepler": (kepler, 0.8, 0.9),
    "oscillator": (oscillator, 1.0, 0.5, 3.0),
    "hypot": (lambda x, y: math.hypot(x, y), 1e-3, 1e3),
    "atan2": (lambda y, x: math.atan2(y, x), 1e-9, 1.0),
    "gamma": (lambda x: math.lgamma(x), 50.0),
    "erf": (lambda x: math.erf(x), 3.0),
    "zero slope": (lambda x: x * x, 0.0),
    "zero slope beside": (lambda x, y: x * x + 1e6 * y, 0.0, 2.0),
    "quartic at 0": (lambda x, y: x**4 + y, 0.0, 1.0),
    "kink away": (lambda x: abs(x - 1.0) * x, 1.001),
    "branch away": (lambda x: x * x if x > 0.99 else x, 1.0),
    "ints": (lambda x, n: x**n, 1.3, 3),
    "complex": (lambda z: z * z * (1e3 + 1j), 0.3 + 0.2j),
    "modulus": (lambda z: abs(z) ** 2, 1e-4 + 1e4j),
    "solve": (lambda a, b: np.linalg.solve(a, b), A, V),
    "ill conditioned": (lambda b: np.linalg.solve(HILBERT, b), np.ones(5)),
    "inverse": (lambda a: np.linalg.inv(a), S),
    "determinant": (lambda a: np.linalg.det(a), 10 * S),
    "slogdet": (lambda a: np.linalg.slogdet(a)[1], 1e-5 * S),
    "eigenvalues": (lambda a: np.linalg.eigvalsh(a), S),
    "singular values": (lambda a: np.linalg.svd(a, compute_uv=False), A),
    "cholesky": (lambda a: np.linalg.cholesky(a @ a.T), A),
    "norm": (lambda x: np.linalg.norm(x), 1e-7 * V),
    "softmax": (softmax_loss, np.array([500.0, 0.0, -500.0, 499.0])),
    "standard deviation": (lambda x: np.std(x), 1e6 + V),
    "correlation": (lambda x, y: np.corrcoef(x, y)[0, 1], V, A[0]),
    "long sum": (lambda x: np.sum(x**3), LONG),
    "long product": (lambda x: np.prod(x), 1 + 0.01 * LONG[:50]),
    "cumulated product": (lambda x: np.cumprod(x), 1 + 0.1 * LONG[:9]),
    "matrix product": (lambda a, b: a @ b, 1e8 * A, 1e-8 * A),
    "fourier": (lambda x: np.abs(np.fft.rfft(x)) ** 2, V),
    "interpolation": (lambda x: np.interp(x, [0.0, 1.0, 2.0], [0.0, 5.0, 1.0]), 0.31),
    "sorted": (lambda x: np.sort(x)[0] * np.sort(x)[-1], V),
    "single precision": (lambda x: np.sum(np.exp(x) * x), np.float32([0.5, 1.5])),
    "structure": (lambda p: {"a": p["x"] * 1e9, "b": [p["y"] ** 2]}, {"x": 1.0, "y": 1e-3}),
    "mean of squares": (lambda x: np.mean((x - np.mean(x)) ** 2), 1e3 + V),
}

UNRESOLVED = {"huge offset", "flat", "cancellation", "logistic map", "standard deviation"}
"""Where the values are too noisy for differences to tell."""


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_gradient_is_not_accused(name):
    f, *args = RIGHT[name]
    for seed in range(2):
        try:
            result = check_gradient(f, *args, seed=seed, expect_zero=name == "zero slope")
        except GradientInconclusive:
            assert name in UNRESOLVED
        else:
            assert result.outcome == "right"


def test_there_are_enough():
    assert len(RIGHT) >= 60
