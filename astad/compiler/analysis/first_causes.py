"""Why a statement is left to the run time: the first thing behind it that is not known.

What is computed from an unknown value is unknown, too. So each statement that is dispatched is
followed backwards through its operands, to the first that makes something unknown of what is known.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import UNKNOWN
>>> from astad.compiler.lower.function import program_of
>>> known = program_of('''
...     y = p.mass
...     return y * 2.0
... ''')
>>> facts = find_facts(known, {"p": UNKNOWN}, ["p"], Space({}))
>>> for left in find_left(known, facts):
...     print(left.line, left.cause.line, left.cause.sort, left.cause.what, left.cause.base)
2 2 attribute p.mass p
3 2 attribute p.mass p
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.kinds import INERT, ITEMS, UNKNOWN
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Param,
    Prim,
    Program,
    Ref,
    Star,
    While,
    immutable,
)
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.compiler.ir.walk import blocks, walk
from astad.rules.registry import lookup

__all__ = ["Cause", "Left", "find_left"]


@immutable
class Cause:
    """The first unknown: what ``sort`` of thing it is, ``what`` in the user's words, at which line.

    ``base`` is what it was read of, as far as a word tells: a parameter, a global name; ``known``
    the object that is called, if that is known; ``kinds`` those of the operands.
    """

    sort: str
    what: str
    line: int
    base: str = ""
    known: object = None
    kinds: tuple[str, ...] = ()


@immutable
class Left:
    """A statement that is left to the run time, ``depth`` loops deep."""

    line: int
    depth: int
    cause: Cause


SIGNS = {**BINARY, **IN_PLACE, **UNARY, **COMPARE}
DISPLAYS = {"tuple": "tuple", "list": "list", "dict": "dict", "set": "set"}
BRACKETS = {"tuple": "(...)", "list": "[...]", "dict": "{...}", "set": "{...}"}
BOUND_ANEW = ("read_global", "write_global", "delete_global")
CELLS = ("cell_new", "cell_get", "cell_get_local", "cell_set", "cell_clear")
FILLING = (*map(Prim, ("list_extend", "list_append", "value_append", "set_add", "dict_merge")),)
"""What puts items into a fresh display."""
READS = {"getattr": "attribute", "method": "method", "getitem": "item"}
WRITES = {"setattr": "attribute store", "setitem": "item store"}
OWN = ("parameter", "global", "loop item", "inner function")
"""What only hands on something: reading a part of it is the cause then."""


def find_left(
    program: Program, facts: Facts, taken: frozenset[str] | None = None
) -> Iterator[Left]:
    """The statements that are dispatched, in the order of the text; ``taken`` are the names that
    the user has.
    """
    search = _Search(program, facts, program.taken if taken is None else taken)
    for node, depth in _with_depth(program.body, 0):
        if isinstance(node, Call) and facts.treatment.get(id(node)) == "dispatch":
            if isinstance(node.fn, Ref):
                continue  # a step of a call with stars, which has a row of its own
            cause = search.of_call(node, set())
            yield Left(node.line, depth, cause or _operation(node, search))


def _with_depth(block: Block, depth: int) -> Iterator[tuple[Node, int]]:
    for node in block:
        yield node, depth
        for inner in blocks(node):
            yield from _with_depth(inner, depth + isinstance(node, (Loop, While)))


class _Search:
    """Who binds each name of a program."""

    def __init__(self, program: Program, facts: Facts, taken: frozenset[str]) -> None:
        self.facts, self.program, self.taken = facts, program, taken
        self.params: dict[str, Param] = {param.name: param for param in program.params}
        self.cells = {cell: name for name, cell in program.free}
        self.makers: dict[str, list[Node]] = {}
        for node in walk(program.body):
            filled = node.args[:1] if isinstance(node, Call) and node.fn in FILLING else ()
            for name in (*node.bound, *filled):
                self.makers.setdefault(str(name), []).append(node)

    def of_call(self, node: Call, seen: set[int]) -> Cause | None:
        """The first unknown behind a call; None where one is on the way in a circle."""
        if id(node) in seen:
            return None
        seen.add(id(node))
        causes = [self.of_name(name, seen) for name in self._unknown(node)]
        found = [cause for cause in causes if cause is not None]
        first = next((cause for cause in found if cause.sort not in OWN), None)
        if first is not None:
            return first
        if not found and causes and isinstance(node.fn, Prim) and node.fn.name in SIGNS:
            return None  # it is unknown because of what comes round a loop
        return _operation(node, self, found[0] if found else None)

    def _unknown(self, node: Call) -> Iterator[str]:
        operands = [node.fn, *node.args, *(value for _, value in node.keywords)]
        for operand in operands:
            inner = operand.operand if isinstance(operand, Star) else operand
            if isinstance(inner, str) and self.facts.kind_of(inner) is UNKNOWN:
                yield inner

    def of_name(self, name: str, seen: set[int]) -> Cause | None:
        """The first unknown behind a name of unknown kind."""
        for node in self.makers.get(name, ()):
            cause = self._of_maker(node, seen)
            if cause is not None:
                return cause
        if name in self.params:
            sort = {"args": "*args", "kwargs": "**keywords"}.get(
                self.params[name].kind, "parameter"
            )
            return Cause(sort, name, self.program.line, name)
        if name in self.cells:
            return Cause("captured", self.cells[name], self.program.line, self.cells[name])
        return None

    def _of_maker(self, node: Node, seen: set[int]) -> Cause | None:
        if isinstance(node, Bind):
            is_unknown = isinstance(node.source, str) and self.facts.kind_of(node.source) is UNKNOWN
            if not is_unknown or id(node) in seen:
                return None
            seen.add(id(node))
            return self.of_name(str(node.source), seen)
        if isinstance(node, Loop):
            return self._of_loop(node, seen)
        if not isinstance(node, Call):
            return None
        if self.facts.treatment.get(id(node)) == "dispatch":
            return self.of_call(node, seen)
        if node.fn == Prim("global") and node.target not in self.facts.known:
            word = _constant(node.args[0])
            return Cause("global", word, node.line, word)
        if isinstance(node.fn, Prim) and node.fn.name in BOUND_ANEW:
            return _operation(node, self)
        if node.fn == Prim("function"):
            return Cause("inner function", self.text(str(node.target)), node.line)
        return None

    def _of_loop(self, node: Loop, seen: set[int]) -> Cause | None:
        if id(node) in seen:
            return None
        seen.add(id(node))
        over = self.text(node.iterable)
        if isinstance(node.iterable, str) and self.facts.kind_of(node.iterable) is UNKNOWN:
            before = self.of_name(node.iterable, seen)
            if before is not None and before.sort not in OWN:
                return before
            base = before.base if before is not None else ""
            return Cause("loop item", over, node.line, base)
        item = self.facts.walks[id(node)].item_kind(self.facts.kind_of)
        return Cause("loop item", over, node.line) if item is UNKNOWN else None

    def is_joined(self, node: Call) -> bool:
        """Does the name that it binds stand for what others give, too?"""
        return len(self.makers.get(str(node.target), ())) > 1

    def text(self, operand: Operand | Star | Prim) -> str:
        """An operand as the user may have written it."""
        if isinstance(operand, Const):
            return repr(operand.value)
        if isinstance(operand, Star):
            return f"*{self.text(operand.operand)}"
        if not isinstance(operand, str):
            return "a value"
        if operand in self.facts.path:
            return self.facts.path[operand].rpartition(":")[2]
        if operand in self.taken:
            return operand
        makers = self.makers.get(operand, ())
        if len(makers) == 1 and isinstance(makers[0], Call):
            return self._text_of_call(makers[0])
        if len(makers) == 1 and isinstance(makers[0], Bind) and makers[0].source != operand:
            return self.text(makers[0].source)
        base = operand.rpartition("_")[0]
        return base if base in self.taken else "a value"

    def _text_of_call(self, node: Call) -> str:
        if not isinstance(node.fn, Prim):
            return f"{self.text(node.fn)}(...)"
        name = node.fn.name
        if name in BRACKETS:
            return BRACKETS[name]
        if name == "global":
            return _constant(node.args[0])
        if name == "getattr":
            return f"{self.text(node.args[0])}.{_constant(node.args[1])}"
        if name == "method":
            return f"{self.text(node.args[0])}.{_constant(node.args[1])}(...)"
        if name == "getitem":
            return f"{self.text(node.args[0])}[{self.text(node.args[1])}]"
        if name in ("cell_get", "cell_get_local"):
            return _constant(node.args[1])
        return "a value"


def _constant(operand: object) -> str:
    return str(operand.value) if isinstance(operand, Const) else "a value"


def _operation(node: Call, search: _Search, behind: Cause | None = None) -> Cause:
    """The call itself, as the first that makes something unknown; ``behind`` it is only a name
    that hands something on.
    """
    base = behind.base if behind is not None else ""
    kinds = tuple(_kind(arg, search.facts) for arg in node.args)
    if any(isinstance(arg, Star) for arg in node.args) or any(
        key is None for key, _ in node.keywords
    ):
        return Cause("starred call", search.text(node.fn), node.line)
    if not isinstance(node.fn, Prim):
        return _of_function(node, search, behind, kinds)
    name = node.fn.name
    if name in READS or name in WRITES:
        sort = READS.get(name) or WRITES[name]
        if name == "getattr" and behind is not None and behind.sort == "loop item":
            sort = "attribute of an item"
        what = search.text(node.args[0])
        if name in ("getitem", "setitem"):
            what += f"[{search.text(node.args[1])}]"
        else:
            what += f".{_constant(node.args[1])}"
        return Cause(sort, what, node.line, base or search.text(node.args[0]), None, kinds)
    if name == "apply" or (name in ("list_extend", "dict_merge") and len(node.args) == 3):
        whole = node.args[0] if name == "apply" else node.args[2]
        return Cause("starred call", search.text(whole), node.line, base)
    if name in BOUND_ANEW:
        return Cause("global bound anew", _constant(node.args[1]), node.line)
    if name in CELLS:
        word = str(node.target) if name == "cell_new" else str(node.args[0])
        return Cause("cell", word.removesuffix("_cell"), node.line)
    if name in DISPLAYS:
        return Cause("display", DISPLAYS[name], node.line)
    if name == "unpack":
        return Cause("unpacking", search.text(node.args[0]), node.line, base)
    if behind is not None:  # it computes with what a parameter, a global, an item holds
        return behind
    unknown = [arg for arg in node.args if search.facts.kind_of(arg) is UNKNOWN]
    if unknown:
        return Cause("several kinds", search.text(unknown[0]), node.line)
    if search.is_joined(node):
        return Cause("several kinds", search.text(str(node.target)), node.line)
    if name in SIGNS:
        return Cause("operator", SIGNS[name].strip(), node.line, "", None, kinds)
    return Cause("operation", name, node.line)


def _of_function(
    node: Call, search: _Search, behind: Cause | None, kinds: tuple[str, ...]
) -> Cause:
    """The same of a call of a function."""
    base = behind.base if behind is not None else ""
    known = search.facts.known.get(str(node.fn))
    if isinstance(node.fn, Ref):
        return behind or Cause("operation", node.fn.name, node.line)
    unknown = [arg for arg in node.args if search.facts.kind_of(arg) is UNKNOWN]
    if node.keywords and type(known) is FunctionType:
        return Cause("keyword call", search.text(node.fn), node.line, base, known, kinds)
    if known is None:
        return Cause("unknown function", search.text(node.fn), node.line, base)
    if not unknown and lookup(known) is not None and search.is_joined(node):
        return Cause("several kinds", search.text(str(node.target)), node.line)
    if unknown and behind is not None and type(known) is FunctionType:
        return Cause("argument", search.text(node.fn), node.line, base, known, kinds)
    return Cause("function", search.text(node.fn), node.line, base, known, kinds)


def _kind(operand: Operand | Star, facts: Facts) -> str:
    kind = UNKNOWN if isinstance(operand, Star) else facts.kind_of(operand)
    return "a display" if kind is ITEMS else "no number" if kind is INERT else kind.text
