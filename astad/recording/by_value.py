"""Writes into arrays of which others have a part, as arrays made anew.

A straight text that writes into a view has no fused form. Once that is known, another run is
recorded: in it a write makes the whole array anew, and each view of it, where it is used, is taken
out of that. Which entries a view has is known, for it lies in the memory of the array.

>>> a = np.zeros((2, 3))
>>> places_of(a[:, 1], a), places_of(a.T[2], a), places_of(a.reshape(-1)[::-2], a)
(array([1, 4]), array([2, 5]), array([5, 3, 1]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.recording.recording import Recording, Stale, is_array
from astad.rules.numpy.scatter import entries, put_flat, put_once
from astad.runtime.cotangents.owners import owner_of

__all__ = ["STAYS", "lies_at", "places_of", "put", "put_whole", "whole_of"]

STAYS = "a write into an array of which something else has a part"
LARGEST = 100_000
"""Entries of an array that is made anew with each write."""


def places_of(part: np.ndarray[Any, Any], whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where in the flattened array the entries of a view of it are; both of eight bytes each."""
    start = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    numbers = np.arange(whole.size)
    return np.array(np.ndarray(part.shape, numbers.dtype, numbers, start, part.strides))


def whole_of(recording: Recording, a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array in whose memory it lies, which the text has by a name and may make anew; where it
    has not, the run is refused.
    """
    whole: Any = owner_of(a)
    arrays = [whole, *recording.sharing(a)]
    plain = all(is_array(each) and each.dtype == np.float64 for each in arrays)
    if not (plain and recording.is_followed(whole) and whole.flags.c_contiguous):
        recording.refuse(STAYS)
    if not (whole.ndim and 0 < whole.size <= LARGEST):
        recording.refuse(STAYS)
    return whole  # type: ignore[no-any-return]


def lies_at(v: Any, whole: np.ndarray[Any, Any], places: Any) -> bool:
    """Is it the very part of an array that lies at these places?"""
    if not is_array(v) or owner_of(v) is not whole or v.shape != np.shape(places):
        return False
    return np.array_equal(places_of(v, whole), places)


def put_whole(recording: Recording, a: Any, text: str) -> None:
    """An array holds, from now on, what the text says."""
    if recording.is_alone(a):
        name = recording.name()
        recording.say(f"{name} = {text}")
        recording.array(a, name)
    elif recording.bounds.by_value:
        whole = whole_of(recording, a)
        put(recording, whole, places_of(a, whole), text)
    else:
        recording.views = True
        recording.say(f"{recording.word(a)}[:] = {text}")


def put(recording: Recording, whole: Any, places: Any, word: str) -> None:
    """Something is written at these places of an array; the array has it already."""
    name = recording.name()
    given = f"{recording.word(whole)}, {recording.constant(places)}, {word}"
    is_once = np.unique(places).size == np.size(places)
    recording.say(f"{name} = {recording.constant(put_once if is_once else put_flat)}({given})")
    recording.array(whole, name)
    take = recording.constant(entries)
    for part in recording.sharing(whole):
        own = recording.constant(places_of(part, whole))
        kind = f"ndarray{part.ndim}" if part.ndim else "double"
        recording.words[id(part)] = Stale(f"{take}({name}, {own}, {kind!r})")
