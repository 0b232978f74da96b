"""Which operand of a call each parameter of a callee takes, as Python binds them.

>>> from astad.compiler.lower.function import lower_function
>>> def f(x, factor=2.0, *, shift):
...     return x * factor + shift
>>> call = Call("y", "f", ("a",), (("shift", "b"),), 1)
>>> matched(call, lower_function(f).params, {"factor": Const(2.0)})
{'x': 'a', 'factor': Const(value=2.0), 'shift': 'b'}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType

from astad.compiler.ir.nodes import Call, Const, Operand, Param, Star

__all__ = ["LITERALS", "Given", "defaulted", "literal_defaults", "matched"]

Given = dict[str, Operand | tuple[Operand, ...]]
"""By parameter; of ``*args`` all that it takes."""

LITERALS = (int, float, bool, str, type(None))


def matched(call: Call, params: Sequence[Param], defaults: Mapping[str, Operand]) -> Given | None:
    """None where a parameter stays without a value, where operands are left over, and for
    ``**keywords``.
    """
    left = [arg for arg in call.args if not isinstance(arg, Star)]
    assert len(left) == len(call.args), call  # it is prepared
    words = {word: value for word, value in call.keywords if word is not None}
    given: Given = {}
    for param in params:
        if param.kind == "kwargs":
            return None
        if param.kind == "args":
            given[param.name], left = tuple(left), []
        elif left and param.kind != "keyword_only":
            given[param.name] = left.pop(0)
        elif param.name in words and param.kind != "positional_only":
            given[param.name] = words.pop(param.name)
        elif param.name in defaults:
            given[param.name] = defaults[param.name]
        else:
            return None
    return None if left or words else given


def literal_defaults(fn: FunctionType, params: Sequence[Param]) -> dict[str, Operand]:
    """The defaults that are literals; those of keywords only where all of them are."""
    values = fn.__defaults__ or ()
    names = [param.name for param in params if param.kind in ("positional_only", "positional")]
    both = zip(names[len(names) - len(values) :], values, strict=False)
    found: dict[str, Operand] = {
        name: Const(value) for name, value in both if type(value) in LITERALS
    }
    words = fn.__kwdefaults__ or {}
    if all(type(value) in LITERALS for value in words.values()):
        found.update({word: Const(value) for word, value in words.items()})
    return found


def defaulted(
    path: str, params: Sequence[Param], given: Given, defaults: Mapping[str, Operand]
) -> tuple[str, ...]:
    """The paths of the defaults that the parameters take."""
    kinds = {p.kind for p in params if p.name in defaults and given[p.name] is defaults[p.name]}
    words = (f"{path}.__kwdefaults__",) if "keyword_only" in kinds else ()
    return (f"{path}.__defaults__", *words) if kinds - {"keyword_only"} else words
