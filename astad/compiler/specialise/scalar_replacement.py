"""Take apart containers of known structure: arguments, and those made and read in one function.

Where a container is only read, at known places, its parts become names. A loop over such a
container, or over a short literal tuple, is written out round by round, so that keys are constants.

>>> from astad.compiler.ir.containers import read_kind
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def f(params, x):
...     for name in ("a", "b"):
...         x = x * params[name]
...     return x
>>> program, kinds = lower_function(f), [read_kind("{'a': float, 'b': float}"), FLOAT]
>>> taken = take_apart(program, kinds, Names(program.taken), Space({}))
>>> print(show(taken.program))
x = x * params_a
x = x * params_b
return x
>>> [kind.text for kind in taken.kinds], taken.program.opened[0].leaves
(['float', 'float', 'float'], ('params_a', 'params_b'))
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from astad.compiler.analysis.space import Space
from astad.compiler.ir.containers import RECORDS, Container, word_of_key
from astad.compiler.ir.flow import binds_before_it_reads
from astad.compiler.ir.kinds import UNKNOWN, Kind, is_literal, value_of
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import COMPOUND, Block, Const, Node, Opened, Operand, Param, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import bound_inside, kept, walk, with_blocks
from astad.compiler.specialise.classes import path_of
from astad.compiler.specialise.known_objects import Objects
from astad.compiler.specialise.known_values import Env, Roots, Tree, names_in
from astad.compiler.specialise.opened_functions import Lower
from astad.compiler.specialise.partial_evaluation import Walker
from astad.slotted import dataclass, replace

__all__ = ["TakenApart", "take_apart"]

TRIES = 40
"""Rounds in which what turned out to be needed whole is left whole."""


@dataclass(frozen=True, slots=True)
class TakenApart:
    """The program with the leaves of containers for parameters, and the kinds of these.

    ``whole`` are the places of the containers that were left as they are, of unknown kind.
    """

    program: Program
    kinds: tuple[Kind, ...]
    whole: tuple[int, ...]

    @property
    def plain(self) -> dict[str, Kind]:
        """The kinds of parameters that are no parts of a container."""
        leaves = {leaf for one in self.program.opened for leaf in one.leaves}
        both = zip(self.program.params, self.kinds, strict=True)
        return {param.name: kind for param, kind in both if param.name not in leaves}

    def asked(self, wanted: Sequence[bool]) -> list[str]:
        """The parameters that stand for the places of which a cotangent is wanted."""
        opened = {one.at: one.leaves for one in self.program.opened}
        found: list[str] = []
        rest = iter(self.plain)
        for at, is_wanted in enumerate(wanted):
            names = opened[at] if at in opened else (next(rest),)
            found += names if is_wanted else ()
        return found


def take_apart(
    program: Program,
    kinds: Sequence[Kind],
    names: Names,
    space: Space,
    lower: Lower | None = None,
    *,
    arguments: bool = True,
) -> TakenApart:
    """Containers are left whole where anything else than a read at a known place is done with them.

    Without ``arguments`` those that come in are left whole in any case. With ``lower``, which
    gives the program of a function, objects made here are taken apart as well.
    """
    objects = Objects(names, space, lower) if lower is not None else None
    found = _taken_apart(program, kinds, names, space, objects, arguments=arguments)
    if objects is None or not objects.slots:
        return found
    if binds_before_it_reads(found.program, objects.slots):
        return found
    return _taken_apart(program, kinds, names, space, None, arguments=arguments)


def _taken_apart(
    program: Program,
    kinds: Sequence[Kind],
    names: Names,
    space: Space,
    objects: Objects | None,
    *,
    arguments: bool,
) -> TakenApart:
    wholes: set[Hashable] = {param.name for param in program.params if _is_whole(param)}
    if not arguments:
        wholes = {param.name for param in program.params}
    unrolled: set[int] = set()
    leaves = _Leaves(names, program, kinds, space)
    for _ in range(TRIES):
        taken = set(program.taken)
        walker = Walker(names, space, taken, wholes, unrolled, leaves.slots, objects=objects)
        walker.env, walker.leaves, walker.leaf_roots = (
            leaves.env(wholes),
            leaves.kinds,
            leaves.roots,
        )
        walker.numbers, walker.rows = leaves.numbers, leaves.rows
        body = walker.program(program)
        if not walker.escaped - wholes and not walker.wished:
            break
        if walker.wished:
            unrolled |= walker.wished
        else:  # for what is left whole no loop need be written out
            wholes |= walker.escaped
            unrolled = set()
    else:
        # no program is known: each try leaves all whole that were found so far
        return _left_whole(program, kinds)
    if body is not program.body and _loses_a_local(program, body):
        return _left_whole(program, kinds)
    for path in sorted(walker.assumed):
        space.assume(path)
    for cls, keys in walker.relied.items():
        space.rely(cls, keys)
    body = _without_loose(body, walker.loose)
    return leaves.result(program, body, wholes)


def _is_whole(param: Param) -> bool:
    """Of ``*args`` and ``**kwargs`` each call has its own."""
    return param.kind in ("args", "kwargs")


class _Leaves:
    """The names of the parts of all arguments, the same in every try."""

    def __init__(self, names: Names, program: Program, kinds: Sequence[Kind], space: Space) -> None:
        self.names = names
        self.space = space
        self.given = list(zip(program.params, kinds, strict=True))
        self.kinds: dict[str, Kind] = {}
        self.roots: dict[str, Roots] = {}
        self.slots: dict[tuple[object, ...], str] = {}
        self._trees: dict[str, Tree] = {}
        bound = outline(program).bound
        self.numbers = {p.name: kind for p, kind in self.given if p.name not in bound}
        deleted = outline(program).calls_of("forget")
        self.deleted = {name for node in deleted for name in node.read}
        self.rows = {p.name for p, kind in self.given if _is_of_rows(kind)}

    def env(self, wholes: set[Hashable]) -> Env:
        """What the parameters stand for at the head."""
        found: Env = {}
        for param, kind in self.given:
            if isinstance(kind, Container) and param.name not in wholes:
                if param.name not in self._trees:
                    self._trees[param.name] = self._tree(param.name, param.name, kind)
                found[param.name] = self._trees[param.name]
            elif is_literal(kind) and param.name not in self.deleted:
                found[param.name] = Const(value_of(kind))
        return found

    def _tree(self, root: str, stem: str, kind: Container) -> Tree:
        parts: list[Operand | Tree] = []
        for key, part in zip(kind.keys, kind.parts, strict=True):
            wish = f"{stem}_{word_of_key(key)}"
            if isinstance(part, Container):
                parts.append(self._tree(root, wish, part))
            elif is_literal(part):
                parts.append(Const(value_of(part)))
            else:
                leaf = self.names.fresh(wish)
                self.kinds[leaf] = part
                self.roots[leaf] = frozenset({root})
                parts.append(leaf)
        cls = path_of(kind.cls, self.space) if kind.tag in RECORDS else ""
        return Tree(kind.tag, kind.keys, tuple(parts), frozenset({root}), cls)

    def result(self, program: Program, body: Block, wholes: set[Hashable]) -> TakenApart:
        """The program with the leaves for parameters."""
        params: list[Param] = []
        kinds: list[Kind] = []
        opened: list[Opened] = []
        whole: list[int] = []
        for at, (param, kind) in enumerate(self.given):
            tree = self._trees.get(param.name) if param.name not in wholes else None
            if tree is not None and isinstance(kind, Container):
                leaves = tuple(names_in(tree))
                opened.append(Opened(param.name, at, kind, leaves))
                params += [replace(param, name=leaf) for leaf in leaves]
                kinds += [self.kinds[leaf] for leaf in leaves]
                continue
            whole += [at] if isinstance(kind, Container) else []
            params.append(param)
            kinds.append(UNKNOWN if isinstance(kind, Container) else kind)
        if opened or body is not program.body:
            program = replace(program, params=tuple(params), body=body, opened=tuple(opened))
        return TakenApart(program, tuple(kinds), tuple(whole))


def _is_of_rows(kind: Kind) -> bool:
    """Is it a list of numbers, or of such lists? These may be left whole."""
    if not isinstance(kind, Container):
        return kind.tag in ("int", "float", "real")
    return kind.tag in ("list", "tuple") and all(map(_is_of_rows, kind.parts))


def _left_whole(program: Program, kinds: Sequence[Kind]) -> TakenApart:
    places = tuple(at for at, kind in enumerate(kinds) if isinstance(kind, Container))
    plain = tuple(UNKNOWN if isinstance(kind, Container) else kind for kind in kinds)
    return TakenApart(program, plain, places)


def _loses_a_local(program: Program, body: Block) -> bool:
    """Is a variable of the program read where nothing binds it any more?"""
    own = outline(program).bound.keys() - {param.name for param in program.params}
    read = {name for node in walk(body) for name in node.read}
    return not own.isdisjoint(read - bound_inside(*body))


def _without_loose(body: Block, loose: Mapping[int, Node]) -> Block:
    """Without the statements that only said where a container's parts are, if nobody reads them."""
    if not loose:
        return body
    read = {name for node in walk(body) for name in node.read}

    def cleaned(block: Block) -> Block:
        left = [node for node in block if id(node) not in loose or read.intersection(node.bound)]
        if not COMPOUND.isdisjoint(map(type, left)):
            left = [with_blocks(node, cleaned) for node in left]
        return kept(block, left)

    return cleaned(body)
