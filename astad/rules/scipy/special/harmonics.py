"""Rules of scipy.special's families that give their own derivatives on request.

>>> legendre_bar(special.legendre_p, np.ones(1), (2, 0.5), {}, 0)         # 3 z
array([1.5])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from astad.rules.formula import fit
from astad.rules.registry import Keywords, rule

__all__ = ["harmonic_bar", "legendre_bar"]

TWICE = "diff_n > 1"  # SciPy stops at the second derivative
SOURCE = "its own derivatives, asked for with diff_n"
Z = np.array([0.3, -0.7])
COLUMN = np.array([[2], [3]])

# Legendre functions: the values, then the derivatives, along the first axis

for _fn, _orders, _words in (
    (special.legendre_p, "n", ""),
    (special.legendre_p_all, "n", ""),
    (special.sph_legendre_p, "n, m", ""),
    (special.sph_legendre_p_all, "n, m", ""),
    (special.assoc_legendre_p, "n, m", "branch_cut=2, norm=False"),
    (special.assoc_legendre_p_all, "n, m", "branch_cut=2, norm=False"),
):
    _name = _fn.__name__
    _z = "theta" if "sph" in _name else "z"
    _options = "dict(branch_cut=branch_cut, norm=norm)" if _words else "dict()"
    _call = f"special.{_name}, BAR, ({_orders}, {_z}), {_options}, diff_n"
    _first = (3 if _name.endswith("_all") else COLUMN, 1)[: len(_orders) // 2 + 1]
    _back: Any = {_z: f"fit(legendre_bar({_call.replace('BAR', 'y_bar')}), {_z})"}  # a name
    rule(
        _fn,
        f"{_orders}, {_z}, *, {_words + ', ' if _words else ''}diff_n=0",
        dot=f"legendre_dot({_call.replace('BAR', _z + '_dot')})",
        refuse=TWICE,
        source=SOURCE,
        examples=((*_first, Z), (*(2, 1)[: len(_first)], 0.4), (*_first, Z, Keywords(diff_n=1))),
        **_back,
    )


def legendre_bar(
    fn: Any, y_bar: Any, args: tuple[Any, ...], options: dict[str, Any], diff_n: int
) -> Any:
    """Cotangent of the argument: the slopes of the values are the derivatives one higher."""
    return y_bar * np.conj(fn(*args, diff_n=diff_n + 1, **options)[1:])


def legendre_dot(
    fn: Any, dot: Any, args: tuple[Any, ...], options: dict[str, Any], diff_n: int
) -> Any:
    """Tangents of the values."""
    return fn(*args, diff_n=diff_n + 1, **options)[1:] * dot


# spherical harmonics: the value, then its gradient, then its second derivatives

for _fn, _n in ((special.sph_harm_y, COLUMN), (special.sph_harm_y_all, 3)):
    _call = f"special.{_fn.__name__}, {{}}, n, m, theta, phi, diff_n"
    rule(
        _fn,
        "n, m, theta, phi, *, diff_n=0",
        theta=f"fit(harmonic_bar({_call.format('y_bar')}, 0), theta)",
        phi=f"fit(harmonic_bar({_call.format('y_bar')}, 1), phi)",
        dot=f"harmonic_dot({_call.format('theta_dot, phi_dot')})",
        refuse=TWICE,
        source=SOURCE,
        examples=(
            (_n, 1, Z, 0.4),
            (2, 1, 0.4, np.array([0.3, 1.7])),
            (_n, 1, Z, 0.4, Keywords(diff_n=1)),
        ),
    )


def harmonic_bar(
    fn: Any, y_bar: Any, n: Any, m: Any, theta: Any, phi: Any, diff_n: int, place: int
) -> Any:
    """Cotangent of theta (place 0) or phi (place 1), not yet summed to its shape."""
    higher = fn(n, m, theta, phi, diff_n=diff_n + 1)
    total: Any = None
    for k, part in enumerate(y_bar if diff_n else (y_bar,)):
        if part is not None:
            term = part * np.conj(higher[k + 1][..., place])
            term = np.sum(term, axis=tuple(range(-k, 0)))
            total = term if total is None else total + term
    return total


def harmonic_dot(
    fn: Any, theta_dot: Any, phi_dot: Any, n: Any, m: Any, theta: Any, phi: Any, diff_n: int
) -> Any:
    """Tangent of the value, or tangents of the value and its derivatives."""
    dots = []
    for k, slopes in enumerate(fn(n, m, theta, phi, diff_n=diff_n + 1)[1:]):
        of_theta = np.reshape(theta_dot, np.shape(theta_dot) + (1,) * k)
        of_phi = np.reshape(phi_dot, np.shape(phi_dot) + (1,) * k)
        dots.append(slopes[..., 0] * of_theta + slopes[..., 1] * of_phi)
    return tuple(dots) if diff_n else dots[0]
