"""Arrays for the examples of rules: the same in every process, no two entries equal.

>>> real(2).shape, imaginary(2, 3).dtype, definite(3, 2).shape
((2,), dtype('complex128'), (3, 2, 2))
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["definite", "graded", "hermitian", "imaginary", "positive", "real"]


def real(*shape: int, seed: int = 0) -> Any:
    """Numbers between -2 and 2, away from 0."""
    draws = np.random.default_rng([seed, *shape]).uniform(0.3, 2.0, (2, *shape))
    return np.where(draws[1] > 1.15, draws[0], -draws[0])


def positive(*shape: int, seed: int = 0) -> Any:
    """Numbers between 0.3 and 2."""
    return abs(real(*shape, seed=seed))


def imaginary(*shape: int, seed: int = 0) -> Any:
    """Complex numbers."""
    return real(*shape, seed=seed) + 1j * real(*shape, seed=seed + 1)


def definite(*shape: int, seed: int = 0) -> Any:
    """Positive definite matrices of length ``shape[-1]``, stacked along the other axes."""
    a = real(*shape, shape[-1], seed=seed)
    return a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])


def graded(n: int) -> Any:
    """A matrix with real eigenvalues far from each other: LAPACK finds them in the same order, and
    their vectors with the same signs, where the matrix is moved a little, on any processor.
    """
    return np.diag(4.0 ** -np.arange(n)) + real(n, n) / 20


def hermitian(*shape: int, seed: int = 0) -> Any:
    """Complex positive definite matrices."""
    a = imaginary(*shape, shape[-1], seed=seed)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(shape[-1])
