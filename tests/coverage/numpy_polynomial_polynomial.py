"""Calls of the names of numpy.polynomial.polynomial."""

import numpy as np
from numpy.polynomial import polynomial as P

NAMESPACE = "numpy.polynomial.polynomial"

c = np.array([0.4, -1.3, 0.2])
other = np.linspace(0.3, 2.9, 9)
C = "x.reshape(3, 3)"
T = "x[:8].reshape(2, 2, 2)"

CALLS: dict[str, tuple[str, ...]] = {
    "polyadd": ("P.polyadd(x[:3], x)", "P.polyadd(c, x[:2])"),
    "polysub": ("P.polysub(x[:3], x)", "P.polysub(c, x[:2])"),
    "polymul": ("P.polymul(x[:3], x)", "P.polymul(c, x[:2])"),
    "polymulx": ("P.polymulx(x)", "P.polymulx([0.0]) * x[0]"),
    "polypow": ("P.polypow(x[:3], 3)", "P.polypow(x[:3], 0)", "P.polypow(x[:3], 1)"),
    "polydiv": (
        "P.polydiv(x, c)",
        "P.polydiv(x, x[:3])[1]",
        "P.polydiv(other, x[:3])[0]",
        "P.polydiv(x[:2], c)",
        "P.polydiv(x, x[:1])",
    ),
    "polyval": (
        "P.polyval(0.7, x)",
        "P.polyval(x, c)",
        f"P.polyval(x[:3], {C})",
        f"P.polyval(x[:3], {C}, tensor=False)",
        "P.polyval(x[1], x)",
    ),
    "polyval2d": (f"P.polyval2d(x[:2], x[2:4], {C})", f"P.polyval2d(0.3, x[0], {C})"),
    "polyval3d": (f"P.polyval3d(x[:2], x[2:4], x[4:6], {T})", f"P.polyval3d(0.3, x[0], 1.2, {T})"),
    "polygrid2d": (f"P.polygrid2d(x[:2], x[2:5], {C})", f"P.polygrid2d(0.3, x[0], {C})"),
    "polygrid3d": (f"P.polygrid3d(x[:2], x[2:4], x[4:6], {T})",),
    "polyvalnd": (f"P.polyvalnd((x[:2], x[2:4]), {C})", "P.polyvalnd((x[:2],), x)"),
    "polyvalfromroots": (
        "P.polyvalfromroots(0.7, x)",
        "P.polyvalfromroots(x, c)",
        f"P.polyvalfromroots(x[:3], {C}, tensor=False)",
        f"P.polyvalfromroots(x[:2], {C})",
    ),
    "polyvander": (
        "P.polyvander(x, 3)",
        f"P.polyvander({C}, 2)",
        "P.polyvander(x[0], 2)",
        "P.polyvander(x, 0)",
    ),
    "polyvander2d": ("P.polyvander2d(x[:3], x[3:6], [1, 2])",),
    "polyvander3d": ("P.polyvander3d(x[:3], x[3:6], x[6:], [1, 2, 1])",),
    "polyfromroots": (
        "P.polyfromroots(x)",
        "P.polyfromroots(x[:2] + 1j * x[2])",
        "P.polyfromroots(x[:1])",
    ),
    "polyroots": ("P.polyroots(x[:4])", "P.polyroots(x[:2])", "P.polyroots([x[0], 0.3, x[1]])"),
    "polycompanion": ("P.polycompanion(x[:4])", "P.polycompanion(x[:2])"),
    "polyder": (
        "P.polyder(x)",
        "P.polyder(x, 2, scl=1.5)",
        f"P.polyder({C}, axis=1)",
        "P.polyder(x, 0)",
    ),
    "polyint": (
        "P.polyint(x)",
        "P.polyint(x, 2, k=[1.0, x[0]], lbnd=0.3)",
        f"P.polyint({C}, axis=1)",
        "P.polyint(x, scl=x[0])",
        "P.polyint(x, lbnd=x[1])",
    ),
    "polytrim": ("P.polytrim(x)", "P.polytrim(x, 0.3)", "P.polytrim(np.append(x, [0.0, 0.0]))"),
    "polyfit": (
        "P.polyfit(other, x, 2)",
        "P.polyfit(x, other, 1)",
        "P.polyfit(other, x, [0, 2], w=other)",
        "P.polyfit(other, x.reshape(9, 1), 1, full=True)",
    ),
    "polyline": ("P.polyline(x[0], x[1])", "P.polyline(x[0], 0)"),
}
