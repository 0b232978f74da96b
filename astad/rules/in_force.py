"""The rules in force, by the id of what they are rules of.

Nothing of the rules themselves is read here: what a text from the disk cache relies on is asked of
these tables, and a program whose formulas are all in that cache reads no rule.

The text of a gradient that is differentiated again calls the rules of users as ordinary functions,
which the gradient around differentiates, ``back`` too: each level uses the rule of the level
inside.

>>> def rule(x):
...     return x**3, lambda y_bar: (y_bar * 3 * x**2,)
>>> run = rule(2.0)
>>> value_of(run, 2.0), cotangent_of(run, 1.0, 0, 1)
(8.0, 12.0)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from astad.errors import Unsupported

__all__ = [
    "AROUND", "CUSTOM", "KEEPING", "MADE", "NO_PATH", "QUICK", "REGISTRY", "TANGENTS", "TELLS",
    "TEXTS", "THROUGH", "cotangent_of", "declare", "has_custom_rule", "is_generated", "is_lasting",
    "made_once", "module_named", "remake", "run_rule", "value_of",
]  # fmt: skip

Pullback = Callable[..., Any]
CustomRule = Callable[..., tuple[Any, Pullback]]

CUSTOM: dict[int, tuple[Any, CustomRule]] = {}
"""Rules that users declare, consulted before all others: ``id(callable)`` to the callable and its
rule ``(*args, **keywords) -> (y, back)``.
"""


TANGENTS: dict[int, tuple[Any, Callable[..., tuple[Any, Any]]]] = {}
"""Rules ``(primals, tangents) -> (y, y_dot)`` that users declare, by the id of the callable."""


TELLS: dict[int, str] = {}
"""Ids of functions without arguments, with rules, that tell of the differentiation around them:
"deriving" or "level". A gradient that is differentiated again has what they tell in its text.
"""


KEEPING: set[int] = set()
"""Ids of functions of ours that texts call for what they do, once, and with whatever values."""


THROUGH: set[int] = set()
"""Ids of functions ``g(f, x)`` that do no more than call ``f(x)``, in a way of their own: such a
gradient calls it.
"""


NO_PATH: set[int] = set()
"""Ids of callables, each held in the table, through which no derivative passes whatever the
arguments.
"""


REGISTRY: dict[int, Any] = {}  # Any: a `Rule`, of which nothing is read here
"""``id(fn)`` to its rule; the rule holds the function, so the id stays its own."""


QUICK: dict[int, tuple[int, Callable[..., Any]]] = {}
"""``id(fn)`` to the number of its operands and what the run time calls first in its place."""


TEXTS: dict[str, str] = {}
"""The texts of formulas as code, by the name of their file: what ``linecache`` has of them may be
cleared, and a second derivative reads them.
"""


Made = TypeVar("Made")
AROUND: list[Callable[[Callable[[], Any]], Any]] = []
"""Called in the place of what makes a text or a plan, with it: whoever measures times leaves out
what is made once and kept.
"""


def made_once(make: Callable[[], Made]) -> Made:
    """What ``make`` gives, which is to be kept by the caller."""
    for around in AROUND:
        make = partial(around, make)
    return make()


MADE: WeakValueDictionary[str, ModuleType] = WeakValueDictionary()
"""Modules of generated text that another text may call, by their names; each lives as long as the
function does of which it holds a derivative.
"""
remake: list[Callable[[str], ModuleType | None]] = []
"""What gives such a module by its name: as it is if it still holds, else made anew."""


def module_named(name: str | None) -> ModuleType | None:
    """The imported module of this name, or that of a generated text; None where there is none."""
    if name is None or not is_generated(name):
        return sys.modules.get(name or "")
    return remake[0](name) if remake else MADE.get(name)


def is_generated(path: str) -> bool:
    """Does a path lead into a module of generated text?"""
    return path.startswith("<astad>")


def is_lasting(path: str) -> bool:
    """Does a path mean the same in another process? Not where it leads into a generated module of a
    function that no name leads to.
    """
    home = path.rpartition(":")[0]
    if not is_generated(home):
        return True
    parts = home.removeprefix("<astad> ").split(";")
    return len(parts) == 6 and " " not in parts[1] and not is_generated(parts[0])


def declare(fn: Any, rule: CustomRule, *, passes: bool = True) -> None:
    """Put a rule in force for this very callable; ``passes``: a derivative may go through it."""
    CUSTOM[id(fn)] = (fn, rule)
    (NO_PATH.discard if passes else NO_PATH.add)(id(fn))


def has_custom_rule(fn: Any) -> bool:
    return id(fn) in CUSTOM


# --- rules of users as ordinary functions


REAL = (int, float)
"""np.float64 is one."""


def run_rule(fn: Any, *args: Any) -> Any:
    """What the rule of ``fn`` returns: the value, and ``back``."""
    return CUSTOM[id(fn)][1](*args)


def value_of(run: Any, *args: Any) -> Any:
    """The value; ``args`` are what the rule was called with, for the cotangents."""
    if not isinstance(run, tuple) or len(run) != 2:
        raise _refused("returned no pair (y, back)")
    value = run[0]
    if not isinstance(value, REAL):
        raise _refused(f"gave a {type(value).__name__} for numbers")
    return value


def cotangent_of(run: Any, y_bar: Any, place: int, count: int) -> Any:
    """That of one argument of so many; ``back`` is called for each by itself."""
    parts = run[1](y_bar)
    if not isinstance(parts, tuple):
        parts = (parts,)
    if len(parts) != count:
        raise _refused(f"returned {len(parts)} cotangents for {count} arguments")
    part = parts[place]
    if part is None:
        return 0.0
    if not isinstance(part, REAL):
        raise _refused(f"gave a {type(part).__name__} as the cotangent of a number")
    return part


def _refused(what: str) -> Unsupported:
    return Unsupported(
        "a rule declared with astad.adjoint", f"a derivative of a derivative where it {what}",
        why="the gradient inside is written for rules from real numbers to a real number, with one "
        "cotangent for each argument",
        instead="let the rule take and return numbers, and give the function every argument",
    )  # fmt: skip
