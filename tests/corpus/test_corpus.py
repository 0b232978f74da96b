"""The corpus tool tells what becomes of the calls of a package that is made for it."""

import importlib
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.corpus.__main__ import main, read, recorded_outcome
from tests.corpus.calls import Call, as_file, has_floats
from tests.corpus.limits import in_child
from tests.corpus.tables import page

ROOT = str(Path(__file__).parents[2])
PACKAGE = '''
"""A package with a function for each outcome."""
import logging
import math
import os
import time

import astad

calls = 0


def square(x: float):
    """
    >>> square(3.5)
    12.25
    """
    return x * x


def logged(x):
    logging.warning("%s is low", x)
    return x * x


def scaled(values, factor=2.0):
    values[0] = values[0] * factor
    print("scaled by", factor)
    return [factor * value for value in values]


def evaluated(x):
    return eval("x * x")


def doubled(x):
    return 2.0 * x


@astad.adjoint(doubled)
def doubled_rule(x):
    return 2.0 * x, lambda y_bar: (3.0 * y_bar,)


def tripled(x):
    return 3.0 * x


@astad.adjoint(tripled)
def tripled_rule(x):
    return 3.0 * x, lambda y_bar: {}["nothing"]


def vanishing(x):
    return 4.0 * x


@astad.adjoint(vanishing)
def vanishing_rule(x):
    return 4.0 * x, lambda y_bar: os._exit(3)


def endless(x):
    return 5.0 * x


@astad.adjoint(endless)
def endless_rule(x):
    return 5.0 * x, lambda y_bar: time.sleep(1000)


def changing(x):
    global calls
    calls += 1
    return x * calls


def kinked(x):
    return x if x > 1.5 else 2.0 * x - 1.5


def equal(pair):
    return 2.0 * pair[0] if pair[0] == pair[1] else pair[0] + pair[1]


TABLE = {}


def looked_up(x):
    if x not in TABLE:
        TABLE[x] = x * x
    return 3.0 * TABLE[x]


def simulated(times, inputs):
    if not times[2] - times[1] == times[1] - times[0]:
        raise ValueError("times must be equidistant")
    if all(each == 0 for each in inputs):
        return 0.0
    return (times[1] - times[0]) * sum(inputs)


def looped(gains, state):
    first = second = 0.0
    for _ in range(3):
        a, b = state[0] + gains[0] * second, state[1] + gains[1] * first
        if a == first and b == second:
            return first + second
        first, second = a, b
    raise RuntimeError("an algebraic loop")


def infinite(x):
    return x + math.acos((x - 2.0 * x) / x)


def cancelling(x):
    return 2.0 * x


@astad.adjoint(cancelling)
def cancelling_rule(x):
    return 2.0 * x, lambda y_bar: (y_bar * (2.0 + (x * 2.0**52) % 7.0),)


def flat(x):
    return float(x > 0)


def positive(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return x ** 0.5


class Line:
    def __init__(self, slope):
        self.slope = slope

    def at(self, x):
        """
        >>> Line(2.0).at(1.5)
        3.0
        """
        return self.slope * x
'''

CASES = {
    "square": ("right", [3.0]),
    "scaled": ("right", [np.array([1.0, 2.0])]),
    "evaluated": ("refused", [3.0]),
    "doubled": ("wrong", [3.0]),
    "tripled": ("crashed", [3.0]),
    "vanishing": ("crashed", [3.0]),
    "endless": ("timeout", [3.0]),
    "changing": ("inconclusive", [3.0]),
    "kinked": ("inconclusive", [1.5]),
    "equal": ("special point", [[3.0, 3.0]]),
    "looked_up": ("refused", [3.0]),
    "simulated": ("special point", [[0.0, 0.5, 1.0], [0.0, 0.0]]),
    "looped": ("special point", [[0.5, 0.0], [0.0, 0.0]]),
    "infinite": ("special point", [3.0]),
    "cancelling": ("inconclusive", [1.7]),
    "flat": ("nothing to check", [3.0]),
    "positive": ("nothing to check", [-1.0]),
}


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    folder = tmp_path / "site" / "madeup"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "test_lines.py").write_text(
        "from madeup import Line\n\ndef test_it():\n    assert Line(4.0).at(2.5) == 10.0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.chdir(tmp_path)
    importlib.invalidate_caches()
    yield importlib.import_module("madeup")
    del sys.modules["madeup"]


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.slow) if each == "endless" else each for each in CASES],
)
def test_outcome_of_a_call(made_up, tmp_path, name):
    outcome, args = CASES[name]
    record = recorded_outcome(Call("madeup", name, args), 0, 8, tmp_path / "kept")
    assert record["outcome"] == outcome, record
    kept = list((tmp_path / "kept").glob("*.py"))
    assert bool(kept) == (outcome not in ("right", "nothing to check"))


def test_a_handler_that_a_run_makes_goes_with_it(made_up, tmp_path, monkeypatch):
    monkeypatch.setattr(logging.root, "handlers", [])  # as outside of pytest
    record = recorded_outcome(Call("madeup", "logged", [3.0]), 0, 8, tmp_path / "kept")
    assert record["outcome"] == "right", record


PLANTED = """
import math

import numpy as np

import astad

WEIGHTS = np.linspace(1.0, 2.0, 300)


def planted(rule):
    def decorator(fn):
        astad.adjoint(fn)(lambda *args: (fn(*args), lambda y_bar: rule(y_bar, *args)))
        return fn

    return decorator


@planted(lambda g, x: (1.00001 * g * math.cos(x),))
def nearly(x):
    return math.sin(x)


@planted(lambda g, x: (0.0,))
def silent(x):
    return 1e6 + math.exp(x)


@planted(lambda g, x: (None,))
def lost(x):
    return {"value": x * x, "name": "square"}


@planted(lambda g, a, b: (g * a, g * b))
def swapped(a, b):
    return a * b


@planted(lambda g, m: (g * 2.0 * m.T,))
def transposed(m):
    return float((m * m).sum())


def one_of_many(g, v):
    bar = g * WEIGHTS
    bar[137] = 0.0
    return (bar,)


@planted(one_of_many)
def weighted(v):
    return float(v @ WEIGHTS)


@planted(lambda g, x: (2.0 * g,))
def of_the_other_branch(x):
    return 2.0 * x if x > 3.0 else 3.0 * x


@planted(lambda g, pair: ([g * pair[1], 0.0],))
def half_of_a_pair(pair):
    return pair[0] * pair[1]


@planted(lambda g, n: (3 * g * n,))
def of_a_whole_number(n):
    return n * n * 0.5


@planted(lambda g, x: (2.0 * x * g + 1e-3 * g * g,))
def crooked(x):
    return x * x


@planted(lambda g, x: (3e-7 * g,))
def tiny(x):
    return 1e-7 * x + 1e-5


@planted(lambda g, x: (0.0 * x,))
def stair_on_a_slope(x):
    return round(50.0 * x) + x


@planted(lambda g, x: (g * math.nan,))
def no_number(x):
    return x * x


@planted(lambda g, x: (0.0,))
def beside_large_digits(x):
    return [x, 1e12, None]


@planted(lambda g, z: (g * 2.0 * z,))
def not_conjugated(z):
    return z * z
"""

PLACES = {
    "nearly": [0.7],
    "silent": [0.7],
    "lost": [1.5],
    "swapped": [2.0, 3.5],
    "transposed": [np.array([[1.0, 2.0], [5.0, 7.0]])],
    "weighted": [np.linspace(0.1, 0.9, 300)],
    "of_the_other_branch": [2.5],
    "half_of_a_pair": [[2.0, 3.0]],
    "of_a_whole_number": [4],
    "crooked": [1.5],
    "tiny": [0.25],
    "stair_on_a_slope": [0.333],
    "no_number": [1.5],
    "beside_large_digits": [0.5],
    "not_conjugated": [1.0 + 2.0j],
}


@pytest.mark.parametrize("name", PLACES)
def test_a_planted_fault_is_called_wrong(tmp_path, monkeypatch, name):
    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    importlib.import_module("planted")
    try:
        found = recorded_outcome(Call("planted", name, PLACES[name]), 0, 30, tmp_path / "kept")
    finally:
        del sys.modules["planted"]
    assert found["outcome"] == "wrong", found


def test_a_kept_failure_runs(made_up, tmp_path):
    recorded_outcome(Call("madeup", "doubled", [3.0]), 7, 30, tmp_path)
    environment = {
        "PYTHONPATH": ":".join([ROOT, *sys.path]),
        "ASTAD_CACHE_DIR": str(tmp_path / "cache"),
    }
    command = [sys.executable, str(tmp_path / "wrong_0007_doubled.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert "outcome='wrong'" in done.stdout, done.stderr


@pytest.mark.slow
def test_a_package_from_its_import_to_its_row_in_the_table(made_up, tmp_path, capsys):
    results = tmp_path / "results"
    table = tmp_path / "corpus.md"
    status = main(
        ["madeup", "--results", str(results), "--only", "square|Line|doubled|positive",
         "--recording", "20", "--table", str(table), "--reasons"]
    )  # fmt: skip
    assert status == 1  # one is wrong
    ((name, version), records), *others = read(results).items()
    assert (name, others) == ("madeup", [])
    outcomes = {}
    for record in records:
        outcomes.setdefault(record["call"], []).append((record["found"], record["outcome"]))
    assert ("doctest", "right") in outcomes["madeup.square"]
    assert {("doctest", "right"), ("tests", "right")} <= set(outcomes["madeup.Line.at"])
    assert {found for found, _ in outcomes["madeup.doubled"]} == {"drawn"}
    assert {outcome for _, outcome in outcomes["madeup.doubled"]} == {"wrong"}
    assert "| madeup |" in table.read_text() and "wrong" in capsys.readouterr().out


def test_the_table_counts_outcomes():
    records = [
        {"outcome": "right", "ratio": 2.0, "reason": ""},
        {"outcome": "right", "ratio": 6.0, "reason": ""},
        {"outcome": "refused", "reason": "eval() in f: unknown"},
        {"outcome": "skipped", "reason": "the plain run is slow"},
    ]
    text = page({("one", "1.0"): records, ("two", "2.0"): records[:1]})
    assert "| one | 1.0 | 3 | 2 | 1 |  |  |  |  |  |  | 4.0 | 6.0 |" in text
    assert "| **all** |  | 4 | 3 | 1 |" in text
    assert "Refused: 25.0 %" in text and "- 1: eval() in f: unknown" in text


def test_a_call_as_text():
    call = Call("math", "hypot", [3.0, 4.0], {}, "drawn")
    text = as_file(call, "title", "text", "file.py")
    assert "args = [3.0, 4.0]" in text
    compile(text, "file.py", "exec")
    arrays = Call("numpy", "sum", [np.array([1.0, 2.5])], {"axis": 0}, "drawn")
    names = {}
    exec(as_file(arrays, "title", "text", "file.py"), names)
    assert names["args"][0].tolist() == [1.0, 2.5] and names["kwargs"] == {"axis": 0}


def test_where_floats_are():
    assert has_floats([1.0]) and has_floats({"a": np.ones(2)}) and has_floats(1j)
    assert not has_floats([1, "a", True, None]) and not has_floats(np.arange(3))
    assert not has_floats(np.ones(5000))  # too large to be checked entry by entry


@pytest.mark.slow
def test_what_a_child_has_started_ends_with_it(tmp_path):
    path = tmp_path / "pid"

    def outer():
        def inner():
            path.write_text(str(os.getpid()))
            time.sleep(1000)

        return in_child(inner, 1000)

    assert in_child(outer, 4.0) == ("timeout", 4.0)
    inner = int(path.read_text())
    for _ in range(100):  # until whoever has taken it over has seen its end
        try:
            os.kill(inner, 0)
        except ProcessLookupError:
            return
        state = Path(f"/proc/{inner}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the inner child runs on")
