"""Names of a program that stand for the user's globals: modules, functions, numbers, arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType

import numpy as np

from astad.compiler.analysis.space import Space
from astad.compiler.ir.kinds import Kind, is_listing
from astad.compiler.ir.nodes import Call, Const, Prim, Program
from astad.compiler.ir.outline import outline
from astad.rules.registry import lookup

__all__ = ["find_known", "reads_lists"]

LOOKUPS = GLOBAL, GETATTR = Prim("global"), Prim("getattr")


def find_known(
    program: Program,
    space: Space,
    paths: dict[str, str],
    known: dict[str, object],
    data: dict[str, tuple[str, Kind]],
) -> None:
    """What global names stand for, through attributes of modules: its path, and the object itself,
    or of data the kind.
    """
    found_in = outline(program)
    lookups = [call for call in found_in.calls if call.fn in LOOKUPS]
    again = _looked_up_again(program, [n for n in lookups if n.target not in found_in.once])
    for node in lookups:
        is_one = node.target in found_in.once or node.target in again
        path = _path(node, paths) if is_one else None
        if path is None or not isinstance(node.target, str):
            continue
        if (kind := space.data_at(path)) is not None:
            data.setdefault(node.target, (path, kind))
        elif _is_stable(found := space.find(path)):
            paths.setdefault(node.target, path)
            known.setdefault(node.target, found)


def reads_lists(program: Program, space: Space) -> bool:
    """Is a list of numbers among the user's globals that it reads?"""
    if space.kind_of is None:
        return False
    paths = [_path(node, {}) for node in outline(program).calls_of("global")]
    kinds = [space.data_at(path) for path in paths if path is not None]
    return any(kind is not None and is_listing(kind) for kind in kinds)


def _looked_up_again(program: Program, lookups: Sequence[Call]) -> set[str]:
    """Temporaries that each round of a loop that was written out binds to the same lookup.

    Of those ``lookups`` whose name others bind too.
    """
    seen: dict[str, set[tuple[object, ...]]] = {}
    times: Counter[str] = Counter()
    for node in lookups:
        if isinstance(node.target, str):
            seen.setdefault(node.target, set()).add((node.fn, *node.args))
            times[node.target] += 1
    bound = outline(program).bound
    return {
        name
        for name, what in seen.items()
        if times[name] > 1 and len(what) == 1 and times[name] == bound[name]
        if name not in program.taken
    }


def _path(node: Call, paths: dict[str, str]) -> str | None:
    """The dotted path of what a call looks up among the user's globals."""
    word = node.args[0 if node.fn is GLOBAL else 1]
    assert isinstance(word, Const)
    if node.fn is GLOBAL:
        return str(word.value)
    owner = paths.get(str(node.args[0]))
    return None if owner is None else f"{owner}.{word.value}"


def _is_stable(found: object) -> bool:
    stable = (ModuleType, BuiltinFunctionType, FunctionType, type, np.ufunc, float, int)
    return issubclass(type(found), stable) or lookup(found) is not None
