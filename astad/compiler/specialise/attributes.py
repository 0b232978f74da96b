"""The attributes of objects that a function makes for itself: a name for each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Star
from astad.compiler.specialise.known_values import Roots, Tree

if TYPE_CHECKING:
    from astad.compiler.specialise.known_objects import Objects
    from astad.compiler.specialise.known_walk import Walker

__all__ = ["instance", "namedtuple", "store"]

AGAIN = -1
"""A wish for another walk."""


def instance(node: Call, walker: Walker) -> Tree:
    """The object that ``instance`` stands for: a name for each attribute."""
    path, keys, objects = node.args[0], node.args[1], walker.objects
    assert objects is not None  # they wrote the statement
    assert isinstance(path, Const) and isinstance(keys, Const) and isinstance(keys.value, tuple)
    name = f"{node.target}{''.join(f' {at}' for _, at in walker.rounds)}"
    slots = tuple(_slot(objects, name, str(node.target), key, walker) for key in keys.value)
    roots = frozenset({objects.origin[id(node)]})
    walker.relied.setdefault(str(path.value), {}).update(dict.fromkeys(keys.value))
    return Tree("object", keys.value, slots, roots, str(path.value), name)


def namedtuple(node: Call, walker: Walker) -> Tree:
    """The record that ``namedtuple`` stands for."""
    path, fields, objects = node.args[0], node.args[1], walker.objects
    assert objects is not None  # they wrote the statement
    assert isinstance(path, Const) and isinstance(fields, Const) and isinstance(fields.value, tuple)
    parts = tuple(walker.part(value) for value in node.args[2:] if not isinstance(value, Star))
    roots: Roots = frozenset({objects.origin[id(node)]})
    roots = roots.union(*(part.roots for part in parts if isinstance(part, Tree)))
    return Tree("namedtuple", fields.value, parts, roots, str(path.value))


def _slot(objects: Objects, name: str, wish: str, key: str, walker: Walker) -> str:
    path = (name, "attribute", key)
    if path not in walker.slots:
        walker.slots[path] = objects.names.fresh(f"{wish}_{key}")
    objects.slots.add(walker.slots[path])
    return walker.slots[path]


def store(node: Call, walker: Walker, out: list[Node]) -> bool:
    """``o.name = v`` of such an object; false where it is none."""
    tree = walker.known(node.args[0])
    key, value = node.args[1], node.args[2]
    if not isinstance(tree, Tree) or not tree.cls or not isinstance(key, Const):
        return False
    if key.value not in tree.keys or isinstance(value, Star) or walker.objects is None:
        return False
    part, at = walker.part(value), tree.keys.index(key.value)
    if _asks_again(walker.objects, tree, node.args[0], part, tree.parts[at], key.value):
        walker.wished.add(AGAIN)
        return True
    if not tree.name:
        return False  # one that came from outside
    varies = (tree.cls, key.value) in walker.objects.varying
    if isinstance(part, Tree) or part in walker.paths or (_is_fixed(part) and not varies):
        _replace_part(tree, at, part, walker)
        return True
    slot = tree.parts[at]
    if not isinstance(slot, str) or slot not in walker.objects.slots:
        return False
    out.append(Bind(slot, part, node.line))
    walker.written += 1
    return True


def _asks_again(
    objects: Objects, tree: Tree, name: object, part: object, before: object, key: object
) -> bool:
    """Is more known by this store than the walk so far has reckoned with? What is written
    outside its constructor has one identity, an attribute that varies a name.
    """
    if name == tree.name.partition(" ")[0]:
        return False
    known = tree.cls in objects.mutable
    objects.mutable.add(tree.cls)
    varies = isinstance(before, Const) and not isinstance(part, Tree)
    varies = varies and (tree.cls, key) not in objects.varying
    if varies:
        objects.varying.add((tree.cls, key))
    return varies or (not known and (not tree.name or tree.cls in objects.copied))


def _is_fixed(part: Operand) -> bool:
    return isinstance(part, Const) and (part.value is None or type(part.value) is str)


def _replace_part(tree: Tree, at: int, part: Operand | Tree, walker: Walker) -> None:
    """Under every name that the object goes by."""
    roots = part.roots if isinstance(part, Tree) else frozenset()

    def changed(one: Tree) -> Tree:
        parts = tuple(changed(inner) if isinstance(inner, Tree) else inner for inner in one.parts)
        if one.name == tree.name:
            parts = (*parts[:at], part, *parts[at + 1 :])
            return replace(one, parts=parts, roots=one.roots | roots)
        return replace(one, parts=parts)

    for name, known in list(walker.env.items()):
        if isinstance(known, Tree):
            walker.env[name] = changed(known)
