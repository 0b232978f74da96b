"""Kinds of arguments as a text tells them, for those who look at a function without calling it.

An annotation decides. A parameter without one is an int where it goes into ``range``, of
unknown kind where it is subscripted, iterated over, called or asked for an attribute, and a
float otherwise.

>>> def power(x, n: int, powers):
...     powers[0] = x**n
>>> likely_kinds(power)
('float', 'int', 'unknown')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType, NoneType
from typing import Any, get_origin

import numpy as np

from astad.compiler.ir.nodes import Bind, Call, Const, Loop, Node, Operand, Param, Prim, Star
from astad.compiler.ir.walk import walk
from astad.compiler.lower.function import lower_function

__all__ = ["likely_kinds"]

KINDS: dict[object, str] = {
    float: "float", int: "int", np.float64: "real", bool: "inert", str: "inert", bytes: "inert",
    NoneType: "inert", None: "inert", np.ndarray: "ndarray",
}  # fmt: skip
STRUCTURED = ("getitem", "setitem", "delitem", "getattr", "setattr", "delattr", "method", "unpack")


def likely_kinds(fn: FunctionType) -> tuple[str, ...]:
    """One word for each parameter, flat, in the order of the generated function's."""
    program = lower_function(fn)
    uses = _Uses()
    for node in walk(program.body):
        uses.add(node)
    hints = _annotations(fn)
    return tuple(_kind(param, hints, uses, fn) for param in program.params)


def _kind(param: Param, hints: Mapping[str, Any], uses: _Uses, fn: FunctionType) -> str:
    if param.kind in ("args", "kwargs"):
        return "unknown"
    if param.name in hints:
        hint = hints[param.name]
        return KINDS.get(get_origin(hint) or hint, "unknown")
    if param.name in uses.counts:
        return "int"
    if param.name in uses.structured or _is_own_object(param, fn):
        return "unknown"
    default = _defaults(fn).get(param.name, 0.0)
    return KINDS.get(type(default), "unknown") if KINDS.get(type(default)) != "int" else "float"


def _is_own_object(param: Param, fn: FunctionType) -> bool:
    """Is it the ``self`` or ``cls`` of a method?"""
    is_first = bool(fn.__code__.co_varnames) and fn.__code__.co_varnames[0] == param.name
    return is_first and param.name in ("self", "cls") and "." in fn.__qualname__


def _defaults(fn: FunctionType) -> dict[str, Any]:
    code, values = fn.__code__, fn.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(names, values, strict=True)) | (fn.__kwdefaults__ or {})


def _annotations(fn: FunctionType) -> dict[str, Any]:
    """The annotations; those kept as text are looked up as plain names."""
    import inspect  # late: nothing at run time needs it

    try:
        return inspect.get_annotations(fn, eval_str=True)
    except Exception:  # whatever a name in an annotation may raise: a name of type checkers only
        words = {"float": float, "int": int, "bool": bool, "str": str, "np.ndarray": np.ndarray}
        found = inspect.get_annotations(fn)
        return {name: words.get(hint, hint) for name, hint in found.items()}


class _Uses:
    """Names that a program counts with, and names whose parts it asks for."""

    def __init__(self) -> None:
        self.counts: set[object] = set()
        self.structured: set[object] = set()
        self._ranges: set[object] = set()

    def add(self, node: Node) -> None:
        if isinstance(node, Loop):
            self.structured.add(node.iterable)
        elif isinstance(node, Call) and isinstance(node.fn, Prim):
            first = _plain(node.args[0]) if node.args else None
            if node.fn.name in STRUCTURED:
                self.structured.add(first)
            elif node.fn.name == "global" and first == Const("range"):
                self._ranges.add(node.target)
        elif isinstance(node, Call):
            self.structured.add(node.fn)
            self.structured.update(_starred(node))
            if node.fn in self._ranges:
                self.counts.update(map(_plain, node.args))
        elif isinstance(node, Bind) and node.source in self._ranges:
            self._ranges.add(node.target)


def _starred(node: Call) -> Iterator[Operand]:
    yield from (arg.operand for arg in node.args if isinstance(arg, Star))


def _plain(operand: Operand | Star) -> Operand:
    return operand.operand if isinstance(operand, Star) else operand
