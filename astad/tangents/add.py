"""The sum of cotangents, None being zero.

>>> add(None, 2.0), add([1.0, None], [0.5, 3.0]), accum({"a": 1, "b": 2}, {"a": 3})
(2.0, [1.5, 3.0], {'a': 4, 'b': 2})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from astad.errors import RuleError
from astad.tangents.objects import Tangent
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class

__all__ = ["accum", "add"]

_PLAIN: frozenset[type] = frozenset([float, int, complex, np.float64, np.float32, np.ndarray])


def add(a: Any, b: Any) -> Any:  # Any: a cotangent of whatever kind
    """``a + b`` of two cotangents of one value; neither operand is changed, and one of them is
    returned if the other is None."""
    if a is None:
        return b
    if b is None:
        return a
    if type(a) in _PLAIN and type(b) in _PLAIN:
        return a + b
    return _add_structures(a, b)


def accum(*cotangents: Any) -> Any:  # Any: as ``add``
    """The sum of cotangents of one value.

    Parameters
    ----------
    *cotangents
        Numbers, arrays, tuples, namedtuples, lists, mappings, ``Tangent`` records, or ``None`` for
        zero.

    Returns
    -------
    The sum, of the same structure; ``None`` if all are ``None``. Sequences are added element by
    element, mappings and records key by key. No argument is changed. One argument that is not
    ``None`` comes back as it is.

    Raises
    ------
    RuleError : for two structures of different length or kind, arrays of different shapes.

    Examples
    --------
    >>> accum(1, None, 2, 3), accum((1, 2), (3, 4)), accum(None, None)
    (6, (4, 6), None)
    >>> accum({"a": 1}, {"a": 3, "b": 2})
    {'a': 4, 'b': 2}
    """
    total = None
    for cotangent in cotangents:
        _check_alike(total, cotangent)
        total = add(total, cotangent)
    return total


def _check_alike(a: Any, b: Any) -> None:
    """Sums of arrays are not broadcast: two cotangents of one value have its shape."""
    if a is None or b is None:
        return
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        for x, y in zip(a, b, strict=False):  # of other lengths: the sum says so
            _check_alike(x, y)
    elif isinstance(a, (Mapping, Tangent)) and isinstance(b, (Mapping, Tangent)):
        for key in a:
            if key in b:
                _check_alike(a[key], b[key])
    elif isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.shape(a) != np.shape(b):
            raise _different(f"arrays of shapes {np.shape(a)} and {np.shape(b)}")
    elif isinstance(a, (str, bytes)) or isinstance(b, (str, bytes)):
        raise _different(f"a {type(a).__name__} and a {type(b).__name__}")


def _add_structures(a: Any, b: Any) -> Any:
    if type(a) is Refused or type(b) is Refused:
        return a if type(a) is Refused else b
    if isinstance(a, Tangent) and isinstance(b, Tangent):
        return Tangent(**_add_mappings(a.__dict__, b.__dict__))
    if issubclass(type(a), Mapping) and issubclass(type(b), Mapping):
        return _add_mappings(a, b)
    if issubclass(type(a), (list, tuple)) and issubclass(type(b), (list, tuple)):
        return _add_sequences(a, b)
    if isinstance(a, (list, tuple, Mapping, Tangent)) or isinstance(
        b, (list, tuple, Mapping, Tangent)
    ):
        raise _different(f"a {type(a).__name__} and a {type(b).__name__}")
    return a + b


def _add_mappings(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> dict[Any, Any]:
    total = dict(a)
    for key, part in b.items():
        total[key] = add(total.get(key), part)
    return total


def _add_sequences(a: Any, b: Any) -> Any:
    if len(a) != len(b):
        raise _different(f"sequences of {len(a)} and {len(b)} parts")
    parts = [add(x, y) for x, y in zip(a, b, strict=True)]
    if issubclass(type(a), list):
        return parts
    return type(a)(*parts) if has_in_class(type(a), "_fields") else tuple(parts)


def _different(what: str) -> RuleError:
    return RuleError(
        "accum",
        f"sum of {what}",
        why="cotangents of one value have one structure",
        instead="return from each rule a cotangent structured like its argument",
    )
