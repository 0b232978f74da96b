"""Keep of each iteration only what the reverse sweep still reads, of an idle one nothing.

``for left, x, a in reversed(kept): if left > 1: ...``, where 1 is the first exit, becomes
``for x in reversed(kept): ...``: that exit records nothing, and ``a`` is not read.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    Bind,
    Branch,
    Call,
    Const,
    Loop,
    Prim,
)
from astad.compiler.ir.walk import bound_inside, walk
from astad.compiler.tidy.kept_lists import Fields, Record, find_records, with_records

__all__ = ["thin_records"]

TESTS: dict[str, Callable[[int, int], bool]] = {
    "gt": operator.gt,
    "eq": operator.eq,
    "le": operator.le,
}


def thin_records(derived: Derived) -> Derived:
    """In every generated function."""
    found = find_records(derived)
    fixed = _fixed(derived) if found else set()
    thinner: dict[str, Record] = {}
    for name, record in found.items():
        before = dict(record.sites), record.names
        _leave_out_idle_exits(record)
        _leave_out_unread(record, fixed)
        if (record.sites, record.names) != before:
            thinner[name] = record
    return with_records(derived, thinner)


def _leave_out_idle_exits(record: Record) -> None:
    """Where the whole iteration is asked for its exit: those that fail the test record nothing."""
    body = record.body
    if record.beside:  # the iterations are counted by something else as well
        return
    if len(body) != 2 or not isinstance(body[0], Call) or not isinstance(body[1], Branch):
        return
    test, branch = body[0], body[1]
    name = test.fn.name if isinstance(test.fn, Prim) else ""
    if name not in TESTS or test.args[0] != record.names[0] or branch.test != test.target:
        return
    if bool(branch.body) == bool(branch.orelse) or not isinstance(test.args[1], Const):
        return
    number = test.args[1].value
    for at, fields in list(record.sites.items()):
        exit_number = fields[0]
        assert isinstance(exit_number, Const)
        passes = TESTS[name](exit_number.value, number)  # type: ignore[arg-type]
        if passes != bool(branch.body):
            record.sites[at] = ()
    record.body = branch.body or branch.orelse


def _fixed(derived: Derived) -> set[str]:
    """Names bound once, before all loops: the reverse sweep of a fused form finds them there. Its
    own loops bind them to what they are.
    """
    if len(derived.functions) != 1:
        return set()
    body = derived.functions[0].body
    top = {node.target for node in body if isinstance(node, Bind | Call)}
    others = [node for node in walk(body) if type(node) is not Loop or not is_reverse(node)]
    count = Counter([name for node in others for name in node.bound])
    return {name for name in top if isinstance(name, str) and count[name] == 1}


def _leave_out_unread(record: Record, fixed: set[str]) -> None:
    read = {name for node in walk(record.body) for name in node.read}
    sites = [fields for fields in record.sites.values() if fields]
    kept = [
        at
        for at, name in enumerate(record.names)
        if name in read and not (name in fixed and all(fields[at] == name for fields in sites))
    ]
    first: dict[Fields, int] = {}
    changed = bound_inside(*record.body)
    for at in list(kept):
        same = tuple(fields[at] for fields in sites)
        if same in first and changed.isdisjoint((record.names[at], record.names[first[same]])):
            record.new[record.names[at]] = record.names[first[same]]
            kept.remove(at)
        first.setdefault(same, at)
    kept = kept or [len(record.names) - 1]
    record.names = tuple(record.names[at] for at in kept)
    for site, fields in record.sites.items():
        record.sites[site] = tuple(fields[at] for at in kept) if fields else ()
