"""Can a derivative lead from a parameter to the result, by the text alone?

This decides between None and a zero.

Which names a cotangent reaches in every run: what their gradient is does not depend on the run.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     y = a * x
...     if x > 0.0:
...         y = y + b
...     return y * c
... ''')
>>> kinds = {param.name: FLOAT for param in program.params}
>>> facts = find_facts(program, kinds, kinds, Space({}))
>>> sorted(reached_always(program, facts))
['c']

Which names of a loop lead to something whose cotangent is asked for.

``z = z / x`` in a loop behind which nobody reads z leads nowhere: its cotangent is none, not a zero
that an infinite factor turns into nan.

>>> from astad.compiler.analysis.facts import find_facts
>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     for k in range(3):
...         z = z / x
...         y = y * w
... ''')
>>> kinds = dict.fromkeys("xyzw", FLOAT)
>>> facts = find_facts(program, kinds, kinds, Space({}))
>>> sorted(find_useful(program.body[-1], facts, {"y"}) & kinds.keys())
['w', 'y']
"""

from __future__ import annotations

import itertools
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.containers import Container
from astad.compiler.ir.kinds import COMPLEX, ITEMS, UNKNOWN, Kind, is_array, is_real
from astad.compiler.ir.nodes import COMPOUND, Bind, Call, Exit, Loop, Node, Prim, Program, While
from astad.compiler.ir.outline import YIELD, outline
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.compiler.ir.walk import bound_inside, walk
from astad.originals import builtins
from astad.rules.in_force import NO_PATH
from astad.rules.registry import lookup

__all__ = [
    "QUIET_BUILTINS",
    "Summary",
    "TO_RESULT",
    "Value",
    "find_paths",
    "find_useful",
    "is_followed",
    "links_of",
    "reached_as_zero",
    "reached_at_times",
]

QUIET_PRIMS = {
    *COMPARE, "not_", "contains", "not_contains", "floordiv", "format", "join", "slice", "global",
    "import", "import_from",
}  # fmt: skip
QUIET_BUILTINS = {
    id(getattr(builtins, name))
    for name in (
        "len", "range", "isinstance", "issubclass", "type", "id", "hash", "print", "str", "repr",
        "bool", "callable", "hasattr", "format", "ord", "chr",
    )
}  # fmt: skip
TUPLE, GLOBAL = Prim("tuple"), Prim("global")
METHOD = Prim("method")
WRITING = ("setattr", "setitem", "cell_set", "list_append", "list_extend", "set_add")
SETTERS = {id(builtins.setattr), id(operator.setitem)}
"""Operations and functions that write into their first operand what the others are."""
OPERATORS = {*BINARY, *UNARY, *IN_PLACE}
PARTS = (Prim("getattr"), Prim("getitem"))
"""What is written into a part of an object, or by a method of it, leads on from the object."""
UNWRITING = {
    id(getattr(builtins, name))
    for name in (
        "abs", "complex", "divmod", "float", "int", "max", "min", "pow", "round", "sorted", "sum",
    )
}  # fmt: skip
"""Builtins with a path that write none of their arguments."""
Value = tuple[str, int]
"""What a name stands for after that many bindings of it at the top of the body."""
NONE: frozenset[Value] = frozenset()
TO_RESULT, TO_PARAMETER = 1, 2
Summary = Callable[[FunctionType], Sequence[int] | None]
"""For each parameter of a function where a derivative leads from it: `TO_RESULT`, `TO_PARAMETER`
(into another one, that the function may write), both added up, or 0.
"""


def find_paths(program: Program, facts: Facts, summary: Summary) -> tuple[int, ...]:
    """For each parameter whether there is a path to the result, and into another parameter.

    A call of unknown source counts as a path, one of known source by its own ``summary``.
    """
    sources: dict[Value, set[Value]] = defaultdict(set)
    writes: list[tuple[Value, set[Value]]] = []
    views: dict[Value, set[Value]] = defaultdict(set)
    version: dict[str, int] = {}
    results: set[Value] = {(cell, 0) for _, cell in program.free}
    for node in program.body:
        # bound for certain: what the name stood for before is another value
        is_compound = type(node) in COMPOUND
        rebound = () if is_compound else node.bound
        for part in (node, *node.inside) if is_compound else (node,):
            if not part.read:
                continue
            if type(part) is Exit or (type(part) is Call and part.fn is YIELD):
                results |= {(name, version.get(name, 0)) for name in part.read}
            for source, target in links_of(part, facts, summary):
                value = target, version.get(target, 0) + (target in rebound)
                before = version.get(source, 0)
                # what is bound here leads there as well
                behind = before + (source in rebound and target not in rebound)
                sources[value].update(((source, before), (source, behind)))
            now = {name: (name, version.get(name, 0)) for name in part.read}
            for owner, given in _writes_through(part, facts, summary):
                values = {now[name] for name in given}
                writes.append((now[owner], values))
                views[now[owner]] |= values
            for name in part.bound:
                value = name, version.get(name, 0) + (name in rebound)
                views[value].update(now[source] for source in _may_be_part_of(part, facts))
        for name in rebound:
            version[name] = version.get(name, 0) + 1
    for written, values in writes:
        for holder in _all_leading_to({written}, views):
            sources[holder] |= values
    leading_on = _all_leading_to(results, sources)
    params = [(param.name, 0) for param in program.params]
    into = _into_another(params, sources)
    return tuple(
        [TO_RESULT * (each in leading_on) + TO_PARAMETER * (each in into) for each in params]
    )


def _into_another(params: Sequence[Value], sources: Mapping[Value, set[Value]]) -> set[Value]:
    """The parameters from which something leads into another one, as it was handed over."""
    found: set[Value] = set()
    for written in params:
        if sources.get(written, NONE) - {written}:
            found |= _all_leading_to({written}, sources) - {written}
    return found.intersection(params)


def links_of(node: Node, facts: Facts, summary: Summary) -> Iterable[tuple[str, str]]:
    """Pairs of names: from the first a derivative may lead to the second."""
    read, targets = node.read, node.bound
    if type(node) is Bind:
        return itertools.product(read, targets)
    if type(node) is Loop:
        found = facts.walks.get(id(node))  # for t, c in enumerate(xs): of xs, to which nobody leads
        leaves = [] if found is None else [each for each in found.leaves if each.source]
        elements = [(str(each.source), each.name) for each in leaves]
        return [*itertools.product(read, targets), *itertools.product(targets, read), *elements]
    if type(node) is not Call or _is_quiet(node, facts):
        return ()
    passed = _passed_on(node, facts, summary)
    if passed is not None:
        return _through_callee(node, passed, facts)
    if node.fn in PARTS and _may_be_a_view(facts.kind_of(str(node.target))):
        return [*itertools.product(read, targets), *itertools.product(targets, read[:1])]
    return itertools.product(read, (*targets, *_written(read, node, facts)))


def _written(read: Iterable[str], node: Call, facts: Facts) -> list[str]:
    """Those of the operands that the call may write."""
    if not _writes(node, facts):
        return []
    return [
        name
        for name in read
        if facts.kind.get(name, UNKNOWN) == UNKNOWN
        or name in facts.shared
        or name in facts.writes.of
    ]


def _writes_through(
    node: Node, facts: Facts, summary: Summary
) -> Iterable[tuple[str, Sequence[str]]]:
    """Operands that the statement writes into, with what it writes: what they are parts of, or
    other names for, holds that from then on.
    """
    if type(node) is not Call:
        return []
    is_setter = id(facts.known.get(str(node.fn))) in SETTERS
    if type(node.fn) is Prim or is_setter:
        owner = node.args[0] if node.args else None
        given = [name for name in node.read if name not in (owner, node.fn)]
        writes = is_setter or (type(node.fn) is Prim and node.fn.name in WRITING)
        writes = writes or (node.fn is METHOD and owner in _written(node.read, node, facts))
        return [(owner, given)] if writes and given and isinstance(owner, str) else []
    passed = _passed_on(node, facts, summary)
    places = [(arg, p) for arg, p in zip(node.args, passed or (), strict=False) if type(arg) is str]
    given = [arg for arg, passes in places if passes & TO_PARAMETER]
    written = [arg for arg, _ in places if _may_be_a_view(facts.kind.get(arg, UNKNOWN))]
    return [(arg, given) for arg in written if given]


def _may_be_part_of(node: Node, facts: Facts) -> Sequence[str]:
    """What that which is bound may be a part of, or another name for. What an operator gives is a
    value of its own.
    """
    if type(node) is Call:
        is_operator = type(node.fn) is Prim and node.fn.name in OPERATORS
        return () if is_operator or _is_quiet(node, facts) else node.read
    return node.read if isinstance(node, (Bind, Loop)) else ()


def _writes(node: Call, facts: Facts) -> bool:
    """May the call write its operands?"""
    if type(node.fn) is Prim:
        return node.fn.name not in BINARY and node.fn.name not in UNARY
    return id(facts.known.get(str(node.fn))) not in UNWRITING


def _passed_on(node: Call, facts: Facts, summary: Summary) -> Sequence[int] | None:
    """Where the text of a known callee leads from each operand."""
    known = facts.known.get(str(node.fn))
    if type(known) is not FunctionType or node.keywords:
        return None
    passed = summary(known) if len(node.args) == known.__code__.co_argcount else None
    return passed if passed is not None and len(passed) == len(node.args) else None


def _through_callee(node: Call, passed: Sequence[int], facts: Facts) -> Iterable[tuple[str, str]]:
    """The links of a call by the text of the callee: to its result, and to what it may write."""
    places = [(arg, p) for arg, p in zip(node.args, passed, strict=True) if isinstance(arg, str)]
    leading = [arg for arg, passes in places if passes & TO_RESULT]
    writing = [arg for arg, passes in places if passes & TO_PARAMETER]
    written = [arg for arg, _ in places if _may_be_a_view(facts.kind.get(arg, UNKNOWN))]
    return [*itertools.product(leading, node.bound), *itertools.product(writing, written)]


def _may_be_a_view(kind: Kind) -> bool:
    """Can it be written by others, and what it is a part of with it?"""
    return kind in (UNKNOWN, ITEMS) or is_array(kind) or isinstance(kind, Container)


def _is_quiet(node: Call, facts: Facts) -> bool:
    """Does no derivative pass through the call?"""
    is_plain = facts.treatment.get(id(node)) == "plain" and isinstance(node.target, str)
    if is_plain and node.fn is not TUPLE:
        # of a subscript's parts less is known in other variants, which must give the same None
        has_kind = facts.kind_of(str(node.target)) not in (UNKNOWN, ITEMS)
        if has_kind or node.fn is GLOBAL:
            return True
    if type(node.fn) is Prim:
        attribute = node.args[1] if node.fn.name == "getattr" else None
        quiet = getattr(attribute, "value", None) in ("shape", "ndim", "size", "dtype")
        return quiet or node.fn.name in QUIET_PRIMS
    known = facts.known.get(str(node.fn))
    if known is None:
        return False
    rule = lookup(known)
    is_zero = rule is not None and rule.form == "zero"
    return is_zero or id(known) in QUIET_BUILTINS or id(known) in NO_PATH


def _all_leading_to(ends: set[Value], sources: Mapping[Value, set[Value]]) -> set[Value]:
    found, pending = set(ends), list(ends)
    while pending:
        fresh = sources.get(pending.pop(), NONE) - found
        found |= fresh
        pending += fresh
    return found


# --- in every run


def reached_always(program: Program, facts: Facts) -> set[str]:
    """Names from which statements that always run lead to the result."""
    reached: set[str] = set()
    for node in reversed(program.body):
        if isinstance(node, Exit) and isinstance(node.value, str):
            reached.add(node.value)
        elif isinstance(node, (Bind, Call)):
            sources = _sources(node, facts) if reached.intersection(node.bound) else ()
            reached.difference_update(node.bound)
            reached.update(sources)
        else:
            reached -= bound_inside(node)
    return reached


def _sources(node: Node, facts: Facts) -> list[str]:
    if isinstance(node, Call) and facts.treatment.get(id(node)) != "inline":
        return []
    is_item = isinstance(node, Call) and node.fn == Prim("getitem")
    return [name for name in node.read[: 1 if is_item else None] if facts.is_active(name)]


def reached_as_zero(program: Program, facts: Facts) -> set[str]:
    """Names that lead to the result by what gives no cotangent alone: the derivative of what `int`
    gives of them is zero.
    """
    found = {node.value for node in walk(program.body) if isinstance(node, Exit)}
    carried, all_of_them = list[tuple[str, str]](), list[tuple[str, str]]()
    for node in walk(program.body):
        links = [*links_of(node, facts, lambda fn: None)]
        if type(node) is not Call or facts.treatment[id(node)] != "plain":
            carried += links
        elif type(node.fn) is not Prim:
            links += itertools.product(node.read, node.bound)
        all_of_them += links
    return _leading(found, all_of_them) - _leading(found, carried)


def _leading(ends: Iterable[object], links: Sequence[tuple[str, str]]) -> set[str]:
    """The names that lead to one of these."""
    found, size = set(ends), -1
    while size < len(found):
        size = len(found)
        found.update(source for source, target in reversed(links) if target in found)
    return {name for name in found if isinstance(name, str)}


def reached_at_times(program: Program, facts: Facts) -> frozenset[str]:
    """The parts of objects that are reached in some runs only, and their copies: untouched they
    have no gradient, and else a number.
    """
    opened = [one for one in program.opened if one.has_objects]
    if not opened:
        return frozenset()
    always, text = reached_always(program, facts), outline(program)
    found = {leaf for one in opened for leaf in one.leaves if leaf in text.read}
    found = {leaf for leaf in found if facts.is_active(leaf) and leaf not in always}
    for node in text.nodes:  # a copy is bound after what it is of
        if type(node) is Bind and node.source in found and node.target in text.once:
            found.update(name for name in node.bound if is_real(facts.kind_of(name)))
    return frozenset(found)


# --- in loops


def find_useful(loop: Loop | While, facts: Facts, asked: Iterable[str]) -> set[str]:
    """The names asked for, those that stand for what others can write, and all that lead there in
    some iteration.
    """
    sources: dict[str, set[str]] = {}
    found = {*asked, *facts.shared}
    for part in walk((loop,)):
        if _hands_out(part, facts):
            found |= {*part.read, *part.bound}
            continue
        for source, target in links_of(part, facts, lambda fn: None):
            sources.setdefault(target, set()).add(source)
    pending = list(found)
    while pending:
        fresh = sources.get(pending.pop(), set()) - found
        found |= fresh
        pending += fresh
    return found


def is_followed(name: str, facts: Facts) -> bool:
    """A number, or an array that has one name: what the text does with it is all that happens."""
    kind = facts.kind_of(name)
    return is_real(kind) or kind == COMPLEX or (is_array(kind) and name not in facts.shared)


def _hands_out(node: Node, facts: Facts) -> bool:
    """May what it reads go where the text alone does not tell?"""
    if isinstance(node, Bind):
        return False
    if isinstance(node, Call):
        is_left_alone = facts.treatment.get(id(node)) in ("dispatch", "pair")
        if is_left_alone or node.fn is YIELD:
            return True
    elif not isinstance(node, Loop):
        return isinstance(node, Exit)
    return not all(is_followed(name, facts) for name in node.read if facts.is_active(name))
