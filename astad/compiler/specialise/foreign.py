"""Functions of other modules: the names of their globals say of which module they are.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(named_from(program_of("return abs(x)"), "physics.units")))
t_1 = global physics.units:abs
t_2 = t_1(x)
return t_2
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any

from astad.compiler.ir.nodes import Block, Call, Const, Node, Prim, Program
from astad.compiler.ir.walk import with_blocks

__all__ = ["foreign_home", "named_from"]

LIBRARIES = frozenset({"numpy", "scipy", "astad"})


def foreign_home(fn: FunctionType, namespace: Mapping[str, Any]) -> str | None:
    """The module of a function, empty for the user's own; None for one of a library, or of no
    module that can be found again.
    """
    if fn.__globals__ is namespace:
        return ""
    name = fn.__module__ or ""
    top = name.partition(".")[0]
    module = sys.modules.get(name)
    is_there = module is not None and vars(module) is fn.__globals__
    is_of_library = top in LIBRARIES or top in sys.stdlib_module_names
    return name if is_there and not is_of_library else None


def named_from(program: Program, module: str) -> Program:
    """The program with its globals named ``module:name``."""
    if not module:
        return program
    assumed = tuple(f"{module}:{path}" for path in program.assumed)
    return replace(program, body=_named(program.body, module), assumed=assumed)


def _named(block: Block, module: str) -> Block:
    out: list[Node] = []
    for node in block:
        if isinstance(node, Call) and node.fn == Prim("global"):
            assert isinstance(node.args[0], Const)
            node = replace(node, args=(Const(f"{module}:{node.args[0].value}"),))
        out.append(with_blocks(node, lambda inner: _named(inner, module)))
    return tuple(out)
