"""A text for a function that has none: written from its instructions, statement by statement.

Code made by ``exec`` leaves no text behind. Most of it is short: an ``__init__`` that fills in
fields, a wrapper that hands its arguments on. What cannot be written here gives no text; and
whatever is written is compiled again and compared with the code that runs, as any text is, so that
a wrong one is never taken.

>>> space = {}
>>> exec("def area(box, scale=1.0):\\n    side = box['side']\\n    return side ** 2 * scale", space)
>>> print(next(texts_of(space["area"].__code__)), end="")
def area(box, scale):
    side = box['side']
    return side ** 2 * scale

A stretch of instructions on its way to statements: expressions in the place of values.

>>> block = Block([])
>>> block.push(ast.Name("x", ast.Load()))
>>> block.assign(ast.Name("y", ast.Store()))
>>> print(ast.unparse(ast.fix_missing_locations(block.statements[0])))
y = x

What each instruction says in a text: a table by the names of Python 3.11 to 3.13.

An instruction that is not in it is not written; nor is one that a text says by its place, a jump.

>>> block = Block([ast.Name("x", ast.Load())])
>>> WRITERS["RETURN_VALUE"](block, None)
>>> print(ast.unparse(block.statements[0]))
return x
"""

from __future__ import annotations

import ast
import dis
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

from astad.code_objects import MORE, REST

__all__ = ["texts_of"]

# --- a stretch of instructions


_NULL_ABOVE = sys.version_info >= (3, 13)
"""Whether what a call has beside its function lies above it."""


class Unknown(Exception):
    """An instruction, or a jump, that is not written here.

    Where one is raised of a stack, Python writes other instructions than these today: what holds
    no statement is a text less, and never a wrong one.
    """


class Null:
    """What calls have on the stack beside the function."""


class InPlace(ast.BinOp):
    """The value of an operation such as ``+=`` before it is stored."""


class Piece:
    """One of the values of a tuple that is taken apart."""

    def __init__(self, value: ast.expr, count: int, targets: list[ast.expr]) -> None:
        self.value, self.count, self.targets = value, count, targets


Item = ast.expr | Null | Piece


class Block:
    """The statements of a stretch of instructions, and the stack they leave."""

    def __init__(self, stack: list[Item]) -> None:
        self.stack = stack
        self.statements: list[ast.stmt] = []
        self.keywords: tuple[str, ...] = ()

    def push(self, item: Item) -> None:
        self.stack.append(item)

    def pop(self) -> ast.expr:
        item = self.stack.pop()
        if not isinstance(item, ast.expr):
            raise Unknown
        return item

    def take(self, count: int) -> list[ast.expr]:
        """The topmost so many, in the order in which they were put there."""
        return [self.pop() for _ in range(count)][::-1]

    def say(self, statement: ast.stmt) -> None:
        self.statements.append(statement)

    def assign(self, target: ast.expr) -> None:
        """Of what lies on top; ``x += v`` and ``a, b = v`` are seen by what that is."""
        item = self.stack.pop()
        if isinstance(item, InPlace):
            assert isinstance(target, (ast.Name, ast.Attribute, ast.Subscript))
            self.say(ast.AugAssign(target, item.op, item.right))
        elif isinstance(item, Piece):
            item.targets.append(target)
            if len(item.targets) == item.count:
                self.say(ast.Assign([ast.Tuple(item.targets, ast.Store())], item.value))
        elif isinstance(item, ast.expr):
            self.say(ast.Assign([target], item))
        else:
            raise Unknown

    def push_function(self, fn: ast.expr) -> None:
        """With what calls have beside it."""
        self.stack += [fn, Null()] if _NULL_ABOVE else [Null(), fn]

    def pop_function(self) -> ast.expr:
        first, second = self.stack.pop(), self.stack.pop()
        null, fn = (first, second) if _NULL_ABOVE else (second, first)
        if not isinstance(null, Null) or not isinstance(fn, ast.expr):
            raise Unknown
        return fn


# --- what each instruction says


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


LONGEST = 2000
"""Instructions of code that is tried."""


def texts_of(code: CodeType) -> Iterator[str]:
    """Texts of a module in which a function at the line of ``code`` may compile to it."""
    if len(code.co_code) > 2 * LONGEST or "__class__" in code.co_freevars:
        return
    body = _statements(code)
    if body is None:
        return
    doc = code.co_consts[0] if code.co_consts else None
    yield _module(code, body)
    if isinstance(doc, str):
        yield _module(code, [ast.Expr(ast.Constant(doc)), *body])


def _module(code: CodeType, body: list[ast.stmt]) -> str:
    """The text, with empty lines before it so that the function stands at its own line."""
    arguments = _arguments(code)
    made: ast.stmt
    if code.co_name == "<lambda>":
        made = ast.Expr(ast.Lambda(arguments, _returned(body)))
    else:
        made = ast.FunctionDef(code.co_name, arguments, body or [ast.Pass()], [])
    if code.co_freevars:  # captured names are arguments of a function around it
        captured = [ast.arg(name) for name in code.co_freevars]
        made = ast.FunctionDef(_AROUND, _signature(captured), [made], [])
    text = ast.unparse(ast.fix_missing_locations(made)) + "\n"
    lines = text.splitlines(keepends=True)
    own = next((k for k, line in enumerate(lines) if _BEGINS.match(line)), 0)
    before = [line for line in lines[:own] if line.strip()]  # as of a frozen dataclass: on line 2
    above = "\n" * (code.co_firstlineno - 1 - len(before))
    return "".join([above, *before, *lines[own:]])


_AROUND = "captures"
_BEGINS = re.compile(rf"\s*(def (?!{_AROUND}\()|lambda)")
"""The line of the function itself."""


def _returned(body: list[ast.stmt]) -> ast.expr:
    """What a lambda returns; of other statements, nothing that compiles to the same code."""
    first, *rest = body
    if isinstance(first, ast.Return) and first.value is not None:
        return first.value
    if isinstance(first, ast.If) and first.body and (first.orelse or rest):
        return ast.IfExp(first.test, _returned(first.body), _returned(first.orelse or rest))
    return ast.Constant(None)


def _arguments(code: CodeType) -> ast.arguments:
    """The parameters; their defaults, which are the function's own, are left out."""
    names = [ast.arg(name) for name in code.co_varnames]
    first, count, only = code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount
    made = _signature(names[first:count], names[:first], names[count : count + only])
    rest = names[count + only :]
    made.vararg = rest.pop(0) if code.co_flags & REST else None
    made.kwarg = rest.pop(0) if code.co_flags & MORE else None
    return made


def _signature(
    names: list[ast.arg], first: Sequence[ast.arg] = (), only: Sequence[ast.arg] = ()
) -> ast.arguments:
    none: list[ast.expr | None] = [None] * len(only)
    return ast.arguments(
        posonlyargs=list(first), args=names, vararg=None, kwonlyargs=list(only), kw_defaults=none,
        kwarg=None, defaults=[],
    )  # fmt: skip


# --- statements


def _statements(code: CodeType) -> list[ast.stmt] | None:
    """The body of a function without loops, handlers and inner functions; None for others."""
    if code.co_exceptiontable or any(isinstance(const, CodeType) for const in code.co_consts):
        return None
    steps = list(dis.get_instructions(code))
    try:
        return _Writer(code, steps).block(0, len(steps)).statements
    except (Unknown, IndexError, KeyError):
        return None


class _Writer:
    """Blocks of one code object; a jump forwards makes a branch of what it jumps over."""

    def __init__(self, code: CodeType, steps: list[dis.Instruction]) -> None:
        self.code, self.steps = code, steps
        self.at = {step.offset: k for k, step in enumerate(steps)}

    def block(self, first: int, last: int, stack: list[Item] | None = None) -> Block:
        made = Block([] if stack is None else list(stack))
        k = first
        while k < last:
            step = self.steps[k]
            if step.opname in _JUMPS:
                k = self.branch(made, k, last)
            elif step.opname == "KW_NAMES":
                made.keywords = self.code.co_consts[step.arg or 0]
                k += 1
            else:
                WRITERS[step.opname](made, step)
                k += 1
        return made

    def branch(self, made: Block, k: int, last: int) -> int:
        """Write a branch that begins at a conditional jump; where to go on."""
        step = self.steps[k]
        target = self.at[step.argval]
        if not k < target <= last:
            raise Unknown
        if step.opname in _SHORT:
            return self.short_circuit(made, _SHORT[step.opname], k, target)
        test = _JUMPS[step.opname](made.pop())
        end, after = target, target
        if self.steps[target - 1].opname == "JUMP_FORWARD":
            end, after = target - 1, self.at[self.steps[target - 1].argval]
        if after > last:
            raise Unknown
        yes = self.block(k + 1, end, made.stack)
        no = self.block(target, after, made.stack)
        if len(yes.stack) == len(no.stack) == len(made.stack):
            made.say(ast.If(test, yes.statements or [ast.Pass()], no.statements))
        elif yes.statements or no.statements or len(yes.stack) != len(made.stack) + 1:
            raise Unknown
        else:
            made.push(ast.IfExp(test, yes.pop(), no.pop()))
        return after

    def short_circuit(self, made: Block, op: ast.boolop, k: int, target: int) -> int:
        """``a and b``, before Python 3.12."""
        left = made.pop()
        right = self.block(k + 1, target, made.stack).pop()
        made.push(ast.BoolOp(op, [left, right]))
        return target


def _is_none(node: ast.expr) -> ast.expr:
    return ast.Compare(node, [ast.Is()], [ast.Constant(None)])


def _is_not_none(node: ast.expr) -> ast.expr:
    return ast.Compare(node, [ast.IsNot()], [ast.Constant(None)])


_SHORT: dict[str, ast.boolop] = {"JUMP_IF_FALSE_OR_POP": ast.And(), "JUMP_IF_TRUE_OR_POP": ast.Or()}
_TESTS: dict[str, Callable[[ast.expr], ast.expr]] = {
    "IF_FALSE": lambda value: value,
    "IF_TRUE": lambda value: ast.UnaryOp(ast.Not(), value),
    "IF_NONE": _is_not_none,
    "IF_NOT_NONE": _is_none,
}
_JUMPS: dict[str, Callable[[ast.expr], ast.expr]] = {
    **{f"POP_JUMP_{which}": test for which, test in _TESTS.items()},
    **{f"POP_JUMP_FORWARD_{which}": test for which, test in _TESTS.items()},
    **dict.fromkeys(_SHORT, lambda value: value),
}
