"""Arrays that compiled code may have filled with what was in them already.

A kernel that writes its result into a buffer, called again, leaves the buffer as it was: the
contents do not tell that they come from other numbers now. What gives nothing back has done
something, so it is taken to have written all that it can write.

>>> buffer = np.zeros(2)
>>> arrays_in((2.0, [buffer, np.zeros(1, int)], {"a": buffer}))
[array([0., 0.])]
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from astad.errors import AstadError, Unsupported
from astad.runtime.core.departed import exporter
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows
from astad.runtime.cotangents.owners import Array
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import LEAVES
from astad.tangents.refused import Refused
from astad.tangents.zero import has_identity

__all__ = [
    "arrays_in", "counts_in", "filled", "fills_counts", "is_of_ints", "may_fill",
]  # fmt: skip

_CONTAINERS = (list, tuple, dict)
MOST = 1000
"""Parts of the operands that are looked at."""


def arrays_in(operands: Iterable[Value]) -> list[Array]:
    """The arrays of floats that somebody may write to, in containers and behind pointers too."""
    found: dict[int, Array] = {}
    waiting, seen = list(operands), set[int]()
    while waiting and len(seen) < MOST:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if issubclass(type(part), np.ndarray):
            if part.flags.writeable and part.dtype.kind in "fc":
                found[id(part)] = part
        elif type(part) is memoryview:
            waiting.append(exporter(part))
        elif not issubclass(type(part), type) and (
            issubclass(type(part), _CONTAINERS) or _is_of_ctypes(type(part))
        ):
            held = gc.get_referents(part)
            kinds = set(map(type, held))
            waiting += () if _FLAT.issuperset(kinds) else held
    return list(found.values())


_FLAT = LEAVES - {np.ndarray}


def counts_in(operands: Iterable[Value]) -> list[Array]:
    """The operands that are arrays of whole numbers or truths and may be written."""
    arrays = (each for each in operands if issubclass(type(each), np.ndarray))
    return [a for a in arrays if a.flags.writeable and a.dtype.kind in "iub"]


def fills_counts(fn: Any) -> bool:
    """May a compiled function write whole numbers that it computes from whole numbers? NumPy's and
    the standard library's give them back.
    """
    library = _library_of(fn)
    return library != "numpy" and library not in sys.stdlib_module_names


def _library_of(fn: Any) -> str:
    module = getattr(fn, "__module__", None) or type(getattr(fn, "__self__", fn)).__module__
    return str(module).partition(".")[0]


def is_of_ints(value: Value) -> bool:
    """Whether a whole number that is computed from it may move as smoothly as it does."""
    if issubclass(type(value), np.ndarray):
        return value.dtype.kind in "iuO"
    return issubclass(type(value), (int, np.integer)) and type(value) is not bool


def _is_of_ctypes(kind: type) -> bool:
    return any(base.__module__ == "_ctypes" for base in kind.__mro__)


def may_fill(fn: Any, y: Value, arrays: Iterable[Array]) -> bool:
    """May a compiled function have written these arrays, by what it is and what it gave back?

    The standard library writes to arrays only where the name says so.
    """
    name = str(getattr(fn, "__name__", ""))
    if _is_of_ctypes(type(fn)) or name.endswith("into"):
        return True
    if name == "__init__":  # what it has done is the object
        return False
    parts = y if type(y) is tuple else (y,)
    is_given_back = any(part is a for part in parts for a in arrays)
    if y is not None and not is_given_back:
        return False
    if _library_of(fn) == "numpy":
        return is_given_back and type(fn) is np.ufunc  # into its ``out``
    return fills_counts(fn)


def filled(
    name: str,
    arrays: list[Array],
    operands: tuple[Value, ...],
    held: Value,
    record: Record,
    error: AstadError | None = None,
) -> Record:
    """Record of a call that filled these arrays, or may have; ``held`` has no cotangent by value.
    ``error``: of one that did.
    """
    return (pull_filled, name, arrays, operands, held, record, error)


def pull_filled(
    shadows: Shadows,
    y_bar: Value,
    name: str,
    arrays: list[Array],
    operands: tuple[Value, ...],
    held: Value,
    record: Record,
    error: AstadError | None,
) -> Cotangents:
    """What has come to an array by now is by what was written: it cannot be told on."""
    bars = None if record is None else record[0](shadows, y_bar, *record[1:])
    if not any(_has_come(shadows, a) for a in arrays):
        return bars
    refused = Refused(error or _may_have_filled(name))
    for each in (*arrays, *operands, held):
        if has_identity(each):
            shadows.add(each, refused)
    return [refused if flows(each) else None for each in operands]


def _may_have_filled(name: str) -> AstadError:
    return Unsupported(
        name,
        "a call that may write into its argument",
        why="it is compiled code without a derivative rule, and wrote what was there before, "
        "or nothing",
        instead="give it a rule with astad.adjoint, or astad.nondifferentiable if it only reads",
    )


def _has_come(shadows: Shadows, a: Array) -> bool:
    found = shadows.read(a)
    return found is not None and (type(found) is Refused or bool(np.any(found)))
