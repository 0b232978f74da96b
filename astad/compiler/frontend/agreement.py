"""Is a text the text of what runs? It is compiled again and compared with the running code."""

from __future__ import annotations

from types import CodeType

from astad.code_objects import ASYNCHRONOUS, GENERATOR, MORE, REST, STARRED
from astad.spelling import spelled

__all__ = ["agrees"]

_KIND = STARRED | GENERATOR | ASYNCHRONOUS


def agrees(compiled: CodeType, running: CodeType) -> bool:
    """Whether ``compiled``, from a text, is the code ``running``: signature, captured variables,
    names, constants and instructions are equal, inner functions included.
    """
    return _signature(compiled) == _signature(running) and _equal(compiled, running)


def _signature(code: CodeType) -> tuple[object, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & REST) + bool(code.co_flags & MORE)
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    kind = code.co_flags & _KIND
    return code.co_name, arguments, code.co_varnames[:count], code.co_freevars, kind


def _equal(compiled: CodeType, running: CodeType) -> bool:
    mine, theirs = _inner(compiled), _inner(running)
    return (
        compiled.co_code == running.co_code
        and compiled.co_names == running.co_names
        and compiled.co_varnames == running.co_varnames
        and compiled.co_cellvars == running.co_cellvars
        and _constants(compiled) == _constants(running)
        and len(mine) == len(theirs)
        and all(agrees(a, b) for a, b in zip(mine, theirs, strict=True))
    )


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _constants(code: CodeType) -> list[object]:
    return [_key(const) for const in code.co_consts if not isinstance(const, CodeType)]


def _key(const: object) -> object:
    """A constant by type and spelling: 1, 1.0 and True differ, 0.0 and -0.0 too; nan is nan."""
    if isinstance(const, tuple):
        return ("tuple", *map(_key, const))
    if isinstance(const, frozenset):
        return ("frozenset", frozenset(map(_key, const)))
    return type(const), spelled(const)
