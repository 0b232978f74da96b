"""``super().f(x)`` is ``Base.f(self, x)`` where the class of the object is known.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> class Base:
...     def f(self):
...         return 2.0
>>> class Derived(Base):
...     def f(self):
...         return super().f() + 1.0
>>> known = {"Base": Base, "Derived": Derived}
>>> made = without_super(lower_function(Derived.f), Derived.f, "Derived", Space(known), Names(()))
>>> print(show(made))
t_1 = global Base
t_4 = t_1.f(self)
t_5 = t_4 + 1.0
return t_5
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from astad.compiler.analysis.space import Space
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Block, Call, Const, Node, Prim, Program
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import reads, walk, with_blocks
from astad.originals import builtins
from astad.slotted import replace

__all__ = ["without_super"]


def without_super(
    program: Program, fn: FunctionType, path: str, space: Space, names: Names, home: str = ""
) -> Program | None:
    """The program for an object of the class at ``path``: its bases, not those of the class in
    which the method stands, are gone through. None where ``__class__`` is read in another way, or a
    base has no name of its own. ``home``: the module of the method, if that is another one.
    """
    cls: Any = space.find(path)
    its = f"{home}:" if home else ""
    if space.find(f"{its}super") is not builtins.super:
        return None
    first = program.params[0].name if program.params else ""
    owner: Any = fn.__closure__[0].cell_contents if fn.__closure__ else None
    if owner not in cls.__mro__ or fn not in owner.__dict__.values():
        return None
    once = outline(program).single
    supers = _supers(program.body, program.free[0][1], first, f"{its}super") & once
    if not supers or first in {b for n in walk(program.body) for b in _names(n)}:
        return None
    rest = cls.__mro__[cls.__mro__.index(owner) + 1 :]
    bases: dict[str, str | None] = {}
    for node in walk(program.body):
        if isinstance(node, Call) and _is_method_of(node, supers):
            name = node.args[1]
            assert isinstance(name, Const)
            found = _base(rest, str(name.value), space, its)
            if found is None and not _makes_nothing(node, rest):
                return None
            bases[str(name.value)] = found
            if found is None:
                space.rely(path, ("__init__",))  # that none is put into a class between
    body = _direct(program.body, supers, first, bases, names, f"{its}super")
    left = {name for node in walk(body) for name in reads(node)}
    if program.free[0][1] in left or supers & left:
        return None
    assumed = (*program.assumed, f"{its}super", f"{path}.__mro__")
    return replace(program, free=(), body=body, assumed=assumed)


def _names(node: Node) -> tuple[str, ...]:
    target = getattr(node, "target", None)
    return (target,) if isinstance(target, str) else ()


def _supers(body: Block, cell: str, first: str, path: str) -> set[str]:
    """Names that stand for ``super(__class__, self)``; ``path``: where ``super`` is found."""
    of_super: set[object] = set()
    classes: set[object] = set()
    found: set[str] = set()
    for node in walk(body):
        if not isinstance(node, Call) or not isinstance(node.target, str):
            continue
        if node.fn == Prim("global") and node.args == (Const(path),):
            of_super.add(node.target)
        elif node.fn == Prim("cell_get") and node.args[0] == cell:
            classes.add(node.target)
        elif node.fn in of_super and node.args[0] in classes and node.args[1:] == (first,):
            found.add(node.target)
    return found


def _is_method_of(node: Call, supers: set[str]) -> bool:
    return node.fn == Prim("method") and node.args[0] in supers


def _makes_nothing(node: Call, rest: tuple[type, ...]) -> bool:
    """Is it ``super().__init__()``, answered by ``object``?"""
    has_none = not any("__init__" in base.__dict__ for base in rest if base is not object)
    return has_none and node.args[1:] == (Const("__init__"),) and not node.keywords


def _base(rest: tuple[type, ...], name: str, space: Space, its: str) -> str | None:
    """The path of the class in which a look-up finds what ``super()`` finds, also when a base is
    given the attribute later: the next one, if it has it itself or the others are its own bases.
    """
    base, path = rest[0], f"{its}{rest[0].__name__}"
    raw = next((each.__dict__[name] for each in rest if name in each.__dict__), None)
    finds = name in base.__dict__ or base.__mro__ == rest
    is_named = base is not object and space.find(path) is base
    return path if is_named and finds and type(raw) is FunctionType else None


def _direct(
    block: Block,
    supers: set[str],
    first: str,
    bases: Mapping[str, str | None],
    names: Names,
    path: str,
) -> Block:
    out: list[Node] = []
    for node in block:
        if isinstance(node, Call) and _is_method_of(node, supers):
            assert isinstance(node.args[1], Const)
            base = bases[str(node.args[1].value)]
            if base is None:
                continue  # object.__init__ does nothing
            owner = names.numbered("t")
            out.append(Call(owner, Prim("global"), (Const(base),), (), node.line))
            given = (owner, node.args[1], first, *node.args[2:])
            out.append(Call(node.target, Prim("method"), given, node.keywords, node.line))
        elif isinstance(node, Call) and (node.target in supers or _belongs(node, path)):
            continue
        else:
            inside = functools.partial(
                _direct, supers=supers, first=first, bases=bases, names=names, path=path
            )
            out.append(with_blocks(node, inside))
    return tuple(out)


def _belongs(node: Call, path: str) -> bool:
    """The look-ups behind a ``super()``."""
    return node.fn == Prim("cell_get") or (
        node.fn == Prim("global") and node.args == (Const(path),)
    )
