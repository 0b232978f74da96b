"""NumPy's elementwise functions without a derivative: steps, tests, comparisons, bits."""

from __future__ import annotations

import numpy as np

from astad.rules.registry import zero

__all__: list[str] = []

zero(
    np.floor, np.ceil, np.trunc, np.rint,
    gives="a -> same(a)", why="constant between its jumps",
)  # fmt: skip
zero(
    np.round, np.around, np.ndarray.round,
    gives="a, decimals=0 -> same(a); decimals", why="constant between its jumps",
)  # fmt: skip
zero(np.fix, gives="x -> same(x)", why="constant between its jumps")
zero(np.floor_divide, np.spacing, why="constant between its jumps")
zero(
    np.isnan, np.isinf, np.isfinite, np.signbit, np.logical_not,
    gives="a -> mask(a)", why="the result is a bool",
)  # fmt: skip
zero(
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and,
    np.logical_or, np.logical_xor,
    gives="a, b -> mask(a, b)", why="the result is a bool",
)  # fmt: skip
zero(np.array_equal, gives="a1, a2 -> asked_of_both(a1, a2)", why="the result is a bool")
zero(
    np.allclose,
    gives="a, b, rtol=1e-05, atol=1e-08 -> asked_of_both(a, b); rtol, atol",
    why="the result is a bool",
)
zero(
    np.isrealobj, np.iscomplexobj, gives="x -> asked_of_one(x)", why="the result is a bool",
)  # fmt: skip
zero(
    np.isneginf, np.isposinf, np.isreal, np.iscomplex,
    np.isscalar, np.isclose, np.array_equiv, np.isnat,
    why="the result is a bool",
)  # fmt: skip
zero(
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift,
    np.gcd, np.lcm,
    why="works on the bits of integers",
)  # fmt: skip
if hasattr(np, "bitwise_count"):
    zero(np.bitwise_count, why="works on the bits of integers")
