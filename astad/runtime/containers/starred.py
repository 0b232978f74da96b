"""``*xs`` and ``**words`` in displays and calls, with Python's own errors.

>>> list_extend([], 3)
Traceback (most recent call last):
TypeError: Value after * must be an iterable, not int
>>> dict_merge({"key": None}, {"key": None}, sorted)
Traceback (most recent call last):
TypeError: sorted() got multiple values for keyword argument 'key'
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NoReturn

from astad.runtime.containers.dicts import plain_items, update_dict
from astad.runtime.core.full_rules import Record, Value, callbacks, full, name_in_errors
from astad.runtime.core.versions import Versions
from astad.runtime.iteration.iterate import is_iterable

__all__ = ["dict_merge", "list_extend"]


def list_extend(items: list[Value], xs: Value, *called: Value) -> None:
    """``*xs`` in a display, or the only positional argument of what is called."""
    if not is_iterable(type(xs)):
        _not_iterable(xs, called)
    items.extend(xs)


def _not_iterable(xs: Value, called: tuple[Value, ...]) -> NoReturn:
    what = f"{_text_of(called[0])} argument" if called else "Value"
    raise TypeError(f"{what} after * must be an iterable, not {name_in_errors(type(xs))}")


@full(list_extend)
def list_extend_forward(
    versions: Versions, items: Value, xs: Value, *called: Value
) -> tuple[None, Record]:
    if not is_iterable(type(xs)):
        _not_iterable(xs, called)
    _, record = callbacks.call(versions, list.extend, items, xs)
    return None, record


def dict_merge(d: dict[Value, Value], mapping: Value, *called: Value) -> None:
    """``**mapping`` in a dict display, or among the arguments of what is called."""
    fits = _fits(d, mapping, called)
    if fits is None:
        d.update(mapping)
        return
    items = plain_items(mapping)
    for key in mapping.keys() if items is None else dict(items):
        fits(key)
        d[key] = mapping[key] if items is None else dict.__getitem__(mapping, key)


@full(dict_merge)
def dict_merge_forward(
    versions: Versions, d: Value, mapping: Value, *called: Value
) -> tuple[None, Record]:
    return update_dict(versions, d, mapping, fits=_fits(d, mapping, called))


def _fits(d: Value, mapping: Value, called: tuple[Value, ...]) -> Callable[[Value], None] | None:
    """What raises for a keyword that is there already; in a display any key may come again."""
    kind = type(mapping)
    if not hasattr(mapping, "keys"):
        if called:
            what = _text_of(called[0])
            raise TypeError(
                f"{what} argument after ** must be a mapping, not {name_in_errors(kind)}"
            )
        raise TypeError(f"{kind.__name__!r} object is not a mapping")
    return functools.partial(_once, d, called[0]) if called else None


def _once(d: Value, fn: Value, key: Value) -> None:
    if key in d:
        raise TypeError(f"{_text_of(fn)} got multiple values for keyword argument '{key}'")


def _text_of(fn: Value) -> str:
    """As Python names what is called."""
    name = getattr(fn, "__qualname__", None)
    if name is None:
        return str(fn)
    module = getattr(fn, "__module__", None)
    return f"{name}()" if module in (None, "builtins") else f"{module}.{name}()"
