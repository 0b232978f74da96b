"""What names stand for while containers are taken apart: constants, containers of known parts.

>>> a, b = Tree("list", (0,), ("x",), frozenset({1})), Tree("list", (0,), ("y",), frozenset({2}))
>>> join({"l": a, "n": Const(1)}, {"l": b, "n": Const(2)})
{'l': Mixed(roots=frozenset({1, 2}), alike=True)}
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from types import ModuleType

from astad.compiler.analysis.space import Space
from astad.compiler.ir.kinds import UNKNOWN, Kind
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Star, immutable
from astad.slotted import dataclass, field, replace
from astad.spelling import spelled

__all__ = [
    "PLAIN",
    "Env",
    "Known",
    "Mixed",
    "Roots",
    "Same",
    "State",
    "Tree",
    "are_alike",
    "have_same_keys",
    "held",
    "identity_of",
    "is_literal_text",
    "join",
    "moved",
    "names_in",
]

Roots = frozenset[Hashable]
"""What a container is made of: names of arguments, ids of displays, identities of what changes."""


@immutable
class Tree:
    """A container whose parts are known and which nobody writes.

    ``form`` is 'dict', 'list', 'tuple', 'namedtuple', 'object', or 'iterator' for what is gone
    through once. A part is an operand or a container. An object that the function has made itself
    may be written: ``cls`` is the path of its class, ``name`` tells it from all others, and its
    parts are the names of its attributes. So may a list or a dict: ``made`` is the statement, by
    ``id``, that makes it, and the names of its items begin with ``stem``.
    """

    form: str
    keys: tuple[object, ...]
    parts: tuple[Operand | Tree, ...]
    roots: Roots
    cls: str = ""
    name: str = ""
    made: int = 0
    stem: str = ""

    def items(self) -> tuple[Operand | Tree, ...] | None:
        """What a loop over it gives."""
        if self.form == "dict":
            return tuple(Const(key) for key in self.keys)
        return None if self.form == "object" else self.parts


def identity_of(name: str) -> str:
    """Where an environment holds what is known of the object or container of this name."""
    return f"#{name}"


def moved(name: str) -> str:
    """Among the roots of a copy that stands for the container of this name, if nobody changes that
    any more.
    """
    return f"moved {name}"


@immutable
class Mixed:
    """On some way a container without a run-time value: it may not be read. ``alike``: one with
    the same keys on each way.
    """

    roots: Roots
    alike: bool = False


@immutable
class Same:
    """A temporary for a part of an argument: the part stands where it is read."""

    name: str
    roots: Roots


Known = Const | Tree | Mixed | Same
Env = dict[str, Known]
"""A name that is missing stands for its own run-time value, and no more is known."""


def join(first: Env, second: Env) -> Env:
    """What is known where two ways meet."""
    found: Env = {}
    for name in (*first, *(name for name in second if name not in first)):
        both = _joined(first.get(name), second.get(name))
        if both is not None:
            found[name] = both
    return found


def _joined(a: Known | None, b: Known | None) -> Known | None:
    if isinstance(a, Tree) and isinstance(b, Tree) and are_alike(a, b):
        return a if a.roots == b.roots else _with_roots(a, a.roots | b.roots)
    unnamed = (Mixed, Tree, Same)
    if not isinstance(a, unnamed) and not isinstance(b, unnamed):
        return a if _same_constant(a, b) else None
    alike = have_same_keys(a, b) or any(isinstance(k, Mixed) and k.alike for k in (a, b))
    return a if isinstance(a, Same) and a == b else Mixed(roots_of(a) | roots_of(b), alike)


def have_same_keys(a: Known | None, b: Known | None) -> bool:
    """Two lists, two tuples or two dicts."""
    if not isinstance(a, Tree) or not isinstance(b, Tree) or a.form not in PLAIN:
        return False
    return a.form == b.form and spelled(a.keys) == spelled(b.keys)


PLAIN = ("list", "tuple", "dict")
"""Containers with a display of their own."""


def _same_constant(a: Known | None, b: Known | None) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):
        return type(a.value) is type(b.value) and spelled(a.value) == spelled(b.value)
    return a == b


def roots_of(known: Known | None) -> Roots:
    return known.roots if isinstance(known, (Tree, Mixed, Same)) else frozenset()


def are_alike(a: Known, b: Known) -> bool:
    """Two containers with the same parts in the same places."""
    if (
        not isinstance(a, Tree)
        or not isinstance(b, Tree)
        or (a.form, a.name) != (b.form, b.name)
        or spelled(a.keys) != spelled(b.keys)
    ):
        return False
    return all(
        are_alike(x, y) if isinstance(x, Tree) and isinstance(y, Tree) else repr(x) == repr(y)
        for x, y in zip(a.parts, b.parts, strict=True)
    )


def _with_roots(tree: Tree, roots: Roots) -> Tree:
    parts = tuple(_with_roots(p, roots) if isinstance(p, Tree) else p for p in tree.parts)
    return replace(tree, parts=parts, roots=roots)


def names_in(tree: Tree) -> Iterator[str]:
    """The run-time names among its parts."""
    for part in tree.parts:
        if isinstance(part, Tree):
            yield from names_in(part)
        elif isinstance(part, str):
            yield part


def is_literal_text(const: Const) -> bool:
    """Can it be written as a literal?"""
    return const.value is None or type(const.value) in (int, str, bool, float, tuple)


def held(env: Mapping[str, Known], name: str) -> Iterator[tuple[str, Tree]]:
    """The containers that this name is a part of."""
    for holder, known in env.items():
        if isinstance(known, Tree) and name in names_in(known):
            yield holder, known


@dataclass(slots=True)
class State:
    """What one walk has found so far: ``leaves`` are the kinds of the parts of arguments, which
    nobody binds again, ``numbers`` those of other parameters; ``once`` the temporaries that one
    statement binds; ``whole`` the containers to be left alone, ``unrolled`` the loops over a range
    to be written out; ``escaped`` and ``wished`` what this walk would add to both; ``relied`` by
    class the attributes that its instances hold, and what it has or has not itself; ``plain`` are
    temporaries that are no objects of the user's; ``walking`` what the loops round a statement, as
    they are written out, go through.
    """

    names: Names
    space: Space
    taken: set[str]
    whole: set[Hashable]
    unrolled: set[int]
    slots: dict[tuple[object, ...], str]
    leaves: Mapping[str, Kind] = field(default_factory=dict)
    leaf_roots: Mapping[str, Roots] = field(default_factory=dict)
    numbers: Mapping[str, Kind] = field(default_factory=dict)
    once: set[str] = field(default_factory=set)
    single: Set[str] = frozenset()
    env: Env = field(default_factory=dict)
    escaped: set[Hashable] = field(default_factory=set)
    wished: set[int] = field(default_factory=set)
    assumed: set[str] = field(default_factory=set)
    relied: dict[str, dict[str, None]] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)
    ranges: list[int] = field(default_factory=list)
    written: int = 0
    paths: dict[str, str] = field(default_factory=dict)
    rounds: list[tuple[int, int]] = field(default_factory=list)
    walking: list[Roots] = field(default_factory=list)

    def find_paths(self, nodes: Iterable[Node], once: Set[str]) -> None:
        """Which names stand for globals."""
        for node in nodes:
            if type(node) is not Call or node.target not in once or not node.args:
                continue
            first = node.args[0]
            name = node.fn.name if type(node.fn) is Prim else ""
            if name == "global" and isinstance(first, Const):
                self.paths[str(node.target)] = str(first.value)
            elif name == "getattr" and first in self.paths:
                path = self.paths[str(first)]
                if isinstance(self.space.find(path), ModuleType):
                    assert isinstance(node.args[1], Const)
                    self.paths[str(node.target)] = f"{path}.{node.args[1].value}"

    def known(self, operand: Operand | Star) -> Known | None:
        """What the operand stands for, if more is known than that it has a run-time value."""
        if isinstance(operand, Const):
            return operand
        return self.env.get(operand) if isinstance(operand, str) else None

    def part(self, operand: Operand) -> Operand | Tree:
        """The operand as a part of a container."""
        known = self.known(operand)
        return known if isinstance(known, Tree) else self.read(operand)

    def is_plain_number(self, operand: Operand | Star) -> bool:
        """Is it a float or an int for certain, of no class derived from these?"""
        known = self.known(operand)
        if isinstance(known, Const):
            return type(known.value) in (int, float)
        name = known.name if isinstance(known, Same) else operand
        kind = self.leaves.get(str(name)) or self.numbers.get(str(name))
        return kind is not None and kind.tag in ("int", "float")

    def is_no_object(self, operand: Operand | Star) -> bool:
        """Is it for certain no object of a class of the user's, unless one that is known?"""
        known = self.known(operand)
        if isinstance(known, (Const, Tree)):
            return True
        name = str(known.name if isinstance(known, Same) else operand)
        kind = self.leaves.get(name) or self.numbers.get(name)
        return name in self.plain or (kind is not None and kind != UNKNOWN)

    def rely(self, cls: str, *names: str) -> None:
        """Take it that the class at this path holds under these names what it does, or nothing."""
        self.relied.setdefault(cls, {}).update(dict.fromkeys(names))

    def read(self, operand: Operand) -> Operand:
        """The name of what it stands for, or the literal that it is bound to, once and for all."""
        known = self.known(operand)
        if isinstance(known, Const) and is_literal_text(known):
            return known if operand in self.single or operand in self.once else operand
        return self.name_of(operand)

    def name_of(self, operand: Operand) -> Operand:
        """The same, but no literal."""
        known = self.known(operand)
        return known.name if isinstance(known, Same) else operand

    def bind(
        self, target: str, part: Operand | Tree, line: int, out: list[Node], *, loose: bool = False
    ) -> None:
        """``target = part``; the walk says how."""
        raise NotImplementedError

    def replace_identity(self, tree: Tree) -> None:
        """What is known from now on of an object or container, under every name it goes by."""

        def changed(one: Tree) -> Tree:
            parts = tuple(changed(p) if isinstance(p, Tree) else p for p in one.parts)
            if one.name == tree.name:
                return tree
            return one if parts == one.parts else replace(one, parts=parts)

        for name, known in list(self.env.items()):
            if isinstance(known, Tree):
                self.env[name] = changed(known)

    def forget_moved(self, name: str) -> None:
        """The container of this name is made anew: what was copied of it was of another one."""
        mark = moved(name)

        def without(one: Tree) -> Tree:
            parts = tuple(without(p) if isinstance(p, Tree) else p for p in one.parts)
            return replace(one, parts=parts, roots=one.roots - {mark})

        for holder, known in list(self.env.items()):
            if isinstance(known, Tree) and mark in known.roots:
                self.env[holder] = without(known)
            elif isinstance(known, Mixed):
                self.env[holder] = replace(known, roots=known.roots - {mark})

    def was_moved(self, tree: Tree) -> bool:
        """Does a copy stand for it, so that it may not change any more?"""
        return any(moved(tree.name) in roots_of(known) for known in self.env.values())

    def now(self, part: Operand | Tree) -> Operand | Tree:
        """A part that was looked at before, as it is by now."""
        if not isinstance(part, Tree):
            return part
        if part.name:
            known = self.env.get(identity_of(part.name))
            if isinstance(known, Tree):
                return known
            self.escaped |= part.roots
            return part
        parts = tuple(map(self.now, part.parts))
        return part if parts == part.parts else replace(part, parts=parts)

    def wish(self) -> bool:
        """Ask for the loops over ranges to be written out, so that an index becomes a constant."""
        self.wished.update(self.ranges)
        return bool(self.ranges)
