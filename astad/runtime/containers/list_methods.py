"""Methods of lists, deques, sets and tuples: what moves elements undoes it on the slots in the
reverse sweep."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from operator import index

import numpy as np

from astad.runtime.containers.containers import copied_sequence, copied_set
from astad.runtime.containers.dicts import pull_made_anew
from astad.runtime.containers.in_place import (
    append,
    delete_from_base,
    deque_append,
    extend_deque,
    extend_list,
)
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    inert,
)
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.bases import BASES, base_of, count_of, items_in
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.operations.indexing import READERS, WRITERS
from astad.runtime.operations.native_hooks import run_comparing
from astad.runtime.operations.operators import own_concatenation, own_repetition
from astad.runtime.unseen.unrecorded import is_of_program
from astad.runtime.unseen.writing_code import writes_in
from astad.tangents.add import add
from astad.tangents.zero import MADE_BY_CLASS

__all__ = [
    "compared_by_keys", "list_append", "pull_insert", "pull_keys", "pull_pop", "set_add",
    "sorted_order", "value_append",
]  # fmt: skip

inert([
    list.index, list.count, tuple.index, tuple.count, deque.index, deque.count, list.clear,
    deque.clear, set.clear, set.remove, set.discard, set.__contains__, list.__contains__,
    tuple.__contains__, deque.__contains__,
    *(kind.__len__ for kind in (list, tuple, deque, set, frozenset)),
])  # fmt: skip


def _own_iterator(method: Value) -> None:
    @full(method)
    def forward(versions: Versions, o: Value) -> tuple[Value, Record]:
        """What ``super().__iter__()`` of a subclass calls."""
        return method(o), None


for _method in (
    *(kind.__iter__ for kind in (list, tuple, deque, dict, OrderedDict, set, frozenset)),
    *(kind.__reversed__ for kind in (list, deque, dict, OrderedDict)),
):
    _own_iterator(_method)

for _base in BASES[:-1]:  # what `super().__setitem__(i, v)` of a subclass calls
    full(getattr(_base, "__getitem__"))(READERS.get(_base, READERS[dict]))  # noqa: B009
    if _base is not tuple:
        full(getattr(_base, "__setitem__"))(WRITERS.get(_base, WRITERS[dict]))  # noqa: B009
        full(getattr(_base, "__delitem__"))(delete_from_base)  # noqa: B009
for _kind in (list, tuple, deque):
    full(_kind.__add__)(own_concatenation(_kind))
    full(_kind.__mul__)(own_repetition(_kind))


def list_append(xs: list[Value], v: Value) -> None:
    """One step of a list comprehension."""
    xs.append(v)


def value_append(xs: list[Value], v: Value) -> None:
    """One step of a sum of a generator expression: what is in an array or a list may change before
    all items are there, and the sum has added it before.
    """
    xs.append(v.copy() if type(v) is np.ndarray or type(v) is list else v)


def set_add(s: set[Value], v: Value) -> None:
    """One step of a set comprehension."""
    s.add(v)


# --- growing --------------------------------------------------------------------------------------


full(list.append, list_append)(append)


def _note_summed(versions: Versions, xs: Value, v: Value) -> None:
    """Note a list of objects whose operators may write: they are added when all of them are there,
    by Python before the next one is computed.
    """
    kind = type(v)
    if kind.__flags__ & MADE_BY_CLASS and is_of_program(kind) and writes_in(kind, _ADDING):
        versions.summed[id(xs)] = xs


_ADDING = ("__add__", "__radd__", "__mul__", "__rmul__")


@full(value_append)
def value_append_forward(versions: Versions, xs: Value, v: Value) -> tuple[None, Record]:
    if type(v) is not np.ndarray and type(v) is not list:
        _note_summed(versions, xs, v)
        return append(versions, xs, v)
    copied, record = callbacks.call(versions, type(v).copy, v)
    _, appended = append(versions, xs, copied)
    return None, None if record is None else (pull_value_append, appended, record)


def pull_value_append(
    shadows: Shadows, y_bar: Value, appended: Record, record: Record
) -> Cotangents:
    callbacks.pull(shadows, appended, None, 2)
    callbacks.pull(shadows, record, None, 1)
    return None


@full(list.insert)
def insert(versions: Versions, xs: Value, i: Value, v: Value) -> tuple[None, Record]:
    n, i = list.__len__(xs), index(i)
    list.insert(xs, i, v)
    return None, (pull_insert, xs, max(0, i + n) if i < 0 else min(i, n))


def pull_insert(shadows: Shadows, y_bar: Value, xs: Value, i: int) -> Cotangents:
    return None, None, shadows.uninsert(xs, i)


@full(list.extend)
def extend(versions: Versions, xs: Value, iterable: Value) -> tuple[None, Record]:
    return None, extend_list(versions, xs, iterable)


full(deque.append)(deque_append)


@full(deque.insert)
def deque_insert(versions: Versions, d: Value, i: Value, v: Value) -> tuple[None, Record]:
    n, i = deque.__len__(d), index(i)
    deque.insert(d, i, v)
    return None, (pull_insert, d, max(0, i + n) if i < 0 else min(i, n))


@full(deque.appendleft)
def deque_appendleft(versions: Versions, d: Value, v: Value) -> tuple[None, Record]:
    dropped = deque.__len__(d) == d.maxlen
    deque.appendleft(d, v)
    return None, (pull_appendleft, d) if not dropped or deque.__len__(d) else None


def pull_appendleft(shadows: Shadows, y_bar: Value, d: Value) -> Cotangents:
    return None, shadows.uninsert(d, 0)


@full(deque.extend)
def deque_extend(versions: Versions, d: Value, iterable: Value) -> tuple[None, Record]:
    return None, extend_deque(versions, d, iterable, deque_append)


@full(deque.extendleft)
def deque_extendleft(versions: Versions, d: Value, iterable: Value) -> tuple[None, Record]:
    return None, extend_deque(versions, d, iterable, deque_appendleft)


# --- shrinking ------------------------------------------------------------------------------------


@full(list.pop)
def pop(versions: Versions, xs: Value, i: Value = -1) -> tuple[Value, Record]:
    n, i = list.__len__(xs), index(i)
    y = list.pop(xs, i)
    i = i if i >= 0 else i + n
    return y, (pull_pop, xs, i) if flows(y) or i < n - 1 else None


def pull_pop(shadows: Shadows, y_bar: Value, xs: Value, i: int) -> Cotangents:
    shadows.unpop(xs, i, y_bar)
    return None


@full(list.remove, deque.remove)
def remove(versions: Versions, xs: Value, v: Value) -> tuple[None, Record]:
    before = [*items_in(xs)]
    base_of(xs).remove(xs, v)
    both = enumerate(zip(before, items_in(xs), strict=False))
    i = next((k for k, (old, new) in both if old is not new), count_of(xs))
    while i and before[i - 1] is before[i]:  # Python takes the first that is equal
        i -= 1
    return None, (pull_pop, xs, i)


@full(deque.pop)
def deque_pop(versions: Versions, d: Value) -> tuple[Value, Record]:
    y = deque.pop(d)
    return y, (pull_pop, d, deque.__len__(d)) if flows(y) else None


@full(deque.popleft)
def deque_popleft(versions: Versions, d: Value) -> tuple[Value, Record]:
    y = deque.popleft(d)
    return y, (pull_pop, d, 0)


@full(set.pop)
def set_pop(versions: Versions, s: Value) -> tuple[Value, Record]:
    y = set.pop(s)
    return y, (pull_set_pop, s, y) if flows(y) else None


def pull_set_pop(shadows: Shadows, y_bar: Value, s: Value, v: Value) -> Cotangents:
    shadows.key_add(s, v, y_bar)
    return None


@full(set.add, set_add)
def add_to_set(versions: Versions, s: Value, v: Value) -> tuple[None, Record]:
    new = not set.__contains__(s, v)
    set.add(s, v)
    return None, (pull_set_add, s, v) if new and flows(v) else None


def pull_set_add(shadows: Shadows, y_bar: Value, s: Value, v: Value) -> Cotangents:
    return None, shadows.key_take(s, v)


# --- copying and rearranging ----------------------------------------------------------------------


@full(list.copy)
def copy_list(versions: Versions, xs: Value) -> tuple[Value, Record]:
    y = list.copy(xs)
    return y, copied_sequence(y, xs)


@full(deque.copy, deque.__copy__)
def copy_deque(versions: Versions, d: Value) -> tuple[Value, Record]:
    """Of a subclass: by a call of the class."""
    if type(d) is deque:
        y = deque.copy(d)
        return y, copied_sequence(y, d)
    longest = deque.maxlen.__get__(d)
    given = (d,) if longest is None else (d, longest)
    y, record = callbacks.call(versions, type(d), *given)
    return y, None if record is None else (pull_made_anew, record, len(given))


@full(set.copy, frozenset.copy)
def copy_set(versions: Versions, s: Value) -> tuple[Value, Record]:
    y = (set if issubclass(type(s), set) else frozenset).copy(s)
    return y, None if y is s else copied_set(y, s)


@full(list.reverse, deque.reverse)
def reverse(versions: Versions, xs: Value) -> tuple[None, Record]:
    (list if issubclass(type(xs), list) else deque).reverse(xs)
    return None, (pull_permuted, xs, range(count_of(xs) - 1, -1, -1))


@full(deque.rotate)
def rotate(versions: Versions, d: Value, n: Value = 1) -> tuple[None, Record]:
    n = index(n)
    deque.rotate(d, n)
    size = deque.__len__(d)
    return None, (pull_permuted, d, [(k - n) % size for k in range(size)])


def pull_permuted(shadows: Shadows, y_bar: Value, xs: Value, order: Value) -> Cotangents:
    shadows.unpermute(xs, order)
    return None


def sorted_order(
    versions: Versions, items: list[Value], key: Value, reverse: bool
) -> tuple[list[int], list[Record]]:
    """Which item comes at each place, and the records for `pull_keys`."""

    def run(keys: list[Value]) -> list[int]:
        return sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)

    return compared_by_keys(versions, key, items, run)


def compared_by_keys(
    versions: Versions, key: Value, items: list[Value], run: Callable[[list[Value]], list[int]]
) -> tuple[list[int], list[Record]]:
    """What ``run`` finds as it compares the keys, and the records of the calls that gave these;
    behind them, if there is any, the record of what comparisons have stored.
    """
    if key is None:
        found, stored = run_comparing(versions, run, items)
        return found, [] if stored is None else [*[None] * len(items), stored]
    keys, records = [], []
    for item in items:
        made, record = callbacks.call(versions, key, item)
        keys.append(made)
        records.append(record)
    found, stored = run_comparing(versions, run, keys)
    return found, records if stored is None else [*records, stored]


def pull_keys(shadows: Shadows, records: list[Record], n: int) -> list[Value]:
    """Back through what `compared_by_keys` recorded: the parts of the ``n`` items, which a key
    function may have written somewhere.
    """
    parts: list[Value] = [None] * n
    for k in range(len(records) - 1, -1, -1):
        found = callbacks.pull(shadows, records[k], None, 1)
        if k < n and found is not None:
            parts[k] = found[0]
    return parts


@full(list.sort)
def sort(
    versions: Versions,
    xs: Value,
    *,
    key: Value = None,
    reverse: Value = False,
) -> tuple[None, Record]:
    items = [*items_in(xs)]
    if key is None and not any(map(flows, items)):
        list.sort(xs, reverse=reverse)
        return None, None
    found: list[tuple[list[int], list[Record]]] = []
    ranks: list[int] = []

    def rank(i: int) -> int:
        """Of one item; when the first is asked for, all are sorted: the list is empty meanwhile."""
        if not found:
            found.append(sorted_order(versions, items, key, reverse))
            ranks.extend(sorted(range(len(items)), key=found[0][0].__getitem__))
        return ranks[i]

    list.__setitem__(xs, slice(None), range(len(items)))
    outer, versions.calls = versions.calls, list[Call]()
    calls = versions.calls
    try:
        list.sort(xs, key=rank)  # raises Python's own ValueError if it is changed meanwhile
    except BaseException:
        if found:
            calls = [Call(((pull_sorted_list, xs, *found[0]), ()), True)]
        raise
    finally:
        list.__setitem__(xs, slice(None), [items[i] for i in items_in(xs)])
        versions.calls = outer
        if outer is not None:
            outer += calls
    return None, (pull_sorted_list, xs, *found[0]) if found else None


def pull_sorted_list(
    shadows: Shadows, y_bar: Value, xs: Value, order: list[int], records: list[Record]
) -> Cotangents:
    """The key function had an empty list before it, whatever it did with that."""
    bars = shadows.slots_take(xs, len(order))
    parts = pull_keys(shadows, records, len(order))
    for i, g in zip(order, bars, strict=True):
        parts[i] = add(parts[i], g)
    for i, g in enumerate(parts):
        if g is not None:
            shadows.slot_add(xs, i, g)
    return None
