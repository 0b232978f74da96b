"""What each instruction says in a text: a table by the names of Python 3.11 to 3.13.

An instruction that is not in it is not written; nor is one that a text says by its place, a jump.

>>> block = Block([ast.Name("x", ast.Load())])
>>> WRITERS["RETURN_VALUE"](block, None)
>>> print(ast.unparse(block.statements[0]))
return x
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from astad.compiler.frontend.blocks import Block, InPlace, Null, Piece, Unknown

__all__ = ["WRITERS"]

_FLAGGED = sys.version_info >= (3, 12)
"""Whether the lowest bit of LOAD_ATTR's number says that a method is called."""

Write = Callable[[Block, Any], None]  # Any: an instruction, whose number is never None here
WRITERS: dict[str, Write] = {}


def _writes(*names: str) -> Callable[[Write], Write]:
    def register(fn: Write) -> Write:
        WRITERS.update(dict.fromkeys(names, fn))
        return fn

    return register


# --- names and constants


@_writes("RESUME", "NOP", "CACHE", "EXTENDED_ARG", "PRECALL", "COPY_FREE_VARS", "MAKE_CELL")
def _nothing(b: Block, step: Any) -> None:
    """Nothing that a text says."""


@_writes("LOAD_CONST")
def _load_const(b: Block, step: Any) -> None:
    value = step.argval
    is_set = isinstance(value, frozenset)  # of ``x in {1, 2}``
    b.push(ast.Set([ast.Constant(item) for item in value]) if is_set else ast.Constant(value))


@_writes("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_FAST_LOAD_FAST")
def _load(b: Block, step: Any) -> None:
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    for name in names:
        b.push(ast.Name(name, ast.Load()))


@_writes("LOAD_GLOBAL")
def _load_global(b: Block, step: Any) -> None:
    name = ast.Name(step.argval, ast.Load())
    b.push_function(name) if step.arg & 1 else b.push(name)


@_writes("LOAD_ATTR", "LOAD_METHOD")
def _load_attribute(b: Block, step: Any) -> None:
    found = ast.Attribute(b.pop(), step.argval, ast.Load())
    called = step.opname == "LOAD_METHOD" or (_FLAGGED and step.arg & 1)
    b.push_function(found) if called else b.push(found)


@_writes("STORE_FAST", "STORE_DEREF", "STORE_FAST_STORE_FAST")
def _store(b: Block, step: Any) -> None:
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    for name in names:
        b.assign(ast.Name(name, ast.Store()))


@_writes("STORE_FAST_LOAD_FAST")
def _store_and_load(b: Block, step: Any) -> None:
    stored, loaded = step.argval
    b.assign(ast.Name(stored, ast.Store()))
    b.push(ast.Name(loaded, ast.Load()))


@_writes("STORE_ATTR")
def _store_attribute(b: Block, step: Any) -> None:
    b.assign(ast.Attribute(b.pop(), step.argval, ast.Store()))


@_writes("STORE_SUBSCR")
def _store_item(b: Block, step: Any) -> None:
    container, index = b.take(2)
    b.assign(ast.Subscript(container, index, ast.Store()))


@_writes("UNPACK_SEQUENCE")
def _unpack(b: Block, step: Any) -> None:
    value, targets = b.pop(), list[ast.expr]()
    for _ in range(step.arg):
        b.push(Piece(value, step.arg, targets))


@_writes("COPY")
def _copy(b: Block, step: Any) -> None:
    """In ``x.a += v`` and ``x[i] += v``, where it is written once; else the code will differ."""
    b.push(b.stack[-step.arg])


@_writes("SWAP")
def _swap(b: Block, step: Any) -> None:
    b.stack[-1], b.stack[-step.arg] = b.stack[-step.arg], b.stack[-1]


# --- operators


@_writes("BINARY_SUBSCR")
def _item(b: Block, step: Any) -> None:
    container, index = b.take(2)
    b.push(ast.Subscript(container, index, ast.Load()))


@_writes("BUILD_SLICE")
def _slice(b: Block, step: Any) -> None:
    b.push(ast.Slice(*map(_bound, b.take(step.arg))))


@_writes("BINARY_SLICE")
def _slice_of(b: Block, step: Any) -> None:
    container, *bounds = b.take(3)
    b.push(ast.Subscript(container, ast.Slice(*map(_bound, bounds)), ast.Load()))


def _bound(node: ast.expr) -> ast.expr | None:
    return None if isinstance(node, ast.Constant) and node.value is None else node


_OPERATORS: dict[str, ast.operator] = {
    "+": ast.Add(), "-": ast.Sub(), "*": ast.Mult(), "/": ast.Div(), "//": ast.FloorDiv(),
    "%": ast.Mod(), "**": ast.Pow(), "@": ast.MatMult(), "&": ast.BitAnd(), "|": ast.BitOr(),
    "^": ast.BitXor(), "<<": ast.LShift(), ">>": ast.RShift(),
}  # fmt: skip
_UNARY: dict[str, ast.unaryop] = {
    "UNARY_NEGATIVE": ast.USub(), "UNARY_NOT": ast.Not(), "UNARY_INVERT": ast.Invert(),
    "UNARY_POSITIVE": ast.UAdd(), "INTRINSIC_UNARY_POSITIVE": ast.UAdd(),
}  # fmt: skip
_COMPARISONS: dict[str, ast.cmpop] = {
    "<": ast.Lt(), "<=": ast.LtE(), "==": ast.Eq(), "!=": ast.NotEq(), ">": ast.Gt(),
    ">=": ast.GtE(), "IS_OP 0": ast.Is(), "IS_OP 1": ast.IsNot(), "CONTAINS_OP 0": ast.In(),
    "CONTAINS_OP 1": ast.NotIn(),
}  # fmt: skip


@_writes("BINARY_OP")
def _binary(b: Block, step: Any) -> None:
    left, right = b.take(2)
    symbol = step.argrepr
    made = InPlace if symbol.endswith("=") else ast.BinOp
    b.push(made(left, _OPERATORS[symbol.removesuffix("=")], right))


@_writes("UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "UNARY_POSITIVE")
def _unary(b: Block, step: Any) -> None:
    b.push(ast.UnaryOp(_UNARY[step.opname], b.pop()))


@_writes("CALL_INTRINSIC_1")
def _intrinsic(b: Block, step: Any) -> None:
    if step.argrepr == "INTRINSIC_LIST_TO_TUPLE":
        _to_tuple(b, step)
    else:
        b.push(ast.UnaryOp(_UNARY[step.argrepr], b.pop()))


@_writes("COMPARE_OP", "IS_OP", "CONTAINS_OP")
def _compare(b: Block, step: Any) -> None:
    left, right = b.take(2)
    which = step.argval if step.opname == "COMPARE_OP" else f"{step.opname} {step.arg}"
    b.push(ast.Compare(left, [_COMPARISONS[which]], [right]))


@_writes("TO_BOOL")
def _to_bool(b: Block, step: Any) -> None:
    """Before a jump: the text does not say it."""


# --- containers


@_writes("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET")
def _build(b: Block, step: Any) -> None:
    items = b.take(step.arg)
    if step.opname == "BUILD_SET":
        b.push(ast.Set(items))
    elif step.opname == "BUILD_LIST":
        b.push(ast.List(items, ast.Load()))
    else:
        b.push(ast.Tuple(items, ast.Load()))


@_writes("BUILD_MAP")
def _build_map(b: Block, step: Any) -> None:
    items = b.take(2 * step.arg)
    b.push(ast.Dict([*items[::2]], items[1::2]))


@_writes("BUILD_CONST_KEY_MAP")
def _build_map_of(b: Block, step: Any) -> None:
    keys = [ast.Constant(key) for key in _constant_tuple(b.pop())]
    b.push(ast.Dict([*keys], b.take(step.arg)))


@_writes("LIST_EXTEND")
def _extend(b: Block, step: Any) -> None:
    """``[*a, *b]``; a list of constants is kept as a tuple."""
    more, whole = b.pop(), b.pop()
    if not isinstance(whole, ast.List):
        raise Unknown
    if isinstance(more, ast.Constant) and not whole.elts:
        whole.elts += [ast.Constant(item) for item in _constant_tuple(more)]
    else:
        whole.elts.append(ast.Starred(more, ast.Load()))
    b.push(whole)


@_writes("LIST_APPEND")
def _append(b: Block, step: Any) -> None:
    more, whole = b.pop(), b.pop()
    if not isinstance(whole, ast.List):
        raise Unknown
    whole.elts.append(more)
    b.push(whole)


@_writes("LIST_TO_TUPLE")
def _to_tuple(b: Block, step: Any) -> None:
    whole = b.pop()
    if not isinstance(whole, ast.List):
        raise Unknown
    b.push(ast.Tuple(whole.elts, ast.Load()))


@_writes("DICT_MERGE", "DICT_UPDATE")
def _merge(b: Block, step: Any) -> None:
    more, whole = b.pop(), b.pop()
    if not isinstance(whole, ast.Dict):
        raise Unknown
    whole.keys.append(None)
    whole.values.append(more)
    b.push(whole)


def _constant_tuple(node: ast.expr) -> tuple[Any, ...]:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, tuple):
        raise Unknown
    return node.value


# --- calls and statements


@_writes("PUSH_NULL")
def _push_null(b: Block, step: Any) -> None:
    b.push(Null())


@_writes("CALL", "CALL_KW")
def _call(b: Block, step: Any) -> None:
    words = _constant_tuple(b.pop()) if step.opname == "CALL_KW" else b.keywords
    b.keywords = ()
    named = b.take(len(words))
    args = b.take(step.arg - len(words))
    keywords = [ast.keyword(word, value) for word, value in zip(words, named, strict=True)]
    b.push(ast.Call(b.pop_function(), args, keywords))


@_writes("CALL_FUNCTION_EX")
def _call_with_stars(b: Block, step: Any) -> None:
    keywords: list[ast.keyword] = []
    if step.arg & 1:
        given = b.pop()
        if not isinstance(given, ast.Dict):
            raise Unknown
        for key, value in zip(given.keys, given.values, strict=True):
            word = key.value if isinstance(key, ast.Constant) else None
            keywords.append(ast.keyword(word, value))  # type: ignore[arg-type]
    args = b.pop()
    items: list[ast.expr] = [ast.Starred(args, ast.Load())]
    if isinstance(args, ast.Tuple):
        items = args.elts
    elif isinstance(args, ast.Constant):
        items = [ast.Constant(item) for item in _constant_tuple(args)]
    b.push(ast.Call(b.pop_function(), items, keywords))


@_writes("POP_TOP")
def _pop_top(b: Block, step: Any) -> None:
    b.say(ast.Expr(b.pop()))


@_writes("RETURN_VALUE")
def _return(b: Block, step: Any) -> None:
    b.say(ast.Return(b.pop()))


@_writes("RETURN_CONST")
def _return_const(b: Block, step: Any) -> None:
    b.say(ast.Return(ast.Constant(step.argval)))


@_writes("RAISE_VARARGS")
def _raise(b: Block, step: Any) -> None:
    cause = b.pop() if step.arg == 2 else None
    b.say(ast.Raise(b.pop() if step.arg else None, cause))
