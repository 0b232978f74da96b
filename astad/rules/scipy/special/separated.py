"""Rules of scipy.special: Mathieu, spheroidal and parabolic cylinder functions.

Each of these returns a value and its derivative; that of the latter is told by the equation.

>>> round(float(even_slope(2, 1e-3)), 6)                        # of 4 + 5 q**2 / 12
0.000833
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy import cos, cosh, where
from scipy import special

from astad.rules.registry import rule
from astad.rules.scipy.quiet import scalar
from astad.rules.scipy.special.several import along_to, spread

__all__ = ["even_slope", "odd_slope"]

ORDER = "of an order"
WHOLE = "it is an integer"
RATE = "of the parameter of the equation"
DEGREE = pi / 180

# of parabolic cylinders

for _fn, _order, _square in (
    (special.pbdv, "v", "0.25 * x * x - v - 0.5"),
    (special.pbvv, "v", "0.25 * x * x - v - 0.5"),
    (special.pbwa, "a", "a - 0.25 * x * x"),
):
    _slopes = f"y[1], ({_square}) * y[0]"
    rule(
        _fn,
        f"{_order}, x",
        x=f"along_to(x, y_bar, {_slopes})",
        dot=f"spread(x_dot, y, {_slopes})",
        missing={_order: ORDER},
        source="DLMF 12.2.2, 12.2.3",
        examples=((1.5, 0.7), (0.5, np.array([0.3, 2.1]))),
    )

CYLINDER = "(0.25 * x * x - sequence(v) - 0.5) * y[0]"
for _fn, _order, _second in (
    (special.pbdv_seq, "v", CYLINDER),
    (special.pbvv_seq, "v", CYLINDER),
    (special.riccati_jn, "n", "riccati_bend(n, x) - y[0]"),
    (special.riccati_yn, "n", "(np.arange(n + 1) * np.arange(1, n + 2) / (x * x) - 1) * y[0]"),
):
    _slopes = f"y[1], {_second}"
    rule(
        _fn,
        f"{_order}, x",
        x=f"along_to(x, y_bar, {_slopes})",
        dot=f"spread(x_dot, y, {_slopes})",
        missing={_order: WHOLE if _order == "n" else ORDER},
        refuse="v < 0 and v != int(v)" if _order == "v" else "",  # SciPy leaves its last slope 0
        source="DLMF 12.2.2, 10.47.1, 10.51.1",
        examples=((3, 0.7), (1, 2.4), (2.5, 0.7) if _order == "v" else (2, 0.7), (0, 0.7)),
    )


def sequence(v: float) -> Any:
    """Orders from the fraction of v to v, and at least two of them; of a negative v to 1."""
    return v - int(v) + np.arange(max(int(v), 1) + 1)


def riccati_bend(n: int, x: float) -> Any:
    """``k (k + 1) j(k, x) / x`` for the orders k from 0 to n, from the neighbours of each."""
    k = np.arange(n + 1)
    below, above = special.spherical_jn(np.maximum(k - 1, 0), x), special.spherical_jn(k + 1, x)
    return k * (k + 1) / (2 * k + 1) * (below + above)


# of Mathieu

for _fn, _value, _size, _scale, _wave in (
    (special.mathieu_cem, "mathieu_a", "cos(2 * DEGREE * x)", "DEGREE * ", "-"),
    (special.mathieu_sem, "mathieu_b", "cos(2 * DEGREE * x)", "DEGREE * ", "-"),
    (special.mathieu_modcem1, "mathieu_a", "cosh(2 * x)", "", ""),
    (special.mathieu_modcem2, "mathieu_a", "cosh(2 * x)", "", ""),
    (special.mathieu_modsem1, "mathieu_b", "cosh(2 * x)", "", ""),
    (special.mathieu_modsem2, "mathieu_b", "cosh(2 * x)", "", ""),
):
    _curve = f"{_wave}(special.{_value}(m, q) - 2 * q * {_size}) * y[0]"
    _slopes = f"{_scale}y[1], {_scale}({_curve})"
    rule(
        _fn,
        "m, q, x",
        x=f"along_to(x, y_bar, {_slopes})",
        dot=f"spread(x_dot, y, {_slopes})",
        missing={"m": WHOLE, "q": RATE},
        source="DLMF 28.2.1, 28.20.1",
        examples=((2, 1.3, 0.7), (1, 0.6, np.array([0.3, 1.1]))),
    )
for _fn, _slope in (
    (special.mathieu_a, "even_slope(m, q)"),
    (special.mathieu_b, "odd_slope(m, q)"),
):
    scalar(
        _fn,
        None,
        _slope,
        parameters="m, q",
        missing={"m": WHOLE},
        source="perturbation of DLMF 28.2.1: mean of 2 cos(2 x) with the square of the function",
        examples=((2, 1.3), (np.array([1, 3]), np.array([0.6, -2.0]))),
    )


def even_slope(m: Any, q: Any) -> Any:
    """Derivative of the characteristic value of even functions in q."""
    return mean_of_cosine(special.mathieu_cem, m, q)


def odd_slope(m: Any, q: Any) -> Any:
    """Derivative of the characteristic value of odd functions in q."""
    return mean_of_cosine(special.mathieu_sem, m, q)


def mean_of_cosine(fn: Any, m: Any, q: Any) -> Any:
    """Mean of ``2 cos(2 x)`` over a turn, weighted by the square of a Mathieu function."""
    steps = 128 + 8 * int(np.max(m, initial=0)) + 4 * int(np.sqrt(np.max(np.abs(q), initial=0)))
    weighted: Any = 0.0
    whole: Any = 0.0
    for k in range(steps // 2):  # half a turn: the square has that period
        angle = 360.0 * k / steps
        square = fn(m, q, angle)[0] ** 2
        weighted = weighted + square * (2 * np.cos(2 * DEGREE * angle))
        whole = whole + square
    return weighted / whole


# of spheroids

WORDS = {"c": RATE, "cv": RATE}
for _kind, _sign, _points in (("pro", 1, (1.4, 2.5)), ("obl", -1, (0.4, 1.5))):
    _of = getattr(special, f"{_kind}_cv")
    for _name, _form in (("ang1", "angle_curvature"), ("rad1", "radius_curvature")):
        for _given in ("", "_cv"):
            _value = "cv" if _given else f"special.{_kind}_cv(m, n, c)"
            _head = (1, 2, 1.5, *(() if not _given else (_of(1, 2, 1.5),)))
            _slopes = f"y[1], {_form}({_sign}, y, {_value}, m, c, x)"
            _tail = np.array((0.3, -0.7) if _name == "ang1" else _points)
            rule(
                getattr(special, f"{_kind}_{_name}{_given}"),
                "m, n, c, cv, x" if _given else "m, n, c, x",
                x=f"along_to(x, y_bar, {_slopes})",
                dot=f"spread(x_dot, y, {_slopes})",
                missing=WORDS if _given else {"c": RATE},
                source="DLMF 30.2.1, oblate with the negative of c**2",
                examples=((*_head, float(_tail[0])), (*_head, _tail)),
            )
for _fn, _slope in (
    (special.pro_cv, "2 * c * mean_square(special.pro_ang1, m, n, c)"),
    (special.obl_cv, "-2 * c * mean_square(special.obl_ang1, m, n, c)"),
):
    scalar(
        _fn,
        None,
        None,
        _slope,
        parameters="m, n, c",
        missing={"m": WHOLE, "n": WHOLE},
        source="perturbation of DLMF 30.2.1: mean of x**2 with the square of the function",
        examples=((1, 2, 1.5), (0, np.array([0, 3]), np.array([0.7, 2.0]))),
    )
SECOND = "SciPy's values are not accurate enough, and its derivatives not theirs"
for _fn in (special.pro_rad2, special.obl_rad2):
    rule(_fn, "m, n, c, x", missing={"c": RATE, "x": SECOND}, source=SECOND, examples=())
for _fn in (special.pro_rad2_cv, special.obl_rad2_cv):
    rule(_fn, "m, n, c, cv, x", missing={**WORDS, "x": SECOND}, source=SECOND, examples=())


def angle_curvature(sign: int, y: Any, value: Any, m: Any, c: Any, x: Any) -> Any:
    """Second derivative of an angular function; sign is 1 for prolate, -1 for oblate."""
    base = 1 - x * x
    return (2 * x * y[1] - (value - sign * c * c * x * x - m * m / base) * y[0]) / base


def radius_curvature(sign: int, y: Any, value: Any, m: Any, c: Any, x: Any) -> Any:
    """Second derivative of a radial function."""
    base = x * x - sign
    return ((value - c * c * x * x + sign * m * m / base) * y[0] - 2 * x * y[1]) / base


def mean_square(fn: Any, m: Any, n: Any, c: Any) -> Any:
    """Mean of ``x**2`` from -1 to 1, weighted by the square of an angular function."""
    nodes, weights = np.polynomial.legendre.leggauss(80)
    weighted: Any = 0.0
    whole: Any = 0.0
    for x, weight in zip(nodes[40:], weights[40:], strict=True):
        square = weight * fn(m, n, c, float(x))[0] ** 2
        weighted = weighted + square * (x * x)
        whole = whole + square
    return weighted / whole
