"""Rules of the kernels of scipy.cluster.vq: nearest codes and means of clusters.

>>> import numpy
>>> points, codes = numpy.array([[0.0, 0.0], [9.0, 9.0]]), numpy.array([[3.0, 4.0]])
>>> nearest_back(points, codes, numpy.array([0, 0]), numpy.array([5.0, 9.0]), numpy.array([1.0, 0]))
array([[-0.6, -0.8],
       [ 0. ,  0. ]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import shape
from scipy.cluster.vq import _vq  # beside vq.py before SciPy 1.18, below vq/ since

from astad.rules.numpy.samples import real
from astad.rules.registry import rule
from astad.rules.scipy.distances import divided

__all__ = ["nearest_back"]


def nearest_back(points: Any, codes: Any, nearest: Any, y: Any, y_bar: Any) -> Any:
    """Cotangent of the points from that of their distances to the nearest codes; 0 at a code."""
    away = points - codes[nearest]
    return away * divided(y_bar, y).reshape(shape(y) + (1,) * (away.ndim - 1))


def codes_back(points: Any, codes: Any, nearest: Any, y: Any, y_bar: Any) -> Any:
    """The same of the codes."""
    g = np.zeros(shape(codes))
    np.add.at(g, nearest, -nearest_back(points, codes, nearest, y, y_bar))
    return g


rule(
    _vq.vq,
    "obs, codes",
    obs="None if y_bar[1] is None else nearest_back(obs, codes, y[0], y[1], y_bar[1])",
    codes="None if y_bar[1] is None else codes_back(obs, codes, y[0], y[1], y_bar[1])",
    source="Euclidean distance to the nearest code",
    examples=lambda: [(real(5, 2), real(3, 2, seed=1))],
)


def means_back(y_bar: Any, labels: Any) -> Any:
    """Cotangent of the points in the means of their clusters."""
    labels = np.asarray(labels)
    share = 1 / np.bincount(labels)[labels]
    return y_bar[labels] * share.reshape(shape(labels) + (1,) * (np.ndim(y_bar) - 1))


rule(
    _vq.update_cluster_means,
    "obs, labels, nc",
    obs="None if y_bar[0] is None else means_back(y_bar[0], labels)",
    source="mean of the points of each label",
    examples=lambda: [(real(4, 2), np.array([1, 0, 1, 2], np.int32), 3)],
)
