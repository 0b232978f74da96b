"""Names of a text that stand for the user's globals: they are written as these, ``g.np.sin``."""

from __future__ import annotations

from collections.abc import Mapping

from astad.compiler.ir.derived import Function
from astad.compiler.ir.nodes import Call, Prim
from astad.compiler.ir.outline import outline

__all__ = ["is_lookup", "looked_up"]

_LOOKUPS = ("global", "getattr")


def is_lookup(node: Call) -> bool:
    return isinstance(node.fn, Prim) and node.fn.name in _LOOKUPS


def looked_up(function: Function, paths: Mapping[str, str]) -> Mapping[str, str]:
    """Without the names whose value `function` is handed, as a pullback is what was kept: what the
    path leads to may be another by then.
    """
    found = outline(function)
    bound = paths.keys() & found.bound.keys()
    if not bound:
        return paths
    handed = bound - {call.target for call in found.calls_of(*_LOOKUPS)}
    return {name: path for name, path in paths.items() if name not in handed} if handed else paths
