"""Rules of scipy.fft: Fourier transforms as those of NumPy, cosine and sine transforms.

>>> import numpy
>>> real_transform_back(numpy.array([1.0, 0.0]), (2,), fft.dct, 2, None, None, None, None)
array([2., 2.])
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import shape
from scipy import fft

from astad.rules.numpy.axes import move_axis
from astad.rules.numpy.fft import (
    DFT,
    all_fitted,
    axes_or_last,
    complex_examples,
    complex_grids,
    half_examples,
    half_grids,
    irfft_back,
    irfftn_back,
    other,
    real_examples,
    real_grids,
    rfft_back,
    rfftn_back,
    several_back,
    shift_examples,
    transformed_back,
)
from astad.rules.numpy.samples import real
from astad.rules.registry import Keywords, linear

__all__ = ["real_transform_back"]

ENDS = "overwrite_x=False, workers=None, *, plan=None"
REUSED = "overwrite_x or plan is not None"
CONJUGATE = "conjugates, with the scale of the other direction"
SPECTRA = {
    "fft": ("transformed_back(y_bar, shape(x), norm, fft.ifft, axis)", complex_examples, DFT),
    "ifft": ("transformed_back(y_bar, shape(x), norm, fft.fft, axis)", complex_examples, DFT),
    "rfft": ("rfft_back(y_bar, shape(x), n, axis, norm)", real_examples, DFT),
    "irfft": ("irfft_back(y_bar, shape(x), axis, norm)", half_examples, DFT),
    "hfft": ("np.conj(irfft_back(y_bar, shape(x), axis, other(norm)))", half_examples, CONJUGATE),
    "ihfft": (
        "rfft_back(np.conj(y_bar), shape(x), n, axis, other(norm))", real_examples, CONJUGATE
    ),
    "fftn": ("several_back(y_bar, shape(x), s, axes, norm, fft.ifftn)", complex_grids, DFT),
    "ifftn": ("several_back(y_bar, shape(x), s, axes, norm, fft.fftn)", complex_grids, DFT),
    "rfftn": ("rfftn_back(y_bar, shape(x), s, axes, norm)", real_grids, DFT),
    "irfftn": ("irfftn_back(y_bar, shape(x), s, axes, norm)", half_grids, DFT),
    "hfftn": ("np.conj(irfftn_back(y_bar, shape(x), s, axes, other(norm)))", half_grids, CONJUGATE),
    "ihfftn": (
        "rfftn_back(np.conj(y_bar), shape(x), s, axes, other(norm))", real_grids, CONJUGATE
    ),
}  # fmt: skip


def with_one_axis(examples: Any) -> Any:
    """One axis, and one length, may be told as an int, unlike in NumPy."""
    return lambda: [
        *examples(),
        (examples()[0][0], Keywords(axes=0)),
        (examples()[0][0], Keywords(s=3, axes=-1)),
    ]


for _name, (_back, _examples, _source) in SPECTRA.items():
    _axes = "s=None, axes=None" if _name.endswith("n") else "n=None, axis=-1"
    linear(
        getattr(fft, _name),
        f"x, {_axes}, norm=None, {ENDS}",
        x=_back,
        refuse=REUSED,
        source=_source,
        examples=with_one_axis(_examples) if _name.endswith("n") else _examples,
    )
    if _name.endswith("n"):
        linear(
            getattr(fft, _name[:-1] + "2"),
            f"x, s=None, axes=(-2, -1), norm=None, {ENDS}",
            x=_back,
            refuse=REUSED,
            source=_source,
            examples=_examples,
        )


# cosine and sine transforms

TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}
ENDS_IN = {("c", 1): (0, -1), ("c", 3): (0,), ("s", 3): (-1,)}
"""Entries of the input that the plain transform counts once, and all others twice."""
ENDS_OUT = {("c", 1): (0, -1), ("c", 2): (0,), ("s", 2): (-1,)}
"""Entries of its result that its orthogonal form has divided by the root of 2."""


def real_transform_back(
    y_bar: Any, of: tuple[int, ...], fn: Any, type: int, axes: Any, s: Any, norm: Any, ortho: Any
) -> Any:
    """Adjoint of dct, dst or an inverse of them, along each of some axes.

    The orthogonal forms are the transposes of each other; a plain one is such a form with ends of
    other weights.
    """
    name = fn.__name__.lstrip("i")
    kind = name[1]
    inverse = fn.__name__.startswith("i")
    own = TRANSPOSED[type] if inverse else type
    one_axis = getattr(fft, ("i" if inverse else "") + f"d{kind}t")
    weights = not (norm == "ortho" if ortho is None else ortho)
    g = y_bar
    for axis in axes_or_last(axes, s, len(of)):
        if weights:
            g = ends_times(g, axis, ENDS_OUT.get((kind, own), ()), 2**0.5)
        g = orthogonal(g, one_axis, TRANSPOSED[type], axis, norm)
        if weights:
            g = ends_times(g, axis, ENDS_IN.get((kind, own), ()), 0.5**0.5)
    return all_fitted(g, of)


def orthogonal(g: Any, fn: Any, type: int, axis: int, norm: Any) -> Any:
    """A transform with orthogonal ends, which SciPy has for real numbers only."""
    if g.dtype.kind == "c":
        parts = [orthogonal(part, fn, type, axis, norm) for part in (g.real, g.imag)]
        return parts[0] + 1j * parts[1]
    return fn(g, type=type, axis=axis, norm=norm, orthogonalize=True)


def ends_times(g: Any, axis: int, ends: tuple[int, ...], factor: float) -> Any:
    """`g` with its entries at these ends of an axis times a factor."""
    if not ends:
        return g
    weights = np.ones(shape(g)[axis], g.real.dtype)
    weights[list(ends)] = factor
    return move_axis(move_axis(g, axis, -1) * weights, -1, axis)


def real_transforms() -> list[tuple[Any, ...]]:
    """All types, scales, and both kinds of ends."""
    return [
        (real(5),),
        (real(3, 4), 3, 6, 0),
        (real(3, 5), 2, 3),
        *[(real(4), type, Keywords(norm="ortho")) for type in (1, 2, 3, 4)],
        *[(real(4), type, Keywords(norm="forward", n=5)) for type in (1, 2, 3, 4)],
        *[(real(3), type, Keywords(orthogonalize=True)) for type in (1, 2, 3, 4)],
        *[(real(3), type, Keywords(orthogonalize=False, norm="ortho")) for type in (1, 2, 3, 4)],
        (real(3) + 1j * real(3, seed=2),),
    ]


def real_grid_transforms() -> list[tuple[Any, ...]]:
    """Several axes."""
    return [
        (real(3, 4),),
        (real(2, 3, 4), 1, Keywords(axes=(0, 2))),
        (real(3, 4), 3, (2, 6), Keywords(axes=(1, 0), norm="ortho")),
        (real(2, 4), 4, Keywords(norm="forward")),
        (real(3, 5), Keywords(s=(4,), orthogonalize=True)),
        (real(3, 5), Keywords(s=4, axes=0)),
    ]


ENDS_KNOWN = "overwrite_x or orthogonalize is not None and np.iscomplexobj(x)"
"""SciPy 1.17 takes no notice of ``orthogonalize`` where numbers are complex."""
COSINES = "the orthogonal forms of types 2 and 3 are transposes, those of 1 and 4 symmetric"
for _name in ("dct", "idct", "dst", "idst"):
    linear(
        getattr(fft, _name),
        "x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,"
        " orthogonalize=None",
        x=f"real_transform_back(y_bar, shape(x), fft.{_name}, type, (axis,), None, norm,"
        " orthogonalize)",
        refuse=ENDS_KNOWN,
        gives="permuted(x); type, n, axis, norm, workers, orthogonalize",
        source=COSINES,
        examples=real_transforms,
    )
    linear(
        getattr(fft, _name + "n"),
        "x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,"
        " orthogonalize=None",
        x=f"real_transform_back(y_bar, shape(x), fft.{_name}, type, axes, s, norm, orthogonalize)",
        refuse=ENDS_KNOWN,
        gives="permuted(x); type, s, axes, norm, workers, orthogonalize",
        source=COSINES,
        examples=real_grid_transforms,
    )

# shifts: NumPy's functions in other clothes

for _name, _back in (("fftshift", "fft.ifftshift"), ("ifftshift", "fft.fftshift")):
    if getattr(fft, _name) is not getattr(np.fft, _name):
        linear(
            getattr(fft, _name),
            "x, axes=None",
            x=f"{_back}(y_bar, axes)",
            gives="same(x); axes",
            source="a permutation",
            examples=shift_examples,
        )
