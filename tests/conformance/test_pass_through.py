"""What carries no derivative runs as in the plain program, once: logs, warnings, files, dates."""

import contextlib
import csv
import datetime
import decimal
import enum
import functools
import hashlib
import io
import json
import logging
import math
import os
import os.path
import pathlib
import random
import re
import string
import sys
import tempfile
import textwrap
import threading
import time
import uuid
import warnings
from collections import namedtuple
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from astad import gradient, pullback
from tests.compiler.forms import only_generic
from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()
LOG = logging.getLogger("astad.tests.pass_through")


# --- programs whose output is compared ------------------------------------------------------------

SPEAKING = Programs()


@SPEAKING.at(1.5)
def prints_in_every_way(x):
    print("x is", x, end=";\n")
    print(f"{x:.3f} {x!r:>8} {x=} {x:{4 + 2}.{1 + 1}f}", file=sys.stdout)
    sys.stdout.write(f"{'%5.2f' % x}|{x:e}\n")
    print("{:+.1f} {name}".format(x, name="n"), *["a", "b"], sep="-", flush=True)
    print(x, file=sys.stderr)
    return x * x


@SPEAKING.at(1.5)
def logs_at_every_level(x):
    LOG.setLevel(logging.DEBUG)
    LOG.debug("x = %s", x)
    LOG.info("square %.3f", x * x)
    LOG.warning("careful: %(x)s", {"x": x})
    y = x**3
    if LOG.isEnabledFor(logging.INFO):
        LOG.log(logging.INFO, f"cube {y}")
    try:
        raise ValueError(x)
    except ValueError:
        LOG.exception("caught")
    return y


@SPEAKING.at(1.5)
def warns_of_every_kind(x):
    def warns(v):
        warnings.warn("of the caller", RuntimeWarning, stacklevel=2)
        return v * 2

    warnings.warn("plain")
    warnings.warn("typed", DeprecationWarning, stacklevel=1)
    warnings.warn(UserWarning(f"of a value {warns(x)}"))
    y = np.log(np.array([x, 0.0]))[0] * x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.sqrt(np.array([-x]))
    with np.errstate(divide="ignore"):
        np.array([x]) / 0.0
    return y


@SPEAKING.at(np.array([1.0, 2.0]))
def prints_arrays_while_they_change(a):
    for k in range(2):
        a[k] *= 3
        print(k, a, a.shape, a.dtype, np.array2string(a, precision=2))
    with np.printoptions(precision=1):
        print(a / 3)
    return np.sum(a * a)


@SPEAKING.at(1.5)
def prints_from_callees_loops_and_generators(x):
    def say(v):
        print("saying", v)
        return v * x

    def stream():
        for k in range(2):
            print("before", k)
            yield say(x + k)
            print("after", k)

    return sum(say(v) for v in [x, 2.0]) + sum([v for v in stream()])


@SPEAKING.at(1.5)
def redirects_its_own_output(x):
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        print("hidden", x)
    text = buffer.getvalue()
    print("seen:", text.strip())
    return x * x


class Chatty:
    def __init__(self, x):
        print("made")
        self.x = x

    def __repr__(self):
        return f"Chatty({self.x})"

    def __str__(self):
        print("asked")
        return "chatty"

    def __format__(self, spec):
        return f"<{spec}:{self.x:.1f}>"

    def __enter__(self):
        print("entered")
        return self

    def __exit__(self, *exc):
        print("left", exc[0])
        return False


@SPEAKING.at(1.5)
def objects_that_print(x):
    c = Chatty(x)
    print(c, [c], f"{c:spec} {c!r} {c!s}")
    with c as d:
        d.x *= 2
    return c.x * x


def outputs(run):
    """What a run writes, logs and warns."""
    out, err, logged = io.StringIO(), io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(logged)
    handler.setFormatter(
        logging.Formatter("%(levelname)s %(filename)s:%(lineno)d %(funcName)s %(message).60s")
    )
    LOG.addHandler(handler)
    LOG.propagate = False
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            run()
    finally:
        LOG.removeHandler(handler)
    warned = [(str(w.message), w.category, place_of(w)) for w in caught]
    return out.getvalue(), err.getvalue(), logged.getvalue().splitlines()[:20], warned


def place_of(warning):
    """File and line, but for NumPy's, which come from where its function is called."""
    of_numpy = "encountered in" in str(warning.message)
    return None if of_numpy else (warning.filename, warning.lineno)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize(("program", "args", "options"), SPEAKING)
def test_output_is_that_of_the_plain_run(program, args, options, generic):
    from copy import deepcopy

    plain = outputs(lambda: program(*deepcopy(args)))
    with only_generic() if generic else contextlib.nullcontext():
        gradient(program, *deepcopy(args))  # compiled now
        assert outputs(lambda: gradient(program, *deepcopy(args))) == plain
        made = []
        assert outputs(lambda: made.append(pullback(program, *deepcopy(args)))) == plain
        assert outputs(lambda: made[0][1](1.0)) == ("", "", [], [])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("program", "args", "options"), SPEAKING)
def test_gradient_of_what_speaks(program, args, options, capsys):
    conforms_in_both_forms(program, args, options)


# --- programs whose values are compared -----------------------------------------------------------


CONFIG = {"model": {"depth": 3, "scale": "2.5", "flags": ["a", "b"]}, "rate": 0.1}


class Mode(enum.Enum):
    LINEAR = "linear"
    SQUARE = "square"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@PROGRAMS.at(1.5)
def configured_by_nested_dicts(x):
    model = CONFIG["model"]
    y = x
    for _ in range(model.get("depth", 1)):
        y = y * float(model["scale"])
    if "b" in model["flags"] and not CONFIG.get("verbose"):
        y += x * CONFIG["rate"]
    options = {**CONFIG, "rate": 0.2}
    return y * options["rate"] + len(json.dumps(options, sort_keys=True))


@PROGRAMS.at(1.5)
def json_there_and_back(x):
    text = json.dumps({"rows": [1, 2.5, None, True], "name": "n"}, indent=1)
    read = json.loads(text)
    y = sum(v * x for v in read["rows"] if isinstance(v, (int, float)) and v is not True)
    return y * len(json.loads('{"a": [1, 2]}')["a"])


@PROGRAMS.at(1.5)
def text_taken_apart_by_regular_expressions(x):
    pattern = re.compile(r"(?P<name>[a-z]+)=(?P<value>-?\d+(\.\d+)?)")
    y = 0.0
    for match in pattern.finditer("a=1.5, b=-2, c=3"):
        y += float(match["value"]) * x ** len(match.group("name"))
    head, _, tail = "k:2".partition(":")
    words = re.split(r"[,\s]+", "one two,three")
    text = re.sub(r"\d", lambda m: str(int(m.group()) + 1), "12")
    return y * float(tail) + len(words) * int(text) * x


@PROGRAMS.at(1.5)
def dates_and_durations(x):
    start = datetime.date(2024, 2, 28)
    end = start + datetime.timedelta(days=2)
    days = (end - start).days
    stamp = datetime.datetime(2020, 1, 1, 12, 30)
    hours = (stamp.replace(hour=18) - stamp).total_seconds() / 3600
    return x**days * hours + stamp.weekday() * x + len(end.isoformat())


@PROGRAMS.at(1.5)
def files_written_and_read(x):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.txt"
        path.write_text("1.5\n2.5\n# end\n")
        with open(path) as lines:
            numbers = [float(line) for line in lines if not line.startswith("#")]
        with path.open("a") as out:
            out.write("7")
        size = os.path.getsize(path)
        table = os.path.join(folder, "t.csv")
        with open(table, "w", newline="") as out:
            csv.writer(out).writerows([["k", "v"], ["a", "2"], ["b", "3"]])
        with open(table, newline="") as rows:
            found = {row["k"]: float(row["v"]) for row in csv.DictReader(rows)}
        names = sorted(p.name for p in pathlib.Path(folder).iterdir())
    return sum(v * x for v in numbers) + found["a"] * x ** found["b"] + size * len(names)


@PROGRAMS.at(np.array([1.5, 0.5]))
def arrays_saved_and_loaded(a):
    buffer = io.BytesIO()
    np.save(buffer, np.arange(2.0))
    buffer.seek(0)
    weights = np.load(buffer)
    text = io.StringIO("1 2\n3 4")
    table = np.loadtxt(text)
    return np.sum(a * (weights + table[1])) + np.sum(a**2 * table[0])


@PROGRAMS.at(1.5)
def paths_taken_apart(x):
    path = pathlib.PurePosixPath("/data") / "run" / "x.tar.gz"
    root, extension = os.path.splitext("a/b.txt")
    return x ** len(path.parts) + len(path.suffixes) * x + len(os.path.basename(root + extension))


def real(x):
    return x * 2 if isinstance(x, float) else 1.0


@PROGRAMS.at(1.5, 2, "s", None, argnums=0)
def dispatched_on_types_of_values(x, n, text, nothing):
    def weigh(v):
        if v is None:
            return 0.5
        if isinstance(v, bool):
            return 100.0
        if isinstance(v, int):
            return v * x
        if isinstance(v, (float, complex)):
            return v**2
        if type(v) is str:
            return len(v) * x
        raise TypeError(v)

    return sum(map(weigh, [x, n, text, nothing, True])) + real(x) + callable(weigh) * x


@PROGRAMS.at(1.5)
def singledispatch_on_types(x):
    @functools.singledispatch
    def scale(v):
        return v

    @scale.register(float)
    def _(v):
        return v * x

    @scale.register(list)
    def _(v):
        return sum(scale(t) for t in v)

    return scale([x, 2.0]) + scale(3) + scale(x)


@PROGRAMS.at(1.5)
def enumerations(x):
    mode = Mode("square") if x > 0 else Mode.LINEAR
    y = {Mode.LINEAR: x, Mode.SQUARE: x * x}[mode]
    for level in Level:
        y = y * level + len(level.name)
    return y * (2 if mode is Mode.SQUARE else 1) + Level.HIGH * x


@dataclass
class Settings:
    rate: float = 0.1
    steps: int = 3
    tags: list = field(default_factory=list)


@PROGRAMS.at(1.5)
def settings_in_a_dataclass(x):
    settings = replace(Settings(), steps=2, tags=["t"])
    for _ in range(settings.steps):
        x = x - settings.rate * x**2
    settings.tags.append("done")
    return x * len(vars(settings)["tags"]) * len(repr(settings))


@PROGRAMS.at(1.5)
def clocks_and_ids(x):
    started = time.perf_counter()
    stamp = time.time() > 0
    time.sleep(0)
    elapsed = time.perf_counter() - started
    assert elapsed >= 0
    name = uuid.UUID(int=5).hex[-1]
    digest = hashlib.sha256(b"abc").hexdigest()[:2]
    return x * x * stamp + int(name, 16) * x + int(digest, 16)


@PROGRAMS.at(1.5)
def random_numbers_with_a_seed(x):
    rng = random.Random(3)
    y = x * rng.random() + rng.uniform(0, 1) * x**2 + rng.gauss(0, 1)
    k = rng.randint(1, 3) + rng.choice([1, 2, 3])
    picked = rng.sample(range(5), 2)
    old = np.random.RandomState(0)
    noise = np.random.default_rng(1).normal(size=3)
    return y * k + np.sum(noise * x) + picked[0] * x + old.rand() * x + old.randint(5)


@PROGRAMS.at(1.5)
def locks_and_events(x):
    lock, event = threading.Lock(), threading.Event()
    y = 1.0
    with lock:
        y = y * x
    if lock.acquire(blocking=False):
        y = y * x
        lock.release()
    event.set()
    held = threading.local()
    held.value = y
    with threading.RLock():
        return held.value * (2 if event.is_set() else 1)


@PROGRAMS.at(1.5)
def environment_and_system(x):
    os.environ["ASTAD_TEST_SCALE"] = "2.5"
    y = x * float(os.environ.get("ASTAD_TEST_SCALE", "1"))
    del os.environ["ASTAD_TEST_SCALE"]
    y += x * len(sys.argv[:0]) + (x if sys.maxsize > 2**31 else 0)
    return y + sys.float_info.max_exp * x + (os.getpid() > 0)


@PROGRAMS.at(1.5)
def text_methods(x):
    words = "the  quick brown".split()
    table = str.maketrans("abc", "xyz")
    text = " ".join(w.title() for w in words).translate(table).center(30, "*")
    template = string.Template("$a-$b").substitute(a=1, b="two")
    lines = textwrap.dedent("  a\n  b").splitlines()
    y = x * text.count("*") + len(template) * x**2 + len(lines)
    return y * (3 if "quick" in words and words[0].isalpha() else 1) + ord("a") * x


@PROGRAMS.at(1.5)
def bytes_and_numbers_in_text(x):
    raw = "é2".encode()
    n = int.from_bytes(b"\x01\x02", "big") + len(raw) + int("ff", 16)
    parts = [float(t) for t in "1e-1 inf".split()]
    return x * n + parts[0] * x**2 + (x if math.isinf(parts[1]) else 0)


@PROGRAMS.at(1.5)
def asserts_and_checks(x):
    assert x > 0, f"x must be positive: {x}"
    assert isinstance(x, float)
    if not math.isfinite(x):
        raise ValueError("not finite")
    if __debug__:
        x = x * 2
    return x * x


@PROGRAMS.at(1.5)
def decimals_and_dates_as_text(x):
    price = decimal.Decimal("2.50").quantize(decimal.Decimal("0.1"))
    when = datetime.datetime.strptime("2024-03-01", "%Y-%m-%d").strftime("%j")
    return x * float(price) + int(when) * x**2


Row = namedtuple("Row", "name weight")


@PROGRAMS.at(1.5)
def tables_of_records_sorted_and_grouped(x):
    rows = [Row("b", 2), Row("a", 1), Row("b", 3)]
    total = {}
    for row in sorted(rows, key=lambda r: (r.name, -r.weight)):
        total.setdefault(row.name, []).append(row.weight * x)
    first, *_ = total
    return (
        sum(sum(v) for v in total.values()) * len(first)
        + max(rows, key=lambda r: r.weight).weight * x
    )


@PROGRAMS.at(1.5)
def imports_inside(x):
    import statistics as st
    from math import sin as sine

    return sine(x) * st.fmean([1, 2, 3]) + __import__("math").cos(x)


@PROGRAMS.at(1.5)
def suppressed_and_stacked_contexts(x):
    y = x
    with contextlib.suppress(KeyError):
        y = y * 2
        {}["missing"]
        y = y * 100
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.nullcontext())
        log = []
        stack.callback(log.append, 1)
        y = y * x
    return y * len(log)


@PROGRAMS.at(1.5)
def cached_and_counted_calls(x):
    calls = []

    @functools.cache
    def table(n):
        calls.append(n)
        return n * n

    y = table(3) * x + table(3) * x**2 + table(2)
    return y * len(calls)


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)


def test_a_file_is_written_once(tmp_path):
    path = tmp_path / "log.txt"

    def f(x):
        with open(path, "a") as out:
            out.write(f"{x}\n")
        return x * x

    assert gradient(f, 1.5) == (3.0,)
    assert path.read_text() == "1.5\n"
    y, back = pullback(f, 2.5)
    back(1.0)
    back(1.0)
    assert path.read_text() == "1.5\n2.5\n"


def test_a_counter_counts_once():
    counted = []

    def f(x):
        counted.append(x)
        return x * len(counted)

    gradient(f, 2.0)
    assert counted == [2.0]


def test_random_stream_advances_as_in_the_plain_run():
    def f(x):
        return x * np.random.rand() + random.random()

    for run in (f, lambda x: gradient(f, x)):
        np.random.seed(3)
        random.seed(3)
        run(1.0)
        after = np.random.rand(), random.random()
        if run is f:
            expected = after
    assert after == expected
