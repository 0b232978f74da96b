"""What foreign iterators hand out is a constant where no number can have gone into them."""

from __future__ import annotations

import array
import csv
import io
import itertools
import sqlite3
import struct
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest

import astad
from astad.errors import Unsupported

OPENED = []


@pytest.fixture(scope="module", autouse=True)
def closed_in_the_end():
    yield
    for each in OPENED:
        each.close()


def connection():
    made = sqlite3.connect(":memory:")
    OPENED.append(made)
    made.execute("create table t(a real)")
    made.executemany("insert into t values (?)", [(1.5,), (2.5,)])
    return made


TABLE = connection()
TREE = ET.fromstring("<a><b v='2'/><b v='3.5'/></a>")
RECORDS = struct.pack("2d", 1.5, 2.5)


def rows(x):
    return sum(r[0] * x**2 for r in TABLE.execute("select a from t"))


def rows_by_a_parameter(x):
    return sum(a * x**2 for (a,) in TABLE.execute("select a from t where a > ?", (1.0,)))


class Store:
    def __init__(self):
        self.cursor = TABLE.cursor()

    def prices(self):
        self.cursor.execute("select a from t order by a")
        yield from (price for (price,) in self.cursor)


def rows_of_a_class(x):
    return sum(price * x**2 for price in Store().prices())


def rows_one_by_one(x):
    cursor, total = TABLE.cursor(), 0.0
    cursor.execute("select a from t")
    while (row := cursor.fetchone()) is not None:
        total = total + row[0] * x**2
    return total


def rows_at_once(x):
    own = connection()
    found = own.execute("select a from t").fetchall()
    own.close()
    return sum(a for (a,) in found) * x**2


def rows_by_next(x):
    cursor = TABLE.execute("select a from t")
    return (next(cursor)[0] + next(cursor)[0]) * x**2


def elements(x):
    return sum(float(e.get("v")) for e in TREE.iter("b")) * x**2 / 5.5 * 4


def quoted(x):
    reader = csv.reader(io.StringIO("1.5,2\n2.5,3"), quoting=csv.QUOTE_NONNUMERIC)
    return sum(row[0] for row in reader) * x**2


def unpacked(x):
    return sum(v * x**2 for (v,) in struct.iter_unpack("d", RECORDS))


def archived(x):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "1.5\n2.5\n")
    with zipfile.ZipFile(file) as archive, archive.open("a.txt") as lines:
        return sum(float(line) * x**2 for line in lines)


CONSTANT = [
    rows, rows_by_a_parameter, rows_of_a_class, rows_one_by_one, rows_at_once, rows_by_next,
    elements, quoted, unpacked, archived,
]  # fmt: skip


@pytest.mark.parametrize("f", CONSTANT)
def test_constants_that_are_handed_out(f):
    y, back = astad.pullback(f, 3.0)
    assert y == f(3.0) == pytest.approx(36.0)
    assert back(1.0) == pytest.approx((24.0,))


def inserted(x):
    own = connection()
    own.execute("insert into t values (?)", (x,))
    return sum(a * x for (a,) in own.execute("select 2 * a from t"))


def inserted_and_fetched(x):
    own = connection()
    own.executemany("insert into t values (?)", [(x,), (2.0,)])
    return own.execute("select sum(a) from t").fetchone()[0] * x


def selected(x):
    return sum(a * x for (a,) in TABLE.execute("select 2 * ?", (x,)))


STATE = {"rate": 1.0}


def by_a_row_factory(x):
    own = connection()
    own.row_factory = lambda cursor, row: row[0] * STATE["rate"]
    return by_state(x, own, "select a from t")


ASKING = connection()
ASKING.create_function("rated", 1, lambda v: v * STATE["rate"])


def by_a_function(x):
    return by_state(x, ASKING, "select rated(a) from t")


def by_state(x, own, query):
    STATE["rate"] = x
    try:
        found = own.execute(query)
        return sum(np.sum(row) * x for row in found)
    finally:
        STATE["rate"] = 1.0


def text_of_an_element(x):
    tree = ET.fromstring("<a><b/><b/></a>")
    for e in tree.iter("b"):
        e.text = x
    return sum(e.text * x for e in tree.iter("b"))


def attribute_in_the_loop(x):
    tree, total = ET.fromstring("<a><b/><b/></a>"), 0.0
    for e in tree.iter("b"):
        e.attrib["v"] = x
        total += e.get("v") * x
    return total


def memory_of_an_array(x):
    return sum(v * x for (v,) in struct.iter_unpack("d", array.array("d", [x, 2.0])))


def memory_of_numpy(x):
    return sum(v * x for (v,) in struct.iter_unpack("d", np.array([x, 2.0])))


HANDED = [
    inserted, inserted_and_fetched, selected, by_a_row_factory, by_a_function, text_of_an_element,
    attribute_in_the_loop, memory_of_an_array, memory_of_numpy,
]  # fmt: skip


@pytest.mark.parametrize("f", HANDED)
def test_numbers_that_went_in_are_refused(f):
    with pytest.raises(Unsupported):
        astad.gradient(f, 3.0)


def test_a_generator_begun_before_is_refused():
    kept = {"v": 1.0}
    begun = (kept["v"] for _ in itertools.count())
    next(begun)

    def f(x):
        kept["v"] = x
        return next(begun) * x

    with pytest.raises(Unsupported):
        astad.gradient(f, 3.0)
