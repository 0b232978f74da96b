"""An array or list that is filled by item, and then given out whole: for code that was written
against Zygote, where a plain array cannot be written.

It is a class like any of the user's, and compiled from its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from astad.errors import WrongCall

__all__ = ["Buffer"]


class Buffer:
    """An array, or a list, that is written by item; ``copy()`` gives it as it then is.

    Arrays and lists of the user's can be written just as well: ``np.zeros(3)`` in place of
    ``Buffer(xs)`` has the same gradients.

    Parameters
    ----------
    xs : ndarray or list
        What it is like: of its dtype, or a list. Its numbers are not taken over; there are zeros.
    *shape : int
        The shape, if it is another than that of ``xs``; of a list its length.

    Raises
    ------
    WrongCall : if ``xs`` is neither an array nor a list, or a list is to have several sizes.

    Examples
    --------
    >>> import astad
    >>> def stacked(xs):
    ...     buf = astad.Buffer(xs, len(xs), 5)
    ...     for i in range(5):
    ...         buf[:, i] = xs
    ...     return np.sum(buf.copy())
    >>> astad.gradient(stacked, np.array([1.0, 2.0, 3.0]))
    (array([5., 5., 5.]),)
    """

    __slots__ = ("data",)

    def __init__(self, xs: Any, *shape: int) -> None:
        if isinstance(xs, np.ndarray):
            self.data: Any = np.zeros(shape, xs.dtype) if shape else np.zeros(xs.shape, xs.dtype)
        elif isinstance(xs, list) and len(shape) <= 1:
            self.data = [0.0] * (shape[0] if shape else len(xs))
        else:
            raise _refused(xs, shape)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[key] = value

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.data)

    def copy(self) -> Any:
        """A plain array or list of what was written."""
        return self.data.copy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise WrongCall(
            "astad.Buffer", "a buffer where NumPy takes an array",
            why="it is one that is still being written",
            instead="call buf.copy(), which gives the array",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Buffer of {self.data!r}"


def _refused(xs: Any, shape: tuple[int, ...]) -> WrongCall:
    if isinstance(xs, list):
        return WrongCall(
            "astad.Buffer", f"a list of {len(shape)} sizes", why="a list has one, its length",
            instead="hand over an array: Buffer(np.array(xs), ...)",
        )  # fmt: skip
    return WrongCall(
        "astad.Buffer", f"a buffer like a {type(xs).__name__}",
        why="a buffer is an array or a list",
        instead="hand over one of these: np.array(xs), list(xs), or [x] for a number",
    )  # fmt: skip
