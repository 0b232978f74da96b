"""Forward mode inside of reverse mode: the derivative of a call is computed with its value.

What is kept for the reverse sweep is the jacobian alone: the cotangents of everything that the
result depends on, captured and global variables too, for each number of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from astad.api.gradients.overwriting import calls_rules
from astad.api.memory.checkpointing import RunApart, pull_recorded
from astad.errors import AstadError, WrongCall
from astad.rules.in_force import THROUGH
from astad.runtime.calls.custom_calls import total
from astad.runtime.core.full_rules import Cotangents, Record, Value, full
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import pull
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number, seed_of

__all__ = ["forwarddiff"]

MOST = 64
"""Numbers of a result, each of which costs a reverse sweep through the function."""
NUMBERS = (int, float, np.floating)


def forwarddiff(f: Callable[[Any], Any], x: Any, /) -> Any:
    """``f(x)``, of which the derivative is computed at once inside a function that is
    differentiated: nothing of the run of ``f`` is kept, but its jacobian.

    It pays where ``f`` computes long on its way from few numbers to few. What ``f`` has captured
    keeps its derivative. A result of more than 64 numbers, one that is no number or array of
    floats, and a function that writes something, draws random numbers or has a rule of the user's,
    are recorded as ``f(x)`` would be.

    Parameters
    ----------
    f : callable
        Of one argument.
    x : number, ndarray, or list or tuple of numbers
        The argument.

    Returns
    -------
    What ``f(x)`` gives.

    Raises
    ------
    WrongCall : if ``x`` is of another structure.

    Examples
    --------
    >>> import astad
    >>> def power(x, n):
    ...     return 1.0 if n == 0 else x * power(x, n - 1)
    >>> astad.gradient(lambda x: astad.forwarddiff(lambda x: power(x, 2), x), 5.0)
    (10.0,)
    >>> astad.gradient(lambda a, b: astad.forwarddiff(lambda a: a * b, a), 2.0, 3.0)
    (3.0, 2.0)
    """
    _check(f, x)
    return f(x)


THROUGH.add(id(forwarddiff))


def _check(f: Any, x: Any) -> None:
    is_sequence = type(x) in (list, tuple) and all(map(is_number, x))
    if not is_sequence and not is_number(x) and not isinstance(x, np.ndarray):
        raise WrongCall(
            f"astad.forwarddiff of {callable_name(f)}", f"an argument that is a {type(x).__name__}",
            why="its derivative is that by a number, or by those of an array or a list",
            instead="put the numbers into a list, and take them out of it inside the function",
        )  # fmt: skip


class _Row(NamedTuple):
    """What one number of the result depends on: the cotangent of the argument by value, and all
    that lies in a table.
    """

    x_bar: Value
    shadows: Shadows


@full(forwarddiff)
def forwarddiff_forward(versions: Any, f: Any, x: Any, /) -> tuple[Value, Record]:
    _check(f, x)
    ran = RunApart(versions, f, (x,), {})
    y, record = ran.made
    if record is None:
        return y, None
    rows = _rows(y, record) if ran.is_apart and not calls_rules(record) else None
    if rows is None:
        if ran.is_apart:
            ran.inner.join()
        return y, (pull_recorded, record)
    return y, (_pull_rows, y if isinstance(y, np.ndarray) else None, rows)


def _rows(y: Value, record: Value) -> list[_Row] | None:
    """One for each number of the result; None where its derivative is not known by numbers alone:
    then the reverse sweep tells more.
    """
    is_array = type(y) is np.ndarray and y.dtype.kind == "f" and y.size <= MOST
    if not is_array and not isinstance(y, NUMBERS):
        return None
    rows = []
    try:
        for seed in _units(y) if is_array else (seed_of(y),):
            shadows = Shadows()
            if is_array:
                shadows.add(y, seed)
            with np.errstate(all="ignore"):
                bars = pull(shadows, record, None if is_array else seed, 1)
            rows.append(_Row(bars[0], shadows))
    except AstadError:
        return None  # it may be that nobody asks for that derivative
    return rows if all(map(_is_of_numbers, rows)) else None


def _units(y: Any) -> Iterator[Any]:
    for at in range(y.size):
        unit = np.zeros_like(y)
        unit.flat[at] = 1.0
        yield unit


def _is_of_numbers(row: _Row) -> bool:
    """Are all cotangents numbers or arrays of such, and all memory that of arrays?"""
    shadows = row.shadows
    if shadows._refused or any(type(each.owner) is not np.ndarray for each in _buffers(shadows)):
        return False
    parts = [row.x_bar, *(part for _, _, part in _parts(shadows))]
    return all(part is None or isinstance(part, (*NUMBERS, np.ndarray)) for part in parts)


def _buffers(shadows: Shadows) -> list[Any]:
    return list(shadows._buffers.values())


def _parts(shadows: Shadows) -> Iterator[tuple[Any, Any, Any]]:
    """Containers and stores, places there, and what came to them."""
    for sequence, slots in shadows._slots.values():
        yield from ((sequence, at, part) for at, part in enumerate(slots))
    for store, keys in shadows._keyed.values():
        yield from ((store, key, part) for key, part in keys.items())


def _pull_rows(shadows: Shadows, y_bar: Value, y: Value, rows: list[_Row]) -> Cotangents:
    """Each row times the cotangent of its number."""
    if y is not None:
        y_bar = total(shadows, y, y_bar)
    if y_bar is None:
        return None
    factors = [y_bar] if y is None else list(np.broadcast_to(y_bar, y.shape).flat)
    x_bar = None
    for factor, row in zip(factors, rows, strict=True):
        x_bar = _sum(x_bar, _scaled(row.x_bar, factor))
        for buffer in _buffers(row.shadows):
            shadows.add(buffer.owner, _scaled(buffer.g, factor))
        for holder, place, part in _parts(row.shadows):
            in_order = id(holder) in row.shadows._slots
            (shadows.slot_add if in_order else shadows.key_add)(
                holder, place, _scaled(part, factor)
            )
    return [None, x_bar]


def _scaled(part: Value, factor: Value) -> Value:
    """0 where the factor is: an infinite slope that nobody asks for."""
    if part is None:
        return None
    if not factor:
        return part * 0 if np.all(np.isfinite(part)) else np.zeros_like(part)[()]
    return part * factor


def _sum(first: Value, second: Value) -> Value:
    return second if first is None else first if second is None else first + second
