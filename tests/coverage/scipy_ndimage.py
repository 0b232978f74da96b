"""Calls of the names of scipy.ndimage."""

import numpy as np
from scipy import ndimage as nd

A = np.cos(np.arange(35.0)).reshape(5, 7)
K = np.array([[0.1, -0.2, 0.4], [0.2, 0.5, 0.3]])
W = np.array([0.2, 0.5, -0.1, 0.3])
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
LABELS = np.array([[1, 1, 2], [0, 2, 2], [3, 1, 3]])
POINTS = np.array([[0.2, 1.3, 2.4, -0.6], [0.7, 1.1, 0.4, 1.9]])
IMAGE = "x.reshape(3, 3)"
OUT = "o = np.zeros((3, 3)); nd.{0}(" + IMAGE + ", {1}, output=o); o * x[0]"


def _turned(at):
    return 0.9 * at[0] + 0.2 * at[1], 1.1 * at[1] - 0.1 * at[0]


def _calls(name: str, rest: str, *more: str) -> dict[str, tuple[str, ...]]:
    """The plain call, with other ends, of complex numbers, into an array; and others."""
    texts = [
        f"nd.{name}({IMAGE}, {rest})",
        f"nd.{name}({IMAGE}.T, {rest}, mode='constant', cval=x[0])",
        f"nd.{name}({IMAGE}[::-1], {rest}, mode='wrap')",
        OUT.format(name, rest),
        *[text.replace("nd(", f"nd.{name}(") for text in more],
    ]
    return {name: tuple(texts)}


def _plain(name: str, *rests: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(f"nd.{name}({IMAGE}{rest and ', '}{rest})" for rest in rests)}


CALLS: dict[str, tuple[str, ...]] = {
    **_calls("correlate", "K", "nd(A, x[:6].reshape(2, 3), mode='mirror', origin=(-1, 1))"),
    **_calls("convolve", "K", "nd(x * 1j + x**2, W, mode='nearest', cval=1j)"),
    **_calls("correlate1d", "W", "nd(A, x[:4], axis=0, mode='mirror', origin=-1)"),
    **_calls("convolve1d", "W", "nd(x.reshape(3, 3) * (1 + 2j), W, 0)"),
    **_calls("gaussian_filter", "0.8", "nd(A, x[:2], order=(0, 1))", "nd(x * 1j, 1.0, radius=2)"),
    **_calls("gaussian_filter1d", "0.8", "nd(A, x[0], 0, 1, truncate=3.0)"),
    **_calls("uniform_filter", "3", "nd(x * 1j, 4, origin=1)", "nd(x.reshape(3, 3), (2, 3))"),
    **_calls("uniform_filter1d", "3", "nd(x, 5, origin=-2)", "nd(x * (2 - 1j), 4)"),
    **_calls("sobel", "0", "nd(x.reshape(3, 3) * 1j)"),
    **_calls("prewitt", "1", "nd(x, mode='nearest')"),
    **_calls("laplace", "None", "nd(x.reshape(3, 3), mode=['wrap', 'mirror'])"),
    **_calls("gaussian_laplace", "0.8", "nd(x.reshape(3, 3), [0.5, 1.0])"),
    **_calls("gaussian_gradient_magnitude", "0.8", "nd(x, x[0])"),
    **_calls("maximum_filter", "3", "nd(x.reshape(3, 3), footprint=CROSS)", "nd(x, 4, origin=1)"),
    **_calls("minimum_filter", "3", "nd(x.reshape(3, 3), footprint=CROSS, mode='mirror')"),
    **_calls("maximum_filter1d", "2", "nd(x, 3, origin=1)"),
    **_calls("minimum_filter1d", "2", "nd(x, 5, mode='nearest')"),
    **_calls("median_filter", "3", "nd(x, 3)", "nd(x.reshape(3, 3), footprint=CROSS)"),
    **_calls("percentile_filter", "40, 3", "nd(x, 40, 3)"),
    **_calls("rank_filter", "2, 3", "nd(x, -2, 3)", "nd(x.reshape(3, 3), 1, footprint=CROSS)"),
    **_calls("shift", "0.3", "nd(x, x[0])", "nd(x * 1j, 1.2, order=1, mode='grid-wrap')"),
    **_calls(
        "rotate", "20.0, reshape=False", "nd(x.reshape(3, 3), x[0])", "nd(A, 35.0 * x[0], order=1)"
    ),
    **_plain("zoom", "1.6", "(0.7, 1.3), order=1", "1.4, mode='grid-constant', grid_mode=True"),
    **_plain("spline_filter", "", "2", "5, mode='grid-wrap'"),
    **_plain("spline_filter1d", "", "4, 0", "3, 1, mode='reflect'"),
    **_calls(
        "affine_transform",
        "np.array([[0.9, 0.2], [-0.1, 1.1]])",
        "nd(A, x[:4].reshape(2, 2), x[4:6])",
        "nd(A, x[:2], mode='nearest')",
        "nd(x.reshape(3, 3), np.eye(3) * 0.8 + np.diag([0, 0, 0.2]), mode='mirror', order=2)",
    ),
    **_calls(
        "map_coordinates",
        "np.arange(18.0).reshape(2, 3, 3) / 7.3",
        "nd(A, 3 * x[:8].reshape(2, 4))",
        "nd(A, [2 * x[:3], x[3:6]], order=2, mode='grid-wrap', prefilter=False)",
        "nd(A, 8 * x[:8].reshape(2, 4), order=1, mode='grid-constant', cval=x[8])",
        "nd(x.reshape(3, 3) * (1 + 1j), POINTS, mode='nearest')",
    ),
    **_calls(
        "geometric_transform",
        "_turned",
        "nd(A, lambda at: (at[0] * x[0], at[1] + x[1]), (2, 3))",
        "nd(x, lambda at, scale, more: (at[0] * scale + more,), extra_arguments=(0.7,),"
        " extra_keywords={'more': x[0]})",
    ),
    **_calls("grey_dilation", "3", "nd(x.reshape(3, 3), structure=A[:3, :3])"),
    **_calls("grey_erosion", "3", "nd(A, structure=x.reshape(3, 3), footprint=CROSS)"),
    **_calls("grey_opening", "2", "nd(x.reshape(3, 3), footprint=CROSS)"),
    **_calls("grey_closing", "2", "nd(x, 3)"),
    **_calls("white_tophat", "3", "nd(x.reshape(3, 3), structure=A[:3, :3])"),
    **_calls("black_tophat", "3", "nd(x, 3)"),
    **_calls("morphological_gradient", "3", "nd(x, 3)"),
    **_calls("morphological_laplace", "3", "nd(x, 3)"),
    **_plain("sum_labels", "", "LABELS", "LABELS, [1, 3]"),
    **_plain("sum", "LABELS, 2"),
    **_plain("mean", "", "LABELS", "LABELS, [1, 3]"),
    **_plain("variance", "", "LABELS, 1", "LABELS, [1, 2]"),
    **_plain("standard_deviation", "", "LABELS, 1", "LABELS, [1, 2]"),
    **_plain("maximum", "", "LABELS", "LABELS, [1, 3]"),
    **_plain("minimum", "", "LABELS, 1", "LABELS, [1, 2]"),
    **_plain("median", "", "LABELS, 1", "LABELS, [1, 2]"),
    **_plain("extrema", "", "LABELS, 2", "LABELS, [1, 2]"),
    **_plain("center_of_mass", "", "LABELS, 2"),
    **_plain("histogram", "0, 1, 4"),
    **_plain("maximum_position", "LABELS, [1, 2]"),
    **_plain("minimum_position", ""),
    **_plain("label", "> 0.5"),
    "fourier_gaussian": (
        "nd.fourier_gaussian(x.reshape(3, 3), 0.5)",
        "nd.fourier_gaussian(x.reshape(3, 3) * 1j, (0.5, 1.0), axis=0)",
    ),
    "fourier_uniform": (
        "nd.fourier_uniform(x.reshape(3, 3), 2)",
        "nd.fourier_uniform(x.reshape(3, 3) * (1 + 1j), 2, 5)",
    ),
    "fourier_shift": (
        "nd.fourier_shift(x.reshape(3, 3), 0.4)",
        "nd.fourier_shift(x.reshape(3, 3) * (1 + 1j), (0.4, 1.0))",
    ),
    "fourier_ellipsoid": (
        "nd.fourier_ellipsoid(x.reshape(3, 3), 2)",
        "nd.fourier_ellipsoid(x.reshape(3, 3) * (1 + 1j), 2)",
    ),
    "generic_gradient_magnitude": ("nd.generic_gradient_magnitude(x.reshape(3, 3), nd.sobel)",),
    "generic_laplace": (
        "nd.generic_laplace(x.reshape(3, 3), lambda a, axis, o, mode, cval:"
        " nd.correlate1d(a, [1, -2, 1], axis, o, mode, cval, 0))",
    ),
    "generic_filter": (
        "nd.generic_filter(x, np.mean, 3)",
        "nd.generic_filter(x.reshape(3, 3), lambda w: w[0] * w[2] * x[1], footprint=CROSS,"
        " mode='constant', cval=x[0])",
        "nd.generic_filter(x, lambda w, a, b: np.sum(w**a) * b, 4, extra_arguments=(x[0],),"
        " extra_keywords={'b': x[1]}, mode='wrap', origin=1)",
    ),
    "generic_filter1d": ("nd.generic_filter1d(x, lambda a, b: b.fill(a[1]), 3)",),
    "labeled_comprehension": (
        "nd.labeled_comprehension(x.reshape(3, 3), LABELS, [1, 2], np.mean, float, 0)",
    ),
    "distance_transform_edt": ("nd.distance_transform_edt(A > x[0])",),
    "binary_dilation": ("nd.binary_dilation(A > x[0])",),
    "binary_erosion": ("nd.binary_erosion(A > x[0])",),
    "generate_binary_structure": ("nd.generate_binary_structure(2, 1)",),
}
CALLS["label"] = ("nd.label(A > x[0])[0]",)
CALLS["laplace"] = tuple(text.replace(", None", "") for text in CALLS["laplace"])
REFUSED = {"generic_filter1d": "the function writes into an argument that SciPy made"}
