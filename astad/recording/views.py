"""Views that NumPy makes by strides, and subscripts that it makes by counts.

A text has windows of an array as entries that are taken out of it, which they are while nobody
writes to the array: then the run is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad.recording.by_value import places_of
from astad.recording.recording import INERT, is_array, without_wholes
from astad.recording.run import Run
from astad.runtime.cotangents.owners import owner_of

__all__ = ["of_counts", "strided", "windows"]


def of_counts(fn: Any) -> Callable[..., Any]:
    """``np.triu_indices`` and the like: the same in every run."""

    def apply(run: Run, *args: Any, **keywords: Any) -> Any:
        plain = [_count(run, v) for v in args]
        named = {name: _count(run, v) for name, v in keywords.items()}
        return run.recording.fresh(tuple(map(run.recording.fresh, fn(*plain, **named))))

    return apply


def _count(run: Run, v: Any) -> Any:
    """A whole number, or some of them in a tuple."""
    if type(v) is tuple:
        return tuple(_count(run, each) for each in v)
    v = without_wholes(v)
    if type(v) not in INERT:
        run.recording.refuse(f"a count that is a {type(v).__name__}")
    return v


def windows(run: Run, x: Any, window_shape: Any, axis: Any = None, **keywords: Any) -> Any:
    """``sliding_window_view``."""
    if not is_array(x) or run.recording.is_doubled(x) or any(keywords.values()):
        run.recording.refuse("windows of what is no array of numbers, or that may be written to")
    return _view(run, sliding_window_view, x, _count(run, window_shape), _count(run, axis))


def strided(run: Run, x: Any, shape: Any = None, strides: Any = None, **keywords: Any) -> Any:
    """``as_strided`` within the memory of an array of floats."""
    shape, strides = _count(run, shape), _count(run, strides)
    whole: Any = owner_of(x) if is_array(x) else None
    recording = run.recording
    is_known = is_array(whole) and (recording.is_followed(whole) or recording.is_settled(whole))
    is_plain = is_known and whole.dtype == x.dtype == np.float64 and whole.flags.c_contiguous
    if not is_plain or keywords.get("subok") or len(recording.levels) > 1:
        recording.refuse("strides of what is no array of floats that lie one by one")
    y = as_strided(x, shape, strides)
    ends = [(n - 1) * step for n, step in zip(y.shape, y.strides, strict=True)]
    start = _address(y) - _address(whole)
    least, most = (start + sum(each for each in ends if each * side > 0) for side in (-1, 1))
    is_inside = y.size and least >= 0 and most <= (whole.size - 1) * 8
    if not is_inside or any(step % 8 for step in (start, *y.strides)):
        run.recording.refuse("strides that lead out of an array")
    return _entries(run, whole, places_of(y, whole), y)


def _address(a: Any) -> int:
    return int(a.__array_interface__["data"][0])


def _view(run: Run, fn: Any, x: Any, *args: Any) -> Any:
    """What ``fn`` gives a view of."""
    at = np.arange(x.size).reshape(x.shape)
    return _entries(run, x, np.array(fn(at, *args)), fn(x, *args))


def _entries(run: Run, x: Any, at: Any, y: Any) -> Any:
    """``y`` as the entries of an array, by their places in it when it is flattened."""
    recording = run.recording
    run.attribute(x, "shape")  # the text is for arrays of this one
    text = f"{recording.word(x)}.reshape(-1)[{recording.word(recording.fresh(at))}]"
    made = recording.result(text, y)
    recording.windowed.add(id(owner_of(x)))
    return made
