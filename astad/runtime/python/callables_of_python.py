"""Builtins that walk their argument: sum, min, max, sorted, any, all; and those that run as they
are."""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable
from decimal import Decimal
from types import GetSetDescriptorType

import numpy as np

from astad.errors import Unsupported
from astad.runtime.containers.list_methods import pull_keys, sorted_order
from astad.runtime.core.full_rules import (
    INERT,
    NUMBERS,
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    in_order,
    inert,
    lookup_in_class,
    python_method,
)
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.contents import Content, changed, contents
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    SOURCES,
    InStep,
    behind_end,
    deliver,
    gather,
    iterate_sized,
    pull_folded,
)
from astad.runtime.operations.comparisons import asks_method, truth_forward
from astad.runtime.operations.native_hooks import run_asking, run_comparing
from astad.runtime.operations.operators import BINARY, binary, by_rule
from astad.runtime.unseen.writing_code import QUIET
from astad.tangents.add import add
from astad.tangents.arrays import project, sum_to_shape
from astad.tangents.refused import Refused
from astad.tangents.zero import plain_number

__all__: list[str] = []

inert([
    all, any, ascii, bin, bytes, bytearray, callable, chr, classmethod, format,
    hash, hex, id, input, isinstance, issubclass, memoryview, object, oct, ord, print,
    range, repr, staticmethod, str, property, breakpoint,
    object.__init__, object.__new__, object.__repr__, object.__str__, object.__hash__,
    object.__format__, object.__init_subclass__,
    BaseException.__new__, BaseException.with_traceback,
])  # fmt: skip


_CONSTRUCTING = ("__new__", "__init__", "__class__", "__init_subclass__")


def _inert_methods(*kinds: type) -> None:
    """Every method of these types whose result carries no derivative."""
    for kind in kinds:
        for name, method in vars(kind).items():
            if callable(method) and name not in _CONSTRUCTING:
                INERT.setdefault(id(method), method)


_inert_methods(str, bytes, bytearray, range, slice, bool, type(None), np.dtype)
inert([
    *(vars(kind)["__get__"] for kind in (types.FunctionType, classmethod, staticmethod)),
    float.is_integer, float.hex, float.fromhex, float.__repr__, float.__format__, float.__hash__,
    float.__bool__, int.bit_length, int.bit_count, int.to_bytes, int.from_bytes, int.__repr__,
    int.__format__, int.__hash__,
])  # fmt: skip


# --- what asks for the caller's own frame ---------------------------------------------------------


def _frame_bound(fn: Value, needed: int) -> None:
    """Builtins that look at the frame they are called from if they are given fewer arguments."""

    @full(fn)
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        if len(args) + len(keywords) < needed:
            raise Unsupported(
                fn.__name__,
                f"{fn.__name__}() in differentiated code",
                why="it looks at the frame that calls it, which is not the user's own here",
                instead="name the variables or the module that it should look at",
            )
        if fn is vars and len(args) == 1 and _has_plain_store(args[0]):
            return stored_in(args[0]), None
        return run_asking(versions, fn, args, keywords)


def _has_plain_store(o: Value) -> bool:
    """Are the attributes of an object in the dict that Python has made for it?"""
    kind = type(o)
    is_plain = lookup_in_class(kind, "__getattribute__") is object.__getattribute__
    return is_plain and type(lookup_in_class(kind, "__dict__")) is GetSetDescriptorType


for _fn, _needed in ((globals, 1), (locals, 1), (vars, 1), (dir, 1)):
    _frame_bound(_fn, _needed)


# --- truth ----------------------------------------------------------------------------------------


_SEQUENCES = (list, tuple, set, frozenset, dict)


def _ask_each(fn: Value, stops_at: bool) -> None:
    """``any`` and ``all``: elements are drawn only as far as needed; drawing them may have called
    the user."""

    @full(fn)
    def forward(versions: Versions, iterable: Value) -> tuple[Value, Record]:
        kind = type(iterable)
        if kind in _SEQUENCES and QUIET.issuperset(map(type, iterable)):
            return fn(iterable), None
        if kind in (range, str, bytes) or (kind is np.ndarray and iterable.dtype.kind != "O"):
            return fn(iterable), None
        found = not stops_at
        with InStep(versions, iterable) as drawn:
            for v in drawn:
                answer, asked = (bool(v), None) if type(v) in QUIET else truth_forward(versions, v)
                drawn.note(None if asked is None else (pull_truth, asked))
                if answer is stops_at:
                    found = stops_at
                    break
        return found, drawn.record()


def pull_truth(shadows: Shadows, y_bar: Value, asked: Record) -> Cotangents:
    """Back to an element that was asked whether it is true."""
    parts = callbacks.pull(shadows, asked, None, 1)
    return None, None if parts is None else parts[0]


def pull_asked_each(shadows: Shadows, y_bar: Value, routes: list[Record]) -> Cotangents:
    for route in reversed(routes):
        deliver(shadows, route, None)
    return None


_ask_each(any, True)
_ask_each(all, False)


def _shared(items: list[Value]) -> list[Content]:
    """What two of them hold: a store of one alone cannot be seen by what computes the next."""
    first: dict[int, Content] = {}
    found: dict[int, Content] = {}
    for item in items:
        for each in contents([item]):
            (found if id(each[0]) in first else first)[id(each[0])] = each
    return list(found.values())


Made = tuple[Value, Record]

# --- sums -----------------------------------------------------------------------------------------


@full(sum, names="iterable start")
def sum_forward(versions: Versions, iterable: Value, start: Value = 0) -> tuple[Value, Record]:
    if type(iterable) not in SOURCES:
        return _summed_as_drawn(versions, iterable, start)
    items, routes = gather(versions, iterable)
    kinds = set(map(type, items))
    if kinds <= NUMBERS and type(start) in NUMBERS:
        return sum(items, start), (pull_sum, items, routes, start)
    if kinds <= _SUMMED and type(start) in _SUMMED and items and not _holds_objects(items, start):
        y = sum(items, start)
        return y, (pull_array_sum, y, items, routes, start)
    return _unmoved(versions, iterable, lambda: _fold(versions, items, routes, start))


def _holds_objects(items: list[Value], start: Value) -> bool:
    """Is there an array among them whose elements are added by operators of their own?"""
    return any(type(v) is np.ndarray and v.dtype.kind == "O" for v in (*items, start))


_SUMMED: frozenset[type] = NUMBERS | {np.ndarray, bool, np.bool_}


def pull_sum(
    shadows: Shadows, y_bar: Value, items: list[Value], routes: list[Record], start: Value
) -> dict[str, Value]:
    if y_bar is None:
        pull_asked_each(shadows, None, [route for route in routes if route is not None])
        return {}
    is_complex = issubclass(type(y_bar), (complex, np.complexfloating))
    for v, route in zip(reversed(items), reversed(routes), strict=True):
        if route is not None:
            route[0](shadows, project(y_bar, v) if is_complex else y_bar, *route[1:])
    return {"start": project(y_bar, start) if is_complex else y_bar}


def pull_array_sum(
    shadows: Shadows, y_bar: Value, y: Value, items: list[Value], routes: list[Record], start: Value
) -> dict[str, Value]:
    g = add(y_bar, shadows.take(y)) if issubclass(type(y), np.ndarray) else y_bar
    if g is None:
        pull_asked_each(shadows, None, [route for route in routes if route is not None])
        return {}
    for v, route in zip(reversed(items), reversed(routes), strict=True):
        part = _part_of(g, v)
        if issubclass(type(v), np.ndarray):
            shadows.add(v, part)
            part = None
        deliver(shadows, route, part)
    if issubclass(type(start), np.ndarray):
        shadows.add(start, _part_of(g, start))
        return {}
    return {"start": _part_of(g, start)}


def _part_of(g: Value, v: Value) -> Value:
    """The cotangent of a summand: that of the sum, in the summand's shape and kind."""
    if type(g) is Refused:
        return g
    if issubclass(type(v), np.ndarray):
        return project(sum_to_shape(g, v.shape), v) if v.dtype.kind in "fciu" else None
    return project(sum_to_shape(g, ()), v) if flows(v) else None


def _fold(
    versions: Versions, items: list[Value], routes: list[Record], start: Value
) -> tuple[Value, Record]:
    """Sum of anything else (lists, objects of the user's): one addition after the other."""
    if issubclass(type(start), (str, bytes, bytearray)):
        sum([], start)  # raises Python's own TypeError
    y, records = start, []
    for v in items:
        y, record = callbacks.call(versions, operator.add, y, v)
        records.append(record)
    return y, (pull_fold, records, routes)


def _unmoved(versions: Versions, items: Value, run: Callable[[], Made]) -> Made:
    """What adds or multiplies the items of a list. Where that stands for a generator expression,
    they may change nothing: Python computes the next one behind.
    """
    if id(items) not in versions.summed:
        return run()
    before = _shared(items)
    made = run()
    if changed(before, strict=True):
        name = type(items[0]).__name__
        raise Unsupported(
            f"a generator expression of objects of class {name}",
            "a sum or product of them whose operators store something",
            why="they are added when all of them are there, Python adds each before the next",
            instead="write a loop",
        )
    return made


def pull_fold(
    shadows: Shadows, y_bar: Value, records: list[Record], routes: list[Record]
) -> dict[str, Value]:
    for record, route in zip(reversed(records), reversed(routes), strict=True):
        operands = callbacks.pull(shadows, record, y_bar, 2)
        y_bar, v_bar = (None, None) if operands is None else operands
        deliver(shadows, route, v_bar)
    return {"start": y_bar}


def _summed_as_drawn(versions: Versions, iterable: Value, start: Value) -> tuple[Value, Record]:
    """Each item is added before the next one is drawn; numbers, which nobody changes, at the end of
    their run, where Python rounds their sum.
    """
    if issubclass(type(start), (str, bytes, bytearray)):
        sum([], start)  # raises Python's own TypeError
    numbers, y, is_run = list[Value](), start, type(start) in NUMBERS

    def put(v: Value) -> Record:
        nonlocal y, is_run
        if is_run and type(v) in NUMBERS:
            numbers.append(v)
            return pull_number, v
        y = sum(numbers, start) if is_run else y
        is_run = False
        y, record = callbacks.call(versions, operator.add, y, v)
        return record

    with InStep(versions, iterable) as drawn:
        for v in drawn:
            drawn.note(put(v))
    y = sum(numbers, start) if is_run else y
    return y, (pull_summed, drawn.handed, start)


def pull_number(shadows: Shadows, y_bar: Value, v: Value) -> Cotangents:
    is_complex = issubclass(type(y_bar), (complex, np.complexfloating))
    return y_bar, project(y_bar, v) if is_complex else y_bar


def pull_summed(
    shadows: Shadows, y_bar: Value, handed: list[tuple[Record, Record]], start: Value
) -> dict[str, Value]:
    y_bar = pull_folded(shadows, y_bar, handed)
    is_complex = issubclass(type(y_bar), (complex, np.complexfloating))
    return {"start": project(y_bar, start) if is_complex else y_bar}


def _of_a_list(fn: Value) -> None:
    """A function with a rule for lists, of any iterable."""

    @full(fn)
    def forward(
        versions: Versions, iterable: Value, *args: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        is_plain = issubclass(type(iterable), (list, tuple, np.ndarray))
        is_plain = is_plain and not _hands_out(type(iterable))
        if is_plain and not (fn is math.prod and _asks_items(iterable, keywords)):
            return by_rule(versions, fn, iterable, *args, **keywords)
        if fn is math.prod and not args and type(iterable) not in SOURCES:
            return _multiplied_as_drawn(versions, iterable, keywords)
        items, made = callbacks.call(versions, list, iterable)
        if fn is math.prod and not args and _asks_items(items, keywords):
            return _unmoved(
                versions, iterable, lambda: _multiplied(versions, items, made, keywords)
            )
        y, record = by_rule(versions, fn, items, *args, **keywords)
        return y, (pull_listed, made, record, 1 + len(args) + len(keywords))


def pull_listed(shadows: Shadows, y_bar: Value, made: Record, record: Record, n: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, n)
    callbacks.pull(shadows, made, None, 1)
    return operands


def _hands_out(kind: type) -> bool:
    """Do the items come from a method of the user's?"""
    asked = ("__iter__", "__getitem__") if issubclass(kind, np.ndarray) else ("__iter__",)
    return any(python_method(kind, name) is not None for name in asked)


_of_a_list(math.fsum)
_of_a_list(math.prod)


def _asks_items(items: Value, options: dict[str, Value]) -> bool:
    """Has a factor operators of its own, which `math.prod` asks?"""
    kinds = {*map(type, options.values())}
    if not issubclass(type(items), np.ndarray):
        kinds.update(map(type, items))
    return not kinds <= _SUMMED and any(
        python_method(kind, name) is not None
        for kind in kinds - _SUMMED
        for name in ("__mul__", "__rmul__")
    )


def _multiplied(
    versions: Versions, items: list[Value], made: Record, options: dict[str, Value]
) -> tuple[Value, Record]:
    """One multiplication after the other."""
    y, records = options.get("start", 1), []
    for v in items:
        y, record = callbacks.call(versions, operator.mul, y, v)
        records.append(record)
    return y, (pull_multiplied, items, made, records, "start" in options)


def pull_multiplied(
    shadows: Shadows,
    y_bar: Value,
    items: list[Value],
    made: Record,
    records: list[Record],
    has_start: bool,
) -> Cotangents:
    for k in range(len(records) - 1, -1, -1):
        operands = callbacks.pull(shadows, records[k], y_bar, 2)
        y_bar, v_bar = (None, None) if operands is None else operands
        if v_bar is not None:
            shadows.slot_add(items, k, v_bar)
    callbacks.pull(shadows, made, None, 1)
    return (None, y_bar) if has_start else (None,)


def _multiplied_as_drawn(
    versions: Versions, iterable: Value, options: dict[str, Value]
) -> tuple[Value, Record]:
    """Each item is multiplied before the next one is drawn."""
    y = options.get("start", 1)
    with InStep(versions, iterable) as drawn:
        for v in drawn:
            y, record = callbacks.call(versions, operator.mul, y, v)
            drawn.note(record)
    return y, (pull_product, drawn.handed, "start" in options)


def pull_product(
    shadows: Shadows, y_bar: Value, handed: list[tuple[Record, Record]], has_start: bool
) -> Cotangents:
    y_bar = pull_folded(shadows, y_bar, handed)
    return (None, y_bar) if has_start else (None,)


# --- smallest, largest, sorted --------------------------------------------------------------------


def _extreme(fn: Value, better: Callable[[Value, Value], Value]) -> None:
    """``min`` and ``max``: of equal numbers each gets the same share, as everywhere in astad."""

    @full(fn)
    def forward(versions: Versions, *args: Value, **options: Value) -> tuple[Value, Record]:
        names, key = tuple(options), options.get("key")
        if not options.keys() <= {"key", "default"}:
            fn((), **options)  # raises Python's own TypeError
        if len(args) != 1 and (not args or "default" in options):
            fn(*args, **options)  # raises Python's own TypeError
        source: Value = args[0] if len(args) == 1 else args
        if key is None and type(source) in SOURCES:
            items, routes = gather(versions, source)
            if items and NUMBERS.issuperset(map(type, items)):
                k = fn(range(len(items)), key=items.__getitem__)
                handed: Handed = [(None, route) for route in routes]
                return items[k], _chosen(versions, k, items, items, handed, args, names)
        items, k = [], 0
        keys: list[Value] = []
        with InStep(versions, source) as drawn:
            for v in drawn:
                made, asked = (v, _ITSELF) if key is None else callbacks.call(versions, key, v)
                wins, compared = False, None
                if keys:
                    wins, compared = _is_better(versions, better, made, keys[k])
                drawn.note((pull_weighed, len(items), asked, compared, k))
                items.append(v)
                keys.append(made)
                k = len(items) - 1 if wins else k
            y = items[k] if items else fn([], **options)
        if not items:
            record = drawn.record()
            carries = flows(y) or record is not None
            return y, (pull_default, record, len(args), names) if carries else None
        return y, _chosen(versions, k, items, keys, drawn.handed, args, names)


Handed = list[tuple[Record, Record]]


def _is_better(
    versions: Versions, better: Callable[[Value, Value], Value], one: Value, best: Value
) -> tuple[bool, Record]:
    """Whether a key wins over the best one so far, and the record of the comparison."""
    if type(one) in NUMBERS and type(best) in NUMBERS:
        return bool(better(one, best)), None
    if not asks_method(better, one, best):
        found, stored = run_comparing(versions, lambda pair: [bool(better(*pair))], [one, best])
        return bool(found[0]), stored
    y, compared = callbacks.call(versions, better, one, best)
    wins, then = truth_forward(versions, y)
    return wins, compared if then is None else (pull_judged, compared, then)


def pull_judged(shadows: Shadows, y_bar: Value, compared: Record, then: Record) -> Cotangents:
    """Back through the truth of what a comparison gave, then through that."""
    y_bar = (callbacks.pull(shadows, then, None, 1) or (None,))[0]
    return callbacks.pull(shadows, compared, y_bar, 2)


def pull_itself(shadows: Shadows, y_bar: Value) -> Cotangents:
    """An element is its own key."""
    return (y_bar,)


_ITSELF: Record = (pull_itself,)


def _chosen(
    versions: Versions, k: int, items: list[Value], keys: list[Value], handed: Handed,
    args: tuple[Value, ...], names: tuple[str, ...],
) -> Record:  # fmt: skip
    """The record of a choice, of item number ``k``."""
    y, ties = items[k], [k]
    if flows(y):
        same = [i for i, v in enumerate(items) if i != k and flows(v) and _equal(v, y)]
        if same:

            def run(keys: list[Value]) -> list[int]:
                return [i for i in same if _equal(keys[i], keys[k])]

            ties += same if keys is items else run_comparing(versions, run, keys)[0]
    elif not any(route is not None or _moves(record) for record, route in handed):
        return None
    return pull_chosen, ties, items, handed, args, names


def _equal(one: Value, other: Value) -> bool:
    """As the numbers that they are: ``min`` and ``max`` ask no ``__eq__`` of a class of numbers."""
    return bool(plain_number(one) == plain_number(other))


def _moves(record: Record) -> bool:
    if record is None or record[0] is not pull_weighed:
        return record is not None
    _, _, asked, compared, _ = record
    return compared is not None or (asked is not None and asked[0] is not pull_itself)


def pull_default(
    shadows: Shadows, y_bar: Value, record: Record, n: int, names: tuple[str, ...]
) -> Cotangents:
    callbacks.pull(shadows, record, None, 0)
    return [*[None] * n, *[y_bar if name == "default" else None for name in names]]


def pull_chosen(
    shadows: Shadows, y_bar: Value, ties: list[int], items: list[Value], handed: Handed,
    args: tuple[Value, ...], names: tuple[str, ...],
) -> Cotangents:  # fmt: skip
    parts: dict[int, Value] = {}
    if y_bar is not None and flows(items[ties[0]]):
        share = y_bar / len(ties) if len(ties) > 1 else y_bar
        for i in ties:
            parts[i] = share if type(share) is Refused else project(share, items[i])
    if handed[0][0] is None:  # none was asked for anything
        if len(args) != 1:
            return [*map(parts.get, range(len(items))), *[None] * len(names)]
        for i in range(len(items) - 1, -1, -1):
            deliver(shadows, handed[i][1], parts.get(i))
    else:
        pull_folded(shadows, (parts, {}), handed)
    if len(args) == 1:
        return None
    return [*shadows.slots_take(args, len(args)), *[None] * len(names)]


def pull_weighed(
    shadows: Shadows, bars: Value, at: int, asked: Record, compared: Record, best: int
) -> Cotangents:
    """Back through the comparison of an element's key with the best one, and the call that gave
    the key; ``bars``: of the elements, and of their keys.
    """
    bars = ({}, {}) if bars is None else bars  # there was an exception before the end
    parts, keys = bars
    found = callbacks.pull(shadows, compared, None, 2)
    for place, part in zip((at, best), found or (), strict=False):
        keys[place] = add(keys.get(place), part)
    found = callbacks.pull(shadows, asked, keys.get(at), 1)
    return bars, parts.get(at) if found is None else add(parts.get(at), found[0])


_extreme(min, operator.lt)
_extreme(max, operator.gt)


@full(sorted)
def sorted_forward(
    versions: Versions, iterable: Value, *, key: Value = None, reverse: Value = False
) -> tuple[Value, Record]:
    end: list[Call] = []
    items, routes = gather(versions, iterable, feed=iterate_sized, end=end)
    if key is None and not any(routes):
        return sorted(items, reverse=reverse), behind_end(None, end)
    order, records = sorted_order(versions, items, key, reverse)
    y = [items[i] for i in order]
    return y, (pull_sorted, y, order, routes, records)


def pull_sorted(
    shadows: Shadows,
    y_bar: Value,
    y: Value,
    order: list[int],
    routes: list[Record],
    records: list[Record],
) -> Cotangents:
    slots: list[Value] = pull_keys(shadows, records, len(order))
    for i, g in zip(order, shadows.slots_take(y, len(order)), strict=True):
        slots[i] = add(slots[i], g)
    for g, route in zip(reversed(slots), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None


# --- numbers --------------------------------------------------------------------------------------


full(divmod)(binary(divmod, "divmod"))


@full(pow)
def pow_forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    if len(args) == 2 and not keywords:
        return BINARY["pow"](versions, *args)
    return _pow_in_order(versions, *args, **keywords)


def _pow(versions: Versions, base: Value, exp: Value, mod: Value = None) -> tuple[Value, Record]:
    if mod is None:
        return BINARY["pow"](versions, base, exp)
    own = python_method(type(base), "__pow__")
    if own is not None:
        return callbacks.call(versions, own, base, exp, mod)
    return pow(base, exp, mod), None


_pow_in_order = in_order(_pow, "base exp mod")


# --- numbers of classes of the user's -------------------------------------------------------------


def _new_number(kind: Value) -> None:
    @full(kind.__new__)
    def forward(
        versions: Versions, cls: Value, *parts: Value, **named: Value
    ) -> tuple[Value, Record]:
        """What the ``__new__`` of a subclass calls: the number of the base first, for which objects
        are asked once.
        """
        value, record = callbacks.call(versions, kind, *parts, **named)
        count = len(parts) + len(named)
        y = kind.__new__(cls, value)
        return y, None if record is None else (pull_new_number, record, count)


def pull_new_number(shadows: Shadows, y_bar: Value, record: Record, count: int) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, count)
    return None if operands is None else (None, *operands)


for _number in (int, float, complex, Decimal):
    _new_number(_number)
