"""Rules of the module cmath.

>>> phase_slope(1 + 1j)
(-0.5-0.5j)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

import cmath
import math
from cmath import cos, cosh, exp, log, rect, sin, sinh, sqrt
from typing import Any

from astad.rules.registry import rule, scalar, zero

POINTS = [(0.6 + 0.3j,), (-0.4 - 1.2j,), (0.7 + 0j,)]

scalar(cmath.exp, "y", complexes="number", source="DLMF 4.7.7", examples=POINTS)
scalar(
    cmath.log, "log_slope(x, base)", "log_base_slope(y, base)", parameters="x, base=None, /",
    complexes="number", source="DLMF 4.7.1, log x / log base",
    examples=[*POINTS, (0.6 + 0.3j, 2.0), (1.5j, 0.3 + 1j)],
)  # fmt: skip
scalar(
    cmath.log10,
    f"{1 / cmath.log(10).real!r} / x",
    complexes="number",
    source="DLMF 4.7.1",
    examples=POINTS,
)
scalar(
    cmath.sqrt,
    "0.5 * inverse(y)",
    complexes="number",
    zero_safe=True,
    source="y**2 = x",
    examples=POINTS,
)
scalar(cmath.sin, "cos(x)", complexes="number", source="DLMF 4.20.1", examples=POINTS)
scalar(cmath.cos, "-sin(x)", complexes="number", source="DLMF 4.20.2", examples=POINTS)
scalar(cmath.tan, "1 + y * y", complexes="number", source="DLMF 4.20.3", examples=POINTS)
scalar(cmath.sinh, "cosh(x)", complexes="number", source="DLMF 4.34.1", examples=POINTS)
scalar(cmath.cosh, "sinh(x)", complexes="number", source="DLMF 4.34.2", examples=POINTS)
scalar(cmath.tanh, "1 - y * y", complexes="number", source="DLMF 4.34.3", examples=POINTS)
scalar(
    cmath.asin,
    "asin_slope(x)",
    complexes="number",
    zero_safe=True,
    source="DLMF 4.24.7",
    examples=POINTS,
)
scalar(
    cmath.acos,
    "-asin_slope(x)",
    complexes="number",
    zero_safe=True,
    source="DLMF 4.24.8",
    examples=POINTS,
)
scalar(
    cmath.atan,
    "inverse((1 - 1j * x) * (1 + 1j * x))",
    complexes="number",
    zero_safe=True,
    source="DLMF 4.24.9",
    examples=POINTS,
)
scalar(
    cmath.asinh,
    "asinh_slope(x)",
    complexes="number",
    zero_safe=True,
    source="DLMF 4.38.9",
    examples=POINTS,
)
scalar(
    cmath.acosh,
    "acosh_slope(x)",
    complexes="number",
    zero_safe=True,
    source="DLMF 4.38.10",
    examples=POINTS[:2],
)
scalar(
    cmath.atanh,
    "inverse((1 - x) * (1 + x))",
    complexes="number",
    zero_safe=True,
    source="DLMF 4.38.11",
    examples=POINTS,
)


def inverse(x: Any) -> Any:
    """``1 / x`` as a complex number, and as NumPy has it at 0, where Python raises.

    >>> inverse(2j), inverse(2.0), inverse(0j)
    (-0.5j, (0.5+0j), (inf+nanj))
    """
    return complex(1 / x) if x else complex(math.inf, math.nan)


def asin_slope(x: Any) -> Any:
    """Derivative of asin: on a cut the sign of a zero tells the side, which ``1 - x`` would lose.

    >>> cmath.isclose(asin_slope(2.0), (cmath.asin(2.0 + 1e-6) - cmath.asin(2.0 - 1e-6)) / 2e-6)
    True
    """
    z = complex(x)
    return inverse(sqrt(complex(1 - z.real, -z.imag)) * sqrt(complex(1 + z.real, z.imag)))


def asinh_slope(x: Any) -> Any:
    """Derivative of asinh, which is that of asin at ``1j * x``."""
    z = complex(x)
    return asin_slope(complex(-z.imag, z.real))


def acosh_slope(x: Any) -> Any:
    """Derivative of acosh."""
    z = complex(x)
    return inverse(sqrt(complex(z.real - 1, z.imag)) * sqrt(complex(z.real + 1, z.imag)))


scalar(inverse, "-y * y", complexes="number", source="d (1 / x) = -dx / x**2", examples=POINTS)
for _slope, _again, _points in (
    (asin_slope, "x * y * y * y", POINTS),
    (asinh_slope, "-x * y * y * y", POINTS),
    (acosh_slope, "-x * y * y * y", POINTS[:2]),  # the third lies on a cut
):
    scalar(_slope, _again, complexes="number", source="the slope once more", examples=_points)


def log_slope(x: Any, base: Any) -> Any:
    """Derivative of the logarithm to `base`, natural if None."""
    return 1 / x if base is None else 1 / (x * log(base))


def log_base_slope(y: Any, base: Any) -> Any:
    """Derivative of the logarithm in its base."""
    return -y / (base * log(base))


def phase_slope(x: Any) -> Any:
    """Derivative of the phase as `np.angle` has it: Re(-1j dx / x); 0 at the origin."""
    return -1j / x if x else 0j


def polar_back(y: Any, y_bar: Any, x: Any) -> Any:
    """Cotangent through modulus and phase; of either 0 at the origin."""
    if not x:
        return 0j
    of_modulus = 0.0 if y_bar[0] is None else y_bar[0] * x / y[0]
    of_phase = 0.0 if y_bar[1] is None else y_bar[1] * 1j * x / (y[0] * y[0])
    return of_modulus + of_phase


scalar(
    cmath.phase, "phase_slope(x)", on_floats=("0.0",), complexes="real",
    source="d phase = Re(-1j dx / x); 0 at the origin",
    examples=POINTS,
)  # fmt: skip
rule(
    cmath.polar,
    "x, /",
    x="polar_back(y, y_bar, x)",
    dot="(dot_of_modulus(y, x, x_dot), (phase_slope(x) * x_dot).real)",
    source="modulus and phase",
    examples=POINTS,
)
scalar(cmath.rect, "rect(1.0, phi)", "1j * y", source="r exp(1j phi)", parameters="r, phi, /",
       on_floats=(None, None), complexes="number",
       examples=[(1.3, 0.7), (-0.4, 2.0)])  # fmt: skip
zero(cmath.isfinite, cmath.isinf, cmath.isnan, cmath.isclose, why="a truth moves in steps")


def dot_of_modulus(y: Any, x: Any, x_dot: Any) -> Any:
    """Tangent of the modulus."""
    return (x.conjugate() * x_dot).real / y[0] if y[0] else 0.0
