"""The functions a function makes: how to find their code again, and what they capture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType

from astad.code_objects import inner_codes
from astad.compiler.frontend.module_text import (
    Found,
    FunctionNode,
    ModuleText,
    name_of,
    own_functions,
)

__all__ = ["Inner", "Position", "inner_functions"]

Position = tuple[int, int]
"""Line and column at which a node starts: tells the functions of one tree apart."""


@dataclass(frozen=True, slots=True)
class Inner:
    """An inner function: name, line counted from the outer one's first, number among those that
    agree in both; and its ``co_freevars``."""

    key: tuple[str, int, int]
    free: tuple[str, ...]


def inner_functions(module: ModuleText, found: Found, code: CodeType) -> Mapping[Position, Inner]:
    """For the start of each function that ``found`` makes, what to know of it."""
    if not any(isinstance(const, CodeType) for const in code.co_consts):
        return {}
    groups: dict[tuple[str, int], list[FunctionNode]] = defaultdict(list)
    for node in own_functions(found.node):
        groups[_name_and_line(node)].append(node)
    codes: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for inner in inner_codes(code):
        codes[inner.co_name, inner.co_firstlineno].append(inner)
    out: dict[Position, Inner] = {}
    for (name, line), nodes in groups.items():
        numbers = _order(module, found, nodes, codes[name, line])
        for node, number in zip(nodes, numbers, strict=True):
            free = codes[name, line][number].co_freevars if number is not None else ()
            key = name, line - code.co_firstlineno, number or 0
            out[node.lineno, node.col_offset] = Inner(key, free)
    return out


def _name_and_line(node: FunctionNode) -> tuple[str, int]:
    name = name_of(node)
    return name, min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _order(
    module: ModuleText, found: Found, nodes: list[FunctionNode], codes: list[CodeType]
) -> list[int | None]:
    """For each node the number of its code among those of its name and line.

    None where Python made no code, as in ``if 0:``.
    """
    if len(nodes) == 1 or not codes:
        return [0 if codes else None] * len(nodes)
    places = {id(code): place for place, code in enumerate(codes)}
    return [places.get(id(code)) for code in module.told_apart(found.statement, nodes)]
