"""A Wengert list as text, for tests, docs and ``--stage``; near Python, one operation a line.

>>> print(show((Call("y", Prim("getitem"), ("a", Const(0)), (), 3), Exit("return", "y", 4))))
y = a[0]
return y
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Param,
    Prim,
    Program,
    Raise,
    Ref,
    Star,
    Target,
    Try,
    While,
)
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.spelling import spelled

__all__ = ["header", "lines_of", "show", "show_node"]

_STEP = "    "


def show(item: Program | Block) -> str:
    """The text of a block, or of the body of a program.

    The text of a ``Program`` ends before the ``return None`` that stands for falling off its end.
    """
    return "\n".join(text for text, _ in lines_of(item.body if isinstance(item, Program) else item))


def header(program: Program) -> str:
    """``f(x, *rest)`` and, of a closure, the captured names.

    >>> x, n = Param("x", "positional", False), ("n", "n_cell")
    >>> header(Program("f", "f", (x,), (n,), (), "walk.py", 1, frozenset()))
    'def f(x):  # captures n'
    """
    captured = ", ".join(name for name, _ in program.free)
    params = ", ".join(_param(param) for param in program.params)
    return f"def {program.name}({params}):" + (f"  # captures {captured}" if captured else "")


def show_node(node: Node) -> str:
    """One node without the blocks it holds."""
    match node:
        case Bind(target, source):
            return f"{_target(target)} = {_operand(source)}"
        case Call():
            return _call(node)
        case Branch(test):
            return f"if {_operand(test)}:"
        case Loop(target, iterable):
            return f"for {_target(target)} in {_operand(iterable)}:"
        case While((), test):
            return f"while {_operand(test)}:"
        case While():
            return "while:"
        case Try():
            return "try:"
        case Exit(how, value):
            return how if value is None else f"{how} {_operand(value)}"
        case Raise(exc, cause):
            words = "raise" if exc is None else f"raise {_operand(exc)}"
            return words if cause is None else f"{words} from {_operand(cause)}"


def lines_of(block: Block, indent: str = "") -> Iterator[tuple[str, Node | None]]:
    """The lines of a block's text, each with its node; None where a line has none of its own."""
    for node in block:
        yield indent + show_node(node), node
        inner = indent + _STEP
        if isinstance(node, While) and node.head:
            yield from lines_of(node.head, inner)
            yield f"{indent}while {_operand(node.test)}:", None
        if isinstance(node, Try):
            yield from _lines_of_try(node, indent)
        if isinstance(node, (Branch, Loop, While)):
            yield from lines_of(node.body, inner) if node.body else ((f"{inner}pass", None),)
            if node.orelse:
                yield f"{indent}else:", None
                yield from lines_of(node.orelse, inner)


def _lines_of_try(node: Try, indent: str) -> Iterator[tuple[str, Node | None]]:
    inner = indent + _STEP
    parts = [("", node.body), (f"except BaseException as {node.caught}:", node.handler)]
    if node.caught is None:
        parts.pop()
    parts += [("else:", node.orelse)] * bool(node.orelse)
    parts += [("finally:", node.final)] * bool(node.final)
    for head, block in parts:
        if head:
            yield indent + head, None
        yield from lines_of(block, inner) if block else ((f"{inner}pass", None),)


def _param(param: Param) -> str:
    stars = {"args": "*", "kwargs": "**"}.get(param.kind, "")
    return f"{stars}{param.name}" + ("=..." if param.has_default else "")


def _operand(operand: Operand | Star) -> str:
    if isinstance(operand, Star):
        return f"*{_operand(operand.operand)}"
    if isinstance(operand, Ref):
        return f"{operand.module}.{operand.name}"
    return operand if isinstance(operand, str) else spelled(operand.value)


def _target(target: Target) -> str:
    """Several names where a derived program takes results apart."""
    if isinstance(target, str):
        return target
    parts = [part if isinstance(part, str) else f"({_target(part)})" for part in target]
    return ", ".join(parts) + ("," if len(parts) == 1 else "")


def _call(node: Call) -> str:
    args = [_operand(arg) for arg in node.args]
    if not isinstance(node.fn, Prim):
        text = f"{_operand(node.fn)}({_arguments(args, node)})"
    elif node.fn.name == "method":
        text = f"{args[0]}.{_word(node.args[1])}({_arguments(args[2:], node)})"
    else:
        text = _prim(node.fn.name, args, node)
    return text if node.target is None else f"{_target(node.target)} = {text}"


def _arguments(args: list[str], node: Call) -> str:
    named = [f"**{_operand(v)}" if k is None else f"{k}={_operand(v)}" for k, v in node.keywords]
    return ", ".join(args + named)


def _word(operand: Operand | Star) -> str:
    """A string constant without its quotes: the name of an attribute or of a global."""
    return str(operand.value) if isinstance(operand, Const) else _operand(operand)


def _prim(name: str, args: list[str], node: Call) -> str:
    if name in BINARY and len(args) == 2:
        return f"{args[0]} {BINARY[name]} {args[1]}"
    if name in COMPARE and len(args) == 2:
        return f"{args[0]} {COMPARE[name]} {args[1]}"
    if name in IN_PLACE and len(args) == 2:
        return f"{args[0]} {IN_PLACE[name]} {args[1]}"
    if name in UNARY and len(args) == 1:
        return f"{UNARY[name]}{args[0]}"
    if name in _WRITTEN:
        return _WRITTEN[name](args, node)
    return f"{name}({_arguments(args, node)})"


_WRITTEN: dict[str, Callable[[list[str], Call], str]] = {
    "contains": lambda args, node: f"{args[1]} in {args[0]}",
    "not_contains": lambda args, node: f"{args[1]} not in {args[0]}",
    "getitem": lambda args, node: f"{args[0]}[{args[1]}]",
    "setitem": lambda args, node: f"{args[0]}[{args[1]}] = {args[2]}",
    "delitem": lambda args, node: f"del {args[0]}[{args[1]}]",
    "getattr": lambda args, node: f"{args[0]}.{_word(node.args[1])}",
    "setattr": lambda args, node: f"{args[0]}.{_word(node.args[1])} = {args[2]}",
    "delattr": lambda args, node: f"del {args[0]}.{_word(node.args[1])}",
    "tuple": lambda args, node: f"({', '.join(args)}{',' if len(args) == 1 else ''})",
    "list": lambda args, node: f"[{', '.join(args)}]",
    "set": lambda args, node: f"{{{', '.join(args)}}}" if args else "set()",
    "dict": lambda args, node: (
        f"{{{', '.join(f'{k}: {v}' for k, v in zip(args[::2], args[1::2], strict=True))}}}"
    ),
    "global": lambda args, node: f"global {_word(node.args[0])}",
    "forget": lambda args, node: f"del {args[0]}",
}
"""What is written otherwise than ``name(a, b)``."""
