"""Where the ways from a parameter end, by the text alone, and why.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import UNKNOWN
>>> from astad.compiler.lower.function import program_of
>>> known = program_of('''
...     n = len(xs)
...     return n * 2.0
... ''')
>>> facts = find_facts(known, {"xs": UNKNOWN}, ["xs"], Space({}))
>>> ways = find_ends(known, facts, lambda fn: None, "xs")
>>> [(end.line, end.why) for end in ways.ends], ways.through
([(2, 'len: the result is no differentiable number')], ())
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.paths import QUIET_BUILTINS, Summary, Value, links_of
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Branch,
    Call,
    Const,
    Exit,
    Node,
    Prim,
    Program,
    Raise,
    While,
    immutable,
)
from astad.compiler.ir.outline import YIELD
from astad.compiler.ir.prims import COMPARE
from astad.originals import builtins
from astad.rules.in_force import NO_PATH
from astad.rules.registry import lookup

__all__ = ["End", "Ways", "find_ends"]


@immutable
class End:
    """A statement behind which no derivative goes on; ``callee`` is the function inside which that
    is, and the place of the parameter there.
    """

    line: int
    why: str
    callee: tuple[FunctionType, int] | None = None


@immutable
class Ways:
    """``through`` are the lines of a way that leads to the result; empty if there is none."""

    ends: tuple[End, ...]
    through: tuple[int, ...]


@immutable
class _Step:
    """A statement that reads a value, and the values to which it leads on."""

    node: Node
    targets: tuple[Value, ...]
    leaves: bool
    why: str | None


class _Graph:
    """Who reads each value; where each was bound, and where its name is bound anew."""

    def __init__(self, program: Program, facts: Facts, summary: Summary) -> None:
        self.facts = facts
        self.steps: dict[Value, list[_Step]] = {}
        self.bound: dict[Value, int] = {}
        self.version: dict[str, int] = {}
        for node in program.body:
            is_compound = type(node) in COMPOUND
            rebound = () if is_compound else node.bound
            for part in (node, *node.inside) if is_compound else (node,):
                self._add(part, rebound, summary)
            for name in rebound:
                self.version[name] = self.version.get(name, 0) + 1

    def _add(self, part: Node, rebound: tuple[str, ...], summary: Summary) -> None:
        links = list(links_of(part, self.facts, summary))
        if type(part) is Call and part.fn in READING:
            links = [link for link in links if link[1] in part.bound]
        leaves = type(part) is Exit or (type(part) is Call and part.fn is YIELD)
        for name in part.bound:
            self.bound.setdefault(self._after(name, rebound), part.line)
        for name in part.read:
            why = _stop(part, name, self.facts)
            targets = (
                ()
                if why
                else tuple(
                    self._after(target, rebound)
                    for source, target in links
                    if source == name and target != name
                )
            )
            step = _Step(part, targets, leaves, why)
            self.steps.setdefault((name, self.version.get(name, 0)), []).append(step)

    def _after(self, name: str, rebound: tuple[str, ...]) -> Value:
        return name, self.version.get(name, 0) + (name in rebound)


def find_ends(program: Program, facts: Facts, summary: Summary, name: str) -> Ways:
    """All ends of the ways from a parameter, and one way to the result if there is any."""
    graph = _Graph(program, facts, summary)
    start = (name, 0)
    came: dict[Value, tuple[Value | None, int]] = {start: (None, program.line)}
    pending: list[Value] = [start]
    ends: list[End] = []
    through: tuple[int, ...] = ()
    for value in pending:  # grows
        for step in graph.steps.get(value, ()):
            fresh = [target for target in step.targets if target not in came]
            came.update((target, (value, step.node.line)) for target in fresh)
            pending += dict.fromkeys(fresh)
            if step.leaves:
                through = through or _lines(came, value, step.node.line)
            elif not step.targets:
                ends.append(_end(step, value[0], facts, summary))
        if value not in graph.steps:
            ends.append(_unread(program, graph, value))
    return Ways(tuple(_distinct(ends)), through)


def _lines(came: dict[Value, tuple[Value | None, int]], value: Value, last: int) -> tuple[int, ...]:
    lines, at = [last], value
    while True:
        before, line = came[at]
        if before is None:
            return tuple(dict.fromkeys(reversed(lines)))
        lines.append(line)
        at = before


def _distinct(ends: list[End]) -> Iterator[End]:
    seen: set[tuple[int, str]] = set()
    for end in sorted(ends, key=lambda end: end.line):
        if (end.line, end.why) not in seen:
            seen.add((end.line, end.why))
            yield end


def _unread(program: Program, graph: _Graph, value: Value) -> End:
    name, version = value
    line = graph.bound.get(value, program.line)
    if (name, version + 1) in graph.bound:
        return End(graph.bound[name, version + 1], f"{name} is bound anew before it is read")
    if version == 0 and any(param.name == name for param in program.params):
        return End(line, f"{name} is never read")
    is_users = name in program.taken
    return End(line, f"{name} is not read after this" if is_users else "the result is not used")


# --- why ------------------------------------------------------------------------------------------


READING = (Prim("getitem"), Prim("getattr"))
"""Operations that write none of their operands."""
TRUTHS = {*COMPARE, "not_", "contains", "not_contains"}
OF_OBJECTS = {"shape", "ndim", "size", "dtype"}
STEPS = {"int": "a whole number", "round": "a rounded number", "bool": "a truth"}
COUNTS = {"argmax", "argmin", "argsort", "nonzero", "searchsorted", "astype_int", "is_integer"}


def _stop(node: Node, name: str, facts: Facts) -> str | None:
    """What is a way by the general rule, though nothing can come back on it."""
    if type(node) is not Call:
        return None
    if type(node.fn) is Prim:
        if node.fn.name in ("getitem", "setitem", "delitem") and name == node.args[1]:
            return "a subscript carries no derivative"
        word = node.args[1] if node.fn.name in ("method", "getattr") else None
        if isinstance(word, Const) and word.value in COUNTS and name == node.args[0]:
            return f".{word.value} gives what carries no derivative"
        return None
    known = facts.known.get(str(node.fn))
    for word, gives in STEPS.items():
        if known is getattr(builtins, word) and len(node.args) == 1:
            return f"{word}() gives {gives}: constant between its jumps"
    return None


def _end(step: _Step, name: str, facts: Facts, summary: Summary) -> End:
    node = step.node
    if step.why is not None:
        return End(node.line, step.why)
    if isinstance(node, (Branch, While)):
        return End(node.line, "it decides which branch runs, and nothing else")
    if isinstance(node, Raise):
        return End(node.line, "it becomes part of an exception")
    if isinstance(node, Bind) or not isinstance(node, Call):
        # no program is known: ``step.why`` tells of what is not read
        return End(node.line, "the result is not used")
    if isinstance(node.fn, Prim):
        return End(node.line, _why_prim(node, node.fn.name))
    known = facts.known.get(str(node.fn))
    path = facts.path.get(str(node.fn), "the function")
    rule = lookup(known)
    if rule is not None and rule.form == "zero":
        return End(node.line, f"{path}: {rule.why}")
    if id(known) in NO_PATH:
        return End(node.line, f"{path} lets no derivative pass")
    if id(known) in QUIET_BUILTINS:
        return End(node.line, f"{path}() gives what carries no derivative")
    if type(known) is FunctionType and name in node.args and summary(known) is not None:
        why = f"{path} passes no derivative of this argument on"
        return End(node.line, why, (known, node.args.index(name)))
    return End(node.line, f"no derivative goes on from {path}")


def _why_prim(node: Call, name: str) -> str:
    attribute = node.args[1] if name == "getattr" and len(node.args) > 1 else None
    if isinstance(attribute, Const) and attribute.value in OF_OBJECTS:
        return f".{attribute.value} carries no derivative"
    if name in TRUTHS:
        return "a comparison gives a truth: constant between its jumps"
    words = {
        "floordiv": "// is constant between its jumps",
        "format": "it becomes text",
        "join": "it becomes text",
        "slice": "a subscript carries no derivative",
    }
    return words.get(name, "no derivative passes here")
