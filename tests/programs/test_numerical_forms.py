"""Points where a derivative is a decision, in each form that astad may give a program.

Specialised text for a Python float, np.float64 or array, and calls whose operands' kinds are found
at run time. The reverse sweep must not warn there, save for a nan. Expected numbers: the
conventions of docs/conventions.md.
"""

from __future__ import annotations

import importlib.util
import math
import re
import sys

import numpy as np
import pytest

from astad import gradient, pullback

nan, inf = math.nan, math.inf
HEAD = "import math\nimport numpy as np\n\n"
NUMBERS = [
    # expression, x, derivative
    ("np.sqrt(x)", 0.0, inf),
    ("math.sqrt(x)", 0.0, inf),
    ("0 * np.sqrt(x)", 0.0, 0),
    ("0 * math.sqrt(x)", 0.0, 0),
    ("np.sqrt(x**2)", 0.0, nan),
    ("math.sqrt(x**2)", 0.0, nan),
    ("0 * np.log(x)", 0.0, 0),
    ("0 * np.cbrt(x)", 0.0, 0),
    ("0 * math.asin(x)", 1.0, 0),
    ("0 * math.acos(x)", -1.0, 0),
    ("0 * math.acosh(x)", 1.0, 0),
    ("0 * np.arcsin(x)", 1.0, 0),
    ("0 * np.arctanh(x)", 1.0, 0),
    ("0 * np.divide(1.0, x)", 0.0, 0),
    ("abs(x)", 0.0, 0),
    ("np.abs(x)", 0.0, 0),
    ("math.fabs(x)", 0.0, 0),
    ("x**0", 0.0, 0),
    ("x**0.0", 0.0, 0),
    ("x**1", 0.0, 1),
    ("x**2", 0.0, 0),
    ("x**0.5", 0.0, inf),
    ("0 * x**0.5", 0.0, 0),
    ("x**3", -2.0, 12),
    ("x**3.0", -2.0, 12),
    ("np.power(x, 0.0)", 0.0, 0),
    ("np.power(x, 0.5)", 0.0, inf),
    ("np.power(x, 3.0)", -2.0, 12),
    ("math.pow(x, 0.0)", 0.0, 0),
    ("math.pow(x, 1.0)", 0.0, 1),
    ("math.pow(x, 0.5)", 0.0, inf),
    ("0 * math.pow(x, 0.5)", 0.0, 0),
    ("math.pow(x, 3.0)", -2.0, 12),
    ("(-2.0)**x", 3.0, nan),
    ("math.pow(-2.0, x)", 3.0, nan),
    ("0.0**x", 2.0, 0),
    ("0.0**x", 0.0, 0),
    ("math.pow(0.0, x)", 2.0, 0),
    ("np.arctan2(x, 0.0)", 0.0, 0),
    ("np.arctan2(0.0, x)", 0.0, 0),
    ("math.atan2(x, 0.0)", 0.0, 0),
    ("np.hypot(x, 0.0)", 0.0, 0),
    ("math.hypot(x, 0.0)", 0.0, 0),
    ("np.maximum(x, 0.0)", 0.0, 0.5),
    ("np.minimum(x, 0.0)", 0.0, 0.5),
    ("np.clip(x, 0.0, 1.0)", 0.0, 1),
    ("np.sinc(x)", 0.0, 0),
    ("np.where(x > 0, np.sqrt(x), 0.0)", 0.0, 0),
    ("np.where(x > 0, np.sqrt(x), 0.0)", -1.0, 0),
    ("np.where(x > 0, np.log(x), 0.0)", 0.0, 0),
    ("np.logaddexp(x, -np.inf)", -inf, 0.5),
    ("np.logaddexp(x, 1.0)", inf, 1),
    ("np.logaddexp(1.0, x)", inf, 1),
    ("np.logaddexp(0.0, x)", 1000.0, 1),
    ("np.logaddexp(x, 0.0)", -1000.0, 0),
    ("np.logaddexp2(0.0, x)", 5000.0, 1),
]
ARRAYS = [
    ("np.linalg.norm(x)", [0.0, 0.0, 0.0], [0, 0, 0]),
    ("np.linalg.norm(x)**2", [0.0, 0.0, 0.0], [0, 0, 0]),
    ("np.linalg.norm(x, axis=1)", [[3.0, 4.0], [0.0, 0.0]], [[0.6, 0.8], [0, 0]]),
    ("np.linalg.norm(x, 1)", [0.0, 0.0, 0.0], [0, 0, 0]),
    ("np.linalg.norm(x, np.inf)", [2.0, -2.0, 1.0], [0.5, -0.5, 0]),
    ("np.prod(x)", [2.0, 0.0, 3.0], [0, 6, 0]),
    ("np.prod(x)", [0.0, 0.0, 3.0], [0, 0, 0]),
    ("x.prod()", [2.0, 0.0, 3.0], [0, 6, 0]),
    ("np.cumprod(x)", [2.0, 0.0, 3.0], [1, 8, 0]),
    ("np.std(x)", [2.5, 2.5, 2.5], [0, 0, 0]),
    ("x.std()", [2.5, 2.5, 2.5], [0, 0, 0]),
    ("np.max(x)", [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
    ("np.amax(x)", [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
    ("np.maximum.reduce(x)", [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
    ("x.max()", [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
    ("np.nanmax(x)", [2.0, 5.0, 5.0], [0, 0.5, 0.5]),
    ("np.clip(x, 0.0, 1.0)", [0.0, 1.0, 0.5, 2.0], [1, 1, 1, 0]),
    ("np.sort(x) * np.arange(3.0)", [1.0, 1.0, 0.5], [1, 2, 0]),
    ("np.median(x)", [4.0, 1.0, 2.0, 3.0], [0, 0, 0.5, 0.5]),
    ("np.max(x)", [1.0, nan, 3.0], [0, nan, 0]),
    ("np.nanmax(x)", [1.0, nan, 3.0], [0, 0, 1]),
    ("np.nansum(x**2)", [1.0, nan, 3.0], [2, 0, 6]),
    ("np.where(x > 0, np.sqrt(x), 0)", [4.0, 0.0, -1.0], [0.25, 0, 0]),
    ("np.where(x > 0, np.log(x), 0)", [2.0, 0.0, -1.0], [0.5, 0, 0]),
    ("np.where(x > 0, x**0.5, 0)", [4.0, 0.0], [0.25, 0]),
    ("np.where(x > 0, 1 / x, 0)", [2.0, 0.0], [-0.25, 0]),
    ("np.where(np.abs(x) < 1, np.arcsin(x), 0)", [0.0, 1.0], [1, 0]),
    ("np.where(x > 0, np.arctan2(x, x), 0)", [0.0], [0]),
    ("x**0.5", [0.0, 4.0], [inf, 0.25]),
    ("x**2.5", [0.0, 4.0], [0, 20]),
    ("0.0**x", [0.0, 2.0], [0, 0]),
    ("np.linalg.svd(x, compute_uv=False)", [[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]]),
    ("np.linalg.svd(x)[1]", [[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]]),
    ("np.linalg.eigh(x)[0]", [[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]]),
    ("np.linalg.det(x)", [[1.0, 2.0], [2.0, 4.0]], [[4, -2], [-2, 1]]),
    ("np.linalg.pinv(x)", [[1.0, 0.0], [0.0, 0.0]], [[-1, 1], [1, 0]]),
]
COMPLEX = [
    ("abs(x)", 0j, 0),
    ("np.abs(x)", 0j, 0),
    ("abs(x)", 3 + 4j, 0.6 + 0.8j),
    ("np.abs(x)", 3 + 4j, 0.6 + 0.8j),
    ("np.angle(x)", 0j, 0),
]


@pytest.fixture
def written(tmp_path):
    """A function from parameters and an expression to a function in a module file."""
    count = iter(range(100))

    def write(parameters, expression):
        name = f"written_{next(count)}"
        path = tmp_path / f"{name}.py"
        path.write_text(f"{HEAD}def f({parameters}):\n    return {expression}\n", encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.f

    return write


def by_pullback(f, x, expected):
    """Cotangent of the one argument; the reverse sweep may warn only where it gives nan."""
    with np.errstate(all="ignore"):
        y, back = pullback(f, x)
    with np.errstate(all="ignore" if np.any(np.isnan(expected)) else None):
        return back(np.ones(np.shape(y))[()] if np.ndim(y) else 1.0)[0]


def check(written, expression, x, expected):
    f, g = written("x", expression), written("v", re.sub(r"\bx\b", "v[0]", expression))
    np.testing.assert_allclose(by_pullback(f, x, expected), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_pullback(g, [x], expected)[0], expected, rtol=1e-12, atol=1e-14)
    total = written("x", expression if np.ndim(x) == 0 else f"np.sum({expression})")
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(gradient(total, x)[0], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("expression", "x", "expected"), NUMBERS)
def test_numbers(written, expression, x, expected):
    for kind in (float, np.float64, np.array):
        check(written, expression, kind(x), expected)
    if "math" not in expression:
        check(written, expression, np.full(2, x), [expected, expected])


@pytest.mark.parametrize(("expression", "x", "expected"), ARRAYS)
def test_arrays(written, expression, x, expected):
    check(written, expression, np.array(x), expected)


@pytest.mark.parametrize(("expression", "x", "expected"), COMPLEX)
def test_complex_numbers(written, expression, x, expected):
    for kind in (complex, np.complex128, np.array):
        check(written, expression, kind(x), expected)
