"""What a program asks of an object of a known class: of which class it is, and whether it has an
attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.space import Space
from astad.compiler.ir.nodes import Call, Const, Operand
from astad.compiler.specialise.classes import raw_attribute
from astad.compiler.specialise.known_values import State, Tree
from astad.originals import builtins

__all__ = ["asked"]

FORMS: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict}
LEAVES: dict[str, type] = {"float": float, "int": int, "ndarray": np.ndarray}
Answer = Operand | Tree | None


def _isinstance(node: Call, parts: Sequence[Operand | Tree], state: State) -> Answer:
    if len(parts) != 2:
        return None
    several = isinstance(parts[1], Tree) and parts[1].form == "tuple"
    names = parts[1].parts if several else parts[1:]  # type: ignore[union-attr]
    paths = [state.paths.get(str(name)) for name in names]
    asked = [state.space.find(path) if path else Space.nothing for path in paths]
    tree, cls = parts[0], _class_of(parts[0], state)
    if cls is None or not all(type(each) is type for each in asked):
        return None  # an abstract class may ask the program
    state.assumed.update(path for path in paths if path)
    if isinstance(tree, Tree) and tree.cls:
        state.assumed.add(f"{tree.cls}.__mro__")
    return Const(any(each in cls.__mro__ for each in asked))


def _class_of(part: Operand | Tree, state: State) -> type | None:
    if isinstance(part, Tree):
        found: Any = state.space.find(part.cls) if part.cls else FORMS.get(part.form)
        return found if isinstance(found, type) else None
    name = str(part)
    is_bound = name in state.taken or name in state.single
    kind = state.leaves.get(name) or (None if is_bound else state.numbers.get(name))
    return LEAVES.get(kind.tag) if kind is not None else None


def _hasattr(node: Call, parts: Sequence[Operand | Tree], state: State) -> Answer:
    found = _named(parts, state) if len(parts) == 2 else None
    if found is None:
        return None
    tree, name = found
    if name in tree.keys:
        return Const(True)
    cls: Any = state.space.find(tree.cls)
    if raw_attribute(cls, name) is not None or hasattr(cls, name):
        return None
    state.rely(tree.cls, name, "__getattr__")
    return Const(False)


def _getattr(node: Call, parts: Sequence[Operand | Tree], state: State) -> Answer:
    found = _named(parts, state) if len(parts) in (2, 3) else None
    if found is None:
        return None
    tree, name = found
    if name in tree.keys:
        return tree.parts[tree.keys.index(name)]
    is_absent = len(parts) == 3 and _hasattr(node, parts[:2], state) == Const(False)
    return parts[2] if is_absent else None


def _named(parts: Sequence[Operand | Tree], state: State) -> tuple[Tree, str] | None:
    """An object, and the name of an attribute."""
    tree, name = parts[0], parts[1]
    known = None if isinstance(name, Tree) else state.known(name)
    word = known.value if isinstance(known, Const) else None
    is_object = isinstance(tree, Tree) and tree.form == "object" and bool(tree.cls)
    return (tree, word) if is_object and type(word) is str else None  # type: ignore[return-value]


ASKED: dict[int, Callable[[Call, Sequence[Operand | Tree], State], Answer]] = {
    id(builtins.isinstance): _isinstance,
    id(builtins.hasattr): _hasattr,
    id(builtins.getattr): _getattr,
}


def asked(fn: object, node: Call, parts: Sequence[Operand | Tree], state: State) -> Answer:
    """The answer of one of these builtins, where it is known before the program runs."""
    return ASKED[id(fn)](node, parts, state)
