"""Runs a Wengert list directly, one node at a time: the reference for what a program means."""

from __future__ import annotations

import builtins
import inspect
import operator
from types import CellType, CodeType, FunctionType
from typing import Any

from astad.code_objects import inner_codes
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Prim,
    Program,
    Raise,
    Star,
    While,
)
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.runtime import language

__all__ = ["run"]

FALLS = object()
ABSENT = object()


class Machine:
    """One call of a user's function."""

    def __init__(self, program: Program, fn: FunctionType) -> None:
        self.program = program
        self.fn = fn
        self.values: dict[str, Any] = {}

    def get(self, operand: Any) -> Any:
        if isinstance(operand, Const):
            return operand.value
        if operand not in self.values:
            raise UnboundLocalError(
                f"cannot access local variable '{operand}' where it is not associated with a value"
            )
        return self.values[operand]

    def block(self, block: Block) -> Any:
        """FALLS, 'break', 'continue' or ('return', value)."""
        for node in block:
            how = self.node(node)
            if how is not FALLS:
                return how
        return FALLS

    def node(self, node: Node) -> Any:
        match node:
            case Bind():
                self.values[node.target] = self.get(node.source)
            case Call():
                value = self.call(node)
                if node.target is not None:
                    self.values[node.target] = value
            case Branch():
                return self.block(node.body if self.get(node.test) else node.orelse)
            case Loop():
                return self.loop(node)
            case While():
                return self.whiles(node)
            case Exit():
                return ("return", self.get(node.value)) if node.how == "return" else node.how
            case Raise():
                self.throw(node)
        return FALLS

    def loop(self, node: Loop) -> Any:
        for item in self.get(node.iterable):
            self.values[node.target] = item
            how = self.block(node.body)
            if how == "break":
                return FALLS
            if how not in (FALLS, "continue"):
                return how
        return self.block(node.orelse)

    def whiles(self, node: While) -> Any:
        while True:
            assert self.block(node.head) is FALLS
            if not self.get(node.test):
                return self.block(node.orelse)
            how = self.block(node.body)
            if how == "break":
                return FALLS
            if how not in (FALLS, "continue"):
                return how

    def throw(self, node: Raise) -> None:
        if node.exc is None:
            raise
        if node.cause is None:
            raise self.get(node.exc)
        raise self.get(node.exc) from self.get(node.cause)

    def call(self, node: Call) -> Any:
        if node.fn == Prim("forget"):
            self.get(node.args[0])
            return self.values.pop(node.args[0])
        args: list[Any] = []
        for arg in node.args:
            args.extend(self.get(arg.operand)) if isinstance(arg, Star) else args.append(
                self.get(arg)
            )
        named: dict[str, Any] = {}
        for key, value in node.keywords:
            named.update(self.get(value) if key is None else {key: self.get(value)})
        if not isinstance(node.fn, Prim):
            return self.get(node.fn)(*args, **named)
        return self.prim(node.fn.name, args, named)

    def prim(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if name in BINARY or name in COMPARE or name in IN_PLACE or name in UNARY:
            return getattr(operator, name)(*args)
        return getattr(self, "do_" + name)(*args, **named)

    do_contains = staticmethod(operator.contains)
    do_getitem = staticmethod(operator.getitem)
    do_setitem = staticmethod(operator.setitem)
    do_delitem = staticmethod(operator.delitem)
    do_getattr = staticmethod(getattr)
    do_setattr = staticmethod(setattr)
    do_delattr = staticmethod(delattr)
    do_slice = staticmethod(slice)
    do_cell_new = staticmethod(CellType)

    def do_not_contains(self, container: Any, item: Any) -> Any:
        return item not in container

    def do_method(self, o: Any, name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(o, name)(*args, **keywords)

    def do_tuple(self, *items: Any) -> Any:
        return items

    def do_list(self, *items: Any) -> Any:
        return list(items)

    def do_set(self, *items: Any) -> Any:
        return set(items)

    def do_dict(self, *pairs: Any) -> Any:
        return dict(zip(pairs[::2], pairs[1::2], strict=True))

    def do_dict_merge(self, d: Any, mapping: Any, *called: Any) -> None:
        language.dict_merge(d, mapping, *called)

    def do_list_append(self, values: Any, v: Any) -> None:
        values.append(v)

    def do_value_append(self, values: Any, v: Any) -> None:
        language.value_append(values, v)

    def do_set_add(self, values: Any, v: Any) -> None:
        values.add(v)

    def do_unpack(self, value: Any, count: int, star: int | None) -> tuple[Any, ...]:
        names = [f"v{i}" for i in range(count)]
        targets = ", ".join("*" + name if i == star else name for i, name in enumerate(names))
        known = {"value": value}
        exec(f"[{targets}] = value", {}, known)
        return tuple(known[name] for name in names)

    def do_global(self, name: str) -> Any:
        found = self.fn.__globals__.get(name, getattr(builtins, name, ABSENT))
        if found is ABSENT:
            raise NameError(f"name '{name}' is not defined")
        return found

    do_cell_get = staticmethod(language.cell_get)
    do_cell_get_local = staticmethod(language.cell_get_local)
    do_adder = staticmethod(language.adder)

    def do_cell_set(self, cell: CellType, v: Any) -> None:
        cell.cell_contents = v

    def do_function(
        self,
        key: tuple[str, int, int],
        *cells: CellType,
        defaults: Any = None,
        kwdefaults: Any = None,
    ) -> Any:
        code = inner_code(self.fn.__code__, key)
        made = FunctionType(code, self.fn.__globals__, code.co_name, defaults, cells)
        made.__kwdefaults__ = kwdefaults
        return made

    def do_format(self, value: Any, conversion: str | None, spec: str) -> str:
        convert = {"s": str, "r": repr, "a": ascii, None: lambda v: v}[conversion]
        return format(convert(value), spec)

    def do_join(self, *parts: str) -> str:
        return "".join(parts)

    def do_import(self, module: str, fromlist: Any, level: int) -> Any:
        return __import__(module, self.fn.__globals__, None, fromlist, level)

    def do_import_from(self, module: Any, name: str) -> Any:
        try:
            return getattr(module, name)
        except AttributeError:
            raise ImportError(f"cannot import name {name!r}") from None


def inner_code(code: CodeType, key: tuple[str, int, int]) -> CodeType:
    """The code object that a ``function`` operation means."""
    name, line, number = key
    first = code.co_firstlineno
    fitting = [
        c for c in inner_codes(code) if c.co_name == name and c.co_firstlineno - first == line
    ]
    return fitting[number]


def run(program: Program, fn: FunctionType, *args: Any, **keywords: Any) -> Any:
    """What ``fn(*args, **keywords)`` gives, by its Wengert list."""
    bound = inspect.signature(fn, follow_wrapped=False).bind(*args, **keywords)
    bound.apply_defaults()
    machine = Machine(program, fn)
    machine.values.update(bound.arguments)
    machine.values.update(
        zip((cell for _, cell in program.free), fn.__closure__ or (), strict=True)
    )
    how = machine.block(program.body)
    assert isinstance(how, tuple), "the program fell off its end"
    return how[1]
