"""Functions that make views by strides: the view's shadow is the same view of the shadow."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad.runtime.full_rules import Record, Value, full, opaque
from astad.runtime.owners import owner_of
from astad.runtime.versions import Versions

__all__: list[str] = []


def _make_rule(function: Value) -> None:
    @full(function)
    def forward(
        versions: Versions, x: Value, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        y = function(x, *args, **keywords)
        if issubclass(type(x), np.ndarray) and owner_of(y) is owner_of(x):
            return y, None
        return y, opaque(function.__name__, y)


for _function in (as_strided, sliding_window_view):
    _make_rule(_function)
