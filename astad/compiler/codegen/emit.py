"""Write generated functions as a syntax tree: temporaries read once stand where they are read.

Order of evaluation is kept: a temporary moves only into the next statement, together with all those
after it.

Names of a text that stand for the user's globals: they are written as these, ``g.np.sin``.

Which statements may be written inside others, though their names are bound or read again.

Expressions of which only the truth matters: ``0 < x < 1`` for ``x < 1 if 0 < x else False``.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from astad.compiler.codegen.bindings import Bindings, constant_of, name_of, target_of
from astad.compiler.codegen.guards import recheck
from astad.compiler.codegen.operators import (
    SliceCall,
    expression_of_call,
    statement_of_call,
)
from astad.compiler.ir.dependence import Dependence
from astad.compiler.ir.derived import Function
from astad.compiler.ir.lines import is_reverse, is_same_line
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Raise,
    Ref,
    Star,
    Try,
    While,
    blocks,
)
from astad.compiler.ir.outline import outline

__all__ = ["emit_function"]

# --- names of globals


_LOOKUPS = ("global", "getattr")


def is_lookup(node: Call) -> bool:
    return isinstance(node.fn, Prim) and node.fn.name in _LOOKUPS


def looked_up(function: Function, paths: Mapping[str, str]) -> Mapping[str, str]:
    """Without the names whose value `function` is handed, as a pullback is what was kept: what the
    path leads to may be another by then.
    """
    found = outline(function)
    bound = paths.keys() & found.bound.keys()
    if not bound:
        return paths
    handed = bound - {call.target for call in found.calls_of(*_LOOKUPS)}
    return {name: path for name, path in paths.items() if name not in handed} if handed else paths


# --- statements written inside others


def momentary(body: Block, taken: frozenset[str]) -> set[int]:
    """Statements, by ``id``, that bind a cotangent which the next to read it binds anew.

    ``x_bar = a * b; x_bar = x_bar + c`` is written ``x_bar = a * b + c``, unless a statement that
    is printed stands between the two.
    """
    found: set[int] = set()
    last: Bind | Call | None = None
    for node in body:
        if type(node) in COMPOUND:
            for block in blocks(node):
                found |= momentary(block, taken)
        target = node.target if type(node) is Call or type(node) is Bind else None
        if last is not None and last.target in node.read:
            if last.target == target and node.read.count(target) == 1:
                found.add(id(last))
            last = None
        if not isinstance(target, str) or target in taken:
            last = None
        elif target.endswith("_bar"):
            last = node  # type: ignore[assignment]  # a target is that of a Bind or a Call
    return found


def only_tested(function: Function) -> set[str]:
    """Names that are read as tests, or kept to be tested later, and in no other way."""
    found = outline(function)
    tests = Counter(
        [
            name
            for node in found.nodes
            if type(node) is Branch or type(node) is While or _keeps(node)
            for name in node.read
        ]
    )
    return {name for name, count in tests.items() if found.read[name] == count}


TUPLE, METHOD, TRUTH = Prim("tuple"), Prim("method"), Prim("truth")


def _keeps(node: Node) -> bool:
    """Is it a record of an iteration, or does it append one?"""
    if type(node) is not Call:
        return False
    return node.fn is TUPLE or (node.fn is METHOD and node.args[1] == Const("append"))


# --- expressions of which the truth matters


def as_test(tree: ast.expr) -> ast.expr:
    """An expression that is true where this one is.

    >>> for text in ("x < 1 if 0 < x else False", "True if a else b", "c if a else b"):
    ...     print(ast.unparse(as_test(ast.parse(text, mode="eval").body)))
    0 < x < 1
    a or b
    c if a else b
    """
    if not isinstance(tree, ast.IfExp):
        return tree
    test, body, orelse = as_test(tree.test), as_test(tree.body), as_test(tree.orelse)
    made: ast.expr
    if _is_literal(orelse, False):
        made = _chained(test, body) or ast.BoolOp(ast.And(), [*_parts(test, ast.And), body])
    elif _is_literal(body, True):
        made = ast.BoolOp(ast.Or(), [*_parts(test, ast.Or), orelse])
    else:
        return tree
    if hasattr(tree, "lineno"):
        made.lineno = tree.lineno
    return made


def is_conjunction(body: ast.stmt, orelse: ast.stmt) -> bool:
    """Are these the arms of ``and`` (``t = x``, ``t = False``) or of ``or`` (``True`` first)?"""
    assert isinstance(body, ast.Assign) and isinstance(orelse, ast.Assign)
    return _is_literal(orelse.value, False) or _is_literal(body.value, True)


def negated(test: ast.expr) -> ast.expr:
    """``not test``."""
    return ast.UnaryOp(ast.Not(), test)


def with_test(loop: ast.While) -> ast.While:
    """``while test`` for ``while True`` with ``if not test: break`` at its head."""
    first = loop.body[0]
    is_endless = _is_literal(loop.test, True) and not loop.orelse
    if not is_endless or not isinstance(first, ast.If) or len(loop.body) < 2:
        return loop
    leaves = len(first.body) == 1 and isinstance(first.body[0], ast.Break) and not first.orelse
    if not leaves or not isinstance(first.test, ast.UnaryOp):
        return loop
    if not isinstance(first.test.op, ast.Not):
        return loop
    return ast.While(first.test.operand, loop.body[1:], [])


def _is_literal(tree: ast.expr, value: bool) -> bool:
    return isinstance(tree, ast.Constant) and tree.value is value


def _parts(tree: ast.expr, kind: type[ast.boolop]) -> list[ast.expr]:
    same = isinstance(tree, ast.BoolOp) and isinstance(tree.op, kind)
    return tree.values if same else [tree]  # type: ignore[attr-defined]


def _chained(first: ast.expr, second: ast.expr) -> ast.expr | None:
    """``a < b < c`` of ``a < b`` and ``b < c``, where b is a name."""
    if not isinstance(first, ast.Compare) or not isinstance(second, ast.Compare):
        return None
    middle, again = first.comparators[-1], second.left
    if not isinstance(middle, ast.Name) or not isinstance(again, ast.Name):
        return None
    if middle.id != again.id:
        return None
    return ast.Compare(
        first.left, [*first.ops, *second.ops], [*first.comparators, *second.comparators]
    )


Pending = dict[str, ast.expr]

LONGEST = 12
"""Operations that one written expression holds at the most."""
OPERATION = frozenset([ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, SliceCall])


def emit_function(
    function: Function,
    *,
    paths: Mapping[str, str],
    taken: frozenset[str],
    bindings: Bindings,
    nested: bool = True,
    is_text: bool = False,
    lasting: Set[str] = frozenset(),
) -> ast.FunctionDef:
    """One definition; ``lineno`` of statements and operations is the user's line, 0 for none.

    ``paths`` has the dotted paths of the names that stand for the user's globals, ``taken`` the
    identifiers of the user's text. ``nested``: an operation may be written inside another one.
    ``is_text``: the tree is printed, not compiled, so that one node may stand in several places.
    ``lasting``: names of numbers and bools, which are as true later as they are now.
    """
    emitter = _Emitter(function, paths, taken, bindings, nested, lasting)
    emitter.name = functools.cache(name_of) if is_text else name_of
    statements = emitter.block(function.body)
    parameters = [ast.arg(param) for param in function.params]
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    made = ast.FunctionDef(
        function.name, arguments, statements or [ast.Pass()], [], None, None, lineno=0
    )
    if sys.version_info >= (3, 12):
        made.type_params = []
    return made


class _Emitter:
    def __init__(
        self,
        function: Function,
        paths: Mapping[str, str],
        taken: frozenset[str],
        bindings: Bindings,
        nested: bool,
        lasting: Set[str],
    ) -> None:
        self.nested, self.lasting = nested, lasting
        self.taken = taken
        self.bindings = bindings
        self.reads, self.binds = _reads(function), outline(function).bound
        self.paths = looked_up(function, paths)
        self.moving = {
            name for name, times in self.reads.items() if times == 1 and self._moves(name)
        }
        self.momentary = momentary(function.body, taken) if nested else set()
        self.tested = only_tested(function) - taken
        self.node: Node = Exit("return", None, 0)
        self.pending: Pending = {}
        self.weight: dict[str, int] = {}
        self.large: set[str] = set()
        self.changing: set[str] = set()
        self.dependence = Dependence(harmless=self.paths)
        self.used, self.moves_change = 0, False
        self.line = 0
        self.mixes_lines = False
        self.name: Callable[[str], ast.Name] = name_of

    # -- blocks

    def block(self, block: Block) -> list[ast.stmt]:
        outer, self.pending = self.pending, {}
        out: list[ast.stmt] = []
        for node in block:
            self.line = node.line or self.line
            self.node = node
            self._node(node, out)
        self._flush(out)
        self.pending = outer
        return out

    def _node(self, node: Node, out: list[ast.stmt]) -> None:
        if isinstance(node, Call):
            self._call(node, out)
        elif isinstance(node, Bind):
            self._bind(node.target, self._consume([node.source], out)[0], out)
        elif isinstance(node, Branch):
            self._branch(node, out)
        elif isinstance(node, Loop):
            self._loop(node, out)
        elif isinstance(node, While):
            self._while(node, out)
        elif isinstance(node, Try):
            self._try(node, out)
        elif isinstance(node, Exit):
            self._exit(node, out)
        else:
            self._raise(node, out)

    def _bind(self, target: Any, value: ast.expr, out: list[ast.stmt]) -> None:
        if isinstance(target, str) and self._may_wait(target):
            self.pending[target], self.weight[target] = value, self.used + 1
            if self.moves_change or self.dependence.changed(self.node):
                self.changing.add(target)
            return
        self._flush(out)
        if isinstance(value, ast.Name) and value.id == target:
            return
        self._add(ast.Assign([target_of(target)], value, None), out)

    def _may_wait(self, target: str) -> bool:
        if id(self.node) in self.momentary:
            return not self.pending and self.used < LONGEST // 2
        return target in self.moving and self.used < LONGEST

    def _moves(self, name: str, binds: int = 1) -> bool:
        once = self.reads.get(name) == 1 and self.binds.get(name) == binds
        return once and name not in self.taken

    def _add(self, statement: ast.stmt, out: list[ast.stmt], line: int = 0) -> None:
        statement.lineno = line or self.line
        value = statement.__dict__.get("value")
        if value is not None and value.__dict__.get("is_of_one_line"):
            is_same = is_same_line(value.lineno, statement.lineno)
            statement.is_of_one_line = is_same  # type: ignore[attr-defined]
        out.append(statement)

    def _flush(self, out: list[ast.stmt]) -> None:
        if not self.pending:
            return
        for name, value in self.pending.items():
            line = value.__dict__.get("lineno", 0)
            self._add(ast.Assign([target_of(name)], value, None), out, line)
        self.pending = {}

    # -- operands

    def _consume(self, operands: Sequence[Operand | Star], out: list[ast.stmt]) -> list[ast.expr]:
        """Expressions of operands, in order of evaluation.

        Pending ones move in when they are the last, in this order.
        """
        given = operands if self.pending else ()
        wanted = [o for o in given if isinstance(o, str) and o in self.pending]
        if not wanted:
            return self._unmoved(operands)
        if wanted != list(self.pending)[len(self.pending) - len(wanted) :]:
            self._flush(out)
        self.used = sum([self.weight.get(name, 1) for name in wanted if name in self.pending])
        moved = {name: self.pending.pop(name) for name in wanted if name in self.pending}
        self.moves_change = not self.changing.isdisjoint(moved)
        self.mixes_lines = not all(map(self._is_of_this_line, moved.values()))
        return [self._expression(operand, moved) for operand in operands]

    def _unmoved(self, operands: Sequence[Operand | Star]) -> list[ast.expr]:
        """Expressions of operands of which none is pending."""
        self.used, self.mixes_lines, self.moves_change = 0, False, False
        paths, name, other = self.paths, self.name, self._expression
        return [
            name(each) if type(each) is str and each not in paths else other(each, {})
            for each in operands
        ]

    def _operands(
        self, name: str, args: Sequence[Operand | Star], out: list[ast.stmt]
    ) -> list[ast.expr]:
        """The operands of an operation of the language, evaluated in Python's order."""
        order = ORDERS.get(name)
        if order is None:
            return self._consume(args, out)
        found = dict(zip(order, self._consume([args[at] for at in order], out), strict=True))
        return [found[at] for at in range(len(args))]

    def _is_of_this_line(self, value: ast.expr) -> bool:
        is_one = value.__dict__.get("is_of_one_line", False)
        return is_one and is_same_line(value.lineno, self.line)

    def _expression(self, operand: Operand | Star, moved: Pending) -> ast.expr:
        if isinstance(operand, str):
            if operand in moved:
                return moved[operand]
            if operand in self.paths:
                return self.bindings.user_path(self.paths[operand])
            return self.name(operand)
        if isinstance(operand, Const):
            return constant_of(operand.value)
        assert isinstance(operand, Ref)
        return self.bindings.reference(operand)

    # -- nodes

    def _call(self, node: Call, out: list[ast.stmt]) -> None:
        if isinstance(node.target, str) and node.target in self.paths and is_lookup(node):
            return
        if node.fn is STILL:
            self._flush(out)
            paths = [str(arg.value) for arg in node.args if isinstance(arg, Const)]
            self._add(recheck(paths, self.bindings, self.line), out)
            return
        if node.fn is TRUTH and node.args[0] in self.lasting:
            self._bind(node.target, self._consume(node.args, out)[0], out)
            return
        if not self.nested and not OPERATION.isdisjoint(map(type, self.pending.values())):
            self._flush(out)
        if self.large and not self.large.isdisjoint(self.pending):
            self._flush(out)
        if node.fn is ACCUMULATE and not self.changing.isdisjoint(self.pending):
            self._flush(out)  # ``b[-1] += b.pop()`` reads b[-1] before b is changed
        value: ast.expr
        if type(node.fn) is Prim:
            name, args = node.fn.name, self._operands(node.fn.name, node.args, out)
            statement = statement_of_call(name, args, self.bindings)
            if statement is not None:
                self._flush(out)
                self._add(statement, out)
                return
            words = [ast.keyword(word, self._expression(each, {})) for word, each in node.keywords]
            value = expression_of_call(name, args, words, self.bindings)
        else:
            value = self._call_of_function(node, out)
        value.lineno = self.line
        value.is_of_one_line = not self.mixes_lines  # type: ignore[attr-defined]
        if node.target is None:
            self._flush(out)
            self._add(ast.Expr(value), out)
        else:
            self._bind(node.target, value, out)

    def _call_of_function(self, node: Call, out: list[ast.stmt]) -> ast.Call:
        given: list[Any] = [node.fn, *node.args]  # an operand or a starred one
        if not node.keywords:
            fn, *args = self._consume(given, out)
            return ast.Call(fn, args, [])
        fn, *args = self._consume([*given, *[value for _, value in node.keywords]], out)
        count = len(node.args)
        words = zip(node.keywords, args[count:], strict=True)
        return ast.Call(fn, args[:count], [ast.keyword(word, value) for (word, _), value in words])

    def _branch(self, node: Branch, out: list[ast.stmt]) -> None:
        test = as_test(self._consume([node.test], out)[0])
        tests_change = self.moves_change
        self._flush(out)
        line = self.line
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.line = line  # the test is not in the line of what ran last
        target = _same_target(body, orelse)
        if target is not None and self._moves(target, 2):
            first, second = body[0], orelse[0]
            assert isinstance(first, ast.Assign) and isinstance(second, ast.Assign)
            chosen = ast.IfExp(test, first.value, second.value, lineno=self.line)
            self.pending[target] = chosen
            if self.dependence.changed(node) or tests_change:
                self.changing.add(target)
            if ast.IfExp in (type(first.value), type(second.value)) and as_test(chosen) is chosen:
                self.large.add(target)  # it gets a line of its own
            return
        if target is not None and target in self.tested and is_conjunction(body[0], orelse[0]):
            first, second = body[0], orelse[0]
            assert isinstance(first, ast.Assign) and isinstance(second, ast.Assign)
            tested = as_test(ast.IfExp(test, first.value, second.value, lineno=self.line))
            if self._lasts(tested):
                self._add(ast.Assign(first.targets, tested, None), out)
                return
        if not body and not orelse:
            if not is_reverse(node):  # the test may raise, or change something
                self._add(ast.Expr(test), out)
        elif not body:
            self._add(ast.If(negated(test), orelse, []), out)
        else:
            self._add(ast.If(test, body, orelse), out)

    def _lasts(self, part: ast.expr) -> bool:
        """Is it as true when it is tested later? A list may be filled by then."""
        if isinstance(part, ast.BoolOp):
            return all(map(self._lasts, part.values))
        if isinstance(part, ast.Name):
            return part.id in self.lasting
        return isinstance(part, (ast.Compare, ast.UnaryOp, ast.BinOp, ast.Constant))

    def _loop(self, node: Loop, out: list[ast.stmt]) -> None:
        iterable = self._consume([node.iterable], out)[0]
        self._flush(out)
        line = self.line
        body, orelse = self.block(node.body) or [ast.Pass()], self.block(node.orelse)
        self.line = line
        self._add(ast.For(target_of(node.target), iterable, body, orelse, None), out)

    def _while(self, node: While, out: list[ast.stmt]) -> None:
        self._flush(out)
        line = self.line
        head: list[ast.stmt] = []
        outer, self.pending = self.pending, {}
        for part in node.head:
            self._node(part, head)
        test = as_test(self._consume([node.test], head)[0])
        self._flush(head)
        self.pending = outer
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.line = line
        if not head:
            self._add(with_test(ast.While(test, body or [ast.Pass()], orelse)), out)
            return
        leave: list[ast.stmt] = [*orelse, ast.Break()]
        for statement in leave:
            statement.lineno = getattr(statement, "lineno", line)
        stop = ast.If(negated(test), leave, [], lineno=line)
        self._add(ast.While(ast.Constant(True), [*head, stop, *body], []), out)

    def _try(self, node: Try, out: list[ast.stmt]) -> None:
        self._flush(out)
        line = self.line
        blocks = (node.body, node.handler, node.orelse, node.final)
        body, handler, orelse, final = map(self.block, blocks)
        handlers: list[ast.ExceptHandler] = []
        if node.caught is not None:
            kind = self.bindings.reference(Ref("builtins", "BaseException"))
            handlers.append(ast.ExceptHandler(kind, node.caught, handler or [ast.Pass()]))
        self.line = line
        if not handlers and not final:
            final = [ast.Pass()]  # where nothing is left of what the user wrote
        self._add(ast.Try(body or [ast.Pass()], handlers, orelse, final), out)

    def _exit(self, node: Exit, out: list[ast.stmt]) -> None:
        if node.how == "return":
            value = self._consume([node.value if node.value is not None else Const(None)], out)[0]
            leave: ast.stmt = ast.Return(value)
        else:
            leave = ast.Break() if node.how == "break" else ast.Continue()
        self._flush(out)
        self._add(leave, out)

    def _raise(self, node: Raise, out: list[ast.stmt]) -> None:
        given = [part for part in (node.exc, node.cause) if part is not None]
        values = iter(self._consume(given, out))
        self._flush(out)
        exc = next(values) if node.exc is not None else None
        cause = next(values) if node.cause is not None else None
        self._add(ast.Raise(exc, cause), out)


def _reads(function: Function) -> Mapping[str, int]:
    """How often each name is read; a buffer keeps its name where it is added to, be it the only
    place that reads it.
    """
    found = outline(function)
    added = [str(call.args[0]) for call in found.calls_of(*ADDING)]
    return {**found.read, **{name: found.read.get(name, 0) + 1 for name in added}}


ACCUMULATE, STILL = Prim("accumulate"), Prim("still")
ADDING = ("accumulate", "update")
ORDERS = {"setitem": (2, 0, 1), "contains": (1, 0), "not_contains": (1, 0)}
"""Places of the operands in Python's order of evaluation, where that is another."""


def _same_target(body: list[ast.stmt], orelse: list[ast.stmt]) -> str | None:
    """The name that two one-line arms both bind."""
    names = set()
    for arm in (body, orelse):
        if (
            len(arm) != 1
            or not isinstance(arm[0], ast.Assign)
            or not isinstance(arm[0].targets[0], ast.Name)
        ):
            return None
        names.add(arm[0].targets[0].id)
    return names.pop() if len(names) == 1 else None
