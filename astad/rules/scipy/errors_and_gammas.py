"""Rules of scipy.special: error functions, the normal distribution, gamma and beta functions.

>>> float(box_cox_growth(2.0, 0.0)), float(box_cox_growth(1.0, 0.5))
(0.240226..., 0.0)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
from numpy import abs, clip, exp, log, log1p, power
from scipy import special

from astad.rules.registry import scalar

__all__ = ["box_cox_growth"]

TWO_OVER_ROOT_PI = 2 / sqrt(pi)
ROOT_PI_OVER_TWO = sqrt(pi) / 2
ROOT_TWO = sqrt(2)
ROOT_TWO_PI = sqrt(2 * pi)
ROOT_TWO_OVER_PI = sqrt(2 / pi)
UNIT = "abs(x) < 0.9"
PROBABILITY = "x > 0.05 and x < 0.95"

# error functions

scalar(special.erf, "TWO_OVER_ROOT_PI * exp(-x * x)", source="DLMF 7.2.1", domain="abs(x) < 2")
scalar(special.erfc, "-TWO_OVER_ROOT_PI * exp(-x * x)", source="DLMF 7.2.2", domain="abs(x) < 2")
scalar(special.erfcx, "2 * x * y - TWO_OVER_ROOT_PI", source="from exp(x**2) erfc(x)")
scalar(special.erfi, "TWO_OVER_ROOT_PI * exp(x * x)", source="DLMF 7.2.1", domain="abs(x) < 2")
scalar(special.dawsn, "1 - 2 * x * y", source="DLMF 7.2.5")
scalar(special.erfinv, "ROOT_PI_OVER_TWO * exp(y * y)", source="inverse of erf", domain=UNIT)
scalar(
    special.erfcinv,
    "-ROOT_PI_OVER_TWO * exp(y * y)",
    source="inverse of erfc",
    domain="abs(x - 1) < 0.9",
)

# the normal distribution

scalar(special.ndtr, "exp(-0.5 * x * x) / ROOT_TWO_PI", source="DLMF 7.2.2", domain="abs(x) < 3")
scalar(
    special.log_ndtr,
    "ROOT_TWO_OVER_PI / special.erfcx(-x / ROOT_TWO)",
    source="density over ndtr(x) = erfc(-x / sqrt(2)) / 2",
    domain="abs(x) < 4",
)
scalar(
    special.ndtri,
    "ROOT_TWO_PI * exp(0.5 * y * y)",
    source="inverse of ndtr",
    zero_safe=True,
    domain=PROBABILITY,
)

# logistic function

scalar(special.expit, "y * (1 - y)", source="from y = 1 / (1 + exp(-x))")
scalar(special.log_expit, "special.expit(-x)", source="from -log(1 + exp(-x))")
scalar(
    special.logit,
    "1 / (x * (1 - x))",
    source="inverse of expit",
    zero_safe=True,
    domain=PROBABILITY,
)

# x log x and relatives

scalar(
    special.xlogy,
    "log(x2)",
    "x1 / x2",
    source="product rule",
    zero_safe=True,
    domain="x2 > 0",
)
scalar(
    special.xlog1py,
    "log1p(x2)",
    "x1 / (1 + x2)",
    source="product rule",
    zero_safe=True,
    domain="x2 > -0.9",
)
scalar(special.entr, "-1 - log(x)", source="product rule", zero_safe=True, domain="x > 0")
scalar(
    special.rel_entr,
    "log(x1 / x2) + 1",
    "-x1 / x2",
    source="product rule",
    zero_safe=True,
    domain="x1 > 0 and x2 > 0",
)
scalar(
    special.kl_div,
    "log(x1 / x2)",
    "1 - x1 / x2",
    source="product rule",
    zero_safe=True,
    domain="x1 > 0 and x2 > 0",
)

# gamma and beta functions

scalar(special.gamma, "y * special.psi(x)", source="DLMF 5.2.2", domain="x > 0.1")
scalar(special.gammaln, "special.psi(x)", source="DLMF 5.2.2", domain="x > 0.1")
scalar(special.loggamma, "special.psi(x)", source="DLMF 5.2.2", domain="x > 0.1")
scalar(
    special.psi,
    "special.polygamma(1, x)",
    source="DLMF 5.15.1",
    refuse="np.iscomplexobj(x)",
    examples=((0.7,), (np.array([0.3, 2.5, -1.3]),)),
)
scalar(
    special.polygamma,
    None,
    "special.polygamma(n + 1, x)",
    parameters="n, x",
    source="DLMF 5.15.1",
    examples=((1, 0.7), (2, np.array([0.3, 2.5]))),
)
ORDER = "of an order"
scalar(
    special.zeta,
    None,
    "-x * special.zeta(x + 1, q)",
    parameters="x, q=None",
    missing={"x": ORDER},
    source="DLMF 25.11.17",
    examples=((2.5, 1.3), (3.0, np.array([0.4, 2.0]))),
)
scalar(
    special.beta,
    "y * (special.psi(x1) - special.psi(x1 + x2))",
    "y * (special.psi(x2) - special.psi(x1 + x2))",
    source="DLMF 5.12.1",
    domain="x1 > 0.1 and x2 > 0.1",
)
scalar(
    special.betaln,
    "special.psi(x1) - special.psi(x1 + x2)",
    "special.psi(x2) - special.psi(x1 + x2)",
    source="DLMF 5.12.1",
    domain="x1 > 0.1 and x2 > 0.1",
)
scalar(
    special.poch,
    "y * (special.psi(z + m) - special.psi(z))",
    "y * special.psi(z + m)",
    parameters="z, m",
    source="from gamma functions, DLMF 5.2.5",
    domain="z > 0.1 and m > 0.1",
)
scalar(
    special.binom,
    "y * (special.psi(n + 1) - special.psi(n - k + 1))",
    "y * (special.psi(n - k + 1) - special.psi(k + 1))",
    parameters="n, k",
    source="from gamma functions, DLMF 1.2.1",
    domain="k > 0.1 and n > k + 0.1",
)
GAMMA_DENSITY = "exp(special.xlogy(a - 1, {x}) - {x} - special.gammaln(a))"
SHAPES = ((1.3, 0.8), (np.array([0.7, 2.5]), np.array([0.4, 3.0])), (2.0, np.array([1.0, 0.5])))
LEVELS = ((1.3, 0.8), (np.array([0.7, 2.5]), np.array([0.4, 0.3])), (2.0, np.array([0.1, 0.5])))
for _fn, _sign in ((special.gammainc, ""), (special.gammaincc, "-")):
    scalar(
        _fn,
        None,
        _sign + GAMMA_DENSITY.format(x="x"),
        parameters="a, x",
        missing={"a": ORDER},
        source="DLMF 8.8.13",
        examples=SHAPES,
    )
for _fn, _sign in ((special.gammaincinv, "1 / "), (special.gammainccinv, "-1 / ")):
    scalar(
        _fn,
        None,
        _sign + GAMMA_DENSITY.format(x="y"),
        parameters="a, p",
        missing={"a": ORDER},
        source="inverse of the incomplete gamma function",
        examples=LEVELS,
    )
BETA_DENSITY = (
    "exp(special.xlogy(a - 1, {x}) + special.xlog1py(b - 1, -{x}) - special.betaln(a, b))"
)
TRIPLES = ((1.3, 0.8, 0.4), (np.array([0.7, 2.5]), 1.5, np.array([0.4, 0.7])))
scalar(
    special.betainc,
    None,
    None,
    BETA_DENSITY.format(x="x"),
    parameters="a, b, x",
    missing={"a": ORDER, "b": ORDER},
    source="DLMF 8.17.1",
    examples=TRIPLES,
)
scalar(
    special.betaincinv,
    None,
    None,
    "1 / " + BETA_DENSITY.format(x="y"),
    parameters="a, b, y_",
    missing={"a": ORDER, "b": ORDER},
    source="inverse of betainc",
    examples=TRIPLES,
)

# distributions that are incomplete gamma and beta functions

scalar(
    special.chdtr,
    None,
    "0.5 * exp(special.xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))",
    parameters="v, x",
    missing={"v": ORDER},
    source="gammainc(v / 2, x / 2)",
    examples=SHAPES,
)
scalar(
    special.chdtrc,
    None,
    "-0.5 * exp(special.xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))",
    parameters="v, x",
    missing={"v": ORDER},
    source="gammaincc(v / 2, x / 2)",
    examples=SHAPES,
)
scalar(
    special.stdtr,
    None,
    "exp(-0.5 * (df + 1) * log1p(t * t / df) - special.betaln(0.5 * df, 0.5) - 0.5 * log(df))",
    parameters="df, t",
    missing={"df": ORDER},
    source="density of Student's t",
    examples=((3.0, -0.8), (np.array([1.0, 2.5]), np.array([0.4, -3.0]))),
)

# powers that become logarithms, losses

scalar(
    special.boxcox,
    "power(x, lmbda - 1)",
    "box_cox_growth(x, lmbda)",
    parameters="x, lmbda",
    source="from (x**lmbda - 1) / lmbda",
    domain="x > 0.1 and abs(lmbda) > 0.1",
)
scalar(
    special.boxcox1p,
    "power(1 + x, lmbda - 1)",
    "box_cox_growth(1 + x, lmbda)",
    parameters="x, lmbda",
    source="from boxcox(1 + x, lmbda)",
    domain="x > -0.9 and abs(lmbda) > 0.1",
)
scalar(
    special.huber,
    "np.maximum(abs(r) - delta, 0.0)",
    "clip(r, -delta, delta)",
    parameters="delta, r",
    source="r**2 / 2, delta * (abs(r) - delta / 2) beyond delta",
    domain="delta > 0.1 and abs(abs(r) - delta) > 0.1",
)


def box_cox_growth(x: Any, lmbda: Any) -> Any:
    """Derivative of ``(x**lmbda - 1) / lmbda`` in the exponent; its limit at 0."""
    logarithm = log(x)
    divisor = np.where(lmbda == 0, 1, lmbda)
    slope = (power(x, lmbda) * (lmbda * logarithm - 1) + 1) / (divisor * divisor)
    return np.where(lmbda == 0, 0.5 * logarithm * logarithm, slope)[()]
