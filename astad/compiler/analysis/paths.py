"""Can a derivative lead from a parameter to the result, by the text alone? This decides between
None and a zero.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from types import FunctionType

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.operations import rule_of
from astad.compiler.analysis.structure import blocks, bound_names, operands
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.nodes import Bind, Block, Call, Exit, Loop, Node, Prim, Program
from astad.compiler.ir.prims import BINARY, UNARY
from astad.rules.custom import NO_PATH

__all__ = ["find_paths"]

QUIET_PRIMS = {
    "lt", "le", "gt", "ge", "eq", "ne", "is_", "is_not", "not_", "contains", "not_contains",
    "floordiv", "format", "join", "slice",
    "global", "import", "import_from",
}  # fmt: skip
QUIET_BUILTINS = {
    id(getattr(builtins, name))
    for name in ("len", "range", "isinstance", "issubclass",
                 "type", "id", "hash", "print", "str", "repr", "bool",
                 "callable", "hasattr", "format", "ord", "chr")
}  # fmt: skip


Summary = Callable[[FunctionType], Sequence[bool] | None]


def find_paths(program: Program, facts: Facts, summary: Summary) -> tuple[bool, ...]:
    """For each parameter; a call of unknown source counts as a path, one of known source by its
    own ``summary``.
    """
    edges: dict[str, set[str]] = {}
    results: set[str] = set()
    _collect(program.body, facts, edges, results, summary)
    cells = {cell for _, cell in program.free}
    return tuple(_reaches(param.name, edges, results | cells) for param in program.params)


def _collect(
    block: Block, facts: Facts, edges: dict[str, set[str]], results: set[str], summary: Summary
) -> None:
    for node in block:
        if isinstance(node, Exit) and isinstance(node.value, str):
            results.add(node.value)
        for source, target in _links(node, facts, summary):
            edges.setdefault(source, set()).add(target)
        for part in blocks(node):
            _collect(part, facts, edges, results, summary)


def _links(node: Node, facts: Facts, summary: Summary) -> Sequence[tuple[str, str]]:
    read = [name for name in operands(node) if isinstance(name, str)]
    targets = list(bound_names(node))
    if isinstance(node, Bind):
        return [(source, node.target) for source in read]
    if isinstance(node, Loop):
        iterable = node.iterable
        return (
            [(iterable, t) for t in targets] + [(t, iterable) for t in targets]
            if isinstance(iterable, str)
            else []
        )
    if not isinstance(node, Call) or _is_quiet(node, facts):
        return []
    read = _through_callee(node, read, facts, summary)
    if isinstance(node.fn, Prim) and (node.fn.name in BINARY or node.fn.name in UNARY):
        return [
            (source, target) for source in read for target in targets
        ]  # operands are not written
    written = [name for name in read if facts.kind.get(name, UNKNOWN) == UNKNOWN]
    written += [name for name in read if name in facts.shared]
    return [
        (source, target) for source in read for target in (*targets, *written) if source != target
    ]


def _through_callee(node: Call, read: list[str], facts: Facts, summary: Summary) -> list[str]:
    """The operands from which the text of a known callee leads on."""
    known = facts.known.get(node.fn) if isinstance(node.fn, str) else None
    if (
        not isinstance(known, FunctionType)
        or node.keywords
        or len(node.args) != known.__code__.co_argcount
    ):
        return read
    passed = summary(known)
    if passed is None or len(passed) != len(node.args):
        return read
    return [
        arg
        for arg, passes in zip(node.args, passed, strict=True)
        if passes and isinstance(arg, str)
    ]


def _is_quiet(node: Call, facts: Facts) -> bool:
    plain = facts.treatment.get(id(node)) == "plain" and isinstance(node.target, str)
    kind = facts.kind.get(node.target, UNKNOWN) if isinstance(node.target, str) else UNKNOWN
    if plain and (kind != UNKNOWN or node.fn == Prim("global")):
        return True
    if isinstance(node.fn, Prim):
        name = node.args[1] if node.fn.name == "getattr" else None
        quiet = getattr(name, "value", None) in ("shape", "ndim", "size", "dtype")
        return quiet or node.fn.name in QUIET_PRIMS
    known = facts.known.get(node.fn) if isinstance(node.fn, str) else None
    rule = rule_of(known) if known is not None else None
    return (
        id(known) in QUIET_BUILTINS
        or id(known) in NO_PATH
        or (rule is not None and rule.form == "zero")
    )


def _reaches(start: str, edges: dict[str, set[str]], ends: set[str]) -> bool:
    seen, pending = {start}, [start]
    while pending:
        name = pending.pop()
        if name in ends:
            return True
        fresh = edges.get(name, set()) - seen
        seen |= fresh
        pending.extend(fresh)
    return False
