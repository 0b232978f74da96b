"""Derivative rules by library; importing this package loads those of Python and NumPy."""

from __future__ import annotations

import importlib

from astad.rules.registry import REGISTRY, Rule, linear, lookup, rule, scalar, zero

__all__ = ["REGISTRY", "Rule", "linear", "lookup", "rule", "scalar", "zero"]

_FAMILIES = {
    "python": ["operators", "builtins", "math"],
    "numpy": [
        "elementwise", "choosing", "steps", "scalar_types", "reductions", "averages", "quantiles",
        "extremes",
        "cumulative", "sorting", "shapes", "joining", "indexing", "padding", "creation", "grids",
        "interpolation", "finite_differences", "slopes", "products", "tensor_products", "einsum",
        "linalg", "norms", "triangles", "matrix_powers", "decompositions", "spectra",
        "polynomials", "statistics", "fft", "methods", "ufunc_methods", "emath",
    ],
}  # fmt: skip

for _library, _names in _FAMILIES.items():
    for _name in _names:
        importlib.import_module(f"astad.rules.{_library}.{_name}")
