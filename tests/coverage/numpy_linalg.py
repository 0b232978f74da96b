"""Calls of the names of numpy.linalg."""

import numpy as np
from numpy import linalg

CALLS = {
    "solve": ("linalg.solve(x.reshape(3, 3), b)",),
    "det": ("linalg.det(x.reshape(3, 3))",),
}
b = np.array([0.7, -1.2, 0.4])
