"""Values as plain data that can go to another process, and what two of them differ in.

>>> a, b = described({"w": [1.0, 2.0]}), described({"w": [1.0, 2.5]})
>>> difference(a, b)
"['w'][1]: 2.0 and 2.5"
>>> difference(a, described({"w": [1.0, np.float64(2.0)]}))
"['w'][1]: 2.0 and np.float64(2.0)"
"""

from __future__ import annotations

import array
import collections
import functools
import io
import random
import re
import types
import weakref
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from astad.runtime.cotangents.snapshots import DERIVED
from astad.runtime.iteration.drawn_again import Again
from astad.tangents.zero import MADE_BY_CLASS
from astad.testing.leaves import attributes_of

__all__ = ["Record", "described", "difference", "numbers_in"]

# Any in this file: values of every kind

SIMPLE = (bool, int, float, complex, str, bytes, type(None))
ORDERED: tuple[Any, ...] = (list, tuple, collections.deque)
ITERATORS: tuple[type, ...] = (
    type(iter([])), type(iter(())), type(iter(range(0))), type(iter("")), type(reversed([])),
    enumerate, zip, map, filter,
)  # fmt: skip
"""Their position is told by what they would be pickled as."""
WEAK: tuple[type, ...] = (
    weakref.ref, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet,
)  # fmt: skip
"""What they refer to lives as long as others hold it, a pullback among them: nothing is told."""
LIBRARIES = {"numpy", "scipy"}
"""What their objects keep for themselves (private attributes) is no state of the user's."""
WHOLE = {*LIBRARIES, "astad"}
"""Of a namespace of their modules nothing but its name is told."""
ADDRESS = re.compile(r"0x[0-9a-f]{5,}")
LONGEST = 2000


class Record(NamedTuple):
    """One object: the name of its type, what it is worth, and the numbers of the records of what
    it holds, by what stands before each.
    """

    kind: str
    value: Any
    parts: tuple[tuple[str, int], ...] = ()


def described(value: Any) -> list[Record]:
    """The records of a value and of all it holds, its own first; an object met twice has one."""
    numbers: dict[int, int] = {}
    waiting = [value]
    records: list[Record] = []

    def number(part: Any) -> int:
        if id(part) in numbers:
            return numbers[id(part)]
        numbers[id(part)] = len(waiting)
        waiting.append(part)  # and so its id remains its own
        return len(waiting) - 1

    numbers[id(value)] = 0
    at = 0
    while at < len(waiting):
        part = waiting[at]
        if isinstance(part, Again):  # it is handed out as one of Python's
            part = part.of_python()
        worth = _worth(part)
        parts = () if worth is not None else tuple((s, number(p)) for s, p in _parts(part))
        records.append(Record(_name(type(part)), worth, parts))
        at += 1
    return records


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _worth(value: Any) -> Any:
    """What is told of a value without parts; None of one that has some."""
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        return (value,)
    if isinstance(value, SIMPLE):
        return (value,) if type(value) in SIMPLE else (repr(value),)
    if isinstance(value, (Decimal, Fraction)):
        return (value,) if type(value) in (Decimal, Fraction) else (repr(value),)
    if type(value) is np.ndarray and value.dtype.kind in "biufcSU":
        return (np.array(value),)
    if isinstance(value, (type, types.ModuleType)):
        return (f"{getattr(value, '__module__', '')}.{value.__name__}",)
    if isinstance(value, (bytearray, memoryview, array.array)):
        return (bytes(value),)
    if isinstance(value, (types.BuiltinFunctionType, np.ufunc)):
        return (getattr(value, "__name__", ""),)
    if isinstance(value, dict) and dict.__contains__(value, "__spec__"):
        name = str(dict.get(value, "__name__"))
        return (f"the names of {name}",) if name.partition(".")[0] in WHOLE else None
    return None


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, and what stands before each part when it is named."""
    if isinstance(value, np.ndarray):
        yield from _of_array(value)
    elif isinstance(value, dict):
        yield from ((f"[{_text(key)}]", part) for key, part in dict.items(value))
    elif isinstance(value, ORDERED):
        kind = next(each for each in ORDERED if isinstance(value, each))
        # the builtin's iterator: the user's own may do more
        yield from ((f"[{i}]", part) for i, part in enumerate(kind.__iter__(value)))
    elif isinstance(value, (set, frozenset)):
        yield "", sorted(map(_text, value))
    elif isinstance(value, types.FunctionType):
        yield from _of_function(value)
    elif isinstance(value, types.MethodType):
        yield from ((".__self__", value.__self__), (".__func__", value.__func__))
    elif isinstance(value, types.CellType):
        yield from _of_cell(value)
    elif type(value) in DERIVED:  # what it is derived from, not the texts that it has met
        yield "", value.__reduce__()[1]
        return
    elif isinstance(value, functools.partial):
        yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
    elif isinstance(value, BaseException):
        yield ".args", value.args
    elif isinstance(value, WEAK):
        return
    elif type(value) in ITERATORS:
        yield from ((f".{i}", part) for i, part in enumerate(value.__reduce__()[1:]))
    elif isinstance(value, (io.StringIO, io.BytesIO)):
        yield from ((".getvalue()", value.getvalue()), (".tell()", value.tell()))
    elif isinstance(value, random.Random):
        yield ".getstate()", _text(value.getstate())
    elif isinstance(value, np.random.Generator):
        yield ".bit_generator.state", _text(value.bit_generator.state)
    elif not type(value).__flags__ & MADE_BY_CLASS:  # of a compiled type
        yield "", _text(value)
    is_library = type(value).__module__.partition(".")[0] in LIBRARIES
    for name, part in (attributes_of(value) or {}).items():
        if not (is_library and name.startswith("_")):
            yield f".{name}", part


def _of_array(value: Any) -> Iterator[tuple[str, Any]]:
    """An array of objects or of a subclass."""
    yield ".shape", value.shape
    yield ".dtype", str(value.dtype)
    if isinstance(value, np.ma.MaskedArray):
        yield from ((".mask", np.array(value.mask)), (".data", np.asarray(value.data)))
    elif value.dtype == object:
        yield from ((f"[{i}]", part) for i, part in enumerate(value.ravel().tolist()))
    elif value.dtype.kind in "biufcSU":
        yield "", np.array(value)
    else:
        yield "", value.tobytes()
    if type(value) is not np.ndarray and not isinstance(value, np.ma.MaskedArray):
        yield from ((f".{name}", part) for name, part in getattr(value, "__dict__", {}).items())


def _of_function(value: types.FunctionType) -> Iterator[tuple[str, Any]]:
    yield ".__qualname__", value.__qualname__
    names = value.__code__.co_freevars
    yield from (
        (f" {name}", cell) for name, cell in zip(names, value.__closure__ or (), strict=True)
    )
    yield from ((f".{name}", part) for name, part in value.__dict__.items())
    yield ".__defaults__", value.__defaults__


def _of_cell(value: types.CellType) -> Iterator[tuple[str, Any]]:
    try:
        yield "", value.cell_contents
    except ValueError:
        return


def _text(value: Any) -> str:
    """What is printed of a value, without addresses, or the name of its type."""
    try:
        return ADDRESS.sub("0x", repr(value)[:LONGEST])
    except Exception:
        return _name(type(value))


# --- comparing ------------------------------------------------------------------------------------

Equal = Callable[[Any, Any], bool]
"""Whether two numbers, or two arrays of one shape and dtype, agree."""


def difference(
    a: list[Record],
    b: list[Record],
    equal: Equal | None = None,
    alike: Callable[[str, str], bool] = str.__eq__,
    *,
    of_gradients: bool = False,
) -> str | None:
    """Where two described values first differ, and in what; None where they agree.

    Parameters
    ----------
    a, b : list of Record
        What `described` gives of two values.
    equal : callable, optional
        How two numbers or arrays are compared; exactly where not given, nan equal to nan.
    alike : callable, optional
        Whether the names of two types may stand for each other.
    of_gradients : bool
        These are tuples of gradients: inside one, what nothing has come to is None or zero.
    """
    waiting = [("", 0, 0, 0)]
    met = {(0, 0)}
    for path, m, n, depth in waiting:
        first, second = a[m], b[n]
        is_inside = of_gradients and depth > 1 and (_is_none(first) or _is_none(second))
        if is_inside and _is_nothing(a, m) and _is_nothing(b, n):
            continue
        if not alike(first.kind, second.kind) or (first.value is None) != (second.value is None):
            return f"{path}: {_shown(first)} and {_shown(second)}"
        if first.value is not None and not _same(first.value[0], second.value[0], equal):
            return f"{path}: {_shown(first)} and {_shown(second)}"
        names, others = ([name for name, _ in each.parts] for each in (first, second))
        if names != others:
            odd = next(iter({*names} ^ {*others}), None)
            what = "in another order" if odd is None else f"{odd} in one only"
            return f"{path}: {_shown(first)} and {_shown(second)}, {what}"
        for (name, i), (_, j) in zip(first.parts, second.parts, strict=True):
            if (i, j) not in met:
                met.add((i, j))
                waiting.append((path + name, i, j, depth + 1))
    return None


def _is_none(record: Record) -> bool:
    return record.value is not None and record.value[0] is None


def _is_nothing(records: list[Record], at: int) -> bool:
    """Is it None or zero, with all its parts?"""
    record = records[at]
    if record.value is None:
        return all(_is_nothing(records, part) for _, part in record.parts)
    value = record.value[0]
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iufc" and not value.any()
    return value is None or (not isinstance(value, (str, bytes, bool)) and bool(value == 0))


def _same(a: Any, b: Any, equal: Equal | None) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        is_number = a.dtype.kind in "iufc"
        if equal is not None and is_number:
            return equal(a, b)
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    if isinstance(a, (str, bytes, bool)) or a is None:
        return bool(a == b)
    if equal is not None:
        return equal(a, b)
    return bool(a == b or (a != a and b != b))


def _shown(record: Record) -> str:
    if record.value is None:
        return f"a {record.kind.rpartition('.')[2]} of {len(record.parts)}"
    text = repr(record.value[0])
    return text if len(text) < 200 else text[:200] + "..."


def numbers_in(records: list[Record]) -> list[Any]:
    """The numbers and arrays of numbers of a described value."""
    found = [record.value[0] for record in records if record.value is not None]
    kinds = (int, float, complex, np.number, Decimal, Fraction)
    return [
        each
        for each in found
        if (isinstance(each, np.ndarray) and each.dtype.kind in "iufc")
        or (isinstance(each, kinds) and not isinstance(each, bool))
    ]
