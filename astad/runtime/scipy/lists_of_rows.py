"""``scipy.sparse.lil_matrix`` and ``lil_array``: for each row a list of columns and one of entries.

What SciPy does with them in compiled code is done in Python, to be differentiated from its source.

>>> import numpy as np
>>> rows, entries = np.array([[], [0]], object), np.array([[], [2.5]], object)
>>> inserted(2, 3, rows, entries, 0, -1, 1.5)
>>> rows.tolist(), entries.tolist()
([[2], [0]], [[1.5], [2.5]])
>>> one_of(2, 3, rows, entries, 1, 0), one_of(2, 3, rows, entries, 1, 1)
(2.5, 0)
"""

from __future__ import annotations

from bisect import bisect_left

from scipy.sparse import _csparsetools

from astad.runtime.core.full_rules import Record, Value, callbacks, full
from astad.runtime.core.versions import Versions

__all__: list[str] = []


def place_in(of: str, k: int, count: int) -> int:
    """A place counted from the front."""
    if k < -count or k >= count:
        raise IndexError(f"{of} index ({k}) out of bounds")
    return k + count if k < 0 else k


def one_of(rows: int, columns: int, places: Value, entries: Value, i: int, j: int) -> Value:
    """``lil_get1``: 0 where nothing is stored."""
    i, j = place_in("row", i, rows), place_in("column", j, columns)
    at = bisect_left(places[i], j)
    return entries[i][at] if at < len(places[i]) and places[i][at] == j else 0


def inserted(
    rows: int, columns: int, places: Value, entries: Value, i: int, j: int, x: Value
) -> None:
    """``lil_insert``: a zero is taken out."""
    i, j = place_in("row", i, rows), place_in("column", j, columns)
    row, data = places[i], entries[i]
    at = bisect_left(row, j)
    is_there = at < len(row) and row[at] == j
    if x == 0:
        if is_there:
            del row[at]
            del data[at]
    elif is_there:
        data[at] = x
    else:
        row.insert(at, j)
        data.insert(at, x)


def several_of(
    rows: int, columns: int, places: Value, entries: Value, new_places: Value, new_entries: Value,
    i: Value, j: Value,
) -> None:  # fmt: skip
    """``lil_fancy_get``."""
    for k in range(i.shape[0]):
        row, data = [], []
        for m in range(i.shape[1]):
            a = place_in("row", int(i[k, m]), rows)
            b = place_in("column", int(j[k, m]), columns)
            at = bisect_left(places[a], b)
            if at < len(places[a]) and places[a][at] == b:
                row.append(m)
                data.append(entries[a][at])
        new_places[k] = row
        new_entries[k] = data


def several_inserted(
    rows: int, columns: int, places: Value, entries: Value, i: Value, j: Value, values: Value
) -> None:
    """``lil_fancy_set``."""
    for k in range(i.shape[0]):
        for m in range(i.shape[1]):
            inserted(rows, columns, places, entries, int(i[k, m]), int(j[k, m]), values[k, m])


def lengths(lists: Value, counts: Value) -> None:
    """``lil_get_lengths``."""
    for k in range(len(lists)):
        counts[k] = len(lists[k])


def flattened(lists: Value, out: Value) -> None:
    """``lil_flatten_to_array``."""
    at = 0
    for k in range(len(lists)):
        for each in lists[k]:
            out[at] = each
            at += 1


def rows_between(
    rows: int, columns: int, places: Value, entries: Value, new_places: Value, new_entries: Value,
    chosen: Value, start: int, stop: int, step: int, count: int,
) -> None:  # fmt: skip
    """``lil_get_row_ranges``: some columns of some rows, in their new order."""
    wanted = range(start, stop, step)
    for k, i in enumerate(chosen):
        i = place_in("row", int(i), rows)
        found = [(wanted.index(j), at) for at, j in enumerate(places[i]) if j in wanted]
        found.sort()
        for j, at in found:
            new_places[k].append(j)
            new_entries[k].append(entries[i][at])


def done_in_python(compiled: Value, written: Value) -> None:
    """Declare what to go through in the place of a compiled function."""

    @full(compiled)
    def forward(versions: Versions, *args: Value) -> tuple[Value, Record]:
        return callbacks.call(versions, written, *args)


done_in_python(_csparsetools.lil_get1, one_of)
done_in_python(_csparsetools.lil_insert, inserted)
done_in_python(_csparsetools.lil_fancy_get, several_of)
done_in_python(_csparsetools.lil_fancy_set, several_inserted)
done_in_python(_csparsetools.lil_get_lengths, lengths)
done_in_python(_csparsetools.lil_flatten_to_array, flattened)
done_in_python(_csparsetools.lil_get_row_ranges, rows_between)
