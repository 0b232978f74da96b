"""The rule files by the library that they are for: they are read when it has been imported and a
rule is first not found, which takes 8 ms for NumPy.
"""

from __future__ import annotations

__all__ = ["FAMILIES", "modules_of"]

FAMILIES: dict[str, list[str]] = {
    "builtins": ["builtins", "math", "operators"],
    "cmath": ["cmath"],
    "statistics": ["statistics"],
    "numpy": [
        "elementwise", "choosing", "steps", "scalar_types", "reductions", "averages", "quantiles",
        "extremes",
        "cumulative", "sorting", "shapes", "joining", "indexing", "padding", "creation", "grids",
        "interpolation", "finite_differences", "slopes", "products", "tensor_products", "einsum",
        "linalg", "norms", "triangles", "matrix_powers", "decompositions", "cholesky", "spectra",
        "polynomials", "statistics", "fft", "methods", "ufunc_methods", "emath",
        "paths",
    ],
    "scipy.special": [
        "special.errors", "special.entropies", "special.gammas", "special.bessel",
        "special.airy_and_kelvin", "special.elliptic", "special.hypergeometric",
        "special.orthogonal", "special.harmonics", "special.incomplete", "special.distributions",
        "special.ratios", "special.noncentral", "special.fits", "special.separated",
    ],
    "scipy.fft": ["fft"],
    "scipy.fftpack": ["fftpack"],
    "scipy.ndimage": ["ndimage_filters", "ndimage_interpolation", "ndimage_fourier"],
    "scipy.spatial.distance": ["distances"],
    "scipy.cluster.vq": ["clusters"],
    "scipy.linalg": [
        "linear_systems", "matrix_functions", "matrix_equations", "triangular_factors",
        "orthogonal_factors", "eigenvalues", "banded", "toeplitz",
    ],
    "scipy.signal": ["signal_filters"],
    "scipy.interpolate": ["fitpack", "piecewise"],
}  # fmt: skip


def modules_of(library: str) -> list[str]:
    """
    >>> modules_of("scipy.fft"), modules_of("statistics")
    (['astad.rules.scipy.fft'], ['astad.rules.python.statistics'])
    """
    package = library.partition(".")[0]
    folder = package if package in ("numpy", "scipy") else "python"
    return [f"astad.rules.{folder}.{name}" for name in FAMILIES[library]]
