"""Operators of arrays called by name, as ``super().__pow__(p)`` of a subclass does.

An array's operator is a ufunc, which asks its operands for ``__array_ufunc__`` first.
"""

from __future__ import annotations

from typing import Any  # operands

import numpy as np

from astad.runtime.calls.library import run_watched
from astad.runtime.core.full_rules import NUMBERS, Record, Value, callbacks, full
from astad.runtime.core.versions import Versions

__all__ = ["REFLECTED", "UFUNCS"]

UFUNCS: dict[str, np.ufunc] = {
    "__add__": np.add, "__sub__": np.subtract, "__mul__": np.multiply, "__truediv__": np.divide,
    "__matmul__": np.matmul, "__neg__": np.negative, "__abs__": np.absolute, "__pow__": np.power,
    "__pos__": np.positive, "__mod__": np.remainder, "__floordiv__": np.floor_divide,
    "__divmod__": np.divmod,
}  # fmt: skip
REFLECTED = "add sub mul truediv matmul pow mod floordiv divmod"
"""Operators that have a method for the second operand, ``a.__rsub__(b)``."""
_POWERS: dict[float, np.ufunc] = {2: np.square, 0.5: np.sqrt, -1: np.reciprocal, 1: np.positive}
"""What NumPy calls for these exponents."""


def _register(name: str, ufunc: np.ufunc) -> None:
    method: Any = getattr(np.ndarray, name)

    @full(method)
    def forward(versions: Versions, a: Value, *others: Value) -> tuple[Value, Record]:
        plain = all(type(b) in NUMBERS or issubclass(type(b), np.ndarray) for b in others[:1])
        if not plain or others[1:] not in ((), (None,)):
            return run_watched(versions, method, (a, *others), {})
        fn, given = ufunc, others[:1]
        if name == "__pow__" and type(others[0]) in (int, float) and others[0] in _POWERS:
            fn, given = _POWERS[others[0]], ()
        y, record = callbacks.call(versions, fn, a, *given)
        return y, None if record is None else (_pull, record, 1 + len(given), 1 + len(others))


def _pull(shadows: Any, y_bar: Value, record: Record, n: int, count: int) -> Value:
    parts = callbacks.pull(shadows, record, y_bar, n)
    return None if parts is None else [*parts, *[None] * (count - n)]


def _register_reflected(name: str, ufunc: np.ufunc) -> None:
    method: Any = getattr(np.ndarray, name)

    @full(method)
    def forward(versions: Versions, a: Value, other: Value) -> tuple[Value, Record]:
        if type(other) not in NUMBERS and not issubclass(type(other), np.ndarray):
            return run_watched(versions, method, (a, other), {})
        y, record = callbacks.call(versions, ufunc, other, a)
        return y, None if record is None else (_pull_reflected, record)


def _pull_reflected(shadows: Any, y_bar: Value, record: Record) -> Value:
    parts = callbacks.pull(shadows, record, y_bar, 2)
    return None if parts is None else parts[::-1]


for _name, _ufunc in UFUNCS.items():
    _register(_name, _ufunc)
for _name in REFLECTED.split():
    _register_reflected(f"__r{_name}__", UFUNCS[f"__{_name}__"])


@full(np.ufunc.__call__)
def call_by_name(
    versions: Versions, ufunc: Value, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """``getattr(ufunc, method)(*inputs)`` in an ``__array_ufunc__``."""
    y, record = callbacks.call(versions, ufunc, *args, **keywords)
    return y, None if record is None else (_pull_inputs, record, len(args) + len(keywords))


def _pull_inputs(shadows: Any, y_bar: Value, record: Record, n: int) -> Value:
    parts = callbacks.pull(shadows, record, y_bar, n)
    return None if parts is None else [None, *parts]
