"""Calls of scipy.cluster.vq in nine numbers, as three points of space."""

import numpy as np
from scipy.cluster import vq

B = np.array([[1.13, 0.42, 0.27], [0.35, 0.53, 0.71]])
CALLS = {
    "whiten": ("vq.whiten(x.reshape(3, 3))",),
    "vq": ("vq.vq(x.reshape(3, 3), B)", "vq.vq(B, x.reshape(3, 3))"),
    "py_vq": ("vq.py_vq(x.reshape(3, 3), B)",),
    "kmeans": ("vq.kmeans(x.reshape(3, 3), B)",),
    "kmeans2": ("vq.kmeans2(x.reshape(3, 3), B, minit='matrix')",),
}
