"""What Python takes of the answer of a ``__float__``, ``__complex__``, ``__int__`` or ``__index__``
that the user wrote: a number of the very class as it is, one of a subclass with a warning, and
nothing else.

>>> class Gauge:
...     pass
>>> class Shown(float):
...     pass
>>> with warnings.catch_warnings(record=True) as said:
...     warnings.simplefilter("always")
...     taken(float, "__float__", Gauge, Shown(1.5))
1.5
>>> said[0].category.__name__, taken(float, "__float__", Gauge, 1.5)
('DeprecationWarning', 1.5)
"""

from __future__ import annotations

import warnings

from astad.errors import Unsupported
from astad.runtime.core.full_rules import Value, python_method
from astad.runtime.unseen.debuggers import users_level
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["check_number", "taken"]


def check_number(name: str, value: Value, *asked: str) -> None:
    """Raise for an object that compiled code asks for its number, where nothing is recorded."""
    kind = type(value)
    if kind.__flags__ & MADE_BY_CLASS and any(python_method(kind, each) for each in asked):
        raise Unsupported(
            name, f"an operand of class {kind.__name__}",
            why="it is asked for a number by compiled code, which is not recorded",
            instead="convert it first, by float(v) or operator.index(i)",
        )  # fmt: skip


def taken(fn: Value, method: str, kind: type, y: Value) -> Value:
    """What ``fn``, one of float, complex, int and operator.index, gives for an object of the class
    ``kind`` whose ``method`` has given ``y``; the warning names the user's line.
    """
    if type(y) is _WANTED[method]:
        return y
    # Python asks and judges another object of that name: the method runs once
    stand_in = type(kind.__name__, (), {method: lambda self: y})()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        value = fn(stand_in)
    for each in said:
        warnings.warn(each.message, stacklevel=users_level(1))
    return value


_WANTED = {"__float__": float, "__complex__": complex, "__int__": int, "__index__": int}
