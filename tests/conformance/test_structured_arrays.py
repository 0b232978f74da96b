"""Structured arrays: as data they are read in every way; numbers that count are refused in them,
whichever way they come out again.
"""

import copy
from functools import reduce

import numpy as np
import pytest

import astad

pytestmark = pytest.mark.order_matters
READING = np.dtype([("t", float), ("temp", float), ("ok", bool)])


def put(x):
    r = np.zeros(3, READING)
    r[0] = (x, 2 * x, True)
    return r


def put_by_rows(x):
    r = np.zeros(3, READING)
    r[:] = [(x, 2 * x, True)] * 3
    return r


def put_in_a_field(x):
    r = np.zeros(3, READING)
    r["temp"][0] = 2 * x
    r["ok"][0] = True
    return r


def put_in_a_record_array(x):
    r = np.zeros(3, READING).view(np.recarray)
    r.temp[:] = x
    return r


class Log:
    def __init__(self):
        self.rows = np.zeros(4, READING)
        self.n = 0

    def record(self, t, temp, ok):
        self.rows[self.n] = (t, temp, ok)
        self.n += 1

    @property
    def clean(self):
        rows = self.rows[: self.n]
        return rows[rows["ok"]]


def put_by_a_class(x):
    log = Log()
    log.record(0.0, x, True)
    log.record(1.0, 3 * x, False)
    log.record(2.0, x * x, True)
    return log.clean


def copied_into(r):
    q = np.zeros(r.shape, r.dtype)
    q[:] = r
    return q["temp"].sum()


def record_into(r):
    q = np.zeros(3, READING)
    q[1] = r[0]
    return q["temp"].sum()


def unpacked(r):
    t, temp, ok = r[0]
    return temp + t


def records_unpacked(r):
    first, *_ = r
    return first["temp"] * 1.0


def by_attribute(r):
    return r.view(np.recarray).temp.sum()


WAYS = {
    "field": lambda r: r["temp"].sum(),
    "element": lambda r: r["temp"][0] * 3.0,
    "record": lambda r: r[0]["temp"] * 1.0,
    "record by number": lambda r: r[0][1] * 1.0,
    "mask": lambda r: r[r["ok"]]["temp"].sum(),
    "places": lambda r: r[[0, 0]]["temp"].sum(),
    "sorted places": lambda r: r[np.argsort(r["t"])]["temp"].sum(),
    "slice": lambda r: r[:1]["temp"].sum(),
    "loop": lambda r: sum(row["temp"] for row in r),
    "loop that unpacks": lambda r: sum(temp * 2.0 for t, temp, ok in r),
    "unpacked": unpacked,
    "records unpacked": records_unpacked,
    "list": lambda r: list(r)[0]["temp"] * 1.0,
    "tuple of a record": lambda r: tuple(r[0])[1] * 1.0,
    "tolist": lambda r: r.tolist()[0][1] * 1.0,
    "tolist of a record": lambda r: r[0].tolist()[1] * 1.0,
    "item": lambda r: r.item(0)[1] * 1.0,
    "item of a record": lambda r: r[0].item()[1] * 1.0,
    "sorted": lambda r: sorted(r, key=lambda row: row["temp"])[-1]["temp"] * 1.0,
    "reduce": lambda r: reduce(lambda s, row: s + row["temp"], r, 0.0),
    "map": lambda r: max(map(lambda row: row["temp"], r)) * 1.0,
    "zip": lambda r: sum(row["temp"] * w for row, w in zip(r, [1.0, 2.0, 3.0], strict=False)),
    "enumerate": lambda r: sum(k * row["temp"] + row["temp"] for k, row in enumerate(r)),
    "dict": lambda r: {row["t"]: row for row in r}.popitem()[1]["temp"] + r[0]["temp"],
    "copied into another": copied_into,
    "record into another": record_into,
    "copy": lambda r: r.copy()["temp"].sum(),
    "deepcopy": lambda r: copy.deepcopy(r)["temp"].sum(),
    "concatenate": lambda r: np.concatenate([r, r])["temp"].sum(),
    "take": lambda r: np.take(r, [0, 0])["temp"].sum(),
    "reshape": lambda r: r.reshape(-1, 1)[0]["temp"][0] * 1.0,
    "several fields": lambda r: r[["t", "temp"]][0][1] * 1.0,
    "attribute": by_attribute,
    "flat": lambda r: r.flat[0]["temp"] * 1.0,
    "where": lambda r: np.where(r["ok"], r["temp"], 0.0).sum(),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "fill", [put, put_by_rows, put_in_a_field, put_in_a_record_array, put_by_a_class]
)
def test_numbers_in_them_are_refused_or_right(fill, way):
    read = WAYS[way]

    def f(x):
        return read(fill(x))

    step = 1e-6
    right = (f(1.3 + step) - f(1.3 - step)) / (2 * step)
    for _ in range(4):
        try:
            (bar,) = astad.gradient(f, 1.3)
        except astad.errors.Unsupported:
            continue
        assert bar == pytest.approx(right, abs=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_as_data_they_are_read_in_every_way(way):
    read = WAYS[way]

    def f(x):
        table = np.array([(1.0, 2.0, True), (3.0, 4.0, False), (5.0, 6.0, True)], READING)
        return read(table) * x

    right = f(1.0)
    assert right != 0.0
    for x in (1.5, 2.5, 1.5, 0.5):
        assert astad.gradient(f, x) == (pytest.approx(right),)


def test_data_beside_numbers():
    table = np.rec.fromrecords([(1.0, 2.0), (3.0, 4.0)], names="a,b")

    def f(x):
        rest = sum(a * b * x for a, b in table)
        return (table.a * x).sum() + table[table.a > 2]["b"][0] * x + table[1].b * x + rest

    for x in (1.5, 2.5, 0.5):
        assert astad.gradient(f, x) == (pytest.approx(4.0 + 4.0 + 4.0 + 14.0),)
