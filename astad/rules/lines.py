"""Rules of functions that are made while the program runs, of which it is known what they give.

>>> def line_1(a, b):
...     return a * b
>>> def back(y_bar, y, a, b):
...     return y_bar * b, y_bar * a
>>> back.__module__, line_1.__module__ = "made", "made"
>>> made = declare(line_1, back, "ab", "float")
>>> made.pull(("a", "b"))(1.0, 6.0, 2.0, 3.0), made.gives
((3.0, 2.0), "observed('float'); a, b")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any  # what a rule is of

from astad.rules.formula import Rule
from astad.rules.in_force import QUICK, REGISTRY
from astad.rules.registry import add

__all__ = ["declare", "forget"]


def declare(
    line: Callable[..., Any], back: Callable[..., Any] | None, parameters: Sequence[str], kind: str
) -> Rule:
    """A rule for ``line``, of as many parameters, until it is forgotten.

    Parameters
    ----------
    back : callable
        From ``(y_bar, y, *operands)`` to the cotangents of all operands, as numbers and arrays of
        their own. Its module has it by its name. None where no derivative passes.
    kind : str
        What it gives, in the words of ``observed`` in `compiler.analysis.vocabulary`.
    """
    names = ", ".join(parameters)
    gives = f"observed({kind!r}); {names}"
    if back is None:
        made = Rule(line, "zero", names, {}, namespace=globals(), why="it counts", gives=gives)
    else:
        call = f"{back.__name__}(y_bar, y, {names})"
        formulas = {name: f"{call}[{at}]" for at, name in enumerate(parameters)}
        made = Rule(
            line, "structured", names, formulas, source="the pair of its text", gives=gives,
            namespace={**globals(), back.__name__: back},
        )  # fmt: skip
    return add(made)


def forget(line: Any) -> None:
    """Its rule, if it has one of these: its identity may become that of another."""
    found = REGISTRY.get(id(line))
    if found is not None and found.home == __name__:
        del REGISTRY[id(line)]
        QUICK.pop(id(line), None)
