"""Runs that draw the same random numbers each time and leave the generators as they were."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import TypeVar

import numpy as np

__all__ = ["with_same_randomness"]

__tracebackhide__ = True  # pytest shows the frames of the test alone

T = TypeVar("T")


def with_same_randomness(f: Callable[..., T], *args: object, **kwargs: object) -> T:
    """``f(*args, **kwargs)``, the state of ``random`` and ``np.random`` restored after it.

    Warnings are off: the user's test shows those of the plain run.

    >>> with_same_randomness(random.random) == with_same_randomness(random.random)
    True
    """
    python, numpy = random.getstate(), np.random.get_state()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(*args, **kwargs)
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
