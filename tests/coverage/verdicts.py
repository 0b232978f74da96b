"""What astad answers to one call of a library's function, judged by differences.

A call is an expression in ``x``, or statements of which the last is an expression. All numbers of
its result are summed with weights; the gradient of the sum is compared with differences of two
steps, and where asked the derivative of the gradient with differences of the gradient.
"""

from __future__ import annotations

import ast
import dataclasses
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from astad import gradient
from astad.errors import AstadError

STEP = 1e-3
POINTS = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
GOOD = ("right", "none")

PROGRAM = '''
def weighted(y):
    """The numbers of a result, summed with weights."""
    if isinstance(y, (list, tuple)):
        total = 0.0
        for k, part in enumerate(y):
            total = total + (k + 1) * weighted(part)
        return total
    if isinstance(y, dict):
        return weighted(list(y.values()))
    if isinstance(y, _np.ndarray) and y.dtype == object:
        return weighted(y.tolist())
    if not isinstance(y, (float, complex, _np.inexact, _np.ndarray)):
        return 0.0
    if isinstance(y, _np.ndarray) and y.dtype.kind not in "fc":
        return 0.0
    weights = _weights(_np.shape(y))
    if isinstance(y, (complex, _np.complexfloating, _np.ndarray)) and _np.iscomplexobj(y):
        return _np.sum(_np.real(y) * weights) + _np.sum(_np.imag(y) * weights[::-1])
    return _np.sum(y * weights)


def of_gradient(x, f, v):
    """The gradient of ``f`` along ``v``."""
    return _np.sum(v * _gradient(f, x)[0])
'''


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of a call: ``right``, ``none``, ``refused``, ``wrong``, ``failed``, ``unclear``.

    ``none`` is None or zeros where nothing moves; ``failed`` is an error that is not astad's;
    ``unclear`` is a call whose differences of two steps do not agree, ``broken`` one that fails by
    itself. ``second`` is the same for the second order, empty where it was not asked.
    """

    call: str
    word: str
    says: str = ""
    second: str = ""


def weights_of(shape: tuple[int, ...]) -> Any:
    """Weights without symmetry, at least of one dimension."""
    size = int(np.prod(shape)) if shape else 1
    return np.cos(np.arange(size) * 0.7 + 0.3).reshape(shape or (1,))


def text_of(name: str, call: str) -> str:
    """The source of a function of ``x`` for a call, and of the sum of its result."""
    lines = [line for line in textwrap.dedent(call).strip().splitlines()]
    body = ast.parse("\n".join(lines)).body
    last = body[-1]
    if isinstance(last, ast.Expr):
        body[-1] = ast.Return(last.value)
    text = textwrap.indent("\n".join(map(ast.unparse, body)), "    ")
    return f"def {name}(x):\n{text}\n\n\ndef {name}_sum(x):\n    return weighted({name}(x))\n\n\n"


def judge(call: str, f: Callable[..., Any], x: Any, second: Callable[..., Any] | None) -> Verdict:
    """The verdict on a scalar function of ``x``; ``second`` is its gradient along a direction."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        word, says, g = first_order(f, x)
        if second is None or word != "right":
            return Verdict(call, word, says)
        found, why = second_order(f, second, x, g)
        return Verdict(call, word, why, found)


def first_order(f: Callable[..., Any], x: Any) -> tuple[str, str, Any]:
    """The word, the message of an error, and the gradient."""
    try:
        rough, fine = differences(f, x, STEP), differences(f, x, STEP / 4)
    except Exception as error:
        return "broken", f"{type(error).__name__}: {error}", None
    size = float(np.max(np.abs(fine), initial=0.0))
    doubt = np.abs(rough - fine)
    if not np.all(doubt <= 1e-4 * size + 1e-9):
        return "unclear", f"differences {rough} and {fine}", None
    try:
        (g,) = gradient(f, x.copy())
    except AstadError as error:
        return "refused", str(error), None
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}", None
    if g is None or not np.any(g):
        return ("none", "", None) if size < 1e-9 else ("wrong", f"no gradient, not {fine}", None)
    if np.shape(g) == x.shape and np.all(np.abs(g - fine) <= 5 * doubt + 1e-6 * size + 1e-9):
        return "right", "", g
    return "wrong", f"{g}, not {fine}", None


def second_order(
    f: Callable[..., Any], second: Callable[..., Any], x: Any, g: Any
) -> tuple[str, str]:
    """The word and the message for the derivative of the gradient along a direction."""
    v = weights_of(x.shape) + 0.5
    try:
        along = sum(w * gradient(f, x + k * STEP * v)[0] for k, w in POINTS) / STEP
        (found,) = gradient(second, x.copy(), f, v)[:1]
    except AstadError as error:
        return "refused", str(error)
    except Exception as error:
        return "failed", f"second order: {type(error).__name__}: {error}"
    found = np.zeros(x.shape) if found is None else found
    size = float(np.max(np.abs(along), initial=0.0)) + float(np.max(np.abs(g)))
    if np.all(np.abs(found - along) <= 1e-6 * size):
        return "right", ""
    return "wrong", f"second order: {found}, not {along}"


def differences(f: Callable[..., Any], x: Any, step: float) -> Any:
    """Five-point differences, element by element."""
    found = np.zeros(x.size)
    for k in range(x.size):
        for times, weight in POINTS:
            moved = x.copy()
            moved.flat[k] += times * step
            found[k] += weight * float(f(moved)) / step
    return found.reshape(x.shape)
