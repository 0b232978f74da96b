"""Which function of the user's answers a call that meets an object made here."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from astad.compiler.analysis.space import Space
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Star
from astad.compiler.specialise.classes import (
    OPERATORS,
    answering,
    is_namedtuple,
    is_plain,
    raw_attribute,
)
from astad.compiler.specialise.known_values import Tree

if TYPE_CHECKING:
    from astad.compiler.specialise.known_walk import Walker

__all__ = ["Answered", "answered"]

Answered = tuple[Sequence[Operand | Star], str]
"""The operands of the call that answers, and the path of the function or class."""


def answered(node: Call, walker: Walker) -> Answered | None:
    """The operands of the call that answers, and the path of the function or class."""
    if isinstance(node.fn, Prim):
        return _of_prim(node, node.fn.name, walker)
    known = walker.known(node.fn)
    if isinstance(known, Tree):
        return _method(known, "__call__", (node.fn, *node.args), walker)
    path = walker.paths.get(str(node.fn))
    found = walker.space.find(path) if path is not None else None
    if path is None or found is Space.nothing:
        return None
    if isinstance(found, type):
        return (node.args, path) if is_plain(found) or is_namedtuple(found) else None
    handed = [*node.args, *(value for _, value in node.keywords)]
    trees = [walker.known(arg) for arg in handed]
    has_object = any(isinstance(tree, Tree) and tree.cls for tree in trees)
    return (node.args, path) if has_object and type(found) is FunctionType else None


def _of_prim(node: Call, name: str, walker: Walker) -> Answered | None:
    tree = walker.known(node.args[0]) if node.args else None
    if name == "method" and str(node.args[0]) in walker.paths:
        return _of_class(node, walker.paths[str(node.args[0])], walker)
    if not isinstance(tree, Tree) or not tree.cls:
        return None
    cls: Any = walker.space.find(tree.cls)
    if name in ("method", "getattr") and isinstance(node.args[1], Const):
        word = str(node.args[1].value)
        if word in tree.keys:
            return None
        if name == "method":
            return _method(tree, word, (node.args[0], *node.args[2:]), walker)
        is_property = type(raw_attribute(cls, word)) is property
        return _method(tree, word, node.args[:1], walker) if is_property else None
    in_place = name in ("iadd", "isub", "imul")
    special = OPERATORS.get(name[1:] if in_place else name)
    if special is None or node.keywords or (in_place and raw_attribute(cls, f"__{name}__")):
        return None
    return _method(tree, special, node.args, walker)


def _method(
    tree: Tree, name: str, args: Sequence[Operand | Star], walker: Walker
) -> Answered | None:
    """``args`` begin with the object."""
    cls: Any = walker.space.find(tree.cls)
    found = answering(cls, tree.cls, name) if isinstance(cls, type) else None
    if found is None:
        return None
    path, fn, takes_object = found
    others = [walker.known(arg) for arg in args[1:]]
    kinds = [walker.space.find(one.cls) for one in others if isinstance(one, Tree) and one.cls]
    if name in OPERATORS.values() and (
        "NotImplemented" in fn.__code__.co_names or any(kind is not cls for kind in kinds)
    ):
        return None
    return (args if takes_object else args[1:]), path


def _of_class(node: Call, path: str, walker: Walker) -> Answered | None:
    """``C.made(x)`` of a class or static method."""
    cls: Any = walker.space.find(path)
    if not isinstance(cls, type) or not isinstance(node.args[1], Const):
        return None
    name, rest = str(node.args[1].value), node.args[2:]
    raw = raw_attribute(cls, name)
    if type(raw) is classmethod and type(raw.__func__) is FunctionType:
        return (node.args[0], *rest), f"{path}.{name}.__func__"
    is_plain_function = type(raw) is staticmethod or type(raw) is FunctionType
    found = answering(cls, path, name) if is_plain_function else None
    return None if found is None else (rest, found[0])
