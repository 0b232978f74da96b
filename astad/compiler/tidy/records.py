"""Keep of each iteration only what the reverse sweep still reads, of an idle one nothing.

``for left, x, a in reversed(kept): if left > 1: ...``, where 1 is the first exit, becomes
``for x in reversed(kept): ...``: that exit records nothing, and ``a`` is not read.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Ref,
    Star,
    Target,
)
from astad.compiler.ir.walk import binds, blocks, reads, renamed, walk, with_blocks

__all__ = ["thin_records"]

APPEND = (Prim("method"), Const("append"))
REVERSED, ZIP = Ref("builtins", "reversed"), Ref("builtins", "zip")
TESTS: dict[str, Callable[[int, int], bool]] = {
    "gt": operator.gt,
    "eq": operator.eq,
    "le": operator.le,
}
Fields = tuple[Operand | Star, ...]


@dataclass(slots=True)
class _Record:
    """One list of records: what each place appends, by ``id`` of the call; what is read of it.

    ``walk`` is the loop of the reverse sweep, ``names`` its targets for one record.
    """

    name: str
    sites: dict[int, Fields] = field(default_factory=dict)
    packs: set[int] = field(default_factory=set)
    items: dict[int, str] = field(default_factory=dict)
    walk: Loop | None = None
    names: tuple[str, ...] = ()
    body: Block = ()


def thin_records(derived: Derived) -> Derived:
    """In every generated function."""
    found, fixed = _find(derived), _fixed(derived)
    for record in found.values():
        _leave_out_idle_exits(record)
        _leave_out_unread(record, fixed)
    changed = {id(record.walk): record for record in found.values()}
    sites = {at: record for record in found.values() for at in (*record.sites, *record.packs)}
    functions = tuple(replace(f, body=_written(f.body, changed, sites)) for f in derived.functions)
    return replace(derived, functions=functions)


# --- what there is


def _find(derived: Derived) -> dict[str, _Record]:
    """Lists made, appended to and walked once, and read by nothing else but a tuple."""
    found: dict[str, _Record] = {}
    walks: dict[str, str] = {}
    reading: Counter[str] = Counter()
    nodes = [node for function in derived.functions for node in walk(function.body)]
    for node in nodes:
        if isinstance(node, Call) and node.fn == Prim("list") and _is_ours(node, derived):
            found[str(node.target)] = _Record(str(node.target))
    for function in derived.functions:
        _find_sites(function.body, found)
    for node in nodes:
        if not (isinstance(node, Call) and node.fn == Prim("tuple")):
            reading.update(reads(node))
        if isinstance(node, Call) and node.fn in (REVERSED, ZIP):
            last = str(node.args[-1])
            walks[str(node.target)] = last if node.fn == REVERSED else walks.get(last, "")
        if isinstance(node, Loop) and (name := walks.get(str(node.iterable), "")) in found:
            _note_walk(found[name], node)
    return {
        name: record
        for name, record in found.items()
        if record.walk is not None and reading[name] == len(record.sites) + 1
    }


def _is_ours(node: Call, derived: Derived) -> bool:
    name = node.target
    return isinstance(name, str) and name.startswith("kept_") and name not in derived.taken


def _fields_of(target: Target) -> tuple[Target, ...]:
    """The targets for one record: those of ``left, x``, and of ``i, (left, x)`` beside an index."""
    if isinstance(target, tuple) and len(target) == 2 and isinstance(target[1], tuple):
        target = target[1]
    return (target,) if isinstance(target, str) else target


def _note_walk(record: _Record, node: Loop) -> None:
    names = _fields_of(node.target)
    if all(isinstance(name, str) for name in names) and record.walk is None:
        widths = {len(fields) for fields in record.sites.values()}
        if widths == {len(names)}:
            record.walk, record.names, record.body = node, names, node.body  # type: ignore[assignment]


def _find_sites(body: Block, found: Mapping[str, _Record]) -> None:
    for at, node in enumerate(body):
        for block in blocks(node):
            _find_sites(block, found)
        if not isinstance(node, Call) or (node.fn, *node.args[1:2]) != APPEND:
            continue
        record = found.get(str(node.args[0]))
        if record is None:
            continue
        before = body[at - 1] if at else None
        item = node.args[2]
        if isinstance(before, Call) and before.fn == Prim("tuple") and before.target == item:
            record.sites[id(node)] = before.args
            record.packs.add(id(before))
            record.items[id(node)] = str(item)
        else:
            record.sites[id(node)] = (item,)


# --- what is left out


def _leave_out_idle_exits(record: _Record) -> None:
    """Where the whole iteration is asked for its exit: those that fail the test record nothing."""
    body = record.body
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
    """Names bound once, before all loops: the reverse sweep of a fused form finds them there."""
    if len(derived.functions) != 1:
        return set()
    body = derived.functions[0].body
    top = {node.target for node in body if isinstance(node, Bind | Call)}
    count = Counter(
        name for node in walk(body) if not isinstance(node, Loop) for name in binds(node)
    )
    return {name for name in top if isinstance(name, str) and count[name] == 1}


def _leave_out_unread(record: _Record, fixed: set[str]) -> None:
    read = {name for node in walk(record.body) for name in reads(node)}
    sites = [fields for fields in record.sites.values() if fields]
    kept = [
        at
        for at, name in enumerate(record.names)
        if name in read and not (name in fixed and all(fields[at] == name for fields in sites))
    ]
    first: dict[Fields, int] = {}
    new: dict[str, str] = {}
    for at in list(kept):
        same = tuple(fields[at] for fields in sites)
        if same in first:
            new[record.names[at]] = record.names[first[same]]
            kept.remove(at)
        first.setdefault(same, at)
    kept = kept or [len(record.names) - 1]
    record.body = tuple(renamed(node, new) for node in record.body) if new else record.body
    record.names = tuple(record.names[at] for at in kept)
    for site, fields in record.sites.items():
        record.sites[site] = tuple(fields[at] for at in kept) if fields else ()


# --- the new text


def _written(body: Block, walks: Mapping[int, _Record], sites: Mapping[int, _Record]) -> Block:
    out: list[Node] = []
    for node in body:
        record = sites.get(id(node))
        if record is not None:
            if id(node) in record.sites:
                out += _append(node, record)
            continue
        if id(node) in walks:
            node = _walk_again(node, walks[id(node)])
        out.append(with_blocks(node, lambda block: _written(block, walks, sites)))
    return tuple(out)


def _append(node: Node, record: _Record) -> Block:
    """The call of ``append``, its tuple before it; for a single field the value itself."""
    fields = record.sites[id(node)]
    assert isinstance(node, Call)
    if len(fields) < 2:
        return tuple(replace(node, args=(*node.args[:2], value)) for value in fields)
    item = record.items[id(node)]
    pack = Call(item, Prim("tuple"), fields, (), node.line)
    return pack, replace(node, args=(*node.args[:2], item))


def _walk_again(node: Node, record: _Record) -> Loop:
    assert isinstance(node, Loop)
    names: Target = record.names if len(record.names) > 1 else record.names[0]
    has_index = _fields_of(node.target) is not node.target and not isinstance(node.target, str)
    target = (node.target[0], names) if has_index else names
    return replace(node, target=target, body=record.body)
