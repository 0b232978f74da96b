"""Calls of NumPy and SciPy with their keywords, each inside a small program, in every form.

`keywords.txt` has one expression a line: of axes, keepdims, where, initial, out (also into an
operand), dtype, order, casting, modes and sides. Each is right, in all forms, or refused.
"""

from __future__ import annotations

import ast
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from astad.errors import AstadError
from tests.compiler.forms import FORMS, close, compare, differences, gradients

EXPRESSIONS = (Path(__file__).parent / "keywords.txt").read_text(encoding="utf-8").splitlines()
PART = 40
RANDOM = np.random.default_rng(5)
VALUES = {
    "x": RANDOM.normal(size=(2, 3)),
    "y": RANDOM.normal(size=(2, 3)),
    "v": np.array([0.9, -0.4, 1.3]),
    "b": np.array([-0.7, 0.35, 0.6]),
    "s": 0.8,
    "q": 0.45,
    "m": RANDOM.normal(size=(3, 3)) + 2 * np.eye(3),
    "t": RANDOM.normal(size=(2, 3, 3)),
}
MADE = {
    "p": ("x", "p = x * x + 0.3"),
    "a": ("x", "a = x * 1.5"),
    "c": ("x", "c = x * x + 1.2"),
    "h": ("x", "h = x * 1.0\n    h[0, 1] = np.nan"),
    "x3": ("m", "x3 = m * 0.7"),
    "t3": ("m", "t3 = np.stack([m, m @ m])"),
}
"""What is computed first, and of what."""
IMPORTS = """import numpy as np
import scipy
from scipy import fft, integrate, interpolate, linalg, ndimage, signal, special, stats
from scipy.spatial import distance
"""


def program(expression: str, number: int) -> tuple[Any, list[Any]]:
    """A function that weighs the entries of the result, and its arguments."""
    names = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    first = [name for name in MADE if name in names]
    needed = names | {MADE[name][0] for name in first}
    args = [name for name in VALUES if name in needed]
    lines = [
        f"def f({', '.join(args)}):",
        *(MADE[name][1] for name in first),
        f"z = {expression}",
        "w = np.cos(np.arange(1.0, np.size(z) + 1.0)).reshape(np.shape(z))",
        "return np.sum(z * w)" + " + 0.1 * np.sum(c)" * ("c" in names),
    ]
    text, file = "\n    ".join(lines) + "\n", f"<keywords {number}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope: dict[str, Any] = {}
    exec(IMPORTS, scope)
    exec(compile(text, file, "exec"), scope)
    values = [np.copy(VALUES[name]) if name not in "sq" else VALUES[name] for name in args]
    return scope["f"], values


def check(expression: str, number: int) -> None:
    f, args = program(expression, number)
    narrow = "float32" in expression
    rtol, atol = (2e-3, 2e-3) if narrow else (3e-6, 3e-7)
    found = {}
    try:
        for form in FORMS:
            one = gradients(form, f, args)
            if one is not None:
                found[form] = one[1]
    except AstadError:
        return
    expected = differences(f, args, 1.0)
    for form, bars in found.items():
        close(bars, expected, form, rtol, atol)
        if not narrow:
            compare(bars, found["generic"], form)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("start", range(0, len(EXPRESSIONS), PART))
def test_calls_with_keywords(start: int) -> None:
    pytest.importorskip("scipy")
    for number, expression in enumerate(EXPRESSIONS[start : start + PART], start):
        try:
            with np.errstate(all="ignore"):
                check(expression, number)
        except Exception as error:
            error.add_note(expression)
            raise
