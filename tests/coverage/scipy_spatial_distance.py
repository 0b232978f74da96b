"""Calls of scipy.spatial.distance in nine numbers, as three points of space."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

u = np.array([0.9, 0.31, 0.57])
w = np.array([0.5, 1.5, 2.0])
V = np.array([1.3, 0.7, 2.1])
VI = np.eye(3) + 0.1
B = np.array([[1.13, 0.42, 0.27], [0.95, 0.53, 1.71]])


def points(x: Any) -> Any:
    return x.reshape(3, 3)


def of_pairs(name: str, more: str = "") -> tuple[str, ...]:
    """A distance of two points, of all pairs, of all pairs of two sets, with its options."""
    second = more.replace("V=", "V=", 1)
    return (
        f"distance.{name}(x[:3], u{more})",
        f"distance.cdist(points(x), B, '{name}'{second})",
        f"distance.cdist(B, points(x), '{name}'{second})",
        f"distance.pdist(points(x), '{name}'{second})",
    )


CALLS: dict[str, tuple[str, ...]] = {
    name: of_pairs(name)
    for name in (
        "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean",
        "jensenshannon", "sqeuclidean",
    )
}  # fmt: skip
CALLS |= {
    "seuclidean": of_pairs("seuclidean", ", V=V"),
    "mahalanobis": of_pairs("mahalanobis", ", VI=VI"),
    "minkowski": (*of_pairs("minkowski", ", p=3"), *of_pairs("minkowski", ", p=1.5, w=w")),
    "hamming": of_pairs("hamming"),
    "cdist": (
        "distance.cdist(points(x), points(x), lambda a, b: np.sum((a - b) ** 2) * a[0])",
        "distance.cdist(points(x), points(x))",
        "distance.cdist(points(x), B, 'cityblock', w=w)",
        "distance.cdist(points(x), B, 'cosine', w=w)",
        "distance.cdist(points(x), B, distance.euclidean)",
        "d = np.zeros((3, 2))\ndistance.cdist(points(x), B, out=d)\nd * d",
    ),
    "pdist": (
        "distance.pdist(points(x), lambda a, b: np.sum((a - b) ** 2) * a[0])",
        "distance.pdist(points(x))",
        "distance.squareform(distance.pdist(points(x), 'sqeuclidean'))",
    ),
    "squareform": (
        "distance.squareform(x[:6])",
        "distance.squareform(points(x) + points(x).T - 2 * np.diag(np.diag(points(x))))",
    ),
    "directed_hausdorff": ("distance.directed_hausdorff(points(x), B)",),
}
REFUSED: dict[str, str] = {}
