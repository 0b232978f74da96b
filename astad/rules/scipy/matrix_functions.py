"""Rules of functions of matrices: expm, logm, sqrtm, powers, sines and cosines, signm.

The derivative of f at A in the direction E stands beside f(A) in f of the block triangle
``[[A, E], [0, A]]`` (Higham 2008, theorem 3.6): no gap of eigenvalues is divided by, so that equal
ones do no harm. The adjoint, ``L(A, G*)*``, takes f at the same A, on the same branch.

>>> import numpy
>>> adjoint(linalg.sqrtm, 4.0 * numpy.eye(2), numpy.array([[0.0, 1.0], [0.0, 0.0]]))
array([[0.  , 0.25],
       [0.  , 0.  ]])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import matmul, reshape, shape, zeros
from numpy.linalg import matrix_power
from scipy import linalg

from astad.rules.numpy.matrix_powers import power_change
from astad.rules.numpy.products import H
from astad.rules.numpy.samples import definite, imaginary, real
from astad.rules.registry import Keywords, rule
from astad.rules.scipy.structures import stacked

__all__ = ["adjoint", "derivative"]

HIGHAM = "Higham 2008, Functions of Matrices, theorem 3.6"

Function = Callable[[Any], Any]


def block(a: Any, e: Any) -> Any:
    """``[[a, e], [0, a]]``, in double precision: SciPy warns of single logarithms."""
    a = np.asarray(a, np.result_type(a, np.float64))
    top = np.concatenate([a, e], axis=-1)
    return np.concatenate([top, np.concatenate([np.zeros_like(a), a], axis=-1)], axis=-2)


@stacked(0, 2, 2)
def derivative(f: Function, a: Any, e: Any) -> Any:
    """Derivative of the matrix function `f` at `a` in the direction `e`."""
    n = shape(a)[-1]
    if not n:
        return zeros((0, 0))
    return f(block(a, np.asarray(e)))[:n, n:]


def adjoint(f: Function, a: Any, g: Any) -> Any:
    """Cotangent of `a` from that of ``f(a)``."""
    return H(derivative(f, a, H(g)))


# the exponential


@stacked(2, 2)
def exponential_change(a: Any, e: Any) -> Any:
    """Derivative of the exponential at `a` in the direction `e`."""
    if shape(a)[-1] == 0:
        return zeros(shape(a))
    return linalg.expm_frechet(a, e, compute_expm=False)


def exponential_back(y_bar: Any, a: Any) -> Any:
    """Cotangent of the matrix; a lone number counts as one."""
    if np.ndim(a) < 2:
        return reshape(y_bar * np.exp(np.conj(np.asarray(a))), shape(a))
    return H(exponential_change(np.asarray(a), H(y_bar)))


rule(
    linalg.expm,
    "A",
    A="exponential_back(y_bar, A)",
    dot="exponential_change(A, A_dot)",
    gives="matrices(A)",
    source="Al-Mohy and Higham 2009, SIAM J. Matrix Anal. Appl. 30: expm_frechet",
    examples=lambda: [
        (real(3, 3),),
        (imaginary(2, 2),),
        (real(2, 3, 3),),
        (np.diag([1.0, 1.0, -0.5]),),
        (zeros((2, 2)),),
        (real(1, 1),),
    ],
)


def frechet_back(y: Any, y_bar: Any, a: Any, e: Any, compute_expm: bool, direction: bool) -> Any:
    """Cotangent of the matrix, or of the direction, in ``expm_frechet``."""
    value_bar, change_bar = y_bar if compute_expm else (None, y_bar)
    if direction:
        return None if change_bar is None else adjoint(linalg.expm, a, change_bar)
    total: Any = 0.0 if value_bar is None else adjoint(linalg.expm, a, value_bar)
    if change_bar is None:
        return total
    n = shape(a)[-1]
    turned, nothing = H(change_bar), zeros((n, n))
    second = exponential_change(
        block(a, np.asarray(e)), np.block([[turned, nothing], [nothing, turned]])
    )
    return total + H(second[:n, n:])


rule(
    linalg.expm_frechet,
    "A, E, method=None, compute_expm=True, check_finite=True",
    A="frechet_back(y, y_bar, A, E, compute_expm, False)",
    E="frechet_back(y, y_bar, A, E, compute_expm, True)",
    refuse="np.ndim(A) > 2 or np.ndim(E) > 2",
    source=HIGHAM + ", twice",
    examples=lambda: [
        (real(3, 3), real(3, 3, seed=1)),
        (imaginary(2, 2), imaginary(2, 2, seed=1), Keywords(compute_expm=False)),
        (np.eye(2), real(2, 2)),
    ],
)


# functions that take the block triangle as they take any matrix

for _fn, _scale in (
    (linalg.cosm, 1.0),
    (linalg.sinm, 1.0),
    (linalg.tanm, 0.2),
    (linalg.coshm, 1.0),
    (linalg.sinhm, 1.0),
    (linalg.tanhm, 0.2),
):
    rule(
        _fn,
        "A",
        A=f"adjoint(linalg.{_fn.__name__}, A, y_bar)",
        dot=f"derivative(linalg.{_fn.__name__}, A, A_dot)",
        gives="one_matrix(A)",
        source=HIGHAM,
        examples=lambda scale=_scale: [
            (scale * real(3, 3),),
            (scale * imaginary(2, 2),),
            (zeros((2, 2)),),
        ],
    )


rule(
    linalg.logm,
    "A, disp=None",
    A="adjoint(linalg.logm, A, y_bar)",
    dot="derivative(linalg.logm, A, A_dot)",
    refuse="disp is False or np.ndim(A) < 2",
    source=HIGHAM,
    examples=lambda: [
        (definite(3) + real(3, 3) / 5,),
        (np.eye(3) + imaginary(3, 3) / 3,),
        (np.eye(3),),
        (definite(2, 2),),
    ],
)


# roots and powers


@stacked(2, 2)
def root_change(y: Any, e: Any) -> Any:
    """Derivative of the square root `y` of a matrix in the direction `e`: y d + d y = e."""
    return linalg.solve_sylvester(y, y, e)


rule(
    linalg.sqrtm,
    "A, disp=None, blocksize=None",
    A="root_change(H(y), y_bar)",
    dot="root_change(y, A_dot)",
    refuse="disp is False or np.ndim(A) < 2",
    source="Higham 2008, Functions of Matrices, 6.1: Y dY + dY Y = dA",
    examples=lambda: [
        (definite(3) + real(3, 3) / 5,),
        (np.eye(3) + imaginary(3, 3) / 3,),
        (4.0 * np.eye(3),),
        (definite(2, 2),),
    ],
)


def power_back(y_bar: Any, a: Any, t: Any) -> Any:
    """Cotangent of the matrix."""
    if isinstance(t, (int, np.integer)):
        return power_change(H(np.asarray(a)), int(t), y_bar)
    return adjoint(lambda m: linalg.fractional_matrix_power(m, t), a, y_bar)


def power_dot(a: Any, a_dot: Any, t: Any) -> Any:
    """Tangent in the matrix."""
    if isinstance(t, (int, np.integer)):
        return power_change(a, int(t), a_dot)
    return derivative(lambda m: linalg.fractional_matrix_power(m, t), a, a_dot)


def exponent_back(y_bar: Any, a: Any, y: Any) -> Any:
    """Cotangent of the exponent."""
    return np.real(np.sum(np.conj(y_bar) * exponent_dot(a, y)))


def exponent_dot(a: Any, y: Any) -> Any:
    """Derivative in the exponent."""
    return matmul(linalg.logm(np.asarray(a, np.result_type(a, np.float64))), y)


rule(
    linalg.fractional_matrix_power,
    "A, t",
    A="power_back(y_bar, A, t)",
    t="exponent_back(y_bar, A, y)",
    dot="power_dot(A, A_dot, t) + t_dot * exponent_dot(A, y)",
    source=HIGHAM + "; d A**t / dt = log(A) A**t",
    examples=lambda: [
        (definite(3) + real(3, 3) / 5, 0.3),
        (definite(3), -1.4),
        (np.eye(3), 0.5),
        (np.eye(2) + imaginary(2, 2) / 3, 0.5),
    ],
)


@stacked(2, 2)
def sign_back(y: Any, y_bar: Any, a: Any) -> Any:
    """Cotangent of a matrix in its sign, N d + d N = e - y e y with N = y a."""
    size = H(matmul(y, a))
    z = linalg.solve_sylvester(size, size, y_bar)
    return z - matmul(matmul(H(y), z), H(y))


@stacked(2, 2)
def sign_dot(y: Any, a_dot: Any, a: Any) -> Any:
    """Tangent of the sign."""
    size = matmul(y, a)
    return linalg.solve_sylvester(size, size, a_dot - matmul(matmul(y, a_dot), y))


rule(
    linalg.signm,
    "A, disp=None",
    A="sign_back(y, y_bar, np.asarray(A))",
    dot="sign_dot(y, A_dot, A)",
    refuse="disp is False or np.ndim(A) > 2",
    source="Higham 2008, Functions of Matrices, theorem 5.3",
    examples=lambda: [(real(3, 3),), (imaginary(2, 2),), (np.diag([1.0, 1.0, -2.0]),)],
)
