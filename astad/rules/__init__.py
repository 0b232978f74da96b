"""Derivative rules by library: those of Python at once, others when a rule is first not found.

To read the others takes 8 ms; a program whose formulas are all in the disk cache needs none."""

from __future__ import annotations

from typing import Any

from astad.rules.python import builtins, math, operators
from astad.rules.registry import Rule, linear, load_with, lookup, read_waiting, rule, scalar, zero

__all__ = ["REGISTRY", "Rule", "linear", "lookup", "rule", "scalar", "zero"]

_FAMILIES = {
    "numpy": [
        "elementwise", "choosing", "steps", "scalar_types", "reductions", "averages", "quantiles",
        "extremes",
        "cumulative", "sorting", "shapes", "joining", "indexing", "padding", "creation", "grids",
        "interpolation", "finite_differences", "slopes", "products", "tensor_products", "einsum",
        "linalg", "norms", "triangles", "matrix_powers", "decompositions", "cholesky", "spectra",
        "polynomials", "statistics", "fft", "methods", "ufunc_methods", "emath",
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
    "scipy.interpolate": ["piecewise"],
}  # fmt: skip

for _library, _names in _FAMILIES.items():
    _folder = _library.partition(".")[0]
    load_with(_library, [f"astad.rules.{_folder}.{_name}" for _name in _names])
load_with("statistics", ["astad.rules.python.statistics"])
load_with("cmath", ["astad.rules.python.cmath"])
del builtins, math, operators


def __getattr__(name: str) -> Any:
    """``REGISTRY``, the whole table: all rules are read first."""
    if name != "REGISTRY":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from astad.rules import registry

    read_waiting()
    return registry.REGISTRY
