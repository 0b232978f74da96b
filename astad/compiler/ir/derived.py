"""A derived program: the functions that one of the user's becomes, before they are printed."""

from __future__ import annotations

from dataclasses import dataclass

from astad.compiler.ir.nodes import Block

__all__ = ["Derived", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """One generated function."""

    name: str
    params: tuple[str, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Derived:
    """The generated functions of a program, forward first.

    ``shadows`` tells whether the table of shadows is read, ``local_result`` whether the
    result's cotangent is handed over by value even where it is an array, ``taken`` the user's
    names.
    """

    functions: tuple[Function, ...]
    shadows: bool
    local_result: bool
    taken: frozenset[str]
