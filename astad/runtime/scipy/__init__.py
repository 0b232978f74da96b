"""Rules of SciPy that are more than a formula, read when it has been imported."""

from astad.rules.registry import load_with

__all__: list[str] = []

load_with("scipy.fft", ["astad.runtime.scipy.transforms"])
load_with("scipy.linalg", ["astad.runtime.scipy.functions_of_matrices"])
load_with("scipy.ndimage", ["astad.runtime.scipy.mappings", "astad.runtime.scipy.kernels"])
_SPARSE = ("sparse_kernels", "lists_of_rows")
load_with("scipy.sparse", [f"astad.runtime.scipy.{name}" for name in _SPARSE])
load_with("scipy.sparse.linalg", ["astad.runtime.scipy.sparse_solvers"])
load_with("scipy.spatial.distance", ["astad.rules.scipy.distances", "astad.runtime.scipy.pairwise"])
load_with("scipy.signal", ["astad.runtime.scipy.kernels", "astad.runtime.scipy.sections"])
_INTERPOLATE = ("kernels", "kernels_of_splines")
load_with("scipy.interpolate", [f"astad.runtime.scipy.{name}" for name in _INTERPOLATE])
_STATS = ("result_objects", "quantiles", "distributions")
load_with(
    "scipy.stats",
    ["astad.rules.scipy.densities", *[f"astad.runtime.scipy.{name}" for name in _STATS]],
)
_OPTIMIZE = ("roots", "minimizers", "linear_programs")
load_with("scipy.optimize", [f"astad.runtime.scipy.{name}" for name in _OPTIMIZE])
_INTEGRATE = ("quadrature", "differential_equations")
load_with("scipy.integrate", [f"astad.runtime.scipy.{name}" for name in _INTEGRATE])
