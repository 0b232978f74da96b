"""Values that never meet take one place in what a pair keeps.

``if c: u = ... else: v = ...; return y, (c, u, v)`` becomes ``if c: u = ... else: u = ...; return
y, (c, u)`` where the pullback reads u in the one arm and v in the other alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Node,
    Operand,
    Prim,
    Star,
    Target,
)
from astad.compiler.ir.walk import blocks, renamed, walk, with_blocks
from astad.slotted import replace

__all__ = ["share_places"]

Path = tuple[tuple[int, int], ...]
"""The blocks round a statement: of each branch its ``id`` and the arm."""
LOOP = -1
TUPLE = Prim("tuple")
LOOKUPS = (Prim("global"), Prim("getattr"))


def share_places(derived: Derived) -> Derived:
    """In the tuple between the two functions of a pair."""
    if len(derived.functions) != 2 or not derived.functions[1].body:
        return derived
    forward, pullback = derived.functions
    unpack = pullback.body[0]
    if not isinstance(unpack, Bind) or not isinstance(unpack.target, tuple):
        return derived
    if not any(type(node) is Branch for node in forward.body):
        return derived
    fields = tuple(str(name) for name in unpack.target)
    packs = _packs(forward.body)
    movable = set(fields) - derived.taken - set(forward.params)
    if not packs or any(len(args) != len(fields) for args in packs.values()):
        return derived  # no program is known: every return hands on the same tuple
    for args in packs.values():
        movable &= {name for name, arg in zip(fields, args, strict=True) if name == arg}
    if len(movable) < 2:
        return derived
    made, read = _paths(forward.body, movable, packs), _read(pullback.body[1:], movable)
    sorts = {name: derived.kinds.get(name) for name in made}
    # what stands in no branch meets all
    inside = [name for name in fields if made.get(name) and () not in read[name]]
    new = _places(inside, made, read, sorts)
    if not new:
        return derived
    left = [at for at, name in enumerate(fields) if name not in new]
    back = tuple(renamed(node, new) for node in pullback.body[1:])
    body = (replace(unpack, target=tuple(fields[at] for at in left)), *back)
    packed = _packed(forward.body, packs, left)
    changed = replace(forward, body=_retargeted([renamed(node, new) for node in packed], new))
    return replace(derived, functions=(changed, replace(pullback, body=body)))


def _packs(body: Block) -> dict[int, tuple[Operand | Star, ...]]:
    """What is kept, by ``id`` of the statement that makes the tuple, wherever it is returned."""
    tuples: list[Call] = []
    returned: set[str] = set()
    for node in walk(body):
        if type(node) is Call and node.fn == TUPLE:
            tuples.append(node)
        elif type(node) is Exit:
            returned.add(str(node.value))
    kept = {str(t.args[1]) for t in tuples if t.target in returned and len(t.args) == 2}
    return {id(node): node.args for node in tuples if node.target in kept}


def _walk(body: Block) -> Iterator[tuple[Node, Path]]:
    """Every statement, and where it stands."""
    waiting: list[tuple[Block, Path]] = [(body, ())]
    for block, path in waiting:
        for node in block:
            yield node, path
            if type(node) in COMPOUND:
                home = id(node) if type(node) is Branch else LOOP
                arms = enumerate(blocks(node))
                waiting += [(inner, (*path, (home, arm))) for arm, inner in arms]


def _paths(body: Block, movable: set[str], packs: Collection[int]) -> dict[str, Path]:
    """Where each name is bound, if in one place, outside of loops, and read only beside it and in
    the tuple that is kept.
    """
    found: dict[str, list[Path]] = {}
    others: dict[str, list[Path]] = {}
    for node, path in _walk(body):
        if isinstance(node, Bind) and node.source == Const(None) and not path:
            continue
        # what stands for a global is written as that, and bound nowhere
        is_lookup = isinstance(node, Call) and node.fn in LOOKUPS
        for name in movable.intersection(node.bound):
            found.setdefault(name, []).append((*path, (LOOP, 0)) if is_lookup else path)
        if id(node) not in packs:
            for name in movable.intersection(node.read):
                others.setdefault(name, []).append(path)
    return {
        name: paths[0]
        for name, paths in found.items()
        if len(paths) == 1
        and all(at != LOOP for at, _ in paths[0])
        and all(path[: len(paths[0])] == paths[0] for path in others.get(name, ()))
    }


def _read(body: Block, movable: set[str]) -> dict[str, list[Path]]:
    """Where the pullback reads each name; a name that it binds itself is read everywhere."""
    found: dict[str, list[Path]] = {name: [] for name in movable}
    for node, path in _walk(body):
        for name in movable.intersection(node.read):
            found[name].append(path)
        for name in movable.intersection(node.bound):
            found[name].append(())  # no program is known: what is kept is bound no more
    return found


def _are_apart(a: Path, b: Path) -> bool:
    """Do two arms of one branch hold them?"""
    for one, other in zip(a, b, strict=False):
        if one != other:
            return one[0] == other[0] != LOOP
    return False


def _places(
    names: Sequence[str],
    made: Mapping[str, Path],
    read: Mapping[str, Sequence[Path]],
    sorts: Mapping[str, Kind | None],
) -> dict[str, str]:
    """Names to others of their sort that take them in."""

    def may_share(a: str, b: str) -> bool:
        return (
            sorts[a] == sorts[b]
            and _are_apart(made[a], made[b])
            and all(_are_apart(one, other) for one in read[a] for other in read[b])
        )

    groups: list[dict[Path, str]] = []
    for name in names:
        here = made[name]
        for group in groups:
            if here not in group and all(may_share(name, one) for one in group.values()):
                group[here] = name
                break
        else:
            groups.append({here: name})
    return {name: first for first, *others in map(dict.values, groups) for name in others}


def _packed(body: Block, packs: Collection[int], left: Sequence[int]) -> Block:
    """With shorter tuples."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Call) and id(node) in packs:
            node = replace(node, args=tuple(node.args[at] for at in left))
        out.append(with_blocks(node, lambda block: _packed(block, packs, left)))
    return tuple(out)


def _retargeted(body: Sequence[Node], new: Mapping[str, str]) -> Block:
    """With the new names where they are bound; of what is bound to nothing first one is enough."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Bind) and node.target in new and node.source == Const(None):
            continue
        if isinstance(node, (Bind, Call)) and not new.keys().isdisjoint(node.bound):
            node = replace(node, target=_target(node.target, new))  # type: ignore[arg-type]
        out.append(with_blocks(node, lambda block: _retargeted(block, new)))
    return tuple(out)


def _target(target: Target, new: Mapping[str, str]) -> Target:
    if isinstance(target, tuple):
        return tuple(_target(part, new) for part in target)
    return new.get(target, target)
