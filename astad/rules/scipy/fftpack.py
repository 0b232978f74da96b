"""Rules of scipy.fftpack: the transforms of scipy.fft under older names of their parameters.

>>> import numpy
>>> from astad import gradient
>>> gradient(lambda x: float(fftpack.dct(x)[0]), numpy.array([1.0, 3.0]))
(array([2., 2.]),)
"""

# ruff: noqa: F401  the texts of the formulas name what is imported

from __future__ import annotations

from typing import Any

from numpy import shape
from scipy import fft, fftpack

from astad.rules.numpy.fft import DFT, several_back, transformed_back
from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import Keywords, linear
from astad.rules.scipy.fft import COSINES, real_transform_back

__all__: list[str] = []

size_of = shape
"""Under a name that is not a parameter's."""


def one_axis() -> list[tuple[Any, ...]]:
    """Longer, shorter, along another axis; of complex numbers."""
    return [
        (real(5),),
        (real(4), 6),
        (real(3, 5), 3, 0),
        (real(2, 4), Keywords(axis=0)),
        (imaginary(3, 4), 2),
    ]


def several_axes() -> list[tuple[Any, ...]]:
    """The same of two axes."""
    return [(real(3, 4),), (imaginary(2, 3), (4, 2)), (real(2, 3, 4), Keywords(axes=(0, 2)))]


for _name, _inverse in (("fft", "ifft"), ("ifft", "fft")):
    linear(
        getattr(fftpack, _name),
        "x, n=None, axis=-1, overwrite_x=False",
        x=f"transformed_back(y_bar, shape(x), None, fft.{_inverse}, axis)",
        refuse="overwrite_x",
        source=DFT,
        examples=one_axis,
    )
    for _more, _axes in (("2", "(-2, -1)"), ("n", "None")):
        linear(
            getattr(fftpack, _name + _more),
            f"x, shape=None, axes={_axes}, overwrite_x=False",
            x=f"several_back(y_bar, size_of(x), shape, axes, None, fft.{_inverse}n)",
            refuse="overwrite_x",
            source=DFT,
            examples=several_axes,
        )


def cosine_examples() -> list[tuple[Any, ...]]:
    """All types and both scales."""
    return [
        (real(3, 4), 3, 6, 0),
        *[(real(4), type) for type in (1, 2, 3, 4)],
        *[(real(5), type, Keywords(norm="ortho")) for type in (1, 2, 3, 4)],
    ]


def cosine_grids() -> list[tuple[Any, ...]]:
    """Several axes."""
    return [(real(3, 4),), (real(3, 4), 3, (2, 6), Keywords(axes=(1, 0), norm="ortho"))]


def otherwise(type: int) -> int:
    """The type of an inverse as a transform of the other direction: no plain form divides."""
    return {1: 1, 2: 3, 3: 2, 4: 4}[type]


for _name in ("dct", "idct", "dst", "idst"):
    _how = f"fft.{_name[-3:]}, {'otherwise(type)' if _name[0] == 'i' else 'type'}"
    linear(
        getattr(fftpack, _name),
        "x, type=2, n=None, axis=-1, norm=None, overwrite_x=False",
        x=f"real_transform_back(y_bar, shape(x), {_how}, (axis,), None, norm, None)",
        refuse="overwrite_x",
        gives="permuted(x); type, n, axis, norm",
        source=COSINES,
        examples=cosine_examples,
    )
    linear(
        getattr(fftpack, _name + "n"),
        "x, type=2, shape=None, axes=None, norm=None, overwrite_x=False",
        x=f"real_transform_back(y_bar, size_of(x), {_how}, axes, shape, norm, None)",
        refuse="overwrite_x",
        gives="permuted(x); type, shape, axes, norm",
        source=COSINES,
        examples=cosine_grids,
    )
