"""The numbers and arrays that a structure holds, each with its path, and structures made anew of
them as gradients are given back: containers as themselves, objects as a `Tangent`.

>>> found = leaves_of(max, {"w": np.zeros(2), "b": [(1.0, "name")]})
>>> [(leaf.text, leaf.kind) for leaf in found]
[("['w']", 'array'), ("['b'][0][0]", 'number')]
>>> mapped({"w": np.zeros(2), "b": [(1.0, "name")]}, lambda leaf: leaf.size)
{'w': 2, 'b': [(1, None)]}
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from collections.abc import Callable, Sequence
from enum import Enum
from keyword import iskeyword
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from astad.errors import Unsupported, WrongCall
from astad.runtime.cotangents.owners import may_overlap_itself
from astad.runtime.cotangents.snapshots import attributes_of
from astad.spelling import has_literal, spelled
from astad.tangents.objects import Tangent
from astad.tangents.unasked import callable_name, has_in_class, items_of, pairs_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity, is_differentiable, is_number

__all__ = [
    "ARRAY", "LIST", "NUMBER", "Attribute", "Leaf", "Refusing", "anywhere", "blocks",
    "check_apart", "derivative_at", "directions", "form_of", "frame_of", "kind_of", "leaves_of",
    "mapped", "number_in", "read", "shape_of", "text_of_key", "zero_at",
]  # fmt: skip

NUMBER, ARRAY, LIST = "number", "array", "list"
_PLAIN = (FunctionType, MethodType, BuiltinFunctionType, ModuleType, functools.partial, type)
_DICTS = (dict, OrderedDict)


class Leaf(NamedTuple):
    """A number, an array, or a list of floats, and the steps to it: keys, and names of attributes
    behind a dot.
    """

    path: tuple[Any, ...]
    kind: str
    value: Any

    @property
    def text(self) -> str:
        """The path as Python spells it."""
        return "".join(
            f".{step.name}" if type(step) is Attribute else f"[{text_of_key(step)}]"
            for step in self.path
        )

    @property
    def is_written(self) -> bool:
        """Is its text one that Python reads as it stands?"""
        return all(type(step) is Attribute or has_literal(step) for step in self.path)

    @property
    def is_complex(self) -> bool:
        return self.kind is not LIST and np.asarray(self.value).dtype.kind == "c"

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(_plain(self.value))

    @property
    def size(self) -> int:
        return int(np.size(_plain(self.value)))

    def units(self) -> list[Any]:
        """Zeros of its structure with a one at each place in turn."""
        if self.kind is NUMBER:
            return [1.0]
        eye = np.eye(self.size)
        return eye.tolist() if self.kind is LIST else list(eye.reshape(self.size, *self.shape))


def _plain(value: Any) -> Any:
    """An array without its class, which may have ways of its own."""
    return np.asarray(value) if issubclass(type(value), np.ndarray) else value


class Attribute(NamedTuple):
    name: str


def text_of_key(key: Any) -> str:
    """A literal where there is one; else one word for each object, for which nothing of the
    user's is called.

    >>> text_of_key(("N", 1)), text_of_key(NUMBER)
    ("('N', 1)", "'number'")
    """
    if has_literal(key):
        return spelled(key)
    if type(key) is tuple:
        return f"({', '.join(map(text_of_key, key))}{',' * (len(key) == 1)})"
    if isinstance(key, Enum):
        return f"{type(key).__qualname__}.{key._name_}"
    return object.__repr__(key)


Refusing = Callable[[Any], Exception]
"""From what is no structure of real numbers to the error that says so."""


def form_of(x: Any) -> str | None:
    """What a leaf is; None for a container and for all that carries no derivative."""
    if is_number(x):
        return NUMBER
    if issubclass(type(x), np.ndarray) and x.dtype.kind in "fciu":
        return ARRAY
    is_list = type(x) is list and x and all(type(item) in (float, int) for item in x)
    return LIST if is_list else None


def leaves_of(f: Any, x: Any, refusing: Refusing | None = None) -> list[Leaf]:
    """All of them, in their order.

    Raises
    ------
    Unsupported : for what astad does not look into; by ``refusing`` for a leaf too, where that
        gives an error for it.
    """
    found: list[Leaf] = []
    mapped(x, found.append, refusing or (lambda value: unknown(f, value)))
    return found


def unknown(f: Any, value: Any) -> Unsupported:
    return Unsupported(
        callable_name(f), f"derivatives by what lies in a {kind_of(value)}",
        why="a structure of derivatives has the places of numbers, arrays, lists, tuples, dicts "
        "and objects of classes of Python",
        instead="put the numbers into one array, and take them out of it inside the function",
    )  # fmt: skip


def mapped(
    x: Any,
    at_leaf: Callable[[Leaf], Any],
    refusing: Refusing | None = None,
    path: tuple[Any, ...] = (),
    above: tuple[int, ...] = (),
) -> Any:
    """A structure with what a function gives for each leaf; None at what carries no derivative,
    which a dict does not name.
    """
    form = form_of(x)
    if form is not None:
        return at_leaf(Leaf(path, form, x))
    if not is_differentiable(x) or isinstance(x, _PLAIN):
        return None
    kind = type(x)
    inside = (*above, id(x))

    def part(step: Any, value: Any) -> Any:
        if id(value) in inside:
            raise (refusing or (lambda each: unknown(kind, each)))(value)
        return mapped(value, at_leaf, refusing, (*path, step), inside)

    if kind is list:
        return [part(k, item) for k, item in enumerate(x)]
    if kind is tuple or (issubclass(kind, tuple) and has_in_class(kind, "_fields")):
        parts = [part(k, item) for k, item in enumerate(items_of(x))]
        return tuple(parts) if kind is tuple else kind(*parts)
    if kind in _DICTS:
        held = [(key, item) for key, item in pairs_of(x) if is_differentiable(item)]
        if _are_told_apart([key for key, _ in held]):
            return kind((key, part(key, item)) for key, item in held)
    is_object = kind.__flags__ & MADE_BY_CLASS and has_identity(x)
    if is_object and not isinstance(x, (dict, list, tuple, set, frozenset, np.ndarray)):
        inner = _attributes(x)
        if (inner or hasattr(x, "__dict__")) and all(map(_is_name, inner)):
            return Tangent(**{name: part(Attribute(name), v) for name, v in inner.items()})
    raise (refusing or (lambda each: unknown(kind, each)))(x)


def _are_told_apart(keys: Sequence[Any]) -> bool:
    """Has each a text of its own? Two classes of one name may have members of one name."""
    return all(map(has_literal, keys)) or len({*map(text_of_key, keys)}) == len(keys)


def frame_of(x: Any, refusing: Refusing | None = None) -> Any:
    """The structure as it is now, whatever a function does to it."""
    return mapped(x, lambda leaf: list(leaf.value) if leaf.kind is LIST else leaf.value, refusing)


def _attributes(x: Any) -> dict[str, Any]:
    return {name: content for name, (_, _, content) in attributes_of(x).items()}


def _is_name(name: Any) -> bool:
    return type(name) is str and name.isidentifier() and not iskeyword(name)


def read(bars: Any, leaf: Leaf) -> Any:
    """What lies at the path of a leaf in a structure of derivatives; None where nothing does."""
    for step in leaf.path:
        if bars is None:
            return None
        if type(step) is Attribute:
            bars = getattr(bars, step.name, None)
        elif isinstance(bars, dict):
            bars = bars.get(step)
        else:
            bars = bars[step]
    return bars


def zero_at(leaf: Leaf) -> Any:
    """The derivative where no path leads."""
    if leaf.kind is NUMBER:
        return 0.0
    return np.zeros(leaf.shape) if leaf.kind is ARRAY else [0.0] * len(leaf.value)


def blocks(x: Any, rows: Sequence[Any], of: Leaf) -> Any:
    """The derivatives of a leaf by a structure: ``rows`` has one of the structure for each place
    of the leaf, None where it is all zero.
    """
    if of.kind is LIST:
        return [mapped(x, functools.partial(derivative_at, row)) for row in rows]
    return mapped(x, lambda by: _stacked([derivative_at(row, by) for row in rows], of, by))


def derivative_at(bars: Any, leaf: Leaf) -> Any:
    """What lies at the path of a leaf, or zero."""
    found = read(bars, leaf)
    return zero_at(leaf) if found is None else found


def _stacked(rows: Sequence[Any], of: Leaf, by: Leaf) -> Any:
    if of.kind is NUMBER:
        return rows[0]
    if by.kind is LIST:
        every = range(len(by.value))
        return [np.reshape([row[k] for row in rows], of.shape) for k in every]
    return np.reshape(rows, of.shape + by.shape) if rows else np.zeros(of.shape + by.shape)


def check_apart(f: Any, leaves: Sequence[Leaf], x: Any) -> None:
    """Refuse what lies in two places, whose derivative is that by the object.

    Raises
    ------
    Unsupported : if an array, or a container with something in it, comes twice.
    """
    arrays = [leaf.value for leaf in leaves if leaf.kind is ARRAY]
    shares = any(
        np.may_share_memory(a, b) and np.shares_memory(a, b)
        for k, a in enumerate(arrays)
        for b in arrays[:k]
    )
    if shares or any(map(may_overlap_itself, arrays)) or _comes_twice(x, set()):
        raise Unsupported(
            callable_name(f), "second derivatives and directions of what lies in two places",
            why="its derivative is that by the one object, and a direction has two entries for it",
            instead="hand the object over once and use it twice inside, or put a copy in one place",
        )  # fmt: skip


def _comes_twice(x: Any, seen: set[int]) -> bool:
    form = form_of(x)
    if form in (NUMBER, ARRAY) or not is_differentiable(x) or isinstance(x, _PLAIN):
        return False
    if form is LIST:
        is_known = id(x) in seen
        seen.add(id(x))
        return is_known
    parts = (
        [item for _, item in pairs_of(x)] if isinstance(x, dict)
        else list(items_of(x)) if isinstance(x, (list, tuple))
        else list(_attributes(x).values())
    )  # fmt: skip
    if not any(map(is_differentiable, parts)):
        return False
    if id(x) in seen:
        return True
    seen.add(id(x))
    return any(_comes_twice(part, seen) for part in parts)


def anywhere(x: Any) -> Any:
    """A direction in which each number of a structure moves, by no pattern."""
    steps = itertools.count(1)

    def some(leaf: Leaf) -> Any:
        found = [0.5 + k * 0.6180339887498949 % 1.0 for k in itertools.islice(steps, leaf.size)]
        if leaf.kind is NUMBER:
            return found[0]
        return found if leaf.kind is LIST else np.reshape(found, leaf.shape)

    return mapped(x, some)


def directions(
    x: Any, v: Any, leaves: Sequence[Leaf], wrong: Callable[[Leaf | None, Any], WrongCall]
) -> list[Any]:
    """For each leaf the part of a direction at its path: of its structure, None where it holds.

    ``wrong``: from a leaf, or None for a container, and what lies there to the error.
    """
    _check_places(x, v, wrong)
    found = []
    for leaf in leaves:
        part = read(v, leaf)
        if leaf.kind is NUMBER:
            part = number_in(part)
        if leaf.kind is LIST and type(part) is list:
            part = [0.0 if item is None else item for item in part]
        if part is not None and not _fits(leaf, part):
            raise wrong(leaf, part)
        found.append(part)
    return found


def number_in(v: Any) -> Any:
    """The number of an array of no axes; anything else as it is."""
    is_one = issubclass(type(v), np.ndarray) and form_of(v) is ARRAY and v.shape == ()
    return v[()] if is_one else v


def _fits(leaf: Leaf, part: Any) -> bool:
    """Has each number of a leaf one of its own kind? A real one does not move to the side."""
    if leaf.kind is LIST and _is_of_floats(part, len(leaf.value)):
        return True
    is_alike = (
        is_number(part)
        if leaf.kind is NUMBER
        else shape_of(part) == leaf.shape and _is_of_numbers(part)
    )
    return is_alike and (not np.iscomplexobj(part) or leaf.is_complex)


def shape_of(x: Any) -> tuple[int, ...] | None:
    """None of a list of rows of several lengths."""
    try:
        shape: tuple[int, ...] = np.shape(x)
        return shape
    except ValueError:
        return None


def _is_of_floats(part: Any, count: int) -> bool:
    return type(part) is list and len(part) == count and {*map(type, part)} <= {float}


def _is_of_numbers(part: Any) -> bool:
    return bool(np.asarray(part).dtype.kind in "fciu")


def _check_places(x: Any, v: Any, wrong: Callable[[Leaf | None, Any], WrongCall]) -> None:
    """Has the direction the containers of the argument?"""
    if v is None or form_of(x) is not None or not is_differentiable(x) or isinstance(x, _PLAIN):
        return
    if isinstance(x, dict):
        names = {key for key, item in pairs_of(x) if is_differentiable(item)}
        if not isinstance(v, dict) or not names <= set(v) <= set(x):
            raise wrong(None, v)
        parts = [(x[name], v[name]) for name in names]
    elif isinstance(x, (list, tuple)):
        if not isinstance(v, (list, tuple)) or len(v) != len(x):
            raise wrong(None, v)
        parts = list(zip(x, v, strict=True))
    else:
        held = {name: item for name, item in _attributes(x).items() if is_differentiable(item)}
        if type(v) is not type(x) and not (type(v) is Tangent and set(held) <= set(v)):
            raise wrong(None, v)
        parts = [(item, getattr(v, name)) for name, item in held.items()]
    for inner, part in parts:
        _check_places(inner, part, wrong)


def kind_of(x: Any) -> str:
    """What an error calls it.

    >>> kind_of(np.zeros(2)), kind_of({1.0})
    ('float64 array', 'set')
    """
    return f"{x.dtype} array" if issubclass(type(x), np.ndarray) else type(x).__name__
