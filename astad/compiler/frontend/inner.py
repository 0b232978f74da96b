"""The functions a function makes: how to find their code again, and what they capture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType

from astad.compiler.frontend.agreement import agrees
from astad.compiler.frontend.module_text import (
    Found,
    FunctionNode,
    ModuleText,
    codes_below,
    own_functions,
)

__all__ = ["Inner", "Position", "inner_codes", "inner_functions"]

Position = tuple[int, int]
"""Line and column at which a node starts: tells the functions of one tree apart."""

_COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


@dataclass(frozen=True, slots=True)
class Inner:
    """An inner function: name, line counted from the outer one's first, number among those that
    agree in both; and its ``co_freevars``."""

    key: tuple[str, int, int]
    free: tuple[str, ...]


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """The code objects of the functions a function makes, as the compiler met them.

    Comprehensions are looked through: before Python 3.12 they have code objects of their own.
    """
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_name in _COMPREHENSIONS:
                yield from inner_codes(const)
            else:
                yield const


def inner_functions(module: ModuleText, found: Found, code: CodeType) -> Mapping[Position, Inner]:
    """For the start of each function that ``found`` makes, what to know of it."""
    groups: dict[tuple[str, int], list[FunctionNode]] = defaultdict(list)
    for node in own_functions(found.node):
        groups[_name_and_line(node)].append(node)
    codes: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for inner in inner_codes(code) if groups else ():
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
    name = getattr(node, "name", "<lambda>")
    return name, min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _order(
    module: ModuleText, found: Found, nodes: list[FunctionNode], codes: list[CodeType]
) -> list[int | None]:
    """For each node the number of its code among those of its name and line.

    None where Python made no code, as in ``if 0:``.
    """
    if len(nodes) == 1 or not codes:
        return [0 if codes else None] * len(nodes)
    compiled, lines = module.told_apart(found.statement, nodes)
    every = ((code.co_firstlineno, code) for code in _in_order(compiled))
    apart = {line: code for line, code in every if line in lines}
    if len(apart) == len(codes):
        return [list(apart).index(line) if line in apart else None for line in lines]
    return [_first_equal(apart.get(line), codes) for line in lines]


def _in_order(compiled: CodeType) -> Iterator[CodeType]:
    for code in (compiled, *codes_below(compiled)):
        yield from inner_codes(code)


def _first_equal(code: CodeType | None, codes: list[CodeType]) -> int | None:
    """Of equal lambdas on one line Python may keep one."""
    if code is None:
        return None
    return next(i for i, other in enumerate(codes) if agrees(code, other, rewritten=False))
