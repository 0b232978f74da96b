"""A switch for those who look for a nan: each cotangent is checked as it is formed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from astad import settings
from astad.runtime.core.variants import forget_all

__all__ = ["checked"]


@contextmanager
def checked(on: bool = True) -> Iterator[None]:
    """Inside, each cotangent is checked as it is formed: one that is nan or infinite, or that has
    another shape or dtype than its value, is an error at the line of the user's it belongs to.

    What the seed itself holds is no error. Gradients take many times longer inside, since no
    specialised code is used, and no time more outside. It is on in all threads; ``ASTAD_CHECKS=1``
    puts it on for a whole program.

    Raises
    ------
    WrongCotangent : from the reverse sweeps that run inside.

    Examples
    --------
    >>> import math, astad
    >>> with astad.checked():
    ...     astad.gradient(math.sin, 0.0)
    (1.0,)
    """
    before, settings.checks = settings.checks, on
    forget_all()
    try:
        yield
    finally:
        settings.checks = before
        forget_all()
