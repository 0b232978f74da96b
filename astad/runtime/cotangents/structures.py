"""In and out of the table: the user's seed scattered, the gradients of the arguments collected.

>>> shadows, params = Shadows(), {"w": np.ones(2), "b": [1.0, 2.0], "name": "first"}
>>> entry = snapshot(params)
>>> shadows.add(params["w"], np.array([3.0, 4.0])); shadows.slot_add(params["b"], 0, 5.0)
>>> collect(shadows, params, entry, None, True)
{'w': array([3., 4.]), 'b': [5.0, 0.0]}
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from astad.runtime.cotangents.foreign import check
from astad.runtime.cotangents.owners import (
    Array,
    has_numbers,
    mapping_of,
    may_overlap_itself,
    memory_positions,
    numbers_in,
    shadow_dtype,
)
from astad.runtime.cotangents.shadows import Shadows, may_hold
from astad.runtime.cotangents.snapshots import Node, snapshot
from astad.tangents.add import add
from astad.tangents.arrays import project
from astad.tangents.objects import Tangent
from astad.tangents.refused import Refused
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import (
    BY_VALUE,
    handed_out,
    has_identity,
    is_differentiable,
    is_number,
    zero_like,
)

__all__ = ["collect", "is_touched", "scatter", "snapshot"]

Value: TypeAlias = Any
"""Any object of the user's program, or a cotangent of it: there is nothing narrower to say."""


def scatter(shadows: Shadows, value: Value, seed: Value) -> Value:
    """Bring the cotangent ``seed`` of a result to where the reverse sweep looks for it.

    Returns
    -------
    The by-value part: the seed of a number, real for a real one. None for what has identity, whose
    seed is then in the table, and for what carries no derivative. The seed itself is never changed.
    """
    if seed is None:
        return None
    check(seed, value, "seed")
    if type(value) in BY_VALUE or is_number(value):
        return project(seed, value, "seed")
    if has_identity(value):
        shadows.add(value, seed)
    return None


def collect(
    shadows: Shadows,
    value: Value,
    entry: Value,
    by_value_bar: Value,
    has_path: bool,
    *,
    once: bool = False,
    bare: bool = False,
) -> Value:
    """The gradient of one argument, after the sweep; or the cotangent of a result.

    Parameters
    ----------
    shadows : Shadows
    value : object
        The argument.
    entry : object
        Its ``snapshot`` from before the forward sweep.
    by_value_bar : cotangent or None
        What the pullback returned for it.
    has_path : bool
        Whether the program's text leads from it to the result: then what was not touched is a real
        zero.
    once : bool
        Of what is in several places each has the total. With ``once`` the first has it and the
        others have zeros, so that the places may be added up.
    bare : bool
        None in place of zeros in a container, where nothing has come.

    Returns
    -------
    A number for a number, a fresh dense array for an array, the like container for a container, a
    ``Tangent`` for an object (None where it was not touched); None for what carries no derivative,
    or without a path.

    Raises
    ------
    AstadError : where a rule was missing on the way to this argument.
    """
    if type(by_value_bar) is Refused:
        by_value_bar.ask()
    if type(entry) is not Node:
        return _leaf(shadows, value, by_value_bar, has_path)
    if by_value_bar is not None:
        shadows.add(value, by_value_bar)
    order = _children_first(entry)
    touched = _touched(shadows, order)
    if not has_path and id(entry) not in touched:
        return None
    results: dict[int, Value] = {id(node): _empty(node) for node in order}
    placed = _Placed(entry) if once else None
    for node in order:
        _build(shadows, node, results, touched, placed, bare)
    return results[id(entry)]


class _Placed:
    """Containers, and entries of arrays, that have a place in a cotangent already."""

    def __init__(self, root: Node) -> None:
        self.nodes = {id(root)}
        self.entries = Shadows()

    def is_new(self, node: Node) -> bool:
        if id(node) in self.nodes:
            return False
        self.nodes.add(id(node))
        return True

    def left(self, a: Array, found: Value) -> Value:
        """What is new of the cotangent of an array, which may share memory with another."""
        if type(found) is not np.ndarray:
            return found
        marks = self.entries.of(a)
        is_new = (marks == 0) & _is_first(a)
        marks[...] = 1
        return np.where(is_new, found, np.zeros_like(found))


def _is_first(a: Array) -> Array:
    """True for the first of the entries that lie at one place, as in what is broadcast."""
    if not may_overlap_itself(a):
        return np.ones(a.shape, bool)
    first = np.zeros(a.size, bool)
    first[np.unique(memory_positions(a, 0, 1), return_index=True)[1]] = True
    return first.reshape(a.shape)


def _leaf(shadows: Shadows, value: Value, g: Value, has_path: bool) -> Value:
    """The gradient of a number, an array, or what carries none; ``g``: what is known of it besides
    its shadow."""
    if issubclass(type(value), np.ndarray):
        return _array(shadows, value, g, has_path)
    if issubclass(type(value), (array, memoryview)):
        return _memory(shadows, value, g, has_path) if has_numbers(value) else None
    if type(value) not in BY_VALUE and not is_number(value):
        if (node := shadows.namespaces.get(id(value))) is not None:
            return _of_namespace(shadows, node)
        refused = shadows.refused_at(value)
        if type(refused) is Refused and may_hold(type(value)):  # a date is no number
            refused.ask()
        return None
    if g is None:
        return zero_like(value) if has_path else None
    if type(g) is Refused:
        g.ask()
    if type(g) is int and not g:
        return zero_like(value)  # nothing has come, to whichever kind of number
    return handed_out(project(g, value, "gradient"), value)


def _memory(shadows: Shadows, value: Value, g: Value, has_path: bool) -> Value:
    """Of a memoryview an array, of an ``array.array`` another, of the length that it had."""
    changed = shadows.resized and shadows.resized.get(id(value))
    if changed and changed[0] is value:
        return _resized(shadows, value, changed[1], has_path)
    found = _array(shadows, numbers_in(value), g, has_path)
    if found is None or issubclass(type(value), memoryview):
        return found
    return array(value.typecode if value.typecode in "fd" else "d", found)


def _resized(shadows: Shadows, a: Value, size: int, has_path: bool) -> Value:
    """Of an ``array.array`` that has become longer or shorter since."""
    parts: list[Value] = []
    for k in range(size):
        here = shadows.take_slot(numbers_in(a), k) if k < len(a) else None
        parts.append(add(here, shadows.key_take(a, k)))
        if type(parts[-1]) is Refused:
            parts[-1].ask()
    if not has_path and all(part is None for part in parts):
        return None
    return array(a.typecode, [0.0 if part is None else part for part in parts])


def _array(shadows: Shadows, a: Array, g: Value, has_path: bool) -> Value:
    """A fresh dense array: nothing a gradient consists of may belong to someone else."""
    if a.dtype.hasobject:
        return _object_array(shadows, a, has_path)
    if a.dtype.kind not in "fciu":
        if (refused := shadows.refused_of(a)) is not None:
            refused.ask()
        return None
    found = shadows.read(a)
    if type(found) is Refused:
        found.ask()
    if found is None and g is None:
        return zero_like(a) if has_path else None
    if g is None and shadows.hand_over(a):
        return found
    total = add(found, None if g is None else project(g, a, "gradient"))
    return np.array(total, shadow_dtype(a.dtype), subok=False)


def _object_array(shadows: Shadows, a: Array, has_path: bool) -> Value:
    """The slots of an array of objects, as an array of objects; numbers that were not touched have
    a zero."""
    found: Value = shadows.read(a)
    if type(found) is Refused:
        found.ask()
    if not has_path and found is None and not _is_element_touched(shadows, a):
        return None
    slots: Iterable[Value] = [None] * a.size if found is None else found.flat
    made = np.empty(a.size, object)
    for i, (element, g) in enumerate(zip(a.flat, slots, strict=True)):
        if has_identity(element) and not issubclass(type(element), np.ndarray):
            made[i] = collect(shadows, element, snapshot(element), None, has_path)
        else:
            made[i] = _leaf(shadows, element, g, has_path)
    return made.reshape(a.shape)


def _children_first(root: Node) -> list[Node]:
    """All nodes below and with ``root``, each after its children (but for those it is itself a
    child of)."""
    order: list[Node] = []
    seen = {id(root)}
    stack = [(root, root.children())]
    while stack:
        node, children = stack[-1]
        for child in children:
            if type(child) is Node and id(child) not in seen:
                seen.add(id(child))
                stack.append((child, child.children()))
                break
        else:
            stack.pop()
            order.append(node)
    return order


def _touched(shadows: Shadows, order: list[Node]) -> set[int]:
    """Ids of the nodes in which, or below which, a cotangent lies."""
    parents: dict[int, list[Node]] = {}
    waiting = []
    for node in order:
        for child in node.children():
            if type(child) is Node:
                parents.setdefault(id(child), []).append(node)
        if _is_touched(shadows, node):
            waiting.append(node)
    touched = {id(node) for node in waiting}
    while waiting:
        for parent in parents.get(id(waiting.pop()), ()):
            if id(parent) not in touched:
                touched.add(id(parent))
                waiting.append(parent)
    return touched


def _is_touched(shadows: Shadows, node: Node) -> bool:
    """Whether a cotangent lies in the slots of this very container, or in an array in it."""
    if any(g is not None for g in _slots(shadows, node)):
        return True
    if type(shadows.refused_at(node.value)) is Refused:
        return True
    if shadows.namespaces:
        inner = [shadows.namespaces.get(id(child)) for child in node.children()]
        if any(each is not None and is_touched(shadows, each) for each in inner):
            return True
    arrays = (child for child in node.children() if issubclass(type(child), np.ndarray))
    return any(shadows.has(child) or _is_element_touched(shadows, child) for child in arrays)


def is_touched(shadows: Shadows, namespace: Node) -> bool:
    """Has a cotangent come to the data of a class or a module?"""
    return _of_namespace(shadows, namespace) is not None


def _of_namespace(shadows: Shadows, node: Node) -> Value:
    """The gradient of a class or a module; of those that its objects hold no more is asked."""
    all_of_them, shadows.namespaces = shadows.namespaces, {}
    try:
        return collect(shadows, node.value, node, None, False)
    finally:
        shadows.namespaces = all_of_them


def _is_element_touched(shadows: Shadows, a: Array) -> bool:
    """Whether a cotangent lies in, or below, one of the containers in an array of objects."""
    if a.dtype != object:
        return False
    nodes = (snapshot(each) for each in a.flat if has_identity(each))
    return any(type(node) is Node and _touched(shadows, _children_first(node)) for node in nodes)


def _slots(shadows: Shadows, node: Node) -> list[Value]:
    """For each part of a container its slot."""
    if node.kind == "sequence":
        return shadows.slots_of(node.value, len(node.parts))
    if node.kind == "set":
        keys = shadows.keys_of(node.value)
        return [keys.get(part) if type(part) is not Node else None for part in node.parts]
    if node.kind == "mapping":
        is_proxy = type(node.value) is MappingProxyType
        keys = shadows.keys_of(mapping_of(node.value) if is_proxy else node.value)
        return [keys.get(key) for key in node.parts]
    return [shadows.key_of(*node.stores[name]) for name in node.parts]


def _empty(node: Node) -> Value:
    """The result to be filled; None for one that is made of its parts at once."""
    if node.kind == "object":
        return Tangent()
    if node.kind == "mapping":
        return OrderedDict() if issubclass(type(node.value), OrderedDict) else {}
    if node.kind == "set":
        return {}
    return (
        None
        if issubclass(type(node.value), tuple)
        else deque()
        if issubclass(type(node.value), deque)
        else []
    )


def _build(
    shadows: Shadows,
    node: Node,
    results: dict[int, Value],
    touched: set[int],
    placed: _Placed | None,
    bare: bool,
) -> None:
    """Fill the result of a node; those of its children are there, or being filled."""
    in_object = node.kind == "object"
    parts: list[Value] = []
    for child, g in zip(node.children(), _slots(shadows, node), strict=True):
        if type(child) is Node:
            part = results[id(child)] if not in_object or id(child) in touched else None
            if placed is not None and not placed.is_new(child):
                part = collect(Shadows(), child.value, child, None, not in_object)
        else:
            part = _leaf(shadows, child, g, not (in_object or bare))
            if placed is not None and issubclass(type(child), np.ndarray):
                part = placed.left(child, part)
        parts.append(part)
    result = results[id(node)]
    if in_object:
        result.__dict__.update(zip(node.parts, parts, strict=True))
    elif node.kind == "mapping":
        known = zip(node.parts.items(), parts, strict=True)
        result.update(
            {key: part for (key, child), part in known if part is not None or _belongs(child)}
        )
    elif node.kind == "set":
        result.update(zip(node.parts, parts, strict=True))
    elif result is None:
        kind = type(node.value)
        results[id(node)] = kind(*parts) if has_in_class(kind, "_fields") else tuple(parts)
    else:
        result.extend(parts)


def _belongs(child: Value) -> bool:
    """Whether a key is differentiable."""
    return type(child) is Node or is_differentiable(child)
