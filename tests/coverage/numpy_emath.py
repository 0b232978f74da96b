"""Calls of the names of numpy.emath, inside and outside of the real domain."""

import numpy as np
from numpy import emath

ONE = "arccos arcsin arctanh log log10 log2 sqrt"
CALLS: dict[str, tuple[str, ...]] = {
    **{
        n: (
            f"emath.{n}(x)",
            f"emath.{n}(-x)",
            f"emath.{n}(3 * x - 1.3)",
            f"emath.{n}(x[0]) * x",
            f"emath.{n}(-2.5 * x[4])",
            f"emath.{n}(x + 0.3j)",
        )
        for n in ONE.split()
    },
    "logn": ("emath.logn(2.5, x)", "emath.logn(x + 1.2, x)", "emath.logn(2, -x)"),
    "power": (
        "emath.power(x, 1.7)",
        "emath.power(-x, 1.7)",
        "emath.power(3 * x - 1.2, 2)",
        "emath.power(2.0, x)",
        "emath.power(-x[0], x[1])",
    ),
}
