"""Programs that print and log numbers, and read constants: nothing of that is refused."""

import array
import collections
import contextlib
import csv
import datetime
import hashlib
import io
import json
import logging
import math
import os
import pickle
import re
import struct
import tempfile
import time
import warnings
from decimal import Decimal

import numpy as np
import pytest

import astad
from astad.testing import check_gradient
from tests.compiler.forms import only_generic

log = logging.getLogger("astad.tests.numbers_printed")
log.addHandler(logging.NullHandler())
CONFIG = '{"rate": 0.25, "steps": 4, "w": [2.0, 0.5]}'
TABLE = "1.0,2.0\n3.0,4.0\n"


def p_log_and_config(x):
    cfg = json.loads(CONFIG)
    log.info("x = %s", x)
    print(f"x={x}", cfg)
    y = x
    for k in range(cfg["steps"]):
        y = y - cfg["rate"] * y**2
        print(k, y)
    return y * cfg["w"][0]


def p_csv_table(x):
    print("start", x)
    rows = [[float(v) for v in r] for r in csv.reader(io.StringIO(TABLE))]
    return sum(a * x + b for a, b in rows)


def p_float_literals(x):
    print(x)
    return float("1.3") * x + float("2.0")


def p_environ_rate(x):
    os.environ["FINE_RATE"] = "0.5"
    print(x)
    return x**2 * float(os.environ["FINE_RATE"])


def p_timing(x):
    t = time.perf_counter()
    y = math.sin(x) * x
    log.debug("took %.3f s for %r", time.perf_counter() - t, x)
    return y


def p_trace_list(x):
    trace = []
    for k in range(5):
        x = x * 0.9
        trace.append(x)
        print(trace)
    return sum(trace)


def p_named_columns(x):
    cols = {f"c{k}": x * k for k in range(5)}
    total = 0.0
    for name, v in cols.items():
        total += int(name[1:]) * v
    return total


def p_text_key(x):
    cache = {}
    for k in (1, 2, 1):
        key = f"{k}:{x:.3f}"
        if key not in cache:
            cache[key] = x * k
    return sum(cache.values())


def p_repr_key(x):
    memo = {}

    def f(v):
        key = repr(v)
        if key not in memo:
            memo[key] = v * v
        return memo[key]

    return f(x) + f(2 * x) + f(x)


def p_progress(x):
    buf = io.StringIO()
    for k in range(3):
        print(f"step {k}: {x}", file=buf)
        x = x * 1.1
    return x * len(buf.getvalue().splitlines())


def p_struct_constants(x):
    print(x)
    w = struct.unpack("3d", struct.pack("3d", 1.0, 2.0, 3.0))
    return sum(w) * x


def p_hash_of_state(x):
    h = hashlib.sha256(repr(x).encode()).hexdigest()
    print(h)
    return x * x if h else x


def p_exception_note(x):
    try:
        if x > 0:
            raise ValueError(f"positive {x}")
    except ValueError as e:
        log.warning("caught %s", e)
        return x * 3
    return x


def p_random_seeded(x):
    rng = np.random.default_rng(3)
    print(x, rng.integers(0, 10))
    w = rng.normal(size=3)
    return float(np.sum(w * x))


def p_decimal_constant(x):
    print(Decimal("0.1"))
    return x * float(Decimal("0.1"))


class Model:
    def __init__(self, a):
        self.a = a
        self.history = []

    def __repr__(self):
        return f"Model(a={self.a})"

    def step(self, lr):
        log.info("%r step", self)
        self.a = self.a - lr * self.a**3
        self.history.append(str(self))


def p_model(x):
    m = Model(x)
    for _ in range(3):
        m.step(0.1)
    return m.a * len(m.history)


def p_assert_message(x):
    assert x > 0, f"x={x} must be positive"
    return math.log(x)


def p_pickle_constant(x):
    log.info(x)
    p = pickle.loads(pickle.dumps({"w": 2.5}))
    return p["w"] * x


def p_parse_expr(x):
    env = {"x": x, "y": 2.0}
    total = 1.0
    for token in re.findall(r"[a-z]|\d+\.?\d*", "x 3 y 0.5"):
        total = total * (env[token] if token in env else float(token))
        print(token, total)
    return total


def p_parse_int_powers(x):
    total = 0.0
    for term in "3x^2+1.5x^1".split("+"):
        c, p = term.split("x^")
        total += float(c) * x ** int(p)
        print(f"{term}: {total}")
    return total


def p_redirected_debug(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for k in range(2):
            print(k, x)
            x = x * x
    log.debug(out.getvalue())
    return x


def p_format_digits(x):
    label = f"{x:.2f}"
    return x * float(label) if False else x * x * len(label) / 4


def p_sign_after_print(x):
    print(x / x)
    return np.sign(x) * x + round(x) * x


def p_floor_after_log(x):
    log.info("%s", float(math.floor(x)))
    return math.floor(x) * x + (x // 1) * x


def p_len_after_print(x):
    xs = [x] * 3
    print(len(xs), 3.0)
    return sum(xs) * len(xs) / xs.index(x) if xs.index(x) else sum(xs) * len(xs)


def p_counter(x):
    c = collections.Counter("aab")
    print(c, x)
    return sum(v * x for v in c.values())


def p_array_module(x):
    w = array.array("d", [0.5, 2.0])
    print(x)
    return x * w[0] + x * w[1]


def p_bytes_checksum(x):
    data = struct.pack("d", x)
    s = sum(data) % 7
    log.info("checksum %d", s)
    return x * 2


def p_letters(x):
    total = 0.0
    for ch in "abc":
        total += (ord(ch) - 96) * x
        print(ch, total)
    return total


def p_enumerated(x):
    names = ["a", "b"]
    lines = [f"{i} {n} {x}" for i, n in enumerate(names)]
    print("\n".join(lines))
    return x * len(lines)


def p_date(x):
    print(datetime.date(2020, 1, 2))
    return x * datetime.timedelta(days=2).days


def p_global_table(x):
    print(x)
    return x * np.fromstring("1 2 3", sep=" ").sum()


def p_savetxt_log(x):
    a = np.array([x, 2 * x])
    f = io.StringIO()
    np.savetxt(f, a)
    return a.sum() * (len(f.getvalue()) > 0)


def p_json_log(x):
    out = io.StringIO()
    json.dump({"x": x, "k": [x, 1]}, out)
    log.info(out.getvalue())
    return x * x


def p_save_checkpoint(x):
    with tempfile.TemporaryFile() as f:
        for k in range(2):
            x = x * 1.5
            pickle.dump({"x": x, "k": k}, f)
    return x


def p_csv_log(x):
    f = io.StringIO()
    w = csv.writer(f)
    for k in range(3):
        x = x * 1.1
        w.writerow([k, x])
    return x


def p_warn(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn(f"{x} odd")
    return x * x


def p_args_text(x, s="2.0"):
    print(x)
    return float(s) * x


PROGRAMS = {name[2:]: fn for name, fn in sorted(globals().items()) if name.startswith("p_")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_printed_is_no_matter(name):
    f = PROGRAMS[name]
    check_gradient(f, 1.3)
    expected = (f(1.3 + 1e-5) - f(1.3 - 1e-5)) / 2e-5
    with only_generic():
        assert astad.gradient(f, 1.3)[0] == pytest.approx(expected, rel=1e-6)
