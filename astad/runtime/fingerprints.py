"""A number for the content of an array: has it been written since?

>>> a = np.arange(4.0)
>>> before = fingerprint(a)
>>> a[::2] = a[::-2]
>>> fingerprint(a) == before
False
"""

from __future__ import annotations

import numpy as np

from astad.runtime.owners import Array

__all__ = ["fingerprint"]

_SMALL = 8192
_ROW = 4096


def _mixed(n: int) -> Array:
    """Odd numbers without a pattern (the steps and the factor of SplitMix64), and without
    `numpy.random`, of which the import takes 10 ms.
    """
    steps = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((steps ^ (steps >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)) | np.uint64(1)


_WEIGHTS = _mixed(_ROW)
_bytes_of = np.ndarray.tobytes
"""Also of a subclass: a masked array's own method sets an attribute, which its constants refuse."""


def fingerprint(a: Array) -> int:
    """A hash of the bytes of an array; of objects, of which they are.

    A large one costs 1.7 times what a product with a number does.
    """
    if a.nbytes <= _SMALL:
        return hash(_bytes_of(a))
    flat = np.ascontiguousarray(a).reshape(-1)
    if flat.dtype.hasobject:
        return hash(flat.tobytes())
    data = flat.view(np.uint8)
    whole = data.size // (8 * _ROW) * 8 * _ROW
    rows = data[:whole].view(np.uint64).reshape(-1, _ROW)
    sums = np.einsum("ij,j->i", rows, _WEIGHTS)  # modulo 2**64
    return hash((sums.tobytes(), data[whole:].tobytes()))
