"""What methods of the user's store that compiled code calls in passing: refused where it is read
again and counts.
"""

import array
import contextlib
import copyreg
import csv
import enum
import io
import json
import os
import pickle
import sqlite3
import types
from functools import partial

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

STORE = []


# --- pickling -------------------------------------------------------------------------------------


def reduced(x):
    class Point:
        def __init__(self, v):
            self.v = v

        def __reduce__(self):
            STORE.append(self.v * 3)
            return int, ()

    STORE.clear()
    pickle.dumps(Point(x))
    return STORE[-1] * x


def state_that_binds(x):
    class Point:
        def __init__(self, v):
            self.v = v

        def __getstate__(self):
            self.twice = self.v * 2
            return {}

    point = Point(x * x)
    with contextlib.suppress(AttributeError, pickle.PicklingError):  # a local class
        pickle.dumps(point)
    return point.twice


def by_copyreg(x):
    class Point:
        def __init__(self, v):
            self.v = v

    seen = []

    def reduce(point):
        seen.append(point.v)
        return int, ()

    copyreg.pickle(Point, reduce)
    try:
        pickle.dumps([Point(x * x)])
    finally:
        del copyreg.dispatch_table[Point]
    return seen[0] * x


def deep_in_containers(x):
    class Point:
        def __init__(self, v):
            self.v = v

        def __reduce__(self):
            self.square = self.v * self.v
            return int, ()

    point = Point(x)
    pickle.dumps({"a": [1, (2, types.SimpleNamespace(point=point))]})
    return point.square * x


def by_a_helper_of_a_helper(x):
    class Trace:
        def __init__(self):
            self.values = []

        def note(self, v):
            self.values.append(v)

    class Point:
        def __init__(self, v, trace):
            self.v, self.trace = v, trace

        def __reduce__(self):
            self.trace.note(self.v**2)
            return int, ()

    trace = Trace()
    pickle.dumps(Point(x, trace))
    return trace.values[0] * x


def into_a_pickler(x):
    class Point:
        def __reduce_ex__(self, protocol):
            STORE[:] = [x * x]
            return int, ()

    pickle.Pickler(io.BytesIO()).dump(Point())
    return STORE[0] * x


# --- files of the user's --------------------------------------------------------------------------


class Counting:
    """A file that adds up what it is told to."""

    def __init__(self, v):
        self.v, self.total = v, 0.0

    def write(self, data):
        self.total = self.total + self.v
        return len(data)

    def flush(self):
        pass


def pickled_into(x):
    file = Counting(x * x)
    pickle.dump([1, "a"], file)
    return file.total


def saved_into(x):
    file = Counting(x)
    np.save(file, np.ones(2))
    return file.total * x


def table_written_into(x):
    seen = []
    file = types.SimpleNamespace(write=lambda text: seen.append(x * x))
    np.savetxt(file, np.ones((3, 2)))
    return seen[1]


def rows_written_into(x):
    file = Counting(x)
    csv.writer(file).writerows([["a"], ["b"]])
    return file.total * x


def json_written_into(x):
    file = Counting(x)
    json.dump([1, 2], file)
    return file.total * x


def printed_by_redirection(x):
    seen = []
    file = types.SimpleNamespace(write=lambda text: seen.append(x * x), flush=lambda: None)
    with contextlib.redirect_stdout(file):
        print("a")
    return seen[0]


def printed_by_redirection_to_a_tee(x):
    class Tee(io.StringIO):
        def write(self, text):
            self.last = x * x
            return super().write(text)

    with contextlib.redirect_stdout(Tee()) as tee:
        print("a", 1)
    return tee.last * x


def opened(x):
    class Opening:
        def __call__(self, path, flags):
            self.value = x * x
            return os.open(path, flags)

    opening = Opening()
    with open(os.devnull, opener=opening):
        pass
    return opening.value * x


def opened_by_a_function(x):
    seen = []
    with open(os.devnull, opener=lambda path, flags: seen.append(x * x) or os.open(path, flags)):
        pass
    return seen[0]


# --- text -----------------------------------------------------------------------------------------


class Names(dict):
    last = 0.0

    def __init__(self, v):
        self.v = v

    def __missing__(self, key):
        self.last = self.last + self.v
        return key


class Fields:
    def __init__(self, v):
        self.v, self.seen = v, []

    @property
    def size(self):
        self.seen.append(self.v**2)
        return 2

    def __getitem__(self, key):
        self.seen.append(self.v**2)
        return 1

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        self.__dict__["seen"].append(self.v**2)
        return 3


def by_format_map(x):
    names = Names(x)
    "{a} {b}".format_map(names)
    return names.last * x


def by_percent(x):
    names = Names(x)
    _ = "%(a)s %(b)s" % names
    return names.last * x


def by_percent_of_fields(x):
    fields = Fields(x)
    _ = "%(a)s" % fields
    return fields.seen[0]


def by_a_property(x):
    fields = Fields(x)
    f"{'{f.size}'.format(f=fields)}"
    return fields.seen[0]


def by_an_item(x):
    fields = Fields(x)
    "{0[a]} {0[b]}".format(fields)
    return fields.seen[1]


def by_a_missing_attribute(x):
    fields = Fields(x)
    "{.other}".format(fields)
    return fields.seen[0]


def by_translate(x):
    names = Names(x)
    "ab".translate(names)
    return names.last * x


def nested_in_print(x):
    class Point:
        def __init__(self):
            self.seen = []

        def __repr__(self):
            self.seen.append(x * x)
            return "p"

    point = Point()
    str({"a": [(point,)]})
    return point.seen[0]


def as_an_attribute_of_what_is_compared(x):
    class Tag:
        def __eq__(self, other):
            STORE[:] = [x * x]
            return True

        __hash__ = None

    class Item:
        def __init__(self, tag):
            self.tag = tag

        def __eq__(self, other):
            return self.tag == other.tag

        __hash__ = None

    [Item(Tag())].index(Item(Tag()))
    return STORE[0] * x


def number_that_is_compared(x):
    class Meeting:
        def __eq__(self, other):
            STORE[:] = [other * 2]
            return False

        __hash__ = None

    _ = x * x in [Meeting()]
    return STORE[0] * x


# --- arrays as text -------------------------------------------------------------------------------


def by_a_formatter(x):
    seen = []
    np.array2string(np.array([x, x * x]), formatter={"float": lambda v: seen.append(v) or "v"})
    return seen[0] * seen[1] * x


def by_options(x):
    seen = []
    with np.printoptions(formatter={"float": lambda v: seen.append(v * x) or "v"}):
        str(np.array([1.5, 2.5]))
    return seen[0] * seen[1]


def by_options_set(x):
    seen, old = [], np.get_printoptions()
    np.set_printoptions(formatter={"float": lambda v: seen.append(v * x) or "v"})
    try:
        repr(np.array([1.5, 2.5]))
    finally:
        np.set_printoptions(**old)
    return seen[1] * x


def by_options_in_an_f_string(x):
    seen = []
    with np.printoptions(formatter={"float": lambda v: seen.append(v * x) or "v"}):
        f"{np.array([1.5])} {[np.array([2.5])]}"
    return seen[1] * x


def by_options_in_array_str(x):
    seen = []

    def show(v):
        seen.append(v + x)
        return "v"

    with np.printoptions(formatter={"float_kind": show}):
        np.array_str(np.array([1.5]))
    return seen[0] ** 2


# --- data bases -----------------------------------------------------------------------------------


def by_a_function_of_sql(x):
    seen = []
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.create_function("f", 1, lambda v: seen.append(v * x) or 1.0)
        base.execute("select f(2.0)").fetchall()
    return seen[0] * x


def by_an_aggregate(x):
    class Sum:
        def step(self, v):
            STORE.append(v * x)

        def finalize(self):
            return 1

    STORE.clear()
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.create_aggregate("total", 1, Sum)
        base.execute("select total(2.0)").fetchall()
    return STORE[0] * x


def by_an_adapter(x):
    class Point:
        def __conform__(self, protocol):
            self.value = x * x
            return 1.0

    point = Point()
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("select ?", (point,))
    return point.value * x


def by_a_registered_adapter(x):
    class Point:
        pass

    seen = []
    sqlite3.register_adapter(Point, lambda point: seen.append(x * x) or 1)
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("select ?", (Point(),))
    return seen[0] * x


def by_a_collation(x):
    seen = []

    def order(a, b):
        seen.append(x * x)
        return (a > b) - (a < b)

    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.create_collation("mine", order)
        base.execute("select 'a' < 'b' collate mine").fetchall()
    return seen[0] * x


# --- conversions ----------------------------------------------------------------------------------


class Converting:
    def __init__(self, v):
        self.v, self.seen = v, []

    def keep(self):
        self.seen.append(self.v * 2)

    def __fspath__(self):
        self.keep()
        return "p"

    def __bytes__(self):
        self.keep()
        return b"p"

    def __dir__(self):
        self.keep()
        return ["a"]

    def __index__(self):
        self.keep()
        return 2

    def __iter__(self):
        self.keep()
        return iter([1, 2])


CONVERSIONS = {
    "fspath": os.fspath, "bytes": bytes, "dir": dir, "hex": hex, "range": range,
    "bytearray": bytearray, "to_bytes": partial(int.to_bytes, 5), "ljust": partial(str.ljust, "a"),
    "array_pop": array.array("d", [1.0, 2.0, 3.0]).pop,
}  # fmt: skip


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
def test_conversions(convert):
    def f(x):
        o = Converting(x * x)
        try:
            convert(o)
        except TypeError:
            o.__index__()
        return o.seen[0]

    try:
        (bar,) = gradient(f, 3.0)
    except Unsupported as error:
        assert "has stored" in str(error)
    else:
        assert bar == pytest.approx(12.0)


# --- members of an Enum ---------------------------------------------------------------------------


def by_a_missing_member(x):
    seen = []

    class Level(enum.Enum):
        LOW = 1

        @classmethod
        def _missing_(cls, value):
            seen.append(x * x)
            return cls.LOW

    Level(5)
    return seen[0]


def by_a_missing_member_of_a_flag(x):
    class Level(enum.IntEnum):
        LOW = 1

        @classmethod
        def _missing_(cls, value):
            STORE[:] = [x * value]
            return cls.LOW

    Level(7.0)
    return STORE[0] * x


def by_automatic_values(x):
    seen = []

    class Level(enum.Enum):
        def _generate_next_value_(name, start, count, last):
            seen.append(count * x)
            return count

        LOW = enum.auto()
        HIGH = enum.auto()

    return seen[1] * x


def by_automatic_values_of_a_base(x):
    class Named(enum.Enum):
        @staticmethod
        def _generate_next_value_(name, start, count, last):
            STORE[:] = [x * x]
            return name

    class Level(Named):
        LOW = enum.auto()

    return STORE[0] * x


# --- what is stored by a call that raises ---------------------------------------------------------


def by_a_call_that_raises(x):
    class Failing:
        def __fspath__(self):
            STORE[:] = [x * x]
            raise ValueError

    try:
        os.fspath(Failing())
    except ValueError:
        return STORE[0] * x


def by_a_helper_that_raises(x):
    file = Counting(x)

    def save():
        pickle.dump(lambda: 1, file)

    file.write = lambda data: STORE.append(x * x)
    STORE.clear()
    try:
        save()
    except (AttributeError, pickle.PicklingError):
        STORE.append(1.0)
    return STORE[0] * x


STORED = [
    by_a_call_that_raises,
    reduced, state_that_binds, by_copyreg, deep_in_containers, by_a_helper_of_a_helper,
    into_a_pickler, pickled_into, saved_into, table_written_into, rows_written_into,
    json_written_into, printed_by_redirection, printed_by_redirection_to_a_tee, opened,
    opened_by_a_function, by_format_map, by_percent, by_percent_of_fields, by_a_property,
    by_an_item, by_a_missing_attribute, by_translate, nested_in_print,
    as_an_attribute_of_what_is_compared, number_that_is_compared, by_a_formatter, by_options,
    by_options_set, by_options_in_an_f_string, by_options_in_array_str, by_a_function_of_sql,
    by_an_aggregate, by_an_adapter, by_a_registered_adapter, by_a_collation, by_a_missing_member,
    by_a_missing_member_of_a_flag, by_automatic_values, by_automatic_values_of_a_base,
]  # fmt: skip


@pytest.mark.parametrize("f", STORED, ids=lambda f: f.__name__)
def test_what_they_store_is_refused(f):
    assert f(3.0) != 0.0
    with pytest.raises(Unsupported, match=r"^test_writing_code.py:\d+: .*has stored"):
        gradient(f, 3.0)


@pytest.mark.parametrize("f", STORED, ids=lambda f: f.__name__)
def test_what_they_store_and_nobody_reads(f):
    def beside(x):
        f(2.0)
        y = x * x
        f(y)
        return y

    assert gradient(beside, 3.0) == (6.0,)


# --- what goes on being right ---------------------------------------------------------------------


class Layer:
    """Its methods write, and none of them is called in passing."""

    def __init__(self, w):
        self.w, self.calls, self.last = w, 0, None

    def __call__(self, x):
        self.calls += 1
        self.last = self.w * x
        return self.last

    def __len__(self):
        return 3

    def __repr__(self):
        return f"Layer({self.calls})"

    def __fspath__(self):
        return os.devnull


def of_a_layer(x):
    layer = Layer(x)
    y = layer(2.0)
    assert isinstance(layer, Layer) and callable(layer) and id(layer)
    with open(layer) as file:
        file.read()
    name = f"{layer} {layer!r} {os.fspath(layer)} %s" % layer
    return y * layer.last * len(layer) * bool(name)


def of_counters(x):
    class Names(dict):
        asked = 0

        def __missing__(self, key):
            self.asked += 1
            return key

    names = Names()
    text = "{a}{b}".format_map(names)
    return x**2 * names.asked * len(text)


def of_a_pickled_state(x):
    class Point:
        def __init__(self, v):
            self.v, self.count = v, 0

        def __reduce__(self):
            self.count += 1
            return int, ()

    point = Point(x * x)
    pickle.dumps([point, point])
    return point.v * point.count


def of_an_enum(x):
    class Level(enum.Enum):
        LOW = 1

        @classmethod
        def _missing_(cls, value):
            STORE[:] = ["asked"]
            return cls.LOW

    return x**2 * Level(5).value * len(STORE)


def of_a_file_of_texts(x):
    class Lines:
        def __init__(self):
            self.lines = []

        def write(self, text):
            self.lines.append(text)

    file = Lines()
    csv.writer(file).writerow(["a"])
    np.savetxt(file, np.ones(2))
    with contextlib.redirect_stdout(file):
        print("done")
    return x**2 * len(file.lines)


@pytest.mark.parametrize(
    "f", [of_a_layer, of_counters, of_a_pickled_state, of_an_enum, of_a_file_of_texts],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_goes_on_being_right(f):
    check_gradient(f, 1.5)


# --- truth ----------------------------------------------------------------------------------------


class Truthful:
    def __init__(self, v, answer=True):
        self.v, self.answer, self.seen = v, answer, []

    def __bool__(self):
        self.seen.append(self.v * 2)
        return self.answer


class Long:
    def __init__(self, v):
        self.v, self.seen = v, []

    def __len__(self):
        self.seen.append(self.v**2)
        return 2


def by_all(x):
    o = Truthful(x * x)
    return all([o, 1, o]) * o.seen[0] * o.seen[1]


def by_any(x):
    last, o = Truthful(x), Truthful(x * x, answer=False)
    return any((o, o, True, last)) * o.seen[1] * (1 + len(last.seen))


def by_filter(x):
    o = Long(x)
    return len(list(filter(None, [o, o]))) * o.seen[1]


def by_all_of_a_dict(x):
    class Key(Truthful):
        def __hash__(self):
            return 1

    o = Key(x)
    return all({o: 0}) * o.seen[0] * x


def by_all_of_an_array(x):
    o = Truthful(x)
    return all(np.array([o, o], object)) * o.seen[1] * x


def by_all_of_a_map(x):
    seen = []

    def positive(v):
        seen.append(v * x)
        return v > 0

    return (all(map(positive, [1.0, -2.0, 3.0])) + len(seen)) * seen[1] * x


@pytest.mark.parametrize(
    "f", [by_all, by_any, by_filter, by_all_of_a_dict, by_all_of_an_array, by_all_of_a_map],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_truth_is_asked_step_by_step(f):
    assert f(1.5) != 0.0
    check_gradient(f, 1.5)
