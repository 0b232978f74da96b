"""Which line keeps how much for the reverse sweep: what a forward sweep returned, by who reads it.

A value counts for the line whose reverse reads it, the first of them in the user's program. An
array counts once, by its owner, also where only a view of it is kept; objects of the user's own
classes are not looked into.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from astad.api.variants.generated import Loaded
from astad.runtime.core.variants import Pair

__all__ = ["Weighing", "names_read"]

At = tuple[str, int]
"""A file and a line."""
_BLOCKS = ("body", "orelse", "finalbody")
_SIZED = (
    int, float, complex, Fraction, np.generic, tuple, list, set, frozenset, dict,
)  # fmt: skip


class Weighing:
    """``bytes``: for each line the most that one forward sweep kept for it."""

    def __init__(self) -> None:
        self.bytes: dict[At, int] = {}
        self._texts: WeakKeyDictionary[Loaded, _Kept] = WeakKeyDictionary()

    def weigh(
        self, loaded: Loaded, function: int, out: Any, names: Sequence[str], line: int
    ) -> None:
        """Of what a forward sweep returned; of a fused text, of what ``names`` stand for at a
        line.
        """
        sums = _Sums(self)
        text = self.text_of(loaded)
        if names or line:
            scope = Scope(text.functions[function], line)
            plans = [text.plan(scope, name) for name in names]
            sums.left += [(plan, each, None) for plan, each in zip(plans, out, strict=True)][::-1]
        elif type(out) is tuple and len(out) == 2:
            sums.left += text.kept(function + 1, out[1])[::-1]
        sums.weigh_all()
        for at, size in sums.bytes.items():
            self.bytes[at] = max(size, self.bytes.get(at, 0))

    def text_of(self, loaded: Loaded) -> _Kept:
        found = self._texts.get(loaded)
        if found is None:
            found = self._texts[loaded] = _Kept(loaded)
        return found


class Scope(NamedTuple):
    """A function of a text, from a line on."""

    tree: ast.FunctionDef
    line: int


class Plan:
    """What the reverse sweep does with a value: takes it apart, walks along it, hands it to another
    function; ``at`` is the line for which it is kept.
    """

    __slots__ = ("at", "callee", "each", "parts")

    def __init__(self, at: At | None) -> None:
        self.at = at
        self.parts: list[Plan | None] | None = None
        self.each: Plan | None = None
        self.callee: Plan | None = None


class _Sums:
    """Bytes by line, and the identities of what was counted; ``left`` is what is to be weighed:
    values with their plans, the last one first. A list, for what is kept may be deeply nested.
    """

    def __init__(self, weighing: Weighing) -> None:
        self.weighing = weighing
        self.bytes: dict[At, int] = {}
        self.seen: set[int] = set()
        self.left: list[tuple[Plan | None, Any, At | None]] = []

    def weigh_all(self) -> None:
        while self.left:
            self._weigh(*self.left.pop())

    def _weigh(self, plan: Plan | None, value: Any, at: At | None) -> None:
        if plan is None:
            self._weigh_leaf(value, at)
            return
        at = plan.at or at
        if plan.callee is not None and type(value) is tuple and plan.callee.parts is not None:
            plan = plan.callee
            at = plan.at or at
        if plan.parts is not None and type(value) is tuple:
            self._count(value, at)
            self._put([(part, each, at) for part, each in zip(plan.parts, value, strict=False)])
        elif plan.each is not None and type(value) is list and id(value) not in self.seen:
            self._count(value, at)
            self._put([(plan.each, each, at) for each in value])
        else:
            self._weigh_leaf(value, at)

    def _put(self, parts: list[tuple[Plan | None, Any, At | None]]) -> None:
        self.left += parts[::-1]

    def _weigh_leaf(self, value: Any, at: At | None) -> None:
        """All in a value is kept for one line, but what a callee keeps for its own."""
        if id(value) in self.seen:
            return
        kind = type(value)
        if issubclass(kind, (tuple, list, set, frozenset)):
            self._put([(None, each, at) for each in value])
        elif issubclass(kind, dict):
            self._put([(None, each, at) for each in value.values()])
        self._count(value, at)
        if kind is tuple:
            for pair, kept in _recorded(value):
                self._put(self.weighing.text_of(pair.text).kept(1, kept))

    def _count(self, value: Any, at: At | None) -> None:
        """One value, without what is in it."""
        if value is None or value is True or value is False or id(value) in self.seen:
            return
        kind = type(value)
        size = 0
        if issubclass(kind, np.ndarray):
            owner = value
            while issubclass(type(owner.base), np.ndarray):
                owner = owner.base
            size = 0 if id(owner) in self.seen else owner.nbytes
            self.seen.add(id(owner))
        elif issubclass(kind, _SIZED):
            size = sys.getsizeof(value)
        self.seen.add(id(value))
        if size and at is not None:
            self.bytes[at] = self.bytes.get(at, 0) + size


def _recorded(record: tuple[Any, ...]) -> Iterator[tuple[Pair, Any]]:
    """What the dispatcher recorded of calls of generated functions."""
    for kept, pair in pairwise(record):
        if type(pair) is Pair and isinstance(pair.text, Loaded):
            yield pair, kept


class _Kept:
    """A text, and how its reverse sweeps read what they are given."""

    def __init__(self, loaded: Loaded) -> None:
        tree = ast.parse(loaded.source)
        self.functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        self.named = {node.name: node for node in self.functions}
        self.form = "taped" if _is_taped(self.functions[0]) else loaded.form
        self.plans: dict[tuple[str, int, str], Plan] = {}
        self.lines: dict[int, list[At]] = {}
        reverse = {place.line for place in loaded.places if place.is_reverse and place.user}
        for place in loaded.places:  # a return is of the line of def as well
            if place.user and (place.is_reverse or place.line not in reverse):
                user, line = place.user[-1]
                self.lines.setdefault(place.line, []).append((user.co_filename, line))
        self.steps = _steps(self.functions[0], self.lines) if self.form == "taped" else {}

    def kept(self, pullback: int, kept: Any) -> list[tuple[Plan | None, Any, At | None]]:
        """What is handed to a pullback, with the plans for its parts; the tuple is no line's."""
        if pullback >= len(self.functions):
            return []
        if self.form == "taped" and isinstance(kept, list):
            return [(None, part, self.steps.get(step)) for step, part in kept]
        tree = self.functions[pullback]
        plan = self.plan(Scope(tree, 0), tree.args.args[0].arg)
        if plan.parts is not None and type(kept) is tuple:
            return [(part, each, None) for part, each in zip(plan.parts, kept, strict=False)]
        return [(plan, kept, None)]

    def plan(self, scope: Scope, name: str) -> Plan:
        key = scope.tree.name, scope.line, name
        found = self.plans.get(key)
        if found is None:
            found = self.plans[key] = Plan(self._reader(scope, name))
            self._fill(found, scope, name)
        return found

    def _fill(self, plan: Plan, scope: Scope, name: str) -> None:
        """How the value of a name is read; what is in it has the names that it is bound to."""
        for node in _statements(scope):
            if isinstance(node, ast.Assign) and _is_name(node.value, name):
                plan.parts = plan.parts or self._parts(scope, node.targets[0])
            elif isinstance(node, ast.For):
                target = _walked(node, name)
                plan.each = plan.each or (self._target(scope, target) if target else None)
            for call in filter(_is_call, ast.walk(node)):
                assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
                callee = self.named.get(call.func.id)
                if callee is not None and call.args and _is_name(call.args[0], name):
                    plan.callee = self.plan(Scope(callee, 0), callee.args.args[0].arg)

    def _parts(self, scope: Scope, target: ast.expr) -> list[Plan | None] | None:
        if not isinstance(target, (ast.Tuple, ast.List)):
            return None
        return [self._target(scope, each) for each in target.elts]

    def _target(self, scope: Scope, target: ast.expr) -> Plan | None:
        if isinstance(target, ast.Name):
            return self.plan(scope, target.id)
        made = Plan(None)
        made.parts = self._parts(scope, target)
        return made

    def _reader(self, scope: Scope, name: str) -> At | None:
        """The line whose reverse reads a name, the first in the user's program: the last here."""
        found: At | None = None
        for node in _statements(scope):
            lines = self.lines.get(node.lineno)
            if lines and name in _own_names(node):
                found = lines[0] if len(lines) == 1 else self._user(scope, name, lines)
        return found

    def _user(self, scope: Scope, name: str, lines: Sequence[At]) -> At:
        """Of the lines that one statement serves, that which reads a name or binds it in the
        forward sweep.
        """
        at = self.functions.index(scope.tree)
        forward = scope.tree if scope.line else self.functions[max(at - 1, 0)]
        users = {
            line
            for node in _statements(Scope(forward, 0))
            if not scope.line or node.lineno < scope.line
            for line in self.lines.get(node.lineno, ())
            if any(_is_name(each, name) for each in _own_nodes(node))
        }
        return min(users.intersection(lines) or lines)


def _is_taped(tree: ast.FunctionDef) -> bool:
    last = tree.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    return isinstance(value, ast.Tuple) and _is_name(value.elts[-1], "tape")


def _steps(tree: ast.FunctionDef, lines: dict[int, list[At]]) -> dict[int, At]:
    """The lines of the steps that a taped forward sweep notes, by their numbers."""
    found: dict[int, At] = {}
    for node in _statements(Scope(tree, 0)):
        for call in filter(_is_call, ast.walk(node)):
            assert isinstance(call, ast.Call)
            at = next((k for k, arg in enumerate(call.args) if _is_name(arg, "tape")), None)
            step = call.args[at + 1] if at is not None and at + 1 < len(call.args) else None
            if isinstance(step, ast.Constant) and node.lineno in lines:
                found[step.value] = min(lines[node.lineno])  # type: ignore[index]
    return found


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _walked(node: ast.For, name: str) -> ast.expr | None:
    """What an element of a list is bound to: ``for target in reversed(name)``, also in a zip."""
    if _is_reversed(node.iter, name):
        return node.target
    is_zip = isinstance(node.iter, ast.Call) and _is_name(node.iter.func, "zip")
    if not is_zip or not isinstance(node.iter, ast.Call) or not isinstance(node.target, ast.Tuple):
        return None
    pairs = zip(node.target.elts, node.iter.args, strict=False)
    return next((target for target, arg in pairs if _is_reversed(arg, name)), None)


def _is_reversed(node: ast.expr, name: str) -> bool:
    is_call = isinstance(node, ast.Call) and _is_name(node.func, "reversed")
    inner = node.args[0] if is_call and isinstance(node, ast.Call) else node
    return _is_name(inner, name)


def _statements(scope: Scope) -> Iterator[ast.stmt]:
    """Those of a function from a line on, as they are written."""
    left: list[ast.stmt] = scope.tree.body[::-1]
    while left:
        node = left.pop()
        if node.lineno >= scope.line:
            yield node
        inner = [each for name in _BLOCKS for each in getattr(node, name, [])]
        inner += [each for handler in getattr(node, "handlers", []) for each in handler.body]
        left += inner[::-1]


def _own_names(node: ast.stmt) -> Collection[str]:
    """The names that a statement reads, without those of the statements in it."""
    return {
        each.id
        for each in _own_nodes(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


def _own_nodes(node: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, without those of the statements in it."""
    left: list[ast.AST] = [node]
    while left:
        each = left.pop()
        yield each
        left += [
            child
            for child in ast.iter_child_nodes(each)
            if not isinstance(child, (ast.stmt, ast.ExceptHandler))
        ]


def names_read(tree: ast.FunctionDef, line: int) -> Collection[str]:
    """The names that a function reads from a line on."""
    return {name for node in _statements(Scope(tree, line)) for name in _own_names(node)}
