"""Classes and modules among the arguments: the data that is read from them as attributes.

They are code to everybody else. In an argument, what the result reads from one by name has a
gradient, a record of its attributes; where nothing was read there is none.

>>> class Settings:
...     rate, steps = 0.5, [1.0, 2.0]
...     def run(self): ...
>>> [*namespaces_in(snapshot({"settings": Settings}))[id(Settings)].parts]
['rate', 'steps']
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from astad.runtime.cotangents.owners import class_dict
from astad.runtime.cotangents.snapshots import LEAVES, Node, snapshot
from astad.tangents.unasked import has_in_class
from astad.tangents.zero import MADE_BY_CLASS, is_number

__all__ = ["is_namespace", "namespaces_in"]

_OF_NO_DATA = frozenset({*sys.stdlib_module_names, "numpy", "scipy"}) - {"__main__"}
"""Libraries whose classes and modules are constants."""
_OTHERS = LEAVES - {type, ModuleType}


def is_namespace(value: Any) -> bool:
    """Is it a class or a module, of others than the standard library, NumPy and SciPy?"""
    if not issubclass(type(value), (type, ModuleType)):
        return False
    of_class = issubclass(type(value), type)
    home = getattr(value, "__module__" if of_class else "__name__", None)
    if of_class and not value.__flags__ & MADE_BY_CLASS:
        return False
    return type(home) is str and home.partition(".")[0] not in _OF_NO_DATA


def namespaces_in(entry: Any) -> dict[int, Node]:
    """Each that an argument is or holds, by its snapshot: a record of its data, by the id."""
    if type(entry) in _OTHERS or is_number(entry):
        return {}
    found: dict[int, Node] = {}
    seen, waiting = set[int](), [entry]
    while waiting:
        part = waiting.pop()
        if type(part) is Node:
            if id(part) not in seen:
                seen.add(id(part))
                waiting += part.children()
        elif type(part) not in _OTHERS and is_namespace(part) and id(part) not in found:
            _fill(part, found)
    return found


def _fill(namespace: Any, found: dict[int, Node]) -> None:
    """Make the record of it, and of the classes and modules that belong to it."""
    waiting = [_new(namespace, found)]
    while waiting:
        node = waiting.pop()
        for name, store in _slots_of(node.value):
            content = store[name]
            if (
                name in node.parts
                or type(content) is FunctionType
                or has_in_class(type(content), "__get__")
            ):
                continue
            part = content
            if not is_namespace(content):
                part = snapshot(content)
            elif _belongs(content, node.value):
                known = found.get(id(content))
                part = known or _new(content, found)
                waiting += [part] if known is None else []
            node.parts[name] = part
            node.stores[name] = (store, name)


def _new(namespace: Any, found: dict[int, Node]) -> Node:
    found[id(namespace)] = node = Node("object", namespace)
    node.parts = {}
    return node


def _belongs(inner: Any, outer: Any) -> bool:
    """Is it what a class holds, or a class or module of this module, not one that is imported?"""
    if issubclass(type(outer), type):
        return issubclass(type(inner), type)
    if issubclass(type(inner), type):
        return bool(inner.__module__ == outer.__name__)
    return bool(inner.__name__.startswith(outer.__name__ + "."))


def _slots_of(namespace: Any) -> Iterator[tuple[str, Any]]:
    """The names, each with the dict it lies in; the first of a name is the one that is read."""
    if issubclass(type(namespace), type):
        stores = [class_dict(base) for base in namespace.__mro__ if is_namespace(base)]
    else:
        stores = [vars(namespace)]
    for store in stores:
        yield from ((name, store) for name in list(store) if not _is_of_python(name))


def _is_of_python(name: Any) -> bool:
    """Is it a name of the language or of `enum`?"""
    return type(name) is not str or (name.startswith("_") and name.endswith("_"))
