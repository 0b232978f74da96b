"""A function whose outermost loops are functions of their own: a driver can run some rounds, keep
the state, and run them again.

The rounds of a loop from one number to another become an inner function of what a round needs; the
loop becomes a call of the driver. That is handed the function, and the variables by what the loop
does to them: ``carried`` ones are bound anew, into ``written`` ones it stores, ``given`` ones go
where they may be written, ``read`` ones are only read. All keep the lines of the user's file.

>>> print(ast.unparse(outlined(ast.parse('''
... def power(x, n):
...     y = 1.0
...     for _ in range(n):
...         y = y * x
...     return y
... ''').body[0], "power.py", "astad.api.memory.rounds")))
def power(x, n):
    from astad.api.memory.rounds import in_rounds
    y = 1.0
<BLANKLINE>
    def rounds_1(first, last, y, x):
        for _ in range(first, last):
            y = y * x
        return (0, y)
    left_1, y = in_rounds('range', rounds_1, range(n), (y,), (), (), (x,))
    return y
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from astad.compiler.frontend.loop_variables import (
    FUNCTION,
    OWN_SCOPE,
    at_once,
    blocks,
    bound,
    bound_before,
    captured,
    everything,
    exposed,
    exposed_behind,
    handed_on,
    inside,
    kept_functions,
    loaded,
    stored_into,
    unbound_at_the_end,
)
from astad.errors import Location, Unsupported

__all__ = ["outlined"]

GOES_ON, BROKEN_OFF, RETURNED, ENDED = range(4)
"""How rounds were left; ``ENDED``: the test of a ``while`` was false."""
_ITEMS = {"items": True, "steps": True, "range": False, "while": False}


def outlined(node: ast.FunctionDef, file: str, home: str) -> ast.FunctionDef | None:
    """A copy of a function with its outermost loops outlined, None where it has none; ``home``: the
    module of the driver.

    Raises
    ------
    Unsupported : where a loop does what cannot be run twice, or cannot stand in a function.
    """
    made: ast.FunctionDef = copy.deepcopy(node)
    made.decorator_list = []
    writer = _Writer(made, file)
    writer.block(made.body, is_protected=False)
    if not writer.count:
        return None
    names = {"in_rounds": writer.driver, "listed": writer.listed, "unbound": writer.unbound}
    aliases = [
        ast.alias(name, None if name == mine else mine) for name, mine in names.items() if mine
    ]
    at = 1 if ast.get_docstring(made, clean=False) is not None else 0
    made.body.insert(at, _at(made.body[0], ast.ImportFrom(home, aliases, 0)))
    return ast.fix_missing_locations(made)


def _at(place: Any, node: Any) -> Any:
    """A node with those of its parts that are new on the user's line."""
    spot = place.lineno, place.col_offset, place.end_lineno, place.end_col_offset
    for each in ast.walk(node):
        if "lineno" in each._attributes and getattr(each, "lineno", 0) < place.lineno:
            each.lineno, each.col_offset, each.end_lineno, each.end_col_offset = spot  # type: ignore[attr-defined]
    return node


def _statement(text: str) -> Any:
    return ast.parse(text).body[0]


def _names(names: list[str]) -> ast.Tuple:
    return ast.Tuple([ast.Name(each, ast.Load()) for each in names], ast.Load())


class _Uses(NamedTuple):
    carried: list[str]
    written: list[str]
    given: list[str]
    read: list[str]

    def all(self) -> list[str]:
        return [*self.carried, *self.written, *self.given, *self.read]


_PASSING = frozenset(["catch_warnings", "errstate", "printoptions"])
"""Whose blocks let through what is raised in them."""


class _Writer:
    """Puts calls of the driver in the place of the loops of one function."""

    def __init__(self, node: ast.FunctionDef, file: str) -> None:
        self.node = node
        self.file = file
        self.count = 0
        self.unbound = self.listed = self.left = ""
        self.made: list[ast.FunctionDef] = []
        every = list(ast.walk(node))
        self.taken = {each.id for each in every if isinstance(each, ast.Name)}
        self.taken |= {each.arg for each in every if isinstance(each, ast.arg)}
        self.outer = {
            name for each in inside(node.body) if isinstance(each, (ast.Global, ast.Nonlocal))
            for name in each.names
        }  # fmt: skip
        args = node.args
        given = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        self.params = [each.arg for each in given if each is not None]
        self.locals = (set(self.params) | bound(node.body)) - self.outer
        self.order = [*self.params, *(each.id for each in every if isinstance(each, ast.Name))]
        self.driver = self.fresh("in_rounds")
        self.passed = set(map(id, at_once([node])))
        for each in _outermost(node.body):
            lasting = set(map(id, kept_functions([each], exposed(each))))
            self.passed |= set(map(id, everything([each]))) - lasting

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def block(self, statements: list[ast.stmt], is_protected: bool) -> None:
        """``is_protected``: what is raised in it may be caught in the function."""
        at = 0
        while at < len(statements):
            node = statements[at]
            if isinstance(node, (ast.For, ast.While)):
                statements[at : at + 1] = made = self.loop(node, is_protected)
                at += len(made)
                continue
            if not isinstance(node, OWN_SCOPE):
                catches = isinstance(node, (ast.Try, ast.TryStar)) or _may_swallow(node)
                for inner in blocks(node):
                    self.block(inner, is_protected or catches)
            at += 1

    def loop(self, node: ast.For | ast.While, is_protected: bool) -> list[ast.stmt]:
        if is_protected:
            self.refuse(
                node, "a loop inside try or with",
                "what its variables stand for where an exception ends it is not known outside",
            )  # fmt: skip
        parts = [*node.body, node.target if isinstance(node, ast.For) else node.test]
        self.check(node, parts)
        self.count += 1
        known = bound_before(self.node.body, node, set(self.params)) or set()
        uses = self.uses(node, parts)
        self.check_functions(parts, uses)
        for each in sorted(unbound_at_the_end(parts) & set(uses.carried)):
            self.refuse(
                node, f"a loop with {each}, which is bound by except and read elsewhere",
                "it is unbound behind its clause", "give the exception another name in its clause",
            )  # fmt: skip
        late = [name for name in uses.all() if name not in known]
        name, self.left = self.fresh(f"rounds_{self.count}"), self.fresh(f"left_{self.count}")
        out: list[Any] = []
        for each in late:
            self.check_late(node, each)
            self.unbound = self.unbound or self.fresh("unbound")
            out.append(_statement(f"{each} = {self.unbound}"))
        mode, items = self.items(node)
        returns = any(isinstance(each, ast.Return) for each in inside(node.body))
        self.made.append(self.function(node, name, mode, uses))
        out += [self.made[-1], *self.call(name, mode, items, uses, returns)]
        out += [_statement(f"if {each} is {self.unbound}:\n    del {each}") for each in late]
        out = [_at(node, each) for each in out]
        if node.orelse:
            self.block(node.orelse, is_protected)
            test = ast.Compare(ast.Name(self.left, ast.Load()), [ast.Eq()], [ast.Constant(GOES_ON)])
            out.append(_at(node.orelse[0], ast.If(test, node.orelse, [])))
        return out

    # --- what cannot be outlined

    def refuse(self, node: ast.AST, what: str, why: str, instead: str = "") -> NoReturn:
        raise Unsupported(
            Location(self.file, getattr(node, "lineno", 0)),
            f"{what}, under a memory budget",
            why=why,
            instead=instead
            or "put the loop into a function of its own without that, or do without the budget",
        )

    def check(self, node: ast.stmt, parts: list[Any]) -> None:
        for each in inside(parts):
            name = each.func if isinstance(each, ast.Call) and not each.args else None
            if isinstance(name, ast.Name) and name.id in ("super", "locals", "vars", "dir"):
                self.refuse(
                    each, f"{name.id}() in a loop", "the rounds are a function of their own",
                    f"call {name.id}() before the loop",
                )  # fmt: skip
            if isinstance(each, ast.Delete) and any(isinstance(t, ast.Name) for t in each.targets):
                self.refuse(
                    each, "del of a variable in a loop",
                    "the state between two rounds is the values of the variables",
                    "bind it to None",
                )  # fmt: skip
        names = sorted(bound(parts) & self.outer)
        if names:
            self.refuse(
                node, f"a loop that binds {names[0]}, a variable outside of the function",
                "the reverse sweep runs rounds again, which would bind it once more",
                "bind a variable of the function, and the other one behind the loop",
            )  # fmt: skip
        for each in self.functions_outside(parts):
            moved = {
                name for part in ast.walk(each) if isinstance(part, ast.Nonlocal)
                for name in part.names
            }  # fmt: skip
            shared = sorted((captured(each) & bound(parts)) | (moved & loaded(parts) & self.locals))
            if shared:
                self.refuse(
                    node, f"a loop with {shared[0]}, which an inner function has captured",
                    "the rounds have variables of their own, which it would not see",
                    "hand it to the inner function as an argument",
                )  # fmt: skip

    def functions_outside(self, parts: list[Any]) -> Iterator[ast.AST]:
        """Inner functions that are not made in the loop, and live while it runs."""
        passed = {id(self.node), *map(id, self.made), *map(id, everything(parts))} | self.passed
        for each in ast.walk(self.node):
            if isinstance(each, (*FUNCTION, ast.GeneratorExp)) and id(each) not in passed:
                yield each

    def check_functions(self, parts: list[Any], uses: _Uses) -> None:
        for kept in kept_functions(parts, set(uses.carried)):
            for variable in sorted(captured(kept) & bound(parts)):
                self.refuse(
                    kept, f"a function that has captured {variable}, made in a loop and kept",
                    "rounds that run again have variables of their own, which it would not see",
                    f"hand it over as a default: lambda {variable}={variable}: ...",
                )  # fmt: skip

    def check_late(self, node: ast.stmt, name: str) -> None:
        """A variable that may be unbound at the head of a loop is bound nowhere before it."""
        for each in inside(self.node.body):
            before = getattr(each, "lineno", node.lineno) < node.lineno
            if before and isinstance(each, ast.stmt) and name in bound([each]):
                self.refuse(
                    node, f"a loop before which {name} may be bound or not",
                    "the state at its head is not known", f"bind {name} before the loop",
                )  # fmt: skip

    # --- the text

    def uses(self, node: ast.For | ast.While, parts: list[Any]) -> _Uses:
        own = bound(parts) & self.locals
        later = loaded(node.orelse) | exposed_behind(self.node.body, node)
        carried = own & (exposed(node) | later)
        others = (loaded(parts) & self.locals) - own
        written = others & stored_into(parts)
        given = (others & handed_on(parts)) - written
        groups = carried, written, given, others - written - given
        order = list(dict.fromkeys([*self.order, *sorted(self.locals)]))
        return _Uses(*([name for name in order if name in group] for group in groups))

    def items(self, node: ast.For | ast.While) -> tuple[str, ast.expr]:
        """In which way the rounds are numbered, and over what the loop goes."""
        if isinstance(node, ast.While):
            return "while", ast.Constant(None)
        made = node.iter
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and not made.keywords:
            is_range = made.func.id == "range" and "range" not in self.locals
            if is_range and not any(isinstance(each, ast.Starred) for each in made.args):
                return "range" if len(made.args) < 3 else "steps", made
        return "items", self.as_list(made)

    def as_list(self, made: ast.expr) -> ast.expr:
        """``zip`` and the like as what makes a list of it, and knows of what it is made."""
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
            return made
        if made.func.id not in ("enumerate", "reversed", "zip") or made.func.id in self.locals:
            return made
        self.listed = self.listed or self.fresh("listed")
        args = [made.func, *map(self.as_list, made.args)]
        return ast.Call(ast.Name(self.listed, ast.Load()), args, made.keywords)

    def function(self, node: Any, name: str, mode: str, uses: _Uses) -> ast.FunctionDef:
        first, last, items, at = map(self.fresh, ("first", "last", "items", "at"))
        count = [first, last, *([items] if mode == "steps" else [])]
        leaver = _Leaver(self.left)
        body: list[Any] = leaver.all(node.body)
        target: ast.expr = ast.Name(at, ast.Store())
        if mode == "items":
            body.insert(0, ast.Assign([node.target], _statement(f"{items}[{at}]").value))
        elif mode != "while":
            target = node.target
        elif not (isinstance(node.test, ast.Constant) and node.test.value):
            ended = [_statement(f"{self.left} = {ENDED}"), ast.Break()]
            body.insert(0, ast.If(ast.UnaryOp(ast.Not(), node.test), ended, []))
            leaver.leaves = True
        steps = ast.Call(ast.Name("range", ast.Load()), _names(count).elts, [])
        made: list[ast.stmt] = [ast.For(target, steps, body, [], None)]
        how = self.left if leaver.leaves else str(GOES_ON)
        made.append(_statement(f"return ({', '.join([how, *uses.carried])},)"))
        if leaver.leaves:
            made.insert(0, _statement(f"{self.left} = {GOES_ON}"))
        params = [first, last, *([items] if _ITEMS[mode] else []), *uses.all()]
        arguments = ast.arguments([], [*map(ast.arg, params)], None, [], [], None, [])
        fields: Any = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
        return ast.FunctionDef(name, arguments, made, [], None, None, **fields)

    def call(
        self, name: str, mode: str, items: ast.expr, uses: _Uses, returns: bool
    ) -> list[ast.stmt]:
        made = _statement(f"{', '.join([self.left, *uses.carried])}, = {self.driver}()")
        given = [ast.Constant(mode), ast.Name(name, ast.Load()), items, *map(_names, uses)]
        made.value.args = given
        if not returns:
            return [made]
        ran = self.fresh(f"ran_{self.count}")
        run = ast.Assign([ast.Name(ran, ast.Store())], made.value)
        made.value = ast.Name(ran, ast.Load())
        return [run, _statement(f"if {ran}[0] == {RETURNED}:\n    return {ran}[1]"), made]


class _Leaver(ast.NodeTransformer):
    """``break`` and ``return`` as rounds tell of them."""

    def __init__(self, left: str) -> None:
        self.left = left
        self.leaves = False
        self.depth = 0

    def all(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made = [self.visit(each) for each in statements]
        return [part for each in made for part in (each if isinstance(each, list) else [each])]

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, OWN_SCOPE):
            return node
        if isinstance(node, (ast.For, ast.While)):
            self.depth += 1
            node.body = self.all(node.body)
            self.depth -= 1
            node.orelse = self.all(node.orelse)
            return node
        if isinstance(node, ast.Break) and not self.depth:
            self.leaves = True
            return [_at(node, _statement(f"{self.left} = {BROKEN_OFF}")), node]
        if isinstance(node, ast.Return):
            value = [ast.Constant(RETURNED), node.value or ast.Constant(None)]
            return _at(node, ast.Return(ast.Tuple(value, ast.Load())))
        return self.generic_visit(node)


def _outermost(statements: list[ast.stmt]) -> Iterator[ast.For | ast.While]:
    for each in statements:
        if isinstance(each, (ast.For, ast.While)):
            yield each
        elif not isinstance(each, OWN_SCOPE):
            for block in blocks(each):
                yield from _outermost(block)


def _may_swallow(node: ast.stmt) -> bool:
    """A ``with`` whose end may swallow what the block raises."""
    if not isinstance(node, (ast.With, ast.AsyncWith)):
        return False
    calls = [item.context_expr for item in node.items]
    functions = [each.func if isinstance(each, ast.Call) else each for each in calls]
    return not _PASSING.issuperset([getattr(f, "attr", getattr(f, "id", "")) for f in functions])
