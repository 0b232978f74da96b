"""Is a text the text of what runs? It is compiled again and compared with the running code."""

from __future__ import annotations

from types import CodeType, FunctionType

from astad.code_objects import ASYNCHRONOUS, GENERATOR, MORE, REST, STARRED

__all__ = ["agrees", "is_rewritten"]

_KIND = STARRED | GENERATOR | ASYNCHRONOUS


def is_rewritten(fn: FunctionType) -> bool:
    """Whether pytest compiled the module, with asserts rewritten into calls of its own."""
    return "@pytest_ar" in fn.__globals__


def agrees(compiled: CodeType, running: CodeType, *, rewritten: bool) -> bool:
    """Whether ``compiled``, from a text, is the code ``running``.

    Signature, captured variables, names, constants and instructions must be equal, inner functions
    included. Where pytest rewrote an assert, names and constants need only be among the running
    ones.
    """
    if _signature(compiled) != _signature(running):
        return False
    if _equal(compiled, running, rewritten):
        return True
    return rewritten and _rewritten_by_pytest(running) and _among(compiled, running)


def _signature(code: CodeType) -> tuple[object, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & REST) + bool(code.co_flags & MORE)
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    kind = code.co_flags & _KIND
    return code.co_name, arguments, code.co_varnames[:count], code.co_freevars, kind


def _equal(compiled: CodeType, running: CodeType, rewritten: bool) -> bool:
    mine, theirs = _inner(compiled), _inner(running)
    return (
        compiled.co_code == running.co_code
        and compiled.co_names == running.co_names
        and compiled.co_varnames == running.co_varnames
        and compiled.co_cellvars == running.co_cellvars
        and _constants(compiled) == _constants(running)
        and len(mine) == len(theirs)
        and all(agrees(a, b, rewritten=rewritten) for a, b in zip(mine, theirs, strict=True))
    )


def _rewritten_by_pytest(code: CodeType) -> bool:
    if any(name.startswith("@py") for name in _names(code)):
        return True
    return any(_rewritten_by_pytest(inner) for inner in _inner(code))


def _among(compiled: CodeType, running: CodeType) -> bool:
    """What the text names must occur in the rewritten code; the order and the rest are pytest's."""
    if not _names(compiled) <= _names(running):
        return False
    if not set(_constants(compiled)) <= set(_constants(running)):
        return False
    theirs = _inner(running)
    return all(
        any(agrees(mine, other, rewritten=True) for other in theirs) for mine in _inner(compiled)
    )


def _names(code: CodeType) -> set[str]:
    return {*code.co_names, *code.co_varnames, *code.co_cellvars}


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
    return type(const), repr(const)
