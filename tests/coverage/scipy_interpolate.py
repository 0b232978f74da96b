"""Calls of the names of scipy.interpolate."""

import numpy as np
from scipy import interpolate as ip

T = np.array([0.0, 0.3, 0.45, 0.7, 1.1, 1.2, 1.6, 1.9, 2.3])
V = np.cos(3 * T)
B = V[:4]
AT = np.array([0.1, 0.5, 1.15, 1.8, 2.2])
GRID = (np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.7, 1.0]))
TABLE = np.cos(np.arange(9.0)).reshape(3, 3)
PLACES = np.array([[0.1, 0.3], [0.5, 0.9], [0.7, 0.2]])


def _calls(name: str, *rests: str) -> tuple[str, ...]:
    """In the points, and in the values; with these further arguments."""
    return tuple(
        text.format(name, rest and ", " + rest)
        for rest in ("", *rests)
        for text in ("ip.{0}(T, V{1})(1.83 * x + 0.05)", "ip.{0}(T, x{1})(AT)")
    )


CALLS: dict[str, tuple[str, ...]] = {
    "interp1d": _calls(
        "interp1d",
        "kind='cubic'",
        "kind='quadratic'",
        "kind='previous'",
        "fill_value=3.0, bounds_error=False",
    ),
    "CubicSpline": (
        *_calls("CubicSpline", "bc_type='natural'", "bc_type='clamped'"),
        "ip.CubicSpline(T, x)(AT, 1)",
        "ip.CubicSpline(T + 0.01 * x, V)(AT)",
        "ip.CubicSpline(T, np.stack([x, x**2], 1))(AT)",
        "ip.CubicSpline(T, x).derivative()(AT)",
        "ip.CubicSpline(T, np.append(x[:8], x[0]), bc_type='periodic')(5 * AT)",
    ),
    "PchipInterpolator": (
        *_calls("PchipInterpolator"),
        "ip.PchipInterpolator(T, x).derivative()(AT)",
        "ip.PchipInterpolator(T + 0.01 * x, V)(AT)",
    ),
    "Akima1DInterpolator": _calls("Akima1DInterpolator"),
    "CubicHermiteSpline": ("ip.CubicHermiteSpline(T, x, x**2)(AT)",),
    "make_interp_spline": (
        *_calls("make_interp_spline", "k=1", "k=2", "bc_type='natural'"),
        "ip.make_interp_spline(T, np.stack([x, x**2], 1))(AT)",
        "ip.make_interp_spline(T, x, 5).derivative()(AT)",
    ),
    "BSpline": (
        "ip.BSpline(np.arange(9.0), V[:5], 3)(3 + 2 * x)",
        "ip.BSpline(np.arange(9.0), x[:5], 3)(3 + AT)",
        "ip.BSpline(np.arange(9.0), x[:5], 3, extrapolate=False)(3 + AT / 3, 1)",
        "ip.BSpline(np.arange(9.0), np.stack([x[:5], x[4:]], 1), 3).derivative()(3 + AT)",
    ),
    "PPoly": (
        "ip.PPoly(x[:8].reshape(4, 2), np.array([0.0, 1.0, 2.5]))(AT)",
        "ip.PPoly(TABLE[:, :2], np.array([0.0, 1.0, 2.5]))(2 * x)",
        "ip.PPoly(x[:6].reshape(3, 2), np.array([0.0, x[7], 2.5]), extrapolate=False)(AT, 1)",
    ),
    "RegularGridInterpolator": (
        "ip.RegularGridInterpolator(GRID, x.reshape(3, 3))(PLACES)",
        "ip.RegularGridInterpolator(GRID, TABLE)(x[:8].reshape(4, 2))",
        "ip.RegularGridInterpolator(GRID, x.reshape(3, 3), method='nearest')(PLACES)",
        "ip.RegularGridInterpolator((*GRID, [0.0, 1.0]), np.stack([TABLE, TABLE**2], -1))"
        "(x.reshape(3, 3))",
    ),
    "interpn": (
        "ip.interpn(GRID, x.reshape(3, 3), PLACES)",
        "ip.interpn(GRID, TABLE, x[:8].reshape(4, 2))",
    ),
    "splev": (
        "ip.splev(3 + 2 * x, (np.arange(9.0), V[:5], 3))",
        "ip.splev(3 + AT, (np.arange(9.0), np.append(x[:5], np.zeros(4)), 3))",
    ),
    "BarycentricInterpolator": ("ip.BarycentricInterpolator(T[:4], V[:4])(x)",),
    "KroghInterpolator": ("ip.KroghInterpolator(T[:4], V[:4])(x)",),
    "lagrange": ("ip.lagrange(T[:3], x[:3])(0.7)",),
    "NearestNDInterpolator": ("ip.NearestNDInterpolator(PLACES, V[:3])(x[:8].reshape(4, 2))",),
    "pchip_interpolate": ("ip.pchip_interpolate(T, x, AT)", "ip.pchip_interpolate(T, V, 2 * x)"),
    "splrep": ("ip.splrep(T, x)",),
    "UnivariateSpline": ("ip.UnivariateSpline(T, x)(AT)",),
    "InterpolatedUnivariateSpline": ("ip.InterpolatedUnivariateSpline(T, x)(AT)",),
    "RectBivariateSpline": ("ip.RectBivariateSpline(T[:4], T[:4], np.outer(x[:4], B))(0.1, 0.2)",),
    "griddata": ("ip.griddata(PLACES, x[:3], PLACES * 0.9 + 0.05)",),
}
REFUSED = {
    "splrep": "Fortran that chooses knots",
    "UnivariateSpline": "Fortran that chooses knots",
    "InterpolatedUnivariateSpline": "Fortran: make_interp_spline has a rule",
    "RectBivariateSpline": "Fortran that chooses knots",
    "griddata": "triangulated in compiled code",
}
