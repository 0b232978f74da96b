"""A cotangent that cannot be had, and does no harm until someone asks for it.

A rule without a derivative in one argument cannot know whether that argument is a constant. So the
reverse sweep goes on with a cotangent that absorbs what it meets, as nan does; where it reaches an
argument of the user's, its error is raised.

>>> import numpy as np
>>> from astad.errors import MissingRule
>>> error = MissingRule("zeta", "call of zeta", why="no rule", instead="hold it constant")
>>> refused = Refused(error)
>>> (2.0 * refused + 1.0) is refused, np.sum(np.ones(3) * refused) is refused
(True, True)
"""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any, NoReturn

from astad.errors import AstadError

__all__ = ["Refused"]


class Refused:
    """The absorbing cotangent.

    Parameters
    ----------
    error : AstadError
        Raised by ``ask``, with the traceback of the place where the Refused was made.
    """

    __slots__ = ("error",)

    def __init__(self, error: AstadError) -> None:
        self.error = error.with_traceback(_traceback_here())

    def ask(self, *options: Any, **more: Any) -> NoReturn:
        """Raise the error: the cotangent is asked for."""
        raise self.error

    def _absorb(self, *others: Any, **options: Any) -> Refused:  # Any: whatever it meets
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        _absorb
    )
    __float__ = __complex__ = __array__ = tolist = ask  # put into a buffer of numbers
    __matmul__ = __rmatmul__ = __pow__ = __neg__ = __pos__ = __abs__ = __getitem__ = _absorb
    conjugate = sum = reshape = astype = copy = transpose = dot = mean = ravel = _absorb
    real = imag = T = property(_absorb)
    shape = ndim = size = dtype = property(ask)  # text written for arrays goes by them
    __index__ = __int__ = __len__ = ask
    __array_ufunc__ = __array_function__ = _absorb
    __iter__ = None

    def __setitem__(self, key: Any, value: Any) -> None:  # Any: as in an array
        """What is added to a part of it changes nothing."""

    def __repr__(self) -> str:
        return f"Refused({self.error})"


def _traceback_here() -> TracebackType | None:
    """The frames of the reverse sweep that led here, as if the error had been raised here."""
    found: TracebackType | None = None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and (found is None or _is_of_the_sweep(frame)):
        found = TracebackType(found, frame, frame.f_lasti, frame.f_lineno)
        frame = frame.f_back
    return found


def _is_of_the_sweep(frame: FrameType) -> bool:
    """Of astad, or of a function that it generated."""
    names = frame.f_globals
    return str(names.get("__name__")).startswith("astad.") or "__astad__" in names
