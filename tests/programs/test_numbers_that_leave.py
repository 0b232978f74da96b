"""Numbers that leave a differentiated function and come back: by files, buffers, other processes.

Each program hands its number on in a way on which no derivative goes, and is refused.
"""

import abc
import argparse
import array
import ast
import base64
import binascii
import codecs
import collections
import configparser
import contextlib
import copy
import csv
import ctypes
import dataclasses
import datetime
import dbm.dumb
import difflib
import enum
import functools
import gc
import gzip
import heapq
import html
import io
import itertools
import json
import logging
import logging.handlers
import math
import mmap
import multiprocessing
import multiprocessing.heap
import numbers
import operator
import os
import pathlib
import pickle
import pprint
import queue
import quopri
import re
import reprlib
import select
import shlex
import socket
import sqlite3
import string
import struct
import subprocess
import sys
import tempfile
import textwrap
import tokenize
import traceback
import types
import unicodedata
import urllib.parse
import uuid
import warnings
import weakref
import xml.etree.ElementTree as ET
import zipfile
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from tests.compiler.forms import only_generic


def p_csv(x):
    f = io.StringIO()
    w = csv.writer(f)
    w.writerow([x, 2.0])
    f.seek(0)
    return sum(float(v) for row in csv.reader(f) for v in row) * x


def p_csv_next(x):
    f = io.StringIO()
    w = csv.writer(f)
    w.writerow([x, 2.0])
    f.seek(0)
    row = next(csv.reader(f))
    return float(row[0]) * x


def p_csv_dict(x):
    f = io.StringIO()
    w = csv.DictWriter(f, ["a", "b"])
    w.writeheader()
    w.writerow({"a": x, "b": 3.0})
    f.seek(0)
    return sum(float(r["a"]) * float(r["b"]) for r in csv.DictReader(f))


def p_csv_rows(x):
    f = io.StringIO()
    csv.writer(f).writerows([[x], [2 * x]])
    return sum(float(r[0]) for r in csv.reader(f.getvalue().splitlines()))


def p_struct_into(x):
    b = bytearray(16)
    struct.pack_into("dd", b, 0, x, 2.0)
    return struct.unpack_from("dd", b)[0] * x


def p_bytearray_edit(x):
    b = bytearray(8)
    b[:] = struct.pack("d", x)
    return struct.unpack("d", b)[0] * x


def p_bytearray_extend(x):
    b = bytearray()
    b.extend(struct.pack("d", x))
    b += struct.pack("d", 2.0)
    return struct.unpack("dd", b)[0] * x


def p_bytearray_bytewise(x):
    b = bytearray()
    for c in struct.pack("d", x):
        b.append(c)
    return struct.unpack("d", bytes(b))[0] * x


def p_memoryview(x):
    b = bytearray(8)
    m = memoryview(b)
    m[:] = struct.pack("d", x)
    return struct.unpack("d", b)[0] * x


def p_memoryview_cast(x):
    b = bytearray(16)
    m = memoryview(b).cast("d")
    m[0] = x
    m[1] = 2.0
    return m[0] * m[1]


def p_array_bytes(x):
    a = array.array("d", [x, 1.0])
    b = array.array("d")
    b.frombytes(a.tobytes())
    return b[0] * x


def p_decimal_tuple(x):
    d = Decimal(x)
    t = d.as_tuple()
    return float(Decimal(t)) * x


def p_decimal_tuple2(x):
    s, digits, e = Decimal(repr(x)).as_tuple()
    v = 0
    for k in digits:
        v = v * 10 + k
    return v * 10.0**e * x


class Fm:
    def __init__(self, x):
        self.x = x

    def __format__(self, s):
        return format(self.x, s)

    def __str__(self):
        return str(self.x)

    def __repr__(self):
        return repr(self.x)


def p_user_format2(x):
    return float(format(Fm(x), "")) * x


def p_user_repr(x):
    return float(repr(Fm(x))) * x


def p_stringio_lines(x):
    f = io.StringIO()
    f.write(f"{x}\n{2 * x}\n")
    f.seek(0)
    return sum(float(l) for l in f)


def p_redirect(x):
    import contextlib

    f = io.StringIO()
    with contextlib.redirect_stdout(f):
        print(x)
    return float(f.getvalue()) * x


def p_tofile(x):
    with tempfile.NamedTemporaryFile() as t:
        np.array([x, 2.0]).tofile(t.name)
        return np.fromfile(t.name)[0] * x


def p_pathlib(x):
    import pathlib

    with tempfile.TemporaryDirectory() as d:
        p = pathlib.Path(d) / "a.txt"
        p.write_text(repr(x))
        return float(p.read_text()) * x


def p_subprocess(x):
    return float(subprocess.run(["echo", repr(x)], capture_output=True, text=True).stdout) * x


def p_subprocess_in(x):
    return float(subprocess.check_output(["cat"], input=repr(x), text=True)) * x


def p_env(x):
    os.environ["FOREIGN_X"] = repr(x)
    return float(os.environ["FOREIGN_X"]) * x


def p_getenv(x):
    os.environ["FOREIGN_X"] = repr(x)
    return float(os.getenv("FOREIGN_X")) * x


def p_chars_rebuild(x):
    s = "".join([c for c in repr(x)])
    return float(s) * x


def p_chars_loop(x):
    s = ""
    for c in repr(x):
        s += c
    return float(s) * x


def p_configparser(x):
    import configparser

    c = configparser.ConfigParser()
    c.read_string(f"[a]\nv = {x!r}\n")
    return c.getfloat("a", "v") * x


def p_np_char(x):
    return float(np.char.add("", repr(x))) * x


def p_np_str(x):
    return float(np.str_(x)) * x


def p_class_text(x):
    class T(str):
        pass

    return float(T(x)) * x


def p_strsub(x):
    class T(str):
        def num(self):
            return float(self)

    return T(repr(x)).num() * x


def p_dc_repr(x):
    import dataclasses

    @dataclasses.dataclass
    class P:
        a: float

    s = repr(P(x))
    return float(s[s.index("a=") + 2 : -1]) * x


def p_nt_repr(x):
    import collections

    P = collections.namedtuple("P", "a")
    s = repr(P(x))
    return float(s[s.index("a=") + 2 : -1]) * x


def p_exc_text(x):
    try:
        raise ValueError(x)
    except ValueError as e:
        return float(str(e)) * x


def p_ctypes_set(x):
    import ctypes

    c = ctypes.c_double()
    c.value = x
    return c.value * x


def p_mmap(x):
    import mmap

    m = mmap.mmap(-1, 8)
    m[:] = struct.pack("d", x)
    return struct.unpack("d", m[:])[0] * x


def p_iter_str(x):
    return float("".join(iter(repr(x)))) * x


def p_reversed_str(x):
    return float("".join(reversed("".join(reversed(repr(x)))))) * x


def p_list_str(x):
    return float("".join(list(repr(x)))) * x


class Report:
    def __init__(self):
        self.rows = []

    def add(self, **fields):
        self.rows.append("\t".join(f"{k}={v}" for k, v in fields.items()))

    def column(self, name):
        out = []
        for row in self.rows:
            d = dict(part.split("=") for part in row.split("\t"))
            out.append(float(d[name]))
        return out


def p_report(x):
    r = Report()
    for k in range(3):
        r.add(step=k, value=x * (k + 1))
    return sum(r.column("value"))


class Channel:
    """A message queue of bytes, as between processes."""

    def __init__(self):
        self.q = queue.Queue()

    def send(self, kind, *values):
        self.q.put(struct.pack(f">B{len(values)}d", kind, *values))

    def receive(self):
        data = self.q.get()
        n = (len(data) - 1) // 8
        return struct.unpack(f">B{n}d", data)[1:]


def p_channel(x):
    c = Channel()
    c.send(1, x, x * x)
    a, b = c.receive()
    return a * b


def p_deque_channel(x):
    q = collections.deque()
    q.append(str(x).encode())
    q.append(b"2.5")
    total = 1.0
    while q:
        total *= float(q.popleft())
    return total


def p_pipe(x):
    r, w = os.pipe()
    os.write(w, repr(x).encode())
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    return float(text) ** 2


def p_socketpair(x):
    a, b = socket.socketpair()
    with a, b:
        a.sendall(struct.pack("!d", x))
        data = b.recv(8)
    return struct.unpack("!d", data)[0] * 3.0


def p_socket_makefile(x):
    a, b = socket.socketpair()
    with a, b, a.makefile("w") as f, b.makefile() as g:
        f.write(f"{x!r}\n")
        f.flush()
        line = g.readline()
    return float(line) * x


def p_tempfile_lines(x):
    with tempfile.TemporaryFile("w+") as f:
        for k in range(1, 4):
            print(x * k, file=f)
        f.seek(0)
        return sum(float(line) for line in f)


def p_tempfile_binary(x):
    with tempfile.TemporaryFile() as f:
        array.array("d", [x, 2 * x]).tofile(f)
        f.seek(0)
        a = array.array("d")
        a.fromfile(f, 2)
    return a[0] * a[1]


def p_np_tofile_fromfile(x):
    with tempfile.TemporaryFile() as f:
        np.array([x, 3.0]).tofile(f)
        f.seek(0)
        return np.prod(np.fromfile(f))


def p_readlines_map(x):
    f = io.StringIO()
    f.writelines(f"{x * k}\n" for k in (1, 2))
    f.seek(0)
    return math.fsum(map(float, f.readlines()))


def p_json_lines(x):
    out = io.StringIO()
    for k in (1, 2, 3):
        json.dump({"k": k, "v": x**k}, out)
        out.write("\n")
    return sum(json.loads(line)["v"] for line in out.getvalue().splitlines())


class Settings(dict):
    @classmethod
    def load(cls, text):
        return cls(json.loads(text))

    def dump(self):
        return json.dumps(self)


def p_settings(x):
    s = Settings(rate=x, name="a")
    t = Settings.load(s.dump())
    return t["rate"] ** 3


@dataclasses.dataclass
class Point:
    x: float
    y: float = 2.0

    def to_json(self):
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, s):
        return cls(**json.loads(s))


def p_dataclass_json(x):
    p = Point.from_json(Point(x).to_json())
    return p.x * p.y


def p_decoder_class(x):
    class D(json.JSONDecoder):
        def decode(self, s):
            return {k: v for k, v in super().decode(s).items()}

    return json.loads(json.dumps({"a": x}), cls=D)["a"] * x


def p_raw_decode(x):
    v, end = json.JSONDecoder().raw_decode(f"{x!r} tail")
    return v * x


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __str__(self):
        return ";".join(",".join(map(repr, r)) for r in self.rows)

    @classmethod
    def parse(cls, text):
        return cls([[float(v) for v in r.split(",")] for r in text.split(";")])


def p_matrix_text(x):
    m = Matrix.parse(str(Matrix([[x, 1.0], [2.0, x]])))
    return m.rows[0][0] * m.rows[1][1] - 2.0


def p_np_matrix_string(x):
    m = np.array([[float(v) for v in row.split()] for row in f"{x!r} 1; 2 {x!r}".split(";")])
    return m[0, 0] * m[1, 1]


def p_hand_parser(x):
    text = str(x)
    value, scale, dot = 0, 1, False
    for ch in text:
        if ch == ".":
            dot = True
            continue
        value = value * 10 + (ord(ch) - 48)
        if dot:
            scale *= 10
    return value / scale * x


def p_digit_map(x):
    digits = [int(c) for c in repr(x) if c.isdigit()]
    return sum(d * 10.0**-k for k, d in enumerate(digits)) * x


def p_mantissa_text(x):
    m, e = f"{x:.16e}".split("e")
    return float(m) * 10 ** int(e) * x


def p_intpart_text(x):
    whole, frac = repr(x).split(".")
    return (int(whole) + int(frac) / 10 ** len(frac)) * x


def p_hex_manual(x):
    raw = struct.pack("<d", x).hex()
    return struct.unpack("<d", bytes.fromhex(raw))[0] * x


def p_hexlify(x):
    return struct.unpack("d", binascii.unhexlify(binascii.hexlify(struct.pack("d", x))))[0] * x


def p_bits(x):
    (bits,) = struct.unpack("<Q", struct.pack("<d", x))
    y = bits ^ 0
    return struct.unpack("<d", struct.pack("<Q", y))[0] * x


def p_np_view_bits(x):
    b = np.frombuffer(np.float64(x).tobytes(), dtype=np.uint8)
    return b.tobytes() and np.frombuffer(b.tobytes(), float)[0] * x


def p_reverse_bytes(x):
    data = bytearray(struct.pack(">d", x))
    data.reverse()
    return struct.unpack("<d", bytes(data))[0] * x


def p_bytes_join(x):
    return struct.unpack("2d", b"".join([struct.pack("d", v) for v in (x, 2.0)]))[0] * x


def p_memoryview_slices(x):
    buf = bytearray(24)
    view = memoryview(buf)
    for k in range(3):
        view[8 * k : 8 * k + 8] = struct.pack("d", x + k)
    return sum(struct.unpack("3d", buf))


def p_memoryview_cast_sum(x):
    a = np.array([x, 2 * x])
    return sum(memoryview(a.tobytes()).cast("d"))


def p_mmap_struct(x):
    with mmap.mmap(-1, 64) as m:
        m.write(struct.pack("d", x))
        m.seek(0)
        return struct.unpack("d", m.read(8))[0] ** 2


def p_mmap_into(x):
    with mmap.mmap(-1, 64) as m:
        struct.pack_into("d", m, 8, x)
        return struct.unpack_from("d", m, 8)[0] ** 2


def p_np_buffer_view(x):
    buf = bytearray(16)
    a = np.frombuffer(buf)
    a[0] = x
    a[1] = 2.0
    return struct.unpack("2d", buf)[0] * x


def p_np_getbuffer(x):
    buf = bytearray(8)
    struct.pack_into("d", buf, 0, x)
    return np.frombuffer(buf)[0] * x


def p_ctypes_struct(x):
    class S(ctypes.Structure):
        _fields_ = [("a", ctypes.c_double), ("b", ctypes.c_int)]

    s = S()
    s.a = x
    s.b = 2
    return s.a * s.b


def p_ctypes_struct_bytes(x):
    class S(ctypes.Structure):
        _fields_ = [("a", ctypes.c_double)]

    s = S(x)
    t = S.from_buffer_copy(bytes(s))
    return t.a * x


def p_ctypes_pointer(x):
    c = ctypes.c_double(0.0)
    p = ctypes.pointer(c)
    p.contents.value = x
    return c.value * x


def p_ctypes_float(x):
    return ctypes.c_float(x).value * x


def p_struct_float(x):
    return struct.unpack("f", struct.pack("f", x))[0] * x


def p_struct_half_array(x):
    a = array.array("f", [x, 1.0])
    return struct.unpack("2f", a.tobytes())[0] * x


def p_environ_update(x):
    os.environ.update(T_X=str(x))
    v = os.environ.get("T_X")
    return float(v) * x


def p_environ_copy(x):
    os.environ["T_Y"] = f"{x}"
    env = dict(os.environ)
    return float(env["T_Y"]) * x


def p_expandvars(x):
    os.environ["T_Z"] = repr(x)
    return float(os.path.expandvars("$T_Z")) * x


def p_symlink(x):
    with tempfile.TemporaryDirectory() as d:
        p = os.path.join(d, repr(x))
        open(p, "w").close()
        (name,) = os.listdir(d)
        return float(name) * x


def p_path_name(x):
    return float(pathlib.PurePosixPath("/a").joinpath(repr(x)).name) * x


def p_zipfile(x):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w") as z:
        z.writestr("a", repr(x))
    with zipfile.ZipFile(b) as z:
        return float(z.read("a")) * x


def p_gzip(x):
    return float(gzip.decompress(gzip.compress(str(x).encode()))) * x


def p_urlencode(x):
    q = urllib.parse.urlencode({"a": x})
    return float(urllib.parse.parse_qs(q)["a"][0]) * x


def p_html(x):
    return float(html.unescape(html.escape(str(x)))) * x


def p_argparse_ns(x):
    p = argparse.ArgumentParser()
    p.add_argument("v", type=float, nargs="+")
    return sum(p.parse_args([str(x), "2"]).v)


def p_ini(x):
    c = configparser.ConfigParser()
    c["a"] = {"rate": repr(x)}
    f = io.StringIO()
    c.write(f)
    d = configparser.ConfigParser()
    d.read_string(f.getvalue())
    return d["a"].getfloat("rate") * x


def p_csv_dictreader_sum(x):
    f = io.StringIO()
    w = csv.DictWriter(f, ("t", "v"))
    w.writeheader()
    for k in range(3):
        w.writerow(dict(t=k, v=x * k))
    f.seek(0)
    return sum(float(r["v"]) * int(r["t"]) for r in csv.DictReader(f))


def p_csv_generator_rows(x):
    f = io.StringIO()
    csv.writer(f).writerows([x * k, k] for k in (1, 2))
    f.seek(0)
    return sum(float(a) for a, b in csv.reader(f))


def p_csv_lines(x):
    lines = [",".join(map(str, (x, k))) for k in range(2)]
    return sum(float(r[0]) for r in csv.reader(iter(lines)))


def p_sqlite_text(x):
    with contextlib.closing(sqlite3.connect(":memory:")) as con:
        cur = con.cursor()
        cur.execute("create table t(v text)")
        cur.execute("insert into t values(?)", (repr(x),))
        found = cur.execute("select v from t").fetchone()
    return float(found[0]) * x


def p_sqlite_row(x):
    with contextlib.closing(sqlite3.connect(":memory:")) as con:
        con.row_factory = sqlite3.Row
        return con.execute("select ? as v", (x,)).fetchone()["v"] * x


def p_subprocess_python(x):
    out = subprocess.run(
        [sys.executable, "-c", f"print({x!r})"], capture_output=True, text=True
    ).stdout
    return float(out.strip()) * x


def p_warning_text(x):
    with warnings.catch_warnings(record=True) as got:
        warnings.simplefilter("always")
        warnings.warn(f"{x!r}")
    return float(str(got[0].message)) * x


def p_exception_message(x):
    try:
        raise RuntimeError(f"value {x!r}")
    except RuntimeError as e:
        return float(str(e).split()[1]) * x


def p_exception_args_text(x):
    try:
        raise KeyError(x)
    except KeyError as e:
        return float(str(e)) * x


def p_redirect_report(x):
    buf = io.StringIO()
    with contextlib.redirect_stdout(buf):
        for k in range(2):
            print("row", k, x * (k + 1))
    return sum(float(line.split()[-1]) for line in buf.getvalue().splitlines())


def p_print_sep(x):
    buf = io.StringIO()
    print(x, 2 * x, sep=",", end="", file=buf)
    a, b = buf.getvalue().split(",")
    return float(a) * float(b)


class Tee:
    def __init__(self):
        self.parts = []

    def write(self, s):
        self.parts.append(s)

    def flush(self):
        pass


def p_user_file(x):
    t = Tee()
    print(x, file=t)
    return float("".join(t.parts)) * x


def p_user_file_redirect(x):
    t = Tee()
    with contextlib.redirect_stdout(t):
        print(x)
    return float(t.parts[0]) * x


class Temperature:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"{self.v * 1.8 + 32:.15g}"


def p_derived_str(x):
    return float(str(Temperature(x)))


def p_derived_print(x):
    f = io.StringIO()
    print(Temperature(x), file=f)
    return float(f.getvalue())


def p_derived_join(x):
    return float("".join(["", str(Temperature(x))]))


def p_derived_list_repr(x):
    class R(Temperature):
        __repr__ = Temperature.__str__

    return float(str([R(x)])[1:-1])


class Slot:
    __slots__ = ("v", "__weakref__")

    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return format(self.v, spec or ".17g")


def p_slot_format(x):
    return float(f"{Slot(x)}") * x


def p_slot_format_spec(x):
    return float(f"{Slot(x):.16e}") * x


def p_format_map(x):
    return float("{a}".format_map({"a": x})) * x


def p_format_attr(x):
    return float("{0.v}".format(Slot(x))) * x


def p_format_index(x):
    return float("{0[1]}".format([1, x])) * x


def p_percent_dict(x):
    return float("%(a)r" % {"a": x}) * x


def p_percent_f(x):
    return float("%.14f" % x) * x


def p_np_format_float(x):
    return float(np.format_float_positional(x)) * x


def p_np_repr_scalar(x):
    return float(repr(np.float32(x)).strip("np.float32()")) * x


def p_np_savetxt_list(x):
    f = io.StringIO()
    np.savetxt(f, [[x, 1.0]], delimiter=",")
    return float(f.getvalue().split(",")[0]) * x


def p_np_str_array(x):
    return float(np.array([x]).astype("U32")[0]) * x


def p_np_char_join(x):
    return float(np.char.strip(np.array([f" {x!r} "]))[0]) * x


def p_np_void(x):
    a = np.zeros(1, dtype=[("a", float)])
    b = np.frombuffer(np.array([x]).tobytes(), dtype=a.dtype)
    return b["a"][0] * x


def p_decimal_str(x):
    return float(Decimal(str(Decimal(x)))) * x


def p_decimal_digits(x):
    return (
        float(functools.reduce(lambda a, d: 10 * a + d, Decimal(repr(x)).as_tuple().digits))
        / 10
        * x
    )


def p_decimal_named(x):
    t = Decimal(repr(x)).as_tuple()
    return float(Decimal((t.sign, t.digits, t.exponent))) * x


def p_fraction_text(x):
    return float(Fraction(str(Fraction(x)))) * x


def p_datetime_iso(x):
    d = datetime.timedelta(days=x)
    return float(str(d.total_seconds())) / 86400 * x


def p_timestamp_iso(x):
    d = datetime.datetime.fromtimestamp(1e9 + x, datetime.timezone.utc)
    return datetime.datetime.fromisoformat(d.isoformat()).timestamp() - 1e9


def p_enum_value(x):
    E = enum.Enum("E", {"A": str(x)})
    return float(E.A.value) * x


def p_namedtuple_replace(x):
    P = collections.namedtuple("P", "a b")
    p = P(str(x), 1)
    return float(p._replace(b=2).a) * x


def p_simplenamespace(x):
    n = types.SimpleNamespace(v=x)
    return float(re.search(r"v=([^)]*)", repr(n)).group(1)) * x


def p_lru_text(x):
    @functools.lru_cache(None)
    def parse(t):
        return float(t)

    return parse(str(x)) * x


def p_partial_text(x):
    return functools.partial(float, str(x))() * x


def p_map_int_digits(x):
    return sum(map(int, str(x).replace(".", ""))) * 0 + float(str(x)) * x


def p_attrgetter(x):
    o = types.SimpleNamespace(t=str(x))
    return float(operator.attrgetter("t")(o)) * x


def p_weak_text(x):
    s = Slot(str(x))
    r = weakref.ref(s)
    return float(r().v) * x


def p_sorted_texts(x):
    return float(sorted([str(x), "zz"], key=len)[-1]) * x


def p_template_class(x):
    class T(string.Template):
        delimiter = "#"

    return float(T("#v").substitute(v=x)) * x


def p_formatter_class(x):
    class F(string.Formatter):
        def format_field(self, value, spec):
            return repr(value)

    return float(F().format("{0}", x)) * x


def p_textiowrapper(x):
    b = io.BytesIO()
    t = io.TextIOWrapper(b, write_through=True)
    t.write(repr(x))
    return float(b.getvalue()) * x


def p_bufferedrw(x):
    b = io.BytesIO()
    w = io.BufferedWriter(b)
    w.write(struct.pack("d", x))
    w.flush()
    return struct.unpack("d", b.getvalue())[0] * x


def p_readinto(x):
    b = io.BytesIO(struct.pack("d", x))
    a = bytearray(8)
    b.readinto(a)
    return struct.unpack("d", a)[0] * x


def p_readinto_array(x):
    b = io.BytesIO(struct.pack("d", x))
    a = np.zeros(1)
    b.readinto(a)
    return a[0] * x


def p_getbuffer(x):
    b = io.BytesIO(bytes(8))
    struct.pack_into("d", b.getbuffer(), 0, x)
    return struct.unpack("d", b.getvalue())[0] * x


def p_log_formatter(x):
    f = io.StringIO()
    h = logging.StreamHandler(f)
    h.setFormatter(logging.Formatter("%(name)s %(message)s"))
    lg = logging.Logger("q")
    lg.addHandler(h)
    lg.warning("%r", x)
    return float(f.getvalue().split()[1]) * x


def p_log_memory(x):
    class H(logging.Handler):
        def __init__(self):
            super().__init__()
            self.lines = []

        def emit(self, r):
            self.lines.append(r.getMessage())

    h = H()
    lg = logging.Logger("q")
    lg.addHandler(h)
    lg.warning("%r", x)
    return float(h.lines[0]) * x


def p_copyreg_object(x):
    o = types.SimpleNamespace(v=[x])
    return pickle.loads(pickle.dumps(o)).v[0] * x


def p_pickle_protocol0(x):
    return float(pickle.loads(pickle.dumps([x], 0))[0]) * x


def p_pickle_file_path(x):
    with tempfile.TemporaryDirectory() as d:
        p = pathlib.Path(d, "a")
        p.write_bytes(pickle.dumps({"v": x}))
        return pickle.loads(p.read_bytes())["v"] * x


def p_negated(x):
    return -float("-" + repr(x)) * x


def p_scaled(x):
    return float(repr(x) + "e2") / 100 * x


def p_uuid(x):
    return (
        uuid.UUID(bytes=struct.pack("2d", x, 1.0)).bytes
        and struct.unpack("2d", uuid.UUID(bytes=struct.pack("2d", x, 1.0)).bytes)[0] * x
    )


def p_codecs(x):
    return float(codecs.decode(codecs.encode(repr(x), "rot13"), "rot13")) * x


def p_quopri(x):
    return float(quopri.decodestring(quopri.encodestring(repr(x).encode()))) * x


def p_b85(x):
    return struct.unpack("d", base64.b85decode(base64.b85encode(struct.pack("d", x))))[0] * x


def p_dbm(x):
    with tempfile.TemporaryDirectory() as d:
        with dbm.dumb.open(os.path.join(d, "a"), "c") as db:
            db["k"] = repr(x)
        with dbm.dumb.open(os.path.join(d, "a"), "r") as db:
            return float(db["k"]) * x


def p_value(x):
    v = multiprocessing.RawValue("d", 0.0)
    v.value = x
    return v.value * x


def p_rawarray(x):
    v = multiprocessing.RawArray("d", 2)
    v[0] = x
    v[1] = 2.0
    return v[0] * v[1]


def p_simplequeue(x):
    q = multiprocessing.SimpleQueue()
    q.put(x)
    return q.get() * x


def p_pipe_too(x):
    a, b = multiprocessing.Pipe()
    a.send({"v": x})
    return b.recv()["v"] * x


def p_pipe_bytes(x):
    a, b = multiprocessing.Pipe()
    a.send_bytes(struct.pack("d", x))
    return struct.unpack("d", b.recv_bytes())[0] * x


def p_np_save(x):
    with tempfile.TemporaryDirectory() as d:
        p = os.path.join(d, "a.npz")
        np.savez(p, w=np.array([x, 2.0]))
        with np.load(p) as z:
            return z["w"][0] * x


def p_np_tolist_json(x):
    return np.array(json.loads(json.dumps(np.array([x, 2.0]).tolist())))[0] * x


def p_np_genfromtxt(x):
    return float(np.genfromtxt(io.StringIO(f"a,b\n{x!r},2"), delimiter=",", names=True)["a"]) * x


def p_np_fromregex(x):
    return np.fromregex(io.StringIO(f"v={x!r}"), r"v=([\d.]+)", [("v", float)])["v"][0] * x


def p_np_float_item(x):
    return np.float64(f"{x!r}").item() * x


def p_np_array_str_list(x):
    return np.asarray([f"{x!r}", "2"], dtype=float).prod() * x


def p_np_bytes(x):
    return np.frombuffer(bytes(np.array([x])), dtype=float)[0] * x


def p_np_view_bytes(x):
    return (
        np.array([x]).view("S8").tobytes()
        and np.frombuffer(np.array([x]).view("S8").tobytes())[0] * x
    )


def p_np_datasource(x):
    return np.fromstring(np.array2string(np.array([x, 1.0]), precision=17)[1:-1], sep=" ")[0] * x


def p_np_put_text(x):
    a = np.empty(1, "U30")
    a[0] = repr(x)
    return float(a[0]) * x


def p_np_str_vectorize(x):
    return np.vectorize(float)(np.array([repr(x)]))[0] * x


def p_tokenize(x):
    toks = list(tokenize.generate_tokens(io.StringIO(repr(x)).readline))
    return float(toks[0].string) * x


def p_ast_const(x):
    return ast.parse(repr(x), mode="eval").body.value * x


def p_difflib(x):
    return float(difflib.ndiff([repr(x)], [repr(x)]).__next__()[2:]) * x


def p_traceback(x):
    try:
        raise ValueError(repr(x))
    except ValueError:
        return float(traceback.format_exc().strip().split(": ")[-1]) * x


def p_etree_text(x):
    root = ET.Element("r")
    ET.SubElement(root, "v").text = str(x)
    return float(ET.fromstring(ET.tostring(root)).find("v").text) * x


def p_shlex_quote(x):
    return float(shlex.split(shlex.quote(repr(x)))[0]) * x


def p_textwrap_fill(x):
    return float(textwrap.fill(repr(x), 40)) * x


def p_reprlib(x):
    return float(reprlib.repr(x)) * x


def p_pprint_stream(x):
    s = io.StringIO()
    pprint.pprint([x], stream=s)
    return ast.literal_eval(s.getvalue())[0] * x


def p_unicode_digit(x):
    return sum(unicodedata.digit(c) for c in repr(x) if c.isdigit()) * 0.0 + float(repr(x)) * x


def p_str_methods(x):
    return float(repr(x).zfill(20).lstrip("0").ljust(30).rstrip()) * x


def p_splitlines(x):
    return math.prod(float(t) for t in f"{x}\n{2.0}".splitlines())


def p_sqlite_agg(x):
    with contextlib.closing(sqlite3.connect(":memory:")) as c:
        c.execute("create table t(v)")
        c.executemany("insert into t values(?)", [(x,), (x,)])
        return c.execute("select v from t limit 1").fetchall()[0][0] * x


def p_sqlite_text_lines(x):
    with contextlib.closing(sqlite3.connect(":memory:")) as c:
        c.execute("create table t(v text)")
        c.executemany("insert into t values(?)", [(repr(x),), ("2",)])
        return math.prod(float(v) for (v,) in c.execute("select v from t"))


def p_select_pipe(x):
    r, w = os.pipe()
    os.write(w, struct.pack("d", x))
    select.select([r], [], [])
    data = os.read(r, 8)
    os.close(r)
    os.close(w)
    return struct.unpack("d", data)[0] * x


def p_popen_communicate(x):
    p = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    out, _ = p.communicate(repr(x))
    return float(out) * x


def p_os_write_file(x):
    with tempfile.TemporaryDirectory() as d:
        fd = os.open(os.path.join(d, "f"), os.O_RDWR | os.O_CREAT)
        os.write(fd, str(x).encode())
        os.lseek(fd, 0, 0)
        t = os.read(fd, 99)
        os.close(fd)
    return float(t) * x


def p_json_default_cls(x):
    class V:
        def __init__(self, v):
            self.v = v

    return json.loads(json.dumps([V(x)], default=lambda o: 2 * o.v))[0] * x


def p_json_default_file(x):
    class V:
        def __init__(self, v):
            self.v = v

    f = io.StringIO()
    json.dump([V(x)], f, default=lambda o: o.v)
    return json.loads(f.getvalue())[0] * x


def p_pickle_reduce_derived(x):
    return pickle.loads(pickle.dumps(Derived(x))).v * x


class Derived:
    def __init__(self, v):
        self.v = v

    def __getstate__(self):
        return {"v": self.v * 2}


def p_copy_hook(x):
    return (
        copy.copy(types.SimpleNamespace(t=repr(x))).t
        and float(copy.copy(types.SimpleNamespace(t=repr(x))).t) * x
    )


def p_log_queue(x):
    q = queue.SimpleQueue()
    lg = logging.Logger("m")
    lg.addHandler(logging.handlers.QueueHandler(q))
    lg.error("%r", x)
    return float(q.get().getMessage()) * x


def p_log_memory_handler(x):
    s = io.StringIO()
    t = logging.StreamHandler(s)
    m = logging.handlers.MemoryHandler(9, target=t)
    lg = logging.Logger("m")
    lg.addHandler(m)
    lg.error("%r", x)
    m.flush()
    return float(s.getvalue()) * x


class Money(numbers.Number):
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"${self.v!r}"

    @classmethod
    def parse(cls, s):
        return cls(float(s.lstrip("$")))

    __hash__ = None


def p_money(x):
    return Money.parse(str(Money(x))).v * x


class Serial(abc.ABC):
    @abc.abstractmethod
    def pack(self): ...


class Vec(Serial):
    FORMAT = struct.Struct("<2d")

    def __init__(self, a, b):
        self.a, self.b = a, b

    def pack(self):
        return self.FORMAT.pack(self.a, self.b)

    @classmethod
    def unpack(cls, data):
        return cls(*cls.FORMAT.unpack(data))


def p_vec(x):
    v = Vec.unpack(Vec(x, 2.0).pack())
    return v.a * v.b


def p_struct_cls_into(x):
    b = bytearray(32)
    off = 0
    for v in (x, 2 * x):
        Vec.FORMAT.pack_into(b, off, v, 1.0)
        off += Vec.FORMAT.size
    return sum(a for a, _ in Vec.FORMAT.iter_unpack(b))


class Ring:
    def __init__(self, n):
        self.buf = bytearray(8 * n)
        self.n = n
        self.k = 0

    def push(self, v):
        struct.pack_into("d", self.buf, 8 * (self.k % self.n), v)
        self.k += 1

    def __iter__(self):
        for j in range(self.n):
            yield struct.unpack_from("d", self.buf, 8 * j)[0]


def p_ring(x):
    r = Ring(3)
    for k in range(5):
        r.push(x * k)
    return sum(r)


def p_bytes_slices(x):
    data = struct.pack("3d", x, 1.0, x)
    return sum(struct.unpack("d", data[k : k + 8])[0] for k in range(0, 24, 8))


def p_bytes_ints_bits(x):
    n = 0
    for c in reversed(struct.pack("<d", x)):
        n = n << 8 | c
    return struct.unpack("<d", n.to_bytes(8, "little"))[0] * x


def p_bits_format(x):
    bits = "".join(f"{c:08b}" for c in struct.pack(">d", x))
    return struct.unpack(">d", int(bits, 2).to_bytes(8, "big"))[0] * x


def p_frexp_text(x):
    m, e = math.frexp(x)
    return math.ldexp(float(repr(m)), e) * x


def p_hexfloat_parts(x):
    s = x.hex()
    mant, exp = s.split("p")
    return float.fromhex(mant) * 2.0 ** int(exp) * x


def p_generator_reader(x):
    def lines():
        for k in (1, 2):
            yield f"{x * k}"

    return sum(float(l) for l in lines())


def p_coroutine_parser(x):
    got = []

    def parser():
        while True:
            got.append(float((yield)))

    p = parser()
    next(p)
    p.send(str(x))
    p.send("2.0")
    return got[0] * got[1]


def p_context_file(x):
    @contextlib.contextmanager
    def report():
        f = io.StringIO()
        yield f
        f.seek(0)

    with report() as f:
        f.write(f"{x}\n")
    return float(f.read()) * x


def p_heap_texts(x):
    h = []
    heapq.heappush(h, (1, str(x)))
    heapq.heappush(h, (0, "a"))
    heapq.heappop(h)
    return float(heapq.heappop(h)[1]) * x


def p_chain_letters(x):
    return float("".join(itertools.chain.from_iterable([str(x), "0"]))) * x


def p_accumulate_letters(x):
    return float(list(itertools.accumulate(str(x)))[-1]) * x


def p_reduce_letters(x):
    return float(functools.reduce(operator.add, str(x))) * x


def p_zip_letters(x):
    return float("".join(a for a, b in zip(str(x), range(50)))) * x


def p_enumerate_digits(x):
    return sum(int(c) * 10.0**-k for k, c in enumerate(str(x).replace(".", ""))) * x


def p_map_digits(x):
    a, *rest = map(int, str(x).replace(".", ""))
    return (a + sum(d * 10.0**-k for k, d in enumerate(rest, 1))) * x


def p_list_digits(x):
    d = list(str(x).replace(".", ""))
    return (int(d[0]) + int(d[1]) / 10) * x


def p_index_digits(x):
    s = str(x)
    return (int(s[0]) + int(s[2]) / 10) * x


def p_slice_digits(x):
    s = str(x)
    return (int(s[:1]) + int(s[2:]) / 10) * x


def p_reversed_digits(x):
    return (
        sum(int(c) * 10.0 ** (k - 1) for k, c in enumerate(reversed(str(x).replace(".", "")))) * x
    )


def p_ord_digits(x):
    s = str(x)
    return (ord(s[0]) - 48 + (ord(s[2]) - 48) / 10) * x


def p_bytes_digits(x):
    s = str(x).encode()
    return (s[0] - 48 + (s[2] - 48) / 10) * x


def p_structures(x):
    return np.array([(x, 2.0)], dtype=[("a", float), ("b", float)])["a"][0] * x


def p_one_structure(x):
    return float(np.array((x, 2), dtype=[("a", float), ("b", int)])["a"]) * x


SHOWN = ("getbuffer", "np_getbuffer")
"""They leave a file in memory and a view of it in one cycle: since 3.13 Python says so."""
PROGRAMS = {name[2:]: fn for name, fn in sorted(globals().items()) if name.startswith("p_")}
REFUSED = (
    "read out of the text|a derivative through (this|what (it was given|this call has stored))|"
    "writes into its argument"
)


@pytest.fixture(autouse=True)
def values_of_processes_go_with_the_test(monkeypatch):
    """What multiprocessing takes for its values it keeps, and shares, for good."""
    arenas = multiprocessing.heap.Heap()
    monkeypatch.setattr(multiprocessing.heap.BufferWrapper, "_heap", arenas)


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_number_that_leaves_and_comes_back_is_refused(name):
    with pytest.raises(Unsupported, match=r"^[\w.]+\.py:\d+: .*(%s)" % REFUSED):
        astad.gradient(PROGRAMS[name], 1.3)
    with only_generic(), pytest.raises(Unsupported):
        astad.gradient(PROGRAMS[name], 1.3)
    if name in SHOWN:
        gc.collect()


def through_csv(x):
    file = io.StringIO()
    csv.writer(file).writerow([x])
    file.seek(0)
    return type(x)(next(csv.reader(file))[0]) * x


def through_environment(x):
    os.environ["ASTAD_TEST_TEXT"] = str(x)
    return type(x)(os.environ["ASTAD_TEST_TEXT"]) * x


def through_buffer(x):
    buffer = bytearray(8)
    struct.pack_into("d", buffer, 0, x)
    return struct.unpack("d", buffer)[0] * x


@pytest.mark.parametrize("program", [through_csv, through_environment, through_buffer])
def test_numbers_of_any_size_and_kind_are_known_again(program):
    points = [0.0, -1.0, 2.0, 1e-300, 1e22, 1 / 3, 12345.678901234567, np.float64(2.5)]
    points += [np.float32(1.1), 3, -7]  # writerow gives 3, the length of what it wrote
    if program is not through_buffer:
        points += [10**20, Decimal("1.25"), Fraction(5, 4)]
    for x in points:
        with pytest.raises(Unsupported, match="read out of the text"):
            astad.gradient(program, x)


def test_arrays_of_any_size_are_known_again():
    def saved(a):
        file = io.BytesIO()
        np.save(file, a)
        file.seek(0)
        return np.sum(np.load(file) * a)

    def printed(a):
        file = io.StringIO()
        np.savetxt(file, a)
        file.seek(0)
        return np.sum(np.loadtxt(file) * a)

    for f, a in [(saved, np.linspace(0.1, 2.0, 5000)), (printed, np.array([0.1, 2.0, 1 / 3]))]:
        with pytest.raises(Unsupported, match="read out of the text"):
            astad.gradient(f, a)


# --- what is beside such a text is no part of it


def beside_in_dict(x):
    found = {"k": "2.5"}
    found["x"] = str(x)
    return float(found["k"]) * x


def beside_in_get_and_pop(x):
    found = collections.OrderedDict(k="2.5", x=str(x))
    return float(found.get("k")) * x + float(found.pop("k")) * x


def beside_in_deque(x):
    found = collections.deque(["2.5", f"{x}"])
    return float(found[0]) * x


def beside_in_object(x):
    record = types.SimpleNamespace(k="2.5", x=repr(x))
    return float(record.k) * x


def beside_in_settings(x):
    parser = configparser.ConfigParser()
    parser.read_string("[a]\nk = 2.5\n")
    parser["a"]["x"] = str(x)
    return parser.getfloat("a", "k") * x


def beside_in_chain(x):
    chain = collections.ChainMap({}, {"k": "2.5"})
    chain["x"] = str(x)
    return float(chain["k"]) * x


def beside_in_items(x):
    for key, text in {"k": "2.5", "x": str(x)}.items():
        if key == "k":
            return float(text) * x
    return x


BESIDE = (beside_in_dict, beside_in_get_and_pop, beside_in_deque, beside_in_object)
BESIDE += (beside_in_settings, beside_in_chain, beside_in_items)


@pytest.mark.parametrize("f", BESIDE)
def test_text_beside_it_in_a_container_is_read(f):
    assert astad.gradient(f, 1.3) == pytest.approx((f(1.0),))


class Frozen(list):
    """As pandas has it."""

    def __add__(self, other):
        return type(self)(super().__add__(list(other)))

    def __radd__(self, other):
        return type(self)(list(other) + list(self))

    def _refuse(self, *args, **keywords):
        raise TypeError("frozen")

    pop = append = extend = insert = __setitem__ = __iadd__ = _refuse


class Turned(list):
    def __iter__(self):
        return reversed(self)

    def __len__(self):
        raise RuntimeError("asked for its length")


@pytest.mark.parametrize("kind", [Frozen, Turned])
def test_a_list_of_another_kind_is_looked_through_by_what_it_holds(kind):
    held = kind(["u", 2.0])

    def f(x):
        text = f"{x} {types.SimpleNamespace(names=held)!r:.5}"
        return copy.copy(types.SimpleNamespace(names=held)).names[1] * x * len(text[:1])

    assert astad.gradient(f, 3.0) == (2.0,)
