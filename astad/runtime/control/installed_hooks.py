"""Functions of the program's that it installs for what may happen at any time: handlers of signals,
and what NumPy calls at an error of floating point numbers.

Each is watched from then on. What it stores is refused where it is read again: on the way back the
installation comes after all that happened since.
"""

from __future__ import annotations

import signal
import weakref
from typing import Any

import numpy as np

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.unseen.unrecorded import Place, Reach, refuse_places, take_places
from astad.runtime.unseen.writing_code import writers_behind
from astad.tangents.refused import Refused
from astad.tangents.unasked import callable_name

__all__ = ["Installed"]

_signals: Any = vars(signal)["_signal"]  # where the functions of C are


class Installed:
    """A function, or an object with a ``write``, as it is installed; with what its calls stored."""

    def __init__(self, versions: Versions, fn: Value) -> None:
        self.fn = fn
        self._versions = weakref.ref(versions)
        self._before = {(id(each.holder), each.at): each.number for each in Reach((fn,)).numbers}
        self._calls: list[tuple[list[Place], list[Place]]] = []

    def __call__(self, *args: Value) -> Value:
        return self._run(self.fn, args)

    def write(self, message: str) -> None:
        self._run(self.fn.write, (message,))

    def _run(self, fn: Value, args: tuple[Value, ...]) -> Value:
        versions = self._versions()
        if versions is None:  # the sweep is over
            return fn(*args)
        before = Reach((self.fn,), departed=versions.departed)
        y = fn(*args)
        stored = before.stored(None)
        if stored:
            self._calls.append((stored, before.numbers))
        return y

    def pull(self, shadows: Shadows) -> None:
        """Refused to what they could reach and what was there at the installation; where there was
        something else since, at once.
        """
        for stored, numbers in reversed(self._calls):
            if not any(take_places(shadows, stored)):
                continue
            error = Unsupported(
                callable_name(self.fn),
                "a derivative through what this handler has stored",
                why="it is called while something else runs, which is not recorded",
                instead="keep the numbers yourself, outside of the handler",
            )
            if any(self._before.get((id(h), at)) is not number for h, at, number in numbers):
                raise error
            refuse_places(shadows, numbers, Refused(error))


def _installed(versions: Versions, fn: Value) -> tuple[Value, Record]:
    """What is installed in the place of a function."""
    if not writers_behind((fn,)):
        return fn, None
    made = Installed(versions, fn)
    return made, (pull_installed, made)


def pull_installed(shadows: Shadows, y_bar: Value, made: Installed) -> None:
    made.pull(shadows)


def _own(fn: Value) -> Value:
    """The user's function behind what is installed."""
    return fn.fn if type(fn) is Installed else fn


@full(np.errstate)
def errstate_forward(versions: Versions, /, **keywords: Value) -> tuple[Value, Record]:
    if "call" not in keywords:
        return np.errstate(**keywords), None
    call, record = _installed(versions, keywords["call"])
    return np.errstate(**{**keywords, "call": call}), record


@full(np.seterrcall)
def seterrcall_forward(versions: Versions, func: Value) -> tuple[Value, Record]:
    call, record = _installed(versions, func)
    return _own(np.seterrcall(call)), record


@full(np.geterrcall)
def geterrcall_forward(versions: Versions) -> tuple[Value, Record]:
    return _own(np.geterrcall()), None


@full(_signals.signal)
def signal_forward(versions: Versions, number: Value, handler: Value, /) -> tuple[Value, Record]:
    call, record = _installed(versions, handler)
    return _own(_signals.signal(number, call)), record


@full(_signals.getsignal)
def getsignal_forward(versions: Versions, number: Value, /) -> tuple[Value, Record]:
    return _own(_signals.getsignal(number)), None
