"""Calls of the names of numpy without a derivative: None or zeros, never an error."""

import numpy as np

NAMESPACE = "numpy"

other = np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])
whole = np.arange(1, 10)
M = "x.reshape(3, 3)"
INT = "(10 * x).astype(int)"

ONE = "ceil floor fix rint trunc round around sign signbit isfinite isinf isnan isneginf isposinf "
ONE += "iscomplex isreal logical_not spacing"
WHOLE = "all any argmax argmin count_nonzero nanargmax nanargmin ndim shape size"
TWO = "greater greater_equal less less_equal equal not_equal floor_divide logical_and logical_or "
TWO += "logical_xor isclose allclose array_equal array_equiv isin heaviside"
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift gcd lcm "
BITS += "bitwise_right_shift"
FLIPS = "bitwise_count bitwise_invert bitwise_not invert"
LIKE = "empty_like ones_like zeros_like"
NEW = "empty ones zeros"
WINDOWS = "bartlett blackman hamming hanning"
TRIANGLES = "tril_indices triu_indices diag_indices tri identity eye arange"

CALLS: dict[str, tuple[str, ...]] = {
    **{
        n: (f"np.{n}(3 * x - 1.2)", f"x * np.{n}(x[1])", f"np.{n}({M}.T) + 0 * x[0]")
        for n in ONE.split()
    },
    **{
        n: (f"np.array(np.{n}(x)) * 1.0", f"x[:1] * np.array(np.{n}({M})).sum()")
        for n in WHOLE.split()
    },
    **{
        n: (f"np.{n}(x, other) * 1.0", f"x * np.{n}(x, x[0])", f"np.{n}(other, x + 0.02)")
        for n in TWO.split()
    },
    **{n: (f"np.{n}({INT}, whole % 3)", f"x * np.{n}(whole, 2)") for n in BITS.split()},
    **{n: (f"np.{n}({INT})", f"x * np.{n}(whole)") for n in FLIPS.split()},
    **{n: (f"np.{n}(x) * 0.0", f"(np.{n}(x) * 0 + 2) * x") for n in LIKE.split()},
    **{n: (f"np.{n}(x.shape) * 0.0", f"(np.{n}(9) * 0 + 2) * x") for n in NEW.split()},
    **{n: (f"np.{n}(9) * x", f"np.{n}(len(x))") for n in WINDOWS.split()},
    **{n: (f"np.array(np.{n}(3)) * 1.0", f"np.sum(np.{n}(3)) * x") for n in TRIANGLES.split()},
    "argpartition": (
        "np.argpartition(x, 3) * 1.0",
        f"np.argpartition({M}, 1, axis=0)",
        "x[np.argpartition(x, 3)]",
    ),
    "argsort": ("np.argsort(x) * 1.0", f"np.argsort({M}, axis=0)", "x[np.argsort(-x)]"),
    "argwhere": ("np.argwhere(x > 0.5) * 1.0", "x[np.argwhere(x > 0.5)]"),
    "lexsort": ("np.lexsort((x, other))", "x[np.lexsort((x, other))]"),
    "base_repr": ("np.base_repr(int(10 * x[0]))", "len(np.base_repr(5)) * x"),
    "binary_repr": ("np.binary_repr(int(10 * x[0]))", "len(np.binary_repr(5)) * x"),
    "broadcast_shapes": (
        "np.broadcast_shapes(x.shape, (3, 1))",
        "np.prod(np.broadcast_shapes(x.shape, (3, 1))) * x",
    ),
    "diag_indices_from": (f"np.diag_indices_from({M})", f"{M}[np.diag_indices_from({M})]"),
    "tril_indices_from": (f"np.tril_indices_from({M})", f"{M}[np.tril_indices_from({M})]"),
    "triu_indices_from": (f"np.triu_indices_from({M}, 1)", f"{M}[np.triu_indices_from({M})]"),
    "mask_indices": ("np.mask_indices(3, np.triu)", f"{M}[np.mask_indices(3, np.triu)]"),
    "digitize": (
        "np.digitize(x, [0.2, 0.5])",
        "x[0] * np.digitize(x, [0.2, 0.5])",
        "np.digitize(0.5, np.sort(x))",
    ),
    "searchsorted": ("np.searchsorted([0.2, 0.5], x)", "x[np.searchsorted(np.sort(x), 0.5)] * x"),
    "flatnonzero": ("np.flatnonzero(x > 0.5)", "x[np.flatnonzero(x > 0.5)]"),
    "nonzero": ("np.nonzero(x > 0.5)", "x[np.nonzero(x > 0.5)]"),
    "indices": ("np.indices((2, 3))", "np.indices((3, 3))[0] * x[0]"),
    "ix_": ("np.ix_([0, 1], [2, 1])", f"{M}[np.ix_([0, 1], [2, 1])]"),
    "iscomplexobj": ("np.iscomplexobj(x)", "x * (2 if np.iscomplexobj(x) else 3)"),
    "isrealobj": ("np.isrealobj(x)", "x * (2 if np.isrealobj(x) else 3)"),
    "isfortran": ("np.isfortran(x)", f"x * (2 if np.isfortran({M}) else 3)"),
    "isscalar": ("np.isscalar(x[0])", "x * (2 if np.isscalar(x[0]) else 3)"),
    "isnat": ("np.isnat(np.datetime64('2020'))", "x * np.isnat(np.datetime64('NaT'))"),
    "kaiser": ("np.kaiser(9, 2.0) * x", "np.kaiser(3, 1)"),
    "packbits": ("np.packbits(x > 0.5)", "x[0] * np.packbits(mask)"),
    "unpackbits": (
        "np.unpackbits(np.array([7], np.uint8))",
        "np.unpackbits(np.packbits(x > 0.5))[:9] * x",
    ),
    "ravel_multi_index": (
        "np.ravel_multi_index(([0, 1], [1, 2]), (3, 3))",
        "x[np.ravel_multi_index(([0, 1], [1, 2]), (3, 3))]",
    ),
    "unravel_index": (
        "np.unravel_index(5, (3, 3))",
        f"{M}[np.unravel_index(np.argmax(x), (3, 3))]",
    ),
}
CALLS["round"] += ("np.round(x + 0.004, 1)", "np.round(x + 0.02, decimals=1) * x")
CALLS["argmax"] += (f"np.argmax({M}, axis=0)", "x[np.argmax(x)]")
CALLS["heaviside"] = (
    "np.heaviside(x - 0.5, 1.0)",
    "np.heaviside(other - 0.3, x)",
    "np.heaviside(x, x)",
)
