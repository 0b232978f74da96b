"""Rules of the compiled Fourier filters of scipy.ndimage: products with a fixed spectrum.

>>> from scipy.ndimage import fourier_gaussian
>>> one = np.array([0.0, 1.0, 0.0])
>>> np.allclose(fourier_filter(one, np.array([2.0]), -1, 0, None, 0), fourier_gaussian(one, 2.0))
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import _nd_image

from astad.rules.numpy.samples import imaginary, real
from astad.rules.registry import linear
from astad.rules.scipy.filling import kernel

__all__: list[str] = []


def spectra() -> list[tuple[Any, ...]]:
    """Real and complex, whole and half spectra, all shapes of the filter."""
    sizes = np.array([1.3, 2.1])
    found: list[tuple[Any, ...]] = [
        (make(4, 3), sizes, -1, 1, None, kind) for make in (real, imaginary) for kind in (0, 1, 2)
    ]
    return [*found, (imaginary(4, 3), sizes, 5, 1, None, 0)]


fourier_filter = kernel(_nd_image, "fourier_filter", 4)
if fourier_filter is not None:
    linear(
        fourier_filter,
        "input, sizes, n, axis, out, kind",
        input="fourier_filter(y_bar, sizes, n, axis, None, kind)",
        missing={"sizes": "of the sizes of a Fourier filter"},
        source="a product with real factors",
        examples=spectra,
    )


def shifted_spectra() -> list[tuple[Any, ...]]:
    """Whole and half spectra."""
    distances = np.array([1.3, -0.4])
    return [
        (imaginary(4, 3), distances, -1, 1, None),
        (imaginary(4, 3), distances, 5, 1, None),
        (imaginary(3, 4), distances, 6, 0, None),
    ]


fourier_shift = kernel(_nd_image, "fourier_shift", 4)
if fourier_shift is not None:
    linear(
        fourier_shift,
        "input, shifts, n, axis, out",
        input="fourier_shift(y_bar, -shifts, n, axis, None)",
        missing={"shifts": "of the distance of a Fourier shift"},
        source="a product with factors of modulus 1",
        examples=shifted_spectra,
    )
