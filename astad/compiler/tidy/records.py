"""Keep of each iteration only what the reverse sweep still reads, of an idle one nothing.

``for left, x, a in reversed(kept): if left > 1: ...``, where 1 is the first exit, becomes
``for x in reversed(kept): ...``: that exit records nothing, and ``a`` is not read.

Lists of records: where the forward sweep appends to them, what the reverse sweep unpacks.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import (
    COMPOUND,
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
from astad.compiler.ir.outline import Outline, outline
from astad.compiler.ir.walk import blocks, bound_inside, kept, renamed, walk, with_blocks
from astad.slotted import dataclass, field, replace

__all__ = ["Record", "find_records", "thin_records", "with_records"]

# --- lists of records


LIST, TUPLE, METHOD = Prim("list"), Prim("tuple"), Prim("method")
APPEND = Const("append")
REVERSED, ZIP = Ref("builtins", "reversed"), Ref("builtins", "zip")
Fields = tuple[Operand | Star, ...]


@dataclass(slots=True)
class Record:
    """One list of records: what each place appends, by ``id`` of the call; what is read of it.

    ``walk`` is the loop of the reverse sweep, ``names`` its targets for one record; ``new`` has
    other names for some that its body reads.
    """

    name: str
    sites: dict[int, Fields] = field(default_factory=dict)
    packs: set[int] = field(default_factory=set)
    items: dict[int, str] = field(default_factory=dict)
    walk: Loop | None = None
    names: tuple[str, ...] = ()
    body: Block = ()
    new: dict[str, str] = field(default_factory=dict)

    @property
    def beside(self) -> bool:
        """Is it walked in step with an index: ``for i, (x, g) in zip(...)``?"""
        target = self.walk.target if self.walk is not None else ""
        return not isinstance(target, str) and _fields_of(target) is not target


# --- what there is


def find_records(derived: Derived) -> dict[str, Record]:
    """Lists made, appended to and walked once, and read by nothing else but a tuple."""
    found: dict[str, Record] = {}
    texts = [outline(function) for function in derived.functions]
    for made in [call for text in texts for call in text.calls_of("list")]:
        if _is_ours(made, derived):
            found[str(made.target)] = Record(str(made.target))
    if not found:
        return found
    for function in derived.functions:
        _find_sites(function.body, found)
    for text in texts:
        _find_walks(text, found)
    return {
        name: record
        for name, record in found.items()
        if record.walk is not None and _readers(name, texts) == len(record.sites) + 1
    }


def _find_walks(text: Outline, found: Mapping[str, Record]) -> None:
    walks = {str(call.target): str(call.args[-1]) for call in text.calls_to(REVERSED)}
    for call in text.calls_to(ZIP):
        walks[str(call.target)] = walks.get(str(call.args[-1]), "")
    for node in text.nodes if walks else ():
        if type(node) is Loop and (name := walks.get(str(node.iterable), "")) in found:
            _note_walk(found[name], node)


def _readers(name: str, texts: Sequence[Outline]) -> int:
    """How often the list is read, but for what goes into a tuple."""
    packed = [call.read.count(name) for text in texts for call in text.calls_of("tuple")]
    return sum([text.read.get(name, 0) for text in texts]) - sum(packed)


def _is_ours(node: Call, derived: Derived) -> bool:
    name = node.target
    return isinstance(name, str) and name.startswith("kept_") and name not in derived.taken


def _fields_of(target: Target) -> tuple[Target, ...]:
    """The targets for one record: those of ``left, x``, and of ``i, (left, x)`` beside an index."""
    if isinstance(target, tuple) and len(target) == 2 and isinstance(target[1], tuple):
        target = target[1]
    return (target,) if isinstance(target, str) else target


def _note_walk(record: Record, node: Loop) -> None:
    names = _fields_of(node.target)
    if all(isinstance(name, str) for name in names) and record.walk is None:
        widths = {len(fields) for fields in record.sites.values()}
        if widths == {len(names)}:
            record.walk, record.names, record.body = node, names, node.body  # type: ignore[assignment]


def _find_sites(body: Block, found: Mapping[str, Record]) -> None:
    for at, node in enumerate(body):
        if type(node) in COMPOUND:
            for block in blocks(node):
                _find_sites(block, found)
        if type(node) is not Call or node.fn is not METHOD or node.args[1] != APPEND:
            continue
        record = found.get(str(node.args[0]))
        if record is None:
            continue
        before = body[at - 1] if at else None
        item = node.args[2]
        if isinstance(before, Call) and before.fn is TUPLE and before.target == item:
            record.sites[id(node)] = before.args
            record.packs.add(id(before))
            record.items[id(node)] = str(item)
        else:
            record.sites[id(node)] = (item,)


# --- the new text


def with_records(derived: Derived, found: Mapping[str, Record]) -> Derived:
    """The program with these records as they are now."""
    if not found:
        return derived
    changed = {id(record.walk): record for record in found.values()}
    sites = {at: record for record in found.values() for at in (*record.sites, *record.packs)}
    return derived.with_bodies(lambda function: _written(function.body, changed, sites))


def _written(body: Block, walks: Mapping[int, Record], sites: Mapping[int, Record]) -> Block:
    out: list[Node] = []
    for node in body:
        record = sites.get(id(node))
        if record is not None:
            if id(node) in record.sites:
                out += _append(node, record)
            continue
        walk_of = walks.get(id(node))
        if walk_of is not None:
            node = _walk_again(node, walk_of)
        if type(node) in COMPOUND:
            node = with_blocks(node, lambda block: _written(block, walks, sites))
        if walk_of is not None and walk_of.new:
            assert isinstance(node, Loop)
            node = replace(node, body=tuple(renamed(part, walk_of.new) for part in node.body))
        out.append(node)
    return kept(body, out)


def _append(node: Node, record: Record) -> Block:
    """The call of ``append``, its tuple before it; for a single field the value itself."""
    fields = record.sites[id(node)]
    assert isinstance(node, Call)
    if len(fields) < 2:
        return tuple(replace(node, args=(*node.args[:2], value)) for value in fields)
    item = record.items[id(node)]
    pack = Call(item, Prim("tuple"), fields, (), node.line)
    return pack, replace(node, args=(*node.args[:2], item))


def _walk_again(node: Node, record: Record) -> Loop:
    assert isinstance(node, Loop)
    names: Target = record.names if len(record.names) > 1 else record.names[0]
    target = (node.target[0], names) if record.beside else names
    return replace(node, target=target, body=record.body)


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
        return  # no program is known: a call and a branch alone ask for the exit
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
    top = {node.target for node in body if isinstance(node, (Bind, Call))}
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
