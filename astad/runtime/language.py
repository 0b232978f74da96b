"""The operations of the language that the module ``operator`` lacks, as plain callables, with their
full rules.

Generated text names them: ``t, t_kept = call(versions, build_list, a, b)``.

Slices whose ends are floats, as ``np.mgrid[a:b:5j]`` and ``np.r_[a:b:5j]`` take them.

The ends of a slice wait under their names; where all of them are ints they are places, and carry
nothing, unless the step tells a number of points: ``np.r_[1:n:5j]``.

>>> from astad.runtime.cotangents.shadows import Shadows
>>> y, (pull, *data) = slice_forward(Versions(), 0.5, 2)
>>> shadows, (end, record) = Shadows(), read_end(y, "start")
>>> end, tuple(record[0](shadows, 3.0, *record[1:]))
(0.5, (None, None))
>>> pull(shadows, None, *data)
[3.0, None]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CellType, FunctionType, MethodDescriptorType

import numpy as np

from astad.runtime.arrays import (  # noqa: F401  (fill the table)
    flat_iterators,
    typed_arrays,
)
from astad.runtime.classes import (  # noqa: F401  (fill the table)
    attribute_writes,
)
from astad.runtime.classes.written_globals import (
    delete_global,
    namespace,
    read_global,
    write_global,
)
from astad.runtime.containers.adders import adder
from astad.runtime.containers.containers import display, set_display
from astad.runtime.containers.list_methods import list_append, set_add, value_append
from astad.runtime.containers.starred import dict_merge, list_extend
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
    lookup_in_class,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.core.weak_proxies import behind
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    key_route,
    key_slot,
)  # fmt: skip
from astad.runtime.iteration.iterators import iterator
from astad.runtime.iteration.unpacking import unpack
from astad.runtime.operations import (  # noqa: F401  (fill the table)
    attributes,
    number_methods,
)
from astad.runtime.operations.attributes import COMPUTED, READERS
from astad.runtime.operations.comparisons import not_contains, truth
from astad.runtime.operations.native_hooks import use_items
from astad.runtime.python import (  # noqa: F401  (fill the table)
    callables_of_python,
    copies,
    functional,
    sums_of_products,
)

__all__ = [
    "CELL", "adder", "apply", "build_dict", "build_list", "build_set", "build_slice", "build_tuple",
    "call_method", "cell_clear", "cell_get", "cell_get_local", "cell_new", "cell_set",
    "delete_global", "dict_merge", "format_value", "iterator", "join", "list_append", "list_extend",
    "make_cell", "namespace", "not_contains", "pull_cell", "read_cell", "read_end", "read_global",
    "set_add", "slice_forward", "truth", "unpack", "value_append", "write_global",
]  # fmt: skip

CELL = "cell_contents"
"""Key of a cell's content in its shadow."""


# --- displays -------------------------------------------------------------------------------------


def build_tuple(*items: Value) -> tuple[Value, ...]:
    return items


@full(build_tuple)
def build_tuple_forward(versions: Versions, *items: Value) -> tuple[Value, Record]:
    return display(items, items)


def build_list(*items: Value) -> list[Value]:
    return list(items)


@full(build_list)
def build_list_forward(versions: Versions, *items: Value) -> tuple[Value, Record]:
    return display(list(items), items)


def build_set(*items: Value) -> set[Value]:
    return set(items)


@full(build_set)
def build_set_forward(versions: Versions, *items: Value) -> tuple[Value, Record]:
    return set_display(set(items), items)


def build_dict(*keys_and_values: Value) -> dict[Value, Value]:
    """``build_dict(k1, v1, k2, v2)`` is ``{k1: v1, k2: v2}``."""
    return dict(zip(keys_and_values[::2], keys_and_values[1::2], strict=True))


@full(build_dict)
def build_dict_forward(versions: Versions, *keys_and_values: Value) -> tuple[Value, Record]:
    y = build_dict(*keys_and_values)
    keys, values = keys_and_values[::2], keys_and_values[1::2]
    if not any(map(flows, values)) and not any(key_route(y, key) for key in keys):
        return y, None
    return y, (pull_dict_display, y, keys)


def pull_dict_display(
    shadows: Shadows, y_bar: Value, y: Value, keys: tuple[Value, ...]
) -> Cotangents:
    """Of equal keys the first one stays, with the last value."""
    slots: list[Value] = [None] * (2 * len(keys))
    for k in range(len(keys) - 1, -1, -1):
        slots[2 * k + 1] = shadows.key_take(y, keys[k])
    for k, key in enumerate(keys):
        slots[2 * k] = shadows.key_take(y, key_slot(key))
    return slots


def build_slice(start: Value, stop: Value, step: Value) -> slice:
    return slice(start, stop, step)


_CONVERSIONS: dict[str, Callable[[Value], str]] = {"s": str, "r": repr, "a": ascii}


def format_value(value: Value, conversion: str | None, spec: str) -> str:
    """One replacement field of an f-string."""
    if conversion is not None:
        value = _CONVERSIONS[conversion](value)
    return format(value, spec)


use_items(build_dict, build_set)
use_items(format_value, prints=True)


def join(*parts: str) -> str:
    return "".join(parts)


inert([format_value, join])


# --- cells ----------------------------------------------------------------------------------------


def cell_new(*content: Value) -> CellType:
    """A new cell, empty or with this content."""
    return CellType(*content)


@full(cell_new)
def cell_new_forward(versions: Versions, *content: Value) -> tuple[Value, Record]:
    cell = CellType(*content)
    return cell, (pull_cell_new, cell) if content and flows(content[0]) else None


def pull_cell_new(shadows: Shadows, y_bar: Value, cell: Value) -> Cotangents:
    return (shadows.key_take(cell, CELL),)


def cell_get(cell: CellType, name: str) -> Value:
    """The content of a captured variable; Python's own error where it is not bound yet."""
    try:
        return cell.cell_contents
    except ValueError:
        pass  # what is raised below has no context, as in Python
    raise NameError(
        f"cannot access free variable {name!r} where it is not associated with a value "
        "in enclosing scope",
        name=name,
    )


def cell_get_local(cell: CellType, name: str) -> Value:
    """The content of a local variable that an inner function captures."""
    try:
        return cell.cell_contents
    except ValueError:
        pass
    raise UnboundLocalError(
        f"cannot access local variable {name!r} where it is not associated with a value"
    )


@full(cell_get_local)
def cell_get_local_forward(versions: Versions, cell: Value, name: str) -> tuple[Value, Record]:
    y = cell_get_local(cell, name)
    return y, (pull_cell_get, cell) if flows(y) else None


@full(cell_get)
def cell_get_forward(versions: Versions, cell: Value, name: str) -> tuple[Value, Record]:
    y = cell_get(cell, name)
    return y, (pull_cell_get, cell) if flows(y) else None


def pull_cell_get(shadows: Shadows, y_bar: Value, cell: Value) -> Cotangents:
    shadows.key_add(cell, CELL, y_bar)
    return None


def cell_set(cell: CellType, v: Value) -> None:
    cell.cell_contents = v


@full(cell_set)
def cell_set_forward(versions: Versions, cell: Value, v: Value) -> tuple[None, Record]:
    cell.cell_contents = v
    return None, (pull_cell_set, cell) if flows(v) else None


def pull_cell_set(shadows: Shadows, y_bar: Value, cell: Value) -> Cotangents:
    return None, shadows.key_take(cell, CELL)


def cell_clear(cell: CellType, name: str, is_free: bool) -> None:
    """``del`` of a variable: in its cell was one cotangent for each content, so none is lost."""
    cell_get(cell, name) if is_free else cell_get_local(cell, name)
    del cell.cell_contents


inert([cell_clear])


# --- methods --------------------------------------------------------------------------------------


def import_module(space: Value, module: str, fromlist: tuple[str, ...] | None, level: int) -> Value:
    """What ``import`` binds; ``space`` holds the user's globals as attributes, which relative
    imports look at.
    """
    return __import__(module, vars(space), None, fromlist or (), level)


def import_from(module: Value, name: str) -> Value:
    """One name of ``from module import name``, a submodule where there is no such attribute."""
    try:
        return getattr(module, name)
    except AttributeError:
        found = sys.modules.get(f"{getattr(module, '__name__', '')}.{name}")
        if found is not None:
            return found
        file = getattr(module, "__file__", None)
        said = (
            f"cannot import name {name!r} from {module.__name__!r} ({file or 'unknown location'})"
        )
        raise ImportError(said, name=module.__name__, path=file) from None


def apply(fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """``fn(*args, **keywords)``."""
    return fn(*args, **keywords)


@full(apply)
def apply_forward(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    y, record = callbacks.call(versions, fn, *args, **keywords)
    return y, None if record is None else (pull_applied, record, args, keywords, tuple(keywords))


def pull_applied(
    shadows: Shadows, y_bar: Value, record: Record, args: Value, keywords: Value, names: Value
) -> Cotangents:
    """The operands are slots of the tuple and keys of the dict."""
    operands = callbacks.pull(shadows, record, y_bar, len(args) + len(names))
    if operands is None:
        return None
    for i in range(len(args)):
        shadows.slot_add(args, i, operands[i])
    for name, g in zip(names, operands[len(args) :], strict=True):
        shadows.key_add(keywords, name, g)
    return None


def call_method(o: Value, name: str, /, *args: Value, **keywords: Value) -> Value:
    """``o.name(*args, **keywords)``."""
    return getattr(o, name)(*args, **keywords)


@full(call_method)
def call_method_forward(
    versions: Versions, o: Value, name: str, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    o = behind(o)
    kind = type(o)
    n = len(args) + len(keywords)
    found = None if issubclass(kind, type) or kind is super else lookup_in_class(kind, name)
    hooked = python_method(kind, "__getattribute__") is not None
    if type(found) in _DIRECT and not hooked and name not in (getattr(o, "__dict__", None) or ()):
        y, record = callbacks.call(versions, found, o, *args, **keywords)
        return y, None if record is None else (pull_direct, record, n)
    fn, fetched = callbacks.call(versions, getattr, o, name)
    y, record = callbacks.call(versions, fn, *args, **keywords)
    return y, None if record is None and fetched is None else (pull_fetched, fetched, record, n)


_DIRECT = frozenset([FunctionType, MethodDescriptorType])


def pull_direct(shadows: Shadows, y_bar: Value, record: Record, n: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n + 1)
    return None if operands is None else (operands[0], None, *operands[1:])


def pull_fetched(
    shadows: Shadows, y_bar: Value, fetched: Record, record: Record, n: int
) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n) or [None] * n
    found = callbacks.pull(shadows, fetched, None, 2)
    return (None if found is None else found[0], None, *operands)


@full(CellType)
def make_cell(versions: Versions, *content: Value) -> tuple[Value, Record]:
    return cell_new_forward(versions, *content)


def read_cell(versions: Versions, cell: Value) -> tuple[Value, Record]:
    y = cell.cell_contents
    if not flows(y):
        return y, None
    y, record = cell_get_forward(versions, cell, "cell_contents")
    return y, None if record is None else (pull_cell, record)


def pull_cell(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    callbacks.pull(shadows, record, y_bar, 1)
    return None


COMPUTED[CellType, "cell_contents"] = read_cell


# --- slices ---------------------------------------------------------------------------------------


_ENDS = ("start", "stop", "step")


@full(slice, build_slice)
def slice_forward(versions: Versions, *ends: Value) -> tuple[slice, Record]:
    y = slice(*ends)
    if not any(map(_is_inexact, ends)):
        return y, None
    names = ("stop",) if len(ends) == 1 else _ENDS[: len(ends)]
    return y, (pull_slice, y, names)


def _is_inexact(end: Value) -> bool:
    return isinstance(end, (float, complex, np.inexact))


def pull_slice(shadows: Shadows, y_bar: Value, y: slice, names: tuple[str, ...]) -> Cotangents:
    return [shadows.key_take(y, name) for name in names]


def read_end(s: slice, name: str) -> tuple[Value, Record]:
    y = getattr(s, name)
    if name not in _ENDS:
        return y, opaque(f"slice.{name}", y, (s, name))
    return y, (pull_end, s, name) if flows(y) and _is_of_numbers(s) else None


def _is_of_numbers(s: slice) -> bool:
    return any(map(_is_inexact, (s.start, s.stop, s.step)))


def pull_end(shadows: Shadows, y_bar: Value, s: slice, name: str) -> Cotangents:
    shadows.key_add(s, name, y_bar)
    return None, None


READERS[slice] = read_end
