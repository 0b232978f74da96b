"""Functions of the user's that a recording does not follow: rules, what hooks call, functions
without a derivative.

A recording runs them once more than the plain run does, and so does the comparison of its text. So
they may do nothing that is seen: what draws random numbers, prints, counts or stores has the run
refused. What such a function gives for constants is a constant of the text only where it reads
nothing but these.

>>> def rounded(x):
...     return round(x, 2)
>>> def noted(x):
...     print(x)
...     return x
>>> acts(rounded), acts(noted)
(False, True)
>>> rate = {"k": 2.0}
>>> def scaled(x):
...     return x * rate["k"]
>>> scaled.__globals__["rate"] = rate
>>> acts(scaled), reads_more(rounded), reads_more(scaled)
(False, False, True)
"""

from __future__ import annotations

import builtins
import cmath
import functools
import itertools
import math
import operator
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from astad.code_objects import names_in
from astad.runtime.cotangents.snapshots import is_full
from astad.runtime.unseen.writing_code import writes

__all__ = ["acts", "reads_more"]

_MODULES = (math, cmath, np, operator, itertools, functools)
"""Modules whose functions only compute, but for the random numbers of NumPy."""
_ACTING = frozenset([
    "breakpoint", "compile", "delattr", "eval", "exec", "globals", "input", "locals", "next",
    "open", "print", "setattr", "vars", "__import__",
])  # fmt: skip
_STATE = frozenset(["random", "seterr", "errstate", "setbufsize", "load", "save", "fromfile"])
"""Names in the modules above of what has a state."""
_FIXED = (type, str, bytes, int, complex, bool, type(None), frozenset)
_MOST = 50


def acts(fn: Any) -> bool:
    """May a call do what somebody sees, or give something else each time?"""
    return writes(fn) or any(_acts(each) for each in _reached(fn))


def reads_more(fn: Any) -> bool:
    """May what it gives depend on more than its arguments?"""
    return any(not _is_known(each) for each in _reached(fn))


def _acts(v: Any) -> bool:
    if isinstance(v, ModuleType):
        return v not in _MODULES
    if isinstance(v, type):
        return v.__module__ not in ("builtins", "numpy")
    if not callable(v) or isinstance(v, (FunctionType, np.ufunc, type(np.sum))):
        return not callable(v) and hasattr(type(v), "__next__")
    return not isinstance(v, BuiltinFunctionType) or v.__module__ not in ("builtins", "math")


def _is_known(v: Any) -> bool:
    if callable(v) or isinstance(v, ModuleType):
        return not _acts(v)
    return isinstance(v, _FIXED)


def _reached(fn: Any) -> Iterator[Any]:
    """What it and the functions that it names have by name: of modules, builtins, captured."""
    waiting, seen = [fn], set[int]()
    while waiting:
        each = waiting.pop()
        each = each.__func__ if isinstance(each, MethodType) else each
        if not isinstance(each, FunctionType):
            yield each
            continue
        if id(each) in seen:
            continue
        seen.add(id(each))
        names = names_in(each.__code__)
        if not names.isdisjoint(_STATE | _ACTING) or len(seen) > _MOST:
            yield _UNKNOWN
        found = [each.__globals__.get(n, vars(builtins).get(n, _MISSING)) for n in names]
        found += [cell.cell_contents for cell in each.__closure__ or () if is_full(cell)]
        waiting += [v for v in found if v is not _MISSING]


_MISSING = object()
"""An attribute, or a name that is bound by now to nothing."""


_UNKNOWN: Any = iter(())
"""In the place of what may do anything: it has a state."""
