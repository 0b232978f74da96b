"""What a part of the program leaves behind: what its record refers to, and somebody else holds.

What a function makes for itself is held by its record and its result alone. What it found, or has
put where others find it, is held by others too: the count of references tells. So a memo is seen
wherever it lies, in a default, in an attribute of a function, or under a name made at run time.

>>> cache, made = {}, [3.0, [1.0, 2.0]]
>>> escapes([made], set())
False
>>> cache["last"] = made[1]
>>> escapes([made], set()), escapes([made], {id(cache["last"])})
(True, False)
>>> escapes([[globals()]], set())
False
"""

from __future__ import annotations

import gc
from sys import getrefcount
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from astad.rules.formula import Rule
from astad.runtime.core.full_rules import Value
from astad.runtime.core.variants import Pair
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import is_namespace
from astad.runtime.formulas.rule_plans import Plan
from astad.runtime.unseen.out_of_sight import may_pass
from astad.tangents.zero import BY_VALUE, has_identity, home_of

__all__ = ["escapes"]

_ATOMS = BY_VALUE | {bool, str, bytes, type(None), type, ModuleType, CodeType}
_FIXED = (
    type, ModuleType, CodeType, BuiltinFunctionType, ClassMethodDescriptorType,
    GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType,
    np.ufunc, Pair, Plan, Rule, Versions,
)  # fmt: skip
"""Of the program or of astad, not of one run: not looked into."""


def escapes(made: list[Any], known: set[int]) -> bool:
    """Is anything that is ``made``, or held by it at any depth, held from outside as well?

    Parameters
    ----------
    made : list
        Containers, each of which may have other holders; what they hold is held by them alone.
    known : set of int
        Ids of what may be held from outside: that is not looked into.
    """
    found: dict[int, Any] = {0: object()}  # that nobody else holds
    for each in made:
        found[id(each)] = each
    counts = dict.fromkeys(found, 0)
    waiting = list(made)
    while waiting:
        held = _referents(waiting.pop())
        if _ATOMS.issuperset(map(type, held)):  # of long lists of numbers nothing more is asked
            continue
        for each in held:
            key = id(each)
            if key in found:
                counts[key] += 1
            elif type(each) not in _ATOMS and key not in known and not isinstance(each, _FIXED):
                found[key] = each
                counts[key] = 1
                waiting.append(each)
    del each, held  # the loop would hold the last
    there = [getrefcount(each) for each in found.values()]
    outside = [
        value for (key, value), count in zip(found.items(), there, strict=True)
        if count - there[0] > counts[key]
    ]  # fmt: skip
    own = set(map(id, made))
    return any(id(value) not in own and _carries(value) for value in outside)


def _referents(value: Value) -> list[Any]:
    """What a value holds, but no module."""
    held = gc.get_referents(value)
    if issubclass(type(value), np.ndarray):
        held.append(value.base)
        if value.dtype.hasobject and value.dtype.kind == "O":
            held += value.ravel().tolist()
    elif type(value) is FunctionType:
        names = getattr(value, "__builtins__", None)
        held = [each for each in held if each is not names]
    return [each for each in held if not is_namespace(each)]


def _carries(value: Value) -> bool:
    """Is it of the program, and may a derivative pass through what it holds?"""
    kind = type(value)
    if not has_identity(value) or kind is FunctionType or home_of(kind).startswith("astad."):
        return False
    return may_pass(value)
