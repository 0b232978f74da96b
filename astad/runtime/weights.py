"""How many bytes a value takes with what it holds.

>>> weight([1.5], set()), weight([1.5] * 2, set()), weight([1.5, 2.5], set())
(88, 96, 120)
"""

from __future__ import annotations

import sys
from collections import deque
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from astad.rules.formula import Rule
from astad.runtime.owners import owner_of
from astad.runtime.rule_plans import Plan
from astad.runtime.variants import Pair
from astad.runtime.versions import Versions

__all__ = ["weight"]

_FIXED = (
    bool, type, ModuleType, CodeType, FunctionType, BuiltinFunctionType, np.ufunc, Pair, Plan, Rule,
    Versions,
)  # fmt: skip
_MOST = 64
"""Elements of a long list that are weighed: the rounds of a loop are much alike."""


def weight(value: Any, known: set[int]) -> int:
    """Bytes of a value with what it holds; ``known``: ids of what is not counted, nor looked into.

    Of a long list some elements are weighed for all.
    """
    seen = set(known)
    total = 0.0
    waiting: list[tuple[Any, float]] = [(value, 1.0)]
    while waiting:
        each, times = waiting.pop()
        if each is None or id(each) in seen or isinstance(each, _FIXED):
            continue
        seen.add(id(each))
        kind = type(each)
        if issubclass(kind, np.ndarray):
            owner = owner_of(each)
            if owner is not each and id(owner) in seen:
                continue
            seen.add(id(owner))
            total += times * (
                sys.getsizeof(each) + getattr(owner, "nbytes", 0) * (each is not owner)
            )
            continue
        total += times * sys.getsizeof(each)
        if issubclass(kind, tuple | list | deque):
            count = len(each)
            step = max(count // _MOST, 1)
            some = list(each)[::step] if count > _MOST else each
            waiting += [(part, times * count / len(some)) for part in some] if count else []
        elif issubclass(kind, dict):
            waiting += [(part, times) for part in each.values()]
        elif kind.__module__.startswith("astad.") and hasattr(kind, "__slots__"):
            waiting += [(getattr(each, name, None), times) for name in kind.__slots__]
    return int(total)
