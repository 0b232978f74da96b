"""Rules of Fourier transforms: the adjoint is the inverse transform, with the other scale.

>>> import numpy
>>> transformed_back(numpy.array([1.0, 0.0]), (3,), None, numpy.fft.ifft, -1)   # n=2 cut one off
array([1.+0.j, 1.+0.j, 0.+0.j])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import concatenate, shape, zeros
from numpy.fft import fftn, ifftn, irfft, rfft

from astad.rules.numpy.axes import move_axis
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear, rule

DFT = "the DFT matrix is symmetric, and unitary up to its scale"
NO_OUT = "out is not None"


def other(norm: Any) -> Any:
    """The scale with which the inverse transform is the adjoint."""
    return {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]


def fitted(g: Any, length: int, axis: int) -> Any:
    """`g` with zeros for what was cut off, without what had been filled up."""
    rows = move_axis(g, axis, 0)
    short = length - shape(rows)[0]
    if short > 0:
        rows = concatenate([rows, zeros((short,) + shape(rows)[1:])], axis=0)
    return move_axis(rows[:length], 0, axis)


def all_fitted(g: Any, of: tuple[int, ...]) -> Any:
    """`fitted` along all axes."""
    for k in range(len(of)):
        if shape(g)[k] != of[k]:
            g = fitted(g, of[k], k)
    return g


# one axis


def transformed_back(y_bar: Any, of: tuple[int, ...], norm: Any, inverse: Any, axis: int) -> Any:
    """Adjoint of fft (`inverse`: ifft) or of ifft (`inverse`: fft)."""
    return all_fitted(inverse(y_bar, axis=axis, norm=other(norm)), of)


def weighted(g: Any, n: int, axis: int, middle: float) -> Any:
    """Half a spectrum of `n` points with the entries that stand for two times `middle`."""
    rows = move_axis(g, axis, -1)
    last = shape(rows)[-1]
    weights = np.full(last, middle)
    weights[0] = 1.0
    if n % 2 == 0 and last == n // 2 + 1:
        weights[-1] = 1.0
    return move_axis(rows * weights, -1, axis)


def rfft_back(y_bar: Any, of: tuple[int, ...], n: Any, axis: int, norm: Any) -> Any:
    """Adjoint of rfft."""
    points = of[axis] if n is None or n == -1 else n
    half = weighted(y_bar, points, axis, 0.5)
    return all_fitted(irfft(half, n=points, axis=axis, norm=other(norm)), of)


def irfft_back(y_bar: Any, of: tuple[int, ...], axis: int, norm: Any) -> Any:
    """Adjoint of irfft."""
    whole = rfft(y_bar, axis=axis, norm=other(norm))
    return all_fitted(weighted(whole, shape(y_bar)[axis], axis, 2.0), of)


ONE = "a, n=None, axis=-1, norm=None, out=None"


def one_axis(make: Any) -> list[tuple[Any, ...]]:
    """Examples of transforms along one axis."""
    return [
        (make(5),),
        (make(3, 4),),
        (make(4), 6),
        (make(3, 5), 3, 0),
        (make(2, 4), Keywords(axis=0, norm="ortho")),
        (make(4), Keywords(n=2, norm="forward")),
    ]


def complex_examples() -> list[tuple[Any, ...]]:
    """Of real and of complex numbers."""
    return one_axis(real) + one_axis(imaginary)


def real_examples() -> list[tuple[Any, ...]]:
    """Of real numbers."""
    return one_axis(real)


def half_examples() -> list[tuple[Any, ...]]:
    """Of half spectra."""
    return one_axis(imaginary) + [(imaginary(3), 5), (real(4),)]


linear(
    np.fft.fft,
    ONE,
    a="transformed_back(y_bar, shape(a), norm, np.fft.ifft, axis)",
    refuse=NO_OUT,
    complexes="made",
    source=DFT,
    examples=complex_examples,
)
linear(
    np.fft.ifft,
    ONE,
    a="transformed_back(y_bar, shape(a), norm, np.fft.fft, axis)",
    refuse=NO_OUT,
    complexes="made",
    source=DFT,
    examples=complex_examples,
)
linear(
    np.fft.rfft,
    ONE,
    a="rfft_back(y_bar, shape(a), n, axis, norm)",
    refuse=NO_OUT,
    complexes="made of reals",
    source=DFT,
    examples=real_examples,
)
linear(
    np.fft.irfft,
    ONE,
    a="irfft_back(y_bar, shape(a), axis, norm)",
    refuse=NO_OUT,
    complexes="taken",
    source=DFT,
    examples=half_examples,
)
linear(
    np.fft.hfft,
    ONE,
    a="np.conj(irfft_back(y_bar, shape(a), axis, other(norm)))",
    refuse=NO_OUT,
    complexes="taken",
    source="irfft of the conjugate, the scale of the other direction",
    examples=half_examples,
)
linear(
    np.fft.ihfft,
    ONE,
    a="rfft_back(np.conj(y_bar), shape(a), n, axis, other(norm))",
    refuse=NO_OUT,
    complexes="made of reals",
    source="conjugate of rfft, the scale of the other direction",
    examples=real_examples,
)


# several axes


def axes_or_last(axes: Any, s: Any, rank: int) -> tuple[int, ...]:
    """The axes transformed: the last ones, as many as there are lengths. SciPy takes one of either
    as an int.
    """
    if axes is not None:
        return tuple([k % rank for k in ((axes,) if np.ndim(axes) == 0 else axes)])
    return tuple(range(rank)) if s is None else tuple(range(rank - np.size(s), rank))


def several_back(
    y_bar: Any, of: tuple[int, ...], s: Any, axes: Any, norm: Any, inverse: Any
) -> Any:
    """Adjoint of fftn (`inverse`: ifftn) or of ifftn (`inverse`: fftn)."""
    return all_fitted(inverse(y_bar, axes=axes_or_last(axes, s, len(of)), norm=other(norm)), of)


def rfftn_back(y_bar: Any, of: tuple[int, ...], s: Any, axes: Any, norm: Any) -> Any:
    """Adjoint of rfftn: the last of the axes is the real one."""
    every = axes_or_last(axes, s, len(of))
    g = ifftn(y_bar, axes=every[:-1], norm=other(norm)) if len(every) > 1 else y_bar
    return all_fitted(
        rfft_back(
            g,
            fitted_shape(g, of, every[-1]),
            None if s is None else np.ravel(s)[-1],
            every[-1],
            norm,
        ),
        of,
    )


def fitted_shape(g: Any, of: tuple[int, ...], axis: int) -> Any:
    """Shape of `g`, but along `axis` that of the input."""
    return shape(g)[:axis] + (of[axis],) + shape(g)[axis + 1 :]


def irfftn_back(y_bar: Any, of: tuple[int, ...], s: Any, axes: Any, norm: Any) -> Any:
    """Adjoint of irfftn."""
    every = axes_or_last(axes, s, len(of))
    g = weighted(
        rfft(y_bar, axis=every[-1], norm=other(norm)), shape(y_bar)[every[-1]], every[-1], 2.0
    )
    return all_fitted(fftn(g, axes=every[:-1], norm=other(norm)) if len(every) > 1 else g, of)


def several_axes(make: Any) -> list[tuple[Any, ...]]:
    """Examples of transforms along several axes."""
    return [
        (make(3, 4),),
        (make(2, 3, 4), Keywords(axes=(0, 2))),
        (make(3, 4), (2, 6), Keywords(axes=(1, 0))),
        (make(2, 4), Keywords(norm="ortho")),
        (make(3, 5), Keywords(s=(4, 4), axes=(-2, -1), norm="forward")),
    ]


def complex_grids() -> list[tuple[Any, ...]]:
    """Of real and of complex numbers."""
    return several_axes(real) + several_axes(imaginary)


def real_grids() -> list[tuple[Any, ...]]:
    """Of real numbers."""
    return several_axes(real)


def half_grids() -> list[tuple[Any, ...]]:
    """Of half spectra."""
    return several_axes(imaginary)


SEVERAL = "a, s=None, axes=None, norm=None, out=None"
TWO = "a, s=None, axes=(-2, -1), norm=None, out=None"
linear(
    np.fft.fftn,
    SEVERAL,
    a="several_back(y_bar, shape(a), s, axes, norm, ifftn)",
    refuse=NO_OUT,
    complexes="made",
    source=DFT,
    examples=complex_grids,
)
linear(
    np.fft.ifftn,
    SEVERAL,
    a="several_back(y_bar, shape(a), s, axes, norm, fftn)",
    refuse=NO_OUT,
    complexes="made",
    source=DFT,
    examples=complex_grids,
)
linear(
    np.fft.rfftn,
    SEVERAL,
    a="rfftn_back(y_bar, shape(a), s, axes, norm)",
    refuse=NO_OUT,
    complexes="made of reals",
    source=DFT,
    examples=real_grids,
)
linear(
    np.fft.irfftn,
    SEVERAL,
    a="irfftn_back(y_bar, shape(a), s, axes, norm)",
    refuse=NO_OUT,
    complexes="taken",
    source=DFT,
    examples=half_grids,
)
linear(
    np.fft.fft2,
    TWO,
    a="several_back(y_bar, shape(a), s, axes, norm, ifftn)",
    refuse=NO_OUT,
    complexes="made",
    source=DFT,
    examples=complex_grids,
)
linear(
    np.fft.ifft2,
    TWO,
    a="several_back(y_bar, shape(a), s, axes, norm, fftn)",
    refuse=NO_OUT,
    complexes="made",
    source=DFT,
    examples=complex_grids,
)
linear(
    np.fft.rfft2,
    TWO,
    a="rfftn_back(y_bar, shape(a), s, axes, norm)",
    refuse=NO_OUT,
    complexes="made of reals",
    source=DFT,
    examples=real_grids,
)
linear(
    np.fft.irfft2,
    TWO,
    a="irfftn_back(y_bar, shape(a), s, axes, norm)",
    refuse=NO_OUT,
    complexes="taken",
    source=DFT,
    examples=half_grids,
)


def shift_examples() -> list[tuple[Any, ...]]:
    """Odd and even lengths."""
    return [(real(5),), (real(3, 4),), (real(3, 4), 1), (imaginary(3, 2), Keywords(axes=(0,)))]


linear(
    np.fft.fftshift,
    "x, axes=None",
    x="np.fft.ifftshift(y_bar, axes)",
    gives="same(x); axes",
    complexes="kept",
    source="a permutation",
    examples=shift_examples,
)
linear(
    np.fft.ifftshift,
    "x, axes=None",
    x="np.fft.fftshift(y_bar, axes)",
    gives="same(x); axes",
    complexes="kept",
    source="a permutation",
    examples=shift_examples,
)
for each in (np.fft.fftfreq, np.fft.rfftfreq):
    rule(
        each,
        "n, d=1.0",
        d="-np.sum(y_bar * y) / d",
        gives="counted(n, d)",
        source="y[k] = k / (n * d)",
        examples=[(8, 0.5), (5, 2.0)],
    )
