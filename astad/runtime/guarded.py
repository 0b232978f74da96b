"""What the guards of generated variants compare with."""

from __future__ import annotations

from types import NoneType

from numpy import dtype, ndarray
from numpy import float64 as _float64

__all__ = ["INERT_TYPES", "REALS", "float64", "ndarray"]

REALS = frozenset({_float64})
INERT_TYPES = frozenset({NoneType, str, bool, bytes})
float64 = dtype(_float64)
