"""Products and quotients of cotangents that give 0 where the incoming cotangent is exactly 0.

Generated text calls these where a formula is singular at a finite point and its operands may be there.

>>> import numpy as np
>>> safe_quotient(np.array([0.0, 3.0]), 1, np.array([0.0, 2.0]))
array([0. , 1.5])
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["safe_product", "safe_quotient"]


def safe_quotient(y_bar: Any, numerator: Any, denominator: Any) -> Any:
    """``y_bar * numerator / denominator``; 0 where y_bar is 0, without a warning."""
    if denominator.all() if isinstance(denominator, np.ndarray) else denominator:
        return y_bar * numerator / denominator
    with np.errstate(all="ignore"):
        return _without_zeros(y_bar, np.divide(y_bar * numerator, denominator))


def safe_product(y_bar: Any, factor: Any) -> Any:
    """``y_bar * factor``; 0 where y_bar is 0, without a warning."""
    with np.errstate(all="ignore"):
        return _without_zeros(y_bar, y_bar * factor)


def _without_zeros(y_bar: Any, product: Any) -> Any:
    if np.ndim(product) == 0:
        return product if y_bar else product * 0 if product == product and abs(product) != np.inf else 0.0
    return np.where(np.equal(y_bar, 0), product.dtype.type(0), product)
