"""The structure of an argument as it is at entry: what a gradient has to look like.

The sweep may append to a list or rebind an attribute; the gradient belongs to what was there
before.

>>> l = [1.0, "a"]
>>> node = snapshot({"w": l, "name": "b"})
>>> l.append(2.0)
>>> node.parts["w"].parts
(1.0, 'a')
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from types import CellType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from astad.runtime.cotangents.owners import mapping_of, slots_of, stored_in
from astad.tangents.unasked import items_of, pairs_of
from astad.tangents.zero import BY_VALUE, home_of, is_number

__all__ = ["CELL", "LEAVES", "Node", "snapshot", "attributes_of", "is_full"]

Value: TypeAlias = Any
"""Any object of the user's program: there is nothing narrower to say."""

CELL = "cell_contents"
"""The key of a cell's content in its shadow."""

LEAVES: frozenset[type] = BY_VALUE | {
    bool,
    str,
    bytes,
    type(None),
    np.ndarray,
    ModuleType,
    type,
    range,
    slice,
}
_OPEN_LIBRARIES = {
    "builtins",
    "collections",
    "types",
    "argparse",
    "functools",
    "enum",  # a member holds its value
    "random",  # a Random holds the second of two numbers that gauss has drawn
    "statistics",  # a NormalDist holds numbers
    "__main__",
}
"""Modules of the standard library whose objects are looked into; a lock or a logger is not."""


class Node:
    """A container as it was.

    Attributes
    ----------
    kind : str
        'sequence', 'mapping', 'object' or 'set'.
    value : object
        The container itself.
    parts : tuple or dict
        Its elements then, by position, key or attribute name: numbers, arrays and what carries no
        derivative as they are, containers as nodes. A node may occur in several places, or within
        itself.
    stores : dict
        Of an object: attribute name to the object under which its slot lies, and the key there.
    """

    __slots__ = ("kind", "parts", "stores", "value")

    def __init__(self, kind: str, value: Value) -> None:
        self.kind = kind
        self.value = value
        self.parts: Value = ()
        self.stores: dict[str, tuple[object, str]] = {}

    def children(self) -> Iterator[Value]:
        """The elements, in order."""
        return iter(self.parts.values() if issubclass(type(self.parts), dict) else self.parts)


def snapshot(value: Value, made: dict[int, Node] | None = None) -> Value:
    """``value`` itself if it is a number, an array or without derivative, else its node; ``made``
    has nodes by the ids of what they are of, which are taken for that, and gets the new ones.
    """
    if type(value) in LEAVES:
        return value
    made = {} if made is None else made
    known = len(made)
    root = _node(value, made)
    if root is None:
        return value
    waiting = [root] if len(made) > known else []
    while waiting:
        _fill(waiting.pop(), made, waiting)
    return root


def _node(value: Value, made: dict[int, Node]) -> Node | None:
    """The node of a container, without its parts; None for a leaf."""
    if type(value) in LEAVES:
        return None
    found = made.get(id(value))
    if found is None:
        kind = _kind(value)
        if kind is None:
            return None
        made[id(value)] = found = Node(kind, value)
    return found


def _kind(value: Value) -> str | None:
    kind = type(value)  # by the class: isinstance would ask a `__getattribute__` of the user's
    if issubclass(kind, (list, tuple, deque)):
        return "sequence"
    if issubclass(kind, dict) or (kind is MappingProxyType and type(mapping_of(value)) is dict):
        return "mapping"
    if issubclass(kind, (set, frozenset)):
        return "set"
    if kind is FunctionType:
        return "object" if value.__closure__ else None
    if issubclass(kind, (MethodType, functools.partial)):
        return "object"
    inert = np.ndarray | np.generic | type | ModuleType | CellType
    if issubclass(kind, inert) or is_number(value):
        return None
    library = home_of(kind).partition(".")[0]
    if library in _OPEN_LIBRARIES or library not in sys.stdlib_module_names:
        return "object" if attributes_of(value) else None
    return None


def _fill(node: Node, made: dict[int, Node], waiting: list[Node]) -> None:
    """Set the parts of a node; those that are new nodes are put in line."""

    def part(value: Value) -> Value:
        if type(value) in LEAVES:
            return value
        known = len(made)
        child = _node(value, made)
        if child is not None and len(made) > known:
            waiting.append(child)
        return value if child is None else child

    value = node.value
    if node.kind == "mapping":
        node.parts = {key: part(item) for key, item in pairs_of(value)}
    elif node.kind in ("sequence", "set"):
        items = tuple(items_of(value))
        node.parts = items if LEAVES.issuperset(map(type, items)) else tuple(map(part, items))
    else:
        found = attributes_of(value)
        node.parts = {name: part(content) for name, (_, _, content) in found.items()}
        node.stores = {name: (store, key) for name, (store, key, _) in found.items()}


def attributes_of(value: Value) -> dict[str, tuple[object, str, Value]]:
    """Attribute name to (where its slot lies, under which key, content): attributes of an object,
    captured variables of a function; a method has those of its object."""
    kind = type(value)
    if kind is FunctionType:
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        return {name: (cell, CELL, cell.cell_contents) for name, cell in cells if is_full(cell)}
    if kind is MethodType:
        return attributes_of(value.__self__)
    if kind in DERIVED:
        return {"f": (value, "f", value.made_by[1])}
    if issubclass(kind, functools.partial):
        parts = {"func": value.func, "args": value.args, "keywords": value.keywords}
        return {name: (value, name, content) for name, content in parts.items()}
    found: dict[str, tuple[object, str, Value]] = {}
    store = stored_in(value)
    if issubclass(type(store), Mapping):
        found.update({name: (store, name, content) for name, content in store.items()})
    for name, content in slots_of(value):
        found[name] = (value, name, content)
    return found


DERIVED: set[type] = set()
"""Types of what holds a function of the user's, and for itself much that is none of his: filled by
`api/variants/derived.py`.
"""


def is_full(cell: CellType) -> bool:
    """Has the variable been bound?"""
    try:
        cell.cell_contents  # noqa: B018  # asked by reading: an empty cell raises
    except ValueError:
        return False
    return True
