"""Compute again what an iteration would keep, where that is one operation on what else it keeps.

``t = 1.0 - x; kept.append((x, t)); ...; for x, t in reversed(kept): x_bar = y_bar * t`` becomes
``kept.append(x); ...; for x in reversed(kept): x_bar = y_bar * (1.0 - x)``. A kept float costs 32
bytes and its share of a tuple, an operation on floats some 10 ns. Only Python's own numbers, and
elements of arrays that stay: the same operation gives the same bits again, and cannot raise or
warn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.kinds import BOOL, INT
from astad.compiler.ir.lines import reversed_line
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Star,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import COMPARE
from astad.compiler.ir.walk import binds, bound_inside, walk, with_blocks
from astad.compiler.tidy.records import Record, find_records, with_records

__all__ = ["compute_again"]

CHEAP = {"add", "sub", "mul", "truediv", "neg", *COMPARE} - {"is_", "is_not"}


def compute_again(derived: Derived, names: Names) -> Derived:
    """In every list of records to which all places append the same."""
    found = find_records(derived)
    wide = {at: record for record in found.values() for at in _sites(record)}
    if not wide:
        return derived
    fixed, widths = _fixed(derived), {name: len(each.names) for name, each in found.items()}
    for index, before, record in _recorded(derived, wide):
        _Iteration(before, record, index, fixed, derived, names).shorten()
    shorter = {name: each for name, each in found.items() if len(each.names) < widths[name]}
    if not shorter:
        return derived
    derived = with_records(derived, shorter)
    return derived.with_bodies(lambda function: _sooner(function.body, shorter))


def _sites(record: Record) -> list[int]:
    """The places that record something, if that is the same in all, and more than one field."""
    sites = [at for at, fields in record.sites.items() if fields]
    is_same = len({record.sites[at] for at in sites}) == 1
    return sites if is_same and len(record.names) > 1 else []


def _recorded(
    derived: Derived, wide: Mapping[int, Record]
) -> Iterator[tuple[object, Block, Record]]:
    """For each of these records what the loop binds and what of the iteration stands before it."""
    for index, block in _iterations(derived):
        for at in [at for at, node in enumerate(block) if id(node) in wide]:
            last = id(block[at])
            before = _before_all(block[:at], wide[last], last)
            if before is not None:
                yield index, before, wide[last]


def _before_all(block: Block, record: Record, last: int) -> Block | None:
    """What stands before all ends of the iteration; None where a field, or what one is made of, is
    bound anew behind it.
    """
    ends = [any(id(part) in record.sites for part in walk((node,))) for node in block]
    first = ends.index(True) if True in ends else len(block)
    fields = set(map(str, record.sites[last]))
    made = [node for node in block[:first] if not fields.isdisjoint(node.bound)]
    used = fields.union(*(node.read for node in made))
    return block[:first] if used.isdisjoint(bound_inside(*block[first:])) else None


def _iterations(derived: Derived) -> Iterator[tuple[object, Block]]:
    """What each loop binds, and the statements of one iteration."""
    for function in derived.functions:
        for node in outline(function).nodes:
            if type(node) is Loop:
                yield node.target, node.body
            elif type(node) is While:
                yield None, (*node.head, *node.body)


def _fixed(derived: Derived) -> set[str]:
    """Names that hold the same from before the loops to the end, where the reverse sweep reads
    them as well.
    """
    forward = derived.functions[0]
    times = outline(forward).bound
    top = {name for node in forward.body if isinstance(node, (Bind, Call)) for name in node.bound}
    fixed = {name for name in forward.params if not times[name]}
    fixed |= {name for name in top if times[name] == 1}
    for function in derived.functions[1:]:
        times = outline(function).bound
        handed = binds(function.body[0]) if function.body else ()
        here = {name for name in handed if times[name] == 1}
        fixed &= here | {name for name in function.params if not times[name]}
    return fixed


class _Iteration:
    """The statements of an iteration up to its record.

    ``last`` has the statement that binds each name last; ``kept`` the names by which the reverse
    sweep has the fields so far.
    """

    def __init__(
        self,
        before: Block,
        record: Record,
        index: object,
        fixed: Collection[str],
        derived: Derived,
        names: Names,
    ) -> None:
        self.before = before
        self.record = record
        self.index = index
        self.fixed = fixed
        self.derived = derived
        self.names = names
        self.kept: dict[str, str] = {}
        self.last: dict[str, int] = {}
        for at, node in enumerate(before):
            self.last.update(dict.fromkeys(bound_inside(node), at))

    def shorten(self) -> None:
        """Leave out of the record what can be computed from the rest of it."""
        record = self.record
        sites = _sites(record)
        fields = record.sites[sites[0]]
        changed = bound_inside(*record.body)
        tests = [at for at, value in enumerate(fields) if self._is_test(value)]
        copies = {node.target for node in self.before if isinstance(node, Bind)}
        order = sorted(
            range(len(fields)),
            key=lambda at: (at in tests, fields[at] not in copies, self._last(str(fields[at]))),
        )
        made: list[Call] = []
        left: list[int] = []
        for at in order:
            value, name = fields[at], record.names[at]
            stays = len(left) != 1 if at in tests else (at == order[-1] and not left)
            found = None if stays or name in changed else self._again(value)
            if isinstance(found, Call):
                made.append(found)
                found = str(found.target)
            if found is None:
                left.append(at)
            else:
                record.new[name] = found
            if isinstance(value, str):  # rebound, if at all, behind all that is computed from it
                self.kept.setdefault(value, record.new.get(name, name))
        left.sort()
        record.sites.update(dict.fromkeys(sites, tuple(fields[at] for at in left)))
        record.names = tuple(record.names[at] for at in left)
        record.body = _placed(made, record.new, record.body) if made else record.body

    def _again(self, value: Operand | Star) -> Call | str | None:
        """The statement that computes the value of a field in the reverse sweep, or a name that
        has it there in any case.
        """
        here = self._last(str(value))
        node = self.before[here] if here >= 0 else None
        if isinstance(node, Bind) and node.target == value and isinstance(node.source, str):
            return self._available(node.source, here)
        if not isinstance(node, Call) or not self._is_cheap(node):
            return None
        args = []
        for arg in node.args:
            found = arg if isinstance(arg, Const) else self._available(str(arg), here)
            if found is None:
                return None
            args.append(found)
        target = self.names.numbered("t")
        return Call(target, node.fn, tuple(args), (), reversed_line(node.line))

    def _available(self, name: str, at: int) -> str | None:
        """The name by which the reverse sweep has the value that the statement there reads."""
        if name in self.kept and self._last(name) < at:
            return self.kept[name]
        for place, node in enumerate(self.before):  # ``x_kept = x``, before x is bound again
            if isinstance(node, Bind) and node.source == name and node.target in self.kept:
                start, end = sorted((place, at))
                if self._last(node.target) == place and name not in bound_inside(
                    *self.before[start:end]
                ):
                    return self.kept[node.target]
        is_again = name in self.fixed or (name == self.index and self._has_index(name))
        return name if is_again else None

    def _has_index(self, name: str) -> bool:
        """Does the reverse sweep count the same?"""
        target = self.record.walk.target if self.record.walk is not None else None
        is_beside = isinstance(target, tuple) and isinstance(target[-1], tuple)
        return is_beside and target[0] == name and name not in self.last  # type: ignore[index]

    def _last(self, name: str) -> int:
        return self.last.get(name, -1)

    def _is_test(self, value: Operand | Star) -> bool:
        """A comparison costs more than its place in a tuple, and less than a tuple for its sake."""
        return self.derived.kinds.get(str(value)) == BOOL

    def _is_cheap(self, node: Call) -> bool:
        if node.fn == Prim("getitem") and node.args[0] in self.derived.steady:
            return self._is_number(node.args[1])
        if not isinstance(node.fn, Prim) or node.fn.name not in CHEAP or node.keywords:
            return False
        return all(map(self._is_number, node.args))

    def _is_number(self, operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (int, float, bool)
        return isinstance(operand, str) and (
            operand in self.derived.floats or self.derived.kinds.get(operand) in (INT, BOOL)
        )


def _placed(made: Sequence[Call], new: Mapping[str, str], body: Block) -> Block:
    """Each statement just before the first that reads its result, under its old name or the new."""
    first: dict[str, int] = {}
    for at, node in enumerate(body):
        for part in walk((node,)):
            for name in part.read:
                name = new.get(name, name)
                first.setdefault(name, at)
    here: dict[int, list[Call]] = {}
    for call in reversed(made):
        at = first.get(str(call.target), len(body))
        here.setdefault(at, []).insert(0, call)
        for name in call.read:
            first[name] = min(first.get(name, at), at)
    out: list[Node] = []
    for at, node in enumerate(body):
        out += [*here.get(at, ()), node]
    return tuple(out)


def _sooner(body: Block, shorter: Collection[str]) -> Block:
    """Records as soon as their fields are bound: what they have no more may then be written where
    it is used.
    """
    out: list[Node] = []
    for node in body:
        out.append(with_blocks(node, lambda block: _sooner(block, shorter)))
        if not (isinstance(node, Call) and node.fn == Prim("method") and node.args[0] in shorter):
            continue
        item = node.args[2]
        start = len(out) - 2 if len(out) > 1 and item in binds(out[-2]) else len(out) - 1
        moved = out[start:]
        fields = {name for part in moved for name in part.read}
        at = start
        while (
            at and isinstance(out[at - 1], (Bind, Call)) and fields.isdisjoint(binds(out[at - 1]))
        ):
            at -= 1
        out[at:] = [*moved, *out[at:start]]
    return tuple(out)
