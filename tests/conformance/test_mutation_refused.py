"""Writes that are not followed are refused, where a derivative would pass; else they go through."""

import array
import ctypes
import datetime
import queue
from fractions import Fraction

import numpy as np
import pytest

from astad import gradient
from astad.errors import AstadError
from tests.compiler.forms import only_generic
from tests.conformance.harness import conforms

TABLE = [("x", float), ("n", int)]


def field_of_a_structured_array(x):
    s = np.zeros(2, TABLE)
    s["x"] = x
    return s["x"][0] * x


def row_of_a_structured_array(x):
    s = np.zeros(2, TABLE)
    s[0] = (x, 2)
    return s[0]["x"] * x


def field_of_a_row(x):
    s = np.zeros(2, TABLE)
    row = s[0]
    row["x"] = x
    return row["x"] * x


def attribute_of_a_record(x):
    s = np.zeros(2, TABLE).view(np.recarray)
    row = s[0]
    row.x = x
    return row.x * x


def attribute_of_a_record_array(x):
    s = np.zeros(2, TABLE).view(np.recarray)
    s.x[0] = x
    return s.x[0] * x


def array_of_objects(x):
    o = np.empty(2, object)
    o[0] = Fraction(1, 2) * Fraction(x)
    return float(o[0]) * x


def array_of_ctypes(x):
    w = (ctypes.c_double * 2)()
    w[0] = x
    return w[0] * x


def queue_of_c(x):
    q = queue.SimpleQueue()
    q.put(x)
    return q.get() * x


def duration(x):
    return datetime.timedelta(seconds=x).total_seconds() * x


def views_of_nditer(x):
    a = np.array([x, 2.0])
    with np.nditer(a, op_flags=["readwrite"]) as views:
        for v in views:
            v[...] = 2 * v
    return np.sum(a)


def slice_of_a_memoryview(x):
    a = np.array([x, 2.0, 3.0])
    memoryview(a)[:2] = a[1:].copy()
    return np.sum(a * a)


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize(
    "program",
    [
        field_of_a_structured_array,
        row_of_a_structured_array,
        field_of_a_row,
        attribute_of_a_record,
        attribute_of_a_record_array,
        array_of_objects,
        array_of_ctypes,
        queue_of_c,
        duration,
        views_of_nditer,
        slice_of_a_memoryview,
    ],
)
def test_refused(program, generic):
    with pytest.raises(AstadError) as refusal:
        if generic:
            with only_generic():
                gradient(program, 1.5)
        else:
            gradient(program, 1.5)
    error = refusal.value
    assert all((error.where, error.what, error.why, error.instead))


def constants_in_a_typed_array(x):
    w = array.array("d", [1.0, 2.0])
    w[0] = 3.0
    w.append(4.0)
    return sum(v * x for v in w) + w[0] * x + w[-1] * x * x


def constants_in_a_table(x):
    s = np.zeros(2, TABLE)
    s["n"] = 3
    s["n"][0] += 4
    return x * int(s["n"][0]) + x**2 * len(s)


def constants_as_durations(x):
    day = datetime.timedelta(days=2)
    return x * day.total_seconds() / 3600 + x**day.days


def objects_in_an_array(x):
    names = np.array(["a", None], object)
    names[1] = "bc"
    return x ** len(names[1])


@pytest.mark.parametrize(
    "program",
    [constants_in_a_typed_array, constants_in_a_table, constants_as_durations, objects_in_an_array],
)
def test_constants_pass(program):
    conforms(program, 1.5)
    with only_generic():
        conforms(program, 1.5)
