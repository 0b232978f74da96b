"""The operations of the language that the module ``operator`` lacks, as plain callables, with their
full rules.

Generated text names them: ``t, t_kept = call(versions, build_list, a, b)``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CellType, FunctionType, MethodDescriptorType

from astad.runtime import (  # noqa: F401  (fill the table)
    attribute_writes,
    attributes,
    callables_of_python,
    copies,
    flat_iterators,
    functional,
    mantissas,
    sums_of_products,
    typed_arrays,
)  # fmt: skip
from astad.runtime.adders import adder
from astad.runtime.comparisons import not_contains, truth
from astad.runtime.containers import display, set_display
from astad.runtime.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
    lookup_in_class,
    python_method,
)
from astad.runtime.iterate import (
    key_route,
    key_slot,
)  # fmt: skip
from astad.runtime.iterators import iterator
from astad.runtime.list_methods import list_append, set_add, value_append
from astad.runtime.native_hooks import use_items
from astad.runtime.shadows import Shadows
from astad.runtime.starred import dict_merge, list_extend
from astad.runtime.unpacking import unpack
from astad.runtime.versions import Versions
from astad.runtime.weak_proxies import behind
from astad.runtime.written_globals import delete_global, namespace, read_global, write_global

__all__ = [
    "CELL", "adder", "apply", "build_dict", "build_list", "build_set", "build_slice", "build_tuple",
    "call_method", "cell_clear", "cell_get", "cell_get_local", "cell_new", "cell_set",
    "dict_merge", "format_value", "iterator", "join", "list_append", "list_extend",
    "delete_global", "namespace", "not_contains", "read_global", "set_add", "truth", "unpack",
    "value_append", "write_global",
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
